#!/usr/bin/env python3
"""Bytes that processors exchange for a 5-point stencil under decompose, and under factors that do not look at the extents.

    python3 experiments/decompose.py [--hp5c build/hp5c] [--out experiments/results] [--quick]

For aspect ratios from 1:1 to 1:32 and 4 to 128 simulated processors, a grid of LPUs (4 x 4 elements each, padding 1) goes to
the processors in blocks, by the index mapping functions of FUNCTIONS. The bytes are those of the compiled program's
--print-mapping: it builds its LPUs, gives them to PPUs and adds up the padding that crosses, on a model with as many
cores as --machine says. Nothing is timed. Writes decompose.md (a table) and decompose.png (a plot).

Expected, before it was run: a cut through the grid costs the extent that lies across it, so p x q blocks of an r x c grid
cost (p - 1) c + (q - 1) r. decompose minimises that. At 1:1 it can only win where the others' factors are not the most
square ones: Chapel's rule, which deals out primes from the smallest, gives 6 x 2 for 12; Open MPI's gives 4 x 3. At
1:32 both put the larger factor on the short side: for 128 processors (15 * 32 + 7) / (32 + 63), 5.1 times the bytes, and
half of that with the factors turned round. The default mapping (no function) should be as good as decompose.

What came out: 5.16 and 2.53 for 1:32 on 128 processors, and the default mapping is decompose's equal everywhere. Not foreseen: the
largest multiples are those of few processors, because decompose then cuts only the long side; 2 x 2 blocks of a 1:32 grid
cost (32 + 1) / 3 = 11 times as much as 1 x 4, whichever way they are turned.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PART = 4
PROGRAM = """Program (args) {
    job = new TaskEnvironment(name: "Stencil")
    bind_input(job, "u", args.u)
    execute(task: "Stencil"; environment: job; initialize: 1; partition: args.k)
    bind_output(job, "u", args.end)
}

Task "Stencil":
    Define:
        u: 2d Array of Real double-precision
        rounds: Integer
    Environment:
        u: link
    Initialize (rounds):
    Stages:
        relax(u) {
            rows = u.local.dimension1.range
            columns = u.local.dimension2.range
            do {
                u[i][j] at (current) = 0.25 * (u[i-1][j] + u[i+1][j] + u[i][j-1] + u[i][j+1]) at (current - 1)
            } for i, j in u and i > rows.min and i < rows.max and j > columns.min and j < columns.max
        }
    Computation:
        Repeat for r in [1...rounds] { Space A { Epoch { relax(u) } } }
    Partition (k):
        Space A <2d> { u: block_size(k, k) padding(1) }
