"""Typed expressions without undefined behaviour.

A Term is a text with a bound of its magnitude; a Scope says what an expression may use where it stands.
"""
from .shapes import INDEX_LIMIT, INTEGER_LIMIT, REAL_LIMIT


class Term:
    def __init__(self, text, bound, atom=False):
        self.text, self.bound, self.atom = text, bound, atom


class Scope:
    """What an expression may use where it stands."""

    def __init__(self, generator, node):
        self.generator, self.node = generator, node
        self.indices, self.reals, self.ints = [], [], []
        self.written, self.forbidden, self.no_scalars, self.reduced, self.scalars_read = {}, set(), set(), set(), set()
        self.parameters, self.in_stage, self.parameters_are = [], True, "same"

    def inner(self):
        scope = Scope(self.generator, self.node)
        scope.indices, scope.reals, scope.ints = list(self.indices), list(self.reals), list(self.ints)
        scope.written, scope.forbidden = dict(self.written), set(self.forbidden)
        scope.no_scalars, scope.reduced, scope.scalars_read = self.no_scalars, self.reduced, self.scalars_read
        scope.parameters, scope.parameters_are, scope.in_stage = self.parameters, self.parameters_are, self.in_stage
        return scope

    def without(self, array):
        scope = self.inner()
        scope.forbidden.add(array.name)
        scope.written.pop(array.name, None)
        return scope

    def name(self, what):
        """The name under which the body knows the variable; reductions and arrays become parameters."""
        if not self.in_stage:
            return what.name
        known = [formal for formal, actual in self.parameters if actual is what]
        if known:
            return known[0]
        if self.parameters_are == "none" and self.parameters and not hasattr(what, "op"):
            return what.name
        formal = what.name if self.parameters_are != "renamed" else f"p{len(self.parameters) + 1}"
        self.parameters.append((formal, what))
        return formal


