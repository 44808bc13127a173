/* GJK and EPA in one file: how far apart, or how deep in each other, are two convex bodies?
 *
 *     cc -o gjk gjk.c -lm
 *     ./gjk a.txt b.txt          a line "x y z" for each point; a body is the convex hull of its points
 *
 * This program is for reading: docs/gjk-in-one-file.md walks through it, gjk.py is the same in Python. What a library
 * adds to it (warm starts, hill climbing, curved bodies, certified bounds) is in src/.
 * GJK: E. G. Gilbert, D. W. Johnson, S. S. Keerthi, 1988. EPA: G. van den Bergen, 2001. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct vec {
    double x, y, z;
} vec;

static vec add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static vec sub(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static vec scale(double s, vec a) { return (vec){s * a.x, s * a.y, s * a.z}; }
static double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vec cross(vec a, vec b) { return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

/* ---- the Minkowski difference B - A: all vectors from a point of A to a point of B ---- */

/* A body: the convex hull of its points. */
typedef struct body {
    vec *point;
    int count;
} body;

/* A vertex of the Minkowski difference, and the points of the bodies that it is the difference of. */
typedef struct vertex {
    vec w, a, b; /* w = b - a */
} vertex;

/* The support mapping of a body: its point farthest in direction d. */
static vec support_of_body(const body *s, vec d)
{
    int best = 0;
    for (int i = 1; i < s->count; i++) {
        if (dot(s->point[i], d) > dot(s->point[best], d)) {
            best = i;
        }
    }
    return s->point[best];
}

/* The support mapping of B - A: the farthest point of B that way, minus the farthest point of A the other way. */
static vertex support(const body *a, const body *b, vec d)
{
    vertex v = {.a = support_of_body(a, scale(-1.0, d)), .b = support_of_body(b, d)};
    v.w = sub(v.b, v.a);
    return v;
}

/* ---- the closest point of a simplex ---- */

/* One to four vertices of B - A, and the point of their hull that is closest to the origin, v = sum of weight * w. */
typedef struct simplex {
    vertex vertex[4];
    double weight[4];
    int count;
    vec v;
} simplex;

/* Six times the signed volume of the tetrahedron p q r s. */
static double volume(vec p, vec q, vec r, vec s) { return dot(cross(sub(q, p), sub(r, p)), sub(s, p)); }

/* The weights, with the sum 1, of the point closest to the origin in the affine hull of the vertices: the point, line,
 * plane or space through them. They are not finite if the vertices do not span that hull. */
static void project_origin(const vertex *s, int count, double *weight)
{
    const vec o = {0.0, 0.0, 0.0}, p = s[0].w, q = s[1].w, r = s[2].w, t = s[3].w, edge = sub(q, p);
    const vec n = cross(edge, sub(r, p));
    if (count == 1) {
        weight[0] = 1.0;
    } else if (count == 2) { /* p + weight * edge is perpendicular to the edge */
        weight[1] = -dot(p, edge) / dot(edge, edge);
        weight[0] = 1.0 - weight[1];
    } else if (count == 3) { /* shares of the triangle's area, seen along its normal n */
        weight[0] = dot(n, cross(q, r)) / dot(n, n);
        weight[1] = dot(n, cross(r, p)) / dot(n, n);
        weight[2] = dot(n, cross(p, q)) / dot(n, n);
    } else { /* shares of the tetrahedron's volume */
        weight[0] = volume(o, q, r, t) / volume(p, q, r, t);
        weight[1] = volume(p, o, r, t) / volume(p, q, r, t);
        weight[2] = volume(p, q, o, t) / volume(p, q, r, t);
        weight[3] = volume(p, q, r, o) / volume(p, q, r, t);
    }
}

/* Reduces a simplex to the smallest face that has its point closest to the origin. The closest point of a convex hull
 * is the closest point of the affine hull of some of its vertices, with all weights positive. Of the (at most 15)
 * subsets that have such a point the nearest is the answer. */
