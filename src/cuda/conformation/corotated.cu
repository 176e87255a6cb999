/* Sweeps of the position stage of `consistent`: see methods/conformation/corotated_loops.c.

   Where rounded numbers are gathered, they are those of the shifts alone: the gradient of the velocities that the
   stage begins with, and what hourglasses of these do, stay the same from sweep to sweep. */
#include "cuda/conformation/constraint.cuh"

namespace ooze
{

/* ---- beginning ---- */

template <class GATHER> static void fixed_loop(Step *step)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_lanes<GATHER::LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            RawRows raw = GATHER::velocities(s, s.u, i, lane);
            if (lane != 0) {
                return;
            }
            OozeSym3 correction = sym3_at(s.correction, i);
            OozeMat3 l = ooze_mat3_mul_sym3(raw.gradient, correction);
            float n = s.dt * c.hourglass[i], edge_n = s.dt * c.edge_hourglass[i];
            Handed handed = hand_on(ooze_sym3_identity(0), correction, l, n, s.u[i]);
            GATHER::hand(s, c, i, &handed);
            c.base[i] = handed_base(handed, s.edge_sum[i], raw, n, edge_n, s.u[i]);
            for (int k = 0; k < 3; k++) {
                c.fixed[3 * (uint64_t)i + k] = four(l.m[3 * k], l.m[3 * k + 1], l.m[3 * k + 2]);
            }
        });
}

template <class GATHER> static void fixed_push_loop(Step *step)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_lanes<GATHER::LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            float4 push = c.base[i] + GATHER::flux(s, c, i, lane);
            if (lane == 0) {
                c.fixed[3 * (uint64_t)i].w = push.x;
                c.fixed[3 * (uint64_t)i + 1].w = push.y;
                c.fixed[3 * (uint64_t)i + 2].w = push.z;
            }
        });
}

/* Coefficients of the hourglass term for so many sweeps. */
void corotated_begin(Step *step, int sweeps)
{
    Machine *m = step->m;
    StepView s = step->view;
    step->constraint->hourglass = scratch<float>(m, s.n);
    step->constraint->edge_hourglass = scratch<float>(m, s.n);
    ConstraintView c = *step->constraint;
    for_each(
        m, (uint64_t)s.n + 1, OOZE_BODY(uint32_t i) {
            float damping = 0.0f;
            if (i < s.n && s.correction[i].xx != 0.0f) {
                const OozeRheology *r = &s.rheology[s.material[i]];
                damping =
                    ooze_sweep_damping(r->hourglass, sweeps, r->weight, s.dt, s.edge_sum[i].w);
            }
            c.hourglass[i] = damping;
        });
    sum_edges(step, c.hourglass, c.edge_hourglass);
    if (c.pack.going) {
        step->constraint->fixed = scratch<float4>(m, 3 * (uint64_t)s.n);
#define FIXED(lanes, wraps)      fixed_loop<Full<lanes, wraps>>(step)
#define FIXED_PUSH(lanes, wraps) fixed_push_loop<Full<lanes, wraps>>(step)
        OOZE_EACH_KIND(step, FIXED);
        OOZE_EACH_KIND(step, FIXED_PUSH);
        pack_sum_edges(step, &c.pack, c.hourglass, c.edge_hourglass);
        pack_hourglass(step, &c.pack, c.hourglass);
    }
    ooze_stage_lap(step->context->clock, OOZE_PART_PREPARE);
}

/* ---- sweeps ---- */

/* What a particle sees of the velocities around it. */
struct Seen {
    RawRows raw;  /* of velocities, or of shifts alone */
    OozeMat3 l;   /* of these */
    OozeMat3 all; /* L of the velocities */
    float4 own;   /* its own, or shift */
    float4 still; /* what hourglasses do besides */
};

template <int LANES, bool WRAPS>
OOZE_DEVICE Seen see_velocities(Full<LANES, WRAPS>, const StepView &s, const ConstraintView &c,
                                uint32_t i, uint32_t lane, OozeSym3 correction)
{
    Seen seen;
    seen.raw = raw_rows<LANES, WRAPS>(s, c.star, i, lane, true);
    seen.l = seen.all = ooze_mat3_mul_sym3(seen.raw.gradient, correction);
    seen.own = c.star[i];
    seen.still = four(0, 0, 0);
    return seen;
}

