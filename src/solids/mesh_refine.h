/* Cutting long edges, and the shape of a surface of revolution. */
#ifndef OOZE_SOLIDS_MESH_REFINE_H
#define OOZE_SOLIDS_MESH_REFINE_H

#include "solids/mesh_build.h"

/* Halves edges until none is longer than `edge`. Neighbours are cut alike, so that a watertight mesh
   stays so; the surface itself does not change. On failure `*mesh` is freed and NULL. */
OozeStatus ooze_mesh_refine(OozeMesh **mesh, double edge, OozeError *error);

/* Refuses a surface whose triangles would not fit in any sane memory. */
OozeStatus ooze_mesh_check_size(double area, double edge, OozeError *error);

typedef struct OozeProfilePoint {
    double radius, height;
} OozeProfilePoint;

/* A profile in the half plane (radius >= 0, height), outside on its right: from the axis to the axis,
   or closed. */
typedef struct OozeProfile {
    OozeProfilePoint *points;
    uint64_t count, capacity;
    bool closed, failed;
} OozeProfile;

/* Appends points along a line from the last point (which must exist) to `to`, or along an arc about
   `centre` from angle `from` to `end` (radians, anticlockwise from outward), steps of at most `step`.
   An arc begins with its own first point unless the profile ends there. */
void ooze_profile_begin(OozeProfile *profile, double radius, double height);
void ooze_profile_line(OozeProfile *profile, double radius, double height, double step);
void ooze_profile_arc(OozeProfile *profile, OozeProfilePoint centre, double radius, double from,
                      double end, double step);
void ooze_profile_free(OozeProfile *profile);

/* Turns the profile about the `up` axis; triangles face outward, sides of at most `edge` round the
   axis. */
OozeStatus ooze_mesh_revolve(const OozeProfile *profile, OozeAxis up, double edge, OozeMesh **mesh,
                             OozeError *error);

#endif
