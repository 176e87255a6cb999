/* Steps of several processes. Arrays of a stage hold the own particles and ghosts of two layers of
   cells, in the order of all processes' particles, so that loops are those of one process. Springs,
   lists and the sweep of density have the order of predicted positions: particles are divided among
   processes in that order for the time of these stages. Rows of springs follow their particles, and
   particles at the other end of a spring are ghosts, however far away they are. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "methods/springs/cpu/loops.h"
#include "solvers/pairs/rank_rows.h"

static OozeStatus fail(OozeError *error, uint64_t bytes)
{
    return ooze_fail_memory(error, "the springs step", bytes);
}

/* ---- the order of the store ---- */

/* A field with its ghosts behind, in the order of all particles. */
static void *sorted_field(const OozeSpringsStep *s, const void *field, size_t size)
{
    uint64_t n = s->machine->n, below = s->below;
    char *to = field ? ooze_arena_alloc(s->machine->context->arena, s->machine->local, size) : NULL;
    const char *from = field;
    if (to) {
        memcpy(to, from + n * size, below * size);
        memcpy(to + below * size, from, n * size);
        memcpy(to + (below + n) * size, from + (n + below) * size,
               (s->machine->local - n - below) * size);
    }
    return to;
}

OozeStatus ooze_springs_load_ranks(OozeSpringsStep *s, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    OozeSpringsMemory *memory = s->memory;
    s->end.x = sorted_field(s, s->end.x, sizeof(OozeFloat4));
    s->end.u = sorted_field(s, s->end.u, sizeof(OozeFloat4));
    s->store_material = sorted_field(s, s->store_material, sizeof *s->store_material);
    s->store_id = sorted_field(s, s->store_id, sizeof *s->store_id);
    s->store_prescribed = sorted_field(s, s->store_prescribed, sizeof *s->store_prescribed);
    if (ooze_arena_failed(c->arena)) {
        return fail(error, s->machine->local * 44);
    }
    if (!s->any.viscosity) {
        return OOZE_OK;
    }
    const OozeNeighbourQuery query = {s->end.x, s->machine->local, s->end.x, c->support, true};
    OozeStatus status = ooze_grid_sort(memory->grid, c->threads, s->end.x, s->machine->local,
                                       c->support, &c->periodic, error);
    s->store_lists = &memory->store_lists;
    return status ? status
                  : ooze_neighbours_build(&memory->store_lists, memory->grid, c->threads, &query,
                                          error);
}

/* ---- the order of predicted positions ---- */

void ooze_springs_drop_ghosts(OozeSpringsStep *s)
{
    s->x0 += s->below;
    s->u += s->below;
    s->store_key += s->below;
    s->store_material += s->below;
    s->store_id += s->below;
    s->store_prescribed = s->store_prescribed ? s->store_prescribed + s->below : NULL;
}

static OozeStatus divide(OozeSpringsStep *s, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    OozeSpringsMemory *memory = s->memory;
    OozeRanks *ranks = ooze_halo_ranks(c->halo);
    memory->split.ranks = ranks;
    if (!memory->halo) {
        memory->halo = ooze_halo_create(ranks);
    }
    double *shares = ooze_arena_alloc(c->arena, (uint64_t)ranks->count + 1, sizeof *shares);
    if (!memory->halo || !shares) {
        return fail(error, 0);
    }
    ooze_halo_set_layers(memory->halo, 2);
    ooze_halo_shares(c->halo, shares);
    const OozeSplitPoints points = {(const OozeFloat4 *)s->memory->predicted, s->machine->n,
                                    c->support, &c->periodic};
    return ooze_split_find(&memory->split, c->threads, &points, shares, error);
}

typedef struct Columns {
    OozeColumn list[8];
    int count;
    OozeArena *arena;
    uint64_t n; /* elements that arrive */
} Columns;

/* Adds an array of the store, and returns the one that replaces it. */
static void *add(Columns *columns, const void *from, size_t size)
{
    void *to = from ? ooze_arena_alloc(columns->arena, columns->n, size) : NULL;
    if (from) {
        columns->list[columns->count++] = (OozeColumn){(void *)from, to, size};
    }
    return to;
}

