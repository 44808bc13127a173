/* One translation unit of the files that every query runs through, so that the compiler sees across them: a tracked query is too short
 * for ten calls that save and restore registers. */
#include "../pair/pair.c"

#include "../pair/pair_quick.c"

#include "../gjk/gjk.c"

#include "../gjk/gjk_plain.c"

#include "query.c"

#include "../kernels/closed_form.c"

#include "../kernels/curved.c"

#include "../kernels/box_overlap.c"

#include "answer.c"

#include "distance_plain.c"

#include "distance.c"

#include "overlap.c"
