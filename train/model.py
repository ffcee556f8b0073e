"""The upscaling network in PyTorch: the trainer's copy of what the guest kernels compute.

docs/network.md is the single reference of every step; names and numbers here follow it. Nothing in this file may compute
what the kernels cannot: norms are x * rsqrt(mean(x^2) + eps), the activation is a square of a maximum, borders mirror,
grids round up, history is fetched with the bicubic filter of A = -0.75. Activations are rounded to the working type (bf16
in training, f16 when it is asked what the kernels would give); ingest and reconstruct work in f32.

Shapes: B sequences, output H x W, render h x w, tokens of 2x2 output pixels Ht x Wt. Token tensors are [B, Ht, Wt, C].
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

EPS = 1e-5
WINDOW = 8
FEATURES = 80
LATENTS = 8
HEAD = 72  # 60 for the four pixels, 8 latents, 4 unused (the matrix tiles are 8 wide)
PIXEL_SLOTS = 15  # 9 filter logits, sharpness, keep, clamp, residual r g b
N_MAX = 32.0
T_MAX = 0.9995
ENC = 2.0 ** -8
SMOOTH = 3.6  # exponent (base 2) per squared render pixel, no history
SHARP = 2.9  # exponent (base 2) per squared output pixel, with history

# name, channels, spatial mixing, shift of the windows, where its tokens come from, what is added to them.
LAYERS = (
    dict(name="enc0", channels=32, mixing="position", shift=0, source="features", skip=None),
    dict(name="enc1", channels=64, mixing="position", shift=0, source="merge:enc0", skip=None),
    dict(name="enc2", channels=96, mixing="attention", shift=0, source="merge:enc1", skip=None),
    dict(name="mid3", channels=128, mixing="attention", shift=0, source="merge:enc2", skip=None),
    dict(name="dec2", channels=96, mixing="attention", shift=4, source="expand:mid3", skip="enc2"),
    dict(name="dec1", channels=64, mixing="position", shift=4, source="expand:dec2", skip="enc1"),
    dict(name="dec0", channels=32, mixing="position", shift=4, source="expand:dec1", skip="enc0"),
    dict(name="out0", channels=32, mixing="position", shift=0, source="same:dec0", skip=None),
)
HEAD_DIM = 32  # channels of an attention head
GROUP = 8  # channels that share one position-only mixing matrix


def mirror(index, n):
    """Mirrors integer positions at the borders of 0..n-1, edge repeated, any number of times."""
    m = index % (2 * n)
    return torch.where(m < n, m, 2 * n - 1 - m)


def encode(t):
    """A square root like the display's, with a bounded slope at 0."""
    return torch.sqrt(t + ENC) - math.sqrt(ENC)


def tonemap(colour, exposure):
    """Linear colour [..., 3] to the working domain: c * exposure / (1 + max(c * exposure))."""
    c = (colour * exposure).clamp(0, 65504)
    return c / (1 + c.amax(-1, keepdim=True))


def display(t):
    """The working domain to display space: the sRGB curve."""
    t = t.clamp(0, 1)
    return torch.where(t <= 0.0031308, t * 12.92, 1.055 * t.clamp(min=0.0031308) ** (1 / 2.4) - 0.055)


def rms(x):
    if hasattr(F, "rms_norm"):
        return F.rms_norm(x, (x.shape[-1],), None, EPS)
    f = x.float()
    return (f * torch.rsqrt((f * f).mean(-1, keepdim=True) + EPS)).to(x.dtype)


