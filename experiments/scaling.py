#!/usr/bin/env python3
"""How the building-block applications scale, simulated: each runs under SimGrid's SMPI on the processes of a cluster's model and computes
nothing (--simulate), for one size of its data (strong scaling) and for sizes that grow with the processes (weak scaling).

    scaling.py [--most PROCESSES] [--model FILE] [--out FILE] [PROGRAM …]

It needs SimGrid, and an hp5c that was built where SimGrid is. The table goes to experiments/results/DATE-scaling.md (--out: elsewhere), the
plot beside it. Speedup is the simulated time of one process over that of P; efficiency is speedup over P (strong), or the time of one
process over that of P (weak). The bound is what the efficiency would be if messages took no time: the longest computing of a process
alone. Messages and bytes are those of arrays' elements; reductions, and what else all processes do together, take their time but are not
counted. A program that hp5c refuses to spread is in the table with its message.
"""
import argparse
import datetime
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("HP5_BUILD", ROOT / "build"))
HP5C = BUILD / "hp5c"
MODEL = ROOT / "pcubes-models" / "hermes-16.pcubes"
CORES_OF_PROCESS = 2  # a process has a pair of cores in that model, which share what computes


def grid_of(processes):
    """Two factors, as near to each other as can be."""
    rows = max(d for d in range(1, math.isqrt(processes) + 1) if processes % d == 0)
    return rows, processes // rows


def rounded(value, step):
    return max(step, round(value / step) * step)


class Case:
    """One run: extents of its input files by name, arguments, and a line for the table that says how large it is."""

    def __init__(self, size, inputs, words):
        self.size, self.inputs, self.words = size, inputs, words


def monte_carlo(processes, weak):
    grid = rounded(64 * math.sqrt(processes), 4) if weak else 1024
    return Case(f"{grid} x {grid} cells, 2000 points each", {}, [f"grid={grid}", "points=2000", "seed=1", "k=4" if weak else "k=16", "hits=none.npy"])


def matrix_multiply(processes, weak):
    block = 112  # the same for all, so that caches have the same to hold
    n = rounded(1024 * processes ** (1 / 3), block * grid_of(processes)[1]) if weak else 7168
    return Case(f"{n} x {n}", {"a": (n, n), "b": (n, n)}, [f"k={block}", f"l={block}", f"q={block}", "c=none.npy"])


def lu(processes, weak):
    n = rounded(128 * processes ** (1 / 3), 16) if weak else 1024
    return Case(f"{n} x {n}", {"a": (n, n)}, [f"parts={processes}", "lu=none.npy", "p=none-p.npy"])


def stencil(processes, weak):
    rows, columns = grid_of(processes)
    n = (512 * rows, 512 * columns) if weak else (8192, 8192)
    return Case(f"{n[0]} x {n[1]}, 100 iterations", {"plate": n},
                ["iterations=100", f"k={rows}", f"l={columns}", "m=4", "n=1", "p1=4", "p2=2", "result=none.npy"])


def conjugate_gradient(processes, weak):
    edge = rounded(48 * math.sqrt(processes), 4) if weak else 512
    return Case(f"{edge ** 2} rows of 5 numbers, 20 rounds", {"edge": edge},
                ["precision=1e-9", "max_rounds=20", f"k={math.ceil(edge ** 2 / processes)}", "x=none.npy", "--assume-rounds", "20"])


PROGRAMS = {"stencil": stencil, "monte-carlo": monte_carlo, "matrix-multiply": matrix_multiply, "conjugate-gradient": conjugate_gradient, "lu": lu}


def write_inputs(case, folder):
    """Arrays without contents, but for the rows of a sparse matrix, which say how long loops are."""
    import numpy as np
    words = []
    if "edge" in case.inputs:

        rows = case.inputs["edge"] ** 2
        arrays = {"ends": np.arange(5, 5 * rows + 1, 5, dtype=np.int32), "columns": five_points(case.inputs["edge"])}
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array)
            words.append(f"{name}={folder}/{name}.npy")
        shapes = {"values": (5 * rows,), "b": (rows,)}
    else:
        shapes = case.inputs
    for name, shape in shapes.items():
        np.lib.format.open_memmap(folder / f"{name}.npy", mode="w+", dtype=np.float64, shape=shape)
        words.append(f"{name}={folder}/{name}.npy")
    return words


