#!/usr/bin/env python3
"""Matrix multiply and heat stencil: the same bits under every mapping, number of threads and size.

    check.py --hp5c HP5C [bits] [checked] [warnings] [threads-sanitizer] [address-sanitizer]

bits       compiled programs against the interpreter: all mappings, 1 2 3 8 threads, odd sizes
checked    the same with run-time checks compiled in, fewer cases
warnings   the C text compiles without warnings with gcc and clang, -O0 and -O3
threads-sanitizer, address-sanitizer    program and runtime compiled with the sanitizer, a few cases each
"""
import argparse
import filecmp
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, f"{ROOT}/tests/tools")
import sanitized # noqa: E402


class Program:
    def __init__(self, source, mappings, output, cases):
        self.source, self.mappings, self.output, self.cases = f"{ROOT}/programs/{source}", mappings, output, cases
        self.name = os.path.basename(source)[:-4]


def stencil_cases():
    plans = ["k=2 l=1 m=3 n=2 p1=4 p2=2", "k=3 l=2 m=1 n=1 p1=2 p2=1", "k=1 l=1 m=4 n=5 p1=8 p2=8", "k=7 l=5 m=2 n=2 p1=1 p2=1"]
    for shape in [(1, 1), (2, 2), (7, 7), (97, 97), (3, 64), (97, 13)]:
        for plan in plans:
            yield {"plate": shape}, plan.split() + ["iterations=8"]


def multiply_cases():
    for n, m, p in [(1, 1, 1), (2, 2, 2), (7, 7, 7), (97, 97, 97), (5, 1, 97), (1, 97, 2)]:
        for k, l, q in [(1, 1, 1), (5, 7, 3), (64, 64, 64)]:
            yield {"a": (n, m), "b": (m, p)}, [f"k={k}", f"l={l}", f"q={q}"]


def laptop_and_hermes(folder, laptop, hermes):
    return [(f"{folder}/{name}.map", "laptop") for name in laptop] + [(f"{folder}/{name}.map", "hermes") for name in hermes]


def programs():
    multiply = lambda folder: laptop_and_hermes(folder, ["cores", "serial"], ["hermes", "hermes-numa"])
    return [
        Program("stencil/stencil.hp5", laptop_and_hermes("stencil", ["cores", "one-part", "serial"], ["hermes", "hermes-cpu"]),
                "result", list(stencil_cases())),
        Program("matrix-multiply/matrix-multiply.hp5", multiply("matrix-multiply"), "c", list(multiply_cases())),
        Program("matrix-multiply/matrix-multiply-single.hp5", multiply("matrix-multiply-single"), "c", list(multiply_cases())),
    ]


# A mapping on one PPU, which --threads does not change.
ONE_PPU = r".*: warning: task .* runs on 1 thread, whatever --threads says: its mapping .*\n  map a Space to a level .*\n"


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nended with status {done.returncode}:\n{done.stdout}{done.stderr}")
    if re.sub(ONE_PPU, "", done.stderr):
        sys.exit(f"{' '.join(map(str, command))}\nsaid:\n{done.stderr}")


def make_inputs(program, inputs, seed, folder="."):
    kind = np.float32 if program.name.endswith("single") else np.float64
    random, args = np.random.default_rng(seed), []
    for name, shape in inputs.items():
        np.save(f"{folder}/{name}.npy", random.standard_normal(shape).astype(kind))
        args.append(f"{name}={folder}/{name}.npy")
    return args


def same_bits(hp5c, program, build, cases, threads):
    """build(mapping, model, output) compiles; every case must equal the interpreter's output."""
    executables = []
    for number, (mapping, model) in enumerate(program.mappings):
        executables.append(f"./{program.name}-{number}")
        build(f"{ROOT}/mappings/{mapping}", f"{ROOT}/pcubes-models/{model}.pcubes", executables[-1])
    count = 0
    for seed, (inputs, arguments) in enumerate(cases):
        args = make_inputs(program, inputs, seed) + arguments
        run(hp5c, "--interpret", program.source, "--", *args, f"{program.output}=reference.npy")
        for executable, n in itertools.product(executables, threads):
            run(executable, *args, f"{program.output}=ours.npy", f"--threads={n}")
            if not filecmp.cmp("reference.npy", "ours.npy", shallow=False):
                sys.exit(f"{program.name}: other bits than the interpreter's: {executable} {' '.join(args)} --threads={n}")
            count += 1
    print(f"{program.name}: {count} runs with the interpreter's bits")


def bits(hp5c, program):
    def build(mapping, model, output):
        run(hp5c, program.source, "--map", mapping, "--model", model, "--verify", "-o", output)
    same_bits(hp5c, program, build, program.cases, (1, 2, 3, 8))


def checked(hp5c, program):
    def build(mapping, model, output):
        run(hp5c, program.source, "--map", mapping, "--model", model, "--checked", "-o", output)
    same_bits(hp5c, program, build, program.cases[::3], (2, 3))


def warnings(hp5c, program):
    for mode in ([], ["--checked"], ["-g"]):
        run(hp5c, "-S", *mode, program.source, "-o", "text.c")
        for compiler, level in itertools.product(("gcc", "clang"), ("-O0", "-O3")):
            if shutil.which(compiler) is None:
                sys.exit(f"{compiler} is missing")
            run(compiler, "-std=gnu17", level, "-march=native", "-ffp-contract=off", "-fwrapv", "-Wall", "-Wextra", "-Wshadow", "-Werror",
                f"-I{ROOT}", "-c", "text.c", "-o", "text.o")
    print(f"{program.name}: no warnings")


def sanitizer(kind):
    def check(hp5c, program):
        def build(mapping, model, output):
            run(hp5c, "-S", program.source, "--map", mapping, "--model", model, "-o", "text.c")
            sanitized.compile(kind, hp5c, "text.c", output)
        same_bits(hp5c, program, build, program.cases[3::5], (1, 2, 3, 8))
    return check


CHECKS = {"bits": bits, "checked": checked, "warnings": warnings,
          "threads-sanitizer": sanitizer("thread"), "address-sanitizer": sanitizer("address")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=" ".join(CHECKS))
    args = parser.parse_args()
    hp5c = os.path.abspath(args.hp5c)
    with tempfile.TemporaryDirectory(prefix="hp5-programs-") as folder:
        os.chdir(folder)
        os.environ["TMPDIR"] = folder   # for what a failing or killed compiler leaves behind
        for check, program in itertools.product(args.checks or CHECKS, programs()):
            CHECKS[check](hp5c, program)
        os.chdir("/")


if __name__ == "__main__":
    main()
