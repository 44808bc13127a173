#!/usr/bin/env python3
"""Draws the figures of docs/simulation.md: simulation.py PROGRAM OUTPUT_DIR. Bodies come from recordings of `apart simulate`; python3 standard
library only."""
import json
import math
import subprocess
import sys

program, folder = sys.argv[1], sys.argv[2]

STYLE = """<style>
text{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:14px;fill:#222}
.title{font-size:16px;font-weight:bold}.note{fill:#666;font-size:12.5px}.ink-a{fill:#0072b2}.ink-b{fill:#b34c00}
.face-a{fill:#0072b2;fill-opacity:.13;stroke:#0072b2;stroke-width:2}.face-b{fill:#d55e00;fill-opacity:.13;stroke:#d55e00;stroke-width:2}
.both{fill:#009e73;fill-opacity:.3;stroke:#009e73;stroke-width:2.5}.dot{fill:#111}.ray{stroke:#111;stroke-width:1.8}
.f{stroke:#333;stroke-width:.5;stroke-linejoin:round}.dash{stroke:#777;stroke-width:1.2;stroke-dasharray:5 4;fill:none}.arrow{fill:#111}
.halo{font-weight:bold;stroke:#fff;stroke-width:4;paint-order:stroke;stroke-linejoin:round}
</style>"""
COLORS = [(0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (230, 159, 0), (86, 180, 233)]


# ---- recordings ----

def record(scene, *options):
    done = subprocess.run([program, "simulate", scene, "--record", "-", *options], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def ring(radius, z, count=20):
    return [(radius * math.cos(2 * math.pi * i / count), radius * math.sin(2 * math.pi * i / count), z) for i in range(count)]


def faces_of(shape):
    """Polygons, counter-clockwise from outside, or ("ball", radius); None: no body to draw."""
    if "vertices" in shape:
        return [[shape["vertices"][i] for i in face] for face in shape["faces"]]
    kind, numbers = shape["shape"].split(":")
    v = [float(x) for x in numbers.split(",")]
    if kind == "sphere":
        return ("ball", v[0])
    if kind == "box":
        corner = [[(v[0] if i & 1 else -v[0]), (v[1] if i & 2 else -v[1]), (v[2] if i & 4 else -v[2])] for i in range(8)]
        return [[corner[i] for i in f] for f in ((0, 4, 6, 2), (1, 3, 7, 5), (0, 1, 5, 4), (2, 6, 7, 3), (0, 2, 3, 1), (4, 5, 7, 6))]
    if kind == "cylinder":
        low, high = ring(v[0], -v[1]), ring(v[0], v[1])
        sides = [[low[i], low[(i + 1) % 20], high[(i + 1) % 20], high[i]] for i in range(20)]
        return [low[::-1], high, *sides]
    return None


def placed(pose, p):
    """The point p of a body with the pose [x, y, z, qx, qy, qz, qw]."""
    x, y, z, i, j, k, w = pose
    tx, ty, tz = 2 * (j * p[2] - k * p[1]), 2 * (k * p[0] - i * p[2]), 2 * (i * p[1] - j * p[0])
    return (x + p[0] + w * tx + j * tz - k * ty, y + p[1] + w * ty + k * tx - i * tz, z + p[2] + w * tz + i * ty - j * tx)


def poses_at(film, number):
    """All poses of a frame, with those that did not change filled in."""
    poses = [[0, 0, 0, 0, 0, 0, 1]] * len(film["bodies"])
    for frame in film["frames"][:number + 1]:
        poses = [new if new is not None else old for new, old in zip(frame["poses"], poses)]
    return poses


# ---- drawing ----

class View:
    """An orthographic view: azimuth and elevation in degrees, `scale` pixels a unit, `middle` at the centre of the panel."""

    def __init__(self, azimuth, elevation, scale, middle, center):
        a, e = math.radians(azimuth), math.radians(elevation)
        self.right = (-math.sin(a), math.cos(a), 0.0)
        self.back = (math.cos(a) * math.cos(e), math.sin(a) * math.cos(e), math.sin(e))
        self.up = (-math.cos(a) * math.sin(e), -math.sin(a) * math.sin(e), math.cos(e))
        self.scale, self.middle, self.center = scale, middle, center

    def flat(self, p):
        d = [p[i] - self.middle[i] for i in range(3)]
        return (self.center[0] + self.scale * dot(d, self.right), self.center[1] - self.scale * dot(d, self.up))

    def depth(self, p):
        return dot(p, self.back)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def normal_of(face):
    n = [0.0, 0.0, 0.0]
    for p, q in zip(face, face[1:] + face[:1]):
        n = [n[0] + (p[1] - q[1]) * (p[2] + q[2]), n[1] + (p[2] - q[2]) * (p[0] + q[0]), n[2] + (p[0] - q[0]) * (p[1] + q[1])]
    size = math.sqrt(dot(n, n)) or 1.0
    return [x / size for x in n]


def shade(color, light):
    return "#%02x%02x%02x" % tuple(int(round(255 - (255 - c) * (0.85 - 0.5 * light))) for c in color)


def draw_frame(film, number, view, opacity=1.0):
    """The bodies of a frame: faces that look at the viewer, the farthest first; a ball comes after all faces that it lies in front of."""
    faces, balls = [], []
    for index, (body, pose) in enumerate(zip(film["bodies"], poses_at(film, number))):
        color = (120, 120, 120) if body.get("role") == "fixed" else COLORS[index % len(COLORS)]
        for part in body["parts"]:
            shape = faces_of(film["shapes"][part["shape"]])
            own = part.get("pose", [0, 0, 0, 0, 0, 0, 1])
            if shape is None:
                continue
            if shape[0] == "ball":
                balls.append((pose, shape[1], color))
                continue
            for face in shape:
                corners = [placed(pose, placed(own, p)) for p in face]
                n = normal_of(corners)
                if dot(n, view.back) > 0.0:
                    light = max(0.0, dot(n, (0.35, -0.25, 0.9)))
                    points = " ".join("%.1f,%.1f" % view.flat(p) for p in corners)
                    faces.append((sum(view.depth(p) for p in corners) / len(corners), n, corners[0],
                                  '<path d="M%sz" fill="%s"/>' % (points, shade(color, light))))
    drawn = [(depth, picture) for depth, _, _, picture in faces]
    for pose, radius, color in balls:
        behind = [depth for depth, n, corner, _ in faces if dot(n, pose) > dot(n, corner)]
        drawn.append((max([view.depth(pose), *behind]), '<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s"/>' % (
            *view.flat(pose), max(view.scale * radius, 1.5), shade(color, 0.6))))
    return ['<g class="f"%s>' % (' opacity="%.2f"' % opacity if opacity < 1.0 else "")] + [picture for _, picture in sorted(drawn, key=lambda item: item[0])] + ["</g>"]


def floor(view, x0, x1, y0, y1, step):
    parts = []
    for i in range(int(round((x1 - x0) / step)) + 1):
        parts.append(line(view.flat((x0 + i * step, y0, 0)), view.flat((x0 + i * step, y1, 0))))
    for i in range(int(round((y1 - y0) / step)) + 1):
        parts.append(line(view.flat((x0, y0 + i * step, 0)), view.flat((x1, y0 + i * step, 0))))
    return parts


def line(p, q, style='stroke="#d8d8d4" stroke-width="0.8"'):
    return '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" %s/>' % (*p, *q, style)


def text(x, y, words, style="", anchor="start"):
    return '<text class="%s" x="%.1f" y="%.1f" text-anchor="%s">%s</text>' % (style, x, y, anchor, words)


def write(name, title, width, height, parts):
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">' % (
        width, height, width, height)
    with open("%s/%s.svg" % (folder, name), "w", encoding="utf-8") as file:
        file.write("\n".join([head, "<title>%s</title>" % title, STYLE, '<rect width="%d" height="%d" fill="#fff"/>' % (width, height), *parts, "</svg>"]) + "\n")


# ---- the figures ----

def cuboids():
    film = record("cuboids")
    view = View(-60, 25, 150, (0.05, 0.0, -0.12), (400, 265))
    parts = []
    for number, opacity in ((0, 0.35), (35, 0.5), (110, 0.5), (170, 0.35), (64, 1.0)):
        parts += draw_frame(film, number, view, opacity)
    for number in (0, 64, 170):
        for body in (0, 1):
            x, y = view.flat(poses_at(film, number)[body])
            parts.append(text(x, y + 5, "%.1f s" % film["frames"][number]["t"], "halo", "middle"))
    write("simulation-cuboids", "Two cuboids collide in free flight", 800, 500, parts)


def scenes():
    parts = []
    panels = [("table", 0, "table"), ("table", 22, None), ("table", 200, None), ("dominoes", 30, "dominoes"), ("dominoes", 100, None),
              ("dominoes", 200, None), ("pile", 0, "pile"), ("pile", 45, None), ("pile", 300, None)]
    films = {"table": record("table"), "dominoes": record("dominoes"), "pile": record("pile")}
    views = {"table": (-65, 18, 130, (0, 0, 0.7)), "dominoes": (-62, 24, 63, (2.15, 0, 0.3)), "pile": (-60, 20, 62, (0, 0, 1.0))}
    floors = {"table": (-1, 1, -0.8, 0.8, 0.2), "dominoes": (-0.4, 4.8, -0.6, 0.6, 0.2), "pile": (-2, 2, -2, 2, 0.5)}
    for i, (name, number, title) in enumerate(panels):
        x, y = 170 + 330 * (i % 3), (140, 352, 575)[i // 3]
        azimuth, elevation, scale, middle = views[name]
        view = View(azimuth, elevation, scale, middle, (x, y))
        parts += floor(view, *floors[name]) + draw_frame(films[name], number, view)
        parts.append(text(x - 150, y + (125, 85, 122)[i // 3], "%s%.2f s" % ("apart simulate %s: " % title if title else "", films[name]["frames"][number]["t"]), "note"))
    write("simulation-scenes", "A cuboid falls on a table, dominoes, a pile of 200 hulls", 1000, 715, parts)


def bullet():
    film = record("bullet")
    parts = []
    for i, number in enumerate((15, 22, 60, 200)):
        view = View(-112, 16, 1150, (0.01, 0, 0), (125 + 250 * i, 95))
        parts += draw_frame(film, number, view)
        parts.append(text(140 + 250 * i, 205, "%.2f ms" % (1e3 * film["frames"][number]["t"]), "note", "middle"))
    write("simulation-bullet", "A bullet of 1000 m/s against plates of 1 mm", 1000, 220, parts)


def cut(subject, clip):
    """Sutherland and Hodgman: the part of a polygon inside a convex one."""
    for p, q in zip(clip, clip[1:] + clip[:1]):
        side = [(q[0] - p[0]) * (v[1] - p[1]) - (q[1] - p[1]) * (v[0] - p[0]) for v in subject]
        kept = []
        for i, v in enumerate(subject):
            w, s, t = subject[i - 1], side[i], side[i - 1]
            if (s >= 0) != (t >= 0):
                u = t / (t - s)
                kept.append((w[0] + u * (v[0] - w[0]), w[1] + u * (v[1] - w[1])))
            if s >= 0:
                kept.append(v)
        subject = kept
    return subject


def polygon(points, style):
    return '<polygon class="%s" points="%s"/>' % (style, " ".join("%.1f,%.1f" % p for p in points))


def contact():
    def dots(points):
        return ['<circle class="dot" cx="%.1f" cy="%.1f" r="4.5"/>' % p for p in points]

    parts = [text(30, 34, "1. one distance, one normal", "title"), text(360, 34, "2. seen along the normal", "title"),
             text(690, 34, "3. heights make depths", "title")]
    # From the side: the upper box a little tilted, in the lower one.
    lower, tilt = [(60, 200), (280, 200), (280, 290), (60, 290)], 0.06
    upper = [(170 + x * math.cos(tilt) - y * math.sin(tilt), 160 + x * math.sin(tilt) + y * math.cos(tilt)) for x, y in ((-70, -40), (70, -40), (70, 40), (-70, 40))]
    parts += [polygon(lower, "face-a"), polygon(upper, "face-b")] + dots([upper[2]])
    parts += ['<line class="ray" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>' % (*upper[2], upper[2][0], 135),
              '<polygon class="arrow" points="%.1f,128 %.1f,141 %.1f,141"/>' % (upper[2][0], upper[2][0] - 5, upper[2][0] + 5),
              text(70, 280, "A", "ink-a"), text(115, 140, "B", "ink-b"), text(upper[2][0] + 10, 145, "normal"),
              text(30, 322, "The query finds the deepest point", "note"), text(30, 340, "and the shortest way out.", "note")]
    # Along the normal: both faces and what they have in common.
    a = [(370, 100), (560, 100), (560, 270), (370, 270)]
    b = [(488 + x * math.cos(0.5) - y * math.sin(0.5), 182 + x * math.sin(0.5) + y * math.cos(0.5)) for x, y in ((-80, -45), (80, -45), (80, 45), (-80, 45))]
    common = cut(b, a)
    parts += [polygon(a, "face-a"), polygon(b, "face-b"), polygon(common, "both")] + dots(common)
    parts += [text(378, 262, "face of A", "ink-a"), text(578, 222, "face of B", "ink-b"), text(360, 322, "Corners of one face inside the other, and", "note"),
              text(360, 340, "crossings of their sides; each has a name.", "note")]
    # Heights: gaps and depths at the corners, and the margin.
    parts += ['<line class="dash" x1="700" y1="178" x2="960" y2="178"/>', text(962, 174, "margin", "note", "end"),
              '<polygon class="face-a" points="700,200 960,200 960,290 700,290"/>', '<polygon class="face-b" points="730,184 930,218 930,110 730,110"/>']
    parts += dots([(730, 184), (930, 218)]) + ['<line class="ray" x1="730" y1="184" x2="730" y2="200"/>', '<line class="ray" x1="930" y1="218" x2="930" y2="200"/>',
                                               text(738, 197, "gap", "note"), text(925, 240, "depth", "note", "end"), text(710, 280, "A", "ink-a"), text(740, 130, "B", "ink-b"),
                                               text(690, 322, "The faces&#8217; difference in height is the", "note"),
                                               text(690, 340, "distance; beyond the margin: no contact.", "note")]
    write("contact", "From the distance to the contact points", 1000, 360, parts)


contact()
cuboids()
scenes()
bullet()
