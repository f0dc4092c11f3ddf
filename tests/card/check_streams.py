#!/usr/bin/env python3
"""Which sequential loops a warp helps its first thread with (compiler/emit/cuda/streams.c), and with which of their elements.

    check_streams.py --hp5c HP5C

Of tests/language/run/recurrences.hp5 on warps, on multiprocessors and on the whole card: the calls of hp5_in_turn in each stage, and what stands in them; single threads and checked
builds have none. How much of a block's shared memory a warp has is what the largest of them needs.
"""
import re
import sys

import emitted

PROGRAM = "recurrences"
# Each loop of a stage: what is done with which elements. A stage that is not here has none.
WANTED = {
    "scan": [{"writes sums[i]", "reads a[i]"}],
    "forward": [{"writes upper[i]", "writes right[i]", "reads a[i]", "reads b[i]", "reads c[i]", "reads d[i]"}],
    "record": [{"may_write high[i]", "may_write marks[i]", "reads a[i]"}],
    "clip": [{"may_change clipped[i]"}],
    "smooth": [{"changes s[i]"}, {"writes hashes[i]", "reads n[i]"}, {"changes m[i]"}],
    "differ": [{"writes beside[offset + i - 1]", "reads a[i + 1]", "reads a[i]"}],
    "pick": [{"writes picked[i]", "reads n[i]", "reads p[i]"}],
    "rows": [{"changes grid[row * grid_ld1 + i]"}],
}
BYTES = 64 * 8 * (4 * 2 + 2) # of forward, which has many: for two pieces of what it reads


def loops(text):
    found = {}
    for stage, body in re.findall(r"^static __device__ void (\w+)_in_[AB]\(.*?\) \{\n(.*?)^\}", text, re.M | re.S):
        calls = [set(f"{how} {place}" for how, place in re.findall(r"hp5_(reads|writes|changes|may_write|may_change)\(&(.*?)\)(?=[,)])", " ".join(call.split()).replace("i_first", "i")))
                 for call in re.findall(r"hp5_in_turn\(.*?\n\s*\}(, hp5_.*?);", body, re.S)]
        if body.count("hp5_in_turn") != len(calls):
            sys.exit(f"{stage}: a call of hp5_in_turn cannot be read")
        if calls:
            found[stage] = calls
    return found


def look(hp5c, level, flags):
    text, where = emitted.text_of(hp5c, PROGRAM, level, *flags), f"{level} {' '.join(flags)}"
    wanted, given = {} if level == "Lane" or flags else WANTED, int(re.search(r"_card = \{.*?, (?:true|false), (\d+)[,}]", text, re.S).group(1))
    failed = emitted.differ(where, loops(text), wanted)
    if given != (BYTES if wanted else 0):
        print(f"{where}: warps have {given} bytes")
        failed = True
    return failed


if __name__ == "__main__":
    sys.exit(emitted.main(__doc__, look))
