"""What processes take at most: 1.05 times the parts of their LPUs, padding included, and 2 MB, beside what the program takes for tiny arrays.

Each process says its peak when it ends (peak.c, preloaded). The two programs have blocks of rows, of columns, of both, and whole vectors."""
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
    _, inputs, words, outputs, _ = case
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


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--hp5c", required=True)
    options = arguments.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory(prefix="hp5-memory-") as folder:
        for mpi in launch.find_or_skip(os.path.dirname(os.path.abspath(options.hp5c))):
            subprocess.run([mpi.compiler, "-shared", "-fPIC", "-O1", f"{HERE}/peak.c", "-o", f"{folder}/peak.so"], check=True)
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
