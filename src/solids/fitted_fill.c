#include "solids/fitted_fill.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "solids/lattice_rows.h"
#include "solids/relaxation.h"
#include "solids/shape_data.h"

enum { RELAX_ROUNDS = 60, POINTS_AT_A_TIME = 1024 };

/* Spacings below the surface to which the lattice relaxes. In these rounds the disturbance of the
   surface spreads no farther: with deeper points free, the density inside is the same to three
   digits, in its mean, its spread and its extremes. */
#define RELAX_DEPTH 10.0

/* ---- volume ------------------------------------------------------------------------------- */

/* A cube that is measured by itself, so that threads share the work. */
typedef struct Cube {
    OozeVec3 centre;
    double half, volume;
} Cube;

/* Cubes are measured by themselves once the shape has been halved this many times. */
enum { CUBE_HALVINGS = 4, CUBES_MAX = 1 << 3 * CUBE_HALVINGS };

typedef struct Measure {
    const OozeShape *shape;
    double depth, leaf;
    Cube *cubes; /* NULL: none is measured by itself */
    int count, next;
    bool measured; /* their volumes are known */
} Measure;

static double cube_volume(Measure *measure, OozeVec3 centre, double half, int halvings);

static double half_cubes(Measure *measure, OozeVec3 centre, double half, int halvings)
{
    double sum = 0.0, quarter = 0.5 * half;
    for (int i = 0; i < 8; i++) {
        OozeVec3 offset = vec3(i & 1 ? quarter : -quarter, i & 2 ? quarter : -quarter,
                               i & 4 ? quarter : -quarter);
        sum += cube_volume(measure, vec3_add(centre, offset), quarter, halvings + 1);
    }
    return sum;
}

/* Covered volume of a cube around `centre` with half edge `half`. Cubes that the surface intersects
   are halved down to the leaf size; there the covered fraction is linear in the distance, from
   -half to half: along every direction the variance of a cube is that of such a ramp, so that
   summed over a curved surface the errors cancel to fourth order. */
static double cube_volume(Measure *measure, OozeVec3 centre, double half, int halvings)
{
    if (measure->cubes && halvings == CUBE_HALVINGS) {
        Cube *cube = &measure->cubes[measure->next++];
        if (!measure->measured) {
            *cube = (Cube){centre, half, 0.0};
        }
        return cube->volume;
    }
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
    return half_cubes(measure, centre, half, halvings);
}

static void measure_cubes(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Measure *measure = context;
    for (uint64_t i = begin; i < end; i++) {
        Measure alone = {.shape = measure->shape, .depth = measure->depth, .leaf = measure->leaf};
        Cube *cube = &measure->cubes[i];
        cube->volume = cube_volume(&alone, cube->centre, cube->half, CUBE_HALVINGS);
    }
}

static double extent_of(const OozeShape *shape)
{
    OozeBounds bounds = ooze_shape_bounds(shape);
    OozeVec3 size = vec3_sub(bounds.max, bounds.min);
    return fmax(size.x, fmax(size.y, size.z));
}

double ooze_shape_volume(const OozeShape *shape, double depth, double spacing, OozeThreads *threads)
{
    OozeBounds bounds = ooze_shape_bounds(shape);
    double extent = extent_of(shape), largest = shape->parts ? 0.0 : extent;
    for (int k = 0; k < shape->part_count; k++) { /* parts may be far from each other */
        largest = fmax(largest, extent_of(&shape->parts[k].shape));
    }
    /* A quarter of a spacing; more for very large shapes, where it would only take longer. */
    Measure measure = {.shape = shape,
                       .depth = depth,
                       .leaf = fmax(fmin(0.125 * spacing, extent / 256.0), largest / 2048.0)};
    OozeVec3 middle = vec3_scale(vec3_add(bounds.min, bounds.max), 0.5);
    /* Without memory for the cubes one thread measures all; the sum is the same. */
    measure.cubes = threads ? ooze_alloc(CUBES_MAX, sizeof *measure.cubes) : NULL;
    if (measure.cubes) {
        (void)cube_volume(&measure, middle, 0.5 * extent, 0);
        measure.count = measure.next;
        ooze_parallel_for(threads, (uint64_t)measure.count, 4, measure_cubes, &measure);
        measure.measured = true;
        measure.next = 0;
    }
    double volume = cube_volume(&measure, middle, 0.5 * extent, 0);
    ooze_free(measure.cubes);
    return volume;
}

