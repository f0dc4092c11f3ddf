#!/usr/bin/env python3
"""Predicted against measured times of every stage of every program.

    predict.py [--runs N] [--threads N,N] [--model FILE] [--markdown FILE] [--small] [--keep FILE] [PROGRAM …]

Probes the machine (or takes FILE), compiles each program for it with its mapping `cores`, makes the inputs at the sizes
below, and runs it once with --timing, which predicts, and N times with --trace, which measures (predicting between
the calls would take the caches from them), for each number of threads. A call's time is the median of those that it took
in the N runs, so that what interrupts one of them does not count; a stage's time is the sum over its calls, in the thread
that takes longest. What the clock itself takes, the shortest call so far, is taken off each. Stages that take less than SHORTEST in all are
listed and not counted: there the clock is measured, not the stage. Neither are stages with code that cannot be counted (`*`),
which are predicted for one round of a loop. The last line says how many stages lie within a factor of two.

The model knows nothing of the programs: all its figures come from `hp5c --probe`.

All programs at full size take some minutes. With --keep FILE what has been measured is kept in FILE, and a second call goes on
from there: some programs now, others when the machine is quiet again (with the same --model).
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "programs"), str(ROOT / "tests" / "programs")]
import apps # noqa: E402  (its scripts() finds the programs)
import common # noqa: E402

HP5C = pathlib.Path(os.environ.get("HP5_BUILD", ROOT / "build")) / "hp5c"
OUT = ROOT / "out" / "experiments" / "predict"
SHORTEST = 10e-6
PROGRAMS = { # what make() of each program's script gets
    "lu": dict(n=1024, parts=8),
    "block-lu": dict(n=1024, b=64, parts=16),
    "conjugate-gradient": dict(edge=500, max_rounds=50, k=31_250),
    "conjugate-gradient-tasks": dict(edge=500, max_rounds=20, k=31_250),
    "triangular-solve": dict(n=4000),
    "transpose": dict(rows=3000, columns=4000),
    "matrix-vector-rows": dict(rows=5000, columns=4000, k=250),
    "matrix-vector-columns": dict(rows=4000, columns=5000, k=250),
    "monte-carlo": dict(grid=256, points=100),
    "monte-carlo-extern": dict(grid=256, points=100),
    "monte-carlo-adaptive": dict(grid=256, points=100),
    "monte-carlo-regions": dict(grid=256, points=50),
    "game-of-life": dict(rows=2048, columns=2048, generations=40),
    "heat-3d": {},
    "red-black-sor": dict(max_rounds=40),
    "histogram": dict(n=10_000_000),
    "k-means": {},
    "n-body": dict(n=3000),
    "prefix-sum": dict(n=10_000_000),
    "row-sums": dict(rows=4000, columns=4000),
}
SMALL = { # --small: stages that end between two interruptions, where others use the machine; almost all data in caches
    "lu": dict(n=128, parts=4),
    "block-lu": dict(n=256, b=32, parts=8),
    "conjugate-gradient": dict(edge=100, max_rounds=10, k=1250),
    "conjugate-gradient-tasks": dict(edge=100, max_rounds=5, k=1250),
    "triangular-solve": dict(n=600),
    "transpose": dict(rows=500, columns=700),
    "matrix-vector-rows": dict(rows=800, columns=1000, k=50),
    "matrix-vector-columns": dict(rows=1000, columns=800, k=50),
    "monte-carlo": dict(grid=24, points=50),
    "monte-carlo-extern": dict(grid=24, points=50),
    "monte-carlo-adaptive": dict(grid=16, points=50),
    "monte-carlo-regions": dict(grid=16, points=20),
    "game-of-life": dict(rows=200, columns=200, generations=4, k=50, l=200),
    "heat-3d": dict(edge=40, height=40, steps=4, k=20, l=40, m=40),
    "red-black-sor": dict(edge=200, max_rounds=3, k=50, l=200),
    "histogram": dict(n=200_000, k=10_000),
    "k-means": dict(n=2000, max_rounds=4, k=500),
    "n-body": dict(n=200),
    "prefix-sum": dict(n=200_000, k=10_000),
    "row-sums": dict(rows=500, columns=500),
}
OTHERS = { # programs without a script: inputs for tests/tools/make_input.py, arguments
    "stencil": ("stencil/stencil.hp5", {"plate": "plate(2050, 2050)"},
                "plate=plate.npy result=result.npy iterations=64 k=8 l=1 m=4 n=2 p1=8 p2=4"),
    "matrix-multiply": ("matrix-multiply/matrix-multiply.hp5", {"a": "rand(1024, 1024, seed=1)", "b": "rand(1024, 1024, seed=2)"}, None),
    "matrix-multiply-single": ("matrix-multiply/matrix-multiply-single.hp5",
                               {"a": "rand(1024, 1024, float32, seed=1)", "b": "rand(1024, 1024, float32, seed=2)"}, None),
}


SMALL_OTHERS = {
    "stencil": ("stencil/stencil.hp5", {"plate": "plate(258, 258)"},
                "plate=plate.npy result=result.npy iterations=8 k=4 l=1 m=2 n=1 p1=4 p2=2"),
    "matrix-multiply": ("matrix-multiply/matrix-multiply.hp5", {"a": "rand(192, 192, seed=1)", "b": "rand(192, 192, seed=2)"},
                        "a=a.npy b=b.npy c=c.npy k=96 l=96 q=96"),
    "matrix-multiply-single": ("matrix-multiply/matrix-multiply-single.hp5",
                               {"a": "rand(192, 192, float32, seed=1)", "b": "rand(192, 192, float32, seed=2)"},
                               "a=a.npy b=b.npy c=c.npy k=96 l=96 q=96"),
}


def sh(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nfailed with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def prepared(name, model):
    """The compiled program with its arguments, in a folder of its own."""
    folder = OUT / name
    folder.mkdir(parents=True, exist_ok=True)
    if name in OTHERS:
        source, inputs, words = OTHERS[name]
        source = ROOT / "programs" / source
        for key, text in inputs.items():
            sh("/usr/bin/python3", ROOT / "tests" / "tools" / "make_input.py", folder / f"{key}.npy", text)
        words = (words or "a=a.npy b=b.npy c=c.npy k=128 l=128 q=128").split()
    else:
        source, module = apps.scripts()[name]
        arguments = common.arguments_for(vars(module), name, PROGRAMS[name])
        words = [str(word) for word in common.write_inputs(arguments, folder)]
        words += [f"{output}={folder}/{output}.npy" for output in module.OUTPUTS[name]]
    mapping = ROOT / "mappings" / name / "cores.map"
    sh(HP5C, source, "--model", model, *(["--map", mapping] if mapping.exists() else []), "-o", folder / name)
    return folder, words


ROW = re.compile(r"^  (\S.*?) +(\d+) +([0-9.]+) +([0-9.]+) +([0-9.]+)(\*?)(?:  (.*))?$")


def predictions(folder, name, words, threads):
    """For each stage: calls, prediction, whether it is partial, and what binds."""
    done = sh(folder / name, *words, f"--threads={threads}", "--timing", cwd=folder)
    found = {}
    for line in done.stderr.splitlines():
        match = ROW.match(line)
        if match is None:
            continue
        stage, calls, _, _, predicted, partial, bound = match.groups()
        before = found.get(stage, (0, 0, False, ""))
        found[stage] = (before[0] + int(calls), before[1] + float(predicted), before[2] or partial == "*", bound)
    return found


def spans(folder, name, words, threads):
    """Seconds of the calls of each stage in each thread, in the order in which they ran."""
    sh(folder / name, *words, f"--threads={threads}", "--trace=trace.json", cwd=folder)
    found = {}
    for event in json.loads((folder / "trace.json").read_text(encoding="utf-8"))["traceEvents"]:
        if event.get("cat") == "stage":
            found.setdefault((event["name"], event["tid"]), []).append(event["dur"] * 1e-6)
    return found


def longest_thread(stage, runs, clock):
    """Seconds of the stage in the thread that takes longest; `runs`: what spans() found in each run."""
    longest = 0
    for key in {key for run in runs for key in run if key[0] == stage}:
        calls = [run.get(key, []) for run in runs]
        if len({len(run) for run in calls}) == 1: # else threads took their LPUs as they came
            total = sum(max(0, statistics.median(times) - clock) for times in zip(*calls))
        else:
            total = statistics.median(sum(run) - len(run) * clock for run in calls)
        longest = max(longest, total)
    return longest


def measure(name, model, options):
    """For each number of threads: what was predicted, and the spans of the runs."""
    folder, words = prepared(name, model)
    found = [(name, threads, predictions(folder, name, words, threads), [spans(folder, name, words, threads) for _ in range(options.runs)])
             for threads in options.threads]
    for path in [*folder.glob("*.npy"), folder / "trace.json"]:
        path.unlink()
    return found


def shortest_call(measured):
    return min(seconds for _, _, _, runs in measured for run in runs for calls in run.values() for seconds in calls)


def rows_of(measured, clock):
    rows = []
    for name, threads, predicted, runs in measured:
        for stage, (calls, seconds, partial, bound) in predicted.items():
            rows.append((name, stage, threads, calls, longest_thread(stage, runs, clock), seconds, partial, bound or "-"))
    return rows


def measure_all(names, model, options):
    """The rows of all programs; those that --keep holds are not run."""
    keep = pathlib.Path(options.keep) if options.keep else None
    kept = json.loads(keep.read_text(encoding="utf-8")) if keep and keep.exists() else {}
    for name in names:
        if name in kept:
            continue
        measured = measure(name, model, options)
        clock = min([shortest_call(measured)] + [one["clock"] for one in kept.values()])
        kept[name] = {"clock": clock, "rows": rows_of(measured, clock)}
        if keep:
            keep.write_text(json.dumps(kept), encoding="utf-8")
        print(name, file=sys.stderr)
    return [row for name in names for row in kept[name]["rows"]]


def verdict(measured, predicted, partial):
    if partial:
        return "partial"
    if measured < SHORTEST:
        return "short"
    return "within" if measured / 2 <= predicted <= measured * 2 else "outside"


def table(rows, options, model):
    head = ["program", "stage", "threads", "calls", "measured s", "predicted s", "predicted / measured", "bound by"]
    lines = ["| " + " | ".join(head) + " |", "|---|---|---:|---:|---:|---:|---:|---|"]
    for name, stage, threads, calls, measured, predicted, partial, bound in rows:
        ratio = f"{predicted / measured:.2f}" if measured > 0 else "-"
        mark = {"within": "", "outside": " **!**", "short": " (short)", "partial": " (not counted)"}[verdict(measured, predicted, partial)]
        lines.append(f"| {name} | {stage} | {threads} | {calls} | {measured:.6f} | {predicted:.6f}{'*' if partial else ''} | {ratio}{mark} | {bound} |")
    for threads in options.threads:
        verdicts = [verdict(row[4], row[5], row[6]) for row in rows if row[2] == threads]
        counted = [v for v in verdicts if v in ("within", "outside")]
        inside = counted.count("within")
        lines.append("")
        lines.append(f"{threads} thread{'s' if threads > 1 else ''}: {inside} of {len(counted)} stages within a factor of two "
                     f"({100 * inside / max(1, len(counted)):.0f} %); {verdicts.count('short')} too short to time.")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", default="1,2", type=lambda text: [int(word) for word in text.split(",")])
    parser.add_argument("--model")
    parser.add_argument("--markdown")
    parser.add_argument("--small", action="store_true", help="small sizes, for a machine that others use at the same time")
    parser.add_argument("--keep", metavar="FILE", help="measurements to go on from")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    if options.small:
        PROGRAMS.update(SMALL)
        OTHERS.update(SMALL_OTHERS)
    OUT.mkdir(parents=True, exist_ok=True)
    model = pathlib.Path(options.model) if options.model else OUT / "machine.pcubes"
    if not options.model:
        model.write_text(sh(HP5C, "--probe").stdout, encoding="utf-8")
    rows = measure_all(options.programs or [*PROGRAMS, *OTHERS], model, options)
    text = table(rows, options, model)
    print(text)
    if options.markdown:
        intro = (f"# Predicted and measured times of stages\n\nWritten by `experiments/predict.py` on {datetime.date.today()}: "
                 f"the medians of the calls in {options.runs} runs{', small sizes' if options.small else ''}, the longest thread. `!`: not within a factor of two; `*`: code that cannot be counted. "
                 f"The machine, as probed:\n\n```text\n{model.read_text(encoding='utf-8')}```\n\n")
        pathlib.Path(options.markdown).write_text(intro + text + "\n", encoding="utf-8")


main()
