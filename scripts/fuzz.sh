#!/usr/bin/env bash
# Mutated files over all readers, the scene and the commands, with one gigabyte of address space.
#
#   LOOMWRIGHT_FUZZ=10000 scripts/fuzz.sh
set -euo pipefail
cd "$(dirname "$0")/.."
export LOOMWRIGHT_FUZZ=${LOOMWRIGHT_FUZZ:-10000}
program=$(cargo test --no-default-features --test fuzz --no-run 2>&1 | sed -n 's/.*(\(.*fuzz-[0-9a-f]*\))$/\1/p')
ulimit -v 1048576
"$program" --nocapture --test-threads 1
