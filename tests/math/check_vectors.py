#!/usr/bin/env python3
"""gcc and clang make vector loops of each mathematical function but the gamma functions, in double and single precision, for x86-64-v3.

A condition too many is enough for a C compiler to leave a loop scalar, which is several times slower and nothing else tells. Loops of pow take
two vectors of doubles at a time from gcc (runtime/math/pow.h), which a number less of the narrower type is enough to undo."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLAGS = ["-std=gnu17", "-O3", "-march=x86-64-v3", "-fwrapv", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off", "-I" + ROOT]
VECTOR = 4  # doubles
REPORTS = {"gcc": ["-fopt-info-vec-optimized"], "clang": ["-Rpass=loop-vectorize"]}


def names(macro):
    with open(os.path.join(ROOT, "runtime/math/names.h"), encoding="ascii") as file:
        text = file.read().replace("\\\n", " ")
    return re.findall(r"X\((\w+)\)", re.search(rf"#define {macro}\(X\)(.*)", text).group(1))


def loop(name, kind, arguments):
    return (f"void {name}_loop(long n, {kind} *restrict r, const {kind} *restrict x, const {kind} *restrict y) {{ (void)y;\n"
            f"    for (long i = 0; i < n; i++) r[i] = hp5_{name}({arguments});\n}}")


def write(path, loops):
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(['#include "runtime/math/math.h"', *loops]) + "\n")


def doubles_of_pow(folder):
    """How many elements gcc's vector loop of pow takes at a time, as the compiler's notes say."""
    path, notes = (os.path.join(folder, name) for name in ("pow.c", "notes"))
    write(path, [loop("pow", "double", "x[i], y[i]")])
    subprocess.run(["gcc", *FLAGS, f"-fdump-tree-vect-details={notes}", "-c", path, "-o", os.path.join(folder, "pow.o")], check=True)
    with open(notes, encoding="ascii", errors="replace") as file:
        return max((int(count) for count in re.findall(r"vectorization factor = (\d+)", file.read())), default=0)


def main():
    one, two = ([name for kind in (macro + "_ROUNDED", macro) for name in names(kind) if "gamma" not in name] for macro in ("HP5_MATH_ONE", "HP5_MATH_TWO"))
    loops = [loop(name + suffix, kind, arguments) for names_of, arguments in ((one, "x[i]"), (two, "x[i], y[i]")) for name in names_of
             for kind, suffix in (("double", ""), ("float", "f"))]
    with tempfile.TemporaryDirectory(prefix="hp5-vectors-") as folder:
        path = os.path.join(folder, "loops.c")
        write(path, loops)
        with open(path, encoding="ascii") as file:
            text = file.read()
        for compiler, report in REPORTS.items():
            if shutil.which(compiler) is None:
                continue
            said = subprocess.run([compiler, *FLAGS, *report, "-c", path, "-o", os.path.join(folder, "loops.o")], check=True, capture_output=True, text=True).stderr
            at = [int(line) for line in re.findall(r"loops\.c:(\d+):\d+: (?:optimized: loop vectorized|remark: vectorized loop)", said)]
            missing = []
            for number, line in enumerate(text.splitlines(), 1):
                match = re.match(r"void (\w+)_loop", line)
                if match and not any(number <= place <= number + 1 for place in at):
                    missing.append(match.group(1))
            if missing:
                sys.exit(f"{compiler} makes no vector loop of {', '.join(missing)}")
            if compiler == "gcc" and doubles_of_pow(folder) != 2 * VECTOR:
                sys.exit("gcc does not take two vectors of doubles at a time in a loop of pow")
            print(f"{compiler}: {2 * (len(one) + len(two))} functions in vector loops")


if __name__ == "__main__":
    main()
