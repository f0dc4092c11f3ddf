#!/usr/bin/env python3
"""Runs random programs (generate.py) in the interpreter and compiled, and compares bit by bit.

run.py --count 100 --seed 7       programs 7, 8, 9 …; without --seed a seed is drawn and printed
run.py --replay                   the kept cases: programs that once failed, as language tests in kept/
run.py --shrink FILE              makes a failing program smaller while it fails the same way

A program is discarded when the interpreter reports a run-time error (an argument that does not fit, say), or when
hp5c refuses it with a code of REFUSALS. Anything else that is not equal bits is a failure: it is shrunk
and kept as kept/NAME.hp5 with its arguments, model and mappings (--no-keep leaves it in the temporary folder).
"""
import argparse
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "tools")]
import generate  # noqa: E402
import run_language  # noqa: E402

REFUSALS = ("E1302",)
THREADS = (1, 2, 3, 8)


class Discarded(Exception):
    """The program says nothing about the compiler; the text says why."""


def run(command, limit=40):
    environment = dict(os.environ, LC_ALL="C.UTF-8", TSAN_OPTIONS="halt_on_error=1")
    try:
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return -99, "", "no end in time"
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


class Case:
    """One program with its header; check() raises run_language.Failed, whose first word is the kind of failure."""

    def __init__(self, path, options, folder):
        self.path, self.options, self.folder = path, options, folder
        self.pairs = 0

    def execute(self, command, arguments):
        out = os.path.join(self.folder, "out")
        shutil.rmtree(out, ignore_errors=True)
        os.mkdir(out)
        status, text, err = run(command + arguments.command(out))
        return run_language.Outcome(status, text, err, arguments.load(out) if status == 0 else {})

    def reference(self, arguments):
        status, _, err = run([self.options.hp5c, "--check-only", self.path])
        if status != 0:
            raise run_language.Failed(f"check: exit status {status}\n{err}")
        outcome = self.execute([self.options.hp5c, "--interpret", self.path, "--"], arguments)
        if outcome.status < 0 or outcome.status == 70:
            raise run_language.Failed(f"interpreter: exit status {outcome.status}\n{outcome.err}")
        if outcome.status != 0:
            raise Discarded(re.sub(r"[\d.]+|'[^']*'", "#", outcome.err.strip().splitlines()[-1].split(": ", 1)[-1])[:100])
        return outcome

    def compile(self, test, mapping, flags):
        program = os.path.join(self.folder, "program")
        model = os.path.join(HERE, "models", test.one("model", "deep") + ".pcubes")
        command = [self.options.hp5c, "--verify", f"--cc-flag=-O{self.options.level}", "--model", model, self.path, "-o", program]
        command += [f"--cc-flag={flag}" for flag in self.options.cc_flag] + flags
        status, out, err = run(command + (["--map", mapping] if mapping else []))
        codes = re.findall(r"error: .*\[(E\d+)\]", err)
        if status == 1 and codes and all(code in self.options.refusals for code in codes):
            raise Discarded("refused: " + ", ".join(sorted(set(codes))))
        if status == 0 and self.options.warnings and ".c:" in err:
            raise run_language.Failed("warning: " + "\n".join(line for line in err.splitlines() if ".c:" in line))
        if status != 0:
            raise run_language.Failed(f"compile: exit status {status}: {' '.join(command)}\n{err[-2000:]}")
        return program

    def check(self, only=None):
        """only: (mapping number, threads, flags) of a failure, to shrink quickly. Returns that of a failure in .at"""
        test = run_language.Test(self.path)
        os.makedirs(os.path.join(self.folder, "in"), exist_ok=True)
        arguments = run_language.Arguments(test, test.one("args", ""), os.path.join(self.folder, "in"))
        self.at = only
        reference = self.reference(arguments)
        flag_sets = [[]] + ([["--checked"]] if self.options.checked else [])
        for number, (name, mapping) in enumerate(run_language.mappings(test, self.options, self.folder)):
            for flags in flag_sets:
                if only is not None and (only[0] != number or only[2] != flags):
                    continue
                self.at = (number, None, flags)
                program = self.compile(test, mapping, flags)
                for threads in THREADS if only is None or only[1] is None else (only[1],) * 3:
                    self.at = (number, threads, flags)
                    self.pairs += 1
                    self.compare(test, arguments, reference, program, threads, f"{name}{' checked' if flags else ''}")

    def compare(self, test, arguments, reference, program, threads, name):
        outcome = self.execute([program, "--threads", str(threads)], arguments)
        if outcome.status != 0:
            kind = "stuck" if outcome.status == -99 else "crash" if outcome.status < 0 else "error"
            raise run_language.Failed(f"{kind}: {name}, {threads} threads: exit status {outcome.status}\n{outcome.err[-2000:]}")
        try:
            run_language.check_same(test, arguments, reference, outcome, f"{name}, {threads} threads")
        except run_language.Failed as reason:
            raise run_language.Failed(f"differs: {reason}")


# ---- Shrinking ----------------------------------------------------------------------------------------


