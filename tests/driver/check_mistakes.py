#!/usr/bin/env python3
"""Mistakes that people make with hp5c and its programs: each is answered with one message and a status, and nothing is left behind.

    check_mistakes.py --hp5c HP5C
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

PROGRAM = """Program (args) {
    job = new TaskEnvironment(name: "Add")
    bind_input(job, "v", args.v)
    execute(task: "Add"; environment: job; partition: args.k)
    bind_output(job, "v", args.out)
}
Task "Add":
    Define:
        v: 1d Array of Real double-precision
    Environment:
        v: link
    Stages:
        add(v) { do { v[i] = v[i] + 1 } for i in v }
    Computation:
        Space A { add(v) }
    Partition (k):
        Space A <1d> { v: block_size(k) }
"""
MODEL = 'Machine "Four"\nSpace 3: Machine (1)\nSpace 2: Socket (2)\nSpace 1<core>: Core (2) { compute: 1 ops 1 GHz }\n'
MORE = "\n  (./add --help lists the arguments)\n"
GOOD = ["v=v.npy", "k=3", "out=out.npy"]


class Checker:
    def __init__(self, hp5c, folder):
        self.hp5c, self.folder, self.failed, self.count = hp5c, folder, 0, 0
        for name, text in (("add.hp5", PROGRAM), ("four.pcubes", MODEL), ("one.map", '"Add" { Space A: Machine }\n'), ("notes.txt", "notes\n")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        np.save(os.path.join(folder, "v.npy"), np.zeros(9))
        os.mkdir(os.path.join(folder, "sub"))
        os.mkfifo(os.path.join(folder, "pipe"))
        for name, options in (("add", []), ("one", ["--map", "one.map"])):
            subprocess.run([hp5c, "add.hp5", "--model", "four.pcubes", "-o", name, *options], cwd=folder, check=True)
        self.files = set(os.listdir(folder))

    def run(self, command, status, stderr, left=(), user=False, **more):
        """`left`: files that the command makes."""
        if user:
            command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
        more = {"cwd": self.folder, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, **more}
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=120, check=False, **more)
        wrong, said = [], done.stderr.replace(self.folder, "HERE")
        if done.returncode != status:
            wrong.append(f"exit status {done.returncode}, expected {status}")
        if said != stderr:
            wrong.append(f"said {said!r}\nexpected {stderr!r}")
        extra = set(os.listdir(self.folder)) - self.files
        if extra != set(left):
            wrong.append(f"left {sorted(extra)}")
        for name in extra:
            os.remove(os.path.join(self.folder, name))
        self.count += 1
        if wrong:
            self.failed += 1
            print(f"{' '.join(command)}\n" + "\n".join(wrong))

    def program(self, words, status, message, left=(), **more):
        self.run(["./add", *words], status, f"add: {message}" if message else "", left, **more)

    def compiler(self, words, status, message, left=(), **more):
        self.run([self.hp5c, *words], status, f"hp5c: error: {message}" if message else "", left, **more)


def arguments(c):
    c.program(GOOD, 0, "", ["out.npy"])
    for text in ("0", "-3", "4097", "99999999999999999999", "3x", "", "two"):
        c.program([*GOOD, "--threads", text], 2, f"--threads: '{text}' is not a number of threads (1 to 4096)" + MORE)
    c.program([*GOOD, "-threads", "3"], 2, "'-threads' is unknown: did you mean --threads?" + MORE)
    c.program([*GOOD, "-t", "3"], 2, "'-t' is unknown" + MORE)
    c.program(["v=v.npy", "K=3", "out=out.npy"], 2, "2 problems with the arguments:\n  'K' is unknown: did you mean k?\n"
              "  k=INTEGER is missing: partition argument k of task \"Add\"" + MORE)
    for spaced in (["k", "=", "3"], ["k", "=3"]):
        c.program(["v=v.npy", *spaced, "out=out.npy"], 2, "'k': write k=3, without spaces" + MORE)
    c.program(["v=v.npy", "k", "=", "out=out.npy"], 2, "2 problems with the arguments:\n  'k': write k=out=out.npy, without spaces\n"
              "  out=FILE is missing: output file of v (1d Array of Real double-precision) of task \"Add\"" + MORE)
    c.program(["v=v.npy", "k=1e3", "out=out.npy"], 2, "k: '1e3' is not an Integer" + MORE)
    c.program(["v=v.npy", "k=0", "out=out.npy"], 2, "task Add, Space A: the partition argument k of block_size(k) for v is 0; it must be at least 1\n")
    c.program([*GOOD, "k=4"], 2, "k is given more than once" + MORE)
    c.program(["v=v.npy", "k=3", "out"], 2, "2 problems with the arguments:\n  'out' is not an argument: arguments are written name=value\n"
              "  out=FILE is missing: output file of v (1d Array of Real double-precision) of task \"Add\"" + MORE)
    c.program(["v=out.npy", "k=3", "out=v.npy"], 2, "cannot read v from 'out.npy': No such file or directory\n")
    c.program(["v=~/v.npy", "k=3", "out=out.npy"], 2, "cannot read v from '~/v.npy': No such file or directory (a shell knows ~ only at the start of a word: write $HOME)\n")
    c.program(["v=notes.txt", "k=3", "out=out.npy"], 2, "cannot read v from 'notes.txt': it is not a .npy file (make one with numpy.save)\n")
    for pipe in ("pipe", "/dev/null"):
        c.program([f"v={pipe}", "k=3", "out=out.npy"], 2, f"cannot read v from '{pipe}': it is not a regular file (save a pipe's data to a file first)\n")
    c.program(["v=sub", "k=3", "out=out.npy"], 2, "cannot read v from 'sub': it is a directory\n")


def machines(c):
    expected = "expected LEVEL=COUNT, as in --machine Core=4,Node=2\n"
    for text, found in (("", ""), ("Core", "Core"), ("=2", "=2"), ("Core=2,", ""), (",Core=2", ""), ("Core=2,,Socket=1", "")):
        c.program([*GOOD, "--machine", text], 2, f"--machine: found '{found}', {expected}")
    for count in ("", "0", "-1", "4097", "2 Socket=1", "two"):
        c.program([*GOOD, "--machine", f"Core={count}"], 2, f"--machine: the count of Core is '{count}', expected a number from 1 to 4096\n")
    c.program([*GOOD, "--machine=Core=2,Core=3"], 2, "--machine: the count of Core is given twice\n")
    c.program([*GOOD, "--machine=core=2"], 2, "--machine: the model of the machine has no level 'core': did you mean Core?\n")
    c.program([*GOOD, "--machine=Node=2"], 2, "--machine: the model of the machine has no level 'Node'; it has Machine, Socket, Core\n")
    c.program([*GOOD, "--machine=Core=2,Socket=1"], 0, "", ["out.npy"])
    for option, word in (("--threads=3", "--threads"), ("--machine=Core=4", "--machine")):
        c.run(["./one", *GOOD, option], 0, f"one: warning: task Add runs on 1 thread, whatever {word} says: its mapping has all Spaces on one PPU of Machine\n"
              "  map a Space to a level with several PPUs to use more, as in Space A: Core\n", ["out.npy"])
        c.program([*GOOD, option], 0, "", ["out.npy"])
    for options in ([], ["--threads=1"]):
        c.run(["./one", *GOOD, *options], 0, "", ["out.npy"])


def streams(c):
    """What is printed goes somewhere, or that is said."""
    full = open("/dev/full", "w", encoding="utf-8")
    for words in (["--help"], [*GOOD, "--print-mapping"], [*GOOD, "--predict"]):
        c.program(words, 1, "cannot write to the standard output: No space left on device\n", stdout=full)
    for words in (["--help"], ["--format", "add.hp5"]):
        c.run([c.hp5c, *words], 2, "hp5c: cannot write to standard output: No space left on device\n", stdout=full)
    gone = tempfile.mkdtemp(dir=c.folder)
    command = ["sh", "-c", 'rmdir "$PWD" && exec "$@"', "sh"]
    for who, words, said in ((c.hp5c, [f"{c.folder}/add.hp5", "--model", f"{c.folder}/four.pcubes"], "hp5c: error: cannot write the program 'add': No such file or directory [E1501]\n"),
                             (f"{c.folder}/add", [f"v={c.folder}/v.npy", "k=3", "out=out.npy"], "add: out: cannot write 'out.npy': No such file or directory\n"
                              "  (HERE/add --help lists the arguments)\n")):
        c.run([*command, who, *words], 2, said, cwd=gone)
        os.makedirs(gone, exist_ok=True)
    shutil.rmtree(gone, ignore_errors=True)
    c.compiler(["add.hp5", "--model", "four.pcubes", "-o", "/dev/stdout"], 2, "cannot write the program '/dev/stdout': a linker cannot write to a pipe [E1501]\n")
    for place, why in (("/nowhere", "No such file or directory"), (f"{c.folder}/notes.txt", "Not a directory")):
        said = subprocess.run([c.hp5c, "add.hp5", "--model", "four.pcubes", "-o", "x"], cwd=c.folder, capture_output=True, text=True, env=dict(os.environ, TMPDIR=place), check=False)
        c.count += 1
        if said.returncode != 2 or f"cannot make a temporary directory '{place}/hp5c-" not in said.stderr or why not in said.stderr or len(said.stderr.splitlines()) != 1:
            c.failed += 1
            print(f"TMPDIR={place}: {said}")


def options(c):
    for word, hint in (("-O3", "for the C compiler: --cc-flag -O3"), ("-march=native", "for the C compiler: --cc-flag -march=native"), ("-lm", "for the C compiler: --cc-flag -lm"),
                       ("-v", "did you mean '--version'?"), ("-ox", "write -o x, in two words"), ("-verify", "did you mean '--verify'?"), ("--Version", "did you mean '--version'?"),
                       ("-c", "hp5c --help lists the options")):
        name = word.split("=", maxsplit=1)[0]
        c.compiler(["add.hp5", word], 2, f"unknown option '{name}' [E1502]\n   help: {hint}\n")
    two = "two source files are given: 'add.hp5' and '{0}' [E1502]\n   help: {1}\n"
    for name, hint in (("one.map", "a mapping is given with --map one.map"), ("four.pcubes", "a model is given with --model four.pcubes"),
                       ("k=3", "a program is one file; its own arguments follow -- with --interpret, or go to the compiled program")):
        c.compiler(["add.hp5", name], 2, two.format(name, hint))
    missing = "cannot read the {0} '{1}': No such file or directory [E1501]\n   help: {2}\n"
    path = "the path is taken from the current directory"
    for words, what, name, hint in ((["none"], "program", "none", path), ([""], "program", "", "the file name is empty"),
                                    (["-"], "program", "-", "standard input is /dev/stdin"), (["help"], "program", "help", "hp5c --help lists the options"),
                                    (["add.hp5", "--model", "four"], "model", "four", "did you mean 'four.pcubes'?"), (["add.hp5", "--map", ""], "mapping", "", "the file name is empty"), (["add.hp5", "--model", ""], "model", "", "the file name is empty")):
        c.compiler(words, 2, missing.format(what, name, hint))
    os.rename(f"{c.folder}/one", f"{c.folder}/one.program")
    c.files = set(os.listdir(c.folder))
    c.compiler(["add.hp5", "--map", "one"], 2, missing.format("mapping", "one", "did you mean 'one.map'?"))
    c.compiler(["add.hp5", "--map", "v.npy"], 2, "cannot read the mapping 'v.npy': it is not a text file [E1501]\n")
    c.compiler(["add.hp5", "--model", "v.npy"], 2, "cannot read the model 'v.npy': it is not a text file [E1501]\n")
    c.compiler(["--show-model", "sub"], 2, "cannot read the model 'sub': Is a directory [E1501]\n")
    c.compiler(["add.hp5", "-o", "sub", "--model", "four.pcubes"], 2, "cannot write the program 'sub': it is a directory [E1501]\n")
    for text in ("abc", "-1", "", "9999999999"):
        c.compiler(["add.hp5", "--omit-sync", text], 2, f"--omit-sync: '{text}' is not the number of a synchronisation, counted from 0 [E1502]\n")
    for word in (["--probe=fast"], ["--show-model", "four.pcubes"], ["--explain", "E0201"], ["--eval", "1"]):
        name = word[0].split("=", maxsplit=1)[0]
        c.compiler(["add.hp5", *word], 2, f"{name} looks at no program, but 'add.hp5' is given [E1502]\n   help: leave one of them out\n")
    c.compiler([], 2, "no program is given [E1502]\n   help: hp5c program.hp5 compiles one; hp5c --help lists the options\n")
    c.compiler(["-o", "x"], 2, "no program is given [E1502]\n   help: hp5c program.hp5 compiles one; hp5c --help lists the options\n")


def permissions(c):
    """Folders and files that others may not write: as a user, because root may everything."""
    os.chmod(c.folder, 0o777)
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    able = os.geteuid() == 0 and shutil.which("setpriv") is not None
    if not able or any(subprocess.run([*user, *command], cwd=c.folder, capture_output=True, check=False).returncode for command in ([c.hp5c, "--version"], ["./add", "--help"])):
        print("permissions: not root, or nobody else may come here: not checked")
        return
    os.makedirs(f"{c.folder}/theirs")
    os.chmod(f"{c.folder}/theirs", 0o755)
    np.save(f"{c.folder}/theirs/w.npy", np.zeros(2))
    os.chmod(f"{c.folder}/theirs/w.npy", 0o666)   # the file may be written, but nothing made beside it
    np.save(f"{c.folder}/fixed.npy", np.zeros(2))
    os.chmod(f"{c.folder}/fixed.npy", 0o444)
    c.files = set(os.listdir(c.folder))
    for place in ("theirs/new.npy", "theirs/w.npy", "fixed.npy"):
        c.program(["v=v.npy", "k=3", f"out={place}"], 2, f"out: cannot write '{place}': Permission denied" + MORE, user=True)
    c.program([*GOOD, "--trace", "theirs/t.json"], 2, "--trace: cannot write 'theirs/t.json': Permission denied" + MORE, user=True)
    c.compiler(["add.hp5", "--model", "four.pcubes", "-o", "theirs/add"], 2, "cannot write the program 'theirs/add': Permission denied [E1501]\n", user=True)
    c.compiler(["-S", "add.hp5", "--model", "four.pcubes", "-o", "theirs/add.c"], 2, "cannot write 'theirs/add.c': Permission denied [E1501]\n", user=True)
    c.compiler(["--format", "--in-place", "add.hp5"], 2, "cannot write 'add.hp5': Permission denied [E1501]\n", user=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    hp5c = os.path.abspath(parser.parse_args().hp5c)
    os.environ.pop("NO_COLOR", None)
    with tempfile.TemporaryDirectory(prefix="hp5-mistakes-") as folder:
        checker = Checker(hp5c, folder)
        for part in (arguments, machines, streams, options, permissions):
            part(checker)
    print(f"{checker.count - checker.failed} passed, {checker.failed} failed")
    sys.exit(checker.failed > 0)


if __name__ == "__main__":
    main()