/* ---- seeds -------------------------------------------------------------------------------- */

typedef struct Seed {
    OozeVec3 point;
    double distance;
} Seed;

/* Seeds of some rows of the lattice. */
typedef struct Stretch {
    OozeVec3 *starts; /* of the rows: their first points */
    uint64_t rows;
    Seed *seeds;
    uint64_t count, capacity;
    bool failed; /* no memory */
} Stretch;

enum { STRETCH_ROWS = 64 };

typedef struct Seeds {
    const OozeFillRequest *request;
    double border; /* distance from the shape up to which points are seeds */
    double step;   /* between points of a row */
    int64_t steps; /* points of a row */
    OozeVec3 *starts;
    uint64_t rows, row_capacity;
    Stretch *stretches; /* in the order of the lattice */
    uint64_t stretch_count, count;
} Seeds;

static void clear_seeds(Seeds *seeds)
{
    for (uint64_t i = 0; i < seeds->stretch_count; i++) {
        ooze_free(seeds->stretches[i].seeds);
    }
    ooze_free(seeds->stretches);
    ooze_free(seeds->starts);
    *seeds = (Seeds){0};
}

static bool add_seed(Stretch *stretch, OozeVec3 point, double distance)
{
    if (stretch->count == stretch->capacity) {
        uint64_t capacity = 2 * stretch->capacity + 256;
        Seed *grown = ooze_grow(stretch->seeds, stretch->count, capacity, sizeof *grown);
        if (!grown) {
            return false;
        }
        stretch->seeds = grown;
        stretch->capacity = capacity;
    }
    stretch->seeds[stretch->count++] = (Seed){point, distance};
    return true;
}

/* Skips points far outside. */
static bool seed_row(const Seeds *seeds, Stretch *stretch, OozeVec3 start)
{
    bool right = true;
    for (int64_t i = 0; i < seeds->steps && right;) {
        OozeVec3 point = vec3(start.x + (double)i * seeds->step, start.y, start.z);
        double d = ooze_shape_distance(seeds->request->shape, point, NULL);
        if (d <= seeds->border) {
            right = add_seed(stretch, point, d);
            i++;
        } else {
            double skip = floor((d - seeds->border) / seeds->step);
            i += skip < 1.0 ? 1 : skip > 1e9 ? 1000000000 : (int64_t)skip;
        }
    }
    return right;
}

static void seed_stretches(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Seeds *seeds = context;
    for (uint64_t i = begin; i < end; i++) {
        Stretch *stretch = &seeds->stretches[i];
        uint64_t first = i * STRETCH_ROWS, last = first + STRETCH_ROWS;
        for (uint64_t row = first; row < last && row < seeds->rows && !stretch->failed; row++) {
            stretch->failed = !seed_row(seeds, stretch, seeds->starts[row]);
        }
    }
}

static OozeStatus add_row(Seeds *seeds, OozeVec3 start, OozeError *error)
{
    if (seeds->rows == seeds->row_capacity) {
        uint64_t capacity = 2 * seeds->row_capacity + 1024;
        OozeVec3 *grown = ooze_grow(seeds->starts, seeds->rows, capacity, sizeof *grown);
        if (!grown) {
            return ooze_fail_memory(error, "a fitted fill", capacity * sizeof *grown);
        }
        seeds->starts = grown;
        seeds->row_capacity = capacity;
    }
    seeds->starts[seeds->rows++] = start;
    return OOZE_OK;
}

/* Rows of the face-centred cubic lattice with one point per spacing^3: the lattice to which points
   that repel each other relax. */
