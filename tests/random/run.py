#!/usr/bin/env python3
"""Runs random programs (generator/) in the interpreter and compiled, and compares bit by bit.

run.py --count 100 --seed 7       programs 7, 8, 9 …; without --seed a seed is drawn and printed
run.py --pairs 100                until so many program-mapping pairs are compared
run.py --counts 400               how many of 400 programs have what; nothing is run
run.py --replay                   the kept cases: programs that once failed, as language tests in kept/
run.py --shrink FILE              makes a failing program smaller while it fails the same way
run.py --ranks 1,2,3,4,7 …        in several processes (ranks_case.py), under mappings that reach above the segments of a cluster

A program is discarded when the interpreter reports a run-time error (an argument that does not fit, say), or when
hp5c refuses it with a code of REFUSALS. Anything else that is not equal bits is a failure: it is shrunk
and kept as kept/NAME.hp5 with its arguments, model and mappings. README.md says more, case.py what is compared.
"""
import argparse
import collections
import concurrent.futures
import multiprocessing
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time

from case import HERE, Case, Discarded, Failed, directive
import builds
import generator
import ranks_case
import shrink

REFUSALS = ("E1302",)


class Result:
    """Of one seed. status: passed, discarded or failed; reason: why."""

    def __init__(self, seed, case):
        self.seed, self.status, self.reason, self.kept = seed, "passed", "", None
        self.pairs, self.runs, self.refused = case.pairs, case.runs, 0


def variants_of(seed, text):
    """Of a quarter of the programs one or two."""
    draw = random.Random(f"variants {seed}")
    return [generator.variant(text, draw) for _ in range(draw.choice((0, 0, 0, 0, 0, 0, 1, 2)))]


def work_folder(name, toolchain):
    """A new one, also for what a failing or killed compiler leaves behind; it goes with the toolchain's."""
    folder = tempfile.mkdtemp(prefix=f"{name}-", dir=toolchain.cases)
    os.environ["TMPDIR"] = folder
    return folder


def one_seed(seed, options, toolchain):
    folder = work_folder(seed, toolchain)
    path = os.path.join(folder, "case.hp5")
    text, refused = generator.generate(seed), 0
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    case = options.case(path, options, toolchain, folder)
    status, why, kept = "passed", "", None
    try:
        if options.ranks:
            text, refused = ranks_case.with_mappings(text, seed, options, folder)
            case = ranks_case.RanksCase.of(text, path, options, toolchain, folder)
        case.check(seed, variants=[] if options.ranks else variants_of(seed, text))
    except Discarded as reason:
        status, why = "discarded", str(reason)
    except Failed as reason:
        status, why = "failed", str(reason)
        kept = keep_failure(seed, text, reason, case.at, options, toolchain, folder)
    shutil.rmtree(folder, ignore_errors=True)
    result = Result(seed, case)
    result.status, result.reason, result.kept, result.refused = status, why, kept, refused + getattr(case, "refused", 0)
    return result


def keep_failure(seed, text, reason, place, options, toolchain, folder):
    kind = shrink.kind_of(reason)
    if place is not None and place.variant is not None:
        return keep_variant(seed, text, place.variant, options)
    if place is not None:
        smaller = shrink.with_one_mapping(text, place.mapping)
        first, place.mapping = place.mapping, 0
        if shrink.failure(smaller, options, toolchain, folder, seed, place)[0] == kind:
            text = smaller
        else:
            place.mapping = first
    if options.shrink_seconds > 0:
        text = shrink.shrink(text, kind, place, options, toolchain, folder, options.shrink_seconds)
    kept = os.path.join(options.keep_in, f"seed{seed}.hp5")
    with open(kept, "w", encoding="utf-8") as out:
        out.write(text)
    return kept


def keep_variant(seed, text, variant, options):
    """Both programs as they are, the variant with a line that names the other."""
    names = [os.path.join(options.keep_in, f"seed{seed}{end}.hp5") for end in ("", "-variant")]
    lines = variant.splitlines()
    for name, kept in zip(names, (text, "\n".join(lines[:1] + [f"// variant-of: {os.path.basename(names[0])}"] + lines[1:]) + "\n")):
        with open(name, "w", encoding="utf-8") as out:
            out.write(kept)
    return names[1]


class Totals:
    def __init__(self):
        self.counts, self.reasons = collections.Counter(), collections.Counter()
        self.pairs, self.runs, self.refused, self.last, self.begun = 0, 0, 0, None, time.time()

    def add(self, result):
        self.counts[result.status] += 1
        self.pairs, self.runs, self.refused = self.pairs + result.pairs, self.runs + result.runs, self.refused + result.refused
        self.last = max(self.last or result.seed, result.seed)
        if result.status == "discarded":
            self.reasons[result.reason] += 1
        if result.status == "failed":
            print(f"seed {result.seed}: {result.reason[:1500]}\n  kept in {result.kept}", flush=True)

    def enough(self, options):
        return (options.seconds and time.time() - self.begun > options.seconds) or (options.pairs and self.pairs >= options.pairs)

    def text(self, options):
        passed, discarded, failed = (self.counts[s] for s in ("passed", "discarded", "failed"))
        rate = self.pairs / max(time.time() - self.begun, 1) * 60
        lines = [f"seeds {options.seed} to {self.last}: {self.pairs} program-mapping pairs ({self.runs} runs compared, {rate:.0f} pairs a minute): "
                 f"{passed} programs passed, {discarded} discarded, {failed} failed" + (f", {self.refused} mappings refused" if options.ranks else "")]
        if options.reasons:
            lines += [f"  {count} discarded: {reason}" for reason, count in self.reasons.most_common()]
        return "\n".join(lines)


