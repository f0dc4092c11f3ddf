"""Inputs of the kernels that a newcomer wrote from the manual: small applications of several stages, and dense linear algebra of a third hand."""
import numpy as np


def crank_nicolson(draw, n):
    return {"start": 10 * draw.random((n, n + 7)), "diffusivity": 0.2 + draw.random((n, n + 7)), "rounds": 5, "r": 1.5, "k": -(-n // 8), "l": -(-(n + 7) // 5)}


def d3q19(draw, n):
    e = [(0, 0, 0)] + [(s * a, s * b, s * c) for a, b, c in ((0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 1, 1), (0, 1, -1), (1, 0, 1), (1, 0, -1), (1, 1, 0), (1, -1, 0)) for s in (1, -1)]
    weight = np.array([{0: 1 / 3, 1: 1 / 18, 2: 1 / 36}[sum(map(abs, way))] for way in e])
    solid = np.ones((n, n + 3, n + 7), np.int32)
    solid[1:-1, 1:-1, 1:-1] = draw.random((n - 2, n + 1, n + 5)) < 0.03
    return {"solid": solid, "e": np.array(e, np.int32), "weight": weight, "opposite": np.array([0] + [q + 1 if q % 2 else q - 1 for q in range(1, 19)], np.int32),
            "rounds": 8, "omega": 1.2, "force": 1e-3, "k": -(-n // 4)}


def pml(draw, n):
    time = np.arange(150 if n > 60 else 21) - 10
    a = (0.25 * time) ** 2
    return {"speed": (0.7 + 0.3 * draw.random((n, n + 7))).astype(np.float32), "wavelet": ((1 - 2 * a) * np.exp(-a)).astype(np.float32), "width": max(n // 10, 3), "ratio": 0.5,
            "depth": n // 3, "si": n // 2, "sj": n // 2 + 2, "k": -(-n // 8)}


def bcsr(draw, n):
    blocks = draw.integers(1, 10, n)
    first = np.concatenate(([0], np.cumsum(blocks)))
    column = draw.integers(0, n, first[-1])
    x = draw.random((n, 4))
    return {"start": x / np.sqrt((x * x).sum()), "first": first.astype(np.int32), "column": column.astype(np.int32), "value": 0.1 + draw.random((first[-1], 4, 4)),
            "limit": 25, "k": -(-n // 8)}


def hartree(draw, n):
    return {"rho": draw.random((n, n + 1, n + 5)), "rounds": 20 if n > 60 else 3, "h": 0.3, "weight": 0.8, "k": -(-n // 6)}


MOVES = ["match_match", "match_insert", "match_delete", "insert_match", "insert_insert", "delete_match", "delete_delete"]


def profile_forward(draw, n):
    places = 50 if n > 60 else 11
    lengths = draw.integers(places // 2, 2 * places, n)
    move = np.zeros(places, [(name, float) for name in MOVES])
    for name, chance in zip(MOVES, (0.9, 0.06, 0.04, 0.6, 0.4, 0.7, 0.3)):
        move[name] = np.log(chance) + 0.01 * draw.normal(size=places)
    emit = draw.dirichlet(np.full(20, 0.3), places) + 1e-3
    return {"letters": draw.integers(0, 20, lengths.sum(), np.int32), "first": np.concatenate(([0], np.cumsum(lengths))).astype(np.int32), "emit": np.log(emit / emit.sum(1, keepdims=True)),
            "move": move, "k": -(-n // 8)}


def records(**columns):
    first = next(iter(columns.values()))
    rows = np.zeros(len(first), [(name, column.dtype) for name, column in columns.items()])
    for name, column in columns.items():
        rows[name] = column
    return rows


def plummer(draw, n):
    single = lambda low, high: (low + (high - low) * draw.random(n)).astype(np.float32)
    return {"position": records(x=single(1, 2), y=single(1, 2), z=single(1, 2)), "velocity": records(x=single(3, 4), y=single(3, 4), z=single(3, 4)),
            "mass": single(0.5, 1) / np.float32(n), "rounds": 3, "step": 0.01, "softening": 0.05, "k": -(-n // 8)}


def dbscan(draw, n):
    centres = 10 * draw.random((max(n // 200, 3), 2))
    place = centres[draw.integers(0, len(centres), n)] + 0.25 * draw.normal(size=(n, 2))
    place[::9] = 10 * draw.random((len(place[::9]), 2))
    return {"point": records(x=place[:, 0], y=place[:, 1]), "radius": 0.14 if n > 1000 else 0.5, "least": 8 if n > 1000 else 4, "k": -(-n // 8)}


def critters_blocks(draw, n):
    rule = []
    for code in range(16):
        alive = bin(code).count("1")
        new = code if alive == 2 else 15 - code
        if alive == 3:
            new = sum((new >> b & 1) << 3 - b for b in range(4))
        rule.append(new)
    return {"start": draw.integers(0, 2, (n, n + 7), np.int32), "rule": np.array(rule, np.int32), "rounds": 150 if n > 60 else 7, "k": -(-n // 8)}


def hampel(draw, n):
    series = draw.normal(size=(n, 20 * n + 3)) if n < 100 else draw.normal(size=(n, 2 * n + 3))
    series[draw.random(series.shape) < 0.02] *= 9
    return {"series": series, "limit": 3.0, "k": -(-n // 8)}


def ray_times(draw, n):
    layers = 25 if n > 1000 else 7
    stations = max(n // 50, 5)
    at = draw.integers(1, 99, stations)
    first = np.concatenate(([0], np.cumsum(at)))
    n = first[-1]
    return {"pick": records(layer=draw.integers(1, layers + 1, n, np.int32), offset=(1 + 40 * draw.random(n)).astype(np.float32), observed=(5 + draw.random(n)).astype(np.float32)),
            "thick": 0.5 + draw.random(layers), "speed": np.linspace(2, 6, layers) + draw.normal(size=layers) * 0.2, "first": first.astype(np.int32), "tolerance": 1e-4,
            "k": -(-n // 8), "l": -(-stations // 5)}


def encoder(draw, n):
    d, heads = (256, 8) if n > 60 else (12, 3)
    single = lambda *shape: (draw.normal(size=shape) / np.sqrt(shape[0])).astype(np.float32)
    return {"x": 12 + draw.random((n, d), np.float32), "to_query": single(d, d), "to_key": single(d, d), "to_value": single(d, d), "back": single(d, d), "widen": single(d, 4 * d),
            "narrow": single(4 * d, d), "gain": 1 + draw.random(d, np.float32), "offset": draw.random(d, np.float32), "heads": heads, "k": -(-n // 8)}


def bicg(draw, n):
    return {"a": draw.random((n, n - 12)), "p": draw.random(n - 12), "r": draw.random(n), "k": -(-n // 8)}


def gesummv(draw, n):
    return {"a": draw.random((n, n)), "b": draw.random((n, n)), "x": draw.random(n), "alpha": 1.5, "beta": 1.25, "k": -(-n // 8)}


def nussinov(draw, n):
    return {"base": draw.integers(0, 4, n, np.int32)}


def seidel_2d(draw, n):
    return {"start": draw.random((n, n + 7)), "rounds": 20 if n > 100 else 3}
