/* A robot in JSON: what is in it, and how near its bodies come. */
#include "fuzz_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[512];
    fuzz_write("robot.json", data, size, path);
    const char *const list[] = {path, "--json", NULL};
    const char *const clearance[] = {path, "--pairs", "--json", NULL};
    if (run_program(&cli_robot_command, list, data, size) != CLI_BAD)
        run_program(&cli_clearance_command, clearance, data, size);
    return 0;
}
