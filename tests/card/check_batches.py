#!/usr/bin/env python3
"""Parts of LPUs that come from the host's memory for a visit (compiler/emit/cuda/staged.c, runtime/card/batch.h): which visits have which, and how much comes and goes.

    check_batches.py --hp5c HP5C

The text of a language test on each level: arrays of the loops over LPUs, in their order, with what visits do with them. Bytes to and fro of programs/matrix-multiply, with room for parts of LPUs, for parts of their
sub-partitions alone, and for none, which is said.
"""
import itertools
import os
import re
import subprocess
import sys

import numpy

import emitted

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PARTS = "parts_for_a_visit"
REGIONS = "".join(f"    Region {array}: STAGED\n" for array in ("a", "made", "marks", "plate", "sums", "weights"))
# Of each loop over LPUs the arrays: r: visits need what their parts have, c: they change them.
BELOW = [{"made": "r", "weights": "r"}, {"made": "r"}, {"made": "rc"}] # sub-partitions, Space C, twice
FIRST, AROUND, BESIDE = [{"made": "c"}, {"weights": "c"}], {"made": "rc", "a": "r", "sums": "c", "weights": "r"}, [{"plate": "rc"}, {"made": "rc", "weights": "r"}, {"made": "r", "marks": "rc"}, {"made": "rc"}]
WANTED = [*FIRST, {"plate": "rc", "a": "r"}, AROUND, *BELOW, *BESIDE]
FLAGS = {"HP5_BATCH_READS": "r", "HP5_BATCH_CHANGES": "c", "HP5_BATCH_NEWEST": "n", "0": ""}
MAPPING = '"Matrix Multiply" {{ Space A: {} Region a: STAGED Region b: STAGED Region c: STAGED }}'
# Level, crews; rows, columns, inner; k, l, q; bytes that the card says are left; which parts come: of LPUs, of their sub-partitions, or none.
PRODUCTS = [("Card", 1, 30, 25, 40, 13, 11, 7, None, "LPUs"), ("Multi", 3, 60, 50, 40, 13, 11, 7, None, "LPUs"), ("Card", 1, 20, 20, 20000, 10, 9, 2000, 1_000_000, "sub-partitions"),
            ("Multi", 3, 31, 20, 9000, 10, 10, 500, 1_000_000, "sub-partitions"), ("Multi", 3, 31, 20, 40, 10, 10, 7, 1000, None)]


def visits(text):
    loops = re.split(r"^ +\{\n(?= +Hp5Batch )", text, flags=re.M)[1:]
    return [{name: "".join(FLAGS[flag] for flag in flags.split(" | ")) for name, flags in re.findall(r"Hp5Batch (\w+)_batch_\w+\(worker, \S+, \d+, (.*)\);", loop.partition("for (")[0])} for loop in loops]


def check_texts(hp5c):
    failed = False
    for level, flags in emitted.LEVELS:
        found = visits(emitted.text_of(hp5c, PARTS, level, *flags, lines=REGIONS))
        if found != (WANTED if level in ("Card", "Multi") else []):
            print(f"{PARTS}, {level} {' '.join(flags)}: visits are {found}")
            failed = True
    return failed


def shares(extent, size):
    return [min(size, extent - begin) for begin in range(0, extent, size)]


def run(hp5c, folder, case):
    """Bytes to the card and back, and what else was said."""
    level, _, rows, columns, inner, k, l, q, left, _ = case
    with open(f"{folder}/a.map", "w", encoding="utf-8") as out:
        out.write(MAPPING.format(level))
    subprocess.run([hp5c, f"{ROOT}/programs/matrix-multiply/matrix-multiply.hp5", "--nvcc", f"{HERE}/nvcc", "--map", f"{folder}/a.map", "--model", f"{HERE}/models/small.pcubes", "-o", f"{folder}/program"], check=True)
    rng = numpy.random.default_rng(rows)
    a, b = rng.random((rows, inner)), rng.random((inner, columns))
    numpy.save(f"{folder}/a.npy", a)
    numpy.save(f"{folder}/b.npy", b)
    variables = dict(os.environ, HP5_SIM_RESIDENT="96", **({"HP5_SIM_LEFT": str(left)} if left else {}))
    done = subprocess.run([f"{folder}/program", "--timing", f"k={k}", f"l={l}", f"q={q}", *(f"{name}={folder}/{name}.npy" for name in "abc")], env=variables, check=True, capture_output=True, text=True)
    if not numpy.allclose(numpy.load(f"{folder}/c.npy"), a @ b, rtol=1e-12, atol=0):
        print(f"{case}: the product is wrong")
    return tuple(map(int, re.search(r"to cards went (\d+) bytes of arrays, and back (\d+)", done.stderr).groups())), done.stderr


def expected(case):
    """The parts that come, one after the other for each crew: rows of a stay while the next LPU has the same."""
    _, crews, rows, columns, inner, k, l, _, _, comes = case
    down, across = shares(rows, k), shares(columns, l)
    lpus, given = list(itertools.product(range(len(down)), range(len(across)))), 0
    for crew in range(crews):
        begin, end = (sum(len(lpus) // crews + (c < len(lpus) % crews) for c in range(n)) for n in (crew, crew + 1))
        before = None
        for i, j in lpus[begin:end]:
            given += down[i] * across[j] + inner * across[j]
            given += 0 if comes == "LPUs" and before == i else down[i] * inner
            before = i
    return (8 * given, 8 * rows * columns) if comes else (0, 0)


def check_traffic(hp5c, folder):
    failed = False
    for case in PRODUCTS:
        found, said = run(hp5c, folder, case)
        warned = set(re.findall(r"the card has no room for parts of array (\w) for Space A", said))
        if found != expected(case) or ("c" in warned) != (not case[-1]) or bool(warned) != (not case[-1]):
            print(f"{case}: {found} bytes went and came in place of {expected(case)}; {said}")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(emitted.main_of_two(__doc__, check_texts, check_traffic))
