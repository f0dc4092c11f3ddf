#!/usr/bin/env python3
"""Runs language tests: .hp5 files whose leading // lines say what is expected of them.

// accept                          hp5c --check-only passes with exactly the listed // warning: lines
// reject                          it fails with exactly the listed lines, in the order in which they are printed:
// error: L:C: message [CODE]      (// warning: likewise)
// help: text
// note: L:C: text
// run                             runs in the interpreter and compiled, under every mapping and number of threads
// args: k=4 a=@rand(7,9,float64,seed=1) c=%out     one run each; @ makes an input (tools/arrays.py), %out is an
                                   output that must be the same bits everywhere; no such line: one run without arguments
// stdout: text                    a line of output; all lines are listed if any is
// expect: EXPRESSION              in Python, over the arguments by name (arrays for files), np and stdout (lines)
// python: code                  lines of a program that runs before the expressions, for a reference to compare with
// map: NAME.map                   a mapping beside the file, or in the mappings folder
// map-text: "Task" { Space A: Core }      a mapping in one line (\\n starts a new one); none of either: the default mapping
// model: NAME                     of the machine models; quad-8core if there is none
// fail: STATUS message            a run-time error with this whole message on stderr (several lines: message, then
                                   // fail-more: lines); program and folder names are left out
// checked                         // fail also holds for the compiled program, built with --checked, and
                                   // a run without fail is built and compared so once more;
// compiled                        as it is built by default
// fail-compiled: STATUS message   what the compiled program says, if its words differ from the interpreter's

Run with --show to print the lines that the file should have, from what the compiler says.
"""
import argparse
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "tools"))

KINDS = ("accept", "reject", "run")
DIRECTIVES = ("error", "warning", "help", "note", "args", "stdout", "expect", "map", "map-text", "model", "fail",
              "fail-more", "fail-compiled", "checked", "compiled", "python")
FLAGS = ("checked", "compiled")
THREADS = (1, 2, 3, 8)
TIME_LIMIT = 120


class Failed(Exception):
    """A test that did not do what its file says."""


# ---- The file's header -------------------------------------------------------------------------


class Test:
    def __init__(self, path):
        self.path, self.kind, self.lines = path, None, []
        with open(path, encoding="utf-8", errors="surrogateescape") as source:
            for line in source:
                if not line.startswith("//"):
                    break
                self.read_line(line[2:].strip())
        if self.kind is None:
            raise Failed("the file does not start with // accept, // reject or // run")

    def read_line(self, text):
        if self.kind is None:
            self.kind = text if text in KINDS else None
            return
        match = re.match(r"([a-z-]+):? ?(.*)", text)
        if match and match.group(1) in DIRECTIVES and (":" in text or text in FLAGS):
            word, rest = match.groups()
            if text in FLAGS or text.startswith(word + ":"):
                self.lines.append((word, rest))

    def all(self, *words):
        return [rest for word, rest in self.lines if word in words]

    def one(self, word, default=None):
        found = self.all(word)
        return found[0] if found else default

    def messages(self):
        return [f"{word}: {rest}" for word, rest in self.lines if word in ("error", "warning", "help", "note")]


# ---- Programs -------------------------------------------------------------------------------------


def run(command, folder=None):
    environment = dict(os.environ, LC_ALL="C.UTF-8", TSAN_OPTIONS="halt_on_error=1")
    try:
        done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        raise Failed(f"no end within {TIME_LIMIT} s: {shlex.join(command)}")
    out, err = (text.decode("utf-8", "surrogateescape") for text in (done.stdout, done.stderr))
    if done.returncode < 0 or done.returncode == 70:
        raise Failed(f"ended with {done.returncode}: {shlex.join(command)}\n{err}")
    return done.returncode, out, err


def same_lines(what, expected, found):
    if expected == found:
        return
    shown = [f"{what} differ:"]
    for i in range(max(len(expected), len(found))):
        want = expected[i] if i < len(expected) else None
        got = found[i] if i < len(found) else None
        if want != got:
            shown += [f"  expected {want!r}", f"  found    {got!r}"]
    raise Failed("\n".join(shown))


# ---- accept and reject ------------------------------------------------------------------------------


def reported(hp5c, path):
    """Exit status, and the messages in the form of the header's lines."""
    status, out, err = run([hp5c, "--check-only", "--json", path])
    messages = []
    for line in (out + err).splitlines():
        if not line.startswith("{"):
            raise Failed(f"hp5c --json printed a line that is not JSON: {line}")
        said = json.loads(line)
        if said["severity"] not in ("error", "warning"):
            continue
        place = f"{said['line']}:{said['column']}: " if said.get("line") else ""
        code = f" [{said['code']}]" if said.get("code") else ""
        messages.append(f"{said['severity']}: {place}{said['message']}{code}")
        messages += [f"help: {text}" for text in said["help"]]
        for note in said["notes"]:
            place = f"{note['line']}:{note['column']}: " if note.get("line") else ""
            messages.append(f"note: {place}{note['message']}")
    return status, messages


