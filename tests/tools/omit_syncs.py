#!/usr/bin/env python3
"""Are the language tests sharp enough to notice a missing synchronisation?

For each run test, the compiler leaves out its synchronisations one at a time (--omit-sync N), and the test
must fail: by a wrong result, a hang, or a report of ThreadSanitizer. Prints what went unnoticed.

    omit_syncs.py --hp5c build-tsan/hp5c --flag=--cc-flag --flag=-fsanitize=thread tests/language/run/*.hp5

Use an hp5c whose runtime library was built with -fsanitize=thread (cmake -DCMAKE_C_FLAGS=-fsanitize=thread).
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import run_language


def emitted(options, test, mapping, extra):
    model = os.path.join(options.models, test.one("model", "quad-8core") + ".pcubes")
    command = [options.hp5c, "-S", test.path, "--model", model, "-o", "/dev/stdout"] + extra
    return subprocess.run(command + (["--map", mapping] if mapping else []), capture_output=True).stdout


def count_omissions(options, test, mapping):
    """Numbers beyond the last synchronisation change nothing."""
    whole, count = emitted(options, test, mapping, []), 0
    while emitted(options, test, mapping, ["--omit-sync", str(count)]) != whole:
        count += 1
    return count


def notices(options, test, number):
    options.flag = options.plain_flags + ["--omit-sync", str(number)]
    with tempfile.TemporaryDirectory(prefix="hp5-omit-") as folder:
        try:
            run_language.check_run(test, options, folder)
        except run_language.Failed as reason:
            return str(reason).splitlines()[0]
    return None


def main():
    options = run_language.parse_options()
    options.plain_flags = options.flag
    run_language.TIME_LIMIT = 20
    left_out = noticed = 0
    for path in options.files:
        whole = run_language.Test(os.path.abspath(path))
        with tempfile.TemporaryDirectory() as folder:
            places = run_language.mappings(whole, options, folder)
            counts = [count_omissions(options, whole, mapping) for _, mapping in places]
        for (name, _), count in zip(places, counts):
            test = run_language.Test(os.path.abspath(path))
            test.lines = [line for line in test.lines if line[0] not in ("map", "map-text")]
            test.lines += [line for line in whole.lines if line[0] in ("map", "map-text") and line[1] == name]
            for number in range(count):
                left_out += 1
                if notices(options, test, number):
                    noticed += 1
                else:
                    print(f"{path}: {name}: nothing noticed that synchronisation {number} of {count} was left out")
    print(f"{noticed} of {left_out} omissions were noticed")
    return 0 if noticed == left_out else 1


if __name__ == "__main__":
    sys.exit(main())
