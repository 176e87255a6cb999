#include "solids/fill.h"

#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "solids/fitted_fill.h"
#include "solids/lattice_rows.h"
#include "solids/motion.h"

/* Tolerance of the half spacing between lattice points and the surface, in spacings: more than the
   error of a distance. */
#define SLACK 1e-3

/* Most rows of a lattice: testing more would take minutes. */
#define ROWS_MAX 1e9

OozeFluidDef ooze_fluid_def_default(void)
{
    OozeFluidDef def;
    memset(&def, 0, sizeof def);
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.fill = OOZE_FILL_LATTICE;
    def.jitter = 0.1;
    def.temperature = NAN;
    return def;
}

OozeStatus ooze_fill_too_many(const OozeFillRequest *request, double wanted, OozeError *error)
{
    return ooze_fail(error, OOZE_ERROR_LIMIT, "use a larger spacing or a smaller shape",
                     "filling the shape at a spacing of %g m would need about %.0f particles; at "
                     "most %llu more are possible",
                     request->spacing, wanted, (unsigned long long)request->limit);
}

double ooze_fill_fitting_spacing(double spacing, double wanted, double possible)
{
    double fits = spacing * cbrt(wanted / fmax(possible, 1.0));
    double unit = pow(10.0, floor(log10(fits)) - 1.0); /* of the second digit */
    return ceil(fits / unit) * unit;
}

static OozeStatus check_request(const OozeFillRequest *request, OozeError *error)
{
    OozeBounds bounds = ooze_shape_bounds(request->shape);
    if (!(request->spacing > 0.0) || !isfinite(request->spacing)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give the particle spacing in metres",
                         "cannot fill a shape at a spacing of %g m", request->spacing);
    }
    if (ooze_shape_inverted(request->shape) || !vec3_is_finite(bounds.min) ||
        !vec3_is_finite(bounds.max)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                         "fill a bounded shape that is not inverted, such as a box",
                         "%s has no end, so it cannot be filled",
                         ooze_shape_inverted(request->shape) ? "an inverted shape" : "the shape");
    }
    if (!vec3_is_finite(request->pose.position)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use finite numbers",
                         "the position of a shape to fill is not finite");
    }
    if (request->fill == OOZE_FILL_JITTERED &&
        !(request->jitter >= 0.0 && request->jitter <= 0.5)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "0.1 is usual",
                         "the jitter %g is not between 0 and 0.5 spacings", request->jitter);
    }
    return OOZE_OK;
}

/* ---- lattice ------------------------------------------------------------------------------ */

typedef struct Lattice {
    const OozeFillRequest *request;
    OozeVec3 first; /* lowest point */
    int64_t size[3];
    OozeVec3 *points;
    uint64_t count, capacity;
    uint64_t excess; /* points beyond the request's limit */
} Lattice;

static OozeStatus reserve(Lattice *lattice, uint64_t more, OozeError *error)
{
    uint64_t wanted = lattice->count + more;
    if (wanted <= lattice->capacity) {
        return OOZE_OK;
    }
    uint64_t capacity = wanted + wanted / 2 + 1024;
    OozeVec3 *points =
        ooze_grow(lattice->points, lattice->count, capacity, sizeof *lattice->points);
    if (!points) {
        return ooze_fail_memory(error, "filling a shape", capacity * sizeof *points);
    }
    lattice->points = points;
    lattice->capacity = capacity;
    return OOZE_OK;
}

/* Moves a point by up to jitter * spacing along each axis, but not nearer to the surface than a
   quarter of a spacing. */
static OozeVec3 jittered(const OozeFillRequest *request, uint64_t cell, OozeVec3 p)
{
    double reach = 2.0 * request->jitter * request->spacing;
    p.x += reach * (ooze_random01(request->seed, cell, 0) - 0.5);
    p.y += reach * (ooze_random01(request->seed, cell, 1) - 0.5);
    p.z += reach * (ooze_random01(request->seed, cell, 2) - 0.5);
    OozeVec3 normal;
    double over = ooze_shape_distance(request->shape, p, &normal) + 0.25 * request->spacing;
    return over > 0.0 ? vec3_madd(p, -over, normal) : p;
}

