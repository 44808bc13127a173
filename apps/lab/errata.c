/* Where the papers' texts must not be coded as they stand: each erratum of docs/errata.md with a counterexample that is
 * computed here, so that nobody has to believe the list. */
#include <math.h>
#include <stdlib.h>

#include "experiments.h"
#include "geometric/routine.h"
#include "kit.h"
#include "random.h"

enum { POINTS = 20 };

/* What was computed: does it contradict the text, and in which words. */
typedef struct finding {
    bool shown;
    char *text;
} finding;

static apart_vec3 difference(apart_vec3 a, apart_vec3 b) { return apart_vec3_sub(a, b); }
static double dot(apart_vec3 a, apart_vec3 b) { return apart_vec3_dot(a, b); }

static uint32_t farthest(const apart_vec3 *p, uint32_t n, apart_vec3 d)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < n; i++) {
        best = dot(p[i], d) > dot(p[best], d) ? i : best;
    }
    return best;
}

static void draw_sphere(lab_random *r, uint32_t n, apart_vec3 at, apart_vec3 *out)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = apart_vec3_add(at, lab_random_direction(r));
    }
}

static apart_hull *hull_of(const apart_vec3 *p, uint32_t n)
{
    apart_hull *hull = NULL;
    if (apart_hull_build(&p->x, n, NULL, &hull) != APART_OK) {
        fprintf(stderr, "apart: lab: no hull of %u points\n", n);
        exit(2);
    }
    return hull;
}

/* Johnson's Deltas of the points of a set, by the recursion over all subsets: delta[set][i]. */
static void johnson_deltas(const apart_vec3 *y, int n, double delta[16][4])
{
    for (unsigned set = 1; set < 1u << n; set++) {
        for (int j = 0; j < n; j++) {
            const unsigned rest = set & ~(1u << j);
            int z = 0;
            delta[set][j] = rest == 0 ? 1.0 : 0.0;
            while (rest != 0 && !(rest >> z & 1u)) {
                z++;
            }
            for (int i = 0; i < n && (set >> j & 1u); i++) {
                delta[set][j] += rest >> i & 1u ? delta[rest][i] * dot(y[i], difference(y[z], y[j])) : 0.0;
            }
        }
    }
}

/* ---- Cameron 1997 ---- */

static finding interference_by_negative_deltas(lab_random *r)
{
    uint64_t inside = 0, positive = 0, negative = 0;
    for (int i = 0; i < 1000; i++) {
        apart_vec3 y[4], sum = {0, 0, 0};
        double delta[16][4], weight[4], all = 0.0;
        for (int k = 0; k < 4; k++) {
            weight[k] = lab_random_between(r, 0.1, 1.0);
            all += weight[k];
        }
        draw_sphere(r, 4, (apart_vec3){0, 0, 0}, y);
        for (int k = 0; k < 4; k++) {
            sum = apart_vec3_add_scaled(sum, weight[k] / all, y[k]);
        }
        for (int k = 0; k < 4; k++) {
            y[k] = difference(y[k], sum); /* now the origin is their weighted mean: inside */
        }
        johnson_deltas(y, 4, delta);
        int over = 0, under = 0;
        for (int k = 0; k < 4; k++) {
            over += delta[15][k] > 0.0;
            under += delta[15][k] <= 0.0;
        }
        inside++;
        positive += over == 4;
        negative += under == 4;
    }
    return (finding){positive == inside && negative == 0,
                     lab_format("of %llu tetrahedra around the origin all Δ are positive in %llu, and ≤ 0 in %llu",
                                (unsigned long long)inside, (unsigned long long)positive,
                                (unsigned long long)negative)};
}

