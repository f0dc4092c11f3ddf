#!/usr/bin/env python3
"""Loops that count (compiler/emit/cuda/tallies.c): in which arrays they count in shared memory, what their threads read early, and how often they add to elements themselves.

    check_tallies.py --hp5c HP5C

The text is that of two language tests, on warps, on multiprocessors and on the whole card; single threads and checked builds share nothing. Sums are counted by the simulated card
(HP5_SIM_SUMS), of programs/histogram: where shared memory has room for an LPU's row and there are many more values than bins, an LPU adds once to each element, or not at all.
"""
import os
import re
import subprocess
import sys

import numpy

import emitted

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# Each loop of a stage that counts: arrays with counters, how much a round adds, elements read early, and how many rounds of a thread go side by side.
WANTED = {
    "counted_in_shared_memory": {"count": [({"ones", "steps"}, 1000007, ["values[i]"], 8)],
                                 "join": [({"pairs"}, 2, ["weights[i]"], 8), ({"pairs"}, 1, [], 1)],
                                 "deal": [({"rows"}, 1, [], 1)]},
    "counted_in_any_order": {"count": [({"counts"}, 1, ["values[i]"], 8)]},
}
# Values, bins, values of an LPU, bytes of a block's shared memory, and how often sums are added to elements: at least, and at most.
HISTOGRAMS = [(20000, 100, 5000, 36864, 0, 4 * 100), (20000, 1000, 20000, 36864, 0, 1000), (20000, 1000, 20000, 8192, 20000, 20000), (2000, 1000, 2000, 36864, 2000, 2000),
              (20000, 100, 5000, 512, 20000, 20000)]


def loops(text):
    found = {}
    for stage, body in re.findall(r"^static __device__ void (\w+)_in_[AB]\(.*?\) \{\n(.*?)^\}", text, re.M | re.S):
        body = " ".join(body.split())
        for part in re.split(r"(?=const int64_t i_first)", body)[1:]:
            call = re.search(r"hp5_(tally|abreast)<(\d)>", part)
            if not call or not re.search(r"\.add\(|hp5_(dis)?count\(", part):
                continue
            by, read = re.search(r"Hp5Counters counters\(crew, i_first, i_last, (\d+)\)", part), re.search(r"return Hp5Read\{(.*?)\};", part)
            found.setdefault(stage, []).append((set(re.findall(r"Hp5Tally (\w+)_counted", part)), int(by.group(1)) if by else None,
                                                read.group(1).split(", ") if read and read.group(1) else [], int(call.group(2))))
    return found


def check_texts(hp5c):
    failed = False
    for program, of_program in WANTED.items():
        for level, flags in emitted.LEVELS:
            wanted = {} if level == "Lane" or flags else of_program
            failed |= emitted.differ(f"{program}, {level} {' '.join(flags)}", loops(emitted.text_of(hp5c, program, level, *flags)), wanted)
    return failed


def check_sums(hp5c, folder):
    failed = False
    subprocess.run([hp5c, f"{ROOT}/programs/histogram/histogram.hp5", "--nvcc", f"{HERE}/nvcc", "--map", f"{ROOT}/mappings/histogram/card.map", "--model",
                    f"{ROOT}/pcubes-models/h200.pcubes", "-o", f"{folder}/program"], check=True)
    for values, bins, k, shared, least, most in HISTOGRAMS:
        numpy.save(f"{folder}/values.npy", numpy.arange(values) * 0.37 % 1.0)
        sums = f"{folder}/sums"
        subprocess.run([f"{folder}/program", f"values={folder}/values.npy", f"bins={bins}", "low=0", "high=1", f"k={k}", "b=50", f"counts={folder}/counts.npy"], check=True,
                       stderr=subprocess.DEVNULL, env=dict(os.environ, HP5_SIM_SUMS=sums, HP5_SIM_SHARED=str(shared)))
        with open(sums, encoding="utf-8") as lines:
            added = sum(int(line) for line in lines)
        os.remove(sums)
        counted = int(numpy.load(f"{folder}/counts.npy").sum())
        if not least <= added <= most or counted != values:
            print(f"{values} values, {bins} bins, k={k}, {shared} bytes: {added} sums of elements in place of {least} to {most}, {counted} values counted")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(emitted.main_of_two(__doc__, check_texts, check_sums))
