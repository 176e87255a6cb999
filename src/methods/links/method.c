/* One step, in the order of the paper's algorithm 2. */
#include "methods/links/method.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "methods/advice.h"
#include "methods/links/coupling.h"
#include "methods/links/sweep.h"
#include "physics/heat.h"

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

/* ---- data of a step ------------------------------------------------------------- */

/* The extension of a particle at its temperature. */
static float extension_at(const OozeLinksStep *s, uint32_t i, uint16_t material)
{
    const OozeStepContext *c = s->context;
    if (!c->temperature || c->materials[material].table_count == 0) {
        return s->material_extension[material];
    }
    double extension, rate;
    ooze_material_extension_at(&c->materials[material], c->temperature[i], &extension, &rate);
    return (float)ooze_links_extension(c->dt, c->whole_step, extension, rate);
}

OozeStatus ooze_links_allocate_sorted(OozeLinksStep *s, OozeError *error)
{
    OozeArena *arena = s->context->arena;
    size_t n = s->n, local = s->local;
    s->x = ooze_arena_alloc(arena, local + 1, sizeof *s->x);
    s->shift = ooze_arena_alloc(arena, n, sizeof *s->shift);
    s->x_lambda = ooze_arena_alloc(arena, local + 1, sizeof *s->x_lambda);
    s->inverse_mass = ooze_arena_alloc(arena, local + 1, sizeof *s->inverse_mass);
    s->effective_inverse_mass =
        ooze_arena_alloc(arena, local + 1, sizeof *s->effective_inverse_mass);
    s->extension = ooze_arena_alloc(arena, local + 1, sizeof *s->extension);
    s->is_elastic = ooze_arena_alloc(arena, local + 1, sizeof *s->is_elastic);
    s->is_new = ooze_arena_alloc(arena, local, sizeof *s->is_new);
    s->old_row = ooze_arena_alloc(arena, n, sizeof *s->old_row);
    s->material = ooze_arena_alloc(arena, local, sizeof *s->material);
    s->share = ooze_arena_alloc(arena, local + 1, sizeof *s->share);
    s->excess = ooze_arena_alloc(arena, n, sizeof *s->excess);
    return ooze_arena_failed(arena) ? ooze_fail_memory(error, "the links step", local * 80)
                                    : OOZE_OK;
}

static OozeStatus allocate(OozeLinksStep *s, OozeError *error)
{
    OozeArena *arena = s->context->arena;
    size_t n = s->n, materials = (size_t)s->context->material_count;
    s->x0 = ooze_arena_alloc(arena, s->local + 1, sizeof *s->x0);
    s->u = ooze_arena_alloc(arena, n, sizeof *s->u);
    s->change = ooze_arena_alloc(arena, n, sizeof *s->change);
    s->solids = ooze_arena_alloc(arena, (size_t)s->context->solid_count, sizeof *s->solids);
    s->material_inverse_mass = ooze_arena_alloc(arena, materials, sizeof *s->material_inverse_mass);
    s->material_extension = ooze_arena_alloc(arena, materials, sizeof *s->material_extension);
    return ooze_arena_failed(arena) ? ooze_fail_memory(error, "the links step", n * 48) : OOZE_OK;
}

void ooze_links_update_solids(OozeLinksStep *s)
{
    const OozeStepContext *c = s->context;
    for (int k = 0; k < c->solid_count; k++) {
        const OozePose *pose = &c->solids[k].pose;
        OozeVec3 o = pose->position;
        s->solids[k].origin = ooze_f32x4((float)o.x, (float)o.y, (float)o.z, 0);
        for (int m = 0; m < 3; m++) {
            OozeVec3 axis = quat_rotate(pose->rotation, vec3(m == 0, m == 1, m == 2));
            s->solids[k].axes[m] = ooze_f32x4((float)axis.x, (float)axis.y, (float)axis.z, 0);
        }
        s->solids[k].has_friction = ooze_solid_fluid_friction(&c->solids[k]) > 0.0;
        s->solids[k].smooths = s->solids[k].has_friction && !ooze_solid_is_dynamic(&c->solids[k]);
    }
}

static void label_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    const OozeStepContext *c = s->context;
    const uint16_t *material = ooze_particles_materials(c->particles);
    for (uint64_t i = begin; i < end; i++) {
        const double *v = c->materials[material[i]].values;
        bool melts = c->phase && !isnan(v[OOZE_MATERIAL_MELTING]);
        s->elastic[i] = melts ? c->phase[i] == OOZE_PHASE_SOLID : v[OOZE_MATERIAL_LABEL] != 0.0;
    }
}

