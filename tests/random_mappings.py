#!/usr/bin/env python3
"""Language tests under random index mappings and placement statements: placement changes, results do not.

    random_mappings.py --hp5c HP5C [--seed N] [--count N] [--programs]

Takes tests/language/run/*.hp5 in random order. Each gets its default mapping with a random function (`by any_Core`) for every
Space that may have one, and random placement statements (Layout, InstanceLimit, CollectMemory, Priority). It must still give
what it says, under all numbers of threads (run_language.py).
"""
import argparse
import json
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


def arrays_of(hp5c, path):
    """The arrays of each task, from the plan."""
    found, task = {}, None
    for line in run(hp5c, path, "--model", MODEL, "--dump=plan").stdout.splitlines():
        heading, array = re.match(r'task "(.*)"$', line), re.match(r"  array (\w+):", line)
        if heading:
            task = found.setdefault(heading[1], [])
        elif array:
            task.append(array[1])
    return found


def layout(rng=random):
    words = [rng.choice(("C_order", "F_order", "F_order"))] if rng.random() < 0.7 else []
    words += [rng.choice(("AoS", "SoA", "SoA"))] if rng.random() < 0.6 else []
    words += [f"align {2 ** rng.randint(0, 10)}"] if rng.random() < 0.4 else []
    rng.shuffle(words)
    return ", ".join(words)


def laid_out(hp5c, path, mapping, model, rng, stated=False, memory=None):
    """Another mapping beside this one, one task a line, with one random layout for all arrays, whose fields lie apart where they can: its path. stated:
    with other placement statements, too. In a model with cards a task's arrays get a random memory, and some are collected; memory: all have that one, whole elements, and are kept."""
    arrays, words, text = arrays_of(hp5c, path), "" if memory else "SoA", pathlib.Path(mapping).read_text()
    words += "".join(f", {word}" for word in layout(rng).split(", ") if word and word not in ("AoS", "SoA"))
    for task, names in arrays.items():
        lines = "".join(f"\n    Layout {name}: {words.removeprefix(', ')}" for name in names if words)
        if "<gpu>" in pathlib.Path(model).read_text():
            region = memory or rng.choice(("FBMEM", "ZCMEM", "SYSMEM", "STAGED")) # one for all: two names may be one item
            lines += "".join(f"\n    Region {name}: {region}" for name in names)
            lines += "".join(f"\n    CollectMemory {name}" for name in names if memory is None and rng.random() < 0.3)
        if stated:
            spaces = re.findall(r"Space (\w+):", text.partition(f'"{task}" {{')[2].partition("}")[0])
            lines += "".join(f"\n    CollectMemory {name}" for name in names if rng.random() < 0.6)
            lines += "".join(f"\n    InstanceLimit {name} {rng.randint(1, 4)}" for name in spaces if rng.random() < 0.5)
        text = text.replace(f'"{task}" {{', f'"{task}" {{{lines}\n   ', 1)
    name = f"laid-out-{pathlib.Path(mapping).name}"
    accepted(hp5c, path, text, pathlib.Path(mapping).parent, model, name)
    return str(pathlib.Path(mapping).parent / name)


def statements(text, arrays, alike):
    """Random placement statements at the end of each block. alike: one layout for all arrays, which may be one item."""
    lines, task, spaces, one = [], None, [], layout()
    for line in text.splitlines():
        heading, space = re.match(r'"(.*)" \{$', line), re.match(r"    Space (\w+):", line)
        if heading:
            task, spaces = heading[1], []
        elif space:
            spaces.append(space[1])
        elif line == "}" and task is not None:
            for array in arrays.get(task, []):
                words = one if alike else layout()
                lines += [f"    Layout {array}: {words}"] if words else []
                lines += [f"    CollectMemory {array}"] if random.random() < 0.6 else []
            lines += [f"    InstanceLimit {name} {random.randint(1, 5)}" for name in spaces if random.random() < 0.4]
            lines += [f"    Priority {random.randint(0, 9)}"] if random.random() < 0.5 else []
        lines.append(line)
    return "\n".join(lines) + "\n"


