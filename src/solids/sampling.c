/* Even samples on a surface: lattices on planes and boxes; on other shapes first the sharp edges,
   then points on the triangles, relaxed by mutual repulsion; points that are too near to others are
   removed and holes are filled. */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "solids/boundary.h"
#include "solids/point_set.h"
#include "solids/relaxation.h"
#include "solids/shape_formula.h"
#include "solids/sharp_edges.h"
#include "solids/surface_lattice.h"

/* In spacings: largest distance of a point of the surface from samples. */
#define HOLE 1.0

/* In spacings, between parts of a compound: a point within SEAM of both surfaces is on both; one of
   two samples within CLEAR is dropped. */
#define SEAM  0.01
#define CLEAR 0.7

/* Edge of the triangles, and distance of their candidates for filling holes, in spacings. */
#define TRIANGLE_EDGE 1.0

enum { RELAX_ROUNDS = 30 };

static OozeStatus check_count(double wanted, double spacing, OozeError *error)
{
    if (wanted <= OOZE_SURFACE_SAMPLES_MAX) {
        return OOZE_OK;
    }
    return ooze_fail(
        error, OOZE_ERROR_LIMIT, "use a larger spacing, or a solid that is not sampled",
        "a surface would need %.3g boundary particles at a spacing of %g m", wanted, spacing);
}

/* ---- lattices ----------------------------------------------------------------------------- */

/* From the first to the last multiple of the spacing along a direction within the bounds. */
static void lattice_range(const OozeBounds *bounds, OozeVec3 direction, double spacing,
                          double range[2])
{
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int i = 0; i < 8; i++) {
        OozeVec3 corner =
            vec3(i & 1 ? bounds->max.x : bounds->min.x, i & 2 ? bounds->max.y : bounds->min.y,
                 i & 4 ? bounds->max.z : bounds->min.z);
        double at = vec3_dot(corner, direction) / spacing;
        range[0] = fmin(range[0], ceil(at - 1e-6));
        range[1] = fmax(range[1], floor(at + 1e-6));
    }
}

/* The square lattice through the position of the plane, clipped to the bounds: wider bounds add
   samples and move none. */
static OozeStatus sample_plane(const OozeShape *shape, double spacing, const OozeBounds *clip,
                               OozePointSet *samples, double *area, OozeError *error)
{
    if (!clip || !vec3_is_finite(clip->min) || !vec3_is_finite(clip->max)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "say where it ends",
                         "an infinite plane cannot be sampled without finite bounds");
    }
    OozeSurfaceLattice lattice;
    (void)ooze_surface_lattice(shape, spacing, &lattice);
    double across[2], deep[2], slack = 1e-6 * spacing;
    lattice_range(clip, lattice.axes[0], spacing, across);
    lattice_range(clip, lattice.axes[1], spacing, deep);
    OozeStatus status =
        check_count((across[1] - across[0] + 1.0) * (deep[1] - deep[0] + 1.0), spacing, error);
    OozeVec3 low = vec3_sub(clip->min, vec3(slack, slack, slack));
    OozeVec3 high = vec3_add(clip->max, vec3(slack, slack, slack));
    for (double j = deep[0]; j <= deep[1] && !status; j += 1.0) {
        for (double i = across[0]; i <= across[1] && !status; i += 1.0) {
            OozeVec3 p = ooze_lattice_point(&lattice, i, j, 0.0);
            if (p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y && p.z >= low.z &&
                p.z <= high.z) {
                status = ooze_point_set_add(samples, p, lattice.axes[2], error);
            }
        }
    }
    *area = (double)samples->count * spacing * spacing;
    return status;
}

static OozeStatus sample_box(const OozeShape *shape, double spacing, OozePointSet *samples,
                             bool *sampled, double *area, OozeError *error)
{
    OozeSurfaceLattice lattice;
    *sampled = ooze_surface_lattice(shape, spacing, &lattice);
    OozeVec3 size = lattice.size;
    *area = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
    if (!*sampled) {
        return OOZE_OK;
    }
    const double *n = lattice.high;
    double sign = ooze_shape_inverted(shape) ? -1.0 : 1.0;
    OozeStatus status = check_count(*area / (spacing * spacing), spacing, error);
    for (double k = 0.0; k <= n[2] && !status; k += 1.0) {
        for (double j = 0.0; j <= n[1] && !status; j += 1.0) {
            bool full_row = k == 0.0 || k == n[2] || j == 0.0 || j == n[1];
            for (double i = 0.0; i <= n[0] && !status; i += full_row ? 1.0 : n[0]) {
                OozeVec3 p = ooze_lattice_point(&lattice, i, j, k);
                OozeVec3 out = vec3((i == n[0]) - (i == 0.0), (j == n[1]) - (j == 0.0),
                                    (k == n[2]) - (k == 0.0));
                out = vec3_unit(out, vec3(0, 0, 1));
                status = ooze_point_set_add(samples, p, vec3_scale(out, sign), error);
            }
        }
    }
    return status;
}

