#!/usr/bin/env python3
"""Programs on a CUDA card against hand-written CUDA and cuBLAS: speed as ratios in one run.

    cards.py [--runs N] [--arch sm_90] [--markdown FILE] [--check] [PROGRAM …]

Builds both sides under out/experiments/cards with nvcc, makes the inputs, and runs them in turn (A B A B …), once for nothing and
then N times. What is compared is the time of the tasks, with all data on the card: kernels, and what the host does between them. The
ratio is the reference's time over HP5's, the median of the pairs. What both sides wrote is checked. Beside that stands what
the card's memory can do (reference/cuda/bandwidth.cu), in the same run, and how much of it programs have that do little else.

--markdown FILE   the table as markdown, with date and card
--check           without a card: every reference compiles (where there are nvcc and cuBLAS), and HP5's sides run on the simulated card of tests/card with
                  small inputs, and are checked
"""
import argparse
import datetime
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

import numpy as np

import table
from table import HP5C, REFERENCE, ROOT, sh

import apps  # noqa: E402  (table has said where these are)
import common  # noqa: E402

OUT = table.OUT / "cards"
CUDA = REFERENCE / "cuda"
MODEL = ROOT / "pcubes-models" / "h200.pcubes"


class Multiply:
    """A script for programs/matrix-multiply, which has none: some elements are looked at."""

    CASES = [{"n": 100, "k": 64, "l": 64, "q": 64}, {"n": 37, "k": 16, "l": 16, "q": 8}]

    def __init__(self, name, kind):
        self.name, self.kind = name, kind
        self.OUTPUTS = {name: ["c"]}

    def make(self, n=4096, k=512, l=512, q=512):
        random = np.random.default_rng(1)
        return {"a": random.random((n, n), self.kind), "b": random.random((n, n), self.kind), "k": k, "l": l, "q": q}

    @staticmethod
    def check(a, b, c, **_others):
        places = np.random.default_rng(2).integers(0, len(c), (200, 2))
        expected = np.array([a[i].astype(float) @ b[:, j].astype(float) for i, j in places])
        common.close("c", np.array([c[i, j] for i, j in places]), expected, 1e-12 if a.dtype == float else 1e-4)
        return f"{len(places)} elements of c are right"


class Entry:
    """bytes: that the program has to move in the card's memory, from its sizes; None: other things bound it."""

    def __init__(self, name, moved=None, **sizes):
        self.name, self.sizes, self.moved = name, sizes, moved


PROGRAMS = [
    Entry("matrix-multiply-single", n=8192),
    Entry("matrix-multiply", n=8192),
    Entry("transpose", moved=lambda s: 16 * s["rows"] * s["columns"], rows=16384, columns=8192, k=128, l=128),
    Entry("matrix-vector-rows", moved=lambda s: 8 * s["rows"] * s["columns"], rows=32768, columns=8192, k=64),
    Entry("n-body", n=16_384, steps=4, k=128),
]


def module_of(name):
    if name == "matrix-multiply":
        return ROOT / "programs/matrix-multiply/matrix-multiply.hp5", Multiply(name, np.float64)
    if name == "matrix-multiply-single":
        return ROOT / "programs/matrix-multiply/matrix-multiply-single.hp5", Multiply(name, np.float32)
    return apps.scripts()[name]


def arguments_of(module, name, sizes):
    return module.make(**sizes) if isinstance(module, Multiply) else common.arguments_for(vars(module), name, sizes)


def build_hp5(name, source, folder, more):
    target = folder / name
    sh(HP5C, source, "--map", ROOT / "mappings" / name / "card.map", "--model", MODEL, *more, "-o", target)
    return target


def build_reference(name, folder, arch):
    common_object, target = folder / "common.o", folder / f"{name}-reference"
    sh("cc", "-std=gnu17", "-O2", "-c", REFERENCE / "common.c", "-o", common_object)
    sh("nvcc", "-std=c++20", "-O3", f"-arch={arch}", "-Werror", "all-warnings", CUDA / f"{name}.cu", common_object, "-lcublas", "-o", target)
    return target


