"""runtime/comm between processes of every MPI that is installed: messages, groups, and what a start under the wrong MPI says."""
import argparse
import launch

arguments = argparse.ArgumentParser()
arguments.add_argument("--build", required=True)
arguments.add_argument("--talk", required=True)
options = arguments.parse_args()
found = launch.find_or_skip(options.build)
failures = 0


def check(what, condition, result):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED {what}: status {result.returncode}\n{result.stdout}{result.stderr}")


for mpi in found:
    for ranks in (1, 2, 3, 4, 7):
        result = mpi.run(ranks, [options.talk])
        name = "one process)\n" if ranks == 1 else mpi.title
        check(f"{mpi.title} {ranks}", result.returncode == 0 and result.stderr == "" and
              result.stdout.startswith(f"{ranks} processes have talked ({name}"), result)
    # one process that uses the MPI all the same
    result = mpi.run(1, [options.talk], env={"HP5_MPI": mpi.name})
    check(f"{mpi.title} chosen", result.stdout.startswith(f"1 processes have talked ({mpi.title}"), result)
    result = mpi.run(2, [options.talk], env={"HP5_MPI": "nonesuch", "HP5_LIBRARY_PATH": "/nowhere"})
    check("a library that is not there", result.returncode == 2 and result.stderr.count(
        "has started several processes, but there is no libhp5-nonesuch.so to let them talk (looked in /nowhere, ") == 1, result)

if len(found) == 2:
    for mpi, other in (found, found[::-1]):
        result = mpi.run(3, [options.talk], env={"HP5_MPI": other.name})
        check(f"{mpi.title}'s launcher with {other.title}", result.returncode == 2 and result.stderr.count(
            f"has started 3 processes, but {other.title}") == 1 and result.stderr.count(
            "in this program knows of one: it belongs to another MPI\n  start the program with the mpirun of ") == 1, result)

if failures:
    raise SystemExit(1)
print("all", len(found), "MPIs talk")
