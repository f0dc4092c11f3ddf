"""Pieces of loops for focused.py: neighbours on rings, by remainders of sums with the indices, and butterflies, whose rounds come to elements that lie some way apart."""

DOUBLE, SINGLE = "Real double-precision", "Real single-precision"


class Rings:
    def ring_term(self, x, i, j, n, m):
        """An element of x some way from i, j on the ring."""
        row = self.pick((f"({i} + {self.rng.randint(0, n)}) % rows", f"({i} + rows - {self.rng.randint(0, n)}) % rows", f"(rows - 1 + {i}) % rows", f"abs(({i} - {self.rng.randint(0, 40)}) % rows)", i, i))
        column = self.pick((f"({j} + 1) % columns", f"({j} + columns - 1) % columns", f"({j} + {self.rng.randint(0, 60)}) % columns", f"(columns + {j} - {self.rng.randint(0, m)}) % columns",
                            f"abs(({j} - {self.rng.randint(0, 60)}) % columns)", f"({i} + {j}) % columns", f"({j} + {i} * 2) % columns", "left", "right"))
        return f"{x}[{row}][{column}]"

    def rings(self):
        """do { y[i][j] = x[(i + rows - 1) % rows][j] + x[i][(j + 1) % columns] … } for i, j in y, in locals, under conditions, and in short loops over the offset."""
        kind, n, m = self.pick((DOUBLE, DOUBLE, SINGLE)), self.rng.randint(1, 9), self.rng.randint(1, 60)
        x, y = self.ranged("x", [(0, n - 1), (0, m - 1)], kind), self.ranged("y", [(0, n - 1), (0, m - 1)], kind)
        i, j, p, q = (self.fresh(letter) for letter in "ijpq")
        term = lambda: self.ring_term(x, i, j, n, m)
        body = [f"left = ({j} + columns - 1) % columns", f"right = ({j} + {self.rng.randint(0, 5)}) % columns", f"t = {term()}"]
        for _ in range(self.rng.randint(0, 3)):
            body += [self.pick((f"t = t * 0.5 + {term()}", f"if (t > 0.25) {{ t = {term()} }}", f"t = max(t, {term()}) - {term()} * 0.25", f"if (columns > 4 and ({j} + 2) % columns < 3) {{ t = t - 0.5 }}",
                                f"t = t + ({j} + 7) % rows * 0.125", f"t = t + ({i} + 9) / columns * 0.25"))]
        if self.chance(0.5):
            r = min(self.rng.randint(1, 2), n, m)
            at = f"{x}[({i} + {p} + rows) % rows][({j} + {q} + columns) % columns]"
            inner = self.pick((f"t = t + {at} * 0.125", f"if ({p} != 0 or {q} != 0) {{ t = t + {at} * 0.125 }}", f"if ({p} * {q} == 0) {{ t = t - {at} * 0.25 }} else {{ t = t * 0.5 }}", f"near = {at}  t = t + near * ({p} - {q}) * 0.125",
                               f"if ({at} > t) {{ t = t + 0.25 }}"))
            step = self.pick(("", "", "", " step -1"))
            body += [f"do in sequence {{ do in sequence {{ {inner} }} for {q} in [{-r}...{self.pick((r, 0))}] }} for {p} in [{-r}...{r}]{step}"]
        spoiled = self.chance(0.15)
        if spoiled:
            body += [self.pick((f"t = t + {x}[{i}][(2 * {j} + 1) % columns]", f"columns = columns + 0", f"t = t + {y}[{i}][({j} + 1) % columns] * 0.125"))]
        lines = [f"rows = {x}.dimension1.length", f"columns = {x}.dimension2.length", "do {"] + ["    " + line for line in body] + [f"    {y}[{i}][{j}] = {y}[{i}][{j}] * 0.5 + t * 0.25", f"}} for {i}, {j} in {y}"]
        whole = spoiled or self.chance(0.3)   # its rows may wrap into another LPU's
        stage = self.stage([y, x], lines)
        space = self.whole([y, x]) if whole else self.space(1, [f"{y}<dim1>: {self.division(n)}", f"{x}: replicated"])
        begin = self.whole([y, x])
        self.starts.append(f"Space {begin} {{ " + " ".join(f"{self.start(array, 2, self.mixed(2))}({array})" for array in (y, x)) + " }")
        self.features.add("rings")
        return f"Space {space} {{ {stage}({y}, {x}) }}", [y]

    def butterflies(self):
        """do { a = y[i][q + c]  b = y[i][q + c + h]  y[i][q + c] = …  y[i][q + c + h] = … } for q in …, for gaps h from none to more than there are rounds; and transforms whose place is made
        of a quotient and a remainder."""
        kind, n, power = self.pick((DOUBLE, DOUBLE, SINGLE)), self.rng.randint(1, 5), self.rng.randint(1, 6)
        m = 1 << power
        y, z = self.ranged("y", [(0, n - 1), (0, m - 1)], kind), self.ranged("z", [(0, n - 1), (0, m - 1)], kind)
        i, q, h = self.fresh("i"), self.fresh("q"), self.fresh("h")
        at = lambda place: f"{y}[{i}][{place}]"
        if self.chance(0.4):
            base = f"base = {q} / h * 2 * h + {q} % h"
            lines = [f"do {{", "    h = 1", "    do {", f"        do {{ {base}", f"            a = {at('base')}  b = {at('base + h')}", f"            {at('base')} = a * 0.5 + b * 0.25",
                     f"            {at('base + h')} = a * 0.25 - b * 0.5", f"        }} for {q} in [0...{m // 2 - 1}]", "        h = 2 * h", f"    }} while h < {m}", f"}} for {i} in {y}.dimension1"]
        else:
            c, most = self.rng.randint(0, m // 4), self.rng.randint(0, m - 1)
            c = min(c, m - 1 - most)
            rounds = self.pick((f"{m - 1 - c} - {h}", f"min({self.rng.randint(0, m)}, {m - 1 - c} - {h})", f"min({h}, {m - 1 - c} - {h})"))
            first, second = at(f"{q} + {c}" if c else q), at(self.pick((f"{q} + {c} + {h}", f"{h} + {q} + {c}", f"{q} + ({h} + {c})")))
            body = self.pick(([f"a = {first}  b = {second}", f"{first} = a * 0.5 + b * 0.25", f"{second} = a * 0.25 - b * 0.5"], [f"{second} = {second} * 0.5 + {first} * 0.25"], [f"{first} = {second} * 0.5"],
                              [f"if ({first} > {second}) {{ {second} = {first} * 0.5 }}"], [f"{second} = {z}[{i}][{q}] - {first}  {z}[{i}][{q} + {h}] = {second} * 0.5"]))
            lines = ["do {", "    do in sequence {", "        do {"] + ["            " + line for line in body] + [f"        }} for {q} in [0...{rounds}]", f"    }} for {h} in [{self.pick((0, 1, 1))}...{most}]", f"}} for {i} in {y}.dimension1"]
        stage = self.stage([y, z], lines)
        space = self.space(1, [f"{y}<dim1>, {z}<dim1>: {self.division(n)}"]) if self.chance(0.6) else self.whole([y, z])
        begin = self.whole([y, z])
        self.starts.append(f"Space {begin} {{ " + " ".join(f"{self.start(array, 2, self.mixed(2))}({array})" for array in (y, z)) + " }")
        self.features.add("butterflies")
        return f"Space {space} {{ {stage}({y}, {z}) }}", [y, z]
