"""Computers that share nothing but a network and one folder, made of namespaces: for tests, on one machine.

    hosts.enter()                              # the process, and all it starts, live in a world of their own from here on
    computers = [hosts.Host(1), hosts.Host(2)]
    result = hosts.run(mpi, computers, ["./program", "n=5"])

Each host has its own network interface, name, process numbers, shared memory, /tmp and root: of the disk outside it sees the system's
folders, and SHARED, which stands for what real clusters mount everywhere. What a host needs else is copied into its LOCAL. Launchers
run outside of all hosts, as on a login node, and reach them through an agent in place of ssh. Whoever may make namespaces can use it,
as root or, where user namespaces are allowed, without. Everything ends with the process that has entered."""
import os
import shutil
import subprocess
import sys
import tempfile

import launch

SHARED, LOCAL = "/shared", "/local"  # in each host
NETWORK, HEAD = "10.77.0", 254
INSIDE = "HP5_TEST_HOSTS"  # the folder of the world that this process is in
WORLD = ["unshare", "--mount", "--net", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "--mount-proc"]
TOOLS = ["unshare", "nsenter", "ip", "mount", "chroot", "hostname"]

PREPARE = f"""set -e
mount --make-rprivate /
mount -t tmpfs none /run
hostname head
ip link set lo up
ip link add name net type bridge
ip addr add {NETWORK}.{HEAD}/24 dev net
ip link set net up
"""

WIRE = f"""set -e
ip netns add host-$1
ip link add name port-$1 type veth peer name eth0 netns host-$1
ip link set port-$1 master net up
ip -n host-$1 addr add {NETWORK}.$1/24 dev eth0
ip -n host-$1 link set eth0 up
ip -n host-$1 link set lo up
"""

# In the namespaces of a host. $1: its name, $2: an empty folder, $3: the folder that is shared, $4: /etc/hosts. Says which process it is.
FURNISH = f"""set -e
read -r self rest < /proc/self/stat
hostname $1
mount -t tmpfs none $2
cd $2
mkdir proc sys dev tmp run .{SHARED} .{LOCAL}
for folder in usr etc bin sbin lib lib32 lib64; do
    if [ -L /$folder ]; then cp -P /$folder $folder
    elif [ -d /$folder ]; then mkdir $folder; mount --rbind /$folder $folder; fi
done
mount --bind $4 etc/hosts
for file in null zero full random urandom; do : > dev/$file; mount --bind /dev/$file dev/$file; done
mkdir dev/shm
mount --rbind /sys sys
mount --rbind $3 .{SHARED}
mount -t proc proc proc
chmod 1777 tmp dev/shm
exec chroot . sh -c 'echo ready $0; exec sleep infinity' $self
"""

# As ssh: options, a host, the words of a command for its shell, which knows nothing of the variables here.
AGENT = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec nsenter --target "$(cat "%s/$host.pid")" --all --root --wd env -i PATH=/usr/bin:/bin HOME=/local LC_ALL=C.UTF-8 ASAN_OPTIONS=%s sh -c "cd; $*"
"""


def shell(text, *words):
    """Why it does not work, or nothing."""
    done = subprocess.run(["sh", "-c", text, "sh", *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return (done.stderr.strip() or f"status {done.returncode}").splitlines()[-1] if done.returncode else ""


def enter():
    """Starts the script again in a world of its own, where it goes on behind this call; where that is not possible it is skipped."""
    if INSIDE in os.environ:
        problem = shell(PREPARE)
        if problem:
            sys.exit(f"no network: {problem}")
        return
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    world = WORLD[:1] + ([] if os.geteuid() == 0 else ["--map-root-user"]) + WORLD[1:]
    problem = f"there is no {missing[0]}" if missing else shell('exec "$@"', *world, "sh", "-c", PREPARE + "ip netns add probe")
    if problem:
        print(f"skipped: namespaces cannot be made here: {problem}")
        sys.exit(launch.SKIPPED)
    with tempfile.TemporaryDirectory(prefix="hp5-hosts-") as folder:
        os.chmod(folder, 0o755)
        process = subprocess.Popen([*world, sys.executable, *sys.argv], env=dict(os.environ, **{INSIDE: folder}), preexec_fn=end_with_parent)
        sys.exit(process.wait())


def end_with_parent():
    import ctypes
    ctypes.CDLL(None).prctl(1, 9)


class Host:
    def __init__(self, number):
        self.number, self.name, self.world = number, f"host-{number}", os.environ[INSIDE]
        root, shared, names = f"{self.world}/{self.name}", f"{self.world}/shared", f"{self.world}/hosts"
        os.makedirs(root)
        os.makedirs(shared, exist_ok=True)
        with open(names, "w", encoding="utf-8") as out:
            out.write("127.0.0.1 localhost\n" + "".join(f"{NETWORK}.{i} host-{i}\n" for i in range(1, 10)) + f"{NETWORK}.{HEAD} head\n")
        problem = shell(WIRE, number) or (number == 1 and shell('mount --bind "$1" /etc/hosts', names))
        if problem:
            sys.exit(f"{self.name}: {problem}")
        self.process = subprocess.Popen(
            ["nsenter", f"--net=/run/netns/{self.name}", "unshare", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child",
             "sh", "-c", FURNISH, "sh", self.name, root, shared, names], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        words = self.process.stdout.readline().split()
        if words[:1] != ["ready"]:
            sys.exit(f"{self.name} cannot be furnished")
        self.root = f"/proc/{words[1]}/root"
        with open(f"{self.world}/{self.name}.pid", "w", encoding="utf-8") as out:
            out.write(words[1])
        os.makedirs(f"{self.root}{self.world}")  # Open MPI looks for the agent there, too
        shutil.copy(agent(), f"{self.root}{agent()}")

    def put(self, path, name=None):
        """Copies a file into its own folder."""
        shutil.copy(path, f"{self.root}{LOCAL}/{name or os.path.basename(path)}")

    def run(self, text):
        """A command on this host alone; what it prints."""
        return subprocess.run([agent(), self.name, text], stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout

    def unplug(self):
        subprocess.run(["ip", "link", "set", f"port-{self.number}", "down"], check=True)

    def plug_in(self):
        subprocess.run(["ip", "link", "set", f"port-{self.number}", "up"], check=True)


def shared():
    """The folder that all hosts have as SHARED, seen from outside."""
    return f"{os.environ[INSIDE]}/shared"


def agent():
    path = f"{os.environ[INSIDE]}/agent"
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as out:
            out.write(AGENT % (os.environ[INSIDE], launch.SANITIZED))
        os.chmod(path, 0o755)
    return path


def run(mpi, places, program, timeout=60):
    """The program in one process for each of the hosts in `places`, which may repeat one that is next to itself."""
    return mpi.start(mpi.on_hosts([host.name for host in places], agent()) + [str(word) for word in program], None, timeout)
