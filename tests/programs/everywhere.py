#!/usr/bin/env python3
"""Every program of programs/ on processors, on a card, in several processes, and on the cards of several processes: the interpreter's bits.

    everywhere.py --hp5c HP5C [--jobs N] [--mpi | --no-mpi] [PROGRAM …]

The same .hp5 is compiled for each of its mappings by one command, in which --map and --model alone differ, and runs with the small inputs of its
script (programs/common.py). Files and what is printed must be the interpreter's, bit by bit. A program that lacks one of the four kinds of
mappings fails, and so does one of which no inputs are really divided: each process must have run stages. At the end a table says how often
each program ran under which mapping.

Cards are simulated (tests/card), each in two orders of its threads; processes talk over sockets (launch.Local), late or at once, and one case of
each program under an MPI, where one is installed. Extern code, which the interpreter does not run, is compared with what one core makes of it.
"""
import argparse
import concurrent.futures
import glob
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS, ROOT = os.path.dirname(HERE), os.path.dirname(os.path.dirname(HERE))
specification = importlib.util.spec_from_file_location("processes", f"{TESTS}/mpi/run.py")
processes = importlib.util.module_from_spec(specification)
specification.loader.exec_module(processes)
builds, shared, launch, run_language, Failed = processes.builds, processes.builds.shared, processes.launch, processes.run_language, processes.Failed

# Mappings with their models by what runs them; of each kind a program must have one.
KINDS = {"processors": (("serial", "laptop"), ("cores", "laptop")),
         "card": (("card", "h200"), ("hybrid", "h200"), ("lanes", "h200")),
         "processes": (("cluster", "cluster"), ("cluster-hermes", "hermes")),
         "cards of processes": (("cards", "gpu-cluster"), ("hybrids", "gpu-cluster"))}
ON_CARDS, IN_ONE = ("card", "cards of processes"), ("processors", "card")
LIMIT = 120     # seconds for a run


class Here:
    """One process, without a launcher."""

    name = "one process"

    @staticmethod
    def run(_processes, command, timeout, variables):
        environment = dict(os.environ, LC_ALL="C.UTF-8", **variables)
        try:
            return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=timeout, env=environment)
        except subprocess.TimeoutExpired:
            raise launch.Stuck("no end, in one process")


class Start:
    """How a run is started: by what, with how many processes, options and variables."""

    def __init__(self, launcher, count=1, options=(), variables=None):
        self.launcher, self.count, self.options, self.variables = launcher, count, list(options), variables or {}

    def __str__(self):
        said = " ".join([f"{name}={value}" for name, value in self.variables.items()] + self.options)
        return f"{self.launcher.name}, {self.count} processes, {said}" if self.count > 1 else f"one process, {said}"


def orders(seeds):
    """Of a card's threads. Even ones have two blocks for each multiprocessor, whose warps are not one then."""
    return [{"HP5_SIM_SEED": str(seed), "HP5_SIM_RESIDENT": "96" if seed % 2 else "192"} for seed in seeds]


def starts(kind, number, options, mpi):
    """Of case `number` under mappings of the kind. So few threads and warps that a few LPUs are divided among the processes, too."""
    if kind == "processors":
        return [Start(Here)]
    if kind == "card":
        return [Start(Here, variables=order) for order in orders([1, 2])]
    count = 2 + number % 2
    words = ["--machine", "SM=1,Warp=2"] if kind in ON_CARDS else ["--threads", str(count - 1)]
    order = orders([1 + number])[0] if kind in ON_CARDS else {}
    late = {"HP5_WATCH": "200", "HP5_LOCAL_LATE": str(number % 3 * (number + 1))} # 0: no message is late
    found = [Start(options.sockets, count, words, order | late)]
    if number == 1: # a small one that has all there is
        found += [Start(Here, 1, words, order)] + ([Start(mpi, 2, words, order)] if mpi else [])
    return found


def busy_processes(trace):
    with open(trace, encoding="utf-8") as file:
        return {span["pid"] for span in json.load(file)["traceEvents"] if span.get("cat") == "stage"}


# ---- A program ----------------------------------------------------------------------------------------------------