static OozeStatus receive(OozeSpringsStep *s, OozeError *error)
{
    OozeArena *arena = s->machine->context->arena;
    Columns columns = {.arena = arena, .n = s->memory->split.after};
    s->memory->predicted = add(&columns, s->memory->predicted, sizeof *s->memory->predicted);
    s->x0 = add(&columns, s->x0, sizeof *s->x0);
    s->u = add(&columns, s->u, sizeof *s->u);
    s->row = add(&columns, s->row, sizeof *s->row);
    s->store_key = add(&columns, s->store_key, sizeof *s->store_key);
    s->store_material = add(&columns, s->store_material, sizeof *s->store_material);
    s->store_id = add(&columns, s->store_id, sizeof *s->store_id);
    s->store_prescribed = add(&columns, s->store_prescribed, sizeof *s->store_prescribed);
    s->machine->n = columns.n;
    s->end.x = ooze_arena_alloc(arena, columns.n, sizeof(OozeFloat4));
    s->end.u = ooze_arena_alloc(arena, columns.n, sizeof(OozeFloat4));
    return ooze_arena_failed(arena)
               ? fail(error, s->machine->n * 100)
               : ooze_split_move(&s->memory->split, columns.list, columns.count, error);
}

/* Place of a particle or ghost of the halo in the order of all. */
static uint32_t place_of(const OozeSpringsStep *s, uint32_t j)
{
    uint32_t n = (uint32_t)s->machine->n,
             below = (uint32_t)ooze_halo_below(s->machine->context->halo);
    return j < n ? j + below : j < n + below ? j - n : j;
}

/* Brings the rows of the particles, whose numbers of rows are `row`, and finds all ghosts. */
static OozeStatus follow(OozeSpringsStep *s, const uint32_t *row, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    OozeSpringTable *table = &s->memory->table;
    OozeLinkRows *rows = &table->rows[1];
    OozeRankRows plan;
    if (!s->any.springs) {
        return OOZE_OK;
    }
    OozeStatus status = ooze_rank_rows_find(&plan, c, table->rows[0].n, row, s->machine->n, error);
    status = status ? status : ooze_rank_rows_follow(&plan, c, &table->rows[0], rows, 1, error);
    status = status ? status : ooze_rank_rows_localize(c, rows, error);
    if (status) {
        return status;
    }
    for (uint64_t i = 0; i < s->machine->n; i++) {
        OozeLink *springs = ooze_links_of(rows, i);
        for (uint32_t k = 0; k < rows->count[i]; k++) {
            springs[k].other = place_of(s, springs[k].other);
        }
    }
    ooze_spring_table_swap(table);
    return OOZE_OK;
}

/* Sorts the particles that this process has received, and finds their ghosts. */
static OozeStatus find_ghosts(OozeSpringsStep *s, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    OozeSpringsMemory *memory = s->memory;
    OozeF32x4 *p = ooze_arena_alloc(c->arena, s->machine->n, sizeof *p);
    uint32_t *row = ooze_arena_alloc(c->arena, s->machine->n, sizeof *row);
    OozeStatus status = p && row ? ooze_grid_sort(memory->grid, c->threads,
                                                  (const OozeFloat4 *)s->memory->predicted,
                                                  s->machine->n, c->support, &c->periodic, error)
                                 : fail(error, s->machine->n * sizeof *p);
    if (status) {
        return status;
    }
    const uint32_t *sorted = ooze_grid_order(memory->grid);
    for (uint64_t k = 0; k < s->machine->n; k++) {
        p[k] = s->memory->predicted[sorted[k]];
        row[k] = s->row[sorted[k]];
    }
    status = ooze_halo_find(c->halo, &memory->split, (const OozeFloat4 *)p, error);
    status = status ? status : follow(s, row, error);
    s->machine->local = ooze_halo_local(c->halo, s->machine->n);
    s->below = ooze_halo_below(c->halo);
    uint32_t *order = ooze_arena_alloc(c->arena, s->machine->local, sizeof *order);
    if (!status && !order) {
        return fail(error, s->machine->local * sizeof *order);
    }
    for (uint64_t k = 0; k < s->machine->n && !status; k++) {
        order[s->below + k] = sorted[k];
    }
    s->order = order;
    return status;
}

