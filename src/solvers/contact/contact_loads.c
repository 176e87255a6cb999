#include "solvers/contact/contact_loads.h"

#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"

double ooze_impulses_particle_mass(const OozeStepContext *c, int material)
{
    double volume = c->spacing * c->spacing * c->spacing;
    return c->materials[material].values[OOZE_MATERIAL_DENSITY] * volume;
}

/* Collision of a particle with a dynamic solid. */
typedef struct Touch {
    int32_t solid, material;
    OozeVec3 point, change;
} Touch;

/* Those of this process, in the order of particles; `touches` NULL: only counts them. */
static uint64_t list_touches(const OozeStepContext *c, const OozeSolidImpulses *impulses,
                             Touch *touches)
{
    uint64_t n = ooze_particles_count(c->particles), count = 0;
    const uint16_t *material = ooze_particles_materials(c->particles);
    for (uint64_t i = 0; i < n; i++) {
        for (int k = 0; k < impulses[i].count; k++, count++) {
            if (touches) {
                touches[count] = (Touch){impulses[i].solid[k], material[i], impulses[i].point[k],
                                         impulses[i].change[k]};
            }
        }
    }
    return count;
}

static OozeVec3 given_back(const OozeStepContext *c, const double *touching, const Touch *touch)
{
    return ooze_impulses_given_back(&c->dynamic->solids[touch->solid], touching[touch->solid],
                                    touch->point, touch->change);
}

/* The momentum that the particles of all processes lose. */
static void add_loads(const OozeStepContext *c, const double *touching, const OozeHaloList *list)
{
    const Touch *all = list->all;
    for (uint64_t k = 0; k < list->total; k++) {
        const OozeSolid *solid = &c->dynamic->solids[all[k].solid];
        OozeVec3 change = vec3_add(all[k].change, given_back(c, touching, &all[k]));
        ooze_load_add(&c->dynamic->loads[all[k].solid], ooze_dynamic_centre(solid, &solid->pose),
                      all[k].point,
                      vec3_scale(change, -ooze_impulses_particle_mass(c, all[k].material)));
    }
}

OozeStatus ooze_impulses_share(const OozeStepContext *c, const OozeSolidImpulses *impulses,
                               OozeFloat4 *velocities, OozeError *error)
{
    uint64_t n = ooze_particles_count(c->particles), count = list_touches(c, impulses, NULL);
    size_t solids = (size_t)c->solid_count;
    double *touching = ooze_arena_alloc(c->arena, solids, sizeof *touching);
    Touch *own = ooze_arena_alloc(c->arena, count, sizeof *own);
    if (!touching || !own) {
        return ooze_fail_memory(error, "loads of solids", solids * sizeof *touching);
    }
    memset(touching, 0, solids * sizeof *touching);
    list_touches(c, impulses, own);
    OozeHaloList list = {.own = own, .count = count, .size = sizeof *own};
    OozeStatus status = ooze_halo_gather_list(c->halo, c->arena, &list, error);
    if (status) {
        return status;
    }
    const Touch *all = list.all;
    for (uint64_t k = 0; k < list.total; k++) {
        touching[all[k].solid] += ooze_impulses_particle_mass(c, all[k].material);
    }
    for (uint64_t i = 0; i < n; i++) {
        for (int k = 0; k < impulses[i].count; k++) {
            OozeVec3 back = given_back(c, touching, own++);
            velocities[i].x += (float)back.x;
            velocities[i].y += (float)back.y;
            velocities[i].z += (float)back.z;
        }
    }
    add_loads(c, touching, &list);
    return OOZE_OK;
}
