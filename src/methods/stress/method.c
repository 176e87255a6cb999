/* One explicit step: stress of the present state, velocities, positions, density, conformation.

   Forces along an edge are equal and opposite, which conserves linear momentum. Stresses are
   symmetric and the divergence is the adjoint of the corrected gradient, which conserves angular
   momentum. */
#include "methods/stress/method.h"

#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/advice.h"
#include "methods/derive.h"
#include "methods/stress/particle_formula.h"
#include "physics/lattice.h"
#include "solvers/density/density.h"
#include "solvers/pairs/gather.h"

static const OozeParamInfo params[OOZE_STRESS_PARAM_COUNT] = {
    [OOZE_STRESS_DENSITY_ITERATIONS] = {"density_iterations", OOZE_PARAM_INTEGER, "", 0, 10000, 5,
                                        NULL, "iterations of the density stage"},
    [OOZE_STRESS_DENSITY_TIME] = {"density_time", OOZE_PARAM_REAL, "s", 0, 10, 1.0 / 240.0, NULL,
                                  "time in which compression is taken out; 0: in one step"},
    [OOZE_STRESS_HOURGLASS] = {"hourglass", OOZE_PARAM_REAL, "", 0, 100, 0.2, NULL,
                               "damping of motion that a linear field does not describe"},
    [OOZE_STRESS_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0, 10, 0.5,
                                      NULL, "how near a particle's centre comes to a solid"},
};

static const char *const material_keys[] = {
    "density", "viscosity", "modulus", "relaxation_time", "compliance", "solvent_viscosity", NULL};

static const char *const ghost_fields[] = {"velocity", NULL};

static const OozeFieldInfo fields[] = {
    {"conformation", OOZE_FIELD_FLOAT32, 6, 8, "", 0.0, true,
     "strain of the polymer beyond rest, Q - I: xx, yy, zz, xy, xz, yz"},
};

typedef struct Step {
    OozeStepContext *context;
    OozeGather gather;
    uint64_t n;
    float dt;
    float reference; /* kg/m3: density of the first material, to which stresses are relative */
    const OozeStressMaterial *materials;
    const uint16_t *material;
    float *strain; /* Q - I, eight floats a particle */
    OozeF32x4 *x;
    OozeF32x4 *u, *next;   /* velocities at the beginning and at the end of the step */
    OozeMat3 *flux;        /* see ooze_stress_flux */
    float *hourglass;      /* n of the hourglass term */
    float *edge_stiffness; /* w of the stability bound */
    float *load;           /* left side of the stability bound, without relaxation */
    OozeF32x4 *shift;      /* of the density stage */
    float *density_target; /* of the density stage */
} Step;

enum { GRAIN = OOZE_GATHER_GRAIN };

/* ---- gradient and stress -------------------------------------------------------------------- */

/* L = (sum u_ji g^T) B, walls included. */
static OozeMat3 gradient_of(const Step *s, const OozeF32x4 *u, uint64_t i)
{
    const OozeNeighbours *list = s->context->fluid, *walls = s->context->fluid_boundary;
    const OozeBoundary *boundary = s->context->boundary;
    OozeF32x4 own = u[i], x = {0}, y = {0}, z = {0};
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
        OozeF32x4 g = ooze_edge_at(&s->gather.edges, i, e), v = u[list->index[e]] - own;
        x += v[0] * g;
        y += v[1] * g;
        z += v[2] * g;
    }
    uint32_t wall_count = boundary->count ? walls->count[i] : 0;
    for (uint32_t w = 0; w < wall_count; w++) {
        uint64_t e = walls->first[i] + w;
        OozeFloat4 b = boundary->velocity[walls->index[e]];
        OozeF32x4 g = s->gather.wall_edge[e], v = ooze_f32x4(b.x, b.y, b.z, 0) - own;
        x += v[0] * g;
        y += v[1] * g;
        z += v[2] * g;
    }
    OozeMat3 raw = {{x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]}};
    return ooze_mat3_mul_sym3(raw, s->gather.correction[i]);
}

static const OozeStressMaterial *material_of(const Step *s, uint64_t i)
{
    return &s->materials[s->material[i]];
}

