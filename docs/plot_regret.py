# SPDX-License-Identifier: Apache-2.0
"""Draws regret over the number of configs timed, as an SVG, from what `triode eval --json` printed.

Usage: plot_regret.py EVAL.json OUT.svg
"""

import json
import math
import sys

WIDTH, HEIGHT, MARGIN, GAP = 330, 250, 48, 40
COLOURS = {"model": "#0b6e4f", "analytical": "#c46210", "static": "#4062bb", "random": "#888888"}
LEAST, MOST = 0.0002, 1.0  # of regret - 1, on a logarithmic axis


def y_of(regret: float) -> float:
    share = math.log(min(max(regret - 1, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
    return MARGIN + (HEIGHT - 2 * MARGIN) * (1 - share)


def panel(left: float, device: str, series: dict[str, dict[str, dict]]) -> list[str]:
    ks = sorted(int(k) for k in series["model"])
    x_of = {k: left + MARGIN + (WIDTH - 2 * MARGIN) * i / (len(ks) - 1) for i, k in enumerate(ks)}
    out = [f'<text x="{left + WIDTH / 2}" y="24" text-anchor="middle">{device}</text>']
    for over in (0.001, 0.01, 0.1, 1):
        y = y_of(1 + over)
        out.append(f'<line x1="{left + MARGIN}" x2="{left + WIDTH - MARGIN}" y1="{y}" y2="{y}" stroke="#ddd"/>')
        out.append(f'<text x="{left + MARGIN - 4}" y="{y + 4}" text-anchor="end">{over:.1%}</text>')
    for k, x in x_of.items():
        out.append(f'<text x="{x}" y="{HEIGHT - MARGIN + 16}" text-anchor="middle">{k}</text>')
    for name, by_k in series.items():
        points = [(x_of[k], y_of(by_k[str(k)]["geomean"])) for k in ks]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[name]}" stroke-width="2"/>')
        out.append(f'<text x="{points[-1][0] + 4:.1f}" y="{points[-1][1] + 4:.1f}" '
                   f'fill="{COLOURS[name]}">{name}</text>')
    return out


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[0], encoding="utf-8") as file:
        report = json.load(file)
    width = len(report["regret"]) * (WIDTH + GAP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" '
           'font-family="sans-serif" font-size="11">',
           f'<rect width="{width}" height="{HEIGHT}" fill="white"/>']
    for i, (device, model) in enumerate(sorted(report["regret"].items())):
        series = {"model": model}
        series |= {name: by_device[device] for name, by_device in report["baselines"].items()}
        out += panel(i * (WIDTH + GAP), device, series)
    out.append(f'<text x="{width / 2}" y="{HEIGHT - 8}" text-anchor="middle">'
               "configs timed; time lost over the best config (geometric mean, unseen shapes)</text>")
    with open(arguments[1], "w", encoding="utf-8") as file:
        file.write("\n".join(out + ["</svg>", ""]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
