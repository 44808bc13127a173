/* Finds the files that a robot names. A package is searched in the given folders and in those above the robot's file: a
 * folder is the package if it has its name, or if its package.xml says so. Last, with a warning, files are taken
 * without the package's name: meshes often lie beside the robot although the package is called otherwise. */
#include "../text/file.h"
#include "geometry.h"

typedef struct file_search {
    const char *package; /* its name */
    size_t length;
    const char *rest; /* behind it */
    char *found;      /* owned */
    bool failed;      /* out of memory */
} file_search;

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
    if (ap_file_exists(path)) {
        s->found = path;
        return true;
    }
    free(path);
    return false;
}

/* Does FOLDER/package.xml hold <name>PACKAGE</name>? */
static bool is_declared(const file_search *s, const char *folder, size_t length)
{
    enum { MOST = 1 << 16 };
    char path[1000], *data;
    size_t size;
    if (snprintf(path, sizeof path, "%.*s/package.xml", (int)length, folder) >= (int)sizeof path ||
        !ap_file_exists(path) || ap_file_read(path, MOST, &data, &size, NULL) != APART_OK) {
        return false;
    }
    bool found = false;
    for (size_t i = 0; i + 6 < size && !found; i++) {
        if (memcmp(data + i, "<name>", 6) == 0) {
            size_t at = i + 6;
            while (at < size && strchr(" \t\r\n", data[at]) != NULL) {
                at++;
            }
            found = at + s->length < size && memcmp(data + at, s->package, s->length) == 0 &&
                    strchr(" \t\r\n<", data[at + s->length]) != NULL;
            break;
        }
    }
    free(data);
    return found;
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
    return try_path(s, folder, length, s->package, s->length, s->rest) ||
           ((is_package(s, folder, length) || is_declared(s, folder, length)) &&
            try_path(s, folder, length, "", 0, s->rest));
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

/* Many meshes of one package are one cause. */
static apart_status note_missing(apart_robot *r, const ap_xml_node *node, const file_search *s)
{
    char cause[200];
    const int length = (int)(s->length < 80 ? s->length : 80);
    snprintf(cause, sizeof cause, "the package '%.*s' is not found; files of its names above the robot's are taken",
             length, s->package);
    return ap_xml_note(node, r, cause, "the package '%.*s' is not found; %.200s is taken instead", length, s->package,
                       s->found);
}

static apart_status find_in_packages(apart_robot *r, const char *packages, const char *name, const ap_xml_node *node,
                                     char **path, apart_io_error *error)
{
    const char *package = name + strlen("package://");
    package += *package == '/'; /* package:///NAME/... is in the wild */
    const size_t length = strcspn(package, "/");
    const char *file = apart_robot_file(r);
    file_search s = {.package = package, .length = length, .rest = package + length + (package[length] == '/')};
    bool found = search_list(&s, packages) || search_above(&s, file, false);
    if (!found && search_above(&s, file, true)) {
        found = true;
        s.failed = note_missing(r, node, &s) != APART_OK;
    }
    if (s.failed) {
        free(s.found);
        return ap_report_memory(error, file);
    }
    *path = s.found;
    return found ? APART_OK
                 : ap_report(error, APART_ERR_FILE, node->file, node->line, 0,
                             "cannot find %.200s; it was looked for %s%.120s%sin the folders above the robot's file "
                             "(--packages DIR or NAME=DIR adds more)",
                             name, packages != NULL ? "in " : "", packages != NULL ? packages : "",
                             packages != NULL ? " and " : "");
}

apart_status ap_robot_find_file(apart_robot *r, const char *packages, const char *name, const ap_xml_node *node,
                                char **path, apart_io_error *error)
{
    *path = NULL;
    if (strncmp(name, "package://", 10) == 0) {
        return find_in_packages(r, packages, name, node, path, error);
    }
    name = strncmp(name, "file://", 7) == 0 ? name + 7 : name;
    const char *file = node->file;
    const size_t length = name[0] == '/' ? 0 : folder_length(file, strlen(file));
    file_search s = {.package = name};
    if (try_path(&s, file, length, "", 0, name)) {
        *path = s.found;
        return APART_OK;
    }
    return s.failed ? ap_report_memory(error, file)
                    : ap_report(error, APART_ERR_FILE, node->file, node->line, 0,
                                "the file %.300s does not exist or cannot be read", name);
}
