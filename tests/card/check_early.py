#!/usr/bin/env python3
"""What rounds that divide read before the first of a thread's rounds computes its value (compiler/emit/cuda/abreast.c, early.c).

    check_early.py --hp5c HP5C

Of tests/language/run/quotients_in_walks.hp5 on warps: for each loop of each stage how many rounds a thread has side by side, and which elements they read early; nothing for loops with
filters. Single threads have loops in the order of the program.
"""
import argparse
import re
import sys

import emitted

PROGRAM = "quotients_in_walks"
WANTED = {
    "share_in_A": [("8", ["a", "b"]), ("8", ["shares", "b"])],
    "root_in_A": [("8", ["a", "b"])],
    "rest_in_A": [("8", ["n"])],
    "choose_in_A": [("8", None)],
    "begin_in_A": [("8", None)],
    "scale_in_A": [("8", ["scaled_1", "b", "a"])],
    "look_in_B": [("4", ["a"] * 4 + ["b"] * 4)],
    "flatten_in_B": [("8", ["a", "b"])],
}


def loops(text):
    found = {}
    for stage, body in re.findall(r"^static __device__ void (\w+)\(.*?\) \{\n(.*?)^\}", text, re.M | re.S):
        for many, rest in re.findall(r"hp5_abreast<(\d)>\((.*?)\}\);\n", body, re.S):
            early = re.search(r"return Hp5Read\{(.*?)\};", rest, re.S)
            found.setdefault(stage, []).append((many, re.findall(r"(\w+)\[", early[1]) if early else None))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hp5c", required=True)
    options = parser.parse_args()
    failed = False
    for level, flags in emitted.LEVELS:
        wanted = {} if level == "Lane" or flags else WANTED
        failed |= emitted.differ(f"{level} {' '.join(flags)}", loops(emitted.text_of(options.hp5c, PROGRAM, level, *flags)), wanted)
    print("failed" if failed else "passed")
    return failed


if __name__ == "__main__":
    sys.exit(main())
