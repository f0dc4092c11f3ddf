"""How a program is compiled for one comparison: C compiler, level, sanitizer, run-time checks.

The C compiler takes nearly all of the time of a random run, so most builds are made by tcc (a tenth of the time of clang
-O0; left out where it is not installed) and at -O0. choose() draws a build for (seed, mapping) from the weights, and draws
the same one again for the same seed. Toolchain makes what builds share, once: runtime libraries compiled with a
sanitizer or for tcc, and (quick=True) the runtime's header precompiled.
"""
import functools
import os
import random
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "tools"))
import sanitized # noqa: E402
import shared # noqa: E402


class Build:
    def __init__(self, name, weight, cc, flags, options=(), sanitizer=None, threads=(1, 2, 3, 8)):
        self.name, self.weight, self.cc, self.flags = name, weight, cc, list(flags)
        self.options, self.sanitizer, self.threads = list(options), sanitizer, threads


BUILDS = (
    Build("tcc", 150, "tcc", []),
    Build("tcc checked", 20, "tcc", [], ["--checked"]),
    Build("clang -O0", 6, "clang", ["-O0"]),
    Build("gcc -O0", 2, "gcc", ["-O0"]),
    Build("gcc -O1", 5, "gcc", ["-O1"]),
    Build("gcc -O3", 5, "gcc", ["-O3"]),
    Build("clang -O2", 1, "clang", ["-O2"]),
    Build("checked", 2, "clang", ["-O0"], ["--checked"]),
    Build("checked -O2", 1, "gcc", ["-O2"], ["--checked"]),
    Build("thread", 2, "gcc", ["-O1", "-g"], sanitizer="thread", threads=(2, 3, 8)),
    Build("address", 2, "gcc", ["-O1", "-g"], sanitizer="address", threads=(1, 3)),
)


@functools.cache
def has_sanitizers(hp5c):
    """Of its own, and the programs that it makes have them, too: others do not go beside them."""
    with open(hp5c, "rb") as file:
        return b"__asan_init" in file.read()


def choose(builds, seed, number):
    have = [b for b in builds if shutil.which(b.cc)]
    return random.Random(f"{seed} {number}").choices(have, [b.weight for b in have])[0]


def named(names, hp5c=None):
    """The builds of these names, or all; of hp5c, where it is given, those that it can make."""
    unknown = set(names) - {b.name for b in BUILDS}
    if unknown:
        raise SystemExit(f"no build is called {', '.join(sorted(unknown))}; there are: {', '.join(b.name for b in BUILDS)}")
    left_out = hp5c is not None and os.path.exists(hp5c) and has_sanitizers(hp5c)
    return [b for b in BUILDS if (not names or b.name in names) and not (b.sanitizer and left_out)]


class Toolchain:
    def __init__(self, hp5c, quick):
        self.hp5c, self.folder, self.quick = hp5c, shared.folder(hp5c), quick

    def command(self, build):
        """hp5c with the options that make the build; source, mapping, model and output are still to come."""
        flags = list(build.flags)
        if build.sanitizer:
            flags += sanitized.options(build.sanitizer, sanitized.runtime(build.sanitizer, self.hp5c, build.cc))
            cc = build.cc
        elif build.cc == "tcc":
            cc = self.once("cc-tcc", self.make_tcc)
        else:
            cc = self.once(f"cc-{build.name.replace(' ', '')}", lambda path: self.make_driver(build, path)) if self.quick else build.cc
        return [self.hp5c, "--cc", cc] + build.options + [f"--cc-flag={flag}" for flag in flags]

    def once(self, name, make):
        return shared.once(self.folder, name, make)

    def make_tcc(self, path):
        """tcc with the headers of tcc/, and the runtime as a shared library: it cannot link thread-local variables."""
        library, shim = f"{path}-libhp5.so", os.path.join(ROOT, "tests", "random", "tcc")
        subprocess.run(["gcc", "-std=gnu17", "-O2", "-march=native", "-ffp-contract=off", "-fwrapv", "-fPIC", "-shared", f"-I{ROOT}",
                        *sanitized.sources(), "-o", library, "-lhwloc", "-lpthread", "-lm"], check=True)
        helpers = subprocess.run(["gcc", "-print-libgcc-file-name"], check=True, capture_output=True, text=True).stdout.strip()
        self.write_script(path, f"""# tcc with the runtime as a shared library in place of libhp5.a
helpers={shlex.quote(helpers)}
for word; do
    shift
    case $word in */libhp5.a) word={shlex.quote(library)};; -c) helpers=;; esac
    set -- "$@" "$word"
done
exec tcc -I{shlex.quote(shim)} -include {shlex.quote(shim)}/shim.h -Wl,-rpath={shlex.quote(os.path.dirname(library))} "$@" $helpers""")

    def make_driver(self, build, path):
        """A C compiler that brings the runtime's header precompiled with the flags that hp5c gives, and links quickly."""
        args, source, stub = (f"{path}-{end}" for end in ("args", "empty.hp5", "stub"))
        with open(source, "w", encoding="utf-8") as out:
            out.write("Program (args) { }\n")
        self.write_script(stub, f'printf "%s\\n" "$@" > {shlex.quote(args)}\nexec {build.cc} "$@"')
        subprocess.run([self.hp5c, "--cc", stub] + build.options + [f"--cc-flag={flag}" for flag in build.flags] +
                       [source, "-o", f"{path}-empty"], check=True)
        with open(args, encoding="utf-8") as listed:
            flags = listed.read().splitlines()
        flags = flags[:flags.index("-o")]
        header, linker = os.path.join(ROOT, "runtime", "generated.h"), "-fuse-ld=gold " if shutil.which("ld.gold") else ""
        if build.cc == "clang":
            use = f"-include-pch {shlex.quote(path + '.pch')}"
            subprocess.run(["clang", *flags, "-x", "c-header", header, "-o", path + ".pch"], check=True)
        else:
            use = f"-iquote {shlex.quote(path + '-pch')}"
            os.makedirs(f"{path}-pch/runtime", exist_ok=True)
            subprocess.run([build.cc, *flags, "-x", "c-header", header, "-o", f"{path}-pch/runtime/generated.h.gch"], check=True)
        self.write_script(path, f'exec {build.cc} {use} {linker}"$@"')

    @staticmethod
    def write_script(path, text):
        with open(path, "w", encoding="utf-8") as out:
            out.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
