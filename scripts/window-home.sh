#!/usr/bin/env bash
# The undo list, measurements that are kept and the library of fixings by mouse in the real window.
#
# usage: scripts/window-home.sh FOLDER
#
# All on the demo "drag"; what is saved is held against facts. Screenshots go to FOLDER.
# Exit code: 0 it works, 1 it does not, 2 a tool is missing or the call is wrong.
set -euo pipefail

if (($# != 1)); then
    echo "usage: scripts/window-home.sh FOLDER" >&2
    exit 2
fi
mkdir -p "$1"
shots=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
# shellcheck source=scripts/window-lib.sh
. scripts/window-lib.sh
prepare

seen() {
    screenshot "$work/now.png"
    identify -format '%#' "$work/now.png"
}

is_other_than() {
    [[ $(seen) != "$1" ]]
}

# hit X Y [BUTTON]: a click that must change the picture.
hit() {
    local before
    xdotool mousemove "$1" "$2"
    settle
    before=$(seen)
    xdotool click "${3:-1}"
    until_true 60 is_other_than "$before" || fail "a click at $1, $2 changed nothing"
    settle
}

# hit_point X Z: a click at a point of the plane y = 0, seen from the front.
hit_point() {
    local at
    read -r -a at <<<"$(pixel "$1" "$2")"
    hit "${at[@]}"
}

# shot NAME
shot() {
    settle
    screenshot "$shots/$1.png"
}

save() {
    is_unsaved || fail "$1: there is nothing to save"
    xdotool key ctrl+s
    until_true 20 is_saved || fail "$1: Ctrl+S did not save"
}

start_display
"$program" demo drag -o "$work/demo" >/dev/null
scene=$work/demo/drag.scene.json
cd "$work"
start_program open "$scene"
look_from_front

# The undo list: two drags, and the click on the first of them goes back behind both.
for to in "520 380" "480 330"; do
    read -r -a end <<<"${end_at:-560 440}"
    grab "${end[@]}"
    # shellcheck disable=SC2086
    glide $to
    release
    settle
    end_at=$to
done
is_unsaved || fail "the end fixing was not dragged"
hit 52 13
hit 75 90
shot 1-undo-list
hit 290 115
until_true 20 is_saved || fail "the undo list did not go back to the start"

# A measurement from the start of the cable to the block is kept.
hit 892 42
look_from_front
hit_point 0 440
hit_point 290 50
shot 2-measured
hit 27 69
shot 3-kept
press Escape
settle
save "the measurement"
grep -q '"measurements"' "$scene" || fail "no measurement was saved"
grep -q '"on": "part"' "$scene" || fail "the measurement is not on the part"

# A clip of the library on the block: the cable is laid through it.
hit 516 42
look_from_front
hit_point 290 90
shot 4-clip
press Escape
settle
save "the clip"
grep -q '"P-clip"' "$scene" || fail "no clip was saved"

xdotool key ctrl+q
until_true 20 is_gone || fail "Ctrl+Q did not close the window"
program_pid=""
echo "window: undo list, measurement and clip by mouse; pictures are in $shots"
