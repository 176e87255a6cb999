/* Acceptance tests of the springs method: dynamic solids. */
#include "physics/springs_fixtures.h"

#include "solids/dynamic.h"

static const double MARGIN = 0.5 * OOZE_SPRINGS_BULK_SPACING;

static OozeSolidId add_body(OozeWorld *world, OozeVec3 size, OozeVec3 at, double density,
                            double friction)
{
    OozeSolidDef def = ooze_solid_def_default();
    OozeSolidId id = {0};
    def.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    def.shape.size = size;
    def.shape.position = at;
    def.density = density;
    def.friction = friction;
    def.restitution = 0;
    CHECK_OK(ooze_world_add_solid(world, &def, &id, &error));
    return id;
}

/* ---- momentum -------------------------------------------------------------------------------- */

/* Of fluid and bodies together, kg m/s, and the sum of its sizes. */
static OozeVec3 momentum_of_all(OozeWorld *world, double *scale)
{
    Census c = take_census(world);
    double dx = world->def.spacing, volume = dx * dx * dx;
    OozeVec3 sum = vec3_scale(c.momentum, volume);
    *scale = c.speed_sum * volume;
    for (int i = 0; i < world->solids.count; i++) {
        const OozeSolid *solid = &world->solids.items[i];
        if (ooze_solid_is_dynamic(solid)) {
            OozeVec3 v =
                ooze_pose_velocity_at(&solid->pose, ooze_dynamic_centre(solid, &solid->pose));
            sum = vec3_madd(sum, solid->mass.mass, v);
            *scale += solid->mass.mass * vec3_length(v);
        }
    }
    return sum;
}

static void set_velocity(OozeWorld *world, OozeSolidId id, OozeVec3 velocity, OozeVec3 spin)
{
    world->solids.items[id.index].pose.velocity = velocity;
    world->solids.items[id.index].pose.spin = spin;
}

/* A tumbling box and a heavier one fly into a drop, and stay in it or leave it again. */
static void springs_T12_momentum(void **state)
{
    (void)state;
    const double ratios[] = {0.01, 1, 100};
    for (int k = 0; k < 3; k++) {
        OozeWorld *world = springs_world((Bulk){0});
        OozeMaterialId fluid = add_paper_fluid(world, 0.2, 0.3);
        add_drop(world, fluid, 2, vec3(0, 0, 0));
        OozeSolidId box =
            add_body(world, vec3(1.2, 0.8, 1.0), vec3(0.3, 3.5, 0.1), 1000 * ratios[k], 0.5);
        OozeSolidId other = add_body(world, vec3(1, 1, 1), vec3(-4, 0.2, 0), 500, 0.1);
        set_velocity(world, box, vec3(0, -0.15, 0), vec3(0.05, 0.02, 0.1));
        set_velocity(world, other, vec3(0.1, 0, 0), vec3(0, 0, 0.03));
        CHECK_OK(ooze_world_set_solid(world, box, OOZE_SOLID_STICK_DISTANCE, 0.2, &error));
        CHECK_OK(ooze_world_set_solid(world, box, OOZE_SOLID_STICK_STRENGTH, 0.05, &error));
        double scale = 0, most = 0, now = 0, fastest = 0;
        OozeVec3 before = momentum_of_all(world, &scale);
        OozeVec3 start = world->solids.items[box.index].pose.velocity;
        for (int n = 0; n < 1000; n++) {
            step_world(world);
            most = fmax(most, vec3_length(vec3_sub(momentum_of_all(world, &now), before)));
            scale = fmax(scale, now);
            fastest = fmax(fastest, vec3_length(world->solids.items[box.index].pose.velocity));
        }
        OozeVec3 end = world->solids.items[box.index].pose.velocity;
        printf("  %g times the fluid's density, fastest %.3g, at the end %.3g, %.3g, %.3g, fluid "
               "up to %.3g\n",
               ratios[k], fastest, end.x, end.y, end.z, take_census(world).fastest);
        /* exact but for rounding, and velocities are in single precision */
        KNOWN_GAP("change of momentum over sum |m v|, at most", most / scale, 0, 1e-9, 1.5e-7);
        assert_true(vec3_length(vec3_sub(end, start)) > (k < 2 ? 0.05 : 1e-4));
        ooze_world_destroy(world);
    }
}