class Stopped(Exception):
    """By a signal, whose number it has."""


STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def on_stop(handler):
    for each in STOPPING:
        signal.signal(each, handler)


def stop(number, _frame):
    on_stop(signal.SIG_IGN)
    raise Stopped(number)


def begin_worker():
    """A worker and the compilers and programs that it runs are one group, which end_workers ends."""
    os.setpgid(0, 0)
    on_stop(signal.SIG_DFL)


def end_workers():
    for worker in multiprocessing.active_children():
        try:
            os.killpg(worker.pid, signal.SIGKILL)
        except ProcessLookupError:
            worker.kill()   # it has not begun yet, or has ended
        worker.join()


def run_seeds(options, toolchain):
    signals = []   # only noted: the pool must not be interrupted while it begins a worker
    on_stop(lambda number, _frame: signals.append(number))
    pool = concurrent.futures.ProcessPoolExecutor(options.jobs, initializer=begin_worker)
    try:
        return run_seeds_in(pool, options, toolchain, signals)
    finally:
        if signals:
            end_workers()
        pool.shutdown(cancel_futures=True)


def run_seeds_in(pool, options, toolchain, signals):
    totals, seed = Totals(), options.seed
    end = seed + options.count if not options.pairs else None
    running, reported = set(), time.time()
    while True:
        while (end is None or seed < end) and len(running) < 2 * options.jobs and not totals.enough(options):
            running.add(pool.submit(one_seed, seed, options, toolchain))
            seed += 1
        if not running:
            break
        done, running = concurrent.futures.wait(running, 0.3, return_when=concurrent.futures.FIRST_COMPLETED)
        if signals:
            raise Stopped(signals[0])
        for future in done:
            totals.add(future.result())
        if options.progress and time.time() - reported > 120:
            reported = time.time()
            print(totals.text(options), flush=True)
    print(totals.text(options))
    return 1 if totals.counts["failed"] else 0


def replay(options, toolchain):
    folder = os.path.join(ranks_case.MPI if options.ranks else HERE, "kept")
    failures, pairs = 0, 0
    names = options.files or sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".hp5"))
    for name in names:
        work = work_folder("replay", toolchain)
        case = options.case(os.path.abspath(name), options, toolchain, work)
        wanted = directive(name, "builds") if not options.build else None
        try:
            case.check(os.path.basename(name), builds.named(re.split(", *", wanted), options.hp5c) if wanted else options.replay_builds)
            if getattr(case, "refused", 0) > 0:
                raise Failed(f"{case.refused} of its mappings refused, which were taken once")
        except (Discarded, Failed) as reason:
            failures += 1
            print(f"{name}: {reason}")
        pairs += case.pairs
        shutil.rmtree(work, ignore_errors=True)
    print(f"{len(names)} kept cases in {pairs} builds, {failures} failed")
    return 1 if failures else 0


def shrink_file(options, toolchain):
    with open(options.shrink, encoding="utf-8") as file:
        text = file.read()
    folder = work_folder("shrink", toolchain)
    kind, place = shrink.failure(text, options, toolchain, folder, "shrink")
    if kind is None:
        print("it does not fail")
        return 1
    sys.stdout.write(shrink.shrink(text, kind, place, options, toolchain, folder, options.shrink_seconds))
    return 0


# Of 400 programs, how many have what the focused ones go for: at least.
LEAST = {"stencil": 40, "begins before padding has come": 20, "Spaces within Spaces in turn": 12, "Spaces within padded Spaces": 7, "indices that Spaces within Spaces change": 8, "tasks that share arrays": 4, "corners": 30, "three dimensions with padding": 30, "27 points": 5, "four dimensions": 3, "padding on two levels": 2,
         "older versions with padding": 20, "older versions, some LPUs": 8, "replicated with padding": 8, "epochs of some LPUs": 6,
         "some LPUs take part": 42, "reduced twice, by some LPUs": 17, "a loop's start waits for its end": 17, "lockstep": 11,
         "versions under conditions": 25, "versions and Repeat variables": 10, "locals under conditions": 54, "bounds under conditions": 10,
         "product": 50, "products by other loops": 16, "two accumulated indices": 22, "tiled product": 4, "products of strided parts": 20, "widths": 30, "past 16 bits": 0.5,
         "past 32 bits": 8, "int8 beside bytes": 8, "places by reference": 4, "what a call changes beside it": 2, "handed on": 25, "handed on beside writes": 8, "moved by more than an index": 12,
         "several decomposes in one mapper": 30, "several pieces in one Repeat": 40, "executed twice": 20, "hundreds of files": 1,
         "neighbours": 60, "accumulation": 15, "scan": 10, "slice": 1, "reduction": 50, "update": 8, "block update": 1,
         "partial reduction": 10, "small integers": 15, "local loop": 20, "windows": 17, "cut loops": 16, "functions in place": 12, "calls in loops": 4,
         "lanes": 13, "lanes, nearly": 5, "rows": 10, "sliding": 5, "left one by one": 3, "rings": 4, "butterflies": 4, "rounds that call": 4, "walks": 4, "records": 3, "arrays of records": 1, "waiting rows": 11, "waiting columns": 7, "few rounds": 5, "rows from others": 3, "sweeps": 5, "tables": 5, "oldest versions": 6, "padded parts in one store": 7,
         "random numbers": 5}


