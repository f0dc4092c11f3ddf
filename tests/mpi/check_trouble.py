"""Calls that fail in one process of several (disk full, no memory, no file, no thread …), a limit on its files, its end in the middle of a
task: all processes end within five seconds with one message that says where it was, or the program has gone on and done its work. The
output is complete or not there, and no other file is left.

    check_trouble.py --hp5c HP5C --library FAIL_NTH [--seed S]  a sample of calls
    check_trouble.py --hp5c HP5C --library FAIL_NTH --all       each kind of call, one after the other
"""
import argparse
import concurrent.futures
import os
import queue
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE]
import launch  # noqa: E402
import messages  # noqa: E402
import numpy  # noqa: E402

KINDS = ("open", "read", "disk", "close", "written", "rename", "truncate", "thread", "memory")
RANKS = 3
# The command, but for one rank after some words of the shell's.
ON_RANK = 'if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = "$0" ]; then %s fi; exec "$@"'


class Trouble:
    """Runs one after the other, whose output goes to a folder of its own."""

    def __init__(self, options, folder, lane):
        self.options, self.folder, self.failures, self.runs = options, folder, 0, 0
        self.program, self.slow, self.place = f"{folder}/transpose", f"{folder}/monte-carlo", f"{folder}/out{lane}"
        self.good = numpy.ascontiguousarray(numpy.load(f"{folder}/a.npy").T)
        self.words = [f"a={folder}/a.npy", f"b={self.place}/b.npy", "k=40", "l=30", "--threads", "2"]
        os.mkdir(self.place)

    def run(self, mpi, rank, words, command, limit):
        """What came of it; a failure where it took too long."""
        for name in os.listdir(self.place):
            os.remove(f"{self.place}/{name}")
        begin = time.time()
        self.runs += 1
        try:
            done = mpi.run(RANKS, ["sh", "-c", ON_RANK % words, str(rank), *command], timeout=25)
        except launch.Stuck as reason:
            self.fail(mpi, rank, words, str(reason))
            return None
        if time.time() - begin > limit:
            self.fail(mpi, rank, words, f"it took {time.time() - begin:.1f} s\n{done.stderr}")
        return done

    def fail(self, mpi, rank, words, text):
        self.failures += 1
        print(f"FAILED: {mpi.title}, rank {rank}, {words}: {text}", flush=True)

    def left(self, done):
        """What is wrong with the files."""
        files = sorted(os.listdir(self.place))
        if files not in ([], ["b.npy"]):
            return f"files are left: {files}"
        if files and not numpy.array_equal(numpy.load(f"{self.place}/b.npy"), self.good):
            return "the output is wrong"
        return "there is no output" if done.returncode == 0 and not files else ""

    def check_message(self, mpi, rank, words, expected, statuses, command, limit=5.0):
        done = self.run(mpi, rank, words, command, limit)
        if done is None:
            return
        said = messages.of(done.stderr, r"transpose|monte-carlo")
        if not re.fullmatch(expected, said) or done.returncode not in statuses or self.left(done):
            self.fail(mpi, rank, words, f"status {done.returncode}: {self.left(done)}\n{done.stdout}{done.stderr}\nexpected {expected}")

    def check_fault(self, mpi, rank, kind, number):
        """One call fails: one message with that rank, or none and the result."""
        words = f"export LD_PRELOAD={self.options.library} FAULT_KIND={kind} FAULT_AT={number} FAULT_PROGRAM=transpose;"
        done = self.run(mpi, rank, words, [self.program, *self.words], 5.0)
        if done is None:
            return False
        said = messages.of(done.stderr, r"transpose")
        one = re.fullmatch(r"transpose: [^\n]*(\n  (?!on )[^\n]*)*" + messages.on(rank, RANKS), said)
        if self.left(done) or (done.returncode == 0) == bool(one) or (done.returncode == 0 and "warning" not in said and said):
            self.fail(mpi, rank, words, f"status {done.returncode}: {self.left(done)}\n{done.stdout}{done.stderr}")
        return done.returncode != 0

    def sweep(self, mpi, rank, kind):
        """Call after call, until five in a row have made no difference: there were no more."""
        number = without = 0
        while without < 5 and number < 400:
            number += 1
            without = 0 if self.check_fault(mpi, rank, kind, number) else without + 1


