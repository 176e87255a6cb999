/* Coefficients of the velocity solve, and conformations at the end of the step: see
   methods/conformation/lodge.c. */
#include "cuda/ranks.cuh"
#include "methods/conformation/cuda/dynamic_solids.cuh"
#include "methods/conformation/cuda/impact.cuh"

namespace ooze
{

/* ---- coefficients of a pass ---- */

/* Loops are compiled for fluids of one mode and for others: further modes cost registers, and
   most scenes have none. */
template <bool MODES> OOZE_DEVICE int more_modes(const StepView &s)
{
    return MODES ? s.more_modes : 0;
}

/* Second order: takes a part of the external forces out of u*, and puts it back in the second
   stage. */
OOZE_DEVICE void defer_forces(const StepView &s, const LodgeView &v, uint32_t i, float share,
                              bool later_pass)
{
    if (later_pass) {
        float4 back = v.deferred[i];
        v.u_star[i] = v.u_star[i] + f32x4(back.x, back.y, back.z);
        return;
    }
    bool own = s.mobility[i] > 0.0f && s.rheology[s.material[i]].second_order;
    float4 before = s.velocity[i], u = v.u_star[i];
    float4 deferred = (own ? share : 0.0f) * f32x4(u.x - before.x, u.y - before.y, u.z - before.z);
    v.u_star[i] = u - deferred;
    deferred.w = share;
    v.deferred[i] = deferred;
}

template <bool MODES, bool LONG_STEP>
OOZE_DEVICE void prepare_particle(const StepView &s, const LodgeView &v, uint32_t i, OozeMat3 l,
                                  bool later_pass)
{
    OozeLodgeState state;
    state.more = more_modes<MODES>(s);
    modes_get(s, i, state.more, state.q);
    state.l = l;
    /* where the grid holds the fluid, its pressure closes voids */
    state.expansion = s.reached && s.reached[i] > 0.0f ? 0.0f : s.expansion[i];
    state.singular = s.correction[i].xx == 0.0f;
    state.later_pass = later_pass;
    state.dt = s.dt;
    state.bulk_factor = ooze_impact_bulk(s.bulk, LONG_STEP);
    state.void_closure = s.void_closure;
    bool wet_body = s.body && s.film[i] != s.material[i];
    if (v.deferred && later_pass) {
        state.first_share = v.deferred[i].w;
        state.first_stress =
            ooze_sym3_scale(v.explicit_stress[i], wet_body ? 1.0f / OOZE_FILM : 1.0f);
    }
    OozeLodgeCoefficients c = ooze_lodge_coefficients(&s.rheology[s.film[i]], &state);
    s.stress[i] = c.stress;
    if (s.thread_regularisation) {
        s.thread_regularisation[i] =
            ooze_lodge_thread_regularisation(&s.rheology[s.material[i]], &state);
    }
    if (LONG_STEP) {
        ooze_impact_oppose_compression(&state, impact_density(s, i), &v.pressure[i], &c);
    }
    if (v.deferred) {
        defer_forces(s, v, i, c.share, later_pass);
    }
    if (wet_body) {
        c = ooze_lodge_wet_body(c, &s.rheology[s.material[i]], s.bulk);
    }
    v.stiffness[i] = c.stiffness;
    v.explicit_stress[i] = c.explicit_stress;
    v.bulk[i] = c.bulk;
    v.hourglass[i] = c.hourglass;
}

template <int LANES, bool WRAPS, bool MODES, bool LONG_STEP = false>
static void prepare_loop(Lodge *solve, bool later_pass)
{
    StepView s = solve->step->view;
    LodgeView v = solve->view;
    for_lanes<LANES>(
        solve->step->gpu, needed_particles(solve->step->gpu, s.n),
        OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane == 0) {
                OozeMat3 l = ooze_mat3_mul_sym3(rows.gradient, s.correction[i]);
                prepare_particle<MODES, LONG_STEP>(s, v, i, l, later_pass);
            }
        });
}

