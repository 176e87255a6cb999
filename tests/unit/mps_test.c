/* Sums of moving particle semi-implicit methods and the potential of surface tension, from their
   formulas, in double to see past rounding. */
#define OOZE_REAL double
#define OOZE_SQRT sqrt
#include "check.h"

#include <stdbool.h>

#include "physics/mps.h"

/* Spacing, m, and the radii of influence that are tested, spacings; 2.2 is the default. */
static const double d = 3e-3;
static const double reaches[] = {1.8, 2.2, 2.9, 3.1};
enum { REACHES = 4, DEFAULT_REACH = 1 };

/* Integral of f over [low, high] by Simpson's rule. */
typedef double (*Integrand)(double r, double re, double z);

static double integrate(Integrand f, double low, double high, double re, double z)
{
    enum { PARTS = 2000 };
    double step = (high - low) / PARTS, sum = 0;
    for (int k = 0; k <= PARTS; k++) {
        int weight = k == 0 || k == PARTS ? 1 : k % 2 ? 4 : 2;
        sum += weight * f(low + k * step, re, z);
    }
    return sum * step / 3;
}

/* ---- weights --------------------------------------------------------------------------------- */

static void weights_end_at_the_reach(void **state)
{
    (void)state;
    for (int k = 0; k < REACHES; k++) {
        double re = reaches[k] * d;
        CHECK_NEAR(ooze_mps_weight(re / 2, re), 1, 1e-14);
        CHECK_NEAR(ooze_mps_density_weight(re * re / 4, re), 27.0 / 64, 1e-14);
        assert_true(ooze_mps_weight(re, re) == 0 && ooze_mps_density_weight(re * re, re) == 0);
        assert_true(ooze_mps_weight(2 * re, re) == 0 &&
                    ooze_mps_density_weight(4 * re * re, re) == 0);
        assert_true(isfinite(ooze_mps_weight(0, re)));
    }
}

/* ---- the lattice ----------------------------------------------------------------------------- */

/* sum over the lattice points beyond `below` layers of x^a y^b z^c w(r), 0 the point itself */
static double moment(double re, int a, int b, int c, bool below, bool left)
{
    double sum = 0;
    for (int k = -5; k <= (below ? -1 : 5); k++) {
        for (int j = -5; j <= 5; j++) {
            for (int i = -5; i <= (left ? -1 : 5); i++) {
                double r = d * sqrt(i * i + j * j + k * k);
                double product = pow(i * d, a) * pow(j * d, b) * pow(k * d, c);
                sum += r > 0 && r < re ? (re / r - 1) * product : 0;
            }
        }
    }
    return sum;
}

static double density_sum(double re, bool below)
{
    double sum = 0;
    for (int m = 0; m < 11 * 11 * 11; m++) {
        int i = m % 11 - 5, j = m / 11 % 11 - 5, k = m / 121 - 5;
        double t = 1 - (i * i + j * j + k * k) * d * d / (re * re);
        sum += t > 0 && (k < 0 || !below) ? t * t * t : 0;
    }
    return sum;
}

static void lattice_sums_agree_with_brute_force(void **state)
{
    (void)state;
    for (int k = 0; k < REACHES; k++) {
        double re = reaches[k] * d, n0 = moment(re, 0, 0, 0, false, false);
        OozeMpsLattice l = ooze_mps_lattice(d, re);
        CHECK_NEAR(l.number / n0, 1, 1e-12);
        CHECK_NEAR(l.density / density_sum(re, false), 1, 1e-12);
        CHECK_NEAR(l.flat_number * n0 / moment(re, 0, 0, 0, true, false), 1, 1e-12);
        CHECK_NEAR(l.flat_density * l.density / density_sum(re, true), 1, 1e-12);
        CHECK_NEAR(l.flat_edge / -(l.laplacian * moment(re, 0, 0, 1, true, false)), 1, 1e-12);
        CHECK_NEAR(l.normal / (0.5 * l.laplacian * moment(re, 0, 0, 2, true, false)), 1, 1e-12);
        /* tangential second moment of the half space over that of the layer at the wall */
        double plane = moment(re, 2, 0, 0, false, false) - 2 * moment(re, 2, 0, 0, true, false);
        CHECK_NEAR(l.mirror / (moment(re, 2, 0, 0, true, false) / plane), 1, 1e-12);
        CHECK_NEAR(l.corner_number /
                       (moment(re, 0, 0, 0, true, true) / moment(re, 0, 0, 0, true, false)),
                   1, 1e-12);
    }
}

