/* Rows of dynamic solids in the velocity solve. The samples of a no-slip solid take part in
   velocity gradients with v = V + w x arm, and V and w are unknowns like the velocities of
   particles: their rows are

     M y - dt f = M y*,   f = - forces of its samples on particles,

   so that the system stays symmetric and positive definite, and the step has no stability bound;
   light solids in viscous fluid move with the fluid. The preconditioner is the inverse mass, as for
   particles: every iterate keeps momentum. */
#include "methods/conformation/cpu/lodge_multigrid.h"
#include "methods/conformation/solid_pushes.h"
#include "physics/rigid_motion.h"

void ooze_lodge_solids_spread(OozeLodge *solve)
{
    OozeDynamicCoupling *c = solve->step->own->coupling;
    if (c && solve->own->with_explicit_terms) {
        ooze_coupling_spread_motion(c);
    } else if (c) {
        ooze_coupling_spread_direction(c);
    }
}

/* ---- forces --------------------------------------------------------------------------------- */

static OozeVec3 widen(OozeF32x4 a)
{
    return vec3((double)a[0], (double)a[1], (double)a[2]);
}

/* Force of a sample with velocity v on a particle: F g + n f (v - u), see stress_flux_formula.h. */
static OozeF32x4 force_of(const OozeRows *flux, float n, OozeF32x4 edge, OozeF32x4 v)
{
    OozeF32x4 g = edge * ooze_f32x4(1, 1, 1, -1), none = {0};
    OozeF32x4 force =
        ooze_f32x4_row_sums(flux->row[0] * g, flux->row[1] * g, flux->row[2] * g, none);
    return force + (n * edge[3]) * v;
}

typedef struct Force {
    const OozeConformationStep *step;
    const OozeRows *flux;
    const float *hourglass;   /* NULL: none */
    const OozeFloat4 *moving; /* velocities of the samples */
} Force;

static void force_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Force *job = data;
    const OozeConformationStep *s = job->step;
    OozeDynamicCoupling *c = s->own->coupling;
    const OozeNeighbours *walls = s->context->fluid_boundary;
    if (!c->near[begin / OOZE_COUPLING_GRAIN]) {
        return;
    }
    OozeTwist *sum = ooze_coupling_chunk(c, begin);
    for (uint64_t i = begin; i < end; i++) {
        float n = job->hourglass ? job->hourglass[i] : 0.0f;
        for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
            uint32_t b = walls->index[e];
            int k = c->index_of[c->view.solid[b]];
            if (k >= 0 && s->own->wall_edge[e][3] != 0.0f) {
                OozeF32x4 force = force_of(&job->flux[i], n, s->own->wall_edge[e],
                                           ooze_f32x4_load(&job->moving[b].x));
                ooze_coupling_add(&sum[k], c->arm[b], widen(force));
            }
        }
    }
}

/* Forces of samples on particles, per solid. */
static void collect_forces(Force *job)
{
    const OozeConformationStep *s = job->step;
    ooze_parallel_for(s->context->threads, s->n, OOZE_COUPLING_GRAIN, force_range, job);
    ooze_coupling_collect(s->own->coupling);
}

void ooze_lodge_solids_pull(OozeConformationStep *s)
{
    OozeDynamicCoupling *c = s->own->coupling;
    if (!c) {
        return;
    }
    ooze_coupling_collect(c);
    for (int k = 0; k < c->count; k++) {
        OozeDynamicSolid *solid = &c->solids[k];
        OozeTwist change = ooze_coupling_velocity_change(solid, &solid->collected);
        ooze_twist_add(&solid->motion_star, -(double)s->dt, &change);
        solid->motion = solid->motion_star;
    }
    ooze_coupling_spread_motion(c);
}

void ooze_lodge_solids_expect(OozeConformationStep *s, double sign)
{
    OozeDynamicCoupling *c = s->own->coupling;
    if (!c) {
        return;
    }
    for (int k = 0; k < c->count && s->solid_pushes; k++) {
        ooze_solid_push_add(&c->solids[k], &s->solid_pushes[k], sign);
    }
    ooze_coupling_spread_motion(c);
}

