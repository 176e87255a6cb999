/* What a step needs of the machine that it runs on: memory, ghosts of other processes, numbers for
   the host, time. A step is one programme in C, methods/NAME/step.c; it calls the stages of its
   method, which are loops of the processor or of the GPU (stages.h). Neither it nor this file knows
   which. Pointers to arrays of particles are to the memory of the machine: a programme passes them
   on, and only loops read them. Valid C17 and C++. */
#ifndef OOZE_MACHINE_MACHINE_H
#define OOZE_MACHINE_MACHINE_H

#include "particles/message_plan.h"
#include "solids/contact.h"
#include "step/context.h"

typedef struct OozeMachine OozeMachine;

/* Positions and velocities: four floats a particle. */
typedef struct OozeMachineMotion {
    void *x, *u;
} OozeMachineMotion;

/* A place in the memory of the step: what the allocator of the machine needs to return to it. */
typedef struct OozeMachineMark {
    void *chunk;
    size_t number, used, all;
} OozeMachineMark;

typedef struct OozeMachineVerbs {
    /* Memory of the step, not initialised, with an element beyond `count`. NULL where memory is
       short, or something has failed before; `status` tells. */
    void *(*alloc)(OozeMachine *machine, uint64_t count, size_t size);
    /* The rows, of the context's arena, where loops read them. */
    const void *(*send)(OozeMachine *machine, const void *rows, uint64_t count, size_t size);
    /* An array of the particles, by the name of its field; NULL: there is no such field. */
    void *(*field)(OozeMachine *machine, const char *name);
    /* The ghosts' elements of an array become those of their owners. */
    void (*refresh)(OozeMachine *machine, void *values, size_t size);
    /* The largest of an array of particles of all processes, and 0. Waits. */
    double (*max)(OozeMachine *machine, const float *values);
    /* Density errors of the report, from densities relative to rest. Waits. */
    void (*report_density)(OozeMachine *machine, const float *density);
    /* The first failure since the step began; `what` failed, for the message. */
    OozeStatus (*status)(OozeMachine *machine, const char *what, OozeError *error);
    /* The motion at the beginning of the step, of ghosts too. The last lane of positions is 1 on
       the processor, where gathered edges read it, and 0 on the GPU. */
    OozeMachineMotion (*load)(OozeMachine *machine);
    /* next.x = x + dt next.u, but where solids are in the way: see ooze_contact_advance. */
    void (*move)(OozeMachine *machine, const OozeContactRule *rule, const void *x,
                 OozeMachineMotion next);
    void (*store)(OozeMachine *machine, OozeMachineMotion next);
    /* Memory that loops read at neighbours: the processor's has four zero elements beyond `count`,
       where padding of lists points; loops of the GPU set the element that theirs points to. */
    void *(*gathered)(OozeMachine *machine, uint64_t count, size_t size);
    /* Memory that is allocated after the mark is free again after the rewind. */
    OozeMachineMark (*mark)(OozeMachine *machine);
    void (*rewind)(OozeMachine *machine, OozeMachineMark mark);
    /* Copies from the memory of the machine to the host. Waits. */
    void (*read)(OozeMachine *machine, void *to, const void *from, size_t size);
    /* Whether iteration k of a solve is due. `off` is a flag in the memory of the machine; loops
       do nothing once it is set, since the GPU reads it only now and then, and late. */
    bool (*continues)(OozeMachine *machine, int k, const int32_t *off);
    /* Density errors of the report, from densities above rest, relative to it. Waits. */
    void (*report_excess)(OozeMachine *machine, const float *excess);
    /* An array with the elements of the particles of all processes, in their order, from one of
       this process's: `values` itself on one process, else memory of the step. Waits. */
    const void *(*gather)(OozeMachine *machine, const void *values, size_t size);
    /* Back: `values` gets the elements of own particles and of ghosts that loops run over. */
    void (*keep)(OozeMachine *machine, const void *all, void *values, size_t size);
    /* As ooze_message_plan_exchange, in the memory of the machine. Waits. */
    void (*exchange)(OozeMachine *machine, const OozeMessagePlan *plan, const void *from, void *to,
                     size_t size);
} OozeMachineVerbs;

