#include "methods/conformation/solid_pushes.h"

#include "base/fail.h"
#include "methods/conformation/expected_push_formula.h"
#include "solids/gap.h"

const OozeSolidState ooze_solid_pushes_state = {
    .name = "solid_push",
    .columns = {"x", "y", "z", "about_x", "about_y", "about_z"},
    .help = "acceleration of each dynamic solid by the pressure of particles in the last substep: "
            "of its centre, m/s2, and angular, rad/s2",
};

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

OozeStatus ooze_solid_pushes_begin(const OozeDynamicCoupling *c, double share,
                                   OozeSolidPush *pushes, OozeError *error)
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
        const int solid = c->solids[k].solid;
        OozeSolidPush *push = &pushes[k];
        bool open = expects && !has_joint(context->dynamic, solid);
        push->share = share;
        push->open_share = open ? ooze_push_open_share(gap[solid] / d) : 0.0;
        for (int i = 0; i < 6; i++) {
            push->expected.v[i] =
                share * push->open_share * context->dt * context->solids[solid].kept_by_method[i];
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
            of->kept_by_method[i] = (solid->motion.v[i] - solid->remembered.v[i]) / c->context->dt;
        }
    }
}
