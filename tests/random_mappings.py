#!/usr/bin/env python3
"""Language tests under random index mappings: placement changes, results do not.

    random_mappings.py --hp5c HP5C [--seed N] [--count N]

Takes tests/language/run/*.hp5 in random order. Each gets its default mapping with a random function (`by any_Core`) for every
Space that may have one, and must still give what it says, under all numbers of threads (run_language.py).
"""
import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MODEL = HERE.parent / "pcubes-models" / "quad-8core.pcubes"


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def mapping(default, without):
    """The default mapping with a function for each Space but those of `without`; None if no Space is left."""
    first, factor = random.randint(0, 9), random.randint(1, 9)
    lines, levels = [], set()
    for line in default.splitlines():
        space = re.match(r"    Space (\w+): (Core|Socket)\b", line)
        if space and space[1] not in without:
            levels.add(space[2])
            line = f"    Space {space[1]}: {space[2]} by any_{space[2]}"
        lines.append(line)
    functions = [f"m_{level} = Machine({level})\ndef any_{level}(Tuple p, Tuple s):\n"
                 f"    at = sum(p * {factor}) + p[0] * {first} + {first}\n    return m_{level}[0, at % m_{level}.size[1]]\n" for level in sorted(levels)]
    return "".join(functions) + "\n".join(lines) + "\n" if levels else None


def placed(hp5c, path, folder):
    """Writes any.map for the program; False if none of its Spaces can have a function."""
    default, without = run(hp5c, path, "--model", MODEL, "--print-map").stdout, set()
    for _ in range(8):
        text = mapping(default, without)
        if text is None:
            return False
        (folder / "any.map").write_text(text)
        check = run(hp5c, path, "--model", MODEL, "--map", folder / "any.map", "--check-only")
        refused = set(re.findall(r"Space (\w+) (?:has one LPU|is <dynamic>)", check.stderr)) - without
        if check.returncode == 0:
            return True
        if not refused:
            sys.exit(f"{path}: {check.stderr}")
        without |= refused
    return False


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--hp5c", required=True)
    options.add_argument("--seed", type=int, default=random.randrange(10**6))
    options.add_argument("--count", type=int, default=12)
    options = options.parse_args()
    random.seed(options.seed)
    print(f"seed {options.seed}")
    paths = sorted((HERE / "language" / "run").glob("*.hp5"))
    random.shuffle(paths)
    done = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in paths:
            if done == options.count:
                break
            if not placed(options.hp5c, path, folder):
                continue
            text = re.sub(r"^// (map|map-text|model):.*\n", "", path.read_text(), flags=re.M)
            test = folder / path.name
            test.write_text(text.replace("// run\n", "// run\n// map: any.map\n", 1))
            result = run(sys.executable, HERE / "run_language.py", "--hp5c", options.hp5c, test)
            if result.returncode != 0:
                sys.exit(f"{path.name} under\n{(folder / 'any.map').read_text()}\n{result.stdout}{result.stderr}")
            done += 1
    print(f"{done} programs")


main()
