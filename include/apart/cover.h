/** @file
 * apart/cover.h: convex covers. A few convex hulls whose union is *proved* to contain a triangle mesh.
 *
 *     apart_vertices vertices = {.data = xyz, .count = n};
 *     apart_cover_options options = {.hulls = 32, .solid = 1};
 *     apart_cover *cover = NULL;
 *     apart_compound *body = NULL;
 *     apart_cover_build(&vertices, triangles, triangle_count, &options, &cover);
 *     printf("no point of it is farther than %g from the mesh\n", apart_cover_excess(cover));
 *     apart_cover_compound(cover, NULL, &body);                  // for distances, depth, contact; borrows the hulls
 *     ...
 *     apart_compound_free(body);
 *     apart_cover_free(cover);
 *
 * The claim: every point of every triangle lies in one of the hulls, for the very doubles given. With `solid`, so does
 * every point that the mesh encloses: those about which it winds, and, where it winds about them in both directions,
 * those that a ray leaves through an odd number of triangles. Nothing is returned unproved: apart_cover_build ends with
 * the proof of apart_cover_check, which takes nothing from the builder but the hulls and a tree of cuts.
 *
 * The excess is an upper bound of the distance from any point of the cover to the mesh: to the solid if `solid` is set,
 * else to the surface. A hull of a body that is not closed is far from its surface, however good it is.
 * Read next: docs/meshes.md, docs/decisions/0011-covers.md (why the claim holds), apart/compound.h.
 */
#ifndef APART_COVER_H
#define APART_COVER_H

#include "compound.h"
#include "hull.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Hulls that are proved to contain a mesh: opaque, immutable. */
typedef struct apart_cover apart_cover;

/** Options of the builder. All bytes zero: at most 32 hulls of the surface. */
typedef struct apart_cover_options {
    apart_allocator allocator; /**< for the cover and for temporary memory of the builder */
    uint32_t hulls;            /**< at most so many, up to 4096; 0: as many as `excess` needs, or 32 */
    double excess;             /**< splitting ends where the excess is at most this; 0: only hulls are counted */
    uint8_t solid; /**< 1: what the mesh encloses is covered too. APART_ERR_NOT_WATERTIGHT for open meshes */
    /** Called now and then with the share of the work that is done, 0 to 1; a value other than 0 ends the search for
     *  better hulls, and the cover that is there is proved and returned. May be NULL. */
    int (*progress)(double share, void *user);
    void *user; /**< passed to progress */
} apart_cover_options;

/** Builds a cover. It has the same bits on every machine. One hull is the convex hull of the mesh. The hulls of a cover
 *  lie in those of a cover of fewer hulls, so that the excess never rises with their number. Hulls whose part of
 *  the mesh was cut, and hulls from which the hull builder dropped points, are larger than the hulls of their parts by
 *  2^-44 of the largest coordinate. Cost: about that of ten hulls of the mesh for each doubling of the number of hulls;
 *  memory about 200 bytes a triangle. APART_ERR_NULL, APART_ERR_EMPTY (no triangle), APART_ERR_ID (an index that names
 *  no vertex), APART_ERR_NONFINITE, APART_ERR_OVERFLOW (the largest coordinate is beyond 2^300, or below 2^-300 and
 *  not 0), APART_ERR_SIZE (2^28 triangles or more), APART_ERR_OPTION, APART_ERR_NOT_WATERTIGHT, APART_ERR_MEMORY,
 *  APART_ERR_HULL_BUILDER (no proof was found; not seen so far). */
APART_API apart_status apart_cover_build(const apart_vertices *vertices, const uint32_t *triangles,
                                         size_t triangle_count, const apart_cover_options *options, apart_cover **out);

/** Frees a cover and its hulls; NULL is allowed. */
APART_API void apart_cover_free(apart_cover *cover);

/** The number of hulls. */
APART_API uint32_t apart_cover_count(const apart_cover *cover);

/** A hull, NULL if there is no such one. It lives as long as the cover. */
APART_API const apart_hull *apart_cover_hull(const apart_cover *cover, uint32_t hull);

/** No point of the cover is farther than this from the mesh: an upper bound. It is mostly
 *  within 5 % of the true value; where several triangles make one plane of a surface it can be 2e-3 of the size, as
 *  each triangle is looked at alone. */
APART_API double apart_cover_excess(const apart_cover *cover);

/** A compound whose parts are the cover's hulls, in their order. It borrows the hulls: free it before the cover.
 *  Statuses as apart_compound_build. */
APART_API apart_status apart_cover_compound(const apart_cover *cover, const apart_allocator *allocator,
                                            apart_compound **out);

/** The `axis` of a node without a cut. */
#define APART_COVER_LEAF 3u
/** The `hull` of a leaf in which there is nothing to cover. */
#define APART_COVER_NOTHING UINT32_MAX

/** A node of a tree of cuts. The root is all of space; a node is cut across its axis into a part below and a part
 *  above. What of the mesh lies in a leaf is covered by the leaf's hull. Nodes come before their parts. */
typedef struct apart_cover_node {
    double at;      /**< coordinate of the cut */
    uint32_t axis;  /**< 0, 1 or 2: x, y or z; or APART_COVER_LEAF */
    uint32_t below; /**< the node of the lesser coordinates; of a leaf: its hull, or APART_COVER_NOTHING */
    uint32_t above; /**< the node of the greater coordinates */
} apart_cover_node;

/** What is to be proved: hulls from anywhere, and a tree that says which one covers which part of the mesh. */
typedef struct apart_cover_claim {
    const apart_hull *const *hulls; /**< any hulls */
    uint32_t hull_count;            /**< how many */
    const apart_cover_node *nodes;  /**< the root first. NULL: a single leaf with hull 0 */
    uint32_t node_count;            /**< how many */
    uint8_t solid;                  /**< 1: what the mesh encloses is claimed to be covered, too */
} apart_cover_claim;

/** The verdict of a check. */
typedef struct apart_cover_proof {
    int covered;       /**< 1: proved. 0: not proved; the rest says for which place */
    uint32_t hull;     /**< the hull that does not contain it; APART_COVER_NOTHING if the leaf has none */
    uint32_t triangle; /**< the triangle; UINT32_MAX for a corner of a leaf inside the solid */
    apart_vec3 point;  /**< the point: a corner of the triangle's part in the leaf, or of the leaf */
} apart_cover_proof;

/** What a cover claims, for apart_cover_check and for files. It borrows the cover's memory. */
APART_API apart_cover_claim apart_cover_claim_of(const apart_cover *cover);

/** Proves that hulls cover a mesh, with exact signs where bodies touch and bounded errors where triangles are cut. The
 *  allocator is for temporary memory, NULL: malloc. APART_ERR_NULL, APART_ERR_EMPTY, APART_ERR_ID (a triangle's vertex,
 *  or a node or hull that does not exist or is not where it must be), APART_ERR_NONFINITE, APART_ERR_OVERFLOW,
 *  APART_ERR_SIZE, APART_ERR_NOT_WATERTIGHT, APART_ERR_MEMORY. */
APART_API apart_status apart_cover_check(const apart_vertices *vertices, const uint32_t *triangles,
                                         size_t triangle_count, const apart_cover_claim *claim,
                                         const apart_allocator *allocator, apart_cover_proof *proof);

#ifdef __cplusplus
}
#endif
#endif
