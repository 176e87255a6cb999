#include "cuda/grid_cells.cuh"
#include "cuda/surface/surface_blocks.cuh"

namespace ooze
{

enum { KEY_BITS = 21, EDGE = OOZE_BLOCK_EDGE };

/* Ascending in z, y, x. */
OOZE_DEVICE uint64_t block_key(const int32_t at[3])
{
    return ((uint64_t)(at[2] + OOZE_BLOCK_LIMIT) << KEY_BITS | (uint64_t)(at[1] + OOZE_BLOCK_LIMIT))
               << KEY_BITS |
           (uint64_t)(at[0] + OOZE_BLOCK_LIMIT);
}
OOZE_DEVICE void block_place(uint64_t key, int32_t at[3])
{
    for (int a = 0; a < 3; a++) {
        at[a] = (int32_t)(key >> a * KEY_BITS & ((1u << KEY_BITS) - 1)) - OOZE_BLOCK_LIMIT;
    }
}

/* The different ones of the keys of `pairs`, ascending, in scratch. */
static uint64_t *unique_keys(Gpu *gpu, Pairs<uint64_t> *pairs, uint64_t *count)
{
    Groups groups = find_groups(gpu, pairs);
    *count = groups.count;
    uint64_t *keys = scratch<uint64_t>(gpu, groups.count);
    uint32_t *first = scratch<uint32_t>(gpu, groups.count);
    write_groups(gpu, pairs, groups, keys, first);
    return keys;
}

/* ---- where the surface may pass ---- */

struct Seeds {
    int32_t low[3], high[3];
    __device__ uint32_t count(void) const
    {
        return (uint32_t)(high[0] - low[0] + 1) * (uint32_t)(high[1] - low[1] + 1) *
               (uint32_t)(high[2] - low[2] + 1);
    }
};
OOZE_DEVICE Seeds seeds_of(const SurfaceView &v, double cell, uint32_t i)
{
    Seeds seeds;
    const float at[3] = {v.x[i].x, v.x[i].y, v.x[i].z};
    ooze_block_seeds(cell, at, OOZE_SURFACE_SEED * v.spacing, seeds.low, seeds.high);
    return seeds;
}

/* The blocks near particles of the outer layers, as the first with values. */
static void seed_blocks(Gpu *gpu, const SurfaceCloud *cloud, SurfaceBlocks *blocks, bool *fits)
{
    const SurfaceView v = cloud->view;
    const double cell = blocks->set.cell;
    const uint64_t n = cloud->n;
    uint32_t *count = scratch<uint32_t>(gpu, n);
    uint64_t *before = scratch<uint64_t>(gpu, n), total = 0;
    for_each(
        gpu, n + 1, OOZE_BODY(uint32_t i) {
            bool outer = i < n && v.fill[i] < (float)OOZE_SURFACE_OUTER_FILL;
            count[i] = outer ? seeds_of(v, cell, i).count() : 0u;
        });
    running_sum(gpu, count, before, n);
    copy_out(gpu, &total, before + n, sizeof total);
    *fits = total < UINT32_MAX / 2;
    if (!*fits || gpu->failed != cudaSuccess) {
        return;
    }
    Pairs<uint64_t> pairs = make_pairs<uint64_t>(gpu, total, 3 * KEY_BITS);
    uint64_t *key = pairs.to_key;
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) {
            uint64_t next = before[i];
            if (count[i] == 0) {
                return;
            }
            const Seeds seeds = seeds_of(v, cell, i);
            int32_t at[3];
            for (at[2] = seeds.low[2]; at[2] <= seeds.high[2]; at[2]++) {
                for (at[1] = seeds.low[1]; at[1] <= seeds.high[1]; at[1]++) {
                    for (at[0] = seeds.low[0]; at[0] <= seeds.high[0]; at[0]++) {
                        key[next++] = block_key(at);
                    }
                }
            }
        });
    clear(gpu, pairs.to_value, total * sizeof *pairs.to_value);
    const uint64_t *found = unique_keys(gpu, &pairs, &blocks->set.value_count);
    uint64_t *keys = buffer<uint64_t>(gpu, &blocks->key_buffer, blocks->set.value_count);
    copy(gpu, keys, found, blocks->set.value_count * sizeof *keys);
}

/* ---- the set of blocks ---- */

