/* SRDF: the pairs of links whose distance does not matter. Groups, states and the rest are passed over. */
#include <string.h>

#include "xml.h"

typedef struct srdf_reader {
    robot *r;
    const char *const *others;
    bool inside;
} srdf_reader;

static bool is_known(const srdf_reader *s, const char *name)
{
    for (size_t i = 0; s->others != NULL && s->others[i] != NULL; i++) {
        if (strcmp(s->others[i], name) == 0) {
            return true;
        }
    }
    return robot_find_link(s->r, name) != ROBOT_NONE;
}

static void start(robot_xml *x, const char *name, const char *const *attributes)
{
    srdf_reader *s = x->user;
    if (!s->inside) {
        if (strcmp(name, "robot") != 0) {
            robot_xml_fail(x, "expected <robot> as the outermost element, found <%.60s>", name);
        }
        s->inside = true;
        return;
    }
    robot_xml_skip(x);
    if (strcmp(name, "disable_collisions") != 0) {
        return;
    }
    const char *first = robot_xml_need(x, name, attributes, "link1"),
               *second = robot_xml_need(x, name, attributes, "link2");
    const char *unknown = !is_known(s, first) ? first : (!is_known(s, second) ? second : NULL);
    if (unknown != NULL) {
        robot_xml_fail(x, "<disable_collisions>: '%.100s' is neither a link of %.100s nor an obstacle", unknown,
                       s->r->file);
    } else if (x->status == APART_OK && robot_disable_pair(s->r, first, second) != APART_OK) {
        x->status = robot_fail_memory(x->error);
    }
}

static void end(robot_xml *x, const char *name)
{
    (void)x;
    (void)name;
}

apart_status robot_read_srdf(const char *path, const char *const *others, robot *r, apart_io_error *error)
{
    srdf_reader s = {.r = r, .others = others};
    robot_xml x = {.user = &s, .start = start, .end = end, .error = error};
    return robot_xml_read(path, &x);
}
