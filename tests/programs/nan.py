#!/usr/bin/env python3
"""The checkers of the programs say plainly what is wrong, and where: each is given outputs that hold NaN, some are given
arguments that make their computation diverge, and others a result that is wrong in one place.

    nan.py
"""
import glob
import importlib.util
import os
import subprocess
import sys
import tempfile

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def load(path):
    spec = importlib.util.spec_from_file_location("script", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def said(path, folder, *printed):
    return subprocess.run([sys.executable, path, "check", folder, *printed], capture_output=True, text=True)


# Steps that NumPy takes for CASES[0] without diverging.
STEPS = {"heat-3d": "2 steps", "red-black-sor": "21 steps", "n-body": "1 step"}


def check_script(path):
    script = load(path)
    case = [f"{name}={value}" for name, value in script.CASES[0].items()]
    for source, outputs in script.OUTPUTS.items():
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, path, "make", folder, f"program={source}", *case], check=True, capture_output=True)
            lines = os.path.join(folder, "printed")
            with open(lines, "w", encoding="utf-8") as file:
                file.write("result 1.0 nan\n")
            for name in outputs:
                np.save(os.path.join(folder, f"{name}.npy"), np.array([1.0, np.nan, -np.inf]))
            done = said(path, folder, lines)
            steps = STEPS.get(source)
            blame = f"; NumPy's does not, in {steps}: the program is to blame" if steps else ""
            want = (f"wrong: {outputs[0]}[1] is nan: the computation has diverged (2 of 3 elements are NaN or infinite){blame}\n" if outputs
                    else f"wrong: line 1 of what it printed holds NaN or infinity: the computation has diverged{blame}\n")
            if done.returncode != 1 or done.stderr != want:
                sys.exit(f"{path}, {source}: exit status {done.returncode}\n{done.stdout}{done.stderr}expected {want}")


def expect_said(name, sizes, spoil, want):
    """`spoil` makes the outputs in the folder, of the arguments of these sizes; the checker says `want`."""
    path = os.path.join(ROOT, "programs", name, f"{name}.py")
    with tempfile.TemporaryDirectory() as folder:
        words = [f"{key}={value}" for key, value in sizes.items()]
        subprocess.run([sys.executable, path, "make", folder, *words], check=True, capture_output=True)
        spoil(folder)
        done = said(path, folder)
        if done.returncode != 1 or done.stderr != want:
            sys.exit(f"{name} {words}: exit status {done.returncode}\n{done.stdout}{done.stderr}expected {want}")


def edit(source, target, change):
    """A result that is `source` changed."""
    def spoil(folder):
        array = np.load(os.path.join(folder, f"{source}.npy"))
        change(array)
        np.save(os.path.join(folder, f"{target}.npy"), array)
    return spoil


def put(place, value):
    def change(array):
        array[place] = value
    return change


def put_velocity(bodies):
    bodies["velocity"]["y"][4] = np.inf


def check_texts():
    """Divergence in the middle, and results that are wrong in one place."""
    expect_said("heat-3d", {"edge": 5, "height": 4, "steps": 200, "rate": 100}, edit("solid", "result", put((2, 3, 1), np.nan)),
                "wrong: result[2, 3, 1] is nan: the computation has diverged (1 of 140 elements are NaN or infinite); so does "
                "NumPy's, in step 103: the arguments are to blame\n")
    expect_said("heat-3d", {"edge": 5, "height": 4, "steps": 0}, edit("solid", "result", put((2, 3, 1), -100.0)),
                "wrong: result[2, 3, 1] is -100.0, expected 96.36708728449709: off by 1.97 of the largest value, tolerated is 1e-12\n")
    expect_said("n-body", {"n": 6, "steps": 3}, edit("bodies", "result", put_velocity),
                "wrong: result[4].velocity.y is inf: the computation has diverged (1 of 6 elements are NaN or infinite); NumPy's "
                "does not, in 3 steps: the program is to blame\n")
    expect_said("game-of-life", {"rows": 5, "columns": 7, "generations": 0}, edit("board", "result", put((3, 2), b"?")),
                "wrong: result[3, 2] is b'?', expected b'.' (1 of 35 elements differ)\n")


def main():
    paths = [path for path in sorted(glob.glob(os.path.join(ROOT, "programs", "*", "*.py"))) if hasattr(load(path), "OUTPUTS")]
    if len(paths) < 10:
        sys.exit(f"only {len(paths)} scripts were found")
    for path in paths:
        check_script(path)
    check_texts()
    print(f"{len(paths)} checkers")


if __name__ == "__main__":
    main()
