/* Which elements and nodes of the grids each rank computes, and what it gets from others. */
#include <string.h>

#include "base/fail.h"
#include "solvers/multigrid/velocity_multigrid_ranks.h"

static uint64_t highest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- ranges ---- */

/* Ranges in ascending order that follow the elements of the ranks; those of the second level are
   not exact, since elements of one parent are far apart in the order. */
static void find_ranges(OozeVelocityMultigrid *mg)
{
    OozeVelocitySharing *s = mg->sharing;
    const OozeMultigridLevel *first = &mg->grids.level[0], *second = &mg->grids.level[1];
    int ranks = s->ranks->count;
    bool has_second = mg->grids.levels > 1;
    memset(s->bytes, 0, (size_t)ranks * sizeof *s->bytes);
    for (uint64_t e = 0; e < first->cells; e++) {
        s->bytes[s->owner[e]]++;
    }
    s->node_at[0] = s->parent_at[0] = s->coarse_at[0] = 0;
    for (uint64_t r = 1, e = 0; r <= (uint64_t)ranks; r++) {
        e += s->bytes[r - 1];
        bool last = e >= first->cells;
        uint32_t parent = !last && has_second ? first->parent[e] : OOZE_MULTIGRID_NONE;
        s->node_at[r] = last ? first->nodes : first->corner_node[8 * e];
        s->node_at[r] = highest(s->node_at[r], s->node_at[r - 1]);
        s->parent_at[r] = last && has_second              ? second->cells
                          : parent != OOZE_MULTIGRID_NONE ? highest(parent, s->parent_at[r - 1])
                                                          : s->parent_at[r - 1];
        last = has_second && s->parent_at[r] >= second->cells;
        s->coarse_at[r] = last         ? second->nodes
                          : has_second ? second->corner_node[8 * s->parent_at[r]]
                                       : 0;
        s->coarse_at[r] = highest(s->coarse_at[r], s->coarse_at[r - 1]);
    }
}

void ooze_velocity_coarse_range(const OozeVelocityMultigrid *mg, int k, uint64_t *begin,
                                uint64_t *end)
{
    *begin = 0;
    *end = mg->grids.level[k].nodes;
    if (ooze_velocity_is_gathered(mg, k)) {
        *begin = mg->sharing->coarse_at[mg->sharing->ranks->rank];
        *end = mg->sharing->coarse_at[mg->sharing->ranks->rank + 1];
    }
}

/* ---- elements ---- */

/* Marks the elements at nodes of this rank and those in its parents. */
static void mark_elements(const OozeVelocityMultigrid *mg, uint8_t *wanted)
{
    const OozeVelocitySharing *s = mg->sharing;
    const OozeMultigridLevel *first = &mg->grids.level[0], *second = &mg->grids.level[1];
    const OozeVelocityRows *rows = &mg->rows[0];
    int rank = s->ranks->rank;
    memset(wanted, 0, first->cells);
    for (uint64_t k = first->node_first[rows->node_begin]; k < first->node_first[rows->node_end];
         k++) {
        wanted[first->node_corner[k] / 8] = 1;
    }
    for (uint64_t p = s->parent_at[rank]; p < s->parent_at[rank + 1]; p++) {
        for (uint32_t c = second->child_first[p]; c < second->child_first[p + 1]; c++) {
            wanted[second->child[c]] = 1;
        }
    }
    for (uint64_t k = 0; k < s->owned_count; k++) {
        wanted[s->owned[k]] = 0;
    }
}

/* Numbers the elements of this rank, then those of others that it wants, by rank. */
static void number_elements(OozeVelocityMultigrid *mg, const uint8_t *wanted, uint32_t *list)
{
    OozeVelocitySharing *s = mg->sharing;
    const OozeMultigridLevel *level = &mg->grids.level[0];
    const OozeVelocityRows *rows = &mg->rows[0];
    OozeRankExchange *x = &s->elements;
    for (uint64_t e = 0; e < level->cells; e++) {
        rows->local[e] = OOZE_MULTIGRID_NONE;
        x->receive_at[s->owner[e] + 1] += wanted[e];
    }
    for (uint64_t k = 0; k < s->owned_count; k++) {
        rows->local[s->owned[k]] = (uint32_t)k;
    }
    ooze_rank_places(s->ranks, x->receive_at, x->bytes);
    for (uint64_t e = 0; e < level->cells; e++) {
        if (wanted[e]) {
            uint64_t at = x->bytes[s->owner[e]]++;
            list[at] = (uint32_t)e;
            rows->local[e] = (uint32_t)(s->owned_count + at);
        }
    }
    s->local_count = s->owned_count + ooze_rank_exchange_received(x);
}

