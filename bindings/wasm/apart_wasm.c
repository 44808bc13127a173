/* What JavaScript calls: the library's functions with arguments that WebAssembly can pass, and the layout of its structures.
 *
 * JavaScript keeps structures in this module's memory and reads their fields at the offsets of the table below, so nothing is copied
 * or converted in a query. Names that JavaScript sees are given by EXPORT; apart.js is the only caller. */
#include <stdlib.h>

#include <apart/apart.h>
#include <apart/io.h>

#define EXPORT(name) __attribute__((export_name(#name)))

/* ---- layout ---- */

#define AT(type, field) (uint32_t) offsetof(type, field)

/* In the order of `fields` in apart.js. */
static const uint32_t layout[] = {
    sizeof(apart_shape), sizeof(apart_pose), sizeof(apart_options), sizeof(apart_cache), sizeof(apart_result), sizeof(apart_trace),
    sizeof(apart_trace_step), sizeof(apart_stats), sizeof(apart_feature), sizeof(apart_penetration), sizeof(apart_proof),
    sizeof(apart_mesh_data), sizeof(apart_io_error),
    AT(apart_options, solver), AT(apart_options, support), AT(apart_options, depth), AT(apart_options, no_fallback),
    AT(apart_options, max_iterations), AT(apart_options, cutoff), AT(apart_options, tolerance), AT(apart_options, trace),
    AT(apart_options, stats), AT(apart_options, depth_cache),
    AT(apart_result, distance), AT(apart_result, a), AT(apart_result, normal), AT(apart_result, index_a), AT(apart_result, index_b),
    AT(apart_result, lambda), AT(apart_result, iterations), AT(apart_result, count),
    AT(apart_trace, steps), AT(apart_trace, capacity), AT(apart_trace, count), AT(apart_trace, origin), AT(apart_trace, radius_a),
    AT(apart_trace, surface), AT(apart_trace, surface_capacity), AT(apart_trace, surface_count),
    AT(apart_trace_step, count), AT(apart_trace_step, index_a), AT(apart_trace_step, index_b), AT(apart_trace_step, point_a),
    AT(apart_trace_step, point_b), AT(apart_trace_step, lambda), AT(apart_trace_step, v), AT(apart_trace_step, support_index_a),
    AT(apart_trace_step, support_index_b), AT(apart_trace_step, support_a), AT(apart_trace_step, support_b),
    AT(apart_trace_step, lower), AT(apart_trace_step, upper), AT(apart_trace_step, fallback), AT(apart_trace_step, surface),
    AT(apart_trace_step, surface_count),
    AT(apart_stats, iterations), AT(apart_stats, support_calls), AT(apart_stats, vertices_visited), AT(apart_stats, edges_climbed),
    AT(apart_feature, kind), AT(apart_feature, count), AT(apart_feature, index), AT(apart_feature, number),
    AT(apart_penetration, least), AT(apart_penetration, normal), AT(apart_penetration, exact),
    AT(apart_proof, verdict), AT(apart_proof, lower), AT(apart_proof, reason),
    AT(apart_mesh_data, xyz), AT(apart_mesh_data, vertex_count), AT(apart_mesh_data, face_count),
    AT(apart_shape, status), AT(apart_shape, dim), AT(apart_shape, radius),
};

EXPORT(layout) const uint32_t *get_layout(void) { return layout; }

EXPORT(layout_size) uint32_t get_layout_size(void) { return sizeof layout / sizeof layout[0]; }

/* ---- memory ---- */

EXPORT(allocate) void *allocate(size_t size) { return calloc(1, size); }

EXPORT(release) void release(void *memory) { free(memory); }

/* ---- texts ---- */

EXPORT(version) const char *version(void) { return apart_version(); }

EXPORT(status_message) const char *status_message(int status) { return apart_status_message((apart_status)status); }

EXPORT(shape_name) const char *shape_name(const apart_shape *shape) { return apart_shape_name(shape); }

/* ---- shapes ---- */

static apart_vec3 vec(const double *p)
{
    return (apart_vec3){p[0], p[1], p[2]};
}

/* The numbers of kinds are those of `kinds` in apart.js, which checks how many parameters there are. */
static apart_shape make(int kind, const double *p, size_t count)
{
    switch (kind) {
    case 0: return apart_point(vec(p));
    case 1: return apart_segment(vec(p), vec(p + 3));
    case 2: return apart_triangle(vec(p), vec(p + 3), vec(p + 6));
    case 3: return apart_sphere(p[0]);
    case 4: return apart_box(vec(p));
    case 5: return apart_capsule(p[0], p[1]);
    case 6: return apart_cylinder(p[0], p[1]);
    case 7: return apart_cone(p[0], p[1]);
    case 8: return apart_ellipsoid(vec(p));
    case 9: return apart_half_space(vec(p), p[3]);
    case 10: return apart_points(p, count / 3);
    case 11: return apart_point_2d(p[0], p[1]);
    case 12: return apart_segment_2d(p[0], p[1], p[2], p[3]);
    case 13: return apart_circle(p[0]);
    case 14: return apart_rectangle(p[0], p[1]);
    case 15: return apart_polygon(p, count / 2);
    default: return (apart_shape){.status = APART_ERR_SHAPE};
    }
}

EXPORT(shape_make) int shape_make(apart_shape *out, int kind, const double *parameters, size_t count, double radius)
{
    const apart_shape shape = make(kind, parameters, count);
    *out = radius != 0.0 ? apart_rounded(shape, radius) : shape;
    return (int)apart_shape_check(out);
}

