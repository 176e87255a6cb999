/* Tables of settings and fields, and one step: edges, forces, velocity solve, pressure solve,
   movement, strain. */
#include "methods/cauchy/method.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "methods/advice.h"
#include "methods/cauchy/operators.h"
#include "methods/cauchy/pressure_formula.h"
#include "methods/cauchy/stress_formula.h"
#include "solvers/multigrid/grid_multigrid.h"

static const OozeParamInfo params[OOZE_CAUCHY_PARAM_COUNT] = {
    [OOZE_CAUCHY_SCHEME] = {"scheme", OOZE_PARAM_CHOICE, "", 0, 1, 0, "corrected|classic",
                            "corrected: gradients exact for linear fields, pressure without a "
                            "surface test; classic: MPS as published"},
    [OOZE_CAUCHY_VISCOUS_STEP] = {"viscous_step", OOZE_PARAM_CHOICE, "", 0, 1, 0,
                                  "implicit|explicit",
                                  "implicit: stable at any step; explicit: as published"},
    [OOZE_CAUCHY_TENSION] = {"tension", OOZE_PARAM_CHOICE, "", 0, 1, 0, "stress|potential",
                             "surface tension as a stress along the surface, or by a potential "
                             "between particles, as published"},
    [OOZE_CAUCHY_VELOCITY_ITERATIONS] = {"velocity_iterations", OOZE_PARAM_INTEGER, "", 1, 100000,
                                         500, NULL, "most iterations of the velocity solve"},
    [OOZE_CAUCHY_VELOCITY_TOLERANCE] = {"velocity_tolerance", OOZE_PARAM_REAL, "", 1e-7, 1, 1e-4,
                                        NULL, "relative residual at which it stops"},
    [OOZE_CAUCHY_PRESSURE_ITERATIONS] = {"pressure_iterations", OOZE_PARAM_INTEGER, "", 1, 100000,
                                         500, NULL, "most iterations of the pressure solve"},
    [OOZE_CAUCHY_PRESSURE_TOLERANCE] = {"pressure_tolerance", OOZE_PARAM_REAL, "", 1e-7, 1, 1e-5,
                                        NULL, "relative residual at which it stops"},
    [OOZE_CAUCHY_PRESSURE_PASSES] =
        {"pressure_passes", OOZE_PARAM_INTEGER, "", 1, 100, 3, NULL,
         "pressure solves in a step, each for the divergence that the last has left"},
    [OOZE_CAUCHY_DENSITY_RELAXATION] = {"density_relaxation", OOZE_PARAM_REAL, "s", 0, 1e9, 0.02,
                                        NULL, "time in which errors of the number density decay"},
    [OOZE_CAUCHY_SHIFT_DISTANCE] = {"shift_distance", OOZE_PARAM_REAL, "spacings", 0, 1.5, 1.15,
                                    NULL,
                                    "particles that are nearer to each other are moved apart"},
    [OOZE_CAUCHY_HOURGLASS] = {"hourglass", OOZE_PARAM_REAL, "", 0, 100, 1.0, NULL,
                               "damping of motion that a linear field does not describe"},
    [OOZE_CAUCHY_COLLISION_DISTANCE] = {"collision_distance", OOZE_PARAM_REAL, "spacings", 0, 1,
                                        0.5, NULL, "particles that are nearer collide, as in MPS"},
    [OOZE_CAUCHY_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0, 10, 0.5,
                                      NULL, "how near a particle's centre comes to a solid"},
};

static const char *const material_keys[] = {"density",           "viscosity",
                                            "modulus",           "relaxation_time",
                                            "compliance",        "solvent_viscosity",
                                            "thinning",          "thinning_rate",
                                            "thinning_exponent", "thinning_floor",
                                            "surface_tension",   "contact_angle",
                                            "stress_model",      "mixing",
                                            "frequency",         NULL};

