/* The particles of a frame as the surface sees them: sorted in space, each with its kernel. */
#ifndef OOZE_SURFACE_CLOUD_H
#define OOZE_SURFACE_CLOUD_H

#include "ooze/surface.h"
#include "particles/grid.h"

/* The part of the field that one particle makes: weight (1 - |G (x - centre)|^2)^3, or with round
   kernels of the cone weight (1 - r / h)^2. One cache line. */
typedef struct OozeSurfaceKernel {
    float centre[3], weight;
    float xx, yy, zz, xy, xz, yz; /* G^T G */
    float reach[3];               /* half the box around where it is not 0 */
    float padding[3];
} OozeSurfaceKernel;

typedef struct OozeCloud {
    const OozeFrame *frame;
    uint64_t n;
    double spacing;
    OozeGrid *grid;
    const uint32_t *order;      /* place here -> particle of the frame */
    OozeFloat4 *x;              /* sorted positions */
    OozeSurfaceKernel *kernels; /* NULL until made */
    float *fill;                /* share of a full neighbourhood */
    float largest[3]; /* along each axis, farthest that a kernel reaches from its particle */
    double iso;       /* the surface is where the field has this value */
    bool cones;       /* the field is a sum of squared cones */
} OozeCloud;

/* Refuses what is not a number, naming particle and frame. */
OozeStatus ooze_cloud_open(const OozeFrame *frame, OozeThreads *threads, OozeCloud *cloud,
                           OozeError *error);
void ooze_cloud_close(OozeCloud *cloud);

/* Fills kernels, fill, iso. */
OozeStatus ooze_cloud_shape(OozeCloud *cloud, const OozeSurfaceSettings *settings,
                            OozeThreads *threads, OozeError *error);

/* Runs of particles whose sorted cells touch the box: up to `room` runs, ascending; the count. */
typedef struct OozeCloudRows {
    const OozeCloud *cloud;
    int32_t low[3], high[3], y, z; /* cells; the next row to give */
} OozeCloudRows;
OozeCloudRows ooze_cloud_rows(const OozeCloud *cloud, const float low[3], const float high[3]);
/* The next run that is not empty; false after the last. */
bool ooze_cloud_next(OozeCloudRows *rows, OozeGridRun *run);

#endif
