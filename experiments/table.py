#!/usr/bin/env python3
"""Every program against its hand-written Pthreads reference: lines of code, and speed as ratios in one run.

    table.py [--runs N] [--threads N] [--markdown FILE] [--lines | --check] [PROGRAM …]

Builds both sides under out/experiments, makes the inputs, and runs them in turn (A B A B …), once for nothing and
then N times. The speed ratio is the reference's time over HP5's, the median of the pairs: above 1, HP5 is faster. What
both sides wrote is checked by the program's script (programs/common.py).

--markdown FILE   the table as markdown; if FILE has the lines BEGIN and END (see below), only what is between them
--lines           only counts lines (experiments/README.md says how)
--check           only compiles every reference with warnings as errors, and checks what it does on small inputs
"""
import argparse
import datetime
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "programs"), str(ROOT / "tests" / "programs"), str(ROOT / "tests" / "tools")]
import apps # noqa: E402  (its scripts() finds the programs)
import common # noqa: E402

HP5C = pathlib.Path(os.environ.get("HP5_BUILD", ROOT / "build")) / "hp5c"
OUT = ROOT / "out" / "experiments"
REFERENCE = ROOT / "experiments" / "reference"
SHARED = ["common", "threads"]
BEGIN, END = "<!-- table.py: begin -->", "<!-- table.py: end -->"


class Entry:
    """A row of the table: the program's name, what its script's make() gets, and how it is measured.

    reference: the reference's name, if it is not the program's.
    less: arguments that make the run almost nothing but reading and writing. If given, the time of a side is the
    difference between two runs as a whole, with its ordinary arguments and with these; for programs whose coordinator
    does part of the work, which --task-times does not count.
    """

    def __init__(self, name, less=None, mapping="cores", reference=None, **sizes):
        self.name, self.sizes, self.less, self.mapping = name, sizes, less, mapping
        self.reference = reference or name


PROGRAMS = [
    Entry("lu", n=2048, parts=8),
    Entry("block-lu", n=2048, b=96, parts=2),
    Entry("conjugate-gradient", edge=1000, max_rounds=100, k=16_000),
    Entry("conjugate-gradient-tasks", edge=1000, max_rounds=100, k=16_000, less={"max_rounds": 1}),
    Entry("triangular-solve", n=8000),
    Entry("transpose", rows=8192, columns=8192, k=64, l=128),
    Entry("matrix-vector-rows", rows=16_000, columns=8000, k=500),
    Entry("matrix-vector-columns", rows=8000, columns=16_000, k=8000),
    Entry("monte-carlo", grid=512, points=200),
    Entry("monte-carlo-extern", grid=512, points=200, reference="monte-carlo"),
    Entry("monte-carlo-adaptive", grid=128, points=200),
    Entry("monte-carlo-regions", grid=256, points=50),
    Entry("game-of-life", rows=4096, columns=4096, generations=200),
    Entry("heat-3d"),
    Entry("red-black-sor", max_rounds=200),
    Entry("histogram", n=20_000_000),
    Entry("k-means"),
    Entry("n-body", n=5000),
    Entry("prefix-sum", n=40_000_000),
    Entry("row-sums", rows=10_000, columns=10_000),
]


# ---- Building -----------------------------------------------------------------------------------------------

LIMIT = None  # seconds that a command may take


def sh(*command):
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        sys.exit(f"{' '.join(map(str, command))}\ndid not end in {LIMIT} s")
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nfailed with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def source_of(name):
    return REFERENCE / f"{name}.c"


def uses_threads(name):
    return '#include "threads.h"' in source_of(name).read_text(encoding="utf-8")


def build_reference(name, folder, compiler="cc", flags=("-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math")):
    shared = [REFERENCE / f"{part}.c" for part in SHARED if part != "threads" or uses_threads(name)]
    target = folder / f"{name}-reference"
    sh(compiler, "-std=gnu17", *flags, source_of(name), *shared, "-o", target, "-lpthread", "-lm")
    return target


