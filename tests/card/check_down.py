#!/usr/bin/env python3
"""Which loops of a thread's own go down columns of arrays (compiler/emit/cuda/down.c), and what of their rounds is read before these begin.

    check_down.py --hp5c HP5C

Of tests/language/run/own_loops_down_columns.hp5 on warps, on multiprocessors, on the whole card and on single threads: the calls of hp5_down in each stage, and their loads. Checked
builds have none.
"""
import re
import sys

import emitted

PROGRAM = "own_loops_down_columns"
# What is read in each stage that has such a loop. The others go along rows, read much, may not read, or write what they read.
WANTED = {"add": ["a"], "multiply": ["a", "b"], "add_three": ["a", "weights", "b"], "count": ["hundreds"], "narrow": ["small", "few"], "rise": ["a"], "average": ["a"], "place": ["a"]}
OF_ONE = {"average": ["a"]} # single threads have loops in the order of the program


def loops(text):
    found = {}
    for stage, body in re.findall(r"^static __device__ void (\w+)_in_A\(.*?\) \{\n(.*?)^\}", text, re.M | re.S):
        calls = re.findall(r"hp5_down\(.*?\n\s*\}, (\[&\].*?\})\);", body, re.S)
        if body.count("hp5_down") != len(calls) or len(calls) > 1:
            sys.exit(f"{stage}: a call of hp5_down cannot be read")
        if calls:
            found[stage] = re.findall(r"return (\w+)\[", calls[0])
    return found


def look(hp5c, level, flags):
    wanted = {} if flags else OF_ONE if level == "Lane" else WANTED
    return emitted.differ(f"{level} {' '.join(flags)}", loops(emitted.text_of(hp5c, PROGRAM, level, *flags)), wanted)


if __name__ == "__main__":
    sys.exit(emitted.main(__doc__, look))