static void flux_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Step *s = data;
    for (uint64_t i = begin; i < end; i++) {
        OozeMat3 l = gradient_of(s, s->u, i);
        OozeSym3 stress = ooze_stress_of(material_of(s, i), s->strain + 8 * i, l);
        if (s->context->stress) {
            s->context->stress[i] = ooze_sym3_scale(stress, s->reference);
        }
        s->hourglass[i] = ooze_stress_hourglass(material_of(s, i), s->gather.correction[i]);
        s->flux[i] = ooze_stress_flux(stress, s->gather.correction[i], l, s->hourglass[i]);
    }
}

/* ---- stability ------------------------------------------------------------------------------ */

static void stiffness_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Step *s = data;
    for (uint64_t i = begin; i < end; i++) {
        s->edge_stiffness[i] = ooze_stress_particle_stiffness(
            material_of(s, i), s->strain + 8 * i, s->gather.correction[i], s->context->dt);
    }
}

/* Gershgorin's row of each particle. */
static void load_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Step *s = data;
    const OozeNeighbours *list = s->context->fluid, *walls = s->context->fluid_boundary;
    for (uint64_t i = begin; i < end; i++) {
        float own = s->edge_stiffness[i], row = 0.0f;
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            row += ooze_stress_row_term(own, s->edge_stiffness[list->index[e]],
                                        s->gather.edges.weight[e]);
        }
        uint32_t wall_count = s->context->boundary->count ? walls->count[i] : 0;
        for (uint32_t w = 0; w < wall_count; w++) {
            row += ooze_stress_wall_row_term(own, s->gather.wall_edge[walls->first[i] + w][3]);
        }
        s->load[i] = row / (float)material_of(s, i)->relative_mass;
    }
}

/* Whether the step is longer than the bound of the present state, and can be divided. */
static bool is_unstable(Step *s)
{
    const OozeStepContext *c = s->context;
    if (isinf(c->longest_travel)) {
        return false;
    }
    ooze_parallel_for(c->threads, s->n, GRAIN, stiffness_range, s);
    ooze_halo_refresh(c->halo, s->edge_stiffness, sizeof *s->edge_stiffness);
    ooze_parallel_for(c->threads, s->n, GRAIN, load_range, s);
    float worst = 0.0f;
    for (uint64_t i = 0; i < s->n; i++) {
        worst = fmaxf(worst, s->load[i]);
    }
    double all = (double)worst;
    ooze_halo_max(c->halo, &all, 1);
    ooze_timer_lap(c->timer, "stability");
    return ooze_stress_exceeds_bound(c, (float)all);
}

/* ---- velocities ----------------------------------------------------------------------------- */

static OozeF32x4 apply(const OozeMat3 *a, OozeF32x4 v)
{
    return ooze_f32x4(a->m[0] * v[0] + a->m[1] * v[1] + a->m[2] * v[2],
                      a->m[3] * v[0] + a->m[4] * v[1] + a->m[5] * v[2],
                      a->m[6] * v[0] + a->m[7] * v[1] + a->m[8] * v[2], 0);
}

/* See ooze_stress_flux. A boundary sample has the stress of the particle. */
static OozeF32x4 force_on(const Step *s, uint64_t i)
{
    const OozeNeighbours *list = s->context->fluid, *walls = s->context->fluid_boundary;
    const OozeBoundary *boundary = s->context->boundary;
    OozeF32x4 own = s->u[i];
    float n = s->hourglass[i];
    OozeF32x4 force = apply(&s->flux[i], s->gather.edge_sum[i]);
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
        uint32_t j = list->index[e];
        OozeF32x4 g = ooze_edge_at(&s->gather.edges, i, e);
        force += apply(&s->flux[j], g) + (n + s->hourglass[j]) * g[3] * (s->u[j] - own);
    }
    uint32_t wall_count = boundary->count ? walls->count[i] : 0;
    for (uint32_t w = 0; w < wall_count; w++) {
        uint64_t e = walls->first[i] + w;
        OozeFloat4 b = boundary->velocity[walls->index[e]];
        force += n * s->gather.wall_edge[e][3] * (ooze_f32x4(b.x, b.y, b.z, 0) - own);
    }
    force[3] = 0;
    return force;
}

