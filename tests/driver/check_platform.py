#!/usr/bin/env python3
"""--smpi-platform: platform files of models with segments. SimGrid reads them where it is installed, and the times of a
message between two hosts are those that the model states. --smpi: programs on such platforms give what they give without."""
import argparse
import array
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEAD = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!-- Machine %s: host-0 to host-%d stand for its %d PPUs of Node, one process each.
     A list of them for smpirun: seq -f host-%%.0f 0 %d > hosts -->
<platform version="4.1">
  <config>
    <prop id="smpi/host-speed" value="%sf"/>
    <prop id="network/bandwidth-factor" value="1"/><prop id="network/latency-factor" value="1"/>
    <prop id="network/weight-S" value="0"/>
    <prop id="smpi/bw-factor" value="0:1"/><prop id="smpi/lat-factor" value="0:1"/>
  </config>
"""
CABINETS = """Machine "Two & more"
Space 4:            Hall    (1)
Space 3:            Cabinet (2) { exchange: 4 us, move: 5 GB/s }
Space 2<segment>:   Node    (3) { exchange: 2 us, move: 10 GB/s }
Space 1<core>:      Core    (4) { compute: 8 ops 2 GHz }
"""
CABINETS_XML = HEAD % ("Two &amp; more", 5, 6, 5, "1.6e+10") + """\
  <zone id="zone-0" routing="Dijkstra">
    <zone id="hub-0" routing="Full"><router id="router-0"/></zone>
    <cluster id="zone-1" prefix="host-" suffix="" radical="0-2" speed="1.6e+10f" core="4" bw="1e+10Bps" lat="1e-06s" sharing_policy="SPLITDUPLEX"/>
    <cluster id="zone-2" prefix="host-" suffix="" radical="3-5" speed="1.6e+10f" core="4" bw="1e+10Bps" lat="1e-06s" sharing_policy="SPLITDUPLEX"/>
    <link id="link-1" bandwidth="5e+09Bps" latency="2e-06s" sharing_policy="SPLITDUPLEX"/>
    <link id="link-2" bandwidth="5e+09Bps" latency="2e-06s" sharing_policy="SPLITDUPLEX"/>
    <zoneRoute src="zone-1" dst="hub-0" gw_src="host-zone-1_router" gw_dst="router-0"><link_ctn id="link-1" direction="UP"/></zoneRoute>
    <zoneRoute src="zone-2" dst="hub-0" gw_src="host-zone-2_router" gw_dst="router-0"><link_ctn id="link-2" direction="UP"/></zoneRoute>
  </zone>
