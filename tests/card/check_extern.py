#!/usr/bin/env python3
"""Extern code in CUDA, of extern.hp5: on simulated cards it has the bits of the code in C and C++ beside it, on each level and in any order of threads.

    check_extern.py --hp5c HP5C [--nvcc] [--sanitizer thread]

Also where compilers' messages about it stand, with and without -g, and functions that cards alone have. --nvcc: NVIDIA's compiler takes the text, and its messages
stand at the same lines.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tools"))
import shared  # noqa: E402
PROGRAM = f"{HERE}/extern.hp5"
# Levels of Spaces A and B, the model; what ran the stages of A and of B: 1 processors, 2 the card.
MAPPINGS = (("Node", "Socket", "hybrid", 1, 1), ("Card", "Warp", "small", 2, 2), ("Card", "Multi", "small", 2, 2), ("Card", "Card", "small", 2, 2),
            ("Socket", "Warp", "hybrid", 1, 2), ("Socket", "Multi", "hybrid", 1, 2))
ALONE = """Program (args) {
    job = new TaskEnvironment(name: "T")
    bind_input(job, "v", args.v)
    execute(task: "T"; environment: job)
    bind_output(job, "v", args.out)
}
Function twice(x) {
    y = x
    @Extern { @Language "CUDA" ${ y = 2 * y; }$ }
    return y
}
Function four_times(x) { return twice(twice(x)) }
Task "T":
    Define:
        v: 1d Array of Real double-precision
    Environment:
        v: link
    Stages:
        work(v) { do { v[i] = four_times(v[i]) } for i in v }
    Computation:
        Space A { work(v) }
    Partition:
        Space A <un-partitioned> { v }
"""


def compiled(options, folder, text, mapping, model, *more):
    for name, content in (("p.hp5", text), ("p.map", mapping)):
        with open(f"{folder}/{name}", "w", encoding="utf-8") as out:
            out.write(content)
    return subprocess.run([options.hp5c, "p.hp5", "--map", "p.map", "--model", f"{HERE}/models/{model}.pcubes", "--cc-flag=-O0", "-o", "p", *more], cwd=folder,
                          capture_output=True, text=True)


def built(options, folder, text, mapping, model, *more):
    done = compiled(options, folder, text, mapping, model, "--verify", "--nvcc", f"{HERE}/nvcc", *more)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{mapping}: {done.stderr}")


def ran(folder, words, seed=0):
    done = subprocess.run(["./p", *words], cwd=folder, capture_output=True, text=True, env=dict(os.environ, HP5_SIM_SEED=str(seed)))
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{words}: {done.stderr}")
    return done.stdout


def check_results(options, folder, text):
    rng = np.random.default_rng(5)
    np.save(f"{folder}/v.npy", rng.random(97) - 0.5)
    np.save(f"{folder}/m.npy", rng.random((97, 3)))
    expected = None
    for a, b, model, of_a, of_b in MAPPINGS:
        built(options, folder, text, f'"Mix" {{\n    Space A: {a}\n    Space B: {b}\n}}\n', model, *options.flags)
        for seed in (1, 2):
            *said, top = ran(folder, ["v=v.npy", "m=m.npy", "k=40", "out=o.npy", "ran=ran.npy"], seed).split()
            result = said, np.load(f"{folder}/o.npy").tobytes()
            expected = expected or result
            if result != expected:
                sys.exit(f"Space A: {a}, Space B: {b}, order {seed}: results differ: {said}")
            if int(top) != of_a or not np.all(np.load(f"{folder}/ran.npy") == of_b):
                sys.exit(f"Space A: {a}, Space B: {b}: Space A ran code {top}, Space B code {np.load(f'{folder}/ran.npy')}")


def check_alone(options, folder):
    """The text for processors does without such functions."""
    np.save(f"{folder}/v.npy", np.arange(50.0))
    built(options, folder, ALONE, '"T" {\n    Space A: Warp\n}\n', "small")
    ran(folder, ["v=v.npy", "out=o.npy"])
    if not np.array_equal(np.load(f"{folder}/o.npy"), 4 * np.arange(50.0)):
        sys.exit("functions for cards alone: elements are wrong")


def check_places(options, folder, text):
    """Messages of compilers: in the block that is compiled, at its line, and at lines of @Includes."""
    lines = text.split("\n")
    wrong = [number for number, line in enumerate(lines, 1) if line.strip() == "int64_t other = 2 * pair.second;"][1] + 1
    header = next(number for number, line in enumerate(lines, 1) if "@Includes { cmath }" in line)
    lines[wrong - 1] = lines[wrong - 1].replace("m[index", "nowhere[index")
    idle = text.replace("int64_t other = 2 * pair.second;", "int64_t other = 2 * pair.second, idle;")
    cases = ((wrong, "error", "the CUDA compiler: .*nowhere.*", "E1505", "\n".join(lines)), (wrong - 1, "warning", "the CUDA compiler: .*idle.*", "W1508", idle),
             (header, "error", "the header 'no_such' was not found", "E1505", text.replace("cmath", "no_such")))
    compilers = ["--nvcc", "nvcc" if options.nvcc else f"{HERE}/nvcc"]
    for line, kind, message, code, changed in cases:
        for more in ([], ["-g"]):
            done = compiled(options, folder, changed, '"Mix" {\n    Space A: Card\n    Space B: Warp\n}\n', "small", *compilers, *more)
            if not re.search(rf"^p\.hp5:{line}:\d+: {kind}: {message} \[{code}\]$", done.stderr, re.MULTILINE):
                sys.exit(f"no {kind} at line {line}, with {more}:\n{done.stderr}")


def check_nvcc(options, folder, text):
    done = compiled(options, folder, text, '"Mix" {\n    Space A: Card\n    Space B: Multi\n}\n', "small")
    if done.returncode != 0 or done.stderr:
        sys.exit(done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--nvcc", action="store_true")
    parser.add_argument("--sanitizer", choices=("thread", "address"))
    options = parser.parse_args()
    os.environ["HP5_SIM_HEADERS"] = shared.folder(options.hp5c)
    options.hp5c = os.path.abspath(options.hp5c)
    options.flags = [f"--cc-flag=-fsanitize={options.sanitizer}"] if options.sanitizer else []
    os.environ["HP5_SIM_FLAGS"] = f"-fsanitize={options.sanitizer} -g" if options.sanitizer else ""
    if options.nvcc and not shutil.which("nvcc"):
        print("skipped: there is no nvcc")
        return 77
    with open(PROGRAM, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory(prefix="hp5-card-") as folder:
        os.environ["TMPDIR"] = folder
        if options.nvcc:
            check_nvcc(options, folder, text)
            check_places(options, folder, text)
        else:
            check_results(options, folder, text)
        if not options.nvcc and not options.sanitizer:
            check_alone(options, folder)
            check_places(options, folder, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
