#!/usr/bin/env python3
"""Monte Carlo areas: hits and numbers of points must be exactly those of Philox in NumPy, areas to 1e-13 of its.

The area of the shape is 1; the script says how far the estimate is from that.
"""
import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import common # noqa: E402

OUTPUTS = {"monte-carlo": ["hits"], "monte-carlo-extern": ["hits"], "monte-carlo-adaptive": ["points"],
           "monte-carlo-regions": ["rounds"]}
CASES = [dict(grid=1, points=1, k=1, l=1), dict(grid=13, points=7, k=5, l=2), dict(grid=7, points=33, k=100, l=3),
         dict(grid=16, points=20, k=4, l=4)]
ARGUMENTS = {"monte-carlo": ["grid", "points", "seed", "k"], "monte-carlo-extern": ["grid", "points", "seed", "k"],
             "monte-carlo-adaptive": ["grid", "batch", "precision", "max_points", "seed", "k"],
             "monte-carlo-regions": ["grid", "points", "precision", "max_rounds", "seed", "k", "l"]}


def make(grid=256, points=1000, k=32, l=8, precision=0.001, max_rounds=20, seed=2024):
    return {"grid": grid, "points": points, "batch": points, "precision": precision, "max_points": max_rounds * points,
            "max_rounds": max_rounds, "seed": seed, "k": k, "l": l}


def philox(x, y, seed):
    x, y, key, low = np.uint64(x), np.uint64(y), seed, np.uint64(0xFFFFFFFF)
    for _ in range(10):
        product = np.uint64(0xD256D193) * x
        x, y = (product >> np.uint64(32)) ^ np.uint64(key) ^ y, product & low
        key = (key + 0x9E3779B9) & 0xFFFFFFFF
    return x.astype(float), y.astype(float)


def hits_of(grid, trials, seed, rows=None):
    """For each cell (of these rows) and each trial, whether the point is inside."""
    i, j, trial = np.meshgrid(np.arange(grid) if rows is None else rows, np.arange(grid), trials, indexing="ij")
    x, y = philox(trial, i * grid + j, seed)
    right = (j + (x + 0.5) / 2**32) * 2 / grid - 1
    up = (i + (y + 0.5) / 2**32) * 2 / grid - 1
    square = right * right + up * up
    return square * square <= right * right - up * up


def conclusion(area, printed):
    if printed:
        common.close("the area", float(printed[0].split()[0]), area, 1e-13)
    return f"area {area:.6f}, the shape's is 1"


def check_simple(hits, grid, points, seed):
    expected = np.concatenate([hits_of(grid, np.arange(points), seed, [i]).sum(axis=2) for i in range(grid)])
    common.same("hits", hits, expected)
    return 4 * expected.sum() / (grid * grid * points)


def check_adaptive(points, grid, batch, precision, max_points, seed):
    expected, area = np.zeros_like(points), 0.0
    for i in range(grid):
        found = hits_of(grid, np.arange(max_points), seed, [i])[0].cumsum(axis=1)[:, batch - 1 :: batch]
        taken = np.arange(1, found.shape[1] + 1) * batch
        share = found / taken
        done = ~(share * (1 - share) > precision * precision * taken) | (taken >= max_points)
        first = np.argmax(done, axis=1)
        expected[i] = taken[first]
        area += np.take_along_axis(share, first[:, None], axis=1).sum()
    common.same("points", points, expected)
    return 4 * area / grid**2


def check_regions(rounds, grid, points, precision, max_rounds, seed, k):
    area, expected = 0.0, np.zeros_like(rounds)
    for m, n in np.ndindex(*rounds.shape):
        if n == 0:
            found = hits_of(grid, np.arange(points * max_rounds), seed, np.arange(m * k, min(grid, (m + 1) * k)))
        region = found[:, n * k : (n + 1) * k]
        estimate, change, here = 0.0, precision + 1, 0
        while change > precision and here < max_rounds:
            here, old = here + 1, estimate
            estimate = region[:, :, : here * points].sum() / (here * points)
            change = abs(estimate - old) / (region.shape[0] * region.shape[1])
        area, expected[m, n] = area + estimate, here
    common.same("rounds", rounds, expected)
    return 4 * area / grid**2


def check(grid, seed, printed=None, **others):
    if "hits" in others:
        return conclusion(check_simple(others["hits"], grid, others["points"], seed), printed)
    if "rounds" in others:
        names = ("rounds", "points", "precision", "max_rounds", "k")
        return conclusion(check_regions(grid=grid, seed=seed, **{name: others[name] for name in names}), printed)
    names = ("points", "batch", "precision", "max_points")
    return conclusion(check_adaptive(grid=grid, seed=seed, **{name: others[name] for name in names}), printed)


common.main(globals())
