/* The processor as a machine: memory of the step's arena, ghosts of the halo. */
#include <math.h>

#include "base/fail.h"
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

static OozeStatus status(OozeMachine *machine, const char *what, OozeError *error)
{
    return ooze_arena_failed(machine->context->arena)
               ? ooze_fail_memory(error, what, machine->bytes)
               : OOZE_OK;
}

static const OozeMachineVerbs verbs = {
    .alloc = alloc,
    .send = send,
    .field = field,
    .refresh = refresh,
    .max = max,
    .report_density = report_density,
    .status = status,
};

OozeMachine ooze_machine_of_processor(OozeStepContext *context)
{
    uint64_t n = ooze_particles_count(context->particles);
    return (OozeMachine){
        .verbs = &verbs,
        .context = context,
        .n = n,
        .local = ooze_halo_local(context->halo, n),
        .all = ooze_halo_all(context->halo, n),
    };
}
