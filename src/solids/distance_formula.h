/* Queries of a distance grid. Valid C17 and CUDA. */
#ifndef OOZE_SOLIDS_DISTANCE_FORMULA_H
#define OOZE_SOLIDS_DISTANCE_FORMULA_H

#include "base/vec3.h"
#include "solids/distance_data.h"

/* Outside the grid: the distance from the bounds, which is no more than that from the surface. */
OOZE_FORMULA double ooze_grid_outside_distance(const OozeDistanceGrid *grid, OozeVec3 p,
                                               OozeVec3 *normal)
{
    OozeVec3 nearest =
        vec3(fmin(fmax(p.x, grid->min.x), grid->max.x), fmin(fmax(p.y, grid->min.y), grid->max.y),
             fmin(fmax(p.z, grid->min.z), grid->max.z));
    OozeVec3 away = vec3_sub(p, nearest);
    *normal = vec3_unit(away, vec3(1.0, 0.0, 0.0));
    return vec3_length(away);
}

/* In an empty cell; `middle` and `p` are relative to the origin. */
OOZE_FORMULA double ooze_grid_empty_distance(const OozeDistanceGrid *grid,
                                             const OozeDistanceCell *cell, OozeVec3 middle,
                                             OozeVec3 p, OozeVec3 *normal)
{
    double sign = cell->distance < 0.0f ? -1.0 : 1.0;
    double min = fabs((double)cell->distance) - vec3_length(vec3_sub(p, middle));
    OozeVec3 away = vec3_sub(p, vec3(cell->nearest[0], cell->nearest[1], cell->nearest[2]));
    *normal = vec3_unit(vec3_scale(away, grid->shell ? 1.0 : sign), vec3(1.0, 0.0, 0.0));
    return sign * fmax(min, grid->band);
}

/* Trilinear; (x, y, z) in cells from the lowest corner of the block, all in 0 .. 8. */
OOZE_FORMULA double ooze_grid_block_distance(const float *nodes, double x, double y, double z,
                                             OozeVec3 *normal)
{
    const int last = OOZE_BLOCK_CELLS - 1;
    int i = (int)x < last ? (int)x : last, j = (int)y < last ? (int)y : last;
    int k = (int)z < last ? (int)z : last;
    double u = x - i, v = y - j, w = z - k;
    const float *at = nodes + ooze_block_node(i, j, k);
    const int up = OOZE_BLOCK_SIDE, back = OOZE_BLOCK_SIDE * OOZE_BLOCK_SIDE;
    double n000 = at[0], n100 = at[1], n010 = at[up], n110 = at[up + 1];
    double n001 = at[back], n101 = at[back + 1], n011 = at[back + up], n111 = at[back + up + 1];
    double x00 = n000 + u * (n100 - n000), x10 = n010 + u * (n110 - n010);
    double x01 = n001 + u * (n101 - n001), x11 = n011 + u * (n111 - n011);
    double y0 = x00 + v * (x10 - x00), y1 = x01 + v * (x11 - x01);
    double dx0 = (n100 - n000) + v * ((n110 - n010) - (n100 - n000));
    double dx1 = (n101 - n001) + v * ((n111 - n011) - (n101 - n001));
    double dy = (x10 - x00) + w * ((x11 - x01) - (x10 - x00));
    *normal = vec3_unit(vec3(dx0 + w * (dx1 - dx0), dy, y1 - y0), vec3(1.0, 0.0, 0.0));
    return y0 + w * (y1 - y0);
}

/* As ooze_distance_grid_at. */
OOZE_FORMULA_CALL double ooze_grid_distance(const OozeDistanceGrid *grid, OozeVec3 point,
                                            OozeVec3 *normal)
{
    double width = OOZE_BLOCK_CELLS * grid->step, blocks = (double)(1ull << grid->depth);
    OozeVec3 p = vec3_sub(point, grid->origin);
    double x = p.x / width, y = p.y / width, z = p.z / width;
    if (!(x >= 0.0 && y >= 0.0 && z >= 0.0 && x < blocks && y < blocks && z < blocks)) {
        return ooze_grid_outside_distance(grid, point, normal);
    }
    uint32_t i = (uint32_t)x, j = (uint32_t)y, k = (uint32_t)z;
    int level = grid->depth;
    const OozeDistanceCell *cell = &grid->cells[0];
    while (cell->kind == OOZE_CELL_BRANCH) {
        level--;
        uint32_t child = (i >> level & 1) | (j >> level & 1) << 1 | (k >> level & 1) << 2;
        cell = &grid->cells[cell->link + child];
    }
    if (cell->kind == OOZE_CELL_BLOCK) {
        return ooze_grid_block_distance(grid->nodes + (uint64_t)cell->link * OOZE_BLOCK_NODES,
                                        OOZE_BLOCK_CELLS * (x - i), OOZE_BLOCK_CELLS * (y - j),
                                        OOZE_BLOCK_CELLS * (z - k), normal);
    }
    double size = width * (double)(1ull << level);
    OozeVec3 middle = vec3(((double)(i >> level) + 0.5) * size, ((double)(j >> level) + 0.5) * size,
                           ((double)(k >> level) + 0.5) * size);
    return ooze_grid_empty_distance(grid, cell, middle, p, normal);
}

#endif
