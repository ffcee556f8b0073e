#!/usr/bin/env bash
# Makes the PTX in this folder from mixed.cu with clang (CLANG=clang++-22) and, where there is one, with nvcc (NVCC=nvcc), for
# several targets, with and without debug information. The PTX is checked in: building needs no nvcc. The source is compiled in
# a folder of a neutral name, since debug builds write it into the PTX.
set -euo pipefail
cd "$(dirname "$0")"
clang=${CLANG:-clang++-22} nvcc=${NVCC:-nvcc}
here=$PWD
folder=/tmp/compiler-sources
rm -rf "$folder" && mkdir "$folder" && cp mixed.cu "$folder" && cd "$folder"
by_clang() {  # suffix, flags
  "$clang" -x cuda --cuda-device-only -nocudainc -nocudalib -nogpuinc -Wno-unknown-cuda-version -Wno-undefined-internal -S mixed.cu \
    -o "$here/clang_$1.ptx" "${@:2}"
}
by_clang sm_52_O3 --cuda-gpu-arch=sm_52 -O3 --cuda-feature=+ptx50
by_clang sm_70_O0_g --cuda-gpu-arch=sm_70 -O0 -g --cuda-feature=+ptx63
by_clang sm_80_O3_lines --cuda-gpu-arch=sm_80 -O3 -gline-tables-only --cuda-feature=+ptx75
by_clang sm_90_O0 --cuda-gpu-arch=sm_90 -O0 --cuda-feature=+ptx83
by_clang sm_90a_O3_g --cuda-gpu-arch=sm_90a -O3 -g --cuda-feature=+ptx87
if command -v "$nvcc" >/dev/null; then
  "$nvcc" -ptx -arch=compute_75 -O0 -Xcicc -O0 mixed.cu -o "$here/nvcc_sm_75_O0.ptx"
  "$nvcc" -ptx -arch=compute_89 -O3 -lineinfo mixed.cu -o "$here/nvcc_sm_89_O3_lines.ptx"
  "$nvcc" -ptx -arch=compute_90 -G mixed.cu -o "$here/nvcc_sm_90_debug.ptx"
  "$nvcc" -ptx -arch=compute_90a -O3 -use_fast_math mixed.cu -o "$here/nvcc_sm_90a_O3_fast.ptx"
fi
rm -rf "$folder"
