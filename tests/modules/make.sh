#!/usr/bin/env bash
# tests/modules/make.sh [TEXT]: makes the modules of variants.txt (those whose name contains TEXT) from sources/ with NVIDIA's nvcc
# (NVCC=nvcc) and clang (CLANG=clang++-22). The PTX is checked in: building and testing need no nvcc. Sources are compiled in a folder of a
# neutral name, since debug information holds it. No multiplication and sum are fused but where a source says so: what
# NVIDIA's assembler may fuse by itself would have no answer of its own.
set -euo pipefail
cd "$(dirname "$0")"
only=${1:-}
nvcc=${NVCC:-nvcc} clang=${CLANG:-clang++-22}
here=$PWD
folder=/tmp/module-sources
rm -rf "$folder"
mkdir "$folder"
cp sources/* "$folder"
cd "$folder"
by_nvcc() {  # program, target, options, output
  local flags
  case $3 in
    O0) flags=(-O0 -Xcicc -O0) ;;
    O3) flags=(-O3) ;;
    O3_lines) flags=(-O3 -lineinfo) ;;
    G) flags=(-O0 -G) ;;
  esac
  "$nvcc" -ptx -std=c++17 -fmad=false -diag-suppress 550 -arch="compute_${2#sm_}" "${flags[@]}" "$1.cu" -o "$4"
}
by_clang() {
  local flags
  case $3 in
    O0) flags=(-O0) ;;
    O1) flags=(-O1) ;;
    O3) flags=(-O3) ;;
    O0_g) flags=(-O0 -g) ;;
    O3_g) flags=(-O3 -g) ;;
  esac
  local version=+ptx75
  [ "$2" = sm_90 ] && version=+ptx83
  [ "$2" = sm_89 ] && version=+ptx78
  "$clang" -x cuda -std=c++17 --cuda-device-only -nocudainc -nocudalib -nogpuinc -Wno-undefined-internal -Wno-unknown-cuda-version -ffp-contract=off \
    -fdebug-compilation-dir=. --cuda-gpu-arch="$2" --cuda-feature=$version "${flags[@]}" -S "$1.cu" -o "$4"
}
while read -r program compiler target options; do
  case $program in '' | '#'*) continue ;; esac
  name=$program-${compiler}_${target}_$options
  [[ $name == *"$only"* ]] || continue
  "by_$compiler" "$program" "$target" "$options" "$name.ptx"
  # No code of NVIDIA's headers and libraries: what is defined must be ours.
  if grep -nE '__nv_|__internal_|libdevice|cudaDevice|/include/|/usr/' "$name.ptx"; then
    echo "$name.ptx holds library code or a path" >&2
    exit 1
  fi
  cp "$name.ptx" "$here"
  echo "$name"
done < "$here/variants.txt"
rm -rf "$folder"
