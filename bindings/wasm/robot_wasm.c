/* What JavaScript calls of apart/robot.h and apart/robot_io.h: models, cells, distances, motions. Structures are passed
 * as rows of doubles, and numbers of links, joints and bodies as they are; robot.js is the only caller. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <apart/apart.h>
#include <apart/robot.h>
#include <apart/robot_io.h>

#define EXPORT(name) __attribute__((export_name(#name)))

/* The message of the last call that failed. */
static apart_io_error last;

EXPORT(robot_message) const char *robot_message(void) { return last.message; }

static int told(apart_status status)
{
    if (status != APART_OK && last.message[0] == '\0') {
        snprintf(last.message, sizeof last.message, "%s", apart_status_message(status));
    }
    return (int)status;
}

static void begin(void) { last.message[0] = '\0'; }

/* ---- models ---- */

static apart_pose pose_of(const double *rows)
{
    const double turn[9] = {rows[0], rows[1], rows[2], rows[4], rows[5], rows[6], rows[8], rows[9], rows[10]};
    apart_pose pose = apart_pose_identity();
    if (apart_pose_from_matrix_rows(turn, (apart_vec3){rows[3], rows[7], rows[11]}, &pose) != APART_OK) {
        pose.translation.x = NAN; /* what takes it refuses it */
    }
    return pose;
}

static void put_pose(const apart_pose *pose, double *rows)
{
    const apart_mat3 *r = &pose->rotation;
    const apart_vec3 t = pose->translation;
    const double all[12] = {r->x.x, r->y.x, r->z.x, t.x, r->x.y, r->y.y, r->z.y, t.y, r->x.z, r->y.z, r->z.z, t.z};
    memcpy(rows, all, sizeof all);
}

EXPORT(robot_new) apart_robot *robot_new(const char *name)
{
    apart_robot *r = apart_robot_new(name);
    if (r != NULL) {
        (void)apart_robot_set_name(r, name);
    }
    return r;
}

EXPORT(robot_free) void robot_free(apart_robot *r) { apart_robot_free(r); }

EXPORT(robot_begin_group) int robot_begin_group(apart_robot *r) { return (int)apart_robot_begin_group(r); }

EXPORT(robot_add_link) int robot_add_link(apart_robot *r, const char *name)
{
    begin();
    return told(apart_robot_add_link(r, name, 0, &last));
}

/* A hull stays JavaScript's. */
EXPORT(robot_add_part) int robot_add_part(apart_robot *r, size_t link, const apart_shape *shape, const double *rows)
{
    const apart_part part = {*shape, pose_of(rows)};
    begin();
    return told(apart_robot_add_part(r, link, &part, NULL));
}

EXPORT(robot_add_mesh) int robot_add_mesh(apart_robot *r, size_t link, const apart_mesh *mesh, const double *rows, int surface)
{
    const apart_robot_mesh part = {mesh, pose_of(rows), (uint8_t)surface};
    begin();
    return told(apart_robot_add_mesh_part(r, link, &part, NULL));
}

/* numbers: kind, 12 of the origin, 3 of the axis, lower, upper, factor, offset. */
EXPORT(robot_add_joint)
int robot_add_joint(apart_robot *r, const char *name, const char *parent, const char *child, const char *mimics,
                    const double *numbers)
{
    const apart_robot_joint joint = {.kind = (int)numbers[0],
                                     .origin = pose_of(numbers + 1),
                                     .axis = {numbers[13], numbers[14], numbers[15]},
                                     .lower = numbers[16],
                                     .upper = numbers[17],
                                     .factor = numbers[18],
                                     .offset = numbers[19]};
    begin();
    return told(apart_robot_add_joint(r, name, parent, child, mimics, &joint, &last));
}

EXPORT(robot_finish) int robot_finish(apart_robot *r)
{
    begin();
    return told(apart_robot_finish(r, &last));
}

EXPORT(robot_disable) int robot_disable(apart_robot *r, const char *first, const char *second)
{
    return (int)apart_robot_disable_pair(r, first, second);
}

EXPORT(robot_find_variable) size_t robot_find_variable(const apart_robot *r, const char *name)
{
    return apart_robot_find_variable(r, name);
}

EXPORT(robot_find_link) size_t robot_find_link(const apart_robot *r, const char *name)
{
    return apart_robot_find_link(r, name);
}

