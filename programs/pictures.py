#!/usr/bin/env python3
"""Draws the pictures of the programs' pages, from what the compiled programs compute.

    pictures.py [--hp5c build/hp5c] [--out FOLDER] [NAME ...]

Without names, all of them. NAME.png goes to programs/NAME, or to FOLDER. Inputs are made here, with fixed seeds. A picture has
at most 60 KB: what does not fit fails.
"""
import argparse
import importlib.util
import io
import os
import re
import subprocess
import sys
import tempfile

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
MOST_BYTES = 60_000
# Colours that people with any kind of sight tell apart (Okabe and Ito).
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#000000"]


def script_of(name):
    """The program's own script, as a module."""
    spec = importlib.util.spec_from_file_location(name, f"{HERE}/{name}/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Programs:
    """Compiles programs once, and runs them."""

    def __init__(self, hp5c, folder):
        self.hp5c, self.folder = hp5c, folder

    def compiled(self, folder, name):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            root = os.path.dirname(HERE)
            subprocess.run([self.hp5c, f"{HERE}/{folder}/{name}.hp5", "--map", f"{root}/mappings/{name}/cores.map", "-o", path], check=True)
        return path

    def run(self, folder, outputs, name=None, **arguments):
        """The outputs' arrays, and the lines that it printed."""
        words = []
        for argument, value in arguments.items():
            if isinstance(value, np.ndarray):
                path = os.path.join(self.folder, f"{argument}.npy")
                np.save(path, value)
                value = path
            words.append(f"{argument}={value}")
        files = [os.path.join(self.folder, f"{output}.npy") for output in outputs]
        words += [f"{output}={file}" for output, file in zip(outputs, files)]
        done = subprocess.run([self.compiled(folder, name or folder), *words], check=True, capture_output=True, text=True)
        return [np.load(file) for file in files], done.stdout.splitlines()


def panels(titles, size=(3.2, 3.4)):
    """One row of square panels, without axes."""
    figure, axes = plt.subplots(1, len(titles), figsize=(size[0] * len(titles), size[1]), layout="constrained")
    for axis, title in zip(axes, titles):
        axis.set_title(title, fontsize=10)
        axis.set_xticks([])
        axis.set_yticks([])
    return figure, axes


# ---- The pictures, by program -------------------------------------------------------------------------
def heat_3d(programs):
    """A hot ball and a hot edge of the lid in a cold solid; the middle slice."""
    edge, times = 81, (0, 60, 400)
    x, y, z = np.ogrid[:edge, :edge, :edge]
    solid = np.where((x - 50) ** 2 + (y - 30) ** 2 + (z - 40) ** 2 < 14**2, 100.0, 0.0)
    solid[0, :, :] = np.where(np.arange(edge)[:, None] > 40, 100.0, 0.0)
    figure, axes = panels([f"after {steps} steps" if steps else "at the start" for steps in times])
    for axis, steps in zip(axes, times):
        u = solid
        if steps:
            [u], _ = programs.run("heat-3d", ["result"], solid=solid, steps=steps, rate=0.15, k=27, l=27, m=81, p=2)
        image = axis.imshow(u[:, :, edge // 2], cmap="inferno", vmin=0, vmax=100)
    figure.colorbar(image, ax=axes, label="temperature", shrink=0.8)
    return figure


def stencil(programs):
    """The plate of heat.sh, smaller, with the first division of the work drawn over it."""
    edge, rounds, blocks = 240, 400, 4
    rows, columns = np.ogrid[:edge, :edge]
    plate, random = np.zeros((edge, edge)), np.random.default_rng(5)
    plate[0] = 50
    for row, column, radius, heat in random.random((14, 4)):
        plate[(rows - row * edge) ** 2 + (columns - column * edge) ** 2 < ((0.02 + 0.06 * radius) * edge) ** 2] = 60 + 40 * heat
    [after], _ = programs.run("stencil", ["result"], plate=plate, iterations=rounds, k=blocks, l=blocks, m=2, n=1, p1=20, p2=20)
    figure, axes = panels(["at the start", f"after {rounds} refinements; the LPUs of Space A"], (3.7, 3.6))
    for axis, values in zip(axes, (plate, after)):
        image = axis.imshow(values, cmap="inferno", vmin=0, vmax=100)
    for line in range(1, blocks):
        axes[1].axhline(line * edge / blocks - 0.5, color="white", linewidth=0.5)
        axes[1].axvline(line * edge / blocks - 0.5, color="white", linewidth=0.5)
    figure.colorbar(image, ax=axes, label="temperature", shrink=0.85)
    return figure


GUN = """
........................#...........
......................#.#...........
............##......##............##
...........#...#....##............##
##........#.....#...##..............
##........#...#.##....#.#...........
..........#.....#.......#...........
...........#...#....................
............##......................
"""


def game_of_life(programs):
    """Gosper's gun: a glider every 30 generations."""
    gun = np.array([list(row) for row in GUN.split()], "S1")
    board = np.full((64, 92), b".", "S1")
    board[3 : 3 + gun.shape[0], 3 : 3 + gun.shape[1]] = gun
    times = (0, 60, 180)
    figure, axes = panels([f"generation {time}" for time in times], (3.6, 3.1))
    for axis, time in zip(axes, times):
        [cells], lines = programs.run("game-of-life", ["result"], board=board, generations=time, k=20, l=92, p=4)
        axis.imshow(cells == b"#", cmap="Greys", interpolation="nearest", vmax=1.2)
        axis.set_xlabel(f"{lines[0]} cells live", fontsize=9)
    return figure


def red_black_sor(programs):
    """A dipole between cold walls: the potential, and how fast the residual shrinks for several omega."""
    edge = 121
    f = np.zeros((edge, edge))
    f[40, 40], f[80, 85] = -1, 1
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    [u], lines = programs.run("red-black-sor", ["result"], u=np.zeros_like(f), f=f, omega=1.9, tolerance=1e-9, max_rounds=5000, k=31, l=121)
    image = axes[0].contourf(u, levels=np.linspace(-0.4, 0.4, 17), cmap="RdBu_r", extend="both")
    axes[0].set_aspect("equal")
    axes[0].set_title(f"the potential, after {lines[0].split()[0]} rounds", fontsize=10)
    figure.colorbar(image, ax=axes[0])
    for colour, omega in zip(COLOURS, (1.0, 1.5, 1.8, 1.95)):
        rounds = [1, 2, 5, 10, 20, 40, 80, 120, 160, 200, 250, 300]
        left = [float(programs.run("red-black-sor", ["result"], u=np.zeros_like(f), f=f, omega=omega, tolerance=1e-14, max_rounds=r,
                                   k=31, l=121)[1][0].split()[1]) for r in rounds]
        axes[1].semilogy(rounds, left, ".-", color=colour, label=f"omega = {omega}")
    axes[1].set_xlabel("rounds")
    axes[1].set_title("largest residual", fontsize=10)
    axes[1].legend()
    axes[1].grid(alpha=0.3)
    return figure


def monte_carlo(programs):
    """Hits of each cell, points that each cell needed, rounds that each region needed."""
    [hits], simple = programs.run("monte-carlo", ["hits"], grid=128, points=200, seed=2024, k=32)
    [points], adaptive = programs.run("monte-carlo", ["points"], "monte-carlo-adaptive", grid=128, batch=50, precision=0.02,
                                      max_points=2000, seed=2024, k=32)
    [rounds], regions = programs.run("monte-carlo", ["rounds"], "monte-carlo-regions", grid=128, points=20, precision=0.0005,
                                     max_rounds=30, seed=2024, k=8, l=4)
    areas = [float(lines[0].split()[0]) for lines in (simple, adaptive, regions)]
    figure, axes = panels(["monte-carlo: hits of 200 points", "-adaptive: points that a cell takes", "-regions: rounds of a region"], (3.7, 3.6))
    for axis, values, area in zip(axes, (hits, points, rounds), areas):
        figure.colorbar(axis.imshow(values, cmap="viridis", origin="lower", interpolation="nearest"), ax=axis, shrink=0.8)
        axis.set_xlabel(f"area {area:.5f}", fontsize=9)
    return figure


def histogram(programs):
    values = np.random.default_rng(1).standard_normal(200_000)
    bins, low, high = 60, -3.0, 3.0
    [counts], _ = programs.run("histogram", ["counts"], values=values, bins=bins, low=low, high=high, k=25_000, b=15)
    edges = np.linspace(low, high, bins + 1)
    middles, width = (edges[1:] + edges[:-1]) / 2, (high - low) / bins
    figure, axis = plt.subplots(figsize=(6, 3), layout="constrained")
    axis.bar(middles, counts, width, color=COLOURS[5], label="counts")
    axis.plot(middles, len(values) * width * np.exp(-(middles**2) / 2) / np.sqrt(2 * np.pi), color=COLOURS[4], label="normal density")
    axis.set_title(f"{len(values):,} normal random numbers, {int(counts.sum()):,} of them in {bins} bins", fontsize=10)
    axis.legend()
    return figure


def k_means(programs):
    """Points of the plane in their clusters, and the way of the centres, round by round."""
    random, clusters = np.random.default_rng(7), 6
    middles = 4 * random.standard_normal((clusters, 2))[:, ::-1]
    points = middles[random.integers(clusters, size=3000)] + random.standard_normal((3000, 2))
    start = points[random.integers(len(points), size=clusters)].copy()
    _, lines = programs.run("k-means", ["result", "cluster"], points=points, centres=start, max_rounds=100, k=500)
    rounds, way = int(lines[0].split()[0]), [start]
    for r in range(1, rounds + 1):
        [centres, cluster], _ = programs.run("k-means", ["result", "cluster"], points=points, centres=start, max_rounds=r, k=500)
        way.append(centres)
    way = np.array(way)
    figure, axis = plt.subplots(figsize=(6, 4.6), layout="constrained")
    for c in range(clusters):
        axis.plot(*points[cluster == c].T, ".", markersize=2, color=COLOURS[c], alpha=0.5)
        axis.plot(*way[:, c].T, "-", color="black", linewidth=1)
        axis.plot(*way[0, c], "o", markersize=6, color="white", markeredgecolor="black")
        axis.plot(*way[-1, c], "o", markersize=8, color=COLOURS[c], markeredgecolor="black")
    axis.set_title(f"{len(points):,} points, {clusters} centres: from where they start (white) to where they stay, {rounds} rounds", fontsize=9)
    axis.set_aspect("equal")
    return figure


def n_body(programs):
    """Two discs that turn, seen from above, as they pull each other apart."""
    random, n = np.random.default_rng(3), 700
    bodies = np.zeros(2 * n, script_of("n-body").BODY)
    for disc, (x, y, vx, vy) in enumerate([(-1.1, -0.4, 0.35, 0.1), (1.1, 0.4, -0.35, -0.1)]):
        some = slice(disc * n, (disc + 1) * n)
        radius, angle = 0.05 + 0.75 * np.sqrt(random.random(n)), 2 * np.pi * random.random(n)
        speed = np.sqrt(1.0 / np.sqrt(radius**2 + 0.15**2))
        mass = np.full(n, 0.1 / n)
        radius[0], speed[0], mass[0] = 0, 0, 1
        bodies["place"]["x"][some], bodies["place"]["y"][some] = x + radius * np.cos(angle), y + radius * np.sin(angle)
        bodies["place"]["z"][some] = 0.02 * random.standard_normal(n)
        bodies["velocity"]["x"][some], bodies["velocity"]["y"][some] = vx - speed * np.sin(angle), vy + speed * np.cos(angle)
        bodies["mass"][some] = mass
    times, each = (0, 200, 400, 700), 0.005
    figure, axes = panels([f"time {steps * each:g}" for steps in times], (2.6, 2.8))
    before = 0
    for axis, steps in zip(axes, times):
        if steps > before:
            [bodies], _ = programs.run("n-body", ["result"], bodies=bodies, steps=steps - before, time_step=each, softening=0.15, k=175)
            before = steps
        for disc in range(2):
            some = bodies["place"][disc * n : (disc + 1) * n]
            axis.plot(some["x"], some["y"], ".", markersize=1.2, color=COLOURS[disc])
        axis.set_xlim(-3, 3)
        axis.set_ylim(-3, 3)
        axis.set_aspect("equal")
    return figure


def conjugate_gradient(programs):
    """The residual after some numbers of rounds, for systems of several condition numbers."""
    make, edge = script_of("conjugate-gradient").make, 60
    figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
    for colour, shift in zip(COLOURS, (1.0, 0.1, 0.01)):
        rounds, left = [], []
        for most in range(2, 81, 6):
            system = make(edge=edge, precision=1e-11, max_rounds=most, k=900, shift=shift)
            done, residual = programs.run("conjugate-gradient", ["x"], **system)[1][0].split()[:2]
            if rounds and int(done) == rounds[-1]:
                break # it was precise enough
            rounds.append(int(done))
            left.append(float(residual))
        swing = 4 * np.cos(np.pi / (edge + 1)) # eigenvalues of the Laplacian: from 4 - swing to 4 + swing
        axis.semilogy(rounds, left, ".-", color=colour, label=f"condition number {(4 + swing + shift) / (4 - swing + shift):.0f}")
    axis.set_xlabel("rounds")
    axis.set_title(f"residual of a 5-point Laplacian plus a multiple of the identity, {edge * edge} unknowns", fontsize=9)
    axis.legend()
    axis.grid(alpha=0.3)
    return figure


def owners_of(said, space):
    """From --print-mapping: the PPU of each LPU of a space of one dimension."""
    text = said[said.index(f"Space {space} on "):]
    count = int(re.match(r"[^:]*: (\d+) LPU", text)[1])
    owners, found = [-1] * count, 0
    for line in text.splitlines()[1:]:
        row = re.fullmatch(r"\s+(\d+)\s+.*  (\d+): (.*)", line)
        if row:
            for first, last in re.findall(r"\((\d+)(?:\.\.\.(\d+))?,\)", row[3]):
                for lpu in range(int(first), int(last or first) + 1):
                    owners[lpu], found = int(row[1]), found + 1
        elif line.strip().startswith("Space"):
            break
    if found != count:
        sys.exit(f"pictures.py: --print-mapping names {found} of the {count} LPUs of Space {space}:\n{said}")
    return owners


def dealt_out(axis, owner, done, title, by_columns=False):
    """A matrix coloured by the core of its rows or columns; what lies before row and column `done` is finished."""
    n = len(owner)
    colours = matplotlib.colors.ListedColormap(["#d8d8d8"] + COLOURS[:max(owner) + 1])
    cells = np.repeat(np.array(owner)[:, None] + 1, n, 1)
    cells = cells.T.copy() if by_columns else cells
    cells[:done], cells[:, :done] = 0, 0
    axis.imshow(cells, cmap=colours, vmin=-0.5, vmax=max(owner) + 1.5, interpolation="nearest")
    axis.set_title(title, fontsize=10)
    axis.set_xticks([])
    axis.set_yticks([])


def print_mapping(programs, name, n, **arguments):
    """What --print-mapping says on a machine of four cores."""
    path = os.path.join(programs.folder, "four")
    with open(path + ".pcubes", "w", encoding="utf-8") as out:
        out.write("Space 2: Machine (1)\nSpace 1<core>: Core (4)\n")
    root = os.path.dirname(HERE)
    subprocess.run([programs.hp5c, f"{HERE}/{name}/{name}.hp5", "--map", f"{root}/mappings/{name}/cores.map", "--model", path + ".pcubes",
                    "-o", path], check=True)
    np.save(f"{path}.npy", np.eye(n))
    words = [f"{key}={value}" for key, value in arguments.items()]
    return subprocess.run([path, f"a={path}.npy", "lu=lu.npy", "p=p.npy", *words, "--print-mapping"], check=True, capture_output=True, text=True).stdout


def lu(programs):
    """Rows of the matrix by the core that eliminates in them, at the start and when half is done."""
    n, parts = 48, 8
    of_lpu = owners_of(print_mapping(programs, "lu", n, parts=parts), "B")
    owner = [of_lpu[row % parts] for row in range(n)] # stride(parts)
    figure, axes = plt.subplots(1, 2, figsize=(6.4, 3.7), layout="constrained")
    for axis, done in zip(axes, (0, n // 2)):
        dealt_out(axis, owner, done, "step 0" if done == 0 else f"step {done}; grey is finished")
        axis.set_xlabel("rows left for each core: " + ", ".join(str(sum(o == core for o in owner[done:])) for core in range(4)), fontsize=9)
    return figure


def block_lu(programs):
    """Both divisions of the matrix: rows while a panel is factored, columns while the rest is updated."""
    n, block, parts, done = 64, 4, 8, 24
    said = print_mapping(programs, "block-lu", n, b=block, parts=parts)
    figure, axes = plt.subplots(1, 2, figsize=(6.4, 3.7), layout="constrained")
    for axis, space, text in zip(axes, ("Rows", "Columns"), ("Space Rows: factors the panel", "Space Columns: updates the rest")):
        of_lpu = owners_of(said, space)
        owner = [of_lpu[index // block % parts] for index in range(n)] # block_stride(b, parts)
        dealt_out(axis, owner, done, text, by_columns=space == "Columns")
    for axis, first, last in ((axes[0], done + block, n), (axes[1], done, done + block)): # what the space leaves alone
        axis.add_patch(plt.Rectangle((first - 0.5, done - 0.5), last - first, n - done, color="white", alpha=0.8, linewidth=0))
    return figure


PICTURES = {"stencil": stencil, "heat-3d": heat_3d, "game-of-life": game_of_life, "red-black-sor": red_black_sor, "monte-carlo": monte_carlo,
            "histogram": histogram, "k-means": k_means, "n-body": n_body, "conjugate-gradient": conjugate_gradient, "lu": lu, "block-lu": block_lu}


def save(figure, path):
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=90, metadata={"Software": None}, pil_kwargs={"optimize": True})
    plt.close(figure)
    if len(picture.getvalue()) > MOST_BYTES:
        sys.exit(f"{path} would have {len(picture.getvalue())} bytes, more than {MOST_BYTES}")
    with open(path, "wb") as out:
        out.write(picture.getvalue())
    print(f"{path}: {len(picture.getvalue())} bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", default=os.path.join(os.path.dirname(HERE), "build", "hp5c"))
    parser.add_argument("--out", help="folder for all pictures")
    parser.add_argument("names", nargs="*", help=", ".join(PICTURES))
    options = parser.parse_args()
    for name in options.names:
        if name not in PICTURES:
            parser.error(f"{name}: expected {', '.join(PICTURES)}")
    for name in options.names or PICTURES:
        with tempfile.TemporaryDirectory(prefix="hp5-pictures-") as folder:
            figure = PICTURES[name](Programs(os.path.abspath(options.hp5c), folder))
        save(figure, os.path.join(options.out or os.path.join(HERE, name), f"{name}.png"))


if __name__ == "__main__":
    main()
