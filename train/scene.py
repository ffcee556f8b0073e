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
                    ("window", "<f4", 4), ("jitter", "<f4", 2), ("aspect", "<f4"), ("crop", "<f4"),
                    ("frame_step", "<i4"), ("crop_y", "<f4"), ("reserved", "<u4", 2)])
assert REQUEST.itemsize == 64
SCENE_BYTES = 16384  # sizeof(scene::Scene)
TILE = (16, 8)  # threads a block, pixels a tile

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


class Driver:
    """The few entries of the CUDA driver API that launching a kernel takes. Every call is checked."""

    SIGNATURES = {
        "cuInit": [ctypes.c_uint],
        "cuGetErrorString": [ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)],
        "cuCtxGetCurrent": [ctypes.POINTER(ctypes.c_void_p)],
        "cuModuleLoadDataEx": [ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p, ctypes.c_uint,
                               ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_void_p)],
        "cuModuleGetFunction": [ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p, ctypes.c_char_p],
        "cuLaunchKernel": [ctypes.c_void_p] + [ctypes.c_uint] * 7 + [ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p),
                                                                      ctypes.POINTER(ctypes.c_void_p)],
    }
    # CUjit_option: the log of what the driver's compiler did not like.
    JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES = 5, 6

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        for name, arguments in self.SIGNATURES.items():
            function = getattr(self.library, name)
            function.argtypes = arguments
            function.restype = ctypes.c_int

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status != 0:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(status, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'unknown error').decode()} ({status})")

    def load(self, ptx):
        """A module from PTX text (bytes), in the current context."""
        log = ctypes.create_string_buffer(16384)
        options = (ctypes.c_int * 2)(self.JIT_ERROR_LOG, self.JIT_ERROR_LOG_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), ctypes.c_void_p(len(log)))
        module = ctypes.c_void_p()
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), ptx, 2, options, values)
        except RuntimeError as error:
            raise RuntimeError(f"{error}: {log.value.decode(errors='replace')}") from None
        return module

    def function(self, module, name):
        handle = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(handle), module, name.encode())
        return handle

    def launch(self, function, grid, block, stream, *arguments):
        """Arguments are ctypes values of the kernel's parameter types, in order."""
        pointers = (ctypes.c_void_p * len(arguments))(*[ctypes.addressof(a) for a in arguments])
        self.call("cuLaunchKernel", function, *grid, *block, 0, ctypes.c_void_p(stream), pointers, None)


