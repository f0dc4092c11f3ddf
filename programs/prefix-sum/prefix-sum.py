#!/usr/bin/env python3
"""Prefix sum, against NumPy's cumsum, tolerance 1e-12 of the sum of absolute values."""
import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import common # noqa: E402

OUTPUTS = {"prefix-sum": ["sums"]}
CASES = [dict(n=1, k=1), dict(n=97, k=5), dict(n=7, k=1), dict(n=31, k=100), dict(n=3001, k=750)]


def make(n=10_000_000, k=100_000, seed=1):
    return {"values": np.random.default_rng(seed).standard_normal(n), "k": k}


def check(values, sums, **others):
    scale = np.sum(np.abs(values))
    common.close("sums", np.append(sums / scale, 1), np.append(np.cumsum(values) / scale, 1), 1e-12)
    return f"sums agree with NumPy's to {common.close('sums', sums, np.cumsum(values), np.inf):.1e}"


common.main(globals())
