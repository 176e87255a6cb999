/* Compression taken out of the velocities before anything moves: after Bender and Koschier 2015, where
   fluid is at its rest density its density must not rise,

     rho' = sum V (u_i - u_j) . grad W <= 0,

   and where it is below, not beyond rest within the step. Boundary samples take part where they were when
   the step began, with the velocity of their solid. The multipliers push along the lines between particles at the beginning of the step,
   equal and opposite, so that linear and angular momentum are kept in every iteration. */
#include <math.h>

#include "base/fail.h"
#include "methods/conformation/step_bodies.h"
#include "methods/projected.h"
#include "physics/kernels.h"

typedef struct Stage {
    OozeConformationStep *step;
    OozeEdges edges;    /* with the density's kernel: minus V0 grad W */
    OozeFour *wall_sum; /* per particle: the same summed over walls */
    OozeFour *free;     /* velocities before solids hold them */
    float *known;       /* what walls and missing density add to the rate, 1/s */
    float *diagonal;    /* J M^-1 J^T */
    const float *ease;  /* see OozeDensityJob */
    OozePush *pushed;   /* what the multipliers have come to */
    float *change;      /* of them in the present sweep */
    float momentum;
} Stage;

static float slope_over(float r, float support)
{
    return ooze_kernel_gradient_scale(ooze_cubic_slope(r, support), r, support);
}

/* Walls of particle i: adds their gradients to `sum` and themselves to the density, and returns their
   part of the rate. */
static float see_walls(const OozeConformationStep *s, uint64_t i, OozeFour *sum, float *density)
{
    const OozeBoundary *boundary = s->context->boundary;
    const OozeNeighbours *walls = s->context->fluid_boundary;
    float rate = 0.0f;
    bool bare = s->bodies && s->bodies->bare[i];
    for (uint32_t w = 0; boundary->count && !bare && w < walls->count[i]; w++) {
        uint32_t b = walls->index[walls->first[i] + w];
        OozeFloat4 p = boundary->position[b], v = boundary->velocity[b];
        OozeFour velocity = ooze_four(v.x, v.y, v.z, 0);
        OozeFour d = s->x0[i] - (ooze_four(p.x, p.y, p.z, 0) - s->dt * velocity);
        d = ooze_four_nearest(d, &s->context->periodic);
        float r = sqrtf(ooze_four_dot3(d, d)), volume = s->wall_scale * boundary->volume[b];
        OozeFour g = volume * slope_over(r, s->support) * d;
        *sum += g;
        *density += volume * ooze_cubic_value(r, s->support);
        rate -= ooze_four_dot3(velocity, g);
    }
    return rate;
}

/* Of one body, which minds its own density. */
static bool same_body(const OozeConformationStep *s, uint64_t i, uint32_t j)
{
    const uint16_t *body = s->context->body;
    return s->bodies && body[i] && body[i] == body[j];
}

static void prepare_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Stage *stage = data;
    const OozeConformationStep *s = stage->step;
    const OozeNeighbours *list = s->context->fluid;
    for (uint64_t i = begin; i < end; i++) {
        OozeFour sum = {0}, wall = {0};
        float square = 0.0f, density = ooze_cubic_value(0, s->support);
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            uint32_t j = list->index[e];
            OozeFour d = ooze_four_nearest(s->x0[i] - s->x0[j], &s->context->periodic);
            float r = sqrtf(ooze_four_dot3(d, d));
            float f = same_body(s, i, j) ? 0.0f : -s->volume * slope_over(r, s->support);
            OozeFour g = -f * d;
            density += ooze_cubic_value(r, s->support);
            stage->edges.weight[e] = f;
            sum += g;
            square += stage->ease[j] * ooze_four_dot3(g, g);
        }
        density *= s->volume;
        stage->known[i] = see_walls(s, i, &wall, &density);
        float limit = s->bodies ? s->bodies->limit[i] : 1.0f;
        stage->known[i] -= ooze_max(limit - density, 0.0f) / s->dt;
        stage->free[i] = s->u[i];
        stage->wall_sum[i] = wall;
        sum += wall;
        square += stage->ease[i] * ooze_four_dot3(sum, sum);
        /* as in the density stage: an isolated pair must not divide by nothing */
        stage->diagonal[i] = square + 0.05f / (s->support * s->support);
        stage->pushed[i] = (OozePush){0, 0};
    }
}

