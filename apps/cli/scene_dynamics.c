/* The members of a scene that apart simulate reads: gravity and time of the scene, mass and velocity of a body
 * (docs/simulation.md). */
#include <math.h>

#include "scene.h"

const char *const scene_forces_keys[] = {"gravity", "duration", "step",        "substeps",
                                         "density", "friction", "restitution", NULL};
const char *const scene_dynamics_keys[] = {"fixed",    "mass",        "density", "velocity", "angular_velocity",
                                           "friction", "restitution", NULL};

static const double MOST_STEPS = 1e6;

/* A member that is a number from `least` on, or above it; `out` stays as it is when there is none. */
static int read_least(const scene_place *object, const char *key, double least, bool above, double *out)
{
    const scene_place place = scene_member(object, key);
    double value;
    if (place.value == NULL) {
        return CLI_YES;
    }
    if (scene_read_number(&place, &value) != CLI_YES) {
        return CLI_BAD;
    }
    if (value < least || (above && value == least)) {
        return scene_error(&place, "expected a number %s %g", above ? "above" : "not below", least);
    }
    *out = value;
    return CLI_YES;
}

/* Properties of a body, for which a scene may give defaults. */
static int read_material(const scene_place *object, scene_dynamics *out)
{
    if (read_least(object, "density", 0.0, true, &out->density) != CLI_YES ||
        read_least(object, "friction", 0.0, false, &out->friction) != CLI_YES ||
        read_least(object, "restitution", 0.0, false, &out->restitution) != CLI_YES) {
        return CLI_BAD;
    }
    const scene_place place = scene_member(object, "restitution");
    return out->restitution <= 1.0 ? CLI_YES : scene_error(&place, "expected a number from 0 to 1");
}

int scene_read_forces(const scene_place *root, scene_forces *out)
{
    double substeps = 8.0;
    *out = (scene_forces){.gravity = {0, 0, -9.81},
                          .duration = 5.0,
                          .step = 1.0 / 60.0,
                          .defaults = {.density = 1000.0, .friction = 0.5}};
    if (scene_read_vec(root, "gravity", &out->gravity) != CLI_YES ||
        read_least(root, "duration", 0.0, false, &out->duration) != CLI_YES ||
        read_least(root, "step", 0.0, true, &out->step) != CLI_YES ||
        read_least(root, "substeps", 1.0, false, &substeps) != CLI_YES ||
        read_material(root, &out->defaults) != CLI_YES) {
        return CLI_BAD;
    }
    const scene_place duration = scene_member(root, "duration"), parts = scene_member(root, "substeps");
    if (substeps > 1000.0 || substeps != floor(substeps)) {
        return scene_error(&parts, "expected a whole number from 1 to 1000");
    }
    out->substeps = (uint32_t)substeps;
    return out->duration / out->step <= MOST_STEPS
               ? CLI_YES
               : scene_error(duration.value != NULL ? &duration : root, "more than %.0f steps", MOST_STEPS);
}

int scene_read_dynamics(const scene_place *body, const scene_dynamics *defaults, scene_dynamics *out)
{
    const scene_place fixed = scene_member(body, "fixed"), mass = scene_member(body, "mass"),
                      density = scene_member(body, "density");
    *out = *defaults;
    if (fixed.value != NULL && !json_is_boolean(fixed.value)) {
        return scene_error(&fixed, "expected true or false");
    }
    if (mass.value != NULL && density.value != NULL) {
        return scene_error(&mass, "a body has a mass or a density, not both");
    }
    out->fixed = json_is_true(fixed.value);
    if (read_least(body, "mass", 0.0, true, &out->mass) != CLI_YES || read_material(body, out) != CLI_YES ||
        scene_read_vec(body, "velocity", &out->velocity) != CLI_YES ||
        scene_read_vec(body, "angular_velocity", &out->angular_velocity) != CLI_YES) {
        return CLI_BAD;
    }
    return CLI_YES;
}