/* ---- Archimedes ------------------------------------------------------------------------------ */

/* Height of the fluid's surface away from the body: of the highest particles in columns, and half a
   spacing. */
static double level_of(OozeWorld *world, double clear)
{
    enum { SIDE = 8 };
    double top[SIDE][SIDE] = {{0}}, sum = 0;
    int columns = 0;
    const OozeFieldView *x = ooze_frame_field(ooze_world_frame(world), "position");
    for (uint64_t i = 0; i < x->count; i++) {
        OozeVec3 p = read_vector(x, i);
        int a = (int)floor(p.x + SIDE / 2), b = (int)floor(p.z + SIDE / 2);
        if (a >= 0 && a < SIDE && b >= 0 && b < SIDE && fmax(fabs(p.x), fabs(p.z)) > clear) {
            top[a][b] = fmax(top[a][b], p.y);
        }
    }
    for (int k = 0; k < SIDE * SIDE; k++) {
        if (top[k / SIDE][k % SIDE] > 0) {
            sum += top[k / SIDE][k % SIDE];
            columns++;
        }
    }
    return sum / columns + 0.5 * OOZE_SPRINGS_BULK_SPACING;
}

typedef struct Float {
    double draft;          /* over its height */
    double low;            /* of its bottom above the floor, at the end */
    double tilt;           /* degrees, at most */
    double fastest, speed; /* at most, and at the end */
    double deepest;        /* of a particle inside it, at the end */
} Float;

static double deepest_inside(OozeWorld *world, OozeSolidId box)
{
    const OozeFieldView *x = ooze_frame_field(ooze_world_frame(world), "position");
    OozeVec3 normal;
    double deepest = 0;
    for (uint64_t i = 0; i < x->count; i++) {
        double d = ooze_solid_distance(&world->solids.items[box.index], read_vector(x, i), &normal);
        deepest = fmax(deepest, -d);
    }
    return deepest;
}

/* A box of 3 x 3 x 2 supports in a tank of six by six, three deep. The surface of the fluid
   attaches to one that is wetted by stickiness. */
static Float put_in_tank(double ratio, bool wetted)
{
    const double dx = OOZE_SPRINGS_BULK_SPACING, half = 3.0, height = 2, wide = 3;
    OozeWorld *world = springs_world((Bulk){.gravity = vec3(0, -0.005, 0)});
    OozeMaterialId fluid = add_paper_fluid(world, 0.2, 0.3);
    add_floor(world, 0);
    add_side(world, vec3(-half, 0, 0), vec3(1, 0, 0));
    add_side(world, vec3(half, 0, 0), vec3(-1, 0, 0));
    add_side(world, vec3(0, 0, -half), vec3(0, 0, 1));
    add_side(world, vec3(0, 0, half), vec3(0, 0, -1));
    add_lattice(world, (Lattice){.material = fluid,
                                 .n = {16, 9, 16},
                                 .spacing = dx,
                                 .corner = vec3(-8 * dx, 0, -8 * dx)});
    OozeSolidId box = add_body(world, vec3(wide, height, wide),
                               vec3(0, 9 * dx + height / 2 + 0.1, 0), 1000 * ratio, 0);
    if (wetted) {
        CHECK_OK(ooze_world_set_solid(world, box, OOZE_SOLID_STICK_DISTANCE, 0.3, &error));
        CHECK_OK(ooze_world_set_solid(world, box, OOZE_SOLID_STICK_STRENGTH, 0.1, &error));
    }
    const OozePose *pose = &world->solids.items[box.index].pose;
    Float f = {.low = 0};
    for (int k = 1; k <= 350; k++) {
        step_world(world);
        OozeVec3 up = quat_rotate(pose->rotation, vec3(0, 1, 0));
        f.tilt = fmax(f.tilt, acos(fmin(up.y, 1)) * 180 / OOZE_PI);
        f.fastest = fmax(f.fastest, vec3_length(pose->velocity));
        if (k > 250 && k % 20 == 10) {
            f.draft += (level_of(world, 2.0) - (pose->position.y - height / 2)) / height / 5;
        }
    }
    f.low = pose->position.y - height / 2;
    f.speed = vec3_length(pose->velocity);
    f.deepest = deepest_inside(world, box);
    Census end = take_census(world);
    assert_int_equal(end.count, 16 * 9 * 16);
    assert_true(end.low.y > 0);
    printf("  %g times the fluid's density, %s: draft %.3f, bottom at %.3f, fastest %.3g\n", ratio,
           wetted ? "wetted" : "dry", f.draft, f.low, f.fastest);
    ooze_world_destroy(world);
    return f;
}

