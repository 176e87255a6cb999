#include "solvers/multigrid/velocity_multigrid_ranks.h"

#include <string.h>

#include "base/search.h"
#include "solvers/multigrid/grid_cells.h"
#include "solvers/multigrid/links_formula.h"

enum { PARTICLE_GRAIN = 4096, ELEMENT_GRAIN = 1024, SEEN = OOZE_LINK_SEEN };

void ooze_velocity_share(OozeVelocityMultigrid *mg, OozeHalo *halo)
{
    OozeRanks *ranks = ooze_halo_ranks(halo);
    mg->sharing = ranks ? ooze_arena_alloc(mg->grids.kept, 1, sizeof *mg->sharing) : NULL;
    if (!mg->sharing) {
        return;
    }
    OozeVelocitySharing *s = mg->sharing;
    uint64_t one = (uint64_t)ranks->count + 1;
    *s = (OozeVelocitySharing){.ranks = ranks};
    ooze_rank_exchange_create(&s->migrants, ranks, mg->grids.kept);
    ooze_rank_exchange_create(&s->elements, ranks, mg->grids.kept);
    ooze_rank_exchange_create(&s->nodes, ranks, mg->grids.kept);
    s->node_at = ooze_arena_alloc(mg->grids.kept, 4 * one, sizeof *s->node_at);
    if (s->node_at) {
        s->parent_at = s->node_at + one;
        s->coarse_at = s->parent_at + one;
        s->bytes = s->coarse_at + one;
    }
}

/* ---- elements with particles of this rank ---- */

/* Such an element, and the cells around with whose elements its particles link it: bit
   ooze_links_place. */
typedef struct Entry {
    uint64_t cell;
    uint32_t links;
} Entry;

typedef struct Local {
    const OozeVelocityMultigridInput *input;
    const OozeHierarchy *h;
    const OozeMultigridShape *shape;
    uint64_t *cell;           /* per particle and ghost */
    OozeGridGroups groups;    /* by cell */
    const uint32_t *particle; /* in groups, ascending in each */
    Entry *entry;             /* per group */
} Local;

static void cell_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Local *s = data;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 into;
        s->cell[i] = ooze_hierarchy_cell(s->h, s->input->edges->x[i], &into);
    }
}

static void entry_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Local *s = data;
    const OozeEdges *edges = s->input->edges;
    for (uint64_t g = begin; g < end; g++) {
        Entry entry = {s->groups.number[g], 0};
        uint64_t seen[SEEN];
        for (uint32_t k = 0; k < SEEN; k++) {
            seen[k] = entry.cell;
        }
        for (uint32_t k = s->groups.first[g]; k < s->groups.first[g + 1]; k++) {
            uint64_t i = s->particle[k], first = edges->list->first[i];
            for (uint64_t f = first; f < first + edges->list->count[i]; f++) {
                uint64_t other = s->cell[edges->list->index[f]], *last = &seen[other % SEEN];
                bool is_near = edges->weight[f] >= s->input->link_weight;
                if (is_near & (other != *last) & (other != entry.cell)) {
                    int place = ooze_links_place(s->shape, entry.cell, other);
                    entry.links |= place >= 0 ? 1u << place : 0u;
                    *last = other;
                }
            }
        }
        s->entry[g] = entry;
    }
}

static void find_local(OozeVelocityMultigrid *mg, Local *s)
{
    uint64_t n = mg->grids.n, local = ooze_halo_local(s->input->halo, n);
    OozeKeySort sort;
    s->h = &mg->grids;
    s->shape = &mg->grids.level[0].shape;
    s->cell = ooze_arena_alloc(mg->grids.temporary, local, sizeof *s->cell);
    ooze_key_sort_alloc(&sort, mg->grids.temporary, n);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    ooze_parallel_for(mg->grids.threads, local, PARTICLE_GRAIN, cell_range, s);
    for (uint64_t i = 0; i < n; i++) {
        sort.key[0][i] = s->cell[i];
        sort.value[0][i] = (uint32_t)i;
    }
    ooze_key_sort(&sort, mg->grids.threads, n, ooze_multigrid_bits(s->shape->cells));
    s->groups = ooze_grid_groups(mg->grids.temporary, mg->grids.temporary, &sort, n);
    s->particle = sort.value[0];
    s->entry = ooze_arena_alloc(mg->grids.temporary, s->groups.count, sizeof *s->entry);
    if (!ooze_hierarchy_failed(&mg->grids)) {
        ooze_parallel_for(mg->grids.threads, s->groups.count, OOZE_VELOCITY_ELEMENT_GRAIN,
                          entry_range, s);
    }
}

/* ---- elements of all ranks ---- */

