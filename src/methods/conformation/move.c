/* The end of a step: positions from the solved velocities, corrected. */
#include "base/fail.h"
#include "methods/conformation/step_bodies.h"

typedef struct Move {
    OozeConformationStep *step;
    OozeFour *x, *shift;
    float *farthest; /* per chunk, squared */
} Move;

static void run(const OozeConformationStep *s, OozeRangeBody body, void *data)
{
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, body, data);
}

static void predict_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Move *move = data;
    OozeConformationStep *s = move->step;
    for (uint64_t i = begin; i < end; i++) {
        move->x[i] = s->x0[i] + s->dt * s->u[i];
        s->drift[i] = s->settled[i] = ooze_four(0, 0, 0, 0);
    }
}

static void arrive_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Move *move = data;
    OozeConformationStep *s = move->step;
    float farthest = 0.0f;
    for (uint64_t i = begin; i < end; i++) {
        OozeFour shift = move->shift[i], still = s->drift[i] + s->settled[i];
        OozeFour way = s->dt * s->u[i] + shift + still;
        farthest = ooze_max(farthest, ooze_four_dot3(way, way));
        move->x[i] += shift + still;
        s->u[i] += (shift + s->settled[i]) / s->dt;
    }
    move->farthest[begin / OOZE_CONFORMATION_GRAIN] = farthest;
}

static void still_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Move *move = data;
    OozeConformationStep *s = move->step;
    for (uint64_t i = begin; i < end; i++) {
        s->u[i] -= s->settled[i] / s->dt;
    }
}

static void store_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Move *move = data;
    const OozeConformationStep *s = move->step;
    OozeFloat4 *position = ooze_particles_positions(s->context->particles);
    OozeFloat4 *velocity = ooze_particles_velocities(s->context->particles);
    for (uint64_t i = begin; i < end; i++) {
        OozeFour x = move->x[i], u = s->u[i];
        position[i] = (OozeFloat4){x[0], x[1], x[2], 0};
        velocity[i] = (OozeFloat4){u[0], u[1], u[2], 0};
    }
}

static bool too_far(const Move *move)
{
    const OozeConformationStep *s = move->step;
    const float rounding = 1e-5f; /* a stroke just as long as asked for is good */
    float farthest = 0.0f;
    for (uint64_t k = 0; k * OOZE_CONFORMATION_GRAIN < s->n; k++) {
        farthest = ooze_max(farthest, move->farthest[k]);
    }
    return sqrtf(farthest) > (1.0f + rounding) * (float)s->context->longest_travel;
}

static OozeStatus allocate_move(Move *move, OozeError *error)
{
    OozeConformationStep *s = move->step;
    OozeArena *arena = s->context->arena;
    uint64_t chunks = s->n / OOZE_CONFORMATION_GRAIN + 1;
    move->x = ooze_arena_alloc(arena, s->n, sizeof *move->x);
    move->shift = ooze_arena_alloc(arena, s->n, sizeof *move->shift);
    move->farthest = ooze_arena_alloc(arena, chunks, sizeof *move->farthest);
    s->drift = ooze_arena_alloc(arena, s->n, sizeof *s->drift);
    s->settled = ooze_arena_alloc(arena, s->n, sizeof *s->settled);
    s->limit = ooze_arena_alloc(arena, s->n, sizeof *s->limit);
    s->borne = ooze_arena_alloc(arena, s->n, sizeof *s->borne);
    bool all =
        move->x && move->shift && move->farthest && s->drift && s->settled && s->limit && s->borne;
    return all ? OOZE_OK : ooze_fail_memory(error, "the conformation step", s->n * 72);
}

/* Positions from the solved velocities, corrected. Velocities follow the corrections of what the step itself
   or those before it have pressed together; those of a scene's start, or about a solid that was put into
   fluid, leave as a change of position. */
OozeStatus ooze_conformation_move(OozeConformationStep *s, OozeDensityMemory *own,
                                  const OozeFormulation *formulation, OozeError *error)
{
    OozeStageClock *clock = s->context->clock;
    Move move = {.step = s};
    OozeStatus status = allocate_move(&move, error);
    if (!status) {
        status = ooze_conformation_set_limits(s, error);
    }
    if (status) {
        return status;
    }
    run(s, predict_range, &move);
    ooze_stage_lap(clock, OOZE_PART_LIMITS);
    OozeArenaMark mark = ooze_arena_mark(s->context->arena);
    status = formulation->solve_positions(s, own, move.x, move.shift, error);
    ooze_arena_rewind(s->context->arena, mark);
    if (status) {
        return status;
    }
    run(s, arrive_range, &move);
    if (too_far(&move)) {
        s->context->report->too_far = true;
        return OOZE_OK;
    }
    ooze_stage_lap(clock, OOZE_PART_REST);
    if (s->coupled) { /* they too were moved on by the density stage */
        ooze_coupled_spread_motion(s->coupled);
    }
    if (formulation->lends_edges) {
        status = ooze_conformation_gather(s, error);
    }
    if (status) {
        return status;
    }
    formulation->finish(s); /* with what has settled: the fluid is strained by all that it moves */
    run(s, still_range, &move);
    ooze_stage_lap(clock, OOZE_PART_FINISH);
    status = ooze_conformation_find_strangers(s, error);
    if (status) {
        return status;
    }
    ooze_step_bodies_place(s, move.x);
    ooze_stage_lap(clock, OOZE_PART_REST);
    run(s, store_range, &move);
    ooze_stage_lap(clock, OOZE_PART_STORE);
    return OOZE_OK;
}
