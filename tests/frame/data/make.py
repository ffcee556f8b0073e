#!/usr/bin/env python3
"""Makes the small pictures beside this file, and prints the values that the tests expect.

An independent judge of src/frame: OpenEXR bytes are put together here from the file layout document, PNG comes from
Pillow, and the metrics are written out directly in float64.
"""

import math
import os
import struct
import zlib

import numpy as np

FOLDER = os.path.dirname(os.path.abspath(__file__))


def attribute(name, kind, value):
    return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<i", len(value)) + value


def exr(channels, width, height, compression=0, data_window=None, display_window=None, flags=0, extra=b""):
    """channels: {name: 2D array of float16, float32 or uint32}. Uncompressed (0) or ZIPS (2) scan lines."""
    kinds = {np.dtype("uint32"): 0, np.dtype("float16"): 1, np.dtype("float32"): 2}
    names = sorted(channels)
    listing = b"".join(n.encode() + b"\0" + struct.pack("<iIii", kinds[channels[n].dtype], 0, 1, 1) for n in names)
    window = (0, 0, width - 1, height - 1)
    header = struct.pack("<II", 20000630, 2 | flags)
    header += attribute("channels", "chlist", listing + b"\0")
    header += attribute("compression", "compression", bytes([compression]))
    header += attribute("dataWindow", "box2i", struct.pack("<4i", *(data_window or window)))
    header += attribute("displayWindow", "box2i", struct.pack("<4i", *(display_window or data_window or window)))
    header += attribute("lineOrder", "lineOrder", b"\0")
    header += attribute("pixelAspectRatio", "float", struct.pack("<f", 1.0))
    header += attribute("screenWindowCenter", "v2f", struct.pack("<2f", 0, 0))
    header += attribute("screenWindowWidth", "float", struct.pack("<f", 1.0))
    header += extra + b"\0"
    chunks = []
    for y in range(height):
        line = b"".join(channels[n][y].tobytes() for n in names)
        if compression == 2:
            reordered = line[0::2] + line[1::2]
            deltas = bytes([reordered[0]] + [(b - a + 128) & 255 for a, b in zip(reordered, reordered[1:])])
            packed = zlib.compress(deltas)
            line = packed if len(packed) < len(line) else line
        chunks.append(struct.pack("<ii", y, len(line)) + line)
    table, at = b"", len(header) + 8 * height
    for chunk in chunks:
        table += struct.pack("<Q", at)
        at += len(chunk)
    return header + table + b"".join(chunks)


def save(name, data):
    with open(os.path.join(FOLDER, name), "wb") as file:
        file.write(data)


def pattern(width, height, a, b, m):
    y, x = np.mgrid[0:height, 0:width]
    return ((x * a + y * b) % m) / m


def psnr(a, b):
    return -10 * math.log10(np.mean((a - b) ** 2))


def ssim(a, b):
    x = np.arange(11) - 5
    g = np.exp(-x * x / (2 * 1.5**2))
    w = np.outer(g, g)
    w /= w.sum()
    total, count = 0.0, 0
    for i in range(a.shape[0] - 10):
        for j in range(a.shape[1] - 10):
            p, q = a[i : i + 11, j : j + 11], b[i : i + 11, j : j + 11]
            mp, mq = (w * p).sum(), (w * q).sum()
            vp, vq = (w * (p - mp) ** 2).sum(), (w * (q - mq) ** 2).sum()
            c = (w * (p - mp) * (q - mq)).sum()
            total += (2 * mp * mq + 1e-4) * (2 * c + 9e-4) / ((mp**2 + mq**2 + 1e-4) * (vp + vq + 9e-4))
            count += 1
    return total / count


def srgb(v):
    return 12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055


def display(rgb, exposure):
    c = [v * exposure for v in rgb]
    return [srgb(v / (1 + max(c))) for v in c]


def main():
    from PIL import Image

    w, h = 7, 5
    r = (pattern(w, h, 1, 7, 64) * 4).astype(np.float16)
    g = (pattern(w, h, 3, 5, 32)).astype(np.float16)
    b = (pattern(w, h, 5, 3, 16) * 100).astype(np.float16)
    y, x = np.mgrid[0:h, 0:w]
    rgb = {"R": r, "G": g, "B": b}
    save("rgb_half.exr", exr(rgb, w, h))
    sy, sx = np.mgrid[0:4, 0:64]
    stairs = {"R": (sx // 8).astype(np.float16), "G": sy.astype(np.float16), "B": np.full((4, 64), 0.5, np.float16)}
    save("stairs_zips.exr", exr(stairs, 64, 4, compression=2))
    save("rgba_mixed.exr", exr(dict(rgb, A=np.ones((h, w), np.float32), R=r.astype(np.float32)), w, h))
    save("depth_float.exr", exr({"Z": (x + y / 8 + 0.1).astype(np.float32)}, w, h))
    save("ids_uint.exr", exr({"Z": (x + y).astype(np.uint32)}, w, h))
    save("cropped.exr", exr(rgb, w, h, display_window=(0, 0, 9, 9)))
    save("tiled_flag.exr", exr(rgb, w, h, flags=0x200))
    save("multipart_flag.exr", exr(rgb, w, h, flags=0x1000))
    save("huge.exr", exr(rgb, w, h, data_window=(0, 0, 2**31 - 2, 2**31 - 2)))
    save("long_attribute.exr", exr(rgb, w, h, extra=b"note\0string\0" + struct.pack("<i", 2**31 - 1)))
    Image.fromarray((x * 257 + y * 4096).astype(np.uint16)).save(os.path.join(FOLDER, "grey16.png"))
    Image.fromarray(np.stack([x * 30, y * 50, x + y], 2).astype(np.uint8)).save(os.path.join(FOLDER, "rgb8.png"))
    Image.fromarray(np.stack([x * 30, y * 50, x + y, 255 - x], 2).astype(np.uint8)).save(
        os.path.join(FOLDER, "rgba8.png"))
    Image.fromarray((np.add(x, y) % 3).astype(np.uint8) * 100).quantize(3).save(os.path.join(FOLDER, "palette.png"))

    a, c = pattern(24, 20, 7, 13, 32), pattern(24, 20, 7, 12, 32)
    print("psnr", repr(psnr(a, c)), "ssim", repr(ssim(a, c)))
    print("psnr offset", repr(psnr(a, a + 0.125)))
    print("ssim scaled", repr(ssim(a, a * 0.5 + 0.25)))
    print("display", [display(v, e) for v, e in (((0.5, 0.25, 0.125), 1), ((8, 1, 0), 0.5), ((0.001, 0, 0), 1))])
    lum = [0.2126 * 1 + 0.7152 * 2 + 0.0722 * 4, 0.2126 * 0.25 + 0.7152 * 0.5 + 0.0722 * 0.125, 0.0]
    print("exposure", 0.18 / 2 ** (sum(math.log2(v + 2**-14) for v in lum) / 3))


main()
