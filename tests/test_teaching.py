#!/usr/bin/env python3
"""GJK in one file, in C and in Python, beside the library and beside boxes whose answer is known.

usage: test_teaching.py FOLDER GJK APART [SEED]
"""
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

folder, gjk_program, apart = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
sys.path.insert(0, str(folder))
sys.dont_write_bytecode = True
import gjk  # noqa: E402  the file beside gjk.c

work = pathlib.Path(tempfile.mkdtemp(prefix="apart-teaching-"))
files = [str(work / "a.txt"), str(work / "b.txt")]
numbers = random.Random(seed)
failed = checks = 0


def expect(condition, text):
    global failed, checks
    checks += 1
    if not condition:
        failed += 1
        print(f"FAILED (seed {seed}): {text}", file=sys.stderr)


def box(half, center):
    return [tuple(c + s * h for c, s, h in zip(center, (x, y, z), half)) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]


def cloud(count, center, flat=1.0):
    points = []
    for _ in range(count):
        v = [numbers.gauss(0, 1) for _ in range(3)]
        length = math.hypot(*v)
        points.append((v[0] / length + center[0], v[1] / length + center[1], flat * v[2] / length + center[2]))
    return points


def answer_of_program(a, b):
    """What gjk.c prints."""
    for name, points in zip(files, (a, b)):
        pathlib.Path(name).write_text("".join("{:.17g} {:.17g} {:.17g}\n".format(*p) for p in points), encoding="utf-8")
    output = subprocess.run([gjk_program, *files], capture_output=True, text=True, check=True).stdout
    lines = [[float(word) for word in line.split()[1:]] for line in output.splitlines()]
    return lines[0][0], tuple(lines[1]), tuple(lines[2])


def compare(a, b, name, known=None):
    """The C program, the Python program and the library (or what is known) agree on the distance of a and b."""
    c, python = answer_of_program(a, b), gjk.distance(a, b)
    expect(c == python, f"{name}: C says {c}, Python {python}")
    if known is None:
        text = subprocess.run([apart, "distance", *files, "--json"], capture_output=True, text=True, check=True).stdout
        known = json.loads(text)["distance"]
    expect(abs(c[0] - known) <= 1e-12, f"{name}: {c[0]!r} is not {known!r}")
    gap = math.dist(c[1], c[2])
    expect(abs(gap - abs(known)) <= 1e-12, f"{name}: the points are {gap!r} apart, not {abs(known)!r}")


# Boxes side by side, corner to corner, in contact, one inside the other.
half = (1.0, 0.5, 0.25)
for at, known in [((3, 0, 0), 1.0), ((2, 0, 0), 0.0), ((1.75, 0, 0), -0.25), ((0, 0, 0), -0.5), ((5, 5, 3.5), math.hypot(3, 4, 3)), ((0, 0, 0.5), 0.0)]:
    compare(box(half, (0, 0, 0)), box(half, at), f"boxes at {at}", known)
# Points, segments and triangles, which are flat: their Minkowski differences may be, too.
compare([(0, 0, 0)], [(1, 2, 2)], "two points", 3.0)
compare([(0, 0, 0)], [(0, 0, 0)], "one point twice", 0.0)
compare([(-1, 0, 0), (1, 0, 0)], [(0, -1, 0), (0, 1, 0)], "crossing segments", 0.0)
compare([(-1, 0, 0), (1, 0, 0)], [(0, -1, 1), (0, 1, 1)], "skew segments", 1.0)
# Random hulls: apart, touching shallowly, deep.
for k in range(60):
    count = numbers.choice((4, 8, 20, 40))
    reach = 0.2 if k % 3 == 0 else 2.0
    center = [numbers.uniform(-reach, reach) for _ in range(3)]
    compare(cloud(count, (0, 0, 0)), cloud(count, center, 0.2 if k % 4 == 0 else 1.0), f"pair {k} of {count} points")
# What is not a list of points is named.
pathlib.Path(files[1]).write_text("1 2\n", encoding="utf-8")
for command in ([gjk_program], [sys.executable, str(folder / "gjk.py")]):
    result = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
    expect(result.returncode != 0 and "expected lines of three numbers" in result.stderr, f"{command}: {result}")
expect(len((folder / "gjk.c").read_text(encoding="utf-8").splitlines()) <= 300, "gjk.c has more than 300 lines")

print(f"{checks} checks, {failed} failed")
sys.exit(1 if failed else 0)
