/* Acceptance tests of the blend method in worlds with solids, nozzles, sinks and heat: the same
   bits for any number of threads and after a restart, fluid shares by temperature and phase,
   momentum of dynamic solids, and random scenes. */
#include "physics/blend_fixtures.h"

#include "physics/coupling_fixtures.h"

static uint64_t hash_of(OozeWorld *world)
{
    return ooze_frame_hash(ooze_world_frame(world));
}

/* ---- T21, T22: the same bits ----------------------------------------------------------------- */

/* Two jellies and a jet fall on a floor, a moving bar and a dynamic ball; a sink removes what flows
   off. The reference shape is checked every 10 steps, and changes. */
static OozeWorld *make_busy(int threads, OozeRegionKind kind)
{
    const double d = 0.02, step = 1.0 / 400;
    OozeWorldDef def = ooze_world_def_default();
    OozeWorld *world = NULL;
    def.method = "blend";
    def.spacing = d;
    def.time_step = step;
    def.gravity = down();
    def.threads = threads;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    set_param(world, "regions", kind == OOZE_REGIONS_OF_CELLS ? 2 : 1);
    set_param(world, "region_radius", kind == OOZE_REGIONS_OF_CELLS ? 3 : 1.95);
    set_param(world, "update_interval", 10 * step);
    OozeMaterialId soft = add_jelly(
        world, (Jelly){.fluid_share = 0.7, .viscosity = 1, .threshold = 2, .density = 1200});
    OozeMaterialId firm = add_jelly(world, (Jelly){.fluid_share = 0.1, .solvent = 5});
    add_floor(world, 0.5);
    OozeSolidDef bar = ooze_solid_def_default();
    bar.friction = 0.5;
    bar.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    bar.shape.size = vec3(0.05, 0.1, 0.4);
    bar.shape.position = vec3(-0.25, 0.06, 0);
    bar.motion.velocity = vec3(1, 0, 0);
    CHECK_OK(ooze_world_add_solid(world, &bar, NULL, &error));
    Body ball = {.centre = vec3(0.05, 0.5, 0.02), .radius = 0.05, .density = 800};
    add_body(world, &ball);
    add_lattice(world, (Lattice){.material = soft,
                                 .n = {8, 6, 8},
                                 .spacing = d,
                                 .corner = vec3(-0.08, 0.02, -0.08)});
    add_lattice(world, (Lattice){.material = firm,
                                 .n = {6, 6, 6},
                                 .spacing = d,
                                 .corner = vec3(-0.05, 0.16, -0.06)});
    OozeEmitterDef nozzle = jet(0.45, 1);
    nozzle.position.x = -0.06;
    CHECK_OK(ooze_world_add_emitter(world, &nozzle, NULL, &error));
    OozeSinkDef sink = ooze_sink_def_default();
    sink.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    sink.shape.position = vec3(0.12, 0.1, 0);
    sink.shape.size = vec3(0.1, 0.3, 0.4);
    CHECK_OK(ooze_world_add_sink(world, &sink, &error));
    return world;
}

static void blend_T21_threads(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        uint64_t expected = 0;
        for (int threads = 1; threads <= 3; threads++) {
            OozeWorld *world = make_busy(threads, (OozeRegionKind)kind);
            step_many(world, 45);
            expected = threads == 1 ? hash_of(world) : expected;
            assert_true(hash_of(world) == expected);
            ooze_world_destroy(world);
        }
    }
}

/* What has happened to the particles of a world so far. */
typedef struct Events {
    uint64_t count;
    double newest, oldest; /* steps of reference shapes */
    double last_id;
} Events;

static Events events_of(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *number = ooze_frame_field(frame, "reference_step");
    const OozeFieldView *id = ooze_frame_field(frame, "id");
    Events e = {.count = frame->particle_count, .oldest = INFINITY};
    for (uint64_t i = 0; i < e.count; i++) {
        double step = ooze_field_value(number, i, 0);
        e.newest = fmax(e.newest, step);
        e.oldest = fmin(e.oldest, step);
        e.last_id = fmax(e.last_id, ooze_field_value(id, i, 0));
    }
    return e;
}

