/* Tables of the links method, and what the processor keeps between steps. Its step is in step.c. */
#include "methods/links/method.h"

#include <math.h>

#include "base/fail.h"
#include "methods/advice.h"
#include "methods/links/cpu/loops.h"

static const OozeParamInfo params[OOZE_LINKS_PARAM_COUNT] = {
    [OOZE_LINKS_ITERATIONS] = {"iterations", OOZE_PARAM_INTEGER, "", 0, 10000, 6, NULL,
                               "of density and links together, in each step"},
    [OOZE_LINKS_STRENGTH] =
        {"link_strength", OOZE_PARAM_REAL, "", 0, 1, 1, NULL,
         "share of a link's excess length that an iteration takes out (s_v); 0: "
         "there are no links"},
    [OOZE_LINKS_SLACK] = {"link_slack", OOZE_PARAM_REAL, "", 0, 0.5, 0.01, NULL,
                          "a link longer than 1 less this, times its rest length, is extended "
                          "(alpha)"},
    [OOZE_LINKS_REACH] = {"link_reach", OOZE_PARAM_REAL, "supports", 1, 4, 2, NULL,
                          "length at which a link breaks (H)"},
    [OOZE_LINKS_PRESSURE] = {"artificial_pressure", OOZE_PARAM_REAL, "", 0, 10, 0.001, NULL,
                             "keeps particles apart where the fluid is stretched (k_s)"},
    [OOZE_LINKS_PRESSURE_DISTANCE] = {"artificial_pressure_distance", OOZE_PARAM_REAL, "supports",
                                      0, 0.9, 0.3, NULL, "where it is as strong as it says (|q|)"},
    [OOZE_LINKS_COHESION] = {"cohesion", OOZE_PARAM_REAL, "", 0, 1, 1, NULL,
                             "share of a lack of density that pulls: 1 as published, 0: density "
                             "only ever pushes"},
    [OOZE_LINKS_SOFTNESS] = {"softness", OOZE_PARAM_REAL, "", 1e-6, 100, 0.05, NULL,
                             "of the density constraint, in parts of what a full neighbourhood "
                             "resists: particles with few neighbours are hardly moved by density"},
    [OOZE_LINKS_XSPH] = {"xsph", OOZE_PARAM_REAL, "", 0, 1, 0.05, NULL,
                         "share of the neighbours' mean motion that a particle takes over in a "
                         "step (eps_a)"},
    [OOZE_LINKS_WALL_XSPH] = {"wall_xsph", OOZE_PARAM_REAL, "", 0, 1, 0.05, NULL,
                              "the same of solids with friction (eps_b)"},
    [OOZE_LINKS_WALLS] = {"walls", OOZE_PARAM_CHOICE, "", 0, 2, 0, "fitted|akinci|distance",
                          "boundary particles that fluid half a spacing away is at rest with, or "
                          "with the paper's volumes, or none: by distance alone"},
    [OOZE_LINKS_KERNELS] = {"kernels", OOZE_PARAM_CHOICE, "", 0, 1, 0, "cubic|poly6_spiky",
                            "of density and its slope: the cubic spline for both, or those of "
                            "Macklin and Mueller"},
    [OOZE_LINKS_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0, 10, 0.25,
                                     NULL, "how near a particle's centre comes to a solid"},
};

static const char *const material_keys[] = {"density", "extension", "stretch_rate", "label", NULL};

static const OozeFieldInfo fields[OOZE_LINKS_FIELD_COUNT] = {
    [OOZE_LINKS_FIELD_ROW] = {"link_row", OOZE_FIELD_UINT32, 1, 1, "", OOZE_LINK_ROW_NONE, true,
                              "number of its row of links; 4294967295: it is new"},
    [OOZE_LINKS_FIELD_ELASTIC] = {"elastic", OOZE_FIELD_UINT8, 1, 1, "", 0, true,
                                  "1: its links stay as they are; 0: it flows"},
};

/* What a step reads at neighbours besides positions it computes, and refreshes itself. */
static const char *const no_ghost_fields[] = {NULL};

/* ---- memory ----------------------------------------------------------------------------- */

static OozeStatus create(void **data, OozeError *error)
{
    OozeLinksMemory *memory = ooze_alloc_zero(1, sizeof *memory);
    if (memory) {
        ooze_link_table_begin(&memory->table);
        memory->grid = ooze_grid_create();
    }
    if (!memory || !memory->grid) {
        ooze_free(memory);
        return ooze_fail_memory(error, "the links method", sizeof *memory);
    }
    *data = memory;
    return OOZE_OK;
}