static OozeStatus find_rows(Seeds *seeds, OozeError *error)
{
    const OozeShape *shape = seeds->request->shape;
    double edge = seeds->request->spacing * cbrt(4.0), half = 0.5 * edge, border = seeds->border;
    OozeBounds bounds = ooze_shape_bounds(shape);
    OozeVec3 middle = vec3_scale(vec3_add(bounds.min, bounds.max), 0.5);
    OozeVec3 size = vec3_sub(bounds.max, bounds.min);
    int64_t nx = (int64_t)ceil((0.5 * size.x + border) / edge) + 1;
    int64_t ny = (int64_t)ceil((0.5 * size.y + border) / half) + 1;
    int64_t nz = (int64_t)ceil((0.5 * size.z + border) / half) + 1;
    seeds->step = edge;
    seeds->steps = 2 * nx + 1;
    /* A quarter cell off the middle: no lattice plane coincides with a plane of symmetry. */
    OozeVec3 origin = vec3_add(middle, vec3(0.25 * edge, 0.25 * edge, 0.25 * edge));
    OozeStatus status = OOZE_OK;
    OozeLatticeRows rows = ooze_lattice_rows(shape, border);
    OozeVec3 first = vec3(0.0, origin.y - (double)ny * half, origin.z - (double)nz * half);
    ooze_lattice_rows_begin(&rows, first, half, 2 * ny + 1, 2 * nz + 1);
    while (!status && ooze_lattice_rows_next(&rows)) {
        int64_t j = rows.j - ny, k = rows.k - nz;
        /* rows with an odd sum of half steps are shifted by half an edge */
        double shift = (j + k) % 2 != 0 ? half : 0.0;
        OozeVec3 start = vec3(origin.x + shift - (double)nx * edge, origin.y + (double)j * half,
                              origin.z + (double)k * half);
        status = add_row(seeds, start, error);
    }
    return status;
}

static OozeStatus seed_lattice(const OozeFillRequest *request, double border, Seeds *seeds,
                               OozeError *error)
{
    clear_seeds(seeds);
    seeds->request = request;
    seeds->border = border;
    OozeStatus status = find_rows(seeds, error);
    if (status) {
        return status;
    }
    seeds->stretch_count = (seeds->rows + STRETCH_ROWS - 1) / STRETCH_ROWS;
    seeds->stretches = ooze_alloc_zero(seeds->stretch_count + 1, sizeof *seeds->stretches);
    if (!seeds->stretches) {
        seeds->stretch_count = 0;
        return ooze_fail_memory(error, "a fitted fill", seeds->rows * sizeof(Stretch));
    }
    ooze_parallel_for(request->threads, seeds->stretch_count, 1, seed_stretches, seeds);
    bool failed = false;
    for (uint64_t i = 0; i < seeds->stretch_count; i++) {
        failed = failed || seeds->stretches[i].failed;
        seeds->count += seeds->stretches[i].count;
    }
    return failed ? ooze_fail_memory(error, "a fitted fill", seeds->count * sizeof(Seed)) : OOZE_OK;
}

/* ---- choice of seeds ------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return p < q ? -1 : p > q;
}

/* The deepest seeds are those nearer than `distance`, and the first `ties` of those at it. */
typedef struct Cut {
    double distance;
    uint64_t ties;
} Cut;

/* Only seeds near the surface need be sorted. */
static OozeStatus find_cut(const Seeds *seeds, uint64_t wanted, Cut *cut, OozeError *error)
{
    *cut = (Cut){INFINITY, 0};
    if (wanted >= seeds->count) {
        return OOZE_OK;
    }
    double *outer = ooze_alloc(seeds->count, sizeof *outer), sure = -2.0 * seeds->request->spacing;
    if (!outer) {
        return ooze_fail_memory(error, "a fitted fill", seeds->count * sizeof *outer);
    }
    uint64_t count = 0, inner = seeds->count;
    for (int pass = 0; pass < 2 && inner >= wanted; pass++, sure = -INFINITY) {
        count = 0;
        for (uint64_t i = 0; i < seeds->stretch_count; i++) {
            const Stretch *stretch = &seeds->stretches[i];
            for (uint64_t k = 0; k < stretch->count; k++) {
                outer[count] = stretch->seeds[k].distance;
                count += outer[count] >= sure;
            }
        }
        inner = seeds->count - count;
    }
    qsort(outer, count, sizeof *outer, ascending);
    uint64_t last = wanted - inner - 1;
    cut->distance = outer[last];
    for (uint64_t i = last + 1; i-- > 0 && outer[i] == cut->distance;) {
        cut->ties++;
    }
    ooze_free(outer);
    return OOZE_OK;
}