def accepted(hp5c, path, text, folder, model=MODEL, name="any.map"):
    """Writes `name` with what hp5c does not refuse: items of layouts, lines, functions. None if a function is refused."""
    for _ in range(100):
        (folder / name).write_text(text)
        check = run(hp5c, path, "--model", model, "--map", folder / name, "--check-only", "--json")
        if check.returncode == 0:
            return text, set()
        errors = [json.loads(line) for line in check.stderr.splitlines() if line.startswith("{")]
        errors = [error for error in errors if error["severity"] == "error" and error["line"] is not None]  # else how many are not shown
        functions = {match[1] for error in errors if (match := re.match(r"Space (\w+) (?:has one LPU|is <dynamic>)", error["message"]))}
        if functions:
            return None, functions
        lines = text.split("\n")
        for error in errors:
            line, column = error["line"] - 1, error["column"] - 1
            if re.search(r"cannot be (F_order|SoA)|SoA is for", error["message"]):
                word = error["message"].startswith("SoA") and "SoA" or re.search(r"cannot be (\w+)", error["message"])[1]
                lines[line] = lines[line].replace(word, {"SoA": "AoS", "F_order": "C_order"}[word])
            elif "cannot be collected" in error["message"] or "cannot lie in" in error["message"] or "Space Root is one LPU" in error["message"] or lines[line].startswith("    InstanceLimit"):
                lines[line] = ""
            else:
                sys.exit(f"{path} line {line + 1}, {column + 1}: {error['message']}\n{text}")
        text = "\n".join(lines)
    sys.exit(f"{path}: no mapping is accepted\n{text}")


def placed(hp5c, path, folder, alike=False):
    """Writes any.map for the program; False if there is nothing to place."""
    default, without = run(hp5c, path, "--model", MODEL, "--print-map").stdout, set()
    arrays = arrays_of(hp5c, path)
    for _ in range(8):
        functions = mapping(default, without)
        if functions is None and not any(arrays.values()):
            return False
        text, refused = accepted(hp5c, path, statements(functions or default, arrays, alike), folder)
        if text is not None:
            return True
        without |= refused
    return False


def check_language(options, folder):
    """Language tests in random order; the number that there were."""
    paths, done = sorted((HERE / "language" / "run").glob("*.hp5")), 0
    random.shuffle(paths)
    for path in paths:
        if done == options.count:
            break
        if not placed(options.hp5c, path, folder):
            continue
        text = re.sub(r"^// (map|map-text|model):.*\n", "", path.read_text(), flags=re.M)
        test = folder / path.name
        test.write_text(text.replace("// run\n", "// run\n// map: any.map\n", 1))
        result = run(sys.executable, HERE / "run_language.py", "--hp5c", options.hp5c, test)
        if "gives different layouts" in result.stdout + result.stderr and placed(options.hp5c, path, folder, alike=True):
            result = run(sys.executable, HERE / "run_language.py", "--hp5c", options.hp5c, test)
        if result.returncode != 0:
            sys.exit(f"{path.name} under\n{(folder / 'any.map').read_text()}\n{result.stdout}{result.stderr}")
        done += 1
    return done


def check_programs(options, folder):
    """The programs that have a script of inputs (programs/apps.py)."""
    sys.path.insert(0, str(HERE / "programs"))
    import apps
    known, done = sorted(apps.scripts().items()), 0
    random.shuffle(known)
    for source, (path, _) in known:
        if done == options.count:
            break
        if not placed(options.hp5c, path, folder):
            continue
        command = [sys.executable, HERE / "programs" / "apps.py", "--hp5c", options.hp5c, "--map", folder / "any.map", "--threads", "1,3", source]
        result = run(*command)
        if "gives different layouts" in result.stdout and placed(options.hp5c, path, folder, alike=True):
            result = run(*command)
        if result.returncode != 0:
            sys.exit(f"{source} under\n{(folder / 'any.map').read_text()}\n{result.stdout}{result.stderr}")
        done += 1
    return done


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--hp5c", required=True)
    options.add_argument("--seed", type=int, default=random.randrange(10**6))
    options.add_argument("--count", type=int, default=12)
    options.add_argument("--programs", action="store_true", help="the programs of programs/ instead")
    options = options.parse_args()
    random.seed(options.seed)
    print(f"seed {options.seed}")
    with tempfile.TemporaryDirectory() as name:
        done = (check_programs if options.programs else check_language)(options, pathlib.Path(name))
    print(f"{done} programs")


if __name__ == "__main__":
    main()
