/* Algorithm 4: springs are added between neighbours, change their rest lengths and go. Each stands in one row alone, so rows
   are written by themselves.

   The paper updates only pairs that are neighbours; a spring stretched beyond the support would keep its length for ever.
   Here all of them are. */
#include <math.h>

#include "base/fail.h"
#include "methods/springs/workspace.h"

typedef struct Adjustment {
    OozeSpringsStep *s;
    uint32_t *new_of_old; /* per old row: its number now */
    uint32_t *kept;       /* per particle: entries of its old row that stay */
    bool from_distance;
} Adjustment;

static float length_of(const OozeSpringsStep *s, uint64_t i, uint32_t j)
{
    OozeFour d = ooze_springs_apart(s, s->p[i], s->p[j]);
    return sqrtf(ooze_four_dot3(d, d));
}

/* The rest length after this step; 0: the spring goes. */
static float adjusted(const OozeSpringsStep *s, uint64_t i, uint32_t j, float rest, float length)
{
    const OozeSpringsMatter *a = &s->matter[s->material[i]], *b = &s->matter[s->material[j]];
    if (!(ooze_springs_pair(a->spring, b->spring) > 0.0f)) {
        return 0.0f;
    }
    OozeSpringLaw law = ooze_springs_law(a, b);
    rest = ooze_spring_rest(&law, rest, length);
    return rest <= s->h ? fmaxf(rest, 1e-6f * s->h) : 0.0f;
}

/* In place on the old row. */
static uint32_t keep_springs(const Adjustment *a, uint64_t i)
{
    const OozeSpringsStep *s = a->s;
    const OozeLinkRows *old = &s->memory->table.rows[0];
    if (s->old_row[i] == OOZE_LINKS_NO_ROW) {
        return 0;
    }
    OozeLink *row = ooze_links_of(old, s->old_row[i]);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < old->count[s->old_row[i]]; k++) {
        uint32_t j = a->new_of_old[row[k].other];
        if (j == OOZE_LINKS_NO_ROW) {
            continue;
        }
        float length = length_of(s, i, j), rest = adjusted(s, i, j, row[k].rest, length);
        if (rest > 0.0f) {
            /* a minus marks what leads beyond the cells around: see ooze_springs_pull_far */
            row[kept++] = (OozeLink){j, length < s->h ? rest : -rest};
        }
    }
    ooze_link_row_sort(row, kept);
    return kept;
}

/* Rest length of a new spring before its first step. From the distance: between ends of which one at least had no springs before, so
   that what gets them together keeps the shape it has. Those who meet later do so without force, as published, or what was
   pressed would be held by what it was pressed to. */
static float first_rest(const Adjustment *a, uint64_t i, uint32_t j, float length)
{
    const OozeSpringsStep *s = a->s;
    bool fresh = s->old_row[i] == OOZE_LINKS_NO_ROW || s->old_row[j] == OOZE_LINKS_NO_ROW;
    return a->from_distance && fresh ? fmaxf(length, 1e-6f * s->h) : s->h;
}

/* Merges what is kept with what is new; `to` NULL: counts. */
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
            float length = length_of(s, i, *j);
            float rest = adjusted(s, i, *j, first_rest(a, i, *j, length), length);
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
    for (uint64_t i = begin; i < end; i++) {
        a->kept[i] = keep_springs(a, i);
        count[i] = merge_row(a, i, NULL);
    }
}

static void write_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Adjustment *a = data;
    const OozeLinkRows *rows = &a->s->memory->table.rows[1];
    for (uint64_t i = begin; i < end; i++) {
        OozeLink *row = ooze_links_of(rows, i);
        uint32_t far = 0;
        merge_row(a, i, row);
        for (uint32_t k = 0; k < rows->count[i]; k++) {
            far += row[k].rest < 0.0f;
        }
        a->s->far_count[i] = far;
    }
}

static OozeStatus write_rows(OozeSpringsStep *s, OozeError *error)
{
    OozeSpringTable *table = &s->memory->table;
    OozeLinkRows *old = &table->rows[0], *new = &table->rows[1];
    OozeArena *arena = s->context->arena;
    Adjustment a = {
        .s = s,
        .new_of_old = ooze_arena_alloc(arena, old->n, sizeof *a.new_of_old),
        .kept = ooze_arena_alloc(arena, s->n, sizeof *a.kept),
        .from_distance = s->context->params[OOZE_SPRINGS_START] == OOZE_SPRINGS_FROM_DISTANCE,
    };
    if (!a.new_of_old || !a.kept) {
        return ooze_fail_memory(error, "springs", (old->n + s->n) * sizeof *a.kept);
    }
    ooze_link_rows_follow(s->old_row, s->n, OOZE_LINKS_NO_ROW, a.new_of_old, old->n);
    OozeStatus status = ooze_link_rows_room(new, s->n, error);
    if (status) {
        return status;
    }
    ooze_parallel_for(s->context->threads, s->n, OOZE_SPRINGS_GRAIN, keep_range, &a);
    status = ooze_link_items_room(new, ooze_link_rows_lay_out(new), error);
    if (!status) {
        ooze_parallel_for(s->context->threads, s->n, OOZE_SPRINGS_GRAIN, write_range, &a);
    }
    return status;
}

/* Rows that are half written belong to nobody: without memory all springs are lost rather than wrong. */
OozeStatus ooze_springs_adjust(OozeSpringsStep *s, OozeError *error)
{
    OozeSpringTable *table = &s->memory->table;
    OozeStatus status = s->any_springs ? write_rows(s, error) : OOZE_OK;
    if (status || !s->any_springs) {
        ooze_spring_table_forget(table);
    } else {
        ooze_spring_table_turn(table);
    }
    for (uint64_t k = 0; k < s->n; k++) {
        bool has = !status && s->matter[s->material[k]].spring > 0.0f;
        s->row[s->order[k]] = has ? (uint32_t)k : OOZE_LINKS_NO_ROW;
    }
    return status;
}

void ooze_springs_pull_far(OozeSpringsStep *s)
{
    const OozeLinkRows *rows = &s->memory->table.rows[0];
    for (uint64_t at = 0; at < s->n; at++) {
        uint32_t i = s->after.sequence[at];
        OozeLink *row = ooze_links_of(rows, i);
        for (uint32_t k = 0; s->far_count[i] > 0 && k < rows->count[i]; k++) {
            if (row[k].rest >= 0.0f) {
                continue;
            }
            row[k].rest = -row[k].rest;
            OozeFour d = ooze_springs_apart(s, s->point[row[k].other].x, s->point[i].x);
            ooze_springs_pull(s, i, row[k].other, row[k].rest, d, true);
        }
    }
}
