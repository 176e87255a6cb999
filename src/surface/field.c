/* The field at the nodes of a block. Every node sums its particles in the order of their indices,
   so that its value has the same bits in every block. */
#include <math.h>
#include <string.h>

#include "base/f32x4.h"
#include "physics/surface_field.h"
#include "surface/blocks.h"

enum { EDGE = OOZE_BLOCK_EDGE };

/* A q^2 that exceeds 1 by more than rounding. */
#define BEYOND 1.001f
/* More than the rounding of a node's number. */
#define SLACK 0.001f

/* Nodes of a block between two coordinates along one axis: first to last, empty where first > last.
   A node more than there are, by rounding, gets nothing. */
typedef struct Span {
    int first, last;
} Span;

static Span find_span(const float *nodes, float inverse_cell, float low, float high)
{
    float first = ceilf((low - nodes[0]) * inverse_cell - SLACK);
    float last = floorf((high - nodes[0]) * inverse_cell + SLACK);
    return (Span){(int)ooze_max(first, 0.0f), (int)ooze_min(last, (float)(EDGE - 1))};
}

/* A kernel along a row of nodes: 1 - q^2 is rest - (square dx + slope) dx. */
typedef struct RowKernel {
    OozeF32x4 square, weight, slope, rest;
} RowKernel;

static inline void add_half_row(const RowKernel *k, OozeF32x4 dx, float *row)
{
    OozeF32x4 zero = ooze_f32x4_splat(0.0f);
    OozeF32x4 t = ooze_f32x4_fma(-ooze_f32x4_fma(k->square, dx, k->slope), dx, k->rest);
    t = ooze_f32x4_max(t, zero);
    ooze_f32x4_store(ooze_f32x4_fma(k->weight * t, t * t, ooze_f32x4_load(row)), row);
}

/* First and last row of nodes of each slab along z that intersects a kernel: where the least q^2
   along a row, a quadratic of dy, is at most 1. Slabs without such a row have first > last. */
typedef struct Rows {
    int32_t first[EDGE], last[EDGE];
} Rows;

static inline void store_rows(OozeF32x4 rows, int32_t to[4])
{
    OozeF32x4Mask whole = __builtin_convertvector(rows, OozeF32x4Mask);
    memcpy(to, &whole, sizeof whole);
}

static void find_rows(const OozeSurfaceKernel *k, float nodes[3][EDGE], float inverse_cell,
                      Rows *rows)
{
    const OozeF32x4 zero = ooze_f32x4_splat(0.0f), end = ooze_f32x4_splat((float)EDGE);
    const float inverse = 1.0f / k->xx, square = k->yy - k->xy * k->xy * inverse;
    const OozeF32x4 slope = ooze_f32x4_splat(2.0f * (k->yz - k->xy * k->xz * inverse));
    const OozeF32x4 rest = ooze_f32x4_splat(k->zz - k->xz * k->xz * inverse);
    const OozeF32x4 scale = ooze_f32x4_splat(0.5f / square * inverse_cell);
    const OozeF32x4 centre = ooze_f32x4_splat((k->centre[1] - nodes[1][0]) * inverse_cell);
    for (int z = 0; z < EDGE; z += 4) {
        OozeF32x4 dz = ooze_f32x4_load(nodes[2] + z) - ooze_f32x4_splat(k->centre[2]);
        OozeF32x4 along = slope * dz, over = rest * dz * dz - ooze_f32x4_splat(BEYOND);
        OozeF32x4 root2 = along * along - ooze_f32x4_splat(4.0f * square) * over;
        OozeF32x4 root = ooze_f32x4_sqrt(ooze_f32x4_max(root2, zero));
        OozeF32x4 low = centre - (along + root) * scale, high = centre - (along - root) * scale;
        low = ooze_f32x4_select(root2 < zero, end, low);
        high = ooze_f32x4_select(root2 < zero, zero, high);
        /* rounded up and down, for numbers within the block */
        low = ooze_f32x4_max(low + ooze_f32x4_splat(1.0f - SLACK), zero);
        high = ooze_f32x4_min(high + ooze_f32x4_splat(SLACK), end - ooze_f32x4_splat(1.0f));
        store_rows(ooze_f32x4_min(low, end), rows->first + z);
        store_rows(ooze_f32x4_max(high, -ooze_f32x4_splat(1.0f)), rows->last + z);
    }
}

