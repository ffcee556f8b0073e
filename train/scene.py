"""Training frames from the scene renderer (guest/scene/), made on the GPU that trains.

Loads the renderer's PTX into PyTorch's CUDA context through the driver API (ctypes on libcuda.so.1) and launches it on
PyTorch's current stream, so its results are ordinary CUDA tensors, ordered with everything else on that stream.

    from scene import SceneBatch, TRAINING_FAMILIES
    batch = SceneBatch("build/release/guest/scene.ptx")
    frames = batch.render(families=[0, 3], seeds=[7, 8], start_frames=[0, 40], n_frames=7,
                          render_size=(64, 64), scale=2.0, view_size=(1280, 720))
    frames["color"].shape  # (2, 7, 3, 64, 64)

Conventions are those of a sequence on disk: see docs/scene.md. `python3 train/scene.py --self-test --ptx FILE` measures
the renderer and writes pictures.
"""

import argparse
import ctypes
import math
import time

import numpy as np

# Families are numbered as in guest/scene/families.h. The held-out ones are for reporting and for the samples that the
# repository ships: no training run may see them.
FAMILIES = ("soup", "street", "neon", "forest", "warehouse", "corridor", "ruins", "village", "raceway", "library",
            "gallery", "harbour", "fairground")
HELD_OUT_FAMILIES = (10, 11, 12)
TRAINING_FAMILIES = tuple(i for i in range(len(FAMILIES)) if i not in HELD_OUT_FAMILIES)

NEAR, FAR = 0.1, 1000.0  # metres; the planes of inverted depth

# What a request may switch (guest/scene/scene.h, kFlag*).
FLAG_PARTICLES = 1  # particles, drawn without motion vectors and depth
FLAG_MOTION_ERRORS = 2  # some moving objects write no motion of their own
FLAG_CUTS = 4  # the camera may cut within a sequence

# One image of a batch: guest/scene/scene.h, SceneRequest. 16 words.
REQUEST = np.dtype([("family", "<u4"), ("seed", "<u4"), ("frame", "<i4"), ("flags", "<u4"),
                    ("window", "<f4", 4), ("jitter", "<f4", 2), ("aspect", "<f4"), ("pixel", "<f4"),
                    ("reserved", "<u4", 4)])
SCENE_BYTES = 16384  # sizeof(Scene): checked against the PTX when it is loaded
BLOCK = (16, 8, 1)


def halton(index, base):
    """The radical inverse of index (from 1) in a base: the usual jitter sequence."""
    value, digit = 0.0, 1.0
    while index > 0:
        digit /= base
        value += digit * (index % base)
        index //= base
    return value


def output_size(render_size, scale):
    """Output (width, height) of a render size: floor(render * scale + 0.5)."""
    return tuple(int(math.floor(n * scale + 0.5)) for n in render_size)


class SceneBatch:
    """The renderer's PTX, loaded once. Not thread-safe."""

    def __init__(self, ptx_path, device=0):
        raise NotImplementedError("the renderer is not here yet")

    def render(self, families, seeds, start_frames, n_frames, render_size, scale, *, view_size=None, windows=None,
               spp=64, jitter_phases=None, frame_step=1, particles=True, motion_errors=True, cuts=True,
               depth="inverted", reference=True):
        """Renders B sequences of n_frames each.

        families, seeds, start_frames: B integers each (lists, arrays or CPU tensors). A sequence is a function of
            (family, seed, frame) alone.
        render_size: (w, h) of each image, output size (W, H) = output_size(render_size, scale).
        view_size: (width, height) in output pixels of the whole view of which each sequence shows a crop of W x H, at a
            place that follows from the seed; None: the whole view is W x H.
        windows: B x 4 array (left, top, width, height) of the crops as fractions of the view, instead of the above.
        spp: samples a pixel of the reference.
        jitter_phases: B integers, the phase in the Halton(2, 3) sequence of each sequence's first frame; None: from the
            seed.
        frame_step: frames between two images (2 renders every second frame, with motion to match).
        depth: "inverted" (near / z like, 1 at NEAR, 0 at FAR and in the sky) or "linear-view-metres" (FAR in the sky).

        Returns CUDA tensors:
            color     [B, T, 3, h, w] half   linear HDR, one sample a pixel
            depth     [B, T, 1, h, w] float
            motion    [B, T, 2, h, w] float  x, y: position in the previous frame minus this one, in render pixels
            jitter    [B, T, 2]       float  x, y in [-0.5, 0.5]: samples lie at (x + 0.5 + jx, y + 0.5 + jy)
            exposure  [B, T]          float  factor on linear colour
            reset     [B, T]          bool   first frame or camera cut: history is of no use
            reference [B, T, 3, H, W] half   (absent if reference=False)
        """
        raise NotImplementedError
