/* Regions of shape matching, built on the GPU: the same slots, cells and lists as
   ooze_regions_build makes (cpu/regions.c). */
#include "cuda/sort.cuh"
#include "methods/blend/cuda/stages.cuh"

namespace ooze
{

/* Over all particles with a reference position. */
struct RegionBounds {
    uint64_t id;             /* the largest */
    int32_t low[3], high[3]; /* cells: x, y, z */
    uint32_t step, unused;   /* the latest step of a reference position */
    __device__ void operator+=(const RegionBounds &o)
    {
        id = o.id > id ? o.id : id;
        step = o.step > step ? o.step : step;
        for (int k = 0; k < 3; k++) {
            low[k] = o.low[k] < low[k] ? o.low[k] : low[k];
            high[k] = o.high[k] > high[k] ? o.high[k] : high[k];
        }
    }
};

static BlendData *data_of(const OozeBlendStep *step)
{
    return static_cast<BlendData *>(step->regions);
}

/* Particles to sort, captured by loop bodies. */
struct RegionInput {
    const OozeFloat4 *reference;
    const uint32_t *reference_step;
    const uint64_t *id;
    double edge;
    int32_t low[3]; /* lowest cell */
    int x_bits, z_bits;
};

/* Cell of a particle along one axis. */
OOZE_DEVICE int32_t cell_of(const RegionInput &in, uint32_t i, int axis)
{
    const OozeFloat4 q = in.reference[i];
    return ooze_blend_cell((double)(axis == 0 ? q.x : axis == 1 ? q.y : q.z), in.edge);
}

/* The same from the lowest cell. */
OOZE_DEVICE uint64_t offset_of(const RegionInput &in, uint32_t i, int axis)
{
    return (uint32_t)cell_of(in, i, axis) - (uint32_t)in.low[axis];
}

/* ---- order ------------------------------------------------------------------------------ */

/* Keys of the sorts, the least significant first. */
enum RegionKey { KEY_ID, KEY_XY, KEY_Z_STEP };

OOZE_DEVICE uint64_t key_of(const RegionInput &in, RegionKey key, uint32_t i)
{
    return key == KEY_ID   ? in.id[i]
           : key == KEY_XY ? offset_of(in, i, 0) | offset_of(in, i, 1) << in.x_bits
                           : offset_of(in, i, 2) | (uint64_t)in.reference_step[i] << in.z_bits;
}

static int bits_of(uint64_t largest)
{
    int bits = 1;
    while (bits < 64 && largest >> bits) {
        bits++;
    }
    return bits;
}

static int bits_between(int32_t low, int32_t high)
{
    return bits_of((uint32_t)high - (uint32_t)low);
}

/* Indices of the particles with a reference position into `order`; returns their number. */
static uint64_t select_held(Gpu *gpu, const uint32_t *step, uint32_t *order, uint64_t n)
{
    uint8_t *without = scratch<uint8_t>(gpu, n);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) { without[i] = step[i] == 0; });
    return select_unflagged(gpu, without, order, n);
}

static RegionBounds find_bounds(Gpu *gpu, const RegionInput &input, const uint32_t *order,
                                uint64_t n)
{
    const RegionInput in = input;
    RegionBounds none = {
        0, {INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}, 0, 0};
    return sum_to_host(
        gpu, n, none, OOZE_BODY(uint32_t k)->RegionBounds {
            const uint32_t i = order[k];
            const int32_t x = cell_of(in, i, 0), y = cell_of(in, i, 1), z = cell_of(in, i, 2);
            return {in.id[i], {x, y, z}, {x, y, z}, in.reference_step[i], 0};
        });
}

/* Sorts index[1] by one key. */
static void sort_by(Gpu *gpu, const RegionInput &input, RegionKey by, uint64_t *key[2],
                    uint32_t *index[2], uint64_t n, int bits)
{
    const RegionInput in = input;
    const int side = sort_input_side(bits);
    const uint32_t *order = index[1];
    uint64_t *to_key = key[side];
    uint32_t *to_index = index[side];
    for_each(
        gpu, n, OOZE_BODY(uint32_t k) {
            const uint32_t i = order[k];
            to_key[k] = key_of(in, by, i);
            to_index[k] = i;
        });
    sort_pairs(gpu, key, index, n, bits);
}

