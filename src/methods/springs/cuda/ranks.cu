/* Steps of several processes. A process sweeps its own particles and ghosts, as one process would:
   cells that adjoin its own ones have all their particles and neighbours here, and after each
   colour ghosts get the values of their owners. Rows of springs are those of own particles and
   ghosts, since cells of ghosts apply springs too. Springs longer than the support are applied by
   every process. */
#include <algorithm>

#include "methods/springs/cuda/stages.cuh"

namespace ooze
{

/* Own particles and two layers of cells around them: three supports. */
double springs_reach(const OozeStepContext *context)
{
    return 3.0 * context->support;
}

void springs_refresh_points(OozeSpringsStep *step)
{
    const SpringsView s = view_of(step);
    ooze_machine_refresh(step->machine, s.x, sizeof *s.x);
    ooze_machine_refresh(step->machine, s.shift, sizeof *s.shift);
}

/* ---- rows come ---- */

/* Brings the rows of the particles and ghosts, unless some ends of springs of particles are not
   here. */
static OozeStatus follow_springs(OozeSpringsStep *step, bool *complete, OozeError *error)
{
    OozeMachine *machine = step->machine;
    Gpu *gpu = gpu_of(machine);
    SpringsData *data = data_of(step);
    OozeArena *arena = machine->context->arena;
    const uint64_t n = machine->n;
    const OwnRange own = own_range(gpu, n), all = {0, (uint32_t)n};
    const uint32_t *row = step->row;
    LinkRows<OozeLink> *rows = &data->rows[0];
    RowReaders readers;
    OozeStatus result = row_readers_find(gpu, arena, row, n, rows->n, &readers, error);
    if (result) {
        return result;
    }
    const RowPlaces places = rows_of_particles(gpu, arena, rows, readers, row, all, n);
    const Mark mark = scratch_mark(gpu);
    const uint32_t *present = rows_map(gpu, row, (uint32_t)n, (uint32_t)n, readers.all);
    uint8_t *asks = scratch<uint8_t>(gpu, n);
    for_each(
        gpu, n, OOZE_BODY(uint32_t i) { asks[i] = own.has(i) ? 1 : 0; });
    *complete = !ask_for_ends(gpu, arena, asks, places, rows->items(), present, n);
    scratch_rewind(gpu, mark);
    if (*complete) {
        data->rows_before = readers.all;
        rows_replace(gpu, rows, n, places);
    }
    return status(gpu, n, error);
}

OozeStatus springs_follow(OozeSpringsStep *step, bool *complete, OozeError *error)
{
    Gpu *gpu = gpu_of(step->machine);
    const uint64_t n = step->machine->n;
    const float support = (float)step->machine->context->support;
    *complete = ghosts_suffice(gpu, step->u, nullptr, n, step->k.dt, support);
    return *complete && step->any.springs ? follow_springs(step, complete, error)
                                          : status(gpu, n, error);
}

/* ---- the order of predicted positions ---- */

OozeStatus springs_divide(OozeSpringsStep *step, OozeError *error)
{
    OozeMachine *machine = step->machine;
    Gpu *gpu = gpu_of(machine);
    SpringsData *data = data_of(step);
    const SpringsView s = view_of(step);
    uint32_t *place = scratch<uint32_t>(gpu, s.n), *number = scratch<uint32_t>(gpu, s.n);
    uint32_t *before = scratch<uint32_t>(gpu, s.n);
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t k) {
            place[s.order[k]] = k;
            before[k] = s.old_row[k];
            s.old_row[k] = before[k] == OOZE_LINK_ROW_NONE ? OOZE_LINK_ROW_NONE : s.order[k];
        });
    machine->place = place;
    data->row_before = before;
    OozeStatus result =
        rank_order_find(engine_of(machine), &data->order, machine->context, step->p, s.n, error);
    if (!result) {
        rank_order_numbers(gpu, &data->order, place, number);
        data->number = number;
    }
    return result;
}

