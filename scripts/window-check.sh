#!/usr/bin/env bash
# Drags cables in the real window and decides by facts that it worked.
#
# usage: scripts/window-check.sh FOLDER
#
# Builds the program, opens the demo on a display of its own, drags the end handle until the cable sinks into the
# pocket and then over the edge of the sheet, saves, and looks at what was saved. Then the whole way of a harness:
# import, flexibilise, drag into an obstacle, change the length, export STEP, save, quit; and the same uses on the demo of
# the first start. Screenshots go to FOLDER.
# Exit code: 0 it works, 1 it does not, 2 a tool is missing or the call is wrong.
set -euo pipefail

if (($# != 1)); then
    echo "usage: scripts/window-check.sh FOLDER" >&2
    exit 2
fi
mkdir -p "$1"
shots=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
# shellcheck source=scripts/window-lib.sh
. scripts/window-lib.sh
prepare compare

said() {
    echo "window: $*"
}

# end_handle: x, y and z of the end handle in the saved scene.
end_handle() {
    awk '/"place": "end"/ { found = 1 }
        found && /"position"/ { gsub(/[^0-9eE.,+-]/, ""); split($0, p, ","); print p[1], p[2], p[3]; exit }' "$scene"
}

# near A B TOLERANCE
near() {
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; exit !(d <= t && d >= -t) }'
}

# check_saved NAME X Z PART: saves, then solves what was saved and holds it against what was asked for.
check_saved() {
    local name=$1 x=$2 z=$3 part=$4 at
    is_unsaved || fail "$name: a drag must leave something to save; the title is $(title)"
    xdotool key ctrl+s
    until_true 20 is_saved || fail "$name: Ctrl+S did not save"
    read -r -a at <<<"$(end_handle)"
    # Two pixels are less than 3 mm here.
    if ! near "${at[0]}" "$x" 3 || ! near "${at[1]}" 0 0.01 || ! near "${at[2]}" "$z" 3; then
        fail "$name: the end handle is at ${at[*]}, not at $x, 0, $z"
    fi
    "$program" solve "$scene" >"$work/report.txt" || fail "$name: not solved: $(cat "$work/report.txt")"
    cp "$work/report.txt" "$shots/$name.txt"
    grep -q ': converged$' "$work/report.txt" || fail "$name: $(cat "$work/report.txt")"
    grep -Eq "clearance +[0-9.e-]+ mm" "$work/report.txt" || fail "$name: nothing is in contact"
    grep -Eq "$part" "$work/report.txt" || fail "$name: the cable does not touch the $part"
    said "$name: the end handle is at ${at[*]}; $(grep clearance "$work/report.txt" | tr -s ' ')"
}

# n_different A B: how many pixels of the view differ between two pictures; hints in the status line do not count.
n_different() {
    local n
    convert "$shots/$1.png" -crop "$view" +repage "$work/a.png"
    convert "$shots/$2.png" -crop "$view" +repage "$work/b.png"
    n=$(compare -metric AE "$work/a.png" "$work/b.png" null: 2>&1 || true)
    awk -v n="${n%% *}" 'BEGIN { printf "%d", n }'
}

# check_shot NAME LAST: a picture without an error that differs from the last one.
check_shot() {
    local name=$1 last=$2 differ
    settle
    screenshot "$shots/$name.png"
    (($(n_pixels "$shots/$name.png" '#fbecec' 1%) < 2000)) || fail "$name: the window shows an error"
    if [[ -n $last ]]; then
        differ=$(n_different "$last" "$name")
        ((differ > 3000)) || fail "$name: only $differ pixels differ from $last"
        said "$name: $differ pixels differ from $last"
    fi
}

# Without a display: exit code 2 and a sentence.
code=0
env -u DISPLAY -u WAYLAND_DISPLAY "$program" >"$work/no-display.txt" 2>&1 || code=$?
((code == 2)) || fail "without a display the exit code is $code, not 2"
grep -q 'no display found' "$work/no-display.txt" || fail "without a display: $(cat "$work/no-display.txt")"
said "without a display: exit code 2, $(head -c 100 "$work/no-display.txt") ..."

start_display
"$program" demo drag -o "$work/demo" >/dev/null
scene=$work/demo/drag.scene.json
start_program open "$scene"
said "drawn on display $DISPLAY"
look_from_front
check_shot 1-start ""

grab 560 440
glide 500 280
glide 440 170
screenshot "$shots/2-dragging.png"
release
check_shot 3-pocket 1-start
check_saved 3-pocket 440 170 block

grab 440 170
glide 500 420
glide 560 600
glide 720 600
glide 720 480
release
check_shot 4-sheet 3-pocket
check_saved 4-sheet 720 480 sheet

# check_same NAME AS: two pictures of the same state; what is under the cursor may be lit.
check_same() {
    local differ
    differ=$(n_different "$1" "$2")
    ((differ < 1500)) || fail "$1: $differ pixels differ from $2, which it should look like"
    said "$1: $differ pixels differ from $2"
}

# A drag is one undo point, and redo comes back to what was saved.
xdotool key ctrl+z
until_true 20 is_unsaved || fail "Ctrl+Z did nothing"
check_shot 5-undone 4-sheet
check_same 5-undone 3-pocket
xdotool key ctrl+shift+z
until_true 20 is_saved || fail "redo did not come back to the saved state"
check_shot 6-redone 5-undone
check_same 6-redone 4-sheet

# Esc in the middle of a drag leaves no trace.
grab 720 480
glide 760 520
xdotool key Escape
release
settle
is_saved || fail "Esc left something to save"

xdotool key ctrl+q
until_true 20 is_gone || fail "Ctrl+Q did not close the window"
code=0
wait "$program_pid" || code=$?
program_pid=""
((code == 0)) || fail "the program ended with exit code $code"
[[ ! -s $work/program.log ]] || fail "the program complained"

# shellcheck source=scripts/window-harness.sh
. scripts/window-harness.sh
# shellcheck source=scripts/window-engine-bay.sh
. scripts/window-engine-bay.sh
said "all is well; pictures are in $shots"