/* Slope and rest of four rows, see RowKernel. */
static inline void set_rows(const OozeSurfaceKernel *k, OozeF32x4 dy, float dz, float *slope,
                            float *rest)
{
    OozeF32x4 along = ooze_f32x4_splat(k->xy) * dy + ooze_f32x4_splat(k->xz * dz);
    OozeF32x4 q2 = (ooze_f32x4_splat(k->yy) * dy + ooze_f32x4_splat(2.0f * k->yz * dz)) * dy;
    ooze_f32x4_store(ooze_f32x4_splat(2.0f) * along, slope);
    ooze_f32x4_store(ooze_f32x4_splat(1.0f) - (q2 + ooze_f32x4_splat(k->zz * dz * dz)), rest);
}

static void add_kernel(const OozeSurfaceKernel *kernel, const Rows *rows, float nodes[3][EDGE],
                       float inverse_cell, float *values)
{
    enum { HALF = EDGE / 2 };
    const OozeSurfaceKernel k = *kernel; /* not to be read again after every store */
    const float *c = k.centre, *e = k.extent;
    const Span x = find_span(nodes[0], inverse_cell, c[0] - e[0], c[0] + e[0]);
    const Span z = find_span(nodes[2], inverse_cell, c[2] - e[2], c[2] + e[2]);
    const bool low = x.first < HALF, high = x.last >= HALF; /* halves of a row that it reaches */
    RowKernel row = {.square = ooze_f32x4_splat(k.xx), .weight = ooze_f32x4_splat(k.weight)};
    OozeF32x4 dx_low = ooze_f32x4_load(nodes[0]) - ooze_f32x4_splat(c[0]);
    OozeF32x4 dx_high = ooze_f32x4_load(nodes[0] + HALF) - ooze_f32x4_splat(c[0]);
    const OozeF32x4 dy_low = ooze_f32x4_load(nodes[1]) - ooze_f32x4_splat(c[1]);
    const OozeF32x4 dy_high = ooze_f32x4_load(nodes[1] + HALF) - ooze_f32x4_splat(c[1]);
    for (int b = z.first; b <= z.last; b++) {
        const float dz = nodes[2][b] - c[2];
        const int last = rows->last[b];
        float slope[EDGE], rest[EDGE]; /* of the rows of a slab */
        set_rows(&k, dy_low, dz, slope, rest);
        set_rows(&k, dy_high, dz, slope + HALF, rest + HALF);
        for (int a = rows->first[b]; a <= last; a++) {
            float *to = values + (b * EDGE + a) * EDGE;
            row.slope = ooze_f32x4_splat(slope[a]);
            row.rest = ooze_f32x4_splat(rest[a]);
            if (low) {
                add_half_row(&row, dx_low, to);
            }
            if (high) {
                add_half_row(&row, dx_high, to + HALF);
            }
        }
    }
}

static void add_cone(const OozeSurfaceKernel *k, float nodes[3][EDGE], float inverse_cell,
                     float *values)
{
    const float *at = k->centre, *e = k->extent;
    const Span y = find_span(nodes[1], inverse_cell, at[1] - e[1], at[1] + e[1]);
    const Span z = find_span(nodes[2], inverse_cell, at[2] - e[2], at[2] + e[2]);
    for (int c = z.first; c <= z.last; c++) {
        float dz = nodes[2][c] - k->centre[2];
        for (int b = y.first; b <= y.last; b++) {
            float dy = nodes[1][b] - k->centre[1];
            float rest = k->xx * (dy * dy + dz * dz);
            float *row = values + (c * EDGE + b) * EDGE;
            for (int i = 0; i < EDGE; i++) {
                float dx = nodes[0][i] - k->centre[0];
                float t = 1.0f - sqrtf(k->xx * dx * dx + rest);
                t = t > 0.0f ? t : 0.0f;
                row[i] += t * t;
            }
        }
    }
}

/* The nodes of a block along each axis. */
typedef float Nodes[3][EDGE];

/* The particles whose kernels reach a block, at most PARTICLES_MAX at a time. */
enum { PARTICLES_MAX = 4096 };
typedef struct Reaching {
    const OozeCloud *cloud;
    float low[3], high[3];         /* of the nodes */
    float far_low[3], far_high[3]; /* of the particles that may reach them */
    OozeCloudRows rows;
    OozeGridRun run;
    bool all; /* the list holds all */
    uint32_t count, index[PARTICLES_MAX];
} Reaching;

