/* The triangulated surface of a convex hull, built by adding points one by one, with exact visibility tests. */
#ifndef AP_QUICKHULL_H
#define AP_QUICKHULL_H

#include "../base/memory.h"
#include "../exact/grid_predicates.h"

#define AP_NONE UINT32_MAX

/* What a builder does with a point. */
enum {
    AP_POINT_SKIP = 0, /* not part of the set */
    AP_POINT_USE = 1
};

/* Distinct points in working coordinates (predicate.h), with the caller's indices. */
typedef struct ap_cloud {
    const apart_allocator *allocator;
    uint32_t count;
    apart_vec3 *point;
    uint32_t *input; /* the caller's lowest index, ascending */
    double size;     /* half the diagonal of the bounding box */
    double scale;    /* working = scale * (caller's - center), rounded to AP_GRID */
    apart_vec3 center;
    bool moved; /* rounding to AP_GRID changed a coordinate */
} ap_cloud;

typedef struct ap_facet {
    uint32_t vertex[3]; /* counter-clockwise from outside */
    uint32_t across[3]; /* the facet on the other side of the edge from vertex[k] to vertex[(k + 1) % 3] */
    uint32_t outside;   /* first of the points above this facet that are not inserted yet; AP_NONE: there are none */
    uint32_t highest;   /* the one of them that is farthest from its plane; the lowest number of equals */
    uint32_t stamp;     /* number of the search that visited it last; AP_NONE: the facet was removed */
    uint32_t has_near;  /* 1: one of them may be so near that it is left out */
    double top;         /* the height of the highest */
    apart_vec3 normal;  /* unit, in plain doubles; ap_facet_normal has an accurate one */
    double margin;      /* a point's height above the plane, computed with this normal, is off by less */
} ap_facet;

typedef struct ap_mesh {
    const ap_cloud *cloud;
    ap_facet *facet;
    uint32_t facet_count, capacity;
    uint32_t *visible; /* scratch: facets seen from the point that is being inserted */
    uint32_t visible_count;
    uint32_t *next;   /* per point: the next one in the list of its facet */
    double *height;   /* per point: its height above that facet */
    uint32_t *fan;    /* scratch, per point: the new facet whose first vertex it is */
    uint32_t stamp;   /* number of the last search for visible facets */
    double tolerance; /* points within this distance of the body may be left out */
    double near;      /* every point left out is within this distance of the body */
} ap_mesh;

/* Finds four points that span the set, each the farthest from the span of those before it, and returns the dimension of
 * the set; a dimension counts if the set extends farther than `tolerance` in it. The points beyond that dimension are
 * the farthest ones all the same. */
int ap_affine_basis(const ap_cloud *cloud, const uint8_t *use, double tolerance, uint32_t basis[4]);

/* Builds the hull of the points in use. Points within `tolerance` of it may be left out. APART_ERR_MEMORY;
 * APART_ERR_HULL_BUILDER for a flat set. The mesh must be freed in any case. */
apart_status ap_mesh_build(ap_mesh *mesh, const ap_cloud *cloud, const uint8_t *use, double tolerance);
void ap_mesh_free(ap_mesh *mesh);

/* The height of a point above a facet's plane, off by less than facet->margin. */
static inline double ap_facet_height(const ap_mesh *mesh, const ap_facet *facet, apart_vec3 p)
{
    return ap_dot(facet->normal, ap_sub(p, mesh->cloud->point[facet->vertex[2]]));
}

/* A facet's unit normal, accurate for slender ones too. */
apart_vec3 ap_facet_normal(const ap_mesh *mesh, const ap_facet *facet);

/* The distance of a point from the body (0 inside). O(facets). */
double ap_mesh_distance(const ap_mesh *mesh, apart_vec3 p);

/* A corner of a facet: vertex[k]. */
typedef struct ap_corner {
    uint32_t facet, k;
} ap_corner;

/* The corner of the next facet around the same vertex, always in the same sense. */
ap_corner ap_mesh_turn(const ap_mesh *mesh, ap_corner at);

#endif
