#!/usr/bin/env python3
"""Programs on a real card: the interpreter's bits. They are compiled where hp5c, nvcc and a lot of time are, and run where a card is.

    real.py pack FOLDER [--arch ARCH] [--simulated] --hp5c HP5C [options of run.py]
                                                          compile; executables, inputs and what the interpreter gives go to FOLDER
    real.py run FOLDER [--jobs N] [--limit SECONDS]       run all of them and compare; needs a card, python3 and numpy alone
    real.py check --hp5c HP5C                             both, on the simulated card: what is right passes, and what is wrong fails

`run` ends with how many passed and failed, and status 1 if one failed. It starts so many programs beside each other as --jobs says. --simulated packs
programs for the simulated card, for which `run --simulated` needs no other.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "tools")]
import arrays  # noqa: E402
import run_language  # noqa: E402


# ---- Where hp5c is -----------------------------------------------------------------------------------------------------


class Package:
    """The folder: jobs.json says for each executable how it is called and what it gives; files have numbers for names."""

    def __init__(self, folder):
        self.folder, self.jobs, self.lock, self.stored = pathlib.Path(folder), [], threading.Lock(), {}
        if self.folder.exists():
            sys.exit(f"{folder} is there already: name a folder that is not, or remove it")

    def store(self, path):
        """A file's name in the folder; each file is there once."""
        content = pathlib.Path(path).read_bytes()
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.lock:
            name = self.stored.setdefault(content, f"{len(self.stored)}{pathlib.Path(path).suffix}")
        (self.folder / name).write_bytes(content)
        return name

    def add(self, subject, mapping, program):
        subprocess.run(["strip", program], check=True)
        executable = self.store(program)
        (self.folder / executable).chmod(0o755)
        text = pathlib.Path(mapping[2]).read_text(encoding="utf-8")
        for arguments, reference in subject.sets:
            words = [self.word(word) for word in arguments.words]
            job = {"name": subject.name, "mapping": mapping[0], "text": text, "program": executable, "words": words, "out": reference.out,
                   "outputs": {name: self.store(f"{subject.folder}/expected/{number_of(subject, arguments)}/{name}.npy") for name in arguments.outputs}}
            with self.lock:
                self.jobs.append(job)

    def word(self, word):
        name, equals, value = word.partition("=")
        return [name, self.store(value)] if equals and value.endswith(".npy") else word

    def close(self):
        (self.folder / "jobs.json").write_text(json.dumps(self.jobs, indent=1), encoding="utf-8")


def number_of(subject, arguments):
    return next(number for number, (known, _) in enumerate(subject.sets) if known is arguments)


def pack(folder, words):
    import numpy as np
    import run
    parser = argparse.ArgumentParser()
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--simulated", action="store_true")
    options, words = parser.parse_known_args(words)
    package = Package(folder)

    def check_mapping(subject, mapping, totals):
        """In place of running: what a run would be compared with goes along."""
        if isinstance(mapping[2], run.processes.Refused):
            raise mapping[2]
        for number, (_, reference) in enumerate(subject.sets):
            place = pathlib.Path(subject.folder) / "expected" / str(number)
            place.mkdir(parents=True, exist_ok=True)
            for name, values in reference.arrays.items():
                np.save(place / f"{name}.npy", values)
        program = f"{subject.folder}/program"
        run.processes.compile_to(program, [*subject.options.command, "--gpu-arch", options.arch], subject.path, mapping[2], mapping[1])
        package.add(subject, mapping, program)
        totals["runs"] += len(subject.sets)

    run.check_mapping = check_mapping
    sys.argv = [sys.argv[0], *words] if options.simulated else [sys.argv[0], "--nvcc", *words]
    status = run.main()
    if not package.jobs:
        sys.exit(f"nothing was packed: {folder} is not made")
    package.close()
    return status


# ---- Where the card is ---------------------------------------------------------------------------------------------------


