#!/usr/bin/env python3
"""What nvcc makes of arithmetic on cards: each product is rounded before it is added, but where the text asks for fma; division and square root are IEEE's.

    check_rounding.py --hp5c HP5C [--programs [NAME …]] [--language [FILE …]] [--cards sm_90,…] [--seeded FLAG,…] [--seeds N]

hp5c is given a command in nvcc's place that passes its flags on, but has PTX made. In the text fma is a piece of PTX (FMA below), which nvcc marks as the
text's own; every other fma is a contraction. Where cuobjdump is found, or named by CUOBJDUMP, the machine code of programs whose text asks for no fma,
division or function is looked at as well. The same is then done for the flags of --seeded in place of hp5c's (-fmad=true, …): what they do must be found in
at least one of the programs, or the test looks at nothing.
"""
import argparse
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS, ROOT = os.path.dirname(HERE), os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, f"{TESTS}/mpi"]
import tiers  # noqa: E402

MODEL = f"{HERE}/models/small.pcubes"
SEEDED = ("-fmad=true", "-prec-div=false", "-prec-sqrt=false", "-ftz=true")

FMA = """#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <math.h>
static __device__ __forceinline__ double asked_fma(double a, double b, double c) {
    double sum;
    asm("fma.rn.f64 %0, %1, %2, %3;" : "=d"(sum) : "d"(a), "d"(b), "d"(c));
    return sum;
}
static __device__ __forceinline__ float asked_fma(float a, float b, float c) {
    float sum;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(sum) : "f"(a), "f"(b), "f"(c));
    return sum;
}
#define fma asked_fma
#define fmaf asked_fma
"""

# What stands in nvcc's place: compiles to PTX, and to machine code, and ends with 1, so that hp5c does not go on.
COMMAND = """#!%(python)s
import os, subprocess, sys
words = sys.argv[1:]
source = next((word for word in words if word.endswith(".cu")), None)
if source is None: sys.exit("no .cu")
out, seeded = os.environ["HP5_TEST_OUT"], os.environ["HP5_TEST_FLAG"]
at = words.index("-o")
flags = [word for i, word in enumerate(words) if word not in ("-c", source) and i not in (at, at + 1)]
if seeded: flags = [word for word in flags if word.split("=")[0] != seeded.split("=")[0]] + [seeded]
text = open(source).read()
with open(out + ".cu", "w") as file: file.write(open(%(fma)r).read() + text)
for kind, output, text in (("-ptx", out + ".ptx", out + ".cu"), ("-cubin", out + ".cubin", source)):
    if kind == "-cubin" and not os.environ["HP5_TEST_CUBIN"]: continue
    done = subprocess.run(["nvcc", *flags, kind, "-o", output, text])
    if done.returncode: sys.exit("nvcc failed")
sys.exit(1)
"""

# In PTX. What stands between "begin inline asm" and "end inline asm" was asked for.
FORBIDDEN = (
    (r"^(fma|mad)\.[a-z0-9.]*f(32|64)$", "a product that is not rounded before it is added"),
    (r"^(add|sub|mul)\.(?!rn\.)[a-z0-9.]*f(32|64)$", "an operation that ptxas may contract"),
    (r"\.ftz\b", "subnormal numbers become zero"),
    (r"\.(approx|full)\b", "an approximation"),
    (r"^(div|sqrt|rcp)\.(?!rn\.)[a-z0-9.]*f(32|64)$", "a quotient or root that is not IEEE's"),
    (r"^tanh|^ex2|^lg2|^sin|^cos|^rsqrt", "a function of the card's own"),
)
MACHINE = r"\b(FFMA2?|DFMA|F(ADD|MUL)[A-Z.]*\.FTZ)\b" # MUFU stands in quotients of Integers, too


def instructions(ptx):
    """(line number, instruction) outside of inline assembly."""
    asked = False
    for number, line in enumerate(ptx.splitlines(), 1):
        line = line.strip()
        if line.startswith("// begin inline asm"):
            asked = True
        elif line.startswith("// end inline asm"):
            asked = False
        elif not asked:
            words = re.sub(r"^@!?%\w+\s+", "", line).split()
            if words and re.match(r"^[a-z][a-z0-9_]*(\.[a-z0-9_:]+)+$", words[0]):
                yield number, words[0]


def wrong_in_ptx(ptx):
    return [f"{number}: {instruction}: {what}" for number, instruction in instructions(ptx) for pattern, what in FORBIDDEN if re.search(pattern, instruction)]


def asks(text):
    """Whether the text for cards asks for fma, quotients of Reals or functions: what machine code makes of fma."""
    return re.search(r"\b(fmaf?|sqrtf?|hp5_multiply_\w+)\(|runtime/math/math.h", text) or re.search(r" / ", re.sub(r"crew\.rank\(\) / \w+|crew\.size\(\) / \w+|/\*.*?\*/", "", text))


