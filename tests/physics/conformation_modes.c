/* Acceptance tests of fluids with several relaxation times, and of pastes: a channel between
   plates. */
#include "physics/channel.h"

static const double density = 1000;

typedef struct Number {
    const char *key;
    double value;
} Number;

/* Numbers end with a key that is NULL. */
static Channel make_channel(double spacing, double time_step, double push, const Number *numbers)
{
    Channel c = open_channel(spacing, time_step, push);
    OozeMaterialDef def = ooze_material_def_default();
    CHECK_OK(ooze_material_def_set(&def, "density", density, &error));
    for (; numbers->key; numbers++) {
        CHECK_OK(ooze_material_def_set(&def, numbers->key, numbers->value, &error));
    }
    CHECK_OK(ooze_world_add_material(c.world, &def, NULL, &error));
    fill_channel(&c);
    return c;
}

/* The upper plate jumps by a twentieth of the gap and stays: the stress in the middle falls as the
   sum of G exp(-t/tau). The strain is imposed by the plate alone; waves cross the gap in 10 ms
   and die out by the implicit step. The bounds are those of one mode (T06). */
static void conformation_T52_two_modes(void **state)
{
    (void)state;
    const double g[2] = {3e5, 1e5}, tau[2] = {0.04, 0.4}, strain = 0.05, d = 0.01, dt = 1.0 / 240;
    const Number fluid[] = {{"modulus", g[0]},
                            {"relaxation_time", tau[0]},
                            {"modulus_2", g[1]},
                            {"relaxation_time_2", tau[1]},
                            {NULL, 0}};
    Channel c = make_channel(d, dt, 0, fluid);
    set_param(c.world, "velocity_iterations", 60);
    jump(&c, strain * c.height, dt);
    int done = 0, when[] = {10, 30, 60, 120};
    double y = 0.5 * c.height, last[2] = {0}, since = 0;
    for (int k = 0; k < 4; k++) {
        advance(c.world, (when[k] - done) * dt);
        done = when[k];
        double e[2] = {layer_mean(&c, "conformation", 3, y),
                       layer_mean(&c, "conformation_2", 3, y)};
        double t = done * dt, theory = 0, stress = g[0] * e[0] + g[1] * e[1];
        for (int m = 0; m < 2; m++) {
            theory += g[m] * strain * exp(-t / tau[m]);
        }
        printf("  %.4f s: %.0f Pa\n", t, stress);
        MEASURED("stress over the sum of two modes", stress / theory, 0.85, 1.15);
        for (int m = 0; m < 2 && k == 1; m++) { /* before the quick one is lost in noise */
            MEASURED("relaxation time over that of its mode",
                     (t - since) / log(last[m] / e[m]) / tau[m], 0.9, 1.1);
        }
        last[0] = e[0];
        last[1] = e[1];
        since = t;
    }
    ooze_world_destroy(c.world);
}

/* Paste pushed through a channel: stress is rho g times the height above the middle, so that the
   velocity's slope at one height gives the rate of shear at a known stress. The middle, where
   the yield stress is not reached, moves as a plug. */
static void conformation_T53_herschel_bulkley(void **state)
{
    (void)state;
    const double modulus = 4000, limit = 0.05, eta = 100, at = 5, n = 0.5, d = 0.02, dt = 1.0 / 240;
    const double yields = modulus * limit, y = 0.35 * CHANNEL_LAYERS * d;
    const Number paste[] = {{"modulus", modulus},
                            {"yield_strain", limit},
                            {"thinning", 1},
                            {"solvent_viscosity", eta},
                            {"thinning_rate", at},
                            {"thinning_exponent", n},
                            {NULL, 0}};
    double rates[2] = {1.5, 12}, above[2], found[2];
    for (int k = 0; k < 2; k++) {
        double stress = yields + eta * pow(at, 1 - n) * pow(rates[k], n);
        Channel c = make_channel(d, dt, stress / (density * y), paste);
        set_param(c.world, "velocity_iterations", 30);
        advance(c.world,
                2.0); /* rho gap^2 over pi^2 times the slope of stress over rate is 0.5 s at 12/s */
        double middle = 0.5 * c.height, up = middle + y;
        double high = layer_mean(&c, "velocity", 0, up + d),
               low = layer_mean(&c, "velocity", 0, up - d);
        double centre = layer_mean(&c, "velocity", 0, middle);
        double plug = fmin(0.8 * yields / stress * y, 0.3 * c.height);
        double beside = layer_mean(&c, "velocity", 0, middle + plug);
        found[k] = (low - high) / (2 * d);
        above[k] = stress - yields;
        printf("  %.0f Pa: rate %.3g 1/s, %.3g by the law; speed %.3g m/s in the middle\n", stress,
               found[k], rates[k], centre);
        MEASURED("rate over the law's", found[k] / rates[k], 0.9, 1.1);
        MEASURED("speed at the rim of the plug over the middle's", beside / centre, 0.97, 1.01);
        ooze_world_destroy(c.world);
    }
    MEASURED("exponent", log(above[1] / above[0]) / log(found[1] / found[0]), n - 0.05, n + 0.05);
    Channel c = make_channel(d, dt, 0.8 * yields / (density * 0.5 * CHANNEL_LAYERS * d), paste);
    set_param(c.world, "velocity_iterations", 30);
    advance(c.world, 0.5);
    MEASURED("speed below the yield stress, m/s", layer_mean(&c, "velocity", 0, 0.5 * c.height),
             -1e-2, 1e-2);
    ooze_world_destroy(c.world);
}

ACCEPTANCE_MAIN(cmocka_unit_test(conformation_T52_two_modes),
                cmocka_unit_test(conformation_T53_herschel_bulkley))
