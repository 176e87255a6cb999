/* Dynamic solids in the velocity solve. Where fluid clings to a solid, the solid's samples take part in velocity gradients with
   v = V + w x arm, and V and w are unknowns like the velocities of particles: their rows are

     M y - dt f = M y*,   f = what the particles near it do to its samples, each force opposite to that on the particle,

   so that the system stays symmetric, positive definite, and free of any bound on the step; light solids in thick fluid go with
   the fluid. Residuals are answered by the inverse mass, as those of particles: every iterate keeps momentum. */
#include "methods/conformation/lodge.h"

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

static void force_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    const OozeConformationStep *s = solve->step;
    OozeCoupled *c = s->coupled;
    const OozeNeighbours *walls = s->context->fluid_boundary;
    const OozeFloat4 *moving = solve->with_known ? c->view.velocity : c->way;
    if (!c->near[begin / OOZE_COUPLED_GRAIN]) {
        return;
    }
    OozeSix *sum = ooze_coupled_chunk(c, begin);
    for (uint64_t i = begin; i < end; i++) {
        for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
            uint32_t b = walls->index[e];
            int k = c->number[c->view.solid[b]];
            if (k >= 0 && s->wall_edge[e][3] != 0.0f) {
                OozeFour force = force_of(&solve->flux[i], solve->hourglass[i], s->wall_edge[e],
                                          ooze_four_load(&moving[b].x));
                ooze_coupled_add(&sum[k], c->arm[b], widen(force));
            }
        }
    }
}

double ooze_couple_product(OozeLodge *solve)
{
    const OozeConformationStep *s = solve->step;
    OozeCoupled *c = s->coupled;
    double product = 0.0;
    if (!c) {
        return product;
    }
    ooze_parallel_for(s->context->threads, s->n, OOZE_COUPLED_GRAIN, force_range, solve);
    ooze_coupled_collect(c);
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
        solid->residual = ooze_coupled_momentum(c, solid, &solid->given);
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

void ooze_couple_follow(OozeLodge *solve)
{
    ooze_couple_rest(solve);
}
