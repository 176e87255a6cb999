#include "solids/feelers.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "solids/mesh_build.h"
#include "solids/mesh_tree.h"
#include "solids/shape_formula.h"

enum {
    ALONG_EDGE = 8,    /* points along the longest edge of a box */
    AROUND = 24,       /* points around a rim */
    POINTS_MAX = 1500, /* of a mesh */
    CONSIDERED = 20000
};

/* Of the smallest half width: how round edges are. */
static const double ROUNDING = 0.05;

/* ---- collecting -------------------------------------------------------------------------------- */

typedef struct Collection {
    const OozeShape *shape;
    OozeFeelers *feelers;
    int room;
    bool failed;
} Collection;

static void add(Collection *c, OozeVec3 point, double depth)
{
    OozeFeelers *f = c->feelers;
    if (f->count == c->room && !c->failed) {
        size_t count = (size_t)f->count, wanted = c->room ? 2 * count : 64;
        OozeVec3 *points = ooze_grow(f->points, count, wanted, sizeof *points);
        f->points = points ? points : f->points;
        double *depths = points ? ooze_grow(f->depths, count, wanted, sizeof *depths) : NULL;
        f->depths = depths ? depths : f->depths;
        c->failed = !points || !depths;
        c->room = c->failed ? c->room : (int)wanted;
    }
    if (!c->failed) {
        f->points[f->count] = point;
        f->depths[f->count++] = depth;
        f->reach = fmax(f->reach, vec3_length(point) + depth);
    }
}

static void keep_rim(Collection *c, OozeRim rim)
{
    OozeFeelers *f = c->feelers;
    size_t count = (size_t)f->rim_count;
    OozeRim *rims = c->failed ? NULL : ooze_grow(f->rims, count, count + 1, sizeof *rims);
    c->failed = !rims;
    if (rims) {
        f->rims = rims;
        f->rims[f->rim_count++] = rim;
    }
}

static void feel_box(Collection *c)
{
    OozeVec3 half = c->shape->half;
    double most = fmax(half.x, fmax(half.y, half.z)), least = fmin(half.x, fmin(half.y, half.z));
    double depth = ROUNDING * least, sides[3] = {half.x, half.y, half.z};
    int n[3];
    for (int a = 0; a < 3; a++) {
        n[a] = (int)fmax(2.0, ceil(ALONG_EDGE * sides[a] / most));
        sides[a] -= depth;
    }
    for (int i = 0; i <= n[0]; i++) {
        for (int j = 0; j <= n[1]; j++) {
            for (int k = 0; k <= n[2]; k++) {
                bool skin = i == 0 || i == n[0] || j == 0 || j == n[1] || k == 0 || k == n[2];
                if (skin) {
                    add(c,
                        vec3(sides[0] * (2.0 * i / n[0] - 1.0), sides[1] * (2.0 * j / n[1] - 1.0),
                             sides[2] * (2.0 * k / n[2] - 1.0)),
                        depth);
                }
            }
        }
    }
}

static void feel_capsule(Collection *c)
{
    for (int k = 0; k <= ALONG_EDGE; k++) {
        double z = c->shape->height * ((double)k / ALONG_EDGE - 0.5);
        add(c, ooze_from_upright(c->shape->up, vec3(0, 0, z)), c->shape->radius);
    }
}

static void feel_circle(Collection *c, double radius, double z, double depth)
{
    for (int k = 0; k < AROUND; k++) {
        double angle = 2.0 * 3.14159265358979323846 * k / AROUND;
        OozeVec3 p = vec3(radius * cos(angle), radius * sin(angle), z);
        add(c, ooze_from_upright(c->shape->up, p), depth);
    }
}

static void add_rim(Collection *c, double radius, double z, double depth)
{
    OozeVec3 axis = vec3_axis(c->shape->up);
    keep_rim(c, (OozeRim){vec3_scale(axis, z), axis, radius, depth});
}

static void feel_cylinder(Collection *c)
{
    double r = c->shape->radius, end = 0.5 * c->shape->height, depth = ROUNDING * fmin(r, end);
    for (int k = -2; k <= 2; k++) {
        feel_circle(c, r - depth, 0.5 * k * (end - depth), depth);
    }
    for (int side = -1; side <= 1; side += 2) {
        feel_circle(c, 0.5 * r, side * (end - depth), depth);
        add(c, ooze_from_upright(c->shape->up, vec3(0, 0, side * (end - depth))), depth);
        add_rim(c, r - depth, side * (end - depth), depth);
    }
}

