/* Acceptance tests of materials of the conformation method beyond viscosity and elasticity:
   thinning, yield stress, surface tension, and numbers that change while they flow. */
#include "check.h"

#include "base/vec3.h"
#include "ooze/ooze.h"
#include "physics/surface_stress.h"

#define PI 3.14159265358979323846
static const double density = 1000;

/* ---- worlds ---------------------------------------------------------------------------------- */

typedef struct Number {
    const char *key;
    double value;
} Number;

static OozeWorld *make(double spacing, double time_step, OozeVec3 gravity, OozeVec3 box)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = "conformation";
    def.spacing = spacing;
    def.time_step = time_step;
    def.gravity = gravity;
    def.threads = 1;
    def.periodic_max = box;
    def.periodic[0] = def.periodic[1] = def.periodic[2] = box.x > 0;
    OozeWorld *world = NULL;
    CHECK_OK(ooze_world_create(&def, &world, &error));
    return world;
}

/* Numbers end with a key that is NULL. */
static void add_material(OozeWorld *world, const Number *numbers)
{
    OozeMaterialDef material = ooze_material_def_default();
    CHECK_OK(ooze_material_def_set(&material, "density", density, &error));
    for (; numbers->key; numbers++) {
        CHECK_OK(ooze_material_def_set(&material, numbers->key, numbers->value, &error));
    }
    CHECK_OK(ooze_world_add_material(world, &material, NULL, &error));
}

static double value_of(OozeWorld *world, const char *field, uint64_t i, int component)
{
    return ooze_field_value(ooze_frame_field(ooze_world_frame(world), field), i, component);
}

static uint64_t count_of(OozeWorld *world)
{
    return ooze_world_frame(world)->particle_count;
}

static void step(OozeWorld *world)
{
    CHECK_OK(ooze_world_step(world, &error));
}

/* ---- a shear mode, against one dimension ----------------------------------------------------- */

/* Stress and strain of the flow u_y(x) from the laws alone: rho u' = d/dx stress, on a fine
   grid. */
typedef struct Law {
    double viscosity, modulus, yield; /* yield 0: none */
    double rate, exponent;            /* of thinning; rate 0: none */
    bool power_law;
    bool first_order; /* in time; by default that of the material */
} Law;

enum { CELLS = 200 };
typedef struct Line {
    double u[CELLS], strain[CELLS];
} Line;

static double factor_of(const Law *law, double rate)
{
    double x = law->rate > 0 ? fabs(rate) / law->rate : 0;
    if (law->rate == 0) {
        return 1;
    }
    return law->power_law ? fmin(100, pow(x + 1e-12, law->exponent - 1))
                          : pow(1 + x * x, 0.5 * (law->exponent - 1));
}

static void advance_line(Line *line, const Law *law, double length, double time)
{
    double h = length / CELLS, stress[CELLS];
    double most = law->viscosity * (law->power_law ? 100 : 1) / density;
    double dt = fmin(0.2 * h / sqrt(law->modulus / density + 1e-12), 0.2 * h * h / (most + 1e-12));
    int steps = (int)ceil(time / dt);
    dt = time / steps;
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < CELLS; i++) {
            double rate = (line->u[(i + 1) % CELLS] - line->u[i]) / h;
            line->strain[i] += dt * rate;
            if (law->yield > 0 && fabs(line->strain[i]) > law->yield) {
                line->strain[i] = copysign(law->yield, line->strain[i]);
            }
            stress[i] = factor_of(law, rate) * law->viscosity * rate +
                        law->modulus * (law->modulus > 0 ? line->strain[i] : 0);
        }
        for (int i = 0; i < CELLS; i++) {
            line->u[i] += dt / density * (stress[i] - stress[(i + CELLS - 1) % CELLS]) / h;
        }
    }
}