static void reduce(simplex *s)
{
    simplex best = {.count = 0};
    double nearest = INFINITY;
    for (int subset = 1; subset < 1 << s->count; subset++) {
        simplex t = {.count = 0};
        for (int i = 0; i < s->count; i++) {
            if (subset >> i & 1) {
                t.vertex[t.count++] = s->vertex[i];
            }
        }
        project_origin(t.vertex, t.count, t.weight);
        int inside = 1;
        for (int i = 0; i < t.count; i++) {
            inside = inside && t.weight[i] > 0.0 && t.weight[i] < 1.0 + 1e-9; /* false for NaN and infinity */
            t.v = add(t.v, scale(t.weight[i], t.vertex[i].w));
        }
        if (inside && dot(t.v, t.v) < nearest) {
            nearest = dot(t.v, t.v);
            best = t;
        }
    }
    *s = best;
}

/* ---- GJK: the point of B - A closest to the origin ---- */

/* Is the origin in the simplex, within rounding? Then the bodies overlap. */
static int holds_origin(const simplex *s)
{
    double size = 0.0;
    for (int i = 0; i < s->count; i++) {
        size = fmax(size, dot(s->vertex[i].w, s->vertex[i].w));
    }
    return s->count == 4 || dot(s->v, s->v) <= 1e-28 * size;
}

/* All of B - A lies beyond the plane through w perpendicular to v: the distance is at least v.w / |v|, and it is at
 * most |v|. The loop ends when these bounds meet, when the origin is in the simplex, or when rounding ends progress. */
static simplex gjk(const body *a, const body *b)
{
    simplex s = {.vertex = {support(a, b, (vec){1.0, 0.0, 0.0})}, .count = 1};
    for (reduce(&s); !holds_origin(&s);) {
        const vertex next = support(a, b, scale(-1.0, s.v));
        simplex t = s;
        t.vertex[t.count++] = next;
        reduce(&t);
        if (dot(s.v, sub(s.v, next.w)) <= 1e-15 * dot(s.v, s.v) || !(dot(t.v, t.v) < dot(s.v, s.v))) {
            break;
        }
        s = t;
    }
    return s;
}

/* ---- EPA: the point on the surface of B - A closest to an origin inside ---- */

enum { MOST_VERTICES = 500, MOST_FACES = 2 * MOST_VERTICES + 8 }; /* every vertex adds two faces */
/* A face of a polytope inside B - A: its vertices counter-clockwise from outside, its plane n.x = distance. */
typedef struct face {
    vertex p[3];
    vec n;
    double distance;
} face;

/* Vertices on a line make a face that is never the closest. */
static face make_face(vertex p, vertex q, vertex r)
{
    face f = {.p = {p, q, r}, .n = cross(sub(q.w, p.w), sub(r.w, p.w)), .distance = INFINITY};
    const double length = sqrt(dot(f.n, f.n));
    if (length > 0.0) {
        f.n = scale(1.0 / length, f.n);
        f.distance = fmax(dot(f.n, p.w), 0.0);
    }
    return f;
}

/* Adds vertices to a simplex with the origin until it is a tetrahedron: directions that the simplex does not span yet
 * are tried, both ways, for the one in which B - A extends farthest from it. False: B - A is flat. */
static int make_tetrahedron(const body *a, const body *b, simplex *s)
{
    const vec axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    while (s->count < 4) {
        const vec p = s->vertex[0].w;
        const vec e = s->count > 1 ? sub(s->vertex[1].w, p) : (vec){0.0, 0.0, 0.0};
        const vec n = s->count > 2 ? cross(e, sub(s->vertex[2].w, p)) : e;
        double farthest = 0.0;
        for (int i = 0; i < 6; i++) {
            vec d = s->count == 1 ? axis[i / 2] : s->count == 2 ? cross(e, axis[i / 2]) : n;
            d = scale(i % 2 ? -1.0 : 1.0, d);
            const vertex v = support(a, b, d);
            const double height = fabs(dot(sub(v.w, p), d)) / sqrt(fmax(dot(d, d), 1e-300));
            if (height > farthest) {
                farthest = height;
                s->vertex[s->count] = v;
            }
        }
        if (!(farthest > 0.0)) {
            return 0;
        }
        s->count++;
    }
    return 1;
}

