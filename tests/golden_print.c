/* Prints the golden hashes, of queries and of these with motions, rays and batches: for machines that lack the library
 * of the tests (tools/portability). */
#include "golden.h"

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
    printf("0x%016" PRIx64 " ", golden_hash(false));
    printf("0x%016" PRIx64 "\n", golden_hash(true));
    return 0;
}
