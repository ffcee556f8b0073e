"""A stand-in for scene.SceneBatch that needs no GPU: two textured layers that slide over each other.

Only for trying the trainer out on a machine without the renderer; nothing shipped is trained on it.
"""

import torch

from scene import halton, output_size

FAMILIES = ("sliding", "sliding-held-out")
TRAINING_FAMILIES, HELD_OUT_FAMILIES = (0,), (1,)
NEAR, FAR = 0.1, 1000.0


class FakeBatch:
    def __init__(self, device):
        self.device = device

    @staticmethod
    def layer(x, y, phase):
        """A sharp HDR texture at output-scale positions: checks, stripes and dots."""
        a, b, c = phase
        checks = ((torch.floor(x / 7 + a) + torch.floor(y / 5 + b)) % 2)
        stripes = (torch.sin(x * 0.9 * c + y * 0.35 + a * 9) > 0.4).float()
        dots = (torch.sin(x * 0.31 + b * 5) * torch.sin(y * 0.27 + a) > 0.8).float() * 6
        return torch.stack([0.1 + 0.5 * checks + dots, 0.15 + 0.4 * stripes + dots, 0.2 + 0.3 * checks * stripes], -3)

    def sample(self, x, y, frame, p):
        """Colour, depth, motion (output pixels) of points; the front layer is a moving band."""
        va, vb = p["va"], p["vb"]
        back = self.layer(x - va[0] * frame, y - va[1] * frame, p["a"])
        front = self.layer(x - vb[0] * frame, y - vb[1] * frame, p["b"])
        mask = (torch.sin((x - vb[0] * frame) * 0.07) + torch.sin((y - vb[1] * frame) * 0.06) > 0.5).float()
        colour = torch.where(mask[None] > 0, front, back)
        return colour, 10 - 6 * mask, -torch.stack([va[0] + (vb[0] - va[0]) * mask, va[1] + (vb[1] - va[1]) * mask])

    def render(self, families, seeds, start_frames, n_frames, render_size, scale, *, view_size=None, spp=16, **unused):
        w, h = render_size
        width, height = output_size(render_size, scale)
        out = {k: [] for k in ("color", "depth", "motion", "reference", "jitter")}
        for seed in seeds:
            g = torch.Generator().manual_seed(int(seed))
            r = lambda n, s: ((torch.rand(n, generator=g) - 0.5) * s).tolist()
            p = dict(va=r(2, 3.0), vb=r(2, 5.0), a=r(3, 4.0), b=r(3, 4.0))
            frames = {k: [] for k in out}
            for i in range(n_frames):
                jx, jy = halton(i + 1 + int(seed) % 16, 2) - 0.5, halton(i + 1 + int(seed) % 16, 3) - 0.5
                y, x = torch.meshgrid(torch.arange(h) + 0.5 + jy, torch.arange(w) + 0.5 + jx, indexing="ij")
                c, z, m = self.sample(x * width / w, y * height / h, i, p)
                total = 0
                for s in range(16):
                    y, x = torch.meshgrid(torch.arange(height) + (s // 4 + 0.5) / 4, torch.arange(width) + (s % 4 + 0.5) / 4, indexing="ij")
                    total = total + self.sample(x, y, i, p)[0]
                frames["color"].append(c.half())
                frames["depth"].append((NEAR * FAR / z - NEAR)[None] / (FAR - NEAR))
                frames["motion"].append(torch.stack([m[0] * w / width, m[1] * h / height]))
                frames["reference"].append((total / 16).half())
                frames["jitter"].append(torch.tensor([jx, jy]))
            for k in out:
                out[k].append(torch.stack(frames[k]))
        result = {k: torch.stack(v).to(self.device) for k, v in out.items()}
        b = len(seeds)
        result["exposure"] = torch.ones(b, n_frames, device=self.device)
        result["reset"] = torch.zeros(b, n_frames, dtype=torch.bool, device=self.device)
        result["reset"][:, 0] = True
        return result
