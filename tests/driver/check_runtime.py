#!/usr/bin/env python3
"""hp5c, the runtime's headers and libhp5.a are of one build, or compiling ends with a message.

    check_runtime.py --hp5c HP5C

Lays out an installation (hp5c, headers, library), then changes one of them at a time.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCE = 'Program (args) {\n    print("built")\n}\n'
HELP = "   help: build or install hp5c and its runtime again, both together (cmake --build BUILD-FOLDER)\n"


def lay_out(hp5c, place):
    """An installation of its own under `place`; returns its hp5c, headers and library."""
    for folder in ("bin", "lib/hp5"):
        (place / folder).mkdir(parents=True)
    shutil.copy2(hp5c, place / "bin/hp5c")
    shutil.copy2(hp5c.parent / "libhp5.a", place / "lib/hp5/libhp5.a")
    for header in (ROOT / "runtime").rglob("*.h"):
        copy = place / "include/hp5" / header.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(header, copy)
    (place / "t.hp5").write_text(SOURCE)
    return place / "include/hp5/runtime", place / "lib/hp5/libhp5.a"


class Checker:
    def __init__(self, place):
        self.place, self.failed = place, 0
        self.here = f"{place}/bin/../"

    def compile(self, name, status, stderr):
        """Compiles t.hp5; `stderr` is the whole message, with HERE/ for the installation's folder."""
        program = self.place / "t"
        program.unlink(missing_ok=True)
        temporary = self.place / "tmp"
        temporary.mkdir(exist_ok=True)
        run = subprocess.run([self.place / "bin/hp5c", "t.hp5"], cwd=self.place, capture_output=True, text=True,
                             env=dict(os.environ, TMPDIR=str(temporary)), check=False)
        said, left = run.stderr.replace(self.here, "HERE/"), os.listdir(temporary)
        if run.returncode != status or said != stderr or program.exists() != (status == 0) or left:
            self.failed += 1
            print(f"{name}: status {run.returncode}, expected {status}; left in TMPDIR: {left}\n{said}expected:\n{stderr}")
        elif status == 0 and subprocess.run([program], capture_output=True, text=True, check=False).stdout != "built\n":
            self.failed += 1
            print(f"{name}: the program does not run")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", type=pathlib.Path, required=True)
    hp5c = parser.parse_args().hp5c.resolve()
    with tempfile.TemporaryDirectory(prefix="hp5-runtime-") as folder:
        place = pathlib.Path(folder)
        headers, library = lay_out(hp5c, place)
        checker = Checker(place)
        checker.compile("all of one build", 0, "")
        task = headers / "run/run.h"
        os.utime(task)
        checker.compile("a newer header with the same text", 0, "")
        text = task.read_text()
        task.write_text(text + "\n")
        checker.compile("a changed header", 2, "hp5c: error: the runtime header 'HERE/include/hp5/runtime/run/run.h' is not the one that "
                        "this hp5c was built with [E1507]\n" + HELP)
        task.unlink()
        checker.compile("a missing header", 2, "hp5c: error: cannot read the runtime header 'HERE/include/hp5/runtime/run/run.h': "
                        "No such file or directory [E1501]\n")
        task.write_text(text)
        checker.compile("the header of before", 0, "")
        subprocess.run(["ar", "d", library, "runtime_stamp.c.o"], check=True)
        checker.compile("a library without the symbol", 2, "hp5c: error: the runtime library 'HERE/lib/hp5/libhp5.a' was not built from the "
                        "headers that this hp5c uses [E1507]\n" + HELP)
    if checker.failed:
        sys.exit(1)
    print("6 cases")


if __name__ == "__main__":
    main()
