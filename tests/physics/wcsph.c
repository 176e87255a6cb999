/* Acceptance tests of weakly compressible SPH: momentum, a column at rest, viscosity, the largest
   stable step, and the same bits for any number of threads. */
#include "physics/fixtures.h"

#include "base/memory.h"
#include "methods/wcsph/step.h"
#include "world/world.h"

static OozeWorld *wcsph_world(double spacing, double time_step, OozeVec3 gravity, OozeVec3 box,
                              double sound)
{
    OozeWorld *world = make_world((Setup){.method = "wcsph",
                                          .spacing = spacing,
                                          .time_step = time_step,
                                          .gravity = gravity,
                                          .box = box});
    set_param(world, "sound_speed", sound);
    return world;
}

/* ---- conservation ---------------------------------------------------------------------------- */

/* Nothing acts on a blob of two densities and two viscosities: linear momentum stays. */
static void wcsph_T01_momentum(void **state)
{
    (void)state;
    const double dx = 0.02;
    OozeWorld *world = wcsph_world(dx, 1e-4, vec3(0, 0, 0), vec3(0, 0, 0), 20);
    OozeMaterialId light = add_matter(world, newtonian_matter(50));
    Matter iron = newtonian_matter(5);
    iron.density = 3000;
    OozeMaterialId heavy = add_matter(world, iron);
    keep_momentum(world, light, heavy, dx, 300);
    ooze_world_destroy(world);
}

/* ---- a column at rest ------------------------------------------------------------------------ */

/* 16 layers over a floor, periodic sideways. By its weight a column of height H is compressed by g
   H / (2 c^2) in the mean, 0.8% here, which takes the top down by 0.13 spacings; the lowest layer
   should stay half a spacing above the floor. It comes nearer, as boundary samples push less the
   nearer they are, down to the contact distance. The wave of a quarter of its length in H that the
   beginning sets off, at g H / c = 0.22 m/s, decays at nu (pi / 2 H)^2 = 4.8 /s at least. */
static void wcsph_T02_column(void **state)
{
    (void)state;
    const double dx = 0.02, high = 16 * dx, sound = 14;
    OozeWorld *world = wcsph_world(dx, 5e-4, down(), vec3(7 * dx, 0, 7 * dx), sound);
    OozeMaterialId oil = add_matter(world, newtonian_matter(200));
    add_floor(world, INFINITY);
    uint64_t n = add_lattice(world, (Lattice){.material = oil, .n = {7, 16, 7}, .spacing = dx});
    Census before = take_census(world);
    advance(world, 1.5);
    Census after = take_census(world);
    assert_int_equal(after.count, n);
    double sunk = (before.centre.y - after.centre.y) / dx;
    printf("  the centre sank by %.3f spacings, the top by %.3f, lowest at %.3f\n", sunk,
           (before.high.y - after.high.y) / dx, after.low.y / dx);
    /* of the pressure at the bottom, rho g H = rho c^2/7 (d^7 - 1) */
    double expected = pow(1 + 7 * 9.81 * high / (sound * sound), 1.0 / 7) - 1;
    MEASURED("compression of the lowest layer over that of the equation of state",
             world->report.worst_density_error / expected, 0.75, 1.25);
    KNOWN_GAP("spacings that the top sank", (before.high.y - after.high.y) / dx, 0.03, 0.23, 0.299);
    KNOWN_GAP("height of the lowest layer in spacings", after.low.y / dx, 0.4, 0.6, 0.25);
    MEASURED("fastest particle over free fall through a spacing",
             after.fastest / sqrt(2 * 9.81 * dx), 0, 0.01);
    ooze_world_destroy(world);
}

/* ---- viscosity ------------------------------------------------------------------------------- */

/* `user`: speed. */
static OozeVec3 vortices(OozeVec3 x, uint64_t i, const void *user)
{
    (void)i;
    double k = 2 * REFERENCE_PI, speed = *(const double *)user;
    return vec3(speed * taylor_green_u(k, x.x, x.y), speed * taylor_green_v(k, x.x, x.y), 0);
}

