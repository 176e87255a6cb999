/* Algorithm 4 on the device, and springs longer than the support: see cpu/springs.c.
   Each particle writes its own row. */
#include "methods/springs/cuda/stages.cuh"

namespace ooze
{

/* ---- rows ---- */

/* Captured by loop bodies. */
struct Adjustment {
    const uint64_t *old_first;
    const uint32_t *old_count, *new_of_old; /* per old row: its new number */
    OozeLink *old;                          /* kept springs are moved to the front of their row */
    uint32_t *kept;                         /* per particle */
};

/* Updates the springs of an old row in place and returns how many are kept. A negative rest length
   marks a spring longer than the support. */
OOZE_DEVICE uint32_t update_kept_springs(const SpringsView &s, const Adjustment &a, uint32_t i)
{
    const uint32_t old = s.old_row[i];
    uint32_t kept = 0;
    if (old == OOZE_LINK_ROW_NONE) {
        return 0;
    }
    OozeLink *row = a.old + a.old_first[old];
    for (uint32_t k = 0; k < a.old_count[old]; k++) {
        const uint32_t j = a.new_of_old[row[k].other];
        if (j == OOZE_LINK_ROW_NONE) {
            continue;
        }
        const float length = vector_to(s, s.p[j], s.p[i]).w;
        const float rest = ooze_springs_updated_rest(&s.k, coefficients_of(s, i),
                                                     coefficients_of(s, j), row[k].rest, length);
        if (rest > 0.0f) {
            row_insert(row, kept++, {j, length < s.k.h ? rest : -rest});
        }
    }
    return kept;
}

/* f(spring) for the springs of row i: kept and new ones, merged. */
template <class F>
OOZE_DEVICE void each_spring(const SpringsView &s, const Adjustment &a, uint32_t i, F f)
{
    const uint32_t kept = a.kept[i];
    const OozeLink *row = kept ? a.old + a.old_first[s.old_row[i]] : nullptr;
    uint32_t at = 0;
    each_true_neighbour(s.neighbours, i, [&](uint32_t j) {
        for (; at < kept && row[at].other < j; at++) {
            f(row[at]);
        }
        if (at < kept && row[at].other == j) {
            f(row[at++]);
            return;
        }
        if (s.id[j] > s.id[i]) {
            const bool fresh =
                s.old_row[i] == OOZE_LINK_ROW_NONE || s.old_row[j] == OOZE_LINK_ROW_NONE;
            const float rest =
                ooze_springs_new_rest(&s.k, coefficients_of(s, i), coefficients_of(s, j), fresh,
                                      vector_to(s, s.p[j], s.p[i]).w);
            if (rest > 0.0f) {
                f({j, rest});
            }
        }
    });
    for (; at < kept; at++) {
        f(row[at]);
    }
}

static void write_rows(OozeSpringsStep *step)
{
    Gpu *gpu = gpu_of(step->machine);
    SpringsView s = view_of(step);
    LinkRows<OozeLink> *old = &data_of(step)->rows[0], *now = &data_of(step)->rows[1];
    const Adjustment a = {old->first(), old->count(),
                          rows_map(gpu, data_of(step)->row_before, s.n, OOZE_LINK_ROW_NONE,
                                   data_of(step)->rows_before),
                          old->items(), scratch<uint32_t>(gpu, s.n)};
    rows_resize(gpu, now, s.n);
    uint32_t *count = now->count();
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            uint32_t springs = 0;
            a.kept[i] = update_kept_springs(s, a, i);
            each_spring(s, a, i, [&](OozeLink) { springs++; });
            count[i] = springs;
        });
    rows_lay_out(gpu, now);
    const uint64_t *first = now->first();
    OozeLink *items = now->items();
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            OozeLink *to = items + first[i];
            uint32_t far = 0;
            each_spring(s, a, i, [&](OozeLink spring) {
                far += spring.rest < 0.0f;
                *to++ = spring;
            });
            s.long_count[i] = far;
        });
}

OozeStatus springs_update(OozeSpringsStep *step, OozeError *error)
{
    write_rows(step);
    rows_swap(data_of(step)->rows);
    return status(gpu_of(step->machine), step->machine->n, error);
}

void springs_clear(OozeSpringsStep *step)
{
    data_of(step)->rows[0].n = 0;
}

