//! The shaders of the view. Three-d puts the version line in front.

/// A fragment shader of something that is cut: `is_cut` says whether a place is beyond one of the planes.
macro_rules! with_cuts {
    ($shader:literal) => {
        concat!(
            "
uniform int n_planes;
uniform vec4 planes[6];
bool is_cut(vec3 p) {
    for (int k = 0; k < n_planes; k++) {
        if (dot(planes[k].xyz, p) > planes[k].w) { return true; }
    }
    return false;
}",
            $shader
        )
    };
}

/// Shaded triangles; both sides alike.
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

/// See [`SURFACE_VERTEX`]: a key light over the viewer's left shoulder, a headlight that fills, a little sky, and what the
/// finish reflects of the key light. Round bodies darken towards their outline, which sets them off from what is behind.
///
/// `finish` is the strength and sharpness of the highlight, and how much of it has the colour of the part.
pub const SURFACE_FRAGMENT: &str = with_cuts!(
    "
uniform vec4 eye;
uniform vec3 key;
uniform vec4 color;
uniform vec3 finish;
in vec3 v_position;
in vec3 v_normal;
layout (location = 0) out vec4 out_color;
void main() {
    if (is_cut(v_position)) { discard; }
    vec3 n = normalize(v_normal);
    vec3 v = normalize(eye.xyz - v_position * eye.w);
    // Where something is cut away the insides of solids show: darker, so that the cut can be told from the outside.
    float inside = dot(n, v) < 0.0 && n_planes > 0 ? 0.62 : 1.0;
    n = dot(n, v) < 0.0 ? -n : n;
    float facing = dot(n, v);
    float lit = max(dot(n, key), 0.0);
    float light = 0.34 + 0.24 * facing + 0.42 * lit + 0.16 * (0.5 + 0.5 * n.z);
    float outline = mix(0.62, 1.0, smoothstep(0.02, 0.26, facing));
    float shine = finish.x * pow(max(dot(n, normalize(key + v)), 0.0), finish.y);
    vec3 glint = mix(vec3(1.0), color.rgb, finish.z) * shine;
    out_color = vec4((color.rgb * light * outline + glint) * inside, color.a);
}"
);

/// The cut face of a solid: flat and hatched, so that it is not taken for a surface of the part.
pub const CAP_VERTEX: &str = "
uniform mat4 clip;
in vec3 position;
out vec3 v_position;
void main() {
    v_position = position;
    gl_Position = clip * vec4(position, 1.0);
}";

/// See [`CAP_VERTEX`]. `hatch` is the distance of the lines in pixels and their slope, 1 or -1.
pub const CAP_FRAGMENT: &str = with_cuts!(
    "
uniform vec4 color;
uniform vec2 hatch;
in vec3 v_position;
layout (location = 0) out vec4 out_color;
void main() {
    if (is_cut(v_position)) { discard; }
    float across = (gl_FragCoord.x + hatch.y * gl_FragCoord.y) * 0.7071;
    float off = abs(fract(across / hatch.x) - 0.5) * hatch.x;
    float line = 1.0 - smoothstep(0.4, 1.2, off);
    vec3 base = mix(color.rgb, vec3(1.0), 0.22);
    out_color = vec4(mix(base, color.rgb * 0.45, 0.7 * line), color.a);
}"
);

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
uniform vec3 key;
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
    n = dot(n, v) < 0.0 ? -n : n;
    float facing = dot(n, v);
    float lit = max(dot(n, key), 0.0);
    float light = 0.40 + 0.26 * facing + 0.36 * lit + 0.14 * (0.5 + 0.5 * n.z);
    float outline = mix(0.66, 1.0, smoothstep(0.02, 0.26, facing));
    float stripe = 1.0 - smoothstep(0.035, 0.045, min(v_around, 1.0 - v_around));
    vec3 own = mix(color, v_tint, tinted);
    // Enough to see how it twists, and not so much that a dark harness looks striped.
    vec3 base = mix(own, mix(own, vec3(1.0), 0.45), stripe);
    float shine = 0.16 * pow(max(dot(n, normalize(key + v)), 0.0), 20.0);
    out_color = vec4(base * light * outline + vec3(shine), 1.0);
}";

/// A cable that is as many pixels thicker in the view as `width` says: drawn before it, this is its outline.
pub const OUTLINE_VERTEX: &str = "
uniform mat4 clip;
uniform vec2 size;
uniform float width;
in vec3 position;
in vec3 normal;
void main() {
    vec4 p = clip * vec4(position, 1.0);
    vec4 along = clip * vec4(normal, 0.0);
    vec2 way = (along.xy * p.w - p.xy * along.w) * size;
    float length = length(way);
    if (length > 1e-9) { p.xy += way / length * 2.0 * width / size * p.w; }
    gl_Position = p;
}";

