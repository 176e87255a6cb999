/* The data of a step of the blend method. */
#ifndef OOZE_METHODS_BLEND_STEP_H
#define OOZE_METHODS_BLEND_STEP_H

#include "machine/machine.h"
#include "methods/blend/matching_formula.h"
#include "methods/blend/method.h"
#include "methods/blend/sph_formula.h"
#include "solvers/contact/contact_loads.h"
#include "solvers/vectors/vector_formula.h"

/* A substep. Arrays are in the memory of the machine, with one element a particle in store order
   unless said otherwise. */
typedef struct OozeBlendStep {
    OozeMachine *machine;
    OozeRegions *regions; /* kept between steps; the struct is on the host */
    OozeBlendConstants k;
    double dt;
    OozeVec3 gravity;
    float smoothing;      /* share of this substep in the average of contact accelerations */
    bool compares_shapes; /* forces between some particles depend on whether they share a region */
    bool damped;          /* some material is */
    const OozeBlendMaterial *materials;
    const uint16_t *material;
    /* See OozeStepContext; NULL: 0 for all. */
    const uint16_t *prescribed, *body, *pin;
    const double *temperature;
    const uint8_t *phase;
    /* fields */
    OozeFloat4 *reference, *rotation, *external;
    uint32_t *reference_step, *slot;
    float *density;
    uint8_t *elastic;
    /* with those of ghosts and, on the processor, of the padding of lists */
    OozeVector *x, *u; /* at the beginning of the step */
    OozeVector *shape; /* reference position, and ooze_blend_shape_tag */
    OozeBlendState *state;
    OozeVector *acceleration; /* of the SPH half and of walls; without gravity */
    OozeVector *wall;         /* sum of normals times kernel gradients, 1/m; and of densities */
    OozeVector *next_x, *next_u, *next_external;
    OozeSolidImpulses *impulses; /* NULL: no solid is dynamic */
    OozeMatching matching;
    struct OozeBlendNearby *nearby; /* of the processor: solids near groups of particles */
} OozeBlendStep;

#endif
