#!/usr/bin/env python3
"""Judges the output of `apart cases` (python3, standard library only). Format and tolerances: cases/README.md.

usage: check_cases.py CASES... RESULTS     exit status 0 only if every case passes
"""
import math
import sys
from fractions import Fraction

EPS = 2.0 ** -52

# What is asked of an answer: everything, everything but its bounds, or only that the bodies are said to meet.
FULL, NO_BOUNDS, RECOGNISED = range(3)


def asked(case):
    """Above three dimensions an overlap has no depth yet."""
    return RECOGNISED if case.relation == "overlapping" and case.dim > 3 else FULL


class Case:
    def __init__(self, name):
        self.name, self.dim, self.body, self.distance, self.relation = name, 3, {}, None, None


def read_body(words, lines):
    """A list of points, or (shape, sizes, quaternion, position)."""
    if len(words) == 2:
        return [tuple(map(float, next(lines).split())) for _ in range(int(words[1]))]
    quat, at = words.index("quat"), words.index("at")
    numbers = [list(map(float, part)) for part in (words[2:quat], words[quat + 1:at], words[at + 1:])]
    return (words[1], *numbers)


def read_cases(path):
    cases = []
    with open(path) as file:
        lines = (line for line in file if line.strip() and not line.lstrip().startswith("#"))
        for line in lines:
            words = line.split()
            if words[0] == "case":
                cases.append(Case(words[1]))
            elif words[0] == "dim":
                cases[-1].dim = int(words[1])
            elif words[0] in ("A", "B"):
                cases[-1].body[words[0]] = read_body(words, lines)
            elif words[:2] == ["expect", "distance"]:
                cases[-1].distance = float(words[2])
            elif words[:2] == ["expect", "relation"]:
                cases[-1].relation = words[2]
            else:
                raise SystemExit(f"{path}: cannot read: {line}")
    return cases


def read_results(text):
    """name -> (distance, coordinates, lower, upper); what cannot be read is left out and so counts as missing."""
    results = {}
    for line in text.splitlines():
        words = line.split()
        try:
            mark = words.index("bounds")
            numbers = list(map(float, words[1:mark]))
            results[words[0]] = (numbers[0], tuple(numbers[1:]), float(words[mark + 1]), float(words[mark + 2]))
        except (ValueError, IndexError):
            continue
    return results


def dot(u, v):
    return sum(x * y for x, y in zip(u, v))


def minus(u, v):
    return tuple(x - y for x, y in zip(u, v))


# ---------------------------------------------------------------- point sets
def affine_weights(points):
    """Weights (sum 1) of the point of the affine hull closest to the origin; None when the points are dependent."""
    n = len(points)
    rows = [[dot(p, q) for q in points] + [1, 0] for p in points] + [[1] * n + [0, 1]]
    for c in range(n + 1):
        pivot = max(range(c, n + 1), key=lambda r: abs(rows[r][c]))
        if rows[pivot][c] == 0:
            return None
        rows[c], rows[pivot] = rows[pivot], rows[c]
        for r in range(n + 1):
            if r != c and rows[r][c] != 0:
                factor = rows[r][c] / rows[c][c]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[c])]
                rows[r][c] = 0
    return [rows[i][n + 1] / rows[i][i] for i in range(n)]


def blend(weights, points):
    return tuple(sum(w * p[k] for w, p in zip(weights, points)) for k in range(len(points[0])))


