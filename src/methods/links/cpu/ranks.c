/* Steps of several processes. Lists, links and iterations have the order of predicted positions:
   particles are divided among processes in that order for the time of these stages, so that rows
   and sums have the order of one process. Rows follow their particles, and particles at the other
   end of a link are ghosts, however far away they are. */
#include <string.h>

#include "base/fail.h"
#include "methods/links/cpu/loops.h"
#include "solvers/pairs/rank_rows.h"

static void add(OozeColumn *columns, int *count, void *from, void *to, size_t size)
{
    columns[(*count)++] = (OozeColumn){from, to, size};
}

static OozeStatus divide(OozeLinksStep *s, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    OozeLinksMemory *memory = s->memory;
    OozeRanks *ranks = ooze_halo_ranks(c->halo);
    memory->split.ranks = ranks;
    memory->halo = memory->halo ? memory->halo : ooze_halo_create(ranks);
    double *shares = ooze_arena_alloc(c->arena, (uint64_t)ranks->count + 1, sizeof *shares);
    if (!memory->halo || !shares) {
        return ooze_fail_memory(error, "the links step", 0);
    }
    ooze_halo_shares(c->halo, shares);
    const OozeSplitPoints points = {(const OozeFloat4 *)s->change, s->machine->n, c->support,
                                    &c->periodic};
    return ooze_split_find(&memory->split, c->threads, &points, shares, error);
}

/* Brings the rows of the particles, whose numbers of rows are `row`, and finds all ghosts. */
static OozeStatus follow(OozeLinksStep *s, const uint32_t *row, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    OozeLinkTable *table = &s->memory->table;
    OozeRankRows plan;
    if (!s->k.linked) {
        return OOZE_OK;
    }
    OozeStatus status =
        ooze_rank_rows_find(&plan, c, ooze_link_table_rows(table), row, s->machine->n, error);
    status =
        status ? status : ooze_rank_rows_follow(&plan, c, &table->far[0], &table->far[1], 4, error);
    status = status
                 ? status
                 : ooze_rank_rows_fetch_items(&plan, &table->walls[0], &table->walls[1], 4, error);
    status = status ? status : ooze_rank_rows_localize(c, &table->far[1], error);
    if (!status) {
        ooze_link_table_swap(table);
        table->near[0].n = 0;
        for (uint64_t i = 0; i < s->machine->n; i++) {
            ooze_link_fill_up(ooze_links_of(&table->far[0], i), table->far[0].count[i],
                              (uint32_t)ooze_halo_local(c->halo, s->machine->n));
        }
    }
    return status;
}

/* Sorts the particles that this process has received, and finds their ghosts. */
static OozeStatus find_ghosts(OozeLinksStep *s, const OozeLinksStep *received, OozeError *error)
{
    const OozeStepContext *c = s->machine->context;
    OozeGrid *grid = s->memory->grid;
    uint32_t *order = ooze_arena_alloc(c->arena, s->machine->n, sizeof *order);
    OozeF32x4 *x = ooze_arena_alloc(c->arena, s->machine->n, sizeof *x);
    uint32_t *row = ooze_arena_alloc(c->arena, s->machine->n, sizeof *row);
    OozeStatus status = order && x && row
                            ? ooze_grid_sort(grid, c->threads, (const OozeFloat4 *)received->x,
                                             s->machine->n, c->support, &c->periodic, error)
                            : ooze_fail_memory(error, "the links step", s->machine->n * sizeof *x);
    if (status) {
        return status;
    }
    memcpy(order, ooze_grid_order(grid), s->machine->n * sizeof *order);
    for (uint64_t k = 0; k < s->machine->n; k++) {
        x[k] = received->x[order[k]];
        row[k] = received->old_row[order[k]];
    }
    s->order = order;
    status = ooze_halo_find(c->halo, &s->memory->split, (const OozeFloat4 *)x, error);
    status = status ? status : follow(s, row, error);
    s->machine->local = ooze_halo_local(c->halo, s->machine->n);
    s->below = (uint32_t)ooze_halo_below(c->halo);
    return status;
}

static OozeStatus receive(OozeLinksStep *s, const OozeLinksStep *store, OozeError *error)
{
    OozeArena *arena = s->machine->context->arena;
    const uint64_t n = s->machine->n;
    s->x0 = ooze_arena_alloc(arena, n, sizeof *s->x0);
    s->u = ooze_arena_alloc(arena, n, sizeof *s->u);
    s->change = ooze_arena_alloc(arena, n, sizeof *s->change);
    s->row = ooze_arena_alloc(arena, n, sizeof *s->row);
    s->end.x = ooze_arena_alloc(arena, n, sizeof(OozeFloat4));
    s->end.u = ooze_arena_alloc(arena, n, sizeof(OozeFloat4));
    OozeStatus status = ooze_links_allocate_sorted(s, error);
    if (status) {
        return status;
    }
    OozeColumn columns[9];
    int count = 0;
    add(columns, &count, store->x, s->x, sizeof *s->x);
    add(columns, &count, store->x0, s->x0, sizeof *s->x0);
    add(columns, &count, store->u, s->u, sizeof *s->u);
    add(columns, &count, store->inverse_mass, s->inverse_mass, sizeof *s->inverse_mass);
    add(columns, &count, store->effective_inverse_mass, s->effective_inverse_mass,
        sizeof *s->effective_inverse_mass);
    add(columns, &count, store->extension, s->extension, sizeof *s->extension);
    add(columns, &count, store->is_elastic, s->is_elastic, sizeof *s->is_elastic);
    add(columns, &count, store->old_row, s->old_row, sizeof *s->old_row);
    add(columns, &count, store->material, s->material, sizeof *s->material);
    return ooze_split_move(&s->memory->split, columns, count, error);
}

