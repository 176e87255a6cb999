#include "solids/fitted_fill.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "solids/lattice_rows.h"
#include "solids/relaxation.h"
#include "solids/shape_data.h"

enum { RELAX_ROUNDS = 60 };

/* ---- volume ------------------------------------------------------------------------------- */

typedef struct Measure {
    const OozeShape *shape;
    double depth, leaf;
} Measure;

/* Covered volume of a cube around `centre` with half edge `half`. Cubes that the surface intersects
   are halved down to the leaf size; there the covered fraction is linear in the distance, from
   -half to half: along every direction the variance of a cube is that of such a ramp, so that
   summed over a curved surface the errors cancel to fourth order. */
static double cube_volume(const Measure *measure, OozeVec3 centre, double half)
{
    double d = ooze_shape_distance(measure->shape, centre, NULL) + measure->depth;
    double volume = 8.0 * half * half * half;
    if (d >= half * 1.7320508075688774) {
        return 0.0;
    }
    if (d <= -half * 1.7320508075688774) {
        return volume;
    }
    if (half <= measure->leaf) {
        double covered = 0.5 - 0.5 * d / half;
        return volume * (covered < 0.0 ? 0.0 : covered > 1.0 ? 1.0 : covered);
    }
    double sum = 0.0, quarter = 0.5 * half;
    for (int i = 0; i < 8; i++) {
        OozeVec3 offset = vec3(i & 1 ? quarter : -quarter, i & 2 ? quarter : -quarter,
                               i & 4 ? quarter : -quarter);
        sum += cube_volume(measure, vec3_add(centre, offset), quarter);
    }
    return sum;
}

static double extent_of(const OozeShape *shape)
{
    OozeBounds bounds = ooze_shape_bounds(shape);
    OozeVec3 size = vec3_sub(bounds.max, bounds.min);
    return fmax(size.x, fmax(size.y, size.z));
}

double ooze_shape_volume(const OozeShape *shape, double depth, double spacing)
{
    OozeBounds bounds = ooze_shape_bounds(shape);
    double extent = extent_of(shape), largest = shape->parts ? 0.0 : extent;
    for (int k = 0; k < shape->part_count; k++) { /* parts may be far from each other */
        largest = fmax(largest, extent_of(&shape->parts[k].shape));
    }
    /* A quarter of a spacing; more for very large shapes, where it would only take longer. */
    Measure measure = {shape, depth, fmax(fmin(0.125 * spacing, extent / 256.0), largest / 2048.0)};
    return cube_volume(&measure, vec3_scale(vec3_add(bounds.min, bounds.max), 0.5), 0.5 * extent);
}

/* ---- seeds -------------------------------------------------------------------------------- */

typedef struct Seed {
    OozeVec3 point;
    double distance;
    uint64_t index;
} Seed;

typedef struct Seeds {
    Seed *items;
    uint64_t count, capacity;
} Seeds;

static int deeper_first(const void *a, const void *b)
{
    const Seed *p = a, *q = b;
    if (p->distance != q->distance) {
        return p->distance < q->distance ? -1 : 1;
    }
    return p->index < q->index ? -1 : p->index > q->index;
}

static OozeStatus add_seed(Seeds *seeds, OozeVec3 point, double distance, OozeError *error)
{
    if (seeds->count == seeds->capacity) {
        uint64_t capacity = seeds->capacity + seeds->capacity / 2 + 1024;
        Seed *items = ooze_grow(seeds->items, seeds->count, capacity, sizeof *items);
        if (!items) {
            return ooze_fail_memory(error, "a fitted fill", capacity * sizeof *items);
        }
        seeds->items = items;
        seeds->capacity = capacity;
    }
    seeds->items[seeds->count] = (Seed){point, distance, seeds->count};
    seeds->count++;
    return OOZE_OK;
}

/* One row of the face-centred cubic lattice with one point per spacing^3: the lattice to which
   points that repel each other relax. Skips points far outside. */
static OozeStatus seed_row(const OozeFillRequest *request, Seeds *seeds, OozeVec3 start,
                           double step, int64_t steps, double border, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int64_t i = 0; i < steps && !status;) {
        OozeVec3 point = vec3(start.x + (double)i * step, start.y, start.z);
        double d = ooze_shape_distance(request->shape, point, NULL);
        if (d <= border) {
            status = add_seed(seeds, point, d, error);
            i++;
        } else {
            double skip = floor((d - border) / step);
            i += skip < 1.0 ? 1 : skip > 1e9 ? 1000000000 : (int64_t)skip;
        }
    }
    return status;
}

