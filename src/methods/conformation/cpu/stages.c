/* The stages of a step on the processor: its beginning, and the tables. */
#include "base/fail.h"
#include "methods/conformation/bodies/step_bodies.h"
#include "methods/conformation/cpu/impact.h"
#include "methods/conformation/cpu/impact_solve.h"
#include "methods/conformation/cpu/positions.h"
#include "methods/conformation/cpu/push_stress.h"
#include "methods/conformation/lodge_formula.h"
#include "methods/conformation/pressure_solve.h"
#include "methods/conformation/solid_pushes.h"
#include "solvers/multigrid/velocity_multigrid.h"

/* ---- beginning ---- */

/* The row of rheology of each particle. */
static OozeStatus find_rows(OozeConformationStep *s, OozeError *error)
{
    const OozeStepContext *c = s->context;
    bool kinds = c->body_count > 0, own = kinds || s->plan->temperature_rows;
    uint16_t *row = ooze_arena_alloc(c->arena, own ? s->local : 0, sizeof *row);
    if (!row) {
        return ooze_fail_memory(error, "the conformation step", s->n * sizeof *row);
    }
    s->material = ooze_particles_materials(c->particles);
    for (uint64_t i = 0; own && i < s->local; i++) {
        int kind = kinds && c->body[i] ? (int)c->bodies[c->body[i] - 1].kind : 0;
        int plain = s->material[i] + kind * c->material_count;
        row[i] = (uint16_t)plain;
        if (s->plan->temperature_rows) {
            row[i] = (uint16_t)ooze_temperature_row(&s->plan->temperature_rows[s->material[i]],
                                                    (OozeBodyKind)kind, c->temperature[i], plain);
        }
    }
    s->material = own ? row : s->material;
    s->film = s->material;
    return OOZE_OK;
}

/* Velocity of a particle that is fixed to a solid. */
static OozeF32x4 pinned_velocity(const OozeConformationStep *s, uint64_t i)
{
    const OozeSolid *solid = &s->context->solids[s->context->pin[i] - 1];
    OozeVec3 x = vec3(s->x0[i][0], s->x0[i][1], s->x0[i][2]);
    OozeVec3 u = ooze_pose_carry(&solid->previous, &solid->pose, x, s->context->dt);
    return ooze_f32x4((float)u.x, (float)u.y, (float)u.z, 0);
}

static void load_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConformationStep *s = data;
    const OozeStepContext *c = s->context;
    const OozeFloat4 *x = ooze_particles_positions(c->particles);
    const OozeFloat4 *v = ooze_particles_velocities(c->particles);
    OozeF32x4 kick = {(float)(c->gravity.x * c->dt), (float)(c->gravity.y * c->dt),
                      (float)(c->gravity.z * c->dt), 0};
    for (uint64_t i = begin; i < end; i++) {
        OozeSym3 strain[OOZE_MODES];
        for (int k = 0; k <= s->more_modes; k++) {
            const float *e = (k ? s->more_conformation[k - 1] : s->conformation) + 8 * i;
            strain[k] = ooze_sym3(e[0], e[1], e[2], e[3], e[4], e[5]);
        }
        s->x0[i] = ooze_f32x4(x[i].x, x[i].y, x[i].z, 1);
        bool pinned = c->pin && c->pin[i],
             prescribed = (c->prescribed && c->prescribed[i]) || pinned;
        s->u[i] = ooze_f32x4(v[i].x, v[i].y, v[i].z, 0);
        s->u[i] += prescribed ? ooze_f32x4(0, 0, 0, 0) : kick;
        s->u[i] = pinned ? pinned_velocity(s, i) : s->u[i];
        s->mobility[i] = prescribed ? 0.0f : 1.0f / s->rheology[s->material[i]].relative_mass;
        s->stress[i] =
            ooze_lodge_elastic_stress(&s->rheology[s->material[i]], s->more_modes, strain);
    }
}

