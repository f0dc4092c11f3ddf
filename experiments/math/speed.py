#!/usr/bin/env python3
"""Speed of the mathematical functions beside the C library's.

    speed.py [--rounds 15] [--cc gcc --cc clang] [--march native] [NAME]

prints, for each function, nanoseconds of processor time for one of 1,000,000 elements: by the C library's function; by runtime/math in a loop
that is no vector loop; and in one that is. Medians of rounds that alternate between the three."""
import argparse
import os
import statistics
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# As hp5c compiles programs (compiler/driver/cc.c).
FLAGS = ["-std=gnu17", "-O3", "-fwrapv", "-fno-math-errno", "-fno-trapping-math", "-falign-loops=64", "-ffp-contract=off", "-I" + ROOT]


def processor():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
        return next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), "unknown processor")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cc", action="append")
    parser.add_argument("--march", default="native")
    parser.add_argument("name", nargs="?")
    options = parser.parse_args()
    print(f"{time.strftime('%Y-%m-%d')}, {processor()}, -march={options.march}, median of {options.rounds} rounds")
    for compiler in options.cc or ["gcc", "clang"]:
        version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
        print(f"\n{version}\n{'function':10}{'C library':>10}{'calls':>10}{'loop':>10}   ns; times as fast as the C library: calls, loop")
        with tempfile.TemporaryDirectory(prefix="hp5-speed-") as folder:
            program = os.path.join(folder, "speed")
            subprocess.run([compiler, *FLAGS, f"-march={options.march}", os.path.join(HERE, "speed.c"), "-o", program, "-lm"], check=True)
            words = [program, str(options.rounds)] + ([options.name] if options.name else [])
            for line in subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines():
                name, *times = line.split()
                library, calls, loop = (statistics.median(float(t) for t in times[k::3]) for k in range(3))
                print(f"{name:10}{library:10.2f}{calls:10.2f}{loop:10.2f}   {library / calls:.2f} {library / loop:.2f}", flush=True)


if __name__ == "__main__":
    main()
