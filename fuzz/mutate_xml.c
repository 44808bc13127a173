/* Elements with all that is in them are nested pieces; values of attributes, without their quotes, are scalars. */
#include "mutate.h"

/* The end of a tag, and the values in it. */
static size_t tag_end(const uint8_t *text, size_t size, size_t i, mutate_pieces *out)
{
    for (; i < size && text[i] != '>'; i++) {
        if (text[i] != '"' && text[i] != '\'') {
            continue;
        }
        const uint8_t quote = text[i];
        const size_t start = i + 1;
        for (i = start; i < size && text[i] != quote;) {
            i++;
        }
        mutate_add(out->scalars, &out->scalar_count, start, i);
    }
    return i < size ? i + 1 : size;
}

static void scan(const uint8_t *text, size_t size, mutate_pieces *out)
{
    size_t open[MUTATE_DEEPEST], depth = 0;
    for (size_t i = 0; i < size;) {
        if (text[i] != '<') {
            i++;
            continue;
        }
        const size_t end = tag_end(text, size, i, out);
        const uint8_t first = i + 1 < size ? text[i + 1] : '?';
        if (first == '/') {
            if (depth > 0) {
                mutate_add(out->nested, &out->nested_count, open[--depth], end);
            }
        } else if (end >= 2 && text[end - 2] == '/') {
            mutate_add(out->nested, &out->nested_count, i, end);
        } else if (first != '?' && first != '!') {
            if (depth == MUTATE_DEEPEST) {
                return;
            }
            open[depth++] = i;
        }
        i = end;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return mutate_nested(data, size, most, seed, scan, 0);
}
