#!/usr/bin/env python3
"""Which loops the threads of a crew share (compiler/emit/cuda/crew_loops.c), where it takes a closer look to see whether they may.

    check_shares.py --hp5c HP5C

Of tests/language/run/shared_by_bounds.hp5 and some others on warps, on multiprocessors and on the whole card, and of a checked build: whether each parallel loop of a stage is the first thread's, shared as a
square of two loops, in rows and columns of threads, in pieces, by one index, or by teams where these are better. Single threads share nothing; what stands in no Space is the card's. --remarks says what is the
first thread's.
"""
import json
import re
import subprocess
import sys
import tempfile

import emitted

WANTED = {
    "shared_by_bounds": {
        "project_in_Pages": ["teams or shared", "teams or shared"], "apart_in_Pages": ["teams or shared"], "follow_in_Pages": ["first"], "here_in_Pages": ["first"], "inside_in_Pages": ["first"],
        "turn_in_Root": ["shared"], "cross_in_Root": ["shared"], "chain_in_Root": ["first"], "ways_in_Rows": ["squares", "pieces of squares"], "mend_in_Rows": ["squares", "pieces of squares"],
        "stair_in_Root": ["first"], "lean_in_Rows": ["shared"], "blur_in_Rows": ["squares"], "line_in_Root": ["shared", "pieces", "pieces", "pieces"]},
    # Cells with static arrays, which iterations assign piece by piece.
    "lattice_boltzmann": {"start_in_A": ["squares"], "advance_in_A": ["squares"], "sum_in_A": ["squares"]},
    # Filters that ask where the part of an array ends, of which iterations write elements.
    "padding_beyond_neighbours": {"start_in_A": ["squares"], "begin_in_B": ["squares"], "corners_in_A": ["columns", "columns"], "slide_in_B": ["columns"]},
    # Filters that read what their own iteration writes; sums, which are in order.
    "own_loops": {"copy_in_A": ["shared", "first"], "add_in_B": ["shared", "first"], "halve_in_B": ["shared"], "count_in_A": ["first"], "lower_in_B": ["shared"], "store_in_A": ["shared"]}}


def manner(text):
    if "crew.rank() == 0" in text:
        return "first"
    if "hp5_team_tier(" in text:
        return "teams or shared"
    found = "columns" if "hp5_columns(" in text else "squares" if re.search(r"hp5_square\(|hp5_abreast<.*int64_t i, .*int64_t j, ", text, re.S) else "shared"
    return found if "hp5_piece_end(" not in text else "pieces of squares" if found == "squares" else "pieces"


def loops(text):
    """Of each stage, the text between waits that has loops."""
    found = {}
    for stage, body in re.findall(r"^static __device__ void (\w+)\(Hp5Worker.*?\) \{\n(.*?)^\}", text, re.M | re.S):
        body = re.sub(r"^( +)if \(teams != HP5_LANE_TIER\) \{\n.*?^\1\} else \{\n", "", body, flags=re.M | re.S)
        parts = re.split(r"^ +crew\.sync\(\);$", body, flags=re.M)
        manners = [manner(part) for part in parts if "crew.rank()" in part or "(crew, " in part]
        if manners:
            found[stage] = manners
    return found


def remarks(hp5c, code):
    """Stages of shared_by_bounds.hp5 of which --remarks has the code, and what it says: loops that one thread runs alone (R1516), such whose iterations a thread has for itself (R1517)."""
    path = f"{emitted.PROGRAMS}/shared_by_bounds.hp5"
    with tempfile.TemporaryDirectory(prefix="hp5-shares-") as folder:
        with open(f"{folder}/a.map", "w", encoding="utf-8") as out:
            out.write('"Bounds" { Space Pages: Warp  Space Rows: Multi }\n')
        done = subprocess.run([hp5c, "-S", path, "--remarks", "--json", "--model", f"{emitted.HERE}/models/lanes.pcubes", "--map", f"{folder}/a.map", "-o", f"{folder}/out.c"],
                              check=True, capture_output=True, text=True)
    said = [message for message in map(json.loads, done.stderr.splitlines()) if message["code"] == code]
    with open(path, encoding="utf-8") as text:
        lines = text.read().splitlines()
    stages = [next(line.split("(")[0].strip() for line in reversed(lines[:message["line"]]) if re.match(r" {8}\w+\(.*\) \{", line)) for message in said]
    return list(zip(stages, (message["message"] for message in said)))


def check_remarks(hp5c):
    message = "one thread of %s runs this loop alone: its iterations may need each other's results"
    wanted = [(stage, message % "each warp") for stage in ("follow", "here", "inside")] + [(stage, message % "the card") for stage in ("chain", "stair")]
    of_threads = [(stage, f"one thread goes through all of '{index}' in this loop: its iterations may need each other's results") for stage, index in [("lean", "j")]]
    failed = False
    for code, said in (("R1516", wanted), ("R1517", of_threads)):
        found = remarks(hp5c, code)
        if sorted(found) != sorted(said):
            print(f"remarks {code} are\n{found}\nin place of\n{said}")
            failed = True
    return failed


def look(hp5c, level, flags):
    of_level = {program: {stage: manners for stage, manners in wanted.items() if level != "Lane" or stage.endswith("_in_Root")} for program, wanted in WANTED.items()}
    if flags:
        of_level = {program: {stage: [manner.replace("teams or ", "") for manner in manners] for stage, manners in wanted.items()} for program, wanted in of_level.items()}
    return (level == "Card" and check_remarks(hp5c)) | any([emitted.differ(f"{program} {level} {' '.join(flags)}", loops(emitted.text_of(hp5c, program, level, *flags)), wanted) for program, wanted in of_level.items()])


if __name__ == "__main__":
    sys.exit(emitted.main(__doc__, look))