static void blend_T22_restore(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        OozeWorld *first = make_busy(2, (OozeRegionKind)kind);
        OozeWorld *second = make_busy(1, (OozeRegionKind)kind);
        step_many(first, 57);
        CHECK_OK(ooze_world_restore(second, ooze_world_frame(first), &error));
        assert_true(hash_of(first) == hash_of(second));
        Events before = events_of(first);
        int differ = 0;
        for (int k = 0; k < 60; k++) {
            step_world(first);
            step_world(second);
            differ += hash_of(first) != hash_of(second);
        }
        Events after = events_of(first);
        MEASURED("steps with other bits", differ, 0, 0);
        MEASURED("particles emitted since", after.last_id - before.last_id, 1, 1e6);
        MEASURED("particles removed since",
                 (double)before.count + after.last_id - before.last_id - (double)after.count, 1,
                 1e6);
        MEASURED("steps from one reference shape to another", after.newest - before.newest, 10, 60);
        ooze_world_destroy(first);
        ooze_world_destroy(second);
    }
}

/* ---- T23: nozzle and sink -------------------------------------------------------------------- */

/* Emitted particles have no reference position until the next check; then the jet keeps its shape
   and falls as a whole. */
static void blend_T23_jet(void **state)
{
    (void)state;
    const double d = 0.01, step = 1e-3;
    OozeWorld *world = blend_world((Setup){.spacing = d, .time_step = step, .gravity = down()}, 3,
                                   OOZE_REGIONS_OF_CELLS);
    set_param(world, "update_interval", 0.02);
    add_jelly(world, (Jelly){.fluid_share = 0.8, .viscosity = 1});
    OozeEmitterDef nozzle = jet(0.3, 0.5);
    nozzle.stop = 0.2;
    CHECK_OK(ooze_world_add_emitter(world, &nozzle, NULL, &error));
    OozeSinkDef sink = ooze_sink_def_default();
    sink.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    sink.shape.size = vec3(1, 0.2, 1);
    CHECK_OK(ooze_world_add_sink(world, &sink, &error));
    double fastest = 0;
    uint64_t most = 0;
    for (int k = 0; k < 400; k++) {
        step_world(world);
        Census c = take_census(world);
        fastest = fmax(fastest, c.fastest);
        most = c.count > most ? c.count : most;
        if (k == 181) { /* the check of step 180 has been */
            MEASURED("particles without a shape just after a check", events_of(world).oldest, 1,
                     200);
        }
    }
    MEASURED("particles at most", (double)most, 50, 1e5);
    MEASURED("particles left", (double)ooze_world_frame(world)->particle_count, 0, 0);
    MEASURED("fastest (m/s); of free fall 2.04", fastest, 1.5, 2.2);
    ooze_world_destroy(world);
}

/* ---- T24: melting ---------------------------------------------------------------------------- */

/* A cube on a floor, its fluid share by a number, by a table of temperatures, or by its phase;
   `temperature` that of everything. Returns the hash of the positions. */
typedef enum ShareBy { SHARE_BY_NUMBER, SHARE_BY_TABLE, SHARE_BY_PHASE } ShareBy;

static uint64_t melt(ShareBy by, double share, double temperature, double *height)
{
    const double d = 0.02;
    OozeWorldDef def = ooze_world_def_default();
    OozeWorld *world = NULL;
    def.method = "blend";
    def.spacing = d;
    def.time_step = 1.0 / 200;
    def.threads = 1;
    def.gravity = down();
    def.air_temperature = temperature;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialDef material = ooze_material_def_default();
    OozeTemperatureRow rows[2] = {ooze_temperature_row_default(), ooze_temperature_row_default()};
    rows[0].temperature = 20;
    rows[0].fluid_share = 0;
    rows[1].temperature = 80;
    rows[1].fluid_share = 1;
    CHECK_OK(ooze_material_def_set(&material, "fluid_share", share, &error));
    CHECK_OK(ooze_material_def_set(&material, "viscosity", 2, &error));
    CHECK_OK(ooze_material_def_set(&material, "update_threshold", INFINITY, &error));
    if (by == SHARE_BY_TABLE) {
        material.temperature_table = rows;
        material.temperature_row_count = 2;
    } else if (by == SHARE_BY_PHASE) {
        CHECK_OK(ooze_material_def_set(&material, "melting_temperature", 60, &error));
    }
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    add_floor(world, 0.3);
    OozeFluidDef cube = ooze_fluid_def_default();
    cube.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    cube.shape.size = vec3(7 * d, 7 * d, 7 * d);
    cube.shape.position = vec3(0, 3.6 * d, 0);
    cube.temperature = temperature;
    CHECK_OK(ooze_world_add_fluid(world, &cube, NULL, &error));
    step_many(world, 80);
    take_census(world);
    *height = height99(world) / (7 * d);
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    uint64_t hash = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        for (int k = 0; k < 3; k++) {
            double value = ooze_field_value(x, i, k);
            uint64_t bits;
            memcpy(&bits, &value, sizeof bits);
            hash = hash * 1099511628211u + bits;
        }
    }
    ooze_world_destroy(world);
    return hash;
}

