/* Acceptance tests of the method cauchy: surface tension, wetting, drawn threads, and threads that
   snap. */
#include "physics/cauchy_fixtures.h"

/* ---- drops ----------------------------------------------------------------------------------- */

/* Fills a shape at the origin. */
static void fill(OozeWorld *world, OozeMaterialId material, OozeShapeDef shape, OozeFill how)
{
    OozeFluidDef fluid = ooze_fluid_def_default();
    fluid.material = material;
    fluid.shape = shape;
    fluid.fill = how;
    CHECK_OK(ooze_world_add_fluid(world, &fluid, NULL, &error));
}

/* Largest over smallest extent along the axes and the diagonals of a cube. */
static double roundness(OozeWorld *world)
{
    static const double axes[7][3] = {{1, 0, 0},          {0, 1, 0},           {0, 0, 1},
                                      {.577, .577, .577}, {.577, .577, -.577}, {.577, -.577, .577},
                                      {-.577, .577, .577}};
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    double longest = 0, shortest = INFINITY;
    for (int k = 0; k < 7; k++) {
        double low = INFINITY, high = -INFINITY;
        for (uint64_t i = 0; i < frame->particle_count; i++) {
            double along = 0;
            for (int c = 0; c < 3; c++) {
                along += axes[k][c] * ooze_field_value(x, i, c);
            }
            low = fmin(low, along);
            high = fmax(high, along);
        }
        longest = fmax(longest, high - low);
        shortest = fmin(shortest, high - low);
    }
    return longest / shortest;
}

/* Mean pressure within half the radius. */
static double inner_pressure(OozeWorld *world, double radius)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *p = ooze_frame_field(frame, "pressure");
    double sum = 0, count = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        double r2 = 0;
        for (int c = 0; c < 3; c++) {
            r2 += ooze_field_value(x, i, c) * ooze_field_value(x, i, c);
        }
        if (r2 < 0.25 * radius * radius) {
            sum += ooze_field_value(p, i, 0);
            count++;
        }
    }
    assert_true(count > 0);
    return sum / count;
}

static OozeWorld *drop_world(OozeShapeDef shape, OozeFill how, double tension)
{
    OozeWorld *world = cauchy_world((Setup){.spacing = mukai_spacing, .time_step = 1e-3});
    OozeMaterialId fluid = add_liquid(world, (Fluid){.model = OOZE_STRESS_VISCOUS,
                                                     .density = mukai_density,
                                                     .viscosity = mukai_viscosity,
                                                     .surface_tension = tension});
    fill(world, fluid, shape, how);
    return world;
}

/* The paper gives no surface tension; 5 N/m makes the viscous cube round in a third of a second.
   The pressures are those of drops that are round from the start, so that no flow adds to them,
   after 11 and 3 times rho R^2 / eta. Laplace: 2 sigma / R. */
static void cauchy_T04_tension(void **state)
{
    (void)state;
    const double d = mukai_spacing, tension = 5;
    OozeShapeDef box = ooze_shape_def_default(OOZE_SHAPE_BOX);
    box.size = vec3(10 * d, 10 * d, 10 * d);
    OozeWorld *world = drop_world(box, OOZE_FILL_LATTICE, tension);
    assert_int_equal(ooze_world_frame(world)->particle_count, 1000);
    MEASURED("extent of the cube, longest over shortest; sqrt(3)", roundness(world), 1.72, 1.74);
    step_many(world, 300);
    MEASURED("the same after 0.3 s", roundness(world), 1, 1.1);
    ooze_world_destroy(world);
    static const double today[2] = {1.44, 1.24};
    double pressure[2];
    for (int k = 0; k < 2; k++) { /* 1,000 and 8,000 particles */
        OozeShapeDef ball = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
        ball.radius = d * cbrt(3 * (k ? 8000 : 1000) / (4 * OOZE_PI));
        world = drop_world(ball, OOZE_FILL_FITTED, tension);
        step_many(world, 160);
        pressure[k] = inner_pressure(world, ball.radius);
        /* the stress of the surface acts 1.8 spacings inside it */
        KNOWN_GAP("pressure inside over 2 sigma / R", pressure[k] * ball.radius / (2 * tension),
                  0.8, 1.2, today[k]);
        ooze_world_destroy(world);
    }
    MEASURED("ratio of the pressures", pressure[0] / pressure[1], 1.6, 2.4);
}

