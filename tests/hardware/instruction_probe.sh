#!/usr/bin/env bash
# Compares the interpreter with a real NVIDIA GPU, instruction by instruction. usage: tests/hardware/instruction_probe.sh OUTDIR
# (needs cmake, ninja and g++; builds the preset `gpu`)
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
out=${1:?usage: instruction_probe.sh OUTDIR}
mkdir -p "$out"
cd "$root"
cmake --preset gpu -DWARPWAVE_WARNINGS_AS_ERRORS=OFF > /dev/null
cmake --build build/gpu --target instruction-probe warpwave-sim warpwave-nvidia
build/gpu/bin/instruction-probe sim nvidia | tee "$out/instruction_report.txt" | tail -1