/* The order of slots: by step, cell and id. Sets `n` and the cells of `in`. */
static const uint32_t *sort_particles(Gpu *gpu, RegionInput *in, uint64_t particles, uint64_t *n)
{
    uint32_t *index[2] = {scratch<uint32_t>(gpu, particles), scratch<uint32_t>(gpu, particles)};
    uint64_t *key[2] = {scratch<uint64_t>(gpu, particles), scratch<uint64_t>(gpu, particles)};
    *n = select_held(gpu, in->reference_step, index[1], particles);
    if (*n == 0) {
        return index[1];
    }
    RegionBounds bounds = find_bounds(gpu, *in, index[1], *n);
    memcpy(in->low, bounds.low, sizeof in->low);
    in->x_bits = bits_between(bounds.low[0], bounds.high[0]);
    in->z_bits = bits_between(bounds.low[2], bounds.high[2]);
    int y_bits = bits_between(bounds.low[1], bounds.high[1]);
    sort_by(gpu, *in, KEY_ID, key, index, *n, bits_of(bounds.id));
    sort_by(gpu, *in, KEY_XY, key, index, *n, in->x_bits + y_bits);
    sort_by(gpu, *in, KEY_Z_STEP, key, index, *n, in->z_bits + bits_of(bounds.step));
    return index[1];
}

/* ---- slots and cells -------------------------------------------------------------------- */

static void set_slots(Gpu *gpu, const RegionInput &input, const uint32_t *order,
                      const OozeRegions &regions, uint64_t particles, uint32_t *slot)
{
    const RegionInput in = input;
    OozeFloat4 *reference = regions.reference;
    for_each(
        gpu, particles, OOZE_BODY(uint32_t i) { slot[i] = OOZE_BLEND_SLOT_NONE; });
    for_each(
        gpu, regions.n, OOZE_BODY(uint32_t k) {
            const uint32_t i = order[k];
            OozeFloat4 q = in.reference[i];
            q.w = ooze_blend_shape_tag(in.reference_step[i]);
            slot[i] = k;
            reference[k] = q;
        });
}

OOZE_DEVICE bool same_cell(const RegionInput &in, uint32_t i, uint32_t j)
{
    return in.reference_step[i] == in.reference_step[j] && cell_of(in, i, 0) == cell_of(in, j, 0) &&
           cell_of(in, i, 1) == cell_of(in, j, 1) && cell_of(in, i, 2) == cell_of(in, j, 2);
}

/* Fills regions->cell, and the cell of each slot; waits for the number of cells. */
static uint32_t *set_cells(OozeBlendStep *step, const RegionInput &input, const uint32_t *order,
                           OozeRegions *regions)
{
    Gpu *gpu = gpu_of(step->machine);
    const RegionInput in = input;
    const uint64_t n = regions->n;
    uint32_t *begins = scratch<uint32_t>(gpu, n), *cell_of_slot = scratch<uint32_t>(gpu, n);
    uint64_t *before = scratch<uint64_t>(gpu, n);
    for_each(
        gpu, n,
        OOZE_BODY(uint32_t k) { begins[k] = k == 0 || !same_cell(in, order[k], order[k - 1]); });
    running_sum(gpu, begins, before, n);
    copy_out(gpu, &regions->cells, before + n, sizeof regions->cells);
    if (gpu->failed != cudaSuccess) {
        regions->cells = 0;
    }
    OozeRegionCell *cell =
        buffer<OozeRegionCell>(gpu, &data_of(step)->cell_buffer, regions->cells + 1);
    regions->cell = cell;
    regions->near =
        buffer<uint32_t>(gpu, &data_of(step)->near_buffer, OOZE_BLEND_NEAR * regions->cells);
    const uint64_t cells = regions->cells;
    for_each(
        gpu, n, OOZE_BODY(uint32_t k) {
            const uint32_t i = order[k];
            cell_of_slot[k] = (uint32_t)(before[k] + begins[k] - 1);
            if (begins[k]) {
                cell[before[k]] = {in.reference_step[i],
                                   {cell_of(in, i, 2), cell_of(in, i, 1), cell_of(in, i, 0)},
                                   k};
            }
            if (k == n - 1) {
                cell[cells] = {0, {0, 0, 0}, n};
            }
        });
    const OozeRegions r = *regions;
    for_each(
        gpu, 9 * cells, OOZE_BODY(uint32_t k) { ooze_regions_find_near(&r, k / 9, (int)(k % 9)); });
    return cell_of_slot;
}

