#!/usr/bin/python3
"""Predictions in full text: each tests/predict/NAME.hp5 says in its first comments what input it gets and with which
arguments it runs; NAME.txt is what --predict prints for them on the machine of model.pcubes, run after run. `--show`
prints what a NAME.txt should hold.

Also checked: a program that predicts writes no output file and predicts the same twice; the columns of --timing, and
that it changes no result; a model without figures gives counts and no times."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MAKE_INPUT = os.path.join(ROOT, "tests", "tools", "make_input.py")
TINY = """Program (args) {
    job = new TaskEnvironment(name: "Tiny")
    bind_input(job, "v", args.v)
    execute(task: "Tiny"; environment: job; initialize: args.n; partition: args.k)
    bind_output(job, "v", args.w)
}
Task "Tiny":
    Define:
        v: 1d Array of Real double-precision
        n: Integer
    Environment:
        v: link
    Initialize (n):
    Stages:
        add(v) { do { v[i] = v[i] + 1 } for i in v }
    Computation:
        Space A { Repeat for r in [1...n] { add(v) } }
    Partition (k):
        Space A <1d> { v: block_size(k) }
"""
NAMES = ["scale", "triangle", "rounds", "product", "apart"]


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def directives(name):
    inputs, calls = [], []
    with open(os.path.join(HERE, name + ".hp5"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("// input: "):
                inputs.append(line[len("// input: "):].strip().split(" ", 1))
            if line.startswith("// args: "):
                calls.append(line[len("// args: "):].split())
    return inputs, calls


class Checker:
    def __init__(self, hp5c, folder):
        self.hp5c, self.folder, self.failures, self.checks = hp5c, folder, 0, 0

    def expect(self, condition, message):
        self.checks += 1
        if not condition:
            self.failures += 1
            print("FAILED: " + message)

    def compile(self, name, model):
        program = os.path.join(self.folder, name)
        result = run([self.hp5c, os.path.join("tests", "predict", name + ".hp5"), "--model", model, "-o", program], cwd=ROOT)
        self.expect(result.returncode == 0, f"{name}: hp5c: {result.stderr}")
        return program

    def predictions(self, name):
        program = self.compile(name, os.path.join(HERE, "model.pcubes"))
        self.make_inputs(name)
        return "".join(self.prediction(program, call) for call in directives(name)[1])

    def make_inputs(self, name):
        for file, text in directives(name)[0]:
            run([sys.executable, MAKE_INPUT, os.path.join(self.folder, file), text])

    def prediction(self, program, call):
        text = "$ " + " ".join(call) + " --predict\n"
        first = run([program, *call, "--predict"], cwd=self.folder)
        again = run([program, *call, "--predict"], cwd=self.folder)
        self.expect(first.returncode == 0 and first.stderr == "", f"{program}: {first.stderr}")
        self.expect(first.stdout == again.stdout, f"{program}: another prediction the second time")
        self.expect(not os.path.exists(os.path.join(self.folder, "out.npy")), f"{program}: --predict wrote its output")
        return text + first.stdout

    def check_text(self, name):
        with open(os.path.join(HERE, name + ".txt"), encoding="utf-8") as file:
            expected = file.read()
        actual = self.predictions(name)
        self.expect(actual == expected, f"{name}.txt\n--- expected\n{expected}--- actual\n{actual}")

    def check_timing(self):
        """Columns of --timing; the same result with and without it."""
        program = os.path.join(self.folder, "scale")
        self.make_inputs("scale")
        call = directives("scale")[1][0]
        plain = run([program, *call], cwd=self.folder)
        self.expect(plain.returncode == 0 and plain.stderr == "", plain.stderr)
        with open(os.path.join(self.folder, "out.npy"), "rb") as file:
            before = file.read()
        timed = run([program, *call, "--timing"], cwd=self.folder)
        with open(os.path.join(self.folder, "out.npy"), "rb") as file:
            self.expect(file.read() == before, "--timing changed the result")
        text = re.sub(r"\d+\.\d{6}", "S.SSSSSS", timed.stderr.replace("0.000041  moving", "P.PPPPPP  moving"))
        self.expect(text == "task Scale on 2 threads in S.SSSSSS s, after S.SSSSSS s of reading and placing data\n"
                    "  stage                             calls        max s       mean s  predicted s  bound by\n"
                    "  scale in Space A (line 24)          100     S.SSSSSS     S.SSSSSS     P.PPPPPP  moving to Core\n",
                    "--timing:\n" + timed.stderr)
        alone = run([program, *call, "--task-times"], cwd=self.folder)
        self.expect(re.sub(r"\d+\.\d{6}", "S.SSSSSS", alone.stderr) == text.splitlines(keepends=True)[0], "--task-times:\n" + alone.stderr)
        both = run([program, *call, "--task-times", "--timing"], cwd=self.folder)
        self.expect(len(both.stderr.splitlines()) == 3, "--task-times --timing:\n" + both.stderr)
        processors = len(os.sched_getaffinity(0))
        for threads in (processors, processors + 1):
            timed = run([program, *call, "--timing", f"--threads={threads}"], cwd=self.folder)
            sharing = f"(sharing {processors} processor{'s' if processors > 1 else ''}) in "
            self.expect((sharing in timed.stderr) == (threads > processors), "--timing:\n" + timed.stderr)
        os.remove(os.path.join(self.folder, "out.npy"))

    def check_counting_is_left_out(self):
        """A million calls of a stage of one element: predicting them takes many times as long as running them, and is no part of the
        task's time. A model without figures predicts nothing. The best of some runs in turn, of more where the machine is busy."""
        seconds, source = {"with": 1e9, "without": 1e9}, os.path.join(self.folder, "tiny.hp5")
        with open(source, "w", encoding="utf-8") as file:
            file.write(TINY)
        run([sys.executable, MAKE_INPUT, os.path.join(self.folder, "v.npy"), "zeros(50000,float64)"])
        for name, core in (("with", "{ compute: 8 ops 2.4 GHz, memory: 256 KB }"), ("without", "")):
            model, program = (os.path.join(self.folder, f"{name}{end}") for end in (".pcubes", ""))
            with open(model, "w", encoding="utf-8") as file:
                file.write(f'Machine "M"\nSpace 2: Machine (1)\nSpace 1<core>: Core (2) {core}\n')
            built = run([self.hp5c, source, "--model", model, "-o", program])
            self.expect(built.returncode == 0, built.stderr)
        for count in range(25):
            if count >= 5 and 0.2 < seconds["with"] / seconds["without"] < 4:
                break
            for name in seconds:
                said = run([os.path.join(self.folder, name), "v=v.npy", "w=w.npy", "n=20", "k=1", "--threads=1", "--timing"], cwd=self.folder).stderr
                times = [float(text) for text in re.findall(r"on 1 thread in (\S+) s", said)]
                self.expect(len(times) == 1, f"{name}: {said}")
                seconds[name] = min([seconds[name], *(time for time in times if time > 0)])
        self.expect(0.2 < seconds["with"] / seconds["without"] < 4, f"a task's time with and without a prediction: {seconds}")

    def check_bare_model(self):
        """Without figures there are counts, and no times."""
        bare = os.path.join(self.folder, "bare.pcubes")
        with open(bare, "w", encoding="utf-8") as file:
            file.write("Space 2: Machine (1)\nSpace 1<core>: Core (2)\n")
        program = self.compile("scale", bare)
        result = run([program, *directives("scale")[1][0], "--predict"], cwd=self.folder)
        self.expect(result.stdout == "task Scale on 2 threads\n"
                    "  stage                         calls operations loads+stores  to Core      time  bound by\n"
                    "  scale in Space A (line 24)      100    50.0 k        800 kB   800 kB         -\n"
                    "  barriers: 0; copied between parts: 0 B\n"
                    "  no times: the model states no 'compute' with operations and clock ('hp5c --probe' measures this machine)\n",
                    "a bare model:\n" + result.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--show", metavar="NAME")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(os.path.abspath(options.hp5c), folder)
        if options.show:
            print(checker.predictions(options.show), end="")
            return
        for name in NAMES:
            checker.check_text(name)
        checker.check_timing()
        checker.check_counting_is_left_out()
        checker.check_bare_model()
    print(f"{checker.checks} checks, {checker.failures} failed")
    sys.exit(checker.failures > 0)


main()