"""
MODEL = 'Machine "Simulated"\nSpace 2: Machine (1)\nSpace 1<core>: Core (128)\n'
BLOCKS = "    return m[0, *(ipoint * m[1:] / ispace)]\n"
FUNCTIONS = {
    "decompose": "    m = machine.decompose(1, ispace)\n" + BLOCKS,
    "Chapel": "    m = machine.greedy(1, 2)\n" + BLOCKS,
    "Open MPI": "    m = machine.dims_create(1, 2)\n" + BLOCKS,
    "Open MPI, turned": "    m = machine.dims_create(1, 2).swap(1, 2)\n" + BLOCKS,
    "default": None,
}
# Grids of LPUs whose extents all factors divide.
GRIDS = {1: (192, 192), 2: (192, 384), 4: (96, 384), 8: (96, 768), 16: (48, 768), 32: (48, 1536)}
PROCESSORS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)


def run(*words):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\nended with {done.returncode}\n{done.stderr}")
    return done.stdout


def build(hp5c):
    """One program for each function."""
    programs = {}
    for name, text in {"p.hp5": PROGRAM, "m.pcubes": MODEL}.items():
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    for number, (method, body) in enumerate(FUNCTIONS.items()):
        with open("m.map", "w", encoding="utf-8") as file:
            if body is not None:
                file.write(f"machine = Machine(Core)\ndef place(Tuple ipoint, Tuple ispace):\n{body}")
            file.write(f'"Stencil" {{ Space A: Core{" by place" if body else ""} }}\n')
        run(hp5c, "p.hp5", "--model", "m.pcubes", "--map", "m.map", "-o", f"p{number}")
        programs[method] = f"./p{number}"
    return programs


def measure(programs, aspect, processors):
    """Bytes between cores for each method, and with contiguous runs."""
    rows, columns = GRIDS[aspect]
    np.lib.format.open_memmap("u.npy", "w+", np.float64, (rows * PART, columns * PART)).flush()  # a sparse file
    bytes_of = {}
    for method, program in programs.items():
        text = run(program, "u=u.npy", "end=none.npy", f"k={PART}", "--print-mapping", "--machine", f"Core={processors}")
        assert f"on {processors} PPUs" in text, text
        line = re.search(r"between Cores +([\d,]+)(?: +in runs: ([\d,]+))?", text)
        bytes_of[method] = int(line[1].replace(",", ""))
        bytes_of["runs"] = int((line[2] or line[1]).replace(",", ""))
    best = min(bytes_of[method] for method in ("Chapel", "Open MPI", "Open MPI, turned", "runs"))
    assert bytes_of["decompose"] <= best, (aspect, processors, bytes_of)
    assert bytes_of["default"] <= bytes_of["decompose"], (aspect, processors, bytes_of)
    return bytes_of


def table(results):
    methods = ["Chapel", "Open MPI", "Open MPI, turned", "runs", "default"]
    lines = ["# Bytes exchanged: decompose against other factors", "",
             "Made by `python3 experiments/decompose.py`. A 5-point stencil on a grid of LPUs of 4 x 4 elements with padding 1, given to", "simulated processors. "
             "The column `decompose` has the bytes that go from processor to processor each time the padding is", "brought up to date, as the compiled program's `--print-mapping` counts them "
             "(two versions of the array, corners included).", "The others are multiples of it. `Chapel` and `Open MPI` are `m.greedy` and `m.dims_create`, which do not look at the extents;",
             "`turned` has the larger factor along the longer side; `runs` are contiguous runs in row-major order; `default` is the mapping", "without a function.", "",
             "| aspect | grid of LPUs | processors | decompose (bytes) | " + " | ".join(methods) + " |", "|" + "---|" * (4 + len(methods))]
    for (aspect, processors), bytes_of in results.items():
        ratios = [f"{bytes_of[m] / bytes_of['decompose']:.2f}" for m in methods]
        lines.append(f"| 1:{aspect} | {GRIDS[aspect][0]} x {GRIDS[aspect][1]} | {processors} | {bytes_of['decompose']:,} | " + " | ".join(ratios) + " |")
    lines += ["", "Largest and geometric mean of the multiples:", "", "| | " + " | ".join(methods) + " |", "|" + "---|" * (1 + len(methods))]
    ratio = {m: np.array([b[m] / b["decompose"] for b in results.values()]) for m in methods}
    lines.append("| largest | " + " | ".join(f"{ratio[m].max():.2f}" for m in methods) + " |")
    lines.append("| mean | " + " | ".join(f"{np.exp(np.log(ratio[m]).mean()):.2f}" for m in methods) + " |")
    return "\n".join(lines) + "\n"


def plot(results, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    aspects = sorted({a for a, _ in results})
    figure, axes = plt.subplots(1, len(aspects), figsize=(2.4 * len(aspects), 3.2), sharey=True, squeeze=False)
    for axis, aspect in zip(axes[0], aspects):
        processors = [p for a, p in results if a == aspect]
        for method, mark in (("Chapel", "s-"), ("Open MPI", "o-"), ("Open MPI, turned", "^--"), ("runs", "x:"), ("default", "-")):
            axis.plot(processors, [results[aspect, p][method] / results[aspect, p]["decompose"] for p in processors], mark, label=method, markersize=4)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log", base=2)
        axis.set_yticks([1, 2, 4, 8, 16, 32], ["1", "2", "4", "8", "16", "32"])
        axis.set_xticks([4, 16, 64], ["4", "16", "64"])
        axis.set_title(f"1:{aspect}", fontsize=10)
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel("bytes exchanged / decompose")
    figure.supxlabel("simulated processors", fontsize=10)
    axes[0][0].legend(fontsize=7, loc="upper left")
    figure.tight_layout()
    figure.savefig(path, dpi=90)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", default=f"{ROOT}/build/hp5c")
    parser.add_argument("--out", default=f"{ROOT}/experiments/results")
    parser.add_argument("--quick", action="store_true", help="a few cases only")
    options = parser.parse_args()
    hp5c, out = os.path.abspath(options.hp5c), os.path.abspath(options.out)
    aspects, processors = ((1, 8), (6, 16)) if options.quick else (tuple(GRIDS), PROCESSORS)
    with tempfile.TemporaryDirectory(prefix="hp5-decompose-") as folder:
        os.chdir(folder)
        programs = build(hp5c)
        results = {(aspect, p): measure(programs, aspect, p) for aspect in aspects for p in processors}
        os.chdir(ROOT)
    text = table(results)
    with open(f"{out}/decompose.md", "w", encoding="utf-8") as file:
        file.write(text)
    plot(results, f"{out}/decompose.png")
    print(text[text.index("Largest"):], end="")


if __name__ == "__main__":
    sys.exit(main())
