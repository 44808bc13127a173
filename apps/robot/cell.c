/* A robot among obstacles: which pairs of bodies matter, and their distances. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion.h"

/* ---- bodies ---- */

static apart_status make_body(const char *name, size_t link, const apart_part *parts, size_t count,
                              const apart_pose *pose, robot_body *out)
{
    *out = (robot_body){.name = name, .link = link, .parts = parts, .part_count = count, .local = *pose};
    if (count > 1) {
        const apart_status status = apart_compound_build(parts, count, NULL, &out->compound);
        if (status != APART_OK) {
            return status;
        }
    } else {
        out->shape = parts[0].shape;
        out->local = apart_pose_compose(pose, &parts[0].pose);
    }
    const apart_status status = apart_solid_ball(robot_body_solid(out), &out->center, &out->radius);
    if (status == APART_ERR_HALF_SPACE && link == ROBOT_NONE) {
        out->radius = INFINITY;
        return APART_OK;
    }
    return status;
}

static apart_status make_bodies(robot_cell *cell, const robot_obstacle *obstacles, size_t count)
{
    const robot *r = cell->robot;
    const apart_pose here = apart_pose_identity();
    cell->bodies = calloc(r->link_count + count, sizeof *cell->bodies);
    cell->poses = calloc(r->link_count + count, sizeof *cell->poses);
    if (cell->bodies == NULL || cell->poses == NULL) {
        return APART_ERR_MEMORY;
    }
    for (size_t i = 0; i < r->link_count + count; i++) {
        const bool is_link = i < r->link_count;
        const robot_obstacle *o = is_link ? NULL : &obstacles[i - r->link_count];
        if (is_link && r->links[i].part_count == 0) {
            continue;
        }
        robot_body *body = &cell->bodies[cell->body_count];
        const apart_status status =
            is_link ? make_body(r->links[i].name, i, r->links[i].parts, r->links[i].part_count, &here, body)
                    : make_body(o->name, ROBOT_NONE, o->parts, o->count, &o->pose, body);
        cell->body_count++;
        if (status != APART_OK) {
            return status;
        }
    }
    return APART_OK;
}

/* ---- pairs ---- */

static size_t parent_link(const robot *r, size_t link) { return link == 0 ? ROBOT_NONE : r->joints[link - 1].parent; }

static size_t depth_of(const robot *r, size_t link)
{
    size_t depth = 0;
    for (; link != 0; link = parent_link(r, link)) {
        depth++;
    }
    return depth;
}

/* Obstacles count as fixed to the root. */
static size_t common_link(const robot *r, size_t a, size_t b)
{
    size_t deep_a = depth_of(r, a), deep_b = depth_of(r, b);
    while (a != b) {
        if (deep_a >= deep_b) {
            a = parent_link(r, a);
            deep_a--;
        } else {
            b = parent_link(r, b);
            deep_b--;
        }
    }
    return a;
}

/* What lies between two bodies of a robot. */
typedef struct between {
    size_t moving;  /* joints that move */
    bool has_parts; /* a link between them has parts */
} between;

static void walk_up(const robot *r, size_t link, size_t end, between *b)
{
    for (bool first = true; link != end; link = parent_link(r, link), first = false) {
        b->moving += r->joints[link - 1].variable != ROBOT_NONE;
        b->has_parts = b->has_parts || (!first && r->links[link].part_count > 0);
    }
}

static bool is_disabled(const robot *r, const char *first, const char *second)
{
    for (size_t i = 0; i < r->disabled_count; i++) {
        char *const *names = r->disabled[i];
        if ((strcmp(names[0], first) == 0 && strcmp(names[1], second) == 0) ||
            (strcmp(names[0], second) == 0 && strcmp(names[1], first) == 0)) {
            return true;
        }
    }
    return false;
}

static bool is_wanted(const robot_cell *cell, const robot_body *a, const robot_body *b)
{
    const robot *r = cell->robot;
    const bool obstacle = b->link == ROBOT_NONE;
    if (a->link == ROBOT_NONE || is_disabled(r, a->name, b->name)) {
        return false;
    }
    const size_t link_b = obstacle ? 0 : b->link, top = common_link(r, a->link, link_b);
    between way = {.moving = 0};
    walk_up(r, a->link, top, &way);
    walk_up(r, link_b, top, &way);
    const bool top_between = top != a->link && top != link_b && r->links[top].part_count > 0;
    return way.moving > 0 && (obstacle || way.has_parts || top_between);
}

static apart_status make_chain(const robot_cell *cell, size_t link, size_t top, const robot_body *body, size_t **chain,
                               size_t *count, double **reach)
{
    const robot *r = cell->robot;
    *count = 0;
    for (size_t at = link; at != top; at = parent_link(r, at)) {
        ++*count;
    }
    *chain = calloc(*count + 1, sizeof **chain);
    *reach = calloc(*count + 1, sizeof **reach);
    if (*chain == NULL || *reach == NULL) {
        return APART_ERR_MEMORY;
    }
    /* From the body up: how far its points are at most from the origin of the link that carries the joints met so
     * far. */
    double far = apart_vec3_norm(apart_pose_apply(&body->local, body->center)) + body->radius;
    for (size_t k = *count, at = link; k-- > 0; at = parent_link(r, at)) {
        const robot_joint *joint = &r->joints[at - 1];
        (*chain)[k] = at - 1;
        (*reach)[k] = far;
        far = joint->kind == ROBOT_SLIDING ? INFINITY : far + apart_vec3_norm(joint->origin.translation);
    }
    return APART_OK;
}

