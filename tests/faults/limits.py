#!/usr/bin/env python3
"""Limits: many LPUs, many threads, large extents. Correct, or diagnosed; and what they may cost.

    limits.py --hp5c HP5C [--all] [lpus] [threads] [extents] [footprint] [items]

lpus      a million LPUs on 2 threads: less than 1 KiB and 1 µs of processor time for each, and the right result
threads   64 threads on whatever cores there are: at most 3 times the processor time of 2 threads, and the same bits
extents   more than 2^31 LPUs, arrays larger than memory or than the address space; --all: an array of more than 2^31
          elements, which takes 3 GB
footprint 300 million LPUs, an array larger than the memory that --memory allows: refused before any is taken
items     a task that creates an array of 16 MB in each of 60 executions, with an alias that keeps one of them: not more memory
          than for 6 executions

Times are processor times and the best of several runs, so that a busy machine does not matter.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODEL = f"{ROOT}/pcubes-models/laptop.pcubes"
STENCIL = f"{ROOT}/programs/stencil/stencil.hp5"
LPUS = 10 ** 6

HALVE = """Program (args) {
    job = new TaskEnvironment(name: "Halve")
    bind_input(job, "v", args.v)
    execute(task: "Halve"; environment: job; partition: args.k)
    bind_output(job, "v", args.half)
}
Task "Halve":
    Define:
        v: 1d Array of Real double-precision
    Environment:
        v: link
    Stages:
        halve(v) { do { v[i] = v[i] / 2 } for i in v }
    Computation:
        Space A { halve(v) }
    Partition (k):
        Space A <1d> { v: block_size(k) }
"""

# Two vectors that divide two dimensions: LPUs are many where elements are few.
PAIRS = HALVE.replace("Space A <1d> { v: block_size(k) }", "Space A <2d> {\n            v: block_size(k), replicated\n            w: replicated, block_size(k)\n        }") \
    .replace("v: 1d Array of Real double-precision", "v, w: 1d Array of Real double-precision").replace("    Stages:", "        w: create\n    Initialize:\n        w.dimension1 = v.dimension1\n    Stages:") \
    .replace("do { v[i] = v[i] / 2 } for i in v", "local = 0.0 do in sequence { local = local + v[i] } for i in v.local.dimension1.range")

# Round r makes an array of n times r; that of round 3 is kept under another name.
ITEMS = """Program (args) {
    job = new TaskEnvironment(name: "Make")
    kept = new TaskEnvironment(name: "Sum")
    do in sequence {
        execute(task: "Make"; environment: job; initialize: args.n, r; partition: args.k)
        if (r == 3) { kept.c = job.c }
    } for r in [1...args.rounds]
    execute(task: "Sum"; environment: kept; partition: args.k)
    print(job.s, kept.s)
}
Task "Make":
    Define:
        c: 1d Array of Real double-precision
        s: Real double-precision Reduction
        value: Integer
    Environment:
        c, s: create
    Initialize (n, value):
        c.dimension1.range = [0...n - 1]
    Stages:
        put(c, value) { do { c[i] = c[i] + value } for i in c }
        total(s, c) { do { reduce(s, "sum", c[i]) } for i in c }
    Computation:
        Space A { put(c, value) total(Space Root: s, c) }
    Partition (k):
        Space A <1d> { c: block_count(k) }
Task "Sum":
    Define:
        c: 1d Array of Real double-precision
        s: Real double-precision Reduction
    Environment:
        c: link
        s: create
    Stages:
        total(s, c) { do { reduce(s, "sum", c[i]) } for i in c }
    Computation:
        Space A { total(Space Root: s, c) }
    Partition (k):
        Space A <1d> { c: block_count(k) }
"""

# A create array of n by m Characters; only its last row is written and read.
LARGE = """Program (args) {
    job = new TaskEnvironment(name: "Large")
    execute(task: "Large"; environment: job; initialize: args.n, args.m; partition: args.k)
    print(job.last)
}
Task "Large":
    Define:
        a: 2d Array of Character
        last: Integer Reduction
        n, m: Integer
    Environment:
        a: create
        last: create
    Initialize (n, m):
        a.dimension1.range = [0...n - 1]
        a.dimension2.range = [0...m - 1]
    Stages:
        mark(a, n) { do { a[i][j] = 'x' } for i, j in a and i >= n - 1 }
        count(a, n, last) { do { if (a[i][j] == 'x') { reduce(last, "sum", 1) } } for i, j in a and i >= n - 1 }
    Computation:
        Space A { mark(a, n) count(a, n, Space Root: last) }
    Partition (k):
        Space A <1d> { a<dim1>: block_size(k) }
