/* Fixtures of tests of the blend method's shape matching: reference shapes, their regions, and a
   matching that is run on positions in double. */
#ifndef OOZE_TESTS_BLEND_REGIONS_H
#define OOZE_TESTS_BLEND_REGIONS_H

#include "check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "methods/blend/stages.h"

/* A reference shape in store order, and its regions. */
typedef struct Shaped {
    uint64_t n;
    OozeFloat4 *reference;
    uint32_t *step, *slot;
    uint64_t *id;
    OozeRegions regions;
    OozeArena *arena;
} Shaped;

static inline void shaped_reserve(Shaped *s, uint64_t n)
{
    *s = (Shaped){.n = n};
    s->reference = calloc(n + 1, sizeof *s->reference);
    s->step = calloc(n + 1, sizeof *s->step);
    s->slot = calloc(n + 1, sizeof *s->slot);
    s->id = calloc(n + 1, sizeof *s->id);
    s->arena = ooze_arena_create();
    assert_true(s->reference && s->step && s->slot && s->id && s->arena);
    for (uint64_t i = 0; i < n; i++) {
        s->step[i] = 1;
        s->id[i] = i;
    }
}

static inline void shaped_free(Shaped *s)
{
    free(s->reference);
    free(s->step);
    free(s->slot);
    free(s->id);
    ooze_regions_free(&s->regions);
    ooze_arena_destroy(s->arena);
}

/* nx by ny by nz particles about `centre`. */
static inline Shaped shaped_lattice(const int n[3], double spacing, OozeVec3 centre)
{
    Shaped s;
    shaped_reserve(&s, (uint64_t)n[0] * (uint64_t)n[1] * (uint64_t)n[2]);
    for (uint64_t i = 0; i < s.n; i++) {
        int at[3] = {(int)(i % (uint64_t)n[0]), (int)(i / (uint64_t)n[0] % (uint64_t)n[1]),
                     (int)(i / (uint64_t)n[0] / (uint64_t)n[1])};
        s.reference[i] = (OozeFloat4){(float)(centre.x + spacing * (at[0] - 0.5 * (n[0] - 1))),
                                      (float)(centre.y + spacing * (at[1] - 0.5 * (n[1] - 1))),
                                      (float)(centre.z + spacing * (at[2] - 0.5 * (n[2] - 1))), 0};
    }
    return s;
}

/* n particles at random in a cube of this edge about `centre`. */
static inline Shaped shaped_cloud(uint64_t n, double edge, OozeVec3 centre, uint64_t seed)
{
    Shaped s;
    shaped_reserve(&s, n);
    for (uint64_t i = 0; i < n; i++) {
        s.reference[i] =
            (OozeFloat4){(float)(centre.x + edge * (ooze_random01(seed, i, 0) - 0.5)),
                         (float)(centre.y + edge * (ooze_random01(seed, i, 1) - 0.5)),
                         (float)(centre.z + edge * (ooze_random01(seed, i, 2) - 0.5)), 0};
    }
    return s;
}

static inline void shaped_build(Shaped *s, OozeRegionKind kind, double radius, OozeThreads *threads)
{
    OozeRegionsInput input = {.n = s->n,
                              .reference = s->reference,
                              .reference_step = s->step,
                              .id = s->id,
                              .kind = kind,
                              .radius = radius};
    CHECK_OK(ooze_regions_build(&s->regions, threads, &input, s->slot, &error));
}

static inline OozeVec3 reference_of(const Shaped *s, uint64_t slot)
{
    const OozeFloat4 *q = &s->regions.reference[slot];
    return vec3((double)q->x, (double)q->y, (double)q->z);
}

/* Particle position as a function of the reference position. */
typedef OozeVec3 (*Deformer)(OozeVec3 reference, const void *user);

/* A matching with unit stiffness per particle, so that pulls are goals less positions; rotations
   start from the identity. */
static inline OozeMatching shaped_matching(Shaped *s, bool damped, Deformer deform,
                                           const void *user)
{
    OozeMatching m = {.regions = &s->regions};
    const uint64_t n = s->regions.n, count = ooze_regions_count(&s->regions);
    const uint64_t sums = ooze_blend_stages.sums_per_cell * s->regions.cells;
    ooze_arena_reset(s->arena);
    m.position = ooze_arena_alloc(s->arena, n, sizeof *m.position);
    m.velocity = damped ? ooze_arena_alloc(s->arena, n, sizeof *m.velocity) : NULL;
    m.pull = ooze_arena_alloc(s->arena, n, sizeof *m.pull);
    m.rotation = ooze_arena_alloc(s->arena, count, sizeof *m.rotation);
    m.map = ooze_arena_alloc(s->arena, count, sizeof *m.map);
    m.motion = damped ? ooze_arena_alloc(s->arena, count, sizeof *m.motion) : NULL;
    m.sums = ooze_arena_alloc(s->arena, sums, sizeof *m.sums);
    assert_false(ooze_arena_failed(s->arena));
    for (uint64_t k = 0; k < n; k++) {
        OozeVec3 x = deform(reference_of(s, k), user);
        m.position[k] = (OozeMatchPoint){{x.x, x.y, x.z}, s->regions.share[k]};
    }
    for (uint64_t r = 0; r < count; r++) {
        m.rotation[r][0] = 1.0;
        m.rotation[r][1] = m.rotation[r][2] = m.rotation[r][3] = 0.0;
    }
    return m;
}

/* Pulls of a matching from its points. */
static inline void shaped_match(Shaped *s, const OozeMatching *m, OozeThreads *threads)
{
    OozeStepContext context = {.threads = threads};
    OozeMachine machine = {.context = &context};
    OozeBlendStep step = {.machine = &machine, .regions = &s->regions, .matching = *m};
    ooze_blend_run_matching(&step, &ooze_blend_stages);
}

static inline OozeVec3 pull_of(const OozeMatching *m, uint64_t slot)
{
    return vec3(m->pull[slot][0], m->pull[slot][1], m->pull[slot][2]);
}

static inline double longest_pull(const OozeMatching *m)
{
    double longest = 0;
    for (uint64_t k = 0; k < m->regions->n; k++) {
        longest = fmax(longest, vec3_length(pull_of(m, k)));
    }
    return longest;
}

#endif
