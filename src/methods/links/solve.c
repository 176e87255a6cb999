/* Positions: density and links are corrected together, both from the same positions, a fixed number of times.

   Corrections of a pair are the same number from both ends, with opposite sign, times each end's weight: momentum is exact. */
#include <math.h>

#include "base/fail.h"
#include "methods/links/workspace.h"
#include "methods/push_out.h"

/* ---- density: eqs 4 to 7 ---------------------------------------------------------------------- */

/* Density and what its multiplier is divided by, in one walk. */
typedef struct Sum {
    float density;
    OozeFour own;    /* gradient at the particle itself, over V */
    float stiffness; /* sum of w |grad|^2 over the others */
} Sum;

static OozeFour direction(OozeFour d, float r, float support)
{
    return d * (r > 1e-6f * support ? 1.0f / r : 0.0f);
}

static void add_fluid(const OozeLinksStep *s, uint64_t i, Sum *sum)
{
    const OozeNeighbours *near = &s->memory->near;
    const uint32_t *index = near->index + near->first[i];
    OozeFour x = s->x[i], own = {0};
    float value = ooze_links_value(&s->kernel, 0.0f), stiffness = 0.0f;
    for (uint32_t k = 0; k < near->count[i]; k++) {
        OozeFour d = ooze_links_apart(s, x, s->x[index[k]]);
        float r = sqrtf(ooze_four_dot3(d, d));
        float slope = s->volume * ooze_links_slope(&s->kernel, r);
        value += ooze_links_value(&s->kernel, r);
        own += slope * direction(d, r, s->support);
        stiffness += s->ease[index[k]] * slope * slope;
    }
    sum->density = s->volume * value;
    sum->own = own;
    sum->stiffness = stiffness;
}

static float sample_volume(const OozeLinksStep *s, uint32_t sample)
{
    return s->wall_scale * s->context->boundary->volume[sample];
}

/* Samples move with their solids whatever pushes: no stiffness of their own. */
static void add_walls(const OozeLinksStep *s, uint64_t i, Sum *sum)
{
    const OozeNeighbours *near = &s->memory->near_walls;
    const OozeBoundary *b = s->context->boundary;
    for (uint32_t k = 0; s->samples && k < near->count[i]; k++) {
        uint32_t sample = near->index[near->first[i] + k];
        OozeFloat4 at = b->position[sample];
        OozeFour d = ooze_links_apart(s, s->x[i], ooze_four(at.x, at.y, at.z, 0));
        float r = sqrtf(ooze_four_dot3(d, d)), volume = sample_volume(s, sample);
        sum->density += volume * ooze_links_value(&s->kernel, r);
        sum->own += volume * ooze_links_slope(&s->kernel, r) * direction(d, r, s->support);
    }
}

/* ---- links ------------------------------------------------------------------------------------ */

static bool is_tight(float r2, float rest)
{
    return r2 > rest * rest;
}

static float count_tight(const OozeLinksStep *s, uint64_t i)
{
    const OozeLinkRows *fluid = &s->memory->table.fluid[0], *walls = &s->memory->table.walls[0];
    const OozeLink *link = ooze_links_of(fluid, i), *last = link + fluid->count[i];
    const OozeFour *held = s->held_at + walls->first[i], *end = held + walls->count[i];
    OozeFour x = s->x[i];
    uint32_t tight = 0;
    for (; link < last; link++) {
        OozeFour d = ooze_links_apart(s, x, s->x[link->other]);
        tight += is_tight(ooze_four_dot3(d, d), link->rest);
    }
    for (; held < end; held++) {
        OozeFour d = ooze_links_apart(s, x, *held);
        tight += is_tight(ooze_four_dot3(d, d), (*held)[3]);
    }
    return (float)tight;
}

