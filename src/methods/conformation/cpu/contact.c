/* Finding contacts for the velocity solve: the contact set of every particle that its free
   motion would take into a solid. See solvers/contact/contact_set_formula.h. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/conformation/cpu/impact.h"
#include "methods/conformation/step_formula.h"

/* `near`: solids that the particle may touch. */
static OozeContactSet find_contact_set(const OozeConformationStep *s, uint64_t i, uint64_t near)
{
    const OozeStepContext *c = s->context;
    const OozeContactScale scale = {c->dt, c->spacing, (double)s->contact_distance};
    OozeContactSearch search = {.set = {.count = 0}};
    const OozeVec3 x = ooze_vector_widen(s->x0[i]);
    const bool held = ooze_step_is_held(s, i);
    OozeVec3 u;
    if (!ooze_step_begin_contacts(s, i, &search, &u)) {
        return search.set;
    }
    for (int k = 0; k < c->solid_count; k++) {
        const OozeSolid *solid = &c->solids[k];
        double friction = ooze_solid_fluid_friction(solid);
        if (!ooze_broad_phase_has(near, k) || solid->params[OOZE_SOLID_COLLIDES] == 0.0 ||
            (held && isinf(friction) && solid->sampled)) {
            continue; /* the pressure of the grid keeps fluid out of no-slip solids */
        }
        OozeContact contact = ooze_solid_contact(solid, x);
        bool deep, dynamic = s->own->coupling && ooze_coupling_is_dynamic(s->own->coupling, k);
        double speed = ooze_contact_speed(&scale, &contact, &deep);
        s->buried_in[i] = deep ? k : s->buried_in[i];
        if (s->long_step && !dynamic && ooze_impact_is_far(&scale, &contact)) {
            ooze_impact_meet(s, i, solid, &search);
        } else if (!dynamic) { /* dynamic solids act by their samples and in the density stage */
            ooze_contact_meet(&search, &contact, speed, u, friction);
        }
    }
    ooze_contact_add_tangents(&search);
    return search.set;
}

/* ---- all particles -------------------------------------------------------------------------- */

enum { GRAIN = OOZE_CONFORMATION_GRAIN, GROUPS = GRAIN / OOZE_BROAD_PHASE_GROUP };

typedef struct FindJob {
    OozeConformationStep *step;
    uint64_t *room, *base; /* per chunk: bound on contact sets, and index of the first */
    uint64_t *found;       /* per chunk: contact sets */
} FindJob;

static bool is_prescribed(const OozeConformationStep *s, uint64_t i)
{
    return s->mobility[i] == 0.0f;
}

/* Solids that some particles may touch: those within v dt of the contact distance, v being the
   largest speed. */
static uint64_t find_near(const OozeConformationStep *s, uint64_t begin, uint64_t end,
                          uint64_t among)
{
    float fastest = 0.0f;
    for (uint64_t i = begin; i < end; i++) {
        fastest = ooze_step_flies_freely(s, i)
                      ? fastest
                      : ooze_max(fastest, ooze_f32x4_dot3(s->u[i], s->u[i]));
    }
    float reach = s->contact_distance + s->dt * sqrtf(fastest);
    return ooze_broad_phase_find(s->own->nearby, s->x0, begin, end, reach, true, among);
}

static void near_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConformationStep *s = data;
    uint64_t around = find_near(s, begin, end, UINT64_MAX);
    for (uint64_t first = begin; first < end; first += OOZE_BROAD_PHASE_GROUP) {
        uint64_t last = first + OOZE_BROAD_PHASE_GROUP < end ? first + OOZE_BROAD_PHASE_GROUP : end;
        uint64_t near = around ? find_near(s, first, last, around) : 0;
        s->own->contact_near[first / OOZE_BROAD_PHASE_GROUP] = near;
    }
}

void ooze_conformation_find_near_solids(OozeConformationStep *s)
{
    ooze_parallel_for(s->context->threads, s->n, GRAIN, near_range, s);
}

