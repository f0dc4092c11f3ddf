#!/usr/bin/env python3
"""Seeded faults: does the suite notice small, realistic mistakes in the compiler and the runtime?

    run.py --work FOLDER [--jobs N] [--commit HEAD] [--fresh] [--budget SECONDS] [--memory GIB] [--tests EXPRESSION] [--report FILE] [NAME ...]
                        builds and tests each (or the named) fault
    run.py --check      only: does every fault still apply? (a ctest)

The faults stand in *.faults beside this file, one after the other:

    == name: what is wrong
    path/of/file.c
    by TEST: tried first (may be left out; what notices the fault in the end is what counts)
    -text that stands exactly once in the file (several lines with -: consecutive ones; blanks around lines do not matter)
    +text in its place

In FOLDER is a copy of what is committed, with a build of its own. First the whole suite runs there without a fault: tests
that fail are left out, and the others' times give the order. Then each fault is put in, what it changes is built, and
tests run, cheap ones first and those of the fault's room before others, until one fails (language tests
compile with -O0, but for those that the fault names). A fault is noticed if a test
fails, takes ten times as long as before, or takes more than --memory (with all of its processes; bounded.py). What no test
notices needs a new test. FOLDER can be used again: only --fresh runs the suite without faults anew. With --budget or --tests a
fault that is not noticed is only suspect. Low priority is set by itself (--nice).

It can be interrupted (Ctrl-C, SIGTERM): nothing it started stays, and the same command goes on where it was, with --report also past
the faults that have been tried.
"""
import argparse
import concurrent.futures
import glob
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

import bounded

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FRONT = ("syntax", "check", "base", "machine", "mapping", "driver")


class Fault:
    def __init__(self, title, lines, place):
        self.name, _, self.what = title.partition(": ")
        self.place, self.path = place, lines[0].strip()
        self.hints = [line[3:].strip() for line in lines[1:] if line.startswith("by ")]
        lines = [line for line in lines if not line.startswith("by ")]
        self.old = [line[1:].strip() for line in lines[1:] if line.startswith("-")]
        self.new = [line[1:] for line in lines[1:] if line.startswith("+")]
        if not self.old or not self.what or any(line[0] not in "+-" for line in lines[1:] if line.strip()):
            sys.exit(f"{place}: fault '{self.name}' is not written as run.py says")
        self.room = self.path.split("/")[1] if "/" in self.path else ""

    def changed(self, text):
        """The file's text with the fault, or why it does not apply."""
        pattern = r"[ \t]*\n[ \t]*".join(re.escape(line) for line in self.old)
        found = list(re.finditer(pattern, text))
        if len(found) != 1:
            return None, f"{self.place}: fault '{self.name}': its text stands {len(found)} times in {self.path}, not once"
        start, end = found[0].span()
        return text[:start] + "\n".join(self.new) + text[end:], None


def read_faults():
    faults = []
    for path in sorted(glob.glob(f"{HERE}/*.faults")):
        with open(path, encoding="utf-8") as file:
            blocks = re.split(r"^== ", file.read(), flags=re.M)
        for block in blocks[1:]:
            title, *lines = block.rstrip().splitlines()
            faults.append(Fault(title, lines, os.path.basename(path)))
    names = [fault.name for fault in faults]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        sys.exit(f"these faults stand there twice: {', '.join(sorted(twice))}")
    return faults


def check(faults):
    wrong = []
    for fault in faults:
        try:
            with open(os.path.join(ROOT, fault.path), encoding="utf-8") as file:
                text = file.read()
        except FileNotFoundError:
            wrong.append(f"{fault.place}: fault '{fault.name}': there is no {fault.path}")
            continue
        reason = fault.changed(text)[1]
        if reason:
            wrong.append(reason)
        elif fault.changed(text)[0] == text:
            wrong.append(f"{fault.place}: fault '{fault.name}' changes nothing")
    print("\n".join(wrong) or f"all {len(faults)} faults apply")
    return 1 if wrong else 0


