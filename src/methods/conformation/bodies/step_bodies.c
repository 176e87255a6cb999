#include "methods/conformation/bodies/step_bodies.h"

#include "base/fail.h"
#include "physics/kernels.h"

/* ---- copies between particles and slots ---- */

typedef struct SlotCopy {
    const OozeBodies *bodies;
    const OozeF32x4 *from;
    OozeF32x4 *to;
    OozeFloat4 *slots;
    bool add;
} SlotCopy;

static void to_slots_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const SlotCopy *copy = data;
    for (uint64_t slot = begin; slot < end; slot++) {
        uint32_t i = copy->bodies->index[slot];
        if (i != OOZE_NO_PARTICLE) {
            OozeF32x4 a = copy->from[i];
            copy->slots[slot] = (OozeFloat4){a[0], a[1], a[2], 0};
        }
    }
}

static void from_slots_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const SlotCopy *copy = data;
    for (uint64_t slot = begin; slot < end; slot++) {
        uint32_t i = copy->bodies->index[slot];
        if (i < OOZE_FAR_PARTICLE) {
            OozeFloat4 a = copy->slots[slot];
            OozeF32x4 value = ooze_f32x4(a.x, a.y, a.z, 0);
            copy->to[i] = copy->add ? copy->to[i] + value : value;
        }
    }
}

static void run(const OozeBodies *b, OozeRangeBody body, SlotCopy *copy)
{
    ooze_parallel_for(b->context->threads, b->rigid_slots, OOZE_CONFORMATION_GRAIN, body, copy);
}

/* A field of the particles of rigid bodies, by slots, in one of two arrays. */
static OozeFloat4 *to_slots(const OozeBodies *b, const OozeF32x4 *field, int which)
{
    SlotCopy copy = {.bodies = b, .from = field, .slots = b->field[which]};
    if (b->sharing) {
        ooze_body_sharing_to_slots(b, field, b->field[which]);
    } else {
        run(b, to_slots_range, &copy);
    }
    return b->field[which];
}

static void from_slots(const OozeBodies *b, OozeFloat4 *slots, OozeF32x4 *field, bool add)
{
    SlotCopy copy = {.bodies = b, .to = field, .slots = slots, .add = add};
    run(b, from_slots_range, &copy);
}

/* ---- the beginning of the step ---- */

static void number_particles(OozeStepBodies *b)
{
    const OozeConformationStep *s = b->step;
    const OozeStepContext *c = s->context;
    OozeBodies *all = &b->all;
    const uint64_t *ids = ooze_particles_ids(c->particles);
    for (uint64_t slot = 0; slot < all->slots; slot++) {
        all->index[slot] = OOZE_NO_PARTICLE;
    }
    for (uint64_t i = 0; i < s->n; i++) {
        b->slot[i] = UINT32_MAX;
        b->rigid_of[i] = 0;
        if (c->body[i]) {
            int body = c->body[i] - 1;
            uint64_t slot = all->first_slot[body] + (ids[i] - c->bodies[body].first_id);
            b->slot[i] = (uint32_t)slot;
            b->rigid_of[i] = all->rigid_of[body];
            all->index[slot] = (uint32_t)i;
            all->rest[slot] = c->rest[i];
            if (b->rigid_of[i]) {
                OozeF32x4 x = s->x0[i];
                float mass = s->rheology[s->material[i]].relative_mass;
                all->place[slot] = (OozeFloat4){x[0], x[1], x[2], mass};
            }
        }
    }
}

static void film_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeStepBodies *b = data;
    const OozeConformationStep *s = b->step;
    const OozeNeighbours *list = s->context->fluid;
    for (uint64_t i = begin; i < end; i++) {
        float largest = 0.0f;
        b->film[i] = s->material[i];
        for (uint64_t e = list->first[i], last = e + list->count[i];
             e < last && b->slot[i] != UINT32_MAX; e++) {
            uint32_t j = list->index[e];
            if (ooze_film_is_nearer(b->slot[j] == UINT32_MAX, s->own->edges->weight[e], &largest)) {
                b->film[i] = s->material[j];
            }
        }
    }
}

/* Density of a particle by its own body: in a rigid body by all neighbours, in a soft one by those
   it has bonds with. The density stage does not change it, unless a soft body folds onto itself. */