def check_messages(test, options):
    status, messages = reported(options.hp5c, test.path)
    if options.show:
        print("\n".join(f"// {message}" for message in messages))
        return
    same_lines("messages", test.messages(), messages)
    expected = 0 if test.kind == "accept" else 1
    if status != expected:
        raise Failed(f"exit status {status}, expected {expected}")


# ---- run: arguments --------------------------------------------------------------------------------------


class Arguments:
    """One // args: line: inputs are made once, outputs go to a folder of each run."""

    def __init__(self, test, text, folder):
        import arrays
        self.values, self.outputs, self.words = {}, [], []
        for word in shlex.split(text):
            name, _, value = word.partition("=")
            if value.startswith("@"):
                generator = value[1:]
                if generator.startswith("file("):
                    generator = f"file({os.path.join(os.path.dirname(test.path), generator[5:-1])})"
                array = arrays.generate(generator)
                path = os.path.join(folder, f"{name}-in.npy")
                import numpy as np
                np.save(path, array)
                self.values[name] = array
                self.words.append(f"{name}={path}")
            elif value == "%out":
                self.outputs.append(name)
            elif value.startswith("%"):
                sys.exit(f"args: {word} would be a file in the current folder; an output is {name}=%out")
            else:
                self.values[name] = self.plain(value)
                self.words.append(word)

    @staticmethod
    def plain(text):
        for read in (lambda t: int(t, 0), float):
            try:
                return read(text)
            except ValueError:
                pass
        return {"true": True, "false": False}.get(text, text)

    def command(self, folder):
        return self.words + [f"{name}={os.path.join(folder, name + '.npy')}" for name in self.outputs]

    def load(self, folder):
        import numpy as np
        found = {}
        for name in self.outputs:
            path = os.path.join(folder, name + ".npy")
            if not os.path.exists(path):
                raise Failed(f"the output {name} was not written")
            found[name] = np.load(path)
        left = [name for name in os.listdir(folder) if name[:-4] not in self.outputs]
        if left:
            raise Failed(f"files were left behind: {left}")
        return found


class Outcome:
    def __init__(self, status, out, err, arrays):
        self.status, self.out, self.err, self.arrays = status, out.splitlines(), err, arrays


def execute(command, arguments, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    status, out, err = run(command + arguments.command(folder))
    return Outcome(status, out, err, arguments.load(folder) if status == 0 else {})


# ---- run: comparisons ---------------------------------------------------------------------------------------


def plain_error(test, text):
    """Without warnings, and without what differs from place to place: folders and the program's name."""
    text = "\n".join(without_warnings(text.replace(test.path, os.path.basename(test.path)).splitlines()))
    text = re.sub(r"^(hp5c --interpret \S+ --|[\w./-]+): ", "", text)
    text = re.sub(r"\((hp5c --interpret \S+ --|\S+) --help", "(PROGRAM --help", text)
    return [re.sub(r"'[^']*/([^/']+)'", r"'\1'", line) for line in text.splitlines()]


def without_warnings(lines):
    """The interpreter prints what the compiler warns of, too, and programs warn of threads that have nothing to do: a line,
    and what belongs to it below (notes, and lines that are indented)."""
    kept, warning = [], False
    for line in lines:
        warning = ": warning: " in line or (warning and (line.startswith("  ") or ": note: " in line))
        kept += [] if warning else [line]
    return kept


def check_failure(test, outcome, who, compiled):
    expected = test.one("fail-compiled") if compiled else None
    status, _, message = (expected or test.one("fail")).partition(" ")
    same_lines(f"{who}: messages", [message] + test.all("fail-more"), plain_error(test, outcome.err))
    if outcome.status != int(status):
        raise Failed(f"{who}: exit status {outcome.status}, expected {status}")


def check_reference(test, arguments, outcome):
    if outcome.status != 0:
        raise Failed(f"interpreter: exit status {outcome.status}\n{outcome.err}")
    if test.all("stdout"):
        same_lines("interpreter: output", test.all("stdout"), outcome.out)
    import numpy as np
    names = dict(arguments.values, **outcome.arrays, np=np, stdout=outcome.out)
    exec("\n".join(test.all("python")), names)
    for expression in test.all("expect"):
        if not np.all(eval(expression, names)):
            shown = "".join(f"\n{name} = {array!r}" for name, array in outcome.arrays.items())
            raise Failed(f"interpreter: not true: {expression} (arguments: {' '.join(arguments.words)}){shown}")


def check_same(test, arguments, reference, outcome, who):
    import arrays
    who = f"{who}, arguments {' '.join(arguments.words)}"
    if outcome.status != 0:
        raise Failed(f"{who}: exit status {outcome.status}\n{outcome.err}")
    same_lines(f"{who}: output", reference.out, outcome.out)
    for name, array in reference.arrays.items():
        reason = arrays.difference(array, outcome.arrays[name])
        if reason:
            raise Failed(f"{who}: {name}: interpreter and program: {reason}")


# ---- run: mappings -----------------------------------------------------------------------------------------------


def mappings(test, options, folder):
    """Names and paths; the path is None for the default mapping."""
    found = []
    for name in test.all("map"):
        places = [os.path.join(place, name) for place in (os.path.dirname(test.path), options.mappings)]
        found.append((name, next((place for place in places if os.path.exists(place)), places[0])))
    for number, text in enumerate(test.all("map-text")):
        path = os.path.join(folder, f"text{number}.map")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text.replace("\\n", "\n") + "\n")
        found.append((text, path))
    return found or [("the default mapping", None)]


