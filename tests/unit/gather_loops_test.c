/* Weights, corrections, densities and edge sums on every instruction set against sums in double. */
#include "pair_reference.h"

/* What one particle gathers. */
typedef struct Expected {
    Near moment[6]; /* xx yy zz xy xz yz of sum x g^T */
    Near edges[4];  /* sum of its edges */
    Near inner[4];  /* the same for the surface indicator */
    Near density;
} Expected;

static const int row_of[6] = {0, 1, 2, 0, 0, 1}, column_of[6] = {0, 1, 2, 1, 2, 2};

static Near weight_of(const OozeGather *g, const Cubic *w, Near r)
{
    Near volume = exact((double)g->volume);
    if (g->strain_scale > 0.0f) {
        return times(times(exact((double)g->strain_scale), volume), strain_weight(r));
    }
    return slope_over(times(volume, w->slope), r);
}

/* The edge to a sample: nothing where the wall is not no-slip, else as steep as the spline or as
   OOZE_STRAIN_WALL_POWER. */
static Near sample_weight(const OozeGather *g, const Case *c, uint32_t b, Near r)
{
    Near volume = exact((double)c->boundary.volume[b]);
    if (c->boundary.solid[b] != 0) {
        return exact(0);
    }
    if (g->strain_scale > 0.0f) {
        Near w = strain_weight(r), cube = times(w, times(w, w));
        Near scale = times(exact((double)g->wall_strain_scale), volume);
        return times(scale, times(cube, cube));
    }
    volume = times(exact((double)g->wall_scale), volume);
    return times(volume, slope_over(cubic(r).slope, r));
}

/* W where the sample was when the step began. */
static Near begin_value(const Case *c, uint32_t b, const Near d[3])
{
    const float *v = &c->boundary.velocity[b].x;
    Near before[3];
    for (int k = 0; k < 3; k++) {
        before[k] =
            minus(d[k], times((Near){TIME_STEP, ROUNDING * TIME_STEP}, exact((double)v[k])));
    }
    return cubic(length_of(before)).value;
}

static void add_edge(Sum moment[6], Sum edges[4], const Near d[3], Near f)
{
    for (int k = 0; k < 6; k++) {
        add(&moment[k], times(d[row_of[k]], times(d[column_of[k]], f)));
    }
    for (int k = 0; k < 3; k++) {
        add(&edges[k], times(d[k], f));
    }
    add(&edges[3], f);
}

static Expected expect(const OozeGather *g, const Case *c, uint64_t i)
{
    Sum moment[6] = {{0}}, edges[4] = {{0}}, inner[4] = {{0}}, density = {0}, unused[6] = {{0}};
    Near volume = exact((double)g->volume), d[3];
    add(&density, times(volume, cubic(exact(0)).value));
    for (uint64_t e = c->fluid.first[i]; e < list_end(&c->fluid, i); e++) {
        delta_to(c, i, e, d);
        Near r = length_of(d);
        Cubic w = cubic(r);
        add_edge(moment, edges, d, weight_of(g, &w, r));
        add(&density, times(volume, w.value));
    }
    memcpy(inner, edges, sizeof inner);
    for (uint64_t k = 0; k < wall_count(c, i); k++) {
        uint64_t e = c->walls.first[i] + k;
        uint32_t b = c->walls.index[e];
        delta_to_sample(c, i, e, d);
        Near f = sample_weight(g, c, b, length_of(d));
        Near sample = times(exact((double)g->wall_scale), exact((double)c->boundary.volume[b]));
        add_edge(moment, edges, d, f);
        add_edge(unused, inner, d, scaled(g->strain_scale > 0.0f ? 0.5 : 1.0, f));
        add(&density, times(sample, begin_value(c, b, d)));
    }
    Expected out = {.density = total(&density)};
    for (int k = 0; k < 6; k++) {
        out.moment[k] = total(&moment[k]);
        out.edges[k % 4] = total(&edges[k % 4]);
        out.inner[k % 4] = total(&inner[k % 4]);
    }
    return out;
}

/* Minor of rows and columns by the places of moment's entries. */
static Near minor_of(const Near *k, int a, int b, int c, int d)
{
    return minus(times(k[a], k[b]), times(k[c], k[d]));
}

/* B = K^-1, or 0 for fewer than six neighbours, a mean of K up to 1/4, or a determinant up to a
   tenth of its cube; what is nearer to these limits than rounding may be either. */
static void compare_correction(Comparison *job, uint64_t i, const Near *k, uint32_t neighbours,
                               const OozeSym3 *got)
{
    static const char *const names[6] = {"Bxx", "Byy", "Bzz", "Bxy", "Bxz", "Byz"};
    Near minors[6] = {minor_of(k, 1, 2, 5, 5), minor_of(k, 0, 2, 4, 4), minor_of(k, 0, 1, 3, 3),
                      minor_of(k, 4, 5, 3, 2), minor_of(k, 3, 5, 4, 1), minor_of(k, 3, 4, 0, 5)};
    Near det = sum3(times(k[0], minors[0]), times(k[3], minors[3]), times(k[4], minors[4]));
    Near mean = scaled(1.0 / 3.0, sum3(k[0], k[1], k[2]));
    Near spare = minus(det, scaled(0.1, times(mean, times(mean, mean))));
    const float *b = &got->xx;
    bool poor = neighbours < 6 || mean.v <= 0.25 || spare.v <= 0.0;
    bool close = neighbours >= 6 && (fabs(mean.v - 0.25) < mean.e || fabs(spare.v) < spare.e);
    if (close && (b[0] == 0.0f) != poor) {
        return;
    }
    for (int e = 0; e < 6; e++) {
        compare(job, names[e], i, (double)b[e], poor ? exact(0) : over(minors[e], det));
    }
}

