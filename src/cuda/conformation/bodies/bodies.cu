#include "cuda/conformation/bodies/bodies.cuh"

#include "cuda/density.cuh"

namespace ooze
{

/* ---- copies between particles and the host ---- */

/* Copies a field of the particles of rigid bodies to the host; false: the GPU has failed. Waits. */
static bool download(Step *step, const float4 *field, int which)
{
    Bodies *b = step->bodies;
    uint64_t count = b->all.rigid_slots;
    const uint32_t *index = b->index;
    float4 *to = b->field[which];
    for_each(
        step->gpu, count, OOZE_BODY(uint32_t slot) {
            to[slot] = index[slot] != OOZE_NO_PARTICLE ? field[index[slot]] : f32x4(0, 0, 0);
        });
    copy_out(step->gpu, b->all.field[which], to, count * sizeof *to);
    return step->gpu->failed == cudaSuccess;
}

/* Copies a field of rigid slots to its particles. */
static void upload(Step *step, int which, float4 *field)
{
    Bodies *b = step->bodies;
    const uint32_t *index = b->index;
    float4 *from = b->field[which];
    copy_in(step->gpu, from, b->all.field[which], b->all.rigid_slots * sizeof *from);
    for_each(
        step->gpu, b->all.rigid_slots, OOZE_BODY(uint32_t slot) {
            if (index[slot] != OOZE_NO_PARTICLE) {
                field[index[slot]] = from[slot];
            }
        });
}

/* Copies a table of one element a body to the device. */
template <class T> static const T *send_table(Step *step, const T *table, uint64_t count)
{
    T *to = scratch<T>(step->gpu, count);
    copy_in(step->gpu, to, table, count * sizeof(T));
    return to;
}

/* ---- the beginning of the step ---- */

OozeStatus bodies_create(Step *step, Bodies *bodies, OozeError *error)
{
    memset(bodies, 0, sizeof *bodies);
    step->bodies = step->context->body_count > 0 ? bodies : nullptr;
    return step->bodies ? ooze_bodies_create(&bodies->all, step->context,
                                             step->plan.settings.contact_distance, error)
                        : OOZE_OK;
}

/* Row of rheology of each particle: see OozeConformationPlan. */
static void find_rows(Step *step)
{
    const OozeStepContext *c = step->context;
    StepView *s = &step->view;
    const OozeBody *bodies = send_table(step, c->bodies, (uint64_t)c->body_count);
    const uint16_t *material = s->material, *body = s->body;
    uint16_t *row = step->bodies->row;
    uint32_t materials = (uint32_t)c->material_count;
    for_each(
        step->gpu, s->n, OOZE_BODY(uint32_t i) {
            uint32_t kind = body[i] ? (uint32_t)bodies[body[i] - 1].kind : 0;
            row[i] = (uint16_t)(material[i] + kind * materials);
        });
    s->material = row;
}

void bodies_allocate(Step *step)
{
    Gpu *gpu = step->gpu;
    const Store *store = &step->engine->store;
    Bodies *b = step->bodies;
    StepView *s = &step->view;
    s->film = s->material;
    if (!b) {
        return;
    }
    s->body = static_cast<const uint16_t *>(store_data(store, "body"));
    s->pin = static_cast<const uint16_t *>(store_data(store, "pin"));
    b->index = scratch<uint32_t>(gpu, b->all.slots);
    b->field[0] = scratch<float4>(gpu, b->all.rigid_slots);
    b->field[1] = scratch<float4>(gpu, b->all.rigid_slots);
    b->row = scratch<uint16_t>(gpu, s->n);
    s->film = b->film = scratch<uint16_t>(gpu, s->n);
    b->rigid_of = scratch<uint16_t>(gpu, s->n);
    s->own_density_target = b->own_density_target = scratch<float>(gpu, s->n);
    s->effective_inverse_mass = b->effective_inverse_mass = scratch<float>(gpu, s->n);
    s->ignores_boundary = b->ignores_boundary = scratch<uint8_t>(gpu, s->n);
    s->rigid_of = b->all.rigid_count > 0 ? b->rigid_of : nullptr;
    find_rows(step);
}

/* Assigns slots to particles, and copies positions and masses to the host. Waits. */
static void number_particles(Step *step)
{
    Bodies *b = step->bodies;
    Gpu *gpu = step->gpu;
    const Store *store = &step->engine->store;
    StepView s = step->view;
    const OozeBodies *all = &b->all;
    uint64_t bodies = (uint64_t)step->context->body_count, rigid = all->rigid_slots;
    const OozeBody *body = send_table(step, step->context->bodies, bodies);
    const uint64_t *first = send_table(step, all->first_slot, bodies);
    const uint64_t *ids = static_cast<const uint64_t *>(store_data(store, "id"));
    const float4 *rest = static_cast<const float4 *>(store_data(store, "rest_position"));
    uint32_t *index = b->index;
    float4 *rests = scratch<float4>(gpu, all->slots), *places = scratch<float4>(gpu, rigid);
    for_each(
        gpu, all->slots, OOZE_BODY(uint32_t slot) { index[slot] = OOZE_NO_PARTICLE; });
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) {
            if (s.body[i]) {
                uint32_t k = s.body[i] - 1u;
                uint64_t slot = first[k] + (ids[i] - body[k].first_id);
                index[slot] = i;
                rests[slot] = rest[i];
                if (slot < rigid) {
                    float4 x = s.x0[i];
                    places[slot] = f32x4(x.x, x.y, x.z, s.rheology[s.material[i]].relative_mass);
                }
            }
        });
    copy_out(gpu, all->index, index, all->slots * sizeof *index);
    copy_out(gpu, all->rest, rests, all->slots * sizeof *rests);
    copy_out(gpu, all->place, places, rigid * sizeof *places);
}

