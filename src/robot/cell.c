/* A robot among obstacles: its bodies, and which pairs of them matter. */
#include <math.h>

#include "report.h"

/* More pairs of parts than this go to the trees of parts. */
enum { MOST_PART_PAIRS = 1024, MOST_SPHERE_PAIRS = 16384 };
/* Caches of a work space: at least this many, and so many for each body; fewer if all pairs need fewer. */
enum { LEAST_CACHES = 4096, CACHES_OF_BODY = 16 };

/* The tolerance of motions, as a share of the robot's reach. */
static const double TOLERANCE_SHARE = 1e-4;

/* ---- bodies ---- */

static bool are_spheres(const apart_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const apart_shape *s = &parts[i].shape;
        const apart_vec3 p = s->u.point[0];
        if (s->kind != APART_SHAPE_POINT || p.x != 0.0 || p.y != 0.0 || p.z != 0.0 || s->error != 0.0 || s->dim != 3) {
            return false;
        }
    }
    return true;
}

static apart_status build_compound(ap_robot_body *body)
{
    const apart_status status =
        apart_compound_build(body->public.parts, body->public.part_count, NULL, &body->compound);
    return status == APART_OK ? apart_solid_ball(apart_solid_compound(body->compound), &body->parts_ball.center,
                                                 &body->parts_ball.radius)
                              : status;
}

/* About the middle of the box of all vertices. */
static ap_robot_ball mesh_ball(const apart_mesh *mesh)
{
    const uint32_t count = apart_mesh_inspect(mesh)->vertices;
    apart_vec3 low = apart_mesh_vertex(mesh, 0), high = low;
    ap_robot_ball ball = {.radius = 0.0};
    for (uint32_t i = 1; i < count; i++) {
        const apart_vec3 v = apart_mesh_vertex(mesh, i);
        low = (apart_vec3){fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z)};
        high = (apart_vec3){fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z)};
    }
    ball.center = apart_vec3_add(apart_vec3_scale(0.5, low), apart_vec3_scale(0.5, high));
    for (uint32_t i = 0; i < count; i++) {
        ball.radius = fmax(ball.radius, apart_vec3_norm(apart_vec3_sub(apart_mesh_vertex(mesh, i), ball.center)));
    }
    ball.radius *= 1.0 + 1e-12;
    return ball;
}

/* A ball about the balls of all pieces. Its centre is that of the first, which does for a few meshes. */
static apart_status enclose_pieces(ap_robot_body *body)
{
    const apart_robot_body *public = &body->public;
    const apart_pose here = apart_pose_identity();
    double radius = -1.0;
    body->balls = calloc(public->mesh_count, sizeof *body->balls);
    apart_status status = body->balls != NULL ? APART_OK : APART_ERR_MEMORY;
    for (size_t i = 0; i < public->mesh_count && status == APART_OK; i++) {
        body->balls[i] = mesh_ball(public->meshes[i].mesh);
    }
    for (size_t i = 0; i < ap_robot_piece_count(body) && status == APART_OK; i++) {
        ap_robot_parts piece;
        ap_robot_ball ball;
        ap_robot_take_piece(body, &here, i, 0, &piece);
        if (piece.shapes[0] != NULL) {
            status = apart_shape_ball(piece.shapes[0], &ball.center, &ball.radius);
        } else {
            ball = *piece.balls[0];
        }
        const apart_vec3 at = apart_pose_apply(&piece.poses[0], ball.center);
        body->center = radius < 0.0 ? at : body->center;
        radius = fmax(radius, (apart_vec3_norm(apart_vec3_sub(at, body->center)) + ball.radius) * (1.0 + 1e-12));
    }
    body->radius = radius;
    return status;
}