def nearest_to_origin(points, exact):
    """Wolfe's method (1976). In fractions it is exact and ends; in floats it stops where it no longer improves."""
    x = min(points, key=lambda p: dot(p, p))
    chosen, weights = [x], [Fraction(1) if exact else 1.0]
    for _ in range(10000 if exact else 100):
        square = dot(x, x)
        best = min(points, key=lambda p: dot(p, x))
        if square - dot(best, x) <= (0 if exact else 1e-15 * square) or best in chosen:
            return x
        chosen, weights = chosen + [best], weights + [0 * weights[0]]
        while True:
            wanted = affine_weights(chosen)
            if wanted is None:
                return x
            if min(wanted) > 0:
                weights = wanted
                break
            step = min((w / (w - v) for w, v in zip(weights, wanted) if v <= 0 and w != v), default=1)
            weights = [w + step * (v - w) for w, v in zip(weights, wanted)]
            drop = min(range(len(weights)), key=lambda i: weights[i] if wanted[i] <= 0 else math.inf)
            chosen = [p for i, p in enumerate(chosen) if i != drop]
            weights = [w for i, w in enumerate(weights) if i != drop]
        new = blend(weights, chosen)
        if not exact and dot(new, new) >= square:
            return x
        x = new
    return x


def outside_points(points, q, tolerance):
    """Distance of q from the hull; in floats when that already shows it is within the tolerance."""
    unit = max(max(map(abs, minus(p, q))) for p in points) or 1.0
    scale = 2.0 ** -math.frexp(unit)[1]
    near = nearest_to_origin([tuple(x * scale for x in minus(p, q)) for p in points], False)
    if math.hypot(*near) <= 0.5 * tolerance * scale:
        return 0.0
    fractions = [tuple(Fraction(x) for x in p) for p in points]
    near = nearest_to_origin([minus(p, tuple(map(Fraction, q))) for p in fractions], True)
    return math.hypot(*(float(x * Fraction(scale)) for x in near)) / scale


