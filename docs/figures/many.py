#!/usr/bin/env python3
"""Draws the figures of compounds and worlds: many.py PROGRAM OUTPUT_DIR. Distances come from `apart scene`; python3 standard library only."""
import json
import math
import subprocess
import sys

program, folder = sys.argv[1], sys.argv[2]

STYLE = """<style>
text{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:14px;fill:#222}
.title{font-size:19px;font-weight:bold}.note{fill:#666;font-size:13px}.ink-a{fill:#0072b2}.ink-b{fill:#b34c00}.ink-c{fill:#007a5a}
.paper{fill:#fff}.frame{fill:#fbfbfa;stroke:#d5d5d0}
.body-a{fill:#0072b2;fill-opacity:.16;stroke:#0072b2;stroke-width:2}.body-b{fill:#d55e00;fill-opacity:.16;stroke:#d55e00;stroke-width:2}
.body-c{fill:#888;fill-opacity:.14;stroke:#777;stroke-width:1.6}
.box{fill:none;stroke:#999;stroke-width:1.2;stroke-dasharray:5 4}.box-near{fill:none;stroke:#009e73;stroke-width:1.8;stroke-dasharray:7 4}
.witness{stroke:#111;stroke-width:2.4}.kept{stroke:#009e73;stroke-width:1.6;stroke-dasharray:2 4}
.axis{stroke:#444;stroke-width:1.2;fill:none}.curve{stroke:#0072b2;stroke-width:2.4;fill:none}.bound{stroke:#009e73;stroke-width:2;fill:none}
.limit{stroke:#d55e00;stroke-width:1.6;stroke-dasharray:8 5}.look{fill:#009e73;stroke:#fff;stroke-width:1.5}.way{stroke:#0072b2;stroke-width:1.8}.tip{fill:#0072b2}
</style>"""


def ask(scene, *options):
    done = subprocess.run([program, "scene", "-", "--json", *options], input=json.dumps(scene), capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Panel:
    """Millimetres of the drawing for units of the scene, y upwards."""

    def __init__(self, x, y, scale, origin):
        self.x, self.y, self.scale, self.origin = x, y, scale, origin

    def at(self, p):
        return self.x + self.scale * (p[0] - self.origin[0]), self.y - self.scale * (p[1] - self.origin[1])

    def polygon(self, points, style):
        return '<polygon class="%s" points="%s"/>' % (style, " ".join("%.1f,%.1f" % self.at(p) for p in points))

    def line(self, p, q, style):
        return '<line class="%s" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>' % (style, *self.at(p), *self.at(q))

    def path(self, points, style):
        return '<polyline class="%s" points="%s"/>' % (style, " ".join("%.1f,%.1f" % self.at(p) for p in points))

    def box(self, box, style):
        (x, y), (u, v) = self.at((box[0], box[3])), self.at((box[2], box[1]))
        return '<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>' % (style, x, y, u - x, v - y)


def text(x, y, words, style="", anchor="start"):
    return '<text class="%s" x="%.1f" y="%.1f" text-anchor="%s">%s</text>' % (style, x, y, anchor, words)


def placed(points, pose):
    c, s = math.cos(pose[2]), math.sin(pose[2])
    return [(pose[0] + c * x - s * y, pose[1] + s * x + c * y) for x, y in points]


def box_of(points, margin=0.0):
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    return min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin


def shape(points):
    return "polygon:" + ",".join("%g" % v for p in points for v in p)


def write(name, title, width, height, parts):
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">' % (
        width, height, width, height)
    with open("%s/%s.svg" % (folder, name), "w", encoding="utf-8") as file:
        file.write("\n".join([head, "<title>%s</title>" % title, STYLE, '<rect class="paper" width="%d" height="%d"/>' % (width, height), *parts, "</svg>"]) + "\n")


def rectangle(x, y, w, h):
    return [(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)]


def compound():
    """Two bodies of four parts; boxes around each half of the parts."""
    a = [rectangle(-3.4, 0, 0.35, 1.8), rectangle(-2.1, -1.5, 1.0, 0.25), rectangle(-0.9, -0.9, 0.25, 0.85), [(-1.35, -0.1), (-0.4, -0.1), (-0.9, 1.0)]]
    b = [rectangle(2.6, 0.0, 0.3, 1.6), rectangle(1.6, 1.35, 0.75, 0.25), [(0.5, 0.45), (1.35, 0.7), (1.15, 1.3)], rectangle(3.4, -1.3, 0.6, 0.3)]
    bodies = [{"name": n, "shape": {"parts": [{"shape": shape(p)} for p in parts]}} for n, parts in (("A", a), ("B", b))]
    nearest = ask({"bodies": bodies})[0]
    panel = Panel(560, 275, 92, (0, 0))
    halves_a, halves_b = ([0, 1], [2, 3]), ([1, 2], [0, 3])
    drawn = ['<rect class="frame" x="20" y="60" width="1080" height="410" rx="6"/>', text(24, 38, "Boxes that are farther apart than the best pair so far are left alone", "title")]
    for parts, halves, style in ((a, halves_a, "body-a"), (b, halves_b, "body-b")):
        for i, half in enumerate(halves):
            near = (style == "body-a" and i == 1) or (style == "body-b" and i == 0)
            drawn.append(panel.box(box_of([p for k in half for p in parts[k]], 0.08), "box-near" if near else "box"))
        drawn += [panel.polygon(p, style) for p in parts]
    drawn.append(panel.line(nearest["point_a"], nearest["point_b"], "witness"))
    drawn += [text(*panel.at((-3.4, 1.95)), "A", "title ink-a", "middle"), text(*panel.at((2.6, 1.75)), "B", "title ink-b", "middle")]
    drawn.append(text(24, 494, "The green boxes hold the nearest parts, %d of A and %d of B, %.4f apart. A grey box is farther than that from every box of the other body."
                      % (nearest["part_a"], nearest["part_b"], nearest["distance"]), "note"))
    write("compound", "two bodies of four parts each", 1120, 510, drawn)


