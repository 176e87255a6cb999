/* Dynamic solids in the velocity solve. Where fluid clings to a solid, the solid's samples take part in velocity gradients with
   v = V + w x arm, and V and w are unknowns like the velocities of particles: their rows are

     M y - dt f = M y*,   f = what the particles near it do to its samples, each force opposite to that on the particle,

   so that the system stays symmetric, positive definite, and free of any bound on the step; light solids in thick fluid go with
   the fluid. Residuals are answered by the inverse mass, as those of particles: every iterate keeps momentum. */
#include "methods/conformation/lodge.h"
#include "physics/rigid_motion.h"

void ooze_couple_spread(OozeLodge *solve)
{
    OozeCoupled *c = solve->step->coupled;
    if (c && solve->with_known) {
        ooze_coupled_spread_motion(c);
    } else if (c) {
        ooze_coupled_spread_direction(c);
    }
}

/* ---- forces ---------------------------------------------------------------------------------------- */

static OozeVec3 widen(OozeFour a)
{
    return vec3((double)a[0], (double)a[1], (double)a[2]);
}

/* Of a sample with velocity v on a particle: F g + n f (v - u), see hand_on.h; the flux has n u in its last lanes. */
static OozeFour force_of(const OozeRows *flux, float n, OozeFour edge, OozeFour v)
{
    OozeFour g = edge * ooze_four(1, 1, 1, -1), none = {0};
    OozeFour force = ooze_four_sums(flux->row[0] * g, flux->row[1] * g, flux->row[2] * g, none);
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
    OozeCoupled *c = s->coupled;
    const OozeNeighbours *walls = s->context->fluid_boundary;
    if (!c->near[begin / OOZE_COUPLED_GRAIN]) {
        return;
    }
    OozeSix *sum = ooze_coupled_chunk(c, begin);
    for (uint64_t i = begin; i < end; i++) {
        float n = job->hourglass ? job->hourglass[i] : 0.0f;
        for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
            uint32_t b = walls->index[e];
            int k = c->number[c->view.solid[b]];
            if (k >= 0 && s->wall_edge[e][3] != 0.0f) {
                OozeFour force =
                    force_of(&job->flux[i], n, s->wall_edge[e], ooze_four_load(&job->moving[b].x));
                ooze_coupled_add(&sum[k], c->arm[b], widen(force));
            }
        }
    }
}

/* All that samples do to particles, per solid. */
static void collect_forces(Force *job)
{
    const OozeConformationStep *s = job->step;
    ooze_parallel_for(s->context->threads, s->n, OOZE_COUPLED_GRAIN, force_range, job);
    ooze_coupled_collect(s->coupled);
}

void ooze_couple_pull(OozeConformationStep *s, const OozeRows *flux)
{
    OozeCoupled *c = s->coupled;
    if (!c) {
        return;
    }
    Force job = {.step = s, .flux = flux, .moving = c->way};
    collect_forces(&job);
    for (int k = 0; k < c->count; k++) {
        OozeCoupledSolid *solid = &c->solids[k];
        OozeSix change = ooze_coupled_respond(solid, &solid->sum);
        ooze_six_add(&solid->star, -(double)s->dt, &change);
        solid->motion = solid->star;
    }
    ooze_coupled_spread_motion(c);
}

double ooze_couple_product(OozeLodge *solve)
{
    const OozeConformationStep *s = solve->step;
    OozeCoupled *c = s->coupled;
    double product = 0.0;
    if (!c) {
        return product;
    }
    Force job = {.step = s,
                 .flux = solve->flux,
                 .hourglass = solve->hourglass,
                 .moving = solve->with_known ? c->view.velocity : c->way};
    collect_forces(&job);
    for (int k = 0; k < c->count; k++) {
        OozeCoupledSolid *solid = &c->solids[k];
        const OozeSix *y = solve->with_known ? &solid->motion : &solid->direction;
        solid->product = ooze_coupled_momentum(c, solid, y);
        ooze_six_add(&solid->product, (double)s->dt,
                     &solid->sum); /* what acts on it is the opposite */
        product += ooze_six_dot(&solid->product, y);
    }
    return product;
}

/* ---- conjugate gradients --------------------------------------------------------------------------- */

double ooze_couple_start(OozeLodge *solve)
{
    OozeCoupled *c = solve->step->coupled;
    double square = 0.0;
    for (int k = 0; c && k < c->count; k++) {
        OozeCoupledSolid *solid = &c->solids[k];
        solid->residual = ooze_coupled_momentum(c, solid, &solid->star);
        ooze_six_add(&solid->residual, -1.0, &solid->product);
        solid->direction = ooze_coupled_respond(solid, &solid->residual);
        square += ooze_six_dot(&solid->residual, &solid->direction);
    }
    return square;
}

double ooze_couple_advance(OozeLodge *solve)
{
    OozeCoupled *c = solve->step->coupled;
    double square = 0.0, alpha = (double)(float)solve->alpha; /* as the particles go */
    for (int k = 0; c && k < c->count; k++) {
        OozeCoupledSolid *solid = &c->solids[k];
        ooze_six_add(&solid->motion, alpha, &solid->direction);
        ooze_six_add(&solid->residual, -alpha, &solid->product);
        OozeSix response = ooze_coupled_respond(solid, &solid->residual);
        square += ooze_six_dot(&solid->residual, &response);
    }
    return square;
}

