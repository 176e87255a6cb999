/* Acceptance tests of surface tension in the method conformation: drops at rest, that swing, that
   become round, on a plane, and of two liquids. */
#include "physics/coupling_fixtures.h"
#include "physics/surface_energy.h"

static const double SPACING = 0.001, TENSION = 0.072, DENSITY = 1000;

typedef struct Drop {
    double radius;  /* spacings */
    double stretch; /* of the x axis, volume kept; 0: 1 */
    double viscosity, time_step;
    double interface;          /* tension between its halves, which then are two liquids; N/m */
    double angle, start_angle; /* degrees; 0: no plane; a cap on a plane of this volume twice */
    int threads;
} Drop;

static OozeMaterialId add_liquid(OozeWorld *world, Drop drop)
{
    OozeMaterialDef def = ooze_material_def_default();
    OozeMaterialId id = {0};
    CHECK_OK(ooze_material_def_set(&def, "density", DENSITY, &error));
    CHECK_OK(ooze_material_def_set(&def, "viscosity", drop.viscosity, &error));
    CHECK_OK(ooze_material_def_set(&def, "surface_tension", TENSION, &error));
    CHECK_OK(ooze_material_def_set(&def, "interface_tension", drop.interface, &error));
    CHECK_OK(ooze_world_add_material(world, &def, &id, &error));
    return id;
}

/* A plane whose contact angle is that of the solid; the material has 90 degrees. */
static void add_wetted_plane(OozeWorld *world, double angle)
{
    OozeSolidDef plane = ooze_solid_def_default();
    plane.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    plane.shape.normal = vec3(0, 1, 0);
    plane.friction = 0;
    plane.contact_angle = angle;
    CHECK_OK(ooze_world_add_solid(world, &plane, NULL, &error));
}

static OozeWorld *make_drop(Drop drop)
{
    OozeWorld *world = make_world(
        (Setup){.spacing = SPACING, .time_step = drop.time_step, .threads = drop.threads});
    OozeMaterialId liquid[2] = {add_liquid(world, drop)};
    liquid[1] = drop.interface > 0 ? add_liquid(world, drop) : liquid[0];
    double r = drop.radius, centre = 0, s = drop.stretch > 0 ? drop.stretch : 1;
    if (drop.angle > 0) { /* a cap of the volume of half a ball */
        double c = cos(ooze_radians(drop.start_angle));
        r *= cbrt(2 / ((1 - c) * (1 - c) * (2 + c)));
        centre = -r * c;
        add_wetted_plane(world, drop.angle);
    }
    int reach = (int)(1.5 * r + fabs(centre)) + 1;
    for (int i = -reach; i <= reach; i++) {
        for (int j = drop.angle > 0 ? 0 : -reach; j <= reach; j++) {
            for (int k = -reach; k <= reach; k++) {
                OozeVec3 x = vec3(i + 0.5, j + 0.5, k + 0.5);
                double y = x.y - centre;
                if (x.x * x.x / (s * s) + (y * y + x.z * x.z) * s < r * r) {
                    OozeVec3 place = vec3_scale(x, SPACING);
                    CHECK_OK(
                        ooze_world_add_particles(world, liquid[i < 0], 1, &place, NULL, &error));
                }
            }
        }
    }
    return world;
}

static double radius_of(OozeWorld *world)
{
    double n = (double)ooze_world_frame(world)->particle_count;
    return cbrt(3 * n / (4 * OOZE_PI)) * SPACING;
}

static double capillary_speed(OozeWorld *world)
{
    return sqrt(TENSION / (DENSITY * radius_of(world)));
}

static double rms_speed(OozeWorld *world)
{
    Census c = take_census(world);
    return sqrt(2 * c.energy / c.mass);
}

/* Mean squares of the distances from the centre of mass, along the axes. */
static OozeVec3 mean_squares(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    OozeVec3 centre = take_census(world).centre, sum = vec3(0, 0, 0);
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        OozeVec3 d = vec3_sub(read_vector(x, i), centre);
        sum = vec3_add(sum, vec3(d.x * d.x, d.y * d.y, d.z * d.z));
    }
    return vec3_scale(sum, 1 / (double)frame->particle_count);
}

/* ln of the extent along x over that along y */
static double stretch_of(OozeWorld *world)
{
    OozeVec3 s = mean_squares(world);
    return 0.5 * log(s.x / s.y);
}

/* ---- rest ------------------------------------------------------------------------------------ */

