#!/usr/bin/env python3
"""Programs on a simulated card: the interpreter's bits for every mapping to its levels, in whatever order its threads run.

    run.py --hp5c HP5C [--programs [NAME …]] [--held-out [NAME …] [--part I/N]] [--language [FILE …]] [--random N [--seed S]] [--failing [FILE …]] [--ranks N,…] [more options]

What is run is chosen as in tests/mpi/run.py; --held-out: kernels of experiments/held-out, with small inputs. Mappings are those of tiers.py. Each program is compiled once for each mapping, with the simulator
(simulator/cuda_runtime.h) in place of CUDA, and run with several seeds of the order of threads. What cards cannot do yet (E1304) is
counted, and with --reasons said; any other refusal is a failure. With --ranks so many processes have a card each (models/cluster.pcubes), and mappings
are those of tests/mpi/spread.py, or hosted and hybrid ones; processes talk over sockets, or with --mpi under an MPI. --sanitizer thread finds threads that touch one element without a wait between
them, --sanitizer address accesses outside of the card's memory. --nvcc: only compiled, by NVIDIA's compiler.

With --plans N nothing is run: plans are made and verified for N mappings of each kind.

--checked makes checked builds. --failing makes them of language tests that expect a failure: a card says what processors say, once, and ends with
their status.
"""
import argparse
import collections
import concurrent.futures
import glob
import importlib.util
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS, ROOT = os.path.dirname(HERE), os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, f"{TESTS}/mpi", TESTS]
specification = importlib.util.spec_from_file_location("processes", f"{TESTS}/mpi/run.py")
processes = importlib.util.module_from_spec(specification)
specification.loader.exec_module(processes)
import random_mappings  # noqa: E402
import spread  # noqa: E402
import tiers  # noqa: E402

MODEL, WIDE, LANES, BOTH, HYBRID, CLUSTER, CLUSTER_LANES, CLUSTER_BOTH, CLUSTER_HYBRID = (
    f"{HERE}/models/{name}.pcubes" for name in ("small", "wide", "lanes", "both", "hybrid", "cluster", "cluster-lanes", "cluster-both", "cluster-hybrid"))
KEPT = [("card.map", "h200"), ("hybrid.map", "h200")], [("cards.map", "gpu-cluster"), ("hybrids.map", "gpu-cluster")] # in one process, and in several
NOT_YET = ("E1303", "E1304")
LEFT = None, "150000", "60000", "30000" # of the card's memory, as it says, with --staged (runtime/card/batches.c)
SHARED = "8192", "36864", "24576" # of a block: room for no pieces of rows (runtime/card/row_pieces.h), for three of each of three warps, for two


def maker_of(subject, kind):
    """The model, and what makes mappings of the kind."""
    if subject.options.processes and kind == tiers.MIXED:
        return CLUSTER_BOTH, tiers.MixedSpreader(subject.options.hp5c, subject.path, CLUSTER_BOTH)
    if subject.options.processes and kind in tiers.HYBRID:
        return CLUSTER_HYBRID, tiers.Tiers(subject.options.hp5c, subject.path, CLUSTER_HYBRID, hosts=tiers.CLUSTER_HOSTS)
    if subject.options.processes and kind in tiers.LANES:
        return CLUSTER_LANES, tiers.LaneSpreader(subject.options.hp5c, subject.path, CLUSTER_LANES)
    if subject.options.processes:
        return CLUSTER, spread.Spreader(subject.options.hp5c, subject.path, CLUSTER)
    if kind in tiers.LANES:
        return LANES, tiers.Tiers(subject.options.hp5c, subject.path, LANES)
    model = BOTH if kind == tiers.MIXED else HYBRID if kind in tiers.HYBRID else WIDE if subject.options.wide else MODEL
    return model, tiers.Tiers(subject.options.hp5c, subject.path, model, kind == tiers.MIXED)


def add_mappings(subject, rng):
    for number, kind in enumerate(kind for kind in subject.options.kinds for _ in range(max(1, subject.options.plans))):
        folder = f"{subject.folder}/map{number}"
        os.mkdir(folder)
        model, found = maker_of(subject, kind)
        path = found.accepted(kind, folder, rng)
        if path:
            memory = "STAGED" if subject.options.staged else None
            laid_out = (subject.options.layouts or memory) and random_mappings.laid_out(subject.options.hp5c, subject.path, path, model, rng, memory=memory)
            subject.mappings.append((kind, model, laid_out or path))
        elif any(said["code"] == "E1302" for said in found.refused): # whatever the mapping
            raise processes.Refused("hp5c reports an error")
        elif any(said["code"] not in NOT_YET for said in found.refused):
            raise processes.Failed(f"mapping: {kind}: {found.refused}\n{found.mapping(kind, rng)}")
        else:
            subject.mappings.append((kind, model, processes.Refused(found.refused[0]["message"])))
    add_written(subject)


