#!/usr/bin/env bash
# Leads a harness of seven branches through the real window, in an engine bay of 50 000 triangles.
#
# usage: scripts/window-bay.sh MESHES FOLDER
#
# MESHES holds bay50k and tree7_fused_a, both as .obj or both as .stp. The harness is put 97 mm clear of the bay and made
# flexible as a whole; a branch becomes longer and is dragged onto the battery and into it, exported, saved and solved.
# STEP files are imported in the window. Of OBJ files the harness, without being moved first, then starts inside parts,
# which the window must list.
# Screenshots go to FOLDER. Exit code: 0 it works, 1 it does not, 2 a tool is missing or the call is wrong.
set -euo pipefail

if (($# != 2)) || [[ ! -f $1/bay50k.obj && ! -f $1/bay50k.stp ]]; then
    echo "usage: scripts/window-bay.sh MESHES FOLDER" >&2
    exit 2
fi
meshes=$(realpath "$1")
mkdir -p "$2"
shots=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
# shellcheck source=scripts/window-lib.sh
. scripts/window-lib.sh
prepare
cd "$work"
start_display

# The branch that ends beside the battery, the height of its row in the tree, which of its ends that is, and where that is
# drawn from the front once it is over the battery.
branch="harness B8"
row=351
free_end=end
front=(432 186)
is_step=""
if [[ -f $meshes/bay50k.stp ]]; then
    branch="harness B10"
    row=405
    free_end=start
    front=(441 197)
    is_step=1
fi

looks_other_than() {
    screenshot "$work/now.png"
    [[ $(identify -format '%#' "$work/now.png") != "$1" ]]
}

# type_path KEYS PATH: opens a dialog for a path and fills it; the dialog of the system is not there.
type_path() {
    screenshot "$work/now.png"
    local before
    before=$(identify -format '%#' "$work/now.png")
    xdotool key "$1"
    until_true 20 looks_other_than "$before" || fail "$1 opened no dialog"
    settle
    shift
    xdotool key ctrl+a
    xdotool type --delay 20 "$1"
    settle
    press Return
}

# Both files by the window, as they come.
import_in_window() {
    start_window open "$meshes/bay50k.stp"
    settle
    screenshot "$shots/0-bay.png"
    type_path ctrl+o "$meshes/tree7_fused_a.stp"
    settle
    screenshot "$shots/0-dialog.png"
    press Return
    settle
    screenshot "$shots/0-harness.png"
    is_unsaved || fail "the harness was not imported"
    type_path ctrl+shift+s inside.json
    until_true 30 is_saved || fail "the imported scene was not saved"
    xdotool key ctrl+q
    until_true 20 is_gone || fail "Ctrl+Q did not close the window after the import"
    program_pid=""
}

echo '{"command":"move_part","part":"harness","position":[350,-600,300]}' >place.jsonl
if [[ -n $is_step ]]; then
    import_in_window
    echo '{"command":"change_part","part":"harness","role":"harness"}' >>place.jsonl
else
    "$program" import "$meshes/bay50k.obj" -o empty.json >/dev/null
    echo "{\"command\":\"import\",\"path\":\"$meshes/tree7_fused_a.obj\",\"role\":\"harness\"}" >import.jsonl
    "$program" apply empty.json import.jsonl -o inside.json >/dev/null
fi
"$program" apply inside.json place.jsonl -o bay.json >/dev/null

# all_flexible FILE NAME: opens a scene and makes its whole harness flexible, by search, X, "All branches" and Enter.
all_flexible() {
    start_window open "$1"
    settle
    click_at 60 106
    xdotool type harness
    sleep 1
    click_at 87 200
    press Escape
    click_at 87 200
    press x
    settle
    screenshot "$shots/$2-found.png"
    # The button is among the tool's options, over the view.
    click_at 621 138
    press Return
    settle
    is_unsaved || fail "$2: flexibilising changed nothing"
    screenshot "$shots/$2-flexible.png"
}

# end_of FILE CABLE: x, y and z of the handle at the free end of a cable.
end_of() {
    awk -v name="\"name\": \"$2\"" -v place="\"place\": \"$free_end\"" 'index($0, name) { cable = 1 }
        cable && index($0, place) { found = 1 }
        found && /"position"/ { gsub(/[^0-9eE.,+-]/, ""); split($0, p, ","); print p[1], p[2], p[3]; exit }' "$1"
}

# is_between LOW X HIGH
is_between() {
    awk -v low="$1" -v x="$2" -v high="$3" 'BEGIN { exit !(low <= x && x <= high) }'
}

all_flexible bay.json 1-clear
press space
settle
screenshot "$shots/1-clear-running.png"

# The branch becomes 330 mm long; its row in the tree, without the search.
click_at 60 106
press ctrl+a BackSpace Escape 5
settle
click_at 100 "$row"
settle
xdotool mousemove 1150 283 sleep 0.5 click 1
settle
xdotool key ctrl+a type 330
press Return Escape
settle
screenshot "$shots/1-clear-longer.png"
# From above its end is drawn over the battery, where the cable comes to lie on the edge of it.
carry 564 693 500 640
settle
screenshot "$shots/1-clear-dragging.png"
release
settle
press ctrl+s
until_true 30 is_saved || fail "the drag was not saved"
read -r -a over <<<"$(end_of bay.json "$branch")"
# Two pixels are 5 mm here. From above nothing moves up or down.
if ! is_between 200 "${over[0]}" 220 || ! is_between -560 "${over[1]}" -540 || ! is_between 448 "${over[2]}" 449; then
    fail "the end of $branch is at ${over[*]}, not over the battery at 210, -550, 448.6"
fi
# From the front it is pressed down into the battery, which holds it 101 mm above the cursor.
press 1
settle
# The view turns there by and by, on a busy machine with rests between its pictures.
sleep 2
settle
screenshot "$shots/1-clear-front.png"
carry "${front[0]}" "${front[1]}" "${front[0]}" $((front[1] + 74))
settle
screenshot "$shots/1-clear-held.png"
release
settle
screenshot "$shots/1-clear-dragged.png"

# Its route as a file.
press ctrl+e
sleep 0.5
xdotool key ctrl+a
xdotool type --delay 5 bay.stp
press Return
until_true 120 test -s bay.stp || fail "no STEP file was written"
settle
screenshot "$shots/1-clear-exported.png"
press Escape
grep -q '^ISO-10303-21;' bay.stp || fail "that is no STEP file"
# A route of a harness has the name of its cable.
grep -q "'$branch'" bay.stp || fail "$branch is not in the STEP file"

press ctrl+s
until_true 30 is_saved || fail "the bay was not saved"
read -r -a held <<<"$(end_of bay.json "$branch")"
if ! is_between 429 "${held[2]}" 432; then
    fail "the end of $branch is at ${held[*]}: the battery did not hold it, or it was not pressed onto it from ${over[2]}"
fi
grep -Eq '"length": (330|329\.9+|330\.0+[0-9]*),?$' bay.json || fail "the length of 330 mm was not saved"
n_cables=$(grep -c '"basis_length"' bay.json)
((n_cables >= 15)) || fail "only $n_cables cables were made of 15 branches"
"$program" solve bay.json >"$shots/1-clear.txt" || true
n_good=$(grep -c ': converged$' "$shots/1-clear.txt" || true)
((n_good == n_cables)) || fail "$n_good of $n_cables cables are in equilibrium: $shots/1-clear.txt"
sed -n "/\"$branch\"/,/effort/p" "$shots/1-clear.txt" | grep -q battery || fail "$branch does not touch the battery"
echo "window: $n_cables cables, all in equilibrium; $branch of 330 mm is held at ${held[*]} by the battery, and exported"
xdotool key ctrl+q
until_true 20 is_gone || fail "Ctrl+Q did not close the window"
program_pid=""

if [[ -n $is_step ]]; then
    echo "window: all is well; pictures are in $shots"
    exit 0
fi
all_flexible inside.json 2-inside
# The list of what starts inside parts, and the deepest place of its first row.
click_at 92 13
click_at 120 473
settle
screenshot "$shots/2-inside-list.png"
click_at 310 626
settle
screenshot "$shots/2-inside-place.png"
press space
settle
screenshot "$shots/2-inside-running.png"
is_alive || fail "the program ended"
kill "$program_pid"
program_pid=""
echo "window: all is well; pictures are in $shots"
