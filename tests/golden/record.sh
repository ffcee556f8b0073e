#!/usr/bin/env bash
# tests/golden/record.sh GUEST_PTX OUT [--only TEXT]
#
# Records golden data on a machine with an NVIDIA GPU: builds the recorder (preset gpu: a C++ compiler, CMake and Ninja are all
# it needs), runs every case, and writes OUT/<family>/<case>.bin and OUT/manifest.json. GUEST_PTX is the folder build/release/guest
# of a machine that has clang 22. Copy what is in OUT to tests/golden/ afterwards. Exit status 1 if a case failed; what
# was recorded is there all the same.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,8p' "$0"; exit 2; }
guest=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
cmake --preset gpu -DWARPWAVE_WARNINGS_AS_ERRORS=OFF > build-gpu.log 2>&1 || { cat build-gpu.log; exit 1; }
cmake --build build/gpu --target golden-record warpwave-nvidia >> build-gpu.log 2>&1 || { tail -40 build-gpu.log; exit 1; }
rm -f build-gpu.log
build/gpu/bin/golden-record "$out" --guest "$guest" --data "$root/tests/data" --device nvidia --date "$(date -u +%Y-%m-%d)" "$@"
