/* Sinks: shapes that remove the particles that enter them while they are open. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "solids/shape_formula.h"
#include "world/emitter.h"

OozeSinkDef ooze_sink_def_default(void)
{
    OozeSinkDef def;
    memset(&def, 0, sizeof def);
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.stop = INFINITY;
    return def;
}

OozeStatus ooze_sink_create(OozeSink *sink, const OozeSinkDef *def, OozeAxis up, double spacing,
                            OozeError *error)
{
    memset(sink, 0, sizeof *sink);
    const char *name = def->name ? def->name : "";
    if (!isfinite(def->start) || !(def->stop >= def->start)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                         "start must be finite and stop not before it; stop may be infinite",
                         "sink '%s' runs from %g s to %g s", name, def->start, def->stop);
    }
    if (!vec3_is_finite(def->shape.position)) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "use finite numbers",
                         "the position of sink '%s' is not finite", name);
    }
    sink->name = ooze_copy_text(name);
    if (!sink->name) {
        return ooze_fail_memory(error, "a sink's name", strlen(name) + 1);
    }
    OozeStatus status = ooze_shape_create(&def->shape, up, spacing, &sink->shape, error);
    if (status) {
        ooze_sink_free(sink);
        return status;
    }
    sink->pose.position = def->shape.position;
    sink->pose.rotation = quat_unit(def->shape.rotation);
    sink->start = def->start;
    sink->stop = def->stop;
    return OOZE_OK;
}

void ooze_sink_free(OozeSink *sink)
{
    ooze_free(sink->name);
    ooze_shape_destroy(sink->shape);
    memset(sink, 0, sizeof *sink);
}

typedef struct MarkJob {
    const OozeSink *sink;
    const OozeFloat4 *positions;
    uint8_t *remove;
    OozeBounds bounds;
} MarkJob;

static void mark(void *context, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const MarkJob *job = context;
    for (uint64_t i = begin; i < end; i++) {
        OozeFloat4 x = job->positions[i];
        OozeVec3 p = vec3((double)x.x, (double)x.y, (double)x.z);
        if (ooze_placed_contains(job->sink->shape, &job->sink->pose, &job->bounds, p)) {
            job->remove[i] = 1;
        }
    }
}

bool ooze_sink_is_open(const OozeSink *sink, double time)
{
    return time >= sink->start && time < sink->stop;
}

void ooze_sink_mark(const OozeSink *sink, OozeThreads *threads, const OozeParticles *particles,
                    double time, uint8_t *remove)
{
    if (!ooze_sink_is_open(sink, time)) {
        return;
    }
    MarkJob job = {.sink = sink,
                   .positions = ooze_particles_data_const(particles, OOZE_FIELD_POSITION),
                   .remove = remove,
                   .bounds = ooze_shape_bounds(sink->shape)};
    ooze_parallel_for(threads, ooze_particles_count(particles), 4096, mark, &job);
}
