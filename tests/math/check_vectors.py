#!/usr/bin/env python3
"""gcc and clang make vector loops of each mathematical function but the gamma functions, in double and single precision, for x86-64-v3.

A condition too many is enough for a C compiler to leave a loop scalar, which is several times slower and nothing else tells."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLAGS = ["-std=gnu17", "-O3", "-march=x86-64-v3", "-fwrapv", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off", "-I" + ROOT]
REPORTS = {"gcc": ["-fopt-info-vec-optimized"], "clang": ["-Rpass=loop-vectorize"]}


def names(macro):
    with open(os.path.join(ROOT, "runtime/math/names.h"), encoding="ascii") as file:
        text = file.read().replace("\\\n", " ")
    return re.findall(r"X\((\w+)\)", re.search(rf"#define {macro}\(X\)(.*)", text).group(1))


def main():
    one, two = ([name for kind in (macro + "_ROUNDED", macro) for name in names(kind) if "gamma" not in name] for macro in ("HP5_MATH_ONE", "HP5_MATH_TWO"))
    lines = ['#include "runtime/math/math.h"']
    for name, arguments in [(name, "x[i]") for name in one] + [(name, "x[i], y[i]") for name in two]:
        for kind, suffix in (("double", ""), ("float", "f")):
            lines.append(f"void {name}{suffix}_loop(long n, {kind} *restrict r, const {kind} *restrict x, const {kind} *restrict y) {{ (void)y;\n"
                         f"    for (long i = 0; i < n; i++) r[i] = hp5_{name}{suffix}({arguments});\n}}")
    text = "\n".join(lines) + "\n"
    with tempfile.TemporaryDirectory(prefix="hp5-vectors-") as folder:
        path = os.path.join(folder, "loops.c")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
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
            print(f"{compiler}: {2 * (len(one) + len(two))} functions in vector loops")


if __name__ == "__main__":
    main()
