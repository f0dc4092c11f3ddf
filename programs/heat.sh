#!/bin/sh
# The main job: heat on a plate, compiled twice from one program by swapping the mapping file.
#
#     sh programs/heat.sh [edge length of the plate, default 2048] [refinements, default 200]
#
# Leaves the plates, their pictures and the programs in out/.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${HP5_BUILD:-$root/build}
edge=${1:-2048}
rounds=${2:-200}
case $edge$rounds in *[!0-9]*) echo "heat.sh: expected two numbers, found '$edge' and '$rounds'" >&2; exit 2 ;; esac
if [ "$edge" -lt 1 ] || [ "$rounds" -lt 20 ] || [ $((rounds % 20)) -ne 0 ]; then
    echo "heat.sh: the edge is at least 1, the refinements are a multiple of 20 (the padding: p1=20 p2=20)" >&2
    exit 2
fi
export HP5_TARGETS="hp5c hp5"
sh "$root/tests/setup.sh"
unset HP5_TARGETS

out=$root/out
mkdir -p "$out"
cd "$out"
python=/usr/bin/python3
"$python" "$root/programs/stencil/plate.py" make "$edge" start.npy

"$build/hp5c" --probe > machine.pcubes
echo "This machine, as a PCubeS model (out/machine.pcubes):"
"$build/hp5c" --show-model machine.pcubes

for mapping in cores serial; do
    "$build/hp5c" "$root/programs/stencil/stencil.hp5" --map "$root/mappings/stencil/$mapping.map" \
        --model machine.pcubes -o "heat-$mapping"
    cores=$(nproc)
    "./heat-$mapping" plate=start.npy result="$mapping.npy" iterations="$rounds" \
        k="$cores" l=1 m=$((edge / 64 / cores + 1)) n=$((edge / 1024 + 1)) p1=20 p2=20 --timing 2> "$mapping.log"
    "$python" "$root/programs/stencil/plate.py" report "$mapping" "$mapping.log" "$edge" "$rounds"
done
cmp cores.npy serial.npy
echo "Both mappings give the same plate, bit for bit."
"$python" "$root/programs/stencil/plate.py" picture start.npy cores.npy heat.png
echo "The plate before and after: out/heat.png"
