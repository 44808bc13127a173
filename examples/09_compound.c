/* A table of five convex parts and a lamp of three: which parts are nearest, do they overlap, what does a falling lamp
 * hit first, what does a ray hit?
 *
 * A compound is built once and shared by all bodies of its form. Every answer says which parts decide.
 * Build: cc 09_compound.c $(pkg-config --cflags --libs apart) -lm */
#include <math.h>
#include <stdio.h>

#include <apart/apart.h>

static apart_part part(apart_shape shape, double x, double y, double z)
{
    return (apart_part){shape, apart_pose_translation(x, y, z)};
}

int main(void)
{
    const char *table_names[] = {"top", "leg 1", "leg 2", "leg 3", "leg 4"}, *lamp_names[] = {"foot", "stem", "shade"};
    const apart_shape top = apart_box((apart_vec3){0.8, 0.5, 0.02}), leg = apart_cylinder(0.03, 0.35);
    const apart_part table_parts[] = {part(top, 0, 0, 0.72), part(leg, 0.7, 0.4, 0.35), part(leg, -0.7, 0.4, 0.35),
                                      part(leg, 0.7, -0.4, 0.35), part(leg, -0.7, -0.4, 0.35)};
    const apart_part lamp_parts[] = {part(apart_cylinder(0.1, 0.01), 0, 0, 0.01),
                                     part(apart_capsule(0.01, 0.2), 0, 0, 0.22),
                                     part(apart_cone(0.15, 0.1), 0, 0, 0.5)};
    apart_compound *table = NULL, *lamp = NULL;
    if (apart_compound_build(table_parts, 5, NULL, &table) != APART_OK ||
        apart_compound_build(lamp_parts, 3, NULL, &lamp) != APART_OK) {
        return 1;
    }
    const apart_solid a = apart_solid_compound(table), b = apart_solid_compound(lamp);
    const apart_pose here = apart_pose_identity(), above = apart_pose_translation(0.3, 0.1, 1.0),
                     beside = apart_pose_translation(1.0, 0.4, 0.0);
    int good = 1;

    /* The lamp above the table, and on the floor beside it. One cache for a pair that moves. */
    apart_compound_cache cache = {.part_a = 0};
    apart_compound_result r;
    const apart_pose *places[] = {&above, &beside};
    for (int i = 0; i < 2; i++) {
        if (apart_compound_distance(a, &here, b, places[i], NULL, &cache, &r) != APART_OK) {
            return 1;
        }
        printf("%-7s the %s is %.6f from the %s (%u of 15 pairs looked at)\n",
               i == 0 ? "above:" : "beside:", lamp_names[r.part_b], r.result.distance, table_names[r.part_a],
               r.queries);
    }
    good = good && r.result.relation == APART_DISJOINT;

    /* It falls by half a metre: where does it meet the table? The gap is certified positive before. */
    apart_compound_impact hit;
    const apart_vec3 still = {0, 0, 0}, down = {0, 0, -0.5};
    if (apart_compound_sweep(a, &here, still, b, &above, down, NULL, &hit) != APART_OK) {
        return 1;
    }
    printf("falls:  the %s meets the %s after %.4f of the way\n", lamp_names[hit.part_b], table_names[hit.part_a],
           hit.impact.t);
    good = good && hit.impact.outcome == APART_OUTCOME_HIT && fabs(hit.impact.t - 0.52) < 1e-4;

    /* A ray from the side, at knee height. */
    apart_ray_hit seen;
    uint32_t which = 0;
    if (apart_compound_raycast(&(apart_ray){{2.0, -0.4, 0.4}, {-1.0, 0.0, 0.0}, INFINITY}, a, &here, &seen, &which) !=
        APART_OK) {
        return 1;
    }
    printf("ray:    meets the %s at a distance of %.3f\n", table_names[which], seen.distance);
    good = good && seen.hit && which == 3;

    apart_compound_free(table);
    apart_compound_free(lamp);
    return good ? 0 : 1;
}
