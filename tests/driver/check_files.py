#!/usr/bin/env python3
"""No output destroys what somebody still wants: an input, another output, a file of another kind. Nothing is lost when it is refused.

    check_files.py --hp5c HP5C

Each case runs hp5c, a compiled program and the interpreter in a folder of files; all of them must be as they were afterwards,
unless the case says which one changes.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

PROGRAM = """Program (args) {
    job = new TaskEnvironment(name: "Add")
    bind_input(job, "a", args.a)
    bind_input(job, "b", args.b)
    execute(task: "Add"; environment: job; partition: args.k)
    bind_output(job, "a", args.c)
    bind_output(job, "d", args.d)
}
Task "Add":
    Define:
        a, b, d: 1d Array of Real double-precision
    Environment:
        a, b: link
        d: create
    Initialize:
        d.dimension = a.dimension
    Stages:
        add(a, b, d) { do { a[i] = a[i] + b[i]  d[i] = b[i] } for i in a }
    Computation:
        Space A { add(a, b, d) }
    Partition (k):
        Space A <1d> { a, b, d: block_size(k) }
"""
# Names that the program makes itself: no argument says that they are files.
STORES = """Program (args) {
    x = load_array(args.a)
    job = new TaskEnvironment(name: "Inc")
    job.v = x
    execute(task: "Inc"; environment: job; partition: 2)
    store_array(x, "kept.npy")
    second = new TaskEnvironment(name: "Inc")
    y = load_array("kept.npy")
    second.v = y
    execute(task: "Inc"; environment: second; partition: 2)
    store_array(y, "./kept.npy")
    store_array(y, args.out)
}
Task "Inc":
    Define:
        v: 1d Array of Real double-precision
    Environment:
        v: link
    Stages:
        inc(v) { do { v[i] = v[i] + 1 } for i in v }
    Computation:
        Space A { inc(v) }
    Partition (k):
        Space A <1d> { v: block_size(k) }
