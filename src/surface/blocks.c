#include "surface/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "physics/surface_field.h"

#define BLOCK_BYTES (sizeof(OozeBlock) + OOZE_SURFACE_NODES * sizeof(float) + 4 * sizeof(uint32_t))

void ooze_blocks_free(OozeBlocks *blocks)
{
    ooze_free(blocks->blocks);
    ooze_free(blocks->table);
    ooze_free(blocks->values);
    ooze_free(blocks->labels);
    *blocks = (OozeBlocks){0};
}

/* ---- the set of blocks -------------------------------------------------------------------- */

static OozeStatus fail_limit(const OozeBlocks *b, const OozeCloud *cloud, double need,
                             OozeError *error)
{
    return ooze_fail(error, OOZE_ERROR_LIMIT, "use larger cells, or allow more memory",
                     "cells of %g spacings (%g m) would need about %.3g MiB for the surface of "
                     "frame %llu; %.3g MiB are allowed",
                     b->cell / cloud->spacing, b->cell, ceil(need / 1048576.0),
                     (unsigned long long)cloud->frame->index, (double)b->memory / 1048576.0);
}

static void put_in_table(OozeBlocks *b, uint32_t index)
{
    uint64_t slot = ooze_block_hash(b->blocks[index].at) & (b->table_size - 1);
    while (b->table[slot] != OOZE_BLOCK_NONE) {
        slot = (slot + 1) & (b->table_size - 1);
    }
    b->table[slot] = index;
}

static void fill_table(OozeBlocks *b)
{
    memset(b->table, 0xff, b->table_size * sizeof *b->table);
    for (uint64_t i = 0; i < b->count; i++) {
        put_in_table(b, (uint32_t)i);
    }
}

static OozeStatus grow(OozeBlocks *b, const OozeCloud *cloud, OozeError *error)
{
    uint64_t capacity = b->capacity ? 2 * b->capacity : 256;
    if ((double)capacity * (sizeof(OozeBlock) + 16) > (double)b->memory ||
        capacity > UINT32_MAX / 4) {
        return fail_limit(b, cloud, (double)capacity * BLOCK_BYTES, error);
    }
    OozeBlock *blocks = ooze_grow(b->blocks, b->count, capacity, sizeof *blocks);
    if (!blocks) {
        return ooze_fail_memory(error, "the blocks of a surface", capacity * sizeof *blocks);
    }
    b->blocks = blocks;
    uint32_t *table = ooze_alloc(4 * capacity, sizeof *table);
    if (!table) {
        return ooze_fail_memory(error, "the table of blocks", 4 * capacity * sizeof *table);
    }
    ooze_free(b->table);
    b->table = table;
    b->table_size = 4 * capacity;
    b->capacity = capacity;
    fill_table(b);
    return OOZE_OK;
}

/* The block at these coordinates, added where it is missing. */
static OozeStatus find_or_add(OozeBlocks *b, const OozeCloud *cloud, const int32_t at[3],
                              uint32_t *index, OozeError *error)
{
    *index = b->table_size ? ooze_blocks_find(b, at) : OOZE_BLOCK_NONE;
    if (*index != OOZE_BLOCK_NONE) {
        return OOZE_OK;
    }
    if (b->count == b->capacity) {
        OozeStatus status = grow(b, cloud, error);
        if (status) {
            return status;
        }
    }
    *index = (uint32_t)b->count++;
    b->blocks[*index] = (OozeBlock){.at = {at[0], at[1], at[2]}, .values = OOZE_BLOCK_NONE};
    put_in_table(b, *index);
    return OOZE_OK;
}

/* ---- where the surface may pass ----------------------------------------------------------- */

static bool is_outer(const OozeCloud *cloud, uint64_t i)
{
    return cloud->fill[i] < (float)OOZE_SURFACE_OUTER_FILL ||
           (cloud->at_interface && cloud->at_interface[i]);
}

/* Fails before anything is allocated where a particle is too far from the origin for block
   coordinates, or where the estimated need is far above the memory allowed. Seeds overlap by about
   the number of neighbours within their reach, a sixth of all, so each counts its blocks divided by
   that number. */
static OozeStatus check_need(const OozeBlocks *b, const OozeCloud *cloud, OozeError *error)
{
    double blocks = 0.0, edge = b->cell * OOZE_BLOCK_EDGE;
    double across = 2.0 * OOZE_SURFACE_SEED * cloud->spacing / edge + 1.0;
    for (uint64_t i = 0; i < cloud->n; i++) {
        const float at[3] = {cloud->x[i].x, cloud->x[i].y, cloud->x[i].z};
        for (int a = 0; a < 3; a++) {
            double far = fabs((double)at[a]) + 4.0 * cloud->spacing;
            if (far / edge > OOZE_BLOCK_LIMIT - 2.0) {
                return ooze_fail(error, OOZE_ERROR_LIMIT,
                                 "use larger cells, or remove particles that are far away",
                                 "particle %u of frame %llu is %g m from the origin, too far for "
                                 "cells of %g m",
                                 cloud->order[i], (unsigned long long)cloud->frame->index,
                                 fabs((double)at[a]), b->cell);
            }
        }
        if (is_outer(cloud, i)) {
            blocks += across * across * across /
                      fmax((double)cloud->fill[i] * OOZE_SURFACE_FULL / 6.0, 1.0);
        }
    }
    /* The estimate is accurate to a factor of four for blocks larger than seeds, better below. */
    double allowance = across > 8.0 ? 2.0 : 4.0;
    if (blocks * BLOCK_BYTES > allowance * (double)b->memory) {
        return fail_limit(b, cloud, blocks * BLOCK_BYTES, error);
    }
    return OOZE_OK;
}

