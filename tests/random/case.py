"""One random program with its arguments, model and mappings: the interpreter's results against the compiled program's.

A pair is one program compiled under one mapping; it is run with several numbers of threads and with other counts of PPUs
(--machine). Failed's first word is the kind of failure; Discarded means that the program says nothing.
"""
import os
import random
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "tools")]
import builds  # noqa: E402
import run_language  # noqa: E402

Failed = run_language.Failed


class Discarded(Exception):
    """The program says nothing about the compiler; the text says why."""


def run(command, limit=60):
    environment = dict(os.environ, LC_ALL="C.UTF-8", TSAN_OPTIONS="halt_on_error=1")
    try:
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return -99, "", "no end in time"
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


class Place:
    """Where a pair failed: enough to run only this again."""

    def __init__(self, mapping, build, switches=None):
        self.mapping, self.build, self.switches = mapping, build, switches


class Case:
    def __init__(self, path, options, toolchain, folder):
        self.path, self.options, self.toolchain, self.folder = path, options, toolchain, folder
        self.pairs, self.runs, self.at = 0, 0, None

    def execute(self, command, arguments):
        out = os.path.join(self.folder, "out")
        shutil.rmtree(out, ignore_errors=True)
        os.mkdir(out)
        status, text, err = run(command + arguments.command(out))
        return run_language.Outcome(status, text, err, arguments.load(out) if status == 0 else {})

    def reference(self, path, arguments):
        status, _, err = run([self.options.hp5c, "--check-only", path])
        if status != 0:
            raise Failed(f"check: exit status {status}\n{err}")
        outcome = self.execute([self.options.hp5c, "--interpret", path, "--"], arguments)
        if outcome.status < 0 or outcome.status == 70:
            raise Failed(f"interpreter: exit status {outcome.status}\n{outcome.err}")
        if outcome.status != 0:
            raise Discarded(re.sub(r"[\d.]+|'[^']*'", "#", outcome.err.strip().splitlines()[-1].split(": ", 1)[-1])[:100])
        return outcome

    def compile(self, model, mapping, build):
        program = os.path.join(self.folder, "program")
        command = self.toolchain.command(build) + ["--verify", "--model", model, self.path, "-o", program]
        status, _, err = run(command + (["--map", mapping] if mapping else []), 200)
        codes = re.findall(r"error: .*\[(E\d+)\]", err)
        if status == 1 and codes and all(code in self.options.refusals for code in codes):
            raise Discarded("refused: " + ", ".join(sorted(set(codes))))
        if status == 0 and self.options.warnings and ".c:" in err:
            raise Failed("warning: " + "\n".join(line for line in err.splitlines() if ".c:" in line))
        if status != 0:
            raise Failed(f"compile: exit status {status}: {' '.join(command)}\n{err[-2000:]}")
        return program

    def switches(self, model, build, salt):
        """Options of the runs: numbers of threads, and once other counts of PPUs than the model's."""
        found = [["--threads", str(n)] for n in build.threads]
        with open(model, encoding="utf-8") as lines:
            levels = re.findall(r"^Space \d+\S*\s+([\w-]+)", lines.read(), re.M)[1:]
        draw = random.Random(f"machine {salt}")
        chosen = draw.sample(levels, draw.randint(1, len(levels)))
        found.append(["--machine", ",".join(f"{level}={draw.randint(1, 4)}" for level in chosen)])
        return found

    def check(self, salt, wanted=None, only=None):
        """salt: what builds are drawn from; wanted: these builds instead; only: the Place of a failure.

        The Place of a new failure is in .at."""
        test = run_language.Test(self.path)
        os.makedirs(os.path.join(self.folder, "in"), exist_ok=True)
        arguments = run_language.Arguments(test, test.one("args", ""), os.path.join(self.folder, "in"))
        model = os.path.join(HERE, "models", test.one("model", "deep") + ".pcubes")
        self.at = only
        reference = self.reference(self.path, arguments)
        for number, (name, mapping) in enumerate(run_language.mappings(test, self.options, self.folder)):
            if only is not None and only.mapping != number:
                continue
            for build in [only.build] if only is not None else wanted or [builds.choose(self.options.builds, salt, number)]:
                self.at = Place(number, build)
                program = self.compile(model, mapping, build)
                self.pairs += 1
                again = [only.switches] * 3 if only is not None and only.switches else self.switches(model, build, f"{salt} {number}")
                for switches in again:
                    self.at = Place(number, build, switches)
                    self.runs += 1
                    self.compare(test, arguments, reference, [program] + switches, f"{name}, {build.name}")

    def compare(self, test, arguments, reference, command, name):
        name += ", " + " ".join(command[1:])
        outcome = self.execute(command, arguments)
        if outcome.status != 0:
            kind = "stuck" if outcome.status == -99 else "crash" if outcome.status < 0 else "error"
            for word, said in (("race", "ThreadSanitizer"), ("memory", "AddressSanitizer"), ("undefined", "runtime error:")):
                kind = word if said in outcome.err else kind
            raise Failed(f"{kind}: {name}: exit status {outcome.status}\n{outcome.err[-3000:]}")
        try:
            run_language.check_same(test, arguments, reference, outcome, name)
        except Failed as reason:
            raise Failed(f"differs: {reason}")
