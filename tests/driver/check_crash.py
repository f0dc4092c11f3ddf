#!/usr/bin/env python3
"""What a compiled program says when a signal ends it, and that it still ends by that signal and leaves nothing behind.

    check_crash.py --hp5c HP5C
"""
import argparse
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parent / "crash.hp5"


def line_of(text):
    return next(number for number, line in enumerate(SOURCE.read_text().split("\n"), 1) if text in line)


ACCESS = "segmentation fault (an access to memory that is not there)"
GATHER = f"task Gather, stage gather in Space B (line {line_of('{ gather(w')}), LPU (1, 2) of Space B in LPU (0) of Space A"
CRASH = f"task Gather, stage crash in Space A (line {line_of('{ crash(way)')}), LPU (1) of Space A"
CHECKED = "an index may be outside its array: a checked build stops there and says which: hp5c --checked"
FOREIGN = "in a checked build only foreign code can do that, or a mistake in HP5, which is worth a report"
PROCESSOR = "it may have been compiled for another processor: compile it on this machine, or with --cc-flag -march=…"
CASES = [ # way, signal, what the ordinary build says, what the checked one says
    (0, None, "", ""),
    (1, signal.SIGSEGV, f"{ACCESS} in {GATHER}\n  {CHECKED}\n", None),
    (2, signal.SIGFPE, f"arithmetic fault in {CRASH}\n  foreign code may have divided by zero\n",
     f"arithmetic fault in {CRASH}\n  {FOREIGN}\n"),
    (3, signal.SIGSEGV, f"{ACCESS} in {CRASH}\n  {CHECKED}\n", f"{ACCESS} in {CRASH}\n  {FOREIGN}\n"),
    (4, signal.SIGILL, f"illegal instruction in {CRASH}\n  {PROCESSOR}\n", f"illegal instruction in {CRASH}\n  {PROCESSOR}\n"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    hp5c, failed = os.path.abspath(parser.parse_args().hp5c), 0
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix="hp5-crash-") as folder:
        np.save(f"{folder}/v.npy", np.ones((8, 6)))
        places = np.arange(8)
        places[2] = 1 << 40 # in LPU 0 of A, row 1 of its grid of B
        np.save(f"{folder}/places.npy", places)
        for name, flags in (("plain", []), ("checked", ["--checked"])):
            subprocess.run([hp5c, SOURCE, *flags, "-o", name], cwd=folder, check=True)
            for (way, number, *expected), threads in ((case, t) for case in CASES for t in (1, 2)):
                said = expected[name == "checked"]
                if said is None:
                    continue
                command = [f"./{name}", "v=v.npy", "places=places.npy", f"way={way}", "k=4", "l=2", "w=w.npy", f"--threads={threads}"]
                run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
                left = sorted(set(os.listdir(folder)) - {"plain", "checked", "v.npy", "places.npy"})
                wanted = f"{name}: {said}" if said else ""
                if way == 1: # which column of B's grid comes first may depend on the threads
                    run.stderr = run.stderr.replace("LPU (1, 0)", "LPU (1, 2)").replace("LPU (1, 1)", "LPU (1, 2)")
                if run.returncode != (-number if number else 0) or run.stderr != wanted or left != ([] if number else ["w.npy"]):
                    failed += 1
                    print(f"{' '.join(command)}: status {run.returncode}, left {left}\n{run.stderr}expected:\n{wanted}")
                for path in left:
                    os.remove(f"{folder}/{path}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
