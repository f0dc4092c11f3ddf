#!/usr/bin/env python3
"""Options that change where a compiled program runs, without compiling it again: --machine, --threads, --pin, subsets.

    check_knobs.py HP5C

Where threads are bound is asked of the system: an extern block calls sched_getaffinity. Which PPU ran what is in --trace.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

PROGRAM = """Program (args) {
    job = new TaskEnvironment(name: "Where")
    execute(task: "Where"; environment: job; initialize: args.n; partition: args.k)
    bind_output(job, "x", args.x)
}

Task "Where":
    Define:
        x: 1d Array of Integer
    Environment:
        x: create
    Initialize (n):
        x.dimension = [0...n - 1]
    Stages:
        look(x) {
            count = 0
            @Extern {
                @Language "C"
                @Includes { sched.h }
                ${
                    cpu_set_t set;
                    if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
                }$
            }
            do { x[i] = count } for i in x
        }
    Computation:
        Space A { look(x) }
    Partition (k):
        Space A <1d> { x: block_count(k) }
"""
MODEL = 'Machine "M"\nSpace 3: Machine (1)\nSpace 2: Node (2)\nSpace 1<core>: Core (4)\n'


def run(*words, status=0):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def build(hp5c, line):
    write("w.map", f'"Where" {{ {line} }}\n')
    run(hp5c, "w.hp5", "--model", "m.pcubes", "--map", "w.map", "--cc-flag", "-D_GNU_SOURCE", "-o", "w")


def lines(*options):
    """Threads, and the PPUs with their LPUs, from --print-mapping."""
    text = run("./w", "n=64", "k=16", "x=x.npy", "--print-mapping", *options).stdout
    ppus = re.findall(r"^ +\d+  ((?:Node|Core) \d+(?:, Core \d+)?) +(\d+)", text, re.M)
    return int(re.search(r"(\d+) threads?;", text)[1]), [(name, int(count)) for name, count in ppus]


def check_counts(hp5c):
    build(hp5c, "Space A: Core")
    all_cores = [(f"Node {n}, Core {c}", 2) for n in range(2) for c in range(4)]
    assert lines() == (8, all_cores), lines()
    assert lines("--machine", "Core=2") == (4, [(f"Node {n}, Core {c}", 4) for n in range(2) for c in range(2)]), lines("--machine", "Core=2")
    assert lines("--machine", "Core=4,Node=1")[0] == 4
    assert lines("--threads", "2") == (2, [("Node 0, Core 0", 8), ("Node 1, Core 0", 8)]), lines("--threads", "2")
    assert lines("--machine=Core=8")[0] == 16
    build(hp5c, "Space A: Core[1...3]")
    assert lines() == (3, [("Core 1", 6), ("Core 2", 5), ("Core 3", 5)]), lines()
    build(hp5c, "Space Root: Node[1]  Space A: Core[0...1]")
    assert lines()[0] == 2
    for text, message in (("Core=0", "--machine: the count of Core is '0', expected a number from 1 to 4096"),
                          ("Cores=2", "--machine: the model of the machine has no level 'Cores'; it has Machine, Node, Core"),
                          ("Core", "--machine: found 'Core', expected LEVEL=COUNT, as in --machine Core=4,Node=2")):
        found = run("./w", "n=64", "k=16", "x=x.npy", "--machine", text, status=2).stderr
        assert found == f"w: {message}\n", found


def check_functions(hp5c):
    """Machine(Node, Core) is the machine that --machine says."""
    write("f.map", "m = Machine(Node, Core)\ndef turn(Tuple p, Tuple s):\n    return m[p[0] % m.size[0], p[0] / m.size[0] % m.size[1]]\n"
                   '"Where" { Space A: Core by turn }\n')
    run(hp5c, "w.hp5", "--model", "m.pcubes", "--map", "f.map", "--cc-flag", "-D_GNU_SOURCE", "-o", "w")
    for options, nodes, cores in (((), 2, 4), (("--machine=Node=1,Core=4",), 1, 4), (("--machine=Node=4,Core=2",), 4, 2), (("--threads=6",), 2, 3)):
        text = run("./w", "n=64", "k=16", "x=x.npy", "--print-mapping", *options).stdout
        assert ", by turn (f.map)" in text, text
        expected = {n * cores + c: [i for i in range(16) if i % nodes == n and i // nodes % cores == c] for n in range(nodes) for c in range(cores)}
        found = {int(p): [int(i) for i in re.findall(r"\((\d+),\)", rest)] for p, rest in re.findall(r"^ +(\d+)  \S+ \d+(?:, Core \d+)? +\d+: (.*)$", text, re.M)}
        # neighbours in one PPU are printed as a range, cut lists end with an ellipsis
        for ppu, lpus in found.items():
            assert lpus == expected[ppu][:len(lpus)], (options, text)
        assert len(found) == nodes * cores, (options, text)


def check_results(hp5c):
    """Affinity by the system, PPUs by the trace."""
    processors = len(os.sched_getaffinity(0))
    build(hp5c, "Space A: Core")
    for options, bound in ((("--pin=none",), processors), (("--pin=model",), 1), ((), 1)):
        run("./w", "n=8", "k=2", "x=x.npy", "--threads", 2, "--trace", "t.json", *options)
        found = set(np.load("x.npy").tolist())
        assert found == {bound if processors > 1 else processors}, (options, found)
        with open("t.json", encoding="utf-8") as file:
            spans = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X"]
        assert {s["tid"] for s in spans if s["cat"] == "stage"} == {0, 1}, spans


def main():
    hp5c = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="hp5-knobs-") as folder:
        os.chdir(folder)
        write("w.hp5", PROGRAM)
        write("m.pcubes", MODEL)
        check_counts(hp5c)
        check_functions(hp5c)
        check_results(hp5c)
        os.chdir("/")


if __name__ == "__main__":
    sys.exit(main())