static void destroy(void *data)
{
    OozeLinksMemory *memory = data;
    if (memory) {
        ooze_link_table_free(&memory->table);
        ooze_grid_destroy(memory->grid);
        ooze_neighbours_free(&memory->near_walls);
        ooze_split_free(&memory->split);
        ooze_halo_destroy(memory->halo);
        ooze_free(memory);
    }
}

static uint64_t bytes(const void *data)
{
    const OozeLinksMemory *memory = data;
    return ooze_link_table_bytes(&memory->table) + ooze_link_table_scratch(&memory->table) +
           ooze_grid_bytes(memory->grid) + ooze_neighbours_bytes(&memory->near_walls) +
           ooze_split_bytes(&memory->split) + ooze_halo_bytes(memory->halo);
}

static void *field_of(OozeParticles *particles, int field)
{
    return ooze_particles_data(particles, ooze_particles_find_field(particles, fields[field].name));
}

static OozeStatus save(void *data, OozeFieldView *views, OozeError *error)
{
    OozeLinksMemory *memory = data;
    return ooze_link_table_save(&memory->table, views, error);
}

static OozeStatus restore(void *data, const OozeStepContext *c, const OozeFieldView *const *views,
                          OozeError *error)
{
    OozeLinksMemory *memory = data;
    return ooze_link_table_restore(&memory->table, views,
                                   field_of(c->particles, OOZE_LINKS_FIELD_ROW),
                                   ooze_particles_count(c->particles), c->solid_count, error);
}

static OozeStatus keep_part(void *data, int part, int parts, OozeError *error)
{
    return ooze_link_table_keep_part(&((OozeLinksMemory *)data)->table, part, parts, error);
}

static OozeStatus step(void *data, OozeStepContext *context, OozeError *error)
{
    OozeLinksMemory *memory = data;
    OozeMachine processor = ooze_machine_of_processor(context);
    return ooze_links_step(&processor, &ooze_links_stages, memory, &memory->rest, error);
}

/* ---- before a run ---------------------------------------------------------------------------- */

/* Links of elastic particles may be longer: see unbounded_field. */
static double reach(const OozeStepContext *c)
{
    return c->params[OOZE_LINKS_REACH] * c->support;
}

static void advise(const OozeStepContext *c, const OozeAdvice *advice)
{
    for (int m = 0; m < c->material_count; m++) {
        const double *v = c->materials[m].values;
        if (!isnan(v[OOZE_MATERIAL_EXTENSION]) && !isnan(v[OOZE_MATERIAL_STRETCH_RATE])) {
            ooze_advise(advice, m, "stretch_rate", "give one of the two",
                        "'%s' has an extension of %g a step and a stretch rate of %g 1/s: the "
                        "extension counts",
                        c->materials[m].name, v[OOZE_MATERIAL_EXTENSION],
                        v[OOZE_MATERIAL_STRETCH_RATE]);
        }
    }
}

/* Links to boundary samples; any friction makes them. */
static double wall_friction(const OozeSolid *solid)
{
    return solid->sampled && ooze_solid_fluid_friction(solid) > 0.0 ? INFINITY : 0.0;
}

const OozeMethod ooze_method_links = {
    .info = {.name = "links",
             .summary = "viscous fluids and elastic bodies by links between particles that hold "
                        "and creep: fast, does not explode at any step, with numbers that are a "
                        "look more than a viscosity and depend on step and spacing",
             .reference =
                 "Takahashi, Nishita and Fujishiro 2014, Fast simulation of viscous fluids "
                 "with elasticity and thermal conductivity using position-based dynamics",
             .params = params,
             .param_count = OOZE_LINKS_PARAM_COUNT},
    .fields = fields,
    .field_count = OOZE_LINKS_FIELD_COUNT,
    .arrays = ooze_link_arrays,
    .array_count = OOZE_LINK_ARRAYS,
    .material_keys = material_keys,
    .unbounded_field = "elastic",
    .ghost_fields = no_ghost_fields,
    .uses_boundary_neighbours = true,
    .wall_friction = wall_friction,
    .pushes_solids = true,
    .uses_tables = true,
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .save = save,
    .restore = restore,
    .keep_part = keep_part,
    .step = step,
    .reach = reach,
    .advise = advise,
    .flow_depends_on = "time step and spacing",
    .derive_material = ooze_links_derive_material,
    .measured_material = ooze_links_measured_material,
};