/* Copies the deepest seeds in the order of the lattice, those deeper than RELAX_DEPTH first.
   Returns the number of these. */
static uint64_t copy_seeds(const Seeds *seeds, Cut cut, OozeVec3 *points)
{
    double deep = -RELAX_DEPTH * seeds->request->spacing;
    uint64_t at = 0, fixed = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < seeds->stretch_count; i++) {
            const Stretch *stretch = &seeds->stretches[i];
            for (uint64_t k = 0; k < stretch->count; k++) {
                const Seed *seed = &stretch->seeds[k];
                bool tie = seed->distance == cut.distance && cut.ties > 0;
                if ((seed->distance < deep) == (pass == 0) &&
                    (seed->distance < cut.distance || tie)) {
                    points[at++] = seed->point;
                    cut.ties -= tie;
                }
            }
        }
        fixed = pass == 0 ? at : fixed;
    }
    return fixed;
}

/* Sets the first points, of which `fixed` are so deep that the surface does not disturb their
   lattice. */
static OozeStatus choose_seeds(const OozeFillRequest *request, uint64_t wanted, OozeVec3 *points,
                               uint64_t *fixed, OozeError *error)
{
    Seeds seeds = {0};
    Cut cut;
    OozeStatus status = OOZE_OK;
    for (double border = 0.6; border < 4.0; border *= 2.0) {
        status = seed_lattice(request, border * request->spacing, &seeds, error);
        if (status || seeds.count >= wanted) {
            break;
        }
    }
    if (!status && seeds.count == 0) {
        status = ooze_fail(error, OOZE_ERROR_ARGUMENT, "use a lattice fill or a smaller spacing",
                           "no position for a particle was found in a shape of %llu spacings^3",
                           (unsigned long long)wanted);
    }
    status = status ? status : find_cut(&seeds, wanted, &cut, error);
    if (!status) {
        *fixed = copy_seeds(&seeds, cut, points);
        for (uint64_t i = seeds.count; i < wanted; i++) {
            /* a shape too thin for the lattice: relaxation separates them */
            double shift = 0.1 * request->spacing;
            points[i] = points[i % seeds.count];
            points[i].x += shift * (ooze_random01(request->seed, i, 0) - 0.5);
            points[i].y += shift * (ooze_random01(request->seed, i, 1) - 0.5);
            points[i].z += shift * (ooze_random01(request->seed, i, 2) - 0.5);
        }
    }
    clear_seeds(&seeds);
    return status;
}

/* ---- filling --------------------------------------------------------------------------------- */

static double shape_distance(const void *context, OozeVec3 point, OozeVec3 *normal)
{
    return ooze_shape_distance(context, point, normal);
}

/* Points of a fill. */
typedef struct Placed {
    const OozeFillRequest *request;
    OozeVec3 *points;
} Placed;

/* Moves points back inside: in a shape thinner than the distance of points from the surface,
   relaxation pushes them out at the other side. */
static void keep_inside(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Placed *placed = context;
    double slack = 0.01 * placed->request->spacing;
    for (uint64_t k = begin; k < end; k++) {
        OozeVec3 *point = &placed->points[k], normal;
        double d = -1.0;
        for (int i = 0; i < 4; i++) {
            d = ooze_shape_distance(placed->request->shape, *point, &normal);
            if (d < 0.0) {
                break;
            }
            *point = vec3_madd(*point, -(d + slack), normal);
        }
    }
}

OozeStatus ooze_fill_fitted(const OozeFillRequest *request, uint64_t *count, OozeVec3 **positions,
                            OozeError *error)
{
    double s = request->spacing;
    double volume = ooze_shape_volume(request->shape, 0.0, s, request->threads);
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
    uint64_t fixed = 0;
    OozeStatus status = choose_seeds(request, n, points, &fixed, error);
    if (!status) {
        OozeRelaxation relaxation = {.kind = OOZE_RELAX_VOLUME,
                                     .spacing = cbrt(volume / wanted),
                                     .fixed = fixed,
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
    ooze_parallel_for(request->threads, n - fixed, POINTS_AT_A_TIME, keep_inside,
                      &(Placed){request, points + fixed});
    *count = n;
    *positions = points;
    return OOZE_OK;
}
