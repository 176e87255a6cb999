/* The list of methods that run on the device. */
#include "cuda/method.cuh"

#include <cstdio>

namespace ooze
{

static const DeviceMethod *const methods[] = {&conformation_method, &links_method,    &blend_method,
                                              &cauchy_method,       &springs_method,  &wcsph_method,
                                              &stress_method,       &ballistic_method};
enum { METHODS = sizeof methods / sizeof methods[0] };

bool shares_all_steps(const OozeStepContext *, char *, size_t)
{
    return true;
}

const DeviceMethod *device_method_find(const char *name)
{
    for (const DeviceMethod *method : methods) {
        if (strcmp(method->name, name) == 0) {
            return method;
        }
    }
    return nullptr;
}

void device_method_names(char *text, size_t size)
{
    size_t used = 0;
    for (int k = 0; k < METHODS && used < size; k++) {
        const char *before = k == 0 ? "" : k + 1 < METHODS ? ", " : " and ";
        used += (size_t)snprintf(text + used, size - used, "%s'%s'", before, methods[k]->name);
    }
}

} // namespace ooze
