/* Bodies of clay, 1 m tall and of 5e4 Pa s, whose velocities are a smooth field with noise: single
   steps of 1/150 s of method conformation. For tests and benchmarks of the velocity solve. */
#ifndef OOZE_TESTS_VELOCITY_CASES_H
#define OOZE_TESTS_VELOCITY_CASES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec3.h"
#include "ooze/ooze.h"

/* A lattice of n[] particles from `corner` on, both in spacings. */
typedef struct VelocityBox {
    double n[3], corner[3];
    double viscosity; /* over that of clay; 0: the same */
} VelocityBox;

typedef struct VelocityCase {
    const char *name;
    double layers;   /* spacings in a metre */
    double jitter;   /* each coordinate moves within +- this, in spacings */
    bool floor;      /* at height 0 */
    double friction; /* of the floor; 0: no slip */
    int boxes;
    VelocityBox box[10];
} VelocityCase;

enum { VELOCITY_AUTO, VELOCITY_DIAGONAL, VELOCITY_MULTIGRID };

static inline void velocity_require(OozeStatus status, const OozeError *error)
{
    if (status) {
        fprintf(stderr, "%s (%s)\n", error->message, error->hint);
        exit(1);
    }
}

static inline VelocityCase velocity_block(double side, bool floor)
{
    return (VelocityCase){.name = floor ? "block on a floor" : "free block",
                          .layers = side,
                          .floor = floor,
                          .boxes = 1,
                          .box = {{.n = {side, side, side}}}};
}

/* The noise is such that the residual is as large from it as from the smooth field. */
static inline OozeVec3 velocity_at(OozeVec3 x, uint64_t i, double layers)
{
    double v[3], noise = 1.0 / (1.0 + 10.0 * layers * layers / 3.0);
    for (int k = 0; k < 3; k++) {
        v[k] = sin(3 * x.x + k) * cos(2 * x.y) + (k == 1 ? -1.0 : 0.0) +
               0.5 * cos(5 * x.z + 2 * k) + noise * (ooze_random01(7, i, (uint64_t)k) - 0.5);
    }
    return vec3_scale(vec3(v[0], v[1], v[2]), 0.01);
}

static inline void velocity_add_box(OozeWorld *world, const VelocityCase *c, const VelocityBox *box)
{
    OozeError error = {0};
    OozeMaterialDef def = ooze_material_def_default();
    OozeMaterialId id = {0};
    uint64_t n[3], at = 0;
    for (int k = 0; k < 3; k++) {
        n[k] = (uint64_t)llround(box->n[k]);
    }
    uint64_t count = n[0] * n[1] * n[2];
    OozeVec3 *x = calloc(count, sizeof *x), *v = calloc(count, sizeof *v);
    double viscosity = 5e4 * (box->viscosity > 0.0 ? box->viscosity : 1.0);
    velocity_require(ooze_material_def_set(&def, "density", 1000, &error), &error);
    velocity_require(ooze_material_def_set(&def, "viscosity", viscosity, &error), &error);
    velocity_require(ooze_world_add_material(world, &def, &id, &error), &error);
    for (uint64_t k = 0; k < count; k++) {
        double p[3] = {(double)(k % n[0]), (double)(k / n[0] % n[1]), (double)(k / n[0] / n[1])};
        for (int m = 0; m < 3; m++) {
            double shake = 2.0 * c->jitter * (ooze_random01(5, k, (uint64_t)m) - 0.5);
            p[m] = (box->corner[m] + p[m] + 0.5 + shake) / c->layers;
        }
        p[1] = c->floor ? fmax(p[1], 0.3 / c->layers) : p[1];
        x[at] = vec3(p[0], p[1], p[2]);
        v[at] = velocity_at(x[at], k, c->layers);
        at++;
    }
    velocity_require(ooze_world_add_particles(world, id, count, x, v, &error), &error);
    free(x);
    free(v);
}

/* One pass of the velocity solve a step, to a tolerance. */
static inline OozeWorld *velocity_world_on(const VelocityCase *c, int preconditioner,
                                           double tolerance, int threads, OozeDevice device)
{
    OozeError error = {0};
    OozeWorldDef def = ooze_world_def_default();
    OozeWorld *world = NULL;
    def.method = "conformation";
    def.spacing = 1.0 / c->layers;
    def.time_step = 1.0 / 150.0;
    def.max_travel = 0;
    def.gravity = vec3(0, 0, 0);
    def.device = device;
    def.threads = threads;
    velocity_require(ooze_world_create(&def, &world, &error), &error);
    for (int k = 0; k < c->boxes; k++) {
        velocity_add_box(world, c, &c->box[k]);
    }
    if (c->floor) {
        OozeSolidDef plane = ooze_solid_def_default();
        plane.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
        plane.shape.normal = vec3(0, 1, 0);
        plane.friction = c->friction > 0.0 ? c->friction : INFINITY;
        velocity_require(ooze_world_add_solid(world, &plane, NULL, &error), &error);
    }
    const struct {
        const char *key;
        double value;
    } params[] = {{"velocity_preconditioner", preconditioner},
                  {"tolerance", tolerance},
                  {"velocity_iterations", 3000},
                  {"passes", 1},
                  {"density_iterations", 0}};
    for (int k = 0; k < 5; k++) {
        velocity_require(ooze_world_set_param(world, params[k].key, params[k].value, &error),
                         &error);
    }
    return world;
}

static inline OozeWorld *velocity_world(const VelocityCase *c, int preconditioner, double tolerance,
                                        int threads)
{
    return velocity_world_on(c, preconditioner, tolerance, threads, OOZE_DEVICE_CPU);
}

static inline OozeWorldStats velocity_step(OozeWorld *world)
{
    OozeError error = {0};
    OozeWorldStats stats;
    velocity_require(ooze_world_step(world, &error), &error);
    ooze_world_stats(world, &stats);
    return stats;
}

#endif
