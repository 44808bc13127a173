/* Which triangle is nearest to a point, and is the point inside? A tree of boxes over the triangles, halved by their
 * middles. */
#include "cover.h"

#include "../exact/predicates.h"

enum { LEAF_TRIANGLES = 4, STACK_SIZE = 64 };

static const double u = 0x1p-53;

static apart_vec3 corner(const ap_cover_mesh *mesh, uint32_t triangle, int k)
{
    return mesh->point[mesh->triangle[triangle][k]];
}

static double coordinate(apart_vec3 p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

/* ---- building ---- */

/* Three times the middle. */
static double middle(const ap_cover_mesh *mesh, uint32_t triangle, int axis)
{
    return coordinate(corner(mesh, triangle, 0), axis) + coordinate(corner(mesh, triangle, 1), axis) +
           coordinate(corner(mesh, triangle, 2), axis);
}

static void measure(const ap_cover_tree *tree, ap_cover_branch *branch)
{
    for (int axis = 0; axis < 3; axis++) {
        branch->low[axis] = INFINITY;
        branch->high[axis] = -INFINITY;
    }
    for (uint32_t i = branch->first; i < branch->first + branch->count; i++) {
        for (int k = 0; k < 3; k++) {
            const apart_vec3 p = corner(tree->mesh, tree->order[i], k);
            for (int axis = 0; axis < 3; axis++) {
                branch->low[axis] = ap_min(branch->low[axis], coordinate(p, axis));
                branch->high[axis] = ap_max(branch->high[axis], coordinate(p, axis));
            }
        }
    }
}

/* Puts the triangles with the lesser middles into the first half (C. A. R. Hoare, Find, 1961). */
static void halve(const ap_cover_tree *tree, uint32_t *order, size_t count, int axis)
{
    size_t first = 0, last = count;
    const size_t half = count / 2;
    while (last - first > 1) {
        const double pivot = middle(tree->mesh, order[first + (last - first - 1) / 2], axis);
        size_t i = first, j = last - 1;
        for (;;) {
            while (middle(tree->mesh, order[i], axis) < pivot) {
                i++;
            }
            while (middle(tree->mesh, order[j], axis) > pivot) {
                j--;
            }
            if (i >= j) {
                break;
            }
            const uint32_t kept = order[i];
            order[i++] = order[j];
            order[j--] = kept;
        }
        if (half < j + 1) {
            last = j + 1;
        } else {
            first = j + 1;
        }
    }
}

/* A triangle by its places: the least one first, turned so that the middle one is second. */
typedef struct placed_triangle {
    apart_vec3 corner[3];
    uint32_t number;
    int32_t turn; /* 1, or -1 for a triangle whose corners run the other way */
} placed_triangle;

static void exchange(placed_triangle *t, int i, int j)
{
    const apart_vec3 kept = t->corner[i];
    t->corner[i] = t->corner[j];
    t->corner[j] = kept;
    t->turn = -t->turn;
}

static placed_triangle place_triangle(const ap_cover_mesh *mesh, uint32_t number)
{
    placed_triangle t = {{corner(mesh, number, 0), corner(mesh, number, 1), corner(mesh, number, 2)}, number, 1};
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2; i++) {
            if (ap_cover_compare_points(t.corner[i], t.corner[i + 1]) > 0) {
                exchange(&t, i, i + 1);
            }
        }
    }
    return t;
}

static int compare_places(const placed_triangle *a, const placed_triangle *b)
{
    const int first = ap_cover_compare_points(a->corner[0], b->corner[0]);
    const int second = first != 0 ? first : ap_cover_compare_points(a->corner[1], b->corner[1]);
    return second != 0 ? second : ap_cover_compare_points(a->corner[2], b->corner[2]);
}

static int compare_triangles(const void *pa, const void *pb)
{
    const placed_triangle *a = pa, *b = pb;
    const int places = compare_places(a, b);
    return places != 0 ? places : (a->number > b->number) - (a->number < b->number);
}

