/* The density stage on the device against the processor's, particle by particle. */
#include "device/fixture.cuh"

#include <algorithm>
#include <vector>

#include "cuda/density.cuh"

extern "C" {
#include "device/density_case.h"
#include "physics/lattice.h"
#include "solvers/density/density_formula.h"
}

using namespace ooze;

static const double spacing = 0.01, support = 0.022;
/* Shifts agree to this many spacings. Places are rounded to six supports over 2^21 on the device,
   6e-6 spacings, and to a float at up to a hundred spacings, as much, on the processor; a shift
   is the sum of what dozens of pairs make of that. Lines between starts are kept with eight
   binary digits: where a last bit decides which way one is rounded, the push of that pair
   differs by up to 2^-8, which few see: 1.02% of the particles of a periodic box on an H200,
   which rounds a product and a sum at once. */
static const double near_enough = 1e-5, line_digits = 0x1p-8, few = 0.02;

/* ---- a case ----------------------------------------------------------------------------- */

/* Everything that a case may point at. */
struct Stage {
    DensityCase c;
    std::vector<OozeFloat4> x, start;
    std::vector<float> density_target, load_excess, mobility, effective_inverse_mass,
        first_multiplier;
    std::vector<uint16_t> rigid;
    std::vector<uint8_t> ignores_boundary;
    std::vector<OozeSolid> solids;
    OozeBoundary boundary;
    OozeArena *arena;

    Stage()
    {
        memset(&c, 0, sizeof c);
        memset(&boundary, 0, sizeof boundary);
        arena = ooze_arena_create();
        c.context.spacing = spacing;
        c.context.support = support;
        c.context.dt = 0.002;
        c.context.arena = arena;
        c.context.boundary = &boundary;
        c.support = (float)support;
        c.volume = (float)(1.0 / ooze_lattice_sum(spacing, support));
        c.wall_scale = (float)ooze_lattice_wall_scale(spacing, support);
        c.contact = (float)(0.5 * spacing);
        c.iterations = 6;
        c.tolerance = -1.0f;
    }

    ~Stage()
    {
        for (OozeSolid &solid : solids) {
            ooze_solid_free(&solid);
        }
        ooze_boundary_free(&boundary);
        ooze_arena_destroy(arena);
    }

    /* Now that nothing grows any more. */
    void point()
    {
        c.n = x.size();
        c.x = x.data();
        c.start = start.empty() ? nullptr : start.data();
        c.density_target = density_target.empty() ? nullptr : density_target.data();
        c.load_excess = load_excess.empty() ? nullptr : load_excess.data();
        c.mobility = mobility.empty() ? nullptr : mobility.data();
        c.effective_inverse_mass =
            effective_inverse_mass.empty() ? nullptr : effective_inverse_mass.data();
        c.first_multiplier = first_multiplier.empty() ? nullptr : first_multiplier.data();
        c.rigid = rigid.empty() ? nullptr : rigid.data();
        c.ignores_boundary = ignores_boundary.empty() ? nullptr : ignores_boundary.data();
        c.context.solids = solids.data();
        c.context.solid_count = (int)solids.size();
    }
};

static OozeFloat4 place(double x, double y, double z)
{
    OozeFloat4 a = {(float)x, (float)y, (float)z, 0.0f};
    return a;
}

/* A block of k^3 from a corner on, squeezed and shaken, in no order of space, that turns and
   shears: where it started is some hundredths of a spacing away. */
static void add_block(Stage *stage, int k, OozeVec3 corner, double squeeze, double shaken)
{
    double d = squeeze * spacing;
    uint64_t n = (uint64_t)k * k * k, step = 7919; /* a prime that no edge has for a factor */
    for (uint64_t number = 0; number < n; number++) {
        uint64_t i = number * step % n;
        OozeVec3 p = vec3(random_between(i, 1, -shaken, shaken) + (double)(i % k) + 0.5,
                          random_between(i, 2, -shaken, shaken) + (double)(i / k % k) + 0.5,
                          random_between(i, 3, -shaken, shaken) + (double)(i / k / k) + 0.5);
        p = vec3_madd(corner, d, p);
        stage->x.push_back(place(p.x, p.y, p.z));
        double turn = 0.02;
        stage->start.push_back(place(p.x + turn * (p.y - corner.y) + random_between(i, 4, 0, 3e-4),
                                     p.y - turn * (p.x - corner.x) + random_between(i, 5, 0, 3e-4),
                                     p.z + 0.01 * p.x + random_between(i, 6, 0, 3e-4)));
    }
}