/* A ball of lattice particles relaxes, then stands still: a tension that does work on disorder
   would heat it to the capillary speed sqrt(sigma/(rho R)), the more the shorter the step. The
   bound is a fiftieth of that speed. */
static void rest(double radius, double time_step)
{
    OozeWorld *world =
        make_drop((Drop){.radius = radius, .viscosity = 0.001, .time_step = time_step});
    const int samples = 10;
    double sum = 0;
    advance(world, 0.3);
    for (int k = 0; k < samples; k++) {
        advance(world, 0.01);
        double speed = rms_speed(world) / capillary_speed(world);
        sum += speed * speed / samples;
    }
    printf("  radius %g spacings, step %g s:\n", radius, time_step);
    MEASURED("mean speed over the capillary speed", sqrt(sum), 0, 0.02);
    MEASURED("stretch", fabs(stretch_of(world)), 0, 0.02);
    ooze_world_destroy(world);
}

static void conformation_T83_rest(void **state)
{
    (void)state;
    rest(8, 1e-3);
    if (full_sweep()) {
        rest(8, 2.5e-4);
    }
}

/* ---- energy ---------------------------------------------------------------------------------- */

/* The energy of the drop, over sigma and per density: sums over all pairs. */
static double surface_energy(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    OozeSurfaceEnergy e = ooze_surface_energy(SPACING, 2.2 * SPACING, 1);
    double sum = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        OozeVec3 here = read_vector(x, i), n = vec3(0, 0, 0);
        double d = 1;
        for (uint64_t j = 0; j < frame->particle_count; j++) {
            OozeVec3 to = vec3_sub(read_vector(x, j), here);
            double w =
                j == i ? 0 : (double)ooze_surface_weight((float)vec3_dot(to, to), e.inverse2);
            n = vec3_madd(n, w * w * (double)e.gradient, to);
            d -= w * w * (double)e.deficit;
        }
        d = fmax(0, d);
        sum +=
            0.5 * ((double)e.gradient_energy * vec3_dot(n, n) + (double)e.deficit_energy * d * d);
    }
    return sum * SPACING * SPACING * SPACING;
}

/* The pressure in a drop at rest is dE/dV, and 2 sigma/R where E is sigma times the area: from the
   energies of two relaxed drops. Today's is lower: particles of a surface at rest have found places
   of lower energy than those of one that moves, which gives Rayleigh's period. */
static void conformation_T84_laplace(void **state)
{
    (void)state;
    const double radius[2] = {6, 9};
    double energy[2], area[2];
    for (int k = 0; k < 2; k++) {
        OozeWorld *world =
            make_drop((Drop){.radius = radius[k], .viscosity = 0.001, .time_step = 1e-3});
        advance(world, 0.2);
        double r = radius_of(world);
        energy[k] = surface_energy(world);
        area[k] = 4 * OOZE_PI * r * r;
        printf("  radius %.2f spacings: energy over sigma times the area %.3f\n", r / SPACING,
               energy[k] / area[k]);
        ooze_world_destroy(world);
    }
    KNOWN_GAP("pressure over 2 sigma/R", (energy[1] - energy[0]) / (area[1] - area[0]), 0.9, 1.1,
              0.795);
}

/* ---- motion ---------------------------------------------------------------------------------- */

/* Rayleigh 1879: omega^2 = 8 sigma / (rho R^3) for the lowest mode of a drop without viscosity.
   Extremes are half a period apart; the first, at rest, is that of a lattice, which is slow to
   move. Viscosity damps the mode at the rate 5 nu/R^2 (Lamb): it swings back to 0.98 of where it
   began. Returns how far it swings back, over the start. */
static double swing(double radius, double time_step)
{
    OozeWorld *world = make_drop(
        (Drop){.radius = radius, .stretch = 1.2, .viscosity = 0.001, .time_step = time_step});
    double r = radius_of(world), period = 2 * OOZE_PI / sqrt(8 * TENSION / (DENSITY * r * r * r));
    double start = stretch_of(world), least = 0, most = 0, first = 0, second = 0;
    for (int k = 1; k * time_step < 1.3 * period; k++) {
        step_world(world);
        double t = k * time_step, s = stretch_of(world);
        if (t < 0.75 * period && s < least) {
            least = s;
            first = t;
        } else if (t > first + 0.25 * period && s > most) {
            most = s;
            second = t;
        }
    }
    printf("  radius %g spacings: stretch %.3f, %.3f at %.4f s, %.3f at %.4f s\n", radius, start,
           least, first, most, second);
    MEASURED("period over Rayleigh's", 2 * (second - first) / period, 0.95, 1.05);
    ooze_world_destroy(world);
    return most / start;
}

