/* Data of one step of the links method. */
#ifndef OOZE_METHODS_LINKS_STEP_H
#define OOZE_METHODS_LINKS_STEP_H

#include "methods/links/constants.h"
#include "methods/links/method.h"
#include "methods/links/table.h"
#include "solvers/contact/dynamic_coupling.h"
#include "solvers/vectors/periodic_f32x4.h"

/* Particles of a chunk of parallel work. */
enum { OOZE_LINKS_GRAIN = 256 };

/* Lives as long as the world. */
typedef struct OozeLinksMemory {
    OozeLinkTable table;
    OozeGrid *grid; /* of predicted positions */
    OozeNeighbours near_walls;
    OozeLinksRest rest;
    /* of several processes: particles divided in the order of predicted positions */
    OozeSplit split;
    OozeHalo *halo;
} OozeLinksMemory;

/* Position of the padding particle of lists along the fourth axis: its square is finite. */
#define OOZE_LINKS_FAR 1e18f

/* Pose of a solid in single precision. */
typedef struct OozeLinksSolid {
    OozeF32x4 origin, axes[3]; /* last lanes 0 */
    bool has_friction;         /* fluid has links to it */
    bool smooths;              /* takes part in XSPH: has friction and is not dynamic */
} OozeLinksSolid;

typedef struct OozeLinksStep {
    OozeStepContext *context;
    OozeLinksMemory *memory;
    uint64_t n;
    /* Those and the ghosts of the present order, which follow; the padding of lists is behind. */
    uint64_t local;
    uint32_t below; /* ghosts that precede the own particles in the order of all */
    OozeLinksConstants k;
    OozeBox box;
    bool periodic;
    bool even;           /* all inverse masses are 1 */
    bool any_elastic;    /* some particle is elastic */
    bool same_extension; /* all particles have the same */
    bool lost;           /* the links of this step are not valid */
    OozeLinksSolid *solids;
    OozeDynamicCoupling *coupling; /* NULL: no solid is dynamic */
    float *material_inverse_mass;  /* per material: 1 over mass, in units of the first's */
    float *material_extension;     /* per material: factor of the step */
    /* in the order of the store */
    OozeF32x4 *x0;             /* n + 1: positions at the beginning of the step; last lane 0 */
    OozeF32x4 *u;              /* velocities of the prediction */
    uint32_t *row;             /* field */
    uint8_t *elastic;          /* field */
    OozeFloat4 *end_x, *end_v; /* of the store: at the end of the step */
    /* in the order of the grid of predicted positions, as the rows of links */
    const uint32_t *order; /* index in the store */
    OozeF32x4 *x;          /* n + 1; last lane 0 */
    OozeF32x4 *shift;      /* sum of all corrections */
    OozeF32x4 *change;     /* correction of an iteration without the multipliers of neighbours */
    OozeF32x4 *from_walls; /* the part due to solids; NULL: no solid is dynamic */
    OozeF32x4 *x_lambda;   /* n + 1: x, and the scaled multiplier in the last lane */
    float *inverse_mass;   /* n + 1; 0: its velocity is prescribed */
    /* n + 1: the same without prescribed velocities, for the denominators of multipliers: otherwise
       few free particles next to many prescribed ones would be overcorrected */
    float *effective_inverse_mass;
    float *extension;    /* n + 1 */
    uint8_t *is_elastic; /* n + 1 */
    uint8_t *is_new;
    uint32_t *old_row; /* OOZE_LINK_ROW_NONE: none yet */
    uint16_t *material;
    float steepness, shared; /* scales of the multiplier in `x_lambda`, and of `share` */
    float *share;  /* n + 1: strength over the number of taut links, in the scale of `pull` */
    float *excess; /* density above the rest density */
    const OozeNeighbours *near;
    const float *rest; /* per entry of `near`: rest length of the link */
    float *push;       /* per entry: slope of the kernel over its scale and the length */
    /* per entry: stretch of a taut link over its length, and over the sum of both inverse masses
       unless all are 1 */
    float *pull;
    float *far_pull;    /* the same for the `far` rows */
    OozeF32x4 *held_at; /* per link to a solid: position of its fixed end; last lane: rest length */
    OozeStepContext ranks_context; /* of several processes: with the halo of predicted positions */
} OozeLinksStep;

static inline OozeF32x4 ooze_links_separation(const OozeLinksStep *s, OozeF32x4 a, OozeF32x4 b)
{
    return ooze_f32x4_image(a - b, s->box);
}

/* Place of a particle or ghost among these, in the order of all processes' particles. */
static inline uint32_t ooze_links_place(const OozeLinksStep *s, uint32_t j)
{
    uint32_t n = (uint32_t)s->n;
    return s->below == 0 ? j : j < n ? j + s->below : j < n + s->below ? j - n : j;
}

/* Arrays in the order of predicted positions, for s->n particles, s->local with ghosts. */
OozeStatus ooze_links_allocate_sorted(OozeLinksStep *step, OozeError *error);
/* Fills them from the store, in the order `order`. */
void ooze_links_reorder(OozeLinksStep *step);
/* Of several processes: divides particles in the order of predicted positions, `change`, with their
   links; and back. */
OozeStatus ooze_links_enter_ranks(OozeLinksStep *step, OozeError *error);
OozeStatus ooze_links_leave_ranks(OozeLinksStep *step, const OozeStepContext *context,
                                  OozeError *error);

/* Updates `solids` from the present poses. */
void ooze_links_update_solids(OozeLinksStep *step);
/* Present position of the fixed end of a link; last lane: its rest length. */
OozeF32x4 ooze_links_held_at(const OozeLinksStep *step, const OozeWallLink *link);
/* XSPH at the present positions. */
OozeStatus ooze_links_smooth(OozeLinksStep *step, OozeError *error);
/* Algorithm 1: deletes, extends and makes links at the predicted positions. */
OozeStatus ooze_links_control(OozeLinksStep *step, OozeError *error);
OozeStatus ooze_links_control_walls(OozeLinksStep *step, OozeError *error);
/* Algorithm 2, lines 12 to 20. */
OozeStatus ooze_links_solve(OozeLinksStep *step, OozeError *error);

#endif