static apart_status check_meshes(const apart_robot_body *public)
{
    for (size_t i = 0; i < public->mesh_count; i++) {
        const apart_robot_mesh *m = &public->meshes[i];
        const apart_status status = m->mesh != NULL ? apart_pose_check(&m->pose) : APART_ERR_NULL;
        if (status != APART_OK) {
            return status;
        }
        if (!m->surface && !apart_mesh_inspect(m->mesh)->watertight) {
            return APART_ERR_NOT_WATERTIGHT;
        }
    }
    return APART_OK;
}

static apart_status make_body(const apart_robot_body *public, const apart_pose *pose, ap_robot_body *out)
{
    *out = (ap_robot_body){.public = *public, .local = *pose, .link_local = *pose};
    out->spheres = public->mesh_count == 0 && are_spheres(public->parts, public->part_count);
    out->placed = ap_robot_piece_count(out) > 1 || public->mesh_count > 0;
    apart_status checked = check_meshes(public);
    if (checked == APART_OK && public->part_count > 1) {
        checked = build_compound(out);
    }
    if (checked != APART_OK || public->mesh_count > 0) {
        return checked == APART_OK ? enclose_pieces(out) : checked;
    }
    if (public->part_count == 1) {
        out->shape = public->parts[0].shape;
        out->local = apart_pose_compose(pose, &public->parts[0].pose);
    }
    const apart_status status = apart_solid_ball(ap_robot_solid(out), &out->center, &out->radius);
    if (status == APART_ERR_HALF_SPACE && public->link == APART_ROBOT_NONE) {
        out->radius = INFINITY;
        return APART_OK;
    }
    return status;
}

/* Lengths along the chain of a link, for rounding. */
static void measure_chain(const apart_robot_cell *cell, ap_robot_body *body)
{
    const apart_robot *r = cell->robot;
    body->chain = apart_vec3_norm(cell->base.translation) + apart_vec3_norm(body->local.translation) +
                  apart_vec3_norm(body->center) + body->radius;
    for (size_t link = body->public.link; link > 0; link = r->joints[link - 1].parent) {
        body->chain += apart_vec3_norm(r->joints[link - 1].origin.translation);
        body->steps++;
    }
}

static apart_status add_link_bodies(apart_robot_cell *cell)
{
    const apart_robot *r = cell->robot;
    for (size_t i = 0; i < r->link_count; i++) {
        const apart_robot_body public = {r->links[i].name,   i,
                                         r->links[i].parts,  r->links[i].part_count,
                                         r->links[i].meshes, r->links[i].mesh_count};
        if (public.part_count + public.mesh_count == 0) {
            continue;
        }
        ap_robot_body *body = &cell->bodies[cell->body_count++];
        const apart_status status = make_body(&public, &r->local[i], body);
        if (status != APART_OK) {
            return status;
        }
        body->frame = r->frame_of[i];
        cell->has_parts[body->frame] = 1;
        body->moves_with_base = true;
        measure_chain(cell, body);
    }
    return APART_OK;
}

static apart_status add_obstacles(apart_robot_cell *cell, const apart_robot_obstacle *obstacles, size_t count)
{
    size_t parts = 0, meshes = 0;
    for (size_t i = 0; i < count; i++) {
        const apart_robot_obstacle *o = &obstacles[i];
        ap_robot_body *body = &cell->bodies[cell->body_count++];
        if (o->count + o->mesh_count == 0) {
            return APART_ERR_EMPTY;
        }
        if (o->count > 0) {
            memcpy(cell->parts + parts, o->parts, o->count * sizeof *o->parts);
        }
        if (o->mesh_count > 0) {
            memcpy(cell->meshes + meshes, o->meshes, o->mesh_count * sizeof *o->meshes);
        }
        const apart_robot_body public = {ap_robot_copy(o->name), APART_ROBOT_NONE, cell->parts + parts, o->count,
                                         cell->meshes + meshes,  o->mesh_count};
        parts += o->count;
        meshes += o->mesh_count;
        body->public = public;
        const apart_status status = public.name != NULL ? make_body(&public, &o->pose, body) : APART_ERR_MEMORY;
        if (status != APART_OK) {
            return status;
        }
    }
    return APART_OK;
}