void ooze_couple_turn(OozeLodge *solve)
{
    OozeCoupled *c = solve->step->coupled;
    for (int k = 0; c && k < c->count; k++) {
        OozeCoupledSolid *solid = &c->solids[k];
        OozeSix next = ooze_coupled_respond(solid, &solid->residual);
        ooze_six_add(&next, (double)(float)solve->beta, &solid->direction);
        solid->direction = next;
    }
}

double ooze_couple_along(const OozeLodge *solve)
{
    const OozeCoupled *c = solve->step->coupled;
    double along = 0.0;
    for (int k = 0; c && k < c->count; k++) {
        along += ooze_six_dot(&c->solids[k].direction, &c->solids[k].residual);
    }
    return along;
}

void ooze_couple_rest(OozeLodge *solve)
{
    OozeCoupled *c = solve->step->coupled;
    for (int k = 0; c && k < c->count; k++) {
        c->solids[k].direction = (OozeSix){{0}};
    }
}

/* ---- a direction from that of the fluid ------------------------------------------------------------- */

/* What a rigid motion is fitted to: edges weigh what the particles at their near ends do. */
typedef enum Moment { PUSH, WEIGHT, SQUARE } Moment;

typedef struct Follow {
    const OozeLodge *solve;
    Moment moment;
} Follow;

static void add_edge(const Follow *job, OozeSix *sum, float weight, OozeVec3 arm, uint64_t i)
{
    double f = (double)weight;
    if (job->moment == PUSH) {
        ooze_coupled_add(sum, arm, vec3_scale(widen(job->solve->p[i]), f));
    } else if (job->moment == WEIGHT) {
        OozeSix more = {{f * arm.x, f * arm.y, f * arm.z, f, 0, 0}};
        ooze_six_add(sum, 1.0, &more);
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
    OozeCoupled *c = s->coupled;
    const OozeNeighbours *walls = s->context->fluid_boundary;
    if (!c->near[begin / OOZE_COUPLED_GRAIN]) {
        return;
    }
    OozeSix *sum = ooze_coupled_chunk(c, begin);
    for (uint64_t i = begin; i < end; i++) {
        for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
            uint32_t b = walls->index[e];
            int k = c->number[c->view.solid[b]];
            if (k >= 0) {
                add_edge(job, &sum[k], s->wall_edge[e][3], c->arm[b], i);
            }
        }
    }
}

static void collect(const OozeLodge *solve, Moment moment)
{
    Follow job = {.solve = solve, .moment = moment};
    ooze_parallel_for(solve->step->context->threads, solve->step->n, OOZE_COUPLED_GRAIN,
                      follow_range, &job);
    ooze_coupled_collect(solve->step->coupled);
}

/* The rigid motion that least differs from the pushes, weighted: about the mean arm its two halves part. */
static OozeSix fit(const OozeSix *push, const OozeSix *weight, const OozeSix *square)
{
    double w = weight->v[3], moment[6], inverse[6], spin[3];
    OozeVec3 mean = vec3(weight->v[0] / w, weight->v[1] / w, weight->v[2] / w);
    OozeVec3 p = vec3(push->v[0], push->v[1], push->v[2]), turn = vec3_cross(mean, p);
    double m[3] = {mean.x, mean.y, mean.z};
    double l[3] = {push->v[3] - turn.x, push->v[4] - turn.y, push->v[5] - turn.z};
    for (int k = 0; k < 6; k++) {
        moment[k] = square->v[k];
    }
    ooze_rigid_add_moment(moment, -w, m);
    ooze_rigid_inverse_inertia(moment, 1e-6 * (square->v[0] + square->v[1] + square->v[2]),
                               inverse);
    ooze_rigid_apply(inverse, l, spin);
    OozeVec3 v =
        vec3_sub(vec3_scale(p, 1.0 / w), vec3_cross(vec3(spin[0], spin[1], spin[2]), mean));
    OozeSix y = {{v.x, v.y, v.z, spin[0], spin[1], spin[2]}};
    return y;
}

/* What surrounds a solid hardly moves against it. */
void ooze_couple_follow(OozeLodge *solve)
{
    OozeCoupled *c = solve->step->coupled;
    ooze_couple_rest(solve);
    if (!c) {
        return;
    }
    collect(solve, PUSH);
    for (int k = 0; k < c->count; k++) {
        c->solids[k].direction = c->solids[k].sum;
    }
    collect(solve, WEIGHT);
    for (int k = 0; k < c->count; k++) {
        c->solids[k].product = c->solids[k].sum;
    }
    collect(solve, SQUARE);
    for (int k = 0; k < c->count; k++) {
        OozeCoupledSolid *solid = &c->solids[k];
        OozeSix none = {{0}};
        solid->direction =
            solid->product.v[3] > 0.0 ? fit(&solid->direction, &solid->product, &solid->sum) : none;
    }
}
