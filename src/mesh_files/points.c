/* Lists of points: one "x y z" per line, blanks or single commas between the numbers, '#' comments. */
#include "builder.h"
#include "../text/text.h"

static apart_status read_listed_point(ap_text *text, double xyz[3])
{
    for (int k = 0; k < 3; k++) {
        if (k > 0) {
            ap_text_take(text, ',');
        }
        const apart_status status = ap_text_number(text, "three numbers 'x y z' a line", &xyz[k]);
        if (status != APART_OK) {
            return status;
        }
    }
    return ap_text_line_end(text, "'x y z'");
}

apart_status ap_mesh_read_points(ap_mesh_builder *b, const void *data, size_t size)
{
    ap_text text;
    ap_text_open(&text, data, size, '#', b->name, b->error);
    text.separator = ',';
    for (; ap_text_content_line(&text); ap_text_skip_line(&text)) {
        double xyz[3];
        apart_status status = read_listed_point(&text, xyz);
        if (status == APART_OK) {
            status = ap_mesh_add_vertex(b, xyz);
        }
        if (status != APART_OK) {
            return status;
        }
    }
    return APART_OK;
}
