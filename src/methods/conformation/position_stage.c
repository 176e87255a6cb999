/* Positions at the end of a step, from the solved velocities and the density stage. */
#include "base/fail.h"
#include "methods/conformation/bodies/step_bodies.h"
#include "methods/conformation/cpu/push_stress.h"
#include "methods/conformation/position_stage_formula.h"
#include "methods/conformation/pressure_solve.h"

typedef struct Move {
    OozeConformationStep *step;
    OozeF32x4 *x;    /* n and four zero ones */
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
        move->x[i] += s->first_push ? s->first_push[i] : ooze_f32x4(0, 0, 0, 0);
        s->drift[i] = s->position_only_shift[i] = ooze_f32x4(0, 0, 0, 0);
    }
}

static void arrive_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Move *move = data;
    OozeConformationStep *s = move->step;
    const OozeFloat4 *v = ooze_particles_velocities(s->context->particles);
    float farthest = 0.0f, free_speed = (float)s->context->free_speed;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 shift = s->shift[i], position_only = s->drift[i] + s->position_only_shift[i];
        move->x[i] += shift + position_only;
        if (s->first_push) { /* x has it already */
            shift = s->shift[i] += s->first_push[i];
        }
        OozeF32x4 travel = s->dt * s->u[i] + shift + position_only;
        OozeF32x4 before = ooze_f32x4(v[i].x, v[i].y, v[i].z, 0);
        if (ooze_flies_freely(ooze_f32x4_dot3(before, before), free_speed)) {
            travel -= s->dt * before;
        }
        farthest = ooze_max(farthest, ooze_f32x4_dot3(travel, travel));
        s->u[i] += (shift + s->position_only_shift[i]) / s->dt;
    }
    move->farthest[begin / OOZE_CONFORMATION_GRAIN] = farthest;
}

static void remove_position_only_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Move *move = data;
    OozeConformationStep *s = move->step;
    for (uint64_t i = begin; i < end; i++) {
        s->u[i] -= s->position_only_shift[i] / s->dt;
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
        OozeF32x4 x = move->x[i], u = s->u[i];
        position[i] = (OozeFloat4){x[0], x[1], x[2], 0};
        velocity[i] = (OozeFloat4){u[0], u[1], u[2], 0};
    }
}

static bool too_far(const Move *move)
{
    const OozeConformationStep *s = move->step;
    float farthest = 0.0f;
    for (uint64_t k = 0; k * OOZE_CONFORMATION_GRAIN < s->n; k++) {
        farthest = ooze_max(farthest, move->farthest[k]);
    }
    double all = (double)farthest;
    ooze_halo_max(s->context->halo, &all, 1);
    return ooze_travels_too_far(sqrtf((float)all), s->context->longest_travel);
}

static OozeStatus allocate_move(Move *move, OozeError *error)
{
    OozeConformationStep *s = move->step;
    OozeArena *arena = s->context->arena;
    uint64_t chunks = s->n / OOZE_CONFORMATION_GRAIN + 1;
    move->x = ooze_gathered_alloc(arena, s->local, sizeof *move->x);
    s->shift = ooze_arena_alloc(arena, s->n, sizeof *s->shift);
    move->farthest = ooze_arena_alloc(arena, chunks, sizeof *move->farthest);
    s->drift = ooze_arena_alloc(arena, s->n, sizeof *s->drift);
    s->position_only_shift = ooze_arena_alloc(arena, s->local, sizeof *s->position_only_shift);
    bool wanted = s->isotropic_pushes || s->warm_density;
    s->density_multiplier =
        wanted ? ooze_gathered_alloc(arena, s->local, sizeof *s->density_multiplier) : NULL;
    s->density_target = ooze_arena_alloc(arena, s->n, sizeof *s->density_target);
    s->load_excess = ooze_arena_alloc(arena, s->n, sizeof *s->load_excess);
    return ooze_arena_failed(arena) ? ooze_fail_memory(error, "the conformation step", s->n * 72)
                                    : OOZE_OK;
}

/* Corrections of compression by motion change velocities too. Relief of overlaps changes positions
   only. */
OozeStatus ooze_conformation_move(OozeConformationStep *s, OozeDensityMemory *own,
                                  const OozeFormulation *formulation, OozeError *error)
{
    OozeStepTimer *timer = s->context->timer;
    Move move = {.step = s};
    OozeStatus status = allocate_move(&move, error);
    if (!status) {
        status = ooze_conformation_set_density_targets(s, error);
    }
    if (status) {
        return status;
    }
    run(s, predict_range, &move);
    ooze_timer_lap(timer, "predict");
    OozeArenaMark mark = ooze_arena_mark(s->context->arena);
    status = formulation->solve_positions(s, own, move.x, s->shift, error);
    ooze_arena_rewind(s->context->arena, mark);
    if (status) {
        return status;
    }
    status = ooze_grid_pressure_repair(s, error);
    if (status) {
        return status;
    }
    run(s, arrive_range, &move);
    if (too_far(&move)) {
        s->context->report->too_far = true;
        return OOZE_OK;
    }
    ooze_timer_lap(timer, "rest");
    if (s->coupling) { /* the density stage has moved dynamic solids as well */
        ooze_coupling_spread_motion(s->coupling);
    }
    if (formulation->regathers_edges) {
        status = ooze_conformation_gather(s, error);
    }
    if (status) {
        return status;
    }
    if (s->isotropic_shifts) { /* these shifts are motion, which strains the fluid */
        status = ooze_push_stress_remove(s, move.x, error);
        ooze_timer_lap(timer, "push_stress");
    }
    if (status) {
        return status;
    }
    ooze_halo_refresh(s->context->halo, s->u, sizeof *s->u);
    formulation->finish(s); /* u includes position_only_shift / dt here: it strains the fluid */
    ooze_timer_lap(timer, "finish");
    if (!s->isotropic_shifts) {
        status = ooze_push_stress_remove(s, move.x, error);
        ooze_timer_lap(timer, "push_stress");
    }
    run(s, remove_position_only_range, &move);
    ooze_timer_lap(timer, "rest");
    if (!status) {
        status = ooze_conformation_update_relief(s, error);
    }
    if (status) {
        return status;
    }
    ooze_step_bodies_place(s, move.x);
    ooze_timer_lap(timer, "rest");
    run(s, store_range, &move);
    ooze_grid_pressure_store(s);
    ooze_timer_lap(timer, "store");
    return OOZE_OK;
}
