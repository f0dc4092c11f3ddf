#!/usr/bin/env python3
"""Programs in several processes against hand-written MPI: the time of the computation as ratios in one run, and memory.

    processes.py [--runs N] [--mpi openmpi|mpich] [--markdown FILE] [--check] [PROGRAM …]

HP5 runs in 2 processes of 1 thread, and in 1 process of 2 threads; the reference (experiments/reference/mpi) in 2 processes. They
run in turn (A B C A B C …), once for nothing and then N times. A ratio is the reference's time over HP5's, the median of the
rounds: above 1, HP5 is faster. What all wrote is checked by the program's script (programs/common.py). The run for nothing also
says what a process has in memory at most (tests/mpi/peak.c): the larger of the two.

--check: only compiles the references with warnings as errors, and checks what they do on small inputs with 1, 2 and 3 processes.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys

import table
from table import HP5C, OUT, REFERENCE, ROOT, apps, common
sys.path[:0] = [str(ROOT / "tests" / "mpi")]
import launch  # noqa: E402  (it lies beside the tests)


class Entry:
    """A program with what its script's make() gets, or inputs by tests/tools/arrays.py; partition arguments of the stencil and the
    product are chosen as in compare.py, those of LU, heat, the bodies and conjugate gradients so that each process has its part in one piece, or in pieces that
    fill vectors."""

    def __init__(self, name, headers=(), libraries=(), inputs=None, outputs=(), words=(), small=None, **sizes):
        self.name, self.headers, self.libraries, self.inputs, self.outputs = name, headers, libraries, inputs, outputs
        self.words, self.small, self.sizes = words, small, sizes


PROGRAMS = [
    Entry("stencil", inputs={"plate": "plate(4096,4096)"}, outputs=["result"], small={"plate": "plate(97,131)"},
          words=["iterations=100", "k=2", "l=1", "m=16", "n=4", "p1=2", "p2=2"]),
    Entry("lu", n=4096, parts=2),
    Entry("conjugate-gradient", edge=1000, max_rounds=100, k=500_000),
    Entry("matrix-multiply", headers=["cblas.h"], libraries=["-lopenblas"], inputs={"a": "rand(2048,2048,seed=1)", "b": "rand(2048,2048,seed=2)"}, outputs=["c"],
          small={"a": "rand(97,131,seed=1)", "b": "rand(131,61,seed=2)"}, words=["k=128", "l=128", "q=128"]),
    Entry("monte-carlo", headers=["Random123/philox.h"], grid=512, points=200),
    Entry("game-of-life", small=dict(rows=31, columns=17, generations=7, k=5, l=4, p=3), rows=4096, columns=4096, generations=200),
    Entry("heat-3d", small=dict(edge=13, height=7, steps=7, k=5, l=4, m=3, p=2), k=100, l=202, m=200, p=1),
    Entry("red-black-sor", small=dict(edge=17, k=32, l=3), max_rounds=200),
    Entry("k-means"),
    Entry("n-body", n=5000, k=1256),
    Entry("histogram", n=20_000_000),
    Entry("prefix-sum", n=40_000_000),
    Entry("matrix-vector-rows", rows=16_000, columns=8000, k=500),
]


def sh(*command):
    return table.sh(*command)


def build_reference(entry, mpi, folder, flags=("-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math")):
    target = folder / f"{entry.name}-{mpi.name}"
    sh(mpi.compiler, "-std=gnu17", *flags, REFERENCE / "mpi" / f"{entry.name}.c", REFERENCE / "mpi" / "processes.c", REFERENCE / "common.c",
       "-o", target, *entry.libraries, "-lm")
    return target


def write_inputs(entry, folder, small=None):
    """Arguments as words, names of outputs, and what checks them: takes a side's arrays and printed lines."""
    import numpy as np
    import arrays
    if entry.inputs is None:
        module = apps.scripts()[entry.name][1]
        arguments = common.arguments_for(vars(module), entry.name, small or entry.sizes)
        return (common.write_inputs(arguments, folder), module.OUTPUTS[entry.name],
                lambda printed, found: module.check(printed=printed, **arguments, **found))
    made = {name: arrays.generate(text) for name, text in (small or entry.inputs).items()}
    for name, array in made.items():
        np.save(folder / f"{name}.npy", array)
    return [f"{name}={folder}/{name}.npy" for name in made] + list(entry.words), entry.outputs, lambda _, found: check_plain(made, entry, found)