static OozeStatus begin_pushes(OozeConformationStep *s, const OozeDynamicCoupling *coupling,
                               OozeError *error)
{
    const size_t count = (size_t)coupling->count;
    s->solid_pushes = ooze_arena_alloc(s->context->arena, count, sizeof *s->solid_pushes);
    return s->solid_pushes
               ? ooze_solid_pushes_begin(coupling, (double)s->plan->solid_push_share,
                                         s->solid_pushes, error)
               : ooze_fail_memory(error, "the conformation step", count * sizeof *s->solid_pushes);
}

/* Dynamic solids, with their samples at the positions of the beginning of the step. */
static OozeStatus begin_solids(OozeConformationStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    if (!c->dynamic) {
        return OOZE_OK;
    }
    OozeDynamicCoupling *coupling = ooze_arena_alloc(c->arena, 1, sizeof *coupling);
    OozeStepContext *view = ooze_arena_alloc(c->arena, 1, sizeof *view);
    if (ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "the conformation step", sizeof *coupling + sizeof *view);
    }
    const double particle_mass =
        (double)ooze_reference_density(s) * c->spacing * c->spacing * c->spacing;
    OozeStatus status = ooze_coupling_begin(coupling, c, particle_mass, error);
    if (!status && s->expects_pushes) {
        status = begin_pushes(s, coupling, error);
    }
    if (!status) {
        ooze_coupling_find_chunks(coupling, c->fluid_boundary, s->n, &coupling->view);
        *view = *c;
        view->boundary = &coupling->view;
        s->context = view;
        s->own->coupling = coupling;
    }
    return status;
}

/* Arrays that outlive the velocity solve, in which they are found. */
static void allocate_results(OozeConformationStep *s)
{
    const OozeConformationPlan *plan = s->plan;
    OozeArena *arena = s->context->arena;
    if (plan->settings.formulation == OOZE_FORMULATION_LODGE) {
        s->next_velocity_change = ooze_arena_alloc(arena, s->n, sizeof *s->next_velocity_change);
    }
    if (plan->regularises_threads) {
        s->thread_regularisation = ooze_arena_alloc(arena, s->n, sizeof *s->thread_regularisation);
    }
    if (plan->isotropic_pushes || plan->warm_density) {
        s->density_multiplier = ooze_gathered_alloc(arena, s->local, sizeof *s->density_multiplier);
    }
    if (plan->warm_density) {
        s->first_multiplier = ooze_gathered_alloc(arena, s->local, sizeof *s->first_multiplier);
        s->first_push = ooze_arena_alloc(arena, s->n, sizeof *s->first_push);
    }
}

static OozeStatus load(OozeConformationStep *s, OozeError *error)
{
    s->rheology = s->plan->rheology;
    OozeStatus status = begin_solids(s, error);
    status = status ? status : find_rows(s, error);
    if (status) {
        return status;
    }
    OozeArena *arena = s->context->arena;
    s->x0 = ooze_gathered_alloc(arena, s->local, sizeof *s->x0);
    s->u = ooze_gathered_alloc(arena, s->local, sizeof *s->u);
    s->mobility = ooze_arena_alloc(arena, s->local, sizeof *s->mobility);
    s->stress = ooze_arena_alloc(arena, s->n, sizeof *s->stress);
    s->own->edges = ooze_arena_alloc(arena, 1, sizeof *s->own->edges);
    s->own->nearby = ooze_arena_alloc(arena, 1, sizeof *s->own->nearby);
    s->velocity = (const OozeVector *)ooze_particles_velocities(s->context->particles);
    allocate_results(s);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the conformation step", s->n * 40);
    }
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, load_range, s);
    const OozeFloat4 *x = ooze_particles_positions(s->context->particles);
    for (uint64_t i = s->n; i < s->local; i++) {
        s->x0[i] = ooze_f32x4(x[i].x, x[i].y, x[i].z, 1);
    }
    return OOZE_OK;
}

/* ---- stages that have nothing to do in a step without their feature ---- */