def kind_of(reason):
    """Failures of one kind are taken for the same while a program shrinks."""
    lines = str(reason).splitlines()
    kind = lines[0].split(":")[0]
    if kind in ("check", "compile"):
        found = re.findall(r"error: (.*)", str(reason))
        kind += re.sub(r"[‘'].*?[’']|\d+", "#", found[0]) if found else ""
    return kind


def failure(text, options, folder, only=None):
    path = os.path.join(folder, "case.hp5")
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    case = Case(path, options, folder)
    try:
        case.check(only)
    except Discarded:
        return None, None
    except run_language.Failed as reason:
        return kind_of(reason), case.at
    except Exception:  # a header that shrinking broke
        return None, None
    return None, None


def block_end(lines, start):
    depth = 0
    for at in range(start, len(lines)):
        depth += lines[at].count("{") - lines[at].count("}")
        if at == start and depth <= 0:
            return start
        if depth <= 0:
            return at
    return start


def candidates(lines):
    """Smaller programs, largest steps first."""
    first = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    spans = sorted(((block_end(lines, i) - i, i) for i in range(first, len(lines))), reverse=True)
    for length, i in spans:
        yield lines[:i] + lines[i + length + 1:]
    for length, i in spans:
        guard = re.search(r"lpuId|\bif \(|\bdo \{|Partition|Space [A-E] <|Sub-part", lines[i])
        if length >= 1 and not guard:
            yield lines[:i] + lines[i + 1:i + length] + lines[i + length + 1:]
    for i in range(len(lines)):
        for old, new in ((r" and [^{]*?(?=( and |$))", ""), (r" padding\([^)]*\)", ""), (r"\bpadding\([^)]*\)", "padding(1)"),
                         (r"= .*", "= 0.5"), (r"= .*", "= 1"), (r" step -?\d", ""), (r"\[1\.\.\.\w+(\.\w+)?\]", "[1...2]"),
                         (r"stride\(\w+\)|block_stride\([^)]*\)|block_count\(\w+\)", "block_size(2)"), (r"Real single-precision", "Real double-precision"),
                         (r"\(current - [23]\)", "(current - 1)")):
            if i >= first and re.search(old, lines[i]) and re.sub(old, new, lines[i]) != lines[i]:
                yield lines[:i] + [re.sub(old, new, lines[i])] + lines[i + 1:]


