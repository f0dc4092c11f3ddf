#!/usr/bin/env python3
"""With -g, where debuggers and compute-sanitizer see code for cards: at the lines of the program's stages and functions, and of no others.

    check_lines.py --hp5c HP5C [--nvcc] [NAME …]

Of programs/NAME under card.map (lu, monte-carlo): the text for cards is followed as a compiler does it, #line by #line. Each line of the text that is said to be
one of the program must be one of its stages and functions, each line there that assigns must have text, and no other text may. (A product of which
only its halves are used, m * x + (x >> n), has no text of its own: where they are used stands what they are of.) With --nvcc the same
is asked of the line table that NVIDIA's compiler makes with hp5c's own flags (.loc in PTX).
"""
import argparse
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

COMMAND = """#!%s
import os, subprocess, sys
words = sys.argv[1:]
at = words.index("-o")
flags = [word for i, word in enumerate(words) if word != "-c" and i not in (at, at + 1)]
subprocess.run(["nvcc", *flags, "-ptx", "-o", os.environ["HP5_TEST_OUT"]], check=True)
sys.exit(1)
"""


def bodies(source):
    """Lines of stages and functions, and those of them that assign."""
    inside, those, assigning = False, set(), set()
    for number, line in enumerate(source.splitlines(), 1):
        if re.match(r"\s*(Stages:|Function )", line):
            inside = True
        elif re.match(r"\s*Computation:|(Program|Task)\b", line):
            inside = False
        code = line.split("//")[0]
        if inside and code.strip():
            those.add(number)
            if re.search(r"[\w\])] = ", code) and not re.search(r" = \w+ \* (\w+) \+ \(\1 >> \w+\)$", code.rstrip()):
                assigning.add(number)
    return those, assigning


def lines_of_text(text, source):
    """Of the program, by the text's #line; and lines whose own place is not said rightly."""
    found, wrong, place, here = set(), [], None, 0
    for number, line in enumerate(text.splitlines(), 1):
        directive = re.match(r'#line (\d+) "(.*)"$', line)
        if directive:
            place, here = directive.group(2), int(directive.group(1))
            if place != source and (place != f"{source}.cu" or here != number + 1):
                wrong.append(f"{number}: {line}")
            continue
        if place == source and line.strip():
            found.add(here)
        here += 1
    return found, wrong


def lines_of_ptx(ptx, source):
    files = {number for number, name in re.findall(r'^\s*\.file\s+(\d+) "(.*?)"', ptx, re.M) if name.endswith(f"/{source}") or name == source}
    if len(files) != 1:
        sys.exit(f"the line table has {len(files)} files {source}")
    return {int(line) for file, line in re.findall(r"^\s*\.loc\s+(\d+) (\d+)", ptx, re.M) if file in files} - {0}


def check(options, folder, name):
    source, text = f"programs/{name}/{name}.hp5", f"{folder}/t"
    command = [options.hp5c, source, "-g", "--map", f"mappings/{name}/card.map", "--model", "pcubes-models/h200.pcubes"]
    with open(f"{ROOT}/{source}", encoding="utf-8") as file:
        those, assigning = bodies(file.read())
    if options.nvcc:
        said = subprocess.run([*command, "--nvcc", f"{folder}/nvcc", "--gpu-arch", "sm_90", "-o", text], cwd=ROOT, capture_output=True, text=True,
                              env=dict(os.environ, TMPDIR=folder, HP5_TEST_OUT=f"{text}.ptx"))
        if not os.path.exists(f"{text}.ptx"):
            sys.exit(said.stderr)
        with open(f"{text}.ptx", encoding="utf-8") as file:
            found, wrong, assigning = lines_of_ptx(file.read(), source), [], set() # of statements some become none
    else:
        subprocess.run([*command, "-S", "-o", f"{text}.c"], cwd=ROOT, check=True)
        with open(f"{text}.cu", encoding="utf-8") as file:
            found, wrong = lines_of_text(file.read(), source)
    wrong += [f"line {line} of {source} is no code of a card" for line in sorted(found - those)]
    wrong += [f"line {line} of {source} is nowhere" for line in sorted(assigning - found)]
    if len(found) < 5:
        wrong.append(f"only {len(found)} lines of {source} are there")
    print(f"{source}: {len(found)} lines", *wrong, sep="\n")
    return bool(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--nvcc", action="store_true")
    parser.add_argument("names", nargs="*", default=["lu", "monte-carlo"])
    options = parser.parse_args()
    options.hp5c = os.path.abspath(options.hp5c)
    if options.nvcc and not shutil.which("nvcc"):
        print("skipped: there is no nvcc")
        return 77
    with tempfile.TemporaryDirectory(prefix="hp5-card-") as folder:
        with open(f"{folder}/nvcc", "w", encoding="utf-8") as file:
            file.write(COMMAND % sys.executable)
        os.chmod(f"{folder}/nvcc", stat.S_IRWXU)
        return int(any([check(options, folder, name) for name in options.names]))


if __name__ == "__main__":
    sys.exit(main())