def check_plain(made, entry, found):
    """The stencil's bits and the product's values, by NumPy."""
    if entry.name == "stencil":
        plate = made["plate"].copy()
        for _ in range(int(entry.words[0].partition("=")[2])):
            inner = 0.25 * (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:])
            plate[1:-1, 1:-1] = inner
        common.same("result", found["result"], plate)
        return "the bits of NumPy"
    return f"largest error {common.close('c', found['c'], made['a'] @ made['b'], 1e-12):.1e}"


class Side:
    def __init__(self, name, start, words, outputs, folder):
        self.name, self.folder, self.outputs = name, folder, outputs
        folder.mkdir(parents=True, exist_ok=True)
        self.start, self.words, self.printed = start, [*words, *(f"{output}={folder}/{output}.npy" for output in outputs)], []

    def peak(self, library):
        """Bytes that one of its processes has at most."""
        for old in self.folder.glob("peak-*"):
            old.unlink()
        done = self.start(self.words, {"LD_PRELOAD": library, "HP5_PEAK": self.folder / "peak"})
        if done.returncode != 0:
            sys.exit(f"{self.name}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return max(1024 * int(path.read_text(encoding="utf-8")) for path in self.folder.glob("peak-*"))

    def seconds(self):
        done = self.start(self.words + ["--task-times"])
        if done.returncode != 0:
            sys.exit(f"{self.name}: status {done.returncode}\n{done.stdout}{done.stderr}")
        self.printed = done.stdout.splitlines()
        times = [float(found) for found in re.findall(r"^task .* in ([0-9.]+) s", done.stderr, re.M)]
        if not times:
            sys.exit(f"{self.name}: --task-times says nothing\n{done.stderr}")
        return sum(times)

    def check(self, checks):
        import numpy as np
        try:
            return checks(self.printed, {name: np.load(self.folder / f"{name}.npy") for name in self.outputs})
        except common.Wrong as reason:
            sys.exit(f"{self.name}: wrong: {reason}")


def several(mpi, ranks, program, *more):
    return lambda words, variables=None: mpi.run(ranks, [program, *words, *more], variables=variables)


def alone(program, *more):
    return lambda words: subprocess.run([str(word) for word in [program, *words, *more]], capture_output=True, text=True)


def measure(entry, mpi, options):
    folder = OUT / "processes" / entry.name
    folder.mkdir(parents=True, exist_ok=True)
    if missing(entry, folder):
        print(f"{entry.name}: not measured: there is no {missing(entry, folder)} with its library")
        return None
    words, outputs, checks = write_inputs(entry, folder)
    source = next((ROOT / "programs").glob(f"*/{entry.name}.hp5"))
    programs = {}
    for mapping, model in (("cluster", ROOT / "pcubes-models" / "cluster.pcubes"), ("cores", None)):
        programs[mapping] = folder / mapping
        sh(HP5C, source, "--map", ROOT / "mappings" / entry.name / f"{mapping}.map", *(["--model", model] if model else []), "-o", programs[mapping])
    sides = [Side("2 processes", several(mpi, 2, programs["cluster"], "--threads=1"), words, outputs, folder / "two"),
             Side("2 threads", alone(programs["cores"], "--threads=2"), words, outputs, folder / "one"),
             Side("reference", several(mpi, 2, build_reference(entry, mpi, folder)), words, outputs, folder / "theirs")]
    library = folder / "peak.so"
    sh(mpi.compiler, "-shared", "-fPIC", "-O1", ROOT / "tests" / "mpi" / "peak.c", "-o", library)
    peaks = [side.peak(library) for side in (sides[0], sides[2])]
    rounds = [[side.seconds() for side in sides] for _ in range(options.runs + 1)][1:]
    said = [side.check(checks) for side in sides]
    for path in [*folder.rglob("*.npy")]:
        path.unlink()
    cells = [entry.name, *(f"{statistics.median(r[side] for r in rounds):.3f}" for side in range(3))]
    for side in range(2):
        ratios = sorted(r[2] / r[side] for r in rounds)
        cells += [f"{statistics.median(ratios):.2f}", f"{ratios[0]:.2f} … {ratios[-1]:.2f}"]
    cells += [f"{peak / 1e6:.1f}" for peak in peaks]
    print(f"{'  '.join(cells)}\n    {said[0]}; {said[1]}; reference: {said[2]}", flush=True)
    return cells


HEAD = ["program", "2 processes, s", "2 threads, s", "reference, s", "ratio of processes", "from … to", "ratio of threads", "from … to", "a process has, MB", "the reference's"]


def missing(entry, folder):
    """What the reference needs and is not installed here."""
    for header in entry.headers:
        (folder / "probe.c").write_text(f"#include <{header}>\nint main(void) {{ return 0; }}\n", encoding="utf-8")
        words = ["cc", folder / "probe.c", *entry.libraries, "-o", folder / "probe"]
        if subprocess.run([str(word) for word in words], capture_output=True).returncode != 0:
            return header
    return None


# MPICH's MPI_STATUSES_IGNORE is no array, which gcc minds.
CHECKED = ("-O2", *table.WARNINGS, "-Wno-stringop-overflow")


def check(entry, mpi):
    folder = OUT / "processes" / "check" / entry.name
    folder.mkdir(parents=True, exist_ok=True)
    if missing(entry, folder):
        print(f"{entry.name}, {mpi.title}: skipped: there is no {missing(entry, folder)}")
        return
    program, runs, said = build_reference(entry, mpi, folder, CHECKED), 0, ""
    cases = [entry.small] if entry.small else apps.scripts()[entry.name][1].CASES[:2]
    for case in cases:
        words, outputs, checks = write_inputs(entry, folder, case)
        for ranks in (1, 2, 3):
            side = Side(f"{entry.name} in {ranks} processes", several(mpi, ranks, program), words, outputs, folder / "theirs")
            side.seconds()
            said = side.check(checks)
            runs += 1
    print(f"{entry.name}, {mpi.title}: {runs} runs; the last: {said}", flush=True)


def choose_kernels():
    """OpenBLAS takes processors that it does not know for old ones: 0.3.21 takes some with AVX-512 for a Prescott."""
    if "avx512f" in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"):
        os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")


def main():
    choose_kernels()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--mpi", default="mpich", choices=["openmpi", "mpich"])
    parser.add_argument("--markdown")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(entry.name for entry in PROGRAMS))
    options = parser.parse_args()
    mpis = launch.find_or_skip(HP5C.parent)
    if options.check:
        for mpi in mpis:
            for entry in PROGRAMS:
                check(entry, mpi)
        return
    mpi = next(found for found in mpis if found.name == options.mpi)
    rows = [measure(entry, mpi, options) for entry in PROGRAMS if not options.programs or entry.name in options.programs]
    rows = [row for row in rows if row]
    if rows:
        means = [statistics.geometric_mean(float(row[column]) for row in rows) for column in (4, 6)]
        print(f"geometric means: {means[0]:.2f} of processes, {means[1]:.2f} of threads")
    if options.markdown:
        pathlib.Path(options.markdown).write_text(table.markdown(f"{mpi.title}; {options.runs} rounds.", HEAD, rows), encoding="utf-8")


if __name__ == "__main__":
    main()
