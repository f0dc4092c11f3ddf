#!/usr/bin/env python3
"""Plates for the heat stencil: make one, report a run, draw the result.

    plate.py make EDGE FILE.npy                 a plate with hot spots and a warm edge
    plate.py report NAME LOG EDGE ROUNDS        time, threads and GFLOP/s from a --timing log
    plate.py picture BEFORE.npy AFTER.npy FILE.png
"""
import re
import sys

import numpy as np


def make(edge, path):
    """Cold plate, one warm edge, discs of heat at places fixed by a seed."""
    edge = int(edge)
    plate = np.zeros((edge, edge))
    plate[0, :] = 50.0
    random = np.random.default_rng(5)
    rows, columns = np.ogrid[:edge, :edge]
    for _ in range(24):
        row, column = random.random(2) * edge
        radius = (0.01 + 0.05 * random.random()) * edge
        plate[(rows - row) ** 2 + (columns - column) ** 2 < radius**2] = 60 + 40 * random.random()
    np.save(path, plate)


def report(name, log, edge, rounds):
    """4 floating-point operations for each inner cell and refinement."""
    text = open(log, encoding="utf-8").read()
    found = re.search(r"on (\d+) threads? in ([0-9.]+) s", text)
    if not found:
        sys.exit(f"plate.py: {log} holds no timing:\n{text}")
    threads, seconds = int(found[1]), float(found[2])
    gflops = 4.0 * (int(edge) - 2) ** 2 * int(rounds) / seconds / 1e9
    print(f"mapping {name}: {seconds:.3f} s, degree of parallelism {threads}, {gflops:.2f} GFLOP/s")


def picture(before, after, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 5), constrained_layout=True)
    for axis, file, title in zip(axes, (before, after), ("before", "after")):
        image = axis.imshow(np.load(file), cmap="inferno", vmin=0, vmax=100)
        axis.set_title(title)
        axis.set_axis_off()
    figure.colorbar(image, ax=axes, label="temperature", shrink=0.85)
    figure.savefig(path, dpi=110)


COMMANDS = {"make": (make, 2), "report": (report, 4), "picture": (picture, 3)}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS or len(sys.argv) - 2 != COMMANDS[sys.argv[1]][1]:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]][0](*sys.argv[2:])
