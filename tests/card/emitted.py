"""The text for cards that hp5c writes for a language test, for the scripts that look at it."""
import argparse
import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = f"{os.path.dirname(HERE)}/language/run"
# PPUs of all tiers, and a checked build.
LEVELS = ("Card", []), ("Multi", []), ("Warp", []), ("Lane", []), ("Warp", ["--checked"])


def text_of(hp5c, program, level, *flags, lines=""):
    """The .cu of PROGRAMS/program.hp5 with all Spaces of its task on one level of models/lanes.pcubes. lines: more of the mapping."""
    with open(f"{PROGRAMS}/{program}.hp5", encoding="utf-8") as file:
        source = file.read()
    (task,), spaces = re.findall(r'^Task "(.*?)":', source, re.M), re.findall(r"^ +Space (\w+) <", source, re.M)
    with tempfile.TemporaryDirectory(prefix="hp5-emitted-") as folder:
        with open(f"{folder}/a.map", "w", encoding="utf-8") as out:
            out.write(f'"{task}" {{\n' + "".join(f"    Space {space}: {level}\n" for space in spaces) + lines + "}\n")
        subprocess.run([hp5c, "-S", *flags, f"{PROGRAMS}/{program}.hp5", "--verify", "--model", f"{HERE}/models/lanes.pcubes", "--map", f"{folder}/a.map", "-o", f"{folder}/out.c"],
                       check=True)
        with open(f"{folder}/out.cu", encoding="utf-8") as text:
            return text.read()


def differ(where, found, wanted):
    """Whether stages have other loops than wanted, which is said."""
    stages = [stage for stage in sorted({*found, *wanted}) if found.get(stage, []) != wanted.get(stage, [])]
    for stage in stages:
        print(f"{where}: {stage} has {found.get(stage)} in place of {wanted.get(stage)}")
    return bool(stages)


def main(doc, look):
    """Of a script: whether look(hp5c, level, flags) finds anything wrong on any of the levels, as its status."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--hp5c", required=True)
    options = parser.parse_args()
    failed = any([look(options.hp5c, level, flags) for level, flags in LEVELS])
    print("failed" if failed else "passed")
    return failed


def main_of_two(doc, look_at_texts, run):
    """Of a script with two parts: look_at_texts(hp5c), run(hp5c, folder) in a folder of its own; whether either finds anything wrong, as its status."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--hp5c", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hp5-emitted-") as folder:
        failed = look_at_texts(options.hp5c) | run(options.hp5c, folder)
    print("failed" if failed else "passed")
    return failed