static void blend_T24_melting(void **state)
{
    (void)state;
    static const double shares[] = {0, 0.5, 1};
    double height[3], other;
    for (int k = 0; k < 3; k++) {
        uint64_t expected = melt(SHARE_BY_NUMBER, shares[k], 20 + 60 * shares[k], &height[k]);
        assert_true(melt(SHARE_BY_TABLE, 0.3, 20 + 60 * shares[k], &other) == expected);
        printf("  share %g: height %.3f of the edge\n", shares[k], height[k]);
    }
    assert_true(melt(SHARE_BY_PHASE, 0, 40, &other) == melt(SHARE_BY_NUMBER, 0, 40, &other));
    MEASURED("height of a solid cube over its edge", other, 0.85, 1.05);
    assert_true(melt(SHARE_BY_PHASE, 0, 80, &other) == melt(SHARE_BY_NUMBER, 1, 80, &other));
    MEASURED("height of a molten cube", other, 0, 0.7);
    assert_true(height[0] > 2 * height[2] && height[1] > 2 * height[2]);
}

/* ---- T25: dynamic solids --------------------------------------------------------------------- */

/* A jelly meets a ball at rest in empty space, off its centre: momentum passes over. */
static void blend_T25_coupled(void **state)
{
    (void)state;
    static const double shares[] = {0, 0.5, 1};
    for (int k = 0; k < 3; k++) {
        const double d = 0.01;
        const int n[3] = {8, 8, 8};
        OozeWorld *world =
            blend_world((Setup){.spacing = d, .time_step = 5e-4}, 3, OOZE_REGIONS_OF_CELLS);
        OozeMaterialId jelly = add_jelly(
            world, (Jelly){.fluid_share = shares[k], .viscosity = 1, .threshold = INFINITY});
        Body ball = {.centre = vec3(0.1, 0.01, 0), .radius = 0.04, .density = 500};
        OozeVec3 velocity = vec3(1, 0, 0);
        add_body(world, &ball);
        add_lattice(world, (Lattice){.material = jelly,
                                     .n = {n[0], n[1], n[2]},
                                     .spacing = d,
                                     .corner = centred(n, d),
                                     .velocity = uniform_velocity,
                                     .user = &velocity});
        check_momentum_passes_over(world, &ball, 300, 1e-5);
        ooze_world_destroy(world);
    }
}

/* One particle meets a ball of ten times its mass, without restitution: both have a common speed
   after the step, however many particles are near the ball and do not touch it. */
static void blend_T25_bystanders(void **state)
{
    (void)state;
    const double d = 0.01, radius = 0.05, mass = 1000 * d * d * d;
    for (int bystanders = 0; bystanders <= 20; bystanders += 20) {
        OozeWorld *world =
            blend_world((Setup){.spacing = d, .time_step = 1e-4}, 3, OOZE_REGIONS_OF_CELLS);
        add_jelly(world, (Jelly){.fluid_share = 0.5});
        Body ball = {.radius = radius};
        ball.density = 10 * mass / volume_of(&ball);
        add_body(world, &ball);
        OozeVec3 x[21] = {vec3(-radius - 0.505 * d, 0, 0)}, v[21] = {vec3(1, 0, 0)};
        for (int k = 1; k <= bystanders; k++) {
            double turn = 2 * M_PI * k / bystanders;
            x[k] = vec3_scale(vec3(1, cos(turn), sin(turn)), (radius + 1.2 * d) / sqrt(2));
        }
        CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 1 + (uint64_t)bystanders, x,
                                          v, &error));
        step_world(world);
        MEASURED("speed of the particle (m/s)", take_census(world).fastest, 0.0909, 0.091);
        MEASURED("speed of the ball (m/s)", pose_of(world, 0).velocity.x, 0.0909, 0.091);
        ooze_world_destroy(world);
    }
}

/* ---- T26: random scenes ---------------------------------------------------------------------- */

