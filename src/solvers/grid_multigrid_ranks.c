#include "solvers/grid_multigrid_ranks.h"

#include <float.h>
#include <string.h>

#include "particles/split.h"
#include "solvers/grid_cells.h"

enum {
    PARTICLE_GRAIN = 4096,
    REACH = 2,              /* of ghost cells, in groups */
    AROUND = 2 * REACH + 1, /* groups along an axis */
    ELEMENT_FLOATS = 64,    /* of a cell */
    CORNERS = 8
};

static bool failed(const OozeGridMultigrid *mg)
{
    return ooze_arena_failed(mg->kept) || ooze_arena_failed(mg->temporary);
}

/* ---- messages ---- */

static bool allocate_message(OozeArena *arena, OozeMultigridMessage *message, uint64_t ranks,
                             uint64_t count)
{
    message->index = ooze_arena_alloc(arena, count, sizeof *message->index);
    message->send_at = ooze_arena_alloc(arena, ranks + 1, sizeof *message->send_at);
    message->receive_at = ooze_arena_alloc(arena, ranks + 1, sizeof *message->receive_at);
    return message->index && message->send_at && message->receive_at;
}

/* Exchanges elements; `back`: from the processes that have received them. */
static void exchange(const struct OozeMultigridShared *s, const OozeMultigridMessage *message,
                     const void *from, void *to, size_t size, bool back)
{
    int ranks = s->ranks->count;
    uint64_t *send = s->bytes, *receive = send + ranks + 1;
    for (int r = 0; r <= ranks; r++) {
        send[r] = (back ? message->receive_at[r] : message->send_at[r]) * size;
        receive[r] = (back ? message->send_at[r] : message->receive_at[r]) * size;
    }
    s->ranks->exchange(s->ranks, from, send, to, receive);
}

static void pack(const OozeMultigridMessage *message, const void *from, void *to, size_t size,
                 int ranks)
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

/* The last of `count` ranks whose `first` is not above a number. */
static int find_rank(const uint64_t *first, int count, uint64_t number)
{
    int low = 0, high = count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        low = first[middle] <= number ? middle : low;
        high = first[middle] <= number ? high : middle;
    }
    return low;
}

