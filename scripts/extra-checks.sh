#!/usr/bin/env bash
# The longer checks: random drags in full, random edits of the topology, the real window under a virtual display, the
# package, and the import of a folder of meshes. They use a folder ../shared of meshes when it stands beside this
# repository, and do without it otherwise.
#
#   LOOMWRIGHT_DRAG_STEPS=500 scripts/extra-checks.sh    a shorter run of the drags
set -euo pipefail
cd "$(dirname "$0")/.."
started=$SECONDS
meshes=../shared/data/harness

echo
echo "== release build"
# In many units, which takes half the time on two cores; what people get is compiled in one (Cargo.toml), from the same code.
# No test with it: that would bring 56 more dependencies into this build.
cargo build --config profile.release.package.loomwright.codegen-units=16 --release --bins
# The scripts below take the program as it is.
export LOOMWRIGHT_BUILT=1
echo "-- release build took $((SECONDS - started)) s"

started=$SECONDS
echo
echo "== random drags"
export LOOMWRIGHT_DRAG_STEPS=${LOOMWRIGHT_DRAG_STEPS:-2000}
if [[ -f $meshes/bay50k.obj ]]; then
  LOOMWRIGHT_DRAG_MESH=$(realpath "$meshes/bay50k.obj")
  export LOOMWRIGHT_DRAG_MESH
else
  echo "(no $meshes/bay50k.obj: only the built-in scenes)"
fi
# As the other tests, which are optimised and assert more than the release does; scripts/check.sh has built it already.
cargo test --features gui-tests --test drag -- --nocapture --test-threads 2
# Bundles and harnesses with free junctions take more time a frame.
LOOMWRIGHT_DRAG_STEPS=$((LOOMWRIGHT_DRAG_STEPS / 10)) \
  cargo test --features gui-tests --test cables --test harness -- random_drags drag_of --nocapture --test-threads 2
echo "-- random drags took $((SECONDS - started)) s"

started=$SECONDS
echo
echo "== random edits of the topology"
# The suite has 2,000 of another seed.
LOOMWRIGHT_TOPOLOGY_EDITS=20000 LOOMWRIGHT_SEED=1 cargo test --features gui-tests --lib \
  random_edits_of_the_topology -- --nocapture
echo "-- random edits took $((SECONDS - started)) s"

started=$SECONDS
echo
echo "== window"
# Two at a time, each on a display of its own: they wait most of the time. What each prints comes when both are done.
target=${CARGO_TARGET_DIR:-target}
first_windows() {
  scripts/window-check.sh "$target/window-check" || return
  scripts/window-unit.sh "$target/window-unit" || return
  if [[ -f $meshes/bay50k.obj ]]; then
    scripts/window-bay.sh "$meshes" "$target/window-bay"
  fi
}
second_windows() {
  scripts/window-tools.sh "$target/window-tools" || return
  scripts/window-tasks.sh "$target/window-tasks" || return
  if [[ -f ../shared/data/step/made/bay50k.stp ]]; then
    scripts/window-bay.sh ../shared/data/step/made "$target/window-step"
  fi
}
windows_failed=0
first_windows >"$target/windows-1.log" 2>&1 &
first=$!
second_windows >"$target/windows-2.log" 2>&1 || windows_failed=1
wait "$first" || windows_failed=1
cat "$target/windows-1.log" "$target/windows-2.log"
[[ $windows_failed -eq 0 ]]
if [[ -f $meshes/bay50k.obj ]]; then
  LOOMWRIGHT_BAY=$(realpath "$meshes/bay50k.obj") \
    cargo test --features gui-tests --test gui the_holes_of_a_bay -- --nocapture
fi
echo "-- window took $((SECONDS - started)) s"

started=$SECONDS
echo
echo "== package"
scripts/package-check.sh
echo "-- package took $((SECONDS - started)) s"

