/* Contact: where two bodies touch, for code that computes contact forces.
 *
 * A signed distance has one pair of points; a box on a table stands on four. The ids let a solver find a point of the
 * last step again, so that it can start from that step's forces.
 * Build: cc 12_contact.c $(pkg-config --cflags --libs apart) -lm */
#include <math.h>
#include <stdio.h>

#include <apart/apart.h>

static void print(const char *title, const apart_manifold *m)
{
    printf("%s: %u point%s, normal (%g, %g, %g)\n", title, (unsigned)m->count, m->count == 1 ? "" : "s", m->normal.x,
           m->normal.y, m->normal.z);
    for (uint32_t i = 0; i < m->count; i++) {
        const apart_contact_point *p = &m->points[i];
        printf("  (%6.3f, %6.3f, %6.3f)  distance %9.6f  %s %u on %s %u\n", p->a.x, p->a.y, p->a.z, p->distance,
               apart_feature_name(p->kind_a), (unsigned)p->number_a, apart_feature_name(p->kind_b),
               (unsigned)p->number_b);
    }
}

int main(void)
{
    const apart_shape table = apart_box((apart_vec3){1, 1, 0.1}), box = apart_box((apart_vec3){0.3, 0.2, 0.1}),
                      can = apart_cylinder(0.2, 0.3);
    const apart_pose here = apart_pose_identity();
    const apart_contact_options options = {.margin = 0.01}; /* nearly touching counts */
    apart_cache cache = {.count = 0};
    apart_manifold m;
    int good = 1;

    /* A box that slides over the table's edge: the same four ids until a corner leaves the table. */
    uint64_t first = 0;
    int lasting = 0;
    for (int step = 0; step < 9; step++) {
        const apart_pose pose = apart_pose_translation(0.3 + 0.1 * step, 0, 0.199);
        if (apart_contact(&table, &here, &box, &pose, &options, &cache, &m) != APART_OK) {
            return 1;
        }
        uint64_t ids = 0;
        for (uint32_t i = 0; i < m.count; i++) {
            ids += m.points[i].id; /* the order may change, the sum does not */
        }
        first = step == 0 ? ids : first;
        lasting += ids == first;
        good = good && m.count == 4 && fabs(m.points[0].distance + 0.001) < 1e-12;
    }
    print("box over the edge", &m);
    printf("  the ids lasted for %d of 9 steps\n", lasting);
    good = good && lasting == 5;

    /* A can on its cap, and on its side. */
    const apart_pose standing = apart_pose_translation(0, 0, 0.4);
    apart_pose lying;
    if (apart_contact(&table, &here, &can, &standing, &options, NULL, &m) != APART_OK) {
        return 1;
    }
    print("standing can", &m);
    good = good && m.count == 4;
    if (apart_pose_from_rpy(1.5707963267948966, 0, 0, (apart_vec3){0, 0, 0.305}, &lying) != APART_OK ||
        apart_contact(&table, &here, &can, &lying, &options, NULL, &m) != APART_OK) {
        return 1;
    }
    print("lying can", &m);
    good = good && m.count == 2;
    return good ? 0 : 1;
}