static void conformation_T85_swing(void **state)
{
    (void)state;
    KNOWN_GAP("swing back over the start, radius of 8 spacings", swing(8, 1e-3), 0.9, 1, 0.488);
    KNOWN_GAP("swing back over the start, radius of 10 spacings", swing(10, 1e-3), 0.9, 1, 0.53);
}

/* Lamb: a viscous drop becomes round at the rate (20/19) sigma/(eta R). The surface layer relaxes
   first. */
static double rounding(void)
{
    OozeWorld *world =
        make_drop((Drop){.radius = 8, .stretch = 1.2, .viscosity = 10, .time_step = 2e-3});
    advance(world, 0.05);
    double before = stretch_of(world), seconds = 0.15;
    advance(world, seconds);
    double rate = log(before / stretch_of(world)) / seconds;
    double lamb = 20.0 / 19 * TENSION / (10 * radius_of(world));
    ooze_world_destroy(world);
    return rate / lamb;
}

/* Where pressure is found after the velocities, what it drives slips. */
static void conformation_T86_rounding(void **state)
{
    (void)state;
    KNOWN_GAP("rate over Lamb's, density stage", rounding(), 0.85, 1.15, 1.25);
}

/* ---- planes ---------------------------------------------------------------------------------- */

/* Contact angle of the cap of the same volume whose centre of mass is as high. */
static double angle_of(OozeWorld *world)
{
    Census c = take_census(world);
    double height = c.centre.y / (cbrt((double)c.count) * SPACING), low = 0, high = 180;
    for (int k = 0; k < 40; k++) {
        double a = 0.5 * (low + high), q = cos(ooze_radians(a)), h = 1 - q;
        double volume = OOZE_PI * h * h * (3 - h) / 3;
        double depth = OOZE_PI * h * h * h * (2.0 / 3 - h / 4); /* below the top */
        double mean = (h - depth / volume) / cbrt(volume);
        *(mean < height ? &low : &high) = a;
    }
    return low;
}

static double settled_angle(double angle, double start)
{
    OozeWorld *world = make_drop((Drop){
        .radius = 8, .viscosity = 0.05, .time_step = 1e-3, .angle = angle, .start_angle = start});
    const int samples = 10;
    double sum = 0;
    advance(world, 0.2);
    for (int k = 0; k < samples; k++) {
        advance(world, 0.01);
        sum += angle_of(world);
    }
    ooze_world_destroy(world);
    return sum / samples;
}

/* A drop without gravity is a cap. The bounds are 4 degrees about the angle: half a spacing of the
   height of a cap of this volume at 60 degrees. Lines that recede come to the angle or to within 5
   degrees of it; those that advance over a solid that the liquid wets stop before it, because
   particles of the second layer must come down to the solid one by one; a drop that touches at 150
   degrees comes off. */
static void conformation_T87_contact_angle(void **state)
{
    (void)state;
    MEASURED("contact angle for 90 degrees, from 90", settled_angle(90, 90), 86, 94);
    MEASURED("for 120 degrees, from 90", settled_angle(120, 90), 116, 124);
    KNOWN_GAP("for 60 degrees, from 50", settled_angle(60, 50), 56, 64, 55);
    KNOWN_GAP("for 60 degrees, from 90", settled_angle(60, 90), 56, 64, 78);
    if (full_sweep()) {
        KNOWN_GAP("for 150 degrees, from 150", settled_angle(150, 150), 146, 154, 180);
        KNOWN_GAP("for 30 degrees, from 60", settled_angle(30, 60), 26, 34, 61);
    }
}

/* ---- two liquids ----------------------------------------------------------------------------- */

/* Two halves of a ball whose tension against each other is that against air: surfaces meet at 120
   degrees, and the halves become the double bubble of radius r, whose centres are r apart; mean
   squares along and across are 0.525 r^2 and 0.2125 r^2. */
