#!/usr/bin/env python3
"""Largest row sum of absolute values, against NumPy, tolerance 1e-13, and its row exactly."""
import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import common # noqa: E402

OUTPUTS = {"row-sums": []}
CASES = [dict(rows=1, columns=1, k=1), dict(rows=97, columns=31, k=5), dict(rows=7, columns=2101, k=2),
         dict(rows=33, columns=7, k=100)]


def make(rows=4000, columns=4000, k=500, seed=1):
    return {"a": np.random.default_rng(seed).standard_normal((rows, columns)), "k": k}


def check(a, printed, **others):
    largest, row = printed[0].split()
    sums = np.sum(np.abs(a), axis=1)
    error = common.close("the largest row sum", float(largest), np.max(sums), 1e-13)
    common.same("its row", int(row), np.argmax(sums))
    return f"the largest row sum agrees with NumPy's to {error:.1e}"


common.main(globals())
