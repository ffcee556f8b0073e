"""Trains the upscaling network on frames rendered as it goes, within a time budget; resumable.

    python3 train/train.py --ptx build/release/guest/scene.ptx --minutes 8 --out OUT [--resume OUT/checkpoint.pt]
    python3 train/train.py --ptx ... --minutes 8 --out OUT --start models/upscaler    goes on from a shipped model
    python3 train/train.py --ptx ... --bench --out OUT      times the renderer and the training step, then ends
    python3 train/train.py --fake --minutes 1 --out OUT     tries the machinery without a GPU

OUT receives log.jsonl (settings, training progress, held-out measurements), checkpoint.pt (weights, their running mean,
optimiser moments in bf16: under 16 MiB), model/ (what export.py writes) and sheet.png (held-out pictures).
"""

import argparse
import json
import math
import os
import random
import time

import torch

import export
import model as net
import scene

START = time.time()
SIZES = {2.0: (96, 96), 1.5: (128, 128), 1.72: (112, 112), 3.0: (64, 64)}  # render sizes of the training crops
SHARES = {2.0: 0.7, 1.5: 0.1, 1.72: 0.1, 3.0: 0.1}
VIEWS = ((640, 360), (640, 360), (960, 540), (1280, 720), (1920, 1080))
FRAMES = 8  # unrolled with gradients
LEAD_IN = 6  # frames before them, without gradients, in half of the batches of LEAD_IN_SCALE: histories that are old
LEAD_IN_SCALE = 2.0
PLANES = ("color", "depth", "motion", "jitter", "exposure", "reset", "reference")


def elapsed():
    return time.time() - START


class Log:
    def __init__(self, path):
        self.file = open(path, "a")

    def __call__(self, **row):
        row = {"t": round(elapsed(), 1), **row}
        self.file.write(json.dumps(row) + "\n")
        self.file.flush()
        print(json.dumps(row), flush=True)


class Pool:
    """Rendered sequences of one scale on the training device; the oldest are replaced by new ones."""

    def __init__(self, source, families, scale, capacity, rng, spp):
        self.source, self.families, self.scale, self.capacity, self.rng = source, families, scale, capacity, rng
        self.spp = spp
        self.frames = FRAMES + (LEAD_IN if scale == LEAD_IN_SCALE else 0)
        self.planes, self.filled, self.cursor, self.rendered = None, 0, 0, 0

    def refresh(self, count):
        """Renders count sequences into the pool; returns the seconds it took."""
        start = time.time()
        r = self.rng
        new = self.source.render(
            [r.choice(self.families) for _ in range(count)], [r.randrange(1 << 30) for _ in range(count)],
            [r.randrange(240) for _ in range(count)], self.frames, SIZES[self.scale], self.scale,
            view_size=r.choice(VIEWS), spp=self.spp)
        if self.planes is None:
            self.planes = {k: torch.zeros(self.capacity, *new[k].shape[1:], dtype=new[k].dtype, device=new[k].device)
                           for k in PLANES}
        count = min(count, self.capacity)
        first = min(count, self.capacity - self.cursor)
        for k in PLANES:
            self.planes[k][self.cursor:self.cursor + first] = new[k][:first]
            if first < count:
                self.planes[k][:count - first] = new[k][first:count]
        self.cursor = (self.cursor + count) % self.capacity
        self.filled = min(self.capacity, self.filled + count)
        self.rendered += count
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        return time.time() - start

    def batch(self, count):
        """count sequences, with one random symmetry, permutation of colours and change of exposure for all of them."""
        r = self.rng
        device = self.planes["color"].device
        rows = torch.randint(self.filled, (count,), device=device)
        b = {k: v[rows] for k, v in self.planes.items()}
        if self.frames > FRAMES and r.random() < 0.5:
            first = r.randrange(self.frames - FRAMES + 1)
            b = {k: v[:, first:first + FRAMES] for k, v in b.items()}
        channels = r.sample(range(3), 3)
        b["color"], b["reference"] = b["color"][:, :, channels], b["reference"][:, :, channels]
        gain = 2.0 ** (torch.randn(count, 1, device=device) * 0.7)
        if r.random() < 0.25:  # exposure that drifts
            gain = gain * 2.0 ** (torch.randn(count, 1, device=device) * 0.1 * torch.arange(b["exposure"].shape[1], device=device))
        b["exposure"] = b["exposure"] * gain
        for axis in (0, 1):  # x, y
            if r.random() < 0.5:
                for k in ("color", "depth", "motion", "reference"):
                    b[k] = b[k].flip(-1 - axis)
                for k, dim in (("motion", 2), ("jitter", 2)):
                    sign = torch.ones(2, device=device)
                    sign[axis] = -1
                    b[k] = b[k] * (sign.view(1, 1, 2, 1, 1) if k == "motion" else sign)
        if r.random() < 0.5:
            for k in ("color", "depth", "motion", "reference"):
                b[k] = b[k].transpose(-1, -2)
            b["motion"], b["jitter"] = b["motion"].flip(2), b["jitter"].flip(2)
        b["reset"] = b["reset"].clone()
        b["reset"][:, 0] = True
        return b