static void kick_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Step *s = data;
    OozeVec3 gravity = s->context->gravity;
    OozeF32x4 g = ooze_f32x4((float)gravity.x, (float)gravity.y, (float)gravity.z, 0);
    for (uint64_t i = begin; i < end; i++) {
        float mass = (float)material_of(s, i)->relative_mass;
        s->next[i] = s->u[i] + s->dt * (g + force_on(s, i) / mass);
    }
}

/* ---- positions ------------------------------------------------------------------------------ */

/* Moves particles to the end of the step, with collisions. Positions of particles without collision
   stay in single precision, so that they round once. */
static void advect_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Step *s = data;
    const OozeStepContext *c = s->context;
    const OozeContactRule rule = ooze_stress_contact_rule(c);
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 x0 = s->x[i];
        s->x[i] = x0 + s->dt * s->next[i];
        if (c->solid_count > 0) {
            OozeF32x4 u = s->next[i];
            OozeVec3 to = vec3(x0[0], x0[1], x0[2]), v = vec3(u[0], u[1], u[2]);
            if (ooze_contact_advance(c->solids, c->solid_count, &rule, &to, &v)) {
                s->x[i] = ooze_f32x4((float)to.x, (float)to.y, (float)to.z, 0);
                s->next[i] = ooze_f32x4((float)v.x, (float)v.y, (float)v.z, 0);
            }
        }
    }
}

static OozeStatus correct_density(Step *s, OozeDensityMemory *own, OozeError *error)
{
    OozeStepContext *c = s->context;
    float kept_share = ooze_stress_kept_share(c);
    for (uint64_t i = 0; i < s->n; i++) {
        float excess = ooze_stress_excess(s->gather.density[i]);
        s->density_target[i] = ooze_stress_density_target(excess, kept_share);
    }
    ooze_step_report_density(c, s->gather.density, s->n);
    OozeDensityJob job = {
        .context = c,
        .n = s->n,
        .support = s->gather.support,
        .volume = s->gather.volume,
        .wall_scale = s->gather.wall_scale,
        .contact = (float)(c->params[OOZE_STRESS_CONTACT_DISTANCE] * c->spacing),
        .iterations = (int)c->params[OOZE_STRESS_DENSITY_ITERATIONS],
        .tolerance = -1.0f,
        .plain = true, /* its noise keeps sheared particles from forming rows */
        .density_target = s->density_target,
        .grid = own->grid,
        .near = &own->near,
        .near_walls = &own->near_walls,
        .split = &own->split,
        .halo = &own->halo,
    };
    OozeStatus status = ooze_density_solve(&job, s->x, s->shift, error);
    for (uint64_t i = 0; i < s->n && !status; i++) {
        s->x[i] += s->shift[i];
        s->next[i] += s->shift[i] / s->dt;
    }
    return status;
}

/* ---- conformation --------------------------------------------------------------------------- */

static void conformation_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Step *s = data;
    for (uint64_t i = begin; i < end; i++) {
        float rate = (float)material_of(s, i)->rate;
        ooze_stress_carry(s->strain + 8 * i, gradient_of(s, s->next, i), rate, s->dt);
    }
}

/* ---- the step ------------------------------------------------------------------------------- */

static OozeStatus start(Step *s, OozeError *error)
{
    OozeStepContext *c = s->context;
    OozeArena *arena = c->arena;
    uint64_t local = ooze_halo_local(c->halo, s->n);
    OozeStressMaterial *materials =
        ooze_arena_alloc(arena, (size_t)c->material_count, sizeof *materials);
    s->x = ooze_arena_alloc(arena, s->n, sizeof *s->x);
    OozeF32x4 *x0 = ooze_gathered_alloc(arena, local, sizeof *x0);
    s->u = ooze_arena_alloc(arena, local, sizeof *s->u);
    s->next = ooze_arena_alloc(arena, local, sizeof *s->next);
    s->flux = ooze_arena_alloc(arena, local, sizeof *s->flux);
    s->hourglass = ooze_arena_alloc(arena, local, sizeof *s->hourglass);
    s->edge_stiffness = ooze_arena_alloc(arena, local, sizeof *s->edge_stiffness);
    s->load = ooze_arena_alloc(arena, s->n, sizeof *s->load);
    s->shift = ooze_arena_alloc(arena, s->n, sizeof *s->shift);
    s->density_target = ooze_arena_alloc(arena, s->n, sizeof *s->density_target);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the stress step", local * 140);
    }
    for (int m = 0; m < c->material_count; m++) {
        materials[m] = ooze_stress_substep_material(c, m);
    }
    s->materials = materials;
    const OozeFloat4 *x = ooze_particles_positions(c->particles);
    const OozeFloat4 *v = ooze_particles_velocities(c->particles);
    for (uint64_t i = 0; i < s->n; i++) {
        s->x[i] = ooze_f32x4(x[i].x, x[i].y, x[i].z, 0);
    }
    for (uint64_t i = 0; i < local; i++) {
        x0[i] = ooze_f32x4(x[i].x, x[i].y, x[i].z, 1);
        s->u[i] = ooze_f32x4(v[i].x, v[i].y, v[i].z, 0);
    }
    s->gather.x = x0;
    return ooze_gather(&s->gather, error);
}

