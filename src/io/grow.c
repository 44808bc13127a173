/* Apart from file.c, which needs POSIX: readers from memory work without. */
#include <stdlib.h>

#include "file.h"

void *ap_grow(void *array, size_t *capacity, size_t needed, size_t element_size)
{
    if (needed <= *capacity)
        return array;
    size_t larger = *capacity + *capacity / 2;
    larger = larger < needed ? needed : larger;
    larger = larger < 16 ? 16 : larger;
    if (larger > SIZE_MAX / element_size)
        return NULL;
    void *moved = realloc(array, larger * element_size);
    if (moved)
        *capacity = larger;
    return moved;
}
