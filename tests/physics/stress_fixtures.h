/* Worlds of the explicit stress method and what is measured in them. */
#ifndef OOZE_TESTS_STRESS_FIXTURES_H
#define OOZE_TESTS_STRESS_FIXTURES_H

#include "check.h"

#include "base/hash.h"
#include "base/vec3.h"
#include "ooze/ooze.h"

typedef struct Setup {
    const char *method;
    double spacing, time_step, gravity;
    double push;  /* along x, m/s2 */
    OozeVec3 box; /* periodic from 0; 0: open */
    double viscosity, modulus, relaxation;
    double max_travel; /* 0: steps as they are asked for */
    int threads;
} Setup;

static const double rest_density = 1000;

static inline OozeWorld *make_world(const Setup *s)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = s->method ? s->method : "stress";
    def.spacing = s->spacing;
    def.time_step = s->time_step;
    def.max_travel = s->max_travel;
    def.gravity = vec3(s->push, -s->gravity, 0);
    def.threads = s->threads ? s->threads : 1;
    def.periodic_max = s->box;
    def.periodic[0] = s->box.x > 0;
    def.periodic[1] = s->box.y > 0;
    def.periodic[2] = s->box.z > 0;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    CHECK_OK(ooze_material_def_set(&material, "density", rest_density, &error));
    CHECK_OK(ooze_material_def_set(&material, "viscosity", s->viscosity, &error));
    CHECK_OK(ooze_material_def_set(&material, "modulus", s->modulus, &error));
    CHECK_OK(ooze_material_def_set(&material, "relaxation_time", s->relaxation, &error));
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    return world;
}

typedef OozeVec3 (*VelocityField)(OozeVec3 position, uint64_t particle);

/* A lattice of nx by ny by nz particles from the origin on. */
static inline void add_lattice(OozeWorld *world, const int n[3], double spacing, OozeVec3 corner,
                               VelocityField velocity)
{
    uint64_t count = (uint64_t)n[0] * (uint64_t)n[1] * (uint64_t)n[2], at = 0;
    OozeVec3 *x = calloc(count, sizeof *x), *v = calloc(count, sizeof *v);
    assert_true(x && v);
    for (int k = 0; k < n[2]; k++) {
        for (int j = 0; j < n[1]; j++) {
            for (int i = 0; i < n[0]; i++) {
                x[at] = vec3_madd(corner, spacing, vec3(i + 0.5, j + 0.5, k + 0.5));
                v[at] = velocity ? velocity(x[at], at) : vec3(0, 0, 0);
                at++;
            }
        }
    }
    CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, count, x, v, &error));
    free(x);
    free(v);
}

static inline OozeVec3 read_vector(const OozeFieldView *field, uint64_t i)
{
    return vec3(ooze_field_value(field, i, 0), ooze_field_value(field, i, 1),
                ooze_field_value(field, i, 2));
}

typedef struct Motion {
    OozeVec3 momentum, spin; /* per particle mass; spin about the origin */
    double energy;
    double low, high; /* of y */
} Motion;

static inline Motion measure(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *v = ooze_frame_field(frame, "velocity");
    Motion m = {.low = INFINITY, .high = -INFINITY};
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        OozeVec3 p = read_vector(x, i), u = read_vector(v, i);
        m.momentum = vec3_add(m.momentum, u);
        m.spin = vec3_add(m.spin, vec3_cross(p, u));
        m.energy += 0.5 * vec3_dot(u, u);
        m.low = fmin(m.low, p.y);
        m.high = fmax(m.high, p.y);
    }
    return m;
}

#endif
