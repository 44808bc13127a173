/* Commands of the program, run in this process on files made of the fuzzer's bytes. A command ends with a status; bad
 * input gets a message; neither answers nor messages have control characters or numbers that are none. */
#ifndef AP_FUZZ_PROGRAM_H
#define AP_FUZZ_PROGRAM_H

#include "fuzz_files.h"

#include <cli/cli.h>

enum { MOST_ARGUMENTS = 64 };

static inline void check_printed(const char *text, size_t size, const char *what)
{
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        check((c >= 0x20 && c != 0x7f) || c == '\n', what);
        check(c != 0xc2 || i + 1 == size || (unsigned char)text[i + 1] >= 0xa0, what);
    }
}

/* Do the bytes hold a word, in any case? */
static inline int holds_word(const void *data, size_t size, const char *word)
{
    const size_t length = strlen(word);
    const unsigned char *text = data;
    for (size_t i = 0; i + length <= size; i++) {
        size_t same = 0;
        while (same < length && (text[i + same] | 0x20) == (unsigned char)word[same])
            same++;
        if (same == length)
            return 1;
    }
    return 0;
}

typedef struct printed {
    FILE *stream;
    char *text;
    size_t size;
} printed;

/* An empty stream in memory. It is kept to the end of the process: a library that is loaded late may remember it as
 * the standard output. */
static inline FILE *empty_stream(printed *p)
{
    if (p->stream == NULL)
        check((p->stream = open_memstream(&p->text, &p->size)) != NULL, "there is memory");
    rewind(p->stream);
    return p->stream;
}

static inline int command_status(const cli_command *command, int count, char **arguments)
{
    cli_settings settings = {.operands = calloc((size_t)count + 1, sizeof(char *))};
    int status = CLI_BAD;
    check(settings.operands != NULL, "there is memory");
    if (cli_parse(command, count, arguments, &settings) == CLI_YES)
        status = settings.given[CLI_HELP] ? CLI_YES : command->run(&settings);
    free(settings.operands);
    return status;
}

/* Runs a command with arguments of its own (up to NULL), some of which come from the input. What it prints is kept
 * apart from what a failed check says. Returns its exit status. */
static inline int run_program(const cli_command *command, const char *const *arguments, const void *data, size_t size)
{
    FILE *const own[2] = {stdout, stderr};
    static printed out, messages;
    char *copies[MOST_ARGUMENTS] = {NULL};
    int count = 0;
    for (; arguments[count] != NULL && count < MOST_ARGUMENTS; count++)
        check((copies[count] = strdup(arguments[count])) != NULL, "there is memory");
    stdout = empty_stream(&out);
    stderr = empty_stream(&messages);
    const int status = command_status(command, count, copies);
    fflush(stdout);
    fflush(stderr);
    stdout = own[0], stderr = own[1];
    check(status >= CLI_YES && status <= CLI_UNDECIDED, "the exit status is one of four");
    check(status != CLI_BAD || holds_word(messages.text, messages.size, "apart:"), "bad input gets a message");
    check_printed(out.text, out.size, "what is printed is printable");
    check_printed(messages.text, messages.size, "messages are printable");
    check(!holds_word(out.text, out.size, "nan") || holds_word(data, size, "nan") || holds_word(data, size, "\\u"),
          "no answer is NaN");
    for (int i = 0; i < count; i++)
        free(copies[i]);
    return status;
}

/* The arm of fuzz_files.h as a file. */
static inline const char *arm_file(void)
{
    static char path[512];
    if (path[0] == '\0')
        fuzz_write("arm.urdf", fuzz_arm, sizeof fuzz_arm - 1, path);
    return path;
}

#endif
