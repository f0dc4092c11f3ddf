#!/usr/bin/env python3
"""Which stages go in one walk on cards (compiler/emit/cuda/relays.c), and that --timing counts all of them.

    check_relays.py --hp5c HP5C

Of tests/language/run/relays.hp5 and strips.hp5, on warps, on multiprocessors and on the whole card: what gives elements to what; single threads and checked builds have no such stages. An array that
is handed on is neither written nor read: no pointer to it stands in the text of those stages.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import numpy

import emitted

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# For each stage that takes, those that give.
WANTED = {
    "relays": {"add": ["divide"], "square": ["add"], "grow": ["shrink"], "tally": ["place"], "pick": ["find"], "choose": ["five", "three"], "halve": ["move"]},
    "strips": {"tally": ["place"]},
}
HANDED_ON = {"thirds", "sums", "small", "bins", "places", "fives", "threes", "moved"}


def relays(text):
    """Calls inside of calls, of the flow's stages; the names of arrays to which stages have pointers."""
    found, pointers = {}, set()
    stages = dict(re.findall(r"^(?:template <[^>]*> )?static __device__ (?:auto|void) (\w+)_in_[A-D]\(.*?\) \{\n(.*?)^\}", text, re.M | re.S))
    for call in re.findall(r"HP5_STAGE\(worker, \d+, \w+, (\w+_in_[A-D].*?)\); /\*", text):
        around = []
        parts = re.findall(r"\w+_in_[A-D]|\(|\)", re.sub(r"^(\w+), ", r"\1(", call))
        for before, part in zip([None] + parts, parts):
            if part == "(":
                around.append(before)
            elif part == ")":
                around.pop()
            elif around:
                found.setdefault(around[-1][:-5], []).append(part[:-5])
    for takers in found:
        for stage in [takers] + found[takers]:
            pointers |= set(re.findall(r"\*restrict (\w+) =", stages[stage]))
    return found, pointers


def check_timing(hp5c, folder):
    subprocess.run([hp5c, f"{ROOT}/programs/histogram/histogram.hp5", "--nvcc", f"{HERE}/nvcc", "--map", f"{ROOT}/mappings/histogram/card.map", "--model",
                    f"{ROOT}/pcubes-models/h200.pcubes", "-o", f"{folder}/program"], check=True)
    numpy.save(f"{folder}/values.npy", numpy.arange(1000) * 0.37 % 1.0)
    said = subprocess.run([f"{folder}/program", "--timing", f"values={folder}/values.npy", "bins=10", "low=0", "high=1", "k=100", "b=5", f"counts={folder}/counts.npy"], check=False,
                          capture_output=True, text=True)
    calls = dict(re.findall(r"^\s+(place|tally) in Space A \(line \d+\)\s+(\d+)", said.stderr + said.stdout, re.M))
    if calls != {"place": "10", "tally": "10"}:
        print(f"--timing: {calls} calls\n{said.stderr}")
        return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hp5c", required=True)
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for program, of_program in WANTED.items():
            for level, flags in emitted.LEVELS:
                wanted = {} if level == "Lane" or flags else of_program
                found, pointers = relays(emitted.text_of(options.hp5c, program, level, *flags))
                if found != wanted or pointers & HANDED_ON:
                    print(f"{program}, {level} {' '.join(flags)}: {found} in place of {wanted}, with pointers to {pointers & HANDED_ON}")
                    failed = True
        failed |= check_timing(options.hp5c, folder)
    print("failed" if failed else "passed")
    return failed


if __name__ == "__main__":
    sys.exit(main())
