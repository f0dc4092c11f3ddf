"""Pieces of loops for focused.py: locals of user types, which are taken apart into their fields, and functions on them, which stand in the place of their calls.

Numbers stay small by what they are made of: a Real is no larger than the larger of its parts, or 2; an Integer is, or is a remainder."""

DOUBLE, SINGLE, INTEGER, SHORT, BOOLEAN = "Real double-precision", "Real single-precision", "Integer", "Integer single-precision", "Boolean"
SIZES = {DOUBLE: 8, SINGLE: 4, INTEGER: 8, SHORT: 4, BOOLEAN: 1}
GROUPS = {DOUBLE: "real", SINGLE: "real", INTEGER: "integer", SHORT: "integer", BOOLEAN: "boolean"}


class UserType:
    """fields: name → a type of GROUPS, a UserType, or a static array: (type, extent)."""

    def __init__(self, name, fields):
        self.name, self.fields = name, fields

    def lines(self):
        written = lambda kind: kind if isinstance(kind, str) else kind.name if isinstance(kind, UserType) else f"Array[{kind[1]}] of {written(kind[0])}"
        return [f"Type {self.name}:"] + [f"    {field}: {written(kind)}" for field, kind in self.fields.items()] + [""]

    def size(self):
        """In bytes, and what its places are multiples of."""
        at, most = 0, 1
        for kind in self.fields.values():
            count, kind = (kind[1], kind[0]) if isinstance(kind, tuple) else (1, kind)
            size, step = kind.size() if isinstance(kind, UserType) else (SIZES[kind], SIZES[kind])
            at, most = -(-at // step) * step + count * size, max(most, step)
        return -(-at // most) * most, most


class Scope:
    """What an expression may name: places of numbers by group, places of records, an Integer for subscripts, and whether calls may stand there."""

    def __init__(self, numbers, records, index, calls):
        self.numbers, self.records, self.index, self.calls = numbers, records, index, calls


class Records:
    # ---- Types ------------------------------------------------------------------------------------------------

    def user_types(self):
        """Small ones first: those behind may have fields of those in front."""
        found = []
        for _ in range(self.pick((1, 1, 2, 2, 3))):
            kind = self.pick((DOUBLE, DOUBLE, SINGLE))
            fields = {"re": kind, "im": kind if self.chance(0.7) else SINGLE}
            more = [("count", INTEGER), ("count", SHORT), ("on", BOOLEAN), ("weights", (self.pick((DOUBLE, SINGLE, INTEGER)), self.rng.randint(1, 3)))]
            more = more[:3] if self.even else more   # arrays as locals do not go in lanes
            more += [("inner", inner) for inner in found] * 3
            more += [("parts", (inner, self.rng.randint(1, 3))) for inner in found if not self.even]
            for field, other in self.rng.sample(more, min(len(more), self.pick((0, 1, 1, 2)))):
                fields.setdefault(field, other)
            names = self.rng.sample(list(fields), len(fields))
            found.append(UserType(self.fresh("Record"), {name: fields[name] for name in names}))
            if found[-1].size()[0] == 12:   # tcc 0.9.27 writes 16 bytes where a function returns 12
                found[-1].fields["more"] = SHORT
        return found

    def places(self, place, record, scope):
        """What numbers and records there are in a record."""
        scope.records.append((place, record))
        for field, kind in record.fields.items():
            if isinstance(kind, UserType):
                self.places(f"{place}.{field}", kind, scope)
            elif isinstance(kind, tuple) and isinstance(kind[0], UserType):
                self.places(f"{place}.{field}[{self.pick((str(self.rng.randrange(kind[1])), f'abs({scope.index}) % {kind[1]}'))}]", kind[0], scope)
            elif isinstance(kind, tuple):
                scope.numbers[GROUPS[kind[0]]] += [f"{place}.{field}[{self.rng.randrange(kind[1])}]", f"{place}.{field}[abs({scope.index}) % {kind[1]}]"]
            else:
                scope.numbers[GROUPS[kind]] += [f"{place}.{field}"] * 2

    def scope(self, records, reals, integers, booleans, index, calls=True):
        found = Scope({"real": list(reals), "integer": list(integers), "boolean": list(booleans)}, [], index, calls)
        for place, record in records:
            self.places(place, record, found)
        return found

    # ---- Expressions ----------------------------------------------------------------------------------------------

    def real(self, scope, depth=2):
        atom = self.pick(scope.numbers["real"] or ["0.5"]) if self.chance(0.85) else self.pick(("0.25", "1.5", "-0.75"))
        if depth == 0 or self.chance(0.2):
            return atom
        given = self.numbers_of(scope, "real", depth)
        if given and self.chance(0.35):
            return given
        other = self.real(scope, depth - 1)
        other = "0.625" if other == atom else other
        return self.pick((f"({atom} * 0.5 + {other} * 0.25)", f"({atom} - {other}) * 0.5", f"{atom} / (1 + fabs({other}))", f"{atom} * ({other}) / (1 + fabs({atom} * ({other})))", f"max({atom}, {other})",
                          f"min({other}, {atom})", f"sqrt(fabs({other})) * 0.5", f"-({other})", f"{self.integer(scope, depth - 1)} * 0.125", f"(0.75 * {atom} - {other} / 4)"))

    def integer(self, scope, depth=2):
        atom = self.pick(scope.numbers["integer"] or [f"Integer(fabs({self.real(scope, 0)}) * 4)"]) if self.chance(0.85) else str(self.rng.randint(0, 9))
        if depth == 0 or self.chance(0.2):
            return atom
        given = self.numbers_of(scope, "integer", depth)
        if given and self.chance(0.3):
            return given
        other = self.integer(scope, depth - 1)
        forms = (f"({atom} + {other} & 7)", f"({atom} * 3 & 7)", f"max({atom}, {other})", f"min({other}, {atom})", f"(abs({other}) & 3)", f"({atom} - {other}) / 2", f"((7 - {atom}) & 15)")
        more = (f"({atom} + {other}) % 8", f"abs({other}) % 4", f"({atom} + {other}) % 11", f"{atom} / (abs({other}) + 1)", f"Integer({self.real(scope, depth - 1)})", f"{atom} * 5 % 7")
        return self.pick(forms if self.even else forms + more)

    def condition(self, scope, depth=2):
        if depth == 0 or self.chance(0.6):
            value, other, whole, limit = self.real(scope, depth), self.real(scope, 0), self.integer(scope, depth), self.integer(scope, 0)
            forms = [f"{value} {self.pick('<>')} {other if other != value else '0.25'}", f"{whole} {self.pick(('==', '!=', '>', '<='))} {limit if limit != whole else '3'}"]
            return self.pick(forms + scope.numbers["boolean"])
        first, second = self.condition(scope, depth - 1), self.condition(scope, depth - 1)
        divisors = [name for name, words in self.on_records if words[0] == "share"] if scope.calls else []
        if divisors and self.chance(0.4):
            name, of = self.pick(divisors), self.pick(scope.numbers["integer"] or ["2"])
            words = dict(self.on_records)[name]
            return f"({of} {self.pick(('!=', '>'))} 0 and {name}({self.record(scope, words[1], depth - 1)}, {of}) {self.pick('<>')} {self.rng.randint(0, 2)})"
        return self.pick((f"({first} and {second})", f"({first} or {second})", f"not ({first})"))

    def numbers_of(self, scope, group, depth):
        """A call of a function that gives a number, if there is any."""
        found = [(name, words[1]) for name, words in self.on_records if words[0] == group] if scope.calls else []
        if not found:
            return None
        name, record = self.pick(found)
        return f"{name}({self.record(scope, record, depth - 1)})"

    def field_value(self, scope, kind, depth=2):
        if isinstance(kind, UserType):
            return self.record(scope, kind, depth - 1)
        return {"real": self.real, "integer": self.integer, "boolean": self.condition}[GROUPS[kind]](scope, depth)

    def new(self, scope, record, depth=2):
        """With some fields left out."""
        given = [field for field, kind in record.fields.items() if not isinstance(kind, tuple) and self.chance(0.8)]
        return f"new {record.name}({', '.join(f'{field}: {self.field_value(scope, record.fields[field], depth - 1 if depth > 0 else 0)}' for field in self.rng.sample(given, len(given)))})"

    def record(self, scope, record, depth=2):
        there = [place for place, other in scope.records if other is record]
        makers = [(name, words[2]) for name, words in self.on_records if words[0] == "record" and words[1] is record] if scope.calls and depth > 0 else []
        if makers and self.chance(0.5):
            name, count = self.pick(makers)
            return f"{name}({', '.join(self.record(scope, record, depth - 1) for _ in range(count))})"
        return self.pick(there) if there and (depth <= 0 or self.chance(0.7)) else self.new(scope, record, max(depth, 0))

    # ---- Functions ---------------------------------------------------------------------------------------------------

    def make_functions(self, types):
        """on_records: name → what it gives, and of which type: those in front may be called by those behind. changing: those with &."""
        self.on_records, self.changing = [], []
        for _ in range(self.rng.randint(2, 5)):
            record = self.pick(types)
            kind = self.pick(("made", "made", "made in branches", "made in branches", "made in rounds", "real", "real", "integer", "integer" if self.even and self.chance(0.7) else "share", "changed", "changed"))
            name = self.fresh({"made": "mix", "real": "size", "integer": "rank", "share": "share", "changed": "turn"}[kind.split()[0]])
            two = self.chance(0.6) and kind not in ("real", "integer", "share")
            scope = self.scope([("z", record)] + [("w", record)] * two, (), (), (), "2", self.chance(0.6))
            lines, words = getattr(self, "body_" + kind.split()[-1])(scope, record)
            parameters = ["&z" if kind == "changed" else "z"] + ["w"] * two + ["by"] * (kind == "share")
            oneline = len(lines) == 1 and self.chance(0.7)
            head = f"Function {name}({', '.join(parameters)}) {{"
            self.functions[name] = [f"{head} {lines[0]} }}", ""] if oneline else [head] + ["    " + line for line in lines] + ["}", ""]
            if kind == "changed":
                self.changing.append((name, record, two, words))
            else:
                self.on_records.append((name, (words, record, 1 + two)))

    def body_made(self, scope, record):
        return [f"return {self.new(scope, record)}"], "record"

    def body_real(self, scope, _):
        return [f"return {self.real(scope)}"], "real"

    def body_integer(self, scope, _):
        return [f"return {self.integer(scope)}"], "integer"

    def body_share(self, scope, _):
        return [f"return {self.integer(scope, 1)} {self.pick('/%')} by"], "share"

    def body_changed(self, scope, record):
        lines = [self.change(scope, record, "z") for _ in range(self.rng.randint(1, 3))]
        if self.chance(0.4):
            lines = lines[:-1] + [f"if ({self.condition(scope)}) {{ {lines[-1]} }}"]
        if self.chance(0.4):
            return lines + [f"return {self.real(scope, 1)}"], "real"
        return lines, None

    def body_branches(self, scope, record):
        give = lambda: f"return {self.record(scope, record)}"
        lines = [self.change(scope, record, "z")] if self.chance(0.3) else []
        test = lambda: self.condition(scope, 1)
        lines += self.pick(([f"if ({test()}) {{ {give()} }}", give()], [f"if ({test()}) {{ {give()} }} else {{ {give()} }}"],
                            [f"if ({test()}) {{", f"    {give()}", f"}} else if ({test()}) {{", f"    {self.change(scope, record, 'z')}", "} else {", f"    {give()}", "}", self.change(scope, record, "z"), give()],
                            [f"if ({test()}) {{", f"    if ({test()}) {{ {give()} }}", f"    {self.change(scope, record, 'z')}", f"    {give()}", "}", f"if ({test()}) {{ {give()} }}", give()],
                            [f"if ({test()}) {{ {self.change(scope, record, 'z')} }} else {{ {give()} }}", f"if ({test()}) {{ {give()} }}", self.change(scope, record, "z"), give()]))
        return lines, "record"

    def body_rounds(self, scope, record):
        lines = ["t = 0.25", "do in sequence {", f"    {self.change(scope, record, 'z')}", f"    t = t * 0.5 + {self.real(scope, 1)} * 0.5", f"}} for s in [1...{self.rng.randint(1, 3)}]", "z.re = t", f"return {self.record(scope, record, 1)}"]
        return lines, "record"

    # ---- Statements ----------------------------------------------------------------------------------------------------

    def change(self, scope, record, place):
        """Of a record: whole, from its own fields, or one field."""
        fields = list(record.fields.items())
        if self.chance(0.5):
            field, kind = self.pick(fields)
            if isinstance(kind, tuple):
                return f"{place}.{field}[{self.pick((str(self.rng.randrange(kind[1])), f'abs({scope.index}) % {kind[1]}'))}] = {self.field_value(scope, kind[0])}"
            return f"{place}.{field} = {self.field_value(scope, kind)}"
        if self.chance(0.3):   # fields change places
            return f"{place} = new {record.name}(re: {place}.im, im: {self.pick(('', '-'))}{place}.re{self.pick(('', ' / 2'))})"
        return f"{place} = {self.new(scope, record) if self.chance(0.6) else self.record(scope, record)}"

    def call_that_changes(self, scope, variables):
        name, record, two, gives = self.pick(self.changing)
        whole = [place for place, other in scope.records if other is record and place.split(".")[0] in variables]
        if not whole:
            return None
        call = f"{name}({self.pick(whole)}{', ' + self.record(scope, record, 1) if two else ''})"
        if gives is None or self.chance(0.3):
            return [call] if gives is None else [f"t = {call}"]
        return self.pick(([f"t = {self.real(scope, 0)} * 0.5 + {call} * 0.25"], [f"if ({self.condition(scope, 1)} {self.pick(('and', 'or'))} {call} > 0.25) {{ n = (n + 1) % 8 }}"], [f"if ({call} < t) {{ t = t * 0.5 }}"]))

    def call_alone(self, scope, place, record):
        """Of a function that changes the record, if there is any."""
        found = [(name, two) for name, of, two, _ in self.changing if of is record]
        name, two = self.pick(found) if found else (None, False)
        return [f"{name}({place}{', ' + self.record(scope, record, 1) if two else ''})"] if found else []

    def statement(self, scope, variables, depth, loops):
        """Lines. variables: records that may change, by name."""
        name, record = self.pick(list(variables.items()))
        roll = self.rng.random()
        if roll < 0.18 and depth > 0:
            lines = [f"if ({self.condition(scope)}) {{"] + self.block(scope, variables, depth - 1, loops)
            return lines + (["} else {"] + self.block(scope, variables, depth - 1, loops) if self.chance(0.5) else []) + ["}"]
        if roll < 0.32 and depth > 0 and loops:
            r, least, limits = self.fresh("r"), self.pick((0, 1, 1)), scope.numbers["integer"]
            inside = self.scope([(v, k) for v, k in variables.items()], ["t"], ["n", r], ["seen"], scope.index)
            return ["do in sequence {"] + self.block(inside, variables, depth - 1, loops) + [f"}} for {r} in [{least}...{self.pick((self.rng.randint(1, 4), f'abs({self.pick(limits)}) % 4'))}]"]
        if roll < 0.4 and depth > 0 and loops:
            return self.rounds(scope, variables, depth - 1)
        if roll < 0.5 and self.changing:
            lines = self.call_that_changes(scope, variables)
            if lines:
                return lines
        if roll < 0.6:
            return [self.pick((f"t = {self.real(scope)}", f"n = {self.integer(scope)}", f"seen = {self.condition(scope)}", f"t = t * 0.5 + {self.real(scope, 1)} * 0.5"))]
        return [self.change(scope, record, name)]

    def block(self, scope, variables, depth, loops):
        return ["    " + line for _ in range(self.rng.randint(1, 3)) for line in self.statement(scope, variables, depth, loops)]

    def rounds(self, scope, variables, depth):
        """do { … } while, with a counter of its own."""
        count = self.fresh("m")
        ends = f"{count} < {self.rng.randint(1, 9)}" + self.pick(("", f" and {self.condition(scope)}", f" and {self.condition(scope)}", f" and ({self.condition(scope, 1)} or {self.condition(scope, 1)})"))
        if self.changing and self.chance(0.2):
            lines = self.call_that_changes(scope, variables)
            if lines and lines[0].startswith("t = ") and lines[0].count("(") >= 1 and lines[0][4:].startswith("turn"):
                ends += f" and {lines[0][4:]} > -0.5"
        return [f"{count} = 0", "do {"] + self.block(scope, variables, depth, False) + [f"    {count} = {count} + 1", f"}} while {ends}"]

    # ---- The piece -----------------------------------------------------------------------------------------------------------

    def records(self):
        """do { z = new T(re: x[i])  do in sequence { z = mix(turned(z), z) … } for r in …  y[i] = size(z)  o[i] = z } for i in y."""
        self.even = self.chance(0.6)   # Integers are divided by powers of 2 alone, as in lanes
        types = self.user_types()
        for each in types:
            self.functions["Type " + each.name] = each.lines()
        self.make_functions(types)
        kind, rank = self.pick((DOUBLE, DOUBLE, SINGLE)), self.pick((1, 1, 2))
        sizes = [self.rng.randint(1, 70)] if rank == 1 else [self.rng.randint(1, 9), self.rng.randint(1, 40)]
        ranges = [(low, low + n - 1) for low, n in ((self.pick((0, 0, -3, 2)), n) for n in sizes)]
        y, x, count = self.ranged("y", ranges, kind), self.ranged("x", ranges, self.pick((DOUBLE, SINGLE))), self.ranged("c", ranges, self.pick((INTEGER, SHORT)))
        out = self.pick(types) if self.chance(0.6) else None
        source = self.pick(types) if self.chance(0.3) else None
        m = self.pick((1, 2, 4, 8)) if self.even else self.rng.randint(1, 7)
        o = self.ranged("o", ranges, out.name) if out else None
        src = self.ranged("src", [(0, m - 1)], source.name) if source else None
        indices = [self.fresh("i") for _ in sizes]
        at = lambda array: array + "".join(f"[{i}]" for i in indices)
        variables = {name: types[-1] if number == 0 else self.pick(types) for number, name in enumerate(self.rng.sample(("own", "z", "here", "old"), self.rng.randint(1, 3)))}
        index = self.pick((indices[-1], "n", indices[0]))
        begin = self.scope([], [at(x)], [f"abs({i}) % 8" for i in indices], [], index)
        before = []
        if self.chance(0.35):   # in front of the loop, where calls stay calls
            base, of = self.fresh("base"), self.pick(types)
            before = [f"{base} = new {of.name}(re: 0.5, im: {self.rng.randint(1, 8)} * 0.25)"]
            outer = self.scope([(base, of)], [], [], [], "1")
            before += [line for _ in range(self.rng.randint(0, 2)) for line in ([self.change(outer, of, base)] if not self.changing or self.chance(0.5) else self.call_alone(outer, base, of))]
        body = ["t = 0.25", f"n = {self.integer(begin, 1)}", "seen = false"] + [f"{name} = {self.new(begin, record)}" for name, record in variables.items()]
        scope = self.scope(variables.items(), ["t", "t", at(x)], ["n"], ["seen"], index)
        if o:
            scope.records += [(at(o), out)] * 2
            scope.numbers["real"].append(f"{at(o)}.re")
        if src:
            scope.records += [(f"{src}[abs({self.pick(scope.numbers['integer'])}) % {m}]", source)] * 2
        if before:
            self.places(base, of, scope)
        if o and self.chance(0.4):
            variables[at(o)] = out
        form = self.pick(("straight", "rounds", "rounds", "left", "left", "any", "any"))
        for _ in range(self.rng.randint(1, 3)):
            body += self.statement(scope, variables, 1, form == "any")
        if src and self.even:   # in loops lanes read neighbours, or one element for all
            scope.records = [(place, of) for place, of in scope.records if not place.startswith(src)]
        if form == "rounds":
            body += ["do in sequence {"] + self.block(scope, variables, 1, self.chance(0.3)) + [f"}} for {self.fresh('r')} in [1...{self.pick((self.rng.randint(1, 6), self.rng.randint(9, 14), self.rng.randint(9, 14)))}]"]
        elif form == "left":
            body += self.rounds(scope, variables, 1)
        elif form == "any":
            body += [line.removeprefix("    ") for line in self.block(scope, variables, 2, True)]
        body += [f"{at(y)} = {at(y)} * 0.5 + t * 0.25 + {self.real(scope)}", f"{at(count)} = (n + {self.integer(scope)}) % 1000"]
        body += [f"if ({self.condition(scope)}) {{ {at(count)} = {at(count)} + 1 }}"] if self.chance(0.3) else []
        if o:
            body += [f"{at(o)} = {self.record(scope, out)}"] if self.chance(0.7) else []
            body += [self.change(scope, out, at(o)) for _ in range(self.rng.randint(0, 2))]
        arrays = [a for a in (y, x, count, o, src) if a]
        bound = f" and {indices[-1]} {self.pick(('>', '<=', '!='))} {ranges[-1][0] + self.rng.randrange(sizes[-1])}" if self.chance(0.15) else ""
        total = self.scalar("e", "Real double-precision Reduction") if self.chance(0.2) else None
        if total:
            body.insert(self.pick((len(body), len(body) - 1)), f"reduce({total}, \"{self.pick(('sum', 'max', 'min'))}\", {self.real(scope)})")
        stage = self.stage([total] * bool(total) + arrays, before + ["do {"] + ["    " + line for line in body] + [f"}} for {', '.join(indices)} in {y}{bound}"])
        divided = ", ".join(a for a in (y, x, count, o) if a)
        lines = [f"{divided}: {', '.join(self.division(n) for n in sizes)}"] + ([f"{src}: {', '.join(['replicated'] * rank)}"] if src else [])
        space = self.space(rank, lines) if self.chance(0.7) else self.whole(arrays)
        starts = [f"{self.start(a, rank, self.mixed(rank))}({a})" for a in (y, x)]
        starts += [f"{self.start(count, rank, '0')}({count})"]
        starts += [f"{self.start(a, r, f'new {of.name}(re: {self.mixed(r)}, im: {self.mixed(r)})')}({a})" for a, r, of in ((o, rank, out), (src, 1, source)) if a]
        self.starts.append(f"Space {self.whole(arrays)} {{ {' '.join(starts)} }}")
        self.features.add("records")
        self.features.update(["arrays of records"] if o else [])
        call = f"{stage}({f'Space Root: {total}, ' if total else ''}{', '.join(arrays)})"
        if total:
            own = [self.fresh("i") for _ in sizes]
            place = y + "".join(f"[{i}]" for i in own)
            put = self.stage([y, total], [f"do {{ {place} = {place} * 0.5 + {total} * 0.0625 }} for {', '.join(own)} in {y}"])
            call += f" {put}({y}, {total})"
        call = f"Space {space} {{ {call} }}"
        return (f"Repeat for {self.fresh('t')} in [1...2] {{ {call} }}" if self.chance(0.2) else call), [y]
