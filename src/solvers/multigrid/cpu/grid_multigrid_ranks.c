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

/* ---- messages ---- */

static bool allocate_message(OozeArena *arena, OozeMultigridMessage *message, uint64_t ranks,
                             uint64_t count)
{
    message->index = ooze_arena_alloc(arena, count, sizeof *message->index);
    message->send_at = ooze_arena_alloc(arena, ranks + 1, sizeof *message->send_at);
    message->receive_at = ooze_arena_alloc(arena, ranks + 1, sizeof *message->receive_at);
    return message->index && message->send_at && message->receive_at;
}

void ooze_multigrid_exchange(const struct OozeMultigridShared *s,
                             const OozeMultigridMessage *message, const void *from, void *to,
                             size_t size, bool back)
{
    int ranks = s->ranks->count;
    uint64_t *send = s->bytes, *receive = send + ranks + 1;
    for (int r = 0; r <= ranks; r++) {
        send[r] = (back ? message->receive_at[r] : message->send_at[r]) * size;
        receive[r] = (back ? message->send_at[r] : message->receive_at[r]) * size;
    }
    s->ranks->exchange(s->ranks, from, send, to, receive);
}

void ooze_multigrid_pack(const OozeMultigridMessage *message, const void *from, void *to,
                         size_t size, int ranks)
{
    for (uint64_t k = 0; k < message->send_at[ranks]; k++) {
        memcpy((char *)to + k * size, (const char *)from + message->index[k] * size, size);
    }
}

/* From counts in send_at[r + 1] to the beginnings, and what is received from each. */
static void count_message(const struct OozeMultigridShared *s, OozeMultigridMessage *message)
{
    message->send_at[0] = 0;
    for (int r = 0; r < s->ranks->count; r++) {
        message->send_at[r + 1] += message->send_at[r];
    }
    ooze_split_receipts(s->ranks, message->send_at, s->bytes, message->receive_at);
}

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
    const OozeGridMultigridInput *input;
    const OozeMultigridAxis *axis;
    const OozeMultigridShape *shape;
    Parcel *parcel;
} Parcels;

static void fill_parcels(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Parcels *s = data;
    for (uint64_t i = begin; i < end; i++) {
        Parcel *p = &s->parcel[i];
        int32_t at[3];
        for (int k = 0; k < 3; k++) {
            at[k] = ooze_multigrid_cell(&s->axis[k], s->input->x[i][k], &p->into[k]);
        }
        p->cell = ooze_multigrid_number(s->shape->cells, at);
        p->stiffness = s->input->stiffness[i];
        p->mass = s->input->mass[i];
        p->unused = 0.0f;
    }
}

/* Sends the particles to the processes of their cells; returns them, in the order of all. */
static Parcel *move_particles(OozeGridMultigrid *mg, const OozeGridMultigridInput *input,
                              const OozeMultigridAxis *axis, const OozeMultigridShape *groups)
{
    struct OozeMultigridShared *s = mg->shared;
    const OozeMultigridShape *shape = &mg->grids.level[0].shape;
    int ranks = s->ranks->count;
    Parcel *parcel = ooze_arena_alloc(mg->grids.temporary, mg->grids.n, sizeof *parcel);
    Parcel *packed = ooze_arena_alloc(mg->grids.temporary, mg->grids.n, sizeof *packed);
    uint32_t *owner = ooze_arena_alloc(mg->grids.temporary, mg->grids.n, sizeof *owner);
    if (!allocate_message(mg->grids.kept, &s->move, (uint64_t)ranks, mg->grids.n) ||
        ooze_hierarchy_failed(&mg->grids)) {
        return NULL;
    }
    Parcels job = {input, axis, shape, parcel};
    uint8_t place;
    ooze_parallel_for(mg->grids.threads, mg->grids.n, PARTICLE_GRAIN, fill_parcels, &job);
    split_groups(s, mg->grids.n ? ooze_multigrid_parent(shape, groups, parcel[0].cell, &place)
                                : UINT64_MAX);
    memset(s->move.send_at, 0, ((size_t)ranks + 1) * sizeof *s->move.send_at);
    for (uint64_t i = 0; i < mg->grids.n; i++) {
        owner[i] =
            (uint32_t)owner_of(s, ooze_multigrid_parent(shape, groups, parcel[i].cell, &place));
        s->move.send_at[owner[i] + 1]++;
    }
    count_message(s, &s->move);
    for (uint64_t i = 0; i < mg->grids.n; i++) {
        s->move.index[s->move.send_at[owner[i]]++] = (uint32_t)i;
    }
    for (int r = ranks; r > 0; r--) { /* listing has moved the beginnings to the ends */
        s->move.send_at[r] = s->move.send_at[r - 1];
    }
    s->move.send_at[0] = 0;
    ooze_multigrid_pack(&s->move, parcel, packed, sizeof *packed, ranks);
    Parcel *moved = ooze_arena_alloc(mg->grids.temporary, s->move.receive_at[ranks], sizeof *moved);
    if (moved) {
        ooze_multigrid_exchange(s, &s->move, packed, moved, sizeof *moved, false);
    }
    return moved;
}

