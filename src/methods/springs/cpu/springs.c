/* Algorithm 4: adds springs between neighbours, updates rest lengths and removes springs. A spring
   is stored in one row only, so threads write rows independently.

   The paper updates only pairs that are neighbours, so a spring stretched beyond the support would
   keep its rest length for ever. Here every spring is updated. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "methods/springs/cpu/loops.h"

typedef struct Adjustment {
    OozeSpringsStep *s;
    uint32_t *new_of_old; /* per old row: its new number */
    uint32_t *kept;       /* per particle: kept entries of its old row */
} Adjustment;

static float pair_length(const OozeSpringsStep *s, uint64_t i, uint32_t j)
{
    OozeF32x4 d = ooze_f32x4_nearest(s->p[i] - s->p[j], &s->periodic);
    return sqrtf(ooze_f32x4_dot3(d, d));
}

static const OozeSpringsCoefficients *coefficients_of(const OozeSpringsStep *s, uint64_t i)
{
    return &s->coefficients[s->material[i]];
}

/* Updates the springs of an old row in place and returns how many are kept. */
static uint32_t update_kept_springs(const Adjustment *a, uint64_t i)
{
    const OozeSpringsStep *s = a->s;
    const OozeLinkRows *old = &s->memory->table.rows[0];
    if (s->old_row[i] == OOZE_LINK_ROW_NONE) {
        return 0;
    }
    OozeLink *row = ooze_links_of(old, s->old_row[i]);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < old->count[s->old_row[i]]; k++) {
        uint32_t j = a->new_of_old[row[k].other];
        if (j == OOZE_LINK_ROW_NONE) {
            continue;
        }
        float length = pair_length(s, i, j),
              rest = ooze_springs_updated_rest(&s->k, coefficients_of(s, i), coefficients_of(s, j),
                                               row[k].rest, length);
        if (rest > 0.0f) {
            /* a negative rest length marks a spring longer than the support: see
               ooze_springs_pull_long */
            row[kept++] = (OozeLink){j, length < s->k.h ? rest : -rest};
        }
    }
    ooze_link_row_sort(row, kept);
    return kept;
}

static float new_rest_length(const OozeSpringsStep *s, uint64_t i, uint32_t j)
{
    bool fresh = s->old_row[i] == OOZE_LINK_ROW_NONE || s->old_row[j] == OOZE_LINK_ROW_NONE;
    return ooze_springs_new_rest(&s->k, coefficients_of(s, i), coefficients_of(s, j), fresh,
                                 pair_length(s, i, j));
}

/* Merges kept and new springs of row i into `to` and returns their number; `to` NULL: only
   counts. */
static uint32_t merge_row(const Adjustment *a, uint64_t i, OozeLink *to)
{
    const OozeSpringsStep *s = a->s;
    const OozeNeighbours *near = &s->memory->near;
    const uint32_t *j = near->index + near->first[i], *last = j + near->count[i];
    uint32_t left = a->kept[i], count = 0;
    const OozeLink *old = left ? ooze_links_of(&s->memory->table.rows[0], s->old_row[i]) : NULL;
    while (left > 0 || j < last) {
        if (left > 0 && (j == last || old->other <= *j)) {
            j += j < last && *j == old->other;
            if (to) {
                to[count] = *old;
            }
            old++;
            left--;
            count++;
            continue;
        }
        if (s->id[*j] > s->id[i]) {
            float rest = new_rest_length(s, i, *j);
            if (rest > 0.0f) {
                if (to) {
                    to[count] = (OozeLink){*j, rest};
                }
                count++;
            }
        }
        j++;
    }
    return count;
}

static void keep_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Adjustment *a = data;
    uint32_t *count = a->s->memory->table.rows[1].count;
    for (uint64_t i = begin + a->s->below; i < end + a->s->below; i++) {
        a->kept[i] = update_kept_springs(a, i);
        count[i] = merge_row(a, i, NULL);
    }
}

