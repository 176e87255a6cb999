/* Creation of heat sources. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "heat/heat.h"

OozeHeatSourceDef ooze_heat_source_def_default(void)
{
    OozeHeatSourceDef def;
    memset(&def, 0, sizeof def);
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.temperature = NAN;
    def.stop = INFINITY;
    return def;
}

static OozeStatus check(const OozeHeatSourceDef *def, const char *name, OozeError *error)
{
    if (!isfinite(def->start) || !(def->stop >= def->start)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                         "start must be finite and stop not before it; stop may be infinite",
                         "heat source '%s' runs from %g s to %g s", name, def->start, def->stop);
    }
    if (!vec3_is_finite(def->shape.position) || !(fabs(def->power) <= 1e15)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use finite numbers",
                         "the position or power of heat source '%s' is not finite", name);
    }
    bool holds = !isnan(def->temperature);
    if (holds && (!(fabs(def->temperature) <= 1e6) || def->power != 0.0)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                         "give a power, or a temperature up to 1e6 degC",
                         "heat source '%s' has the temperature %g degC and the power %g W/m3", name,
                         def->temperature, def->power);
    }
    return OOZE_OK;
}

OozeStatus ooze_heat_source_create(OozeHeatSource *source, const OozeHeatSourceDef *def,
                                   OozeAxis up, double spacing, OozeError *error)
{
    memset(source, 0, sizeof *source);
    const char *name = def->name ? def->name : "";
    OozeStatus status = check(def, name, error);
    if (status) {
        return status;
    }
    source->name = ooze_copy_text(name);
    if (!source->name) {
        return ooze_fail_memory(error, "a heat source's name", strlen(name) + 1);
    }
    status = ooze_shape_create(&def->shape, up, spacing, &source->shape, error);
    if (status) {
        ooze_heat_source_free(source);
        return status;
    }
    source->pose.position = def->shape.position;
    source->pose.rotation = quat_unit(def->shape.rotation);
    source->power = def->power;
    source->temperature = def->temperature;
    source->start = def->start;
    source->stop = def->stop;
    return OOZE_OK;
}

void ooze_heat_source_free(OozeHeatSource *source)
{
    ooze_free(source->name);
    ooze_shape_destroy(source->shape);
    memset(source, 0, sizeof *source);
}
