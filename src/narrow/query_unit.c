/* One translation unit of the files that every query runs through, so that the compiler sees across them: a tracked query is too short
 * for ten calls that save and restore registers. */
#include "pair.c"

#include "pair_quick.c"

#include "gjk.c"

#include "gjk_plain.c"

#include "query.c"

#include "closed_form.c"

#include "curved.c"

#include "box_overlap.c"

#include "answer.c"

#include "distance_plain.c"

#include "distance.c"

#include "overlap.c"
