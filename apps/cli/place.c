/* Parts of the program that are files of their own. */
#include <string.h>
#include <unistd.h>

#include "cli.h"

bool cli_find_part(const char *const places[2], char path[CLI_PATH_SIZE])
{
    char program[CLI_PATH_SIZE / 2];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    for (int i = 0; i < 2; i++) {
        snprintf(path, CLI_PATH_SIZE, "%s/%s", slash != NULL ? program : ".", places[i]);
        if (access(path, R_OK) == 0) {
            return true;
        }
    }
    return false;
}
