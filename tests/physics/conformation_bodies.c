/* Acceptance tests of the conformation method on bodies of fluid: a falling cube, a spinning block,
   a turning beam, three materials that splash, bounce and stay, a melting cone, a column. */
#include "physics/fixtures.h"

/* ---- T08: the falling cube ------------------------------------------------------------------- */

typedef struct Drop {
    int edge; /* particles */
    double spacing, height, time_step, seconds;
    Matter matter;
    int iterations; /* 0: the default */
    Formulation formulation;
    int position_iterations; /* of the method constraint */
    bool positions_only, jacobi;
} Drop;

static OozeWorld *make_drop(const Drop *d, double friction)
{
    OozeWorld *world = make_world((Setup){.method = method_of(d->formulation),
                                          .spacing = d->spacing,
                                          .time_step = d->time_step,
                                          .gravity = down()});
    add_matter(world, d->matter);
    add_floor(world, friction);
    set_formulation(world, d->formulation);
    if (d->iterations) {
        set_param(world, "velocity_iterations", d->iterations);
    }
    if (d->formulation != LODGE && d->position_iterations) {
        set_param(world, "position_iterations", d->position_iterations);
    }
    if (d->jacobi) {
        set_param(world, "solver", 0);
    }
    if (d->positions_only) {
        set_param(world, "projection", 1);
    }
    double half = 0.5 * d->edge * d->spacing;
    add_lattice(world, (Lattice){.n = {d->edge, d->edge, d->edge},
                                 .spacing = d->spacing,
                                 .corner = vec3(-half, d->height, -half)});
    return world;
}

/* RMS distance from the best rigid fit to the cube that was dropped; nothing may leave it far
   behind. */
static double drift_of_drop(const Drop *d)
{
    OozeWorld *world = make_drop(d, 0.5);
    OozeProbeId drift = add_probe(world, OOZE_PROBE_DRIFT);
    uint64_t count = take_census(world).count;
    advance(world, d->seconds);
    Census c = take_census(world);
    assert_int_equal(c.count, count);
    double far = fmax(vec3_length(c.low), vec3_length(c.high));
    assert_true(far < 5 * d->edge * d->spacing);
    double metres = read_probe(world, drift, 0);
    ooze_world_destroy(world);
    return metres;
}

/* The cube of the paper's drift figure: 10^3 particles 0.1 m apart fall half a metre. The default
   drifts by less than a fifth of what the printed equations do at 30 ms, with as many iterations on
   velocities and five more on positions, by Jacobi sweeps. At 60 ms these burst. */
static void conformation_T08_falling_cube(void **state)
{
    (void)state;
    double printed = 0;
    for (int k = 0; k < 2; k++) {
        Drop drop = {.edge = 10,
                     .spacing = 0.1,
                     .height = 0.5,
                     .time_step = k == 0 ? 0.03 : 0.06,
                     .seconds = 0.84,
                     .matter = paper_matter(0, 0)},
             as_printed = drop;
        as_printed.formulation = PAPER;
        as_printed.jacobi = true;
        as_printed.iterations = 20;
        as_printed.position_iterations = 5;
        if (k == 0) {
            printed = drift_of_drop(&as_printed);
            printf("  step %g s, as printed: %.5f m\n", drop.time_step, printed);
        }
        double metres[3];
        for (int i = 0; i < 3; i++) {
            drop.iterations = (int[]){10, 20, 40}[i];
            metres[i] = drift_of_drop(&drop);
            printf("  step %g s, %d iterations: %.5f m\n", drop.time_step, drop.iterations,
                   metres[i]);
        }
        MEASURED("drift at 20 iterations over the printed", metres[1] / printed, 0, 0.2);
        MEASURED("drift at 20 over that at 10", metres[1] / metres[0], 0, 1);
        MEASURED("drift at 40 over that at 10", metres[2] / metres[0], 0, 1);
        /* with 20 iterations most solves meet their tolerance, which leaves the drift open by some
           percent */
        MEASURED("drift at 40 over that at 20", metres[2] / metres[1], 0, 1.05);
    }
}

