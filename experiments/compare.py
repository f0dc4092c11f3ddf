#!/usr/bin/env python3
"""Speed of compiled HP5 programs against hand-written references, as ratios in one run.

    compare.py [--runs N] [--threads N] [stencil] [multiply] [frontend] [lpus] [memory] [launch]

Both sides run alternately (A B A B …); medians and the median of the pairwise ratios are
reported. Builds what it needs under out/experiments. Needs build/hp5c (sh tests/setup.sh) and, for
`multiply`, OpenBLAS (apt-get install libopenblas-dev).
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
HP5C = pathlib.Path(os.environ.get("HP5_BUILD", ROOT / "build")) / "hp5c"
OUT = ROOT / "out" / "experiments"


def sh(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nfailed with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def compile_hp5(program, mapping, name):
    sh(HP5C, ROOT / "programs" / program, "--map", ROOT / "mappings" / mapping, "-o", OUT / name)
    return OUT / name


def compile_c(source, *flags):
    name = OUT / pathlib.Path(source).stem
    sh("cc", "-O3", "-march=native", "-std=gnu17", ROOT / "experiments" / "reference" / source, "-o", name, "-lpthread", *flags)
    return name


def flow_seconds(done):
    return float(re.search(r"threads? in ([0-9.]+) s", done.stderr)[1])


def alternate(title, ours, reference, runs):
    """`ours` and `reference` are functions that run once and return seconds."""
    pairs = [(ours(), reference()) for _ in range(runs + 1)][1:]
    mine, theirs = statistics.median(p[0] for p in pairs), statistics.median(p[1] for p in pairs)
    ratio = statistics.median(p[1] / p[0] for p in pairs)
    print(f"{title:58} hp5 {mine:8.4f} s   reference {theirs:8.4f} s   speed ratio {ratio:.2f}", flush=True)
    return ratio


def plate(edge):
    path = OUT / f"plate{edge}.npy"
    if not path.exists():
        np.save(path, np.random.default_rng(1).random((edge, edge)))
    return path


def stencil(args):
    edge, iterations = 4096, 200
    reference = compile_c("stencil.c")
    program = compile_hp5("stencil/stencil.hp5", "stencil/cores.map", "stencil-hp5")

    def hand():
        done = sh(reference, plate(edge), OUT / "hand.npy", iterations, args.threads)
        return float(done.stdout)

    def ours(partition):
        def run():
            done = sh(program, f"plate={plate(edge)}", f"result={OUT / 'ours.npy'}", f"iterations={iterations}", "--task-times",
                      f"--threads={args.threads}", *partition.split())
            return flow_seconds(done)
        return run

    t = args.threads
    print(f"# 5-point stencil {edge}², {iterations} iterations, {t} threads")
    for title, partition in [
        ("padding 1, one part a thread", f"k={t} l=1 m=1 n=1 p1=1 p2=1"),
        ("padding 1, parts of 128 x 4096", f"k={t} l=1 m={4096 // 128 // t} n=1 p1=1 p2=1"),
        ("padding 8, parts of 64 x 1024", f"k={t} l=1 m={4096 // 64 // t} n=4 p1=8 p2=8"),
        ("padding 20, parts of 64 x 1024", f"k={t} l=1 m={4096 // 64 // t} n=4 p1=20 p2=20"),
        ("padding 25, parts of 128 x 512", f"k={t} l=1 m={4096 // 128 // t} n=8 p1=25 p2=25"),
    ]:
        alternate(title, ours(partition), hand, args.runs)
        sh("cmp", OUT / "ours.npy", OUT / "hand.npy")


def multiply(args):
    edge = 2048
    reference = compile_c("dgemm.c", "-lopenblas")
    program = compile_hp5("matrix-multiply/matrix-multiply.hp5", "matrix-multiply/cores.map", "multiply-hp5")
    for name in "ab":
        if not (OUT / f"{name}.npy").exists():
            np.save(OUT / f"{name}.npy", np.random.default_rng(ord(name)).random((edge, edge)))
    core = "SkylakeX" if "avx512f" in open("/proc/cpuinfo").read() else ""
    environment = dict(os.environ, **({"OPENBLAS_CORETYPE": core} if core else {}))
    print(f"# matrix multiply {edge}², double, {args.threads} threads, OpenBLAS {core or 'kernels of its own choice'}")

    def blas():
        return float(sh(reference, edge, args.threads, env=environment).stdout)

    for k, l, q in [(64, 64, 128), (128, 128, 128), (256, 256, 128), (256, 512, 256)]:
        def ours():
            done = sh(program, f"a={OUT / 'a.npy'}", f"b={OUT / 'b.npy'}", f"c={OUT / 'c.npy'}", f"k={k}", f"l={l}", f"q={q}",
                      "--task-times", f"--threads={args.threads}")
            return flow_seconds(done)
        alternate(f"blocks {k} x {l}, sub-partitions of {q}", ours, blas, args.runs)


def peak_of(command, **options):
    """Wall seconds and peak memory in MB of one command."""
    begin = time.monotonic()
    process = subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command} failed")
    return time.monotonic() - begin, usage.ru_maxrss / 1024


def frontend(args):
    """1 MB of HP5: many tasks of ordinary size."""
    source = (ROOT / "programs" / "stencil" / "stencil.hp5").read_text()
    task = source[source.index("Task "):]
    text, count = "", 0
    while len(text) < 1_000_000:
        text += task.replace('"Heat Stencil"', f'"Heat {count}"') + "\n"
        count += 1
    path = OUT / "large.hp5"
    path.write_text(text)
    runs = [peak_of([HP5C, "--check-only", path]) for _ in range(args.runs)]
    print(f"# front end: {len(text) / 1e6:.2f} MB, {count} tasks: {statistics.median(r[0] for r in runs):.3f} s, "
          f"{max(r[1] for r in runs):.0f} MB")
    for program in sorted((ROOT / "programs").glob("*/*.hp5")):
        runs = [peak_of([HP5C, "-S", program, "-o", OUT / "x.c", "--model", ROOT / "pcubes-models" / "laptop.pcubes"])[0]
                for _ in range(args.runs)]
        print(f"hp5c without the C compiler, {program.name}: {statistics.median(runs) * 1000:.1f} ms")


def lpus(args):
    """Cost of an LPU whose part is next to nothing, and set-up of a million of them."""
    program = OUT / "touch.hp5"
    program.write_text(TOUCH)
    sh(HP5C, program, "-o", OUT / "touch")
    count = 1_000_000
    np.save(OUT / "v.npy", np.zeros(count))
    rounds = 100

    untimed = [peak_of([OUT / "touch", f"v={OUT / 'v.npy'}", f"w={OUT / 'w.npy'}", f"rounds={n}", "b=1"]) for n in (0, rounds) for _ in range(args.runs)]
    short = statistics.median(u[0] for u in untimed[: args.runs])
    long = statistics.median(u[0] for u in untimed[args.runs:])
    each = (long - short) / (rounds * count) * 1e9 * args.threads
    print(f"# 1,000,000 LPUs on {args.threads} threads: {each:.1f} ns for each LPU, stage execution and thread; "
          f"whole run without rounds {short:.3f} s, {untimed[0][1]:.0f} MB ({untimed[0][1] * 1e6 / count - 16:.0f} bytes an LPU beside the arrays)")


TOUCH = """Program (args) {
    e = new TaskEnvironment(name: "Touch")
    bind_input(e, "v", args.v)
    execute(task: "Touch"; environment: e; initialize: args.rounds; partition: args.b)
    bind_output(e, "v", args.w)
}
Task "Touch":
    Define: v: 1d Array of Real double-precision  rounds: Integer
    Environment: v: link
    Initialize (rounds):
    Stages:
        touch(v) { do { v[i] = v[i] + 1 } for i in v }
    Computation:
        Repeat for r in [1...rounds] { Space A { touch(v) } }
    Partition (b):
        Space A <1d> { v: block_size(b) }
