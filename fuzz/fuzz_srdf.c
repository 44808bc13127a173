/* What an SRDF says about a robot: pairs, states, and a group of it. */
#include <apart/robot_io.h>

#include "fuzz_files.h"

enum { MOST_VARIABLES = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const others[] = {"table", NULL};
    char path[512];
    apart_robot *arm = NULL;
    apart_robot_cell *cell = NULL;
    apart_io_error error = {.message = ""};
    size_t variables[MOST_VARIABLES], count = 0;
    fuzz_write("fuzz.srdf", data, size, path);
    check(apart_robot_read_memory(fuzz_arm, sizeof fuzz_arm - 1, "arm.urdf", NULL, &arm, &error) == APART_OK,
          "the arm is a robot");
    if (apart_robot_read_srdf(path, others, arm, &error) == APART_OK) {
        const apart_status status = apart_robot_cell_create(arm, NULL, &cell);
        check(status == APART_OK || status == APART_ERR_EMPTY, "the arm stays a robot, or no pair is left");
        check(status != APART_OK || apart_robot_pair_count(cell) <= 6, "four links have six pairs");
        apart_robot_cell_free(cell);
    } else {
        check(strstr(error.message, "fuzz.srdf") != NULL, "the message names the file");
    }
    if (apart_robot_read_group(path, "arm", arm, variables, &count, &error) == APART_OK) {
        check(count > 0 && count <= apart_robot_variable_count(arm), "a group moves something");
        for (size_t i = 0; i < count; i++)
            check(variables[i] < apart_robot_variable_count(arm) && (i == 0 || variables[i - 1] < variables[i]),
                  "its variables are the robot's, ascending");
    }
    apart_robot_free(arm);
    return 0;
}