def failure(job, folder, limit):
    """None, or what went wrong."""
    with tempfile.TemporaryDirectory(prefix="hp5-real-") as out:
        words = [word if isinstance(word, str) else f"{word[0]}={folder / word[1]}" for word in job["words"]]
        command = [folder / job["program"], *words, *(f"{name}={out}/{name}.npy" for name in job["outputs"])]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=limit)
        except subprocess.TimeoutExpired:
            return f"no end in {limit} s"
        if done.returncode != 0:
            return f"status {done.returncode}\n{done.stderr[-1500:]}"
        said = "\n".join(run_language.without_warnings(done.stderr.splitlines()))
        if said.strip():
            return f"messages: {said[-1500:]}"
        if done.stdout.splitlines() != job["out"]:
            return f"it prints\n{done.stdout[-700:]}\nin place of\n" + "\n".join(job["out"])[-700:]
        for name, expected in job["outputs"].items():
            import numpy as np
            differs = arrays.difference(np.load(folder / expected), np.load(f"{out}/{name}.npy"))
            if differs:
                return f"{name}: interpreter and card: {differs}"
    return None


def run_all(options):
    folder = pathlib.Path(options.folder).resolve()
    listed, failed, begin = folder / "jobs.json", 0, time.monotonic()
    if not listed.is_file():
        sys.exit(f"{folder} has no jobs.json: is it a folder that 'real.py pack' has made, to its end?")
    jobs = json.loads(listed.read_text(encoding="utf-8"))
    if not options.simulated and not shutil.which("nvidia-smi"):
        sys.exit("nvidia-smi is not here: is there a card?")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for job, reason in zip(jobs, pool.map(lambda job: failure(job, folder, options.limit), jobs)):
            if reason:
                failed += 1
                words = " ".join(word if isinstance(word, str) else "=".join(word) for word in job["words"])
                print(f"{job['name']}, {job['mapping']}: FAILED: {job['program']} {words}: {reason}\n{job['text']}", flush=True)
    print(f"{len(jobs) - failed} passed, {failed} failed in {time.monotonic() - begin:.0f} s", flush=True)
    return 1 if failed else 0


# ---- Neither ---------------------------------------------------------------------------------------------------------------


def check(words):
    """Packs a program, runs it, and runs it again where something else is expected."""
    def call(status, *more):
        done = subprocess.run([sys.executable, __file__, *map(str, more)], capture_output=True, text=True, check=False)
        if done.returncode != status:
            sys.exit(f"{' '.join(map(str, more))}: status {done.returncode}, expected {status}\n{done.stdout}{done.stderr}")
        return done.stdout

    import numpy as np
    with tempfile.TemporaryDirectory(prefix="hp5-real-") as place:
        folder = pathlib.Path(place) / "packed"
        call(0, "pack", folder, "--simulated", *words, "--programs", "prefix-sum", "--kinds", "warps")
        said = call(0, "run", folder, "--simulated")
        jobs = json.loads((folder / "jobs.json").read_text(encoding="utf-8"))
        if f"{len(jobs)} passed, 0 failed" not in said or len(jobs) < 2:
            sys.exit(f"{len(jobs)} programs are packed, and of them: {said}")
        expected = max((folder / job["outputs"]["sums"] for job in jobs), key=lambda path: np.load(path).size)
        values = np.load(expected)
        np.save(expected, np.where(np.arange(values.size) == values.size - 1, 1234.5, values))
        if "sums: interpreter and card" not in call(1, "run", folder, "--simulated"):
            sys.exit("a wrong result is not said")
    print("passed")


def main():
    if sys.argv[1:2] == ["check"]:
        return check(sys.argv[2:])
    if sys.argv[1:2] == ["pack"] and len(sys.argv) > 2 and not sys.argv[2].startswith("-"):
        return pack(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("pack", "run", "check"))
    parser.add_argument("folder")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--limit", type=int, default=60, help="seconds for a run")
    parser.add_argument("--simulated", action="store_true", help="no card is needed: the programs have a simulated one")
    options = parser.parse_args()
    return run_all(options)


if __name__ == "__main__":
    sys.exit(main())
