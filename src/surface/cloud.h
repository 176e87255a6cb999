/* The particles of a frame, sorted in space, each with the kernel of its contribution to the field.
   */
#ifndef OOZE_SURFACE_CLOUD_H
#define OOZE_SURFACE_CLOUD_H

#include "ooze/surface.h"
#include "particles/grid_cells.h"
#include "surface/kernel_formula.h"

typedef struct OozeCloud {
    const OozeFrame *frame;
    uint64_t n;
    double spacing;
    OozeGrid *grid;
    const uint32_t *order;      /* sorted index -> particle of the frame */
    OozeFloat4 *x;              /* sorted positions */
    OozeSurfaceKernel *kernels; /* of the particles near the surface; NULL until ooze_cloud_shape */
    uint64_t kernel_count;
    uint32_t *slot; /* per particle: its index in `kernels`, or OOZE_SURFACE_SHARED deep inside */
    OozeSurfaceKernel shared;  /* the kernel deep inside, at the origin */
    float *fill;               /* filled fraction of the neighbourhood; inside, some number above
                                  OOZE_SURFACE_OUTER_FILL */
    int label_count;           /* different materials; 1 where they are not told apart */
    uint8_t *label;            /* per particle: 1 to label_count; NULL where there is one */
    uint8_t *at_interface;     /* per particle: another material is near; NULL where there is one */
    uint16_t material_of[256]; /* label -> material of the frame */
    float largest[3];          /* along each axis, largest extent of a kernel from its particle */
    float reach2;              /* square of the largest reach of a kernel from its particle */
    double iso;                /* the value of the field on the surface */
    bool cones;                /* the field is a sum of squared cones */
} OozeCloud;

/* Fails on a position that is not finite; the message names particle and frame. */
OozeStatus ooze_cloud_open(const OozeFrame *frame, OozeThreads *threads, OozeCloud *cloud,
                           OozeError *error);
void ooze_cloud_close(OozeCloud *cloud);

/* The kernel of a particle; `own` holds the shared one moved to its place. */
static inline const OozeSurfaceKernel *ooze_cloud_kernel(const OozeCloud *cloud, uint64_t i,
                                                         OozeSurfaceKernel *own)
{
    if (cloud->slot[i] != OOZE_SURFACE_SHARED) {
        return &cloud->kernels[cloud->slot[i]];
    }
    *own = cloud->shared;
    own->centre[0] = cloud->x[i].x;
    own->centre[1] = cloud->x[i].y;
    own->centre[2] = cloud->x[i].z;
    return own;
}

/* The value of the field on the surface; the kernel of a particle deep inside, at the origin. */
double ooze_surface_level(OozeSurfaceMethod method);
void ooze_surface_shared_kernel(OozeSurfaceMethod method, double spacing,
                                OozeSurfaceKernel *kernel);

/* Fills kernels, slot, fill, iso. */
OozeStatus ooze_cloud_shape(OozeCloud *cloud, const OozeSurfaceSettings *settings,
                            OozeThreads *threads, OozeError *error);

/* Iterates over the rows of cells that overlap a box, in ascending order. */
typedef struct OozeCloudRows {
    const OozeCloud *cloud;
    int32_t low[3], high[3], y, z; /* cells; y, z: the next row */
} OozeCloudRows;
OozeCloudRows ooze_cloud_rows(const OozeCloud *cloud, const float low[3], const float high[3]);
/* The particles of the next row that is not empty; false after the last. */
bool ooze_cloud_next(OozeCloudRows *rows, OozeGridRun *run);

#endif