/* The same with the method constraint: with a velocity stage there is less drift than without
   at the same number of iterations, though one on velocities costs a sixth of one on positions;
   and the printed equations drift five times as much as the default, at equal iterations on
   velocities. */
static void conformation_T08_formulations(void **state)
{
    (void)state;
    int edge = 12;
    for (int k = 0; k < 2; k++) {
        Drop drop = {.edge = edge,
                     .spacing = 0.1,
                     .height = 0.05 * edge,
                     .time_step = k == 0 ? 0.03 : 0.06,
                     .seconds = 0.84,
                     .matter = paper_matter(0, 0),
                     .iterations = 20,
                     .position_iterations = 20};
        double lodge = drift_of_drop(&drop);
        drop.formulation = PAPER;
        double paper = drift_of_drop(&drop);
        drop.formulation = CONSISTENT;
        double chebyshev = drift_of_drop(&drop);
        drop.jacobi = true;
        double both[2], alone[2];
        for (int i = 0; i < 2; i++) {
            int count = i == 0 ? 10 : 20;
            drop.positions_only = false;
            drop.iterations = drop.position_iterations = count;
            both[i] = drift_of_drop(&drop);
            drop.positions_only = true;
            drop.position_iterations = 2 * count;
            alone[i] = drift_of_drop(&drop);
        }
        printf("  step %g s, drift in m: paper %.4f, consistent %.4f, lodge %.4f; consistent by "
               "Jacobi "
               "%.4f, %.4f; on positions alone %.4f, %.4f\n",
               drop.time_step, paper, chebyshev, lodge, both[0], both[1], alone[0], alone[1]);
        MEASURED("lodge over paper", lodge / paper, 0, 0.2);
        MEASURED("consistent over paper", chebyshev / paper, 0, 0.2);
        MEASURED("10 + 10 iterations over 20 on positions", both[0] / alone[0], 0, 1);
        MEASURED("20 + 20 iterations over 40 on positions", both[1] / alone[1], 0, 1);
        MEASURED("20 + 20 iterations over 10 + 10", both[1] / both[0], 0, 1);
    }
}

/* ---- T09, T10: spin -------------------------------------------------------------------------- */

typedef struct Spin {
    int n[3];
    double spacing, time_step, rate, jitter;
    Matter matter;
    Formulation formulation;
    bool without_corotation; /* only where there is one: in the method constraint */
    double seconds;          /* 0: one */
} Spin;

/* Angular momentum after a second over that of the start; drift comes back too. */
static double spin_kept(const Spin *s, double *drift)
{
    OozeVec3 rate = vec3(0, 0, s->rate);
    double seconds = s->seconds > 0 ? s->seconds : 1.0;
    OozeWorld *world = make_world((Setup){
        .method = method_of(s->formulation), .spacing = s->spacing, .time_step = s->time_step});
    add_matter(world, s->matter);
    set_formulation(world, s->formulation);
    if (s->formulation == PAPER) { /* its velocity stage knows no rotation, and stops any */
        set_param(world, "projection", 1);
    }
    if (s->formulation != LODGE) {
        set_param(world, "corotation", s->without_corotation ? 0 : 1);
    }
    add_lattice(world, (Lattice){.n = {s->n[0], s->n[1], s->n[2]},
                                 .spacing = s->spacing,
                                 .jitter = s->jitter,
                                 .corner = centred(s->n, s->spacing),
                                 .velocity = turning,
                                 .user = &rate});
    OozeProbeId probe = add_probe(world, OOZE_PROBE_DRIFT);
    Census before = take_census(world);
    advance(world, seconds);
    Census after = take_census(world);
    if (s->formulation ==
        PAPER) { /* it does not keep linear momentum where neighbours are missing */
        assert_int_equal(after.count, before.count);
    } else {
        check_kept(before, after, (int)ceil(seconds / s->time_step));
    }
    *drift = read_probe(world, probe, 0);
    ooze_world_destroy(world);
    return after.spin.z / before.spin.z;
}

