#!/usr/bin/env python3
"""Compares our control points with scipy's splprep at the same measured deviation, on random routes.

usage: fit_check.py ROUTES.json    (written by the test `random_routes_for_other_software`)
"""

import json
import sys

import numpy as np
from scipy.interpolate import BSpline, splev, splprep


def deviation(points, tangents, u, fitted):
    """Largest distance across the curve at the nodes."""
    off = np.array(splev(u, fitted)).T - points
    along = np.sum(off * tangents, axis=1)[:, None] * tangents
    return np.max(np.linalg.norm(off - along, axis=1))


def fewest(points, u, tangents, limit):
    """Control points of the sparsest splprep (k = 3) within the limit, over its smoothing factor."""
    best = None
    low, high = 1e-12, 1e3
    for _ in range(40):
        s = np.sqrt(low * high)
        fitted, _ = splprep(points.T, u=u, k=3, s=s)
        if deviation(points, tangents, u, fitted) <= limit:
            count = len(fitted[1][0])
            best = count if best is None else min(best, count)
            low = s
        else:
            high = s
    return best


ratios = []
with open(sys.argv[1], encoding="utf-8") as file:
    routes = json.load(file)
for route in routes:
    points = np.array(route["nodes"])
    u = np.array(route["at"])
    ours = BSpline(np.array(route["knots"]), np.array(route["control_points"]), 3)
    tangents = ours(u, 1)
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    off = ours(u) - points
    off -= np.sum(off * tangents, axis=1)[:, None] * tangents
    measured = np.max(np.linalg.norm(off, axis=1))
    theirs = fewest(points, u, tangents, max(measured, 1e-9))
    ratios.append(len(route["control_points"]) / theirs)
ratios.sort()
print(f"{len(ratios)} routes: control points over splprep's: median {ratios[len(ratios) // 2]:.2f}, largest {ratios[-1]:.2f}")
sys.exit(0 if ratios[-1] <= 1.2 else 1)
