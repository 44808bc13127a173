/* What the files of `apart view` share: what a page shows, and how it is written or served. */
#ifndef VIEW_H
#define VIEW_H

#include "cli.h"

/* The data of a page: a text of JSON, and what the page is called. */
typedef struct view_content {
    char *text; /* owned */
    size_t size;
    char title[CLI_TEXT_SIZE];
} view_content;

/* Whatever the operands name: a recording, a scene, a built-in scene, a robot, a mesh, two bodies (view_content.c). */
int view_load(const cli_settings *settings, view_content *out);

/* The whole page in memory, to be freed; `extra` is put in before its end, or NULL. NULL after a message. */
char *view_page(const view_content *content, const char *extra, size_t *size);

/* Serves the page on 127.0.0.1 until the program is interrupted, anew when a file changes (view_serve.c). */
int view_serve(const cli_settings *settings, const view_content *content);
/* Opens a file or address in the browser of the desktop. */
int view_open(const char *address);

#endif