static bool reaches_block(const Reaching *r, uint32_t i)
{
    const OozeFloat4 x = r->cloud->x[i];
    if (x.x < r->far_low[0] || x.x > r->far_high[0] || x.y < r->far_low[1] ||
        x.y > r->far_high[1] || x.z < r->far_low[2] || x.z > r->far_high[2]) {
        return false;
    }
    OozeSurfaceKernel own;
    const OozeSurfaceKernel *k = ooze_cloud_kernel(r->cloud, i, &own);
    bool apart = false;
    for (int a = 0; a < 3; a++) {
        apart = apart || k->centre[a] + k->extent[a] < r->low[a] ||
                k->centre[a] - k->extent[a] > r->high[a];
    }
    return !apart;
}

/* Lists further particles; false where there are none. */
static bool list_next(Reaching *r)
{
    r->count = 0;
    do {
        for (; r->run.begin < r->run.end; r->run.begin++) {
            if (reaches_block(r, r->run.begin)) {
                if (r->count == PARTICLES_MAX) {
                    return true;
                }
                r->index[r->count++] = r->run.begin;
            }
        }
    } while (ooze_cloud_next(&r->rows, &r->run));
    return r->count > 0;
}

/* Lists the first particles. */
static bool list_first(Reaching *r)
{
    r->rows = ooze_cloud_rows(r->cloud, r->far_low, r->far_high);
    r->run = (OozeGridRun){0, 0};
    bool any = list_next(r);
    r->all = r->count < PARTICLES_MAX;
    return any;
}

static void reach_box(Reaching *r, const OozeCloud *cloud, const float low[3], const float high[3])
{
    r->cloud = cloud;
    r->all = false;
    for (int a = 0; a < 3; a++) {
        r->low[a] = low[a];
        r->high[a] = high[a];
        r->far_low[a] = r->low[a] - cloud->largest[a];
        r->far_high[a] = r->high[a] + cloud->largest[a];
    }
}

/* Kernels whose rows are found before any of them is added: a row waits for a square root. */
enum { AT_ONCE = 8 };

static void add_kernels(const OozeSurfaceKernel kernels[], int count, Nodes nodes,
                        float inverse_cell, float *values)
{
    Rows rows[AT_ONCE];
    for (int n = 0; n < count; n++) {
        find_rows(&kernels[n], nodes, inverse_cell, &rows[n]);
    }
    for (int n = 0; n < count; n++) {
        add_kernel(&kernels[n], &rows[n], nodes, inverse_cell, values);
    }
}

static void add_listed(const Reaching *r, Nodes nodes, uint8_t label, float *values)
{
    const OozeCloud *cloud = r->cloud;
    const float inverse_cell = (EDGE - 1) / (nodes[0][EDGE - 1] - nodes[0][0]);
    OozeSurfaceKernel kernels[AT_ONCE];
    int count = 0;
    for (uint32_t n = 0; n < r->count; n++) {
        if (label && cloud->label[r->index[n]] != label) {
            continue;
        }
        OozeSurfaceKernel own;
        kernels[count] = *ooze_cloud_kernel(cloud, r->index[n], &own);
        if (cloud->cones) {
            add_cone(&kernels[count], nodes, inverse_cell, values);
        } else if (++count == AT_ONCE) {
            add_kernels(kernels, count, nodes, inverse_cell, values);
            count = 0;
        }
    }
    add_kernels(kernels, count, nodes, inverse_cell, values);
}

/* Adds the kernels of the particles with a label, or of all where it is 0. */
static void add_particles(Reaching *r, Nodes nodes, uint8_t label, float *values)
{
    if (r->all) {
        add_listed(r, nodes, label, values);
        return;
    }
    for (bool more = list_first(r); more; more = !r->all && list_next(r)) {
        add_listed(r, nodes, label, values);
    }
}

