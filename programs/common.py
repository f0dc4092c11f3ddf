"""What the scripts of the programs share: making inputs and checking outputs.

A script NAME.py beside NAME.hp5 defines

    make(sizes…)      returns the program's arguments by name; arrays become .npy files
    OUTPUTS           for each source file, the names of the arguments that are files it writes
    check(…)          takes arguments, outputs and `printed` (lines) by name; fails with Wrong, or returns a
                      sentence that says how good the result is
    CASES             what tests pass to make(): small, odd sizes
    ARGUMENTS         where its programs take different arguments: for each source file, their names

and ends with common.main(globals()), which makes a command of it:

    NAME.py make FOLDER [program=SOURCE] [size=value …]
                                            writes the inputs, prints the arguments for the program (the first of
                                            OUTPUTS if none is named)
    NAME.py check FOLDER [FILE]             checks what the program left in FOLDER; FILE: what it printed
"""
import inspect
import json
import os
import sys

import numpy as np


class Wrong(Exception):
    """A result that is not what it should be."""


def close(name, found, expected, tolerance):
    """Largest difference in units of the largest expected value; Wrong above the tolerance, and for NaN."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        raise Wrong(f"{name} has shape {found.shape}, expected {expected.shape}")
    if found.size == 0:
        return 0.0
    scale = max(float(np.max(np.abs(expected))), np.finfo(float).tiny)
    error = float(np.max(np.abs(found.astype(float) - expected)) / scale)
    if not error <= tolerance:
        raise Wrong(f"{name} is off by {error:.3g} of its largest value, tolerated is {tolerance:.3g}")
    return error


def same(name, found, expected):
    if not np.array_equal(found, expected):
        raise Wrong(f"{name} is not what it should be")


def refuse_nan(arrays, printed):
    """A computation that has diverged is called that, whatever else its check would find. `arrays` are outputs."""
    for name, array in arrays.items():
        bad = ~np.isfinite(array) if array.dtype.kind == "f" else np.zeros(1, bool)
        if bad.any():
            place = ", ".join(str(i) for i in np.argwhere(bad)[0])
            raise Wrong(f"{name}[{place}] is {array[tuple(np.argwhere(bad)[0])]}: the computation has diverged "
                        f"({np.count_nonzero(bad)} of {array.size} elements are NaN or infinite)")
    for number, line in enumerate(printed or [], 1):
        if any(word.strip("-+,;:") in ("nan", "inf") for word in line.split()):
            raise Wrong(f"line {number} of what it printed holds NaN or infinity: the computation has diverged")


def write_inputs(arguments, folder):
    """Arrays become files; returns the arguments as the program takes them."""
    words = []
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            path = os.path.join(folder, f"{name}.npy")
            np.save(path, value)
            value = path
        words.append(f"{name}={value}")
    return words


def sizes_of(make, words):
    """Command-line words as make() takes them: the type of each default."""
    known, sizes = inspect.signature(make).parameters, {}
    for word in words:
        name, _, text = word.partition("=")
        if name not in known:
            sys.exit(f"{word}: expected one of {', '.join(known)}")
        sizes[name] = type(known[name].default)(text)
    return sizes


def arguments_for(script, source, sizes):
    """What make() gives, less what this source file does not take."""
    arguments = script["make"](**sizes)
    names = script.get("ARGUMENTS", {}).get(source, arguments)
    return {name: arguments[name] for name in names}


def make_command(script, folder, words):
    os.makedirs(folder, exist_ok=True)
    chosen = [word.partition("=")[2] for word in words if word.startswith("program=")]
    source = (chosen or list(script["OUTPUTS"]))[0]
    if source not in script["OUTPUTS"]:
        sys.exit(f"program={source}: expected one of {', '.join(script['OUTPUTS'])}")
    sizes = sizes_of(script["make"], [word for word in words if not word.startswith("program=")])
    arguments = arguments_for(script, source, sizes)
    plain = {name: value for name, value in arguments.items() if not isinstance(value, np.ndarray)}
    with open(os.path.join(folder, "arguments.json"), "w", encoding="utf-8") as out:
        json.dump(plain, out)
    print(*write_inputs(arguments, folder), *(f"{name}={folder}/{name}.npy" for name in script["OUTPUTS"][source]))


def check_command(script, folder, printed=None):
    with open(os.path.join(folder, "arguments.json"), encoding="utf-8") as source:
        values = json.load(source)
    for file in os.listdir(folder):
        if file.endswith(".npy"):
            values[file[:-4]] = np.load(os.path.join(folder, file))
    lines = open(printed, encoding="utf-8").read().splitlines() if printed else None
    outputs = {name: values[name] for names in script["OUTPUTS"].values() for name in names
               if isinstance(values.get(name), np.ndarray)}
    try:
        refuse_nan(outputs, lines)
        print(script["check"](printed=lines, **values))
    except Wrong as reason:
        sys.exit(f"wrong: {reason}")


def main(script):
    if script["__name__"] != "__main__":
        return
    words = sys.argv[1:]
    if len(words) >= 2 and words[0] == "make":
        make_command(script, words[1], words[2:])
    elif 2 <= len(words) <= 3 and words[0] == "check":
        check_command(script, *words[1:])
    else:
        sys.exit(f"{script['__doc__']}\n{__doc__.split('makes a command of it:')[1]}")
