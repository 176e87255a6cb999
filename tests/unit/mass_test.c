/* Mass, centre and principal moments of dynamic solids. */
#include "check.h"

#include "base/vec3.h"
#include "solids/dynamic.h"
#include "solids/mass.h"

#define SPACING 0.05
#define PI      3.14159265358979323846

static OozeSolidDef solid_of(OozeShapeDef shape, double density)
{
    OozeSolidDef def = ooze_solid_def_default();
    def.name = "thing";
    def.shape = shape;
    def.density = density;
    return def;
}

static OozeSolid make(OozeShapeDef shape, double density)
{
    OozeSolid solid;
    OozeSolidDef def = solid_of(shape, density);
    CHECK_OK(ooze_solid_create(&solid, &def, OOZE_AXIS_Z, SPACING, NULL, &error));
    return solid;
}

static void check_round(OozeShapeDef shape, double volume, double across, double along,
                        double centre)
{
    OozeSolid solid = make(shape, 500.0);
    OozeSolidMass m = solid.mass;
    CHECK_NEAR(m.mass, 500.0 * volume, 1e-12 * m.mass);
    CHECK_NEAR(m.moments.x, m.mass * across, 1e-12 * m.moments.x);
    CHECK_NEAR(m.moments.y, m.mass * across, 1e-12 * m.moments.y);
    CHECK_NEAR(m.moments.z, m.mass * along, 1e-12 * m.moments.z);
    CHECK_NEAR(m.centre.z, centre, 1e-15);
    ooze_solid_free(&solid);
}

/* Moments over mass as tables of them have it. */
static void closed_forms(void **state)
{
    (void)state;
    const double r = 0.3, h = 0.8;
    OozeShapeDef shape = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    shape.radius = r;
    shape.height = h;
    check_round(shape, 4.0 / 3.0 * PI * r * r * r, 0.4 * r * r, 0.4 * r * r, 0.0);
    shape.kind = OOZE_SHAPE_CYLINDER;
    check_round(shape, PI * r * r * h, (3 * r * r + h * h) / 12.0, 0.5 * r * r, 0.0);
    shape.kind = OOZE_SHAPE_CONE;
    check_round(shape, PI * r * r * h / 3.0, 0.15 * r * r + 0.0375 * h * h, 0.3 * r * r, 0.25 * h);
    shape.kind = OOZE_SHAPE_TORUS;
    shape.tube_radius = 0.1;
    check_round(shape, 2 * PI * PI * r * 0.01, 0.5 * r * r + 0.00625, r * r + 0.0075, 0.0);
    OozeShapeDef box = ooze_shape_def_default(OOZE_SHAPE_BOX);
    box.size = vec3(0.2, 0.4, 0.6);
    OozeSolid solid = make(box, 1000.0);
    CHECK_NEAR(solid.mass.mass, 48.0, 1e-12);
    CHECK_NEAR(solid.mass.moments.x, 48.0 / 12.0 * (0.16 + 0.36), 1e-12);
    CHECK_NEAR(solid.mass.moments.y, 48.0 / 12.0 * (0.04 + 0.36), 1e-12);
    CHECK_NEAR(solid.mass.moments.z, 48.0 / 12.0 * (0.04 + 0.16), 1e-12);
    ooze_solid_free(&solid);
}

/* A capsule without a tube is a ball; one that is thin and long is a rod. Between, it is held to
   its own triangles. */
static void capsule_between_ball_and_rod(void **state)
{
    (void)state;
    OozeShapeDef shape = ooze_shape_def_default(OOZE_SHAPE_CAPSULE);
    shape.radius = 0.3;
    shape.height = 1e-9;
    OozeSolid ball = make(shape, 1.0);
    CHECK_NEAR(ball.mass.moments.x, 0.4 * 0.09 * ball.mass.mass, 1e-9);
    ooze_solid_free(&ball);
    shape.height = 0.7;
    OozeSolid exact = make(shape, 1.0);
    OozeMesh *mesh = NULL;
    CHECK_OK(ooze_shape_triangulate(exact.shape, 0.01, NULL, &mesh, &error));
    OozeShapeDef from_mesh = ooze_shape_def_default(OOZE_SHAPE_MESH);
    from_mesh.mesh =
        (OozeMeshView){mesh->vertices, mesh->vertex_count, mesh->triangles, mesh->triangle_count};
    OozeSolid flat = make(from_mesh, 1.0);
    OozeVec3 a = exact.mass.moments, b = flat.mass.moments;
    double least = fmin(b.x, fmin(b.y, b.z)), most = fmax(b.x, fmax(b.y, b.z));
    /* edges of 0.01 lie inside a radius of 0.3 by 1.4e-4 of it, and moments go by its fifth
       power */
    CHECK_NEAR(least, a.z, 1e-3 * a.z);
    CHECK_NEAR(most, a.x, 1e-3 * a.x);
    ooze_mesh_free(mesh);
    ooze_solid_free(&exact);
    ooze_solid_free(&flat);
}

/* The corners of a box of 0.2 by 0.4 by 0.6 m, turned and shifted. */
static void turned_box(OozeVec3 corners[8], OozeQuat turn, OozeVec3 shift)
{
    for (int k = 0; k < 8; k++) {
        OozeVec3 p = vec3(k & 1 ? 0.1 : -0.1, k & 2 ? 0.2 : -0.2, k & 4 ? 0.3 : -0.3);
        corners[k] = vec3_add(shift, quat_rotate(turn, p));
    }
}

static const uint32_t box_triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

/* A mesh knows nothing of boxes; its principal axes do. What the world sees of it is what it sees
   of the box. */
