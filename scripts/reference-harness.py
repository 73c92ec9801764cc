"""References for harnesses with free junctions, by a minimiser that knows nothing of the program's solver.

Three planar elastic rods without stretch meet in a rigid junction that finds its own place under gravity. Unknown are the
angles of all edges, and place and angle of the junction; the energy of bending and weight is minimised under the
condition that every rod ends at its anchor: Newton's method on the conditions of Lagrange, dense, the second derivatives
by differences. Three grids show the order, and the finest two are extrapolated. tests/harness/reference.rs has the result.

    python3 scripts/reference-harness.py
"""

import numpy as np

G = 9.81
BENDING = 5.0e3  # N mm^2
MASS = 1.0  # kg/m
SLACK = 1.03
ANCHORS = np.array([[-250.0, 80.0], [240.0, 120.0], [30.0, 230.0]])  # x, z in mm


def problem(n):
    ways = np.linalg.norm(ANCHORS, axis=1)
    lengths = SLACK * ways / n
    at_ends = np.arctan2(ANCHORS[:, 1], ANCHORS[:, 0])
    weight = 1e-3 * MASS * G * lengths  # N of an edge

    def split(u):
        return u[:2], u[2], u[3:].reshape(3, n)

    def energy(u):
        place, turn, angles = split(u)
        total = 0.0
        grad = np.zeros_like(u)
        rest = grad[3:].reshape(3, n)
        for k in range(3):
            a, l = angles[k], lengths[k]
            # Joints between edges, and half joints at both clamps. Bend is 2 tan(angle / 2): the angle to third order.
            start = turn + at_ends[k]
            before = np.concatenate(([start], a))
            after = np.concatenate((a, [at_ends[k]]))
            step = np.full(n + 1, l)
            step[0] = step[-1] = 0.5 * l
            bend = 2.0 * np.tan(0.5 * (after - before))
            total += np.sum(0.5 * BENDING * bend**2 / step)
            d = BENDING * bend / step * (1.0 + 0.25 * bend**2)
            rest[k] += d[:-1] - d[1:]
            grad[2] -= d[0]
            # Nodes carry half of the weight of their edges; height of node i is that of the junction and all edges before.
            z = place[1] + np.concatenate(([0.0], np.cumsum(l * np.sin(a))))
            w = np.full(n + 1, weight[k])
            w[0] = w[-1] = 0.5 * weight[k]
            total += w @ z
            grad[1] += np.sum(w)
            behind = np.cumsum(w[::-1])[::-1][1:]
            rest[k] += behind * l * np.cos(a)
        return total, grad

    def closure(u):
        place, _, angles = split(u)
        c, s = np.cos(angles), np.sin(angles)
        out = np.empty(6)
        jac = np.zeros((6, len(u)))
        for k in range(3):
            out[2 * k] = place[0] + lengths[k] * c[k].sum() - ANCHORS[k, 0]
            out[2 * k + 1] = place[1] + lengths[k] * s[k].sum() - ANCHORS[k, 1]
            jac[2 * k, 0] = jac[2 * k + 1, 1] = 1.0
            own = slice(3 + k * n, 3 + (k + 1) * n)
            jac[2 * k, own] = -lengths[k] * s[k]
            jac[2 * k + 1, own] = lengths[k] * c[k]
        return out, jac

    # A sagging guess: each rod first looks down, then up.
    guess = np.zeros(3 + 3 * n)
    for k in range(3):
        x = (np.arange(n) + 0.5) / n
        down = -np.sign(np.cos(at_ends[k])) * 0.4 * np.cos(np.pi * x)
        guess[3 + k * n : 3 + (k + 1) * n] = at_ends[k] + down
    return guess, energy, closure


def minimise(n):
    """Place and angle of the junction, what is left of the conditions, and the least curvature along the constraints: the
    rest is a minimum where that is positive."""
    u, energy, closure = problem(n)
    m = 6
    multipliers = np.zeros(m)

    def conditions(u, lam):
        _, g = energy(u)
        c, jac = closure(u)
        return np.concatenate((g + jac.T @ lam, c)), jac

    for _ in range(400):
        f, jac = conditions(u, multipliers)
        if np.linalg.norm(f) < 1e-9:
            break
        h = np.empty((len(u), len(u)))
        for i in range(len(u)):
            step = np.zeros_like(u)
            step[i] = 1e-6
            up, _ = conditions(u + step, multipliers)
            down, _ = conditions(u - step, multipliers)
            h[:, i] = (up[: len(u)] - down[: len(u)]) / 2e-6
        h = 0.5 * (h + h.T)
        # Positive on the tangent of the constraints, so that it goes to a minimum and not to a saddle.
        q, _ = np.linalg.qr(jac.T, mode="complete")
        tangent = q[:, m:]
        reduced = tangent.T @ h @ tangent
        least = np.linalg.eigvalsh(reduced)[0]
        if least < 1e-6:
            h += (1e-3 - least) * np.eye(len(u))
        matrix = np.block([[h, jac.T], [jac, np.zeros((m, m))]])
        d = np.linalg.solve(matrix, -f)
        alpha = min(1.0, 0.3 / np.abs(d[3 : len(u)]).max())
        while alpha > 1e-6:
            then, _ = conditions(u + alpha * d[: len(u)], multipliers + alpha * d[len(u) :])
            if np.linalg.norm(then) < (1 + 0.5) * np.linalg.norm(f):
                break
            alpha *= 0.5
        u = u + alpha * d[: len(u)]
        multipliers = multipliers + alpha * d[len(u) :]
    f, _ = conditions(u, multipliers)
    return u[:3], np.linalg.norm(f), least


if __name__ == "__main__":
    found = {}
    for n in (24, 48, 96):
        found[n], residual, least = minimise(n)
        print(n, found[n], "residual %.1e, softest %.3e" % (residual, least))
    fine = found[96] + (found[96] - found[48]) / 3.0
    print("extrapolated: x, z in mm and angle", fine)
    print("from the grids before:", found[48] + (found[48] - found[24]) / 3.0)
