#!/usr/bin/env python3
"""--launcher: job scripts follow from model and mapping, say how to submit them, and start the program with its arguments."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM = """Task "Fill":
    Define:
        v: 1d Array of Integer
    Environment:
        v: create
    Initialize (n):
        v.dimension.range = new Range(min: 0, max: n - 1)
    Stages:
        fill(v) { do { v[i] = i } for i in v }
    Computation:
        Space A { fill(v) }
    Partition (k):
        Space A <1d> { v: block_size(k) }

Program (args) {
    job = new TaskEnvironment(name: "Fill")
    execute(task: "Fill"; environment: job; initialize: args.n; partition: args.k)
    bind_output(job, "v", args.v)
}
"""
TASKS_ALONE = PROGRAM[:PROGRAM.index("Program (args)")]
NODES = """Machine "Two & $more"
Space 3:                Cluster (1)
Space 2<segment><unit>: Node    (6)
Space 1<core>:          Core    (4)
"""
SOCKETS = """Machine "Sockets"
Space 5:          Cluster (1)
Space 4<unit>:    Node    (3)
Space 3<segment>: Socket  (2)
Space 2<core>:    Core    (8)
Space 1:          Thread  (2)
"""
# Cards: nodes of two sockets, whose cores the other model has; a level marked <segment> that has several cards; a card beside each socket.
CARDS = """Machine "Cards"
Model: CPU-Only
Space 4:                Cluster (1)
Space 3<segment><unit>: Node    (3)
Space 2:                Socket  (2)
Space 1<core>:          Core    (12)
Model: GPU
Space 5:                Cluster (1)
Space 4:                Node    (3)
Space 3<segment><gpu>:  GPU     (4)
Space 2:                SM      (10)
Space 1:                Warp    (8)
Model: Several
Space 6:                Cluster (1)
Space 5<segment>:       Node    (3) { compute: 16 ops 2.1 GHz }
Space 4:                Switch  (2)
Space 3<gpu>:           GPU     (2)
Space 2:                SM      (10)
Space 1:                Warp    (8) { compute: 32 ops 86 MHz }
Model: Hybrid
Space 6:                Cluster (1)
Space 5<unit>:          Node    (3)
Space 4<segment>:       Socket  (2) { compute: 16 ops 2.1 GHz }
Space 3<gpu>:           GPU     (1)
Space 2:                SM      (10)
Space 1:                Warp    (8) { compute: 32 ops 86 MHz }
"""
CARDS_ALONE = """Machine "Box"
Space 4:      Node (1)
Space 3<gpu>: GPU  (4)
Space 2:      SM   (10)
Space 1:      Warp (8)
"""
TWO_TASKS = TASKS_ALONE + TASKS_ALONE.replace('"Fill"', '"Other"') + PROGRAM[PROGRAM.index("Program (args)"):].replace("\n}", """
    other = new TaskEnvironment(name: "Other")
    execute(task: "Other"; environment: other; initialize: args.n; partition: args.k)
    bind_output(other, "v", args.w)
}""")
SCRIPT = """#!/bin/sh
# {name} on {machine}: {processes}, one for each {segment} that the mapping uses, with {threads} each.
# Submit it from the folder of the program, with the program's arguments:
#
#   sbatch {script} n=VALUE k=VALUE v=FILE{files}
#
# Executable and files lie in a folder that all nodes share.
#SBATCH --job-name={name}
#SBATCH --nodes={nodes}
#SBATCH --ntasks={tasks}
#SBATCH --ntasks-per-node={each}
{shares}#SBATCH --hint=nomultithread
#SBATCH --exclusive
# What your cluster wants to know besides: remove one # and fill in.
##SBATCH --time=01:00:00
##SBATCH --partition=NAME
##SBATCH --account=NAME

# --mpi: pmix for Open MPI, pmi2 for MPICH (srun --mpi=list says what there is). Where Slurm has neither, mpirun asks
# it where to start the processes:
#   exec mpirun -n {tasks} --map-by ppr:{each}:node{bound} ./{name} "$@"
exec srun --mpi=pmix {words}--kill-on-bad-exit=1 ./{word} "$@"
"""
# Stands for srun: what it was asked to start.
SRUN = '#!/bin/sh\nprintf "<%s>" "$@"\n'
NO_SEGMENT = """hp5c: error: --launcher: no space of the model is a segment, so that there is one process, which needs no launcher [E1510]
   help: give the model of a cluster with --model, in which the level of its nodes has the flag <segment>