/* ---- meshes as they are ---- */

EXPORT(mesh_build) int mesh_build(const double *xyz, size_t vertices, const uint32_t *corners, size_t triangles, apart_mesh **out)
{
    const apart_vertices points = {.data = xyz, .count = vertices};
    begin();
    return told(apart_mesh_build(&points, corners, triangles, NULL, out));
}

EXPORT(mesh_release) void mesh_release(apart_mesh *mesh) { apart_mesh_free(mesh); }

/* ---- robots from files, and what is in them ---- */

EXPORT(robot_read) int robot_read(const char *path, int as, apart_robot **out)
{
    const apart_robot_read_options options = {.as = (uint8_t)as};
    begin();
    return told(apart_robot_read(path, &options, out, &last));
}

EXPORT(robot_read_srdf) int robot_read_srdf(const char *path, const char *const *others, apart_robot *r)
{
    begin();
    return told(apart_robot_read_srdf(path, others, r, &last));
}

EXPORT(robot_name) const char *robot_name(const apart_robot *r) { return apart_robot_name(r); }

EXPORT(robot_link_count) size_t robot_link_count(const apart_robot *r) { return apart_robot_link_count(r); }

EXPORT(robot_link_name) const char *robot_link_name(const apart_robot *r, size_t link)
{
    return apart_robot_link_at(r, link)->name;
}

EXPORT(robot_joint_name) const char *robot_joint_name(const apart_robot *r, size_t joint)
{
    return apart_robot_joint_at(r, joint)->name;
}

/* As robot_add_joint, then parent, variable (-1: none). */
EXPORT(robot_joint) void robot_joint(const apart_robot *r, size_t joint, double *numbers)
{
    const apart_robot_joint *j = apart_robot_joint_at(r, joint);
    numbers[0] = j->kind;
    put_pose(&j->origin, numbers + 1);
    numbers[13] = j->axis.x;
    numbers[14] = j->axis.y;
    numbers[15] = j->axis.z;
    numbers[16] = j->lower;
    numbers[17] = j->upper;
    numbers[18] = j->factor;
    numbers[19] = j->offset;
    numbers[20] = (double)j->parent;
    numbers[21] = j->variable == APART_ROBOT_NONE ? -1.0 : (double)j->variable;
}

EXPORT(robot_group) size_t robot_group(const apart_robot *r, size_t link) { return apart_robot_link_at(r, link)->group; }

EXPORT(robot_part_count) size_t robot_part_count(const apart_robot *r, size_t link)
{
    return apart_robot_link_at(r, link)->part_count;
}

EXPORT(robot_part) const apart_shape *robot_part(const apart_robot *r, size_t link, size_t part, double *rows)
{
    const apart_part *p = &apart_robot_link_at(r, link)->parts[part];
    put_pose(&p->pose, rows);
    return &p->shape;
}

EXPORT(robot_mesh_count) size_t robot_mesh_count(const apart_robot *r, size_t link)
{
    return apart_robot_link_at(r, link)->mesh_count;
}

EXPORT(robot_mesh) const apart_mesh *robot_mesh(const apart_robot *r, size_t link, size_t mesh, double *rows, int *surface)
{
    const apart_robot_mesh *m = &apart_robot_link_at(r, link)->meshes[mesh];
    put_pose(&m->pose, rows);
    *surface = m->surface;
    return m->mesh;
}

EXPORT(mesh_counts) void mesh_counts(const apart_mesh *mesh, uint32_t *counts)
{
    const apart_mesh_report *report = apart_mesh_inspect(mesh);
    counts[0] = report->vertices;
    counts[1] = report->triangles;
}

EXPORT(mesh_content) void mesh_content(const apart_mesh *mesh, apart_vec3 *vertices, uint32_t *corners)
{
    const apart_mesh_report *report = apart_mesh_inspect(mesh);
    for (uint32_t i = 0; i < report->vertices; i++) {
        vertices[i] = apart_mesh_vertex(mesh, i);
    }
    for (uint32_t i = 0; i < report->triangles; i++) {
        apart_mesh_triangle(mesh, i, corners + 3 * (size_t)i);
    }
}

EXPORT(robot_state_count) size_t robot_state_count(const apart_robot *r) { return apart_robot_state_count(r); }

