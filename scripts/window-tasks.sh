#!/usr/bin/env bash
# Three tasks of an engineer in the real window, each in at most 25 mouse actions, counted as they are made.
#
# usage: scripts/window-tasks.sh FOLDER
#
# 1. A bracket moved in a new revision of the parts: update, see what that did to its cable, give it another length, delete
#    the part that is gone, check, save.
# 2. A new hose of a supplier's length: fittings, bend limit on the inside, shortest length, lock, check, save.
# 3. A control unit is pulled out for service: it stops, the cable that is too short is named, a click adds the length;
#    then it goes back into its place.
#
# What is saved is held against facts. LOOMWRIGHT_TASKS="2 3" plays some of them. Screenshots go to FOLDER.
# Exit code: 0 all done, 1 not, 2 a tool is missing or the call is wrong.
set -euo pipefail

if (($# != 1)); then
    echo "usage: scripts/window-tasks.sh FOLDER" >&2
    exit 2
fi
mkdir -p "$1"
shots=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
# shellcheck source=scripts/window-lib.sh
. scripts/window-lib.sh
prepare

most_actions=25
n_actions=0
green='#2b7a4b'
amber='#9a6200'
red='#b32d2d'

# seen: a number for what the window shows.
seen() {
    screenshot "$work/now.png"
    identify -format '%#' "$work/now.png"
}

is_other_than() {
    [[ $(seen) != "$1" ]]
}

# press_and_see KEYS...: keys that must change the picture, then waits until it rests.
press_and_see() {
    local before
    before=$(seen)
    xdotool key "$@"
    until_true 60 is_other_than "$before" || fail "$* changed nothing"
    settle
}

# hit X Y: one action of the mouse, a click that must change the picture.
hit() {
    local before
    n_actions=$((n_actions + 1))
    xdotool mousemove "$1" "$2"
    settle
    before=$(seen)
    xdotool click 1
    until_true 60 is_other_than "$before" || fail "a click at $1, $2 changed nothing"
    settle
}

# type_into X Y TEXT: a click into a field, and what is typed there.
type_into() {
    hit "$1" "$2"
    xdotool key ctrl+a
    xdotool type --delay 20 "$3"
    settle
    press_and_see Return
}

# drag_it U V U2 V2: drags, one action; the button stays down until the caller releases it.
drag_it() {
    n_actions=$((n_actions + 1))
    xdotool mousemove "$1" "$2"
    settle
    carry "$1" "$2" "$3" "$4"
    settle
}

# Looks at the whole scene from the corner; the view turns there by and by.
look_from_the_corner() {
    press 7 f
    settle
    settle
}

# shot NAME: waits for the best picture and keeps it.
shot() {
    settle
    screenshot "$shots/$1.png"
}

# status_is COLOUR: whether the dot of the status line has that colour.
status_is() {
    local n
    screenshot "$work/now.png"
    n=$(convert "$work/now.png" -crop 16x16+7+752 +repage -alpha off -fuzz 8% -fill black +opaque "$1" \
        -fill white -opaque "$1" -format '%[fx:int(mean*w*h+0.5)]' info:)
    ((n > 30))
}

# expect COLOUR WHAT: waits for the colour of the status line.
expect() {
    until_true 60 status_is "$1" || fail "the status is not $1: $2"
    settle
}

# open_scene ARGS...: opens it, and waits until it is at rest.
open_scene() {
    start_window open "$@"
    expect "$green" "the scene as it opens"
}

# save_as NAME: by keyboard.
save_as() {
    press_and_see ctrl+shift+s
    xdotool key ctrl+a
    xdotool type --delay 10 "$1"
    settle
    xdotool key Return
    until_true 60 is_saved || fail "$1 was not saved"
}

# done_with TASK: says how many actions it took, and closes the window.
done_with() {
    ((n_actions <= most_actions)) || fail "$1: $n_actions mouse actions, at most $most_actions"
    echo "window: $1: $n_actions mouse actions"
    n_actions=0
    xdotool key ctrl+q
    until_true 60 is_gone || fail "$1: Ctrl+Q did not close the window"
    program_pid=""
    # Each task starts as the first time.
    rm -rf "$XDG_CONFIG_HOME"
}

# length_of CABLE FILE: from seat to seat, as the book of lengths has it, in whole mm.
length_of() {
    "$program" lengths "$2" --csv | awk -F, -v cable="$1" '$2 == cable { printf "%.0f", $3 }'
}

# is_good FILE: whether the check of the command line finds no error.
is_good() {
    "$program" check "$1" >"$work/findings.txt" || fail "$1: $(cat "$work/findings.txt")"
}

# number_after FILE NAME KEY: the first list of numbers under a key behind a line with the name.
number_after() {
    awk -v name="$2" -v key="\"$3\"" 'index($0, name) { found = 1 }
        found && index($0, key) { sub(/.*: */, ""); gsub(/[^0-9eE.,+-]/, ""); sub(/,$/, ""); print; exit }' "$1"
}

# A bracket moved ----------------------------------------------------------------------------------------------------

# The engine bay with the strap between bracket and battery, and a new revision of its parts as one file: the bracket is
# 60 mm to the left and 40 mm up, the alternator is gone.
make_revision() {
    local file
    "$program" demo engine-bay -o bay >/dev/null
    cat >attach.jsonl <<'COMMANDS'
{"command":"move_handle","cable":"ground strap","handle":"start","position":[210,-60,396],"rotation":[1,0,0,0]}
{"command":"move_handle","cable":"ground strap","handle":"end","position":[315,150,326],"rotation":[0,1,0,0]}
{"command":"change_handle","cable":"ground strap","handle":"start","attached_to":"bracket"}
{"command":"change_handle","cable":"ground strap","handle":"end","attached_to":"battery"}
{"command":"set_length","cable":"ground strap","length":380}
{"command":"change_cable","cable":"ground strap","bend_limit":{"at_rest":{"diameters":8}}}
COMMANDS
    "$program" apply bay/engine-bay.scene.json attach.jsonl -o bay/attached.json >/dev/null
    for file in bay/*.obj; do
        [[ $file == *alternator* ]] || awk -v name="$(basename "$file" .obj)" '/^#/ { next }
            $1 == "g" || $1 == "o" { print "o", name; next }
            $1 == "v" && name == "bracket" { print "v", $2 - 60, $3, $4 + 40; next } { print }' "$file"
    done | awk '$1 == "o" { base += n; n = 0 } $1 == "v" { n++ }
        $1 == "f" { for (i = 2; i <= NF; i++) { split($i, c, "/"); $i = c[1] + base } } { print }' >revision-b.obj
}

task_1() {
    make_revision
    open_scene bay/attached.json
    look_from_the_corner
    expect "$green" "the strap before the update"
    shot t1-1-before
    # File > Update parts from file ..., and its path.
    hit 18 13
    hit 88 140
    xdotool type --delay 20 revision-b.obj
    settle
    press_and_see Return
    until_true 60 is_unsaved || fail "the update changed nothing"
    # The bend is too sharp now.
    expect "$red" "the strap is too short after the update"
    shot t1-2-updated
    # The cable of the table, its shortest length, taken.
    hit 276 615
    hit 1071 435
    shot t1-3-shortest
    hit 1067 556
    expect "$green" "the strap with its new length"
    # What is gone from the file goes from the scene; then the findings.
    hit 398 646
    shot t1-4-rerouted
    hit 845 518
    hit 263 572
    expect "$green" "the checked scene"
    shot t1-5-checked
    save_as t1.json
    done_with "a bracket moved"
    is_good t1.json
    number_after t1.json '"ground strap"' position |
        awk -F, '{ exit !(($1 - 150)^2 + ($2 + 60)^2 + ($3 - 436)^2 < 1e-6) }' ||
        fail "the fixing on the bracket is at $(number_after t1.json '"ground strap"' position)"
    [[ $(length_of "ground strap" t1.json) == 410 ]] || fail "the strap is $(length_of "ground strap" t1.json) mm long"
    ! grep -q '"alternator"' t1.json || fail "the alternator is still there"
}

# A hose of a supplier's length --------------------------------------------------------------------------------------

task_2() {
    local length
    open_scene --demo engine-bay
    look_from_the_corner
    # New cable: 24 mm, fittings of 30 mm, EPDM, 750 mm from seat to seat.
    hit 622 42
    type_into 339 111 24
    type_into 625 111 30
    hit 815 111
    hit 818 302
    hit 394 111
    type_into 487 111 750
    # From the battery to the engine block.
    hit 776 449
    xdotool mousemove 640 470 sleep 0.3 mousemove 552 460
    shot t2-1-between
    hit 551 460
    expect "$green" "the new hose"
    shot t2-2-made
    # Its name; bend limit: 4 D, on the inside.
    type_into 1185 149 "coolant line"
    type_into 1145 577 4
    hit 1180 655
    hit 1174 711
    # Unlocked, the shortest length is looked for and taken, and locked again.
    hit 1027 407
    hit 1073 434
    shot t2-3-shortest
    hit 1067 555
    hit 1027 408
    expect "$green" "the hose with its new length"
    # View > Plots, contacts and log; Findings; Check.
    hit 92 13
    hit 167 473
    hit 845 518
    hit 263 572
    shot t2-4-checked
    save_as t2.json
    done_with "a hose of a supplier's length"
    is_good t2.json
    length=$(length_of "coolant line" t2.json)
    ((length % 5 == 0 && length < 750)) || fail "the hose is $length mm long"
    "$program" solve t2.json | grep -q 'mm inside' || fail "the bend radius is not measured inside"
    # It is locked, and the next shorter one would be bent too sharply.
    echo "{\"command\":\"set_length\",\"cable\":\"coolant line\",\"length\":$((length - 5))}" >shorter.jsonl
    ! "$program" apply t2.json shorter.jsonl -o t2-shorter.json >/dev/null 2>&1 || fail "the length is not locked"
    {
        echo '{"command":"change_cable","cable":"coolant line","length_locked":false}'
        cat shorter.jsonl
    } >unlocked.jsonl
    "$program" apply t2.json unlocked.jsonl -o t2-shorter.json >/dev/null
    ! "$program" check t2-shorter.json >/dev/null || fail "$((length - 5)) mm are enough"
    echo "window: the hose is $length mm long, and $((length - 5)) mm are too few"
}

# A control unit for service -----------------------------------------------------------------------------------------

task_3() {
    open_scene --demo control-unit
    settle
    # Selected, and lifted out of its tray by the upright arrow.
    hit 470 400
    drag_it 468 390 468 250
    expect "$amber" "the ground cable holds the unit"
    shot t3-1-held
    release
    settle
    shot t3-2-short
    # The label gives the ground cable what it lacks, and the unit goes on.
    hit 634 320
    expect "$green" "the unit is out"
    shot t3-3-out
    save_as out.json
    # Back into its place.
    hit 1097 600
    expect "$green" "the unit is back"
    shot t3-4-back
    save_as t3.json
    done_with "a control unit pulled out"
    "$program" solve out.json >"$work/solved.txt" || fail "$(cat "$work/solved.txt")"
    (($(length_of GND t3.json) > 236)) || fail "GND is $(length_of GND t3.json) mm long"
    is_good t3.json
}

start_display
cd "$work"
for task in ${LOOMWRIGHT_TASKS:-1 2 3}; do
    "task_$task"
done
echo "window: all is well; pictures are in $shots"
