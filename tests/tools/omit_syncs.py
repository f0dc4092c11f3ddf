#!/usr/bin/env python3
"""Is each synchronisation needed? Leaves out one after the other and expects that somebody notices.

    omit_syncs.py --hp5c HP5C [--programs] [--language] [--random N [--seed S]] [--list] [FILE …]

FILE: language tests that run (tests/language/run/NAME.hp5); --language: all of them; --programs: those of programs/;
--random: N random programs (tests/random) from seed S on, a drawn one that is printed if there is none.

hp5c numbers the PLAN_SYNCs of a program; --omit-sync N leaves out one. Such a program, and its runtime, are compiled with
ThreadSanitizer and run with 2, 3 and 8 threads and on 2 sockets of 2 cores, under the program's own mappings and under others made here, in which
other Spaces are run by several threads. That must be noticed: by a report of ThreadSanitizer, by other results than the
interpreter's, or by no end. First the whole program must run without any of this. A synchronisation that nothing
notices is one that the planner should not have put there. --list only counts the synchronisations.
"""
import argparse
import glob
import importlib.util
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
ROOT = os.path.dirname(TESTS)
sys.path[:0] = [f"{ROOT}/programs", f"{TESTS}/programs", f"{TESTS}/random", TESTS, HERE]
import common  # noqa: E402
import run_language  # noqa: E402
import sanitized  # noqa: E402

THREADS = (2, 8, 3)
MODEL = f"{ROOT}/pcubes-models/quad-8core.pcubes"
SERVER_LEVELS = ("Machine", "Socket", "Core")


def run(command, limit=120):
    """Status None: no end."""
    environment = dict(os.environ, LC_ALL="C.UTF-8", TSAN_OPTIONS="halt_on_error=1 history_size=4")
    try:
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, b"", ""
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def must(command):
    status, out, err = run(command, 300)
    if status != 0:
        sys.exit(f"{' '.join(command)}\nended with {status}:\n{err}")
    return out

# Waits that are not needed: a program's own numbers make them unnecessary, which a planner cannot know, or the planner does not
# count what waits anyway. Part of the reason, and why.
NEVER_NEEDED = {
    "tests/language/run/lu_by_column_owners.hp5": ("stage divide_column wrote multipliers, which stage eliminate reads",
                                              "the rows of one block belong to one LPU, because block_size is also the parts' size"),
    "tests/language/run/counter_read_after_its_loop.hp5": ("the loop wrote r, which stage finish reads",
                                                           "threads have waited after the last update of the variable that they share"),
}


# ---- Programs with their inputs and mappings -----------------------------------------------------------------------


class Subject:
    """inputs: pairs of words of the command line and names of output files. mappings: (path or None, model)."""

    def __init__(self, name, path, inputs, mappings):
        self.name, self.path, self.inputs, self.mappings = name, path, inputs, mappings