def reference_display(reference, exposure):
    t = net.tonemap(reference.float().permute(0, 2, 3, 1), exposure.view(-1, 1, 1, 1))
    return net.display(t).permute(0, 3, 1, 2)


def unroll(model, b, args):
    """The loss of one batch of sequences."""
    state, loss, before = None, 0.0, None
    size = (b["reference"].shape[-1], b["reference"].shape[-2])
    frames = b["color"].shape[1]
    z = net.linear_depth(b["depth"], "inverted", scene.NEAR, scene.FAR)
    total = 0.0
    lead_in = frames - FRAMES
    with torch.no_grad():
        for i in range(lead_in):
            _, state = model.frame(b["color"][:, i], z[:, i], b["motion"][:, i], b["jitter"][:, i], b["exposure"][:, i],
                                   b["reset"][:, i], size, state)
    for i in range(lead_in, frames):
        out, state = model.frame(b["color"][:, i], z[:, i], b["motion"][:, i], b["jitter"][:, i], b["exposure"][:, i],
                                 b["reset"][:, i], size, state)
        shown, wanted = net.display(out), reference_display(b["reference"][:, i], b["exposure"][:, i])
        error = shown - wanted
        weight = min(1.0, 0.4 + 0.2 * i)
        per_item = (error * error).mean((1, 2, 3))
        loss = loss + weight * (error.abs().mean() + args.log_mse * torch.log(per_item + 1e-4).mean())
        total += weight
        if before is not None:
            change = (error - before).abs().mean((1, 2, 3)) * (~b["reset"][:, i]).float()
            loss = loss + weight * args.temporal * change.mean()
        before = error
    return loss / total


class Step:
    """Loss and gradients of a batch: as one CUDA graph a scale where that works, else launched kernel by kernel."""

    def __init__(self, model, args, log):
        self.model, self.args, self.log = model, args, log
        self.graphs, self.use_graphs = {}, args.graphs and torch.cuda.is_available()
        self.dtype = torch.bfloat16 if torch.cuda.is_available() else torch.float32
        if args.compile:
            self.compile()

    def compile(self):
        """Fuses the element-wise work before and after the window layers; worth its minute in long runs."""
        self.model.ingest = torch.compile(net.ingest, dynamic=False)
        self.model.reconstruct = torch.compile(net.reconstruct, dynamic=False)

    def plain(self):
        self.model.ingest, self.model.reconstruct = net.ingest, net.reconstruct

    def eager(self, b):
        for p in self.model.parameters():
            p.grad = None
        self.model.prepare(self.dtype)
        loss = unroll(self.model, b, self.args)
        loss.backward()
        return loss.detach()

    def capture(self, key, b):
        static = {k: v.clone(memory_format=torch.contiguous_format) for k, v in b.items()}
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(2):
                self.eager(static)
        torch.cuda.current_stream().wait_stream(stream)
        for p in self.model.parameters():
            p.grad = None
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        # One pool for all: they never run at the same time, and what outlives a replay is held.
        pool = dict(pool=next(iter(self.graphs.values()))[0].pool()) if self.graphs else {}
        with torch.cuda.graph(graph, **pool):
            self.model.prepare(self.dtype)
            loss = unroll(self.model, static, self.args)
            loss.backward()
        grads = [p.grad for p in self.model.parameters()]
        self.graphs[key] = (graph, static, loss.detach(), grads)

    def __call__(self, b):
        if self.model.ingest is not net.ingest and not self.use_graphs:
            try:
                return self.eager(b)
            except Exception as problem:
                self.log(event="not compiled", why=str(problem)[:500])
                self.plain()
        if not self.use_graphs:
            return self.eager(b)
        key = tuple(b["color"].shape) + tuple(b["reference"].shape)
        if key not in self.graphs:
            try:
                start = time.time()
                self.capture(key, b)
                self.log(event="graph", key=list(key), seconds=round(time.time() - start, 1),
                         gib=round(torch.cuda.memory_reserved() / 2 ** 30, 1))
            except Exception as problem:  # a graph is only a faster way to do the same
                self.log(event="no graphs", why=str(problem)[:500], compiled=self.model.ingest is not net.ingest)
                torch.cuda.synchronize()
                if self.model.ingest is not net.ingest:
                    self.plain()
                    return self(b)
                self.use_graphs = False
                self.graphs.clear()
                return self.eager(b)
        graph, static, loss, grads = self.graphs[key]
        for k, v in b.items():
            static[k].copy_(v)
        graph.replay()
        for p, g in zip(self.model.parameters(), grads):
            p.grad = g
        return loss