static void conformation_T09_spinning_block(void **state)
{
    (void)state;
    struct {
        const char *name;
        double time_step, jitter;
        Matter matter;
    } cases[] = {{"stiff", 1.0 / 240, 0, paper_matter(0, 0)},
                 {"stiff", 0.03, 0, paper_matter(0, 0)},
                 {"stiff", 0.06, 0, paper_matter(0, 0)},
                 {"stiff, jittered", 1.0 / 240, 0.3, paper_matter(0, 0)},
                 {"stiff, jittered", 0.06, 0.3, paper_matter(0, 0)},
                 {"elastic", 1.0 / 240, 0, maxwell_matter(16000, INFINITY)},
                 {"elastic", 0.06, 0, maxwell_matter(16000, INFINITY)},
                 {"elastic, jittered", 1.0 / 240, 0.3, maxwell_matter(16000, INFINITY)},
                 {"viscous", 1.0 / 240, 0, newtonian_matter(4000)},
                 {"viscous", 0.03, 0, newtonian_matter(4000)},
                 {"viscous, jittered", 1.0 / 240, 0.3, newtonian_matter(4000)},
                 {"Maxwell", 1.0 / 60, 0, maxwell_matter(16000, 0.1)},
                 {"Maxwell, jittered", 0.03, 0.3, maxwell_matter(16000, 0.1)}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double drift;
        Spin spin = {.n = {8, 8, 8},
                     .spacing = 0.1,
                     .time_step = cases[k].time_step,
                     .rate = 5,
                     .jitter = cases[k].jitter,
                     .matter = cases[k].matter};
        double kept = spin_kept(&spin, &drift);
        printf("  %s, step %g s: drift %.4f m\n", cases[k].name, cases[k].time_step, drift);
        MEASURED("angular momentum kept after 1 s at 5 rad/s", kept, 0.98, 1.02);
    }
}

/* The paper's figure 7: a block of 16 by 8 by 8 at two turns a second keeps its spin. The printed
   position stage does not, with corotation or without; at 5 rad/s, in a block of 8^3, corotation
   keeps most of what is otherwise gone. */
static void conformation_T09_formulations(void **state)
{
    (void)state;
    double drift;
    Spin spin = {.n = {16, 8, 8},
                 .spacing = 0.1,
                 .time_step = 1.0 / 240,
                 .rate = 4 * M_PI,
                 .matter = paper_matter(0, 0)};
    MEASURED("lodge: angular momentum kept", spin_kept(&spin, &drift), 0.98, 1.02);
    spin.formulation = CONSISTENT;
    MEASURED("consistent: angular momentum kept", spin_kept(&spin, &drift), 0.98, 1.02);
    spin.formulation = PAPER;
    /* The block comes apart, and rounding decides what it keeps: 0.42 on one processor, 0.75 on
       another, 0.94 with a jitter of 1e-6. */
    KNOWN_GAP("paper: angular momentum kept", spin_kept(&spin, &drift), 0.85, 1.02, 0.42);
    spin.n[0] = 8;
    spin.rate = 5;
    double with = spin_kept(&spin, &drift);
    spin.without_corotation = true;
    double without = spin_kept(&spin, &drift);
    MEASURED("paper at 5 rad/s: angular momentum kept", with, 0.85, 1.02);
    MEASURED("paper at 5 rad/s: loss over that without corotation", (1 - with) / (1 - without), 0,
             0.3);
}

/* A free beam of 24 by 4 by 4 at 1 rad/s: the paper's figure 3. */
static void conformation_T10_beam(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        double drift, d = 0.1;
        Spin spin = {.n = {24, 4, 4},
                     .spacing = d,
                     .time_step = k == 0 ? 1.0 / 240 : 0.03,
                     .rate = 1,
                     .matter = paper_matter(0, 0)};
        double kept = spin_kept(&spin, &drift);
        MEASURED("drift over the beam's length", drift / (24 * d), 0, 0.02);
        MEASURED("angular momentum kept", kept, 0.98, 1.02);
    }
}

