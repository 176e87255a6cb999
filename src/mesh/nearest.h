/* The nearest point of a triangle. Valid C17 and CUDA. */
#ifndef OOZE_MESH_NEAREST_H
#define OOZE_MESH_NEAREST_H

#include "base/vec3.h"

OOZE_FORMULA double ooze_distance2(OozeVec3 a, OozeVec3 b)
{
    OozeVec3 d = vec3_sub(a, b);
    return vec3_dot(d, d);
}

/* The nearest point of a + s ab, 0 <= s <= 1; `along` is s times |ab|^2, unclamped. */
OOZE_FORMULA OozeVec3 ooze_nearest_on_segment(OozeVec3 a, OozeVec3 ab, double along, double length2)
{
    double s = along <= 0.0 || !(length2 > 0.0) ? 0.0 : along >= length2 ? 1.0 : along / length2;
    return vec3_madd(a, s, ab);
}

/* The projection where it falls inside, else the nearest point of the edges that the point lies
   beyond; of all edges where the corners are collinear. */
OOZE_FORMULA OozeVec3 ooze_nearest_on_triangle(OozeVec3 a, OozeVec3 b, OozeVec3 c, OozeVec3 p)
{
    OozeVec3 ab = vec3_sub(b, a), ac = vec3_sub(c, a), ap = vec3_sub(p, a);
    double bb = vec3_dot(ab, ab), cc = vec3_dot(ac, ac), bc = vec3_dot(ab, ac);
    double pb = vec3_dot(ap, ab), pc = vec3_dot(ap, ac);
    double det = bb * cc - bc * bc, u = cc * pb - bc * pc, v = bb * pc - bc * pb;
    bool flat = !(det > 1e-14 * bb * cc);
    if (!flat && u >= 0.0 && v >= 0.0 && u + v <= det) {
        double scale = 1.0 / det;
        return vec3_madd(vec3_madd(a, u * scale, ab), v * scale, ac);
    }
    OozeVec3 best = a;
    double best2 = INFINITY;
    if (flat || v < 0.0) {
        best = ooze_nearest_on_segment(a, ab, pb, bb);
        best2 = ooze_distance2(best, p);
    }
    if (flat || u < 0.0) {
        OozeVec3 other = ooze_nearest_on_segment(a, ac, pc, cc);
        double other2 = ooze_distance2(other, p);
        best = other2 < best2 ? other : best;
        best2 = other2 < best2 ? other2 : best2;
    }
    if (flat || u + v > det) {
        OozeVec3 side = vec3_sub(c, b);
        OozeVec3 other =
            ooze_nearest_on_segment(b, side, vec3_dot(vec3_sub(p, b), side), vec3_dot(side, side));
        best = ooze_distance2(other, p) < best2 ? other : best;
    }
    return best;
}

#endif
