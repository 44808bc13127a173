/* Where a ray enters a hull: small ones by clipping against the planes of all faces (Cyrus and Beck 1978; Haines 1991),
 * larger ones by a climb from face to face.
 *
 * The climb is the simplex method on the dual problem: the ray enters the hull where it meets the last of the planes
 * that face it. If that point of a face's plane is outside the face, the face beyond one of its sides is met later, or
 * turns away from the ray, which then passes by. It begins near the point where the ray meets a sphere, at a vertex
 * from the direction table, so the number of steps hardly depends on the number of faces.
 *
 * We differ from the sources in the certificate. The planes are supporting planes of all vertices, whatever face they
 * came from, so the plane that was met last proves that the ray is outside before. A hit is only believed if the point
 * is certainly inside the polygon of the face, whose corners belong to the body; a miss if one plane is left before
 * another is entered. Everything else is left to the general search. */
#include "../hull/search.h"
#include "ray_frame.h"

/* Hulls of up to this many faces are clipped, four planes at a time. */
#define CLIP_LIMIT 48u
/* The sphere that the climb expects the surface at, relative to the hull's bound. */
#define SPHERE_SHARE 0.9
/* A vertex with more faces than this is not walked around. */
#define AROUND_LIMIT 64u

/* ---- a face: its plane, and its corners ---- */

AP_INLINE apart_vec3 normal_of(const apart_hull *h, uint32_t face, double *offset)
{
    const ap_face_planes *p = ap_hull_planes(h) + face / AP_LANES;
    const uint32_t i = face % AP_LANES;
    *offset = p->offset[i];
    return ap_vec(p->x[i], p->y[i], p->z[i]);
}

AP_INLINE ap_ray_plane see_face(const ap_ray_frame *r, const apart_hull *h, uint32_t face)
{
    double offset;
    const apart_vec3 n = normal_of(h, face, &offset);
    return ap_ray_see(r, n, offset);
}

AP_INLINE uint32_t corners_of(const apart_hull *h, uint32_t face, const uint32_t **vertex)
{
    const uint32_t *start = ap_at(h, h->face_start);
    *vertex = (const uint32_t *)ap_at(h, h->face_vertices) + start[face];
    return start[face + 1] - start[face];
}

/* ---- the answer at a face ---- */

static void set_hull_face(const apart_hull *h, uint32_t face, ap_ray_entry *entry)
{
    const ap_hull_corner *corner = ap_hull_corners(h);
    const uint32_t *vertex;
    double unused;
    (void)corners_of(h, face, &vertex);
    entry->normal = normal_of(h, face, &unused);
    apart_feature *f = entry->feature;
    *f = (apart_feature){.kind = APART_FEATURE_FACE, .count = 3, .number = face};
    f->index[3] = APART_NO_INDEX;
    for (int i = 0; i < 3; i++) {
        f->index[i] = (uint32_t)corner[vertex[i]].input;
    }
}

/* Is p, which lies in the plane of a face to rounding, certainly over the polygon of its corners, and are these in the
 * plane? */
static bool face_holds(const ap_ray_frame *r, const apart_hull *h, uint32_t face, ap_lanes p, double on)
{
    const ap_hull_corner *corner = ap_hull_corners(h);
    const uint32_t *vertex, count = corners_of(h, face, &vertex);
    double unused;
    const ap_lanes n = ap_lanes_from(normal_of(h, face, &unused));
    const double lowest = ap_lanes_dot(n, p) - 2.0 * on, margin = 4.0 * r->size * on;
    ap_lanes from = ap_lanes_load(&corner[vertex[count - 1]]);
    for (uint32_t i = 0; i < count; i++) {
        const ap_lanes to = ap_lanes_load(&corner[vertex[i]]);
        const double inside = ap_lanes_dot(n, ap_lanes_cross(ap_lanes_sub(to, from), ap_lanes_sub(p, from)));
        if (!(inside >= margin) || !(ap_lanes_dot(n, to) >= lowest)) {
            return false;
        }
        from = to;
    }
    return true;
}

static ap_ray_verdict enter_face(const ap_ray_frame *r, const apart_hull *h, uint32_t face, ap_ray_entry *entry)
{
    const ap_ray_plane plane = see_face(r, h, face);
    const double t = plane.above / -plane.rate;
    entry->lower = ap_ray_earliest(r, plane);
    entry->at = t;
    if (!(entry->lower > 0.0 && t < INFINITY) || !face_holds(r, h, face, ap_ray_point(r, t), ap_ray_on(r, t))) {
        return AP_RAY_OPEN;
    }
    set_hull_face(h, face, entry);
    return AP_RAY_ENTERS;
}

/* ---- hulls of few faces ---- */

