/* Tables of the springs method, and what the processor keeps between steps. Its step is in
   step.c. */
#include "methods/springs/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "methods/advice.h"
#include "methods/springs/cpu/loops.h"

static const OozeParamInfo params[OOZE_SPRINGS_PARAM_COUNT] = {
    [OOZE_SPRINGS_UNIT] = {"unit", OOZE_PARAM_REAL, "s", 1e-6, 1e3, 1.0 / 30.0, NULL,
                           "the time unit of the method's numbers; the shorter, the stiffer: sound "
                           "goes a third of a support in it"},
    [OOZE_SPRINGS_ORDER] = {"order", OOZE_PARAM_CHOICE, "", 0, 1, 0, "parallel|sequential",
                            "in which particles push each other: cells that are far apart at once, "
                            "or one particle after the other as published"},
    [OOZE_SPRINGS_SEED] = {"order_seed", OOZE_PARAM_INTEGER, "", 0, 1e9, 0, NULL,
                           "another number is another random order of particles"},
    [OOZE_SPRINGS_START] =
        {"spring_start", OOZE_PARAM_CHOICE, "", 0, 1, 0, "support|distance",
         "rest length of springs that particles get when they come or when their material gets "
         "springs: the support, as published, or their distance, which keeps a shape; those who "
         "meet later always begin with the support"},
    [OOZE_SPRINGS_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0, 10, 0.5,
                                       NULL, "how near a particle's centre comes to a solid (R)"},
};

static const char *const material_keys[] = {"density",
                                            "stiffness",
                                            "near_stiffness",
                                            "rest_density",
                                            "linear_viscosity",
                                            "quadratic_viscosity",
                                            "spring_stiffness",
                                            "plasticity",
                                            "plasticity_compress",
                                            "yield_ratio",
                                            "yield_ratio_compress",
                                            NULL};

/* Fields that the sweep of viscosity reads at ghosts. */
static const char *const ghost_fields[] = {"velocity", "id", "material", "nozzle", NULL};

static const OozeFieldInfo fields[] = {
    {"spring_row", OOZE_FIELD_UINT32, 1, 1, "", OOZE_LINK_ROW_NONE, true,
     "number of its row of springs; 4294967295: it has none"},
};

/* ---- memory ---------------------------------------------------------------------------------- */

static OozeStatus create(void **data, OozeError *error)
{
    OozeSpringsMemory *memory = ooze_alloc_zero(1, sizeof *memory);
    if (memory) {
        ooze_spring_table_begin(&memory->table);
        memory->named.size = memory->received.size = sizeof(OozeLink);
        memory->grid = ooze_grid_create();
    }
    if (!memory || !memory->grid) {
        ooze_free(memory);
        return ooze_fail_memory(error, "the springs method", sizeof *memory);
    }
    *data = memory;
    return OOZE_OK;
}

static void destroy(void *data)
{
    OozeSpringsMemory *memory = data;
    if (memory) {
        ooze_spring_table_free(&memory->table);
        ooze_grid_destroy(memory->grid);
        ooze_neighbours_free(&memory->near);
        ooze_neighbours_free(&memory->store_lists);
        ooze_link_rows_free(&memory->named);
        ooze_link_rows_free(&memory->received);
        ooze_split_free(&memory->split);
        ooze_halo_destroy(memory->halo);
        ooze_free(memory);
    }
}

static uint64_t bytes(const void *data)
{
    const OozeSpringsMemory *memory = data;
    return ooze_spring_table_bytes(&memory->table) + ooze_grid_bytes(memory->grid) +
           ooze_neighbours_bytes(&memory->near) + ooze_neighbours_bytes(&memory->store_lists) +
           ooze_link_rows_bytes(&memory->named) + ooze_link_rows_bytes(&memory->received) +
           ooze_split_bytes(&memory->split) + ooze_halo_bytes(memory->halo);
}

static uint32_t *rows_of(OozeParticles *particles)
{
    return ooze_particles_data(particles, ooze_particles_find_field(particles, fields[0].name));
}

static OozeStatus save(void *data, OozeFieldView *views, OozeError *error)
{
    OozeSpringsMemory *memory = data;
    return ooze_spring_table_save(&memory->table, views, error);
}

static OozeStatus restore(void *data, const OozeStepContext *c, const OozeFieldView *const *views,
                          OozeError *error)
{
    OozeSpringsMemory *memory = data;
    return ooze_spring_table_restore(&memory->table, views, rows_of(c->particles),
                                     ooze_particles_count(c->particles), error);
}

static OozeStatus keep_part(void *data, int part, int parts, OozeError *error)
{
    return ooze_spring_table_keep_part(&((OozeSpringsMemory *)data)->table, part, parts, error);
}

static bool may_link(const OozeStepContext *c)
{
    bool any = false;
    for (int m = 0; m < c->material_count; m++) {
        any = any || c->materials[m].values[OOZE_MATERIAL_SPRING_STIFFNESS] > 0.0;
    }
    return any;
}