static void set_periodic(Stage *stage, int axis, double min, double length)
{
    OozePeriodic *p = &stage->c.context.periodic;
    p->min[axis] = (float)min;
    p->length[axis] = (float)length;
    p->inverse[axis] = 1.0f / p->length[axis];
}

static void add_solid(Stage *stage, OozeShapeDef shape, OozeVec3 velocity, bool sampled)
{
    OozeSolidDef def = ooze_solid_def_default();
    def.friction = 0.5;
    def.shape = shape;
    def.motion.velocity = velocity;
    OozeSolid solid;
    CHECK_OK(ooze_solid_create(&solid, &def, OOZE_AXIS_Z, spacing, NULL, &error));
    ooze_solid_advance(&solid, stage->c.context.dt, stage->c.context.dt);
    solid.clip.min = vec3(-0.3, -0.3, -0.3);
    solid.clip.max = vec3(0.3, 0.3, 0.3);
    stage->solids.push_back(solid);
    if (sampled) {
        int index = (int)stage->solids.size() - 1;
        CHECK_OK(ooze_boundary_add(&stage->boundary, &solid, index, spacing, NULL, &error));
    }
}

static void sample(Stage *stage)
{
    const OozePeriodic *p = &stage->c.context.periodic;
    CHECK_OK(
        ooze_boundary_update(&stage->boundary, nullptr, stage->solids.data(), support, p, &error));
    CHECK_OK(ooze_boundary_measure(&stage->boundary, nullptr, nullptr, &error));
}

/* ---- both machines ---------------------------------------------------------------------- */

struct Result {
    std::vector<OozeFloat4> x, shift, drift, position_only_shift;
    std::vector<float> multiplier;
    double worst = -1.0, mean = -1.0;
    explicit Result(uint64_t n) : x(n), shift(n), drift(n), position_only_shift(n), multiplier(n) {}
};

struct BetweenUser {
    Gpu *m;
    uint64_t n;
    float by;
};

static void add_between(void *user, float4 *shift)
{
    BetweenUser *between = static_cast<BetweenUser *>(user);
    const float by = between->by;
    for_each(
        between->m, (between->n + 2) / 3, OOZE_BODY(uint32_t k) { shift[3 * k].x += by; });
}

static void fetch(Gpu *m, std::vector<OozeFloat4> *to, const float4 *from)
{
    if (from) {
        copy_out(m, to->data(), from, to->size() * sizeof(OozeFloat4));
    }
}

