#!/usr/bin/env python3
"""The trace of several processes: one file, with the threads of all of them, a row for messages to and from each other one, and two ends of
every message; and while messages travel, LPUs run that do not need them.

    check_ranks.py --hp5c HP5C

The stencil in two processes: each has 16 of 32 LPUs, of which the 4 at the other's border wait; or one, which waits. How busy the machine is makes no
difference: between the beginning of a message and the beginning of its wait a process runs its other 12, and the core of the first one
that waits, whenever that is.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tests", "mpi"), os.path.join(ROOT, "tests", "tools")]
import arrays  # noqa: E402
import launch  # noqa: E402
import numpy  # noqa: E402

ROUNDS, STEPS, CORE = 5, 2, 1
PIECES = {4: 12, 1: 0} # in each dimension of a process: how many of them do not wait


def events_of(mpi, hp5c, folder, pieces):
    program, plate, trace = f"{folder}/stencil", f"{folder}/plate.npy", f"{folder}/trace.json"
    subprocess.run([hp5c, f"{ROOT}/programs/stencil/stencil.hp5", "--map", f"{ROOT}/mappings/stencil/cluster.map", "--model",
                    f"{ROOT}/pcubes-models/cluster.pcubes", "-o", program], check=True)
    numpy.save(plate, arrays.generate("plate(96,64)"))
    words = ["k=2", "l=1", f"m={pieces}", f"n={pieces}", f"p1={STEPS}", f"p2={STEPS}", f"iterations={ROUNDS * STEPS}"]
    done = mpi.run(2, [program, f"plate={plate}", f"result={folder}/result.npy", *words, "--threads", "1", "--trace", trace])
    assert done.returncode == 0, done.stderr
    with open(trace, encoding="utf-8") as file:
        return json.load(file)["traceEvents"]


def check(events, inner):
    names = {(e["pid"], e["args"]["name"].split(" on ")[0]) for e in events if e["ph"] == "M"}
    expected = {(pid, name) for pid, rank, other in ((1, 0, 1), (2, 1, 0)) for name in (f"rank {rank}", "PPU 0", f"to rank {other}", f"from rank {other}")}
    assert names == expected, names
    assert min(e["ts"] for e in events if "ts" in e) == 0
    ends = collections.Counter((e["id"], e["ph"]) for e in events if e.get("cat") == "arrow")
    assert len(ends) == 4 * ROUNDS and set(ends.values()) == {1}, ends
    assert {name for name, _ in ends} == {f"{a}-{b}-1001-{n}" for a, b in ((0, 1), (1, 0)) for n in range(1, ROUNDS + 1)}, ends
    for pid in (1, 2):
        spans = sorted((e for e in events if e["pid"] == pid and e["ph"] == "X"), key=lambda e: e["ts"])
        waits, messages = [e for e in spans if e["cat"] == "wait"], [e for e in spans if e["cat"] == "message"]
        assert len(waits) == ROUNDS and len(messages) == 2 * ROUNDS and {e["name"] for e in waits + messages} == {"plate"}, (waits, messages)
        hidden = [sum(message["ts"] <= e["ts"] <= wait["ts"] for e in spans if e["cat"] == "stage") for message, wait in zip(messages[::2], waits)]
        assert hidden == [inner * STEPS + CORE] * (ROUNDS - 1) + [0], hidden # nothing is left to do after the last round


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--hp5c", required=True)
    hp5c = os.path.abspath(arguments.parse_args().hp5c)
    for mpi in launch.find_or_skip(os.path.dirname(hp5c)):
        with tempfile.TemporaryDirectory() as folder:
            for pieces, inner in PIECES.items():
                check(events_of(mpi, hp5c, folder, pieces), inner)
        print(f"{mpi.title}: LPUs that wait for nothing, and the core of one that does, run while messages travel")


main()
