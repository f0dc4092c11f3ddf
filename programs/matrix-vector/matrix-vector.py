#!/usr/bin/env python3
"""Matrix-vector products: y = a x, against NumPy, tolerance 1e-12 of the largest |a| |x|."""
import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import common # noqa: E402

OUTPUTS = {"matrix-vector-rows": ["y"], "matrix-vector-columns": ["y"]}
CASES = [dict(rows=1, columns=1, k=1), dict(rows=7, columns=97, k=5), dict(rows=97, columns=13, k=4),
         dict(rows=33, columns=2, k=100)]


def make(rows=4000, columns=4000, k=500, seed=1):
    random = np.random.default_rng(seed)
    return {"a": random.standard_normal((rows, columns)), "x": random.standard_normal(columns), "k": k}


def check(a, x, y, **others):
    common.close("y", y / np.max(np.abs(a) @ np.abs(x)), a @ x / np.max(np.abs(a) @ np.abs(x)), 1e-12)
    return f"y agrees with NumPy's to {common.close('y', y, a @ x, np.inf):.1e}"


common.main(globals())
