#!/usr/bin/env bash
# The checks that every change must pass: format, lints, tests with and without the window, documentation. They need
# no display, no GPU and nothing outside this repository.
set -euo pipefail
cd "$(dirname "$0")/.."

# step NAME COMMAND...: says what runs, runs it, says how long it took.
step() {
  local name=$1 started=$SECONDS
  shift
  echo
  echo "== $name: $*"
  "$@"
  echo "-- $name took $((SECONDS - started)) s"
}

step "format" cargo fmt --all --check
step "lints" cargo clippy --all-targets --features gui-tests -- -D warnings
# The README's test command.
step "tests" cargo test --features gui-tests
# The headless tool stands alone: without the window and without what only tests need.
step "headless build" cargo build --no-default-features
# The same code was tested above; here only what the missing feature can change: the library, the program, the old bugs.
step "headless tests" cargo test --no-default-features --lib --bins --test cli --test regressions --test no_alloc
# The features of the lints: then the dependencies are not checked a second time.
step "documentation" env RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --features gui-tests
