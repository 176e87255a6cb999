/* Sums over the walls near each particle, from signed distances. */
#include "base/fail.h"
#include "base/vec3.h"
#include "methods/cauchy/step.h"

enum { GROUP = OOZE_BROAD_PHASE_GROUP };

static OozeCauchyWall walls_of(const OozeCauchyStep *s, uint64_t i, uint64_t near)
{
    const OozeStepContext *c = s->context;
    OozeContact surfaces[OOZE_ALL_SURFACES_MAX];
    OozeVec3 x = vec3((double)s->x[i][0], (double)s->x[i][1], (double)s->x[i][2]);
    int count = 0;
    for (int k = 0; near && k < c->solid_count; k++) {
        if (ooze_broad_phase_has(near, k) && s->nearby.items[k].collides) {
            const OozeSolid *solid = &c->solids[k];
            count += ooze_cauchy_surfaces(solid->shape, &solid->pose, x, c->spacing, c->support,
                                          surfaces + count, OOZE_ALL_SURFACES_MAX - count);
        }
    }
    return ooze_cauchy_wall(&s->k, surfaces, count);
}

static void walls_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyStep *s = data;
    uint64_t near = 0, around = ooze_broad_phase_find(&s->nearby, s->x, begin, end, s->k.support,
                                                      true, UINT64_MAX);
    for (uint64_t i = begin; i < end; i++) {
        uint64_t last = i + GROUP < end ? i + GROUP : end;
        if (i % GROUP == 0) {
            near = around ? ooze_broad_phase_find(&s->nearby, s->x, i, last, s->k.support, true,
                                                  around)
                          : 0;
        }
        s->wall[i] = walls_of(s, i, near);
    }
}

OozeStatus ooze_cauchy_find_walls(OozeCauchyStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    s->wall = ooze_arena_alloc(c->arena, s->local, sizeof *s->wall);
    if (!s->wall) {
        return ooze_fail_memory(error, "walls", s->n * sizeof *s->wall);
    }
    OozeStatus status = ooze_broad_phase_begin(&s->nearby, c->solids, c->solid_count, c->spacing,
                                               c->dt, c->arena, error);
    if (!status) {
        ooze_parallel_for(c->threads, s->local, OOZE_CAUCHY_GRAIN, walls_range, s);
        ooze_timer_lap(c->timer, "walls");
    }
    return status;
}
