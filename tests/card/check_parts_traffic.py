#!/usr/bin/env python3
"""Do parts of arrays go to the cards of several processes, and back, no oftener than somebody wants them? Bytes that --timing reports of all processes, and
results, of traffic.hp5.

    check_parts_traffic.py --hp5c HP5C

Where all tasks have the same parts, the input goes to the cards once for each task that has it, and the output comes back once, however often the tasks run. Where one of them has
other parts, what comes from other processes comes from their cards and goes to this one's, each time, and nothing else does. For a task on processors
parts come back, and go again where it has changed them. The same of padded parts that are the array, in one process, too. Of parts that are dealt out in strides a
card has nothing between them; the first card's stages get any number of others, and products of such parts go in tiles.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [f"{ROOT}/tests/tools", f"{ROOT}/tests/mpi"]
import launch  # noqa: E402
import shared  # noqa: E402
from check_traffic import EXTENTS, expected, mapping  # noqa: E402

MIXED = "Space A <2d> { x, y: block_size(k, k) }"
SCALED = "Space A <2d> { given, x: block_size(k, k) }"
SHIFTED = "Partition:\n        Space A <2d> { x: block_count(1, 1) }"
# Columns of blocks for all tasks; blocks and, in the last one, the whole array; rows and, in the last one, columns.
SAME = ((SCALED, "Space A <1d> { given<dim2>, x<dim2>: block_size(k) }"), (MIXED, "Space A <1d> { x<dim2>, y<dim2>: block_size(k) }"),
        (SHIFTED, "Partition (k):\n        Space A <1d> { x<dim2>: block_size(k) }"),
        ('execute(task: "Shift"; environment: shift)', 'execute(task: "Shift"; environment: shift; partition: args.k)'))
WHOLE = ()
ACROSS = ((SCALED, "Space A <1d> { given<dim1>, x<dim1>: block_size(k) }"), (MIXED, "Space A <1d> { x<dim1>, y<dim1>: block_size(k) }"), *SAME[2:])
# Parts, processes, tasks on processors, region of x, and arrays that go there and that come back for so many rounds, where that is a number of arrays.
CASES = ((SAME, 2, (), None, lambda rounds: (2, 1)),
         (SAME, 3, (), None, lambda rounds: (2, 1)),
         (SAME, 2, ("Mix",), None, lambda rounds: (1 + rounds, 1 + rounds)),       # as in one process
         (SAME, 2, ("Shift",), None, lambda rounds: (1 + rounds, rounds)),         # x comes in each round, and goes again in all but the last
         (SAME, 2, (), "SYSMEM", lambda rounds: (2 + 2 * rounds, 1 + 2 * rounds)), # x to and fro in each execution, but that nobody has made it at first
         (SAME, 2, (), "ZCMEM", lambda rounds: (2, 0)),
         (WHOLE, 2, (), None, None),
         (WHOLE, 3, (), None, None),
         (ACROSS, 3, (), None, None))
ROUNDS = (1, 5)


def compile_text(options, folder, text, mapping_text, model):
    for name, content in (("t.hp5", text), ("t.map", mapping_text)):
        with open(f"{folder}/{name}", "w", encoding="utf-8") as out:
            out.write(content)
    subprocess.run([options.hp5c, f"{folder}/t.hp5", "--map", f"{folder}/t.map", "--model", f"{HERE}/models/{model}.pcubes", "--nvcc", f"{HERE}/nvcc",
                    "--cc-flag=-O0", "-o", f"{folder}/t"], check=True)


def run(options, folder, ranks, words):
    """What has gone to cards and back, in bytes of arrays of all processes; the result."""
    words = [f"{folder}/t", *words, "--timing", "--machine", "Multi=1"]
    if ranks == 1:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    else:
        done = options.local.run(ranks, words, variables={"HP5_LOCAL_LATE": str(ranks % 3)})
    if done.returncode != 0:
        raise RuntimeError(f"status {done.returncode}\n{done.stderr}")
    found = re.findall(r"^to cards went (\d+) bytes of arrays, and back (\d+);", done.stderr, re.M)
    return tuple(sum(int(pair[way]) for pair in found) for way in (0, 1)), np.load(f"{folder}/result.npy")


def run_parts(options, folder, case):
    parts, ranks, hosted, region, arrays = case
    with open(f"{HERE}/traffic.hp5", encoding="utf-8") as file:
        text = file.read()
    for before, after in parts:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    compile_text(options, folder, text, mapping(hosted, "Warp", None, region), "cluster-both")
    given = np.random.default_rng(ranks).random(EXTENTS)
    np.save(f"{folder}/given.npy", given)
    wrong, moved = [], {}
    for rounds in ROUNDS:
        moved[rounds], result = run(options, folder, ranks, (f"given={folder}/given.npy", "k=13", f"rounds={rounds}", f"result={folder}/result.npy"))
        if not np.array_equal(result, expected(given, rounds)):
            wrong.append(f"{rounds} rounds: the result is wrong")
    for rounds in ROUNDS if arrays else ():
        wanted = tuple(count * given.nbytes for count in arrays(rounds))
        if moved[rounds] != wanted:
            wrong.append(f"{rounds} rounds: {moved[rounds]} bytes went to the cards and back, not {wanted}")
    if not arrays: # the input, with what lies between parts; what lies in other processes, at each change of parts but the first one; the result and the same, back
        once, inputs = moved[1][1] - given.nbytes, moved[1][0] - moved[1][1] + given.nbytes
        changes = (2 * ROUNDS[1] - 1) * once
        wanted = inputs + changes, given.nbytes + changes
        if not (0 < once < given.nbytes and 2 * given.nbytes <= inputs < 3 * given.nbytes) or moved[ROUNDS[1]] != wanted:
            wrong.append(f"{moved} bytes went to the cards and back, not {wanted} in {ROUNDS[1]} rounds")
    return [f"case {CASES.index(case) + 1}, {ranks} processes: {text}" for text in wrong]


# ---- Padded parts that are the array --------------------------------------------------------------------------------------------

PADDED = '''Program (args) {
    push = new TaskEnvironment(name: "Push")
    bind_input(push, "x", args.given)
    do in sequence { execute(task: "Push"; environment: push; partition: args.k) } for r in [1...args.rounds]
    bind_output(push, "x", args.result)
}

Task "Push":
    Define:
        x: 1d Array of Real double-precision
    Environment:
        x: link
    Stages:
        push(x) {
            first = x.local.dimension1.range.min
            do { x[i] at (current) = x[i - 1] at (current - 1) } for i in x and i > first
        }
    Computation:
        Repeat for r in [1...2] { Space A { Epoch { push(x) } } }
    Partition (k):
        Space A <1d> { x: block_size(k) padding(1) }
'''
LENGTH = 97


def run_padded(options, folder, ranks):
    compile_text(options, folder, PADDED, '"Push" { Model: Card Space A: Warp }\n', "both" if ranks == 1 else "cluster-both")
    given = np.random.default_rng(ranks).random(LENGTH)
    np.save(f"{folder}/given.npy", given)
    wrong, moved = [], {}
    for rounds in ROUNDS:
        moved[rounds], result = run(options, folder, ranks, (f"given={folder}/given.npy", "k=13", f"rounds={rounds}", f"result={folder}/result.npy"))
        pushed = np.concatenate((np.full(min(2 * rounds, LENGTH), given[0]), given[:-2 * rounds]))
        if not np.array_equal(result, pushed):
            wrong.append(f"{rounds} rounds: the result is wrong")
    parts = -(-LENGTH // 13)
    whole = (LENGTH + 2 * (parts - 1)) * given.itemsize # with the padding
    between = tuple((moved[ROUNDS[1]][way] - moved[1][way]) // (ROUNDS[1] - 1) for way in (0, 1)) # of an execution: what neighbours in other processes exchange
    most = 2 * (ranks - 1) * 2 * 2 * given.itemsize # both ways, two rounds, at most two versions
    if any(moved[1][way] != whole + between[way] for way in (0, 1)) or any(each > most for each in between) or (ranks == 1 and between != (0, 0)):
        wrong.append(f"{moved} bytes went to the cards and back: {whole} and, of each execution, at most {most} were to")
    return [f"padded parts, {ranks} processes: {text}" for text in wrong]


# ---- Parts with gaps ------------------------------------------------------------------------------------------------------------

DEALT = '''Program (args) {
    scale = new TaskEnvironment(name: "Scale")
    mix = new TaskEnvironment(name: "Mix")
    bind_input(scale, "given", args.given)
    execute(task: "Scale"; environment: scale; partition: args.k)
    mix.x = scale.x
    do in sequence { execute(task: "Mix"; environment: mix; partition: args.k) } for r in [1...args.rounds]
    bind_output(mix, "x", args.result)
}

Task "Scale":
    Define:
        given, x: 2d Array of Real double-precision
    Environment:
        given: link
        x: create
    Initialize:
        x.dimension1.range = given.dimension1.range
        x.dimension2.range = given.dimension2.range
    Stages:
        scale(x, given) { do { x[i][j] = 2.0 * given[i][j] } for i, j in x }
    Computation:
        Space A { scale(x, given) }
    Partition (k):
        Space A <1d> { given<dim1>, x<dim1>: stride(k) }

Task "Mix":
    Define:
        x: 2d Array of Real double-precision
    Environment:
        x: link
    Stages:
        mix(x) { do { x[i][j] = 3.0 * x[i][j] - 1.0 } for i, j in x }
    Computation:
        Space A { mix(x) }
    Partition (k):
        Space A <1d> { x<dim2>: stride(k) }
'''
# The first card's stages work on two rows in each round, whichever card has them.
SWAPPED = '''Program (args) {
    swap = new TaskEnvironment(name: "Swap")
    bind_input(swap, "given", args.given)
    execute(task: "Swap"; environment: swap; partition: args.k)
    bind_output(swap, "x", args.result)
}

Task "Swap":
    Define:
        given, x: 2d Array of Real double-precision
        kept: 1d Array of Real double-precision
        k, other: Integer
    Environment:
        given: link
        x: create
    Initialize:
        x.dimension1.range = given.dimension1.range
        x.dimension2.range = given.dimension2.range
        kept.dimension1.range = given.dimension2.range
    Stages:
        start(x, given) { do { x[i][j] = 2.0 * given[i][j] } for i, j in x }
        choose(other, k) { other = (7 * k + 11) % 480 }
        swap(x, kept, k, other) {
            do {
                kept[j] = x[other][j]
                x[other][j] = x[k][j]
                x[k][j] = kept[j]
            } for j in kept
        }
        grow(x) { do { x[i][j] = 3.0 * x[i][j] - 1.0 } for i, j in x }
    Computation:
        Space A {
            Space B { start(x, given) }
            Repeat for k in [3...9] {
                choose(other, k)
                swap(x, kept, k, other)
                Space B { grow(x) }
            }
        }
    Partition (parts):
        Space A <un-partitioned> { x, kept }
        Space B <1d> divides Space A partitions { given<dim1>, x<dim1>: stride(parts) }
'''
MANY = 480, 60
# Processes, tasks whose rows or columns are dealt out, and the card's memory, in arrays, for which there is room (three parts of an array, and records), and for which
# there is none.
DEALS = ((DEALT, 3, 1.7, 0.6), (DEALT, 4, 1.4, 0.4), (SWAPPED, 4, 1.4, 0.7))


def grown(given):
    return 3.0 * (3.0 * (2.0 * given) - 1.0) - 1.0


def swapped(given):
    x = 2.0 * given
    for k in range(3, 10):
        other = (7 * k + 11) % MANY[0]
        x[[k, other]] = x[[other, k]]
        x = 3.0 * x - 1.0
    return x


def run_dealt(options, folder, case):
    """A card has memory for the rows and columns that its process has, and for nothing between them."""
    program, ranks, enough, little = case
    mapped, result = (('"Scale" { Model: Card Space A: Warp } "Mix" { Model: Card Space A: Warp }\n', grown) if program == DEALT
                      else ('"Swap" { Model: Card Space A: Cluster Space B: Warp }\n', swapped))
    compile_text(options, folder, program, mapped, "cluster-both")
    given = np.random.default_rng(ranks).random(MANY)
    np.save(f"{folder}/given.npy", given)
    words = f"given={folder}/given.npy", "k=12", *(["rounds=2"] if program == DEALT else []), f"result={folder}/result.npy"
    wrong = []
    for arrays in (enough, little):
        os.environ["HP5_SIM_MEMORY"] = str(int(arrays * given.nbytes))
        try:
            found = np.array_equal(run(options, folder, ranks, words)[1], result(given))
            if not found or arrays == little:
                wrong.append(f"with memory for {arrays} arrays, {'there was room' if found else 'the result is wrong'}")
        except RuntimeError as error:
            if arrays == enough or "the card has no memory for its arrays" not in str(error):
                wrong.append(f"with memory for {arrays} arrays: {error}")
        del os.environ["HP5_SIM_MEMORY"]
    return [f"rows dealt out, {ranks} processes: {text}" for text in wrong]


# Rounds between which nobody but the first card's stages works: they get many more rows than there is room for at the same time. In one LPU, and in one for each column, which
# may have more rows at the same time than are used again.
LED = SWAPPED.replace("[3...9]", "[3...400]").replace("                Space B { grow(x) }\n            }\n", "            }\n            Space B { grow(x) }\n")
COLUMNS = LED.replace("Space A <un-partitioned> { x, kept }", "Space A <1d> { x<dim2>, kept: block_size(1) }")


def led(given):
    x = 2.0 * given
    for k in range(3, 401):
        other = (7 * k + 11) % MANY[0]
        x[[k, other]] = x[[other, k]]
    return 3.0 * x - 1.0


def run_led(options, folder, program):
    assert program.count("grow(x) }") == 1 and "[3...400]" in program and (program == LED or "block_size(1)" in program)
    compile_text(options, folder, program, '"Swap" { Model: Card Space A: Cluster Space B: Warp }\n', "cluster-both")
    given = np.random.default_rng(3).random(MANY)
    np.save(f"{folder}/given.npy", given)
    _, result = run(options, folder, 3, (f"given={folder}/given.npy", "k=12", f"result={folder}/result.npy"))
    return [] if np.array_equal(result, led(given)) else ["many rows for the first card's stages: the result is wrong"]


# ---- Products of parts with gaps ------------------------------------------------------------------------------------------------

def run_product(options, folder, name):
    """They are computed in tiles (their results: processes-strides)."""
    with open(f"{folder}/t.map", "w", encoding="utf-8") as out:
        out.write('"Product" { Model: Card Space A: Multi Space B: Multi }\n' if "moved" in name else '"Product" { Model: Card Space A: Multi }\n')
    subprocess.run([options.hp5c, "-S", f"{ROOT}/tests/language/run/{name}.hp5", "--map", f"{folder}/t.map", "--model", f"{HERE}/models/cluster-both.pcubes",
                    "-o", f"{folder}/t.c"], check=True)
    with open(f"{folder}/t.cu", encoding="utf-8") as file:
        text = file.read()
    return [] if "hp5_multiply_double(crew, &c[c_places1[i] * c_ld1 + c_places2[j]], c_ld1," in text else [f"{name}: a product of rows that are dealt out is not computed in tiles"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    options = parser.parse_args()
    os.environ["HP5_SIM_HEADERS"] = shared.folder(options.hp5c)
    options.hp5c = os.path.abspath(options.hp5c)
    wrong = []
    with tempfile.TemporaryDirectory(prefix="hp5-traffic-") as common:
        options.local = launch.Local(common)
        for one, cases in ((run_parts, CASES), (run_padded, (1, 2, 3)), (run_dealt, DEALS), (run_led, (LED, COLUMNS)), (run_product, ("multiply_strided", "multiply_strided_moved"))):
            for case in cases:
                with tempfile.TemporaryDirectory(prefix="hp5-traffic-") as folder:
                    wrong += one(options, folder, case)
    print("\n".join(wrong) or f"{len(CASES) + 3 + len(DEALS) + 4} cases passed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