static apart_status make_bodies(apart_robot_cell *cell, const apart_robot_cell_options *options)
{
    size_t parts = 0, meshes = 0;
    for (size_t i = 0; i < options->obstacle_count; i++) {
        parts += options->obstacles[i].count;
        meshes += options->obstacles[i].mesh_count;
    }
    cell->bodies = calloc(cell->robot->link_count + options->obstacle_count, sizeof *cell->bodies);
    cell->parts = calloc(parts + 1, sizeof *cell->parts);
    cell->meshes = calloc(meshes + 1, sizeof *cell->meshes);
    cell->has_parts = calloc(cell->robot->frame_count, 1);
    if (cell->bodies == NULL || cell->parts == NULL || cell->meshes == NULL || cell->has_parts == NULL) {
        return APART_ERR_MEMORY;
    }
    apart_status status = add_link_bodies(cell);
    if (status == APART_OK) {
        status = add_obstacles(cell, options->obstacles, options->obstacle_count);
    }
    for (size_t i = 0; i < cell->body_count; i++) {
        cell->bodies[i].row = cell->row_count;
        cell->bodies[i].part_row = cell->part_count;
        cell->row_count += cell->robot->frames[cell->bodies[i].frame].depth;
        cell->part_count += cell->bodies[i].spheres ? cell->bodies[i].public.part_count : 0;
    }
    return status;
}

/* How far the points of a body are at most from the axes of the frames above it, in any position: from the body up,
 * the distance from the origin of the frame that carries the joints met so far. */
static apart_status measure_reach(apart_robot_cell *cell)
{
    const ap_robot_frame *frames = cell->robot->frames;
    cell->reach = calloc(cell->row_count + 1, sizeof *cell->reach);
    if (cell->reach == NULL) {
        return APART_ERR_MEMORY;
    }
    for (size_t i = 0; i < cell->body_count; i++) {
        const ap_robot_body *body = &cell->bodies[i];
        size_t row = body->row;
        double far = apart_vec3_norm(apart_pose_apply(&body->local, body->center)) + body->radius;
        for (size_t f = body->frame; f != 0; f = frames[f].parent) {
            cell->reach[row++] = far * (1.0 + 1e-12);
            far += apart_vec3_norm(frames[f].origin.translation) + (frames[f].slides ? INFINITY : 0.0);
        }
    }
    return APART_OK;
}

/* ---- pairs ---- */

static size_t find_body(const apart_robot_cell *cell, const char *name)
{
    for (size_t i = 0; i < cell->body_count; i++) {
        if (strcmp(cell->bodies[i].public.name, name) == 0) {
            return i;
        }
    }
    return APART_ROBOT_NONE;
}

static void mark(const apart_robot_cell *cell, unsigned char *disabled, const char *first, const char *second,
                 unsigned char value)
{
    const size_t n = cell->body_count, a = find_body(cell, first),
                 b = second != NULL ? find_body(cell, second) : APART_ROBOT_NONE;
    for (size_t i = 0; i < n && a < n; i++) {
        if (second == NULL || i == b) {
            disabled[a * n + i] = disabled[i * n + a] = value;
        }
    }
}

/* A byte for each two bodies. */
static unsigned char *find_disabled(const apart_robot_cell *cell)
{
    const apart_robot *r = cell->robot;
    unsigned char *disabled = calloc(cell->body_count * cell->body_count + 1, 1);
    for (size_t i = 0; disabled != NULL && i < r->disabled_count; i++) {
        if (r->disabled[i][1] == NULL) {
            mark(cell, disabled, r->disabled[i][0], NULL, 1);
        }
    }
    for (size_t i = 0; disabled != NULL && i < r->enabled_count; i++) {
        mark(cell, disabled, r->enabled[i][0], r->enabled[i][1], 0);
    }
    for (size_t i = 0; disabled != NULL && i < r->disabled_count; i++) {
        if (r->disabled[i][1] != NULL) {
            mark(cell, disabled, r->disabled[i][0], r->disabled[i][1], 1);
        }
    }
    return disabled;
}

