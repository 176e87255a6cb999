/* The GPU as a machine of steps: see machine/machine.h; and what stages capture of its engine. */
#ifndef OOZE_CUDA_MACHINE_CUH
#define OOZE_CUDA_MACHINE_CUH

#include "cuda/contact_sweep.cuh"
#include "cuda/engine.cuh"
#include "cuda/pairs.cuh"

extern "C" {
#include "machine/machine.h"
}

namespace ooze
{

OozeMachine machine_of(Engine *engine, OozeStepContext *context);

static inline Engine *engine_of(const OozeMachine *machine)
{
    return static_cast<Engine *>(machine->engine);
}

static inline Gpu *gpu_of(const OozeMachine *machine)
{
    return &engine_of(machine)->gpu;
}

ContactView contacts_of(const OozeMachine *machine, const OozeContactRule &rule);
float4 gravity_of(const OozeMachine *machine);

template <class Kernel> PairView<Kernel> pairs_of(const OozeMachine *machine, const Kernel &kernel)
{
    const Engine *engine = engine_of(machine);
    PairView<Kernel> pairs = {};
    pairs.n = (uint32_t)machine->n;
    pairs.x = store_positions(&engine->store);
    pairs.fluid = view(&engine->fluid);
    pairs.boundary = engine->walls.view;
    pairs.periodic = machine->context->periodic;
    pairs.kernel = kernel;
    if (engine->walls.count > 0) {
        pairs.walls = view(&engine->fluid_walls);
    }
    return pairs;
}

} // namespace ooze

#endif
