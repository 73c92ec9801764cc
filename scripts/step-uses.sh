#!/usr/bin/env bash
# The three uses on STEP files, on the command line: a harness in a bay is made flexible and dragged, a branch gets
# another length, and the routes are exported, verified and read back as a harness.
#
# usage: scripts/step-uses.sh PROGRAM FOLDER
#
# FOLDER holds bay50k.stp and tree7_fused_a.stp. Exit code: 0 it works, 1 it does not.
set -euo pipefail
program=$(realpath "$1")
folder=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "step-uses: $*" >&2
    exit 1
}

# good_or_findings COMMAND...: what is open about a route is exit code 1, and no failure of the program.
good_or_findings() {
    "$@" 2>>warnings.txt || (($? == 1)) || fail "$*"
}

"$program" import "$folder/bay50k.stp" -o bay.json >/dev/null || fail "the bay is not read without a fault"
cat >place.jsonl <<LINES
{"command":"import","path":"$folder/tree7_fused_a.stp","role":"harness"}
{"command":"move_part","part":"harness","position":[350,-600,300]}
LINES
"$program" apply bay.json place.jsonl -o placed.json >/dev/null
good_or_findings "$program" flexibilise placed.json --part harness -o flexible.json >flexible.txt
n_cables=$(grep -c '^cable ' flexible.txt)
((n_cables == 15)) || fail "$n_cables cables were made of 15 branches"
cat >edit.jsonl <<'LINES'
{"command":"set_length","cable":"harness B15","length":120}
LINES
"$program" apply flexible.json edit.jsonl -o longer.json >/dev/null
good_or_findings "$program" solve longer.json -o solved.json >solved.txt
n_good=$(grep -c ': converged$' solved.txt || true)
((n_good == n_cables)) || fail "$n_good of $n_cables cables are in equilibrium"
good_or_findings "$program" export solved.json --format step -o routes.stp >export.txt
grep -q 'File matches route' export.txt || fail "the export failed its check"
good_or_findings "$program" verify routes.stp >verify.txt
good_or_findings "$program" import-routes routes.stp --scene bay.json -o back.json >back.txt
[[ $(grep -c '^cable ' back.txt) == "$n_cables" ]] || fail "other routes came back"
n_junctions=$(python3 -c 'import json; print(len(json.load(open("flexible.json"))["junctions"]))')
[[ $(grep -c '^junction ' back.txt) == "$n_junctions" ]] || fail "other junctions came back"
# Pressed together a little where it is too long for its way.
grep -Eq '^cable harness B15: (119\.9|120\.0)' back.txt || fail "harness B15 is not 120 mm long: $(grep B15 back.txt)"
echo "step-uses: $n_cables cables of two STEP files made flexible, solved, exported, verified and read back as a harness"