/* which: 0 the state, 1 the joint. */
EXPORT(robot_state_text) const char *robot_state_text(const apart_robot *r, size_t value, int which)
{
    const apart_robot_state_value *v = apart_robot_state_at(r, value);
    return which == 0 ? v->state : v->joint;
}

EXPORT(robot_state_position) double robot_state_position(const apart_robot *r, size_t value)
{
    return apart_robot_state_at(r, value)->position;
}

EXPORT(robot_note_count) size_t robot_note_count(const apart_robot *r) { return apart_robot_note_count(r); }

EXPORT(robot_note) const char *robot_note(const apart_robot *r, size_t note) { return apart_robot_note_at(r, note)->text; }

EXPORT(robot_rest) void robot_rest(const apart_robot *r, double *q) { apart_robot_rest(r, q); }

EXPORT(robot_random) void robot_random(const apart_robot *r, uint64_t *seed, double *q) { apart_robot_random(r, seed, q); }

/* Kind and size of a shape: numbers as in apart.js, -1 for a hull. The radius comes first. */
EXPORT(shape_numbers) int shape_numbers(const apart_shape *s, double *out)
{
    const apart_vec3 *p = s->u.point;
    out[0] = s->radius;
    switch (s->kind) {
    case APART_SHAPE_POINT: memcpy(out + 1, p, sizeof *p); return 0;
    case APART_SHAPE_SEGMENT: memcpy(out + 1, p, 2 * sizeof *p); return 1;
    case APART_SHAPE_TRIANGLE: memcpy(out + 1, p, 3 * sizeof *p); return 2;
    case APART_SHAPE_BOX: memcpy(out + 1, &s->u.half_extents, sizeof *p); return 4;
    case APART_SHAPE_CYLINDER:
    case APART_SHAPE_CONE:
        out[1] = s->u.round.radius;
        out[2] = s->u.round.half_height;
        return s->kind == APART_SHAPE_CYLINDER ? 6 : 7;
    case APART_SHAPE_ELLIPSOID: memcpy(out + 1, &s->u.semi_axes, sizeof *p); return 8;
    case APART_SHAPE_HALF_SPACE:
        memcpy(out + 1, &s->u.plane.normal, sizeof *p);
        out[4] = s->u.plane.offset;
        return 9;
    case APART_SHAPE_HULL: return -1;
    default: return -2;
    }
}

EXPORT(shape_hull_of) const apart_hull *shape_hull_of(const apart_shape *s) { return s->u.hull; }

/* ---- cells ---- */

/* Obstacles and margins are collected, then the cell is made of them. */
typedef struct draft {
    apart_robot_obstacle *obstacles;
    apart_part *parts;
    apart_robot_mesh *meshes;
    size_t count, part_count, mesh_count;
    apart_robot_margin *margins;
    size_t margin_count;
} draft;

EXPORT(cell_begin) draft *cell_begin(size_t obstacles, size_t parts, size_t meshes, size_t margins)
{
    draft *d = calloc(1, sizeof *d);
    if (d != NULL) {
        d->obstacles = calloc(obstacles + 1, sizeof *d->obstacles);
        d->parts = calloc(parts + 1, sizeof *d->parts);
        d->meshes = calloc(meshes + 1, sizeof *d->meshes);
        d->margins = calloc(margins + 1, sizeof *d->margins);
    }
    return d;
}

/* The parts and meshes that follow are this one's. */
EXPORT(cell_obstacle) void cell_obstacle(draft *d, const char *name, const double *rows)
{
    d->obstacles[d->count++] = (apart_robot_obstacle){.name = name,
                                                      .parts = d->parts + d->part_count,
                                                      .pose = pose_of(rows),
                                                      .meshes = d->meshes + d->mesh_count};
}

EXPORT(cell_part) void cell_part(draft *d, const apart_shape *shape, const double *rows)
{
    d->parts[d->part_count++] = (apart_part){*shape, pose_of(rows)};
    d->obstacles[d->count - 1].count++;
}

EXPORT(cell_mesh) void cell_mesh(draft *d, const apart_mesh *mesh, const double *rows, int surface)
{
    d->meshes[d->mesh_count++] = (apart_robot_mesh){mesh, pose_of(rows), (uint8_t)surface};
    d->obstacles[d->count - 1].mesh_count++;
}

