/* The scenes that apart simulate knows by name, as scene files in memory: `apart simulate NAME --print` shows them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate.h"

static void write_cuboids(FILE *out)
{
    fputs(
        "{\n  \"title\": \"Two cuboids collide in free flight\",\n"
        "  \"gravity\": [0, 0, 0], \"friction\": 0, \"restitution\": 1, \"duration\": 4,\n"
        "  \"bodies\": [\n"
        "    {\"name\": \"long\", \"shape\": \"box:0.5,0.3,0.2\", \"pose\": {\"xyz\": [-1.5, 0, 0]},\n"
        "     \"velocity\": [1, 0, 0], \"angular_velocity\": [0.5, 1, 2]},\n"
        "    {\"name\": \"wide\", \"shape\": \"box:0.4,0.4,0.3\", \"pose\": {\"xyz\": [1.5, 0.1, 0.2], \"quat_wxyz\": [0.97, 0.15, 0.1, "
        "0.05]},\n"
        "     \"velocity\": [-1, 0, 0], \"angular_velocity\": [-1, 0.5, 0.3]}\n"
        "  ]\n}\n",
        out);
}

static void write_table(FILE *out)
{
    fputs(
        "{\n  \"title\": \"A cuboid falls on a table\", \"restitution\": 0.3, \"duration\": 4,\n"
        "  \"shapes\": {\n"
        "    \"leg\": \"cylinder:0.03,0.35\",\n"
        "    \"table\": {\"parts\": [\n"
        "      {\"shape\": \"box:0.6,0.4,0.02\", \"pose\": {\"xyz\": [0, 0, 0.72]}},\n"
        "      {\"shape\": \"leg\", \"pose\": {\"xyz\": [0.5, 0.3, 0.35]}}, {\"shape\": \"leg\", \"pose\": {\"xyz\": [-0.5, 0.3, 0.35]}},\n"
        "      {\"shape\": \"leg\", \"pose\": {\"xyz\": [0.5, -0.3, 0.35]}}, {\"shape\": \"leg\", \"pose\": {\"xyz\": [-0.5, -0.3, "
        "0.35]}}]}\n"
        "  },\n"
        "  \"bodies\": [\n"
        "    {\"name\": \"floor\", \"shape\": \"halfspace:0,0,1,0\"},\n"
        "    {\"name\": \"table\", \"shape\": \"table\", \"fixed\": true},\n"
        "    {\"name\": \"cuboid\", \"shape\": \"box:0.15,0.1,0.05\", \"pose\": {\"xyz\": [-0.3, 0, 1.4], \"quat_wxyz\": [0.9, 0.3, 0.25, "
        "0.2]},\n"
        "     \"velocity\": [0.9, 0, 0], \"angular_velocity\": [1, 3, 2]}\n"
        "  ]\n}\n",
        out);
}

static void write_stack(FILE *out)
{
    fputs("{\n  \"title\": \"A stack of ten boxes\", \"duration\": 20,\n  \"bodies\": [\n"
          "    {\"name\": \"floor\", \"shape\": \"halfspace:0,0,1,0\"}",
          out);
    for (int i = 0; i < 10; i++) {
        fprintf(out,
                ",\n    {\"name\": \"box %d\", \"shape\": \"box:0.25,0.25,0.25\", \"pose\": {\"xyz\": [0, 0, %.4f]}}",
                i + 1, 0.251 + 0.501 * i);
    }
    fputs("\n  ]\n}\n", out);
}

static void write_dominoes(FILE *out)
{
    fputs("{\n  \"title\": \"A row of dominoes\", \"duration\": 4,\n  \"bodies\": [\n"
          "    {\"name\": \"floor\", \"shape\": \"halfspace:0,0,1,0\"}",
          out);
    for (int i = 0; i < 24; i++) {
        fprintf(
            out,
            ",\n    {\"name\": \"domino %d\", \"shape\": \"box:0.02,0.1,0.2\", \"pose\": {\"xyz\": [%.2f, 0, 0.2001]}%s}",
            i + 1, 0.18 * i, i == 0 ? ", \"velocity\": [0.3, 0, 0], \"angular_velocity\": [0, 1.5, 0]" : "");
    }
    fputs("\n  ]\n}\n", out);
}

/* splitmix64 (Steele, Lea, Flood 2014), in [-1, 1). */
static double draw(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-52 - 1.0;
}

