/* Steps of several processes. Lists, links and iterations have the order of predicted positions of
   the particles in the store, ghosts included, so that rows and sums over neighbours have the order
   of one process. Between steps rows are divided among processes in that order: they come to the
   processes of their particles, and go back. */
#include "methods/links/cuda/stages.cuh"

namespace ooze
{

/* ---- rows come ---- */

/* Brings the rows of the particles, unless some ends of their links are not among the ghosts. */
static OozeStatus follow_links(OozeLinksStep *step, bool *complete, OozeError *error)
{
    OozeMachine *machine = step->machine;
    Gpu *gpu = gpu_of(machine);
    LinksData *data = data_of(step);
    OozeArena *arena = machine->context->arena;
    const uint64_t n = machine->n;
    const OwnRange own = own_range(gpu, n);
    const uint32_t *row = step->row;
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
    *complete = !ask_for_ends(gpu, arena, step->elastic, links, data->links[0].items(), present, n);
    scratch_rewind(gpu, mark);
    if (*complete) {
        data->rows_before = readers.all;
        rows_replace(gpu, &data->links[0], n, links);
        rows_replace(gpu, &data->walls[0], n, walls);
    }
    return status(gpu, n, error);
}

OozeStatus links_follow(OozeLinksStep *step, bool *complete, OozeError *error)
{
    OozeMachine *machine = step->machine;
    Gpu *gpu = gpu_of(machine);
    const uint64_t n = machine->n;
    OozeStatus result = OOZE_OK;
    *complete = ghosts_suffice(gpu, step->u, nullptr, n, step->k.dt, step->k.support);
    if (*complete && step->k.linked) {
        result = follow_links(step, complete, error);
    }
    if (!result && !*complete && machine->context->dynamic) {
        result = dynamic_undo(engine_of(machine), &data_of(step)->dynamic, error);
    }
    return result ? result : status(gpu, n, error);
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
    rows_return(gpu, machine->context->arena, &data->links[0], &data->order);
    rows_return(gpu, machine->context->arena, &data->walls[0], &data->order);
    return status(gpu, machine->n, error);
}

} // namespace ooze
