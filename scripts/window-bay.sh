#!/usr/bin/env bash
# Leads a harness of seven branches through the real window, in an engine bay of 50 000 triangles.
#
# usage: scripts/window-bay.sh MESHES FOLDER
#
# MESHES holds bay50k.obj and tree7_fused_a.obj. The harness is put 97 mm clear of the bay, made flexible as a whole,
# dragged, saved and solved; then, without being moved first, it starts inside parts, which the window must list.
# Screenshots go to FOLDER. Exit code: 0 it works, 1 it does not, 2 a tool is missing or the call is wrong.
set -euo pipefail

if (($# != 2)) || [[ ! -f $1/bay50k.obj ]]; then
    echo "usage: scripts/window-bay.sh MESHES FOLDER" >&2
    exit 2
fi
meshes=$(realpath "$1")
mkdir -p "$2"
shots=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
# shellcheck source=scripts/window-lib.sh
. scripts/window-lib.sh
trap stop_all EXIT
trap 'exit 1' INT TERM
need cargo Xvfb xdotool import identify convert

cargo build --release
program=$(realpath "$program")
cd "$work"
start_display
"$program" import "$meshes/bay50k.obj" -o empty.json >/dev/null
echo "{\"command\":\"import\",\"path\":\"$meshes/tree7_fused_a.obj\",\"role\":\"harness\"}" >import.jsonl
echo '{"command":"move_part","part":"harness","position":[350,-600,300]}' >place.jsonl
"$program" apply empty.json import.jsonl -o inside.json >/dev/null
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
    # The button is in the row of the tool's options.
    click_at 717 69
    press Return
    settle
    is_unsaved || fail "$2: flexibilising changed nothing"
    screenshot "$shots/$2-flexible.png"
}

all_flexible bay.json 1-clear
press space
settle
screenshot "$shots/1-clear-running.png"
press ctrl+s
until_true 30 is_saved || fail "the bay was not saved"
n_cables=$(grep -c '"basis_length"' bay.json)
((n_cables >= 15)) || fail "only $n_cables cables were made of 15 branches"
"$program" solve bay.json >"$shots/1-clear.txt" || true
n_good=$(grep -c ': converged$' "$shots/1-clear.txt" || true)
((n_good == n_cables)) || fail "$n_good of $n_cables cables are in equilibrium: $shots/1-clear.txt"
echo "window: $n_cables cables, all in equilibrium, clear of the bay"
xdotool key ctrl+q
until_true 20 is_gone || fail "Ctrl+Q did not close the window"
program_pid=""

all_flexible inside.json 2-inside
press space
settle
screenshot "$shots/2-inside-running.png"
is_alive || fail "the program ended"
kill "$program_pid"
program_pid=""
echo "window: all is well; pictures are in $shots"
