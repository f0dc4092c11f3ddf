"""Stages: loops over parts, accumulations, scans, slices, reductions.

Each maker returns the lines of one step of a stage body, or None if nothing fits.
"""
from .expressions import Scope, Term
from .shapes import EXTENTS, INTEGER_LIMIT, REAL_LIMIT


class Stages:
    def writable(self, node, guards, kinds=None):
        """Arrays that a stage in this LPS may write; an Epoch's LPS must list what is written in it."""
        listed = None if self.epoch_node in (None, self.root) else self.epoch_node.entries
        return [a for a in self.arrays if self.is_exclusive(node, a, guards) and (kinds is None or a.kind in kinds)
                and (listed is None or a.name in listed)]

    def loop_over(self, scope, array, stem):
        """Index names over the whole part of the array; entered into the scope."""
        names = [self.fresh(stem) for _ in range(array.rank)]
        for dim, name in enumerate(names):
            scope.indices.append((name, scope.node.signature(array, dim)))
        return names

    def restrictions(self, scope, array, names):
        text = ""
        while self.chance(0.25):
            dim = self.rng.randrange(array.rank)
            i, local = names[dim], f"{scope.name(array)}.local.dimension{dim + 1}.range"
            found = [f" and {i} >= {self.rng.randint(0, 3)}", f" and {i} <= {self.rng.randint(3, 12)}",
                     f" and {i} % {self.rng.randint(2, 3)} == {self.rng.randint(0, 1)}", f" and {i} != {self.rng.randint(0, 9)}"]
            if not self.free:
                found += [f" and {i} > {local}.min", f" and {i} < {local}.max", f" and {i} in {local}"]
            if dim > 0:
                found += [f" and {i} {self.pick(('<', '<=', '>', '>='))} {names[dim - 1]}"]
            text += self.pick(found)
        return text

    def loop_head(self, scope, array, names, ends):
        """for i, j in x; or the same with each dimension by itself."""
        if ends or array.rank == 1 or self.chance(0.8):
            return f"for {', '.join(names)} in {scope.name(array)}{ends}"
        return "for " + "; ".join(f"{i} in {scope.name(array)}.dimension{d + 1}" for d, i in enumerate(names))

    def assign(self, scope, array, where, lines, pad):
        place = scope.name(array) + "".join(f"[{i}]" for i in where)
        if array.kind == "cell":
            field = self.pick(("x", "x", "hits", "v", "on", "all"))
            if field == "all":
                lines.append(f"{pad}{place} = new Cell(x: {self.real_value(scope)}, hits: {self.int_value(scope)})")
            elif field == "v":
                d, value = self.fresh("d"), self.real_value(scope)
                lines.append(f"{pad}do in sequence {{ {place}.v[{d}] = 0.25 * {d} + {place}.v[2 - {d}] * 0.125 + 0.25 * {value} }} for {d} in [0...2]")
            else:
                value = {"x": self.real_value, "hits": self.int_value, "on": self.condition}[field](scope)
                lines.append(f"{pad}{place}.{field} = {value}")
        elif array.kind == "bool":
            lines.append(f"{pad}{place} = {self.condition(scope)}")
        elif array.kind != "int" and self.chance(0.15):
            lines.append(f"{pad}{place} = {place} + 0.25 * {self.real(scope, 0).text}")
            lines.append(f"{pad}{place} = {place} * 0.03125")
        else:
            lines.append(f"{pad}{place} = {self.value(scope, array.kind)}")

    def neighbours(self, scope, lines, pad):
        """t = a neighbouring element if it is in the part."""
        readable = [a for a in self.arrays if a.kind in ("double", "single") and (a.lag > 0 or (a.name not in scope.written and a.name not in scope.forbidden))]
        readable = [a for a in readable if not self.free or self.is_whole(scope.node, a)]
        if not readable or not scope.indices:
            return
        array = self.pick(readable)
        lag = self.rng.randint(1, array.lag) if array.lag > 0 else 0
        tests, where = [], []
        for dim in range(array.rank):
            index = self.pick(scope.indices)[0]
            shift = self.rng.randint(-2, 2)
            index = index if shift == 0 else f"{index} {'+' if shift > 0 else '-'} {abs(shift)}"
            tests.append(f"{index} in {scope.name(array)}.local.dimension{dim + 1}.range")
            where.append(index)
        name = self.fresh("t")
        text = scope.name(array) + "".join(f"[{i}]" for i in where)
        text = f"{text} at (current - {lag})" if lag > 0 else text
        lines.append(f"{pad}{name} = {self.pick(('0.0', '0.5', self.real_value(scope, 0)))}")
        lines.append(f"{pad}if ({' and '.join(tests)}) {{ {name} = {text} }}")
        scope.reals.append(Term(name, REAL_LIMIT, True))
        self.features.add("neighbours")

    def elementwise(self, scope, node, guards, pad):
        targets = self.writable(node, guards)
        if not targets:
            return None
        first = self.pick(targets)
        scope = scope.inner()
        names = self.loop_over(scope, first, "i")
        scope.written[first.name] = names
        signature = [node.signature(first, d) for d in range(first.rank)]
        others = [a for a in targets if a is not first and a.rank == first.rank
                  and [node.signature(a, d) for d in range(a.rank)] == signature]
        chosen = [first] + ([self.pick(others)] if others and self.chance(0.4) else [])
        for array in chosen:
            scope.written[array.name] = names
        ends = self.restrictions(scope, first, names)
        lines = [f"{pad}do {{"]
        inner = pad + "    "
        for _ in range(self.rng.randint(0, 2)):
            if self.chance(0.5):
                self.neighbours(scope, lines, inner)
            elif self.chance(0.3):
                self.local_loop(scope, lines, inner)
            elif self.chance(0.35):
                self.small_integers(scope, lines, inner)
            else:
                name = self.fresh("t")
                if self.chance(0.7):
                    lines.append(f"{inner}{name} = {self.real_value(scope)} + 0.0")
                    scope.reals.append(Term(name, REAL_LIMIT, True))
                else:
                    lines.append(f"{inner}{name} = {self.int_value(scope)}")
                    scope.ints.append(Term(name, INTEGER_LIMIT, True))
        for array in chosen:
            if self.chance(0.25):
                lines.append(f"{inner}if ({self.condition(scope)}) {{")
                self.assign(scope, array, names, lines, inner + "    ")
                if self.chance(0.5):
                    lines.append(f"{inner}}} else {{")
                    self.assign(scope, array, names, lines, inner + "    ")
                lines.append(f"{inner}}}")
            else:
                self.assign(scope, array, names, lines, inner)
        lines.append(f"{pad}}} {self.loop_head(scope, first, names, ends)}")
        return lines

    def local_loop(self, scope, lines, pad):
        """Locals that a sequential loop, a loop with a condition, or a function with & parameters changes."""
        t, d = self.fresh("t"), self.fresh("d")
        lines.append(f"{pad}{t} = {self.real_value(scope)} + 0.0")
        roll = self.rng.random()
        if roll < 0.3:
            last = self.rng.randint(-1, 4)
            lines.append(f"{pad}do in sequence {{ {t} = 0.5 * {t} + 0.25 * {d} }} for {d} in [0...{last}]{self.pick(('', ' step 2', ' step -1'))}")
        elif roll < 0.6:
            lines += [f"{pad}{d} = {self.rng.randint(0, 3)}", f"{pad}do {{", f"{pad}    {t} = 0.5 * {t} - {self.real(scope, 0).text} * 0.25",
                      f"{pad}    {d} = {d} - 1", f"{pad}}} while {d} > 0"]
        else:
            self.functions.add("order")
            other = self.fresh("t")
            lines += [f"{pad}{other} = {t} * 0.25", f"{pad}order({t}, {other})"]
            scope.reals.append(Term(other, REAL_LIMIT, True))
        scope.reals.append(Term(t, REAL_LIMIT + 2, True))
        self.features.add("local loop")

    def accumulation(self, scope, node, guards, pad):
        """x[i][j] += y[i][k] * z[k][j] over whatever fits, then scaled."""
        targets = [a for a in self.writable(node, guards, ("double", "single"))]
        readable = [a for a in self.arrays if a.kind in ("double", "single")]
        if not targets or len(readable) < 2:
            return None
        target = self.pick(targets)
        inner = self.pick([a for a in readable if a is not target])
        scope = scope.inner()
        names = self.loop_over(scope, target, "i")
        dim = self.rng.randrange(inner.rank)
        if self.free and not self.is_whole(node, inner, [dim]):
            return None
        k = self.fresh("k")
        scope.indices.append((k, node.signature(inner, dim)))
        scope.written[target.name] = names
        where = [None] * inner.rank
        for d in range(inner.rank):
            if d == dim:
                where[d] = k
                continue
            signature = node.signature(inner, d)
            fitting = [n for n, own in scope.indices if own[:len(signature)] == signature and n != k]
            if not fitting:
                return None
            where[d] = self.pick(fitting)
        place = scope.name(target) + "".join(f"[{i}]" for i in names)
        first = scope.name(inner) + "".join(f"[{i}]" for i in where)
        second = self.real(scope.without(target), 0).text
        op = self.pick(("+", "+", "-"))
        before = f"{pad}do {{ {place} = {self.pick(('0.0', '0.5'))} }} for {', '.join(names)} in {scope.name(target)}"
        loops = f"for {', '.join(names)} in {scope.name(target)}; {k} in {scope.name(inner)}.dimension{dim + 1}"
        lines = [f"{pad}do {{ {place} = {place} {op} {first} * {second} }} {loops}"]
        lines.insert(0, before)
        lines.append(f"{pad}do {{ {place} = {place} * 0.0009765625 }} for {', '.join(names)} in {scope.name(target)}")
        self.features.add("accumulation")
        return lines

    def scan(self, scope, node, guards, pad):
        targets = [a for a in self.writable(node, guards, ("double", "int")) if a.rank == 1 and (not self.free or self.is_whole(node, a))]
        if not targets:
            return None
        target = self.pick(targets)
        scope = scope.inner()
        i, total = self.fresh("i"), self.fresh("sum")
        scope.indices.append((i, node.signature(target, 0)))
        scope.written[target.name] = [i]
        value = self.value(scope, target.kind)
        step = self.pick(("", "", " step -1", " step 2"))
        zero, bound = ("0", f"{total} % 101") if target.kind == "int" else ("0.0", f"{0.03125 if self.extent[target.dims[0]] <= max(EXTENTS) else 0.0078125} * {total}")
        self.features.add("scan")
        return [f"{pad}{total} = {zero}", f"{pad}do in sequence {{", f"{pad}    {total} = {total} + {value}",
                f"{pad}    {scope.name(target)}[{i}] = {bound}",
                f"{pad}}} for {i} in {scope.name(target)}.local.dimension1.range{step}"]

    def slice(self, scope, node, guards, pad):
        """Rows and columns at once, where whole dimensions are held."""
        targets = [a for a in self.writable(node, guards, ("double", "single", "int"))
                   if all(len(node.signature(a, d)) == 1 for d in range(a.rank))]
        if not targets:
            return None
        target = self.pick(targets)
        sources = [a for a in self.arrays if a is not target and a.kind == target.kind and a.narrow == target.narrow
                   and all(len(node.signature(a, d)) == 1 for d in range(a.rank))]
        if not sources:
            return None
        source, dim = self.pick(sources), self.rng.randrange(target.rank)
        shared = [d for d in range(source.rank) if source.dims[d] == target.dims[dim]]
        if not shared:
            return None
        whole = self.pick(shared)
        left = "".join("[...]" if d == dim else f"[{self.lower[target.dims[d]]}]" for d in range(target.rank))
        right = "".join("[...]" if d == whole else f"[{self.lower[source.dims[d]]}]" for d in range(source.rank))
        self.features.add("slice")
        return [f"{pad}{scope.name(target)}{left} = {scope.name(source)}{right}"]

    def scalar_writes(self, scope, node, pad):
        own = [s for s in node.scalars if not s.constant and s.name not in scope.no_scalars]
        lines = []
        for _ in range(self.rng.randint(1, 2)):
            if not own:
                break
            scalar = self.pick(own)
            self.touched.add(scalar.name)
            lines.append(f"{pad}{scope.name(scalar)} = {self.value(scope, scalar.kind)}")
        return lines or None

    def reduction(self, scope, node, guards, pad):
        targets = [r for r in self.reductions
                   if node.is_within(r.home) and r.name not in self.reducing and r.name not in scope.scalars_read]
        arrays = list(self.arrays)
        if not targets or not arrays:
            return None
        over = self.pick(arrays)
        scope = scope.inner()
        names = self.loop_over(scope, over, "r")
        lines = [f"{pad}do {{"]
        if self.free and not self.is_exclusive(node, over, guards):  # LPUs would count elements twice
            targets = [target for target in targets if target.op not in ("sum", "product")]
        targets = [target for target in targets if target.op not in ("max_entry", "min_entry") or len(names) == 1]
        targets = self.rng.sample(targets, min(len(targets), self.rng.randint(1, 2)))
        for target in targets:
            self.reducing.add(target.name)
            self.touched.add(target.name)
            scope.no_scalars.add(target.name)
        for target in targets:
            value = {"sum": lambda: self.value(scope, target.kind), "max": lambda: self.value(scope, target.kind),
                     "min": lambda: self.value(scope, target.kind),
                     "product": lambda: f"1.0 + 0.001 * {self.real_value(scope)}" if target.kind != "int"
                     else f"1 - 2 * ({self.int_value(scope)} & 1)",
                     "max_entry": lambda: self.real_value(scope), "min_entry": lambda: self.real_value(scope),
                     "land": lambda: self.condition(scope), "lor": lambda: self.condition(scope),
                     "band": lambda: self.int_value(scope), "bor": lambda: self.int_value(scope)}[target.op]()
            lines.append(f"{pad}    reduce({scope.name(target)}, \"{target.op}\", {value})")
            scope.reduced.add(target.name)
        if len(lines) == 1:
            return None
        self.features.add("reduction")
        lines.append(f"{pad}}} for {', '.join(names)} in {scope.name(over)}{self.restrictions(scope, over, names)}")
        return lines

    def stage_call(self, node, guards):
        """A new stage and the text of its call, or None."""
        self.reducing = set()
        scope = Scope(self, node)
        scope.parameters_are = self.rng.choices(("same", "renamed", "none"), (5, 3, 2))[0]
        pad, lines = " " * 12, []
        for _ in range(self.rng.choices((1, 2, 3), (6, 3, 1))[0]):
            parts = [self.elementwise] * 6 + [self.accumulation, self.scan, self.slice] + [self.reduction] * 3
            parts += [self.product] * 2 + [self.update, self.block_update, self.partial_reduction]
            if self.chance(0.1):
                part = self.scalar_writes(scope, node, pad)
            else:
                part = self.pick(parts)(scope, node, guards, pad)
            if part is not None:
                lines += part
        if not lines:
            return None
        name = self.fresh("stage")
        self.stages[name] = ([f for f, _ in scope.parameters], lines)
        calls = []
        for _, what in scope.parameters:
            space = getattr(what, "space", None)
            reduced = what.name in scope.reduced and space is not None
            calls.append(f"Space {space}: {what.name}" if reduced else what.name)
        return f"{name}({', '.join(calls)})"
