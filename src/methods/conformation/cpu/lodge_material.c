/* Coefficients of the velocity solve, and conformations at the end of the step. */
#include "methods/conformation/cpu/lodge.h"
#include "methods/conformation/lodge_particle_formula.h"

static void run(const OozeConformationStep *s, OozeRangeBody body, void *data)
{
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, body, data);
}

/* ---- coefficients of a pass --------------------------------------------------------------- */

OozeMat3 ooze_velocity_gradient(const OozeConformationStep *s, uint64_t i)
{
    OozeF32x4 unused;
    return ooze_mat3_mul_sym3(ooze_raw_gradient(s, s->u, i, &unused, true), s->correction[i]);
}

static void set_modes(OozeConformationStep *s, uint64_t i, const OozeSym3 *q)
{
    ooze_strain_set(s, i, q[0]);
    for (int k = 0; k < s->more_modes; k++) {
        ooze_strain_write(s->more_conformation[k], i, q[k + 1]);
    }
}

static void prepare_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    OozeConformationStep *s = solve->step;
    OozeLodgeState state = {.more = s->more_modes, .later_pass = solve->pass > 0};
    for (uint64_t i = begin; i < end; i++) {
        state.l = ooze_velocity_gradient(s, i);
        ooze_modes_get(s, i, state.q);
        ooze_lodge_prepare_particle(s, solve, i, s->long_step, &state);
    }
}

void ooze_lodge_prepare(OozeLodge *solve)
{
    run(solve->step, prepare_range, solve);
}

/* ---- stress for output ---- */

/* Coefficients of first order, whose stress is that of the end of the step. */
static void set_first_order(OozeLodge *solve, uint64_t i, OozeLodgeState *state)
{
    const OozeConformationStep *s = solve->step;
    OozeRheology row = s->rheology[s->film[i]];
    row.second_order = false;
    ooze_modes_get(s, i, state->q);
    state->expansion = ooze_step_is_held(s, i) ? 0.0f : s->expansion[i];
    OozeLodgeCoefficients c = ooze_lodge_coefficients(&row, state);
    solve->stiffness[i] = c.stiffness;
    solve->explicit_stress[i] = c.explicit_stress;
    solve->bulk[i] = c.bulk;
}

/* The stress after the solve, S0 + C[D(u)], for output. */
static void report_stress_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    const OozeConformationStep *s = solve->step;
    OozeLodgeState state = {.more = s->more_modes,
                            .later_pass = true,
                            .dt = s->dt,
                            .bulk_factor = ooze_impact_bulk(s->bulk, s->long_step),
                            .void_closure = s->void_closure};
    for (uint64_t i = begin; i < end; i++) {
        state.l = ooze_velocity_gradient(s, i);
        if (solve->deferred && solve->deferred[i][3] > 0.0f) {
            set_first_order(solve, i, &state);
        }
        OozeSym3 stress =
            ooze_lodge_stress(ooze_mat3_symmetric(state.l), solve->stiffness[i], solve->bulk[i]);
        s->context->stress[i] = ooze_sym3_scale(ooze_sym3_add(solve->explicit_stress[i], stress),
                                                ooze_reference_density(s));
    }
}

void ooze_lodge_report_stress(OozeLodge *solve)
{
    if (solve->step->context->stress) {
        run(solve->step, report_stress_range, solve);
    }
}

/* ---- end of step -------------------------------------------------------------------------- */

static void finish_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeConformationStep *s = data;
    OozeLodgeEnd particle = {.more = s->more_modes};
    for (uint64_t i = begin; i < end; i++) {
        ooze_modes_get(s, i, particle.q);
        ooze_lodge_end_particle(s, i, ooze_velocity_gradient(s, i), &particle);
        set_modes(s, i, particle.q);
    }
}

void ooze_lodge_finish(OozeConformationStep *s)
{
    run(s, finish_range, s);
    ooze_warm_start_store(s);
}
