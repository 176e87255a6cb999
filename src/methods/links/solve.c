/* Positions: density and links are corrected together, both from the same positions, a fixed number
   of times. */
#include <math.h>

#include "base/fail.h"
#include "methods/links/coupling.h"
#include "methods/links/fours.h"
#include "methods/links/sweep.h"
#include "solvers/density/density_solids.h"
#include "solvers/density/push_out.h"

static void run(const OozeLinksStep *s, OozeRangeBody body)
{
    ooze_parallel_for(s->context->threads, s->n, OOZE_LINKS_GRAIN, body, (void *)s);
}

static OozeStatus allocate_pairs(OozeLinksStep *s, OozeError *error)
{
    const OozeLinkTable *table = &s->memory->table;
    const OozeLinkRows *far = &table->far[0];
    OozeArena *arena = s->context->arena;
    s->near = s->k.linked ? &table->near[0] : &table->near[1];
    uint64_t pairs = s->near->first[s->n], others = 0;
    s->push = ooze_arena_alloc(arena, pairs, sizeof *s->push);
    if (s->k.linked) {
        others = s->n ? far->first[s->n - 1] + ooze_link_fours(far->count[s->n - 1]) : 0;
        s->rest = table->rest[0].values;
        s->pull = ooze_arena_alloc(arena, pairs, sizeof *s->pull);
        s->far_pull = ooze_arena_alloc(arena, others, sizeof *s->far_pull);
    }
    return ooze_arena_failed(arena)
               ? ooze_fail_memory(error, "pairs", (2 * pairs + others) * sizeof *s->push)
               : OOZE_OK;
}

OozeStatus ooze_links_solve(OozeLinksStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    OozeDensityJob job = {
        .context = c,
        .n = s->n,
        .contact = (float)(c->params[OOZE_LINKS_CONTACT_DISTANCE] * c->spacing),
        .coupling = s->coupling,
        .start = s->x0,
    };
    OozeDensitySweep sweep = {
        .job = &job, .x = s->x, .shift = s->shift, .mobility = s->inverse_mass, .order = s->order};
    sweep.inside = ooze_arena_alloc(c->arena, s->n / OOZE_DENSITY_GRAIN + 1, sizeof *sweep.inside);
    if (!sweep.inside) {
        return ooze_fail_memory(error, "links", s->n / OOZE_DENSITY_GRAIN);
    }
    OozePushOut out;
    OozeStatus status = ooze_push_out_begin(&out, &sweep, error);
    status = status ? status : allocate_pairs(s, error);
    status = status ? status : ooze_links_couple_iterations(s, error);
    ooze_links_set_scales(s);
    const OozeLinksLoops *loops = ooze_links_loops();
    int iterations = (int)c->params[OOZE_LINKS_ITERATIONS];
    for (int k = 0; k < iterations && !status; k++) {
        run(s, loops->multipliers);
        ooze_links_push_solids(s);
        ooze_halo_refresh(c->halo, s->x_lambda, sizeof *s->x_lambda);
        ooze_halo_refresh(c->halo, s->share, sizeof *s->share);
        ooze_timer_lap(c->timer, "density_multipliers");
        run(s, loops->correct);
        ooze_density_move_solids(&sweep);
        ooze_timer_lap(c->timer, "density_corrections");
        ooze_push_out(&out);
        ooze_density_move_solids(&sweep);
        ooze_links_update_held(s);
        ooze_halo_refresh(c->halo, s->x, sizeof *s->x);
        ooze_timer_lap(c->timer, "push_out");
    }
    if (!status && iterations > 0) {
        ooze_step_report_excess(c, s->excess, s->n);
    }
    return status;
}