/* ---- triangles ---------------------------------------------------------------------------- */

static double triangle_corners(const OozeMesh *mesh, uint64_t t, OozeVec3 corners[3])
{
    for (int k = 0; k < 3; k++) {
        corners[k] = mesh->vertices[mesh->triangles[3 * t + (uint64_t)k]];
    }
    return 0.5 * vec3_length(vec3_cross(vec3_sub(corners[1], corners[0]),
                                        vec3_sub(corners[2], corners[0])));
}

/* Point k of a low-discrepancy sequence on a triangle (the R2 sequence, folded into the triangle).
   */
static OozeVec3 point_in_triangle(const OozeVec3 corners[3], uint64_t k)
{
    double u = fmod(0.5 + 0.7548776662466927 * (double)k, 1.0);
    double v = fmod(0.5 + 0.5698402909980532 * (double)k, 1.0);
    if (u + v > 1.0) {
        u = 1.0 - u;
        v = 1.0 - v;
    }
    OozeVec3 p = vec3_madd(corners[0], u, vec3_sub(corners[1], corners[0]));
    return vec3_madd(p, v, vec3_sub(corners[2], corners[0]));
}

/* n points, each of the same area. */
static void spread(const OozeMesh *mesh, double area, uint64_t n, OozeVec3 *points)
{
    double passed = 0.0;
    uint64_t k = 0;
    OozeVec3 corners[3] = {{0}};
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        passed += triangle_corners(mesh, t, corners);
        while (k < n && passed >= ((double)k + 0.5) * area / (double)n) {
            points[k] = point_in_triangle(corners, k);
            k++;
        }
    }
    for (; k < n; k++) { /* rounding of the sum */
        points[k] = point_in_triangle(corners, k);
    }
}

static double shape_distance(const void *context, OozeVec3 point, OozeVec3 *normal)
{
    return ooze_shape_distance(context, point, normal);
}

/* Projects a point on the surface and adds it unless another is nearer than `clear` spacings. */
static OozeStatus offer(const OozeShape *shape, OozePointSet *samples, OozeVec3 point, double clear,
                        double spacing, OozeError *error)
{
    OozeVec3 normal, p = point;
    for (int i = 0; i < 3; i++) {
        double d = ooze_shape_distance(shape, p, &normal);
        p = vec3_madd(p, -d, normal);
    }
    (void)ooze_shape_distance(shape, p, &normal);
    OozeVec3 moved = vec3_sub(p, point);
    if (vec3_dot(moved, moved) > 0.25 * spacing * spacing) {
        p = point; /* the distance is inaccurate here: keep the point of the triangle */
    }
    if (ooze_point_set_has_near(samples, p, clear * spacing)) {
        return OOZE_OK;
    }
    return ooze_point_set_add(samples, p, normal, error);
}

static OozeStatus fill_holes(const OozeShape *shape, const OozeMesh *mesh, double spacing,
                             OozePointSet *samples, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (uint64_t t = 0; t < mesh->triangle_count && !status; t++) {
        OozeVec3 corners[3];
        double area = triangle_corners(mesh, t, corners);
        OozeVec3 middle =
            vec3_scale(vec3_add(corners[0], vec3_add(corners[1], corners[2])), 1.0 / 3.0);
        uint64_t tries = 1 + (uint64_t)(4.0 * area / (spacing * spacing));
        for (uint64_t k = 0; k < tries && !status; k++) {
            OozeVec3 p = k == 0 ? middle : point_in_triangle(corners, k);
            if (!ooze_point_set_has_near(samples, p, HOLE * spacing)) {
                status = offer(shape, samples, p, OOZE_SAMPLE_DISTANCE, spacing, error);
            }
        }
    }
    return status;
}

