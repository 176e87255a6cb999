/* A parallel loop over the particles that a probe selects. */
#include "base/fail.h"
#include "base/memory.h"
#include "world/probes/probe_kind.h"

enum { BLOCK = 4096 };

typedef struct Each {
    const OozeProbeView *view;
    bool all;
    uint64_t *starts; /* number of selected particles in each block, then before each block */
    OozeProbeEach body;
    void *context;
} Each;

static bool is_selected(const Each *each, uint64_t i)
{
    return each->all || probe_selects(each->view, i);
}

static void count_block(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Each *each = context;
    uint64_t n = 0;
    for (uint64_t i = begin; i < end; i++) {
        n += is_selected(each, i);
    }
    each->starts[begin / BLOCK] = n;
}

static void visit_block(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Each *each = context;
    uint64_t place = each->starts[begin / BLOCK];
    for (uint64_t i = begin; i < end; i++) {
        if (is_selected(each, i)) {
            each->body(each->context, i, place++);
        }
    }
}

OozeStatus ooze_probe_each(const OozeProbeView *view, bool all, OozeProbeEach body, void *context,
                           uint64_t *n, OozeError *error)
{
    uint64_t blocks = (view->count + BLOCK - 1) / BLOCK;
    Each each = {.view = view, .all = all, .body = body, .context = context};
    *n = 0;
    each.starts = ooze_alloc(blocks, sizeof *each.starts);
    if (!each.starts) {
        return ooze_fail_memory(error, "the particles a probe sees", blocks * sizeof *each.starts);
    }
    ooze_parallel_for(view->context->threads, view->count, BLOCK, count_block, &each);
    for (uint64_t b = 0; b < blocks; b++) {
        uint64_t count = each.starts[b];
        each.starts[b] = *n;
        *n += count;
    }
    ooze_parallel_for(view->context->threads, view->count, BLOCK, visit_block, &each);
    ooze_free(each.starts);
    return OOZE_OK;
}
