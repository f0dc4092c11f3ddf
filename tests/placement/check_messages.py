#!/usr/bin/env python3
"""Messages about placement statements, with their full texts.

    check_messages.py --hp5c HP5C [--show]

messages.txt has the cases: a line `== NAME`, the lines of a block for task "Bodies" (bodies.hp5), a line `--`, and what
hp5c prints. --show writes the file anew from what hp5c says.
"""
import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL = os.path.join(HERE, "..", "..", "pcubes-models", "quad-8core.pcubes")
CASES = os.path.join(HERE, "messages.txt")


def cases():
    found = []
    with open(CASES, encoding="utf-8") as file:
        for line in file:
            if line.startswith("== "):
                found.append([line[3:].rstrip("\n"), "", ""])
                part = 1
            elif line == "--\n":
                part = 2
            else:
                found[-1][part] += line
    return found


def said(hp5c, lines, folder):
    with open(os.path.join(folder, "x.map"), "w", encoding="utf-8") as file:
        file.write('"Bodies" {\n    Space A: Core\n    Space B: Core\n' + lines + "}\n")
    with open(os.path.join(HERE, "bodies.hp5"), encoding="utf-8") as source, open(os.path.join(folder, "bodies.hp5"), "w", encoding="utf-8") as copy:
        copy.write(source.read())
    done = subprocess.run([hp5c, "bodies.hp5", "--map", "x.map", "--model", os.path.abspath(MODEL), "--check-only", "--remarks"], cwd=folder,
                          capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"hp5c ended with {done.returncode}\n{done.stderr}")
    blocks, kept = [], []
    for line in done.stderr.splitlines(keepends=True):  # remarks of the plan are no matter here
        if not line.startswith(" "):
            blocks.append([])
        if blocks:
            blocks[-1].append(line)
    for block in blocks:
        follows = kept and ": note: " in block[0]
        if follows and last or ": error: " in block[0] or ": warning: " in block[0] or "[R12" in block[0]:
            kept += block
            last = True
        elif not ": note: " in block[0]:
            last = False
    return "".join(kept) or "accepted\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    failed, shown = 0, ""
    for name, lines, expected in cases():
        with tempfile.TemporaryDirectory() as folder:
            found = said(os.path.abspath(options.hp5c), lines, folder)
        shown += f"== {name}\n{lines}--\n{found}"
        if found != expected:
            failed += 1
            if not options.show:
                print(f"{name}: expected\n{expected}found\n{found}")
    if options.show:
        with open(CASES, "w", encoding="utf-8") as file:
            file.write(shown)
        return
    sys.exit(1 if failed else 0)


main()
