#!/usr/bin/env python3
"""k-means: clusters and rounds must be NumPy's exactly, centres to 1e-10."""
import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import common # noqa: E402

OUTPUTS = {"k-means": ["result", "cluster"]}
CASES = [dict(n=1, dimensions=1, clusters=1, k=1), dict(n=997, dimensions=3, clusters=5, k=100),
         dict(n=97, dimensions=2, clusters=31, k=7), dict(n=31, dimensions=7, clusters=4, k=64, max_rounds=2)]


def make(n=1_000_000, dimensions=4, clusters=16, max_rounds=20, k=50_000, seed=1):
    random = np.random.default_rng(seed)
    middles = 3 * random.standard_normal((clusters, dimensions))
    points = middles[random.integers(clusters, size=n)] + random.standard_normal((n, dimensions))
    return {"points": points, "centres": points[random.integers(n, size=clusters)].copy(), "max_rounds": max_rounds,
            "k": k}


def check(points, centres, result, cluster, max_rounds, printed=None, **others):
    centres, mine, rounds, changes = centres.copy(), np.full(len(points), -1), 0, 1
    while changes > 0 and rounds < max_rounds:
        squares = np.stack([np.sum((points - centre) ** 2, axis=1) for centre in centres], axis=1)
        nearest = np.argmin(squares, axis=1)
        rounds, changes, mine = rounds + 1, np.sum(nearest != mine), nearest
        for c in range(len(centres)):
            if np.any(mine == c):
                centres[c] = np.mean(points[mine == c], axis=0)
    common.same("cluster", cluster, mine)
    if printed:
        common.same("rounds and changes", printed[0], f"{rounds} {changes}")
    return f"{rounds} rounds; centres agree with NumPy's to {common.close('result', result, centres, 1e-10):.1e}"


common.main(globals())
