#!/usr/bin/env python3
"""--task-times of several processes; --report=comm: the whole table of three programs, under each MPI, and what is said of products of matrices. Times of waiting are masked, and what beginning and end take, which
depends on the names of files; that as much is sent as is planned is asked of every row."""
import argparse
import os
import re
import struct
import subprocess
import sys
import tempfile

import launch
import messages

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# The stencil: two rounds; blocks of 7, 7 and 6 rows, between which two rows of 20 cells go each way: 2 * 4 * 2 * 20 * 8 = 2560 bytes
# at least. Copies of Space B, two beside each other, have two columns in common at each of their borders: 2 * 4 * 2 * 2 * 8 bytes more.
STENCIL = """\
communication of 3 processes (MPI)
  line    times  messages   planned         bytes       planned      at least   waits   waited s  what
task Heat Stencil (ROOT/programs/stencil/stencil.hp5)
    50        2         8         8          2816          2816          2560  WAITS  padding of plate in Space A
all tasks
     -        -  BEGINNING  beginning, end and files
  ALL  all
"""

# LU of a matrix whose pivots are rows 1, 2, … in turn: 12 columns of 8 bytes in each row that moves. Process 0, which runs Space A, lacks
# every other row; the pivot row goes to the other process in each of 12 rounds. Rows of 96 bytes in turn are short runs of a file, which process 0 writes.
LU = """\
communication of 2 processes (MPI)
  line    times  messages   planned         bytes       planned      at least   waits   waited s  what
task LU Factorization (ROOT/programs/lu/lu.hp5)
    65        7         7         7           672           672           672  WAITS  lu[pivot][part] from the parts of Space B to the leader of Space A
    65        6         6         6           576           576           576  WAITS  lu[k][part] from the parts of Space B to the leader of Space A
    66        8         8         8          1152          1152          1152  WAITS  lu[pivot][part] from the leader of Space A to the parts of Space B
    66       12        12        12          1152          1152          1152  WAITS  pivot_row[part] from the leader of Space A to whoever runs Space B
    62        1         6         6           144           144             -  WAITS  reduction to pivot in Space A
    66       12        28        28          1200          1200             -  WAITS  reduction to pivot in Space A
all tasks
     -        -  BEGINNING  beginning, end and files
     -        1         4         4           672           672           576  WAITS  lu, on its way to a file
  ALL  all
"""

# 24 elements in blocks of 3 and of 12, which two of three processes have: what each process lacks moves once for each reader, whichever steps have
# written it, in 6 rounds; the end of c alone in 3, in the other 3 with all of c. Of d three versions.
ONCE = """\
communication of 3 processes (MPI)
  line    times  messages   planned         bytes       planned      at least   waits   waited s  what
task Once (ROOT/tests/language/run/moved_once.hp5)
    51        3         3         3            24            24            24  WAITS  c[n] from the parts of Space P to the leader of Space Root
    52        6        12        12           528           528           528  WAITS  b[part] from the parts of Space G to the parts of Space Q
    52        3         6         6           264           264           264  WAITS  c[b.local.dimension1.range.min...b.local.dimension1.range.max] from the parts of Space P to the parts of Space Q
    52        6         6         6            48            48            48  WAITS  c[0] from the leader of Space Root to the parts of Space P
    52        3         3         3            24            24            24  WAITS  c[n] from the parts of Space P to the parts of Space Q
    53        6        12        12           432           432           432  WAITS  a[(b.local.dimension1.range.min + 1)...(b.local.dimension1.range.max - 1)] from the parts of Space Q to the parts of Space P
    54        6        12        12          1584          1584          1584  WAITS  d[((b.local.dimension1.range.min + 1) + 1)...((b.local.dimension1.range.max - 1) - 1)] from the parts of Space P to the parts of Space Q
all tasks
     -        -  BEGINNING  beginning, end and files
  ALL  all
"""

# 64 x 64 times 64 x 64: each of four processes has a quarter of c, half of a and half of b, as few bytes as can be if a quarter of c is what
# a process has room for: 4 * (32 * 64 + 64 * 32 + 32 * 32) * 8. In two processes the halves of c are no squares; in three they are strips.
PRODUCTS = {
    4: "    25        1         4        163840        163840   1.000        156048   1.050  c from a and b in Space A",
    2: "    25        1         2        131072        125450   1.045        123855   1.058  c from a and b in Space A",
    3: "    25        1         3        163840        143884   1.139        141779   1.156  c from a and b in Space A",
}
HEAD = "  line    times processes         bytes      at least   ratio    any memory   ratio  what"


def write_array(path, shape, values):
    """As numpy.save does, without numpy: float64."""
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        out.write(struct.pack(f"<{len(values)}d", *values))


