"""A process that fails, exits, is killed or stopped, or is started otherwise than the rest: every process ends within five seconds, with
one message that says which rank it was and where, with the status that the manual promises; and no file is left behind, no process."""
import argparse
import concurrent.futures
import glob
import os
import re
import tempfile
import time
import launch
import messages
from messages import on

arguments = argparse.ArgumentParser()
arguments.add_argument("--build", required=True)
arguments.add_argument("--talk", required=True)
options = arguments.parse_args()
found = launch.find_or_skip(options.build)
failures = 0


def left_over(folder):
    """Processes that were started with the folder as an argument."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"mpi_talk") and folder.encode() in words:
            found.append(path)
    return found


def check(mpi, ranks, how, where, message, statuses, limit=5.0, killed=()):
    """`killed`: ranks that cannot remove their files."""
    global failures
    with tempfile.TemporaryDirectory() as folder:
        begin = time.time()
        result = mpi.run(ranks, [options.talk, how, str(where), folder], timeout=60)
        took = time.time() - begin
        time.sleep(0.3)
        problems, files = [], set(os.listdir(folder)) - {str(rank) for rank in killed}
        if not re.fullmatch(message, messages.of(result.stderr)):
            problems.append(f"message: {messages.of(result.stderr)!r}\n  expected {message!r}")
        if result.returncode not in statuses:
            problems.append(f"status {result.returncode}, not in {statuses}")
        if took > limit:
            problems.append(f"it took {took:.1f} s")
        if left_over(folder):
            problems.append(f"processes are left: {left_over(folder)}")
        if files:
            problems.append(f"files are left: {sorted(files)}")
        if "talked" in result.stdout: # launchers say something there, too
            problems.append(f"output: {result.stdout}")
        print(f"{mpi.title}, {ranks} ranks, {how} {where}: status {result.returncode}, {took:.1f} s")
        if problems:
            failures += 1
            print("  FAILED\n  " + "\n  ".join(problems) + "\n" + result.stderr)


def check_ends(mpi, later):
    for ranks, rank in ((2, 1), (4, 0), (7, 5)):
        where = on(rank, ranks)
        later(check, mpi, ranks, "fail", rank, "mpi_talk: no data" + where, {2})
        later(check, mpi, ranks, "fail-at", rank, "talk.hp5:7: run-time error: Integer division by zero" + where, {1})
        later(check, mpi, ranks, "exit", rank, r"mpi_talk: exit\(3\) was called in foreign code while other processes were at work" + where, {1})
    later(check, mpi, 4, "fail-at", "all", "talk.hp5:7: run-time error: Integer division by zero\n  on all 4 ranks", {1})
    later(check, mpi, 4, "agree", 2, "mpi_talk: problem 2" + on(2, 4), {2})
    for ranks, rank in ((2, 0), (3, 2)):
        where = on(rank, ranks)
        gone = r"mpi_talk: process \d+ is gone: it was killed, or ended by foreign code"
        later(check, mpi, ranks, "crash", rank, r"mpi_talk: segmentation fault \(an access to memory that is not there\), outside of tasks\n"
              r"  an index may be outside its array: a checked build stops there and says which: hp5c --checked" + where, {139})
        # MPICH's mpiexec kills the others in the same moment (SIGKILL): it depends on who is faster whether they can say anything
        or_launcher = f"({gone + where}|)" if mpi.name == "mpich" else gone + where
        killed = range(ranks) if mpi.name == "mpich" else {rank}
        later(check, mpi, ranks, "kill", rank, or_launcher, {1, 9, 137}, killed=killed)
        later(check, mpi, ranks, "vanish", rank, or_launcher, {0, 1, 9} if mpi.name == "mpich" else {1}, killed=killed)
        later(check, mpi, ranks, "stop", rank, r"mpi_talk: process \d+ has not answered for 3.5 s: it was stopped, or its node is down "
              r"\(HP5_WATCH sets the time\)" + where, {1}, limit=6.0, killed={rank})
    for ranks, rank in ((3, 1), (4, 0)):
        later(check, mpi, ranks, "terminate", rank, r"mpi_talk: process \d+ was ended by signal 15 \(Terminated\)" + on(rank, ranks), {1})
    later(check, mpi, 3, "terminate", "all", "", {1, 15, 143})


def is_mistake(mpi, result):
    """The status of a user's mistake; MPICH's mpiexec says 1 where the end of one process catches another that ends with 2."""
    return result.returncode in ((1, 2) if mpi.name == "mpich" else (2,))


def check_start(mpi, name, programs, message):
    global failures
    begin = time.time()
    result = mpi.run_apart(programs)
    took = time.time() - begin
    print(f"{mpi.title}, {name}: status {result.returncode}, {took:.1f} s")
    if not re.fullmatch(message, messages.of(result.stderr)) or not is_mistake(mpi, result) or took > 5:
        failures += 1
        print(f"  FAILED\n{result.stdout}{result.stderr}\n  expected {message!r}")


def check_before(mpi, ranks, rank, what, env, message, limit):
    """The rank is stopped, or something else runs in its place, when MPI has not started: the others do not wait for ever."""
    global failures
    begin = time.time()
    on_rank = f'if [ "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" = {rank} ]; then {what}; fi; exec "$@"'
    result = mpi.run(ranks, ["sh", "-c", on_rank, "sh", options.talk], env=env, timeout=60)
    took = time.time() - begin
    print(f"{mpi.title}, {ranks} ranks, {what} on {rank} before MPI starts: status {result.returncode}, {took:.1f} s")
    # a launcher's own way to end the rest may change the status, as it does of one that is killed
    if not re.fullmatch(message, messages.of(result.stderr)) or result.returncode not in (1, 9, 137) or took > limit or "talked" in result.stdout:
        failures += 1
        print(f"  FAILED\n{result.stdout}{result.stderr}\n  expected {message!r}")


def check_starts_late(mpi, later):
    for ranks, rank in ((3, 1), (2, 0)):
        later(check_before, mpi, ranks, rank, "kill -STOP $$", {}, r"mpi_talk: process \d+ has been stopped for 3.5 s, and MPI has not started "
              r"\(HP5_WATCH sets the time\)" + on(rank, ranks), 6.0)
    later(check_before, mpi, 3, 2, "exec sleep 30", {"HP5_WATCH": "0.2"},
          r"mpi_talk: warning: MPI has not started for 0.6 s, and the program ends after 4 s: other processes may not have come "
          r"\(HP5_WATCH sets the time\)" + on(0, 3) + r"\nmpi_talk: MPI has not started for 4 s: a process has not come or was stopped, or its node is down "
          r"\(20 times HP5_WATCH, in seconds\)" + on(0, 3), 8.0)


def check_starts(mpi):
    global failures
    same = r"mpi_talk: all processes must have the same arguments, but this one has "
    check_start(mpi, "other arguments", [[options.talk], [options.talk], [options.talk, "x"]],
                same + "'x' where process 0 has nothing" + on(2, 3))
    check_start(mpi, "fewer arguments", [[options.talk, "n=5", "m=6"], [options.talk, "n=5"], [options.talk, "n=5"]],
                same + "nothing where process 0 has 'm=6'" + on(1, 3))
    check_start(mpi, "an argument that is cut", [[options.talk, "ab"], [options.talk, "a", "b"]],
                same + "'a' where process 0 has 'ab'" + on(1, 2))
    with tempfile.TemporaryDirectory() as folder:
        other = os.path.join(folder, "mpi_talk")
        with open(options.talk, "rb") as source, open(other, "wb") as copy:
            copy.write(source.read() + b"more")
        os.chmod(other, 0o755)
        check_start(mpi, "another executable", [[options.talk], [other]],
                    "mpi_talk: all processes must run the same program, but the executable of this one differs from that of process 0" +
                    on(1, 2))
    result = mpi.run(2, [options.talk], env={"HP5_WATCH": "often"})
    if not is_mistake(mpi, result) or messages.of(result.stderr).count("mpi_talk: HP5_WATCH is neither a number of seconds, as 10, nor none") < 1:
        failures += 1
        print("FAILED HP5_WATCH\n" + result.stderr)


with concurrent.futures.ThreadPoolExecutor(3) as pool:  # they wait most of their time
    asked = []

    def later(*what, **more):
        asked.append(pool.submit(*what, **more))
    for each in found:
        check_ends(each, later)
        check_starts_late(each, later)
        later(check_starts, each)
    for done in asked:
        done.result()
if failures:
    raise SystemExit(1)
