#!/usr/bin/env python3
"""Compares the import of a folder of meshes with a second reader: trimesh.

    scripts/check-import.py LOOMWRIGHT FOLDER

For every mesh of the folder (and every .ply.xz, unpacked to a temporary file) the triangles before cleaning and the
connected pieces must be the same in both. trimesh reads the file without any processing. Its triangles are then
counted; for the pieces, corners of equal coordinates are made one, for files whose triangles share none (STL, and
parts of glTF whose faces have vertices of their own) also those closer than 1e-6 of the size of the part, and
triangles that share a corner are joined by scipy's connected components.
"""

import json
import lzma
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import scipy.sparse
import scipy.spatial
import trimesh

SUFFIXES = {".stl", ".obj", ".glb", ".gltf", ".ply", ".3mf"}


def parts_of(path):
    """Vertices and faces of every part, where it stands; primitives of one glTF node are one part."""
    loaded = trimesh.load(path, process=False, maintain_order=True, group_material=False, split_groups=True)
    if isinstance(loaded, trimesh.Trimesh):
        return [(loaded.vertices, loaded.faces)]
    parts = {}
    for node in loaded.graph.nodes_geometry:
        matrix, name = loaded.graph[node]
        parent = loaded.graph.transforms.parents[node]
        is_primitive = parent != loaded.graph.base_frame
        mesh = loaded.geometry[name]
        vertices = trimesh.transform_points(mesh.vertices, matrix)
        parts.setdefault(parent if is_primitive else node, []).append((vertices, mesh.faces))
    return [joined(pieces) for pieces in parts.values()]


def joined(pieces):
    """Several meshes as one."""
    offsets = np.cumsum([0] + [len(v) for v, _ in pieces])
    faces = [f + offset for (_, f), offset in zip(pieces, offsets)]
    return np.concatenate([v for v, _ in pieces]), np.concatenate(faces)


def pieces_of(vertices, faces):
    """The number of connected pieces."""
    used = np.unique(faces)
    points = np.asarray(vertices)[used]
    faces = np.searchsorted(used, faces)
    _, number = np.unique(points, axis=0, return_inverse=True)
    number = number.ravel()
    # Copies of a corner along a seam differ by rounding: join those on open borders.
    size = np.linalg.norm(points.max(axis=0) - points.min(axis=0))
    largest = np.abs(points).max()
    edges = np.sort(number[faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)], axis=1)
    edges = edges[edges[:, 0] != edges[:, 1]]
    edges, count = np.unique(edges, axis=0, return_counts=True)
    border = np.unique(edges[count == 1])
    n = number.max() + 1
    place = np.zeros((n, 3))
    place[number] = points
    links = [edges]
    if len(border):
        tree = scipy.spatial.cKDTree(place[border])
        near = tree.query_pairs(max(1e-6 * size, 4.8e-7 * largest), output_type="ndarray")
        links.append(border[near])
    links = np.concatenate(links)
    graph = scipy.sparse.coo_matrix((np.ones(len(links)), links.T), shape=(n, n))
    _, label = scipy.sparse.csgraph.connected_components(graph, directed=False)
    # A triangle without area is no piece.
    return len(np.unique(label[np.unique(edges)]))


def expected(path):
    """Triangles and pieces by trimesh."""
    parts = [(v, f) for v, f in parts_of(path) if len(f)]
    return sum(len(f) for _, f in parts), sum(pieces_of(v, f) for v, f in parts)


def found(program, path):
    """Triangles and pieces by our import."""
    run = subprocess.run([program, "--json", "import", path], capture_output=True, text=True)
    if run.returncode:
        return run.stderr.strip()
    parts = json.loads(run.stdout)["files"][0]["parts"]
    reports = [part["report"] for part in parts]
    return sum(r["triangles_read"] for r in reports), sum(r["components"] for r in reports)


def main():
    program, folder = sys.argv[1:]
    n_wrong = n_files = 0
    with tempfile.TemporaryDirectory() as temporary:
        for path in sorted(pathlib.Path(folder).iterdir()):
            if path.name.endswith(".ply.xz"):
                unpacked = pathlib.Path(temporary) / path.stem
                unpacked.write_bytes(lzma.decompress(path.read_bytes()))
                path = unpacked
            if path.suffix.lower() not in SUFFIXES:
                continue
            n_files += 1
            ours, theirs = found(program, path), expected(path)
            if ours != theirs:
                n_wrong += 1
                print(f"{path.name}: {ours}, but trimesh has {theirs} (triangles, pieces)")
    print(f"{n_files} files, {n_wrong} differ from trimesh {trimesh.__version__}")
    sys.exit(1 if n_wrong or not n_files else 0)


if __name__ == "__main__":
    main()