def add_written(subject):
    """With several processes, those that a language test has in lines `// cards: MAPPING`, with \\n as in // map-text: lines."""
    with open(subject.path, encoding="utf-8", errors="surrogateescape") as text:
        written = re.findall(r"^// cards: (.*)$", text.read(), re.M)
    for number, mapping in enumerate(written if subject.options.processes else []):
        path = f"{subject.folder}/written{number}.map"
        with open(path, "w", encoding="utf-8") as out:
            out.write(mapping.replace("\\n", "\n") + "\n")
        subject.mappings.append((f"written{number}", CLUSTER, path))


def program_subject(source, options, folder):
    subject = processes.program_subject(source, options, folder)
    subject.mappings = []
    add_mappings(subject, random.Random(source))
    for name, model in KEPT[bool(options.processes)]:
        kept = f"{ROOT}/mappings/{source}/{name}"
        if options.kept and os.path.exists(kept):
            subject.mappings.append((name, f"{ROOT}/pcubes-models/{model}.pcubes", kept))
    return subject


# ---- Kernels of experiments/held-out -------------------------------------------------------------------------------------


def held_out():
    """Kernels by name (experiments/held-out/run.py)."""
    specification = importlib.util.spec_from_file_location("held_out", f"{ROOT}/experiments/held-out/run.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return {kernel.name: (kernel, module.write_inputs) for kernel in module.KERNELS}


def held_out_subject(kernel, write_inputs, options, folder):
    """Two small inputs of different sizes, the second one an odd number."""
    subject = processes.Subject(f"held-out/{kernel.name}", f"{ROOT}/experiments/held-out/{kernel.name}.hp5", options, folder)
    for size in [] if options.plans or options.nvcc else (kernel.small, kernel.small // 3 * 2 | 1):
        inputs = processes.new_folder(f"{folder}/inputs{size}")
        arguments = processes.Files(write_inputs(kernel, size, pathlib.Path(inputs)), kernel.outputs)
        subject.sets.append((arguments, subject.interpret(arguments)))
    add_mappings(subject, random.Random(kernel.name))
    return subject


class Seeded:
    """A run with one order of threads; `ranks` is its seed. Even ones have two blocks for each multiprocessor, where its warps need not be one; blocks
    have more shared memory or less. With --predict a run without a card says before what it would take; with --staged the card has memory for all parts, for some, or for none."""

    name = "card"

    @staticmethod
    def run(seed, command, timeout, variables):
        """Runs stand beside each other: what one is told is in its own environment."""
        command, variables = [word for word in command if word != "--timing"], dict(variables or {})
        if os.environ.get("HP5_TEST_PREDICTS"):
            predicted = processes.Alone.run(seed, command + ["--predict"], timeout, dict(variables, HP5_SIM_CARDS="0"))
            if predicted.returncode != 0 or "predicted: " not in predicted.stdout:
                return subprocess.CompletedProcess(command, predicted.returncode or 1, "", f"--predict:\n{predicted.stdout}{predicted.stderr}")
        threads = int(os.environ["HP5_SIM_THREADS"])
        if os.environ.get("HP5_TEST_STAGED") and LEFT[seed % 4]:
            variables["HP5_SIM_LEFT"] = LEFT[seed % 4]
        return processes.Alone.run(seed, command, timeout, dict(variables, HP5_SIM_SEED=str(seed), HP5_SIM_RESIDENT=str(threads if seed % 2 else 2 * threads),
                                                                HP5_SIM_SHARED=SHARED[seed % 3]))


# ---- Failures ----------------------------------------------------------------------------------------------------------


def failing_tests():
    for path in sorted(glob.glob(f"{TESTS}/language/fail/*.hp5")):
        test = processes.run_language.Test(path)
        if test.kind == "run" and test.one("fail") and test.all("checked"):
            yield path


def failing_subject(path, options, folder):
    subject = processes.Subject(os.path.relpath(path, TESTS), path, options, folder)
    subject.test = processes.run_language.Test(path)
    for number, text in enumerate(subject.test.all("args") or [""]):
        os.mkdir(f"{folder}/inputs{number}")
        subject.sets.append((processes.run_language.Arguments(subject.test, text, f"{folder}/inputs{number}"), None))
    add_mappings(subject, random.Random(os.path.basename(path)))
    return subject


def check_failing(subject, mapping, totals):
    name, model, path = mapping
    options, program = subject.options, f"{subject.folder}/program"
    if isinstance(path, processes.Refused):
        raise path
    processes.compile_to(program, options.command, subject.path, path, model)
    for order in options.ranks:
        for arguments, _ in subject.sets:
            folder = f"{subject.folder}/out"
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
            done = Seeded.run(order, [program, *arguments.command(folder)], options.limit, None)
            outcome = processes.run_language.Outcome(done.returncode, done.stdout, done.stderr, {})
            processes.run_language.check_failure(subject.test, outcome, f"{name}, order {order}, arguments {' '.join(arguments.words)}", True)
            totals["runs"] += 1


check_running = processes.check_mapping


def check_mapping(subject, mapping, totals):
    fails = subject.test is not None and subject.test.one("fail") is not None
    (check_failing if fails else check_running)(subject, mapping, totals)


def subjects(options):
    for name, make in processes.subjects(options):
        if options.programs is not None and name in (options.programs or processes.known_programs()):
            make = lambda folder, name=name: program_subject(name, options, folder)
        yield name, make
    known = {} if options.held_out is None else held_out()
    part, parts = map(int, options.part.split("/"))
    for name in (options.held_out or list(known))[part - 1::parts]:
        yield f"held-out/{name}", lambda folder, name=name: held_out_subject(*known[name], options, folder)
    for path in [] if options.failing is None else options.failing or failing_tests():
        yield os.path.relpath(path, TESTS), lambda folder, path=os.path.abspath(path): failing_subject(path, options, folder)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--programs", nargs="*", metavar="NAME")
    parser.add_argument("--held-out", nargs="*", metavar="NAME")
    parser.add_argument("--part", default="1/1", metavar="I/N", help="the I-th of N parts of the kernels")
    parser.add_argument("--language", nargs="*", metavar="FILE")
    parser.add_argument("--failing", nargs="*", metavar="FILE", help="language tests that expect a failure; those of checked builds, if none is named")
    parser.add_argument("--checked", action="store_true", help="checked builds")
    parser.add_argument("--random", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--kept", action=argparse.BooleanOptionalAction, default=True, help="programs also under their mappings card.map")
    parser.add_argument("--kinds", type=lambda text: text.split(",") if text else [], help="of generated mappings")
    parser.add_argument("--wide", action="store_true", help="blocks have 256 threads in place of 96 (models/wide.pcubes), under card, blocks and warps")
    parser.add_argument("--staged", action="store_true", help="all arrays lie in the host's memory, and parts of LPUs come from there")
    parser.add_argument("--layouts", action="store_true", help="arrays lie as is drawn: by columns, fields apart, aligned")
    parser.add_argument("--ranks", dest="processes", type=processes.numbers, metavar="N,…", help="numbers of processes, each with a card")
    parser.add_argument("--mpi", type=lambda text: text.split(","), help="with --ranks: these, in place of sockets")
    parser.add_argument("--orders", type=processes.numbers, default=[1, 2], help="seeds of the order of threads")
    parser.add_argument("--sanitizer", choices=("thread", "address"))
    parser.add_argument("--nvcc", action="store_true")
    parser.add_argument("--plans", type=int, default=0, metavar="N", help="of each kind N mappings; plans are verified, nothing is run")
    parser.add_argument("--limit", type=int, default=120, help="seconds for a run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--predict", action="store_true", help="each run is predicted, too")
    parser.add_argument("--reasons", action="store_true", help="say what is refused and why")
    parser.add_argument("--stop", type=int, default=0, metavar="N", help="end after N failures")
    parser.add_argument("--keep", metavar="FOLDER", help="files of failures go there")
    options = parser.parse_args()
    options.hp5c = os.path.abspath(options.hp5c)
    if options.random and options.seed is None:
        options.seed = random.randrange(1, 10**9)
        print(f"seeds from {options.seed} on", flush=True)
    options.seed = options.seed or 0
    if options.kinds is None:
        options.kinds = list(spread.KINDS if options.processes else tiers.KINDS)
    options.mpis, options.ranks, options.threads, options.alone = [Seeded], [] if options.nvcc else options.orders, [1], False
    if options.processes:
        options.ranks = [] if options.nvcc else options.processes
        options.mpis = [mpi for mpi in processes.launch.find(os.path.dirname(options.hp5c)) if mpi.name in options.mpi] if options.mpi else []
    options.statements = False
    options.runs, options.checker, options.delays, options.spread = 0, None, 1, False
    options.build = options.extern_build = None
    flags = [f"-fsanitize={options.sanitizer}", "-g"] if options.sanitizer else []
    os.environ["HP5_TEST_PREDICTS"] = "1" if options.predict else ""
    os.environ["HP5_TEST_STAGED"] = "1" if options.staged else ""
    os.environ["HP5_SIM_THREADS"] = "256" if options.wide else "96"
    os.environ["HP5_SIM_FLAGS"] = " ".join(flags)
    options.checked = options.checked or options.failing is not None
    options.command = [options.hp5c, "--nvcc", "nvcc" if options.nvcc else f"{HERE}/nvcc", "--cc-flag=-O0"] + [f"--cc-flag={flag}" for flag in flags]
    options.command += ["--checked"] * options.checked
    return options


def main():
    options = parse_options()
    if options.nvcc and not shutil.which("nvcc"):
        print("skipped: there is no nvcc")
        return processes.launch.SKIPPED
    processes.add_spread, processes.check_mapping = add_mappings, check_mapping
    totals = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="hp5-card-") as options.folder:
        os.environ["TMPDIR"], os.environ["HP5_SIM_HEADERS"] = options.folder, processes.builds.shared.folder(options.hp5c)
        options.mpis = options.mpis or [processes.launch.Local(options.folder)]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            jobs = [pool.submit(processes.check_subject, make, name, options) for name, make in subjects(options)]
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