static void target_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeStepBodies *b = data;
    const OozeConformationStep *s = b->step;
    const OozeNeighbours *list = s->context->fluid;
    for (uint64_t i = begin; i < end; i++) {
        uint32_t slot = b->slot[i];
        float sum = ooze_cubic_value(0, s->support);
        b->ignores_boundary[i] = slot != UINT32_MAX;
        for (uint64_t e = list->first[i], last = e + list->count[i]; b->rigid_of[i] && e < last;
             e++) {
            uint32_t j = list->index[e];
            OozeF32x4 d = ooze_f32x4_nearest(s->x0[j] - s->x0[i], &s->context->periodic);
            float value = ooze_cubic_value(sqrtf(ooze_f32x4_dot3(d, d)), s->support);
            sum += b->rigid_of[j] == b->rigid_of[i] ? value : 0.0f;
        }
        bool soft = b->bonds && slot != UINT32_MAX;
        for (uint64_t e = soft ? b->bonds->first[slot] : 0; soft && e < b->bonds->first[slot + 1];
             e++) {
            sum += ooze_cubic_value(b->bonds->length[e] + b->pull[e][3], s->support);
        }
        b->density_target[i] = b->ignores_boundary[i] ? ooze_max(1.0f, s->volume * sum) : 1.0f;
    }
}

static void pull_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeStepBodies *b = data;
    const OozeConformationStep *s = b->step;
    for (uint64_t slot = begin; slot < end; slot++) {
        uint32_t i = b->all.index[slot];
        if (i >= OOZE_FAR_PARTICLE) {
            continue;
        }
        for (uint64_t e = b->bonds->first[slot]; e < b->bonds->first[slot + 1]; e++) {
            OozeF32x4 x = ooze_bond_value(b, s->x0, b->to[e]);
            OozeF32x4 d = ooze_f32x4_nearest(x - s->x0[i], &s->context->periodic);
            float r = sqrtf(ooze_f32x4_dot3(d, d)), rest = b->bonds->length[e];
            /* both ends have the same material: a body has one */
            float modulus = s->rheology[s->material[i]].bond_modulus;
            OozeF32x4 n = r > 0.0f ? d / r : ooze_f32x4(0, 0, 0, 0);
            n[3] = r - rest;
            b->pull[e] = n;
            b->stiffness[e] = ooze_bond_stiffness(modulus, b->bonds->share[e], rest);
        }
    }
}

static OozeStatus begin_bonds(OozeStepBodies *b, OozeError *error)
{
    const OozeStepContext *c = b->step->context;
    OozeStatus status = ooze_bonds_find(&b->all, &b->step->memory->bonds, error);
    b->bonds = b->all.bonds;
    if (status || !b->bonds) {
        return status;
    }
    uint64_t count = b->bonds->first[b->all.slots];
    b->pull = ooze_arena_alloc(c->arena, count, sizeof *b->pull);
    b->stiffness = ooze_arena_alloc(c->arena, count, sizeof *b->stiffness);
    b->to = ooze_arena_alloc(c->arena, count, sizeof *b->to);
    if (ooze_arena_failed(c->arena)) {
        return ooze_fail_memory(error, "bonds", count * sizeof *b->pull);
    }
    for (uint64_t e = 0; e < count; e++) {
        b->to[e] = b->all.index[b->bonds->other[e]];
    }
    status = b->all.sharing ? ooze_body_sharing_find_ends(b, error) : OOZE_OK;
    if (status) {
        return status;
    }
    ooze_step_bodies_fetch(b->step, b->step->x0);
    ooze_parallel_for(c->threads, b->all.slots, OOZE_CONFORMATION_GRAIN, pull_range, b);
    return OOZE_OK;
}

static OozeStatus allocate(OozeStepBodies *b, OozeError *error)
{
    OozeArena *arena = b->step->context->arena;
    uint64_t n = b->step->n, local = b->step->local;
    b->slot = ooze_arena_alloc(arena, local, sizeof *b->slot);
    b->rigid_of = ooze_arena_alloc(arena, local, sizeof *b->rigid_of);
    b->effective_inverse_mass = ooze_arena_alloc(arena, local, sizeof *b->effective_inverse_mass);
    b->density_target = ooze_arena_alloc(arena, n, sizeof *b->density_target);
    b->ignores_boundary = ooze_arena_alloc(arena, n, sizeof *b->ignores_boundary);
    b->film = ooze_arena_alloc(arena, n, sizeof *b->film);
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the bodies", n * 17);
    }
    OozeStatus status = ooze_bodies_assign_slots(&b->all, b->step->context,
                                                 b->step->plan->settings.contact_distance, error);
    return status ? status : ooze_bodies_allocate(&b->all, error);
}

