/* The processor as a machine: memory of the step's arena, ghosts of the halo. */
#include <math.h>
#include <string.h>

#include "base/f32x4.h"
#include "base/fail.h"
#include "base/vec3.h"
#include "machine/machine.h"

static void *alloc(OozeMachine *machine, uint64_t count, size_t size)
{
    machine->bytes += (size_t)(count + 1) * size;
    return ooze_arena_alloc(machine->context->arena, (size_t)count + 1, size);
}

static const void *send(OozeMachine *machine, const void *rows, uint64_t count, size_t size)
{
    (void)machine;
    (void)count;
    (void)size;
    return rows;
}

static void *field(OozeMachine *machine, const char *name)
{
    OozeParticles *particles = machine->context->particles;
    int found = ooze_particles_find_field(particles, name);
    return found < 0 ? NULL : ooze_particles_data(particles, found);
}

static void refresh(OozeMachine *machine, void *values, size_t size)
{
    ooze_halo_refresh(machine->context->halo, values, size);
}

static double max(OozeMachine *machine, const float *values)
{
    float largest = 0.0f;
    for (uint64_t i = 0; i < machine->n; i++) {
        largest = fmaxf(largest, values[i]);
    }
    double all = (double)largest;
    ooze_halo_max(machine->context->halo, &all, 1);
    return all;
}

static void report_density(OozeMachine *machine, const float *density)
{
    ooze_step_report_density(machine->context, density, machine->n);
}

static void report_excess(OozeMachine *machine, const float *excess)
{
    ooze_step_report_excess(machine->context, excess, machine->n);
}

static OozeStatus status(OozeMachine *machine, const char *what, OozeError *error)
{
    return ooze_arena_failed(machine->context->arena)
               ? ooze_fail_memory(error, what, machine->bytes)
               : OOZE_OK;
}

/* ---- motion --------------------------------------------------------------------------------- */

static void *gathered(OozeMachine *machine, uint64_t count, size_t size)
{
    machine->bytes += (size_t)(count + OOZE_LIST_PAD) * size;
    return ooze_gathered_alloc(machine->context->arena, count, size);
}

typedef struct Move {
    const OozeStepContext *context;
    const OozeContactRule *rule;
    const OozeF32x4 *x;
    OozeF32x4 *next_x, *next_u;
} Move;

static OozeMachineMotion load(OozeMachine *machine)
{
    const OozeStepContext *c = machine->context;
    const uint64_t local = machine->local;
    const OozeFloat4 *from_x = ooze_particles_positions(c->particles);
    const OozeFloat4 *from_u = ooze_particles_velocities(c->particles);
    OozeF32x4 *x = gathered(machine, local, sizeof *x);
    OozeF32x4 *u = gathered(machine, local, sizeof *u);
    for (uint64_t i = 0; i < local && x && u; i++) {
        x[i] = ooze_f32x4(from_x[i].x, from_x[i].y, from_x[i].z, 1);
        u[i] = ooze_f32x4(from_u[i].x, from_u[i].y, from_u[i].z, 0);
    }
    return (OozeMachineMotion){x, u};
}

/* Positions of particles without collision stay in single precision, so that they round once. */
static void move_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Move *s = data;
    const OozeStepContext *c = s->context;
    const float dt = (float)c->dt;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 x0 = s->x[i], u = s->next_u[i];
        x0[3] = 0;
        s->next_x[i] = x0 + dt * u;
        if (c->solid_count > 0) {
            OozeVec3 to = vec3(x0[0], x0[1], x0[2]), v = vec3(u[0], u[1], u[2]);
            if (ooze_contact_advance(c->solids, c->solid_count, s->rule, &to, &v)) {
                s->next_x[i] = ooze_f32x4((float)to.x, (float)to.y, (float)to.z, 0);
                s->next_u[i] = ooze_f32x4((float)v.x, (float)v.y, (float)v.z, 0);
            }
        }
    }
}

