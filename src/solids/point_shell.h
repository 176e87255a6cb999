/* Point shells: points under the surface of a solid that are tested against the signed distance of
   another (McNeely, Puterbaugh and Troy 1999, "Six degree-of-freedom haptic rendering using
   voxel sampling").

   A point at depth d stands for a ball of radius d that touches the surface from inside. Flat
   faces, spheres and capsules are represented exactly; edges and corners are rounded, so that two
   boxes that stand flush have a unique direction to separate in. Works alike for every pair of
   shapes. */
#ifndef OOZE_SOLIDS_POINT_SHELL_H
#define OOZE_SOLIDS_POINT_SHELL_H

#include "solids/solid.h"

/* A rolling solid touches at one point of such a circle; `axis` is normal to its plane. */
typedef struct OozeShellCircle {
    OozeVec3 centre, axis;
    double radius, depth;
} OozeShellCircle;

typedef struct OozePointShell {
    OozeVec3 *points; /* in the solid's frame */
    double *depths;
    int count; /* 0: a plane, a height field or a container, tested with the points of others */
    int edge_count; /* the first of them: without the interior of flat faces */
    double depth_max;
    OozeShellCircle *circles;
    int circle_count;
    double reach; /* m, of the farthest point and its ball from the solid's origin */
} OozePointShell;

OozeStatus ooze_point_shell_create(const OozeShape *shape, OozePointShell *shell, OozeError *error);
void ooze_point_shell_free(OozePointShell *shell);

/* Reach of the smaller of two solids; INFINITY: neither has points. */
static inline double ooze_point_shell_smaller(const OozePointShell *a, const OozePointShell *b)
{
    return fmin(a->count ? a->reach : INFINITY, b->count ? b->reach : INFINITY);
}

#endif
