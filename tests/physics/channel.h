/* Fluid between two no-slip plates: 20 layers high, periodic sideways, pushed along
   x or dragged by the upper plate. */
#ifndef OOZE_TESTS_PHYSICS_CHANNEL_H
#define OOZE_TESTS_PHYSICS_CHANNEL_H

#include "physics/fixtures.h"

typedef struct Channel {
    OozeWorld *world;
    OozeSolidId top;
    double spacing, height;
} Channel;

enum { CHANNEL_LAYERS = 20 };

/* A channel whose world has no material yet, and no fluid. */
static inline Channel open_channel(double spacing, double time_step, double push)
{
    Channel c = {.spacing = spacing, .height = CHANNEL_LAYERS * spacing};
    c.world = make_world((Setup){.spacing = spacing,
                                 .time_step = time_step,
                                 .gravity = vec3(push, 0, 0),
                                 .box = vec3(7 * spacing, 0, 7 * spacing)});
    add_plane(c.world, 0, 1, INFINITY);
    c.top = add_plane(c.world, c.height, -1, INFINITY);
    return c;
}

/* Once it has its material. */
static inline void fill_channel(const Channel *c)
{
    add_lattice(c->world, (Lattice){.n = {7, CHANNEL_LAYERS, 7}, .spacing = c->spacing});
}

/* Mean of a component of a field over the layer about height y, two spacings thick. */
static inline double layer_mean(const Channel *c, const char *name, int component, double y)
{
    const OozeFrame *frame = ooze_world_frame(c->world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *f = ooze_frame_field(frame, name);
    double sum = 0.0, count = 0.0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        if (fabs(ooze_field_value(x, i, 1) - y) < c->spacing) {
            sum += ooze_field_value(f, i, component);
            count += 1;
        }
    }
    return sum / count;
}

/* Moves the upper plate sideways within one step and stops it there. */
static inline void jump(const Channel *c, double travel, double dt)
{
    OozeSolidPose pose = {.position = vec3(travel, c->height, 0),
                          .rotation = {0, 0, 0, 1},
                          .velocity = vec3(travel / dt, 0, 0)};
    CHECK_OK(ooze_world_set_solid_pose(c->world, c->top, &pose, &error));
    step_world(c->world);
    pose.velocity = vec3(0, 0, 0);
    CHECK_OK(ooze_world_set_solid_pose(c->world, c->top, &pose, &error));
}

#endif