/* Sorts the entries of all ranks into elements. Returns the links of each. */
static uint32_t *merge_entries(OozeVelocityMultigrid *mg, const OozeHaloList *list)
{
    const Entry *all = list->all;
    OozeMultigridLevel *level = &mg->grids.level[0];
    int ranks = mg->sharing->ranks->count;
    uint64_t count = list->total;
    OozeKeySort sort;
    ooze_key_sort_alloc(&sort, mg->grids.temporary, count);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return NULL;
    }
    for (uint64_t k = 0; k < count; k++) {
        sort.key[0][k] = all[k].cell;
        sort.value[0][k] = (uint32_t)k;
    }
    ooze_key_sort(&sort, mg->grids.threads, count, ooze_multigrid_bits(level->shape.cells));
    OozeGridGroups groups = ooze_grid_groups(mg->grids.kept, mg->grids.temporary, &sort, count);
    uint32_t *links = ooze_arena_alloc(mg->grids.temporary, groups.count, sizeof *links);
    mg->sharing->owner = ooze_arena_alloc(mg->grids.kept, groups.count, sizeof *mg->sharing->owner);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return NULL;
    }
    for (uint64_t e = 0; e < groups.count; e++) {
        uint32_t first = groups.first[e];
        mg->sharing->owner[e] = (uint32_t)ooze_part_of(list->at, ranks, sort.value[0][first]);
        links[e] = 0;
        for (uint32_t k = first; k < groups.first[e + 1]; k++) {
            links[e] |= all[sort.value[0][k]].links;
        }
    }
    level->cells = groups.count;
    level->cell = groups.number;
    level->child_first = groups.first; /* of no use any more: see list_children */
    return links;
}

/* Element of a cell, which exists; `guess` is a little before it, as a rule. */
static uint64_t find_cell(const OozeMultigridLevel *level, uint64_t cell, uint64_t guess)
{
    uint64_t at = guess, count = level->cells;
    for (int k = 0; k < 16 && at < count && level->cell[at] < cell; k++) {
        at++;
    }
    bool found = at < count && level->cell[at] == cell;
    return found ? at : ooze_lower_bound(level->cell, sizeof *level->cell, count, cell);
}

typedef struct Links {
    const OozeMultigridLevel *level;
    const uint32_t *links; /* per element: see Entry */
    bool copy;             /* to level->link; else they are counted */
} Links;

static void links_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Links *s = data;
    const OozeMultigridLevel *level = s->level;
    uint64_t guess[27] = {0};
    for (uint64_t e = begin; e < end; e++) {
        uint32_t list[OOZE_LINK_SLOTS], count = 0;
        for (int place = 0; place < 27; place++) {
            if (s->links[e] >> place & 1) {
                uint64_t cell = ooze_links_cell(&level->shape, level->cell[e], place);
                guess[place] = find_cell(level, cell, guess[place]);
                count = ooze_links_insert(list, count, (uint32_t)guess[place]);
            }
        }
        if (s->copy) {
            memcpy(level->link + level->link_first[e], list, count * sizeof *list);
        } else {
            level->link_first[e] = count;
        }
    }
}

static void find_links(OozeVelocityMultigrid *mg, const uint32_t *links)
{
    OozeMultigridLevel *level = &mg->grids.level[0];
    Links s = {level, links, false};
    level->link_first = ooze_arena_alloc(mg->grids.kept, level->cells + 1, sizeof(uint32_t));
    if (!level->link_first) {
        return;
    }
    ooze_parallel_for(mg->grids.threads, level->cells, ELEMENT_GRAIN, links_range, &s);
    uint32_t total = ooze_sum_counts(level->link_first, level->cells);
    level->link = ooze_arena_alloc(mg->grids.kept, total, sizeof *level->link);
    s.copy = true;
    if (level->link) {
        ooze_parallel_for(mg->grids.threads, level->cells, ELEMENT_GRAIN, links_range, &s);
    }
}

/* ---- particles of elements ---- */

static OozeF32x4 into_cell(const Local *local, uint64_t i)
{
    OozeF32x4 into;
    ooze_hierarchy_cell(local->h, local->input->edges->x[i], &into);
    return into;
}

/* Elements with particles of this rank. */
static void find_touched(OozeVelocityMultigrid *mg, const Local *local)
{
    OozeVelocitySharing *s = mg->sharing;
    uint64_t count = local->groups.count, e = 0;
    s->touched = ooze_arena_alloc(mg->grids.kept, count, sizeof *s->touched);
    s->owned = ooze_arena_alloc(mg->grids.kept, count, sizeof *s->owned);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    s->touched_count = count;
    for (uint64_t g = 0; g < count; g++) {
        e = find_cell(&mg->grids.level[0], local->groups.number[g], e);
        s->touched[g] = (uint32_t)e;
        if (s->owner[e] == (uint32_t)s->ranks->rank) {
            s->owned[s->owned_count++] = (uint32_t)e;
        }
    }
}

/* Migrants that are sent or received: their elements and places in the cells. */
typedef struct Migrants {
    uint32_t *element;
    OozeF32x4 *into;
} Migrants;

static Migrants allocate_migrants(OozeVelocityMultigrid *mg, uint64_t count)
{
    return (Migrants){ooze_arena_alloc(mg->grids.temporary, count, sizeof(uint32_t)),
                      ooze_arena_alloc(mg->grids.temporary, count, sizeof(OozeF32x4))};
}

