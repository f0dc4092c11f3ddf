#!/usr/bin/env python3
"""Heat in a solid: against NumPy, tolerance 1e-12 of the highest temperature."""
import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import common # noqa: E402

OUTPUTS = {"heat-3d": ["result"]}
CASES = [dict(edge=1, height=1, steps=2, k=1, l=1, m=1, p=1), dict(edge=13, height=7, steps=7, k=5, l=4, m=3, p=2),
         dict(edge=9, height=17, steps=5, k=3, l=9, m=17, p=3), dict(edge=5, height=3, steps=1, k=100, l=2, m=1, p=1)]


def make(edge=200, height=200, steps=40, k=50, l=200, m=200, p=2, rate=0.1, seed=1):
    return {"solid": 100 * np.random.default_rng(seed).random((edge, edge + 2, height)), "steps": steps, "rate": rate,
            "k": k, "l": l, "m": m, "p": p}


def states(solid, steps, rate, **others):
    u = solid.copy()
    for _ in range(steps):
        inner = u[1:-1, 1:-1, 1:-1]
        around = (u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1] + u[1:-1, :-2, 1:-1] + u[1:-1, 2:, 1:-1]
                  + u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:])
        u[1:-1, 1:-1, 1:-1] = inner + rate * (around - 6 * inner)
        yield [u]


def check(solid, result, **others):
    u = solid
    for [u] in states(solid, **others):
        pass
    return f"temperatures agree with NumPy's to {common.close('result', result, u, 1e-12):.1e}"


common.main(globals())
