/** @file
 * apart/base.h: status codes, version, allocator.
 *
 * Every call that can fail returns an apart_status; apart_status_message() says in one
 * sentence what is wrong. Status values are pinned: they never change their number.
 *
 *     apart_status st = apart_distance(&a, &pose_a, &b, &pose_b, NULL, NULL, &r);
 *     if (st != APART_OK) { fprintf(stderr, "%s\n", apart_status_message(st)); }
 *
 * Read next: apart/math.h (vectors and poses), apart/shape.h, apart/distance.h.
 */
#ifndef APART_BASE_H
#define APART_BASE_H

#include <stddef.h>
#include <stdint.h>

#define APART_VERSION_MAJOR 0          /**< of these headers; apart_version() tells that of the library */
#define APART_VERSION_MINOR 1          /**< while the major version is 0, a new minor version may change the interface */
#define APART_VERSION_PATCH 0          /**< corrections only */
#define APART_VERSION_STRING "0.1.0"   /**< the three, with points between */

#ifdef __cplusplus
extern "C" {
#endif

/** Could the call run? Zero is yes; anything else names the reason, and no answer was written. */
typedef enum apart_status {
    APART_OK = 0,
    APART_ERR_NULL = 1,           /**< a pointer that must be given is NULL */
    APART_ERR_NONFINITE = 2,      /**< a coordinate, size or pose holds a NaN or an infinity */
    APART_ERR_EMPTY = 3,          /**< a point set without points */
    APART_ERR_NEGATIVE_SIZE = 4,  /**< a radius, extent, height or semi-axis below zero */
    APART_ERR_ROTATION = 5,       /**< a matrix that is no rotation: max|RtR - I| > 1e-6 or a negative determinant */
    APART_ERR_QUATERNION = 6,     /**< a quaternion of length zero */
    APART_ERR_DIMENSION = 7,      /**< 2D shape against a 3D one, or a 2D shape with a pose that leaves the plane */
    APART_ERR_SHAPE = 8,          /**< a shape that no constructor made */
    APART_ERR_NESTING = 9,        /**< composite shapes nested deeper than APART_MAX_NESTING */
    APART_ERR_HALF_SPACE = 10,    /**< a half-space inside a composite, or against another half-space */
    APART_ERR_CALLBACK = 11,      /**< a user's support callback returned a non-finite point */
    APART_ERR_OPTION = 12,        /**< an option outside its range */
    APART_ERR_MEMORY = 13,        /**< the allocator returned NULL */
    APART_ERR_NOT_CONVEX = 14,    /**< the given faces do not bound a convex body */
    APART_ERR_TOPOLOGY = 15,      /**< the given faces do not form a closed surface */
    APART_ERR_BLOCK = 16,         /**< a memory block that is no intact hull or snapshot */
    APART_ERR_SIZE = 17,          /**< too many points, or a workspace that is too small */
    APART_ERR_HULL_BUILDER = 18,  /**< the hull builder gave up */
    APART_ERR_NORMAL = 19,        /**< a half-space normal or a rotation axis of length zero */
    APART_ERR_OVERFLOW = 20,      /**< the bodies' size or distance exceeds the range of doubles */
    APART_ERR_FILE = 21,          /**< a file cannot be opened, read or written */
    APART_ERR_SYNTAX = 22,        /**< a file's content is not what its format asks for */
    APART_ERR_ID = 23             /**< an id or index that names no body (any more) */
} apart_status;

/** One English sentence for a status; never NULL, static storage. */
const char *apart_status_message(apart_status status);

/** The name of the constant, e.g. "APART_ERR_NULL"; never NULL, static storage. */
const char *apart_status_name(apart_status status);

/** The version of the library at run time, "major.minor.patch". */
const char *apart_version(void);

/** Where hull builders take their memory from. All bytes zero: malloc and free. Queries never allocate. */
typedef struct apart_allocator {
    void *(*allocate)(size_t size, void *user); /**< 16-byte aligned memory, or NULL */
    void (*release)(void *memory, void *user);  /**< called with what allocate returned, never NULL */
    void *user;                                 /**< handed to both */
} apart_allocator;

#ifdef __cplusplus
}
#endif
#endif