static OozeStatus fill_row(Lattice *lattice, int64_t j, int64_t k, OozeError *error)
{
    const OozeFillRequest *request = lattice->request;
    double s = request->spacing;
    uint64_t row =
        ((uint64_t)k * (uint64_t)lattice->size[1] + (uint64_t)j) * (uint64_t)lattice->size[0];
    for (int64_t i = 0; i < lattice->size[0];) {
        OozeVec3 p = vec3(lattice->first.x + (double)i * s, lattice->first.y + (double)j * s,
                          lattice->first.z + (double)k * s);
        double depth = -ooze_shape_distance(request->shape, p, NULL) - (0.5 - SLACK) * s;
        /* Points closer than the distance are on the same side, so the next ones need no test. A
           tenth of a spacing covers the errors of interpolated distances. */
        double untested = floor((fabs(depth) - 0.1 * s) / s);
        int64_t n = untested < 1.0                        ? 1
                    : untested < (double)lattice->size[0] ? (int64_t)untested
                                                          : INT64_MAX;
        n = n < lattice->size[0] - i ? n : lattice->size[0] - i;
        /* Beyond the limit points are only counted, for the message. */
        lattice->excess +=
            depth >= 0.0 && lattice->count + (uint64_t)n > request->limit ? (uint64_t)n : 0;
        if (depth >= 0.0 && lattice->excess == 0) {
            OozeStatus status = reserve(lattice, (uint64_t)n, error);
            if (status) {
                return status;
            }
            for (int64_t m = 0; m < n; m++) {
                OozeVec3 q = vec3(lattice->first.x + (double)(i + m) * s, p.y, p.z);
                lattice->points[lattice->count++] =
                    request->fill == OOZE_FILL_JITTERED
                        ? jittered(request, row + (uint64_t)(i + m), q)
                        : q;
            }
        }
        i += n;
    }
    return OOZE_OK;
}

/* Lattice points along each axis of the bounding box, half a spacing from either end. */
static OozeVec3 lattice_size(const OozeFillRequest *request)
{
    OozeBounds bounds = ooze_shape_bounds(request->shape);
    OozeVec3 size = vec3_scale(vec3_sub(bounds.max, bounds.min), 1.0 / request->spacing);
    return vec3(floor(size.x + 2.0 * SLACK), floor(size.y + 2.0 * SLACK),
                floor(size.z + 2.0 * SLACK));
}

/* The lattice is centred in the bounding box. */
static OozeVec3 lattice_first(const OozeFillRequest *request, OozeVec3 n)
{
    double s = request->spacing;
    OozeBounds bounds = ooze_shape_bounds(request->shape);
    OozeVec3 middle = vec3_scale(vec3_add(bounds.min, bounds.max), 0.5);
    return vec3(middle.x - 0.5 * (n.x - 1.0) * s, middle.y - 0.5 * (n.y - 1.0) * s,
                middle.z - 0.5 * (n.z - 1.0) * s);
}

/* Tested points along each axis of n lattice points: every one of short axes, and evenly spread
   ones along the others, about a million in all. */
static void tested_along(OozeVec3 n, int64_t m[3])
{
    const double tested = 1e6;
    double left = tested;
    bool done[3] = {false, false, false};
    for (int axes = 3; axes > 0; axes--) {
        int shortest = -1;
        for (int k = 0; k < 3; k++) {
            bool shorter = shortest < 0 || vec3_component(n, k) < vec3_component(n, shortest);
            shortest = !done[k] && shorter ? k : shortest;
        }
        double share = fmax(floor(pow(left, 1.0 / axes)), 1.0);
        double points = fmin(vec3_component(n, shortest), share);
        m[shortest] = (int64_t)points;
        left /= points;
        done[shortest] = true;
    }
}

/* Fraction of the lattice points of the bounding box that are inside, from a subset that is spread
   over the box. */
static double inside_fraction(const OozeFillRequest *request, OozeVec3 n)
{
    double s = request->spacing;
    OozeVec3 first = lattice_first(request, n);
    int64_t m[3];
    tested_along(n, m);
    uint64_t inside = 0;
    for (int64_t k = 0; k < m[2]; k++) {
        for (int64_t j = 0; j < m[1]; j++) {
            for (int64_t i = 0; i < m[0]; i++) {
                OozeVec3 at = vec3(floor(((double)i + 0.5) * n.x / (double)m[0]),
                                   floor(((double)j + 0.5) * n.y / (double)m[1]),
                                   floor(((double)k + 0.5) * n.z / (double)m[2]));
                double depth = -ooze_shape_distance(request->shape, vec3_madd(first, s, at), NULL);
                inside += depth >= (0.5 - SLACK) * s;
            }
        }
    }
    return (double)inside / ((double)m[0] * (double)m[1] * (double)m[2]);
}