static size_t common_frame(const ap_robot_frame *frames, size_t a, size_t b)
{
    while (a != b) {
        if (frames[a].depth >= frames[b].depth) {
            a = frames[a].parent;
        } else {
            b = frames[b].parent;
        }
    }
    return a;
}

/* Does a frame with parts lie strictly between the two? */
static bool has_parts_between(const apart_robot_cell *cell, size_t a, size_t b, size_t top)
{
    const ap_robot_frame *frames = cell->robot->frames;
    const size_t ends[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        for (size_t f = ends[i]; f != top; f = frames[f].parent) {
            if (f != ends[i] && cell->has_parts[f]) {
                return true;
            }
        }
    }
    return top != a && top != b && cell->has_parts[top];
}

static bool is_wanted(const apart_robot_cell *cell, const ap_robot_body *a, const ap_robot_body *b, size_t *top)
{
    const ap_robot_frame *frames = cell->robot->frames;
    if (!a->moves_with_base || a->frame == b->frame) {
        return false;
    }
    *top = common_frame(frames, a->frame, b->frame);
    const apart_robot_link *links = cell->robot->links;
    return !b->moves_with_base || links[a->public.link].group != links[b->public.link].group ||
           has_parts_between(cell, a->frame, b->frame, *top);
}

/* Caches of a pair: one for each pair of parts, none for spheres, one for trees. */
static void choose_caches(apart_robot_cell *cell, ap_robot_pair *pair)
{
    const ap_robot_body *a = &cell->bodies[pair->public.bodies[0]], *b = &cell->bodies[pair->public.bodies[1]];
    const size_t n = ap_robot_piece_count(a), m = ap_robot_piece_count(b), parts_a = a->public.part_count,
                 parts_b = b->public.part_count;
    const bool meshes = a->public.mesh_count + b->public.mesh_count > 0;
    pair->way = meshes || (parts_a <= MOST_PART_PAIRS && parts_b <= MOST_PART_PAIRS / parts_a) ? AP_ROBOT_PIECES
                                                                                               : AP_ROBOT_TREES;
    if (a->spheres && b->spheres && parts_a <= MOST_SPHERE_PAIRS && parts_b <= MOST_SPHERE_PAIRS / parts_a) {
        pair->way = AP_ROBOT_SPHERES;
    }
    pair->cache = cell->cache_count;
    cell->cache_count += pair->way == AP_ROBOT_SPHERES ? 0 : (pair->way == AP_ROBOT_PIECES ? n * m : 1);
}

static apart_status add_pair(apart_robot_cell *cell, size_t a, size_t b, size_t top)
{
    ap_robot_pair *larger = ap_robot_grow(cell->pairs, cell->pair_count, sizeof *larger);
    if (larger == NULL) {
        return APART_ERR_MEMORY;
    }
    cell->pairs = larger;
    cell->pairs[cell->pair_count] = (ap_robot_pair){.public = {.bodies = {a, b}}, .top = (uint32_t)top};
    choose_caches(cell, &cell->pairs[cell->pair_count++]);
    return cell->pair_count < UINT32_MAX ? APART_OK : APART_ERR_SIZE;
}

static apart_status make_pairs(apart_robot_cell *cell)
{
    const size_t n = cell->body_count;
    unsigned char *disabled = find_disabled(cell);
    apart_status status = disabled != NULL ? APART_OK : APART_ERR_MEMORY;
    for (size_t a = 0; a < n && status == APART_OK; a++) {
        for (size_t b = a + 1; b < n && status == APART_OK; b++) {
            size_t top;
            if (!disabled[a * n + b] && is_wanted(cell, &cell->bodies[a], &cell->bodies[b], &top)) {
                status = add_pair(cell, a, b, top);
            }
        }
    }
    free(disabled);
    const size_t wanted = LEAST_CACHES + CACHES_OF_BODY * n;
    cell->table_size = 1;
    while (cell->table_size < cell->cache_count && cell->table_size < wanted) {
        cell->table_size *= 2;
    }
    return status == APART_OK && cell->pair_count == 0 ? APART_ERR_EMPTY : status;
}

