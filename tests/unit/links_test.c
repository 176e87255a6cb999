/* The table of links: it stays correct through sorting, nozzles, sinks, frames and failures. */
#include "physics/links_fixtures.h"

#include "base/memory.h"
#include "methods/links/cpu/loops.h"
#include "spoilt_frames.h"
#include "world/world.h"

static const double spacing = 0.02;
static const double support = 0.02 * 2.2;

static OozeWorld *links_world(int threads, OozeVec3 gravity)
{
    return make_world((Setup){.method = "links",
                              .spacing = spacing,
                              .time_step = 1e-3,
                              .gravity = gravity,
                              .threads = threads});
}

/* A ball of two densities that falls onto a floor and a turning box, with a nozzle above and a
   drain beside. */
static OozeWorld *busy_world(int threads)
{
    OozeWorld *world = links_world(threads, down());
    OozeMaterialId thick = add_linked(world, 1.002, NAN, false);
    OozeMaterialId jelly = add_linked(world, NAN, NAN, true);
    CHECK_OK(ooze_world_set_material(world, jelly, "density", 1300, &error));
    add_floor(world, 0.5);
    OozeSolidDef bar = ooze_solid_def_default();
    bar.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    bar.shape.size = vec3(0.3, 0.04, 0.04);
    bar.shape.position = vec3(0, 0.1, 0);
    bar.motion.spin = ooze_vec3_degrees(vec3(0, 3, 0));
    CHECK_OK(ooze_world_add_solid(world, &bar, NULL, &error));
    add_ball(world, (Ball){thick, 0.09, spacing, vec3(-0.02, 0.23, 0), -1});
    add_ball(world, (Ball){jelly, 0.09, spacing, vec3(0.02, 0.23, 0), 1});
    OozeEmitterDef nozzle = jet(0.5, 1.0);
    nozzle.material = thick;
    nozzle.radius = 0.04;
    CHECK_OK(ooze_world_add_emitter(world, &nozzle, NULL, &error));
    OozeSinkDef drain = ooze_sink_def_default();
    drain.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    drain.shape.size = vec3(0.2, 0.16, 0.4);
    drain.shape.position = vec3(0.17, 0.08, 0);
    CHECK_OK(ooze_world_add_sink(world, &drain, &error));
    return world;
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        OozeWorld *world = busy_world(1 + 2 * k);
        step_many(world, 120);
        hash[k] = ooze_frame_hash(ooze_world_frame(world));
        ooze_world_destroy(world);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

/* Through a file, at a time when there are links of all kinds. */
static void resumed_runs_have_the_same_bits(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "%s/links.h5", folder);
    OozeWorld *world = busy_world(2), *again = busy_world(2);
    step_many(world, 150);
    assert_true(ooze_frame_state(ooze_world_frame(world), "wall_link_count")->count > 0);
    assert_true(ooze_frame_state(ooze_world_frame(world), "wall_link_place")->count > 0);
    CHECK_OK(ooze_frame_write(ooze_world_frame(world), path, &error));
    OozeFrame *saved = NULL;
    CHECK_OK(ooze_frame_open(path, &saved, &error));
    CHECK_OK(ooze_world_restore(again, saved, &error));
    ooze_frame_close(saved);
    assert_true(ooze_frame_hash(ooze_world_frame(again)) ==
                ooze_frame_hash(ooze_world_frame(world)));
    for (int k = 0; k < 30; k++) {
        step_world(world);
        step_world(again);
        assert_true(ooze_frame_hash(ooze_world_frame(again)) ==
                    ooze_frame_hash(ooze_world_frame(world)));
    }
    ooze_world_destroy(world);
    ooze_world_destroy(again);
}

/* A frame before the first step: all particles are new, and elastic objects still get links. */
static void resumes_from_a_frame_before_the_first_step(void **state)
{
    (void)state;
    OozeWorld *world = busy_world(2), *again = busy_world(2);
    CHECK_OK(ooze_world_restore(again, ooze_world_frame(world), &error));
    step_many(world, 3);
    step_many(again, 3);
    assert_true(ooze_frame_hash(ooze_world_frame(again)) ==
                ooze_frame_hash(ooze_world_frame(world)));
    ooze_world_destroy(world);
    ooze_world_destroy(again);
}

static void emission_and_sinks_leak_nothing(void **state)
{
    (void)state;
    OozeWorld *world = busy_world(2);
    OozeWorldStats stats;
    for (int k = 0; k < 10; k++) {
        step_many(world, 40);
        count_links(world, 4 * support); /* what is elastic may be stretched beyond its reach */
    }
    ooze_world_stats(world, &stats);
    printf("  %llu emitted, %llu removed, %llu left\n", (unsigned long long)stats.emitted,
           (unsigned long long)stats.removed, (unsigned long long)stats.particles);
    assert_true(stats.emitted > 100 && stats.removed > 50);
    /* a drain that takes all */
    OozeSinkDef drain = ooze_sink_def_default();
    drain.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    drain.shape.radius = 10;
    CHECK_OK(ooze_world_add_sink(world, &drain, &error));
    step_many(world, 2);
    assert_true(count_links(world, 4 * support) < 2000); /* those of the last layers */
    ooze_world_destroy(world);
}

