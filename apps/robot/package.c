/* Finds the files that a URDF names. A package is searched under the given folders, then under the folders above the
 * URDF, and last, with a warning, without its name beside the URDF: meshes often lie there although the package is
 * called otherwise. */
#include <stdlib.h>
#include <string.h>

#include "package.h"

typedef struct file_search {
    const char *package; /* its name */
    size_t length;
    const char *rest; /* behind it */
    char *found;      /* owned */
    bool failed;      /* out of memory */
} file_search;

static bool is_file(const char *path)
{
    FILE *stream = fopen(path, "rb");
    char byte;
    if (stream == NULL) {
        return false;
    }
    const bool readable = fread(&byte, 1, 1, stream) == 1 || !ferror(stream); /* a folder opens, but cannot be read */
    fclose(stream);
    return readable;
}

/* FOLDER/MIDDLE/REST if that is a file; the middle may be empty. */
static bool try_path(file_search *s, const char *folder, size_t folder_length, const char *middle, size_t middle_length,
                     const char *rest)
{
    const size_t size = folder_length + middle_length + strlen(rest) + 3;
    char *path = malloc(size);
    if (path == NULL) {
        s->failed = true;
        return false;
    }
    snprintf(path, size, "%.*s%s%.*s%s%s", (int)folder_length, folder, folder_length > 0 ? "/" : "", (int)middle_length,
             middle, middle_length > 0 ? "/" : "", rest);
    if (is_file(path)) {
        s->found = path;
        return true;
    }
    free(path);
    return false;
}

/* Is the last name of the folder that of the package? */
static bool is_package(const file_search *s, const char *folder, size_t length)
{
    size_t start = length;
    while (start > 0 && folder[start - 1] != '/') {
        start--;
    }
    return length - start == s->length && strncmp(folder + start, s->package, s->length) == 0;
}

static bool search_folder(file_search *s, const char *folder, size_t length)
{
    return (is_package(s, folder, length) && try_path(s, folder, length, "", 0, s->rest)) ||
           try_path(s, folder, length, s->package, s->length, s->rest);
}

/* FOLDER:NAME=FOLDER:... */
static bool search_list(file_search *s, const char *list)
{
    while (list != NULL && *list != '\0') {
        const size_t length = strcspn(list, ":");
        const char *equals = memchr(list, '=', length);
        if (equals == NULL) {
            if (search_folder(s, list, length)) {
                return true;
            }
        } else if ((size_t)(equals - list) == s->length && strncmp(list, s->package, s->length) == 0 &&
                   try_path(s, equals + 1, length - s->length - 1, "", 0, s->rest)) {
            return true;
        }
        list += length + (list[length] == ':');
    }
    return false;
}

/* The folder of a file, without the slash at its end. */
static size_t folder_length(const char *file, size_t length)
{
    while (length > 0 && file[length - 1] != '/') {
        length--;
    }
    return length > 1 ? length - 1 : length;
}

static bool search_above(file_search *s, const char *file, bool without_name)
{
    size_t length = folder_length(file, strlen(file));
    const bool absolute = file[0] == '/';
    for (;;) {
        const char *folder = length > 0 ? file : ".";
        const size_t used = length > 0 ? length : 1;
        if (without_name ? try_path(s, folder, used, "", 0, s->rest) : search_folder(s, folder, used)) {
            return true;
        }
        if (length == 0 || (absolute && length == 1)) {
            return false;
        }
        length = folder_length(file, length);
    }
}

static apart_status find_in_packages(robot *r, const char *packages, const char *name, size_t line, char **path,
                                     apart_io_error *error)
{
    const char *package = name + strlen("package://");
    const size_t length = strcspn(package, "/");
    file_search s = {.package = package, .length = length, .rest = package + length + (package[length] == '/')};
    bool found = search_list(&s, packages) || search_above(&s, r->file, false);
    if (!found && search_above(&s, r->file, true)) {
        char text[512];
        found = true;
        snprintf(text, sizeof text, "%.150s:%zu: the package '%.*s' is not found; %.200s is taken instead", r->file,
                 line, (int)(length < 80 ? length : 80), package, s.found);
        s.failed = robot_add_note(r, &(robot_note){.kind = ROBOT_NOTE_WARNING, .text = text}) != APART_OK;
    }
    if (s.failed) {
        free(s.found);
        return robot_fail_memory(error);
    }
    *path = s.found;
    return found
               ? APART_OK
               : robot_fail(
                     error, APART_ERR_FILE, r->file, line,
                     "cannot find %s; it was looked for %s%s%sin the folders above the URDF (--packages DIR or NAME=DIR adds more)",
                     name, packages != NULL ? "in " : "", packages != NULL ? packages : "",
                     packages != NULL ? " and " : "");
}

apart_status robot_find_file(robot *r, const char *packages, const char *name, size_t line, char **path,
                             apart_io_error *error)
{
    *path = NULL;
    if (strncmp(name, "package://", 10) == 0) {
        return find_in_packages(r, packages, name, line, path, error);
    }
    name = strncmp(name, "file://", 7) == 0 ? name + 7 : name;
    const size_t length = name[0] == '/' ? 0 : folder_length(r->file, strlen(r->file));
    file_search s = {.package = name};
    if (try_path(&s, r->file, length, "", 0, name)) {
        *path = s.found;
        return APART_OK;
    }
    return s.failed
               ? robot_fail_memory(error)
               : robot_fail(error, APART_ERR_FILE, r->file, line, "the file %s does not exist or cannot be read", name);
}