static double pick(int scene, uint64_t draw, double low, double high)
{
    return low + (high - low) * ooze_random01(77, (uint64_t)scene, draw);
}

/* A ball, box or turning bar that passes through where the jelly is. Those of `free` scenes come
   from one side with one speed, above the floor, so that nothing is squeezed; others begin
   anywhere, also in the jelly, and go anywhere, also into the floor. Returns the speed of its
   fastest point; `size` becomes its largest extent, if that is larger. */
static double add_moving_solid(OozeWorld *world, int scene, int number, bool free, double *size)
{
    uint64_t at = 40 + 20 * (uint64_t)number;
    OozeSolidDef solid = ooze_solid_def_default();
    solid.shape =
        ooze_shape_def_default(pick(scene, at, 0, 1) < 0.5 ? OOZE_SHAPE_SPHERE : OOZE_SHAPE_BOX);
    solid.shape.radius = pick(scene, at + 1, 0.02, 0.08);
    solid.shape.size = vec3(pick(scene, at + 2, 0.02, 0.3), pick(scene, at + 3, 0.02, 0.1),
                            pick(scene, at + 4, 0.02, 0.3));
    solid.shape.position = vec3(pick(scene, at + 5, -0.3, 0.3), pick(scene, at + 6, 0, 0.4),
                                pick(scene, at + 7, -0.3, 0.3));
    double speed = pick(scene, free ? 30 : at + 8, 0, 3), spin = pick(scene, at + 9, 0, 10);
    OozeVec3 aim = vec3_sub(vec3(0, 0.12, 0), solid.shape.position);
    if (free) {
        solid.shape.position = vec3(-0.25, 0.1 + 0.12 * number, 0.1 * number - 0.05);
        aim = vec3(1, 0, 0);
        spin = 0;
    }
    solid.motion.velocity = vec3_scale(vec3_unit(aim, vec3(0, 1, 0)), speed);
    solid.motion.spin = vec3(0, spin, 0);
    solid.friction = pick(scene, at + 10, 0, 1);
    solid.restitution = pick(scene, at + 11, 0, 1) < 0.3 ? pick(scene, at + 12, 0, 1) : 0;
    CHECK_OK(ooze_world_add_solid(world, &solid, NULL, &error));
    *size = fmax(*size, fmax(2 * solid.shape.radius, vec3_length(solid.shape.size)));
    return speed + spin * 0.5 * hypot(solid.shape.size.x, solid.shape.size.z);
}

typedef struct Play {
    OozeWorld *world;
    double put_in; /* m/s: bound on speeds by the energy put in */
    bool free;
} Play;

/* Steps are up to four times 1/600 s, the usual one; the world divides them where particles would
   move too far. Speeds: a fall from the highest place, the initial speed, and twice the speed of
   solids, with which an elastic body leaves a moving wall. Where solids squeeze jelly, they hold
   particles away from their goals by up to their size, which is an energy of (size / tau)^2 / 2 per
   mass, or compress it, which gives up to the speed of sound. */