/* Stands on its origin. Depth is taken from the angle at the base: where two sides meet at it, the point that is
   as deep under both. */
static void feel_cone(Collection *c)
{
    double r = c->shape->radius, h = c->shape->height, slope = sqrt(r * r + h * h);
    double inner = r * h / (r + slope), depth = ROUNDING * fmin(inner, r);
    double in = depth * (slope + r) / h; /* from the rim, so as to be that deep under the mantle */
    add(c, ooze_from_upright(c->shape->up, vec3(0, 0, h - depth * slope / r)), depth);
    for (int k = 0; k < 4; k++) {
        double z = depth + 0.25 * k * (h - depth * slope / r - depth);
        feel_circle(c, (r - in) * (1.0 - 0.25 * k), z, depth);
    }
    feel_circle(c, 0.4 * r, depth, depth);
    add_rim(c, r - in, depth, depth);
}

static void feel_torus(Collection *c)
{
    feel_circle(c, c->shape->radius, 0.0, c->shape->tube_radius);
    add_rim(c, c->shape->radius, 0.0, c->shape->tube_radius);
}

/* ---- meshes ------------------------------------------------------------------------------------- */

/* From a vertex inwards along `normal`, to `depth` below every triangle; less far where the mesh is thinner. Measured
   from the triangles themselves: what is felt of flat faces is as flat. */
static void add_below(Collection *c, const OozeMeshTree *tree, OozeVec3 vertex, OozeVec3 normal,
                      double depth)
{
    enum { ROUNDS = 12 };
    OozeVec3 p = vec3_madd(vertex, -depth, normal);
    OozeNearest near = ooze_mesh_tree_nearest(tree, p, INFINITY);
    for (int k = 0; k < ROUNDS && near.distance > 0.0 && near.distance < depth; k++) {
        OozeVec3 away = vec3_scale(vec3_sub(p, near.point), 1.0 / near.distance);
        p = vec3_madd(p, depth - near.distance, away);
        near = ooze_mesh_tree_nearest(tree, p, INFINITY);
    }
    add(c, p, near.distance);
}

/* Sums of the normals of triangles about each vertex, by area. */
static OozeVec3 *vertex_normals(const OozeMesh *mesh)
{
    OozeVec3 *normals = ooze_alloc_zero(mesh->vertex_count, sizeof *normals);
    for (uint64_t t = 0; normals && t < mesh->triangle_count; t++) {
        OozeVec3 a = ooze_mesh_corner(mesh, t, 0);
        OozeVec3 normal = vec3_cross(vec3_sub(ooze_mesh_corner(mesh, t, 1), a),
                                     vec3_sub(ooze_mesh_corner(mesh, t, 2), a));
        for (int k = 0; k < 3; k++) {
            OozeVec3 *own = &normals[mesh->triangles[3 * t + (uint64_t)k]];
            *own = vec3_add(*own, normal);
        }
    }
    return normals;
}

/* Vertices no nearer to each other than `apart`, corners of large triangles and points along their edges too. */
static void feel_vertices(Collection *c, const OozeMesh *mesh, const OozeMeshTree *tree,
                          double apart, double depth)
{
    uint64_t stride = mesh->vertex_count / CONSIDERED + 1;
    OozeVec3 *kept = ooze_alloc(POINTS_MAX, sizeof *kept), *normals = vertex_normals(mesh);
    int count = 0;
    c->failed = c->failed || !kept || !normals;
    for (uint64_t v = 0; !c->failed && v < mesh->vertex_count && count < POINTS_MAX; v += stride) {
        OozeVec3 p = mesh->vertices[v];
        bool free = true;
        for (int k = 0; k < count && free; k++) {
            OozeVec3 way = vec3_sub(kept[k], p);
            free = vec3_dot(way, way) >= apart * apart;
        }
        if (free) {
            kept[count++] = p;
            add_below(c, tree, p, vec3_unit(normals[v], vec3(0, 0, 0)), depth);
        }
    }
    ooze_free(kept);
    ooze_free(normals);
}

