#!/usr/bin/env python3
"""hp5c --remarks of tasks on cards: what their kernels take, out of what nvcc says (R1511, R1512).

    check_kernels.py --hp5c HP5C [--nvcc]

With --nvcc the machine code of loops is looked at as well, where there is cuobjdump: quotients of four rounds have no branch between them, and a
kernel with loops that threads share two by two has no more than 128 registers.

Without --nvcc the simulator's nvcc says what NVIDIA's has said of a task of this name, recorded below; the messages are compared in full. With --nvcc
NVIDIA's compiles: a kernel that keeps 300 Reals at hand spills, and one that keeps one does not.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

PROGRAM = """Task "T":
    Define:
        v: 1d Array of Real double-precision
    Environment:
        v: link
    Stages:
        work(v) {
            do {
                %s
            } for r in v and r < 1
        }
    Computation:
        Space A { work(v) }
    Partition ():
        Space A <un-partitioned> { v }

Program (args) {
    job = new TaskEnvironment(name: "T")
    bind_input(job, "v", args.v)
    execute(task: "T"; environment: job)
    bind_output(job, "v", args.out)
}
"""
COUNT = 300
FEW = PROGRAM % "v[r] = v[r] + 1.0"
SUMS = PROGRAM.replace("for r in v and r < 1", "for r in v; j in v") % "v[r] = v[r] + sqrt(j + 0.5) / (j + 1.5)"
# All are read before the first is written: elements may be the same.
MANY = PROGRAM % "\n                ".join([f"x{i} = v[r * {i + 2} + {i}]" for i in range(COUNT)] + [f"v[r * {i + 1}] = x{COUNT - 1 - i}" for i in range(COUNT)])

SAID = """ptxas info    : 8 bytes gmem
ptxas info    : Compiling entry function 'T_kernel' for 'sm_80'
ptxas info    : Function properties for T_kernel
    320 bytes stack frame, 480 bytes spill stores, 544 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 320 bytes cumulative stack size, 33792 bytes smem, 360 bytes cmem[0]
ptxas info    : Compile time = 88.879 ms
ptxas info    : Compiling entry function 'T_kernel' for 'sm_75'
ptxas info    : Function properties for T_kernel
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 96 registers, used 1 barriers
ptxas info    : Compiling entry function 'T_kernel' for 'sm_60'
ptxas info    : Used 16 registers, used 1 barriers
"""
ON_75 = 'task "T" on sm_75 takes 96 registers a thread, nothing of a block\'s shared memory; a block has up to 20 warps (registers), and a multiprocessor ' \
        "runs 1 such block at once: 20 of the 32 warps that it could hold"
ON_60 = 'task "T" on sm_60 takes 16 registers a thread, nothing of a block\'s shared memory; how many warps a multiprocessor of these cards holds is not known to hp5c'
WANTED = [
    ("R1511", "remark", 1, 'task "T" on sm_80 takes 40 registers a thread, 33792 bytes of a block\'s shared memory, 320 bytes of a stack for each thread; a block '
     "has up to 32 warps (the most that a block can have), and a multiprocessor runs 1 such block at once: 32 of the 64 warps that it could hold, 48 in smaller blocks",
     [], [ON_75, ON_60]),
    ("R1512", "remark", 1, 'task "T" on sm_80 has more values at hand than registers: a thread writes 480 bytes of them to the card\'s memory, and reads 544',
     ["a stage with fewer locals needs fewer registers: cut the one that has most in two"], []),
]
UNKNOWN = "what kernels take is not known: the CUDA compiler '%s' does not say it in words that hp5c knows"


class Failed(Exception):
    pass


def compiled(options, folder, program, nvcc, *more, **variables):
    with open(f"{folder}/t.hp5", "w", encoding="utf-8") as file:
        file.write(program)
    with open(f"{folder}/t.map", "w", encoding="utf-8") as file:
        file.write('"T" { Space A: Card }\n')
    command = [options.hp5c, "t.hp5", "--map", "t.map", "--model", f"{HERE}/models/small.pcubes", "--nvcc", nvcc, "--cc-flag=-O0", "-o", "t", "--json", *more]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=dict(os.environ, TMPDIR=folder, **variables))
    if done.returncode != 0 or done.stdout:
        raise Failed(f"hp5c ended with {done.returncode}\n{done.stdout}{done.stderr}")
    if "ptxas" in re.sub("-Xptxas -v", "", done.stderr):
        raise Failed(f"nvcc's own words are printed:\n{done.stderr}")
    said = [json.loads(line) for line in done.stderr.splitlines()]
    return [(s["code"], s["severity"], s.get("line"), s["message"], s["help"], [note["message"] for note in s["notes"]]) for s in said
            if s["code"] in ("R1511", "R1512")]


def same(found, wanted, what):
    if found != wanted:
        raise Failed(f"{what}: expected\n{wanted}\nfound\n{found}")


def check_recorded(options, folder):
    nvcc = f"{HERE}/nvcc"
    with open(f"{folder}/said", "w", encoding="utf-8") as file:
        file.write(SAID)
    same(compiled(options, folder, FEW, nvcc, "--remarks", HP5_SIM_PTXAS=f"{folder}/said"), WANTED, "recorded")
    same(compiled(options, folder, FEW, nvcc, HP5_SIM_PTXAS=f"{folder}/said"), [], "without --remarks")
    found = compiled(options, folder, FEW, nvcc, "--remarks")
    same([(code, message) for code, _, _, message, _, _ in found], [("R1511", UNKNOWN % nvcc)], "nothing said")


def check_nvcc(options, folder):
    for card in ("sm_90",):
        few, many = (compiled(options, folder, program, "nvcc", "--remarks", "--gpu-arch", card) for program in (FEW, MANY))
        same([said[0] for said in few], ["R1511"], f"few, {card}")
        same([said[0] for said in many], ["R1511", "R1512"], f"many, {card}")
        registers = [int(re.search(rf'task "T" on {card} takes (\d+) registers', said[0][3]).group(1)) for said in (few, many)]
        if not 8 <= registers[0] < registers[1] == 255:
            raise Failed(f"registers: {registers}")
        print(f"{card}: {few[0][3]}\n{many[0][3]}\n{many[1][3]}")


def machine_code(folder):
    """The instructions' names, in their order; none without cuobjdump."""
    if not shutil.which("cuobjdump"):
        return []
    sass = subprocess.run(["cuobjdump", "-sass", f"{folder}/t"], check=True, capture_output=True, text=True).stdout
    return re.findall(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\d\s+)?([A-Z0-9_.]+)", sass, re.M)


