/* Surface tension of a particle, for the processor and the GPU. See surface_tension.c. */
#ifndef OOZE_METHODS_CONFORMATION_SURFACE_TENSION_FORMULA_H
#define OOZE_METHODS_CONFORMATION_SURFACE_TENSION_FORMULA_H

#include "methods/conformation/plan.h"
#include "physics/surface_energy.h"

/* (N, d) of a particle are sums over neighbours of three kinds: the same liquid, other liquids, and
   walls. Where liquids have no tension between them, all of them count as the first kind. */
enum { OOZE_SURFACE_OWN, OOZE_SURFACE_OTHER, OOZE_SURFACE_WALL, OOZE_SURFACE_KINDS };

/* The parts of (N, d), or the slopes of the energy in them; the last of four numbers is d. */
typedef struct OozeSurfaceParts {
    float kind[OOZE_SURFACE_KINDS][4];
} OozeSurfaceParts;

/* 1 + cos(theta) of the contact angle of a liquid on a solid; NAN: the solid has none. */
OOZE_FORMULA float ooze_surface_adhesion(float liquid_cosine, float solid_cosine)
{
    return 1.0f + (solid_cosine == solid_cosine ? solid_cosine : liquid_cosine);
}

/* The energy of a particle is a sum over what it sees of its own liquid, of all liquids, and of
   liquids and walls. The factors of the three make it sigma an area at a free surface, half the
   tension between liquids where it meets another one, and -sigma cos(theta) at a wall: the work
   that separates it from the wall is sigma (1 + cos theta) (Young and Dupre). */
OOZE_FORMULA OozeSurfaceParts ooze_surface_slopes(const OozeSurfaceEnergy *e, const OozeRheology *m,
                                                  float adhesion, const OozeSurfaceParts *parts)
{
    const float walls = m->surface_tension * adhesion, own = 0.5f * m->interface_tension;
    const float factor[OOZE_SURFACE_KINDS] = {own, m->surface_tension - own - walls, walls};
    OozeSurfaceParts slopes;
    float seen[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int kind = 0; kind < OOZE_SURFACE_KINDS; kind++) {
        for (int k = 0; k < 4; k++) {
            seen[k] += parts->kind[kind][k];
            float slope =
                k < 3 ? e->gradient_energy * seen[k] : e->deficit_energy * ooze_max(0.0f, seen[3]);
            slopes.kind[kind][k] = 0.0f;
            for (int part = 0; part <= kind; part++) {
                slopes.kind[part][k] += factor[kind] * slope;
            }
        }
    }
    return slopes;
}

/* Force of a wall sample, f = (k P w^3 - 6 w^2/h^2 x (k P.x - c p)), on a particle with the slopes
   (P, p): returns the factor of P, and that of x in `central`. */
OOZE_FORMULA float ooze_surface_wall_force(const OozeSurfaceEnergy *e, float w, float volume,
                                           float along, float p, float *central)
{
    float gradient = volume * e->wall_gradient, deficit = volume * e->wall_deficit;
    *central = 6.0f * w * w * e->wall_inverse2 * (deficit * p - gradient * along);
    return gradient * w * w * w;
}

#endif
