/* Tables of the ballistic method. Its step is in step.c. */
#include "methods/ballistic/method.h"

#include "methods/ballistic/stages.h"
#include "methods/explain.h"

static const OozeParamInfo params[OOZE_BALLISTIC_PARAM_COUNT] = {
    [OOZE_BALLISTIC_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0.0, 10.0,
                                         0.5, NULL,
                                         "how near a particle's centre comes to a solid"},
};

static const char *const material_keys[] = {"density", "drag", NULL};

static const char *const no_ghost_fields[] = {NULL};

static OozeStatus step(void *data, OozeStepContext *context, OozeError *error)
{
    (void)data;
    OozeMachine processor = ooze_machine_of_processor(context);
    return ooze_ballistic_step(&processor, &ooze_ballistic_stages, error);
}

static OozeStatus explain(const OozeStepContext *c, const OozeExplanation *explanation,
                          OozeError *error)
{
    (void)error;
    bool drags = false, collides = false;
    for (int m = 0; m < c->material_count; m++) {
        drags = drags || c->materials[m].values[OOZE_MATERIAL_DRAG] > 0.0;
    }
    for (int k = 0; k < c->solid_count; k++) {
        collides = collides || ooze_solid_collides(&c->solids[k]);
    }
    ooze_text_append(explanation->lines, "flight: gravity%s\n", drags ? " and drag" : "");
    if (collides) {
        ooze_text_append(explanation->lines, "collisions: with solids, along the path\n");
    }
    return OOZE_OK;
}

const OozeMethod ooze_method_ballistic = {
    .info = {.name = "ballistic",
             .summary = "particles fly under gravity and drag, and bounce off solids; they do not "
                        "feel each other",
             .reference = "",
             .params = params,
             .param_count = OOZE_BALLISTIC_PARAM_COUNT},
    .material_keys = material_keys,
    .ghost_fields = no_ghost_fields,
    .ignores_fluid = true,
    .traces_paths = true,
    .wall_friction = ooze_solid_dry_friction,
    .sticks_to_solids = true,
    .pushes_solids = true,
    .step = step,
    .explain = explain,
};
