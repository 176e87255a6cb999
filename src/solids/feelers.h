/* Where solids meet: points within one, with the depth at which they lie, against the signed distance of the other.

   A point at depth m under a surface stands for a ball of radius m that touches it from inside. Flat faces,
   spheres and capsules are felt exactly so; edges and corners are a little round, which is what gives two boxes
   that are flush with each other a clear direction to part in. It works alike for every pair of shapes. */
#ifndef OOZE_SOLIDS_FEELERS_H
#define OOZE_SOLIDS_FEELERS_H

#include "solids/solid.h"

/* A circle that the lowest point of moves along as the solid rolls; its plane is across `axis`. */
typedef struct OozeRim {
    OozeVec3 centre, axis;
    double radius, depth;
} OozeRim;

typedef struct OozeFeelers {
    OozeVec3 *points; /* in the solid's frame */
    double *depths;
    int count; /* 0: a plane, a height field or a container, which others feel */
    OozeRim *rims;
    int rim_count;
    double reach; /* of the farthest from the solid's origin */
} OozeFeelers;

OozeStatus ooze_feelers_create(const OozeShape *shape, OozeFeelers *feelers, OozeError *error);
void ooze_feelers_free(OozeFeelers *feelers);

/* A solid on its way through a stroke, as it would go if it met nothing. */
typedef struct OozeTraveller {
    const OozeShape *shape;
    const OozeFeelers *feelers;
    OozePose from, to;
} OozeTraveller;

/* Where two solids touch, or are about to. */
typedef struct OozeMeeting {
    OozeVec3 point;  /* between the two surfaces, at the beginning */
    OozeVec3 normal; /* from b to a */
    double gap;      /* m, at the end; negative: they would overlap */
} OozeMeeting;

enum { OOZE_MEETINGS_MAX = 12 };

/* Up to four points, far apart, for each of up to three directions, of those whose gap would come below `reach`:
   the number found. The same two in the same order give the same bits. */
int ooze_solids_meet(const OozeTraveller *a, const OozeTraveller *b, double reach,
                     OozeMeeting meetings[OOZE_MEETINGS_MAX]);

#endif
