#include "solvers/multigrid/grid_multigrid_ranks.h"

#include <float.h>
#include <string.h>

#include "base/search.h"
#include "particles/split.h"
#include "solvers/multigrid/grid_cells.h"

enum {
    PARTICLE_GRAIN = 4096,
    REACH = 2,              /* of ghost cells, in groups */
    AROUND = 2 * REACH + 1, /* groups along an axis */
    CORNERS = OOZE_MULTIGRID_CORNERS
};

/* ---- groups of cells by process ---- */

static int owner_of(const struct OozeMultigridShared *s, uint64_t group)
{
    return ooze_part_of(s->split, s->ranks->count, group);
}

/* A process gets the groups from that of its first particle on, so that few particles are sent. */
static void split_groups(const struct OozeMultigridShared *s, uint64_t first)
{
    int ranks = s->ranks->count;
    s->ranks->gather(s->ranks, &first, sizeof first, s->split);
    for (int r = ranks - 2; r >= 0; r--) {
        s->split[r] = s->split[r] == UINT64_MAX ? s->split[r + 1] : s->split[r];
    }
    s->split[0] = 0;
    for (int r = 1; r < ranks; r++) {
        s->split[r] = s->split[r] < s->split[r - 1] ? s->split[r - 1] : s->split[r];
    }
}

/* ---- particles ---- */

typedef struct Parcel {
    uint64_t cell;
    float into[3], stiffness, mass, unused;
} Parcel;

typedef struct Parcels {
    const OozeHierarchy *h;
    const OozeGridMultigridInput *input;
    Parcel *parcel;
} Parcels;

static void fill_parcels(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Parcels *s = data;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 into;
        uint64_t cell = ooze_hierarchy_cell(s->h, s->input->x[i], &into);
        s->parcel[i] = (Parcel){.cell = cell,
                                .into = {into[0], into[1], into[2]},
                                .stiffness = s->input->stiffness[i],
                                .mass = s->input->mass[i]};
    }
}

/* Sends the particles to the processes of their cells; returns them, in the order of all. */
static Parcel *move_particles(OozeGridMultigrid *mg, const OozeGridMultigridInput *input,
                              const OozeMultigridShape *groups)
{
    struct OozeMultigridShared *s = mg->shared;
    const OozeMultigridShape *shape = &mg->grids.level[0].shape;
    Parcel *parcel = ooze_arena_alloc(mg->grids.temporary, mg->grids.n, sizeof *parcel);
    Parcel *packed = ooze_arena_alloc(mg->grids.temporary, mg->grids.n, sizeof *packed);
    uint32_t *owner = ooze_arena_alloc(mg->grids.temporary, mg->grids.n, sizeof *owner);
    ooze_rank_exchange_create(&s->move, s->ranks, mg->grids.kept);
    s->move.send = ooze_arena_alloc(mg->grids.kept, mg->grids.n, sizeof *s->move.send);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return NULL;
    }
    Parcels job = {&mg->grids, input, parcel};
    uint8_t place;
    ooze_parallel_for(mg->grids.threads, mg->grids.n, PARTICLE_GRAIN, fill_parcels, &job);
    split_groups(s, mg->grids.n ? ooze_multigrid_parent(shape, groups, parcel[0].cell, &place)
                                : UINT64_MAX);
    for (uint64_t i = 0; i < mg->grids.n; i++) {
        owner[i] =
            (uint32_t)owner_of(s, ooze_multigrid_parent(shape, groups, parcel[i].cell, &place));
        s->move.send_at[owner[i] + 1]++;
    }
    ooze_rank_exchange_offer(&s->move);
    for (uint64_t i = 0; i < mg->grids.n; i++) {
        s->move.send[s->move.bytes[owner[i]]++] = (uint32_t)i;
    }
    Parcel *moved =
        ooze_arena_alloc(mg->grids.temporary, ooze_rank_exchange_received(&s->move), sizeof *moved);
    if (moved) {
        ooze_rank_exchange_run(&s->move, parcel, moved, sizeof *moved, packed);
    }
    return moved;
}