/* Root mean square height over that along the other two axes. */
static double axis_ratio(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    double square[3] = {0, 0, 0};
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        for (int c = 0; c < 3; c++) {
            square[c] += ooze_field_value(x, i, c) * ooze_field_value(x, i, c);
        }
    }
    return sqrt(square[1] / (0.5 * (square[0] + square[2])));
}

/* Axis ratio of the drop r = R (1 + a P_2). */
static double ratio_of_mode(double a)
{
    return (1 + a) / (1 - 0.5 * a);
}

typedef struct Swing {
    double period;     /* over that of theory */
    double elongation; /* axis ratio - 1 after the period, over that of theory */
} Swing;

/* A drop of 7 spacings and 0.02 Pa s, drawn out to `ratio` times its width. Theory: the amplitude a
   of P_2 decays at the rate 5 nu / R^2 (Lamb 1932, section 355). The frequency is
   sqrt(8 sigma / (rho R^3)) (Rayleigh 1879) times 1 - 34409/58800 a^2 (Tsamopoulos and Brown 1983),
   here with the mean of a^2 over the period. */
static Swing swing(double ratio)
{
    const double d = 1e-3, dt = 4e-4, radius = 7 * d, tension = 0.072, viscosity = 0.02;
    OozeWorld *world = cauchy_world((Setup){.spacing = d, .time_step = dt});
    OozeMaterialId fluid = add_liquid(
        world, (Fluid){.density = 1000, .viscosity = viscosity, .surface_tension = tension});
    OozeShapeDef drop = ooze_shape_def_default(OOZE_SHAPE_SPHERE);
    drop.radius = radius;
    drop.scale = vec3(1 / cbrt(ratio), cbrt(ratio * ratio), 1 / cbrt(ratio));
    fill(world, fluid, drop, OOZE_FILL_FITTED);
    double rayleigh = 2 * OOZE_PI * sqrt(1000 * radius * radius * radius / (8 * tension));
    double damping = 5 * viscosity / (1000 * radius * radius) * rayleigh;
    double mode = (ratio - 1) / (1 + 0.5 * ratio);
    double square = mode * mode * (1 - exp(-2 * damping)) / (2 * damping);
    double theory = rayleigh / (1 - 34409.0 / 58800 * square);
    double first = axis_ratio(world), longest = 0, period = 0;
    for (int k = 1; k * dt < 1.3 * rayleigh; k++) {
        step_world(world);
        double now = k * dt > 0.6 * rayleigh ? axis_ratio(world) : 0;
        period = now > longest ? k * dt : period;
        longest = fmax(longest, now);
    }
    ooze_world_destroy(world);
    printf("  drop of ratio %g: period %.4f of Rayleigh's, theory %.4f; elongation %.4f\n", ratio,
           period / rayleigh, theory / rayleigh, (longest - 1) / (first - 1));
    MEASURED("axis ratio at the start, over that", first / ratio, 0.97, 1.03);
    return (Swing){period / theory, (longest - 1) / (first - 1) * (ratio - 1) /
                                        (ratio_of_mode(mode * exp(-damping)) - 1)};
}

static void cauchy_T27_swing(void **state)
{
    (void)state;
    Swing small = swing(1.3), large = swing(2);
    MEASURED("period at 1.3 over that of theory", small.period, 0.9, 1.1);
    MEASURED("period at 2 over that of theory", large.period, 0.9, 1.1);
    /* thin fluid loses no energy in so small a motion: its particles never come to rest */
    KNOWN_GAP("elongation after a swing from 1.3, over that of theory", small.elongation, 0.8, 1.2,
              1.41);
    MEASURED("elongation after a swing from 2, over that of theory", large.elongation, 0.8, 1.2);
}

/* Contact angle of a cap with the volume and the centre of mass of a drop on y = 0. */
static double cap_angle(double volume, double centre)
{
    double best = INFINITY, angle = 0;
    double largest = cbrt(6 * volume / OOZE_PI);
    for (double h = 0.05 * largest; h < largest; h += 1e-3 * largest) {
        double a = sqrt((6 * volume / (OOZE_PI * h) - h * h) / 3), r = (a * a + h * h) / (2 * h);
        double c = 3 * (2 * r - h) * (2 * r - h) / (4 * (3 * r - h)) - (r - h);
        if (fabs(c - centre) < best) {
            best = fabs(c - centre);
            angle = ooze_degrees(2 * atan2(h, a));
        }
    }
    return angle;
}

