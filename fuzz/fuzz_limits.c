/* How far pairs of an arm must be apart (--limits). */
#include "fuzz_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[512];
    fuzz_write("limits.csv", data, size, path);
    const char *const arguments[] = {arm_file(), "--limits", path, "--pairs", NULL};
    run_program(&cli_clearance_command, arguments, data, size);
    return 0;
}
