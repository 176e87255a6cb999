/* Small ray scenes for the tests of light: a ball or a slab with a given BSDF, uniform light. */
#ifndef OOZE_TESTS_RENDER_SCENE_H
#define OOZE_TESTS_RENDER_SCENE_H

#include "check.h"

#include "render/integrator.h"

enum { BALL_RINGS = 24, BALL_SECTORS = 48, BALL_VERTICES = (BALL_RINGS + 1) * BALL_SECTORS };

static inline OozeLights uniform_lights(OozeF3 radiance)
{
    return (OozeLights){
        .is_uniform = true, .uniform = radiance, .up = f3(0, 1, 0), .forward = f3(0, 0, -1)};
}

/* A ball of triangles with exact normals. */
static inline void add_ball(OozeRayScene *ray_scene, float radius, int bsdf)
{
    static float positions[3 * BALL_VERTICES], normals[3 * BALL_VERTICES];
    static uint32_t triangles[6 * BALL_RINGS * BALL_SECTORS];
    uint64_t count = 0;
    for (int i = 0; i <= BALL_RINGS; i++) {
        for (int j = 0; j < BALL_SECTORS; j++) {
            float a = OOZE_PI_F * (float)i / BALL_RINGS,
                  b = 2.0f * OOZE_PI_F * (float)j / BALL_SECTORS;
            float n[3] = {sinf(a) * cosf(b), cosf(a), -sinf(a) * sinf(b)};
            for (int k = 0; k < 3; k++) {
                normals[3 * (i * BALL_SECTORS + j) + k] = n[k];
                positions[3 * (i * BALL_SECTORS + j) + k] = radius * n[k];
            }
            if (i < BALL_RINGS) {
                uint32_t v = (uint32_t)(i * BALL_SECTORS + j);
                uint32_t w = (uint32_t)(i * BALL_SECTORS + (j + 1) % BALL_SECTORS);
                uint32_t both[6] = {v, v + BALL_SECTORS, w, w, v + BALL_SECTORS, w + BALL_SECTORS};
                memcpy(triangles + 3 * count, both, sizeof both);
                count += 2;
            }
        }
    }
    OozeRayGeometry geometry = {.is_fluid = true,
                                .bsdf = bsdf,
                                .vertex_count = BALL_VERTICES,
                                .positions = positions,
                                .normals = normals,
                                .triangle_count = count,
                                .triangles = triangles};
    CHECK_OK(ooze_ray_scene_add_geometry(ray_scene, &geometry, &error));
}

/* Wide in x and y, from z = 0 to z = -thickness. */
static inline void add_slab(OozeRayScene *ray_scene, float thickness, int bsdf)
{
    const float w = 1000.0f;
    const float positions[24] = {-w,         -w, -thickness, w,          -w, -thickness, -w, w,
                                 -thickness, w,  w,          -thickness, -w, -w,         0,  w,
                                 -w,         0,  -w,         w,          0,  w,          w,  0};
    const uint32_t triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                    2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    OozeRayGeometry geometry = {.is_fluid = true,
                                .bsdf = bsdf,
                                .vertex_count = 8,
                                .positions = positions,
                                .triangle_count = 12,
                                .triangles = triangles};
    CHECK_OK(ooze_ray_scene_add_geometry(ray_scene, &geometry, &error));
}

/* Mean and standard error of many paths along one ray. */
typedef struct Estimate {
    double mean[3], error;
} Estimate;

static inline Estimate shoot(const OozeTracer *tracer, OozeF3 origin, OozeF3 direction, uint32_t n)
{
    double sum[3] = {0}, squares = 0.0, bright = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        OozeSampler sampler = ooze_sampler(1, 7, i);
        OozeFeatures features;
        const OozeRay ray = {origin, direction, 0.5f};
        OozeF3 c = ooze_trace(tracer, &ray, &sampler, &features);
        sum[0] += (double)c.x;
        sum[1] += (double)c.y;
        sum[2] += (double)c.z;
        bright += (double)c.y;
        squares += (double)c.y * (double)c.y;
    }
    double mean = bright / n;
    return (Estimate){{sum[0] / n, sum[1] / n, sum[2] / n},
                      sqrt(fmax(squares / n - mean * mean, 0.0) / n)};
}

#endif
