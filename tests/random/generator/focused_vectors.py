"""Pieces of loops for focused.py that compilers put into vectors: windows that slide over an array, loops in which one iteration
writes what the others read, and user functions that stand in the place of their calls."""

DOUBLE, SINGLE = "Real double-precision", "Real single-precision"


class Vectors:
    def ranged(self, stem, ranges, kind):
        """An array with these ranges."""
        name = self.array(stem, [high - low + 1 for low, high in ranges], kind)
        self.arrays[-1] = (name, len(ranges), kind, ranges)
        return name

    # ---- Windows --------------------------------------------------------------------------------------------

    def windows(self):
        """y[i][j] = y[i][j] + w[p][q] * x[i + p][j + q], of one to three dimensions, in several orders, with and without bounds."""
        kind, rank = self.pick((DOUBLE, DOUBLE, SINGLE)), self.rng.choices((1, 2, 3), (3, 6, 1))[0]
        sizes = [self.rng.randint(1, {1: 70, 2: 21, 3: 7}[rank]) for _ in range(rank)]
        widths = [self.rng.randint(1, 4 if rank < 3 else 2) for _ in range(rank)]
        lows, fronts = [self.pick((0, 0, 3)) for _ in sizes], [self.pick((0, 0, -1)) for _ in sizes]
        y = self.ranged("y", [(low, low + n - 1) for low, n in zip(lows, sizes)], kind)
        w = self.ranged("w", [(front, front + width - 1) for front, width in zip(fronts, widths)], kind)
        back = self.chance(0.2)   # i - p instead of i + p
        reach = [(low - front - width + 1, low + n - 1 - front) if back else (low + front, low + n - 1 + front + width - 1)
                 for low, n, front, width in zip(lows, sizes, fronts, widths)]
        x = self.ranged("x", reach, kind)
        rows, columns = ([self.fresh(letter) for _ in sizes] for letter in "ip")
        at = lambda name, indices: name + "".join(f"[{index}]" for index in indices)
        element = at(x, [f"{i} {'-' if back else '+'} {p}" if self.chance(0.8) or back else f"{p} + {i}" for i, p in zip(rows, columns)])
        value = self.pick((f"{at(w, columns)} * {element}", f"{element} * {at(w, columns)}", f"{at(w, columns)} * {element} * 0.5", element,
                           f"{at(w, columns)} * ({element} - 0.25)", f"({element} - {at(y, rows)} * 0.0) * {at(w, columns)}"))
        statement = f"{at(y, rows)} = {at(y, rows)} {self.pick('++-')} {value}"
        loops = [f"{', '.join(rows)} in {y}", f"{', '.join(columns)} in {w}"]
        if self.chance(0.2):
            loops[0] += f" and {rows[-1]} {self.pick(('>', '<=', '!='))} {lows[-1] + self.rng.randint(0, sizes[-1])}"
        if self.chance(0.15):
            loops[1] += f" and {columns[0]} {self.pick(('>', '!=', '<='))} {self.pick((fronts[0], rows[0]))}"   # a triangle, or a filter
        elif self.chance(0.3):
            loops.reverse()
        stage = self.stage([y, w, x], [f"do {{ {at(y, rows)} = {self.pick(('0.0', '0.5'))} }} for {', '.join(rows)} in {y}",
                                       f"do {{ {statement} }} for {'; '.join(loops)}", f"do {{ {at(y, rows)} = {at(y, rows)} * 0.125 }} for {', '.join(rows)} in {y}"])
        whole = ", ".join(["replicated"] * rank)
        space = self.space(rank, [f"{y}: {', '.join(self.blocks(n) for n in sizes)}", f"{w}, {x}: {whole}"]) if self.chance(0.7) else self.whole([y, w, x])
        begin = self.whole([w, x])
        self.starts.append(f"Space {begin} {{ " + " ".join(f"{self.start(a, rank, self.mixed(rank))}({a})" for a in (w, x)) + " }")
        self.features.add("windows")
        return f"Space {space} {{ {stage}({y}, {w}, {x}) }}", [y]

    # ---- Loops that are cut ---------------------------------------------------------------------------------

    def cuts(self):
        """d[i][j] = min(d[i][j], d[i][k] + d[k][j]): what the iterations of i = k and j = k write, the others read."""
        kind, rank = self.pick((DOUBLE, SINGLE, DOUBLE)), self.rng.choices((1, 2), (1, 2))[0]
        n = self.rng.randint(1, 40 if rank == 1 else 14)
        low = self.pick((0, 0, -2, 3))
        d, i, j, k = self.ranged("d", [(low, low + n - 1)] * rank, kind), self.fresh("i"), self.fresh("j"), self.fresh("k")
        here = f"{d}[{i}]" if rank == 1 else f"{d}[{i}][{j}]"
        row, column = (f"{d}[{k}]", f"{d}[{k}]") if rank == 1 else (f"{d}[{i}][{k}]", f"{d}[{k}][{j}]")
        divided = rank == 1 and self.chance(0.5)
        ends = f"{d}{'.local' if divided else ''}.dimension1.range"
        first = self.pick((f"{ends}.min", f"{ends}.max") if divided else (f"{ends}.min", f"{ends}.max", str(low + self.rng.randrange(n)), f"({ends}.min + {ends}.max) / 2"))
        body = self.pick(([f"{here} = min({here}, {row} + {column})"], [f"{here} = max({here}, 0.5 * {row} - {column})"],
                          [f"{here} = {here} * 0.5 + {row} * 0.25 - {column} * 0.125"],
                          [f"way = {row} + {column} * 0.5", f"if (way < {here}) {{ {here} = way }}"],
                          [f"way = {row} - 0.25", f"{here} = {self.pick((f'way * 0.5 + {here} * 0.25', f'{here} * 0.25 + {column} * 0.5'))}"]))
        loop = f"{i} in {d}" if rank == 1 else f"{i}, {j} in {d}"
        if self.chance(0.25):
            loop += f" and {self.pick((i, j) if rank == 2 else (i,))} {self.pick(('!=', '>', '<=', '>='))} {self.pick((k, str(low + self.rng.randrange(n))))}"
        stage = self.stage([d], [f"{k} = {first}", "do {"] + ["    " + line for line in body] + [f"}} for {loop}"])
        space = self.space(1, [f"{d}: {self.division(n)}"]) if divided else self.whole([d])
        self.starts.append(f"Space {self.whole([d])} {{ {self.start(d, rank, self.mixed(rank))}({d}) }}")
        self.features.add("cut loops")
        call = f"Space {space} {{ {stage}({d}) }}"
        return (f"Repeat for {self.fresh('t')} in [1...{self.rng.randint(2, 4)}] {{ {call} }}" if self.chance(0.4) else call), [d]

    # ---- Functions that stand in the place of their calls ---------------------------------------------------

    def called(self):
        """Calls in loops, of functions with several returns, that call others, with mathematical functions, and of long ones."""
        kind, n = self.pick((DOUBLE, DOUBLE, SINGLE)), self.rng.randint(1, 40)
        a, b = self.array("a", [n], kind), None
        ranges = self.arrays[-1][3]
        b = self.ranged("b", ranges, kind)
        counts = self.ranged("c", ranges, "Integer")
        i, bend, mix, step = self.fresh("i"), self.fresh("bend"), self.fresh("mix"), self.fresh("step")
        of = self.pick(("sqrt(abs(u) + 1.0)", "exp(u * 0.125)", "sin(u)", "cos(u) * u", "log(abs(u) + 1.0)", "atan(u)", "u * u"))
        self.functions[bend] = [f"Function {bend}(u, v) {{"] + self.pick((
            ["    if (u > v) { return u - v * 0.5 }", "    return v * 0.25 + u"],
            ["    if (u > v) { return v }", "    if (u < 0.0) { return u * 0.5 }", "    w = u * v", "    return w * 0.125 + u"],
            ["    w = u", "    if (v > 0.5) { w = w + v } else { if (u > 1.0) { w = v * 0.5 } }", "    return w * 0.5"])) + ["}", ""]
        self.functions[mix] = [f"Function {mix}(u, v) {{", f"    w = {of}"] + self.pick((
            [f"    return w * 0.25 + {bend}(v, w)"], [f"    if (w > v) {{ return {bend}(w, v) }}", f"    return {bend}(v, u) * 0.5"],
            [f"    w = w + {bend}(u, 0.5) - {bend}(0.25, v)", "    return w * 0.125"])) + ["}", ""]
        long = ["    w = u"] + [f"    w = w * 0.5 + (v - w * {0.25 * m}) * 0.125 + u * 0.0625 - v * 0.03125" for m in range(1, 10)] if self.chance(0.25) else []
        if long:   # too long to stand anywhere but in itself
            self.functions[mix] = [f"Function {mix}(u, v) {{", *long, f"    return {bend}(w, v)", "}", ""]
        self.functions[step] = [f"Function {step}(m, most) {{"] + self.pick((
            ["    if (m >= most) { return 0 }", "    return m + 1"], ["    k = m * 3", "    if (k % 2 == 0) { k = k / 2 }", "    return k % (most + 1)"])) + ["}", ""]
        lines = [f"do {{ {a}[{i}] = {mix}({a}[{i}], {b}[{i}]) * 0.5 }} for {i} in {a}",
                 f"do {{ {a}[{i}] = {bend}({b}[{i}], {mix}({a}[{i}], 0.5)) * 0.25 + {bend}({a}[{i}], {b}[{i}]) * 0.5 }} for {i} in {a}",
                 f"do {{ {counts}[{i}] = {step}({counts}[{i}], {self.rng.randint(1, 9)}) + {step}({i}, 5) % 3 }} for {i} in {counts}",
                 f"do {{ if ({bend}({a}[{i}], {b}[{i}]) > 0.25) {{ {a}[{i}] = {mix}({b}[{i}], 0.75) * 0.5 }} }} for {i} in {a}",
                 f"do {{ s = 0.0\n                do in sequence {{ s = {bend}(s, {b}[{i}]) * 0.5 }} for r in [1...{self.rng.randint(0, 4)}]\n                {a}[{i}] = s + {a}[{i}] * 0.5 }} for {i} in {a}"]
        stage = self.stage([a, b, counts], self.rng.sample(lines, self.rng.randint(2, 4)))
        space = self.space(1, [f"{a}, {b}, {counts}: {self.division(n)}"]) if self.chance(0.7) else self.whole([a, b, counts])
        begin = self.whole([a, b])
        self.starts.append(f"Space {begin} {{ {self.start(a, 1, self.mixed(1))}({a}) {self.start(b, 1, self.mixed(1))}({b}) }}")
        self.features.add("calls in loops" if long else "functions in place")
        return f"Space {space} {{ {stage}({a}, {b}, {counts}) }}", [a, counts]