struct OozeMachine {
    const OozeMachineVerbs *verbs;
    OozeStepContext *context;
    void *engine;     /* of the GPU; NULL: the processor */
    uint64_t n;       /* particles that loops run over */
    uint64_t local;   /* elements of arrays that loops read at neighbours */
    uint64_t all;     /* particles of all processes */
    uint64_t first;   /* of the processes before this one */
    OozeRanks *ranks; /* the processes; NULL: one */
    /* Of several GPUs: where particles of the store are in arrays that the programme refreshes;
       NULL: in its order. */
    const uint32_t *place;
    size_t bytes; /* that the step has asked for */
};

/* The processor: its arena, threads and halo. */
OozeMachine ooze_machine_of_processor(OozeStepContext *context);
/* The same for a solver whose n particles the caller has. */
OozeMachine ooze_machine_of_particles(OozeStepContext *context, uint64_t n);

static inline void *ooze_machine_alloc(OozeMachine *machine, uint64_t count, size_t size)
{
    return machine->verbs->alloc(machine, count, size);
}

static inline const void *ooze_machine_send(OozeMachine *machine, const void *rows, uint64_t count,
                                            size_t size)
{
    return machine->verbs->send(machine, rows, count, size);
}

static inline void *ooze_machine_field(OozeMachine *machine, const char *name)
{
    return machine->verbs->field(machine, name);
}

static inline void ooze_machine_refresh(OozeMachine *machine, void *values, size_t size)
{
    machine->verbs->refresh(machine, values, size);
}

static inline double ooze_machine_max(OozeMachine *machine, const float *values)
{
    return machine->verbs->max(machine, values);
}

static inline void ooze_machine_report_density(OozeMachine *machine, const float *density)
{
    machine->verbs->report_density(machine, density);
}

static inline OozeStatus ooze_machine_status(OozeMachine *machine, const char *what,
                                             OozeError *error)
{
    return machine->verbs->status(machine, what, error);
}

static inline OozeMachineMotion ooze_machine_load(OozeMachine *machine)
{
    return machine->verbs->load(machine);
}

static inline void ooze_machine_move(OozeMachine *machine, const OozeContactRule *rule,
                                     const void *x, OozeMachineMotion next)
{
    machine->verbs->move(machine, rule, x, next);
}

static inline void ooze_machine_store(OozeMachine *machine, OozeMachineMotion next)
{
    machine->verbs->store(machine, next);
}

static inline void *ooze_machine_gathered(OozeMachine *machine, uint64_t count, size_t size)
{
    return machine->verbs->gathered(machine, count, size);
}

static inline OozeMachineMark ooze_machine_mark(OozeMachine *machine)
{
    return machine->verbs->mark(machine);
}

static inline void ooze_machine_rewind(OozeMachine *machine, OozeMachineMark mark)
{
    machine->verbs->rewind(machine, mark);
}

static inline void ooze_machine_read(OozeMachine *machine, void *to, const void *from, size_t size)
{
    machine->verbs->read(machine, to, from, size);
}

static inline bool ooze_machine_continues(OozeMachine *machine, int k, const int32_t *off)
{
    return machine->verbs->continues(machine, k, off);
}

static inline void ooze_machine_report_excess(OozeMachine *machine, const float *excess)
{
    machine->verbs->report_excess(machine, excess);
}

static inline const void *ooze_machine_gather(OozeMachine *machine, const void *values, size_t size)
{
    return machine->verbs->gather(machine, values, size);
}

static inline void ooze_machine_keep(OozeMachine *machine, const void *all, void *values,
                                     size_t size)
{
    machine->verbs->keep(machine, all, values, size);
}

static inline void ooze_machine_exchange(OozeMachine *machine, const OozeMessagePlan *plan,
                                         const void *from, void *to, size_t size)
{
    machine->verbs->exchange(machine, plan, from, to, size);
}

static inline void ooze_machine_lap(const OozeMachine *machine, const char *stage)
{
    ooze_timer_lap(machine->context->timer, stage);
}

#endif
