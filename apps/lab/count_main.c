/* apart-lab-count: the counting half of `apart lab`, linked with a library that counts its multiplications and
 * divisions. See counter.c. */
#include <string.h>

#include "kit.h"

int main(int argc, char **argv)
{
    if (argc > 1) {
        fprintf(stderr, "%s: counts operations for 'apart lab', which starts it; see apps/lab/README.md\n", argv[0]);
        return strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    return lab_counter_serve(stdin, stdout);
}
