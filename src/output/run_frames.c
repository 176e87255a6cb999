#include "output/run_frames.h"

#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "output/frame_header.h"

static OozeStatus append(OozeFrameSpans *spans, OozeFrameSpan span, OozeError *error)
{
    OozeFrameSpan *last = spans->count > 0 ? &spans->items[spans->count - 1] : NULL;
    if (last && last->state == span.state) {
        last->last = span.last;
        return OOZE_OK;
    }
    if (spans->count == spans->capacity) {
        uint64_t capacity = spans->capacity * 2 + 16;
        OozeFrameSpan *grown = ooze_grow(spans->items, spans->count, capacity, sizeof *grown);
        if (!grown) {
            return ooze_fail_memory(error, "the list of frames", capacity * sizeof *grown);
        }
        spans->items = grown;
        spans->capacity = capacity;
    }
    spans->items[spans->count++] = span;
    return OOZE_OK;
}

static OozeFrameState check_file(const char *path, uint64_t index, bool contents)
{
    int fd;
    if (ooze_frame_open_descriptor(path, &fd, NULL)) {
        return OOZE_FRAME_DAMAGED;
    }
    OozeFrameHeader header;
    uint64_t hash;
    bool valid = !ooze_frame_header_read(fd, path, &header, NULL) && header.index == index;
    if (valid && contents) {
        valid = ooze_frame_checksum(fd, header.length, &hash) == 0 && hash == header.hash;
    }
    close(fd);
    return valid ? OOZE_FRAME_PRESENT : OOZE_FRAME_DAMAGED;
}

OozeStatus ooze_run_check_frames(const OozeRunFolder *run, bool contents, OozeFrameSpans *spans,
                                 OozeError *error)
{
    OozeStatus status = OOZE_OK;
    uint64_t next = 0;
    *spans = (OozeFrameSpans){0};
    for (uint64_t i = 0; i < run->frame_count && !status; i++) {
        uint64_t index = run->frames[i];
        char *path = ooze_run_frame_path(run, index);
        if (!path) {
            status = ooze_fail_memory(error, "a path", 0);
            break;
        }
        if (index > next) {
            status = append(spans, (OozeFrameSpan){next, index - 1, OOZE_FRAME_MISSING}, error);
        }
        if (!status) {
            OozeFrameState state = check_file(path, index, contents);
            status = append(spans, (OozeFrameSpan){index, index, state}, error);
        }
        ooze_free(path);
        next = index + 1;
    }
    return status;
}

void ooze_frame_spans_free(OozeFrameSpans *spans)
{
    ooze_free(spans->items);
    *spans = (OozeFrameSpans){0};
}

OozeFrameState ooze_frame_spans_state(const OozeFrameSpans *spans, uint64_t frame)
{
    for (uint64_t i = 0; i < spans->count; i++) {
        if (frame >= spans->items[i].first && frame <= spans->items[i].last) {
            return spans->items[i].state;
        }
    }
    return OOZE_FRAME_MISSING;
}

bool ooze_frame_spans_last_gap(const OozeFrameSpans *spans, uint64_t *frame)
{
    for (uint64_t i = spans->count; i > 0; i--) {
        if (spans->items[i - 1].state != OOZE_FRAME_PRESENT) {
            *frame = spans->items[i - 1].last;
            return true;
        }
    }
    return false;
}
