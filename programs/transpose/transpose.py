#!/usr/bin/env python3
"""Transpose: b must be the transpose of a exactly."""
import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import common # noqa: E402

OUTPUTS = {"transpose": ["b"]}
CASES = [dict(rows=1, columns=1, k=1, l=1), dict(rows=97, columns=31, k=5, l=7), dict(rows=3, columns=65, k=64, l=64),
         dict(rows=7, columns=7, k=100, l=2)]


def make(rows=4096, columns=4096, k=64, l=64, seed=1):
    return {"a": np.random.default_rng(seed).standard_normal((rows, columns)), "k": k, "l": l}


def check(a, b, **others):
    common.same("b", b, a.T)
    return "b is the transpose of a"


common.main(globals())
