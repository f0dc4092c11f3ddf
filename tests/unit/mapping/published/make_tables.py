#!/usr/bin/env python3
"""Writes tables.txt: for each published mapping function, machine and extents, the PPU of each point, row-major.

Independent of hp5c: a processor space is an array of PPU numbers that numpy reshapes and transposes, factorisations are
listed all and compared as fractions, and the functions are written anew in Python.
"""
import itertools
from fractions import Fraction
from math import prod
from pathlib import Path

import numpy as np


def factorisations(d, k):
    if k == 1:
        yield (d,)
        return
    for f in range(1, d + 1):
        if d % f == 0:
            for rest in factorisations(d // f, k - 1):
                yield (f,) + rest


def best(d, extents):
    def cost(factors):
        return sum(Fraction(f, max(l, 1)) for f, l in zip(factors, extents))
    least = min(map(cost, factorisations(d, len(extents))))
    return max(f for f in factorisations(d, len(extents)) if cost(f) == least)


def decompose(space, i, extents):
    """Dimension i becomes len(extents) dimensions, the first of them running fastest."""
    factors = best(space.shape[i], extents)
    shape = space.shape[:i] + tuple(reversed(factors)) + space.shape[i + 1:]
    axes = list(range(i)) + [i + len(factors) - 1 - j for j in range(len(factors))] + list(range(i + len(factors), len(shape)))
    return space.reshape(shape).transpose(axes)


def merged(m):
    return m.transpose().reshape(-1)


def split0(line, d):
    return line.reshape(-1, d).transpose()


def times(a, b):
    return tuple(x * y for x, y in zip(a, b))


def over(a, b):
    return tuple(x // y for x, y in zip(a, b))


def modulo(a, b):
    return tuple(x % y for x, y in zip(a, b))


def block(m):
    return lambda p, s: m[over(times(p, m.shape), s)]


def cyclic(m):
    return lambda p, s: m[modulo(p, m.shape)]


def hierarchical(m, dims):
    def place(p, s):
        upper_space = decompose(m, 0, s)
        whole = decompose(upper_space, dims, over(s, upper_space.shape[:-1]))
        upper = tuple(p[i] * whole.shape[i] // s[i] for i in range(dims))
        lower = tuple(p[i] % whole.shape[i + dims] for i in range(dims))
        return whole[upper + lower]
    return place


def special(m):
    grid = best(m.shape[0], (1, 1, 1))
    return lambda p, s: m[(p[0] + p[1] * grid[2] + p[2] * grid[2] * grid[1]) % m.shape[0], 0]


def conditional(m):
    def place(p, s):
        n = max(s[0], s[2])
        return m[(p[0] + p[1] * n + p[2] * n * n) % m.shape[0], 0]
    return place


def linear_cyclic(m):
    def place(p, s):
        linear = p[0] + s[0] * p[1] + s[0] * s[1] * p[2]
        return m[linear % m.shape[0], linear // m.shape[0] % m.shape[1]]
    return place


FUNCTIONS = [
    ("block2D", 2, block), ("block1D_x", 2, lambda m: block(split0(merged(m), 1))), ("block1D_y", 2, lambda m: block(split0(merged(m), 4))),
    ("cyclic2D", 2, cyclic), ("cyclic1D_x", 2, lambda m: cyclic(split0(merged(m), 1))),
    ("cyclic1D_y", 2, lambda m: cyclic(split0(merged(m), 4))),
    ("blockcyclic", 2, lambda m: lambda p, s: m[modulo(over(p, m.shape), m.shape)]),
    ("hierarchical_block3D", 3, lambda m: hierarchical(m, 3)), ("hierarchical_block2D", 2, lambda m: hierarchical(m, 2)),
    ("linearize_cyclic", 3, linear_cyclic), ("special_linearize3D", 3, special), ("conditional_linearize3D", 3, conditional),
    ("linearblock", 1, lambda m: lambda p, s: m[p[0] // m.shape[1], p[0] % m.shape[1]]),
    ("cyclic1d", 1, lambda m: lambda p, s: m[p[0] % m.shape[0], p[0] // m.shape[0] % m.shape[1]]),
]
MACHINES = [(2, 2), (2, 4), (4, 2), (6, 4), (8, 8)]
EXTENTS = {1: [(4,)], 2: [(6, 6), (8, 12), (5, 9)], 3: [(4, 4, 4), (6, 3, 2), (2, 4, 8)]}

lines = []
for name, dims, make in FUNCTIONS:
    for machine in MACHINES:
        m = np.arange(prod(machine)).reshape(machine)
        place = make(m)
        for extents in EXTENTS[dims] + ([(prod(machine),)] if dims == 1 else []):
            table = [int(place(point, extents)) for point in itertools.product(*map(range, extents))]
            lines.append(" ".join([name, *map(str, machine), str(dims), *map(str, extents), ":", *map(str, table)]))
(Path(__file__).parent / "tables.txt").write_text("\n".join(lines) + "\n")
