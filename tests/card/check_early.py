#!/usr/bin/env python3
"""What rounds read before the first of a thread's rounds computes its value (compiler/emit/cuda/abreast.c, early.c).

    check_early.py --hp5c HP5C

Of tests/language/run/quotients_in_walks.hp5, reads_in_walks.hp5, rows_in_lanes.hp5 and rounds_with_loops.hp5 on warps: for each loop of each stage how many rounds a thread has side by side, and which elements they read early; nothing
behind filters that read elements; "if" stands for others. Single threads have loops of their own.
"""
import re
import sys

import emitted

WANTED = {
    "quotients_in_walks": {
        "share_in_A": [("8", ["a", "b"]), ("8", ["shares", "b"])],
        "root_in_A": [("8", ["a", "b"])],
        "rest_in_A": [("8", ["n"])],
        "choose_in_A": [("8", None)],
        "begin_in_A": [("8", ["a"])],
        "scale_in_A": [("8", ["scaled_1", "b", "a"])],
        "look_in_B": [("4", ["a"] * 4 + ["b"] * 4)],
        "flatten_in_B": [("8", ["a", "b"])],
    },
    "reads_in_walks": {
        "chain_in_A": [("8", ["a", "f"])],
        "square_in_A": [("8", ["s"])],
        "pair_in_A": [("8", ["up", "a", "down"])],
        "pair_some_in_A": [("8", ["if", "up", "a", "down"])],
        "copy_in_B": [("8", ["a"])],
        "blur_in_B": [("8", ["a"] * 4)],
        "fetch_in_B": [("8", ["a", "n", "n", "f"])],
        "colour_in_B": [("4", ["if"] + ["coloured"] * 5 + ["f"])],
        "crowd_in_B": [("8", None)],
        "heat_in_B": [("6", ["warm_1"] * 7)],
    },
    # Not the rows of `soften`, in which loops go along the row.
    "rows_in_lanes": {"orthogonalise_in_A": [("8", ["a"]), ("8", ["q"]), ("8", ["q", "q"])]},
    # Rounds with a loop inside, one by one: their text is there once, and none is computed twice. In front of them is what teams share of that loop, side by side.
    "rounds_with_loops": {
        "take_most_in_A": [("8", ["x"]), ("1", None)],
        "take_windows_in_A": [("8", None), ("8", ["x"]), ("1", None)],
        "take_cubes_in_A": [("1", None)],
        "turn_in_B": [("1", None)],
        "add_some_in_B": [("1", None)],
    },
}

# Single threads go along the innermost loop, and columns are not shared; a round's own element is early only where it is all that the round means by its array.
OF_LANES = {"heat_in_B": [("4", ["warm_1"] * 7)], "colour_in_B": None, "take_most_in_A": None, "orthogonalise_in_A": [("8", ["a"]), ("8", ["q"])]}


def of_level(wanted, level):
    if level != "Lane":
        return wanted
    early = {stage: OF_LANES.get(stage, found) for stage, found in wanted.items()}
    return {stage: found for stage, found in early.items() if found and found[0][1]}


def loops(text):
    found = {}
    for stage, body in re.findall(r"^static __device__ void (\w+)\(.*?\) \{\n(.*?)^\}", text, re.M | re.S):
        for many, rest in re.findall(r"hp5_(?:rounds_)?abreast<(\d)>\((.*?)\}\)?\);\n", body, re.S):
            early = re.search(r"struct Hp5Read \{[^}]*\};\s*(if \()?.*?return Hp5Read\{([^}].*?)\};", rest, re.S)
            found.setdefault(stage, []).append((many, ["if"] * bool(early[1]) + re.findall(r"(\w+)\[", early[2]) if early else None))
    return found


def look(hp5c, level, flags):
    where = f"{level} {' '.join(flags)}"
    return any([emitted.differ(f"{program} {where}", loops(emitted.text_of(hp5c, program, level, *flags)), {} if flags else of_level(wanted, level)) for program, wanted in WANTED.items()])


if __name__ == "__main__":
    sys.exit(emitted.main(__doc__, look))
