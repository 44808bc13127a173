/* The support kernels in plain C: the reference that the other variants match bit for bit. */
#include "variants.h"

static uint32_t scan(const double *x, const double *y, const double *z, uint32_t padded, apart_vec3 d)
{
    uint32_t best = 0;
    double best_value = (x[0] * d.x + y[0] * d.y) + z[0] * d.z;
    for (uint32_t i = 1; i < padded; i++) {
        const double value = (x[i] * d.x + y[i] * d.y) + z[i] * d.z;
        if (value > best_value) {
            best_value = value;
            best = i;
        }
    }
    return best;
}

static uint32_t climb(const ap_neighbour_block *blocks, uint32_t count, uint32_t self, apart_vec3 d)
{
    uint32_t best = self;
    double best_value = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        const ap_neighbour_block *b = &blocks[i];
        for (uint32_t k = 0; k < AP_LANES; k++) {
            const double value = (b->dx[k] * d.x + b->dy[k] * d.y) + b->dz[k] * d.z;
            if (value > best_value) {
                best_value = value;
                best = b->id[k];
            }
        }
    }
    return best;
}

const ap_kernels ap_kernels_scalar = {"scalar", scan, climb};
