#include "mesh/tree.h"

#include "base/bounds.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "mesh/nearest.h"

enum { LEAF_TRIANGLES = 4, DEPTH_MAX = 64 };

/* The left child follows its parent in the array. */
typedef struct Node {
    OozeBounds box;
    uint32_t first, count; /* triangles */
    uint32_t right;        /* 0: a leaf */
} Node;

/* The triangles of a node: a dipole for distant points, and a thick disc that bounds them, which
   fits slanted surfaces more tightly than a box. */
typedef struct Group {
    OozeVec3 centre;       /* by area */
    OozeVec3 moment;       /* sum of area vectors */
    OozeVec3 normal;       /* unit */
    double radius;         /* of the sphere about the centre that holds all triangles */
    double half_thickness; /* largest distance of a corner from the plane through the centre */
} Group;

typedef struct Triangle {
    OozeVec3 a, b, c;
} Triangle;

struct OozeMeshTree {
    Triangle *triangles;
    Node *nodes;
    Group *groups;
    uint64_t triangle_count, node_count;
};

typedef struct Building {
    OozeMeshTree *tree;
    const OozeMesh *mesh;
    uint32_t *order;   /* triangles in the order of the leaves */
    OozeVec3 *centres; /* of triangles by number */
} Building;

/* ---- building ------------------------------------------------------------------------------- */

/* Ties are broken by index, so that the order is unique. */
static bool comes_before(const Building *work, uint32_t a, uint32_t b, int axis)
{
    double pa = vec3_component(work->centres[a], axis), pb = vec3_component(work->centres[b], axis);
    return pa < pb || (pa == pb && a < b);
}

/* Quickselect (Hoare): afterwards order[middle] has its sorted rank and separates [begin, end). */
static void split_at(Building *work, int64_t begin, int64_t end, int64_t middle, int axis)
{
    uint32_t *order = work->order;
    int64_t low = begin, high = end - 1;
    while (low < high) {
        uint32_t pivot = order[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (comes_before(work, order[i], pivot, axis)) {
                i++;
            }
            while (comes_before(work, pivot, order[j], axis)) {
                j--;
            }
            if (i <= j) {
                uint32_t swapped = order[i];
                order[i++] = order[j];
                order[j--] = swapped;
            }
        }
        if (middle <= j) {
            high = j;
        } else if (middle >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static void measure_node(Building *work, Node *node, Group *group)
{
    node->box = ooze_bounds_empty();
    double area = 0.0;
    OozeVec3 centre = {0}, moment = {0};
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
        uint32_t t = work->order[i];
        OozeVec3 a = ooze_mesh_corner(work->mesh, t, 0), b = ooze_mesh_corner(work->mesh, t, 1);
        OozeVec3 c = ooze_mesh_corner(work->mesh, t, 2);
        node->box = ooze_bounds_include(node->box, a);
        node->box = ooze_bounds_include(node->box, b);
        node->box = ooze_bounds_include(node->box, c);
        OozeVec3 area_vector = vec3_scale(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)), 0.5);
        double weight = vec3_length(area_vector);
        moment = vec3_add(moment, area_vector);
        centre = vec3_madd(centre, weight, work->centres[t]);
        area += weight;
    }
    OozeVec3 middle = vec3_scale(vec3_add(node->box.min, node->box.max), 0.5);
    group->centre = area > 0.0 ? vec3_scale(centre, 1.0 / area) : middle;
    group->moment = moment;
    group->normal = vec3_unit(moment, vec3(1.0, 0.0, 0.0));
    group->radius = group->half_thickness = 0.0;
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
        for (int k = 0; k < 3; k++) {
            OozeVec3 from =
                vec3_sub(ooze_mesh_corner(work->mesh, work->order[i], k), group->centre);
            group->radius = fmax(group->radius, vec3_length(from));
            group->half_thickness =
                fmax(group->half_thickness, fabs(vec3_dot(from, group->normal)));
        }
    }
}

static int longest_axis(const Building *work, const Node *node)
{
    OozeBounds box = ooze_bounds_empty();
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
        box = ooze_bounds_include(box, work->centres[work->order[i]]);
    }
    OozeVec3 size = vec3_sub(box.max, box.min);
    int axis = size.y > size.x ? 1 : 0;
    return size.z > (axis ? size.y : size.x) ? 2 : axis;
}

/* Splitting at the median bounds the depth by the logarithm of the count. */
static void build_node(Building *work, uint32_t first, uint32_t count)
{
    OozeMeshTree *tree = work->tree;
    uint64_t index = tree->node_count++;
    Node *node = &tree->nodes[index];
    *node = (Node){.first = first, .count = count};
    measure_node(work, node, &tree->groups[index]);
    if (count <= LEAF_TRIANGLES) {
        return;
    }
    uint32_t half = count / 2;
    split_at(work, first, (int64_t)first + count, (int64_t)first + half, longest_axis(work, node));
    build_node(work, first, half);
    tree->nodes[index].right = (uint32_t)tree->node_count;
    build_node(work, first + half, count - half);
}

