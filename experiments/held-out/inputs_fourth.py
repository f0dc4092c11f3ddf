"""Inputs of the kernels of image and signal processing, learning, bioinformatics, graphs, codes and data that another hand wrote."""
import numpy as np


def chacha(draw, n):
    words = lambda *shape: draw.integers(0, 1 << 32, shape)
    return {"text": words(n, 16), "key": words(8), "nonce": words(3), "first": 4294967290, "k": -(-n // 8)}


def group_by(draw, n):
    stores = 700 if n > 1000 else 23
    sale = np.zeros(n, np.dtype([("store", np.int32), ("pieces", np.int32), ("price", float)]))
    sale["store"] = np.minimum(stores * draw.random(n) ** 2, stores - 1)
    sale["store"][sale["store"] == 5] = 6
    sale["pieces"], sale["price"] = draw.integers(-1, 9, n), 1 + 99 * draw.random(n)
    return {"sale": sale, "stores": stores, "k": -(-n // 8), "l": -(-stores // 4)}


def reed_solomon(draw, n):
    return {"bytes": draw.integers(0, 256, (n, 223 if n > 60 else 41), np.int32), "k": -(-n // 8)}


def forest_fire(draw, n):
    start = np.zeros((n, n + 7), np.int32)
    start[1:-1, 1:-1] = draw.choice(3, (n - 2, n + 5), p=[0.4, 0.59, 0.01])
    return {"start": start, "rounds": 50 if n > 60 else 11, "growth": 1 << 27, "lightning": 1 << 20, "p": 4}


def gradient_descent(draw, n):
    x = draw.normal(size=(n, 21))
    x[:, 0] = 1
    label = x @ draw.normal(size=21) + draw.normal(size=n) > 0
    return {"x": x, "label": label, "rounds": 10, "rate": 0.5, "decay": 0.01, "k": -(-n // 8)}


def depthwise(draw, n):
    size, wide, out = (28, 32, 64) if n > 20 else (7, 5, 9)
    single = lambda *shape: draw.normal(size=shape).astype(np.float32)
    return {"image": single(n, size, size + 5, wide), "filter": single(3, 3, wide), "bias": single(wide), "mix": 0.2 * single(wide, out), "k": -(-n // 8)}


def equalise(draw, n):
    side = 64 if n > 100 else 7
    row, column = np.mgrid[:n, :n + 9]
    image = np.clip(90 + 60 * np.sin(row / 50) + 40 * np.cos(column / 70) + 20 * draw.normal(size=(n, n + 9)), 0, 255).astype(np.int32)
    return {"image": image, "side": side, "limit": side * side // 64 + 1, "k": 4, "l": -(-n // 8)}


def sessions(draw, n):
    events = draw.integers(1, 60, n)
    starts = np.concatenate(([0], np.cumsum(events)))
    time = np.cumsum((1 + draw.exponential(size=starts[-1]) * np.where(draw.random(starts[-1]) < 0.1, 3000, 60)).astype(np.int64))
    time -= np.repeat(time[starts[:-1]], events)
    return {"time": time.astype(np.int32), "starts": starts.astype(np.int32), "pause": 900, "k": -(-n // 8)}


def spearman(draw, n):
    x = np.round(draw.normal(size=(n, 15 * n)), 2) if n > 60 else np.round(draw.normal(size=(n, 2 * n)), 1)
    return {"x": x + np.roll(x, 3, 0), "k": -(-n // 8), "p": 4}


def independent_set(draw, n):
    edges = draw.integers(0, n, (5 * n, 2))
    edges = edges[edges[:, 0] != edges[:, 1]]
    edges = np.unique(np.concatenate([edges, edges[:, ::-1]]), axis=0)
    starts = np.searchsorted(edges[:, 0], np.arange(n + 1))
    return {"starts": starts.astype(np.int32), "neighbours": edges[:, 1].astype(np.int32), "k": -(-n // 8)}


def minhash(draw, n):
    words = draw.integers(10, 100, n)
    starts = np.concatenate(([0], np.cumsum(words))).astype(np.int32)
    word = draw.integers(0, 1 << 20, starts[-1], np.int32)
    for s in range(0, n - 1, 2):
        shared = min(words[s], words[s + 1]) * 3 // 4
        word[starts[s + 1]:starts[s + 1] + shared] = word[starts[s]:starts[s] + shared]
    count = 64 if n > 100 else 13
    pair = np.concatenate([np.arange(n // 2 * 2, dtype=np.int32).reshape(-1, 2), draw.integers(0, n, (4 * n, 2), np.int32)])
    return {"starts": starts, "word": word, "a": draw.integers(1, (1 << 31) - 1, count, np.int32), "b": draw.integers(0, (1 << 31) - 1, count, np.int32),
            "pair": pair, "limit": 0.4, "k": -(-n // 8), "l": -(-len(pair) // 8)}


def total_variation(draw, n):
    row, column = np.mgrid[:n, :n + 7] / n
    return {"image": (row + column > 1) + 1.0 * (row < 0.3) + 0.2 * draw.normal(size=(n, n + 7)), "rounds": 30 if n > 60 else 7, "strength": 0.25, "step": 0.248,
            "k": -(-n // 4), "l": -(-(n + 7) // 2)}


def goertzel(draw, n):
    tone, length, frames = np.array([697, 770, 852, 941, 1209, 1336, 1477, 1633.0]), 205, 60 if n > 60 else 5
    key = draw.integers(-1, 16, (n, frames))
    at = np.arange(length)
    wave = np.sin(2 * np.pi * tone[:, None] * at / 8000)
    frame = np.where(key[..., None] < 0, 0, wave[key // 4] + wave[4 + key % 4])
    sound = frame.reshape(n, -1).astype(np.float32) + 0.3 * draw.standard_normal((n, frames * length), np.float32)
    return {"sound": sound.astype(np.float32), "tone": tone, "length": length, "rate": 8000.0, "limit": 2500.0, "k": -(-n // 8)}


def queens(draw, n):
    return {"n": n}


def held_karp(draw, n):
    place = draw.random((n, 10, 2))
    return {"way": (10000 * np.sqrt(((place[:, :, None] - place[:, None]) ** 2).sum(-1))).astype(np.int32), "k": -(-n // 8)}


def jukes_cantor(draw, n):
    length = 800 if n > 60 else 77
    base = draw.integers(0, 4, (n, length))
    for a in range(1, n):
        keep = draw.random(length) < draw.random()
        base[a, keep] = base[draw.integers(0, a), keep]
    letter = np.array([b"A", b"C", b"G", b"T", b"-"])
    base[draw.random((n, length)) < 0.05] = 4
    return {"base": letter[base], "p": 8, "k": -(-n // 8)}
