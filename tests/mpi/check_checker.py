#!/usr/bin/env python3
"""checker.c finds each of the faults that faulty.c has, under each MPI, and nothing in messages of runtime/comm (talk.c)."""
import argparse
import subprocess
import sys
import tempfile

import launch
import watched

# What the report must say of each; None: the program must not end.
FAULTS = {
    "none": "",
    "any-source": "a receive from anybody, tag 7",
    "any-tag": "a receive of any tag, from 1",
    "too-short": "a receive from 0, tag 7, of 101 bytes gets 100",
    "not-freed": "not freed at the end: a persistent request, peer 1, tag 9",
    "send-changed": "what goes to 1, tag 7, 100 bytes, was changed before it was sent",
    "receive-written": "byte 50 of what comes from 1, tag 7, was written while it was under way",
    "buffered": None,
    "open": "open at the end: send to 1, tag 8, 100 bytes",
    "freed-early": "freed while it is under way: send to 1, tag 7",
    "reals": "MPI_Allreduce of Reals",
}


def check(mpi, checkers, program, fault, folder):
    """What is wrong with the checker, or nothing."""
    expected = FAULTS[fault]
    try:
        result = mpi.run(2, [program, fault], timeout=4 if expected is None else 60, variables=watched.variables(checkers, mpi.name, folder))
    except launch.Stuck as reason:
        stuck, found = str(reason), watched.findings(checkers, folder)
        if expected is None and "rely_on_buffers" in stuck:
            return ""
        return f"it does not end:\n{stuck}{found}"
    found = watched.findings(checkers, folder)
    if expected is None:
        return f"it ends with {result.returncode}"
    if fault == "none" and (result.returncode != 0 or result.stdout):
        return f"status {result.returncode}, output {result.stdout!r}\n{result.stderr}\n{found}"
    return "" if (expected in found if expected else not found) else f"found: {found!r}"


def check_talk(mpi, checkers, talk, folder):
    wrong = 0
    for ranks in (2, 4):
        done = mpi.run(ranks, [talk], variables=watched.variables(checkers, mpi.name, folder))
        found = watched.findings(checkers, folder)
        if done.returncode != 0 or found:
            wrong += 1
            print(f"{mpi.name}, talk with {ranks} ranks: status {done.returncode}\n{done.stderr}{found}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--talk", required=True)
    options = parser.parse_args()
    mpis, failures = launch.find_or_skip(options.build), 0
    with tempfile.TemporaryDirectory(prefix="hp5-checker-") as folder:
        checkers = watched.build(mpis, folder)
        for mpi in mpis:
            program = f"{folder}/faulty-{mpi.name}"
            subprocess.run([mpi.compiler, "-g", "-O0", f"{watched.HERE}/faulty.c", "-o", program], check=True)
            for fault in FAULTS:
                wrong = check(mpi, checkers, program, fault, folder)
                if wrong:
                    failures += 1
                    print(f"{mpi.name}, {fault}: {wrong}")
            failures += check_talk(mpi, checkers, options.talk, folder)
    print(f"{len(FAULTS)} faults under {len(mpis)} MPIs, {failures} failures")
    return 1 if failures else 0


sys.exit(main())
