/* Trees of positions, and random numbers. */
#include "plan.h"

#include <math.h>
#include <string.h>

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014), a bijection of 64 bits that mixes well. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double ap_plan_random(uint64_t seed, uint64_t stream, uint64_t place)
{
    const uint64_t golden = 0x9e3779b97f4a7c15u;
    const uint64_t key = mix(mix(seed + golden) + (stream + 1) * golden);
    return (double)(mix(key + (place + 1) * golden) >> 11) * 0x1p-53;
}

static double square_distance(const double *a, const double *b, size_t width)
{
    double sum = 0.0;
    for (size_t i = 0; i < width; i++) {
        const double difference = a[i] - b[i];
        sum += difference * difference;
    }
    return sum;
}

double ap_plan_distance(const double *a, const double *b, size_t width) { return sqrt(square_distance(a, b, width)); }

void ap_plan_tree_free(ap_plan_tree *tree, const apart_allocator *allocator)
{
    ap_release(allocator, tree->at);
    ap_release(allocator, tree->parent);
    ap_release(allocator, tree->domain);
}

static bool grow(ap_plan_tree *tree, const apart_allocator *allocator)
{
    const size_t room = tree->room > 0 ? 2 * tree->room : 256;
    double *at = ap_allocate(allocator, room * tree->width, sizeof *at);
    uint32_t *parent = ap_allocate(allocator, room, sizeof *parent);
    double *domain = ap_allocate(allocator, room, sizeof *domain);
    if (at == NULL || parent == NULL || domain == NULL || room > UINT32_MAX) {
        ap_release(allocator, at);
        ap_release(allocator, parent);
        ap_release(allocator, domain);
        return false;
    }
    if (tree->count > 0) {
        memcpy(at, tree->at, tree->count * tree->width * sizeof *at);
        memcpy(parent, tree->parent, tree->count * sizeof *parent);
        memcpy(domain, tree->domain, tree->count * sizeof *domain);
    }
    ap_plan_tree_free(tree, allocator);
    tree->at = at;
    tree->parent = parent;
    tree->domain = domain;
    tree->room = room;
    return true;
}

bool ap_plan_tree_add(ap_plan_tree *tree, const apart_allocator *allocator, const double *at, uint32_t parent)
{
    if (tree->count == tree->room && !grow(tree, allocator)) {
        return false;
    }
    memcpy(tree->at + tree->count * tree->width, at, tree->width * sizeof *at);
    tree->domain[tree->count] = INFINITY;
    tree->parent[tree->count++] = parent;
    return true;
}

uint32_t ap_plan_tree_nearest(const ap_plan_tree *tree, const double *at, double *distance)
{
    double least = INFINITY;
    uint32_t nearest = 0;
    for (size_t i = 0; i < tree->count; i++) {
        const double square = square_distance(tree->at + i * tree->width, at, tree->width);
        if (square < least) {
            least = square;
            nearest = (uint32_t)i;
        }
    }
    *distance = sqrt(least);
    return nearest;
}
