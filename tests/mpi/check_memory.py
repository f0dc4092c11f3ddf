"""What processes take at most: 1.05 times the parts of their LPUs, padding included, and 2 MB, beside what the program takes for tiny arrays.

Each process says its peak when it ends (peak.c, preloaded). The programs have blocks of rows, of columns, of both, rows that
are dealt out, of which one process gets two of the others' in each round, whole vectors, and the rows of a sparse matrix. Elements and rows of three that
are dealt out come from a file, go from one task's parts to another's and to a file: lists of their runs would be several times as large as they are, and messages with all that
changes hands as large.

Arrays that fill large pages are zeros again in each execution. Of those whose rows or columns are dealt out a process has its own, side by side."""
import argparse
import glob
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE]
import launch  # noqa: E402
import numpy  # noqa: E402

N = 1600
# program, inputs for n, arguments for n, and the elements that a process of four has for n (two by two, or four bands of rows)
CASES = [
    ("matrix-multiply", lambda n: {"a": (n, n), "b": (n, n)}, lambda n: [f"k={n // 4}", f"l={n // 4}", f"q={n // 4}"], ["c"], lambda n: n * n * 5 // 4),
    ("transpose", lambda n: {"a": (n, n)}, lambda n: [f"k={n // 4}", f"l={n // 4}"], ["b"], lambda n: n * n // 2),
    ("lu", lambda n: {"a": (n, n)}, lambda n: ["parts=8"], ["lu", "p"], lambda n: n * n // 2 + 2 * n),
    ("matrix-vector-rows", lambda n: {"a": (n, n), "x": (n,)}, lambda n: [f"k={n // 4}"], ["y"], lambda n: n * n // 4 + n + n // 4),
]
RANKS = 4


def compiled(options, name, folder):
    program = f"{folder}/{name}"
    [source] = glob.glob(f"{ROOT}/programs/*/{name}.hp5")
    subprocess.run([options.hp5c, source, "--map", f"{ROOT}/mappings/{name}/cluster.map", "--model", f"{ROOT}/pcubes-models/cluster.pcubes",
                    "-o", program], check=True)
    return program


def peaks(mpi, program, case, n, folder):
    """Bytes of each process at most."""
    _, inputs, words, outputs, *_ = case
    command = [program, "--threads", "1", *words(n)]
    for name, shape in inputs(n).items():
        numpy.save(f"{folder}/{name}.npy", numpy.ones(shape))
        command.append(f"{name}={folder}/{name}.npy")
    command += [f"{name}={folder}/out-{name}.npy" for name in outputs]
    result = mpi.run(RANKS, command, variables={"LD_PRELOAD": f"{folder}/peak.so", "HP5_PEAK": f"{folder}/peak"})
    if result.returncode != 0:
        raise SystemExit(f"FAILED {program}: status {result.returncode}\n{result.stderr}")
    found = []
    for path in glob.glob(f"{folder}/peak-*"):
        with open(path, encoding="utf-8") as file:
            found.append(1024 * int(file.read()))
        os.remove(path)
    if len(found) != RANKS:
        raise SystemExit(f"FAILED {program}: {len(found)} of {RANKS} processes have said their peak")
    return found


MARK = """Program (args) {
    mark = new TaskEnvironment(name: "Mark")
    do in sequence {
        execute(task: "Mark"; environment: mark; initialize: args.n; partition: args.k)
    } for round in [1...2]
    bind_output(mark, "v", args.v)
}
Task "Mark":
    Define:
        v, w: 2d Array of Integer
    Environment:
        v: create
    Initialize (n):
        v.dimension1.range = [0...n - 1]
        v.dimension2.range = [0...1023]
        w.dimension = v.dimension
    Stages:
        mark(v, w) {
            do {
                if (j % 3 == 0) { w[i][j] = w[i][j] + 1 }
                v[i][j] = w[i][j]
            } for i, j in v
        }
    Computation:
        Space A { mark(v, w) }
    Partition (k):
        Space A <1d> { v<DIMENSION>, w<DIMENSION>: FUNCTION(k) }
"""


def check_parts(options, mpi, dimension, function, folder):
    """The second execution has the memory of the first, and must not see its elements."""
    rows, least, most, good = 4800, 10 ** 12, 0, True
    with open(f"{folder}/mark.hp5", "w", encoding="utf-8") as file:
        file.write(MARK.replace("DIMENSION", dimension).replace("FUNCTION", function))
    with open(f"{folder}/mark.map", "w", encoding="utf-8") as file:
        file.write('"Mark" { Space A: Core }\n')
    subprocess.run([options.hp5c, f"{folder}/mark.hp5", "--map", f"{folder}/mark.map", "--model", f"{ROOT}/pcubes-models/cluster.pcubes",
                    "-o", f"{folder}/mark"], check=True)
    for n in (16, rows):
        found = peaks(mpi, f"{folder}/mark", ("mark", lambda _: {}, lambda n: [f"n={n}", "k=8"], ["v"]), n, folder)
        least, most = min(least, *found), max(found)
        v = numpy.load(f"{folder}/out-v.npy")
        good = good and numpy.array_equal(v, numpy.broadcast_to(numpy.arange(1024) % 3 == 0, v.shape))
    own = 2 * rows * 1024 * v.itemsize / RANKS
    good = good and most - least <= 1.05 * own + 2e6
    print(f"{'' if good else 'FAILED '}{function} of {dimension}, {mpi.title}: {(most - least) / 1e6:.1f} MB; parts are {own / 1e6:.1f} MB")
    return not good


def check_sparse(options, mpi, folder, rows, each):
    """Rows of a sparse matrix: a process reads those of its LPUs, whose places in the lists the ends of rows say. Where there are many of them, with few
    entries, vectors weigh most: a whole one in each process, twelve megabytes more than its part of two million elements, does not go unnoticed."""
    found = {}
    program = compiled(options, "conjugate-gradient", folder)
    for n in (16, rows):
        numpy.save(f"{folder}/ends.npy", numpy.arange(each, each * n + 1, each, dtype=numpy.int32))
        columns = (numpy.arange(n)[:, None] + numpy.arange(each)) % n
        numpy.save(f"{folder}/columns.npy", columns.astype(numpy.int32).reshape(-1))
        words = [f"{name}={folder}/{name}.npy" for name in ("ends", "columns")] + ["precision=1e-9", "max_rounds=2", f"k={n // 8}"]
        case = ("conjugate-gradient", lambda n: {"values": (each * n,), "b": (n,)}, lambda _, words=words: words, ["x"])
        found[n] = peaks(mpi, program, case, n, folder)
    least, most, own = min(found[16]), max(found[rows]), (12 * each + 4 + 5 * 8) * rows // RANKS
    good = most - least <= 1.05 * own + 2e6
    print(f"{'' if good else 'FAILED '}conjugate-gradient of {rows} rows, {mpi.title}: {(most - least) / 1e6:.1f} MB beside {least / 1e6:.1f} MB; parts are {own / 1e6:.1f} MB")
    return not good


DEALT = """Program (args) {
    first = new TaskEnvironment(name: "First")
    second = new TaskEnvironment(name: "Second")
    bind_input(first, "v", args.v)
    execute(task: "First"; environment: first; partition: args.k)
    second.v = first.v
    execute(task: "Second"; environment: second; partition: args.l)
    bind_output(second, "v", args.w)
}
"""
STEP = """Task "NAME":
    Define:
        v: RANK Array of Real double-precision
    Environment:
        v: link
    Stages:
        step(v) {
            do { v[INDICES] = v[INDICES] * 2 + i } for i in v.dimension1, j in v.dimension2
        }
    Computation:
        Space A { step(v) }
    Partition (k):
        Space A <GRID> { PARTS }
"""


def dealt_program(shape, both):
    """Two tasks that deal rows out, or rows and columns."""
    text = DEALT
    for name in ("First", "Second"):
        step = STEP.replace("NAME", name).replace("RANK", f"{len(shape)}d")
        if len(shape) == 1:
            step = step.replace("[INDICES]", "[i]").replace("for i in v.dimension1, j in v.dimension2", "for i in v")
        else:
            step = step.replace("[INDICES]", "[i][j]").replace("for i in v.dimension1, j in v.dimension2", "for i, j in v")
        parts = "v: stride(k)" if len(shape) == 1 else "v: stride(k), stride(k)" if both else "v<dim1>: stride(k)"
        text += step.replace("GRID", "2d" if both else "1d").replace("PARTS", parts)
    return text


def dealt_to(shape, count, both):
    """The process of each element: they have as many LPUs each, one behind the other."""
    indices = numpy.indices(shape, dtype=numpy.int32)
    if not both:
        return indices[0] % count * RANKS // count
    return (indices[0] % count * count + indices[1] % count) * RANKS // count ** 2


def check_dealt(options, mpi, shape, both, folder):
    """From a file to one task's parts, to those of another, and to a file."""
    small, k, l = tuple(min(n, 24) for n in shape), 8, 12
    with open(f"{folder}/dealt.hp5", "w", encoding="utf-8") as file:
        file.write(dealt_program(shape, both))
    with open(f"{folder}/dealt.map", "w", encoding="utf-8") as file:
        file.write('"First" { Space A: Core }\n"Second" { Space A: Core }\n')
    subprocess.run([options.hp5c, f"{folder}/dealt.hp5", "--map", f"{folder}/dealt.map", "--model", f"{ROOT}/pcubes-models/cluster.pcubes",
                    "-o", f"{folder}/dealt"], check=True)
    found, good = {}, True
    for extents in (small, shape):
        v = (numpy.arange(numpy.prod(extents), dtype=float) % 1000).reshape(extents)
        numpy.save(f"{folder}/dealt.npy", v)
        found[extents] = peaks(mpi, f"{folder}/dealt", ("dealt", lambda _: {}, lambda _: [f"k={k}", f"l={l}", f"v={folder}/dealt.npy"], ["w"]), 0, folder)
        i = numpy.arange(extents[0]).reshape((-1,) + (1,) * (len(extents) - 1))
        good = good and numpy.array_equal(numpy.load(f"{folder}/out-w.npy"), (v * 2 + i) * 2 + i)
    before, after = dealt_to(shape, k, both), dealt_to(shape, l, both)
    parts = max(8 * (numpy.count_nonzero(before == p) + numpy.count_nonzero(after == p)) for p in range(RANKS))
    changes = max(8 * numpy.count_nonzero(((before == p) | (after == p)) & (before != after)) for p in range(RANKS))
    grown = max(found[shape]) - min(found[small])
    good = good and grown <= 1.05 * parts + 2e6
    print(f"{'' if good else 'FAILED '}{shape} by stride{' in both dimensions' if both else ''}, {mpi.title}: {grown / 1e6:.1f} MB; "
          f"parts of two tasks are {parts / 1e6:.1f} MB, of which {changes / 1e6:.1f} MB come or go")
    return not good


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--hp5c", required=True)
    options = arguments.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory(prefix="hp5-memory-") as folder:
        for mpi in launch.find_or_skip(os.path.dirname(os.path.abspath(options.hp5c))):
            subprocess.run([mpi.compiler, "-shared", "-fPIC", "-O1", f"{HERE}/peak.c", "-o", f"{folder}/peak.so"], check=True)
            for dimension, function in (("dim1", "block_size"), ("dim1", "stride"), ("dim2", "stride")):
                failures += check_parts(options, mpi, dimension, function, folder)
            for shape, both in (((1600000,), False), ((200000, 3), False), ((600, 600), True)):
                failures += check_dealt(options, mpi, shape, both, folder)
            failures += check_sparse(options, mpi, folder, 20000, 60)
            failures += check_sparse(options, mpi, folder, 2000000, 3)
            for case in CASES:
                program = compiled(options, case[0], folder)
                least = min(peaks(mpi, program, case, 16, folder))
                most = max(peaks(mpi, program, case, N, folder)) - least
                own = 8 * case[4](N)
                good = most <= 1.05 * own + 2e6
                failures += not good
                print(f"{'' if good else 'FAILED '}{case[0]}, {mpi.title}: {most / 1e6:.1f} MB beside {least / 1e6:.1f} MB; parts are {own / 1e6:.1f} MB")
    raise SystemExit(1 if failures else 0)


main()