/* Labels that change back and forth: no link is lost while both ends are elastic, none is there
   twice. */
static void freezing_and_thawing(void **state)
{
    (void)state;
    OozeWorld *world = links_world(1, vec3(0, 0, 0));
    OozeMaterialId matter = add_linked(world, 1.002, NAN, false);
    uint64_t n = add_lattice(
        world, (Lattice){.material = matter, .n = {3, 3, 3}, .spacing = spacing, .jitter = 0.2});
    step_world(world);
    Census before = take_census(world);
    uint64_t fewest = UINT64_MAX, most = 0;
    for (int cycle = 0; cycle < 10000; cycle++) {
        CHECK_OK(ooze_world_set_material(world, matter, "label", 1, &error));
        step_world(world);
        uint64_t frozen = count_links(world, 2 * support);
        step_world(world);
        assert_int_equal(count_links(world, 2 * support), frozen);
        CHECK_OK(ooze_world_set_material(world, matter, "label", 0, &error));
        step_world(world);
        uint64_t links = count_links(world, 2 * support);
        fewest = links < fewest ? links : fewest;
        most = links > most ? links : most;
    }
    Census after = take_census(world);
    printf("  %llu particles, %llu to %llu links in 10000 cycles\n", (unsigned long long)n,
           (unsigned long long)fewest, (unsigned long long)most);
    assert_int_equal(after.count, n);
    assert_true(vec3_length(vec3_sub(after.momentum, before.momentum)) <= 1e-3 * after.mass);
    assert_true(most < n * (n - 1) / 2 + 1 && fewest > n * 8 / 2);
    ooze_world_destroy(world);
}

/* Stated: a link has two ends, each of 8 bytes in two buffers that are an eighth too large, and a
   frame adds 8 bytes a link: 22 bytes an end. Rows take 12 bytes in each of four buffers, and 8
   in a frame. 300,000 particles with 100 links each: 680 MB. The support is so wide that
   particles have about as many. */
static void memory_of_a_hundred_links(void **state)
{
    (void)state;
    OozeWorldDef def = ooze_world_def_default();
    def.method = "links";
    def.spacing = spacing;
    def.support_ratio = 3.2;
    def.gravity = vec3(0, 0, 0);
    def.time_step = 1e-3;
    def.threads = 2;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    OozeMaterialId matter = add_linked(world, 1.002, NAN, false);
    uint64_t n =
        add_lattice(world, (Lattice){.material = matter, .n = {24, 24, 24}, .spacing = spacing});
    step_many(world, 3);
    double links = 2.0 * (double)count_links(world, 6.4 * spacing) / (double)n;
    OozeLinksMemory *memory = world->method_data;
    double bytes = (double)ooze_link_table_bytes(&memory->table) / (double)n;
    printf("  %.1f links a particle, %.0f bytes a particle: %.0f MB for 300,000 of 100 links\n",
           links, bytes, bytes / links * 100 * 0.3);
    assert_true(links > 80);
    assert_true(bytes <= links * (2 * 8 * 1.125 + 4) + 4 * 12 * 1.125 + 8);
    assert_true(bytes / links * 100 * 3e5 <= 680e6);
    ooze_world_destroy(world);
}

/* Whatever allocation fails, the step says so; links may be lost then, but nothing leaks or
   dangles. */
static void out_of_memory(void **state)
{
    (void)state;
    int failed = 0;
    OozeStatus status = OOZE_ERROR_MEMORY;
    for (uint64_t after = 1; status == OOZE_ERROR_MEMORY; after++) {
        OozeError error = {0};
        OozeWorld *world = busy_world(1);
        ooze_memory_fail_after(after);
        status = ooze_world_step(world, &error);
        status = status ? status : ooze_world_step(world, &error);
        ooze_memory_fail_after(0);
        failed += status != OOZE_OK;
        if (status) {
            step_many(world, 2);
        }
        count_links(world, 4 * support);
        ooze_world_destroy(world);
    }
    assert_int_equal(status, OOZE_OK);
    assert_true(failed > 20);
}

/* ---- frames that are not sound --------------------------------------------------------------- */

static void damaged_links_are_refused(void **state)
{
    (void)state;
    static const Spoilt cases[] = {
        {"link_count", raise_first, "more links than there are"},
        {"link_other", raise_first, "leads nowhere"},
        {"link_rest", no_length, "not a length"},
        {"link_rest", shorter, "do not belong together"},
        {"wall_link_count", raise_first, "to solids than there are"},
        {"wall_link_place", no_length, "leads nowhere"},
        {"wall_link_solid", raise_first, "leads nowhere"},
    };
    OozeWorld *world = busy_world(2);
    step_many(world, 150);
    refuse_spoilt(world, cases, sizeof cases / sizeof cases[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(resumed_runs_have_the_same_bits),
        cmocka_unit_test(resumes_from_a_frame_before_the_first_step),
        cmocka_unit_test(emission_and_sinks_leak_nothing),
        cmocka_unit_test(freezing_and_thawing),
        cmocka_unit_test(memory_of_a_hundred_links),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(damaged_links_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
