#!/usr/bin/env python3
"""Parts of LPUs in shared memory (compiler/emit/cuda/near.c): which visits have which, and how much comes.

    check_near.py --hp5c HP5C

The texts of language tests on each level: arrays with the condition under which they come, whether the newest version is enough, and whether they are changed. Bytes that come to shared memory (HP5_SIM_NEAR)
of programs/stencil, with room for all parts, with none, and where a visit has one round.
"""
import os
import re
import subprocess
import sys

import numpy

import emitted

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
U, V = ("u", "task->partition_p > 1", "true", "true"), ("v", "task->n > 1", "false", "true")
W, MARKS, DROPS = ("w", "true", "false", "true"), ("marks", "task->n * 2 - 1 > 1", "true", "true"), ("drops", "true", "false", "true")
WANTED = {"rounds_in_a_visit": [{U}, {V}, {MARKS, DROPS}, {W}], "rounds_beside_guests": [{U}], "copies_kept": [], "matmul_padded_rows": []}
# The condition as the host knows it before the task begins; None: it does not.
KNOWN = {"rounds_in_a_visit": {"u": "task->partition_p > 1", "v": "task->n > 1", "marks": "task->n * 2 - 1 > 1", "drops": None, "w": None}, "rounds_beside_guests": {"u": "task->partition_p > 1"},
         "copies_kept": {}, "matmul_padded_rows": {}}
MAPPING = '"Heat Stencil" { Space A: Card Space B: %s }'
# Rows, columns, padding, parts down and across, level, bytes of a block's shared memory; rounds; the parts that come, in elements.
STENCILS = [(60, 44, 4, 3, 2, "Multi", 36864, 8, 2), (60, 44, 4, 3, 2, "Multi", 8192, 8, 0), (61, 43, 3, 3, 2, "Multi", 36864, 9, 3), (60, 44, 1, 3, 2, "Multi", 36864, 8, 0), (60, 44, 2, 12, 8, "Warp", 36864, 8, 4)]


def visits(text):
    found = []
    for visit in re.split(r"^ +for \(Hp5Lpu ", text, flags=re.M)[1:]:
        brought = re.findall(r"char \*const (\w+)_near = near_\w+\.bring\(&lpu_\w+->views\[\d+\], (.*), (true|false)\);", visit)
        changed = dict(re.findall(r"near_\w+\.take_back\(&lpu_\w+->views\[\d+\], (\w+)_near, (?:true|false), (true|false)\);", visit))
        if brought:
            found.append({(name, pays, newest, changed.get(name)) for name, pays, newest in brought})
    return found


def known(text):
    pays = dict(re.findall(r"static bool (\w+_pays)\(const void \*globals\) \{.*?return (.*?);\n\}", text, re.S))
    table = re.search(r"Hp5CardNear \w+\[\] = \{\n(.*?)^\};", text, re.M | re.S)
    return {name: pays.get(function) for function, name in re.findall(r"\{\d+, \d+, (\w+)\}, /\* (\w+) in Space", table[1])} if table else {}


def check_texts(hp5c):
    failed = False
    for program, wanted in WANTED.items():
        for level, flags in emitted.LEVELS:
            text, near = emitted.text_of(hp5c, program, level, *flags), level in ("Multi", "Warp") and not flags
            for what, found, expected in (("visits", visits(text), wanted), ("conditions", known(text), KNOWN[program])):
                if found != (expected if near else type(expected)()):
                    print(f"{program}, {level} {' '.join(flags)}: {what} are {found}")
                    failed = True
    return failed


def brought(hp5c, folder, case):
    """Elements that came, and the result's bytes."""
    rows, columns, padding, down, across, level, shared, rounds, _ = case
    with open(f"{folder}/a.map", "w", encoding="utf-8") as out:
        out.write(MAPPING % level)
    subprocess.run([hp5c, f"{ROOT}/programs/stencil/stencil.hp5", "--nvcc", f"{HERE}/nvcc", "--map", f"{folder}/a.map", "--model", f"{HERE}/models/small.pcubes", "-o", f"{folder}/program"], check=True)
    numpy.save(f"{folder}/plate.npy", numpy.random.default_rng(1).random((rows, columns)))
    arguments = [f"plate={folder}/plate.npy", f"iterations={rounds}", "k=1", "l=1", f"m={down}", f"n={across}", f"p1={padding}", f"p2={padding}", f"result={folder}/result.npy"]
    subprocess.run([f"{folder}/program", *arguments], check=True, stderr=subprocess.DEVNULL, env=dict(os.environ, HP5_SIM_NEAR=f"{folder}/near", HP5_SIM_SHARED=str(shared)))
    with open(f"{folder}/near", encoding="utf-8") as lines:
        elements = sum(int(line) for line in lines) // 8
    os.remove(f"{folder}/near")
    with open(f"{folder}/result.npy", "rb") as file:
        return elements, file.read()


def parts(extent, count, padding):
    """Of one dimension, with padding."""
    each = -(-extent // count)
    return [min(begin + each + padding, extent) - max(begin - padding, 0) for begin in range(0, extent, each)]


def check_traffic(hp5c, folder):
    failed, results = False, {}
    for case in STENCILS:
        rows, columns, padding, down, across, *_, rounds, visits_ = case
        wanted = visits_ * sum(parts(rows, down, padding)) * sum(parts(columns, across, padding))
        found, result = brought(hp5c, folder, case)
        if found != wanted or results.setdefault((rows, columns, rounds), result) != result:
            print(f"{case}: {found} elements have come in place of {wanted}, or other bits")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(emitted.main_of_two(__doc__, check_texts, check_traffic))
