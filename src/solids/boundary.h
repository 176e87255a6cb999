/* Boundary particles: samples of the surfaces of solids in the sums over neighbours (Akinci et al.
   2012).

   One set for all sampled solids, kept in grid order. Samples lie on the surface itself; volume_k =
   1 / sum over boundary samples W(x_k - x_l), including itself, compensates uneven and overlapping
   sampling.

   All values depend on the present poses alone, not on earlier poses or steps, so that a resumed
   run has the same bits. */
#ifndef OOZE_SOLIDS_BOUNDARY_H
#define OOZE_SOLIDS_BOUNDARY_H

#include "particles/neighbours.h"
#include "solids/solid.h"
#include "solids/surface_lattice.h"

/* Solids with fewer samples are not sampled in cells. */
#define OOZE_CELL_SAMPLES_MIN 1e5

typedef struct OozeBoundary {
    uint64_t count;
    /* In grid order; zero-padded like the particle store. */
    OozeFloat4 *position; /* world */
    OozeFloat4 *velocity;
    OozeFloat4 *normal; /* outward, of the solid */
    float *volume;      /* m3; see ooze_boundary_measure */
    uint16_t *solid;    /* index of the solid */
    /* In the order of creation. */
    OozeFloat4 *local, *local_normal; /* in the solid's local frame */
    uint16_t *local_solid;
    OozeFloat4 *placed; /* local, in the world */
    float *local_volume;
    uint8_t *stale;           /* its volume must be recomputed */
    uint64_t capacity;        /* of the arrays above */
    uint64_t sorted_capacity; /* of those in grid order */
    OozePose *poses;          /* of each solid at the last update */
    int pose_count;
    /* Working memory, kept from step to step: the solids that moved, the bounds in which volumes
       changed, and the samples to recompute. */
    bool *moved;
    OozeBounds *changed;
    int changed_count;
    uint8_t *needed;
    uint32_t *chosen;
    OozeFloat4 *chosen_position;
    OozePeriodic periodic; /* of the last update */
    OozeGrid *grid;
    OozeNeighbours lists;
    double support;
    bool moving;  /* any sampled solid can move */
    bool current; /* sorted for the current poses */
    bool any_stale;
} OozeBoundary;

/* More samples of one surface are refused. */
#define OOZE_SURFACE_SAMPLES_MAX 2e8

typedef struct OozeSurfaceSamples {
    uint64_t count;
    OozeVec3 *points, *normals; /* free with ooze_free */
    double area;                /* of the surface, m2 */
} OozeSurfaceSamples;

/* Least distance of two samples, in spacings. */
#define OOZE_SAMPLE_DISTANCE 0.72

/* Even samples on a surface, in local space: about one per spacing^2, none nearer to another than
   0.7 spacing, sharp edges covered, deterministic for any number of threads. Planes are sampled
   inside `clip` only. */
OozeStatus ooze_sample_surface(const OozeShape *shape, double spacing, const OozeBounds *clip,
                               OozeThreads *threads, OozeSurfaceSamples *samples, OozeError *error);

/* About how many samples a surface has; infinite of a plane. Takes little time and memory, however
   many they are. */
OozeStatus ooze_count_samples(const OozeShape *shape, double spacing, double *count,
                              OozeError *error);

void ooze_boundary_free(OozeBoundary *boundary);
uint64_t ooze_boundary_bytes(const OozeBoundary *boundary);

/* Largest number of samples of a solid that cannot be sampled in cells. */
#define OOZE_BOUNDARY_SOLID_MAX 2e7

/* Appends the samples of solid `index`; of infinite planes those within the solid's clip. */
OozeStatus ooze_boundary_add(OozeBoundary *boundary, const OozeSolid *solid, int index,
                             double spacing, OozeThreads *threads, OozeError *error);
/* Appends the samples of solid `index` in these cells of its lattice. */
OozeStatus ooze_boundary_add_cells(OozeBoundary *boundary, const OozeSolid *solid, int index,
                                   const OozeSurfaceLattice *lattice, const OozeCellSet *cells,
                                   OozeError *error);
/* Appends samples of solid `index`, in its frame. */
OozeStatus ooze_boundary_add_points(OozeBoundary *boundary, const OozeSolid *solid, int index,
                                    const OozeVec3 *points, uint64_t count, OozeError *error);
/* Keeps the first `count` samples. */
void ooze_boundary_truncate(OozeBoundary *boundary, uint64_t count);

/* Moves samples with their solids and sorts again where any moved. */
OozeStatus ooze_boundary_update(OozeBoundary *boundary, OozeThreads *threads,
                                const OozeSolid *solids, double support,
                                const OozePeriodic *periodic, OozeError *error);
/* Updates the volumes of the samples in these lists where solids have moved; of all where `near` is
   NULL or no solid moves. Most samples of a moving solid are far from all fluid. */
OozeStatus ooze_boundary_measure(OozeBoundary *boundary, OozeThreads *threads,
                                 const OozeNeighbours *near, OozeError *error);

#endif
