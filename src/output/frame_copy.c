#include "output/frame_copy.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* Bytes that one thread copies at a time. */
enum { GRAIN = 1 << 18 };

/* Bytes of an array, up to the next cache line; false when there cannot be as many. */
static bool array_bytes(const OozeFieldView *field, size_t *bytes)
{
    size_t row = (size_t)field->stride * ooze_field_type_size(field->type);
    return !__builtin_mul_overflow((size_t)field->count, row, bytes) &&
           !__builtin_add_overflow(*bytes, OOZE_ALIGNMENT - 1, bytes) &&
           (*bytes -= *bytes % OOZE_ALIGNMENT, true);
}

static bool all_bytes(const OozeFrame *frame, size_t *bytes)
{
    *bytes = 0;
    for (int i = 0; i < frame->field_count + frame->state_count; i++) {
        size_t more;
        int s = i - frame->field_count;
        if (!array_bytes(s < 0 ? &frame->fields[i] : &frame->state[s], &more) ||
            __builtin_add_overflow(*bytes, more, bytes)) {
            return false;
        }
    }
    return true;
}

static bool make_room(void **block, size_t *room, size_t wanted, size_t size)
{
    if (wanted <= *room) {
        return true;
    }
    ooze_free(*block); /* first: what it held is of no use, and large */
    *room = 0;
    size_t roomy = wanted + wanted / 4;
    *block = ooze_alloc(roomy > wanted ? roomy : wanted, size);
    *room = *block ? roomy : 0;
    return *block != NULL;
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

static void copy_arrays(OozeFrameCopy *copy, OozeThreads *threads)
{
    unsigned char *to = copy->data;
    int count = copy->frame.field_count + copy->frame.state_count;
    for (int i = 0; i < count; i++) {
        OozeFieldView *view = &copy->views[i];
        size_t bytes =
            (size_t)view->count * (size_t)view->stride * ooze_field_type_size(view->type);
        Array array = {.to = to, .from = view->data};
        ooze_parallel_for(threads, bytes, GRAIN, copy_range, &array);
        view->data = to;
        array_bytes(view, &bytes);
        to += bytes;
    }
}

OozeStatus ooze_frame_copy(OozeFrameCopy *copy, const OozeFrame *frame, OozeThreads *threads,
                           OozeError *error)
{
    size_t bytes = 0, fields = (size_t)frame->field_count, state = (size_t)frame->state_count;
    size_t solids = (size_t)frame->solid_count, materials = (size_t)frame->material_count;
    copy->frame = (OozeFrame){0};
    if (!all_bytes(frame, &bytes) ||
        !make_room((void **)&copy->views, &copy->view_room, fields + state, sizeof *copy->views) ||
        !make_room((void **)&copy->solids, &copy->solid_room, solids, sizeof *copy->solids) ||
        !make_room((void **)&copy->materials, &copy->material_room, materials,
                   sizeof *copy->materials) ||
        !make_room((void **)&copy->data, &copy->data_room, bytes, 1)) {
        return ooze_fail_memory(error, "the copy of a frame", bytes);
    }
    copy->frame = *frame;
    copy->frame.fields = copy->views;
    copy->frame.state = copy->views + fields;
    copy->frame.solids = copy->solids;
    copy->frame.materials = copy->materials;
    for (size_t i = 0; i < fields + state; i++) {
        copy->views[i] = i < fields ? frame->fields[i] : frame->state[i - fields];
    }
    for (size_t i = 0; i < solids; i++) {
        copy->solids[i] = frame->solids[i];
    }
    for (size_t i = 0; i < materials; i++) {
        copy->materials[i] = frame->materials[i];
    }
    copy_arrays(copy, threads);
    return OOZE_OK;
}

uint64_t ooze_frame_copy_bytes(const OozeFrameCopy *copy)
{
    return copy->data_room + copy->view_room * sizeof *copy->views +
           copy->solid_room * sizeof *copy->solids + copy->material_room * sizeof *copy->materials;
}

void ooze_frame_copy_free(OozeFrameCopy *copy)
{
    ooze_free(copy->views);
    ooze_free(copy->solids);
    ooze_free(copy->materials);
    ooze_free(copy->data);
    *copy = (OozeFrameCopy){0};
}
