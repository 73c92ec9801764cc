#!/usr/bin/env python3
"""Imports every file of a folder of curves as routes and compares with its truth.json.

    check-curves.py LOOMWRIGHT FOLDER

truth.json names each file with the total length of its curves in mm and, where there are any, the names.
A file is right when the program ends with 0, the lengths of the routes together are within 0.01 mm and 1e-6 of the
truth, and every name is the name of a route, or begins one of several. Exit code 1 when a file is wrong.
"""

import json
import pathlib
import subprocess
import sys
import tempfile


def judge(program, path, truth, scratch):
    """What is wrong with a file; empty when nothing is."""
    command = [program, "import-routes", str(path), "-o", scratch, "--json", "--diameter", "4"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if run.returncode != 0:
        words = (run.stderr or run.stdout).strip().splitlines()
        return f"exit code {run.returncode}: {words[-1][:200] if words else ''}"
    routes = json.loads(run.stdout)["cables"]
    length = sum(route["length"] for route in routes)
    off = length - truth["length"]
    if abs(off) > min(0.01, 1e-6 * truth["length"]):
        return f"{length:.6f} mm in {len(routes)} routes, {off:+.6f} off"
    names = [route["name"] for route in routes]
    for name in truth.get("names", []):
        if not any(found.startswith(name) for found in names):
            return f"no route {name} in {names}"
    return ""


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    truths = json.loads((folder / "truth.json").read_text())
    wrong = 0
    with tempfile.TemporaryDirectory() as directory:
        scratch = str(pathlib.Path(directory) / "routes.scene.json")
        for name, truth in sorted(truths.items()):
            said = judge(program, folder / name, truth, scratch)
            if said:
                wrong += 1
                print(f"{name}: {said}")
    print(f"{len(truths) - wrong} of {len(truths)} files of curves are right")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
