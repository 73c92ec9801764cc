#!/usr/bin/env bash
# The longer checks: random drags in full, the real window under a virtual display, and the import of a folder of
# meshes. They use a folder ../shared of meshes when it stands beside this repository, and do without it otherwise.
#
#   LOOMWRIGHT_DRAG_STEPS=500 scripts/extra-checks.sh    a shorter run of the drags
set -euo pipefail
cd "$(dirname "$0")/.."
started=$SECONDS
meshes=../shared/data/harness

echo
echo "== random drags"
export LOOMWRIGHT_DRAG_STEPS=${LOOMWRIGHT_DRAG_STEPS:-2000}
if [[ -f $meshes/bay50k.obj ]]; then
  LOOMWRIGHT_DRAG_MESH=$(realpath "$meshes/bay50k.obj")
  export LOOMWRIGHT_DRAG_MESH
else
  echo "(no $meshes/bay50k.obj: only the built-in scenes)"
fi
cargo test --no-default-features --test drag -- --nocapture --test-threads 2
echo "-- random drags took $((SECONDS - started)) s"

started=$SECONDS
echo
echo "== window"
cargo build --release
if [[ -x scripts/window-check.sh ]]; then
  scripts/window-check.sh "${CARGO_TARGET_DIR:-target}/window-check"
else
  echo "(no scripts/window-check.sh)"
fi
echo "-- window took $((SECONDS - started)) s"

started=$SECONDS
echo
echo "== exports read by other software"
scripts/cad-check.sh
echo "-- exports took $((SECONDS - started)) s"

started=$SECONDS
echo
echo "== import"
shopt -s nullglob
files=("$meshes"/*.stl "$meshes"/*.obj)
failed=0
for file in "${files[@]}"; do
  cargo run --quiet --release -- import "$file" >/dev/null || {
    echo "import failed: $file" >&2
    failed=1
  }
done
echo "${#files[@]} files from $meshes"
[[ $failed -eq 0 ]]
echo "-- import took $((SECONDS - started)) s"
