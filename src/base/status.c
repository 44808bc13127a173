/* Messages and names of the status codes, and the version. */
#include <apart/base.h>

typedef struct status_text {
    const char *name, *message;
} status_text;

static const status_text texts[] = {
    [APART_OK] = {"APART_OK", "The call succeeded."},
    [APART_ERR_NULL] = {"APART_ERR_NULL", "A pointer that must be given is NULL."},
    [APART_ERR_NONFINITE] = {"APART_ERR_NONFINITE", "A coordinate, size or pose holds a NaN or an infinity."},
    [APART_ERR_EMPTY] = {"APART_ERR_EMPTY", "A point set has no points."},
    [APART_ERR_NEGATIVE_SIZE] = {"APART_ERR_NEGATIVE_SIZE", "A radius, extent, height or semi-axis is below zero."},
    [APART_ERR_ROTATION] = {"APART_ERR_ROTATION",
                            "A matrix is not a rotation: its columns are not orthonormal to 1e-6 or its determinant is "
                            "negative."},
    [APART_ERR_QUATERNION] = {"APART_ERR_QUATERNION", "A quaternion has length zero."},
    [APART_ERR_DIMENSION] = {"APART_ERR_DIMENSION", "A 2D shape meets a 3D one, or its pose or map leaves the plane."},
    [APART_ERR_SHAPE] = {"APART_ERR_SHAPE", "A shape was not made by a constructor."},
    [APART_ERR_NESTING] = {"APART_ERR_NESTING", "Composite shapes are nested too deeply."},
    [APART_ERR_HALF_SPACE] = {"APART_ERR_HALF_SPACE", "A half-space is used where only a bounded shape will do."},
    [APART_ERR_CALLBACK] = {"APART_ERR_CALLBACK", "A support callback returned a point that is not finite."},
    [APART_ERR_OPTION] = {"APART_ERR_OPTION", "An option is outside its range."},
    [APART_ERR_MEMORY] = {"APART_ERR_MEMORY", "There is not enough memory."},
    [APART_ERR_NOT_CONVEX] = {"APART_ERR_NOT_CONVEX", "The given faces do not bound a convex body."},
    [APART_ERR_TOPOLOGY] = {"APART_ERR_TOPOLOGY", "The given faces do not form a closed surface."},
    [APART_ERR_BLOCK] = {"APART_ERR_BLOCK", "A memory block is not an intact hull or snapshot."},
    [APART_ERR_SIZE] = {"APART_ERR_SIZE", "There are too many points, or a workspace is too small."},
    [APART_ERR_HULL_BUILDER] = {"APART_ERR_HULL_BUILDER", "The hull builder gave up."},
    [APART_ERR_NORMAL] = {"APART_ERR_NORMAL", "A half-space's normal or a rotation's axis has length zero."},
    [APART_ERR_OVERFLOW] = {"APART_ERR_OVERFLOW", "A size or distance exceeds the range of doubles."},
    [APART_ERR_FILE] = {"APART_ERR_FILE", "A file cannot be opened, read or written."},
    [APART_ERR_SYNTAX] = {"APART_ERR_SYNTAX", "A file's content does not follow its format."},
    [APART_ERR_ID] = {"APART_ERR_ID", "An id or index does not refer to a body or vertex, or the body was removed."},
    [APART_ERR_NOT_WATERTIGHT] = {"APART_ERR_NOT_WATERTIGHT",
                                  "A mesh that is taken as a solid is not watertight: it encloses no volume."},
    [APART_ERR_BUSY] = {"APART_ERR_BUSY", "A callback tried to change the world that is calling it."},
    [APART_ERR_EXECUTOR] = {"APART_ERR_EXECUTOR", "The caller's executor did not run every part of a loop."},
};

static const status_text unknown = {"?", "The status code is unknown."};

static const status_text *find(apart_status status)
{
    const size_t i = (size_t)status;
    return i < sizeof texts / sizeof texts[0] ? &texts[i] : &unknown;
}

const char *apart_status_message(apart_status status) { return find(status)->message; }

const char *apart_status_name(apart_status status) { return find(status)->name; }

const char *apart_version(void) { return APART_VERSION_STRING; }
