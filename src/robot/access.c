/* What a model knows, by number and by name. */
#include <math.h>

#include "report.h"

const char *apart_robot_name(const apart_robot *r) { return r->name; }
const char *apart_robot_file(const apart_robot *r) { return r->file; }
size_t apart_robot_link_count(const apart_robot *r) { return r->link_count; }
const apart_robot_link *apart_robot_link_at(const apart_robot *r, size_t link) { return &r->links[link]; }
size_t apart_robot_joint_count(const apart_robot *r) { return r->joint_count; }
const apart_robot_joint *apart_robot_joint_at(const apart_robot *r, size_t joint) { return &r->joints[joint]; }
size_t apart_robot_variable_count(const apart_robot *r) { return r->variable_count; }
size_t apart_robot_note_count(const apart_robot *r) { return r->note_count; }
const apart_robot_note *apart_robot_note_at(const apart_robot *r, size_t note) { return &r->notes[note]; }
size_t apart_robot_state_count(const apart_robot *r) { return r->state_count; }

const apart_robot_state_value *apart_robot_state_at(const apart_robot *r, size_t value) { return &r->states[value]; }

const apart_robot_joint *apart_robot_variable(const apart_robot *r, size_t variable)
{
    return &r->joints[r->variables[variable]];
}

size_t apart_robot_find_link(const apart_robot *r, const char *name)
{
    for (size_t i = 0; i < r->link_count; i++) {
        if (strcmp(r->links[i].name, name) == 0) {
            return i;
        }
    }
    return APART_ROBOT_NONE;
}

size_t apart_robot_find_variable(const apart_robot *r, const char *name)
{
    for (size_t i = 0; i < r->variable_count; i++) {
        if (strcmp(apart_robot_variable(r, i)->name, name) == 0) {
            return i;
        }
    }
    return APART_ROBOT_NONE;
}

const char *apart_joint_kind_name(int kind)
{
    static const char *const names[] = {"fixed", "rotary", "continuous", "sliding"};
    return kind >= 0 && kind <= APART_JOINT_SLIDING ? names[kind] : "?";
}

double apart_robot_reach(const apart_robot *r)
{
    double longest = 1e-300;
    for (size_t i = 1; i < r->link_count; i++) {
        double length = 0.0;
        for (size_t link = i; link > 0; link = r->joints[link - 1].parent) {
            const double slide =
                r->frames[r->frame_of[link]].joint == link - 1 ? r->frames[r->frame_of[link]].farthest : 0.0;
            length += apart_vec3_norm(r->joints[link - 1].origin.translation) + (isfinite(slide) ? slide : 0.0);
        }
        longest = length > longest ? length : longest;
    }
    return longest;
}

void apart_robot_rest(const apart_robot *r, double *q)
{
    for (size_t v = 0; v < r->variable_count; v++) {
        const apart_robot_joint *joint = apart_robot_variable(r, v);
        q[v] = joint->lower > 0.0 ? joint->lower : (joint->upper < 0.0 ? joint->upper : 0.0);
    }
}
