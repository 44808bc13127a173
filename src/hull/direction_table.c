/* Which vertices are farthest for the directions of each cell of the direction table?
 *
 * Directions are sampled on a grid with four steps to a cell; neighbouring cells share the samples on their border. Each
 * search climbs from the result before it. Where the samples two steps apart have the same support vertex, the one
 * between them has it too: the directions of one support vertex are a convex cone, and between them the octahedron is
 * flat, unless its fold |u| + |v| = 1 passes through the middle sample. */
#include <string.h>

#include "build.h"
#include "search.h"

enum { cell_steps = 4 };

typedef struct sampling {
    const apart_hull *hull;
    uint32_t width;                /* samples in a row of the grid */
    uint32_t *row[cell_steps + 1]; /* the support vertices of the rows through the present cells */
} sampling;

/* The support vertex of a sample, by a climb from the better one of two vertices. */
static uint32_t climb(const sampling *s, uint32_t i, uint32_t j, uint32_t from, uint32_t other)
{
    const apart_vec3 d =
        ap_hull_table_direction(s->hull->table_resolution, (double)i / cell_steps, (double)j / cell_steps);
    if (from != other && ap_dot(ap_hull_local(s->hull, other), d) > ap_dot(ap_hull_local(s->hull, from), d)) {
        from = other;
    }
    return ap_hull_climb(s->hull, from, d, NULL);
}

/* A row of even number i: the even samples, then those between them. above: the even row before it, or zeros. */
static void sample_even_row(const sampling *s, uint32_t i, const uint32_t *above, uint32_t *found)
{
    uint32_t last = above[0];
    for (uint32_t j = 0; j < s->width; j += 2) {
        found[j] = last = climb(s, i, j, last, above[j]);
    }
    for (uint32_t j = 1; j < s->width; j += 2) {
        const uint32_t before = found[j - 1], after = found[j + 1];
        found[j] = before == after ? before : climb(s, i, j, before, after);
    }
}

/* Does the fold of the octahedron pass through a sample? */
static bool is_on_fold(const sampling *s, uint32_t i, uint32_t j)
{
    const uint32_t half = s->width / 2, u = i > half ? i - half : half - i, v = j > half ? j - half : half - j;
    return u + v == half;
}

/* A row of odd number i, between two even ones. */
static void sample_odd_row(const sampling *s, uint32_t i, const uint32_t *above, const uint32_t *below, uint32_t *found)
{
    for (uint32_t j = 0; j < s->width; j++) {
        found[j] = above[j] == below[j] && !is_on_fold(s, i, j) ? above[j] : climb(s, i, j, above[j], below[j]);
    }
}

/* How often a vertex was the support vertex in a cell of the direction table. */
typedef struct cell_hit {
    uint32_t vertex, times;
} cell_hit;

static uint32_t count_hit(cell_hit *hits, uint32_t count, uint32_t vertex)
{
    uint32_t i = 0;
    while (i < count && hits[i].vertex != vertex) {
        i++;
    }
    hits[i] = (cell_hit){vertex, i < count ? hits[i].times + 1u : 1u};
    return i < count ? count : count + 1u;
}

/* Writes the first vertex, which is that of the cell's middle, then the most frequent ones (of equals, the one found
 * first). If there are too few, the first is repeated. */
static void write_cell(cell_hit *hits, uint32_t count, uint32_t *cell)
{
    uint32_t best = 0;
    for (uint32_t k = 0; k < AP_CELL_VERTICES; k++) {
        cell[k] = hits[best].times > 0 ? hits[best].vertex : cell[0];
        hits[best].times = 0;
        for (uint32_t i = 0; i < count; i++) {
            best = hits[i].times > hits[best].times ? i : best;
        }
    }
}

/* The vertices of one cell, from the five rows of samples that it lies in; its middle comes first. */
static void fill_cell(const sampling *s, uint32_t column, uint32_t *cell)
{
    static const uint32_t order[] = {2, 0, 4, 1, 3};
    cell_hit hits[(cell_steps + 1) * (cell_steps + 1)];
    uint32_t count = 0;
    for (int i = 0; i <= cell_steps; i++) {
        const uint32_t *found = s->row[order[i]] + (size_t)cell_steps * column;
        for (int j = 0; j <= cell_steps; j++) {
            count = count_hit(hits, count, found[order[j]]);
        }
    }
    write_cell(hits, count, cell);
}

bool ap_hull_fill_table(const apart_hull *h, uint32_t *table, const apart_allocator *allocator)
{
    const uint32_t r = h->table_resolution;
    sampling s = {.hull = h, .width = cell_steps * r + 1};
    uint32_t *samples = ap_allocate(allocator, (cell_steps + 1) * (size_t)s.width, sizeof *samples);
    if (samples == NULL) {
        return false;
    }
    for (uint32_t k = 0; k <= cell_steps; k++) {
        s.row[k] = samples + (size_t)k * s.width;
    }
    for (uint32_t i = 0; i < r; i++) {
        if (i == 0) {
            memset(s.row[cell_steps], 0, s.width * sizeof *samples);
            sample_even_row(&s, 0, s.row[cell_steps], s.row[0]);
        } else { /* the last row of a cell is the first of the next one */
            uint32_t *const first = s.row[0];
            s.row[0] = s.row[cell_steps];
            s.row[cell_steps] = first;
        }
        for (uint32_t k = 2; k <= cell_steps; k += 2) {
            sample_even_row(&s, cell_steps * i + k, s.row[k - 2], s.row[k]);
            sample_odd_row(&s, cell_steps * i + k - 1, s.row[k - 2], s.row[k], s.row[k - 1]);
        }
        for (uint32_t j = 0; j < r; j++) {
            fill_cell(&s, j, table + (size_t)AP_CELL_VERTICES * (i * r + j));
        }
    }
    ap_release(allocator, samples);
    return true;
}
