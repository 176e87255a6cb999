/* The reference shape: when new reference positions are taken (section 3.2 of the paper), and the
   regions that follow from them. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/blend/step.h"

enum { GRAIN = 4096 };

/* Of the particles of one material. */
typedef struct Gate {
    double count, external, share; /* number; sums of |f_ext| / m and of alpha */
    double without;                /* particles that need a reference position and have none */
} Gate;

/* Soft bodies keep the shape that they began with. */
static bool keeps_shape(const OozeBlendStep *s, uint64_t i)
{
    return s->context->body && s->context->body[i] && s->reference_step[i] != 0;
}

static bool needs_reference(const OozeBlendStep *s, uint64_t i)
{
    return s->reference_step[i] == 0 && s->state[i].fluid_share < 1.0f;
}

/* |f_ext| / m of a particle. */
static double external_size(const OozeBlendStep *s, uint64_t i)
{
    const OozeFloat4 *a = &s->external[i];
    OozeVec3 sum = vec3((double)a->x, (double)a->y, (double)a->z);
    bool counts_gravity = s->context->params[OOZE_BLEND_UPDATE_GRAVITY] != 0.0;
    return vec3_length(counts_gravity ? vec3_add(sum, s->context->gravity) : sum);
}

static bool is_due(const OozeBlendMaterial *material, const Gate *gate)
{
    double share = gate->share / gate->count;
    return gate->without > 0.0 || share >= 1.0 ||
           gate->external / gate->count > material->threshold * (1.0 - share);
}

static OozeStatus measure_gates(OozeBlendStep *s, Gate *gates, OozeError *error)
{
    (void)error;
    memset(gates, 0, (size_t)s->context->material_count * sizeof *gates);
    for (uint64_t i = 0; i < s->n; i++) {
        Gate *gate = &gates[s->material[i]];
        if (keeps_shape(s, i)) {
            continue;
        }
        gate->count += 1.0;
        gate->external += external_size(s, i);
        gate->share += (double)s->state[i].fluid_share;
        gate->without += needs_reference(s, i);
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

/* Checks the reference shapes at the beginning of every m_u-th step. Returns whether one changed. */
static OozeStatus check_shapes(OozeBlendStep *s, bool *changed, OozeError *error)
{
    OozeStepContext *c = s->context;
    size_t materials = (size_t)c->material_count;
    bool first_substep = c->time == (double)c->step * c->whole_step;
    *changed = false;
    if (!first_substep || c->step % ooze_blend_check_steps(c) != 0) {
        return OOZE_OK;
    }
    Gate *gates = ooze_arena_alloc(c->arena, materials, sizeof *gates);
    uint8_t *due = ooze_arena_alloc(c->arena, materials, sizeof *due);
    if (!gates || !due) {
        return ooze_fail_memory(error, "the reference shapes", materials * sizeof *gates);
    }
    OozeStatus status = measure_gates(s, gates, error);
    for (size_t m = 0; m < materials && !status; m++) {
        due[m] = gates[m].count > 0.0 && is_due(&s->materials[m], &gates[m]);
        *changed = *changed || due[m];
    }
    if (!status && *changed) {
        TakeJob job = {s, due, (uint32_t)c->step + 1};
        ooze_parallel_for(c->threads, s->n, GRAIN, take_range, &job);
    }
    return status;
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
        if ((s->reference_step[i] != 0) != (s->slot[i] != OOZE_BLEND_SLOT_NONE)) {
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
