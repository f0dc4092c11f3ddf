#!/usr/bin/env python3
"""Forward substitution: x against SciPy's, tolerance 1e-10 (the matrices are well conditioned)."""
import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import common # noqa: E402

OUTPUTS = {"triangular-solve": ["x"]}
CASES = [dict(n=1, s=1, parts=1), dict(n=97, s=5, parts=3), dict(n=31, s=1, parts=7), dict(n=7, s=64, parts=2)]


def make(n=6000, s=64, parts=8, seed=1):
    random = np.random.default_rng(seed)
    l = np.tril(random.standard_normal((n, n)) / n) + 2 * np.eye(n)
    return {"l": l, "b": random.standard_normal(n), "s": s, "parts": parts}


def check(l, b, x, **others):
    import scipy.linalg
    return f"x agrees with SciPy's to {common.close('x', x, scipy.linalg.solve_triangular(l, b, lower=True), 1e-10):.1e}"


common.main(globals())
