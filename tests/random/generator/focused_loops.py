"""Pieces of loops for focused.py: products with two accumulated indices, Integers at the ends of what bytes hold, elements
handed on between iterations, subscripts that move by more than an index, and locals that conditions set."""


class Loops:
    # ---- Products ---------------------------------------------------------------------------------------------

    def products(self):
        """x[i][j] = x[i][j] ± y[…] * z[…] over one or two indices that x does not have, in several orders of the loops."""
        kind = self.pick(("Real double-precision", "Real double-precision", "Real single-precision"))
        n, m, p, r = (self.rng.randint(2, 9) for _ in range(4))
        large = self.chance(0.15)
        if large:
            n, m, p = (self.rng.randint(17, 40) for _ in range(3))
            r = 2
        two = self.chance(0.6)
        x = self.array("x", [n, m], kind)
        flat = two and self.chance(0.4)
        y, z = (self.array("y", [n, p], kind), self.array("z", [p, m], kind)) if not two or flat else (self.array("y", [n, p, r], kind), self.array("z", [p, r, m], kind))
        extra = self.array("w", [r], kind) if flat else None
        ranges = {a[0]: a[3] for a in self.arrays}
        # equal extents have equal bounds
        low = {e: self.pick((0, 0, -1, 2)) for e in "ijkl"}
        of = {x: "ij", y: "ik" if not two or flat else "ikl", z: "kj" if not two or flat else "klj", extra: "l"}
        sizes = dict(zip("ijkl", (n, m, p, r)))
        self.arrays = [(a, rank, t, [(low[e], low[e] + sizes[e] - 1) for e in of[a]]) if a in of else (a, rank, t, ranges[a]) for a, rank, t, _ in self.arrays]
        i, j, k, l = (self.fresh(c) for c in "ijkl")
        name = {"i": i, "j": j, "k": k, "l": l}
        at = {a: a + "".join(f"[{name[e]}]" for e in of[a]) for a in (x, y, z)}
        bounds = {e: "" for e in "ijkl"}
        if self.chance(0.4):
            e = self.pick("ijkl" if two else "ijk")
            bounds[e] = f" and {name[e]} {self.pick(('>', '<', '>=', '!='))} {low[e] + self.rng.randint(0, sizes[e])}"
        if self.chance(0.2):
            bounds["k"] += f" and {k} {self.pick(('>', '<='))} {i}"
        if self.chance(0.15):
            bounds["k"] += f" and ({k} + {j}) % 2 == 0"
        loop = {"i": f"{i} in {x}.dimension1{bounds['i']}", "j": f"{j} in {x}.dimension2{bounds['j']}", "k": f"{k} in {y}.dimension2{bounds['k']}",
                "l": (f"{l} in {extra}{bounds['l']}" if flat else f"{l} in {y}.dimension3{bounds['l']}")}
        order = [e for e in ("ijkl" if two else "ijk")]
        self.rng.shuffle(order)
        seen = set()   # a bound names only indices before it
        for e in list(order):
            if any(name[o] in bounds[e] for o in "ij" if o not in seen and o != e):
                order.remove(e)
                order.append(e)
            seen.add(e)
        factors = [at[y], at[z]]
        if flat and self.chance(0.3):
            factors[0] = f"{factors[0]} * {extra}[{l}]"
        if self.chance(0.3):
            factors.reverse()
        statement = f"{at[x]} = {at[x]} {self.pick('++-')} {' * '.join(factors)}"
        loops = [f"do {{ {statement} }} for {'; '.join(loop[e] for e in order)}"]
        form = self.pick(("one nest", "one nest", "nested", "local"))
        if form == "nested":   # one loop inside of another, or two; some in sequence
            for e in reversed(order):
                in_sequence = not bounds[e] and self.chance(0.4)
                head, domain = ("do in sequence {", loop[e] if "dimension" in loop[e] else f"{loop[e]}.dimension1") if in_sequence else ("do {", loop[e])
                statement = f"{head} {statement} }} for {domain}" + (".range" if in_sequence else "")
            loops = [statement]
        elif form == "local" and self.chance(0.9 if not two else 0.5) and not (order.index("k") < max(order.index("i"), order.index("j")) and bounds["i"] + bounds["j"]):
            inner = [e for e in order if e in "kl"]
            sums = f"t = t {self.pick('++-')} {' * '.join(factors)}"
            after = self.pick(("t", "t", "t * 0.5", f"t + {at[x]} * 0.5", "t - 0.25"))
            more = self.pick(("", "", f"  u = u + {factors[0]} * 0.5"))
            loops = [f"do {{ t = {self.pick(('0.0', '0.25', at[x]))}  {'u = 0.5  ' if more else ''}do {{ {sums}{more} }} for {'; '.join(loop[e] for e in inner)}  {at[x]} = {after}{' + u * 0.125' if more else ''} }} for {loop['i']}; {loop['j']}"]
        if form != "one nest":
            self.features.add("products by other loops")
        stage = self.stage([x, y, z] + ([extra] if flat else []), loops + [f"do {{ {at[x]} = {at[x]} * 0.0625 }} for {i}, {j} in {x}"])
        arrays = [a for a in (x, y, z, extra) if a]
        rows, columns = self.division(n), self.division(m)
        after = ["replicated"] * 2
        lines = [f"{x}: {rows}, {columns}"]
        if not two or flat:
            lines += [f"{y}: {rows}, replicated", f"{z}: replicated, {columns}"]
        else:
            lines += [f"{y}<dim1>: {rows}, replicated", f"{z}<dim3>: replicated, {columns}"]
        lines += [f"{extra}: {', '.join(after)}"] if flat else []
        space = self.space(2, lines) if self.chance(0.75) else self.whole(arrays)
        begin = self.whole(arrays)
        self.starts.append(f"Space {begin} {{ " + " ".join(f"{self.start(a, len(of[a]), self.mixed(len(of[a])))}({a})" for a in arrays) + " }")
        self.features.add("product")
        if two:
            self.features.add("two accumulated indices")
        if "stride" in rows or "stride" in columns:
            self.features.add("products of strided parts")
        if large:
            self.features.add("tiled product")
        call = f"Space {space} {{ {stage}({', '.join(arrays)}) }}"
        return (f"Repeat for {self.fresh('t')} in [1...2] {{ {call} }}" if self.chance(0.3) else call), [x]

    def mixed(self, rank):
        return "(" + " + ".join(f"{self.rng.randint(1, 7)} * {{{d}}}" for d in range(rank)) + f") % {self.rng.randint(5, 13)} * 0.25 - 1.0"

    def division(self, extent):
        roll = self.rng.random()
        if roll < 0.6:
            return self.blocks(extent)
        return f"stride({self.argument(1, 3)})" if roll < 0.8 else f"block_stride({self.argument(1, 3)}, {self.argument(1, 3)})"

    # ---- Integers at the ends of what bytes hold ------------------------------------------------------------------

    def widths(self):
        """Locals whose last round crosses 127, 32767 or 2147483647, beside elements of one, two, four or eight bytes."""
        n = self.rng.randint(5, 40)
        kind = self.pick(("Integer", "Integer single-precision", "Boolean", "Character", "Real single-precision", "Real double-precision"))
        out, data = self.array("w", [n], "Integer"), self.array("d", [n], "Integer")
        small = self.array("f", [n], kind)
        ranges = self.arrays[-3][3]
        self.arrays[-2], self.arrays[-1] = (data, 1, "Integer", ranges), (small, 1, kind, ranges)
        i, s, most = self.fresh("i"), self.fresh("s"), self.value(0, 9)
        edge = self.pick((127, 127, 128, 255, 32767, 32768, 65535, 2147483647, 2147483648, 4294967295))
        edge = self.pick((edge, edge, -edge - 1))
        up = 1 if edge >= 0 else -1
        step = self.pick((1, 1, 2, 3, 100))
        rounds = self.rng.randint(1, 40)
        start = edge - up * step * (rounds - self.pick((0, 0, 1, -1)))
        change = f"c = c {'+' if up > 0 else '-'} {step}"
        guarded = self.pick((change, change, f"if ({data}[{i}] > {self.rng.randint(0, 5)}) {{ {change} }}", f"if ({s} != {self.rng.randint(1, 5)}) {{ {change} }}"))
        body = [f"c = {start}"]
        roll = self.rng.random()
        if roll < 0.35:
            body.append(f"do in sequence {{ {guarded} }} for {s} in [1...{rounds}]{self.pick(('', '', ' step 1', ' step -1'))}")
        elif roll < 0.55:
            body += [f"{s} = 1", f"do {{ {guarded}", f"    {s} = {s} + 1 }} while {s} <= {rounds}"]
        elif roll < 0.7:
            body.append(f"do in sequence {{ {guarded} }} for {s} in [1...{most} * {max(1, rounds // 4)}]")
        elif roll < 0.85:
            body += [f"if ({data}[{i}] > 3) {{ c = {edge + up * self.pick((0, 1, -1))} }}", f"{s} = c * {self.pick((1, 2, -1))}", f"c = {s} {self.pick(('+', '-'))} {self.pick((1, 3, 200))}"]
        else:
            self.functions["grow"] = ["Function grow(&value, by) {", "    value = value + by", "    return value", "}", ""]
            body += [f"{s} = grow(c, {step})", f"if ({data}[{i}] > 3) {{ {s} = {s} + grow(c, {step * up}) }}"]
            if self.chance(0.9):   # operands from left to right
                call = f"grow(c, {step * up})"
                body.append(f"{s} = {self.pick((f'c - {call}', f'{call} - c', f'{call} - {call}', f'c % 7 + {call} % 5 - c % 3', f'max(c, {call}) - c'))}")
                body.append(f"c = c + {s} % {max(2, step)}")
                self.features.add("what a call changes beside it")
            self.features.add("places by reference")
        store = {"Boolean": f"{small}[{i}] = c > {edge}", "Character": f"if (c > {edge}) {{ {small}[{i}] = '+' }} else {{ {small}[{i}] = '-' }}",
                 "Integer": f"{small}[{i}] = c", "Integer single-precision": f"{small}[{i}] = c % 1000"}.get(kind, f"{small}[{i}] = c * 0.5")
        body += [f"{out}[{i}] = {self.pick(('c', f'c * {self.pick((2, 3, 70000))}', 'c % 1000', f'c - {data}[{i}]', 'c / 3'))}", store]
        stage = self.stage([out, data, small, most], ["do {"] + ["    " + line for line in body] + [f"}} for {i} in {out}"])
        space = self.space(1, [f"{out}, {data}, {small}: {self.division(n)}"])
        self.starts.append(f"Space {space} {{ {self.start(data, 1, '(({0} * 7) % 11 + 11) % 11')}({data}) }}")
        self.features.update(("widths", "locals under conditions") if "if" in "".join(body) else ("widths",))
        if abs(edge) > 60000:
            self.features.add("past 32 bits" if abs(edge) > 2000000000 else "past 16 bits")
        if kind in ("Boolean", "Character"):
            self.features.add("int8 beside bytes")
        return f"Space {space} {{ {stage}({out}, {data}, {small}, {most}) }}", [out, small]

    # ---- Random numbers ------------------------------------------------------------------------------------------------

    def mixing(self, name, other, bits):
        """A statement that leaves numbers of so many bits in `name`, if both have no more."""
        mask, factor = (1 << bits) - 1, self.pick((3, 69069, 1664525) + ((0x7FFFFFFF, 0x692B68C9) if bits < 33 else ()))
        short, ends = f"({name} & {mask})", (f"& {mask}", f"% {mask + 1}")
        return f"{name} = " + self.pick((f"({name} * {factor} + {self.pick((1, 12345, 1013904223))}) {self.pick(ends)}", f"(({name} * {factor}) >> 31) & {mask}",
                                         f"{name} ^ {other}", f"({name} ^ ({other} << 5)) & {mask}", f"{short} ^ ({name} >> 7)", f"{name} >> {self.pick((0, 1, 16))}",
                                         f"({name} + {other}) & {mask}", f"min({name}, {other})", f"max({name}, {self.pick((0, mask))})"))

    def draws(self):
        """Numbers that masks and remainders keep to 31, 32 or 33 bits, in locals and in parameters with &, beside others of other widths."""
        n, bits = self.rng.randint(5, 40), self.pick((31, 32, 32, 32, 33))
        kind = self.pick(("Integer", "Real double-precision", "Real single-precision"))
        out, seeds = self.array("w", [n], "Integer"), self.array("d", [n], "Integer")
        drawn = self.array("f", [n], kind)
        ranges = self.arrays[-3][3]
        self.arrays[-2], self.arrays[-1] = (seeds, 1, "Integer", ranges), (drawn, 1, kind, ranges)
        i, s, mask = self.fresh("i"), self.fresh("s"), (1 << bits) - 1
        first = self.pick((f"x = x & {mask}", f"x = x & {mask}", f"x = (x & {mask}) >> 1", f"if (x < 0) {{ x = 0 }}"))
        inside = [first, f"y = y & {mask}"]
        inside += [self.mixing("x", "y", bits), f"do in sequence {{ {self.mixing('x', 'y', bits)}  {self.mixing('y', 'x', bits)} }} for turn in [1...{self.rng.randint(1, 6)}]"]
        if self.chance(0.4):
            inside.append(f"if (x {self.pick(('>', '<', '>=', '=='))} {self.pick((0, 5, mask, mask >> 1))}) {{ {self.mixing('x', 'y', bits)} }}")
        if self.chance(0.2):
            inside.append(f"x = x + {self.pick((1, -1, mask))}")
        self.functions["draw"] = ["Function draw(&x, &y) {"] + ["    " + line for line in inside] + ["}", ""]
        body = [f"a = {seeds}[{i}] * 123456789", f"b = {i} - 7", f"c = ({seeds}[{i}] * 69069) & {mask}", "draw(a, b)"]
        body += [f"do in sequence {{ {self.mixing('c', 'c', bits)} }} for {s} in [1...{self.rng.randint(1, 9)}]"]
        if self.chance(0.5):
            body.append(f"if (c > {self.pick((7, mask >> 1, mask))}) {{ {self.mixing('c', 'c', bits)} }}")
        if self.chance(0.3):
            body.append("draw(b, a)")
        body += [f"{out}[{i}] = {self.pick(('a ^ c', 'a - b', 'c * 3 - a', 'a % 1000 + c', '(a & 65535) * c'))}",
                 f"{drawn}[{i}] = {'(a + b) % 1000003' if kind == 'Integer' else '(c + 0.5) / 4294967296.0'}"]
        stage = self.stage([out, seeds, drawn], ["do {"] + ["    " + line for line in body] + [f"}} for {i} in {out}"])
        space = self.space(1, [f"{out}, {seeds}, {drawn}: {self.division(n)}"])
        self.starts.append(f"Space {space} {{ {self.start(seeds, 1, '(({0} * 7) % 11 + 11) % 11')}({seeds}) }}")
        self.features.add("random numbers")
        return f"Space {space} {{ {stage}({out}, {seeds}, {drawn}) }}", [out, drawn]

    # ---- Elements handed on ----------------------------------------------------------------------------------------------

    def carried(self):
        """ends[i - 1] and ends[i] around an inner loop, where the array is read alone, or written in this stage or version."""
        n = self.rng.randint(4, 25)
        ends, out, x = self.array("e", [n], "Integer"), self.array("w", [n], "Integer"), self.array("x", [40])
        ranges = self.arrays[-3][3]
        self.arrays[-2] = (out, 1, "Integer", ranges)
        (low, high), first = ranges[0], self.arrays[-1][3][0][0]
        i, j, start = self.fresh("i"), self.fresh("j"), self.value(0, 5)
        written = self.chance(0.4)
        at = lambda index: f"({ends}[{index}] at (current - 1))" if written else f"{ends}[{index}]"
        bound = self.pick((f"{low}", f"{low + 2}", f"{start}", "least", f"{start} + 1"))
        guard = f"{i} {self.pick(('>', '>='))} {bound}"
        body = ["from = 0", f"if ({guard} and {i} > {low}) {{ from = {at(f'{i} - 1')} }}", f"to = {at(i)}"]
        if bound != "least" and self.chance(0.6):
            body[1] = f"if ({i} > {max(low, self.pick((low, low + 1, low + 3)))}) {{ from = {at(f'{i} - 1')} }}{self.pick(('', f' else {{ from = {start} }}'))}"
        if self.chance(0.3):
            body.append(f"if ({i} > {low + 1}) {{ to = to + {at(f'{i} - 1')} % 3 }}")
        body += ["total = 0", f"do {{ total = total + {j} }} for {j} in [from...to + {self.rng.randint(0, 2)}]"]
        if self.chance(0.4):
            body[-1] = f"do {{ total = total + {j} * {at(f'{i} - 1')} }} for {j} in [from...to]" if self.chance(0.5) and body[1].startswith(f"if ({i} >") else body[-1]
        body += [f"{out}[{i}] = total"]
        if written:
            body += [f"{ends}[{i}] = ({at(i)} + total) % 9"]
        # reads at i - 1 stay in the part: padding in front, and the part's first index is left out
        guards = f" and {i} > {ends}.local.dimension1.range.min"
        lines = [f"least = {start} % {max(1, n)} + {low}", "do {"] + ["    " + line for line in body] + [f"}} for {i} in {out}{guards if written or self.chance(0.5) or 'least' in body[1] else ' and ' + i + ' > ' + str(low)}"]
        if not any("least" in line for line in lines[1:]):
            lines = lines[1:]
        stage = self.stage([out, ends, start], lines)
        padding = " padding(1, 0)"
        division = self.blocks(n)
        space = self.space(1, [f"{ends}: {division}{padding}", f"{out}: {division}"])
        self.starts.append(f"Space {self.whole([ends, x])} {{ {self.start(ends, 1, '(({0} * 5) % 9 + 9) % 9')}({ends}) }}")
        self.features.add("handed on")
        call = f"Space {space} {{ {stage}({out}, {ends}, {start}) }}"
        if written:
            self.features.add("handed on beside writes")
            call = f"Repeat for {self.fresh('t')} in [1...3] {{ Epoch {{ {call} }} }}"
        del first, high, x
        return call, [out, ends]

    # ---- Subscripts that move by more than an index -----------------------------------------------------------------------

    def moved(self):
        """w[i + t] where t is a local, an element, or the index of a loop inside: iterations come to elements that others write."""
        n, reach = self.rng.randint(6, 60), self.rng.randint(1, 6)
        kind = self.pick(("Real double-precision", "Real double-precision", "Real single-precision", "Integer"))
        w, p = self.array("w", [n + reach], kind), self.array("p", [n], "Integer")
        low = self.arrays[-2][3][0][0]
        self.arrays[-1] = (p, 1, "Integer", [(low, low + n - 1)])
        i, k, s = self.fresh("i"), self.fresh("k"), self.fresh("s")
        to = lambda place, other="": f"{w}[{place}] = {w}[{place}]{other} * {3 if kind == 'Integer' else 0.5} + {i if kind == 'Integer' else 1.25}"
        bodies = [[f"t = {p}[{i}]", to(f"{i} + t")],
                  [f"t = {reach} - {p}[{i}]", to(f"{i} + t")],
                  [f"t = {p}[{i}]", to(f"{i} + {reach} - t")],
                  ["t = 0", f"if ({p}[{i}] > {reach // 2}) {{ t = {p}[{i}] }}", to(f"{i} + t")],
                  ["t = 1", to(f"{i} + t"), "t = 0", to(f"{i} + t")],
                  [f"t = {p}[{i}]", f"{w}[{i} + t] = {w}[{i}] + {i}"],
                  [f"t = {p}[{i}]", f"{w}[{i}] = {w}[{i} + t] + {i}"],
                  [f"{p}[{low}] = ({p}[{low}] + 1) % {reach + 1}", to(f"{i} + {p}[{low}]")],
                  [to(f"{i} + {p}[{low}]"), f"{p}[{i}] = {reach} - {p}[{i}]"],
                  [f"do {{ {to(f'{i} + {k}')} }} for {k} in [0...{reach}]"],
                  [f"do in sequence {{ {to(f'{i} + {s}')} }} for {s} in [0...{reach}]"],
                  [f"t = {p}[{i}]", f"do {{ {to(f'{i} + t')} }} for {k} in [0...2]"]]
        guard = self.pick(("", "", f" and {i} > {low}", f" and {p}[{i}] != 1"))
        stages = [self.stage([w, p], ["do {"] + ["    " + line for line in body] + [f"}} for {i} in {p}{guard}"]) for body in self.rng.sample(bodies, self.rng.randint(1, 3))]
        space = self.whole([w, p])
        self.starts.append(f"Space {space} {{ {self.start(w, 1, '({0} * 3) % 7' + ('' if kind == 'Integer' else ' * 0.5'))}({w}) "
                           f"{self.start(p, 1, f'(({{0}} * {self.rng.randint(1, 9)}) % {reach + 1} + {reach + 1}) % {reach + 1}')}({p}) }}")
        self.features.add("moved by more than an index")
        return f"Space {space} {{ {' '.join(f'{stage}({w}, {p})' for stage in stages)} }}", [w]

    # ---- Locals that conditions set --------------------------------------------------------------------------------------

    def conditions(self):
        """Bounds, subscripts and starts that ifs, loops and functions with & have set; filters that leave a loop empty."""
        n = self.rng.randint(4, 15)
        a, b = self.array("a", [n]), self.array("b", [n])
        self.arrays[-1] = (b, 1, "Real double-precision", self.arrays[-2][3])
        (low, high), = self.arrays[-1][3]
        i, j, limit = self.fresh("i"), self.fresh("j"), self.value(0, 9)
        choose = [f"first = {low}", f"last = {high}", f"if ({limit} > {self.rng.randint(0, 9)}) {{ first = {low + 1} }} else {{ last = {high - 1} }}"]
        if self.chance(0.5):
            choose.append(f"do in sequence {{ if (s > {limit}) {{ last = last - 1 }} }} for s in [0...3]")
        if self.chance(0.4):
            self.functions["clip"] = ["Function clip(&value, most) {", "    if (value > most) { value = most }", "}", ""]
            choose.append(f"clip(first, {low + 2})")
        loops = [f"do {{ {a}[{i}] = {a}[{i}] + {b}[{j}] * 0.125 }} for {i} in {a}; {j} in {b} and {i} >= first and {j} <= last",
                 f"do {{ {a}[{i}] = {a}[{i}] + {b}[{j}] * 0.125 }} for {i} in {a}; {j} in {b} and ({i} + {j}) % 5 == {limit} % 3 and {i} <= last",
                 f"do {{ {a}[{i}] = {a}[{i}] - {b}[first] * {b}[last] }} for {i} in {a} and {i} >= first and {i} <= last",
                 f"do {{ k = {i}\n                if ({b}[{i}] > 1.0) {{ k = first }}\n                {a}[{i}] = {b}[k] * 0.5 + {a}[{i}] * 0.25 }} for {i} in {a}",
                 f"do in sequence {{ if ({i} > first) {{ {a}[{i}] = {a}[{i} - 1] * 0.5 + {b}[{i}] }} }} for {i} in [first...last]",
                 f"do {{ if ({i} == last) {{ {a}[{i}] = {b}[first] }} else {{ if ({i} > first) {{ {a}[{i}] = {b}[{i}] * 0.5 }} }} }} for {i} in {a}"]
        stage = self.stage([a, b, limit], choose + self.rng.sample(loops, self.rng.randint(1, 3)) + [f"do {{ {a}[{i}] = {a}[{i}] * 0.25 }} for {i} in {a}"])
        space = self.whole([a, b])
        self.starts.append(f"Space {space} {{ {self.start(a, 1, '{0} * 0.5')}({a}) {self.start(b, 1, '2.0 - {0} * 0.25')}({b}) }}")
        self.features.update(("locals under conditions", "bounds under conditions"))
        return f"Space {space} {{ {stage}({a}, {b}, {limit}) }}", [a]
