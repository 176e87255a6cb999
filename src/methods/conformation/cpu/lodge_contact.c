/* Contacts with solids in the velocity solve of `lodge`. */
#include "methods/conformation/cpu/lodge.h"
#include "methods/conformation/lodge_formula.h"
#include "methods/conformation/pressure_solve.h"

/* Contact directions take the velocity of the surface. */
static void set_contact_velocity_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    OozeConformationStep *s = solve->step;
    for (uint64_t i = begin; i < end; i++) {
        if (solve->deferred && solve->pass == 0) {
            s->u[i] = solve->u_star[i];
            if (s->contact_of[i] >= 0 && s->mobility[i] > 0.0f && solve->deferred[i][3] > 0.0f) {
                ooze_lodge_free_tangents(&s->contact_sets[s->contact_of[i]]);
            }
        }
        if (s->contact_of[i] >= 0) {
            s->u[i] = ooze_contact_prescribed(&s->contact_sets[s->contact_of[i]], s->u[i]);
        }
    }
}

void ooze_lodge_set_contact_velocities(OozeLodge *solve)
{
    const OozeConformationStep *s = solve->step;
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN,
                      set_contact_velocity_range, solve);
}

/* The contact force on a particle is A u - rho u*; friction of a slipping contact joins u*. r
   becomes the force that bodies take up. */
static void release_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    OozeConformationStep *s = solve->step;
    for (uint64_t i = begin; i < end; i++) {
        float mass = s->rheology[s->material[i]].relative_mass;
        if (s->contact_of[i] >= 0 && s->mobility[i] > 0.0f) {
            OozeF32x4 force = solve->ap[i] - mass * solve->u_star[i], friction = {0};
            OozeContactSet *set = &s->contact_sets[s->contact_of[i]];
            OozeF32x4 sliding = friction;
            force += ooze_grid_pressure_push(s, i, set);
            if (solve->deferred && solve->deferred[i][3] > 0.0f) {
                OozeF32x4 u = solve->u_star[i] + solve->deferred[i];
                force /= 1.0f - solve->deferred[i][3]; /* a first stage holds 1 - b of the forces */
                ooze_lodge_friction(set, (const float *)&force, (const float *)&u, mass,
                                    (float *)&sliding);
            }
            ooze_contact_release(set, (const float *)&force, (float *)&friction);
            friction += sliding;
            solve->u_star[i] += friction / mass;
        }
        solve->r[i] = mass * solve->u_star[i] - solve->ap[i];
    }
}

void ooze_lodge_release_contacts(OozeLodge *solve)
{
    OozeConformationStep *s = solve->step;
    if (!s->any_contacts && !s->bodies) {
        return;
    }
    solve->unprojected = true;
    ooze_lodge_multiply_by(solve, s->u, true);
    solve->unprojected = false;
    ooze_grid_pressure_add_force(solve);
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, release_range, solve);
    ooze_step_bodies_end_pass(s, solve->r);
    ooze_timer_lap(s->context->timer, "contact");
}
