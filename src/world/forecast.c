/* Forecasts of the number of particles and of the memory of a run. */
#include <math.h>

#include "base/vec3.h"
#include "solids/fill.h"
#include "world/world.h"

/* Copies of a particle's row: the store, and two states being written. */
static const double ROW_COPIES = 3.0;
/* Bytes of a neighbour: its index, and scratch numbers of the method for each pair. */
static const double NEIGHBOUR_BYTES = 20.0;

double ooze_world_bytes_per_particle(OozeWorld *world)
{
    double row = 0.0;
    for (int i = 0; i < ooze_particles_field_count(world->particles); i++) {
        const OozeFieldInfo *field = ooze_particles_field_info(world->particles, i);
        row += (double)ooze_field_type_size(field->type) * (double)field->stride;
    }
    double ratio = world->support / world->def.spacing;
    double neighbours =
        world->method->ignores_fluid ? 0.0 : 4.0 / 3.0 * OOZE_PI * ratio * ratio * ratio;
    /* The processor sorts its store in a fourth copy; a GPU sorts and finds neighbours itself. */
    double steps = ooze_world_expects_gpu(world) ? 0.0 : row + NEIGHBOUR_BYTES * neighbours;
    return ROW_COPIES * row + steps;
}

OozeStatus ooze_world_count_fluid(const OozeWorld *world, const OozeFluidDef *def, double *count,
                                  OozeError *error)
{
    const double coarse = 8.0; /* spacings of the distance grid */
    double spacing = world->def.spacing;
    OozeShape *shape = NULL;
    *count = 0.0;
    OozeStatus status = ooze_shape_create_with(&def->shape, world->def.up, coarse * spacing,
                                               world->threads, &shape, error);
    if (status) {
        return status;
    }
    OozeFillRequest request = {.shape = shape,
                               .pose = {.position = def->shape.position},
                               .fill = def->fill,
                               .spacing = spacing,
                               .jitter = def->jitter,
                               .threads = world->threads};
    status = ooze_fill_count(&request, count, error);
    ooze_shape_destroy(shape);
    return status;
}
