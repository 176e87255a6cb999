/* Data of one step of the links method. */
#ifndef OOZE_METHODS_LINKS_STEP_H
#define OOZE_METHODS_LINKS_STEP_H

#include "methods/links/constants.h"
#include "methods/links/method.h"
#include "methods/links/table.h"
#include "solvers/dynamic_coupling.h"
#include "solvers/periodic_f32x4.h"

/* Particles of a chunk of parallel work. */
enum { OOZE_LINKS_GRAIN = 256 };

/* Lives as long as the world. */
typedef struct OozeLinksMemory {
    OozeLinkTable table;
    OozeGrid *grid; /* of predicted positions */
    OozeNeighbours near_walls;
    OozeLinksRest rest;
} OozeLinksMemory;

/* Where the particle stands that fills up lists, along the fourth axis: beyond everything, and
   light enough to square. */
#define OOZE_LINKS_FAR 1e18f

/* A solid's pose in floats, as exact as positions are. */
typedef struct OozeLinksSolid {
    OozeF32x4 origin, axes[3]; /* last lanes 0 */
    bool clings;
    bool smooths; /* it takes part in the smoothing of velocities: dynamic solids do not */
} OozeLinksSolid;

/* One step. Arrays without a word are in the order of the predicted positions' grid, in which rows
   of links are too. */
typedef struct OozeLinksStep {
    OozeStepContext *context;
    OozeLinksMemory *memory;
    uint64_t n;
    OozeLinksConstants k;
    OozeBox box;
    bool periodic;
    bool even;           /* all weights are 1, and so is all ease */
    bool any_elastic;    /* particle */
    bool same_extension; /* of all particles */
    bool lost;           /* links of all particles */
    OozeLinksSolid *solids;
    OozeDynamicCoupling *coupling; /* NULL: no solid is dynamic */
    float *material_inverse_mass;  /* per material: 1 over mass, in units of the first's */
    float *material_extension;     /* per material: factor of the step */
    /* in the order of the store */
    OozeF32x4 *x0;    /* n + 1: where particles are when the step begins; last lane 0 */
    OozeF32x4 *u;     /* velocities that the step predicts with */
    uint32_t *row;    /* field */
    uint8_t *elastic; /* field */
    /* in the order of the step */
    const uint32_t *order; /* which particle of the store each is */
    OozeF32x4 *x;          /* n + 1; last lane 0 */
    OozeF32x4 *shift;      /* all corrections added up */
    OozeF32x4 *change;     /* what an iteration does to a particle, but for its neighbours' part */
    OozeF32x4 *from_walls; /* the part of it due to solids; NULL: no solid is dynamic */
    OozeF32x4 *x_lambda;   /* n + 1: x, and the scaled multiplier in the last lane */
    float *inverse_mass;   /* n + 1; 0: its velocity is prescribed */
    /* n + 1: the same of all particles, for the denominators of multipliers: otherwise the few free
       particles next to many prescribed ones would be overcorrected */
    float *effective_inverse_mass;
    float *extension;    /* n + 1 */
    uint8_t *is_elastic; /* n + 1 */
    uint8_t *is_new;
    uint32_t *old_row; /* OOZE_LINK_ROW_NONE: none yet */
    uint16_t *material;
    float steepness, shared; /* scales of the multiplier in `x_lambda`, and of `share` */
    float *share;            /* n + 1: strength over the number of taut links, as `pull` wants it */
    float *excess;           /* density above the rest density */
    const OozeNeighbours *near;
    const float *rest; /* per entry of it: the link's rest length */
    float *push;       /* per entry: slope of the kernel over its scale and the length */
    /* per entry: excess of a taut link over its length, and over the sum of both inverse masses
       where they differ */
    float *pull;
    float *far_pull;    /* the same of links to particles beyond the support */
    OozeF32x4 *held_at; /* per link to a solid: where it is held, rest length in the last lane */
} OozeLinksStep;

static inline OozeF32x4 ooze_links_separation(const OozeLinksStep *s, OozeF32x4 a, OozeF32x4 b)
{
    return ooze_f32x4_image(a - b, s->box);
}

/* Poses of the solids as they are now. */
void ooze_links_update_solids(OozeLinksStep *step);
/* Where a link is held now; its rest length in the last lane. */
OozeF32x4 ooze_links_held_at(const OozeLinksStep *step, const OozeWallLink *link);
/* Coherent motion: velocities smoothed over neighbours where the particles are (XSPH). */
OozeStatus ooze_links_smooth(OozeLinksStep *step, OozeError *error);
/* Algorithm 1: deletes, extends and makes links at the predicted positions. */
OozeStatus ooze_links_control(OozeLinksStep *step, OozeError *error);
OozeStatus ooze_links_control_walls(OozeLinksStep *step, OozeError *error);
/* Algorithm 2, lines 12 to 20. */
OozeStatus ooze_links_solve(OozeLinksStep *step, OozeError *error);

#endif
