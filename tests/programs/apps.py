#!/usr/bin/env python3
"""The programs of programs/: the interpreter's bits under every mapping and number of threads, and right results.

    apps.py --hp5c HP5C [--threads 1,2,3,8] [--flag FLAG] [--sanitize KIND] [--interpret-only | --warnings] [SOURCE …]

SOURCE is the name of a program without .hp5 (default: all that have a script of inputs, see programs/common.py).
Mappings are those of mappings/SOURCE; the ones whose names begin with hermes are compiled for that machine, the
others for the laptop; those that begin with cluster run in several processes (tests/mpi). Where a program has extern code, which the interpreter cannot run, its first mapping on one
thread takes the interpreter's place, and the checker says whether it is right.

--sanitize thread (or address) compiles program and runtime with gcc's sanitizer and runs two cases only. --warnings
only compiles, with gcc and clang and all warnings as errors.
"""
import argparse
import glob
import importlib.util
import itertools
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [f"{ROOT}/programs", f"{ROOT}/tests/tools"]
import common # noqa: E402  (it lies beside the programs)
import sanitized # noqa: E402


class Failed(Exception):
    """A program that did not do what it should."""


def scripts():
    """For each source that has one: its script as a module."""
    found = {}
    for path in sorted(glob.glob(f"{ROOT}/programs/*/*.py")):
        if "OUTPUTS" not in open(path, encoding="utf-8").read():
            continue
        spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3].replace("-", "_"), path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for source in module.OUTPUTS:
            found[source] = (os.path.join(os.path.dirname(path), source + ".hp5"), module)
    return found


# A mapping on one PPU, which --threads does not change.
ONE_PPU = r".*: warning: task .* runs on 1 thread, whatever --threads says: its mapping .*\n  map a Space to a level .*\n"


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300)
    if done.returncode != 0 or re.sub(ONE_PPU, "", done.stderr):
        raise Failed(f"{' '.join(map(str, command))}\nended with status {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def compile_program(options, command, output):
    if not options.sanitize:
        run(*command, "-o", output)
        return
    run(*command, "-S", "-o", f"{output}.c")
    sanitized.compile(options.sanitize, options.hp5c, f"{output}.c", output)


def compiled(options, source, path, folder):
    programs = []
    for mapping in [options.map] if options.map else sorted(glob.glob(f"{ROOT}/mappings/{source}/*.map")):
        name = os.path.basename(mapping)[:-4]
        if name.startswith(("cluster", "card", "hybrid", "lanes")): # tests/mpi, tests/card
            continue
        model = "quad-8core" if options.map else "hermes" if name.startswith("hermes") else "laptop"
        compile_program(options, [options.hp5c, path, "--map", mapping, "--model",
                                  f"{ROOT}/pcubes-models/{model}.pcubes", "--verify", *options.flag], f"{folder}/{name}")
        programs.append(f"{folder}/{name}")
    if len(programs) < 3 and not options.map:
        raise Failed(f"mappings/{source} has {len(programs)} mappings, expected at least 3")
    return programs


def outcome(command, outputs, folder):
    """What the run printed, and its output files' bytes."""
    for name in outputs:
        if os.path.exists(f"{folder}/{name}.npy"):
            os.remove(f"{folder}/{name}.npy")
    printed = run(*command, *(f"{name}={folder}/{name}.npy" for name in outputs))
    return printed, {name: open(f"{folder}/{name}.npy", "rb").read() for name in outputs}


def check_case(options, source, path, module, programs, case, folder):
    arguments = common.arguments_for(vars(module), source, case)
    words, outputs = common.write_inputs(arguments, folder), module.OUTPUTS[source]
    reference = [options.hp5c, "--interpret", path, "--"]
    if "@Extern" in open(path, encoding="utf-8").read():
        if not programs:
            return 0
        reference = [programs[0], "--threads=1"]
    expected = outcome([*reference, *words], outputs, folder)
    arrays = {name: np.load(f"{folder}/{name}.npy") for name in outputs}
    said = module.check(printed=expected[0].splitlines(), **arguments, **arrays)
    print(f"{source} {case}: {said}")
    for program in programs:
        for threads in options.threads:
            found = outcome([program, *words, f"--threads={threads}"], outputs, folder)
            if found != expected:
                raise Failed(f"other bits than the reference's: {program} {' '.join(words)} --threads={threads}")
    return len(programs) * len(options.threads)


# Each kind of text, each compiler and each level at least once; check.py has all combinations of two programs.
WARNING_BUILDS = [([], "gcc", "-O3"), ([], "clang", "-O0"), (["--checked"], "clang", "-O3"), (["-g"], "gcc", "-O0")]


def check_warnings(options, source, path):
    for mode, compiler, level in WARNING_BUILDS:
        text = f"{options.folder}/text.c"
        run(options.hp5c, "-S", *mode, path, "-o", text)
        run(compiler, "-std=gnu17", level, "-march=native", "-ffp-contract=off", "-fwrapv", "-Wall", "-Wextra", "-Wshadow",
            "-Werror", f"-I{ROOT}", "-c", text, "-o", f"{options.folder}/text.o")
    print(f"{source}: no warnings")


def check_source(options, source, path, module):
    if options.warnings:
        check_warnings(options, source, path)
        return
    runs = 0
    with tempfile.TemporaryDirectory(prefix="hp5-apps-") as folder:
        programs = [] if options.interpret_only else compiled(options, source, path, folder)
        for case in module.CASES[1:3] if options.sanitize else module.CASES:
            runs += check_case(options, source, path, module, programs, case, folder)
    print(f"{source}: {runs} runs with the same bits")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2, 3, 8])
    parser.add_argument("--flag", action="append", default=[], help="one more option for hp5c when it compiles")
    parser.add_argument("--map", help="this mapping instead, for the model quad-8core")
    parser.add_argument("--sanitize", choices=list(sanitized.KINDS), help="instrument program and runtime")
    parser.add_argument("--warnings", action="store_true", help="only compile the C text")
    parser.add_argument("--interpret-only", action="store_true", help="compile nothing")
    parser.add_argument("sources", nargs="*", metavar="SOURCE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hp5-apps-runtime-") as options.folder:
        os.environ["TMPDIR"] = options.folder   # for what a failing or killed compiler leaves behind
        return check_sources(options, scripts())


def check_sources(options, known):
    failures = 0
    for source in options.sources or known:
        if source not in known:
            sys.exit(f"{source}: no script has this program in its OUTPUTS")
        try:
            check_source(options, source, *known[source])
        except (Failed, sanitized.Failed, common.Wrong) as reason:
            failures += 1
            print(f"{source}: FAILED\n{reason}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