OozeStatus springs_leave(OozeSpringsStep *step, OozeError *error)
{
    OozeMachine *machine = step->machine;
    Gpu *gpu = gpu_of(machine);
    SpringsData *data = data_of(step);
    machine->place = nullptr;
    if (!step->any.springs) {
        return status(gpu, machine->n, error);
    }
    const SpringsView s = view_of(step);
    const OwnRange own = own_range(gpu, s.n);
    const uint32_t *number = data->number;
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t k) {
            if (own.has(s.order[k])) {
                for (uint64_t e = s.first[k]; e < s.first[k] + s.count[k]; e++) {
                    s.springs[e].other = number[s.springs[e].other];
                }
            }
        });
    rows_return(gpu, machine->context->arena, &data->rows[0], &data->order);
    return status(gpu, machine->n, error);
}

/* ---- springs longer than the support ---- */

/* A spring with both particles. Springs are applied in the order of the first four numbers: cells,
   and within a cell as in a sweep. */
struct LongSpring {
    uint64_t cell, key;
    uint32_t number[2]; /* of the particles, in all */
    uint32_t at;        /* in its row */
    float rest;
    float4 x[2], shift[2];
    uint16_t material[2];
    uint8_t prescribed[2];
};

static bool precedes(const LongSpring &a, const LongSpring &b)
{
    return a.cell != b.cell             ? a.cell < b.cell
           : a.key != b.key             ? a.key < b.key
           : a.number[0] != b.number[0] ? a.number[0] < b.number[0]
                                        : a.at < b.at;
}

/* Those of own rows, whose rest lengths become positive. Waits for their number. */
static LongSpring *list_own(OozeSpringsStep *step, uint64_t *count)
{
    Gpu *gpu = gpu_of(step->machine);
    const SpringsView s = view_of(step);
    const OwnRange own = own_range(gpu, s.n);
    const uint32_t *number = data_of(step)->number;
    const CellKeys keys = cell_keys(data_of(step)->order.split.axis);
    uint32_t *far = scratch<uint32_t>(gpu, s.n);
    uint64_t *first = scratch<uint64_t>(gpu, s.n);
    *count = 0;
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t k) { far[k] = own.has(s.order[k]) ? s.long_count[k] : 0; });
    running_sum(gpu, far, first, s.n);
    copy_out(gpu, count, first + s.n, sizeof *count);
    LongSpring *list = scratch<LongSpring>(gpu, gpu->failed == cudaSuccess ? *count : 0);
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t k) {
            LongSpring *to = list + first[k];
            for (uint32_t e = 0; far[k] > 0 && e < s.count[k]; e++) {
                OozeLink *spring = &s.springs[s.first[k] + e];
                if (spring->rest < 0.0f) {
                    spring->rest = -spring->rest;
                    const uint32_t end[2] = {k, spring->other};
                    to->cell = keys.of(s.p[k]);
                    to->key = s.key[k];
                    to->at = e;
                    to->rest = spring->rest;
                    for (int m = 0; m < 2; m++) {
                        to->number[m] = number[end[m]];
                        to->x[m] = s.x[end[m]];
                        to->shift[m] = s.shift[end[m]];
                        to->material[m] = s.material[end[m]];
                        to->prescribed[m] = s.prescribed[end[m]];
                    }
                    to++;
                }
            }
        });
    return list;
}

/* The particles of these springs, as a step of their own: on the host, then on the device. */
struct LongStep {
    uint32_t springs, particles;
    uint32_t *number; /* of the particles, ascending */
    float4 *x, *shift;
    uint16_t *material;
    uint8_t *prescribed;
    uint32_t *from; /* per spring */
    uint64_t *item;
    OozeLink *link;
};

template <class T> static T *in_arena(OozeArena *arena, uint64_t count)
{
    return static_cast<T *>(ooze_arena_alloc(arena, count + 1, sizeof(T)));
}

static OozeStatus allocate_long(LongStep *l, OozeArena *arena, OozeError *error)
{
    const uint64_t ends = 2 * (uint64_t)l->springs;
    l->number = in_arena<uint32_t>(arena, ends);
    l->x = in_arena<float4>(arena, ends);
    l->shift = in_arena<float4>(arena, ends);
    l->material = in_arena<uint16_t>(arena, ends);
    l->prescribed = in_arena<uint8_t>(arena, ends);
    l->from = in_arena<uint32_t>(arena, l->springs);
    l->item = in_arena<uint64_t>(arena, l->springs);
    l->link = in_arena<OozeLink>(arena, l->springs);
    return ooze_arena_failed(arena) ? ooze_fail_memory(error, "springs longer than the support",
                                                       ends * sizeof(LongSpring))
                                    : OOZE_OK;
}

