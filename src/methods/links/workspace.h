/* What the files of the links method share. */
#ifndef OOZE_METHODS_LINKS_WORKSPACE_H
#define OOZE_METHODS_LINKS_WORKSPACE_H

#include "methods/coupled.h"
#include "methods/four.h"
#include "methods/links/links.h"
#include "methods/links/table.h"
#include "physics/links.h"

/* Settings, in the order of the table in links.c. */
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

/* How solids are seen: fitted and akinci samples, or by their distance alone. */
enum { OOZE_LINKS_WALLS_FITTED, OOZE_LINKS_WALLS_AKINCI, OOZE_LINKS_WALLS_DISTANCE };

/* Fields of the method's own, in the order of the table in links.c. */
enum { OOZE_LINKS_FIELD_ROW, OOZE_LINKS_FIELD_ELASTIC, OOZE_LINKS_FIELD_COUNT };

/* Particles of a chunk of parallel work. */
enum { OOZE_LINKS_GRAIN = 256 };

/* Lives as long as the world. */
typedef struct OozeLinksMemory {
    OozeLinkTable table;
    OozeGrid *grid; /* of predicted positions */
    OozeNeighbours near_walls;
    OozeLinksLattice lattice; /* of the spacing and support below */
    double spacing, support;  /* 0: not known yet */
    int mixed;
    double wall_fit, wall_ratio; /* see OozeLinksStep.wall_scale */
} OozeLinksMemory;

/* Where the particle stands that fills up lists, along the fourth axis: beyond everything, and light enough to square. */
#define OOZE_LINKS_FAR 1e18f

/* A solid's pose in floats, as exact as positions are. */
typedef struct OozeLinksSolid {
    OozeFour origin, axes[3]; /* last lanes 0 */
    bool clings;
    bool leads; /* it also takes part in the smoothing of velocities: what gives way does not */
} OozeLinksSolid;

/* One step. Arrays without a word are in the order of the predicted positions' grid, in which rows of links are too. */
typedef struct OozeLinksStep {
    OozeStepContext *context;
    OozeLinksMemory *memory;
    uint64_t n;
    float dt;
    OozeLinksKernel kernel;
    float support, volume;
    float wall_scale; /* V of a sample over the one that it was measured with */
    bool samples;     /* boundary particles count */
    float strength, slack, reach2;
    float pressure_scale, pressure_reference;
    float relaxation; /* of the density's Jacobi step */
    float cohesion;   /* share of what is missing in density that pulls */
    float softness;   /* added to the denominator of eq 7, 1/m2 */
    OozeBox box;
    bool periodic;
    bool even;           /* all weights are 1, and so is all ease */
    bool any_elastic;    /* particle */
    bool same_extension; /* of all particles */
    bool linked;         /* links have strength; otherwise none are kept, and nobody has a row */
    bool lost;           /* links of all particles */
    OozeLinksSolid *solids;
    OozeCoupled *coupled;      /* NULL: no solid is dynamic */
    float *material_weight;    /* per material: 1 over mass, in units of the first's */
    float *material_extension; /* per material: factor of the step */
    /* in the order of the store */
    OozeFour *x0;     /* n + 1: where particles are when the step begins; last lane 0 */
    OozeFour *u;      /* velocities that the step predicts with */
    uint32_t *row;    /* field */
    uint8_t *elastic; /* field */
    /* in the order of the step */
    const uint32_t *order; /* which particle of the store each is */
    OozeFour *x;           /* n + 1; last lane 0 */
    OozeFour *shift;       /* all corrections added up */
    OozeFour *change;      /* what an iteration does to a particle, but for its neighbours' part */
    OozeFour *from_walls;  /* of it, what solids do; NULL: nobody asks */
    OozeFour *arrow;       /* n + 1: x, and in the last lane the multiplier as `push` wants it */
    float *weight;         /* n + 1; 0: whatever pushes, it moves with its velocity */
    float *
        ease; /* n + 1: the same, also of what does not give way: multipliers reckon with it, or the few
                        that do would be pushed by many who think themselves alone */
    float *extension;    /* n + 1 */
    uint8_t *is_elastic; /* n + 1 */
    uint8_t *is_new;
    uint32_t *old_row; /* OOZE_LINKS_NO_ROW: none yet */
    uint16_t *material;
    float steepness, shared; /* scales of the multiplier in `arrow`, and of the next */
    float *share;            /* n + 1: strength over the number of taut links, as `pull` wants it */
    float *excess;           /* density beyond rest */
    const OozeNeighbours *near;
    const float *rest; /* per entry of it: the link's rest length */
    float *push;       /* per entry: slope of the kernel over its scale and the length */
    float *
        pull; /* per entry: excess of a taut link over its length, and over both weights where they differ */
    float *far_pull;   /* the same of links to others than neighbours */
    OozeFour *held_at; /* per link to a solid: where it is held, rest length in the last lane */
} OozeLinksStep;

static inline OozeFour ooze_links_apart(const OozeLinksStep *s, OozeFour a, OozeFour b)
{
    return ooze_four_image(a - b, s->box);
}

/* Poses of the solids as they are now. */
void ooze_links_know_solids(OozeLinksStep *step);
/* Where a link is held now; its rest length in the last lane. */
OozeFour ooze_links_held_at(const OozeLinksStep *step, const OozeWallLink *link);
/* Coherent motion: velocities smoothed over neighbours where the particles are (XSPH). */
OozeStatus ooze_links_smooth(OozeLinksStep *step, OozeError *error);
/* Algorithm 1: deletes, extends and makes links at the predicted positions. */
OozeStatus ooze_links_control(OozeLinksStep *step, OozeError *error);
OozeStatus ooze_links_control_walls(OozeLinksStep *step, OozeError *error);
/* Algorithm 2, lines 12 to 20. */
OozeStatus ooze_links_solve(OozeLinksStep *step, OozeError *error);

#endif