static void compare_weights(Comparison *job, const OozeGather *g, const Case *c)
{
    for (uint64_t i = 0; i < c->n; i++) {
        for (uint64_t e = c->fluid.first[i]; e < c->fluid.first[i + 1]; e++) {
            if (e >= list_end(&c->fluid, i)) {
                assert_true(g->edges.weight[e] == 0.0f); /* padding weighs nothing */
                continue;
            }
            Near d[3];
            delta_to(c, i, e, d);
            Near r = length_of(d);
            Cubic w = cubic(r);
            compare(job, "weight", i, (double)g->edges.weight[e], weight_of(g, &w, r));
        }
    }
}

static void compare_gather(Comparison *job, const OozeGather *g, const Case *c)
{
    compare_weights(job, g, c);
    for (uint64_t i = 0; i < c->n; i++) {
        Expected want = expect(g, c, i);
        for (int k = 0; k < 4; k++) {
            compare(job, "edge sum", i, (double)g->edge_sum[i][k], want.edges[k]);
        }
        compare(job, "density", i, (double)g->density[i], want.density);
        compare(job, "surface indicator", i, (double)g->surface_indicator[i],
                length_of(want.inner));
        compare_correction(job, i, want.moment, c->fluid.count[i] + (uint32_t)wall_count(c, i),
                           &g->correction[i]);
        for (uint64_t k = 0; k < wall_count(c, i); k++) {
            uint64_t e = c->walls.first[i] + k;
            Near d[3];
            delta_to_sample(c, i, e, d);
            Near f = sample_weight(g, c, c->walls.index[e], length_of(d));
            for (int a = 0; a < 4; a++) {
                compare(job, "wall edge", i, (double)g->wall_edge[e][a],
                        a < 3 ? times(f, d[a]) : f);
            }
        }
    }
}

/* Both ends of a pair weigh it the same, to the bit: forces along edges are opposite. */
static void assert_weights_symmetric(const OozeGather *g, const Case *c)
{
    for (uint64_t i = 0; i < c->n; i++) {
        for (uint64_t e = c->fluid.first[i]; e < list_end(&c->fluid, i); e++) {
            uint64_t j = c->fluid.index[e], back = c->fluid.first[j];
            while (c->fluid.index[back] != i) {
                back++;
                assert_true(back < list_end(&c->fluid, j));
            }
            assert_true(g->edges.weight[e] == g->edges.weight[back]);
        }
    }
}

/* Most particles inside a block carry stress: the zeros of poor neighbourhoods are the
   exception. */
static void assert_some_corrected(const OozeGather *g, const Case *c)
{
    uint64_t corrected = 0;
    for (uint64_t i = 0; i < c->n; i++) {
        corrected += g->correction[i].xx > 0.0f;
    }
    assert_true(c->n < 100 || c->setting->shape != SHAPE_BLOCK || 2 * corrected > c->n);
}

static void check_weights(float strain_scale, const char *subject)
{
    const OozeGatherLoops *const tables[OOZE_ISA_COUNT] = EVERY_TABLE(ooze_gather_loops);
    Comparison job = {.subject = subject};
    for (int k = 0; k < SETTING_COUNT; k++) {
        for (int isa = 0; isa <= (int)ooze_isa(); isa++) {
            Case *c = case_create(&settings[k]);
            OozeGather g = case_gather(c, strain_scale);
            job.setting = settings[k].name;
            job.isa = ooze_isa_name((OozeIsa)isa);
            run_all(c, tables[isa]->gather, &g);
            compare_gather(&job, &g, c);
            assert_weights_symmetric(&g, c);
            assert_some_corrected(&g, c);
            case_destroy(c);
        }
    }
    conclude(&job);
}

static void by_the_spline(void **state)
{
    (void)state;
    check_weights(0.0f, "gather with the cubic spline");
}

static void by_the_strain_weight(void **state)
{
    (void)state;
    check_weights(case_strain_scale(), "gather with the strain weight");
}

/* The settings are what their names say. */
static void neighbourhoods(void **state)
{
    (void)state;
    for (int k = 0; k < SETTING_COUNT; k++) {
        Case *c = case_create(&settings[k]);
        uint64_t same = 0, least = UINT64_MAX, most = 0;
        for (uint64_t i = 0; i < c->n; i++) {
            least = c->fluid.count[i] < least ? c->fluid.count[i] : least;
            most = c->fluid.count[i] > most ? c->fluid.count[i] : most;
            for (uint64_t e = c->fluid.first[i]; e < list_end(&c->fluid, i); e++) {
                OozeF32x4 d = c->x[i] - c->x[c->fluid.index[e]];
                same += ooze_f32x4_dot3(d, d) == 0.0f;
            }
        }
        Shape shape = settings[k].shape;
        if (shape == SHAPE_CLUMP) {
            assert_int_equal(least, 200);
        } else if (shape == SHAPE_APART || c->n == 1) {
            assert_int_equal(most, 0);
        } else if (c->n == 2) {
            assert_int_equal(least, 1);
        }
        assert_true((same > 10) == (shape == SHAPE_COINCIDENT));
        case_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbourhoods),
        cmocka_unit_test(by_the_spline),
        cmocka_unit_test(by_the_strain_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
