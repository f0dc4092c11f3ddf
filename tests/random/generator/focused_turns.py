"""Pieces of Spaces within Spaces for focused.py: stages of the outer one read what stages of the inner one write, and the other way round, in
one visit and in the next LPU's. Where both are above the processes their LPUs run one after the other, each at its leader."""


class Level:
    """A Space of the piece: what stages may do with each array there (own: write its part; read; None), how each is divided, and its LPS dimensions."""

    def __init__(self, name, dims, uses, ways, parent):
        self.name, self.dims, self.uses, self.ways, self.parent, self.children, self.cut = name, dims, uses, ways, parent, [], False
        self.indices = []   # arrays of indices that its stages may write (focused_deep.py)


class Turns:
    def turns(self):
        rank = self.shape[0] if self.shape else self.pick((1, 1, 2))
        extents = self.shape[1] if self.shape else [self.rng.randint(9 if self.padding else 4, 18 if rank == 1 else 10 if self.padding else 8) for _ in range(rank)]
        names = [self.array("u", extents) for _ in range(self.pick((2, 2, 3)))]
        count = len(names)
        for at in range(count):
            self.arrays[-1 - at] = self.arrays[-1 - at][:3] + (self.arrays[-count][3],)
        self.left, clock, rounds = self.rng.randint(4, 12), self.fresh("t"), self.value(1, 3)
        self.make_indices(names)
        roots = [self.level(names, rank, extents, None) for _ in range(self.pick((1, 2, 2, 3)))]
        for level in list(roots):
            while self.chance(0.75 if not level.children else 0.3):
                child = self.level(names, rank, extents, level)
                level.children.append(child)
                if self.chance(0.25):
                    child.children.append(self.level(names, rank, extents, child))
        first = self.pick((self.whole(names), next((level.name for level in roots if all(level.uses[name] == "own" for name in names)), None)))
        indices = ["{%d}" % d for d in range(rank)]
        begin = " ".join(f"{self.start(name, rank, ('0.25 * ' if n % 2 else '1.0 - 0.125 * ') + ' + 0.5 * '.join(indices))}({name})" for n, name in enumerate(names))
        self.starts.append(f"Space {first or self.whole(names)} {{ {begin} }}{self.start_indices()}")
        visits = [self.visit(self.pick(roots), clock, rank, 0, False) for _ in range(self.rng.randint(1, 3))]
        self.features.add("Spaces within Spaces in turn")
        return f"Repeat for {clock} in [1...{rounds}] {{ {' '.join(self.between(visits, clock))} }}", names

    def level(self, names, rank, extents, parent):
        dims = self.pick((1, rank))
        uses, ways = {}, {}
        divisions = [self.split(max(extents) if dims < rank else n, 2 if parent and self.careful() else 3) for n in extents[:dims]]
        for name in names:
            above = parent.uses[name] if parent else "own"
            kind = self.rng.choices(("own", "read", None), (7, 2, 1))[0]
            uses[name] = None if above is None else "read" if above == "read" and kind else kind
            if uses[name] is None:
                continue
            if kind == "read":
                ways[name] = ", ".join(["replicated"] * dims)
                continue
            divided = [self.otherwise(division) if self.chance(0.15) else division for division in divisions]
            divided = [self.padded(division) for division in divided]
            ways[name] = ", ".join(divided) if dims == rank else (f"<dim{self.rng.randint(1, rank)}>", divided[0])
        if not any(way != ", ".join(["replicated"] * dims) for way in ways.values()):
            return self.level(names, rank, extents, parent)
        lines = self.index_lines(parent, dims, divisions) + [f"{name}{''.join(way[:1])}: {way[1]}" if isinstance(way, tuple) else f"{name}: {way}" for name, way in ways.items()]
        sub = [f"Sub-partition <1d> <{self.pick(('ordered', 'unordered'))}> {{"]
        own = [name for name in names if uses[name] == "own"]
        cut = bool(own) and self.chance(0.12)
        if cut:
            sub += [f"    {name}<dim1>: block_size({self.argument(1, 3)})" if rank > 1 else f"    {name}: block_size({self.argument(1, 3)})" for name in own[:1]] + ["}"]
            lines += sub
        level = Level(self.space(dims, lines, parent.name if parent else None), dims, uses, ways, parent)
        level.cut = own[0] if cut else False
        level.indices = self.own_indices
        return level

    def split(self, extent, most):
        way = self.rng.choices(("block_count", "block_size", "stride", "block_stride"), (5, 0 if self.careful() else 3, 1, 1))[0]
        second = f", {self.argument(1, 3)}" if way == "block_stride" else ""   # without it there are as many parts as PPUs
        return f"{way}({self.argument(max(1, extent // 3), extent) if way == 'block_size' else self.argument(1, most)}{second})"

    def otherwise(self, division):
        """As many parts of other elements."""
        return division.replace("block_count", "stride") if division.startswith("block_count") else division.replace("stride", "block_count") if division.startswith("stride") else division

    # ---- What a visit does --------------------------------------------------------------------------------------------------

    def visit(self, level, clock, rank, depth, epoch):
        body = self.steps(level, clock, rank, depth + 1, epoch)
        whole = f"Space {level.name} {{ {body} }}"
        if not epoch and self.chance(0.08):
            whole = f"Epoch {{ Space {level.name} {{ {self.steps(level, clock, rank, depth, True)} }} }}"
        return whole

    def steps(self, level, clock, rank, depth, epoch):
        parts = []
        for _ in range(self.rng.randint(2, 3) if level.children else self.rng.randint(1, 2)):
            if self.left <= 0:
                break
            roll = self.rng.random()
            if roll < 0.45 and level.children:
                parts.append(self.visit(self.pick(level.children), clock, rank, depth + 1, epoch))
            elif roll < 0.52 and depth < 3:
                parts.append(f"Repeat for {self.fresh('r')} in [1...{self.rng.randint(1, 2)}] {{ {self.steps(level, clock, rank, depth + 1, epoch)} }}")
            elif roll < 0.59 and depth < 3:
                condition = self.pick((f"{clock} % 2 == {self.pick((0, 1))}", f"{clock} > 1", f"lpuId[0] % 2 == {self.pick((0, 1))}"))
                parts.append(f"{self.pick(('If', 'Where'))} {condition} {{ {self.steps(level, clock, rank, depth + 1, epoch)} }}")
            elif roll < 0.64 and depth < 4 and self.condition_on(level, rank):
                parts.append(f"{self.pick(('If', 'Where'))} {self.condition_on(level, rank)} {{ {self.steps(level, clock, rank, depth + 1, epoch)} }}")
            elif roll < 0.68 and not epoch:
                parts.append(f"Epoch {{ {self.steps(level, clock, rank, depth + 1, True)} }}")
            elif roll < 0.74 and level.cut:
                parts.append(f"Repeat foreach sub-partition {{ {self.call(level, rank, epoch, [level.cut])} }}")
            elif roll < 0.78 and not epoch:
                parts.append(self.summed(level))
            else:
                parts.append(self.call(level, rank, epoch))
        return " ".join(part for part in parts if part) or self.call(level, rank, epoch)

    def condition_on(self, level, rank):
        """An LPU's condition on an element of its part."""
        known = [name for name, use in level.uses.items() if use]
        name = self.pick(known)
        ends = "".join(f"[{name}.local.dimension{d + 1}.range.{self.pick(('min', 'max'))}]" for d in range(rank))
        return f"{name}{ends} > {self.pick(('0.5', '1.0', '0.0'))}" if level.dims > 0 else None

    def summed(self, level):
        """A sum over an outer Space's LPUs of what is here, and what gets it."""
        over, known = level.parent, [name for name, use in level.uses.items() if use == "own"]
        if not known:
            return None
        name, other = self.pick(known), self.pick(known)
        rank = next(array[1] for array in self.arrays if array[0] == name)
        total = self.scalar("e", "Real double-precision Reduction")
        names = [self.fresh("i") for _ in range(rank)]
        place = "".join(f"[{i}]" for i in names)
        add = self.stage([total, name], [f"do {{ reduce({total}, \"sum\", {name}{place}) }} for {', '.join(names)} in {name}"])
        put = self.stage([other, total], [f"do {{ {other}{place} = {other}{place} * 0.5 + {total} * 0.0625 }} for {', '.join(names)} in {other}"])
        return f"{add}(Space {over.name if over and self.chance(0.6) else 'Root'}: {total}, {name}) {put}({other}, {total})"

    def call(self, level, rank, epoch, among=None):
        """A stage: it gives its part new values from its own, from another array's where both are divided alike, or from all of what it may read."""
        self.left -= 1
        own = [name for name, use in level.uses.items() if use == "own" and (among is None or name in among)]
        if not own:
            copies = [name for name, way in level.ways.items() if way == ", ".join(["replicated"] * level.dims) and (level.parent is None or level.parent.uses[name] == "own")]
            if not copies or among is not None:
                return ""
            name = self.pick(copies)   # the first LPU gives all of them new values
            return f"Where {' and '.join(f'lpuId[{d}] == 0' for d in range(level.dims))} {{ {self.simple(name, rank, epoch)}({name}) }}"
        if among is None and not epoch and not self.padding and self.chance(0.25):
            return self.anew(level, own, rank)
        deeper = among is None and self.deeper(level, own, rank, epoch)
        if deeper:
            return deeper
        target = self.pick(own)
        others = [name for name, use in level.uses.items() if use and name != target]
        if not others or among is not None or self.chance(0.35):
            return f"{self.simple(target, rank, epoch)}({target})"
        other = self.pick(others)
        names, inner = [self.fresh("i") for _ in range(rank)], [self.fresh("m") for _ in range(rank)]
        place, where = "".join(f"[{i}]" for i in names), "".join(f"[{i}]" for i in inner)
        before = " at (current - 1)" if epoch else ""
        if self.alike(level, target, other) and self.chance(0.6):
            lines = [f"do {{ {target}{place} = ({target}{place}{before}) * 0.5 + {other}{place} * 0.375 }} for {', '.join(names)} in {target}"]
        else:
            sum_ = self.fresh("sum")
            lines = [f"do {{ reduce({sum_}, \"sum\", 0.03125 * {other}{where}) }} for {', '.join(inner)} in {other}",
                     f"do {{ {target}{place} = ({target}{place}{before}) * 0.5 + {sum_} }} for {', '.join(names)} in {target}"]
        return f"{self.stage([target, other], lines)}({target}, {other})"

    def anew(self, level, own, rank):
        """A stage that gives an element of its part new values whatever they were, or nearly so, by one loop or another, and may read it behind that."""
        target = self.pick(own)
        alike = [name for name, use in level.uses.items() if use and name != target and self.alike(level, target, name)]
        other = self.pick(alike) if alike else None
        names = [self.fresh("i") for _ in range(rank)]
        place = "".join(f"[{i}]" for i in names)
        dims = [self.pick([target] + alike) for _ in range(rank)]
        value = f"0.25 * {names[-1]} + 1.0" + (f" + 0.25 * {other}{place}" if other and self.chance(0.6) else "") + (f" + 0.5 * {target}{place}" if self.chance(0.1) else "")
        write = f"{target}{place} = {value}"
        if self.chance(0.15):
            write = f"if ({names[0]} % 3 != 1) {{ {write} }}"
        after = [f"do {{ {other}{place} = {other}{place} * 0.5 + {target}{place} * 0.375 }} for "] if other and level.uses[other] == "own" and self.chance(0.6) else []
        gaps = self.has_gaps(level, target)
        backward = self.pick(("", " step -1", "" if self.chance(0.7) else " step 2"))
        if rank == 1 or self.chance(0.3):   # one loop over all dimensions
            one = f"do in sequence {{ {write} }} for {names[0]} in {dims[0]}.local.dimension1.range{backward}" if rank == 1 and not gaps and self.chance(0.6) else \
                f"do {{ {write} }} for {', '.join(names)} in {dims[0]}"
            lines = [one] + [text + f"{', '.join(names)} in {other}" for text in after]
        else:
            first = self.pick((0, 1))       # the dimension of the loop around
            inner = f"do in sequence {{ {write} }} for {names[1 - first]} in {dims[1 - first]}.local.dimension{2 - first}.range{backward}" if not gaps and self.chance(0.7) else \
                f"do {{ {write} }} for {names[1 - first]} in {dims[1 - first]}.dimension{2 - first}"
            lines = ["do {", f"    {inner}"] + [f"    {text}{names[1 - first]} in {other}.dimension{2 - first}" for text in after] + [f"}} for {names[first]} in {dims[first]}.dimension{first + 1}"]
        given = list(dict.fromkeys([target] + ([other] if other else []) + dims))
        self.features.add("parts that are given new values")
        return f"{self.stage(given, lines)}({', '.join(given)})"

    def has_gaps(self, level, name):
        """Its parts need not be intervals."""
        while level is not None:
            if "stride" in str(level.ways[name]):
                return True
            level = level.parent
        return False

    def alike(self, level, name, other):
        """Both have the same elements here."""
        while level is not None:
            if level.ways[name] != level.ways[other]:
                return False
            level = level.parent
        return True

    def simple(self, name, rank, epoch):
        names = [self.fresh("i") for _ in range(rank)]
        place = "".join(f"[{i}]" for i in names)
        old = f"({name}{place} at (current - 1))" if epoch else f"{name}{place}"
        value = self.pick((f"{old} * 0.5 + 1.0", f"{old} * 0.75 - 0.25 * {names[0]}", f"2.0 + 0.25 * {names[-1]}" if not epoch else f"{old} * 0.25"))
        return self.stage([name], [f"do {{ {name}{place} = {value} }} for {', '.join(names)} in {name}"])
