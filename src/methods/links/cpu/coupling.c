/* Corrections are first computed as if solids were fixed. With N particles at a dynamic solid, each
   takes the share

   1 / (1 + N y/w)

   of its correction, where w and y are the inverse effective masses of the particle and of the
   solid at that point, and the solid gets the opposite impulse: the solid is divided into N parts
   of equal mass. When all particles push equally, the relative motion of particle and solid is the
   correction, for any mass: Jacobi iterations do not overshoot, and momentum is conserved. */
#include <math.h>
#include <string.h>

#include "methods/links/cpu/loops.h"
#include "solvers/contact/dynamic_coupling_f32x4.h"

static OozeVec3 widen(OozeF32x4 a)
{
    return vec3((double)a[0], (double)a[1], (double)a[2]);
}

OozeStatus ooze_links_couple(OozeLinksStep *s, OozeError *error)
{
    OozeStepContext *c = s->machine->context;
    OozeDynamicCoupling *coupling = &s->memory->coupling;
    OozeStatus status = ooze_coupling_begin(coupling, c, ooze_links_particle_mass(c), error);
    if (!status && c->dynamic->dynamics) { /* contacts change the free motion */
        ooze_coupling_move_samples(coupling);
    }
    return status;
}

void ooze_links_load_solids(OozeLinksStep *s)
{
    ooze_coupling_load(&s->memory->coupling);
}

static void run(const OozeLinksStep *s, OozeRangeBody body, void *data)
{
    ooze_parallel_for(s->machine->context->threads, s->machine->n, OOZE_COUPLING_GRAIN, body, data);
}

/* ---- solids near a particle ------------------------------------------------------------------ */

/* Boundary samples near a particle, and its links to solids. */
typedef struct SolidsNear {
    const uint32_t *sample;
    uint32_t samples;
    const OozeWallLink *link;
    const OozeF32x4 *held;
    uint32_t links;
} SolidsNear;

static SolidsNear solids_near(const OozeLinksStep *s, uint64_t i)
{
    const OozeNeighbours *near = &s->memory->near_walls;
    const OozeLinkRows *rows = &s->memory->table.walls[0];
    SolidsNear a = {.samples = s->k.samples ? near->count[i] : 0,
                    .links = s->k.linked ? rows->count[i] : 0};
    a.sample = a.samples ? near->index + near->first[i] : NULL;
    a.link = a.links ? ooze_wall_links_of(rows, i) : NULL;
    a.held = a.links ? s->held_at + rows->first[i] : NULL;
    return a;
}

/* The next dynamic solid after number k, or -1; `only_one`: all samples and links are of one
   solid. */
static int next_solid(const OozeLinksStep *s, const SolidsNear *a, int k, bool *only_one)
{
    const OozeDynamicCoupling *c = &s->memory->coupling;
    const uint16_t *solid = s->machine->context->boundary->solid;
    int next = INT32_MAX, lowest = INT32_MAX, highest = -2;
    for (uint32_t e = 0; e < a->samples + a->links; e++) {
        int other =
            c->index_of[e < a->samples ? solid[a->sample[e]] : a->link[e - a->samples].solid];
        next = other > k && other < next ? other : next;
        lowest = other < lowest ? other : lowest;
        highest = other > highest ? other : highest;
    }
    *only_one = lowest == highest;
    return next == INT32_MAX ? -1 : next;
}

static void near_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    bool near = false, only_one;
    for (uint64_t i = begin; i < end && !near; i++) {
        SolidsNear a = solids_near(s, i);
        near = next_solid(s, &a, -1, &only_one) >= 0;
    }
    s->memory->coupling.near[begin / OOZE_COUPLING_GRAIN] = near;
}

OozeStatus ooze_links_find_near(OozeLinksStep *s, OozeError *error)
{
    OozeMachine *machine = s->machine;
    s->from_walls = ooze_machine_alloc(machine, machine->n, sizeof *s->from_walls);
    OozeStatus status = ooze_machine_status(machine, "dynamic solids", error);
    if (!status) {
        run(s, near_range, s);
    }
    return status;
}

/* ---- pushes ----------------------------------------------------------------------------- */

