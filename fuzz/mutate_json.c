/* Arrays and objects are nested pieces; texts, numbers and words are scalars, keys among them. */
#include <string.h>

#include "mutate.h"

static size_t string_end(const uint8_t *text, size_t size, size_t i)
{
    for (i++; i < size && text[i] != '"'; i++) {
        i += text[i] == '\\' ? 1 : 0;
    }
    return i < size ? i + 1 : size;
}

static size_t word_end(const uint8_t *text, size_t size, size_t i)
{
    while (i < size && text[i] > ' ' && strchr(",:[]{}\"", text[i]) == NULL) {
        i++;
    }
    return i;
}

static void scan(const uint8_t *text, size_t size, mutate_pieces *out)
{
    size_t open[MUTATE_DEEPEST], depth = 0;
    for (size_t i = 0; i < size;) {
        const uint8_t c = text[i];
        if (c == '[' || c == '{') {
            if (depth == MUTATE_DEEPEST) {
                return;
            }
            open[depth++] = i++;
        } else if ((c == ']' || c == '}') && depth > 0) {
            mutate_add(out->nested, &out->nested_count, open[--depth], ++i);
        } else if (c == '"' || word_end(text, size, i) > i) {
            const size_t end = c == '"' ? string_end(text, size, i) : word_end(text, size, i);
            mutate_add(out->scalars, &out->scalar_count, i, end);
            i = end;
        } else {
            i++;
        }
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return mutate_nested(data, size, most, seed, scan, ',');
}
