/* The list of methods that run on the device. */
#include "cuda/method.cuh"

namespace ooze
{

static const DeviceMethod *const methods[] = {
    &conformation_method, &links_method,  &blend_method,     &cauchy_method,    &springs_method,
    &wcsph_method,        &stress_method, &ballistic_method, &constraint_method};

const DeviceMethod *device_method_find(const char *name)
{
    for (const DeviceMethod *method : methods) {
        if (strcmp(method->name, name) == 0) {
            return method;
        }
    }
    return nullptr;
}

} // namespace ooze
