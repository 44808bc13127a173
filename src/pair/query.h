/* One question about two bodies: what a public call was given. It is handed on as a whole, so that the stages of a
 * query take one argument instead of seven. */
#ifndef AP_PAIR_QUERY_H
#define AP_PAIR_QUERY_H

#include <apart/distance.h>

typedef struct ap_query {
    const apart_shape *a;
    const apart_pose *pose_a;
    const apart_shape *b;
    const apart_pose *pose_b;
    const apart_options *options; /* never NULL */
    apart_cache *cache;           /* NULL: a cold start */
    apart_result *result;         /* NULL where only yes or no is asked */
} ap_query;

/* Answers a question. */
typedef apart_status ap_query_fn(const ap_query *q);

/* Default options: all bytes are zero. Queries recognise them by this address. */
extern const apart_options ap_default_options;

/* The same question with the bodies in the other order; the result must be swapped back (ap_result_swap). */
static inline ap_query ap_query_swapped(const ap_query *q)
{
    return (ap_query){q->b, q->pose_b, q->a, q->pose_a, q->options, q->cache, q->result};
}

#endif