static void cauchy_T05_wetting(void **state)
{
    (void)state;
    static const double angles[] = {30, 90};
    for (int k = 0; k < 2; k++) {
        const double d = 1e-3;
        OozeWorld *world = cauchy_world((Setup){.spacing = d, .time_step = 2.5e-4});
        OozeMaterialId fluid = add_liquid(world, (Fluid){.model = OOZE_STRESS_VISCOUS,
                                                         .density = 1000,
                                                         .viscosity = 1,
                                                         .surface_tension = 0.5,
                                                         .contact_angle = angles[k]});
        OozeSolidDef plate = ooze_solid_def_default();
        plate.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
        plate.friction = 0;
        CHECK_OK(ooze_world_add_solid(world, &plate, NULL, &error));
        OozeShapeDef box = ooze_shape_def_default(OOZE_SHAPE_BOX);
        box.size = vec3(12 * d, 8 * d, 12 * d);
        box.position = vec3(0, 4 * d, 0);
        fill(world, fluid, box, OOZE_FILL_LATTICE);
        step_many(world, 700);
        Census c = take_census(world);
        double angle = cap_angle((double)c.count * d * d * d, c.centre.y);
        printf("  contact angle %g:\n", angles[k]);
        MEASURED("angle of a cap with its centre of mass (deg)", angle, angles[k] - 12,
                 angles[k] + 12);
        ooze_world_destroy(world);
    }
}

/* ---- drawn threads --------------------------------------------------------------------------- */

static double probe_column(OozeWorld *world, const char *name, int column)
{
    OozeProbeId id;
    CHECK_OK(ooze_world_find_probe(world, name, &id, &error));
    return read_probe(world, id, column);
}

/* Columns of the probe `thread`. */
enum { CONNECTED, GAP, LOWER_LENGTH, UPPER_LENGTH, RADIUS, RADIUS_HEIGHT, RADIUS_MIDDLE };

/* A thread of Newtonian fluid that is longer than wide, between a plate at rest and one that is
   drawn up: Trouton's viscosity 3 eta, inertia and weight. */
enum { SLICES = 30 };

typedef struct Slender {
    double height[SLICES + 1], velocity[SLICES + 1]; /* m, m/s: of the ends of the slices */
    double volume;                                   /* m3, of a slice */
} Slender;

static Slender slender_begin(double radius, double length)
{
    Slender s = {.volume = OOZE_PI * radius * radius * length / SLICES};
    for (int k = 0; k <= SLICES; k++) {
        s.height[k] = length * k / SLICES;
    }
    return s;
}

static void slender_draw(Slender *s, double speed, double seconds, double gravity)
{
    enum { PARTS = 2500 };
    const double dt = seconds / PARTS, mass = mukai_density * s->volume;
    s->velocity[SLICES] = speed;
    for (int part = 0; part < PARTS; part++) {
        double below = 0;
        for (int k = 0; k < SLICES; k++) {
            double length = s->height[k + 1] - s->height[k];
            double tension = 3 * mukai_viscosity * s->volume / (length * length) *
                             (s->velocity[k + 1] - s->velocity[k]);
            s->velocity[k] += k > 0 ? dt * ((tension - below) / mass - gravity) : 0;
            below = tension;
        }
        for (int k = 0; k <= SLICES; k++) {
            s->height[k] += dt * s->velocity[k];
        }
    }
}

static double slender_radius(const Slender *s)
{
    double longest = 0;
    for (int k = 0; k < SLICES; k++) {
        longest = fmax(longest, s->height[k + 1] - s->height[k]);
    }
    return sqrt(s->volume / (OOZE_PI * longest));
}

/* Mean number density over that at rest in the middle third of the gap, within half the radius. */
static double middle_density(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *density = ooze_frame_field(frame, "density");
    double gap = probe_column(world, "thread", GAP), sum = 0, count = 0;
    double radius = 0.5 * probe_column(world, "thread", RADIUS_MIDDLE);
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        OozeVec3 at = read_vector(x, i);
        if (fabs(at.y - 0.5 * gap) < gap / 6 && hypot(at.x, at.z) < radius) {
            sum += ooze_field_value(density, i, 0);
            count++;
        }
    }
    assert_true(count > 0);
    return sum / count;
}

typedef struct Drawn {
    double stretch;     /* of the gap, at the end */
    double connected;   /* 1: from plate to plate */
    double dispersed;   /* share of particles outside the largest piece */
    double least, most; /* thinnest radius over that of the slender thread, of all readings */
    double density;     /* in the middle, when the thread is twice as long as at the start */
} Drawn;