/// See [`OUTLINE_VERTEX`].
pub const OUTLINE_FRAGMENT: &str = "
uniform vec3 color;
layout (location = 0) out vec4 out_color;
void main() { out_color = vec4(color, 1.0); }";

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
pub const LINE_FRAGMENT: &str = with_cuts!(
    "
uniform vec4 color;
uniform float width;
in float v_side;
in vec3 v_position;
layout (location = 0) out vec4 out_color;
void main() {
    if (is_cut(v_position)) { discard; }
    float inside = (1.0 - abs(v_side)) * 0.5 * (width + 1.0);
    out_color = vec4(color.rgb, color.a * clamp(inside, 0.0, 1.0));
}"
);

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

/// Contact shading and outlines once the view rests: darkens what has something close before it, and where a body ends
/// before another, by the depths around each pixel.
///
/// `range` is the nearest and farthest depth, whether the view is parallel, and how far the shading reaches, mm; `scale`
/// the pixels of a mm at depth 1 (or at any, in a parallel view) and the size of the picture.
pub const CONTACT_FRAGMENT: &str = "
uniform sampler2D depth;
uniform vec4 range;
uniform vec3 scale;
in vec2 uv;
layout (location = 0) out vec4 out_color;
float at(vec2 p) {
    float d = texture(depth, p).r;
    float near = range.x;
    float far = range.y;
    return range.z > 0.5 ? near + d * (far - near) : near * far / (far - d * (far - near));
}
void main() {
    float raw = texture(depth, uv).r;
    if (raw > 0.99999) { out_color = vec4(0.0); return; }
    float z = at(uv);
    vec2 pixel = 1.0 / scale.yz;
    // How the surface slopes: of both sides the one that changes less, so that edges do not count.
    float r = at(uv + vec2(pixel.x, 0.0)) - z;
    float l = z - at(uv - vec2(pixel.x, 0.0));
    float u = at(uv + vec2(0.0, pixel.y)) - z;
    float d = z - at(uv - vec2(0.0, pixel.y));
    vec2 slope = vec2(abs(r) < abs(l) ? r : l, abs(u) < abs(d) ? u : d);
    float reach = range.w;
    float size = scale.x * reach / (range.z > 0.5 ? 1.0 : z);
    size = clamp(size, 3.0, 60.0);
    float hidden = 0.0;
    for (int ring = 1; ring <= 3; ring++) {
        for (int k = 0; k < 8; k++) {
            float angle = (float(k) + 0.33 * float(ring)) * 0.7853981;
            vec2 off = vec2(cos(angle), sin(angle)) * size * float(ring) / 3.0;
            float before = z + dot(slope, off) - at(uv + off * pixel);
            float share = clamp((before - 0.02 * reach) / (0.45 * reach), 0.0, 1.0);
            hidden += share * (1.0 - smoothstep(reach, 3.0 * reach, before));
        }
    }
    float shade = 0.62 * clamp(hidden / 15.0, 0.0, 1.0);
    // Where the next pixel is much farther than the slope has it, a body ends: its outline.
    float mm = (range.z > 0.5 ? 1.0 : z) / scale.x;
    float fall = max(r - l, u - d) / mm;
    float outline = 0.5 * smoothstep(6.0, 24.0, fall);
    out_color = vec4(0.0, 0.0, 0.0, 1.0 - (1.0 - shade) * (1.0 - outline));
}";

/// The ground with the shadow on it: a square whose side is `side`, about its middle.
pub const GROUND_VERTEX: &str = "
uniform mat4 clip;
uniform float side;
in vec2 position;
out vec2 uv;
void main() {
    uv = position + 0.5;
    gl_Position = clip * vec4(position * side, 0.0, 1.0);
}";

/// See [`GROUND_VERTEX`].
pub const GROUND_FRAGMENT: &str = "
uniform sampler2D shadow;
in vec2 uv;
layout (location = 0) out vec4 out_color;
void main() { out_color = vec4(0.0, 0.0, 0.0, texture(shadow, uv).r); }";

/// How dark the ground is: under how much of what is around a place, seen from above, something is, and how near.
///
/// `depth` is seen from above in parallel, `base` the height over the ground where that is 0 and what it spans, `high` what
/// casts no shadow any more, mm; `reach` how far the shadow is blurred, as a share of its side.
pub const SHADOW_FRAGMENT: &str = "
uniform sampler2D depth;
uniform vec2 base;
uniform float high;
uniform float reach;
in vec2 uv;
layout (location = 0) out vec4 out_color;
void main() {
    float sum = 0.0;
    float weights = 0.0;
    for (int ring = 0; ring < 7; ring++) {
        float radius = (float(ring) + 0.5) / 7.0;
        float weight = radius * exp(-3.0 * radius * radius);
        for (int k = 0; k < 12; k++) {
            float angle = (float(k) + 0.37 * float(ring)) * 0.5235988;
            float d = texture(depth, uv + reach * radius * vec2(cos(angle), sin(angle))).r;
            float height = base.x - d * base.y;
            float share = d < 0.99999 ? 1.0 - smoothstep(0.0, high, height) : 0.0;
            sum += weight * share;
            weights += weight;
        }
    }
    out_color = vec4(vec3(0.42 * sum / weights), 1.0);
}";