/* The blocks with values and all their neighbours, with a table of them. */
static void list_blocks(Gpu *gpu, SurfaceBlocks *blocks)
{
    OozeBlocks *set = &blocks->set;
    const uint64_t *valued = static_cast<const uint64_t *>(blocks->key_buffer.memory);
    Pairs<uint64_t> pairs = make_pairs<uint64_t>(gpu, 27 * set->value_count, 3 * KEY_BITS);
    uint64_t *key = pairs.to_key;
    clear(gpu, pairs.to_value, 27 * set->value_count * sizeof *pairs.to_value);
    for_each(
        gpu, set->value_count, OOZE_BODY(uint32_t i) {
            int32_t at[3];
            block_place(valued[i], at);
            for (int k = 0; k < 27; k++) {
                const int32_t near[3] = {at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1,
                                         at[2] + k / 9 - 1};
                key[(uint64_t)i * 27 + (uint64_t)k] = block_key(near);
            }
        });
    const uint64_t *all = unique_keys(gpu, &pairs, &set->count);
    for (set->table_size = 64; set->table_size < 2 * set->count;) {
        set->table_size *= 2;
    }
    OozeBlock *block = scratch<OozeBlock>(gpu, set->count);
    uint32_t *table = scratch<uint32_t>(gpu, set->table_size);
    const uint64_t size = set->table_size;
    set->blocks = block;
    set->table = table;
    for_each(
        gpu, size, OOZE_BODY(uint32_t i) { table[i] = OOZE_BLOCK_NONE; });
    for_each(
        gpu, set->count, OOZE_BODY(uint32_t i) {
            OozeBlock one = {};
            block_place(all[i], one.at);
            one.values = OOZE_BLOCK_NONE;
            block[i] = one;
            uint64_t slot = ooze_block_hash(one.at) & (size - 1);
            while (atomicCAS(&table[slot], OOZE_BLOCK_NONE, i) != OOZE_BLOCK_NONE) {
                slot = (slot + 1) & (size - 1);
            }
        });
}

/* ---- values ---- */

/* Nodes of a launch. */
#define NODES_AT_ONCE ((uint64_t)1 << 30)

/* Values from `first` on. */
static void fill_values(Gpu *gpu, const SurfaceCloud *cloud, SurfaceBlocks *blocks, uint64_t first)
{
    const SurfaceView v = cloud->view;
    const double cell = blocks->set.cell;
    const uint64_t nodes = blocks->set.value_count * OOZE_SURFACE_NODES;
    float *value = buffer<float>(gpu, &blocks->value_buffer, nodes, first * OOZE_SURFACE_NODES);
    const uint64_t *key = static_cast<const uint64_t *>(blocks->key_buffer.memory);
    blocks->set.values = value;
    for (uint64_t begin = first * OOZE_SURFACE_NODES; begin < nodes; begin += NODES_AT_ONCE) {
        const uint64_t count = nodes - begin < NODES_AT_ONCE ? nodes - begin : NODES_AT_ONCE;
        for_each(
            gpu, count, OOZE_BODY(uint32_t k) {
                const uint64_t node = begin + k;
                int32_t at[3];
                block_place(key[node / OOZE_SURFACE_NODES], at);
                const int place[3] = {(int)(node % EDGE), (int)(node / EDGE % EDGE),
                                      (int)(node / (EDGE * EDGE) % EDGE)};
                float p[3];
                for (int a = 0; a < 3; a++) {
                    p[a] = (float)(((double)at[a] * EDGE + place[a]) * cell);
                }
                value[node] = field_at(v, f32x4(p[0], p[1], p[2]));
            });
    }
}

/* Connects the blocks with their values. */
static void set_inside(Gpu *gpu, const SurfaceCloud *cloud, const SurfaceBlocks *blocks)
{
    const OozeBlocks set = blocks->set;
    const float iso = cloud->view.iso;
    const uint64_t *key = static_cast<const uint64_t *>(blocks->key_buffer.memory);
    for_each(
        gpu, set.value_count * EDGE, OOZE_BODY(uint32_t k) {
            const uint32_t i = k / EDGE, z = k % EDGE;
            int32_t at[3];
            block_place(key[i], at);
            OozeBlock *block = &set.blocks[ooze_blocks_find(&set, at)];
            const float *value = set.values + ((uint64_t)i * EDGE + z) * EDGE * EDGE;
            uint64_t bits = 0;
            for (int node = 0; node < EDGE * EDGE; node++) {
                bits |= (uint64_t)(value[node] > iso) << node;
            }
            block->inside[z] = bits;
            if (z == 0) {
                block->values = i;
                block->label = 1;
            }
        });
}

/* ---- the rim ---- */