"""
faults = []


def fault(text):
    faults.append(text)
    print("FAULT", text, flush=True)


class Run:
    """One run: status, what it said, its processor time and its peak memory in bytes."""

    def __init__(self, command, folder, limit=None):
        with open(f"{folder}/out", "wb+") as out, open(f"{folder}/err", "wb+") as err:
            process = subprocess.Popen([str(word) for word in command], cwd=folder, stdout=out, stderr=err, preexec_fn=limit)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            self.status = os.waitstatus_to_exitcode(status)
            self.seconds, self.peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
            self.out, self.err = (open(f"{folder}/{name}", errors="replace").read() for name in ("out", "err"))


def compiled(options, name, source):
    path = source if source.endswith(".hp5") else f"{options.folder}/{name}.hp5"
    if path != source:
        with open(path, "w", encoding="utf-8") as out:
            out.write(source)
    done = Run([options.hp5c, path, "--model", MODEL, "-o", f"{options.folder}/{name}"], options.folder)
    if done.status != 0:
        sys.exit(done.err)
    return f"{options.folder}/{name}"


def best(command, folder, times=3):
    """The fastest run and the smallest peak; every run must end well."""
    runs = [Run(command, folder) for _ in range(times)]
    for done in runs:
        if done.status != 0:
            sys.exit(f"{command}: status {done.status}\n{done.err}")
    return min(done.seconds for done in runs), min(done.peak for done in runs)


def lpus(options):
    folder, program = options.folder, compiled(options, "halve", HALVE)
    v = np.random.default_rng(1).standard_normal(LPUS)
    np.save(f"{folder}/v.npy", v)
    command = [program, f"v={folder}/v.npy", f"half={folder}/half.npy", "--threads", "2"]
    few_seconds, few_bytes = best([*command, "k=1000"], folder)
    seconds, bytes_ = best([*command, "k=1"], folder)
    if not np.array_equal(np.load(f"{folder}/half.npy"), v / 2):
        fault("a million LPUs: a wrong result")
    each, time = (bytes_ - few_bytes) / LPUS, seconds - few_seconds
    print(f"lpus: {each:.0f} bytes and {time * 1e9 / LPUS:.0f} ns of processor time for each of {LPUS} LPUs")
    if each >= 1024:
        fault(f"an LPU takes {each:.0f} bytes")
    if time >= 1:
        fault(f"{LPUS} LPUs take {time:.2f} s")


def threads(options):
    folder, program = options.folder, compiled(options, "stencil", STENCIL)
    np.save(f"{folder}/plate.npy", np.random.default_rng(2).standard_normal((600, 500)))
    command = [program, f"plate={folder}/plate.npy", "iterations=40", "k=16", "l=1", "m=16", "n=1", "p1=4", "p2=2"]
    times = {}
    for count in (2, 64):
        times[count] = best([*command, f"result={folder}/result{count}.npy", "--threads", count], folder)[0]
    print(f"threads: 64 take {times[64] / times[2]:.2f} times the processor time of 2")
    if open(f"{folder}/result2.npy", "rb").read() != open(f"{folder}/result64.npy", "rb").read():
        fault("64 threads: other bits than 2 threads")
    if times[64] > 3 * times[2]:
        fault(f"64 threads take {times[64]:.2f} s, 2 take {times[2]:.2f} s")


def refused(what, command, folder, words, status=1, limit=None):
    done = Run(command, folder, limit)
    if done.status != status or words not in done.err or len(done.err.splitlines()) > 3:
        fault(f"{what}: status {done.status}, said {done.err[:400]!r}; expected {status} and '{words}'")


def small_memory():
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


def sparse_file(path, count):
    """A .npy file of zeros that takes no room on the disk."""
    with open(path, "wb") as out:
        np.lib.format.write_array_header_1_0(out, {"descr": "<f8", "fortran_order": False, "shape": (count,)})
        out.truncate(out.tell() + 8 * count)


def footprint(options):
    """More LPUs or elements than there is memory for: said at once, with the argument, and nothing is taken first."""
    folder, halve = options.folder, compiled(options, "halve", HALVE)
    interpreter, more = [options.hp5c, "--interpret", f"{folder}/halve.hp5", "--"], "use larger parts, or say with --memory SIZE how much it may take"
    cases = ((300, [halve], "10GB", f"k = 1 take 62.4 GB of memory; 10.0 GB are available\n  {more}\n"),
             (30, interpreter, "2GB", f"block_size(k) with k = 1) has 30000000 parts\n  {more}\n"))
    words = [f"v={folder}/many.npy", f"half={folder}/half.npy", "k=1"]
    for millions, command, limit, end in cases:
        sparse_file(f"{folder}/many.npy", millions * 10**6)
        done = Run([*command, *words, f"--memory={limit}"], folder)
        if done.status != 2 or f": task Halve, Space A: {millions}000000 LPUs " not in done.err or not done.err.endswith(end):
            fault(f"{millions} million LPUs: status {done.status}, said {done.err[:400]!r}")
        if done.peak > 1 << 30 or done.seconds > 5:
            fault(f"{millions} million LPUs: refused after {done.seconds:.1f} s and with {done.peak} bytes")
        print(f"footprint: refused after {done.seconds:.2f} s and with {done.peak >> 20} MiB")
    sparse_file(f"{folder}/many.npy", 300 * 10**6)
    refused("an array of 2.4 GB", [halve, *words[:2], "k=1000000", "--memory=2GB"], folder, "array v takes 2.40 GB")


def extents(options):
    folder = options.folder
    np.save(f"{folder}/long.npy", np.zeros(50000))
    pairs, large = compiled(options, "pairs", PAIRS), compiled(options, "large", LARGE)
    refused("2.5 thousand million LPUs", [pairs, f"v={folder}/long.npy", f"half={folder}/half.npy", "k=1"], folder, "more than 2147483647 LPUs", 2)
    many = 1 << 32
    refused("2^64 elements", [large, f"n={many}", f"m={many}", "k=1000000000"], folder, "address space")
    refused("2^60 elements", [large, f"n={many}", f"m={many // 16}", "k=1000000000"], folder, "address space")
    refused("more memory than allowed", [large, "n=65536", "m=65536", "k=65536"], folder, "out of memory", limit=small_memory)
    refused("an empty array", [large, "n=0", "m=5", "k=1"], folder, "is empty")
    if options.all:
        done = Run([large, "n=65537", "m=32769", "k=20000", "--threads", "2"], folder)
        if done.status != 0 or done.out != "32769\n":
            fault(f"2147581953 elements: status {done.status}, {done.out!r} {done.err!r}")
    print("extents: done")


def items(options):
    folder, peaks = options.folder, []
    program = compiled(options, "items", ITEMS)
    for rounds in (6, 60):
        done = Run([program, "n=2000000", "k=4", f"rounds={rounds}", "--threads", "2"], folder)
        if done.status != 0 or done.out != f"{2000000 * rounds}.0 6000000.0\n":
            fault(f"{rounds} executions: status {done.status}, {done.out!r} {done.err!r}")
        peaks.append(done.peak)
    if peaks[1] - peaks[0] > 8 << 20:
        fault(f"60 executions take {peaks[1]} bytes, 6 take {peaks[0]}: created arrays are not used again")
    print(f"items: {peaks[0] >> 20} MiB for 6 executions, {peaks[1] >> 20} for 60")


CHECKS = {"lpus": lpus, "threads": threads, "extents": extents, "footprint": footprint, "items": items}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("checks", nargs="*", choices=[[], *CHECKS])
    options = parser.parse_args()
    options.hp5c = os.path.abspath(options.hp5c)
    with tempfile.TemporaryDirectory(prefix="hp5-limits-") as options.folder:
        for name in options.checks or CHECKS:
            CHECKS[name](options)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
