/* Experiments for a material: every preset, and materials at the limits of the scene format. */
#include "check.h"

#include "materials/material.h"
#include "rheometer/protocol.h"

typedef struct Number {
    const char *key;
    double value;
} Number;

static OozeMaterialDef make(const Number *numbers)
{
    OozeMaterialDef def = ooze_material_def_default();
    for (; numbers->key; numbers++) {
        CHECK_OK(ooze_material_def_set(&def, numbers->key, numbers->value, &error));
    }
    return def;
}

/* Steps that an experiment takes before the material's inertia is looked at; none may be without
   end. */
static double steps_of(const OozeExperiment *e, double dt)
{
    switch (e->kind) {
    case OOZE_EXPERIMENT_OSCILLATION:
        return (e->seconds + 2 * OOZE_PI / e->x[0]) / dt;
    case OOZE_EXPERIMENT_LARGE:
        return 2 * 2 * OOZE_PI / (e->seconds * dt);
    case OOZE_EXPERIMENT_RELAXATION:
    case OOZE_EXPERIMENT_CREEP:
        return e->x[e->count - 1] / dt;
    default:
        return e->seconds / dt;
    }
}

/* The fastest that is resolved: a strain of a step, or steps of a period. */
static double fastest(const OozeExperiment *e, double dt)
{
    switch (e->kind) {
    case OOZE_EXPERIMENT_OSCILLATION:
        return 2 * OOZE_PI / (OOZE_PROTOCOL_PERIOD * dt);
    case OOZE_EXPERIMENT_FLOW:
    case OOZE_EXPERIMENT_PLATES:
    case OOZE_EXPERIMENT_STRETCH:
        return OOZE_PROTOCOL_STRAIN / dt;
    default:
        return INFINITY;
    }
}

static void check_experiment(const OozeExperiment *e, const OozeTheory *t, double dt)
{
    assert_in_range(e->count, 1, OOZE_EXPERIMENT_POINTS);
    assert_true(isfinite(e->size) && e->size >= 0.0);
    assert_true(isfinite(e->seconds) && e->seconds >= 0.0);
    for (int k = 0; k < e->count; k++) {
        assert_true(isfinite(e->x[k]) && e->x[k] > 0.0);
        assert_true(k == 0 || e->x[k] > e->x[k - 1]);
        assert_true(e->x[k] <= fastest(e, dt) * (1 + 1e-12));
        if (e->kind == OOZE_EXPERIMENT_OSCILLATION) {
            double multiple = e->x[k] / e->x[0];
            CHECK_NEAR(multiple, round(multiple), 1e-9);
        }
    }
    bool strains = e->kind == OOZE_EXPERIMENT_OSCILLATION || e->kind == OOZE_EXPERIMENT_RELAXATION;
    if (strains) { /* small, and below what yields */
        assert_true(e->size > 0.0 && e->size <= 0.1 && e->size < t->yield);
    }
    assert_true(steps_of(e, dt) <= 3001.0);
}

static void check_protocol(const OozeMaterialDef *def, double spacing, double dt)
{
    OozeSample sample = {.material = def, .spacing = spacing, .time_step = dt};
    OozeTheory t = ooze_theory(def, spacing, dt);
    OozeExperiment list[OOZE_PROTOCOL_MAX];
    int count = ooze_protocol(&t, &sample, list);
    assert_in_range(count, 1, OOZE_PROTOCOL_MAX);
    double time = ooze_protocol_time(&t, dt), seconds = ooze_protocol_seconds(&t, dt);
    assert_true(isfinite(time) && time > 0.0);
    assert_true(isfinite(seconds) && seconds >= 0.0 && seconds <= 1000 * dt * (1 + 1e-12));
    bool flows = false;
    for (int i = 0; i < count; i++) {
        check_experiment(&list[i], &t, dt);
        flows = flows || list[i].kind == OOZE_EXPERIMENT_FLOW;
    }
    assert_true(flows == !ooze_theory_is_solid(&t)); /* what springs back does not flow */
}

static const double time_steps[] = {1e-5, 1.0 / 1000.0, 1.0 / 240.0, 0.05};