</platform>
"""
RACKS = """Machine "Racks"
Space 3:          Row  (2) { move: 1 GB/s 6 us }
Space 2:          Rack (2) { move: 5 GB/s 3 us }
Space 1<segment>: Node (1) { compute: 4 ops 2 GHz }
"""
RACKS_XML = HEAD % ("Racks", 3, 4, 3, "8e+09") + """\
  <zone id="zone-0" routing="Dijkstra">
    <zone id="hub-0" routing="Full"><router id="router-0"/></zone>
    <zone id="zone-1" routing="Dijkstra">
      <zone id="hub-1" routing="Full"><router id="router-1"/></zone>
      <cluster id="zone-2" prefix="host-" suffix="" radical="0-0" speed="8e+09f" core="1" bw="1e+12Bps" lat="0.0s" sharing_policy="SPLITDUPLEX"/>
      <cluster id="zone-3" prefix="host-" suffix="" radical="1-1" speed="8e+09f" core="1" bw="1e+12Bps" lat="0.0s" sharing_policy="SPLITDUPLEX"/>
      <link id="link-2" bandwidth="5e+09Bps" latency="3e-06s" sharing_policy="SPLITDUPLEX"/>
      <link id="link-3" bandwidth="5e+09Bps" latency="3e-06s" sharing_policy="SPLITDUPLEX"/>
      <zoneRoute src="zone-2" dst="hub-1" gw_src="host-zone-2_router" gw_dst="router-1"><link_ctn id="link-2" direction="UP"/></zoneRoute>
      <zoneRoute src="zone-3" dst="hub-1" gw_src="host-zone-3_router" gw_dst="router-1"><link_ctn id="link-3" direction="UP"/></zoneRoute>
    </zone>
    <zone id="zone-4" routing="Dijkstra">
      <zone id="hub-4" routing="Full"><router id="router-4"/></zone>
      <cluster id="zone-5" prefix="host-" suffix="" radical="2-2" speed="8e+09f" core="1" bw="1e+12Bps" lat="0.0s" sharing_policy="SPLITDUPLEX"/>
      <cluster id="zone-6" prefix="host-" suffix="" radical="3-3" speed="8e+09f" core="1" bw="1e+12Bps" lat="0.0s" sharing_policy="SPLITDUPLEX"/>
      <link id="link-5" bandwidth="5e+09Bps" latency="3e-06s" sharing_policy="SPLITDUPLEX"/>
      <link id="link-6" bandwidth="5e+09Bps" latency="3e-06s" sharing_policy="SPLITDUPLEX"/>
      <zoneRoute src="zone-5" dst="hub-4" gw_src="host-zone-5_router" gw_dst="router-4"><link_ctn id="link-5" direction="UP"/></zoneRoute>
      <zoneRoute src="zone-6" dst="hub-4" gw_src="host-zone-6_router" gw_dst="router-4"><link_ctn id="link-6" direction="UP"/></zoneRoute>
    </zone>
    <link id="link-1" bandwidth="1e+09Bps" latency="6e-06s" sharing_policy="SPLITDUPLEX"/>
    <link id="link-4" bandwidth="1e+09Bps" latency="6e-06s" sharing_policy="SPLITDUPLEX"/>
    <zoneRoute src="zone-1" dst="hub-0" gw_src="router-1" gw_dst="router-0"><link_ctn id="link-1" direction="UP"/></zoneRoute>
    <zoneRoute src="zone-4" dst="hub-0" gw_src="router-4" gw_dst="router-0"><link_ctn id="link-4" direction="UP"/></zoneRoute>
  </zone>
</platform>
"""
SILENT = """Machine "Silent"
Space 2:          Cluster (2)
Space 1<segment>: Node    (3) { compute: 4 ops }
"""
SILENT_MESSAGES = """silent.pcubes:2:19: error: the model does not say how fast data move between Cluster and the rest of the machine [E1112]
    2 | Space 2:          Cluster (2)
      |                   ^~~~~~~
   help: a simulation needs bandwidth and latency, for example { exchange: 2 us, move: 12.5 GB/s }
silent.pcubes:3:1: error: the model does not say how fast Node computes [E1112]
    3 | Space 1<segment>: Node    (3) { compute: 4 ops }
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
   help: a simulation needs it, for example { compute: 4 ops 2.3 GHz }
silent.pcubes:3:19: error: the model does not say how fast data move between Node and Cluster [E1112]
    3 | Space 1<segment>: Node    (3) { compute: 4 ops }
      |                   ^~~~
   help: a simulation needs bandwidth and latency, for example { exchange: 2 us, move: 12.5 GB/s }
"""
SHARED = 'Machine "Laptop"\nSpace 1<core>: Core (4) { compute: 8 ops 3 GHz }\n'
SHARED_MESSAGE = """laptop.pcubes:2:16: error: no space of the model is a segment [E1112]
    2 | Space 1<core>: Core (4) { compute: 8 ops 3 GHz }
      |                ^~~~
   help: each PPU of a segment is simulated as a process: write Space N<segment>: … for the computers of a cluster
"""
THREADS_MESSAGE = """area-simulated: task Area wants 16 threads in each process, but a simulated process has one
  give --threads 1, or simulate a process for each core: a model whose segments are its cores
"""
ROUNDS_MESSAGE = """regions: task Area by Regions: how many rounds its 'Repeat while' takes depends on results, which a simulation does not compute
  say with --assume-rounds N how many it would take
