/* One step of the conformation method: its stages in order. */
#include "base/fail.h"
#include "methods/conformation/bodies/step_bodies.h"
#include "methods/conformation/cpu/impact.h"
#include "methods/conformation/cpu/impact_solve.h"
#include "methods/conformation/lodge_formula.h"
#include "methods/conformation/pressure_solve.h"
#include "methods/conformation/solid_pushes.h"
#include "solvers/multigrid/velocity_multigrid.h"

/* The row of rheology of each particle. */
static OozeStatus find_rows(OozeConformationStep *s, OozeError *error)
{
    const OozeStepContext *c = s->context;
    bool kinds = c->body_count > 0, own = kinds || s->temperature_rows;
    uint16_t *row = ooze_arena_alloc(c->arena, own ? s->local : 0, sizeof *row);
    if (!row) {
        return ooze_fail_memory(error, "the conformation step", s->n * sizeof *row);
    }
    s->material = ooze_particles_materials(c->particles);
    for (uint64_t i = 0; own && i < s->local; i++) {
        int kind = kinds && c->body[i] ? (int)c->bodies[c->body[i] - 1].kind : 0;
        int plain = s->material[i] + kind * c->material_count;
        row[i] = (uint16_t)plain;
        if (s->temperature_rows) {
            row[i] = (uint16_t)ooze_temperature_row(&s->temperature_rows[s->material[i]],
                                                    (OozeBodyKind)kind, c->temperature[i], plain);
        }
    }
    s->material = own ? row : s->material;
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

static void start_range(void *data, uint64_t begin, uint64_t end, int worker)
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
            const float *e = (k ? s->more_strain[k - 1] : s->strain) + 8 * i;
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

static OozeStatus start(OozeConformationStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    s->local = ooze_halo_local(c->halo, s->n);
    OozeStatus status = find_rows(s, error);
    if (status) {
        return status;
    }
    s->x0 = ooze_gathered_alloc(c->arena, s->local, sizeof *s->x0);
    s->u = ooze_gathered_alloc(c->arena, s->local, sizeof *s->u);
    s->mobility = ooze_arena_alloc(c->arena, s->local, sizeof *s->mobility);
    s->stress = ooze_arena_alloc(c->arena, s->n, sizeof *s->stress);
    if (ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "the conformation step", s->n * 40);
    }
    ooze_conformation_find_fields(s);
    ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN, start_range, s);
    const OozeFloat4 *x = ooze_particles_positions(c->particles);
    for (uint64_t i = s->n; i < s->local; i++) {
        s->x0[i] = ooze_f32x4(x[i].x, x[i].y, x[i].z, 1);
    }
    return OOZE_OK;
}

/* The stages. Samples of dynamic solids are at the positions of the beginning of the step. */
static OozeStatus run_stages(OozeConformationStep *s, OozeConformationMemory *own, OozeError *error)
{
    const OozeFormulation *formulation = s->settings.stages;
    OozeStepTimer *timer = s->context->timer;
    OozeStatus status = start(s, error);
    ooze_timer_lap(timer, "load");
    if (!status) {
        status = ooze_conformation_gather(s, error);
    }
    if (!status) {
        status = ooze_conformation_tension(s, error);
    }
    if (!status) {
        status = ooze_grid_pressure_begin(s, error);
    }
    if (!status) {
        status = ooze_step_bodies_begin(s, own, error);
        ooze_timer_lap(timer, "rest");
    }
    if (!status) {
        status = ooze_impact_begin(s, error);
    }
    if (!status) {
        status = ooze_conformation_find_contacts(s, error);
        ooze_timer_lap(timer, "contact");
    }
    if (!status) {
        status = formulation->solve_velocities(s, error);
    }
    return status ? status : ooze_conformation_move(s, own->density, formulation, error);
}

/* The same with dynamic solids, which receive the momentum that the fluid has lost to them. */
static OozeStatus run_with_dynamic_solids(OozeConformationStep *s, OozeConformationMemory *own,
                                          OozeError *error)
{
    OozeStepContext *c = s->context, view = *c;
    OozeDynamicCoupling coupling;
    double particle_mass = (double)ooze_reference_density(s) * c->spacing * c->spacing * c->spacing;
    OozeStatus status = ooze_coupling_begin(&coupling, c, particle_mass, error);
    if (!status && s->expects_pushes) {
        status = ooze_solid_pushes_begin(&coupling, (double)s->solid_push_share, error);
    }
    if (status) {
        return status;
    }
    view.boundary = &coupling.view;
    ooze_coupling_find_chunks(&coupling, c->fluid_boundary, s->n, &coupling.view);
    s->context = &view;
    s->coupling = &coupling;
    status = run_stages(s, own, error);
    if (!status && !c->report->too_far) {
        ooze_coupling_load(&coupling);
        ooze_solid_pushes_record(&coupling);
    }
    return status;
}

OozeStatus ooze_conformation_step(void *data, OozeStepContext *c, OozeError *error)
{
    OozeConformationMemory *own = data;
    OozeConformationPlan plan;
    uint64_t n = ooze_particles_count(c->particles);
    bool any = ooze_halo_all(c->halo, n) > 0;
    OozeStatus status = any ? ooze_conformation_plan(c, &plan, error) : OOZE_OK;
    if (!any || status) {
        return status;
    }
    OozeConformationStep s = {
        .context = c,
        .settings = plan.settings,
        .n = n,
        .dt = plan.dt,
        .support = plan.support,
        .volume = plan.volume,
        .flat_gradient = plan.flat_gradient,
        .wall_scale = plan.wall_scale,
        .strain_scale = plan.strain_scale,
        .wall_strain_scale = plan.wall_strain_scale,
        .rheology = plan.rheology,
        .more_modes = plan.more_modes,
        .row_count = plan.row_count,
        .temperature_rows = plan.temperature_rows,
        .largest_surface_tension = plan.largest_surface_tension,
        .interfaces = plan.interfaces,
        .isotropic_pushes = plan.isotropic_pushes,
        .isotropic_shifts = plan.isotropic_shifts,
        .expects_pushes = plan.expects_pushes,
        .solid_push_share = plan.solid_push_share,
        .warm_density = plan.warm_density,
        .density_settings = ooze_conformation_density_settings(c, &plan),
        .regularises_threads = plan.regularises_threads,
        .edge_memory = &own->edges,
        .velocity_multigrid = &own->multigrid,
        .pressure_multigrid = &own->pressure_multigrid,
        .impact_memory = &own->impact,
        .surface_memory = &own->surface,
    };
    return c->dynamic ? run_with_dynamic_solids(&s, own, error) : run_stages(&s, own, error);
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
