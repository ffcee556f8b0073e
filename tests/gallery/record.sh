#!/usr/bin/env bash
# Records what an NVIDIA GPU makes of the sample: tests/gallery/record.sh > tests/gallery/h200.txt
# (needs a build of the preset release with its tests, and an NVIDIA GPU; record again after a change of the model, of the
# upscalers' kernels or of the sample).
set -euo pipefail
cd "$(dirname "$0")/../.."
pictures=$(mktemp -d)
trap 'rm -rf "$pictures"' EXIT
build/release/bin/warpwave upscale samples/gallery -o "$pictures" --device nvidia --method bilinear,lanczos,taau,network --quiet
build/release/bin/gallery-hashes "$pictures"
