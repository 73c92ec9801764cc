//! The shaders of the view. Three-d puts the version line in front.

/// Shaded triangles: headlight and a little sky; both sides alike.
pub const SURFACE_VERTEX: &str = "
uniform mat4 clip;
in vec3 position;
in vec3 normal;
out vec3 v_position;
out vec3 v_normal;
void main() {
    v_position = position;
    v_normal = normal;
    gl_Position = clip * vec4(position, 1.0);
}";

/// See [`SURFACE_VERTEX`].
pub const SURFACE_FRAGMENT: &str = "
uniform vec4 eye;
uniform vec4 color;
uniform vec4 plane;
in vec3 v_position;
in vec3 v_normal;
layout (location = 0) out vec4 out_color;
void main() {
    if (dot(plane.xyz, v_position) > plane.w) { discard; }
    vec3 n = normalize(v_normal);
    vec3 v = normalize(eye.xyz - v_position * eye.w);
    // Where something is cut away the insides of solids show: darker, so that the cut can be told from the outside.
    float inside = dot(n, v) < 0.0 && dot(plane.xyz, plane.xyz) > 0.5 ? 0.62 : 1.0;
    n = dot(n, v) < 0.0 ? -n : n;
    float light = inside * (0.50 + 0.34 * dot(n, v) + 0.22 * (0.5 + 0.5 * n.z));
    out_color = vec4(color.rgb * light, color.a);
}";

/// The same for a cable, with its stripe.
pub const TUBE_VERTEX: &str = "
uniform mat4 clip;
in vec3 position;
in vec3 normal;
in float around;
in vec3 tint;
out vec3 v_position;
out vec3 v_normal;
out float v_around;
out vec3 v_tint;
void main() {
    v_tint = tint;
    v_position = position;
    v_normal = normal;
    v_around = around;
    gl_Position = clip * vec4(position, 1.0);
}";

/// See [`TUBE_VERTEX`].
pub const TUBE_FRAGMENT: &str = "
uniform vec4 eye;
uniform vec3 color;
uniform float tinted;
in vec3 v_position;
in vec3 v_normal;
in float v_around;
in vec3 v_tint;
layout (location = 0) out vec4 out_color;
void main() {
    vec3 n = normalize(v_normal);
    vec3 v = normalize(eye.xyz - v_position * eye.w);
    float facing = abs(dot(n, v));
    float light = 0.46 + 0.46 * facing + 0.14 * (0.5 + 0.5 * n.z);
    float stripe = 1.0 - smoothstep(0.035, 0.045, min(v_around, 1.0 - v_around));
    vec3 own = mix(color, v_tint, tinted);
    vec3 base = mix(own, mix(own, vec3(1.0), 0.65), stripe);
    out_color = vec4(base * light + vec3(0.10 * pow(facing, 24.0)), 1.0);
}";

/// Lines of fixed width: an instance per line, six corners each, lifted a little towards the eye.
pub const LINE_VERTEX: &str = "
uniform mat4 clip;
uniform vec4 eye;
uniform vec2 size;
uniform float width;
in vec3 start;
in vec3 end;
out float v_side;
out vec3 v_position;
void main() {
    int corner = gl_VertexID;
    bool far = corner == 1 || corner == 2 || corner == 4;
    float side = (corner == 0 || corner == 1 || corner == 3) ? -1.0 : 1.0;
    vec3 lift_a = (eye.xyz - start * eye.w) * 0.0012;
    vec3 lift_b = (eye.xyz - end * eye.w) * 0.0012;
    vec4 a = clip * vec4(start + lift_a, 1.0);
    vec4 b = clip * vec4(end + lift_b, 1.0);
    float least = 1e-3;
    if (a.w < least && b.w > least) { a = mix(a, b, (least - a.w) / (b.w - a.w)); }
    if (b.w < least && a.w > least) { b = mix(b, a, (least - b.w) / (a.w - b.w)); }
    vec2 along = (b.xy / b.w - a.xy / a.w) * size;
    along = dot(along, along) > 1e-12 ? normalize(along) : vec2(1.0, 0.0);
    vec2 across = vec2(-along.y, along.x) * side * (width + 1.0) / size;
    vec4 p = far ? b : a;
    v_position = far ? end : start;
    v_side = side;
    gl_Position = vec4(p.xy + across * p.w, p.z, p.w);
}";

/// See [`LINE_VERTEX`].
pub const LINE_FRAGMENT: &str = "
uniform vec4 color;
uniform float width;
uniform vec4 plane;
in float v_side;
in vec3 v_position;
layout (location = 0) out vec4 out_color;
void main() {
    if (dot(plane.xyz, v_position) > plane.w) { discard; }
    float inside = (1.0 - abs(v_side)) * 0.5 * (width + 1.0);
    out_color = vec4(color.rgb, color.a * clamp(inside, 0.0, 1.0));
}";

/// A triangle over the whole view.
pub const SCREEN_VERTEX: &str = "
in vec2 position;
out vec2 uv;
void main() {
    uv = position * 0.5 + 0.5;
    gl_Position = vec4(position, 0.0, 1.0);
}";

/// The background: lighter above.
pub const SKY_FRAGMENT: &str = "
uniform vec3 top;
uniform vec3 bottom;
in vec2 uv;
layout (location = 0) out vec4 out_color;
void main() { out_color = vec4(mix(bottom, top, uv.y), 1.0); }";

/// What stands behind the cables, with its depth.
pub const BACKDROP_FRAGMENT: &str = "
uniform sampler2D picture;
uniform sampler2D depth;
in vec2 uv;
layout (location = 0) out vec4 out_color;
void main() {
    out_color = vec4(texture(picture, uv).rgb, 1.0);
    gl_FragDepth = texture(depth, uv).r;
}";

/// The cached picture, as it is.
pub const COPY_FRAGMENT: &str = "
uniform sampler2D picture;
in vec2 uv;
layout (location = 0) out vec4 out_color;
void main() { out_color = vec4(texture(picture, uv).rgb, 1.0); }";