static void conformation_T88_two_liquids(void **state)
{
    (void)state;
    double stretch[2];
    for (int k = 0; k < 2; k++) {
        OozeWorld *world = make_drop((Drop){.radius = 7,
                                            .viscosity = 0.02,
                                            .time_step = 1e-3,
                                            .interface = k == 0 ? 1e-9 : TENSION});
        Census before = take_census(world);
        advance(world, 0.4);
        Census after = take_census(world);
        stretch[k] = stretch_of(world);
        MEASURED("change of momentum over sum |m v|",
                 vec3_length(vec3_sub(after.momentum, before.momentum)) / after.speed_sum, 0, 1e-4);
        ooze_world_destroy(world);
    }
    MEASURED("stretch without tension between them", fabs(stretch[0]), 0, 0.03);
    MEASURED("stretch with it over the double bubble's", stretch[1] / (0.5 * log(0.525 / 0.2125)),
             0.8, 1.2);
}

/* ---- conservation ---------------------------------------------------------------------------- */

static OozeVec3 spinning(OozeVec3 x, uint64_t i, const void *user)
{
    (void)i;
    (void)user;
    return vec3_cross(vec3(3, 1, 5), x);
}

static OozeWorld *make_spinning(int threads)
{
    OozeWorld *world =
        make_world((Setup){.spacing = SPACING, .time_step = 1e-3, .threads = threads});
    set_param(world, "min_distance", 0); /* moves particles without velocities */
    OozeMaterialId a = add_liquid(world, (Drop){.viscosity = 0.01, .interface = 0.03});
    OozeMaterialId b = add_liquid(world, (Drop){.viscosity = 0.02, .interface = 0.02});
    for (int k = 0; k < 2; k++) {
        add_lattice(world, (Lattice){.material = k ? b : a,
                                     .n = {5, 8, 7},
                                     .spacing = SPACING,
                                     .corner = vec3((k ? 0 : -5) * SPACING, 0, 0),
                                     .velocity = spinning});
    }
    return world;
}

/* Energy does not depend on place and direction; sums are gathers. */
static void conformation_T89_conserved(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        OozeWorld *world = make_spinning(1 + 2 * k);
        Census before = take_census(world);
        step_many(world, 50);
        Census after = take_census(world);
        check_kept(before, after, 50);
        MEASURED("angular momentum kept", vec3_length(after.spin) / vec3_length(before.spin), 0.999,
                 1.001);
        hash[k] = ooze_frame_hash(ooze_world_frame(world));
        ooze_world_destroy(world);
    }
    assert_true(hash[0] == hash[1]);
}

/* A ball at the face of a cube of liquid that wets it, in empty space: the liquid draws it in, and
   takes the opposite momentum. */
static void conformation_T90_drawn_in(void **state)
{
    (void)state;
    const int n[3] = {7, 7, 7};
    Body ball = {.centre = vec3(0, 5 * SPACING, 0), .radius = 2.5 * SPACING, .density = 500};
    OozeWorld *world = make_world((Setup){.spacing = SPACING, .time_step = 1e-3, .threads = 1});
    OozeMaterialId liquid = add_liquid(world, (Drop){.viscosity = 0.05});
    CHECK_OK(ooze_world_set_material(world, liquid, "contact_angle", 30, &error));
    set_param(world, "min_distance", 0);
    set_param(world, "tolerance", 1e-6); /* where solids take part, momenta are as exact */
    add_body(world, &ball);
    add_around(world, n, SPACING, centred(n, SPACING), &ball, 1);
    double apart = pose_of(world, 0).position.y - take_census(world).centre.y, impulse = 0;
    for (int k = 0; k < 50; k++) {
        step_world(world);
        Momenta now = take_momenta(world, &ball, 0, 1);
        impulse = fmax(impulse, now.speed_sum);
    }
    Momenta last = take_momenta(world, &ball, 0, 1);
    double left = pose_of(world, 0).position.y - take_census(world).centre.y;
    MEASURED("distance of the centres over that at first", left / apart, 0, 0.95);
    MEASURED("momentum over the largest sum m |v|", vec3_length(last.linear) / impulse, 0, 1e-5);
    ooze_world_destroy(world);
}

ACCEPTANCE_MAIN(cmocka_unit_test(conformation_T83_rest), cmocka_unit_test(conformation_T84_laplace),
                cmocka_unit_test(conformation_T85_swing),
                cmocka_unit_test(conformation_T86_rounding),
                cmocka_unit_test(conformation_T87_contact_angle),
                cmocka_unit_test(conformation_T88_two_liquids),
                cmocka_unit_test(conformation_T89_conserved),
                cmocka_unit_test(conformation_T90_drawn_in))