def five_points(edge):
    """Columns of the five-point matrix of a grid, edges wrapped around, so that every row has five."""
    import numpy as np
    i, j = np.divmod(np.arange(edge * edge, dtype=np.int32), edge)
    near = [((i - 1) % edge) * edge + j, i * edge + (j - 1) % edge, i * edge + j, i * edge + (j + 1) % edge, ((i + 1) % edge) * edge + j]
    return np.stack(near, axis=1).astype(np.int32).reshape(-1)


def mapping_of(name):
    own = ROOT / "experiments" / f"scaling-{name}.map"
    return own if own.exists() else ROOT / "mappings" / name / "cluster-hermes.map"


class Machine:
    def __init__(self, model, folder):
        self.model, self.folder = model, folder
        self.platform = folder / "platform.xml"
        subprocess.run([HP5C, "--smpi-platform", model, "-o", self.platform], check=True)
        self.processes = self.platform.read_text().count("host-") and int(re.search(r"stand for its (\d+) PPUs", self.platform.read_text())[1])
        (folder / "hosts").write_text("".join(f"host-{i}\n" for i in range(self.processes)))

    def compile(self, name):
        """The program, or what hp5c says against it."""
        target = self.folder / name
        done = subprocess.run([HP5C, "--smpi", ROOT / "programs" / name / f"{name}.hp5", "--map", mapping_of(name),
                               "--model", self.model, "-o", target], capture_output=True, text=True)
        return target if done.returncode == 0 else re.search(r"error: (.*)", done.stderr)[1]

    def simulate(self, program, case, processes):
        """Seconds, and those of the longest computing."""
        command = ["smpirun", "-quiet", "-np", str(processes), "-platform", self.platform, "-hostfile", self.folder / "hosts",
                   "--log=xbt_cfg.thresh:warning", program, *case.words, *write_inputs(case, self.folder), "--memory", "none", "--simulate"]
        began = time.monotonic()
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=self.folder)
        found = re.search(r"task .* on (\d+) simulated process(?:es)?: ([\d.]+) s; computing ([\d.]+) s at most, .*; (\d+) messages, (\d+) B", done.stdout)
        if done.returncode != 0 or not found:
            sys.exit(f"{program} on {processes} processes: {done.stdout}{done.stderr}")
        print(f"{os.path.basename(program)}, {case.size}, {processes} processes: {found[2]} s simulated in {time.monotonic() - began:.0f} s", flush=True)
        return float(found[2]), float(found[3]), int(found[4]), int(found[5])


def series(machine, program, name, counts, weak):
    """Rows: processes, size, seconds, speedup, efficiency, bound, messages, bytes."""
    rows = []
    for processes in counts:
        case = PROGRAMS[name](processes, weak)
        seconds, computing, messages, sent = machine.simulate(program, case, processes)
        if not rows:
            first = seconds
            work = 1
        if weak:
            work = growth(name, case, PROGRAMS[name](1, True)) / processes  # sizes are rounded: how much more each has to do
        efficiency = first * work / seconds if weak else first / seconds / processes
        bound = first * work / computing if weak else first / computing / processes
        rows.append((processes, case.size, seconds, efficiency * processes, efficiency, bound, messages, sent))
    return rows


def growth(name, case, first):
    """The work of a case over that of the first."""
    numbers = [[int(number) for number in re.findall(r"\d+", one.size)[:2]] for one in (case, first)]
    if name in ("matrix-multiply", "lu"):
        return (numbers[0][0] / numbers[1][0]) ** 3
    if name == "conjugate-gradient":
        return numbers[0][0] / numbers[1][0]
    return math.prod(numbers[0]) / math.prod(numbers[1])


