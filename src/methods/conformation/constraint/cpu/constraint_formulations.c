/* Conformation as a constraint, in two formulations: the method `constraint`.

   `paper`: equations 6, 7 and 9 to 18 of Barreiro et al. 2017 as printed, for comparison.
   Compliance alpha/dt in the velocity stage, equal on six rows; velocities and positions both get
   the full compliant response; beta/n of the receiver scales its velocity change, but not the
   multipliers; Q rotates with the transposed gradient; the velocity stage ignores solids.

   `consistent`: the same constraint with corrected units, isotropy, momentum, convection, rotation
   and contact. See docs/methods/constraint.md. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "methods/conformation/constraint/cpu/constraint_solve.h"
#include "methods/conformation/constraint/paper_formula.h"

/* ---- beginning of the step ------------------------------------------------------------------ */

static OozeConstraintMaterial consistent_material(const OozeRheology *r, double dt)
{
    OozeConstraintLaw soft =
        ooze_constraint_law((double)r->modulus, (double)r->relaxation, (double)r->viscosity, dt);
    OozeConstraintMaterial m = {.share = soft.share, .shear = soft.compliance};
    if (r->compliance == 0.0f && !(r->modulus > 0.0f)) {
        m.shear = 0.0f; /* as viscous as the iterations allow */
    }
    m.normal = 2.0f * m.shear;
    return m;
}

/* Eq 7 has viscosity (tau + dt)/alpha, from which a fluid given otherwise gets its alpha. */
static OozeConstraintMaterial paper_material(const OozeRheology *r, double dt)
{
    double alpha = 1e20;
    if (!isnan(r->compliance)) {
        alpha = (double)(r->compliance / r->relative_mass);
    } else if (r->modulus > 0.0f) {
        alpha = 1.0 / (double)r->modulus;
    } else if (r->viscosity > 0.0f) {
        alpha = dt / (double)r->viscosity;
    }
    OozeConstraintMaterial m = {.share = 1.0f, .shear = (float)(alpha / dt)};
    m.normal = m.shear;
    return m;
}

OozeConstraintMaterial ooze_constraint_material(const OozeRheology *rheology,
                                                OozeFormulationKind formulation, double dt)
{
    return formulation == OOZE_FORMULATION_PAPER ? paper_material(rheology, dt)
                                                 : consistent_material(rheology, dt);
}

static OozeStatus create(OozeConformationStep *s, bool paper, OozeConstraint **out,
                         OozeError *error)
{
    OozeArena *arena = s->context->arena;
    OozeConstraint *c = ooze_arena_alloc(arena, 1, sizeof *c);
    uint64_t n = s->n, local = s->local;
    int count = s->plan->row_count;
    OozeConstraintMaterial *materials = ooze_arena_alloc(arena, (size_t)count, sizeof *materials);
    bool searches = !paper && s->plan->settings.solver == OOZE_CONSTRAINT_CONJUGATE_GRADIENTS;
    uint64_t searched = searches ? n : 0;
    if (!c || !materials) {
        return ooze_fail_memory(error, "the constraint solve", sizeof *c);
    }
    *c = (OozeConstraint){
        .step = s,
        .materials = materials,
        .correction = s->correction,
        .known = ooze_arena_alloc(arena, n, sizeof *c->known),
        .diagonal = ooze_gathered_alloc(arena, n, sizeof *c->diagonal),
        .lambda = ooze_gathered_alloc(arena, n, sizeof *c->lambda),
        .before = ooze_arena_alloc(arena, n, sizeof *c->before),
        .direction = ooze_arena_alloc(arena, searched, sizeof *c->direction),
        .product = ooze_arena_alloc(arena, searched, sizeof *c->product),
        .flux = ooze_gathered_alloc(arena, local, sizeof *c->flux),
        .base = ooze_gathered_alloc(arena, n, sizeof *c->base),
        .u_star = ooze_gathered_alloc(arena, local, sizeof *c->u_star),
        .free = ooze_arena_alloc(arena, n, sizeof *c->free),
        .change = ooze_gathered_alloc(arena, searches ? local : 0, sizeof *c->change),
        .hourglass = ooze_gathered_alloc(arena, local, sizeof *c->hourglass),
        .edge_hourglass = ooze_gathered_alloc(arena, n, sizeof *c->edge_hourglass),
        .active = ooze_arena_alloc(arena, s->own->contact_count, sizeof *c->active),
        .partial = ooze_arena_alloc(arena, n / OOZE_CONFORMATION_GRAIN + 1, sizeof *c->partial),
        .squares = ooze_arena_alloc(arena, n / OOZE_CONFORMATION_GRAIN + 1, sizeof *c->squares),
        .with_contacts = !paper,
        .weight = 1.0f,
    };
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the constraint solve", n * 256);
    }
    for (int m = 0; m < count; m++) {
        materials[m] = ooze_constraint_material(&s->rheology[m], s->plan->settings.formulation,
                                                s->context->dt);
    }
    memcpy(c->u_star, s->u, n * sizeof *c->u_star);
    ooze_halo_refresh(s->context->halo, s->mobility, sizeof *s->mobility);
    s->own->constraint = c;
    *out = c;
    return OOZE_OK;
}

