/* Elements, links and nodes of the grids: see solvers/multigrid/velocity_multigrid_levels.c. */
#include "cuda/velocity_multigrid_parts.cuh"

namespace ooze
{

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

static bool allocate_elements(Gpu *gpu, VelocityMultigrid *mg, int k)
{
    VelocityLevel *level = &mg->level[k];
    const uint64_t elements = level->elements;
    return divide(gpu, &mg->buffer[k][VELOCITY_ELEMENTS], [=](Slab *slab) {
        slab->take(&level->cell, elements);
        slab->take(&level->child_first, elements + 1);
        slab->take(&level->parent, elements);
        slab->take(&level->place, elements);
        slab->take(&level->isolated, elements);
        slab->take(&level->link_first, elements + 1);
        slab->take(&level->corner_node, 8 * elements);
        slab->take(&level->node_corner, 8 * elements);
    });
}

/* ---- elements of the first level ---- */

template <class Key>
static void find_first_elements(Gpu *gpu, VelocityMultigrid *mg,
                                const VelocityMultigridInput *input)
{
    VelocityLevel *level = &mg->level[0];
    Mark mark = scratch_mark(gpu);
    Pairs<Key> pairs = make_pairs<Key>(gpu, mg->n, ooze_multigrid_bits(level->shape.cells));
    Key *to_key = pairs.to_key;
    uint32_t *to_value = pairs.to_value;
    const OozeMultigridShape shape = level->shape;
    const Axes axes = mg->axes;
    const float4 *x = input->x0;
    for_each(
        gpu, mg->n, OOZE_BODY(uint32_t i) {
            float4 into;
            to_key[i] = (Key)cell_at(axes, shape, x[i], &into);
            to_value[i] = i;
        });
    Groups groups = find_groups(gpu, &pairs);
    level->elements = groups.count;
    bool ok = allocate_elements(gpu, mg, 0);
    ok = ok && divide(gpu, &mg->particle_buffer, [=](Slab *slab) {
             slab->take(&level->child, mg->n);
             slab->take(&mg->into, mg->n);
             slab->take(&mg->element_of, mg->n);
         });
    if (ok) {
        write_groups(gpu, &pairs, groups, level->cell, level->child_first);
        const uint32_t *value = pairs.value[1];
        const uint64_t *before = groups.before;
        uint32_t *child = level->child, *element_of = mg->element_of;
        float4 *all = mg->into;
        for_each(
            gpu, mg->n, OOZE_BODY(uint32_t i) {
                float4 into = f32x4(0, 0, 0);
                (void)cell_at(axes, shape, x[value[i]], &into);
                all[i] = into;
                child[i] = value[i];
                element_of[value[i]] = (uint32_t)(before[i + 1] - 1);
            });
    }
    scratch_rewind(gpu, mark);
}

/* ---- links ---- */

/* Moves the links of each element from its place in `found` into level->link. level->link_first
   holds their numbers. */
static void store_links(Gpu *gpu, VelocityMultigrid *mg, int k, const uint32_t *found,
                        const uint32_t *place)
{
    VelocityLevel *level = &mg->level[k];
    level->links = sum_counts(gpu, level->link_first, level->elements);
    const uint64_t links = level->links;
    bool ok = divide(gpu, &mg->buffer[k][VELOCITY_LINKS],
                     [=](Slab *slab) { slab->take(&level->link, links); });
    if (ok) {
        const uint32_t *first = level->link_first;
        uint32_t *link = level->link;
        for_each(
            gpu, level->elements, OOZE_BODY(uint32_t e) {
                const uint32_t *from =
                    found + (place ? place[e] : OOZE_VELOCITY_SLOTS * (uint64_t)e);
                for (uint32_t f = first[e]; f < first[e + 1]; f++) {
                    link[f] = from[f - first[e]];
                }
            });
    }
}

/* Elements at the other ends of edges: see link_particles of the processor. */
static void link_first_elements(Gpu *gpu, VelocityMultigrid *mg, const VelocityMultigridInput *of)
{
    const VelocityLevel level = mg->level[0];
    const VelocityMultigridInput input = *of;
    const uint32_t *element_of = mg->element_of;
    Mark mark = scratch_mark(gpu);
    uint32_t *found = scratch<uint32_t>(gpu, OOZE_VELOCITY_SLOTS * (uint64_t)level.elements);
    for_each(
        gpu, level.elements, OOZE_BODY(uint32_t e) {
            uint32_t *list = found + OOZE_VELOCITY_SLOTS * (uint64_t)e, count = 0, last = e;
            for (uint32_t k = level.child_first[e]; k < level.child_first[e + 1]; k++) {
                const uint32_t i = level.child[k];
                const float4 here = input.x0[i];
                each_true_neighbour(input.fluid, i, [&](uint32_t j) {
                    uint32_t other = element_of[j];
                    if (other == last || other == e) {
                        return;
                    }
                    float r2 = delta<true>(input, here, input.x0[j]).r2;
                    if (edge_weight(input, r2) >= input.link_weight) {
                        bool links = ooze_velocity_link_place(&level.shape, level.cell[e],
                                                              level.cell[other]) >= 0;
                        count = links ? ooze_velocity_insert(list, count, other) : count;
                        last = other;
                    }
                });
            }
            level.link_first[e] = count;
        });
    store_links(gpu, mg, 0, found, nullptr);
    scratch_rewind(gpu, mark);
}

/* Parents are linked where children of theirs are. */
static void link_coarse_elements(Gpu *gpu, VelocityMultigrid *mg, int k)
{
    const VelocityLevel level = mg->level[k], fine = mg->level[k - 1];
    Mark mark = scratch_mark(gpu);
    uint32_t *room = scratch<uint32_t>(gpu, (uint64_t)level.elements + 1);
    uint32_t *found = scratch<uint32_t>(gpu, fine.links);
    for_each(
        gpu, level.elements, OOZE_BODY(uint32_t p) {
            uint32_t sum = 0;
            for (uint32_t c = level.child_first[p]; c < level.child_first[p + 1]; c++) {
                uint32_t child = level.child[c];
                sum += fine.link_first[child + 1] - fine.link_first[child];
            }
            room[p] = sum;
        });
    add_counts(gpu, room, level.elements);
    for_each(
        gpu, level.elements, OOZE_BODY(uint32_t p) {
            uint32_t *list = found + room[p], count = 0;
            for (uint32_t c = level.child_first[p]; c < level.child_first[p + 1]; c++) {
                uint32_t child = level.child[c];
                for (uint32_t e = fine.link_first[child]; e < fine.link_first[child + 1]; e++) {
                    uint32_t other = fine.parent[fine.link[e]];
                    if (other != p && other != OOZE_MULTIGRID_NONE) {
                        count = ooze_velocity_insert(list, count, other);
                    }
                }
            }
            level.link_first[p] = count;
        });
    store_links(gpu, mg, k, found, room);
    scratch_rewind(gpu, mark);
}

/* ---- components of linked elements in groups ---- */

/* Components of the groups of sorted pairs, in scratch; sets their number. Waits. */
template <class Key>
static OozeVelocityComponents find_components(Gpu *gpu, const VelocityLevel *level,
                                              Pairs<Key> *pairs, uint32_t per_element,
                                              Groups *groups, uint32_t *components)
{
    *groups = find_groups(gpu, pairs);
    const uint32_t count = groups->count;
    uint32_t *first = scratch<uint32_t>(gpu, (uint64_t)count + 1);
    OozeVelocityComponents s = {};
    write_groups(gpu, pairs, *groups, nullptr, first);
    s.links = {level->link_first, level->link};
    s.group_first = first;
    s.value = pairs->value[1];
    s.per_element = per_element;
    s.root = scratch<uint32_t>(gpu, pairs->n);
    s.component = scratch<uint32_t>(gpu, pairs->n);
    s.count = scratch<uint32_t>(gpu, (uint64_t)count + 1);
    for_each(
        gpu, count, OOZE_BODY(uint32_t g) { ooze_velocity_join_group(&s, g); });
    *components = sum_counts(gpu, s.count, count);
    for_each(
        gpu, count, OOZE_BODY(uint32_t g) { ooze_velocity_number_group(&s, g); });
    return s;
}

/* first[components + 1], and `listed` of all values. */
static void list_components(Gpu *gpu, OozeVelocityComponents s, uint32_t groups, uint32_t *first,
                            uint32_t *listed)
{
    s.first = first;
    s.listed = listed;
    for_each(
        gpu, groups, OOZE_BODY(uint32_t g) {
            ooze_velocity_list_group(&s, g);
            if (g + 1 == groups) {
                first[s.count[groups]] = s.group_first[groups];
            }
        });
}

/* ---- nodes ---- */

static bool allocate_nodes(Gpu *gpu, VelocityMultigrid *mg, int k)
{
    VelocityLevel *level = &mg->level[k];
    const uint64_t nodes = level->nodes;
    return divide(gpu, &mg->buffer[k][VELOCITY_NODES], [=](Slab *slab) {
        slab->take(&level->node_first, nodes + 1);
        slab->take(&level->slice_first, nodes / ROW_SLICE + 2);
        slab->take(&level->stencil, nodes);
        slab->take(&level->coarse_element, nodes);
        slab->take(&level->coarse_place, nodes);
        slab->take(&level->inverse, nodes);
        slab->take(&level->b, nodes);
        slab->take(&level->r, nodes);
        slab->take(&level->x, nodes);
        slab->take(&level->p[0], nodes);
        slab->take(&level->p[1], nodes);
    });
}

template <class Key> static void find_nodes(Gpu *gpu, VelocityMultigrid *mg, int k)
{
    VelocityLevel *level = &mg->level[k];
    const uint64_t corners = 8 * (uint64_t)level->elements;
    Mark mark = scratch_mark(gpu);
    Pairs<Key> pairs = make_pairs<Key>(gpu, corners, ooze_multigrid_bits(level->shape.nodes));
    Groups groups;
    number_corners(gpu, level->shape, level->cell, level->elements, pairs);
    OozeVelocityComponents s = find_components(gpu, level, &pairs, 8, &groups, &level->nodes);
    if (allocate_nodes(gpu, mg, k)) {
        uint32_t *corner_node = level->corner_node;
        list_components(gpu, s, groups.count, level->node_first, level->node_corner);
        for_each(
            gpu, corners, OOZE_BODY(uint32_t i) { corner_node[s.value[i]] = s.component[i]; });
    }
    scratch_rewind(gpu, mark);
}

/* ---- coarser levels ---- */

/* Elements that have a parent, ascending, in scratch: all that share a node with another. The
   others are listed in level->isolated. Waits. */
static uint64_t select_children(Gpu *gpu, VelocityLevel *level, uint32_t *kept)
{
    const OozeVelocityCornerLists lists = {level->corner_node, level->node_first,
                                           level->node_corner};
    uint8_t *isolated = scratch<uint8_t>(gpu, level->elements);
    for_each(
        gpu, level->elements,
        OOZE_BODY(uint32_t e) { isolated[e] = ooze_velocity_is_isolated(&lists, e) ? 1 : 0; });
    const uint64_t count = select_unflagged(gpu, isolated, kept, level->elements);
    level->isolated_count = (uint32_t)(level->elements - count);
    if (level->isolated_count > 0) {
        for_each(
            gpu, level->elements, OOZE_BODY(uint32_t e) { isolated[e] = isolated[e] ? 0 : 1; });
        (void)select_unflagged(gpu, isolated, level->isolated, level->elements);
    }
    return count;
}

template <class Key> static void find_coarser_elements(Gpu *gpu, VelocityMultigrid *mg, int k)
{
    VelocityLevel *fine = &mg->level[k], *coarse = fine + 1;
    Mark mark = scratch_mark(gpu);
    uint32_t *kept = scratch<uint32_t>(gpu, fine->elements);
    const uint64_t count = select_children(gpu, fine, kept);
    Pairs<Key> pairs = make_pairs<Key>(gpu, count, ooze_multigrid_bits(coarse->shape.cells));
    Key *to_key = pairs.to_key;
    uint32_t *to_value = pairs.to_value, *parent = fine->parent;
    uint8_t *place = fine->place;
    const OozeMultigridShape shape = fine->shape, coarse_shape = coarse->shape;
    const uint64_t *cell = fine->cell;
    for_each(
        gpu, fine->elements, OOZE_BODY(uint32_t e) {
            (void)ooze_multigrid_parent(&shape, &coarse_shape, cell[e], &place[e]);
            parent[e] = OOZE_MULTIGRID_NONE;
        });
    for_each(
        gpu, count, OOZE_BODY(uint32_t i) {
            uint8_t unused;
            to_key[i] = (Key)ooze_multigrid_parent(&shape, &coarse_shape, cell[kept[i]], &unused);
            to_value[i] = kept[i];
        });
    Groups groups;
    OozeVelocityComponents s = find_components(gpu, fine, &pairs, 1, &groups, &coarse->elements);
    bool ok = coarse->elements > 0 && allocate_elements(gpu, mg, k + 1);
    ok = ok && divide(gpu, &mg->buffer[k + 1][VELOCITY_CHILDREN],
                      [=](Slab *slab) { slab->take(&coarse->child, count); });
    if (ok) {
        const Key *key = pairs.key[1];
        uint64_t *coarse_cell = coarse->cell;
        list_components(gpu, s, groups.count, coarse->child_first, coarse->child);
        for_each(
            gpu, count, OOZE_BODY(uint32_t i) {
                parent[s.value[i]] = s.component[i];
                coarse_cell[s.component[i]] = key[i];
            });
        link_coarse_elements(gpu, mg, k + 1);
    }
    scratch_rewind(gpu, mark);
}

void velocity_find_levels(Gpu *gpu, VelocityMultigrid *mg, const VelocityMultigridInput *input)
{
    Extent box = find_extent(
        gpu, input->x0, input->n, OOZE_BODY(uint32_t) { return 0.0f; });
    mg->axes = axes_of(box, input->spacing, &input->periodic);
    for (int k = 0; k < 3; k++) {
        mg->inverse[k] = (float)mg->axes.axis[k].inverse;
    }
    mg->level[0].shape = shape_of(mg->axes);
    if (wide(mg->level[0].shape.cells)) {
        find_first_elements<uint64_t>(gpu, mg, input);
    } else {
        find_first_elements<uint32_t>(gpu, mg, input);
    }
    link_first_elements(gpu, mg, input);
    while (gpu->failed == cudaSuccess && mg->levels < OOZE_MULTIGRID_LEVELS &&
           mg->level[mg->levels].elements > 0) {
        const int k = mg->levels++;
        VelocityLevel *level = &mg->level[k];
        if (wide(level->shape.nodes)) {
            find_nodes<uint64_t>(gpu, mg, k);
        } else {
            find_nodes<uint32_t>(gpu, mg, k);
        }
        if (gpu->failed != cudaSuccess || level->nodes <= OOZE_VELOCITY_DENSE ||
            mg->levels == OOZE_MULTIGRID_LEVELS) {
            break;
        }
        level[1].shape = ooze_multigrid_coarser(&level->shape);
        if (wide(level[1].shape.cells)) {
            find_coarser_elements<uint64_t>(gpu, mg, k);
        } else {
            find_coarser_elements<uint32_t>(gpu, mg, k);
        }
    }
}

} // namespace ooze
