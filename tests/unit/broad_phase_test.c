/* The broad phase finds every near solid and excludes most far ones. */
#include "check.h"

#include "base/hash.h"
#include "base/vec3.h"
#include "solids/broad_phase.h"

static const double spacing = 0.01;
enum { KINDS = 8, TRIALS = 4000 };

static double random_between(uint64_t element, uint64_t draw, double low, double high)
{
    return low + (high - low) * ooze_random01(3, element, draw);
}

/* One of each closed form, a box turned inside out around all of it, and an ellipsoid, whose
   distances are interpolated; turned, spinning, one of them not colliding. */
static void make_solids(OozeSolid solids[KINDS])
{
    static const OozeShapeKind kinds[KINDS] = {
        OOZE_SHAPE_PLANE, OOZE_SHAPE_BOX,    OOZE_SHAPE_SPHERE, OOZE_SHAPE_CYLINDER,
        OOZE_SHAPE_TORUS, OOZE_SHAPE_SPHERE, OOZE_SHAPE_BOX,    OOZE_SHAPE_CAPSULE};
    for (uint64_t k = 0; k < KINDS; k++) {
        OozeSolidDef def = ooze_solid_def_default();
        def.shape = ooze_shape_def_default(kinds[k]);
        def.shape.size = k == 6 ? vec3(1.2, 1.2, 1.2) : vec3(0.2, 0.1, 0.3);
        def.shape.radius = 0.1;
        def.shape.tube_radius = 0.03;
        def.shape.height = 0.2;
        def.shape.inverted = k == 6;
        def.shape.scale = k == 5 ? vec3(1, 1.5, 0.7) : vec3(1, 1, 1);
        def.shape.position =
            k == 0 ? vec3(0, -0.4, 0)
                   : vec3(random_between(k, 0, -0.3, 0.3), random_between(k, 1, -0.3, 0.3),
                          random_between(k, 2, -0.3, 0.3));
        def.shape.rotation = quat_from_vector(vec3(0.3 * (double)k, -0.2, 0.1 * (double)k));
        def.motion.velocity = vec3(0.5, 0, 0);
        def.motion.spin = ooze_vec3_degrees(vec3(0, 0, k == 0 ? 0.0 : 3.0));
        def.collides = k != 7;
        CHECK_OK(ooze_solid_create(&solids[k], &def, OOZE_AXIS_Y, spacing, NULL, &error));
    }
}

static void make_group(uint64_t trial, OozeF32x4 x[OOZE_BROAD_PHASE_GROUP])
{
    OozeVec3 at = vec3(random_between(trial, 3, -0.5, 0.5), random_between(trial, 4, -0.5, 0.5),
                       random_between(trial, 5, -0.5, 0.5));
    double width = spacing * random_between(trial, 6, 0.5, 4.0);
    for (uint64_t i = 0; i < OOZE_BROAD_PHASE_GROUP; i++) {
        x[i] = ooze_f32x4((float)(at.x + random_between(trial, 10 + i, 0, width)),
                          (float)(at.y + random_between(trial, 20 + i, 0, width)),
                          (float)(at.z + random_between(trial, 30 + i, 0, width)), 0);
    }
}

static double least_distance(const OozeSolid *solid, const OozeF32x4 x[OOZE_BROAD_PHASE_GROUP])
{
    double least = INFINITY;
    for (int i = 0; i < OOZE_BROAD_PHASE_GROUP; i++) {
        OozeVec3 p = vec3((double)x[i][0], (double)x[i][1], (double)x[i][2]);
        least = fmin(least, ooze_solid_contact(solid, p).distance);
    }
    return least;
}