OOZE_DEVICE uint8_t rim_sides(const OozeBlocks &set, const OozeBlock &block)
{
    uint8_t sides = 0;
    for (int k = 0; k < 27; k++) {
        const int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        const int32_t at[3] = {block.at[0] - offset[0], block.at[1] - offset[1],
                               block.at[2] - offset[2]};
        uint32_t other = ooze_blocks_find(&set, at);
        if (other != OOZE_BLOCK_NONE && set.blocks[other].values != OOZE_BLOCK_NONE) {
            sides |= ooze_block_sides(&set.blocks[other], offset);
        }
    }
    return sides;
}

OOZE_DEVICE bool ends_surface(const OozeBlocks &set, const OozeBlock &block)
{
    bool conflict = block.sides >= 3;
    for (int k = 0; k < 6 && !conflict; k++) {
        int32_t at[3] = {block.at[0], block.at[1], block.at[2]};
        at[k / 2] += k % 2 ? 1 : -1;
        uint32_t other = ooze_blocks_find(&set, at);
        conflict = other != OOZE_BLOCK_NONE && set.blocks[other].values == OOZE_BLOCK_NONE &&
                   ooze_block_conflict(block.sides, set.blocks[other].sides);
    }
    return conflict;
}

/* Blocks without values where the surface would end get some; returns their number. Others are
   wholly on one side. */
static uint64_t promote(Gpu *gpu, SurfaceBlocks *blocks)
{
    const OozeBlocks set = blocks->set;
    uint32_t *chosen = scratch<uint32_t>(gpu, set.count);
    uint64_t *before = scratch<uint64_t>(gpu, set.count), added = 0;
    for_each(
        gpu, set.count, OOZE_BODY(uint32_t i) {
            OozeBlock *block = &set.blocks[i];
            if (block->values == OOZE_BLOCK_NONE) {
                block->sides = rim_sides(set, *block);
            }
        });
    for_each(
        gpu, set.count + 1, OOZE_BODY(uint32_t i) {
            chosen[i] = i < set.count && set.blocks[i].values == OOZE_BLOCK_NONE &&
                        ends_surface(set, set.blocks[i]);
        });
    running_sum(gpu, chosen, before, set.count);
    copy_out(gpu, &added, before + set.count, sizeof added);
    const uint64_t first = set.value_count;
    uint64_t *keys = buffer<uint64_t>(gpu, &blocks->key_buffer, first + added, first);
    for_each(
        gpu, set.count, OOZE_BODY(uint32_t i) {
            OozeBlock *block = &set.blocks[i];
            if (chosen[i]) {
                keys[first + before[i]] = block_key(block->at);
            } else if (block->values == OOZE_BLOCK_NONE) {
                for (int z = 0; z < EDGE; z++) {
                    block->inside[z] = block->sides == 1 ? ~(uint64_t)0 : 0;
                }
            }
        });
    blocks->set.value_count += added;
    return added;
}

static bool within(const SurfaceBlocks *blocks)
{
    const OozeBlocks *set = &blocks->set;
    return set->value_count * OOZE_SURFACE_NODES * sizeof(float) + set->count * sizeof(OozeBlock) <=
               set->memory &&
           27 * set->value_count < UINT32_MAX / 2;
}

void surface_blocks_build(Gpu *gpu, const SurfaceCloud *cloud, const OozeSurfaceSettings *settings,
                          SurfaceBlocks *blocks, bool *fits, OozeStepTimer *timer)
{
    blocks->set.cell = settings->cell * cloud->view.spacing;
    blocks->set.memory = settings->memory;
    Mark mark = scratch_mark(gpu);
    seed_blocks(gpu, cloud, blocks, fits);
    scratch_rewind(gpu, mark);
    ooze_timer_lap(timer, "seeds");
    uint64_t first = 0;
    for (bool done = false; !done && *fits && gpu->failed == cudaSuccess;) {
        *fits = within(blocks);
        if (*fits) {
            scratch_rewind(gpu, mark);
            fill_values(gpu, cloud, blocks, first);
            ooze_timer_lap(timer, "field");
            list_blocks(gpu, blocks);
            set_inside(gpu, cloud, blocks);
            first = blocks->set.value_count;
            done = promote(gpu, blocks) == 0;
            ooze_timer_lap(timer, "blocks");
        }
    }
}

void surface_blocks_free(Gpu *gpu, SurfaceBlocks *blocks)
{
    buffer_free(gpu, &blocks->key_buffer);
    buffer_free(gpu, &blocks->value_buffer);
    *blocks = {};
}

} // namespace ooze
