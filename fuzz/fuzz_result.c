/* A result in JSON, checked for two bodies. */
#include "fuzz_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[512];
    fuzz_write("result.json", data, size, path);
    const char *const arguments[] =
        {"box:1,0.5,0.25", "cylinder:0.5,1", "--pose-b", "xyz=3,0.25,0", "--result", path, NULL};
    run_program(&cli_verify_command, arguments, data, size);
    return 0;
}