/* Correction of particle i by the samples and links of one of several solids: see sweep_loops.c. */
static OozeF32x4 part_of(const OozeLinksStep *s, uint64_t i, const SolidsNear *a, int solid)
{
    const OozeBoundary *b = s->machine->context->boundary;
    OozeF32x4 push = {0}, pull = {0};
    float smallest = 1e-6f * s->k.support;
    float lambda = s->x_lambda[i][3] / s->steepness,
          share = s->k.linked ? s->share[i] / s->shared : 0.0f;
    for (uint32_t e = 0; e < a->samples; e++) {
        uint32_t k = a->sample[e];
        OozeF32x4 d = ooze_links_separation(s, s->x[i], ooze_f32x4_load(&b->position[k].x));
        float r = sqrtf(ooze_f32x4_dot3(d, d)), volume = s->k.wall_scale * b->volume[k];
        float apart = ooze_artificial_pressure(
            s->k.pressure_scale, ooze_links_value(&s->k.kernel, r), s->k.pressure_reference);
        float f = volume * ooze_links_slope(&s->k.kernel, r) / fmaxf(r, smallest);
        push += (b->solid[k] == solid ? f * (2.0f * lambda + apart) : 0.0f) * d;
    }
    for (uint32_t e = 0; e < a->links; e++) {
        OozeF32x4 at = a->held[e];
        OozeF32x4 d = ooze_links_separation(s, s->x[i], ooze_f32x4(at[0], at[1], at[2], 0));
        float r = sqrtf(ooze_f32x4_dot3(d, d));
        float f = fmaxf(r - at[3], 0.0f) / fmaxf(r, smallest);
        pull += ((int)a->link[e].solid == solid ? f : 0.0f) * d;
    }
    OozeF32x4 all = push - (s->k.strength / s->inverse_mass[i] * share) * pull;
    all[3] = 0;
    return all;
}

static OozeF32x4 push_of(const OozeLinksStep *s, uint64_t i, const SolidsNear *a, int k,
                         bool only_one)
{
    const OozeDynamicSolid *solids = s->memory->coupling.solids;
    OozeF32x4 push = only_one ? s->from_walls[i] : part_of(s, i, a, solids[k].solid);
    push[3] = 0;
    return push;
}

typedef struct Push {
    OozeLinksStep *step;
    bool counts; /* counts particles; otherwise divides the corrections */
} Push;

static void divide_push(OozeLinksStep *s, uint64_t i, int k, OozeF32x4 push, OozeTwist *sum)
{
    const OozeDynamicCoupling *coupling = &s->memory->coupling;
    const OozeDynamicSolid *solid = &coupling->solids[k];
    OozeVec3 arm = ooze_coupling_arm_to(coupling, solid, s->x0[s->order[i]]), along = widen(push);
    double compliance = ooze_coupling_compliance(solid, arm, along) / vec3_dot(along, along);
    double share = 1.0 / (1.0 + solid->touching * compliance / (double)s->inverse_mass[i]);
    OozeF32x4 given_back = (float)(1.0 - share) * push;
    s->change[i] -= given_back;
    ooze_coupling_add(sum, arm, vec3_scale(widen(push - given_back), -1.0));
}

static void push_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Push *job = data;
    OozeLinksStep *s = job->step;
    OozeDynamicCoupling *coupling = &s->memory->coupling;
    if (!coupling->near[begin / OOZE_COUPLING_GRAIN]) {
        return;
    }
    OozeTwist *sum = ooze_coupling_chunk(coupling, begin);
    for (uint64_t i = begin; i < end; i++) {
        SolidsNear a = solids_near(s, i);
        bool only_one = false;
        int k = s->inverse_mass[i] > 0.0f ? next_solid(s, &a, -1, &only_one) : -1;
        for (; k >= 0; k = next_solid(s, &a, k, &only_one)) {
            OozeF32x4 push = push_of(s, i, &a, k, only_one);
            if (!(ooze_f32x4_dot3(push, push) > 0.0f)) {
                continue;
            }
            if (job->counts) {
                sum[k].v[0] += 1.0;
            } else {
                divide_push(s, i, k, push, &sum[k]);
            }
        }
    }
}

void ooze_links_push_solids(OozeLinksStep *s)
{
    OozeDynamicCoupling *c = &s->memory->coupling;
    Push job = {.step = s, .counts = true};
    run(s, push_range, &job);
    ooze_coupling_collect(c);
    for (int k = 0; k < c->count; k++) {
        c->solids[k].touching = c->solids[k].collected.v[0];
    }
    job.counts = false;
    run(s, push_range, &job);
    ooze_links_move_solids(s);
}

/* ---- links ------------------------------------------------------------------------------ */

static void hold_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLinksStep *s = data;
    const OozeLinkRows *rows = &s->memory->table.walls[0];
    const OozeDynamicCoupling *coupling = &s->memory->coupling;
    for (uint64_t i = begin; i < end && coupling->near[begin / OOZE_COUPLING_GRAIN]; i++) {
        const OozeWallLink *row = ooze_wall_links_of(rows, i);
        for (uint32_t k = 0; k < rows->count[i]; k++) {
            if (ooze_coupling_is_dynamic(coupling, row[k].solid)) {
                s->held_at[rows->first[i] + k] = ooze_links_held_at(s, &row[k]);
            }
        }
    }
}

void ooze_links_hold(OozeLinksStep *s)
{
    ooze_links_update_solids(s);
    run(s, hold_range, s);
}
