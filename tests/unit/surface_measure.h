/* Shapes of disordered particles whose surface is known, and measures of their meshes. Lengths are
   in particle spacings; the frames have a spacing of 1. */
#ifndef OOZE_TESTS_SURFACE_MEASURE_H
#define OOZE_TESTS_SURFACE_MEASURE_H

#include <math.h>
#include <string.h>

#include "surface_frame.h"

/* ---- shapes -------------------------------------------------------------------------------- */

/* Moves a point back into a ball (`size[0]`: radius) or a box (half edges) about the origin. */
static inline void confine(float *p, bool ball, const double size[3])
{
    double r = sqrt((double)p[0] * p[0] + (double)p[1] * p[1] + (double)p[2] * p[2]);
    for (int a = 0; a < 3; a++) {
        if (ball && r > size[0]) {
            p[a] = (float)(p[a] * size[0] / r);
        } else if (!ball) {
            p[a] = (float)fmax(-size[a], fmin(size[a], (double)p[a]));
        }
    }
}

/* Random points that repel each other until they are evenly spaced and without order, as the
   particles of fluid at rest are. The walls are half a spacing beyond the outermost ones. */
static inline CloudFrame *cloud_amorphous(bool ball, const double half[3], uint64_t seed)
{
    double volume =
        ball ? 4.18879020478639 * half[0] * half[0] * half[0] : 8.0 * half[0] * half[1] * half[2];
    uint64_t n = (uint64_t)lround(volume);
    double inner[3] = {half[0] - 0.5, half[1] - 0.5, half[2] - 0.5};
    CloudFrame *cloud = cloud_create(n, 1.0);
    float *move = calloc(4 * n, sizeof *move);
    for (uint64_t i = 0; i < n; i++) {
        double p[3] = {1e9, 0.0, 0.0};
        for (uint64_t draw = 0;
             p[0] * p[0] + p[1] * p[1] + p[2] * p[2] > (ball ? inner[0] * inner[0] : 1e8); draw++) {
            for (int a = 0; a < 3; a++) {
                double u = ooze_random01(seed, i, 3 * draw + (uint64_t)a);
                p[a] = inner[ball ? 0 : a] * (2.0 * u - 1.0);
            }
        }
        cloud_add(cloud, p[0], p[1], p[2]);
    }
    for (int pass = 0; pass < 60; pass++) {
        memset(move, 0, 4 * n * sizeof *move);
        for (uint64_t i = 0; i < n; i++) {
            for (uint64_t j = i + 1; j < n; j++) {
                float d[3], r2 = 0.0f;
                for (uint64_t a = 0; a < 3; a++) {
                    d[a] = cloud->position[4 * i + a] - cloud->position[4 * j + a];
                    r2 += d[a] * d[a];
                }
                if (r2 < 1.44f && r2 > 0.0f) {
                    float r = sqrtf(r2), push = 0.15f * (1.2f - r) / r;
                    for (uint64_t a = 0; a < 3; a++) {
                        move[4 * i + a] += push * d[a];
                        move[4 * j + a] -= push * d[a];
                    }
                }
            }
        }
        for (uint64_t i = 0; i < n; i++) {
            for (uint64_t a = 0; a < 3; a++) {
                cloud->position[4 * i + a] += move[4 * i + a];
            }
            confine(cloud->position + 4 * i, ball, inner);
        }
    }
    free(move);
    return cloud;
}

/* A lattice of n[0] x n[1] x n[2], stretched by a factor along x (a thread) or along x and y (a
   sheet), and thinner across by as much as keeps the volume. */
static inline CloudFrame *cloud_stretched(const int n[3], double stretch, bool sheet, double jitter)
{
    CloudFrame *cloud = cloud_block(n[0], n[1], n[2], jitter, 17, 1.0);
    for (uint64_t i = 0; i < cloud->frame.particle_count; i++) {
        cloud->position[4 * i] *= (float)stretch;
        cloud->position[4 * i + 1] *= (float)(sheet ? stretch : 1.0 / sqrt(stretch));
        cloud->position[4 * i + 2] *=
            (float)(sheet ? 1.0 / (stretch * stretch) : 1.0 / sqrt(stretch));
    }
    return cloud;
}

/* ---- measures ------------------------------------------------------------------------------ */

/* Deviation of a mesh from a known smooth surface. */
typedef struct Roughness {
    double offset;    /* mean distance beyond the surface */
    double distance;  /* root mean square about that */
    double angle;     /* root mean square angle of the stored normals, degrees */
    double curvature; /* root mean square normal curvature from stored normals, less the true one */
    double most;      /* largest distance from the surface: one-sided Hausdorff distance */
    uint64_t vertices;
} Roughness;

/* Of a point: its distance beyond the surface, the true normal and curvature there. False where it
   shall not count, as near edges. */
typedef bool (*SurfaceTruth)(const void *context, const float p[3], double *distance,
                             double normal[3], double *curvature);