/* Lists one triangle of each place: any number of them in one place costs a search no more than one. */
static apart_status list_places(ap_cover_tree *tree)
{
    const ap_cover_mesh *mesh = tree->mesh;
    placed_triangle *placed = ap_allocate(mesh->allocator, mesh->triangle_count, sizeof *placed);
    if (placed == NULL) {
        return APART_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        placed[i] = place_triangle(mesh, i);
    }
    qsort(placed, mesh->triangle_count, sizeof *placed, compare_triangles);
    for (uint32_t i = 0, next; i < mesh->triangle_count; i = next) {
        int32_t weight = 0;
        for (next = i; next < mesh->triangle_count && compare_places(&placed[i], &placed[next]) == 0; next++) {
            weight += placed[next].turn * placed[i].turn;
        }
        tree->order[tree->count] = placed[i].number;
        tree->weight[placed[i].number] = weight;
        tree->odd[placed[i].number] = (next - i) % 2 != 0;
        tree->count++;
    }
    ap_release(mesh->allocator, placed);
    return APART_OK;
}

static void build_branches(ap_cover_tree *tree)
{
    uint32_t branches = 1;
    tree->branch[0] = (ap_cover_branch){.count = tree->count};
    for (uint32_t i = 0; i < branches; i++) {
        ap_cover_branch *branch = &tree->branch[i];
        measure(tree, branch);
        if (branch->count > LEAF_TRIANGLES) {
            const double x = branch->high[0] - branch->low[0], y = branch->high[1] - branch->low[1];
            const double z = branch->high[2] - branch->low[2];
            const uint32_t half = branch->count / 2;
            halve(tree, tree->order + branch->first, branch->count, x >= y && x >= z ? 0 : y >= z ? 1 : 2);
            branch->child = branches;
            tree->branch[branches++] = (ap_cover_branch){.first = branch->first, .count = half};
            tree->branch[branches++] = (ap_cover_branch){.first = branch->first + half, .count = branch->count - half};
        }
    }
}

apart_status ap_cover_tree_open(const ap_cover_mesh *mesh, int closed, ap_cover_tree *tree)
{
    const size_t count = mesh->triangle_count;
    *tree = (ap_cover_tree){.mesh = mesh, .closed = closed};
    tree->branch = ap_allocate(mesh->allocator, 2 * count, sizeof *tree->branch);
    tree->order = ap_allocate(mesh->allocator, count, sizeof *tree->order);
    tree->weight = ap_allocate(mesh->allocator, count, sizeof *tree->weight);
    tree->odd = ap_allocate(mesh->allocator, count, 1);
    apart_status status = APART_ERR_MEMORY;
    if (tree->branch != NULL && tree->order != NULL && tree->weight != NULL && tree->odd != NULL) {
        status = list_places(tree);
    }
    if (status == APART_OK) {
        build_branches(tree);
    } else {
        ap_cover_tree_close(tree);
    }
    return status;
}

void ap_cover_tree_close(ap_cover_tree *tree)
{
    if (tree->mesh != NULL) {
        ap_release(tree->mesh->allocator, tree->branch);
        ap_release(tree->mesh->allocator, tree->order);
        ap_release(tree->mesh->allocator, tree->weight);
        ap_release(tree->mesh->allocator, tree->odd);
    }
    *tree = (ap_cover_tree){.mesh = NULL};
}

/* ---- the nearest triangle ---- */

/* The point of the segment ab nearest to p. */
static apart_vec3 nearest_of_segment(apart_vec3 p, apart_vec3 a, apart_vec3 b)
{
    const apart_vec3 ab = ap_sub(b, a);
    const double along = ap_dot(ap_sub(p, a), ab), square = ap_dot(ab, ab);
    if (!(along > 0.0)) {
        return a;
    }
    return along >= square ? b : ap_add(a, ap_scale(along / square, ab));
}

/* The distance to some point of the triangle is never less than the distance from it. Weights that rounding has spoilt
 * are those of triangles so slender that an edge is as near. */
