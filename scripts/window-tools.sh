#!/usr/bin/env bash
# The fixing library, the section plane, measurements, labels, plots, copies, hidden parts and the undo list in the real
# window, by mouse.
#
# usage: scripts/window-tools.sh FOLDER
#
# Opens the demo `drag`, uses one after the other, and compares what is saved, in the scene and of a plot, with facts.
# Screenshots go to FOLDER.
# Exit code: 0 all works, 1 it does not, 2 a tool is missing or the call is wrong.
set -euo pipefail

if (($# != 1)); then
    echo "usage: scripts/window-tools.sh FOLDER" >&2
    exit 2
fi
mkdir -p "$1"
shots=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
# shellcheck source=scripts/window-lib.sh
. scripts/window-lib.sh
prepare python3
cd "$work"

seen() {
    screenshot now.png
    identify -format '%#' now.png
}

is_other_than() {
    [[ $(seen) != "$1" ]]
}

# hit X Y: a click that must change the picture.
hit() {
    local before
    xdotool mousemove "$1" "$2"
    settle
    before=$(seen)
    xdotool click "${3:-1}"
    until_true 60 is_other_than "$before" || fail "a click at $1, $2 changed nothing"
    settle
}

# point X Y: the mouse there must change the picture, as over an entry of a menu that has more.
point() {
    local before
    before=$(seen)
    xdotool mousemove "$1" "$2"
    until_true 60 is_other_than "$before" || fail "the mouse at $1, $2 changed nothing"
    settle
}

shot() {
    settle
    screenshot "$shots/$1.png"
}

# save_as NAME: by keyboard.
save_as() {
    local before
    before=$(seen)
    xdotool key ctrl+shift+s
    until_true 20 is_other_than "$before" || fail "no dialog for $1"
    settle
    xdotool key ctrl+a
    xdotool type --delay 10 "$1"
    settle
    xdotool key Return
    until_true 30 test -s "$1" || fail "$1 was not saved"
    until_true 30 is_saved || fail "$1 was not saved"
    settle
}

# holds FILE WHAT EXPRESSION: a fact of a saved scene, in Python, with the scene in `s`.
holds() {
    python3 -c '
import json, sys
s = json.load(open(sys.argv[1]))
cables = {c["name"]: c for c in s["cables"]}
parts = {p["name"]: p for p in s["parts"]}
sys.exit(0 if eval(sys.argv[2]) else 1)' "$1" "$3" || fail "$1: not so: $2"
}

start_display
start_window open --demo drag
settle

# The fixing library: a tie on the rim of the block, chosen by its picture; the cable goes through it.
hit 515 42
shot 1-library
hit 483 118
xdotool mousemove 620 560
settle
shot 2-tie-in-hand
hit 620 560
hit 183 42
shot 3-tied
save_as tied.json
holds tied.json "there is a tie" '"Tie" in parts'
holds tied.json "the tie holds the cable and goes with the block" \
    'any(h["name"] == "Tie" and h["attached_to"] == "block" for h in cables["cable"]["handles"])'

# The undo list names it and goes back to before it.
hit 52 13
point 75 90
shot 4-undo-list
hit 318 90
save_as undone.json
holds undone.json "the tie is undone" '"Tie" not in parts and len(cables["cable"]["handles"]) == 2'

# A measurement from the cylinder to the block is kept.
hit 893 42
hit 548 335
hit 620 600
hit 268 111
hit 183 42
save_as measured.json
holds measured.json "one measurement is kept" 'len(s["measurements"]) == 1'

# Labels on the selected cable.
hit 700 430
hit 92 13
hit 160 362
shot 5-labels

# A plot, its value at the cursor, and its numbers in a file.
hit 92 13
hit 160 473
xdotool mousemove 465 650
shot 6-plot
hit 402 572
xdotool key ctrl+a
xdotool type --delay 10 plot.csv
settle
xdotool key Return
until_true 30 test -s plot.csv || fail "the plot was not saved"
settle
# The smallest radius is at the ends, and straight stretches have more than is drawn.
awk -F, 'NR == 2 { first = $2 } NR > 1 && $2 > 400 { straight++ } NR > 1 && $2 < first - 1 { sharper++ }
    END { exit !(first > 50 && first < 70 && straight > 5 && !sharper) }' plot.csv || fail "plot.csv: $(head -n 3 plot.csv)"
hit 957 115
hit 92 13
hit 160 473

# A copy of the cable.
hit 52 13
hit 61 151
hit 52 13
hit 64 176
shot 7-copied
save_as copied.json
holds copied.json "there are two cables alike" 'len(cables) == 2 and len({c["length"] for c in s["cables"]}) == 1'

# The menu of the view, where nothing is.
hit 300 640 3
shot 8-menu
xdotool key Escape
settle

# A hidden part still stops cables, and the status says so.
hit 18 357
shot 9-hidden
save_as hidden.json
holds hidden.json "the block is hidden" 'parts["block"].get("visible") is False'
hit 18 357

# The section plane: cut faces are hatched. The section box, around everything, then one side of it dragged inwards.
hit 92 13
hit 137 287
shot 10-section
xdotool key ctrl+p
settle
xdotool type --delay 10 "section box"
settle
xdotool key Return
settle
shot 11-section-box
xdotool key k
settle
hit 730 111
# Nothing is asked when everything is saved.
xdotool key ctrl+s
until_true 30 is_saved || fail "what was shown again was not saved"
settle
xdotool key ctrl+q
until_true 20 is_gone || fail "Ctrl+Q did not close the window"
program_pid=""
echo "window: all is well; pictures are in $shots"
