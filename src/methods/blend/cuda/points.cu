/* Points of shape matching on the GPU, and those of other processes: see cpu/points.c. */
#include "cuda/ranks.cuh"
#include "cuda/sort.cuh"
#include "methods/blend/cuda/stages.cuh"

namespace ooze
{

OOZE_DEVICE OozeBlendPoint point_of(const BlendView &s, uint32_t i)
{
    const float4 x = s.x[i], u = s.u[i];
    return {s.slot[i],       s.material[i],          {x.x, x.y, x.z},
            {u.x, u.y, u.z}, s.state[i].fluid_share, s.rotation[i]};
}

/* Position, velocity and weights of a slot, and the rotation of the step before. */
OOZE_DEVICE void place_point(const BlendView &s, const OozeBlendPoint &p)
{
    ooze_match_place(&s.matching, &s.r, &s.materials[p.material], &p, s.dt);
    if (ooze_regions_leads(&s.r, p.slot)) {
        ooze_match_read_rotation(&p.rotation, s.matching.rotation[s.r.region_of[p.slot]]);
    }
}

/* ---- other processes -------------------------------------------------------------------- */

struct PointSharing {
    BlendView s;
    OwnRange own;
    uint8_t *role;                  /* per cell: see OozeMatching */
    uint8_t *needed;                /* the roles on each process */
    uint32_t *send;                 /* own particles for each process, one after the other */
    uint64_t *send_at, *receive_at; /* on the host; per process and one more */
    uint64_t *scratch;              /* likewise, twice as many */
};

/* Cells around those of one role get at least the next lower one. */
static void spread_role(Gpu *gpu, const PointSharing &sharing, uint8_t from)
{
    const OozeRegions r = sharing.s.r;
    uint8_t *role = sharing.role;
    for_each(
        gpu, r.cells, OOZE_BODY(uint32_t c) {
            const uint32_t *near = r.near + (uint64_t)OOZE_BLEND_NEAR * c;
            bool beside = false;
            for (int k = 0; k < OOZE_BLEND_NEAR; k++) {
                beside = beside || (near[k] != OOZE_BLEND_CELL_NONE && role[near[k]] == from);
            }
            if (beside && role[c] + 1 < from) {
                role[c] = (uint8_t)(from - 1);
            }
        });
}

/* Regions of own particles pull, those around them have maps, and those around these points. */
static void find_roles(Gpu *gpu, const PointSharing &sharing)
{
    const PointSharing p = sharing;
    clear(gpu, p.role, p.s.r.cells);
    for_each(
        gpu, p.own.count, OOZE_BODY(uint32_t k) {
            const uint32_t slot = p.s.slot[p.own.begin + k];
            if (slot != OOZE_BLEND_SLOT_NONE) { /* threads write the same number */
                p.role[ooze_regions_cell_of(&p.s.r, slot)] = OOZE_MATCH_PULL;
            }
        });
    spread_role(gpu, p, OOZE_MATCH_PULL);
    spread_role(gpu, p, OOZE_MATCH_MAP);
}

/* Tells all processes which cells this one needs. */
static void share_needs(Gpu *gpu, OozeArena *arena, const PointSharing &p)
{
    OozeRanks *ranks = gpu->share->ranks;
    const uint64_t cells = p.s.r.cells, count = (uint64_t)ranks->count;
    uint8_t *own = static_cast<uint8_t *>(ooze_arena_alloc(arena, cells, 1));
    uint8_t *all = static_cast<uint8_t *>(ooze_arena_alloc(arena, count * cells, 1));
    if (own && all && gpu->failed == cudaSuccess) {
        copy_out(gpu, own, p.role, cells);
        ranks->gather(ranks, own, cells, all);
        copy_in(gpu, p.needed, all, count * cells);
    }
}

/* The own particles that each process needs. */
static void list_points(Gpu *gpu, const PointSharing &sharing)
{
    const PointSharing p = sharing;
    const OozeRanks *ranks = gpu->share->ranks;
    Mark mark = scratch_mark(gpu);
    uint8_t *unwanted = scratch<uint8_t>(gpu, p.own.count);
    p.send_at[0] = 0;
    for (int r = 0; r < ranks->count; r++) {
        const uint8_t *needed = p.needed + (uint64_t)r * p.s.r.cells;
        uint64_t found = 0;
        if (r != ranks->rank && p.own.count > 0 && gpu->failed == cudaSuccess) {
            for_each(
                gpu, p.own.count, OOZE_BODY(uint32_t k) {
                    const uint32_t slot = p.s.slot[p.own.begin + k];
                    unwanted[k] = slot == OOZE_BLEND_SLOT_NONE ||
                                  needed[ooze_regions_cell_of(&p.s.r, slot)] == OOZE_MATCH_NONE;
                });
            found = select_unflagged(gpu, unwanted, p.send + p.send_at[r], p.own.count);
        }
        p.send_at[r + 1] = p.send_at[r] + found;
    }
    scratch_rewind(gpu, mark);
}

static void exchange_points(Gpu *gpu, const PointSharing &sharing)
{
    const PointSharing p = sharing;
    const int ranks = gpu->share->ranks->count;
    if (gpu->failed != cudaSuccess) {
        return;
    }
    ooze_split_receipts(gpu->share->ranks, p.send_at, p.scratch, p.receive_at);
    const uint64_t sent = p.send_at[ranks], received = p.receive_at[ranks];
    OozeBlendPoint *packed = scratch<OozeBlendPoint>(gpu, sent);
    OozeBlendPoint *incoming = scratch<OozeBlendPoint>(gpu, received);
    for_each(
        gpu, sent, OOZE_BODY(uint32_t k) { packed[k] = point_of(p.s, p.own.begin + p.send[k]); });
    exchange_elements(gpu, {packed, incoming, p.send_at, p.receive_at, sizeof *packed});
    for_each(
        gpu, received, OOZE_BODY(uint32_t k) { place_point(p.s, incoming[k]); });
}

/* Roles as the loops read them. */
static const uint8_t *roles_of_regions(Gpu *gpu, const PointSharing &p)
{
    const OozeRegions r = p.s.r;
    const uint8_t *of_cell = p.role;
    if (r.kind == OOZE_REGIONS_OF_CELLS) {
        return of_cell;
    }
    uint8_t *role = scratch<uint8_t>(gpu, r.n);
    for_each(
        gpu, r.n, OOZE_BODY(uint32_t i) { role[i] = of_cell[ooze_regions_cell_of(&r, i)]; });
    return role;
}

static OozeStatus share_points(OozeBlendStep *step, OozeError *error)
{
    Gpu *gpu = gpu_of(step->machine);
    OozeArena *arena = step->machine->context->arena;
    const uint64_t ranks = (uint64_t)gpu->share->ranks->count;
    PointSharing p = {};
    p.s = view_of(step);
    p.own = own_range(gpu, step->machine->n);
    p.role = scratch<uint8_t>(gpu, p.s.r.cells);
    p.needed = scratch<uint8_t>(gpu, ranks * p.s.r.cells);
    p.send = scratch<uint32_t>(gpu, (ranks - 1) * p.own.count);
    p.send_at = static_cast<uint64_t *>(ooze_arena_alloc(arena, 4 * (ranks + 1), sizeof(uint64_t)));
    OozeStatus result = ooze_machine_status(step->machine, "shape matching", error);
    if (result) {
        return result;
    }
    p.receive_at = p.send_at + ranks + 1;
    p.scratch = p.receive_at + ranks + 1;
    find_roles(gpu, p);
    share_needs(gpu, arena, p);
    list_points(gpu, p);
    exchange_points(gpu, p);
    step->matching.role = roles_of_regions(gpu, p);
    return ooze_machine_status(step->machine, "shape matching", error);
}

OozeStatus blend_place_points(OozeBlendStep *step, OozeError *error)
{
    const BlendView s = view_of(step);
    Gpu *gpu = gpu_of(step->machine);
    const OwnRange own = own_range(gpu, step->machine->n);
    for_each(
        gpu, own.count, OOZE_BODY(uint32_t k) {
            const uint32_t i = own.begin + k;
            if (s.slot[i] != OOZE_BLEND_SLOT_NONE) {
                place_point(s, point_of(s, i));
            }
        });
    return gpu->share ? share_points(step, error) : OOZE_OK;
}

} // namespace ooze
