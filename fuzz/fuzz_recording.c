/* A recording for the viewer's page. The page itself is not there: only that the file was read is seen. */
#include "fuzz_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[512];
    fuzz_write("recording.json", data, size, path);
    const char *const arguments[] = {path, "-o", "-", NULL};
    run_program(&cli_view_command, arguments, data, size);
    return 0;
}