/* Particles of this rank in elements of others, by rank. */
static Migrants list_migrants(OozeVelocityMultigrid *mg, const Local *local)
{
    OozeVelocitySharing *s = mg->sharing;
    OozeRankExchange *x = &s->migrants;
    const uint32_t *first = local->groups.first;
    uint32_t rank = (uint32_t)s->ranks->rank;
    for (uint64_t g = 0; g < s->touched_count; g++) {
        uint32_t owner = s->owner[s->touched[g]];
        x->send_at[owner + 1] += owner != rank ? first[g + 1] - first[g] : 0;
    }
    ooze_rank_exchange_offer(x);
    Migrants sent = allocate_migrants(mg, ooze_rank_exchange_sent(x));
    x->send = ooze_arena_alloc(mg->grids.kept, ooze_rank_exchange_sent(x), sizeof *x->send);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return sent;
    }
    for (uint64_t g = 0; g < s->touched_count; g++) {
        uint32_t owner = s->owner[s->touched[g]];
        for (uint32_t k = first[g]; k < first[g + 1] && owner != rank; k++) {
            uint64_t at = x->bytes[owner]++;
            x->send[at] = local->particle[k];
            sent.element[at] = s->touched[g];
            sent.into[at] = into_cell(local, local->particle[k]);
        }
    }
    return sent;
}

static Migrants receive_migrants(OozeVelocityMultigrid *mg, const Local *local)
{
    OozeVelocitySharing *s = mg->sharing;
    Migrants sent = list_migrants(mg, local);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return sent;
    }
    uint64_t count = ooze_rank_exchange_received(&s->migrants);
    Migrants received = allocate_migrants(mg, count);
    s->migrant = ooze_arena_alloc(mg->grids.kept, count, sizeof *s->migrant);
    s->migrant_residual = ooze_arena_alloc(mg->grids.kept, count, sizeof *s->migrant_residual);
    if (!ooze_hierarchy_failed(&mg->grids)) {
        ooze_rank_exchange_packed(&s->migrants, sent.element, received.element,
                                  sizeof *sent.element);
        ooze_rank_exchange_packed(&s->migrants, sent.into, received.into, sizeof *sent.into);
    }
    return received;
}

/* Particles of each element: those of this rank, then those of the ranks after it. */
static void list_children(OozeVelocityMultigrid *mg, const Local *local, const Migrants *migrants)
{
    OozeVelocitySharing *s = mg->sharing;
    OozeMultigridLevel *level = &mg->grids.level[0];
    uint64_t count = ooze_rank_exchange_received(&s->migrants), elements = level->cells;
    uint32_t *next = ooze_arena_alloc(mg->grids.temporary, elements + 1, sizeof *next);
    level->child = ooze_arena_alloc(mg->grids.kept, mg->grids.n + count, sizeof *level->child);
    mg->grids.into = ooze_arena_alloc(mg->grids.kept, mg->grids.n + count, sizeof *mg->grids.into);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    memset(next, 0, elements * sizeof *next);
    for (uint64_t g = 0; g < s->touched_count; g++) {
        next[s->touched[g]] = local->groups.first[g + 1] - local->groups.first[g];
    }
    for (uint64_t v = 0; v < count; v++) {
        next[migrants->element[v]]++;
    }
    ooze_sum_counts(next, elements);
    memcpy(level->child_first, next, (elements + 1) * sizeof *next);
    for (uint64_t g = 0; g < s->touched_count; g++) {
        for (uint32_t k = local->groups.first[g]; k < local->groups.first[g + 1]; k++) {
            uint32_t at = next[s->touched[g]]++;
            level->child[at] = local->particle[k];
            mg->grids.into[at] = into_cell(local, local->particle[k]);
        }
    }
    for (uint64_t v = 0; v < count; v++) {
        uint32_t at = next[migrants->element[v]]++;
        level->child[at] = (uint32_t)(mg->grids.n + v);
        mg->grids.into[at] = migrants->into[v];
    }
}

void ooze_velocity_share_elements(OozeVelocityMultigrid *mg,
                                  const OozeVelocityMultigridInput *input)
{
    Local local = {.input = input};
    uint32_t *links = NULL;
    uint64_t *at =
        ooze_arena_alloc(mg->grids.temporary, (uint64_t)mg->sharing->ranks->count + 1, sizeof *at);
    find_local(mg, &local);
    OozeHaloList list = {
        .own = local.entry, .count = local.groups.count, .at = at, .size = sizeof *local.entry};
    if (!ooze_hierarchy_failed(&mg->grids) &&
        ooze_halo_gather_list(input->halo, mg->grids.temporary, &list, NULL) == OOZE_OK) {
        links = merge_entries(mg, &list);
    }
    if (links) {
        find_links(mg, links);
    }
    if (!ooze_hierarchy_failed(&mg->grids)) {
        find_touched(mg, &local);
    }
    if (!ooze_hierarchy_failed(&mg->grids)) {
        Migrants migrants = receive_migrants(mg, &local);
        if (!ooze_hierarchy_failed(&mg->grids)) {
            list_children(mg, &local, &migrants);
        }
    }
}
