"""The plan against the messages: what each process has written down before it sent or received something (HP5_PLAN, runtime/comm/accounts.c),
against what checker.c has seen. Both ends plan on their own; what groups do together is worked out here from who took part."""
import collections
import glob
import os

DATA, GROUP = "1", "2"  # channels, as checker.c numbers them


def differences(folder, ends):
    """A line for each pair of processes, channel and tag whose messages are others than planned; removes the plans. `ends`: for
    (sender, receiver, channel, tag) the messages that were sent and received, as (bytes, hash) in order."""
    plans, said = read(folder)
    if plans is None:
        return said
    for key in sorted(set(plans) | {key for key in ends if key[2] in (DATA, GROUP)}):
        sends, receives = plans.get(key, ((), ()))
        sent, received = ends.get(key, ((), ()))
        for verb, plan, real in (("sends", sends, sent), ("receives", receives, received)):
            what = difference(list(plan), [message[0] for message in real])
            if what:
                sender, receiver, channel, tag = key
                said.append(f"from rank {sender} to {receiver}, channel {channel}, tag {tag}: rank {sender if verb == 'sends' else receiver} {verb} {what}")
    return said


def difference(plan, real):
    if len(plan) != len(real):
        return f"{len(real)} messages of {sum(real)} bytes where {len(plan)} of {sum(plan)} are planned"
    for number, (planned, bytes_) in enumerate(zip(plan, real)):
        if planned != bytes_:
            return f"message {number} with {bytes_} bytes where {planned} are planned"
    return ""


def read(folder):
    """(sender, receiver, channel, tag) → planned lengths at the sender and at the receiver; None where nobody plans."""
    paths, plans, said = glob.glob(f"{folder}/plan-*"), collections.defaultdict(lambda: ([], [])), []
    for path in paths:
        rank = int(path.rpartition("-")[2])
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        os.remove(path)
        if lines[-1:] != ["end"]:
            said.append(f"rank {rank}: its plan has no end")
            continue
        for line in lines:
            add(rank, line.split(), plans)
    return (plans if paths and not said else None), said


def add(rank, words, plans):
    if words[0] in ("send", "tell"):
        plans[(rank, int(words[1]), DATA if words[0] == "send" else GROUP, words[2])][0].append(int(words[3]))
    elif words[0] in ("receive", "hear"):
        plans[(int(words[1]), rank, DATA if words[0] == "receive" else GROUP, words[2])][1].append(int(words[3]))
    elif words[0] != "end":
        tag, root, length, members = words[1], int(words[2]), int(words[3]), [int(word) for word in words[4:]]
        place = members.index(rank)
        sends, receives = TOGETHER[words[0]](place, len(members), root)
        for peer, pieces in sends:
            plans[(rank, members[peer], GROUP, tag)][0].append(pieces * length)
        for peer, pieces in receives:
            plans[(members[peer], rank, GROUP, tag)][1].append(pieces * length)


# ---- What groups do together: (place, how many pieces) of each message that the member at `place` sends and receives -----------------


def steps(count):
    step = 1
    while step < count:
        yield step
        step *= 2


def doubling(place, count, length):
    """Blocks of one place, or of two at the beginning, so that there is a power of two of them, exchange what they have in pairs, then blocks
    of blocks; length(first, end): of a message with what those places have."""
    blocks = 1 << (count.bit_length() - 1)
    begins = [block + min(block, count - blocks) for block in range(blocks + 1)]
    block = max(b for b in range(blocks) if begins[b] <= place)
    first, two = begins[block], begins[block + 1] - begins[block] == 2
    if place != first:
        return [(first, length(place, place + 1))], [(first, length(0, count))]
    sends, receives = [], [(first + 1, length(first + 1, first + 2))] if two else []
    for step in steps(blocks):
        own, other, partner = block // step * step, (block ^ step) // step * step, begins[block ^ step]
        sends.append((partner, length(begins[own], begins[own + step])))
        receives.append((partner, length(begins[other], begins[other + step])))
    return sends + ([(first + 1, length(0, count))] if two else []), receives


def least(place, count, _root):
    return doubling(place, count, lambda first, end: 1)


def gather_all(place, count, _root):
    return doubling(place, count, lambda first, end: end - first)


def tree(place, count, root):
    """Parent and children, counted from the root, and the places of each one's subtree: runs that begin with it."""
    turned = (place - root) % count
    own = turned & -turned or count
    children = [turned + step for step in steps(own) if turned + step < count]
    return turned, turned & (turned - 1), children


def size(turned, count):
    return min(turned & -turned or count, count - turned)


def broadcast(place, count, root):
    turned, parent, children = tree(place, count, root)
    return [((child + root) % count, 1) for child in children], [((parent + root) % count, 1)] if turned else []


def gather(place, count, root):
    turned, parent, children = tree(place, count, root)
    return ([((parent + root) % count, size(turned, count))] if turned else [],
            [((child + root) % count, size(child, count)) for child in children])


TOGETHER = {"least": least, "gather_all": gather_all, "broadcast": broadcast, "gather": gather}
