#include "solids/point_shell.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "mesh/build.h"
#include "mesh/tree.h"
#include "solids/shape_formula.h"

enum {
    ALONG_EDGE = 8,      /* intervals along the longest edge of a box */
    AROUND = 24,         /* points on a circle */
    POINTS_MAX = 1500,   /* of a mesh */
    VERTICES_MAX = 20000 /* of a mesh, considered for points */
};

/* Radius of rounded edges, of the smallest half width. */
static const double ROUNDING = 0.05;

/* ---- building -------------------------------------------------------------------------------- */

typedef struct Builder {
    const OozeShape *shape;
    OozePointShell *shell;
    int room;
    bool failed; /* out of memory */
} Builder;

static void add_point(Builder *c, OozeVec3 point, double depth)
{
    OozePointShell *f = c->shell;
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
        f->depth_max = fmax(f->depth_max, depth);
        f->reach = fmax(f->reach, vec3_length(point) + depth);
    }
}

static void add_rolling_circle(Builder *c, OozeShellCircle circle)
{
    OozePointShell *f = c->shell;
    size_t count = (size_t)f->circle_count;
    OozeShellCircle *grown =
        c->failed ? NULL : ooze_grow(f->circles, count, count + 1, sizeof *grown);
    c->failed = !grown;
    if (grown) {
        f->circles = grown;
        f->circles[f->circle_count++] = circle;
    }
}

/* ---- primitives ------------------------------------------------------------------------------ */

/* Points of a lattice on the surface: on edges and corners, or within faces. */
static void add_box_points(Builder *c, bool faces)
{
    OozeVec3 half = c->shape->half;
    double max = fmax(half.x, fmax(half.y, half.z)), min = fmin(half.x, fmin(half.y, half.z));
    double depth = ROUNDING * min, sides[3] = {half.x, half.y, half.z};
    int n[3];
    for (int a = 0; a < 3; a++) {
        n[a] = (int)fmax(2.0, ceil(ALONG_EDGE * sides[a] / max));
        sides[a] -= depth;
    }
    for (int i = 0; i <= n[0]; i++) {
        for (int j = 0; j <= n[1]; j++) {
            for (int k = 0; k <= n[2]; k++) {
                int on = (i == 0 || i == n[0]) + (j == 0 || j == n[1]) + (k == 0 || k == n[2]);
                if (faces ? on == 1 : on > 1) {
                    add_point(c,
                              vec3(sides[0] * (2.0 * i / n[0] - 1.0),
                                   sides[1] * (2.0 * j / n[1] - 1.0),
                                   sides[2] * (2.0 * k / n[2] - 1.0)),
                              depth);
                }
            }
        }
    }
}

static void add_box(Builder *c)
{
    add_box_points(c, false);
    c->shell->edge_count = c->shell->count;
    add_box_points(c, true);
}

static void add_capsule(Builder *c)
{
    for (int k = 0; k <= ALONG_EDGE; k++) {
        double z = c->shape->height * ((double)k / ALONG_EDGE - 0.5);
        add_point(c, ooze_from_upright(c->shape->up, vec3(0, 0, z)), c->shape->radius);
    }
}

static void add_circle_points(Builder *c, double radius, double z, double depth)
{
    for (int k = 0; k < AROUND; k++) {
        double angle = 2.0 * 3.14159265358979323846 * k / AROUND;
        OozeVec3 p = vec3(radius * cos(angle), radius * sin(angle), z);
        add_point(c, ooze_from_upright(c->shape->up, p), depth);
    }
}

static void add_circle(Builder *c, double radius, double z, double depth)
{
    OozeVec3 axis = vec3_axis(c->shape->up);
    add_rolling_circle(c, (OozeShellCircle){vec3_scale(axis, z), axis, radius, depth});
}

static void add_cylinder(Builder *c)
{
    double r = c->shape->radius, end = 0.5 * c->shape->height, depth = ROUNDING * fmin(r, end);
    for (int k = -2; k <= 2; k++) {
        add_circle_points(c, r - depth, 0.5 * k * (end - depth), depth);
    }
    for (int side = -1; side <= 1; side += 2) {
        add_circle_points(c, 0.5 * r, side * (end - depth), depth);
        add_point(c, ooze_from_upright(c->shape->up, vec3(0, 0, side * (end - depth))), depth);
        add_circle(c, r - depth, side * (end - depth), depth);
    }
}