OozeStatus ooze_springs_enter_ranks(OozeSpringsStep *s, OozeError *error)
{
    OozeSpringsMemory *memory = s->memory;
    OozeStatus status = divide(s, error);
    if (status) {
        return status;
    }
    memory->store_context = s->machine->context;
    memory->context = *memory->store_context;
    memory->context.halo = memory->halo;
    s->machine->context = &memory->context;
    status = receive(s, error);
    status = status ? status : find_ghosts(s, error);
    status = status ? status : ooze_springs_allocate_sorted(s, error);
    if (status) {
        return status;
    }
    OozeStepContext *c = s->machine->context;
    ooze_springs_gather(s);
    for (uint64_t k = s->below; k < s->below + s->machine->n; k++) {
        bool has = s->old_row[k] != OOZE_LINK_ROW_NONE; /* rows are those of own particles now */
        s->old_row[k] = has ? (uint32_t)(k - s->below) : OOZE_LINK_ROW_NONE;
    }
    ooze_halo_refresh_sorted(c->halo, s->p, sizeof *s->p);
    ooze_halo_refresh_sorted(c->halo, s->material, sizeof *s->material);
    ooze_halo_refresh_sorted(c->halo, s->id, sizeof *s->id);
    ooze_halo_refresh_sorted(c->halo, s->key, sizeof *s->key);
    ooze_halo_refresh_sorted(c->halo, s->prescribed, sizeof *s->prescribed);
    ooze_halo_refresh_sorted(c->halo, s->old_row, sizeof *s->old_row);
    return ooze_grid_sort(s->memory->grid, c->threads, (const OozeFloat4 *)s->p, s->machine->local,
                          c->support, &c->periodic, error);
}

OozeStatus ooze_springs_leave_ranks(OozeSpringsStep *s, OozeError *error)
{
    OozeParticles *particles = s->machine->context->particles;
    const OozeColumn columns[3] = {
        {s->end.x, ooze_particles_positions(particles), sizeof(OozeFloat4)},
        {s->end.u, ooze_particles_velocities(particles), sizeof(OozeFloat4)},
        {s->row, ooze_machine_field(s->machine, "spring_row"), sizeof *s->row}};
    s->machine->context = s->memory->store_context;
    OozeSpringTable *table = &s->memory->table;
    if (s->any.springs) { /* the rows between steps */
        OozeLinkRows rows = table->rows[0];
        table->rows[0] = s->memory->named;
        s->memory->named = rows;
    }
    return ooze_split_move_back(&s->memory->split, columns, 3, error);
}

/* ---- rows of ghosts ---- */

/* Rows of own particles whose springs name rows of all processes. */
static OozeStatus name_rows(OozeSpringsStep *s, OozeError *error)
{
    const OozeLinkRows *rows = &s->memory->table.rows[0];
    OozeLinkRows *named = &s->memory->named;
    OozeStatus status = ooze_link_rows_reserve(named, s->machine->n, error);
    for (uint64_t i = 0; i < s->machine->n && !status; i++) {
        named->count[i] = rows->count[s->below + i];
    }
    uint64_t springs = status ? 0 : ooze_link_rows_offsets(named);
    status = status ? status : ooze_link_items_reserve(named, springs, error);
    for (uint64_t i = 0; i < s->machine->n && !status; i++) {
        const OozeLink *from = ooze_links_of(rows, s->below + i);
        OozeLink *to = ooze_links_of(named, i);
        for (uint32_t k = 0; k < named->count[i]; k++) {
            to[k] = (OozeLink){(uint32_t)ooze_springs_number(s, from[k].other), from[k].rest};
        }
    }
    return status;
}

/* The row of a ghost here: springs to particles that are here. Others are longer than the support,
   or of ghosts that no swept cell has. */
static uint32_t copy_ghost_row(const OozeSpringsStep *s, uint64_t ghost, OozeLink *to)
{
    const OozeLinkRows *received = &s->memory->received;
    const OozeLink *row = ooze_links_of(received, ghost);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < received->count[ghost]; k++) {
        uint64_t at = ooze_halo_find_index(s->machine->context->halo, row[k].other);
        if (at != UINT64_MAX && row[k].rest > 0.0f) {
            to[kept++] = (OozeLink){place_of(s, (uint32_t)at), row[k].rest};
        }
    }
    return kept;
}

