/* Gaps between dynamic solids and other solids. */
#include "check.h"

#include "base/vec3.h"
#include "solids/gap.h"

#define SPACING 0.1

enum { FLOOR, BALL, BOX, COUNT };

/* A floor at 0, a ball of 0.5 at `height` and a box whose face is 0.35 beside the ball. */
static void make(OozeSolid solids[COUNT], OozeBoundary *boundary, double height)
{
    OozeSolidDef def[COUNT];
    for (int k = 0; k < COUNT; k++) {
        const OozeShapeKind kinds[] = {OOZE_SHAPE_PLANE, OOZE_SHAPE_SPHERE, OOZE_SHAPE_BOX};
        def[k] = ooze_solid_def_default();
        def[k].shape = ooze_shape_def_default(kinds[k]);
    }
    def[BALL].shape.radius = 0.5;
    def[BALL].shape.position = vec3(0, height, 0);
    def[BALL].density = 1000;
    def[BOX].shape.size = vec3(1, 1, 1);
    def[BOX].shape.position = vec3(1.35, height, 0);
    *boundary = (OozeBoundary){0};
    for (int k = 0; k < COUNT; k++) {
        CHECK_OK(ooze_solid_create(&solids[k], &def[k], OOZE_AXIS_Y, SPACING, NULL, &error));
        if (k != FLOOR) {
            CHECK_OK(ooze_boundary_add(boundary, &solids[k], k, SPACING, NULL, &error));
        }
    }
}

static void check_gap(double height, bool box_collides, double expected)
{
    OozeSolid solids[COUNT];
    OozeBoundary boundary;
    double gap[COUNT];
    make(solids, &boundary, height);
    solids[BOX].params[OOZE_SOLID_COLLIDES] = box_collides;
    OozeArena *arena = ooze_arena_create();
    OozeGapSearch search = {solids, COUNT, &boundary, arena, SPACING, 0.2, 0.4};
    CHECK_OK(ooze_solid_gaps(&search, gap, &error));
    CHECK_NEAR(gap[BALL], expected, 0.05 * SPACING);   /* no sample is exactly at the bottom */
    assert_true(gap[FLOOR] == 0.4 && gap[BOX] == 0.4); /* not dynamic */
    ooze_arena_destroy(arena);
    ooze_boundary_free(&boundary);
    for (int k = 0; k < COUNT; k++) {
        ooze_solid_free(&solids[k]);
    }
}

static void the_least_distance_counts(void **state)
{
    (void)state;
    check_gap(0.8, true, 0.3);  /* above the floor */
    check_gap(2.0, true, 0.35); /* beside the box */
    check_gap(2.0, false, 0.4); /* through which solids pass */
    check_gap(0.6, true, 0.2);  /* no more is told than that it is narrow */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_distance_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
