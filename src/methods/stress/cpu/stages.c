/* Stages of the stress method on the processor. */
#include <math.h>

#include "methods/stress/particle_formula.h"
#include "methods/stress/stages.h"
#include "solvers/density/density.h"
#include "solvers/pairs/gather.h"

enum { GRAIN = OOZE_GATHER_GRAIN };

static void run(OozeStressStep *s, OozeRangeBody body)
{
    ooze_parallel_for(s->machine->context->threads, s->machine->n, GRAIN, body, s);
}

/* ---- edges ---------------------------------------------------------------------------------- */

static OozeStatus gather(OozeStressStep *s, OozeError *error)
{
    s->gather = ooze_machine_alloc(s->machine, 1, sizeof *s->gather);
    if (!s->gather) {
        return ooze_machine_status(s->machine, "the stress step", error);
    }
    *s->gather = (OozeGather){.context = s->machine->context,
                              .n = s->machine->n,
                              .support = s->support,
                              .volume = s->volume,
                              .wall_scale = s->wall_scale,
                              .x = s->x};
    OozeStatus status = ooze_gather(s->gather, error);
    s->correction = s->gather->correction;
    s->edge_sum = s->gather->edge_sum;
    s->density = s->gather->density;
    return status;
}

/* ---- gradient and stress -------------------------------------------------------------------- */

/* L = (sum u_ji g^T) B, walls included. */
static OozeMat3 gradient_of(const OozeStressStep *s, const OozeF32x4 *u, uint64_t i)
{
    const OozeStepContext *c = s->machine->context;
    const OozeNeighbours *list = c->fluid, *walls = c->fluid_boundary;
    const OozeBoundary *boundary = c->boundary;
    OozeF32x4 own = u[i], x = {0}, y = {0}, z = {0};
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
        OozeF32x4 g = ooze_edge_at(&s->gather->edges, i, e), v = u[list->index[e]] - own;
        x += v[0] * g;
        y += v[1] * g;
        z += v[2] * g;
    }
    uint32_t wall_count = boundary->count ? walls->count[i] : 0;
    for (uint32_t w = 0; w < wall_count; w++) {
        uint64_t e = walls->first[i] + w;
        OozeFloat4 b = boundary->velocity[walls->index[e]];
        OozeF32x4 g = s->gather->wall_edge[e], v = ooze_f32x4(b.x, b.y, b.z, 0) - own;
        x += v[0] * g;
        y += v[1] * g;
        z += v[2] * g;
    }
    OozeMat3 raw = {{x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]}};
    return ooze_mat3_mul_sym3(raw, s->correction[i]);
}

static const OozeStressMaterial *material_of(const OozeStressStep *s, uint64_t i)
{
    return &s->materials[s->material[i]];
}

static void flux_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeStressStep *s = data;
    const OozeStepContext *c = s->machine->context;
    float reference = (float)c->materials[0].values[OOZE_MATERIAL_DENSITY];
    for (uint64_t i = begin; i < end; i++) {
        OozeMat3 l = gradient_of(s, s->u, i);
        OozeSym3 stress = ooze_stress_of(material_of(s, i), s->strain + 8 * i, l);
        if (c->stress) {
            c->stress[i] = ooze_sym3_scale(stress, reference);
        }
        float n = ooze_stress_hourglass(material_of(s, i), s->correction[i]);
        OozeMat3 f = ooze_stress_flux(stress, s->correction[i], l, n);
        s->flux[i] = (OozeStressFlux){{ooze_f32x4(f.m[0], f.m[1], f.m[2], n),
                                       ooze_f32x4(f.m[3], f.m[4], f.m[5], 0),
                                       ooze_f32x4(f.m[6], f.m[7], f.m[8], 0)}};
    }
}

static void find_flux(OozeStressStep *s)
{
    run(s, flux_range);
}

/* ---- stability ------------------------------------------------------------------------------ */

static void stiffness_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeStressStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        s->stiffness[i] = ooze_stress_particle_stiffness(material_of(s, i), s->strain + 8 * i,
                                                         s->correction[i], s->dt);
    }
}

