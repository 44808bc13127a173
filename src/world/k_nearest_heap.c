/* The nearest pairs so far, in the caller's list: a heap with the worst on top, so that a nearer one replaces it. */
#include "world.h"

/* Ties go to the lower slots, so that the answer does not depend on the way it was found. */
static bool is_nearer(const apart_world_pair *x, const apart_world_pair *y)
{
    if (x->distance != y->distance) {
        return x->distance < y->distance;
    }
    return x->a.slot != y->a.slot ? x->a.slot < y->a.slot : x->b.slot < y->b.slot;
}

static void swap(apart_world_pair *x, apart_world_pair *y)
{
    const apart_world_pair t = *x;
    *x = *y;
    *y = t;
}

static void sink(apart_world_pair *heap, size_t at, size_t count)
{
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && is_nearer(&heap[child], &heap[child + 1])) {
            child++;
        }
        if (!is_nearer(&heap[at], &heap[child])) {
            return;
        }
        swap(&heap[at], &heap[child]);
        at = child;
    }
}

static void rise(apart_world_pair *heap, size_t at)
{
    while (at > 0 && is_nearer(&heap[(at - 1) / 2], &heap[at])) {
        swap(&heap[(at - 1) / 2], &heap[at]);
        at = (at - 1) / 2;
    }
}

void ap_best_add(apart_world_list *list, const apart_world_pair *pair)
{
    list->total++;
    if (list->count < list->capacity) {
        list->pairs[list->count++] = *pair;
        rise(list->pairs, list->count - 1);
    } else if (is_nearer(pair, &list->pairs[0])) {
        list->pairs[0] = *pair;
        sink(list->pairs, 0, list->count);
    }
}

double ap_best_limit(const apart_world_list *list)
{
    return list->count < list->capacity ? INFINITY : list->pairs[0].upper;
}

void ap_best_sort(apart_world_list *list)
{
    for (size_t end = list->count; end > 1; end--) {
        swap(&list->pairs[0], &list->pairs[end - 1]);
        sink(list->pairs, 0, end - 1);
    }
}
