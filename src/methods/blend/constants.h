/* Settings and coefficients of the blend method, for the processor and the GPU. */
#ifndef OOZE_METHODS_BLEND_CONSTANTS_H
#define OOZE_METHODS_BLEND_CONSTANTS_H

#include "materials/temperature_formula.h"
#include "methods/blend/regions.h"
#include "step/context.h"

/* Settings, in the order of the table in method.c. */
enum {
    OOZE_BLEND_REGION_RADIUS,
    OOZE_BLEND_REGIONS,
    OOZE_BLEND_UPDATE_INTERVAL,
    OOZE_BLEND_UPDATE_GRAVITY,
    OOZE_BLEND_SOUND_SPEED,
    OOZE_BLEND_PRESSURE,
    OOZE_BLEND_KERNELS,
    OOZE_BLEND_CONTACT_DISTANCE,
    OOZE_BLEND_PARAM_COUNT
};

/* Choices of `regions`. */
enum { OOZE_BLEND_REGIONS_AUTO, OOZE_BLEND_REGIONS_PARTICLES, OOZE_BLEND_REGIONS_CELLS };

typedef struct OozeBlendMaterial {
    float relative_mass;   /* density over that of the first material */
    float viscosity;       /* of the SPH half, over that density: m2/s */
    float fluid_share;     /* alpha, where no temperature changes it */
    double mass;           /* kg of a particle */
    double response_time;  /* s: tau of the pull towards goals; 0: the whole step */
    double damping;        /* 1/s: rate of the pull of velocities */
    bool melts, has_table; /* the share follows the phase; the temperature table */
} OozeBlendMaterial;

typedef struct OozeBlendConstants {
    float dt, support, sound;
    float volume;          /* such that the rest lattice has density 1 */
    float gradient_scale;  /* volume of a neighbour with which pressure gradients of linear fields
                             are exact on the rest lattice */
    float viscous;         /* m3: volume of a neighbour in Laplacians, see ooze_wcsph_scale */
    float radius2;         /* m2: see ooze_blend_reach2 */
    float contact;         /* m: nearest distance of a centre to a solid */
    bool blended_pressure; /* by the fluid share, as published; else whole */
    bool published;        /* eqs 1 to 3 as printed */
    OozeRegionKind kind;
    double radius;
} OozeBlendConstants;

/* Radius of the ball that has the second moment of a region of the rest lattice, m: sigma in moduli
   and viscosities. That of a region of few particles is up to a fifth off its radius. */
double ooze_blend_matching_radius(OozeRegionKind kind, double radius, double spacing);
OozeBlendConstants ooze_blend_constants(const OozeStepContext *context);
OozeBlendMaterial ooze_blend_material(const OozeStepContext *context, int material);
/* alpha of a particle. `rows` is the material's temperature table; arguments that the material has
   no use for are ignored. */
OOZE_FORMULA float ooze_blend_share(const OozeBlendMaterial *material,
                                    const OozeTemperatureRow *rows, int row_count, int phase,
                                    double temperature)
{
    if (material->melts && phase != OOZE_PHASE_SOLID) {
        return 1.0f;
    }
    if (!material->has_table) {
        return material->fluid_share;
    }
    OozeTemperatureBetween at = ooze_temperature_between(rows, row_count, temperature);
    return (float)ooze_temperature_line(at.low->fluid_share, at.high->fluid_share, at.share,
                                        (double)material->fluid_share);
}
/* Whether the reference shape is checked in this substep: the first of every m_u-th step. */
bool ooze_blend_checks_shapes(const OozeStepContext *context);
/* Gravity where `update_gravity` counts it among the external forces, else 0. */
OozeVec3 ooze_blend_counted_gravity(const OozeStepContext *context);
/* Share of a substep in the running average of contact accelerations, whose time is a tenth of the
   interval of checks: the jitter of particles at a wall must not decide one. */
float ooze_blend_smoothing(const OozeStepContext *context);
double ooze_blend_stable_step(const OozeStepContext *context);

#endif
