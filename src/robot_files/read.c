/* A robot from a file, by its outermost element. */
#include "../text/file.h"
#include "geometry.h"

static apart_status read_tree(ap_xml_tree *tree, ap_xml_node *root, const apart_robot_read_options *options,
                              apart_robot *r, apart_io_error *error)
{
    if (ap_xml_is(root, "robot")) {
        return ap_robot_read_urdf(tree, root, options, r, error);
    }
    if (ap_xml_is(root, "mujoco")) {
        return ap_robot_read_mjcf(tree, root, options, r, error);
    }
    return ap_xml_fail(root, error,
                       "expected <robot> (URDF) or <mujoco> (MJCF) as the outermost element, found <%.60s>",
                       root->name);
}

apart_status apart_robot_read_memory(const void *data, size_t size, const char *name,
                                     const apart_robot_read_options *options, apart_robot **out, apart_io_error *error)
{
    static const apart_robot_read_options none = {.packages = NULL};
    if (data == NULL || name == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    *out = NULL;
    ap_xml_tree tree = {.root = NULL};
    ap_xml_node *root = NULL;
    apart_robot *r = apart_robot_new(name);
    apart_status status = r != NULL ? ap_xml_parse(&tree, data, size, name, &root, error) : APART_ERR_MEMORY;
    if (status == APART_OK) {
        status = read_tree(&tree, root, options != NULL ? options : &none, r, error);
    }
    ap_xml_free(&tree);
    if (status != APART_OK) {
        apart_robot_free(r);
        return status;
    }
    *out = r;
    return APART_OK;
}

apart_status apart_robot_read(const char *path, const apart_robot_read_options *options, apart_robot **out,
                              apart_io_error *error)
{
    char *data;
    size_t size;
    if (path == NULL || out == NULL) {
        return APART_ERR_NULL;
    }
    *out = NULL;
    apart_status status = ap_file_read(path, AP_FILE_LIMIT, &data, &size, error);
    if (status == APART_OK) {
        status = apart_robot_read_memory(data, size, path, options, out, error);
        free(data);
    }
    return status;
}
