#include "methods/ballistic/ballistic.h"

#include <math.h>

#include "base/fail.h"
#include "physics/ballistic.h"

enum { PARAM_CONTACT_DISTANCE, PARAM_COUNT };

static const OozeParamInfo params[PARAM_COUNT] = {
    [PARAM_CONTACT_DISTANCE] = {"contact_distance", OOZE_PARAM_REAL, "spacings", 0.0, 10.0, 0.5,
                                NULL, "how near a particle's centre comes to a solid"},
};

static const char *const material_keys[] = {"density", "drag", NULL};

typedef struct FlightJob {
    const OozeStepContext *context;
    const OozeFlight *flights; /* one per material */
    OozeFloat4 *positions, *velocities;
    const uint16_t *materials;
} FlightJob;

static void fly(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const FlightJob *job = data;
    float gx = (float)job->context->gravity.x;
    float gy = (float)job->context->gravity.y;
    float gz = (float)job->context->gravity.z;
    for (uint64_t i = begin; i < end; i++) {
        const OozeFlight *f = &job->flights[job->materials[i]];
        OozeFloat4 *x = &job->positions[i], *v = &job->velocities[i];
        x->x += f->glide * v->x + f->fall * gx;
        x->y += f->glide * v->y + f->fall * gy;
        x->z += f->glide * v->z + f->fall * gz;
        v->x = f->keep * v->x + f->push * gx;
        v->y = f->keep * v->y + f->push * gy;
        v->z = f->keep * v->z + f->push * gz;
    }
}

static OozeStatus step(void *data, OozeStepContext *context, OozeError *error)
{
    (void)data;
    OozeFlight *flights =
        ooze_arena_alloc(context->arena, (size_t)context->material_count, sizeof *flights);
    if (!flights) {
        return ooze_fail_memory(error, "the ballistic step", 0);
    }
    for (int m = 0; m < context->material_count; m++) {
        flights[m] = ooze_flight(context->materials[m].values[OOZE_MATERIAL_DRAG], context->dt);
    }
    FlightJob job = {
        .context = context,
        .flights = flights,
        .positions = ooze_particles_positions(context->particles),
        .velocities = ooze_particles_velocities(context->particles),
        .materials = ooze_particles_materials(context->particles),
    };
    ooze_parallel_for(context->threads, ooze_particles_count(context->particles), 4096, fly, &job);
    return OOZE_OK;
}

const OozeMethod ooze_method_ballistic = {
    .info = {.name = "ballistic",
             .summary = "particles fly under gravity and drag, and bounce off solids; they do not "
                        "feel each other",
             .reference = "",
             .params = params,
             .param_count = PARAM_COUNT},
    .material_keys = material_keys,
    .step = step,
};
