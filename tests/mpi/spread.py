"""Mappings that spread a program over the segments of a machine: LPSes above, at and below the level of the processes.

Spreader(hp5c, program, model).mapping(kind) gives the text of one; kinds are

    leaves    un-partitioned Spaces span the machine, as does what is above them; what they are divided into goes to the lowest level
    nodes     the first partitioned Space of each branch has a process for each LPU, those below it the lowest level
    apart     each task has a segment or two of its own, as far as there are some, and its Spaces the lowest level there
    random    any level that is allowed, index mapping functions, tasks that keep to a part of the machine
    some      the same with some of the PPUs of a level
"""
import json
import math
import os
import random
import re
import subprocess

KINDS = ("leaves", "nodes", "random")


class Task:
    def __init__(self, name, spaces):
        self.name, self.spaces = name, spaces   # spaces: name → (parent, dimensions, dynamic)


def tasks_of(text):
    """Tasks of a program's text with their Spaces, from the Partition sections."""
    text, found = re.sub(r"//.*", "", text), []
    for match in re.finditer(r'\bTask\s+"([^"]*)"\s*:(.*?)(?=^\s*Task\s+"|\Z)', text, re.S | re.M):
        partition, spaces = match[2][match[2].rfind("Partition"):], {}
        for space in re.finditer(r"\bSpace\s+(\w+)\s*((?:<[^>]*>\s*)+)(?:divides\s+Space\s+(\w+))?", partition):
            dims = re.search(r"(\d)\s*d\b", space[2])
            spaces[space[1]] = (space[3] or "Root", int(dims[1]) if dims else 0, "dynamic" in space[2])
        found.append(Task(match[1], spaces))
    return found


class Spreader:
    def __init__(self, hp5c, program, model):
        self.hp5c, self.program, self.model = hp5c, program, model
        with open(model, encoding="utf-8") as text:
            levels = re.findall(r"^Space \d+(\S*?):\s+([\w-]+)\s*\((\d+)\)", text.read(), re.M)
        self.levels = [name for _, name, _ in levels]
        self.counts = [int(count) for _, _, count in levels]
        self.segment = next(at for at, (flags, _, _) in enumerate(levels) if "<segment>" in flags)
        with open(program, encoding="utf-8", errors="surrogateescape") as text:
            self.tasks = tasks_of(text.read())

    def mapping(self, kind, rng=random):
        """One line: '"Task" { … } "Task" { … }'; functions before it end with \\n as in // map-text: lines."""
        functions, blocks, self.some = {}, [], kind == "some"
        for task in self.tasks:
            words = self.random_lines(task, functions, rng) if kind in ("random", "some") else self.plain_lines(task, kind)
            if kind == "apart":
                words = self.apart_lines(task, self.tasks.index(task))
            blocks.append(f'"{task.name}" {{ {"  ".join(words)} }}')
        return "".join(text + "\n" for text in functions.values()) + " ".join(blocks)

    def plain_lines(self, task, kind, root=0):
        level, lowest = {"Root": root}, len(self.levels) - 1
        for name, (parent, dims, _) in task.spaces.items():
            above = level.get(parent, 0)
            first = self.segment if kind == "nodes" and above < self.segment else lowest
            level[name] = above if dims == 0 else first
        return [f"Space {name}: {self.levels[level[name]]}" for name in task.spaces]

    def apart_lines(self, task, number):
        """Odd tasks are confined to a segment, and those whose Spaces are not all partitioned; the Spaces of others take two."""
        segments, segment = math.prod(self.counts[:self.segment + 1]), self.levels[self.segment]
        first = number * 3 // 2 % segments
        if number % 2 == 1 or not task.spaces or any(parent != "Root" or dims == 0 for parent, dims, _ in task.spaces.values()):
            return [f"Space Root: {segment}[{first}]"] + self.plain_lines(task, "leaves", self.segment)
        return [f"Space {name}: {segment}[{first}...{min(first + 1, segments - 1)}]" for name in task.spaces]

    def random_lines(self, task, functions, rng):
        level, words, lowest = {"Root": 0}, [], len(self.levels) - 1
        if rng.random() < 0.1 and self.segment > 0:
            level["Root"] = rng.randint(1, self.segment)
            words.append(f"Space Root: {self.levels[level['Root']]}[{rng.randrange(math.prod(self.counts[:level['Root'] + 1]))}]")
        for name, (parent, dims, dynamic) in task.spaces.items():
            above = level.get(parent, 0)
            choice = rng.choice((lowest, rng.randint(above, lowest), rng.randint(above, max(above, self.segment))))
            level[name] = choice
            by = ""
            if choice > above and dims > 0 and not dynamic and rng.random() < 0.3:
                by = f" by {self.function(self.levels[choice], dims, functions, rng)}"
            part = ""
            if self.some and not by and choice > above and rng.random() < 0.6:
                first = rng.randrange(math.prod(self.counts[above + 1:choice + 1]))
                part = f"[{first}...{rng.randrange(first, min(first + 4, math.prod(self.counts[above + 1:choice + 1])))}]"
            words.append(f"Space {name}: {self.levels[choice]}{part}{by}")
        return words

    @staticmethod
    def function(level, dims, functions, rng):
        """Over segments (first dimension of Machine) and PPUs of each."""
        number = len(functions) + 1
        m, f, factor, add = f"m{number}", f"f{number}", rng.randint(1, 7), rng.randint(0, 9)
        head, coordinate = f"{m} = Machine({level})\ndef {f}(Tuple p, Tuple s):\n    ", ", ".join(f"p[{d}] * q.size[{d}] / s[{d}]" for d in range(dims))
        functions[f] = head + rng.choice((
            f"at = sum(p * {factor}) + {add}\n    return {m}[at % {m}.size[0], (at / {m}.size[0]) % {m}.size[1]]\n",
            f"return {m}[{m}.size[0] - 1 - p[0] * {m}.size[0] / s[0], 0]\n",
            f"q = {m}.merge(0, 1)\n    return q[(p[0] * {factor} + {add}) % q.size[0]]\n",
            f"q = {m}.decompose(0, s)\n    return q[{coordinate}, 0]\n",
            f"return {m}[p[{dims - 1}] % {m}.size[0], p[0] % {m}.size[1]]\n",
            f"return {m}[(p[0] > 0 ? {m}.size[0] - 1 : 0), 0]\n"))
        return f

    def accepted(self, kind, folder, rng=random):
        """The path of a mapping that hp5c takes, in the folder, or None: the reason is in .refused."""
        path, self.refused = os.path.join(folder, f"{kind}.map"), None
        for _ in range(20):
            with open(path, "w", encoding="utf-8") as out:
                out.write(self.mapping(kind, rng) + "\n")
            done = subprocess.run([self.hp5c, self.program, "--map", path, "--model", self.model, "--check-only", "--json"],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
            if done.returncode == 0:
                return path
            self.refused = [said for line in done.stderr.splitlines() if line.startswith("{")
                            if (said := json.loads(line))["severity"] == "error"]
            codes = {said["code"] for said in self.refused}
            if kind not in ("random", "some", "mixed", "deep") or codes & {"E1303", "E1304"}:
                break
        return None
