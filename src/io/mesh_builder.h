/* What the mesh readers share: a mesh that grows with what is really in the file, and its checks. */
#ifndef AP_IO_MESH_BUILDER_H
#define AP_IO_MESH_BUILDER_H

#include <apart/io.h>

typedef struct ap_mesh_builder {
    apart_mesh mesh;
    size_t xyz_capacity, size_capacity, index_capacity;
    int index_base;          /* 1 when the file counts vertices from 1 */
    uint64_t largest_index;  /* from 0; checked at the end, since faces may precede vertices */
    size_t largest_line, largest_column;
    const char *name;
    apart_io_error *error;
} ap_mesh_builder;

/* Appends a vertex. APART_ERR_MEMORY. */
apart_status ap_mesh_add_vertex(ap_mesh_builder *b, const double xyz[3]);

/* Appends a vertex number (from 0) of the face that ap_mesh_end_face will close. */
apart_status ap_mesh_add_index(ap_mesh_builder *b, uint64_t index, size_t line, size_t column);

/* Closes a face whose last `size` indices were added. */
apart_status ap_mesh_end_face(ap_mesh_builder *b, size_t size);

/* One reader per format; the mesh is complete but for the check of its indices. */
typedef apart_status ap_mesh_reader(ap_mesh_builder *b, const void *data, size_t size);
ap_mesh_reader ap_mesh_read_obj, ap_mesh_read_stl, ap_mesh_read_ply, ap_mesh_read_off, ap_mesh_read_points;

/* Is this a binary STL file by its size and count? */
int ap_stl_is_binary(const void *data, size_t size);

/* The format that the extension of a file name stands for; APART_MESH_AUTO if none. */
int ap_mesh_format_of_name(const char *name);

#endif
