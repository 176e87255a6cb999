/* Fixtures of the acceptance tests of the blend method: worlds, materials, and a record of what
   every substep did. */
#ifndef OOZE_TESTS_PHYSICS_BLEND_FIXTURES_H
#define OOZE_TESTS_PHYSICS_BLEND_FIXTURES_H

#include "physics/fixtures.h"

#include "methods/blend/constants.h"
#include "methods/blend/method.h"
#include "physics/shape_matching.h"
#include "world/world.h"

/* Numbers of a material; 0: the default of the method, INFINITY as given. */
typedef struct Jelly {
    double fluid_share, density, modulus, viscosity, solvent, threshold;
} Jelly;

static inline OozeMaterialId add_jelly(OozeWorld *world, Jelly j)
{
    OozeMaterialDef def = ooze_material_def_default();
    OozeMaterialId id = {0};
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"density", j.density},
                   {"modulus", j.modulus},
                   {"viscosity", j.viscosity},
                   {"solvent_viscosity", j.solvent},
                   {"update_threshold", j.threshold}};
    CHECK_OK(ooze_material_def_set(&def, "fluid_share", j.fluid_share, &error));
    for (int k = 0; k < 5; k++) {
        if (numbers[k].value != 0) {
            CHECK_OK(ooze_material_def_set(&def, numbers[k].key, numbers[k].value, &error));
        }
    }
    CHECK_OK(ooze_world_add_material(world, &def, &id, &error));
    return id;
}

/* A world of the blend method with regions of one kind; steps as they are given. */
static inline OozeWorld *blend_world(Setup s, double radius, OozeRegionKind kind)
{
    s.method = "blend";
    s.threads = s.threads ? s.threads : 1;
    OozeWorld *world = make_world(s);
    set_param(world, "region_radius", radius);
    set_param(world, "regions",
              kind == OOZE_REGIONS_OF_CELLS ? OOZE_BLEND_REGIONS_CELLS
                                            : OOZE_BLEND_REGIONS_PARTICLES);
    return world;
}

/* ---- substeps -------------------------------------------------------------------------------- */

/* What the substeps of the watched world did. */
typedef struct Watch {
    int substeps;
    double shortest; /* s */
    double farthest; /* m: dt times the fastest new velocity, at most */
    double fastest;  /* m/s */
} Watch;

static Watch watch;
static OozeMethod watched_method;

static OozeStatus watched_step(void *data, OozeStepContext *c, OozeError *error)
{
    OozeStatus status = ooze_method_blend.step(data, c, error);
    if (status || c->report->too_far) {
        return status;
    }
    const OozeFloat4 *v = ooze_particles_velocities(c->particles);
    double fastest = 0;
    for (uint64_t i = 0; i < ooze_particles_count(c->particles); i++) {
        fastest = fmax(fastest, vec3_length(vec3((double)v[i].x, (double)v[i].y, (double)v[i].z)));
    }
    watch.substeps++;
    watch.shortest = fmin(watch.shortest, c->dt);
    watch.farthest = fmax(watch.farthest, c->dt * fastest);
    watch.fastest = fmax(watch.fastest, fastest);
    return status;
}

/* From now on `watch` records the substeps of this world. */
static inline void watch_substeps(OozeWorld *world)
{
    watch = (Watch){.shortest = INFINITY};
    watched_method = ooze_method_blend;
    watched_method.step = watched_step;
    world->method = &watched_method;
    use_processor(world);
}

#endif