float ooze_lodge_solids_push_share(const OozeConformationStep *s, uint64_t i)
{
    const OozeDynamicCoupling *c = s->own->coupling;
    const OozeNeighbours *walls = s->context->fluid_boundary;
    const float own = s->rheology[s->material[i]].expected_push_share;
    float share = own;
    if (c && s->context->boundary->count > 0) { /* c->near is that of the density stage by now */
        for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
            int k = c->index_of[c->view.solid[walls->index[e]]];
            share =
                k >= 0 ? ooze_min(share, ooze_solid_push_share(&s->solid_pushes[k], own)) : share;
        }
    }
    return share;
}

double ooze_lodge_solids_product(OozeLodge *solve)
{
    const OozeConformationStep *s = solve->step;
    OozeDynamicCoupling *c = s->own->coupling;
    double product = 0.0;
    if (!c) {
        return product;
    }
    Force job = {.step = s,
                 .flux = solve->own->flux,
                 .hourglass = solve->hourglass,
                 .moving =
                     solve->own->with_explicit_terms ? c->view.velocity : c->direction_velocity};
    collect_forces(&job);
    for (int k = 0; k < c->count; k++) {
        OozeDynamicSolid *solid = &c->solids[k];
        const OozeTwist *y = solve->own->with_explicit_terms ? &solid->motion : &solid->direction;
        solid->product = ooze_coupling_momentum(c, solid, y);
        ooze_twist_add(&solid->product, (double)s->dt,
                       &solid->collected); /* the force on the solid is the opposite */
        product += ooze_twist_dot(&solid->product, y);
    }
    return product;
}

/* ---- conjugate gradients -------------------------------------------------------------------- */

double ooze_lodge_solids_start(OozeLodge *solve)
{
    OozeDynamicCoupling *c = solve->step->own->coupling;
    double square = 0.0;
    for (int k = 0; c && k < c->count; k++) {
        OozeDynamicSolid *solid = &c->solids[k];
        solid->residual = ooze_coupling_momentum(c, solid, &solid->motion_star);
        ooze_twist_add(&solid->residual, -1.0, &solid->product);
        solid->direction = ooze_coupling_velocity_change(solid, &solid->residual);
        square += ooze_twist_dot(&solid->residual, &solid->direction);
    }
    return square;
}

double ooze_lodge_solids_advance(OozeLodge *solve)
{
    OozeDynamicCoupling *c = solve->step->own->coupling;
    double square = 0.0,
           alpha = (double)(float)solve->own->alpha; /* rounded as for the particles */
    for (int k = 0; c && k < c->count; k++) {
        OozeDynamicSolid *solid = &c->solids[k];
        ooze_twist_add(&solid->motion, alpha, &solid->direction);
        ooze_twist_add(&solid->residual, -alpha, &solid->product);
        OozeTwist response = ooze_coupling_velocity_change(solid, &solid->residual);
        square += ooze_twist_dot(&solid->residual, &response);
    }
    return square;
}

static OozeTwist response_of(const OozeLodge *solve, int k)
{
    const OozeDynamicSolid *solid = &solve->step->own->coupling->solids[k];
    return solve->multigrid ? ooze_lodge_multigrid_solid_response(solve->multigrid, k)
                            : ooze_coupling_velocity_change(solid, &solid->residual);
}

double ooze_lodge_solids_precondition(const OozeLodge *solve)
{
    const OozeDynamicCoupling *c = solve->step->own->coupling;
    double sum = 0.0;
    for (int k = 0; c && k < c->count; k++) {
        OozeTwist response = response_of(solve, k);
        sum += ooze_twist_dot(&response, &c->solids[k].residual);
    }
    return sum;
}

