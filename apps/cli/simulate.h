/* What the files of `apart simulate` share: the scenes that it knows by name, and the figure. */
#ifndef SIMULATE_H
#define SIMULATE_H

#include <simulation/simulation.h>

#include "scene.h"

/* The JSON of a scene that is built in, to be freed, or NULL if no scene has this name. */
char *simulate_scene(const char *name, size_t *size);
/* Their names; the first is the default, the list ends with NULL. */
extern const char *const simulate_scene_names[];

/* Energies, momenta and depth over time. */
int simulate_draw(const char *path, const char *title, const sim_measures *rows, size_t count);

#endif
