#!/bin/sh
# Fuzzes one target for some seconds with libFuzzer (clang), starting from the kept corpus:
#   sh tests/fuzz/run.sh source|mapping|model|npy|arguments [SECONDS]
# What it finds (crash-…, timeout-…, leak-…) lies in build-libfuzzer/found/TARGET; fix it, and keep a small
# reproducer in tests/fuzz/corpus/TARGET. An input of 64 KiB may take 1 s; sanitizers make that about 5.
set -eu
target=${1:?"which target? source, mapping, model, npy or arguments"}
seconds=${2:-1800}
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build-libfuzzer
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DHP5_FUZZ=ON >/dev/null
ninja -C "$build" --quiet "fuzz_$target"
mkdir -p "$build/corpus/$target" "$build/found/$target"
python=$(command -v /usr/bin/python3 || command -v python3) # the one with NumPy
"$python" "$root/tests/fuzz/make_dictionary.py" "$target" >"$build/$target.dict"
"$python" "$root/tests/fuzz/seeds.py" "$target" "$build/corpus/$target"
exec "$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -max_len=65536 -timeout=5 -rss_limit_mb=4096 -close_fd_mask=1 \
    -dict="$build/$target.dict" -artifact_prefix="$build/found/$target/" -print_final_stats=1 \
    "$build/corpus/$target" "$root/tests/fuzz/corpus/$target"
