#!/usr/bin/env python3
"""Programs on a CUDA card against hand-written CUDA and cuBLAS: speed as ratios in one run.

    cards.py [--runs N] [--arch sm_90] [--model FILE] [--markdown FILE] [--log FILE] [--prepare | --prepared | --check] [PROGRAM …]

Builds both sides under out/experiments/cards with nvcc, makes the inputs, and runs them in turn (A B A B …), once for nothing and
then N times. What is compared is the time of the tasks, with all data on the card: kernels, and what the host does between them. The
ratio is the reference's time over HP5's, the median of the pairs. What both sides wrote is checked. Beside that stands what
the card's memory can do (reference/cuda/bandwidth.cu), in the same run, and how much of it programs have that do little else.

A program without hand-written CUDA stands in the table with its time, and with what share of the copy bandwidth it uses.

--markdown FILE   the table as markdown, with date and card
--log FILE        what --timing says of the last run of each program, stage by stage
--prepare         only build
--prepared        only run what --prepare has built, maybe on another computer: no compiler is needed, and no HP5
--check           without a card: every reference compiles (where there are nvcc and cuBLAS), and HP5's sides run on the simulated card of tests/card with
                  small inputs, and are checked
"""
import argparse
import concurrent.futures
import datetime
import os
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
sys.path.insert(0, str(ROOT / "tests" / "tools"))
import shared  # noqa: E402

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
        self.has_reference = (CUDA / f"{name}.cu").exists()


class Stencil:
    """A script for programs/stencil: the interpreter's bits are looked at elsewhere; here, that heat neither appears nor vanishes."""

    CASES = [{"edge": 33, "k": 3, "m": 2, "iterations": 4, "p": 2}, {"edge": 20, "k": 1, "m": 1, "iterations": 2, "p": 1}]
    OUTPUTS = {"stencil": ["result"], "stencil-rounds": ["result"]}

    def make(self, edge, iterations, k, m, l=1, n=1, p=1):
        return {"plate": np.random.default_rng(1).random((edge, edge)), "iterations": iterations, "k": k, "l": l, "m": m, "n": n, "p1": p, "p2": p}

    @staticmethod
    def check(plate, iterations, result, **_others):
        expected = plate.copy()
        for _ in range(iterations):
            expected[1:-1, 1:-1] = 0.25 * (expected[:-2, 1:-1] + expected[2:, 1:-1] + expected[1:-1, :-2] + expected[1:-1, 2:])
        common.close("result", result, expected, 1e-14)
        return f"{result.size} cells are right"


class Launches:
    """A script for launches/: what executions of a small task cost."""

    CASES = [{"n": 100, "rounds": 3}, {"n": 1, "rounds": 2}]
    OUTPUTS = {"launches": ["result"]}

    def make(self, n, rounds):
        return {"v": np.random.default_rng(1).random(n), "rounds": rounds}

    @staticmethod
    def check(v, rounds, result, **_others):
        expected = v.copy()
        for _ in range(rounds):
            for _ in range(2):
                w = 0.5 * (expected + expected[::-1])
                expected = w - 0.25 * w[::-1]
            expected = 0.75 * expected + 0.125
        common.close("result", result, expected, 1e-14)
        return f"{result.size} elements are right"


PROGRAMS = [
    Entry("matrix-multiply-single", n=8192),
    Entry("matrix-multiply", n=8192),
    Entry("matrix-multiply-staged", n=8192, k=4096, l=4096, q=1024),
    Entry("transpose", moved=lambda s: 16 * s["rows"] * s["columns"], rows=8192, columns=8192, k=128, l=128),
    Entry("matrix-vector-rows", moved=lambda s: 8 * s["rows"] * s["columns"], rows=16384, columns=8192, k=32),
    Entry("n-body", n=16_384, steps=4, k=128),
    Entry("matrix-vector-columns", moved=lambda s: 8 * s["rows"] * s["columns"], rows=8192, columns=16384, k=64),
    Entry("row-sums", moved=lambda s: 8 * s["rows"] * s["columns"], rows=16384, columns=8192, k=32),
    Entry("stencil", moved=lambda s: 16 * s["edge"] ** 2 * s["iterations"], edge=8192, iterations=20, k=33, l=4, m=16, n=1),
    Entry("stencil-rounds", moved=lambda s: 16 * s["edge"] ** 2 * s["iterations"], edge=8192, iterations=20, k=1, l=1, m=79, n=79, p=4),
    Entry("heat-3d", moved=lambda s: 16 * s["edge"] * s["edge"] * s["height"] * s["steps"], edge=384, height=384, steps=20, k=16, l=16, m=384, p=1),
    Entry("game-of-life", moved=lambda s: 2 * s["rows"] * s["columns"] * s["generations"], rows=8192, columns=8192, generations=20, k=64, l=256, p=1),
    Entry("red-black-sor", edge=4096, max_rounds=20, tolerance=0.0, k=64, l=256),
    Entry("conjugate-gradient", edge=2000, max_rounds=50, precision=0.0, k=1024),
    Entry("conjugate-gradient-tasks", edge=2000, max_rounds=10, precision=0.0, k=128),
    Entry("triangular-solve", n=8000, s=64, parts=1024),
    Entry("lu", n=4096, parts=4096),
    Entry("block-lu", n=4096, b=32, parts=128),
    Entry("monte-carlo", grid=1024, points=500, k=8),
    Entry("monte-carlo-adaptive", grid=512, points=200, k=1),
    Entry("monte-carlo-regions", grid=512, points=100, k=64, l=8),
    Entry("histogram", moved=lambda s: 8 * s["n"], n=100_000_000, k=49_152, b=4),
    Entry("k-means", n=2_000_000, k=1024),
    Entry("prefix-sum", moved=lambda s: 24 * s["n"], n=100_000_000, k=8192),
    Entry("launches", n=4096, rounds=200),
]