def compile_program(test, options, mapping, folder, extra):
    program = os.path.join(folder, "program")
    model = os.path.join(options.models, test.one("model", "quad-8core") + ".pcubes")
    command = [options.hp5c, test.path, "--verify", "--model", model, "-o", program] + extra + options.flag
    if mapping:
        command += ["--map", mapping]
    status, out, err = run(command)
    if status != 0:
        raise Failed(f"exit status {status}: {shlex.join(command)}\n{out}{err}")
    return program


def check_run(test, options, folder):
    lines = test.all("args") or [""]
    failing = test.one("fail") is not None
    sets, references = [], []
    for number, text in enumerate(lines):
        inputs = os.path.join(folder, f"inputs{number}")
        os.mkdir(inputs)
        arguments = Arguments(test, text, inputs)
        reference = execute([options.hp5c, "--interpret", "--check-footprints", test.path, "--"], arguments, os.path.join(folder, "reference"))
        if failing:
            check_failure(test, reference, "interpreter", False)
        else:
            check_reference(test, arguments, reference)
        sets.append(arguments)
        references.append(reference)
    builds = [flags for word, flags in (("checked", ["--checked"]), ("compiled", [])) if test.all(word)]
    if options.interpret_only:
        return
    if not failing:
        builds = [[]] + builds[:1] * bool(test.all("checked"))
    for flags, (name, mapping) in itertools.product(builds, mappings(test, options, folder)):
        program = compile_program(test, options, mapping, folder, flags)
        for arguments, reference in zip(sets, references):
            for threads in options.threads:
                outcome = execute([program, "--threads", str(threads)], arguments, os.path.join(folder, "out"))
                who = f"{name}, {threads} threads{''.join(', ' + flag for flag in flags)}"
                if failing:
                    check_failure(test, outcome, who, True)
                else:
                    check_same(test, arguments, reference, outcome, who)


# ---- All together ---------------------------------------------------------------------------------------------------


def check_file(path, options):
    test = Test(path)
    if test.kind != "run":
        check_messages(test, options)
        return
    folder = tempfile.mkdtemp(prefix="hp5-test-")
    os.environ["TMPDIR"] = folder   # what a failing or killed compiler leaves behind goes with it
    try:
        check_run(test, options, folder)
    finally:
        if options.keep:
            print(f"{path}: files are in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def parse_options():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", default=os.path.join(root, "build", "hp5c"))
    parser.add_argument("--models", default=os.path.join(root, "pcubes-models"))
    parser.add_argument("--mappings", default=os.path.join(root, "mappings"))
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=list(THREADS))
    parser.add_argument("--flag", action="append", default=[], help="one more option for hp5c when it compiles")
    parser.add_argument("--interpret-only", action="store_true", help="compile nothing")
    parser.add_argument("--show", action="store_true", help="print the message lines that the file should have")
    parser.add_argument("--keep", action="store_true", help="keep inputs, outputs and programs")
    parser.add_argument("files", nargs="+")
    return parser.parse_args()


def main():
    options = parse_options()
    failures = 0
    for path in options.files:
        try:
            check_file(os.path.abspath(path), options)
        except Failed as reason:
            failures += 1
            print(f"{path}: FAILED\n{reason}")
    if failures:
        print(f"{failures} of {len(options.files)} tests failed")
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError: # the reader of our output has seen enough
        os._exit(1)
