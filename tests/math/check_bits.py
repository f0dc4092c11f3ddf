#!/usr/bin/env python3
"""The mathematical functions give the same bits on every processor and from every compiler.

    check_bits.py [--count N] [--quick] [NAME ...]

compiles bits.c with gcc and clang (those there are) for x86-64-v2, which has no fma, v3 and v4 (where this processor
runs it), with and without optimisation, and compares what the programs print. --count: arguments for each function
(default 10,000,000); --quick: fewer builds."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FLAGS = ["-std=gnu17", "-fwrapv", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off", "-I" + ROOT]


def levels():
    """x86-64-v2, v3, v4: those that this processor runs."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
        words = set(next((line for line in info if line.startswith("flags")), "").split())
    found = []
    for level, needs in (("v2", {"ssse3", "sse4_2", "popcnt"}), ("v3", {"avx2", "fma", "bmi2"}), ("v4", {"avx512f", "avx512dq", "avx512vl", "avx512bw"})):
        if needs <= words:
            found.append(level)
    return found


def builds(quick):
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler) is None:
            continue
        for level in levels():
            # gcc takes long to make vector loops of an fma in software
            best = "-O1" if quick and level == "v2" and compiler == "gcc" else "-O3"
            wide = ["-mprefer-vector-width=512"] if level == "v4" else []
            yield compiler, [best, f"-march=x86-64-{level}", *wide]
        if not quick:
            yield compiler, ["-O0"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000_000)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("name", nargs="*", help="functions; all, if none is named")
    options = parser.parse_args()
    if "v2" not in levels():
        sys.exit("check_bits.py: this processor is no x86-64-v2")
    first = None
    with tempfile.TemporaryDirectory(prefix="hp5-bits-") as folder:
        for number, (compiler, flags) in enumerate(builds(options.quick)):
            program = os.path.join(folder, f"bits{number}")
            subprocess.run([compiler, *FLAGS, *flags, os.path.join(HERE, "bits.c"), "-o", program, "-lm"], check=True)
            lines = [line for words in [[name] for name in options.name] or [[]] for line in
                     subprocess.run([program, str(options.count), *words], check=True, capture_output=True, text=True).stdout.splitlines()]
            if len(lines) < len(options.name):
                sys.exit("check_bits.py: not all of these are functions")
            name = " ".join([compiler, *flags])
            if first is None:
                first = (name, lines)
            elif lines != first[1]:
                differ = [a.split()[0] for a, b in zip(first[1], lines) if a != b]
                sys.exit(f"other bits from '{first[0]}' and '{name}': {' '.join(differ)}")
            print(f"{name}: {len(lines)} functions, {options.count} arguments each", flush=True)


if __name__ == "__main__":
    main()
