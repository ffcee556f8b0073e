#!/usr/bin/env bash
# Makes the PTX in this folder from the sources beside it with NVIDIA's nvcc (on PATH, or NVCC=...). The PTX is checked in: building
# warpwave needs no nvcc. Sources are compiled in a folder of a neutral name, since debug builds write it into the PTX.
# -G builds keep every variable in memory and carry debug sections; the others are optimised as usual.
set -euo pipefail
cd "$(dirname "$0")"
nvcc=${NVCC:-nvcc}
folder=/tmp/nvcc-sources
rm -rf "$folder"
mkdir "$folder"
cp ./*.cu "$folder"
here=$PWD
cd "$folder"
make_one() {  # source, suffix, flags
  "$nvcc" -ptx -std=c++17 -fmad=false "${@:3}" "$1.cu" -o "$1_$2.ptx"
  # No code of NVIDIA's libraries: what is defined or called must be ours.
  if grep -nE '__nv_|libdevice|vprintf|cudaDevice|__assertfail|atomicAdd|/include/' "$1_$2.ptx"; then
    echo "$1_$2.ptx holds library code" >&2
    exit 1
  fi
  cp "$1_$2.ptx" "$here"
}
for source in image_filter interpreter shapes; do
  make_one $source sm_75 -arch=compute_75 -O3
  make_one $source sm_90 -arch=compute_90 -O3 -lineinfo
  make_one $source sm_80_debug -arch=compute_80 -O0 -G
done
make_one matrix sm_80 -arch=compute_80 -O3
make_one matrix sm_90_debug -arch=compute_90 -O0 -G
rm -rf "$folder"