/* Amplitude of the mode after `time`, particles over the line. */
static double compare_mode(const Number *numbers, const Law *law, int across, double time_step,
                           double speed, double time)
{
    const double d = 0.01, length = across * d, k = 2 * PI / length;
    OozeWorld *world = make(d, time_step, vec3(0, 0, 0), vec3(length, 7 * d, 7 * d));
    add_material(world, numbers);
    if (law->first_order) {
        CHECK_OK(ooze_world_set_param(world, "time_integration", 0, &error));
    }
    for (int i = 0; i < across * 49; i++) {
        OozeVec3 x = vec3((i / 49 + 0.5) * d, (i / 7 % 7 + 0.5) * d, (i % 7 + 0.5) * d);
        OozeVec3 u = vec3(0, speed * sin(k * x.x), 0);
        CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 1, &x, &u, &error));
    }
    static Line line;
    memset(&line, 0, sizeof line);
    for (int i = 0; i < CELLS; i++) {
        line.u[i] = speed * sin(k * (i + 0.5) * length / CELLS);
    }
    CHECK_OK(ooze_world_advance(world, time, NULL, NULL, &error));
    advance_line(&line, law, length, time);
    double particles = 0, exact = 0;
    uint64_t n = count_of(world);
    for (uint64_t i = 0; i < n; i++) {
        particles += 2 * value_of(world, "velocity", i, 1) *
                     sin(k * value_of(world, "position", i, 0)) / (double)n;
    }
    for (int i = 0; i < CELLS; i++) {
        exact += 2 * line.u[i] * sin(k * (i + 0.5) * length / CELLS) / CELLS;
    }
    printf("  amplitude %.4f m/s, %.4f on the line, %.4f at first\n", particles, exact, speed);
    ooze_world_destroy(world);
    return particles / exact;
}

/* The wave has fallen by half; without thinning it would have fallen to a tenth. The bound leaves
   room for what 20 particles a wave and the damping of grid noise cost. */
static void conformation_T40_thinning(void **state)
{
    (void)state;
    const Number carreau[] = {
        {"viscosity", 5}, {"thinning_rate", 3}, {"thinning_exponent", 0.3}, {NULL, 0}};
    const Law law = {.viscosity = 5, .rate = 3, .exponent = 0.3};
    MEASURED("Carreau, 1/240 s", compare_mode(carreau, &law, 20, 1.0 / 240, 0.5, 0.3), 0.93, 1.07);
    MEASURED("Carreau, 1/60 s", compare_mode(carreau, &law, 20, 1.0 / 60, 0.5, 0.3), 0.93, 1.07);
    const Number power[] = {{"viscosity", 1},
                            {"thinning", 1},
                            {"thinning_rate", 10},
                            {"thinning_exponent", 0.5},
                            {NULL, 0}};
    const Law law2 = {.viscosity = 1, .rate = 10, .exponent = 0.5, .power_law = true};
    MEASURED("power law", compare_mode(power, &law2, 20, 1.0 / 240, 0.5, 0.2), 0.95, 1.05);
    /* with memory: what relaxes in a fifteenth of the time is as good as viscous */
    const Number maxwell[] = {{"viscosity", 5},
                              {"relaxation_time", 0.02},
                              {"thinning_rate", 3},
                              {"thinning_exponent", 0.3},
                              {NULL, 0}};
    MEASURED("Carreau with memory", compare_mode(maxwell, &law, 20, 1.0 / 240, 0.5, 0.3), 0.92,
             1.08);
}

/* An elastic wave that yields: force is limited to the yield stress, so that it loses its speed at
   a constant rate. Within the limit the material is what it would be without. */
static void conformation_T41_yield(void **state)
{
    (void)state;
    const Number yields[] = {{"modulus", 1000}, {"yield_strain", 0.05}, {NULL, 0}};
    const Law law = {.modulus = 1000, .yield = 0.05};
    MEASURED("yielding, 1/960 s", compare_mode(yields, &law, 40, 1.0 / 960, 0.5, 0.15), 0.95, 1.05);
    MEASURED("yielding, 1/240 s", compare_mode(yields, &law, 40, 1.0 / 240, 0.5, 0.15), 0.93, 1.07);
    const Number elastic[] = {{"modulus", 1000}, {NULL, 0}};
    const Law none = {.modulus = 1000, .first_order = true}; /* as materials that yield are */
    double without = compare_mode(elastic, &none, 20, 1.0 / 240, 0.02, 0.1);
    double within = compare_mode(yields, &none, 20, 1.0 / 240, 0.02, 0.1);
    assert_true(within == without); /* strain stays below 0.02: not a bit may differ */
}

/* ---- a block under its weight ---------------------------------------------------------------- */