static apart_status set_margins(apart_robot_cell *cell, const apart_robot_cell_options *options)
{
    for (size_t i = 0; i < options->margin_count; i++) {
        const apart_robot_margin *m = &options->margins[i];
        const size_t a = find_body(cell, m->first),
                     b = m->second != NULL ? find_body(cell, m->second) : APART_ROBOT_NONE;
        if (a == APART_ROBOT_NONE || (m->second != NULL && b == APART_ROBOT_NONE)) {
            return APART_ERR_ID;
        }
        if (!isfinite(m->margin)) {
            return APART_ERR_NONFINITE;
        }
        for (size_t p = 0; p < cell->pair_count; p++) {
            const size_t *bodies = cell->pairs[p].public.bodies;
            if ((bodies[0] == a && (m->second == NULL || bodies[1] == b)) ||
                (bodies[1] == a && (m->second == NULL || bodies[0] == b))) {
                cell->pairs[p].public.margin = m->margin;
            }
        }
    }
    return APART_OK;
}

/* ---- the interface ---- */

static apart_status fill(apart_robot_cell *cell, const apart_robot_cell_options *options)
{
    apart_status status = options->base != NULL ? apart_pose_check(options->base) : APART_OK;
    cell->base = options->base != NULL ? *options->base : apart_pose_identity();
    if (status == APART_OK) {
        status = make_bodies(cell, options);
    }
    if (status == APART_OK) {
        status = measure_reach(cell);
    }
    if (status == APART_OK) {
        status = make_pairs(cell);
    }
    return status == APART_OK ? set_margins(cell, options) : status;
}

apart_status apart_robot_cell_create(const apart_robot *robot, const apart_robot_cell_options *options,
                                     apart_robot_cell **out)
{
    static const apart_robot_cell_options none = {.obstacles = NULL};
    if (robot == NULL || out == NULL || robot->frames == NULL) { /* or not finished */
        return APART_ERR_NULL;
    }
    *out = NULL;
    apart_robot_cell *cell = calloc(1, sizeof *cell);
    if (cell == NULL) {
        return APART_ERR_MEMORY;
    }
    cell->robot = robot;
    cell->tolerance = TOLERANCE_SHARE * apart_robot_reach(robot);
    const apart_status status = fill(cell, options != NULL ? options : &none);
    if (status != APART_OK) {
        apart_robot_cell_free(cell);
        return status;
    }
    *out = cell;
    return APART_OK;
}

void apart_robot_cell_free(apart_robot_cell *cell)
{
    if (cell == NULL) {
        return;
    }
    for (size_t i = 0; i < cell->body_count; i++) {
        apart_compound_free(cell->bodies[i].compound);
        free(cell->bodies[i].balls);
        if (cell->bodies[i].public.link == APART_ROBOT_NONE) {
            free((char *)cell->bodies[i].public.name);
        }
    }
    free(cell->bodies);
    free(cell->pairs);
    free(cell->parts);
    free(cell->meshes);
    free(cell->has_parts);
    free(cell->reach);
    free(cell);
}

const apart_robot *apart_robot_cell_robot(const apart_robot_cell *cell) { return cell->robot; }
size_t apart_robot_body_count(const apart_robot_cell *cell) { return cell->body_count; }
size_t apart_robot_pair_count(const apart_robot_cell *cell) { return cell->pair_count; }

const apart_robot_body *apart_robot_body_at(const apart_robot_cell *cell, size_t body)
{
    return &cell->bodies[body].public;
}

const apart_robot_pair *apart_robot_pair_at(const apart_robot_cell *cell, size_t pair)
{
    return &cell->pairs[pair].public;
}
