#include "methods/conformation/bodies/cuda/bodies.cuh"

#include "cuda/density.cuh"

namespace ooze
{

/* Copies a table of one element a body to the device. */
template <class T> static const T *send_table(Step *step, const T *table, uint64_t count)
{
    T *to = scratch<T>(step->gpu, count);
    copy_in(step->gpu, to, table, count * sizeof(T));
    return to;
}

/* ---- the beginning of the step ---- */

OozeStatus bodies_create(Step *step, OozeError *error)
{
    if (step->context->body_count == 0) {
        return OOZE_OK;
    }
    OozeStatus result = host_memory(step, &step->bodies, error);
    return result ? result
                  : ooze_bodies_assign_slots(&step->bodies->all, step->context,
                                             step->view.plan->settings.contact_distance, error);
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
    b->row = scratch<uint16_t>(gpu, s->n);
    s->film = b->film = scratch<uint16_t>(gpu, s->n);
    b->rigid_of = scratch<uint16_t>(gpu, s->n);
    b->slot_of = scratch<uint32_t>(gpu, s->n);
    b->anchor = scratch<uint32_t>(gpu, (uint64_t)b->all.rigid_count);
    s->own_density_target = b->own_density_target = scratch<float>(gpu, s->n);
    s->effective_inverse_mass = b->effective_inverse_mass = scratch<float>(gpu, s->n);
    s->ignores_boundary = b->ignores_boundary = scratch<uint8_t>(gpu, s->n);
    s->rigid_of = b->all.rigid_count > 0 ? b->rigid_of : nullptr;
    find_rows(step);
}

/* Assigns slots to particles, and describes particles for the density stage; the effective masses
   of rigid bodies follow with their poses. */
static void number_particles(Step *step)
{
    Bodies *b = step->bodies;
    Gpu *gpu = step->gpu;
    StepView s = step->view;
    const OozeBodies *all = &b->all;
    uint64_t bodies = (uint64_t)step->context->body_count;
    const OozeBody *body = send_table(step, step->context->bodies, bodies);
    const uint64_t *first = send_table(step, all->first_slot, bodies);
    const uint16_t *number = send_table(step, all->rigid_of, bodies);
    const uint64_t *ids = static_cast<const uint64_t *>(store_data(&step->engine->store, "id"));
    const Bodies to = *b;
    for_each(
        gpu, all->slots, OOZE_BODY(uint32_t k) { to.index[k] = OOZE_NO_PARTICLE; });
    for_each(
        gpu, (uint64_t)s.n + 1, OOZE_BODY(uint32_t i) {
            const uint16_t own = i < s.n ? s.body[i] : (uint16_t)0; /* n: padding of lists */
            to.rigid_of[i] = own ? number[own - 1] : (uint16_t)0;
            to.effective_inverse_mass[i] = s.mobility[i];
            to.ignores_boundary[i] = own ? 1 : 0;
            to.film[i] = i < s.n ? s.material[i] : (uint16_t)0;
            to.own_density_target[i] = 1.0f;
            if (own) {
                const uint64_t slot = first[own - 1] + (ids[i] - body[own - 1].first_id);
                to.slot_of[i] = (uint32_t)slot;
                to.index[slot] = i;
            }
        });
}

static void find_films(Step *step)
{
    Gpu *gpu = step->gpu;
    StepView s = step->view;
    const uint32_t *index = step->bodies->index;
    const OwnRange own = own_range(gpu, s.n);
    uint16_t *film = step->bodies->film;
    for_each(
        gpu, step->bodies->all.slots, OOZE_BODY(uint32_t slot) {
            uint32_t i = index[slot];
            float largest = 0.0f;
            if (!own.has(i)) {
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

/* Density of a particle by its own body: see target_range of step_bodies.c. */
static void find_density_targets(Step *step)
{
    StepView s = step->view;
    Gpu *gpu = step->gpu;
    const uint32_t *index = step->bodies->index;
    const uint64_t rigid = step->bodies->all.rigid_slots;
    const OwnRange own = own_range(gpu, s.n);
    BondsView bonds = step->bodies->bonds;
    float *target = step->bodies->own_density_target;
    for_each(
        gpu, step->bodies->all.slots, OOZE_BODY(uint32_t slot) {
            uint32_t i = index[slot];
            if (!own.has(i)) {
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

OozeStatus bodies_begin(OozeConformationStep *s, OozeError *error)
{
    Step *step = step_of(s);
    uint64_t n = step->view.n;
    if (!step->bodies) {
        return OOZE_OK;
    }
    number_particles(step);
    find_films(step);
    OozeStatus result = bonds_find(step, error);
    if (result) {
        return result;
    }
    rigid_begin(step);
    rigid_find_contacts(step);
    bonds_begin(step);
    find_density_targets(step);
    return status(step->gpu, n, error);
}

/* ---- the end of the step ---- */

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
