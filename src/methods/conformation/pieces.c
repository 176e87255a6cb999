/* Pieces of fluid: particles of one material that hang together. Concurrent union-find (Anderson and Woll
   1991): a root is hung under a smaller one, so that every piece ends with its least particle as its root,
   whoever came first. */
#include "methods/conformation/pieces.h"

typedef struct Pieces {
    const OozeConformationStep *step;
    _Atomic uint32_t *parent;
    uint32_t *root;
} Pieces;

static uint32_t parent_of(const Pieces *p, uint32_t i)
{
    return atomic_load_explicit(&p->parent[i], memory_order_relaxed);
}

/* Halves the way for those who come after. */
static uint32_t find_root(const Pieces *p, uint32_t i)
{
    for (uint32_t up = parent_of(p, i); up != i; up = parent_of(p, i)) {
        uint32_t above = parent_of(p, up);
        if (above != up) {
            atomic_store_explicit(&p->parent[i], above, memory_order_relaxed);
        }
        i = above;
    }
    return i;
}

static void join(const Pieces *p, uint32_t i, uint32_t j)
{
    for (;;) {
        i = find_root(p, i);
        j = find_root(p, j);
        if (i == j) {
            return;
        }
        uint32_t low = i < j ? i : j, high = i < j ? j : i, expected = high;
        if (atomic_compare_exchange_strong_explicit(&p->parent[high], &expected, low,
                                                    memory_order_relaxed, memory_order_relaxed)) {
            return;
        }
    }
}

static void alone_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Pieces *p = data;
    for (uint64_t i = begin; i < end; i++) {
        atomic_store_explicit(&p->parent[i], (uint32_t)i, memory_order_relaxed);
    }
}

static void join_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Pieces *p = data;
    const OozeNeighbours *list = p->step->context->fluid;
    const uint16_t *material = p->step->material;
    for (uint64_t i = begin; i < end; i++) {
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            uint32_t j = list->index[e];
            if (j < i && material[j] == material[i] &&
                parent_of(p, j) != parent_of(p, (uint32_t)i)) {
                join(p, (uint32_t)i, j);
            }
        }
    }
}

static void root_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Pieces *p = data;
    for (uint64_t i = begin; i < end; i++) {
        p->root[i] = find_root(p, (uint32_t)i);
    }
}

void ooze_conformation_find_pieces(const OozeConformationStep *s, _Atomic uint32_t *scratch,
                                   uint32_t *root)
{
    OozeThreads *threads = s->context->threads;
    Pieces p = {.step = s, .parent = scratch, .root = root};
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, alone_range, &p);
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, join_range, &p);
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, root_range, &p);
}