def psnr(error):
    return -10 * math.log10(max(float((error * error).mean()), 1e-10))


class HeldOut:
    """Whole 12-frame sequences of the families that are never trained on: 320x180 to 640x360."""

    def __init__(self, source, families, fake, seeds=(1, 2)):
        self.sets, self.constant = [], None
        self.long = [] if fake else [source.render([f], [5], [0], 40, (320, 180), 2.0, spp=32, cuts=False) for f in families]
        for family in families:
            for seed in seeds[:1] if fake else seeds:
                self.sets.append(source.render([family], [seed], [0], 12, (64, 48) if fake else (320, 180), 2.0, spp=64, cuts=False))

    @torch.no_grad()
    def measure_long(self, model):
        """Mean PSNR by frame, four at a time, over 40 frames: a history that drifts shows here."""
        sums = [0.0] * 40
        for b in self.long:
            size, state = (b["reference"].shape[-1], b["reference"].shape[-2]), None
            z = net.linear_depth(b["depth"], "inverted", scene.NEAR, scene.FAR)
            for i in range(40):
                e = b["exposure"][:, i]
                out, state = model.frame(b["color"][:, i], z[:, i], b["motion"][:, i], b["jitter"][:, i], e,
                                         b["reset"][:, i] | (i == 0), size, state)
                sums[i] += psnr(net.display(out) - reference_display(b["reference"][:, i], e)) / len(self.long)
        return [round(sum(sums[i:i + 4]) / 4, 2) for i in range(0, 40, 4)]

    @torch.no_grad()
    def measure(self, model, sheet=None):
        """Mean PSNR of frames that are not marked reset, and of those at least four after one, by method."""
        methods = ("network",) if self.constant and not sheet else ("bilinear", "prior", "network")
        values = {m: [] for m in methods}
        pictures, by_set = [], []
        for b in self.sets:
            size = (b["reference"].shape[-1], b["reference"].shape[-2])
            z = net.linear_depth(b["depth"], "inverted", scene.NEAR, scene.FAR)
            states, since = {m: None for m in methods}, 0
            mine = []
            for i in range(b["color"].shape[1]):
                reset = bool(b["reset"][0, i]) or i == 0
                since = 0 if reset else since + 1
                e = b["exposure"][:, i]
                wanted = reference_display(b["reference"][:, i], e)
                row = [wanted]
                for m in methods:
                    if m == "bilinear":
                        out = net.bilinear(b["color"][:, i], b["jitter"][:, i], e, size)
                    else:
                        out, states[m] = model.frame(b["color"][:, i], z[:, i], b["motion"][:, i], b["jitter"][:, i], e,
                                                     b["reset"][:, i] | (i == 0), size, states[m], prior_only=m == "prior")
                    row.append(net.display(out))
                    if not reset:
                        values[m].append((psnr(row[-1] - wanted), since >= 4))
                        if m == "network" and since >= 4:
                            mine.append(values[m][-1][0])
                if sheet and i == 11:
                    pictures.append(torch.cat([x[0] for x in row], -1))
            by_set.append(round(sum(mine) / max(1, len(mine)), 2))
        result = {}
        for m in methods:
            result[m] = round(sum(v for v, _ in values[m]) / len(values[m]), 3)
            warm = [v for v, is_warm in values[m] if is_warm]
            result[m + "_warm"] = round(sum(warm) / max(1, len(warm)), 3)
        if self.constant is None:
            self.constant = {k: v for k, v in result.items() if not k.startswith("network")}
        result.update(self.constant)
        result["gain_warm"] = round(result["network_warm"] - result["bilinear_warm"], 3)
        result["by_sequence"] = by_set
        if sheet and self.long:
            result["long"] = self.measure_long(model)
        if sheet:
            save_sheet(sheet, pictures)
        return result


