/* Fluid does not slip on solids by default: honey on a tilted plane flows as a film that rests at
   the wall, and does not slide as a block. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "ooze/frame.h"
#include "ooze/scene.h"

static const double SPACING = 0.01, DEPTH = 0.06; /* m */
static const double DENSITY = 1000.0, VISCOSITY = 100.0, TILT = 30.0;
enum { LAYERS = 6 };

/* Mean velocity down the plane of each layer after 0.3 s, from the wall up. The time in which a
   film of this depth becomes steady is density depth^2 / viscosity = 0.036 s. */
static void flow_of_layers(const char *method, const char *solid, double speed[LAYERS])
{
    char text[1024];
    snprintf(text, sizeof text,
             "ooze: 2\nmethod: {%s}\nspacing: %g\ntime_step: 1/400\nduration: 1\n"
             "gravity: [9.81*sin(%g), -9.81*cos(%g), 0]\n"
             "periodic: {x: [0, 0.08], z: [0, 0.08]}\n"
             "materials: {honey: {density: %g, viscosity: %g}}\n"
             "fluids: [{material: honey, shape: {type: box, size: [0.08, %g, 0.08], "
             "position: [0.04, %g, 0.04]}}]\n"
             "solids: [{name: slope, shape: {type: plane}%s}]\n",
             method, SPACING, TILT, TILT, DENSITY, VISCOSITY, DEPTH, 0.5 * DEPTH, solid);
    OozeScene *scene = NULL;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_scene_load_text(text, strlen(text), "slope.yaml", &scene, &error));
    CHECK_OK(ooze_scene_build(scene, NULL, &world, &error));
    CHECK_OK(ooze_world_advance(world, 0.3, NULL, NULL, &error));
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *position = ooze_frame_field(frame, "position");
    const OozeFieldView *velocity = ooze_frame_field(frame, "velocity");
    double count[LAYERS] = {0};
    memset(speed, 0, LAYERS * sizeof *speed);
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        double height = ooze_field_value(position, i, 1);
        int layer = (int)fmin(fmax(height / SPACING, 0.0), LAYERS - 1);
        count[layer] += 1.0;
        speed[layer] += ooze_field_value(velocity, i, 0);
    }
    for (int k = 0; k < LAYERS; k++) {
        assert_true(count[k] > 0.0);
        speed[k] /= count[k];
    }
    ooze_world_destroy(world);
    ooze_scene_free(scene);
}

static void report(const char *what, const double speed[LAYERS])
{
    print_message("%s, layers from the wall up, mm/s:", what);
    for (int k = 0; k < LAYERS; k++) {
        print_message(" %.1f", 1e3 * speed[k]);
    }
    print_message("\n");
}

/* Speed of a film at a height above the wall: rho g sin(tilt) (h y - y^2/2) / viscosity. */
static double film(double y)
{
    return DENSITY * 9.81 * sin(ooze_radians(TILT)) * (DEPTH * y - 0.5 * y * y) / VISCOSITY;
}

static void a_film_rests_at_the_wall(void **state)
{
    (void)state;
    double speed[LAYERS];
    flow_of_layers("name: conformation", "", speed);
    report("default", speed);
    /* a straight line through the lowest layers; of the exact film it gives 0.02 of the surface */
    double wall = speed[0] - 0.5 * (speed[1] - speed[0]);
    assert_true(fabs(wall) < 0.1 * speed[LAYERS - 1]);
    double surface = film(DEPTH);
    for (int k = 0; k < LAYERS; k++) {
        CHECK_NEAR(speed[k], film((k + 0.5) * SPACING), 0.1 * surface);
    }
}

/* tan 30 degrees exceeds 0.5: the block slides with the acceleration g (sin - 0.5 cos). */
static void a_block_slides_where_the_friction_says_so(void **state)
{
    (void)state;
    double speed[LAYERS];
    flow_of_layers("name: conformation", ", friction: 0.5", speed);
    report("friction 0.5", speed);
    for (int k = 1; k < LAYERS; k++) {
        CHECK_NEAR(speed[k], speed[0], 0.05 * speed[0]);
    }
    double tilt = ooze_radians(TILT), block = 0.3 * 9.81 * (sin(tilt) - 0.5 * cos(tilt));
    assert_true(speed[0] > 0.9 * block);
    KNOWN_GAP("speed of a block that slides with friction 0.5, over theory", speed[0] / block, 0.9,
              1.1, 6.79);
}

/* What is given as infinite and what is not given are the same bits. */
static void the_default_is_no_slip(void **state)
{
    (void)state;
    double given[LAYERS], omitted[LAYERS];
    flow_of_layers("name: conformation", ", friction: inf", given);
    flow_of_layers("name: conformation", "", omitted);
    assert_memory_equal(given, omitted, sizeof given);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_film_rests_at_the_wall),
        cmocka_unit_test(a_block_slides_where_the_friction_says_so),
        cmocka_unit_test(the_default_is_no_slip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