double ap_cover_distance(const ap_cover_mesh *mesh, uint32_t triangle, apart_vec3 p)
{
    const apart_vec3 a = corner(mesh, triangle, 0), b = corner(mesh, triangle, 1), c = corner(mesh, triangle, 2);
    const apart_vec3 ab = ap_sub(b, a), ac = ap_sub(c, a), ap = ap_sub(p, a), normal = ap_cross(ab, ac);
    const double square = ap_dot(normal, normal);
    double least = ap_norm(ap_sub(p, nearest_of_segment(p, a, b)));
    least = ap_min(least, ap_norm(ap_sub(p, nearest_of_segment(p, b, c))));
    least = ap_min(least, ap_norm(ap_sub(p, nearest_of_segment(p, c, a))));
    if (square > 0.0) {
        const double v = ap_dot(ap_cross(ap, ac), normal) / square, w = ap_dot(ap_cross(ab, ap), normal) / square;
        if (v >= 0.0 && w >= 0.0 && v + w <= 1.0) {
            least = ap_min(least, ap_norm(ap_sub(ap, ap_add(ap_scale(v, ab), ap_scale(w, ac)))));
        }
    }
    return least;
}

static double box_distance(const ap_cover_branch *branch, apart_vec3 p)
{
    const double x = ap_max(ap_max(branch->low[0] - p.x, p.x - branch->high[0]), 0.0);
    const double y = ap_max(ap_max(branch->low[1] - p.y, p.y - branch->high[1]), 0.0);
    const double z = ap_max(ap_max(branch->low[2] - p.z, p.z - branch->high[2]), 0.0);
    return sqrt((x * x + y * y) + z * z);
}

double ap_cover_nearest(const ap_cover_tree *tree, apart_vec3 p, uint32_t *triangle)
{
    uint32_t stack[STACK_SIZE] = {0}, waiting = 1;
    double bound[STACK_SIZE] = {0}, least = INFINITY;
    const double equal = 0x1p-48 * tree->mesh->magnitude; /* rounding makes no triangle of many the nearest */
    *triangle = 0;
    while (waiting > 0) {
        const ap_cover_branch *branch = &tree->branch[stack[--waiting]];
        if (bound[waiting] + equal >= least) {
            continue;
        }
        if (branch->child == 0) {
            for (uint32_t i = branch->first; i < branch->first + branch->count; i++) {
                const double distance = ap_cover_distance(tree->mesh, tree->order[i], p);
                *triangle = distance < least ? tree->order[i] : *triangle;
                least = ap_min(least, distance);
            }
            continue;
        }
        const uint32_t child = branch->child;
        const double one = box_distance(&tree->branch[child], p), two = box_distance(&tree->branch[child + 1], p);
        const uint32_t nearer = one <= two ? 0 : 1;
        stack[waiting] = child + 1 - nearer;
        bound[waiting++] = ap_max(one, two);
        stack[waiting] = child + nearer;
        bound[waiting++] = ap_min(one, two);
    }
    return least;
}

/* ---- inside or outside ---- */

/* The sign of (b - a) x (p - a) in two coordinates. */
static int side_of_line(double ax, double ay, double bx, double by, double px, double py)
{
    const double left = (bx - ax) * (py - ay), right = (by - ay) * (px - ax);
    const double error = 8.0 * u * (fabs(left) + fabs(right)) + 0x1p-1000;
    return left - right > error ? 1 : left - right < -error ? -1 : ap_exact_orient2d(ax, ay, bx, by, px, py);
}

/* How a ray meets triangles. */
typedef struct crossings {
    int parity, winding;
    bool on_surface;
} crossings;

static bool is_in_triangle(const apart_vec3 t[3], apart_vec3 p)
{
    for (int k = 0; k < 3; k++) {
        const double a = coordinate(t[0], k), b = coordinate(t[1], k), c = coordinate(t[2], k), x = coordinate(p, k);
        if (x < ap_min(ap_min(a, b), c) || x > ap_max(ap_max(a, b), c)) {
            return false;
        }
    }
    return ap_point_in_triangle(p, t);
}

/* Does the ray from p along the axis cross the triangle? Projected along it, an edge counts if one end lies at most as
 * high as p and the other one higher, and p is properly on its left, seen upwards: triangles with a common edge agree
 * about it. */