/* ---- memberships ------------------------------------------------------------------------ */

static void set_shares(Gpu *gpu, const OozeRegions &regions, const uint32_t *cell_of_slot)
{
    const OozeRegions r = regions;
    for_each(
        gpu, r.n, OOZE_BODY(uint32_t i) {
            r.region_of[i] = cell_of_slot[i];
            r.share[i] = ooze_regions_cell_share(&r, cell_of_slot[i], i);
        });
}

/* Lists of regions of particles; waits for their length. */
static void build_lists(OozeBlendStep *step, OozeRegions *regions, const uint32_t *cell_of_slot)
{
    Gpu *gpu = gpu_of(step->machine);
    const uint64_t n = regions->n;
    uint32_t *count = scratch<uint32_t>(gpu, n);
    uint64_t entries = 0;
    regions->list_first = buffer<uint64_t>(gpu, &data_of(step)->list_first_buffer, n + 1);
    OozeRegions r = *regions;
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            count[i] = ooze_regions_list(&r, cell_of_slot[i], i, nullptr);
            r.region_of[i] = i;
            r.share[i] = 1.0 / (double)count[i];
        });
    running_sum(gpu, count, r.list_first, n);
    copy_out(gpu, &entries, r.list_first + n, sizeof entries);
    if (gpu->failed == cudaSuccess) {
        regions->list = buffer<uint32_t>(gpu, &data_of(step)->list_buffer, entries);
    }
    r.list = regions->list;
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            ooze_regions_list(&r, cell_of_slot[i], i, r.list + r.list_first[i]);
        });
}

OozeStatus blend_build_regions(OozeBlendStep *step, const OozeRegionsInput *input, uint32_t *slot,
                               OozeError *error)
{
    Gpu *gpu = gpu_of(step->machine);
    BlendData *data = data_of(step);
    OozeRegions r = {};
    RegionInput in = {};
    Mark mark = scratch_mark(gpu);
    *step->regions = {};
    r.kind = input->kind;
    r.radius = input->radius;
    r.edge = in.edge = ooze_blend_edge(r.kind, r.radius);
    in.reference = input->reference;
    in.reference_step = input->reference_step;
    in.id = input->id;
    const uint32_t *order = sort_particles(gpu, &in, input->n, &r.n);
    r.reference = buffer<OozeFloat4>(gpu, &data->reference_buffer, r.n);
    r.region_of = buffer<uint32_t>(gpu, &data->region_of_buffer, r.n);
    r.share = buffer<double>(gpu, &data->share_buffer, r.n);
    set_slots(gpu, in, order, r, input->n, slot);
    if (r.n > 0) {
        uint32_t *cell_of_slot = set_cells(step, in, order, &r);
        if (r.kind == OOZE_REGIONS_OF_CELLS) {
            set_shares(gpu, r, cell_of_slot);
        } else {
            build_lists(step, &r, cell_of_slot);
        }
    }
    scratch_rewind(gpu, mark);
    OozeStatus result = ooze_machine_status(step->machine, "regions", error);
    if (!result) {
        *step->regions = r;
    }
    return result;
}

} // namespace ooze
