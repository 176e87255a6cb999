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

/* Nodes of a block within the extent of a kernel along one axis: first to last, empty where first >
   last. */
typedef struct Span {
    int first, last;
} Span;

static Span find_span(const float *nodes, float centre, float extent)
{
    Span span = {0, EDGE - 1};
    while (span.first < EDGE && nodes[span.first] < centre - extent) {
        span.first++;
    }
    while (span.last >= span.first && nodes[span.last] > centre + extent) {
        span.last--;
    }
    return span;
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

static void add_kernel(const OozeSurfaceKernel *k, float nodes[3][EDGE], float *values)
{
    enum { HALF = EDGE / 2 };
    Span x = find_span(nodes[0], k->centre[0], k->extent[0]);
    Span y = find_span(nodes[1], k->centre[1], k->extent[1]);
    Span z = find_span(nodes[2], k->centre[2], k->extent[2]);
    const float quarter = 0.25f / k->xx;
    const bool low = x.first < HALF, high = x.last >= HALF; /* halves of a row that it reaches */
    RowKernel row = {.square = ooze_f32x4_splat(k->xx), .weight = ooze_f32x4_splat(k->weight)};
    OozeF32x4 dx_low = ooze_f32x4_load(nodes[0]) - ooze_f32x4_splat(k->centre[0]);
    OozeF32x4 dx_high = ooze_f32x4_load(nodes[0] + HALF) - ooze_f32x4_splat(k->centre[0]);
    for (int c = z.first; c <= z.last; c++) {
        float dz = nodes[2][c] - k->centre[2];
        for (int b = y.first; b <= y.last; b++) {
            float dy = nodes[1][b] - k->centre[1];
            float slope = 2.0f * (k->xy * dy + k->xz * dz);
            float rest = (k->yy * dy + 2.0f * k->yz * dz) * dy + k->zz * dz * dz;
            if (rest - slope * slope * quarter > BEYOND) {
                continue; /* the whole line of the row is outside the kernel */
            }
            float *to = values + (c * EDGE + b) * EDGE;
            row.slope = ooze_f32x4_splat(slope);
            row.rest = ooze_f32x4_splat(1.0f - rest);
            if (low) {
                add_half_row(&row, dx_low, to);
            }
            if (high) {
                add_half_row(&row, dx_high, to + HALF);
            }
        }
    }
}

static void add_cone(const OozeSurfaceKernel *k, float nodes[3][EDGE], float *values)
{
    Span y = find_span(nodes[1], k->centre[1], k->extent[1]);
    Span z = find_span(nodes[2], k->centre[2], k->extent[2]);
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

static bool reaches_block(const OozeSurfaceKernel *k, Nodes nodes)
{
    bool apart = false;
    for (int a = 0; a < 3; a++) {
        apart = apart || k->centre[a] + k->extent[a] < nodes[a][0] ||
                k->centre[a] - k->extent[a] > nodes[a][EDGE - 1];
    }
    return !apart;
}

/* Adds the kernels of the particles with a label, or of all where it is 0. Marks the labels that
   reach the block in `present`, which may be NULL. */
static void add_particles(const OozeCloud *cloud, Nodes nodes, uint8_t label, float *values,
                          uint8_t *present)
{
    float low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = nodes[a][0] - cloud->largest[a];
        high[a] = nodes[a][EDGE - 1] + cloud->largest[a];
    }
    OozeCloudRows rows = ooze_cloud_rows(cloud, low, high);
    OozeGridRun run;
    while (ooze_cloud_next(&rows, &run)) {
        for (uint32_t i = run.begin; i < run.end; i++) {
            if (label && cloud->label[i] != label) {
                continue;
            }
            OozeSurfaceKernel own;
            const OozeSurfaceKernel *k = ooze_cloud_kernel(cloud, i, &own);
            if (!reaches_block(k, nodes)) {
                continue;
            }
            if (present) {
                present[cloud->label[i]] = 1;
            } else if (cloud->cones) {
                add_cone(k, nodes, values);
            } else {
                add_kernel(k, nodes, values);
            }
        }
    }
}

/* Sums the materials one after the other: the value of a node has the same bits in every block. */
static void add_materials(const OozeCloud *cloud, Nodes nodes, float *values, uint8_t *labels)
{
    uint8_t present[256] = {0};
    float most[OOZE_SURFACE_NODES] = {0}, part[OOZE_SURFACE_NODES];
    add_particles(cloud, nodes, 0, NULL, present);
    for (int label = 1; label <= cloud->label_count; label++) {
        if (!present[label]) {
            continue;
        }
        memset(part, 0, sizeof part);
        add_particles(cloud, nodes, (uint8_t)label, part, NULL);
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
    memset(values, 0, OOZE_SURFACE_NODES * sizeof *values);
    if (labels) {
        memset(labels, 0, OOZE_SURFACE_NODES);
        add_materials(cloud, nodes, values, labels);
    } else {
        add_particles(cloud, nodes, 0, values, NULL);
    }
    for (int i = 0; cloud->cones && i < OOZE_SURFACE_NODES; i++) {
        values[i] = sqrtf(values[i]);
    }
}
