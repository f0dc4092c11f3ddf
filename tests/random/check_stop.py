#!/usr/bin/env python3
"""run.py that is stopped by a signal ends by that signal at once, with its workers, compilers and programs, and leaves no file.

It is stopped several times: while its workers begin, and later.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def processes_with(word):
    """Those whose environment has the word."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environ, open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
                if word.encode() in environ.read() and stat.read().rsplit(")", 1)[1].split()[0] != "Z":
                    found.append(int(pid))
        except OSError:
            pass   # it has ended
    return found


def stop(hp5c, number, seconds):
    """What is wrong after run.py has got the signal, as text, or None."""
    with tempfile.TemporaryDirectory(prefix="hp5-check-stop-") as folder:
        environment = dict(os.environ, TMPDIR=folder, HP5_CHECK_STOP=folder)
        command = [sys.executable, os.path.join(HERE, "run.py"), "--hp5c", hp5c, "--pairs", "100000", "--jobs", "3", "--keep-in", folder]
        run = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.time() + 60
        while not os.listdir(folder) and time.time() < deadline:
            time.sleep(0.05)
        time.sleep(seconds)
        while (had := len(processes_with(folder))) <= 1 and seconds > 0 and time.time() < deadline:
            time.sleep(0.05)   # a busy machine has not begun yet
        run.send_signal(number)
        try:
            _, err = run.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            run.kill()
            return "it goes on after the signal"
        files, deadline = os.listdir(folder), time.time() + 30
        while (left := processes_with(folder)) and time.time() < deadline:
            time.sleep(0.05)   # killed, not gone yet
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        print(f"{signal.Signals(number).name} after {seconds} s: {had} processes before, {len(left)} after; exit status {run.returncode}")
        if run.returncode != -number:
            return f"exit status {run.returncode}\n{err}"
        if left or files or err:
            return f"processes left: {left}, files left: {files}, said: {err}"
        return None if had > 1 or seconds == 0 else "nothing was running: the test says nothing"


def main():
    hp5c = os.path.abspath(sys.argv[1])
    wrong = [stop(hp5c, number, seconds) for number, seconds in ((signal.SIGTERM, 0), (signal.SIGTERM, 3), (signal.SIGINT, 4), (signal.SIGHUP, 2.5))]
    for reason in filter(None, wrong):
        print(reason)
    return 1 if any(wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
