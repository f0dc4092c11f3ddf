#!/usr/bin/env python3
"""Red-black SOR: as many rounds as NumPy's, the same values to 1e-10, and a residual below the tolerance."""
import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import common # noqa: E402

OUTPUTS = {"red-black-sor": ["result"]}
CASES = [dict(edge=3, k=1, l=1), dict(edge=13, k=5, l=4), dict(edge=17, k=32, l=3), dict(edge=8, k=3, l=8, max_rounds=5)]


def make(edge=1000, omega=1.7, tolerance=1e-3, max_rounds=500, k=100, l=1000, seed=1):
    random = np.random.default_rng(seed)
    return {"u": random.random((edge, edge)), "f": random.standard_normal((edge, edge)) / edge**2, "omega": omega,
            "tolerance": tolerance, "max_rounds": max_rounds, "k": k, "l": l}


def residual(u, f):
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1] - f[1:-1, 1:-1]


def states(u, f, omega, tolerance, max_rounds, **others):
    u, rounds, change = u.copy(), 0, tolerance + 1
    rows, columns = np.ogrid[1 : u.shape[0] - 1, 1 : u.shape[1] - 1]
    while change > tolerance and rounds < max_rounds:
        for colour in (0, 1):
            u[1:-1, 1:-1] += np.where((rows + columns) % 2 == colour, omega * 0.25 * residual(u, f), 0)
        rounds, change = rounds + 1, np.max(np.abs(residual(u, f)))
        yield [u]


def check(result, printed=None, **others):
    u, rounds = others["u"], 0
    for rounds, [u] in enumerate(states(**others), 1):
        pass
    if printed:
        common.same("the number of rounds", int(printed[0].split()[0]), rounds)
    return f"after {rounds} rounds agrees with NumPy to {common.close('result', result, u, 1e-10):.1e}"


common.main(globals())
