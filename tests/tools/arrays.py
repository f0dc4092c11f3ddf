"""Arrays for tests and for users: made from a short text, compared with a report.

A generator is NAME(extents..., type, option=value...):

    rand(7, 9, float64, seed=1)      normal random numbers (integers and structures: random fields)
    ints(7, 9, low=0, high=9, seed=1)          random whole numbers (int64), both ends included
    arange(3, 4, float32)            0, 1, 2 ... in C order
    zeros(5, int64)  ones(5, int64)
    plate(200, 300)                  a plate with hot edges and spots (float64), for heat programs
    spd(50, seed=1)                  a symmetric positive definite matrix
    file(PATH)                       an existing .npy file

The type is numpy's name; a structure is written name:type+name:type, as in x:float64+id:int32.
"""
import re

import numpy as np


class Problem(Exception):
    """Something the caller got wrong, in words for people."""


def parse_type(text):
    if ":" not in text:
        try:
            return np.dtype(text)
        except TypeError:
            raise Problem(f"'{text}' is not a numpy type")
    fields = [field.split(":") for field in text.split("+")]
    return np.dtype([(name, parse_type(kind)) for name, kind in fields])


def split_generator(text):
    match = re.fullmatch(r"(\w+)\((.*)\)", text.strip())
    if not match:
        raise Problem(f"'{text}' is not NAME(extents..., type, option=value...)")
    name, inside = match.groups()
    if name == "file":
        return name, [], inside, {}
    extents, kind, options = [], "int64" if name == "ints" else "float64", {}
    for part in filter(None, (part.strip() for part in inside.split(","))):
        if re.fullmatch(r"\d+", part):
            extents.append(int(part))
        elif "=" in part:
            key, value = part.split("=", 1)
            options[key.strip()] = float(value) if "." in value or "e" in value else int(value)
        else:
            kind = part
    return name, extents, kind, options


def random_values(rng, extents, kind):
    if kind.names:
        array = np.zeros(extents, kind)
        for name in kind.names:
            array[name] = random_values(rng, array[name].shape, kind[name].base)
        return array
    if kind.kind == "b":
        return rng.integers(0, 2, extents).astype(kind)
    if kind.kind in "iu":
        return rng.integers(0 if kind.kind == "u" else -100, 100, extents, endpoint=True).astype(kind)
    return rng.standard_normal(extents).astype(kind)


def plate(extents):
    rows, columns = extents
    x, y = np.meshgrid(np.linspace(0, 1, columns), np.linspace(0, 1, rows))
    heat = np.zeros(extents)
    for row, column, width, peak in ((0.3, 0.3, 0.05, 90.0), (0.6, 0.7, 0.08, 60.0), (0.8, 0.2, 0.03, 120.0)):
        heat += peak * np.exp(-((x - column) ** 2 + (y - row) ** 2) / (2 * width**2))
    if rows > 0 and columns > 0:
        heat[0, :], heat[:, 0] = 100.0, 75.0
    return heat


def generate(text):
    name, extents, kind, options = split_generator(text)
    if name == "file":
        return np.load(kind)
    rng = np.random.default_rng(options.get("seed", 0))
    if name == "plate":
        if len(extents) != 2:
            raise Problem("plate(ROWS, COLUMNS) has two extents")
        return plate(extents)
    if name == "spd":
        base = rng.standard_normal((extents[0], extents[0]))
        return base @ base.T + extents[0] * np.eye(extents[0])
    kind = parse_type(kind)
    if name == "rand":
        return random_values(rng, extents, kind)
    if name == "ints":
        return rng.integers(options.get("low", 0), options.get("high", 9), extents, endpoint=True).astype(kind)
    if name == "arange":
        return np.arange(int(np.prod(extents))).reshape(extents).astype(kind)
    if name in ("zeros", "ones"):
        return getattr(np, name)(extents, kind)
    raise Problem(f"'{name}' is not a generator: rand, ints, arange, zeros, ones, plate, spd or file")


def bits(array):
    """The array's bytes in C order; NaNs keep their bits."""
    return np.ascontiguousarray(array).tobytes()


def first_difference(a, b):
    """Where two arrays of one shape and type first differ in their bits, in words."""
    size = a.dtype.itemsize
    left = np.frombuffer(bits(a), np.uint8).reshape(-1, size)
    right = np.frombuffer(bits(b), np.uint8).reshape(-1, size)
    different = np.nonzero((left != right).any(axis=1))[0]
    where = np.unravel_index(different[0], a.shape) if a.shape else ()
    place = "".join(f"[{int(i)}]" for i in where)
    return f"{len(different)} of {a.size} elements differ, the first at {place}: {a[where]!r} and {b[where]!r}"


def difference(a, b):
    """None when the arrays are equal bit by bit, else what differs."""
    if a.shape != b.shape:
        return f"the shapes are {a.shape} and {b.shape}"
    if a.dtype != b.dtype:
        return f"the types are {a.dtype} and {b.dtype}"
    return None if bits(a) == bits(b) else first_difference(a, b)
