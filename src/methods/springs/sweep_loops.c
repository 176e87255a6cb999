/* The three sweeps in which particles act on their neighbours at once: viscosity, springs, density. What one end gains the other
   loses, to rounding; a particle that a nozzle leads gains nothing. */
#include <math.h>

#include "methods/springs/sweep.h"

/* Which loops to compile: constants at each call. */
typedef struct Kind {
    bool periodic, led;
} Kind;

static inline OozeFour apart(const OozeSpringsStep *s, OozeFour a, OozeFour b, Kind kind)
{
    return kind.periodic ? ooze_four_image(a - b, s->box) : a - b;
}

/* ---- double density relaxation ------------------------------------------------------------------ */

/* Four neighbours: the way to them, 1 - q, and 1 over their distance; 0 for what is in the same place, which has no direction,
   and for what is farther than h. */
typedef struct Ways {
    OozeFour d[4];
    OozeFour t, inverse;
} Ways;

static inline void ways_to(const OozeSpringsStep *s, OozeFour x, const uint32_t *index, Kind kind,
                           Ways *w)
{
    OozeFour zero = {0}, smallest = ooze_four_splat(1e-6f * s->h);
    for (int k = 0; k < 4; k++) {
        w->d[k] = apart(s, s->point[index[k]].x, x, kind);
    }
    OozeFour r = ooze_four_sqrt(
        ooze_four_sums(w->d[0] * w->d[0], w->d[1] * w->d[1], w->d[2] * w->d[2], w->d[3] * w->d[3]));
    w->t = ooze_four_max(1.0f - s->inverse_h * r, zero);
    w->inverse = ooze_four_choose(r > smallest, 1.0f / ooze_four_max(r, smallest), zero);
}

/* Neighbours whose ways are kept between the two passes; beyond, they are measured again. Nothing moves in between. */
enum { KEPT = 64 };

static inline void relax(OozeSpringsStep *s, uint32_t i, Kind kind)
{
    const OozeNeighbours *near = &s->memory->near;
    const uint32_t *list = near->index + near->first[i];
    const uint32_t count = near->count[i];
    const OozeSpringsMatter *matter = &s->matter[s->material[i]];
    const OozeFour x = s->point[i].x;
    Ways kept[KEPT], more;
    OozeFour density = {0}, near_density = {0}, own = {0};
    for (uint32_t e = 0, g = 0; e < count; e += 4, g++) {
        Ways *w = g < KEPT ? &kept[g] : &more;
        ways_to(s, x, list + e, kind, w);
        OozeFour t2 = w->t * w->t;
        density += t2;
        near_density += t2 * w->t;
    }
    float pressure =
        ooze_double_pressure(matter->stiffness, ooze_four_sum(density), matter->rest_density);
    float near_pressure = matter->near_stiffness * ooze_four_sum(near_density);
    float half = 0.5f * s->h * s->steps2;
    for (uint32_t e = 0, g = 0; e < count; e += 4, g++) {
        const Ways *w = g < KEPT ? &kept[g] : &more;
        if (g >= KEPT) {
            ways_to(s, x, list + e, kind, &more);
        }
        OozeFour push = half * (pressure + near_pressure * w->t) * w->t * w->inverse;
        for (uint32_t k = 0; k < 4 && e + k < count; k++) {
            OozeFour d = push[k] * w->d[k];
            own -= d;
            if (!kind.led || !s->led[list[e + k]]) {
                s->point[list[e + k]].x += d;
                s->point[list[e + k]].shift += d;
            }
        }
    }
    if (!kind.led || !s->led[i]) {
        s->point[i].x += own;
        s->point[i].shift += own;
    }
}

/* ---- springs --------------------------------------------------------------------------------------- */

static inline void pull(OozeSpringsStep *s, uint32_t i, Kind kind)
{
    const OozeLinkRows *rows = &s->memory->table.rows[0];
    const OozeLink *row = ooze_links_of(rows, i);
    for (uint32_t k = 0; k < rows->count[i]; k++) {
        uint32_t j = row[k].other;
        if (row[k].rest > 0.0f) { /* others later */
            OozeFour d = apart(s, s->point[j].x, s->point[i].x, kind);
            ooze_springs_pull(s, i, j, row[k].rest, d, kind.led);
        }
    }
}

/* ---- viscosity ------------------------------------------------------------------------------------- */

static inline void slow(OozeSpringsStep *s, uint32_t i, Kind kind)
{
    const OozeNeighbours *near = s->context->fluid;
    const uint32_t *list = near->index + near->first[i];
    const OozeSpringsMatter *own = &s->matter[s->store_material[i]];
    for (uint32_t k = 0; k < near->count[i]; k++) {
        uint32_t j = list[k];
        if (s->store_id[j] < s->store_id[i]) {
            continue; /* the pair is its */
        }
        OozeFour d = apart(s, s->x0[j], s->x0[i], kind);
        float along = ooze_four_dot3(s->u[i] - s->u[j], d), r = sqrtf(ooze_four_dot3(d, d));
        if (!(along > 0.0f) || !(r > 1e-6f * s->h)) {
            continue;
        }
        const OozeSpringsMatter *other = &s->matter[s->store_material[j]];
        float impulse = ooze_viscosity_impulse(s->steps, r * s->inverse_h, along / (r * s->speed),
                                               0.5f * (own->linear + other->linear),
                                               0.5f * (own->quadratic + other->quadratic));
        d *= 0.5f * impulse * s->speed / r;
        if (!kind.led || !s->context->led[j]) {
            s->u[j] += d;
        }
        if (!kind.led || !s->context->led[i]) {
            s->u[i] -= d;
        }
    }
}

/* ---- runs ------------------------------------------------------------------------------------------ */

typedef void (*Act)(OozeSpringsStep *s, uint32_t i, Kind kind);

static inline void run_of(OozeSpringsStep *s, const OozeSpringsSchedule *schedule, uint64_t begin,
                          uint64_t end, Act act, Kind kind)
{
    for (uint64_t r = s->first + begin; r < s->first + end; r++) {
        for (uint32_t k = schedule->begin[r]; k < schedule->end[r]; k++) {
            act(s, schedule->sequence[k], kind);
        }
    }
}

static inline void runs_of(OozeSpringsStep *s, const OozeSpringsSchedule *schedule, uint64_t begin,
                           uint64_t end, Act act)
{
    if (s->any_led) {
        run_of(s, schedule, begin, end, act, (Kind){true, true});
    } else if (s->periodic) {
        run_of(s, schedule, begin, end, act, (Kind){true, false});
    } else {
        run_of(s, schedule, begin, end, act, (Kind){false, false});
    }
}

static void relax_runs(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeSpringsStep *s = data;
    runs_of(s, &s->after, begin, end, relax);
}

static void pull_runs(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeSpringsStep *s = data;
    runs_of(s, &s->after, begin, end, pull);
}

static void slow_runs(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeSpringsStep *s = data;
    runs_of(s, &s->before, begin, end, slow);
}

const OozeSpringsLoops OOZE_LOOPS(ooze_springs_loops) = {
    .slow = slow_runs,
    .pull = pull_runs,
    .relax = relax_runs,
};
