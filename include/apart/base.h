/** @file
 * apart/base.h: status codes, version, allocator.
 *
 * Every call that can fail returns an apart_status; apart_status_message() describes it in one
 * sentence. Status values are pinned: they never change their number.
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

#define APART_VERSION_MAJOR 0        /**< of these headers; apart_version() returns that of the library */
#define APART_VERSION_MINOR 2        /**< while the major version is 0, a new minor one may change the interface */
#define APART_VERSION_PATCH 0        /**< a new one brings corrections only */
#define APART_VERSION_STRING "0.2.0" /**< the three numbers, joined by dots */

/** Marks what the libraries export. Programs that use the DLLs of Windows define APART_IMPORTS, as the CMake package
 * does for them. */
#if defined(_WIN32) && defined(APART_EXPORTS)
#define APART_API __declspec(dllexport)
#elif defined(_WIN32) && defined(APART_IMPORTS)
#define APART_API __declspec(dllimport)
#elif defined(__GNUC__) || defined(__clang__)
#define APART_API __attribute__((visibility("default")))
#else
#define APART_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The status of a call: 0 on success. Any other value says why the call failed; it then wrote no result. */
typedef enum apart_status {
    APART_OK = 0,
    APART_ERR_NULL = 1,            /**< a pointer that must be given is NULL */
    APART_ERR_NONFINITE = 2,       /**< a coordinate, size or pose holds a NaN or an infinity */
    APART_ERR_EMPTY = 3,           /**< a point set has no points */
    APART_ERR_NEGATIVE_SIZE = 4,   /**< a radius, extent, height or semi-axis is below zero */
    APART_ERR_ROTATION = 5,        /**< a matrix is not a rotation: max|RtR - I| > 1e-6 or a negative determinant */
    APART_ERR_QUATERNION = 6,      /**< a quaternion has length zero */
    APART_ERR_DIMENSION = 7,       /**< a 2D shape against a 3D one, or a 2D shape with a pose that leaves the plane */
    APART_ERR_SHAPE = 8,           /**< a shape was not made by a constructor */
    APART_ERR_NESTING = 9,         /**< composite shapes are nested deeper than APART_MAX_NESTING */
    APART_ERR_HALF_SPACE = 10,     /**< a half-space inside a composite, or against another half-space */
    APART_ERR_CALLBACK = 11,       /**< a user's support callback returned a non-finite point */
    APART_ERR_OPTION = 12,         /**< an option is outside its range */
    APART_ERR_MEMORY = 13,         /**< the allocator returned NULL */
    APART_ERR_NOT_CONVEX = 14,     /**< the given faces do not bound a convex body */
    APART_ERR_TOPOLOGY = 15,       /**< the given faces do not form a closed surface */
    APART_ERR_BLOCK = 16,          /**< a memory block is not an intact hull or snapshot */
    APART_ERR_SIZE = 17,           /**< too many points, or a workspace that is too small */
    APART_ERR_HULL_BUILDER = 18,   /**< the hull builder gave up */
    APART_ERR_NORMAL = 19,         /**< a half-space normal or a rotation axis of length zero */
    APART_ERR_OVERFLOW = 20,       /**< the bodies' size or distance exceeds the range of doubles */
    APART_ERR_FILE = 21,           /**< a file cannot be opened, read or written */
    APART_ERR_SYNTAX = 22,         /**< a file's content does not follow its format */
    APART_ERR_ID = 23,             /**< an id or index does not refer to a body or vertex, or the body was removed */
    APART_ERR_NOT_WATERTIGHT = 24, /**< a mesh that is taken as a solid does not enclose a volume */
    APART_ERR_BUSY = 25,           /**< a callback tried to change the world that is calling it */
    APART_ERR_EXECUTOR = 26        /**< the caller's apart_executor did not run every part of a loop */
} apart_status;

/** One English sentence for a status; never NULL, static storage. */
APART_API const char *apart_status_message(apart_status status);

/** The name of the constant, e.g. "APART_ERR_NULL"; never NULL, static storage. */
APART_API const char *apart_status_name(apart_status status);

/** The error in a file or in a model made of names, ready to print: "FILE:LINE: what was expected". line and column are 0 where they have no
 *  meaning (binary files). */
typedef struct apart_io_error {
    char message[512]; /**< set when a call fails, else untouched */
    size_t line;       /**< from 1 */
    size_t column;     /**< from 1 */
} apart_io_error;

/** The version of the library at run time, "major.minor.patch". */
APART_API const char *apart_version(void);

/** The allocator of hull builders, compounds and worlds. All bytes zero: malloc and free. Queries of pairs never
 *  allocate. */
typedef struct apart_allocator {
    void *(*allocate)(size_t size, void *user); /**< 16-byte aligned memory, or NULL */
    void (*release)(void *memory, void *user);  /**< gets what allocate returned, never NULL */
    void *user;                                 /**< passed to both functions */
} apart_allocator;

/** A part of a loop that is shared out among threads; `number` tells the calls apart, and any order of them is good. */
typedef void apart_task(void *context, size_t number);

/** The caller's own threads, in place of OpenMP: a job system. All bytes zero: none is given. */
typedef struct apart_executor {
    /** Calls task(context, i) once for every i below count, on any threads at once, and returns when all calls have
     *  returned. The answers do not depend on threads or order. It must not call the library about the same object. */
    void (*run)(void *user, size_t count, apart_task *task, void *context);
    void *user; /**< passed to it */
} apart_executor;

#ifdef __cplusplus
}
#endif
#endif
