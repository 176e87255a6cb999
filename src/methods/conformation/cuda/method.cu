/* Method `conformation` as the engine calls it. */
#include "cuda/method.cuh"
#include "methods/conformation/cuda/step.cuh"

namespace ooze
{

static OozeStatus step(Engine *engine, void *data, OozeStepContext *context, OozeError *error)
{
    return conformation_step(engine, static_cast<ConformationData *>(data), context,
                             &formulation_lodge, error);
}

const DeviceMethod conformation_method = {
    "conformation",
    conformation_supports,
    conformation_create,
    conformation_destroy,
    step,
    nullptr,
    nullptr,
    conformation_supports_ranks,
    conformation_reach,
};

} // namespace ooze
