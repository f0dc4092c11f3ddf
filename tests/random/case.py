"""One random program with its arguments, model and mappings: the interpreter's results against the compiled program's.

A pair is one program compiled under one mapping; it is run with all its argument sets, several numbers of threads, and once
with other counts of PPUs (--machine). Further lines of the header (see tests/run_language.py for the others):

    // partition-free: …      all argument sets must give the same results
    // empty-args: …          arguments with arrays of extent 0: both must do the same, mostly refuse it
    // builds: gcc -O1, …     builds of a kept case (builds.py)
    // variant-of: FILE       the program must give that one's results (generator/variants.py)

Failed's first word is the kind of failure; Discarded means that the program says nothing.
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


def directive(path, word):
    """What stands after `// word:` in the header, or None."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("//"):
                return None
            if line.startswith(f"// {word}: "):
                return line[len(word) + 5:].strip()
    return None


def errors_of(err):
    """What the compilers said, without warnings of hp5c."""
    paragraphs = re.split(r"\n(?=\S+:\d+:\d+: )", err)
    return "\n".join(p for p in paragraphs if not re.match(r"\S+\.hp5:\d+:\d+: warning", p))[-2000:]


class Place:
    """Where a pair failed: enough to run only this again. variant: the text that failed, if not the program's own."""

    def __init__(self, mapping, build, switches=None, variant=None):
        self.mapping, self.build, self.switches, self.variant = mapping, build, switches, variant


