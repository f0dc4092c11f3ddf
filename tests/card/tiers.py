"""Mappings that give a program's tasks to a card: LPSes on the card, its multiprocessors and its warps.

Tiers(hp5c, program, model).mapping(kind) gives the text of one; kinds are

    warps     what has no Space below it goes to warps, what has to multiprocessors
    blocks    partitioned Spaces go to multiprocessors
    card      every Space is the whole card's
    random    any level that is allowed, index mapping functions
    lanes     what has no Space below it goes to single threads, what has to warps or, if there is more above it, to multiprocessors (models/lanes.pcubes)
    threads   partitioned Spaces go to single threads
    deep      any of these levels, lanes included, that is allowed, index mapping functions
    parts     the same with some of the PPUs of a level, with Root on one of them, and with limits of LPUs at once
    mixed     each task as in random, or on processors (models/both.pcubes)
    hosted    what has a Space below it is the host's, the higher of its levels if it is not divided, what has none goes to warps (models/hybrid.pcubes)
    hybrid    any level of the host or the card that is allowed; half of the Spaces that can be are the host's

MixedSpreader is the same of mixed for several processes: each task spread over nodes as in tests/mpi/spread.py, by their processors or their
cards (models/cluster-both.pcubes). With several processes hosts of hosted and hybrid are those of models/cluster-hybrid.pcubes.
"""
import math
import random

import spread

KINDS = ("warps", "blocks", "card", "random")
LANES = ("lanes", "threads", "deep", "parts")
MIXED = "mixed"
HYBRID = ("hosted", "hybrid")
HOSTS, CLUSTER_HOSTS = ("Node", "Socket"), ("Cluster", "Node", "Socket")
LEVELS = ("Card", "Multi", "Warp", "Lane")
PPUS = (1, 3, 3, 32) # of models/lanes.pcubes, in one of the level above


def some(count, rng):
    """Some of so many PPUs."""
    first = rng.randrange(count)
    last = min(count - 1, first + rng.choice((0, 1, 1, 3, count)))
    return f"[{first}]" if first == last else f"[{first}...{last}]"


class Tiers(spread.Spreader):
    def __init__(self, hp5c, program, model, mixed=False, hosts=HOSTS):
        self.hp5c, self.program, self.model, self.mixed, self.hosts = hp5c, program, model, mixed, hosts
        with open(program, encoding="utf-8", errors="surrogateescape") as text:
            self.tasks = spread.tasks_of(text.read())

    def plain_lines(self, task, kind):
        parents, level = {parent for parent, _, _ in task.spaces.values()}, {"Root": 0}
        if kind == "hosted":
            for name, (parent, dims, _) in task.spaces.items():
                level[name] = max(level[parent], dims > 0)
            return [f"Space {name}: {self.hosts[level[name]] if name in parents else 'Warp'}" for name in task.spaces]
        for name, (parent, dims, _) in task.spaces.items():
            wanted = {"threads": 3 if dims else 0, "card": 0, "blocks": 1 if dims else 0, "warps": 0 if not dims else 1 if name in parents else 2,
                      "lanes": 3 if dims and name not in parents else 0 if not dims else min(level.get(parent, 0) + 1, 2)}[kind]
            level[name] = max(level.get(parent, 0), wanted)
        return [f"Space {name}: {LEVELS[level[name]]}" for name in task.spaces]

    def mapping(self, kind, rng=random):
        self.hybrid, self.lowest, self.parts = kind == "hybrid", 3 if kind in ("deep", "parts") else 2, kind == "parts"
        return super().mapping("random" if kind in (MIXED, "hybrid", "deep", "parts") else kind, rng)

    def random_lines(self, task, functions, rng=random):
        if self.hybrid:
            return self.hybrid_lines(task, rng)
        if not self.mixed:
            return self.card_lines(task, functions, rng)
        if rng.random() < 0.5:
            return ["Model: Card"] + self.card_lines(task, functions, rng)
        return ["Model: Host"] + [f"Space {name}: {rng.choice(('Node', 'Core')) if parent == 'Root' else 'Core'}" for name, (parent, _, _) in task.spaces.items()]

    def hybrid_lines(self, task, rng):
        levels, level = HOSTS + LEVELS, {"Root": 0}
        for name, (parent, _, _) in task.spaces.items():
            above = level.get(parent, 0)
            level[name] = rng.randint(above, 1) if above < 2 and rng.random() < 0.5 else rng.randint(max(above, 2), 4)
        return [f"Space {name}: {levels[level[name]]}" for name in task.spaces]

    def card_lines(self, task, functions, rng):
        level, words = {"Root": 0}, []
        if self.parts and rng.random() < 0.3:
            level["Root"] = rng.randint(1, 3)
            words.append(f"Space Root: {LEVELS[level['Root']]}" + (rng.random() < 0.5) * f"[{rng.randrange(3)}]")
        for name, (parent, dims, dynamic) in task.spaces.items():
            above = level.get(parent, 0)
            level[name] = rng.randint(above, self.lowest)
            by = ""
            if level[name] > above and dims > 0 and not dynamic and rng.random() < 0.3:
                by = f" by {self.function(LEVELS[level[name]], dims, functions, rng)}"
            some_of = some(math.prod(PPUS[above + 1:level[name] + 1]), rng) if self.parts and level[name] > above and rng.random() < 0.6 else ""
            words.append(f"Space {name}: {LEVELS[level[name]]}{some_of}{by}")
        for name, (_, dims, _) in task.spaces.items():
            if self.parts and dims > 0 and rng.random() < 0.3:
                words.append(f"InstanceLimit {name} {rng.randint(1, 4)}")
        return words


class LaneSpreader(spread.Spreader):
    """With several processes (models/cluster-lanes.pcubes): lanes, threads and deep are the leaves, nodes and random of tests/mpi/spread.py; in parts, Spaces
    below nodes have some of the PPUs of a card's level."""

    PPUS = {"Cluster": 1, "Node": 4, "Card": 1, "Multi": 2, "Warp": 2, "Lane": 32}

    def mapping(self, kind, rng=random):
        self.parts = kind == "parts"
        return super().mapping({"lanes": "leaves", "threads": "nodes"}.get(kind, "random"), rng)

    def random_lines(self, task, functions, rng):
        if not self.parts:
            return super().random_lines(task, functions, rng)
        levels, level, lines = list(self.PPUS), {"Root": 0}, []
        for name, (parent, dims, _) in task.spaces.items():
            above = level.get(parent, 0)
            level[name] = above if dims == 0 else rng.randint(max(above, 1), 5)
            count = math.prod(self.PPUS[between] for between in levels[above + 1:level[name] + 1])
            lines.append(f"Space {name}: {levels[level[name]]}" + (some(count, rng) if above < level[name] and (above > 0 or level[name] < 3) and rng.random() < 0.6 else ""))
        return lines


class MixedSpreader(spread.Spreader):
    SIDES = {"Host": ("Cluster", "Node", "Core"), "Card": ("Cluster", "Node", "Card", "Multi", "Warp")}

    def mapping(self, kind, rng=random):
        return super().mapping("random", rng)

    def random_lines(self, task, functions, rng):
        side = rng.choice(list(self.SIDES))
        levels, level = self.SIDES[side], {"Root": 0}
        for name, (parent, dims, _) in task.spaces.items():
            above = level.get(parent, 0)
            level[name] = above if dims == 0 else rng.randint(max(above, 2), len(levels) - 1)
        return [f"Model: {side}"] + [f"Space {name}: {levels[level[name]]}" for name in task.spaces]
