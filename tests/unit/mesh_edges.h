/* Measuring triangles. */
#ifndef OOZE_TESTS_MESH_EDGES_H
#define OOZE_TESTS_MESH_EDGES_H

#include <math.h>

#include "base/vec3.h"
#include "mesh/build.h"

static inline double longest_edge(const OozeMesh *mesh)
{
    double longest = 0.0;
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            OozeVec3 a = ooze_mesh_corner(mesh, t, k), b = ooze_mesh_corner(mesh, t, (k + 1) % 3);
            longest = fmax(longest, vec3_length(vec3_sub(a, b)));
        }
    }
    return longest;
}

#endif
