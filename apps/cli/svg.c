/* The SVG writer. The colours are Okabe and Ito's, which colour-blind readers can distinguish; A, B and B - A have the
 * same colours everywhere. */
#include "svg.h"

#include <math.h>

static const char style[] =
    "text{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:13px;fill:#222}\n"
    ".title{font-size:22px;font-weight:bold}.note{fill:#666}.head{font-size:14px;font-weight:bold}\n"
    ".halo{stroke:#fff;stroke-width:4;stroke-linejoin:round;fill:#fff}\n"
    ".name{font-size:22px;font-weight:bold}.point{font-size:15px;font-style:italic}\n"
    ".ink-a{fill:#0072b2}.ink-b{fill:#b34c00}.ink-d{fill:#007a5a}\n"
    "line,polyline,polygon,rect{stroke-linejoin:round;stroke-linecap:round}\n"
    "polyline{fill:none}.paper{fill:#fff;stroke:none}.frame{fill:#fbfbfa;stroke:#d5d5d0}\n"
    ".body-a{fill:#0072b2;fill-opacity:.16;stroke:#0072b2;stroke-width:2}\n"
    ".body-b{fill:#d55e00;fill-opacity:.16;stroke:#d55e00;stroke-width:2}\n"
    ".difference{fill:#009e73;fill-opacity:.16;stroke:#009e73;stroke-width:2}\n"
    ".edge-a{stroke:#0072b2;stroke-width:1.1}.edge-b{stroke:#d55e00;stroke-width:1.1}\n"
    ".hidden-a{stroke:#0072b2;stroke-width:.9;stroke-opacity:.55;stroke-dasharray:3 4}\n"
    ".hidden-b{stroke:#d55e00;stroke-width:.9;stroke-opacity:.55;stroke-dasharray:3 4}\n"
    ".witness{stroke:#111;stroke-width:2.4;fill:#111}.separator{stroke:#777;stroke-width:1.3;stroke-dasharray:8 5}\n"
    ".dot-a{fill:#0072b2;stroke:#fff;stroke-width:1.5}.dot-b{fill:#d55e00;stroke:#fff;stroke-width:1.5}\n"
    ".origin{stroke:#111;stroke-width:1.6}.axis{stroke:#888;stroke-width:1.4;fill:#888}\n"
    ".dot-d{fill:#009e73;stroke:#fff;stroke-width:1.5}\n"
    ".ghost-a{fill:#0072b2;fill-opacity:.05;stroke:#0072b2;stroke-width:1;stroke-opacity:.4}\n"
    ".ghost-b{fill:#d55e00;fill-opacity:.05;stroke:#d55e00;stroke-width:1;stroke-opacity:.4}\n"
    ".link{fill:#c3dcee;stroke:#0072b2;stroke-width:1}.link-edge{stroke:#0072b2;stroke-width:.5}\n"
    ".obstacle{fill:#f7dcc6;stroke:#d55e00;stroke-width:1}.obstacle-edge{stroke:#d55e00;stroke-width:.7}\n"
    ".phantom{fill:none;stroke:#777;stroke-width:.9;stroke-dasharray:3 2.5}.path{stroke:#009e73;stroke-width:2}\n"
    ".curve{stroke:#111;stroke-width:2}.later{stroke:#999;stroke-width:2;stroke-dasharray:2 5}\n"
    ".certified{fill:#009e73;fill-opacity:.16;stroke:none}.level{stroke:#009e73;stroke-width:1.6}\n";

static void put_escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        default: fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
        }
    }
}

void svg_begin(FILE *out, int width, int height, const char *title)
{
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n<title>",
            width, height, width, height);
    put_escaped(out, title);
    fprintf(out, "</title>\n<style>\n%s</style>\n", style);
    svg_rectangle(out, (flat){0, 0}, width, height, "paper");
}

void svg_end(FILE *out) { fputs("</svg>\n", out); }

void svg_clip_begin(FILE *out, const char *name, flat corner, double width, double height)
{
    fprintf(out, "<clipPath id=\"%s\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/></clipPath>\n", name,
            corner.x, corner.y, width, height);
    fprintf(out, "<g clip-path=\"url(#%s)\">\n", name);
}

void svg_clip_end(FILE *out) { fputs("</g>\n", out); }

void svg_rectangle(FILE *out, flat corner, double width, double height, const char *class_name)
{
    fprintf(out, "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n", class_name, corner.x,
            corner.y, width, height);
}

void svg_line(FILE *out, flat from, flat to, const char *class_name)
{
    fprintf(out, "<line class=\"%s\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>\n", class_name, from.x, from.y,
            to.x, to.y);
}

void svg_arrow(FILE *out, flat from, flat to, const char *class_name)
{
    const double dx = to.x - from.x, dy = to.y - from.y, length = sqrt(dx * dx + dy * dy);
    const double head = length < 24 ? length / 2 : 12;
    if (!(length > 0)) {
        return;
    }
    const flat along = {dx / length, dy / length};
    const flat neck = {to.x - head * along.x, to.y - head * along.y};
    const double half = head * 0.38;
    const flat corners[3] = {to,
                             {neck.x - half * along.y, neck.y + half * along.x},
                             {neck.x + half * along.y, neck.y - half * along.x}};
    svg_line(out, from, neck, class_name);
    fprintf(out, "<polygon class=\"%s\" style=\"stroke:none\" points=\"%.2f,%.2f %.2f,%.2f %.2f,%.2f\"/>\n", class_name,
            corners[0].x, corners[0].y, corners[1].x, corners[1].y, corners[2].x, corners[2].y);
}

static void put_points(FILE *out, const char *element, const flat *points, size_t count, const char *class_name)
{
    fprintf(out, "<%s class=\"%s\" points=\"", element, class_name);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%.2f,%.2f", i == 0 ? "" : " ", points[i].x, points[i].y);
    }
    fputs("\"/>\n", out);
}

void svg_polyline(FILE *out, const flat *points, size_t count, const char *class_name)
{
    put_points(out, "polyline", points, count, class_name);
}

void svg_polygon(FILE *out, const flat *points, size_t count, const char *class_name)
{
    put_points(out, "polygon", points, count, class_name);
}

void svg_dot(FILE *out, flat center, double radius, const char *class_name)
{
    fprintf(out, "<circle class=\"%s\" cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"/>\n", class_name, center.x, center.y, radius);
}

void svg_text(FILE *out, flat at, const char *anchor, const char *class_name, const char *text)
{
    /* First in wide white strokes, so that it stays legible on lines. */
    static const char *const layers[] = {" halo", ""};
    for (int i = 0; i < 2; i++) {
        fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" class=\"%s%s\">", at.x, at.y, anchor, class_name,
                layers[i]);
        put_escaped(out, text);
        fputs("</text>\n", out);
    }
}