void ooze_lodge_solids_update(OozeLodge *solve)
{
    OozeDynamicCoupling *c = solve->step->own->coupling;
    for (int k = 0; c && k < c->count; k++) {
        OozeDynamicSolid *solid = &c->solids[k];
        OozeTwist next = response_of(solve, k);
        ooze_twist_add(&next, (double)(float)solve->own->beta, &solid->direction);
        solid->direction = next;
    }
}

double ooze_lodge_solids_dot(const OozeLodge *solve)
{
    const OozeDynamicCoupling *c = solve->step->own->coupling;
    double along = 0.0;
    for (int k = 0; c && k < c->count; k++) {
        along += ooze_twist_dot(&c->solids[k].direction, &c->solids[k].residual);
    }
    return along;
}

void ooze_lodge_solids_zero(OozeLodge *solve)
{
    OozeDynamicCoupling *c = solve->step->own->coupling;
    for (int k = 0; c && k < c->count; k++) {
        c->solids[k].direction = (OozeTwist){{0}};
    }
}

/* ---- search direction from that of the fluid ------------------------------------------------ */

/* Moments of the guess over the edges to a solid, which a rigid motion is fitted to. */
typedef enum Moment { VELOCITY, WEIGHT, SQUARE } Moment;

typedef struct Follow {
    const OozeLodge *solve;
    Moment moment;
} Follow;

static void add_edge(const Follow *job, OozeTwist *sum, float weight, OozeVec3 arm, uint64_t i)
{
    double f = (double)weight;
    if (job->moment == VELOCITY) {
        ooze_coupling_add(sum, arm, vec3_scale(widen(job->solve->p[i]), f));
    } else if (job->moment == WEIGHT) {
        OozeTwist more = {{f * arm.x, f * arm.y, f * arm.z, f, 0, 0}};
        ooze_twist_add(sum, 1.0, &more);
    } else {
        double x[3] = {arm.x, arm.y, arm.z};
        ooze_rigid_add_moment(sum->v, f, x);
    }
}

static void follow_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Follow *job = data;
    const OozeConformationStep *s = job->solve->step;
    OozeDynamicCoupling *c = s->own->coupling;
    const OozeNeighbours *walls = s->context->fluid_boundary;
    if (!c->near[begin / OOZE_COUPLING_GRAIN]) {
        return;
    }
    OozeTwist *sum = ooze_coupling_chunk(c, begin);
    for (uint64_t i = begin; i < end; i++) {
        for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
            uint32_t b = walls->index[e];
            int k = c->index_of[c->view.solid[b]];
            if (k >= 0) {
                add_edge(job, &sum[k], s->own->wall_edge[e][3], c->arm[b], i);
            }
        }
    }
}

static void collect(const OozeLodge *solve, Moment moment)
{
    Follow job = {.solve = solve, .moment = moment};
    ooze_parallel_for(solve->step->context->threads, solve->step->n, OOZE_COUPLING_GRAIN,
                      follow_range, &job);
    ooze_coupling_collect(solve->step->own->coupling);
}

/* Fluid around a solid hardly moves relative to it. */
void ooze_lodge_solids_follow(OozeLodge *solve)
{
    OozeDynamicCoupling *c = solve->step->own->coupling;
    ooze_lodge_solids_zero(solve);
    if (!c) {
        return;
    }
    collect(solve, VELOCITY);
    for (int k = 0; k < c->count; k++) {
        c->solids[k].direction = c->solids[k].collected;
    }
    collect(solve, WEIGHT);
    for (int k = 0; k < c->count; k++) {
        c->solids[k].product = c->solids[k].collected;
    }
    collect(solve, SQUARE);
    for (int k = 0; k < c->count; k++) {
        OozeDynamicSolid *solid = &c->solids[k];
        OozeTwist none = {{0}};
        solid->direction =
            solid->product.v[3] > 0.0
                ? ooze_coupling_fit(&solid->direction, &solid->product, &solid->collected)
                : none;
    }
}
