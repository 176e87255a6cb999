/* The three Gauss-Seidel sweeps over pairs: viscosity, springs, density. Both particles of a pair
   get opposite corrections, so momentum is conserved to rounding; a prescribed particle gets
   none. */
#include <math.h>

#include "methods/springs/cpu/loops.h"

/* Selects the compiled variant of a loop: constants at each call; and the periodic box. */
typedef struct Variant {
    bool periodic, prescribed;
    OozeBox box;
} Variant;

static inline OozeF32x4 delta(OozeF32x4 a, OozeF32x4 b, Variant variant)
{
    return variant.periodic ? ooze_f32x4_image(a - b, variant.box) : a - b;
}

/* ---- double density relaxation --------------------------------------------------------------- */

/* Four neighbours: x_j - x_i, 1 - q and 1/r. 1/r is 0 for coincident particles, which have no
   direction; 1 - q is 0 beyond the support. */
typedef struct Deltas {
    OozeF32x4 d[4];
    OozeF32x4 t, inverse;
} Deltas;

static inline void find_deltas(const OozeSpringsStep *s, OozeF32x4 x, const uint32_t *index,
                               Variant variant, Deltas *w)
{
    OozeF32x4 zero = {0}, smallest = ooze_f32x4_splat(ooze_springs_smallest(&s->k));
    for (int k = 0; k < 4; k++) {
        w->d[k] = delta(s->point[index[k]].x, x, variant);
    }
    OozeF32x4 r = ooze_f32x4_sqrt(ooze_f32x4_row_sums(w->d[0] * w->d[0], w->d[1] * w->d[1],
                                                      w->d[2] * w->d[2], w->d[3] * w->d[3]));
    w->t = ooze_f32x4_max(1.0f - s->k.inverse_h * r, zero);
    w->inverse = ooze_f32x4_select(r > smallest, 1.0f / ooze_f32x4_max(r, smallest), zero);
}

/* Groups of four neighbours whose deltas are stored between the two passes; further groups are
   computed twice. No particle moves between the passes. */
enum { STORED_GROUPS = 64 };

static inline void relax(OozeSpringsStep *s, uint32_t i, Variant variant)
{
    const OozeNeighbours *near = &s->memory->near;
    const uint32_t *list = near->index + near->first[i];
    const uint32_t count = near->count[i];
    const OozeSpringsCoefficients *coefficients = &s->coefficients[s->material[i]];
    const OozeF32x4 x = s->point[i].x;
    Deltas kept[STORED_GROUPS], more;
    OozeF32x4 density = {0}, near_density = {0}, own = {0};
    for (uint32_t e = 0, g = 0; e < count; e += 4, g++) {
        Deltas *w = g < STORED_GROUPS ? &kept[g] : &more;
        find_deltas(s, x, list + e, variant, w);
        OozeF32x4 t2 = w->t * w->t;
        density += t2;
        near_density += t2 * w->t;
    }
    float pressure = ooze_double_pressure(coefficients->stiffness, ooze_f32x4_sum(density),
                                          coefficients->rest_density);
    float near_pressure = coefficients->near_stiffness * ooze_f32x4_sum(near_density);
    float half = 0.5f * s->k.h * s->k.dt_units2;
    for (uint32_t e = 0, g = 0; e < count; e += 4, g++) {
        const Deltas *w = g < STORED_GROUPS ? &kept[g] : &more;
        if (g >= STORED_GROUPS) {
            find_deltas(s, x, list + e, variant, &more);
        }
        OozeF32x4 push = OOZE_SPRINGS_PUSH(half, pressure, near_pressure, w->t, w->inverse);
        for (uint32_t k = 0; k < 4 && e + k < count; k++) {
            OozeF32x4 d = push[k] * w->d[k];
            own -= d;
            if (!variant.prescribed || !s->prescribed[list[e + k]]) {
                s->point[list[e + k]].x += d;
                s->point[list[e + k]].shift += d;
            }
        }
    }
    if (!variant.prescribed || !s->prescribed[i]) {
        s->point[i].x += own;
        s->point[i].shift += own;
    }
}

