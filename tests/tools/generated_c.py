#!/usr/bin/env python3
"""The C text that hp5c writes: its size for each line of HP5, and that C compilers have nothing to say about it.

    generated_c.py --hp5c HP5C size [FILE …]         a table; default: programs/*/*.hp5
    generated_c.py --hp5c HP5C warnings [--all] [FILE …]   default: the language tests that run

size counts lines that are neither blank nor comment only. warnings compiles with gcc and clang, -O0 and -O3, -std=c17 -Wall
-Wextra -Wshadow -Werror, plain, --checked and -g; each file in turn with one combination, with --all in all.
"""
import argparse
import glob
import itertools
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPILERS, LEVELS, KINDS = ("gcc", "clang"), ("-O3", "-O0"), ((), ("--checked",), ("-g",))


def c_text(options, path, kind, out):
    done = subprocess.run([options.hp5c, "-S", *kind, path, "-o", out], capture_output=True, text=True)
    return done.returncode == 0


def lines_of(text):
    text = re.sub(r"/\*.*?\*/", lambda found: "\n" * found.group().count("\n"), text, flags=re.S)
    return sum(1 for line in text.splitlines() if re.sub(r"//.*", "", line).strip())


def size(options, folder):
    sources = c_lines = 0
    print(f"{'program':48} {'HP5':>6} {'C':>6} {'ratio':>6}")
    for path in options.files or sorted(glob.glob(f"{ROOT}/programs/*/*.hp5")):
        if not c_text(options, path, (), f"{folder}/text.c"):
            sys.exit(f"{path}: refused")
        hp5, c = (lines_of(open(name, encoding="utf-8").read()) for name in (path, f"{folder}/text.c"))
        print(f"{os.path.relpath(path, ROOT):48} {hp5:6} {c:6} {c / hp5:6.1f}")
        sources, c_lines = sources + hp5, c_lines + c
    print(f"{'all':48} {sources:6} {c_lines:6} {c_lines / sources:6.1f}")
    return 0


def is_c_plus_plus(path):
    return '@Language "C++"' in open(path, encoding="utf-8", errors="replace").read()


def warnings(options, folder):
    combinations = list(itertools.product(KINDS, COMPILERS, LEVELS))
    failures = compiled = 0
    files = options.files or sorted(glob.glob(f"{ROOT}/tests/language/run/**/*.hp5", recursive=True) + glob.glob(f"{ROOT}/tests/language/stages/*.hp5"))
    for number, path in enumerate(files):
        if is_c_plus_plus(path):
            continue
        for kind, compiler, level in combinations if options.all else [combinations[number * 5 % len(combinations)]]:
            if not c_text(options, path, kind, f"{folder}/text.c"):
                continue
            done = subprocess.run([compiler, "-std=c17", level, "-march=native", "-ffp-contract=off", "-fwrapv", "-Wall", "-Wextra", "-Wshadow", "-Werror",
                                   f"-I{ROOT}", "-c", f"{folder}/text.c", "-o", f"{folder}/text.o"], capture_output=True, text=True)
            compiled += 1
            if done.returncode != 0:
                failures += 1
                print(f"{path} {' '.join(kind)}: {compiler} {level}\n{done.stderr[:1500]}")
    print(f"{compiled} C texts compiled, {failures} with warnings")
    return 1 if failures or compiled == 0 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("what", choices=["size", "warnings"])
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    options.hp5c = os.path.abspath(options.hp5c)
    with tempfile.TemporaryDirectory(prefix="hp5-c-") as folder:
        return {"size": size, "warnings": warnings}[options.what](options, folder)


if __name__ == "__main__":
    sys.exit(main())
