#!/usr/bin/env python3
"""The single-precision functions of one argument, for every single-precision number.

    check_singles.py [--jobs N] [--every K] [--table] [NAME ...]

Each function's 2^32 arguments (--every: each Kth number) are divided into slices, --jobs of which run at a time. Printed: the largest error in
units in the last place, where it is, and how many results are not the closest numbers. The exit status is 1 where an error is above LIMIT."""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
FLAGS = ["-std=gnu17", "-O3", "-march=native", "-fwrapv", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off", "-I" + ROOT]
SLICES = 64
LIMIT = 0.501


def names():
    with open(os.path.join(ROOT, "runtime/math/names.h"), encoding="ascii") as file:
        text = file.read().replace("\\\n", " ")
    return sorted(name for macro in ("HP5_MATH_ONE_ROUNDED", "HP5_MATH_ONE") for name in re.findall(r"X\((\w+)\)", re.search(rf"#define {macro}\(X\)(.*)", text).group(1)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="rows for the manual")
    parser.add_argument("name", nargs="*")
    options = parser.parse_args()
    unknown = set(options.name) - set(names())
    if unknown:
        sys.exit(f"check_singles.py: no function of one argument: {' '.join(sorted(unknown))}")
    good = True
    with tempfile.TemporaryDirectory(prefix="hp5-singles-") as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        program = os.path.join(folder, "singles")
        subprocess.run(["cc", *FLAGS, os.path.join(HERE, "singles.c"), "-o", program, "-lm"], check=True)

        def one(name, part):
            size = (1 << 32) // SLICES
            first = -(-part * size // options.every) * options.every  # slices meet
            words = [program, name, str(first), str((part + 1) * size), str(options.every)]
            worst, at, got, wrong, count = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
            return float(worst), at, got, int(wrong), int(count)

        for name in options.name or names():
            parts = list(pool.map(lambda part, name=name: one(name, part), range(SLICES)))
            worst, at, got, _, _ = max(parts)
            wrong, count = (sum(part[k] for part in parts) for k in (3, 4))
            if options.table:
                print(f"| `{name}` | {worst:.4f} | `{at}` | {wrong:,} |", flush=True)
            else:
                print(f"{name + 'f':8} {worst:.6f} at {at} ({got}); {wrong} of {count} are not the closest{'' if worst <= LIMIT else '  ABOVE THE LIMIT'}", flush=True)
            good &= worst <= LIMIT
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
