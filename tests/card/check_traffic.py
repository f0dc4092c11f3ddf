#!/usr/bin/env python3
"""Do arrays go to a card, and back, no oftener than tasks and files want them? Bytes that --timing reports, and results, of traffic.hp5.

    check_traffic.py --hp5c HP5C

All tasks on the card: the input goes there and the output comes back, however often the tasks run. One of them on processors: what it
works on comes back for it, and goes again for the others where it has changed it.

One of the arrays in another memory (Region): the host's, which the card reads and writes, where nothing goes to and fro, and which has arrays for which the card has
no room; the host's, of which the card has a copy for each execution.

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
         (TASKS, "Warp", 5, 0, 0),
         ((), "Warp", 5, 1, 0, None, "ZCMEM"),
         (("Mix",), "Card", 5, 1, 0, None, "ZCMEM"),
         ((), "Warp", 5, 11, 11, None, "SYSMEM"), # x to and fro in each execution, but that nobody has made it at first
         ((), "Node", 3, 1, 0, None, "ZCMEM"),   # which does not compute: its card does
         ((), "Multi", 3, 1, 0, "Mix", "ZCMEM"),
         ((), "Multi", 5, 6, 6, None, "STAGED"), # x back from Scale, and to and fro in Mix; the versions of Shift stay on the host
         (("Mix",), "Card", 5, 1, 1, None, "STAGED"),
         ((), "Warp", 3, 1, 0, None, "STAGED"))  # whose parts do not come
# Regions of given and x, bytes of the card's memory in thousands, and whether there is room.
ROOMS = (("FBMEM", "FBMEM", 300, True), ("FBMEM", "FBMEM", 150, False), ("SYSMEM", "SYSMEM", 150, True), ("ZCMEM", "SYSMEM", 170, True), ("ZCMEM", "ZCMEM", 60, True),
         ("ZCMEM", "SYSMEM", 60, False))


def mapping(hosted, level, columns, region):
    def where(task):
        place = "Model: Host Space A: Core" if task in hosted else f"Model: Card Space A: {level}"
        return place + (" Layout x: F_order" if task == columns else "") + (f" Region x: {region}" if region and task not in hosted else "")
    return "\n".join(f'"{task}" {{ {where(task)} }}' for task in TASKS) + "\n"


def expected(given, rounds):
    x = 2.0 * given
    for _ in range(rounds):
        x = 0.5 * x + given
        for _ in range(2):
            x = np.concatenate((x[:1], x[:-1]))
    return x


def compile_traffic(options, folder, program=f"{HERE}/traffic.hp5"):
    subprocess.run([options.hp5c, program, "--map", f"{folder}/t.map", "--model", f"{HERE}/models/both.pcubes", "--nvcc", f"{HERE}/nvcc",
                    "--cc-flag=-O0", "-o", f"{folder}/t"], check=True)


def run(options, folder, case):
    hosted, level, rounds, there, back, columns, region = (*case, None, None)[:7]
    with open(f"{folder}/t.map", "w", encoding="utf-8") as out:
        out.write(mapping(hosted, level, columns, region))
    compile_traffic(options, folder)
    machine = ",".join((*(["Multi=2"] if len(hosted) < len(TASKS) else []), *(["Core=2"] if hosted else []))) # levels of both models
    given = np.random.default_rng(rounds).random(EXTENTS)
    np.save(f"{folder}/given.npy", given)
    done = subprocess.run([f"{folder}/t", "given=given.npy", "k=13", f"rounds={rounds}", "result=result.npy", "--timing",
                           "--machine", machine], cwd=folder, capture_output=True, text=True, check=True)
    found = re.search(r"^to cards went (\d+) bytes of arrays, and back (\d+);", done.stderr, re.M)
    moved = tuple(int(count) // given.nbytes if int(count) % given.nbytes == 0 else count for count in found.groups()) if found else (0, 0)
    wrong = []
    if moved != (there, back):
        wrong.append(f"{moved[0]} arrays went to the card and {moved[1]} back, not {there} and {back}")
    if not np.array_equal(np.load(f"{folder}/result.npy"), expected(given, rounds)):
        wrong.append("the result is wrong")
    return [f"{case}: {text}" for text in wrong]


def run_room(options, folder, case):
    of_given, of_x, thousands, fits = case
    with open(f"{folder}/t.map", "w", encoding="utf-8") as out:
        for task, arrays in zip(TASKS, (f"Region given: {of_given} Region x: {of_x}", f"Region y: {of_given} Region x: {of_x}", f"Region x: {of_x}")):
            out.write(f'"{task}" {{ Model: Card Space A: Warp {arrays} }}\n')
    compile_traffic(options, folder)
    given = np.random.default_rng(1).random(EXTENTS)
    np.save(f"{folder}/given.npy", given)
    done = subprocess.run([f"{folder}/t", "given=given.npy", "k=13", "rounds=3", "result=result.npy"], cwd=folder, capture_output=True, text=True,
                          env=dict(os.environ, HP5_SIM_MEMORY=str(1000 * thousands)))
    said = "the card has no memory for " in done.stderr and "Region a: STAGED" in done.stderr
    if fits:
        right = done.returncode == 0 and np.array_equal(np.load(f"{folder}/result.npy"), expected(given, 3))
    else:
        right = done.returncode == 1 and said and not os.path.exists(f"{folder}/result.npy")
    return [] if right else [f"{case}: status {done.returncode}\n{done.stderr}"]


TWO_NAMES = '''Program (args) {
    job = new TaskEnvironment(name: "Two Names")
    bind_input(job, "a", args.given)
    job.b = job.a
    execute(task: "Two Names"; environment: job; partition: args.k)
    bind_output(job, "c", args.result)
}

Task "Two Names":
    Define:
        a, b, c: 2d Array of Real double-precision
    Environment:
        a, b: link
        c: create
    Initialize:
        c.dimension1.range = a.dimension1.range
        c.dimension2.range = a.dimension2.range
    Stages:
        add(a, b, c) { do { c[i][j] = a[i][j] + b[i][j] } for i, j in c }
    Computation:
        Space A { add(a, b, c) }
    Partition (k):
        Space A <1d> { a<dim1>, b<dim1>, c<dim1>: block_size(k) }
'''
# Regions of the two names, and whether they go together.
NAMES = (("SYSMEM", "SYSMEM", True), ("ZCMEM", "ZCMEM", True), ("ZCMEM", "FBMEM", False))


def run_names(options, folder, case):
    of_a, of_b, together = case
    with open(f"{folder}/t.hp5", "w", encoding="utf-8") as out:
        out.write(TWO_NAMES)
    with open(f"{folder}/t.map", "w", encoding="utf-8") as out:
        out.write(f'"Two Names" {{ Model: Card Space A: Warp Region a: {of_a} Region b: {of_b} }}\n')
    compile_traffic(options, folder, f"{folder}/t.hp5")
    given = np.random.default_rng(1).random(EXTENTS)
    np.save(f"{folder}/given.npy", given)
    done = subprocess.run([f"{folder}/t", "given=given.npy", "k=13", "result=result.npy"], cwd=folder, capture_output=True, text=True)
    if together:
        right = done.returncode == 0 and np.array_equal(np.load(f"{folder}/result.npy"), 2.0 * given)
    else:
        right = done.returncode == 1 and done.stderr.startswith(
            't: task "Two Names": its environment names one data item both a and b, to which the mapping gives different memories; give them one \'Region\'\n')
    return [] if right else [f"{case}: status {done.returncode}\n{done.stderr}"]


# --machine of a program whose tasks have two models, and what is said.
LEVELS = (("multi=2", "the model of the machine has no level 'multi': did you mean Multi?"), ("core=2", "the model of the machine has no level 'core': did you mean Core?"),
          ("Rack=2", "the model of the machine has no level 'Rack'; it has Node, Core, Card, Multi, Warp"))


def run_levels(options, folder, case):
    machine, said = case
    with open(f"{folder}/t.map", "w", encoding="utf-8") as out:
        out.write(mapping(("Scale",), "Warp", None, None))
    compile_traffic(options, folder)
    np.save(f"{folder}/given.npy", np.zeros(EXTENTS))
    done = subprocess.run([f"{folder}/t", "given=given.npy", "k=13", "rounds=3", "result=result.npy", "--machine", machine], cwd=folder, capture_output=True, text=True)
    return [] if (done.returncode, done.stderr) == (2, f"t: --machine: {said}\n") else [f"{case}: status {done.returncode}\n{done.stderr}"]


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
    for one, cases in ((run, CASES), (run_room, ROOMS), (run_names, NAMES), (run_levels, LEVELS), (run_hosted, HOSTED)):
        for case in cases:
            with tempfile.TemporaryDirectory(prefix="hp5-traffic-") as folder:
                wrong += one(options, folder, case)
    print("\n".join(wrong) or f"{len(CASES) + len(ROOMS) + len(NAMES) + len(LEVELS) + len(HOSTED)} cases passed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
