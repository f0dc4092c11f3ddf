"""The MPIs of this machine, for tests: which there are, and how each starts a program and is looked after.

    for mpi in launch.find(build):            # [] where there is none
        result = mpi.run(4, ["./program", "n=5"])

An MPI is there when its launcher is installed and HP5 was built with its library. A run that does not end in time is Stuck: it says
where each of its processes waits, and leaves none behind."""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED = 77  # what tests/mpi/CMakeLists.txt calls a skipped test

# For a build with sanitizers: MPIs keep memory to their end, the checker is preloaded, and signals are for the runtime to report.
SANITIZED = "detect_leaks=0:verify_asan_link_order=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0"


class Stuck(Exception):
    """No end within the limit; the text says what each process was doing."""


class Mpi:
    """name: what HP5_MPI calls it; compiler: its mpicc; setting: the words that give its processes a variable."""

    def __init__(self, name, title, command, compiler, setting):
        self.name, self.title, self.command, self.compiler, self.setting = name, title, command, compiler, setting

    def line(self, ranks, program, variables=None):
        words = [word for name, value in (variables or {}).items() for word in self.setting(name, value)]
        return self.command + words + ["-n", str(ranks)] + [str(word) for word in program]

    def run(self, ranks, program, env=None, timeout=120, variables=None):
        return self.start(self.line(ranks, program, variables), env, timeout)

    def run_apart(self, programs, env=None, timeout=120):
        """One process for each of the command lines."""
        command = list(self.command)
        for i, program in enumerate(programs):
            command += ([":"] if i > 0 else []) + ["-n", "1"] + program
        return self.start(command, env, timeout)

    def on_hosts(self, names, agent):
        """The beginning of a command line, for one process on each host; `agent` reaches them in place of ssh."""
        if self.name == "openmpi":
            return self.command + ["--mca", "plm_rsh_agent", agent, "--wdir", "/local", "--host", ",".join(names), "-n", str(len(names))]
        return self.command + ["-launcher", "ssh", "-launcher-exec", agent, "-wdir", "/local", "-hosts", ",".join(names), "-n", str(len(names))]

    def start(self, command, env, timeout):
        """What has come of it, as subprocess.run says it. env: for the launcher and its processes; variables: for these alone. Ranks
        may outnumber the processors here: MPIs are told to give way, which their own start and end need."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryDirectory(prefix="mpi-", ignore_cleanup_errors=True) as own:
            # Open MPI's launchers make and remove one folder, and stop where another one does the same meanwhile
            environment = dict(os.environ, LC_ALL="C.UTF-8", MPIR_CVAR_POLLS_BEFORE_YIELD="1", OMPI_MCA_mpi_yield_when_idle="1",
                               OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_orte_tmpdir_base=own, ASAN_OPTIONS=SANITIZED, **(env or {}))
            process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
            try:
                status = process.wait(timeout)
            except subprocess.TimeoutExpired:
                raise Stuck(where_it_waits(process.pid) + said(out) + said(err))
            finally:
                end(process)
            return subprocess.CompletedProcess(command, status, said(out), said(err))


class Local(Mpi):
    """Processes of this computer that talk over sockets (local_driver.c): no MPI, and ten times as fast to start. `folder`: for its
    library. A run's `variables` may draw when messages go: HP5_LOCAL_LATE."""

    def __init__(self, folder):
        super().__init__("local", "sockets", [], "gcc", None)
        here = os.path.dirname(os.path.abspath(__file__))
        self.library = os.path.join(folder, "libhp5-local.so")
        if not os.path.exists(self.library):
            subprocess.run(["gcc", "-std=gnu17", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{here}/../..",
                            f"{here}/local_driver.c", "-o", self.library + f".{os.getpid()}"], check=True)
            os.rename(self.library + f".{os.getpid()}", self.library)

    def run(self, ranks, program, env=None, timeout=120, variables=None):
        pairs = {(a, b): socket.socketpair() for a in range(ranks) for b in range(a)}
        command, processes = [str(word) for word in program], []
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            for rank in range(ranks):
                ends = [-1 if rank == other else pairs[max(rank, other), min(rank, other)][rank < other].fileno() for other in range(ranks)]
                environment = dict(os.environ, LC_ALL="C.UTF-8", HP5_MPI=self.library, PMI_RANK=str(rank), PMI_SIZE=str(ranks),
                                   HP5_LOCAL_SOCKETS=",".join(map(str, ends)), **(env or {}), **(variables or {}))
                processes.append(subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                                  pass_fds=[end for end in ends if end >= 0]))
            for one in pairs.values():
                for end in one:
                    end.close()
            return subprocess.CompletedProcess(command, self.wait(processes, timeout, out, err), said(out), said(err))

    @staticmethod
    def wait(processes, timeout, out, err):
        """The status of the last rank that has one other than 0."""
        until, status = time.time() + timeout, 0
        try:
            for process in processes:
                status = process.wait(max(until - time.time(), 0.01)) or status
            return status
        except subprocess.TimeoutExpired:
            raise Stuck(where_it_waits(os.getpid(), [process.pid for process in processes]) + said(out) + said(err))
        finally:
            for process in processes:
                process.kill()
                process.wait()


