"""Pieces of focused_turns.py's kind, Spaces within Spaces that feed each other, with padded parts, and with subscripts that come from arrays of
indices, which other stages change. What a stage may read at some distance, or by an index, it asks its LPU's part for."""


class Deep:
    padding, indexed = False, False      # what the pieces are given besides: paddings; arrays of indices, (name, smallest index, extent) each
    indices, own_indices = (), ()
    place = None                         # a scalar that is an index

    def padded_turns(self):
        self.padding = True
        flow = self.turns()
        self.padding = False
        self.features.add("Spaces within padded Spaces")
        return flow

    def indexed_turns(self):
        self.indexed, self.padding = True, self.chance(0.3)
        self.place = self.scalar("p", "Integer") if self.chance(0.5) else None
        flow = self.turns()
        self.indexed, self.padding, self.place = False, False, None
        self.features.add("indices that Spaces within Spaces change")
        return flow

    def careful(self):
        """Arrays of a Space may have parts of other extents: these must be as many all the same."""
        return self.padding or self.indexed

    def padded(self, division):
        """The division, perhaps with padding."""
        if not self.padding or not division.startswith("block_count") or self.chance(0.3):
            return division
        front, back = self.rng.choices(((1, 1), (2, 2), (1, 0), (0, 1), (2, 1), (3, 3)), (6, 2, 1, 1, 1, 1))[0]
        return f"{division} padding({front}, {back})"

    # ---- Arrays of indices, of the first dimension, and one index ------------------------------------------------------------

    def make_indices(self, names):
        self.indices = []
        low, high = next(array[3][0] for array in self.arrays if array[0] == names[0])
        for _ in range(self.rng.choice((1, 1, 2)) if self.indexed else 0):
            name = self.array("x", [high - low + 1], "Integer")
            self.arrays[-1] = (name, 1, "Integer", [(low, high)])
            self.indices.append((name, low, high - low + 1))

    def start_indices(self):
        if not self.indices:
            return ""
        calls = [f"{self.start(name, 1, self.pick(('{0}', f'{low} + ({{0}} - {low}) * {self.rng.randint(2, 5)} % {n}', f'{low + n - 1} - ({{0}} - {low})')))}({name})" for name, low, n in self.indices]
        return f" Space {self.whole([name for name, _, _ in self.indices])} {{ {' '.join(calls)} }}"

    def between(self, visits, clock):
        """The visits of a round; the place changes between them."""
        if self.place is None:
            return visits
        _, low, n = self.indices[0]
        step = self.stage([self.place], [f"{self.place} = {low} + ({self.place} - {low} + {self.rng.randint(1, n)}) % {n}"])
        self.starts.append(f"{self.stage([self.place], [f'{self.place} = {self.rng.randint(low, low + n - 1)}'])}({self.place})")
        calls = [f"{step}({self.place})", f"If {clock} % 2 == {self.pick((0, 1))} {{ {step}({self.place}) }}"]
        for _ in range(self.rng.randint(1, 2)):
            visits.insert(self.rng.randint(0, len(visits)), self.pick(calls))
        return visits

    def at_place(self, target, other, rest, now):
        """A stage that writes where the place says, or reads there."""
        p, behind, i = self.place, "".join(f"[{j}]" for j in rest), self.fresh("i")
        form = self.rng.randrange(3)
        if form == 0:
            lines = [f"{target}[{p}]{behind} = {target}[{p}]{behind} * 0.5 + 0.25 * {p}"]
            inner = f" for {rest[0]} in {target}.dimension2" if rest else ""
            return [f"if ({p} in {target}.local.dimension1.range) {{"] + ([f"    do {{ {lines[0]} }}{inner}"] if rest else ["    " + lines[0]]) + ["}"], (target, p)
        place = f"{target}[{i}]{behind}"
        if form == 1:
            return [f"do {{ {place} = ({place}{now}) * 0.5 + 1.0 }} for {', '.join([i] + rest)} in {target} and {i} >= {p}"], (target, p)
        tests = [f"{p} in {other}.local.dimension1.range"] + [f"{j} in {other}.local.dimension{d + 2}.range" for d, j in enumerate(rest)]
        return ["do {", "    sum = 0.0", f"    if ({' and '.join(tests)}) {{ sum = 0.25 * ({other}[{p}]{behind}{now}) }}", f"    {place} = ({place}{now}) * 0.5 + sum",
                f"}} for {', '.join([i] + rest)} in {target}"], (target, other, p)

    def index_lines(self, parent, dims, divisions):
        """How a Space divides them; those that its stages may write are in own_indices then."""
        lines, self.own_indices = [], []
        for each in self.indices:
            kind = self.rng.choices(("own", "part", "whole", None), (4, 2, 2, 2))[0]
            if kind is None:
                continue
            division = self.otherwise(divisions[0]) if self.chance(0.3) else divisions[0]
            if kind == "own" and dims == 1 and (parent is None or each in parent.indices):
                self.own_indices.append(each)
            words = ["replicated" if kind == "whole" else self.padded(division)] + ["replicated"] * (dims - 1)
            lines.append(f"{each[0]}: {', '.join(words)}")
        return lines

    def looked_up(self, level, own, rank, epoch):
        """A stage that changes indices, or reads or writes where they say."""
        index, low, n = self.pick(self.indices)
        i, m = self.fresh("i"), self.fresh("m")
        if level.indices and self.chance(0.4):
            index, low, n = self.pick(level.indices)
            return f"{self.stage([index], [f'do {{ {index}[{i}] = {low} + ({index}[{i}] - {low} + {self.rng.randint(1, n)}) * {self.pick((1, 1, 2, 3))} % {n} }} for {i} in {index}'])}({index})"
        target = self.pick(own)
        other = target if epoch and self.chance(0.3) else self.pick([name for name, use in level.uses.items() if use and (epoch or name != target)] or own)
        rest = [self.fresh("j") for _ in range(rank - 1)]
        behind = "".join(f"[{j}]" for j in rest)
        tests = [f"{i} in {index}.local.dimension1.range", f"{index}[{i}] in {other}.local.dimension1.range"] + [f"{j} in {other}.local.dimension{d + 2}.range" for d, j in enumerate(rest)]
        before, now = (" at (current - 1)",) * 2 if epoch else ("", "")
        before = before if other == target or self.chance(0.7) else ""
        if self.place is not None and self.chance(0.5) and (other != target or epoch):
            lines, names = self.at_place(target, other, rest, now)
            return f"{self.stage(list(names), lines)}({', '.join(dict.fromkeys(names))})"
        form = self.rng.randrange(3)
        if form == 0 and other != target:   # writes
            value = f"{target}[{index}[{m}]]{behind} * 0.5 + 0.125 * {m}"
            inner = f"do in sequence {{ if ({index}[{m}] in {target}.local.dimension1.range) {{ {target}[{index}[{m}]]{behind} = {value} }} }} for {m} in {index}.local.dimension1.range"
            lines = [inner] if rank == 1 else ["do {", f"    {inner}", f"}} for {rest[0]} in {target}.dimension2"]
            return f"{self.stage([target, index], lines)}({target}, {index})"
        if other == target and not epoch:
            return None
        if form == 1 and rank == 1:
            lines = [f"do {{ if ({index}[{m}] in {other}.local.dimension1.range) {{ reduce(sum, \"sum\", 0.0625 * ({other}[{index}[{m}]]{before})) }} }} for {m} in {index}",
                     f"do {{ {target}[{i}] = ({target}[{i}]{now}) * 0.5 + sum }} for {i} in {target}"]
        else:
            place = f"{target}[{i}]{behind}"
            lines = ["do {", f"    sum = 0.0", f"    if ({tests[0]}) {{", f"        if ({' and '.join(tests[1:])}) {{ sum = 0.25 * ({other}[{index}[{i}]]{behind}{before}) }}", "    }",
                     f"    {place} = ({place}{now}) * 0.5 + sum", f"}} for {', '.join([i] + rest)} in {target}"]
        return f"{self.stage([target, other, index], lines)}({', '.join(dict.fromkeys((target, other, index)))})"

    # ---- Stages for focused_turns.py ----------------------------------------------------------------------------------------------

    def deeper(self, level, own, rank, epoch):
        """A stage; None: one of focused_turns.py's own."""
        if self.indexed and self.chance(0.65):
            return self.looked_up(level, own, rank, epoch)
        if self.padding and self.chance(0.65):
            return self.around(level, own, rank, epoch)
        return None

    def around(self, level, own, rank, epoch):
        """New values from elements around each, as far as the LPU's part has them."""
        target = self.pick(own)
        other = target if epoch and self.chance(0.4) else self.pick([name for name, use in level.uses.items() if use and (epoch or name != target)] or own)
        if other == target and not epoch:
            return None
        before = " at (current - 1)" if epoch and self.chance(0.8) or other == target else ""
        names = [self.fresh("i") for _ in range(rank)]
        place = "".join(f"[{i}]" for i in names)
        lines = ["do {", "    sum = 0.0"]
        for _ in range(self.rng.randint(1, 3)):
            offsets = [self.pick((-2, -1, -1, 0, 1, 1, 2)) for _ in range(rank)]
            where = [i if not d else f"{i} {'+' if d > 0 else '-'} {abs(d)}" for i, d in zip(names, offsets)]
            inside = " and ".join(f"{w} in {other}.local.dimension{d + 1}.range" for d, w in enumerate(where))
            lines.append(f"    if ({inside}) {{ sum = sum + 0.25 * ({other}{''.join(f'[{w}]' for w in where)}{before}) }}")
        old = f"({target}{place} at (current - 1))" if epoch else f"{target}{place}"
        lines += [f"    {target}{place} = {old} * 0.5 + sum", f"}} for {', '.join(names)} in {target}"]
        return f"{self.stage([target, other], lines)}({', '.join(dict.fromkeys((target, other)))})"
