#include "solids/distance_grid.h"

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "mesh/build.h"
#include "mesh/repair.h"
#include "mesh/tree.h"
#include "solids/distance_formula.h"

#define BYTES_MAX (4ull << 30)
enum { DEPTH_MAX = 28 };

typedef struct Building {
    OozeDistanceGrid *grid;
    OozeMeshTree *tree;
    OozeThreads *threads;
    double estimate; /* bytes, from the area */
    OozeError *error;
} Building;

static const double block_bytes = OOZE_BLOCK_NODES * sizeof(float) + sizeof(OozeBlockCoord);

static OozeStatus refuse_size(const Building *work, double bytes)
{
    return ooze_fail(work->error, OOZE_ERROR_LIMIT,
                     "use a larger spacing, or a mesh with less surface",
                     "the distance grid of the mesh at nodes %g m apart needs about %.1f GiB; at "
                     "most %.0f GiB are used",
                     work->grid->step, bytes / 0x1p30, (double)BYTES_MAX / 0x1p30);
}

/* ---- the octree ----------------------------------------------------------------------------- */

/* Reserves eight child cells; `first` gets the index of the first. */
static OozeStatus allocate_children(Building *work, uint32_t *first)
{
    OozeDistanceGrid *grid = work->grid;
    if (grid->cell_count + 8 > grid->cell_capacity) {
        uint64_t wanted = 2 * grid->cell_capacity + 64;
        OozeDistanceCell *grown =
            ooze_grow(grid->cells, grid->cell_count, wanted, sizeof *grid->cells);
        if (!grown) {
            return ooze_fail_memory(work->error, "a distance grid", wanted * sizeof *grid->cells);
        }
        grid->cells = grown;
        grid->cell_capacity = wanted;
    }
    *first = (uint32_t)grid->cell_count;
    grid->cell_count += 8;
    return OOZE_OK;
}

static OozeStatus add_block(Building *work, OozeBlockCoord coord, uint32_t *number)
{
    OozeDistanceGrid *grid = work->grid;
    double bytes = (double)(grid->block_count + 1) * block_bytes +
                   (double)grid->cell_count * sizeof *grid->cells;
    if (bytes > (double)BYTES_MAX) {
        return refuse_size(work, fmax(bytes, work->estimate));
    }
    if (grid->block_count == grid->block_capacity) {
        uint64_t wanted = 2 * grid->block_capacity + 64;
        OozeBlockCoord *grown =
            ooze_grow(grid->coords, grid->block_count, wanted, sizeof *grid->coords);
        if (!grown) {
            return ooze_fail_memory(work->error, "a distance grid", wanted * sizeof *grid->coords);
        }
        grid->coords = grown;
        grid->block_capacity = wanted;
    }
    *number = (uint32_t)grid->block_count;
    grid->coords[grid->block_count++] = coord;
    return OOZE_OK;
}

static bool is_inside(const Building *work, OozeVec3 point)
{
    return fabs(ooze_mesh_tree_winding(work->tree, point)) > 0.5;
}

/* The signed distance from the unsigned one. */
static double sign_distance(const Building *work, OozeVec3 point, double distance)
{
    if (work->grid->shell) {
        return distance - work->grid->half_thickness;
    }
    return is_inside(work, point) ? -distance : distance;
}

static void set_empty(Building *work, OozeDistanceCell *cell, OozeVec3 middle,
                      const OozeNearest *nearest)
{
    const double rounding = 1.0 - 1e-6; /* to float, towards zero */
    OozeVec3 from = vec3_sub(nearest->point, work->grid->origin);
    cell->kind = OOZE_CELL_EMPTY;
    cell->distance = (float)(sign_distance(work, middle, nearest->distance) * rounding);
    cell->nearest[0] = (float)from.x;
    cell->nearest[1] = (float)from.y;
    cell->nearest[2] = (float)from.z;
}

/* Splits a cell of 2^level blocks until it is farther from the surface than the band, or a block.
   */
