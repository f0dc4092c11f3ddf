#!/usr/bin/env python3
"""Copies the first inputs of a fuzz target into a folder: seeds.py TARGET FOLDER

They are the language tests and programs, mappings, models, and small .npy files and command lines made here.
"""
import glob
import io
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def files(*patterns):
    for pattern in patterns:
        for path in sorted(glob.glob(os.path.join(ROOT, pattern))):
            with open(path, "rb") as file:
                yield file.read()


def npy():
    import numpy as np  # only this target needs it
    point = [("x", "<f8"), ("weights", "<f4", (3,)), ("inner", [("n", "<i4"), ("flag", "?")])]
    kinds = ["<i8", "<i4", "<f4", "<f8", "?", "S1", point, ">i8", ">i4", ">f4", ">f8", "<u2", "<f2", "<i2", "i1"]
    for number, kind in enumerate(kinds):
        for rank in (1, 2, 3):
            for order in "CF":
                out = io.BytesIO()
                np.save(out, np.zeros((3, 2, 4)[:rank], dtype=kind, order=order))
                for element in ({number % 7, 0, 3} if number > 6 else {number}):
                    yield bytes([element, rank - 1]) + out.getvalue()


FUNCTIONS = b"""m = Machine(Core)
def f(Tuple ipoint, Tuple ispace):
    m2 = m.decompose(1, ispace)
    upper = tuple(min(ipoint[i], m2.size[i] - 1) for i in (0, 1))
    return m[0, (ipoint[0] * ispace[1] + ipoint[1]) % m.size[1]]
"Heat" {
    Space A: Core by f
    Space B: Core
}
"""

SEEDS = {
    "source": lambda: files("tests/language/*/*.hp5", "programs/*/*.hp5", "tests/random/kept/*.hp5"),
    "mapping": lambda: [text.replace(b"Heat Stencil", b"Heat") for text in files("mappings/*/*.map", "tests/*/*/*/*.map")] + [FUNCTIONS] + [b'"Heat" {\n Space Root: CPU\n Space A: Core-Pair\n Space B: Core[0...1]\n}\n'],
    "model": lambda: files("pcubes-models/*.pcubes"),
    "npy": npy,
    "arguments": lambda: [b"\x00a=in.npy\nout=o.npy\nk=3\nx=1.5\nflag=true\ntext=abc", b"\x00--help", b"\x00--a\nf\n--out=o\nk=0x10\nx=nan\n--threads\n4\n--machine\nCore=2,Node=1",
                          b"\x01program.hp5\n-o\nout\n--map\nm.map\n--model=m.pcubes\n--checked", b"\x01--explain\nE0201", b"\x01--prob=fast\n--cc-flag\n-g\n--\nx"],
}


def main():
    target, folder = sys.argv[1:]
    for number, text in enumerate(SEEDS[target]()):
        with open(os.path.join(folder, f"seed-{number:04}"), "wb") as file:
            file.write(text)


if __name__ == "__main__":
    main()