static apart_status add_pair(robot_cell *cell, size_t a, size_t b)
{
    const robot *r = cell->robot;
    robot_pair *larger = robot_grow(cell->pairs, cell->pair_count, sizeof *larger);
    if (larger == NULL) {
        return APART_ERR_MEMORY;
    }
    cell->pairs = larger;
    robot_pair *pair = &cell->pairs[cell->pair_count++];
    *pair = (robot_pair){.bodies = {a, b}};
    const size_t links[2] = {cell->bodies[a].link, cell->bodies[b].link == ROBOT_NONE ? 0 : cell->bodies[b].link};
    const size_t top = cell->bodies[b].link == ROBOT_NONE ? 0 : common_link(r, links[0], links[1]);
    const size_t caches = robot_pair_caches(&cell->bodies[a], &cell->bodies[b]);
    pair->caches = caches > 0 ? calloc(caches, sizeof *pair->caches) : NULL;
    apart_status status = caches == 0 || pair->caches != NULL ? APART_OK : APART_ERR_MEMORY;
    for (int i = 0; i < 2 && status == APART_OK; i++) {
        status = make_chain(cell, links[i], top, &cell->bodies[pair->bodies[i]], &pair->chain[i], &pair->chain_count[i],
                            &pair->reach[i]);
    }
    return status;
}

static apart_status make_pairs(robot_cell *cell)
{
    for (size_t a = 0; a < cell->body_count; a++) {
        for (size_t b = a + 1; b < cell->body_count; b++) {
            if (is_wanted(cell, &cell->bodies[a], &cell->bodies[b])) {
                const apart_status status = add_pair(cell, a, b);
                if (status != APART_OK) {
                    return status;
                }
            }
        }
    }
    return cell->pair_count > 0 ? APART_OK : APART_ERR_EMPTY;
}

/* ---- the interface ---- */

apart_solid robot_body_solid(const robot_body *body)
{
    return body->compound != NULL ? apart_solid_compound(body->compound) : apart_solid_shape(&body->shape);
}

apart_status robot_cell_create(const robot *r, const robot_obstacle *obstacles, size_t count, robot_cell **out)
{
    robot_cell *cell = calloc(1, sizeof *cell);
    *out = NULL;
    if (cell == NULL) {
        return APART_ERR_MEMORY;
    }
    cell->robot = r;
    apart_status status = robot_state_init(r, &cell->state);
    if (status == APART_OK) {
        status = make_bodies(cell, obstacles, count);
    }
    if (status == APART_OK) {
        status = make_pairs(cell);
    }
    if (status == APART_OK) {
        status = robot_search_create(cell);
    }
    if (status != APART_OK) {
        robot_cell_free(cell);
        return status;
    }
    *out = cell;
    return APART_OK;
}

void robot_cell_free(robot_cell *cell)
{
    if (cell == NULL) {
        return;
    }
    for (size_t i = 0; i < cell->body_count; i++) {
        apart_compound_free(cell->bodies[i].compound);
    }
    for (size_t i = 0; i < cell->pair_count; i++) {
        for (int k = 0; k < 2; k++) {
            free(cell->pairs[i].chain[k]);
            free(cell->pairs[i].reach[k]);
        }
        free(cell->pairs[i].caches);
    }
    robot_search_free(cell);
    robot_state_free(&cell->state);
    free(cell->bodies);
    free(cell->pairs);
    free(cell->poses);
    free(cell);
}

void robot_cell_set(robot_cell *cell, const double *q)
{
    robot_state_set(&cell->state, q);
    for (size_t i = 0; i < cell->body_count; i++) {
        const robot_body *body = &cell->bodies[i];
        cell->poses[i] =
            body->link == ROBOT_NONE ? body->local : apart_pose_compose(&cell->state.links[body->link], &body->local);
    }
}

apart_status robot_cell_distance(robot_cell *cell, size_t number, apart_compound_result *out)
{
    robot_pair *pair = &cell->pairs[number];
    return robot_pair_distance(cell, pair, &cell->poses[pair->bodies[0]], &cell->poses[pair->bodies[1]], &cell->options,
                               out);
}

/* The bounding spheres of the bodies are at least this far apart. */
static double ball_gap(const robot_cell *cell, const robot_pair *pair)
{
    const robot_body *a = &cell->bodies[pair->bodies[0]], *b = &cell->bodies[pair->bodies[1]];
    const apart_vec3 from = apart_pose_apply(&cell->poses[pair->bodies[0]], a->center);
    const apart_vec3 to = apart_pose_apply(&cell->poses[pair->bodies[1]], b->center);
    return apart_vec3_distance(to, from) * (1.0 - 1e-12) - a->radius - b->radius;
}

apart_status robot_cell_nearest(robot_cell *cell, size_t *pair, apart_compound_result *out)
{
    apart_compound_result r;
    bool found = false;
    for (size_t k = 0; k < cell->pair_count; k++) {
        const size_t number = robot_search_order(cell, k);
        if (found && ball_gap(cell, &cell->pairs[number]) > out->result.distance) {
            continue;
        }
        const apart_status status = robot_cell_distance(cell, number, &r);
        if (status != APART_OK) {
            return status;
        }
        if (!found || r.result.distance < out->result.distance ||
            (r.result.distance == out->result.distance && number < *pair)) {
            *out = r;
            *pair = number;
            found = true;
        }
    }
    robot_search_to_front(cell, *pair);
    return APART_OK;
}