static OozeStatus add_outer_blocks(OozeBlocks *b, const OozeCloud *cloud, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (uint64_t i = 0; i < cloud->n && !status; i++) {
        if (!is_outer(cloud, i)) {
            continue;
        }
        int32_t low[3], high[3], at[3];
        uint32_t index;
        const float x[3] = {cloud->x[i].x, cloud->x[i].y, cloud->x[i].z};
        ooze_block_seeds(b->cell, x, OOZE_SURFACE_SEED * cloud->spacing, low, high);
        for (at[2] = low[2]; at[2] <= high[2] && !status; at[2]++) {
            for (at[1] = low[1]; at[1] <= high[1] && !status; at[1]++) {
                for (at[0] = low[0]; at[0] <= high[0] && !status; at[0]++) {
                    status = find_or_add(b, cloud, at, &index, error);
                    if (!status && b->blocks[index].values == OOZE_BLOCK_NONE) {
                        b->blocks[index].values = (uint32_t)b->value_count++;
                    }
                }
            }
        }
    }
    return status;
}

/* ---- values ------------------------------------------------------------------------------- */

typedef struct Filling {
    OozeBlocks *blocks;
    const OozeCloud *cloud;
    uint32_t first; /* index of the first values to compute */
} Filling;

static uint8_t join_labels(uint8_t a, uint8_t b)
{
    return a == b || !b ? a : !a ? b : OOZE_LABEL_MANY;
}

/* Sets the labels of outside nodes to 0 and returns that of the others. */
static uint8_t summarize_labels(const OozeBlock *block, uint8_t *labels)
{
    uint8_t label = 0;
    for (int k = 0; k < OOZE_SURFACE_NODES; k++) {
        labels[k] = block->inside[k / 64] >> k % 64 & 1 ? labels[k] : 0;
        label = join_labels(label, labels[k]);
    }
    return label;
}

static void fill_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    const Filling *job = context;
    float iso = (float)job->cloud->iso;
    (void)worker;
    for (uint64_t i = begin; i < end; i++) {
        OozeBlock *block = &job->blocks->blocks[i];
        if (block->values == OOZE_BLOCK_NONE || block->values < job->first) {
            continue;
        }
        float *values = job->blocks->values + (uint64_t)block->values * OOZE_SURFACE_NODES;
        uint8_t *labels = job->blocks->labels
                              ? job->blocks->labels + (uint64_t)block->values * OOZE_SURFACE_NODES
                              : NULL;
        ooze_field_fill(job->cloud, job->blocks->cell, block->at, values, labels);
        for (int z = 0; z < OOZE_BLOCK_EDGE; z++) {
            uint64_t bits = 0;
            for (int k = 0; k < 64; k++) {
                bits |= (uint64_t)(values[64 * z + k] > iso) << k;
            }
            block->inside[z] = bits;
        }
        block->label = labels ? summarize_labels(block, labels) : 1;
    }
}

static OozeStatus fill_values(OozeBlocks *b, const OozeCloud *cloud, uint32_t first,
                              OozeThreads *threads, OozeError *error)
{
    uint64_t bytes = b->value_count * OOZE_SURFACE_NODES * sizeof *b->values;
    double need = (double)bytes + (double)b->capacity * (sizeof(OozeBlock) + 16);
    if (need > (double)b->memory) {
        return fail_limit(b, cloud, need, error);
    }
    if (b->value_count > b->value_capacity) {
        float *values = ooze_grow(b->values, (uint64_t)first * OOZE_SURFACE_NODES,
                                  b->value_count * OOZE_SURFACE_NODES, sizeof *values);
        if (!values) {
            return ooze_fail_memory(error, "the field of a surface", bytes);
        }
        b->values = values;
        if (cloud->label) {
            uint8_t *labels = ooze_grow(b->labels, (uint64_t)first * OOZE_SURFACE_NODES,
                                        b->value_count * OOZE_SURFACE_NODES, 1);
            if (!labels) {
                return ooze_fail_memory(error, "the labels of a surface", bytes / 4);
            }
            b->labels = labels;
        }
        b->value_capacity = b->value_count;
    }
    Filling job = {b, cloud, first};
    ooze_parallel_for(threads, b->count, 2, fill_range, &job);
    return OOZE_OK;
}

/* ---- the rim: blocks without values, wholly on one side of the surface ----------------------- */

