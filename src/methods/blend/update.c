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

static void measure_gates(const OozeBlendStep *s, OozeBlendGate *gates)
{
    const OozeVec3 gravity = ooze_blend_counted_gravity(s->context);
    memset(gates, 0, (size_t)s->context->material_count * sizeof *gates);
    for (uint64_t i = 0; i < s->n; i++) {
        if (!keeps_shape(s, i)) {
            OozeBlendGate terms = ooze_blend_gate_terms(
                &s->external[i], gravity, s->state[i].fluid_share, s->reference_step[i]);
            ooze_blend_gate_add(&gates[s->material[i]], &terms);
        }
    }
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
    measure_gates(s, gates);
    for (size_t m = 0; m < materials; m++) {
        due[m] = ooze_blend_is_due(&s->materials[m], &gates[m]);
        *changed = *changed || due[m];
    }
    if (*changed) {
        TakeJob job = {s, due, (uint32_t)c->step + 1};
        ooze_parallel_for(c->threads, s->n, GRAIN, take_range, &job);
    }
    return OOZE_OK;
}

/* Whether the regions hold exactly the particles that have a reference position. */
static bool regions_fit(const OozeBlendStep *s)
{
    const OozeRegions *r = &s->memory->regions;
    uint64_t held = 0;
    if (r->kind != s->k.kind || r->radius != s->k.radius) {
        return false;
    }
    for (uint64_t i = 0; i < s->n; i++) {
        if (!ooze_blend_slot_fits(r, s->slot[i], &s->reference[i], s->reference_step[i])) {
            return false;
        }
        held += s->slot[i] != OOZE_BLEND_SLOT_NONE;
    }
    return held == r->n;
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
    return ooze_regions_build(&s->memory->regions, c->threads, &input, s->slot, error);
}