/* ---- T11: the palette ------------------------------------------------------------------------ */

enum { CUBES = 3 };

typedef struct CubeWatch {
    OozeProbeId centre, height;
    double lowest, rebound; /* of the centroid, m */
} CubeWatch;

static void watch(OozeWorld *world, CubeWatch *cubes)
{
    CHECK_OK(ooze_world_measure(world, false, &error));
    for (int k = 0; k < CUBES; k++) {
        OozeProbeReading reading;
        CHECK_OK(ooze_world_probe(world, cubes[k].centre, &reading, &error));
        double y = reading.values[1];
        if (y < cubes[k].lowest) {
            cubes[k].lowest = y;
            cubes[k].rebound = 0.0;
        }
        cubes[k].rebound = fmax(cubes[k].rebound, y - cubes[k].lowest);
    }
}

static OozeProbeId probe_material(OozeWorld *world, OozeProbeKind kind, OozeMaterialId material)
{
    OozeProbeDef def = ooze_probe_def_default();
    OozeProbeId id = {0};
    def.kind = kind;
    def.material = material;
    def.name = "cube";
    CHECK_OK(ooze_world_add_probe(world, &def, &id, &error));
    return id;
}

/* Three cubes dropped side by side from one edge, with the default settings: the elastic one
   bounces and keeps its shape, the viscous one stays where it falls, the inviscid one runs out. A
   bounce takes some ten steps, and first order in time loses energy in proportion to the step. */
static void conformation_T11_palette(void **state)
{
    (void)state;
    int n = full_sweep() ? 15 : 10;
    double d = 0.1, edge = n * d, seconds = 1.2;
    Matter matters[CUBES] = {paper_matter(1, 1e-3), paper_matter(0, 0), paper_matter(0.1, 1000)};
    OozeWorld *world = make_world((Setup){.spacing = d, .time_step = 1.0 / 240, .gravity = down()});
    add_floor(world, 0.5);
    CubeWatch cubes[CUBES];
    for (int k = 0; k < CUBES; k++) {
        OozeMaterialId material = add_matter(world, matters[k]);
        add_lattice(world, (Lattice){.material = material,
                                     .n = {n, n, n},
                                     .spacing = d,
                                     .corner = vec3((8.0 * k - 8.5) * edge, edge, -0.5 * edge)});
        cubes[k] = (CubeWatch){probe_material(world, OOZE_PROBE_CENTRE, material),
                               probe_material(world, OOZE_PROBE_HEIGHT, material), INFINITY, 0};
    }
    uint64_t count = take_census(world).count;
    double viscous_early = 0.0;
    for (int i = 0; i < (int)round(seconds * 60); i++) {
        advance(world, 1.0 / 60);
        watch(world, cubes);
        if (i == 30 + (int)(60 * sqrt(2 * edge / 9.81))) {
            viscous_early = read_probe(world, cubes[1].height, 0) / edge;
        }
    }
    assert_int_equal(take_census(world).count, count);
    double high[CUBES];
    for (int k = 0; k < CUBES; k++) {
        high[k] = read_probe(world, cubes[k].height, 0) / edge;
        printf("  cube %d: rebound %.4f edges, height %.4f edges\n", k, cubes[k].rebound / edge,
               high[k]);
    }
    MEASURED("elastic: rebound over edge", cubes[0].rebound / edge, 0.15, 1);
    MEASURED("elastic: final height over edge", high[0], 0.85, 1.2);
    MEASURED("viscous: rebound over edge", cubes[1].rebound / edge, 0, 0.05);
    MEASURED("viscous: height over edge 0.5 s after impact", viscous_early, 0.85, 1.2);
    MEASURED("inviscid: height over edge", high[2], 0, 0.35);
    ooze_world_destroy(world);
}

