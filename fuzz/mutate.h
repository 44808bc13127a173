/* Mutations that keep nested texts nested: pieces (elements of XML, values of JSON) are copied, moved and dropped as a
 * whole, scalars are exchanged. mutate_json.c and mutate_xml.c know the grammar; they are linked to the targets that
 * fuzz/CMakeLists.txt lists, blind mutation being useless there. */
#ifndef AP_FUZZ_MUTATE_H
#define AP_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

enum { MUTATE_MOST_PIECES = 512, MUTATE_DEEPEST = 64 };

typedef struct mutate_piece {
    size_t start, end;
} mutate_piece;

/* What a text consists of. */
typedef struct mutate_pieces {
    mutate_piece nested[MUTATE_MOST_PIECES], scalars[MUTATE_MOST_PIECES];
    size_t nested_count, scalar_count;
} mutate_pieces;

/* The grammar. A text that is not well-formed has fewer pieces. */
typedef void mutate_scan(const uint8_t *text, size_t size, mutate_pieces *out);

static inline void mutate_add(mutate_piece *list, size_t *count, size_t start, size_t end)
{
    if (*count < MUTATE_MOST_PIECES && start < end) {
        list[(*count)++] = (mutate_piece){start, end};
    }
}

/* `separator` stands between neighbours, 0: nothing does. Returns the new size. */
size_t mutate_nested(uint8_t *data, size_t size, size_t most, unsigned seed, mutate_scan *scan, char separator);

#endif