/* The Laplacian sum c w (f_j - f_i) of |x|^2 is 6 and of linear fields 0; sum h x^T with
   h = c w x / 2 is the identity. */
static void laplacian_is_exact_for_quadratic_fields(void **state)
{
    (void)state;
    for (int k = 0; k < REACHES; k++) {
        double re = reaches[k] * d, c = ooze_mps_lattice(d, re).laplacian;
        double xx = moment(re, 2, 0, 0, false, false), yy = moment(re, 0, 2, 0, false, false);
        CHECK_NEAR(c * (xx + yy + moment(re, 0, 0, 2, false, false)), 6, 1e-12);
        CHECK_NEAR(0.5 * c * xx, 1, 1e-12);
        CHECK_NEAR(0.5 * c * moment(re, 1, 1, 0, false, false), 0, 1e-12);
        CHECK_NEAR(c * d * moment(re, 1, 0, 0, false, false), 0, 1e-12);
    }
}

/* The half space below a wall at half a spacing holds what the lattice lacks: one for the first
   layer, and little for the second. */
static void wall_share_is_one_in_the_first_layer(void **state)
{
    (void)state;
    double re = reaches[DEFAULT_REACH] * d;
    CHECK_NEAR(ooze_mps_wall_share(0.5 * d, d, re), 1, 1e-14);
    CHECK_NEAR(ooze_mps_wall_share(1.5 * d, d, re), 0.03, 0.005);
    assert_true(ooze_mps_wall_share(re, d, re) == 0);
    assert_true(ooze_mps_wall_share(-d, d, re) == ooze_mps_wall_share(0, d, re));
    CHECK_NEAR(ooze_mps_mirror(0.4, 1, 1), 1.4, 1e-14);
    CHECK_NEAR(ooze_mps_mirror(0.4, 7, 0.5), 1.2, 1e-14);
    CHECK_NEAR(ooze_mps_mirror(0.4, 0, 1), 1, 1e-14);
}

/* ---- T3: the pair force ---------------------------------------------------------------------- */

static void pairs_repel_below_the_spacing_and_attract_above(void **state)
{
    (void)state;
    double re = reaches[DEFAULT_REACH] * d, worst = 0;
    assert_true(ooze_mps_cohesion(0.8 * d, d, re) < 0);
    assert_true(ooze_mps_cohesion(1.2 * d, d, re) > 0);
    assert_true(ooze_mps_cohesion(2.0 * d, d, re) > 0);
    CHECK_NEAR(ooze_mps_cohesion(d, d, re) / (d * d), 0, 1e-12);
    for (int k = 0; k < REACHES; k++) {
        for (double r = 0.05; r < reaches[k] + 0.3; r += 0.0137) {
            double h = 1e-4 * d, reach = reaches[k] * d;
            double slope = (ooze_mps_potential(r * d + h, d, reach) -
                            ooze_mps_potential(r * d - h, d, reach)) /
                           (2 * h);
            worst = fmax(worst, fabs(ooze_mps_cohesion(r * d, d, reach) - slope) / (d * d));
        }
        assert_true(ooze_mps_potential(d, d, reaches[k] * d) < 0);
        assert_true(ooze_mps_potential(reaches[k] * d, d, reaches[k] * d) == 0);
    }
    MEASURED("force minus slope of the potential, over d^2", worst, 0, 1e-6);
}

/* ---- surface tension ------------------------------------------------------------------------- */

/* Work over C that separates the half lattices above and below a plane, per particle of a layer:
   all pairs across it. */
static double separation_work(double re)
{
    double work = 0;
    for (int low = -5; low <= 0; low++) {
        for (int m = 0; m < 11 * 11 * 5; m++) {
            int i = m % 11 - 5, j = m / 11 % 11 - 5, k = m / 121 + 1 - low;
            work -= ooze_mps_potential(d * sqrt(i * i + j * j + k * k), d, re);
        }
    }
    return work;
}

