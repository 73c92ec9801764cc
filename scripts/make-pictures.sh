#!/usr/bin/env bash
# Makes the pictures of docs/images anew from the real window.
#
# usage: scripts/make-pictures.sh [FOLDER]
#
# centerline/*.svg are the drawings of docs/theory/centerline.md,
# bay-01.png to bay-07.png are the steps of docs/guide/engine-bay.md, harness-01.png to harness-05.png those of
# docs/guide/harness.md, hose-01.png to hose-03.png those of docs/guide/supplier-hose.md, drag.png is a still, drag-01.png to drag-06.png the steps of docs/guide/first-drag.md, drag.gif all of it in motion,
# unit.gif is README's moving picture, unit-01.png to unit-03.png are those of docs/guide/rewire.md.
set -euo pipefail

cd "$(dirname "$0")/.."
images=${1:-docs/images}
mkdir -p "$images"
# shellcheck source=scripts/window-lib.sh
. scripts/window-lib.sh
prepare
mkdir -p "$images/centerline"
for case in tee star4 ribbon coarse6; do
    "$program" extract "tests/fixtures/harness/${case}_a.stl" --picture "$images/centerline/$case.svg" >/dev/null
done
mkdir "$work/film"
n_shots=0

# shoot: one picture of the film.
shoot() {
    screenshot "$work/film/$(printf '%04d' "$n_shots").png"
    n_shots=$((n_shots + 1))
}

# Finds the end handle, the rightmost thing of the cable's colour, and the scale: the handles are 560 mm apart along X.
find_handle() {
    local box width height left top
    screenshot "$work/now.png"
    convert "$work/now.png" -alpha off -fuzz 12% -fill black +opaque '#d96924' "$work/cable.png"
    convert "$work/cable.png" -fill black -draw 'rectangle 0,0 270,800' -draw 'rectangle 1000,0 1280,800' \
        "$work/cable.png"
    box=$(convert "$work/cable.png" -format '%@' info:)
    [[ $box =~ ^([0-9]+)x[0-9]+\+([0-9]+)\+[0-9]+$ ]] || fail "no cable: $box"
    width=${BASH_REMATCH[1]} left=${BASH_REMATCH[2]}
    convert "$work/cable.png" -fill black -draw "rectangle 0,0 $((left + width - 17)),800" "$work/ball.png"
    box=$(convert "$work/ball.png" -format '%@' info:)
    [[ $box =~ ^[0-9]+x([0-9]+)\+[0-9]+\+([0-9]+)$ ]] || fail "no handle: $box"
    height=${BASH_REMATCH[1]} top=${BASH_REMATCH[2]}
    x=560 z=440
    handle_u=$((left + width - 9))
    handle_v=$((top + height / 2))
    scale=$(awk -v w="$width" 'BEGIN { print (w - 17) / (560 * 0.8944) }')
}

# place X Z: where a point of the plane y = 0 is. The first view of that demo has X to (0.8944, 0.2491), Z to (0, 0.8305).
place() {
    awk -v x="$1" -v z="$2" -v s="$scale" -v u="$handle_u" -v v="$handle_v" 'BEGIN {
        printf "%d %d", u + (x - 560) * s * 0.8944 + 0.5, v - ((x - 560) * s * 0.2491 + (z - 440) * s * 0.8305) + 0.5 }'
}

# pull X Z N: drags the handle there by its X or Z arrow, in N steps with a picture each.
pull() {
    local grip at to i n=$3
    read -r -a at <<<"$(place "$x" "$z")"
    read -r -a to <<<"$(place "$1" "$2")"
    # The arrows are 58 pixels long when seen from the side; this is well out on them.
    if [[ $1 == "$x" ]]; then grip=(0 -43); else grip=(47 -13); fi
    xdotool mousemove $((at[0] + grip[0])) $((at[1] + grip[1])) sleep 0.3
    shoot
    xdotool mousedown 1 sleep 0.1
    for ((i = 1; i <= n; i++)); do
        xdotool mousemove $((at[0] + grip[0] + (to[0] - at[0]) * i / n)) \
            $((at[1] + grip[1] + (to[1] - at[1]) * i / n)) sleep 0.15
        shoot
    done
    x=$1 z=$2
}

# still NAME: waits for the best picture, while the handle is in hand or not.
still() {
    settle
    screenshot "$images/$1.png"
    shoot
}

start_display
start_program open --demo drag
settle
find_handle
still drag-01
xdotool mousemove "$handle_u" "$handle_v" sleep 0.3 click 1 sleep 0.3
still drag-02
pull 560 200 12
still drag-03
pull 560 120 5
release
pull 560 600 14
still drag-04
release
pull 720 600 8
release
pull 720 430 9
still drag-05
release
xdotool mousemove 640 700 sleep 0.3
still drag-06

# The film, smaller and with few colours; the last picture stays a while.
convert -delay 9 "$work"/film/*.png -resize 640x400 -set delay 9 \( +clone -set delay 200 \) \
    +dither -colors 48 -layers optimize "$work/drag.gif"
# Once more: what the first colours made alike needs fewer bytes.
convert "$work/drag.gif" -coalesce +dither -colors 40 -layers optimize "$images/drag.gif"

# The still: a longer cable that lies in the pocket and over the sheet.
click_at 100 162
xdotool mousemove 1150 283 sleep 0.5 click 1 sleep 0.6 key ctrl+a type 1300
xdotool key Return sleep 2
xdotool mousemove 640 720 click 1 sleep 0.3
settle
screenshot "$images/drag.png"

# README's moving picture and those of docs/guide/rewire.md.
scripts/window-unit.sh "$work/unit" "$images/unit.gif"
number=1
for shot in 3-lifted 5-let-go 6-free; do
    cp "$work/unit/$shot.png" "$images/unit-0$number.png"
    number=$((number + 1))
done

# The pictures of docs/guide/harness.md are those of the check.
scripts/window-check.sh "$work/check"
number=1
for shot in h1-harness h2-flexible h4-held h6-longer h8-exported; do
    cp "$work/check/$shot.png" "$images/harness-0$number.png"
    number=$((number + 1))
done

number=1
for shot in e1-start e2-dragging e3-snapped e4-chosen e5-flexible e7-longer e8-exported; do
    cp "$work/check/$shot.png" "$images/bay-0$number.png"
    number=$((number + 1))
done

# The pictures of docs/guide/supplier-hose.md are those of the tasks.
LOOMWRIGHT_TASKS="1 2" scripts/window-tasks.sh "$work/tasks"
cp "$work/tasks/t2-3-shortest.png" "$images/hose-01.png"
cp "$work/tasks/t2-1-between.png" "$images/hose-02.png"
cp "$work/tasks/t1-2-updated.png" "$images/hose-03.png"

convert "$images/drag.png" -format '%wx%h\n' info:
ls -l "$images"
(($(wc -c <"$images/drag.gif") < 1500000)) || fail "drag.gif is too large"
