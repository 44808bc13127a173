/* A body's feature in the frame of a contact: the corners that extreme_feature.c found, projected, without
 * duplicates, counter-clockwise. */
#include <apart/hull.h>

#include "extreme_feature.h"

/* Corners nearer than this in units of the pair's size are one: flat and thin bodies have such corners. */
#define SAME_CORNER 1e-12

/* Maps points of a shape's frame to the frame of the contact. */
typedef struct projection {
    const apart_pose *pose;
    const ap_contact_frame *frame;
    apart_vec3 x, y, height; /* the frame's axes in the shape's, times the scale */
    ap_frame_point origin;   /* of the shape */
} projection;

static projection make_projection(const apart_pose *pose, const ap_contact_frame *frame)
{
    const double s = frame->scale;
    const apart_vec3 shift = ap_scale(s, ap_sub(pose->translation, frame->origin));
    const apart_mat3 *m = &pose->rotation;
    return (projection){pose,
                        frame,
                        ap_scale(s, ap_apply_transposed(m, frame->x)),
                        ap_scale(s, ap_apply_transposed(m, frame->y)),
                        ap_scale(s, ap_apply_transposed(m, frame->normal)),
                        {ap_dot(shift, frame->x), ap_dot(shift, frame->y), ap_dot(shift, frame->normal)}};
}

static ap_frame_point project_point(const projection *p, apart_vec3 local)
{
    return (ap_frame_point){p->origin.x + ap_dot(p->x, local), p->origin.y + ap_dot(p->y, local),
                            p->origin.height + ap_dot(p->height, local)};
}

static bool is_same_corner(const ap_frame_point *p, const ap_frame_point *q)
{
    return fabs(p->x - q->x) <= SAME_CORNER && fabs(p->y - q->y) <= SAME_CORNER &&
           fabs(p->height - q->height) <= SAME_CORNER;
}

static void project_corners(const projection *p, const ap_extreme_feature *c, ap_contact_feature *f)
{
    f->count = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const ap_frame_point at = project_point(p, c->point[i]);
        const bool first = f->count == 0, last = i + 1 == c->count;
        if (!first && (is_same_corner(&at, &f->at[f->count - 1]) || (last && is_same_corner(&at, &f->at[0])))) {
            continue;
        }
        f->at[f->count] = at;
        f->name[f->count++] = c->name[i];
    }
    f->whole = f->count == 1 && !c->unbounded ? f->name[0] : c->whole;
}

static void reverse_corners(ap_contact_feature *f)
{
    for (uint32_t i = 0, k = f->count - 1; i < k; i++, k--) {
        const ap_frame_point at = f->at[i];
        const ap_feature_name name = f->name[i];
        f->at[i] = f->at[k];
        f->name[i] = f->name[k];
        f->at[k] = at;
        f->name[k] = name;
    }
}

/* Twice the area seen along the normal; negative when the corners run clockwise. */
static double doubled_area(const ap_contact_feature *f)
{
    double area = 0.0;
    for (uint32_t i = 2; i < f->count; i++) {
        const double ux = f->at[i - 1].x - f->at[0].x, uy = f->at[i - 1].y - f->at[0].y;
        const double vx = f->at[i].x - f->at[0].x, vy = f->at[i].y - f->at[0].y;
        area += ux * vy - uy * vx;
    }
    return area;
}

/* Finds the slopes of the plane through at[0]. They exist for a half-space, since the contact normal is the plane's
 * own. */
static void find_plane(const projection *p, apart_vec3 face_normal, ap_contact_feature *f)
{
    const apart_vec3 m = ap_apply(&p->pose->rotation, face_normal);
    const double along = ap_dot(m, p->frame->normal);
    f->base = f->at[0];
    f->slope_x = along != 0.0 ? -ap_dot(m, p->frame->x) / along : 0.0;
    f->slope_y = along != 0.0 ? -ap_dot(m, p->frame->y) / along : 0.0;
}