/* Cells of this process, and the particles in them. */
static void find_own_cells(OozeGridMultigrid *mg, const Parcel *moved)
{
    struct OozeMultigridShared *s = mg->shared;
    uint64_t count = ooze_rank_exchange_received(&s->move);
    OozeKeySort sort;
    ooze_key_sort_alloc(&sort, mg->grids.temporary, count);
    s->own.child = ooze_arena_alloc(mg->grids.kept, count, sizeof *s->own.child);
    s->stiffness = ooze_arena_alloc(mg->grids.kept, count, sizeof(float));
    s->mass = ooze_arena_alloc(mg->grids.kept, count, sizeof(float));
    s->here = ooze_arena_alloc(mg->grids.kept, count, sizeof(float));
    s->there = ooze_arena_alloc(mg->grids.kept, mg->grids.n, sizeof(float));
    mg->grids.into = ooze_arena_alloc(mg->grids.kept, count, sizeof *mg->grids.into);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        sort.key[0][i] = moved[i].cell;
        sort.value[0][i] = (uint32_t)i;
        s->stiffness[i] = moved[i].stiffness;
        s->mass[i] = moved[i].mass;
    }
    ooze_key_sort(&sort, mg->grids.threads, count,
                  ooze_multigrid_bits(mg->grids.level[0].shape.cells));
    OozeGridGroups groups = ooze_grid_groups(mg->grids.kept, mg->grids.temporary, &sort, count);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    memcpy(s->own.child, sort.value[0], count * sizeof *s->own.child);
    for (uint64_t i = 0; i < count; i++) {
        const float *into = moved[s->own.child[i]].into;
        mg->grids.into[i] = ooze_f32x4(into[0], into[1], into[2], 0.0f);
    }
    s->own.cells = groups.count;
    s->own.cell = groups.number;
    s->own.child_first = groups.first;
}

/* ---- ghost cells ---- */

/* Coordinates at most REACH from one, each once; returns their number. */
static int around(int32_t count, bool wraps, int32_t at, int32_t to[AROUND])
{
    int found = 0;
    for (int32_t d = -REACH; d <= REACH; d++) {
        int32_t x = at + d;
        if (wraps) {
            x = (x % count + count) % count;
        }
        bool fresh = x >= 0 && x < count;
        for (int k = 0; k < found; k++) {
            fresh = fresh && to[k] != x;
        }
        if (fresh) {
            to[found++] = x;
        }
    }
    return found;
}

/* Marks the other processes that have groups near a group, whether these have cells or not. */
static void find_receivers(const struct OozeMultigridShared *s, const OozeMultigridShape *groups,
                           uint64_t group, uint8_t *takes)
{
    int32_t at[3], x[3][AROUND], corner[3];
    int count[3], me = s->ranks->rank;
    ooze_multigrid_place(groups->cells, group, at);
    memset(takes, 0, (size_t)s->ranks->count);
    for (int k = 0; k < 3; k++) {
        count[k] = around(groups->cells[k], groups->wraps[k], at[k], x[k]);
    }
    for (int i = 0; i < count[2] * count[1]; i++) {
        int least = s->ranks->count, most = 0;
        corner[1] = x[1][i % count[1]];
        corner[2] = x[2][i / count[1]];
        for (int k = 0; k < count[0]; k++) {
            corner[0] = x[0][k];
            int owner = owner_of(s, ooze_multigrid_number(groups->cells, corner));
            least = owner < least ? owner : least;
            most = owner > most ? owner : most;
        }
        for (int r = least; r <= most; r++) {
            takes[r] |= r != me;
        }
    }
}

/* Counts or lists the own cells that other processes take. Cells of a group follow each other only
   along x, so that most of them ask for the receivers of the cell before. */
static void visit_cells(const OozeGridMultigrid *mg, const OozeMultigridShape *groups,
                        uint8_t *takes, bool list)
{
    struct OozeMultigridShared *s = mg->shared;
    bool few = mg->grids.all_cells <= OOZE_MULTIGRID_DENSE; /* all processes need all of them */
    uint64_t last = UINT64_MAX;
    for (uint64_t c = 0; c < s->own.cells; c++) {
        uint8_t place;
        uint64_t group =
            ooze_multigrid_parent(&mg->grids.level[0].shape, groups, s->own.cell[c], &place);
        if (group != last) {
            find_receivers(s, groups, group, takes);
        }
        last = group;
        for (int r = 0; r < s->ranks->count; r++) {
            bool taken = few ? r != s->ranks->rank : takes[r];
            if (taken && list) {
                s->cells.send[s->cells.bytes[r]++] = (uint32_t)c;
            } else if (taken) {
                s->cells.send_at[r + 1]++;
            }
        }
    }
}