static const OozeFieldInfo fields[OOZE_CAUCHY_FIELD_COUNT] = {
    [OOZE_CAUCHY_FIELD_STRAIN] = {"strain", OOZE_FIELD_FLOAT32, 6, 8, "", 0, true,
                                  "elastic strain: xx, yy, zz, xy, xz, yz"},
    [OOZE_CAUCHY_FIELD_PRESSURE] = {"pressure", OOZE_FIELD_FLOAT32, 1, 1, "Pa", 0, true,
                                    "of incompressibility"},
    [OOZE_CAUCHY_FIELD_DENSITY] = {"density", OOZE_FIELD_FLOAT32, 1, 1, "", 1, true,
                                   "number density relative to rest; low at the surface"},
};

/* What load_range reads. */
static const char *const ghost_fields[] = {"material", "velocity", "pressure", "nozzle", NULL};

static OozeStatus create(void **data, OozeError *error)
{
    OozeCauchyMemory *memory = ooze_alloc_zero(1, sizeof *memory);
    if (memory) {
        memory->multigrid = ooze_grid_multigrid_create();
    }
    if (!memory || !memory->multigrid) {
        ooze_free(memory);
        return ooze_fail_memory(error, "the cauchy method", sizeof *memory);
    }
    *data = memory;
    return OOZE_OK;
}

static void destroy(void *data)
{
    OozeCauchyMemory *memory = data;
    if (memory) {
        ooze_free(memory->edges.values);
        ooze_free(memory->mps.values);
        ooze_grid_multigrid_destroy(memory->multigrid);
        ooze_free(memory);
    }
}

static uint64_t bytes(const void *data)
{
    const OozeCauchyMemory *memory = data;
    return (memory->edges.room + memory->mps.room) * sizeof(float) +
           ooze_grid_multigrid_bytes(memory->multigrid);
}

static void *field_of(OozeParticles *particles, int field)
{
    return ooze_particles_data(particles, ooze_particles_find_field(particles, fields[field].name));
}

/* ---- the step -------------------------------------------------------------------------------- */

static OozeStatus allocate(OozeCauchyStep *s, OozeError *error)
{
    OozeArena *arena = s->context->arena;
    uint64_t n = s->local;
    s->x = ooze_gathered_alloc(arena, n, sizeof *s->x);
    s->u = ooze_gathered_alloc(arena, n, sizeof *s->u);
    s->edge_sum = ooze_gathered_alloc(arena, n, sizeof *s->edge_sum);
    s->mps_sum = ooze_gathered_alloc(arena, n, sizeof *s->mps_sum);
    s->number = ooze_gathered_alloc(arena, n, sizeof *s->number);
    s->air = ooze_gathered_alloc(arena, n, sizeof *s->air);
    s->clinging_sum = ooze_gathered_alloc(arena, n, sizeof *s->clinging_sum);
    s->correction = ooze_gathered_alloc(arena, n, sizeof *s->correction);
    s->pressure_correction = ooze_gathered_alloc(arena, n, sizeof *s->pressure_correction);
    s->mobility = ooze_gathered_alloc(arena, n, sizeof *s->mobility);
    s->divergence_target = ooze_gathered_alloc(arena, n, sizeof *s->divergence_target);
    s->force = ooze_gathered_alloc(arena, n, sizeof *s->force);
    s->stiffness = ooze_gathered_alloc(arena, n, sizeof *s->stiffness);
    s->explicit_stress = ooze_gathered_alloc(arena, n, sizeof *s->explicit_stress);
    s->viscosity = ooze_gathered_alloc(arena, n, sizeof *s->viscosity);
    s->rate = ooze_gathered_alloc(arena, n, sizeof *s->rate);
    s->last_pressure = ooze_gathered_alloc(arena, n, sizeof *s->last_pressure);
    s->next_pressure = ooze_arena_alloc(arena, s->n, sizeof *s->next_pressure);
    return ooze_arena_failed(arena) ? ooze_fail_memory(error, "the cauchy step", n * 256) : OOZE_OK;
}

