/* Smoothing at the wavelengths of the particle spacing: what is done with one vertex. See smooth.c.
   Shared by the processor and the GPU. */
#ifndef OOZE_SURFACE_SMOOTH_FORMULA_H
#define OOZE_SURFACE_SMOOTH_FORMULA_H

#include "surface/rings.h"

/* Weight of the neighbours' mean in a pass. */
#define OOZE_SMOOTH_STEP 0.5f
/* Displacements of neighbours that differ by more than this belong to different parts of the shape,
   in spacings. */
#define OOZE_SMOOTH_ALIKE 0.12
/* Upper bound of the displacement, in spacings. */
#define OOZE_SMOOTH_DISPLACEMENT_MAX 0.3f
/* Passes over the normals after the last. */
enum { OOZE_SMOOTH_NORMAL_PASSES = 3 };
/* Passes over the displacements in which all neighbours are alike: ripples must not count as parts
   of the shape. */
enum { OOZE_SMOOTH_PLAIN_PASSES = 4 };
/* Passes over the limited displacements: at sharp ridges the limits differ between neighbours. */
enum { OOZE_SMOOTH_LAST_PASSES = 2 };

/* A low-pass filter over the values of vertices. */
typedef struct OozeLowPass {
    OozeRings rings;
    const float *from; /* one or three numbers per vertex */
    float *to;
    uint64_t fixed; /* the first vertices that keep their values */
    float likeness; /* of numbers: one over the square of the difference at which they are unlike */
} OozeLowPass;

OOZE_FORMULA void ooze_low_pass_vector(const OozeLowPass *job, uint64_t v)
{
    uint64_t first = job->rings.first[v], last = job->rings.first[v + 1];
    const float *own = job->from + 3 * v;
    /* Relative to the vertex: far from the origin the sum would lose its digits. */
    float sum[3] = {0.0f, 0.0f, 0.0f};
    for (uint64_t k = first; k < last; k++) {
        const float *other = job->from + 3 * (uint64_t)job->rings.to[k];
        for (uint64_t a = 0; a < 3; a++) {
            sum[a] += other[a] - own[a];
        }
    }
    float scale = last > first && v >= job->fixed ? OOZE_SMOOTH_STEP / (float)(last - first) : 0.0f;
    for (uint64_t a = 0; a < 3; a++) {
        job->to[3 * v + a] = own[a] + scale * sum[a];
    }
}

/* Neighbours count the less the more they differ: across an edge of the shape the displacement
   changes, and averaging over that would raise a lip beside it. */
OOZE_FORMULA void ooze_low_pass_number(const OozeLowPass *job, uint64_t v)
{
    uint64_t first = job->rings.first[v], last = job->rings.first[v + 1];
    float own = job->from[v], sum = 0.0f;
    for (uint64_t k = first; k < last; k++) {
        float difference = job->from[job->rings.to[k]] - own;
        float alike = 1.0f - difference * difference * job->likeness;
        sum += alike > 0.0f ? alike * alike * difference : 0.0f;
    }
    float scale = last > first && v >= job->fixed ? OOZE_SMOOTH_STEP / (float)(last - first) : 0.0f;
    job->to[v] = own + scale * sum;
}

/* ---- normals ---- */

OOZE_FORMULA void ooze_scale_to_unit(float n[3])
{
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int a = 0; a < 3; a++) {
        n[a] = length > 0.0f ? n[a] / length : (float)(a == 2);
    }
}

/* Mean of the normals of a vertex's triangles, weighted by their areas: slivers have little weight.
   `scale`: one over the spacing; squares of small lengths would underflow. */
OOZE_FORMULA void ooze_vertex_normal(const float *positions, const OozeRings *rings, float scale,
                                     uint64_t v, float normal[3])
{
    const float *own = positions + 3 * v;
    float sum[3] = {0.0f, 0.0f, 0.0f};
    for (uint64_t k = rings->first[v]; k < rings->first[v + 1]; k++) {
        const float *p = positions + 3 * (uint64_t)rings->to[k];
        const float *q = positions + 3 * (uint64_t)rings->third[k];
        float e[3], f[3];
        for (int a = 0; a < 3; a++) {
            e[a] = (p[a] - own[a]) * scale;
            f[a] = (q[a] - own[a]) * scale;
        }
        sum[0] += e[1] * f[2] - e[2] * f[1];
        sum[1] += e[2] * f[0] - e[0] * f[2];
        sum[2] += e[0] * f[1] - e[1] * f[0];
    }
    ooze_scale_to_unit(sum);
    normal[0] = sum[0];
    normal[1] = sum[1];
    normal[2] = sum[2];
}

/* ---- displacements ---- */

/* Displacement along the normal from x to the smoothed place. */
OOZE_FORMULA float ooze_smooth_distance(const float n[3], const float to[3], const float x[3])
{
    return n[0] * (to[0] - x[0]) + n[1] * (to[1] - x[1]) + n[2] * (to[2] - x[2]);
}

/* Limit of the displacement d, less its low-pass part `mean`. */
OOZE_FORMULA float ooze_smooth_limit(float d, float mean, float limit)
{
    float most = fabsf(d); /* not more than the filter itself would move it */
    d -= mean;
    d = d > most ? most : d < -most ? -most : d;
    return d / sqrtf(1.0f + d * d / (limit * limit));
}

/* ---- measures ---- */

/* Adds volume times 6 about the first vertex, and area times 2, of a triangle. */
OOZE_FORMULA void ooze_measure_triangle(const float *positions, const uint32_t *corners,
                                        double sums[2])
{
    double p[3][3], u[3], v[3];
    for (int k = 0; k < 3; k++) {
        const float *x = positions + 3 * (uint64_t)corners[k];
        for (int a = 0; a < 3; a++) {
            p[k][a] = (double)x[a] - (double)positions[a];
        }
    }
    for (int a = 0; a < 3; a++) {
        u[a] = p[1][a] - p[0][a];
        v[a] = p[2][a] - p[0][a];
    }
    double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    sums[0] += p[0][0] * n[0] + p[0][1] * n[1] + p[0][2] * n[2];
    sums[1] += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

#endif