/* Stands on its origin. The circle at the base is equally deep under the base and the mantle. */
static void add_cone(Builder *c)
{
    double r = c->shape->radius, h = c->shape->height, slope = sqrt(r * r + h * h);
    double inner = r * h / (r + slope), depth = ROUNDING * fmin(inner, r);
    double in = depth * (slope + r) / h; /* distance of that circle from the edge */
    add_point(c, ooze_from_upright(c->shape->up, vec3(0, 0, h - depth * slope / r)), depth);
    for (int k = 0; k < 4; k++) {
        double z = depth + 0.25 * k * (h - depth * slope / r - depth);
        add_circle_points(c, (r - in) * (1.0 - 0.25 * k), z, depth);
    }
    add_circle_points(c, 0.4 * r, depth, depth);
    add_circle(c, r - in, depth, depth);
}

static void add_torus(Builder *c)
{
    add_circle_points(c, c->shape->radius, 0.0, c->shape->tube_radius);
    add_circle(c, c->shape->radius, 0.0, c->shape->tube_radius);
}

/* Surfaces of containers: `depth` is the radius of their rounded edges. */
static double wall_depth(const OozeShape *shape)
{
    double walls = shape->thickness;
    if (shape->kind != OOZE_SHAPE_BOWL) {
        OozeVec3 half = ooze_to_upright(shape->up, shape->half), in = shape->cavity;
        bool box = shape->kind == OOZE_SHAPE_OPEN_BOX;
        walls = fmin(in.z, box ? fmin(half.x - in.x, half.y - in.y) : shape->radius - in.x);
    }
    return 0.5 * ROUNDING * walls;
}

static void add_edge_circle(Builder *c, double radius, double z, double depth)
{
    add_circle_points(c, radius, z, depth);
    add_circle(c, radius, z, depth);
}

static void add_open_cylinder(Builder *c)
{
    double r = c->shape->radius, h = c->shape->height, depth = wall_depth(c->shape);
    double inner = c->shape->cavity.x + depth, floor = c->shape->cavity.z - depth;
    add_edge_circle(c, r - depth, depth, depth);
    add_edge_circle(c, r - depth, h - depth, depth);
    add_edge_circle(c, inner, h - depth, depth);
    c->shell->edge_count = c->shell->count;
    for (int k = 1; k < 4; k++) {
        add_circle_points(c, r - depth, depth + 0.25 * k * (h - 2.0 * depth), depth);
        add_circle_points(c, inner, floor + 0.25 * k * (h - depth - floor), depth);
    }
    add_circle_points(c, 0.5 * r, depth, depth);
    add_circle_points(c, 0.5 * r, floor, depth);
    add_point(c, ooze_from_upright(c->shape->up, vec3(0, 0, depth)), depth);
    add_point(c, ooze_from_upright(c->shape->up, vec3(0, 0, floor)), depth);
}

static void add_bowl(Builder *c)
{
    enum { RINGS = 16 };
    double depth = wall_depth(c->shape), h = c->shape->height;
    double outer = ooze_bowl_sphere(c->shape->radius, h), rim = h - outer - depth;
    double inner = outer - c->shape->thickness + depth;
    outer -= depth;
    double centre = outer + depth, outer_end = acos(-rim / outer), inner_end = acos(-rim / inner);
    add_point(c, ooze_from_upright(c->shape->up, vec3(0, 0, depth)), depth);
    for (int k = 1; k <= RINGS; k++) { /* the bowl rolls on its outside */
        double angle = outer_end * k / RINGS;
        add_edge_circle(c, outer * sin(angle), centre - outer * cos(angle), depth);
    }
    add_edge_circle(c, inner * sin(inner_end), centre - inner * cos(inner_end), depth);
    c->shell->edge_count = c->shell->count;
    add_point(c, ooze_from_upright(c->shape->up, vec3(0, 0, centre - inner)), depth);
    for (int k = 1; k < 4; k++) {
        double angle = 0.25 * inner_end * k;
        add_circle_points(c, inner * sin(angle), centre - inner * cos(angle), depth);
    }
}