def save_sheet(path, pictures):
    try:
        from PIL import Image
    except ImportError:
        return
    rows = torch.cat([p[:, :, :].clamp(0, 1) for p in pictures[:3]], -2)
    Image.fromarray((rows.permute(1, 2, 0) * 255 + 0.5).byte().cpu().numpy()).save(path, quality=92)


class Trainer:
    def __init__(self, args):
        self.args = args
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.manual_seed(args.seed)
        self.rng = random.Random(args.seed)
        os.makedirs(args.out, exist_ok=True)
        self.log = Log(os.path.join(args.out, "log.jsonl"))
        self.model = net.Upscaler().to(self.device)
        self.mean = net.Upscaler().to(self.device)  # running mean of the weights: what is measured and shipped
        self.mean.load_state_dict(self.model.state_dict())
        slow = [p for n, p in self.model.named_parameters() if n.endswith("matrix") or n.endswith("table")]
        chosen = {id(p) for p in slow}
        groups = [dict(params=[p for p in self.model.parameters() if id(p) not in chosen], share=1.0),
                  dict(params=slow, share=args.table_rate)]
        fused = dict(fused=True) if self.device.type == "cuda" else {}
        self.optimiser = torch.optim.AdamW(groups, lr=args.rate, betas=(0.9, 0.99), weight_decay=1e-4, **fused)
        self.steps = self.total_minutes = 0
        if args.resume:
            self.load(args.resume)
        elif args.start:
            self.start_from(args.start)
        if args.fake:
            import fake_scene
            self.source = fake_scene.FakeBatch(self.device)
            self.training, self.held_out = fake_scene.TRAINING_FAMILIES, fake_scene.HELD_OUT_FAMILIES
        else:
            self.source = scene.SceneBatch(args.ptx)
            self.training, self.held_out = scene.TRAINING_FAMILIES, scene.HELD_OUT_FAMILIES
        self.step = Step(self.model, args, self.log)

    def save(self):
        """checkpoint.pt, written whole or not at all."""
        state = self.optimiser.state_dict()["state"]
        moments = {i: {k: (v.to(torch.bfloat16) if k != "step" else v).cpu() for k, v in s.items()} for i, s in state.items()}
        path = os.path.join(self.args.out, "checkpoint.pt")
        torch.save(dict(model={k: v.cpu() for k, v in self.model.state_dict().items()},
                        mean={k: v.cpu() for k, v in self.mean.state_dict().items()}, moments=moments, steps=self.steps,
                        minutes=self.total_minutes + elapsed() / 60), path + ".new")
        os.replace(path + ".new", path)

    def load(self, path):
        saved = torch.load(path, map_location="cpu")
        self.model.load_state_dict(saved["model"])
        self.mean.load_state_dict(saved["mean"])
        state = self.optimiser.state_dict()
        state["state"] = {i: {k: v.float() for k, v in s.items()} for i, s in saved["moments"].items()}
        self.optimiser.load_state_dict(state)
        self.steps, self.total_minutes = saved["steps"], saved["minutes"]
        self.log(event="resumed", steps=self.steps, minutes=round(self.total_minutes, 1))

    def start_from(self, folder):
        """Weights of an exported model (export.py), the optimiser's moments anew."""
        weights = export.load(folder).state_dict()
        self.model.load_state_dict(weights)
        self.mean.load_state_dict(weights)
        with open(os.path.join(folder, "model.json")) as f:
            training = json.load(f)["training"]
        self.steps, self.total_minutes = training["steps"], training["minutes"]
        self.log(event="started", model=folder, steps=self.steps, minutes=self.total_minutes)

    def rate_at(self, fraction):
        """Warm-up over the first 3 percent of this run, then a cosine from rate to rate_end."""
        a = self.args
        if fraction < 0.03:
            return a.rate * max(0.02, fraction / 0.03)
        return a.rate_end + (a.rate - a.rate_end) * 0.5 * (1 + math.cos(math.pi * min(1.0, fraction)))

    def apply(self, fraction):
        """One optimiser step from the gradients in place; False if they are not finite."""
        rate = self.rate_at(fraction)
        for g in self.optimiser.param_groups:
            g["lr"] = rate * g["share"]
        params = list(self.model.parameters())
        norm = float(torch.nn.utils.clip_grad_norm_(params, 1.0))
        if not math.isfinite(norm):
            return False
        self.optimiser.step()
        decay = min(0.999, (1 + self.steps) / (20 + self.steps))
        with torch.no_grad():
            for m, p in zip(self.mean.parameters(), params) if self.device.type == "cpu" else ():
                m.lerp_(p, 1 - decay)
            if self.device.type == "cuda":
                torch._foreach_lerp_(list(self.mean.parameters()), params, 1 - decay)
        self.steps += 1
        return True

    def measure(self, held, sheet=None):
        self.mean.prepare(torch.float16 if self.device.type == "cuda" else torch.float32)
        start = time.time()
        result = held.measure(self.mean, sheet)
        self.log(event="held-out", steps=self.steps, seconds=round(time.time() - start, 1), **result)

    def run(self):
        a, log = self.args, self.log
        fake = a.fake
        end = a.minutes * 60
        log(event="start", steps=self.steps, torch=torch.__version__, device=str(self.device), parameters=sum(
            p.numel() for p in self.model.parameters()), **{k: v for k, v in vars(a).items() if k != "out"})
        held = HeldOut(self.source, self.held_out, fake)
        log(event="held-out rendered", sequences=len(held.sets))
        self.measure(held)
        scales = [2.0] if fake else list(SHARES)
        pools = {s: Pool(self.source, self.training, s, max(a.chunk, int(a.pool * SHARES[s])), self.rng, a.spp) for s in scales}
        chunk_seconds = {s: 0.0 for s in scales}
        for s in scales:
            pools[s].refresh(a.chunk)
            chunk_seconds[s] = pools[s].refresh(a.chunk)
            log(event="pool", scale=s, sequences=pools[s].filled, seconds_per_chunk=round(chunk_seconds[s], 3))
        while elapsed() < a.prefill * 60 * min(1.0, a.minutes):
            s = self.rng.choices(scales, [SHARES[s] for s in scales])[0]
            if pools[s].filled >= pools[s].capacity:
                s = 2.0
                if pools[s].filled >= pools[s].capacity:
                    break
            chunk_seconds[s] = pools[s].refresh(a.chunk)
        log(event="prefilled", sequences={str(s): pools[s].filled for s in scales},
            gib=round(torch.cuda.memory_allocated() / 2 ** 30, 1) if self.device.type == "cuda" else 0)
        training_start = elapsed()
        last_print = last_save = last_measure = elapsed()
        render_time, losses, bad, first = 0.0, [], 0, self.steps
        reserve = 6.0 if not fake else 2.0  # for the last measurement and the files
        while elapsed() < end - reserve:
            now = elapsed()
            fraction = (now - training_start) / max(1.0, end - reserve - training_start)
            s = self.rng.choices(scales, [SHARES[s] for s in scales])[0]
            if render_time + chunk_seconds[s] < a.render_share * (now - training_start) and fraction < 0.95:
                chunk_seconds[s] = pools[s].refresh(a.chunk)
                render_time += chunk_seconds[s]
            loss = self.step(pools[s].batch(a.batch))
            if not self.apply(fraction):
                bad += 1
                if bad > 200:
                    log(event="stopped", why="gradients are not finite")
                    break
                continue
            losses.append(loss.clone())
            now = elapsed()
            if now - last_print > 5:
                log(steps=self.steps, loss=round(float(torch.stack(losses).mean()), 5), rate=self.optimiser.param_groups[0]["lr"],
                    ms=round(1000 * (now - training_start - render_time) / (self.steps - first), 1), bad=bad,
                    rendered=sum(p.rendered for p in pools.values()), render_s=round(render_time, 1))
                losses, last_print = [], now
            if now - last_measure > a.measure_every:
                self.measure(held)
                last_measure = elapsed()
            if now - last_save > 60:
                self.save()
                last_save = elapsed()
        self.save()
        export.export(self.mean, os.path.join(a.out, "model"), dict(steps=self.steps, minutes=round(self.total_minutes + elapsed() / 60, 1)))
        self.measure(held, os.path.join(a.out, "sheet.jpg"))
        log(event="end", steps=self.steps)

    def bench(self):
        """Seconds of rendering and of training steps."""
        log, sync = self.log, (torch.cuda.synchronize if self.device.type == "cuda" else lambda: None)
        scales = [2.0] if self.args.fake else list(SIZES)
        pools = {}
        for s in scales:
            pools[s] = Pool(self.source, self.training, s, 4 * self.args.chunk, self.rng, self.args.spp)
            pools[s].refresh(self.args.chunk)
            seconds = pools[s].refresh(self.args.chunk)
            log(event="bench render", scale=s, sequences=self.args.chunk, seconds=round(seconds, 3))
        ways = [(False, False, (16,)), (True, False, (8, 16, 32))] + [(True, True, (16,))] * self.args.compile
        for graphs, compiled, batches in ways:
            if compiled and self.device.type == "cuda":
                self.step.compile()
            self.step.use_graphs = graphs and self.device.type == "cuda"
            for batch in batches:
                if self.args.fake and batch > 8:
                    continue
                b, start = pools[2.0].batch(batch), time.time()
                self.step(b), self.apply(0.01)
                self.step(b), self.apply(0.01)
                sync()
                first, start, n = time.time() - start, time.time(), 5
                for _ in range(n):
                    self.step(pools[2.0].batch(batch)), self.apply(0.01)
                sync()
                log(event="bench step", graphs=self.step.use_graphs, compiled=self.model.ingest is not net.ingest,
                    batch=batch, first_two_s=round(first, 1), ms=round(1000 * (time.time() - start) / n, 1),
                    gib=round(torch.cuda.max_memory_allocated() / 2 ** 30, 1) if self.device.type == "cuda" else 0)
            self.step.graphs.clear()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--ptx", help="the scene renderer's PTX")
    p.add_argument("--out", required=True)
    p.add_argument("--minutes", type=float, default=8, help="whole run, from the start of the program to its end")
    origin = p.add_mutually_exclusive_group()
    origin.add_argument("--resume", help="a checkpoint.pt to go on from")
    origin.add_argument("--start", help="the folder of an exported model to go on from")
    p.add_argument("--batch", type=int, default=16)
    p.add_argument("--chunk", type=int, default=32, help="sequences rendered at once")
    p.add_argument("--spp", type=int, default=32, help="samples a pixel of the references in training")
    p.add_argument("--pool", type=int, default=8000, help="sequences kept")
    p.add_argument("--prefill", type=float, default=0.7, help="minutes of rendering before the first step")
    p.add_argument("--render-share", type=float, default=0.25, help="share of the time spent on new sequences")
    p.add_argument("--rate", type=float, default=2e-3)
    p.add_argument("--rate-end", type=float, default=5e-5)
    p.add_argument("--table-rate", type=float, default=0.3)
    p.add_argument("--temporal", type=float, default=0.15)
    p.add_argument("--log-mse", type=float, default=0.02)
    p.add_argument("--measure-every", type=float, default=45, help="seconds")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--no-graphs", dest="graphs", action="store_false")
    p.add_argument("--compile", action="store_true", help="torch.compile for ingest and reconstruct")
    p.add_argument("--bench", action="store_true")
    p.add_argument("--fake", action="store_true")
    args = p.parse_args()
    if torch.cuda.is_available():
        torch.backends.cuda.matmul.allow_tf32 = True
    elif args.fake:
        SIZES[2.0] = (32, 32)
        args.batch, args.chunk, args.pool = min(args.batch, 4), 4, 64
    trainer = Trainer(args)
    if args.bench:
        trainer.bench()
    else:
        trainer.run()


if __name__ == "__main__":
    main()