static OozeStatus build_cell(Building *work, uint32_t index, OozeBlockCoord coord, int level,
                             OozeVec3 near)
{
    OozeDistanceGrid *grid = work->grid;
    double width = OOZE_BLOCK_CELLS * grid->step, half = 0.5 * width * (double)(1ull << level);
    OozeVec3 middle =
        vec3(grid->origin.x + width * coord.x + half, grid->origin.y + width * coord.y + half,
             grid->origin.z + width * coord.z + half);
    OozeNearest nearest =
        ooze_mesh_tree_nearest(work->tree, middle, vec3_length(vec3_sub(middle, near)));
    double offset = grid->shell ? grid->half_thickness : 0.0;
    OozeDistanceCell *cell = &grid->cells[index];
    if (fabs(nearest.distance - offset) > sqrt(3.0) * half + grid->band) {
        set_empty(work, cell, middle, &nearest);
        return OOZE_OK;
    }
    if (level == 0) {
        cell->kind = OOZE_CELL_BLOCK;
        return add_block(work, coord, &cell->link);
    }
    uint32_t first = 0;
    OozeStatus status = allocate_children(work, &first);
    if (status) {
        return status;
    }
    cell = &grid->cells[index]; /* may have moved */
    cell->kind = OOZE_CELL_BRANCH;
    cell->link = first;
    uint32_t side = 1u << (level - 1);
    for (uint32_t k = 0; !status && k < 8; k++) {
        OozeBlockCoord child = {coord.x + (k & 1 ? side : 0), coord.y + (k & 2 ? side : 0),
                                coord.z + (k & 4 ? side : 0)};
        status = build_cell(work, first + k, child, level - 1, nearest.point);
    }
    return status;
}

/* ---- filling blocks ------------------------------------------------------------------------- */

/* The sign changes only across the surface, which cannot pass between two nodes whose distances add
   up to more than their separation: most signs are copied from a neighbour. */
static void sign_block(const Building *work, OozeVec3 corner, double *distance)
{
    static const int before[3] = {1, OOZE_BLOCK_SIDE, OOZE_BLOCK_SIDE * OOZE_BLOCK_SIDE};
    double step = work->grid->step, apart = step * (1.0 + 1e-6);
    for (int n = 0; n < OOZE_BLOCK_NODES; n++) {
        int at[3] = {n % OOZE_BLOCK_SIDE, n / OOZE_BLOCK_SIDE % OOZE_BLOCK_SIDE,
                     n / (OOZE_BLOCK_SIDE * OOZE_BLOCK_SIDE)};
        bool known = false, inside = false;
        for (int axis = 0; axis < 3 && !known; axis++) {
            if (at[axis] > 0) {
                double other = distance[n - before[axis]];
                known = fabs(other) + distance[n] > apart;
                inside = known && other < 0.0;
            }
        }
        if (!known) {
            inside = is_inside(work, vec3(corner.x + step * at[0], corner.y + step * at[1],
                                          corner.z + step * at[2]));
        }
        distance[n] = inside ? -distance[n] : distance[n];
    }
}

/* Nodes are at integer steps from the origin: a node that blocks share has the same bits in each.
   */
static OozeVec3 node_position(const OozeDistanceGrid *grid, OozeBlockCoord block, int i, int j,
                              int k)
{
    return vec3(grid->origin.x + grid->step * ((double)block.x * OOZE_BLOCK_CELLS + i),
                grid->origin.y + grid->step * ((double)block.y * OOZE_BLOCK_CELLS + j),
                grid->origin.z + grid->step * ((double)block.z * OOZE_BLOCK_CELLS + k));
}

/* A cube of nodes of a block, of which the nearest triangles are searched together. */
enum { CUBE_SIDE = 3, CUBE_NODES = CUBE_SIDE * CUBE_SIDE * CUBE_SIDE, NEAR_MAX = 48 };

/* The distance of p, `from` away from the point whose triangles are `near`, which hold the one that
   is nearest to p. */