static double slumped(double yield_strain, double seconds)
{
    const double d = 0.02;
    const int n = 10;
    OozeWorld *world = make(d, 1.0 / 240, vec3(0, -9.81, 0), vec3(0, 0, 0));
    /* modulus such that the block sinks by some 5% under its weight while elastic */
    const Number numbers[] = {
        {"modulus", 10000}, {"solvent_viscosity", 20}, {"yield_strain", yield_strain}, {NULL, 0}};
    add_material(world, numbers);
    OozeSolidDef floor = ooze_solid_def_default();
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    floor.friction = 0.8;
    CHECK_OK(ooze_world_add_solid(world, &floor, NULL, &error));
    for (int i = 0; i < n * n * n; i++) {
        OozeVec3 x = vec3((i % n + 0.5) * d, (i / n % n + 0.5) * d, (i / n / n + 0.5) * d);
        CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 1, &x, NULL, &error));
    }
    CHECK_OK(ooze_world_advance(world, seconds, NULL, NULL, &error));
    double high = 0, strain = 0;
    for (uint64_t i = 0; i < count_of(world); i++) {
        OozeSym3 q;
        float *e[6] = {&q.xx, &q.yy, &q.zz, &q.xy, &q.xz, &q.yz};
        for (int k = 0; k < 6; k++) {
            *e[k] = (float)value_of(world, "conformation", i, k);
        }
        double mean = (double)(q.xx + q.yy + q.zz) / 3;
        double dev2 = pow((double)q.xx - mean, 2) + pow((double)q.yy - mean, 2) +
                      pow((double)q.zz - mean, 2) +
                      2.0 * (double)(q.xy * q.xy + q.xz * q.xz + q.yz * q.yz);
        strain = fmax(strain, sqrt(dev2 / 2));
        high = fmax(high, value_of(world, "position", i, 1));
    }
    if (yield_strain > 0) { /* no particle is beyond the yield surface, but for rounding */
        MEASURED("largest elastic strain over the limit", strain / yield_strain, 0, 1.001);
    }
    ooze_world_destroy(world);
    return high / (n * d);
}

/* The stress below a block of height H is about rho g H/2 of shear on average: 981 Pa here. A
   material whose yield stress is well above stands, one well below flows apart. */
static void conformation_T42_slump(void **state)
{
    (void)state;
    MEASURED("height with a yield stress of 2500 Pa", slumped(0.25, 0.75), 0.85, 1.0);
    MEASURED("height with a yield stress of 100 Pa", slumped(0.01, 0.75), 0, 0.55);
}

/* ---- drops ----------------------------------------------------------------------------------- */

typedef struct Drop {
    double radius;  /* m */
    double stretch; /* of the x axis, volume kept */
    bool cube;      /* instead: a cube of that half width */
    double time_step, viscosity, tension;
} Drop;

static const double drop_spacing = 0.001;

static OozeWorld *make_drop(Drop drop)
{
    const double d = drop_spacing;
    OozeWorld *world = make(d, drop.time_step, vec3(0, 0, 0), vec3(0, 0, 0));
    const Number numbers[] = {
        {"viscosity", drop.viscosity}, {"surface_tension", drop.tension}, {NULL, 0}};
    add_material(world, numbers);
    int reach = (int)(1.5 * drop.radius / d) + 1;
    for (int i = -reach; i <= reach; i++) {
        for (int j = -reach; j <= reach; j++) {
            for (int k = -reach; k <= reach; k++) {
                OozeVec3 x = vec3((i + 0.5) * d, (j + 0.5) * d, (k + 0.5) * d);
                double s = drop.stretch;
                double r = sqrt(x.x * x.x / (s * s) + (x.y * x.y + x.z * x.z) * s);
                double edge = fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z)));
                if ((drop.cube ? edge : r) < drop.radius) {
                    CHECK_OK(
                        ooze_world_add_particles(world, (OozeMaterialId){0}, 1, &x, NULL, &error));
                }
            }
        }
    }
    return world;
}

static double equal_radius(OozeWorld *world)
{
    return cbrt(3 * (double)count_of(world) / (4 * PI)) * drop_spacing;
}

/* Moments of the positions: sqrt of the mean squares along x, y, z. */
static OozeVec3 spread_of(OozeWorld *world)
{
    double s[3] = {0};
    uint64_t n = count_of(world);
    for (uint64_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            s[k] += pow(value_of(world, "position", i, k), 2) / (double)n;
        }
    }
    return vec3(sqrt(s[0]), sqrt(s[1]), sqrt(s[2]));
}

/* Rayleigh 1879: omega^2 = 8 sigma / (rho R^3) for the lowest mode of a drop without viscosity.
   From a stretched drop at rest the first extreme comes after half a period. */
