#!/usr/bin/env python3
"""Faults and hostile input: always a message and a documented status, never a crash, a hang or a torn file.

    faults.py --hp5c HP5C --library fail_nth.so [--all] [sweep] [truncated] [disk] [signals] [names] [reproducible]

sweep         the Nth malloc, open, read, write, close, rename, ftruncate or pthread_create fails (fail_nth.c), or the Nth
              close of a file that was written, which must end with a message; for hp5c
              (--check-only, -S, --interpret) and for the compiled matrix multiplication and stencil
truncated     source, mapping, model and .npy files cut after each byte
disk          /dev/full, and a limit on file sizes
signals       SIGINT, SIGTERM and SIGHUP at many moments, for hp5c and a compiled program
names         hostile names for source, mapping, model, output and data
reproducible  C text and messages do not depend on folder, locale, time zone or address layout

By default each takes a sample that fits a test run; --all tries every N, byte and name.
"""
import argparse
import glob
import itertools
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KINDS = ["memory", "open", "read", "write", "close", "written", "rename", "truncate", "thread"]
MODEL = f"{ROOT}/pcubes-models/laptop.pcubes"
STENCIL, MULTIPLY = f"{ROOT}/programs/stencil/stencil.hp5", f"{ROOT}/programs/matrix-multiply/matrix-multiply.hp5"
faults = []


def fault(what, command, done=None):
    said = "" if done is None else f"\n    status {done.returncode}, said: {done.stderr[:300]!r}"
    faults.append(f"{what}: {' '.join(map(repr, map(str, command)))}{said}")
    print("FAULT", faults[-1], flush=True)


def run(command, folder, environment=None, limit=None, text=False, stdout=subprocess.PIPE, timeout=120):
    """A run that times out has status None."""
    full = dict(os.environ, **(environment or {}))
    try:
        return subprocess.run([str(part) if not isinstance(part, bytes) else part for part in command], cwd=folder, env=full, stdout=stdout,
                              stderr=subprocess.PIPE, preexec_fn=limit, timeout=timeout, text=text, errors="replace" if text else None)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, None, b"", b"timeout")


def judge(what, command, done):
    """Status 0, or 1 or 2 with a message."""
    if done.returncode not in (0, 1, 2):
        fault(what, command, done)
    elif done.returncode != 0 and not done.stderr.strip():
        fault(f"{what}: no message", command, done)
    elif b"internal error" in done.stderr:
        fault(f"{what}: internal error", command, done)


def listing(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)


