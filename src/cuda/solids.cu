#include "cuda/solids.cuh"

namespace ooze
{

/* A shape on the device, and host copies of its parts with device addresses. These live as long as
   the device memory, because asynchronous copies read them after a call returns. */
struct SentShape {
    const OozeShape *from;
    OozeShape copy; /* of *from when it was sent */
    ShapeView view;
    OozeDistanceGrid grid;
    OozeHeightfield field;
    DeviceBuffer cells, nodes, grid_buffer;
    DeviceBuffer heights, ranges, field_buffer;
    OozeShapePart *parts;
    DeviceBuffer part_buffer;
    SentShape *next;
};

static void free_shape(Gpu *gpu, SentShape *shape)
{
    buffer_free(gpu, &shape->cells);
    buffer_free(gpu, &shape->nodes);
    buffer_free(gpu, &shape->grid_buffer);
    buffer_free(gpu, &shape->heights);
    buffer_free(gpu, &shape->ranges);
    buffer_free(gpu, &shape->field_buffer);
    buffer_free(gpu, &shape->part_buffer);
    ooze_free(shape->parts);
    ooze_free(shape);
}

void solids_free(Gpu *gpu, Solids *solids)
{
    while (solids->shapes) {
        SentShape *next = solids->shapes->next;
        free_shape(gpu, solids->shapes);
        solids->shapes = next;
    }
    ooze_free(solids->sent);
    buffer_free(gpu, &solids->view_buffer);
    *solids = {};
}

/* ---- shapes ------------------------------------------------------------------ */

template <class T> static T *send(Gpu *gpu, DeviceBuffer *to, const T *from, uint64_t count)
{
    T *memory = buffer<T>(gpu, to, count);
    copy_in(gpu, memory, from, count * sizeof(T));
    return memory;
}

static void send_grid(Gpu *gpu, SentShape *shape)
{
    OozeDistanceGrid *grid = &shape->grid;
    *grid = *shape->from->grid;
    grid->cells = send(gpu, &shape->cells, grid->cells, grid->cell_count);
    grid->nodes = send(gpu, &shape->nodes, grid->nodes, grid->block_count * OOZE_BLOCK_NODES);
    grid->mesh = nullptr;
    grid->coords = nullptr;
    shape->view.grid = send(gpu, &shape->grid_buffer, grid, 1);
}

static uint64_t range_count(const OozeHeightLevel *level)
{
    return (uint64_t)level->columns * level->rows;
}

static void send_field(Gpu *gpu, SentShape *shape)
{
    OozeHeightfield *field = &shape->field;
    *field = *shape->from->field;
    uint64_t ranges = 0, at = 0;
    for (int k = 0; k < field->level_count; k++) {
        ranges += range_count(&field->levels[k]);
    }
    OozeHeightRange *all = buffer<OozeHeightRange>(gpu, &shape->ranges, ranges);
    for (int k = 0; k < field->level_count && all; k++) {
        OozeHeightLevel *level = &field->levels[k];
        uint64_t count = range_count(level);
        copy_in(gpu, all + at, level->ranges, count * sizeof *all);
        level->ranges = all + at;
        at += count;
    }
    uint64_t samples = (uint64_t)field->columns * field->rows;
    field->heights = send(gpu, &shape->heights, field->heights, samples);
    shape->view.field = send(gpu, &shape->field_buffer, field, 1);
}

/* Compares contents too: an address may be reused by another shape. */
static SentShape *find_shape(Solids *solids, const OozeShape *from)
{
    SentShape *shape = solids->shapes;
    while (shape && (shape->from != from || memcmp(&shape->copy, from, sizeof *from) != 0)) {
        shape = shape->next;
    }
    return shape;
}

/* Sends each part as a shape; parts have no parts themselves. */
static OozeStatus send_parts(Gpu *gpu, Solids *solids, SentShape *shape, OozeError *error)
{
    const OozeShape *from = shape->from;
    size_t count = (size_t)from->part_count;
    shape->parts = static_cast<OozeShapePart *>(ooze_alloc_zero(count, sizeof *shape->parts));
    if (!shape->parts) {
        return ooze_fail_memory(error, "a shape on the GPU", count * sizeof *shape->parts);
    }
    OozeStatus result = OOZE_OK;
    for (size_t k = 0; k < count && !result; k++) {
        shape->parts[k].pose = from->parts[k].pose;
        result = shape_send(gpu, solids, &from->parts[k].shape, &shape->parts[k].shape, error);
    }
    if (!result) {
        shape->view.parts = send(gpu, &shape->part_buffer, shape->parts, count);
    }
    return result;
}

OozeStatus shape_send(Gpu *gpu, Solids *solids, const OozeShape *from, ShapeView *view,
                      OozeError *error)
{
    SentShape *shape = find_shape(solids, from);
    if (!shape) {
        shape = static_cast<SentShape *>(ooze_alloc_zero(1, sizeof *shape));
        if (!shape) {
            return ooze_fail_memory(error, "a shape on the GPU", sizeof *shape);
        }
        shape->from = from;
        memcpy(&shape->copy, from, sizeof *from);
        memcpy(&shape->view, from, sizeof *from);
        shape->view.mesh = nullptr;
        if (from->grid) {
            send_grid(gpu, shape);
        }
        if (from->field) {
            send_field(gpu, shape);
        }
        OozeStatus sent = from->parts ? send_parts(gpu, solids, shape, error) : OOZE_OK;
        sent = sent ? sent : status(gpu, 0, error);
        if (sent) {
            free_shape(gpu, shape);
            return sent;
        }
        shape->next = solids->shapes;
        solids->shapes = shape;
    }
    memcpy(view, &shape->view, sizeof *view);
    return OOZE_OK;
}

/* ---- poses ------------------------------------------------------------- */

static void describe(SolidView *view, const OozeSolid *solid, const OozeStepContext *context)
{
    OozeSweptBounds swept = ooze_solid_swept_bounds(solid, context->spacing, context->dt);
    view->pose = solid->pose;
    view->previous = solid->previous;
    view->friction = ooze_solid_fluid_friction(solid);
    view->dry_friction = ooze_solid_dry_friction(solid);
    view->restitution = solid->params[OOZE_SOLID_RESTITUTION];
    view->stick_distance = solid->params[OOZE_SOLID_STICK_DISTANCE];
    view->stick_strength = solid->params[OOZE_SOLID_STICK_STRENGTH];
    view->box = ooze_shape_bounds(solid->shape);
    view->collides = solid->params[OOZE_SOLID_COLLIDES] != 0.0;
    view->dynamic = ooze_solid_is_dynamic(solid);
    view->sampled = solid->sampled;
    view->travel = swept.travel;
    view->margin = swept.margin;
    for (int k = 0; k < 3; k++) {
        view->low[k] = swept.low[k];
        view->high[k] = swept.high[k];
    }
}

static OozeStatus reserve(Solids *solids, int count, OozeError *error)
{
    if (count <= solids->capacity) {
        return OOZE_OK;
    }
    size_t capacity = (size_t)count + 8;
    ooze_free(solids->sent);
    solids->capacity = solids->sent_count = 0;
    solids->sent = static_cast<SolidView *>(ooze_alloc_zero(2 * capacity, sizeof(SolidView)));
    if (!solids->sent) {
        return ooze_fail_memory(error, "solids", 2 * capacity * sizeof(SolidView));
    }
    solids->capacity = (int)capacity;
    return OOZE_OK;
}

/* Copies only if some solid has changed. The copy is small: the driver stages it before the call
   returns. */
OozeStatus solids_send(Gpu *gpu, Solids *solids, const OozeStepContext *context, OozeError *error)
{
    int count = context->solid_count;
    OozeStatus result = reserve(solids, count, error);
    SolidView *now = solids->sent + solids->capacity; /* the other half */
    for (int k = 0; k < count && !result; k++) {
        memset(&now[k], 0, sizeof now[k]);
        result = shape_send(gpu, solids, context->solids[k].shape, &now[k].shape, error);
        describe(&now[k], &context->solids[k], context);
    }
    size_t size = (size_t)count * sizeof *now;
    SolidView *items = buffer<SolidView>(gpu, &solids->view_buffer, (uint64_t)count);
    solids->view = {items, count};
    bool sent = count == 0 || result ||
                (count == solids->sent_count && memcmp(now, solids->sent, size) == 0);
    if (items && !sent) {
        memcpy(solids->sent, now, size);
        solids->sent_count = count;
        copy_in(gpu, items, solids->sent, size);
    }
    result = result ? result : status(gpu, particles_of(context), error);
    solids->sent_count = result || count == 0 ? 0 : solids->sent_count;
    return result;
}

} // namespace ooze
