# shellcheck shell=bash
# The way of a harness through the real window, by mouse and keyboard. Sourced by window-check.sh.

# Files are named as a user in their folder does.
cd "$work"

# A tube of 400 mm along X, 6 mm in radius, 24 sides, as an OBJ file; and a block below its end.
awk 'BEGIN {
    n = 24; rings = 80; print "o harness"
    for (r = 0; r <= rings; r++) for (k = 0; k < n; k++) {
        a = 6.2831853 * k / n
        printf "v %.6f %.6f %.6f\n", 400 * r / rings, 6 * cos(a), 300 + 6 * sin(a)
    }
    for (r = 0; r < rings; r++) for (k = 0; k < n; k++) {
        i = r * n + k + 1; j = r * n + (k + 1) % n + 1
        print "f", i, j, i + n; print "f", j, j + n, i + n
    }
    last = rings * n
    for (k = 2; k < n; k++) { print "f", 1, k + 1, k; print "f", last + 1, last + k, last + k + 1 }
}' >"$work/harness.obj"
awk 'BEGIN {
    print "o block"
    for (i = 0; i < 8; i++) print "v", (i % 2 ? 500 : 250), (int(i / 2) % 2 ? 80 : -80), (i >= 4 ? 200 : 100)
    print "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6"
}' >"$work/block.obj"

# import_path PATH: the dialog of the system is not there, so a path is typed; Enter takes the import as it is.
import_path() {
    press ctrl+o
    sleep 1.5
    xdotool type --delay 5 "$1"
    press Return Return
    settle
}

start_window open harness.obj
until_true 30 is_still || fail "the harness was not drawn"
press 1 f
check_shot h1-harness ""
press x
settle
click_at 620 425
press Return
settle
until_true 20 is_unsaved || fail "flexibilising changed nothing"
check_shot h2-flexible h1-harness
import_path block.obj
press 1 f
check_shot h3-block h2-flexible
# Runs, and drags the end handle straight down onto the block: 400 mm between the handles, both at z = 300.
press Escape space
settle
# The view fits harness and block, so that the ends of the cable are where they always are; pixel() counts z from 440.
origin_x=289
scale=1.31
origin_y=$(awk -v s="$scale" 'BEGIN { printf "%d", 289 - 140 * s }')
grab 400 300
glide 390 260
glide 370 150
settle
screenshot "$shots/h4-held.png"
release
settle
check_shot h4-released h3-block

# The length, in the inspector of the cable: click the cable in the tree first.
press Escape
click_at 100 162
check_shot h5-selected ""
xdotool mousemove 1150 283 sleep 0.5 click 1 sleep 0.6 key ctrl+a type 430
press Return
settle
check_shot h6-longer h4-released

press ctrl+e
sleep 0.5
check_shot h7-export ""
routes=routes.stp
xdotool key ctrl+a
xdotool type --delay 5 "$routes"
press Return
until_true 90 test -s "$routes" || fail "no STEP file was written"
settle
check_shot h8-exported ""
grep -q '^ISO-10303-21;' "$routes" || fail "that is no STEP file"
press Escape

press ctrl+shift+s
sleep 1.5
xdotool key ctrl+a
xdotool type --delay 5 harness.json
press Return
until_true 20 is_saved || fail "the harness was not saved"
"$program" solve harness.json >"$shots/h9-report.txt" || true
grep -Eq '430' "$shots/h9-report.txt" || fail "the length of 430 mm was not saved: $(cat "$shots/h9-report.txt")"
xdotool key ctrl+q
until_true 20 is_gone || fail "Ctrl+Q did not close the window after the harness"
program_pid=""
cd - >/dev/null