/* Cells of this process, and the particles in them. */
static void find_own_cells(OozeGridMultigrid *mg, const Parcel *moved)
{
    struct OozeMultigridShared *s = mg->shared;
    uint64_t count = s->move.receive_at[s->ranks->count];
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
                s->cells.index[s->cells.send_at[r]++] = (uint32_t)c;
            } else if (taken) {
                s->cells.send_at[r + 1]++;
            }
        }
    }
}

static void list_ghost_cells(OozeGridMultigrid *mg, const OozeMultigridShape *groups)
{
    struct OozeMultigridShared *s = mg->shared;
    int ranks = s->ranks->count;
    uint8_t *takes = ooze_arena_alloc(mg->grids.temporary, (uint64_t)ranks, 1);
    uint64_t *send_at = ooze_arena_alloc(mg->grids.temporary, (uint64_t)ranks + 1, sizeof *send_at);
    mg->grids.all_cells = s->own.cells;
    s->ranks->sum(s->ranks, &mg->grids.all_cells, 1);
    if (!takes || !send_at) {
        return;
    }
    memset(send_at, 0, ((size_t)ranks + 1) * sizeof *send_at);
    s->cells.send_at = send_at;
    visit_cells(mg, groups, takes, false);
    uint64_t total = 0;
    for (int r = 0; r < ranks; r++) {
        total += send_at[r + 1];
    }
    if (!allocate_message(mg->grids.kept, &s->cells, (uint64_t)ranks, total)) {
        return;
    }
    memcpy(s->cells.send_at, send_at, ((size_t)ranks + 1) * sizeof *send_at);
    count_message(s, &s->cells);
    visit_cells(mg, groups, takes, true);
    for (int r = ranks; r > 0; r--) {
        s->cells.send_at[r] = s->cells.send_at[r - 1];
    }
    s->cells.send_at[0] = 0;
}

/* Cells of the level: own and ghost cells by ascending number. */
static void merge_cells(OozeGridMultigrid *mg)
{
    struct OozeMultigridShared *s = mg->shared;
    OozeMultigridLevel *level = &mg->grids.level[0];
    int ranks = s->ranks->count;
    uint64_t sent = s->cells.send_at[ranks], total = s->own.cells + s->cells.receive_at[ranks];
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
    ooze_multigrid_pack(&s->cells, s->own.cell, packed, sizeof *packed, ranks);
    memcpy(sort.key[0], s->own.cell, s->own.cells * sizeof *s->own.cell);
    ooze_multigrid_exchange(s, &s->cells, packed, sort.key[0] + s->own.cells, sizeof *packed,
                            false);
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
    s->bytes = ooze_arena_alloc(mg->grids.kept, 2 * (ranks + 1), sizeof *s->bytes);
    s->split = ooze_arena_alloc(mg->grids.kept, ranks, sizeof *s->split);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    OozeMultigridShape groups = ooze_multigrid_coarser(&level->shape);
    OozeArenaMark mark = ooze_arena_mark(mg->grids.temporary);
    const Parcel *moved = move_particles(mg, input, mg->grids.axis, &groups);
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
