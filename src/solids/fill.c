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

static OozeStatus fill_lattice(const OozeFillRequest *request, uint64_t *count,
                               OozeVec3 **positions, OozeError *error)
{
    double s = request->spacing;
    OozeBounds bounds = ooze_shape_bounds(request->shape);
    OozeVec3 size = vec3_sub(bounds.max, bounds.min);
    OozeVec3 middle = vec3_scale(vec3_add(bounds.min, bounds.max), 0.5);
    /* Points half a spacing from either end, centred. */
    double nx = floor(size.x / s + 2.0 * SLACK), ny = floor(size.y / s + 2.0 * SLACK);
    double nz = floor(size.z / s + 2.0 * SLACK);
    if (!(nx >= 1.0 && ny >= 1.0 && nz >= 1.0)) {
        return OOZE_OK;
    }
    /* a coarse estimate is enough: rows are counted exactly */
    double inside = ooze_shape_volume(request->shape, 0.5 * s, 8.0 * s) / (s * s * s);
    if (inside > 1.5 * (double)request->limit) {
        return ooze_fill_too_many(request, ooze_shape_volume(request->shape, 0.0, s) / (s * s * s),
                                  error);
    }
    OozeLatticeRows rows = ooze_lattice_rows(request->shape, 0.0);
    if (!(ooze_lattice_rows_max(&rows, s) <= ROWS_MAX)) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use a larger spacing or a smaller shape",
                         "a shape of %g by %g by %g m is too large to fill at a spacing of %g m",
                         size.x, size.y, size.z, s);
    }
    Lattice lattice = {.request = request,
                       .first =
                           vec3(middle.x - 0.5 * (nx - 1.0) * s, middle.y - 0.5 * (ny - 1.0) * s,
                                middle.z - 0.5 * (nz - 1.0) * s),
                       .size = {(int64_t)nx, (int64_t)ny, (int64_t)nz}};
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
