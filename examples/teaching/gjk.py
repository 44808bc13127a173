#!/usr/bin/env python3
"""GJK and EPA in one file: how far apart, or how deep in each other, are two convex bodies?

    python3 gjk.py a.txt b.txt        a line "x y z" for each point; a body is the convex hull of its points

The same program as gjk.c, step by step; docs/gjk-in-one-file.md walks through both. It needs nothing but Python.
GJK: E. G. Gilbert, D. W. Johnson, S. S. Keerthi, 1988. EPA: G. van den Bergen, 2001.
"""
import math
import sys


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(s, a):
    return (s * a[0], s * a[1], s * a[2])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


# ---- the Minkowski difference B - A: all vectors from a point of A to a point of B ----


def support(body_a, body_b, d):
    """The support mapping of B - A: the farthest point b of B that way, minus the farthest point a of A the other way.

    A vertex of the Minkowski difference is (w, a, b) with w = b - a."""
    a = max(body_a, key=lambda p: -dot(p, d))
    b = max(body_b, key=lambda p: dot(p, d))
    return (sub(b, a), a, b)


# ---- the closest point of a simplex ----


def volume(p, q, r, s):
    """Six times the signed volume of the tetrahedron p q r s."""
    return dot(cross(sub(q, p), sub(r, p)), sub(s, p))


def project_origin(points):
    """Weights, with the sum 1, of the point closest to the origin in the affine hull of one to four points.

    None if the points do not span a point, line, plane or space of their own."""
    try:
        if len(points) == 1:
            return [1.0]
        if len(points) == 2:  # p + weight * edge is perpendicular to the edge
            p, q = points
            edge = sub(q, p)
            weight = -dot(p, edge) / dot(edge, edge)
            return [1.0 - weight, weight]
        if len(points) == 3:  # shares of the triangle's area, seen along its normal n
            p, q, r = points
            n = cross(sub(q, p), sub(r, p))
            return [dot(n, cross(*pair)) / dot(n, n) for pair in ((q, r), (r, p), (p, q))]
        p, q, r, s = points  # shares of the tetrahedron's volume
        o = (0.0, 0.0, 0.0)
        shares = (volume(o, q, r, s), volume(p, o, r, s), volume(p, q, o, s), volume(p, q, r, o))
        return [share / volume(p, q, r, s) for share in shares]
    except ZeroDivisionError:
        return None


def combine(weights, points):
    """The sum of weight * point."""
    total = (0.0, 0.0, 0.0)
    for weight, point in zip(weights, points):
        total = add(total, scale(weight, point))
    return total


def reduce(vertices):
    """The smallest face of a simplex that has its point closest to the origin: (its vertices, weights, the point v).

    The closest point of a convex hull is the closest point of the affine hull of some of its vertices, with all weights
    positive. Of the (at most 15) subsets that have such a point the nearest is the answer."""
    best = None
    for bits in range(1, 1 << len(vertices)):
        subset = [vertex for i, vertex in enumerate(vertices) if bits >> i & 1]
        points = [w for w, _, _ in subset]
        weights = project_origin(points)
        if weights and all(0.0 < weight < 1.0 + 1e-9 for weight in weights):
            v = combine(weights, points)
            if best is None or dot(v, v) < dot(best[2], best[2]):
                best = (subset, weights, v)
    return best


# ---- GJK: the point of B - A closest to the origin ----


def holds_origin(vertices, v):
    """Is the origin in the simplex, within rounding? Then the bodies overlap."""
    return len(vertices) == 4 or dot(v, v) <= 1e-28 * max(dot(w, w) for w, _, _ in vertices)


def gjk(body_a, body_b):
    """The simplex of B - A closest to the origin: (vertices, weights, v).

    All of B - A lies beyond the plane through w perpendicular to v: the distance is at least v.w / |v|, and it is at
    most |v|. The loop ends when these bounds meet, when the origin is in the simplex, or when rounding ends progress."""
    vertices, weights, v = reduce([support(body_a, body_b, (1.0, 0.0, 0.0))])
    while not holds_origin(vertices, v):
        new = support(body_a, body_b, scale(-1.0, v))
        closer = reduce(vertices + [new])
        if dot(v, sub(v, new[0])) <= 1e-15 * dot(v, v) or not dot(closer[2], closer[2]) < dot(v, v):
            break
        vertices, weights, v = closer
    return vertices, weights, v


# ---- EPA: the point on the surface of B - A closest to an origin inside ----


