"""Inputs of the kernels that another hand wrote: arrays and numbers for a size, by which words of the command line they are."""
import numpy as np


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
