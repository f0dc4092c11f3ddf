#!/usr/bin/env python3
"""Extern blocks, which the reference interpreter cannot run: their results, and what is said of wrong ones.

    check_extern.py HP5C
"""
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

PROGRAM = """Program (args) {
    env = new TaskEnvironment(name: "Roots")
    bind_input(env, "a", args.a)
    bind_input(env, "x", args.x)
    execute(task: "Roots"; environment: env; partition: args.k)
    bind_output(env, "g", args.g)
    print(env.largest)
}

Type Pair:
    first: Real double-precision
    second: Integer

Task "Roots":
    Define:
        a: 1d Array of Integer
        x, g: 1d Array of Real double-precision
        scale: Real double-precision
        largest: Real double-precision Reduction
    Environment:
        a, x: link
        g, largest: create
    Initialize:
        g.dimension = x.dimension
        scale = 2.0
    Stages:
        compute(a, g, x, scale, largest) {
            do {
                pair = new Pair(first: x[i], second: a[i])
                value = 0.0
                @Extern {
                    @Language "C"
                    @Includes { math.h, stdlib.h }
                    @Libraries { m }
                    ${
                        double root = cbrt(pair.first) * scale;
                        value = root + (double)llabs(pair.second);
                        pair.second = 1;
                    }$
                }
                g[i] = value + pair.second
                reduce(largest, "max", g[i])
            } for i in a
        }
    Computation:
        Space A { compute(a, g, x, scale, Space Root: largest) }
    Partition (k):
        Space A <1d> { a, g, x: block_size(k) }
"""


CPLUSPLUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cplusplus.hp5")


def compiled(hp5c, folder, text, *options):
    with open(os.path.join(folder, "p.hp5"), "w", encoding="utf-8") as file:
        file.write(text)
    environment = dict(os.environ, TMPDIR=folder, LC_ALL="C.UTF-8")
    done = subprocess.run([hp5c, "p.hp5", "-o", "p", *options], cwd=folder, capture_output=True, text=True, env=environment)
    left = [name for name in os.listdir(folder) if name.startswith("hp5c-")]
    assert not left, f"files were left: {left}"
    return done


def check_results(hp5c, folder):
    done = compiled(hp5c, folder, PROGRAM)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    a, x = np.arange(-40, 57), np.random.default_rng(1).random(97)
    np.save(os.path.join(folder, "a.npy"), a)
    np.save(os.path.join(folder, "x.npy"), x)
    for threads in (1, 2, 3, 8):
        said = subprocess.run(["./p", "a=a.npy", "x=x.npy", "g=g.npy", "k=5", f"--threads={threads}"], cwd=folder, check=True,
                              capture_output=True, text=True).stdout
        g = np.load(os.path.join(folder, "g.npy"))
        assert np.allclose(g, np.cbrt(x) * 2 + np.abs(a) + 1), threads
        assert float(said) == g.max(), said


def check_cplusplus(hp5c, folder, options):
    with open(CPLUSPLUS, encoding="utf-8") as file:
        done = compiled(hp5c, folder, file.read(), *options)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    a, x = np.arange(30).reshape(15, 2), np.arange(15) / 7
    np.save(os.path.join(folder, "a.npy"), a)
    np.save(os.path.join(folder, "x.npy"), x)
    for threads in (1, 2, 3, 8):
        said = subprocess.run(["./p", "a=a.npy", "x=x.npy", "g=g.npy", "k=4", f"--threads={threads}"], cwd=folder, check=True,
                              capture_output=True, text=True).stdout.split()
        g = np.load(os.path.join(folder, "g.npy"))
        assert np.allclose(g, 7 + np.cbrt(x) * 3 + a.max(1) + 4), threads
        assert said == [repr(float(g.max())), "7.0", "105", "15"], said


def refused(hp5c, folder, text, message, *options):
    """The whole text that hp5c prints."""
    done = compiled(hp5c, folder, text, *options)
    assert done.returncode == 1 and done.stderr == message, f"{done.returncode}\n{done.stderr}"


def said(hp5c, folder, text, status, place, code, pattern, *options):
    """A message of a compiler at its place in the program, with the line below; the same as JSON, and nothing else."""
    done = compiled(hp5c, folder, text, *options)
    first = done.stderr.splitlines()[0]
    assert done.returncode == status, f"{done.returncode}\n{done.stderr}"
    assert re.fullmatch(rf"p\.hp5:{place}: (error|warning): the C(\+\+)? compiler: {pattern} \[{code}\]", first), done.stderr
    assert "program.c" not in done.stderr and "extern.cc" not in done.stderr and "^" in done.stderr, done.stderr
    lines = [json.loads(line) for line in compiled(hp5c, folder, text, "--json", *options).stderr.splitlines()]
    found = [(line["file"], f"{line['line']}:{line['column']}", line["code"]) for line in lines]
    assert ("p.hp5", place, code) in found, lines
    return done.stderr