/* Rows of own particles and ghosts, in their order. */
static OozeStatus join_rows(OozeSpringsStep *s, OozeError *error)
{
    OozeSpringTable *table = &s->memory->table;
    const OozeLinkRows *own = &table->rows[0], *received = &s->memory->received;
    OozeLinkRows *all = &table->rows[1];
    OozeStatus status = ooze_link_rows_reserve(all, s->machine->local, error);
    uint64_t below = s->below, n = s->machine->n;
    for (uint64_t k = 0; k < s->machine->local && !status; k++) {
        bool is_own = k >= below && k < below + n;
        all->count[k] = is_own ? own->count[k] : received->count[k < below ? k : k - n];
    }
    uint64_t springs = status ? 0 : ooze_link_rows_offsets(all);
    status = status ? status : ooze_link_items_reserve(all, springs, error);
    for (uint64_t k = 0; k < s->machine->local && !status; k++) {
        OozeLink *to = ooze_links_of(all, k);
        if (k < below || k >= below + n) {
            all->count[k] = copy_ghost_row(s, k < below ? k : k - n, to);
        } else if (own->count[k] > 0) {
            memcpy(to, ooze_links_of(own, k), own->count[k] * sizeof *to);
        }
    }
    if (!status) {
        ooze_spring_table_swap(table);
    }
    return status;
}

OozeStatus ooze_springs_fetch_ghost_rows(OozeSpringsStep *s, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    uint64_t ghosts = s->machine->local - s->machine->n;
    uint32_t *wanted = ooze_arena_alloc(c->arena, ghosts, sizeof *wanted);
    OozeStatus status = wanted ? name_rows(s, error) : fail(error, ghosts * sizeof *wanted);
    OozeRankRows plan;
    for (uint64_t k = 0; k < ghosts && !status; k++) {
        wanted[k] = (uint32_t)ooze_halo_index(c->halo, s->machine->n + k);
    }
    status = status ? status : ooze_rank_rows_find(&plan, c, s->machine->n, wanted, ghosts, error);
    status = status ? status
                    : ooze_rank_rows_fetch_items(&plan, &s->memory->named, &s->memory->received, 1,
                                                 error);
    return status ? status : join_rows(s, error);
}

/* ---- springs longer than the support ---- */

/* A spring with both particles. Springs are applied in the order of these keys: cells, and within
   a cell as in a sweep. */
typedef struct LongSpring {
    OozeSpringsPoint point[2];
    uint64_t cell, key;
    uint32_t number[2]; /* of the particles, in all */
    uint32_t at;        /* in its row */
    float rest;
    uint16_t material[2];
    uint8_t prescribed[2];
} LongSpring;

static int compare_springs(const void *first, const void *second)
{
    const LongSpring *a = first, *b = second;
    int by_cell = (a->cell > b->cell) - (a->cell < b->cell);
    int by_key = (a->key > b->key) - (a->key < b->key);
    int by_number = (a->number[0] > b->number[0]) - (a->number[0] < b->number[0]);
    int by_place = (a->at > b->at) - (a->at < b->at);
    return by_cell ? by_cell : by_key ? by_key : by_number ? by_number : by_place;
}

static void set_end(const OozeSpringsStep *s, LongSpring *spring, int end, uint32_t k)
{
    spring->point[end] = s->point[k];
    spring->number[end] = (uint32_t)ooze_springs_number(s, k);
    spring->material[end] = s->material[k];
    spring->prescribed[end] = s->prescribed[k];
}

