/* Edges are found by two stable counting sorts of the triangles' sides, components by union and find: linear time, and
 * memory of 40 bytes a triangle. */
#include "report.h"

#include "../base/memory.h"
#include "enclosed.h"
#include "../exact/predicates.h"

/* The parent of a triangle without area. */
#define NO_AREA UINT32_MAX

/* A side of a triangle: 3 * triangle + number, from the corner of that number to the next one. */
typedef struct survey {
    const apart_vec3 *vertices;
    uint32_t vertex_count;
    const uint32_t (*triangles)[3];
    uint32_t triangle_count;
    uint32_t *side, *sorted; /* 3 * triangle_count + 2 each */
    uint32_t *start;         /* vertex_count + 1 */
    uint32_t *parent;        /* of a triangle in the forest of components; its own number in a root, or NO_AREA */
    uint32_t side_count;     /* of triangles with an area */
    apart_mesh_report *report;
} survey;

typedef struct side_ends {
    uint32_t low, high;
    bool rising; /* it runs from low to high */
} side_ends;

static side_ends ends_of(const survey *s, uint32_t side)
{
    const uint32_t *corners = s->triangles[side / 3], number = side % 3;
    const uint32_t from = corners[number], to = corners[number < 2 ? number + 1 : 0];
    return from < to ? (side_ends){from, to, true} : (side_ends){to, from, false};
}

static void get_corners(const survey *s, uint32_t triangle, apart_vec3 t[3])
{
    for (int i = 0; i < 3; i++) {
        t[i] = s->vertices[s->triangles[triangle][i]];
    }
}

static void count_vertices(survey *s)
{
    memset(s->start, 0, s->vertex_count * sizeof *s->start);
    for (uint32_t t = 0; t < s->triangle_count; t++) {
        for (int i = 0; i < 3; i++) {
            s->start[s->triangles[t][i]] = 1;
        }
    }
    for (uint32_t v = 0; v < s->vertex_count; v++) {
        s->report->vertices += s->start[v];
    }
}

/* Twice the area of a triangle of this scale, for coordinates whose squares may overflow. */
static double doubled_area(const apart_vec3 t[3], double scale)
{
    return ap_norm(ap_cross(ap_scale(scale, ap_sub(t[1], t[0])), ap_scale(scale, ap_sub(t[2], t[0]))));
}

/* A power of two that brings all differences of corners below 1. */
static double scale_of(const survey *s)
{
    double largest = 0.0;
    for (uint32_t t = 0; t < s->triangle_count; t++) {
        const uint32_t *corners = s->triangles[t];
        const apart_vec3 a = s->vertices[corners[0]], b = s->vertices[corners[1]], c = s->vertices[corners[2]];
        largest = ap_max(largest, ap_max(ap_max_abs(ap_sub(b, a)), ap_max_abs(ap_sub(c, a))));
    }
    return 0.5 * ap_power_of_two_scale(largest);
}

/* Lists the sides of all triangles with an area, in order, and adds up the area. */
static void list_sides(survey *s)
{
    const double scale = scale_of(s);
    ap_dd sum = {0.0, 0.0};
    for (uint32_t t = 0; t < s->triangle_count; t++) {
        apart_vec3 corners[3];
        get_corners(s, t, corners);
        s->parent[t] = t;
        if (ap_triangle_axis(corners) < 0) {
            s->parent[t] = NO_AREA;
            s->report->degenerate++;
            continue;
        }
        for (uint32_t i = 0; i < 3; i++) {
            s->side[s->side_count++] = 3 * t + i;
        }
        const ap_dd next = ap_two_sum(sum.hi, doubled_area(corners, scale));
        sum = (ap_dd){next.hi, sum.lo + next.lo};
    }
    s->report->area = 0.5 * (sum.hi + sum.lo) / scale / scale;
}

/* From counts of each value below `count` (in start[value + 1]) to where each begins. */
static void add_up(uint32_t *start, uint32_t count)
{
    for (uint32_t v = 0; v < count; v++) {
        start[v + 1] += start[v];
    }
}

/* A stable sort of the sides by their lower or their higher vertex. */
static void sort_sides(survey *s, const uint32_t *from, uint32_t *to, bool by_low)
{
    memset(s->start, 0, (s->vertex_count + (size_t)1) * sizeof *s->start);
    for (uint32_t i = 0; i < s->side_count; i++) {
        const side_ends ends = ends_of(s, from[i]);
        s->start[(by_low ? ends.low : ends.high) + 1]++;
    }
    add_up(s->start, s->vertex_count);
    for (uint32_t i = 0; i < s->side_count; i++) {
        const side_ends ends = ends_of(s, from[i]);
        to[s->start[by_low ? ends.low : ends.high]++] = from[i];
    }
}

static uint32_t root_of(uint32_t *parent, uint32_t triangle)
{
    while (parent[triangle] != triangle) {
        parent[triangle] = parent[parent[triangle]];
        triangle = parent[triangle];
    }
    return triangle;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    const uint32_t ra = root_of(parent, a), rb = root_of(parent, b);
    if (ra < rb) {
        parent[rb] = ra;
    } else {
        parent[ra] = rb;
    }
}

