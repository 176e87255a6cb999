#include "cuda/dynamic_solids.cuh"

#include "cuda/sort.cuh"

namespace ooze
{

template <class T> static T *send(Gpu *gpu, const T *from, uint64_t count)
{
    T *to = scratch<T>(gpu, count);
    copy_in(gpu, to, from, count * sizeof(T));
    return to;
}

/* Mass of a solid as a matrix. */
static OozeTwistMatrix mass_of(const OozeDynamicCoupling *c, const OozeDynamicSolid *solid)
{
    OozeTwistMatrix mass;
    for (int q = 0; q < 6; q++) {
        OozeTwist unit = {{0, 0, 0, 0, 0, 0}};
        unit.v[q] = 1.0;
        OozeTwist column = ooze_coupling_momentum(c, solid, &unit);
        for (int r = 0; r < 6; r++) {
            mass.m[6 * r + q] = column.v[r];
        }
    }
    return mass;
}

OozeStatus dynamic_begin(Engine *engine, DynamicSolids *dynamic, OozeStepContext *c,
                         double particle_mass, OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    OozeDynamicCoupling *coupling = &dynamic->coupling;
    const size_t solids = (size_t)c->solid_count;
    dynamic->before = static_cast<OozePose *>(ooze_arena_alloc(c->arena, solids, sizeof(OozePose)));
    for (size_t k = 0; k < solids && dynamic->before; k++) {
        dynamic->before[k] = c->solids[k].pose;
    }
    OozeStatus result = ooze_coupling_begin_solids(coupling, c, particle_mass, error);
    size_t count = (size_t)coupling->count;
    OozeTwistMatrix *mass = static_cast<OozeTwistMatrix *>(
        result ? nullptr : ooze_arena_alloc(c->arena, count, sizeof(OozeTwistMatrix)));
    OozeSolid *of = static_cast<OozeSolid *>(
        result ? nullptr : ooze_arena_alloc(c->arena, count, sizeof(OozeSolid)));
    if (result || !mass || !of) {
        return result ? result : ooze_fail_memory(error, "dynamic solids", count * sizeof *of);
    }
    for (size_t k = 0; k < count; k++) {
        mass[k] = mass_of(coupling, &coupling->solids[k]);
        memcpy(&of[k], &c->solids[coupling->solids[k].solid], sizeof *of);
    }
    dynamic->view = {coupling->count,
                     send(gpu, coupling->solids, count),
                     send(gpu, mass, count),
                     send(gpu, of, count),
                     send(gpu, coupling->index_of, (uint64_t)c->solid_count),
                     c->periodic,
                     c->dt};
    /* contacts and joints have changed the free motion */
    return solids_send(gpu, &engine->solids, c, error);
}

OozeStatus dynamic_undo(Engine *engine, DynamicSolids *dynamic, OozeError *error)
{
    const OozeStepContext *c = dynamic->coupling.context;
    for (int k = 0; k < c->solid_count; k++) {
        c->dynamic->solids[k].pose = dynamic->before[k];
    }
    engine->solids.sent_count = 0; /* the device's poses are not those that were sent */
    OozeStatus result = solids_send(&engine->gpu, &engine->solids, c, error);
    return result ? result : walls_update(&engine->gpu, &engine->walls, c, false, error);
}

/* Copies the solids to the host. Waits. */
static void download(Gpu *gpu, DynamicSolids *dynamic)
{
    OozeDynamicCoupling *coupling = &dynamic->coupling;
    copy_out(gpu, coupling->solids, dynamic->view.solids,
             (size_t)coupling->count * sizeof *coupling->solids);
}

OozeStatus dynamic_place(Engine *engine, DynamicSolids *dynamic, OozeError *error)
{
    Gpu *gpu = &engine->gpu;
    const OozeStepContext *c = dynamic->coupling.context;
    download(gpu, dynamic);
    OozeStatus result = status(gpu, engine->store.n, error);
    if (!result) {
        ooze_coupling_update_poses(&dynamic->coupling);
        result = solids_send(gpu, &engine->solids, c, error);
    }
    return result ? result : walls_update(gpu, &engine->walls, c, false, error);
}

void dynamic_move_samples(Engine *engine, const DynamicView &view)
{
    walls_move_dynamic(&engine->gpu, &engine->walls, engine->solids.view, view.index_of);
    engine->solids.sent_count = 0; /* the device's poses are not those that were sent */
}

void dynamic_load(Gpu *gpu, DynamicSolids *dynamic)
{
    download(gpu, dynamic);
    if (gpu->failed == cudaSuccess) {
        ooze_coupling_load(&dynamic->coupling);
    }
}

DynamicList dynamic_find_near(Gpu *gpu, OozeArena *arena, const DynamicView &view,
                              const DynamicSearch &search)
{
    const uint64_t n = search.n;
    uint8_t *far = scratch<uint8_t>(gpu, n);
    DynamicList near = {};
    near.particles = scratch<uint32_t>(gpu, n);
    const DynamicSearch s = search;
    const int32_t *index_of = view.index_of;
    const OwnRange own = own_range(gpu, n);
    for_each(
        gpu, s.walls.begin ? n : 0, OOZE_BODY(uint32_t i) {
            bool found = false;
            if (own.has(s.order ? s.order[i] : i) && s.walls.count[i] > 0) {
                each_true_neighbour(s.walls, i, [&](uint32_t b) {
                    found = found || index_of[s.solid_of_sample[b]] >= 0;
                });
            }
            far[i] = found ? 0 : 1;
        });
    near.count = s.walls.begin ? select_unflagged(gpu, far, near.particles, n) : 0;
    rank_list_share(gpu, arena, &near);
    near.length = near.all;
    return near;
}

} // namespace ooze
