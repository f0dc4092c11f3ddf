#!/usr/bin/env python3
"""Programs on several computers that share a network and one folder (hosts.py): results are the interpreter's, bit by bit, which
shows that nothing depends on shared memory or on a common disk but the files that are named. And what goes wrong on one of several
computers is said: which it was, and within five seconds."""
import argparse
import os
import re
import shutil
import sys
import tempfile
import threading
import time

import numpy as np

import hosts
import launch
import messages
import run

PROGRAMS = ["transpose", "monte-carlo", "heat-3d", "conjugate-gradient", "lu"]
failures = 0


def fail(text):
    global failures
    failures += 1
    print(f"FAILED: {text}", flush=True)


# ---- The computers ---------------------------------------------------------------------------------------------------


def furnish(computers, mpis, build, talk):
    """As a user would: the programs and the libraries for MPIs that stand beside them."""
    for host in computers:
        host.put(talk)
        for mpi in mpis:
            host.put(f"{build}/libhp5-{mpi.name}.so")


def check_apart(computers):
    """They have nothing in common but what they should."""
    first, second = computers[:2]
    first.run(f"echo 1 > /tmp/mine; echo 1 > /dev/shm/mine; echo 1 > {hosts.LOCAL}/mine; echo 1 > {hosts.SHARED}/ours; sleep 30 > /dev/null 2>&1 & ipcmk -M 100")
    seen = second.run(f"ls /tmp /dev/shm {hosts.LOCAL} | grep mine; ls {hosts.SHARED} | grep ours; hostname; ps ax | grep -c '[s]leep 30'; ipcs -m | grep -c 0x")
    if seen.split() != ["ours", second.name, "0", "0"]:
        fail(f"{second.name} sees of {first.name}: {seen}")
    os.remove(f"{hosts.shared()}/ours")


# ---- Programs --------------------------------------------------------------------------------------------------------


def inside(word):
    """A word of a command line as a host must get it."""
    return str(word).replace(hosts.shared(), hosts.SHARED)


def check_program(mpis, computers, source, options):
    """Whether it has run."""
    folder = f"{hosts.shared()}/{source}"
    os.makedirs(folder)
    subject = run.program_subject(source, options, folder)
    name, model, mapping = subject.mappings[0]
    try:
        run.compile_to(f"{folder}/{source}", [options.hp5c], subject.path, mapping, model)
    except run.Refused as reason:
        print(f"left out: {source}: {reason}")
        return False
    for host in computers:
        host.put(f"{folder}/{source}")
    os.remove(f"{folder}/{source}")
    arguments, reference = subject.sets[0]
    for mpi in mpis:
        for places in (computers, [computers[0], computers[0], computers[1]]):
            check_run(mpi, places, subject, arguments, reference, folder)
    return True


def check_run(mpi, places, subject, arguments, reference, folder):
    who = f"{mpi.title}, {subject.name} on {' '.join(host.name for host in places)}"
    out = f"{folder}/out"
    shutil.rmtree(out, ignore_errors=True)
    os.mkdir(out)
    begin = time.time()
    try:
        done = hosts.run(mpi, places, [f"./{subject.name}", "--threads", "2", *map(inside, arguments.command(out))])
    except launch.Stuck as reason:
        fail(f"{who}: {reason}")
        return
    print(f"{who}: status {done.returncode}, {time.time() - begin:.1f} s", flush=True)
    if done.returncode != 0:
        fail(f"{who}: {done.stdout}{done.stderr}")
        return
    outcome = run.run_language.Outcome(0, done.stdout, "", arguments.load(out))
    try:
        run.run_language.check_same(None, arguments, reference, outcome, who)
    except run.Failed as reason:
        fail(f"{who}: {reason}")


# ---- What goes wrong on one of them --------------------------------------------------------------------------------------


def check_message(mpi, places, program, expected, what):
    """It ends with one message, which names rank and node, and the status of a mistake of the user."""
    begin = time.time()
    try:
        done = hosts.run(mpi, places, program, timeout=20)
    except launch.Stuck as reason:
        fail(f"{mpi.title}, {what}: {reason}")
        return
    took, said = time.time() - begin, messages.of(done.stderr, r"mpi_talk|\./transpose|transpose")
    print(f"{mpi.title}, {what}: status {done.returncode}, {took:.1f} s", flush=True)
    if not re.fullmatch(expected, said) or done.returncode != 2 or took > 5:
        fail(f"{mpi.title}, {what}: status {done.returncode}, {took:.1f} s\n{done.stdout}{done.stderr}\nexpected {expected}")


