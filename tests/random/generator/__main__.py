"""python3 -m generator SEED prints the program of that seed."""
import sys

from . import generate

sys.stdout.write(generate(int(sys.argv[1])))
