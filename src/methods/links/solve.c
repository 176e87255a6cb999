/* Positions: density and links are corrected together, both from the same positions, a fixed number of times. */
#include <math.h>

#include "base/fail.h"
#include "methods/links/sweep.h"
#include "methods/push_out.h"

static void apply_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        s->x[i] += s->change[i];
        s->shift[i] += s->change[i];
    }
}

/* ---- the iteration ---------------------------------------------------------------------------- */

static void report(const OozeLinksStep *s)
{
    double sum = 0.0;
    float worst = 0.0f;
    for (uint64_t i = 0; i < s->n; i++) {
        sum += (double)s->excess[i];
        worst = fmaxf(worst, s->excess[i]);
    }
    s->context->report->worst_density_error = (double)worst;
    s->context->report->mean_density_error = sum / (double)s->n;
}

static void run(const OozeLinksStep *s, OozeRangeBody body)
{
    ooze_parallel_for(s->context->threads, s->n, OOZE_LINKS_GRAIN, body, (void *)s);
}

/* The rows of before are not needed any more: what is taut goes there. */
static OozeStatus room_for_taut(OozeLinkTable *table, OozeError *error)
{
    const OozeLinkRows *rows = &table->fluid[0];
    uint64_t last = rows->n - 1, items = rows->first[last] + rows->count[last];
    OozeStatus status = ooze_link_rows_room(&table->fluid[1], rows->n, error);
    return status ? status : ooze_link_items_room(&table->fluid[1], items, error);
}

OozeStatus ooze_links_solve(OozeLinksStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    OozeDensityJob job = {
        .context = c,
        .n = s->n,
        .contact = (float)(c->params[OOZE_LINKS_CONTACT_DISTANCE] * c->spacing),
    };
    OozeDensitySweep sweep = {.job = &job, .x = s->x, .shift = s->shift, .mobility = s->weight};
    sweep.inside = ooze_arena_alloc(c->arena, s->n / OOZE_DENSITY_GRAIN + 1, sizeof *sweep.inside);
    if (!sweep.inside) {
        return ooze_fail_memory(error, "links", s->n / OOZE_DENSITY_GRAIN);
    }
    OozePushOut out;
    OozeStatus status = ooze_push_out_begin(&out, &sweep, error);
    status = status ? status : room_for_taut(&s->memory->table, error);
    const OozeLinksLoops *loops = ooze_links_loops();
    int iterations = (int)c->params[OOZE_LINKS_ITERATIONS];
    for (int k = 0; k < iterations && !status; k++) {
        run(s, loops->look);
        ooze_stage_lap(c->clock, OOZE_PART_DENSITY_MULTIPLIERS);
        run(s, loops->correct);
        run(s, apply_range);
        ooze_stage_lap(c->clock, OOZE_PART_DENSITY_CORRECTIONS);
        ooze_push_out(&out);
        ooze_stage_lap(c->clock, OOZE_PART_PUSH_OUT);
    }
    if (!status && iterations > 0) {
        report(s);
    }
    return status;
}