static void multiplier_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Stage *stage = data;
    const OozeConformationStep *s = stage->step;
    const OozeNeighbours *list = s->context->fluid;
    for (uint64_t i = begin; i < end; i++) {
        OozeFour u = s->u[i];
        float rate = stage->known[i] + ooze_four_dot3(u, stage->wall_sum[i]);
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            rate += ooze_four_dot3(u - s->u[list->index[e]], ooze_edge_at(&stage->edges, i, e));
        }
        stage->change[i] =
            ooze_push_sweep(&stage->pushed[i], rate / stage->diagonal[i], stage->momentum);
    }
}

/* A solid that holds a particle goes on to hold it. */
static OozeFour kept_out(const OozeConformationStep *s, uint64_t i, OozeFour u)
{
    if (s->hold_of[i] >= 0) {
        const OozeHold *hold = &s->holds[s->hold_of[i]];
        for (int k = 0; k < hold->normals; k++) {
            float lack = hold->speed[k] - ooze_four_dot3(u, hold->direction[k]);
            u += ooze_max(lack, 0.0f) * hold->direction[k];
        }
    }
    return u;
}

static void push_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Stage *stage = data;
    OozeConformationStep *s = stage->step;
    const OozeNeighbours *list = s->context->fluid;
    for (uint64_t i = begin; i < end; i++) {
        float own = stage->change[i];
        OozeFour push = -own * stage->wall_sum[i]; /* against the rise of density */
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            push -= (own + stage->change[list->index[e]]) * ooze_edge_at(&stage->edges, i, e);
        }
        push[3] = 0;
        if (s->mobility[i] > 0.0f) {
            stage->free[i] += s->mobility[i] * push;
            s->u[i] = kept_out(s, i, stage->free[i]);
        }
    }
}

/* Rigid bodies take up what has pushed their particles. */
static void settle_bodies(Stage *stage)
{
    OozeConformationStep *s = stage->step;
    ooze_step_bodies_settle(s);
    for (uint64_t i = 0; s->bodies && i < s->n; i++) {
        stage->free[i] = s->bodies->rigid_of[i] ? s->u[i] : stage->free[i];
    }
}

OozeStatus ooze_conformation_divergence(OozeConformationStep *s, OozeError *error)
{
    if (s->settings.divergence_iterations == 0) {
        return OOZE_OK;
    }
    OozeThreads *threads = s->context->threads;
    OozeArena *arena = s->context->arena;
    uint64_t edges = s->context->fluid->first[s->n];
    OozeArenaMark mark = ooze_arena_mark(arena);
    Stage stage = {
        .step = s,
        .edges = s->edges,
        .wall_sum = ooze_arena_alloc(arena, s->n, sizeof *stage.wall_sum),
        .free = ooze_arena_alloc(arena, s->n, sizeof *stage.free),
        .known = ooze_arena_alloc(arena, s->n, sizeof *stage.known),
        .diagonal = ooze_arena_alloc(arena, s->n, sizeof *stage.diagonal),
        .ease = s->bodies ? s->bodies->ease : s->mobility,
        .pushed = ooze_arena_alloc(arena, s->n, sizeof *stage.pushed),
        .change = ooze_arena_alloc(arena, s->n, sizeof *stage.change),
    };
    stage.edges.weight = ooze_arena_alloc(arena, edges, sizeof(float));
    if (!stage.edges.weight || !stage.wall_sum || !stage.free || !stage.known || !stage.diagonal ||
        !stage.pushed || !stage.change) {
        return ooze_fail_memory(error, "the divergence stage", edges * sizeof(float));
    }
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, prepare_range, &stage);
    ooze_stage_lap(s->context->clock, OOZE_PART_PREPARE);
    for (int k = 0; k < s->settings.divergence_iterations; k++) {
        stage.momentum = ooze_push_momentum(k, s->settings.divergence_iterations);
        ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, multiplier_range, &stage);
        ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, push_range, &stage);
        settle_bodies(&stage);
        ooze_stage_lap(s->context->clock, OOZE_PART_DIVERGENCE);
    }
    ooze_arena_rewind(arena, mark);
    return OOZE_OK;
}
