/* The certificate of a planned path: whatever it says is proved, refuted, undecided, or bad input. */
#include "fuzz_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[512];
    fuzz_write("certificate.json", data, size, path);
    const char *const arguments[] = {arm_file(), path, "--json", NULL};
    run_program(&cli_verify_plan_command, arguments, data, size);
    return 0;
}
