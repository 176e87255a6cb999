/* Fixtures of the acceptance tests of the method cauchy: the fluid of Mukai, Matsui and Chang 2018,
   materials and plates. */
#ifndef OOZE_TESTS_PHYSICS_CAUCHY_FIXTURES_H
#define OOZE_TESTS_PHYSICS_CAUCHY_FIXTURES_H

#include "physics/fixtures.h"

#include "physics/cauchy.h"

/* Table 2 of the paper. */
static const double mukai_density = 1160, mukai_viscosity = 28, mukai_modulus = 350;
static const double mukai_spacing = 3e-3, mukai_step = 1e-4, mukai_speed = 0.18;

/* Numbers of a material; 0: not given. */
typedef struct Fluid {
    OozeStressModel model;
    double density, viscosity, modulus, relaxation, mixing, surface_tension, contact_angle;
} Fluid;

static inline OozeMaterialId add_liquid(OozeWorld *world, Fluid f)
{
    OozeMaterialDef def = ooze_material_def_default();
    OozeMaterialId id = {0};
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"density", f.density},
                   {"viscosity", f.viscosity},
                   {"modulus", f.modulus},
                   {"relaxation_time", f.relaxation},
                   {"mixing", f.mixing},
                   {"surface_tension", f.surface_tension},
                   {"contact_angle", f.contact_angle},
                   {"stress_model", f.model}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        if (numbers[k].value != 0) {
            CHECK_OK(ooze_material_def_set(&def, numbers[k].key, numbers[k].value, &error));
        }
    }
    CHECK_OK(ooze_world_add_material(world, &def, &id, &error));
    return id;
}

/* A world of the method cauchy; steps as they are given. */
static inline OozeWorld *cauchy_world(Setup s)
{
    s.method = "cauchy";
    s.threads = s.threads ? s.threads : 1;
    return make_world(s);
}

/* A horizontal no-slip plane that moves along x; the fluid is on the side of `normal`. */
static inline OozeSolidId add_plate(OozeWorld *world, double height, double normal, double speed)
{
    OozeSolidDef plane = ooze_solid_def_default();
    OozeSolidId id = {0};
    plane.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    plane.shape.position = vec3(0, height, 0);
    plane.shape.normal = vec3(0, normal, 0);
    plane.friction = INFINITY;
    plane.motion.velocity = vec3(speed, 0, 0);
    CHECK_OK(ooze_world_add_solid(world, &plane, &id, &error));
    return id;
}

#endif