class Case:
    def __init__(self, path, options, toolchain, folder):
        self.path, self.options, self.toolchain, self.folder = path, options, toolchain, folder
        self.pairs, self.runs, self.at = 0, 0, None
        self.test = run_language.Test(path)
        self.model = os.path.join(HERE, "models", self.test.one("model", "deep") + ".pcubes")
        inputs = os.path.join(folder, "in")
        self.sets = []
        for number, text in enumerate(self.test.all("args") or [""]): # each has arrays of its own
            own = os.path.join(inputs, str(number))
            os.makedirs(own, exist_ok=True)
            self.sets.append(run_language.Arguments(self.test, text, own))
        text = directive(path, "empty-args")
        os.makedirs(inputs + "-empty", exist_ok=True)
        self.empty = run_language.Arguments(self.test, text, inputs + "-empty") if text is not None else None

    def execute(self, command, arguments):
        out = os.path.join(self.folder, "out")
        shutil.rmtree(out, ignore_errors=True)
        os.mkdir(out)
        status, text, err = run(command + arguments.command(out))
        return run_language.Outcome(status, text, err, arguments.load(out) if status == 0 else {})

    # ---- The interpreter -------------------------------------------------------------------------------

    def interpret(self, path, arguments):
        outcome = self.execute([self.options.hp5c, "--interpret", "--check-footprints", path, "--"], arguments)
        if "the planner has " in outcome.err:
            raise Failed(f"footprint: {errors_of(outcome.err)}")
        if outcome.status < 0 or outcome.status == 70:
            raise Failed(f"interpreter: exit status {outcome.status}\n{outcome.err}")
        return outcome

    def references(self, path):
        """The interpreter's results for each argument set."""
        status, _, err = run([self.options.hp5c, "--check-only", path])
        if status != 0:
            raise Failed(f"check: exit status {status}\n{errors_of(err)}")
        found = []
        for arguments in self.sets:
            outcome = self.interpret(path, arguments)
            if outcome.status != 0:
                said = outcome.err.strip().splitlines()[-1].split(": ", 1)[-1]
                raise Discarded(re.sub(r"[\d.]+|'[^']*'", "#", said)[:100])
            found.append(outcome)
        if directive(path, "partition-free") is not None:
            for arguments, outcome in zip(self.sets[1:], found[1:]):
                self.same(arguments, found[0], outcome, "partition-free", "interpreter, other partition arguments")
        return found

    def same(self, arguments, expected, outcome, kind, name):
        try:
            run_language.check_same(self.test, arguments, expected, outcome, name)
        except Failed as reason:
            raise Failed(f"{kind}: {reason}")

    # ---- Compiled programs --------------------------------------------------------------------------------

    def compile(self, path, mapping, build):
        program = os.path.join(self.folder, "program")
        command = self.toolchain.command(build) + ["--verify", "--model", self.model, path, "-o", program]
        status, _, err = run(command + (["--map", mapping] if mapping else []), 200)
        codes = re.findall(r"error: .*\[(E\d+)\]", err)
        if status == 1 and codes and all(code in self.options.refusals for code in codes):
            raise Discarded("refused: " + ", ".join(sorted(set(codes))))
        if status == 0 and self.options.warnings:
            self.check_warnings(err)
        if status != 0:
            raise Failed(f"compile: exit status {status}: {' '.join(command)}\n{errors_of(err)}")
        return program

    @staticmethod
    def check_warnings(err):
        """Of the C compiler; strange expressions of constants are the program's own."""
        said = [line for line in err.splitlines() if ".c:" in line and "warning:" in line
                and "-Wtautological-" not in line and "-Wxor-used-as-pow" not in line and "-Wself-assign" not in line]
        if said:
            raise Failed("warning: " + "\n".join(said))

    def switches(self, build, salt):
        """Options of the runs: numbers of threads, and once other counts of PPUs than the model's."""
        found = [["--threads", str(n)] for n in build.threads]
        with open(self.model, encoding="utf-8") as lines:
            levels = re.findall(r"^Space \d+\S*\s+([\w-]+)", lines.read(), re.M)[1:]
        draw = random.Random(f"machine {salt}")
        chosen = draw.sample(levels, draw.randint(1, len(levels)))
        found.append(["--machine", ",".join(f"{level}={draw.randint(1, 4)}" for level in chosen)])
        return found

    def check(self, salt, wanted=None, only=None, variants=()):
        """salt: what builds are drawn from; wanted: these builds instead; only: the Place of a failure; variants: names
        and texts of variants, of which each makes a pair, too. The Place of a new failure is in .at."""
        self.at = only
        original = directive(self.path, "variant-of")
        foreign = "@Extern" in open(self.path, encoding="utf-8").read()
        references = self.references(os.path.join(os.path.dirname(self.path), original) if original else self.path)
        if original and not foreign:
            self.check_variant_results(original, references)
        for number, (name, mapping) in enumerate(run_language.mappings(self.test, self.options, self.folder)):
            if only is not None and only.mapping != number:
                continue
            for build in [only.build] if only is not None else wanted or [builds.choose(self.options.builds, salt, number)]:
                self.pair(self.path, (number, name, mapping), build, references, f"{salt} {number}", only)
            if only is None and self.empty is not None and number == 0:
                self.check_empty(os.path.join(self.folder, "program"))
            if number < len(variants):
                self.check_variant(variants[number], (number, name, mapping), references, f"{salt} {number} variant")

    def pair(self, path, mapping, build, references, salt, only):
        number, name, file = mapping
        self.at = Place(number, build)
        program = self.compile(path, file, build)
        self.pairs += 1
        again = [only.switches] * 3 if only is not None and only.switches else self.switches(build, salt)
        for n, (arguments, reference) in enumerate(zip(self.sets, references)):
            for switches in again if n == 0 else again[n::2]:
                self.at = Place(number, build, switches)
                self.runs += 1
                self.compare(arguments, reference, [program] + switches, f"{name}, {build.name}")

    def compare(self, arguments, reference, command, name):
        name += ", " + " ".join(command[1:])
        outcome = self.execute(command, arguments)
        if outcome.status != 0:
            kind = "stuck" if outcome.status == -99 else "crash" if outcome.status < 0 else "error"
            for word, said in (("race", "ThreadSanitizer"), ("memory", "AddressSanitizer"), ("undefined", "runtime error:")):
                kind = word if said in outcome.err else kind
            raise Failed(f"{kind}: {name}: exit status {outcome.status}\n{outcome.err[-3000:]}")
        self.same(arguments, reference, outcome, "differs", name)

    # ---- Variants, empty arrays -----------------------------------------------------------------------------

    def check_variant(self, variant, mapping, references, salt):
        name, text = variant
        path = os.path.join(self.folder, "variant.hp5")
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        try:
            if "@Extern" not in text:
                self.check_variant_results(path, references)
            self.pair(path, mapping, builds.choose(self.options.builds, salt, 0), references, salt, None)
        except Failed as reason:
            self.at.variant = text
            raise Failed(f"{name}: {reason}")

    def check_variant_results(self, path, references):
        """The interpreter's results for the variant (or, of a kept one, for the program as it was)."""
        found = self.references(path if os.path.isabs(path) else self.path)
        for arguments, reference, outcome in zip(self.sets, references, found):
            self.same(arguments, reference, outcome, "variant", "interpreter")

    def check_empty(self, program):
        """An array of extent 0 is refused by both in the same words, or worked on by both with the same results."""
        reference = self.interpret(self.path, self.empty)
        outcome = self.execute([program, "--threads", "2"], self.empty)
        self.runs += 1
        if "run-time error: " in reference.err: # an element of an empty part: only checked builds look
            return
        if reference.status == 0 == outcome.status:
            self.same(self.empty, reference, outcome, "empty", "arrays of extent 0")
            return
        said = [re.sub(r"^[\w./-]+: ", "", o.err.strip().splitlines()[-1]) for o in (reference, outcome) if o.err.strip()]
        if reference.status != outcome.status or len(set(said)) != 1 or len(said) != 2:
            raise Failed(f"empty: interpreter {reference.status}: {errors_of(reference.err)}\nprogram {outcome.status}: {outcome.err}")