def parameter_candidates(text):
    """Without one parameter of a stage, in its definition and its calls; smaller extents and arguments."""
    for name, parameters in re.findall(r"^        (\w+)\(([^()]*)\) \{$", text, re.M):
        names = parameters.split(", ")
        if len(names) < 2:
            continue
        for drop in range(len(names)):
            def without(match):
                words = match.group(2).split(", ")
                if len(words) != len(names):
                    return match.group(0)
                return f"{match.group(1)}({', '.join(words[:drop] + words[drop + 1:])})"
            yield re.sub(rf"\b({name})\(([^()]*)\)", without, text)
    head, _, rest = text.partition("\nProgram")
    for match in re.finditer(r"\bk\d+=(\d+)", head):
        for value in {1, 2, int(match.group(1)) - 1}:
            if 0 < value < int(match.group(1)):
                yield head[:match.start(1)] + str(value) + head[match.end(1):] + "\nProgram" + rest
    for extent in {int(n) for n in re.findall(r"(?<=[(,])(\d+)(?=,)", head)}:
        for value in {2, 3, extent // 2, extent - 1}:
            if 0 < value < extent:
                yield re.sub(rf"(?<=[(,]){extent}(?=,)", str(value), head) + "\nProgram" + rest
    for name in "abcdefgh":
        yield re.sub(rf" {name}=@\S+", "", head) + "\nProgram" + re.sub(rf"\n    bind_input\(env, \"{name}\".*", "", rest)
        yield re.sub(rf" {name}_out=\S+", "", head) + "\nProgram" + re.sub(rf"\n    bind_output\(env, \"{name}\".*", "", rest)
    for name in re.findall(r"\b(k\d+)=", head):
        value = re.search(rf"\b{name}=(\d+)", head).group(1)
        body = re.sub(rf",? ?\bargs\.{name}\b(?=[,)])", "", rest)
        body = re.sub(rf"Partition \((.*)\):", lambda m: "Partition (" + ", ".join(w for w in m.group(1).split(", ") if w != name) + "):", body)
        body = re.sub(rf"\bpartition\.{name}\b|\b{name}\b", value, body)
        yield re.sub(rf" {name}=\d+", "", head) + "\nProgram" + body.replace("; partition: ,", "; partition:").replace("; partition:)", ")").replace("Partition ():", "Partition:")


def shrink(text, kind, at, options, folder, limit):
    """Deletes and simplifies greedily for `limit` seconds."""
    end = time.time() + limit
    changed = True
    while changed and time.time() < end:
        changed = False
        lines = text.splitlines()
        for found in (lambda: ("\n".join(c) + "\n" for c in candidates(lines)), lambda: parameter_candidates(text)):
            progress = True
            while progress and time.time() < end:
                progress = False
                lines = text.splitlines()
                for smaller in found():
                    if time.time() > end:
                        break
                    if smaller != text and failure(smaller, options, folder, at)[0] == kind:
                        text, changed, progress = smaller, True, True
                        break
    return text


def keep_one_mapping(text, at):
    """The header with only the failing mapping."""
    lines, number, out = text.splitlines(), -1, []
    for line in lines:
        if line.startswith("// map-text:"):
            number += 1
            if number != at[0]:
                continue
        out.append(line)
    return "\n".join(out) + "\n"


# ---- Many programs -------------------------------------------------------------------------------------------


def one_seed(job):
    seed, options = job
    folder = tempfile.mkdtemp(prefix=f"hp5-random-{seed}-")
    path = os.path.join(folder, "case.hp5")
    text = generate.generate(seed)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    options.checked, options.level = seed % 5 == 0, 3 if seed % 3 == 0 else 1
    case = Case(path, options, folder)
    try:
        case.check()
        result = ("passed", "", case.pairs, None)
    except Discarded as reason:
        result = ("discarded", str(reason), case.pairs, None)
    except run_language.Failed as reason:
        result = ("failed", str(reason), case.pairs, keep_failure(seed, text, reason, case.at, options, folder))
    shutil.rmtree(folder, ignore_errors=True)
    return seed, result


def keep_failure(seed, text, reason, at, options, folder):
    kind = kind_of(reason)
    if at is not None:
        smaller = keep_one_mapping(text, at)
        at = (0, at[1], at[2])
        if failure(smaller, options, folder, at)[0] == kind:
            text = smaller
        else:
            at = None
    if options.shrink_seconds > 0:
        text = shrink(text, kind, at, options, folder, options.shrink_seconds)
    place = os.path.join(options.keep_in, f"seed{seed}.hp5")
    with open(place, "w", encoding="utf-8") as out:
        out.write(text)
    return place


def run_seeds(options):
    seeds = range(options.seed, options.seed + options.count)
    counts, pairs, reasons = {"passed": 0, "discarded": 0, "failed": 0}, 0, {}
    jobs = [(seed, options) for seed in seeds]
    begun = time.time()
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for seed, (status, reason, ran, place) in pool.map(one_seed, jobs):
            counts[status] += 1
            pairs += ran
            if status == "discarded":
                reasons[reason] = reasons.get(reason, 0) + 1
            if status == "failed":
                print(f"seed {seed}: {reason[:1500]}\n  kept in {place}", flush=True)
            if options.seconds and time.time() - begun > options.seconds:
                seeds = range(seeds.start, seed + 1)
                pool.shutdown(wait=False, cancel_futures=True)
                break
    print(f"seeds {seeds.start} to {seeds.stop - 1}: {counts['passed']} passed ({pairs} runs compared), "
          f"{counts['discarded']} discarded, {counts['failed']} failed")
    if options.reasons:
        for reason, count in sorted(reasons.items(), key=lambda item: -item[1]):
            print(f"  {count} discarded: {reason}")
    return 1 if counts["failed"] else 0


def replay(options):
    folder = os.path.join(HERE, "kept")
    failures = []
    cases = sorted(name for name in os.listdir(folder) if name.endswith(".hp5"))
    for name in cases:
        work = tempfile.mkdtemp(prefix="hp5-replay-")
        try:
            Case(os.path.join(folder, name), options, work).check()
        except (Discarded, run_language.Failed) as reason:
            failures.append(name)
            print(f"{name}: {reason}")
        shutil.rmtree(work, ignore_errors=True)
    print(f"{len(cases)} kept cases, {len(failures)} failed")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", default=os.path.join(ROOT, "build", "hp5c"))
    parser.add_argument("--mappings", default=os.path.join(ROOT, "mappings"))
    parser.add_argument("--count", type=int, default=25)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--seconds", type=float, default=0, help="begin no more programs after this time")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--shrink", metavar="FILE", help="print the program made smaller")
    parser.add_argument("--shrink-seconds", type=float, default=60)
    parser.add_argument("--keep-in", default=os.path.join(HERE, "kept"))
    parser.add_argument("--checked", action="store_true", help="compile checked builds too")
    parser.add_argument("--cc-flag", action="append", default=[], help="also for the C compiler, as -fsanitize=thread with a runtime built so")
    parser.add_argument("--warnings", action="store_true", help="warnings of the C compiler are failures too")
    parser.add_argument("--reasons", action="store_true", help="say why programs were discarded")
    parser.add_argument("--refusals", nargs="*", default=list(REFUSALS), help="codes of errors that are no failure")
    options = parser.parse_args()
    options.hp5c, options.level = os.path.abspath(options.hp5c), 1
    if options.replay:
        return replay(options)
    if options.shrink:
        with open(options.shrink, encoding="utf-8") as file:
            text = file.read()
        folder = tempfile.mkdtemp(prefix="hp5-shrink-")
        kind, at = failure(text, options, folder)
        if kind is None:
            print("it does not fail")
            return 1
        sys.stdout.write(shrink(text, kind, at, options, folder, options.shrink_seconds))
        return 0
    if options.seed is None:
        options.seed = random.randrange(1, 10**9)
        print(f"seed {options.seed}")
    return run_seeds(options)


if __name__ == "__main__":
    sys.exit(main())