void scale_second_stage(OozeLodge *of, float factor)
{
    Lodge *solve = lodge_of(of);
    LodgeView v = solve->view;
    for_each(
        solve->step->gpu, solve->step->view.n, OOZE_BODY(uint32_t i) {
            if (v.deferred[i].w > 0.0f) {
                ooze_lodge_scale(&v.stiffness[i], &v.bulk[i], &v.hourglass[i], factor);
            }
        });
    refresh(solve->step->gpu, v.hourglass, sizeof *v.hourglass);
    sum_edges(solve->step, v.hourglass, v.edge_hourglass);
    pack_hourglass(solve->step, &solve->view.pack, v.hourglass);
}

void prepare(OozeLodge *of)
{
    Lodge *solve = lodge_of(of);
    const bool later_pass = of->pass > 0;
#define PREPARE(lanes, wraps)                                                                      \
    (solve->step->view.more_modes ? prepare_loop<lanes, wraps, true>(solve, later_pass)            \
                                  : prepare_loop<lanes, wraps, false>(solve, later_pass))
/* one kernel for all kinds of fluids and boxes: few scenes have long steps */
#define PREPARE_LONG(lanes) prepare_loop<lanes, true, true, true>(solve, later_pass)
    if (solve->impact) {
        OOZE_LANES(solve->step->view.n, PREPARE_LONG);
    } else {
        OOZE_EACH_KIND(solve->step, PREPARE);
    }
    refresh(solve->step->gpu, solve->view.hourglass, sizeof *solve->view.hourglass);
    sum_edges(solve->step, solve->view.hourglass, solve->view.edge_hourglass);
}

/* ---- end of step ---- */

template <int LANES, bool WRAPS, bool MODES> static void finish_loop(Step *step)
{
    StepView s = step->view;
    const DynamicView dynamic = dynamic_view(step);
    for_lanes<LANES>(
        step->gpu, needed_particles(step->gpu, s.n), OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows rows = raw_rows<LANES, WRAPS>(s, s.u, i, lane, true);
            if (lane != 0) {
                return;
            }
            OozeLodgeEnd particle;
            particle.more = more_modes<MODES>(s);
            particle.body = s.body && s.body[i];
            if (particle.body && s.film[i] == s.material[i]) { /* dry: it has no conformation */
                for (int k = 0; k <= particle.more; k++) {
                    particle.q[k] = ooze_sym3_identity(1);
                }
            } else {
                modes_get(s, i, particle.more, particle.q);
                particle.expansion = s.expansion[i];
                particle.density = s.density[i];
                particle.surface =
                    s.surface_indicator[i] / (OOZE_VOID_CLOSURE_CUTOFF * s.flat_gradient);
                particle.dt = s.dt;
                ooze_lodge_end(&s.rheology[s.film[i]],
                               ooze_mat3_mul_sym3(rows.gradient, s.correction[i]), &particle);
                s.expansion[i] = particle.expansion;
            }
            modes_set(s, i, particle.more, particle.q);
            if (s.reached) { /* pressures are kept instead: grid_pressure.cu */
                return;
            }
            float4 next = s.next_velocity_change[i];
            float *stored = s.velocity_change + 3 * (uint64_t)i;
            stored[0] = next.x;
            stored[1] = next.y;
            stored[2] = next.z;
            if (s.first_push) {
                s.multiplier[i] = ooze_push_multiplier_stored(s.density_multiplier[i], s.dt);
                ooze_push_forget(s.push, i);
            } else if (s.expects_pushes) {
                ooze_push_record(s.push, i, &s.shift[i].x, dynamic_push_share(s, dynamic, i), s.dt);
                if (s.multiplier) {
                    s.multiplier[i] = 0.0f;
                }
            }
        });
}

void finish_lodge(OozeConformationStep *s)
{
    Step *step = step_of(s);
#define FINISH(lanes, wraps)                                                                       \
    (step->view.more_modes ? finish_loop<lanes, wraps, true>(step)                                 \
                           : finish_loop<lanes, wraps, false>(step))
    OOZE_EACH_KIND(step, FINISH);
}

} // namespace ooze