"""
failures = 0


def hp5c(words, status, out, err):
    global failures
    done = subprocess.run([HP5C, *words], capture_output=True, text=True, timeout=60)
    if (done.returncode, done.stdout, done.stderr) != (status, out, err):
        failures += 1
        print(f"hp5c {' '.join(words)}: exit status {done.returncode}\n{done.stdout}{done.stderr}\nexpected {status}\n{out}{err}")


def script(name, threads, cores=None, cards=False, **more):
    """`cores`: of a process, where they are known; `cards`: it has one."""
    shares = ([f"--cpus-per-task={cores}"] if cores else []) + (["--gpus-per-task=1"] if cards else [])
    has = f"{'a card and ' if cards and threads else ''}up to {threads}" if threads else "a card"
    return SCRIPT.format(name=name, threads=has, shares="".join(f"#SBATCH {share}\n" for share in shares), words="".join(f"{share} " for share in shares),
                         bound=f":pe={cores}" if cores else "", **{"word": name, "script": "job.slurm", "files": "", **more})


def write(name, text):
    with open(name, "w", encoding="utf-8") as out:
        out.write(text)


def check_scripts():
    nodes = dict(machine="Two & _more", segment="Node", each=1, cores=4)
    hp5c(["fill.hp5", "--launcher", "slurm", "--model", "nodes.pcubes", "--map", "cores.map"], 0,
         script("fill", processes="6 processes", threads="4 threads", nodes=6, tasks=6, **nodes), "")
    hp5c(["fill.hp5", "--launcher", "slurm", "--model", "nodes.pcubes", "--map", "some.map"], 0,
         script("fill", processes="3 processes", threads="1 thread", nodes=3, tasks=3, **nodes), "")
    hp5c(["fill.hp5", "--launcher", "slurm", "--model", "nodes.pcubes", "--map", "one.map"], 0,
         script("fill", processes="1 process", threads="4 threads", nodes=1, tasks=1, **nodes), "")
    # several processes on a computer; its cores run two threads each, of which a process gets one
    hp5c(["fill.hp5", "--launcher", "slurm", "--model", "sockets.pcubes", "--map", "cores.map"], 0,
         script("fill", machine="Sockets", segment="Socket", processes="6 processes", threads="8 threads", nodes=3, tasks=6, each=2, cores=8), "")
    # half of the last computer is left over, and so are cores of the last process
    hp5c(["fill.hp5", "--launcher", "slurm", "--model", "sockets.pcubes", "--map", "sockets.map"], 0,
         script("fill", machine="Sockets", segment="Socket", processes="3 processes", threads="1 thread", nodes=2, tasks=3, each=2, cores=8), "")
    hp5c(["fill.hp5", "--launcher", "slurm", "--model", "nodes.pcubes", "--map", "ten.map"], 0,
         script("fill", processes="3 processes", threads="4 threads", nodes=3, tasks=3, **nodes), "")
    # a process for each node that any task takes
    more = TASKS_ALONE.replace('"Fill"', '"More"').replace("v: create", "v: link").replace("v[i] = i", "v[i] = v[i] + 1")
    more = more[:more.index("    Initialize")] + more[more.index("    Stages"):]
    write("apart.hp5", PROGRAM.replace("Program (args)", more + "Program (args)").replace("    bind_output", """\
    more = new TaskEnvironment(name: "More")
    more.v = job.v
    execute(task: "More"; environment: more; partition: args.k)
    bind_output"""))
    write("apart.map", '"Fill" { Space A: Node[0...1] } "More" { Space A: Node[1...3] }')
    hp5c(["apart.hp5", "--launcher", "slurm", "--model", "nodes.pcubes", "--map", "apart.map"], 0,
         script("apart", processes="4 processes", threads="1 thread", nodes=4, tasks=4, **nodes), "")
    hp5c(["it's.hp5", "--launcher", "slurm", "--model", "nodes.pcubes", "--map", "cores.map"], 0,
         script("it_s", word="'it'\\''s'", processes="6 processes", threads="4 threads", nodes=6, tasks=6, **nodes), "")


def check_cards():
    """Warps are no cores, and a process has one card."""
    twelve = dict(machine="Cards", threads=None, cards=True, processes="12 processes", nodes=3, tasks=12, each=4, cores=6)
    hp5c(["fill.hp5", "--launcher", "slurm", "--model", "cards.pcubes", "--map", "gpu.map"], 0, script("fill", segment="GPU", **twelve), "")
    hp5c(["fill.hp5", "--launcher", "slurm", "--model", "cards.pcubes", "--map", "several.map"], 0, script("fill", segment="GPU", **twelve), "")
    hp5c(["fill.hp5", "--launcher", "slurm", "--model", "cards.pcubes", "--map", "hybrid.map"], 0,
         script("fill", segment="Socket", **{**twelve, "processes": "6 processes", "tasks": 6, "each": 2, "cores": 12}), "")
    # fewer cards than a node has, and no model that would tell its cores
    hp5c(["fill.hp5", "--launcher", "slurm", "--model", "box.pcubes", "--map", "three.map"], 0,
         script("fill", segment="GPU", machine="Box", threads=None, cards=True, processes="3 processes", nodes=1, tasks=3, each=3), "")
    # another task on the processors of the nodes
    hp5c(["two.hp5", "--launcher", "slurm", "--model", "cards.pcubes", "--map", "two.map"], 0,
         script("two", segment="GPU", **{**twelve, "threads": "24 threads", "files": " w=FILE"}), "")


def check_run():
    """The script as it is, with something else for srun."""
    hp5c(["fill.hp5", "--launcher", "slurm", "--model", "nodes.pcubes", "--map", "cores.map", "-o", "own.slurm"], 0, "", "")
    with open("own.slurm", encoding="utf-8") as text:
        if "#   sbatch own.slurm n=VALUE" not in text.read():
            sys.exit("the script does not say its name")
    os.mkdir("bin")
    write("bin/srun", SRUN)
    os.chmod("bin/srun", 0o755)
    done = subprocess.run(["sh", "own.slurm", "n=5", "k=2", "v=a b.npy"], capture_output=True, text=True, timeout=60,
                          env=dict(os.environ, PATH=f"{os.getcwd()}/bin:{os.environ['PATH']}"))
    expected = "<--mpi=pmix><--cpus-per-task=4><--kill-on-bad-exit=1><./fill><n=5><k=2><v=a b.npy>"
    if (done.returncode, done.stdout, done.stderr) != (0, expected, ""):
        sys.exit(f"the script: status {done.returncode}\n{done.stdout}{done.stderr}\nexpected {expected}")


def check_mistakes():
    hp5c(["fill.hp5", "--launcher", "slurm", "--model", "laptop.pcubes"], 1, "", NO_SEGMENT)
    hp5c(["fill.hp5", "--launcher", "pbs"], 2, "", "hp5c: error: --launcher cannot be 'pbs' [E1502]\n   help: give slurm\n")
    hp5c(["fill.hp5", "--launcher", "slurm", "--print-map"], 2, "",
         "hp5c: error: --print-map and --launcher each say what is made [E1502]\n   help: give one of them\n")
    hp5c(["tasks.hp5", "--launcher", "slurm", "--model", "nodes.pcubes", "--map", "cores.map"], 1, "",
         "hp5c: error: 'tasks.hp5' has no Program section, so there is nothing to run [E1503]\n"
         "   help: add `Program (args) { … }` that creates an environment and executes a task; --check-only needs none\n")
    hp5c(["--launcher", "slurm"], 2, "",
         "hp5c: error: no program is given [E1502]\n   help: hp5c program.hp5 compiles one; hp5c --help lists the options\n")
    hp5c(["fill.hp5", "--launcher", "slurm", "--model", "nodes.pcubes", "--map", "cores.map", "-o", "nodes.pcubes"], 2, "",
         "hp5c: error: the output 'nodes.pcubes' would replace the model that is read [E1501]\n   help: give another name with -o\n")


parser = argparse.ArgumentParser()
parser.add_argument("--hp5c", required=True)
HP5C = os.path.abspath(parser.parse_args().hp5c)
folder = tempfile.mkdtemp()
os.chdir(folder)
try:
    for name, text in (("fill.hp5", PROGRAM), ("it's.hp5", PROGRAM), ("tasks.hp5", TASKS_ALONE), ("nodes.pcubes", NODES), ("sockets.pcubes", SOCKETS),
                       ("cards.pcubes", CARDS), ("box.pcubes", CARDS_ALONE), ("two.hp5", TWO_TASKS),
                       ("gpu.map", '"Fill" { Model: GPU Space A: Warp }\n'), ("several.map", '"Fill" { Model: Several Space A: Warp }\n'),
                       ("hybrid.map", '"Fill" { Model: Hybrid Space A: Warp }\n'), ("three.map", '"Fill" { Space A: GPU[0...2] }\n'),
                       ("two.map", '"Fill" { Model: GPU Space A: Warp }\n"Other" { Space A: Core }\n'), ("laptop.pcubes", 'Machine "Laptop"\nSpace 1<core>: Core (4)\n'), ("cores.map", '"Fill" { Space A: Core }\n'),
                       ("some.map", '"Fill" { Space A: Node[1...3] }\n'), ("sockets.map", '"Fill" { Space A: Socket[1...3] }\n'), ("ten.map", '"Fill" { Space A: Core[1...10] }\n'),
                       ("one.map", '"Fill" { Space Root: Node Space A: Core }\n')):
        write(name, text)
    check_scripts()
    check_cards()
    check_run()
    check_mistakes()
finally:
    os.chdir("/")
    shutil.rmtree(folder)
sys.exit(1 if failures else 0)
