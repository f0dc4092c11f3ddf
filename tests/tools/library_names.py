#!/usr/bin/env python3
"""Names of functions in C libraries, which functions of programs cannot have in C (compiler/emit/program/library_names.def).

    library_names.py --write    writes the table anew, from the headers that are here: it only grows
    library_names.py            does the table have all that the headers of generated programs declare here, for C and for cards? (a ctest)

Text for cards includes what g++, CUDA and its simulator include, so the table has whole headers of C and POSIX, not only those that text for processors
includes.
"""
import argparse
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = f"{ROOT}/compiler/emit/program/library_names.def"
HEADERS = ("complex", "ctype", "fcntl", "fenv", "inttypes", "locale", "math", "pthread", "sched", "setjmp", "signal", "stdio", "stdlib", "string", "strings",
           "sys/mman", "sys/stat", "sys/time", "time", "uchar", "unistd", "wchar", "wctype")
GENERATED = ("runtime/generated.h", "runtime/math/math.h")


def declared(command, headers):
    """Words in front of a bracket at the top of the text: functions that it declares, and some that are none."""
    done = subprocess.run([*command, "-E", "-P", "-I", ROOT, "-"], input="".join(f"#include <{name}>\n" for name in headers), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    depth, last, names = 0, None, set()
    for found in re.finditer(r'"(?:\\.|[^"\\])*"|[{}()]|[A-Za-z_]\w*', re.sub(r'extern\s*"C"\s*{|namespace\s+\w+\s*{', "", done.stdout)):
        word = found.group()
        if word == "(" and depth == 0 and last:
            names.add(last)
        depth = depth + (word in "({") - (word in ")}") if word in "(){}" else depth
        depth, last = max(depth, 0), word if re.match(r"[A-Za-z_]", word) else None
    return {name for name in names if not re.match(r"_|hp5_|Hp5|HP5_", name) and name not in ("sizeof", "typedef", "void", "char", "int", "const", "pragma", "diagnostic")}


def table():
    with open(TABLE, encoding="utf-8") as text:
        return re.findall(r'"(\w+)"', text.read())


def lines_of(words):
    line = ""
    for word in words:
        if len(line) + len(word) + 4 > 150:
            yield line.rstrip()
            line = ""
        line += f'"{word}", '
    yield line.rstrip()


def write():
    names = set(table()) if os.path.exists(TABLE) else set()
    gnu, posix = ["gcc", "-x", "c", "-std=gnu17", "-D_GNU_SOURCE"], ["gcc", "-x", "c", "-std=gnu17"]
    names |= declared(gnu, [f"{name}.h" for name in HEADERS]) | declared(posix, GENERATED)
    with open(TABLE, "w", encoding="utf-8") as text:
        text.write("/* Functions of C libraries, in strcmp's order: written by tests/tools/library_names.py. */\n" + "\n".join(lines_of(sorted(names))) + "\n")


def check():
    names = table()
    if names != sorted(set(names)):
        sys.exit("library_names.def: names are not in order")
    wanted = declared(["gcc", "-x", "c", "-std=gnu17"], GENERATED)
    if len(wanted) < 50:
        sys.exit(f"{len(wanted)} functions were found, which is not all")
    missing = sorted(wanted - set(names))
    if missing:
        sys.exit(f"library_names.def lacks {' '.join(missing)}: library_names.py --write")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    (write if parser.parse_args().write else check)()


main()
