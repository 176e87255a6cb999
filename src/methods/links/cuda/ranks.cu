/* Steps of several processes. Lists, links and iterations have the order of predicted positions of
   the particles in the store, ghosts included, so that rows and sums over neighbours have the order
   of one process. Between steps rows are divided among processes in that order: they come to the
   processes of their particles, and go back. */
#include "methods/links/cuda/stages.cuh"

namespace ooze
{

/* ---- rows come ---- */

OozeStatus links_follow(OozeLinksStep *step, bool *complete, OozeError *error)
{
    OozeMachine *machine = step->machine;
    Gpu *gpu = gpu_of(machine);
    LinksData *data = data_of(step);
    OozeArena *arena = machine->context->arena;
    const uint64_t n = machine->n;
    const OwnRange own = own_range(gpu, n);
    const uint32_t *row = step->row;
    *complete = ghosts_suffice(gpu, step->u, nullptr, n, step->k.dt, step->k.support);
    if (!*complete || !step->k.linked) {
        return status(gpu, n, error);
    }
    RowReaders readers;
    OozeStatus result =
        row_readers_find(gpu, arena, row + own.begin, own.count, data->links[0].n, &readers, error);
    if (result) {
        return result;
    }
    const uint32_t *wanted = row + own.begin;
    const RowPlaces links = rows_of_particles(gpu, arena, &data->links[0], readers, wanted, own, n);
    const RowPlaces walls = rows_of_particles(gpu, arena, &data->walls[0], readers, wanted, own, n);
    const Mark mark = scratch_mark(gpu);
    const uint32_t *present = rows_map(gpu, row, (uint32_t)n, (uint32_t)n, readers.all);
    *complete = !ask_for_ends(gpu, step->elastic, links, data->links[0].items(), present, n);
    scratch_rewind(gpu, mark);
    if (*complete) {
        data->rows_before = readers.all;
        rows_replace(gpu, &data->links[0], n, links);
        rows_replace(gpu, &data->walls[0], n, walls);
    }
    return status(gpu, n, error);
}

/* ---- the order of predicted positions ---- */

OozeStatus links_divide(OozeLinksStep *step, OozeError *error)
{
    OozeMachine *machine = step->machine;
    Engine *engine = engine_of(machine);
    Gpu *gpu = gpu_of(machine);
    const uint64_t n = machine->n;
    const uint32_t *order = step->order;
    uint32_t *place = scratch<uint32_t>(gpu, n), *number = scratch<uint32_t>(gpu, n);
    for_each(
        gpu, n, OOZE_BODY(uint32_t k) { place[order[k]] = k; });
    machine->place = place;
    RankOrder *all = &data_of(step)->order;
    OozeStatus result = rank_order_find(engine, all, machine->context, step->x, n, error);
    if (!result) {
        rank_order_numbers(gpu, all, place, number);
        data_of(step)->number = number;
    }
    return result;
}

void links_order_excess(OozeLinksStep *step)
{
    Gpu *gpu = gpu_of(step->machine);
    const RankOrder *order = &data_of(step)->order;
    if (!gpu->share) {
        return;
    }
    const OwnRange own = own_range(gpu, step->machine->n);
    const uint64_t came = order->split.after;
    const uint32_t *list = order->own, *place = order->place;
    float *excess = step->excess, *sorted = scratch<float>(gpu, own.count);
    float *received = scratch<float>(gpu, came);
    for_each(
        gpu, own.count, OOZE_BODY(uint32_t e) { sorted[e] = excess[list[e]]; });
    rank_order_move(gpu, order, sorted, received, sizeof *sorted);
    for_each(
        gpu, came, OOZE_BODY(uint32_t m) { excess[own.begin + place[m]] = received[m]; });
}

/* ---- rows go back ---- */

/* The rows of the range of this process, from those of its particles. */
template <class Item>
static void return_rows(Gpu *gpu, OozeArena *arena, LinkRows<Item> *rows, const RankOrder *order)
{
    const OozeSplit *split = &order->split;
    const int me = split->ranks->rank;
    const uint64_t below = split->send[me], stay = split->send[me + 1] - below;
    const uint64_t came_below = split->receive[me];
    const uint32_t *list = order->own, *place = order->place;
    uint32_t *sent = scratch<uint32_t>(gpu, ooze_message_plan_sent(&order->plan));
    for_each(
        gpu, ooze_message_plan_sent(&order->plan),
        OOZE_BODY(uint32_t e) { sent[e] = list[e < below ? e : e + stay]; });
    const RowPlaces came = rows_exchange(gpu, arena, rows, order->plan, sent);
    const RowPlaces all = {scratch<uint64_t>(gpu, split->after),
                           scratch<uint32_t>(gpu, split->after)};
    const uint64_t *first = rows->first();
    const uint32_t *count = rows->count();
    for_each(
        gpu, split->after, OOZE_BODY(uint32_t m) {
            const bool stays = m - came_below < stay;
            const uint64_t from = stays            ? list[below + (m - came_below)]
                                  : m < came_below ? m
                                                   : m - stay;
            all.first[place[m]] = stays ? first[from] : came.first[from];
            all.count[place[m]] = stays ? count[from] : came.count[from];
        });
    rows_replace(gpu, rows, split->after, all);
}

OozeStatus links_leave(OozeLinksStep *step, OozeError *error)
{
    OozeMachine *machine = step->machine;
    Gpu *gpu = gpu_of(machine);
    LinksData *data = data_of(step);
    machine->place = nullptr;
    if (step->lost) {
        return status(gpu, machine->n, error);
    }
    const LinksView s = view_of(step);
    const uint32_t *number = data->number;
    for_each(
        gpu, machine->n, OOZE_BODY(uint32_t k) {
            for (uint64_t e = s.first[k]; e < s.first[k] + s.count[k]; e++) {
                s.links[e].other = number[s.links[e].other];
            }
        });
    return_rows(gpu, machine->context->arena, &data->links[0], &data->order);
    return_rows(gpu, machine->context->arena, &data->walls[0], &data->order);
    return status(gpu, machine->n, error);
}

} // namespace ooze