static void find_films(Step *step)
{
    Gpu *gpu = step->gpu;
    StepView s = step->view;
    const uint32_t *index = step->bodies->index;
    uint16_t *film = step->bodies->film;
    copy(gpu, film, s.material, s.n * sizeof *film);
    for_each(
        gpu, step->bodies->all.slots, OOZE_BODY(uint32_t slot) {
            uint32_t i = index[slot];
            float largest = 0.0f;
            if (i == OOZE_NO_PARTICLE) {
                return;
            }
            each_true_neighbour(s.fluid, i, [&](uint32_t j) {
                float weight = edge_weight(s, delta<true>(s, s.x0[i], s.x0[j]).r2);
                if (ooze_film_is_nearer(!s.body[j], weight, &largest)) {
                    film[i] = s.material[j];
                }
            });
        });
}

/* Inputs of the density stage, per particle. */
static void describe_particles(Step *step)
{
    Gpu *gpu = step->gpu;
    const OozeBodies *all = &step->bodies->all;
    OozeArena *arena = step->context->arena;
    uint64_t bodies = (uint64_t)step->context->body_count;
    StepView s = step->view;
    float *inverse_mass = static_cast<float *>(ooze_arena_alloc(arena, bodies, sizeof(float)));
    for (uint64_t k = 0; inverse_mass && k < bodies; k++) {
        int rigid = all->rigid_of[k];
        inverse_mass[k] = rigid ? ooze_rigid_inverse_mass_ratio(&all->rigids[rigid - 1]) : 1.0f;
    }
    if (!inverse_mass) {
        record_error(gpu, cudaErrorMemoryAllocation);
        return;
    }
    const float *body_inverse_mass = send_table(step, inverse_mass, bodies);
    const uint16_t *number = send_table(step, all->rigid_of, bodies);
    uint16_t *rigid_of = step->bodies->rigid_of;
    float *effective_inverse_mass = step->bodies->effective_inverse_mass;
    uint8_t *ignores_boundary = step->bodies->ignores_boundary;
    for_each(
        gpu, (uint64_t)s.n + 1, OOZE_BODY(uint32_t i) {
            uint16_t body = i < s.n ? s.body[i] : (uint16_t)0; /* n: padding of lists */
            rigid_of[i] = body ? number[body - 1] : (uint16_t)0;
            effective_inverse_mass[i] = s.mobility[i] * (body ? body_inverse_mass[body - 1] : 1.0f);
            ignores_boundary[i] = body ? 1 : 0;
        });
}

