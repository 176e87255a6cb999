#include "solvers/contact_loads.h"

#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"

void ooze_impulses_add(OozeSolidImpulses *impulses, int solid, OozeVec3 point, OozeVec3 change)
{
    int k = impulses->count > 0 && impulses->solid[0] != solid ? 1 : 0;
    if (k == impulses->count) {
        impulses->solid[k] = solid;
        impulses->point[k] = point;
        impulses->change[k] = vec3(0, 0, 0);
        impulses->count++;
    }
    impulses->change[k] = vec3_add(impulses->change[k], change);
}

static double particle_mass(const OozeStepContext *c, const uint16_t *material, uint64_t i)
{
    double volume = c->spacing * c->spacing * c->spacing;
    return c->materials[material[i]].values[OOZE_MATERIAL_DENSITY] * volume;
}

/* Inverse effective mass of a solid at a point along a direction, 1/kg. */
static double inverse_mass_at(const OozeSolid *solid, OozeVec3 point, OozeVec3 direction)
{
    OozeVec3 arm = vec3_sub(point, ooze_dynamic_centre(solid, &solid->pose));
    OozeVec3 spin = ooze_dynamic_spin_change(solid, &solid->pose, vec3_cross(arm, direction));
    return 1.0 / solid->mass.mass + vec3_dot(direction, vec3_cross(spin, arm));
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
            touching[impulses[i].solid[k]] += particle_mass(c, material, i);
        }
    }
    for (uint64_t i = 0; i < n; i++) {
        OozeFloat4 *v = &velocities[i];
        for (int k = 0; k < impulses[i].count; k++) {
            const OozeSolid *solid = &stage->solids[impulses[i].solid[k]];
            OozeVec3 at = impulses[i].point[k], change = impulses[i].change[k];
            OozeVec3 along = vec3_unit(change, vec3(0, 0, 1));
            double mass_ratio = touching[impulses[i].solid[k]] * inverse_mass_at(solid, at, along);
            OozeVec3 back = vec3_scale(change, -mass_ratio / (1.0 + mass_ratio));
            v->x += (float)back.x;
            v->y += (float)back.y;
            v->z += (float)back.z;
            ooze_load_add(&stage->loads[impulses[i].solid[k]],
                          ooze_dynamic_centre(solid, &solid->pose), at,
                          vec3_scale(vec3_add(change, back), -particle_mass(c, material, i)));
        }
    }
    return OOZE_OK;
}
