"""What the scripts of the programs share: making inputs and checking outputs.

A script NAME.py beside NAME.hp5 defines

    make(sizes…)      returns the program's arguments by name; arrays become .npy files
    OUTPUTS           for each source file, the names of the arguments that are files it writes
    check(…)          takes arguments, outputs and `printed` (lines) by name; fails with Wrong, or returns a
                      sentence that says how good the result is
    CASES             what tests pass to make(): small, odd sizes
    ARGUMENTS         where its programs take different arguments: for each source file, their names
    states(…)         for computations that go in steps, if they can diverge: takes arguments by name, yields NumPy's
                      arrays after each step

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


def element(name, place):
    """name[i, j] for an index, and name alone for a scalar."""
    return f"{name}[{', '.join(str(int(i)) for i in place)}]" if len(place) > 0 else name


def close(name, found, expected, tolerance):
    """Largest difference in units of the largest expected value; Wrong above the tolerance, and for NaN."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        raise Wrong(f"{name} has shape {found.shape}, expected {expected.shape}")
    if found.size == 0:
        return 0.0
    scale = max(float(np.max(np.abs(expected))), np.finfo(float).tiny)
    errors = np.abs(found.astype(float) - expected) / scale
    worst = np.unravel_index(np.argmax(np.where(np.isnan(errors), np.inf, errors)), errors.shape)
    if not errors[worst] <= tolerance:
        raise Wrong(f"{element(name, worst)} is {found[worst]}, expected {expected[worst]}: off by {errors[worst]:.3g} of the "
                    f"largest value, tolerated is {tolerance:.3g}")
    return float(errors[worst])


def same(name, found, expected):
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        raise Wrong(f"{name} has shape {found.shape}, expected {expected.shape}")
    other = np.argwhere(found != expected)
    if len(other) > 0:
        first = tuple(other[0])
        raise Wrong(f"{element(name, first)} is {found[first]}, expected {expected[first]}"
                    + (f" ({len(other)} of {found.size} elements differ)" if found.size > 1 else ""))


def numbers_of(name, array):
    """The arrays of Reals in an array: itself, or the fields of its records."""
    if array.dtype.names:
        for field in array.dtype.names:
            yield from numbers_of(f"{name}.{field}", array[field])
    elif array.dtype.kind == "f":
        yield name, array


def first_bad_step(states):
    """The first step after which an array of `states` holds NaN or infinity (0: none), and the number of steps."""
    step = 0
    with np.errstate(all="ignore"):
        for step, arrays in enumerate(states, 1):
            if not all(np.all(np.isfinite(array)) for array in arrays):
                return step, step
    return 0, step


def told_by(states):
    """Who is to blame for NaN: what the computation is given, or the program."""
    if states is None:
        return ""
    bad, steps = first_bad_step(states)
    if bad > 0:
        return f"; so does NumPy's, in step {bad}: the arguments are to blame"
    return f"; NumPy's does not, in {steps} step{'' if steps == 1 else 's'}: the program is to blame"


def refuse_nan(arrays, printed, states=None):
    """A computation that has diverged is called that, whatever else its check would find. `arrays` are outputs; `states` are
    what NumPy has after each step."""
    for whole, records in arrays.items():
        for name, array in numbers_of(whole, records):
            bad = np.argwhere(~np.isfinite(array))
            if len(bad) == 0:
                continue
            place = element(whole, bad[0]) + name[len(whole):]
            raise Wrong(f"{place} is {array[tuple(bad[0])]}: the computation has diverged "
                        f"({len(bad)} of {array.size} elements are NaN or infinite){told_by(states)}")
    for number, line in enumerate(printed or [], 1):
        if any(word.strip("-+,;:") in ("nan", "inf") for word in line.split()):
            raise Wrong(f"line {number} of what it printed holds NaN or infinity: the computation has diverged{told_by(states)}")


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
        refuse_nan(outputs, lines, script["states"](**values) if "states" in script else None)
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