/* Isolated elements at other ranks are left to these. */
static void filter_isolated(OozeMultigridLevel *level, const uint32_t *local)
{
    uint64_t kept = 0;
    for (uint64_t k = 0; k < level->isolated_count; k++) {
        if (local[level->isolated[k]] != OOZE_MULTIGRID_NONE) {
            level->isolated[kept++] = level->isolated[k];
        }
    }
    level->isolated_count = kept;
}

void ooze_velocity_share_nodes(OozeVelocityMultigrid *mg)
{
    OozeVelocitySharing *s = mg->sharing;
    OozeMultigridLevel *level = &mg->grids.level[0];
    OozeVelocityRows *rows = &mg->rows[0];
    s->replicated = mg->grids.levels == 1 && level->nodes <= OOZE_VELOCITY_DENSE;
    uint8_t *wanted = ooze_arena_alloc(mg->grids.temporary, level->cells, sizeof *wanted);
    uint32_t *list = ooze_arena_alloc(mg->grids.temporary, level->cells, sizeof *list);
    rows->local = ooze_arena_alloc(mg->grids.kept, level->cells, sizeof *rows->local);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    find_ranges(mg);
    if (!s->replicated) {
        rows->node_begin = s->node_at[s->ranks->rank];
        rows->node_end = s->node_at[s->ranks->rank + 1];
    }
    mark_elements(mg, wanted);
    number_elements(mg, wanted, list);
    ooze_rank_exchange_request(&s->elements, list, mg->grids.kept);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    for (uint64_t k = 0; k < ooze_rank_exchange_sent(&s->elements); k++) {
        s->elements.send[k] = rows->local[s->elements.send[k]];
    }
    filter_isolated(level, rows->local);
}

/* ---- nodes ---- */

/* Marks the nodes of rows, of elements with particles, and of nodes of the second level. */
static void mark_nodes(const OozeVelocityMultigrid *mg, uint8_t *wanted)
{
    const OozeVelocitySharing *s = mg->sharing;
    const OozeMultigridLevel *first = &mg->grids.level[0], *second = &mg->grids.level[1];
    const OozeVelocityRows *rows = &mg->rows[0], *second_rows = &mg->rows[1];
    memset(wanted, 0, first->nodes);
    for (uint64_t k = 0; k < rows->row_first[first->nodes]; k++) {
        wanted[rows->column[k]] = 1;
    }
    for (uint64_t k = 0; k < s->touched_count; k++) {
        for (uint64_t c = 0; c < 8; c++) {
            wanted[first->corner_node[8 * (uint64_t)s->touched[k] + c]] = 1;
        }
    }
    for (uint64_t k = 0; mg->grids.levels > 1 && k < second_rows->fine_first[second->nodes]; k++) {
        wanted[second_rows->fine_node[k]] = 1;
    }
    if (rows->node_end > rows->node_begin) {
        memset(wanted + rows->node_begin, 0, rows->node_end - rows->node_begin);
    }
}

void ooze_velocity_share_values(OozeVelocityMultigrid *mg)
{
    OozeVelocitySharing *s = mg->sharing;
    const OozeMultigridLevel *level = &mg->grids.level[0];
    OozeRankExchange *x = &s->nodes;
    uint64_t count = 0;
    uint8_t *wanted = ooze_arena_alloc(mg->grids.temporary, level->nodes, sizeof *wanted);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    mark_nodes(mg, wanted);
    for (int r = 0; r < s->ranks->count && !s->replicated; r++) {
        for (uint64_t i = s->node_at[r]; i < s->node_at[r + 1]; i++) {
            count += wanted[i];
        }
        x->receive_at[r + 1] = count;
    }
    s->node_place = ooze_arena_alloc(mg->grids.kept, count, sizeof *s->node_place);
    s->node_value = ooze_arena_alloc(mg->grids.kept, count, sizeof *s->node_value);
    if (ooze_hierarchy_failed(&mg->grids)) {
        return;
    }
    for (uint64_t i = 0, at = 0; i < level->nodes && !s->replicated; i++) {
        if (wanted[i]) {
            s->node_place[at++] = (uint32_t)i;
        }
    }
    ooze_rank_exchange_request(x, s->node_place, mg->grids.kept);
    if (!ooze_hierarchy_failed(&mg->grids)) {
        uint64_t sums = 8 * ooze_rank_exchange_sent(&s->elements);
        uint64_t room = highest(highest(sums, ooze_rank_exchange_sent(x)),
                                ooze_rank_exchange_sent(&s->migrants));
        s->buffer = ooze_arena_alloc(mg->grids.kept, room, sizeof(OozeF32x4));
    }
}

