/* A method's step on the device: one const struct, listed in methods.cu. The engine calls it. */
#ifndef OOZE_CUDA_METHOD_CUH
#define OOZE_CUDA_METHOD_CUH

#include "cuda/engine.cuh"

namespace ooze
{

struct DeviceMethod {
    const char *name; /* of the OozeMethod whose steps it takes */
    /* Whether the device implements these settings; if not, `why` gets the reason as the end of a
       sentence: "... because WHY". NULL: all of them. */
    bool (*supports)(const OozeStepContext *context, char *why, size_t size);
    /* Data that lives as long as the engine; both NULL: none. */
    OozeStatus (*create)(Engine *engine, void **data, OozeError *error);
    void (*destroy)(Engine *engine, void *data);
    /* One substep of the particles in the engine's store, whose neighbour lists are up to date. It
       loads dynamic solids if OozeMethod.pushes_solids. */
    OozeStatus (*step)(Engine *engine, void *data, OozeStepContext *context, OozeError *error);
    /* The method's own arrays, as OozeMethod.save and restore: save sets count and data of each,
       which stay valid until the next call. NULL where OozeMethod has none. */
    OozeStatus (*save)(Engine *engine, void *data, OozeFieldView *arrays,
                       OozeError *error) = nullptr;
    OozeStatus (*restore)(Engine *engine, void *data, const OozeFieldView *arrays,
                          OozeError *error) = nullptr;
    /* Whether several processes can share such steps; as `supports`. NULL: all of them, if
       processors can (see OozeMethod.ghost_fields). */
    bool (*supports_ranks)(const OozeStepContext *context, char *why, size_t size) = nullptr;
    /* m: the distance within which it reads values at other particles. NULL: the support. */
    double (*reach)(const OozeStepContext *context) = nullptr;
};

extern const DeviceMethod ballistic_method, blend_method, cauchy_method, constraint_method,
    conformation_method, links_method, springs_method, stress_method, wcsph_method;

/* NULL: the method does not run on the device. */
const DeviceMethod *device_method_find(const char *name);

} // namespace ooze

#endif
