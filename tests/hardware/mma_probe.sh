#!/usr/bin/env bash
# Decides on a real NVIDIA GPU (sm_90) which tensor-core model is right: runs mma.sync on generated fragments and compares all
# parameter sets of src/devicelib/mma_model.h. usage: tests/hardware/mma_probe.sh OUTDIR (needs nvcc and g++)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
out=${1:?usage: mma_probe.sh OUTDIR}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
nvcc -O2 -std=c++17 -arch=sm_90 -o "$work/probe" "$here/mma_probe.cu" &
g++ -O3 -std=c++20 -ffp-contract=off -I "$root/src" -I "$root/tests" -o "$work/evaluate" "$here/mma_evaluate.cpp" "$root/src/devicelib/mma.cpp" \
  "$root/src/devicelib/double_arithmetic.cpp"
wait
"$work/probe" "$work" | tee "$out/mma_probe.txt"
mkdir -p "$out/mma"
"$work/evaluate" "$work" "$out/mma" | tee "$out/mma_report.txt"
# $out/mma is the sample for tests/devicelib/data/mma; the whole recording, for another look at the models:
tar -C "$work" -czf "$out/mma_vectors.tar.gz" $(cd "$work" && ls *.bin)
