/* The reference shape: when new reference positions are taken (section 3.2 of the paper), and the
   regions that follow from them. */
#include <string.h>

#include "base/fail.h"
#include "methods/blend/reference_formula.h"
#include "methods/blend/step.h"

enum { GRAIN = 4096 };

static bool keeps_shape(const OozeBlendStep *s, uint64_t i)
{
    const uint16_t *body = s->context->body;
    return ooze_blend_keeps_shape(body ? body[i] : 0, s->reference_step[i]);
}

/* Sums over the particles of each material, from those of blocks. */
static OozeStatus measure_gates(const OozeBlendStep *s, OozeBlendGate *gates, OozeError *error)
{
    enum { TERMS = 4, BLOCK = OOZE_SPLIT_BLOCK };
    const OozeStepContext *c = s->context;
    const OozeVec3 gravity = ooze_blend_counted_gravity(c);
    uint64_t blocks = s->n / BLOCK + 1, rows = TERMS * (uint64_t)c->material_count;
    double *sums = ooze_arena_alloc(c->arena, rows * blocks, sizeof *sums);
    if (!sums) {
        return ooze_fail_memory(error, "the reference shapes", rows * blocks * sizeof *sums);
    }
    memset(sums, 0, rows * blocks * sizeof *sums);
    for (uint64_t i = 0; i < s->n; i++) {
        if (!keeps_shape(s, i)) {
            OozeBlendGate terms = ooze_blend_gate_terms(
                &s->external[i], gravity, s->state[i].fluid_share, s->reference_step[i]);
            double *sum = sums + TERMS * s->material[i] * blocks + i / BLOCK;
            sum[0] += terms.count;
            sum[blocks] += terms.external;
            sum[2 * blocks] += terms.share;
            sum[3 * blocks] += terms.without;
        }
    }
    for (int m = 0; m < c->material_count; m++) {
        const double *sum = sums + TERMS * (uint64_t)m * blocks;
        gates[m] =
            (OozeBlendGate){.count = ooze_halo_sum(c->halo, sum, s->n, BLOCK),
                            .external = ooze_halo_sum(c->halo, sum + blocks, s->n, BLOCK),
                            .share = ooze_halo_sum(c->halo, sum + 2 * blocks, s->n, BLOCK),
                            .without = ooze_halo_sum(c->halo, sum + 3 * blocks, s->n, BLOCK)};
    }
    return OOZE_OK;
}

typedef struct TakeJob {
    OozeBlendStep *step;
    const uint8_t *due; /* per material */
    uint32_t number;    /* of the present step, from 1 */
} TakeJob;

static void take_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const TakeJob *job = data;
    OozeBlendStep *s = job->step;
    for (uint64_t i = begin; i < end; i++) {
        if (job->due[s->material[i]] && !keeps_shape(s, i)) {
            s->reference[i] = (OozeFloat4){s->x[i][0], s->x[i][1], s->x[i][2], 0};
            s->reference_step[i] = job->number;
            s->rotation[i] = (OozeFloat4){0, 0, 0, 0};
        }
    }
}

/* Checks the reference shapes where it is time to; `changed`: one of them did. */
static OozeStatus check_shapes(OozeBlendStep *s, bool *changed, OozeError *error)
{
    OozeStepContext *c = s->context;
    size_t materials = (size_t)c->material_count;
    *changed = false;
    if (!ooze_blend_checks_shapes(c)) {
        return OOZE_OK;
    }
    OozeBlendGate *gates = ooze_arena_alloc(c->arena, materials, sizeof *gates);
    uint8_t *due = ooze_arena_alloc(c->arena, materials, sizeof *due);
    if (!gates || !due) {
        return ooze_fail_memory(error, "the reference shapes", materials * sizeof *gates);
    }
    OozeStatus status = measure_gates(s, gates, error);
    for (size_t m = 0; m < materials && !status; m++) {
        due[m] = ooze_blend_is_due(&s->materials[m], &gates[m]);
        *changed = *changed || due[m];
    }
    if (*changed) {
        TakeJob job = {s, due, (uint32_t)c->step + 1};
        ooze_parallel_for(c->threads, s->n, GRAIN, take_range, &job);
    }
    return status;
}