static OozeStatus allocate(Building *work, OozeMeshTree *tree, OozeError *error)
{
    uint64_t count = work->mesh->triangle_count;
    /* Leaves hold 2 triangles or more, unless there is only one leaf. */
    uint64_t nodes = 2 * (count / 2 + 1);
    tree->triangle_count = count;
    tree->triangles = ooze_alloc(count, sizeof *tree->triangles);
    tree->nodes = ooze_alloc(nodes, sizeof *tree->nodes);
    tree->groups = ooze_alloc(nodes, sizeof *tree->groups);
    work->order = ooze_alloc(count, sizeof *work->order);
    work->centres = ooze_alloc(count, sizeof *work->centres);
    if (!tree->triangles || !tree->nodes || !tree->groups || !work->order || !work->centres) {
        return ooze_fail_memory(error, "the search tree of a mesh",
                                count * (sizeof *tree->triangles + sizeof *work->centres) +
                                    nodes * (sizeof *tree->nodes + sizeof *tree->groups));
    }
    return OOZE_OK;
}

OozeStatus ooze_mesh_tree_create(const OozeMesh *mesh, OozeMeshTree **out, OozeError *error)
{
    *out = NULL;
    OozeMeshTree *tree = ooze_alloc_zero(1, sizeof *tree);
    if (!tree) {
        return ooze_fail_memory(error, "the search tree of a mesh", sizeof *tree);
    }
    Building work = {.tree = tree, .mesh = mesh};
    OozeStatus status = allocate(&work, tree, error);
    for (uint64_t t = 0; !status && t < mesh->triangle_count; t++) {
        work.order[t] = (uint32_t)t;
        OozeVec3 sum = vec3_add(ooze_mesh_corner(mesh, t, 0), ooze_mesh_corner(mesh, t, 1));
        work.centres[t] = vec3_scale(vec3_add(sum, ooze_mesh_corner(mesh, t, 2)), 1.0 / 3.0);
    }
    if (!status) {
        build_node(&work, 0, (uint32_t)mesh->triangle_count);
        for (uint64_t i = 0; i < mesh->triangle_count; i++) {
            uint32_t t = work.order[i];
            tree->triangles[i] =
                (Triangle){ooze_mesh_corner(mesh, t, 0), ooze_mesh_corner(mesh, t, 1),
                           ooze_mesh_corner(mesh, t, 2)};
        }
    }
    ooze_free(work.order);
    ooze_free(work.centres);
    if (status) {
        ooze_mesh_tree_destroy(tree);
        return status;
    }
    *out = tree;
    return OOZE_OK;
}

void ooze_mesh_tree_destroy(OozeMeshTree *tree)
{
    if (tree) {
        ooze_free(tree->triangles);
        ooze_free(tree->nodes);
        ooze_free(tree->groups);
        ooze_free(tree);
    }
}

/* ---- nearest point -------------------------------------------------------------------------- */

/* max(low - x, x - high, 0) without a branch: x + |x| is 2 max(x, 0). */
static inline double beyond(double low, double high, double x)
{
    double under = low - x, over = x - high;
    return 0.5 * ((under + fabs(under)) + (over + fabs(over)));
}

static inline double box_distance2(const OozeBounds *box, OozeVec3 p)
{
    double x = beyond(box->min.x, box->max.x, p.x), y = beyond(box->min.y, box->max.y, p.y);
    double z = beyond(box->min.z, box->max.z, p.z);
    return x * x + y * y + z * z;
}

/* Least distance to the disc of a group. */
static inline double disc_distance2(const Group *group, OozeVec3 p)
{
    OozeVec3 from = vec3_sub(p, group->centre);
    double up = vec3_dot(from, group->normal), away2 = vec3_dot(from, from);
    double aside2 = away2 - up * up;
    double above = beyond(-group->half_thickness, group->half_thickness, up);
    double aside = beyond(0.0, group->radius, sqrt(aside2 > 0.0 ? aside2 : 0.0));
    return above * above + aside * aside;
}

static OozeVec3 nearest_on(const Triangle *t, OozeVec3 p)
{
    return ooze_nearest_on_triangle(t->a, t->b, t->c, p);
}