static double least_distance(const Building *work, OozeVec3 p, double from,
                             const OozeNearTriangle *near, int count)
{
    double best2 = INFINITY, best = INFINITY;
    for (int t = 0; t < count && (near[t].distance - from) * (1.0 - 1e-9) <= best; t++) {
        double d2 = ooze_mesh_tree_distance2(work->tree, near[t].triangle, p);
        if (d2 < best2) {
            best2 = d2;
            best = sqrt(d2);
        }
    }
    return best;
}

/* The triangle nearest to a node of the cube is farther from the cube's middle than the triangle
   nearest to that by twice half the diagonal at most. Where triangles are finer than nodes, each
   node is searched for. `near_by` is a point of the surface, as near as may be. */
static OozeVec3 fill_cube(const Building *work, OozeBlockCoord coord, const int first[3],
                          OozeVec3 near_by, double *distance)
{
    const OozeDistanceGrid *grid = work->grid;
    const int half = CUBE_SIDE / 2;
    OozeVec3 middle = node_position(grid, coord, first[0] + half, first[1] + half, first[2] + half);
    OozeNearest nearest =
        ooze_mesh_tree_nearest(work->tree, middle, vec3_length(vec3_sub(middle, near_by)));
    OozeNearTriangle near[NEAR_MAX];
    double diagonal = sqrt(3.0) * half * grid->step * (1.0 + 1e-9);
    int count =
        ooze_mesh_tree_near(work->tree, middle, nearest.distance + 2.0 * diagonal, NEAR_MAX, near);
    for (int n = 0; n < CUBE_NODES; n++) {
        int i = first[0] + n % CUBE_SIDE, j = first[1] + n / CUBE_SIDE % CUBE_SIDE;
        int k = first[2] + n / (CUBE_SIDE * CUBE_SIDE);
        OozeVec3 p = node_position(grid, coord, i, j, k);
        double from = vec3_length(vec3_sub(p, middle));
        distance[ooze_block_node(i, j, k)] =
            count <= NEAR_MAX
                ? least_distance(work, p, from * (1.0 + 1e-9), near, count)
                : ooze_mesh_tree_nearest(work->tree, p, nearest.distance + from).distance;
    }
    return nearest.point;
}

static void fill_block(const Building *work, uint64_t number)
{
    OozeDistanceGrid *grid = work->grid;
    OozeBlockCoord coord = grid->coords[number];
    double distance[OOZE_BLOCK_NODES];
    OozeVec3 near_by =
        ooze_mesh_tree_nearest(work->tree, node_position(grid, coord, 0, 0, 0), INFINITY).point;
    for (int k = 0; k < OOZE_BLOCK_SIDE; k += CUBE_SIDE) {
        for (int j = 0; j < OOZE_BLOCK_SIDE; j += CUBE_SIDE) {
            for (int i = 0; i < OOZE_BLOCK_SIDE; i += CUBE_SIDE) {
                near_by = fill_cube(work, coord, (int[3]){i, j, k}, near_by, distance);
            }
        }
    }
    if (!grid->shell) {
        sign_block(work, node_position(grid, coord, 0, 0, 0), distance);
    }
    float *nodes = grid->nodes + number * OOZE_BLOCK_NODES;
    for (int n = 0; n < OOZE_BLOCK_NODES; n++) {
        nodes[n] = (float)(grid->shell ? distance[n] - grid->half_thickness : distance[n]);
    }
}

enum { BLOCKS_AT_A_TIME = 4 }; /* some milliseconds */

static void fill_blocks(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    for (uint64_t b = begin; b < end; b++) {
        fill_block(context, b);
    }
}

/* ---- creation ------------------------------------------------------------------------------- */

