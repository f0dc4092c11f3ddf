#!/usr/bin/env python3
"""Histogram: the counts must be NumPy's exactly."""
import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import common # noqa: E402

OUTPUTS = {"histogram": ["counts"]}
CASES = [dict(n=1, bins=1, k=1, b=1), dict(n=997, bins=31, k=50, b=5), dict(n=7, bins=64, k=2, b=100)]


def make(n=10_000_000, bins=256, k=500_000, b=64, seed=1):
    values = np.random.default_rng(seed).standard_normal(n)
    return {"values": values, "bins": bins, "low": -2.0, "high": 2.0, "k": k, "b": b}


def check(values, counts, bins, low, high, **others):
    places = np.floor((values - low) / (high - low) * bins).astype(int)
    inside = places[(places >= 0) & (places < bins)]
    common.same("counts", counts, np.bincount(inside, minlength=bins))
    return f"the counts are NumPy's; {len(inside)} of {len(values)} values lie in the bins"


common.main(globals())