class Program:
    def __init__(self, name, path, options, folder):
        self.name, self.path, self.options, self.folder = name, path, options, folder
        with open(path, encoding="utf-8") as text:
            self.has_extern = "@Extern" in text.read()
        self.command = command_of(options, self.has_extern)
        self.runs = {}  # by mapping
        place = os.path.join(folder, "cases")
        os.mkdir(place)
        self.cases = processes.scripted_cases(name, place)[1]
        self.expected = [self.reference(case) for case in self.cases]

    def reference(self, case):
        command = [self.options.hp5c, "--interpret", self.path, "--"]
        if self.has_extern:
            command = [self.compiled("serial", "laptop")]
        outcome = run_language.execute(command, case, f"{self.folder}/reference")
        if outcome.status != 0:
            raise Failed(f"{' '.join(command)} ended with status {outcome.status}\n{outcome.err}")
        return outcome

    def compiled(self, mapping, model):
        program = f"{self.folder}/{mapping}"
        processes.compile_to(program, self.command, self.path, f"{ROOT}/mappings/{self.name}/{mapping}.map", f"{ROOT}/pcubes-models/{model}.pcubes")
        return program

    def execute(self, start, program, case, options):
        folder = f"{self.folder}/out"
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        try:
            done = start.launcher.run(start.count, [program, *start.options, *options, *case.command(folder)], timeout=LIMIT, variables=start.variables)
        except launch.Stuck as reason:
            raise Failed(f"stuck: {reason}")
        said = "\n".join(run_language.without_warnings(done.stderr.splitlines())).strip()
        if done.returncode != 0 or said:
            raise Failed(f"status {done.returncode}\n{said[-3000:]}")
        return run_language.Outcome(0, done.stdout, "", case.load(folder))

    def check_run(self, start, program, case, expected, look):
        """`look`: whether each process has run stages; a trace says so."""
        trace = f"{self.folder}/trace.json"
        try:
            outcome = self.execute(start, program, case, ["--trace", trace] if look else [])
            run_language.check_same(None, case, expected, outcome, str(start))
        except Failed as reason:
            raise Failed(f"{start}, arguments {' '.join(case.words)}: {reason}")
        return look and len(busy_processes(trace)) == start.count

    def check_mapping(self, kind, mapping, model, mpi):
        program, divided = self.compiled(mapping, model), kind in IN_ONE
        self.runs[mapping] = 0
        for number, (case, expected) in enumerate(zip(self.cases, self.expected)):
            for start in starts(kind, number, self.options, mpi):
                divided = self.check_run(start, program, case, expected, not divided and start.count > 1) or divided
                self.runs[mapping] += 1
        if not divided:
            raise Failed("whatever the inputs, some processes have run no stage")

    def check(self, mpi):
        """What is wrong, in words."""
        wrong = []
        for kind, mappings in KINDS.items():
            there = [(mapping, model) for mapping, model in mappings if os.path.exists(f"{ROOT}/mappings/{self.name}/{mapping}.map")]
            if not there:
                wrong.append(f"{self.name}: mappings/{self.name} has none for {kind}: {', '.join(mapping for mapping, _ in mappings)}")
            for mapping, model in there:
                try:
                    self.check_mapping(kind, mapping, model, mpi)
                except (Failed, processes.Refused) as reason:
                    wrong.append(f"{self.name}, {mapping}.map: FAILED: {reason}")
        return wrong


# ---- All of them ---------------------------------------------------------------------------------------------------


def check_program(name, path, options, mpi):
    """The program's runs by mapping, and what is wrong."""
    folder = tempfile.mkdtemp(prefix="program-", dir=options.folder)
    try:
        program = Program(name, path, options, folder)
        return program.runs, program.check(mpi)
    except (Failed, processes.Refused) as reason:
        return {}, [f"{name}: FAILED: {reason}"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def print_table(runs):
    mappings = [mapping for kind in KINDS.values() for mapping, _ in kind]
    print(f"{'runs of':26}" + "  ".join(mappings))
    for name in sorted(runs):
        print(f"{name:26}" + "  ".join(f"{runs[name].get(mapping, '-'):>{len(mapping)}}" for mapping in mappings))


def programs_of(options):
    known = {os.path.basename(path)[:-4]: path for path in sorted(glob.glob(f"{ROOT}/programs/*/*.hp5"))}
    unknown = [name for name in options.names if name not in known] + [name for name in known if name not in processes.known_programs()]
    if unknown:
        sys.exit(f"no program with inputs: {', '.join(unknown)}")
    return [(name, known[name]) for name in options.names or known]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--mpi", action=argparse.BooleanOptionalAction, default=True, help="one case of each program under an MPI, by turns")
    parser.add_argument("names", nargs="*", metavar="PROGRAM")
    options = parser.parse_args()
    options.hp5c = os.path.abspath(options.hp5c)
    return options


def command_of(options, has_extern):
    """hp5c with all options but mapping and model; C is compiled in the quickest way that there is (tcc does not take all headers of extern code)."""
    quickest = "tcc" if shutil.which("tcc") and not has_extern and not builds.has_sanitizers(options.hp5c) else "gcc -O0"
    toolchain = builds.Toolchain(options.hp5c, False)
    return toolchain.command(builds.named([quickest])[0]) + ["--nvcc", f"{TESTS}/card/nvcc"]


def main():
    options, runs, wrong = parse_options(), {}, []
    mpis = launch.find(os.path.dirname(options.hp5c)) if options.mpi else []
    with tempfile.TemporaryDirectory(prefix="hp5-everywhere-") as options.folder:
        os.environ["HP5_SIM_HEADERS"] = shared.folder(options.hp5c)
        os.environ["TMPDIR"] = options.folder   # for what a failing or killed compiler leaves behind
        options.sockets = launch.Local(options.folder)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            jobs = {pool.submit(check_program, name, path, options, mpis[number % len(mpis)] if mpis else None): name
                    for number, (name, path) in enumerate(programs_of(options))}
            for job in concurrent.futures.as_completed(jobs):
                runs[jobs[job]], found = job.result()
                wrong += found
                print("".join(line + "\n" for line in found), end="", flush=True)
    print_table(runs)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