/* The face that is certainly entered last, and when. */
static uint32_t last_entry(const ap_ray_frame *r, const apart_hull *h, double *earliest)
{
    const ap_face_planes *planes = ap_hull_planes(h);
    const uint32_t groups = ap_hull_plane_groups(h);
    const ap_lanes3 o = ap_lanes3_spread(r->origin), d = ap_lanes3_spread(r->direction);
    const ap_lanes zero = ap_lanes_all(0.0), error = ap_lanes_all(r->error), rate_error = ap_lanes_all(r->rate_error);
    ap_lanes now = ap_lanes_of(0.0, 1.0, 2.0, 3.0), index = now, first = ap_lanes_all(-INFINITY);
    for (uint32_t i = 0; i < groups; i++) {
        const ap_face_planes *p = &planes[i];
        const ap_lanes above = ap_lanes_sub(ap_lanes_dots(p->x, p->y, p->z, &o), ap_lanes_load(p->offset)),
                       rate = ap_lanes_dots(p->x, p->y, p->z, &d);
        const ap_lanes approach = ap_lanes_max(ap_lanes_sub(zero, rate), zero);
        const ap_lanes enters = ap_lanes_div(ap_lanes_sub(above, error), ap_lanes_add(approach, rate_error));
        const ap_mask later = ap_lanes_greater(enters, first);
        first = ap_lanes_select(first, enters, later);
        index = ap_lanes_select(index, now, later);
        now = ap_lanes_add(now, ap_lanes_all(4.0));
    }
    const ap_lanes best = ap_lanes_largest(first);
    const ap_lanes candidates = ap_lanes_select(ap_lanes_all(AP_NO_LANE_INDEX), index, ap_lanes_equal(first, best));
    const double face = ap_lanes_at(ap_lanes_smallest(candidates), 0);
    *earliest = ap_lanes_at(best, 0);
    return face < h->face_count ? (uint32_t)face : 0;
}

/* Is the ray certainly above a plane from parameter t on? */
static bool is_outside_from(const ap_ray_frame *r, const apart_hull *h, double t)
{
    const ap_face_planes *planes = ap_hull_planes(h);
    const uint32_t groups = ap_hull_plane_groups(h);
    const ap_lanes3 o = ap_lanes3_spread(r->origin), d = ap_lanes3_spread(r->direction);
    const ap_lanes time = ap_lanes_all(t), error = ap_lanes_all(2.0 * r->error),
                   rate_error = ap_lanes_all(r->rate_error);
    for (uint32_t i = 0; i < groups; i++) {
        const ap_face_planes *p = &planes[i];
        const ap_lanes above = ap_lanes_sub(ap_lanes_dots(p->x, p->y, p->z, &o), ap_lanes_load(p->offset)),
                       rate = ap_lanes_sub(ap_lanes_dots(p->x, p->y, p->z, &d), rate_error);
        const ap_lanes later = ap_lanes_add(above, ap_lanes_mul(time, rate));
        if (ap_mask_bits(ap_mask_and(ap_lanes_greater(rate, ap_lanes_all(0.0)), ap_lanes_greater(later, error))) != 0) {
            return true;
        }
    }
    return false;
}

/* An origin that is certainly behind all planes: the nearest is the way out. */
static ap_ray_verdict leave_hull(const ap_ray_frame *r, const apart_hull *h, ap_ray_entry *entry)
{
    uint32_t nearest = 0;
    double least = see_face(r, h, 0).above;
    for (uint32_t f = 1; f < h->face_count; f++) {
        const double above = see_face(r, h, f).above;
        nearest = above > least ? f : nearest;
        least = ap_max(least, above);
    }
    if (!(least < -2.0 * r->error)) {
        return AP_RAY_OPEN;
    }
    entry->lower = entry->at = 0.0;
    set_hull_face(h, nearest, entry);
    return AP_RAY_STARTS_INSIDE;
}

static ap_ray_verdict clip_hull(const ap_ray_frame *r, const apart_hull *h, ap_ray_entry *entry)
{
    double earliest;
    const uint32_t face = last_entry(r, h, &earliest);
    if (!(earliest > 0.0)) {
        return leave_hull(r, h, entry);
    }
    if (earliest > r->end || is_outside_from(r, h, earliest)) {
        return AP_RAY_MISSES;
    }
    return enter_face(r, h, face, entry);
}

/* ---- larger hulls ---- */

/* The parameter at which the ray enters a plane that faces it. */
static double entry_time(ap_ray_plane p) { return p.above / -p.rate; }

static bool faces_ray(const ap_ray_frame *r, ap_ray_plane p) { return p.rate < -r->rate_error; }

/* Does the line of the ray pass the ball around the hull, or begin behind it? */
static bool passes_ball(const ap_ray_frame *r, double closest)
{
    const double t = ap_max(closest, 0.0);
    const double error = r->error + t * r->rate_error;
    return ap_norm(ap_ray_at(r, t)) > r->size + 2.0 * error;
}

/* A vertex near the point where the ray enters. */
static uint32_t vertex_ahead(const ap_ray_frame *r, const apart_hull *h, double closest)
{
    const apart_vec3 middle = ap_ray_at(r, closest);
    const double radius = SPHERE_SHARE * h->bound;
    const double rest = radius * radius - ap_dot(middle, middle);
    const double back = rest > 0.0 ? sqrt(rest) / r->speed : 0.0;
    const apart_vec3 toward = ap_sub(middle, ap_scale(back, ap_lanes_vec(r->direction)));
    return h->table_resolution != 0 ? ap_hull_guess(h, toward) : ap_hull_scan(h, toward, NULL);
}

