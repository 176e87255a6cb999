/* Conformation as a constraint on the device: see methods/conformation/constraint_solve.h, whose arrays these are. */
#ifndef OOZE_CUDA_CONFORMATION_CONSTRAINT_CUH
#define OOZE_CUDA_CONFORMATION_CONSTRAINT_CUH

#include "cuda/conformation/lodge.cuh"
#include "cuda/density.cuh"
#include "physics/constraint.h"

namespace ooze
{

/* To be captured, with the step's view. */
struct ConstraintView {
    const OozeConstraintMaterial *materials;
    bool printed; /* `paper`: uncorrected gradients, a factor on what receivers get, no solids */
    bool deviatoric, corotation;
    OozeSym3 *known;               /* the constraint at zero velocity */
    OozeSym3 *diagonal;            /* what a row divides by, compliance not counted */
    OozeSym3 *lambda;              /* multipliers so far */
    OozeSym3 *before;              /* one iteration earlier; a residual: conjugate gradients */
    OozeSym3 *direction, *product; /* of conjugate gradients */
    float4 *flux;                  /* three a particle, or two packed ones */
    float4 *base;                  /* what it comes to for the particle's own edges */
    float4 *star, *free; /* velocities under external forces alone, and before solids hold them */
    float4 *change;      /* of velocities, along the direction */
    float *hourglass, *edge_hourglass;
    uint8_t *active; /* per particle, bit k: direction k is held at present */
    SolveState *state;
    /* Where iterations gather rounded numbers, they gather changes alone. */
    PackView pack;
    OozeSym3 *rows; /* velocity stage: the constraint as of the last change but one */
    float4 *
        fixed; /* position stage: a row of L before any shift, and what hourglasses of that velocity do */
};

/* step->constraint->diagonal for the edges at the beginning of the step. */
void find_diagonal(Step *step);

/* The velocity stage: constraint_sweeps.cu. */
/* free = u* + M^-1 J^T lambda, and u as solids let it. */
void apply_multipliers(Step *step);
/* At most `iterations` of Jacobi, with Chebyshev's weights for that radius (0: plain), until the residual has
   fallen to `tolerance` of its start. */
void sweep_velocities(Step *step, int iterations, double radius, double tolerance);
/* The same by conjugate gradients: constraint_search.cu. The radius serves the sweeps that find out what is in
   contact. */
void search_velocities(Step *step, int iterations, double radius, double tolerance);

/* The position stage of `consistent`: corotated.cu; as printed: printed.cu. `between` and `user` of the density
   stage. */
void corotated_begin(Step *step, int sweeps);
void corotated_sweep(void *step, float4 *shift);
struct Printed {
    Step *step;
    const float4 *start;
    OozeSym3 *lambda;
    float4 *x;    /* where they are now; last lane: mobility */
    float4 *flux; /* six numbers of a symmetric tensor, two float4 a particle */
    /* the same of rounded numbers: packed */
    uint4 *places;         /* where they are now, and where they were: see place_pack */
    uint4 *packed;         /* six_pack of the flux */
    float low[3], high[3]; /* box around the places of the beginning */
    float step_length;     /* m of a step between places */
    bool even;             /* all give way alike: by `mobility` */
    float mobility;
};
void printed_begin(Printed *job, Step *step, const float4 *start);
void printed_sweep(void *job, float4 *shift);

/* ---- particles ------------------------------------------------------------------------------------- */

/* Tensors stand 24 bytes apart in arrays that begin a line: three reads of 8 bytes instead of six. */
OOZE_DEVICE OozeSym3 sym3_at(const OozeSym3 *all, uint32_t i)
{
    return *static_cast<const OozeSym3 *>(__builtin_assume_aligned(all + i, 8));
}

OOZE_DEVICE void sym3_to(OozeSym3 *all, uint32_t i, OozeSym3 value)
{
    *static_cast<OozeSym3 *>(__builtin_assume_aligned(all + i, 8)) = value;
}

/* Of gradients; 0: the particle has no constraint. */
OOZE_DEVICE OozeSym3 correction_of(const StepView &s, const ConstraintView &c, uint32_t i)
{
    return c.printed ? ooze_sym3_identity(1) : sym3_at(s.correction, i);
}

OOZE_DEVICE OozeSym3 limited(const ConstraintView &c, OozeSym3 rows)
{
    return c.deviatoric ? ooze_constraint_deviator(rows) : rows;
}

/* What a change of multipliers is as a stress, times dt. */
OOZE_DEVICE OozeSym3 stress_of(const StepView &s, const ConstraintView &c, OozeSym3 change)
{
    return ooze_sym3_scale(ooze_constraint_transpose(limited(c, change)), -s.dt);
}

/* The paper's factor on what a receiver is pushed by. */
OOZE_DEVICE float receiver_of(const StepView &s, uint32_t i)
{
    uint32_t walls = s.near_walls.begin ? s.near_walls.count[i] : 0;
    return ooze_constraint_relaxation(s.fluid.count[i] + walls);
}

/* ---- gathers: in full, or of rounded numbers ------------------------------------------------------- */

/* dt (L + L^T) of gathered velocities. */
OOZE_DEVICE OozeSym3 strain_rows(const StepView &s, OozeSym3 correction, const RawRows &raw)
{
    OozeMat3 l = ooze_mat3_mul_sym3(raw.gradient, correction);
    return ooze_constraint_strain(ooze_mat3_scale(l, s.dt));
}

template <int L, bool WRAPS> struct Full {
    static const int LANES = L;
    static __device__ float4 edge_sum(const StepView &s, const ConstraintView &, uint32_t i)
    {
        return s.edge_sum[i];
    }
    static __device__ void hand(const StepView &, const ConstraintView &c, uint32_t i,
                                Handed *handed)
    {
        flux_set(c.flux, i, *handed);
    }
    static __device__ float4 flux(const StepView &s, const ConstraintView &c, uint32_t i,
                                  uint32_t lane)
    {
        return edges_flux<L, WRAPS>(s, c.flux, i, lane);
    }
    /* Rows of the velocity constraint C = known + dt (L + L^T). */
    static __device__ OozeSym3 rows(const StepView &s, const ConstraintView &c, uint32_t i,
                                    uint32_t lane, OozeSym3 correction, bool)
    {
        RawRows raw = velocities(s, s.u, i, lane);
        return ooze_sym3_add(sym3_at(c.known, i), strain_rows(s, correction, raw));
    }
    static __device__ void move_to(const StepView &s, const ConstraintView &, uint32_t i, float4 u)
    {
        s.u[i] = u;
    }
    static __device__ RawRows velocities(const StepView &s, const float4 *u, uint32_t i,
                                         uint32_t lane)
    {
        return raw_rows<L, WRAPS>(s, u, i, lane, true);
    }
    /* Of a direction of conjugate gradients. */
    static __device__ RawRows changes(const StepView &s, const ConstraintView &c, uint32_t i,
                                      uint32_t lane)
    {
        return raw_rows<L, WRAPS>(s, c.change, i, lane, false);
    }
    static __device__ void set_change(const StepView &, const ConstraintView &c, uint32_t i,
                                      float4 v)
    {
        c.change[i] = v;
    }
};

/* KERNEL: edges weigh as the kernel of the density. */
template <bool KERNEL> struct Rounded {
    static const int LANES = 1;
    static __device__ float4 edge_sum(const StepView &, const ConstraintView &c, uint32_t i)
    {
        return c.pack.sums[i];
    }
    static __device__ void hand(const StepView &s, const ConstraintView &c, uint32_t i,
                                Handed *handed)
    {
        flux_set_packed(c.pack, packed_flux(c.flux, s.n), i, handed->row);
    }
    static __device__ float4 flux(const StepView &s, const ConstraintView &c, uint32_t i, uint32_t)
    {
        return packed_edges_flux<KERNEL>(s, c.pack, packed_flux(c.flux, s.n), i);
    }
    /* Brought up to date by the last change of velocities; there was none yet at the `first`. */
    static __device__ OozeSym3 rows(const StepView &s, const ConstraintView &c, uint32_t i,
                                    uint32_t, OozeSym3 correction, bool first)
    {
        OozeSym3 rows = sym3_at(c.rows, i);
        if (!first) {
            RawRows raw =
                packed_gather<KERNEL, false>(s, c.pack, nullptr, i, c.pack.sums[i], nullptr);
            rows = ooze_sym3_add(rows, strain_rows(s, correction, raw));
            sym3_to(c.rows, i, rows);
        }
        return rows;
    }
    /* As near as the rounded change takes it; the next one makes up for the rest. */
    static __device__ void move_to(const StepView &s, const ConstraintView &c, uint32_t i, float4 u)
    {
        uint4 packed = going_pack(own_place(c.pack, i), u - s.u[i], false);
        c.pack.going[i] = packed;
        s.u[i] = s.u[i] + going_vector(packed);
    }
    static __device__ RawRows changes(const StepView &s, const ConstraintView &c, uint32_t i,
                                      uint32_t)
    {
        return packed_gather<KERNEL, false>(s, c.pack, nullptr, i, c.pack.sums[i], nullptr);
    }
    static __device__ void set_change(const StepView &, const ConstraintView &c, uint32_t i,
                                      float4 v)
    {
        uint4 packed = going_pack(own_place(c.pack, i), v, false);
        c.pack.going[i] = packed;
        c.change[i] = going_vector(packed);
    }
};

/* CALL(GATHER) with the one that this step takes. */
#define OOZE_EACH_GATHER(step, CALL)                                                               \
    do {                                                                                           \
        if ((step)->constraint->pack.going && (step)->constraint->printed) {                       \
            CALL(ooze::Rounded<true>);                                                             \
        } else if ((step)->constraint->pack.going) {                                               \
            CALL(ooze::Rounded<false>);                                                            \
        } else if ((step)->wraps) {                                                                \
            OOZE_EACH_FULL_GATHER((step)->view.n, CALL, true);                                     \
        } else {                                                                                   \
            OOZE_EACH_FULL_GATHER((step)->view.n, CALL, false);                                    \
        }                                                                                          \
    } while (0)
#ifdef __CUDACC__
#define OOZE_EACH_FULL_GATHER(n, CALL, wraps)                                                      \
    if ((n) < ooze::FEW) {                                                                         \
        CALL(ooze::Full<ooze::MANY_LANES, wraps>);                                                 \
    } else {                                                                                       \
        CALL(ooze::Full<1, wraps>);                                                                \
    }
#else
#define OOZE_EACH_FULL_GATHER(n, CALL, wraps) CALL(ooze::Full<1, wraps>)
#endif

/* ---- what particles do ----------------------------------------------------------------------------- */

/* What particle i hands on for a change of its multipliers. */
template <class GATHER>
OOZE_DEVICE void set_flux(const StepView &s, const ConstraintView &c, uint32_t i,
                          OozeSym3 correction, OozeSym3 change)
{
    OozeSym3 stress = stress_of(s, c, change);
    OozeMat3 t = ooze_mat3_mul_sym3(ooze_mat3_from_sym3(stress), correction);
    Handed handed;
    for (int k = 0; k < 9; k++) {
        handed.row[k] = t.m[k];
    }
    handed.last[0] = handed.last[1] = handed.last[2] = 0.0f;
    GATHER::hand(s, c, i, &handed);
    float4 sum = GATHER::edge_sum(s, c, i);
    const float *r = handed.row;
    c.base[i] =
        four(r[0] * sum.x + r[1] * sum.y + r[2] * sum.z, r[3] * sum.x + r[4] * sum.y + r[5] * sum.z,
             r[6] * sum.x + r[7] * sum.y + r[8] * sum.z);
}

/* M^-1 J^T of the flux at hand, the same for all lanes. */
template <class GATHER>
OOZE_DEVICE float4 pushed_by(const StepView &s, const ConstraintView &c, uint32_t i, uint32_t lane)
{
    float4 push = c.base[i] + GATHER::flux(s, c, i, lane);
    float factor = s.mobility[i] * (c.printed ? receiver_of(s, i) : 1.0f);
    return factor * push;
}

/* What the solids do to particle i when it would fly with v: see hold_back of constraint_loops.c. Bit k of
   `sticks`: direction k came to the speed of the surface. */
OOZE_DEVICE float4 hold_back(const StepView &s, const ConstraintView &c, uint32_t i, float4 v,
                             uint8_t *sticks)
{
    *sticks = 0;
    if (c.printed || !s.hold_of || s.hold_of[i] < 0) {
        return v;
    }
    const Hold *hold = &s.holds[s.hold_of[i]];
    float4 drag = four(0, 0, 0);
    float push = 0.0f;
    unsigned stuck = 0, tangents = 0;
    for (int k = 0; k < hold->count; k++) {
        float4 d = hold->direction[k];
        float lack = d.w - dot(v, d);
        if (k >= hold->normals) {
            drag = drag + lack * d;
            tangents |= 1u << k;
        } else if (lack > 0.0f) {
            push += lack;
            v = v + lack * d;
            stuck |= 1u << k;
        }
    }
    float size = sqrtf(dot(drag, drag)), most = hold->friction * push;
    if (push > 0.0f && size > most) {
        drag = (most / size) * drag;
    } else if (push > 0.0f) {
        stuck |= tangents;
    }
    *sticks = (uint8_t)stuck;
    return push > 0.0f ? v + drag : v;
}

} // namespace ooze

#endif
