#!/usr/bin/env python3
"""Kernels that the compiler was not tuned for, against plain C with OpenMP, both compiled as a user would.

    run.py [--runs N] [--threads 1,2] [--march native] [--small] [--markdown FILE] [--part I/N] [KERNEL …]

NAME.hp5 and NAME.c do the same work on the same input. Both sides run in turn (A B A B …), once for nothing and then
N times; the ratio is C's time over HP5's, the median of the pairs: above 1, HP5 is faster. What both wrote is
compared. With --small the inputs are small, and only the comparison counts (a test does this).
"""
import argparse
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

import numpy as np
from numpy.lib import recfunctions

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
import table # noqa: E402  (sh and processor)
from kernels import KERNELS, add_choice, chosen # noqa: E402

HP5C = pathlib.Path(os.environ.get("HP5_BUILD", ROOT / "build")) / "hp5c"
OUT = ROOT / "out" / "experiments" / "held-out"
C_FLAGS = ["-O3", "-fopenmp", "-fno-math-errno"]


# ---- Running ------------------------------------------------------------------------------------------------------

def build(kernel, folder, march):
    ours, theirs = folder / "ours", folder / "theirs"
    table.sh(HP5C, HERE / f"{kernel.name}.hp5", f"--cc-flag=-march={march}", "-o", ours)
    table.sh("cc", "-std=gnu17", *C_FLAGS, f"-march={march}", HERE / f"{kernel.name}.c", ROOT / "experiments" / "reference" / "common.c", "-o", theirs, "-lm")
    return ours, theirs


def write_inputs(kernel, size, folder):
    words = []
    for name, value in kernel.make(np.random.default_rng(1), size).items():
        if isinstance(value, np.ndarray):
            np.save(folder / f"{name}.npy", value)
            value = folder / f"{name}.npy"
        words.append(f"{name}={value}")
    return words


class Side:
    def __init__(self, kernel, executable, words, threads):
        self.results = {name: executable.with_name(f"{executable.name}-{name}.npy") for name in kernel.outputs}
        self.command = [executable, *words, *(f"{name}={path}" for name, path in self.results.items()), f"--threads={threads}", "--task-times"]

    def seconds(self):
        done = table.sh(*self.command)
        self.printed = done.stdout
        return sum(float(found) for found in re.findall(r"^task .* on \d+ threads? in ([0-9.]+) s", done.stderr, re.M))


def plain(array):
    """Records as rows of numbers."""
    return recfunctions.structured_to_unstructured(array) if array.dtype.names else array


def compare(kernel, ours, theirs):
    if ours.printed != theirs.printed:
        sys.exit(f"{kernel.name}: HP5 prints {ours.printed.strip()}, C {theirs.printed.strip()}")
    for name in kernel.outputs:
        mine, other = (plain(np.load(side.results[name])) for side in (ours, theirs))
        same = np.array_equal(mine, other) if kernel.exact else np.allclose(mine, other, rtol=1e-4 if mine.dtype == np.float32 else 1e-11)
        if not same:
            sys.exit(f"{kernel.name}: {name} differs")


def measure(kernel, options, threads):
    folder = OUT / kernel.name
    folder.mkdir(parents=True, exist_ok=True)
    words = write_inputs(kernel, kernel.small if options.small else kernel.size, folder)
    ours, theirs = (Side(kernel, executable, words, threads) for executable in build(kernel, folder, options.march))
    pairs = [(ours.seconds(), theirs.seconds()) for _ in range(options.runs + 1)][1:]
    compare(kernel, ours, theirs)
    for path in folder.glob("*.npy"):
        path.unlink()
    ratios = sorted(p[1] / p[0] for p in pairs) if not options.small else [1.0]
    return [kernel.name, str(threads), f"{statistics.median(p[0] for p in pairs):.4f}", f"{statistics.median(p[1] for p in pairs):.4f}",
            f"{statistics.median(ratios):.2f}", f"{ratios[0]:.2f} … {ratios[-1]:.2f}"]


HEAD = ["kernel", "threads", "seconds HP5", "seconds C", "ratio", "from … to"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--march", default="native", help="as the C compiler has it: x86-64-v3 for AVX2 alone")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--markdown")
    add_choice(parser)
    options = parser.parse_args()
    kernels = chosen(parser, options)
    rows = []
    for threads in map(int, options.threads.split(",")):
        for kernel in kernels:
            rows.append(measure(kernel, options, threads))
            print("  ".join(cell.ljust(16) for cell in rows[-1]), flush=True)
    if options.small:
        return
    mean = math.exp(statistics.mean(math.log(float(row[4])) for row in rows))
    print(f"geometric mean of the ratios {mean:.2f}")
    if options.markdown:
        pathlib.Path(options.markdown).write_text(table.markdown(f"{options.runs} pairs of runs; geometric mean of the ratios {mean:.2f}.", HEAD, rows), encoding="utf-8")


if __name__ == "__main__":
    main()