/* Archimedes: the draft is the ratio of densities, within 0.1. A light dry box floats higher: the
   surface tension of the fluid, which comes with the method, carries a part of it along its twelve
   supports of perimeter, as it does a water strider. That part falls with gravity, which is the
   largest here that the fluid stands. A box to which the surface attaches has the draft of theory.
   */
static void springs_T12_archimedes(void **state)
{
    (void)state;
    Float light = put_in_tank(0.3, false), half = put_in_tank(0.5, false);
    Float heavy = put_in_tank(0.8, false), wetted = put_in_tank(0.5, true);
    KNOWN_GAP("draft over height less ratio, 0.3", light.draft - 0.3, -0.1, 0.1, -0.15);
    KNOWN_GAP("draft over height less ratio, 0.5", half.draft - 0.5, -0.1, 0.1, -0.143);
    MEASURED("draft over height less ratio, 0.8", heavy.draft - 0.8, -0.1, 0.1);
    MEASURED("draft over height less ratio, 0.5, wetted", wetted.draft - 0.5, -0.1, 0.1);
    MEASURED("tilt, degrees, at most",
             fmax(fmax(light.tilt, half.tilt), fmax(heavy.tilt, wetted.tilt)), 0, 10);
}

static bool has_contacts(void)
{
    int count = 0;
    const OozeFeature *features = ooze_features(&count);
    for (int k = 0; k < count; k++) {
        if (strcmp(features[k].name, "ode") == 0) {
            return features[k].present;
        }
    }
    return false;
}

/* What sinks rests on the ground. If it is not much heavier than the fluid it stops on a film of
   two layers, which holds together as drops do; if it is, what it catches is between it and the
   floor, no deeper in it than a particle's skin. A body of a hundredth of the fluid's density
   bobs, one of a hundred times goes down; nothing is thrown about, and nothing is passed
   through. */
static void springs_T12_sinks(void **state)
{
    (void)state;
    Float light = put_in_tank(0.01, false);
    MEASURED("draft of a light one over height", light.draft, -0.1, 0.11);
    MEASURED("its fastest speed over that of a free fall through the tank",
             light.fastest / sqrt(2 * 0.005 * 3.35), 0, 1.5);
    MEASURED("particles deep inside it", light.deepest, 0, 0.05);
    if (!has_contacts()) {
        SKIP_TEST("without ODE nothing keeps a heavy one from passing through the floor");
    }
    const double ratios[] = {1.5, 100};
    for (int k = 0; k < 2; k++) {
        Float f = put_in_tank(ratios[k], false);
        if (k == 0) {
            KNOWN_GAP("height of its bottom above the floor, 1.5", f.low, -0.01, 0.01, 0.807);
        } else {
            MEASURED("height of its bottom above the floor, 100", f.low, -0.01, 0.01);
        }
        MEASURED("speed at the end", f.speed, 0, 1e-3);
        MEASURED("tilt, degrees", f.tilt, 0, 10);
        MEASURED("fastest over a free fall of the same height", f.fastest / sqrt(2 * 0.005 * 3.45),
                 0, 1.05);
        MEASURED("particles deep inside it", f.deepest, 0, MARGIN + 1e-3);
    }
}

ACCEPTANCE_MAIN(cmocka_unit_test(springs_T12_momentum), cmocka_unit_test(springs_T12_archimedes),
                cmocka_unit_test(springs_T12_sinks))
