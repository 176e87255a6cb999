#include "solvers/multigrid/cuda/levels.cuh"

namespace ooze
{

#ifdef __CUDACC__
unsigned multiprocessors(Gpu *gpu)
{
    int device = 0, count = 0;
    record_error(gpu, cudaGetDevice(&device));
    record_error(gpu, cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count > 0 ? (unsigned)count : 1u;
}
#endif

/* ---- memory ---- */

void hierarchy_free(Gpu *gpu, DeviceHierarchy *h)
{
    for (int k = 0; k < OOZE_MULTIGRID_LEVELS; k++) {
        for (int b = 0; b < LEVEL_BUFFERS; b++) {
            buffer_free(gpu, &h->level_buffer[k][b]);
        }
    }
    buffer_free(gpu, &h->particle_buffer);
    buffer_free(gpu, &h->step_buffer);
}

void hierarchy_clear(Gpu *gpu, DeviceHierarchy *h)
{
    h->gpu = gpu;
    h->levels = 0;
    h->n = 0;
    memset(h->level, 0, sizeof h->level);
}

/* first[k] = sum of count[0 .. k - 1], in place of n counts; first[n]: their sum. */
static void add_counts(Gpu *gpu, uint32_t *first, uint64_t n)
{
    Mark mark = scratch_mark(gpu);
    uint64_t *sums = scratch<uint64_t>(gpu, n);
    running_sum(gpu, first, sums, n);
    for_each(
        gpu, n + 1, OOZE_BODY(uint32_t i) { first[i] = (uint32_t)sums[i]; });
    scratch_rewind(gpu, mark);
}

uint32_t sum_counts(Gpu *gpu, uint32_t *first, uint64_t n)
{
    uint32_t total = 0;
    add_counts(gpu, first, n);
    copy_out(gpu, &total, first + n, sizeof total);
    return gpu->failed == cudaSuccess ? total : 0u;
}

static bool allocate_cells(DeviceHierarchy *h, int k)
{
    OozeMultigridLevel *level = &h->level[k];
    const uint64_t cells = level->cells, linked = h->linked ? cells : 0;
    return divide(h->gpu, &h->level_buffer[k][LEVEL_CELLS], [=](Slab *slab) {
        slab->take(&level->cell, cells);
        slab->take(&level->child_first, cells + 1);
        slab->take(&level->parent, cells);
        slab->take(&level->place, cells);
        slab->take(&level->isolated, linked);
        slab->take(&level->link_first, linked + 1);
        slab->take(&level->corner_node, 8 * cells);
        slab->take(&level->node_corner, 8 * cells);
    });
}

static bool allocate_nodes(DeviceHierarchy *h, int k)
{
    OozeMultigridLevel *level = &h->level[k];
    const uint64_t nodes = level->nodes, numbers = h->linked ? 0 : nodes;
    return divide(h->gpu, &h->level_buffer[k][LEVEL_NODES], [=](Slab *slab) {
        slab->take(&level->node, numbers);
        slab->take(&level->node_first, nodes + 1);
        slab->take(&level->coarse_cell, nodes);
        slab->take(&level->coarse_place, nodes);
    });
}

/* ---- cells of the first level ---- */

void hierarchy_set_axes(DeviceHierarchy *h, const Axes &axes)
{
    for (int k = 0; k < 3; k++) {
        h->axis[k] = axes.axis[k];
        h->inverse[k] = (float)axes.axis[k].inverse;
    }
    h->level[0].shape = shape_of(axes);
}

template <class Key> static void find_cells(DeviceHierarchy *h, const float4 *x)
{
    Gpu *gpu = h->gpu;
    OozeMultigridLevel *level = &h->level[0];
    Mark mark = scratch_mark(gpu);
    Pairs<Key> pairs = make_pairs<Key>(gpu, h->n, ooze_multigrid_bits(level->shape.cells));
    Key *to_key = pairs.to_key;
    uint32_t *to_value = pairs.to_value;
    const OozeMultigridShape shape = level->shape;
    const Axes axes = axes_of(h);
    const bool linked = h->linked;
    for_each(
        gpu, h->n, OOZE_BODY(uint32_t i) {
            float4 into;
            to_key[i] = (Key)cell_at(axes, shape, x[i], &into);
            to_value[i] = i;
        });
    Groups groups = find_groups(gpu, &pairs);
    level->cells = groups.count;
    bool ok = allocate_cells(h, 0);
    ok = ok && divide(gpu, &h->particle_buffer, [=](Slab *slab) {
             slab->take(&level->child, h->n);
             slab->take(&h->into, h->n);
             slab->take(&h->cell_of, linked ? 0 : h->n);
             slab->take(&h->element_of, linked ? h->n : 0);
         });
    if (ok) {
        write_groups(gpu, &pairs, groups, level->cell, level->child_first);
        const uint32_t *value = pairs.value[1];
        const uint64_t *before = groups.before;
        uint32_t *child = level->child, *cell_of = h->cell_of, *element_of = h->element_of;
        float4 *all = h->into;
        for_each(
            gpu, h->n, OOZE_BODY(uint32_t i) {
                float4 into = f32x4(0, 0, 0);
                (void)cell_at(axes, shape, x[value[i]], &into);
                all[i] = into;
                child[i] = value[i];
                (linked ? element_of : cell_of)[linked ? value[i] : i] =
                    (uint32_t)(before[i + 1] - 1);
            });
    }
    scratch_rewind(gpu, mark);
}

void hierarchy_find_cells(DeviceHierarchy *h, const float4 *x)
{
    if (wide(h->level[0].shape.cells)) {
        find_cells<uint64_t>(h, x);
    } else {
        find_cells<uint32_t>(h, x);
    }
}

/* ---- links ---- */

void store_links(DeviceHierarchy *h, int k, const uint32_t *found, const uint32_t *place)
{
    Gpu *gpu = h->gpu;
    OozeMultigridLevel *level = &h->level[k];
    level->links = sum_counts(gpu, level->link_first, level->cells);
    const uint64_t links = level->links;
    bool ok = divide(gpu, &h->level_buffer[k][LEVEL_LINKS],
                     [=](Slab *slab) { slab->take(&level->link, links); });
    if (ok) {
        const uint32_t *first = level->link_first;
        uint32_t *link = level->link;
        for_each(
            gpu, level->cells, OOZE_BODY(uint32_t e) {
                const uint32_t *from = found + (place ? place[e] : OOZE_LINK_SLOTS * (uint64_t)e);
                for (uint32_t f = first[e]; f < first[e + 1]; f++) {
                    link[f] = from[f - first[e]];
                }
            });
    }
}

/* Parents are linked where children of theirs are. */
static void link_parent_cells(DeviceHierarchy *h, int k)
{
    Gpu *gpu = h->gpu;
    const OozeMultigridLevel level = h->level[k], fine = h->level[k - 1];
    Mark mark = scratch_mark(gpu);
    uint32_t *room = scratch<uint32_t>(gpu, level.cells + 1);
    uint32_t *found = scratch<uint32_t>(gpu, fine.links);
    for_each(
        gpu, level.cells,
        OOZE_BODY(uint32_t p) { room[p] = ooze_links_of_children(&fine, &level, p); });
    add_counts(gpu, room, level.cells);
    for_each(
        gpu, level.cells, OOZE_BODY(uint32_t p) {
            level.link_first[p] = ooze_links_of_parent(&fine, &level, p, found + room[p]);
        });
    store_links(h, k, found, room);
    scratch_rewind(gpu, mark);
}

/* ---- groups of equal keys, which links divide ---- */

struct Division {
    Groups groups;
    OozeLinkComponents components; /* with links */
    uint32_t count;
};

/* Sorts the pairs. `level` has the links of the values, `per_cell` of which are of one cell.
   Results are in scratch. Waits. */
template <class Key>
static Division divide_pairs(DeviceHierarchy *h, const OozeMultigridLevel *level, Pairs<Key> *pairs,
                             uint32_t per_cell)
{
    Gpu *gpu = h->gpu;
    Division d = {};
    d.groups = find_groups(gpu, pairs);
    d.count = d.groups.count;
    if (h->linked) {
        const uint32_t count = d.groups.count;
        uint32_t *first = scratch<uint32_t>(gpu, (uint64_t)count + 1);
        OozeLinkComponents s = {};
        write_groups(gpu, pairs, d.groups, nullptr, first);
        s.links = {level->link_first, level->link};
        s.group_first = first;
        s.value = pairs->value[1];
        s.per_element = per_cell;
        s.root = scratch<uint32_t>(gpu, pairs->n);
        s.component = scratch<uint32_t>(gpu, pairs->n);
        s.count = scratch<uint32_t>(gpu, (uint64_t)count + 1);
        for_each(
            gpu, count, OOZE_BODY(uint32_t g) { ooze_links_join_group(&s, g); });
        d.count = sum_counts(gpu, s.count, count);
        for_each(
            gpu, count, OOZE_BODY(uint32_t g) { ooze_links_number_group(&s, g); });
        d.components = s;
    }
    return d;
}

/* Of each group its key and its values, `listed` from `first` on; of each value its group. number
   may be NULL. */
template <class Key>
static void write_division(DeviceHierarchy *h, const Pairs<Key> *pairs, const Division &d,
                           uint64_t *number, uint32_t *first, uint32_t *listed, uint32_t *group_of)
{
    Gpu *gpu = h->gpu;
    const uint32_t *value = pairs->value[1];
    const Key *key = pairs->key[1];
    if (!h->linked) {
        const uint64_t *before = d.groups.before;
        write_groups(gpu, pairs, d.groups, number, first);
        for_each(
            gpu, pairs->n, OOZE_BODY(uint32_t i) {
                listed[i] = value[i];
                group_of[value[i]] = (uint32_t)(before[i + 1] - 1);
            });
        return;
    }
    OozeLinkComponents s = d.components;
    const uint32_t groups = d.groups.count;
    s.first = first;
    s.listed = listed;
    for_each(
        gpu, groups, OOZE_BODY(uint32_t g) {
            ooze_links_list_group(&s, g);
            if (g + 1 == groups) {
                first[s.count[groups]] = s.group_first[groups];
            }
        });
    for_each(
        gpu, pairs->n, OOZE_BODY(uint32_t i) {
            group_of[value[i]] = s.component[i];
            if (number) {
                number[s.component[i]] = key[i];
            }
        });
}

/* ---- nodes ---- */

template <class Key> static void find_nodes(DeviceHierarchy *h, int k)
{
    Gpu *gpu = h->gpu;
    OozeMultigridLevel *level = &h->level[k];
    Mark mark = scratch_mark(gpu);
    Pairs<Key> pairs =
        make_pairs<Key>(gpu, 8 * level->cells, ooze_multigrid_bits(level->shape.nodes));
    number_corners(gpu, level->shape, level->cell, level->cells, pairs);
    const Division d = divide_pairs(h, level, &pairs, 8);
    level->nodes = d.count;
    if (allocate_nodes(h, k)) {
        write_division(h, &pairs, d, h->linked ? nullptr : level->node, level->node_first,
                       level->node_corner, level->corner_node);
    }
    scratch_rewind(gpu, mark);
}

/* ---- coarser levels ---- */

/* Cells that have a parent, ascending, in scratch: all that share a node with another. With links
   the others are listed in level->isolated. Waits. */
static uint64_t select_children(DeviceHierarchy *h, OozeMultigridLevel *of, uint32_t *kept)
{
    Gpu *gpu = h->gpu;
    const OozeMultigridLevel level = *of;
    const bool linked = h->linked;
    uint8_t *isolated = scratch<uint8_t>(gpu, level.cells);
    for_each(
        gpu, level.cells,
        OOZE_BODY(uint32_t c) { isolated[c] = ooze_links_is_isolated(&level, linked, c) ? 1 : 0; });
    const uint64_t count = select_unflagged(gpu, isolated, kept, level.cells);
    of->isolated_count = level.cells - count;
    if (linked && of->isolated_count > 0) {
        for_each(
            gpu, level.cells, OOZE_BODY(uint32_t c) { isolated[c] = isolated[c] ? 0 : 1; });
        (void)select_unflagged(gpu, isolated, of->isolated, level.cells);
    }
    return count;
}

/* Where the nodes of a level are in the next. */
static void find_coarse_cells(DeviceHierarchy *h, int k)
{
    const OozeMultigridLevel level = h->level[k];
    for_each(
        h->gpu, level.nodes, OOZE_BODY(uint32_t i) { ooze_links_find_coarse_cell(&level, i); });
}

template <class Key> static void find_coarser(DeviceHierarchy *h, int k)
{
    Gpu *gpu = h->gpu;
    OozeMultigridLevel *fine = &h->level[k], *coarse = fine + 1;
    Mark mark = scratch_mark(gpu);
    uint32_t *kept = scratch<uint32_t>(gpu, fine->cells);
    const uint64_t count = select_children(h, fine, kept);
    Pairs<Key> pairs = make_pairs<Key>(gpu, count, ooze_multigrid_bits(coarse->shape.cells));
    Key *to_key = pairs.to_key;
    uint32_t *to_value = pairs.to_value, *parent = fine->parent;
    uint8_t *place = fine->place;
    const OozeMultigridShape shape = fine->shape, coarse_shape = coarse->shape;
    const uint64_t *cell = fine->cell;
    for_each(
        gpu, fine->cells, OOZE_BODY(uint32_t c) {
            (void)ooze_multigrid_parent(&shape, &coarse_shape, cell[c], &place[c]);
            parent[c] = OOZE_MULTIGRID_NONE;
        });
    for_each(
        gpu, count, OOZE_BODY(uint32_t i) {
            uint8_t unused;
            to_key[i] = (Key)ooze_multigrid_parent(&shape, &coarse_shape, cell[kept[i]], &unused);
            to_value[i] = kept[i];
        });
    const Division d = divide_pairs(h, fine, &pairs, 1);
    coarse->cells = d.count;
    bool ok = d.count > 0 && allocate_cells(h, k + 1);
    ok = ok && divide(gpu, &h->level_buffer[k + 1][LEVEL_CHILDREN],
                      [=](Slab *slab) { slab->take(&coarse->child, count); });
    if (ok) {
        write_division(h, &pairs, d, coarse->cell, coarse->child_first, coarse->child, parent);
        find_coarse_cells(h, k);
    }
    if (ok && h->linked) {
        link_parent_cells(h, k + 1);
    }
    scratch_rewind(gpu, mark);
}

/* ---- stages ---- */

static DeviceHierarchy *device(OozeHierarchy *h)
{
    return static_cast<DeviceHierarchy *>(h);
}

static void find_nodes_of(OozeHierarchy *h, int k)
{
    if (wide(h->level[k].shape.nodes)) {
        find_nodes<uint64_t>(device(h), k);
    } else {
        find_nodes<uint32_t>(device(h), k);
    }
}

static void find_coarser_of(OozeHierarchy *h, int k)
{
    if (wide(h->level[k + 1].shape.cells)) {
        find_coarser<uint64_t>(device(h), k);
    } else {
        find_coarser<uint32_t>(device(h), k);
    }
}

static bool has_failed(const OozeHierarchy *h)
{
    return static_cast<const DeviceHierarchy *>(h)->gpu->failed != cudaSuccess;
}

void hierarchy_find(DeviceHierarchy *h, void (*find_first)(OozeHierarchy *))
{
    const OozeHierarchyStages stages = {find_first, find_nodes_of, find_coarser_of, has_failed};
    ooze_hierarchy_find(h, &stages);
}

/* ---- steps of the cycle ---- */

/* Number of the steps, which are stored where `to` is not NULL. */
static int list_steps(const DeviceHierarchy *h, OozeCyclePlan plan, bool dense, OozeCycleStep *to)
{
    OozeCycle cycle;
    OozeCycleStep step;
    int count = 0;
    ooze_cycle_start(&cycle, plan, h->small_level, h->levels - 1, dense);
    while (ooze_cycle_next(&cycle, &step)) {
        bool needed = step.kind == OOZE_CYCLE_ISOLATED ? h->level[step.level].isolated_count > 0
                                                       : step.kind != OOZE_CYCLE_ZERO;
        if (needed && to) {
            to[count] = step;
        }
        count += needed ? 1 : 0;
    }
    return count;
}

void hierarchy_find_steps(DeviceHierarchy *h, OozeCyclePlan plan, bool dense, uint64_t nodes)
{
    h->small_level = 0;
    while (h->small_level < h->levels && h->level[h->small_level].nodes > nodes) {
        h->small_level++;
    }
    h->small_steps = list_steps(h, plan, dense, nullptr);
    h->small_step = buffer<OozeCycleStep>(h->gpu, &h->step_buffer, (uint64_t)h->small_steps);
    const size_t size = (size_t)h->small_steps * sizeof *h->small_step;
    OozeCycleStep *steps = static_cast<OozeCycleStep *>(ooze_alloc(size, 1));
    if (!steps) {
        record_error(h->gpu, cudaErrorMemoryAllocation);
        return;
    }
    list_steps(h, plan, dense, steps);
    copy_in(h->gpu, h->small_step, steps, size);
    ooze_free(steps);
}

} // namespace ooze
