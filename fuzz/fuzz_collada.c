#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_mesh_reader(data, size, APART_MESH_COLLADA);
    return 0;
}