/* Draws simulation `number` to `stretch` times its length, or until it breaks. */
static Drawn draw(int number, double stretch)
{
    char name[32];
    snprintf(name, sizeof name, "sim%d_small", number);
    OozeWorld *world = begin_scene("mukai2018", name, NULL, 0);
    const double gravity = 1, interval = 0.025; /* of the scenes; s */
    double length = probe_column(world, "thread", GAP), gap = length;
    Slender theory = slender_begin(probe_column(world, "thread", RADIUS), length);
    Drawn drawn = {.stretch = 1, .connected = 1, .least = INFINITY};
    while (drawn.stretch < stretch && drawn.connected > 0) {
        advance(world, interval);
        double before = gap;
        gap = probe_column(world, "thread", GAP);
        slender_draw(&theory, (gap - before) / interval, interval, gravity);
        drawn.connected = probe_column(world, "thread", CONNECTED);
        if (drawn.connected > 0) {
            double radius = probe_column(world, "thread", RADIUS) / slender_radius(&theory);
            drawn.least = fmin(drawn.least, radius);
            drawn.most = fmax(drawn.most, radius);
            drawn.density = drawn.stretch < 2 ? middle_density(world) : drawn.density;
        }
        drawn.stretch = gap / length;
    }
    drawn.dispersed = 1 - probe_column(world, "components", 1);
    printf("  simulation %d: drawn to %.2f, connected %g, dispersed %.4f; thinnest radius %.3f to "
           "%.3f of the slender thread's; density in the middle %.3f\n",
           number, drawn.stretch, drawn.connected, drawn.dispersed, drawn.least, drawn.most,
           drawn.density);
    ooze_world_destroy(world);
    return drawn;
}

/* Simulations 1 and 2 are drawn to three times their length, 3 and 4 until they break. Without
   OOZE_FULL 2 and 3 alone, to twice their length. Under gravity a viscous thread drains, so that
   it is no cylinder: its thinnest radius is that of a slender thread. */
static void cauchy_T10_stretch(void **state)
{
    (void)state;
    Drawn third = draw(3, 2);
    MEASURED("simulation 3: connected at twice its length", third.connected, 0, 0);
    Drawn second = draw(2, full_sweep() ? 3 : 2);
    MEASURED("simulation 2: connected", second.connected, 1, 1);
    MEASURED("simulation 2: dispersed", second.dispersed, 0, 0.02);
    MEASURED("simulation 2: least of the thinnest radii over theory", second.least, 0.75, 1.25);
    MEASURED("simulation 2: largest of them", second.most, 0.75, 1.25);
    MEASURED("simulation 2: number density in the middle over that at rest", second.density, 0.8,
             1.2); /* T11 */
    if (full_sweep()) {
        Drawn first = draw(1, 3), fourth = draw(4, 3);
        MEASURED("simulation 1: connected", first.connected, 1, 1);
        MEASURED("simulation 1: dispersed", first.dispersed, second.dispersed, 0.02);
        MEASURED("simulation 4: dispersed", fourth.dispersed, 0.1, 1);
    }
}

/* ---- snap ------------------------------------------------------------------------------------ */

typedef struct Snap {
    double stretch;   /* m: elastic part of the lengths of both halves when the thread is cut */
    double recovered; /* m: way of both free ends to the plates within three relaxation times */
} Snap;

/* Elastic part of the length between the plates. Conformations c along and across the thread are
   free of stress once it has shrunk by (c_across / c_along)^(1/3). */
static double elastic_length(OozeWorld *world, double length)
{
    enum { SLABS = 8 };
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *strain = ooze_frame_field(frame, "strain");
    double sum[SLABS] = {0}, count[SLABS] = {0}, elastic = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        int k = (int)fmin(SLABS - 1, fmax(0, SLABS * ooze_field_value(x, i, 1) / length));
        sum[k] += 2.0 / 3 *
                  (ooze_field_value(strain, i, 1) -
                   0.5 * (ooze_field_value(strain, i, 0) + ooze_field_value(strain, i, 2)));
        count[k]++;
    }
    for (int k = 0; k < SLABS; k++) {
        elastic += length / SLABS * (1 - exp(-sum[k] / fmax(1, count[k])));
    }
    return elastic;
}

