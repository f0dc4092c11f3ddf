"""Pieces of loops for focused.py: rounds whose conditions and ranges call what changes locals, with what is the same in all of them; and rows of arrays of indices that locals
walk, whose conditions bound them."""

DOUBLE, SINGLE = "Real double-precision", "Real single-precision"


class Rounds:
    def calling(self):
        """do { … n = n + 1 } while further(place, 2) < 20, do in sequence { … } for r in [1...further(place, 1)]: with functions of locals that no round sets, of such that a condition's
        call sets, and products that would not fit where no round ever comes to them."""
        kind, n, m = self.pick((DOUBLE, DOUBLE, SINGLE)), self.rng.randint(1, 40), self.rng.randint(1, 9)
        y, x = (self.ranged(name, [(0, n - 1)], kind) for name in "yx")
        w, count = self.ranged("w", [(0, m - 1)], kind), self.ranged("c", [(0, n - 1)], self.pick(("Integer", "Integer single-precision")))
        i, r = self.fresh("i"), self.fresh("r")
        inside = self.pick((["    place = place + by"], ["    do in sequence {", "        place = place + by", "        if (place > 1000) { return place }", "    } for m in [1...1]"]))   # the second is called
        self.functions["further"] = ["Function further(&place, by) {"] + inside + ["    return place", "}", ""]
        self.functions["halved"] = ["Function halved(&value) {", "    value = value * 0.5", "    return value", "}", ""]
        step, most = self.rng.randint(1, 4), self.rng.randint(2, 14)
        fixed = self.pick((f"exp(0.0 - {x}[{i}] * {x}[{i}])", "sqrt(abs(scale))", "cos(scale) * 0.5", f"sqrt(abs({w}[{m - 1}]))", "scale / (scale * scale + 1.0)"))
        form = self.pick(("while", "while", "while", "near", "range", "step", "none", "branch"))
        by_near = ("sqrt(abs(near))", "exp(0.0 - near * near)", "near / (near * near + 0.5)")
        moved = self.pick(by_near if form == "near" else (f"{w}[place % {m}]", "cos(place * 0.25)", "sqrt(place * 0.5)", f"{w}[(place * place) % {m}]") + by_near)
        body = [f"t = t * 0.5 + {self.pick((fixed, moved))} * 0.25"]
        body += self.rng.sample((f"t = t + {fixed} * 0.125", f"t = t - {moved} * 0.25", "number = (number + wide * wide) % 1009", f"if (place % 3 == 0) {{ t = t + {moved} * 0.125 }}", "number = number + place * 2",
                                 f"if ({fixed} > {moved}) {{ number = number + 1 }}", f"number = number + wide * {self.rng.randint(2, 9)}"), self.rng.randint(1, 4))
        if self.chance(0.3):
            body += [f"number = number + further(place, {step - 1})"]
        wide = self.rng.randint(-300, 300)
        if form == "while":
            ends = self.pick((f"further(place, {step}) < {most + n}", f"further(place, {step}) < {most + n} and t < 1.5", f"n < {most} and further(place, {step}) % {self.rng.randint(4, 9)} != 3", f"not (further(place, {step}) > {most + n})"))
            loop = ["do {"] + ["    " + line for line in body + ["n = n + 1"]] + [f"}} while {ends}"]
        elif form == "near":
            loop = ["do {"] + ["    " + line for line in body + ["n = n + 1"]] + [f"}} while halved(near) > 0.0625 and n < {most}"]
        elif form == "range":
            loop = ["do in sequence {"] + ["    " + line for line in body] + [f"}} for {r} in [1...min(further(place, {step}), {most})]"]
        elif form == "step":
            loop = ["do in sequence {"] + ["    " + line for line in body] + [f"}} for {r} in [{self.rng.randint(0, 3)}...{most}] step {self.rng.randint(1, 3)}"]
        elif form == "none":   # rounds that nobody comes to: the product would not fit
            wide = self.pick((4000000000, -5000000000, 1 << 40))
            loop = ["do in sequence {"] + ["    " + line for line in body + ["number = number + wide * wide * 4"]] + [f"}} for {r} in [1...place - place]"]
        else:
            wide = self.pick((4000000000, -5000000000, 1 << 40))
            body = [line for line in body if "wide" not in line]
            loop = ["do {"] + ["    " + line for line in body + [f"if (place < {-n}) {{ number = number + wide * wide * 4 }}", "n = n + 1"]] + [f"}} while n < {most}"]
        lines = [f"wide = {wide}", f"scale = {w}[0] * 1.5"] if self.chance(0.5) else []
        inside = [] if lines else [f"wide = {wide}", f"scale = {w}[0] * 1.5"]
        lines += ["do {"] + ["    " + line for line in inside + [f"t = {x}[{i}]", f"near = {x}[{i}] + 0.5", f"place = {i}", "n = 0", "number = 0"] + loop]
        lines += [f"    {y}[{i}] = {y}[{i}] * 0.5 + t * 0.25 + near * 0.125", f"    {count}[{i}] = (number + place + n) % 1000", f"}} for {i} in {y}"]
        stage = self.stage([y, x, w, count], [f"do {{ {count}[{i}] = 0 }} for {i} in {count}"] + lines)
        space = self.space(1, [f"{y}, {x}, {count}: {self.division(n)}", f"{w}: replicated"]) if self.chance(0.7) else self.whole([y, x, w, count])
        begin = self.whole([y, x, w])
        self.starts.append(f"Space {begin} {{ " + " ".join(f"{self.start(a, 1, self.mixed(1))}({a})" for a in (y, x, w)) + " }")
        self.features.add("rounds that call")
        return f"Space {space} {{ {stage}({y}, {x}, {w}, {count}) }}", [y, count]

    def walks(self):
        """e = starts[i]  last = starts[i + 3]  if (e < last) { do { … columns[e] …  e = e + 1 } while e < last }: the last row ends with the columns, and relatives that look at them
        before or behind what bounds them."""
        kind, n, m = self.pick((DOUBLE, DOUBLE, SINGLE)), self.rng.randint(1, 40), self.rng.randint(1, 9)
        width = self.rng.randint(1, 4)
        y, x = self.ranged("y", [(0, n - 1)], kind), self.ranged("x", [(0, m - 1)], kind)
        starts, columns = self.ranged("starts", [(0, n + width - 1)], "Integer"), self.ranged("columns", [(0, n + width - 2)], "Integer")
        spare = self.rng.randint(0, 1)   # columns that no row has
        self.inputs[starts], self.inputs[columns] = f"arange({n + width},int64)", f"ints({n + width - 1 + spare},low=0,high={m - 1},seed={self.rng.randint(0, 9)})"
        self.links[starts] = self.links[columns] = "link"
        i = self.fresh("i")
        term = self.pick((f"{x}[{columns}[e]]", f"{x}[{columns}[e]] * 0.5", f"{columns}[e] * 0.125"))
        use = f"t = t * 0.5 + {term}"
        test = self.pick(("e < last", "e < last", f"e <= last - 1", f"not (e >= last)", "last > e"))
        again = self.pick((test, test, f"{test} and t < 1.5", f"t < 1.5 and {test}"))
        form = self.pick(("walk", "walk", "walk", "two", "late", "found", "both", "short"))
        loop = lambda *lines: [f"if ({test}) {{", "    do {"] + ["        " + line for line in lines] + [f"    }} while {again}", "}"]
        if form == "walk":
            body = loop(use, "e = e + 1")
        elif form == "two":
            body = loop(use, "e = e + 1", f"if ({test}) {{ t = t - {term} * 0.25  e = e + {self.rng.randint(0, 2)} }}")
        elif form == "late":    # behind the change: looks at the one after, in rows that end before
            body = [f"last = last - 1"] + loop("e = e + 1", use)
        elif form == "found":
            body = [f"if ({test}) {{", f"    do {{ e = e + 1 }} while {test} and {x}[{columns}[e]] > 0.0", f"    if ({test}) {{ {use} }} else {{ t = t * 0.5 }}", "}"]
        elif form == "both":
            body = loop(use, "e = e + 1") + [f"e = {starts}[{i}]"] + loop(use, "t = t * 0.5", f"e = e + {self.rng.randint(1, 3)}")
        else:
            body = [f"last = min(last, e + {self.rng.randint(0, 2)})"] + loop(use, "e = e + 1")
        lines = ["do {", "    t = 0.25", f"    e = {starts}[{i}]", f"    last = {starts}[{i} + {width - 1}]" if self.chance(0.7) else f"    last = {starts}[{i} + {width - 1}] - {self.rng.randint(0, 1)}"]
        lines += ["    " + line for line in body] + [f"    {y}[{i}] = {y}[{i}] * 0.5 + t * 0.25", f"}} for {i} in {y}"]
        stage = self.stage([y, x, starts, columns], lines)
        space = self.space(1, [f"{y}: {self.division(n)}", f"{x}, {starts}, {columns}: replicated"]) if self.chance(0.7) else self.whole([y, x, starts, columns])
        begin = self.whole([y, x])
        self.starts.append(f"Space {begin} {{ " + " ".join(f"{self.start(a, 1, self.mixed(1))}({a})" for a in (y, x)) + " }")
        self.features.add("walks")
        return f"Space {space} {{ {stage}({y}, {x}, {starts}, {columns}) }}", [y]
