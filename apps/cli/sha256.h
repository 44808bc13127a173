/* SHA-256 (FIPS 180-4): the digests of result files. */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct sha256 {
    uint32_t state[8];
    uint64_t length; /* in bytes */
    uint8_t block[64];
} sha256;

void sha256_begin(sha256 *s);
void sha256_add(sha256 *s, const void *data, size_t size);
/* Sixty-four digits and a zero. */
enum { SHA256_TEXT_SIZE = 65 };
void sha256_end(sha256 *s, char text[SHA256_TEXT_SIZE]);

#endif