/* Sums the materials one after the other: the value of a node has the same bits in every block. */
static void add_materials(Reaching *r, Nodes nodes, float *values, uint8_t *labels)
{
    uint8_t present[256] = {0};
    float most[OOZE_SURFACE_NODES] = {0}, part[OOZE_SURFACE_NODES];
    for (bool more = list_first(r); more; more = !r->all && list_next(r)) {
        for (uint32_t n = 0; n < r->count; n++) {
            present[r->cloud->label[r->index[n]]] = 1;
        }
    }
    for (int label = 1; label <= r->cloud->label_count; label++) {
        if (!present[label]) {
            continue;
        }
        memset(part, 0, sizeof part);
        add_particles(r, nodes, (uint8_t)label, part);
        for (int i = 0; i < OOZE_SURFACE_NODES; i++) {
            values[i] += part[i];
            labels[i] = part[i] > most[i] ? (uint8_t)label : labels[i];
            most[i] = part[i] > most[i] ? part[i] : most[i];
        }
    }
}

void ooze_field_fill(const OozeCloud *cloud, double cell, const int32_t at[3],
                     float values[OOZE_SURFACE_NODES], uint8_t *labels)
{
    Nodes nodes;
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < EDGE; i++) {
            nodes[a][i] = (float)(((double)at[a] * EDGE + i) * cell);
        }
    }
    Reaching reaching;
    const float low[3] = {nodes[0][0], nodes[1][0], nodes[2][0]};
    const float high[3] = {nodes[0][EDGE - 1], nodes[1][EDGE - 1], nodes[2][EDGE - 1]};
    reach_box(&reaching, cloud, low, high);
    memset(values, 0, OOZE_SURFACE_NODES * sizeof *values);
    if (labels) {
        memset(labels, 0, OOZE_SURFACE_NODES);
        add_materials(&reaching, nodes, values, labels);
    } else {
        add_particles(&reaching, nodes, 0, values);
    }
    for (int i = 0; cloud->cones && i < OOZE_SURFACE_NODES; i++) {
        values[i] = sqrtf(values[i]);
    }
}

/* ---- the field at points of a block -------------------------------------------------------- */

bool ooze_field_list(const OozeCloud *cloud, const float low[3], const float high[3],
                     OozeKernelList *list)
{
    Reaching reaching;
    reach_box(&reaching, cloud, low, high);
    list_first(&reaching);
    list->count = reaching.count;
    if (cloud->cones || reaching.count > OOZE_KERNEL_LIST_MAX) {
        return false;
    }
    for (uint32_t n = 0; n < reaching.count; n++) {
        OozeSurfaceKernel own;
        const OozeSurfaceKernel *k = ooze_cloud_kernel(cloud, reaching.index[n], &own);
        const float numbers[OOZE_KERNEL_NUMBERS] = {
            k->centre[0], k->centre[1], k->centre[2], k->weight, k->xx,
            k->yy,        k->zz,        k->xy,        k->xz,     k->yz};
        for (int a = 0; a < OOZE_KERNEL_NUMBERS; a++) {
            list->numbers[a][n] = numbers[a];
        }
    }
    for (uint32_t n = reaching.count; n < reaching.count + 4; n++) {
        for (int a = 0; a < OOZE_KERNEL_NUMBERS; a++) {
            list->numbers[a][n] = 0.0f;
        }
    }
    return true;
}

float ooze_field_list_at(const OozeKernelList *list, const float point[3])
{
    OozeF32x4 sum = ooze_f32x4_splat(0.0f), zero = sum;
    const OozeF32x4 one = ooze_f32x4_splat(1.0f), two = ooze_f32x4_splat(2.0f);
    const OozeF32x4 x = ooze_f32x4_splat(point[0]), y = ooze_f32x4_splat(point[1]);
    const OozeF32x4 z = ooze_f32x4_splat(point[2]);
    for (uint32_t n = 0; n < list->count; n += 4) {
        OozeF32x4 k[OOZE_KERNEL_NUMBERS];
        for (int a = 0; a < OOZE_KERNEL_NUMBERS; a++) {
            k[a] = ooze_f32x4_load(list->numbers[a] + n);
        }
        OozeF32x4 dx = x - k[0], dy = y - k[1], dz = z - k[2]; /* as ooze_kernel_square */
        OozeF32x4 q2 = (k[4] * dx + two * ooze_f32x4_fma(k[7], dy, k[8] * dz)) * dx;
        q2 = ooze_f32x4_fma(ooze_f32x4_fma(two * k[9], dz, k[5] * dy), dy, q2);
        OozeF32x4 t = ooze_f32x4_max(one - ooze_f32x4_fma(k[6] * dz, dz, q2), zero);
        sum = ooze_f32x4_fma(k[3] * t, t * t, sum);
    }
    return ooze_f32x4_sum(sum);
}
