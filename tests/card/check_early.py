#!/usr/bin/env python3
"""What rounds that divide read before the first of a thread's rounds computes its value (compiler/emit/cuda/abreast.c, early.c).

    check_early.py --hp5c HP5C

Of tests/language/run/quotients_in_walks.hp5 on warps: for each loop of each stage how many rounds a thread has side by side, and which elements they read early; nothing for loops with
filters. Single threads have loops in the order of the program.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = f"{ROOT}/tests/language/run/quotients_in_walks.hp5"
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


def text_of(hp5c, folder, level):
    mapping = f"{folder}/{level}.map"
    with open(mapping, "w", encoding="utf-8") as out:
        out.write(f'"Divide" {{\n    Space A: {level}\n    Space B: {level}\n}}\n')
    subprocess.run([hp5c, "-S", PROGRAM, "--model", f"{ROOT}/tests/card/models/lanes.pcubes", "--map", mapping, "-o", f"{folder}/out.c"], check=True)
    with open(f"{folder}/out.cu", encoding="utf-8") as text:
        return text.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hp5c", required=True)
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for level, wanted in ("Warp", WANTED), ("Multi", WANTED), ("Lane", {}):
            found = loops(text_of(options.hp5c, folder, level))
            for stage in sorted({*found, *wanted}):
                if found.get(stage) != wanted.get(stage):
                    print(f"FAILED on {level}: {stage} has {found.get(stage)}, not {wanted.get(stage)}")
                    failed = True
    sys.exit(failed)


main()
