"""Keeps the first warps of what mma_probe recorded, for a test that runs without a GPU.

    python3 tests/hardware/cut_vectors.py PROBE_FOLDER tests/devicelib/data/mma

PROBE_FOLDER has <kind>.bin: A, B, C and D registers of 1400 warps, one after the other (mma_probe.cu). The same for 14 warps
is written; every style of operands is among them twice.
"""

import os
import sys

RECORDED, KEPT = 1400, 14
# Registers a lane of A, B, C (and D).
REGISTERS = {"f16_k16": (4, 2, 4), "f16_k8": (2, 1, 4), "bf16_k16": (4, 2, 4), "bf16_k8": (2, 1, 4), "tf32_k8": (4, 2, 4),
             "tf32_k4": (2, 1, 4), "e4m3_k32": (4, 2, 4), "e5m2_k32": (4, 2, 4), "f16_k16_f16": (4, 2, 2), "s8_k32": (4, 2, 4)}


def main():
    source, target = sys.argv[1:]
    os.makedirs(target, exist_ok=True)
    for kind, (a, b, c) in REGISTERS.items():
        with open(f"{source}/{kind}.bin", "rb") as data, open(f"{target}/{kind}.bin", "wb") as out:
            for registers in (a, b, c, c):
                block = data.read(RECORDED * 32 * 4 * registers)
                assert len(block) == RECORDED * 32 * 4 * registers, kind
                out.write(block[:KEPT * 32 * 4 * registers])


if __name__ == "__main__":
    main()