static void count_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const FindJob *job = data;
    const OozeConformationStep *s = job->step;
    uint64_t room = 0;
    for (uint64_t i = begin; i < end; i++) {
        room += s->own->contact_near[i / OOZE_BROAD_PHASE_GROUP] || is_prescribed(s, i);
    }
    job->room[begin / GRAIN] = room;
}

static void find_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const FindJob *job = data;
    OozeConformationStep *s = job->step;
    uint64_t first = job->base[begin / GRAIN], at = first;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t near = s->own->contact_near[i / OOZE_BROAD_PHASE_GROUP];
        s->contact_of[i] = s->buried_in[i] = -1;
        if ((near && !ooze_step_flies_freely(s, i)) || is_prescribed(s, i)) {
            s->contact_sets[at] = find_contact_set(s, i, near);
            if (s->contact_sets[at].count > 0) {
                s->contact_of[i] = (int32_t)at++;
            }
        }
    }
    job->found[begin / GRAIN] = at - first;
}

/* Indices of the contact sets after packing. */
static void renumber_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const FindJob *job = data;
    OozeConformationStep *s = job->step;
    uint64_t at = job->base[begin / GRAIN];
    for (uint64_t i = begin; i < end && job->found[begin / GRAIN]; i++) {
        if (s->contact_of[i] >= 0) {
            s->contact_of[i] = (int32_t)at++;
        }
    }
}

/* Moves the contact sets together. */
static void pack(FindJob *job, uint64_t chunks)
{
    OozeConformationStep *s = job->step;
    for (uint64_t k = 0; k < chunks; k++) {
        memmove(s->contact_sets + s->own->contact_count, s->contact_sets + job->base[k],
                job->found[k] * sizeof *s->contact_sets);
        job->base[k] = s->own->contact_count;
        s->own->contact_count += job->found[k];
    }
    if (s->own->contact_count > 0) {
        ooze_parallel_for(s->context->threads, s->n, GRAIN, renumber_range, job);
    }
}

static OozeStatus find_contact_sets(FindJob *job, OozeError *error)
{
    OozeConformationStep *s = job->step;
    OozeArena *arena = s->context->arena;
    uint64_t chunks = (s->n + GRAIN - 1) / GRAIN, room = 0;
    s->own->contact_near = ooze_arena_alloc(arena, chunks * GROUPS, sizeof *s->own->contact_near);
    job->room = ooze_arena_alloc(arena, chunks, sizeof *job->room);
    job->base = ooze_arena_alloc(arena, chunks, sizeof *job->base);
    job->found = ooze_arena_alloc(arena, chunks, sizeof *job->found);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "contacts", chunks * GROUPS * sizeof *s->own->contact_near);
    }
    ooze_conformation_find_near_solids(s);
    ooze_parallel_for(s->context->threads, s->n, GRAIN, count_range, job);
    for (uint64_t k = 0; k < chunks; k++) {
        job->base[k] = room;
        room += job->room[k];
    }
    if (s->long_step && s->context->solid_count > 0) {
        room = s->n; /* the solve may bring any particle to a solid */
    }
    s->contact_sets = ooze_arena_alloc(arena, room, sizeof *s->contact_sets);
    if (!s->contact_sets) {
        return ooze_fail_memory(error, "contacts", room * sizeof *s->contact_sets);
    }
    ooze_parallel_for(s->context->threads, s->n, GRAIN, find_range, job);
    pack(job, chunks);
    s->contact_room = room;
    return OOZE_OK;
}

OozeStatus ooze_conformation_find_contacts(OozeConformationStep *s, OozeError *error)
{
    const OozeStepContext *c = s->context;
    s->contact_of = ooze_arena_alloc(c->arena, s->n, sizeof *s->contact_of);
    s->buried_in = ooze_arena_alloc(c->arena, s->n, sizeof *s->buried_in);
    s->own->contact_count = 0;
    if (ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "contacts", s->n * 8);
    }
    FindJob job = {.step = s};
    OozeStatus status = ooze_broad_phase_begin(s->own->nearby, c->solids, c->solid_count,
                                               c->spacing, c->dt, c->arena, error);
    status = status ? status : find_contact_sets(&job, error);
    s->any_contacts = !status && ooze_halo_any(c->halo, s->own->contact_count > 0);
    return status;
}
