#!/usr/bin/env python3
"""Programs in several processes: the interpreter's bits for every mapping, number of processes and threads, and MPI.

    run.py --hp5c HP5C [--programs [NAME …]] [--language [FILE …]] [--random N [--seed S]] [more options]

--programs   those of programs/ that have a script of inputs, under their mappings cluster*.map; with --spread under generated ones, too
--language   the language tests that run, under generated mappings (spread.py) that put Spaces above, at and below the processes
--random N   N random programs (tests/random) from seed S on, a drawn one that is printed, under such mappings, too

Each program is compiled once for each mapping and run with all numbers of processes and threads (--ranks, --threads), under each
MPI that is installed, and once without a launcher; --runs N takes N of these runs, drawn from the program's name. With --fast
processes talk over sockets (launch.Local), late or at once as is drawn, and tcc compiles where there is one. Output
files and what is printed must be the interpreter's bit by bit. A run that does not end says where its processes wait. With
--checker every run is watched by checker.c, and every message compared with the plan (planned.py). With --plans N nothing is run:
plans are made and verified for N mappings of each kind. What hp5c refuses to make for several processes (E1303) is counted, and
with --reasons said; any other refusal is a failure. --stop ends after so many failures.
"""
import argparse
import collections
import concurrent.futures
import glob
import itertools
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS, ROOT = os.path.dirname(HERE), os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, TESTS, f"{TESTS}/tools", f"{TESTS}/programs", f"{TESTS}/random", f"{ROOT}/programs"]
import apps  # noqa: E402  (these lie in the folders above)
import builds  # noqa: E402
import check  # noqa: E402
import common  # noqa: E402
import launch  # noqa: E402
import random_mappings  # noqa: E402
import run_language  # noqa: E402
import spread  # noqa: E402
import watched  # noqa: E402

Failed = run_language.Failed


class Refused(Exception):
    """hp5c does not make this program for several processes; the text says why."""


class Alone:
    """No launcher: one process does everything."""

    name = "alone"

    @staticmethod
    def run(_ranks, command, timeout, variables=None):
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout,
                                  env=dict(os.environ, LC_ALL="C.UTF-8", **variables or {}))
        except subprocess.TimeoutExpired:
            raise launch.Stuck("no end, without a launcher")
        return subprocess.CompletedProcess(command, done.returncode, *(text.decode("utf-8", "replace") for text in (done.stdout, done.stderr)))


# ---- What is run -------------------------------------------------------------------------------------------------


class Subject:
    """A program: its argument sets with what the interpreter gives for each, and mappings (name, model, path)."""

    def __init__(self, name, path, options, folder):
        self.name, self.path, self.options, self.folder = name, path, options, folder
        self.test, self.sets, self.mappings = None, [], []
        with open(path, encoding="utf-8", errors="surrogateescape") as text:
            self.has_extern = "@Extern" in text.read()

    def interpret(self, arguments):
        outcome = run_language.execute([self.options.hp5c, "--interpret", self.path, "--"], arguments, f"{self.folder}/reference")
        if outcome.status != 0:
            raise Refused("the interpreter reports an error")
        return outcome


class Files:
    """Arguments of a program of programs/, as run_language.Arguments."""

    def __init__(self, words, outputs):
        self.words, self.outputs = words, outputs

    command, load = run_language.Arguments.command, run_language.Arguments.load


def new_folder(path):
    os.mkdir(path)
    return path


def scripted_cases(source, folder):
    """Path of a program, and its arguments: of its script, or as tests/programs/check.py has them."""
    if source in apps.scripts():
        path, module = apps.scripts()[source]
        return path, [Files(common.write_inputs(common.arguments_for(vars(module), source, case), new_folder(f"{folder}/inputs{number}")),
                            module.OUTPUTS[source]) for number, case in enumerate(module.CASES)]
    program = next(known for known in check.programs() if known.name == source)
    cases = []
    for number, (inputs, words) in enumerate(program.cases[2::3]):
        place = new_folder(f"{folder}/inputs{number}")
        cases.append(Files(check.make_inputs(program, inputs, number, place) + words, [program.output]))
    return program.source, cases