static finding slack_on_the_simplex(lab_random *r)
{
    int zeros = 0;
    for (int i = 0; i < 100; i++) {
        apart_vec3 y[2];
        draw_sphere(r, 2, (apart_vec3){3, 0, 0}, y);
        const apart_vec3 e = difference(y[1], y[0]);
        const double t = -dot(y[0], e) / dot(e, e);
        const apart_vec3 x = t <= 0 ? y[0] : t >= 1 ? y[1] : apart_vec3_add_scaled(y[0], t, e);
        for (int k = 0; k < 2; k++) {
            zeros += fabs(dot(x, x) - dot(x, y[k])) <= 1e-14 * dot(x, x);
        }
    }
    return (finding){zeros >= 100,
                     lab_format("g_x(v) = x·x − x·v is 0 (to rounding) at %d of the 200 end points of 100 "
                                "simplices themselves: the loop would never end",
                                zeros)};
}

static finding degree_of_vertices(lab_random *r)
{
    double mean = 0.0;
    apart_vec3 p[200];
    draw_sphere(r, 200, (apart_vec3){0, 0, 0}, p);
    apart_hull *hull = hull_of(p, 200);
    mean = 2.0 * apart_hull_edge_count(hull) / apart_hull_vertex_count(hull);
    apart_hull_free(hull);
    return (finding){mean > 5.5, lab_format("a hull of 200 random points has %.3f edges a vertex (6 − 12/n = %.3f); "
                                            "3 is right for a box",
                                            mean, 6.0 - 12.0 / 200.0)};
}

/* ---- Lindemann 2009 ---- */

static finding vertices_of_a_sum(lab_random *r)
{
    apart_vec3 a[8], b[8], sum[64];
    const apart_pose turned = lab_random_pose(r, (apart_vec3){0, 0, 0});
    for (int i = 0; i < 8; i++) {
        a[i] = (apart_vec3){i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0};
        b[i] = apart_pose_apply(&turned, a[i]);
    }
    for (int i = 0; i < 64; i++) {
        sum[i] = apart_vec3_add(a[i / 8], b[i % 8]);
    }
    apart_hull *hull = hull_of(sum, 64);
    const uint32_t count = apart_hull_vertex_count(hull);
    apart_hull_free(hull);
    return (
        finding){count > 16,
                 lab_format("the sum of two cubes turned against each other has %u vertices, more than 8 + 8", count)};
}

static finding swept_vertices(lab_random *r)
{
    (void)r;
    const apart_vec3 v = {1, 0, 0};
    apart_vec3 moved[8];
    for (int i = 0; i < 8; i++) {
        moved[i] = apart_vec3_add((apart_vec3){i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5}, v);
    }
    const double start = dot(moved[farthest(moved, 8, (apart_vec3){-1, 0, 0})], (apart_vec3){-1, 0, 0});
    return (finding){start < 0.5,
                     lab_format("a unit cube swept by (1, 0, 0) reaches back to x = −0.5; with v added to all its "
                                "vertices only to x = %g: that is the cube at its end",
                                -start)};
}

/* ---- the geometric improvement ---- */

static finding centroids_away(lab_random *r)
{
    apart_vec3 a[POINTS], b[POINTS];
    int printed = 0, right = 0;
    for (int i = 0; i < 100; i++) {
        const apart_vec3 c = apart_vec3_scale(5.0, lab_random_direction(r));
        draw_sphere(r, POINTS, (apart_vec3){0, 0, 0}, a);
        draw_sphere(r, POINTS, c, b);
        const apart_vec3 s = difference(a[farthest(a, POINTS, apart_vec3_scale(-1.0, c))], b[farthest(b, POINTS, c)]);
        const apart_vec3 t = difference(a[farthest(a, POINTS, c)], b[farthest(b, POINTS, apart_vec3_scale(-1.0, c))]);
        printed += apart_vec3_norm(s) > 5.0;
        right += apart_vec3_norm(t) < 5.0;
    }
    return (finding){
        printed == 100 && right == 100,
        lab_format("centres 5 apart: the support vertex of c₁ − c₂ is farther than 5 from the origin in %d of 100 "
                   "pairs, that of c₂ − c₁ nearer in %d",
                   printed, right)};
}

