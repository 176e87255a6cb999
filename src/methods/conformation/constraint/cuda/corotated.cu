/* Sweeps of the position stage of `consistent`: see
   methods/conformation/constraint/cpu/corotated_loops.c.

   Packed gathers gather the shifts alone: the gradient of the velocities at the beginning of the
   stage and their hourglass force do not change between sweeps. */
#include "methods/conformation/constraint/cuda/constraint.cuh"

namespace ooze
{

/* ---- beginning ---- */

template <class GATHER> static void fixed_loop(Step *step)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_lanes<GATHER::LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows raw = GATHER::velocities(s, s.u, i, lane);
            if (lane != 0) {
                return;
            }
            OozeSym3 correction = sym3_at(s.correction, i);
            OozeMat3 l = ooze_mat3_mul_sym3(raw.gradient, correction);
            float n = s.dt * c.hourglass[i], edge_n = s.dt * c.edge_hourglass[i];
            StressFlux flux = stress_flux(ooze_sym3_identity(0), correction, l, n, s.u[i]);
            GATHER::store_flux(s, c, i, &flux);
            c.base[i] = stress_flux_base(flux, s.edge_sum[i], raw, n, edge_n, s.u[i]);
            for (int k = 0; k < 3; k++) {
                c.fixed[3 * (uint64_t)i + k] = f32x4(l.m[3 * k], l.m[3 * k + 1], l.m[3 * k + 2]);
            }
        });
}

template <class GATHER> static void fixed_push_loop(Step *step)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_lanes<GATHER::LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            float4 push = c.base[i] + GATHER::flux(s, c, i, lane);
            if (lane == 0) {
                c.fixed[3 * (uint64_t)i].w = push.x;
                c.fixed[3 * (uint64_t)i + 1].w = push.y;
                c.fixed[3 * (uint64_t)i + 2].w = push.z;
            }
        });
}

/* Hourglass coefficients for `sweeps` sweeps. */
void corotated_begin(Step *step, int sweeps)
{
    Gpu *gpu = step->gpu;
    StepView s = step->view;
    step->constraint->hourglass = scratch<float>(gpu, s.n);
    step->constraint->edge_hourglass = scratch<float>(gpu, s.n);
    ConstraintView c = *step->constraint;
    for_each(
        gpu, (uint64_t)s.n + 1, OOZE_BODY(uint32_t i) {
            float damping = 0.0f;
            if (i < s.n && s.correction[i].xx != 0.0f) {
                const OozeRheology *r = &s.rheology[s.material[i]];
                damping = ooze_sweep_damping(r->hourglass, sweeps, r->relative_mass, s.dt,
                                             s.edge_sum[i].w);
            }
            c.hourglass[i] = damping;
        });
    refresh(gpu, c.hourglass, sizeof *c.hourglass);
    sum_edges(step, c.hourglass, c.edge_hourglass);
    if (c.pack.directions) {
        step->constraint->fixed = scratch<float4>(gpu, 3 * (uint64_t)s.n);
#define FIXED(lanes, wraps)      fixed_loop<Full<lanes, wraps>>(step)
#define FIXED_PUSH(lanes, wraps) fixed_push_loop<Full<lanes, wraps>>(step)
        OOZE_EACH_KIND(step, FIXED);
        refresh_part(gpu, flux_part(step, false));
        OOZE_EACH_KIND(step, FIXED_PUSH);
        pack_sum_edges(step, &c.pack, c.hourglass, c.edge_hourglass);
        pack_hourglass(step, &c.pack, c.hourglass);
    }
    ooze_timer_lap(step->context->timer, "prepare");
}

/* ---- sweeps ---- */

/* Gathered from the velocities of the neighbours. */
struct Gathered {
    RawRows raw;      /* of velocities; packed: of shifts */
    OozeMat3 l;       /* L of these */
    OozeMat3 all;     /* L of the velocities */
    float4 own;       /* velocity of the particle; packed: shift */
    float4 unshifted; /* packed: hourglass force of the velocities before any shift */
};

template <int LANES, bool WRAPS>
OOZE_DEVICE Gathered gather_velocities(Full<LANES, WRAPS>, const StepView &s,
                                       const ConstraintView &c, uint32_t i, uint32_t lane,
                                       OozeSym3 correction)
{
    Gathered gathered;
    gathered.raw = raw_rows<LANES, WRAPS>(s, c.u_star, i, lane, true);
    gathered.l = gathered.all = ooze_mat3_mul_sym3(gathered.raw.gradient, correction);
    gathered.own = c.u_star[i];
    gathered.unshifted = f32x4(0, 0, 0);
    return gathered;
}

