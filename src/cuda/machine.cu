/* The verbs of machine/machine.h on the GPU: scratch memory, the store, sums over ranks. */
#include "cuda/machine.cuh"

#include "cuda/conjugate_gradients.cuh"
#include "cuda/rank_sums.cuh"

namespace ooze
{

static void *machine_alloc(OozeMachine *machine, uint64_t count, size_t size)
{
    return scratch_bytes(gpu_of(machine), (count + 1) * size);
}

static const void *machine_send(OozeMachine *machine, const void *rows, uint64_t count, size_t size)
{
    void *sent = machine_alloc(machine, count, size);
    if (rows && sent) {
        copy_in(gpu_of(machine), sent, rows, count * size);
    }
    return sent;
}

static void *machine_field(OozeMachine *machine, const char *name)
{
    return store_data(&engine_of(machine)->store, name);
}

static void machine_refresh(OozeMachine *machine, void *values, size_t size)
{
    refresh_part(gpu_of(machine), {values, size, size, 0, machine->place});
}

static double machine_max(OozeMachine *machine, const float *values)
{
    Max1 none = {0.0f};
    return (double)sum_particles_to_host(
               gpu_of(machine), machine->n, none,
               OOZE_BODY(uint32_t i)->Max1 { return {values[i]}; })
        .a;
}

/* Sum and largest of the densities above rest. */
struct DensityExcess {
    double sum, worst;
    __device__ void operator+=(const DensityExcess &o)
    {
        sum += o.sum;
        worst = o.worst > worst ? o.worst : worst;
    }
};

/* Of numbers beyond `base`. */
static void report_beyond(OozeMachine *machine, const float *number, double base)
{
    OozeStepReport *report = machine->context->report;
    DensityExcess none = {};
    DensityExcess all = sum_particles_to_host(
        gpu_of(machine), machine->n, none, OOZE_BODY(uint32_t i)->DensityExcess {
            const double excess = fmax((double)number[i] - base, 0.0);
            return {excess, excess};
        });
    report->worst_density_error = all.worst;
    report->mean_density_error = all.sum / (double)machine->all;
}

static void machine_report_density(OozeMachine *machine, const float *density)
{
    report_beyond(machine, density, 1.0);
}

static void machine_report_excess(OozeMachine *machine, const float *excess)
{
    report_beyond(machine, excess, 0.0);
}

static OozeStatus machine_status(OozeMachine *machine, const char *what, OozeError *error)
{
    if (ooze_arena_failed(machine->context->arena)) {
        return ooze_fail_memory(error, what, 0);
    }
    return status(gpu_of(machine), machine->n, error);
}

static OozeMachineMotion machine_load(OozeMachine *machine)
{
    const Store *store = &engine_of(machine)->store;
    return {store_positions(store), store_velocities(store)};
}

static void machine_move(OozeMachine *machine, const OozeContactRule *rule, const void *from,
                         OozeMachineMotion next)
{
    const ContactView contact = contacts_of(machine, *rule);
    const float4 *x = static_cast<const float4 *>(from);
    float4 *next_x = static_cast<float4 *>(next.x), *next_u = static_cast<float4 *>(next.u);
    const float dt = (float)machine->context->dt;
    for_each(
        gpu_of(machine), machine->n, OOZE_BODY(uint32_t i) {
            float4 u = next_u[i];
            float4 to = x[i] + dt * u;
            if (contact.solids.count > 0) {
                contact_advance(contact, x[i], &to, &u);
                next_u[i] = u;
            }
            next_x[i] = f32x4(to.x, to.y, to.z);
        });
}

static void machine_store(OozeMachine *machine, OozeMachineMotion next)
{
    const OozeMachineMotion to = machine_load(machine);
    const float4 *x = static_cast<const float4 *>(next.x), *u = static_cast<const float4 *>(next.u);
    float4 *to_x = static_cast<float4 *>(to.x), *to_u = static_cast<float4 *>(to.u);
    for_each(
        gpu_of(machine), machine->n, OOZE_BODY(uint32_t i) {
            to_x[i] = f32x4(x[i].x, x[i].y, x[i].z);
            to_u[i] = f32x4(u[i].x, u[i].y, u[i].z);
        });
}

static OozeMachineMark machine_mark(OozeMachine *machine)
{
    const Mark mark = scratch_mark(gpu_of(machine));
    return {nullptr, (size_t)mark.top, mark.top_used, mark.used};
}

static void machine_rewind(OozeMachine *machine, OozeMachineMark to)
{
    scratch_rewind(gpu_of(machine), {(int)to.number, to.used, to.all});
}

static void machine_read(OozeMachine *machine, void *to, const void *from, size_t size)
{
    copy_out(gpu_of(machine), to, from, size);
}

static bool machine_continues(OozeMachine *machine, int k, const int32_t *off)
{
    return k % CG_BATCH != 0 || poll_unfinished(gpu_of(machine), k / CG_BATCH, off);
}

static const void *machine_gather(OozeMachine *machine, const void *values, size_t size)
{
    return gather_elements(gpu_of(machine), values, size);
}

static void machine_keep(OozeMachine *machine, const void *all, void *values, size_t size)
{
    Gpu *gpu = gpu_of(machine);
    if (machine->ranks) {
        const OwnRange own = own_range(gpu, machine->n);
        copy(gpu, static_cast<char *>(values) + own.begin * size,
             static_cast<const char *>(all) + machine->first * size, own.count * size);
        refresh(gpu, values, size);
    }
}

static void machine_exchange(OozeMachine *machine, const OozeMessagePlan *plan, const void *from,
                             void *to, size_t size)
{
    exchange_elements(gpu_of(machine), *plan, from, to, size);
}

static const OozeMachineVerbs verbs = {
    machine_alloc,          machine_send,   machine_field,  machine_refresh,  machine_max,
    machine_report_density, machine_status, machine_load,   machine_move,     machine_store,
    machine_alloc,          machine_mark,   machine_rewind, machine_read,     machine_continues,
    machine_report_excess,  machine_gather, machine_keep,   machine_exchange,
};

OozeMachine machine_of(Engine *engine, OozeStepContext *context)
{
    OozeMachine machine = {};
    machine.verbs = &verbs;
    machine.context = context;
    machine.engine = engine;
    machine.n = engine->store.n;
    machine.local = engine->store.n;
    machine.all = all_particles(&engine->gpu, engine->store.n);
    if (const RankShare *share = engine->gpu.share) {
        machine.first = share->first;
        machine.ranks = share->ranks;
    }
    return machine;
}

ContactView contacts_of(const OozeMachine *machine, const OozeContactRule &rule)
{
    ContactView contacts = {};
    contacts.solids = engine_of(machine)->solids.view;
    contacts.rule = rule;
    return contacts;
}

float4 gravity_of(const OozeMachine *machine)
{
    const OozeVec3 g = machine->context->gravity;
    return f32x4((float)g.x, (float)g.y, (float)g.z);
}

} // namespace ooze
