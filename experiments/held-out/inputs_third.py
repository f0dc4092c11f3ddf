"""Inputs of the kernels of a third hand: arrays and numbers for a size, by which words of the command line they are."""
import math

import numpy as np


def bicgstab(draw, n):
    return {"f": draw.normal(size=(n, n + 7)), "wind": 2 * draw.random((n, n + 7)), "limit": 1e-9, "k": -(-n // 4)}


def jacobi_svd(draw, n):
    """Turns of a tournament in which each row meets each other one once."""
    n += n % 2
    ring = list(range(1, n))
    turns = [[0] + ring[t:] + ring[:t] for t in range(n - 1)]
    pairs = np.array([[(order[p], order[n - 1 - p]) for p in range(n // 2)] for order in turns], np.int32)
    return {"a": draw.normal(size=(n, n + n // 2)), "left": pairs[..., 0].copy(), "right": pairs[..., 1].copy(), "sweeps": 10 if n > 60 else 7, "k": -(-n // 16), "l": -(-n // 8)}


def level_solve(draw, n):
    """Rows in groups that need rows of earlier groups, in a random order of levels."""
    groups = 60 if n > 1000 else 7
    ends = np.concatenate(([0, n // groups], np.sort(draw.choice(np.arange(n // groups + 1, n), groups - 2, replace=False)), [n]))
    counts = draw.integers(2, 9, n)
    counts[:ends[1]] = 0
    starts = np.concatenate(([0], np.cumsum(counts)))
    columns, level = np.zeros(starts[-1], np.int32), np.zeros(n, np.int32)
    for begin, end in zip(ends[1:-1], ends[2:]):
        some = slice(starts[begin], starts[end])
        columns[some] = draw.integers(0, begin, starts[end] - starts[begin])
        level[begin:end] = 1 + np.maximum.reduceat(level[columns[some]], starts[begin:end] - starts[begin])
    order = np.argsort(level, kind="stable").astype(np.int32)
    first = np.searchsorted(level[order], np.arange(level.max() + 2)).astype(np.int32)
    return {"starts": starts.astype(np.int32), "columns": columns, "values": draw.normal(size=starts[-1]) / 4, "diagonal": 1 + draw.random(n), "order": order,
            "first": first, "b": draw.random((n, 4)), "block": 64, "parts": 8}


def pivoted_cholesky(draw, n):
    point = np.zeros(n, np.dtype([(axis, float) for axis in "xyz"]))
    for axis in "xyz":
        point[axis] = draw.random(n)
    return {"point": point, "rank": 80 if n > 1000 else 11, "width": 0.05, "k": -(-n // 8)}


def longstaff_schwartz(draw, n):
    return {"z": draw.normal(size=(50 if n > 1000 else 9, n)).astype(np.float32), "spot": 36.0, "strike": 40.0, "rate": 0.06, "volatility": 0.2, "years": 1.0,
            "k": -(-n // 8)}


def implied_volatility(draw, n):
    quote = np.zeros(n, np.dtype([(name, float) for name in ("spot", "strike", "years", "price")] + [("call", bool)]))
    spot, years, call, sigma, rate = 90 + 20 * draw.random(n), 0.5 + draw.random(n), draw.random(n) < 0.5, 0.2 + 0.4 * draw.random(n), 0.03
    strike = spot * (0.85 + 0.35 * draw.random(n))
    normal = np.vectorize(lambda x: 0.5 * math.erfc(-x / math.sqrt(2)))
    d = (np.log(spot / strike) + (rate + sigma ** 2 / 2) * years) / (sigma * np.sqrt(years))
    worth = spot * normal(d) - strike * np.exp(-rate * years) * normal(d - sigma * np.sqrt(years))
    quote["spot"], quote["strike"], quote["years"], quote["call"] = spot, strike, years, call
    quote["price"] = np.where(call, worth, worth - spot + strike * np.exp(-rate * years))
    quote["price"][::97] = 2 * quote["spot"][::97]
    return {"quote": quote, "rate": rate, "k": -(-n // 8)}


def phase_folding(draw, n):
    time = np.sort(1000 * draw.random(n))
    return {"time": time, "light": 10 + np.sin(2 * np.pi * 1.25 * time) + 0.4 * draw.normal(size=n), "trials": 4 * n + 1, "lowest": 0.5, "step": 0.0002,
            "k": -(-n // 2), "l": -(-n // 3)}


def pair_counts(draw, n):
    galaxy = np.zeros(n, np.dtype([(name, float) for name in ("x", "y", "z", "weight")]))
    for name in galaxy.dtype.names:
        galaxy[name] = draw.random(n)
    return {"galaxy": galaxy, "bins": 20, "farthest": 0.3, "k": 100 if n > 1000 else 10}


def eikonal(draw, n):
    shape = (n, n, n + 5)
    return {"slowness": (0.5 + draw.random(shape)).astype(np.float32), "cavity": draw.random(shape) < 0.2, "x": n // 2, "y": n // 3, "z": 2, "k": -(-n // 4)}


def ice_sheet(draw, n):
    row, column = np.mgrid[:n, :n + 7]
    far = np.hypot(row - n / 2, column - n / 2) / (0.4 * n)
    return {"start": 3 * np.sqrt(np.maximum(1 - far, 0)), "bed": draw.random((n, n + 7)), "snow": 0.02 * (0.8 - far) + 0.01 * draw.random((n, n + 7)), "rounds": 20,
            "softness": 0.002, "step": 0.2, "p": 3, "q": 2}


def fock_matrix(draw, n):
    def even(a):
        return a + np.swapaxes(a, 0, 1)
    return {"integral": draw.random((n, n, n, n)), "core": even(draw.normal(size=(n, n))), "density": even(draw.random((n, n))) / n, "rounds": 8 if n > 20 else 3, "mix": 0.3, "k": -(-n // 8)}


def robertson(draw, n):
    cell = np.zeros(n, np.dtype([("y", float, 3), ("heat", float)]))
    cell["y"][:, 0], cell["heat"] = 1, 0.5 + draw.random(n)
    return {"start": cell, "steps": 60 if n > 60 else 20, "first_step": 1e-5, "k": -(-n // 8)}


def logistic(draw, n):
    x = draw.normal(size=(n, 13))
    return {"x": x, "yes": draw.random(n) < 1 / (1 + np.exp(-x @ draw.normal(size=13))), "ridge": 1e-3, "limit": 1e-6, "k": -(-n // 8)}


def kendall(draw, n):
    x = draw.integers(0, 1000, n, np.int32)
    return {"x": x, "y": (x // 2 + draw.integers(0, 700, n)).astype(np.int32), "p": 7}


def vlasov(draw, n):
    length, fastest = 4 * np.pi, 6.0
    speed = ((np.arange(n) + 0.5) * 2 / n - 1) * fastest
    place = np.arange(n + 7) * length / (n + 7)
    start = np.exp(-speed[:, None] ** 2 / 2) / np.sqrt(2 * np.pi) * (1 + 0.3 * np.cos(0.5 * place))
    return {"start": start * (1 + 0.01 * draw.random(start.shape)), "rounds": 10, "fastest": fastest, "length": length, "step": 0.2, "k": -(-n // 8), "l": -(-(n + 7) // 4)}


def chebyshev_moments(draw, n):
    start = np.zeros((n, n + 7))
    start[1:-1, 1:-1] = draw.choice([-1.0, 1.0], (n - 2, n + 5)) / np.sqrt((n - 2) * (n + 5))
    return {"start": start, "level": 2 * draw.random((n, n + 7)) - 1, "half": 40 if n > 60 else 9, "scale": 5.5, "k": -(-n // 4)}
