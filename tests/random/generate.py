#!/usr/bin/env python3
"""Random HP5 programs of one or two tasks, typed and free of undefined behaviour.

generate(seed) gives a language test of kind `run` (tests/run_language.py): the program with its
arguments, mappings and model in the first lines. What keeps a program defined:

  - an array is written in an LPS only where each of its elements is held, unpadded, by one LPU that takes part
    (Tree.is_exclusive), either through the divisions or through an `If lpuId[d] == c` around the call;
  - a loop that writes an array reads it at lag 0 only in the element it writes;
  - subscripts stay in the LPU's part: a loop index whose part is contained in the array's by the divisions
    (signatures), the ends of the local range, or an index under a test of membership;
  - magnitudes are tracked (a Term is a text and a bound), and every assignment scales its value back.
"""
import random
import sys

REAL_LIMIT, INTEGER_LIMIT = 8.0, 1000
TYPES = {"double": "Real double-precision", "single": "Real single-precision", "int": "Integer", "cell": "Cell", "bool": "Boolean"}
NUMPY = {"double": "float64", "single": "float32", "cell": "x:float64+hits:int64"}
EXTENTS = (1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19)


class Array:
    def __init__(self, name, kind, dims):
        self.name, self.kind, self.dims = name, kind, dims  # dims: extents' names, "N" or "M"
        self.rank = len(dims)
        self.lag = 0
        self.env = "link"
        self.narrow = False      # integers in 32 bits


class Scalar:
    def __init__(self, name, kind, home, bound=None):
        self.name, self.kind, self.home = name, kind, home
        self.bound = bound if bound is not None else (INTEGER_LIMIT if kind == "int" else REAL_LIMIT)
        self.constant = False
        self.lag = 0


class Entry:
    """How one LPS divides one array: for each LPS dimension None (replicated) or (array dimension, instruction)."""

    def __init__(self, array, dims):
        self.array, self.dims, self.padding = array, dims, {}


class Node:
    """Root, an LPS, or the sub-partitions of one (sub)."""

    def __init__(self, name, parent, dims, sub=False):
        self.name, self.parent, self.dims, self.sub = name, parent, dims, sub
        self.entries, self.children, self.sub_node, self.ordered = {}, [], None, False
        self.instructions = []
        self.scalars = []

    def path(self):
        node, found = self, []
        while node.parent is not None:
            found.append(node)
            node = node.parent
        return found

    def is_within(self, other):
        node = self
        while node is not None:
            if node is other:
                return True
            node = node.parent
        return False

    def real(self):
        return self.parent if self.sub else self

    def signature(self, array, dim):
        """What determines the LPU's part of the array in that dimension."""
        signature = [array.dims[dim]]
        for node in reversed(self.path()):
            entry = node.entries.get(array.name)
            if entry is None:
                continue
            for d, instruction in enumerate(entry.dims):
                if instruction is not None and instruction[0] == dim:
                    signature.append((node.name, d, instruction[1], entry.padding.get(dim)))
        return tuple(signature)

    def is_single(self):
        return all(node.dims == 0 and not node.sub for node in self.path())