static void write_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Adjustment *a = data;
    const OozeLinkRows *rows = &a->s->memory->table.rows[1];
    for (uint64_t i = begin + a->s->below; i < end + a->s->below; i++) {
        OozeLink *row = ooze_links_of(rows, i);
        uint32_t far = 0;
        merge_row(a, i, row);
        for (uint32_t k = 0; k < rows->count[i]; k++) {
            far += row[k].rest < 0.0f;
        }
        a->s->long_count[i] = far;
    }
}

static OozeStatus write_rows(OozeSpringsStep *s, OozeError *error)
{
    OozeSpringTable *table = &s->memory->table;
    OozeLinkRows *old = &table->rows[0], *new = &table->rows[1];
    OozeArena *arena = s->machine->context->arena;
    bool shared = s->machine->context->halo != NULL; /* springs have been renumbered already */
    uint64_t ends = shared ? s->machine->local : old->n;
    Adjustment a = {
        .s = s,
        .new_of_old = ooze_arena_alloc(arena, ends, sizeof *a.new_of_old),
        .kept = ooze_arena_alloc(arena, s->machine->local, sizeof *a.kept),
    };
    if (!a.new_of_old || !a.kept) {
        return ooze_fail_memory(error, "springs", (ends + s->machine->local) * sizeof *a.kept);
    }
    if (!shared) {
        ooze_link_rows_map(s->old_row, s->machine->n, OOZE_LINK_ROW_NONE, a.new_of_old, ends);
    }
    for (uint64_t k = 0; shared && k < ends; k++) {
        a.new_of_old[k] = (uint32_t)k;
    }
    OozeStatus status = ooze_link_rows_reserve(new, s->machine->local, error);
    if (status) {
        return status;
    }
    memset(new->count, 0, s->machine->local * sizeof *new->count);
    ooze_parallel_for(s->machine->context->threads, s->machine->n, OOZE_SPRINGS_GRAIN, keep_range,
                      &a);
    status = ooze_link_items_reserve(new, ooze_link_rows_offsets(new), error);
    if (!status) {
        ooze_parallel_for(s->machine->context->threads, s->machine->n, OOZE_SPRINGS_GRAIN,
                          write_range, &a);
    }
    return status;
}

OozeStatus ooze_springs_update(OozeSpringsStep *s, OozeError *error)
{
    OozeStatus status = write_rows(s, error);
    if (!status) {
        ooze_spring_table_swap(&s->memory->table);
    }
    return status;
}

void ooze_springs_clear(OozeSpringsStep *s)
{
    ooze_spring_table_clear(&s->memory->table);
}

void ooze_springs_number_rows(OozeSpringsStep *s)
{
    for (uint64_t k = s->below; k < s->below + s->machine->n; k++) {
        bool has = s->any.springs && s->coefficients[s->material[k]].spring > 0.0f;
        s->row[s->order[k]] = has ? (uint32_t)ooze_springs_number(s, k) : OOZE_LINK_ROW_NONE;
    }
}

OozeStatus ooze_springs_pull_long(OozeSpringsStep *s, OozeError *error)
{
    const OozeLinkRows *rows = &s->memory->table.rows[0];
    if (s->machine->context->halo) {
        return ooze_springs_apply_long_on_ranks(s, error);
    }
    for (uint64_t at = 0; at < s->machine->n; at++) {
        uint32_t i = s->memory->predicted_schedule.sequence[at];
        OozeLink *row = ooze_links_of(rows, i);
        for (uint32_t k = 0; s->long_count[i] > 0 && k < rows->count[i]; k++) {
            if (row[k].rest >= 0.0f) {
                continue;
            }
            row[k].rest = -row[k].rest;
            OozeF32x4 d =
                ooze_f32x4_nearest(s->point[row[k].other].x - s->point[i].x, &s->periodic);
            ooze_springs_displace_pair(s, i, row[k].other, row[k].rest, d, true);
        }
    }
    return OOZE_OK;
}