static void set_materials(OozeLinksStep *s)
{
    const OozeStepContext *c = s->context;
    ooze_links_materials(c, s->material_inverse_mass, s->material_extension);
    s->even = s->same_extension = true;
    for (int m = 0; m < c->material_count; m++) {
        const OozeMaterial *own = &c->materials[m];
        s->even = s->even && s->material_inverse_mass[m] == 1.0f;
        s->same_extension = s->same_extension && !(c->temperature && own->table_count > 0) &&
                            s->material_extension[m] == s->material_extension[0];
    }
    for (uint64_t i = 0; c->prescribed && s->even && i < s->n; i++) {
        s->even = !c->prescribed[i];
    }
    s->even = !ooze_halo_any(c->halo, !s->even);
    ooze_parallel_for(c->threads, s->n, OOZE_LINKS_GRAIN, label_range, s);
    s->any_elastic = memchr(s->elastic, 1, s->n) != NULL;
}

/* ---- prediction ------------------------------------------------------------------------- */

static void start_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    const OozeFloat4 *x = ooze_particles_positions(s->context->particles);
    const OozeFloat4 *v = ooze_particles_velocities(s->context->particles);
    for (uint64_t i = begin; i < end; i++) {
        s->x0[i] = ooze_f32x4(x[i].x, x[i].y, x[i].z, 0);
        if (i < s->n) {
            s->u[i] = ooze_f32x4(v[i].x, v[i].y, v[i].z, 0);
        }
    }
}

/* Writes predicted positions, wrapped, to `change`. */
static void predict_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    const OozeStepContext *c = s->context;
    OozeF32x4 g = ooze_f32x4((float)c->gravity.x, (float)c->gravity.y, (float)c->gravity.z, 0);
    for (uint64_t i = begin; i < end; i++) {
        if (!c->prescribed || !c->prescribed[i]) {
            s->u[i] += s->k.dt * g;
        }
        OozeF32x4 p = s->x0[i] + s->k.dt * s->u[i];
        OozeFloat4 wrapped = ooze_point_wrap((OozeFloat4){p[0], p[1], p[2], 0}, &c->periodic);
        s->change[i] = ooze_f32x4(wrapped.x, wrapped.y, wrapped.z, 0);
    }
}

static void reorder_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    const OozeStepContext *c = s->context;
    const uint16_t *material = ooze_particles_materials(c->particles);
    for (uint64_t k = begin; k < end; k++) {
        uint32_t i = s->order[k];
        s->x[k] = s->change[i];
        s->shift[k] = ooze_f32x4(0, 0, 0, 0);
        s->effective_inverse_mass[k] = s->material_inverse_mass[material[i]];
        s->inverse_mass[k] =
            c->prescribed && c->prescribed[i] ? 0.0f : s->effective_inverse_mass[k];
        s->extension[k] = extension_at(s, i, material[i]);
        s->is_elastic[k] = s->elastic[i];
        s->old_row[k] = s->row[i];
        s->is_new[k] = s->row[i] == OOZE_LINK_ROW_NONE;
        s->material[k] = material[i];
    }
}

void ooze_links_reorder(OozeLinksStep *s)
{
    ooze_parallel_for(s->context->threads, s->n, OOZE_LINKS_GRAIN, reorder_range, s);
}

static OozeStatus sort_particles(OozeLinksStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    OozeGrid *grid = s->memory->grid;
    OozeStatus status = ooze_links_allocate_sorted(s, error);
    status = status ? status
                    : ooze_grid_sort(grid, c->threads, (const OozeFloat4 *)s->change, s->n,
                                     c->support, &c->periodic, error);
    if (!status) {
        s->order = ooze_grid_order(grid);
        ooze_links_reorder(s);
    }
    return status;
}

static OozeStatus find_neighbours(OozeLinksStep *s, OozeError *error)
{
    OozeLinksMemory *memory = s->memory;
    OozeStatus status =
        s->context->halo ? ooze_links_enter_ranks(s, error) : sort_particles(s, error);
    if (status) {
        return status;
    }
    OozeStepContext *c = s->context;
    uint64_t padding = s->local;
    s->x[padding] = ooze_f32x4(0, 0, 0, OOZE_LINKS_FAR);
    s->x_lambda[padding] = ooze_f32x4(0, 0, 0, 0);
    s->inverse_mass[padding] = s->effective_inverse_mass[padding] = s->share[padding] = 0.0f;
    s->extension[padding] = 1.0f;
    s->is_elastic[padding] = 0;
    ooze_timer_lap(c->timer, "sort");
    const OozeFloat4 *x = (const OozeFloat4 *)s->x;
    const OozeNeighbourQuery query = {x, s->n, x, c->support, true};
    status = c->halo ? ooze_halo_lists(c->halo, &memory->table.near[1], memory->grid, c->threads,
                                       &query, &c->periodic, error)
                     : ooze_neighbours_build(&memory->table.near[1], memory->grid, c->threads,
                                             &query, error);
    if (!status && s->k.samples) {
        status = ooze_neighbours_build(
            &memory->near_walls, c->boundary->grid, c->threads,
            &(OozeNeighbourQuery){x, s->n, c->boundary->position, c->support, false}, error);
        if (!status) { /* samples may have other neighbours than at the beginning */
            status = ooze_boundary_measure(c->boundary, c->threads, &memory->near_walls, error);
        }
    }
    ooze_timer_lap(c->timer, "lists");
    return status;
}

