/* The operation counter of this thread, in instrumented builds. */
#include "count.h"

#ifdef APART_INSTRUMENT
_Thread_local ap_operations ap_operation_count;
#endif
