#!/usr/bin/env python3
"""The kernels of run.py in several processes against themselves in as many threads: what processes cost programs that nobody tuned for them.

    processes.py [--ranks N,N …] [--runs N] [--mpi openmpi|mpich] [--small] [--markdown FILE] [--part I/N] [KERNEL …]

The mapping is the one that hp5c derives for pcubes-models/cluster.pcubes. Processes of one
thread, started by the launcher as a user would, and one process of as many threads run in turn, once for nothing and then N times; the ratio is the
threads' time over the processes', the median of the rounds: above 1, processes are faster. What both wrote and printed must be the same bit by bit.
The bytes are what messages carried, and what they would carry at least (--report=comm). With --small the inputs are small, and only the
comparison counts (a test does this).
"""
import argparse
import pathlib
import re
import statistics
import subprocess
import sys

import run as held_out
from run import HERE, HP5C, ROOT, add_choice, chosen, table
sys.path.insert(0, str(ROOT / "tests" / "mpi"))
import launch  # noqa: E402  (it lies beside the tests)

OUT = ROOT / "out" / "experiments" / "held-out-processes"
MODEL = ROOT / "pcubes-models" / "cluster.pcubes"


def build(kernel, folder):
    """The program for processes, and the one for threads."""
    source = HERE / f"{kernel.name}.hp5"
    table.sh(HP5C, source, "--model", MODEL, "--verify", "-o", folder / "processes")
    table.sh(HP5C, source, "-o", folder / "threads")
    return folder / "processes", folder / "threads"


class Side:
    def __init__(self, kernel, start, words, folder, name):
        self.name, self.start = name, start
        self.results = {output: folder / f"{name}-{output}.npy" for output in kernel.outputs}
        self.words = [*words, *(f"{output}={path}" for output, path in self.results.items())]

    def run(self, *more):
        done = self.start([str(word) for word in [*self.words, *more]])
        if done.returncode != 0:
            sys.exit(f"{self.name}: status {done.returncode}\n{done.stdout}{done.stderr}")
        self.printed = done.stdout
        return done.stderr

    def seconds(self):
        return sum(float(found) for found in re.findall(r"^task .* in ([0-9.]+) s", self.run("--task-times"), re.M))


def moved(side):
    """Bytes of messages of the tasks, and how many they would be at least."""
    rows = re.findall(r"^ +\d+ +\d+ +\d+ +\d+ +(\d+) +\d+ +(\d+) ", side.run("--report=comm"), re.M)
    return sum(int(row[0]) for row in rows), sum(int(row[1]) for row in rows)


def compare(kernel, processes, threads):
    if processes.printed != threads.printed:
        sys.exit(f"{kernel.name}: processes print {processes.printed.strip()}, threads {threads.printed.strip()}")
    for name, path in processes.results.items():
        if path.read_bytes() != threads.results[name].read_bytes():
            sys.exit(f"{kernel.name}: {name} differs")


def measure(kernel, ranks, mpi, options):
    folder = OUT / kernel.name
    folder.mkdir(parents=True, exist_ok=True)
    words = held_out.write_inputs(kernel, kernel.small if options.small else kernel.size, folder)
    spread, alone = build(kernel, folder)
    launched = mpi.run if options.small else lambda n, command: launch_plainly(mpi, n, command)
    processes = Side(kernel, lambda words: launched(ranks, [spread, *words, "--threads=1"]), words, folder, "processes")
    threads = Side(kernel, lambda words: subprocess.run([alone, *words, f"--threads={ranks}"], capture_output=True, text=True), words, folder, "threads")
    rounds = [(processes.seconds(), threads.seconds()) for _ in range(options.runs + 1)][-max(options.runs, 1):]
    compare(kernel, processes, threads)
    sizes = moved(processes)
    for path in folder.glob("*.npy"):
        path.unlink()
    ratios = sorted(r[1] / r[0] for r in rounds) if not options.small else [1.0]
    return [kernel.name, str(ranks), f"{statistics.median(r[0] for r in rounds):.4f}", f"{statistics.median(r[1] for r in rounds):.4f}",
            f"{statistics.median(ratios):.2f}", f"{ratios[0]:.2f} … {ratios[-1]:.2f}", f"{sizes[0]:,}", f"{sizes[1]:,}"]


def launch_plainly(mpi, ranks, command):
    """Without the settings of tests, by which processes that wait give their core away: each has its own here."""
    words = ["mpirun.mpich"] if mpi.name == "mpich" else ["mpirun.openmpi", "--allow-run-as-root"]
    return subprocess.run([*words, "-n", str(ranks), *command], capture_output=True, text=True)


HEAD = ["kernel", "n", "n processes, s", "n threads, s", "ratio", "from … to", "bytes", "at least"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default="2")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--mpi", default="mpich", choices=["openmpi", "mpich"])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--markdown")
    add_choice(parser)
    options = parser.parse_args()
    kernels = chosen(parser, options)
    mpi = next((found for found in launch.find_or_skip(HP5C.parent) if found.name == options.mpi), None)
    if mpi is None:
        sys.exit(launch.SKIPPED)
    rows = []
    for ranks in map(int, options.ranks.split(",")):
        for kernel in kernels:
            rows.append(measure(kernel, ranks, mpi, options))
            print("  ".join(cell.ljust(14) for cell in rows[-1]), flush=True)
    if options.small:
        return
    mean = statistics.geometric_mean(float(row[4]) for row in rows)
    print(f"geometric mean of the ratios {mean:.2f}")
    if options.markdown:
        pathlib.Path(options.markdown).write_text(table.markdown(f"{mpi.title}; {options.runs} rounds; geometric mean of the ratios {mean:.2f}.", HEAD, rows), encoding="utf-8")


if __name__ == "__main__":
    main()