static void store(const Step *s)
{
    OozeFloat4 *x = ooze_particles_positions(s->context->particles);
    OozeFloat4 *v = ooze_particles_velocities(s->context->particles);
    for (uint64_t i = 0; i < s->n; i++) {
        x[i] = (OozeFloat4){s->x[i][0], s->x[i][1], s->x[i][2], 0};
        v[i] = (OozeFloat4){s->next[i][0], s->next[i][1], s->next[i][2], 0};
    }
}

static OozeStatus step(void *data, OozeStepContext *c, OozeError *error)
{
    uint64_t n = ooze_particles_count(c->particles);
    Step s = {
        .context = c,
        .gather = {.context = c,
                   .n = n,
                   .support = (float)c->support,
                   .volume = (float)(1.0 / ooze_lattice_sum(c->spacing, c->support)),
                   .wall_scale = (float)ooze_lattice_wall_scale(c->spacing, c->support)},
        .n = n,
        .dt = (float)c->dt,
        .reference = (float)(c->material_count ? c->materials[0].values[OOZE_MATERIAL_DENSITY] : 1),
        .material = ooze_particles_materials(c->particles),
        .strain = ooze_particles_data(c->particles,
                                      ooze_particles_find_field(c->particles, fields[0].name)),
    };
    if (ooze_halo_all(c->halo, n) == 0) {
        return OOZE_OK;
    }
    OozeStatus status = start(&s, error);
    if (status) {
        return status;
    }
    if (is_unstable(&s)) {
        c->report->too_far = true;
        return OOZE_OK;
    }
    ooze_parallel_for(c->threads, n, GRAIN, flux_range, &s);
    ooze_halo_refresh(c->halo, s.flux, sizeof *s.flux);
    ooze_halo_refresh(c->halo, s.hourglass, sizeof *s.hourglass);
    ooze_parallel_for(c->threads, n, GRAIN, kick_range, &s);
    ooze_timer_lap(c->timer, "forces");
    ooze_parallel_for(c->threads, n, GRAIN, advect_range, &s);
    ooze_timer_lap(c->timer, "contact");
    status = correct_density(&s, data, error);
    if (!status) {
        ooze_halo_refresh(c->halo, s.next, sizeof *s.next);
        ooze_parallel_for(c->threads, n, GRAIN, conformation_range, &s);
        ooze_timer_lap(c->timer, "stress");
        store(&s);
        ooze_timer_lap(c->timer, "store");
    }
    return status;
}

const OozeMethod ooze_method_stress = {
    .info = {.name = "stress",
             .summary = "viscoelastic fluids by their stress, stepped explicitly: exact and slow, "
                        "stable only for short steps",
             .reference = "Barreiro et al. 2017, Conformation constraints for efficient "
                          "viscoelastic fluid simulation, section 6",
             .params = params,
             .param_count = OOZE_STRESS_PARAM_COUNT},
    .fields = fields,
    .field_count = 1,
    .material_keys = material_keys,
    .ghost_fields = ghost_fields,
    .uses_fluid_neighbours = true,
    .uses_boundary_neighbours = true,
    .divides_unstable_steps = true,
    .create = ooze_density_memory_create,
    .destroy = ooze_density_memory_destroy,
    .bytes = ooze_density_memory_bytes,
    .step = step,
    .records_stress = true,
    .stable_step = ooze_stress_stable_step,
    .advise = ooze_advise_numbers,
    .derive_material = ooze_derive_maxwell,
    .numerical_viscosity = 0.37, /* stress_T06 */
};
