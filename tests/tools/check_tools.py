#!/usr/bin/env python3
"""Tests of the tools: MatrixMarket files against SciPy, and the messages about bad ones."""
import os
import sys
import tempfile

import numpy as np
import scipy.io
import scipy.sparse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import arrays # noqa: E402
import market # noqa: E402

BAD = [("", "'t.mtx' is not a MatrixMarket file: its first line is not '%%MatrixMarket matrix …'"),
       ("%%MatrixMarket matrix array real general\n1 1\n1\n", "'t.mtx' holds a matrix of kind 'array', expected 'coordinate'"),
       ("%%MatrixMarket matrix coordinate complex general\n1 1 0\n",
        "'t.mtx' holds 'complex general' entries; known are real, integer, pattern and general, symmetric, skew-symmetric"),
       ("%%MatrixMarket matrix coordinate real general\n% no sizes\n", "'t.mtx' has no line with the numbers of rows, columns and entries"),
       ("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n", "'t.mtx' says that it has 2 entries, and has 1"),
       ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 3\n", "'t.mtx', line 3: (1, 3) lies outside the 2 x 2 matrix"),
       ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3\n", "'t.mtx', line 3: expected 3 numbers, found 2"),
       ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 x 2\n", "'t.mtx', line 3: '1 x' is not made of numbers")]


def check_good(random):
    for symmetry in ("general", "symmetric", "skew-symmetric"):
        for field in ("real", "integer", "pattern"):
            if (symmetry, field) == ("skew-symmetric", "pattern"):
                continue
            for n in (1, 2, 17):
                matrix = scipy.sparse.random(n, n, 0.3, random_state=random).toarray()
                matrix = {"real": matrix, "integer": np.round(9 * matrix), "pattern": (matrix > 0) * 1.0}[field]
                matrix = {"general": matrix, "symmetric": matrix + matrix.T, "skew-symmetric": matrix - matrix.T}[symmetry]
                if field == "pattern":
                    matrix = (matrix > 0) * 1.0
                if field == "integer":
                    matrix = matrix.astype(np.int64)
                scipy.io.mmwrite("t.mtx", scipy.sparse.coo_matrix(matrix), field=field, symmetry=symmetry, comment="made by a test", precision=17)
                found = market.read("t.mtx")
                rows = np.concatenate([[0], found["ends"]])
                assert np.all(np.diff(rows) >= 0) and len(rows) == n + 1
                for first, last in zip(rows, rows[1:]):
                    assert np.all(np.diff(found["columns"][first:last]) > 0), found
                made = scipy.sparse.csr_matrix((found["values"], found["columns"], rows), shape=(n, n)).toarray()
                assert np.array_equal(made, matrix), (symmetry, field, n)


def main():
    with tempfile.TemporaryDirectory(prefix="hp5-tools-") as folder:
        os.chdir(folder)
        check_good(np.random.default_rng(1))
        for text, message in BAD:
            with open("t.mtx", "w", encoding="utf-8") as file:
                file.write(text)
            try:
                market.read("t.mtx")
                sys.exit(f"accepted: {text!r}")
            except arrays.Problem as problem:
                assert str(problem) == message, f"{problem}\nexpected: {message}"
        os.chdir("/")
    print(f"{len(BAD)} messages")


if __name__ == "__main__":
    main()