/* Counts the edges by their triangles, which become one component; returns whether each is balanced enough for a
 * watertight mesh. */
static bool count_edges(survey *s)
{
    bool is_balanced = true;
    for (uint32_t i = 0, end; i < s->side_count; i = end) {
        const side_ends edge = ends_of(s, s->side[i]);
        uint32_t rising = 0;
        for (end = i; end < s->side_count; end++) {
            const side_ends other = ends_of(s, s->side[end]);
            if (other.low != edge.low || other.high != edge.high) {
                break;
            }
            rising += other.rising ? 1 : 0;
            join(s->parent, s->side[i] / 3, s->side[end] / 3);
        }
        const uint32_t count = end - i;
        s->report->open_edges += count == 1 ? 1 : 0;
        s->report->crowded_edges += count > 2 ? 1 : 0;
        s->report->turned_edges += count == 2 && rising != 1 ? 1 : 0;
        is_balanced = is_balanced && count != 1 && (count == 2 || 2 * rising == count);
    }
    return is_balanced;
}

/* Numbers the components in the order of their first triangles, which are the roots: component[t]. */
static void number_components(survey *s, uint32_t *component)
{
    for (uint32_t t = 0; t < s->triangle_count; t++) {
        if (s->parent[t] != NO_AREA) {
            const uint32_t root = root_of(s->parent, t);
            component[t] = root == t ? s->report->components++ : component[root];
        }
    }
}

/* Puts the triangles with an area in the order of their components; those of component c begin at start[c]. */
static void order_by_component(const survey *s, const uint32_t *component, uint32_t *start, uint32_t *order)
{
    memset(start, 0, (s->report->components + (size_t)2) * sizeof *start);
    for (uint32_t t = 0; t < s->triangle_count; t++) {
        if (s->parent[t] != NO_AREA) {
            start[component[t] + 2]++;
        }
    }
    add_up(start + 1, s->report->components);
    for (uint32_t t = 0; t < s->triangle_count; t++) {
        if (s->parent[t] != NO_AREA) {
            order[start[component[t] + 1]++] = t;
        }
    }
}

/* Of all vertices of the triangles. */
static apart_aabb box_of(const survey *s)
{
    const double inf = INFINITY;
    apart_aabb box = {{inf, inf, inf}, {-inf, -inf, -inf}};
    for (uint32_t t = 0; t < s->triangle_count; t++) {
        for (int i = 0; i < 3; i++) {
            const apart_vec3 p = s->vertices[s->triangles[t][i]];
            box.min = (apart_vec3){ap_min(box.min.x, p.x), ap_min(box.min.y, p.y), ap_min(box.min.z, p.z)};
            box.max = (apart_vec3){ap_max(box.max.x, p.x), ap_max(box.max.y, p.y), ap_max(box.max.z, p.z)};
        }
    }
    return box;
}

/* Volume and orientation; the sides are of no more use. */
static apart_status survey_inside(survey *s, const uint32_t *component, const apart_allocator *allocator)
{
    uint32_t *order = s->side, *start = s->sorted + s->triangle_count;
    order_by_component(s, component, start, order);
    const ap_mesh_components components = {
        s->vertices, s->triangles, order, start, s->report->components, box_of(s),
    };
    return ap_mesh_enclosed(&components, allocator, &s->report->volume, &s->report->oriented);
}

static apart_status survey_mesh(survey *s, const apart_allocator *allocator)
{
    count_vertices(s);
    list_sides(s);
    sort_sides(s, s->side, s->sorted, false);
    sort_sides(s, s->sorted, s->side, true);
    s->report->watertight = count_edges(s) && s->side_count > 0 ? 1 : 0;
    uint32_t *component = s->sorted;
    number_components(s, component);
    if (!s->report->watertight || s->report->turned_edges > 0) {
        return APART_OK;
    }
    return survey_inside(s, component, allocator);
}

apart_status ap_mesh_report_make(const apart_vec3 *vertices, uint32_t vertex_count, const uint32_t (*triangles)[3],
                                 uint32_t triangle_count, const apart_allocator *allocator, apart_mesh_report *report)
{
    const size_t sides = 3 * (size_t)triangle_count + 2;
    *report = (apart_mesh_report){.triangles = triangle_count};
    survey s = {
        .vertices = vertices,
        .vertex_count = vertex_count,
        .triangles = triangles,
        .triangle_count = triangle_count,
        .side = ap_allocate(allocator, sides, sizeof *s.side),
        .sorted = ap_allocate(allocator, sides, sizeof *s.sorted),
        .start = ap_allocate(allocator, vertex_count + (size_t)1, sizeof *s.start),
        .parent = ap_allocate(allocator, triangle_count, sizeof *s.parent),
        .report = report,
    };
    const bool is_complete = s.side != NULL && s.sorted != NULL && s.start != NULL && s.parent != NULL;
    const apart_status status = is_complete ? survey_mesh(&s, allocator) : APART_ERR_MEMORY;
    ap_release(allocator, s.parent);
    ap_release(allocator, s.start);
    ap_release(allocator, s.sorted);
    ap_release(allocator, s.side);
    return status;
}