static finding support_values_of_a_difference(lab_random *r)
{
    apart_vec3 p[POINTS];
    const apart_vec3 d = lab_random_direction(r);
    draw_sphere(r, POINTS, (apart_vec3){0, 0, 0}, p);
    const apart_vec3 a = p[farthest(p, POINTS, d)];
    double most = -INFINITY;
    for (int i = 0; i < POINTS; i++) {
        most = fmax(most, dot(p[i], d));
    }
    const double printed = dot(a, apart_vec3_scale(-1.0, d));
    return (finding){printed != most && dot(a, d) == most,
                     lab_format("H(d) = a·d = %.3f for the support vertex a of d; with the sign of the text it is %.3f",
                                most, printed)};
}

static finding discard_the_farthest(lab_random *r)
{
    uint64_t loops = 0, pairs = 0;
    for (int i = 0; i < 400; i++) {
        apart_vec3 a[POINTS], b[POINTS];
        draw_sphere(r, POINTS, (apart_vec3){0, 0, 0}, a);
        draw_sphere(r, POINTS, apart_vec3_scale(2.5, lab_random_direction(r)), b);
        const lab_points pa = {a, POINTS}, pb = {b, POINTS};
        const lab_geometric_options how = {.dim = 3, .seed = 1};
        lab_geometric_answer answer;
        lab_geometric(&pa, &pb, &how, &answer);
        loops += answer.end == LAB_GEOMETRIC_LOOPS;
        pairs++;
    }
    return (
        finding){loops > 0,
                 lab_format("centres 2.5 apart: on %llu of %llu pairs the sets of vertices repeat, and the loop never "
                            "ends (apart lab literal)",
                            (unsigned long long)loops, (unsigned long long)pairs)};
}

static finding start_and_destination(lab_random *r)
{
    (void)r;
    const double degree = LAB_PI / 180.0, lengths[4] = {2.0, 1.0, 0.6, 0.4}, angle[4] = {0.0, 90.0, -150.0, -30.0};
    double y = 0.0, z = 0.0, sum = 0.0;
    for (int i = 0; i < 4; i++) {
        sum += angle[i];
        y += lengths[i] * sin(sum * degree);
        z += lengths[i] * cos(sum * degree);
    }
    return (finding){
        fabs(fabs(y) - 0.0804) < 5e-5 && fabs(z - 2.3) < 5e-5,
        lab_format("the angles of the start (0, 90, −150, −30 degrees) put the tool at |y| = %.4f, z = %.4f: what the "
                   "text calls the destination",
                   fabs(y), z)};
}

static finding times_of_the_path(lab_random *r)
{
    (void)r;
    return (finding){
        fabs(0.1 * 6.7 + 0.0804 - 0.7877) > 0.03,
        lab_format("0.1 a second until 6.7 and then until 16.7 lead to y = −%.4f, z = %.2f, not to −0.7877 and 3.1918",
                   0.0804 + 0.67, 2.3 + 1.0)};
}

/* ---- divide and conquer ---- */

static finding stop_that_always_holds(lab_random *r)
{
    apart_vec3 p[POINTS];
    int stops = 0, far = 0;
    for (int i = 0; i < 100; i++) {
        draw_sphere(r, POINTS, (apart_vec3){3, 0, 0}, p);
        const apart_vec3 d = p[0], m = p[farthest(p, POINTS, apart_vec3_scale(-1.0, d))];
        stops += dot(d, d) >= dot(d, m); /* the simplex is {p0}: s(w, -d) = d */
        far += apart_vec3_norm(d) > 1.01 * apart_vec3_norm(m);
    }
    return (finding){
        stops == 100 && far > 0,
        lab_format(
            "the rule stops at the first point in %d of 100 sets, although the next support point is nearer in %d",
            stops, far)};
}

