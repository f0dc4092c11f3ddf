"""Stages whose loops depend on each other: products of three indices, updates within one array, triangles, loops in another
order, reductions over part of a part, and Integers that stay small. They are what lower/nest, lower/apart, lower/interval
and lower/narrow decide about.

bounds() writes restrictions that narrow a loop; a maker returns the lines of one step of a stage body, or None.
"""
from .expressions import Term
from .shapes import REAL_LIMIT

REALS = ("double", "single")


class Nests:
    # ---- Bounds ------------------------------------------------------------------------------------------------

    def limit(self, scope, lines, pad):
        """The name of an Integer local that a loop's bound may be."""
        name, array = self.fresh("last"), self.pick(self.arrays)
        own = f"{scope.name(array)}{'' if self.free else '.local'}.dimension{self.rng.randint(1, array.rank)}.range"
        lines.append(f"{pad}{name} = {self.pick((f'{own}.min', f'{own}.max', f'{own}.length', str(self.rng.randint(-1, 5))))} {self.pick('+-')} {self.rng.randint(0, 3)}")
        if self.chance(0.4):
            lines.append(f"{pad}if ({name} > {self.rng.randint(0, 9)}) {{ {name} = {name} {self.pick(('/ 2', '- 1', '% 5'))} }}")
        return name

    def bounds(self, scope, array, dim, name, others, limits):
        own = f"{scope.name(array)}{'' if self.free else '.local'}.dimension{dim + 1}.range"
        text = ""
        while self.chance(0.5):
            than = self.pick(("<", "<=", ">", ">="))
            shift = self.pick(("", "", f" + {self.rng.randint(1, 3)}", f" - {self.rng.randint(1, 3)}"))
            found = [f"{name} {than} {self.rng.randint(0, 9)}", f"{name} > {own}.min{shift}", f"{name} < {own}.max{shift}"]
            found += [f"{name} {than} {limit}{shift}" for limit in limits] * 2
            for other in others:
                found += [f"{name} {than} {other}{shift}", f"{name} {than} {other}", f"{other}{shift} {than} {name}", f"{name} != {other}",
                          f"{name} >= 2 * {other} - {self.rng.randint(0, 5)}"]
            if not self.free:
                found += [f"{name} {than} partition.{self.pick(sorted(self.args))}"] if self.args else []
                found += [f"{name} {than} lpuId[0]{shift}"] if scope.node.real().dims > 0 else []
            text += f" and {self.pick(found)}"
        return text

    def loops(self, scope, parts, limits):
        """for …: the parts (array, dimensions, names) in some order, each bound by those before it."""
        texts, before = [], []
        for array, dims, names in self.rng.sample(parts, len(parts)):
            whole = len(dims) == array.rank > 1
            if whole and self.chance(0.4):   # each dimension by itself
                for dim, name in self.rng.sample(list(zip(dims, names)), len(dims)):
                    texts.append(f"{name} in {scope.name(array)}.dimension{dim + 1}{self.bounds(scope, array, dim, name, before, limits)}")
                    before = before + [name]
                continue
            ends = "".join(self.bounds(scope, array, dim, name, before + list(names[:at]), limits) for at, (dim, name) in enumerate(zip(dims, names)))
            place = scope.name(array) if len(dims) == array.rank else f"{scope.name(array)}.dimension{dims[0] + 1}"
            texts.append(f"{', '.join(names)} in {place}{ends}")
            before = before + list(names)
        return "for " + "; ".join(texts)

    # ---- Products ------------------------------------------------------------------------------------------------

    def operand(self, scope, arrays, index):
        """An element that moves with the index, or None; one that is written is read in an older version."""
        own = dict(scope.indices)[index]
        for array in self.rng.sample(arrays, len(arrays)):
            moving = [d for d in range(array.rank) if own[:len(scope.node.signature(array, d))] == scope.node.signature(array, d)]
            if not moving or (array.name in scope.written and array.lag == 0):
                continue
            moved, where = self.pick(moving), []
            for d in range(array.rank):
                signature = scope.node.signature(array, d)
                fitting = [index] if d == moved else [n for n, other in scope.indices if other[:len(signature)] == signature]
                where.append(self.pick(fitting) if fitting else None)
            if None in where:
                continue
            text = scope.name(array) + "".join(f"[{i}]" for i in where)
            return f"({text} at (current - {self.rng.randint(1, array.lag)}))" if array.name in scope.written else text
        return None

    def factors(self, scope, target, readable, names, over, dim):
        """y[i][k] and z[k][j] for x[i][j]: what can be one register-tiled product."""
        node, (i, j, k) = scope.node, names
        row, column, depth = (node.signature(*of) for of in ((target, 0), (target, 1), (over, dim)))

        def fits(array, *signatures):
            return array is not target and array.rank == 2 and all(s[:len(node.signature(array, d))] == node.signature(array, d) for d, s in enumerate(signatures))

        left = [f"{scope.name(a)}[{i}][{k}]" for a in readable if fits(a, row, depth)] + [f"{scope.name(a)}[{k}][{i}]" for a in readable if fits(a, depth, row)]
        right = [f"{scope.name(a)}[{k}][{j}]" for a in readable if fits(a, depth, column)]
        return (self.pick(left), self.pick(right)) if left and right else (None, None)

    def product(self, scope, node, guards, pad):
        """x[i][j] = x[i][j] ± y[i][k] * z[k][j], with bounds between the loops."""
        targets = self.writable(node, guards, REALS)
        readable = [a for a in self.arrays if a.kind in REALS]
        if not targets or len(readable) < 2:
            return None
        target = self.pick(sorted(targets, key=lambda a: -a.rank)[:2])
        over = self.pick([a for a in readable if a is not target])
        dim, scope, k = self.rng.randrange(over.rank), scope.inner(), self.fresh("k")
        if self.free and not self.is_whole(node, over, [dim]):
            return None
        names = self.loop_over(scope, target, "i")
        scope.indices.append((k, node.signature(over, dim)))
        scope.written[target.name] = names
        first, second = self.factors(scope, target, readable, names + [k], over, dim) if target.rank == 2 else (None, None)
        tiled = first is not None
        if not tiled:
            first, second = self.operand(scope, readable, k), self.operand(scope, readable, self.pick(names + [k]))
        if first is None or second is None:
            return None
        place = scope.name(target) + "".join(f"[{i}]" for i in names)
        everywhere = f"for {', '.join(names)} in {scope.name(target)}"
        lines, limits = [], []
        if self.chance(0.5):
            limits = [self.limit(scope, lines, pad)]
        loops = self.loops(scope, [(target, range(target.rank), names), (over, [dim], [k])], limits)
        value = self.pick((f"{first} * {second}", f"{first} * {second}", f"{second} * {first}", f"{first} * {second} * 0.5", first))
        body = f"{place} = {place} {self.pick('++-')} {value}"
        if self.chance(0.05 if tiled else 0.2):
            body = f"if ({self.pick(names)} {self.pick(('<', '>=', '!='))} {k}) {{ {body} }}"
        lines += [f"{pad}do {{ {place} = {self.pick(('0.0', '0.5'))} }} {everywhere}", f"{pad}do {{ {body} }} {loops}",
                  f"{pad}do {{ {place} = {place} * 0.0009765625 }} {everywhere}"]
        self.features.add("product")
        return lines

    def update(self, scope, node, guards, pad):
        """a[i][j] = a[i][j] - a[i][k] * a[k][j] beyond the row and the column k of the part: what bounds keep apart."""
        targets = [a for a in self.writable(node, guards, REALS) if a.rank == 2 and (not self.free or self.is_whole(node, a))]
        if not targets:
            return None
        target, lines = self.pick(targets), []
        name, up = scope.name(target), self.chance(0.5)
        ends = [f"{name}{'' if self.free else '.local'}.dimension{d}.range.{'min' if up else 'max'}" for d in (1, 2)]
        row, column, i, j = self.fresh("row"), self.fresh("column"), self.fresh("i"), self.fresh("j")
        lines += [f"{pad}{row} = {ends[0]}", f"{pad}{column} = {ends[1]}"]
        than = ">" if up else "<"
        filters = [f"{i} {than} {row}", f"{j} {than} {column}"]
        loops = f"for {i}, {j} in {name} and {' and '.join(self.rng.sample(filters, 2))}"
        if self.chance(0.3):
            loops = f"for {j} in {name}.dimension2 and {filters[1]}; {i} in {name}.dimension1 and {filters[0]}"
        place = f"{name}[{i}][{j}]"
        lines += [f"{pad}do {{ {place} = {place} {self.pick('-+')} {name}[{i}][{column}] * {name}[{row}][{j}] }} {loops}",
                  f"{pad}do {{ {place} = {place} * 0.0625 }} {loops}"]
        self.features.add("update")
        return lines

    def block_update(self, scope, node, guards, pad):
        """a[i][j] = a[i][j] - a[i][k] * a[k][j] for k before a block: a product within one array."""
        targets = [a for a in self.writable(node, guards, REALS) if a.rank == 2 and a.dims[0] == a.dims[1]
                   and (len(node.signature(a, 0)) == 1 or node.signature(a, 0) == node.signature(a, 1)) and len(node.signature(a, 1)) == 1]
        if not targets:
            return None
        target = self.pick(targets)
        name, first = scope.name(target), self.fresh("first")
        i, j, k = self.fresh("i"), self.fresh("j"), self.fresh("k")
        lines = [f"{pad}{first} = {name}.dimension1.range.min + {self.rng.randint(1, 4)}"]
        ends = self.pick((f"{k} < {first}", f"{k} <= {first} - 1", f"{k} < {first} and {k} >= {name}.dimension2.range.min + 1"))
        loops = [f"{i}, {j} in {name} and {i} >= {first} and {j} >= {first}", f"{k} in {name}.dimension{self.rng.randint(1, 2)} and {ends}"]
        place = f"{name}[{i}][{j}]"
        lines += [f"{pad}do {{ {place} = {place} {self.pick('--+')} {name}[{i}][{k}] * {name}[{k}][{j}] }} for {'; '.join(self.rng.sample(loops, 2))}",
                  f"{pad}do {{ {place} = {place} * 0.001953125 }} for {i}, {j} in {name} and {i} >= {first} and {j} >= {first}"]
        self.features.add("block update")
        return lines

    def partial_reduction(self, scope, node, guards, pad):
        """A reduction into a local over a triangle, a band or a corner; the result goes to a whole part."""
        arrays = [a for a in self.arrays if not self.free or self.is_whole(node, a)]
        targets = [a for a in self.writable(node, guards, REALS) if not self.free or self.is_whole(node, a)]
        if not arrays or not targets:
            return None
        over, target, lines = self.pick(arrays), self.pick(targets), []
        total, inner = self.fresh("total"), scope.inner()
        names = self.loop_over(inner, over, "r")
        limits = [self.limit(scope, lines, pad)] if self.chance(0.5) else []
        loops = self.loops(inner, [(over, range(over.rank), names)], limits)
        op = self.pick(("sum", "sum", "max", "min"))
        whole = self.chance(0.4)
        value = self.int_value(inner) if whole else self.real_value(inner)
        lines += [f"{pad}do {{ reduce({total}, \"{op}\", {value}{'' if whole else ' + 0.0'}) }} {loops}"]
        result, where = self.fresh("t"), [self.fresh("i") for _ in range(target.rank)]
        bounded = f"{total} % 101 * 0.0625" if whole else f"fmax(fmin({total} * 0.0009765625, 4.0), -4.0)"
        place = scope.name(target) + "".join(f"[{i}]" for i in where)
        lines += [f"{pad}{result} = {bounded}",
                  f"{pad}do {{ {place} = 0.5 * {result} + 0.0625 * {' + 0.0625 * '.join(where)} - 0.25 * {result} }} for {', '.join(where)} in {scope.name(target)}",
                  f"{pad}do {{ {place} = {place} * 0.0625 }} for {', '.join(where)} in {scope.name(target)}"]
        self.features.add("partial reduction")
        return lines

    # ---- Integers that stay small -------------------------------------------------------------------------------------

    def small_integers(self, scope, lines, pad):
        """Locals whose values are proven to be few: counters, remainders, masks, and what is made of them."""
        n, m = self.fresh("n"), self.fresh("m")
        size = self.pick((5, 100, 127, 128, 200, 255, 1000, 30000, 70000))
        lines.append(f"{pad}{n} = {self.pick((f'{self.int_value(scope)} % {size}', f'{self.int_value(scope)} & {size}', '0', f'{size} - {self.rng.randint(0, 3)}'))}")
        lines.append(f"{pad}{m} = {n} {self.pick(('* 2', '- 1', '+ 1', '* -1', '/ 3', '>> 2', '<< 1', '^ 5'))}")
        roll = self.rng.random()
        if roll < 0.35:
            rounds = self.fresh("d")
            change = f"{n} = {n} {self.pick(('+ 1', '- 1', '+ 3'))}"
            lines += [f"{pad}{rounds} = 0", f"{pad}do {{", f"{pad}    {rounds} = {rounds} + 1",
                      f"{pad}    {self.pick((change, f'if ({self.condition(scope, 0)}) {{ {change} }}'))}",
                      f"{pad}    {m} = ({m} + {n}) % {size}",
                      f"{pad}}} while {rounds} < {self.rng.randint(1, 6)} and {m} {self.pick(('<', '!=', '>'))} {self.pick((126, 127, 128, -129, 32767, 32768))}"]
            scope.ints.append(Term(rounds, 8, True))
        elif roll < 0.6:
            d = self.fresh("d")
            lines.append(f"{pad}do in sequence {{ {m} = {self.pick((f'{m} + {d}', f'({m} * 2 + {d}) % {size}', d))} }} for {d} in [{self.rng.randint(-130, 3)}...{self.rng.randint(0, 5)}]"
                         f"{self.pick((' step 29', ' step 40'))}")
        elif roll < 0.8:
            lines.append(f"{pad}if ({self.condition(scope, 0)}) {{ {n} = {self.pick((-1, 128, 255, 256, -129, 32768, 65536))} }} else {{ {m} = {n} {self.pick(('+ 200', '* 300', '- 40000'))} }}")
        t = self.fresh("t")
        lines.append(f"{pad}{t} = ({n} {self.pick(('+', '-', '*'))} {m}) % {self.rng.randint(3, 800)} * 0.0078125")
        flag = self.element(scope, "bool")
        if flag is not None:
            lines.append(f"{pad}if ({flag.text}) {{ {n} = {n} + 1 }}")
        scope.reals.append(Term(t, REAL_LIMIT, True))
        scope.ints += [Term(f"({n} % 1000)", 1000, True), Term(f"({m} % 1000)", 1000, True)]
        self.features.add("small integers")