/* The density stage has the memory of the edges to itself. */
static void free_edges(OozeConformationStep *s)
{
    (void)s;
}

/* Ghosts are found again after every step. */
static bool ghosts_suffice(OozeConformationStep *s)
{
    (void)s;
    return true;
}

static void spread_solids(OozeConformationStep *s)
{
    if (s->own->coupling) {
        ooze_coupling_spread_motion(s->own->coupling);
    }
}

static void load_solids(OozeConformationStep *s)
{
    if (s->own->coupling) {
        ooze_coupling_load(s->own->coupling);
        ooze_solid_pushes_record(s->own->coupling);
    }
}

static OozeStatus find_contacts(OozeConformationStep *s, OozeError *error)
{
    OozeStatus status = ooze_impact_begin(s, error);
    return status ? status : ooze_conformation_find_contacts(s, error);
}

static const OozeConformationStages stages = {
    .load = load,
    .gather = ooze_conformation_gather,
    .apply_surface_tension = ooze_conformation_tension,
    .begin_pressure = ooze_grid_pressure_begin,
    .begin_bodies = ooze_step_bodies_begin,
    .find_contacts = find_contacts,
    .lodge = &ooze_lodge_stages,
    .free_edges = free_edges,
    .ghosts_suffice = ghosts_suffice,
    .find_density_targets = ooze_conformation_set_density_targets,
    .predict = ooze_conformation_predict,
    .repair_volumes = ooze_grid_pressure_repair,
    .arrive = ooze_conformation_arrive,
    .spread_solids = spread_solids,
    .remove_push_stress = ooze_push_stress_remove,
    .end_relief = ooze_conformation_end_relief,
    .store_pressure = ooze_grid_pressure_store,
    .place_bodies = ooze_step_bodies_place,
    .store = ooze_conformation_store,
    .load_solids = load_solids,
};

OozeStatus ooze_conformation_step(void *memory, OozeStepContext *context, OozeError *error)
{
    OozeMachine machine = ooze_machine_of_processor(context);
    OozeConformationOwn own = {0};
    OozeConformationStep step = {.own = &own,
                                 .stages = &stages,
                                 .formulation = ooze_conformation_settings(context).stages,
                                 .memory = memory,
                                 .regathers_edges = true};
    return ooze_conformation_run(&machine, &step, error);
}

/* ---- memory that outlives a step ---- */

void ooze_conformation_destroy(void *data)
{
    OozeConformationMemory *own = data;
    if (own) {
        ooze_density_memory_destroy(own->density);
        ooze_free(own->edges.values);
        ooze_bonds_destroy(own->bonds);
        ooze_velocity_multigrid_destroy(own->multigrid);
        if (own->pressure_multigrid) {
            ooze_grid_multigrid_destroy(own->pressure_multigrid);
        }
        ooze_impact_memory_destroy(own->impact);
        ooze_surface_memory_free(&own->surface);
        ooze_free(own);
    }
}

uint64_t ooze_conformation_bytes(const void *data)
{
    const OozeConformationMemory *own = data;
    return ooze_density_memory_bytes(own->density) + own->edges.room * sizeof(float) +
           ooze_velocity_multigrid_bytes(own->multigrid) +
           (own->pressure_multigrid ? ooze_grid_multigrid_bytes(own->pressure_multigrid) : 0) +
           ooze_impact_memory_bytes(own->impact) + ooze_surface_memory_bytes(&own->surface);
}

OozeStatus ooze_conformation_create(void **data, OozeError *error)
{
    OozeConformationMemory *own = ooze_alloc_zero(1, sizeof *own);
    void *density = NULL;
    OozeStatus status = own ? ooze_density_memory_create(&density, error)
                            : ooze_fail_memory(error, "the conformation method", sizeof *own);
    if (status) {
        ooze_conformation_destroy(own);
        return status;
    }
    own->density = density;
    *data = own;
    return OOZE_OK;
}