static void cross_triangle(const apart_vec3 t[3], apart_vec3 p, int axis, int weight, int odd, crossings *found)
{
    const int x = (axis + 1) % 3, y = (axis + 2) % 3;
    int turns = 0;
    found->on_surface = is_in_triangle(t, p);
    for (int k = 0; k < 3; k++) {
        const apart_vec3 a = t[k], b = t[(k + 1) % 3];
        const bool a_high = coordinate(a, y) > coordinate(p, y), b_high = coordinate(b, y) > coordinate(p, y);
        if (a_high != b_high) {
            const int side = side_of_line(coordinate(a, x), coordinate(a, y), coordinate(b, x), coordinate(b, y),
                                          coordinate(p, x), coordinate(p, y));
            turns += b_high && side > 0 ? 1 : a_high && side < 0 ? -1 : 0;
        }
    }
    if (turns == 0) {
        return;
    }
    /* Seen against the axis the corners turn counter-clockwise for turns > 0, so the plane is ahead of p if p is below. */
    if (turns * ap_exact_orient3d(t[0], t[1], t[2], p) < 0) {
        found->parity ^= odd;
        found->winding += weight * turns;
    }
}

static bool box_is_on_the_way(const ap_cover_branch *branch, apart_vec3 p, int axis)
{
    for (int k = 0; k < 3; k++) {
        if (coordinate(p, k) > branch->high[k] || (k != axis && coordinate(p, k) < branch->low[k])) {
            return false;
        }
    }
    return true;
}

static crossings cross(const ap_cover_tree *tree, apart_vec3 p, int axis)
{
    uint32_t stack[STACK_SIZE] = {0}, waiting = 1;
    crossings found = {.on_surface = false};
    while (waiting > 0 && !found.on_surface) {
        const ap_cover_branch *branch = &tree->branch[stack[--waiting]];
        if (!box_is_on_the_way(branch, p, axis)) {
            continue;
        }
        if (branch->child != 0) {
            stack[waiting++] = branch->child;
            stack[waiting++] = branch->child + 1;
            continue;
        }
        for (uint32_t i = branch->first; i < branch->first + branch->count && !found.on_surface; i++) {
            const uint32_t n = tree->order[i];
            const apart_vec3 t[3] = {corner(tree->mesh, n, 0), corner(tree->mesh, n, 1), corner(tree->mesh, n, 2)};
            cross_triangle(t, p, axis, tree->weight[n], tree->odd[n], &found);
        }
    }
    return found;
}

int ap_cover_side(const ap_cover_tree *tree, apart_vec3 p)
{
    const crossings found = cross(tree, p, 0);
    if (found.on_surface) {
        return 0;
    }
    return found.parity != 0 || (tree->closed == AP_COVER_BALANCED && found.winding != 0) ? 1 : -1;
}

/* ---- tetrahedra ---- */

/* The planes of a tetrahedron's faces, each opposite a corner: a point lies `offset - normal . point` below one. Those
 * through the apex, corner 3, are moved inwards a little, so that triangles that touch them are beyond. */
typedef struct face_planes {
    apart_vec3 normal[4];
    double offset[4], height; /* of the apex above the opposite face */
    double low[3], high[3];
} face_planes;

static void measure_corners(const apart_vec3 corners[4], face_planes *planes)
{
    for (int k = 0; k < 3; k++) {
        planes->low[k] = INFINITY;
        planes->high[k] = -INFINITY;
        for (int i = 0; i < 4; i++) {
            planes->low[k] = ap_min(planes->low[k], coordinate(corners[i], k));
            planes->high[k] = ap_max(planes->high[k], coordinate(corners[i], k));
        }
    }
}

static bool make_face_planes(const apart_vec3 corners[4], face_planes *planes)
{
    const double inwards = 0x1p-30, least_height = 0x1p-18;
    measure_corners(corners, planes);
    for (int i = 0; i < 4; i++) {
        const apart_vec3 a = corners[(i + 1) % 4], b = corners[(i + 2) % 4], c = corners[(i + 3) % 4];
        const apart_vec3 n = ap_unit(ap_cross(ap_sub(b, a), ap_sub(c, a)));
        const double height = ap_dot(n, ap_sub(a, corners[i]));
        planes->normal[i] = height < 0.0 ? ap_neg(n) : n;
        planes->height = fabs(height);
        planes->offset[i] = ap_dot(planes->normal[i], a) - (i < 3 ? inwards * planes->height : 0.0);
        if (!(planes->height > least_height * ap_norm(ap_sub(a, b)))) {
            return false; /* too flat for rounding to be forgotten */
        }
    }
    return true;
}