/* The place of a vertex among a face's corners. */
static uint32_t corner_of(const apart_hull *h, uint32_t face, uint32_t v)
{
    const uint32_t *vertex, count = corners_of(h, face, &vertex);
    uint32_t i = 0;
    while (i + 1 < count && vertex[i] != v) {
        i++;
    }
    return i;
}

static const uint32_t *faces_across(const apart_hull *h, uint32_t face)
{
    const uint32_t *start = ap_at(h, h->face_start);
    return (const uint32_t *)ap_at(h, h->face_across) + start[face];
}

/* The face around a vertex that the ray enters last, of those that face it. */
static uint32_t face_at_vertex(const ap_ray_frame *r, const apart_hull *h, uint32_t v)
{
    const uint32_t *vertex_face = ap_at(h, h->vertex_face);
    const uint32_t first = vertex_face[v];
    uint32_t best = APART_NO_INDEX, face = first;
    double latest = -INFINITY;
    for (uint32_t i = 0; i < AROUND_LIMIT; i++) {
        const ap_ray_plane p = see_face(r, h, face);
        if (faces_ray(r, p) && entry_time(p) > latest) {
            latest = entry_time(p);
            best = face;
        }
        face = faces_across(h, face)[corner_of(h, face, v)];
        if (face == first) {
            break;
        }
    }
    return best;
}

static uint32_t first_face(const ap_ray_frame *r, const apart_hull *h, double closest)
{
    const uint32_t v = vertex_ahead(r, h, closest);
    const uint32_t face = face_at_vertex(r, h, v);
    if (face != APART_NO_INDEX) {
        return face;
    }
    /* Around the vertex farthest against the ray, one face at least faces it. */
    return face_at_vertex(r, h, ap_hull_support(h, APART_SUPPORT_AUTO, v, ap_neg(ap_lanes_vec(r->direction)), NULL));
}

/* What lies beyond the sides of a face: the face entered last, and the earliest exit. */
typedef struct face_ring {
    uint32_t next;
    double latest_entry, earliest_exit;
} face_ring;

static face_ring look_around(const ap_ray_frame *r, const apart_hull *h, uint32_t face)
{
    const uint32_t *start = ap_at(h, h->face_start), *across = faces_across(h, face);
    const uint32_t count = start[face + 1] - start[face];
    face_ring ring = {face, -INFINITY, r->end};
    for (uint32_t i = 0; i < count; i++) {
        const ap_ray_plane p = see_face(r, h, across[i]);
        if (faces_ray(r, p) && entry_time(p) > ring.latest_entry) {
            ring.next = across[i];
            ring.latest_entry = entry_time(p);
        }
        ring.earliest_exit = ap_min(ring.earliest_exit, ap_ray_latest(r, p));
    }
    return ring;
}

/* Climbs to the face that is entered last, or to the proof that the ray passes by. */
static ap_ray_verdict climb_faces(const ap_ray_frame *r, const apart_hull *h, uint32_t face, ap_ray_entry *entry)
{
    double now = entry_time(see_face(r, h, face));
    for (uint32_t step = 0; step < h->face_count; step++) {
        const face_ring ring = look_around(r, h, face);
        const double sure = ap_max(ap_ray_earliest(r, see_face(r, h, face)), 0.0);
        if (sure > ring.earliest_exit) {
            return AP_RAY_MISSES;
        }
        if (!(ring.latest_entry > now)) {
            return enter_face(r, h, face, entry);
        }
        face = ring.next;
        now = ring.latest_entry;
    }
    return AP_RAY_OPEN;
}

static ap_ray_verdict climb_hull(const ap_ray_frame *r, const apart_hull *h, ap_ray_entry *entry)
{
    const double closest = -ap_lanes_dot(r->origin, r->direction) / (r->speed * r->speed);
    if (passes_ball(r, closest)) {
        return AP_RAY_MISSES;
    }
    const uint32_t face = first_face(r, h, closest);
    return face != APART_NO_INDEX ? climb_faces(r, h, face, entry) : AP_RAY_OPEN;
}

ap_ray_verdict ap_ray_enter_hull(const ap_ray_frame *ray, const apart_hull *hull, ap_ray_entry *entry)
{
    const bool scanned = hull->vertex_count <= AP_SCAN_LIMIT;
    if (hull->dimension < 3 || (isinf(hull->climb_loss) && !scanned)) {
        return AP_RAY_OPEN;
    }
    ap_ray_frame r = *ray;
    r.error += (2.0 + (scanned ? 0.0 : hull->climb_loss)) * DBL_EPSILON * hull->bound;
    return hull->face_count <= CLIP_LIMIT ? clip_hull(&r, hull, entry) : climb_hull(&r, hull, entry);
}