def to_windows(x, shift):
    """[B, H, W, C] to [B * nh * nw, 64, C]; windows start at multiples of 8 minus shift."""
    b, h, w, c = x.shape
    nh, nw = -(-(h + shift) // WINDOW), -(-(w + shift) // WINDOW)
    for axis, size, count in ((1, h, nh), (2, w, nw)):
        if count * WINDOW == size:
            continue
        after = count * WINDOW - shift - size
        if shift <= size and after <= size:
            parts = [x.narrow(axis, 0, shift).flip(axis)] if shift else []
            parts.append(x)
            if after:
                parts.append(x.narrow(axis, size - after, after).flip(axis))
            x = torch.cat(parts, axis)
        else:
            index = mirror(torch.arange(count * WINDOW, device=x.device) - shift, size)
            x = x.index_select(axis, index)
    x = x.view(b, nh, WINDOW, nw, WINDOW, c).transpose(2, 3)
    return x.reshape(b * nh * nw, WINDOW * WINDOW, c)


def from_windows(x, shift, b, h, w):
    nh, nw = -(-(h + shift) // WINDOW), -(-(w + shift) // WINDOW)
    x = x.view(b, nh, nw, WINDOW, WINDOW, -1).transpose(2, 3).reshape(b, nh * WINDOW, nw * WINDOW, -1)
    return x[:, shift:shift + h, shift:shift + w]


def relative_index():
    """[64, 64]: the entry of a 15x15 table for (query, key)."""
    p = torch.arange(WINDOW * WINDOW)
    y, x = p // WINDOW, p % WINDOW
    return (y[None, :] - y[:, None] + 7) * 15 + (x[None, :] - x[:, None] + 7)


class WindowLayer(nn.Module):
    """One window layer; `spec` is its row of LAYERS, `source_channels` the channels of the tokens it is fed."""

    def __init__(self, spec, source_channels):
        super().__init__()
        c = spec["channels"]
        self.spec, self.c = spec, c
        kind = spec["source"].split(":")[0]
        rows = {"features": FEATURES, "merge": 4 * source_channels, "expand": source_channels, "same": 0}[kind]
        columns = 4 * c if kind == "expand" else c
        self.kind = kind
        if rows:
            self.load = nn.Parameter(torch.randn(columns, rows) * (0.5 if kind == "expand" else 1.0) / math.sqrt(rows))
        self.register_buffer("relative", relative_index(), persistent=False)
        if spec["mixing"] == "position":
            groups = c // GROUP
            self.table = nn.Parameter(self.initial_table(groups))
            self.matrix = nn.Parameter(torch.zeros(groups, 64, 64))
        else:
            self.heads = c // HEAD_DIM
            self.qkv = nn.Parameter(torch.randn(3 * c, c) / math.sqrt(c))
            self.table = nn.Parameter(torch.zeros(self.heads, 225))
        self.proj = nn.Parameter(torch.randn(c, c) * 0.1 / math.sqrt(c))
        self.up = nn.Parameter(torch.randn(4 * c, c) / math.sqrt(c))
        self.up_bias = nn.Parameter(torch.zeros(4 * c))
        self.down = nn.Parameter(torch.randn(c, 4 * c) * 0.1 / math.sqrt(4 * c))

    @staticmethod
    def initial_table(groups):
        """Spatial filters to start from: identity, shifts, differences and blurs, so that no group starts alike."""
        tables = torch.zeros(groups, 15, 15)
        y, x = torch.meshgrid(torch.arange(-7, 8), torch.arange(-7, 8), indexing="ij")
        for g in range(groups):
            if g % 4 == 0:
                sigma = 0.6 + 0.5 * (g // 4)
            elif g % 4 == 1:
                sigma = 1.2 + 0.8 * (g // 4)
            else:
                sigma = 0.8
            blur = torch.exp(-(x ** 2 + y ** 2) / (2 * sigma ** 2))
            if g % 4 >= 2:  # derivatives in x, in y
                blur = blur * (x if g % 4 == 2 else y)
            tables[g] = blur / blur.abs().sum()
        return (tables + 0.01 * torch.randn_like(tables)).view(groups, 225)

    def prepare(self, dtype):
        """Weights in the working type, used by every frame until the next call."""
        self.w = {k: v.to(dtype) for k, v in self.named_parameters()}
        if self.spec["mixing"] == "position":
            self.w["mix"] = (self.by_place() + self.matrix).to(dtype)
        else:
            self.w["bias"] = self.by_place().to(dtype)

    def by_place(self):
        """The table of relative places as [groups or heads, 64 queries, 64 keys]."""
        return self.table.index_select(1, self.relative.view(-1)).view(-1, 64, 64)

    def gather(self, tokens, skip):
        """The layer's input tokens on its own grid."""
        if self.kind == "same":
            return tokens
        if self.kind == "features":
            return tokens @ self.w["load"].t()
        if self.kind == "merge":
            b, h, w, c = tokens.shape
            if h % 2:
                tokens = torch.cat([tokens, tokens[:, -1:]], 1)
            if w % 2:
                tokens = torch.cat([tokens, tokens[:, :, -1:]], 2)
            h, w = (h + 1) // 2, (w + 1) // 2
            x = tokens.reshape(b, h, 2, w, 2, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, 4 * c)
            return x @ self.w["load"].t()
        b, h, w, _ = tokens.shape
        x = (tokens @ self.w["load"].t()).view(b, h, w, 2, 2, self.c).permute(0, 1, 3, 2, 4, 5)
        x = x.reshape(b, 2 * h, 2 * w, self.c)[:, :skip.shape[1], :skip.shape[2]]
        return x + skip

    def mix_by_position(self, x):
        n, c = x.shape[0], self.c
        g = c // GROUP
        v = x.view(n, 64, g, GROUP).permute(2, 1, 0, 3).reshape(g, 64, n * GROUP)
        return torch.bmm(self.w["mix"], v).view(g, 64, n, GROUP).permute(2, 1, 0, 3).reshape(n, 64, c)

    def mix_by_attention(self, x):
        n, c = x.shape[0], self.c
        q, k, v = (x @ self.w["qkv"].t()).view(n, 64, 3, self.heads, HEAD_DIM).permute(2, 0, 3, 1, 4)
        logits = q @ (k * (HEAD_DIM ** -0.5)).transpose(-1, -2) + self.w["bias"]
        return (logits.softmax(-1) @ v).transpose(1, 2).reshape(n, 64, c)

    def forward(self, tokens, skip=None):
        x = self.gather(tokens, skip)
        b, h, w, _ = x.shape
        shift = self.spec["shift"]
        x = to_windows(x, shift)
        mixed = self.mix_by_position(rms(x)) if self.spec["mixing"] == "position" else self.mix_by_attention(rms(x))
        x = x + mixed @ self.w["proj"].t()
        hidden = F.linear(rms(x), self.w["up"], self.w["up_bias"])
        r = hidden.clamp(0, 255)  # its square is a half
        x = x + (r * r) @ self.w["down"].t()
        return from_windows(x, shift, b, h, w)


class State:
    """What one frame leaves for the next."""

    def __init__(self, history, latents, depth, exposure):
        self.history, self.latents, self.depth, self.exposure = history, latents, depth, exposure

    def detach(self):
        return State(self.history.detach(), self.latents.detach(), self.depth, self.exposure)


def linear_depth(depth, kind, near, far):
    """View depth in metres from a depth plane (design: inverted, regular, linear-view-metres)."""
    if kind == "inverted":
        return (1 / (depth / near + (1 - depth) / far)).clamp(1e-4, 1e6)
    if kind == "regular":
        return (1 / ((1 - depth) / near + depth / far)).clamp(1e-4, 1e6)
    return depth.clamp(1e-4, 1e6)


def pixels(x):
    """[B, C, 2 Ht, 2 Wt] to [B, Ht, Wt, 4, C], pixel 2 * y + x."""
    b, c, h, w = x.shape
    return x.view(b, c, h // 2, 2, w // 2, 2).permute(0, 2, 4, 3, 5, 1).reshape(b, h // 2, w // 2, 4, c)


def ingest(color, z, motion, jitter, exposure, reset, output_size, state):
    """Everything the network and the reconstruction know about a frame.

    color [B, 3, h, w] linear, z [B, 1, h, w] view metres, motion [B, 2, h, w] render pixels, jitter [B, 2], exposure [B],
    reset [B] bool, output_size (W, H), state of the frame before or None. Returns a dict.
    """
    b, _, h, w = color.shape
    width, height = output_size
    wt, ht = (width + 1) // 2, (height + 1) // 2
    device = color.device
    rx, ry = w / width, h / height
    guides = torch.cat([color.float(), z.float(), motion.float()], 1).permute(0, 2, 3, 1)  # [B, h, w, 6]

    # Samples: the 3x3 around the one nearest to the token's centre.
    qx = (2 * torch.arange(wt, device=device) + 1)[None] * rx - 0.5 - jitter[:, 0:1]  # [B, Wt]
    qy = (2 * torch.arange(ht, device=device) + 1)[None] * ry - 0.5 - jitter[:, 1:2]
    ix, iy = torch.floor(qx + 0.5), torch.floor(qy + 0.5)
    ox = (qx - ix)[:, None, :].expand(b, ht, wt)
    oy = (qy - iy)[:, :, None].expand(b, ht, wt)
    step = torch.arange(-1, 2, device=device)
    cx = (ix.long()[:, :, None] + step).clamp(0, w - 1)  # [B, Wt, 3]
    cy = (iy.long()[:, :, None] + step).clamp(0, h - 1)
    patch = guides[torch.arange(b, device=device).view(b, 1, 1, 1, 1), cy[:, :, None, :, None], cx[:, None, :, None, :]]
    patch = patch.reshape(b, ht, wt, 9, 6)
    t = tonemap(patch[..., :3], exposure.view(b, 1, 1, 1, 1))
    low, high = t.amin(3), t.amax(3)  # [B, Ht, Wt, 3]

    # Motion of the nearest surface.
    zk = patch[..., 3]
    near, which = zk.min(3)
    move = torch.gather(patch[..., 4:6], 3, which[..., None, None].expand(b, ht, wt, 1, 2))[..., 0, :]
    mx, my = move[..., 0] / rx, move[..., 1] / ry  # output pixels

    # Distances of the four pixels to the nine samples, in render pixels.
    corner = torch.arange(4, device=device)
    right, below = (corner % 2).float(), (corner // 2).float()
    px, py = (right - 0.5) * rx, (below - 0.5) * ry
    kx, ky = step.repeat(3).float(), step.repeat_interleave(3).float()
    dx = kx - (ox[..., None] + px)[..., None]  # [B, Ht, Wt, 4, 9]
    dy = ky - (oy[..., None] + py)[..., None]
    smooth = SMOOTH * (dx * dx + dy * dy)
    sharp = SHARP * ((dx / rx) ** 2 + (dy / ry) ** 2)
    weights = torch.exp2(-smooth)
    current = (weights @ t) / weights.sum(-1, keepdim=True)  # [B, Ht, Wt, 4, 3]

    if state is None:
        history = current
        n = torch.zeros(b, ht, wt, 4, device=device)
        latents = torch.zeros(b, ht, wt, LATENTS, device=device)
        dz = torch.zeros(b, ht, wt, device=device)
        fx = fy = torch.zeros(b, ht, wt, device=device)
    else:
        use = (~reset).float().view(b, 1, 1)
        # The four pixels' places in the previous output, in texel units: pixel + motion.
        tx = 2 * torch.arange(wt, device=device) + mx  # place of pixel 0
        ty = 2 * torch.arange(ht, device=device)[:, None] + my
        fx, fy = (tx - torch.floor(tx)) * use, (ty - torch.floor(ty)) * use
        hx = tx[..., None] + right  # [B, Ht, Wt, 4]
        hy = ty[..., None] + below
        grid = torch.stack([(hx + 0.5) * (2 / width) - 1, (hy + 0.5) * (2 / height) - 1], -1)
        grid = grid.view(b, ht, wt, 2, 2, 2).permute(0, 1, 3, 2, 4, 5).reshape(b, 2 * ht, 2 * wt, 2)
        fetched = pixels(F.grid_sample(state.history, grid, mode="bicubic", padding_mode="border", align_corners=False))
        inside = (hx >= -0.5) & (hx <= width - 0.5) & (hy >= -0.5) & (hy <= height - 0.5)
        n = fetched[..., 3].clamp(0, N_MAX) * inside * use[..., None]
        old = fetched[..., :3].clamp(0, T_MAX)
        ratio = (exposure / state.exposure).view(b, 1, 1, 1, 1)
        peak = old.amax(-1, keepdim=True)
        old = old * ratio / (1 - peak + peak * ratio)
        history = torch.where((n > 0)[..., None], old, current)
        # Latents and the depth of the token the surface came from.
        gx = (torch.arange(wt, device=device) + mx / 2 + 0.5) * (2 / wt) - 1
        gy = (torch.arange(ht, device=device)[:, None] + my / 2 + 0.5) * (2 / ht) - 1
        grid = torch.stack([gx, gy], -1)
        seen = ((gx >= -1) & (gx <= 1) & (gy >= -1) & (gy <= 1)) * use
        latents = F.grid_sample(state.latents, grid, mode="bilinear", padding_mode="border", align_corners=False)
        latents = latents.permute(0, 2, 3, 1) * seen[..., None]
        # nearest token: floor(place + 0.5), as the kernel does it
        nx = torch.floor(torch.arange(wt, device=device) + mx / 2 + 0.5).clamp(0, wt - 1).long()
        ny = torch.floor(torch.arange(ht, device=device)[:, None] + my / 2 + 0.5).clamp(0, ht - 1).long()
        before = state.depth[torch.arange(b, device=device).view(b, 1, 1), ny, nx]
        dz = (before - near) / (before + near) * seen

    inside_box = torch.maximum(torch.minimum(history, high[..., None, :]), low[..., None, :])
    outside = (encode(history) - encode(inside_box)).abs().amax(-1)
    centre = zk[..., 4]
    one = torch.ones(b, ht, wt, device=device)
    features = torch.cat([
        encode(t).reshape(b, ht, wt, 27), encode(current).reshape(b, ht, wt, 12), encode(history).reshape(b, ht, wt, 12),
        n / (n + 1), outside,
        torch.stack([ox, oy, ox * ox, oy * oy, ox * oy, dz, (centre - near) / (centre + near),
                     mx / (4 + mx.abs()), my / (4 + my.abs()), fx * (1 - fx), fy * (1 - fy), one * (rx - 0.5), one], -1),
        latents], -1)
    return dict(features=features, t=t, low=low, high=high, smooth=smooth, sharp=sharp, history=history, n=n,
                depth=near, exposure=exposure, output_size=output_size)


def sigmoid2(x):
    return 1 / (1 + torch.exp2(-x))


def reconstruct(frame, head):
    """From the head [B, Ht, Wt, 72] to (working-domain output [B, 3, H, W], new State)."""
    head = head.float()
    b, ht, wt, _ = head.shape
    width, height = frame["output_size"]
    p = head[..., :60].reshape(b, ht, wt, 4, PIXEL_SLOTS)
    n, low, high, history = frame["n"], frame["low"][..., None, :], frame["high"][..., None, :], frame["history"]
    u = (n / (n + 0.5))[..., None]
    spread = torch.exp2(p[..., 9:10].clamp(-3, 3)) * (frame["smooth"] * (1 - u) + frame["sharp"] * u)
    weights = torch.exp2((p[..., :9] - spread).clamp(-20, 10))
    total = weights.sum(-1)
    summed = weights @ frame["t"]
    keep = n * sigmoid2(p[..., 10] + 4)
    clamped = torch.maximum(torch.minimum(history, high), low)
    history = history + sigmoid2(p[..., 11] - 1)[..., None] * (clamped - history)
    out = (summed + keep[..., None] * history) / (total + keep)[..., None]
    r = p[..., 12:15]
    out = (out + 0.5 * (high - low) * (r / (1 + r.abs()))).clamp(0, T_MAX)
    new_n = (total + keep).clamp(max=N_MAX)
    plane = torch.cat([out, new_n[..., None]], -1).view(b, ht, wt, 2, 2, 4).permute(0, 5, 1, 3, 2, 4)
    plane = plane.reshape(b, 4, 2 * ht, 2 * wt)[:, :, :height, :width]
    latents = head[..., 60:68]
    latents = (latents / (1 + latents.abs())).permute(0, 3, 1, 2)
    return plane[:, :3], State(plane, latents, frame["depth"], frame["exposure"])


class Upscaler(nn.Module):
    """The whole network. prepare(dtype) once after the weights change, then frame() for each frame."""

    def __init__(self):
        super().__init__()
        channels = {"features": FEATURES}
        self.layers = nn.ModuleDict()
        for spec in LAYERS:
            source = spec["source"].split(":")[-1]
            self.layers[spec["name"]] = WindowLayer(spec, channels[source])
            channels[spec["name"]] = spec["channels"]
        self.head = nn.Parameter(torch.randn(HEAD, LAYERS[-1]["channels"]) * 0.004)
        self.head_bias = nn.Parameter(torch.zeros(HEAD))
        self.dtype = torch.float32
        self.ingest, self.reconstruct = ingest, reconstruct  # the trainer may put compiled ones here

    def prepare(self, dtype):
        self.dtype = dtype
        for layer in self.layers.values():
            layer.prepare(dtype)
        self.w = dict(head=self.head.to(dtype), head_bias=self.head_bias.to(dtype))

    def network(self, features, keep=None):
        """Features [B, Ht, Wt, 80] to the head [B, Ht, Wt, 72]; `keep`, a dict, receives every layer's tokens."""
        tokens = {"features": features.to(self.dtype)}
        for spec in LAYERS:
            source = spec["source"].split(":")[-1]
            skip = tokens[spec["skip"]] if spec["skip"] else None
            tokens[spec["name"]] = self.layers[spec["name"]](tokens[source], skip)
        if keep is not None:
            keep.update(tokens)
        return F.linear(rms(tokens[LAYERS[-1]["name"]]), self.w["head"], self.w["head_bias"])

    def frame(self, color, z, motion, jitter, exposure, reset, output_size, state, prior_only=False):
        frame = self.ingest(color, z, motion, jitter, exposure, reset, output_size, state)
        if prior_only:
            head = torch.zeros(*frame["features"].shape[:3], HEAD, device=color.device)
        else:
            head = self.network(frame["features"])
        return self.reconstruct(frame, head)


def bilinear(color, jitter, exposure, output_size):
    """Jitter-aware bilinear resampling of one frame, in the working domain [B, 3, H, W]."""
    b, _, h, w = color.shape
    width, height = output_size
    t = tonemap(color.float().permute(0, 2, 3, 1), exposure.view(b, 1, 1, 1)).permute(0, 3, 1, 2)
    x = ((torch.arange(width, device=color.device) + 0.5) / width)[None] - jitter[:, 0:1] / w
    y = ((torch.arange(height, device=color.device) + 0.5) / height)[None] - jitter[:, 1:2] / h
    grid = torch.stack([(2 * x - 1)[:, None, :].expand(b, height, width), (2 * y - 1)[:, :, None].expand(b, height, width)], -1)
    return F.grid_sample(t, grid, mode="bilinear", padding_mode="border", align_corners=False)