def check_files(mpi, computers):
    """What only one of them has, or has otherwise."""
    first, second = computers[:2]
    where = messages.on(1, 2, second.name)

    def check(what, expected, a, b):
        check_message(mpi, [first, second], ["./transpose", f"a={a}", f"b={b}", "k=4", "l=3"], expected + where, what)
    check("an input that the second does not have", "transpose: cannot read a from 'only.npy': No such file or directory", "only.npy", f"{hosts.SHARED}/b.npy")
    check("an input that is short there", "transpose: cannot read a from 'short.npy': it is truncated: its header promises 9600 bytes of "
          "elements, it holds 872", "short.npy", f"{hosts.SHARED}/b.npy")
    check("an input that is another one there", "transpose: cannot read a from 'other.npy': it has 40 x 31 elements of float64, and the file of "
          "process 0 has 40 x 30 elements of float64\n  all nodes need the same file", "other.npy", f"{hosts.SHARED}/b.npy")
    check("an output that the second does not see", f"transpose: cannot write b to '{hosts.LOCAL}/b.npy': process 0 has begun it, but here it is not to be "
          "seen: its folder must be one that all nodes share", "same.npy", f"{hosts.LOCAL}/b.npy")
    second.run(f"mv transpose aside; cp aside transpose; echo >> transpose")
    check("another executable", "(./)?transpose: all processes must run the same program, but the executable of this one differs from that of "
          "process 0", "same.npy", f"{hosts.SHARED}/b.npy")
    second.run("mv aside transpose; mkdir aside; mv libhp5-* aside")
    check("no library for MPI", rf"(./)?transpose: mp\w+ of {mpi.title} has started several processes, but there is no libhp5-{mpi.name}.so to let them talk "
          rf"\(looked in .*, {hosts.LOCAL}\)\n  install {mpi.title} with its headers and build HP5 again \(or its target hp5-{mpi.name}, where HP5 is built in part\), or start the program under another MPI",
          "same.npy", f"{hosts.SHARED}/b.npy")
    second.run("mv aside/* .; rmdir aside")
    left = first.run(f"ls -A {hosts.SHARED} | grep npy; ls -A {hosts.LOCAL} | grep -e tmp -e b.npy").split()
    if left:
        fail(f"{mpi.title}: files are left: {left}")


def put_inputs(computers, folder):
    """The same file everywhere, and three that are not."""
    array = np.arange(1200, dtype="f8").reshape(40, 30)
    for name, content in (("same", array), ("other", np.ones((40, 31)))):
        np.save(f"{folder}/{name}.npy", content)
    first, second = computers[:2]
    for host in (first, second):
        host.put(f"{folder}/same.npy")
    for name in ("only", "short", "other"):
        first.put(f"{folder}/same.npy", f"{name}.npy")
    second.put(f"{folder}/other.npy")
    with open(f"{folder}/same.npy", "rb") as whole, open(f"{second.root}{hosts.LOCAL}/short.npy", "wb") as short:
        short.write(whole.read()[:1000])


def running(host):
    """Whether a process of the program is at work there; one that has ended may wait for its launcher."""
    return any("mpi_talk" in line and not line.split()[2].startswith("Z") for line in host.run("ps ax").splitlines())


def check_cable(mpi, computers):
    """A computer that can no longer be reached: everybody ends, there, too. Launchers may wait for it longer."""
    first, second = computers[:2]
    pulled, gone = [], {}

    def pull():
        for _ in range(100):
            time.sleep(0.1)
            if running(first) and running(second):
                break
        time.sleep(0.5)
        pulled.append(time.time())
        second.unplug()
        while len(gone) < 2 and time.time() - pulled[0] < 8:
            time.sleep(0.1)
            gone.update({host.name: time.time() - pulled[0] for host in (first, second) if host.name not in gone and not running(host)})
    thread = threading.Thread(target=pull)
    thread.start()
    try:
        said = hosts.run(mpi, [first, second], ["./mpi_talk", "nothing", "0", "/tmp"], timeout=8).stderr
    except launch.Stuck as reason:
        said = str(reason)
    thread.join()
    second.plug_in()
    print(f"{mpi.title}, the second cannot be reached: gone after {', '.join(f'{name} {at:.1f} s' for name, at in gone.items())}", flush=True)
    expected = (r"mpi_talk: process \d+ has not answered for 3.5 s: it was stopped, or its node is down \(HP5_WATCH sets the time\)"
                + messages.on(1, 2, second.name))
    if not re.fullmatch(expected, messages.of(said)) or len(gone) < 2 or gone[first.name] > 5:
        fail(f"{mpi.title}, the second cannot be reached: {said}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--talk", required=True)
    parser.add_argument("--programs", nargs="*", default=PROGRAMS)
    options = parser.parse_args()
    mpis = launch.find_or_skip(options.build)
    hosts.enter()
    options.hp5c = f"{options.build}/hp5c"
    computers = [hosts.Host(number) for number in (1, 2, 3)]
    os.environ["TMPDIR"] = folder = tempfile.mkdtemp(dir=os.environ[hosts.INSIDE])
    furnish(computers, mpis, options.build, options.talk)
    check_apart(computers)
    ran = [source for source in options.programs if check_program(mpis, computers, source, options)]
    if not {"transpose", "monte-carlo"} <= set(ran):
        fail(f"of the programs only {ran} have run")
    put_inputs(computers, folder)
    for mpi in mpis:
        check_files(mpi, computers)
        check_cable(mpi, computers)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
