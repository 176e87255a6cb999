/* Method `conformation` as the engine calls it. */
#include "cuda/conformation/step.cuh"
#include "cuda/method.cuh"

namespace ooze
{

static OozeStatus step(Engine *engine, void *data, OozeStepContext *context, OozeError *error)
{
    (void)data;
    return conformation_step(engine, context, error);
}

static void destroy(Engine *engine, void *data)
{
    (void)data;
    bonds_free(&engine->gpu, &engine->bonds);
}

const DeviceMethod conformation_method = {
    "conformation", conformation_supports, nullptr, destroy, step, nullptr, nullptr,
};

} // namespace ooze
