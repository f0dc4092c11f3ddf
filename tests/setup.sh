#!/bin/sh
# Installs what the project needs from Debian's packages (only what is missing) and builds it.
# Used by programs/heat.sh and tests/all.sh; needs root or sudo only when something is missing.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${HP5_BUILD:-$root/build}

packages="gcc libc6-dev cmake ninja-build pkg-config re2c lemon libhwloc-dev libjansson-dev libcunit1-dev uthash-dev python3 python3-numpy python3-matplotlib"
[ "${1:-}" = "--for-tests" ] && packages="$packages g++ clang python3-scipy librandom123-dev libmpfr-dev libopenmpi-dev openmpi-bin libmpich-dev mpich libsimgrid-dev tcc"

missing=""
for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing="$missing $package"
done
if [ -n "$missing" ]; then
    as_root=""
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || { echo "setup: these packages are missing and need root to install:$missing" >&2; exit 2; }
        as_root=sudo
    fi
    echo "setup: installing$missing"
    export DEBIAN_FRONTEND=noninteractive
    $as_root apt-get update -qq
    # shellcheck disable=SC2086
    $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

# A build folder of another checkout or machine is configured anew by CMake itself.
cmake -S "$root" -B "$build" -G Ninja >/dev/null
# shellcheck disable=SC2086
ninja -C "$build" --quiet ${HP5_TARGETS:-}