def module_of(name):
    if name in ("matrix-multiply", "matrix-multiply-staged"):
        return ROOT / "programs/matrix-multiply/matrix-multiply.hp5", Multiply(name, np.float64)
    if name in ("stencil", "stencil-rounds"):
        return ROOT / "programs/stencil/stencil.hp5", Stencil()
    if name == "launches":
        return ROOT / "experiments/launches/launches.hp5", Launches()
    if name == "matrix-multiply-single":
        return ROOT / "programs/matrix-multiply/matrix-multiply-single.hp5", Multiply(name, np.float32)
    return apps.scripts()[name]


def arguments_of(module, name, sizes):
    return module.make(**sizes) if isinstance(module, (Multiply, Stencil, Launches)) else common.arguments_for(vars(module), name, sizes)


KINDS = "rounds", "staged" # of other mappings than card.map: parts in shared memory, parts from the host's memory


def mapping_of(name, source):
    beside = pathlib.Path(source).parent / "card.map"
    if beside.exists():
        return beside
    program, _, kind = name.rpartition("-")
    return ROOT / "mappings" / program / f"card-{kind}.map" if kind in KINDS else ROOT / "mappings" / name / "card.map"


def build_hp5(name, source, folder, more, model=MODEL):
    target = folder / name
    sh(HP5C, source, "--map", mapping_of(name, source), "--model", model, *more, "-o", target)
    return target


def build_reference(name, folder, arch):
    common_object, target = folder / "common.o", folder / f"{name}-reference"
    sh("cc", "-std=gnu17", "-O2", "-c", REFERENCE / "common.c", "-o", common_object)
    sh("nvcc", "-std=c++20", "-O3", f"-arch={arch}", "-Werror", "all-warnings", CUDA / f"{name}.cu", common_object, "-lcublas", "-o", target)
    return target


def build(entry, options):
    """Both sides, the second only where there is a hand-written one."""
    folder = OUT / entry.name
    folder.mkdir(parents=True, exist_ok=True)
    ours, theirs = folder / entry.name, folder / f"{entry.name}-reference"
    if not options.prepared:
        build_hp5(entry.name, module_of(entry.name)[0], folder, ["--gpu-arch", options.arch], options.model)
        if entry.has_reference:
            build_reference(entry.name, folder, options.arch)
    return [ours, theirs] if entry.has_reference else [ours]


def named(name):
    return next(entry for entry in PROGRAMS if entry.name == name)


def prepare_inputs(name, folder):
    """The words of a command line; all of these are made before something is measured."""
    entry = named(name)
    folder.mkdir(parents=True, exist_ok=True)
    return common.write_inputs(arguments_of(module_of(name)[1], entry.name, entry.sizes), folder)


def measure(entry, words, executables, folder, runs):
    outputs = module_of(entry.name)[1].OUTPUTS[entry.name]
    sides = [table.Side(executable, words, outputs, folder / which, 1) for which, executable in zip(("ours", "theirs"), executables)]
    rounds = [[side.seconds() for side in sides] for _ in range(runs + 1)][1:]
    return sides, rounds


def check(name, sides, folder):
    """What is right, of each side; ends the process where something is wrong."""
    _, module = module_of(name)
    arguments = arguments_of(module, name, named(name).sizes)
    said = [side.check(module, arguments) for side in sides]
    shutil.rmtree(folder)
    return said


def attempt(what, *words):
    """What it returns, and None; or None and why it ended. One program that fails does not take the others along."""
    try:
        return what(*words), None
    except (SystemExit, Exception) as reason: # noqa: BLE001
        return None, f"{type(reason).__name__}: {reason}"


def bandwidth(options):
    """Bytes a second: of a copy, of reading."""
    executable = OUT / "bandwidth-reference" if options.prepared else build_reference("bandwidth", OUT, options.arch)
    done = sh(executable, f"bytes={1 << 30}", "rounds=20")
    return tuple(float(re.search(rf"^{what} (\S+)$", done.stdout, re.M)[1]) for what in ("copy", "read"))


HEAD = ["program", "seconds HP5", "seconds CUDA", "ratio", "from … to", "of the copy bandwidth"]