def check_messages(hp5c, folder, cc="cc", cxx="c++"):
    options = ["--cc", cc, "--cxx", cxx]
    said(hp5c, folder, PROGRAM.replace("root = cbrt", "root = = cbrt"), 1, "36:39", "E1505", "expected expression.*", *options)
    missing = """p.hp5:34:37: error: the library 'no_such_library' was not found [E1506]
   34 |                     @Libraries { m, no_such_library }
      |                                     ^~~~~~~~~~~~~~~
   help: install it, or say where it is: --cc-flag -L/its/folder
"""
    refused(hp5c, folder, PROGRAM.replace("@Libraries { m }", "@Libraries { m, no_such_library }"), missing, *options)
    refused(hp5c, folder, PROGRAM.replace("stdlib.h", "no_such_header.h"), """p.hp5:33:41: error: the header 'no_such_header.h' was not found [E1505]
   33 |                     @Includes { math.h, no_such_header.h }
      |                                         ^~~~~~~~~~~~~~~~
   help: install the library that it belongs to, or say where it is: --cc-flag -I/its/folder
""", *options)
    refused(hp5c, folder, PROGRAM.replace("value = root +", "double far_away(double); value = far_away(root) +"), """p.hp5:37:32: error: the linker finds 'far_away' in no library [E1506]
   37 |                         double far_away(double); value = far_away(root) + (double)llabs(pair.second);
      |                                ^~~~~~~~
   help: name the library that has it: @Libraries { … }
""", *options)
    # a header that is missing: as a warning of C, or as an error of newer compilers
    text = PROGRAM.replace("pair.second = 1;", "pair.second = toupper('a') - 64;")
    message = compiled(hp5c, folder, text, *options).stderr
    assert "its header is missing: add @Includes { ctype.h } to the extern block\n" in message and "p.hp5:38:39: " in message, message
    with open(CPLUSPLUS, encoding="utf-8") as file:
        text = file.read()
    said(hp5c, folder, text.replace("std::cbrt(", "std::no_such_function("), 1, "61:44", "E1505", ".*no_such_function.*", *options)
    message = compiled(hp5c, folder, text.replace("std::cbrt(", "(double)std::map<int, int>().size() + std::cbrt("), *options).stderr
    assert message.startswith("p.hp5:61:") and "[E1505]" in message, message
    if cxx == "c++":
        assert "its header is missing: add @Includes { map } to the extern block\n" in message, message
    refused(hp5c, folder, text.replace("cmath", "no_such_header"), """p.hp5:58:33: error: the header 'no_such_header' was not found [E1505]
   58 |                     @Includes { no_such_header, algorithm }
      |                                 ^~~~~~~~~~~~~~
   help: install the library that it belongs to, or say where it is: --cc-flag -I/its/folder
""", *options)
    refused(hp5c, folder, text.replace("{ m }", "{ m, no_such_library }"), """p.hp5:59:37: error: the library 'no_such_library' was not found [E1506]
   59 |                     @Libraries { m, no_such_library }
      |                                     ^~~~~~~~~~~~~~~
   help: install it, or say where it is: --cc-flag -L/its/folder
""", *options)
    done = compiled(hp5c, folder, text, "--cxx", "no-such-compiler")
    assert done.returncode == 2 and done.stderr == """hp5c: error: cannot start the C++ compiler 'no-such-compiler': No such file or directory [E1504]
   help: install one (Debian: apt-get install build-essential) or name another with --cxx
""", done.stderr


# What C compilers would warn about if it were written as it stands: locals that nothing reads, constants that do not fit.
QUIET = """Program (args) {
    job = new TaskEnvironment(name: "Inc")
    spare = new TaskEnvironment(name: "Inc")
    bind_input(job, "v", args.v)
    x = 3
    big = 9223372036854775807 + 1
    z = 100000 * 100000 * 100000 * 100000 - 1
    if (args.n > 5) { q = 4 }
    do in sequence { last = i } for i in [1...3]
    execute(task: "Inc"; environment: job; initialize: args.n; partition: args.k)
    r = job.s
    w = [1...args.n]
    print(-9223372036854775807 - 5)
    bind_output(job, "v", args.out)
}
Task "Inc":
    Define:
        v: 1d Array of Real double-precision
        n: Integer
        s: Real double-precision Reduction
    Environment:
        v: link
        s: create
    Initialize (n):
        unread = n * 2
    Stages:
        inc(v, n) {
            u = 5
            wide = 9223372036854775807 * 2
            do {
                h = i * 3
                g = v[i] / 2
                if (h > n) { v[i] = g + 1.0 }
                q = 0
                do in sequence {
                    p = j + 1
                    if (p > 3) { q = q + p }
                    z = q * 2
                } for j in [1...n]
                v[i] = v[i] + q
            } for i in v
        }
        total(v, s) { do { z = 3 reduce(s, "sum", v[i]) } for i in v }
    Computation:
        Space A { Repeat for r in [1...n] { inc(v, n) total(v, Space Root: s) } }
    Partition (k):
        Space A <1d> { v: block_size(k) }
"""