static Play random_play(int scene)
{
    const double d = 0.02;
    OozeWorldDef def = ooze_world_def_default();
    Play p = {.free = scene % 2 == 0};
    def.method = "blend";
    def.spacing = d;
    def.time_step = pick(scene, 0, 0.25, 4) / 600;
    def.gravity = down();
    def.threads = 1;
    CHECK_OK(ooze_world_create(&def, &p.world, &error));
    set_param(p.world, "region_radius", pick(scene, 1, 1.05, 5));
    set_param(p.world, "regions", floor(pick(scene, 2, 0, 2.99)));
    set_param(p.world, "update_interval", pick(scene, 3, 0, 0.3));
    set_param(p.world, "sound_speed", pick(scene, 4, 5, 20));
    double solids = 0, size = 0, stiffest = 0, launch = pick(scene, 5, 0, 3), high = 0;
    for (int k = 0; k < 2; k++) {
        uint64_t at = 10 + 10 * (uint64_t)k;
        double alpha = pick(scene, at, -0.2, 1.2);
        OozeMaterialId jelly =
            add_jelly(p.world, (Jelly){.fluid_share = fmin(1, fmax(0, alpha)),
                                       .density = pick(scene, at + 1, 500, 2000),
                                       .viscosity = pick(scene, at + 2, 0, 2),
                                       .modulus = pick(scene, at + 3, 0, 1) < 0.5
                                                      ? pow(10, pick(scene, at + 4, 1, 5))
                                                      : 0,
                                       .solvent = pick(scene, at + 5, 0, 5),
                                       .threshold = pick(scene, at + 6, 1, 60)});
        OozeVec3 velocity = vec3(0, k ? launch : -launch, 0);
        int height = 3 + (int)pick(scene, at + 7, 0, 4);
        add_lattice(p.world, (Lattice){.material = jelly,
                                       .n = {5, height, 6},
                                       .spacing = d,
                                       .corner = vec3(-0.06, 0.02 + 0.16 * k, -0.06),
                                       .velocity = uniform_velocity,
                                       .user = &velocity});
        high = 0.02 + 0.16 * k + height * d;
    }
    add_floor(p.world, pick(scene, 6, 0, 1));
    int moving_solids = (int)pick(scene, 7, 0, 3.99);
    for (int k = 0; k < moving_solids; k++) {
        solids = fmax(solids, add_moving_solid(p.world, scene, k, p.free, &size));
    }
    p.put_in = sqrt(2 * 9.81 * high) + launch + 2 * solids;
    OozeStepContext context = ooze_world_step_context(p.world);
    for (int m = 0; !p.free && m < context.material_count; m++) {
        OozeBlendMaterial own = ooze_blend_material(&context, m);
        stiffest = fmax(stiffest, sqrt(ooze_match_pull(own.response_time, context.dt)));
    }
    p.put_in += p.free ? 0 : fmax(stiffest * size, context.params[OOZE_BLEND_SOUND_SPEED]);
    return p;
}

static void blend_T26_random(void **state)
{
    (void)state;
    int scenes = sanitized() ? 4 : full_sweep() ? 100 : 40, worst_scene = 0;
    double worst = 0;
    for (int k = 0; k < scenes; k++) {
        Play p = random_play(k);
        const double seconds = 0.3;
        uint64_t count = ooze_world_frame(p.world)->particle_count;
        for (int s = 0; s < (int)(seconds / p.world->def.time_step); s++) {
            OozeError error = {0};
            OozeStatus status = ooze_world_step(p.world, &error);
            if (status) {
                fail_msg("scene %d, step %d: %s", k, s, error.message);
            }
            Census c = take_census(p.world);
            assert_int_equal(c.count, count);
            if (c.fastest / p.put_in > worst) {
                worst = c.fastest / p.put_in;
                worst_scene = k;
            }
        }
        ooze_world_destroy(p.world);
    }
    printf("  %d scenes; fastest in scene %d\n", scenes, worst_scene);
    /* what one particle takes of the energy of others is worth a factor of 2 */
    MEASURED("fastest particle over the speed of the energy put in", worst, 0, 2);
}

/* ---- T27: memory ----------------------------------------------------------------------------- */

static OozeWorld *small_world(OozeRegionKind kind, bool dynamic)
{
    const double d = 0.02;
    OozeWorld *world = blend_world((Setup){.spacing = d, .time_step = 1e-3, .gravity = down()},
                                   kind == OOZE_REGIONS_OF_CELLS ? 3 : 1.95, kind);
    OozeMaterialId jelly = add_jelly(world, (Jelly){.fluid_share = 0.3, .solvent = 1});
    add_floor(world, 0.3);
    Body ball = {.centre = vec3(0.06, 0.17, 0.06), .radius = 0.04, .density = 500};
    if (dynamic) {
        add_body(world, &ball);
    }
    add_lattice(world, (Lattice){.material = jelly, .n = {6, 6, 6}, .spacing = d});
    return world;
}

/* A step for which memory does not suffice says so, leaks nothing and changes nothing: done again,
   it is the same. Dynamic solids have moved before the step fails, for any method. */
static void blend_T27_out_of_memory(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        OozeRegionKind kind = (OozeRegionKind)(k % 2);
        bool dynamic = k >= 2;
        OozeWorld *world = small_world(kind, dynamic);
        use_processor(world);
        step_world(world);
        uint64_t expected = hash_of(world);
        ooze_world_destroy(world);
        int failed = 0;
        OozeStatus status = OOZE_ERROR_MEMORY;
        for (uint64_t after = 1; status == OOZE_ERROR_MEMORY; after++) {
            world = small_world(kind, dynamic);
            use_processor(world);
            OozeError error = {0};
            ooze_memory_fail_after(after);
            status = ooze_world_step(world, &error);
            ooze_memory_fail_after(0);
            failed += status != OOZE_OK;
            if (status) {
                assert_true(error.message[0] != 0);
                step_world(world);
            }
            assert_true(dynamic || hash_of(world) == expected);
            ooze_world_destroy(world);
        }
        assert_int_equal(status, OOZE_OK);
        MEASURED("allocations that failed, one by one", failed, 20, 1000);
    }
}

