#!/usr/bin/env python3
"""Tasks in disjoint processes, under each MPI: --trace says that each runs in the processes that its mapping names, that two whose data have nothing in common run
at the same time, and that one which needs the data of both comes behind them. Files and what is printed are those of one process without a mapping (run.py compares that with
the interpreter)."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import launch

MODEL = """\
Machine "Four"
Space 3:                Cluster (1)
Space 2<segment><unit>: Node    (4) { exchange: 1.5 us, move: 12.5 GB/s 4096 B 1.5 us }
Space 1<core>:          Core    (2) { compute: 4 ops 2.4 GHz }
"""

TASK = """\
Task "{name}":
    Define:
        v: 1d Array of Real double-precision
        sum: Real double-precision Reduction
    Environment:
        v, sum: create
    Initialize (n):
        v.dimension.range = [0...n - 1]
    Stages:
        step(v) {{
            do {{
                x = i * 0.5
                do {{ x = sin(x) + cos(x * j) }} for j in [0...3000]
                v[i] = x
            }} for i in v
        }}
        add(v, sum) {{ do {{ reduce(sum, "sum", v[i]) }} for i in v }}
    Computation:
        Space A {{
            step(v)
            add(v, Space Root: sum)
        }}
    Partition (k):
        Space A <1d> {{ v: block_size(k) }}
"""

PROGRAM = """\
Program (args) {
    one = new TaskEnvironment(name: "One")
    two = new TaskEnvironment(name: "Two")
    both = new TaskEnvironment(name: "Both")
    execute(task: "One"; environment: one; initialize: args.n; partition: args.k)
    execute(task: "Two"; environment: two; initialize: args.n; partition: args.k)
    both.a = one.v
    both.b = two.v
    execute(task: "Both"; environment: both; partition: args.k + 3)
    print(one.sum, two.sum, both.sum)
    bind_output(one, "v", args.v)
    bind_output(two, "v", args.w)
}
""" + TASK.format(name="One") + TASK.format(name="Two") + """\
Task "Both":
    Define:
        a, b: 1d Array of Real double-precision
        sum: Real double-precision Reduction
    Environment:
        a, b: link
        sum: create
    Stages:
        mix(a, b, sum) {
            do {
                a[i] = a[i] - 0.25 * b[i]
                reduce(sum, "sum", a[i] * b[i])
            } for i in a
        }
    Computation:
        Space A { mix(a, b, Space Root: sum) }
    Partition (k):
        Space A <1d> { a, b: block_size(k) }
"""

# Mapping, processes, and which of them run One, Two and Both.
NODES = '"One" { Space Root: Node[0] Space A: Core } "Two" { Space Root: Node[2] Space A: Core } "Both" { Space Root: Node[3] Space A: Core }'
PAIRS = '"One" { Space A: Node[0...1] } "Two" { Space A: Node[2...3] } "Both" { Space A: Node[1...2] }'
CASES = ((NODES, 4, ({0}, {2}, {3})),          # as many as the model has
         (NODES, 3, ({0}, {1}, {2})),          # as many as the tasks take
         (NODES, 6, ({0}, {2}, {3})),
         (PAIRS, 4, ({0, 1}, {2, 3}, {1, 2})),
         (PAIRS, 2, ({0}, {1}, {0, 1})))       # each stands for two nodes


def spans_of(path):
    """For each task, when it runs in which process."""
    spans = {}
    with open(path, encoding="utf-8") as trace:
        for event in json.load(trace)["traceEvents"]:
            if event.get("cat") == "task":
                spans.setdefault(event["name"], {})[event["pid"] - 1] = (event["ts"], event["ts"] + event["dur"])
    return spans


def check(spans, ranks):
    found = tuple(set(spans.get(task, {})) for task in ("One", "Two", "Both"))
    if found != ranks:
        return f"the tasks run in processes {found}, expected {ranks}"
    begin, end = (max(max(span[at] for span in spans[task].values()) if at else min(span[at] for span in spans[task].values()) for task in ("One", "Two")) for at in (0, 1))
    if begin >= min(max(span[1] for span in spans[task].values()) for task in ("One", "Two")):
        return f"One and Two do not run at the same time: {spans}"
    ready = min(span[0] for span in spans["Both"].values())
    return f"Both begins at {ready} us, and the others end at {end} us" if len(ranks[2] & (ranks[0] | ranks[1])) == 0 and ready < end else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hp5c", required=True)
    options = parser.parse_args()
    mpis, failures = launch.find(os.path.dirname(os.path.abspath(options.hp5c))), []
    if not mpis:
        print("no MPI is installed")
        sys.exit(launch.SKIPPED)
    with tempfile.TemporaryDirectory(prefix="hp5-apart-") as folder:
        at = lambda name: os.path.join(folder, name)
        values = ["n=2000", "k=50"]
        for name, text in (("apart.hp5", PROGRAM), ("four.pcubes", MODEL)):
            with open(at(name), "w", encoding="utf-8") as out:
                out.write(text)
        subprocess.run([options.hp5c, at("apart.hp5"), "-o", at("alone")], check=True)
        alone = subprocess.run([at("alone"), *values, f"v={at('v0.npy')}", f"w={at('w0.npy')}"], capture_output=True, text=True, check=True).stdout
        for number, (mapping, processes, ranks) in enumerate(CASES):
            with open(at("apart.map"), "w", encoding="utf-8") as out:
                out.write(mapping + "\n")
            subprocess.run([options.hp5c, at("apart.hp5"), "--verify", "--map", at("apart.map"), "--model", at("four.pcubes"), "-o", at("apart")], check=True)
            for mpi in mpis:
                where = f"case {number} ({processes} processes, {mpi.name})"
                done = mpi.run(processes, [at("apart"), *values, f"v={at('v.npy')}", f"w={at('w.npy')}", "--threads", "1", "--trace", at("trace.json")])
                if done.returncode != 0 or done.stdout != alone:
                    failures.append(f"{where}: status {done.returncode}: {done.stdout}{done.stderr}")
                    continue
                for name in "vw":
                    with open(at(f"{name}.npy"), "rb") as mine, open(at(f"{name}0.npy"), "rb") as expected:
                        if mine.read() != expected.read():
                            failures.append(f"{where}: {name} has other bits")
                problem = check(spans_of(at("trace.json")), ranks)
                if problem:
                    failures.append(f"{where}: {problem}")
    print("\n".join(failures), end="\n" if failures else "")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