EXPORT(shape_hull) int shape_hull(apart_shape *out, const apart_hull *hull, double radius)
{
    const apart_shape shape = apart_hull_shape(hull);
    *out = radius != 0.0 ? apart_rounded(shape, radius) : shape;
    return (int)apart_shape_check(out);
}

EXPORT(support) int support(const apart_shape *shape, double x, double y, double z, apart_vec3 *out)
{
    return (int)apart_support(shape, (apart_vec3){x, y, z}, out);
}

/* ---- hulls ---- */

EXPORT(hull_from_points) int hull_from_points(const double *xyz, size_t n, apart_hull **out) { return (int)apart_hull_build(xyz, n, NULL, out); }

EXPORT(hull_from_faces)
int hull_from_faces(const double *xyz, size_t n, const uint32_t *sizes, size_t faces, const uint32_t *indices, apart_hull **out)
{
    return (int)apart_hull_from_faces(xyz, n, sizes, faces, indices, NULL, out);
}

EXPORT(hull_view) int hull_view(const void *memory, size_t size, const apart_hull **out) { return (int)apart_hull_view(memory, size, out); }

EXPORT(hull_free) void hull_free(apart_hull *hull) { apart_hull_free(hull); }

EXPORT(hull_size) size_t hull_size(const apart_hull *hull) { return apart_hull_size(hull); }

EXPORT(hull_dimension) int hull_dimension(const apart_hull *hull) { return apart_hull_dimension(hull); }

EXPORT(hull_vertex_count) uint32_t hull_vertex_count(const apart_hull *hull) { return apart_hull_vertex_count(hull); }

EXPORT(hull_face_count) uint32_t hull_face_count(const apart_hull *hull) { return apart_hull_face_count(hull); }

EXPORT(hull_edge_count) uint32_t hull_edge_count(const apart_hull *hull) { return apart_hull_edge_count(hull); }

EXPORT(hull_volume) double hull_volume(const apart_hull *hull) { return apart_hull_volume(hull); }

EXPORT(hull_vertices) void hull_vertices(const apart_hull *hull, apart_vec3 *out)
{
    for (uint32_t i = 0; i < apart_hull_vertex_count(hull); i++) {
        out[i] = apart_hull_vertex(hull, i);
    }
}

EXPORT(hull_input_index) uint32_t hull_input_index(const apart_hull *hull, uint32_t vertex) { return apart_hull_input_index(hull, vertex); }

EXPORT(hull_face) uint32_t hull_face(const apart_hull *hull, uint32_t face, const uint32_t **vertices)
{
    return apart_hull_face(hull, face, vertices);
}

/* ---- files ---- */

EXPORT(mesh_read) int mesh_read(const void *data, size_t size, const char *name, apart_mesh_data *mesh, apart_io_error *error)
{
    return (int)apart_mesh_read_memory(data, size, name, APART_MESH_AUTO, mesh, error);
}

EXPORT(mesh_free) void mesh_free(apart_mesh_data *mesh) { apart_mesh_data_free(mesh); }

EXPORT(mesh_deviation) double mesh_deviation(const apart_mesh_data *mesh, const apart_hull *hull) { return apart_mesh_deviation(mesh, hull); }

/* ---- poses ---- */

/* Position x, y, z and quaternion x, y, z, w: from memory, because numbers that JavaScript passes to a call may be boxed. */
EXPORT(pose_numbers) int pose_numbers(const double *p, apart_pose *out)
{
    return (int)apart_pose_from_quat_xyzw(p[3], p[4], p[5], p[6], vec(p), out);
}

EXPORT(pose_rows) int pose_rows(const double *rows, double x, double y, double z, apart_pose *out)
{
    return (int)apart_pose_from_matrix_rows(rows, (apart_vec3){x, y, z}, out);
}

/* ---- queries ---- */

EXPORT(distance)
int distance(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b, const apart_options *options,
             apart_cache *cache, apart_result *result)
{
    return (int)apart_distance(a, pose_a, b, pose_b, options, cache, result);
}

/* The same query again and again, each from the cache as it stands now: to measure. */
EXPORT(distance_repeat)
int distance_repeat(uint32_t times, const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                    const apart_options *options, const apart_cache *cache)
{
    apart_result result;
    int status = APART_OK;
    for (uint32_t i = 0; i < times && status == APART_OK; i++) {
        apart_cache copy = cache != NULL ? *cache : (apart_cache){0};
        status = (int)apart_distance(a, pose_a, b, pose_b, options, cache != NULL ? &copy : NULL, &result);
    }
    return status;
}

EXPORT(overlap)
int overlap(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b, const apart_options *options,
            apart_cache *cache, int *out)
{
    return (int)apart_overlap(a, pose_a, b, pose_b, options, cache, out);
}

EXPORT(penetration_bounds)
int penetration_bounds(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b,
                       const apart_options *options, apart_cache *cache, apart_penetration *out)
{
    return (int)apart_penetration_bounds(a, pose_a, b, pose_b, options, cache, out);
}

EXPORT(depth_cache_size) size_t depth_cache_size(uint32_t vertices) { return APART_DEPTH_CACHE_BYTES(vertices); }

EXPORT(depth_cache_init) int depth_cache_init(void *memory, size_t size, apart_depth_cache **out)
{
    return (int)apart_depth_cache_init(memory, size, out);
}

EXPORT(features)
int features(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b, const apart_result *result,
             apart_feature *on_a, apart_feature *on_b)
{
    return (int)apart_features(a, pose_a, b, pose_b, result, on_a, on_b);
}

EXPORT(verify)
int verify(const apart_shape *a, const apart_pose *pose_a, const apart_shape *b, const apart_pose *pose_b, const apart_result *result,
           apart_proof *out)
{
    return (int)apart_verify(a, pose_a, b, pose_b, result, out);
}