def check_quiet(hp5c, folder):
    """No compiler has anything to say of the C text, and what one says of extern code reaches the user as a warning."""
    for kind, cc in itertools.product(([], ["--checked"], ["-g"]), [name for name in ("gcc", "clang") if shutil.which(name)]):
        done = compiled(hp5c, folder, QUIET, "--cc", cc, "--cc-flag", "-Wshadow", "--cc-flag", "-Werror", *kind)
        said_of_c = [line for line in done.stderr.splitlines() if re.match(r"\S+:", line) and not re.search(r"\[W0\d+\]$", line)]
        assert done.returncode == 0 and not said_of_c, done.stderr
    np.save(os.path.join(folder, "v.npy"), np.zeros(5))
    compiled(hp5c, folder, QUIET)
    done = subprocess.run(["./p", "v=v.npy", "out=o.npy", "n=2", "k=2"], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout == "9223372036854775804\n", done.stdout
    text = PROGRAM.replace("value = root", "int idle; value = root")
    said(hp5c, folder, text, 0, "37:29", "W1508", r"unused variable .idle. \[-Wunused-variable\]")
    done = compiled(hp5c, folder, text, "--cc-flag", "-Wno-unused-variable")
    assert done.returncode == 0 and done.stderr == "", done.stderr


def check_flags(hp5c, folder, cc="cc"):
    done = compiled(hp5c, folder, PROGRAM, "--cc", cc, "--cc-flag", "-no-such-flag")
    assert done.returncode == 2 and done.stderr == f"""hp5c: error: the compiler '{cc}' does not know '-no-such-flag' [E1502]
   help: it was given with --cc-flag
""", done.stderr
    environment = dict(os.environ, TMPDIR=folder)
    lines = subprocess.run([hp5c, "--json", "p.hp5", "--cc", "false"], cwd=folder, capture_output=True, text=True, env=environment, check=False).stderr.splitlines()
    assert len(lines) == 1 and json.loads(lines[0])["code"] == "E1504" and json.loads(lines[0])["help"][0] == "it said: ", lines
    for name in os.listdir(folder):
        if name.startswith("hp5c-"):
            shutil.rmtree(os.path.join(folder, name))


DEFAULTS = """Program (args) {
    job = new TaskEnvironment(name: "Sort")
    bind_input(job, "v", args.v)
    execute(task: "Sort"; environment: job)
}
Task "Sort":
    Define:
        v: 1d Array of Real double-precision
    Environment:
        v: link
    Stages:
        show(v) {
            n = v.local.dimension1.range.max
            @Extern {
                @Language "C++"
                ${
                    vector<double> copy(v, v + n + 1);
                    sort(copy.begin(), copy.end());
                    printf("%.1f ", sqrt(std::max(copy[0], 0.25)));
                    fflush(stdout);
                    char text[8];
                    strcpy(text, "end");
                    cout << copy[n] << " " << std::string(text) << " " << abs(-3) << endl;
                }$
            }
        }
    Computation:
        Space Root { show(v) }
"""


def check_defaults(hp5c, folder):
    """Headers that extern code in C++ has without asking, and names of std."""
    done = compiled(hp5c, folder, DEFAULTS)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    np.save(os.path.join(folder, "v.npy"), np.array([3.0, 1.0, 2.0]))
    done = subprocess.run(["./p", "v=v.npy"], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout == "1.0 3 end 3\n", done.stdout


def check_texts(hp5c, folder):
    """-S writes both files, and they can be compiled by hand."""
    done = subprocess.run([hp5c, CPLUSPLUS, "-S", "-o", "two.c"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    subprocess.run(["c++", "-std=gnu++17", "-Wall", "-Wextra", "-Werror", "-c", "two.cc", "-o", "two.o"], cwd=folder, check=True)
    with open(os.path.join(folder, "two.c"), encoding="utf-8") as file:
        assert "hp5_extern_4(" in file.read()


def main():
    hp5c = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        check_results(hp5c, folder)
        check_cplusplus(hp5c, folder, [])
        check_cplusplus(hp5c, folder, ["--checked", "-g"])
        check_messages(hp5c, folder)
        check_texts(hp5c, folder)
        check_quiet(hp5c, folder)
        check_flags(hp5c, folder)
        check_defaults(hp5c, folder)
        if shutil.which("clang") and shutil.which("clang++"):
            check_cplusplus(hp5c, folder, ["--cc", "clang", "--cxx", "clang++"])
            check_messages(hp5c, folder, "clang", "clang++")


if __name__ == "__main__":
    sys.exit(main())