def make_face(p, q, r):
    """A face of a polytope inside B - A: (distance, normal n, vertices counter-clockwise from outside)."""
    n = cross(sub(q[0], p[0]), sub(r[0], p[0]))
    length = math.sqrt(dot(n, n))
    if length == 0.0:  # vertices on a line make a face that is never the closest
        return (math.inf, n, (p, q, r))
    n = scale(1.0 / length, n)
    return (max(dot(n, p[0]), 0.0), n, (p, q, r))


def make_tetrahedron(body_a, body_b, vertices):
    """Adds vertices to a simplex with the origin until it is a tetrahedron; None if B - A is flat.

    Directions that the simplex does not span yet are tried, both ways, for the one in which B - A extends farthest."""
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    vertices = list(vertices)
    while len(vertices) < 4:
        p = vertices[0][0]
        edges = [sub(w, p) for w, _, _ in vertices[1:]]
        directions = axes if not edges else [cross(edges[0], axis) for axis in axes]
        if len(edges) == 2:
            directions = [cross(*edges)]
        farthest = 0.0
        for d in [scale(sign, d) for d in directions for sign in (1.0, -1.0)]:
            new = support(body_a, body_b, d)
            height = abs(dot(sub(new[0], p), d)) / math.sqrt(max(dot(d, d), 1e-300))
            if height > farthest:
                farthest, candidate = height, new
        if farthest == 0.0:
            return None
        vertices.append(candidate)
    return vertices


def expand(faces, new):
    """Replaces all faces that see the new vertex by a cone from it to their rim."""
    sees = [dot(n, sub(new[0], p[0][0])) > 0.0 for _, n, p in faces]
    rim = []  # an edge met before, the other way, lies between two faces that both go
    for _, _, (p, q, r) in (face for face, seen in zip(faces, sees) if seen):
        for edge in ((p, q), (q, r), (r, p)):
            if edge[::-1] in rim:
                rim.remove(edge[::-1])
            else:
                rim.append(edge)
    return [face for face, seen in zip(faces, sees) if not seen] + [make_face(*edge, new) for edge in rim]


def epa(body_a, body_b, tetrahedron):
    """The face of B - A closest to the origin, as make_face has it.

    The closest face of the polytope has a distance that is a lower bound of the depth; B - A ends at the support plane
    in that face's direction: an upper bound. Expanding the polytope there, until they meet, is EPA."""
    p, q, r, s = tetrahedron
    if volume(p[0], q[0], r[0], s[0]) > 0.0:  # order the vertices so that normals point outwards
        q, r = r, q
    faces = [make_face(*corners) for corners in ((p, q, r), (p, s, q), (p, r, s), (q, s, r))]
    for _ in range(500):
        closest = min(faces, key=lambda face: face[0])
        new = support(body_a, body_b, closest[1])
        upper = dot(new[0], closest[1])
        if upper - closest[0] <= 1e-13 * upper:
            break
        faces = expand(faces, new)
    return closest


# ---- the answer ----


def distance(body_a, body_b):
    """The signed distance and the points on A and B: a gap, or below zero minus the penetration depth."""
    vertices, weights, v = gjk(body_a, body_b)
    signed = math.sqrt(dot(v, v))
    tetrahedron = make_tetrahedron(body_a, body_b, vertices) if holds_origin(vertices, v) else None
    if tetrahedron:
        depth, _, vertices = epa(body_a, body_b, tetrahedron)
        signed, weights = -depth, project_origin([w for w, _, _ in vertices])
    return signed, combine(weights, [a for _, a, _ in vertices]), combine(weights, [b for _, _, b in vertices])


def read_points(name):
    """Reads lines "x y z"."""
    try:
        with open(name, encoding="utf-8") as file:
            points = [tuple(float(word) for word in line.split()) for line in file if line.strip()]
        if points and all(len(point) == 3 for point in points):
            return points
    except (OSError, ValueError):
        pass
    sys.exit(f"{name}: expected lines of three numbers, x y z")


def main():
    """The program: gjk.py A.txt B.txt."""
    if len(sys.argv) != 3:
        sys.exit('usage: gjk.py A.txt B.txt     (a line "x y z" for each point)')
    signed, a, b = distance(read_points(sys.argv[1]), read_points(sys.argv[2]))
    print(f"distance {signed:.17g}")
    print("a {:.17g} {:.17g} {:.17g}".format(*a))
    print("b {:.17g} {:.17g} {:.17g}".format(*b))


if __name__ == "__main__":
    main()