/* ---- T15: run-time parameters ---------------------------------------------------------------- */

/* A cone at rest keeps its height for a second; then it is told to be soft, and runs. */
static void conformation_T15_melt(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        double d = 0.01;
        OozeWorld *world =
            make_world((Setup){.spacing = d, .time_step = 1.0 / 240, .gravity = down()});
        OozeMaterialId id =
            add_matter(world, k == 0 ? paper_matter(0.1, 0) : newtonian_matter(1e4));
        add_floor(world, INFINITY);
        OozeFluidDef cone = ooze_fluid_def_default();
        cone.shape = ooze_shape_def_default(OOZE_SHAPE_CONE);
        cone.shape.radius = 0.08;
        cone.shape.height = 0.15;
        CHECK_OK(ooze_world_add_fluid(world, &cone, NULL, &error));
        OozeProbeId height = add_probe(world, OOZE_PROBE_HEIGHT);
        advance(world, 0.05);
        Census start = take_census(world);
        double before = read_probe(world, height, 0);
        advance(world, 1.0);
        double still = read_probe(world, height, 0);
        if (k == 0) {
            CHECK_OK(ooze_world_set_material(world, id, "compliance", 1, &error));
        } else {
            CHECK_OK(ooze_world_set_material(world, id, "viscosity", 1, &error));
        }
        advance(world, 1.0);
        double molten = read_probe(world, height, 0);
        printf("  %s: %.4f m, after 1 s %.4f m, melting for 1 s %.4f m\n",
               k == 0 ? "compliance 0 to 1" : "viscosity 10,000 to 1 Pa s", before, still, molten);
        assert_int_equal(take_census(world).count, start.count);
        MEASURED("change of height at rest", fabs(still / before - 1), 0, 0.05);
        MEASURED("fall of height when molten", 1 - molten / still, 0.4, 1);
        ooze_world_destroy(world);
    }
}

/* ---- T17: the column ------------------------------------------------------------------------- */

/* Water 20 layers high in a periodic shaft stands at rest density. */
static void conformation_T17_column(void **state)
{
    (void)state;
    double d = 0.05, errors[2];
    for (int k = 0; k < 2; k++) {
        OozeWorld *world = make_world((Setup){
            .spacing = d, .time_step = 1.0 / 240, .gravity = down(), .box = vec3(8 * d, 0, 8 * d)});
        add_matter(world, newtonian_matter(1));
        add_floor(world, 0.5);
        set_param(world, "density_iterations", k == 0 ? 15 : 5);
        add_lattice(world, (Lattice){.n = {8, 20, 8}, .spacing = d});
        OozeProbeId probe = add_probe(world, OOZE_PROBE_DENSITY);
        Census before = take_census(world);
        advance(world, 0.6);
        Census after = take_census(world);
        assert_int_equal(after.count, before.count);
        errors[k] = read_probe(world, probe, 3);
        double excess = read_probe(world, probe, 2), share = read_probe(world, probe, 4);
        printf("  %d iterations: mean error %.4f over %.0f%% inside, worst excess %.4f, height "
               "%.4f of %.4f m\n",
               k == 0 ? 15 : 5, errors[k], 100 * share, excess, after.high.y, before.high.y);
        if (k == 0) {
            MEASURED("share inside", share, 0.5, 1);
            MEASURED("mean density error inside", errors[0], 0, 0.03);
            MEASURED("worst excess", excess, -1, 0.1);
            OozeWorldStats
                stats; /* the method counts walls as fluid: at least what the probe saw */
            ooze_world_stats(world, &stats);
            MEASURED("worst excess as told by the method", stats.worst_density_error, 1e-4, 0.1);
            MEASURED("height kept", after.high.y / before.high.y, 0.97, 1.03);
        }
        ooze_world_destroy(world);
    }
    MEASURED("error at 15 over that at 5 iterations", errors[0] / errors[1], 0, 1);
}

