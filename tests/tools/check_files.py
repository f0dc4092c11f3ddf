#!/usr/bin/env python3
"""The house keeps its order: no file of code over 500 lines, no two files of one name in compiler and runtime, and no prototype
in a header of a function that one file alone uses (it would be static there).

    check_files.py          a line for each thing that is wrong; status 1 when there is one
"""
import collections
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST_LINES = 500
CODE = (".c", ".h", ".re", ".y", ".def", ".py", ".sh", ".cmake", "CMakeLists.txt")
# One for each room, with the same job in each: what the room's files share.
ROOM_NAMES = {"internal.h", "private.h"}
# Functions that generated code alone calls, by names put together from pieces; and those of Lemon's parser, which it defines.
CALLED_FROM_OUTSIDE = {"hp5_provide", "hp5_collect", "hp5_item_bounds", "hp5_place_whole", "Hp5ParserAlloc", "Hp5ParserFree"}
# The two halves of an exchange of padding, for flows that compute between them; what simulated programs will say of their work.
NOT_CALLED_YET = {"hp5_move_start", "hp5_move_finish"}


def files(*folders):
    found = []
    for folder in folders:
        for path in glob.glob(f"{ROOT}/{folder}/**", recursive=True):
            if path.endswith(CODE) and os.path.isfile(path):
                found.append(os.path.relpath(path, ROOT))
    return sorted(found)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def long_files():
    for path in files("compiler", "runtime", "tests", "programs", "experiments", "docs") + ["CMakeLists.txt"]:
        count = read(path).count("\n")
        if count > MOST_LINES:
            yield f"{path}: {count} lines, {MOST_LINES} at most: split it along its jobs"


def doubled_names():
    named = collections.defaultdict(list)
    for path in files("compiler", "runtime"):
        named[os.path.basename(path)].append(path)
    for name, paths in named.items():
        if len(paths) > 1 and name not in ROOM_NAMES:
            yield f"{' and '.join(paths)}: one name for two files"


# ---- Prototypes --------------------------------------------------------------------------------------


def without_comments(text):
    return re.sub(r"//[^\n]*", "", re.sub(r"/\*.*?\*/", " ", text, flags=re.S))


def outside_bodies(text):
    """Declarations of a header: no macros, no strings, nothing between braces."""
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.M)
    text, depth, kept = re.sub(r'"(?:[^"\\\n]|\\.)*"', " ", text), 0, []
    for letter in text:
        depth -= letter == "}"
        if depth == 0 or (depth == 1 and letter == "{"):
            kept.append(letter)
        depth += letter == "{"
    return "".join(kept)


def prototypes(text):
    for statement in re.split(r"[;}]", outside_bodies(text)):
        statement = re.sub(r"__attribute__\s*\(\(.*?\)\)\)?", " ", " ".join(statement.split()))
        found = re.match(r"[\w\s*]*?\b(\w+)\s*\((?!\s*\*)", statement)
        if found and "{" not in statement and "typedef" not in statement and not found[1].isupper() and "_CONSTRUCTOR" not in found[1]:
            yield found[1]


def lonely_prototypes():
    texts = {path: read(path) for path in files("compiler", "runtime") if not path.endswith((".py", ".txt"))}
    texts.update((path, without_comments(text)) for path, text in texts.items() if not path.endswith((".re", ".y")))   # rules have '/*'
    texts.update((path, read(path)) for path in files("tests", "experiments") if path.endswith((".c", ".h")))
    users = collections.defaultdict(set)
    for path, text in texts.items():
        for word in set(re.findall(r"\w+", text)):
            users[word].add(path)
    for header in [path for path in texts if path.startswith(("compiler", "runtime")) and path.endswith(".h")]:
        for name in prototypes(texts[header]):
            others = users[name] - {header}
            used_here = len(re.findall(rf"\b{name}\b", texts[header])) > 1   # by a macro or an inline function
            if len(others) <= 1 and not used_here and name not in CALLED_FROM_OUTSIDE | NOT_CALLED_YET:
                yield f"{header}: {name} has a prototype and {'one file that uses it, ' + others.pop() if others else 'nobody who defines it'}"


def main():
    found = [*long_files(), *doubled_names(), *lonely_prototypes()]
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
