"""Writes the trained network as model.json and weights.safetensors (f16), the form that src/net reads.

    python3 train/export.py CHECKPOINT FOLDER

Weights are written as the mathematics has them ([outputs, inputs], matrices of the position-only layers as softmax-free
[groups, 64, 64]); putting them into fragment order is the business of src/net. See docs/network.md for every tensor.
"""

import hashlib
import json
import math
import os
import struct
import sys

import torch

import model as net

LOG2E = math.log2(math.e)


def tensors_of(network):
    """Name -> f32 tensor, in the order of the launches."""
    out = {}
    for spec in net.LAYERS:
        layer, name = network.layers[spec["name"]], spec["name"]
        if layer.kind != "same":
            out[name + ".load"] = layer.load
        if spec["mixing"] == "position":
            out[name + ".mix"] = layer.by_place() + layer.matrix
        else:
            qkv = layer.qkv.clone()
            qkv[:layer.c] *= LOG2E * net.HEAD_DIM ** -0.5  # logits in powers of two
            out[name + ".qkv"] = qkv
            out[name + ".bias"] = layer.by_place() * LOG2E
        for k in ("proj", "up", "up_bias", "down"):
            out[f"{name}.{k}"] = getattr(layer, k)
    out["head"], out["head_bias"] = network.head, network.head_bias
    return out


def safetensors(tensors, dtype=torch.float16):
    """The bytes of a safetensors file; every tensor is stored as dtype (f16 or f32)."""
    header, blobs, at = {}, [], 0
    for name, t in tensors.items():
        blob = t.detach().cpu().clamp(-65504, 65504).to(dtype).contiguous().numpy().tobytes()
        header[name] = {"dtype": "F16" if dtype == torch.float16 else "F32", "shape": list(t.shape), "data_offsets": [at, at + len(blob)]}
        blobs.append(blob)
        at += len(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(blobs)


def launches():
    """The layers as the runtime launches them: expansions are launches of their own."""
    out, channels = [], {"features": net.FEATURES}
    for spec in net.LAYERS:
        load, _, source = spec["source"].partition(":")
        source, c = source or "features", spec["channels"]
        if load == "expand":
            expanded = spec["name"] + ".expand"
            out.append(dict(name=expanded, kind="expand", kernel=f"network_expand_{channels[source]}_{c}", channels=c,
                            input=source, skip=spec["skip"], weights=spec["name"]))
            load, source = "same", expanded
        suffix = f"merge_{channels[source]}" if load == "merge" else load
        last = spec is net.LAYERS[-1]
        out.append(dict(name=spec["name"], kind="window", mixing=spec["mixing"], load=load, head=last,
                        kernel=f"network_{spec['mixing']}_{c}_{suffix}" + ("_head" if last else ""), channels=c,
                        input=source, shift=spec["shift"], weights=spec["name"]))
        channels[spec["name"]] = c
    return out


@torch.no_grad()
def export(network, folder, training):
    """Writes folder/model.json and folder/weights.safetensors; `training` is a dict for the record."""
    os.makedirs(folder, exist_ok=True)
    data = safetensors(tensors_of(network))
    with open(os.path.join(folder, "weights.safetensors"), "wb") as f:
        f.write(data)
    description = dict(format="warpwave-network", version=1, features=net.FEATURES, latents=net.LATENTS, head=net.HEAD,
                       window=net.WINDOW, ptx="builtin:network", layers=launches(), weights="weights.safetensors",
                       weights_sha256=hashlib.sha256(data).hexdigest(), training=training)
    with open(os.path.join(folder, "model.json"), "w") as f:
        json.dump(description, f, indent=1)
        f.write("\n")


def read_safetensors(path):
    """Name -> tensor of a safetensors file of f16 and f32."""
    with open(path, "rb") as f:
        data = f.read()
    size = struct.unpack("<Q", data[:8])[0]
    out = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        begin, end = entry["data_offsets"]
        kind = {"F16": torch.float16, "F32": torch.float32}[entry["dtype"]]
        out[name] = torch.frombuffer(bytearray(data[8 + size + begin:8 + size + end]), dtype=kind).reshape(entry["shape"])
    return out


@torch.no_grad()
def load(folder):
    """The network of an exported model, with the weights as they were rounded."""
    tensors = read_safetensors(os.path.join(folder, "weights.safetensors"))
    network = net.Upscaler()
    for spec in net.LAYERS:
        layer, name = network.layers[spec["name"]], spec["name"]
        get = lambda k: tensors[f"{name}.{k}"].float()
        if layer.kind != "same":
            layer.load.copy_(get("load"))
        if spec["mixing"] == "position":
            layer.table.zero_()
            layer.matrix.copy_(get("mix"))
        else:
            qkv = get("qkv")
            qkv[:layer.c] /= LOG2E * net.HEAD_DIM ** -0.5
            layer.qkv.copy_(qkv)
            layer.table[:, layer.relative.reshape(-1)] = get("bias").reshape(layer.heads, -1) / LOG2E
        for k in ("proj", "up", "up_bias", "down"):
            getattr(layer, k).copy_(get(k))
    network.head.copy_(tensors["head"].float())
    network.head_bias.copy_(tensors["head_bias"].float())
    return network


def main():
    checkpoint, folder = sys.argv[1:]
    saved = torch.load(checkpoint, map_location="cpu")
    network = net.Upscaler()
    network.load_state_dict(saved["mean"])
    export(network, folder, dict(steps=saved["steps"], minutes=round(saved["minutes"], 1)))


if __name__ == "__main__":
    main()
