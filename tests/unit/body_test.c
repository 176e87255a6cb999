/* Particle bodies: formulas, refused definitions, unusual shapes, and removal of particles. */
#include "check.h"

#include "base/angle.h"
#include "base/memory.h"
#include "ooze/ooze.h"
#include "physics/bond.h"
#include "physics/rigid_motion.h"

/* ---- formulas -------------------------------------------------------------------------------- */

static void rotation_has_its_angle(void **state)
{
    (void)state;
    for (int k = 1; k <= 5; k++) {
        double angle = 0.1 * k, w[3] = {0, 0, angle}, r[9];
        ooze_rigid_rotation(w, r);
        CHECK_NEAR(atan2(r[3], r[0]), angle, 2e-5 * angle);
        CHECK_NEAR(r[0] * r[0] + r[3] * r[3], 1, 1e-14);
        CHECK_NEAR(r[8], 1, 1e-14);
    }
    double w[3] = {0.1, -0.2, 0.15}, r[9], v[3] = {1, 2, 3}, back[3];
    ooze_rigid_rotation(w, r);
    ooze_rigid_rotate(r, v, 0, back);
    ooze_rigid_rotate(r, back, 1, back);
    CHECK_NEAR(back[0], 1, 1e-14);
    CHECK_NEAR(back[1], 2, 1e-14);
    CHECK_NEAR(back[2], 3, 1e-14);
}

/* Points at +-a along each axis: inertia 2 (b^2 + c^2) about the first. */
static void inertia_is_inverted(void **state)
{
    (void)state;
    double half[3] = {1, 2, 3}, moment[6] = {0}, inverse[6];
    for (int k = 0; k < 6; k++) {
        double x[3] = {0, 0, 0};
        x[k / 2] = (k % 2 ? -1 : 1) * half[k / 2];
        ooze_rigid_add_moment(moment, 1, x);
    }
    ooze_rigid_inverse_inertia(moment, 1e-12, inverse);
    CHECK_NEAR(inverse[0], 1.0 / (2 * (4 + 9)), 1e-15);
    CHECK_NEAR(inverse[1], 1.0 / (2 * (1 + 9)), 1e-15);
    CHECK_NEAR(inverse[2], 1.0 / (2 * (1 + 4)), 1e-15);
    CHECK_NEAR(inverse[3], 0, 1e-15);
}

/* Two points: no inertia about their line, and none to be found there. */
static void rows_and_points_do_not_turn_about_themselves(void **state)
{
    (void)state;
    double moment[6] = {0}, inverse[6], a[3] = {0.6, 0, 0.8}, b[3] = {-0.6, 0, -0.8}, out[3];
    ooze_rigid_add_moment(moment, 1, a);
    ooze_rigid_add_moment(moment, 1, b);
    ooze_rigid_inverse_inertia(moment, 1e-12, inverse);
    ooze_sym6_apply(inverse, a, out);
    CHECK_NEAR(fabs(out[0]) + fabs(out[1]) + fabs(out[2]), 0, 1e-14);
    double across[3] = {0, 1, 0};
    ooze_sym6_apply(inverse, across, out);
    CHECK_NEAR(out[1], 0.5, 1e-14); /* two points at distance 1 */
    double nothing[6] = {0};
    ooze_rigid_inverse_inertia(nothing, 1e-12, inverse);
    CHECK_NEAR(inverse[0] + inverse[1] + inverse[2], 0, 0);
}

/* Bonds of a cubic lattice: C_xxxx = 3 C_xyxy, as for any isotropic solid of Poisson's ratio 1/4,
   with the shear modulus that was asked for. */
static void bonds_make_an_isotropic_solid(void **state)
{
    (void)state;
    double axis = 0, shear = 0, moment = 0, modulus = 7, d = 0.5;
    for (int k = 0; k < 125; k++) {
        double x[3] = {k % 5 - 2, k / 5 % 5 - 2, k / 25 - 2};
        double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        if (r2 == 0) {
            continue;
        }
        float share = ooze_bond_share((float)sqrt(r2));
        /* force per stretch and mass, times length squared, times mass over volume: per density */
        double a =
            (double)ooze_bond_stiffness((float)modulus, share, (float)(sqrt(r2) * d)) * r2 * d * d;
        axis += 0.5 * a * x[0] * x[0] * x[0] * x[0] / (r2 * r2);
        shear += 0.5 * a * x[0] * x[0] * x[1] * x[1] / (r2 * r2);
        moment += (double)share * x[0] * x[0] / r2;
    }
    CHECK_NEAR(shear, modulus, 1e-5 * modulus);
    CHECK_NEAR(axis, 3 * modulus, 1e-5 * modulus);
    CHECK_NEAR(moment, (double)OOZE_BOND_MOMENT, 1e-5);
    CHECK_NEAR((double)ooze_bond_surface(OOZE_BOND_MOMENT), 1, 1e-7);
}