/* ---- consistent ------------------------------------------------------------------------------ */

/* See ooze_constraint_known. */
static void known_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConstraint *c = data;
    const OozeConformationStep *s = c->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 unused;
        OozeMat3 l = {{0}};
        if (s->plan->settings.corotation) {
            l = ooze_mat3_mul_sym3(ooze_raw_gradient(s, s->u, i, &unused, true), c->correction[i]);
        }
        float share = c->materials[s->material[i]].share;
        c->known[i] = ooze_constraint_known(ooze_strain_beyond_rest(s, i), l, s->dt, share);
    }
}

static float *saved_multipliers(const OozeConformationStep *s)
{
    OozeParticles *particles = s->context->particles;
    int field = ooze_particles_find_field(particles, "multipliers");
    return ooze_particles_data(particles, field);
}

static OozeStatus solve_consistent(OozeConformationStep *s, OozeError *error)
{
    OozeConstraint *c;
    const OozeConformationSettings *settings = &s->plan->settings;
    OozeStatus status = create(s, false, &c, error);
    if (!status) {
        status = ooze_constraint_diagonal(c, error);
    }
    if (status) {
        return status;
    }
    float *saved = saved_multipliers(s);
    float warm = settings->positions_only ? 0.0f : settings->warm_start;
    for (uint64_t i = 0; i < s->n; i++) {
        const float *l = saved + 8 * i;
        c->lambda[i] = ooze_sym3_scale(ooze_sym3(l[0], l[1], l[2], l[3], l[4], l[5]), warm);
    }
    ooze_halo_refresh(s->context->halo, s->u, sizeof *s->u);
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, known_range, c);
    ooze_constraint_loops()->start(c);
    if (settings->positions_only) {
        return OOZE_OK;
    }
    if (settings->solver == OOZE_CONSTRAINT_CONJUGATE_GRADIENTS) {
        ooze_constraint_loops()->conjugate_gradients(
            c, settings->velocity_iterations, (double)settings->chebyshev, settings->tolerance);
    } else {
        bool plain = settings->solver == OOZE_CONSTRAINT_JACOBI;
        ooze_constraint_loops()->jacobi(c, settings->velocity_iterations,
                                        plain ? 0.0 : (double)settings->chebyshev,
                                        settings->tolerance);
    }
    s->residual = c->solve;
    return OOZE_OK;
}

static void finish_consistent_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConstraint *c = data;
    OozeConformationStep *s = c->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 unused;
        OozeMat3 l =
            ooze_mat3_mul_sym3(ooze_raw_gradient(s, s->u, i, &unused, true), c->correction[i]);
        float tau = s->rheology[s->material[i]].relaxation;
        ooze_strain_set(s, i,
                        ooze_constraint_conformation(ooze_strain_get(s, i), l,
                                                     s->plan->settings.corotation, s->dt, tau));
    }
}

static void finish_consistent(OozeConformationStep *s)
{
    OozeConstraint *c = s->own->constraint;
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, finish_consistent_range,
                      c);
    float *saved = saved_multipliers(s);
    for (uint64_t i = 0; i < s->n; i++) {
        const OozeSym3 l = c->lambda[i];
        float *out = saved + 8 * i;
        out[0] = l.xx;
        out[1] = l.yy;
        out[2] = l.zz;
        out[3] = l.xy;
        out[4] = l.xz;
        out[5] = l.yz;
        if (s->context->stress) { /* a multiplier is minus a stress */
            s->context->stress[i] =
                ooze_sym3_scale(ooze_constraint_transpose(l), -ooze_reference_density(s));
        }
    }
}

/* ---- paper ----------------------------------------------------------------------------------- */