static void add_end(OozeWorld *world, const char *name, double height, OozeMotionDef motion)
{
    const double d = mukai_spacing;
    OozeSolidDef plate = ooze_solid_def_default();
    plate.name = name;
    plate.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    plate.shape.size = vec3(12 * d, 3 * d, 12 * d);
    plate.shape.position = vec3(0, height, 0);
    plate.friction = INFINITY;
    plate.motion = motion;
    CHECK_OK(ooze_world_add_solid(world, &plate, NULL, &error));
}

/* A cylinder of 10 spacings that an upper plate draws out for 0.15 s. Then a sink of two spacings
   cuts it in the middle. */
static OozeWorld *snap_world(OozeStressModel model, double dt, double relaxation)
{
    const double d = mukai_spacing, length = 10 * d, stop = 0.15, speed = 0.1;
    OozeWorld *world = cauchy_world((Setup){.spacing = d, .time_step = dt});
    OozeMaterialId fluid =
        add_liquid(world, (Fluid){.model = model,
                                  .density = mukai_density,
                                  .viscosity = mukai_viscosity,
                                  .relaxation = model == OOZE_STRESS_MAXWELL ? relaxation : 0});
    OozeMotionDef motion = ooze_solid_def_default().motion;
    add_end(world, "lower", -1.5 * d, motion);
    motion.velocity = vec3(0, speed, 0);
    motion.ramp_time = 0.01;
    motion.stop = stop;
    add_end(world, "upper", length + 1.5 * d, motion);
    OozeShapeDef cylinder = ooze_shape_def_default(OOZE_SHAPE_CYLINDER);
    cylinder.radius = 5 * d;
    cylinder.height = length;
    cylinder.position = vec3(0, 0.5 * length, 0);
    fill(world, fluid, cylinder, OOZE_FILL_JITTERED);
    OozeSinkDef cut = ooze_sink_def_default();
    cut.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    cut.shape.size = vec3(20 * d, 2 * d, 20 * d);
    cut.shape.position = vec3(0, 0.5 * (length + speed * stop), 0);
    cut.start = stop;
    cut.stop = stop + 2 * dt;
    CHECK_OK(ooze_world_add_sink(world, &cut, &error));
    OozeProbeDef probe = ooze_probe_def_default();
    probe.name = "thread";
    probe.kind = OOZE_PROBE_THREAD;
    probe.lower = "lower";
    probe.upper = "upper";
    CHECK_OK(ooze_world_add_probe(world, &probe, NULL, &error));
    return world;
}

static double free_lengths(OozeWorld *world)
{
    assert_true(probe_column(world, "thread", CONNECTED) == 0);
    return probe_column(world, "thread", LOWER_LENGTH) +
           probe_column(world, "thread", UPPER_LENGTH);
}

static Snap snap(OozeStressModel model)
{
    const double relaxation = 0.08, dt = 5e-4, wait = 3 * relaxation;
    OozeWorld *world = snap_world(model, dt, relaxation);
    advance(world, 0.15);
    double gap = probe_column(world, "thread", GAP);
    Snap s = {.stretch = elastic_length(world, gap)};
    step_many(world, 3);
    double before = free_lengths(world);
    for (int k = 0; k < 8; k++) {
        advance(world, wait / 8);
        s.recovered = fmax(s.recovered, before - free_lengths(world));
    }
    printf("  drawn to %.4f m, %.4f m of it elastic; halves of %.4f m, recovered %.4f m\n", gap,
           s.stretch, before, s.recovered);
    ooze_world_destroy(world);
    return s;
}

static void cauchy_T12_snap(void **state)
{
    (void)state;
    Snap elastic = snap(OOZE_STRESS_MAXWELL), viscous = snap(OOZE_STRESS_VISCOUS);
    /* an end that loses no energy swings to twice the stretch */
    MEASURED("Maxwell: recovered over the elastic stretch", elastic.recovered / elastic.stretch,
             0.5, 2);
    MEASURED("viscous: recovered over the elastic stretch of the Maxwell thread",
             viscous.recovered / elastic.stretch, 0, 0.1);
}

/* ---- thinning by surface tension ------------------------------------------------------------- */

typedef struct Line {
    int count;
    double t, y, tt, ty, yy; /* sums */
} Line;

static void add_point(Line *l, double t, double y)
{
    *l = (Line){l->count + 1, l->t + t, l->y + y, l->tt + t * t, l->ty + t * y, l->yy + y * y};
}