def said(file):
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def find(build):
    """The MPIs that can be tried, with one line for each that cannot."""
    known = [Mpi("openmpi", "Open MPI", ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"], "mpicc.openmpi",
                 lambda name, value: ["-x", f"{name}={value}"]),
             Mpi("mpich", "MPICH", ["mpiexec.mpich"], "mpicc.mpich", lambda name, value: ["-genv", name, str(value)])]
    found = []
    for mpi in known:
        if not os.path.exists(os.path.join(build, f"libhp5-{mpi.name}.so")):
            print(f"skipped {mpi.title}: HP5 was built without it")
        elif not shutil.which(mpi.command[0]):
            print(f"skipped {mpi.title}: there is no {mpi.command[0]}")
        else:
            found.append(mpi)
    return found


def find_or_skip(build):
    found = find(build)
    if not found:
        sys.exit(SKIPPED)
    return found


# ---- Processes below a launcher ------------------------------------------------------------------------------


def parents():
    """Parent of each process, and its name."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
                match = re.match(r"\d+ \((.*)\) \S (\d+)", stat.read())
        except OSError:
            continue
        found[int(pid)] = (int(match[2]), match[1])
    return found


def below(pid):
    """All processes below this one, those nearer to it first."""
    known, found = parents(), [pid]
    for one in found:
        found += [child for child, (parent, _) in known.items() if parent == one]
    return found[1:]


def end(process):
    """Ends it and all below it, whatever process group they have made."""
    if process.poll() is not None:
        return
    for pid in below(process.pid) + [process.pid]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()
    time.sleep(0.05)


def rank_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as environ:
            match = re.search(rb"(?:^|\0)(?:OMPI_COMM_WORLD_RANK|PMI_RANK|PMIX_RANK)=(\d+)", environ.read())
    except OSError:
        return None
    return int(match[1]) if match else None


def where_it_waits(launcher, only=None):
    """For each rank below the launcher (or of these processes) the functions that its threads are in, innermost first."""
    ranks = sorted((rank, pid) for pid in only or below(launcher) if (rank := rank_of(pid)) is not None)
    lines = [f"no end: {len(ranks)} processes wait"]
    for rank, pid in ranks:
        lines.append(f"  rank {rank}:")
        lines += [f"    {stack}" for stack in stacks(pid)]
    return "\n".join(lines) + "\n"


def stacks(pid):
    """Of each thread, without the C library's and the MPI's own functions."""
    if not shutil.which("gdb"):
        return ["(gdb is not installed, which would say where)"]
    done = subprocess.run(["gdb", "-p", str(pid), "-batch", "-nx", "-ex", "thread apply all bt 24"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace")
    found = []
    for text in re.split(r"^Thread ", done.stdout, flags=re.M)[1:]:
        names = re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?([\w.?]+) \((?:.*?)\)(?: at (\S+)| from (\S+))?", text, re.M)
        own = [f"{name} ({at})" if at else name for name, at, library in names
               if name != "??" and not re.search(r"libc|libpthread|libopen|libmpi|libevent|libuc|libpsm|libpmix|mca_|ld-linux", library or "")
               and not re.match(r"\.\./sysdeps|\./nptl|\.\./nptl", at or "")]
        if own:
            found.append(" < ".join(own[:9]))
    return found or ["(no stack)"]