/* The springs of own rows that are longer than the support; makes their rest lengths positive. */
static void list_long(OozeSpringsStep *s, LongSpring *list)
{
    const OozeGridAxis *axis = s->memory->split.axis;
    OozeLinkRows *named = &s->memory->named;
    for (uint64_t i = 0; i < s->machine->n; i++) {
        OozeLink *row = ooze_links_of(named, i);
        uint32_t k = (uint32_t)(i + s->below);
        const OozeLink *local = ooze_links_of(&s->memory->table.rows[0], k);
        for (uint32_t e = 0; e < named->count[i]; e++) {
            if (row[e].rest < 0.0f) {
                row[e].rest = -row[e].rest;
                memset(list, 0, sizeof *list);
                list->cell = ooze_split_key(axis, ooze_grid_number(&axis[0], s->p[k][0]),
                                            ooze_grid_number(&axis[1], s->p[k][1]),
                                            ooze_grid_number(&axis[2], s->p[k][2]));
                list->key = s->key[k];
                list->at = e;
                list->rest = row[e].rest;
                set_end(s, list, 0, k);
                set_end(s, list, 1, local[e].other);
                list++;
            }
        }
    }
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static uint32_t find_number(const uint32_t *numbers, uint32_t count, uint32_t number)
{
    return (uint32_t)((const uint32_t *)bsearch(&number, numbers, count, sizeof number,
                                                compare_numbers) -
                      numbers);
}

/* The particles of long springs, as a step of their own. */
typedef struct LongStep {
    OozeSpringsStep s;
    uint32_t *number;
    uint32_t count;
} LongStep;

static OozeStatus begin_long(LongStep *l, const OozeSpringsStep *s, const LongSpring *list,
                             uint64_t springs, OozeError *error)
{
    OozeArena *arena = s->machine->context->arena;
    l->s = *s;
    l->number = ooze_arena_alloc(arena, 2 * springs, sizeof *l->number);
    l->s.point = ooze_arena_alloc(arena, 2 * springs, sizeof *l->s.point);
    l->s.material = ooze_arena_alloc(arena, 2 * springs, sizeof *l->s.material);
    l->s.prescribed = ooze_arena_alloc(arena, 2 * springs, sizeof *l->s.prescribed);
    if (ooze_arena_failed(arena)) {
        return fail(error, 2 * springs * sizeof *l->s.point);
    }
    for (uint64_t k = 0; k < 2 * springs; k++) {
        l->number[k] = list[k / 2].number[k % 2];
    }
    qsort(l->number, 2 * springs, sizeof *l->number, compare_numbers);
    l->count = 0;
    for (uint64_t k = 0; k < 2 * springs; k++) {
        if (k == 0 || l->number[k] != l->number[k - 1]) {
            l->number[l->count++] = l->number[k];
        }
    }
    for (uint64_t k = 0; k < 2 * springs; k++) {
        const LongSpring *spring = &list[k / 2];
        uint32_t at = find_number(l->number, l->count, spring->number[k % 2]);
        l->s.point[at] = spring->point[k % 2];
        l->s.material[at] = spring->material[k % 2];
        l->s.prescribed[at] = spring->prescribed[k % 2];
    }
    return OOZE_OK;
}

/* Applies the springs of all processes, one after the other, on every process. */
static OozeStatus apply_long(OozeSpringsStep *s, LongSpring *list, uint64_t springs,
                             OozeError *error)
{
    LongStep l = {.count = 0};
    OozeStatus status = begin_long(&l, s, list, springs, error);
    if (status) {
        return status;
    }
    qsort(list, springs, sizeof *list, compare_springs);
    for (uint64_t k = 0; k < springs; k++) {
        uint32_t i = find_number(l.number, l.count, list[k].number[0]),
                 j = find_number(l.number, l.count, list[k].number[1]);
        OozeF32x4 d = ooze_f32x4_nearest(l.s.point[j].x - l.s.point[i].x, &s->periodic);
        ooze_springs_displace_pair(&l.s, i, j, list[k].rest, d, true);
    }
    for (uint32_t k = 0; k < l.count; k++) {
        uint64_t at = ooze_halo_find_index(s->machine->context->halo, l.number[k]);
        if (at != UINT64_MAX) {
            s->point[place_of(s, (uint32_t)at)] = l.s.point[k];
        }
    }
    return OOZE_OK;
}

OozeStatus ooze_springs_apply_long_on_ranks(OozeSpringsStep *s, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    OozeHaloList list = {.size = sizeof(LongSpring)};
    for (uint64_t k = s->below; k < s->below + s->machine->n; k++) {
        list.count += s->long_count[k];
    }
    if (!ooze_halo_any(c->halo, list.count > 0)) {
        return OOZE_OK;
    }
    LongSpring *own = ooze_arena_alloc(c->arena, list.count, sizeof *own);
    if (!own) {
        return fail(error, list.count * sizeof *own);
    }
    list_long(s, own);
    list.own = own;
    OozeStatus status = ooze_halo_gather_list(c->halo, c->arena, &list, error);
    return status ? status : apply_long(s, list.all, list.total, error);
}

/* ---- dynamic solids ---- */

OozeStatus ooze_springs_gather_near(OozeSpringsStep *s, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    OozeHaloList list = {
        .own = s->near_motion, .count = s->own_near_count, .size = sizeof *s->near_motion};
    OozeStatus status = ooze_halo_gather_list(c->halo, c->arena, &list, error);
    s->near_motion = list.all;
    s->near_count = list.total;
    s->near_first = list.first;
    return status;
}
