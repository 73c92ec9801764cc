#!/usr/bin/env bash
# Takes the control unit out of the bay in the real window, as it starts the first time, with four mouse actions.
#
# usage: scripts/window-unit.sh FOLDER [FILM.gif]
#
# A click selects the unit, one drag lifts it by its arrow, another takes it out until its ground cable is taut, a click on
# the red label gives the cable what it lacks, and the unit comes free. What is saved is compared with the label, and again
# after that click is undone. Screenshots go to FOLDER; with FILM.gif the same is recorded.
# Exit code: 0 it works, 1 it does not, 2 a tool is missing or the call is wrong.
set -euo pipefail

if (($# < 1 || $# > 2)); then
    echo "usage: scripts/window-unit.sh FOLDER [FILM.gif]" >&2
    exit 2
fi
mkdir -p "$1"
shots=$(cd "$1" && pwd)
film=${2:+$(realpath -m "$2")}
cd "$(dirname "$0")/.."
# shellcheck source=scripts/window-lib.sh
. scripts/window-lib.sh
prepare
cd "$work"
mkdir film
n_shots=0

# The control unit in the first view, its arrows when it is selected, and how far each is dragged.
unit=(505 530)
arrow_z=(505 489)
lift=(0 -30)
arrow_x=(549 476)
out=(-53 17)

# shoot: one picture of the film.
shoot() {
    [[ -n $film ]] || return 0
    screenshot "film/$(printf '%04d' "$n_shots").png"
    n_shots=$((n_shots + 1))
}

# The red label, once it can be clicked: left, top, width and height of the fill that no other thing of the view has.
find_label() {
    local box
    screenshot now.png
    box=$(convert now.png -crop "$view" +repage -alpha off -fuzz 1% -fill black +opaque '#fbecec' -format '%@' info: 2>/dev/null) || return 1
    [[ $box =~ ^([0-9]+)x([0-9]+)\+([0-9]+)\+([0-9]+)$ ]] || return 1
    label=($((view_left + BASH_REMATCH[3])) $((view_top + BASH_REMATCH[4])) "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}")
    ((label[2] > 60 && label[3] > 10))
}

no_label() {
    ! find_label
}

# is_ready: the label is there, and neither it nor anything else changes any more.
is_ready() {
    find_label && is_still && find_label
}

# save NAME: saves the scene under that name.
save() {
    xdotool key ctrl+shift+s
    until_true 20 is_other now.png || fail "no dialog for $1"
    settle
    xdotool key ctrl+a
    xdotool type --delay 5 "$1.json"
    settle
    xdotool key Return
    until_true 30 test -s "$1.json" || fail "$1 was not saved"
    until_true 30 is_saved || fail "$1 was not saved"
}

# is_other FILE: the window looks other than in that picture.
is_other() {
    screenshot other.png
    [[ $(identify -format '%#' other.png) != "$(identify -format '%#' "$1")" ]]
}

# ground NAME: length of the ground cable in a saved scene, mm.
ground() {
    awk '/"length":/ { last = $2 } /"name": "GND"/ { print last; exit }' "$1.json" | tr -d ','
}

# plug_x NAME: where the plug of the ground cable is along x in a saved scene, mm.
plug_x() {
    awk '/"name": "GND"/ { ground = 1 }
        ground && /"place": "start"/ { found = 1 }
        found && /"position"/ { gsub(/[^0-9eE.,+-]/, ""); split($0, p, ","); print p[1]; exit }' "$1.json"
}

# lead FROM_X FROM_Y BY_X BY_Y: drags in small steps as a hand does, and keeps the button down.
lead() {
    local i n=18
    xdotool mousemove "$1" "$2"
    settle
    xdotool mousedown 1
    for ((i = 1; i <= n; i++)); do
        xdotool mousemove $(($1 + $3 * i / n)) $(($2 + $4 * i / n)) sleep 0.05
        shoot
    done
}

start_display
start_window
settle
screenshot "$shots/1-start.png"
shoot

# First mouse action: the unit is selected.
xdotool mousemove "${unit[@]}"
settle
shoot
xdotool click 1
settle
screenshot "$shots/2-selected.png"
shoot

# Second: it is lifted.
lead "${arrow_z[@]}" "${lift[@]}"
settle
release
settle
screenshot "$shots/3-lifted.png"
no_label || fail "the control unit is held before it is lifted"
is_unsaved || fail "the control unit was not lifted"
shoot

# Third: it is taken out, and stops.
lead "${arrow_x[@]}" "${out[@]}"
settle
screenshot "$shots/4-held.png"
shoot
release
until_true 90 is_ready || fail "no label says what the cable lacks that holds the control unit"
screenshot "$shots/5-let-go.png"
shoot
save held

# Fourth: the label gives the cable what it lacks.
find_label || fail "the label is gone after saving"
xdotool mousemove $((label[0] + label[2] / 2)) $((label[1] + label[3] / 2)) sleep 0.4
shoot
xdotool click 1
for ((i = 1; i <= 6; i++)); do
    sleep 0.1
    shoot
done
until_true 60 no_label || fail "the unit is still held"
settle
screenshot "$shots/6-free.png"
shoot
save free

read -r short long before after <<<"$(ground held) $(ground free) $(plug_x held) $(plug_x free)"
added=$(awk -v a="$short" -v b="$long" 'BEGIN { printf "%.0f", b - a }')
((added > 5 && added < 100)) || fail "the click added $added mm: from $short to $long"
awk -v a="$before" -v b="$after" 'BEGIN { exit !(b < a - 5) }' || fail "the unit did not move on: from $before to $after"

# One step back is the length and the way.
xdotool key ctrl+z
until_true 30 is_unsaved || fail "nothing was undone"
settle
save undone
[[ $(ground undone) == "$short" ]] || fail "undo leaves the cable $(ground undone) mm long, not $short"
screenshot "$shots/7-undone.png"

if [[ -n $film ]]; then
    # Smaller, with few colours, and only what changes; the last picture stays a while.
    convert -delay 9 film/*.png -crop 770x655+230+89 +repage -resize 616x -set delay 9 \( +clone -set delay 250 \) \
        +dither -colors 56 -fuzz 2% -layers optimize "$film"
    (($(wc -c <"$film") < 1500000)) || fail "$film is too large: $(wc -c <"$film") bytes"
fi
xdotool key ctrl+q
until_true 20 is_gone || fail "Ctrl+Q did not close the window"
program_pid=""
echo "window: the plug of the control unit stopped at x = $before, GND got $added mm, it came to x = $after; pictures are in $shots"