/* Whether the regions hold exactly the particles that have a reference position. */
static bool regions_fit(const OozeBlendStep *s)
{
    const OozeRegions *r = &s->memory->regions;
    OozeHalo *halo = s->context->halo;
    bool fits = r->kind == s->k.kind && r->radius == s->k.radius;
    uint64_t held = 0;
    for (uint64_t i = 0; i < s->n && fits; i++) {
        fits = ooze_blend_slot_fits(r, s->slot[i], &s->reference[i], s->reference_step[i]);
        held += s->slot[i] != OOZE_BLEND_SLOT_NONE;
    }
    return !ooze_halo_any(halo, !fits) && ooze_halo_total(halo, held) == r->n;
}

/* Of a particle that has a reference position, for the regions of all processes. */
typedef struct Referenced {
    OozeFloat4 reference;
    uint64_t id;
    uint32_t step, unused;
} Referenced;

static uint64_t list_referenced(const OozeBlendStep *s, Referenced *list)
{
    const uint64_t *id = ooze_particles_ids(s->context->particles);
    uint64_t count = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        if (s->reference_step[i] != 0) {
            if (list) {
                list[count] = (Referenced){s->reference[i], id[i], s->reference_step[i], 0};
            }
            count++;
        }
    }
    return count;
}

/* Every process builds the regions of all, which have the slots of one process. */
static OozeStatus build_on_ranks(OozeBlendStep *s, OozeRegionsInput input, OozeError *error)
{
    OozeStepContext *c = s->context;
    OozeHaloList list = {.count = list_referenced(s, NULL), .size = sizeof(Referenced)};
    Referenced *own = ooze_arena_alloc(c->arena, list.count, sizeof *own);
    if (!own) {
        return ooze_fail_memory(error, "the reference shapes", list.count * sizeof *own);
    }
    list_referenced(s, own);
    list.own = own;
    OozeStatus status = ooze_halo_gather_list(c->halo, c->arena, &list, error);
    if (status) {
        return status;
    }
    const Referenced *all = list.all;
    OozeFloat4 *reference = ooze_arena_alloc(c->arena, list.total, sizeof *reference);
    uint64_t *id = ooze_arena_alloc(c->arena, list.total, sizeof *id);
    uint32_t *step = ooze_arena_alloc(c->arena, list.total, sizeof *step);
    uint32_t *slot = ooze_arena_alloc(c->arena, list.total, sizeof *slot);
    if (ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "the reference shapes", list.total * sizeof *all);
    }
    for (uint64_t k = 0; k < list.total; k++) {
        reference[k] = all[k].reference;
        id[k] = all[k].id;
        step[k] = all[k].step;
    }
    input.n = list.total;
    input.reference = reference;
    input.reference_step = step;
    input.id = id;
    status = ooze_regions_build(&s->memory->regions, c->threads, &input, slot, error);
    const uint32_t *next = slot + list.first;
    for (uint64_t i = 0; i < s->n && !status; i++) {
        s->slot[i] = s->reference_step[i] != 0 ? *next++ : OOZE_BLEND_SLOT_NONE;
    }
    return status;
}

OozeStatus ooze_blend_update(OozeBlendStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    bool changed = false;
    OozeStatus status = check_shapes(s, &changed, error);
    if (status || (!changed && regions_fit(s))) {
        return status;
    }
    OozeRegionsInput input = {.n = s->n,
                              .reference = s->reference,
                              .reference_step = s->reference_step,
                              .id = ooze_particles_ids(c->particles),
                              .kind = s->k.kind,
                              .radius = s->k.radius};
    return c->halo ? build_on_ranks(s, input, error)
                   : ooze_regions_build(&s->memory->regions, c->threads, &input, s->slot, error);
}
