"""Writes what PyTorch computes for a few small frames with an exported model: the data of tests/net/golden_test.cpp.

    python3 train/golden.py models/upscaler tests/net/data/golden.safetensors

All in f32, with the weights as the model has them. Four frames of 37x21 to 61x35 (an uneven scale, odd sizes, grids that
end within windows): reset, two with history and motion, the last with another exposure. Inputs, outputs and the last
frame's features, layers and head, each [height, width, channels].
"""

import sys

import torch

import export
import model as net

RENDER, OUTPUT, FRAMES = (37, 21), (61, 35), 4


@torch.no_grad()
def main():
    folder, path = sys.argv[1:]
    torch.manual_seed(7)
    network = export.load(folder)
    network.prepare(torch.float32)
    w, h = RENDER
    out, state = {}, None
    y, x = torch.meshgrid(torch.arange(h).float(), torch.arange(w).float(), indexing="ij")
    for i in range(FRAMES):
        pattern = torch.sin(0.9 * (x + 0.7 * i)) * torch.cos(0.7 * (y - 0.4 * i))
        color = (0.4 + 0.35 * torch.stack([pattern, pattern.roll(3, 1), -pattern]) + 0.2 * torch.rand(3, h, w)).half().float()
        color[:, 5:8, 9:12] = 12.0
        depth = (0.02 + 0.05 * (x > 18) + 0.001 * torch.rand(h, w))[None]
        motion = torch.stack([torch.where(x > 18, 0.63, -0.7), torch.where(y > 11, -0.31, 0.4)]) + 0.05 * torch.randn(2, h, w)
        jitter = torch.rand(2) - 0.5
        exposure = torch.tensor(1.0 if i < 3 else 1.7)
        reset = torch.tensor([i == 0])
        z = net.linear_depth(depth, "inverted", 0.1, 1000.0)
        frame = net.ingest(color[None], z[None], motion[None], jitter[None], exposure[None], reset, OUTPUT, state)
        kept = {}
        head = network.network(frame["features"], kept)
        result, state = net.reconstruct(frame, head)
        for name, t in dict(color=color, depth=depth, motion=motion, result=result[0]).items():
            out[f"{i}.{name}"] = t.permute(1, 2, 0)
        out[f"{i}.jitter"], out[f"{i}.exposure"] = jitter, exposure[None]
        out[f"{i}.weight"] = state.history[0, 3:4].permute(1, 2, 0)
    for name, t in kept.items():
        out["last." + name] = t[0]
    out["last.head"] = head[0]
    with open(path, "wb") as f:
        f.write(export.safetensors(out, torch.float32))


if __name__ == "__main__":
    main()