/* On an engine with memory for it, or, where `expected` is an error, without. */
static Result on_engine(Engine *e, Stage *stage, OozeStatus expected)
{
    DensityCase *c = &stage->c;
    Gpu *m = &e->gpu;
    uint64_t n = c->n;
    Result result(n);
    OozeStepReport report = ooze_step_report_none();
    c->context.report = &report;
    CHECK_OK(solids_send(m, &e->solids, &c->context, &error));
    send_walls(e, &stage->boundary, &c->context.periodic);
    BetweenUser user = {m, n, c->between};
    float4 *x = sent<float4>(m, c->x, n), *shift = scratch<float4>(m, n);
    std::vector<OozeFloat4> zero(n);
    DensityJob job = {};
    job.context = &c->context;
    job.n = n;
    job.support = c->support;
    job.volume = c->volume;
    job.wall_scale = c->wall_scale;
    job.contact = c->contact;
    job.iterations = c->iterations;
    job.tolerance = c->tolerance;
    job.mean_tolerance = c->mean_tolerance;
    job.min_distance = c->min_distance;
    job.drift_share = OOZE_DRIFT_SHARE;
    job.drift = c->drifts ? sent<float4>(m, zero.data(), n) : nullptr;
    job.position_only_shift = c->relieves ? sent<float4>(m, zero.data(), n) : nullptr;
    job.density_target = sent<float>(m, c->density_target, n);
    job.load_excess = sent<float>(m, c->load_excess, n);
    job.mobility = sent<float>(m, c->mobility, n);
    job.rigid = sent<uint16_t>(m, c->rigid, n);
    job.effective_inverse_mass = sent<float>(m, c->effective_inverse_mass, n);
    job.ignores_boundary = sent<uint8_t>(m, c->ignores_boundary, n);
    job.start = sent<float4>(m, c->start, n);
    /* one array, as a step has */
    float *first = sent<float>(m, c->first_multiplier, n);
    job.first_multiplier = first;
    job.multiplier = first ? first : scratch<float>(m, n);
    job.between = c->between != 0.0f ? add_between : nullptr;
    job.user = &user;
    record_error(m, expected ? cudaErrorMemoryAllocation : cudaSuccess);
    OozeError error;
    assert_int_equal(density_solve(e, &job, x, shift, &error), expected);
    fetch(m, &result.x, x);
    fetch(m, &result.shift, shift);
    fetch(m, &result.drift, job.drift);
    fetch(m, &result.position_only_shift, job.position_only_shift);
    copy_out(m, result.multiplier.data(), job.multiplier, n * sizeof(float));
    assert_int_equal(m->failed, cudaSuccess);
    result.worst = report.worst_density_error;
    result.mean = report.mean_density_error;
    return result;
}

static Result on_device(Stage *stage)
{
    stage->point();
    TestEngine test;
    return on_engine(&test.e, stage, OOZE_OK);
}

static Result on_processor(Stage *stage)
{
    stage->point();
    Result result(stage->c.n);
    DensityResult plain = {result.x.data(),
                           result.shift.data(),
                           result.drift.data(),
                           result.position_only_shift.data(),
                           result.multiplier.data(),
                           -1.0,
                           -1.0};
    CHECK_OK(density_reference(&stage->c, &plain, &error));
    result.worst = plain.worst;
    result.mean = plain.mean;
    return result;
}

static double length_of(OozeFloat4 a)
{
    return sqrt((double)a.x * a.x + (double)a.y * a.y + (double)a.z * a.z);
}

/* In spacings. */
static double largest_of(const std::vector<OozeFloat4> &a)
{
    double most = 0.0;
    for (const OozeFloat4 &one : a) {
        double length = length_of(one) / spacing;
        if (length > most || isnan(length)) {
            most = length;
        }
    }
    return most;
}

static std::vector<OozeFloat4> differences(const std::vector<OozeFloat4> &a,
                                           const std::vector<OozeFloat4> &b)
{
    std::vector<OozeFloat4> d(a.size());
    for (size_t i = 0; i < a.size(); i++) {
        d[i] = place((double)a[i].x - b[i].x, (double)a[i].y - b[i].y, (double)a[i].z - b[i].z);
        assert_true(a[i].w == 0.0f);
    }
    return d;
}

static void compare_moves(const char *what, const std::vector<OozeFloat4> &got,
                          const std::vector<OozeFloat4> &want, double most)
{
    std::vector<OozeFloat4> d = differences(got, want);
    double far = 0.0;
    for (const OozeFloat4 &one : d) {
        far += length_of(one) > near_enough * spacing ? 1.0 : 0.0;
    }
    printf("  %s of up to %.3g spacings, %g of %zu farther off than %g\n", what, largest_of(want),
           far, d.size(), near_enough);
    MEASURED("differ by", largest_of(d), 0.0, most);
    assert_true(far <= few * (double)d.size());
}

/* Both machines; returns what the device found. */
static Result compare(Stage *stage)
{
    Result want = on_processor(stage), got = on_device(stage);
    assert_true(largest_of(differences(got.x, want.x)) == 0.0);
    double most = near_enough + (stage->start.empty() ? 0.0 : line_digits * largest_of(want.shift));
    compare_moves("shifts", got.shift, want.shift, most);
    compare_moves("drifts", got.drift, want.drift, most);
    compare_moves("position_only_shift", got.position_only_shift, want.position_only_shift, most);
    if (stage->c.iterations > 0) {
        /* a density is the sum of some forty values at places as above, which change it by half of
           its own over a spacing; the worst is one of the squeezed ones */
        CHECK_NEAR(got.worst, want.worst, 3e-5);
        CHECK_NEAR(got.mean, want.mean, 1e-5);
    }
    return got;
}