static finding sign_of_the_least_squares(lab_random *r)
{
    apart_vec3 y[2];
    draw_sphere(r, 2, (apart_vec3){3, 0, 0}, y);
    const apart_vec3 h = difference(y[1], y[0]);
    const double printed = dot(h, y[0]) / dot(h, h);
    const apart_vec3 x = apart_vec3_add_scaled(y[0], printed, h), right = apart_vec3_add_scaled(y[0], -printed, h);
    return (finding){
        apart_vec3_norm(x) > apart_vec3_norm(right),
        lab_format("on a line the minimiser of ‖Ht − w₀‖ gives a point %.3f from the origin, that of ‖Ht + w₀‖ %.3f",
                   apart_vec3_norm(x), apart_vec3_norm(right))};
}

/* How often the plain recursion visits simplices of each size. */
static void visit(int count, uint64_t visits[5])
{
    visits[count]++;
    for (int i = 0; i < count && count > 1; i++) {
        visit(count - 1, visits);
    }
}

static finding visits_of_the_recursion(lab_random *r)
{
    uint64_t visits[5] = {0};
    (void)r;
    visit(4, visits);
    return (finding){
        visits[2] == 12 && visits[1] == 24,
        lab_format("the plain recursion over a tetrahedron visits its 6 edges %llu times and its 4 points %llu times: "
                   "2 and 6 each",
                   (unsigned long long)visits[2], (unsigned long long)visits[1])};
}

/* ---- signs, shapes, sets ---- */

/* The plane through P1, P2, P3 separates the origin from P4 if the segment between them meets it. */
static finding separation_by_k_and_n(lab_random *r)
{
    int agree = 0, separated = 0;
    for (int i = 0; i < 1000; i++) {
        apart_vec3 p[4];
        draw_sphere(r, 4, (apart_vec3){0.7, 0, 0}, p);
        const apart_vec3 normal = apart_vec3_cross(difference(p[1], p[0]), difference(p[2], p[0]));
        const double k = -dot(normal, p[0]), n = dot(normal, p[3]) + k, t = k / (k - n);
        const bool meets = t > 0.0 && t < 1.0;
        separated += meets;
        agree += meets == (k * n < 0.0);
    }
    return (finding){agree == 1000 && separated > 100,
                     lab_format("K·N < 0 says so in %d of 1000 tetrahedra, %d of them separated; Z is nowhere defined",
                                agree, separated)};
}

static finding points_in_a_ball(lab_random *r)
{
    apart_vec3 on[200], in[200];
    draw_sphere(r, 200, (apart_vec3){0, 0, 0}, on);
    for (int i = 0; i < 200; i++) {
        in[i] = apart_vec3_scale(cbrt(lab_random_between(r, 0.0, 1.0)), lab_random_direction(r));
    }
    apart_hull *sphere = hull_of(on, 200), *ball = hull_of(in, 200);
    const uint32_t kept[2] = {apart_hull_vertex_count(sphere), apart_hull_vertex_count(ball)};
    apart_hull_free(sphere);
    apart_hull_free(ball);
    return (
        finding){kept[0] == 200 && kept[1] < 200,
                 lab_format("of 200 points in the ball %u are vertices of their hull, of 200 on the sphere %u: only "
                            "there is a table of numbers of vertices one of numbers of points",
                            kept[1], kept[0])};
}

/* The smallest simplex that contains the new support point is that point alone. */
static finding set_of_the_support_point(lab_random *r)
{
    int farther = 0;
    for (int i = 0; i < 100; i++) {
        apart_vec3 p[20];
        draw_sphere(r, 20, (apart_vec3){3, 0, 0}, p);
        const apart_vec3 w = p[farthest(p, 20, apart_vec3_neg(p[0]))], e = difference(w, p[0]);
        const double length = dot(e, e), t = length > 0 ? fmin(fmax(-dot(p[0], e) / length, 0.0), 1.0) : 0.0;
        farther += apart_vec3_norm(w) > apart_vec3_norm(apart_vec3_add_scaled(p[0], t, e)) + 1e-9;
    }
    return (finding){farther > 0, lab_format("in %d of 100 sets the new support point alone is farther from the origin "
                                             "than the closest point of the simplex that has it: the loop goes back",
                                             farther)};
}