def world():
    """Left: bodies, their boxes with margins, the pairs that are kept. Right: one pair over time."""
    hexagon = [(0.5 * math.cos(k * math.pi / 3), 0.5 * math.sin(k * math.pi / 3)) for k in range(6)]
    wedge, bar = [(-0.5, -0.3), (0.5, -0.3), (0.1, 0.5)], rectangle(0, 0, 0.7, 0.2)
    start = [(hexagon, (1.9, 3.6, 0.2)), (bar, (0.95, 2.25, 0.5)), (wedge, (3.9, 3.5, 0.4)), (hexagon, (5.3, 0.8, 0.0)), (wedge, (0.9, 0.8, 1.0)), (bar, (4.6, 2.0, -0.4)), (hexagon, (2.7, 1.2, 0.5))]
    bodies = [{"shape": shape(s), "pose": {"xy": list(p[:2]), "angle": p[2]}} for s, p in start]
    margin, reach = 0.12, 0.3
    boxes = [box_of(placed(s, p), margin) for s, p in start]
    panel = Panel(40, 440, 82, (0, 0))
    drawn = ['<rect class="frame" x="20" y="60" width="530" height="400" rx="6"/>', '<rect class="frame" x="570" y="60" width="530" height="400" rx="6"/>',
             text(24, 38, "Boxes with a margin; dotted: pairs that are kept", "title"), text(574, 38, "One pair over time: when it is looked at", "title")]
    for i, (points, pose) in enumerate(start):
        style = {1: "body-a", 6: "body-b"}.get(i, "body-c")
        drawn += [panel.box(boxes[i], "box"), panel.polygon(placed(points, pose), style)]
    for i in range(len(start)):
        for k in range(i + 1, len(start)):
            gap = max(boxes[k][0] - boxes[i][2], boxes[i][0] - boxes[k][2], boxes[k][1] - boxes[i][3], boxes[i][1] - boxes[k][3])
            if gap < reach:
                drawn.append(panel.line(start[i][1][:2], start[k][1][:2], "kept"))
    drawn.append(panel.line((1.75, 2.25), (3.6, 2.25), "way"))
    drawn.append(panel.polygon([(3.75, 2.25), (3.58, 2.32), (3.58, 2.18)], "tip"))
    drawn.append(text(24, 490, "Only bodies whose grown boxes come nearer than d can be nearer than d.", "note"))
    # The blue bar turns and drifts past the orange hexagon; the distances are asked, the bound follows the rule of the world.
    steps, limit, speed, spin = 40, 0.25, (0.085, 0.0), 0.012
    bodies[1]["motion"] = {"linear": [speed[0], speed[1], 0], "angular": [0, 0, spin]}
    rows = ask({"bodies": [bodies[1], bodies[6]], "steps": steps}, "--depth", "none")
    distance = [row["distance"] for row in rows]
    moved = math.hypot(*speed) + 2 * math.sin(spin / 2) * math.hypot(0.7, 0.2)
    plot = Panel(630, 420, 1, (0, 0))
    sx, sy = 11.0, 330.0 / 2.0
    curve = [(sx * k, sy * d) for k, d in enumerate(distance)]
    bound, looks, last = [], [], (0, distance[0])
    for k, d in enumerate(distance):
        lower = last[1] - moved * (k - last[0])
        bound.append((sx * k, sy * max(lower, 0)))
        if k == 0 or lower < limit:
            last = (k, d)
            looks.append((sx * k, sy * d))
            bound.append((sx * k, sy * d))
    drawn += [plot.path([(0, 340), (0, 0), (450, 0)], "axis"), plot.line((0, sy * limit), (450, sy * limit), "limit"), plot.path(bound, "bound"), plot.path(curve, "curve")]
    drawn += ['<circle class="look" cx="%.1f" cy="%.1f" r="5"/>' % plot.at(p) for p in looks]
    drawn += [text(*plot.at((452, sy * limit + 5)), "d", "", "start"), text(*plot.at((450, -22)), "steps", "note", "end"), text(*plot.at((8, 330)), "distance", "note"),
              text(*plot.at((100, 320)), "distance of the blue bar and the orange hexagon", "ink-a"),
              text(*plot.at((100, 296)), "last certified bound, less what both can have moved", "ink-c")]
    drawn.append(text(574, 490, "%d looks in %d steps, at the dots: where the bound does not suffice." % (len(looks), steps + 1), "note"))
    write("world", "many bodies, and one pair over time", 1120, 510, drawn)


compound()
world()
