#!/usr/bin/env python3
"""Tasks on disjoint PPUs overlap in --trace's file, tasks on the same PPUs do not, and the file is complete.

    check_trace.py HP5C

How busy the machine is makes no difference: where an overlap is expected, each LPU waits until all four LPUs of both tasks are
there (they leave files), so that no overlap would be no end; where none is expected, they sleep.
"""
import json
import os
import subprocess
import sys
import tempfile

TASK = """
Task "{name}":
    Define:
        x: 1d Array of Integer
    Environment:
        x: create
    Initialize (n):
        x.dimension = [0...n - 1]
    Stages:
        wait(x) {{
            k = x.local.dimension.range.min
            @Extern {{ @Language "C" @Includes {{ fcntl.h, unistd.h }} ${{
                if (MEET) {{
                    close(open(k == 0 ? "{name}0" : "{name}1", O_CREAT | O_WRONLY, 0600));
                    const char *all[] = {{"Left0", "Left1", "Right0", "Right1"}};
                    for (int i = 0; i < 4; i++)
                        while (access(all[i], F_OK) != 0) usleep(1000);
                }}
                usleep(100000);
            }}$ }}
            x[k] = k
        }}
    Computation:
        Space A {{ wait(x) }}
    Partition (k):
        Space A <1d> {{ x: block_count(k) }}
"""
PROGRAM = """Program (args) {
    left = new TaskEnvironment(name: "Left")
    right = new TaskEnvironment(name: "Right")
    execute(task: "Left"; environment: left; initialize: 8; partition: 2)
    execute(task: "Right"; environment: right; initialize: 8; partition: 2)
}
""" + TASK.format(name="Left") + TASK.format(name="Right")
DISJOINT = '"Left" { Space A: Core[0...1] }\n"Right" { Space A: Core[2...3] }\n'
SAME = '"Left" { Space A: Core[0...1] }\n"Right" { Space A: Core[1...2] }\n'
MODEL = 'Machine "Four"\nSpace 2: Machine (1)\nSpace 1<core>: Core (4) { compute: 1 ops 1 GHz }\n'


def spans_of(hp5c, folder, mapping, meet):
    for name, text in (("p.hp5", PROGRAM.replace("MEET", "1" if meet else "0")), ("p.map", mapping), ("p.pcubes", MODEL)):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    subprocess.run([hp5c, "p.hp5", "--map", "p.map", "--model", "p.pcubes", "-o", "p"], cwd=folder, check=True)
    subprocess.run(["./p", "--trace", "t.json"], cwd=folder, check=True)
    with open(os.path.join(folder, "t.json"), encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    return [e for e in events if e["ph"] == "X"]


def hull(spans, name):
    chosen = [s for s in spans if s["name"] == name and s["cat"] == "task"]
    return min(s["ts"] for s in chosen), max(s["ts"] + s["dur"] for s in chosen), {s["tid"] for s in chosen}


def main():
    hp5c = os.path.abspath(sys.argv[1])
    for mapping, disjoint in ((DISJOINT, True), (SAME, False)):
        with tempfile.TemporaryDirectory() as folder:
            spans = spans_of(hp5c, folder, mapping, disjoint)
        left, right = hull(spans, "Left"), hull(spans, "Right")
        overlap = left[0] < right[1] and right[0] < left[1]
        assert overlap == disjoint, f"overlap {overlap} with\n{mapping}left {left}\nright {right}"
        assert left[2] == {0, 1} and right[2] == ({2, 3} if disjoint else {1, 2}), (left, right)
        stages = [s for s in spans if s["cat"] == "stage"]
        assert len(stages) == 4 and all(s["name"].startswith("wait in Space A (line ") for s in stages), stages
        assert all(s["dur"] >= 90000 for s in stages), stages


if __name__ == "__main__":
    sys.exit(main())
