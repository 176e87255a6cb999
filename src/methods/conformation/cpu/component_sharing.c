#include "methods/conformation/cpu/component_sharing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"

enum { GRAIN = OOZE_CONFORMATION_GRAIN };

/* A root of this process and the lowest index of its component in the order of all particles. */
typedef struct Label {
    uint64_t lowest;
    uint32_t root;
} Label;

/* What a chunk or a particle adds to a component. */
typedef struct Contribution {
    uint64_t lowest;
    OozeComponentGain gain;
} Contribution;

struct OozeComponentSharing {
    uint64_t *lowest; /* per root */
    uint64_t *value;  /* per particle and ghost: that of its root */
    uint8_t *shared;  /* per root: other processes have particles of the component */
    uint32_t *rename; /* per root: the one that stands for it */
    Label *labels;    /* of all roots, in ascending order */
    uint64_t count;
};

struct OozeComponentSharing *ooze_component_sharing_allocate(const OozeConformationStep *s)
{
    OozeArena *arena = s->context->arena;
    struct OozeComponentSharing *sharing = ooze_arena_alloc(arena, 1, sizeof *sharing);
    if (sharing) {
        *sharing = (struct OozeComponentSharing){
            .lowest = ooze_arena_alloc(arena, s->local, sizeof *sharing->lowest),
            .value = ooze_arena_alloc(arena, s->local, sizeof *sharing->value),
            .shared = ooze_arena_alloc(arena, s->local, sizeof *sharing->shared),
            .rename = ooze_arena_alloc(arena, s->local, sizeof *sharing->rename),
            .labels = ooze_arena_alloc(arena, s->local, sizeof *sharing->labels),
        };
    }
    return sharing;
}

/* ---- roots ---- */

/* Lowers the lowest indices of components to those of their sets. Returns whether one was lower. */
static bool lower_sets(OozeLodge *solve, const OozeComponentSets *sets)
{
    struct OozeComponentSharing *sharing = solve->own->components.sharing;
    bool changed = false;
    for (int k = 0; k < sets->count; k++) {
        bool here = sets->first[k] != UINT64_MAX;
        sets->lowest[k] =
            here ? -(double)sharing->lowest[solve->own->components.root[sets->first[k]]]
                 : -INFINITY;
    }
    ooze_halo_max(solve->step->context->halo, sets->lowest, sets->count);
    for (int k = 0; k < sets->count; k++) {
        sets->lowest[k] = -sets->lowest[k];
        if (sets->first[k] != UINT64_MAX) {
            uint32_t root = solve->own->components.root[sets->first[k]];
            changed = changed || sets->lowest[k] < (double)sharing->lowest[root];
            sharing->lowest[root] = (uint64_t)sets->lowest[k];
            sharing->shared[root] = 1;
        }
    }
    return changed;
}

/* The lowest index of each component travels from process to process until none finds a lower
   one. */
static void find_lowest(OozeLodge *solve, const OozeComponentSets *sets)
{
    struct OozeComponentSharing *sharing = solve->own->components.sharing;
    const OozeConformationStep *s = solve->step;
    OozeHalo *halo = s->context->halo;
    for (uint64_t i = 0; i < s->local; i++) {
        sharing->lowest[i] = UINT64_MAX;
        sharing->shared[i] = 0;
    }
    for (uint64_t i = 0; i < s->local; i++) {
        uint64_t *lowest = &sharing->lowest[solve->own->components.root[i]],
                 index = ooze_halo_index(halo, i);
        *lowest = index < *lowest ? index : *lowest;
        sharing->shared[solve->own->components.root[i]] |= i >= s->n;
    }
    for (bool changed = true; changed; changed = ooze_halo_any(halo, changed)) {
        changed = false;
        for (uint64_t i = 0; i < s->n; i++) {
            sharing->value[i] = sharing->lowest[solve->own->components.root[i]];
        }
        ooze_halo_refresh(halo, sharing->value, sizeof *sharing->value);
        for (uint64_t i = s->n; i < s->local; i++) {
            uint64_t *lowest = &sharing->lowest[solve->own->components.root[i]];
            changed = changed || sharing->value[i] < *lowest;
            *lowest = sharing->value[i] < *lowest ? sharing->value[i] : *lowest;
        }
        changed = (sets && lower_sets(solve, sets)) || changed;
    }
}

static int compare_labels(const void *a, const void *b)
{
    const Label *x = a, *y = b;
    int by_lowest = (x->lowest > y->lowest) - (x->lowest < y->lowest);
    return by_lowest ? by_lowest : (x->root > y->root) - (x->root < y->root);
}

uint64_t ooze_component_lowest(const OozeLodge *solve, uint32_t root)
{
    return solve->own->components.sharing->lowest[root];
}

bool ooze_component_is_shared(const OozeLodge *solve, uint32_t root)
{
    return solve->own->components.sharing->shared[root] != 0;
}

