"""What tests make of the runtime alone (libraries with a sanitizer or for tcc, precompiled headers), once for all tests of a build.

It lies beside hp5c, in a folder that is named by what it follows from: the runtime, hp5c itself, and the tests' own headers.
"""
import fcntl
import functools
import glob
import hashlib
import os
import shutil

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MADE_FROM = ("runtime/*.h", "runtime/*/*.[ch]", "tests/random/tcc/**/*.h", "tests/random/builds.py", "tests/tools/sanitized.py",
             "tests/card/nvcc", "tests/card/simulator/*")


@functools.cache
def folder(hp5c):
    """Its path; those of other states of the files are removed."""
    digest = hashlib.sha256()
    for path in [hp5c] + sorted(path for pattern in MADE_FROM for path in glob.glob(f"{ROOT}/{pattern}", recursive=True)):
        with open(path, "rb") as file:
            digest.update(os.path.relpath(path, ROOT).encode() + b"\0" + hashlib.sha256(file.read()).digest())
    above, name = os.path.join(os.path.dirname(os.path.abspath(hp5c)), "for-tests"), digest.hexdigest()[:16]
    if not os.path.isdir(f"{above}/{name}"):
        shutil.rmtree(above, ignore_errors=True)
        os.makedirs(f"{above}/{name}", exist_ok=True)
    return f"{above}/{name}"


def once(place, name, make):
    """The file of this name in the folder `place`, made there by the first one who asks, of whatever process: make(path)."""
    path = os.path.join(place, name)
    if not os.path.exists(path):
        with open(path + ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not os.path.exists(path):
                make(path + ".new")
                os.rename(path + ".new", path)
    return path
