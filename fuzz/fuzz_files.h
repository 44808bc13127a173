/* Files for readers that take names: in a folder of this process, which goes away with it. */
#ifndef AP_FUZZ_FILES_H
#define AP_FUZZ_FILES_H

#include "fuzz.h"

#include <dirent.h>
#include <unistd.h>

static inline char *fuzz_folder(void)
{
    static char folder[256];
    return folder;
}

static inline void fuzz_remove_folder(void)
{
    char path[1024];
    DIR *stream = opendir(fuzz_folder());
    for (struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", fuzz_folder(), entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    if (stream != NULL)
        closedir(stream);
    rmdir(fuzz_folder());
}

/* Writes a file of the folder; its path is valid until the same call site asks for another one. */
static inline void fuzz_write(const char *name, const void *data, size_t size, char path[512])
{
    char *folder = fuzz_folder();
    if (folder[0] == '\0') {
        const char *place = getenv("TMPDIR");
        snprintf(folder, 200, "%s/apart-fuzz-XXXXXX", place != NULL && strlen(place) < 100 ? place : "/tmp");
        check(mkdtemp(folder) != NULL, "there is a folder for temporary files");
        atexit(fuzz_remove_folder);
    }
    snprintf(path, 512, "%s/%s", folder, name);
    FILE *stream = fopen(path, "wb");
    check(stream != NULL && fwrite(data, 1, size, stream) == size, "a temporary file can be written");
    fclose(stream);
}

/* An arm of two joints with a link behind a mimic, for files that are about a robot. */
static const char fuzz_arm[] =
    "<robot name=\"arm\"><link name=\"base\"><collision><geometry><box size=\"0.2 0.2 0.2\"/></geometry></collision>"
    "</link><link name=\"upper\"><collision><origin xyz=\"0.3 0 0\"/><geometry><box size=\"0.5 0.05 0.05\"/>"
    "</geometry></collision></link><link name=\"fore\"><collision><origin xyz=\"0.2 0 0\"/><geometry>"
    "<sphere radius=\"0.05\"/></geometry></collision></link><link name=\"tip\"><collision><geometry>"
    "<cylinder radius=\"0.02\" length=\"0.1\"/></geometry></collision></link>"
    "<joint name=\"turn\" type=\"revolute\"><parent link=\"base\"/><child link=\"upper\"/><axis xyz=\"0 0 1\"/>"
    "<limit lower=\"-2\" upper=\"2\" velocity=\"1\"/></joint>"
    "<joint name=\"bend\" type=\"continuous\"><parent link=\"upper\"/><child link=\"fore\"/>"
    "<origin xyz=\"0.6 0 0\"/><axis xyz=\"0 1 0\"/></joint>"
    "<joint name=\"slide\" type=\"prismatic\"><parent link=\"fore\"/><child link=\"tip\"/><origin xyz=\"0.4 0 0\"/>"
    "<axis xyz=\"1 0 0\"/><limit lower=\"0\" upper=\"0.1\"/><mimic joint=\"turn\" multiplier=\"0.05\"/></joint></robot>";

#endif