static void mesh_of_a_box_turned_and_shifted(void **state)
{
    (void)state;
    OozeVec3 corners[8], shift = vec3(0.7, -0.4, 1.1);
    OozeQuat turn = quat_unit(quat(0.3, -0.5, 0.2, 0.7));
    turned_box(corners, turn, shift);
    OozeShapeDef shape = ooze_shape_def_default(OOZE_SHAPE_MESH);
    shape.mesh = (OozeMeshView){corners, 8, box_triangles, 12};
    OozeSolid mesh = make(shape, 1000.0);
    shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    shape.size = vec3(0.2, 0.4, 0.6);
    shape.rotation = turn;
    shape.position = shift;
    OozeSolid box = make(shape, 1000.0);
    CHECK_NEAR(mesh.mass.mass, 48.0, 1e-10);
    OozeVec3 c = ooze_dynamic_centre(&mesh, &mesh.pose);
    CHECK_NEAR(vec3_length(vec3_sub(c, shift)), 0.0, 1e-12);
    OozeVec3 spin = vec3(0.4, 1.3, -0.9);
    OozeVec3 a = ooze_dynamic_momentum(&mesh, &mesh.pose, spin);
    OozeVec3 b = ooze_dynamic_momentum(&box, &box.pose, spin);
    CHECK_NEAR(vec3_length(vec3_sub(a, b)), 0.0, 1e-11);
    a = ooze_dynamic_spin_change(&mesh, &mesh.pose, b);
    CHECK_NEAR(vec3_length(vec3_sub(a, spin)), 0.0, 1e-11);
    ooze_solid_free(&mesh);
    ooze_solid_free(&box);
}

static OozeStatus refused(OozeSolidDef def, OozeError *error)
{
    OozeSolid solid;
    return ooze_solid_create(&solid, &def, OOZE_AXIS_Z, SPACING, NULL, error);
}

static void shapes_without_a_mass_are_refused(void **state)
{
    (void)state;
    OozeSolidDef plane = solid_of(ooze_shape_def_default(OOZE_SHAPE_PLANE), 1000.0);
    CHECK_FAILS(refused(plane, &error), OOZE_ERROR_ARGUMENT, "is a plane");
    OozeSolidDef box = solid_of(ooze_shape_def_default(OOZE_SHAPE_BOX), 1000.0);
    OozeSolidDef cup = box;
    cup.shape.inverted = true;
    CHECK_FAILS(refused(cup, &error), OOZE_ERROR_ARGUMENT, "is a container");
    float heights[4] = {0, 0, 0, 0};
    OozeSolidDef land = solid_of(ooze_shape_def_default(OOZE_SHAPE_HEIGHTFIELD), 1000.0);
    land.shape.size = vec3(1, 1, 1);
    land.shape.field = (OozeHeightView){heights, 2, 2};
    CHECK_FAILS(refused(land, &error), OOZE_ERROR_ARGUMENT, "is a height field");
    OozeVec3 corners[8];
    turned_box(corners, quat_identity(), vec3(0, 0, 0));
    OozeSolidDef open = solid_of(ooze_shape_def_default(OOZE_SHAPE_MESH), 1000.0);
    open.shape.mesh = (OozeMeshView){corners, 8, box_triangles, 10};
    CHECK_FAILS(refused(open, &error), OOZE_ERROR_ARGUMENT, "is an open mesh");
    OozeSolidDef odd = box;
    const double densities[] = {-1.0, NAN, INFINITY, 1e-9};
    for (int k = 0; k < 4; k++) {
        odd.density = densities[k];
        CHECK_FAILS(refused(odd, &error), OOZE_ERROR_ARGUMENT, "the density of solid 'thing'");
    }
    OozeSolidDef flat = box;
    flat.shape.size.x = 0.0;
    CHECK_FAILS(refused(flat, &error), OOZE_ERROR_ARGUMENT, "size.x = 0");
}

static void motion_gives_initial_velocity_and_spin_only(void **state)
{
    (void)state;
    OozeSolidDef def = solid_of(ooze_shape_def_default(OOZE_SHAPE_BOX), 1000.0);
    OozeKeyframe key = {.rotation = quat_identity()};
    OozeSolidDef keyed = def, swung = def, late = def, ramped = def;
    keyed.motion.keyframes = &key;
    keyed.motion.keyframe_count = 1;
    CHECK_FAILS(refused(keyed, &error), OOZE_ERROR_ARGUMENT, "has keyframes");
    swung.motion.sine_amplitude.x = 0.1;
    CHECK_FAILS(refused(swung, &error), OOZE_ERROR_ARGUMENT, "has a sine");
    late.motion.start = 1.0;
    CHECK_FAILS(refused(late, &error), OOZE_ERROR_ARGUMENT, "has a start");
    ramped.motion.ramp_time = 0.1;
    CHECK_FAILS(refused(ramped, &error), OOZE_ERROR_ARGUMENT, "has a ramp time");
    def.motion.velocity = vec3(1, 2, 3);
    def.motion.spin = ooze_vec3_degrees(vec3(0, 0, 5));
    OozeSolid solid;
    CHECK_OK(ooze_solid_create(&solid, &def, OOZE_AXIS_Z, SPACING, NULL, &error));
    CHECK_NEAR(solid.pose.velocity.y, 2.0, 0.0);
    CHECK_NEAR(solid.pose.spin.z, 5.0, 0.0);
    ooze_solid_free(&solid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms),
        cmocka_unit_test(capsule_between_ball_and_rod),
        cmocka_unit_test(mesh_of_a_box_turned_and_shifted),
        cmocka_unit_test(shapes_without_a_mass_are_refused),
        cmocka_unit_test(motion_gives_initial_velocity_and_spin_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
