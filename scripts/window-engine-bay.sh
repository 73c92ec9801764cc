# shellcheck shell=bash
# The three uses on the demo of the first start, by mouse and keyboard. Sourced by window-check.sh.

cd "$work"

# cable_on_row Y: where an orange cable crosses a row of the window.
cable_on_row() {
    local box
    screenshot "$work/now.png"
    box=$(convert "$work/now.png" -crop "768x9+$view_left+$(($1 - 4))" +repage -alpha off -fuzz 12% -fill black +opaque '#d96924' \
        -format '%@' info:)
    [[ $box =~ ^([0-9]+)x[0-9]+\+([0-9]+) ]] || fail "no cable in row $1: $box"
    echo $((view_left + BASH_REMATCH[2] + BASH_REMATCH[1] / 2))
}

start_program open --demo engine-bay
check_shot e1-start ""

# Use 2, first what is flexible already: a handle of the strap comes down, the other is laid onto the battery.
carry 642 455 655 520
screenshot "$shots/e2-dragging.png"
release
check_shot e2-dragged e1-start
xdotool mousemove 797 343 sleep 0.4 mousedown 1 sleep 0.2 keydown ctrl
for at in "795 360" "790 390" "785 420" "780 440" "775 445"; do
    # shellcheck disable=SC2086
    xdotool mousemove $at sleep 0.15
done
sleep 1
screenshot "$shots/e3-snapped.png"
release
xdotool keyup ctrl
settle

# Use 1: the second branch of the harness becomes flexible.
click_at 80 654
press x
settle
click_at 556 378
check_shot e4-chosen e2-dragged
press Return
settle
check_shot e5-flexible e4-chosen
press space
settle
carry 617 401 590 330
screenshot "$shots/e6-branch.png"
release
settle

# Use 3: its length, then the way to CAD.
click_at 110 162
xdotool mousemove 1150 283 sleep 0.5 click 1 sleep 0.6 key ctrl+a type 340
press Return
check_shot e7-longer e5-flexible
press ctrl+e
sleep 0.5
xdotool key ctrl+a
xdotool type --delay 5 bay.stp
press Return
until_true 90 test -s bay.stp || fail "the engine bay: no STEP file was written"
settle
check_shot e8-exported ""
press Escape

# A cable is grabbed anywhere once it is selected. Two pixels are a click, more is a soft handle; Esc takes all of it back,
# Enter keeps the handle.
at=$(cable_on_row 490)
click_at "$at" 490
# What is under the mouse is lit: it rests beside everything for pictures that are compared.
xdotool mousemove 620 715
settle
screenshot "$shots/e9-selected.png"
carry "$at" 490 $((at + 2)) 491
release
carry "$at" 490 $((at - 50)) 440
screenshot "$shots/e9-grabbed.png"
(($(n_different e9-selected e9-grabbed) > 500)) || fail "a grabbed cable does not follow the mouse"
press Escape
release
xdotool mousemove 620 715
settle
screenshot "$shots/e9-back.png"
check_same e9-back e9-selected
carry "$at" 490 $((at - 50)) 440
press Return
release
settle
screenshot "$shots/e9-kept.png"

press F12
sleep 1.5
xdotool key ctrl+a
xdotool type --delay 5 shot.png
press Return
until_true 30 test -s shot.png || fail "F12 saved no picture"
[[ $(identify -format '%wx%h' shot.png) == "${window_width}x${window_height}" ]] || fail "the picture has another size"
press ctrl+shift+s
sleep 1.5
xdotool key ctrl+a
xdotool type --delay 5 bay.json
press Return
until_true 20 is_saved || fail "the engine bay was not saved"
[[ -f .bay.json.lock ]] || fail "no lock beside the open scene"
grep -q '"length": 340' bay.json || fail "the length of 340 mm was not saved"
# 320 mm is the top of the battery; the cable of 4 mm lies on it.
grep -Eq '32(4\.[56]|4\.60)' bay.json || fail "the handle was not laid onto the battery"
# Of the two that were grabbed, only the one that was kept is a handle.
(($(grep -c '"at":' bay.json) == 1)) || fail "a grab must leave one handle: $(grep -c '"at":' bay.json)"
grep -q '"kind": "position"' bay.json || fail "the handle that was kept is not one that holds a place"
xdotool key ctrl+q
until_true 20 is_gone || fail "Ctrl+Q did not close the window after the engine bay"
program_pid=""
[[ ! -f .bay.json.lock ]] || fail "the lock was left behind"
said "engine bay: laid onto the battery, a branch of 340 mm exported, grabbed and kept, picture taken"
cd - >/dev/null
