"""Inputs of the first kernels: arrays and numbers for a size, by which words of the command line they are."""
import numpy as np


def smith_waterman(draw, n):
    return {"a": draw.integers(0, 4, n, np.int32), "b": draw.integers(0, 4, n + n // 5, np.int32), "k": -(-(n + 1) // 2)}


def convolution(draw, n):
    return {"image": draw.random((n, n + 7), np.float32), "weight": draw.random((5, 5), np.float32), "k": -(-n // 8)}


def sparse_product(draw, n):
    lengths = draw.integers(0, 60, n)
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    return {"values": draw.random(starts[-1]), "columns": draw.integers(0, n, starts[-1], np.int32), "starts": starts,
            "x": draw.random(n), "rounds": 10, "k": -(-n // 16)}


def floyd_warshall(draw, n):
    return {"graph": (1 + draw.random((n, n), np.float32)) ** 8, "b": -(-n // 2)}


def jacobi_3d(draw, n):
    return {"start": draw.random((n, n, n + 5)), "f": draw.random((n, n, n + 5)), "rounds": 20, "k": -(-n // 2)}


def batched_products(draw, n):
    return {"a": draw.random((n, 8, 8)), "b": draw.random((n, 8, 8)), "k": -(-n // 8)}


def histogram_2d(draw, n):
    return {"x": draw.random(n), "y": draw.random(n), "cells": 100, "k": -(-n // 2), "b": 50}


def black_scholes(draw, n):
    return {"spot": 5 + 25 * draw.random(n), "strike": 1 + 99 * draw.random(n), "years": 0.25 + 9.75 * draw.random(n),
            "rate": 0.02, "volatility": 0.3, "k": -(-n // 8)}


def lennard_jones(draw, n):
    return {**{axis: draw.random(n) for axis in "xyz"}, "k": -(-n // 2)}


def fourier(draw, n):
    return {"x": draw.random(n), "k": -(-n // 2)}


def bilateral(draw, n):
    return {"image": draw.random((n, n + 3), np.float32), "k": -(-n // 8)}


def softmax(draw, n):
    return {"a": draw.random((n, n + 5)), "k": -(-n // 8)}


def gram_schmidt(draw, n):
    return {"a": draw.random((n, 2 * n))}


def pathfinder(draw, n):
    return {"wall": draw.integers(0, 10, (n // 20 + 2, n), np.int32), "k": -(-n // 2)}


def normalised_columns(draw, n):
    return {"a": draw.random((n, n // 4 + 3)), "k": -(-(n // 4 + 3) // 2)}


def hotspot(draw, n):
    return {"heat": 320 + 20 * draw.random((n, n), np.float32), "power": draw.random((n, n), np.float32), "rounds": 20, "k": -(-n // 2)}


def nearest_centres(draw, n):
    return {**{axis: draw.random(n, np.float32) for axis in "xy"}, **{axis: draw.random(64, np.float32) for axis in ("cx", "cy")}, "k": -(-n // 8)}


def masked_jacobi(draw, n):
    return {"start": draw.random((n, n)), "free": draw.integers(0, 2, (n, n), np.int32), "rounds": 20, "k": -(-n // 2)}


def knapsack(draw, n):
    items = n // 100 + 5
    return {"weight": draw.integers(1, 100, items, np.int32), "value": draw.integers(1, 1000, items, np.int32), "capacity": n, "k": -(-(n + 1) // 2)}


def mandelbrot(draw, n):
    return {"rows": n, "columns": n + 5, "limit": 200, "k": -(-n // 16)}


def median(draw, n):
    return {"image": draw.random((n, n + 3)), "rounds": 40 if n > 100 else 2, "k": -(-n // 8)}


def dilation(draw, n):
    return {"image": draw.random((n, n + 3), np.float32), "rounds": 200 if n > 100 else 2, "k": -(-n // 8)}


def levels(draw, n):
    return {"image": 1.1 * draw.random((n, n + 3)) - 0.05, "rounds": 100 if n > 100 else 2, "k": -(-n // 8)}


def sobel(draw, n):
    return {"image": draw.random((n, n + 3), np.float32), "rounds": 100 if n > 100 else 2, "k": -(-n // 8)}


def largest(draw, n):
    return {"x": draw.normal(size=n), "y": draw.normal(size=n), "rounds": 100 if n > 100 else 2, "k": -(-n // 8)}


def atax(draw, n):
    return {"a": draw.random((n, n + 7)), "x": draw.random(n + 7), "k": -(-(n + 7) // 8)}


def gemver(draw, n):
    return {"a": draw.random((n, n)), **{name: draw.random(n) for name in ("u1", "v1", "u2", "v2", "y", "z")}, "alpha": 1.5, "beta": 0.25, "k": -(-n // 8)}


def distances(draw, n):
    return {"x": draw.random((n, 65), np.float32), "y": draw.random((n + 11, 65), np.float32), "k": -(-n // 8), "l": -(-(n + 11) // 8)}


def fir(draw, n):
    return {"x": draw.random(n), "h": draw.random(32), "k": max(-(-n // 8), 31)}


def box_filter(draw, n):
    return {"image": draw.random((n, n + 7), np.float32), "k": -(-n // 8)}


def ellpack(draw, n):
    values, columns, hole = draw.random((n, 21)), draw.integers(0, n, (n, 21), np.int32), draw.random((n, 21)) < 0.2
    values[hole], columns[hole] = 0, 0
    return {"values": values, "columns": columns, "x": draw.random(n), "rounds": 10, "k": -(-n // 8)}


def resize(draw, n):
    return {"image": draw.random((n, n + 7), np.float32), "rows": n * 8 // 3, "columns": n * 5 // 2 + 1, "k": -(-(n * 8 // 3) // 8)}


def tridiagonal(draw, n):
    return {"d": draw.random((n, n - 7)), "k": -(-(n - 7) // 4)}


def viterbi(draw, n):
    states = 48 if n > 60 else 5
    return {"seen": draw.integers(0, 9, (n, 2 * states), np.int32), "step": np.log(draw.random((states, states))).astype(np.float32),
            "emit": np.log(draw.random((states, 9))).astype(np.float32), "k": -(-n // 4)}


def spheres(draw, n):
    count = 64 if n > 60 else 5
    places = {name: (8 * draw.random(count) + start).astype(np.float32) for name, start in (("x", -4), ("y", -4), ("z", 4))}
    return {**places, "radius": 0.3 + draw.random(count, np.float32), "rows": n, "columns": n + 5, "k": -(-n // 8)}


def matrix_chain(draw, n):
    return {"sizes": draw.integers(1, 100, n + 1).astype(float), "k": -(-n // 8)}


def gaussian(draw, n):
    return {"image": draw.random((n, n + 5), np.float32), "radius": 4, "k": -(-n // 8)}


def stereo(draw, n):
    right = draw.integers(0, 256, (n, n + 20), np.int32)
    return {"left": right, "right": np.roll(right, -3, 1).copy(), "shifts": 8, "k": -(-n // 4)}


def walsh(draw, n):
    return {"u": draw.random((n, 2 << n.bit_length())), "k": -(-n // 8)}


def deriche(draw, n):
    return {"image": draw.random((n, n + 5), np.float32), "alpha": 0.25, "k": -(-n // 8), "l": -(-(n + 5) // 8)}


def householder(draw, n):
    return {"a": draw.normal(size=(n + n // 4, n))}


def fdtd_2d(draw, n):
    return {**{name: draw.random((n, n + 7)) for name in ("ex", "ey", "hz")}, "source": draw.random(20), "k": -(-n // 2)}


def lattice_boltzmann(draw, n):
    solid = (draw.random((n, n + 7)) < 0.05).astype(np.int32)
    solid[[0, -1]] = solid[:, [0, -1]] = 1
    weight = np.array([4 / 9, *[1 / 9] * 4, *[1 / 36] * 4])
    return {"start": weight[:, None, None] * (1 + 0.1 * draw.random((9, n, n + 7))), "solid": solid, "rounds": 10, "omega": 1.2, "k": -(-n // 2)}


def correlation(draw, n):
    return {"data": draw.random((n + n // 5, n)), "k": -(-n // 8)}


def cholesky(draw, n):
    a = draw.random((n, n))
    return {"a": a @ a.T + n * np.eye(n)}


def integral_image(draw, n):
    return {"image": draw.integers(0, 256, (n, n + 7), np.int32), "k": -(-n // 8), "l": -(-(n + 7) // 8)}


def binomial(draw, n):
    return {"spot": 5 + 25 * draw.random(n), "strike": 1 + 30 * draw.random(n), "years": 0.25 + 2 * draw.random(n), "steps": 500 if n > 60 else 20,
            "rate": 0.02, "volatility": 0.3, "k": -(-n // 8)}


def stockham(draw, n):
    return {**{name: draw.normal(size=(n, 1024 if n > 60 else 16)) for name in ("re", "im")}, "k": -(-n // 8)}


def breadth_first(draw, n):
    lengths = draw.integers(0, 8, n)
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    return {"starts": starts, "neighbours": draw.integers(0, n, starts[-1], np.int32), "k": -(-n // 8)}


def sparse_dense(draw, n):
    lengths = draw.integers(0, 60, n)
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    return {"values": draw.random(starts[-1], np.float32), "columns": draw.integers(0, n, starts[-1], np.int32), "starts": starts,
            "b": draw.random((n, 32), np.float32), "k": -(-n // 8)}


def bitonic(draw, n):
    return {"keys": draw.integers(-1000, 1000, (n, 1024 if n > 60 else 16), np.int32), "k": -(-n // 8)}


def time_warping(draw, n):
    length = 300 if n > 60 else 12
    return {"a": draw.random((n, length), np.float32), "b": draw.random((n, length + 9), np.float32), "k": -(-n // 8)}


def ising(draw, n):
    return {"start": (2 * draw.integers(0, 2, (n, n + 7)) - 1).astype(np.int32), "rounds": 20, "heat": 2.3, "k": -(-n // 2)}


def eigenvalues(draw, n):
    a = draw.normal(size=(n, 8, 8))
    return {"a": a + a.transpose(0, 2, 1), "sweeps": 5, "k": -(-n // 8)}


def chroma(draw, n):
    return {"rgb": draw.integers(0, 256, (n, n + 6, 3), np.int32), "k": -(-n // 8)}


def shallow_water(draw, n):
    return {"height": 1 + 0.1 * draw.random((n, n + 7)), "across": 0.1 * draw.random((n, n + 7)), "down": 0.1 * draw.random((n, n + 7)), "rounds": 20, "step": 0.05, "k": -(-n // 2)}


def dct(draw, n):
    return {"image": 256 * draw.random((8 * n, 8 * n + 16)), "table": 10 + 90 * draw.random((8, 8)), "k": 8 * -(-n // 4)}


def canny(draw, n):
    return {"image": draw.integers(0, 256, (n, n + 7), np.int32), "low": 300, "high": 600, "k": -(-n // 2)}


def asian(draw, n):
    return {"strike": 80 + 40 * draw.random(n), "paths": 200 if n > 60 else 7, "steps": 40, "volatility": 0.3, "k": -(-n // 8)}


def hough(draw, n):
    size = n // 20 + 5
    return {**{axis: draw.integers(0, size, n, np.int32) for axis in "xy"}, "angles": 180 if n > 1000 else 11, "size": size, "k": 45 if n > 1000 else 3}


def gotoh(draw, n):
    length = 200 if n > 60 else 12
    return {**{name: draw.choice(np.frombuffer(b"ACGT", "S1"), (n, length + more)) for name, more in (("a", 0), ("b", 9))}, "k": -(-n // 8)}


def particle_in_cell(draw, n):
    cells = max(n // 1000, 9)
    return {"x": cells * draw.random(n), "v": draw.normal(size=n), "cells": cells, "rounds": 10, "step": 0.05, "k": -(-n // 2)}


def components(draw, n):
    return {"image": (draw.random((n, n + 7)) < 0.55).astype(np.int32), "k": -(-n // 2)}


def multigrid(draw, n):
    k = max(4 * (-(-n // 8)), 4)
    return {"f": draw.normal(size=(4 * n + 1, 4 * n + 1)), "cycles": 3, "k": 4 * k, "l": 2 * k, "q": k}


def radix_sort(draw, n):
    return {"keys": draw.integers(0, 1 << 32, n), "k": -(-n // 4)}


def crc(draw, n):
    return {"bytes": draw.integers(0, 256, (n, 1000 if n > 60 else 17), np.int32), "k": -(-n // 8)}


def adi(draw, n):
    return {"start": draw.random((n, n + 5)), "rounds": 5, "a": 0.4, "k": -(-n // 4), "l": -(-(n + 5) // 4)}
