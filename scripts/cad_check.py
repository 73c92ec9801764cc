#!/usr/bin/env python3
"""Runs cadcheck on every file of expected.json, and says how far each is from what it should be.

usage: cad_check.py DIRECTORY CADCHECK
"""

import contextlib
import importlib.util
import json
import multiprocessing
import os
import re
import sys
import tempfile

directory, cadcheck = sys.argv[1:3]

# Curves as a whole, mm; chains of points and volumes as parts of themselves.
LENGTH_MM = 0.01
CHAIN = 5e-4
VOLUME = 5e-3


def run_cadcheck(arguments):
    """Exit code, report and complaint of cadcheck, run in this process."""
    spec = importlib.util.spec_from_file_location("cadcheck", cadcheck)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    code = 0
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile("w+") as err:
        kept = os.dup(1)
        os.dup2(out.fileno(), 1)
        sys.argv = ["cadcheck", *arguments]
        try:
            with contextlib.redirect_stderr(err):
                module.main()
        except SystemExit as end:
            code = end.code or 0
        os.dup2(kept, 1)
        os.close(kept)
        out.seek(0)
        err.seek(0)
        return code, json.loads(out.read().decode() or "{}"), err.read().strip()


def occ_length(path):
    """Length of all edges by OpenCASCADE's own adaptive rule."""
    from OCP.BRepAdaptor import BRepAdaptor_Curve
    from OCP.GCPnts import GCPnts_AbscissaPoint
    from OCP.IGESControl import IGESControl_Reader
    from OCP.STEPControl import STEPControl_Reader
    from OCP.TopAbs import TopAbs_EDGE
    from OCP.TopExp import TopExp_Explorer
    from OCP.TopoDS import TopoDS

    reader = STEPControl_Reader() if path.endswith(".stp") else IGESControl_Reader()
    reader.ReadFile(path)
    reader.TransferRoots()
    edges = TopExp_Explorer(reader.OneShape(), TopAbs_EDGE)
    total = 0.0
    while edges.More():
        total += GCPnts_AbscissaPoint.Length_s(BRepAdaptor_Curve(TopoDS.Edge_s(edges.Current())), 1e-7)
        edges.Next()
    return total


def length_note(complaint, path, expected):
    """cadcheck sums a C2 curve with 32 points, which is too few for dozens of bends: ask OpenCASCADE itself."""
    if expected["format"] not in ("step", "iges") or not re.search("total length", complaint) or ";" in complaint:
        return None
    length = occ_length(path)
    if abs(length - expected["length"]) > LENGTH_MM * expected["routes"]:
        return None
    return f"cadcheck's 32-point sum misses the length; OpenCASCADE's own is {length:.6f} of {expected['length']:.6f} mm"


def check(expected):
    """All that is wrong with one file, and notes, as text."""
    if expected["format"] == "json":
        return None
    path = os.path.join(directory, expected["file"])
    carries = expected["carries"]
    # Routes of a harness share nodes: with no joining, each stays a chain of its own. Lines and arcs of a route are
    # joined, and no route starts where another ends.
    join = "1e-6" if expected["arcs"] else "0" if expected["routes"] > 1 else "1"
    arguments = [path, "--join", join]
    if carries == "Curve":
        arguments += ["--max-gap", "1e-6", "--max-kink", "0.05"]
        arguments += ["--expect-length", f"{expected['length']!r},{LENGTH_MM * expected['routes']}"]
    if carries == "Solid":
        arguments += ["--expect-solids", str(expected["routes"])]
    code, report, complaint = run_cadcheck(arguments)
    wrong, notes = [], []
    if code:
        note = length_note(complaint, path, expected)
        (notes if note else wrong).append(note or complaint or f"exit code {code}")
    wrong += [f"warning: {w}" for w in report.get("warnings", []) if not expected_warning(w, expected)]
    curves = expected["arcs"] or expected["routes"]
    if carries in ("Curve", "Points") and report.get("curves") != curves:
        wrong.append(f"{report.get('curves')} curves, expected {curves}")
    if expected["arcs"] and len(report.get("chains", [])) != expected["routes"]:
        wrong.append(f"{len(report.get('chains', []))} chains of lines and arcs, expected {expected['routes']}")
    if carries == "Points" and "total_length" in report:
        off = report["total_length"] / expected["length"] - 1
        if abs(off) > CHAIN:
            wrong.append(f"chain off by {off:.2e}")
    if carries == "Solid":
        volume = report.get("volume", 0.0)
        if not report.get("brep_valid") or abs(volume / expected["volume"] - 1) > VOLUME:
            wrong.append(f"valid {report.get('brep_valid')}, volume {volume} of {expected['volume']:.1f}")
    if carries == "Mesh":
        meshes = report.get("meshes", [])
        volume = sum(m["volume"] for m in meshes)
        if not meshes or not all(m["watertight"] and m["winding_ok"] for m in meshes):
            wrong.append("not watertight")
        if abs(volume / expected["volume"] - 1) > VOLUME:
            wrong.append(f"volume {volume:.1f} of {expected['volume']:.1f}")
    names = found_names(report, path, expected)
    wrong += [f"name {n!r} is not among {names}" for n in expected["names"] if n not in names]
    return wrong, notes


def found_names(report, path, expected):
    """The names that came through, where the reader shows them."""
    names = report.get("names", [])
    if expected["format"] == "dxf":
        # ezdxf leaves the code of letters outside of the code page as it is.
        return [re.sub(r"\\U\+([0-9A-F]{4})", lambda m: chr(int(m[1], 16)), n) for n in names]
    if expected["format"] in ("ibl", "obj"):
        # Creo's names are comments; trimesh names every object of a file after the first.
        start = {"ibl": "Begin section ! ", "obj": "o "}[expected["format"]]
        with open(path, encoding="utf-8") as file:
            return [line[len(start):].rstrip("\n") for line in file if line.startswith(start)]
    return names


def expected_warning(warning, expected):
    """R12 has no variable for the unit."""
    return expected["format"] == "dxf-polyline" and re.search("INSUNITS", warning)


def main():
    """Every file in a process of its own, forked after the readers are loaded."""
    import ezdxf
    import trimesh
    from OCP.STEPCAFControl import STEPCAFControl_Reader

    del ezdxf, trimesh, STEPCAFControl_Reader
    with open(os.path.join(directory, "expected.json"), encoding="utf-8") as file:
        everything = json.load(file)
    # Two jobs from one crash: a reader that dies takes its process along, so each file has its own.
    with multiprocessing.get_context("fork").Pool(os.cpu_count(), maxtasksperchild=8) as pool:
        pending = [pool.apply_async(check, (expected,)) for expected in everything]
        results = []
        for job in pending:
            try:
                results.append(job.get(timeout=120))
            except Exception as error:
                results.append(([f"no answer: {error!r}"], []))
    bad = 0
    for expected, result in zip(everything, results):
        wrong, notes = result or ([], [])
        bad += len(wrong)
        for line in wrong + [f"note: {note}" for note in notes]:
            print(f"{expected['file']}: {line}")
    read = sum(1 for result in results if result is not None)
    print(f"{read} files read by other software, {bad} complaints")
    sys.exit(1 if bad else 0)


main()
