/* What loops of the velocity solve do with one particle, for the processor and the GPU. */
#ifndef OOZE_METHODS_CONFORMATION_LODGE_PARTICLE_FORMULA_H
#define OOZE_METHODS_CONFORMATION_LODGE_PARTICLE_FORMULA_H

#include "methods/conformation/expected_push_formula.h"
#include "methods/conformation/grid_pressure_formula.h"
#include "methods/conformation/impact_formula.h"
#include "methods/conformation/lodge.h"

/* See expected_push_formula.h. */
OOZE_FORMULA OozeVector ooze_lodge_expected_push(const OozeConformationStep *s, uint64_t i)
{
    const bool expected = s->expects_pushes && s->mobility[i] > 0.0f;
    if (s->first_push) {
        const float share = s->rheology[s->material[i]].expected_push_share;
        return ooze_vector_scale(ooze_push_rate(expected, share, s->dt), s->first_push[i]);
    }
    if (!s->push) {
        return ooze_vector_zero();
    }
    const OozePush push = ooze_push_expected(s->push, i, expected ? s->dt : 0.0f);
    return ooze_vector(push.x, push.y, push.z, 0.0f);
}

/* u* = u and the push that is expected; returns rho u^2. Forces of a surface are opposite on
   neighbouring layers and cancel in the solve of a viscous fluid: their impulse belongs to u*, but
   not to the velocities that the solve starts from, whose residual would make the tolerance too
   large. `applied`: velocity that the known pressure adds; NULL: no grid. */
OOZE_FORMULA double ooze_lodge_start_particle(const OozeConformationStep *s, const OozeLodge *v,
                                              uint64_t i, const OozeVector *applied)
{
    OozeVector u = s->u[i];
    const OozeVector push =
        ooze_vector_add(ooze_lodge_expected_push(s, i), applied ? applied[i] : ooze_vector_zero());
    v->u_star[i] = ooze_vector_madd(u, 1.0f, push);
    const OozeVector first = applied ? v->u_star[i] : u;
    u = s->surface_impulse ? ooze_vector_madd(u, -1.0f, s->surface_impulse[i]) : u;
    s->u[i] = ooze_vector_madd(u, 1.0f, push);
    return (double)s->rheology[s->material[i]].relative_mass *
           (double)ooze_vector_dot(first, first);
}

/* Second order: takes a part of the external forces out of u*, and puts it back in the second
   stage. */
OOZE_FORMULA void ooze_lodge_defer_forces(const OozeConformationStep *s, const OozeLodge *v,
                                          uint64_t i, float share, bool later_pass)
{
    const OozeVector u = v->u_star[i];
    if (later_pass) {
        v->u_star[i] = ooze_vector_madd(u, 1.0f, ooze_vector_with_last(v->deferred[i], 0.0f));
        return;
    }
    bool own = s->mobility[i] > 0.0f && s->rheology[s->material[i]].second_order;
    OozeVector deferred =
        ooze_vector_scale(own ? share : 0.0f, ooze_vector_madd(u, -1.0f, s->velocity[i]));
    v->u_star[i] = ooze_vector_madd(u, -1.0f, deferred);
    v->deferred[i] = ooze_vector_with_last(deferred, share);
}

/* Coefficients of a particle for a pass. The caller has set `more`, `q`, `l` and `later_pass`: Q
   rotates with its velocity in a later pass, or that is the second stage. */
