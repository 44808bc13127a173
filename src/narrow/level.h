/* The names of the query code in its second compilation, for AVX2 with FMA (AP_COMPILE_AVX2). Every file of this folder that a query runs
 * through is compiled twice from the same source; dispatch.c chooses at run time. Same bits from both (simd/lanes.h, math/eft.h). */
#ifndef AP_NARROW_LEVEL_H
#define AP_NARROW_LEVEL_H

#ifdef AP_COMPILE_AVX2
#define apart_depth_cache_init ap_depth_cache_init_avx2
#define apart_depth_cache_clear ap_depth_cache_clear_avx2
#define ap_box_box_depth ap_box_box_depth_avx2
#define ap_closed_form ap_closed_form_avx2
#define ap_closest_in_plane ap_closest_in_plane_avx2
#define ap_depth_build_surface ap_depth_build_surface_avx2
#define ap_depth_cache_load ap_depth_cache_load_avx2
#define ap_depth_cache_store ap_depth_cache_store_avx2
#define ap_depth_find ap_depth_find_avx2
#define ap_depth_in_plane ap_depth_in_plane_avx2
#define ap_depth_is_enough ap_depth_is_enough_avx2
#define ap_depth_take_vertex ap_depth_take_vertex_avx2
#define ap_depth_track ap_depth_track_avx2
#define ap_enclose ap_enclose_avx2
#define ap_enclose_in_plane ap_enclose_in_plane_avx2
#define ap_enclosure_probe ap_enclosure_probe_avx2
#define ap_enclosure_separates ap_enclosure_separates_avx2
#define ap_gjk_expect ap_gjk_expect_avx2
#define ap_gjk_first_direction ap_gjk_first_direction_avx2
#define ap_gjk_run ap_gjk_run_avx2
#define ap_gjk_skip ap_gjk_skip_avx2
#define ap_gjk_start ap_gjk_start_avx2
#define ap_gjk_store ap_gjk_store_avx2
#define ap_gjk_track ap_gjk_track_avx2
#define ap_half_space_distance ap_half_space_distance_avx2
#define ap_pair_prepare ap_pair_prepare_avx2
#define ap_pair_status ap_pair_status_avx2
#define ap_pair_support ap_pair_support_avx2
#define ap_pair_vertex ap_pair_vertex_avx2
#define ap_polytope_bipyramid ap_polytope_bipyramid_avx2
#define ap_polytope_insert ap_polytope_insert_avx2
#define ap_polytope_is_closed ap_polytope_is_closed_avx2
#define ap_polytope_locate ap_polytope_locate_avx2
#define ap_polytope_nearest ap_polytope_nearest_avx2
#define ap_polytope_refresh ap_polytope_refresh_avx2
#define ap_polytope_set_aside ap_polytope_set_aside_avx2
#define ap_polytope_tetrahedron ap_polytope_tetrahedron_avx2
#define ap_query_begin ap_query_begin_avx2
#define ap_query_distance ap_query_distance_avx2
#define ap_query_end ap_query_end_avx2
#define ap_query_loop ap_query_loop_avx2
#define ap_query_overlap ap_query_overlap_avx2
#define ap_query_penetration_bounds ap_query_penetration_bounds_avx2
#define ap_query_run ap_query_run_avx2
#define ap_query_trace ap_query_trace_avx2
#define ap_revolution_plane ap_revolution_plane_avx2
#define ap_solve_default ap_solve_default_avx2
#define ap_solve_double_double ap_solve_double_double_avx2
#endif

#endif