/* Gershgorin's row of each particle. */
static void load_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeStressStep *s = data;
    const OozeStepContext *c = s->machine->context;
    const OozeNeighbours *list = c->fluid, *walls = c->fluid_boundary;
    for (uint64_t i = begin; i < end; i++) {
        float own = s->stiffness[i], row = 0.0f;
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            row +=
                ooze_stress_row_term(own, s->stiffness[list->index[e]], s->gather->edges.weight[e]);
        }
        uint32_t wall_count = c->boundary->count ? walls->count[i] : 0;
        for (uint32_t w = 0; w < wall_count; w++) {
            row += ooze_stress_wall_row_term(own, s->gather->wall_edge[walls->first[i] + w][3]);
        }
        s->load[i] = row / (float)material_of(s, i)->relative_mass;
    }
}

static void find_stiffness(OozeStressStep *s)
{
    run(s, stiffness_range);
}

static void find_load(OozeStressStep *s)
{
    run(s, load_range);
}

/* ---- velocities ----------------------------------------------------------------------------- */

static OozeF32x4 apply(const OozeStressFlux *f, OozeF32x4 v)
{
    return ooze_f32x4(ooze_f32x4_dot3(f->row[0], v), ooze_f32x4_dot3(f->row[1], v),
                      ooze_f32x4_dot3(f->row[2], v), 0);
}

/* See ooze_stress_flux. A boundary sample has the stress of the particle. */
static OozeF32x4 force_on(const OozeStressStep *s, uint64_t i)
{
    const OozeStepContext *c = s->machine->context;
    const OozeNeighbours *list = c->fluid, *walls = c->fluid_boundary;
    const OozeBoundary *boundary = c->boundary;
    OozeF32x4 own = s->u[i];
    float n = s->flux[i].row[0][3];
    OozeF32x4 force = apply(&s->flux[i], s->edge_sum[i]);
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
        uint32_t j = list->index[e];
        OozeF32x4 g = ooze_edge_at(&s->gather->edges, i, e);
        force += apply(&s->flux[j], g) + (n + s->flux[j].row[0][3]) * g[3] * (s->u[j] - own);
    }
    uint32_t wall_count = boundary->count ? walls->count[i] : 0;
    for (uint32_t w = 0; w < wall_count; w++) {
        uint64_t e = walls->first[i] + w;
        OozeFloat4 b = boundary->velocity[walls->index[e]];
        force += n * s->gather->wall_edge[e][3] * (ooze_f32x4(b.x, b.y, b.z, 0) - own);
    }
    force[3] = 0;
    return force;
}

static void force_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeStressStep *s = data;
    OozeVec3 gravity = s->machine->context->gravity;
    OozeF32x4 g = ooze_f32x4((float)gravity.x, (float)gravity.y, (float)gravity.z, 0);
    for (uint64_t i = begin; i < end; i++) {
        float mass = (float)material_of(s, i)->relative_mass;
        s->next_u[i] = s->u[i] + (float)s->dt * (g + force_on(s, i) / mass);
    }
}

static void apply_forces(OozeStressStep *s)
{
    run(s, force_range);
}

/* ---- positions ------------------------------------------------------------------------------ */

static bool finds_neighbours(OozeStressStep *s)
{
    (void)s; /* the density stage finds its own ghosts */
    return true;
}

/* ---- density -------------------------------------------------------------------------------- */

static void find_density_target(OozeStressStep *s, float kept_share)
{
    for (uint64_t i = 0; i < s->machine->n; i++) {
        s->density_target[i] =
            ooze_stress_density_target(ooze_stress_excess(s->density[i]), kept_share);
    }
}

static OozeStatus solve_density(OozeStressStep *s, OozeDensityJob *job, OozeError *error)
{
    job->own = s->memory;
    return ooze_density_solve(job, s->next_x, s->shift, error);
}

static void add_shift(OozeStressStep *s)
{
    for (uint64_t i = 0; i < s->machine->n; i++) {
        s->next_x[i] += s->shift[i];
        s->next_u[i] += s->shift[i] / (float)s->dt;
    }
}

/* ---- conformation --------------------------------------------------------------------------- */

static void strain_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeStressStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        float rate = (float)material_of(s, i)->rate;
        ooze_stress_carry(s->strain + 8 * i, gradient_of(s, s->next_u, i), rate, (float)s->dt);
    }
}

static void carry_strain(OozeStressStep *s)
{
    run(s, strain_range);
}

const OozeStressStages ooze_stress_stages = {
    .gather = gather,
    .find_stiffness = find_stiffness,
    .find_load = find_load,
    .find_flux = find_flux,
    .apply_forces = apply_forces,
    .finds_neighbours = finds_neighbours,
    .find_density_target = find_density_target,
    .solve_density = solve_density,
    .add_shift = add_shift,
    .carry_strain = carry_strain,
};