/* Over the particle's own weight. */
static OozeFour pull_links(const OozeLinksStep *s, uint64_t i)
{
    const OozeLinkRows *fluid = &s->memory->table.fluid[0], *walls = &s->memory->table.walls[0];
    const OozeLink *link = ooze_links_of(fluid, i), *last = link + fluid->count[i];
    const OozeFour *held = s->held_at + walls->first[i], *end = held + walls->count[i];
    OozeFour x = s->x[i], pull = {0};
    float weight = s->weight[i], busy = s->busy[i];
    for (; link < last; link++) {
        OozeFour d = ooze_links_apart(s, x, s->x[link->other]);
        float r2 = ooze_four_dot3(d, d);
        if (is_tight(r2, link->rest)) {
            float r = sqrtf(r2), share = 1.0f / fmaxf(busy, s->busy[link->other]);
            pull -= d * (ooze_link_correction(r, link->rest, s->strength, share, weight,
                                              s->weight[link->other]) /
                         r);
        }
    }
    for (; held < end; held++) {
        OozeFour d = ooze_links_apart(s, x, *held);
        float r2 = ooze_four_dot3(d, d), rest = (*held)[3];
        if (is_tight(r2, rest)) {
            float r = sqrtf(r2);
            pull -= d * (ooze_link_correction(r, rest, s->strength, 1.0f / busy, weight, 0.0f) / r);
        }
    }
    return pull;
}

/* ---- the two sweeps --------------------------------------------------------------------------- */

static void look_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        Sum sum;
        add_fluid(s, i, &sum);
        add_walls(s, i, &sum);
        float stiffness = sum.stiffness + s->ease[i] * ooze_four_dot3(sum.own, sum.own);
        float error = sum.density - 1.0f, felt = error < 0.0f ? s->cohesion * error : error;
        s->lambda[i] = -s->relaxation * felt / (stiffness + s->softness);
        s->excess[i] = fmaxf(error, 0.0f);
        s->busy[i] = count_tight(s, i);
    }
}

static float artificial(const OozeLinksStep *s, float r)
{
    return ooze_artificial_pressure(s->pressure_scale, ooze_links_value(&s->kernel, r),
                                    s->pressure_reference);
}

static OozeFour push_fluid(const OozeLinksStep *s, uint64_t i)
{
    const OozeNeighbours *near = &s->memory->near;
    const uint32_t *index = near->index + near->first[i];
    OozeFour x = s->x[i], push = {0};
    for (uint32_t k = 0; k < near->count[i]; k++) {
        OozeFour d = ooze_links_apart(s, x, s->x[index[k]]);
        float r = sqrtf(ooze_four_dot3(d, d));
        float both = s->lambda[i] + s->lambda[index[k]] + artificial(s, r);
        push += (both * ooze_links_slope(&s->kernel, r)) * direction(d, r, s->support);
    }
    return s->volume * push;
}

static OozeFour push_walls(const OozeLinksStep *s, uint64_t i)
{
    const OozeNeighbours *near = &s->memory->near_walls;
    const OozeBoundary *b = s->context->boundary;
    OozeFour push = {0};
    for (uint32_t k = 0; s->samples && k < near->count[i]; k++) {
        uint32_t sample = near->index[near->first[i] + k];
        OozeFloat4 at = b->position[sample];
        OozeFour d = ooze_links_apart(s, s->x[i], ooze_four(at.x, at.y, at.z, 0));
        float r = sqrtf(ooze_four_dot3(d, d));
        float both = sample_volume(s, sample) * (2.0f * s->lambda[i] + artificial(s, r));
        push += (both * ooze_links_slope(&s->kernel, r)) * direction(d, r, s->support);
    }
    return push;
}

static void correct_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        OozeFour all = push_fluid(s, i) + push_walls(s, i) + pull_links(s, i);
        s->change[i] = s->weight[i] * all;
        s->change[i][3] = 0;
    }
}

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
    int iterations = (int)c->params[OOZE_LINKS_ITERATIONS];
    for (int k = 0; k < iterations && !status; k++) {
        run(s, look_range);
        ooze_stage_lap(c->clock, OOZE_PART_DENSITY_MULTIPLIERS);
        run(s, correct_range);
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
