/* The names of the compound queries in their second compilation, for AVX2 with FMA (AP_COMPILE_AVX2): as narrow/level.h, with
 * dispatch.c to choose at run time. Same bits from both. */
#ifndef AP_COMPOUND_LEVEL_H
#define AP_COMPOUND_LEVEL_H

#ifdef AP_COMPILE_AVX2
#define ap_compound_far_part ap_compound_far_part_avx2
#define ap_compound_near_part ap_compound_near_part_avx2
#define ap_part_reach ap_part_reach_avx2
#define ap_search_few_nearest ap_search_few_nearest_avx2
#define ap_search_few_prove ap_search_few_prove_avx2
#define ap_search_first ap_search_first_avx2
#define ap_search_guess ap_search_guess_avx2
#define ap_search_is_clear_pair ap_search_is_clear_pair_avx2
#define ap_search_many_prove ap_search_many_prove_avx2
#define ap_search_near_prove ap_search_near_prove_avx2
#define ap_search_open ap_search_open_avx2
#define ap_search_proves ap_search_proves_avx2
#define ap_search_survey ap_search_survey_avx2
#define ap_search_use_normal ap_search_use_normal_avx2
#define ap_search_walk ap_search_walk_avx2
#define ap_shape_reach ap_shape_reach_avx2
#define ap_solids_distance ap_solids_distance_avx2
#define ap_solids_overlap ap_solids_overlap_avx2
#endif

#endif