static void list_ghost_cells(OozeGridMultigrid *mg, const OozeMultigridShape *groups)
{
    struct OozeMultigridShared *s = mg->shared;
    uint8_t *takes = ooze_arena_alloc(mg->grids.temporary, (uint64_t)s->ranks->count, 1);
    mg->grids.all_cells = s->own.cells;
    s->ranks->sum(s->ranks, &mg->grids.all_cells, 1);
    ooze_rank_exchange_create(&s->cells, s->ranks, mg->grids.kept);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    visit_cells(mg, groups, takes, false);
    ooze_rank_exchange_offer(&s->cells);
    s->cells.send =
        ooze_arena_alloc(mg->grids.kept, ooze_rank_exchange_sent(&s->cells), sizeof *s->cells.send);
    if (s->cells.send) {
        visit_cells(mg, groups, takes, true);
    }
}

/* Cells of the level: own and ghost cells by ascending number. */
static void merge_cells(OozeGridMultigrid *mg)
{
    struct OozeMultigridShared *s = mg->shared;
    OozeMultigridLevel *level = &mg->grids.level[0];
    uint64_t sent = ooze_rank_exchange_sent(&s->cells);
    uint64_t total = s->own.cells + ooze_rank_exchange_received(&s->cells);
    OozeKeySort sort;
    ooze_key_sort_alloc(&sort, mg->grids.temporary, total);
    uint64_t *packed = ooze_arena_alloc(mg->grids.temporary, sent, sizeof *packed);
    level->cell = ooze_arena_alloc(mg->grids.kept, total, sizeof *level->cell);
    s->place = ooze_arena_alloc(mg->grids.kept, total, sizeof *s->place);
    s->sums = ooze_arena_alloc(mg->grids.kept, CORNERS * total, sizeof *s->sums);
    s->sent_sums = ooze_arena_alloc(mg->grids.kept, CORNERS * sent, sizeof *s->sent_sums);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    memcpy(sort.key[0], s->own.cell, s->own.cells * sizeof *s->own.cell);
    ooze_rank_exchange_run(&s->cells, s->own.cell, sort.key[0] + s->own.cells, sizeof *packed,
                           packed);
    for (uint64_t c = 0; c < total; c++) {
        sort.value[0][c] = (uint32_t)c;
    }
    ooze_key_sort(&sort, mg->grids.threads, total, ooze_multigrid_bits(level->shape.cells));
    level->cells = total;
    for (uint64_t c = 0; c < total; c++) {
        level->cell[c] = sort.key[0][c];
        s->place[sort.value[0][c]] = (uint32_t)c;
    }
}

void ooze_multigrid_share(OozeGridMultigrid *mg, const OozeGridMultigridInput *input)
{
    OozeMultigridLevel *level = &mg->grids.level[0];
    struct OozeMultigridShared *s = mg->shared = ooze_arena_alloc(mg->grids.kept, 1, sizeof *s);
    if (!s) {
        return;
    }
    *s = (struct OozeMultigridShared){.halo = input->halo, .ranks = ooze_halo_ranks(input->halo)};
    uint64_t ranks = (uint64_t)s->ranks->count;
    s->bytes = ooze_arena_alloc(mg->grids.kept, ranks, sizeof *s->bytes);
    s->split = ooze_arena_alloc(mg->grids.kept, ranks, sizeof *s->split);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    OozeMultigridShape groups = ooze_multigrid_coarser(&level->shape);
    OozeArenaMark mark = ooze_arena_mark(mg->grids.temporary);
    const Parcel *moved = move_particles(mg, input, &groups);
    if (moved) {
        find_own_cells(mg, moved);
    }
    if (!ooze_hierarchy_failed(&mg->grids)) {
        list_ghost_cells(mg, &groups);
    }
    if (!ooze_hierarchy_failed(&mg->grids)) {
        merge_cells(mg);
    }
    ooze_arena_rewind(mg->grids.temporary, mark);
}
