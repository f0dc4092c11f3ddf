#!/usr/bin/env python3
"""Tests an installed hp5c: check_install.py --cmake cmake --build BUILD-FOLDER

Installs into a fresh folder, moves that folder (an installation has no fixed place), and compiles and runs programs
there. The C compiler's own list of what it read, and the command that it was given, show that nothing came from the
build folder or from the sources.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXPECTED = """bin/hp5c lib/hp5/libhp5.a include/hp5/runtime/generated.h include/hp5/runtime/run/run.h
share/hp5/pcubes-models/laptop.pcubes share/hp5/mappings/stencil/cores.map share/hp5/programs/stencil/stencil.hp5
share/hp5/programs/stencil/plate.py share/man/man1/hp5c.1 share/bash-completion/completions/hp5c
share/doc/hp5/README.md share/doc/hp5/manual.md""".split()
HELLO = 'Program (args) {\n    print("the answer is", 6 * args.n)\n}\n'
# Stands in for cc: notes its arguments, then is cc.
RECORDER = '#!/bin/sh\nprintf "%s\\n" "$@" >> "$HP5_TEST_RECORD"\nexec cc "$@"\n'


def run(command, **options):
    done = subprocess.run([str(c) for c in command], text=True, capture_output=True, stdin=subprocess.DEVNULL, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nexit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def install(cmake, build, place):
    first = place / "first"
    run([cmake, "--install", build, "--prefix", first])
    for name in EXPECTED:
        if not (first / name).is_file():
            sys.exit(f"cmake --install did not install {name}")
    moved = place / "moved here"
    first.rename(moved)
    return moved


def foreign(text, build):
    return [line for line in text.split() if line.startswith((str(ROOT) + "/", str(build) + "/"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    build = options.build.resolve()
    with tempfile.TemporaryDirectory(prefix="hp5-install-") as folder:
        place = pathlib.Path(folder)
        prefix = install(options.cmake, build, place)
        work = place / "work"
        work.mkdir()
        (work / "hello.hp5").write_text(HELLO)
        recorder, record, dependences = work / "recorder", work / "record", work / "dependences"
        recorder.write_text(RECORDER)
        recorder.chmod(0o755)
        environment = dict(os.environ, HP5_TEST_RECORD=str(record))
        flags = ["--cc", recorder, "--cc-flag=-MMD", "--cc-flag=-MF", f"--cc-flag={dependences}"]
        hp5c, share = prefix / "bin" / "hp5c", prefix / "share" / "hp5"
        run([hp5c, "hello.hp5", *flags], cwd=work, env=environment)
        said = run([work / "hello", "n=7"])
        if said != "the answer is 42\n":
            sys.exit(f"the program said {said!r}")
        run([hp5c, share / "programs/stencil/stencil.hp5", "--map", share / "mappings/stencil/cores.map",
             "--model", share / "pcubes-models/laptop.pcubes", "-o", "heat", *flags], cwd=work, env=environment)
        run([sys.executable, share / "programs/stencil/plate.py", "make", "40", work / "start.npy"])
        run([work / "heat", "plate=start.npy", "result=end.npy", "iterations=4", "k=2", "l=1", "m=1", "n=1", "p1=2",
             "p2=1"], cwd=work)
        read = record.read_text() + dependences.read_text().replace("\\ ", " ")
        if "include/hp5" not in read or foreign(read, build):
            sys.exit(f"read from the build folder or the sources: {foreign(read, build)}\n{read}")
    print("installed, moved, compiled and ran")


if __name__ == "__main__":
    main()
