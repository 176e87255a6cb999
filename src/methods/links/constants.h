/* Settings, fields and numbers of a step of the links method, for the processor and the GPU. */
#ifndef OOZE_METHODS_LINKS_CONSTANTS_H
#define OOZE_METHODS_LINKS_CONSTANTS_H

#include "physics/links.h"
#include "step/context.h"

/* Settings, in the order of the table in method.c. */
enum {
    OOZE_LINKS_ITERATIONS,
    OOZE_LINKS_STRENGTH,
    OOZE_LINKS_SLACK,
    OOZE_LINKS_REACH,
    OOZE_LINKS_PRESSURE,
    OOZE_LINKS_PRESSURE_DISTANCE,
    OOZE_LINKS_COHESION,
    OOZE_LINKS_SOFTNESS,
    OOZE_LINKS_XSPH,
    OOZE_LINKS_WALL_XSPH,
    OOZE_LINKS_WALLS,
    OOZE_LINKS_KERNELS,
    OOZE_LINKS_CONTACT_DISTANCE,
    OOZE_LINKS_PARAM_COUNT
};

/* Boundary particles with fitted or Akinci's volumes, or none. */
enum { OOZE_LINKS_WALLS_FITTED, OOZE_LINKS_WALLS_AKINCI, OOZE_LINKS_WALLS_DISTANCE };

/* The method's fields, in the order of the table in method.c. */
enum { OOZE_LINKS_FIELD_ROW, OOZE_LINKS_FIELD_ELASTIC, OOZE_LINKS_FIELD_COUNT };

/* Numbers of the rest lattice, kept from step to step. Starts as zero. */
typedef struct OozeLinksRest {
    double spacing, support; /* that the others belong to; 0: none yet */
    int mixed;
    OozeLinksLattice lattice;
    double wall_fit, wall_ratio; /* see OozeLinksConstants.wall_scale */
} OozeLinksRest;

typedef struct OozeLinksConstants {
    float dt;
    OozeLinksKernel kernel;
    float support, volume;
    float wall_scale; /* volume of a boundary particle over its measured volume */
    bool samples;     /* boundary particles contribute */
    float strength, slack, reach2;
    float pressure_scale, pressure_reference; /* of ooze_artificial_pressure */
    float relaxation;                         /* of the density's Jacobi step */
    float cohesion;                           /* factor of negative density errors */
    float softness;                           /* added to the denominator of eq 7, 1/m2 */
    bool linked; /* links have strength; otherwise none are kept, and no particle has a row */
    float xsph, wall_xsph; /* eps_a and eps_b */
    float contact;         /* m between centres and solids */
} OozeLinksConstants;

typedef struct OozeLinksMaterial {
    float inverse_mass;    /* in units of the first material's */
    float extension;       /* factor of a tight link in the step */
    uint32_t elastic;      /* its label */
    uint32_t melts;        /* solid particles are elastic, liquid ones are not */
    double per_step, rate; /* the extension of the material, and its stretch rate; NAN: not given */
} OozeLinksMaterial;

OozeLinksConstants ooze_links_constants(OozeLinksRest *rest, const OozeStepContext *context);

/* Stretch rate of a material without one, 1/s: 1.003 a step of one millisecond, the middle one of
   the paper's figure 4. */
#define OOZE_LINKS_STRETCH_RATE 3.0

/* Factor by which a tight link is extended in a substep of `dt`; either number may be NAN. */
OOZE_FORMULA double ooze_links_extension(double dt, double whole_step, double extension,
                                         double rate)
{
    if (!isnan(extension)) {
        return ooze_link_extension_of_part(extension, dt, whole_step);
    }
    return ooze_link_extension_of_rate(isnan(rate) ? OOZE_LINKS_STRETCH_RATE : rate, dt);
}
void ooze_links_materials(const OozeStepContext *context, OozeLinksMaterial *materials);
/* kg of a particle of the first material: the unit of masses in sums over particles */
double ooze_links_particle_mass(const OozeStepContext *context);

#endif