OOZE_FORMULA void ooze_lodge_prepare_particle(const OozeConformationStep *s, const OozeLodge *v,
                                              uint64_t i, bool long_step, OozeLodgeState *state)
{
    const OozeRheology *own = &s->rheology[s->material[i]];
    const bool wet_body = s->film[i] != s->material[i];
    /* where the grid holds the fluid, its pressure closes voids */
    state->expansion = ooze_step_is_held(s, i) ? 0.0f : s->expansion[i];
    state->singular = ooze_step_is_singular(s, i);
    state->dt = s->dt;
    state->bulk_factor = ooze_impact_bulk(s->bulk, long_step);
    state->void_closure = s->void_closure;
    if (v->deferred && state->later_pass) {
        state->first_share = ooze_vector_last(v->deferred[i]);
        state->first_stress =
            ooze_sym3_scale(v->explicit_stress[i], wet_body ? 1.0f / OOZE_FILM : 1.0f);
    }
    OozeLodgeCoefficients c = ooze_lodge_coefficients(&s->rheology[s->film[i]], state);
    s->stress[i] = c.stress;
    if (s->thread_regularisation) {
        s->thread_regularisation[i] = ooze_lodge_thread_regularisation(own, state);
    }
    if (long_step) {
        ooze_impact_oppose_compression(state, ooze_impact_density(s, i), &v->pressure[i], &c);
    }
    if (v->deferred) {
        ooze_lodge_defer_forces(s, v, i, c.share, state->later_pass);
    }
    if (wet_body) {
        c = ooze_lodge_wet_body(c, own, s->bulk);
    }
    v->stiffness[i] = c.stiffness;
    v->explicit_stress[i] = c.explicit_stress;
    v->bulk[i] = c.bulk;
    v->hourglass[i] = c.hourglass;
}

/* The operator of the second stage's iterations. */
OOZE_FORMULA void ooze_lodge_scale_particle(const OozeLodge *v, uint64_t i, float factor)
{
    if (ooze_vector_last(v->deferred[i]) > 0.0f) {
        ooze_lodge_scale(&v->stiffness[i], &v->bulk[i], &v->hourglass[i], factor);
    }
}

/* ---- contacts ---- */

/* Contact directions take the velocity of the surface. In a first stage, velocities are without the
   forces that are deferred, and contacts without tangents. */
OOZE_FORMULA void ooze_lodge_set_contact_velocity(const OozeConformationStep *s, const OozeLodge *v,
                                                  uint64_t i)
{
    OozeContactSet *set = ooze_step_contacts(s, i);
    if (v->deferred && v->pass == 0) {
        s->u[i] = v->u_star[i];
        if (set && s->mobility[i] > 0.0f && ooze_vector_last(v->deferred[i]) > 0.0f) {
            ooze_lodge_free_tangents(set);
        }
    }
    if (set) {
        s->u[i] = ooze_contact_prescribed(set, s->u[i]);
    }
}

/* The contact force on a particle is A u - rho u*; friction of a slipping contact joins u*.
   `pressure`: of particles, in the last lanes; NULL: no grid. */
OOZE_FORMULA void ooze_lodge_release_particle(const OozeConformationStep *s, const OozeLodge *v,
                                              uint64_t i, const OozeVector *pressure)
{
    const float mass = s->rheology[s->material[i]].relative_mass;
    OozeContactSet *set = ooze_step_contacts(s, i);
    if (!set || !(s->mobility[i] > 0.0f)) {
        return;
    }
    OozeVector force = ooze_vector_madd(v->ap[i], -mass, v->u_star[i]);
    OozeVector friction = ooze_vector_zero(), sliding = friction;
    if (pressure) {
        const float own = ooze_vector_last(pressure[i]);
        force = ooze_vector_add(force, ooze_grid_pressure_push_of(own, s->spacing, set));
    }
    if (v->deferred && ooze_vector_last(v->deferred[i]) > 0.0f) {
        const float share = ooze_vector_last(v->deferred[i]);
        OozeVector u = ooze_vector_add(v->u_star[i], v->deferred[i]);
        force = ooze_vector_over(force, 1.0f - share); /* a first stage holds 1 - b of the forces */
        ooze_lodge_friction(set, (const float *)&force, (const float *)&u, mass, (float *)&sliding);
    }
    ooze_contact_release(set, (const float *)&force, (float *)&friction);
    friction = ooze_vector_add(friction, sliding);
    v->u_star[i] = ooze_vector_madd(v->u_star[i], 1.0f, ooze_vector_over(friction, mass));
}