/* ---- worlds ---------------------------------------------------------------------------------- */

static const double SPACING = 0.1;

static OozeWorld *make_world(const char *method, bool periodic)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = method;
    def.spacing = SPACING;
    def.threads = 2;
    def.periodic[0] = periodic;
    def.periodic_max = vec3(2, 2, 2);
    OozeWorld *world = NULL;
    OozeMaterialDef material = ooze_material_def_default();
    CHECK_OK(ooze_world_create(&def, &world, &error));
    CHECK_OK(ooze_material_def_set(&material, "modulus", 2e4, &error));
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
    return world;
}

static OozeFluidDef block(OozeBodyKind kind, int nx, int ny, int nz, OozeVec3 position)
{
    OozeFluidDef def = ooze_fluid_def_default();
    def.name = "thing";
    def.body = kind;
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.shape.size = vec3(nx * SPACING, ny * SPACING, nz * SPACING);
    def.shape.position = position;
    return def;
}

static void impossible_bodies_are_refused(void **state)
{
    (void)state;
    OozeFluidDef box = block(OOZE_BODY_RIGID, 3, 3, 3, vec3(0, 0, 0));
    static const char *const fluids_alone[] = {"stress", "wcsph", "ballistic", "constraint"};
    for (int k = 0; k < 4; k++) {
        OozeWorld *world = make_world(fluids_alone[k], false);
        CHECK_FAILS(ooze_world_add_fluid(world, &box, NULL, &error), OOZE_ERROR_ARGUMENT,
                    "knows fluids alone");
        ooze_world_destroy(world);
    }
    OozeWorld *world = make_world("conformation", true);
    OozeFluidDef odd = box, wide = block(OOZE_BODY_RIGID, 12, 1, 1, vec3(1, 0, 0));
    odd.body = (OozeBodyKind)7;
    CHECK_FAILS(ooze_world_add_fluid(world, &odd, NULL, &error), OOZE_ERROR_ARGUMENT,
                "unknown kind 7");
    CHECK_FAILS(ooze_world_add_fluid(world, &wide, NULL, &error), OOZE_ERROR_ARGUMENT,
                "more than half of the periodic 2 m");
    assert_int_equal(ooze_world_frame(world)->particle_count, 0);
    CHECK_OK(ooze_world_add_fluid(world, &box, NULL, &error));
    CHECK_OK(ooze_world_step(world, &error));
    ooze_world_destroy(world);
}

static OozeVec3 read_vector(const OozeFieldView *field, uint64_t i)
{
    return vec3(ooze_field_value(field, i, 0), ooze_field_value(field, i, 1),
                ooze_field_value(field, i, 2));
}

/* Worst change of the distances between the particles of a world from rest, m. */
static double worst_stretch(OozeWorld *world, bool periodic)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *rest = ooze_frame_field(frame, "rest_position");
    double worst = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        for (uint64_t j = 0; j < i; j++) {
            OozeVec3 d = vec3_sub(read_vector(x, i), read_vector(x, j));
            d.x -= periodic ? 2 * rint(0.5 * d.x) : 0;
            double then = vec3_length(vec3_sub(read_vector(rest, i), read_vector(rest, j)));
            worst = fmax(worst, fabs(vec3_length(d) - then));
        }
    }
    return worst;
}

