/* Boundary particles: solids' surfaces as seen by the fluid's sums (Akinci et al. 2012).

   One set for all sampled solids, kept in grid order. Samples sit on the surface
   itself; volume_k = 1 / sum over boundary samples W(x_k - x_l), including itself, so that uneven or
   overlapping sampling is compensated.

   What depends on where solids are depends on nothing else: not on earlier poses, nor on the order of
   past steps, so that a resumed run finds the same bits. */
#ifndef OOZE_SOLIDS_BOUNDARY_H
#define OOZE_SOLIDS_BOUNDARY_H

#include "particles/neighbours.h"
#include "solids/solid.h"

typedef struct OozeBoundary {
    uint64_t count;
    /* In grid order; padded like the particle store, the padding being zero. */
    OozeFloat4 *position; /* world */
    OozeFloat4 *velocity;
    float *volume;   /* m3; see ooze_boundary_measure */
    uint16_t *solid; /* index of the solid */
    /* In the order they were made. */
    OozeFloat4 *local; /* in the solid's local frame */
    uint16_t *local_solid;
    OozeFloat4 *placed; /* local, in the world */
    float *made_volume;
    uint8_t *due;             /* its volume is not that of where the solids are now */
    uint64_t capacity;        /* of the arrays above */
    uint64_t sorted_capacity; /* of those in grid order */
    OozePose *poses;          /* of each solid at the last update */
    int pose_count;
    /* Working memory, kept from step to step: which solids moved, where that changed volumes, and the
       samples to compute anew. */
    bool *moved;
    OozeBounds *changed;
    int changed_count;
    uint8_t *wanted;
    uint32_t *chosen;
    OozeFloat4 *chosen_position;
    OozePeriodic periodic; /* of the last update */
    OozeGrid *grid;
    OozeNeighbours lists;
    double support;
    bool moving; /* some sampled solid moves */
    bool fresh;  /* sorted as the solids stand */
    bool any_due;
} OozeBoundary;

/* Even samples on a surface, in local space: about one per spacing^2, none nearer to another than
   0.7 spacing, sharp edges covered, deterministic. Free both arrays with ooze_free. Area (m2) comes
   back for checks. Planes are sampled inside `clip` only. */
OozeStatus ooze_sample_surface(const OozeShape *shape, double spacing, const OozeBounds *clip,
                               uint64_t *count, OozeVec3 **points, OozeVec3 **normals, double *area,
                               OozeError *error);

void ooze_boundary_free(OozeBoundary *boundary);
uint64_t ooze_boundary_bytes(const OozeBoundary *boundary);

/* Samples solid number `index` and appends. Infinite planes: within the solid's clip. */
OozeStatus ooze_boundary_add(OozeBoundary *boundary, const OozeSolid *solid, int index,
                             double spacing, OozeError *error);
/* Forgets all samples but the first `count`. */
void ooze_boundary_cut(OozeBoundary *boundary, uint64_t count);

/* The box in the frame of a pose (or, not `to_local`, in the world) around a box of the other. */
OozeBounds ooze_bounds_turn(const OozeBounds *bounds, const OozePose *pose, bool to_local);

/* Moves samples with their solids and re-sorts where anything moved. */
OozeStatus ooze_boundary_update(OozeBoundary *boundary, OozeThreads *threads,
                                const OozeSolid *solids, double support,
                                const OozePeriodic *periodic, OozeError *error);
/* Volumes of the samples in these lists, where solids have moved; NULL: of all, and
   so where nothing moves. Most samples of a solid that moves are far from all fluid. */
OozeStatus ooze_boundary_measure(OozeBoundary *boundary, OozeThreads *threads,
                                 const OozeNeighbours *near, OozeError *error);

#endif
