/* Coefficients of the velocity solve, and conformations at the end of the step. */
#include "methods/conformation/cpu/impact_solve.h"
#include "methods/conformation/lodge_formula.h"
#include "methods/conformation/pressure_solve.h"

static void run(const OozeConformationStep *s, OozeRangeBody body, void *data)
{
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, body, data);
}

/* ---- coefficients of a pass --------------------------------------------------------------- */

/* The row whose stress a particle carries: its own material's, or on a body that of the fluid
   that wets it. */
static uint16_t stress_row(const OozeConformationStep *s, uint64_t i)
{
    return s->bodies ? s->bodies->film[i] : s->material[i];
}

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

/* What the coefficients of all particles depend on. */
static OozeLodgeState state_of_step(const OozeConformationStep *s, bool later_pass)
{
    return (OozeLodgeState){.more = s->more_modes,
                            .later_pass = later_pass,
                            .dt = s->dt,
                            .bulk_factor = ooze_impact_bulk(s->plan->settings.bulk, s->long_step),
                            .void_closure = s->plan->settings.void_closure};
}

/* Second order: takes a part of the external forces out of u*, and puts it back in the second
   stage. */
static void defer_forces(OozeLodge *solve, uint64_t i, float share, bool later_pass)
{
    const OozeConformationStep *s = solve->step;
    if (later_pass) {
        solve->u_star[i] += solve->deferred[i] * ooze_f32x4(1, 1, 1, 0);
        return;
    }
    const OozeFloat4 v = ooze_particles_velocities(s->context->particles)[i];
    bool own = s->mobility[i] > 0.0f && s->rheology[s->material[i]].second_order;
    OozeF32x4 change = solve->u_star[i] - ooze_f32x4(v.x, v.y, v.z, 0);
    OozeF32x4 deferred = (own ? share : 0.0f) * change;
    solve->u_star[i] -= deferred;
    deferred[3] = share;
    solve->deferred[i] = deferred;
}

/* Where the grid holds the fluid, its pressure closes voids. */
static float void_expansion(const OozeConformationStep *s, uint64_t i)
{
    bool held = s->grid_pressure && s->grid_pressure->reached[i] > 0.0f;
    return held ? 0.0f : s->expansion[i];
}

static void prepare_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeLodge *solve = data;
    OozeConformationStep *s = solve->step;
    const bool later_pass = solve->pass > 0; /* Q rotates with its velocity; or the second stage */
    OozeLodgeState state = state_of_step(s, later_pass);
    for (uint64_t i = begin; i < end; i++) {
        uint16_t row = stress_row(s, i);
        state.l = ooze_velocity_gradient(s, i);
        ooze_modes_get(s, i, state.q);
        state.expansion = void_expansion(s, i);
        state.singular = s->correction[i].xx == 0.0f;
        if (solve->deferred && later_pass) {
            state.first_share = solve->deferred[i][3];
            state.first_stress = ooze_sym3_scale(solve->explicit_stress[i],
                                                 row != s->material[i] ? 1.0f / OOZE_FILM : 1.0f);
        }
        OozeLodgeCoefficients c = ooze_lodge_coefficients(&s->rheology[row], &state);
        s->stress[i] = c.stress;
        if (s->thread_regularisation) {
            s->thread_regularisation[i] =
                ooze_lodge_thread_regularisation(&s->rheology[s->material[i]], &state);
        }
        if (s->long_step) {
            ooze_impact_add_pressure(solve, i, &state, &c);
        }
        if (solve->deferred) {
            defer_forces(solve, i, c.share, later_pass);
        }
        if (row != s->material[i]) {
            c = ooze_lodge_wet_body(c, &s->rheology[s->material[i]], s->plan->settings.bulk);
        }
        solve->stiffness[i] = c.stiffness;
        solve->explicit_stress[i] = c.explicit_stress;
        solve->bulk[i] = c.bulk;
        solve->hourglass[i] = c.hourglass;
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
    OozeRheology row = s->rheology[stress_row(s, i)];
    row.second_order = false;
    ooze_modes_get(s, i, state->q);
    state->expansion = void_expansion(s, i);
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
    OozeLodgeState state = state_of_step(s, true);
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
    const OozeSym3 one = ooze_sym3_identity(1), rest[OOZE_MODES] = {one, one, one, one};
    const float cutoff = OOZE_VOID_CLOSURE_CUTOFF * s->flat_gradient;
    OozeLodgeEnd particle = {.more = s->more_modes, .dt = s->dt};
    for (uint64_t i = begin; i < end; i++) {
        uint16_t row = stress_row(s, i);
        particle.body = s->bodies && s->bodies->slot[i] != UINT32_MAX;
        if (particle.body && row == s->material[i]) {
            set_modes(s, i, rest); /* dry: it has no conformation */
            continue;
        }
        ooze_modes_get(s, i, particle.q);
        particle.expansion = s->expansion[i];
        particle.density = s->density[i];
        particle.surface = s->surface_indicator[i] / cutoff;
        ooze_lodge_end(&s->rheology[row], ooze_velocity_gradient(s, i), &particle);
        set_modes(s, i, particle.q);
        s->expansion[i] = particle.expansion;
    }
}

void ooze_lodge_finish(OozeConformationStep *s)
{
    run(s, finish_range, s);
    ooze_warm_start_store(s);
}