def plot(results, path, title):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(len(results), 2, figsize=(9, 2.6 * len(results)), squeeze=False, sharex=True)
    for line, (name, both) in zip(axes, results.items()):
        for axis, kind in zip(line, ("strong", "weak")):
            cores = [row[0] * CORES_OF_PROCESS for row in both[kind]]
            axis.plot(cores, [row[4] for row in both[kind]], "o-", label="simulated")
            axis.plot(cores, [row[5] for row in both[kind]], "k--", linewidth=1, label="bound: computing alone")
            axis.set(xscale="log", ylim=(0, 1.15), title=f"{name}, {kind} scaling (simulated)", ylabel="efficiency")
            axis.set_xscale("log", base=2)
            axis.grid(alpha=0.3)
    axes[0][0].legend()
    for axis in axes[-1]:
        axis.set_xlabel("cores")
    figure.suptitle(title)
    figure.tight_layout(rect=(0, 0, 1, 0.985))
    figure.savefig(path, dpi=90)


def describe(results, refused, machine, picture, date):
    name = re.search(r'Machine "(.*?)"', pathlib.Path(machine.model).read_text())[1]
    lines = [f"# Scaling, simulated ({date})", "",
             f"All times are simulated: SimGrid's SMPI on the model *{name}* (`{pathlib.Path(machine.model).name}`), programs under `--simulate`, which counts and",
             "computes nothing. A process has two cores, which share what computes. Efficiency is against one simulated process; the bound",
             "is what it would be if messages took no time. Messages and MB are those of arrays' elements: reductions, and what else all processes do",
             "together, are in the times alone. Made by `experiments/scaling.py`.", "", f"![efficiency]({picture.name})", ""]
    for program, both in results.items():
        for kind, rows in both.items():
            lines += [f"## {program}, {kind} scaling (simulated)", "", "| cores | size | seconds | speedup | efficiency | bound | messages | MB sent |",
                      "|---:|---|---:|---:|---:|---:|---:|---:|"]
            lines += [f"| {p * CORES_OF_PROCESS} | {size} | {seconds:.4g} | {speedup:.4g} | {efficiency:.3f} | {bound:.3f} | {messages} | {sent / 1e6:.4g} |"
                      for p, size, seconds, speedup, efficiency, bound, messages, sent in rows] + [""]
    if refused:
        lines += ["## Not simulated", "", "hp5c does not spread these over several processes yet:", ""] + [f"- {n}: {why}" for n, why in refused.items()] + [""]
    return "\n".join(lines)


def write_results(out, results, refused, machine, date):
    """After each program: a simulation may take long."""
    picture = out.with_suffix(".png")
    if results:
        plot(results, picture, f"Simulated: SimGrid's SMPI on {machine.model.name}")
    out.write_text(describe(results, refused, machine, picture, date))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, help="processes (all of the model)")
    parser.add_argument("--model", type=pathlib.Path, default=MODEL)
    parser.add_argument("--out", type=pathlib.Path, help="the table; the plot goes beside it")
    parser.add_argument("programs", nargs="*", default=[], metavar="PROGRAM", help=", ".join(PROGRAMS))
    options = parser.parse_args()
    unknown = [name for name in options.programs if name not in PROGRAMS]
    if unknown:
        parser.error(f"{unknown[0]} is none of {', '.join(PROGRAMS)}")
    date = datetime.date.today().isoformat()
    out = options.out or ROOT / "experiments" / "results" / f"{date}-scaling.md"
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(options.model.resolve(), pathlib.Path(folder))
        results, refused = {}, {}
        for name in options.programs or PROGRAMS:
            program = machine.compile(name)
            if isinstance(program, str):
                refused[name] = program
                print(f"{name}: {program}")
                write_results(out, results, refused, machine, date)
                continue
            most = min(options.most or machine.processes, machine.processes)
            counts = [2 ** i for i in range(int(math.log2(most)) + 1)]
            results[name] = {kind: series(machine, program, name, counts, kind == "weak") for kind in ("strong", "weak")}
            write_results(out, results, refused, machine, date)


main()
