/* The reference shape on the processor: whether new reference positions are due, and the regions
   that follow from them. */
#include <string.h>

#include "base/fail.h"
#include "methods/blend/cpu/loops.h"

/* Whether a check of the reference shape of this material concerns a particle. */
static bool is_checked(const OozeBlendStep *s, uint64_t i, uint16_t material)
{
    return s->material[i] == material &&
           !ooze_blend_keeps_shape(s->body ? s->body[i] : 0, s->reference_step[i]);
}

/* From sums over the particles of blocks. */
OozeBlendGate ooze_blend_measure_gate(OozeBlendStep *s, uint16_t material)
{
    enum { TERMS = sizeof(OozeBlendGate) / sizeof(double), BLOCK = OOZE_SPLIT_BLOCK };
    const OozeStepContext *c = s->machine->context;
    const OozeVec3 gravity = ooze_blend_counted_gravity(c);
    const uint64_t n = s->machine->n, blocks = n / BLOCK + 1;
    OozeBlendGate all = {0}, *sums = ooze_machine_alloc(s->machine, blocks, sizeof *sums);
    if (!sums) {
        return all;
    }
    memset(sums, 0, blocks * sizeof *sums);
    for (uint64_t i = 0; i < n; i++) {
        if (is_checked(s, i, material)) {
            OozeBlendGate terms = ooze_blend_gate_terms(
                &s->external[i], gravity, s->state[i].fluid_share, s->reference_step[i]);
            ooze_blend_gate_add(&sums[i / BLOCK], &terms);
        }
    }
    ooze_halo_sums(c->halo, (const double *)sums, n, BLOCK, TERMS, (double *)&all);
    return all;
}

typedef struct TakeJob {
    OozeBlendStep *step;
    uint16_t material;
    uint32_t number; /* of the present step, from 1 */
} TakeJob;

static void take_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const TakeJob *job = data;
    OozeBlendStep *s = job->step;
    for (uint64_t i = begin; i < end; i++) {
        if (is_checked(s, i, job->material)) {
            s->reference[i] = (OozeFloat4){s->x[i][0], s->x[i][1], s->x[i][2], 0};
            s->reference_step[i] = job->number;
            s->rotation[i] = (OozeFloat4){0, 0, 0, 0};
        }
    }
}

void ooze_blend_take_positions(OozeBlendStep *s, uint16_t material)
{
    enum { GRAIN = 4096 };
    const OozeStepContext *c = s->machine->context;
    TakeJob job = {s, material, (uint32_t)c->step + 1};
    ooze_parallel_for(c->threads, s->machine->n, GRAIN, take_range, &job);
}

bool ooze_blend_regions_fit(OozeBlendStep *s)
{
    const OozeRegions *r = s->regions;
    OozeHalo *halo = s->machine->context->halo;
    bool fits = true;
    uint64_t held = 0;
    for (uint64_t i = 0; i < s->machine->n && fits; i++) {
        fits = ooze_blend_slot_fits(r, s->slot[i], &s->reference[i], s->reference_step[i]);
        held += s->slot[i] != OOZE_BLEND_SLOT_NONE;
    }
    return !ooze_halo_any(halo, !fits) && ooze_halo_total(halo, held) == r->n;
}

OozeStatus ooze_blend_build_regions(OozeBlendStep *s, const OozeRegionsInput *input, uint32_t *slot,
                                    OozeError *error)
{
    return ooze_regions_build(s->regions, s->machine->context->threads, input, slot, error);
}
