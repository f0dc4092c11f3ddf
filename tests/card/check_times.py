#!/usr/bin/env python3
"""--timing and --trace of tasks on cards: how often each stage was called by how many crews, and when, within its kernel; copies; the host's stages.

    check_times.py --hp5c HP5C

What is called how often follows from the program and its mapping. Times are compared with each other alone: a stage is a part of its kernel, whose
clock counts from another moment than the host's (the simulated card's is 77 seconds ahead).
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [f"{ROOT}/tests/mpi", f"{ROOT}/tests/tools"]
import launch  # noqa: E402
import shared  # noqa: E402

N, PARTS, ROUNDS = 20, 5, 20
# Calls and crews of each stage of LU: its parts go to warps, what spans it to the host or to the card as a whole.
LU = {"count_rows in Space A": (1, 1), "start in Space B": (PARTS, PARTS), "find_pivot in Space B": (PARTS, PARTS), "exchange in Space A": (ROUNDS, 1),
      "eliminate in Space B": (ROUNDS * PARTS, PARTS)}
HOSTS = ("count_rows in Space A", "exchange in Space A")
SLACK = 1e-2 # microseconds, as the file has them


def compile_lu(options, folder, mapping, model="h200"):
    path = mapping if os.path.isabs(mapping) else f"{ROOT}/mappings/lu/{mapping}.map"
    subprocess.run([options.hp5c, f"{ROOT}/programs/lu/lu.hp5", "--map", path, "--model", f"{ROOT}/pcubes-models/{model}.pcubes",
                    "--nvcc", f"{HERE}/nvcc", "--cc-flag=-O0", "-o", f"{folder}/lu"], check=True)
    np.save(f"{folder}/a.npy", np.random.default_rng(1).random((N, N)))


def words(folder, *more):
    return [f"{folder}/lu", f"a={folder}/a.npy", f"parts={PARTS}", f"lu={folder}/lu.npy", f"p={folder}/p.npy", "--machine", "SM=3,Warp=3", *more]


def table_of(text):
    """Calls, crews, most and mean seconds of each stage."""
    rows = re.findall(r"^  (.+?) \(line \d+\) +(\d+) +(\d+) +(\d+\.\d+) +(\d+\.\d+) +\d+\.\d+  \w.*$", text, re.M)
    return {name: (int(calls), int(crews), float(most), float(mean)) for name, calls, crews, most, mean in rows}


def stage_of(event):
    return event["name"].split(" (line")[0]


def check_table(text, where):
    table = table_of(text)
    assert {name: row[:2] for name, row in table.items()} == LU, (where, text)
    seconds = float(re.search(r"on a card in (\d+\.\d+) s", text).group(1))
    for name, (_, crews, most, mean) in table.items():
        assert 0 < mean <= most + 1e-6 <= seconds + 2e-6 and (crews > 1 or abs(mean - most) < 2e-6), (where, name, text)


def check_spans(spans, hosts, where):
    kernel, = [event for event in spans if event["cat"] == "kernel"]
    stages = [event for event in spans if event["cat"] == "stage"]
    assert collections.Counter(stage_of(event) for event in stages) == {name: calls for name, (calls, _) in LU.items()}, where
    for event in stages:
        assert event["ts"] >= kernel["ts"] - SLACK and event["ts"] + event["dur"] <= kernel["ts"] + kernel["dur"] + SLACK, (where, event, kernel)
        assert (event["tid"] >= 1 << 20) == (stage_of(event) in hosts), (where, event)
    begins = {name: sorted(event["ts"] for event in stages if stage_of(event) == name) for name in LU}
    eliminates, exchanges = begins["eliminate in Space B"], begins["exchange in Space A"]
    for k in range(ROUNDS): # in the program's order, on whichever side: the rows of a round, then what all parts do with them
        assert k == 0 or eliminates[k * PARTS - 1] <= exchanges[k], (where, k)
        assert exchanges[k] <= eliminates[k * PARTS], (where, k)


def check_one(options, folder, mapping, hosts):
    """A process: the table, the trace, and the same bytes in both."""
    compile_lu(options, folder, mapping)
    done = subprocess.run(words(folder, "--timing", "--trace", f"{folder}/t.json"), capture_output=True, text=True, check=True)
    with open(f"{folder}/t.json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    check_table(done.stderr, mapping)
    check_spans([event for event in events if event["ph"] == "X"], hosts, mapping)
    copied = collections.Counter()
    for event in events:
        if event.get("cat") == "copy":
            copied[event["name"], event["tid"]] += event["args"]["bytes"]
    found = re.search(r"^to cards went (\d+) bytes of arrays, and back (\d+); of scalars and records, (\d+) and (\d+); it took (\d+\.\d+) s$", done.stderr, re.M)
    there, back = {event["args"]["name"]: event["tid"] for event in events if event["ph"] == "M"}, [int(word) for word in found.groups()[:4]]
    assert back == [copied[what, there[row]] for what in ("elements", "scalars and records") for row in ("to the card", "from the card")], (mapping, back, copied)
    rows = {"kernels of the card", "to the card", "from the card", *(("stages of the host for it",) if hosts else ())}
    assert {name for name in there if there[name] >= 1 << 20} == rows, (mapping, there)


def check_room(options, folder):
    """More stages than there is room for are said to be missing; the numbers of the table are whole."""
    compile_lu(options, folder, "card")
    stages = sum(calls for calls, _ in LU.values())
    for room, kept in (("7", 7), (str(stages), stages)):
        done = subprocess.run(words(folder, "--timing", "--trace", f"{folder}/t.json"), capture_output=True, text=True, check=True, env=dict(os.environ, HP5_TRACE_SPANS=room))
        with open(f"{folder}/t.json", encoding="utf-8") as file:
            found = sum(event.get("cat") == "stage" for event in json.load(file)["traceEvents"])
        said = f'lu: warning: --trace: task "LU Factorization" ran {stages} stages on the card, of which the trace has {kept}; HP5_TRACE_SPANS={stages} makes room for all\n'
        assert found == kept and (said in done.stderr) == (kept < stages), (room, found, done.stderr)
        check_table(done.stderr, f"room for {room}")
    for room in ("0", "many", "-1", "7x", ""):
        done = subprocess.run(words(folder, "--trace", f"{folder}/t.json"), capture_output=True, text=True, env=dict(os.environ, HP5_TRACE_SPANS=room))
        assert done.returncode == 2 and done.stderr == f"lu: HP5_TRACE_SPANS is '{room}', not a number of stages from 1 to 2147483647\n", (room, done)


def check_some(options, folder):
    """Some of the warps, and a limit of LPUs at once: as many crews as the mapping says have LPUs, and no more at once; the same bytes."""
    compile_lu(options, folder, "card")
    subprocess.run(words(folder), check=True)
    with open(f"{folder}/lu.npy", "rb") as file:
        before = file.read()
    for some, limit, crews in (("Warp[0...1]", 0, 2), ("Warp", 2, PARTS), ("Warp[3]", 0, 1), ("SM", 1, 3)):
        with open(f"{folder}/some.map", "w", encoding="utf-8") as file:
            file.write(f'"LU Factorization" {{ Model: GPU\n Space A: GPU\n Space B: {some}\n' + f"InstanceLimit B {limit}\n" * (limit > 0) + "}\n")
        compile_lu(options, folder, f"{folder}/some.map")
        done = subprocess.run(words(folder, "--timing"), capture_output=True, text=True, check=True)
        with open(f"{folder}/lu.npy", "rb") as file:
            assert file.read() == before, some
        assert table_of(done.stderr)["eliminate in Space B"][:2] == (ROUNDS * PARTS, crews), (some, done.stderr)
        said = re.search(r"LPUs of Space B at once: (\d+) at most \(limit (\d+)\)", done.stderr)
        assert (said is None) == (limit == 0) and (said is None or 1 <= int(said[1]) <= limit == int(said[2])), (some, done.stderr)


def check_ranks(options, folder):
    """Two processes with a card each: the file has the kernels of both, each with its own stages."""
    compile_lu(options, folder, "cards", "gpu-cluster")
    done = launch.Local(folder).run(2, words(folder, "--trace", f"{folder}/t.json"))
    assert done.returncode == 0, done.stderr
    with open(f"{folder}/t.json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    calls = collections.Counter()
    for process in (1, 2):
        spans = [event for event in events if event["ph"] == "X" and event["pid"] == process]
        kernel, = [event for event in spans if event["cat"] == "kernel"]
        for event in spans:
            if event["cat"] == "stage":
                calls[stage_of(event)] += 1
                assert event["ts"] >= kernel["ts"] - SLACK and event["ts"] + event["dur"] <= kernel["ts"] + kernel["dur"] + SLACK, (event, kernel)
        assert any(event["cat"] == "copy" for event in spans), process
    assert calls == {name: count for name, (count, _) in LU.items()}, calls


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    options = parser.parse_args()
    os.environ["HP5_SIM_HEADERS"] = shared.folder(options.hp5c)
    options.hp5c = os.path.abspath(options.hp5c)
    with tempfile.TemporaryDirectory(prefix="hp5-times-") as folder:
        check_one(options, folder, "card", ())
        check_one(options, folder, "hybrid", HOSTS)
        check_room(options, folder)
        check_some(options, folder)
        check_ranks(options, folder)
    print("stages, copies and kernels are measured")


if __name__ == "__main__":
    main()