static void load_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyStep *s = data;
    const OozeStepContext *c = s->context;
    const OozeFloat4 *x = ooze_particles_positions(c->particles);
    const OozeFloat4 *v = ooze_particles_velocities(c->particles);
    OozeF32x4 gravity = {(float)c->gravity.x, (float)c->gravity.y, (float)c->gravity.z, 0};
    for (uint64_t i = begin; i < end; i++) {
        const OozeCauchyMaterial *m = &s->materials[s->material[i]];
        bool prescribed = c->prescribed && c->prescribed[i];
        s->x[i] = ooze_f32x4(x[i].x, x[i].y, x[i].z, 1);
        s->u[i] = ooze_f32x4(v[i].x, v[i].y, v[i].z, 0);
        s->mobility[i] = prescribed ? 0.0f : 1.0f / m->relative_mass;
        s->force[i] = m->relative_mass * gravity;
        s->last_pressure[i] =
            ooze_cauchy_last_pressure(&s->k, m, s->pressure[i] * s->materials[0].inverse_reference);
    }
}

/* Edges, corrections and densities. */
static OozeStatus gather(OozeCauchyStep *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    uint64_t wall_edges = c->boundary->count ? c->fluid_boundary->first[s->n] : 0;
    uint64_t edges = c->fluid->first[s->n];
    s->wall_edge = ooze_arena_alloc(c->arena, wall_edges, sizeof *s->wall_edge);
    s->wall_clings = ooze_arena_alloc(c->arena, wall_edges, 1);
    s->edges = (OozeEdges){.list = c->fluid,
                           .x = s->x,
                           .weight = ooze_edge_values(&s->memory->edges, c->arena, edges),
                           .box = ooze_box(&c->periodic),
                           .periodic = ooze_periodic_any(&c->periodic)};
    s->mps = s->edges;
    s->mps.weight = ooze_edge_values(&s->memory->mps, c->arena, edges);
    if (!s->edges.weight || !s->mps.weight || ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "weights of neighbours", edges * 2 * sizeof(float));
    }
    ooze_parallel_for(c->threads, s->n, OOZE_CAUCHY_GRAIN, ooze_cauchy_loops()->gather, s);
    ooze_cauchy_refresh(s, s->pressure_correction, sizeof *s->pressure_correction);
    ooze_timer_lap(c->timer, "gather");
    return OOZE_OK;
}

static void push_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        s->u[i] += (s->k.dt * s->mobility[i]) * s->force[i];
    }
}

/* Gravity, surface tension and the pressure of the last step. */
static OozeStatus add_forces(OozeCauchyStep *s, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    if (s->k.any_tension && s->k.potential) {
        ooze_cauchy_refresh(s, s->number, sizeof *s->number);
        ooze_parallel_for(s->context->threads, s->n, OOZE_CAUCHY_GRAIN,
                          ooze_cauchy_loops()->tension, s);
    } else if (s->k.any_tension) {
        status = ooze_cauchy_tension(s, error);
    }
    status = status || s->k.classic ? status : ooze_cauchy_predict_pressure(s, error);
    if (!status) {
        ooze_parallel_for(s->context->threads, s->n, OOZE_CAUCHY_GRAIN, push_range, s);
    }
    ooze_timer_lap(s->context->timer, "forces");
    return status;
}

