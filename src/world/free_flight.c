/* Fast particles in free flight, which need no substeps.

   Substeps limit the movement of particles relative to the particles and solids that they act on:
   beyond `max_travel` spacings a particle could pass through them. A particle that meets nothing
   may move any distance. Let R be the reach of the method (the support, or its longest link) and D
   the distance of `max_travel` spacings. During a time dt a particle at x of velocity v is in free
   flight if

   - no slow particle is within R + 2 D of the path x + s v, 0 <= s <= dt. Slow are the particles
     below the speed limit: they move by at most D, and the path of a drop's particle deviates from
     the straight line by at most D;
   - every other fast particle stays farther than R + 2 D from it, or moves relative to it by at
     most D, so that a drop that flies as a whole is in free flight;
   - the path stays farther than R + D, and the travel of the solid, from each solid;
   - no nozzle prescribes its velocity, it is not part of a body, and has no link of unbounded
     length (see OozeMethod.unbounded_field and mark_linked).

   Gravity moves all particles alike, but not solids: its displacement is added to these distances.

   A substep may be as long as dt if every particle that exceeds the speed limit of dt is in free
   flight during dt. Methods identify them by their speed (OozeStepContext.free_speed). The path in
   a shorter time is part of the longer path: a halved substep has the same free flights.

   The result depends on positions, velocities and solids alone, not on the order of particles. */
#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "solids/swept_bounds.h"
#include "world/world.h"

/* Where more particles exceed a speed limit, steps are divided for all of them. */
enum { FAST_MAX = 1024 };
/* Points of a path at which the distance to one solid is measured at most; a path that needs more
   runs along the solid. */
enum { POINTS_MAX = 256 };

typedef struct Flight {
    OozeWorld *world;
    OozeFastParticle *fast;
    uint64_t count;
    double reach;      /* R, m */
    double travel;     /* D, m */
    float slow_limit;  /* m/s: `fast` are the particles that exceed it */
    bool has_cells;    /* the next three are set */
    OozeCellMap map;   /* to cells of about 2 (R + 2 D) */
    int64_t around[3]; /* cells along a periodic axis; 0: the axis is not periodic */
    OozeCellSet slow;  /* cells of the other particles */
} Flight;

static OozeVec3 position_of(const OozeFastParticle *p)
{
    return vec3((double)p->position[0], (double)p->position[1], (double)p->position[2]);
}

static OozeVec3 velocity_of(const OozeFastParticle *p)
{
    return vec3((double)p->velocity[0], (double)p->velocity[1], (double)p->velocity[2]);
}

/* Displacement by gravity in dt, which bends paths. */
static double fall(const Flight *f, double dt)
{
    return vec3_length(f->world->def.gravity) * dt * dt;
}

/* Distance that particles keep from a straight path for free flight: R + 2 D, and gravity. */
static double margin(const Flight *f, double dt)
{
    return f->reach + 2.0 * f->travel + fall(f, dt);
}

/* ---- other fast particles ------------------------------------------------------------------- */

/* Lower bound of the distance of two particles during dt, from their relative position and velocity
   now. Along a periodic axis that the relative path may go around, the distance counts as 0. */
static double nearest_approach(const Flight *f, const OozeFastParticle *a,
                               const OozeFastParticle *b, double dt)
{
    const OozePeriodic *periodic = &f->world->periodic;
    double xx = 0.0, xw = 0.0, ww = 0.0;
    for (int k = 0; k < 3; k++) {
        double x = (double)a->position[k] - (double)b->position[k];
        double w = (double)a->velocity[k] - (double)b->velocity[k];
        double length = (double)periodic->length[k];
        if (length > 0.0) {
            x -= length * rint(x / length);
            if (fabs(w) * dt + margin(f, dt) > length - fabs(x)) {
                continue;
            }
        }
        xx += x * x;
        xw += x * w;
        ww += w * w;
    }
    double t = ww > 0.0 ? fmin(fmax(-xw / ww, 0.0), dt) : 0.0;
    return sqrt(fmax(xx + (2.0 * xw + ww * t) * t, 0.0));
}

static bool clear_of_fast(const Flight *f, uint64_t i, double dt)
{
    const OozeFastParticle *a = &f->fast[i];
    for (uint64_t j = 0; j < f->count; j++) {
        const OozeFastParticle *b = &f->fast[j];
        double relative = vec3_length(vec3_sub(velocity_of(a), velocity_of(b))) * dt;
        if (j != i && !(relative <= f->travel) &&
            !(nearest_approach(f, a, b, dt) > margin(f, dt))) {
            return false;
        }
    }
    return true;
}