/* ---- T28: bodies and refusals ---------------------------------------------------------------- */

/* A bar whose end is in a box that rises: the end goes with the box, the rest hangs on it. Its
   shape is that of the first step although every check finds forces; the same as fluid forgets its
   shape. */
static void blend_T28_soft_body(void **state)
{
    (void)state;
    for (int soft = 1; soft >= 0; soft--) {
        const double d = 0.02, step = 1.0 / 400;
        OozeWorldDef def = ooze_world_def_default();
        OozeWorld *world = NULL;
        def.method = "blend";
        def.spacing = d;
        def.time_step = step;
        def.gravity = down();
        def.threads = 1;
        CHECK_OK(ooze_world_create(&def, &world, &error));
        set_param(world, "update_interval", 10 * step);
        set_param(world, "update_gravity", 1);
        add_jelly(world, (Jelly){.fluid_share = 0.1, .solvent = 20, .threshold = 1e-6});
        OozeSolidDef clamp = ooze_solid_def_default();
        clamp.friction = 0.5;
        clamp.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
        clamp.shape.size = vec3(0.08, 0.14, 0.14);
        clamp.shape.position = vec3(-0.1, 0.3, 0);
        clamp.motion.velocity = vec3(0, 0.5, 0);
        CHECK_OK(ooze_world_add_solid(world, &clamp, NULL, &error));
        OozeFluidDef bar = ooze_fluid_def_default();
        bar.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
        bar.shape.size = vec3(0.2, 0.08, 0.08);
        bar.shape.position = vec3(0, 0.3, 0);
        bar.body = soft ? OOZE_BODY_SOFT : OOZE_BODY_FLUID;
        CHECK_OK(ooze_world_add_fluid(world, &bar, NULL, &error));
        step_many(world, 121);
        Events e = events_of(world);
        if (soft) {
            MEASURED("step of the shape of a body", e.newest, 1, 1);
            MEASURED("rise of its lowest particle (m), the box 0.15",
                     take_census(world).low.y - 0.27, 0, 0.16);
            MEASURED("end in the box (m)", take_census(world).low.x, -0.1, -0.08);
        } else {
            MEASURED("step of the shape of a fluid", e.oldest, 121, 121);
        }
        ooze_world_destroy(world);
    }
}

static void blend_T28_refusals(void **state)
{
    (void)state;
    OozeWorldDef def = ooze_world_def_default();
    OozeWorld *world = NULL;
    def.method = "blend";
    def.spacing = 0.02;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    add_jelly(world, (Jelly){.fluid_share = 0.1});
    OozeFluidDef block = ooze_fluid_def_default();
    block.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    block.shape.size = vec3(0.1, 0.1, 0.1);
    block.body = OOZE_BODY_RIGID;
    CHECK_OK(ooze_world_add_fluid(world, &block, NULL, &error));
    CHECK_FAILS(ooze_world_step(world, &error), OOZE_ERROR_UNSUPPORTED, "rigid");
    ooze_world_destroy(world);
    def.periodic[0] = true;
    def.periodic_max.x = 1;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    add_jelly(world, (Jelly){.fluid_share = 0.1});
    add_lattice(world, (Lattice){.n = {3, 3, 3}, .spacing = 0.02});
    CHECK_FAILS(ooze_world_step(world, &error), OOZE_ERROR_UNSUPPORTED, "periodic");
    ooze_world_destroy(world);
}

ACCEPTANCE_MAIN(cmocka_unit_test(blend_T21_threads), cmocka_unit_test(blend_T22_restore),
                cmocka_unit_test(blend_T23_jet), cmocka_unit_test(blend_T24_melting),
                cmocka_unit_test(blend_T25_coupled), cmocka_unit_test(blend_T25_bystanders),
                cmocka_unit_test(blend_T26_random), cmocka_unit_test(blend_T27_out_of_memory),
                cmocka_unit_test(blend_T28_soft_body), cmocka_unit_test(blend_T28_refusals))
