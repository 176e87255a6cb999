/* Contacts with solids in the velocity solve of `lodge`. */
#include "methods/conformation/cpu/lodge.h"
#include "methods/conformation/lodge_particle_formula.h"
#include "methods/conformation/pressure_solve.h"

static void set_contact_velocity_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    const OozeConformationStep *s = solve->step;
    for (uint64_t i = begin; i < end; i++) {
        ooze_lodge_set_contact_velocity(s, solve, i);
    }
}

void ooze_lodge_set_contact_velocities(OozeLodge *solve)
{
    const OozeConformationStep *s = solve->step;
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN,
                      set_contact_velocity_range, solve);
}

/* r becomes the force that bodies take up. */
static void release_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    const OozeConformationStep *s = solve->step;
    const OozeF32x4 *pressure = s->own->grid_pressure ? s->own->grid_pressure->force : NULL;
    for (uint64_t i = begin; i < end; i++) {
        ooze_lodge_release_particle(s, solve, i, pressure);
        float mass = s->rheology[s->material[i]].relative_mass;
        solve->r[i] = mass * solve->u_star[i] - solve->ap[i];
    }
}

void ooze_lodge_release_contacts(OozeLodge *solve)
{
    OozeConformationStep *s = solve->step;
    if (!s->any_contacts && !s->own->bodies) {
        return;
    }
    solve->own->unprojected = true;
    ooze_lodge_multiply_by(solve, s->u, true);
    solve->own->unprojected = false;
    ooze_grid_pressure_add_force(solve);
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, release_range, solve);
    ooze_step_bodies_end_pass(s, solve->r);
    ooze_timer_lap(s->context->timer, "contact");
}