/* Fills the arrays in the order of predicted positions. */
static void sort_received(OozeLinksStep *s, const OozeLinksStep *received)
{
    for (uint64_t k = 0; k < s->machine->n; k++) {
        uint32_t i = s->order[k];
        s->x[k] = received->x[i];
        s->shift[k] = ooze_f32x4(0, 0, 0, 0);
        s->inverse_mass[k] = received->inverse_mass[i];
        s->effective_inverse_mass[k] = received->effective_inverse_mass[i];
        s->extension[k] = received->extension[i];
        s->is_elastic[k] = received->is_elastic[i];
        s->material[k] = received->material[i];
        s->is_new[k] = received->old_row[i] == OOZE_LINK_ROW_NONE;
        s->old_row[k] = s->is_new[k] ? OOZE_LINK_ROW_NONE : (uint32_t)k; /* see follow */
    }
    OozeHalo *halo = s->machine->context->halo;
    ooze_halo_refresh(halo, s->x, sizeof *s->x);
    ooze_halo_refresh(halo, s->inverse_mass, sizeof *s->inverse_mass);
    ooze_halo_refresh(halo, s->effective_inverse_mass, sizeof *s->effective_inverse_mass);
    ooze_halo_refresh(halo, s->extension, sizeof *s->extension);
    ooze_halo_refresh(halo, s->is_elastic, sizeof *s->is_elastic);
    ooze_halo_refresh(halo, s->is_new, sizeof *s->is_new);
    ooze_halo_refresh(halo, s->material, sizeof *s->material);
}

OozeStatus ooze_links_enter_ranks(OozeLinksStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    OozeLinksMemory *memory = s->memory;
    OozeStatus status = divide(s, error);
    uint32_t *order = ooze_arena_alloc(machine->context->arena, machine->n, sizeof *order);
    status = status || order ? status : ooze_fail_memory(error, "the links step", machine->n * 4);
    status = status ? status : ooze_links_allocate_sorted(s, error);
    if (status) {
        return status;
    }
    for (uint64_t i = 0; i < machine->n; i++) {
        order[i] = (uint32_t)i;
    }
    s->order = order;
    ooze_links_gather(s);
    const OozeLinksStep store = *s;
    memory->store_context = machine->context;
    memory->context = *memory->store_context;
    memory->context.halo = memory->halo;
    machine->context = &memory->context;
    machine->n = machine->local = memory->split.after;
    status = receive(s, &store, error);
    const OozeLinksStep received = *s;
    status = status ? status : find_ghosts(s, &received, error);
    status = status ? status : ooze_links_allocate_sorted(s, error);
    if (!status) {
        sort_received(s, &received);
    }
    return status;
}

/* ---- back ---- */

/* All links of row i, which name rows of all processes; returns their number. `to` NULL: only
   counts. */
static uint32_t merge_row(const OozeLinksStep *s, uint64_t i, OozeLink *to)
{
    const OozeLinkTable *table = &s->memory->table;
    const OozeNeighbours *near = &table->near[0];
    const OozeHalo *halo = s->machine->context->halo;
    const OozeLink *far = ooze_links_of(&table->far[0], i), *last = far + table->far[0].count[i];
    uint64_t e = near->first[i], end = e + near->count[i];
    uint32_t count = 0;
    while (e < end || far < last) {
        if (e < end && !(table->rest[0].values[e] < OOZE_LINKS_NO_LINK)) {
            e++;
            continue;
        }
        bool is_near = e < end && (far == last || ooze_links_place(s, near->index[e]) <
                                                      ooze_links_place(s, far->other));
        if (to) {
            to[count] = is_near ? (OozeLink){near->index[e], table->rest[0].values[e]} : *far;
            to[count].other = (uint32_t)ooze_halo_index(halo, to[count].other);
        }
        e += is_near;
        far += !is_near;
        count++;
    }
    return count;
}

/* Writes all links to `far` rows. */
static OozeStatus name_rows(const OozeLinksStep *s, OozeError *error)
{
    OozeLinkTable *table = &s->memory->table;
    OozeLinkRows *all = &table->far[1];
    OozeStatus status = ooze_link_rows_reserve(all, s->machine->n, error);
    for (uint64_t i = 0; i < s->machine->n && !status; i++) {
        all->count[i] = merge_row(s, i, NULL);
    }
    uint64_t links = status ? 0 : ooze_link_rows_offsets(all);
    status = status ? status : ooze_link_items_reserve(all, links, error);
    for (uint64_t i = 0; i < s->machine->n && !status; i++) {
        merge_row(s, i, ooze_links_of(all, i));
    }
    if (!status) {
        OozeLinkRows rows = *all;
        *all = table->far[0];
        table->far[0] = rows;
        table->near[0].n = 0;
        table->first_row = s->memory->split.first;
    }
    return status;
}

OozeStatus ooze_links_leave_ranks(OozeLinksStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    OozeParticles *particles = machine->context->particles;
    const OozeColumn columns[3] = {
        {s->end.x, ooze_particles_positions(particles), sizeof(OozeFloat4)},
        {s->end.u, ooze_particles_velocities(particles), sizeof(OozeFloat4)},
        {s->row, ooze_machine_field(machine, "link_row"), sizeof *s->row}};
    OozeStatus status = ooze_split_move_back(&s->memory->split, columns, 3, error);
    status = status || s->lost ? status : name_rows(s, error);
    machine->context = s->memory->store_context;
    return status;
}
