/* Impacts in long steps on the device: see methods/conformation/cpu/impact.h and impact_solve.h. */
#ifndef OOZE_METHODS_CONFORMATION_CUDA_IMPACT_CUH
#define OOZE_METHODS_CONFORMATION_CUDA_IMPACT_CUH

#include "cuda/ranks.cuh"
#include "cuda/shape_distance.cuh"
#include "methods/conformation/cuda/lodge.cuh"
extern "C" {
#include "methods/conformation/impact_formula.h"
}

namespace ooze
{

/* Memory that outlives the step. Starts as zero. */
struct ImpactMemory {
    Grid grid;             /* of the particles at surfaces */
    DeviceBuffer contacts; /* contact sets of long steps, which grow during the solve */
};
void impact_memory_free(Gpu *gpu, ImpactMemory *memory);

/* Particles at free surfaces, of all ranks: surfaces may meet wherever they are, so that every rank
   finds all pairs. Numbers are places among them, in the order of all particles. */
struct ImpactSurface : RankList {
    const uint32_t *own;   /* particles of this rank; NULL: not found yet */
    const uint32_t *here;  /* by number: particle in the store, or UINT32_MAX: of another rank */
    const uint32_t *index; /* by number: place in the order of all particles */
    /* by number: at the beginning of the step, `inward` is edge_sum; of the present pass, `trace`
       is that of A */
    const float4 *x0, *inward, *u;
    const float *trace;
};

/* Pairs of numbers, in scratch memory of the solve. */
struct ImpactPairs {
    OozeImpactPair *pair;
    uint64_t count, room;
    /* Both ends of all pairs, sorted by number, then by pair: the number, and twice the index of
       the pair, plus one where the number is its second. */
    uint32_t *number, *entry;
};

/* Of several ranks: the particles that are ends of pairs, whose values all ranks gather. */
struct ImpactEnds : RankList {
    uint32_t *own;   /* particles of this rank */
    uint32_t *place; /* by number: its place among those gathered */
};

/* Of the velocity solve of a long step. */
struct Impact {
    ImpactSurface surface;
    ImpactPairs pairs;
    ImpactEnds ends;
    bool new_pairs; /* the last pass has added some */
};

/* Sets view.long_step from u. Waits where impact_passes are given. */
/* Sets long_step, and returns a number of the device; NULL: 0. Waits once for both. */
uint32_t find_long_step(Step *step, const uint32_t *number);
/* After a pass but the last: contacts with solids and between particles that it has missed, and
   how many passes the step takes. Waits. */
OozeStatus impact_end_pass(OozeLodge *solve, OozeError *error);

/* ---- pairs: impact_pairs.cu. No effect where there are none ---- */

/* After a pass: updates the forces of the pairs, and adds those that u brings together. `added`:
   their number. Waits. */
OozeStatus impact_find_pairs(Lodge *solve, uint64_t *added, OozeError *error);
/* force[i] += force of the pairs of particle i at the velocities `input`, with constant terms on
   request; nothing where *off. */
void impact_pairs_add(const Lodge *solve, const float4 *input, float4 *force, bool explicit_terms,
                      const int32_t *off);
/* Adds their blocks to the diagonal of the operator. */
void impact_pairs_add_blocks(const Lodge *solve, OozeSym3 *diagonal);
/* Joins the components of their ends; root: per particle of all ranks. */
void impact_pairs_join(const Lodge *solve, uint32_t *root);

/* ---- per particle ---- */

/* Follows the path of particle i to the solid. */
OOZE_DEVICE bool impact_meets(const StepView &s, const OozeContactScale &scale, uint32_t i,
                              const SolidView &solid, OozeContact *contact, double *speed)
{
    OozeImpactPath path = ooze_impact_path(&scale, widen(s.x0[i]), widen(s.u[i]));
    bool stops = false;
    for (int k = 0; k < OOZE_IMPACT_PATH_POINTS && path.at <= path.end && !stops; k++) {
        *contact = solid_contact(solid, ooze_impact_point(&scale, &path));
        stops = ooze_impact_advance(&scale, contact, &path);
    }
    *speed = path.speed;
    return stops;
}

OOZE_DEVICE bool impact_is_screened(const StepView &s, uint32_t i, OozeVec3 normal)
{
    const float4 here = s.x0[i];
    bool screened = false;
    each_true_neighbour(s.fluid, i, [&](uint32_t j) {
        Delta d = delta<true>(s, here, s.x0[j]);
        screened = screened || ooze_impact_screens(&d.x, normal, s.spacing);
    });
    return screened;
}

/* Adds to the contact set of particle i the solid that u meets within the step, unless a neighbour
   screens the particle from it: see ooze_impact_meet. */
OOZE_DEVICE void impact_meet(const StepView &s, const OozeContactScale &scale, uint32_t i,
                             const SolidView &solid, OozeContactSearch *search)
{
    OozeContact contact;
    double speed;
    if (impact_meets(s, scale, i, solid, &contact, &speed) &&
        !impact_is_screened(s, i, contact.normal)) {
        ooze_contact_meet(search, &contact, speed, widen(s.u[i]), solid.friction);
    }
}

} // namespace ooze

#endif