def write_matrix(path, rows, value):
    write_array(path, (rows, rows), [value(i, j) for i in range(rows) for j in range(rows)])


def masked(text):
    """The table, and whether some row sends something else than planned."""
    lines, wrong = [], ""
    for line in text.splitlines():
        row = re.match(r"(.{15})((?: +\d+){4})( +(?:\d+|-))( +\d+ +\d+\.\d{6})(  .*)$", line)
        if row:
            messages, planned_messages, bytes_, planned_bytes = row[2].split()
            wrong += f"\n{line}" if (messages, bytes_) != (planned_messages, planned_bytes) else ""
            if row[5] == "  beginning, end and files":
                line = row[1] + "  BEGINNING" + row[5]
            elif row[5] == "  all":
                line = "  ALL  all"
            else:
                line = row[1] + row[2] + row[3] + "  WAITS" + row[5]
        lines.append(line.replace(ROOT, "ROOT"))
    return re.sub(r"\((Open MPI|MPICH) [\d.]+\)", "(MPI)", "\n".join(lines) + "\n", count=1), wrong


def check(mpi, ranks, program, words, folder, expected):
    done = mpi.run(ranks, [program, *words, "--threads", "1", "--report=comm"])
    got, wrong = masked(done.stderr)
    if done.returncode != 0 or got != expected or wrong:
        print(f"{mpi.name}, {os.path.basename(program)}: status {done.returncode}\n{done.stderr}as compared:\n{got}{'other than planned:' + wrong if wrong else ''}")
        return 1
    return 0


TIMES = r"task LU Factorization on 2 processes of 1 thread in \d+\.\d{6} s, after \d+\.\d{6} s of reading and placing data\n"


def check_times(mpi, program, words):
    """--task-times says how many processes share the task's time."""
    done = mpi.run(2, [program, *words, "--threads", "1", "--task-times"])
    if done.returncode == 0 and re.fullmatch(TIMES, done.stderr):
        return 0
    print(f"{mpi.name}, --task-times: status {done.returncode}\n{done.stderr}")
    return 1


def check_alone(program, words):
    """One process of a program for many has a thread for each processor, or as many as options say: not the 256 of the model."""
    failures, processors = 0, len(os.sched_getaffinity(0))
    for options, threads in ([], min(processors, 256)), (["--threads", "3"], 3), (["--machine", "Node=1,Socket=1"], 8):
        done = subprocess.run([program, *words, "--task-times", *options], capture_output=True, text=True, check=False)
        if not re.match(rf"task LU Factorization on {threads} threads? ", done.stderr):
            failures += 1
            print(f"alone, with {options or 'no options'}, not {threads} threads: {done.stderr}")
    return failures


def check_product(mpi, ranks, program, words, expected):
    """The lines of products of matrices behind the table."""
    done = mpi.run(ranks, [program, *words, "--threads", "1", "--report=comm"])
    said = done.stderr.partition("products of matrices\n")[2].splitlines()
    if done.returncode != 0 or said != ([HEAD, expected] if expected else []):
        print(f"{mpi.name}, product in {ranks} processes: status {done.returncode}\n{done.stderr}")
        return 1
    return 0


IDLE = ("monte-carlo: warning: 2 of 3 processes have nothing to do: the program was compiled for a model without <segment>, that is, for one process\n"
        "  give hp5c the model of a cluster with --model, and a mapping to it")


def check_idle(mpi, folder, name, ranks, idle, said):
    """Processes without work wait, and burn no processor; those of a program for one process are told of once. The work is 100 million points."""
    words = ["grid=100", "points=10000", "seed=1", "k=100", f"hits={folder}/hits.npy", "--threads", "1"]
    subprocess.run([mpi.compiler, "-shared", "-fPIC", "-O1", f"{HERE}/peak.c", "-o", f"{folder}/peak.so"], check=True)
    done = mpi.run(ranks, [f"{folder}/{name}", *words], variables={"LD_PRELOAD": f"{folder}/peak.so", "HP5_BUSY": f"{folder}/busy"})
    busy = []
    for rank in range(ranks):
        with open(f"{folder}/busy-{rank}", encoding="utf-8") as file:
            busy.append([float(word) for word in file.read().split()])
        os.remove(f"{folder}/busy-{rank}")
    passed, worked = max(each[0] for each in busy), busy[0][1]
    burnt = max(busy[rank][1] for rank in idle)
    print(f"{mpi.name}, {ranks} processes of {name}: {passed:.2f} s, {worked:.2f} s of a processor, {burnt:.3f} s where there is nothing to do")
    if done.returncode == 0 and burnt < 0.4 * worked and messages.of(done.stderr, "monte-carlo") == said:
        return 0
    print(f"FAILED: status {done.returncode}\n{done.stderr}")
    return 1