/* A point, a row, a sheet and a block, across the border of a periodic box, on to a floor. */
static void bodies_of_any_shape(void **state)
{
    (void)state;
    static const int sizes[4][3] = {{1, 1, 1}, {5, 1, 1}, {4, 1, 4}, {3, 4, 3}};
    for (int k = 0; k < 4; k++) {
        OozeWorld *world = make_world("conformation", true);
        const int *n = sizes[k];
        OozeFluidDef def = block(OOZE_BODY_RIGID, n[0], n[1], n[2], vec3(0, 1, 0));
        def.velocity = vec3(0.5, 0, 0);
        def.spin = ooze_vec3_degrees(vec3(0.5, 2, 1));
        OozeSolidDef floor = ooze_solid_def_default();
        floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
        floor.friction = 0.4;
        CHECK_OK(ooze_world_add_solid(world, &floor, NULL, &error));
        CHECK_OK(ooze_world_add_fluid(world, &def, NULL, &error));
        CHECK_OK(ooze_world_advance(world, 1.5, NULL, NULL, &error));
        CHECK_NEAR(worst_stretch(world, true), 0, 1e-6);
        const OozeFieldView *x = ooze_frame_field(ooze_world_frame(world), "position");
        double low = INFINITY;
        for (uint64_t i = 0; i < x->count; i++) {
            low = fmin(low, ooze_field_value(x, i, 1));
        }
        printf("  %d by %d by %d: lowest centre %.5f spacings above the floor\n", n[0], n[1], n[2],
               low / SPACING);
        CHECK_NEAR(low / SPACING, 0.5, 0.02);
        ooze_world_destroy(world);
    }
}

static OozeWorld *make_cut(void)
{
    OozeWorld *world = make_world("conformation", false);
    OozeFluidDef rigid = block(OOZE_BODY_RIGID, 4, 4, 4, vec3(0, 0.5, 0));
    OozeFluidDef soft = block(OOZE_BODY_SOFT, 4, 4, 4, vec3(0, 1.1, 0));
    OozeFluidDef fluid = block(OOZE_BODY_FLUID, 4, 4, 4, vec3(0, 0, 0));
    OozeSinkDef sink = ooze_sink_def_default();
    sink.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    sink.shape.size = vec3(0.2, 5, 5);
    sink.shape.position = vec3(-0.2, 0, 0);
    sink.start = 0.02;
    sink.stop = 0.05;
    CHECK_OK(ooze_world_add_fluid(world, &rigid, NULL, &error));
    CHECK_OK(ooze_world_add_fluid(world, &soft, NULL, &error));
    CHECK_OK(ooze_world_add_fluid(world, &fluid, NULL, &error));
    CHECK_OK(ooze_world_add_sink(world, &sink, &error));
    return world;
}

/* A sink takes parts of all: what is left goes on, and from a frame in the same way to the last
   bit. */
static void bodies_survive_the_removal_of_particles(void **state)
{
    (void)state;
    OozeWorld *world = make_cut(), *other = make_cut();
    CHECK_OK(ooze_world_advance(world, 0.1, NULL, NULL, &error));
    uint64_t left = ooze_world_frame(world)->particle_count;
    printf("  %llu of 192 particles are left\n", (unsigned long long)left);
    assert_true(left > 100 && left < 180);
    /* the other has taken a step with whole bodies: it must not go on with their bonds */
    CHECK_OK(ooze_world_step(other, &error));
    CHECK_OK(ooze_world_restore(other, ooze_world_frame(world), &error));
    CHECK_OK(ooze_world_advance(world, 0.1, NULL, NULL, &error));
    CHECK_OK(ooze_world_advance(other, 0.1, NULL, NULL, &error));
    assert_true(ooze_frame_hash(ooze_world_frame(world)) ==
                ooze_frame_hash(ooze_world_frame(other)));
    ooze_world_destroy(world);
    ooze_world_destroy(other);
}

/* Particles of a soft body inside a solid move with the solid. */
static void soft_bodies_stay_fixed_to_solids(void **state)
{
    (void)state;
    OozeWorld *world = make_world("conformation", false);
    OozeSolidDef handle = ooze_solid_def_default();
    handle.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    handle.shape.size = vec3(1, 0.2, 1);
    handle.motion.velocity = vec3(0, 0.5, 0);
    handle.motion.spin = ooze_vec3_degrees(vec3(0, 2, 0));
    CHECK_OK(ooze_world_add_solid(world, &handle, NULL, &error));
    OozeFluidDef strip = block(OOZE_BODY_SOFT, 3, 8, 3, vec3(0.2, -0.3, 0));
    CHECK_OK(ooze_world_add_fluid(world, &strip, NULL, &error));
    CHECK_OK(ooze_world_advance(world, 1.0, NULL, NULL, &error));
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *rest = ooze_frame_field(frame, "rest_position");
    const OozeFieldView *pin = ooze_frame_field(frame, "pin");
    int pinned = 0;
    double low = INFINITY;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        OozeVec3 p = read_vector(x, i), r = read_vector(rest, i);
        low = fmin(low, p.y);
        if (ooze_field_value(pin, i, 0) == 1) {
            pinned++;
            OozeVec3 turned =
                vec3(cos(2) * r.x + sin(2) * r.z, r.y + 0.5, -sin(2) * r.x + cos(2) * r.z);
            CHECK_NEAR(vec3_length(vec3_sub(p, turned)), 0, 1e-4);
        }
    }
    assert_int_equal(pinned, 18); /* two layers of nine */
    CHECK_NEAR(low, 0.5 - 0.65, 0.2);
    ooze_world_destroy(world);
}