/* Repairs the mesh and decides whether it is a solid or a shell. */
static OozeStatus prepare_mesh(OozeDistanceGrid *grid, const OozeMesh *mesh, double thickness,
                               OozeError *error)
{
    OozeStatus status = ooze_mesh_copy(mesh, &grid->mesh, error);
    if (!status && !mesh->watertight) {
        status = ooze_mesh_orient(grid->mesh, error);
    }
    if (status) {
        return status;
    }
    double area = ooze_mesh_area(grid->mesh);
    if (!(area > 0.0)) {
        return ooze_fail(error, OOZE_ERROR_FORMAT, "check its scale and its coordinates",
                         "the triangles of the mesh have no area");
    }
    OozeMesh *closed = NULL;
    OozeMeshGaps gaps = {0};
    if (!grid->mesh->watertight) {
        status = ooze_mesh_close(grid->mesh, &closed, &gaps, error);
        if (status) {
            return status;
        }
        grid->shell = (gaps.area > 0.0 && thickness > 0.0) ||
                      gaps.area > OOZE_GAPS_AREA_MAX * area || gaps.largest > OOZE_GAP_OUTLINE_MAX;
    }
    double volume = ooze_mesh_volume(closed ? closed : grid->mesh);
    grid->shell = grid->shell || !(fabs(volume) > 1e-9 * area * sqrt(area));
    if (closed && !grid->shell) {
        ooze_mesh_free(grid->mesh);
        grid->mesh = closed;
    } else {
        ooze_mesh_free(closed);
    }
    if (!grid->shell && volume < 0.0) {
        ooze_mesh_flip(grid->mesh);
    }
    return OOZE_OK;
}

static OozeStatus lay_out(Building *work)
{
    OozeDistanceGrid *grid = work->grid;
    OozeVec3 low = grid->mesh->vertices[0], high = low;
    for (uint64_t i = 1; i < grid->mesh->vertex_count; i++) {
        OozeVec3 v = grid->mesh->vertices[i];
        low = vec3(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
        high = vec3(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
    }
    OozeVec3 skin = vec3(grid->half_thickness, grid->half_thickness, grid->half_thickness);
    grid->min = vec3_sub(low, skin);
    grid->max = vec3_add(high, skin);
    double width = OOZE_BLOCK_CELLS * grid->step, border = grid->band + grid->step;
    OozeVec3 size = vec3_sub(grid->max, grid->min);
    double need = fmax(size.x, fmax(size.y, size.z)) + 2.0 * border;
    /* Blocks that the band intersects: its width and, on average, 1.7 block widths more. */
    double area = ooze_mesh_area(grid->mesh) * (grid->shell ? 2.0 : 1.0);
    double blocks = area / (width * width) * (2.0 * grid->band / width + 1.7);
    double all = (size.x + 2 * border + width) * (size.y + 2 * border + width) *
                 (size.z + 2 * border + width) / (width * width * width);
    work->estimate = fmin(blocks, all) * block_bytes;
    if (!(work->estimate <= 4.0 * (double)BYTES_MAX)) {
        return refuse_size(work, work->estimate);
    }
    while (width * (double)(1ull << grid->depth) < need) {
        if (++grid->depth > DEPTH_MAX) {
            return ooze_fail(work->error, OOZE_ERROR_LIMIT, "use a larger spacing",
                             "a mesh %g m across is too large for nodes %g m apart", need,
                             grid->step);
        }
    }
    double half = 0.5 * width * (double)(1ull << grid->depth);
    OozeVec3 middle = vec3_scale(vec3_add(grid->min, grid->max), 0.5);
    grid->origin = vec3_sub(middle, vec3(half, half, half));
    if (!(middle.x + grid->step != middle.x && middle.y + grid->step != middle.y &&
          middle.z + grid->step != middle.z)) {
        return ooze_fail(work->error, OOZE_ERROR_LIMIT, "move the mesh nearer to its origin",
                         "a mesh about (%g, %g, %g) is too far away for a spacing of %g m",
                         middle.x, middle.y, middle.z, grid->step);
    }
    return OOZE_OK;
}

static OozeStatus build(Building *work)
{
    OozeDistanceGrid *grid = work->grid;
    uint32_t root = 0;
    OozeStatus status = allocate_children(work, &root); /* eight at a time; the root is the first */
    OozeVec3 near = grid->mesh->vertices[0];
    for (uint32_t k = 0; !status && k < 8; k++) {
        grid->cells[k] = (OozeDistanceCell){.kind = OOZE_CELL_EMPTY};
    }
    if (!status) {
        status = build_cell(work, root, (OozeBlockCoord){0, 0, 0}, grid->depth, near);
    }
    if (status) {
        return status;
    }
    grid->nodes = ooze_alloc(grid->block_count, OOZE_BLOCK_NODES * sizeof *grid->nodes);
    if (!grid->nodes) {
        return ooze_fail_memory(work->error, "a distance grid",
                                grid->block_count * OOZE_BLOCK_NODES * sizeof *grid->nodes);
    }
    ooze_parallel_for(work->threads, grid->block_count, BLOCKS_AT_A_TIME, fill_blocks, work);
    return OOZE_OK;
}

OozeStatus ooze_distance_grid_create(const OozeMesh *mesh, double spacing, double thickness,
                                     OozeThreads *threads, OozeDistanceGrid **out, OozeError *error)
{
    *out = NULL;
    if (!(spacing > 0.0) || !isfinite(spacing) || !(thickness >= 0.0) || !isfinite(thickness) ||
        mesh->triangle_count == 0) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give a mesh and a positive spacing",
                         "no distance grid of %llu triangles at spacing %g, thickness %g",
                         (unsigned long long)mesh->triangle_count, spacing, thickness);
    }
    OozeDistanceGrid *grid = ooze_alloc_zero(1, sizeof *grid);
    if (!grid) {
        return ooze_fail_memory(error, "a distance grid", sizeof *grid);
    }
    Building work = {.grid = grid, .threads = threads, .error = error};
    grid->band = OOZE_DISTANCE_BAND * spacing;
    grid->step = 0.5 * spacing;
    OozeStatus status = prepare_mesh(grid, mesh, thickness, error);
    if (grid->shell) { /* at least two nodes across the shell */
        grid->half_thickness = thickness > 0.0 ? 0.5 * thickness : spacing;
        grid->step = fmin(grid->step, grid->half_thickness);
    }
    status = status ? status : lay_out(&work);
    status = status ? status : ooze_mesh_tree_create(grid->mesh, &work.tree, error);
    status = status ? status : build(&work);
    ooze_mesh_tree_destroy(work.tree);
    if (status) {
        ooze_distance_grid_destroy(grid);
        return status;
    }
    *out = grid;
    return OOZE_OK;
}