class Expressions:
    def subscripts(self, scope, array, written_at):
        """A list of subscripts inside the part, or None. written_at: the loop writes the array there."""
        if written_at is not None:
            return list(written_at)
        found = []
        for dim in range(array.rank):
            signature = scope.node.signature(array, dim)
            choices = [name for name, own in scope.indices if own[:len(signature)] == signature]
            if len(signature) == 1:
                choices.append(str(self.lower[array.dims[dim]]))
            local = f"{scope.name(array)}.local.dimension{dim + 1}.range"
            if not self.free or len(signature) == 1:
                choices += [f"{local}.min", f"{local}.max"] if not choices or self.chance(0.15) else []
            if not choices:
                return None
            found.append(self.pick(choices))
        return found

    def element(self, scope, kind):
        """A readable element of that kind, or None."""
        arrays = [a for a in self.arrays if a.kind in ((kind,) if kind == "single" else (kind, "cell"))]
        if not arrays:
            return None
        array = self.pick(arrays)
        lag = self.rng.randint(1, array.lag) if array.lag > 0 and self.chance(0.4) else 0
        if not scope.in_stage:
            lag = 0
        written_at = scope.written.get(array.name) if lag == 0 else None
        if array.name in scope.written and lag == 0 and written_at is None:
            return None
        if lag == 0 and array.name in scope.forbidden:
            return None
        where = self.subscripts(scope, array, written_at)
        if where is None:
            return None
        text = scope.name(array) + "".join(f"[{i}]" for i in where)
        if lag > 0:
            text = f"({text} at (current - {lag}))"
            self.features.add("lag")
        if array.kind == "cell":
            text += ".on" if kind == "bool" else ".hits" if kind == "int" else self.pick((".x", f".v[{self.rng.randint(0, 2)}]"))
        return Term(text, INTEGER_LIMIT if kind == "int" else REAL_LIMIT, True)

    def scalar(self, scope, kind):
        usable = [s for s in self.scalars if s.kind == kind and scope.node.is_within(s.home) and s.name not in scope.no_scalars]
        if not usable:
            return None
        scalar = self.pick(usable)
        scope.scalars_read.add(scalar.name)
        if scalar.lag > 0 and scope.in_stage and self.chance(0.5):
            self.features.add("scalar lag")
            return Term(f"({scope.name(scalar)} at (current - {self.rng.randint(1, scalar.lag)}))", scalar.bound, True)
        return Term(scope.name(scalar), scalar.bound, True)

    def real_atom(self, scope):
        if scope.reals and self.chance(0.3):
            return self.pick(scope.reals)
        roll = self.rng.random()
        if roll < 0.5:
            term = self.element(scope, self.pick(("double", "double", "single")))
        elif roll < 0.7:
            term = self.scalar(scope, self.pick(("double", "double", "single")))
        elif roll < 0.8:
            term = self.int_atom(scope)
        else:
            value = self.pick(("0.5", "0.25", "1.5", "2.0", "0.125", "3.0", "0.75"))
            return Term(value, float(value), True)
        return term or Term("1.25", 1.25, True)

    def real(self, scope, depth):
        if depth == 0:
            return self.real_atom(scope)
        left, right = self.real(scope, self.rng.randrange(depth)), self.real(scope, self.rng.randrange(depth))
        op = self.rng.choices(("+", "-", "*", "abs", "sqrt", "/", "neg", "call", "const", "fmin", "fmax", "floor", "**"),
                              (12, 10, 8, 2, 2, 2, 2, 2, 4, 1, 1, 1, 1))[0]
        if op in ("fmin", "fmax"):
            term = Term(f"{op}({left.text}, {right.text})", max(left.bound, right.bound))
        elif op == "floor":
            term = Term(f"floor({left.text})", left.bound + 1)
        elif op == "**":
            term = Term(f"({left.text} ** 2)", left.bound * left.bound)
        elif op in ("+", "-"):
            term = Term(f"({left.text} {op} {right.text})", left.bound + right.bound)
        elif op == "*":
            term = Term(f"({left.text} * {right.text})", left.bound * right.bound)
        elif op == "abs":
            term = Term(f"fabs({left.text})", left.bound)
        elif op == "sqrt":
            term = Term(f"sqrt(fabs({left.text}))", left.bound + 1)
        elif op == "/":
            term = Term(f"({left.text} / (1.0 + {right.text} * {right.text}))", left.bound)
        elif op == "neg":
            term = Term(f"(-{left.text})", left.bound)
        elif op == "call":
            self.functions.add("blend")
            term = Term(f"blend({left.text}, {right.text})", left.bound + right.bound)
        else:
            factor = self.pick(("0.5", "0.3", "0.7", "0.1"))
            term = Term(f"{factor} * {left.text}" if left.atom else f"{factor} * {left.text}", left.bound)
            term = Term(f"({term.text})", left.bound)
        return self.scaled(term, 1e6)

    def scaled(self, term, limit):
        if term.bound <= limit:
            return term
        power = 1.0
        while term.bound * power > limit:
            power /= 2
        return Term(f"({power!r} * {term.text})", term.bound * power)

    def real_value(self, scope, depth=None):
        if scope.reals and depth is None and self.chance(0.5):
            left, right = self.pick(scope.reals), self.real(scope, 1)
            return self.scaled(Term(f"({left.text} + {right.text})", left.bound + right.bound), REAL_LIMIT).text
        return self.scaled(self.real(scope, self.rng.randint(0, 3) if depth is None else depth), REAL_LIMIT).text

    def int_atom(self, scope):
        roll = self.rng.random()
        node = scope.node.real()
        if roll < 0.3:
            term = self.element(scope, "int")
        elif roll < 0.45:
            term = self.scalar(scope, "int")
        elif roll < 0.6 and scope.indices:
            return Term(self.pick(scope.indices)[0], INDEX_LIMIT, True)
        elif roll < 0.7 and node.dims > 0 and not self.free:
            return Term(f"lpuId[{self.rng.randrange(node.dims)}]", INDEX_LIMIT, True)
        elif roll < 0.78 and self.args and not self.free:
            return Term(f"partition.{self.pick(sorted(self.args))}", INDEX_LIMIT, True)
        elif roll < 0.88:
            array = self.pick(self.arrays)
            where = "" if self.free else self.pick(("", ".local"))
            part = self.pick(("min", "max", "length"))
            return Term(f"{scope.name(array)}{where}.dimension{self.rng.randint(1, array.rank)}.range.{part}", INDEX_LIMIT, True)
        elif roll < 0.93 and scope.ints:
            return self.pick(scope.ints)
        else:
            term = None
        value = self.rng.randint(0, 9)
        return term or Term(str(value), value, True)

    def int(self, scope, depth):
        if depth == 0:
            return self.int_atom(scope)
        left, right = self.int(scope, self.rng.randrange(depth)), self.int(scope, self.rng.randrange(depth))
        op = self.rng.choices(("+", "-", "*", "%", "/", "&", "|", "^", "<<", ">>", "**"), (12, 8, 6, 4, 2, 2, 2, 2, 1, 1, 1))[0]
        if op in ("<<", ">>", "**"):
            shift = self.rng.randint(0, 3)
            if op == "**":
                return Term(f"({left.text} ** 2)", left.bound ** 2) if left.bound < 1e6 else left
            return Term(f"({left.text} {op} {shift})", left.bound * 8) if left.bound < 1e12 else left
        if op in ("+", "-"):
            return Term(f"({left.text} {op} {right.text})", left.bound + right.bound)
        if op == "*":
            if left.bound * right.bound > 1e12:
                return left
            return Term(f"({left.text} * {right.text})", left.bound * right.bound)
        if op in ("%", "/"):
            value = self.rng.randint(2, 9)
            return Term(f"({left.text} {op} {value})", min(left.bound, value) if op == "%" else left.bound)
        return Term(f"({left.text} {op} {right.text})", 2 * max(left.bound, right.bound, 1))

    def int_value(self, scope):
        term = self.int(scope, self.rng.randint(0, 2))
        return term.text if term.bound <= INTEGER_LIMIT else f"{term.text} % 997"

    def value(self, scope, kind):
        if kind == "bool":
            return self.condition(scope)
        return self.int_value(scope) if kind == "int" else self.real_value(scope)

    def condition(self, scope, depth=1):
        roll = self.rng.random()
        if depth > 0 and roll < 0.25:
            op = self.pick(("and", "or"))
            return f"({self.condition(scope, depth - 1)} {op} {self.condition(scope, depth - 1)})"
        flag = self.scalar(scope, "bool") if roll < 0.33 else self.element(scope, "bool") if roll < 0.38 else None
        if flag is not None:
            return flag.text
        if roll < 0.32:
            return f"not ({self.condition(scope, 0)})"
        if roll < 0.42 and not self.free:
            array = self.pick(self.arrays)
            return f"({self.int(scope, 0).text} in {scope.name(array)}.local.dimension{self.rng.randint(1, array.rank)}.range)"
        compare = self.pick(("<", "<=", ">", ">=", "==", "!="))
        if roll < 0.7:
            return f"({self.int(scope, 1).text} {compare} {self.int(scope, 1).text})"
        compare = self.pick(("<", ">", "<=", ">="))
        return f"({self.real(scope, 1).text} {compare} {self.real(scope, 1).text})"
