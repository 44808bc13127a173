/* A scene: pairs of its bodies step by step, and the same file simulated. */
#include "fuzz_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[512];
    fuzz_write("scene.json", data, size, path);
    const char *const pairs[] = {path, "--steps", "2", "--nearest", "3", NULL};
    const char *const json[] = {path, "--steps", "1", "--below", "1", "--max-pairs", "9", "--json", NULL};
    const char *const simulation[] = {path, "--steps", "2", "--json", NULL};
    const int status = run_program(&cli_scene_command, pairs, data, size);
    check((run_program(&cli_scene_command, json, data, size) == CLI_BAD) == (status == CLI_BAD) || status == CLI_BAD,
          "what can be read once can be read again");
    run_program(&cli_simulate_command, simulation, data, size);
    return 0;
}