/* Decay of Taylor-Green vortices of 20 particles to a wave. */
static void wcsph_T03_taylor_green(void **state)
{
    (void)state;
    const double d = 1.0 / 20, k = 2 * REFERENCE_PI, seconds = 0.3, speed = 0.1;
    OozeWorld *world = wcsph_world(d, 1e-3, vec3(0, 0, 0), vec3(1, 1, 7 * d), 10);
    OozeMaterialId oil = add_matter(world, newtonian_matter(50));
    add_lattice(
        world,
        (Lattice){
            .material = oil, .n = {20, 20, 7}, .spacing = d, .velocity = vortices, .user = &speed});
    double before = take_census(world).energy;
    advance(world, seconds);
    double left = take_census(world).energy / before;
    ooze_world_destroy(world);
    MEASURED("fitted over set viscosity", -log(left) / (4 * k * k * seconds) / 0.05, 0.85, 1.15);
}

/* Fluid between plates, pushed: the middle goes at g H^2 / (8 nu) in the end. The start decays at
   pi^2 nu / H^2. */
static void wcsph_T04_channel(void **state)
{
    (void)state;
    enum { LAYERS = 16 };
    const double d = 0.05, high = LAYERS * d, nu = 0.2, push = 0.5;
    OozeWorld *world = wcsph_world(d, 2e-3, vec3(push, 0, 0), vec3(7 * d, 0, 7 * d), 10);
    OozeMaterialId oil = add_matter(world, newtonian_matter(1000 * nu));
    add_plane(world, 0, 1, INFINITY);
    add_plane(world, high, -1, INFINITY);
    add_lattice(world, (Lattice){.material = oil, .n = {7, LAYERS, 7}, .spacing = d});
    advance(world, 6 * high * high / (REFERENCE_PI * REFERENCE_PI * nu));
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *v = ooze_frame_field(frame, "velocity");
    double sum = 0, flux = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        double y = ooze_field_value(x, i, 1);
        sum += push / (2 * nu) * y * (high - y);
        flux += ooze_field_value(v, i, 0);
    }
    ooze_world_destroy(world);
    MEASURED("flow over that of the parabola", flux / sum, 0.85, 1.15);
}

/* ---- stability ------------------------------------------------------------------------------- */

typedef struct Limit {
    const char *name;
    double viscosity, sound;
} Limit;

/* Kinetic energy after 300 steps over that of the start; infinite when the run ended in an
   error. */
static double growth(Limit limit, double time_step)
{
    const double d = 0.1, speed = 1e-4;
    OozeWorld *world =
        wcsph_world(d, time_step, vec3(0, 0, 0), vec3(8 * d, 8 * d, 8 * d), limit.sound);
    OozeMaterialId oil = add_matter(world, newtonian_matter(limit.viscosity));
    add_lattice(
        world,
        (Lattice){
            .material = oil, .n = {8, 8, 8}, .spacing = d, .velocity = noise, .user = &speed});
    double before = take_census(world).energy, after = before;
    for (int i = 0; i < 300 && after < 1e6 * before; i++) {
        OozeError error;
        after = ooze_world_step(world, &error) ? INFINITY : take_census(world).energy;
    }
    ooze_world_destroy(world);
    return after / before;
}

static double predicted_step(Limit limit)
{
    OozeMaterial material = {0};
    material.values[OOZE_MATERIAL_DENSITY] = 1000;
    material.values[OOZE_MATERIAL_VISCOSITY] = limit.viscosity;
    double params[OOZE_WCSPH_PARAM_COUNT] = {[OOZE_WCSPH_SOUND_SPEED] = limit.sound};
    OozeStepContext context = {.dt = 1e-4,
                               .spacing = 0.1,
                               .support = 0.1 * ooze_method_support_ratio(&ooze_method_wcsph, NAN),
                               .materials = &material,
                               .material_count = 1,
                               .params = params};
    return ooze_wcsph_lattice_step(&context);
}