static OozeStatus solve_paper(OozeConformationStep *s, OozeError *error)
{
    OozeConstraint *c;
    OozeStatus status = create(s, true, &c, error);
    if (status) {
        return status;
    }
    OozeSym3 *plain = ooze_arena_alloc(s->context->arena, s->n, sizeof *plain);
    float *receiver = ooze_arena_alloc(s->context->arena, s->n, sizeof *receiver);
    if (!plain || !receiver) {
        return ooze_fail_memory(error, "the constraint solve", s->n * sizeof *plain);
    }
    const OozeNeighbours *walls = s->context->fluid_boundary;
    for (uint64_t i = 0; i < s->n; i++) {
        uint32_t near = s->context->boundary->count ? walls->count[i] : 0;
        plain[i] = ooze_sym3_identity(1);
        receiver[i] = ooze_constraint_relaxation(s->context->fluid->count[i] + near);
        c->lambda[i] = ooze_sym3_identity(0);
        c->known[i] = ooze_strain_beyond_rest(s, i);
    }
    c->correction = plain;
    c->receiver = receiver;
    if (s->plan->settings.positions_only) {
        return OOZE_OK;
    }
    status = ooze_constraint_diagonal(c, error);
    if (!status) {
        ooze_constraint_loops()->start(c);
        ooze_constraint_loops()->jacobi(c, s->plan->settings.velocity_iterations, 0.0,
                                        s->plan->settings.tolerance);
        s->residual = c->solve;
    }
    return status;
}

static void finish_paper_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConformationStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 unused;
        OozeMat3 l = ooze_raw_gradient(s, s->u, i, &unused, true);
        float tau = s->rheology[s->material[i]].relaxation;
        ooze_strain_set(s, i, ooze_paper_conformation(ooze_strain_get(s, i), l, s->dt, tau));
    }
}

static void finish_paper(OozeConformationStep *s)
{
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, finish_paper_range, s);
}

/* ---- positions: sweeps of density and of conformation alternate ---- */

typedef struct PositionSweeps {
    OozeConstraint *constraint;
    OozeF32x4 *u, *shift;
} PositionSweeps;

static void to_velocity_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const PositionSweeps *sweeps = data;
    const OozeConformationStep *s = sweeps->constraint->step;
    for (uint64_t i = begin; i < end; i++) {
        sweeps->u[i] = s->u[i] + sweeps->shift[i] / s->dt;
    }
}

static void to_shift_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const PositionSweeps *sweeps = data;
    const OozeConformationStep *s = sweeps->constraint->step;
    for (uint64_t i = begin; i < end; i++) {
        sweeps->shift[i] = (sweeps->u[i] - s->u[i]) * s->dt;
    }
}

static void between_consistent(void *user, OozeF32x4 *shift)
{
    PositionSweeps *sweeps = user;
    const OozeConformationStep *s = sweeps->constraint->step;
    OozeThreads *threads = s->context->threads;
    sweeps->shift = shift;
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, to_velocity_range, sweeps);
    ooze_corotated_loops()->sweep(sweeps->constraint, sweeps->u);
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, to_shift_range, sweeps);
}

static OozeStatus solve_positions_consistent(OozeConformationStep *s, OozeError *error)
{
    OozeConstraint *c = s->own->constraint;
    PositionSweeps sweeps = {.constraint = c, .u = c->u_star}; /* u* is no longer needed */
    OozeDensityJob job = ooze_conformation_density_job(s);
    job.own = s->memory->density;
    if (!s->plan->settings.velocity_only) {
        ooze_corotated_loops()->set_damping(c, job.iterations);
        ooze_timer_lap(s->context->timer, "prepare");
        job.between = between_consistent;
        job.user = &sweeps;
    }
    return ooze_density_solve(&job, s->x, s->shift, error);
}

static void between_paper(void *user, OozeF32x4 *shift)
{
    ooze_paper_positions_sweep(user, shift);
}

static OozeStatus solve_positions_paper(OozeConformationStep *s, OozeError *error)
{
    OozePaperPositions printed;
    OozeDensityJob job = ooze_conformation_density_job(s);
    job.own = s->memory->density;
    job.drift = NULL;
    job.density_target = NULL;
    job.position_only_shift = NULL;
    job.start = NULL;
    job.plain = true;
    if (!s->plan->settings.velocity_only) {
        OozeStatus status = ooze_paper_positions_begin(&printed, s->own->constraint, s->x, error);
        if (status) {
            return status;
        }
        job.between = between_paper;
        job.user = &printed;
    }
    return ooze_density_solve(&job, s->x, s->shift, error);
}

const OozeFormulation ooze_formulation_consistent = {
    .solve_velocities = solve_consistent,
    .solve_positions = solve_positions_consistent,
    .finish = finish_consistent,
};

const OozeFormulation ooze_formulation_paper = {
    .kernel_gradients = true,
    .solve_velocities = solve_paper,
    .solve_positions = solve_positions_paper,
    .finish = finish_paper,
};
