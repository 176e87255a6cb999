/* Narrow phase of contact between solids: few points that describe where two of them touch. */
#ifndef OOZE_SOLIDS_MANIFOLD_H
#define OOZE_SOLIDS_MANIFOLD_H

#include "solids/point_shell.h"

/* A solid in a substep, as it moves without contacts. */
typedef struct OozeSweptSolid {
    const OozeShape *shape;
    const OozePointShell *shell;
    OozePose from, to;
    OozeBounds bounds; /* in the world, at both ends; infinite without a shell */
} OozeSweptSolid;

OozeSweptSolid ooze_swept_solid(const OozeShape *shape, const OozePointShell *shell,
                                const OozePose *from, const OozePose *to);

/* Where two solids touch, or are about to. */
typedef struct OozeManifoldPoint {
    OozeVec3 point;  /* in the world, between the two surfaces at the beginning */
    OozeVec3 normal; /* from b to a */
    double gap;      /* m, at the end; negative: the solids would overlap */
} OozeManifoldPoint;

enum { OOZE_MANIFOLD_POINTS_MAX = 12 };

/* Finds points whose gap falls below `reach`, and selects up to four, far apart, for each of up to
   three directions. Returns their number. The same arguments give the same bits. */
int ooze_contact_manifold(const OozeSweptSolid *a, const OozeSweptSolid *b, double reach,
                          OozeManifoldPoint points[OOZE_MANIFOLD_POINTS_MAX]);

#endif