/* Supports that single precision rounds up, as it does for every other spacing: lists of the stage
   that works in floats must still fit the cells of the boundary samples. */
static void conformation_T48_any_spacing(void **state)
{
    (void)state;
    double thickest = 0;
    for (uint64_t k = 0; k < 40; k++) {
        double spacing = k == 0 ? 0.00436 : 0.001 + 0.1 * ooze_random01(1, k, 0);
        OozeWorld *world = make_world(
            (Setup){.spacing = spacing, .time_step = 1e-3, .gravity = down(), .threads = 1});
        OozeMaterialId oil = add_matter(world, newtonian_matter(1));
        add_lattice(world, (Lattice){.material = oil, .n = {4, 4, 4}, .spacing = spacing});
        add_floor(world, 0);
        step_world(world);
        thickest = fmax(thickest, take_census(world).high.y / spacing);
        ooze_world_destroy(world);
    }
    MEASURED("highest particle of four layers, spacings", thickest, 3.4, 3.6);
}

/* Honey between two plates, of which the upper comes down: what it presses out flows at the speed
   that its volume asks for, though the pressure is that of the plate and not of any weight. */
static void conformation_T17_squeeze(void **state)
{
    (void)state;
    double d = 0.05, speed = 0.5, steps[] = {1.0 / 240, 0.001}, today[] = {1.149, 1.098};
    int n[3] = {20, 10, 7};
    for (int k = 0; k < 2; k++) {
        OozeWorld *world =
            make_world((Setup){.spacing = d, .time_step = steps[k], .box = vec3(0, 0, n[2] * d)});
        add_matter(world, newtonian_matter(100));
        add_floor(world, INFINITY);
        OozeSolidId top = add_plane(world, n[1] * d, -1, INFINITY);
        OozeSolidPose pose = {.position = vec3(0, n[1] * d, 0),
                              .rotation = {0, 0, 0, 1},
                              .velocity = vec3(0, -speed, 0)};
        CHECK_OK(ooze_world_set_solid_pose(world, top, &pose, &error));
        add_lattice(world, (Lattice){.n = {n[0], n[1], n[2]}, .spacing = d});
        OozeProbeId probe = add_probe(world, OOZE_PROBE_DENSITY);
        double sum = 0.0, expected = 0.0, end = 0.3, from = 0.1;
        for (int i = 1; i <= (int)round(end / steps[k]); i++) {
            step_world(world);
            const OozeFrame *frame = ooze_world_frame(world);
            const OozeFieldView *x = ooze_frame_field(frame, "position");
            const OozeFieldView *v = ooze_frame_field(frame, "velocity");
            double at = 0.75 * n[0] * d, flow = 0.0, count = 0.0;
            for (uint64_t p = 0; p < frame->particle_count; p++) {
                bool here = fabs(ooze_field_value(x, p, 0) - at) < d;
                flow += here ? ooze_field_value(v, p, 0) : 0.0;
                count += here;
            }
            if (i * steps[k] > from) {
                sum += flow / count;
                expected += speed * 0.25 * n[0] * d / (n[1] * d - speed * i * steps[k]);
            }
        }
        printf("  step %g s\n", steps[k]);
        KNOWN_GAP("flow over that of the plate", sum / expected, 0.95, 1.05, today[k]);
        MEASURED("worst excess of density", read_probe(world, probe, 2), -1, 0.05);
        ooze_world_destroy(world);
    }
}

ACCEPTANCE_MAIN(cmocka_unit_test(conformation_T08_falling_cube),
                cmocka_unit_test(conformation_T08_formulations),
                cmocka_unit_test(conformation_T09_formulations),
                cmocka_unit_test(conformation_T09_spinning_block),
                cmocka_unit_test(conformation_T10_beam), cmocka_unit_test(conformation_T11_palette),
                cmocka_unit_test(conformation_T15_melt), cmocka_unit_test(conformation_T17_column),
                cmocka_unit_test(conformation_T48_any_spacing),
                cmocka_unit_test(conformation_T17_squeeze))
