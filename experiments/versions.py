#!/usr/bin/env python3
"""Two builds of hp5c against each other: does a change make compiled programs, launches or the compiler slower?

    versions.py --before FOLDER [--runs N] [--threads N] [--markdown FILE] [ROW …]

FOLDER is the build folder of the other version, for example

    git worktree add /tmp/before COMMIT && HP5_TARGETS=hp5c sh /tmp/before/tests/setup.sh
    python3 experiments/versions.py --before /tmp/before/build

Rows are the programs of table.py, and what compare.py measures (stencil and product with their partitions, launches,
LPUs, the front end). Both versions compile the same text and run in turn (A B B A …), once for nothing and then N times.
The ratio is the time before over the time after, the median of the pairs: above 1, the change made it faster.
"""
import argparse
import os
import pathlib
import re
import shutil
import statistics
import sys
import time

import numpy as np

import compare
import table
from table import ROOT, OUT, sh

AFTER = table.HP5C


def build(hp5c, source, mapping, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    sh(hp5c, source, *(["--map", mapping] if mapping else []), "-o", target)
    return target


def alternate(before, after, runs):
    """Seconds of both, in pairs; who goes first changes, so that a clock that slows down favours nobody."""
    pairs = []
    for i in range(runs + 1):
        if i % 2:
            late = after()
            pairs.append((before(), late))
        else:
            pairs.append((before(), after()))
    return pairs[1:]


def timed(command):
    """Seconds of the tasks, as the program says."""
    done = sh(*command, "--timing")
    return sum(float(found) for found in re.findall(r"^task .* on \d+ threads? in ([0-9.]+) s", done.stderr, re.M))


def wall(command):
    begin = time.monotonic()
    sh(*command)
    return time.monotonic() - begin


# ---- Rows: name → (before, after), functions that run once and return seconds ---------------------------------------

def program_row(entry, source, module, compilers, options):
    folder = OUT / "versions" / entry.name
    folder.mkdir(parents=True, exist_ok=True)
    arguments = table.common.arguments_for(vars(module), entry.name, entry.sizes)
    words, outputs = table.common.write_inputs(arguments, folder), module.OUTPUTS[entry.name]
    sides = []
    for which, hp5c in compilers.items():
        target = build(hp5c, source, ROOT / "mappings" / entry.name / f"{entry.mapping}.map", folder / which / entry.name)
        sides.append(table.Side(target, words, outputs, folder / which, options.threads))

    def same():
        for name in outputs:
            one, two = (np.load(side.folder / f"{name}.npy") for side in sides)
            if one.tobytes() != two.tobytes():
                return f"other bits in {name}"
        return ""
    return [lambda side=side: side.seconds(entry.less) for side in sides], same


def program_rows(compilers, options):
    scripts = table.apps.scripts()
    for entry in table.PROGRAMS:
        if wanted(entry.name, options):
            source, module = scripts[entry.name]
            yield entry.name, *program_row(entry, source, module, compilers, options)


def stencil_rows(compilers, options):
    threads = options.threads
    for padding, rows, columns in [(1, 4096 // threads, 4096), (1, 128, 4096), (8, 64, 1024), (25, 128, 512)]:
        name = f"stencil, padding {padding}, parts of {rows} x {columns}"
        if not wanted(name, options):
            continue
        sides = []
        for which, hp5c in compilers.items():
            program = build(hp5c, ROOT / "programs/stencil/stencil.hp5", ROOT / "mappings/stencil/cores.map", OUT / "versions" / which / "stencil")
            sides.append([program, f"plate={compare.plate(4096)}", f"result={OUT}/versions/{which}/plate.npy", "iterations=200", f"k={threads}", "l=1",
                          f"m={4096 // rows // threads}", f"n={4096 // columns}", f"p1={padding}", f"p2={padding}", f"--threads={threads}"])
        yield name, [lambda command=side: timed(command) for side in sides], None


def multiply_rows(compilers, options):
    for k, l, q in [(64, 64, 128), (256, 256, 128)]:
        name = f"matrix-multiply, blocks {k} x {l}, sub-partitions of {q}"
        if not wanted(name, options):
            continue
        for letter in "ab":
            if not (OUT / f"{letter}.npy").exists():
                np.save(OUT / f"{letter}.npy", np.random.default_rng(ord(letter)).random((2048, 2048)))
        sides = []
        for which, hp5c in compilers.items():
            program = build(hp5c, ROOT / "programs/matrix-multiply/matrix-multiply.hp5", ROOT / "mappings/matrix-multiply/cores.map", OUT / "versions" / which / "multiply")
            sides.append([program, f"a={OUT}/a.npy", f"b={OUT}/b.npy", f"c={OUT}/versions/{which}/c.npy", f"k={k}", f"l={l}", f"q={q}", f"--threads={options.threads}"])
        yield name, [lambda command=side: timed(command) for side in sides], None


def launch_rows(compilers, options):
    kinds = {"in place": ("x[i] = x[i] + 1", "", "x"), "created": ("y[i] = x[i]", "", "y"), "padded copies": ("x[i] = x[i] + 1", "padding(1)", "x")}
    for kind, (statement, padding, output) in kinds.items():
        for each in (1, 1000):
            name = f"launch again, {kind}, {each} LPUs a PPU"
            if not wanted(name, options):
                continue
            text = OUT / "versions" / "launch.hp5"
            text.write_text(compare.LAUNCH.replace("STATEMENT", statement).replace("PADDING", padding).replace("OUTPUT", output))
            np.save(OUT / "versions" / f"ticks{each}.npy", np.zeros(2 * each * options.threads, dtype=np.int64))
            times = 100_000 if each == 1 else 20_000
            sides = []
            for which, hp5c in compilers.items():
                program = build(hp5c, text, None, OUT / "versions" / which / f"launch-{kind.replace(' ', '-')}")
                sides.append([program, f"lpus={each * options.threads}", f"x={OUT}/versions/ticks{each}.npy", f"out={OUT}/versions/{which}/o.npy", f"times={times}", f"--threads={options.threads}"])
            yield name, [lambda command=side: wall(command) for side in sides], None


def lpu_rows(compilers, options):
    for name, rounds in [("a million LPUs, set-up", 0), ("a million LPUs, 100 rounds", 100)]:
        if not wanted(name, options):
            continue
        text = OUT / "versions" / "touch.hp5"
        text.write_text(compare.TOUCH)
        np.save(OUT / "versions" / "v.npy", np.zeros(1_000_000))
        sides = []
        for which, hp5c in compilers.items():
            program = build(hp5c, text, None, OUT / "versions" / which / "touch")
            sides.append([program, f"v={OUT}/versions/v.npy", f"w={OUT}/versions/{which}/w.npy", f"rounds={rounds}", "b=1", f"--threads={options.threads}"])
        yield name, [lambda command=side: wall(command) for side in sides], None


def compiler_rows(compilers, options):
    sources = sorted((ROOT / "programs").glob("*/*.hp5"))
    name = f"hp5c -S, {len(sources)} programs"
    if not wanted(name, options):
        return

    def run(hp5c):
        begin = time.monotonic()
        for source in sources:
            sh(hp5c, "-S", source, "-o", OUT / "versions" / "x.c", "--model", ROOT / "pcubes-models" / "laptop.pcubes")
        return time.monotonic() - begin
    yield name, [lambda hp5c=hp5c: run(hp5c) for hp5c in compilers.values()], None


def wanted(name, options):
    return not options.rows or any(name.startswith(row) for row in options.rows)


# ---- The table ------------------------------------------------------------------------------------------------------

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True, type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--markdown", type=pathlib.Path)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="only rows whose names begin so")
    options = parser.parse_args()
    compilers = {"before": options.before.resolve() / "hp5c", "after": AFTER}
    for hp5c in compilers.values():
        if not os.access(hp5c, os.X_OK):
            sys.exit(f"{hp5c}: no hp5c; build it first")
    (OUT / "versions").mkdir(parents=True, exist_ok=True)
    lines = ["| row | before, s | after, s | before / after | from … to |", "|---|---:|---:|---:|---:|"]
    for rows in (program_rows, stencil_rows, multiply_rows, launch_rows, lpu_rows, compiler_rows):
        for name, (before, after), same in rows(compilers, options):
            pairs = alternate(before, after, options.runs)
            ratios = sorted(p[0] / p[1] for p in pairs)
            note = same() if same else ""
            lines.append(f"| {name}{': ' + note if note else ''} | {statistics.median(p[0] for p in pairs):.4f} | {statistics.median(p[1] for p in pairs):.4f} | "
                         f"{statistics.median(ratios):.3f} | {ratios[0]:.2f} … {ratios[-1]:.2f} |")
            print(lines[-1], flush=True)
    shutil.rmtree(OUT / "versions", ignore_errors=True)
    if options.markdown:
        options.markdown.write_text("\n".join([f"{time.strftime('%Y-%m-%d')}, {table.processor()}; {options.threads} threads, {options.runs} pairs of runs.", "", *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
