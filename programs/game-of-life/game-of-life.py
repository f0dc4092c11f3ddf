#!/usr/bin/env python3
"""Game of life: the board must equal NumPy's exactly, and so must its population."""
import os
import sys

import numpy as np

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import common # noqa: E402

OUTPUTS = {"game-of-life": ["result"]}
CASES = [dict(rows=1, columns=1, generations=2, k=1, l=1, p=1), dict(rows=31, columns=17, generations=7, k=5, l=4, p=3),
         dict(rows=13, columns=65, generations=6, k=64, l=16, p=2), dict(rows=7, columns=7, generations=0, k=2, l=2, p=1)]


def make(rows=2048, columns=2048, generations=100, k=256, l=2048, p=4, seed=1):
    alive = np.random.default_rng(seed).random((rows, columns)) < 0.35
    return {"board": np.where(alive, b"#", b".").astype("S1"), "generations": generations, "k": k, "l": l, "p": p}


def check(board, result, generations, printed=None, **others):
    alive = board == b"#"
    for _ in range(generations if min(board.shape) > 2 else 0):
        rows, columns = board.shape
        cells = alive.astype(np.int8)
        around = sum(cells[i : rows - 2 + i, j : columns - 2 + j] for i in range(3) for j in range(3))
        alive[1:-1, 1:-1] = (around == 3) | (alive[1:-1, 1:-1] & (around == 4))
    common.same("result", result, np.where(alive, b"#", b".").astype("S1"))
    if printed:
        common.same("the population", int(printed[0]), np.sum(alive))
    return f"the board is NumPy's after {generations} generations"


common.main(globals())