/* Replaces all faces that see the new vertex by a cone from it to their rim. Returns the new number of faces. */
static int expand(face *faces, int count, vertex v)
{
    static vertex rim[3 * MOST_FACES][2]; /* edges of the faces that see v */
    int edges = 0, kept = 0;
    for (int i = 0; i < count; i++) {
        if (dot(faces[i].n, sub(v.w, faces[i].p[0].w)) <= 0.0) {
            faces[kept++] = faces[i];
            continue;
        }
        for (int k = 0; k < 3; k++) {
            const vertex edge[2] = {faces[i].p[k], faces[i].p[(k + 1) % 3]}, back[2] = {edge[1], edge[0]};
            int j = 0; /* an edge met before, the other way, lies between two faces that both go */
            while (j < edges && memcmp(rim[j], back, sizeof back) != 0) {
                j++;
            }
            if (j < edges) {
                memmove(rim[j], rim[j + 1], (size_t)(--edges - j) * sizeof rim[j]);
            } else {
                memcpy(rim[edges++], edge, sizeof edge);
            }
        }
    }
    for (int j = 0; j < edges; j++) {
        faces[kept++] = make_face(rim[j][0], rim[j][1], v);
    }
    return kept;
}

/* The face of B - A closest to the origin. The closest face of the polytope has a distance that is a lower bound of the
 * depth; B - A ends at the support plane in that face's direction: an upper bound. Expanding the polytope there, until
 * they meet, is EPA. */
static face epa(const body *a, const body *b, simplex s)
{
    static face faces[MOST_FACES];
    vertex *p = s.vertex;
    if (volume(p[0].w, p[1].w, p[2].w, p[3].w) > 0.0) { /* order the vertices so that normals point outwards */
        const vertex swap = p[1];
        p[1] = p[2], p[2] = swap;
    }
    faces[0] = make_face(p[0], p[1], p[2]), faces[1] = make_face(p[0], p[3], p[1]);
    faces[2] = make_face(p[0], p[2], p[3]), faces[3] = make_face(p[1], p[3], p[2]);
    int count = 4;
    face closest;
    for (int iteration = 0; iteration < MOST_VERTICES; iteration++) {
        closest.distance = INFINITY;
        for (int i = 0; i < count; i++) {
            closest = faces[i].distance < closest.distance ? faces[i] : closest;
        }
        const vertex v = support(a, b, closest.n);
        const double upper = dot(v.w, closest.n);
        if (upper - closest.distance <= 1e-13 * upper) {
            break;
        }
        count = expand(faces, count, v);
    }
    return closest;
}

/* Reads lines "x y z" until the end of the file. */
static body read_points(const char *name)
{
    body s = {NULL, 0};
    vec p;
    FILE *file = fopen(name, "r");
    while (file != NULL && fscanf(file, "%lf %lf %lf", &p.x, &p.y, &p.z) == 3) {
        s.point = realloc(s.point, (size_t)(s.count + 1) * sizeof *s.point);
        s.point[s.count++] = p;
    }
    if (file == NULL || !feof(file) || s.count == 0) {
        fprintf(stderr, "%s: expected lines of three numbers, x y z\n", name);
        exit(2);
    }
    fclose(file);
    return s;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: gjk A.txt B.txt     (a line \"x y z\" for each point)\n");
        return 2;
    }
    const body a = read_points(argv[1]), b = read_points(argv[2]);
    simplex s = gjk(&a, &b);
    double distance = sqrt(dot(s.v, s.v));
    if (holds_origin(&s) && make_tetrahedron(&a, &b, &s)) { /* the depth, and the point of the closest face */
        const face f = epa(&a, &b, s);
        distance = -f.distance, s.count = 3;
        memcpy(s.vertex, f.p, sizeof f.p), project_origin(s.vertex, 3, s.weight);
    }
    vec on_a = {0.0, 0.0, 0.0}, on_b = on_a; /* the same weights, applied to the points of A and of B */
    for (int i = 0; i < s.count; i++) {
        on_a = add(on_a, scale(s.weight[i], s.vertex[i].a)), on_b = add(on_b, scale(s.weight[i], s.vertex[i].b));
    }
    printf("distance %.17g\na %.17g %.17g %.17g\n", distance, on_a.x, on_a.y, on_a.z);
    printf("b %.17g %.17g %.17g\n", on_b.x, on_b.y, on_b.z);
    free(a.point), free(b.point);
    return 0;
}
