/* Stages of the springs method on the GPU that are in files of their own, and what their loops
   capture.

   The store and the predicted positions have the order of the processor's (Grid.cubic), and sweeps
   its colours, cells and keys: pairs are updated in the same order, so that results differ by
   rounding alone. */
#ifndef OOZE_METHODS_SPRINGS_CUDA_STAGES_CUH
#define OOZE_METHODS_SPRINGS_CUDA_STAGES_CUH

#include "cuda/machine.cuh"
#include "cuda/rank_rows.cuh"
#include "cuda/segment_sums.cuh"

extern "C" {
#include "methods/springs/stages.h"
}

namespace ooze
{

/* Cells of each colour, in the order of the step: see cpu/schedule.h. */
struct SpringsSchedule {
    const uint32_t *sequence;    /* particles: cells in the order of the grid, keys within them */
    const uint32_t *begin, *end; /* per cell, colour by colour: its range of the sequence */
    uint32_t count[OOZE_SPRINGS_COLOURS_MAX]; /* host: cells of each colour */
    bool used[OOZE_SPRINGS_COLOURS_MAX];      /* some process has cells of the colour */
};

/* Lives as long as the engine: OozeSpringsStep.memory. Each step writes the rows of [1] from those
   of [0], and swaps both. Of several processes, between steps, rows are those of a range of the
   numbers of rows, and springs name rows of all processes. */
struct SpringsData {
    OozeSpringTable host; /* rows in the host's memory, for frames */
    LinkRows<OozeLink> rows[2];
    RankOrder order; /* of several processes: that of predicted positions */
    /* of a step */
    SpringsSchedule schedule; /* of predicted positions */
    Segments segments;        /* each dynamic solid has all particles near one */
    /* Numbers of the rows before the step, per sorted particle, and how many there are of all
       processes. */
    const uint32_t *row_before;
    uint64_t rows_before;
    /* Per sorted particle, of several processes: its number among all; NULL: its index. */
    const uint32_t *number;
};

/* Captured by loop bodies. */
struct SpringsView : OozeSpringsStep {
    uint32_t n;
    ContactView contact;
    ListView fluid, neighbours; /* at the beginning of the step, and at predicted positions */
    float4 *x, *shift;          /* positions, and the sum of their corrections */
    /* rows of springs */
    const uint64_t *first;
    const uint32_t *count;
    OozeLink *springs;
};

static inline SpringsData *data_of(const OozeSpringsStep *step)
{
    return reinterpret_cast<SpringsData *>(step->memory);
}

static inline SpringsView view_of(const OozeSpringsStep *step)
{
    const Engine *engine = engine_of(step->machine);
    const LinkRows<OozeLink> *rows = &data_of(step)->rows[0];
    SpringsView s = {};
    static_cast<OozeSpringsStep &>(s) = *step;
    s.n = (uint32_t)step->machine->n;
    s.contact = contacts_of(step->machine, step->rule);
    s.contact.wet_friction = step->wet_friction;
    s.fluid = view(&engine->fluid);
    s.neighbours = view(&engine->near);
    s.x = reinterpret_cast<float4 *>(step->point);
    s.shift = s.x + step->machine->local + 1;
    s.first = rows->first();
    s.count = rows->count();
    s.springs = rows->items();
    return s;
}

/* Springs longer than the support. The processor applies them one after the other. On a GPU a
   spring is applied once all earlier ones at both of its ends are: the same result, in as many
   rounds as springs depend on each other. */
struct LongSprings {
    uint32_t count;
    uint32_t *from;   /* per spring: its particle, whose row holds it */
    uint64_t *item;   /* its place in the table; UINT64_MAX: it has been applied */
    uint32_t *holder; /* per particle: the earliest spring at it that is left, or UINT32_MAX */
    uint32_t *left;
};

/* b - a of nearest images, and its length in the last lane. */
OOZE_DEVICE float4 vector_to(const SpringsView &s, float4 a, float4 b)
{
    return separation(s.periodic, b, a);
}

OOZE_DEVICE const OozeSpringsCoefficients *coefficients_of(const SpringsView &s, uint32_t i)
{
    return &s.coefficients[s.material[i]];
}

/* schedule.cu: the schedule of points that the grid has sorted. Waits for the numbers of cells. */
void springs_schedule(OozeSpringsStep *step, const float4 *points, const uint64_t *key,
                      SpringsSchedule *schedule);
/* sweeps.cu */
OozeStatus springs_apply_viscosity(OozeSpringsStep *step, OozeError *error);
OozeStatus springs_pull(OozeSpringsStep *step, OozeError *error);
void springs_relax(OozeSpringsStep *step);
/* springs.cu */
OozeStatus springs_update(OozeSpringsStep *step, OozeError *error);
void springs_clear(OozeSpringsStep *step);
void springs_number_rows(OozeSpringsStep *step);
OozeStatus springs_pull_long(OozeSpringsStep *step, OozeError *error);
void springs_pull_listed(Gpu *gpu, const SpringsView &view, const LongSprings &springs);
/* ranks.cu: several processes */
double springs_reach(const OozeStepContext *context);
void springs_refresh_points(OozeSpringsStep *step); /* x, shift */
OozeStatus springs_follow(OozeSpringsStep *step, bool *complete, OozeError *error);
/* place, order, number; row_before and old_row, which become those of the store's particles */
OozeStatus springs_divide(OozeSpringsStep *step, OozeError *error);
OozeStatus springs_pull_long_on_ranks(OozeSpringsStep *step, OozeError *error);
OozeStatus springs_leave(OozeSpringsStep *step, OozeError *error);
/* bodies.cu */
OozeStatus springs_find_near(OozeSpringsStep *step, OozeError *error);
OozeStatus springs_collide_near(OozeSpringsStep *step, OozeError *error);
OozeStatus springs_solve_bodies(OozeSpringsStep *step, double (*change)[6], OozeError *error);
void springs_collide_particles(OozeSpringsStep *step);
OozeStatus springs_sum_lost(OozeSpringsStep *step, OozeSpringsLost *lost, OozeError *error);
void springs_change_velocities(OozeSpringsStep *step, const OozeVec3 *changes);

/* Threads that share a cell: a warp. */
#ifdef __CUDACC__
enum { CELL_LANES = 32 };
#else
enum { CELL_LANES = 1 };
#endif

} // namespace ooze

#endif
