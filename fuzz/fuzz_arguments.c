/* The command line: the first byte chooses a command, the other arguments stand on lines. Without '/', so that files
 * are neither read nor written elsewhere. */
#include "fuzz_program.h"

static const char mesh[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const cli_command *const commands[] = {&cli_distance_command, &cli_overlap_command, &cli_verify_command,
                                                  &cli_toi_command};
    static char part[512];
    char text[4096];
    const char *arguments[MOST_ARGUMENTS] = {NULL};
    if (size < 2 || size > sizeof text || memchr(data, '/', size) != NULL)
        return 0;
    if (part[0] == '\0')
        fuzz_write("part.obj", mesh, sizeof mesh - 1, part);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    size_t count = 0;
    for (char *line = strtok(text, "\n"); line != NULL && count + 1 < MOST_ARGUMENTS; line = strtok(NULL, "\n")) {
        const char *const bad[] = {"--svg", "--record", "--trace", "-", NULL}; /* these write, or wait for input */
        for (int i = 0; bad[i] != NULL; i++) {
            if (strncmp(line, bad[i], strlen(bad[i])) == 0 && (i < 3 || line[1] == '\0'))
                return 0;
        }
        arguments[count++] = strcmp(line, "part.obj") == 0 ? part : line;
    }
    run_program(commands[data[0] % 4], arguments, data, size);
    return 0;
}