void springs_number_rows(OozeSpringsStep *step)
{
    const SpringsView s = view_of(step);
    const uint32_t *number = data_of(step)->number;
    for_each(
        gpu_of(step->machine), s.n, OOZE_BODY(uint32_t k) {
            const bool has = coefficients_of(s, k)->spring > 0.0f;
            s.row[s.order[k]] = !has ? OOZE_LINK_ROW_NONE : number ? number[k] : k;
        });
}

/* ---- long springs ---- */

static LongSprings list_long_springs(OozeSpringsStep *step)
{
    Gpu *gpu = gpu_of(step->machine);
    const SpringsView s = view_of(step);
    const uint32_t *sequence = data_of(step)->schedule.sequence;
    uint32_t *count = scratch<uint32_t>(gpu, s.n);
    uint64_t *first = scratch<uint64_t>(gpu, s.n), total = 0;
    for_each(
        gpu, (uint64_t)s.n + 1,
        OOZE_BODY(uint32_t at) { count[at] = at < s.n ? s.long_count[sequence[at]] : 0; });
    running_sum(gpu, count, first, s.n);
    copy_out(gpu, &total, first + s.n, sizeof total);
    LongSprings all = {};
    if (total == 0 || gpu->failed != cudaSuccess) {
        return all;
    }
    all.count = (uint32_t)total;
    all.from = scratch<uint32_t>(gpu, total);
    all.item = scratch<uint64_t>(gpu, total);
    all.holder = scratch<uint32_t>(gpu, s.n);
    all.left = scratch<uint32_t>(gpu, 1);
    const LongSprings to = all;
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t at) {
            const uint32_t i = sequence[at];
            uint64_t e = first[at];
            for (uint64_t k = s.first[i]; count[at] > 0 && k < s.first[i] + s.count[i]; k++) {
                if (s.springs[k].rest < 0.0f) {
                    s.springs[k].rest = -s.springs[k].rest;
                    to.from[e] = i;
                    to.item[e++] = k;
                }
            }
            to.holder[at] = UINT32_MAX;
        });
    return all;
}

OOZE_DEVICE void pull_long(const SpringsView &s, uint32_t i, OozeLink spring)
{
    const uint32_t j = spring.other;
    float4 d = vector_to(s, s.x[i], s.x[j]);
    d = ooze_springs_pull(&s.k, coefficients_of(s, i), coefficients_of(s, j), spring.rest, d.w) * d;
    if (!s.prescribed[j]) {
        s.x[j] = s.x[j] + d;
        s.shift[j] = s.shift[j] + d;
    }
    if (!s.prescribed[i]) {
        s.x[i] = s.x[i] - d;
        s.shift[i] = s.shift[i] - d;
    }
}

/* A spring that has been applied gives its ends free at once: others compare `holder` with their
   own number only. */
static void pull_round(Gpu *gpu, const SpringsView &view, const LongSprings &springs)
{
    const SpringsView s = view;
    const LongSprings all = springs;
    for_each(
        gpu, all.count, OOZE_BODY(uint32_t e) {
            if (all.item[e] != UINT64_MAX) {
                atomicMin(&all.holder[all.from[e]], e);
                atomicMin(&all.holder[s.springs[all.item[e]].other], e);
            }
        });
    for_each(
        gpu, all.count, OOZE_BODY(uint32_t e) {
            if (all.item[e] == UINT64_MAX) {
                return;
            }
            const OozeLink spring = s.springs[all.item[e]];
            const uint32_t i = all.from[e], j = spring.other;
            if (all.holder[i] == e && all.holder[j] == e) {
                pull_long(s, i, spring);
                all.item[e] = UINT64_MAX;
                all.holder[i] = all.holder[j] = UINT32_MAX;
            } else {
                atomicAdd(all.left, 1u);
            }
        });
}

void springs_pull_listed(Gpu *gpu, const SpringsView &view, const LongSprings &all)
{
    enum { BATCH = 8 }; /* rounds between two looks at what is left */
    for (uint32_t left = all.count; left > 0 && gpu->failed == cudaSuccess;) {
        for (int k = 0; k < BATCH; k++) {
            clear(gpu, all.left, sizeof *all.left);
            pull_round(gpu, view, all);
        }
        copy_out(gpu, &left, all.left, sizeof left);
    }
}

OozeStatus springs_pull_long(OozeSpringsStep *step, OozeError *error)
{
    if (step->machine->ranks) {
        return springs_pull_long_on_ranks(step, error);
    }
    springs_pull_listed(gpu_of(step->machine), view_of(step), list_long_springs(step));
    return OOZE_OK;
}

} // namespace ooze