static inline Roughness measure_roughness(const OozeSurface *mesh, SurfaceTruth truth,
                                          const void *context)
{
    Roughness r = {0};
    double sum = 0.0, squares = 0.0, angles = 0.0, bends = 0.0, lengths = 0.0, d, n[3], k;
    for (uint64_t v = 0; v < mesh->vertex_count; v++) {
        if (!truth(context, mesh->positions + 3 * v, &d, n, &k)) {
            continue;
        }
        double c = 0.0;
        for (uint64_t a = 0; a < 3; a++) {
            c += n[a] * (double)mesh->normals[3 * v + a];
        }
        r.vertices++;
        sum += d;
        squares += d * d;
        angles += pow(acos(fmax(-1.0, fmin(1.0, c))), 2.0);
        r.most = fmax(r.most, fabs(d));
    }
    for (uint64_t e = 0; e < 3 * mesh->triangle_count; e++) {
        uint64_t i = mesh->triangles[e], j = mesh->triangles[e / 3 * 3 + (e + 1) % 3];
        double l2 = 0.0, bend = 0.0;
        if (!truth(context, mesh->positions + 3 * i, &d, n, &k) ||
            !truth(context, mesh->positions + 3 * j, &d, n, &k)) {
            continue;
        }
        for (uint64_t a = 0; a < 3; a++) {
            double x = (double)mesh->positions[3 * j + a] - (double)mesh->positions[3 * i + a];
            l2 += x * x;
            bend += x * ((double)mesh->normals[3 * j + a] - (double)mesh->normals[3 * i + a]);
        }
        if (l2 > 1e-8) {
            bends += pow(bend / l2 - k, 2.0) * l2;
            lengths += l2;
        }
    }
    double count = (double)r.vertices;
    r.offset = sum / count;
    r.distance = sqrt(fmax(squares / count - r.offset * r.offset, 0.0));
    r.angle = sqrt(angles / count) * 57.29577951308232;
    r.curvature = sqrt(bends / lengths);
    return r;
}

/* Context: the radius. */
static inline bool truth_ball(const void *context, const float p[3], double *distance,
                              double normal[3], double *curvature)
{
    double r = sqrt((double)p[0] * p[0] + (double)p[1] * p[1] + (double)p[2] * p[2]);
    for (int a = 0; a < 3; a++) {
        normal[a] = p[a] / r;
    }
    *distance = r - *(const double *)context;
    *curvature = 1.0 / *(const double *)context;
    return true;
}

/* The top of a box about the origin. Context: its half edges. Three spacings from its sides. */
static inline bool truth_top(const void *context, const float p[3], double *distance,
                             double normal[3], double *curvature)
{
    const double *half = context;
    normal[0] = normal[2] = *curvature = 0.0;
    normal[1] = 1.0;
    *distance = p[1] - half[1];
    return p[1] > half[1] - 1.5 && fabs((double)p[0]) < half[0] - 3.0 &&
           fabs((double)p[2]) < half[2] - 3.0;
}

/* Largest height of the mesh above (x, z); -infinity where it is not above it. */
static inline double mesh_height(const OozeSurface *mesh, double x, double z)
{
    double best = -INFINITY;
    for (uint64_t t = 0; t < mesh->triangle_count; t++) {
        double p[3][3], w[3], area;
        for (int k = 0; k < 3; k++) {
            const float *q = mesh->positions + 3 * (uint64_t)mesh->triangles[3 * t + (uint64_t)k];
            p[k][0] = (double)q[0] - x;
            p[k][1] = (double)q[1];
            p[k][2] = (double)q[2] - z;
        }
        for (int k = 0; k < 3; k++) {
            const double *a = p[(k + 1) % 3], *b = p[(k + 2) % 3];
            w[k] = a[0] * b[2] - a[2] * b[0];
        }
        area = w[0] + w[1] + w[2];
        if (area != 0.0 && w[0] / area >= 0.0 && w[1] / area >= 0.0 && w[2] / area >= 0.0) {
            best = fmax(best, (w[0] * p[0][1] + w[1] * p[1][1] + w[2] * p[2][1]) / area);
        }
    }
    return best;
}

static inline uint32_t find_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

/* Connected parts of a mesh. */
static inline uint64_t mesh_components(const OozeSurface *mesh)
{
    uint32_t *parent = malloc((mesh->vertex_count + 1) * sizeof *parent);
    uint64_t count = 0;
    for (uint64_t v = 0; v < mesh->vertex_count; v++) {
        parent[v] = (uint32_t)v;
    }
    for (uint64_t e = 0; e < 3 * mesh->triangle_count; e++) {
        uint32_t a = find_root(parent, mesh->triangles[e]);
        uint32_t b = find_root(parent, mesh->triangles[e / 3 * 3 + (e + 1) % 3]);
        parent[a < b ? b : a] = a < b ? a : b;
    }
    for (uint64_t v = 0; v < mesh->vertex_count; v++) {
        count += parent[v] == v;
    }
    free(parent);
    return count;
}

/* 2 for a ball; 2 less for each hole through it. */
static inline int64_t mesh_euler(const OozeSurface *mesh)
{
    return (int64_t)mesh->vertex_count - (int64_t)(mesh->triangle_count / 2);
}

#endif
