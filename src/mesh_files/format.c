/* Which format a file has, by its name or its content, and who reads it. */
#include <string.h>

#include "builder.h"
#include "../text/report.h"
#include "../text/text.h"

/* Readers that need another library are left out of a build without it. */
#ifdef AP_HAVE_EXPAT
#define COLLADA_READER ap_mesh_read_collada
#else
#define COLLADA_READER NULL
#endif
#ifdef AP_HAVE_JANSSON
#define GLTF_READER ap_mesh_read_gltf
#else
#define GLTF_READER NULL
#endif

static const char READ_FORMATS[] = "OBJ, STL, PLY, OFF, Collada, glTF, lists of points";

typedef struct format_row {
    int format;
    ap_mesh_reader *read;
    const char *needs; /* the library of a reader that was left out */
    const char *extensions[5];
} format_row;

static const format_row formats[] = {
    {APART_MESH_OBJ, ap_mesh_read_obj, NULL, {"obj"}},
    {APART_MESH_STL, ap_mesh_read_stl, NULL, {"stl", "stla", "stlb"}},
    {APART_MESH_PLY, ap_mesh_read_ply, NULL, {"ply"}},
    {APART_MESH_OFF, ap_mesh_read_off, NULL, {"off", "coff", "noff"}},
    {APART_MESH_POINTS, ap_mesh_read_points, NULL, {"xyz", "txt", "pts", "csv", "points"}},
    {APART_MESH_COLLADA, COLLADA_READER, "Collada was left out of this build, which has no expat", {"dae"}},
    {APART_MESH_GLTF, GLTF_READER, "glTF was left out of this build, which has no jansson", {"gltf", "glb"}},
};
enum { FORMATS = sizeof formats / sizeof formats[0], EXTENSIONS = 5 };

/* Files that users have and that are not read, with what to do. */
typedef struct unread_row {
    const char *extension, *name;
} unread_row;

static const unread_row unread[] = {
    {"3mf", "3MF, a compressed archive,"},
    {"vtk", "VTK"},
    {"vtp", "VTK"},
    {"vtu", "VTK"},
    {"step", "STEP, which holds curved surfaces,"},
    {"stp", "STEP, which holds curved surfaces,"},
    {"iges", "IGES, which holds curved surfaces,"},
    {"igs", "IGES, which holds curved surfaces,"},
    {"fbx", "FBX"},
    {"blend", "Blender's own format"},
    {"3ds", "3DS"},
    {"x3d", "X3D"},
    {"wrl", "VRML"},
    {"usd", "USD"},
    {"usda", "USD"},
    {"usdc", "USD"},
    {"usdz", "USD"},
    {"amf", "AMF"},
    {"msh", "MSH"},
    {"urdf", "URDF, a robot ('apart clearance' takes it),"},
    {"json", "JSON other than glTF"},
    {"xml", "XML other than Collada"},
};
enum { UNREAD = sizeof unread / sizeof unread[0] };

/* What follows the last dot of the file's own name; empty if there is none. */
static ap_token extension_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *dot = strrchr(slash ? slash : name, '.');
    return (ap_token){.start = dot ? dot + 1 : "", .length = dot ? strlen(dot + 1) : 0};
}

int ap_mesh_format_of_name(const char *name)
{
    const ap_token extension = extension_of(name);
    for (size_t f = 0; f < FORMATS; f++) {
        for (size_t e = 0; e < EXTENSIONS && formats[f].extensions[e]; e++) {
            if (ap_token_is_nocase(&extension, formats[f].extensions[e])) {
                return formats[f].format;
            }
        }
    }
    return APART_MESH_AUTO;
}

static int ends_with(const ap_token *token, const char *word)
{
    const size_t n = strlen(word);
    return token->length >= n && memcmp(token->start + token->length - n, word, n) == 0;
}

static int starts_with(const ap_token *token, const char *word)
{
    const size_t n = strlen(word);
    return token->length >= n && memcmp(token->start, word, n) == 0;
}

/* A number, perhaps followed by a comma and another. */
static int is_first_of_points(const ap_token *word)
{
    const char *comma = memchr(word->start, ',', word->length);
    double number;
    return ap_parse_number(word->start, comma ? (size_t)(comma - word->start) : word->length, &number);
}

static int is_obj_word(const ap_token *word)
{
    static const char *const words[] = {"v", "vn", "vt", "o", "g", "mtllib", "usemtl", "f", "s"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (ap_token_is(word, words[i])) {
            return 1;
        }
    }
    return 0;
}

/* Recognises the format by the first word of the content, which is returned too; APART_MESH_AUTO if it is unknown. */
static int format_of_content(const void *data, size_t size, ap_token *word)
{
    ap_text text;
    ap_text_open(&text, data ? data : "", size, '#', "", NULL);
    const int any = ap_text_token_across(&text, word);
    if (ap_stl_is_binary(data, size)) {
        return APART_MESH_STL;
    }
    if (!any || is_first_of_points(word)) {
        return APART_MESH_POINTS;
    }
    if (ap_token_is(word, "ply")) {
        return APART_MESH_PLY;
    }
    if (ends_with(word, "OFF")) {
        return APART_MESH_OFF;
    }
    if (ap_token_is_nocase(word, "solid")) {
        return APART_MESH_STL;
    }
    if (starts_with(word, "<?xml") || starts_with(word, "<COLLADA")) {
        return APART_MESH_COLLADA;
    }
    if (starts_with(word, "{") || starts_with(word, "glTF")) {
        return APART_MESH_GLTF;
    }
    return is_obj_word(word) ? APART_MESH_OBJ : APART_MESH_AUTO;
}

apart_status ap_mesh_find_format(const void *data, size_t size, const char *name, int *format, apart_io_error *error)
{
    const ap_token extension = extension_of(name);
    ap_token word;
    char shown[32];
    *format = ap_mesh_format_of_name(name);
    if (*format != APART_MESH_AUTO) {
        return APART_OK;
    }
    for (size_t i = 0; i < UNREAD; i++) {
        if (ap_token_is_nocase(&extension, unread[i].extension)) {
            return ap_report(error, APART_ERR_OPTION, name, 0, 0, "%s is not read; expected one of %s", unread[i].name,
                             READ_FORMATS);
        }
    }
    *format = format_of_content(data, size, &word);
    if (*format != APART_MESH_AUTO) {
        return APART_OK;
    }
    ap_printable(word.start, word.length, shown, sizeof shown);
    return ap_report(error, APART_ERR_OPTION, name, word.line, word.column,
                     "expected a mesh (%s): neither the file's name nor its first word '%s' tells which", READ_FORMATS,
                     shown);
}

apart_status ap_mesh_find_reader(int format, const char *name, ap_mesh_reader **reader, apart_io_error *error)
{
    for (size_t f = 0; f < FORMATS; f++) {
        *reader = formats[f].read;
        if (formats[f].format == format) {
            return *reader ? APART_OK : ap_report(error, APART_ERR_OPTION, name, 0, 0, "%s", formats[f].needs);
        }
    }
    return ap_report(error, APART_ERR_OPTION, name, 0, 0, "unknown mesh format number %d", format);
}
