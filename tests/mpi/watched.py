"""Runs that checker.c watches: how it is built and loaded, and what it has found; with the plan, whether it is what has been planned (planned.py)."""
import collections
import glob
import os
import subprocess

import planned

HERE = os.path.dirname(os.path.abspath(__file__))


def build(mpis, folder):
    """The checker for each MPI, by name."""
    found = {}
    for mpi in mpis:
        found[mpi.name] = f"{folder}/checker-{mpi.name}.so"
        subprocess.run([mpi.compiler, "-std=gnu17", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"{HERE}/checker.c",
                        "-o", found[mpi.name], "-lpthread"], check=True)
    return found


def variables(checkers, name, folder, plan=False, **more):
    """What a watched process has in its environment. plan: it is a program of hp5c's, which writes down what it plans to send."""
    if checkers is None:
        return None
    os.makedirs(f"{folder}/.checker", exist_ok=True)
    if plan:
        more["HP5_PLAN"] = f"{folder}/.checker"
    return {"LD_PRELOAD": checkers[name], "HP5_CHECKER": f"{folder}/.checker", **more}


def findings(checkers, folder):
    """What the checker of any rank complains of, and messages that differ at their two ends; removes its files."""
    if checkers is None:
        return ""
    said, ends = [], collections.defaultdict(lambda: ([], []))
    for path in glob.glob(f"{folder}/.checker/rank-*"):
        rank = int(path.rpartition("-")[2])
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        os.remove(path)
        said += [f"rank {rank}: {line[9:]}" for line in lines if line.startswith("finding: ")]
        if "end" not in lines[-1:]:
            said.append(f"rank {rank}: it has not called MPI_Finalize")
        for line in lines:
            read_message(rank, line.split(), ends)
    said += planned.differences(f"{folder}/.checker", ends)
    os.rmdir(f"{folder}/.checker")
    for (sender, receiver, channel, tag), (sent, received) in sorted(ends.items()):
        if sent != received:
            said.append(f"from rank {sender} to {receiver}, channel {channel}, tag {tag}: {difference(sent, received)}")
    return "\n".join(sorted(said))


def read_message(rank, words, ends):
    """MPI delivers what has one sender, receiver, channel and tag in the order in which it is posted."""
    if words[0] == "send":
        ends[(rank, int(words[2]), words[1], words[3])][0].append((int(words[4]), words[5]))
    elif words[0] == "receive":
        ends[(int(words[2]), rank, words[1], words[3])][1].append((int(words[4]), words[5]))


def difference(sent, received):
    if len(sent) != len(received):
        return f"{len(sent)} messages are sent, {len(received)} received"
    number = next(n for n in range(len(sent)) if sent[n] != received[n])
    return f"message {number} has {sent[number][0]} bytes with hash {sent[number][1]} where it is sent, {received[number][0]} with {received[number][1]} where it arrives"
