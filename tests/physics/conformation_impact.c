/* Acceptance tests of impacts in long steps: particles cross eight spacings in a step, and bodies
   land on floors and on each other without bursting (impact_passes). */
#include "physics/fixtures.h"
#include "physics/kernels.h"

enum { PASSES = 3, WIDTH = 12 };
static const double SPACING = 0.02, SPEED = 7, TRAVEL = 8; /* m, m/s, spacings a step */

/* Clay that stops flowing within the time of a test. */
static OozeWorld *make_impact_world(int threads)
{
    OozeWorld *world = make_world((Setup){.spacing = SPACING,
                                          .time_step = TRAVEL * SPACING / SPEED,
                                          .gravity = down(),
                                          .threads = threads});
    set_param(world, "velocity_iterations", 200);
    set_param(world, "velocity_preconditioner", 2); /* multigrid */
    set_param(world, "impact_passes", PASSES);
    add_floor(world, 0.6);
    return world;
}

static OozeVec3 moving(OozeVec3 x, uint64_t particle, const void *user)
{
    (void)x;
    (void)particle;
    return *(const OozeVec3 *)user;
}

static void add_block(OozeWorld *world, OozeMaterialId clay, int layers, OozeVec3 corner,
                      OozeVec3 velocity)
{
    add_lattice(world, (Lattice){.material = clay,
                                 .n = {WIDTH, layers, WIDTH},
                                 .spacing = SPACING,
                                 .corner = corner,
                                 .velocity = moving,
                                 .user = &velocity});
}

/* ---- density --------------------------------------------------------------------------------- */

typedef struct Crowding {
    double worst; /* density above rest */
    double share; /* of the particles that are more than 2% above rest */
} Crowding;

/* Sums over all pairs; images below the floor stand for it where `mirrored`. */
static Crowding measure_crowding(OozeWorld *world, bool mirrored)
{
    const OozeFieldView *x = ooze_frame_field(ooze_world_frame(world), "position");
    uint64_t n = ooze_world_frame(world)->particle_count, crowded = 0;
    const float support = (float)(2.2 * SPACING);
    OozeVec3 *at = calloc(n, sizeof *at);
    assert_non_null(at);
    double rest = 0.0, worst = 0.0;
    for (int k = 0; k < 343; k++) {
        OozeVec3 node = vec3(k % 7 - 3, k / 7 % 7 - 3, k / 49 - 3);
        rest += (double)ooze_cubic_value((float)(SPACING * vec3_length(node)), support);
    }
    for (uint64_t i = 0; i < n; i++) {
        at[i] = read_vector(x, i);
    }
    for (uint64_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (uint64_t j = 0; j < n; j++) {
            OozeVec3 d = vec3_sub(at[i], at[j]);
            double across = d.x * d.x + d.z * d.z, image = at[i].y + at[j].y;
            sum += (double)ooze_cubic_value((float)sqrt(across + d.y * d.y), support);
            if (mirrored) {
                sum += (double)ooze_cubic_value((float)sqrt(across + image * image), support);
            }
        }
        worst = fmax(worst, sum / rest - 1.0);
        crowded += sum / rest > 1.02;
    }
    free(at);
    return (Crowding){worst, (double)crowded / (double)n};
}

/* What a run shows: largest over its steps. */
typedef struct Impact {
    Crowding crowding;
    double fastest; /* after the first contact */
} Impact;

static Impact watch(OozeWorld *world, int steps, int watched, bool mirrored)
{
    Impact most = {{0, 0}, 0};
    for (int k = 0; k < steps; k++) {
        step_world(world);
        if (k < watched) {
            Crowding now = measure_crowding(world, mirrored);
            most.crowding.worst = fmax(most.crowding.worst, now.worst);
            most.crowding.share = fmax(most.crowding.share, now.share);
        }
        most.fastest = fmax(most.fastest, take_census(world).fastest);
    }
    return most;
}

static void check_impact(Impact impact)
{
    MEASURED("fastest particle over the speed of the impact", impact.fastest / SPEED, 0, 1);
    MEASURED("worst density above rest", impact.crowding.worst, 0, 0.1);
    MEASURED("share of particles 2% above rest", impact.crowding.share, 0, 0.001);
}

/* ---- T70: a floor ---------------------------------------------------------------------------- */

/* A block that reaches the floor in the middle of a step. */
static OozeWorld *make_landing(int threads)
{
    OozeWorld *world = make_impact_world(threads);
    OozeMaterialId clay = add_matter(world, maxwell_matter(1e5, 0.03));
    add_block(world, clay, 18, vec3(0, 3.26 * SPACING, 0), vec3(0, -SPEED, 0));
    return world;
}

/* 99th percentile of the heights. */
static double height_of(OozeWorld *world)
{
    OozeProbeDef def = ooze_probe_def_default();
    OozeProbeId id = {0};
    def.kind = OOZE_PROBE_HEIGHT;
    def.name = "height";
    def.percentile = 99;
    CHECK_OK(ooze_world_add_probe(world, &def, &id, &error));
    return read_probe(world, id, 0);
}