/* A thick fluid fails beyond the predicted step; one in which sound is what is fast fails too. */
static void wcsph_T05_stability(void **state)
{
    (void)state;
    const Limit thick = {"thick", 5000, 5}, thin = {"sound", 20, 20};
    double step = predicted_step(thick);
    MEASURED("mu dt / (rho dx^2) of the predicted step", 5.0 * step / 0.01, 0.4, 0.7);
    double low = 0.5, high = 4;
    while (high - low > 0.05) {
        double middle = 0.5 * (low + high);
        *(growth(thick, middle * step) > 1 ? &high : &low) = middle;
    }
    MEASURED("largest stable step of viscosity over predicted", 0.5 * (low + high), 0.9, 1.1);
    step = predicted_step(thin);
    MEASURED("c dt / dx of the predicted step", 20 * step / 0.1, 0.5, 2.5);
    MEASURED("energy left at half the step of sound", growth(thin, 0.5 * step), 0, 1);
    MEASURED("energy at three times", fmin(growth(thin, 3 * step), 1e30), 1e3, 1e30);
}

/* `user`: the velocity of all. */
static OozeVec3 same(OozeVec3 x, uint64_t i, const void *user)
{
    (void)x;
    (void)i;
    return *(const OozeVec3 *)user;
}

typedef struct Fall {
    double viscosity, spacing;
} Fall;

/* A cube that falls onto a no-slip floor at 2 m/s: how far mechanical energy, above the
   floor, ever rose again, over that of the start. `share`: of the step that the method states. */
static double energy_made(Fall fall, double share)
{
    enum { LAYERS = 6, BETWEEN = 4 };
    const double d = fall.spacing, sound = 20, seconds = 3 * d;
    const OozeVec3 fast = vec3(0, -2, 0);
    OozeMaterial material = {0};
    material.values[OOZE_MATERIAL_DENSITY] = 1000;
    material.values[OOZE_MATERIAL_VISCOSITY] = fall.viscosity;
    double params[OOZE_WCSPH_PARAM_COUNT] = {[OOZE_WCSPH_SOUND_SPEED] = sound};
    OozeStepContext context = {.spacing = d,
                               .support = d * ooze_method_support_ratio(&ooze_method_wcsph, NAN),
                               .gravity = down(),
                               .materials = &material,
                               .material_count = 1,
                               .params = params};
    double step = share * ooze_method_wcsph.stable_step(&context);
    OozeWorld *world = wcsph_world(d, step, down(), vec3(0, 0, 0), sound);
    add_matter(world, newtonian_matter(fall.viscosity));
    add_floor(world, INFINITY);
    add_lattice(world, (Lattice){.n = {LAYERS, LAYERS, LAYERS},
                                 .spacing = d,
                                 .corner = vec3(0, d, 0),
                                 .velocity = same,
                                 .user = &fast});
    double first = 0, least = INFINITY, made = 0;
    for (int i = 0; i * step < seconds && made <= 10 * first; i++) {
        if (i % BETWEEN == 0) {
            Census c = take_census(world);
            double energy = c.energy + 9.81 * c.mass * c.centre.y;
            first = i == 0 ? energy : first;
            least = fmin(least, energy);
            made = fmax(made, energy - least);
        }
        OozeError error;
        made = ooze_world_step(world, &error) ? INFINITY : made;
    }
    ooze_world_destroy(world);
    return made / first;
}

/* At the step that it states no energy is made, where it is sound that limits the step, viscosity,
   or both; what was put into compression comes back, of which there is the more the thinner the
   fluid. At 2.5 times that step viscosity does make energy, so the statement says something. */
