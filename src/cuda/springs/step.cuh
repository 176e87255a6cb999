/* Data of one substep of the springs method on the device: see methods/springs/step.h.

   The store and the predicted positions have the order of the processor's (Grid.cubic), and sweeps
   its colours, cells and keys: pairs are updated in the same order, so that results differ by
   rounding alone. */
#ifndef OOZE_CUDA_SPRINGS_STEP_CUH
#define OOZE_CUDA_SPRINGS_STEP_CUH

#include "cuda/contact_sweep.cuh"
#include "cuda/link_rows.cuh"
#include "cuda/method.cuh"
#include "cuda/pairs.cuh"
#include "cuda/segment_sums.cuh"

extern "C" {
#include "methods/springs/bodies.h"
#include "methods/springs/pair_formula.h"
#include "methods/springs/schedule_formula.h"
#include "methods/springs/table.h"
}

namespace ooze
{

/* Lives as long as the engine. Each step writes the rows of [1] from those of [0], and swaps
   both. */
struct SpringsData {
    OozeSpringTable host; /* rows in the host's memory, for frames */
    LinkRows<OozeLink> rows[2];
};

/* Cells of each colour: see OozeSpringsSchedule. Colours are in the order of the step. */
struct SpringsSchedule {
    const uint32_t *sequence;    /* particles: cells in the order of the grid, keys within them */
    const uint32_t *begin, *end; /* per cell, colour by colour: its range of the sequence */
    uint32_t count[OOZE_SPRINGS_COLOURS_MAX]; /* host: cells of each colour */
};

/* Captured by loop bodies. */
struct SpringsView {
    uint32_t n;
    OozeSpringsConstants k;
    OozePeriodic periodic;
    ContactView contact;
    const OozeSpringsCoefficients *coefficients;
    /* in the order of the store */
    const float4 *x0;
    float4 *u; /* velocities that positions are predicted with */
    const uint16_t *store_material, *store_prescribed; /* prescribed NULL: 0 for all */
    const uint64_t *store_id;
    uint64_t *store_key;
    uint32_t *row;  /* field */
    ListView fluid; /* neighbours at x0 */
    /* in the order of the sorted predicted positions */
    const uint32_t *order; /* index in the store */
    float4 *p;             /* predicted positions */
    float4 *x, *shift;     /* positions, and the sum of their corrections */
    uint16_t *material;
    uint8_t *prescribed;
    uint64_t *id, *key;
    uint32_t *old_row; /* OOZE_LINK_ROW_NONE: none yet */
    ListView near;     /* neighbours at p */
    /* rows of springs */
    const uint64_t *first;
    const uint32_t *count;
    OozeLink *springs;
    uint32_t *long_count; /* springs of a row longer than the support */
};

/* Dynamic solids of a step, and the particles that may collide with them. */
struct SpringsBodies {
    int count; /* 0: no solid is dynamic */
    uint32_t near_count;
    const uint32_t *near;             /* device */
    OozeSpringsCollision *collisions; /* device: of these */
    Segments segments;                /* each solid has all of them */
    /* host, per dynamic solid; and their copies on the device */
    OozeSpringsBody *bodies, *sent;
    OozePose *free_pose; /* host: after free flight */
};

struct SpringsStep {
    Engine *engine;
    Gpu *gpu;
    SpringsData *data;
    OozeStepContext *context;
    OozeSpringsFeatures any;
    SpringsView view;
    SpringsSchedule schedule; /* of predicted positions */
    SpringsBodies bodies;
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

/* Makes the schedule of points that the grid has sorted. Waits for the numbers of cells. */
void springs_schedule(SpringsStep *step, const float4 *points, const uint64_t *key,
                      SpringsSchedule *schedule);

/* Algorithm 5, on velocities in the order of the store. */
void springs_apply_viscosity(SpringsStep *step, const SpringsSchedule *schedule);
/* Algorithm 4, at the predicted positions. */
OozeStatus springs_adjust(SpringsStep *step, OozeError *error);
/* Algorithm 3. Waits where springs are longer than the support. */
void springs_pull(SpringsStep *step);
void springs_pull_long(SpringsStep *step);
/* Algorithm 2. */
void springs_relax(SpringsStep *step);
/* Algorithm 6, where solids are dynamic: their motion before the particles collide with them, and
   the momentum that these have lost, after. */
OozeStatus springs_move_bodies(SpringsStep *step, OozeError *error);
OozeStatus springs_balance_bodies(SpringsStep *step, OozeError *error);

/* Stickiness, at the predicted position: see methods/springs/collide.c. */
OOZE_DEVICE void stick(const SpringsView &s, OozeSpringsCollision *m)
{
    const OozeContactRule &rule = s.contact.rule;
    for (int k = 0; k < s.contact.solids.count; k++) {
        const SolidView &solid = s.contact.solids.items[k];
        if (!(solid.stick_distance > 0.0) || !solid.collides) {
            continue;
        }
        const OozeContact contact = solid_contact(solid, m->position);
        const OozeVec3 pull =
            ooze_contact_adhesion(solid.stick_strength, solid.stick_distance, &contact,
                                  contact.distance - rule.margin, rule.dt);
        ooze_springs_stick(m, k, pull, rule.dt);
    }
}

/* The movement of a particle without solids. */
OOZE_DEVICE float4 springs_travel(const SpringsView &s, uint32_t k)
{
    return s.k.dt * s.u[s.order[k]] + s.shift[k];
}

/* The collision of particle k with all solids. */
OOZE_DEVICE void springs_collide(const SpringsView &s, uint32_t k, OozeSpringsCollision *m)
{
    const uint32_t i = s.order[k];
    const float4 from = s.x0[i], u = s.u[i], shift = s.shift[k];
    const float dt = s.k.dt;
    m->position = widen(from + springs_travel(s, k));
    m->velocity = m->incoming_velocity =
        widen(f32x4(u.x + shift.x / dt, u.y + shift.y / dt, u.z + shift.z / dt));
    m->touches.count = m->adhesion.count = 0;
    if (s.contact.solids.count > 0 && !s.prescribed[k]) {
        stick(s, m);
        m->incoming_velocity = m->velocity;
        contact_resolve(s.contact, widen(from), &m->position, &m->velocity, &m->touches);
    }
}

/* Threads that share a cell: a warp. */
#ifdef __CUDACC__
enum { CELL_LANES = 32 };
#else
enum { CELL_LANES = 1 };
#endif

/* sweep(i, lane) for the particles of each cell of the schedule, in its order. All lanes of a cell
   call it with the same particle. */
template <class Sweep>
static void each_colour(Gpu *gpu, const SpringsSchedule *schedule, Sweep sweep)
{
    const uint32_t *begin = schedule->begin, *end = schedule->end, *sequence = schedule->sequence;
    uint32_t first = 0;
    for (uint32_t cells : schedule->count) {
        for_lanes<CELL_LANES>(
            gpu, cells, OOZE_BODY(uint32_t cell, uint32_t lane) {
                const uint32_t last = end[first + cell];
                for (uint32_t k = begin[first + cell]; k < last; k++) {
                    sweep(sequence[k], lane);
                    lanes_sync<CELL_LANES>();
                }
            });
        first += cells;
    }
}

} // namespace ooze

#endif
