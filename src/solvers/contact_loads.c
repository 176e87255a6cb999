#include "solvers/contact_loads.h"

#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"

double ooze_impulses_particle_mass(const OozeStepContext *c, int material)
{
    double volume = c->spacing * c->spacing * c->spacing;
    return c->materials[material].values[OOZE_MATERIAL_DENSITY] * volume;
}

OozeStatus ooze_impulses_share(const OozeStepContext *c, const OozeSolidImpulses *impulses,
                               OozeFloat4 *velocities, OozeError *error)
{
    OozeDynamicStage *stage = c->dynamic;
    uint64_t n = ooze_particles_count(c->particles);
    const uint16_t *material = ooze_particles_materials(c->particles);
    size_t solids = (size_t)c->solid_count;
    double *touching = ooze_arena_alloc(c->arena, solids, sizeof *touching);
    if (!touching) {
        return ooze_fail_memory(error, "loads of solids", solids * sizeof *touching);
    }
    memset(touching, 0, solids * sizeof *touching);
    for (uint64_t i = 0; i < n; i++) {
        for (int k = 0; k < impulses[i].count; k++) {
            touching[impulses[i].solid[k]] += ooze_impulses_particle_mass(c, material[i]);
        }
    }
    for (uint64_t i = 0; i < n; i++) {
        OozeFloat4 *v = &velocities[i];
        for (int k = 0; k < impulses[i].count; k++) {
            const OozeSolid *solid = &stage->solids[impulses[i].solid[k]];
            OozeVec3 at = impulses[i].point[k], change = impulses[i].change[k];
            OozeVec3 back =
                ooze_impulses_given_back(solid, touching[impulses[i].solid[k]], at, change);
            v->x += (float)back.x;
            v->y += (float)back.y;
            v->z += (float)back.z;
            ooze_load_add(
                &stage->loads[impulses[i].solid[k]], ooze_dynamic_centre(solid, &solid->pose), at,
                vec3_scale(vec3_add(change, back), -ooze_impulses_particle_mass(c, material[i])));
        }
    }
    return OOZE_OK;
}
