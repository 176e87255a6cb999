#include "methods/conformation/cpu/components.h"

typedef struct Components {
    const OozeConformationStep *step;
    bool across_materials;
    OozeParent *parent;
    uint32_t *root;
} Components;

static void separate_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Components *c = data;
    for (uint64_t i = begin; i < end; i++) {
        ooze_parent_set(c->parent, (uint32_t)i, (uint32_t)i);
    }
}

static void join_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Components *c = data;
    const OozeNeighbours *list = c->step->context->fluid;
    const uint16_t *material = c->step->material;
    for (uint64_t i = begin; i < end; i++) {
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            uint32_t j = list->index[e];
            bool once = j < i || j >= c->step->n; /* ghosts have no lists */
            if (once && (c->across_materials || material[j] == material[i]) &&
                ooze_parent_get(c->parent, j) != ooze_parent_get(c->parent, (uint32_t)i)) {
                ooze_component_join(c->parent, (uint32_t)i, j);
            }
        }
    }
}

static void root_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Components *c = data;
    for (uint64_t i = begin; i < end; i++) {
        c->root[i] = ooze_component_root(c->parent, (uint32_t)i);
    }
}

void ooze_conformation_find_components(const OozeConformationStep *s, bool across_materials,
                                       OozeParent *parent, uint32_t *root)
{
    OozeThreads *threads = s->context->threads;
    Components c = {
        .step = s, .across_materials = across_materials, .parent = parent, .root = root};
    ooze_parallel_for(threads, s->local, OOZE_CONFORMATION_GRAIN, separate_range, &c);
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, join_range, &c);
    ooze_parallel_for(threads, s->local, OOZE_CONFORMATION_GRAIN, root_range, &c);
}