"""
MODEL = 'Machine "Two"\nSpace 2: Machine (1)\nSpace 1<core>: Core (2) { compute: 1 ops 1 GHz }\n'
MAP = '"Add" { Space A: Core }\n'
IN_PLACE = ": say --in-place if that is meant"
MORE = "\n  (WHO --help lists the arguments)\n"


def contents(folder):
    """Every file, link and folder with what it holds."""
    found = {}
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(place, name)
            if os.path.islink(path):
                found[os.path.relpath(path, folder)] = "-> " + os.readlink(path)
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = file.read()
            else:
                found[os.path.relpath(path, folder)] = None
    return found


class Checker:
    def __init__(self, hp5c, place):
        self.hp5c, self.place, self.failed, self.count = hp5c, place, 0, 0
        self.made = os.path.join(place, "made")
        os.mkdir(self.made)
        for name, text in (("add.hp5", PROGRAM), ("stores.hp5", STORES), ("two.pcubes", MODEL)):
            with open(os.path.join(self.made, name), "w", encoding="utf-8") as file:
                file.write(text)
        for name in ("add", "stores"):
            subprocess.run([hp5c, f"{name}.hp5", "--model", "two.pcubes", "-o", name], cwd=self.made, check=True)

    def fresh(self):
        """A folder with two inputs and links to them, sources, and what programs have written before."""
        folder = tempfile.mkdtemp(dir=self.place)
        for name in ("add.hp5", "stores.hp5", "two.pcubes", "add", "stores"):
            os.link(os.path.join(self.made, name), os.path.join(folder, name))
        np.save(f"{folder}/a.npy", np.arange(6.0))
        np.save(f"{folder}/b.npy", np.ones(6))
        np.save(f"{folder}/old.npy", np.zeros(3))
        os.symlink("a.npy", f"{folder}/link.npy")
        os.symlink("nothing.npy", f"{folder}/dangling.npy")
        os.link(f"{folder}/a.npy", f"{folder}/hard.npy")
        os.mkdir(f"{folder}/sub")
        for name, text in (("add.map", MAP), ("notes.txt", "my notes\n"), ("own.c", "int main(void) { return 0; }\n"), ("empty", "")):
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
        return folder

    def run(self, name, command, status, stderr, changes=()):
        """`changes`: files that are other than before, or new; all else is as it was."""
        folder = self.fresh()
        before = contents(folder)
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        after = contents(folder)
        changed = sorted(path for path in {*before, *after} if before.get(path, 0) != after.get(path, 0))
        said = done.stderr.replace(folder, "HERE")
        wrong = []
        if done.returncode != status:
            wrong.append(f"exit status {done.returncode}, expected {status}")
        if stderr is not None and said != stderr:
            wrong.append(f"said {said!r}\nexpected {stderr!r}")
        if changed != sorted(changes):
            wrong.append(f"changed {changed}, expected {sorted(changes)}")
        self.count += 1
        if wrong:
            self.failed += 1
            print(f"{name}: {' '.join(command)}\n" + "\n".join(wrong))

    def both(self, name, source, words, status, message, changes=(), options=()):
        """The compiled program, and the interpreter unless there are options that it has not."""
        for who, start, help_of in ((source, [f"./{source}"], f"./{source}"), (f"{source}.hp5", [self.hp5c, "--interpret", f"{source}.hp5", "--"], f"hp5c --interpret {source}.hp5 --")):
            if options and who.endswith(".hp5"):
                continue
            said = "" if message is None else f"{who}: {message}".replace("WHO", help_of)
            self.run(f"{name} ({who})", [*start, *words, *options], status, said if status else None, changes)


def programs(c):
    def case(name, message, a="a.npy", b="b.npy", out="c.npy", d="d.npy", status=2, changes=(), options=(), more=()):
        words = [f"a={a}", f"b={b}", f"c={out}", f"d={d}", "k=2", *more]
        c.both(name, "add", words, status, message, changes, options)

    case("plain", None, status=0, changes=["c.npy", "d.npy"])
    case("an older array", None, out="old.npy", status=0, changes=["old.npy", "d.npy"])
    case("an empty file", None, out="empty", status=0, changes=["empty", "d.npy"])
    case("the input", "c would replace 'a.npy', which this run reads (a)" + IN_PLACE + MORE, out="a.npy")
    for other in ("./a.npy", "sub/../a.npy", "link.npy", "hard.npy", "/proc/self/cwd/a.npy"):
        case(f"the input as {other}", f"c would replace '{other}' ('a.npy'), which this run reads (a)" + IN_PLACE + MORE, out=other)
    case("the input through a link", "c would replace 'a.npy' ('link.npy'), which this run reads (a)" + IN_PLACE + MORE, a="link.npy", out="a.npy")
    case("in place", None, out="a.npy", status=0, changes=["a.npy", "d.npy"], more=["--in-place"])
    case("in place, through a link", None, out="link.npy", status=0, changes=["a.npy", "d.npy"], more=["--in-place"])
    case("another input", "d would replace 'b.npy', which this run reads (b)" + IN_PLACE + MORE, d="b.npy")
    case("two outputs", "c and d would both be written to 'd.npy'" + MORE, out="d.npy")
    case("two outputs, in place", "c and d would both be written to 'd.npy'" + MORE, out="d.npy", more=["--in-place"])
    for other in ("./d.npy", "sub/../d.npy", "/proc/self/cwd/d.npy"):
        case(f"two outputs, one as {other}", f"c and d would both be written to 'd.npy' ('{other}')" + MORE, out=other)
    case("two outputs through a link to nothing", "c and d would both be written to 'nothing.npy' ('dangling.npy')" + MORE, out="dangling.npy", d="nothing.npy")
    case("a link to nothing", None, out="dangling.npy", status=0, changes=["dangling.npy", "d.npy"])
    case("two outputs to one old file", "c and d would both be written to 'old.npy'" + MORE, out="old.npy", d="old.npy")
    kind = ": it holds something else than an array; remove it first, or choose another name" + MORE
    for other in ("add.hp5", "notes.txt", "add.map", "two.pcubes", "add", "/proc/self/exe"):
        if other == "/proc/self/exe":
            c.run("the program itself", ["./add", "a=a.npy", "b=b.npy", f"c={other}", "d=d.npy", "k=2"], 2, None)
        else:
            case(f"over {other}", f"c: cannot write '{other}'" + kind, out=other)
    case("a folder", "c: cannot write 'sub': it is a directory" + MORE, out="sub")
    case("a folder's name", "c: cannot write 'new/': it names a directory" + MORE, out="new/")
    case("into no folder", "c: cannot write 'no/c.npy': No such file or directory" + MORE, out="no/c.npy")
    case("into a file", "c: cannot write 'a.npy/c.npy': Not a directory" + MORE, out="a.npy/c.npy")
    case("devices", None, out="/dev/null", d="/dev/null", status=0)
    case("several at once", "2 problems with the arguments:\n  c would replace 'a.npy', which this run reads (a)" + IN_PLACE +
         "\n  d would replace 'b.npy', which this run reads (b)" + IN_PLACE + MORE, out="a.npy", d="b.npy")
    for option, what, good in (("--trace", "a trace", "t.json"), ("--mapping-svg", "an SVG picture", "m.svg")):
        outputs = [good] + (["c.npy", "d.npy"] if option == "--trace" else [])
        case(f"{option}", None, status=0, options=[option, good], changes=outputs)
        case(f"{option} to an empty file", None, status=0, options=[option, "empty"], changes=["empty", *outputs[1:]])
        case(f"{option} to a device", None, status=0, options=[option, "/dev/null"], changes=outputs[1:])
        for place in ("a.npy", "./a.npy", "hard.npy", "link.npy"):
            names = "'a.npy'" if place == "a.npy" else f"'{place}' ('a.npy')"
            case(f"{option} {place}", f"{option} would replace {names}, which this run reads (a)" + MORE, options=[option, place])
            case(f"{option} {place}", f"{option} would replace {names}, which this run reads (a)" + MORE, options=["--in-place", option, place])
        for place in ("add.hp5", "notes.txt", "old.npy", "add"):
            case(f"{option} {place}", f"{option}: cannot write '{place}': it holds something else than {what}; remove it first, or choose another name" + MORE,
                 options=[option, place])
        case(f"{option} sub", f"{option}: cannot write 'sub': it is a directory" + MORE, options=[option, "sub"])
        case(f"{option} no/t", f"{option}: cannot write 'no/t': No such file or directory" + MORE, options=[option, "no/t"])
        case(f"{option} nothing", f"{option}: cannot write '': the file name is empty" + MORE, options=[option, ""])
    case("trace and output", "c and --trace would both be written to 'c.npy'" + MORE, options=["--trace", "c.npy"])
    case("outputs do not matter to a picture", None, out="a.npy", status=0, options=["--mapping-svg", "m.svg"], changes=["m.svg"])
    case("nor to a prediction", None, out="a.npy", status=0, options=["--predict"])


def stored(c):
    """Names in the program: found when they are used, in time."""
    c.both("stores", "stores", ["a=a.npy", "out=c.npy"], 0, None, ["c.npy", "kept.npy"])
    c.both("stores over its input", "stores", ["a=a.npy", "out=a.npy"], 2, "out would replace 'a.npy', which this run reads (a)" + IN_PLACE + MORE)
    c.both("stores in place", "stores", ["a=a.npy", "out=a.npy", "--in-place"], 0, None, ["a.npy", "kept.npy"])
    c.both("loads what it will store", "stores", ["a=kept.npy", "out=c.npy"], 2, "cannot read load_array from 'kept.npy': No such file or directory\n")
    for options, said in (([], "output store_array would replace 'kept.npy' ('./kept.npy'), which this run reads (load_array)" + IN_PLACE + "\n"), (["--in-place"], None)):
        for who in (["./stores"], [c.hp5c, "--interpret", "stores.hp5", "--"]):
            command = ["sh", "-c", 'cp a.npy kept.npy && exec "$@"', "sh", *who, "a=./kept.npy", "out=c.npy", *options]
            name = os.path.basename(who[0] if who[0] == "./stores" else "stores.hp5")
            c.run("stores over a file that it loads", command, 0 if said is None else 2, said and f"{name}: {said}", ["kept.npy"] + ([] if said else ["c.npy"]))
    c.run("a trace where the program stores", ["./stores", "a=a.npy", "out=c.npy", "--trace", "kept.npy"], 2, "stores: --trace and store_array would both be written to 'kept.npy'\n")


def compiler(c, sanitized):
    def case(name, words, status, message, changes=()):
        c.run(name, [c.hp5c, *words], status, message and "hp5c: error: " + message, changes)

    model = ["--model", "two.pcubes"]
    other = "   help: give another name with -o\n"
    # the same bytes; but a sanitizer writes down the name of the temporary C file
    case("a program over itself", ["add.hp5", *model], 0, None, ["add"] if sanitized else [])
    case("a new program", ["add.hp5", *model, "-o", "new"], 0, None, ["new"])
    case("over an empty file", ["add.hp5", *model, "-o", "empty"], 0, None, ["empty"])
    for name in ("add.hp5", "./add.hp5", "sub/../add.hp5", "/proc/self/cwd/add.hp5"):
        for mode in ([], ["-S"], ["--dump", "ast"], ["--print-map"]):
            case("over the source", ["add.hp5", *model, *mode, "-o", name], 2, f"the output '{name}' would replace the program that is read [E1501]\n" + other)
    case("over the mapping", ["add.hp5", *model, "--map", "add.map", "-o", "add.map"], 2, "the output 'add.map' would replace the mapping that is read [E1501]\n" + other)
    case("the printed mapping over the mapping", ["add.hp5", *model, "--map", "add.map", "--print-map", "-o", "add.map"], 2,
         "the output 'add.map' would replace the mapping that is read [E1501]\n" + other)
    case("over the model", ["add.hp5", *model, "-o", "two.pcubes"], 2, "the output 'two.pcubes' would replace the model that is read [E1501]\n" + other)
    case("the drawing over the model", ["--show-model", "two.pcubes", "--svg", "two.pcubes"], 2,
         "the output 'two.pcubes' would replace the model that is read [E1501]\n   help: give another name with --svg\n")
    case("the drawn text over the model", ["--show-model", "two.pcubes", "-o", "two.pcubes"], 2, "the output 'two.pcubes' would replace the model that is read [E1501]\n" + other)
    case("over itself", ["add.hp5", *model, "-o", c.hp5c], 2, f"the output '{c.hp5c}' would replace hp5c itself [E1501]\n" + other)
    for name in ("stores.hp5", "notes.txt", "a.npy", "own.c"):
        case(f"a program over {name}", ["add.hp5", *model, "-o", name], 2,
             f"cannot write the program '{name}': it holds something else than an executable; remove it first, or choose another name [E1501]\n")
        case(f"a drawing over {name}", ["--show-model", "two.pcubes", "--svg", name], 2,
             f"cannot write '{name}': it holds something else than an SVG picture; remove it first, or choose another name [E1501]\n")
        case(f"C over {name}", ["-S", "add.hp5", *model, "-o", name], 2,
             f"cannot write '{name}': hp5c has not written what it holds; remove it first, or choose another name [E1501]\n")
    for name in ("stores.hp5", "a.npy", "add.map"):
        case(f"a text over {name}", ["--dump", "ast", "add.hp5", "-o", name], 2, f"the output '{name}' would replace a file of another kind [E1501]\n" + other)
    case("a folder", ["add.hp5", *model, "-o", "sub"], 2, "cannot write the program 'sub': it is a directory [E1501]\n")
    case("into no folder", ["add.hp5", *model, "-o", "no/add"], 2, "cannot write the program 'no/add': No such file or directory [E1501]\n")
    case("an empty name", ["add.hp5", *model, "-o", ""], 2, "cannot write the program '': the file name is empty [E1501]\n")
    case("C text", ["-S", "add.hp5", *model], 0, None, ["add.c"])
    case("C text to a device", ["-S", "add.hp5", *model, "-o", "/dev/null"], 0, None)
    for words, name in ((["--format", "add.hp5"], "f.hp5"), (["--format", "add.hp5"], "stores.hp5"), (["--dump=tokens", "add.hp5"], "f"), (["--dump=typed", "add.hp5"], "f"),
                        (["--dump=plan", "add.hp5", *model], "f"), (["--dump=loops", "add.hp5", *model], "f"), (["--print-map", "add.hp5", *model], "f.map"),
                        (["--probe=fast"], "f.pcubes"), (["--show-model", "two.pcubes"], "f"), (["--explain", "E0201"], "f"), (["--eval", "1 + 1"], "f"),
                        (["--help"], "f"), (["-h"], "f"), (["--man-page"], "f"), (["--completion"], "f"), (["--version"], "f"), (["--help"], "notes.txt")):
        printed = subprocess.run([c.hp5c, *words], cwd=c.made, capture_output=True, check=True).stdout
        folder = c.fresh()
        done = subprocess.run([c.hp5c, *words, "-o", name], cwd=folder, capture_output=True, check=False)
        with open(f"{folder}/{name}", "rb") as file:
            written = file.read()
        c.count += 1
        if done.returncode != 0 or done.stdout or done.stderr or written != printed or len(written) < 2:
            c.failed += 1
            print(f"hp5c {' '.join(words)} -o {name}: status {done.returncode}, {done.stdout!r} {done.stderr!r} {written[:80]!r}")
    case("format over the source", ["--format", "add.hp5", "-o", "add.hp5"], 2,
         "the output 'add.hp5' would replace the program that is read [E1501]\n   help: if that is meant, say --in-place\n")
    for words in (["--in-place"], ["--in-place", "-o", "add.hp5"], ["--in-place", "-o", "./add.hp5"]):
        case("format in place", ["--format", "add.hp5", *words], 0, None, ["add.hp5"])
    case("in place without format", ["--in-place", "add.hp5"], 2,
         "--in-place belongs to --format [E1502]\n   help: hp5c --format --in-place program.hp5 writes the formatted program over the old one\n")
    case("--svg alone", ["add.hp5", "--svg", "x.svg"], 2, "--svg needs --show-model, whose drawing it is [E1502]\n   help: hp5c --show-model FILE.pcubes --svg FILE.svg\n")
    case("two outputs", ["--show-model", "two.pcubes", "--svg", "x.svg", "-o", "y"], 2, "--svg and -o both name the file of the drawing [E1502]\n")
    case("two modes", ["--format", "--dump=ast", "add.hp5"], 2, "--dump and --format each say what is made [E1502]\n   help: give one of them\n")
    case("a name for nothing", ["--check-only", "add.hp5", "-o", "x"], 2, "--check-only makes nothing that -o could name [E1502]\n   help: leave one of them out\n")
    case("a name for the interpreter", ["--interpret", "add.hp5", "-o", "x"], 2,
         "--interpret makes nothing that -o could name [E1502]\n   help: the program's own outputs are arguments, behind --\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--sanitized", action="store_true", help="hp5c and what it makes have sanitizers")
    options = parser.parse_args()
    hp5c = os.path.abspath(options.hp5c)
    os.environ.pop("NO_COLOR", None)
    with tempfile.TemporaryDirectory(prefix="hp5-files-") as place:
        checker = Checker(hp5c, place)
        programs(checker)
        stored(checker)
        compiler(checker, options.sanitized)
    print(f"{checker.count - checker.failed} passed, {checker.failed} failed")
    sys.exit(checker.failed > 0)


if __name__ == "__main__":
    main()
