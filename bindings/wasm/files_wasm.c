/* Files that JavaScript has put into memory, in place of src/io/file.c: what the readers of robots open by name. */
#include <stdlib.h>
#include <string.h>

#include <text/file.h>
#include <text/report.h>

#define EXPORT(name) __attribute__((export_name(#name)))

typedef struct file {
    struct file *next;
    char *data;
    size_t size;
    char name[];
} file;

static file *files;

EXPORT(files_clear) void files_clear(void)
{
    while (files != NULL) {
        file *next = files->next;
        free(files->data);
        free(files);
        files = next;
    }
}

/* Room for the bytes of a file, which the caller fills; NULL: no memory. */
EXPORT(files_add) char *files_add(const char *name, size_t size)
{
    file *f = malloc(sizeof *f + strlen(name) + 1);
    if (f == NULL) {
        return NULL;
    }
    *f = (file){.next = files, .data = malloc(size + 1), .size = size};
    if (f->data == NULL) {
        free(f);
        return NULL;
    }
    memcpy(f->name, name, strlen(name) + 1);
    files = f;
    return f->data;
}

/* "a/./b/../c" is "a/c"; every ".." goes as far up as there are folders. */
static void tidy(const char *path, char *out)
{
    size_t used = 0;
    while (*path != '\0') {
        const size_t length = strcspn(path, "/");
        if (length == 2 && memcmp(path, "..", 2) == 0) {
            while (used > 0 && out[used - 1] == '/') {
                used--;
            }
            while (used > 0 && out[used - 1] != '/') {
                used--;
            }
        } else if (length > 0 && !(length == 1 && *path == '.')) {
            if (used > 0 && out[used - 1] != '/') {
                out[used++] = '/';
            }
            memcpy(out + used, path, length);
            used += length;
        }
        path += length + (path[length] == '/');
    }
    out[used] = '\0';
}

static const file *find(const char *path)
{
    char *plain = malloc(strlen(path) + 2);
    const file *f = files;
    if (plain == NULL) {
        return NULL;
    }
    tidy(path, plain);
    while (f != NULL && strcmp(f->name, plain) != 0) {
        f = f->next;
    }
    free(plain);
    return f;
}

bool ap_file_exists(const char *path) { return find(path) != NULL; }

apart_status ap_file_read(const char *path, size_t limit, char **data, size_t *size, apart_io_error *error)
{
    const file *f = find(path);
    *data = NULL;
    *size = 0;
    if (f == NULL) {
        return ap_report(error, APART_ERR_FILE, path, 0, 0, "is not among the files that were dropped");
    }
    if (f->size > limit) {
        return ap_report(error, APART_ERR_FILE, path, 0, 0, "larger than %zu bytes, the limit for a file", limit);
    }
    *data = malloc(f->size + 1);
    if (*data == NULL) {
        return ap_report_memory(error, path);
    }
    memcpy(*data, f->data, f->size);
    *size = f->size;
    return APART_OK;
}
