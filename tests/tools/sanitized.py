"""The runtime library with a sanitizer in it, and programs that are linked with it. Everybody who tests compiled programs under
a sanitizer gets the library here, so that flags, sources and libraries to link stand in one place.

A sanitized program is C text of `hp5c -S` that compile() makes a program of; or hp5c makes it, given options() (tests/random).
"""
import glob
import os
import shutil
import subprocess

import shared

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KINDS = {"thread": ["-fsanitize=thread"], "address": ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]}
# As hp5c compiles and links programs, but for the level.
COMMON = ["-std=gnu17", "-O1", "-g", "-march=native", "-ffp-contract=off", "-fwrapv", f"-I{ROOT}"]
LIBRARIES = ["-lhwloc", "-lpthread", "-lm"]


class Failed(Exception):
    """What the C compiler or ar said."""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}\nended with status {done.returncode}:\n{done.stdout}{done.stderr}")


def sources():
    """Of libhp5.a, as CMakeLists.txt has them."""
    return [path for path in sorted(glob.glob(f"{ROOT}/runtime/*/*.c")) if "/runtime/device/" not in path]


def runtime(kind, hp5c, compiler="gcc"):
    """The path of the library."""
    def make(library):
        objects = library + "-objects"
        shutil.rmtree(objects, ignore_errors=True) # of one who was stopped while making it
        os.makedirs(objects)
        made = []
        for source in sources():
            made.append(os.path.join(objects, os.path.relpath(source, ROOT).replace("/", "-") + ".o"))
            run(compiler, *COMMON, *KINDS[kind], "-c", source, "-o", made[-1])
        run("ar", "rcs", library, *made)
        shutil.rmtree(objects)
    return shared.once(shared.folder(hp5c), f"runtime-{kind}-{compiler}.a", make)


def compile(kind, hp5c, text, output, compiler="gcc"):
    """A program from C text."""
    run(compiler, *COMMON, *KINDS[kind], text, runtime(kind, hp5c, compiler), *LIBRARIES, "-o", output)


def options(kind, library):
    """What hp5c gives the C compiler then, beside its own: all of the sanitized library stands before libhp5.a."""
    return [*KINDS[kind], "-Wl,--whole-archive", library, "-Wl,--no-whole-archive"]
