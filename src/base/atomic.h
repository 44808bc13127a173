/* The few atomic operations that the library needs, relaxed: C11's, or plain ones where the compiler has none. Then
 * loops are not shared out among threads (base/parallel.c), and the only word that threads of the caller may write at once is
 * a pointer, to which all of them write the same value. */
#ifndef AP_BASE_ATOMIC_H
#define AP_BASE_ATOMIC_H

#include "compiler.h"

#if AP_HAVE_ATOMICS
#include <stdatomic.h>
#define AP_ATOMIC(type) _Atomic(type)
#define ap_atomic_load(at) atomic_load_explicit((at), memory_order_relaxed)
#define ap_atomic_store(at, value) atomic_store_explicit((at), (value), memory_order_relaxed)
#define ap_atomic_add(at, value) atomic_fetch_add_explicit((at), (value), memory_order_relaxed)
/* If *at is *known, stores the value and returns true; else sets *known. May fail for no reason. */
#define ap_atomic_exchange_known(at, known, value) \
    atomic_compare_exchange_weak_explicit((at), (known), (value), memory_order_relaxed, memory_order_relaxed)
#else
#define AP_ATOMIC(type) type volatile
#define ap_atomic_load(at) (*(at))
#define ap_atomic_store(at, value) (*(at) = (value))
#define ap_atomic_add(at, value) (*(at) += (value))
#define ap_atomic_exchange_known(at, known, value) \
    (*(at) == *(known) ? (*(at) = (value), true) : (*(known) = *(at), false))
#endif

#endif