static OozeStatus step(void *data, OozeStepContext *context, OozeError *error)
{
    OozeMachine processor = ooze_machine_of_processor(context);
    return ooze_springs_step(&processor, &ooze_springs_stages, data, error);
}

/* ---- before a run ---------------------------------------------------------------------------- */

static const char *refuses_ranks(const OozeStepContext *c)
{
    return c->params[OOZE_SPRINGS_ORDER] == OOZE_SPRINGS_SEQUENTIAL
               ? "'order: sequential' of springs needs one process"
               : NULL;
}

/* Largest stable step in time units for the published constants. A fluid at rest stays at rest with
   steps up to 2 units and diverges at 2.8. Displacements scale with stiffness and dt^2. */
static const double LONGEST_STEP = 1.5;

static double stable_step(const OozeStepContext *c)
{
    double most = 0.0;
    for (int m = 0; m < c->material_count; m++) {
        const double *v = c->materials[m].values;
        most = fmax(most, v[OOZE_MATERIAL_STIFFNESS] / 0.004);
        most = fmax(most, v[OOZE_MATERIAL_NEAR_STIFFNESS] / 0.01);
        most = fmax(most, v[OOZE_MATERIAL_SPRING_STIFFNESS] / OOZE_SPRINGS_STIFFEST);
    }
    return most > 0.0 ? LONGEST_STEP * c->params[OOZE_SPRINGS_UNIT] / sqrt(most) : INFINITY;
}

static void advise(const OozeStepContext *c, const OozeAdvice *advice)
{
    double g = sqrt(c->gravity.x * c->gravity.x + c->gravity.y * c->gravity.y +
                    c->gravity.z * c->gravity.z);
    double unit = c->params[OOZE_SPRINGS_UNIT], ratio = c->support / c->spacing;
    for (int m = 0; m < c->material_count; m++) {
        double stiffness = c->materials[m].values[OOZE_MATERIAL_STIFFNESS] / 0.004;
        double speed = c->support / unit, sound2 = OOZE_SPRINGS_SOUND2 * stiffness * speed * speed;
        double compression = g * advice->extent / sound2;
        if (compression > OOZE_SPRINGS_COMPRESSION && stiffness > 0.0) {
            double enough = unit * sqrt(OOZE_SPRINGS_COMPRESSION / compression);
            char hint[96];
            snprintf(hint, sizeof hint, "a unit of %.2g s and steps of no more hold it", enough);
            ooze_advise(advice, -1, "unit", hint,
                        "'%s' is too soft for gravity: %.3g m of it press themselves together by a "
                        "factor of about %.2g",
                        c->materials[m].name, advice->extent, 1.0 + compression);
            break;
        }
    }
    if (fabs(ratio * OOZE_SPRINGS_BULK_SPACING - 1.0) > 0.1) {
        ooze_advise(advice, -1, "order", "leave support_ratio out",
                    "fluid of the published constants comes to rest %.3g spacings apart with a "
                    "support_ratio of %.3g: it will shrink or swell",
                    ratio * OOZE_SPRINGS_BULK_SPACING, ratio);
    }
}

/* From 1 on, all tangential velocity is lost: see ooze_contact_wet_fraction. */
static double wall_friction(const OozeSolid *solid)
{
    double friction = ooze_solid_fluid_friction(solid);
    return friction >= 1.0 ? INFINITY : friction;
}

const OozeMethod ooze_method_springs = {
    .info = {.name = "springs",
             .summary = "drops, sheets and filaments of thin fluid, clay and gel by double density "
                        "relaxation and plastic springs: fast, for splashes and play, with numbers "
                        "of the paper's own",
             .reference = "Clavet, Beaudoin and Poulin 2005, Particle-based viscoelastic fluid "
                          "simulation",
             .params = params,
             .param_count = OOZE_SPRINGS_PARAM_COUNT},
    .fields = fields,
    .field_count = 1,
    .arrays = ooze_spring_arrays,
    .array_count = OOZE_SPRING_ARRAYS,
    .material_keys = material_keys,
    .support_ratio = 1.0 / OOZE_SPRINGS_BULK_SPACING,
    .ghost_fields = ghost_fields,
    .ghost_layers = 2,
    .refuses_ranks = refuses_ranks,
    .sticks_to_solids = true,
    .wall_friction = wall_friction,
    .pushes_solids = true,
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .save = save,
    .restore = restore,
    .keep_part = keep_part,
    .step = step,
    .stable_step = stable_step,
    .mark_linked = ooze_springs_mark_linked,
    .may_link = may_link,
    .advise = advise,
    .derive_params = ooze_springs_derive_params,
    .derive_material = ooze_springs_derive_material,
    .measured_material = ooze_springs_measured_material,
};