static void near_solids_are_found_and_far_ones_excluded(void **state)
{
    (void)state;
    OozeSolid solids[KINDS];
    OozeArena *arena = ooze_arena_create();
    OozeBroadPhase nearby;
    make_solids(solids);
    CHECK_OK(ooze_broad_phase_begin(&nearby, solids, KINDS, spacing, 0.01, arena, &error));
    int near = 0, far = 0, named_far = 0;
    float reach = (float)spacing;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        OozeF32x4 x[OOZE_BROAD_PHASE_GROUP];
        make_group(trial, x);
        uint64_t set =
            ooze_broad_phase_find(&nearby, x, 0, OOZE_BROAD_PHASE_GROUP, reach, false, UINT64_MAX);
        for (int k = 0; k < KINDS; k++) {
            double distance = least_distance(&solids[k], x);
            bool named = ooze_broad_phase_has(set, k), collides = k != 7;
            assert_true(collides || !named);
            if (distance < (double)reach && collides) {
                near++;
                assert_true(named);
            } else if (distance > (double)reach + 4.0 * 1.74 * spacing + spacing) {
                /* farther than the widest group and half a spacing of interpolation explain */
                far++;
                named_far += named;
            }
        }
    }
    assert_true(near > TRIALS / 8 && far > TRIALS);
    assert_int_equal(named_far, 0);
    for (int k = 0; k < KINDS; k++) {
        ooze_solid_free(&solids[k]);
    }
    ooze_arena_destroy(arena);
}

/* A sphere of radius 0.1 that turns at 3 rad/s about its centre and flies at 0.5 m/s moves no point
   faster than the corner of its box, 0.5 + 3 sqrt(3) 0.1 = 1.02 m/s: 0.0102 m in a step of 0.01
   s. */
static void moving_solids_reach_farther(void **state)
{
    (void)state;
    OozeSolidDef def = ooze_solid_def_default();
    def.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    def.shape.radius = 0.1;
    def.motion.velocity = vec3(0.5, 0, 0);
    def.motion.spin = ooze_vec3_degrees(vec3(0, 0, 3));
    OozeSolid solid;
    OozeArena *arena = ooze_arena_create();
    OozeBroadPhase nearby;
    CHECK_OK(ooze_solid_create(&solid, &def, OOZE_AXIS_Y, spacing, NULL, &error));
    CHECK_OK(ooze_broad_phase_begin(&nearby, &solid, 1, spacing, 0.01, arena, &error));
    OozeF32x4 within = ooze_f32x4(0.1195f, 0, 0, 0), beyond = ooze_f32x4(0.121f, 0, 0, 0);
    assert_int_equal(ooze_broad_phase_find(&nearby, &within, 0, 1, 0.01f, true, UINT64_MAX), 1);
    assert_int_equal(ooze_broad_phase_find(&nearby, &beyond, 0, 1, 0.01f, true, UINT64_MAX), 0);
    assert_int_equal(ooze_broad_phase_find(&nearby, &within, 0, 1, 0.01f, false, UINT64_MAX), 0);
    assert_int_equal(ooze_broad_phase_find(&nearby, &within, 0, 1, 0.01f, true, 0), 0);
    ooze_solid_free(&solid);
    ooze_arena_destroy(arena);
}

/* A point at NaN may be near any solid. */
static void points_at_nan_are_near_all_solids(void **state)
{
    (void)state;
    OozeSolidDef def = ooze_solid_def_default();
    OozeSolid solid;
    OozeArena *arena = ooze_arena_create();
    OozeBroadPhase nearby;
    CHECK_OK(ooze_solid_create(&solid, &def, OOZE_AXIS_Y, spacing, NULL, &error));
    CHECK_OK(ooze_broad_phase_begin(&nearby, &solid, 1, spacing, 0.01, arena, &error));
    OozeF32x4 x = ooze_f32x4(0, NAN, 0, 0);
    assert_int_equal(ooze_broad_phase_find(&nearby, &x, 0, 1, 0.01f, false, UINT64_MAX), 1);
    ooze_solid_free(&solid);
    ooze_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_solids_are_found_and_far_ones_excluded),
        cmocka_unit_test(moving_solids_reach_farther),
        cmocka_unit_test(points_at_nan_are_near_all_solids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
