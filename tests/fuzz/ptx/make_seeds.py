#!/usr/bin/env python3
"""Makes seeds/ anew: `make_seeds.py BUILD/bin/ptx-form-samples`.

Every suffix of every opcode stands in one line at least; then the lines and texts of tests/ptx/data, cut small. Small seeds keep
the fuzzers fast: what they learn from is variety, not length."""
import pathlib
import re
import subprocess
import sys

here = pathlib.Path(__file__).parent
data = here.parent.parent / "ptx" / "data"
seeds = here / "seeds"

REGISTERS = {"p": "pred", "c": "b8", "h": "b16", "r": "b32", "f": "f32", "rd": "b64", "fd": "f64", "q": "b128",
             "uh": "u16", "u": "u32", "s": "s32", "ul": "u64"}


def kernel(lines, version="9.0", target="sm_90a"):
    body = "\n".join(lines)
    most = {}
    for name, number in re.findall(r"%([a-z]+)(\d+)\b", body):
        if name in REGISTERS:
            most[name] = max(most.get(name, 0), int(number))
    text = f".version {version}\n.target {target}\n.address_size 64\n"
    for name, declaration in (("g", ".global .align 16 .b8 g[256];"), ("c", ".const .align 16 .b8 c[64];")):
        if re.search(rf"(?<![\w.%]){name}\b", body):
            text += declaration + "\n"
    text += ".visible .entry k(.param .u64 q)\n{\n"
    for name, number in sorted(most.items()):
        text += f".reg .{REGISTERS[name]} %{name}<{number + 1}>;\n"
    if re.search(r"(?<![\w.%])s\b", body):
        text += ".shared .align 16 .b8 s[1024];\n"
    if re.search(r"\bT\b", body):
        text += "T: .branchtargets L;\n"
    if re.search(r"\bL\b", body):
        text += "L:\n"
    return text + body + "\nret;\n}\n"


def write(name, text):
    (seeds / name).write_text(text)


def in_groups(name, lines, most_bytes, **options):
    group, size, number = [], 0, 0
    for line in lines + [None]:
        if line is None or size + len(line) > most_bytes:
            if group:
                write(f"{name}_{number:03}.ptx", kernel(group, **options))
            group, size, number = [], 0, number + 1
        if line is not None:
            group.append(line)
            size += len(line)


def form_lines(samples):
    seen, lines = set(), []
    text = subprocess.run([samples, "9.0", "sm_90a"], check=True, capture_output=True, text=True).stdout
    for line in text.split("\nL:\n", 1)[1].splitlines():
        words = line.split(" ", 1)[0].rstrip(";").split(".")
        if len(line) > 300:
            continue
        pairs = {(words[0], word) for word in words} - seen
        if pairs:
            seen |= pairs
            lines.append(line)
    return lines


def error_texts():
    body, text, number = True, [], 0
    for line in (data / "errors.txt").read_text().splitlines() + ["@module"]:
        if line.startswith(("#", "NEST")):
            continue
        if not line.startswith(("@body ", "@body90 ", "@module")):
            text.append(line)
            continue
        if text and number % 2 == 0:
            write(f"error_{number:03}.ptx", kernel(text) if body else "\n".join(text) + "\n")
        body, text, number = line.startswith("@body"), [], number + 1


def main():
    seeds.mkdir(exist_ok=True)
    for old in seeds.iterdir():
        old.unlink()
    in_groups("forms", form_lines(sys.argv[1]), 400)
    legal = [line for line in (data / "legal.txt").read_text().splitlines() if line and not line.startswith("//")]
    in_groups("legal", [line for line in legal if len(line) < 200][::4], 400)
    error_texts()
    for file in sorted((here / "directives").iterdir()):
        write(file.name, file.read_text())
    write("rich.ptx", (data / "rich.ptx").read_text())


main()
