#!/usr/bin/env python3
"""Do arrays go to a card, and back, no oftener than tasks and files want them? Bytes that --timing reports, and results, of traffic.hp5.

    check_traffic.py --hp5c HP5C

All tasks on the card: the input goes there and the output comes back, however often the tasks run. One of them on processors: what it
works on comes back for it, and goes again for the others where it has changed it.

A task whose stages are partly the host's (mappings/*/hybrid.map): what these stages touch goes to and fro, and no more. LU's exchange of two rows
touches these, the pivot row, and two elements of the permutation.
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
sys.path.insert(0, f"{ROOT}/tests/tools")
import shared  # noqa: E402
EXTENTS = (90, 70)
TASKS = ("Scale", "Mix", "Shift")
# Tasks on processors, the parts' PPUs on the card, rounds; arrays that go there, and that come back; which task has x in columns.
CASES = (((), "Warp", 1, 1, 1),
         ((), "Warp", 5, 1, 1),
         ((), "Multi", 5, 1, 1),
         ((), "Card", 3, 1, 1),
         (("Scale",), "Warp", 5, 2, 1),          # x and the input go there once
         (("Mix",), "Warp", 5, 6, 6),            # the input; then x to and fro in each round, and once for the file
         (("Shift",), "Warp", 5, 5, 5),          # the input; x comes in each round, and goes again in all but the last
         ((), "Warp", 3, 7, 7, "Mix"),           # laid out anew twice in each round, on processors
         (TASKS, "Warp", 5, 0, 0))


def mapping(hosted, level, columns):
    def where(task):
        place = "Model: Host Space A: Core" if task in hosted else f"Model: Card Space A: {level}"
        return place + (" Layout x: F_order" if task == columns else "")
    return "\n".join(f'"{task}" {{ {where(task)} }}' for task in TASKS) + "\n"


def expected(given, rounds):
    x = 2.0 * given
    for _ in range(rounds):
        x = 0.5 * x + given
        for _ in range(2):
            x = np.concatenate((x[:1], x[:-1]))
    return x


def run(options, folder, case):
    hosted, level, rounds, there, back, columns = (*case, None)[:6]
    with open(f"{folder}/t.map", "w", encoding="utf-8") as out:
        out.write(mapping(hosted, level, columns))
    subprocess.run([options.hp5c, f"{HERE}/traffic.hp5", "--map", f"{folder}/t.map", "--model", f"{HERE}/models/both.pcubes", "--nvcc", f"{HERE}/nvcc",
                    "--cc-flag=-O0", "-o", f"{folder}/t"], check=True)
    given = np.random.default_rng(rounds).random(EXTENTS)
    np.save(f"{folder}/given.npy", given)
    done = subprocess.run([f"{folder}/t", "given=given.npy", "k=13", f"rounds={rounds}", "result=result.npy", "--timing"], cwd=folder, capture_output=True, text=True,
                          check=True)
    found = re.search(r"^to cards went (\d+) bytes of arrays, and back (\d+);", done.stderr, re.M)
    moved = tuple(int(count) // given.nbytes if int(count) % given.nbytes == 0 else count for count in found.groups()) if found else (0, 0)
    wrong = []
    if moved != (there, back):
        wrong.append(f"{moved[0]} arrays went to the card and {moved[1]} back, not {there} and {back}")
    if not np.array_equal(np.load(f"{folder}/result.npy"), expected(given, rounds)):
        wrong.append("the result is wrong")
    return [f"{case}: {text}" for text in wrong]


# ---- Stages of the host ----------------------------------------------------------------------------------------------------------
REAL, INTEGER = 8, 8 # bytes of an element


def lu_bytes(n):
    """To the card, and back: the matrix or its factors and the permutation once, and what each of n rounds exchanges."""
    rounds = n * (3 * n * REAL + 2 * INTEGER)
    return n * n * REAL + n * INTEGER + rounds, rounds + n * n * REAL + n * INTEGER


def beside(inputs):
    v, u = inputs["v"].copy(), inputs["u"].copy()
    before = u.copy()  # the version that the end of the last Epoch left
    for r in range(20):
        v[r] *= 2.0 * inputs["factors"][r]
        if r % 2 == 0:
            v[r + 1] = 0.5
        u[r], u[r + 1] = before[r + 1], 7.0
        before = u.copy()
        v += 3.0 * r + 3.0
        u += 1.0
    return {"result": v, "shifted": u}


# Program, mapping, arguments, inputs, bytes to the card and back, what the result is: of a program of programs/ other tests look at that. In beside.hp5 factors go
# to the card and come back once, for the stage that wants them; in each round stages of the host take five elements and give four.
HOSTED = ((f"{ROOT}/programs/lu/lu.hp5", f"{ROOT}/mappings/lu/hybrid.map", ("a=a.npy", "parts=5", "lu=lu.npy", "p=p.npy"), {"a": (40, 40)}, lu_bytes(40), None),
          (f"{HERE}/beside.hp5", '"Double" { Model: Hybrid Space A: Warp } "Beside" { Model: Hybrid Space A: Node Space B: Warp }',
           ("v=v.npy", "u=u.npy", "factors=factors.npy", "rounds=20", "k=7", "result=result.npy", "shifted=shifted.npy"),
           {"v": (50,), "u": (50,), "factors": (50,)}, ((3 * 50 + 20 * 4) * REAL, (20 * 5 + 3 * 50) * REAL), beside))


def run_hosted(options, folder, case):
    program, mapping, words, extents, wanted, result = case
    if result is not None:
        with open(f"{folder}/t.map", "w", encoding="utf-8") as out:
            out.write(mapping)
        mapping = f"{folder}/t.map"
    subprocess.run([options.hp5c, program, "--map", mapping, "--model", f"{ROOT}/pcubes-models/h200.pcubes", "--nvcc", f"{HERE}/nvcc", "--cc-flag=-O0",
                    "-o", f"{folder}/t"], check=True)
    inputs = {name: np.random.default_rng(number).random(shape) for number, (name, shape) in enumerate(extents.items())}
    for name, array in inputs.items():
        np.save(f"{folder}/{name}.npy", array)
    done = subprocess.run([f"{folder}/t", *words, "--timing", "--machine", "SM=3,Warp=3"], cwd=folder, capture_output=True, text=True, check=True)
    found = re.search(r"^to cards went (\d+) bytes of arrays, and back (\d+);", done.stderr, re.M)
    moved = tuple(int(count) for count in found.groups())
    name = os.path.basename(program)
    wrong = [] if moved == wanted else [f"{name}: {moved[0]} bytes went to the card and {moved[1]} back, not {wanted[0]} and {wanted[1]}"]
    for file, array in (result(inputs) if result is not None else {}).items():
        if not np.array_equal(np.load(f"{folder}/{file}.npy"), array):
            wrong.append(f"{name}: {file} is wrong")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    options = parser.parse_args()
    os.environ["HP5_SIM_HEADERS"] = shared.folder(options.hp5c)
    options.hp5c = os.path.abspath(options.hp5c)
    wrong = []
    for one, cases in ((run, CASES), (run_hosted, HOSTED)):
        for case in cases:
            with tempfile.TemporaryDirectory(prefix="hp5-traffic-") as folder:
                wrong += one(options, folder, case)
    print("\n".join(wrong) or f"{len(CASES) + len(HOSTED)} cases passed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
