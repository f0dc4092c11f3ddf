#!/usr/bin/env python3
"""Block LU factorization: l u must be the rows p of a, and nearly LAPACK's factors.

Tolerances: 1e-13 n for l u - a[p] in units of the largest |a|, and 1e-8 against SciPy where it chose the same pivots.
"""
import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import common # noqa: E402

OUTPUTS = {"block-lu": ["lu", "p"]}
CASES = [dict(n=1, b=1, parts=1), dict(n=97, b=5, parts=3), dict(n=31, b=64, parts=2), dict(n=64, b=8, parts=3),
         dict(n=13, b=1, parts=5)]


def make(n=2048, b=96, parts=8, seed=1):
    return {"a": np.random.default_rng(seed).standard_normal((n, n)), "b": b, "parts": parts}


def check(a, lu, p, **others):
    import scipy.linalg
    common.same("the sorted permutation", np.sort(p), np.arange(len(a)))
    product = (np.tril(lu, -1) + np.eye(len(a))) @ np.triu(lu)
    error = common.close("l u", product, a[p], 1e-13 * len(a))
    if np.max(np.abs(np.tril(lu, -1)), initial=0) > 1:
        raise common.Wrong("a multiplier is larger than 1: a pivot was not the largest of its column")
    expected, _ = scipy.linalg.lu_factor(a)
    return f"l u is a[p] to {error:.1e}, factors agree with LAPACK's to {common.close('lu', lu, expected, 1e-8):.1e}"


common.main(globals())
