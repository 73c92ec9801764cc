#!/usr/bin/env bash
# The checks that every change must pass: format, licences, lints, tests with and without the window, examples, the
# crate, documentation. They need no display, no GPU and nothing outside this repository.
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
# Licences, bans and sources of the dependencies, by deny.toml.
step "dependencies" python3 scripts/check-dependencies.py
step "lints" cargo clippy --all-targets --features gui-tests -- -D warnings
# The README's test command.
step "tests" cargo test --features gui-tests
# The tests have built the examples already.
examples() {
  local example
  for example in solve centerline drag length export; do
    cargo run --quiet --profile test --features gui-tests --example "$example" >/dev/null || {
      echo "example $example failed" >&2
      return 1
    }
  done
}
step "examples" examples
# The headless tool stands alone: without the window and without what only tests need.
step "headless build" cargo check --no-default-features
# The same code was tested above; here only what the missing feature can change: the verbs, each once. Not optimised, which
# compiles in a quarter of the time.
long=(check contact docs drag extract hard_edges saving simulate study verify)
step "headless tests" cargo test --profile dev --no-default-features --test cli -- "${long[@]/#/--skip=}"
# The crate can be packed; what it needs was downloaded above.
crate() {
  cargo package --no-verify --allow-dirty --offline --quiet || cargo package --no-verify --allow-dirty --quiet
}
step "crate" crate
# The features of the lints: then the dependencies are not checked a second time.
step "documentation" env RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --features gui-tests