static double count_lattice(const OozeFillRequest *request)
{
    OozeVec3 n = lattice_size(request);
    if (!(n.x >= 1.0 && n.y >= 1.0 && n.z >= 1.0)) {
        return 0.0;
    }
    if (ooze_shape_kind(request->shape) ==
        OOZE_SHAPE_COMPOUND) { /* which may be far from each other */
        double s = request->spacing;
        return ooze_shape_volume(request->shape, 0.0, 8.0 * s, request->threads) / (s * s * s);
    }
    bool whole = ooze_shape_kind(request->shape) == OOZE_SHAPE_BOX;
    return n.x * n.y * n.z * (whole ? 1.0 : inside_fraction(request, n));
}

OozeStatus ooze_fill_count(const OozeFillRequest *request, double *count, OozeError *error)
{
    *count = 0.0;
    OozeStatus status = check_request(request, error);
    if (!status) {
        double s = request->spacing;
        *count =
            request->fill == OOZE_FILL_FITTED
                ? ooze_shape_volume(request->shape, 0.0, 8.0 * s, request->threads) / (s * s * s)
                : count_lattice(request);
    }
    return status;
}

static OozeStatus fill_lattice(const OozeFillRequest *request, uint64_t *count,
                               OozeVec3 **positions, OozeError *error)
{
    OozeVec3 n = lattice_size(request);
    if (!(n.x >= 1.0 && n.y >= 1.0 && n.z >= 1.0)) {
        return OOZE_OK;
    }
    /* an estimate is enough here: rows are counted exactly */
    double s = request->spacing, cells = n.x * n.y * n.z, limit = (double)request->limit;
    double inside = cells > limit ? count_lattice(request) : cells;
    if (cells > limit && inside > 1.2 * limit) {
        return ooze_fill_too_many(request, inside, error);
    }
    OozeLatticeRows rows = ooze_lattice_rows(request->shape, 0.0);
    if (!(ooze_lattice_rows_max(&rows, s) <= ROWS_MAX)) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use a larger spacing or a smaller shape",
                         "a shape of %g by %g by %g m is too large to fill at a spacing of %g m",
                         n.x * s, n.y * s, n.z * s, s);
    }
    Lattice lattice = {.request = request,
                       .first = lattice_first(request, n),
                       .size = {(int64_t)n.x, (int64_t)n.y, (int64_t)n.z}};
    OozeStatus status = OOZE_OK;
    ooze_lattice_rows_begin(&rows, lattice.first, s, lattice.size[1], lattice.size[2]);
    while (!status && ooze_lattice_rows_next(&rows)) {
        status = fill_row(&lattice, rows.j, rows.k, error);
    }
    if (!status && lattice.excess > 0) {
        status = ooze_fill_too_many(request, (double)lattice.count + (double)lattice.excess, error);
    }
    if (status) {
        ooze_free(lattice.points);
        return status;
    }
    *count = lattice.count;
    *positions = lattice.points;
    return OOZE_OK;
}

OozeStatus ooze_fill(const OozeFillRequest *request, uint64_t *count, OozeVec3 **positions,
                     OozeError *error)
{
    *count = 0;
    *positions = NULL;
    OozeStatus status = check_request(request, error);
    if (status) {
        return status;
    }
    switch (request->fill) {
    case OOZE_FILL_LATTICE:
    case OOZE_FILL_JITTERED:
        status = fill_lattice(request, count, positions, error);
        break;
    case OOZE_FILL_FITTED:
        status = ooze_fill_fitted(request, count, positions, error);
        break;
    default:
        status = ooze_fail(error, OOZE_ERROR_ARGUMENT, "use one of the OozeFill names",
                           "there is no fill %d", (int)request->fill);
    }
    OozePose pose = request->pose;
    pose.rotation = quat_unit(pose.rotation);
    for (uint64_t i = 0; i < *count; i++) {
        (*positions)[i] = ooze_pose_to_world(&pose, (*positions)[i]);
    }
    return status;
}