class Bench:
    """Programs compiled once, their inputs, and what they give when nothing fails."""

    def __init__(self, options, folder):
        self.options, self.folder, self.hp5c = options, folder, options.hp5c
        self.all = options.all
        random = np.random.default_rng(5)
        for name, shape in {"plate": (12, 9), "a": (9, 7), "b": (7, 5), "big": (700, 700)}.items():
            np.save(f"{folder}/{name}.npy", random.standard_normal(shape))
        for source, name in ((STENCIL, "stencil"), (MULTIPLY, "multiply")):
            done = run([self.hp5c, source, "--model", MODEL, "-o", f"{folder}/{name}"], folder, timeout=120)
            if done.returncode != 0:
                sys.exit(done.stderr.decode())
        stencil = [f"plate={folder}/plate.npy", "iterations=4", "k=2", "l=2", "m=2", "n=1", "p1=2", "p2=1"]
        multiply = [f"a={folder}/a.npy", f"b={folder}/b.npy", "k=2", "l=2", "q=3"]
        self.runs = {
            "check": ([self.hp5c, "--check-only", STENCIL], []),
            "emit": ([self.hp5c, "-S", "--model", MODEL, "-o", "out.c", STENCIL], ["out.c"]),
            "interpret": ([self.hp5c, "--interpret", STENCIL, "--", *stencil, "result=result.npy"], ["result.npy"]),
            "stencil": ([f"{folder}/stencil", *stencil, "result=result.npy", "--threads", "2"], ["result.npy"]),
            "multiply": ([f"{folder}/multiply", *multiply, "c=c.npy", "--threads", "2"], ["c.npy"]),
        }
        self.place = f"{folder}/place"

    def fresh(self):
        shutil.rmtree(self.place, ignore_errors=True)
        os.mkdir(self.place)
        return self.place

    def sample(self, numbers, most):
        """All, or so many: the first ones and then evenly."""
        numbers = list(numbers)
        if self.all or len(numbers) <= most:
            return numbers
        half = most // 2
        return numbers[:half] + numbers[half::max(1, (len(numbers) - half) // half)]


# ---- The Nth call fails ---------------------------------------------------------------------------------------
def expected(bench, name):
    command, outputs = bench.runs[name]
    place = bench.fresh()
    done = run(command, place)
    if done.returncode != 0:
        sys.exit(f"{name} fails by itself: {done.stderr.decode()}")
    return {output: open(f"{place}/{output}", "rb").read() for output in outputs}


def with_fault(bench, name, kind, number, on):
    command, outputs = bench.runs[name]
    environment = {"LD_PRELOAD": bench.options.library, "FAULT_KIND": kind, "FAULT_AT": str(number), "FAULT_COUNT": f"{bench.folder}/count",
                   "FAULT_PROGRAM": os.path.basename(command[0])}
    if on:
        environment["FAULT_ON"] = "1"
    return run(command, bench.fresh(), environment)


def check_faulty(bench, name, what, done, good):
    command, outputs = bench.runs[name]
    judge(what, command, done)
    for file in listing(bench.place):
        if file not in good:
            fault(f"{what}: leaves '{file}'", command, done)
        elif open(f"{bench.place}/{file}", "rb").read() != good[file]:
            fault(f"{what}: a torn '{file}'", command, done)
    if done.returncode == 0 and listing(bench.place) != sorted(good):
        fault(f"{what}: status 0 without its output", command, done)


def sweep(bench):
    runs = 0
    for name, kind in itertools.product(bench.runs, KINDS):
        good = expected(bench, name)
        if os.path.exists(f"{bench.folder}/count"):
            os.remove(f"{bench.folder}/count")
        with_fault(bench, name, kind, 0, False)
        total = int(open(f"{bench.folder}/count").read())
        for number in bench.sample(range(1, total + 1), 12):
            for on in (False, True):
                done = with_fault(bench, name, kind, number, on)
                check_faulty(bench, name, f"{name}, {kind} {number} of {total}{' and on' if on else ''}", done, good)
                if kind == "written" and done.returncode == 0:
                    fault(f"{name}: an error of closing what it has written is not reported", bench.runs[name][0], done)
                runs += 1
    print(f"sweep: {runs} runs")


# ---- Truncated input --------------------------------------------------------------------------------------------
def truncated(bench):
    runs = 0
    stencil = bench.runs["stencil"][0]
    cases = [
        (STENCIL, "in.hp5", lambda path: [bench.hp5c, "--check-only", path], 100),
        (f"{ROOT}/mappings/stencil/hermes.map", "in.map", lambda path: [bench.hp5c, "--check-only", STENCIL, "--map", path, "--model", f"{ROOT}/pcubes-models/hermes.pcubes"], 80),
        (MODEL, "in.pcubes", lambda path: [bench.hp5c, "--check-only", STENCIL, "--model", path], 80),
        (f"{bench.folder}/plate.npy", "in.npy", lambda path: [stencil[0], f"plate={path}", *stencil[2:]], 80),
    ]
    for original, name, command, most in cases:
        text = open(original, "rb").read()
        for length in bench.sample(range(len(text)), most):
            place = bench.fresh()
            with open(f"{bench.folder}/{name}", "wb") as file:
                file.write(text[:length])
            done = run(command(f"{bench.folder}/{name}"), place)
            judge(f"{name} cut after {length} bytes", command(name), done)
            if name == "in.npy" and done.returncode != 2:
                fault(f"{name} cut after {length} bytes is accepted", command(name), done)
            if done.returncode != 0 and listing(place):
                fault(f"{name} cut after {length} bytes: leaves {listing(place)}", command(name), done)
            runs += 1
    print(f"truncated: {runs} runs")


# ---- Full disks ------------------------------------------------------------------------------------------------------
def disk(bench):
    full = open("/dev/full", "w")
    stencil = bench.runs["stencil"][0]
    must_fail = [
        ([bench.hp5c, "-S", "--model", MODEL, "-o", "/dev/full", STENCIL], None),
        ([bench.hp5c, "--format", STENCIL], full), ([bench.hp5c, "--dump=plan", "--model", MODEL, STENCIL], full), ([bench.hp5c, "--help"], full),
        ([bench.hp5c, "--man-page"], full), ([bench.hp5c, "--explain", "E0201"], full), ([bench.hp5c, "--version"], full),
        ([*stencil[:-3], "result=/dev/full"], None), ([stencil[0], "--help"], full), ([*bench.runs["interpret"][0][:-1], "result=/dev/full"], None),
    ]
    for command, stdout in must_fail:
        done = run(command, bench.fresh(), stdout=stdout if stdout else subprocess.PIPE)
        judge("a full disk", command, done)
        if done.returncode == 0:
            fault("a full disk goes unnoticed", command, done)
    for name in ("emit", "stencil", "multiply", "interpret"):
        good = expected(bench, name)
        size = max(map(len, good.values()))
        for limit in bench.sample(range(0, size, max(1, size // 40)), 10):
            def limited():
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            done = run(bench.runs[name][0], bench.fresh(), limit=limited)
            check_faulty(bench, name, f"{name}, files of at most {limit} bytes", done, good)
            if done.returncode == 0:
                fault("a limit on files goes unnoticed", bench.runs[name][0], done)
    print(f"disk: {len(must_fail)} commands, four limits")


# ---- Signals ---------------------------------------------------------------------------------------------------------------
def interrupted(command, place, number, seconds, temporary):
    process = subprocess.Popen(command, cwd=place, env=dict(os.environ, TMPDIR=temporary), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(seconds)
    process.send_signal(number)
    try:
        _, said = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        _, said = process.communicate()
        return subprocess.CompletedProcess(command, None, b"", said)
    return subprocess.CompletedProcess(command, process.returncode, b"", said)


def signals(bench):
    temporary, runs = f"{bench.folder}/temporary", 0
    os.mkdir(temporary)
    big = [f"{bench.folder}/multiply", f"a={bench.folder}/big.npy", f"b={bench.folder}/big.npy", "k=64", "l=64", "q=64", "c=c.npy"]
    compiling = [bench.hp5c, STENCIL, "--model", MODEL, "-o", "program"]
    moments = [0.0, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5, 0.8]
    for command, output in ((big, "c.npy"), (compiling, "program")):
        place = bench.fresh()
        run(command, place, timeout=120)
        whole = os.path.getsize(f"{place}/{output}")
        for number, seconds in itertools.product((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), moments if bench.all else moments[::3]):
            place = bench.fresh()
            done = interrupted(command, place, number, seconds, temporary)
            runs += 1
            if done.returncode not in (0, -number):
                fault(f"signal {number} after {seconds} s", command, done)
            left = listing(place) + [f"TMPDIR/{name}" for name in os.listdir(temporary) if name.startswith("hp5c")]
            if left and (left != [output] or os.path.getsize(f"{place}/{output}") != whole):
                fault(f"signal {number} after {seconds} s leaves {left}", command, done)
            for name in os.listdir(temporary):
                path = os.path.join(temporary, name)
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    print(f"signals: {runs} runs")


# ---- Hostile names ----------------------------------------------------------------------------------------------------------
def hostile_names():
    pieces = [b"'", b'"', b"\\", b" ", b"\n", b"\r", b"\t", b"%s", b"%n%n", b"*/", b"/*".replace(b"/", b""), b"??/", b"$(touch pwned)", b"`touch pwned`", b";touch pwned;", b"|touch pwned", b"&touch pwned&",
              b"-rf", b"--help", b"-o", b"--", b"@file", b"~", b"*", b"?", b"[a]", b"{a,b}", b"#", b"//".replace(b"/", b"!"), b"\xff\xfe", b"\xc3\x28", "äöü".encode(), "日本".encode(), b"\x01\x1b[31m", b"\x7f",
              b"=", b"a=b", b",", b"<x>", b">y", b"^", b"u\\u0041", b"\\x41\\0", b"..", b"...", b".hidden", b"x" * 200, b"x" * 240]
    names = [piece for piece in pieces if piece not in (b"..", b".")]
    for first, second in itertools.product(pieces[:14], pieces[14:30]):
        names.append(first + b"a" + second)
    names = list(dict.fromkeys(name for name in names if len(name) <= 240 and b"/" not in name))
    return names + [b"*\\".replace(b"\\", b"") + b"x", b"end*"]


def as_source(bench, place, name, number):
    """The C text must be valid with the name in its comments, strings and #line directives."""
    folder = os.path.join(place, (b"in", b"in*", b"/*in"[1:])[number % 3])   # "*/" and "/*" in the path
    os.mkdir(folder)
    path = os.path.join(folder, name + b".hp5")
    with open(STENCIL, "rb") as source, open(path, "wb") as copy:
        copy.write(source.read().replace(b'"Heat Stencil"', (b'"a */ b"', b'"/* c"', b'"%s\\n??/"')[number % 3]))
    given = path if number % 2 == 0 else (b"./" + name + b".hp5" if name.startswith(b"-") else name + b".hp5")
    where = place if number % 2 == 0 else folder
    command = [bench.hp5c, "-S", "-g", "--model", MODEL, "-o", os.path.join(place, b"out.c"), given]
    done = run(command, where)
    judge("a hostile source name", command, done)
    if done.returncode != 0:
        fault("a hostile source name is refused", command, done)
        return
    compiler = ["gcc", "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", ROOT, os.path.join(place, b"out.c")]
    compiled = run(compiler, place)
    if compiled.returncode != 0:
        fault("the C text of a hostile source name", command, compiled)


def as_others(bench, place, name):
    model, mapping, data, out = (os.path.join(place, name + end) for end in (b".pcubes", b".map", b".npy", b".out"))
    shutil.copy(MODEL, model)
    shutil.copy(f"{ROOT}/mappings/stencil/serial.map", mapping)
    shutil.copy(f"{bench.folder}/plate.npy", data)
    local = name if not name.startswith(b"-") else b"./" + name
    command = [bench.hp5c, "-S", "--model", local + b".pcubes", "--map", local + b".map", "-o", name + b".c", STENCIL]
    done = run(command, place)
    judge("hostile mapping and model names", command, done)
    if done.returncode != 0 or not os.path.exists(os.path.join(place, name + b".c")):
        fault("hostile mapping and model names are refused", command, done)
    for wrong in ([bench.hp5c, "-S", b"./" + name + b".none"], [bench.hp5c, "--check-only", "--model", local + b".npy", STENCIL], [bench.hp5c, b"./" + name + b".npy"]):
        judge("hostile names of wrong files", wrong, run(wrong, place))
    stencil = bench.runs["stencil"][0]
    command = [stencil[0], b"plate=" + name + b".npy", *stencil[2:-3], b"result=" + name + b".out", "--threads", "1"]
    done = run(command, place)
    judge("hostile data names", command, done)
    if done.returncode != 0 or not os.path.exists(out):
        fault("hostile data names are refused", command, done)
    command[1] = b"plate=" + name + b".none"
    done = run(command, place)
    judge("a missing file of hostile name", command, done)
    if done.returncode != 2 or any(byte < 32 and byte != 10 for byte in done.stderr):
        fault("a missing file of hostile name", command, done)


def names(bench):
    every = hostile_names()
    for number, name in enumerate(bench.sample(every, 50)):
        place = bench.fresh().encode()
        as_source(bench, place, name, number)
        as_others(bench, place, name)
        judge("a hostile argument", [name], run([bench.hp5c, name], place))
        if os.path.exists(os.path.join(place, b"pwned")) or os.path.exists("pwned"):
            fault("a shell has seen the name", [name])
        tmp = [file for file in os.listdir(place) if file.endswith(b".tmp")]
        if tmp:
            fault(f"leaves {tmp}", [name])
    print(f"names: {len(bench.sample(every, 50))} of {len(every)}")


# ---- The same bytes everywhere ------------------------------------------------------------------------------------------------
def reproducible(bench):
    locales = run(["locale", "-a"], bench.folder, text=True).stdout.split()
    environments = [{}, {"LC_ALL": "C", "TZ": "UTC"}, {"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo"}, {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "HOME": "/nowhere"}]
    environments += [{"LC_ALL": name} for name in locales if name not in ("C", "POSIX")]
    sources = sorted(glob.glob(f"{ROOT}/programs/*/*.hp5")) + sorted(glob.glob(f"{ROOT}/tests/language/*/*.hp5"))
    runs, plain = 0, shutil.which("setarch") and run(["setarch", "-R", "true"], bench.folder).returncode == 0
    for source in bench.sample(sources, 40):
        seen = {}
        for number, environment in enumerate(environments + ([None] if plain else [])):
            place = f"{bench.fresh()}/{'x' * (17 * number + 1)}"
            os.mkdir(place)
            shutil.copy(source, f"{place}/program.hp5")
            before = ["setarch", "-R"] if environment is None else []
            done = run([*before, bench.hp5c, "-S", "--remarks", "--model", MODEL, "-o", "out.c", "program.hp5"], place, environment)
            judge("reproducible", [source], done)
            text = open(f"{place}/out.c", "rb").read() if os.path.exists(f"{place}/out.c") else b""
            seen[(done.returncode, done.stderr, text)] = number
            runs += 1
        if len(seen) != 1:
            fault(f"{len(seen)} different results", [source])
    print(f"reproducible: {runs} runs, {len(environments)} environments{', without address randomisation too' if plain else ''}")


CHECKS = {"sweep": sweep, "truncated": truncated, "disk": disk, "signals": signals, "names": names, "reproducible": reproducible}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("checks", nargs="*", choices=[[], *CHECKS])
    options = parser.parse_args()
    options.hp5c, options.library = os.path.abspath(options.hp5c), os.path.abspath(options.library)
    with tempfile.TemporaryDirectory(prefix="hp5-faults-") as folder:
        bench = Bench(options, folder)
        for name in options.checks or CHECKS:
            CHECKS[name](bench)
    if faults:
        sys.exit(f"{len(faults)} faults")


if __name__ == "__main__":
    main()
