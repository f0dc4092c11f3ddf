"""Inputs of the kernels that another hand wrote from the manual: genomes, stars, weather, molecules, prices, images, signals, graphs, flows and votes."""
import numpy as np


def fm_index(draw, n):
    size = 1 << 22 if n > 1000 else 700
    genome = draw.integers(0, 4, size)
    for _ in range(size // 400): # repeats
        length = int(draw.integers(20, 120))
        a, b = draw.integers(0, size - length, 2)
        genome[b:b + length] = genome[a:a + length]
    text = np.concatenate([genome + 1, [0]])
    rank, step = text.astype(np.int64), 1
    total = len(text)
    # the first 13 letters at once, then doubling
    key = np.zeros(total, np.int64)
    for offset in range(16):
        key = key * 5 + np.concatenate([text[offset:], np.zeros(offset, np.int64)])[:total]
    order = np.argsort(key, kind="stable")
    step = 16
    while True:
        sorted_key = key[order]
        rank = np.empty(total, np.int64)
        rank[order] = np.concatenate([[0], np.cumsum(sorted_key[1:] != sorted_key[:-1])])
        if rank.max() == total - 1:
            break
        key = rank * (total + 1) + np.concatenate([rank[step:] + 1, np.zeros(min(step, total), np.int64)])[:total]
        order = np.argsort(key, kind="stable")
        step *= 2
    bwt = np.roll(text, 1)[order] - 1
    code = np.where(bwt < 0, 4, bwt).astype(np.uint8)
    blocks = total // 64 + 1
    padded = np.full(blocks * 64, 4, np.uint8)
    padded[:total] = code
    before = np.stack([np.concatenate([[0], np.cumsum((padded == c).reshape(blocks, 64).sum(1))[:-1]]) for c in range(4)], 1)
    smaller = 1 + np.concatenate([[0], np.cumsum(np.bincount(genome, minlength=4))[:3]])
    length = 40 if n > 1000 else 13
    start = draw.integers(0, size - length, n)
    read = genome[start[:, None] + np.arange(length)]
    wrong = draw.random((n, length)) < 0.01
    read = np.where(wrong, draw.integers(0, 4, (n, length)), read).astype(np.uint8)
    return {"bwt": code, "before": before.astype(np.int32), "smaller": smaller.astype(np.int32), "read": read, "k": -(-n // 8)}


def cloud_in_cell(draw, n):
    cells = 64 if n > 1000 else 7
    centre = draw.random((50, 3))
    place = (centre[draw.integers(0, 50, n)] + 0.08 * draw.normal(size=(n, 3))) % 1
    place[place >= 1] = 0
    return {"place": place, "mass": 0.5 + draw.random(n), "cells": cells, "k": -(-n // 4), "l": -(-cells // 4)}


def vertical_diffusion(draw, n):
    levels, steps = (70, 20) if n > 100 else (11, 5)
    depth = 20 * 1.05 ** np.arange(levels)
    height = np.cumsum(depth)[:, None]
    theta = 290 + 0.004 * height + draw.normal(size=(levels, n)) * np.exp(-height / 500)
    wind = 10 * np.log1p(height / 10) / 5 + 0.5 * draw.normal(size=(levels, n))
    return {"theta": theta, "wind": wind, "depth": depth, "ground": 288 + 8 * draw.random(n), "land": draw.random(n) < 0.4, "steps": steps, "dt": 60.0, "k": -(-n // 8)}


def hueckel(draw, n):
    atoms = 14 if n > 100 else 7
    h = np.zeros((n, atoms, atoms))
    for a in range(atoms - 1):
        h[:, a, a + 1] = -1 + 0.1 * draw.normal(size=n)
    for _ in range(3):
        a = draw.integers(0, atoms - 2, n)
        h[np.arange(n), a, np.minimum(a + draw.integers(2, 6, n), atoms - 1)] = -0.9
    h += h.transpose(0, 2, 1)
    h[:, np.arange(atoms), np.arange(atoms)] = 0.3 * draw.normal(size=(n, atoms))
    return {"h": h, "electrons": draw.integers(2, 2 * atoms - 3, n, np.int32), "k": -(-n // 8)}


def heston(draw, n):
    return {"paths": n, "steps": 100 if n > 100 else 17, "seed": 12345, "spot": 100.0, "strike": 98.5, "barrier": 80.0, "rate": 0.02, "kappa": 1.5, "theta": 0.05, "xi": 0.6,
            "rho": -0.7, "start": 0.04, "k": -(-n // 8)}


def ray_march(draw, n):
    ball = np.zeros(6, np.dtype([("centre", [("x", float), ("y", float), ("z", float)]), ("radius", float)]))
    ball["centre"]["x"], ball["centre"]["y"], ball["centre"]["z"] = draw.uniform(-1.2, 1.2, 6), draw.uniform(0.4, 1.6, 6), draw.uniform(-1, 1, 6)
    ball["radius"] = draw.uniform(0.3, 0.6, 6)
    return {"ball": ball, "rows": n, "columns": n + 11, "k": 4}


def lucas_kanade(draw, n):
    size = 500 if n > 1000 else 45
    row, column = np.mgrid[:size, :size + 13]
    def picture(y, x):
        value = 0.5 + 0 * x
        for f in range(1, 7):
            value = value + 0.5 / 6 * np.sin(0.07 * f * x + 1.3 * f) * np.cos(0.09 * f * y - f)
        return value
    before = picture(row, column)
    after = picture(row - 1.7 + 0.002 * column, column + 0.9 - 0.001 * row) + 0.002 * draw.normal(size=before.shape)
    point = np.stack([draw.uniform(9, size - 10, n), draw.uniform(9, size + 3, n)], 1)
    return {"before": before, "after": after, "point": point, "rounds": 10, "k": -(-n // 8)}


def biquads(draw, n):
    samples = 48000 if n > 40 else 777
    chain = np.zeros(n, np.dtype([("section", [(name, float) for name in ("b0", "b1", "b2", "a1", "a2")], 6)]))
    turn, quality, gain = 2 * np.pi * draw.uniform(0.003, 0.4, (n, 6)), draw.uniform(0.5, 3, (n, 6)), 10 ** (draw.uniform(-6, 6, (n, 6)) / 40)
    alpha = np.sin(turn) / (2 * quality)
    a0 = 1 + alpha / gain
    section = chain["section"]
    section["b0"], section["b1"], section["b2"] = (1 + alpha * gain) / a0, -2 * np.cos(turn) / a0, (1 - alpha * gain) / a0
    section["a1"], section["a2"] = section["b1"], (1 - alpha / gain) / a0
    return {"sound": 0.3 * draw.normal(size=(n, samples)), "chain": chain, "k": -(-n // 8)}


def triangle_counts(draw, n):
    edges = np.minimum(n * draw.random((12 * n, 2)) ** 1.7, n - 1).astype(np.int64)
    edges = edges[edges[:, 0] != edges[:, 1]]
    edges = np.unique(np.concatenate([edges, edges[:, ::-1]]), axis=0)
    starts = np.searchsorted(edges[:, 0], np.arange(n + 1))
    return {"starts": starts.astype(np.int32), "neighbours": edges[:, 1].astype(np.int32), "k": 64 if n > 1000 else 10}


def band_givens(draw, n):
    rows = 100 if n > 100 else 13
    band = draw.normal(size=(n, rows, 5))
    band[..., 2] += 4
    for i in range(2):
        band[:, i, :2 - i] = 0
        band[:, rows - 1 - i, 3 + i:] = 0
    band[draw.random((n, rows)) < 0.1, 0] = 0
    return {"band": band, "b": draw.normal(size=(n, rows)), "k": -(-n // 8)}


def weno(draw, n):
    row, column = np.mgrid[:n, :n + 7] / n - 0.5
    start = 1.0 * ((np.abs(row + 0.2) < 0.1) & (np.abs(column) < 0.1)) + np.exp(-80 * ((row - 0.2) ** 2 + column ** 2))
    return {"start": start, "steps": 10 if n > 60 else 3, "h": 1.0 / n, "dt": 0.4 / n, "k": -(-n // 4), "l": -(-(n + 7) // 2)}


def forest_votes(draw, n):
    trees, deep, features, classes = (64, 9, 24, 7) if n > 1000 else (7, 4, 5, 3)
    nodes, root = [], []
    for _ in range(trees):
        root.append(len(nodes))
        nodes.append(None)
        level = [len(nodes) - 1]
        for d in range(deep + 1):
            deeper = []
            for at in level:
                if d == deep or (d > 2 and draw.random() < 0.15):
                    nodes[at] = (-1, int(draw.integers(classes)), 0.0)
                else:
                    nodes[at] = (int(draw.integers(features)), len(nodes), draw.normal())
                    deeper += [len(nodes), len(nodes) + 1]
                    nodes += [None, None]
            level = deeper
    node = np.array(nodes, np.dtype([("feature", np.int32), ("child", np.int32), ("threshold", float)]))
    return {"node": node, "root": np.array(root, np.int32), "sample": draw.standard_normal((n, features), np.float32), "truth": draw.integers(0, classes, n, np.int32),
            "classes": classes, "k": -(-n // 8)}


def mac_projection(draw, n):
    solid = draw.random((n, n + 5)) < 0.03
    solid[[0, -1]] = solid[:, [0, -1]] = True
    u, v = draw.normal(size=(2, n, n + 5))
    u[solid] = v[solid] = 0
    u[:, 1:][solid[:, :-1]] = 0
    v[1:][solid[:-1]] = 0
    return {"u": u, "v": v, "solid": solid, "tolerance": 1e-4, "most": 80 if n > 60 else 25, "omega": 1.7, "k": -(-n // 4), "l": -(-(n + 5) // 2)}


def topics(draw, n):
    words, topics, most = (2000, 20, 120) if n > 100 else (50, 4, 15)
    length = draw.integers(1, most, n)
    starts = np.concatenate(([0], np.cumsum(length)))
    mix = draw.dirichlet(np.ones(topics) * 0.3, n)
    table = draw.dirichlet(np.ones(words) * 0.05, topics)
    doc = np.repeat(np.arange(n), length)
    cumulated = np.cumsum(mix, 1)
    z = (draw.random(starts[-1])[:, None] > cumulated[doc]).sum(1)
    where = np.cumsum(table, 1)
    word = np.array([min(np.searchsorted(where[min(t, topics - 1)], r), words - 1) for t, r in zip(z, draw.random(len(z)))], np.int32)
    rows = np.full((n, most - 1), -1)
    rows[np.arange(most - 1) < length[:, None]] = word
    return {"length": length.astype(np.int32), "word": rows, "words": words, "topics": topics, "rounds": 6 if n > 100 else 3, "alpha": 0.3, "beta": 0.05, "seed": 7, "k": -(-n // 8),
            "l": -(-words // 4)}