/* Spreads points over the faces, given those on the edges, and relaxes them. */
static OozeStatus spread_evenly(const OozeShape *shape, const OozeMesh *mesh, double spacing,
                                const OozePointSet *edges, OozeThreads *threads,
                                OozeSurfaceSamples *spread_points, OozeError *error)
{
    double area = spread_points->area, wanted = fmax(rint(area / (spacing * spacing)), 1.0);
    uint64_t all = (uint64_t)wanted > edges->count ? (uint64_t)wanted : edges->count;
    OozeVec3 *made = ooze_alloc(all, sizeof *made);
    if (!made) {
        return ooze_fail_memory(error, "surface samples", all * sizeof *made);
    }
    if (edges->count > 0) {
        memcpy(made, edges->points, edges->count * sizeof *made);
    }
    if (all > edges->count) {
        spread(mesh, area, all - edges->count, made + edges->count);
    }
    OozeRelaxation relaxation = {.kind = OOZE_RELAX_SURFACE,
                                 .spacing = spacing,
                                 .fixed = edges->count,
                                 .rounds = RELAX_ROUNDS,
                                 .distance = shape_distance,
                                 .context = shape,
                                 .threads = threads};
    OozeStatus status = ooze_relax(&relaxation, made, all, error);
    if (status) {
        ooze_free(made);
        return status;
    }
    spread_points->points = made;
    spread_points->count = all;
    return OOZE_OK;
}

static OozeStatus sample_mesh(const OozeShape *shape, const OozeMesh *mesh, double spacing,
                              OozeThreads *threads, OozePointSet *samples, double *area,
                              OozeError *error)
{
    *area = ooze_mesh_area(mesh);
    OozeStatus status = check_count(*area / (spacing * spacing), spacing, error);
    if (status || mesh->triangle_count == 0) {
        return status;
    }
    status = ooze_sample_sharp_edges(mesh, spacing, OOZE_SAMPLE_DISTANCE * spacing, samples, error);
    uint64_t fixed = samples->count;
    OozeSurfaceSamples even = {.area = *area};
    if (!status) {
        status = spread_evenly(shape, mesh, spacing, samples, threads, &even, error);
    }
    for (uint64_t i = fixed; i < even.count && !status; i++) {
        status = offer(shape, samples, even.points[i], OOZE_SAMPLE_DISTANCE, spacing, error);
    }
    ooze_free(even.points);
    return status ? status : fill_holes(shape, mesh, spacing, samples, error);
}

/* ---- all ---------------------------------------------------------------------------------- */

static OozeStatus sample_simple(const OozeShape *shape, double spacing, const OozeBounds *clip,
                                OozeThreads *threads, OozePointSet *samples, double *area,
                                OozeError *error)
{
    OozeShapeKind kind = ooze_shape_kind(shape);
    if (kind == OOZE_SHAPE_PLANE) {
        return sample_plane(shape, spacing, clip, samples, area, error);
    }
    if (kind == OOZE_SHAPE_BOX) {
        bool sampled;
        OozeStatus status = sample_box(shape, spacing, samples, &sampled, area, error);
        if (status || sampled) {
            return status;
        }
    }
    OozeMesh *mesh = NULL;
    OozeStatus status = ooze_shape_triangulate(shape, TRIANGLE_EDGE * spacing, clip, &mesh, error);
    if (!status) {
        status = sample_mesh(shape, mesh, spacing, threads, samples, area, error);
    }
    ooze_mesh_free(mesh);
    return status;
}

/* Whether a sample of one part is not on the surface of the union: it lies within another part, or
   where two touch. A point on the surfaces of several parts is on that of the union if a step away
   from all of them leads outside. */
static bool is_hidden(const OozeShape *shape, int own, OozeVec3 p, OozeVec3 normal, double skin)
{
    OozeVec3 away = normal, outward;
    for (int k = 0; k < shape->part_count; k++) {
        double d = k == own ? INFINITY : ooze_part_distance(&shape->parts[k], p, &outward);
        if (d < -skin) {
            return true;
        }
        away = d <= skin ? vec3_add(away, outward) : away;
    }
    if (vec3_length(away) < 1e-3) {
        return true; /* back to back */
    }
    OozeVec3 out = vec3_madd(p, 4.0 * skin, vec3_unit(away, normal));
    return ooze_compound_distance(shape, out, &outward) <= 0.0;
}