static void move(OozeMachine *machine, const OozeContactRule *rule, const void *x,
                 OozeMachineMotion next)
{
    enum { GRAIN = 256 };
    Move s = {machine->context, rule, x, next.x, next.u};
    if (!ooze_arena_failed(s.context->arena)) {
        ooze_parallel_for(s.context->threads, machine->n, GRAIN, move_range, &s);
    }
}

/* A step that fails stores nothing: it can be done again. */
static void store(OozeMachine *machine, OozeMachineMotion next)
{
    if (ooze_arena_failed(machine->context->arena)) {
        return;
    }
    OozeFloat4 *x = ooze_particles_positions(machine->context->particles);
    OozeFloat4 *u = ooze_particles_velocities(machine->context->particles);
    const OozeF32x4 *next_x = next.x, *next_u = next.u;
    for (uint64_t i = 0; i < machine->n; i++) {
        x[i] = (OozeFloat4){next_x[i][0], next_x[i][1], next_x[i][2], 0};
        u[i] = (OozeFloat4){next_u[i][0], next_u[i][1], next_u[i][2], 0};
    }
}

/* ---- solves --------------------------------------------------------------------------------- */

static OozeMachineMark mark(OozeMachine *machine)
{
    const OozeArenaMark at = ooze_arena_mark(machine->context->arena);
    return (OozeMachineMark){.chunk = at.chunk, .used = at.used, .all = at.live};
}

static void rewind_to(OozeMachine *machine, OozeMachineMark to)
{
    ooze_arena_rewind(machine->context->arena, (OozeArenaMark){to.chunk, to.used, to.all});
}

static void read_memory(OozeMachine *machine, void *to, const void *from, size_t size)
{
    (void)machine;
    memcpy(to, from, size);
}

static bool continues(OozeMachine *machine, int k, const int32_t *off)
{
    (void)machine;
    (void)k;
    return !*off;
}

/* ---- other processes ------------------------------------------------------------------------ */

/* Memory that is short is recorded by the arena. */
static const void *gather(OozeMachine *machine, const void *values, size_t size)
{
    const OozeStepContext *c = machine->context;
    OozeHaloList list = {.own = values, .count = machine->n, .size = size};
    machine->bytes += machine->ranks ? machine->all * size : 0;
    return ooze_halo_gather_list(c->halo, c->arena, &list, NULL) ? NULL : list.all;
}

static void keep(OozeMachine *machine, const void *all, void *values, size_t size)
{
    if (machine->ranks) {
        memcpy(values, (const char *)all + machine->first * size, machine->n * size);
    }
}

static void exchange(OozeMachine *machine, const OozeMessagePlan *plan, const void *from, void *to,
                     size_t size)
{
    (void)machine;
    ooze_message_plan_exchange(plan, from, to, size);
}

static const OozeMachineVerbs verbs = {
    .alloc = alloc,
    .send = send,
    .field = field,
    .refresh = refresh,
    .max = max,
    .report_density = report_density,
    .status = status,
    .load = load,
    .move = move,
    .store = store,
    .gathered = gathered,
    .mark = mark,
    .rewind = rewind_to,
    .read = read_memory,
    .continues = continues,
    .report_excess = report_excess,
    .gather = gather,
    .keep = keep,
    .exchange = exchange,
};

OozeMachine ooze_machine_of_particles(OozeStepContext *context, uint64_t n)
{
    return (OozeMachine){
        .verbs = &verbs,
        .context = context,
        .n = n,
        .local = ooze_halo_local(context->halo, n),
        .all = ooze_halo_all(context->halo, n),
        .first = ooze_halo_first(context->halo),
        .ranks = ooze_halo_ranks(context->halo),
    };
}

OozeMachine ooze_machine_of_processor(OozeStepContext *context)
{
    return ooze_machine_of_particles(context, ooze_particles_count(context->particles));
}