OozeStatus ooze_step_bodies_begin(OozeConformationStep *s, OozeError *error)
{
    const OozeStepContext *c = s->context;
    s->own->bodies = NULL;
    if (c->body_count == 0) {
        return OOZE_OK;
    }
    OozeStepBodies *b = ooze_arena_alloc(c->arena, 1, sizeof *b);
    if (!b) {
        return ooze_fail_memory(error, "the bodies", sizeof *b);
    }
    *b = (OozeStepBodies){.step = s};
    OozeStatus status = allocate(b, error);
    if (status) {
        return status;
    }
    number_particles(b);
    ooze_halo_refresh(c->halo, b->slot, sizeof *b->slot);
    ooze_halo_refresh(c->halo, b->rigid_of, sizeof *b->rigid_of);
    status = c->halo ? ooze_body_sharing_begin(b, error) : OOZE_OK;
    if (status) {
        return status;
    }
    ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN, film_range, b);
    OozeFloat4 *u = to_slots(&b->all, s->u, 0);
    status = ooze_bodies_begin(&b->all, u, error);
    from_slots(&b->all, u, s->u, false);
    for (uint64_t i = 0; i < s->n; i++) {
        int rigid = b->rigid_of[i] - 1;
        float effective_inverse_mass =
            rigid < 0 ? 1.0f : ooze_rigid_inverse_mass_ratio(&b->all.rigids[rigid]);
        b->effective_inverse_mass[i] = s->mobility[i] * effective_inverse_mass;
    }
    ooze_halo_refresh(c->halo, b->effective_inverse_mass, sizeof *b->effective_inverse_mass);
    s->own->bodies = b;
    s->film = b->film;
    s->body = c->body;
    s->rigid_of = b->rigid_of;
    status = status ? status : begin_bonds(b, error);
    if (!status) {
        ooze_parallel_for(c->threads, s->n, OOZE_CONFORMATION_GRAIN, target_range, b);
    }
    return status;
}

/* ---- rigid bodies ---- */

/* NULL: no body is rigid. */
static OozeBodies *rigids_of(const OozeConformationStep *s)
{
    return s->own->bodies && s->own->bodies->all.rigid_count > 0 ? &s->own->bodies->all : NULL;
}

double ooze_step_bodies_precondition(OozeConformationStep *s, const OozeF32x4 *r)
{
    OozeBodies *b = rigids_of(s);
    return b ? ooze_rigid_precondition(b, to_slots(b, r, 0)) : 0.0;
}

void ooze_step_bodies_respond(OozeConformationStep *s, OozeF32x4 *field)
{
    OozeBodies *b = rigids_of(s);
    if (b) {
        ooze_rigid_spread_response(b, b->field[0]);
        from_slots(b, b->field[0], field, true);
    }
}

void ooze_step_bodies_smooth(OozeConformationStep *s, OozeF32x4 *field)
{
    OozeBodies *b = rigids_of(s);
    if (b) {
        ooze_rigid_smooth(b);
        ooze_step_bodies_respond(s, field);
    }
}

void ooze_step_bodies_project_velocities(OozeConformationStep *s, OozeF32x4 *field)
{
    OozeBodies *b = rigids_of(s);
    if (b) {
        ooze_rigid_project_velocities(b, to_slots(b, field, 0));
        from_slots(b, b->field[0], field, false);
    }
}

void ooze_step_bodies_begin_pass(OozeConformationStep *s, OozeF32x4 *u_star)
{
    OozeBodies *b = rigids_of(s);
    if (b) {
        ooze_rigid_begin_pass(b, b->field[0], b->field[1]);
        from_slots(b, b->field[0], s->u, false);
        from_slots(b, b->field[1], u_star, false);
    }
}

void ooze_step_bodies_end_pass(OozeConformationStep *s, const OozeF32x4 *residual)
{
    OozeBodies *b = rigids_of(s);
    if (b) {
        ooze_rigid_end_pass(b, to_slots(b, s->u, 0), to_slots(b, residual, 1));
    }
}

void ooze_step_bodies_apply_impulses(OozeConformationStep *s)
{
    OozeBodies *b = rigids_of(s);
    if (b) {
        ooze_rigid_apply_impulses(b, to_slots(b, s->u, 0));
        from_slots(b, b->field[0], s->u, false);
    }
}

void ooze_step_bodies_shift(void *user, OozeF32x4 *shift)
{
    OozeBodies *b = rigids_of(user);
    ooze_rigid_shift(b, to_slots(b, shift, 0));
    from_slots(b, b->field[0], shift, false);
}

void ooze_step_bodies_place(OozeConformationStep *s)
{
    OozeBodies *b = rigids_of(s);
    if (b) {
        ooze_bodies_place(b, to_slots(b, s->u, 0), b->field[1]);
        from_slots(b, b->field[0], s->u, false);
        from_slots(b, b->field[1], s->x, false);
    }
}
