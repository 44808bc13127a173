#include "mutate.h"

#include <stdlib.h>
#include <string.h>

/* libFuzzer's own mutations. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

enum { KINDS = 8 };

static const char *const scalars[] = {"0",      "-1",     "1",     "-0.0",       "1e308",
                                      "-1e308", "5e-324", "1e-9",  "4294967296", "1e17",
                                      "0 0 0",  "1 0 0",  "1 2 3", "\"\"",       "true",
                                      "null",   "nan",    "inf",   "0.5",        "3.14159265358979312"};

static uint32_t next(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Puts `length` bytes and perhaps a separator in the place of a piece. False: there is no room. */
static int put(uint8_t *data, size_t *size, size_t most, mutate_piece piece, const uint8_t *text, size_t length,
               char separator)
{
    const size_t extra = separator != 0 ? 1 : 0, removed = piece.end - piece.start;
    if (*size - removed + length + extra > most) {
        return 0;
    }
    uint8_t *copy = malloc(length + 1);
    if (copy == NULL) {
        return 0;
    }
    memcpy(copy, text, length); /* it may be a part of the data */
    memmove(data + piece.start + length + extra, data + piece.end, *size - piece.end);
    memcpy(data + piece.start, copy, length);
    if (extra == 1) {
        data[piece.start + length] = (uint8_t)separator;
    }
    free(copy);
    *size = *size - removed + length + extra;
    return 1;
}

static int drop(uint8_t *data, size_t *size, mutate_piece piece, char separator)
{
    while (separator != 0 && piece.end < *size && data[piece.end] == ' ') {
        piece.end++;
    }
    piece.end += separator != 0 && piece.end < *size && data[piece.end] == (uint8_t)separator ? 1 : 0;
    return put(data, size, *size, piece, data, 0, 0);
}

static int change(uint8_t *data, size_t *size, size_t most, uint32_t *state, const mutate_pieces *p, char separator)
{
    const uint32_t kind = next(state) % KINDS;
    if (kind < 4 && p->nested_count > 0) {
        const mutate_piece from = p->nested[next(state) % p->nested_count];
        const mutate_piece to = p->nested[next(state) % p->nested_count];
        const mutate_piece before = {to.start, to.start};
        return kind == 0   ? drop(data, size, to, separator)
               : kind == 1 ? put(data, size, most, to, data + from.start, from.end - from.start, 0)
                           : put(data, size, most, before, data + from.start, from.end - from.start, separator);
    }
    if (p->scalar_count == 0) {
        return 0;
    }
    const mutate_piece to = p->scalars[next(state) % p->scalar_count];
    if (kind < 6) {
        const mutate_piece from = p->scalars[next(state) % p->scalar_count];
        return put(data, size, most, to, data + from.start, from.end - from.start, 0);
    }
    const char *text = scalars[next(state) % (sizeof scalars / sizeof scalars[0])];
    return put(data, size, most, to, (const uint8_t *)text, strlen(text), 0);
}

size_t mutate_nested(uint8_t *data, size_t size, size_t most, unsigned seed, mutate_scan *scan, char separator)
{
    static mutate_pieces pieces;
    uint32_t state = seed * 2654435761U + 1U;
    if (next(&state) % 3 == 0) {
        return LLVMFuzzerMutate(data, size, most);
    }
    pieces.nested_count = pieces.scalar_count = 0;
    scan(data, size, &pieces);
    size_t changed = size;
    return change(data, &changed, most, &state, &pieces, separator) ? changed : LLVMFuzzerMutate(data, size, most);
}