def row(entry, rounds, copy):
    ours, *theirs = [statistics.median(times) for times in zip(*rounds)]
    ratios = sorted(times[1] / times[0] for times in rounds) if theirs else []
    compared = [f"{theirs[0]:.6f}", f"{statistics.median(ratios):.2f}", f"{ratios[0]:.2f} … {ratios[-1]:.2f}"] if ratios else ["", "", ""]
    share = f"{entry.moved(entry.sizes) / ours / copy:.2f}" if entry.moved else ""
    return [entry.name, f"{ours:.6f}", *compared, share]


def measure_all(wanted, options, copy):
    """Rows, and whether something was wrong. Inputs are made beside each other, and so are checks; measured is one program at a time."""
    files, rows, failed, checks = pathlib.Path(options.files), [], False, []
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        inputs = [pool.submit(attempt, prepare_inputs, entry.name, files / entry.name) for entry in wanted]
        for entry, made in [(entry, future.result()) for entry, future in zip(wanted, inputs)]:
            words, reason = made
            executables, reason = attempt(build, entry, options) if words else (None, reason)
            measured, reason = attempt(measure, entry, words, executables, files / entry.name, options.runs) if executables else (None, reason)
            if not measured:
                print(f"{entry.name}: FAILED: {reason}", flush=True)
                failed = True
                continue
            sides, rounds = measured
            rows.append(row(entry, rounds, copy))
            print(table.as_text(rows[-1:], HEAD), flush=True)
            if options.checked: checks.append((entry, pool.submit(attempt, check, entry.name, sides, files / entry.name)))
            if options.log:
                with open(options.log, "a", encoding="utf-8") as log:
                    log.write(f"== {entry.name}\n{sides[0].said}\n")
        for entry, future in checks:
            said, reason = future.result()
            failed = failed or said is None
            for who, text in zip(("HP5", "CUDA"), said or [f"FAILED: {reason}"]):
                print(f"{entry.name}: {who}: {text}", flush=True)
    return rows, failed


def as_markdown(rows, options, copy, read):
    card = sh("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").stdout.strip().replace("\n", "; ")
    compiler = sh("nvcc", "--version").stdout.strip().splitlines()[-1] if shutil.which("nvcc") else "nvcc elsewhere"
    lines = [f"{datetime.date.today()}, {card}; {compiler}, {options.arch}; {options.runs} pairs of runs. Copies take {copy / 1e9:.0f} GB/s, reading {read / 1e9:.0f} GB/s.",
             "", "| " + " | ".join(HEAD) + " |", "|---|" + "---:|" * (len(HEAD) - 1)]
    return "\n".join(lines + ["| " + " | ".join(r) + " |" for r in rows]) + "\n"


def has_toolkit():
    compiler = shutil.which("nvcc")
    return compiler is not None and (pathlib.Path(compiler).resolve().parent.parent / "include" / "cublas_v2.h").exists()


def check_small(entry):
    folder = OUT / "check" / entry.name
    folder.mkdir(parents=True, exist_ok=True)
    if has_toolkit() and entry.has_reference:
        build_reference(entry.name, folder, "sm_80")
    source, module = module_of(entry.name)
    os.environ["HP5_SIM_HEADERS"] = shared.folder(str(HP5C))
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
    parser.add_argument("--log")
    parser.add_argument("--files", default=OUT / "files", help="folder for inputs and outputs")
    parser.add_argument("--jobs", type=int, default=4, help="so many inputs are made, and outputs checked, at a time")
    parser.add_argument("--no-check", dest="checked", action="store_false", help="do not look at what the programs wrote")
    parser.add_argument("--limit", type=int, default=60, help="seconds that a program may take")
    parser.add_argument("--model", default=MODEL)
    for mode in ("--prepare", "--prepared", "--check"):
        parser.add_argument(mode, action="store_true")
    names = [entry.name for entry in PROGRAMS]
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(names))
    options = parser.parse_args()
    table.LIMIT = options.limit
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
    OUT.mkdir(parents=True, exist_ok=True)
    if options.prepare:
        build_reference("bandwidth", OUT, options.arch)
        for entry in wanted:
            build(entry, options)
        return
    missing = [entry.name for entry in wanted if options.prepared and not (OUT / entry.name / entry.name).exists()]
    if missing:
        sys.exit(f"{', '.join(missing)}: not there in {OUT}; cards.py --prepare builds them")
    for tool in ("nvidia-smi",) if options.prepared else ("nvcc", "nvidia-smi"):
        if not shutil.which(tool) or subprocess.run([tool, "--version"], capture_output=True, check=False).returncode != 0:
            sys.exit(f"{tool} does not run here: cards are measured where there is one (--check needs none)")
    copy, read = bandwidth(options)
    print(f"copies take {copy / 1e9:.0f} GB/s, reading {read / 1e9:.0f} GB/s", flush=True)
    rows, failed = measure_all(wanted, options, copy)
    print("\n" + table.as_text(rows, HEAD))
    if options.markdown:
        pathlib.Path(options.markdown).write_text(as_markdown(rows, options, copy, read), encoding="utf-8")
    sys.exit(failed)


if __name__ == "__main__":
    main()