/* ---- matrices ---- */

void ooze_velocity_fetch_migrants(OozeVelocityMultigrid *mg, const OozeVelocityMultigridInput *in)
{
    const OozeVelocitySharing *s = mg->sharing;
    uint64_t count = ooze_rank_exchange_sent(&s->migrants);
    OozeVelocityMigrant *sent = ooze_arena_alloc(mg->grids.temporary, count, sizeof *sent);
    if (!sent) {
        return;
    }
    memset(sent, 0, count * sizeof *sent);
    for (uint64_t k = 0; k < count; k++) {
        uint32_t i = s->migrants.send[k], boundary_particle = in->boundary_particle_of[i];
        sent[k].particle = (OozeVelocityParticle){in->mass[i], in->stiffness[i], in->bulk[i]};
        sent[k].is_boundary_particle = boundary_particle != OOZE_MULTIGRID_NONE;
        if (sent[k].is_boundary_particle) {
            sent[k].boundary_particle = in->boundary_particle[boundary_particle];
        }
    }
    ooze_rank_exchange_packed(&s->migrants, sent, s->migrant, sizeof *sent);
}

void ooze_velocity_fetch_matrices(OozeVelocityMultigrid *mg)
{
    const OozeVelocitySharing *s = mg->sharing;
    float *element = mg->rows[0].element;
    size_t size = OOZE_VELOCITY_ELEMENT * sizeof *element;
    void *buffer =
        ooze_arena_alloc(mg->grids.temporary, ooze_rank_exchange_sent(&s->elements), size);
    if (buffer) {
        ooze_rank_exchange_run(&s->elements, element,
                               element + OOZE_VELOCITY_ELEMENT * s->owned_count, size, buffer);
    }
}

OozeStatus ooze_velocity_gather_matrices(OozeVelocityMultigrid *mg, OozeError *error)
{
    const OozeVelocitySharing *s = mg->sharing;
    const OozeVelocityRows *rows = &mg->rows[1];
    const uint64_t size = OOZE_VELOCITY_ELEMENT * sizeof *rows->element;
    const uint64_t *at = s->parent_at;
    int rank = s->ranks->rank;
    uint64_t own = (at[rank + 1] - at[rank]) * size;
    char *part = ooze_arena_alloc(mg->grids.temporary, own, 1);
    if (!part) {
        return ooze_fail_memory(error, "the grids of the velocity solve", own);
    }
    memcpy(part, rows->element + OOZE_VELOCITY_ELEMENT * at[rank], own);
    ooze_rank_gather(s->ranks, at, part, rows->element, size, s->bytes);
    return OOZE_OK;
}

/* ---- cycles ---- */

void ooze_velocity_fetch_residuals(OozeVelocityMultigrid *mg, const OozeF32x4 *r)
{
    if (mg->sharing) {
        const OozeVelocitySharing *s = mg->sharing;
        ooze_rank_exchange_run(&s->migrants, r, s->migrant_residual, sizeof *r, s->buffer);
    }
}

void ooze_velocity_fetch_sums(OozeVelocityMultigrid *mg)
{
    if (mg->sharing) {
        const OozeVelocitySharing *s = mg->sharing;
        ooze_rank_exchange_run(&s->elements, mg->corner_sums, mg->corner_sums + 8 * s->owned_count,
                               8 * sizeof *mg->corner_sums, s->buffer);
    }
}

void ooze_velocity_fetch_nodes(const OozeVelocityMultigrid *mg, int level, OozeF32x4 *vector)
{
    if (ooze_velocity_is_shared(mg, level)) {
        const OozeVelocitySharing *s = mg->sharing;
        ooze_rank_exchange_run(&s->nodes, vector, s->node_value, sizeof *vector, s->buffer);
        for (uint64_t k = 0; k < ooze_rank_exchange_received(&s->nodes); k++) {
            vector[s->node_place[k]] = s->node_value[k];
        }
    }
}

void ooze_velocity_gather_right_side(const OozeVelocityMultigrid *mg, int k)
{
    if (ooze_velocity_is_gathered(mg, k)) {
        const OozeVelocitySharing *s = mg->sharing;
        const OozeVelocityRows *rows = &mg->rows[k];
        ooze_rank_gather(s->ranks, s->coarse_at, rows->r + s->coarse_at[s->ranks->rank], rows->b,
                         sizeof *rows->b, s->bytes);
    }
}