/* Points of a lattice on the outside or in the cavity of an open box, on edges or within faces.
   The open top has no points within; edges of the cavity's floor are concave and touch nothing. */
static void add_open_box_points(Builder *c, bool cavity, bool faces)
{
    enum { STEPS = 6 };
    double depth = wall_depth(c->shape);
    OozeVec3 half = ooze_to_upright(c->shape->up, c->shape->half), in = c->shape->cavity;
    double x = cavity ? in.x + depth : half.x - depth, y = cavity ? in.y + depth : half.y - depth;
    double low = cavity ? in.z - depth : depth, high = 2.0 * half.z - depth;
    for (int n = 0; n < (STEPS + 1) * (STEPS + 1) * (STEPS + 1); n++) {
        int i = n % (STEPS + 1), j = n / (STEPS + 1) % (STEPS + 1),
            k = n / ((STEPS + 1) * (STEPS + 1));
        int on = (i % STEPS == 0) + (j % STEPS == 0) + (k % STEPS == 0);
        bool edge = on > 1 && (!cavity || k == STEPS), face = on == 1 && k != STEPS;
        if (faces ? face : edge) {
            OozeVec3 p = vec3(x * (2.0 * i / STEPS - 1.0), y * (2.0 * j / STEPS - 1.0),
                              low + (high - low) * k / STEPS);
            add_point(c, ooze_from_upright(c->shape->up, p), depth);
        }
    }
}

