/* Runs every file of a directory through a fuzz target, without libFuzzer: the corpus stays a regression test for any
 * compiler. */
#ifndef _GNU_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST_INPUT = 1 << 20 };

/* A copy of the exact size, so that a memory checker sees every read past the end. */
static int run_file(const char *path)
{
    static uint8_t buffer[LARGEST_INPUT];
    FILE *stream = fopen(path, "rb");
    if (!stream) {
        perror(path);
        return 0;
    }
    const size_t size = fread(buffer, 1, sizeof buffer, stream);
    fclose(stream);
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (!copy) {
        return 0;
    }
    for (size_t i = 0; i < size; i++) {
        copy[i] = buffer[i];
    }
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    return 1;
}

int main(int argc, char **argv)
{
    DIR *directory = argc == 2 ? opendir(argv[1]) : NULL;
    if (!directory) {
        fprintf(stderr, "usage: %s CORPUS_DIRECTORY\n", argv[0]);
        return 2;
    }
    int files = 0, failed = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char path[4096];
        if (entry->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        printf("%s\n", entry->d_name);
        fflush(stdout); /* the name of the file that crashes is the last one printed */
        failed |= !run_file(path);
        files++;
    }
    closedir(directory);
    if (files == 0) {
        fprintf(stderr, "%s: no files\n", argv[1]);
    }
    return files == 0 || failed;
}
