/* A robot while it is being built. */
#ifndef AP_ROBOT_DRAFT_H
#define AP_ROBOT_DRAFT_H

#include <stdio.h>

#include <apart/hull.h>

#include "report.h"

/* A joint as it was given. */
typedef struct draft_joint {
    apart_robot_joint joint;
    char *parent, *child, *mimics;
} draft_joint;

struct ap_robot_draft {
    draft_joint *joints;
    size_t count;
};

void ap_robot_free_draft(apart_robot *r);

/* There is no draft, or something is missing that must be given. */
static inline apart_status ap_robot_fail_finished(apart_io_error *error)
{
    return ap_robot_fail(error, APART_ERR_NULL, NULL, 0, "a robot that is not finished, and names, are expected");
}

/* " (line 7)", or nothing where no line is known. */
typedef struct ap_line_text {
    char text[40];
} ap_line_text;

static inline ap_line_text ap_robot_in_line(size_t line)
{
    ap_line_text out = {.text = ""};
    if (line > 0) {
        snprintf(out.text, sizeof out.text, " (line %zu)", line);
    }
    return out;
}

#endif
