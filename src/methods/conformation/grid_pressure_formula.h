/* What pressure_loops.h does with one particle or one node. Valid C17 and CUDA. */
#ifndef OOZE_METHODS_CONFORMATION_GRID_PRESSURE_FORMULA_H
#define OOZE_METHODS_CONFORMATION_GRID_PRESSURE_FORMULA_H

#include "solvers/contact/contact_set_formula.h"
#include "solvers/density/density_formula.h"
#include "solvers/pressure/pressure_grid_formula.h"
#include "solvers/vectors/vector_formula.h"

/* ---- particles ---- */

/* Velocity by the forces that are known before the solve, from that of the last step. */
OOZE_FORMULA OozeVector ooze_grid_pressure_kick(OozeVector u, OozeVector last, float mobility)
{
    OozeVector kick = ooze_vector_with_last(ooze_vector_madd(u, -1.0f, last), 0.0f);
    return mobility > 0.0f ? kick : ooze_vector_zero();
}

/* The change of the last step, from its gradient. */
OOZE_FORMULA OozeVector ooze_grid_pressure_guess(const float *gradient, float change)
{
    return ooze_vector(gradient[0], gradient[1], gradient[2], change);
}

/* The known pressure of the last step, with the gradient that balances weight. */
OOZE_FORMULA OozeVector ooze_grid_pressure_known(OozeVector kick, float mass, float dt,
                                                 float weight_pressure)
{
    return ooze_vector_with_last(ooze_vector_scale(mass, kick), dt * weight_pressure);
}

/* Of a component: mass, momentum, and its particles on which walls act. */
enum { OOZE_PRESSURE_NET = 5 };

/* What a particle adds: its momentum is what it lacks of the exact force. */
OOZE_FORMULA void ooze_grid_pressure_net(float mobility, OozeVector force, OozeVector applied,
                                         float walled, double net[OOZE_PRESSURE_NET])
{
    const double mass = mobility > 0.0f ? 1.0 / (double)mobility : 0.0;
    const OozeVector exact = ooze_vector_scale(-mobility, force);
    net[0] = mass;
    for (int k = 0; k < 3; k++) {
        net[1 + k] =
            mass * ((double)ooze_vector_lane(exact, k) - (double)ooze_vector_lane(applied, k));
    }
    net[4] = (double)walled;
}

/* The velocity that the known pressure adds, with what the component lacks. */
OOZE_FORMULA OozeVector ooze_grid_pressure_balanced(OozeVector applied, float mobility,
                                                    const double net[OOZE_PRESSURE_NET])
{
    bool moves = mobility > 0.0f && net[4] == 0.0;
    OozeVector lack = ooze_vector_zero();
    if (moves) {
        lack = ooze_vector((float)(net[1] / net[0]), (float)(net[2] / net[0]),
                           (float)(net[3] / net[0]), 0.0f);
    }
    return moves ? ooze_vector_madd(applied, 1.0f, lack) : applied;
}

/* A shift of positions without the part that changes volumes. */
OOZE_FORMULA OozeVector ooze_grid_pressure_shift(OozeVector drift, OozeVector force, float mobility,
                                                 float limit)
{
    OozeVector shift = ooze_vector_with_last(ooze_vector_madd(drift, -1.0f, force), 0.0f);
    float length = sqrtf(ooze_vector_dot(shift, shift));
    return mobility > 0.0f ? ooze_vector_scale(ooze_shortened(length, limit), shift)
                           : ooze_vector_zero();
}

/* A value per particle moves with it, along its gradient in the first lanes. */
OOZE_FORMULA float ooze_grid_pressure_moved(OozeVector value, OozeVector moved)
{
    return ooze_vector_last(value) + ooze_vector_dot(value, moved);
}

/* Force of the pressure of a particle on solids. Friction acts on it as on a contact force. A
   contact pulls only where it pulls more than this pressure pushes. */
OOZE_FORMULA OozeVector ooze_grid_pressure_push_of(float pressure, float spacing,
                                                   OozeContactSet *set)
{
    OozeVector push = ooze_vector_zero();
    float size = fmaxf(0.0f, pressure) / spacing;
    for (int k = 0; k < set->normals; k++) {
        const float *d = ooze_contact_lanes(set, k);
        push = ooze_vector_add(push, ooze_vector_scale(size, ooze_vector(d[0], d[1], d[2], 0.0f)));
    }
    return push;
}

/* ---- nodes; `idle`: no unknown that may change ---- */

/* Adds a share of the volume error, as far as it counts. */
OOZE_FORMULA float ooze_grid_pressure_add_error(bool idle, float rate, float error, float factor,
                                                float limit)
{
    float e = fmaxf(-limit, fminf(limit, error));
    return idle ? 0.0f : rate + factor * e;
}

OOZE_FORMULA float ooze_grid_pressure_over_weight(bool idle, float p, float weight)
{
    return p / (idle ? 1.0f : fmaxf(weight, 1e-3f));
}

OOZE_FORMULA float ooze_grid_pressure_add_compliance(bool idle, float z, float compliance, float v)
{
    return idle ? 0.0f : -(z + compliance * v);
}

OOZE_FORMULA float ooze_grid_pressure_lack(bool idle, float rate, float flux)
{
    return idle ? 0.0f : -(rate + flux);
}

#endif
