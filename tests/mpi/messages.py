"""What programs say when they end together, picked out of what launchers say."""
import re
import socket


def of(text, program="mpi_talk"):
    """The program's own lines, and those that go on with two spaces."""
    lines, ours = [], False
    for line in text.splitlines():
        ours = bool(re.match(rf"{program}|[\w-]+\.hp5", line)) or (ours and line.startswith("  "))
        if ours:
            lines.append(line)
    return "\n".join(lines)


def on(rank, ranks, node=None):
    """The last line of a message about one rank, as a pattern."""
    return rf"\n  on rank {rank} of {ranks} \(node {re.escape(node or socket.gethostname())}\)"