static void conformation_T44_oscillation(void **state)
{
    (void)state;
    for (int radius = 4; radius <= 6; radius += 2) {
        Drop drop = {.radius = radius * drop_spacing,
                     .stretch = 1.2,
                     .time_step = radius == 4 ? 5e-4 : 1e-3,
                     .tension = 0.072};
        OozeWorld *world = make_drop(drop);
        double r = equal_radius(world);
        double period = 2 * PI / sqrt(8 * drop.tension / (density * r * r * r));
        double first = 0, second = 0, least = 0, most = 0;
        int steps = (int)(1.3 * period / drop.time_step);
        for (int i = 1; i <= steps; i++) {
            step(world);
            OozeVec3 s = spread_of(world);
            double stretch = log(s.x / s.y), t = i * drop.time_step;
            if (t < 0.8 * period && stretch < least) {
                least = stretch;
                first = t;
            } else if (t > first + 0.25 * period && first > 0 && stretch > most) {
                most = stretch;
                second = t;
            }
        }
        printf("  radius %.1f spacings: stretch %.3f at %.4f s, %.3f at %.4f s; period %.4f s\n",
               r / drop_spacing, least, first, most, second, period);
        MEASURED("period over Rayleigh's", 2 * (second - first) / period, 0.85, 1.15);
        assert_true(least < -0.1 && most > 0.05); /* it swings through, and back */
        ooze_world_destroy(world);
    }
}

/* A cube becomes a ball: particles stand within the ball's radius, half a spacing (8%) inside, but
   for the few that its restless surface lifts, and none has left it by more than half a spacing;
   no momentum gained. */
static void conformation_T45_cube(void **state)
{
    (void)state;
    Drop drop = {.radius = 5 * drop_spacing,
                 .cube = true,
                 .time_step = 1e-3,
                 .viscosity = 0.1,
                 .tension = 0.072};
    OozeWorld *world = make_drop(drop);
    double r = equal_radius(world), farthest[2], beyond[2];
    for (int late = 0; late < 2; late++) {
        farthest[late] = beyond[late] = 0;
        for (uint64_t i = 0; i < count_of(world); i++) {
            OozeVec3 x = vec3(value_of(world, "position", i, 0), value_of(world, "position", i, 1),
                              value_of(world, "position", i, 2));
            farthest[late] = fmax(farthest[late], vec3_length(x) / r);
            beyond[late] += vec3_length(x) > 1.06 * r ? 1.0 / (double)count_of(world) : 0;
        }
        CHECK_OK(ooze_world_advance(world, late ? 0 : 0.3, NULL, NULL, &error));
    }
    MEASURED("farthest corner of the cube over the ball's radius", farthest[0], 1.2, 1.4);
    MEASURED("share of particles beyond 1.06 radii, cube", beyond[0], 0.05, 1);
    MEASURED("share of particles beyond 1.06 radii, ball", beyond[1], 0, 0.005);
    MEASURED("farthest particle of the ball over its radius", farthest[1], 0.8, 1.08 + 0.08);
    /* particles settle in layers, whose facets come and go: the mean of a while */
    double squares[3] = {0};
    for (int k = 0; k < 20; k++) {
        CHECK_OK(ooze_world_advance(world, 0.01, NULL, NULL, &error));
        OozeVec3 s = spread_of(world);
        squares[0] += s.x * s.x;
        squares[1] += s.y * s.y;
        squares[2] += s.z * s.z;
    }
    MEASURED("spread along x over y", sqrt(squares[0] / squares[1]), 0.97, 1.03);
    MEASURED("spread along z over y", sqrt(squares[2] / squares[1]), 0.97, 1.03);
    double momentum = 0;
    for (uint64_t i = 0; i < count_of(world); i++) {
        momentum += value_of(world, "velocity", i, 1) / (double)count_of(world);
    }
    MEASURED("mean velocity, m/s", fabs(momentum), 0, 1e-6);
    ooze_world_destroy(world);
}

/* ---- changes --------------------------------------------------------------------------------- */

/* A cream that stands, then is made to melt. */
static void conformation_T46_melt(void **state)
{
    (void)state;
    const double d = 0.02;
    const int n = 8;
    OozeWorld *world = make(d, 1.0 / 240, vec3(0, -9.81, 0), vec3(0, 0, 0));
    const Number cream[] = {{"relaxation_time", 0.1}, {"compliance", 0}, {NULL, 0}};
    add_material(world, cream);
    OozeSolidDef floor = ooze_solid_def_default();
    floor.friction = 0.5;
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    CHECK_OK(ooze_world_add_solid(world, &floor, NULL, &error));
    for (int i = 0; i < n * n * n; i++) {
        OozeVec3 x = vec3((i % n + 0.5) * d, (i / n % n + 0.5) * d, (i / n / n + 0.5) * d);
        CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 1, &x, NULL, &error));
    }
    OozeChangeDef change = ooze_change_def_default();
    change.key = "compliance";
    change.value = 1;
    change.time = 0.5;
    change.ramp = 0.1;
    CHECK_OK(ooze_world_add_change(world, &change, &error));
    double height[3] = {n * d, 0, 0};
    for (int part = 1; part < 3; part++) {
        CHECK_OK(ooze_world_advance(world, part == 1 ? 0.5 : 1.0, NULL, NULL, &error));
        for (uint64_t i = 0; i < count_of(world); i++) {
            height[part] = fmax(height[part], value_of(world, "position", i, 1) + 0.5 * d);
        }
    }
    MEASURED("height before, over that at first", height[1] / height[0], 0.95, 1.02);
    MEASURED("height after, over that before", height[2] / height[1], 0, 0.6);
    ooze_world_destroy(world);
}