/* ---- tests ------------------------------------------------------------------------------ */

static OozeVec3 here(void)
{
    return vec3(0.1, -0.05, 0.02);
}

static void moves_a_squeezed_block_as_the_processor_does(void **state)
{
    (void)state;
    Stage stage;
    add_block(&stage, 12, here(), 0.97, 0.1);
    stage.c.drifts = true;
    stage.c.min_distance = (float)(0.9 * spacing);
    Result got = compare(&stage);
    assert_true(largest_of(got.shift) > 0.01);
    assert_true(largest_of(got.drift) > 0.001);
    stage.start.clear(); /* along the present lines */
    compare(&stage);
    stage.c.iterations = 0;
    got = compare(&stage);
    assert_true(largest_of(got.shift) == 0.0 && largest_of(got.drift) > 0.001);
}

/* No particle, one, and two at the same position. */
static void moves_few_particles_as_the_processor_does(void **state)
{
    (void)state;
    Stage stage;
    stage.c.drifts = true;
    stage.c.min_distance = (float)spacing;
    on_device(&stage);
    for (int n = 1; n <= 2; n++) {
        stage.x.push_back(place(0.1, 0.2, 0.3));
        stage.start.push_back(place(0.1, 0.2, 0.3));
        Result got = compare(&stage);
        assert_true(largest_of(got.shift) == 0.0 && got.worst == 0.0);
    }
    stage.x.push_back(place(0.1 + 0.3 * spacing, 0.2, 0.3));
    stage.start.push_back(place(0.1 + 0.4 * spacing, 0.2, 0.3));
    compare(&stage);
}

static void conserves_momentum(void **state)
{
    (void)state;
    Stage stage;
    add_block(&stage, 12, here(), 0.9, 0.3);
    for (size_t i = 5; i < stage.x.size(); i += 50) { /* pairs that turn */
        stage.start[i] = place((double)stage.start[i].x + spacing, (double)stage.start[i].y, 0.06);
    }
    Result got = on_device(&stage);
    double sum[3] = {0.0, 0.0, 0.0}, all = 0.0;
    for (size_t i = 0; i < got.shift.size(); i++) {
        sum[0] += got.shift[i].x;
        sum[1] += got.shift[i].y;
        sum[2] += got.shift[i].z;
        all += length_of(got.shift[i]);
    }
    /* Each of n sums of pushes is wrong by 2^-24 of a few times itself, either way: n^-1/2 of that
       is left. */
    double lost = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    MEASURED("momentum lost, of all", lost / all, 0.0, 1e-8);
}

static void wraps_around_periodic_boxes(void **state)
{
    (void)state;
    for (int axes = 1; axes <= 3;
         axes++) { /* 12 spacings are one turn of the fixed_point, 21 one and a half */
        int k = axes == 2 ? 21 : 12;
        Stage stage;
        add_block(&stage, k, here(), 0.97, 0.15);
        for (int axis = 0; axis < axes; axis++) {
            double min = axis == 0 ? here().x : axis == 1 ? here().y : here().z;
            set_periodic(&stage, axis, min, 0.97 * spacing * k);
        }
        for (size_t i = 0; i < stage.x.size(); i += 7) { /* some have left the box */
            stage.x[i].x += stage.c.context.periodic.length[0];
            stage.start[i].x += stage.c.context.periodic.length[0];
        }
        stage.c.drifts = true;
        stage.c.min_distance = (float)(0.9 * spacing);
        compare(&stage);
        stage.start.clear();
        compare(&stage);
    }
}

