/* What a robot carries, and the robots beside it (--cell). */
#include "fuzz_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[512];
    fuzz_write("cell.json", data, size, path);
    const char *const arguments[] = {arm_file(), "--cell", path, "--joints", "turn=0.5,bend=1; turn=1", NULL};
    run_program(&cli_clearance_command, arguments, data, size);
    return 0;
}