static void add_open_box(Builder *c)
{
    add_open_box_points(c, false, false);
    add_open_box_points(c, true, false);
    c->shell->edge_count = c->shell->count;
    add_open_box_points(c, false, true);
    add_open_box_points(c, true, true);
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/* Moves from a vertex inwards along `normal` until every triangle is `depth` away; less far where
   the mesh is thinner. Distances are those of the triangles, so that flat faces stay flat. */
static void add_below(Builder *c, const OozeMeshTree *tree, OozeVec3 vertex, OozeVec3 normal,
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
    add_point(c, p, near.distance);
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

/* One point for each vertex that has a distance of at least `apart` from those before it. */
static void add_vertices(Builder *c, const OozeMesh *mesh, const OozeMeshTree *tree, double apart,
                         double depth)
{
    uint64_t stride = mesh->vertex_count / VERTICES_MAX + 1;
    OozeVec3 *kept = ooze_alloc(POINTS_MAX, sizeof *kept), *normals = vertex_normals(mesh);
    int count = 0;
    c->failed = c->failed || !kept || !normals;
    for (uint64_t v = 0; !c->failed && v < mesh->vertex_count && count < POINTS_MAX; v += stride) {
        OozeVec3 p = mesh->vertices[v];
        bool free = true;
        for (int k = 0; k < count && free; k++) {
            OozeVec3 delta = vec3_sub(kept[k], p);
            free = vec3_dot(delta, delta) >= apart * apart;
        }
        if (free) {
            kept[count++] = p;
            add_below(c, tree, p, vec3_unit(normals[v], vec3(0, 0, 0)), depth);
        }
    }
    ooze_free(kept);
    ooze_free(normals);
}

static OozeStatus add_mesh(Builder *c, OozeError *error)
{
    OozeBounds box = ooze_shape_bounds(c->shape);
    OozeVec3 size = vec3_sub(box.max, box.min);
    double max = fmax(size.x, fmax(size.y, size.z)), min = fmin(size.x, fmin(size.y, size.z));
    OozeMesh *mesh = NULL;
    OozeMeshTree *tree = NULL;
    OozeStatus status = ooze_shape_triangulate(c->shape, max / ALONG_EDGE, NULL, &mesh, error);
    status = status ? status : ooze_mesh_tree_create(mesh, &tree, error);
    if (!status) {
        add_vertices(c, mesh, tree, max / (4 * ALONG_EDGE), 0.5 * ROUNDING * min);
    }
    ooze_mesh_tree_destroy(tree);
    ooze_mesh_free(mesh);
    return status;
}

/* ---- any shape ------------------------------------------------------------------------------- */

static OozeStatus finish(Builder *c, OozeStatus status, OozeError *error)
{
    if (!status && c->failed) {
        status = ooze_fail_memory(error, "the point shell of a solid", sizeof(OozeVec3) * 64);
    }
    if (status) {
        ooze_point_shell_free(c->shell);
    }
    return status;
}

static OozeStatus shell_of_simple(const OozeShape *shape, OozePointShell *shell, OozeError *error)
{
    memset(shell, 0, sizeof *shell);
    Builder c = {.shape = shape, .shell = shell};
    OozeStatus status = OOZE_OK;
    OozeShapeKind kind = ooze_shape_kind(shape);
    if (shape->grid || shape->stretched) {
        status = add_mesh(&c, error);
    } else if (kind == OOZE_SHAPE_BOX) {
        add_box(&c);
    } else if (kind == OOZE_SHAPE_SPHERE) {
        add_point(&c, vec3(0, 0, 0), shape->radius);
    } else if (kind == OOZE_SHAPE_CAPSULE) {
        add_capsule(&c);
    } else if (kind == OOZE_SHAPE_CYLINDER) {
        add_cylinder(&c);
    } else if (kind == OOZE_SHAPE_CONE) {
        add_cone(&c);
    } else if (kind == OOZE_SHAPE_OPEN_BOX) {
        add_open_box(&c);
    } else if (kind == OOZE_SHAPE_OPEN_CYLINDER) {
        add_open_cylinder(&c);
    } else if (kind == OOZE_SHAPE_BOWL) {
        add_bowl(&c);
    } else {
        add_torus(&c);
    }
    shell->edge_count = shell->edge_count ? shell->edge_count : shell->count;
    return finish(&c, status, error);
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

/* Points of one part, those of edges or those of faces. */
static void add_part_points(Builder *c, int part, const OozePointShell *own, bool faces)
{
    int begin = faces ? own->edge_count : 0, end = faces ? own->count : own->edge_count;
    for (int i = begin; i < end; i++) {
        OozeVec3 p = ooze_pose_to_world(&c->shape->parts[part].pose, own->points[i]);
        if (!is_hidden(c->shape, part, p, own->depths[i])) {
            add_point(c, p, own->depths[i]);
        }
    }
}

static void add_part_circles(Builder *c, const OozePose *pose, const OozePointShell *own)
{
    for (int i = 0; i < own->circle_count; i++) {
        OozeShellCircle circle = own->circles[i];
        circle.centre = ooze_pose_to_world(pose, circle.centre);
        circle.axis = quat_rotate(pose->rotation, circle.axis);
        add_rolling_circle(c, circle);
    }
}

static OozeStatus shell_of_compound(const OozeShape *shape, OozePointShell *shell, OozeError *error)
{
    Builder all = {.shape = shape, .shell = shell};
    OozePointShell own[OOZE_SHAPE_PARTS_MAX];
    OozeStatus status = OOZE_OK;
    int made = 0;
    for (; made < shape->part_count && !status; made++) {
        status = shell_of_simple(&shape->parts[made].shape, &own[made], error);
    }
    for (int faces = 0; faces < 2 && !status; faces++) {
        for (int k = 0; k < shape->part_count; k++) {
            add_part_points(&all, k, &own[k], faces);
        }
        shell->edge_count = faces ? shell->edge_count : shell->count;
    }
    for (int k = 0; k < made; k++) {
        add_part_circles(&all, &shape->parts[k].pose, &own[k]);
        ooze_point_shell_free(&own[k]);
    }
    return finish(&all, status, error);
}

OozeStatus ooze_point_shell_create(const OozeShape *shape, OozePointShell *shell, OozeError *error)
{
    memset(shell, 0, sizeof *shell);
    OozeShapeKind kind = ooze_shape_kind(shape);
    if (ooze_shape_inverted(shape) || kind == OOZE_SHAPE_PLANE || kind == OOZE_SHAPE_HEIGHTFIELD) {
        return OOZE_OK;
    }
    return shape->parts ? shell_of_compound(shape, shell, error)
                        : shell_of_simple(shape, shell, error);
}

void ooze_point_shell_free(OozePointShell *shell)
{
    ooze_free(shell->circles);
    ooze_free(shell->points);
    ooze_free(shell->depths);
    memset(shell, 0, sizeof *shell);
}