static void uses_mobilities_targets_and_bodies(void **state)
{
    (void)state;
    Stage stage;
    add_block(&stage, 12, here(), 0.97, 0.1);
    for (size_t i = 0; i < stage.x.size(); i++) {
        double height = ((double)stage.x[i].z - here().z) / spacing;
        stage.mobility.push_back(height < 2.0 ? 0.0f : height < 6.0 ? 1.0f : 0.4f);
        stage.density_target.push_back((float)random_between(i, 20, 0.98, 1.1));
    }
    compare(&stage);
    for (size_t i = 0; i < stage.x.size(); i++) {
        stage.rigid.push_back(stage.x[i].x > 0.15f ? 1 : stage.x[i].y < -0.04f ? 2 : 0);
        stage.effective_inverse_mass.push_back(stage.mobility[i] * (stage.rigid[i] ? 0.25f : 1.0f));
    }
    stage.c.between = (float)(0.01 * spacing);
    stage.c.drifts = true;
    stage.c.min_distance = (float)(0.9 * spacing);
    compare(&stage);
}

/* Pairs that pass each other, some of them from far away. */
static void finds_lines_of_pairs_that_turned(void **state)
{
    (void)state;
    Stage stage;
    add_block(&stage, 12, here(), 0.95, 0.2);
    for (size_t i = 0; i < stage.x.size(); i += 40) {
        double far = i % 80 == 0 ? 1.2 : 0.5;
        stage.start[i] = place((double)stage.x[i].x + far * spacing, (double)stage.x[i].y,
                               (double)stage.x[i].z - 0.3 * spacing);
    }
    compare(&stage);
}

static void stops_at_the_density_tolerance(void **state)
{
    (void)state;
    Stage stage;
    add_block(&stage, 12, here(), 0.995, 0.02);
    stage.c.iterations = 40;
    Result whole = compare(&stage);
    for (int parity = 0; parity < 2; parity++) { /* after an odd or even number of iterations */
        stage.c.tolerance = parity ? 0.004f : 0.002f;
        stage.c.drifts = true;
        stage.c.min_distance = (float)(0.98 * spacing);
        Result got = compare(&stage);
        assert_true(got.worst <= stage.c.tolerance && got.worst > whole.worst);
    }
    stage.c.tolerance = 1.0f; /* one look is always had */
    compare(&stage);
}

/* The worst particle would go on. */
static void stops_at_the_mean_tolerance(void **state)
{
    (void)state;
    Stage stage;
    add_block(&stage, 12, here(), 0.995, 0.02);
    stage.c.iterations = 40;
    Result whole = compare(&stage);
    for (int k = 0; k < 4; k++) { /* after an odd or even number of iterations */
        stage.c.tolerance = k % 2 ? 1e-5f : -1.0f;
        stage.c.mean_tolerance = k / 2 ? 1e-3f : 5e-4f;
        Result got = compare(&stage);
        assert_true(got.mean <= stage.c.mean_tolerance && got.mean > whole.mean);
        assert_true(got.worst > stage.c.mean_tolerance);
    }
    stage.c.tolerance = 0.004f; /* which comes first */
    stage.c.mean_tolerance = 1e-7f;
    Result worst = compare(&stage);
    assert_true(worst.worst <= stage.c.tolerance && worst.mean > stage.c.mean_tolerance);
    stage.c.mean_tolerance = 1.0f; /* one sweep is always made */
    assert_true(largest_of(compare(&stage).shift) > 0.0);
    stage.c.between = (float)(0.01 * spacing); /* no tolerance ends it */
    compare(&stage);
}

/* Expanded fluid under multipliers that push too much, and squeezed fluid under those of another
   stage: sweeps take back the former and go on from the latter. */
static void begins_with_multipliers(void **state)
{
    (void)state;
    Stage stage;
    add_block(&stage, 12, here(), 0.97, 0.05);
    std::vector<float> found = compare(&stage).multiplier;
    const double unit = *std::max_element(found.begin(), found.end());
    for (double squeeze : {0.97, 1.02}) {
        Stage next;
        add_block(&next, 12, here(), squeeze, 0.05);
        next.first_multiplier = found;
        for (float tolerance : {0.0f, 1e-3f}) {
            next.c.mean_tolerance = tolerance;
            Result want = on_processor(&next), got = compare(&next);
            double apart = 0.0, changed = 0.0;
            for (size_t i = 0; i < found.size(); i++) {
                apart = fmax(apart, fabs((double)got.multiplier[i] - (double)want.multiplier[i]));
                changed = fmax(changed, fabs((double)got.multiplier[i] - (double)found[i]));
            }
            MEASURED("multipliers differ by", apart / unit, 0.0, 1e-3);
            assert_true(changed > 0.1 * unit);
        }
    }
}

