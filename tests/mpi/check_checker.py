#!/usr/bin/env python3
"""checker.c finds each of the faults that faulty.c has, under each MPI, and nothing in messages of runtime/comm (talk.c)."""
import argparse
import subprocess
import sys
import tempfile

import launch
import planned
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
    "open": "open at the end: send to ", # of either process: the first one to end may end the other
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
    """What groups do is planned; other messages talk.c sends without a plan."""
    wrong = 0
    for ranks in (2, 5):
        done = mpi.run(ranks, [talk], variables=watched.variables(checkers, mpi.name, folder, plan=True))
        found = "\n".join(line for line in watched.findings(checkers, folder).splitlines() if not ("channel 1," in line and line.endswith("are planned")))
        if done.returncode != 0 or found:
            wrong += 1
            print(f"{mpi.name}, talk with {ranks} ranks: status {done.returncode}\n{done.stderr}{found}")
    return wrong


# What each of two processes plans, what goes from 0 to 1 and from 1 to 0 (channel, tag, lengths), and what must be said.
PLANS = [
    ("send 1 7 80\nbroadcast 3 0 8 0 0 1", "receive 0 7 80\nbroadcast 3 0 8 0 0 1", [("1", "7", [80]), ("2", "3", [8])], [], ""),
    ("least 1 0 4 0 0 1", "least 1 0 4 0 0 1", [("2", "1", [4])], [("2", "1", [4])], ""),
    ("gather 1 1 24 0 0 1", "gather 1 1 24 0 0 1", [("2", "1", [24])], [], ""),
    ("send 1 7 80", "receive 0 7 72", [("1", "7", [80])], [], "from rank 0 to 1, channel 1, tag 7: rank 1 receives message 0 with 80 bytes where 72 are planned"),
    ("send 1 7 80", "receive 0 7 80", [("1", "7", [80, 80])], [], "from rank 0 to 1, channel 1, tag 7: rank 0 sends 2 messages of 160 bytes where 1 of 80 are planned"),
    ("send 1 7 80", "receive 0 7 80", [], [], "from rank 0 to 1, channel 1, tag 7: rank 0 sends 0 messages of 0 bytes where 1 of 80 are planned"),
    ("", "", [], [("1", "9", [1])], "from rank 1 to 0, channel 1, tag 9: rank 1 sends 1 messages of 1 bytes where 0 of 0 are planned"),
    ("gather_all 1 0 8 0 0 1", "gather_all 1 0 8 0 0 1", [("2", "1", [8])], [("2", "1", [16])],
     "from rank 1 to 0, channel 2, tag 1: rank 1 sends message 0 with 16 bytes where 8 are planned"),
]


def check_plans(folder):
    wrong = 0
    for first, second, there, back, expected in PLANS:
        for rank, plan in enumerate((first, second)):
            with open(f"{folder}/plan-{rank}", "w", encoding="utf-8") as out:
                out.write(f"{plan}\nend\n" if plan else "end\n")
        ends = {}
        for sender, messages in enumerate((there, back)):
            for channel, tag, lengths in messages:
                ends[(sender, 1 - sender, channel, tag)] = tuple([(length, "0") for length in lengths] for _ in range(2))
        said = planned.differences(folder, ends)
        if said[:1] != ([expected] if expected else []):
            wrong += 1
            print(f"plans {first!r} and {second!r}: {said}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--talk", required=True)
    options = parser.parse_args()
    mpis, failures = launch.find_or_skip(options.build), 0
    with tempfile.TemporaryDirectory(prefix="hp5-checker-") as folder:
        failures += check_plans(folder)
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
    print(f"{len(PLANS)} plans, {len(FAULTS)} faults under {len(mpis)} MPIs, {failures} failures")
    return 1 if failures else 0


sys.exit(main())