/* ---- solids --------------------------------------------------------------------------------- */

/* Upper bound of the displacement of any point of a solid between two times of the present step. */
static double solid_travel(const Flight *f, const OozeSolid *solid, const OozeSweptBounds *bounds)
{
    double dt = f->world->def.time_step, travel = (double)bounds->travel;
    if (ooze_solid_is_dynamic(solid)) {
        return travel + fall(f, dt);
    }
    OozeQuat a = solid->begin.rotation, b = solid->end.rotation;
    double cosine = fabs(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
    double angle = cosine < 1.0 - 1e-12 ? 2.0 * acos(cosine) : 0.0;
    OozeBounds box = ooze_shape_bounds(solid->shape);
    OozeVec3 far =
        vec3(fmax(-box.min.x, box.max.x), fmax(-box.min.y, box.max.y), fmax(-box.min.z, box.max.z));
    double moved = vec3_length(vec3_sub(solid->end.position, solid->begin.position));
    return fmax(travel, moved + (angle > 0.0 ? angle * vec3_length(far) : 0.0));
}

static OozeVec3 wrap(const OozePeriodic *periodic, OozeVec3 point)
{
    double x[3] = {point.x, point.y, point.z};
    for (int k = 0; k < 3; k++) {
        double length = (double)periodic->length[k], min = (double)periodic->min[k];
        x[k] -= length > 0.0 ? length * floor((x[k] - min) / length) : 0.0;
    }
    return vec3(x[0], x[1], x[2]);
}

/* Distance from a point to a solid and its images in the periodic box. */
static double solid_distance(const OozePeriodic *periodic, const OozeSolid *solid, OozeVec3 point)
{
    double distance = INFINITY;
    int images[3];
    OozeVec3 at = wrap(periodic, point), normal;
    for (int k = 0; k < 3; k++) {
        images[k] = periodic->length[k] > 0.0f;
    }
    for (int i = -images[0]; i <= images[0]; i++) {
        for (int j = -images[1]; j <= images[1]; j++) {
            for (int k = -images[2]; k <= images[2]; k++) {
                OozeVec3 shift =
                    vec3(i * (double)periodic->length[0], j * (double)periodic->length[1],
                         k * (double)periodic->length[2]);
                distance = fmin(distance, ooze_solid_distance(solid, vec3_add(at, shift), &normal));
            }
        }
    }
    return distance;
}

static bool misses_box(const OozeSweptBounds *bounds, OozeVec3 from, OozeVec3 to, double apart)
{
    bool misses = false;
    for (int k = 0; k < 3; k++) {
        double a = vec3_component(from, k), b = vec3_component(to, k);
        misses = misses || fmin(a, b) - apart > (double)bounds->high[k] ||
                 fmax(a, b) + apart < (double)bounds->low[k];
    }
    return misses;
}

/* Sphere tracing: around each point of the path, a ball whose radius is the distance from the solid
   less `apart` keeps `apart` from the solid. */
static bool clear_of_solid(const Flight *f, const OozeSolid *solid, const OozeFastParticle *p,
                           double dt)
{
    const OozeWorld *world = f->world;
    const OozePeriodic *periodic = &world->periodic;
    OozeSweptBounds bounds =
        ooze_solid_swept_bounds(solid, world->def.spacing, world->def.time_step);
    double apart = fmax(f->reach, solid->params[OOZE_SOLID_STICK_DISTANCE]) + f->travel +
                   fall(f, dt) + (double)bounds.margin + solid_travel(f, solid, &bounds);
    OozeVec3 x = position_of(p), v = velocity_of(p);
    double along = 0.0, length = vec3_length(v) * dt, half_box = INFINITY;
    if (!ooze_periodic_any(periodic) && misses_box(&bounds, x, vec3_madd(x, dt, v), apart)) {
        return true;
    }
    for (int k = 0; k < 3; k++) { /* farther images are not evaluated */
        half_box = periodic->length[k] > 0.0f ? fmin(half_box, 0.5 * (double)periodic->length[k])
                                              : half_box;
    }
    for (int k = 0; k < POINTS_MAX; k++) {
        OozeVec3 point = vec3_madd(x, along / length * dt, v);
        double radius = solid_distance(periodic, solid, point) - apart;
        if (!(radius > 0.0)) {
            return false;
        }
        along += fmin(radius, half_box);
        if (along >= length) {
            return true;
        }
    }
    return false;
}

static bool clear_of_solids(const Flight *f, const OozeFastParticle *p, double dt)
{
    for (int i = 0; i < f->world->solids.count; i++) {
        const OozeSolid *solid = &f->world->solids.items[i];
        bool acts = solid->sampled || solid->params[OOZE_SOLID_COLLIDES] != 0.0;
        if (acts && !clear_of_solid(f, solid, p, dt)) {
            return false;
        }
    }
    return true;
}

/* ---- slow particles ------------------------------------------------------------------------- */

static int64_t wrap_cell(const Flight *f, int64_t cell, int axis)
{
    int64_t n = f->around[axis];
    return n > 0 ? (cell % n + n) % n : cell;
}

static uint64_t wrapped_key(const Flight *f, int64_t i, int64_t j, int64_t k)
{
    return ooze_cell_key(wrap_cell(f, i, 0), wrap_cell(f, j, 1), wrap_cell(f, k, 2));
}

/* Cells fill periodic axes without a remainder, so that coordinates wrap. */
static OozeStatus find_slow_cells(Flight *f, OozeError *error)
{
    const OozeWorld *world = f->world;
    double edge = 2.0 * margin(f, 0.0);
    double scale[3];
    for (int k = 0; k < 3; k++) {
        double length = (double)world->periodic.length[k];
        f->around[k] = length > 0.0 ? (int64_t)fmax(floor(length / edge), 1.0) : 0;
        scale[k] = length > 0.0 ? (double)f->around[k] / length : 1.0 / edge;
        f->map.offset[k] = length > 0.0 ? -(double)world->periodic.min[k] * scale[k] : 0.0;
    }
    f->map.rows[0] = vec3(scale[0], 0, 0);
    f->map.rows[1] = vec3(0, scale[1], 0);
    f->map.rows[2] = vec3(0, 0, scale[2]);
    f->has_cells = true;
    OozeStatus status =
        world->engine->find_cells(world->engine_data, &f->map, f->slow_limit, &f->slow, error);
    for (uint64_t c = 0; c < f->slow.count; c++) { /* rounding can give the cell behind the last */
        uint64_t *key = &f->slow.keys[c];
        *key = wrapped_key(f, ooze_cell_coordinate(*key, 0), ooze_cell_coordinate(*key, 1),
                           ooze_cell_coordinate(*key, 2));
    }
    ooze_cell_set_sort(&f->slow);
    return status;
}

/* The cells from low to high along an axis; all cells of a periodic axis that they go around. */
typedef struct CellRange {
    int64_t low, high;
} CellRange;

static CellRange cells_along(const Flight *f, OozeVec3 point, double radius, int axis)
{
    double scale = vec3_component(f->map.rows[axis], axis);
    double at = vec3_component(point, axis) * scale + f->map.offset[axis];
    CellRange range = {ooze_cell_clamp(at - radius * scale), ooze_cell_clamp(at + radius * scale)};
    if (f->around[axis] > 0 && range.high - range.low + 1 >= f->around[axis]) {
        range = (CellRange){0, f->around[axis] - 1};
    }
    return range;
}

/* Whether no slow particle can be within `radius` of a point. */
static bool is_empty(const Flight *f, OozeVec3 point, double radius)
{
    CellRange x = cells_along(f, point, radius, 0), y = cells_along(f, point, radius, 1),
              z = cells_along(f, point, radius, 2);
    for (int64_t k = z.low; k <= z.high; k++) {
        for (int64_t j = y.low; j <= y.high; j++) {
            for (int64_t i = x.low; i <= x.high; i++) {
                if (ooze_cell_set_has(&f->slow, wrapped_key(f, i, j, k))) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* Balls around points of the path, `stride` apart, cover its surroundings. */
static bool clear_of_slow(const Flight *f, const OozeFastParticle *p, double dt)
{
    double stride = margin(f, dt), radius = 1.5 * stride;
    OozeVec3 x = position_of(p), v = velocity_of(p);
    double strides = ceil(vec3_length(v) * dt / stride);
    for (double k = 0.0; k <= strides; k += 1.0) {
        OozeVec3 point = vec3_madd(x, dt * k / strides, v);
        if (!is_empty(f, wrap(&f->world->periodic, point), radius)) {
            return false;
        }
    }
    return true;
}

/* ---- the length of a substep ---------------------------------------------------------------- */

static bool exceeds_limit(const Flight *f, const OozeFastParticle *p, int units)
{
    return !ooze_world_allows_speed(f->world, vec3_length(velocity_of(p)), units);
}

/* Whether all particles that exceed the speed limit of the substep are in free flight. The cells of
   slow particles are found only where the other conditions hold. */
static OozeStatus all_fly_freely(Flight *f, int units, bool *all_free, OozeError *error)
{
    double dt = f->world->def.time_step * units / OOZE_SUBSTEP_UNITS;
    OozeStatus status = OOZE_OK;
    *all_free = true;
    for (uint64_t i = 0; i < f->count && *all_free; i++) {
        const OozeFastParticle *p = &f->fast[i];
        *all_free = !exceeds_limit(f, p, units) ||
                    (!p->bound && clear_of_solids(f, p, dt) && clear_of_fast(f, i, dt));
    }
    if (*all_free && !f->has_cells) {
        status = find_slow_cells(f, error);
    }
    for (uint64_t i = 0; i < f->count && *all_free && !status; i++) {
        const OozeFastParticle *p = &f->fast[i];
        *all_free = !exceeds_limit(f, p, units) || clear_of_slow(f, p, dt);
    }
    return status;
}

/* Particles with links of unbounded length are not free. The method knows links of particles that
   are in host memory only, or shared among processes. */
static OozeStatus mark_linked(Flight *f, bool *listed, OozeError *error)
{
    const OozeWorld *world = f->world;
    uint32_t index[FAST_MAX];
    bool linked[FAST_MAX] = {false};
    OozeStepContext context = ooze_world_step_context(f->world);
    if (!world->method->mark_linked || f->count == 0 ||
        (world->method->may_link && !world->method->may_link(&context))) {
        return OOZE_OK;
    }
    bool asks_engine = world->engine->mark_linked != NULL && world->device != OOZE_DEVICE_CUDA;
    *listed = asks_engine || !world->engine->own_memory;
    for (uint64_t i = 0; i < f->count; i++) {
        index[i] = f->fast[i].index;
    }
    OozeStatus status = OOZE_OK;
    if (asks_engine) {
        status = world->engine->mark_linked(world->engine_data, &context, index, (int)f->count,
                                            linked, error);
    } else if (*listed) {
        status = world->method->mark_linked(world->method_data, &context, index, (int)f->count,
                                            linked, error);
    }
    for (uint64_t i = 0; i < f->count; i++) {
        f->fast[i].bound = f->fast[i].bound || linked[i];
    }
    return status;
}

/* Lists the particles that exceed the speed limit; `listed` is false where they are too many. */
static OozeStatus list_fast(Flight *f, double limit, bool *listed, OozeError *error)
{
    const OozeWorld *world = f->world;
    *listed = false;
    if (!(limit > 0.0)) {
        return OOZE_OK;
    }
    f->slow_limit = (float)(limit * (1.0 - 1e-6)); /* below rounding: none is left out */
    OozeFastQuery query = {f->slow_limit, world->method->unbounded_field, FAST_MAX};
    OozeStatus status =
        world->engine->find_fast(world->engine_data, &query, f->fast, &f->count, error);
    *listed = !status && f->count <= FAST_MAX;
    return *listed ? mark_linked(f, listed, error) : status;
}

static double reach_of(OozeWorld *world)
{
    OozeStepContext context = ooze_world_step_context(world);
    return world->method->reach ? world->method->reach(&context) : world->support;
}

OozeStatus ooze_world_find_free_flight(OozeWorld *world, double fastest, int *units,
                                       double *free_speed, OozeError *error)
{
    Flight flight = {
        .world = world,
        .reach = reach_of(world),
        .travel = world->def.max_travel * world->def.spacing,
        .fast = ooze_arena_alloc(world->arena, FAST_MAX, sizeof *flight.fast),
    };
    bool listed = false, all_free = false, possible = isfinite(flight.reach);
    OozeStatus status =
        flight.fast ? OOZE_OK
                    : ooze_fail_memory(error, "fast particles", FAST_MAX * sizeof *flight.fast);
    *free_speed = INFINITY;
    for (; !status && *units > 1 && !ooze_world_allows_speed(world, fastest, *units); *units /= 2) {
        double limit = ooze_world_speed_limit(world, *units);
        status = possible && !listed ? list_fast(&flight, limit, &listed, error) : OOZE_OK;
        if (!status && listed) {
            status = all_fly_freely(&flight, *units, &all_free, error);
        }
        if (all_free) {
            *free_speed = limit;
            break;
        }
    }
    ooze_cell_set_free(&flight.slow);
    return status;
}