/* A frame whose particles belong to bodies that do not exist is refused. */
static void foreign_frames_are_refused(void **state)
{
    (void)state;
    OozeWorld *world = make_cut(), *other = make_cut();
    OozeFrame frame = *ooze_world_frame(world);
    OozeFieldView fields[32];
    uint16_t bodies[192];
    uint64_t ids[192];
    assert_true(frame.field_count <= 32 && frame.particle_count == 192);
    memcpy(fields, frame.fields, (size_t)frame.field_count * sizeof *fields);
    frame.fields = fields;
    for (int f = 0; f < frame.field_count; f++) {
        if (strcmp(fields[f].name, "body") == 0) {
            memcpy(bodies, fields[f].data, sizeof bodies);
            fields[f].data = bodies;
        } else if (strcmp(fields[f].name, "id") == 0) {
            memcpy(ids, fields[f].data, sizeof ids);
            fields[f].data = ids;
        }
    }
    CHECK_OK(ooze_world_restore(other, &frame, &error));
    bodies[3] = 3;
    CHECK_FAILS(ooze_world_restore(other, &frame, &error), OOZE_ERROR_FORMAT, "does not exist");
    bodies[3] = 2; /* one of the first body's ids */
    CHECK_FAILS(ooze_world_restore(other, &frame, &error), OOZE_ERROR_FORMAT, "id of another body");
    ooze_world_destroy(world);
    ooze_world_destroy(other);
}

static OozeStatus run_a_step(OozeError *error)
{
    OozeWorldDef def = ooze_world_def_default();
    OozeMaterialDef material = ooze_material_def_default();
    OozeFluidDef rigid = block(OOZE_BODY_RIGID, 2, 2, 2, vec3(0, 0.1, 0));
    OozeFluidDef soft = block(OOZE_BODY_SOFT, 2, 2, 2, vec3(0, 0.3, 0));
    OozeSolidDef floor = ooze_solid_def_default();
    OozeWorld *world = NULL;
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    def.method = "conformation";
    def.spacing = SPACING;
    def.threads = 1;
    OozeStatus status = ooze_world_create(&def, &world, error);
    status = status ? status : ooze_world_add_material(world, &material, NULL, error);
    status = status ? status : ooze_world_add_solid(world, &floor, NULL, error);
    status = status ? status : ooze_world_add_fluid(world, &rigid, NULL, error);
    status = status ? status : ooze_world_add_fluid(world, &soft, NULL, error);
    status = status ? status : ooze_world_step(world, error);
    ooze_world_destroy(world);
    return status;
}

/* Every allocation on the way may fail; nothing leaks (checked under ASan). */
static void out_of_memory_is_survived(void **state)
{
    (void)state;
    OozeStatus status = OOZE_ERROR_MEMORY;
    uint64_t n = 0;
    while (status && n < 2000) {
        OozeError error = {0};
        ooze_memory_fail_after(++n);
        status = run_a_step(&error);
        ooze_memory_fail_after(0);
        assert_true(status == OOZE_OK || status == OOZE_ERROR_MEMORY);
    }
    printf("  %llu allocations\n", (unsigned long long)n);
    assert_int_equal(status, OOZE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotation_has_its_angle),
        cmocka_unit_test(inertia_is_inverted),
        cmocka_unit_test(rows_and_points_do_not_turn_about_themselves),
        cmocka_unit_test(bonds_make_an_isotropic_solid),
        cmocka_unit_test(impossible_bodies_are_refused),
        cmocka_unit_test(bodies_of_any_shape),
        cmocka_unit_test(bodies_survive_the_removal_of_particles),
        cmocka_unit_test(soft_bodies_stay_fixed_to_solids),
        cmocka_unit_test(foreign_frames_are_refused),
        cmocka_unit_test(out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