started=$SECONDS
echo
echo "== exports read by other software"
scripts/cad-check.sh
echo "-- exports took $((SECONDS - started)) s"

started=$SECONDS
echo
echo "== import"
if [[ -d $meshes ]]; then
  target=${CARGO_TARGET_DIR:-target}
  # The second reader is trimesh: that of the system, or in an environment of its own.
  python=python3
  if ! $python -c "import trimesh, scipy" 2>/dev/null; then
    python=$target/cadcheck/bin/python
    if ! $python -c "import trimesh, scipy" 2>/dev/null; then
      ../shared/tools/setup-cadcheck "$target/cadcheck"
    fi
  fi
  "$python" scripts/check-import.py "$target/release/loomwright" "$meshes"
  # Time and memory of the largest ones.
  unpacked=$(mktemp -d)
  trap 'rm -rf "$unpacked"' EXIT
  for name in bay1m big_tree_a; do
    "$python" -c 'import lzma, sys; sys.stdout.buffer.write(lzma.open(sys.argv[1]).read())' \
      "$meshes/$name.ply.xz" >"$unpacked/$name.ply"
  done
  LOOMWRIGHT_IMPORT_FILES="$unpacked/bay1m.ply:$unpacked/big_tree_a.ply" \
    cargo test --features gui-tests --test import measure -- --nocapture | grep "s of CPU"
else
  echo "(no $meshes)"
fi
echo "-- import took $((SECONDS - started)) s"

started=$SECONDS
echo
echo "== STEP"
if [[ -d ../shared/data/step ]]; then
  python3 scripts/check-step.py "${CARGO_TARGET_DIR:-target}/release/loomwright" ../shared/data/step
  scripts/step-uses.sh "${CARGO_TARGET_DIR:-target}/release/loomwright" ../shared/data/step/made
else
  echo "(no ../shared/data/step)"
fi
echo "-- STEP took $((SECONDS - started)) s"

started=$SECONDS
echo
echo "== curves of other programs"
curves=../shared/data/curves
if [[ -f $curves/truth.json ]]; then
  python3 scripts/check-curves.py "${CARGO_TARGET_DIR:-target}/release/loomwright" "$curves"
else
  echo "(no $curves)"
fi
echo "-- curves took $((SECONDS - started)) s"

started=$SECONDS
echo
echo "== centerlines"
score=../shared/tools/score_centerline.py
python=${LOOMWRIGHT_PYTHON:-python3}
# Where the system's Python has no numpy, the environment of the export check has.
if ! "$python" -c 'import numpy, scipy' 2>/dev/null; then
  python=${CARGO_TARGET_DIR:-target}/cadcheck/bin/python
fi
if [[ -f $score ]] && "$python" -c 'import numpy, scipy' 2>/dev/null; then
  results=$(mktemp -d)
  failed=0
  n_cases=0
  for truth in "$meshes"/*.truth.json; do
    name=$(basename "$truth" .truth.json)
    for file in "$meshes/$name".{stl,obj,ply,glb} "$meshes/$name.ply.xz"; do
      [[ -f $file ]] || continue
      if [[ $file == *.xz ]]; then
        xz -dc "$file" >"$results/$name.ply"
        file=$results/$name.ply
      fi
      n_cases=$((n_cases + 1))
      "${CARGO_TARGET_DIR:-target}/release/loomwright" extract "$file" -o "$results/graph.json" >/dev/null 2>&1 || true
      "$python" "$score" "$truth" "$results/graph.json" >"$results/score.json" || {
        echo "centerline of $(basename "$file"): $(cat "$results/score.json")" >&2
        failed=1
      }
      rm -f "$results/graph.json"
    done
  done
  rm -r "$results"
  echo "$n_cases files from $meshes"
  [[ $failed -eq 0 ]]
else
  echo "(no $score, or no numpy and scipy for it)"
fi
echo "-- centerlines took $((SECONDS - started)) s"