# ---------------------------------------------------------------- primitives
def unrotate(quat, v):
    n = math.sqrt(dot(quat, quat))
    w, *u = (t / n for t in quat)
    cross = lambda a, b: (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    t = tuple(2 * s for s in cross(u, v))
    return tuple(v[k] - w * t[k] + cross(u, t)[k] for k in range(3))


def outside_primitive(body, q):
    """How far q is outside (for an ellipsoid to first order)."""
    shape, size, quat, at = body
    x, y, z = unrotate(quat, minus(q, at))
    rho = math.hypot(x, y)
    if shape == "sphere":
        return math.hypot(x, y, z) - size[0]
    if shape == "capsule":
        return math.hypot(rho, max(0.0, abs(z) - size[1])) - size[0]
    if shape == "box":
        return math.hypot(*(max(0.0, abs(c) - h) for c, h in zip((x, y, z), size)))
    if shape == "cylinder":
        return math.hypot(max(0.0, rho - size[0]), max(0.0, abs(z) - size[1]))
    if shape == "cone":
        r, h = size
        return max(-h - z, (2 * h * rho + r * (z - h)) / math.hypot(r, 2 * h))
    level = sum((c / s) ** 2 for c, s in zip((x, y, z), size))
    slope = 2 * math.sqrt(sum((c / s ** 2) ** 2 for c, s in zip((x, y, z), size)))
    return (level - 1) / slope if level > 1 else 0.0


def reach_primitive(body, n):
    """max n.x over the body."""
    shape, size, quat, at = body
    x, y, z = unrotate(quat, n)
    round_part = {"sphere": lambda: size[0] * math.hypot(x, y, z),
                  "capsule": lambda: size[0] * math.hypot(x, y, z) + size[1] * abs(z),
                  "box": lambda: sum(h * abs(c) for h, c in zip(size, (x, y, z))),
                  "cylinder": lambda: size[0] * math.hypot(x, y) + size[1] * abs(z),
                  "cone": lambda: max(size[1] * z, size[0] * math.hypot(x, y) - size[1] * z),
                  "ellipsoid": lambda: math.hypot(*(s * c for s, c in zip(size, (x, y, z))))}
    return dot(n, at) + round_part[shape]()


# ---------------------------------------------------------------- either
def is_points(body):
    return isinstance(body, list)


def outside(body, q, tolerance):
    return outside_points(body, q, tolerance) if is_points(body) else outside_primitive(body, q)


def reach(body, n, origin):
    return max(dot(n, minus(p, origin)) for p in body) if is_points(body) else reach_primitive(body, n) - dot(n, origin)


def measure(case):
    """S and W of the README."""
    low, high = [], []
    zero = (0.0,) * case.dim
    for k in range(case.dim):
        axis = tuple(float(i == k) for i in range(case.dim))
        back = tuple(-t for t in axis)
        high.append(max(reach(body, axis, zero) for body in case.body.values()))
        low.append(-max(reach(body, back, zero) for body in case.body.values()))
    return max(h - l for h, l in zip(high, low)), max(map(abs, low + high))


class Judge:
    """Remembers which points it has already found inside a body: solvers agree on most of them."""

    def __init__(self):
        self.inside = set()
        self.sizes = {}

    def is_member(self, case, letter, q, tolerance):
        key = (case.name, letter, q)
        if key not in self.inside and outside(case.body[letter], q, tolerance) <= tolerance:
            self.inside.add(key)
        return key in self.inside

    def faults(self, case, answer):
        if answer is None or not all(map(math.isfinite, (answer[0], *answer[1]))):
            return ["missing"]
        wanted = asked(case)
        distance, points, lower, upper = answer
        if case.name not in self.sizes:
            self.sizes[case.name] = measure(case)
        size, largest = self.sizes[case.name]
        curved = not (is_points(case.body["A"]) and is_points(case.body["B"]))
        tol = (1e-9 if curved else 1e-12) * size + (1e-9 if curved else 1e-10) * abs(case.distance)
        if wanted == RECOGNISED:
            return [] if distance <= tol and lower <= tol else ["not-recognised"]
        found = ["distance"] if abs(distance - case.distance) > tol else []
        if wanted == FULL:
            found += self.bound_faults(case, answer, tol, 16 * EPS * (size + largest) if curved else 0.0)
        if len(points) != 2 * case.dim:
            return found + ["no-points"]
        return found + self.point_faults(case, distance, points, tol + 8 * EPS * largest, size)

    def bound_faults(self, case, answer, tol, rounding):
        distance, _, lower, upper = answer
        slack = math.ulp(case.distance) + rounding
        found = [] if lower <= case.distance + slack and upper >= case.distance - slack else ["bounds-wrong"]
        found += [] if lower <= distance <= upper else ["bounds-miss-distance"]
        return found + ([] if upper - lower <= 10 * tol + 4 * rounding else ["bounds-wide"])

    def point_faults(self, case, distance, points, tol, size):
        a, b = points[:case.dim], points[case.dim:]
        length = math.hypot(*minus(a, b))
        found = [] if abs(length - abs(distance)) <= 2 * tol else ["length"]
        found += [] if self.is_member(case, "A", a, tol) else ["a-outside"]
        found += [] if self.is_member(case, "B", b, tol) else ["b-outside"]
        if case.distance < 0 and length > 20 * tol:
            n = tuple(t / length for t in minus(a, b))
            depth = reach(case.body["A"], n, b) + reach(case.body["B"], tuple(-t for t in n), b)
            turned = 2 * tol / length * size * math.sqrt(case.dim)
            found += [] if depth <= abs(case.distance) + 2 * tol + turned else ["direction"]
        return found

    def failures(self, cases, text):
        results = read_results(text)
        checked = ((case, self.faults(case, results.get(case.name))) for case in cases if case.distance is not None)
        return [(case, results.get(case.name), faults) for case, faults in checked if faults]


def report(failures, limit=10):
    for case, answer, faults in failures[:limit]:
        got = "nothing" if answer is None else "%.17g in [%.17g, %.17g]" % (answer[0], answer[2], answer[3])
        print("  %-28s %-24s want %.17g, got %s" % (case.name, ",".join(faults), case.distance, got))
    if len(failures) > limit:
        print("  ... and %d more" % (len(failures) - limit))


def main(arguments):
    if len(arguments) < 2:
        raise SystemExit(__doc__)
    cases = [case for path in arguments[:-1] for case in read_cases(path)]
    with open(arguments[-1]) as file:
        failures = Judge().failures(cases, file.read())
    report(failures)
    print("%d of %d cases pass" % (len(cases) - len(failures), len(cases)))
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