void ap_feature_find(const apart_shape *shape, const apart_pose *pose, apart_vec3 out, apart_vec3 witness,
                     const ap_contact_frame *frame, ap_contact_feature *feature)
{
    const projection p = make_projection(pose, frame);
    ap_extreme_feature c;
    ap_extreme_feature_find(shape, ap_apply_transposed(&pose->rotation, out), &c);
    if (c.count == 0) {
        c.point[0] = ap_apply_transposed(&pose->rotation, ap_sub(witness, pose->translation));
        c.name[0] = c.whole = (ap_feature_name){APART_FEATURE_CURVED, 0, 0};
        c.count = 1;
    }
    feature->shape = c.shape;
    project_corners(&p, &c, feature);
    if (c.unbounded || feature->count > 2) {
        find_plane(&p, c.face_normal, feature);
    }
    if (feature->count > 2 && doubled_area(feature) < 0.0) {
        reverse_corners(feature);
    }
    feature->count = c.unbounded ? 0 : feature->count;
}

double ap_feature_height(const ap_contact_feature *feature, double x, double y)
{
    const ap_frame_point *p = feature->at;
    if (feature->count == 1) {
        return p->height;
    }
    if (feature->count == 2) {
        const double ux = p[1].x - p[0].x, uy = p[1].y - p[0].y, length2 = ux * ux + uy * uy;
        const double t = length2 > 0.0 ? ((x - p[0].x) * ux + (y - p[0].y) * uy) / length2 : 0.0;
        return p[0].height + t * (p[1].height - p[0].height);
    }
    return feature->base.height + (feature->slope_x * (x - feature->base.x) + feature->slope_y * (y - feature->base.y));
}

/* ---- names of sides ---- */

/* 4 * axis + 2 * high + low (docs/features.md) of the edge between two corners. */
static uint32_t box_edge(uint32_t p, uint32_t q)
{
    const uint32_t axis = (p ^ q) >> 1; /* 1, 2, 4 -> 0, 1, 2 */
    const uint32_t low = axis == 0 ? p >> 1 & 1u : p & 1u, high = axis == 2 ? p >> 1 & 1u : p >> 2 & 1u;
    return 4u * axis + 2u * high + low;
}

/* A hull's edges are in lexicographic order. */
static uint32_t hull_edge(const apart_hull *h, uint32_t p, uint32_t q)
{
    const uint32_t least = p < q ? p : q, most = p < q ? q : p;
    uint32_t low = 0, high = apart_hull_edge_count(h);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        uint32_t ends[2];
        apart_hull_edge(h, middle, ends);
        if (ends[0] < least || (ends[0] == least && ends[1] < most)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    uint32_t ends[2] = {APART_NO_INDEX, APART_NO_INDEX};
    if (low < apart_hull_edge_count(h)) {
        apart_hull_edge(h, low, ends);
    }
    return ends[0] == least && ends[1] == most ? low : APART_NO_INDEX; /* not every corner of a large face was kept */
}

ap_feature_name ap_feature_side(const ap_contact_feature *feature, uint32_t i)
{
    const ap_feature_name *p = &feature->name[i], *q = &feature->name[(i + 1) % feature->count];
    if (p->kind != APART_FEATURE_VERTEX || q->kind != APART_FEATURE_VERTEX) {
        /* A chord between inscribed corners of a cap is on the face; the side line of a cylinder or cone is its own
         * name. */
        return (ap_feature_name){feature->whole.kind, feature->count > 2 ? (uint8_t)(1u + i) : 0,
                                 feature->whole.number};
    }
    ap_feature_name side = {APART_FEATURE_EDGE, 0, APART_NO_INDEX};
    if (feature->shape->kind == APART_SHAPE_BOX) {
        side.number = box_edge(p->number, q->number);
    } else if (feature->shape->kind == APART_SHAPE_HULL) {
        side.number = hull_edge(feature->shape->u.hull, p->number, q->number);
    } else {
        side.number = 0;
    }
    /* The first corner distinguishes sides without a number. */
    const bool unnumbered = side.number == APART_NO_INDEX || feature->shape->kind == APART_SHAPE_TRIANGLE;
    side.sub = unnumbered ? (uint8_t)(1u + i % 31u) : 0;
    return side;
}