/* The samples of every part that are on the surface of the union. */
static OozeStatus sample_compound(const OozeShape *shape, double spacing, OozeThreads *threads,
                                  OozePointSet *samples, double *area, OozeError *error)
{
    double sign = shape->inverted ? -1.0 : 1.0;
    OozeStatus status = OOZE_OK;
    for (int k = 0; k < shape->part_count && !status; k++) {
        const OozeShapePart *part = &shape->parts[k];
        OozePointSet own;
        double own_area = 0.0;
        uint64_t open = 0;
        status = ooze_point_set_create(&own, spacing, error);
        if (status) {
            return status;
        }
        status = sample_simple(&part->shape, spacing, NULL, threads, &own, &own_area, error);
        for (uint64_t i = 0; i < own.count && !status; i++) {
            OozeVec3 p = ooze_pose_to_world(&part->pose, own.points[i]);
            OozeVec3 normal = quat_rotate(part->pose.rotation, own.normals[i]);
            bool hidden = is_hidden(shape, k, p, normal, SEAM * spacing);
            open += !hidden;
            if (!hidden && !ooze_point_set_has_near(samples, p, CLEAR * spacing)) {
                status = ooze_point_set_add(samples, p, vec3_scale(normal, sign), error);
            }
        }
        *area += own.count ? own_area * (double)open / (double)own.count : 0.0;
        ooze_point_set_free(&own);
    }
    return status;
}

/* Triangles of this edge, in parts of the size of the shape, give the area of round shapes within a
   few percent. */
#define AREA_EDGE 0.02

/* Of a shape that is neither a plane nor a compound; about, and without many triangles. */
static OozeStatus estimate_area(const OozeShape *shape, double spacing, double *area,
                                OozeError *error)
{
    OozeBounds bounds = ooze_shape_bounds(shape);
    OozeVec3 size = vec3_sub(bounds.max, bounds.min);
    if (ooze_shape_kind(shape) == OOZE_SHAPE_BOX) {
        *area = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
        return OOZE_OK;
    }
    if (shape->grid || shape->field) {
        *area = shape->grid ? ooze_distance_grid_area(shape->grid)
                            : ooze_heightfield_area(shape->field);
        return OOZE_OK;
    }
    OozeMesh *mesh = NULL;
    double edge = fmax(spacing, AREA_EDGE * fmax(size.x, fmax(size.y, size.z)));
    OozeStatus status = ooze_shape_triangulate(shape, edge, NULL, &mesh, error);
    *area = status ? 0.0 : ooze_mesh_area(mesh);
    ooze_mesh_free(mesh);
    return status;
}

OozeStatus ooze_count_samples(const OozeShape *shape, double spacing, double *count,
                              OozeError *error)
{
    OozeStatus status = OOZE_OK;
    *count = ooze_shape_kind(shape) == OOZE_SHAPE_PLANE ? INFINITY : 0.0;
    for (int k = 0; k < (shape->parts ? shape->part_count : 1) && !status; k++) {
        const OozeShape *part = shape->parts ? &shape->parts[k].shape : shape;
        double area = 0.0;
        if (ooze_shape_kind(part) == OOZE_SHAPE_PLANE) {
            area = INFINITY;
        } else {
            status = estimate_area(part, spacing, &area, error);
        }
        *count += area / (spacing * spacing);
    }
    return status;
}

OozeStatus ooze_sample_surface(const OozeShape *shape, double spacing, const OozeBounds *clip,
                               OozeThreads *threads, OozeSurfaceSamples *out, OozeError *error)
{
    *out = (OozeSurfaceSamples){0};
    if (!(spacing > 0.0) || !isfinite(spacing)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give the particle spacing in metres",
                         "cannot sample a surface at a spacing of %g m", spacing);
    }
    OozePointSet samples;
    OozeStatus status = ooze_point_set_create(&samples, spacing, error);
    if (!status) {
        status = shape->parts
                     ? sample_compound(shape, spacing, threads, &samples, &out->area, error)
                     : sample_simple(shape, spacing, clip, threads, &samples, &out->area, error);
    }
    if (!status) {
        out->count = samples.count;
        out->points = samples.points;
        out->normals = samples.normals;
        samples.points = samples.normals = NULL;
    }
    ooze_point_set_free(&samples);
    return status;
}