def module_of(path):
    spec = importlib.util.spec_from_file_location("omit_" + re.sub(r"\W", "_", os.path.basename(path)), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def from_language(path, folder, name=None):
    test = run_language.Test(path)
    if test.kind != "run" or test.one("fail") is not None:
        return None
    inputs = []
    for number, text in enumerate(test.all("args") or [""]):
        place = f"{folder}/inputs{number}"
        os.mkdir(place)
        arguments = run_language.Arguments(test, text, place)
        inputs.append((arguments.words, arguments.outputs))
    models = [f"{ROOT}/pcubes-models", f"{TESTS}/random/models"]
    model = next(found for found in (f"{at}/{test.one('model', 'quad-8core')}.pcubes" for at in models) if os.path.exists(found))
    options = argparse.Namespace(mappings=f"{ROOT}/mappings")
    return Subject(name or os.path.relpath(path, ROOT), path, inputs, [(at, model) for _, at in run_language.mappings(test, options, folder)])


def write_random(seed, folder):
    import generator
    path = f"{folder}/random.hp5"
    with open(path, "w", encoding="utf-8") as out:
        out.write(generator.generate(seed))
    return path


def from_random(seed, folder):
    return from_language(write_random(seed, folder), folder, f"random program {seed}")


def accepted_seeds(options):
    """Some random programs are refused (E1302): the next ones take their place."""
    seed, left = options.seed, options.random
    while left > 0:
        with tempfile.TemporaryDirectory(prefix="hp5-omit-random-") as folder:
            status = run([options.hp5c, "-S", write_random(seed, folder), "--model", MODEL, "-o", f"{folder}/text.c"], 300)[0]
        if status == 0:
            yield seed
            left -= 1
        seed += 1


def mappings_of(source):
    for path in sorted(glob.glob(f"{ROOT}/mappings/{source}/*.map")):
        name = os.path.basename(path)
        if name.startswith(("cluster", "card", "hybrid")):  # several processes; cards
            continue
        model = "hermes" if name.startswith("hermes") else "laptop"
        yield path, f"{ROOT}/pcubes-models/{model}.pcubes"


def program_makers():
    """For each program its name and a function that makes its Subject in a folder."""
    import apps

    def scripted(source, path, module):
        def make(folder):
            inputs = []
            for number, case in enumerate(module.CASES):
                place = f"{folder}/inputs{number}"
                os.mkdir(place)
                inputs.append((common.write_inputs(common.arguments_for(vars(module), source, case), place), module.OUTPUTS[source]))
            return Subject(f"programs/{source}", path, inputs, list(mappings_of(source)))
        return make

    for source, (path, module) in apps.scripts().items():
        if "@Extern" not in open(path, encoding="utf-8").read():   # the interpreter cannot run those
            yield scripted(source, path, module)


# ---- Mappings in which other Spaces have several threads ---------------------------------------------------------------


def more_mappings(options, subject, folder):
    """Every Space on each level in turn, those below it on that one or the lowest."""
    default = must([options.hp5c, subject.path, "--model", MODEL, "--print-map"]).decode()
    spaces = [line for line in default.splitlines() if re.match(r"    Space (?!Root)", line)]
    made, choices = [], itertools.product(range(len(SERVER_LEVELS)), repeat=min(len(spaces), 4))
    for number, levels in enumerate(choices):
        text, at = [], 0
        for line in default.splitlines():
            if re.match(r"    Space (?!Root)", line):
                line = re.sub(r": \S+", f": {SERVER_LEVELS[levels[min(at, len(levels) - 1)]]}", line)
                at += 1
            text.append(line)
        path = f"{folder}/made{number}.map"
        with open(path, "w", encoding="utf-8") as out:
            out.write("\n".join(text) + "\n")
        if run([options.hp5c, "--check-only", subject.path, "--model", MODEL, "--map", path])[0] == 0:
            made.append((path, MODEL))
    random.Random(1).shuffle(made)
    return made[:options.mappings]


# ---- One program ------------------------------------------------------------------------------------------------------


def emitted(options, subject, mapping, extra, path):
    at, model = mapping
    must([options.hp5c, "-S", subject.path, "--model", model, "-o", path, *extra, *(["--map", at] if at else [])])
    with open(path, "rb") as text:
        return text.read()


def outcome(command, inputs, folder):
    """Status, words printed, and output files; or what was noticed."""
    words, outputs = inputs
    place = f"{folder}/out"
    shutil.rmtree(place, ignore_errors=True)
    os.mkdir(place)
    status, out, err = run([*command, *words, *(f"{name}={place}/{name}.npy" for name in outputs)])
    files = [open(f"{place}/{name}.npy", "rb").read() if os.path.exists(f"{place}/{name}.npy") else None for name in outputs]
    return status, out, files, err


class Bench:
    def __init__(self, options, subject, folder, library):
        self.options, self.subject, self.folder, self.library = options, subject, folder, library
        self.expected = [outcome([options.hp5c, "--interpret", subject.path, "--"], inputs, folder)[:3] for inputs in subject.inputs]
        self.usable = [number for number, (status, _, _) in enumerate(self.expected) if status == 0]

    def noticed(self, mapping, extra, quick=False):
        """What is noticed when the program runs under the mapping; None: nothing."""
        text, program = f"{self.folder}/program.c", f"{self.folder}/program"
        emitted(self.options, self.subject, mapping, extra, text)
        must(["gcc", *sanitized.COMMON, *sanitized.KINDS["thread"], text, self.library, *sanitized.LIBRARIES, "-o", program])
        switches = [f"--threads={threads}" for threads in (THREADS[:2] if quick else THREADS)]
        if mapping[1] == MODEL:   # not every Space that has threads below another one gets all of them
            switches.append("--machine=Socket=2,Core=2")
        for number, switch in itertools.product(self.usable, switches):
            status, out, files, err = outcome([program, switch], self.subject.inputs[number], self.folder)
            if status is None:
                return "no end"
            if "ThreadSanitizer" in err:
                return "ThreadSanitizer"
            if (status, out, files) != self.expected[number]:
                return "another result"
        return None


def count_syncs(options, subject, folder):
    mapping = (None, MODEL)
    whole, count = emitted(options, subject, mapping, [], f"{folder}/whole.c"), 0
    while emitted(options, subject, mapping, ["--omit-sync", str(count)], f"{folder}/less.c") != whole:
        count += 1
    return count


def reasons(options, subject):
    """The plan's words for its synchronisations, in order of their numbers."""
    plan = must([options.hp5c, "--dump=plan", subject.path, "--model", MODEL]).decode()
    return [line.strip() for line in plan.splitlines() if line.strip().startswith("WAIT")]


def check(options, make, library):
    """Synchronisations of one program, and those that nobody missed."""
    with tempfile.TemporaryDirectory(prefix="hp5-omit-") as folder:
        subject = make(folder)
        if subject is None or run([options.hp5c, "--check-only", subject.path])[0] != 0:
            return 0, 0
        count = count_syncs(options, subject, folder)
        if options.list or count == 0:
            if options.list:
                print(f"{subject.name}: {count}")
            return count, 0
        bench = Bench(options, subject, folder, library)
        if not bench.usable:
            return 0, 0
        mappings = subject.mappings + more_mappings(options, subject, folder)
        waiting, how = set(range(count)), []
        for mapping in mappings:
            if not waiting:
                break
            said = bench.noticed(mapping, [], quick=True)
            if said:
                print(f"{subject.name}: {said} though nothing is left out, mapping {mapping[0]}", flush=True)
                return count, count
            for number in sorted(waiting):
                said = bench.noticed(mapping, ["--omit-sync", str(number)])
                if said:
                    waiting.discard(number)
                    how.append("by " + said)
        words = reasons(options, subject)
        known = NEVER_NEEDED.get(subject.name, ("no such reason", ""))
        for number in [number for number in waiting if known[0] in words[number]]:
            waiting.discard(number)
            how.append("nobody, for " + known[1])
        for number in sorted(waiting):
            print(f"{subject.name}: nothing noticed that synchronisation {number} of {count} was left out: "
                  f"{words[number]}", flush=True)
        counted = ", ".join(f"{how.count(word)} {word}" for word in sorted(set(how)))
        print(f"{subject.name}: {count - len(waiting)} of {count} omissions: {counted}", flush=True)
        return count, len(waiting)


def makers(options):
    if options.programs:
        yield from program_makers()
    files = options.files + (sorted(glob.glob(f"{TESTS}/language/run/*.hp5")) if options.language else [])
    for path in files:
        yield lambda folder, path=os.path.abspath(path): from_language(path, folder)
    for seed in accepted_seeds(options):
        yield lambda folder, seed=seed: from_random(seed, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--programs", action="store_true")
    parser.add_argument("--language", action="store_true")
    parser.add_argument("--random", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--mappings", type=int, default=8, help="how many more mappings to try")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("files", nargs="*", metavar="FILE")
    options = parser.parse_args()
    options.hp5c = os.path.abspath(options.hp5c)
    if options.random:
        print(f"seeds from {options.seed} on")
    total = missed = 0
    library = None if options.list else sanitized.runtime("thread", options.hp5c)
    for make in makers(options):
        count, left = check(options, make, library)
        total, missed = total + count, missed + left
    print(f"{total - missed} of {total} omissions were noticed" if not options.list else f"{total} synchronisations")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