def check_said(trouble, mpi):
    """Messages in full."""
    text = r"transpose: cannot write b to '[^']*/b.npy': "
    command = [trouble.program, *trouble.words]
    preload = f"export LD_PRELOAD={trouble.options.library} FAULT_PROGRAM=transpose"
    for rank in range(RANKS):
        trouble.check_message(mpi, rank, f"{preload} FAULT_KIND=disk FAULT_AT=1 FAULT_ON=1;", text + "No space left on device" + messages.on(rank, RANKS), {1}, command)
        if mpi.name == "local":  # MPIs have files of their own
            trouble.check_message(mpi, rank, "ulimit -f 1;", text + "File too large" + messages.on(rank, RANKS), {1}, command)
    trouble.check_message(mpi, 0, f"{preload} FAULT_KIND=truncate FAULT_AT=1;", text + "No space left on device" + messages.on(0, RANKS), {1}, command)
    trouble.check_message(mpi, 0, f"{preload} FAULT_KIND=rename FAULT_AT=1;", text + "Permission denied" + messages.on(0, RANKS), {1}, command)
    missing = [trouble.program, f"a={trouble.folder}/none.npy", *trouble.words[1:]]
    trouble.check_message(mpi, 0, "true;", rf"transpose: cannot read a from '{trouble.folder}/none.npy': No such file or directory\n  on all {RANKS} ranks", {2}, missing)


def check_ends(trouble, mpi):
    """One of them ends, or stops, while all compute (check_faults.py: under launchers)."""
    command = [trouble.slow, "grid=2000", "points=100000", "seed=1", "k=100", f"hits={trouble.place}/hits.npy", "--threads", "2"]
    at_work = 'until [ "$(ls /proc/$$/task | wc -l)" -ge 3 ]; do sleep 0.1; done; sleep 0.3'
    gone = r"monte-carlo: process \d+ is gone: it was killed, or ended by foreign code"
    silent = r"monte-carlo: process \d+ has not answered for 3.5 s: it was stopped, or its node is down \(HP5_WATCH sets the time\)"
    for rank in (0, 2):
        where = messages.on(rank, RANKS)
        trouble.check_message(mpi, rank, f"({at_work}; kill -KILL $$) &", gone + where, {1, 9, 137, -9}, command, 8)
        trouble.check_message(mpi, rank, f"({at_work}; kill -STOP $$; sleep 7; kill -KILL $$) > /dev/null 2>&1 &", silent + where, {1, 9, 137, -9}, command, 14)


def prepare(options, folder):
    """Programs and their input."""
    for name in ("transpose", "monte-carlo"):
        subprocess.run([options.hp5c, f"{ROOT}/programs/{name}/{name}.hp5", "--map", f"{ROOT}/mappings/{name}/cluster.map", "--model",
                        f"{ROOT}/pcubes-models/cluster.pcubes", "--cc-flag=-O0", "-o", f"{folder}/{name}"], check=True)
    # its transpose goes to the file in windows, of which each process writes one at least
    numpy.save(f"{folder}/a.npy", numpy.arange(450 * 440, dtype="f8").reshape(450, 440))


def checks_of(options, mpis):
    """Functions, and what they get behind the Trouble in which they run."""
    found = [(check_ends, mpis[0])] + [(check_said, mpi) for mpi in mpis]
    if options.all:
        return found + [(Trouble.sweep, mpis[0], rank, kind) for rank in range(RANKS) for kind in KINDS]
    found += [(Trouble.check_fault, mpis[0], 1, "read", number) for number in range(1, 7)]  # what the watches say to each other is read, too
    seed = random.randrange(10**6) if options.seed is None else options.seed
    draw = random.Random(seed)
    print(f"sample {seed}")
    for _ in range(30):
        kind = draw.choice(KINDS)
        found.append((Trouble.check_fault, mpis[0], draw.randrange(RANKS), kind, draw.randint(1, 40 if kind == "memory" else 4)))
    return found


def work(trouble, checks):
    while True:
        try:
            check, *words = checks.get_nowait()
        except queue.Empty:
            return
        check(trouble, *words)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, help="of the sample; drawn if it is not given")
    parser.add_argument("--lanes", type=int, default=2, help="of runs beside each other, which wait most of their time (default: %(default)s)")
    options = parser.parse_args()
    options.hp5c = os.path.abspath(options.hp5c)
    with tempfile.TemporaryDirectory(prefix="hp5-trouble-") as folder:
        prepare(options, folder)
        lanes, checks = [Trouble(options, folder, lane) for lane in range(options.lanes)], queue.Queue()
        for check in checks_of(options, [launch.Local(folder)] + launch.find(os.path.dirname(options.hp5c))):
            checks.put(check)
        with concurrent.futures.ThreadPoolExecutor(options.lanes) as pool:
            for done in [pool.submit(work, lane, checks) for lane in lanes]:
                done.result()
    failures = sum(lane.failures for lane in lanes)
    print(f"{sum(lane.runs for lane in lanes)} runs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
