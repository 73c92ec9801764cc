#!/usr/bin/env bash
# Reads exports of ours with software that is not ours: OpenCASCADE, ezdxf, trimesh, and strict parsers.
#
# Needs a folder ../shared with tools/cadcheck.py and tools/setup-cadcheck beside this repository; without it there
# is nothing to do. The Python environment is made once, in the target directory.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=../shared/tools
if [[ ! -f $tools/cadcheck.py ]]; then
  echo "(no $tools/cadcheck.py: exports are checked by our own readers only)"
  exit 0
fi
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
environment=${LOOMWRIGHT_CADCHECK:-$target/cadcheck}
[[ -x $environment/bin/python ]] || bash "$tools/setup-cadcheck" "$environment"
files=$target/exports
rm -rf "$files"
LOOMWRIGHT_EXPORT_DIR=$files cargo test --quiet --features gui-tests --test exchange for_other_software >/dev/null
"$environment/bin/python" scripts/fit_check.py "$files/random-routes.json"
"$environment/bin/python" scripts/cad_check.py "$files" "$(realpath "$tools/cadcheck.py")"
