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
        tag, root, length, of_node, members = words[1], int(words[2]), int(words[3]), int(words[4]), [int(word) for word in words[5:]]
        place = members.index(rank)
        sends, receives = TOGETHER[words[0]](place, *parts(members, of_node), root)
        for peer, pieces in sends:
            plans[(rank, members[peer], GROUP, tag)][0].append(pieces * length)
        for peer, pieces in receives:
            plans[(members[peer], rank, GROUP, tag)][1].append(pieces * length)


# ---- What groups do together: (place, how many pieces) of each message that the member at `place` sends and receives -----------------

IN_NODE, OF_NODES = 2, 16  # so many branches has a tree; so many times as much has a place after each round of an exchange


def parts(members, of_node):
    """The places of the members, in lists of those on one node, and the radix between lists; if there is but one node, each place alone."""
    nodes = {}
    for place, member in enumerate(members):
        nodes.setdefault(member // of_node if of_node > 0 else 0, []).append(place)
    return (list(nodes.values()), OF_NODES) if len(nodes) > 1 else ([[place] for place in range(len(members))], IN_NODE)


def tree(places, radix):
    """For each of the places, the first of which is the root: its parent, and its children in a tree that clears digits from below."""
    def above(number):
        power = radix
        while number % power == 0:
            power *= radix
        return number - number % power
    parents = {place: places[above(number)] if number else None for number, place in enumerate(places)}
    return {place: (parents[place], [child for child in places if parents[child] == place]) for place in places}


def below(branches, place):
    return 1 + sum(below(branches, child) for child in branches[place][1])


def turned(items, first):
    return items[first:] + items[:first]


def down(places, radix, place, pieces):
    parent, children = tree(places, radix)[place]
    return [(child, pieces) for child in children], [(parent, pieces)] if parent is not None else []


def up(places, place, pieces):
    """pieces(how many are below)."""
    branches = tree(places, IN_NODE)
    parent, children = branches[place]
    return [(parent, pieces(below(branches, place)))] if parent is not None else [], [(child, pieces(below(branches, child))) for child in children]


def exchange(runs, radix, mine, pieces):
    """Each of the runs, by its first place, sends what it has to those behind which it will have more; pieces(places): of a message."""
    sends, receives, have = [], [], 1
    while have < len(runs):
        for far in range(have, min(len(runs), have * radix), have):
            travels = min(have, len(runs) - far)
            to, come = (mine - far) % len(runs), (mine + far) % len(runs)
            for start, other, found in ((mine, to, sends), (come, come, receives)):
                found.append((runs[other][0], pieces(sum(map(len, turned(runs, start)[:travels])))))
        have *= radix
    return sends, receives


def joined(*steps):
    return [message for sends, _ in steps for message in sends], [message for _, receives in steps for message in receives]


def everybody(place, runs, radix, pieces):
    mine = next(number for number, run in enumerate(runs) if place in run)
    heads = exchange(runs, radix, mine, pieces) if place == runs[mine][0] else ([], [])
    return joined(up(runs[mine], place, pieces), heads, down(runs[mine], IN_NODE, place, pieces(sum(map(len, runs)))))


def least(place, runs, radix, _root):
    return everybody(place, runs, radix, lambda places: 1)


def gather_all(place, runs, radix, _root):
    return everybody(place, runs, radix, lambda places: places)


def broadcast(place, runs, radix, root):
    first, mine = (next(number for number, run in enumerate(runs) if member in run) for member in (root, place))
    heads = [root] + [run[0] for run in turned(runs, first)[1:]]
    own = turned(runs[mine], runs[mine].index(root)) if mine == first else runs[mine]
    across = down(heads, radix, place, 1) if place in heads else ([], [])
    return joined(across, down(own, IN_NODE, place, 1))


def gather(place, runs, _radix, root):
    return up(turned(sum(runs, []), root), place, lambda places: places)


TOGETHER = {"least": least, "gather_all": gather_all, "broadcast": broadcast, "gather": gather}