"""


LAUNCH = """Program (args) {
    e = new TaskEnvironment(name: "Tick")
    n = args.lpus
    bind_input(e, "x", args.x)
    do in sequence {
        execute(task: "Tick"; environment: e; partition: n)
    } for i in [1...args.times]
    bind_output(e, "OUTPUT", args.out)
}
Task "Tick":
    Define: x, y: 1d Array of Integer
    Environment: x: link  y: create
    Initialize: y.dimension = x.dimension
    Stages:
        tick(y, x) { do { STATEMENT } for i in x }
    Computation:
        Space A { tick(y, x) }
    Partition (n):
        Space A <1d> { x: block_count(n) PADDING
                       y: block_count(n) }
"""


def launch(args):
    """Launching a task again: data that stay in place, are created each time, or are held in padded copies."""
    kinds = {"in place": ("x[i] = x[i] + 1", "", "x"), "created": ("y[i] = x[i]", "", "y"),
             "padded copies": ("x[i] = x[i] + 1", "padding(1)", "x")}
    times = 100_000
    for kind, (statement, padding, output) in kinds.items():
        name = OUT / ("launch-" + kind.replace(" ", "-"))
        text = LAUNCH.replace("STATEMENT", statement).replace("PADDING", padding).replace("OUTPUT", output)
        name.with_suffix(".hp5").write_text(text)
        sh(HP5C, name.with_suffix(".hp5"), "-o", name)
        for each in (1, 10, 100, 1000):
            lpus = each * args.threads
            np.save(OUT / "ticks.npy", np.zeros(2 * lpus, dtype=np.int64))

            def seconds(count):
                return peak_of([name, f"lpus={lpus}", f"x={OUT / 'ticks.npy'}", f"out={OUT / 'o.npy'}", f"times={count}",
                                f"--threads={args.threads}"])[0]

            runs = [(seconds(times) - seconds(1)) / times * 1e6 for _ in range(args.runs)]
            print(f"launch again, {kind:14} {each:5} LPUs on each of {args.threads} PPUs: median {statistics.median(runs):6.2f} us, "
                  f"least {min(runs):6.2f} us", flush=True)


def memory(args):
    """Peak memory of the stencil against the two versions that it asks for."""
    program = compile_hp5("stencil/stencil.hp5", "stencil/cores.map", "stencil-hp5")
    edge = 4096
    _, small = peak_of([program, f"plate={plate(64)}", f"result={OUT / 'r.npy'}", "iterations=1", "k=1", "l=1", "m=1", "n=1", "p1=1", "p2=1"])
    for m, n, p in [(1, 1, 1), (32, 4, 8)]:
        _, peak = peak_of([program, f"plate={plate(edge)}", f"result={OUT / 'r.npy'}", "iterations=8", "k=2", "l=1", f"m={m}", f"n={n}", f"p1={p}", f"p2={p}"])
        rows, columns = edge / 2 / m + 2 * p, edge / n + 2 * p
        padded = 2 * 2 * m * n * min(rows, edge) * min(columns, edge) * 8 / 2**20
        print(f"# memory, stencil {edge}², m={m} n={n} padding {p}: {peak - small:.0f} MB over an empty run; arrays "
              f"{2 * edge * edge * 8 / 2**20:.0f} MB, with padding {padded:.0f} MB")


EXPERIMENTS = {"stencil": stencil, "multiply": multiply, "frontend": frontend, "lpus": lpus, "memory": memory, "launch": launch}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("experiments", nargs="*", choices=[*EXPERIMENTS, []])
    args = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    for name in args.experiments or EXPERIMENTS:
        EXPERIMENTS[name](args)


if __name__ == "__main__":
    main()