enum { PART_POINTS = 8 }; /* a triangle that four planes have cut has seven corners */

/* Keeps the part of a polygon below a plane; returns its number of corners. */
static int cut_below(apart_vec3 part[PART_POINTS], int count, apart_vec3 normal, double offset)
{
    apart_vec3 kept[PART_POINTS];
    int left = 0;
    for (int k = 0; k < count; k++) {
        const apart_vec3 a = part[k], b = part[(k + 1) % count];
        const double above_a = ap_dot(normal, a) - offset, above_b = ap_dot(normal, b) - offset;
        if (above_a <= 0.0 && left < PART_POINTS) {
            kept[left++] = a;
        }
        if ((above_a <= 0.0) != (above_b <= 0.0) && left < PART_POINTS) {
            kept[left++] = ap_add(a, ap_scale(above_a / (above_a - above_b), ap_sub(b, a)));
        }
    }
    memcpy(part, kept, (size_t)left * sizeof *part);
    return left;
}

/* How deep below the face opposite the apex the triangle reaches inside the others; 0 if it does not. */
static double depth_of_triangle(const ap_cover_mesh *mesh, uint32_t triangle, const face_planes *planes)
{
    apart_vec3 part[PART_POINTS];
    double deepest = 0.0;
    int count = 3;
    for (int k = 0; k < 3; k++) {
        part[k] = corner(mesh, triangle, k);
    }
    for (int i = 3; i >= 0 && count > 0; i--) {
        count = cut_below(part, count, planes->normal[i], planes->offset[i]);
    }
    for (int k = 0; k < count; k++) {
        deepest = ap_max(deepest, planes->offset[3] - ap_dot(planes->normal[3], part[k]));
    }
    return deepest;
}

/* May a triangle in the box reach deeper than `layer` below the face, inside the others? */
static bool box_may_reach(const ap_cover_branch *branch, const face_planes *planes, double layer)
{
    for (int k = 0; k < 3; k++) {
        if (branch->low[k] > planes->high[k] || branch->high[k] < planes->low[k]) {
            return false;
        }
    }
    for (int i = 0; i < 4; i++) {
        const apart_vec3 n = planes->normal[i];
        const apart_vec3 lowest = {branch->low[0], branch->low[1], branch->low[2]};
        const apart_vec3 highest = {branch->high[0], branch->high[1], branch->high[2]};
        const double least = n.x * (n.x > 0.0 ? lowest.x : highest.x) + n.y * (n.y > 0.0 ? lowest.y : highest.y) +
                             n.z * (n.z > 0.0 ? lowest.z : highest.z);
        if (least > planes->offset[i] - (i == 3 ? layer : 0.0)) {
            return false;
        }
    }
    return true;
}

double ap_cover_layer(const ap_cover_tree *tree, const apart_vec3 corners[4], double most)
{
    uint32_t stack[STACK_SIZE] = {0}, waiting = 1;
    double layer = 0.0;
    face_planes planes;
    if (!make_face_planes(corners, &planes)) {
        return 1.0;
    }
    while (waiting > 0 && layer <= most * planes.height) {
        const ap_cover_branch *branch = &tree->branch[stack[--waiting]];
        if (!box_may_reach(branch, &planes, layer)) {
            continue;
        }
        if (branch->child != 0) {
            stack[waiting++] = branch->child;
            stack[waiting++] = branch->child + 1;
            continue;
        }
        for (uint32_t i = branch->first; i < branch->first + branch->count; i++) {
            layer = ap_max(layer, depth_of_triangle(tree->mesh, tree->order[i], &planes));
        }
    }
    return layer <= most * planes.height ? layer / planes.height : 1.0;
}
