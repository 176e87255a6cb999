/* Acceptance tests of open containers: fluid poured into them stays inside, and a container that
   falls comes to rest upright. */
#include "physics/fixtures.h"

#include "solids/shape.h"
#include "world/world.h"

static const double dx = 0.02;

enum { KINDS = 3 };
static const OozeShapeKind kinds[KINDS] = {OOZE_SHAPE_OPEN_BOX, OOZE_SHAPE_OPEN_CYLINDER,
                                           OOZE_SHAPE_BOWL};

static OozeShapeDef container(OozeShapeKind kind)
{
    OozeShapeDef def = ooze_shape_def_default(kind);
    def.size = vec3(0.3, 0.2, 0.3);
    def.radius = kind == OOZE_SHAPE_BOWL ? 0.18 : 0.15;
    def.height = kind == OOZE_SHAPE_BOWL ? 0.14 : 0.2;
    def.thickness = dx;
    return def;
}

/* A block of 5 by 6 by 5 spacings falls by two spacings: it fills less than a third of the cavity.
   No particle may be in the walls, below the container or beside it. */
static void pour(const char *method, double time_step, double viscosity, OozeShapeKind kind)
{
    OozeWorld *world = make_world(
        (Setup){.method = method, .spacing = dx, .time_step = time_step, .gravity = down()});
    OozeMaterialId oil = add_matter(world, newtonian_matter(viscosity));
    OozeSolidDef cup = ooze_solid_def_default();
    cup.friction = 0.5;
    OozeSolidId id = {0};
    cup.shape = container(kind);
    CHECK_OK(ooze_world_add_solid(world, &cup, &id, &error));
    uint64_t n = add_lattice(world, (Lattice){.material = oil,
                                              .n = {5, 6, 5},
                                              .spacing = dx,
                                              .corner = vec3(-2.5 * dx, 3 * dx, -2.5 * dx)});
    const OozeShape *shape = world->solids.items[id.index].shape;
    OozeBounds box = ooze_shape_bounds(shape);
    double rim = box.max.y;
    box.max.y = INFINITY; /* the block reaches over the rim of the bowl at first */
    double nearest = INFINITY;
    int outside = 0;
    for (int k = 0; k < 20; k++) {
        advance(world, 0.025);
        const OozeFrame *frame = ooze_world_frame(world);
        const OozeFieldView *x = ooze_frame_field(frame, "position");
        for (uint64_t i = 0; i < frame->particle_count; i++) {
            OozeVec3 p = read_vector(x, i);
            outside += !ooze_bounds_contain(&box, p);
            nearest = fmin(nearest, ooze_shape_distance(shape, p, NULL));
        }
    }
    Census after = take_census(world);
    assert_int_equal(after.count, n);
    printf("  %s, kind %d:\n", method, (int)kind);
    MEASURED("particles outside the container", outside, 0, 0);
    MEASURED("highest particle at the end over the rim", after.high.y / rim, 0, 0.9);
    MEASURED("least distance from the walls in spacings", nearest / dx, -1e-3, 1);
    MEASURED("fastest particle at the end, m/s", after.fastest, 0, 0.3);
    ooze_world_destroy(world);
}

static void containers_T01_conformation(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        pour("conformation", 1.0 / 480, 5, kinds[k]);
    }
}

static void containers_T02_wcsph(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        pour("wcsph", 5e-4, 20, kinds[k]);
    }
}

/* Dropped from 2 mm on a floor, a container comes to rest on it, upright; then a ball that falls
   into it stays in the cavity. */
static void containers_T03_dynamic(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        OozeWorld *world = make_world((Setup){.spacing = dx, .time_step = 1e-3, .gravity = down()});
        OozeSolidDef cup = ooze_solid_def_default(), ball = cup;
        cup.friction = ball.friction = 0.5;
        OozeSolidId cup_id = {0}, ball_id = {0};
        add_floor(world, 0.5);
        cup.shape = container(kinds[k]);
        cup.shape.position = vec3(0, 0.002, 0);
        cup.density = 800;
        ball.shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
        ball.shape.radius = 0.03;
        ball.shape.position = vec3(0.02, 0.12, 0.01);
        ball.density = 800;
        CHECK_OK(ooze_world_add_solid(world, &cup, &cup_id, &error));
        CHECK_OK(ooze_world_add_solid(world, &ball, &ball_id, &error));
        advance(world, 1.0);
        const OozePose *at = &world->solids.items[cup_id.index].pose;
        OozeVec3 inside = world->solids.items[ball_id.index].pose.position;
        OozeVec3 up = quat_rotate(at->rotation, vec3(0, 1, 0));
        printf("  kind %d:\n", (int)kinds[k]);
        MEASURED("height of the underside, mm", 1e3 * at->position.y, -0.5, 0.5);
        MEASURED("cosine of the tilt", up.y, 0.99, 1.0 + 1e-12);
        double gap = ooze_shape_distance(world->solids.items[cup_id.index].shape,
                                         ooze_pose_to_local(at, inside), NULL);
        MEASURED("gap of the ball, mm", 1e3 * (gap - 0.03), -0.5, 0.5);
        MEASURED("height of the ball's centre, m", inside.y, 0.045, 0.055);
        ooze_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(containers_T01_conformation),
        cmocka_unit_test(containers_T02_wcsph),
        cmocka_unit_test(containers_T03_dynamic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
