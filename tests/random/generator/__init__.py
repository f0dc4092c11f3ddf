"""Random HP5 programs of one or two tasks, typed and free of undefined behaviour.

generate(seed) gives a language test of kind `run` (tests/run_language.py): the program with its
arguments, mappings and model in the first lines. What keeps a program defined:

  - an array is written in an LPS only where each of its elements is held, unpadded, by one LPU that takes part
    (Spaces.is_exclusive), either through the divisions or through an `If lpuId[d] == c` around the call;
  - a loop that writes an array reads it at lag 0 only in the element it writes;
  - subscripts stay in the LPU's part: a loop index whose part is contained in the array's by the divisions
    (signatures), the ends of the local range, or an index under a test of membership;
  - magnitudes are tracked (a Term is a text and a bound), and every assignment scales its value back.

One room for each part of a program: shapes (arrays, scalars, LPSes), spaces (the tree and its divisions), expressions,
stages, nests (stages whose loops depend on each other), flow (the Computation), mappings, coordinator (Program, tasks that share data), printing; variants
changes a whole program's text. Read spaces first. Half of the programs are made in another way, of pieces that go for what these
seldom reach: focused, focused_loops and focused_vectors.
"""
import random

from .coordinator import Coordinator
from .expressions import Expressions
from .flow import Flow
from .focused import Focus
from .mappings import Mappings
from .nests import Nests
from .printing import Printing
from .spaces import Spaces
from .stages import Stages
from .variants import variant


FOCUSED = 0.5  # of the programs


class Generator(Spaces, Expressions, Stages, Nests, Flow, Mappings, Printing, Coordinator):
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.counter = 0
        self.prefix = "k"        # of partition arguments
        self.args = {}           # partition arguments: name → value
        self.stages = {}         # name → (parameters, lines)
        self.features = set()
        self.touched = set()     # scalars that some stage writes
        self.functions = set()   # user functions that are called
        self.controls = []       # LPSes of the conditions and loops around, in which each LPU decides for itself
        self.initial = []        # scalars that are parameters of Initialize
        self.epoch_node = None   # where the Epoch stands that is being filled
        self.free = self.chance(0.2)  # results do not depend on partition arguments, nor on numbers of PPUs

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, items):
        return items[self.rng.randrange(len(items))]

    def fresh(self, stem):
        self.counter += 1
        return f"{stem}{self.counter}"

    def is_whole(self, node, array, dims=None):
        """No LPS above divides those dimensions of the array."""
        return all(len(node.signature(array, d)) == 1 for d in (range(array.rank) if dims is None else dims))


__all__ = ["generate", "generated", "variant"]


def generated(seed):
    """The program, and what it has (a set of features)."""
    focus = random.Random(f"focus {seed}")
    maker = Focus(focus) if focus.random() < FOCUSED else Generator(seed)
    return maker.program(), maker.features


def generate(seed):
    return generated(seed)[0]
