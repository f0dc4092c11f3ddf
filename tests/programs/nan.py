#!/usr/bin/env python3
"""The checkers of the programs say plainly that a computation has diverged: each is given outputs that hold NaN.

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
            want = (f"wrong: {outputs[0]}[1] is nan: the computation has diverged (2 of 3 elements are NaN or infinite)\n" if outputs
                    else "wrong: line 1 of what it printed holds NaN or infinity: the computation has diverged\n")
            if done.returncode != 1 or done.stderr != want:
                sys.exit(f"{path}, {source}: exit status {done.returncode}\n{done.stdout}{done.stderr}expected {want}")


def main():
    paths = [path for path in sorted(glob.glob(os.path.join(ROOT, "programs", "*", "*.py"))) if hasattr(load(path), "OUTPUTS")]
    if len(paths) < 10:
        sys.exit(f"only {len(paths)} scripts were found")
    for path in paths:
        check_script(path)
    print(f"{len(paths)} checkers")


if __name__ == "__main__":
    main()
