"""Stages: loops over parts, accumulations, scans, slices, reductions.

Each maker returns the lines of one step of a stage body, or None if nothing fits.
"""
from .expressions import Scope, Term
from .shapes import INTEGER_LIMIT, REAL_LIMIT


class Stages:
    def writable(self, node, guards, kinds=None):
        return [a for a in self.arrays if self.is_exclusive(node, a, guards) and (kinds is None or a.kind in kinds)]

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
            text += self.pick((f" and {i} > {local}.min", f" and {i} < {local}.max", f" and {i} >= {self.rng.randint(0, 3)}",
                               f" and {i} <= {self.rng.randint(3, 12)}", f" and {i} % {self.rng.randint(2, 3)} == {self.rng.randint(0, 1)}"))
        return text

    def assign(self, scope, array, where, lines, pad):
        place = scope.name(array) + "".join(f"[{i}]" for i in where)
        if array.kind == "cell":
            if self.chance(0.7):
                lines.append(f"{pad}{place}.x = {self.real_value(scope)}")
            else:
                lines.append(f"{pad}{place}.hits = {self.int_value(scope)}")
        elif array.kind != "int" and self.chance(0.15):
            lines.append(f"{pad}{place} = {place} + 0.25 * {self.real(scope, 0).text}")
            lines.append(f"{pad}{place} = {place} * 0.03125")
        else:
            lines.append(f"{pad}{place} = {self.value(scope, array.kind)}")

    def neighbours(self, scope, lines, pad):
        """t = a neighbouring element if it is in the part."""
        readable = [a for a in self.arrays if a.kind in ("double", "single") and (a.lag > 0 or (a.name not in scope.written and a.name not in scope.forbidden))]
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
            if self.chance(0.6):
                self.neighbours(scope, lines, inner)
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
        lines.append(f"{pad}}} for {', '.join(names)} in {scope.name(first)}{ends}")
        return lines

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
        targets = [a for a in self.writable(node, guards, ("double", "int")) if a.rank == 1]
        if not targets:
            return None
        target = self.pick(targets)
        scope = scope.inner()
        i, total = self.fresh("i"), self.fresh("sum")
        scope.indices.append((i, node.signature(target, 0)))
        scope.written[target.name] = [i]
        value = self.value(scope, target.kind)
        step = self.pick(("", "", " step -1", " step 2"))
        zero, bound = ("0", f"{total} % 101") if target.kind == "int" else ("0.0", f"0.03125 * {total}")
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
        left = "".join("[...]" if d == dim else "[0]" for d in range(target.rank))
        right = "".join("[...]" if d == whole else "[0]" for d in range(source.rank))
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