# ---- The copy ---------------------------------------------------------------------------------------------------


def copy_sources(target, commit):
    """What is committed; only files that have changed, so that a build there stays."""
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        names = {os.path.join(target, name) for name in files.getnames()}
        for stale in glob.glob(f"{target}/**/*", recursive=True):
            if stale not in names and os.path.isfile(stale):
                os.remove(stale)
        for entry in files:
            if not entry.isfile():
                continue
            text, copy = files.extractfile(entry).read(), os.path.join(target, entry.name)
            if os.path.exists(copy) and open(copy, "rb").read() == text:
                continue
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            with open(copy, "wb") as file:
                file.write(text)
            os.chmod(copy, entry.mode)


BUILD_LOCK = threading.Lock()   # one ninja at a time
NEVER = threading.Event()


def build(folder, memory, *targets):
    """Nothing, or why not. It runs hp5c, too, for the man page."""
    if not os.path.exists(f"{folder}/build/build.ninja"):
        subprocess.run(["cmake", "-S", f"{folder}/source", "-B", f"{folder}/build", "-G", "Ninja"], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        ended = bounded.run(["ninja", "-C", f"{folder}/build", *targets], 3600, memory, NEVER, stdout=output, stderr=output)
        output.seek(0)
        return None if ended == "passed" else output.read()[-2000:] or f"{ended}"


def always_built(folder):
    """hp5c and what programs are linked with or load: the runtime, and its libraries for MPIs."""
    return ["hp5c", "fail_nth", *(os.path.basename(path) for kind in ("a", "so") for path in sorted(glob.glob(f"{folder}/build/lib*.{kind}")))]


# ---- Tests ------------------------------------------------------------------------------------------------------


def cheaper(command):
    """Language tests compile without optimisation: most of their time is the C compiler's."""
    return command + ["--flag=--cc-flag", "--flag=-O0", "--threads", "1,3,8"] if any(word.endswith("run_language.py") for word in command) else command


def write_json(path, value):
    """Whole, or as it was."""
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
    os.replace(f"{path}.new", path)


class Suite:
    def __init__(self, folder, jobs, memory, expression):
        self.folder, self.jobs, self.memory, self.is_wanted = folder, jobs, memory, re.compile(expression).search
        listed = subprocess.run(["ctest", "--test-dir", f"{folder}/build", "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
        self.tests = {}
        for test in json.loads(listed)["tests"]:
            if "command" in test and not test["name"].startswith("seeded/"):
                properties = {item["name"]: item["value"] for item in test["properties"]}
                self.tests[test["name"]] = (test["command"], properties.get("WORKING_DIRECTORY"), properties.get("ENVIRONMENT", []))
        self.seconds, self.catches, self.confirmed = {}, {}, set()

    def run(self, name, limit, stop, whole=False):
        """How the test ended: "passed", or why not; None when `stop` came first. `whole`: as ctest runs it, optimised."""
        command, folder, environment = self.tests[name]
        command = command if whole else cheaper(command)
        if self.programs(command):
            with BUILD_LOCK:
                if stop.is_set() or build(self.folder, self.memory, *self.programs(command)):
                    return None if stop.is_set() or bounded.INTERRUPTED.is_set() else "does not build"
        scratch = f"{self.folder}/scratch-{threading.get_ident()}"
        shutil.rmtree(scratch, ignore_errors=True)
        os.mkdir(scratch)
        full = dict(os.environ, TMPDIR=scratch, **dict(item.split("=", 1) for item in environment))
        ended = bounded.run(command, limit, self.memory, stop, cwd=folder, env=full, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        shutil.rmtree(scratch, ignore_errors=True)
        return ended

    def programs(self, command):
        """What the test runs of the build, but hp5c, which is built before."""
        there = [word for word in command if word.startswith(f"{self.folder}/build/") and os.path.isfile(word) and os.access(word, os.X_OK)]
        return [os.path.relpath(word, f"{self.folder}/build") for word in there if os.path.basename(word) != "hp5c"]

    def baseline(self, path, fresh):
        if os.path.exists(path) and not fresh:
            with open(path, encoding="utf-8") as file:
                self.seconds = {name: value for name, value in json.load(file).items() if name in self.tests}
        missing = [name for name in self.tests if name not in self.seconds and self.is_wanted(name)]

        def one(name):
            start = time.monotonic()
            ended = self.run(name, 1800, NEVER)
            return name, time.monotonic() - start, ended

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for name, seconds, ended in pool.map(one, missing):
                if ended is None:
                    continue
                self.seconds[name] = seconds if ended == "passed" else None
                if ended != "passed":
                    print(f"left out: {name} {ended} without a fault", flush=True)
                write_json(path, self.seconds)
        bounded.go_on()

    def order(self, room):
        """Cheap tests first; those of the room, and those that have noticed something, count as cheaper."""
        def cost(name):
            linking = 0.3 if self.tests[name][0][0].startswith(self.folder) else 0
            seconds = (self.seconds[name] + linking) / (1 + self.catches.get(name, 0))
            if f"/{room}/" in f"/{name.replace('_', '/')}/":
                seconds /= 10
            elif name.startswith("unit/"):
                seconds *= 5
            if room in ("plan", "task", "team") and ("threads-sanitizer" in name or "omitted" in name):
                seconds /= 10   # what is missing there is a wait, most of the time
            if room not in FRONT and name.startswith("random/"):
                seconds /= 8    # many programs in little time
            refusal = re.match(r"language/(check-|syntax)", name) is not None
            return seconds * (20 if refusal and room not in FRONT else 1)
        return sorted((name for name in self.tests if self.seconds.get(name) is not None and self.is_wanted(name)), key=cost)

    def first_failure(self, fault, budget):
        chosen = [name for name in self.order(fault.room) if name not in fault.hints]
        if budget:
            sums = itertools.accumulate(self.seconds[name] for name in chosen)
            chosen = [name for name, total in zip(chosen, sums) if total <= budget]
        hints = [name for name in fault.hints if self.seconds.get(name) is not None]
        stop, found, queue = threading.Event(), [], iter(hints + chosen)
        lock = threading.Lock()

        def work():
            while not stop.is_set():
                with lock:
                    name = next(queue, None)
                if name is None:
                    return
                ended = self.run(name, 30 + 10 * self.seconds[name], stop, name in hints)
                if ended not in (None, "passed") and not stop.is_set():
                    stop.set()
                    found.append((name, ended))

        workers = [threading.Thread(target=work) for _ in range(self.jobs)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        bounded.go_on()
        if found and found[0][0] in self.confirmed:
            self.catches[found[0][0]] = self.catches.get(found[0][0], 0) + 1
        return found[0] if found else None


# ---- One fault after the other -----------------------------------------------------------------------------------


def build_and_test(fault, suite, folder, budget, text, changed):
    """With the fault; its file is put back."""
    path = f"{folder}/source/{fault.path}"
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(changed)
        quick = [os.path.basename(name) for name in fault.hints if name.startswith("unit/")]
        broken = build(folder, suite.memory, *quick) if quick else None
        if not broken and quick and suite.run(fault.hints[0], 30 + 20 * (suite.seconds.get(fault.hints[0]) or 1), NEVER) == "failed":
            return {"result": "noticed", "by": f"{fault.hints[0]} (failed)", "test": fault.hints[0]}
        broken = broken or build(folder, suite.memory, *always_built(folder))
        bounded.go_on()
        if broken and "FAILED: hp5c" in broken and "man-page" in broken:
            return {"result": "noticed", "by": "the build"}
        if broken:
            return {"result": "does not build", "by": broken}
        found = suite.first_failure(fault, budget)
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return {"result": "noticed", "by": f"{found[0]} ({found[1]})", "test": found[0]} if found else {"result": "NOT NOTICED", "by": ""}


def try_fault(fault, suite, folder, budget):
    """A test that fails without the fault, too, is left out from then on: it may have changed since the first run of all."""
    with open(f"{folder}/source/{fault.path}", encoding="utf-8") as file:
        text = file.read()
    changed, reason = fault.changed(text)
    if reason:
        return {"result": "does not apply", "by": reason}
    start = time.monotonic()
    while True:
        result = build_and_test(fault, suite, folder, budget, text, changed)
        test = result.pop("test", None)
        if test is None or test in suite.confirmed:
            break
        if not test.startswith("unit/"):
            build(folder, suite.memory, *always_built(folder))
        begun = time.monotonic()
        ended = suite.run(test, 1800, NEVER, test in fault.hints)
        bounded.go_on()
        if ended == "passed":
            took, before = time.monotonic() - begun, suite.seconds[test]
            suite.seconds[test] = max(before, took)
            if "no end" in result["by"] and took > 5 * before:   # a busy machine, or a test that has grown
                continue
            suite.confirmed.add(test)
            break
        print(f"left out: {test} fails without a fault", flush=True)
        suite.seconds[test] = None
    return {**result, "seconds": round(time.monotonic() - start)}


def summary(results):
    count = lambda word: sum(1 for result in results.values() if result["result"] == word)
    tried = count("noticed") + count("NOT NOTICED")
    if tried:
        print(f"{count('noticed')} of {tried} faults were noticed ({100 * count('noticed') / tried:.1f} %)")
    for name, result in results.items():
        if result["result"] != "noticed":
            print(f"  {name}: {result['result']} {result['by']}")
    return 0 if tried and count("noticed") >= 0.95 * tried and tried == len(results) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--work", help="a folder for the copy; it stays")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--commit", default="HEAD", help="what is copied")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--nice", type=int, default=10)
    parser.add_argument("--budget", type=float, help="only tests that take so many seconds together, the first ones in order")
    parser.add_argument("--memory", type=float, default=4, metavar="GIB", help="what one test, or a build, may take at most (default %(default)s)")
    parser.add_argument("--tests", default="", metavar="EXPRESSION", help="only tests in whose names this regular expression is found")
    parser.add_argument("--baseline-only", action="store_true")
    parser.add_argument("--report", help="results as JSON; faults in it are not tried again")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    faults = read_faults()
    if options.check:
        return check(faults)
    if not options.work:
        parser.error("--work FOLDER says where the copy goes")
    os.nice(options.nice)
    bounded.interruptible()
    folder = os.path.abspath(options.work)
    os.makedirs(f"{folder}/source", exist_ok=True)
    copy_sources(f"{folder}/source", options.commit)
    memory = int(options.memory * 2**30)
    broken = build(folder, memory)
    bounded.go_on()
    if broken:
        sys.exit(f"the copy does not build:\n{broken}")
    suite = Suite(folder, options.jobs, memory, options.tests)
    suite.baseline(f"{folder}/baseline.json", options.fresh)
    if options.baseline_only:
        return 0
    unknown = set(options.names) - {fault.name for fault in faults}
    if unknown:
        sys.exit(f"no such fault: {', '.join(sorted(unknown))}")
    results = {}
    if options.report and os.path.exists(options.report):
        with open(options.report, encoding="utf-8") as file:
            results = json.load(file)
    if suite.catches == {}:
        for result in results.values():
            name = result["by"].split(" (")[0]
            suite.catches[name] = suite.catches.get(name, 0) + 1
    for fault in faults:
        if options.names and fault.name not in options.names or not options.names and fault.name in results:
            continue
        results[fault.name] = {"path": fault.path, "what": fault.what, **try_fault(fault, suite, folder, options.budget)}
        print(f"{fault.name}: {results[fault.name]['result']} {results[fault.name]['by']} {results[fault.name].get('seconds', '')} s", flush=True)
        if options.report:
            write_json(options.report, results)
    return summary(results)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("interrupted; the same command goes on from here")
