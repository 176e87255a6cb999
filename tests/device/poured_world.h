/* Blocks of fluid that fall on a floor, a slope and a bar that turns, a jet and a sink. */
#ifndef OOZE_TESTS_DEVICE_POURED_WORLD_H
#define OOZE_TESTS_DEVICE_POURED_WORLD_H

#include <initializer_list>

#include "device_world.h"
#include "frames_apart.h"

static inline void add_block(OozeWorld *world, OozeMaterialId material, OozeVec3 size,
                             OozeVec3 position, OozeVec3 velocity)
{
    OozeFluidDef def = ooze_fluid_def_default();
    def.material = material;
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.shape.size = size;
    def.shape.position = position;
    def.velocity = velocity;
    def.spin = {60, -120, 60};
    CHECK_OK(ooze_world_add_fluid(world, &def, nullptr, &error));
}

static inline void add_jet_and_sink(OozeWorld *world, OozeMaterialId material, double spacing)
{
    OozeEmitterDef nozzle = ooze_emitter_def_default();
    nozzle.material = material;
    nozzle.radius = 2 * spacing;
    nozzle.position = {0.0, 0.3, 0.1};
    nozzle.speed = 1.5;
    CHECK_OK(ooze_world_add_emitter(world, &nozzle, nullptr, &error));
    OozeSinkDef sink = ooze_sink_def_default();
    sink.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    sink.shape.size = {0.06, 0.06, 0.5};
    sink.shape.position = {0.05, 0.03, 0};
    CHECK_OK(ooze_world_add_sink(world, &sink, &error));
}

/* FLAT: solids are a floor and a block along the axes, at rest. SLOPED: with those of
   add_floor_slope_and_bar. There the velocity of a particle that slides is along the surface to
   rounding, and rounding decides whether its path meets the surface again; one that meets it four
   times in a step ends there (see OOZE_SWEEP_ROUNDS), by its speed times the step behind others. */
enum Ground { FLAT, SLOPED };

static inline void add_floor_and_block(OozeWorld *world)
{
    OozeSolidDef floor = ooze_solid_def_default(), block = floor;
    block.friction = 0.5;
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    floor.friction = INFINITY;
    CHECK_OK(ooze_world_add_solid(world, &floor, nullptr, &error));
    block.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    block.shape.size = {0.1, 0.1, 0.1};
    block.shape.position = {0.2, 0.05, 0};
    block.restitution = 0.5;
    CHECK_OK(ooze_world_add_solid(world, &block, nullptr, &error));
}

/* Two fluids, one of which comes from the jet as well. */
static inline void fill_poured_world(OozeWorld *world, Ground ground, double spacing,
                                     OozeMaterialId first, OozeMaterialId second)
{
    if (ground == FLAT) {
        add_floor_and_block(world);
    } else {
        add_floor_slope_and_bar(world, 0.5);
    }
    add_block(world, first, {0.16, 0.1, 0.12}, {0, 0.06, 0}, {0.3, -1, 0.1});
    add_block(world, second, {0.1, 0.1, 0.1}, {0.02, 0.17, 0.02}, {0.1, -1.5, 0.2});
    add_block(world, first, {0.08, 0.08, 0.08}, {0.24, 0.31, 0}, {-0.5, -2, 0});
    add_jet_and_sink(world, second, spacing);
}

/* The largest differences over `steps` steps, each from the same state; `check` compares what else
   there is. */
struct Apart {
    double x, v;  /* of positions, in spacings, and of velocities, m/s */
    double share; /* of the particles whose positions differ by more than 1e-4 spacings */
};

template <class Check>
static Apart compare_steps(OozeWorld *host, OozeWorld *device, int steps, double spacing,
                           Check check)
{
    Apart most = {};
    for (int k = 0; k < steps; k++) {
        const BothSteps both = step_both(host, device);
        most.x = fmax(most.x, apart(both.a, both.b, "position", 3) / spacing);
        most.v = fmax(most.v, apart(both.a, both.b, "velocity", 3));
        most.share = fmax(most.share, share_apart(both.a, both.b, 1e-4 * spacing));
        assert_int_equal(both.here.substeps, both.there.substeps);
        check(both);
    }
    return most;
}

/* Runs both worlds for so many steps. */
static inline Apart compare_runs(OozeWorld *host, OozeWorld *device, int steps, double spacing)
{
    for (int k = 0; k < steps; k++) {
        CHECK_OK(ooze_world_step(host, &error));
        CHECK_OK(ooze_world_step(device, &error));
    }
    const OozeFrame *a = ooze_world_frame(host), *b = ooze_world_frame(device);
    return {apart(a, b, "position", 3) / spacing, apart(a, b, "velocity", 3),
            share_apart(a, b, 1e-4 * spacing)};
}

static inline void check_density_reports(const BothSteps &both, double tolerance)
{
    assert_true(fabs(both.here.worst_density_error - both.there.worst_density_error) < tolerance);
    assert_true(fabs(both.here.mean_density_error - both.there.mean_density_error) < tolerance);
}

#endif