typedef struct erratum {
    const char *place, *text, *right;
    finding (*show)(lab_random *r);
} erratum;

static const erratum errata[] = {
    {"Cameron §3.3, §3.4 (C6, C7)", "the bodies interfere when every Δ of the full set is ≤ 0", "when every Δ is > 0",
     interference_by_negative_deltas},
    {"Cameron §3.1 (C4)", "g_x(v) < 0 for all vertices at the closest point", "≤ 0", slack_on_the_simplex},
    {"Cameron §3.2 (C5)", "a vertex has normally about 3 neighbours",
     "6 − 12/n on a triangulated hull; the counted 93 to 135 need 6", degree_of_vertices},
    {"Lindemann §3.4 (L3)", "vertices of A + B ≤ those of A plus those of B", "≤ their product", vertices_of_a_sum},
    {"Lindemann §5 (L7)", "A is extended by adding v to all its vertices", "the hull of the old and the new vertices",
     swept_vertices},
    {"Geometric §3.1 (b) (G3)", "first direction: centroid of K₁ minus that of K₂", "c₂ − c₁", centroids_away},
    {"Geometric §2.1", "H_K1(A−B) = A·(A−B), H_K2(A−B) = B·(−(A−B))", "H_K1(B−A) = A·(B−A), H_K2(A−B) = B·(A−B)",
     support_values_of_a_difference},
    {"Geometric §3.2 (b) (G2)", "of several separating faces, discard the farthest point",
     "keep the nearest face, and test it", discard_the_farthest},
    {"Geometric §3.2 (b) (G2)", "separation if Z·N < 0", "K·N < 0", separation_by_k_and_n},
    {"Geometric §4.4 (G7)", "random points on a unit ball", "on the unit sphere", points_in_a_ball},
    {"Geometric §4.4 (G9)", "start and destination of the arm", "they are swapped", start_and_destination},
    {"Geometric §4.4 (G9)", "times of the arm's path", "follow the positions", times_of_the_path},
    {"Divide and conquer, step 4 (D1)", "stop if d·s(w, −d) ≥ d·s(M, −d)", "≤; the text's is always true",
     stop_that_always_holds},
    {"Divide and conquer (D1)", "minimise ‖Ht − w₀‖", "‖Ht + w₀‖", sign_of_the_least_squares},
    {"Divide and conquer (D1)", "each edge is visited up to two times, each point up to three", "each point six times",
     visits_of_the_recursion},
    {"Divide and conquer, step 6 (D1)", "the smallest simplex that contains the new support point",
     "the smallest that contains the closest point", set_of_the_support_point},
};

enum { ERRATA = sizeof errata / sizeof errata[0] };

static void run(lab_section *s)
{
    lab_table table;
    lab_paper(s, "Slips of the texts, and claims that do not hold as they are written.");
    lab_here(
        s,
        "For each a counterexample, computed. What is right, and why, is in docs/errata.md, with those slips that are words only.");
    lab_table_init(&table, "Errata; the counterexamples are the statements below", "place|the text|what is right");
    FILE *csv = lab_csv_open(s, "errata", "place,shown");
    for (size_t i = 0; i < ERRATA; i++) {
        lab_random r = lab_random_stream(s->settings->seed, 9500 + i);
        finding f = errata[i].show(&r);
        lab_table_row(&table, "%s|%s|%s", errata[i].place, errata[i].text, errata[i].right);
        fprintf(csv, "\"%s\",%d\n", errata[i].place, f.shown);
        lab_must(s, f.shown, "%s: %s", errata[i].place, f.text);
        free(f.text);
        lab_progress(s, (double)(i + 1) / ERRATA);
    }
    lab_csv_close(csv);
    lab_show_table(s, &table);
}

const lab_experiment lab_errata = {"errata", NULL, "All papers", "Errata, each with a counterexample", run};