/* ---- springs --------------------------------------------------------------------------------- */

static inline void pull(OozeSpringsStep *s, uint32_t i, Variant variant)
{
    const OozeLinkRows *rows = &s->memory->table.rows[0];
    const OozeLink *row = ooze_links_of(rows, i);
    for (uint32_t k = 0; k < rows->count[i]; k++) {
        uint32_t j = row[k].other;
        if (row[k].rest > 0.0f) { /* negative: see ooze_springs_pull_long */
            OozeF32x4 d = delta(s->point[j].x, s->point[i].x, variant);
            ooze_springs_displace_pair(s, i, j, row[k].rest, d, variant.prescribed);
        }
    }
}

/* ---- viscosity ------------------------------------------------------------------------------- */

static inline void apply_viscosity(OozeSpringsStep *s, uint32_t i, Variant variant)
{
    const OozeNeighbours *near = s->store_lists;
    const uint32_t *list = near->index + near->first[i];
    const OozeSpringsCoefficients *own = &s->coefficients[s->store_material[i]];
    for (uint32_t k = 0; k < near->count[i]; k++) {
        uint32_t j = list[k];
        if (s->store_id[j] < s->store_id[i]) {
            continue; /* j applies the pair */
        }
        OozeF32x4 d = delta(s->x0[j], s->x0[i], variant);
        float along = ooze_f32x4_dot3(s->u[i] - s->u[j], d), r = sqrtf(ooze_f32x4_dot3(d, d));
        if (!ooze_springs_approach(&s->k, along, r)) {
            continue;
        }
        d *= ooze_springs_drag(&s->k, own, &s->coefficients[s->store_material[j]], along, r);
        if (!variant.prescribed || !s->store_prescribed[j]) {
            s->u[j] += d;
        }
        if (!variant.prescribed || !s->store_prescribed[i]) {
            s->u[i] -= d;
        }
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef void (*ParticleSweep)(OozeSpringsStep *s, uint32_t i, Variant variant);

static inline void sweep_variant(OozeSpringsStep *s, const OozeSpringsSchedule *schedule,
                                 uint64_t begin, uint64_t end, ParticleSweep sweep, Variant variant)
{
    for (uint64_t r = s->first_run + begin; r < s->first_run + end; r++) {
        for (uint32_t k = schedule->begin[r]; k < schedule->end[r]; k++) {
            sweep(s, schedule->sequence[k], variant);
        }
    }
}

static inline void sweep_runs(OozeSpringsStep *s, const OozeSpringsSchedule *schedule,
                              uint64_t begin, uint64_t end, ParticleSweep sweep)
{
    const OozeBox box = ooze_box(&s->periodic);
    if (s->any_prescribed) {
        sweep_variant(s, schedule, begin, end, sweep, (Variant){true, true, box});
    } else if (ooze_periodic_any(&s->periodic)) {
        sweep_variant(s, schedule, begin, end, sweep, (Variant){true, false, box});
    } else {
        sweep_variant(s, schedule, begin, end, sweep, (Variant){false, false, box});
    }
}

static void density_runs(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeSpringsStep *s = data;
    sweep_runs(s, &s->memory->predicted_schedule, begin, end, relax);
}

static void spring_runs(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeSpringsStep *s = data;
    sweep_runs(s, &s->memory->predicted_schedule, begin, end, pull);
}

static void viscosity_runs(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeSpringsStep *s = data;
    sweep_runs(s, &s->memory->store_schedule, begin, end, apply_viscosity);
}

const OozeSpringsLoops OOZE_LOOPS(ooze_springs_loops) = {
    .apply_viscosity = viscosity_runs,
    .pull = spring_runs,
    .relax = density_runs,
};
