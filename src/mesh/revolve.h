/* Surfaces of revolution. */
#ifndef OOZE_MESH_REVOLVE_H
#define OOZE_MESH_REVOLVE_H

#include "mesh/mesh.h"

typedef struct OozeProfilePoint {
    double radius, height;
} OozeProfilePoint;

/* A profile in the half plane (radius >= 0, height), with the outside to its right: it begins and
   ends on the axis, or is closed. */
typedef struct OozeProfile {
    OozeProfilePoint *points;
    uint64_t count, capacity;
    bool closed, failed;
} OozeProfile;

/* Appends points along a line from the last point (which must exist) to `to`, or along an arc about
   `centre` from angle `from` to `end` (radians, anticlockwise from outward), in steps of at most
   `step`. An arc begins with its own first point unless the profile ends there. */
void ooze_profile_begin(OozeProfile *profile, double radius, double height);
void ooze_profile_line(OozeProfile *profile, double radius, double height, double step);
void ooze_profile_arc(OozeProfile *profile, OozeProfilePoint centre, double radius, double from,
                      double end, double step);
void ooze_profile_free(OozeProfile *profile);

/* The surface of revolution of the profile about the `up` axis; triangles face outward, with edges
   of at most `edge` around the axis. */
OozeStatus ooze_mesh_revolve(const OozeProfile *profile, OozeAxis up, double edge, OozeMesh **mesh,
                             OozeError *error);

#endif