static void strain_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyStep *s = data;
    float reference = 1.0f / s->materials[0].inverse_reference;
    for (uint64_t i = begin; i < end; i++) {
        float *e = s->strain + 8 * i;
        OozeMat3 l = ooze_cauchy_gradient(s, s->u, i);
        OozeSym3 strain =
            ooze_cauchy_strain(&s->materials[s->material[i]],
                               ooze_sym3(e[0], e[1], e[2], e[3], e[4], e[5]), l, s->k.dt);
        e[0] = strain.xx;
        e[1] = strain.yy;
        e[2] = strain.zz;
        e[3] = strain.xy;
        e[4] = strain.xz;
        e[5] = strain.yz;
        if (s->context->stress) {
            OozeSym3 d = ooze_mat3_symmetric(l);
            OozeSym3 stress =
                ooze_sym3_add(s->explicit_stress[i], ooze_lodge_stress(d, s->stiffness[i], 0.0f));
            s->context->stress[i] = ooze_sym3_scale(stress, reference);
        }
    }
}

static void store(OozeCauchyStep *s)
{
    OozeStepContext *c = s->context;
    memcpy(ooze_particles_positions(c->particles), s->next_x, s->n * sizeof(OozeFloat4));
    memcpy(ooze_particles_velocities(c->particles), s->u, s->n * sizeof(OozeFloat4));
    memcpy(s->pressure, s->next_pressure, s->n * sizeof *s->pressure);
    ooze_step_report_density(c, s->density, s->n);
    ooze_timer_lap(c->timer, "store");
}

static OozeStatus step(void *data, OozeStepContext *c, OozeError *error)
{
    OozeCauchyStep s = {
        .context = c,
        .memory = data,
        .n = ooze_particles_count(c->particles),
        .k = ooze_cauchy_constants(c),
        .material = ooze_particles_materials(c->particles),
        .strain = field_of(c->particles, OOZE_CAUCHY_FIELD_STRAIN),
        .pressure = field_of(c->particles, OOZE_CAUCHY_FIELD_PRESSURE),
        .density = field_of(c->particles, OOZE_CAUCHY_FIELD_DENSITY),
    };
    if (ooze_halo_all(c->halo, s.n) == 0) {
        return OOZE_OK;
    }
    s.local = ooze_halo_local(c->halo, s.n);
    OozeStatus status = allocate(&s, error);
    status = status ? status : ooze_cauchy_set_materials(&s, error);
    if (status) {
        return status;
    }
    ooze_parallel_for(c->threads, s.local, OOZE_CAUCHY_GRAIN, load_range, &s);
    status = ooze_cauchy_find_walls(&s, error);
    status = status ? status : gather(&s, error);
    status = status ? status : add_forces(&s, error);
    status = status ? status : ooze_cauchy_solve_velocities(&s, error);
    status = status ? status : ooze_cauchy_project(&s, error);
    status = status ? status : ooze_cauchy_move(&s, error);
    if (!status && !c->report->too_far) {
        ooze_cauchy_refresh(&s, s.u, sizeof *s.u);
        ooze_parallel_for(c->threads, s.n, OOZE_CAUCHY_GRAIN, strain_range, &s);
        ooze_timer_lap(c->timer, "strain");
        store(&s);
    }
    return status;
}

const OozeMethod ooze_method_cauchy = {
    .info = {.name = "cauchy",
             .summary = "incompressible fluids by Cauchy's equation of motion: semi-implicit "
                        "particles with a pressure solve, stress models from Newton to Maxwell, "
                        "surface tension with a contact angle; threads that snap",
             .reference = "Mukai, Matsui and Chang 2018, Investigation on viscoelastic fluid "
                          "behavior by modifying deviatoric stress tensor",
             .params = params,
             .param_count = OOZE_CAUCHY_PARAM_COUNT},
    .fields = fields,
    .field_count = OOZE_CAUCHY_FIELD_COUNT,
    .material_keys = material_keys,
    .ghost_fields = ghost_fields,
    .uses_fluid_neighbours = true,
    .uses_boundary_neighbours = true,
    .uses_tables = true,
    .pushes_solids = true,
    .records_stress = true,
    .divides_unstable_steps = true,
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .step = step,
    .stable_step = ooze_cauchy_stable_step,
    .advise = ooze_advise_numbers,
    .derive_material = ooze_cauchy_derive_material,
};
