#include "cuda/contact_loads.cuh"

#include "cuda/shape_distance.cuh"

namespace ooze
{

/* Captured by loop bodies. */
struct ShareView {
    const OozeSolidImpulses *impulses;
    const uint16_t *material;
    const double *mass; /* kg of a particle, per material */
    DynamicView dynamic;
    float4 *velocities;
};

/* The dynamic solids and their number, in the arena; NULL: out of memory. */
static OozeDynamicSolid *list_solids(const OozeStepContext *c, OozeSolid **of, int32_t *index_of,
                                     int *count)
{
    size_t all = (size_t)c->solid_count;
    OozeDynamicSolid *solids =
        static_cast<OozeDynamicSolid *>(ooze_arena_alloc(c->arena, all, sizeof(OozeDynamicSolid)));
    *of = static_cast<OozeSolid *>(ooze_arena_alloc(c->arena, all, sizeof(OozeSolid)));
    *count = 0;
    for (int k = 0; k < c->solid_count && solids && *of; k++) {
        bool dynamic = ooze_solid_is_dynamic(&c->solids[k]);
        index_of[k] = dynamic ? *count : -1;
        if (dynamic) {
            memset(static_cast<void *>(&solids[*count]), 0, sizeof *solids);
            memcpy(&(*of)[*count], &c->solids[k], sizeof **of);
            solids[(*count)++].solid = k;
        }
    }
    return *of ? solids : nullptr;
}

template <class T> static T *send(Gpu *gpu, const T *from, uint64_t count)
{
    T *to = scratch<T>(gpu, count);
    copy_in(gpu, to, from, count * sizeof(T));
    return to;
}

static OozeStatus describe(Engine *engine, const OozeStepContext *c, ShareView *v, OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    size_t solids = (size_t)c->solid_count, materials = (size_t)c->material_count;
    int count = 0;
    OozeSolid *of = nullptr;
    int32_t *index_of =
        static_cast<int32_t *>(ooze_arena_alloc(c->arena, solids, sizeof *index_of));
    double *mass = static_cast<double *>(ooze_arena_alloc(c->arena, materials, sizeof *mass));
    OozeDynamicSolid *dynamic = index_of && mass ? list_solids(c, &of, index_of, &count) : nullptr;
    if (!dynamic) {
        return ooze_fail_memory(error, "loads of solids", solids * sizeof *dynamic);
    }
    for (size_t m = 0; m < materials; m++) {
        mass[m] = ooze_impulses_particle_mass(c, (int)m);
    }
    v->material = store_materials(&engine->store);
    v->mass = send(gpu, mass, materials);
    v->dynamic = {};
    v->dynamic.count = count;
    v->dynamic.solids = send(gpu, dynamic, (uint64_t)count);
    v->dynamic.of = send(gpu, of, (uint64_t)count);
    v->dynamic.index_of = send(gpu, index_of, solids);
    return status(gpu, engine->store.n, error);
}

struct StoreTouchingMass {
    OozeDynamicSolid *solids;
    __device__ void operator()(int k, const OozeTwist &sum) const { solids[k].touching = sum.v[0]; }
};

/* The loads: what the particles have lost after all have given back their part. */
static void sum_loads(Gpu *gpu, const ShareView &view, uint64_t n)
{
    const ShareView v = view;
    StoreTouchingMass store = {v.dynamic.solids};
    CollectTwist collect = {v.dynamic.solids};
    dynamic_sums_of_particles(
        gpu, v.dynamic, n,
        OOZE_BODY(int k, uint32_t i, OozeTwist *sum) {
            const OozeSolidImpulses &own = v.impulses[i];
            for (int m = 0; m < own.count; m++) {
                sum->v[0] += v.dynamic.index_of[own.solid[m]] == k ? v.mass[v.material[i]] : 0.0;
            }
        },
        store);
    dynamic_sums_of_particles(
        gpu, v.dynamic, n,
        OOZE_BODY(int k, uint32_t i, OozeTwist *sum) {
            const OozeSolidImpulses &own = v.impulses[i];
            for (int m = 0; m < own.count; m++) {
                if (v.dynamic.index_of[own.solid[m]] == k) {
                    const OozeSolid *solid = &v.dynamic.of[k];
                    const OozeVec3 at = own.point[m], change = own.change[m];
                    const OozeVec3 back =
                        ooze_impulses_given_back(solid, v.dynamic.solids[k].touching, at, change);
                    ooze_coupling_add(sum, vec3_sub(at, ooze_dynamic_centre(solid, &solid->pose)),
                                      vec3_scale(vec3_add(change, back), -v.mass[v.material[i]]));
                }
            }
        },
        collect);
}

OozeStatus impulses_share(Engine *engine, const OozeStepContext *c,
                          const OozeSolidImpulses *impulses, float4 *velocities, OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    uint64_t n = engine->store.n;
    ShareView v = {};
    v.impulses = impulses;
    v.velocities = velocities;
    OozeStatus result = describe(engine, c, &v, error);
    if (result) {
        return result;
    }
    sum_loads(gpu, v, n);
    const OwnRange range = own_range(gpu, n);
    for_each(
        gpu, range.count, OOZE_BODY(uint32_t e) {
            const uint32_t i = range.begin + e;
            const OozeSolidImpulses &own = v.impulses[i];
            for (int m = 0; m < own.count; m++) {
                const int k = v.dynamic.index_of[own.solid[m]];
                const OozeVec3 back = ooze_impulses_given_back(
                    &v.dynamic.of[k], v.dynamic.solids[k].touching, own.point[m], own.change[m]);
                v.velocities[i] = v.velocities[i] + narrow(back);
            }
        });
    uint64_t count = (uint64_t)v.dynamic.count;
    OozeDynamicSolid *found = static_cast<OozeDynamicSolid *>(
        ooze_arena_alloc(c->arena, count, sizeof(OozeDynamicSolid)));
    if (!found) {
        return ooze_fail_memory(error, "loads of solids", count * sizeof *found);
    }
    copy_out(gpu, found, v.dynamic.solids, count * sizeof *found);
    result = status(gpu, n, error);
    for (uint64_t k = 0; k < count && !result; k++) {
        OozeLoad *load = &c->dynamic->loads[found[k].solid];
        load->impulse = vec3_add(load->impulse, ooze_twist_linear(&found[k].collected));
        load->moment = vec3_add(load->moment, ooze_twist_angular(&found[k].collected));
    }
    return result;
}

} // namespace ooze
