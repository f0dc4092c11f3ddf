#!/bin/sh
# Sets up, builds, and runs every test. Further arguments go to ctest, for example
#
#     sh tests/all.sh -R unit/
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${HP5_BUILD:-$root/build}
sh "$root/tests/setup.sh" --for-tests
exec ctest --test-dir "$build" --output-on-failure -j "$(nproc)" "$@"
