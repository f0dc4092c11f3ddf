#!/usr/bin/env python3
"""hp5c's options, files and exit statuses, with the full texts of its messages.

    check.py --hp5c HP5C
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STENCIL = f"{ROOT}/programs/stencil/stencil.hp5"
LAPTOP = f"{ROOT}/pcubes-models/laptop.pcubes"
TASK = 'Task "T":\nDefine: x: 1d Array of Integer\nEnvironment: x: link\nStages: f(a) { do { a[i] = 1 } for i in a }\n' \
       "Computation: Space A { f(x) }\nPartition (k): Space A <1d> { x: block_size(k) }\n"

CASES = []


def case(name, arguments, status, stderr=None, stdout=None, files=None, environment=None, contains=None, contains_error=None):
    CASES.append((name, arguments, status, stderr, stdout, files or {}, environment or {}, contains, contains_error))


# ---- Options ------------------------------------------------------------------------------------------
case("no program", [], 2, "hp5c: error: no program is given [E1502]\n   help: hp5c program.hp5 compiles one; hp5c --help lists the options\n")
case("unknown option", ["--chek-only"], 2, "hp5c: error: unknown option '--chek-only' [E1502]\n   help: did you mean '--check-only'?\n")
case("far from any option", ["--zzz"], 2, "hp5c: error: unknown option '--zzz' [E1502]\n   help: hp5c --help lists the options\n")
case("missing value", ["--map"], 2, "hp5c: error: option '--map' needs a value: --map FILE [E1502]\n")
case("value for a flag", ["--checked=yes", "a.hp5"], 2, "hp5c: error: option '--checked' takes no value [E1502]\n")
case("option twice", ["--map", "a", "--map", "b", "a.hp5"], 2, "hp5c: error: option '--map' is given twice [E1502]\n")
case("two sources", ["a.hp5", "b.hp5"], 2,
     "hp5c: error: two source files are given: 'a.hp5' and 'b.hp5' [E1502]\n"
     "   help: a program is one file; its own arguments follow -- with --interpret, or go to the compiled program\n")
case("bad dump", ["--dump=tree", STENCIL], 2, "hp5c: error: --dump cannot be 'tree' [E1502]\n   help: give tokens, ast, typed, plan or loops\n")
case("bad sizes", ["--dump=plan", STENCIL, "--predict", "plate=10x"], 2, "hp5c: error: --predict wants an array and its size, as in a=1000x1000,b=50 [E1502]\n")
case("sizes of no array", ["--dump=plan", STENCIL, "--predict", "plates=10x10"], 2, "hp5c: error: --predict wants arrays of the program; no task has an array 'plates' [E1502]\n")
case("bad colour", ["--color=red", STENCIL], 2, "hp5c: error: --color cannot be 'red' [E1502]\n   help: give auto, always or never\n")
case("arguments without --interpret", [STENCIL, "--", "k=1"], 2,
     "hp5c: error: arguments after -- belong to --interpret; give them to the compiled program instead [E1502]\n")
case("a mapping of the interpreter", ["--interpret", STENCIL, "--", "plate=x", "result=y", "iterations=1", "k=1", "l=1", "m=1", "n=1", "p1=1", "p2=1", "--print-mapping"], 2,
     "stencil.hp5: --print-mapping is for compiled programs: the interpreter runs everything in one place\n")
case("evaluate a mapping expression", ["--model", f"{ROOT}/pcubes-models/quad-8core.pcubes", "--eval", "Machine(Core).decompose(1, (12, 18)).size"], 0, "", "(1, 4, 8)\n")
case("evaluate nonsense", ["--model", f"{ROOT}/pcubes-models/quad-8core.pcubes", "--eval", "Machine(Core)[0, 32]"], 1,
     "--eval:1:1: error: index (0, 32) is outside the processor space (1, 32) [E1224]\n    1 | Machine(Core)[0, 32]\n      | ^~~~~~~~~~~~~~~~~~~~\n")
case("help", ["--help"], 0, "", contains="--map FILE")
case("version", ["--version"], 0, "", "hp5c 0.1.0\n")
case("man page", ["--man-page"], 0, "", contains=".SH OPTIONS")
case("completion", ["--completion"], 0, "", contains="complete -F _hp5c hp5c")
case("explain", ["--explain", "e0201"], 0, "", contains="E0201")
case("explain what is not there", ["--explain", "E9999"], 2,
     "hp5c: error: there is no diagnostic code 'E9999' [E1502]\n"
     "   help: codes look like E0201 or W0901 and stand in brackets at the end of a message\n")

# ---- Files ---------------------------------------------------------------------------------------------
case("missing source", ["none.hp5"], 2,
     "hp5c: error: cannot read the program 'none.hp5': No such file or directory [E1501]\n   help: the path is taken from the current directory\n")
case("source is a folder", ["."], 2, "hp5c: error: cannot read the program '.': Is a directory [E1501]\n")
case("missing mapping", [STENCIL, "--map", "none.map", "--check-only"], 2,
     "hp5c: error: cannot read the mapping 'none.map': No such file or directory [E1501]\n   help: the path is taken from the current directory\n")
case("missing model", [STENCIL, "--model", "none.pcubes", "--check-only"], 2,
     "hp5c: error: cannot read the model 'none.pcubes': No such file or directory [E1501]\n   help: the path is taken from the current directory\n")
case("unwritable C text", ["-S", STENCIL, "--model", LAPTOP, "-o", "none/text.c"], 2,
     "hp5c: error: cannot write 'none/text.c': No such file or directory [E1501]\n")
case("no Program section", ["task.hp5", "--model", LAPTOP], 1,
     "hp5c: error: 'task.hp5' has no Program section, so there is nothing to run [E1503]\n"
     "   help: add `Program (args) { … }` that creates an environment and executes a task; --check-only needs none\n", files={"task.hp5": TASK})
case("no Program section, only checked", ["--check-only", "task.hp5"], 0, "", "", {"task.hp5": TASK})
case("a C compiler that is not there", [STENCIL, "--model", LAPTOP, "-o", "x", "--cc", "no-such-cc"], 2,
     "hp5c: error: cannot start the C compiler 'no-such-cc': No such file or directory [E1504]\n"
     "   help: install one (Debian: apt-get install build-essential) or name another with --cc\n")
case("a model given as the mapping", ["task.hp5", "--map", "m.pcubes"], 2,
     "hp5c: error: 'm.pcubes' is a model, but it is given as the mapping [E1502]\n   help: give it with --model\n", files={"task.hp5": TASK})
case("a mapping given as the model", ["task.hp5", "--model", "m.map"], 2,
     "hp5c: error: 'm.map' is a mapping, but it is given as the model [E1502]\n   help: give it with --map\n", files={"task.hp5": TASK})
case("a mapping given as the program", ["m.map"], 2,
     "hp5c: error: 'm.map' is a mapping, but it is given as the program [E1502]\n   help: give it with --map\n")
case("help of an interpreted program", ["--interpret", "add.hp5", "--", "--help"], 0, "",
     contains="Usage: hp5c --interpret add.hp5 -- n=INTEGER [options]", files={"add.hp5": "Program (args) { print(args.n + 1) }"})
case("an interpreted program without its argument", ["--interpret", "add.hp5"], 2,
     "add.hp5: n=INTEGER is missing: value used by the coordinator\n  (hp5c --interpret add.hp5 -- --help lists the arguments)\n",
     files={"add.hp5": "Program (args) { print(args.n + 1) }"})
case("full disk", ["--format", STENCIL], 2, "hp5c: cannot write to standard output: No space left on device\n", environment={"STDOUT": "/dev/full"})

# ---- What the options do -----------------------------------------------------------------------------------
case("tokens", ["--dump=tokens", "task.hp5"], 0, "", contains="1:1 ", files={"task.hp5": TASK})
case("ast", ["--dump=ast", "task.hp5"], 0, "", contains="T", files={"task.hp5": TASK})
case("typed", ["--dump=typed", "task.hp5"], 0, "", contains="1d Array of Integer", files={"task.hp5": TASK})
case("plan", ["--dump=plan", "task.hp5", "--model", LAPTOP], 0, "", contains="run f in Space A", files={"task.hp5": TASK})
case("loops", ["--dump=loops", "task.hp5", "--model", LAPTOP], 0, "", contains="stage f", files={"task.hp5": TASK})
case("fast math is named in the C text and in the program's help", ["-S", "--fast-math", "add.hp5", "--model", LAPTOP, "-o", "/dev/stdout"], 0, "",
     contains='"an HP5 program for shared memory, with --fast-math: results may differ between machines and thread counts"',
     files={"add.hp5": "Program (args) { print(args.n + 1) }"})
case("what a program is for", ["-S", STENCIL, "--map", f"{ROOT}/mappings/stencil/cluster.map", "--model", f"{ROOT}/pcubes-models/cluster.pcubes", "-o", "/dev/stdout"], 0, "",
     contains='"an HP5 program for several processes"')
case("mapping", ["--print-map", "task.hp5", "--model", LAPTOP], 0, "", contains='"T" {', files={"task.hp5": TASK})
case("the default mapping takes all address spaces", ["--print-map", "task.hp5", "--model", f"{ROOT}/pcubes-models/cluster.pcubes"], 0, "",
     contains="    Space A: Core    // 256 at once", files={"task.hp5": TASK})
case("model", ["--show-model", LAPTOP], 0, "", contains="Core")
case("probe", ["--probe=fast"], 0, "", contains="Core")
case("several address spaces", ["task.hp5", "--model", f"{ROOT}/pcubes-models/hermes.pcubes", "--map", "t.map", "--check-only"], 0, "",
     files={"task.hp5": TASK, "t.map": '"T" {\n    Space A: Core-Pair\n}\n'})
case("a level of several address spaces", ["task.hp5", "--model", f"{ROOT}/pcubes-models/mira.pcubes", "--map", "t.map", "--check-only"], 0, "",
     files={"task.hp5": TASK, "t.map": '"T" {\n    Space A: Rack\n}\n'})
case("elements that move between address spaces", [STENCIL, "--model", f"{ROOT}/pcubes-models/hermes.pcubes", "--map", "t.map", "--check-only"], 0, "",
     files={"t.map": '"Heat Stencil" {\n    Space A: Node\n    Space B: Core-Pair\n}\n'})


def refused(what, define, computation, partition, lines, reason, initialize="", machine="4 address spaces of machine Hermes",
            model="pcubes-models/hermes.pcubes"):
    """A task that several processes cannot run, and why."""
    text = f'Task "T":\nDefine: {define}\nEnvironment: x: link\n{initialize}Stages: f(a, b) {{ do {{ a[i] = a[i] + b[i] }} for i in a }}\n' \
           f"lag(a, b) {{ do {{ a[i] = b[i] at (current - 1) }} for i in a }}\nComputation: {computation}\nPartition (k): {partition}\n"
    case(f"in several processes: {what}", ["t.hp5", "--model", f"{ROOT}/{model}", "--map", "t.map", "--check-only"], 1,
         contains_error=f'the mapping of task "T" takes {machine}, and {reason} [E1303]\n',
         files={"t.hp5": text, "t.map": f'"T" {{\n{lines}}}\n'})
    case(f"verified where it cannot be run: {what}", ["t.hp5", "--model", f"{ROOT}/{model}", "--map", "t.map", "--dump", "plan", "--verify"], 1,
         contains_error=f'the mapping of task "T" takes {machine}, and {reason} [E1303]\n',
         files={"t.hp5": text, "t.map": f'"T" {{\n{lines}}}\n'})


refused("some of them advance versions that all have", "x, y: 1d Array of Integer", "Space A { Epoch { Where lpuId[0] == 1 { Space B { f(y, y) } } } Space B { lag(x, y) } }",
        "Space A <1d> { x: block_size(k) y: replicated } Space B <1d> divides Space A partitions { x: block_size(k) y: replicated }", "    Space A: Rack\n    Space B: Node\n",
        "y, of which Epochs of Space A advance parts that several of them have, is used by others", "Initialize: y.dimension = x.dimension\n",
        "16 address spaces of machine Racks", "tests/mpi/models/racks.pcubes")
# The home of an array is in one of two visits, or walks: what the other one writes comes back to it too late.
refused("a round over sub-partitions writes what a later one reads", "x, y: 1d Array of Integer",
        "Space C { Space D { f(x, y) } f(x, y) } Space A { Repeat foreach sub-partition { Space B { f(x, y) } f(x, y) } }",
        "Space A <1d> { x, y: block_size(k)\nSub-partition <1d> <unordered> { x: replicated y: block_size(1) } }\n"
        "Space B <1d> divides Space A sub-partitions { x: block_size(k) } Space C <1d> { x, y: block_size(k) } Space D <1d> divides Space C partitions { x: block_size(k) }",
        "    Space A: Rack\n    Space B: Node\n    Space C: Rack\n    Space D: Node\n",
        "elements of x, which one round over sub-partitions above them writes, are read in a later one by others", "Initialize: y.dimension = x.dimension\n",
        "16 address spaces of machine Racks", "tests/mpi/models/racks.pcubes")
refused("what a visit writes comes back to it", "x, y: 1d Array of Integer", "Space C { f(y, x) Space D { f(y, x) } f(y, x) } Space A { f(y, y) Space B { f(y, y) } f(y, y) }",
        "Space A <1d> { y: block_size(k) } Space B <1d> divides Space A partitions { y: block_size(k) }\n"
        "Space C <1d> { x, y: block_size(k) } Space D <1d> divides Space C partitions { x, y: block_size(k) }",
        "    Space A: Rack\n    Space B: Node\n    Space C: Rack\n    Space D: Node\n",
        "elements of y, which a step of Space C writes, go by way of others to a step of the same visit", "Initialize: y.dimension = x.dimension\n",
        "16 address spaces of machine Racks", "tests/mpi/models/racks.pcubes")
refused("two divisions of LPUs that all visit are written", "x, y: 1d Array of Integer",
        "Space A { Space B { f(x, y) } Space D { f(x, y) } } Space C { Space E { f(x, y) } Space F { f(x, y) } }",
        "Space A <1d> { x, y: block_size(k) } Space B <1d> divides Space A partitions { x, y: block_size(k) } Space D <1d> divides Space A partitions { x, y: stride(2) }\n"
        "Space C <1d> { x, y: stride(3) } Space E <1d> divides Space C partitions { x, y: block_size(k) } Space F <1d> divides Space C partitions { x, y: stride(2) }",
        "    Space A: Cluster\n    Space B: Node\n    Space C: Cluster\n    Space D: Node\n    Space E: Node\n    Space F: Node\n",
        "elements of x, which a step of Space A writes, go by way of others to a step of the same visit", "Initialize: y.dimension = x.dimension\n",
        "16 address spaces of machine Racks", "tests/mpi/models/racks.pcubes")
refused("some of the rounds over sub-partitions share what they write", "x, y: 1d Array of Integer", "Space A { Repeat foreach sub-partition { Space B { f(x, x) } f(x, x) } }",
        "Space A <1d> { x, y: block_size(k)\nSub-partition <2d> <unordered> { x: block_size(2), replicated y: replicated, block_size(1) } }\n"
        "Space B <1d> divides Space A sub-partitions { x: block_size(1) }", "    Space A: Cluster\n    Space B: Node\n",
        "elements of x, which are in several of the sub-partitions of Space A and not in all, are written in one and read in another", "Initialize: y.dimension = x.dimension\n",
        "16 address spaces of machine Racks", "tests/mpi/models/racks.pcubes")
refused("copies that are handed back come back to the visit", "x, y: 1d Array of Integer",
        "Space C { Repeat for t in [1...2] { Space D { f(x, x) } } } Space A { Repeat for t in [1...2] { Space B { f(x, x) } } }",
        "Space A <1d> { x: block_size(k) } Space B <1d> divides Space A partitions { x: block_size(k) padding(1) }\n"
        "Space C <1d> { x, y: block_size(k) } Space D <1d> divides Space C partitions { x: block_size(k) padding(1) }",
        "    Space A: Rack\n    Space B: Node\n    Space C: Rack\n    Space D: Node\n",
        "elements of x, which a step of Space C writes, go by way of others to a step of the same visit", "Initialize: y.dimension = x.dimension\n",
        "16 address spaces of machine Racks", "tests/mpi/models/racks.pcubes")

# ---- Every model without a mapping, and the mappings that are made for one ------------------------------
for program in sorted(glob.glob(f"{ROOT}/programs/*/*.hp5")):
    name = os.path.basename(program)[:-4]
    for model in sorted(glob.glob(f"{ROOT}/pcubes-models/*.pcubes")):
        case(f"{name} on {os.path.basename(model)}", [program, "--model", model, "--check-only"], 0, "", "")
    for mapping in sorted(glob.glob(f"{ROOT}/mappings/{name}/hermes*.map")):
        case(f"{name} on Hermes as {mapping}", [program, "--model", f"{ROOT}/pcubes-models/hermes.pcubes", "--map", mapping, "--check-only"], 0, "", "")
    for mapping, model in (("cluster", "cluster"), ("cluster-hermes", "hermes")):
        case(f"{name} on {model}, all of it", [program, "--model", f"{ROOT}/pcubes-models/{model}.pcubes", "--map",
             f"{ROOT}/mappings/{name}/{mapping}.map", "--dump", "plan", "--verify"], 0, "", contains="\n  held:\n")


def run(hp5c, arguments, environment):
    stdout = open(environment["STDOUT"], "w") if "STDOUT" in environment else subprocess.PIPE
    return subprocess.run([hp5c, *arguments], stdout=stdout, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)


def check_json(hp5c):
    """One object a line, and nothing else."""
    with open("bad.hp5", "w") as file:
        file.write(TASK.replace("a[i] = 1", "b[i] = 1"))
    lines = run(hp5c, ["--json", "--check-only", "bad.hp5"], {}).stderr.splitlines()
    found = [json.loads(line) for line in lines]
    return found and found[0]["severity"] == "error" and found[0]["file"] == "bad.hp5" and found[0]["line"] == 4


def check_flags(hp5c):
    """gcc gets flags that others do not know, which is told by its name."""
    flag = "--param=max-tree-if-conversion-phi-args=64"
    for name, expected in (("gcc-99", True), ("my-clang-99", False), ("some-compiler", False)):
        with open(name, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\necho "$@" > flags\nexit 1\n')
        os.chmod(name, 0o755)
        run(hp5c, [STENCIL, "--model", LAPTOP, "--cc", f"./{name}", "-o", "x"], {})
        with open("flags", encoding="utf-8") as file:
            if (flag in file.read().split()) != expected:
                return False
    run(hp5c, [STENCIL, "--model", LAPTOP, "--cc", "./gcc-99", "--cc-flag=-mtune=generic", "-o", "x"], {})
    with open("flags", encoding="utf-8") as file:
        return [word for word in file.read().split() if word.startswith("-mtune")] == ["-mtune=generic"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hp5c", required=True)
    hp5c = os.path.abspath(parser.parse_args().hp5c)
    failures = 0
    os.environ.pop("NO_COLOR", None)
    with tempfile.TemporaryDirectory(prefix="hp5-driver-") as folder:
        os.chdir(folder)
        for name, arguments, status, stderr, stdout, files, environment, contains, contains_error in CASES:
            for path, text in files.items():
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            done = run(hp5c, arguments, environment)
            problems = [f"exit status {done.returncode}, expected {status}"] if done.returncode != status else []
            if stderr is not None and done.stderr != stderr:
                problems.append(f"stderr:\n{done.stderr}expected:\n{stderr}")
            if stdout is not None and done.stdout != stdout:
                problems.append(f"stdout:\n{done.stdout}expected:\n{stdout}")
            if contains_error is not None and contains_error not in done.stderr:
                problems.append(f"stderr lacks {contains_error!r}:\n{done.stderr}")
            if contains is not None and contains not in done.stdout:
                problems.append(f"stdout lacks {contains!r}:\n{done.stdout}")
            if problems:
                failures += 1
                print(f"{name}: hp5c {' '.join(arguments)}\n" + "\n".join(problems))
        if not check_json(hp5c):
            failures += 1
            print("--json does not print one object for each diagnostic")
        if not check_flags(hp5c):
            failures += 1
            print("the flags of gcc alone do not go to gcc alone")
        os.chdir("/")
    print(f"{len(CASES) + 2 - failures} passed, {failures} failed")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