static void runs_out_of_memory_with_an_error(void **state)
{
    (void)state;
    Stage stage;
    add_block(&stage, 5, here(), 0.97, 0.1);
    stage.point();
    TestEngine test;
    on_engine(&test.e, &stage, OOZE_ERROR_MEMORY);
    Result again = on_engine(&test.e, &stage, OOZE_OK);
    assert_true(largest_of(again.shift) > 0.001);
}

static OozeShapeDef floor_shape(double height)
{
    OozeShapeDef shape = ooze_shape_def_default(OOZE_SHAPE_PLANE);
    shape.normal = vec3(0, 0, 1);
    shape.position = vec3(0, 0, height);
    return shape;
}

static OozeShapeDef box_shape(OozeVec3 middle, double edge)
{
    OozeShapeDef shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    shape.size = vec3(edge, edge, edge);
    shape.position = middle;
    return shape;
}

/* On a sampled floor that rises, partly in it, with a box in the middle that has no samples. */
static void keeps_fluid_out_of_solids(void **state)
{
    (void)state;
    for (int with = 0; with < 4; with++) {
        Stage stage;
        add_block(&stage, 12, here(), 0.97, 0.1);
        OozeVec3 middle = vec3_add(here(), vec3(6 * spacing, 6 * spacing, 6 * spacing));
        add_solid(&stage, floor_shape(here().z + 0.2 * spacing), vec3(0, 0, 0.1), true);
        add_solid(&stage, box_shape(middle, 3.0 * spacing), vec3(0.3, 0, 0), false);
        sample(&stage);
        for (size_t i = 0; i < stage.x.size(); i++) {
            stage.ignores_boundary.push_back(i % 5 == 0 && with & 1);
            stage.mobility.push_back(i % 9 == 0 ? 0.0f : 1.0f);
            /* no overlaps, or overlaps at every third particle */
            stage.load_excess.push_back(with & 1 && i % 3 == 0 ? 0.01f : INFINITY);
        }
        stage.c.relieves = with >= 2;
        stage.c.drifts = true;
        stage.c.min_distance = (float)(0.9 * spacing);
        Result got = compare(&stage);
        assert_true((largest_of(got.position_only_shift) > 0.01) == stage.c.relieves);
    }
}

#ifdef __CUDACC__
/* So many that one thread works on each. */
static void moves_many_particles_as_the_processor_does(void **state)
{
    (void)state;
    Stage stage;
    add_block(&stage, 75, vec3(-0.35, -0.35, -0.35), 0.97, 0.1);
    assert_true(stage.x.size() >= FEW);
    stage.c.drifts = true;
    stage.c.min_distance = (float)(0.9 * spacing);
    add_solid(&stage, floor_shape(-0.35), vec3(0, 0, 0), true);
    sample(&stage);
    compare(&stage);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_a_squeezed_block_as_the_processor_does),
        cmocka_unit_test(moves_few_particles_as_the_processor_does),
        cmocka_unit_test(conserves_momentum),
        cmocka_unit_test(wraps_around_periodic_boxes),
        cmocka_unit_test(uses_mobilities_targets_and_bodies),
        cmocka_unit_test(finds_lines_of_pairs_that_turned),
        cmocka_unit_test(stops_at_the_density_tolerance),
        cmocka_unit_test(stops_at_the_mean_tolerance),
        cmocka_unit_test(begins_with_multipliers),
        cmocka_unit_test(keeps_fluid_out_of_solids),
        cmocka_unit_test(runs_out_of_memory_with_an_error),
#ifdef __CUDACC__
        cmocka_unit_test(moves_many_particles_as_the_processor_does),
#endif
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
