#!/usr/bin/env python3
"""Draws the chart of docs/performance.md: speed.py TABLE.csv OUTPUT.svg.

The table holds, for each row of the benchmark, the time of apart in nanoseconds and how many times as long Bullet and
FCL take. python3 standard library only.
"""
import csv
import itertools
import math
import sys

STYLE = """<style>
text{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:13px;fill:#222}
.title{font-size:16px;font-weight:bold}.note{fill:#666;font-size:12.5px}.group{font-weight:bold}
.end{text-anchor:end}.middle{text-anchor:middle}
.grid{stroke:#ddd;stroke-width:1}.one{stroke:#333;stroke-width:1.5}.span{stroke:#bbb;stroke-width:2}
.bullet{fill:#0072b2}.fcl{fill:#d55e00}.bullet,.fcl{stroke:#fff;stroke-width:1}.band{fill:#f6f6f6}
</style>"""
WIDTH, LEFT, RIGHT, TOP, ROW, HEAD = 880, 262, 780, 92, 18, 26
LARGEST = 200.0  # the right end of the axis
TICKS = [1, 2, 5, 10, 20, 50, 100, 200]


def at(ratio):
    """The place of a ratio on the logarithmic axis."""
    return LEFT + (RIGHT - LEFT) * math.log(max(ratio, 1.0)) / math.log(LARGEST)


def text(x, y, words, style=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{style}">{words}</text>'


def mark(x, y, library):
    """A disc for Bullet, a diamond for FCL: to be told apart without colours."""
    if library == "bullet":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" class="bullet"/>'
    corners = f"M{x - 6:.1f} {y:.1f}L{x:.1f} {y - 6:.1f}L{x + 6:.1f} {y:.1f}L{x:.1f} {y + 6:.1f}Z"
    return f'<path d="{corners}" class="fcl"/>'


def draw(rows):
    by_group = itertools.groupby(rows, key=lambda row: row["group"])
    groups = [(name, list(members)) for name, members in by_group]
    bottom = TOP + sum(HEAD + ROW * len(members) for _, members in groups) + 8
    back, front = [], []
    for tick in TICKS:
        x = at(tick)
        back.append(f'<path class="{"one" if tick == 1 else "grid"}" d="M{x:.1f} {TOP}V{bottom}"/>')
        back.append(text(x, TOP - 8, f"{tick}×", "middle note"))
        back.append(text(x, bottom + 18, f"{tick}×", "middle note"))
    y = TOP
    for number, (name, members) in enumerate(groups):
        height = HEAD + ROW * len(members)
        if number % 2 == 0:
            back.insert(0, f'<rect class="band" x="0" y="{y}" width="{WIDTH}" height="{height}"/>')
        front.append(text(14, y + 18, name, "group"))
        y += HEAD
        for row in members:
            bullet, fcl, middle = float(row["bullet"]), float(row["fcl"]), y + ROW / 2 - 3
            front.append(text(LEFT - 16, middle + 5, row["row"], "end"))
            front.append(f'<path class="span" d="M{at(bullet):.1f} {middle}H{at(fcl):.1f}"/>')
            front += [mark(at(bullet), middle, "bullet"), mark(at(fcl), middle, "fcl")]
            front.append(text(WIDTH - 24, middle + 5, f'{row["apart_ns"]} ns', "end"))
            y += ROW
    legend = [text(14, 26, "How many times as long other libraries take for the same query", "title"),
              mark(22, 50, "bullet"), text(34, 55, "Bullet, double precision"),
              mark(232, 50, "fcl"), text(244, 55, "FCL"),
              text(300, 55, "farther right: apart is faster (logarithmic axis)", "note"),
              text(WIDTH - 24, TOP - 8, "apart", "end group")]
    size = f'width="{WIDTH}" height="{bottom + 32}" viewBox="0 0 {WIDTH} {bottom + 32}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', STYLE,
                      f'<rect width="{WIDTH}" height="{bottom + 32}" fill="#fff"/>',
                      *back, *front, *legend, "</svg>", ""])


with open(sys.argv[1], encoding="utf-8", newline="") as table:
    chart = draw(list(csv.DictReader(table)))
with open(sys.argv[2], "w", encoding="utf-8") as out:
    out.write(chart)