OOZE_DEVICE Seen see_velocities(Rounded<false>, const StepView &s, const ConstraintView &c,
                                uint32_t i, uint32_t, OozeSym3 correction)
{
    Seen seen;
    float damped[3];
    seen.raw = packed_gather<false, true>(s, c.pack, c.hourglass, i, c.pack.sums[i], damped);
    seen.l = ooze_mat3_mul_sym3(seen.raw.gradient, correction);
    float4 a = c.fixed[3 * (uint64_t)i], b = c.fixed[3 * (uint64_t)i + 1];
    float4 d = c.fixed[3 * (uint64_t)i + 2];
    OozeMat3 fixed = {{a.x, a.y, a.z, b.x, b.y, b.z, d.x, d.y, d.z}};
    seen.all = ooze_mat3_add(fixed, seen.l);
    seen.own = going_vector(c.pack.going[i]);
    seen.still = four(a.w + s.dt * damped[0], b.w + s.dt * damped[1], d.w + s.dt * damped[2]);
    return seen;
}

/* Rows of the corotated constraint: the strain that is stored, turned with the particle, and that of the step
   beyond its rotation. */
OOZE_DEVICE OozeSym3 corotated_rows(const StepView &s, const ConstraintView &c, uint32_t i,
                                    OozeMat3 l)
{
    OozeMat3 f = ooze_mat3_add(ooze_mat3_identity(), ooze_mat3_scale(l, s.dt));
    OozeMat3 r = c.corotation ? ooze_polar_rotation(f) : ooze_mat3_identity();
    OozeSym3 stored = strain_beyond_rest(s, i);
    if (c.corotation) {
        stored = ooze_sym3_push(r, stored);
    }
    OozeSym3 strain = ooze_constraint_strain(ooze_mat3_add(f, ooze_mat3_scale(r, -1)));
    float share = c.materials[s.material[i]].share;
    return limited(c, ooze_sym3_add(ooze_sym3_scale(stored, share), strain));
}

template <class GATHER>
OOZE_DEVICE void corotated_particle(const StepView &s, const ConstraintView &c, uint32_t i,
                                    OozeSym3 correction, const Seen &seen)
{
    OozeSym3 change = ooze_sym3_identity(0);
    if (correction.xx != 0.0f) {
        const OozeConstraintMaterial m = c.materials[s.material[i]];
        OozeSym3 lambda = sym3_at(c.lambda, i);
        change = ooze_multiplier_steps(corotated_rows(s, c, i, seen.all), lambda,
                                       sym3_at(c.diagonal, i), m.normal, m.shear);
        sym3_to(c.lambda, i, ooze_sym3_add(lambda, change));
    }
    float n = s.dt * c.hourglass[i], edge_n = s.dt * c.edge_hourglass[i];
    Handed handed = hand_on(stress_of(s, c, change), correction, seen.l, n, seen.own);
    GATHER::hand(s, c, i, &handed);
    c.base[i] =
        handed_base(handed, GATHER::edge_sum(s, c, i), seen.raw, n, edge_n, seen.own) + seen.still;
}

template <class GATHER> static void corotated_loop(Step *step)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_lanes<GATHER::LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            OozeSym3 correction = sym3_at(s.correction, i);
            Seen seen = see_velocities(GATHER(), s, c, i, lane, correction);
            if (lane == 0) {
                corotated_particle<GATHER>(s, c, i, correction, seen);
            }
        });
}

template <class GATHER> static void corotated_push_loop(Step *step, float4 *shift)
{
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_lanes<GATHER::LANES>(
        step->m, s.n, OOZE_BODY(uint32_t i, uint32_t lane) {
            float4 push = pushed_by<GATHER>(s, c, i, lane);
            if (lane == 0) {
                shift[i] = shift[i] + s.dt * push;
            }
        });
}

/* One sweep on the velocities that the shifts stand for; u* is not needed any more and makes room for them. */
void corotated_sweep(void *user, float4 *shift)
{
    Step *step = static_cast<Step *>(user);
    StepView s = step->view;
    ConstraintView c = *step->constraint;
    for_each(
        step->m, s.n, OOZE_BODY(uint32_t i) {
            float4 way = shift[i], u = four(way.x / s.dt, way.y / s.dt, way.z / s.dt);
            if (c.pack.going) {
                c.pack.going[i] = going_pack(own_place(c.pack, i), u, c.hourglass[i] > 0.0f);
            } else {
                c.star[i] = s.u[i] + u;
            }
        });
#define COROTATED(lanes, wraps)      corotated_loop<Full<lanes, wraps>>(step)
#define COROTATED_PUSH(lanes, wraps) corotated_push_loop<Full<lanes, wraps>>(step, shift)
    if (c.pack.going) {
        corotated_loop<Rounded<false>>(step);
        corotated_push_loop<Rounded<false>>(step, shift);
    } else {
        OOZE_EACH_KIND(step, COROTATED);
        OOZE_EACH_KIND(step, COROTATED_PUSH);
    }
}

} // namespace ooze