/* ---- end of step ---- */

/* Q at the end of the step; the caller has set `more` and `q`, and stores `q`. `l`: velocity
   gradient of the final motion. */
OOZE_FORMULA void ooze_lodge_end_particle(const OozeConformationStep *s, uint64_t i, OozeMat3 l,
                                          OozeLodgeEnd *end)
{
    end->body = ooze_step_is_body(s, i);
    if (end->body && s->film[i] == s->material[i]) { /* dry: it has no conformation */
        for (int k = 0; k <= end->more; k++) {
            end->q[k] = ooze_sym3_identity(1);
        }
        return;
    }
    end->expansion = s->expansion[i];
    end->density = s->density[i];
    end->surface = s->surface_indicator[i] / (OOZE_VOID_CLOSURE_CUTOFF * s->flat_gradient);
    end->dt = s->dt;
    ooze_lodge_end(&s->rheology[s->film[i]], l, end);
    s->expansion[i] = end->expansion;
}

/* ---- the initial guess ---- */

/* Whether a particle begins with the velocity of the last step's solve, which had neither the
   position corrections of that step nor the external forces of this one: a stiff body would undo
   both. */
OOZE_FORMULA bool ooze_lodge_repeats_velocity(const OozeConformationStep *s, uint64_t i)
{
    const OozeRheology *m = &s->rheology[s->material[i]];
    return !m->second_order && ooze_warm_start_is_elastic(m, s->dt);
}

/* The guess of u - u*, from the last step's solve. */
OOZE_FORMULA OozeVector ooze_lodge_last_change(const OozeConformationStep *s, const OozeLodge *v,
                                               uint64_t i)
{
    const float *a = s->velocity_change + 3 * i;
    OozeVector change = ooze_vector(s->dt * a[0], s->dt * a[1], s->dt * a[2], 0.0f);
    if (ooze_lodge_repeats_velocity(s, i)) {
        change = ooze_vector_add(change, ooze_vector_madd(s->velocity[i], -1.0f, v->u_star[i]));
    }
    return ooze_vector_with_last(change, 0.0f);
}

OOZE_FORMULA void ooze_lodge_record_change(const OozeConformationStep *s, const OozeLodge *v,
                                           uint64_t i, const OozeSolveResidual *residual)
{
    const OozeVector u = s->u[i], u_star = v->u_star[i];
    OozeVector next = ooze_vector_zero();
    ooze_warm_start_next(&s->rheology[s->material[i]], residual, s->dt, (const float *)&u,
                         (const float *)&u_star, (float *)&next);
    s->next_velocity_change[i] = next;
}

/* When the step is done. `share`: of its push that the particle expects in the next one. */
OOZE_FORMULA void ooze_lodge_store_guess(const OozeConformationStep *s, uint64_t i, float share)
{
    OozeVector next = s->next_velocity_change[i];
    if (ooze_lodge_repeats_velocity(s, i)) { /* from the velocity at the end of the step to it */
        const OozeVector only = ooze_vector_over(s->position_only_shift[i], s->dt);
        next = ooze_vector_madd(ooze_vector_add(next, only), -1.0f, s->u[i]);
        next = ooze_vector_over(next, s->dt);
    }
    for (int k = 0; k < 3; k++) {
        s->velocity_change[3 * i + (uint64_t)k] = ooze_vector_lane(next, k);
    }
    if (s->first_push) {
        s->multiplier[i] = ooze_push_multiplier_stored(s->density_multiplier[i], s->dt);
        ooze_push_forget(s->push, i);
    } else if (s->expects_pushes) {
        ooze_push_record(s->push, i, (const float *)&s->shift[i], share, s->dt);
        if (s->multiplier) {
            s->multiplier[i] = 0.0f;
        }
    }
}

#endif
