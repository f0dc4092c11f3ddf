#!/usr/bin/env python3
"""How near simulations come to this machine: programs in 1, 2, … real processes of one thread, and the same in simulated ones.

    real.py [--runs N] [--processes 1,2] [--model FILE] [PROGRAM …]

The model is what `hp5c --probe` says of this machine, each of whose cores is an address space here, unless --model gives another one.
A program runs --runs times on each number of processes, which follow each other; the shortest time counts (what else the machine does makes others
longer), and the table of that run's --timing in one process is what --simulate --measured goes by. Columns: real seconds, simulated by
prediction alone, and by measured times, each with its ratio to the real ones. It needs SimGrid and an MPI.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "mpi"))
import launch  # noqa: E402

HP5C = pathlib.Path(os.environ.get("HP5_BUILD", ROOT / "build")) / "hp5c"
WITHOUT_MESSAGES = 1.0  # us from core to core, where the probe has not measured it

PROGRAMS = {
    "monte-carlo": ('"Area" { Space A: Machine Space B: Core }', {},
                    ["grid=128", "points=4000", "seed=1", "k=16", "hits=out.npy"]),
    "matrix-multiply": ('"Matrix Multiply" { Space A: Core }', {"a": (1536, 1536), "b": (1536, 1536)}, ["k=192", "l=192", "q=192", "c=out.npy"]),
    "stencil": ('"Heat Stencil" { Space A: Core Space B: Core }', {"plate": (2048, 2048)},
                ["iterations=48", "k=2", "l=1", "m=4", "n=1", "p1=4", "p2=2", "result=out.npy"]),
    "lu": ('"LU Factorization" { Space A: Machine Space B: Core }', {"a": (768, 768)}, ["parts=2", "lu=out.npy", "p=out-p.npy"]),
}


def probed(folder):
    """The machine's own model, with a process for each core."""
    text = subprocess.run([HP5C, "--probe"], capture_output=True, text=True, check=True).stdout
    lines = text.splitlines()
    last = lines[-1]
    if "exchange:" not in last:
        last = re.sub(r" }$", f", exchange: {WITHOUT_MESSAGES} us }}", last)
    lines[-1] = re.sub(r"(Space 1)((?:<\w+>)*)", r"\1\2<segment>", last)
    path = folder / "machine.pcubes"
    path.write_text("\n".join(lines) + "\n")
    return path


def best(command, runs, folder):
    """Seconds of the tasks in the shortest run, and what it has said."""
    found = []
    for _ in range(runs):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=folder)
        times = re.findall(r"^task .* in ([0-9.]+) s, after", done.stderr, re.M)
        if done.returncode != 0 or not times:
            sys.exit(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
        found.append((sum(map(float, times)), done.stderr))
    return min(found)


def simulated(folder, program, processes, words):
    command = ["smpirun", "-quiet", "-np", str(processes), "-platform", "platform.xml", "-hostfile", "hosts", "--log=xbt_cfg.thresh:warning",
               f"./{program}", *words, "--simulate"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    found = re.findall(r"^task .* simulated process(?:es)?: ([\d.]+) s", done.stdout, re.M)
    if not found:
        sys.exit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return sum(map(float, found))


def prepare(folder, name, model):
    mapping, inputs, words = PROGRAMS[name]
    (folder / f"{name}.map").write_text(mapping.replace(" Space", "\n    Space").replace(" }", "\n}") + "\n")
    source = [ROOT / "programs" / name / f"{name}.hp5", "--map", folder / f"{name}.map", "--model", model, "-o"]
    subprocess.run([HP5C, *source, folder / name], check=True, capture_output=True)
    subprocess.run([HP5C, "--smpi", *source, folder / f"{name}-simulated"], check=True, capture_output=True)
    random = np.random.default_rng(1)
    for array, shape in inputs.items():
        values = random.random(shape)
        if name == "lu":
            values += shape[0] * np.eye(shape[0])
        np.save(folder / f"{name}-{array}.npy", values)
    return [f"{array}={name}-{array}.npy" for array in inputs] + words + ["--threads", "1"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--processes", default="1,2")
    parser.add_argument("--model", type=pathlib.Path)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(PROGRAMS))
    options = parser.parse_args()
    counts = [int(count) for count in options.processes.split(",")]
    mpi = launch.find_or_skip(str(HP5C.parent))[0] if max(counts) > 1 else None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = options.model or probed(folder)
        subprocess.run([HP5C, "--smpi-platform", model, "-o", folder / "platform.xml"], check=True)
        (folder / "hosts").write_text("".join(f"host-{i}\n" for i in range(max(counts))))
        print("| program | processes | real s | predicted s | of real | measured s | of real |\n|---|---:|---:|---:|---:|---:|---:|")
        for program in options.programs or PROGRAMS:
            words = prepare(folder, program, model.resolve())
            for count in counts:
                command = [f"./{program}", *words, "--timing"]
                seconds, said = best(mpi.line(count, command) if count > 1 else command, options.runs, folder)
                if count == counts[0]:
                    (folder / "times").write_text(said)
                alone = simulated(folder, f"{program}-simulated", count, words)
                measured = simulated(folder, f"{program}-simulated", count, [*words, "--measured", "times"])
                print(f"| {program} | {count} | {seconds:.4f} | {alone:.4f} | {alone / seconds:.2f} | {measured:.4f} | {measured / seconds:.2f} |", flush=True)


main()
