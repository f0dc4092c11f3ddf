#!/bin/sh
# Line coverage of the compiler by all tests, in one command:
#
#     sh tests/coverage.sh [minimum percentage, default 90]
#
# Builds hp5c with coverage counters in build-coverage, runs every test, and prints a table. Generated
# lexers and parsers are left out: their lines are re2c's and Lemon's.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
minimum=${1:-90}
build=$root/build-coverage
sh "$root/tests/setup.sh" --for-tests
command -v gcovr >/dev/null || apt-get install -y -qq --no-install-recommends gcovr >/dev/null
cmake -S "$root" -B "$build" -G Ninja -DHP5_COVERAGE=ON -DCMAKE_BUILD_TYPE=Debug >/dev/null
ninja -C "$build" | tail -n 1
find "$build" -name '*.gcda' -delete
ctest --test-dir "$build" -j "$(nproc)" --output-on-failure -LE "random|docs" | tail -n 5
cd "$root"
gcovr --root "$root" --filter 'compiler/' --exclude-unreachable-branches --object-directory "$build" --fail-under-line "$minimum"