static int owner_of(const struct OozeMultigridShared *s, uint64_t group)
{
    return find_rank(s->split, s->ranks->count, group);
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

/* The axes over the particles of all processes. */
static void find_axes(const OozeGridMultigridInput *input, OozeMultigridAxis axis[3])
{
    OozeF32x4 box[2] = {ooze_f32x4_splat(FLT_MAX), ooze_f32x4_splat(-FLT_MAX)};
    double bounds[6];
    for (uint64_t i = 0; i < input->n; i++) {
        box[0] = ooze_f32x4_min(input->x[i], box[0]);
        box[1] = ooze_f32x4_max(input->x[i], box[1]);
    }
    for (int k = 0; k < 3; k++) {
        bounds[k] = -(double)box[0][k];
        bounds[3 + k] = (double)box[1][k];
    }
    ooze_halo_max(input->halo, bounds, 6);
    for (int k = 0; k < 3; k++) {
        box[0][k] = (float)-bounds[k];
        box[1][k] = (float)bounds[3 + k];
    }
    ooze_grid_find_axes(box, 2, input->spacing, input->periodic, NULL, axis);
}

/* Sends the particles to the processes of their cells; returns them, in the order of all. */
static Parcel *move_particles(OozeGridMultigrid *mg, const OozeGridMultigridInput *input,
                              const OozeMultigridAxis *axis, const OozeMultigridShape *groups)
{
    struct OozeMultigridShared *s = mg->shared;
    const OozeMultigridShape *shape = &mg->level[0].shape;
    int ranks = s->ranks->count;
    Parcel *parcel = ooze_arena_alloc(mg->temporary, mg->n, sizeof *parcel);
    Parcel *packed = ooze_arena_alloc(mg->temporary, mg->n, sizeof *packed);
    uint32_t *owner = ooze_arena_alloc(mg->temporary, mg->n, sizeof *owner);
    if (!allocate_message(mg->kept, &s->move, (uint64_t)ranks, mg->n) || failed(mg)) {
        return NULL;
    }
    Parcels job = {input, axis, shape, parcel};
    uint8_t place;
    ooze_parallel_for(mg->threads, mg->n, PARTICLE_GRAIN, fill_parcels, &job);
    split_groups(s,
                 mg->n ? ooze_multigrid_parent(shape, groups, parcel[0].cell, &place) : UINT64_MAX);
    memset(s->move.send_at, 0, ((size_t)ranks + 1) * sizeof *s->move.send_at);
    for (uint64_t i = 0; i < mg->n; i++) {
        owner[i] =
            (uint32_t)owner_of(s, ooze_multigrid_parent(shape, groups, parcel[i].cell, &place));
        s->move.send_at[owner[i] + 1]++;
    }
    count_message(s, &s->move);
    for (uint64_t i = 0; i < mg->n; i++) {
        s->move.index[s->move.send_at[owner[i]]++] = (uint32_t)i;
    }
    for (int r = ranks; r > 0; r--) { /* listing has moved the beginnings to the ends */
        s->move.send_at[r] = s->move.send_at[r - 1];
    }
    s->move.send_at[0] = 0;
    pack(&s->move, parcel, packed, sizeof *packed, ranks);
    Parcel *moved = ooze_arena_alloc(mg->temporary, s->move.receive_at[ranks], sizeof *moved);
    if (moved) {
        exchange(s, &s->move, packed, moved, sizeof *moved, false);
    }
    return moved;
}

/* Cells of this process, and the particles in them. */
static void find_own_cells(OozeGridMultigrid *mg, const Parcel *moved)
{
    struct OozeMultigridShared *s = mg->shared;
    uint64_t count = s->move.receive_at[s->ranks->count];
    OozeKeySort sort;
    ooze_key_sort_alloc(&sort, mg->temporary, count);
    s->own.child = ooze_arena_alloc(mg->kept, count, sizeof *s->own.child);
    s->stiffness = ooze_arena_alloc(mg->kept, count, sizeof(float));
    s->mass = ooze_arena_alloc(mg->kept, count, sizeof(float));
    s->here = ooze_arena_alloc(mg->kept, count, sizeof(float));
    s->there = ooze_arena_alloc(mg->kept, mg->n, sizeof(float));
    mg->into = ooze_arena_alloc(mg->kept, count, sizeof *mg->into);
    if (failed(mg)) {
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        sort.key[0][i] = moved[i].cell;
        sort.value[0][i] = (uint32_t)i;
        s->stiffness[i] = moved[i].stiffness;
        s->mass[i] = moved[i].mass;
    }
    ooze_key_sort(&sort, mg->threads, count, ooze_multigrid_bits(mg->level[0].shape.cells));
    OozeGridGroups groups = ooze_grid_groups(mg->kept, mg->temporary, &sort, count);
    if (failed(mg)) {
        return;
    }
    memcpy(s->own.child, sort.value[0], count * sizeof *s->own.child);
    for (uint64_t i = 0; i < count; i++) {
        const float *into = moved[s->own.child[i]].into;
        mg->into[i] = ooze_f32x4(into[0], into[1], into[2], 0.0f);
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
static void find_takers(const struct OozeMultigridShared *s, const OozeMultigridShape *groups,
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
   along x, so that most of them ask for the takers of the cell before. */
static void visit_cells(const OozeGridMultigrid *mg, const OozeMultigridShape *groups,
                        uint8_t *takes, bool list)
{
    struct OozeMultigridShared *s = mg->shared;
    bool few = s->all_cells <= OOZE_MULTIGRID_DENSE; /* all processes need all of them */
    uint64_t last = UINT64_MAX;
    for (uint64_t c = 0; c < s->own.cells; c++) {
        uint8_t place;
        uint64_t group = ooze_multigrid_parent(&mg->level[0].shape, groups, s->own.cell[c], &place);
        if (group != last) {
            find_takers(s, groups, group, takes);
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
    uint8_t *takes = ooze_arena_alloc(mg->temporary, (uint64_t)ranks, 1);
    uint64_t *send_at = ooze_arena_alloc(mg->temporary, (uint64_t)ranks + 1, sizeof *send_at);
    s->all_cells = s->own.cells;
    s->ranks->sum(s->ranks, &s->all_cells, 1);
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
    if (!allocate_message(mg->kept, &s->cells, (uint64_t)ranks, total)) {
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
    OozeMultigridLevel *level = &mg->level[0];
    int ranks = s->ranks->count;
    uint64_t sent = s->cells.send_at[ranks], total = s->own.cells + s->cells.receive_at[ranks];
    OozeKeySort sort;
    ooze_key_sort_alloc(&sort, mg->temporary, total);
    uint64_t *packed = ooze_arena_alloc(mg->temporary, sent, sizeof *packed);
    level->cell = ooze_arena_alloc(mg->kept, total, sizeof *level->cell);
    s->place = ooze_arena_alloc(mg->kept, total, sizeof *s->place);
    s->sums = ooze_arena_alloc(mg->kept, CORNERS * total, sizeof *s->sums);
    s->sent_sums = ooze_arena_alloc(mg->kept, CORNERS * sent, sizeof *s->sent_sums);
    if (failed(mg)) {
        return;
    }
    pack(&s->cells, s->own.cell, packed, sizeof *packed, ranks);
    memcpy(sort.key[0], s->own.cell, s->own.cells * sizeof *s->own.cell);
    exchange(s, &s->cells, packed, sort.key[0] + s->own.cells, sizeof *packed, false);
    for (uint64_t c = 0; c < total; c++) {
        sort.value[0][c] = (uint32_t)c;
    }
    ooze_key_sort(&sort, mg->threads, total, ooze_multigrid_bits(level->shape.cells));
    level->cells = total;
    for (uint64_t c = 0; c < total; c++) {
        level->cell[c] = sort.key[0][c];
        s->place[sort.value[0][c]] = (uint32_t)c;
    }
}

void ooze_multigrid_share(OozeGridMultigrid *mg, const OozeGridMultigridInput *input)
{
    OozeMultigridLevel *level = &mg->level[0];
    OozeMultigridAxis axis[3];
    struct OozeMultigridShared *s = mg->shared = ooze_arena_alloc(mg->kept, 1, sizeof *s);
    if (!s) {
        return;
    }
    *s = (struct OozeMultigridShared){.halo = input->halo, .ranks = ooze_halo_ranks(input->halo)};
    uint64_t ranks = (uint64_t)s->ranks->count;
    s->bytes = ooze_arena_alloc(mg->kept, 2 * (ranks + 1), sizeof *s->bytes);
    s->split = ooze_arena_alloc(mg->kept, ranks, sizeof *s->split);
    if (failed(mg)) {
        return;
    }
    find_axes(input, axis);
    const int32_t cells[3] = {axis[0].cells, axis[1].cells, axis[2].cells};
    const bool wraps[3] = {axis[0].wraps, axis[1].wraps, axis[2].wraps};
    level->shape = ooze_multigrid_shape(cells, wraps);
    OozeMultigridShape groups = ooze_multigrid_coarser(&level->shape);
    for (int k = 0; k < 3; k++) {
        mg->inverse[k] = (float)axis[k].inverse;
    }
    OozeArenaMark mark = ooze_arena_mark(mg->temporary);
    const Parcel *moved = move_particles(mg, input, axis, &groups);
    if (moved) {
        find_own_cells(mg, moved);
    }
    if (!failed(mg)) {
        list_ghost_cells(mg, &groups);
    }
    if (!failed(mg)) {
        merge_cells(mg);
    }
    ooze_arena_rewind(mg->temporary, mark);
}

/* ---- the second level ---- */

static uint32_t find_cell(const OozeMultigridLevel *level, uint64_t number)
{
    uint64_t low = 0, size = level->cells;
    while (size > 0) {
        uint64_t half = size / 2;
        low += level->cell[low + half] < number ? size - half : 0;
        size = half;
    }
    bool found = low < level->cells && level->cell[low] == number;
    return found ? (uint32_t)low : OOZE_MULTIGRID_NONE;
}

/* Numbers of the parents of the own cells that are not isolated, then of all processes: those of a
   process are behind those of the ones before it. */
static void gather_parents(OozeGridMultigrid *mg)
{
    struct OozeMultigridShared *s = mg->shared;
    const OozeMultigridLevel *fine = &mg->level[0];
    OozeMultigridLevel *coarse = &mg->level[1];
    OozeKeySort sort;
    uint64_t count = 0;
    uint8_t place;
    OozeHaloList list = {.size = sizeof *coarse->cell};
    ooze_key_sort_alloc(&sort, mg->temporary, s->own.cells);
    s->coarse_first = ooze_arena_alloc(mg->kept, (uint64_t)s->ranks->count + 1, sizeof count);
    if (failed(mg)) {
        return;
    }
    for (uint64_t c = 0; c < s->own.cells; c++) {
        if (!ooze_multigrid_is_isolated(fine, s->place[c])) {
            sort.key[0][count++] =
                ooze_multigrid_parent(&fine->shape, &coarse->shape, s->own.cell[c], &place);
        }
    }
    ooze_key_sort(&sort, mg->threads, count, ooze_multigrid_bits(coarse->shape.cells));
    OozeGridGroups groups = ooze_grid_groups(mg->kept, mg->temporary, &sort, count);
    if (failed(mg)) {
        return;
    }
    list.own = groups.number;
    list.count = groups.count;
    s->ranks->gather(s->ranks, &list.count, sizeof list.count, s->coarse_first + 1);
    s->coarse_first[0] = 0;
    for (int r = 0; r < s->ranks->count; r++) {
        s->coarse_first[r + 1] += s->coarse_first[r];
    }
    if (ooze_halo_gather_list(s->halo, mg->kept, &list, NULL) == OOZE_OK) {
        coarse->cell = (uint64_t *)list.all;
        coarse->cells = list.total;
    }
}

void ooze_multigrid_share_coarser(OozeGridMultigrid *mg)
{
    OozeMultigridLevel *fine = &mg->level[0], *coarse = &mg->level[1];
    coarse->shape = ooze_multigrid_coarser(&fine->shape);
    gather_parents(mg);
    coarse->child = ooze_arena_alloc(mg->kept, fine->cells, sizeof *coarse->child);
    coarse->child_first =
        ooze_arena_alloc(mg->kept, coarse->cells + 2, sizeof *coarse->child_first);
    fine->parent = ooze_arena_alloc(mg->kept, fine->cells, sizeof *fine->parent);
    fine->place = ooze_arena_alloc(mg->kept, fine->cells, sizeof *fine->place);
    if (failed(mg)) {
        return;
    }
    uint32_t *first = coarse->child_first;
    memset(first, 0, (coarse->cells + 2) * sizeof *first);
    for (uint64_t c = 0; c < fine->cells; c++) {
        uint64_t parent =
            ooze_multigrid_parent(&fine->shape, &coarse->shape, fine->cell[c], &fine->place[c]);
        bool isolated = ooze_multigrid_is_isolated(fine, c);
        fine->parent[c] = isolated ? OOZE_MULTIGRID_NONE : find_cell(coarse, parent);
        if (fine->parent[c] != OOZE_MULTIGRID_NONE) {
            first[fine->parent[c] + 2]++;
        }
    }
    for (uint64_t p = 0; p < coarse->cells; p++) {
        first[p + 2] += first[p + 1];
    }
    for (uint64_t c = 0; c < fine->cells; c++) { /* moves first[p + 1] to the end of p */
        if (fine->parent[c] != OOZE_MULTIGRID_NONE) {
            coarse->child[first[fine->parent[c] + 1]++] = (uint32_t)c;
        }
    }
}

/* The process of a node of the second level: that of the first of its cells. */
static int rank_of_node(const OozeGridMultigrid *mg, uint64_t node)
{
    const struct OozeMultigridShared *s = mg->shared;
    const OozeMultigridLevel *coarse = &mg->level[1];
    uint64_t cell = coarse->node_corner[coarse->node_first[node]] / CORNERS;
    return find_rank(s->coarse_first, s->ranks->count, cell);
}

void ooze_multigrid_share_nodes(OozeGridMultigrid *mg)
{
    struct OozeMultigridShared *s = mg->shared;
    uint64_t nodes = mg->levels > 1 ? mg->level[1].nodes : 0, ranks = (uint64_t)s->ranks->count;
    s->own.corner_node =
        ooze_arena_alloc(mg->kept, CORNERS * s->own.cells, sizeof *s->own.corner_node);
    s->coarse_node = ooze_arena_alloc(mg->kept, nodes, sizeof *s->coarse_node);
    s->node_first = ooze_arena_alloc(mg->kept, ranks + 2, sizeof *s->node_first);
    s->own_b = ooze_arena_alloc(mg->kept, nodes, sizeof *s->own_b);
    s->all_b = ooze_arena_alloc(mg->kept, nodes, sizeof *s->all_b);
    if (failed(mg)) {
        return;
    }
    for (uint64_t c = 0; c < s->own.cells; c++) {
        memcpy(s->own.corner_node + CORNERS * c,
               mg->level[0].corner_node + CORNERS * (uint64_t)s->place[c],
               CORNERS * sizeof *s->own.corner_node);
    }
    memset(s->node_first, 0, (ranks + 2) * sizeof *s->node_first);
    for (uint64_t i = 0; i < nodes; i++) {
        s->node_first[rank_of_node(mg, i) + 2]++;
    }
    for (uint64_t r = 0; r < ranks; r++) {
        s->node_first[r + 2] += s->node_first[r + 1];
    }
    for (uint64_t i = 0; i < nodes; i++) {
        s->coarse_node[s->node_first[rank_of_node(mg, i) + 1]++] = (uint32_t)i;
    }
}

/* ---- element matrices ---- */

void ooze_multigrid_share_elements(OozeGridMultigrid *mg)
{
    struct OozeMultigridShared *s = mg->shared;
    OozeMultigridLevel *level = &mg->level[0];
    const size_t bytes = ELEMENT_FLOATS * sizeof(float);
    uint64_t sent = s->cells.send_at[s->ranks->count];
    float *packed = ooze_arena_alloc(mg->temporary, sent, bytes);
    s->own.elements = ooze_arena_alloc(mg->temporary, level->cells, bytes);
    if (failed(mg)) {
        return;
    }
    OozeMultigridSweep sweep = {
        .mg = mg, .level = &s->own, .stiffness = s->stiffness, .mass = s->mass};
    ooze_parallel_for(mg->threads, s->own.cells, OOZE_MULTIGRID_CELL_GRAIN,
                      ooze_multigrid_loops()->elements, &sweep);
    pack(&s->cells, s->own.elements, packed, bytes, s->ranks->count);
    exchange(s, &s->cells, packed, s->own.elements + ELEMENT_FLOATS * s->own.cells, bytes, false);
    for (uint64_t c = 0; c < level->cells; c++) {
        memcpy(level->elements + ELEMENT_FLOATS * (uint64_t)s->place[c],
               s->own.elements + ELEMENT_FLOATS * c, bytes);
    }
}

void ooze_multigrid_share_coarse_elements(OozeGridMultigrid *mg)
{
    struct OozeMultigridShared *s = mg->shared;
    OozeMultigridLevel part = mg->level[1];
    uint64_t first = s->coarse_first[s->ranks->rank];
    part.cells = s->coarse_first[s->ranks->rank + 1] - first;
    part.child_first += first;
    part.elements = ooze_arena_alloc(mg->temporary, ELEMENT_FLOATS * part.cells, sizeof(float));
    if (failed(mg)) {
        return;
    }
    OozeMultigridSweep sweep = {.mg = mg, .level = &part, .fine = &mg->level[0]};
    ooze_parallel_for(mg->threads, part.cells, OOZE_MULTIGRID_CELL_GRAIN,
                      ooze_multigrid_loops()->coarse_elements, &sweep);
    for (int r = 0; r < s->ranks->count; r++) {
        s->bytes[r] =
            (s->coarse_first[r + 1] - s->coarse_first[r]) * ELEMENT_FLOATS * sizeof(float);
    }
    s->ranks->gather_varied(s->ranks, part.elements, s->bytes, mg->level[1].elements);
}

/* ---- a correction ---- */

void ooze_multigrid_shared_restrict(const OozeGridMultigrid *mg, const float *r)
{
    const struct OozeMultigridShared *s = mg->shared;
    const size_t bytes = CORNERS * sizeof(float);
    int ranks = s->ranks->count;
    pack(&s->move, r, s->there, sizeof *r, ranks);
    exchange(s, &s->move, s->there, s->here, sizeof *r, false);
    OozeMultigridSweep sweep = {.mg = mg, .level = &s->own, .from = s->here, .to = s->sums};
    ooze_parallel_for(mg->threads, s->own.cells, OOZE_MULTIGRID_CELL_GRAIN,
                      ooze_multigrid_loops()->restricts, &sweep);
    pack(&s->cells, s->sums, s->sent_sums, bytes, ranks);
    exchange(s, &s->cells, s->sent_sums, s->sums + CORNERS * s->own.cells, bytes, false);
    for (uint64_t c = 0; c < mg->level[0].cells; c++) {
        memcpy(mg->corner_sums + CORNERS * (uint64_t)s->place[c], s->sums + CORNERS * c, bytes);
    }
}

static void right_side_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeGridMultigrid *mg = data;
    const struct OozeMultigridShared *s = mg->shared;
    const uint32_t *node = s->coarse_node + s->node_first[s->ranks->rank];
    for (uint64_t k = begin; k < end; k++) {
        s->own_b[k] = ooze_multigrid_restricted(&mg->level[1], node[k], mg->level[0].r);
    }
}

void ooze_multigrid_shared_right_side(const OozeGridMultigrid *mg)
{
    const struct OozeMultigridShared *s = mg->shared;
    const uint64_t *first = s->node_first;
    int me = s->ranks->rank, ranks = s->ranks->count;
    ooze_parallel_for(mg->threads, first[me + 1] - first[me], OOZE_MULTIGRID_NODE_GRAIN,
                      right_side_range, (void *)mg);
    for (int r = 0; r < ranks; r++) {
        s->bytes[r] = (first[r + 1] - first[r]) * sizeof(float);
    }
    s->ranks->gather_varied(s->ranks, s->own_b, s->bytes, s->all_b);
    for (uint64_t k = 0; k < mg->level[1].nodes; k++) {
        mg->level[1].b[s->coarse_node[k]] = s->all_b[k];
    }
}

void ooze_multigrid_shared_prolong(const OozeGridMultigrid *mg, const float *x, float *z)
{
    const struct OozeMultigridShared *s = mg->shared;
    uint64_t count = s->move.receive_at[s->ranks->count];
    for (uint64_t i = 0; i < count; i++) {
        s->here[i] = -0.0f; /* -0 + x is x, also where x is 0 or -0 */
    }
    OozeMultigridSweep sweep = {.mg = mg, .level = &s->own, .from = x, .to = s->here};
    ooze_parallel_for(mg->threads, s->own.cells, OOZE_MULTIGRID_CELL_GRAIN,
                      ooze_multigrid_loops()->prolongs, &sweep);
    exchange(s, &s->move, s->here, s->there, sizeof *z, true);
    for (uint64_t k = 0; k < mg->n; k++) {
        z[s->move.index[k]] += s->there[k];
    }
}