static void presets_have_a_protocol(void **state)
{
    (void)state;
    assert_true(ooze_preset_count() >= 20);
    for (int p = 0; p < ooze_preset_count(); p++) {
        OozeMaterialDef def;
        CHECK_OK(ooze_material_preset(ooze_preset_info(p)->name, &def, &error));
        for (int s = 0; s < 4; s++) {
            check_protocol(&def, 0.01, time_steps[s]);
        }
    }
}

static void any_material_has_a_protocol(void **state)
{
    (void)state;
    const Number *const materials[] = {
        (Number[]){{"viscosity", 1e-9}, {NULL, 0}},
        (Number[]){{"viscosity", 1e9}, {NULL, 0}},
        (Number[]){{NULL, 0}}, /* without any number */
        (Number[]){{"modulus", 1e-3}, {NULL, 0}},
        (Number[]){{"modulus", 1e9}, {NULL, 0}},
        (Number[]){{"modulus", 400}, {"relaxation_time", 1e-6}, {NULL, 0}},
        (Number[]){{"modulus", 400}, {"relaxation_time", 1e6}, {NULL, 0}},
        (Number[]){{"modulus", 400},
                   {"relaxation_time", 1e-6},
                   {"modulus_2", 4},
                   {"relaxation_time_2", 1e6},
                   {NULL, 0}},
        (Number[]){{"compliance", 0}, {NULL, 0}},
        (Number[]){{"compliance", 0}, {"relaxation_time", 0}, {NULL, 0}},
        (Number[]){{"compliance", 0}, {"relaxation_time", 0.3}, {NULL, 0}},
        (Number[]){{"modulus", 1e5}, {"yield_strain", 1e-4}, {NULL, 0}},
        (Number[]){{"modulus", 10},
                   {"yield_strain", 0.5},
                   {"solvent_viscosity", 1e6},
                   {"thinning_rate", 1e-3},
                   {"thinning_exponent", 0.1},
                   {"thinning", OOZE_THINNING_POWER_LAW},
                   {NULL, 0}},
        (Number[]){{"viscosity", 5}, {"thinning_rate", 1e5}, {"thinning_exponent", 0.3}, {NULL, 0}},
    };
    for (size_t i = 0; i < sizeof materials / sizeof *materials; i++) {
        OozeMaterialDef def = make(materials[i]);
        for (int s = 0; s < 4; s++) {
            check_protocol(&def, 0.01, time_steps[s]);
            check_protocol(&def, 1e-5, time_steps[s]);
        }
    }
}

/* A Maxwell fluid is measured about 1/tau, where its moduli cross. */
static void rates_are_near_the_inverse_relaxation_time(void **state)
{
    (void)state;
    OozeMaterialDef def = make((Number[]){{"modulus", 4000}, {"relaxation_time", 0.1}, {NULL, 0}});
    OozeSample sample = {.material = &def, .spacing = 0.01, .time_step = 1.0 / 240.0};
    OozeTheory t = ooze_theory(&def, 0.01, 1.0 / 240.0);
    CHECK_NEAR(ooze_protocol_time(&t, 1.0 / 240.0), 0.1, 1e-12);
    OozeExperiment list[OOZE_PROTOCOL_MAX];
    int count = ooze_protocol(&t, &sample, list);
    bool kinds[OOZE_EXPERIMENT_KIND_COUNT] = {false};
    for (int i = 0; i < count; i++) {
        const OozeExperiment *e = &list[i];
        kinds[e->kind] = true;
        if (e->kind == OOZE_EXPERIMENT_FLOW || e->kind == OOZE_EXPERIMENT_OSCILLATION) {
            assert_true(e->x[0] < 10.0 && e->x[e->count - 1] > 10.0);
        }
        if (e->kind == OOZE_EXPERIMENT_RELAXATION) {
            CHECK_NEAR(e->x[e->count - 1], 0.3, 1.0 / 240.0);
        }
    }
    for (int k = 0; k < OOZE_EXPERIMENT_KIND_COUNT; k++) {
        assert_true(kinds[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_have_a_protocol),
        cmocka_unit_test(any_material_has_a_protocol),
        cmocka_unit_test(rates_are_near_the_inverse_relaxation_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