def program_subject(source, options, folder):
    path, cases = scripted_cases(source, folder)
    subject = Subject(source, path, options, folder)
    for arguments in cases:
        if subject.has_extern:
            subject.sets.append((arguments, without_segments(subject, arguments)))
        else:
            subject.sets.append((arguments, subject.interpret(arguments)))
    for mapping in sorted(glob.glob(f"{ROOT}/mappings/{source}/cluster*.map")):
        model = "hermes" if "hermes" in mapping else "cluster"
        subject.mappings.append((os.path.basename(mapping), f"{ROOT}/pcubes-models/{model}.pcubes", mapping))
    return subject


def spread_subject(source, options, folder):
    subject = program_subject(source, options, folder)
    add_spread(subject, random.Random(source))
    return subject


def without_segments(subject, arguments):
    """Extern code, which the interpreter cannot run: what the program gives on one core takes its place."""
    program = f"{subject.folder}/serial"
    compile_to(program, [subject.options.hp5c], subject.path, f"{ROOT}/mappings/{subject.name}/serial.map", f"{ROOT}/pcubes-models/laptop.pcubes")
    return run_language.execute([program], arguments, f"{subject.folder}/reference")


def language_subject(path, options, folder, rng):
    test = run_language.Test(path)
    subject = Subject(os.path.relpath(path, TESTS), path, options, folder)
    subject.test = test
    if test.kind != "run" or test.one("fail") is not None:
        raise Refused("the test expects an error")
    if options.plans and subprocess.run([options.hp5c, "-S", path, "-o", f"{folder}/program.c"], capture_output=True).returncode != 0:
        raise Refused("hp5c reports an error")
    for number, text in enumerate([] if options.plans else test.all("args") or [""]):
        os.mkdir(f"{folder}/inputs{number}")
        arguments = run_language.Arguments(test, text, f"{folder}/inputs{number}")
        subject.sets.append((arguments, subject.interpret(arguments)))
    add_spread(subject, rng)
    return subject


def random_subject(seed, options, folder):
    import generator
    path = f"{folder}/seed{seed}.hp5"
    with open(path, "w", encoding="utf-8") as out:
        out.write(generator.generate(seed))
    subject = language_subject(path, options, folder, random.Random(f"cluster {seed}"))
    subject.name = f"seed {seed}"
    return subject


def add_spread(subject, rng):
    models = [f"{HERE}/models/{name}.pcubes" for name in ("nodes", "racks", "shared")]
    for number, kind in enumerate(kind for kind in subject.options.kinds for _ in range(max(1, subject.options.plans))):
        model = rng.choice(models)
        folder = f"{subject.folder}/map{number}"
        os.mkdir(folder)
        spreader = spread.Spreader(subject.options.hp5c, subject.path, model)
        path = spreader.accepted(kind, folder, rng)
        if path:
            stated = subject.options.statements and random_mappings.laid_out(subject.options.hp5c, subject.path, path, model, rng, stated=True)
            subject.mappings.append((kind, model, stated or path))
        elif any(said["code"] == "E1302" for said in spreader.refused): # whatever the mapping
            raise Refused("hp5c reports an error")
        elif any(said["code"] != "E1303" for said in spreader.refused):
            raise Failed(f"mapping: {kind}: {spreader.refused}\n{spreader.mapping(kind, rng)}")
        else:
            subject.mappings.append((kind, model, Refused(spreader.refused[0]["message"])))


# ---- Running it ---------------------------------------------------------------------------------------------------


def compile_to(program, command, path, mapping, model):
    command = [*command, path, "--verify", "--map", mapping, "--model", model, "-o", program]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    refusal = next((line for line in done.stderr.splitlines() if "[E1303]" in line or "[E1304]" in line), None)
    if refusal:
        raise Refused(refusal.split("error: ")[1])
    if done.returncode != 0:
        raise Failed(f"compile: status {done.returncode}: {shlex.join(command)}\n{done.stderr[-2000:]}")


