# shellcheck shell=bash
# Drives the real window on a display of its own. Sourced by window-check.sh and make-pictures.sh.
#
# Needs Xvfb, xdotool and ImageMagick (import, identify, convert, compare).
# Sets `work`, a folder for the time of the run; `prepare` removes it when the caller leaves.

work=$(mktemp -d)
program=${CARGO_TARGET_DIR:-target}/release/loomwright
window=""
window_width=1280
window_height=800
# The view between the panels, clear of the tree on the left and the colours in the inspector on the right.
view_left=235
view_top=110
view=768x620+$view_left+$view_top
display_pid=""
program_pid=""
# Settings of the user are left alone.
export XDG_CONFIG_HOME=$work/config

# The last things seen, for the caller's messages.
fail() {
    echo "window: $*" >&2
    if [[ -s $work/program.log ]]; then
        sed 's/^/program: /' "$work/program.log" >&2
    fi
    exit 1
}

need() {
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || {
            echo "window: $tool is not installed" >&2
            exit 2
        }
    done
}

stop_all() {
    local pid
    for pid in "$program_pid" "$display_pid"; do
        if [[ -n $pid ]] && kill "$pid" 2>/dev/null; then
            wait "$pid" 2>/dev/null || true
        fi
    done
    program_pid=""
    display_pid=""
    rm -rf "$work"
}

# prepare [TOOL]...: how every script begins that was given a display: cleans up when it leaves, looks for its tools and for
# the program, and builds that where nobody has.
prepare() {
    trap stop_all EXIT
    trap 'exit 1' INT TERM
    need cargo Xvfb xdotool import identify convert "$@"
    [[ -n ${LOOMWRIGHT_BUILT:-} ]] || cargo build --release
    program=$(realpath "$program")
}

# until_true SECONDS COMMAND...: polls; fails after so many seconds.
until_true() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@"; do
        if ((SECONDS >= deadline)); then
            return 1
        fi
        sleep 0.1
    done
}

start_display() {
    : >"$work/display"
    # Without -noreset it would start anew when the last program leaves, and refuse the next one meanwhile.
    Xvfb -noreset -displayfd 3 -screen 0 "${window_width}x${window_height}x24" -nolisten tcp \
        3>"$work/display" 2>"$work/xvfb.log" &
    display_pid=$!
    until_true 20 test -s "$work/display" || fail "Xvfb gave no display: $(cat "$work/xvfb.log")"
    DISPLAY=":$(tr -d '[:space:]' <"$work/display")"
    export DISPLAY
    unset WAYLAND_DISPLAY
    export LIBGL_ALWAYS_SOFTWARE=1
}

is_alive() {
    kill -0 "$program_pid" 2>/dev/null
}

is_gone() {
    ! is_alive
}

title() {
    xdotool getwindowname "$window" 2>/dev/null
}

find_window() {
    is_alive || fail "the program has ended"
    window=$(xdotool search --name ' - Loomwright$' 2>/dev/null | tail -n 1)
    [[ -n $window ]]
}

# start_window ARGS...: starts it and waits for its window.
start_window() {
    "$program" "$@" >"$work/program.log" 2>&1 &
    program_pid=$!
    until_true 60 find_window || fail "no window appeared"
    # Without a window manager nobody else gives it the keyboard.
    xdotool windowfocus --sync "$window"
}

# start_program ARGS...: starts it and waits until a cable is drawn.
start_program() {
    start_window "$@"
    until_true 60 shows_cable || fail "no cable was drawn"
}

# press KEYS...: keys one after the other, with time for a redraw after each.
press() {
    local key
    for key in "$@"; do
        xdotool key "$key"
        sleep 0.6
    done
}

# click_at X Y: moves there, waits for a redraw, clicks.
click_at() {
    xdotool mousemove "$1" "$2" sleep 0.6 click 1 sleep 0.6
}

screenshot() {
    is_alive || fail "the program has ended"
    import -window "$window" "$1"
}

# n_pixels FILE COLOUR FUZZ: how many pixels of the view have about that colour.
n_pixels() {
    convert "$1" -crop "$view" +repage -alpha off -fuzz "$3" \
        -fill black +opaque "$2" -fill white -opaque "$2" -format '%[fx:int(mean*w*h+0.5)]' info:
}

shows_cable() {
    screenshot "$work/now.png"
    (($(n_pixels "$work/now.png" '#d96924' 12%) > 500))
}

# Looks from the front, where the demo's cable hangs between two level handles 560 mm apart, and measures where
# it is: `scale` in pixels per mm, `origin_x` and `origin_y` in pixels of the point x = 0, z = 440.
look_from_front() {
    xdotool key 1
    sleep 1
    screenshot "$work/front.png"
    local box width left top
    # The balls of the handles reach 9 pixels beyond their middle; nothing of the cable is higher.
    box=$(convert "$work/front.png" -crop "$view" +repage -alpha off -fuzz 12% -fill black +opaque '#d96924' \
        -format '%@' info:)
    [[ $box =~ ^([0-9]+)x[0-9]+\+([0-9]+)\+([0-9]+)$ ]] || fail "no cable in the front view: $box"
    width=${BASH_REMATCH[1]} left=${BASH_REMATCH[2]} top=${BASH_REMATCH[3]}
    origin_x=$((left + view_left + 8))
    origin_y=$((top + view_top + 8))
    scale=$(awk -v w="$width" 'BEGIN { print (w - 16) / 560 }')
}

# pixel X Z: where a point of the plane y = 0 is in the front view.
pixel() {
    awk -v x="$1" -v z="$2" -v s="$scale" -v ox="$origin_x" -v oy="$origin_y" \
        'BEGIN { printf "%d %d", ox + x * s + 0.5, oy - (z - 440) * s + 0.5 }'
}

# glide X Z: moves the mouse there in small steps, as a hand does, from where it is.
glide() {
    local from to i n=24
    local -a way=()
    [[ $(xdotool getmouselocation) =~ ^x:([0-9]+)\ y:([0-9]+) ]] || fail "no mouse"
    from=("${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}")
    read -r -a to <<<"$(pixel "$1" "$2")"
    for ((i = 1; i <= n; i++)); do
        way+=(mousemove $((from[0] + (to[0] - from[0]) * i / n)) $((from[1] + (to[1] - from[1]) * i / n)) sleep 0.02)
    done
    xdotool "${way[@]}"
}

# grab X Z: presses the left button there.
grab() {
    local at
    read -r -a at <<<"$(pixel "$1" "$2")"
    xdotool mousemove "${at[@]}" sleep 0.3 mousedown 1 sleep 0.1
}

release() {
    xdotool mouseup 1
}

# carry U V U2 V2: drags from one pixel of the window to another, and keeps the button down.
carry() {
    local i n=24
    xdotool mousemove "$1" "$2" sleep 0.4 mousedown 1 sleep 0.2
    for ((i = 1; i <= n; i++)); do
        xdotool mousemove $(($1 + ($3 - $1) * i / n)) $(($2 + ($4 - $2) * i / n)) sleep 0.03
    done
    sleep 0.5
}

is_still() {
    local one two
    screenshot "$work/now.png"
    one=$(identify -format '%#' "$work/now.png")
    sleep 0.7
    screenshot "$work/now.png"
    two=$(identify -format '%#' "$work/now.png")
    [[ $one == "$two" ]]
}

# Waits until the picture stays as it is: the solver rests and the best picture is drawn.
settle() {
    until_true 60 is_still || fail "the picture never comes to rest"
}

is_unsaved() {
    [[ $(title) == *'* - Loomwright' ]]
}

is_saved() {
    ! is_unsaved
}