/* ---- iterations ------------------------------------------------------------------------------ */

typedef struct Column {
    double spread; /* nu dt/d^2 */
    double cap;    /* of the iterations; NAN: not given */
    double tolerance;
    double preconditioner; /* 0: auto, 1: diagonal, 2: multigrid */
} Column;

/* How far the centre of a column of 24 layers, stuck to the floor, has sunk after a tenth of a
   second. */
static double sunk(Column c, double *iterations, uint64_t *unconverged)
{
    const double d = 0.02, dt = 1.0 / 240;
    const int n = 5, layers = 24;
    OozeWorld *world = make(d, dt, vec3(0, -9.81, 0), vec3(0, 0, 0));
    const Number numbers[] = {{"viscosity", c.spread * d * d / dt * density}, {NULL, 0}};
    add_material(world, numbers);
    if (!isnan(c.cap)) {
        CHECK_OK(ooze_world_set_param(world, "velocity_iterations", c.cap, &error));
    }
    CHECK_OK(ooze_world_set_param(world, "tolerance", c.tolerance, &error));
    CHECK_OK(ooze_world_set_param(world, "velocity_preconditioner", c.preconditioner, &error));
    OozeSolidDef floor = ooze_solid_def_default();
    floor.shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    floor.friction = INFINITY;
    CHECK_OK(ooze_world_add_solid(world, &floor, NULL, &error));
    for (int i = 0; i < n * n * layers; i++) {
        OozeVec3 x = vec3((i % n + 0.5) * d, (i / n / n + 0.5) * d, (i / n % n + 0.5) * d);
        CHECK_OK(ooze_world_add_particles(world, (OozeMaterialId){0}, 1, &x, NULL, &error));
    }
    OozeWorldStats stats;
    *iterations = 0;
    for (int step = 0; step < 24; step++) {
        CHECK_OK(ooze_world_step(world, &error));
        ooze_world_stats(world, &stats);
        *iterations = fmax(*iterations, stats.iterations);
    }
    *unconverged = stats.unconverged_steps;
    double height = 0;
    for (uint64_t i = 0; i < count_of(world); i++) {
        height += value_of(world, "position", i, 1) / (double)count_of(world);
    }
    ooze_world_destroy(world);
    return 0.5 * layers * d - height;
}

/* Without a number of iterations, solves end at their tolerance and the column sinks as with the
   exact solution, at any viscosity and with either preconditioner. A number that is far too low
   is reported, and lets the column sink too far. */
static void conformation_T47_iterations(void **state)
{
    (void)state;
    double iterations, default_tolerance;
    uint64_t unconverged;
    OozeWorld *world = make(0.02, 1.0 / 240, vec3(0, 0, 0), vec3(0, 0, 0));
    CHECK_OK(ooze_world_get_param(world, "tolerance", &default_tolerance, &error));
    ooze_world_destroy(world);
    for (double spread = 30; spread < 4e4; spread *= 10) {
        Column c = {spread, 2000, 1e-6, 1};
        double exact = sunk(c, &iterations, &unconverged);
        for (int kind = 0; kind < 3; kind++) {
            c = (Column){spread, NAN, default_tolerance, kind};
            double ratio = sunk(c, &iterations, &unconverged) / exact;
            printf("  nu dt/d^2 = %g, %s: at most %.0f iterations a step\n", spread,
                   kind == 0   ? "auto"
                   : kind == 1 ? "diagonal"
                               : "multigrid",
                   iterations);
            MEASURED("sinking over the exact", ratio, 0.98, 1.02);
            assert_int_equal(unconverged, 0);
        }
        c.cap = 3;
        c.preconditioner = 1;
        MEASURED("with three iterations", sunk(c, &iterations, &unconverged) / exact, 1.5, 1000);
        assert_true(unconverged > 12);
    }
}

ACCEPTANCE_MAIN(cmocka_unit_test(conformation_T40_thinning),
                cmocka_unit_test(conformation_T41_yield), cmocka_unit_test(conformation_T42_slump),

                cmocka_unit_test(conformation_T44_oscillation),
                cmocka_unit_test(conformation_T45_cube), cmocka_unit_test(conformation_T46_melt),
                cmocka_unit_test(conformation_T47_iterations))
