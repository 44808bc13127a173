/* The operation counter of this thread, in instrumented builds. */
#include "op_count.h"

#ifdef APART_INSTRUMENT
_Thread_local ap_operations ap_operation_count;
#endif
