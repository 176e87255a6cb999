/* The kernel of one particle: its shape by the neighbourhood, and its value at a point. Shared by
   the processor and the GPU, whose loops over neighbours differ. */
#ifndef OOZE_SURFACE_KERNEL_FORMULA_H
#define OOZE_SURFACE_KERNEL_FORMULA_H

#include "physics/eigen.h"
#include "physics/surface_field.h"

/* The contribution of a particle to the field: weight (1 - |G (x - centre)|^2)^3, or of the cone
   method weight (1 - r / h)^2. One cache line. */
typedef struct OozeSurfaceKernel {
    float centre[3], weight;
    float xx, yy, zz, xy, xz, yz; /* G^T G */
    float extent[3];              /* half edges of the bounding box of its support */
    float padding[3];
} OozeSurfaceKernel;

/* The kernel of a particle that has none of its own. */
#define OOZE_SURFACE_SHARED UINT32_MAX

/* ---- neighbourhoods ------------------------------------------------------------------------ */

/* The neighbourhood of a particle near the surface, in spacings. */
typedef struct OozeNeighbourhood {
    float offset[3]; /* to the weighted mean of the neighbours */
    OozeSym3 spread; /* covariance */
} OozeNeighbourhood;

typedef struct OozeNeighbourSums {
    float sum, m[3], s[6];
} OozeNeighbourSums;

/* Adds a neighbour at the offset d with weight w. */
OOZE_FORMULA void ooze_neighbour_add(OozeNeighbourSums *v, const float d[3], float w)
{
    v->sum += w;
    v->m[0] += w * d[0];
    v->m[1] += w * d[1];
    v->m[2] += w * d[2];
    v->s[0] += w * d[0] * d[0];
    v->s[1] += w * d[1] * d[1];
    v->s[2] += w * d[2] * d[2];
    v->s[3] += w * d[0] * d[1];
    v->s[4] += w * d[0] * d[2];
    v->s[5] += w * d[1] * d[2];
}

OOZE_FORMULA OozeNeighbourhood ooze_neighbour_mean(const OozeNeighbourSums *v)
{
    OozeNeighbourhood mean;
    const float a = 1.0f / v->sum, *s = v->s;
    for (int k = 0; k < 3; k++) {
        mean.offset[k] = v->m[k] * a;
    }
    const float *p = mean.offset;
    mean.spread = ooze_sym3(s[0] * a - p[0] * p[0], s[1] * a - p[1] * p[1], s[2] * a - p[2] * p[2],
                            s[3] * a - p[0] * p[1], s[4] * a - p[0] * p[2], s[5] * a - p[1] * p[2]);
    return mean;
}

/* Axes of the neighbourhood. Three sweeps leave a thousandth of an off-diagonal entry or less: a
   kernel is not more exact than its neighbourhood. */
OOZE_FORMULA OozeEigen3 ooze_neighbour_axes(const OozeNeighbourhood *v)
{
    return ooze_sym3_eigen_sweeps(v->spread, 3);
}

/* ---- centres ------------------------------------------------------------------------------- */

/* Weight of a neighbour in the mean offset: those whose offsets are alike are at the same depth. */
OOZE_FORMULA float ooze_offset_weight(const float own[3], const float other[3], float w)
{
    const float likeness = (float)(1.0 / (OOZE_SURFACE_OFFSET_LIKE * OOZE_SURFACE_OFFSET_LIKE));
    float ax = other[0] - own[0], ay = other[1] - own[1], az = other[2] - own[2];
    float alike = ooze_max(1.0f - (ax * ax + ay * ay + az * az) * likeness, 0.0f);
    return alike * alike * w;
}

/* Whether the neighbourhood is not full along some axis; otherwise the centre stays. */
OOZE_FORMULA bool ooze_is_across(const OozeEigen3 *eigen)
{
    float least = ooze_min(eigen->values[0], ooze_min(eigen->values[1], eigen->values[2]));
    return ooze_surface_across(least) > 0.0f;
}

/* Shift of a centre, in spacings. Laplacian smoothing moves the surface inwards, by half a spacing
   where it is flat, and makes thin threads vanish. The mean offset of the neighbours at the same
   depth is that systematic part, and it is subtracted; the rest is the unevenness of the particle
   itself. */
