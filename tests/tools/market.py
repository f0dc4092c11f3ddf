"""Sparse matrices in MatrixMarket files (.mtx), as the compressed rows that HP5 programs take.

`read(path)` gives values (float64), columns (int32, counted from 0) and ends (int32: where each row ends), sorted by rows and
columns; entries that stand twice are added. Known are coordinate files with real, integer or pattern (all ones) entries, general,
symmetric or skew-symmetric.
"""
import numpy as np

import arrays

FIELDS, SYMMETRIES = ("real", "integer", "pattern"), ("general", "symmetric", "skew-symmetric")


def header(path, line):
    """Field and symmetry."""
    words = line.lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise arrays.Problem(f"'{path}' is not a MatrixMarket file: its first line is not '%%MatrixMarket matrix …'")
    if words[2] != "coordinate":
        raise arrays.Problem(f"'{path}' holds a matrix of kind '{words[2]}', expected 'coordinate'")
    if words[3] not in FIELDS or words[4] not in SYMMETRIES:
        raise arrays.Problem(f"'{path}' holds '{words[3]} {words[4]}' entries; known are {', '.join(FIELDS)} and {', '.join(SYMMETRIES)}")
    return words[3], words[4]


def number(path, line, words, kind):
    try:
        return [kind(word) for word in words]
    except ValueError:
        raise arrays.Problem(f"'{path}', line {line}: '{' '.join(words)}' is not made of numbers")


def entries(path, lines, start, count, pattern):
    """Rows and columns, counted from 1, and values."""
    found = []
    for number_of_line, line in enumerate(lines[start:], start + 1):
        words = line.split()
        if not words or words[0].startswith("%"):
            continue
        if len(words) != (2 if pattern else 3):
            raise arrays.Problem(f"'{path}', line {number_of_line}: expected {2 if pattern else 3} numbers, found {len(words)}")
        place = number(path, number_of_line, words[:2], int)
        found.append((*place, 1.0 if pattern else number(path, number_of_line, words[2:], float)[0], number_of_line))
    if len(found) != count:
        raise arrays.Problem(f"'{path}' says that it has {count} entries, and has {len(found)}")
    return found


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise arrays.Problem(f"cannot read '{path}': {error}")
    field, symmetry = header(path, lines[0] if lines else "")
    start = next((i for i, line in enumerate(lines) if line.strip() and not line.startswith("%")), None)
    sizes = [] if start is None else number(path, start + 1, lines[start].split(), int)
    if len(sizes) != 3:
        raise arrays.Problem(f"'{path}' has no line with the numbers of rows, columns and entries")
    table = {}
    for row, column, value, line in entries(path, lines, start + 1, sizes[2], field == "pattern"):
        if not (1 <= row <= sizes[0] and 1 <= column <= sizes[1]):
            raise arrays.Problem(f"'{path}', line {line}: ({row}, {column}) lies outside the {sizes[0]} x {sizes[1]} matrix")
        table[row - 1, column - 1] = table.get((row - 1, column - 1), 0.0) + value
        if symmetry != "general" and row != column:
            sign = -1.0 if symmetry == "skew-symmetric" else 1.0
            table[column - 1, row - 1] = table.get((column - 1, row - 1), 0.0) + sign * value
    places = sorted(table)
    ends = np.cumsum(np.bincount(np.array([row for row, _ in places], int), minlength=sizes[0]))
    return {"values": np.array([table[place] for place in places]), "columns": np.array([column for _, column in places], np.int32),
            "ends": ends.astype(np.int32)}
