#include "methods/conformation/solid_pushes.h"

#include "base/fail.h"
#include "methods/conformation/expected_push_formula.h"
#include "solids/gap.h"

/* Whether a joint holds the solid. The velocity solve accounts for joints only without particles.
   */
static bool has_joint(const OozeDynamicStage *stage, int solid)
{
    bool found = false;
    for (int k = 0; k < stage->joint_count && !found; k++) {
        found = stage->joints[k].solid == solid || stage->joints[k].other == solid;
    }
    return found;
}

OozeStatus ooze_solid_pushes_begin(OozeDynamicCoupling *c, double share, OozeError *error)
{
    const OozeStepContext *context = c->context;
    size_t count = (size_t)context->solid_count;
    double *gap = ooze_arena_alloc(context->arena, count, sizeof *gap), d = context->spacing;
    if (!gap) {
        return ooze_fail_memory(error, "dynamic solids", count * sizeof *gap);
    }
    OozeGapSearch search = {.solids = context->solids,
                            .count = context->solid_count,
                            .boundary = context->boundary,
                            .arena = context->arena,
                            .spacing = d,
                            .least = OOZE_PUSH_NARROW * d,
                            .most = OOZE_PUSH_OPEN * d};
    bool expects = share > 0.0;
    OozeStatus status = expects ? ooze_solid_gaps(&search, gap, error) : OOZE_OK;
    for (int k = 0; k < c->count && !status; k++) {
        OozeDynamicSolid *solid = &c->solids[k];
        const OozeSolid *of = &context->solids[solid->solid];
        bool open = expects && !has_joint(context->dynamic, solid->solid);
        solid->push_share = share;
        solid->open_share = open ? ooze_push_open_share(gap[solid->solid] / d) : 0.0;
        for (int i = 0; i < 6; i++) {
            solid->expected_push.v[i] =
                share * solid->open_share * context->dt * of->expected_push[i];
        }
    }
    return status;
}

void ooze_solid_pushes_record(OozeDynamicCoupling *c)
{
    for (int k = 0; k < c->count; k++) {
        const OozeDynamicSolid *solid = &c->solids[k];
        OozeSolid *of = &c->context->dynamic->solids[solid->solid];
        for (int i = 0; i < 6; i++) {
            of->expected_push[i] = (solid->motion.v[i] - solid->remembered.v[i]) / c->context->dt;
        }
    }
}