OozeNearest ooze_mesh_tree_nearest(const OozeMeshTree *tree, OozeVec3 point, double within)
{
    /* Boxes are skipped only when they are farther by more than rounding: the nearest triangle is
       always visited, and the result does not depend on `within`. */
    const double slack = 1.0 - 1e-9;
    struct {
        uint32_t node;
        double distance2;
    } stack[DEPTH_MAX + 2];
    int depth = 0;
    OozeNearest best = {.point = point};
    double limit = within * within * (1.0 + 1e-9), best2 = INFINITY;
    stack[depth].node = 0;
    stack[depth++].distance2 = 0.0;
    while (depth > 0) {
        depth--;
        if (stack[depth].distance2 * slack > limit) {
            continue;
        }
        uint32_t index = stack[depth].node;
        if (disc_distance2(&tree->groups[index], point) * slack > limit) {
            continue;
        }
        const Node *node = &tree->nodes[index];
        if (node->right == 0) {
            for (uint32_t i = node->first; i < node->first + node->count; i++) {
                OozeVec3 nearest = nearest_on(&tree->triangles[i], point);
                double d2 = ooze_distance2(nearest, point);
                if (d2 < best2) {
                    best2 = d2;
                    best.point = nearest;
                    limit = fmin(limit, d2);
                }
            }
            continue;
        }
        uint32_t left = index + 1, right = node->right;
        double to_left = box_distance2(&tree->nodes[left].box, point);
        double to_right = box_distance2(&tree->nodes[right].box, point);
        bool left_first = to_left <= to_right;
        stack[depth].node = left_first ? right : left;
        stack[depth++].distance2 = left_first ? to_right : to_left;
        stack[depth].node = left_first ? left : right;
        stack[depth++].distance2 = left_first ? to_left : to_right;
    }
    if (isinf(best2) && isfinite(within)) { /* the square of the bound underflowed */
        return ooze_mesh_tree_nearest(tree, point, INFINITY);
    }
    best.distance = sqrt(best2);
    return best;
}

double ooze_mesh_tree_distance2(const OozeMeshTree *tree, uint32_t triangle, OozeVec3 point)
{
    return ooze_distance2(nearest_on(&tree->triangles[triangle], point), point);
}

/* Inserts a triangle behind those that are as near. */
static void insert_near(OozeNearTriangle *near, int count, OozeNearTriangle added)
{
    int k = count;
    for (; k > 0 && near[k - 1].distance > added.distance; k--) {
        near[k] = near[k - 1];
    }
    near[k] = added;
}

int ooze_mesh_tree_near(const OozeMeshTree *tree, OozeVec3 point, double reach, int most,
                        OozeNearTriangle *near)
{
    const double limit = reach * reach * (1.0 + 1e-9);
    uint32_t stack[DEPTH_MAX + 2];
    int depth = 0, count = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        uint32_t index = stack[--depth];
        const Node *node = &tree->nodes[index];
        if (box_distance2(&node->box, point) * (1.0 - 1e-9) > limit ||
            disc_distance2(&tree->groups[index], point) * (1.0 - 1e-9) > limit) {
            continue;
        }
        if (node->right != 0) {
            stack[depth++] = node->right;
            stack[depth++] = index + 1;
            continue;
        }
        for (uint32_t i = node->first; i < node->first + node->count; i++) {
            double d2 = ooze_mesh_tree_distance2(tree, i, point);
            if (d2 <= limit) {
                if (count == most) {
                    return most + 1;
                }
                insert_near(near, count++, (OozeNearTriangle){i, sqrt(d2)});
            }
        }
    }
    return count;
}

/* ---- winding number ------------------------------------------------------------------------- */

/* Solid angle of a triangle seen from p over 4 pi (van Oosterom and Strackee 1983). */
static double triangle_winding(const Triangle *t, OozeVec3 p)
{
    OozeVec3 a = vec3_sub(t->a, p), b = vec3_sub(t->b, p), c = vec3_sub(t->c, p);
    double la = vec3_length(a), lb = vec3_length(b), lc = vec3_length(c);
    double volume = vec3_dot(a, vec3_cross(b, c));
    double base = la * lb * lc + vec3_dot(a, b) * lc + vec3_dot(b, c) * la + vec3_dot(c, a) * lb;
    return atan2(volume, base) * (1.0 / (2.0 * 3.14159265358979323846));
}

double ooze_mesh_tree_winding(const OozeMeshTree *tree, OozeVec3 point)
{
    const double far = 2.0; /* radii of a group */
    uint32_t stack[DEPTH_MAX + 2];
    int depth = 0;
    double winding = 0.0;
    stack[depth++] = 0;
    while (depth > 0) {
        uint32_t index = stack[--depth];
        const Group *group = &tree->groups[index];
        const Node *node = &tree->nodes[index];
        OozeVec3 away = vec3_sub(group->centre, point);
        double d2 = vec3_dot(away, away);
        if (d2 > far * far * group->radius * group->radius) {
            winding +=
                vec3_dot(group->moment, away) / (d2 * sqrt(d2) * 4.0 * 3.14159265358979323846);
        } else if (node->right == 0) {
            for (uint32_t i = node->first; i < node->first + node->count; i++) {
                winding += triangle_winding(&tree->triangles[i], point);
            }
        } else {
            stack[depth++] = node->right;
            stack[depth++] = index + 1;
        }
    }
    return winding;
}
