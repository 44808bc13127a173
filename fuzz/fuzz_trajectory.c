/* A trajectory of an arm: CSV, or a JointTrajectory in YAML or JSON. */
#include "fuzz_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[512], yaml[512];
    fuzz_write("way.csv", data, size, path);
    fuzz_write("way.yaml", data, size, yaml);
    const char *const csv[] = {arm_file(), "--traj", path, "--csv", NULL};
    const char *const points[] = {arm_file(), "--traj", yaml, "--json", NULL};
    run_program(&cli_clearance_command, csv, data, size);
    run_program(&cli_clearance_command, points, data, size);
    return 0;
}