void ooze_distance_grid_destroy(OozeDistanceGrid *grid)
{
    if (grid) {
        ooze_mesh_free(grid->mesh);
        ooze_free(grid->cells);
        ooze_free(grid->coords);
        ooze_free(grid->nodes);
        ooze_free(grid);
    }
}

uint64_t ooze_distance_grid_bytes(const OozeDistanceGrid *grid)
{
    return sizeof *grid + grid->cell_capacity * sizeof *grid->cells +
           grid->block_capacity * sizeof *grid->coords +
           grid->block_count * OOZE_BLOCK_NODES * sizeof *grid->nodes +
           grid->mesh->vertex_count * sizeof *grid->mesh->vertices +
           3 * grid->mesh->triangle_count * sizeof *grid->mesh->triangles;
}

uint64_t ooze_distance_grid_nodes(const OozeDistanceGrid *grid)
{
    return grid->block_count * OOZE_BLOCK_NODES;
}

bool ooze_distance_grid_is_shell(const OozeDistanceGrid *grid)
{
    return grid->shell;
}

void ooze_distance_grid_bounds(const OozeDistanceGrid *grid, OozeVec3 *min, OozeVec3 *max)
{
    *min = grid->min;
    *max = grid->max;
}

double ooze_distance_grid_at(const OozeDistanceGrid *grid, OozeVec3 point, OozeVec3 *normal)
{
    return ooze_grid_distance(grid, point, normal);
}