OOZE_DEVICE Gathered gather_velocities(Packed, const StepView &s, const ConstraintView &c,
                                       uint32_t i, uint32_t, OozeSym3 correction)
{
    Gathered gathered;
    float damped[3];
    gathered.raw = packed_gather<true>(s, c.pack, c.hourglass, i, c.pack.sums[i], damped);
    gathered.l = ooze_mat3_mul_sym3(gathered.raw.gradient, correction);
    float4 a = c.fixed[3 * (uint64_t)i], b = c.fixed[3 * (uint64_t)i + 1];
    float4 d = c.fixed[3 * (uint64_t)i + 2];
    OozeMat3 fixed = {{a.x, a.y, a.z, b.x, b.y, b.z, d.x, d.y, d.z}};
    gathered.all = ooze_mat3_add(fixed, gathered.l);
    gathered.own = direction_vector(c.pack.directions[i]);
    gathered.unshifted =
        f32x4(a.w + s.dt * damped[0], b.w + s.dt * damped[1], d.w + s.dt * damped[2]);
    return gathered;
}

/* SWITCHED: `corotation` or `deviatoric_only` is not the default, which otherwise costs no
   registers. */
template <class GATHER, bool SWITCHED>
OOZE_DEVICE void corotated_particle(const StepView &s, const ConstraintView &c, uint32_t i,
                                    OozeSym3 correction, const Gathered &gathered)
{
    const bool corotation = !SWITCHED || c.corotation, shear = SWITCHED && c.deviatoric_only;
    OozeSym3 change = ooze_sym3_identity(0);
    if (correction.xx != 0.0f) {
        const OozeConstraintMaterial m = c.materials[s.material[i]];
        OozeSym3 lambda = sym3_at(c.lambda, i);
        OozeMat3 f = ooze_constraint_deformation(gathered.all, s.dt);
        OozeMat3 r = corotation ? ooze_polar_rotation(f) : ooze_mat3_identity();
        OozeSym3 rows = ooze_constraint_corotated(strain_beyond_rest(s, i), f, r, m.share);
        rows = ooze_constraint_limited(rows, shear);
        change = ooze_multiplier_steps(rows, lambda, sym3_at(c.diagonal, i), m.normal, m.shear);
        sym3_to(c.lambda, i, ooze_sym3_add(lambda, change));
    }
    change = ooze_constraint_limited(change, shear);
    float n = s.dt * c.hourglass[i], edge_n = s.dt * c.edge_hourglass[i];
    StressFlux flux =
        stress_flux(ooze_constraint_stress(change, s.dt), correction, gathered.l, n, gathered.own);
    GATHER::store_flux(s, c, i, &flux);
    c.base[i] =
        stress_flux_base(flux, GATHER::edge_sum(s, c, i), gathered.raw, n, edge_n, gathered.own) +
        gathered.unshifted;
}

template <class GATHER, bool SWITCHED> static void corotated_loop(Step *step)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_lanes<GATHER::LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            OozeSym3 correction = sym3_at(s.correction, i);
            Gathered gathered = gather_velocities(GATHER(), s, c, i, lane, correction);
            if (lane == 0) {
                corotated_particle<GATHER, SWITCHED>(s, c, i, correction, gathered);
            }
        });
}

template <class GATHER> static void corotated_push_loop(Step *step, float4 *shift)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_lanes<GATHER::LANES>(
        step->gpu, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            float4 push = velocity_change<GATHER>(s, c, i, lane);
            if (lane == 0) {
                shift[i] = shift[i] + s.dt * push;
            }
        });
}

template <bool SWITCHED> static void corotated_loops(Step *step, float4 *shift)
{
#define COROTATED(lanes, wraps)      corotated_loop<Full<lanes, wraps>, SWITCHED>(step)
#define COROTATED_PUSH(lanes, wraps) corotated_push_loop<Full<lanes, wraps>>(step, shift)
    if (step->constraint->pack.directions) {
        corotated_loop<Packed, SWITCHED>(step);
        refresh_part(step->gpu, flux_part(step, is_packed(step)));
        corotated_push_loop<Packed>(step, shift);
    } else {
        OOZE_EACH_KIND(step, COROTATED);
        refresh_part(step->gpu, flux_part(step, is_packed(step)));
        OOZE_EACH_KIND(step, COROTATED_PUSH);
    }
}

/* One sweep on the velocities u + shift/dt, which replace u* in memory. */
void corotated_sweep(void *user, float4 *shift)
{
    Step *step = static_cast<Step *>(user);
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_each(
        step->gpu, s.n, OOZE_BODY(uint32_t i) {
            float4 by = shift[i], u = f32x4(by.x / s.dt, by.y / s.dt, by.z / s.dt);
            if (c.pack.directions) {
                c.pack.directions[i] =
                    direction_pack(place_of(c.pack, i), u, c.hourglass[i] > 0.0f);
            } else {
                c.u_star[i] = s.u[i] + u;
            }
        });
    if (c.pack.directions) {
        refresh(step->gpu, c.pack.directions, sizeof *c.pack.directions);
    } else {
        refresh(step->gpu, c.u_star, sizeof *c.u_star);
    }
    if (!c.corotation || c.deviatoric_only) {
        corotated_loops<true>(step, shift);
    } else {
        corotated_loops<false>(step, shift);
    }
}

} // namespace ooze