static void cohesion_work_is_twice_the_surface_tension(void **state)
{
    (void)state;
    const double sigma = 0.0728;
    for (int k = 0; k < REACHES; k++) {
        double re = reaches[k] * d, work = separation_work(re);
        CHECK_NEAR(ooze_mps_cohesion_work(d, re) / work, 1, 1e-12);
        /* two new surfaces of area d^2 */
        CHECK_NEAR(ooze_mps_cohesion_scale(sigma, d, re) * work / (2 * d * d) / sigma, 1, 1e-12);
    }
}

/* ---- walls ----------------------------------------------------------------------------------- */

static double shell(double s, double re, double z)
{
    (void)z;
    return ooze_mps_potential(s, d, re) * s;
}

/* Potential of a sample of a wall at the distance r. */
static double wall_potential(double r, double re)
{
    return integrate(shell, r, re, re, 0) / (r * d);
}

/* Of a plane at the distance z, per area of a particle of the wall. */
static double plane_ring(double r, double re, double z)
{
    (void)z;
    return 2 * OOZE_PI * r * wall_potential(r, re);
}

/* Of the half space beyond z, per volume of a particle. */
static double half_space_shell(double s, double re, double z)
{
    return 2 * OOZE_PI * s * (s - z) * ooze_mps_potential(s, d, re);
}

/* Pull of the plane along its normal. */
static double pull_ring(double r, double re, double z)
{
    return 2 * OOZE_PI * z * ooze_mps_wall_cohesion(r, d, re);
}

static void plane_of_samples_acts_as_the_half_space(void **state)
{
    (void)state;
    double re = reaches[DEFAULT_REACH] * d, slope_error = 0, energy_error = 0, pull_error = 0;
    for (double z = 0.15; z < 2.1; z += 0.13) {
        double r = z * d, h = 1e-5 * d;
        double slope = (wall_potential(r + h, re) - wall_potential(r - h, re)) / (2 * h);
        slope_error = fmax(slope_error, fabs(ooze_mps_wall_cohesion(r, d, re) - slope) / (d * d));
        double half_space = integrate(half_space_shell, r, re, re, r) / d;
        double plane = integrate(plane_ring, r, re, re, r);
        energy_error = fmax(energy_error, fabs(plane - half_space) / pow(d, 5));
        double force = (integrate(half_space_shell, r + h, re, re, r + h) -
                        integrate(half_space_shell, r - h, re, re, r - h)) /
                       (2 * h * d);
        pull_error = fmax(pull_error, fabs(integrate(pull_ring, r, re, re, r) - force) / pow(d, 4));
    }
    MEASURED("pull of a sample minus slope of its potential, over d^2", slope_error, 0, 1e-6);
    MEASURED("energy of a plane of samples minus half space, over d^5", energy_error, 0, 1e-6);
    MEASURED("pull of a plane of samples minus half space, over d^4", pull_error, 0, 1e-6);
    assert_true(ooze_mps_wall_cohesion(re, d, re) == 0);
    assert_true(isfinite(ooze_mps_wall_cohesion(0, d, re)));
}

/* Young's equation: work of adhesion sigma (1 + cos theta). */
static void adhesion_follows_the_contact_angle(void **state)
{
    (void)state;
    CHECK_NEAR(ooze_mps_adhesion(cos(OOZE_PI / 6)), 0.933, 5e-4);
    CHECK_NEAR(ooze_mps_adhesion(0), 0.5, 1e-15);
    CHECK_NEAR(ooze_mps_adhesion(-1), 0, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_end_at_the_reach),
        cmocka_unit_test(lattice_sums_agree_with_brute_force),
        cmocka_unit_test(laplacian_is_exact_for_quadratic_fields),
        cmocka_unit_test(wall_share_is_one_in_the_first_layer),
        cmocka_unit_test(pairs_repel_below_the_spacing_and_attract_above),
        cmocka_unit_test(cohesion_work_is_twice_the_surface_tension),
        cmocka_unit_test(plane_of_samples_acts_as_the_half_space),
        cmocka_unit_test(adhesion_follows_the_contact_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
