/* Planning problems: every one that can be read makes a cell in which start and goals have a distance. */
#include "fuzz_program.h"

#include <cli/path.h>

static int use(const path_problem *problem, void *context)
{
    apart_robot_work *work;
    apart_compound_result r;
    (void)context;
    check(problem->cell != NULL && problem->name != NULL, "a problem has a name and a cell");
    check(apart_robot_work_create(problem->cell, &work) == APART_OK, "the cell can be asked");
    check(apart_robot_set(work, problem->start) == APART_OK, "the start is a place");
    const apart_status status =
        apart_robot_pair_count(problem->cell) > 0 ? apart_robot_distance(work, 0, &r) : APART_ERR_SIZE;
    check(status != APART_OK || r.result.lower <= r.result.upper, "the bounds are in order");
    apart_robot_work_free(work);
    return CLI_YES;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static apart_robot *arm;
    char path[512];
    FILE *const own = stderr;
    char *messages = NULL;
    size_t length = 0;
    apart_io_error error;
    fuzz_write("problems.json", data, size, path);
    if (arm == NULL)
        check(apart_robot_read(arm_file(), NULL, &arm, &error) == APART_OK, "the arm is a robot");
    const cli_settings settings = {.problems = path};
    stderr = open_memstream(&messages, &length);
    const int status = stderr != NULL ? path_each_problem(&settings, arm, use, NULL) : CLI_BAD;
    fclose(stderr);
    stderr = own;
    check(status != CLI_BAD || length > 0, "bad input gets a message");
    check_printed(messages, length, "messages are printable");
    free(messages);
    return 0;
}
