/* From a cloud of points to a hull with faces and edges, and to the feature that is closest to another body.
 *
 * Build: cc 04_hull_from_points.c $(pkg-config --cflags --libs apart) */
#include <math.h>
#include <stdio.h>

#include <apart/apart.h>

int main(void)
{
    /* The corners of a house, with points inside, on a wall and twice: the hull keeps the strictly extreme ones. */
    const double xyz[][3] = {
        {0, 0, 0},   {4, 0, 0},   {4, 3, 0}, {0, 3, 0}, {0, 0, 2}, {4, 0, 2}, {4, 3, 2}, {0, 3, 2}, /* walls */
        {0, 1.5, 3}, {4, 1.5, 3},                                                                   /* ridge */
        {2, 1, 1},   {4, 1, 1},   {4, 3, 2},                                                        /* nothing new */
    };
    apart_hull *house = NULL;
    const apart_status status = apart_hull_build(&xyz[0][0], sizeof xyz / sizeof xyz[0], NULL, &house);
    if (status != APART_OK) {
        fprintf(stderr, "%s\n", apart_status_message(status));
        return 1;
    }
    printf("%u vertices, %u edges, %u faces, volume %g\n", (unsigned)apart_hull_vertex_count(house),
           (unsigned)apart_hull_edge_count(house), (unsigned)apart_hull_face_count(house), apart_hull_volume(house));

    /* Adjacency: the neighbours of each vertex. Input indices are the caller's. */
    for (uint32_t v = 0; v < apart_hull_vertex_count(house); v++) {
        const uint32_t *neighbours;
        const uint32_t count = apart_hull_neighbours(house, v, &neighbours);
        printf("point %2u is joined to", (unsigned)apart_hull_input_index(house, v));
        for (uint32_t i = 0; i < count; i++) {
            printf(" %u", (unsigned)apart_hull_input_index(house, neighbours[i]));
        }
        printf("\n");
    }

    /* A bird sits in the air above the ridge: the closest feature is the edge between points 8 and 9. */
    const apart_shape shape = apart_hull_shape(house), bird = apart_sphere(0.1);
    const apart_pose ground = apart_pose_identity(), sky = apart_pose_translation(1.0, 1.5, 5.0);
    apart_result r;
    apart_feature roof;
    if (apart_distance(&shape, &ground, &bird, &sky, NULL, NULL, &r) != APART_OK ||
        apart_features(&shape, &ground, &bird, &sky, &r, &roof, NULL) != APART_OK) {
        apart_hull_free(house);
        return 1;
    }
    printf("the bird is %g above the %s", r.distance, apart_feature_name(roof.kind));
    for (int i = 0; i < roof.count; i++) {
        printf(" %u", (unsigned)roof.index[i]);
    }
    printf("\n");
    const int good = apart_hull_vertex_count(house) == 10 && apart_hull_edge_count(house) == 15 &&
                     apart_hull_face_count(house) == 7 && fabs(apart_hull_volume(house) - 30.0) < 1e-12 &&
                     fabs(r.distance - 1.9) < 1e-14 && roof.kind == APART_FEATURE_EDGE;
    apart_hull_free(house);
    return good ? 0 : 1;
}
