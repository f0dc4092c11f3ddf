#!/usr/bin/env python3
"""Where crews wait, and get what their first thread has computed (compiler/emit/cuda/by_first.c, in_step.c).

    check_waits.py --hp5c HP5C

Of tests/language/run/waits_of_crews.hp5, whose Root is on the card: for each stage what comes first, what comes last and what all threads get of the first one, and the waits between stages.
"""
import re
import sys

import emitted

# Of the locals one is nobody else's; loops of a stage begin with a wait, but for one that the flow has just waited for, and that reads nothing of what the loop writes.
WANTED = {"add_up_in_Root": [], "count_in_Root": ["n"], "turn_in_Root": ["acc"], "pull_in_Root": ["at once"], "step_in_Root": []}
FLOW = ["wait", "pull", "stage's", "wait", "step", "stage's"]
CHECKED = ["wait", "pull", "wait", "wait", "step", "wait"]


def look(hp5c, level, flags):
    text = emitted.text_of(hp5c, "waits_of_crews", level, *flags)
    found = {}
    for stage, body in re.findall(r"^static __device__ void (\w+_in_Root)\(.*?\) \{\n(.*?)^\}", text, re.M | re.S):
        found[stage] = re.findall(r"hp5_from_first\(worker, crew, &(\w+)\)", body) + ["at once"] * (0 <= body.find("hp5_abreast") < body.find("crew.sync()"))
        if not body.endswith("    crew.sync();\n"):
            found[stage].append("no wait at the end")
    flow = text[text.index("/* What every thread runs. */") :]
    steps = re.findall(r"(hp5_sync)|(pull|step)_in_Root|(the stage ends with is a wait)", flow[flow.index("Repeat") if "Repeat" in flow else 0 :])
    told = ["wait" if wait else stage if stage else "stage's" for wait, stage, _ in steps]
    if "--checked" in flags:
        return emitted.differ(f"flow {level} checked", {"flow": told}, {"flow": CHECKED})
    return emitted.differ(f"stages {level}", found, WANTED) | emitted.differ(f"flow {level}", {"flow": told}, {"flow": FLOW})


if __name__ == "__main__":
    sys.exit(emitted.main(__doc__, look))