"""
PING = """#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    static char data[1000000];
    int rank, last;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &last);
    last--;
    for (int i = 0; i < 2; i++) {
        int bytes = i == 0 ? 1 : 1000000;
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        if (rank == 0) MPI_Send(data, bytes, MPI_CHAR, last, 0, MPI_COMM_WORLD), MPI_Recv(data, bytes, MPI_CHAR, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == last) MPI_Recv(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_Send(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        if (rank == 0) printf("%.9f\\n", (MPI_Wtime() - start) / 2);
    }
    MPI_Finalize();
}
"""


def hp5c(args, hp5c_path, status, out, err):
    done = subprocess.run([hp5c_path, *args], capture_output=True, text=True, timeout=60)
    if (done.returncode, done.stdout, done.stderr) != (status, out, err):
        sys.exit(f"hp5c {' '.join(args)}: exit status {done.returncode}\n{done.stdout}{done.stderr}\nexpected {status}\n{out}{err}")


def simulated(model, text, ranks, expected, hp5c_path):
    """Seconds of one byte and of a million between the first and the last of `ranks` hosts."""
    subprocess.run([hp5c_path, "--smpi-platform", model, "-o", "platform.xml"], check=True, timeout=60)
    with open("hosts", "w") as hosts:
        hosts.writelines(f"host-{i}\n" for i in ranks)
    run = ["smpirun", "-np", str(len(ranks)), "-platform", "platform.xml", "-hostfile", "hosts", "--cfg=smpi/simulate-computation:no", "./ping"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"{text}: {done.stdout}{done.stderr}")
    times = [float(line) for line in done.stdout.split()]
    for time, wanted in zip(times, expected):
        if not wanted * 0.98 <= time <= wanted * 1.02 + expected[0] * 0.6:  # the barrier before it ends a little earlier for one of the two
            sys.exit(f"{text}: a message takes {time} s, the model says {wanted} s")


def run_simulated(ranks, program, status=0):
    """What the program says, and the simulator, which repeats its settings, does not."""
    run = ["smpirun", "-quiet", "-np", str(ranks), "-platform", "platform.xml", "-hostfile", "hosts", "--log=xbt_cfg.thresh:warning", *program]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120)
    if done.returncode != status:
        sys.exit(f"{' '.join(run)}: exit status {done.returncode}, expected {status}\n{done.stdout}{done.stderr}")
    return done


def programs(hp5c_path):
    """The Monte Carlo program on 1, 2 and 5 hosts of a cluster prints and writes what it does alone."""
    cluster = [f"{ROOT}/programs/monte-carlo/monte-carlo.hp5", "--map", f"{ROOT}/mappings/monte-carlo/cluster.map", "--model",
               f"{ROOT}/pcubes-models/cluster.pcubes", "-o"]
    subprocess.run([hp5c_path, "--smpi-platform", f"{ROOT}/pcubes-models/cluster.pcubes", "-o", "platform.xml"], check=True, timeout=60)
    subprocess.run([hp5c_path, *cluster, "area"], check=True, timeout=120)
    subprocess.run([hp5c_path, "--smpi", *cluster, "area-simulated"], check=True, timeout=120)
    with open("hosts", "w") as hosts:
        hosts.writelines(f"host-{i}\n" for i in range(16))
    arguments = ["grid=30", "points=20", "seed=3", "k=4", "--threads", "1"]
    alone = subprocess.run(["./area", *arguments, "hits=hits.npy"], capture_output=True, text=True, check=True, timeout=60)
    with open("hits.npy", "rb") as file:
        hits = file.read()
    for ranks in (1, 2, 5):
        done = run_simulated(ranks, ["./area-simulated", *arguments, f"hits=hits-{ranks}.npy"])
        with open(f"hits-{ranks}.npy", "rb") as file:
            if done.stdout != alone.stdout or file.read() != hits:
                sys.exit(f"{ranks} simulated hosts: another result\n{done.stdout}{done.stderr}\nexpected\n{alone.stdout}")
    told = run_simulated(2, ["./area-simulated", *arguments[:-2], "hits=hits.npy"], 2).stderr
    if THREADS_MESSAGE not in told:
        sys.exit(f"16 threads in a simulated process: {told}\nexpected\n{THREADS_MESSAGE}")
    told = run_simulated(2, ["./area-simulated", *arguments, "hits=/none/hits.npy"], 2).stderr
    if "cannot write '/none/hits.npy'" not in told:
        sys.exit(f"an output that cannot be written: {told}")


def simulated_time(ranks, program, arguments):
    """Seconds of the task, of computing at most and on average, of a run that computes nothing."""
    line = run_simulated(ranks, [program, *arguments, "--simulate"]).stdout.splitlines()[0]
    found = re.fullmatch(r"task .* on (\d+) simulated process(?:es)?: ([\d.]+) s; computing ([\d.]+) s at most, ([\d.]+) s on average; "
                         r"\d+ messages, \d+ B", line)
    if not found or int(found[1]) != ranks:
        sys.exit(f"--simulate on {ranks} hosts: {line}")
    return [float(found[i]) for i in (2, 3, 4)]


def is_near(text, value, wanted, share=0.02):
    if abs(value - wanted) > share * wanted:
        sys.exit(f"{text}: {value}, expected about {wanted}")


def counted_time(hp5c_path):
    """--simulate: what --predict says passes, shared out among the hosts, and messages take longer than none."""
    arguments = ["grid=32", "points=2000", "seed=3", "k=4", "--threads", "1", "hits=none.npy"]
    told = subprocess.run(["./area", *arguments, "--predict"], capture_output=True, text=True, check=True, timeout=60).stdout
    predicted = float(re.search(r"predicted: ([\d.]+) ms", told)[1]) / 1000
    for ranks in (1, 2, 4):
        seconds, most, mean = simulated_time(ranks, "./area-simulated", arguments)
        is_near(f"computing on {ranks} hosts", mean * ranks, predicted)
        is_near(f"most computing on {ranks} hosts", most, mean)
        if not most <= seconds <= most + 1e-4 * ranks:
            sys.exit(f"{ranks} hosts: {seconds} s, of which {most} s of computing")
    if os.path.exists("none.npy"):
        sys.exit("--simulate has written an output")
    told = subprocess.run(["./area", *arguments, "--simulate"], capture_output=True, text=True, timeout=60)
    wanted = ("area: --simulate belongs to a program that hp5c --smpi has compiled and SimGrid's smpirun has started\n"
              "  (./area --help lists the arguments)\n")
    if (told.returncode, told.stderr) != (2, wanted):
        sys.exit(f"--simulate without a simulator: status {told.returncode}, {told.stderr}\nexpected\n{wanted}")
    name = "monte-carlo-regions"
    subprocess.run([hp5c_path, "--smpi", f"{ROOT}/programs/monte-carlo/{name}.hp5", "--map", f"{ROOT}/mappings/{name}/cluster.map", "--model",
                    f"{ROOT}/pcubes-models/cluster.pcubes", "-o", "regions"], check=True, timeout=120)
    arguments = ["grid=32", "points=200", "precision=0.001", "max_rounds=9", "seed=3", "k=8", "l=4", "rounds=none.npy", "--threads", "1"]
    told = run_simulated(2, ["./regions", *arguments, "--simulate"], 2).stderr
    if ROUNDS_MESSAGE not in told:
        sys.exit(f"--simulate without --assume-rounds: {told}\nexpected\n{ROUNDS_MESSAGE}")
    three, nine = (simulated_time(2, "./regions", arguments + ["--assume-rounds", str(rounds)])[1] for rounds in (3, 9))
    is_near("nine rounds after three", nine, 3 * three)


MEASURED = """task Area on 1 thread in 0.300000 s, after 0.000105 s of reading and placing data
  stage                              calls        max s       mean s  predicted s  bound by
  sample in Space B (line 60)          100     0.300000     0.300000     0.200000  computing
"""


def measured_time():
    """--measured: what has taken three halves of its prediction does so in a simulation, and files that say something else."""
    arguments = ["grid=32", "points=2000", "seed=3", "k=4", "--threads", "1", "hits=none.npy"]
    with open("measured", "w") as file:
        file.write("a line of the program\n" + MEASURED + MEASURED.replace("0.200000", "0.220000").replace("0.300000", "0.330000") + "and another one\n")
    for ranks in (1, 4):
        predicted = simulated_time(ranks, "./area-simulated", arguments)[1]
        is_near(f"measured time on {ranks} hosts", simulated_time(ranks, "./area-simulated", arguments + ["--measured", "measured"])[1], 1.5 * predicted)
    rows = MEASURED.splitlines()
    for text, message in (
            ("\n".join(rows[:2]), "area-simulated: --measured 'measured': the table of task Area is cut off\n"),
            (MEASURED.replace("Area", "Length"),
             "area-simulated: --measured 'measured': nothing stands there about task Area\n"
             "  the file is what the program writes to standard error with --timing: ./program … --timing 2>FILE\n"),
            (MEASURED.replace("sample in", "count in"),
             "area-simulated: --measured 'measured': task Area has other stages there: for 'sample in Space B (line 60)' stands\n"
             f"{rows[2].replace('sample in', 'count in')}\n"),
            (MEASURED.replace("    0.200000", "           -"),
             "area-simulated: --measured 'measured': no predictions stand there beside the times: compile what is measured with --model, too\n"),
            (MEASURED.replace("  100 ", "    0 "), "area-simulated: --measured 'measured': stage 'sample in Space B (line 60)' of task Area has not run there\n"),
            (None, "area-simulated: --measured 'measured': cannot read it: No such file or directory\n")):
        if text is None:
            os.unlink("measured")
        else:
            with open("measured", "w") as file:
                file.write(text)
        told = run_simulated(1, ["./area-simulated", *arguments, "--simulate", "--measured", "measured"], 2).stderr
        if message not in told:
            sys.exit(f"--measured with {text}: {told}\nexpected\n{message}")
    told = subprocess.run(["./area", *arguments, "--measured", "x"], capture_output=True, text=True, timeout=60)
    wanted = "area: --measured belongs to --simulate\n  (./area --help lists the arguments)\n"
    if (told.returncode, told.stderr) != (2, wanted):
        sys.exit(f"--measured alone: status {told.returncode}, {told.stderr}\nexpected\n{wanted}")


def counted_messages(hp5c_path):
    """A plate of 64 x 64 numbers in 2 and in 2 x 2 parts, ten iterations: messages and bytes as one works them out by hand."""
    model = f"{ROOT}/pcubes-models/hermes-16.pcubes"
    subprocess.run([hp5c_path, "--smpi", f"{ROOT}/programs/stencil/stencil.hp5", "--map", f"{ROOT}/experiments/scaling-stencil.map", "--model", model,
                    "-o", "plates"], check=True, timeout=120)
    subprocess.run([hp5c_path, "--smpi-platform", model, "-o", "platform.xml"], check=True, timeout=60)
    subprocess.run([hp5c_path, f"{ROOT}/programs/matrix-multiply/matrix-multiply.hp5", "--map", f"{ROOT}/mappings/matrix-multiply/cluster-hermes.map",
                    "--model", model, "-o", "product"], check=True, timeout=120)
    for name, rows in (("plate", 64), ("large", 2048)):
        with open(f"{name}.npy", "wb") as file:  # without contents
            head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {rows}), }}".ljust(117) + "\n"
            file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
            file.truncate(10 + len(head) + rows * rows * 8)
    words = ["a=large.npy", "b=large.npy", "c=none.npy", "k=64", "l=64", "q=64", "--threads", "1", "--predict"]
    told = subprocess.run(["./product", *words], capture_output=True, text=True, check=True, timeout=60).stdout
    if not re.search(r"multiply in .*computing$", told, re.MULTILINE):  # a process does not load over the network
        sys.exit(f"a product of blocks that stay in a cache: {told}\nexpected to be bound by computing")
    for parts, messages, sent in (((2, 1), 2, 2 * 64 * 8), ((2, 2), 12, 8 * 32 * 8 + 4 * 8)):
        words = [f"k={parts[0]}", f"l={parts[1]}", "m=1", "n=1", "p1=1", "p2=1", "iterations=10", "plate=plate.npy", "result=none.npy"]
        told = run_simulated(parts[0] * parts[1], ["./plates", *words, "--simulate"]).stdout
        if f"; {10 * messages} messages, {10 * sent} B\n" not in told:
            sys.exit(f"{parts[0]} x {parts[1]} parts: {told}\nexpected {10 * messages} messages of {10 * sent} B together")


def counted_elements(hp5c_path):
    """The five-point matrix of a plate of 16 x 16, its edges wrapped around, in strips for four processes: each round, each of them gets the row
    above and the row below its strip, and nothing else of the vector."""
    edge, ranks, rounds = 16, 4, 3
    subprocess.run([hp5c_path, "--smpi", f"{ROOT}/programs/conjugate-gradient/conjugate-gradient.hp5", "--map",
                    f"{ROOT}/mappings/conjugate-gradient/cluster-hermes.map", "--model", f"{ROOT}/pcubes-models/hermes-16.pcubes", "-o", "gradients"],
                   check=True, timeout=120)
    columns = [near for i in range(edge) for j in range(edge)
               for near in ((i - 1) % edge * edge + j, i * edge + (j - 1) % edge, i * edge + j, i * edge + (j + 1) % edge, (i + 1) % edge * edge + j)]
    ends = list(range(5, 5 * edge * edge + 1, 5))
    for name, kind, numbers in (("columns", "i4", columns), ("ends", "i4", ends), ("values", "f8", [0.0] * len(columns)), ("b", "f8", [0.0] * len(ends))):
        with open(f"{name}.npy", "wb") as file:
            head = f"{{'descr': '<{kind}', 'fortran_order': False, 'shape': ({len(numbers)},), }}".ljust(117) + "\n"
            file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode())
            array.array("i" if kind == "i4" else "d", numbers).tofile(file)
    words = [f"{name}={name}.npy" for name in ("columns", "ends", "values", "b")]
    words += ["x=none.npy", "precision=0.001", f"max_rounds={rounds}", f"k={edge * edge // ranks}", "--simulate", "--assume-rounds", str(rounds)]
    told = run_simulated(ranks, ["./gradients", *words]).stdout
    if f"; {rounds * ranks * 2} messages, {rounds * ranks * 2 * edge * 8} B\n" not in told:
        sys.exit(f"elements of a vector: {told}\nexpected {rounds * ranks * 2} messages of {edge} numbers each")


def scaling(hp5c_path):
    """experiments/scaling.py makes a table and a plot."""
    try:
        import matplotlib
        import numpy
    except ImportError:
        print("NumPy or matplotlib are not installed: experiments/scaling.py was not tried")
        return
    del matplotlib, numpy
    subprocess.run([sys.executable, f"{ROOT}/experiments/scaling.py", "--most", "2", "--out", "scaling.md", "monte-carlo"], check=True, timeout=300,
                   env=dict(os.environ, HP5_BUILD=os.path.dirname(hp5c_path)), capture_output=True)
    with open("scaling.md") as file:
        text = file.read()
    found = re.search(r"## monte-carlo, strong scaling \(simulated\)\n(?:.*\n){4}\| 4 \| .* \| ([\d.]+) \| ([\d.]+) \| [\d.]+ \| 0 \| 0 \|\n", text)
    if not found or not os.path.exists("scaling.png"):
        sys.exit(f"experiments/scaling.py: {text}")
    is_near("efficiency of two processes", float(found[2]), 1)


CORES = """Machine "Two cores"
Space 2: Machine (1)                 { memory: 16 GB }
Space 1<core><segment>: Core (2)     { memory: 1 MB 50 GB/s, compute: 16 ops 3 GHz, move: 10 GB/s 64 B 100 ns, exchange: 1 us }
"""


def real(hp5c_path):
    """experiments/real.py: what one process is measured to take it takes in a simulation."""
    try:
        import numpy
    except ImportError:
        print("NumPy is not installed: experiments/real.py was not tried")
        return
    del numpy
    with open("cores.pcubes", "w") as file:
        file.write(CORES)
    done = subprocess.run([sys.executable, f"{ROOT}/experiments/real.py", "--runs", "1", "--processes", "1", "--model", "cores.pcubes", "matrix-multiply"],
                          timeout=300, env=dict(os.environ, HP5_BUILD=os.path.dirname(hp5c_path)), capture_output=True, text=True)
    found = re.search(r"^\| matrix-multiply \| 1 \| ([\d.]+) \| .* \| ([\d.]+) \| [\d.]+ \|$", done.stdout, re.MULTILINE)
    if not found:
        sys.exit(f"experiments/real.py: {done.stdout}{done.stderr}")
    is_near("measured time of one process", float(found[2]), float(found[1]), 0.05)


def without_simulator(hp5c_path):
    """An hp5c that was built where there was no SimGrid."""
    os.mkdir("bin")
    for name in ("hp5c", "libhp5.a"):
        shutil.copy(os.path.join(os.path.dirname(hp5c_path), name), "bin")
    folder = os.path.realpath("bin")
    hp5c(["--smpi", f"{ROOT}/programs/monte-carlo/monte-carlo.hp5", "-o", "area"], f"{folder}/hp5c", 2, "",
         f"hp5c: error: this hp5c was built without SimGrid, which --smpi needs: there is no '{folder}/libhp5-smpi.a' [E1509]\n"
         "   help: install SimGrid (Debian: libsimgrid-dev) and build HP5 again\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hp5c", required=True)
    hp5c_path = os.path.abspath(parser.parse_args().hp5c)
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    try:
        for name, text in (("cabinets", CABINETS), ("racks", RACKS), ("silent", SILENT), ("laptop", SHARED)):
            with open(f"{name}.pcubes", "w") as file:
                file.write(text)
        hp5c(["--smpi-platform", "cabinets.pcubes"], hp5c_path, 0, CABINETS_XML, "")
        hp5c(["--smpi-platform", "racks.pcubes"], hp5c_path, 0, RACKS_XML, "")
        hp5c(["--smpi-platform", "silent.pcubes"], hp5c_path, 1, "", SILENT_MESSAGES)
        hp5c(["--smpi-platform", "laptop.pcubes"], hp5c_path, 1, "", SHARED_MESSAGE)
        hp5c(["--smpi-platform", "none.pcubes"], hp5c_path, 2, "",
             "hp5c: error: cannot read the model 'none.pcubes': No such file or directory [E1501]\n   help: the path is taken from the current directory\n")
        hp5c(["--smpi-platform", "cabinets.pcubes", "x.hp5"], hp5c_path, 2, "",
             "hp5c: error: --smpi-platform looks at no program, but 'x.hp5' is given [E1502]\n   help: leave one of them out\n")
        without_simulator(hp5c_path)
        if shutil.which("smpicc") is None:
            print("SimGrid is not installed: the platforms were not simulated")
            return
        with open("ping.c", "w") as file:
            file.write(PING)
        subprocess.run(["smpicc", "ping.c", "-o", "ping"], check=True, timeout=120)
        simulated("cabinets.pcubes", "nodes of one cabinet", [0, 2], (2e-6, 2e-6 + 1e-4), hp5c_path)
        simulated("cabinets.pcubes", "nodes of two cabinets", [1, 4], (6e-6, 6e-6 + 2e-4), hp5c_path)
        simulated(f"{ROOT}/pcubes-models/hermes.pcubes", "Hermes", [0, 3], (50e-6, 50e-6 + 8e-4), hp5c_path)
        simulated(f"{ROOT}/pcubes-models/mira.pcubes", "Mira, two racks", [0, 1024], (360e-9 + 80e-9, 440e-9 + 5e-4), hp5c_path)
        if not os.path.exists(os.path.join(os.path.dirname(hp5c_path), "libhp5-smpi.a")):
            print("this build has no library for SimGrid: no programs were simulated")
            return
        programs(hp5c_path)
        counted_time(hp5c_path)
        measured_time()
        counted_messages(hp5c_path)
        counted_elements(hp5c_path)
        scaling(hp5c_path)
        real(hp5c_path)
    finally:
        os.chdir("/")
        shutil.rmtree(folder)


main()
