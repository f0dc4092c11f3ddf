"""The kernels: inputs of a size for each, and what it writes. KERNELS has them all; chosen: those that are named, or a part of all."""
import numpy as np


# ---- Inputs: a kernel's arrays and numbers for a size -------------------------------------------------------------

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


def stencil_27(draw, n):
    weight = draw.random((3, 3, 3))
    return {"start": draw.random((n, n, n + 5)), "weight": weight / weight.sum(), "rounds": 10, "p": -(-n // 2)}


def pooling(draw, n):
    size = 200 if n > 60 else 21
    return {"images": draw.normal(size=(n, size, size + 12)).astype(np.float32), "k": -(-n // 8)}


def majority(draw, n):
    return {"class": draw.integers(0, 4, (n, n + 7), np.int32), "k": -(-n // 8)}


def strain(draw, n):
    return {"position": draw.random((n // 5 + 4, 3)), "corner": draw.integers(0, n // 5 + 4, (n, 4), np.int32), "inverse": draw.normal(size=(n, 3, 3)),
            "lambda": 1.5, "mu": 0.75, "k": -(-n // 8)}


def ordinates(draw, n):
    mu, weight = np.polynomial.legendre.leggauss(12)
    return {"total": 1 + draw.random((n, 3 * n)), "scatter": draw.random((n, 3 * n)), "given": draw.random((n, 3 * n)), "mu": (mu + 1) / 2, "weight": weight / 2,
            "rounds": 5, "width": 0.1, "k": -(-n // 8)}


def kepler(draw, n):
    return {"anomaly": 2 * np.pi * draw.random(n), "e": 0.9 * draw.random(n), "k": -(-n // 8)}


def table_search(draw, n):
    points = 1000 if n > 1000 else 17
    place = np.cumsum(0.1 + draw.random(points))
    return {"place": place, "value": draw.normal(size=points), "x": place[0] + (place[-1] - place[0]) * draw.random(n), "k": -(-n // 8)}


def cutcp(draw, n):
    spacing, cutoff, points = 0.5, 4.0, n
    boxes = int((points - 1) * spacing / cutoff) + 1
    places = (points - 1) * spacing * draw.random((max(points ** 3 // 150, 8), 3))
    box = (places // cutoff).astype(int) @ [boxes * boxes, boxes, 1]
    order = np.argsort(box, kind="stable")
    x, y, z = places[order].astype(np.float32).T.copy()
    first = np.searchsorted(box[order], np.arange(boxes ** 3 + 1)).astype(np.int32)
    return {"x": x, "y": y, "z": z, "charge": draw.random(x.size, np.float32), "first": first, "points": points, "spacing": spacing,
            "cutoff": cutoff, "p": -(-n // 8)}


def neighbour_list(draw, n):
    """A cubic lattice, n atoms a side, whose atoms have moved a little; lists have all up to two and a half lattice spacings, in the order of space."""
    space, around = 1.2, range(-2, 3)
    places = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), -1).reshape(-1, 3)
    shifts = np.array([(a, b, c) for a in around for b in around for c in around if 0 < a * a + b * b + c * c <= 6])
    near = (places[:, None] + shifts) % n
    lists = (near[..., 0] * n + near[..., 1]) * n + near[..., 2]
    x, y, z = (space * (places + 0.1 * draw.random((n ** 3, 3)))).T.copy()
    return {"x": x, "y": y, "z": z, "starts": np.arange(n ** 3 + 1, dtype=np.int32) * len(shifts), "neighbours": lists.ravel().astype(np.int32),
            "side": space * n, "cutoff": 2.5, "k": -(-(n ** 3) // 8)}


def ewald(draw, n):
    side, longest = 10.0, 4 if n > 60 else 2
    around = range(-longest, longest + 1)
    kx, ky, kz = np.array([(a, b, c) for a in around for b in around for c in around if (a, b, c) != (0, 0, 0)], np.int32).T.copy()
    return {**{axis: side * draw.random(n) for axis in "xyz"}, "charge": draw.random(n), "kx": kx, "ky": ky, "kz": kz, "side": side, "alpha": 0.6,
            "longest": longest, "k": -(-kx.size // 4), "l": -(-n // 4)}


def gray_scott(draw, n):
    return {"rows": n, "columns": n + 7, "rounds": 30, "feed": 0.04, "kill": 0.06, "p": -(-n // 2)}


def cavity(draw, n):
    return {"n": n, "rounds": 20, "step": 0.1 / n, "viscosity": 0.5 / n, "k": -(-n // 2)}


def listed_forces(draw, n):
    """Points on a square lattice, n a side, with springs to the neighbours in a row, a column and a diagonal."""
    at = np.arange(n * n).reshape(n, n)
    pairs = [(at[:, :-1], at[:, 1:]), (at[:-1], at[1:]), (at[:-1, :-1], at[1:, 1:])]
    ends = np.concatenate([np.stack([a.ravel(), b.ravel()], 1) for a, b in pairs])
    ends = ends[np.argsort(ends[:, 0], kind="stable")].astype(np.int32)
    order = np.argsort(ends.ravel(), kind="stable")
    starts = np.searchsorted(ends.ravel()[order], np.arange(n * n + 1)).astype(np.int32)
    x, y = (side.ravel() + 0.1 * draw.random(n * n) for side in np.meshgrid(np.arange(n), np.arange(n)))
    return {"x": x, "y": y, "z": 0.1 * draw.random(n * n), "ends": ends, "length": 0.9 + 0.3 * draw.random(len(ends)), "starts": starts,
            "springs": (order // 2).astype(np.int32), "sign": 1.0 - 2 * (order % 2), "rounds": 10, "step": 0.05, "stiffness": 1.5,
            "k": -(-len(ends) // 4), "l": -(-(n * n) // 4)}


def seismic(draw, n):
    return {"start": 10 + draw.random((n, n + 7), np.float32), "speed": (0.1 + 0.1 * draw.random((n, n + 7))).astype(np.float32),
            "c": np.array([-205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560], np.float32), "rounds": 20, "k": max(-(-n // 2), 4)}


def conv_layer(draw, n):
    """Whole numbers, whose sums are exact."""
    size, whole = 40 if n > 20 else 11, lambda *shape: draw.integers(-9, 10, shape).astype(np.float32)
    return {"input": whole(n, 12, size, size + 6), "weight": whole(16, 12, 3, 3), "bias": whole(16), "k": -(-n // 4)}


def five_nearest(draw, n):
    return {**{axis: draw.random(2 * n) for axis in "xyz"}, "query": draw.random((n, 3)), "k": -(-n // 8)}


def lorenz(draw, n):
    return {**{axis: 1 + draw.random(n) for axis in "xyz"}, "rho": 10 + 10 * draw.random(n), "steps": 100, "h": 0.01, "k": -(-n // 8)}


def attention(draw, n):
    return {"query": draw.normal(size=(n, 40)).astype(np.float32), "key": draw.normal(size=(n + n // 3, 40)).astype(np.float32),
            "value": draw.random((n + n // 3, 44), np.float32), "k": -(-n // 8)}


def small_systems(draw, n):
    return {"a": draw.normal(size=(n, 7, 7)) + 3 * np.eye(7), "b": draw.normal(size=(n, 7)), "k": -(-n // 8)}


def triangles(draw, n):
    vector = np.dtype([(axis, float) for axis in "xyz"])
    corners = draw.normal(size=(150 if n > 60 else 7, 1, 3)) + [0, 0, 3] + 0.5 * draw.normal(size=(150 if n > 60 else 7, 3, 3))
    triangle = np.zeros(len(corners), np.dtype([("corner", vector, 3)]))
    for at, axis in enumerate("xyz"):
        triangle["corner"][axis] = corners[..., at]
    return {"triangle": triangle, "rows": n, "columns": n + 5, "k": -(-n // 8)}


def page_rank(draw, n):
    links = draw.integers(0, 16, n)
    out = np.bincount(sources := draw.integers(0, n, links.sum()), minlength=n)
    return {"starts": np.concatenate(([0], np.cumsum(links))).astype(np.int32), "sources": sources.astype(np.int32), "out": out.astype(np.int32),
            "damping": 0.85, "limit": 1e-7, "k": -(-n // 8)}


def semi_lagrangian(draw, n):
    return {"start": draw.random((n, n + 7)), "u": draw.normal(size=(n, n + 7)), "v": draw.normal(size=(n, n + 7)), "rounds": 5, "step": 1.5, "k": -(-n // 4)}


def collatz(draw, n):
    return {"n": n, "k": -(-n // 16)}


def euler(draw, n):
    mass = np.where(np.arange(n) < n // 2, 1.0, 0.125) + 0.05 * draw.random(n)
    energy = np.where(np.arange(n) < n // 2, 2.5, 0.25) + 0.05 * draw.random(n)
    return {"mass": mass, "momentum": 0.05 * draw.random(n), "energy": energy, "rounds": 50, "ratio": 0.2, "k": -(-n // 8)}


def bicubic(draw, n):
    return {"image": draw.random((n, n + 7), np.float32), "angle": 0.25, "k": -(-n // 8)}


def mixture(draw, n):
    return {"point": draw.random((n, 3)), "mean": draw.random((8, 3)), "precision": 1 + 20 * draw.random((8, 3)), "logarithm": -3 * draw.random(8), "k": -(-n // 8)}


def non_local_means(draw, n):
    return {"image": draw.random((n, n + 7), np.float32), "strength": 0.5, "k": max(-(-n // 8), 4)}


def lifting(draw, n):
    return {"image": draw.integers(0, 256, (n, 2 * (n // 2) + 8), np.int32), "k": -(-n // 8)}


def autocorrelation(draw, n):
    return {"x": draw.random((n, 1000 if n > 60 else 50)), "lags": 40 if n > 60 else 9, "k": -(-n // 8)}


def newton_fractal(draw, n):
    return {"rows": n, "columns": n + 5, "limit": 60, "k": -(-n // 16)}


def triangular_product(draw, n):
    return {"l": np.tril(draw.random((n, n))), "a": draw.random((n, n + 5)), "k": 4}


def census(draw, n):
    right = draw.integers(0, 256, (n, n + 20), np.int32)
    return {"left": np.roll(right, 3, 1).copy(), "right": right, "shifts": 16 if n > 60 else 5, "k": max(-(-n // 8), 2)}


def walk_on_spheres(draw, n):
    return {"n": n, "walks": 20, "close": 1e-4, "k": -(-n // 8)}


def jagged(draw, n):
    lengths = np.sort(draw.integers(1, 30, n))[::-1]
    row = draw.permutation(n).astype(np.int32)
    counts = [(lengths > d).sum() for d in range(lengths[0])]
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    return {"values": draw.random(starts[-1]), "columns": draw.integers(0, n, starts[-1], np.int32), "starts": starts, "row": row, "rounds": 10, "k": -(-n // 8)}


def recurrent(draw, n):
    wide = 44 if n > 20 else 7
    return {"x": draw.random((n, 20, 10), np.float32), "w": 0.2 * draw.random((3, 10, wide), np.float32), "u": 0.05 * draw.random((3, wide, wide), np.float32),
            "k": -(-n // 4)}


def co_occurrence(draw, n):
    side = 24 if n > 60 else 5
    return {"image": np.clip(128 + 60 * draw.normal(size=(n, n + 2 * side)), 0, 255).astype(np.int32), "side": side, "k": -(-(n // side) // 4)}


def kalman(draw, n):
    return {"seen": np.cumsum(draw.random((n, 500 if n > 60 else 21)), 1), "step": 1.0, "noise": 0.01, "error": 0.3, "k": -(-n // 8)}


def motif(draw, n):
    return {"base": draw.integers(0, 4, (n, 1000 if n > 60 else 40), np.int32), "weight": draw.random((10, 4), np.float32), "limit": 7.0, "k": -(-n // 8)}


def hsv(draw, n):
    return {"rgb": draw.random((n, n + 7, 3), np.float32), "k": -(-n // 8)}


def upwind(draw, n):
    shape = (n, n, n + 5)
    return {"start": draw.random(shape), **{name: draw.normal(size=shape) for name in "uvw"}, "rounds": 10, "step": 0.1, "p": -(-n // 2)}


def poisson(draw, n):
    return {"f": draw.normal(size=(n, n + 7)), "limit": 0.03, "k": -(-n // 2)}


def perlin(draw, n):
    return {"table": np.tile(draw.permutation(256), 3).astype(np.int32), "rows": n, "columns": n + 7, "octaves": 5, "k": -(-n // 8)}


def sha(draw, n):
    return {"message": draw.integers(0, 1 << 32, (n, 16)), "constant": draw.integers(0, 1 << 32, 64), "start": draw.integers(0, 1 << 32, 8), "k": -(-n // 8)}


def schroedinger(draw, n):
    start = np.zeros(n, np.dtype([("re", float), ("im", float)]))
    start["re"], start["im"] = draw.random(n), draw.random(n)
    return {"start": start, "potential": draw.random(n), "rounds": 50, "step": 0.1, "k": -(-n // 4)}


def haversine(draw, n):
    return {"latitude": np.arcsin(2 * draw.random(n) - 1), "longitude": 2 * np.pi * draw.random(n), "station_latitude": np.arcsin(2 * draw.random(99) - 1),
            "station_longitude": 2 * np.pi * draw.random(99), "k": -(-n // 8)}


def sandpile(draw, n):
    start = np.zeros((n, n + 7), np.int32)
    start[1:-1, 1:-1] = draw.integers(0, 8, (n - 2, n + 5))
    return {"start": start, "k": -(-n // 2)}


def welford(draw, n):
    return {"table": draw.normal(size=(2 * n, n + 3)), "k": -(-(n + 3) // 4)}


def periodic(draw, n):
    return {"start": 0.2 * draw.random((n, n + 7)) - 0.1, "rounds": 10, "step": 0.02, "k": -(-n // 4)}


def batch_norm(draw, n):
    channels, size = (24, 30) if n > 20 else (5, 7)
    return {"x": 1 + draw.random((n, channels, size, size + 3), np.float32), "gain": 1 + draw.random(channels, np.float32),
            "offset": 9 + draw.random(channels, np.float32), "k": -(-n // 4)}


def flow_direction(draw, n):
    return {"height": draw.random((n, n + 7), np.float32), "k": -(-n // 8)}


def modular_product(draw, n):
    return {"a": draw.integers(0, 10007, (n, n - 3)), "b": draw.integers(0, 10007, (n - 3, n + 5)), "prime": 10007, "k": -(-n // 8)}


def adaptive(draw, n):
    return {"mu": 5 * draw.random(n), "end": 5.0, "error": 1e-4, "k": -(-n // 8)}


def flat_heat(draw, n):
    return {"start": draw.random(n * (n + 7)), "columns": n + 7, "rounds": 20, "k": -(-n // 4) * (n + 7)}


def sor_3d(draw, n):
    return {"start": draw.random((n, n, n + 5)), "f": draw.random((n, n, n + 5)), "rounds": 10, "omega": 1.5, "p": -(-n // 2)}


def dither(draw, n):
    size = 100 if n > 60 else 13
    return {"images": draw.integers(0, 257, (n, size, size + 9)).astype(np.float32) / 256, "k": -(-n // 8)}


def spline(draw, n):
    length = 200 if n > 60 else 12
    return {"y": draw.random((n, length)), "x": (length - 1) * draw.random((n, length + 40)), "k": -(-n // 8)}


def peaks(draw, n):
    return {"image": draw.random((n, n + 7)), "limit": 0.7, "k": -(-n // 8)}


def erosion(draw, n):
    side = np.arange(-3, 4)
    return {"mask": draw.random((n, n + 7)) < 0.98, "disc": side[:, None] ** 2 + side ** 2 <= 10, "k": max(-(-n // 8), 3)}


def quadrature(draw, n):
    return {"a": draw.random(n), "b": 3 * draw.random(n + 5), "points": 100, "k": -(-n // 8)}


def gillespie(draw, n):
    return {"seed": draw.integers(0, 1 << 32, n), "end": 5.0, "k": -(-n // 8)}


def kernel_matrix(draw, n):
    return {"known": draw.random((n // 2 + 3, 5)), "weight": draw.random(n // 2 + 3), "point": draw.random((n, 5)), "width": 0.5, "k": -(-n // 8)}


def distance_transform(draw, n):
    return {"image": (draw.random((n, n + 7)) < 0.001).astype(np.int32), "k": -(-n // 4), "l": -(-(n + 7) // 4)}


def hidden_markov(draw, n):
    states = 20 if n > 60 else 5
    return {"seen": draw.integers(0, 9, (n, 5 * states), np.int32), "step": draw.random((states, states)), "emit": draw.random((states, 9)), "k": -(-n // 8)}


def smoothed_particles(draw, n):
    """A lattice, n a side, whose particles have moved a little; lists have all up to three lattice spacings."""
    row, column = np.mgrid[:n, :n].reshape(2, -1)
    shifts = np.array([(a, b) for a in range(-3, 4) for b in range(-3, 4) if 0 < a * a + b * b <= 9])
    rows, columns = row[:, None] + shifts[:, 0], column[:, None] + shifts[:, 1]
    there = (rows >= 0) & (rows < n) & (columns >= 0) & (columns < n)
    starts = np.concatenate(([0], np.cumsum(there.sum(1)))).astype(np.int32)
    return {"x": column + 0.3 * draw.random(n * n), "y": row + 0.3 * draw.random(n * n), "mass": 0.5 + draw.random(n * n), "starts": starts,
            "neighbours": (rows * n + columns)[there].astype(np.int32), "h": 1.3, "k": -(-(n * n) // 8)}


def rigid_bodies(draw, n):
    vector, quaternion = (np.dtype([(axis, float) for axis in axes]) for axes in ("xyz", "wxyz"))
    start = np.zeros(n, np.dtype([("turn", quaternion), ("momentum", vector), ("inertia", vector)]))
    for field, low in (("turn", -0.5), ("momentum", -0.5), ("inertia", 0.5)):
        for axis in start.dtype[field].names:
            start[field][axis] = low + draw.random(n)
    start["turn"]["w"] = 1
    return {"start": start, "steps": 30, "h": 0.02, "k": -(-n // 8)}


def conduction(draw, n):
    return {"start": draw.random((n, n + 7)), "ability": 0.1 + draw.random((n, n + 7)), "rounds": 10, "step": 0.2, "k": -(-n // 2)}


def window_median(draw, n):
    return {"image": draw.random((n, n + 7), np.float32), "k": -(-n // 8)}


def quadratic_forms(draw, n):
    b = draw.normal(size=(12, 12))
    return {"x": draw.normal(size=(n, 12)), "mean": draw.random(12), "a": b @ b.T + np.eye(12), "k": -(-n // 8)}


class Kernel:
    """outputs: files that both write. exact: both write the same bits."""

    def __init__(self, make, small, size, outputs, exact=False):
        self.name = make.__name__.replace("_", "-")
        self.make, self.small, self.size, self.outputs, self.exact = make, small, size, outputs, exact


KERNELS = [
    Kernel(smith_waterman, 37, 20_000, [], exact=True),
    Kernel(convolution, 21, 4000, ["result"]),
    Kernel(sparse_product, 50, 300_000, ["y"]),
    Kernel(floyd_warshall, 19, 1200, ["lengths"], exact=True),
    Kernel(jacobi_3d, 13, 200, ["result"], exact=True),
    Kernel(batched_products, 17, 200_000, ["c"]),
    Kernel(histogram_2d, 999, 20_000_000, ["counts"], exact=True),
    Kernel(black_scholes, 100, 2_000_000, ["call", "put"]),
    Kernel(lennard_jones, 75, 8000, ["force"]),
    Kernel(fourier, 75, 4000, ["re", "im"]),
    Kernel(bilateral, 29, 1500, ["result"]),
    Kernel(softmax, 35, 1500, ["b"]),
    Kernel(gram_schmidt, 35, 600, ["q"]),
    Kernel(pathfinder, 400, 40_000, ["cost"], exact=True),
    Kernel(normalised_columns, 60, 4000, ["b"]),
    Kernel(hotspot, 33, 1500, ["result"]),
    Kernel(nearest_centres, 500, 500_000, ["which"]),
    Kernel(masked_jacobi, 33, 1500, ["result"], exact=True),
    Kernel(knapsack, 1000, 100_000, ["best"], exact=True),
    Kernel(mandelbrot, 33, 700, ["steps"]),
    Kernel(median, 21, 600, ["result"], exact=True),
    Kernel(dilation, 25, 600, ["result"], exact=True),
    Kernel(levels, 19, 600, ["level", "error"], exact=True),
    Kernel(sobel, 23, 600, ["edges"], exact=True),
    Kernel(largest, 75, 200_000, ["ring"], exact=True),
    Kernel(atax, 37, 5500, ["y"]),
    Kernel(gemver, 37, 5000, ["sum", "x", "w"]),
    Kernel(distances, 37, 2001, ["d"]),
    Kernel(fir, 131, 10_000_001, ["y"]),
    Kernel(box_filter, 37, 4001, ["result"]),
    Kernel(ellpack, 37, 300_001, ["y"]),
    Kernel(resize, 37, 2000, ["result"]),
    Kernel(tridiagonal, 45, 2500, ["x"]),
    Kernel(viterbi, 13, 400, ["path", "chance"]),
    Kernel(spheres, 37, 800, ["which", "light"]),
    Kernel(matrix_chain, 37, 700, ["cost"]),
    Kernel(gaussian, 37, 2000, ["blurred"]),
    Kernel(stereo, 37, 1200, ["disparity"], exact=True),
    Kernel(walsh, 37, 1000, ["result"], exact=True),
    Kernel(deriche, 37, 2000, ["result"]),
    Kernel(householder, 70, 500, ["r"]),
    Kernel(fdtd_2d, 33, 1200, ["ex_end", "ey_end", "hz_end"]),
    Kernel(lattice_boltzmann, 33, 700, ["result"]),
    Kernel(correlation, 45, 700, ["matrix"]),
    Kernel(cholesky, 45, 900, ["l"]),
    Kernel(integral_image, 37, 4000, ["sums"], exact=True),
    Kernel(binomial, 37, 2000, ["price"]),
    Kernel(stockham, 37, 4000, ["re_end", "im_end"]),
    Kernel(breadth_first, 300, 1_000_000, ["level"], exact=True),
    Kernel(sparse_dense, 50, 100_000, ["c"]),
    Kernel(bitonic, 37, 2000, ["sorted"], exact=True),
    Kernel(time_warping, 37, 500, ["distance"]),
    Kernel(ising, 33, 1000, ["result"], exact=True),
    Kernel(eigenvalues, 37, 10_000, ["values"]),
    Kernel(chroma, 38, 3000, ["y", "u", "v"], exact=True),
    Kernel(shallow_water, 33, 700, ["height_end", "across_end", "down_end"]),
    Kernel(dct, 9, 250, ["result"]),
    Kernel(canny, 33, 3000, ["edges"], exact=True),
    Kernel(asian, 13, 300, ["price"]),
    Kernel(hough, 200, 30_000, ["votes"], exact=True),
    Kernel(gotoh, 37, 300, ["score", "equal"], exact=True),
    Kernel(particle_in_cell, 300, 1_000_000, ["x_end", "v_end", "field"]),
    Kernel(components, 37, 250, ["label"], exact=True),
    Kernel(multigrid, 9, 256, ["u"]),
    Kernel(radix_sort, 500, 1_000_000, ["sorted"], exact=True),
    Kernel(crc, 37, 10_000, ["sums"], exact=True),
    Kernel(adi, 37, 1000, ["result"]),
    Kernel(stencil_27, 13, 100, ["result"]),
    Kernel(pooling, 17, 1000, ["pooled"], exact=True),
    Kernel(majority, 29, 1500, ["smooth"], exact=True),
    Kernel(strain, 37, 500_000, ["strain", "energy"]),
    Kernel(ordinates, 21, 300, ["flux"]),
    Kernel(kepler, 75, 300_000, ["x", "y"]),
    Kernel(table_search, 150, 1_000_000, ["y"]),
    Kernel(cutcp, 20, 60, ["potential"]),
    Kernel(neighbour_list, 5, 45, ["fx", "fy", "fz"]),
    Kernel(ewald, 29, 1500, ["potential"]),
    Kernel(gray_scott, 33, 700, ["u", "v"]),
    Kernel(cavity, 33, 700, ["psi", "omega"]),
    Kernel(listed_forces, 11, 300, ["x_end", "y_end", "z_end"]),
    Kernel(seismic, 33, 1000, ["result"]),
    Kernel(conv_layer, 7, 40, ["output"], exact=True),
    Kernel(five_nearest, 29, 3000, ["which", "distance"]),
    Kernel(lorenz, 37, 50_000, ["x_end", "y_end", "z_end"]),
    Kernel(attention, 37, 1200, ["result"]),
    Kernel(small_systems, 37, 50_000, ["x"]),
    Kernel(triangles, 25, 200, ["which", "way"]),
    Kernel(page_rank, 75, 300_000, ["rank"]),
    Kernel(semi_lagrangian, 33, 1000, ["result"]),
    Kernel(collatz, 99, 150_000, ["steps", "highest"], exact=True),
    Kernel(bicubic, 33, 1000, ["turned"]),
    Kernel(mixture, 77, 300_000, ["belongs", "likely"]),
    Kernel(non_local_means, 25, 300, ["result"]),
    Kernel(lifting, 37, 5000, ["wave"], exact=True),
    Kernel(autocorrelation, 37, 1000, ["r"]),
    Kernel(newton_fractal, 33, 400, ["root", "steps"], exact=True),
    Kernel(triangular_product, 37, 700, ["b"]),
    Kernel(census, 37, 1000, ["disparity"], exact=True),
    Kernel(walk_on_spheres, 13, 70, ["u"]),
    Kernel(jagged, 77, 200_000, ["x", "sizes"]),
    Kernel(recurrent, 9, 500, ["h"]),
    Kernel(co_occurrence, 30, 5000, ["contrast", "energy", "even"]),
    Kernel(kalman, 37, 10_000, ["place", "speed"]),
    Kernel(motif, 21, 5000, ["place", "score"]),
    Kernel(hsv, 33, 1500, ["hsv", "often"]),
    Kernel(upwind, 13, 130, ["result"]),
    Kernel(poisson, 33, 600, ["u"]),
    Kernel(perlin, 33, 500, ["noise"]),
    Kernel(sha, 37, 50_000, ["digest"], exact=True),
    Kernel(schroedinger, 99, 300_000, ["end"]),
    Kernel(haversine, 37, 20_000, ["nearest", "way"]),
    Kernel(sandpile, 33, 100, ["end"], exact=True),
    Kernel(welford, 37, 2500, ["mean", "spread", "least", "most"]),
    Kernel(periodic, 33, 700, ["result"]),
    Kernel(batch_norm, 7, 500, ["y"]),
    Kernel(flow_direction, 33, 4000, ["direction", "slope"], exact=True),
    Kernel(modular_product, 37, 250, ["c"], exact=True),
    Kernel(adaptive, 37, 1500, ["x", "v", "steps"]),
    Kernel(flat_heat, 33, 1000, ["result"]),
    Kernel(sor_3d, 13, 120, ["result"]),
    Kernel(dither, 13, 500, ["white"], exact=True),
    Kernel(spline, 37, 12_000, ["value"]),
    Kernel(peaks, 33, 2000, ["peak"], exact=True),
    Kernel(erosion, 25, 700, ["opened"], exact=True),
    Kernel(quadrature, 17, 120, ["integral"]),
    Kernel(gillespie, 37, 1500, ["hunted", "hunters"]),
    Kernel(kernel_matrix, 37, 2500, ["value"]),
    Kernel(distance_transform, 33, 2500, ["distance"], exact=True),
    Kernel(hidden_markov, 13, 4000, ["likely"]),
    Kernel(smoothed_particles, 11, 600, ["density", "pressure"]),
    Kernel(rigid_bodies, 37, 20_000, ["end"]),
    Kernel(conduction, 33, 1000, ["result"]),
    Kernel(window_median, 33, 250, ["result"], exact=True),
    Kernel(quadratic_forms, 37, 400_000, ["distance"]),
    Kernel(euler, 99, 50_000, ["mass_end", "momentum_end", "energy_end"]),
]


def add_choice(parser):
    parser.add_argument("--part", default="1/1", metavar="I/N", help="the I-th of N parts of the kernels")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help=", ".join(kernel.name for kernel in KERNELS))


def chosen(parser, options):
    unknown = set(options.kernels) - {kernel.name for kernel in KERNELS}
    if unknown:
        parser.error(f"no kernel {', '.join(sorted(unknown))}")
    part, parts = map(int, options.part.split("/"))
    return [kernel for kernel in KERNELS if not options.kernels or kernel.name in options.kernels][part - 1::parts]