/* With contacts of the beginning of the step alone, four layers would be pressed flat onto the
   floor. */
static void conformation_T70_landing(void **state)
{
    (void)state;
    OozeWorld *world = make_landing(2);
    check_impact(watch(world, 31, 6, true));
    /* of a run with steps of a sixteenth and without impact_passes, at the same time */
    MEASURED("height at rest over that of short steps", height_of(world) / 0.2794, 0.9, 1.1);
    MEASURED("fastest particle at rest, m/s", take_census(world).fastest, 0, 0.1);
    ooze_world_destroy(world);
}

/* ---- T71, T72: two bodies -------------------------------------------------------------------- */

/* Before the step of the collision no particle is a neighbour of one of the other body. Nothing but
   gravity acts on the two together: the centre of mass falls, and its motion is as before. */
static void conformation_T71_collision(void **state)
{
    (void)state;
    OozeWorld *world = make_impact_world(2);
    OozeMaterialId clay = add_matter(world, maxwell_matter(1e5, 0.03));
    const double gap = 3 * SPACING;
    add_block(world, clay, WIDTH, vec3(-WIDTH * SPACING - gap, 50, 0), vec3(0.5 * SPEED, 0, 0));
    add_block(world, clay, WIDTH, vec3(gap, 50, 0.3 * WIDTH * SPACING), vec3(-0.5 * SPEED, 0, 0));
    Census before = take_census(world);
    Impact impact = watch(world, 3, 3, false);
    Census after = take_census(world);
    check_impact(impact);
    double share = (after.momentum.x - before.momentum.x) / before.speed_sum;
    MEASURED("change of momentum across over sum |m v|", fabs(share), 0, 1e-6);
    /* together they are two blocks wide; interpenetrated they would be less */
    MEASURED("width after the collision over two blocks",
             (after.high.x - after.low.x + SPACING) / (2 * WIDTH * SPACING), 0.8, 1.1);
    ooze_world_destroy(world);
}

/* A body falls on one that lies on the floor. */
static void conformation_T72_heap(void **state)
{
    (void)state;
    OozeWorld *world = make_impact_world(2);
    OozeMaterialId clay = add_matter(world, maxwell_matter(1e5, 0.03));
    add_block(world, clay, WIDTH, vec3(0, 0, 0), vec3(0, 0, 0));
    add_block(world, clay, WIDTH, vec3(0.2 * WIDTH * SPACING, (WIDTH + 3.3) * SPACING, 0),
              vec3(0, -SPEED, 0));
    check_impact(watch(world, 6, 6, true));
    MEASURED("height over two blocks", height_of(world) / (2 * WIDTH * SPACING), 0.6, 1.0);
    ooze_world_destroy(world);
}

/* ---- T73: bits ------------------------------------------------------------------------------- */

static void run_steps(OozeWorld *world, int steps)
{
    for (int k = 0; k < steps; k++) {
        step_world(world);
    }
}

/* The same bits for any number of threads; and where nothing crosses half a spacing in a step, the
   same as without impact_passes. */
static void conformation_T73_bits(void **state)
{
    (void)state;
    OozeWorld *one = make_landing(1), *two = make_landing(2);
    run_steps(one, 3);
    run_steps(two, 3);
    assert_true(ooze_frame_hash(ooze_world_frame(one)) == ooze_frame_hash(ooze_world_frame(two)));
    ooze_world_destroy(one);
    ooze_world_destroy(two);
    OozeWorld *slow[2];
    for (int k = 0; k < 2; k++) {
        slow[k] = make_world(
            (Setup){.spacing = SPACING, .time_step = SPACING / SPEED, .gravity = down()});
        set_param(slow[k], "impact_passes", k == 0 ? 0 : PASSES);
        add_floor(slow[k], 0.6);
        OozeMaterialId clay = add_matter(slow[k], maxwell_matter(1e5, 0.03));
        add_block(slow[k], clay, 6, vec3(0, 0.1 * SPACING, 0), vec3(0, -0.1 * SPEED, 0));
        run_steps(slow[k], 4);
    }
    const OozeFieldView *x = ooze_frame_field(ooze_world_frame(slow[0]), "position");
    const OozeFieldView *y = ooze_frame_field(ooze_world_frame(slow[1]), "position");
    for (uint64_t i = 0; i < ooze_world_frame(slow[0])->particle_count; i++) {
        for (int c = 0; c < 3; c++) {
            assert_true(ooze_field_value(x, i, c) == ooze_field_value(y, i, c));
        }
    }
    ooze_world_destroy(slow[0]);
    ooze_world_destroy(slow[1]);
}

ACCEPTANCE_MAIN(cmocka_unit_test(conformation_T70_landing),
                cmocka_unit_test(conformation_T71_collision),
                cmocka_unit_test(conformation_T72_heap), cmocka_unit_test(conformation_T73_bits))
