#include "output/frame_copy.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* Bytes that one thread copies at a time. */
enum { GRAIN = 1 << 18 };

/* From the first component of an array to the last: the last row may have no padding after it. */
static size_t array_bytes(const OozeFieldView *view)
{
    uint64_t last = view->count > 0 ? view->count - 1 : 0;
    uint64_t values = last * (uint64_t)view->stride + (uint64_t)view->components;
    return view->count > 0 ? (size_t)values * ooze_field_type_size(view->type) : 0;
}

/* Bytes of the array in the copy, where each array begins a cache line; false: too many. */
static bool padded_bytes(const OozeFieldView *view, size_t *bytes)
{
    size_t row = (size_t)view->stride * ooze_field_type_size(view->type);
    bool valid = !__builtin_mul_overflow((size_t)view->count, row, bytes) &&
                 !__builtin_add_overflow(*bytes, OOZE_ALIGNMENT - 1, bytes);
    *bytes -= *bytes % OOZE_ALIGNMENT;
    return valid;
}

static bool add_bytes(const OozeFieldView *views, int count, size_t *bytes)
{
    bool valid = true;
    for (int i = 0; i < count && valid; i++) {
        size_t more;
        valid = padded_bytes(&views[i], &more) && !__builtin_add_overflow(*bytes, more, bytes);
    }
    return valid;
}

typedef struct Array {
    unsigned char *to;
    const unsigned char *from;
} Array;

static void copy_range(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Array *array = context;
    memcpy(array->to + begin, array->from + begin, end - begin);
}

/* Those of the views from `first` on. */
static void copy_arrays(OozeFrameCopy *copy, int first, OozeThreads *threads)
{
    unsigned char *to = copy->data;
    for (int i = first; i < copy->frame.field_count + copy->frame.state_count; i++) {
        OozeFieldView *view = &copy->views[i];
        Array array = {.to = to, .from = view->data};
        ooze_parallel_for(threads, array_bytes(view), GRAIN, copy_range, &array);
        view->data = to;
        size_t bytes;
        padded_bytes(view, &bytes);
        to += bytes;
    }
}

/* Copies of arrays of structs; none may be NULL. */
static void copy_items(void *to, const void *from, size_t count, size_t size)
{
    if (count > 0) {
        memcpy(to, from, count * size);
    }
}

/* ---- names ------------------------------------------------------------------------------- */

static size_t count_columns(const OozeFrame *frame)
{
    size_t count = 0;
    for (int i = 0; i < frame->field_count; i++) {
        count += frame->fields[i].columns ? (size_t)frame->fields[i].components : 0;
    }
    for (int i = 0; i < frame->state_count; i++) {
        count += frame->state[i].columns ? (size_t)frame->state[i].components : 0;
    }
    return count;
}

static size_t name_bytes(const char *name)
{
    return name ? strlen(name) + 1 : 0;
}

static size_t count_name_bytes(const OozeFrame *frame)
{
    size_t bytes = 0;
    for (int i = 0; i < frame->solid_count; i++) {
        bytes += name_bytes(frame->solids[i].name);
    }
    for (int i = 0; i < frame->material_count; i++) {
        bytes += name_bytes(frame->materials[i].name);
    }
    return bytes;
}

/* Moves a name to the end `to` of those that the copy has. */
static char *own_name(const char **name, char *to)
{
    size_t bytes = name_bytes(*name);
    if (bytes > 0) {
        memcpy(to, *name, bytes);
        *name = to;
    }
    return to + bytes;
}

static void copy_names(OozeFrameCopy *copy)
{
    const char **column = copy->columns;
    for (int i = 0; i < copy->frame.field_count + copy->frame.state_count; i++) {
        OozeFieldView *view = &copy->views[i];
        if (view->columns) {
            copy_items(column, view->columns, (size_t)view->components, sizeof *column);
            view->columns = column;
            column += view->components;
        }
    }
    char *to = copy->names;
    for (int i = 0; i < copy->frame.solid_count; i++) {
        to = own_name(&copy->solids[i].name, to);
    }
    for (int i = 0; i < copy->frame.material_count; i++) {
        to = own_name(&copy->materials[i].name, to);
    }
}

/* ---- frame ------------------------------------------------------------------------------- */

static OozeStatus copy_frame(OozeFrameCopy *copy, const OozeFrame *frame, bool with_fields,
                             OozeThreads *threads, OozeError *error)
{
    size_t bytes = 0, fields = (size_t)frame->field_count, state = (size_t)frame->state_count;
    size_t solids = (size_t)frame->solid_count, materials = (size_t)frame->material_count;
    copy->frame = (OozeFrame){0};
    if (!add_bytes(frame->fields, with_fields ? frame->field_count : 0, &bytes) ||
        !add_bytes(frame->state, frame->state_count, &bytes) ||
        !ooze_reserve((void **)&copy->views, &copy->view_capacity, fields + state,
                      sizeof *copy->views) ||
        !ooze_reserve((void **)&copy->solids, &copy->solid_capacity, solids,
                      sizeof *copy->solids) ||
        !ooze_reserve((void **)&copy->materials, &copy->material_capacity, materials,
                      sizeof *copy->materials) ||
        !ooze_reserve((void **)&copy->columns, &copy->column_capacity, count_columns(frame),
                      sizeof *copy->columns) ||
        !ooze_reserve((void **)&copy->names, &copy->name_capacity, count_name_bytes(frame), 1) ||
        !ooze_reserve((void **)&copy->data, &copy->data_capacity, bytes, 1)) {
        return ooze_fail_memory(error, "the copy of a frame", bytes);
    }
    copy->frame = *frame;
    copy->frame.fields = copy->views;
    copy->frame.state = copy->views + fields;
    copy->frame.solids = copy->solids;
    copy->frame.materials = copy->materials;
    copy_items(copy->views, frame->fields, fields, sizeof *copy->views);
    copy_items(copy->views + fields, frame->state, state, sizeof *copy->views);
    copy_items(copy->solids, frame->solids, solids, sizeof *copy->solids);
    copy_items(copy->materials, frame->materials, materials, sizeof *copy->materials);
    copy_names(copy);
    copy_arrays(copy, with_fields ? 0 : frame->field_count, threads);
    return OOZE_OK;
}

OozeStatus ooze_frame_copy(OozeFrameCopy *copy, const OozeFrame *frame, OozeThreads *threads,
                           OozeError *error)
{
    return copy_frame(copy, frame, true, threads, error);
}

OozeStatus ooze_frame_copy_state(OozeFrameCopy *copy, const OozeFrame *frame, OozeError *error)
{
    return copy_frame(copy, frame, false, NULL, error);
}

uint64_t ooze_frame_copy_bytes(const OozeFrameCopy *copy)
{
    return copy->data_capacity + copy->view_capacity * sizeof *copy->views +
           copy->solid_capacity * sizeof *copy->solids +
           copy->material_capacity * sizeof *copy->materials +
           copy->column_capacity * sizeof *copy->columns + copy->name_capacity;
}

void ooze_frame_copy_free(OozeFrameCopy *copy)
{
    ooze_free(copy->views);
    ooze_free(copy->solids);
    ooze_free(copy->materials);
    ooze_free(copy->columns);
    ooze_free(copy->names);
    ooze_free(copy->data);
    *copy = (OozeFrameCopy){0};
}