def compile_once(hp5c, folder):
    with open(f"{folder}/once.map", "w", encoding="utf-8") as file:
        file.write('"Once" { Space P: Core  Space G: Core  Space Q: Core }\n')
    subprocess.run([hp5c, f"{ROOT}/tests/language/run/moved_once.hp5", "--map", f"{folder}/once.map", "--model", f"{ROOT}/pcubes-models/cluster.pcubes",
                    "--cc-flag", "-O0", "-o", f"{folder}/once"], check=True)
    write_array(f"{folder}/once.npy", (24,), [float(i * i % 7) for i in range(24)])


def compile_product(hp5c, folder):
    """The program, and one that leaves out a column, of which nothing is said."""
    with open(f"{ROOT}/programs/matrix-multiply/matrix-multiply.hp5", encoding="utf-8") as file:
        source = file.read()
    for name, text in (("product", source), ("part", source.replace("for i, j in x; m in y", "for i, j in x and j > 0; m in y"))):
        with open(f"{folder}/{name}.hp5", "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run([hp5c, f"{folder}/{name}.hp5", "--map", f"{ROOT}/mappings/matrix-multiply/cluster.map", "--model",
                        f"{ROOT}/pcubes-models/cluster.pcubes", "--cc-flag", "-O0", "-o", f"{folder}/{name}"], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hp5c", required=True)
    options = parser.parse_args()
    mpis, failures = launch.find_or_skip(os.path.dirname(os.path.abspath(options.hp5c))), 0
    with tempfile.TemporaryDirectory(prefix="hp5-report-") as folder:
        write_matrix(f"{folder}/plate.npy", 20, lambda i, j: 20.0 * i + j)
        write_matrix(f"{folder}/a.npy", 12, lambda i, j: 100.0 if i == (j + 1) % 12 else 1.0 / (1 + i + j))
        for name in ("stencil", "lu"):
            subprocess.run([options.hp5c, f"{ROOT}/programs/{name}/{name}.hp5", "--map", f"{ROOT}/mappings/{name}/cluster.map", "--model",
                            f"{ROOT}/pcubes-models/cluster.pcubes", "--cc-flag", "-O0", "-o", f"{folder}/{name}"], check=True)
        for mapping, model, name in (("serial", "laptop", "alone"), ("cluster", "cluster", "spread")):
            os.makedirs(f"{folder}/{name}")
            subprocess.run([options.hp5c, f"{ROOT}/programs/monte-carlo/monte-carlo.hp5", "--map", f"{ROOT}/mappings/monte-carlo/{mapping}.map", "--model",
                            f"{ROOT}/pcubes-models/{model}.pcubes", "-o", f"{folder}/{name}/monte-carlo"], check=True)
        compile_once(options.hp5c, folder)
        compile_product(options.hp5c, folder)
        write_matrix(f"{folder}/factor.npy", 64, lambda i, j: float(i - j))
        words = [f"a={folder}/factor.npy", f"b={folder}/factor.npy", "k=8", "l=8", "q=8", f"c={folder}/c.npy"]
        for mpi in mpis:
            failures += sum(check_product(mpi, ranks, f"{folder}/product", words, expected) for ranks, expected in PRODUCTS.items())
            failures += check_product(mpi, 2, f"{folder}/part", words, "")
            failures += check(mpi, 3, f"{folder}/stencil", [f"plate={folder}/plate.npy", "iterations=4", "k=3", "l=1", "m=2", "n=2", "p1=2", "p2=1",
                                                            f"result={folder}/result.npy"], folder, STENCIL)
            once = ["n=23", "rounds=6", "k=3", "l=12", f"a={folder}/once.npy", f"result={folder}/once-a.npy", f"both={folder}/once-e.npy"]
            failures += check(mpi, 3, f"{folder}/once", once, folder, ONCE)
            factors = [f"a={folder}/a.npy", "parts=6", f"lu={folder}/lu.npy", f"p={folder}/p.npy"]
            failures += check(mpi, 2, f"{folder}/lu", factors, folder, LU)
            failures += check_times(mpi, f"{folder}/lu", factors)
            failures += check_idle(mpi, folder, "alone/monte-carlo", 3, (1, 2), IDLE)
            failures += check_idle(mpi, folder, "spread/monte-carlo", 2, (1,), "")
        failures += check_alone(f"{folder}/lu", factors)
        alone = subprocess.run([f"{folder}/lu", f"a={folder}/a.npy", "parts=6", f"lu={folder}/lu.npy", f"p={folder}/p.npy", "--report", "comm"],
                               capture_output=True, text=True, check=False)
        if alone.stderr != "communication of one process: nothing moves\n":
            failures += 1
            print(f"alone: {alone.stderr}")
    print(f"reports under {len(mpis)} MPIs, {failures} failures")
    return 1 if failures else 0


sys.exit(main())
