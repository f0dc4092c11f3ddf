#!/usr/bin/env python3
"""Which sequential loops have their elements owned by lanes of a warp (compiler/emit/cuda/owners.c).

    check_owners.py --hp5c HP5C

Of tests/language/run/sums_of_groups.hp5 on warps, on multiprocessors and on the whole card: the calls in each stage, and the arrays in which they accumulate. Single threads, checked
builds, and stages that check indices which they take from arrays have none.
"""
import re
import sys

import emitted

PROGRAM = "sums_of_groups"
# What each stage accumulates in, in rows or in single elements. In the others a round reads what has been accumulated, leaves something behind, or names an array twice.
WANTED = {"tally": ["one sizes", "rows sums"], "sift": ["one totals", "one others"], "square": ["rows squares", "one powers"], "shorten": ["one few", "one narrow"],
          "shift": ["rows shifted", "rows shifted"], "sort": ["one bins"], "mix": ["rows mixed"]}


def loops(text):
    found = {}
    for stage, body in re.findall(r"^static __device__ void (\w+)\(Hp5Worker.*?\) \{\n(.*?)^\}", text, re.M | re.S):
        calls = re.findall(r"hp5_(rows_)?by_owners\(.*?return &(\w+)\[", body, re.S)
        if body.count("by_owners(") != len(calls):
            sys.exit(f"{stage}: a call cannot be read")
        if calls:
            found[stage] = [("rows " if rows else "one ") + array for rows, array in calls]
    return found


def look(hp5c, level, flags):
    wanted = {} if level == "Lane" or flags else {f"{stage}_in_A": calls for stage, calls in WANTED.items()}
    return emitted.differ(f"{level} {' '.join(flags)}", loops(emitted.text_of(hp5c, PROGRAM, level, *flags)), wanted)


if __name__ == "__main__":
    sys.exit(emitted.main(__doc__, look))
