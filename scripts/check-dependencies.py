#!/usr/bin/env python3
"""Licences, bans and sources of the dependencies, by deny.toml: what cargo-deny asks, in a second.

cargo-deny takes longer to build than all our lints, so the checks of a change ask here; it asks the same of the
same file, for the platform it runs on. Exit code 1 when something is not allowed.

    python3 scripts/check-dependencies.py
"""

import json
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"


def is_allowed(expression: str, allowed: set[str]) -> bool:
    """Whether an SPDX expression can be met: AND binds tighter than OR, a slash is an old OR."""
    tokens = re.findall(r"\(|\)|[^\s()/]+|/", expression)
    place = 0

    def peek() -> str | None:
        return tokens[place] if place < len(tokens) else None

    def take() -> str:
        nonlocal place
        place += 1
        return tokens[place - 1]

    def either() -> bool:
        value = both()
        while peek() in ("OR", "/"):
            take()
            value = both() or value
        return value

    def both() -> bool:
        value = one()
        while peek() == "AND":
            take()
            value = one() and value
        return value

    def one() -> bool:
        name = take()
        if name == "(":
            value = either()
            take()
            return value
        if peek() == "WITH":
            take()
            name = f"{name} WITH {take()}"
        return name in allowed

    return either()


def host() -> str:
    """The platform that this runs on, as rustc calls it."""
    text = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    return next(line.split()[1] for line in text.splitlines() if line.startswith("host:"))


def main() -> int:
    rules = tomllib.loads((ROOT / "deny.toml").read_text())
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    command += ["--filter-platform", host()]
    text = subprocess.run(command, check=True, capture_output=True, cwd=ROOT).stdout
    metadata = json.loads(text)
    used = {node["id"] for node in metadata["resolve"]["nodes"]}
    packages = [p for p in metadata["packages"] if p["id"] in used]
    allowed = set(rules["licenses"]["allow"])
    banned = {rule["crate"]: rule["reason"] for rule in rules["bans"]["deny"]}
    wrong = []
    for package in packages:
        name = f"{package['name']} {package['version']}"
        if not is_allowed(package["license"] or "none", allowed):
            wrong.append(f"{name}: its licence is {package['license']}, which deny.toml does not allow")
        if package["name"] in banned:
            wrong.append(f"{name} is banned: {banned[package['name']]}")
        if package["source"] not in (None, CRATES_IO):
            wrong.append(f"{name} comes from {package['source']}, not from crates.io")
        wildcards = [d["name"] for d in package["dependencies"] if d["req"] == "*"]
        if package["source"] is None and wildcards:
            wrong.append(f"{name} takes any version of {', '.join(wildcards)}")
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{len(packages)} packages, {len(wrong)} not allowed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
