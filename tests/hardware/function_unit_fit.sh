#!/usr/bin/env bash
# Finds the special-function unit's tables on a real NVIDIA GPU: records answers, fits, and writes
# OUTDIR/function_unit_tables.h, to be compared with src/devicelib/function_unit_tables.h.
# usage: tests/hardware/function_unit_fit.sh OUTDIR (needs cmake, ninja and g++; builds the preset `gpu`)
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
out=${1:?usage: function_unit_fit.sh OUTDIR}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
cd "$root"
cmake --preset gpu -DWARPWAVE_WARNINGS_AS_ERRORS=OFF > /dev/null
cmake --build build/gpu --target input-probe function-unit-fit warpwave-nvidia
record() { build/gpu/bin/input-probe results "${DEVICE:-nvidia}" "$2" "$3" "$4" "$5" > "$work/$1"; }
octave=$((1 << 23))
record rcp rcp.approx.ftz.f32 0x3f800000 1 $octave
record rsqrt rsqrt.approx.ftz.f32 0x3f800000 1 $((2 * octave))
record sqrt sqrt.approx.ftz.f32 0x3f800000 1 $((2 * octave))
record ex2 ex2.approx.ftz.f32 0x3f800000 1 $octave
record lg2 lg2.approx.ftz.f32 0x3f800000 1 $octave
for first in 3f000000 3f800000; do
  record sin$first sin.approx.ftz.f32 0x$first 4 $((octave / 4))
  record cos$first cos.approx.ftz.f32 0x$first 4 $((octave / 4))
done
for exponent in -8 -7 -6 -5 -4 -3 -2 -1 0 1 2; do
  record tanh$exponent tanh.approx.f32 $(((127 + exponent) << 23)) 2 $((octave / 2))
done
build/gpu/bin/function-unit-fit "$work" > "$out/function_unit_tables.h"
