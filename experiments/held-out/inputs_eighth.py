"""Inputs of kernels of benchmark suites (PolyBench, Parboil), ported as these have them."""
import numpy as np


def absorbing_layers(draw, n):
    fields = {name: draw.random((n, n + 2, n + 4)) for name in ("ex", "ey", "hz", "bza")}
    factors = {name: 1 + draw.random(size) for name, size in (("czm", n), ("czp", n), ("cxmh", n + 4), ("cxph", n + 4), ("cymh", n + 2), ("cyph", n + 2))}
    return {**fields, "ax": draw.random((n, n + 4)), "ry": draw.random((n, n + 2)), **factors, "mui": 2.341, "ch": 0.42, "k": -(-n // 8)}


def symmetric_product(draw, n):
    return {"a": draw.random((n, n)), "b": draw.random((n, n + 5)), "c": draw.random((n, n + 5)), "alpha": 1.5, "beta": 1.2, "k": -(-(n + 5) // 2)}


def gridding(draw, n):
    samples = np.zeros(30_000 if n > 20 else 50, [(name, np.float32) for name in ("re", "im", "x", "y", "z", "sdc")])
    for name in samples.dtype.names:
        samples[name] = draw.integers(0, 1 + 16 * (n - 1 if name in "xyz" else 1), len(samples)) / 16
    return {"samples": samples, "table": np.exp(-np.linspace(0, 4, 1000)).astype(np.float32), "size": n, "cutoff": 3.5, "k": -(-n // 4)}


def durbin(draw, n):
    return {"r": (0.5 + 0.1 * draw.random(n)) / (2 + np.arange(n))}