/* Slope of the least-squares line; `straight` becomes its coefficient of determination. */
static double slope_of(const Line *l, double *straight)
{
    double tt = l->tt - l->t * l->t / l->count, ty = l->ty - l->t * l->y / l->count;
    *straight = ty * ty / (tt * (l->yy - l->y * l->y / l->count));
    return ty / tt;
}

typedef struct Thinning {
    double speed, straight;    /* m/s: of the least radius, and R^2 of a line through it */
    double rate, log_straight; /* 1/s: of its logarithm, and R^2 of a line through that */
    double strain; /* conformation at the neck over that of Maxwell's model drawn as the neck is */
} Thinning;

/* Mean conformation along the thread, within a spacing of its thinnest place. */
static double neck_conformation(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    const OozeFieldView *strain = ooze_frame_field(frame, "strain");
    double height = probe_column(world, "thread", RADIUS_HEIGHT), sum = 0;
    int count = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        if (fabs(ooze_field_value(x, i, 1) - height) < frame->spacing) {
            sum += exp(2 * ooze_field_value(strain, i, 1));
            count++;
        }
    }
    return sum / count;
}

/* Observes the least radius from 0.65 of that at the start until the thread is four spacings
   thick. */
static Thinning thin(const char *scene, double relaxation, const char *const *overrides, int count)
{
    OozeWorld *world = begin_scene("mukai2018", scene, overrides, count);
    double d = ooze_world_frame(world)->spacing, begin = probe_column(world, "thread", RADIUS);
    double radius = begin, model = 1, last = 0;
    Thinning t = {0};
    Line line = {0}, logarithm = {0};
    for (int k = 0; k < 400 && radius > 2 * d; k++) {
        step_many(world, 5);
        double now = ooze_world_frame(world)->time, before = radius;
        radius = probe_column(world, "thread", RADIUS);
        model = 1 + (model * pow(before / radius, 4) - 1) * exp((last - now) / relaxation);
        last = now;
        if (radius < 0.65 * begin && radius > 2 * d) {
            add_point(&line, now, radius);
            add_point(&logarithm, now, log(radius));
            t.strain = neck_conformation(world) / model;
        }
    }
    t.speed = slope_of(&line, &t.straight);
    t.rate = slope_of(&logarithm, &t.log_straight);
    printf("  from %.4f m: %.5f m/s, R^2 %.4f; %.3f 1/s, R^2 of the logarithm %.4f\n", 0.65 * begin,
           t.speed, t.straight, t.rate, t.log_straight);
    ooze_world_destroy(world);
    return t;
}

/* Newtonian threads thin at the speed 0.0709 sigma/eta (Papageorgiou 1995). Maxwell threads thin
   exponentially, at the rate 1/(3 tau) once they are much thinner than the fluid that feeds them
   (Entov and Hinch 1997). These are not thin enough for that: as long as the force along the thread
   is constant, the rate is 1/(2 tau). */
static void cauchy_T28_thinning(void **state)
{
    (void)state;
    Thinning maxwell = thin("thinning_small", 0.3, NULL, 0);
    MEASURED("Maxwell: R^2 of the line through the logarithm", maxwell.log_straight, 0.99, 1);
    KNOWN_GAP("rate times -3 tau", -3 * 0.3 * maxwell.rate, 0.8, 1.2, 2.19);
    /* the thread necks at another place on another processor, and a GPU: 0.85, 0.73 and 0.77 */
    KNOWN_GAP("stretch at the neck over that of the model", maxwell.strain, 0.8, 1.2, 0.73);
    const char *newtonian[] = {"materials.fluid.stress_model=viscous",
                               "materials.fluid.viscosity=8"};
    Thinning newton = thin("thinning_small", 0.3, newtonian, 2);
    MEASURED("Newtonian: speed over -0.0709 sigma/eta", -newton.speed / (0.0709 * 2 / 8), 0.8, 1.3);
    MEASURED("R^2 of the line through the radius", newton.straight, 0.98, 1);
    MEASURED("R^2 above that of the logarithm", newton.straight - newton.log_straight, 0, 1);
}

ACCEPTANCE_MAIN(cmocka_unit_test(cauchy_T04_tension), cmocka_unit_test(cauchy_T05_wetting),
                cmocka_unit_test(cauchy_T27_swing), cmocka_unit_test(cauchy_T10_stretch),
                cmocka_unit_test(cauchy_T12_snap), cmocka_unit_test(cauchy_T28_thinning))
