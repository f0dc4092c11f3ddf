"""Commands within limits of time and memory: what a fault may make endless or greedy.

The limit of memory is on what a command and all processes that descend from it hold at once (what they share counts for each). It is not
on address space (RLIMIT_AS, RLIMIT_DATA): sanitizers map terabytes that nobody touches. /proc is read five times a second, so a
command can be above its limit for a moment.
"""
import os
import signal
import subprocess
import threading
import time

INTERRUPTED = threading.Event()   # whatever runs is ended, and nothing begins
PAGE = os.sysconf("SC_PAGE_SIZE")


def interruptible():
    """SIGINT and SIGTERM end what runs. (An exception from a handler would make Thread.join forget its thread.)"""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: INTERRUPTED.set())


def go_on():
    """Unless interrupted."""
    if INTERRUPTED.is_set():
        raise KeyboardInterrupt


def default_signals():
    """Tests send signals; nohup and background shells ignore some."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def processes():
    """Everybody's parent, session and memory by (number, start): numbers are used again."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                    words = file.read().rpartition(")")[2].split()
            except OSError:   # has ended
                continue
            found[(int(name), int(words[19]))] = (int(words[1]), int(words[3]), int(words[21]) * PAGE)
    return found


class Family:
    """A process that leads a session, those of its session, and those that descend from them, also where one between them has
    ended after we had seen it."""

    def __init__(self, number):
        self.number, self.members, self.bytes = number, set(), 0

    def look(self):
        there = processes()
        self.members &= there.keys()
        numbers = {self.number} | {number for number, _ in self.members}
        size = -1
        while size != len(self.members):
            size = len(self.members)
            self.members |= {key for key, (parent, session, _) in there.items() if session == self.number or parent in numbers}
            numbers |= {number for number, _ in self.members}
        self.bytes = sum(there[key][2] for key in self.members)

    def end(self):
        """Twice: what is killed may just have started something."""
        for _ in range(2):
            self.look()
            for number, _ in self.members:
                try:
                    os.kill(number, signal.SIGKILL)
                except ProcessLookupError:
                    pass


def run(command, seconds, memory, stop, **more):
    """How the command ended: "passed", "failed", "no end", "too much memory"; None when `stop` came first."""
    if stop.is_set() or INTERRUPTED.is_set():
        return None
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=default_signals, **more)
    family, start, ended = Family(process.pid), time.monotonic(), None
    try:
        while ended is None:
            try:
                ended = "passed" if process.wait(0.2) == 0 else "failed"
            except subprocess.TimeoutExpired:
                family.look()
                if stop.is_set() or INTERRUPTED.is_set():
                    return None
                if family.bytes > memory:
                    ended = "too much memory"
                elif time.monotonic() - start > seconds:
                    ended = "no end"
        return ended
    finally:
        if process.poll() is None or family.members:
            family.end()
        process.wait()
