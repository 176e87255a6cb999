#include "methods/blend/matching.h"

#include "base/fail.h"

enum { CELL_GRAIN = 16, SLOT_GRAIN = 128 };

OozeStatus ooze_matching_begin(OozeMatching *m, const OozeRegions *regions, bool damped,
                               OozeArena *arena, OozeError *error)
{
    uint64_t n = regions->n, count = ooze_regions_count(regions);
    bool of_cells = regions->kind == OOZE_REGIONS_OF_CELLS;
    *m = (OozeMatching){.regions = regions};
    m->position = ooze_arena_alloc(arena, n, sizeof *m->position);
    m->velocity = damped ? ooze_arena_alloc(arena, n, sizeof *m->velocity) : NULL;
    m->pull = ooze_arena_alloc(arena, n, sizeof *m->pull);
    m->rotation = ooze_arena_alloc(arena, count, sizeof *m->rotation);
    m->map = ooze_arena_alloc(arena, count, sizeof *m->map);
    m->motion = damped ? ooze_arena_alloc(arena, count, sizeof *m->motion) : NULL;
    m->sums = of_cells ? ooze_arena_alloc(arena, count, sizeof *m->sums) : NULL;
    return ooze_arena_failed(arena)
               ? ooze_fail_memory(error, "shape matching", n * 160 + count * sizeof *m->sums)
               : OOZE_OK;
}

void ooze_matching_run(OozeMatching *m, OozeThreads *threads, OozeStepTimer *timer)
{
    const OozeMatchingLoops *loops = ooze_matching_loops();
    uint64_t n = m->regions->n, cells = m->regions->cells;
    if (m->regions->kind == OOZE_REGIONS_OF_PARTICLES) {
        ooze_parallel_for(threads, n, SLOT_GRAIN, loops->fit_particles, m);
        ooze_timer_lap(timer, "regions");
        ooze_parallel_for(threads, n, SLOT_GRAIN, loops->pull_particles, m);
        ooze_timer_lap(timer, "goals");
        return;
    }
    ooze_parallel_for(threads, cells, CELL_GRAIN, loops->sum_cells, m);
    ooze_parallel_for(threads, cells, CELL_GRAIN, loops->fit_cells, m);
    if (m->velocity) {
        ooze_parallel_for(threads, cells, CELL_GRAIN, loops->sum_cell_velocities, m);
        ooze_parallel_for(threads, cells, CELL_GRAIN, loops->fit_cell_velocities, m);
    }
    ooze_timer_lap(timer, "regions");
    ooze_parallel_for(threads, cells, CELL_GRAIN, loops->pull_cells, m);
    ooze_timer_lap(timer, "goals");
}