OOZE_FORMULA void ooze_centre_shift(const OozeEigen3 *eigen, const float own[3],
                                    const float mean[3], float smoothing, float shift[3])
{
    float off[3], length2 = 0.0f;
    for (int k = 0; k < 3; k++) {
        off[k] = smoothing * (own[k] - mean[k]);
        shift[k] = 0.0f;
    }
    /* Along the surface the shift would only increase uneven spacing. */
    for (int k = 0; k < 3; k++) {
        const float e[3] = {eigen->vectors.m[k], eigen->vectors.m[3 + k], eigen->vectors.m[6 + k]};
        float component =
            ooze_surface_across(eigen->values[k]) * (e[0] * off[0] + e[1] * off[1] + e[2] * off[2]);
        length2 += component * component;
        for (int a = 0; a < 3; a++) {
            shift[a] += component * e[a];
        }
    }
    float max = (float)OOZE_SURFACE_SHIFT_MAX;
    float scale = length2 > max * max ? max / sqrtf(length2) : 1.0f;
    for (int k = 0; k < 3; k++) {
        shift[k] *= scale;
    }
}

/* ---- shapes -------------------------------------------------------------------------------- */

OOZE_FORMULA void ooze_kernel_set_round(OozeSurfaceKernel *kernel, float radius, float weight)
{
    float g = 1.0f / (radius * radius);
    kernel->weight = weight;
    kernel->xx = kernel->yy = kernel->zz = g;
    kernel->xy = kernel->xz = kernel->yz = 0.0f;
    kernel->extent[0] = kernel->extent[1] = kernel->extent[2] = radius;
}

OOZE_FORMULA void ooze_kernel_set_stretched(OozeSurfaceKernel *kernel, const OozeEigen3 *e,
                                            float fill, float spacing)
{
    float axes[3], metric[3], square[3], weight;
    ooze_surface_axes(e->values, fill, axes, &weight);
    for (int k = 0; k < 3; k++) {
        float length = axes[k] * spacing;
        square[k] = length * length;
        metric[k] = 1.0f / square[k];
    }
    OozeSym3 g = ooze_eigen3_compose(e, metric), box = ooze_eigen3_compose(e, square);
    kernel->weight = weight;
    kernel->xx = g.xx;
    kernel->yy = g.yy;
    kernel->zz = g.zz;
    kernel->xy = g.xy;
    kernel->xz = g.xz;
    kernel->yz = g.yz;
    /* Larger than the box by more than rounding. */
    kernel->extent[0] = sqrtf(box.xx) * 1.0001f;
    kernel->extent[1] = sqrtf(box.yy) * 1.0001f;
    kernel->extent[2] = sqrtf(box.zz) * 1.0001f;
}

/* Factor of the weight of a particle of thin fluid, which raises the field `sum` at its own place
   to the target. */
OOZE_FORMULA float ooze_thin_boost(float target, float sum)
{
    return ooze_min(ooze_max(target / sum, 1.0f), (float)OOZE_SURFACE_BOOST_MAX);
}

/* ---- values -------------------------------------------------------------------------------- */

/* q^2 at the offset d from the centre. */
OOZE_FORMULA float ooze_kernel_square(const OozeSurfaceKernel *k, const float d[3])
{
    return (k->xx * d[0] + 2.0f * (k->xy * d[1] + k->xz * d[2])) * d[0] +
           (k->yy * d[1] + 2.0f * k->yz * d[2]) * d[1] + k->zz * d[2] * d[2];
}

/* Contribution at the offset d from the centre; `slope` is its derivative by q^2. */
OOZE_FORMULA float ooze_kernel_value(bool cones, const OozeSurfaceKernel *k, const float d[3],
                                     float *slope)
{
    float q2 = ooze_kernel_square(k, d);
    *slope = 0.0f;
    if (!(q2 < 1.0f)) {
        return 0.0f;
    }
    if (cones) {
        float q = sqrtf(q2), t = 1.0f - q;
        *slope = q > 0.0f ? -t / q : 0.0f;
        return t * t;
    }
    *slope = k->weight * ooze_surface_kernel_slope(q2);
    return k->weight * ooze_surface_kernel(q2);
}

OOZE_FORMULA void ooze_kernel_add_gradient(const OozeSurfaceKernel *k, const float d[3],
                                           float slope, float g[3])
{
    float s = 2.0f * slope;
    g[0] += s * (k->xx * d[0] + k->xy * d[1] + k->xz * d[2]);
    g[1] += s * (k->xy * d[0] + k->yy * d[1] + k->yz * d[2]);
    g[2] += s * (k->xz * d[0] + k->yz * d[1] + k->zz * d[2]);
}

/* Outwards: the field falls there. */
OOZE_FORMULA void ooze_normal_of_gradient(const float gradient[3], float normal[3])
{
    double length = sqrt((double)gradient[0] * gradient[0] + (double)gradient[1] * gradient[1] +
                         (double)gradient[2] * gradient[2]);
    for (int a = 0; a < 3; a++) {
        normal[a] = length > 0.0 ? (float)(-gradient[a] / length) : (float)(a == 2);
    }
}

#endif