class Looker:
    def __init__(self, options, folder):
        self.options, self.folder, self.count, self.machine = options, folder, 0, 0
        self.cuobjdump = os.environ.get("CUOBJDUMP") or shutil.which("cuobjdump")
        for name, text in (("fma.h", FMA), ("nvcc", COMMAND % {"python": sys.executable, "fma": f"{folder}/fma.h"})):
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
        os.chmod(f"{folder}/nvcc", stat.S_IRWXU)

    def compiled(self, subject, card, flag):
        """The files' names without their endings."""
        path, mapping, model = subject
        out = f"{self.folder}/{self.count}"
        self.count += 1
        variables = dict(os.environ, TMPDIR=self.folder, HP5_TEST_OUT=out, HP5_TEST_FLAG=flag, HP5_TEST_CUBIN="yes" if self.cuobjdump else "")
        done = subprocess.run([self.options.hp5c, path, "--map", mapping, "--model", model, "--nvcc", f"{self.folder}/nvcc", "--gpu-arch", card, "-o", out],
                              capture_output=True, text=True, env=variables)
        if not os.path.exists(f"{out}.ptx"):
            sys.exit(f"{path}: no PTX:\n{done.stderr}")
        return out

    def wrong_in_machine_code(self, out):
        with open(f"{out}.cu", encoding="utf-8") as file:
            text = file.read()[len(FMA):]
        if not self.cuobjdump or asks(text):
            return []
        self.machine += 1
        sass = subprocess.run([self.cuobjdump, "-sass", f"{out}.cubin"], check=True, capture_output=True, text=True).stdout
        if "EXIT" not in sass:
            sys.exit(f"{out}: no machine code is printed")
        return [line.strip() for line in sass.splitlines() if re.search(MACHINE, line)]

    def wrong(self, subject, card, flag=""):
        out = self.compiled(subject, card, flag)
        with open(f"{out}.ptx", encoding="utf-8") as file:
            ptx = file.read()
        if ".entry" not in ptx:
            sys.exit(f"{out}: no kernel is printed")
        return wrong_in_ptx(ptx), self.wrong_in_machine_code(out)


def subjects(options, folder):
    for number, path in enumerate(options.language or []):
        mapping = f"{folder}/{number}.map"
        with open(mapping, "w", encoding="utf-8") as file:
            file.write(tiers.Tiers(options.hp5c, path, MODEL).mapping("warps"))
        yield path, mapping, MODEL
    for name in options.programs or []:
        source = next(f for f in sorted(os.listdir(f"{ROOT}/programs/{name}")) if f.endswith(".hp5"))
        yield f"{ROOT}/programs/{name}/{source}", f"{ROOT}/mappings/{name}/card.map", f"{ROOT}/pcubes-models/h200.pcubes"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--programs", nargs="*", metavar="NAME")
    parser.add_argument("--language", nargs="*", metavar="FILE")
    parser.add_argument("--cards", default="sm_90", type=lambda text: text.split(","))
    parser.add_argument("--seeded", default=SEEDED, type=lambda text: text.split(",") if text else [])
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="the first N, language tests before programs, are compiled with the flags of --seeded")
    options = parser.parse_args()
    options.hp5c = os.path.abspath(options.hp5c)
    if not shutil.which("nvcc"):
        print("skipped: there is no nvcc")
        return 77
    if options.programs == []:
        options.programs = sorted(name for name in os.listdir(f"{ROOT}/programs") if os.path.exists(f"{ROOT}/mappings/{name}/card.map"))
    failed = False
    with tempfile.TemporaryDirectory(prefix="hp5-card-") as folder:
        looker = Looker(options, folder)
        found = list(subjects(options, folder))
        for subject in found:
            for card in options.cards:
                for wrong in looker.wrong(subject, card):
                    failed = failed or bool(wrong)
                    for line in wrong:
                        print(f"{subject[0]}, {card}: {line}")
        for flag in options.seeded:
            seen = [looker.wrong(subject, options.cards[0], flag) for subject in found[:options.seeds]]
            print(f"{flag}: noticed in PTX {sum(len(ptx) for ptx, _ in seen)} times, in machine code {sum(len(sass) for _, sass in seen)}")
            if not any(ptx for ptx, _ in seen) or (flag == SEEDED[0] and looker.machine > 0 and not any(sass for _, sass in seen)):
                failed = True
                print(f"{flag} makes no difference that is noticed")
        print(f"{len(found)} programs, for {', '.join(options.cards)}; machine code of {looker.machine} looked at")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