class SceneBatch:
    """The renderer's PTX, loaded once. Not thread-safe."""

    def __init__(self, ptx_path, device=0):
        import torch

        self.torch = torch
        self.device = torch.device("cuda", device)
        torch.zeros(1, device=self.device)  # makes PyTorch's context, and makes it current
        self.driver = Driver()
        self.driver.call("cuInit", 0)
        context = ctypes.c_void_p()
        self.driver.call("cuCtxGetCurrent", ctypes.byref(context))
        if not context.value:
            raise RuntimeError("no CUDA context is current after PyTorch was initialised")
        with open(ptx_path, "rb") as file:
            ptx = file.read()
        self.module = self.driver.load(ptx + b"\0")
        self.build, self.draw, self.refer = (
            self.driver.function(self.module, name) for name in ("scene_build", "scene_render", "scene_reference"))

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
        if depth not in ("inverted", "linear-view-metres"):
            raise ValueError(f"depth is {depth!r}, expected 'inverted' or 'linear-view-metres'")
        torch = self.torch
        width, height = render_size
        out_width, out_height = output_size(render_size, scale)
        requests, jitter = make_requests(families, seeds, start_frames, n_frames, (out_width, out_height), view_size,
                                         windows, jitter_phases, frame_step, particles, motion_errors, cuts)
        batch = len(requests) // n_frames
        count = len(requests)
        if count > 65535:
            raise ValueError(f"{count} images in one call, expected at most 65535")

        with torch.cuda.device(self.device):
            def empty(*shape, dtype):
                return torch.empty(shape, dtype=dtype, device=self.device)

            # Pageable memory: the copy has left the host array when this returns.
            request_words = torch.from_numpy(requests.view(np.uint8).reshape(-1)).to(self.device)
            scenes = empty(count * SCENE_BYTES, dtype=torch.uint8)
            infos = empty(count, 4, dtype=torch.float32)
            color = empty(batch, n_frames, 3, height, width, dtype=torch.float16)
            depth_plane = empty(batch, n_frames, 1, height, width, dtype=torch.float32)
            motion = empty(batch, n_frames, 2, height, width, dtype=torch.float32)
            # All of these stay alive until the launches are queued; the allocator reuses their memory in stream order.
            stream = torch.cuda.current_stream().cuda_stream
            pointer = lambda tensor: ctypes.c_uint64(tensor.data_ptr())
            u32 = ctypes.c_uint32
            tiles = lambda w, h: (-(-w // TILE[0]), -(-h // TILE[1]), count)
            block = (*TILE, 1)
            self.driver.launch(self.build, (-(-count // 32), 1, 1), (32, 1, 1), stream,
                               pointer(request_words), pointer(scenes), pointer(infos), u32(count))
            self.driver.launch(self.draw, tiles(width, height), block, stream, pointer(scenes), pointer(color),
                               pointer(depth_plane), pointer(motion), u32(width), u32(height), u32(out_height),
                               u32(1 if depth == "inverted" else 0))
            result = {"color": color, "depth": depth_plane, "motion": motion}
            if reference:
                target = empty(batch, n_frames, 3, out_height, out_width, dtype=torch.float16)
                self.driver.launch(self.refer, tiles(out_width, out_height), block, stream, pointer(scenes),
                                   pointer(target), u32(out_width), u32(out_height), u32(spp))
                result["reference"] = target
            infos = infos.view(batch, n_frames, 4)
            reset = infos[:, :, 1] > 0.5
            reset[:, 0] = True
            result["exposure"] = infos[:, :, 0].contiguous()
            result["reset"] = reset
            result["jitter"] = torch.from_numpy(jitter).to(self.device)
        return result


def make_requests(families, seeds, start_frames, n_frames, out_size, view_size, windows, jitter_phases, frame_step,
                  particles, motion_errors, cuts):
    """The request records of a batch, and its jitter [B, T, 2]."""
    families = np.asarray(families, dtype=np.uint32)
    batch = len(families)
    seeds = np.asarray(seeds).astype(np.uint32)
    start_frames = np.asarray(start_frames).astype(np.int32)
    for name, values in (("seeds", seeds), ("start_frames", start_frames)):
        if values.shape != (batch,):
            raise ValueError(f"{name} has shape {values.shape}, expected ({batch},) as families has")
    if (families >= len(FAMILIES)).any():
        raise ValueError(f"family {families.max()}, expected 0 to {len(FAMILIES) - 1}")
    view_width, view_height = view_size or out_size
    if jitter_phases is None:
        jitter_phases = (seeds.astype(np.int64) * 7 + start_frames) % 32
    else:
        jitter_phases = np.asarray(jitter_phases).astype(np.int64)

    requests = np.zeros((batch, n_frames), dtype=REQUEST)
    steps = np.arange(n_frames)
    requests["family"] = families[:, None]
    requests["seed"] = seeds[:, None]
    requests["frame"] = start_frames[:, None] + steps * frame_step
    requests["flags"] = FLAG_PARTICLES * particles + FLAG_MOTION_ERRORS * motion_errors + FLAG_CUTS * cuts
    requests["aspect"] = view_width / view_height
    requests["crop"] = min(out_size[0] / view_width, 1.0)
    requests["crop_y"] = min(out_size[1] / view_height, 1.0)
    requests["frame_step"] = frame_step
    if windows is not None:
        requests["window"] = np.asarray(windows, dtype=np.float32)[:, None, :]
    elif view_size is None:
        requests["window"] = np.array([0, 0, 1, 1], dtype=np.float32)
    jitter = np.empty((batch, n_frames, 2), dtype=np.float32)
    for b in range(batch):
        for t in range(n_frames):
            index = 1 + (int(jitter_phases[b]) + t) % 32
            jitter[b, t] = halton(index, 2) - 0.5, halton(index, 3) - 0.5
    requests["jitter"] = jitter
    return np.ascontiguousarray(requests.reshape(-1)), jitter


def display(color, exposure):
    """The display transform of losses and metrics: a tensor [..., 3, h, w] of linear light to 0..1."""
    torch = __import__("torch")
    c = color.float().clamp_min(0) * exposure
    c = c / (1 + c.amax(dim=-3, keepdim=True))
    return torch.where(c <= 0.0031308, 12.92 * c, 1.055 * c.clamp_min(1e-9) ** (1 / 2.4) - 0.055)


def self_test(ptx, out):
    """Renders every family, checks what must hold, measures, and writes OUT/sheet.npy (and .png where PIL is there)."""
    import os

    import torch

    os.makedirs(out, exist_ok=True)
    batch = SceneBatch(ptx)
    failures = 0

    def check(what, good):
        nonlocal failures
        failures += not good
        print(("ok    " if good else "FAILED"), what)

    n = len(FAMILIES)
    frames = batch.render(range(n), [1] * n, [20] * n, 2, (320, 180), 2.0, spp=32, motion_errors=False,
                          particles=False, cuts=False)
    torch.cuda.synchronize()
    for name, tensor in frames.items():
        print(f"{name:10} {tuple(tensor.shape)} {tensor.dtype} min {tensor.float().min().item():.4g} "
              f"max {tensor.float().max().item():.4g} mean {tensor.float().mean().item():.4g}")
    check("all values finite", all(bool(torch.isfinite(t.float()).all()) for t in frames.values()))
    check("no image is constant", bool((frames["reference"].float().std(dim=(2, 3, 4)) > 0).all()))
    check("depth in 0..1", 0 <= frames["depth"].min().item() and frames["depth"].max().item() <= 1)
    check("the same request gives the same bits", torch.equal(
        frames["reference"], batch.render(range(n), [1] * n, [20] * n, 2, (320, 180), 2.0, spp=32,
                                          motion_errors=False, particles=False, cuts=False)["reference"]))

    # The frame before, moved along the motion vectors, must look more like this one than unmoved.
    shown = display(frames["reference"], frames["exposure"][:, :, None, None, None])
    height, width = shown.shape[-2:]
    motion = torch.nn.functional.interpolate(frames["motion"][:, 1], size=(height, width), mode="nearest")
    y, x = torch.meshgrid(torch.arange(height, device="cuda"), torch.arange(width, device="cuda"), indexing="ij")
    grid = torch.stack(((x + 0.5 + motion[:, 0] * 2) / width, (y + 0.5 + motion[:, 1] * 2) / height), -1) * 2 - 1
    moved = torch.nn.functional.grid_sample(shown[:, 0], grid.float(), align_corners=False, padding_mode="border")
    psnr = lambda a: -10 * torch.log10(((a - shown[:, 1]) ** 2).mean(dim=(1, 2, 3)) + 1e-9)
    gain = psnr(moved) - psnr(shown[:, 0])
    for i, name in enumerate(FAMILIES):
        print(f"  {name:11} frame before: {psnr(shown[:, 0])[i].item():.2f} dB unmoved, {psnr(moved)[i].item():.2f} moved")
    check("motion vectors explain the motion (mean gain above 2 dB)", gain.mean().item() > 2)

    tiles = shown[:, 1].permute(0, 2, 3, 1).cpu().numpy()
    columns = 3
    rows = -(-n // columns)
    sheet = np.zeros((rows * height, columns * width, 3), np.float32)
    for i in range(n):
        r, c = divmod(i, columns)
        sheet[r * height:(r + 1) * height, c * width:(c + 1) * width] = tiles[i]
    pixels = (sheet.clip(0, 1) * 255 + 0.5).astype(np.uint8)
    np.save(os.path.join(out, "sheet.npy"), pixels)
    try:
        from PIL import Image

        Image.fromarray(pixels).save(os.path.join(out, "sheet.png"))
    except ImportError:
        pass

    # Speed, on the batch that training uses: 24 crops of 128 x 128 output pixels, 7 frames.
    rng = np.random.default_rng(0)
    for spp in (16, 64):
        best = math.inf
        for _ in range(4):
            families = rng.choice(TRAINING_FAMILIES, 24)
            torch.cuda.synchronize()
            start = time.perf_counter()
            batch.render(families, rng.integers(0, 1 << 30, 24), rng.integers(0, 1000, 24), 7, (64, 64), 2.0,
                         view_size=(1280, 720), spp=spp)
            torch.cuda.synchronize()
            best = min(best, time.perf_counter() - start)
        samples = 24 * 7 * (128 * 128 * spp + 64 * 64)
        print(f"24 x 7 images of 128 x 128, {spp} samples a pixel: {best * 1e3:.1f} ms, {samples / best / 1e9:.3f} G samples/s")
    print("failures:", failures)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--self-test", action="store_true", help="render, check and measure")
    parser.add_argument("--ptx", default="build/release/guest/scene.ptx", help="the renderer's PTX")
    parser.add_argument("--out", default="out/scene", help="folder for the self-test's pictures")
    arguments = parser.parse_args()
    if not arguments.self_test:
        parser.print_help()
        return 2
    return 1 if self_test(arguments.ptx, arguments.out) else 0


if __name__ == "__main__":
    raise SystemExit(main())