EXPORT(cell_margin) void cell_margin(draft *d, const char *first, const char *second, double margin)
{
    d->margins[d->margin_count++] = (apart_robot_margin){first, second, margin};
}

EXPORT(cell_make) int cell_make(draft *d, const apart_robot *r, const double *base, apart_robot_cell **out)
{
    const apart_pose at = pose_of(base);
    const apart_robot_cell_options options = {.obstacles = d->obstacles,
                                              .obstacle_count = d->count,
                                              .base = &at,
                                              .margins = d->margins,
                                              .margin_count = d->margin_count};
    begin();
    return told(apart_robot_cell_create(r, &options, out));
}

EXPORT(cell_end) void cell_end(draft *d)
{
    free(d->obstacles);
    free(d->parts);
    free(d->meshes);
    free(d->margins);
    free(d);
}

EXPORT(cell_free) void cell_free(apart_robot_cell *cell) { apart_robot_cell_free(cell); }

EXPORT(cell_body_name) const char *cell_body_name(const apart_robot_cell *cell, size_t body)
{
    return apart_robot_body_at(cell, body)->name;
}

EXPORT(cell_body_count) size_t cell_body_count(const apart_robot_cell *cell) { return apart_robot_body_count(cell); }

EXPORT(cell_pair_count) size_t cell_pair_count(const apart_robot_cell *cell) { return apart_robot_pair_count(cell); }

EXPORT(cell_pair) void cell_pair(const apart_robot_cell *cell, size_t pair, uint32_t *bodies)
{
    const size_t *two = apart_robot_pair_at(cell, pair)->bodies;
    bodies[0] = (uint32_t)two[0];
    bodies[1] = (uint32_t)two[1];
}

EXPORT(cell_pair_margin) double cell_pair_margin(const apart_robot_cell *cell, size_t pair)
{
    return apart_robot_pair_at(cell, pair)->margin;
}

/* ---- where it is, and how near ---- */

EXPORT(work_create) int work_create(const apart_robot_cell *cell, apart_robot_work **out)
{
    begin();
    return told(apart_robot_work_create(cell, out));
}

EXPORT(work_free) void work_free(apart_robot_work *w) { apart_robot_work_free(w); }

EXPORT(work_reset) void work_reset(apart_robot_work *w) { apart_robot_work_reset(w); }

EXPORT(work_set) int work_set(apart_robot_work *w, const double *q) { return (int)apart_robot_set(w, q); }

/* The poses of the bodies, seven numbers each: position and quaternion. */
EXPORT(work_poses) void work_poses(const apart_robot_work *w, double *out)
{
    const size_t count = apart_robot_body_count(apart_robot_work_cell(w));
    for (size_t i = 0; i < count; i++, out += 7) {
        const apart_pose pose = apart_robot_body_pose(w, i);
        const apart_mat3 *m = &pose.rotation;
        const double xx = m->x.x, yy = m->y.y, zz = m->z.z;
        const double wx = m->y.z - m->z.y, wy = m->z.x - m->x.z, wz = m->x.y - m->y.x;
        const double xy = m->x.y + m->y.x, xz = m->x.z + m->z.x, yz = m->y.z + m->z.y;
        const double rows[4][4] = {{1 + xx - yy - zz, xy, xz, wx},
                                   {xy, 1 - xx + yy - zz, yz, wy},
                                   {xz, yz, 1 - xx - yy + zz, wz},
                                   {wx, wy, wz, 1 + xx + yy + zz}};
        int best = 3;
        for (int k = 0; k < 3; k++) {
            best = rows[k][k] > rows[best][best] ? k : best;
        }
        const double *row = rows[best];
        const double size = sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2] + row[3] * row[3]);
        out[0] = pose.translation.x;
        out[1] = pose.translation.y;
        out[2] = pose.translation.z;
        for (int k = 0; k < 4; k++) {
            out[3 + k] = row[k] / size;
        }
    }
}

EXPORT(work_link_pose) void work_link_pose(const apart_robot_work *w, size_t link, double *rows)
{
    const apart_pose pose = apart_robot_link_pose(w, link);
    put_pose(&pose, rows);
}

enum { NEAR_NUMBERS = 14 };

