/* The method `constraint` on the device: see
   methods/conformation/constraint/cpu/constraint_solve.h. */
#ifndef OOZE_METHODS_CONFORMATION_CONSTRAINT_CUDA_CONSTRAINT_CUH
#define OOZE_METHODS_CONFORMATION_CONSTRAINT_CUDA_CONSTRAINT_CUH

#include "cuda/density.cuh"
#include "cuda/rank_sums.cuh"
#include "methods/conformation/constraint/constraint_formula.h"
#include "methods/conformation/cuda/positions.cuh"

namespace ooze
{

/* Captured by loop bodies, with the view of the step. */
struct ConstraintView {
    const OozeConstraintMaterial *materials;
    OozeSym3 *known;       /* the constraint at zero velocity */
    OozeSym3 *diagonal;    /* of the rows, without compliance */
    OozeSym3 *lambda;      /* multipliers */
    float *saved;          /* those of the last step, eight floats a particle */
    OozeSym3 *before;      /* one iteration earlier; NULL: sweeps have no weights */
    float4 *flux;          /* three a particle, or two packed ones */
    float4 *base;          /* force of the particle's own flux along its edges */
    float4 *u_star, *free; /* velocities under external forces alone, and without contacts */
    float *hourglass, *edge_hourglass;
    SolveState *state;
    bool corotation, deviatoric_only; /* see OozeConformationSettings */
    PackView pack;                    /* packed gathers gather changes of velocities alone */
    OozeSym3 *rows; /* velocity stage, packed: the constraint at the last velocities */
    /* Position stage, packed: rows of L of the velocities before any shift; last lanes: their
       hourglass force. */
    float4 *fixed;
};

extern const OozeFormulation formulation_paper;

/* Arrays for the whole step. */
OozeStatus create_constraint(Step *step, OozeError *error);
/* step->constraint->diagonal for the edges at the beginning of the step: the bound by row sums, or
   the plain diagonal of `paper`. */
void find_diagonal(Step *step);
void find_plain_diagonal(Step *step);

/* The velocity stage: constraint_sweeps.cu. */
/* free = u* + M^-1 J^T lambda, and u with contacts. */
void apply_multipliers(Step *step);
/* At most `iterations` Jacobi sweeps with Chebyshev's weights for that spectral radius (0: plain),
   until the residual has fallen to `tolerance` of its start. */
void sweep_velocities(Step *step, int iterations, double radius, double tolerance);
/* The same by conjugate gradients, after some sweeps where there is contact: constraint_search.cu.
   */
void search_velocities(Step *step, int iterations, double radius, double tolerance);

/* The position stage of `consistent`, corotated.cu: `between` and `user` of the density stage. */
void corotated_begin(Step *step, int sweeps);
void corotated_sweep(void *step, float4 *shift);

/* ---- tensors ---- */

/* Tensors have 24 bytes and are aligned to 8: three loads of 8 bytes instead of six of 4. */
OOZE_DEVICE OozeSym3 sym3_at(const OozeSym3 *all, uint32_t i)
{
    return *static_cast<const OozeSym3 *>(__builtin_assume_aligned(all + i, 8));
}

OOZE_DEVICE void sym3_to(OozeSym3 *all, uint32_t i, OozeSym3 value)
{
    *static_cast<OozeSym3 *>(__builtin_assume_aligned(all + i, 8)) = value;
}

/* ---- gathers: in full precision, or packed ---- */

/* dt (L + L^T) of gathered velocities. */
OOZE_DEVICE OozeSym3 strain_rows(const StepView &s, OozeSym3 correction, const RawRows &raw)
{
    OozeMat3 l = ooze_mat3_mul_sym3(raw.gradient, correction);
    return ooze_constraint_strain(ooze_mat3_scale(l, s.dt));
}

/* In full precision along the edges of VIEW. */
template <class VIEW, int L, bool WRAPS> struct FullEdges {
    typedef VIEW View;
    static const int LANES = L;
    static __device__ float4 edge_sum(const View &s, const ConstraintView &, uint32_t i)
    {
        return s.edge_sum[i];
    }
    static __device__ void store_flux(const View &, const ConstraintView &c, uint32_t i,
                                      StressFlux *flux)
    {
        flux_set(c.flux, i, *flux);
    }
    static __device__ float4 flux(const View &s, const ConstraintView &c, uint32_t i, uint32_t lane)
    {
        return edges_flux<L, WRAPS>(s, c.flux, i, lane);
    }
    static __device__ void move_to(const View &s, const ConstraintView &, uint32_t i, float4 u)
    {
        s.u[i] = u;
    }
    static __device__ RawRows velocities(const View &s, const float4 *u, uint32_t i, uint32_t lane)
    {
        return raw_rows<L, WRAPS>(s, u, i, lane, true);
    }
};

/* Of `consistent`: gradients are corrected, and contacts act on velocities. */
struct CorrectedGradients {
    static StepView view(const Step *step) { return step->view; }
    static __device__ OozeSym3 correction(const StepView &s, uint32_t i)
    {
        return sym3_at(s.correction, i);
    }
    /* Factor on the velocity change that a particle receives. */
    static __device__ float mobility(const StepView &s, uint32_t i) { return s.mobility[i]; }
};

template <int L, bool WRAPS> struct Full : FullEdges<StepView, L, WRAPS>, CorrectedGradients {
    /* Rows of the velocity constraint C = known + dt (L + L^T). */
    static __device__ OozeSym3 rows(const StepView &s, const ConstraintView &c, uint32_t i,
                                    uint32_t lane, OozeSym3 correction, bool)
    {
        RawRows raw = raw_rows<L, WRAPS>(s, s.u, i, lane, true);
        return ooze_sym3_add(sym3_at(c.known, i), strain_rows(s, correction, raw));
    }
};

/* Of `paper`: gradients by the kernel, as printed; the receiver relaxes; no contacts. */
template <int L, bool WRAPS> struct Printed : FullEdges<KernelView, L, WRAPS> {
    static KernelView view(const Step *step)
    {
        KernelView s = view_of<KernelView>(step);
        s.contact_of = nullptr;
        return s;
    }
    static __device__ OozeSym3 correction(const KernelView &, uint32_t)
    {
        return ooze_sym3_identity(1);
    }
    static __device__ float mobility(const KernelView &s, uint32_t i)
    {
        uint32_t walls = s.near_walls.begin ? s.near_walls.count[i] : 0;
        return s.mobility[i] * ooze_constraint_relaxation(s.fluid.count[i] + walls);
    }
    static __device__ OozeSym3 rows(const KernelView &s, const ConstraintView &, uint32_t i,
                                    uint32_t lane, OozeSym3 correction, bool)
    {
        RawRows raw = raw_rows<L, WRAPS>(s, s.u, i, lane, true);
        return ooze_sym3_add(strain_beyond_rest(s, i), strain_rows(s, correction, raw));
    }
};

struct Packed : CorrectedGradients {
    typedef StepView View;
    static const int LANES = 1;
    static __device__ float4 edge_sum(const StepView &, const ConstraintView &c, uint32_t i)
    {
        return c.pack.sums[i];
    }
    static __device__ void store_flux(const StepView &s, const ConstraintView &c, uint32_t i,
                                      StressFlux *flux)
    {
        flux_set_packed(c.pack, packed_flux(c.flux, s.n), i, flux->row);
    }
    static __device__ float4 flux(const StepView &s, const ConstraintView &c, uint32_t i, uint32_t)
    {
        return packed_edges_flux(s, c.pack, packed_flux(c.flux, s.n), i);
    }
    /* Adds the last change of velocities, of which the `first` sweep has none. */
    static __device__ OozeSym3 rows(const StepView &s, const ConstraintView &c, uint32_t i,
                                    uint32_t, OozeSym3 correction, bool first)
    {
        OozeSym3 rows = sym3_at(c.rows, i);
        if (!first) {
            RawRows raw = packed_gather<false>(s, c.pack, nullptr, i, c.pack.sums[i], nullptr);
            rows = ooze_sym3_add(rows, strain_rows(s, correction, raw));
            sym3_to(c.rows, i, rows);
        }
        return rows;
    }
    /* The change is rounded; the next one includes the remainder. */
    static __device__ void move_to(const StepView &s, const ConstraintView &c, uint32_t i, float4 u)
    {
        uint4 packed = direction_pack(place_of(c.pack, i), u - s.u[i], false);
        c.pack.directions[i] = packed;
        s.u[i] = s.u[i] + direction_vector(packed);
    }
};

/* Three vectors a particle, or two packed ones, that loops read at neighbours. */
RefreshedPart flux_part(const Step *step, bool packed);
static inline bool is_packed(const Step *step)
{
    return step->constraint->pack.directions != nullptr;
}

/* CALL(GATHER) with the gather of this step. */
#define OOZE_EACH_GATHER(step, CALL)                                                               \
    do {                                                                                           \
        if ((step)->constraint->pack.directions) {                                                 \
            CALL(ooze::Packed);                                                                    \
        } else if ((step)->view.formulation->kernel_gradients) {                                   \
            OOZE_EACH_FULL_GATHER(step, CALL, ooze::Printed);                                      \
        } else {                                                                                   \
            OOZE_EACH_FULL_GATHER(step, CALL, ooze::Full);                                         \
        }                                                                                          \
    } while (0)
#define OOZE_EACH_FULL_GATHER(step, CALL, GATHER)                                                  \
    if ((step)->wraps) {                                                                           \
        OOZE_EACH_GATHER_WRAPPED(ooze::all_particles((step)->gpu, (step)->view.n), CALL, GATHER,   \
                                 true);                                                            \
    } else {                                                                                       \
        OOZE_EACH_GATHER_WRAPPED(ooze::all_particles((step)->gpu, (step)->view.n), CALL, GATHER,   \
                                 false);                                                           \
    }
#ifdef __CUDACC__
#define OOZE_EACH_GATHER_WRAPPED(n, CALL, GATHER, wraps)                                           \
    if ((n) < ooze::few_particles()) {                                                             \
        CALL(GATHER<ooze::MANY_LANES, wraps>);                                                     \
    } else {                                                                                       \
        CALL(GATHER<1, wraps>);                                                                    \
    }
#else
#define OOZE_EACH_GATHER_WRAPPED(n, CALL, GATHER, wraps) CALL(GATHER<1, wraps>)
#endif

/* ---- per particle ---- */

/* Flux of particle i for a change of its multipliers. */
template <class GATHER>
OOZE_DEVICE void set_flux(const typename GATHER::View &s, const ConstraintView &c, uint32_t i,
                          OozeSym3 correction, OozeSym3 change)
{
    change = ooze_constraint_limited(change, c.deviatoric_only);
    OozeMat3 t = ooze_constraint_flux(change, correction, s.dt);
    StressFlux flux;
    for (int k = 0; k < 9; k++) {
        flux.row[k] = t.m[k];
    }
    flux.last[0] = flux.last[1] = flux.last[2] = 0.0f;
    GATHER::store_flux(s, c, i, &flux);
    float4 sum = GATHER::edge_sum(s, c, i);
    const float *r = flux.row;
    c.base[i] = f32x4(r[0] * sum.x + r[1] * sum.y + r[2] * sum.z,
                      r[3] * sum.x + r[4] * sum.y + r[5] * sum.z,
                      r[6] * sum.x + r[7] * sum.y + r[8] * sum.z);
}

/* M^-1 J^T of the present flux, returned to all lanes. */
template <class GATHER>
OOZE_DEVICE float4 velocity_change(const typename GATHER::View &s, const ConstraintView &c,
                                   uint32_t i, uint32_t lane)
{
    float4 push = c.base[i] + GATHER::flux(s, c, i, lane);
    return GATHER::mobility(s, i) * push;
}

/* The velocity of particle i with contacts, v without them. */
OOZE_DEVICE float4 contact_velocity(const StepView &s, uint32_t i, float4 v)
{
    const OozeContactSet *set = ooze_step_contacts(&s, i);
    uint8_t unused;
    return set ? ooze_contact_velocity(set, v, &unused) : v;
}

} // namespace ooze

#endif
