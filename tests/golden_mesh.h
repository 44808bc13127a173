/* A hash over blocks of meshes and queries of them, for test_golden: same bits everywhere. Like that of motions it is
 * compared between builds, not pinned. */
#ifndef TESTS_GOLDEN_MESH_H
#define TESTS_GOLDEN_MESH_H

#include <stdint.h>

uint64_t golden_meshes(uint64_t hash);

#endif