/* pair, distance, lower, upper, a, b, normal, and whether the parts are known. */
static void put_near(const apart_robot_near *near, double *out)
{
    const apart_result *r = &near->at.result;
    out[0] = (double)near->pair;
    out[1] = r->distance;
    out[2] = r->lower;
    out[3] = r->upper;
    memcpy(out + 4, &r->a, sizeof r->a);
    memcpy(out + 7, &r->b, sizeof r->b);
    memcpy(out + 10, &r->normal, sizeof r->normal);
    out[13] = 0.0;
}

/* Memory that JavaScript gives: nears of the last call. */
EXPORT(near_size) size_t near_size(void) { return sizeof(apart_robot_near); }

EXPORT(work_nearest) int work_nearest(apart_robot_work *w, apart_robot_near *near, double *out)
{
    const apart_status status = apart_robot_nearest(w, near);
    if (status == APART_OK) {
        put_near(near, out);
    }
    return (int)status;
}

EXPORT(work_k_nearest) int work_k_nearest(apart_robot_work *w, size_t k, apart_robot_near *nears, double *out, size_t *count)
{
    const apart_status status = apart_robot_k_nearest(w, k, nears, count);
    for (size_t i = 0; status == APART_OK && i < *count; i++) {
        put_near(&nears[i], out + NEAR_NUMBERS * i);
    }
    return (int)status;
}

EXPORT(work_distance) int work_distance(apart_robot_work *w, size_t pair, apart_robot_near *near, double *out)
{
    near->pair = pair;
    const apart_status status = apart_robot_distance(w, pair, &near->at);
    if (status == APART_OK) {
        put_near(near, out);
    }
    return (int)status;
}

EXPORT(work_gradient) int work_gradient(const apart_robot_work *w, const apart_robot_near *near, double *gradient, int *unique)
{
    return (int)apart_robot_gradient(w, near, gradient, unique);
}

/* The Jacobian of a point that a link carries, all in the world: linear, then angular velocities, by variable. */
EXPORT(work_jacobian)
int work_jacobian(const apart_robot_work *w, size_t link, const double *point, double *linear)
{
    const apart_robot *r = apart_robot_cell_robot(apart_robot_work_cell(w));
    const size_t count = apart_robot_link_count(r);
    apart_pose *links = malloc(count * sizeof *links);
    if (links == NULL) {
        return APART_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        links[i] = apart_robot_link_pose(w, i);
    }
    apart_robot_jacobian(r, links, link, (apart_vec3){point[0], point[1], point[2]}, (apart_vec3 *)linear, NULL);
    free(links);
    return APART_OK;
}

/* ---- motions ---- */

/* Rows q0, q1, v0, v1, a0, a1 one after another. */
static apart_robot_segment segment_of(int degree, double duration, const double *rows, size_t n)
{
    return (apart_robot_segment){degree, duration, rows, rows + n, rows + 2 * n, rows + 3 * n, rows + 4 * n, rows + 5 * n};
}

EXPORT(segment_at) void segment_at(const apart_robot *r, int degree, double duration, const double *rows, double s, double *q)
{
    const apart_robot_segment g = segment_of(degree, duration, rows, apart_robot_variable_count(r));
    apart_robot_segment_at(r, &g, s, q);
}

/* lower, upper, s, pair, queries. has_limit: the search ends when it is certain. */
EXPORT(segment_motion)
int segment_motion(apart_robot_work *w, int degree, double duration, const double *rows, double tolerance, int has_limit,
                   double limit, double *out)
{
    const apart_robot *r = apart_robot_cell_robot(apart_robot_work_cell(w));
    const apart_robot_segment g = segment_of(degree, duration, rows, apart_robot_variable_count(r));
    const apart_robot_motion_options options = {.tolerance = tolerance, .has_limit = has_limit, .limit = limit, .most_intervals = 1 << 16};
    apart_robot_gap gap;
    begin();
    const apart_status status = apart_robot_segment_motion(w, &g, &options, &gap);
    if (status == APART_OK) {
        const double all[5] = {gap.lower, gap.upper, gap.s, (double)gap.pair, (double)gap.queries};
        memcpy(out, all, sizeof all);
    }
    return told(status);
}

EXPORT(robot_reach) double robot_reach(const apart_robot *r) { return apart_robot_reach(r); }
