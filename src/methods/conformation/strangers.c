/* Strangers: particles that are crowded though no motion has pressed them together. Position-based density turns
   every error into velocity, shift over dt: without end for short steps. */
#include <math.h>

#include "base/vec3.h"
#include "methods/conformation/workspace.h"

/* Steps in which a particle may be a stranger at its place, and the error of density with which it is none. */
#define STRANGE_STEPS   256.0f
#define STRANGE_DENSITY 1e-3f

/* p/rho of what presses on all of the fluid: the weight of all that lies above, what stops the fastest, and
   surface tension at a spacing. */
static float load_on_all(const OozeConformationStep *s)
{
    const OozeStepContext *c = s->context;
    const OozeFloat4 *v = ooze_particles_velocities(c->particles);
    OozeFour g = ooze_four((float)c->gravity.x, (float)c->gravity.y, (float)c->gravity.z, 0);
    float top = -INFINITY, bottom = INFINITY, fastest = 0, tension = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        float depth = ooze_four_dot3(g, s->x0[i]);
        top = depth > top ? depth : top;
        bottom = depth < bottom ? depth : bottom;
        fastest = ooze_max(fastest, v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z);
    }
    for (int m = 0; m < c->material_count; m++) {
        tension = ooze_max(tension, s->rheology[m].tension / s->rheology[m].weight);
    }
    return top - bottom + 0.5f * fastest + 2.0f * tension / (float)c->spacing;
}

/* A solid in which fluid lies has been put there, and with it all whom it presses. */
static void meet_intruders(OozeConformationStep *s)
{
    const OozeStepContext *c = s->context;
    for (int k = 0; k < c->solid_count; k++) {
        bool intrudes = false;
        for (uint64_t i = 0; i < s->n && !intrudes; i++) {
            intrudes = s->intruder[i] == k;
        }
        for (uint64_t i = 0; i < s->n && intrudes; i++) {
            OozeVec3 x = vec3(s->x0[i][0], s->x0[i][1], s->x0[i][2]);
            if (ooze_solid_contact(&c->solids[k], x).distance < c->support) {
                s->calm[i] = 0.0f;
            }
        }
    }
}

/* Iterations that stop early leave an error of density, and it is this that carries the pressure p: k of them
   turn a relative error e into a push of k e (d/dt)^2 rho. Errors that motion has made are let push with all
   their strength: a piston may be behind them. But a particle that was put where it is, at the start of a
   scene or in a solid, is crowded through no motion. Of its error no more than p dt^2/(k d^2 rho) may become
   velocity in a step, with p what presses on all of the fluid and the particle's own stress; twice that, for
   what is not at rest. The rest settles. */
void ooze_conformation_set_limits(OozeConformationStep *s)
{
    float d = (float)s->context->spacing, all = load_on_all(s);
    float k = ooze_max(1.0f, (float)s->settings.density_iterations);
    meet_intruders(s);
    for (uint64_t i = 0; i < s->n; i++) {
        float load = all + s->stress[i] * s->mobility[i];
        float borne = 2.0f * load * s->dt * s->dt / (k * d * d);
        bool strange = s->calm[i] < 1.0f && s->density[i] > 1.0f + borne + STRANGE_DENSITY;
        s->borne[i] = strange ? borne : INFINITY;
        s->limit[i] = strange ? s->density[i] - borne : 1.0f;
    }
}

static bool near_settled(const OozeConformationStep *s, uint64_t i)
{
    const OozeNeighbours *list = s->context->fluid;
    float far = 1e-3f * (float)s->context->spacing,
          most = ooze_four_dot3(s->settled[i], s->settled[i]);
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
        OozeFour other = s->settled[list->index[e]];
        most = ooze_max(most, ooze_four_dot3(other, other));
    }
    return most > far * far;
}

/* Who settles crowds those around, and these are strangers too. */
void ooze_conformation_find_strangers(OozeConformationStep *s)
{
    float most = 0.0f;
    for (uint64_t i = 0; i < s->n; i++) {
        most = ooze_max(most, ooze_four_dot3(s->settled[i], s->settled[i]));
    }
    for (uint64_t i = 0; i < s->n; i++) {
        bool strange = isfinite(s->borne[i]);
        float calm = strange ? ooze_min(1.0f, s->calm[i] + 1.0f / STRANGE_STEPS) : 1.0f;
        bool anew = s->mobility[i] == 0.0f || (most > 0.0f && !strange && near_settled(s, i));
        s->calm[i] = anew ? 0.0f : calm;
    }
}