def count_features(options):
    """How many of the programs have what; none of it is run."""
    found = collections.Counter()
    for seed in range(options.seed, options.seed + options.counts):
        found.update(generator.generated(seed)[1])
    few = [name for name, least in LEAST.items() if found[name] < least * options.counts // 400]
    for name, number in found.most_common():
        print(f"{number:6} {name}")
    print(f"of {options.counts} programs, seeds {options.seed} to {options.seed + options.counts - 1}; too few: {', '.join(few) or 'none'}")
    return 1 if few else 0


def numbers(text):
    return [int(word) for word in text.split(",")]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="with --replay: these cases only")
    parser.add_argument("--hp5c", default=os.path.join(builds.ROOT, "build", "hp5c"))
    parser.add_argument("--mappings", default=os.path.join(builds.ROOT, "mappings"))
    parser.add_argument("--count", type=int, default=25, help="so many programs")
    parser.add_argument("--pairs", type=int, default=0, help="until so many pairs, instead")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--seconds", type=float, default=0, help="begin no more programs after this time")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--counts", type=int, metavar="N", help="only say how many of N programs have what; fails where something is rare")
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--shrink", metavar="FILE", help="print the program made smaller")
    parser.add_argument("--shrink-seconds", type=float, default=60)
    parser.add_argument("--keep-in", default=os.path.join(HERE, "kept"))
    parser.add_argument("--build", action="append", default=[], help="only builds of this name (builds.py), as thread or 'gcc -O3'")
    parser.add_argument("--quick", action="store_true", help="the runtime's header precompiled: it must not change meanwhile")
    parser.add_argument("--warnings", action="store_true", help="warnings of the C compiler are failures too")
    parser.add_argument("--reasons", action="store_true", help="say why programs were discarded")
    parser.add_argument("--progress", action="store_true", help="totals every two minutes")
    parser.add_argument("--refusals", nargs="*", default=list(REFUSALS), help="codes of errors that are no failure")
    several = parser.add_argument_group("in several processes")
    several.add_argument("--ranks", type=numbers, help="numbers of processes, as 1,2,3,4,7")
    several.add_argument("--threads", type=numbers, default=[1, 2])
    several.add_argument("--mpi", type=lambda text: text.split(","), default=["local"], help="of local, openmpi, mpich; mostly the first")
    several.add_argument("--ways", type=int, default=4, help="runs of each pair")
    options = parser.parse_args()
    os.makedirs(options.keep_in, exist_ok=True)
    options.case, options.launchers = ranks_case.RanksCase if options.ranks else Case, ranks_case.Launchers(options)
    if options.ranks:
        options.refusals.append("E1303")
    options.hp5c = os.path.abspath(options.hp5c)
    options.builds = builds.named(options.build, options.hp5c)
    if not options.builds:
        raise SystemExit(f"{options.hp5c} has sanitizers of its own: it cannot make {', '.join(options.build)}")
    options.replay_builds = builds.named(options.build or (ranks_case.BUILDS[:1] if options.ranks else ["gcc -O1", "checked"]))
    return options


def remove(folder):
    """Compilers and programs that are just being ended may still write there."""
    for _ in range(100):
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return
        time.sleep(0.05)


def main():
    options = parse_options()
    if options.counts:
        options.seed = options.seed or 1
        return count_features(options)
    toolchain = builds.Toolchain(options.hp5c, options.quick)
    toolchain.cases = tempfile.mkdtemp(prefix="hp5-random-", dir=os.environ.get("TMPDIR")) # which else is tried with a file, and that is left by who is stopped meanwhile
    on_stop(stop)
    try:
        if options.replay:
            return replay(options, toolchain)
        if options.shrink:
            return shrink_file(options, toolchain)
        if options.seed is None:
            options.seed = random.randrange(1, 10**9)
            print(f"seed {options.seed}", flush=True)
        return run_seeds(options, toolchain)
    except Stopped as reason:
        number = reason.args[0]
    finally:
        remove(toolchain.cases)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 1


if __name__ == "__main__":
    sys.exit(main())
