"""Pieces of padded parts for focused.py whose padding is all that moves: rounds that begin with a stage of the padded Space. Between processes
that stage begins before the messages have come, where its loop lets it."""


class Halos:
    def halos(self):
        rank = self.rng.choices((1, 2, 3), (2, 5, 3))[0]
        extents = [self.rng.randint(6, {1: 40, 2: 18, 3: 10}[rank]) for _ in range(rank)]
        name, other = self.array("u", extents), self.array("w", extents)
        self.arrays[-1] = (other,) + self.arrays[-2][1:]
        front, back = self.rng.choices(((1, 1), (2, 2), (2, 1), (1, 0), (0, 2), (3, 3)), (5, 3, 1, 1, 1, 1))[0]
        parts = [self.halved(n) for n in extents]
        padded = ", ".join(f"{part} padding({front}, {back})" for part in parts)
        space = self.space(rank, [f"{name}, {other}: {padded}"] if self.chance(0.4) else [f"{name}: {padded}", f"{other}: {padded}"])
        advances = self.chance(0.7)
        first, calls = self.near(name, other, rank, front, back, advances), []
        twice = not advances and self.chance(0.5)
        if not advances and not twice:
            calls = [self.back(name, other, rank)]
        clock, inner, rounds = self.fresh("t"), self.fresh("u"), self.value(1, 4)
        body = f"Epoch {{ {first}({name}, {other}) }}" if advances else f"{first}({name}, {other})"
        body = " ".join([body] + [f"{stage}({name}, {other})" for stage in calls])
        if self.chance(0.4):
            body = f"Repeat for {inner} in [1...{self.pick(('1', '2', 'min(2, 1)', 'min(2, ' + clock + ')'))}] {{ {body} }}"
        if self.chance(0.15):
            body += f" {self.back(name, other, rank)}({name}, {other})"
        indices = ["{%d}" % d for d in range(rank)]
        begin, end = self.pick((("", ""), ("Epoch { ", " }"))) if advances else ("", "")
        self.starts.append(f"Space {space} {{ {begin}{self.start(name, rank, '0.25 * ' + ' + 0.5 * '.join(indices) + ' + 1.0')}({name}){end} "
                           f"{self.start(other, rank, ' - 0.125 * '.join(indices))}({other}) }}")
        visits = f"Space {space} {{ {body} }}"
        if self.chance(0.5):
            visits = self.beside(visits, clock, name, other, rank, parts, padded, (front, back), extents)
        self.features.update(["begins before padding has come"] + ["three dimensions with padding"] * (rank == 3))
        if twice:
            visits += f" Space {space} {{ {self.near(other, name, rank, front, back, False)}({other}, {name}) }}"
        return f"Repeat for {clock} in [1...{rounds}] {{ {visits} }}", [name, other]

    def beside(self, visits, clock, name, other, rank, parts, padded, padding, extents):
        """Visits of a Space that is divided alike, without padding or with the same, in another way or not at all, in front of those of the padded one or
        behind them, and perhaps in the starts."""
        kind = self.rng.choices(("unpadded", "padded", "other", "whole"), (4, 3, 3, 2))[0]
        division = padded if kind == "padded" else ", ".join(self.halved(n) for n in extents) if kind == "other" else ", ".join(parts)
        space = self.whole([name, other]) if kind == "whole" else self.space(rank, [f"{name}, {other}: {division}"])
        calls = []
        if kind == "padded" and self.chance(0.5):
            calls.append(f"{self.near(name, other, rank, *padding, False)}({name}, {other})")
        for _ in range(self.rng.randint(1, 2)):
            ways = self.pick(((name, other), (other, name)))
            calls.append(f"{self.back(*ways, rank)}({', '.join(ways)})")
        text = " ".join(calls)
        if kind != "whole" and self.chance(0.3):
            inner = self.space(1, [f"{name}<dim1>: block_count({self.argument(1, 3)})"], parent=space)
            text += f" Space {inner} {{ {self.start(name, rank, ' + '.join('0.5 * {%d}' % d for d in range(rank)))}({name}) }}"
        if self.chance(0.3):
            self.starts.append(f"Space {space} {{ {calls[0]} }}")
        self.features.update(["works in another Space's padded parts" if kind in ("unpadded", "padded") else "copies between visits"])
        here = f"Space {space} {{ {text} }}"
        if self.chance(0.4):
            here = self.pick((f"Epoch {{ {here} }}", f"Space {space} {{ Epoch {{ {calls[0]} }} }}"))
        if self.chance(0.3):
            here = f"If {clock} % 2 == {self.pick((0, 1))} {{ {here} }}"
        if self.chance(0.3):
            visits = f"Repeat for {self.fresh('u')} in [1...2] {{ {visits} }}"
        elif self.chance(0.2):
            visits = f"If {clock} != 2 {{ {visits} }}"
        return f"{here} {visits}" if self.chance(0.4) else f"{visits} {here}"

    def one_store(self):
        """Padded parts that somebody above looks at in each round: LPUs that write their own elements and read older versions of others work in one array,
        those that write their padding, or whose Epoch is a part of a visit, do not."""
        rank = self.rng.choices((1, 2), (2, 3))[0]
        extents = [self.rng.randint(5, {1: 40, 2: 15}[rank]) for _ in range(rank)]
        name, other = self.array("u", extents), self.array("w", extents)
        self.arrays[-1] = (other,) + self.arrays[-2][1:]
        front, back = self.rng.choices(((1, 1), (2, 2), (2, 1), (0, 1), (1, 3)), (5, 2, 1, 1, 1))[0]
        parts = [self.halved(n) for n in extents]
        padded = ", ".join(f"{part} padding({front}, {back})" for part in parts)
        space = self.space(rank, [f"{name}: {padded}", f"{other}: {', '.join(parts)}"])
        stage = self.near(name, other, rank, front, back, True)
        if self.chance(0.35):  # over the parts of the other array, which have no padding
            names = [self.fresh("i") for _ in range(rank)]
            place = f"[{']['.join(names)}]"
            beside = "".join(f"[{i} + {self.rng.randint(-front, back)}]" if d == 0 else f"[{i}]" for d, i in enumerate(names))
            tests = [f"{names[0]} > {name}.dimension1.range.min + {front - 1} and {names[0]} < {name}.dimension1.range.max - {back - 1}"]
            lines = ["do {", f"    {name}{place} = 0.5 * ({name}{place} at (current - 1)) + 0.25 * ({name}{beside} at (current - 1)) + 0.125 * {other}{place}"]
            if self.chance(0.5):
                lines.append(f"    if ({names[0]} % 3 == 1) {{ {name}{place} = {name}{place} * 0.75 + 0.25 }}")
            stage = self.stage([name, other], lines + [f"}} for {', '.join(names)} in {other} and {' and '.join(tests)}"])
        elif self.chance(0.25):  # padding has values of its own, until it takes others'
            names = [self.fresh("i") for _ in range(rank)]
            place = f"[{']['.join(names)}]"
            stage = self.stage([name, other], ["number = lpuId[0]", f"do {{ {name}{place} = 0.5 * ({name}{place} at (current - 1)) + 0.0625 * number }} for {', '.join(names)} in {name}"])
        call = f"{stage}({name}, {other})"
        around = self.whole([name, other]) if self.chance(0.6) else self.space(1, [f"{name}<dim1>, {other}<dim1>: {self.halved(extents[0])}"])
        ways = self.pick(((name, other), (other, name), (other, name)))
        looks = f"Space {around} {{ {self.back(*ways, rank)}({', '.join(ways)}) }}"
        visit = self.pick((f"Epoch {{ Space {space} {{ {call} }} }}", f"Space {space} {{ Epoch {{ {call} }} }}", f"Epoch {{ Space {space} {{ {call} }} {looks} }}",
                           f"Space {space} {{ Epoch {{ {call} }} Epoch {{ {call} }} }}", f"Repeat for {self.fresh('u')} in [1...2] {{ Space {space} {{ Epoch {{ {call} }} }} }}"))
        self.starts.append(f"Space {space} {{ {self.start(other, rank, ' + '.join('0.25 * {%d}' % d for d in range(rank)))}({other}) }}")
        self.features.add("padded parts in one store")
        rounds = self.pick((f"{visit} {looks}", f"{looks} {visit}", visit))
        return f"Repeat for {self.fresh('t')} in [1...{self.value(2, 4)}] {{ {rounds} }}", [name, other]

    def waves(self):
        """Three versions or four, of which the oldest is mostly read of the element that is written: it needs no memory of its own then, and does otherwise."""
        rank, lag = self.rng.choices((1, 2), (2, 3))[0], self.rng.choices((2, 3), (4, 1))[0]
        extents = [self.rng.randint(5, {1: 40, 2: 15}[rank]) for _ in range(rank)]
        name, other = self.array("u", extents), self.array("w", extents)
        self.arrays[-1] = (other,) + self.arrays[-2][1:]
        front, back = self.pick(((1, 1), (2, 1), (1, 2), (0, 0), (0, 0)))
        padded, parts = front + back > 0, [self.halved(n) for n in extents]
        names = [self.fresh("i") for _ in range(rank)]
        place, before = f"[{']['.join(names)}]", " at (current - 1)"
        beside = f"[{names[0]} - 1]" + "".join(f"[{i}]" for i in names[1:])
        tests = [f"{i} > {name}.local.dimension{d + 1}.range.min + {front - 1 + self.chance(0.2)} and {i} < {name}.local.dimension{d + 1}.range.max - {back - 1}" for d, i in enumerate(names)]
        if not padded:
            tests = [f"{names[0]} > {name}.dimension1.range.min"]
        near = f" + 0.125 * ({name}{beside}{before})" if front > 0 else ""
        oldest = f"{name}{self.rng.choices((place, beside), (8, 1))[0] if near else place} at (current - {lag})"
        terms = f"0.5 * ({name}{place}{before}){near} + {other}{place}"
        lines = self.pick(([f"    {name}{place} = {terms} - 0.25 * ({oldest})"], [f"    old = {oldest}", f"    {name}{place} = {terms} - 0.25 * old"],
                           [f"    {name}{place} = {terms}", f"    {other}{place} = {other}{place} + 0.125 * ({oldest})"]))
        loop = ["do {"] + lines + [f"}} for {', '.join(names)} in {name} and {' and '.join(tests)}"]
        if self.chance(0.25):  # a wall, behind or in front
            wall = [f"do {{ {name}{place} = 0.5 * ({name}{place}{before}) + 0.25 }} for {', '.join(names)} in {name} and {names[0]} == {name}.dimension1.range.min"]
            loop = self.pick((loop + wall, loop + wall, wall + loop))
        stage = self.stage([name, other], loop)
        padding = f" padding({front}, {back})" if padded else ""
        space = self.space(rank, [f"{name}: {', '.join(part + padding for part in parts)}", f"{other}: {', '.join(parts)}"])
        self.starts.append(f"Space {space} {{ {self.start(other, rank, ' + '.join('0.25 * {%d}' % d for d in range(rank)))}({other}) }}")
        self.features.add("oldest versions")
        visits = f"Space {space} {{ Epoch {{ {stage}({name}, {other}) }} }}" if padded else f"Epoch {{ Space {space} {{ {stage}({name}, {other}) }} }}"
        return f"Repeat for {self.fresh('t')} in [1...{self.value(2, 5)}] {{ {visits} }}", [name, other]

    def halved(self, extent):
        return f"block_count({self.argument(1, 3)})" if self.chance(0.6) else f"block_size({self.argument(max(2, extent // 3), extent)})"

    def near(self, name, other, rank, front, back, advances):
        """A stage that reads elements around each, as far as the padding goes, and writes the array, or the other one."""
        names = [self.fresh("i") for _ in range(rank)]
        before = " at (current - 1)" if advances else ""
        place = f"[{']['.join(names)}]"
        tests = [f"{i} > {name}.local.dimension{d + 1}.range.min + {front - 1} and {i} < {name}.local.dimension{d + 1}.range.max - {back - 1}" for d, i in enumerate(names)]
        form = self.rng.randrange(4)
        if form < 2:
            offsets = [[0] * rank] + [[self.rng.randint(-front, back) if d == k or self.chance(0.3) else 0 for d in range(rank)] for k in range(rank) for _ in range(2)]
            where = lambda o: "".join(f"[{i}{'' if k == 0 else f' + {k}' if k > 0 else f' - {-k}'}]" for i, k in zip(names, o))
            parts = [f"{round(0.8 / len(offsets), 3)} * ({name}{where(o)}{before})" for o in offsets]
            lines = [f"do {{ {{target}}{place} = {' + '.join(parts)} }}"]
            if form == 1:
                lines = [f"half = 0.5", "do {", f"    sum = {' + '.join(parts)}", f"    if (sum > half) {{ sum = sum * 0.75 }}", f"    {{target}}{place} = sum", "}"]
        else:
            inner = [self.fresh("m") for _ in range(rank)]
            around = "; ".join(f"{m} in [{i} - {front}...{i} + {back}]" for m, i in zip(inner, names))
            loop = [f"do {{ sum = sum + 0.0625 * ({name}[{']['.join(inner)}]{before}) }} for {around}"]
            if form == 3:
                m, i = inner[0], names[0]
                loop = [f"do in sequence {{ sum = sum + 0.125 * ({name}[{m}]{''.join(f'[{j}]' for j in names[1:])}{before}) }} for {m} in [{i} - {front}...{i} + {back}]"]
            lines = ["do {", "    sum = 0.0"] + ["    " + line for line in loop] + [f"    {{target}}{place} = sum * 0.5", "}"]
        target = name if advances else other
        lines = [line.replace("{target}", target) for line in lines]
        if self.chance(0.2):   # what has to wait: an element of the array before the loop, or an index that is none
            lines = [f"other = {name}[{']['.join(f'{name}.local.dimension{d + 1}.range.min' for d in range(rank))}]{before}"] + [line.replace("0.75", "(0.25 + other * 0.0)") for line in lines]
        lines[-1] += f" for {', '.join(names)} in {name}"
        return self.stage([name, other], lines + ["    and " + " and ".join(tests)])

    def back(self, name, other, rank):
        """Each element from the other array's, in all of the part."""
        names = [self.fresh("i") for _ in range(rank)]
        place = f"[{']['.join(names)}]"
        return self.stage([name, other], [f"do {{ {name}{place} = {name}{place} * 0.5 + {other}{place} * 0.375 }} for {', '.join(names)} in {name}"])