/* ---- the step --------------------------------------------------------------------------- */

static void number_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    for (uint64_t k = begin; k < end; k++) {
        uint64_t number = ooze_halo_index(s->context->halo, k);
        s->row[s->order[k]] = s->lost ? OOZE_LINK_ROW_NONE : (uint32_t)number;
    }
}

/* If memory runs out, all links are removed: half-written rows would connect wrong particles. */
static OozeStatus control_links(OozeLinksStep *s, OozeError *error)
{
    OozeLinkTable *table = &s->memory->table;
    OozeStatus status = s->k.linked ? ooze_links_control(s, error) : OOZE_OK;
    status = status || !s->k.linked ? status : ooze_links_control_walls(s, error);
    s->lost = status || !s->k.linked;
    if (s->lost) {
        ooze_link_table_clear(table);
    } else {
        ooze_link_table_swap(table);
    }
    ooze_parallel_for(s->context->threads, s->n, OOZE_LINKS_GRAIN, number_range, s);
    ooze_timer_lap(s->context->timer, "predict");
    return status;
}

static void store_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    for (uint64_t k = begin; k < end; k++) {
        uint32_t i = s->order[k];
        OozeF32x4 u = s->u[i] + s->shift[k] / s->k.dt,
                  p = s->x0[i] + (s->k.dt * s->u[i] + s->shift[k]);
        s->end_x[i] = (OozeFloat4){p[0], p[1], p[2], 0};
        s->end_v[i] = (OozeFloat4){u[0], u[1], u[2], 0};
    }
}

static OozeStatus step(void *data, OozeStepContext *c, OozeError *error)
{
    OozeLinksStep s = {
        .context = c,
        .memory = data,
        .n = ooze_particles_count(c->particles),
        .row = field_of(c->particles, OOZE_LINKS_FIELD_ROW),
        .elastic = field_of(c->particles, OOZE_LINKS_FIELD_ELASTIC),
        .end_x = ooze_particles_positions(c->particles),
        .end_v = ooze_particles_velocities(c->particles),
    };
    s.local = ooze_halo_local(c->halo, s.n);
    if (ooze_halo_all(c->halo, s.n) == 0) {
        ooze_link_table_clear(&s.memory->table);
        return OOZE_OK;
    }
    s.k = ooze_links_constants(&s.memory->rest, c);
    s.box = ooze_box(&c->periodic);
    s.periodic = ooze_periodic_any(&c->periodic) != 0;
    OozeStatus status = allocate(&s, error);
    if (status) {
        return status;
    }
    set_materials(&s);
    OozeDynamicCoupling coupling;
    status = ooze_links_couple(&s, &coupling, error);
    if (status) {
        return status;
    }
    ooze_links_update_solids(&s);
    s.x0[s.local] = ooze_f32x4(0, 0, 0, OOZE_LINKS_FAR);
    ooze_parallel_for(c->threads, s.local, OOZE_LINKS_GRAIN, start_range, &s);
    ooze_timer_lap(c->timer, "load");
    status = ooze_links_smooth(&s, error);
    ooze_timer_lap(c->timer, "links");
    if (!status) {
        ooze_parallel_for(c->threads, s.n, OOZE_LINKS_GRAIN, predict_range, &s);
        status = find_neighbours(&s, error);
    }
    status = status ? status : control_links(&s, error);
    status = status ? status : ooze_links_solve(&s, error);
    if (!status) {
        ooze_parallel_for(c->threads, s.n, OOZE_LINKS_GRAIN, store_range, &s);
        status = c->halo ? ooze_links_leave_ranks(&s, c, error) : OOZE_OK;
        ooze_timer_lap(c->timer, "store");
    }
    if (!status && s.coupling) {
        ooze_coupling_load(s.coupling);
    }
    return status;
}

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
    .uses_fluid_neighbours = true,
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