/* Density of a particle by its own body: see target_range of step_bodies.c. */
static void find_density_targets(Step *step)
{
    StepView s = step->view;
    Gpu *gpu = step->gpu;
    const uint32_t *index = step->bodies->index;
    const uint64_t rigid = step->bodies->all.rigid_slots;
    BondsView bonds = step->bodies->bonds;
    float *target = step->bodies->own_density_target;
    for_each(
        gpu, s.n, OOZE_BODY(uint32_t i) { target[i] = 1.0f; });
    for_each(
        gpu, step->bodies->all.slots, OOZE_BODY(uint32_t slot) {
            uint32_t i = index[slot];
            if (i == OOZE_NO_PARTICLE) {
                return;
            }
            float sum = ooze_cubic_value(0, s.support);
            if (slot < rigid) {
                each_true_neighbour(s.fluid, i, [&](uint32_t j) {
                    float r = sqrtf(delta<true>(s, s.x0[i], s.x0[j]).r2);
                    sum += s.body[j] == s.body[i] ? ooze_cubic_value(r, s.support) : 0.0f;
                });
            } else if (bonds.first) {
                for (uint64_t e = bonds.first[slot]; e < bonds.first[slot + 1]; e++) {
                    sum += ooze_cubic_value(bonds.length[e] + bonds.pull[e].w, s.support);
                }
            }
            target[i] = fmaxf(1.0f, s.volume * sum);
        });
}

OozeStatus bodies_begin(Step *step, OozeError *error)
{
    uint64_t n = step->view.n;
    if (!step->bodies) {
        return OOZE_OK;
    }
    OozeBodies *all = &step->bodies->all;
    number_particles(step);
    find_films(step);
    if (all->rigid_count > 0) {
        download(step, step->view.u, 0);
    }
    OozeStatus result = status(step->gpu, n, error);
    result = result ? result : ooze_bodies_begin(all, all->field[0], error);
    result = result ? result : ooze_bonds_find(all, &step->engine->bonds.made, error);
    if (result) {
        return result;
    }
    upload(step, 0, step->view.u);
    rigid_begin_step(step);
    describe_particles(step);
    bonds_begin(step);
    find_density_targets(step);
    ooze_timer_lap(step->context->timer, "rest");
    return status(step->gpu, n, error);
}

/* ---- rigid bodies ---- */

void bodies_begin_pass(Step *step, float4 *u_star)
{
    if (rigid_slots(step) > 0) {
        OozeBodies *all = &step->bodies->all;
        ooze_rigid_begin_pass(all, all->field[0], all->field[1]);
        rigid_send(step);
        upload(step, 0, step->view.u);
        upload(step, 1, u_star);
    }
}

void bodies_end_pass(Step *step, const float4 *residual)
{
    if (rigid_slots(step) > 0 && download(step, step->view.u, 0) && download(step, residual, 1)) {
        OozeBodies *all = &step->bodies->all;
        ooze_rigid_end_pass(all, all->field[0], all->field[1]);
    }
}

void bodies_apply_impulses(Step *step)
{
    if (rigid_slots(step) > 0 && download(step, step->view.u, 0)) {
        OozeBodies *all = &step->bodies->all;
        ooze_rigid_apply_impulses(all, all->field[0]);
        upload(step, 0, step->view.u);
    }
}

/* ---- the end of the step ---- */

static void bodies_shift(void *user, float4 *shift)
{
    Step *step = static_cast<Step *>(user);
    if (download(step, shift, 0)) {
        OozeBodies *all = &step->bodies->all;
        ooze_rigid_shift(all, all->field[0]);
        upload(step, 0, shift);
    }
}

void bodies_place(Step *step, float4 *x, float4 *u)
{
    if (rigid_slots(step) > 0 && download(step, u, 0)) {
        OozeBodies *all = &step->bodies->all;
        ooze_bodies_place(all, all->field[0], all->field[1]);
        upload(step, 0, u);
        upload(step, 1, x);
    }
}

/* The target density of a body is that of its own particles. */
void bodies_density(Step *step, DensityJob *job)
{
    StepView s = step->view;
    if (!step->bodies) {
        return;
    }
    job->ignores_boundary = s.ignores_boundary;
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            if (s.body[i]) {
                s.density_target[i] = s.own_density_target[i];
                s.load_excess[i] = INFINITY;
            }
        });
    if (s.rigid_of) {
        job->rigid = s.rigid_of;
        job->effective_inverse_mass = s.effective_inverse_mass;
        job->between = bodies_shift;
        job->user = step;
    }
}

} // namespace ooze