/* Label of the inside nodes of a block that are adjacent to its neighbour at `offset`. */
static uint8_t adjacent_label(const OozeBlocks *b, const OozeBlock *block, const int offset[3])
{
    if (block->label != OOZE_LABEL_MANY) {
        return block->label;
    }
    const uint8_t *labels = b->labels + (uint64_t)block->values * OOZE_SURFACE_NODES;
    uint8_t label = 0;
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = offset[a] > 0 ? OOZE_BLOCK_EDGE - 1 : 0;
        high[a] = offset[a] < 0 ? 0 : OOZE_BLOCK_EDGE - 1;
    }
    for (int z = low[2]; z <= high[2]; z++) {
        for (int y = low[1]; y <= high[1]; y++) {
            for (int x = low[0]; x <= high[0]; x++) {
                label = join_labels(label, labels[(z * OOZE_BLOCK_EDGE + y) * OOZE_BLOCK_EDGE + x]);
            }
        }
    }
    return label;
}

static OozeStatus collect_sides(OozeBlocks *b, const OozeCloud *cloud, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    uint64_t count = b->count;
    for (uint64_t i = 0; i < count; i++) {
        if (b->blocks[i].values == OOZE_BLOCK_NONE) {
            b->blocks[i].sides = 0;
            b->blocks[i].label = 0;
        }
    }
    for (uint64_t i = 0; i < count && !status; i++) {
        for (int k = 0; k < 27 && b->blocks[i].values != OOZE_BLOCK_NONE && !status; k++) {
            const int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
            int32_t at[3];
            for (int a = 0; a < 3; a++) {
                at[a] = b->blocks[i].at[a] + offset[a];
            }
            uint32_t other;
            status = find_or_add(b, cloud, at, &other, error);
            if (!status && b->blocks[other].values == OOZE_BLOCK_NONE) {
                uint8_t sides = ooze_block_sides(&b->blocks[i], offset);
                b->blocks[other].sides |= sides;
                if (sides & 1) {
                    b->blocks[other].label = join_labels(b->blocks[other].label,
                                                         adjacent_label(b, &b->blocks[i], offset));
                }
            }
        }
    }
    return status;
}

/* Blocks of the rim on which the surface would end get values. */
static uint64_t promote(OozeBlocks *b)
{
    uint64_t before = b->value_count, count = b->count;
    for (uint64_t i = 0; i < count; i++) {
        OozeBlock *block = &b->blocks[i];
        for (int a = 0; a < 3 && block->values == OOZE_BLOCK_NONE; a++) {
            int32_t at[3] = {block->at[0], block->at[1], block->at[2]};
            at[a]++;
            uint32_t other = ooze_blocks_find(b, at);
            if (other != OOZE_BLOCK_NONE && b->blocks[other].values == OOZE_BLOCK_NONE) {
                bool conflict =
                    ooze_block_conflict(block->sides, b->blocks[other].sides) ||
                    join_labels(block->label, b->blocks[other].label) == OOZE_LABEL_MANY;
                block->sides |= (uint8_t)(conflict << 2);
                b->blocks[other].sides |= (uint8_t)(conflict << 2);
            }
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        OozeBlock *block = &b->blocks[i];
        if (block->values == OOZE_BLOCK_NONE &&
            (block->sides >= 3 || block->label == OOZE_LABEL_MANY)) {
            block->values = (uint32_t)b->value_count++;
        } else if (block->values == OOZE_BLOCK_NONE) {
            memset(block->inside, block->sides == 1 ? 0xff : 0, sizeof block->inside);
        }
    }
    return b->value_count - before;
}

static int compare_blocks(const void *first, const void *second)
{
    const int32_t *a = ((const OozeBlock *)first)->at, *b = ((const OozeBlock *)second)->at;
    for (int k = 2; k > 0; k--) {
        if (a[k] != b[k]) {
            return a[k] < b[k] ? -1 : 1;
        }
    }
    return (a[0] > b[0]) - (a[0] < b[0]);
}

OozeStatus ooze_blocks_build(const OozeCloud *cloud, double cell, uint64_t memory,
                             OozeThreads *threads, OozeBlocks *blocks, OozeError *error)
{
    *blocks = (OozeBlocks){.cell = cell, .memory = memory};
    OozeStatus status = check_need(blocks, cloud, error);
    status = status ? status : add_outer_blocks(blocks, cloud, error);
    status = status ? status : fill_values(blocks, cloud, 0, threads, error);
    for (bool done = false; !status && !done;) {
        uint32_t first = (uint32_t)blocks->value_count;
        status = collect_sides(blocks, cloud, error);
        done = !status && promote(blocks) == 0;
        if (!status && !done) {
            status = fill_values(blocks, cloud, first, threads, error);
        }
    }
    if (status) {
        ooze_blocks_free(blocks);
        return status;
    }
    if (blocks->count > 0) { /* a frame may be empty */
        qsort(blocks->blocks, blocks->count, sizeof *blocks->blocks, compare_blocks);
        fill_table(blocks);
    }
    return OOZE_OK;
}