void ooze_component_sharing_find(OozeLodge *solve, const OozeComponentSets *sets)
{
    struct OozeComponentSharing *sharing = solve->own->components.sharing;
    const OozeConformationStep *s = solve->step;
    find_lowest(solve, sets);
    sharing->count = 0;
    for (uint64_t i = 0; i < s->local; i++) {
        if (solve->own->components.root[i] == i) {
            sharing->labels[sharing->count++] = (Label){sharing->lowest[i], (uint32_t)i};
        }
    }
    qsort(sharing->labels, sharing->count, sizeof *sharing->labels, compare_labels);
    uint64_t kept = 0;
    for (uint64_t k = 0; k < sharing->count; k++) {
        Label label = sharing->labels[k];
        if (kept == 0 || sharing->labels[kept - 1].lowest != label.lowest) {
            sharing->labels[kept++] = label;
        }
        sharing->rename[label.root] = sharing->labels[kept - 1].root;
        sharing->shared[sharing->labels[kept - 1].root] |= sharing->shared[label.root];
    }
    sharing->count = kept;
    for (uint64_t i = 0; i < s->local; i++) {
        solve->own->components.root[i] = sharing->rename[solve->own->components.root[i]];
    }
}

/* ---- gains ---- */

static void add(OozeComponentGain *to, const OozeComponentGain *from)
{
    to->residual += from->residual;
    to->curvature += from->curvature;
    to->anchors += from->anchors;
}

/* Adds to a component of this process alone, or lists what all processes are to add. Without a list
   it counts. */
static uint64_t contribute(OozeLodge *solve, Contribution *list)
{
    const struct OozeComponentSharing *sharing = solve->own->components.sharing;
    uint64_t n = solve->step->n, count = 0;
    for (uint64_t begin = 0; begin < n; begin += GRAIN) {
        const struct OozeComponentChunk *chunk = &solve->own->components.chunks[begin / GRAIN];
        uint64_t end = begin + GRAIN < n ? begin + GRAIN : n;
        end = chunk->mixed ? end : begin + 1;
        for (uint64_t i = begin; i < end; i++) {
            uint32_t root = solve->own->components.root[i];
            OozeComponentGain gain = {0};
            if (sharing->shared[root] && !list) {
                count++;
            } else if (sharing->shared[root]) {
                if (chunk->mixed) {
                    ooze_warm_start_add_gain(solve, i, &gain);
                }
                list[count++] =
                    (Contribution){sharing->lowest[root], chunk->mixed ? gain : chunk->gain};
            } else if (list && chunk->mixed) {
                ooze_warm_start_add_gain(solve, i, &solve->own->components.of_root[root].gain);
            } else if (list) {
                add(&solve->own->components.of_root[root].gain, &chunk->gain);
            }
        }
    }
    return count;
}

static const Label *find_label(const struct OozeComponentSharing *sharing, uint64_t lowest)
{
    const Label *labels = sharing->labels;
    uint64_t at = ooze_lower_bound(&labels->lowest, sizeof *labels, sharing->count, lowest);
    return at < sharing->count && labels[at].lowest == lowest ? &labels[at] : NULL;
}

OozeStatus ooze_component_sharing_sum(OozeLodge *solve, OozeError *error)
{
    const struct OozeComponentSharing *sharing = solve->own->components.sharing;
    const OozeConformationStep *s = solve->step;
    OozeArena *arena = s->context->arena;
    OozeArenaMark mark = ooze_arena_mark(arena);
    OozeHaloList list = {.count = contribute(solve, NULL), .size = sizeof(Contribution)};
    Contribution *own = ooze_arena_alloc(arena, list.count, sizeof *own);
    if (!own) {
        return ooze_fail_memory(error, "the components of the fluid",
                                list.count * sizeof(Contribution));
    }
    for (uint64_t i = s->n; i < s->local; i++) { /* loops over chunks have cleared the others */
        solve->own->components.of_root[i] = (struct OozeComponent){0};
    }
    contribute(solve, own);
    list.own = own;
    OozeStatus status = ooze_halo_gather_list(s->context->halo, arena, &list, error);
    const Contribution *all = list.all;
    for (uint64_t k = 0; k < list.total && !status; k++) {
        const Label *label = find_label(sharing, all[k].lowest);
        if (label) {
            add(&solve->own->components.of_root[label->root].gain, &all[k].gain);
        }
    }
    ooze_arena_rewind(arena, mark);
    return status;
}

bool ooze_component_sharing_decide(OozeLodge *solve)
{
    const struct OozeComponentSharing *sharing = solve->own->components.sharing;
    bool partly = false;
    for (uint64_t k = 0; k < sharing->count; k++) {
        struct OozeComponent *component = &solve->own->components.of_root[sharing->labels[k].root];
        component->accepted_fraction = ooze_warm_start_accepted_fraction(component->gain);
        partly = partly || (component->gain.curvature > 0.0 && component->accepted_fraction < 1.0f);
    }
    return ooze_halo_any(solve->step->context->halo, partly);
}