def check_fours(options, folder):
    """Quotients and roots of four rounds: about where each begins, and no branch in between."""
    compiled(options, folder, SUMS, "nvcc", "--cc-flag=-O3", "--gpu-arch", "sm_90")
    code = " ".join(machine_code(folder))
    between = r"(?: (?!BRA|CALL|BSYNC)\S+){0,20} "
    for name in ("MUFU.RCP64H", "MUFU.RSQ64H") if code else ():
        if not re.search(between.join([name] * 4), code):
            raise Failed(f"{name}: no four side by side")


def check_wide(options, folder):
    """A kernel that exchanges padding and shares loops two by two: its registers leave room for 16 warps, and none is spilled where cells get their values."""
    shutil.copy(f"{ROOT}/programs/stencil/stencil.hp5", f"{folder}/s.hp5")
    command = [options.hp5c, "s.hp5", "--map", f"{ROOT}/mappings/stencil/card.map", "--model", f"{ROOT}/pcubes-models/h200.pcubes", "--gpu-arch", "sm_90", "--remarks", "-o", "t"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=dict(os.environ, TMPDIR=folder))
    registers = re.search(r"takes (\d+) registers", done.stderr)
    if done.returncode != 0 or not registers or int(registers[1]) > 128:
        raise Failed(f"stencil: expected no more than 128 registers\n{done.stderr}")
    code = machine_code(folder)
    sums = [at for at, name in enumerate(code) if name.startswith("DADD")]
    if code and (not sums or any(name.startswith(("LDL", "STL")) for name in code[sums[0]:sums[-1]])):
        raise Failed("stencil: registers are spilled between sums, or there are none")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hp5c", required=True)
    parser.add_argument("--nvcc", action="store_true")
    options = parser.parse_args()
    options.hp5c = os.path.abspath(options.hp5c)
    if options.nvcc and not shutil.which("nvcc"):
        print("skipped: there is no nvcc")
        return 77
    with tempfile.TemporaryDirectory(prefix="hp5-card-") as folder:
        try:
            (check_nvcc if options.nvcc else check_recorded)(options, folder)
            if options.nvcc:
                check_fours(options, folder)
                check_wide(options, folder)
        except Failed as failed:
            print(failed)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