static void fill_long(LongStep *l, LongSpring *list)
{
    std::sort(list, list + l->springs, precedes);
    for (uint32_t e = 0; e < l->springs; e++) {
        l->number[2 * e] = list[e].number[0];
        l->number[2 * e + 1] = list[e].number[1];
    }
    uint32_t *end = l->number + 2 * (size_t)l->springs;
    std::sort(l->number, end);
    end = std::unique(l->number, end);
    l->particles = (uint32_t)(end - l->number);
    for (uint32_t e = 0; e < l->springs; e++) {
        uint32_t at[2];
        for (int m = 0; m < 2; m++) {
            at[m] = (uint32_t)(std::lower_bound(l->number, end, list[e].number[m]) - l->number);
            l->x[at[m]] = list[e].x[m];
            l->shift[at[m]] = list[e].shift[m];
            l->material[at[m]] = list[e].material[m];
            l->prescribed[at[m]] = list[e].prescribed[m];
        }
        l->from[e] = at[0];
        l->item[e] = e;
        l->link[e] = {at[1], list[e].rest};
    }
}

template <class T> static T *send(Gpu *gpu, const T *from, uint64_t count)
{
    T *to = scratch<T>(gpu, count);
    copy_in(gpu, to, from, count * sizeof(T));
    return to;
}

/* Applies the springs to copies of their particles, and returns these to the own ones. */
static void apply_long(OozeSpringsStep *step, const LongStep &l)
{
    Gpu *gpu = gpu_of(step->machine);
    const SpringsView s = view_of(step);
    SpringsView far = s;
    far.n = l.particles;
    far.x = send(gpu, l.x, l.particles);
    far.shift = send(gpu, l.shift, l.particles);
    far.material = send(gpu, l.material, l.particles);
    far.prescribed = send(gpu, l.prescribed, l.particles);
    far.springs = send(gpu, l.link, l.springs);
    uint32_t *holder = scratch<uint32_t>(gpu, l.particles);
    const LongSprings springs = {l.springs, send(gpu, l.from, l.springs),
                                 send(gpu, l.item, l.springs), holder, scratch<uint32_t>(gpu, 1)};
    const uint32_t *listed = send(gpu, l.number, l.particles), *number = data_of(step)->number;
    for_each(
        gpu, l.particles, OOZE_BODY(uint32_t e) { holder[e] = UINT32_MAX; });
    springs_pull_listed(gpu, far, springs);
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t k) {
            const uint32_t at = first_not(far.n, [&](uint32_t e) { return listed[e] < number[k]; });
            if (at < far.n && listed[at] == number[k]) {
                s.x[k] = far.x[at];
                s.shift[k] = far.shift[at];
            }
        });
}

OozeStatus springs_pull_long_on_ranks(OozeSpringsStep *step, OozeError *error)
{
    OozeMachine *machine = step->machine;
    Gpu *gpu = gpu_of(machine);
    OozeArena *arena = machine->context->arena;
    const Mark mark = scratch_mark(gpu);
    RankList springs = {};
    const LongSpring *list = list_own(step, &springs.count);
    rank_list_share(gpu, arena, &springs);
    const uint64_t all = springs.all;
    list = gather_list(gpu, list, springs);
    LongStep l = {};
    l.springs = (uint32_t)all;
    LongSpring *host = list && all > 0 ? in_arena<LongSpring>(arena, all) : nullptr;
    OozeStatus result = host ? allocate_long(&l, arena, error) : status(gpu, machine->n, error);
    if (host && !result) {
        copy_out(gpu, host, list, all * sizeof *host);
        result = status(gpu, machine->n, error);
    }
    if (host && !result) {
        fill_long(&l, host);
        apply_long(step, l);
        gpu_wait(gpu);
    }
    scratch_rewind(gpu, mark);
    return result;
}

} // namespace ooze