static void wcsph_T07_stated_step(void **state)
{
    (void)state;
    const double viscosity[] = {1, 100, 1000}, bound[] = {0.15, 0.02, 0.002};
    const double spacing[] = {0.02, 0.04};
    for (int k = 0; k < 6; k++) {
        Fall fall = {viscosity[k / 2], spacing[k % 2]};
        printf("  %g Pa s at a spacing of %g m:\n", fall.viscosity, fall.spacing);
        MEASURED("energy that rose over that of the start", energy_made(fall, 1), 0, bound[k / 2]);
    }
    MEASURED("the same at 2.5 times the step, 1000 Pa s",
             fmin(energy_made((Fall){1000, 0.02}, 2.5), 1e30), 2, 1e30);
}

/* ---- properties of every method ------------------------------------------------------------ */

/* The state is the same to the last bit for any number of threads, and after going on from a
   frame. */
static void wcsph_T06_threads_and_restore(void **state)
{
    (void)state;
    const double dx = 0.02, speed = 0.3;
    uint64_t expected = 0;
    for (int threads = 1; threads <= 7; threads += 3) {
        Setup setup = {.method = "wcsph",
                       .spacing = dx,
                       .time_step = 2e-4,
                       .gravity = down(),
                       .threads = threads};
        OozeWorld *first = make_world(setup), *second = make_world(setup);
        OozeWorld *both[] = {first, second};
        for (int k = 0; k < 2; k++) {
            add_matter(both[k], newtonian_matter(20));
            add_floor(both[k], INFINITY);
        }
        add_lattice(first,
                    (Lattice){.n = {11, 11, 11}, .spacing = dx, .velocity = noise, .user = &speed});
        advance(first, 0.01);
        CHECK_OK(ooze_world_restore(second, ooze_world_frame(first), &error));
        advance(first, 0.01);
        advance(second, 0.01);
        uint64_t hash = ooze_frame_hash(ooze_world_frame(first));
        expected = expected ? expected : hash;
        assert_true(hash == expected);
        assert_true(ooze_frame_hash(ooze_world_frame(second)) == hash);
        ooze_world_destroy(first);
        ooze_world_destroy(second);
    }
}

static OozeWorld *small_world(void)
{
    OozeWorld *world = wcsph_world(0.02, 2e-4, down(), vec3(0, 0, 0), 20);
    use_processor(world);
    add_matter(world, newtonian_matter(20));
    add_floor(world, INFINITY);
    add_lattice(world, (Lattice){.n = {6, 6, 6}, .spacing = 0.02});
    return world;
}

/* A step for which memory does not suffice says so, leaks nothing and changes nothing: done again,
   it is the same. */
static void wcsph_T08_out_of_memory(void **state)
{
    (void)state;
    OozeWorld *world = small_world();
    step_world(world);
    uint64_t expected = ooze_frame_hash(ooze_world_frame(world));
    ooze_world_destroy(world);
    int failed = 0;
    OozeStatus status = OOZE_ERROR_MEMORY;
    for (uint64_t after = 1; status == OOZE_ERROR_MEMORY; after++) {
        world = small_world();
        OozeError error = {0};
        ooze_memory_fail_after(after);
        status = ooze_world_step(world, &error);
        ooze_memory_fail_after(0);
        failed += status != OOZE_OK;
        if (status) {
            assert_true(error.message[0] != 0);
            step_world(world);
        }
        assert_true(ooze_frame_hash(ooze_world_frame(world)) == expected);
        ooze_world_destroy(world);
    }
    assert_int_equal(status, OOZE_OK);
    MEASURED("allocations that failed, one by one", failed, 15, 1000);
}

ACCEPTANCE_MAIN(cmocka_unit_test(wcsph_T01_momentum), cmocka_unit_test(wcsph_T02_column),
                cmocka_unit_test(wcsph_T03_taylor_green), cmocka_unit_test(wcsph_T04_channel),
                cmocka_unit_test(wcsph_T05_stability),
                cmocka_unit_test(wcsph_T06_threads_and_restore),
                cmocka_unit_test(wcsph_T07_stated_step), cmocka_unit_test(wcsph_T08_out_of_memory))