def build_hp5(entry, source, folder):
    target = folder / entry.name
    sh(HP5C, source, "--map", ROOT / "mappings" / entry.name / f"{entry.mapping}.map", "-o", target)
    return target


# ---- Lines ----------------------------------------------------------------------------------------------------

def count_lines(path):
    """Lines with something else than blanks and comment; both languages have the comments and the strings of C."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    token = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/'

    def blank(match):
        found = match[0]
        return found if found[0] in "\"'" else " " + "\n" * found.count("\n")
    return sum(1 for line in re.sub(token, blank, text, flags=re.S).splitlines() if line.strip())


def lines_of(reference, source):
    """HP5 program, reference by itself, code for threads that it uses."""
    shared = sum(count_lines(REFERENCE / f"threads.{kind}") for kind in "hc") if uses_threads(reference) else 0
    return count_lines(source), count_lines(source_of(reference)), shared


# ---- Running --------------------------------------------------------------------------------------------------

class Side:
    """One of the two executables with its arguments."""

    def __init__(self, executable, words, outputs, folder, threads):
        self.folder, self.outputs = folder, outputs
        folder.mkdir(parents=True, exist_ok=True)
        self.command = [executable, *words, *(f"{name}={folder}/{name}.npy" for name in outputs), f"--threads={threads}"]
        self.printed, self.said = None, None

    def seconds(self, less=None):
        """Seconds of the computation. The run with the ordinary arguments comes last: its files are checked."""
        if less is not None:
            little = self.wall(less)
            return self.wall({}) - little
        done = sh(*self.command, "--task-times")
        self.printed, self.said = done.stdout.splitlines(), done.stderr
        return sum(float(found) for found in re.findall(r"^task .* on (?:\d+ threads?|a card) in ([0-9.]+) s", done.stderr, re.M))

    def wall(self, changed):
        words = [word for word in map(str, self.command) if word.partition("=")[0] not in changed]
        begin = time.monotonic()
        done = sh(*words, *(f"{name}={value}" for name, value in changed.items()))
        seconds = time.monotonic() - begin
        if not changed:
            self.printed = done.stdout.splitlines()
        return seconds

    def check(self, module, arguments):
        import numpy as np
        results = {name: np.load(self.folder / f"{name}.npy") for name in self.outputs}
        try:
            return module.check(printed=self.printed, **arguments, **results)
        except common.Wrong as reason:
            sys.exit(f"{self.command[0]}: wrong: {reason}")


def measure(entry, source, module, options):
    folder = OUT / entry.name
    folder.mkdir(parents=True, exist_ok=True)
    arguments = common.arguments_for(vars(module), entry.name, entry.sizes)
    words, outputs = common.write_inputs(arguments, folder), module.OUTPUTS[entry.name]
    ours = Side(build_hp5(entry, source, folder), words, outputs, folder / "ours", options.threads)
    theirs = Side(build_reference(entry.reference, folder), words, outputs, folder / "theirs", options.threads)
    pairs = [(ours.seconds(entry.less), theirs.seconds(entry.less)) for _ in range(options.runs + 1)][1:]
    said = [side.check(module, arguments) for side in (ours, theirs)]
    for path in [*folder.rglob("*.npy")]:
        path.unlink()
    ratios = sorted(p[1] / p[0] for p in pairs)
    return {"ours": statistics.median(p[0] for p in pairs), "theirs": statistics.median(p[1] for p in pairs),
            "ratio": statistics.median(ratios), "least": ratios[0], "most": ratios[-1], "said": said}


# ---- The table ------------------------------------------------------------------------------------------------

HEAD = ["program", "lines HP5", "lines reference", "lines ratio", "with common.[ch]", "seconds HP5", "seconds reference", "speed ratio", "from … to"]


def row(entry, source, result):
    hp5, own, shared = lines_of(entry.reference, source)
    cells = [entry.name, str(hp5), f"{own} + {shared}" if shared else str(own), f"{hp5 / (own + shared):.2f}",
             f"{hp5 / (own + shared + sum(count_lines(REFERENCE / f'common.{kind}') for kind in 'hc')):.2f}"]
    if result:
        cells += [f"{result['ours']:.3f}", f"{result['theirs']:.3f}", f"{result['ratio']:.2f}",
                  f"{result['least']:.2f} … {result['most']:.2f}"]
    return cells


def as_text(rows, names=HEAD):
    head = names[: len(rows[0])]
    widths = [max(len(r[c]) for r in [head, *rows]) for c in range(len(head))]
    return "\n".join("  ".join(cell.ljust(w) if c == 0 else cell.rjust(w) for c, (cell, w) in enumerate(zip(r, widths)))
                     for r in [head, *rows])


def processor():
    found = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M)
    flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    vectors = "AVX-512" if "avx512f" in flags else "AVX2" if "avx2" in flags else "no AVX2"
    return f"{found[1] if found else 'unknown processor'} ({vectors}), {os.cpu_count()} cores"


def as_markdown(rows, options):
    head = HEAD[: len(rows[0])]
    compiler = sh("cc", "--version").stdout.splitlines()[0]
    return markdown(f"{compiler}; {options.threads} threads, {options.runs} pairs of runs.", head, rows)


def markdown(said, head, rows):
    """The text of a table of results, behind the date, the processor, and what else is said of all."""
    lines = [f"{datetime.date.today()}, {processor()}; {said}", "", "| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def write_markdown(path, text):
    path = pathlib.Path(path)
    before, after = "", ""
    if path.exists() and BEGIN in path.read_text(encoding="utf-8"):
        whole = path.read_text(encoding="utf-8")
        before, after = whole[: whole.index(BEGIN)] + BEGIN + "\n", END + whole[whole.index(END) + len(END):]
    path.write_text(before + text + after, encoding="utf-8")


# ---- Small inputs ---------------------------------------------------------------------------------------------

WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Werror")


def check_small(entry, module):
    """The reference compiles with all warnings as errors and passes the checker for the script's small cases."""
    folder = OUT / "check" / entry.name
    folder.mkdir(parents=True, exist_ok=True)
    reference = build_reference(entry.reference, folder, "cc", ("-O2", *WARNINGS))
    cases = 0
    for case in module.CASES:
        arguments = common.arguments_for(vars(module), entry.name, case)
        words = common.write_inputs(arguments, folder)
        for threads in (1, 2, 3):
            side = Side(reference, words, module.OUTPUTS[entry.name], folder / "theirs", threads)
            if side.seconds() <= 0:
                sys.exit(f"{reference}: --task-times says nothing")
            said = side.check(module, arguments)
            cases += 1
    print(f"{entry.name}: {cases} runs; the last: {said}")
    for path in [*folder.rglob("*.npy")]:
        path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--markdown")
    parser.add_argument("--lines", action="store_true")
    parser.add_argument("--check", action="store_true")
    names = [entry.name for entry in PROGRAMS]
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(names))
    options = parser.parse_args()
    unknown = [name for name in options.programs if name not in names]
    if unknown:
        parser.error(f"no program {', '.join(unknown)}; known: {', '.join(names)}")
    scripts, rows = apps.scripts(), []
    for entry in PROGRAMS:
        if options.programs and entry.name not in options.programs:
            continue
        source, module = scripts[entry.name]
        if options.check and entry.reference != entry.name:
            continue
        if options.check:
            check_small(entry, module)
            continue
        result = None if options.lines else measure(entry, source, module, options)
        rows.append(row(entry, source, result))
        if result:
            print(f"{as_text(rows[-1:])}\n    HP5: {result['said'][0]}\n    reference: {result['said'][1]}", flush=True)
    if rows:
        print("\n" + as_text(rows))
    if rows and options.markdown:
        write_markdown(options.markdown, as_markdown(rows, options))


if __name__ == "__main__":
    main()