static OozeStatus seed_lattice(const OozeFillRequest *request, Seeds *seeds, double border,
                               OozeError *error)
{
    double edge = request->spacing * cbrt(4.0), half = 0.5 * edge;
    OozeBounds bounds = ooze_shape_bounds(request->shape);
    OozeVec3 middle = vec3_scale(vec3_add(bounds.min, bounds.max), 0.5);
    OozeVec3 size = vec3_sub(bounds.max, bounds.min);
    int64_t nx = (int64_t)ceil((0.5 * size.x + border) / edge) + 1;
    int64_t ny = (int64_t)ceil((0.5 * size.y + border) / half) + 1;
    int64_t nz = (int64_t)ceil((0.5 * size.z + border) / half) + 1;
    /* A quarter cell off the middle: no lattice plane coincides with a plane of symmetry. */
    OozeVec3 origin = vec3_add(middle, vec3(0.25 * edge, 0.25 * edge, 0.25 * edge));
    OozeStatus status = OOZE_OK;
    OozeLatticeRows rows = ooze_lattice_rows(request->shape, border);
    OozeVec3 first = vec3(0.0, origin.y - (double)ny * half, origin.z - (double)nz * half);
    ooze_lattice_rows_begin(&rows, first, half, 2 * ny + 1, 2 * nz + 1);
    while (!status && ooze_lattice_rows_next(&rows)) {
        int64_t j = rows.j - ny, k = rows.k - nz;
        /* rows with an odd sum of half steps are shifted by half an edge */
        double shift = (j + k) % 2 != 0 ? half : 0.0;
        OozeVec3 start = vec3(origin.x + shift - (double)nx * edge, origin.y + (double)j * half,
                              origin.z + (double)k * half);
        status = seed_row(request, seeds, start, edge, 2 * nx + 1, border, error);
    }
    return status;
}

static OozeStatus choose_seeds(const OozeFillRequest *request, uint64_t wanted, OozeVec3 *points,
                               OozeError *error)
{
    Seeds seeds = {0};
    OozeStatus status = OOZE_OK;
    for (double border = 0.6; border < 4.0; border *= 2.0) {
        seeds.count = 0;
        status = seed_lattice(request, &seeds, border * request->spacing, error);
        if (status || seeds.count >= wanted) {
            break;
        }
    }
    if (!status && seeds.count == 0) {
        status = ooze_fail(error, OOZE_ERROR_ARGUMENT, "use a lattice fill or a smaller spacing",
                           "no position for a particle was found in a shape of %llu spacings^3",
                           (unsigned long long)wanted);
    }
    if (!status) {
        qsort(seeds.items, seeds.count, sizeof *seeds.items, deeper_first);
        for (uint64_t i = 0; i < wanted; i++) {
            points[i] = seeds.items[i % seeds.count].point;
            if (i >=
                seeds.count) { /* a shape too thin for the lattice: relaxation separates them */
                double shift = 0.1 * request->spacing;
                points[i].x += shift * (ooze_random01(request->seed, i, 0) - 0.5);
                points[i].y += shift * (ooze_random01(request->seed, i, 1) - 0.5);
                points[i].z += shift * (ooze_random01(request->seed, i, 2) - 0.5);
            }
        }
    }
    ooze_free(seeds.items);
    return status;
}

static double shape_distance(const void *context, OozeVec3 point, OozeVec3 *normal)
{
    return ooze_shape_distance(context, point, normal);
}

/* Moves a point back inside: in a shape thinner than the distance of points from the surface,
   relaxation pushes them out at the other side. */
static void keep_inside(const OozeShape *shape, double spacing, OozeVec3 *point)
{
    for (int i = 0; i < 4; i++) {
        OozeVec3 normal;
        double d = ooze_shape_distance(shape, *point, &normal);
        if (d < 0.0) {
            return;
        }
        *point = vec3_madd(*point, -(d + 0.01 * spacing), normal);
    }
}

OozeStatus ooze_fill_fitted(const OozeFillRequest *request, uint64_t *count, OozeVec3 **positions,
                            OozeError *error)
{
    double s = request->spacing;
    double volume = ooze_shape_volume(request->shape, 0.0, s);
    double wanted = rint(volume / (s * s * s));
    if (!(wanted <= (double)request->limit)) {
        return ooze_fill_too_many(request, wanted, error);
    }
    if (!(wanted >= 1.0)) {
        return OOZE_OK;
    }
    uint64_t n = (uint64_t)wanted;
    OozeVec3 *points = ooze_alloc(n, sizeof *points);
    if (!points) {
        return ooze_fail_memory(error, "a fitted fill", n * sizeof *points);
    }
    OozeStatus status = choose_seeds(request, n, points, error);
    if (!status) {
        OozeRelaxation relaxation = {.kind = OOZE_RELAX_VOLUME,
                                     .spacing = cbrt(volume / wanted),
                                     .rounds = RELAX_ROUNDS,
                                     .distance = shape_distance,
                                     .context = request->shape,
                                     .threads = request->threads};
        status = ooze_relax(&relaxation, points, n, error);
    }
    if (status) {
        ooze_free(points);
        return status;
    }
    for (uint64_t i = 0; i < n; i++) {
        keep_inside(request->shape, s, &points[i]);
    }
    *count = n;
    *positions = points;
    return OOZE_OK;
}