static OozeStatus feel_mesh(Collection *c, OozeError *error)
{
    OozeBounds box = ooze_shape_bounds(c->shape);
    OozeVec3 size = vec3_sub(box.max, box.min);
    double most = fmax(size.x, fmax(size.y, size.z)), least = fmin(size.x, fmin(size.y, size.z));
    OozeMesh *mesh = NULL;
    OozeMeshTree *tree = NULL;
    OozeStatus status = ooze_shape_triangulate(c->shape, most / ALONG_EDGE, NULL, &mesh, error);
    status = status ? status : ooze_mesh_tree_create(mesh, &tree, error);
    if (!status) {
        feel_vertices(c, mesh, tree, most / (4 * ALONG_EDGE), 0.5 * ROUNDING * least);
    }
    ooze_mesh_tree_destroy(tree);
    ooze_mesh_free(mesh);
    return status;
}

/* ---- any shape ------------------------------------------------------------------------------------ */

static OozeStatus feel_simple(const OozeShape *shape, OozeFeelers *feelers, OozeError *error)
{
    memset(feelers, 0, sizeof *feelers);
    Collection c = {.shape = shape, .feelers = feelers};
    OozeStatus status = OOZE_OK;
    OozeShapeKind kind = ooze_shape_kind(shape);
    if (shape->grid) {
        status = feel_mesh(&c, error);
    } else if (kind == OOZE_SHAPE_BOX) {
        feel_box(&c);
    } else if (kind == OOZE_SHAPE_SPHERE) {
        add(&c, vec3(0, 0, 0), shape->radius);
    } else if (kind == OOZE_SHAPE_CAPSULE) {
        feel_capsule(&c);
    } else if (kind == OOZE_SHAPE_CYLINDER) {
        feel_cylinder(&c);
    } else if (kind == OOZE_SHAPE_CONE) {
        feel_cone(&c);
    } else {
        feel_torus(&c);
    }
    if (!status && c.failed) {
        status = ooze_fail_memory(error, "where a solid meets others", sizeof(OozeVec3) * 64);
    }
    if (status) {
        ooze_feelers_free(feelers);
    }
    return status;
}

/* Whether the ball that a point stands for lies wholly under the surface of another part. */
static bool is_hidden(const OozeShape *shape, int own, OozeVec3 point, double depth)
{
    double skin = 1e-6 * depth;
    OozeVec3 normal;
    bool hidden = false;
    for (int k = 0; k < shape->part_count && !hidden; k++) {
        hidden = k != own && ooze_part_distance(&shape->parts[k], point, &normal) < -(depth + skin);
    }
    return hidden;
}

static OozeStatus feel_compound(const OozeShape *shape, OozeFeelers *feelers, OozeError *error)
{
    Collection all = {.shape = shape, .feelers = feelers};
    OozeStatus status = OOZE_OK;
    for (int k = 0; k < shape->part_count && !status; k++) {
        const OozeShapePart *part = &shape->parts[k];
        OozeFeelers own;
        status = feel_simple(&part->shape, &own, error);
        for (int i = 0; i < own.count; i++) {
            OozeVec3 p = ooze_pose_to_world(&part->pose, own.points[i]);
            if (!is_hidden(shape, k, p, own.depths[i])) {
                add(&all, p, own.depths[i]);
            }
        }
        for (int i = 0; i < own.rim_count; i++) {
            OozeRim rim = own.rims[i];
            rim.centre = ooze_pose_to_world(&part->pose, rim.centre);
            rim.axis = quat_rotate(part->pose.rotation, rim.axis);
            keep_rim(&all, rim);
        }
        ooze_feelers_free(&own);
        if (!status && all.failed) {
            status = ooze_fail_memory(error, "where a solid meets others", sizeof(OozeVec3) * 64);
        }
    }
    if (status) {
        ooze_feelers_free(feelers);
    }
    return status;
}

OozeStatus ooze_feelers_create(const OozeShape *shape, OozeFeelers *feelers, OozeError *error)
{
    memset(feelers, 0, sizeof *feelers);
    OozeShapeKind kind = ooze_shape_kind(shape);
    if (ooze_shape_inverted(shape) || kind == OOZE_SHAPE_PLANE || kind == OOZE_SHAPE_HEIGHTFIELD) {
        return OOZE_OK;
    }
    return shape->parts ? feel_compound(shape, feelers, error) : feel_simple(shape, feelers, error);
}

void ooze_feelers_free(OozeFeelers *feelers)
{
    ooze_free(feelers->rims);
    ooze_free(feelers->points);
    ooze_free(feelers->depths);
    memset(feelers, 0, sizeof *feelers);
}
