"""Conjugate gradients in several processes move exactly the elements that an expert's exchange would: those of the search direction that
the rows of a process name and other processes have, once in each round, in one message from each process that has some.

The expert's numbers follow from the matrix; the program's from its report (--report=comm), of runs with few and with more rounds: what
the second has more than the first is what rounds cost. --table prints them. Rounds of loops that touch the same are not run, nor those
behind the end of what they touch."""
import argparse
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE]
import launch  # noqa: E402
import numpy  # noqa: E402
import subprocess  # noqa: E402
from scipy import sparse  # noqa: E402

K = 100 # rows of an LPU


def plane(edge):
    line = sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(edge, edge))
    return sparse.csr_matrix(sparse.kron(line, sparse.eye(edge)) + sparse.kron(sparse.eye(edge), line) + 0.1 * sparse.eye(edge * edge))


def scattered(rows):
    """Symmetric and positive definite, with a few elements anywhere."""
    rng = numpy.random.default_rng(1)
    some = sparse.coo_matrix((rng.random(rows), (rng.integers(0, rows, rows), rng.integers(0, rows, rows))), shape=(rows, rows))
    return sparse.csr_matrix(some + some.T + 20 * sparse.eye(rows))


def expert(matrix, ranks):
    """Messages and bytes of one round."""
    rows = matrix.shape[0]
    lpus = -(-rows // K)
    starts = [min(rows, K * (rank * (lpus // ranks) + min(rank, lpus % ranks))) for rank in range(ranks + 1)]
    messages = elements = 0
    for rank in range(ranks):
        named = numpy.unique(matrix.indices[matrix.indptr[starts[rank]]:matrix.indptr[starts[rank + 1]]])
        others = named[(named < starts[rank]) | (named >= starts[rank + 1])]
        elements += len(others)
        messages += len(set(numpy.searchsorted(starts, others, side="right")))
    return messages, 8 * elements


def counted(mpi, ranks, program, words, rounds):
    done = mpi.run(ranks, [program, "--threads", "1", "--report=comm", *words, f"max_rounds={rounds}"])
    if done.returncode != 0:
        raise SystemExit(f"FAILED: status {done.returncode}\n{done.stderr}")
    messages = sent = 0
    for line in (done.stdout + done.stderr).splitlines():
        if "direction[" in line and "Space C to whoever runs Space B" in line:
            numbers = line.split()
            messages, sent = messages + int(numbers[2]), sent + int(numbers[4])
    return messages, sent


def check_rounds(hp5c, folder):
    """Of rounds that touch the same, the first says it: k-means would look at all centres for each point."""
    text = f"{folder}/k-means.c"
    subprocess.run([hp5c, "-S", f"{ROOT}/programs/k-means/k-means.hp5", "--model", f"{ROOT}/pcubes-models/cluster.pcubes",
                    "--map", f"{ROOT}/mappings/k-means/cluster.map", "-o", text], check=True)
    with open(text, encoding="utf-8") as lines:
        told = re.search(r"/\* What stage join in Space B reads .*?\n}\n", lines.read(), re.S)
    if not told or told[0].count("break;") != 1:
        print(f"FAILED: what k-means reads of its centres is not said once:\n{told and told[0]}")
        return 1
    return 0


def check_ends(mpi, ranks, program, words, folder, ends):
    """A row that ends where no element is: said when it is used, and no inspector walks through all that is not there."""
    bad = ends.copy()
    bad[-1] = 2**31 - 1
    numpy.save(f"{folder}/bad.npy", bad)
    words = [word if not word.startswith("ends=") else f"ends={folder}/bad.npy" for word in words]
    done = mpi.run(ranks, [program, "--threads", "1", *words, "max_rounds=2"], timeout=20)
    last = ends[-1]
    wanted = f"multiply: index {last} of dimension 1 of columns, taken from ends, is outside its indices, which are 0 to {last - 1}"
    if done.returncode != 1 or done.stderr.count(wanted) != 1:
        print(f"FAILED: {mpi.name}, {ranks} processes: status {done.returncode}\n{done.stderr}\n  expected {wanted!r}")
        return 1
    return 0


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--hp5c", required=True)
    arguments.add_argument("--table", action="store_true")
    arguments.add_argument("--edge", type=int, default=20)
    options = arguments.parse_args()
    mpis, failures = launch.find_or_skip(os.path.dirname(os.path.abspath(options.hp5c))), 0
    with tempfile.TemporaryDirectory() as folder:
        failures += check_rounds(options.hp5c, folder)
        program = f"{folder}/program"
        subprocess.run([options.hp5c, f"{ROOT}/programs/conjugate-gradient/conjugate-gradient.hp5", "--model", f"{ROOT}/pcubes-models/cluster.pcubes",
                        "--map", f"{ROOT}/mappings/conjugate-gradient/cluster.map", "-o", program, "--cc-flag", "-O1"], check=True)
        for name, matrix in (("plane", plane(options.edge)), ("scattered", scattered(options.edge ** 2))):
            matrix.sort_indices()
            inputs = {"values": matrix.data, "columns": matrix.indices.astype("int32"), "ends": matrix.indptr[1:].astype("int32"),
                      "b": numpy.random.default_rng(2).standard_normal(matrix.shape[0])}
            words = [f"k={K}", "precision=1e-30", f"x={folder}/x.npy"]
            for key, value in inputs.items():
                numpy.save(f"{folder}/{key}.npy", value)
                words.append(f"{key}={folder}/{key}.npy")
            for mpi in mpis:
                failures += check_ends(mpi, 3, program, words, folder, inputs["ends"])
                for ranks in (2, 3, 4):
                    few, more = counted(mpi, ranks, program, words, 2), counted(mpi, ranks, program, words, 5)
                    found, wanted = [(b - a) / 3 for a, b in zip(few, more)], expert(matrix, ranks)
                    if options.table:
                        print(f"{name}, {matrix.shape[0]} rows, {ranks} processes, {mpi.name}: {found[0]:g} messages and {found[1]:g} bytes in a round; "
                              f"by hand {wanted[0]} and {wanted[1]}; once for all {few[0] - 2 * found[0]:g} and {few[1] - 2 * found[1]:g}")
                    if tuple(found) != wanted:
                        failures += 1
                        print(f"FAILED {name}, {ranks} processes, {mpi.name}: {found} messages and bytes in a round, expected {wanted}")
    print(f"{failures} failures")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