/* Points on an ellipsoid of half axes from 0.12 to 0.2. */
static void write_rock(FILE *out, uint64_t *state, int points)
{
    const double a = 0.16 + 0.04 * draw(state), b = 0.16 + 0.04 * draw(state), c = 0.16 + 0.04 * draw(state);
    for (int i = 0; i < points; i++) {
        double x, y, z, r2;
        do {
            x = draw(state);
            y = draw(state);
            z = draw(state);
            r2 = x * x + y * y + z * z;
        } while (r2 > 1.0 || r2 < 0.01);
        const double s = 1.0 / sqrt(r2);
        fprintf(out, "%s[%.6f, %.6f, %.6f]", i > 0 ? ", " : "", s * a * x, s * b * y, s * c * z);
    }
}

static void write_pile(FILE *out)
{
    enum { ROCKS = 12, SIDE = 6, BODIES = 200 };
    const double spacing = 0.48; /* more than twice the radius of any of them */
    uint64_t state = 1;
    fputs(
        "{\n  \"title\": \"A tumbling pile of 200 hulls\", \"duration\": 6, \"restitution\": 0.1, \"friction\": 0.6,\n  \"shapes\": {\n",
        out);
    for (int i = 0; i < ROCKS; i++) {
        fprintf(out, "    \"rock %d\": {\"points\": [", i);
        write_rock(out, &state, 8 + i);
        fputs("]},\n", out);
    }
    fputs("    \"brick\": \"box:0.18,0.12,0.09\", \"cube\": \"box:0.13,0.13,0.13\"\n  },\n  \"bodies\": [\n"
          "    {\"name\": \"floor\", \"shape\": \"halfspace:0,0,1,0\"}",
          out);
    for (int i = 0; i < BODIES; i++) {
        const int kind = i % (ROCKS + 2);
        char rock[16];
        snprintf(rock, sizeof rock, "rock %d", kind);
        const double x = spacing * (i % SIDE - 2.5) + 0.02 * draw(&state),
                     y = spacing * (i / SIDE % SIDE - 2.5) + 0.02 * draw(&state);
        fprintf(
            out,
            ",\n    {\"shape\": \"%s\", \"pose\": {\"xyz\": [%.4f, %.4f, %.4f], \"quat_wxyz\": [%.3f, %.3f, %.3f, %.3f]}}",
            kind < ROCKS    ? rock
            : kind == ROCKS ? "brick"
                            : "cube",
            x, y, 0.3 + spacing * (i / (SIDE * SIDE)), 1.5 + draw(&state), draw(&state), draw(&state), draw(&state));
    }
    fputs("\n  ]\n}\n", out);
}

static void write_bullet(FILE *out)
{
    fputs(
        "{\n  \"title\": \"A bullet of 1000 m/s and a stack of plates of 1 mm, the last one fixed\",\n"
        "  \"gravity\": [0, 0, 0], \"duration\": 0.004, \"step\": 1e-5, \"friction\": 0.3,\n  \"bodies\": [\n"
        "    {\"name\": \"bullet\", \"shape\": \"sphere:0.005\", \"pose\": {\"xyz\": [-0.2, 0.001, 0]}, \"density\": 7800, \"velocity\": "
        "[1000, 0, 0]}",
        out);
    for (int i = 0; i < 5; i++) {
        fprintf(
            out,
            ",\n    {\"name\": \"plate %d\", \"shape\": \"box:0.0005,0.05,0.05\", \"pose\": {\"xyz\": [%.2f, 0, 0]}, \"density\": 2700%s}",
            i + 1, 0.02 * i, i == 4 ? ", \"fixed\": true" : "");
    }
    fputs("\n  ]\n}\n", out);
}

const char *const simulate_scene_names[] = {"cuboids", "table", "stack", "dominoes", "pile", "bullet", NULL};

char *simulate_scene(const char *name, size_t *size)
{
    static void (*const writers[])(FILE *) = {write_cuboids,  write_table, write_stack,
                                              write_dominoes, write_pile,  write_bullet};
    char *text = NULL;
    for (size_t i = 0; simulate_scene_names[i] != NULL; i++) {
        if (strcmp(simulate_scene_names[i], name) == 0) {
            FILE *out = open_memstream(&text, size);
            if (out != NULL) {
                writers[i](out);
                fclose(out);
            }
        }
    }
    return text;
}
