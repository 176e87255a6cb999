/* Acceptance test of the swell of a sheet that leaves a slit, scenes/theory/die_swell.yaml. */
#include "physics/fixtures.h"

static const double GAP = 0.012, SPEED = 0.05, SPACING = 0.0015, WIDTH = 0.0105; /* of the scene */

/* Thickness by volume over the gap, between half a gap and one gap behind the exit. */
static double thickness(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    double count = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        double along = ooze_field_value(x, i, 0);
        count += along >= 0.5 * GAP && along < GAP;
    }
    return count * pow(SPACING, 3) / (0.5 * GAP * WIDTH * GAP);
}

/* Mean over the time in which the fluid moves by a gap, after it has moved by `gaps`. `elasticity`
   is the relaxation time times the rate of shear at the wall, `pressure` a choice of that name. */
static double swell(double elasticity, double gaps, const char *pressure)
{
    char at_first[64], later[64], choice[64];
    double tau = elasticity * GAP / (6 * SPEED);
    snprintf(at_first, sizeof at_first, "materials.melt.relaxation_time=%g",
             fmax(fmin(tau, 0.01), 1e-9));
    snprintf(later, sizeof later, "changes.0.to=%g", fmax(tau, 1e-9));
    snprintf(choice, sizeof choice, "method.pressure=%s", pressure);
    const char *overrides[] = {at_first, later, choice};
    OozeWorld *world = begin_scene("theory", "die_swell", overrides, 3);
    advance(world, gaps * GAP / SPEED);
    enum { READINGS = 20 };
    double mean = 0;
    for (int k = 0; k < READINGS; k++) {
        advance(world, GAP / SPEED / READINGS);
        mean += thickness(world) / READINGS;
    }
    ooze_world_destroy(world);
    return mean;
}

/* Tanner's formula (1970) for a plane sheet, with the swell of a Newtonian fluid. */
static double tanner(double elasticity)
{
    return 0.19 + pow(1 + elasticity * elasticity / 3, 0.25);
}

static void conformation_T126_die_swell(void **state)
{
    (void)state;
    double newtonian = swell(0, 2, "density_stage");
    MEASURED("Newtonian sheet: thickness over theory", newtonian / tanner(0), 0.9, 1.1);
    if (!full_sweep()) {
        return; /* minutes */
    }
    double slightly = swell(0.5, 5, "density_stage");
    double elastic = swell(1, 5, "density_stage");
    MEASURED("tau times rate 0.5: over Tanner's", slightly / tanner(0.5), 0.9, 1.1);
    MEASURED("tau times rate 1: over Tanner's", elastic / tanner(1), 0.85, 1.15);
    MEASURED("thickness at 0.5 less that at 0", slightly - newtonian, 0.01, 0.2);
    MEASURED("thickness at 1 less that at 0.5", elastic - slightly, 0.01, 0.3);
}

static void conformation_T126_die_swell_grid(void **state)
{
    (void)state;
    if (!full_sweep()) {
        SKIP_TEST("takes half a minute: only in make test-all");
    }
    MEASURED("grid, Newtonian sheet: thickness over theory", swell(0, 2, "grid") / tanner(0), 0.9,
             1.1);
}

ACCEPTANCE_MAIN(cmocka_unit_test(conformation_T126_die_swell),
                cmocka_unit_test(conformation_T126_die_swell_grid))
