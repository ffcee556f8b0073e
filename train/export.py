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
            out[name + ".mix"] = layer.table[:, layer.relative] + layer.matrix
        else:
            qkv = layer.qkv.clone()
            qkv[:layer.c] *= LOG2E * net.HEAD_DIM ** -0.5  # logits in powers of two
            out[name + ".qkv"] = qkv
            out[name + ".bias"] = layer.table[:, layer.relative] * LOG2E
        for k in ("proj", "up", "up_bias", "down"):
            out[f"{name}.{k}"] = getattr(layer, k)
    out["head"], out["head_bias"] = network.head, network.head_bias
    return out


def safetensors(tensors):
    """The bytes of a safetensors file of f16 tensors."""
    header, blobs, at = {}, [], 0
    for name, t in tensors.items():
        blob = t.detach().cpu().clamp(-65504, 65504).half().contiguous().numpy().tobytes()
        header[name] = {"dtype": "F16", "shape": list(t.shape), "data_offsets": [at, at + len(blob)]}
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


def main():
    checkpoint, folder = sys.argv[1:]
    saved = torch.load(checkpoint, map_location="cpu")
    network = net.Upscaler()
    network.load_state_dict(saved["mean"])
    export(network, folder, dict(steps=saved["steps"], minutes=round(saved["minutes"], 1)))


if __name__ == "__main__":
    main()