class Term:
    def __init__(self, text, bound, atom=False):
        self.text, self.bound, self.atom = text, bound, atom


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.counter = 0
        self.prefix = "k"        # of partition arguments
        self.args = {}           # partition arguments: name → value
        self.stages = {}         # name → (parameters, lines)
        self.features = set()
        self.touched = set()     # scalars that some stage writes
        self.functions = set()

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, items):
        return items[self.rng.randrange(len(items))]

    def fresh(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    # ---- Arrays and LPSes -------------------------------------------------------------------------

    def make_arrays(self):
        self.extent = {"N": self.pick(EXTENTS), "M": self.pick(EXTENTS)}
        self.arrays = []
        shapes = [("N",), ("N",), ("M",), ("N", "M"), ("N", "M"), ("N", "M")]
        for number in range(self.rng.randint(3, 6)):
            dims = self.pick(shapes)
            kind = self.rng.choices(("double", "single", "int", "cell"), (5, 2, 2, 1))[0]
            self.arrays.append(Array("abcdefgh"[number], kind, dims))
        for array in self.arrays:
            array.narrow = array.kind == "int" and self.chance(0.4)
            array.env = self.rng.choices(("link", "create", None), (6, 3, 1))[0]
            if array.kind != "cell" and self.chance(0.5):
                array.lag = self.rng.choices((1, 2, 3), (6, 3, 1))[0]
        if all(array.env != "link" for array in self.arrays):
            self.arrays[0].env = "link"
        have = {extent: [(a, d) for a in self.arrays if a.env == "link" for d in range(a.rank) if a.dims[d] == extent]
                for extent in "NM"}
        for extent in "NM":
            if not have[extent]:
                array = Array("abcdefgh"[len(self.arrays)], "double", (extent,))
                self.arrays.append(array)
                have[extent] = [(array, 0)]
        self.model_of = {extent: have[extent][0] for extent in "NM"}

    def argument(self, low, high):
        if self.chance(0.25):
            return str(self.rng.randint(low, high))
        reusable = [name for name, value in self.args.items() if low <= value <= high]
        if reusable and self.chance(0.3):
            return self.pick(reusable)
        name = f"{self.prefix}{len(self.args) + 1}"
        self.args[name] = self.rng.randint(low, high)
        return name

    def instruction(self, size):
        function = self.rng.choices(("block_size", "block_count", "stride", "block_stride"), (4, 4, 2, 1))[0]
        most = max(2, size)
        if function == "block_size":
            return f"block_size({self.argument(max(1, size // 5), most)})"
        if function == "block_count":
            return f"block_count({self.argument(1, 5)})"
        if function == "stride":
            return f"stride({self.argument(1, 5)})"
        return f"block_stride({self.argument(1, 3)}, {self.argument(1, 4)})"

    def make_tree(self):
        self.root = Node("Root", None, 0)
        self.nodes = [self.root]
        names = list("ABCDE")
        self.make_children(self.root, names, 0)
        while not any(node.dims > 0 for node in self.nodes):
            self.nodes = [self.root]
            self.root.children = []
            self.make_children(self.root, list("ABCDE"), 0)

    def make_children(self, parent, names, depth):
        count = self.rng.choices((0, 1, 2), ((0, 6, 3) if depth == 0 else (4, 6, 1) if depth < 2 else (8, 3, 0)))[0]
        for _ in range(count):
            if not names:
                return
            dims = self.rng.choices((0, 1, 2), (2, 7, 4))[0]
            self.make_node(parent, names, dims, depth)
        if parent.sub_node is not None and names and self.chance(0.5):
            self.make_node(parent.sub_node, names, self.rng.choices((1, 2), (3, 1))[0], depth)

    def make_node(self, parent, names, dims, depth):
        node = Node(names.pop(0), parent, dims)
        self.fill(node)
        parent.children.append(node)
        self.nodes.append(node)
        if dims > 0 and self.chance(0.25):
            sub = Node(node.name, node, self.rng.choices((1, 2), (4, 1))[0], True)
            sub.ordered = self.chance(0.5)
            sub.order = self.pick(("", " ascends", " descends"))
            self.fill(sub, only=list(node.entries.values()))
            if any(i is not None for e in sub.entries.values() for i in e.dims):
                node.sub_node = sub
                self.nodes.append(sub)
        self.make_children(node, names, depth + 1)

    def fill(self, node, only=None):
        """Chooses what the LPS lists, and how."""
        arrays = [entry.array for entry in only] if only is not None else self.arrays
        listed = [array for array in arrays if self.chance(0.85)] or [self.pick(arrays)]
        if node.dims == 0:
            for array in listed:
                node.entries[array.name] = Entry(array, [])
            return
        node.instructions, wanted = [], []
        for d in range(node.dims):
            lead = self.pick(listed)
            dim = self.rng.randrange(lead.rank)
            if lead.rank == 2 == node.dims and self.chance(0.8):
                dim = d
            wanted.append(node.parent.signature(lead, dim))
            node.instructions.append(self.instruction(self.extent[lead.dims[dim]]))
        for array in listed:
            dims, used = [], set()
            for d in range(node.dims):
                fitting = [k for k in range(array.rank) if k not in used and node.parent.signature(array, k) == wanted[d]]
                if array.rank == 2 == node.dims:  # by position
                    fitting = [k for k in fitting if k == d]
                if not fitting or self.chance(0.12):
                    dims.append(None)
                    continue
                k = self.pick(fitting)
                used.add(k)
                dims.append((k, node.instructions[d]))
            order = [i[0] for i in dims if i is not None]
            if order != sorted(order) and node.dims == 2:
                dims[1] = None
            node.entries[array.name] = Entry(array, dims)
        self.pad(node)

    def pad(self, node):
        if node.sub:
            return
        for array in [entry.array for entry in node.entries.values()]:
            entry = node.entries[array.name]
            divided = [i for i in entry.dims if i is not None]
            blocks = all(i[1].startswith(("block_size", "block_count")) for i in divided)
            chain = all(isinstance(s, str) or s[2].startswith(("block_size", "block_count"))
                        for k, _ in divided for s in node.parent.signature(array, k))
            if not divided or not blocks or not chain or not self.chance(0.45):
                continue
            for k, _ in divided:
                if self.chance(0.85):
                    front = self.argument(0 if self.chance(0.2) else 1, 3)
                    entry.padding[k] = (front, front if self.chance(0.6) else self.argument(0 if self.chance(0.3) else 1, 2))
            if len(divided) == 2 and self.chance(0.5):
                first = entry.padding.get(divided[0][0])
                entry.padding = {k: first for k, _ in divided} if first else {}
            self.features.add("padding")

    def is_exclusive(self, node, array, guards):
        """Every element that an active LPU of `node` holds is held by it alone, padding aside."""
        if node.parent is not None and array.name not in node.entries and not (node.sub and array.name in node.parent.entries):
            return False
        for level in node.path():
            if level.sub:
                continue
            entry = level.entries.get(array.name)
            for d in range(level.dims):
                divided = entry is not None and entry.dims[d] is not None
                if not divided and (level.name, d) not in guards:
                    return False
        return True

    # ---- Expressions --------------------------------------------------------------------------------

    def subscripts(self, scope, array, written_at):
        """A list of subscripts inside the part, or None. written_at: the loop writes the array there."""
        if written_at is not None:
            return list(written_at)
        found = []
        for dim in range(array.rank):
            signature = scope.node.signature(array, dim)
            choices = [name for name, own in scope.indices if own[:len(signature)] == signature]
            if len(signature) == 1:
                choices.append("0")
            local = f"{scope.name(array)}.local.dimension{dim + 1}.range"
            choices += [f"{local}.min", f"{local}.max"] if not choices or self.chance(0.15) else []
            found.append(self.pick(choices))
        return found

    def element(self, scope, kind):
        """A readable element of that kind, or None."""
        arrays = [a for a in self.arrays if a.kind in ((kind, "cell") if kind in ("double", "int") else (kind,))]
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
        text = scope.name(array) + "".join(f"[{i}]" for i in where)
        if lag > 0:
            text = f"({text} at (current - {lag}))"
            self.features.add("lag")
        if array.kind == "cell":
            text += ".x" if kind == "double" else ".hits"
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
        op = self.rng.choices(("+", "-", "*", "abs", "sqrt", "/", "neg", "call", "const"), (6, 5, 4, 1, 1, 1, 1, 1, 2))[0]
        if op in "+-":
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
            return Term(self.pick(scope.indices)[0], 20, True)
        elif roll < 0.7 and node.dims > 0:
            return Term(f"lpuId[{self.rng.randrange(node.dims)}]", 20, True)
        elif roll < 0.78 and self.args:
            return Term(f"partition.{self.pick(sorted(self.args))}", 20, True)
        elif roll < 0.88:
            array = self.pick(self.arrays)
            where = self.pick(("", ".local"))
            part = self.pick(("min", "max", "length"))
            return Term(f"{scope.name(array)}{where}.dimension{self.rng.randint(1, array.rank)}.range.{part}", 20, True)
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
        op = self.rng.choices(("+", "-", "*", "%", "/", "&", "|", "^"), (6, 4, 3, 2, 1, 1, 1, 1))[0]
        if op in "+-":
            return Term(f"({left.text} {op} {right.text})", left.bound + right.bound)
        if op == "*":
            if left.bound * right.bound > 1e12:
                return left
            return Term(f"({left.text} * {right.text})", left.bound * right.bound)
        if op in "%/":
            value = self.rng.randint(2, 9)
            return Term(f"({left.text} {op} {value})", min(left.bound, value) if op == "%" else left.bound)
        return Term(f"({left.text} {op} {right.text})", 2 * max(left.bound, right.bound, 1))

    def int_value(self, scope):
        term = self.int(scope, self.rng.randint(0, 2))
        return term.text if term.bound <= INTEGER_LIMIT else f"{term.text} % 997"

    def value(self, scope, kind):
        return self.int_value(scope) if kind == "int" else self.real_value(scope)

    def condition(self, scope, depth=1):
        roll = self.rng.random()
        if depth > 0 and roll < 0.25:
            op = self.pick(("and", "or"))
            return f"({self.condition(scope, depth - 1)} {op} {self.condition(scope, depth - 1)})"
        flag = self.scalar(scope, "bool") if roll < 0.36 else None
        if flag is not None and flag.text != "bool":
            return flag.text
        if roll < 0.32:
            return f"not ({self.condition(scope, 0)})"
        if roll < 0.42:
            array = self.pick(self.arrays)
            return f"({self.int(scope, 0).text} in {scope.name(array)}.local.dimension{self.rng.randint(1, array.rank)}.range)"
        compare = self.pick(("<", "<=", ">", ">=", "==", "!="))
        if roll < 0.7:
            return f"({self.int(scope, 1).text} {compare} {self.int(scope, 1).text})"
        compare = self.pick(("<", ">", "<=", ">="))
        return f"({self.real(scope, 1).text} {compare} {self.real(scope, 1).text})"

    # ---- Stages -----------------------------------------------------------------------------------------

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

    # ---- The flow -------------------------------------------------------------------------------------------

    def flow(self, node, guards, depth, repeats, in_epoch, indent):
        pad, lines = " " * indent, []
        for _ in range(self.rng.randint(2, 5) if node is self.root else self.rng.randint(1, 3)):
            roll = self.rng.random()
            if node is self.root and roll < 0.55:
                roll = 0.5 if roll < 0.3 else 0.76
            if self.budget <= 0:
                break
            part = None
            if roll < 0.4 or depth > 6:
                self.budget -= 1
                call = self.stage_call(node, guards)
                part = [pad + call] if call else None
            elif roll < 0.75:
                part = self.enter(node, guards, depth, repeats, in_epoch, indent)
            elif roll < 0.78 and node is self.root:
                part = self.rounds(indent) if not in_epoch and repeats < 2 else None
            elif roll < 0.83 and repeats < 2:
                part = self.repeat(node, guards, depth, repeats, in_epoch, indent)
            elif roll < 0.91:
                part = self.conditional(node, guards, depth, repeats, in_epoch, indent)
            elif not in_epoch:
                inner = self.flow(node, guards, depth + 1, repeats, True, indent + 4)
                part = [f"{pad}Epoch {{"] + inner + [f"{pad}}}"] if inner else None
                self.features.add("epoch")
            if part:
                lines += part
        return lines

    def enter(self, node, guards, depth, repeats, in_epoch, indent):
        pad = " " * indent
        choices = list(node.children) + ([node.sub_node] if node.sub_node is not None else [])
        if not choices:
            return None
        child = self.pick(choices)
        inner = self.flow(child, guards, depth + 1, repeats + child.sub, in_epoch, indent + 4)
        if not inner:
            return None
        if child.sub:
            self.features.add("sub-partition")
        return [pad + ("Repeat foreach sub-partition {" if child.sub else f"Space {child.name} {{")] + inner + [pad + "}"]

    def rounds(self, indent):
        """Rounds of an epoch in an LPS with padding: the usual stencil."""
        padded = [(n, e.array) for n in self.nodes for e in n.entries.values()
                  if e.padding and e.array.lag > 0 and self.is_exclusive(n, e.array, frozenset())]
        if not padded:
            return None
        node, array = self.pick(padded)
        pad = " " * 12
        scope = Scope(self, node)
        name, lines = self.fresh("stencil"), []
        inner = scope.inner()
        indices = self.loop_over(inner, array, "i")
        inner.written[array.name] = indices
        lines.append(f"{pad}do {{")
        lines.append(f"{pad}    sum = 0.0" if array.kind != "int" else f"{pad}    sum = 0")
        place = inner.name(array)
        for dim in range(array.rank):
            for shift in ("- 1", "+ 1"):
                index = f"{indices[dim]} {shift}"
                where = "".join(f"[{index if d == dim else indices[d]}]" for d in range(array.rank))
                lag = self.rng.randint(1, array.lag)
                lines.append(f"{pad}    if ({index} in {place}.local.dimension{dim + 1}.range) {{ sum = sum + {place}{where} at (current - {lag}) }}")
        whole = place + "".join(f"[{i}]" for i in indices)
        last = f"0.2 * (sum + {whole} at (current - 1))" if array.kind != "int" else f"(sum + {whole} at (current - 1)) % 199"
        lines.append(f"{pad}    {whole} = {last}")
        lines.append(f"{pad}}} for {', '.join(indices)} in {place}{self.restrictions(inner, array, indices)}")
        self.stages[name] = ([f for f, _ in scope.parameters], lines)
        self.features.add("stencil")
        call = f"{name}({', '.join(what.name for _, what in scope.parameters)})"
        text = [f"Epoch {{ {call} }}"]
        path = [n for n in node.path()]
        outer, inside = Scalar(self.fresh("r"), "int", self.root), Scalar(self.fresh("r"), "int", self.root)
        where = self.rng.randrange(len(path))
        for number, level in enumerate(path):
            if number == where:
                self.repeat_variables.append(inside)
                text = [f"Repeat for {inside.name} in [1...{self.rng.randint(1, 3)}] {{"] + text + ["}"]
            if number == 0 and self.chance(0.5):
                call = self.stage_call(node, frozenset())
                if call:
                    text.insert(self.rng.randint(0, len(text)) if len(text) == 1 else len(text), call)
            text = ["Repeat foreach sub-partition {" if level.sub else f"Space {level.name} {{"] + text + ["}"]
        self.repeat_variables.append(outer)
        text = [f"Repeat for {outer.name} in [1...{self.rng.randint(1, 3)}] {{"] + text + ["}"]
        depth, lines = 0, []
        for line in text:
            depth -= line.startswith("}")
            lines.append(" " * (indent + 4 * depth) + line)
            depth += line.endswith("{")
        return lines

    def repeat(self, node, guards, depth, repeats, in_epoch, indent):
        pad = " " * indent
        if self.chance(0.65):
            inner_scope = Scope(self, node)
            inner_scope.in_stage = False
            variable = Scalar(self.fresh("r"), "int", node)
            self.repeat_variables.append(variable)
            variable.constant = True
            last = self.pick(("2", "3", "1", "0", "4"))
            if self.chance(0.2) and self.args:
                last = f"partition.{self.pick(sorted(self.args))}"
            step = self.pick(("", "", "", " step 2"))
            self.scalars.append(variable)
            inner = self.flow(node, guards, depth + 1, repeats + 1, in_epoch, indent + 4)
            if self.chance(0.6):
                self.scalars.remove(variable)
            if not inner:
                if variable in self.scalars:
                    self.scalars.remove(variable)
                self.repeat_variables.remove(variable)
                return None
            self.features.add("repeat")
            return [f"{pad}Repeat for {variable.name} in [1...{last}]{step} {{"] + inner + [pad + "}"]
        counter = Scalar(self.fresh("n"), "int", node)
        counter.constant = True
        self.counters.append(counter)
        self.scalars.append(counter)
        scope = Scope(self, node)
        scope.in_stage = False
        also = f" and {self.condition(scope, 0)}" if self.chance(0.4) else ""
        inner = self.flow(node, guards, depth + 1, repeats + 1, in_epoch, indent + 4)
        self.stages.setdefault("count", (["n"], [" " * 12 + "n = n + 1"]))
        self.stages.setdefault("reset", (["n"], [" " * 12 + "n = 0"]))
        self.features.add("while")
        return ([f"{pad}reset({counter.name})", f"{pad}Repeat while {counter.name} < {self.rng.randint(1, 3)}{also} {{",
                 f"{pad}    count({counter.name})"] + inner + [pad + "}"])

    def conditional(self, node, guards, depth, repeats, in_epoch, indent):
        pad, real = " " * indent, node.real()
        scope = Scope(self, node)
        scope.in_stage = False
        if real.dims > 0 and not node.sub and self.chance(0.6):
            dims = [d for d in range(real.dims) if self.chance(0.7)] or [0]
            tests = " and ".join(f"lpuId[{d}] == {self.rng.choice((0, 0, 1))}" for d in dims)
            guards = guards | {(real.name, d) for d in dims}
        else:
            tests = self.condition(scope)
        inner = self.flow(node, guards, depth + 1, repeats, in_epoch, indent + 4)
        if not inner:
            return None
        self.features.add("if")
        return [f"{pad}{self.pick(('If', 'Where'))} {tests} {{"] + inner + [pad + "}"]

    # ---- The whole ----------------------------------------------------------------------------------------------

    def make_scalars(self):
        self.scalars, self.reductions, self.repeat_variables, self.counters = [], [], [], []
        for number in range(self.rng.randint(1, 4)):
            home = self.pick([n for n in self.nodes if not n.sub])
            scalar = Scalar(f"s{number + 1}", self.pick(("double", "double", "single", "int")), home)
            if self.chance(0.25):
                scalar.home, scalar.constant = self.root, True
            else:
                home.scalars.append(scalar)
                scalar.lag = self.rng.choices((0, 1, 2), (6, 3, 1))[0]
            self.scalars.append(scalar)
        for number in range(self.rng.randint(0, 4)):
            home = self.pick([n for n in self.nodes if not n.sub])
            op = self.pick(("sum", "sum", "product", "max", "min", "max_entry", "min_entry", "band", "bor", "land", "lor"))
            kind = "bool" if op in ("land", "lor") else "int" if op in ("max_entry", "min_entry", "band", "bor") else self.pick(("double", "double", "single", "int"))
            bound = {"sum": 400.0 * (INTEGER_LIMIT if kind == "int" else REAL_LIMIT), "product": 50.0,
                     "band": 2048, "bor": 2048}.get(op, INTEGER_LIMIT if kind == "int" else REAL_LIMIT)
            if op == "sum" and kind == "int":
                bound = 400000
            target = Scalar(f"q{number + 1}", kind, home, bound)
            target.op, target.space = op, home.name
            self.reductions.append(target)
            self.scalars.append(target)

    def mapping(self):
        name, levels = self.pick((("one", ["Machine", "Core"]), ("two", ["Machine", "Core"]), ("pairs", ["Machine", "Socket", "Core"]),
                                  ("uneven", ["Machine", "Board", "Socket", "Core"]), ("deep", ["Machine", "Socket", "Cache", "Core"]),
                                  ("deep", ["Machine", "Socket", "Cache", "Core"]), ("flat", ["Machine", "Core"])))
        return name, levels

    def mapping_text(self, task, levels):
        level, words = {"Root": 0}, []
        for node in self.nodes[1:]:
            if node.sub:
                continue
            low = level[node.parent.real().name]
            choice = self.rng.randint(low, len(levels) - 1)
            if self.chance(0.3):
                choice = len(levels) - 1
            level[node.name] = choice
            words.append(f"Space {node.name}: {levels[choice]}")
        return f'"{task}" {{ ' + "  ".join(words) + " }"

    def entry_text(self, node, entry):
        divided = [i for i in entry.dims if i is not None]
        name = entry.array.name
        if node.dims == 0:
            return name
        if not divided:
            return f"{name}: " + ", ".join(["replicated"] * node.dims)
        if entry.array.rank > node.dims:
            name += "<" + ", ".join(f"dim{k + 1}" for k, _ in divided) + ">"
        return f"{name}: {', '.join(self.instruction_texts(entry))}"

    def instruction_texts(self, entry):
        """Each instruction with its padding; two of one function may share it: f(a, b) padding(p)."""
        dims = entry.dims
        if len(dims) == 2 and None not in dims and self.chance(0.6):
            names = [i[1].split("(")[0] for i in dims]
            arguments = [i[1].split("(")[1][:-1] for i in dims]
            padding = [entry.padding.get(i[0]) for i in dims]
            if names[0] == names[1] and names[0] in ("block_size", "block_count") and (None not in padding or padding == [None, None]):
                text = f"{names[0]}({', '.join(arguments)})"
                if padding[0] is None:
                    return [text]
                (a, b), (c, d) = padding
                if a == b == c == d and self.chance(0.8):
                    return [f"{text} padding({a})"]
                return [f"{text} padding({a}, {c})" if a == b and c == d else f"{text} padding({a}, {b}, {c}, {d})"]
        words = []
        for i in dims:
            text = "replicated" if i is None else i[1]
            padding = entry.padding.get(i[0]) if i is not None else None
            if padding is not None:
                text += f" padding({padding[0]})" if padding[0] == padding[1] else f" padding({padding[0]}, {padding[1]})"
            words.append(text)
        return words

    def partition_text(self, node, indent):
        pad = " " * indent
        kind = "un-partitioned" if node.dims == 0 else f"{node.dims}d"
        if node.sub:
            lines = [f"{pad}Sub-partition <{kind}> <{'ordered' if node.ordered else 'unordered'}> {{"]
        else:
            parent = "" if node.parent is self.root else f" divides Space {node.parent.name} {'sub-partitions' if node.parent.sub else 'partitions'}"
            lines = [f"{pad}Space {node.name} <{kind}>{parent} {{"]
        if node.dims == 0:
            lines.append(f"{pad}    {', '.join(node.entries)}")
        else:
            for entry in node.entries.values():
                text = self.entry_text(node, entry)
                if node.sub and node.ordered and ":" in text and node.dims == 1 and "replicated" not in text:
                    text += node.order
                lines.append(f"{pad}    {text}")
        if node.sub_node is not None:
            lines += self.partition_text(node.sub_node, indent + 4)
        return lines + [pad + "}"]

    def task_text(self, name, computation):
        """The Task section."""
        links = [a for a in self.arrays if a.env == "link"]
        created = [a.name for a in self.arrays if a.env == "create"] + self.printed
        out = [f'Task "{name}":', "    Define:"]
        for array in self.arrays:
            out.append(f"        {array.name}: {array.rank}d Array of {TYPES[array.kind]}{' single-precision' if array.narrow else ''}")
        for scalar in self.scalars + [v for v in self.repeat_variables if v not in self.scalars]:
            kind = TYPES[scalar.kind]
            out.append(f"        {scalar.name}: {kind}{' Reduction' if scalar in self.reductions else ''}")
        out.append("    Environment:")
        if links:
            out.append(f"        {', '.join(a.name for a in links)}: link")
        if created:
            out.append(f"        {', '.join(created)}: create")
        out.append("    Initialize:")
        for array in self.arrays:
            if array.env != "link":
                for d in range(array.rank):
                    source, k = self.model_of[array.dims[d]]
                    out.append(f"        {array.name}.dimension{d + 1} = {source.name}.dimension{k + 1}")
        for scalar in self.scalars:
            if scalar not in self.reductions and scalar not in self.repeat_variables and scalar not in self.counters:
                value = self.rng.randint(1, 6)
                out.append(f"        {scalar.name} = {value if scalar.kind == 'int' else value / 4}")
        if out[-1] == "    Initialize:":
            out.pop()
        out.append("    Stages:")
        for stage, (parameters, lines) in self.stages.items():
            out += [f"        {stage}({', '.join(parameters)}) {{"] + lines + ["        }"]
        out += ["    Computation:"] + computation
        out.append(f"    Partition ({', '.join(self.args)}):" if self.args else "    Partition:")
        for node in self.nodes[1:]:
            if not node.sub:
                out += self.partition_text(node, 8)
        return out

    def finish(self):
        """The flow, once arrays and LPSes are there."""
        self.make_tree()
        self.make_scalars()
        self.budget = self.rng.choice((4, 8, 12, 20))
        computation = []
        while not computation:
            computation = self.flow(self.root, frozenset(), 0, 0, False, 8)
            self.budget = max(self.budget, 3)
        self.printed = [s.name for s in self.scalars if s.name in self.touched and s.home.is_single()]
        return computation

    def second(self):
        """A generator for a task over the same data: what the first one gives can be linked."""
        other = Generator(self.rng.randrange(10**9))
        other.prefix, other.extent, other.arrays = "m", self.extent, []
        for array in self.arrays:
            if array.env is None:
                continue
            twin = Array(array.name, array.kind, array.dims)
            twin.narrow = array.narrow
            twin.env = other.rng.choices(("link", "create"), (5, 1))[0]
            if twin.kind != "cell" and other.chance(0.5):
                twin.lag = other.rng.choices((1, 2), (5, 1))[0]
            other.arrays.append(twin)
        for extent in {e for a in other.arrays for e in a.dims}:
            having = [a for a in other.arrays if extent in a.dims]
            if all(a.env != "link" for a in having):
                having[0].env = "link"
        other.model_of = {e: next((a, a.dims.index(e)) for a in other.arrays if a.env == "link" and e in a.dims)
                          for e in {e for a in other.arrays for e in a.dims}}
        return other

    def execute_text(self, task, env, suffix=""):
        text = f'    execute(task: "{task}"; environment: {env}'
        return text + (f"; partition: {', '.join('args.' + k + suffix for k in self.args)})" if self.args else ")")

    def program(self):
        self.make_arrays()
        computation = self.finish()
        other = self.second() if self.chance(0.35) else None
        tasks = [self.task_text("T", computation)]
        if other is not None:
            tasks.append(other.task_text("U", other.finish()))
        model, levels = self.mapping()
        links = [a for a in self.arrays if a.env == "link"]
        given = [a for a in self.arrays if a.env is not None]
        words = [f"{k}={v}" for k, v in self.args.items()]
        out = ["Program (args) {", '    env = new TaskEnvironment(name: "T")']
        out += [f'    bind_input(env, "{a.name}", args.{a.name})' for a in links]
        out += [f'    bind_output(env, "{a.name}", args.{a.name}_out)' for a in given]
        out.append(self.execute_text("T", "env"))
        out += [f"    print(env.{name})" for name in self.printed]
        outputs = [a.name for a in given]
        if other is not None:
            words += [f"{k}={v}" for k, v in other.args.items()]
            out.append('    other = new TaskEnvironment(name: "U")')
            out += [f"    other.{a.name} = env.{a.name}" for a in other.arrays if a.env == "link"]
            out.append(other.execute_text("U", "other"))
            out += [f"    print(other.{name})" for name in other.printed]
            for array in other.arrays:
                if array.env == "create":
                    out.append(f'    bind_output(other, "{array.name}", args.{array.name}2_out)')
                    outputs.append(f"{array.name}2")
        if self.chance(0.35):
            other_arguments = self.chance(0.6)
            words += [f"{k}b={max(1, v + self.rng.randint(-1, 1))}" for k, v in self.args.items()] if other_arguments else []
            out.append(self.execute_text("T", "env", "b" if other_arguments else ""))
            out += [f"    print(env.{name})" for name in self.printed]
        out += ["}", ""]
        for number, array in enumerate(links):
            extents = ",".join(str(self.extent[d]) for d in array.dims)
            words.append(f"{array.name}=@ints({extents},{'int32' if array.narrow else 'int64'},low=-50,high=50,seed={number})" if array.kind == "int"
                         else f"{array.name}=@rand({extents},{NUMPY[array.kind]},seed={number})")
        words += [f"{name}_out=%out" for name in outputs]
        header = ["// run", f"// args: {' '.join(words)}", f"// model: {model}"]
        for _ in range(4):
            text = self.mapping_text("T", levels) + (" " + other.mapping_text("U", levels) if other is not None else "")
            if f"// map-text: {text}" not in header:
                header.append(f"// map-text: {text}")
        if any(a.kind == "cell" for a in self.arrays):
            out += ["Type Cell:", "    x: Real double-precision", "    hits: Integer", ""]
        if "blend" in self.functions or (other is not None and "blend" in other.functions):
            out += ["Function blend(x, y) {", "    if (x > y) { return 0.5 * x + 0.25 * y }", "    return 0.25 * x + 0.5 * y", "}", ""]
        for task in tasks:
            out += task + [""]
        return "\n".join(header + out) + "\n"


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


def generate(seed):
    generator = Generator(seed)
    return generator.program()


if __name__ == "__main__":
    sys.stdout.write(generate(int(sys.argv[1])))
