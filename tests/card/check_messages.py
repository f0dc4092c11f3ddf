#!/usr/bin/env python3
"""What is said of tasks on cards that cannot run, with full texts: by hp5c (E1304, a missing nvcc), and by programs.

    check_messages.py --hp5c HP5C [--show]

messages.txt has what each case below prints. --show writes the file anew.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, f"{ROOT}/tests/tools")
import shared  # noqa: E402
MESSAGES = os.path.join(HERE, "messages.txt")

PROGRAM = """Task "T":
    Define:
        v, w: 1d Array of Real double-precision
        places: 1d Array of Integer
        rounds: Integer
    Environment:
        v: link
        w: link
        places: link
    Initialize ():
        rounds = 1 %(initialize)s
    Stages:
        work(%(parameters)s) {
            %(work)s
        }
        %(more)s
    Computation:
        %(root)s Space A { %(own)s %(below)s }
    Partition (k):
        %(spaces)s

%(functions)s
Program (args) {
    job = new TaskEnvironment(name: "T")
    bind_input(job, "v", args.v)
    bind_input(job, "w", args.w)
    bind_input(job, "places", args.places)
    execute(task: "T"; environment: job; partition: args.k)
    bind_output(job, "v", args.out)
}
"""
PLAIN = {"work": "do { v[i] = v[i] + 1.0 } for i in v", "parameters": "v", "below": "", "functions": "", "more": "", "root": "", "own": "", "initialize": "",
         "spaces": "Space A <1d> { v: block_size(k)\n            w: block_size(k)\n            places: block_size(k) }"}
MAP = "Space A: Warp"
HOSTED = """Machine "Node with cores and a card"
Space 5: Node (1)
Space 4: Socket (2) { compute: 8 ops 2 GHz }
Space 3<gpu>: Card (1)
Space 2: Multi (3)
Space 1: Warp (3) { compute: 32 ops 1 GHz }
"""
ONE = HOSTED.replace("Socket (2)", "Socket (1)")
SEGMENTS = ONE.replace("Space 5: Node (1)", "Space 6: Cluster (1)\nSpace 5<segment>: Node (3)")
TWO = """Machine "Two cards"
Space 4: Node (1)
Space 3<gpu>: Card (2)
Space 2: Multi (3)
Space 1: Warp (3) { compute: 32 ops 1 GHz }
"""
LANES = """Machine "Lanes"
Space 5: Node (1)
Space 4<gpu>: Card (1)
Space 3: Multi (3)
Space 2: Warp (3) { compute: 32 ops 1 GHz }
Space 1: Lane (32) { compute: 1 ops 1 GHz }
"""
CLUSTER = """Machine "Nodes with cards"
Space 5: Cluster (1)
Space 4<segment>: Node (2)
Space 3<gpu>: Card (2)
Space 2: Multi (3)
Space 1: Warp (3) { compute: 32 ops 1 GHz }
"""

TWICE = """Function twice(x) {
    y = x
    @Extern { @Language "%s" ${ y = 2 * y; }$ }
    return y
}
"""
GROWN = """Function grown(n) {
    list = new List of Integer
    do in sequence { list[i] = i } for i in [0...n - 1]
    return list
}
"""
MANY = """Function one(n) {
    list = grown(20)
    return list[n % 20]
}
Function all(n) {
    sum = 0
    do in sequence {
        list = grown(20)
        sum = sum + list[j % 20] + one(j)
    } for j in [1...n]
    return sum
}
"""
SHOW = """show(v) {
            do { v[i] = v[i] + 1.0 } for i in v
        }"""

# name, what differs from PLAIN, mapping, model
BELOW = {"below": "Space B { work(v) }", "spaces": PLAIN["spaces"] + "\n        Space B <1d> divides Space A partitions { v: block_size(2) }"}
REFUSED = (
    ("the second PPU of the host", BELOW, "Space A: Socket[1]\n    Space B: Warp", HOSTED),
    ("the second process's host", BELOW, "Space A: Node[1...2]\n    Space B: Warp", SEGMENTS),
    ("parts of two cards", {}, "Space A: Multi[2...4]", TWO),
    ("parts of the cards of two nodes", {}, "Space A: Multi[2...4]", SEGMENTS),
    ("parts of the two cards of two nodes", {}, "Space A: Multi[2...4]", CLUSTER),
    ("an element that a condition of all threads changes", {"work": "if (next(v[0]) > 1.0) { do { v[i] = 1.0 } for i in v }",
                                                            "functions": "Function next(&x) {\n    x = x + 1.0\n    return x\n}\n"}, MAP, None),
    ("an element that a step of all threads changes", {"work": "do in sequence { do { v[i] = v[i] + j } for i in v } for j in [1...5] step grow(v[0])",
                                                       "functions": "Function grow(&x) {\n    x = x + 1.0\n    return 2\n}\n"}, MAP, None),
    ("a list in a condition of all threads", {"work": "list = grown(1)\n            if (add(list, 1) > 1) { do { v[i] = 1.0 } for i in v }",
                                              "functions": GROWN + "Function add(list, at) {\n    list[at] = 1\n    return at\n}\n"}, MAP, None),
    ("code in C on a card", {"work": "@Extern { @Language \"C\" ${ v[0] = 1; }$ }"}, MAP, None),
    ("code in C++ of a function on a card", {"work": "do { v[i] = twice(v[i]) } for i in v", "functions": TWICE % "C++"}, MAP, None),
    ("code in CUDA on processors", {"work": "@Extern { @Language \"CUDA\" ${ v[0] = 1; }$ }"}, "Space A: Socket", HOSTED),
    ("code in CUDA of a function on processors", {"work": "do { v[i] = twice(v[i]) } for i in v", "functions": TWICE % "CUDA"}, "Space A: Socket", HOSTED),
    ("code in CUDA on the host", dict(BELOW, work="@Extern {\n                @Language \"CUDA\"\n                ${ v[0] = 1; }$\n            }",
                                      below="Space B { show(v) }", more=SHOW), "Space A: Socket\n    Space B: Warp", ONE),
    ("code in CUDA in Initialize", {"initialize": "@Extern { @Language \"CUDA\" ${ rounds = 2; }$ }"}, MAP, None),
    ("code in C of a condition on a card", {"own": "Repeat while twice(rounds) < 5 { work(v) }", "functions": TWICE % "C"}, MAP, None),
)
# name, what differs, variables of the environment, arguments; other mapping and model
FAILING = (
    ("no card", {}, {"HP5_SIM_CARDS": "0"}, []),
    ("an old card", {}, {"HP5_SIM_KIND": "35"}, []),
    ("another card", {}, {"HP5_SIM_KIND": "75"}, []),
    ("an index outside", {"work": "do { v[i] = w[places[i]] } for i in v", "parameters": "v, w, places",
                          "spaces": PLAIN["spaces"].replace("w: block_size(k)", "w: replicated")}, {}, []),
    ("a division by zero", {"work": "do { v[i] = 7 / places[i] } for i in v", "parameters": "v, places"}, {}, []),
    ("a division by zero on the host", dict(BELOW, work="do { v[i] = 7 / places[i] } for i in v", parameters="v, places", below="Space B { show(v) }", more=SHOW), {}, [], "Space A: Socket\n    Space B: Warp", ONE),
    ("no memory for lists", {"work": "do { list = grown(200000)\n                v[i] = list[9] } for i in v", "functions": GROWN}, {"HP5_CARD_LISTS": "1"}, []),
    ("no memory for a list", {"work": "do { list = grown(1)\n                v[i] = list[0] } for i in v", "functions": GROWN}, {"HP5_CARD_LISTS": "0"}, []),
    ("lists of many rounds", {"work": "do { v[i] = all(3000) } for i in v", "functions": GROWN + MANY}, {"HP5_CARD_LISTS": "1"}, []),
    ("no size for lists", {"work": "do { v[i] = all(3) } for i in v", "functions": GROWN + MANY}, {"HP5_CARD_LISTS": "much"}, []),
    ("--print-mapping", {}, {}, ["--print-mapping", "--machine", "Multi=200,Warp=32"]),
    ("lanes left out", {}, {}, ["--machine", "Lane=8"], "Space A: Lane", LANES),
    ("no size of memory", {}, {}, ["--machine", "Card.memory=2"]),
    ("memory of no card", {}, {}, ["--machine", "Multi=2,Warp.memory=1MB"]),
    ("a smaller card", {}, {}, ["--machine", "Multi=2,Card.memory=4KB"], "Space A: Multi\n    Region v: STAGED", None),
    ("no room for parts", {}, {"HP5_SIM_LEFT": "1000"}, [], "Space A: Multi\n    Region v: STAGED", None),
    ("parts with gaps", {"spaces": "Space A <1d> { v, w, places: stride() }", "parameters": "v, w", "work": "do { v[i] = w[i] + 1.0 } for i in v"}, {}, [], "Space A: Multi\n    Region w: STAGED", None),
)


def program(changes):
    texts = dict(PLAIN, **changes)
    return PROGRAM % dict(texts, own=texts["own"] or f"work({texts['parameters']})")


def compiled(options, folder, changes, mapping, model, *more):
    for name, text in (("t.hp5", program(changes)), ("t.map", '"T" {\n    ' + mapping + "\n}\n"),
                       ("t.pcubes", model or open(f"{HERE}/models/small.pcubes", encoding="utf-8").read())):
        with open(f"{folder}/{name}", "w", encoding="utf-8") as out:
            out.write(text)
    return subprocess.run([options.hp5c, "t.hp5", "--map", "t.map", "--model", "t.pcubes", *more], cwd=folder, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)


def said(options):
    import numpy
    with tempfile.TemporaryDirectory(prefix="hp5-card-") as folder:
        for name, changes, mapping, model in REFUSED:
            done = compiled(options, folder, changes, mapping, model, "--check-only")
            yield name, done.returncode, done.stderr
        done = compiled(options, folder, {}, MAP, None, "--smpi", "--check-only")
        yield "--smpi", done.returncode, done.stderr
        done = compiled(options, folder, {}, MAP, None, "--nvcc", "no-such-nvcc", "-o", "t")
        yield "no nvcc", done.returncode, done.stderr
        done = compiled(options, folder, {}, MAP, None, "--nvcc", f"{HERE}/nvcc", "--gpu-arch", "sm_9", "-o", "t")
        yield "no such cards", done.returncode, done.stderr.replace(HERE, "…")
        done = compiled(options, folder, {}, f"{MAP}\n    Region v: STAGED", None, "-S", "-o", "t.c")
        yield "parts for warps", done.returncode, done.stderr
        done = compiled(options, folder, {}, MAP, None, "--gpu-arch", "sm_35", "-o", "t")
        yield "cards that are too old", done.returncode, done.stderr
        numpy.save(f"{folder}/v.npy", numpy.arange(10.0))
        numpy.save(f"{folder}/places.npy", numpy.array([0, 1, 2, 3, 99, 5, 6, 7, 8, 0]))
        for name, changes, variables, words, *where in FAILING:
            done = compiled(options, folder, changes, *(where or (MAP, None)), "--nvcc", f"{HERE}/nvcc", "-o", "t")
            if done.returncode != 0:
                sys.exit(f"{name}: {done.stderr}")
            done = subprocess.run(["./t", "v=v.npy", "w=v.npy", "places=places.npy", "k=5", "out=o.npy", *words], cwd=folder, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, env=dict(os.environ, **variables))
            yield name, done.returncode, done.stderr
            left = [file for file in os.listdir(folder) if file.startswith("o.npy")]
            if left and done.returncode != 0:
                sys.exit(f"{name}: files are left: {left}")
            for file in left:
                os.remove(f"{folder}/{file}")
        check_blocks(options, folder)


def check_blocks(options, folder):
    """Two blocks of 96 threads for each multiprocessor: four warps are two blocks of two, since three do not divide them; of seven there are six."""
    import numpy
    done = compiled(options, folder, {}, MAP, None, "--nvcc", f"{HERE}/nvcc", "-o", "t")
    if done.returncode != 0:
        sys.exit(done.stderr)
    warned = 't: warning: task "T": 6 PPUs of Warp in place of 7, which is what the card can run at once\n'
    for warps, message in ((4, ""), (7, warned)):
        done = subprocess.run(["./t", "v=v.npy", "w=v.npy", "places=places.npy", "k=1", "out=o.npy", "--machine", f"Multi=2,Warp={warps}"], cwd=folder,
                              capture_output=True, text=True, env=dict(os.environ, HP5_SIM_RESIDENT="192"))
        if done.returncode != 0 or done.stderr != message or not numpy.array_equal(numpy.load(f"{folder}/o.npy"), numpy.arange(10.0) + 1):
            sys.exit(f"{warps} warps for each multiprocessor: {done.stderr or 'elements are wrong'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    os.environ["HP5_SIM_HEADERS"] = shared.folder(options.hp5c)
    options.hp5c = os.path.abspath(options.hp5c)
    text = "".join(f"== {name}: status {status}\n{message}" for name, status, message in said(options))
    if options.show:
        with open(MESSAGES, "w", encoding="utf-8") as out:
            out.write(text)
        return 0
    with open(MESSAGES, encoding="utf-8") as file:
        expected = file.read()
    if text != expected:
        print(f"expected:\n{expected}\nfound:\n{text}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
