/* Shared by the mesh readers: a mesh that grows with what the file really contains, whatever its header claims. */
#ifndef AP_MESH_FILES_BUILDER_H
#define AP_MESH_FILES_BUILDER_H

#include <apart/io.h>

typedef struct ap_mesh_builder {
    apart_mesh_data mesh;
    size_t xyz_capacity, size_capacity, index_capacity;
    int index_base;         /* 1 when the file counts vertices from 1 */
    uint64_t largest_index; /* from 0; checked at the end, since faces may precede vertices */
    size_t largest_line, largest_column;
    const char *name;
    const char *path; /* of the file, for what lies beside it; NULL: read from memory */
    apart_io_error *error;
} ap_mesh_builder;

/* Appends a vertex. Fails with APART_ERR_MEMORY. */
apart_status ap_mesh_add_vertex(ap_mesh_builder *b, const double xyz[3]);

/* Appends a vertex number (from 0) of the face that ap_mesh_end_face will close. */
apart_status ap_mesh_add_index(ap_mesh_builder *b, uint64_t index, size_t line, size_t column);

/* Closes a face whose last `size` indices were added. */
apart_status ap_mesh_end_face(ap_mesh_builder *b, size_t size);

/* One reader per format. Afterwards the mesh is complete, and its indices are not checked yet. */
typedef apart_status ap_mesh_reader(ap_mesh_builder *b, const void *data, size_t size);
ap_mesh_reader ap_mesh_read_obj, ap_mesh_read_stl, ap_mesh_read_ply, ap_mesh_read_off, ap_mesh_read_points;
ap_mesh_reader ap_mesh_read_collada; /* with expat */
ap_mesh_reader ap_mesh_read_gltf;    /* with jansson */

/* Is this a binary STL file by its size and count? */
int ap_stl_is_binary(const void *data, size_t size);

/* The format by the extension of a file name; APART_MESH_AUTO if it is unknown. */
int ap_mesh_format_of_name(const char *name);

/* The format by the name, else by the content. APART_ERR_OPTION with a message that names what is read where neither
 * is known, or where it is the format of a file that is not read. */
apart_status ap_mesh_find_format(const void *data, size_t size, const char *name, int *format, apart_io_error *error);

/* The reader of a format. APART_ERR_OPTION when there is none, or when it was left out of this build. */
apart_status ap_mesh_find_reader(int format, const char *name, ap_mesh_reader **reader, apart_io_error *error);

#endif
