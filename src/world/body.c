/* Particle bodies: the fields that say which body a particle belongs to and which solid it is fixed
   to. */
#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "world/world.h"

static OozeStatus add_fields(OozeWorld *world, OozeError *error)
{
    static const OozeFieldInfo body = {
        "body", OOZE_FIELD_UINT16, 1, 1, "", 0.0, true, "0: fluid; k: part of the k-th body"};
    static const OozeFieldInfo pin = {
        "pin", OOZE_FIELD_UINT16,
        1,     1,
        "",    0.0,
        true,  "0: free; k: of a soft body, and fixed to solid k - 1"};
    OozeStatus status = ooze_world_own_on_host(world, error);
    status = status ? status : ooze_world_add_rest_positions(world, error);
    if (!status) {
        status = ooze_particles_add_field(world->particles, &pin, &world->pin_field, error);
    }
    return status ? status
                  : ooze_particles_add_field(world->particles, &body, &world->body_field, error);
}

/* A rigid body wider than half the periodic box could touch itself, and the nearest image of its
   particles would be ambiguous. */
static OozeStatus check_extent(const OozeWorld *world, const OozeFluidDef *def, uint64_t n,
                               const OozeVec3 *x, OozeError *error)
{
    OozeVec3 low = vec3(INFINITY, INFINITY, INFINITY), high = vec3_scale(low, -1.0);
    for (uint64_t i = 0; i < n; i++) {
        low = vec3(fmin(low.x, x[i].x), fmin(low.y, x[i].y), fmin(low.z, x[i].z));
        high = vec3(fmax(high.x, x[i].x), fmax(high.y, x[i].y), fmax(high.z, x[i].z));
    }
    OozeVec3 centre = vec3_scale(vec3_add(low, high), 0.5);
    double across = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        across = fmax(across, 2.0 * vec3_length(vec3_sub(x[i], centre)));
    }
    for (int axis = 0; axis < 3 && def->body == OOZE_BODY_RIGID; axis++) {
        double period = (double)world->periodic.length[axis];
        if (period > 0.0 && across > 0.5 * period) {
            return ooze_fail(error, OOZE_ERROR_ARGUMENT, "make it smaller, or the box larger",
                             "rigid body '%s' is %.3g m across, more than half of the periodic "
                             "%.3g m",
                             def->name ? def->name : "", across, period);
        }
    }
    return OOZE_OK;
}

OozeStatus ooze_world_prepare_body(OozeWorld *world, const OozeFluidDef *def, uint64_t n,
                                   const OozeVec3 *positions, OozeError *error)
{
    const char *name = def->name ? def->name : "";
    if (def->body == OOZE_BODY_FLUID) {
        return OOZE_OK;
    }
    if (def->body != OOZE_BODY_RIGID && def->body != OOZE_BODY_SOFT) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "it is fluid, rigid or soft",
                         "'%s' is a body of the unknown kind %d", name, (int)def->body);
    }
    if (!world->method->takes_bodies) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT,
                         "use method: {name: conformation}, or body: fluid",
                         "'%s' is to be a body, and method '%s' knows fluids alone", name,
                         world->method->info.name);
    }
    if (world->bodies.count >= UINT16_MAX - 1) {
        return ooze_fail(error, OOZE_ERROR_LIMIT, "use fewer bodies",
                         "a world holds at most %d bodies", UINT16_MAX - 1);
    }
    OozeStatus status = check_extent(world, def, n, positions, error);
    if (!status) {
        status = add_fields(world, error);
    }
    if (!status && !OOZE_LIST_RESERVE(world->bodies)) {
        status = ooze_fail_memory(error, "a body", sizeof *world->bodies.items);
    }
    return status;
}

/* 1 + index of the first solid that contains the point; 0: none. */
static uint16_t solid_around(const OozeWorld *world, OozeFloat4 p)
{
    for (int k = 0; k < world->solids.count; k++) {
        const OozeSolid *solid = &world->solids.items[k];
        if (ooze_solid_contact(solid, vec3((double)p.x, (double)p.y, (double)p.z)).distance < 0.0) {
            return (uint16_t)(k + 1);
        }
    }
    return 0;
}

void ooze_world_add_body(OozeWorld *world, OozeBodyKind kind, uint64_t first, uint64_t n)
{
    if (kind == OOZE_BODY_FLUID) {
        return;
    }
    world->bodies.items[world->bodies.count++] = (OozeBody){
        .kind = kind, .first_id = ooze_particles_next_id(world->particles) - n, .count = n};
    uint16_t *body = ooze_particles_data(world->particles, world->body_field);
    uint16_t *pin = ooze_particles_data(world->particles, world->pin_field);
    const OozeFloat4 *x = ooze_particles_positions(world->particles);
    for (uint64_t i = first; i < first + n; i++) {
        body[i] = (uint16_t)world->bodies.count;
        pin[i] = kind == OOZE_BODY_SOFT ? solid_around(world, x[i]) : 0;
    }
}
