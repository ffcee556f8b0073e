"""Draws the curve of a model's log: PSNR on the held-out families against minutes of training.

    python3 train/curve.py models/upscaler/log.jsonl docs/images/training.svg
"""

import json
import sys

WIDTH, HEIGHT, LEFT, BOTTOM = 640, 320, 50, 40
SERIES = (("network_warm", "network", "#0a6"), ("prior_warm", "prior", "#888"), ("bilinear_warm", "bilinear", "#c50"))


def points(path):
    """(minutes since the first run's start, held-out row) of every measurement; runs follow each other."""
    offset = last = 0.0
    for line in open(path):
        row = json.loads(line)
        if row.get("event") == "start":
            offset += last
        last = row["t"]
        if row.get("event") == "held-out":
            yield (offset + row["t"]) / 60, row


def main():
    source, target = sys.argv[1:]
    rows = list(points(source))
    end = max(minutes for minutes, _ in rows)
    low, high = 29, 36

    def place(minutes, psnr):
        return (LEFT + minutes / end * (WIDTH - LEFT - 70), HEIGHT - BOTTOM - (psnr - low) / (high - low) * (HEIGHT - BOTTOM - 20))

    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    for psnr in range(low, high + 1):
        x, y = place(0, psnr)
        svg.append(f'<path d="M{x:.0f} {y:.1f}H{place(end, psnr)[0]:.0f}" stroke="#ddd"/><text x="{x - 6:.0f}" y="{y + 4:.1f}" text-anchor="end">{psnr}</text>')
    for minutes in range(0, int(end) + 1, 5):
        x, y = place(minutes, low)
        svg.append(f'<text x="{x:.1f}" y="{y + 16:.1f}" text-anchor="middle">{minutes}</text>')
    svg.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 6}" text-anchor="middle">minutes of training; PSNR in dB, held-out families, warm frames</text>')
    for key, name, color in SERIES:
        path = [place(minutes, row[key]) for minutes, row in rows if key in row]
        line = "L".join(f"{x:.1f} {y:.1f}" for x, y in path)
        svg.append(f'<path d="M{line}" fill="none" stroke="{color}" stroke-width="2"/>')
        svg.append(f'<text x="{path[-1][0] + 6:.0f}" y="{path[-1][1] + 4:.1f}" fill="{color}">{name}</text>')
    svg.append("</svg>\n")
    open(target, "w").write("\n".join(svg))


if __name__ == "__main__":
    main()
