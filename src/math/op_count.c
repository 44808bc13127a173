/* The operation counter, one for each thread; it exists in instrumented builds only. */
#include "op_count.h"

#ifdef APART_INSTRUMENT
_Thread_local ap_operations ap_operation_count;
#endif