def measure(entry, options):
    folder = OUT / entry.name
    folder.mkdir(parents=True, exist_ok=True)
    source, module = module_of(entry.name)
    arguments = arguments_of(module, entry.name, entry.sizes)
    words, outputs = common.write_inputs(arguments, folder), module.OUTPUTS[entry.name]
    ours = table.Side(build_hp5(entry.name, source, folder, ["--gpu-arch", options.arch]), words, outputs, folder / "ours", 1)
    theirs = table.Side(build_reference(entry.name, folder, options.arch), words, outputs, folder / "theirs", 1)
    pairs = [(ours.seconds(), theirs.seconds()) for _ in range(options.runs + 1)][1:]
    said = [side.check(module, arguments) for side in (ours, theirs)]
    for path in [*folder.rglob("*.npy")]:
        path.unlink()
    ratios = sorted(theirs / ours for ours, theirs in pairs)
    return {"ours": statistics.median(p[0] for p in pairs), "theirs": statistics.median(p[1] for p in pairs), "ratio": statistics.median(ratios),
            "least": ratios[0], "most": ratios[-1], "said": said}


def bandwidth(options):
    """Bytes a second: of a copy, of reading."""
    done = sh(build_reference("bandwidth", OUT, options.arch), f"bytes={1 << 30}", "rounds=20")
    return tuple(float(re.search(rf"^{what} (\S+)$", done.stdout, re.M)[1]) for what in ("copy", "read"))


HEAD = ["program", "seconds HP5", "seconds CUDA", "ratio", "from … to", "of the copy bandwidth"]


def row(entry, result, copy):
    share = f"{entry.moved(entry.sizes) / result['ours'] / copy:.2f}" if entry.moved else ""
    return [entry.name, f"{result['ours']:.6f}", f"{result['theirs']:.6f}", f"{result['ratio']:.2f}", f"{result['least']:.2f} … {result['most']:.2f}", share]


def as_markdown(rows, options, copy, read):
    card = sh("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").stdout.strip().replace("\n", "; ")
    compiler = sh("nvcc", "--version").stdout.strip().splitlines()[-1]
    lines = [f"{datetime.date.today()}, {card}; {compiler}, {options.arch}; {options.runs} pairs of runs. Copies take {copy / 1e9:.0f} GB/s, reading {read / 1e9:.0f} GB/s.",
             "", "| " + " | ".join(HEAD) + " |", "|---|" + "---:|" * (len(HEAD) - 1)]
    return "\n".join(lines + ["| " + " | ".join(r) + " |" for r in rows]) + "\n"


def has_toolkit():
    compiler = shutil.which("nvcc")
    return compiler is not None and (pathlib.Path(compiler).resolve().parent.parent / "include" / "cublas_v2.h").exists()


def check_small(entry):
    folder = OUT / "check" / entry.name
    folder.mkdir(parents=True, exist_ok=True)
    if has_toolkit():
        build_reference(entry.name, folder, "sm_80")
    source, module = module_of(entry.name)
    ours = build_hp5(entry.name, source, folder, ["--nvcc", ROOT / "tests/card/nvcc", "--cc-flag=-O0"])
    for case in module.CASES[:2]:
        arguments = arguments_of(module, entry.name, case)
        side = table.Side(ours, common.write_inputs(arguments, folder), module.OUTPUTS[entry.name], folder / "ours", 1)
        if side.seconds() <= 0:
            sys.exit(f"{ours}: --timing says nothing")
        print(f"{entry.name}: {side.check(module, arguments)}", flush=True)
    for path in [*folder.rglob("*.npy")]:
        path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--markdown")
    parser.add_argument("--check", action="store_true")
    names = [entry.name for entry in PROGRAMS]
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(names))
    options = parser.parse_args()
    unknown = [name for name in options.programs if name not in names]
    if unknown:
        parser.error(f"no program {', '.join(unknown)}; known: {', '.join(names)}")
    wanted = [entry for entry in PROGRAMS if not options.programs or entry.name in options.programs]
    if options.check:
        if not has_toolkit():
            print("references are not compiled: there is no nvcc with cuBLAS beside it")
        for entry in wanted:
            check_small(entry)
        return
    for tool in ("nvcc", "nvidia-smi"):
        if not shutil.which(tool) or subprocess.run([tool, "--version"], capture_output=True, check=False).returncode != 0:
            sys.exit(f"{tool} does not run here: cards are measured where there is one (--check needs none)")
    OUT.mkdir(parents=True, exist_ok=True)
    copy, read = bandwidth(options)
    print(f"copies take {copy / 1e9:.0f} GB/s, reading {read / 1e9:.0f} GB/s", flush=True)
    rows = []
    for entry in wanted:
        result = measure(entry, options)
        rows.append(row(entry, result, copy))
        print(f"{table.as_text(rows[-1:], HEAD)}\n    HP5: {result['said'][0]}\n    CUDA: {result['said'][1]}", flush=True)
    print("\n" + table.as_text(rows, HEAD))
    if options.markdown:
        pathlib.Path(options.markdown).write_text(as_markdown(rows, options, copy, read), encoding="utf-8")


if __name__ == "__main__":
    main()