def runs_of(options, name):
    """What is started how: launcher, processes, threads."""
    found = [(mpi, ranks, threads) for mpi, ranks, threads in itertools.product(options.mpis, options.ranks, options.threads)]
    found += [(Alone, 1, threads) for threads in options.threads] if options.alone else []
    if options.runs and options.runs < len(found):
        rng = random.Random(name)
        several = [run for run in found if run[1] > 1]
        found = rng.sample(several, min(options.runs, len(several)))
    return found


def variables_of(options, mpi, number, folder):
    """Of a run; on a loaded computer processes answer late."""
    if mpi is Alone:
        return None
    if mpi.name == "local":
        return {"HP5_WATCH": "200", "HP5_LOCAL_LATE": str(number % 3 * number)} # 0: no message is late
    return watched.variables(options.checker, mpi.name, folder, plan=True, HP5_CHECKER_SEED=options.delays)


def execute(options, mpi, ranks, program, threads, arguments, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    timing = ["--timing"] if (ranks + threads) % 2 else [] # it must change nothing; its table goes where messages go
    command = [program, "--threads", str(threads), *timing, *arguments.command(folder)]
    variables = variables_of(options, mpi, ranks + threads, folder)
    try:
        done = mpi.run(ranks, command, timeout=options.limit, variables=variables)
    except launch.Stuck as reason:
        raise Failed(f"stuck: {reason}")
    found = watched.findings(options.checker, folder) if options.checker and mpi is not Alone else ""
    if done.returncode != 0:
        raise Failed(f"status {done.returncode}\n{done.stderr[-3000:]}{found}")
    if found:
        raise Failed(f"checker: {found}")
    err = "\n".join(run_language.without_warnings(done.stderr.splitlines()))
    if err.strip() and not timing:
        raise Failed(f"messages: {err[-2000:]}")
    return run_language.Outcome(0, done.stdout, "" if timing else err, arguments.load(folder))


def check_mapping(subject, mapping, totals):
    """All runs of the program under one mapping; ends at the first that fails."""
    name, model, path = mapping
    options, program = subject.options, f"{subject.folder}/program"
    build = options.extern_build if subject.has_extern else options.build # headers that extern code includes may not know every compiler
    command = options.toolchain.command(build) if build else options.command
    if isinstance(path, Refused):
        raise path
    compile_to(program, command + ["-S"] * (options.plans > 0), subject.path, path, model)
    if options.plans:
        return
    for mpi, ranks, threads in runs_of(options, f"{subject.name} {name}"):
        for arguments, reference in subject.sets:
            who = f"{mpi.name}, {ranks} processes of {threads} threads"
            try:
                outcome = execute(options, mpi, ranks, program, threads, arguments, f"{subject.folder}/out")
                run_language.check_same(subject.test, arguments, reference, outcome, who)
            except Failed as reason:
                said = str(reason)
                raise Failed(f"{who}, arguments {' '.join(arguments.words)}: {said}\nmapping for {os.path.basename(model)}:\n"
                             + open(path, encoding="utf-8").read())
            totals["runs"] += 1


def check_subject(make, name, options):
    """What happened, by kind, and what is to be said."""
    totals, said = collections.Counter(), []
    folder = tempfile.mkdtemp(prefix="program-", dir=options.folder)
    try:
        subject = make(folder)
    except Refused as reason:
        totals[f"left out: {reason}"] += 1
        return totals, said
    except Failed as reason:
        totals["failed"] += 1
        return totals, [f"{name}: {reason}"]
    for mapping in subject.mappings:
        try:
            check_mapping(subject, mapping, totals)
            totals["passed"] += 1
        except Refused as reason:
            totals["refused"] += 1
            said += [f"{name}, {mapping[0]}: refused: {reason}"] if options.reasons else []
        except Failed as reason:
            totals["failed"] += 1
            said.append(f"{name}, {mapping[0]}: FAILED: {reason}")
    if options.keep and totals["failed"]:
        said.append(f"  files are in {shutil.move(folder, options.keep)}")
    shutil.rmtree(folder, ignore_errors=True)
    return totals, said


# ---- All of it ------------------------------------------------------------------------------------------------------


def known_programs():
    return [*apps.scripts(), *(program.name for program in check.programs())]


def subjects(options):
    """Names, and what makes each in a folder."""
    if options.programs is not None:
        make = spread_subject if options.spread else program_subject
        for source in options.programs or known_programs():
            yield source, lambda folder, source=source: make(source, options, folder)
    if options.language is not None:
        for path in options.language or sorted(glob.glob(f"{TESTS}/language/run/*.hp5")):
            path = os.path.abspath(path)
            yield os.path.relpath(path, TESTS), lambda folder, path=path: language_subject(path, options, folder, random.Random(os.path.basename(path)))
    for seed in range(options.seed, options.seed + options.random):
        yield f"seed {seed}", lambda folder, seed=seed: random_subject(seed, options, folder)


def numbers(text):
    return [int(word) for word in text.split(",")]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", default=f"{ROOT}/build/hp5c")
    parser.add_argument("--programs", nargs="*", metavar="NAME")
    parser.add_argument("--language", nargs="*", metavar="FILE")
    parser.add_argument("--random", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--ranks", type=numbers, default=[1, 2, 3, 4, 7])
    parser.add_argument("--threads", type=numbers, default=[1, 2])
    parser.add_argument("--mpi", type=lambda text: text.split(","), help="only these: openmpi, mpich")
    parser.add_argument("--fast", action="store_true", help="over sockets, and compiled by tcc if it is installed")
    parser.add_argument("--spread", action="store_true", help="programs under generated mappings, too")
    parser.add_argument("--alone", action=argparse.BooleanOptionalAction, default=True, help="also without a launcher")
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=list(spread.KINDS), help="of generated mappings")
    parser.add_argument("--plans", type=int, default=0, metavar="N", help="of each kind N mappings; plans are verified, nothing is run")
    parser.add_argument("--statements", action="store_true", help="generated mappings have random layouts, limits of LPUs, and memory that is collected")
    parser.add_argument("--runs", type=int, default=0, metavar="N", help="only N runs with several processes for each mapping")
    parser.add_argument("--build", help="how C is compiled (tests/random/builds.py), as tcc or 'gcc -O1'; hp5c's own way if not given")
    parser.add_argument("--checker", action="store_true", help="watch all messages, and compare them with the plan")
    parser.add_argument("--delays", type=int, default=1, metavar="SEED", help="of what the checker delays")
    parser.add_argument("--limit", type=int, default=60, help="seconds for a run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--reasons", action="store_true", help="say what is refused and why")
    parser.add_argument("--stop", type=int, default=0, metavar="N", help="end after N failures")
    parser.add_argument("--keep", metavar="FOLDER", help="files of failures go there")
    options = parser.parse_args()
    options.hp5c = os.path.abspath(options.hp5c)
    options.command = [options.hp5c]
    if options.fast:
        options.alone, options.mpis, options.build = False, [], options.build or ("tcc" if shutil.which("tcc") else "gcc -O0")
    else:
        options.mpis = [mpi for mpi in launch.find(os.path.dirname(options.hp5c)) if not options.mpi or mpi.name in options.mpi]
    if options.random and options.seed is None:
        options.seed = random.randrange(1, 10**9)
        print(f"seeds from {options.seed} on", flush=True)
    options.seed = options.seed or 0
    return options


def main():
    options = parse_options()
    if not options.mpis and not options.fast:
        return launch.SKIPPED
    totals = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="hp5-mpi-") as options.folder:
        os.environ["TMPDIR"] = options.folder
        options.mpis = options.mpis or [launch.Local(options.folder)]
        options.build, options.extern_build = (builds.named([name])[0] if options.build else None for name in (options.build, "gcc -O0"))
        options.toolchain = builds.Toolchain(options.hp5c, False)
        options.checker = watched.build(options.mpis, options.folder) if options.checker else None
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            jobs = [pool.submit(check_subject, make, name, options) for name, make in subjects(options)]
            for job in concurrent.futures.as_completed(jobs):
                if job.cancelled():
                    continue
                found, said = job.result()
                totals.update(found)
                for line in said:
                    print(line, flush=True)
                if options.stop and totals["failed"] >= options.stop:
                    for other in jobs:
                        other.cancel()
    print(", ".join(f"{count} {what}" for what, count in sorted(totals.items())))
    return 1 if totals["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
