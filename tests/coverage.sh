#!/bin/sh
# Line coverage of compiler and runtime by the tests, in one command:
#
#     sh tests/coverage.sh [-k]
#
# Builds hp5c and libhp5.a with coverage counters in build-coverage, runs the tests, and prints a table and three sums,
# each with the least that it must be: the front end (base, syntax, check, machine, mapping) 95 %, the compiler 90 %,
# the runtime 90 %. Compiled programs count, too: they are linked with the counting libhp5.a. With -k what the last runs
# counted is kept and only the tables are printed. Left out are generated lexers and parsers, whose lines are re2c's and
# Lemon's, and tests that build programs and runtime by themselves (sanitizers, warnings).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build-coverage
if [ "${1:-}" != -k ]; then
    HP5_TARGETS=hp5 sh "$root/tests/setup.sh" --for-tests
    command -v gcovr >/dev/null || apt-get install -y -qq --no-install-recommends gcovr >/dev/null
    cmake -S "$root" -B "$build" -G Ninja -DHP5_COVERAGE=ON -DCMAKE_BUILD_TYPE=Debug >/dev/null
    ninja -C "$build" --quiet
    find "$build" -name '*.gcda' -delete
    ctest --test-dir "$build" -j "$(nproc)" --output-on-failure -LE docs -E 'sanitizer|warnings|random/fresh|fuzz/large|seeded|reproducible' | tail -n 5
fi
cd "$root"
gcovr --root "$root" --filter compiler/ --filter runtime/ --object-directory "$build" --exclude-unreachable-branches \
    --json "$build/coverage.json"
gcovr --root "$root" --add-tracefile "$build/coverage.json"
status=0
# gcovr first removes what --output names: for root that would be /dev/null itself.
sum() { # NAME MINIMUM FOLDER…
    name=$1 minimum=$2
    shift 2
    for folder in "$@"; do set -- "$@" --filter "$folder/"; shift; done
    found=$(gcovr --root "$root" --add-tracefile "$build/coverage.json" "$@" --print-summary --output "$build/lines.txt" | sed -n 's/^lines: \([0-9.]*\)%.*/\1/p')
    echo "$name: $found % of the lines, at least $minimum"
    awk "BEGIN { exit !($found < $minimum) }" && status=1
    return 0
}
sum "front end" 95 compiler/base compiler/syntax compiler/check compiler/machine compiler/mapping
sum "compiler" 90 compiler
sum "runtime" 90 runtime
exit $status
