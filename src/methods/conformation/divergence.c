/* Compression taken out of the velocities before anything moves: after Bender and Koschier 2015,
   where fluid is at its rest density its density must not rise,

     rho' = sum V (u_i - u_j) . grad W <= 0,

   and where it is below, not beyond rest within the step. Boundary samples take part where they
   were when the step began, with the velocity of their solid. The multipliers push along the lines
   between particles at the beginning of the step, equal and opposite, so that every iteration
   conserves linear and angular momentum. */
#include <math.h>

#include "base/fail.h"
#include "methods/conformation/bodies/step_bodies.h"
#include "physics/kernels.h"
#include "solvers/density_formula.h"
#include "solvers/projected_jacobi.h"

typedef struct Stage {
    OozeConformationStep *step;
    OozeEdges edges;     /* with the density's kernel: minus V0 grad W */
    OozeF32x4 *wall_sum; /* per particle: the same summed over walls */
    OozeF32x4 *free;     /* velocities before solids hold them */
    float *known;        /* rate of density by moving walls and by missing density, 1/s */
    float *diagonal;     /* J M^-1 J^T */
    const float *effective_inverse_mass; /* see OozeDensityJob */
    OozeProjectedMultiplier *multiplier; /* per particle */
    float *change;                       /* of multipliers in the present sweep */
    float momentum;
} Stage;

static float slope_over(float r, float support)
{
    return ooze_kernel_gradient_scale(ooze_cubic_slope(r, support), r, support);
}

/* Walls of particle i: adds their gradients to `sum` and themselves to the density, and returns
   their part of the rate. */
static float sum_walls(const OozeConformationStep *s, uint64_t i, OozeF32x4 *sum, float *density)
{
    const OozeBoundary *boundary = s->context->boundary;
    const OozeNeighbours *walls = s->context->fluid_boundary;
    float rate = 0.0f;
    bool ignores_boundary = s->bodies && s->bodies->ignores_boundary[i];
    for (uint32_t w = 0; boundary->count && !ignores_boundary && w < walls->count[i]; w++) {
        uint32_t b = walls->index[walls->first[i] + w];
        OozeFloat4 p = boundary->position[b], v = boundary->velocity[b];
        OozeF32x4 velocity = ooze_f32x4(v.x, v.y, v.z, 0);
        OozeF32x4 d = s->x0[i] - (ooze_f32x4(p.x, p.y, p.z, 0) - s->dt * velocity);
        d = ooze_f32x4_nearest(d, &s->context->periodic);
        float r = sqrtf(ooze_f32x4_dot3(d, d)), volume = s->wall_scale * boundary->volume[b];
        OozeF32x4 g = volume * slope_over(r, s->support) * d;
        *sum += g;
        *density += volume * ooze_cubic_value(r, s->support);
        rate -= ooze_f32x4_dot3(velocity, g);
    }
    return rate;
}

/* Pairs within a particle body have no weight: its own forces keep its density. */
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
        OozeF32x4 sum = {0}, wall = {0};
        float square = 0.0f, density = ooze_cubic_value(0, s->support);
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            uint32_t j = list->index[e];
            OozeF32x4 d = ooze_f32x4_nearest(s->x0[i] - s->x0[j], &s->context->periodic);
            float r = sqrtf(ooze_f32x4_dot3(d, d));
            float f = same_body(s, i, j) ? 0.0f : -s->volume * slope_over(r, s->support);
            OozeF32x4 g = -f * d;
            density += ooze_cubic_value(r, s->support);
            stage->edges.weight[e] = f;
            sum += g;
            square += stage->effective_inverse_mass[j] * ooze_f32x4_dot3(g, g);
        }
        density *= s->volume;
        stage->known[i] = sum_walls(s, i, &wall, &density);
        float target = s->bodies ? s->bodies->density_target[i] : 1.0f;
        stage->known[i] -= ooze_max(target - density, 0.0f) / s->dt;
        stage->free[i] = s->u[i];
        stage->wall_sum[i] = wall;
        sum += wall;
        square += stage->effective_inverse_mass[i] * ooze_f32x4_dot3(sum, sum);
        stage->diagonal[i] = square + ooze_density_epsilon(s->support);
        stage->multiplier[i] = (OozeProjectedMultiplier){0, 0};
    }
}

static void multiplier_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Stage *stage = data;
    const OozeConformationStep *s = stage->step;
    const OozeNeighbours *list = s->context->fluid;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 u = s->u[i];
        float rate = stage->known[i] + ooze_f32x4_dot3(u, stage->wall_sum[i]);
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            rate += ooze_f32x4_dot3(u - s->u[list->index[e]], ooze_edge_at(&stage->edges, i, e));
        }
        stage->change[i] =
            ooze_projected_step(&stage->multiplier[i], rate / stage->diagonal[i], stage->momentum);
    }
}

/* A solid in contact keeps a particle out. */
static OozeF32x4 kept_out(const OozeConformationStep *s, uint64_t i, OozeF32x4 u)
{
    if (s->contact_of[i] >= 0) {
        const OozeContactSet *hold = &s->contact_sets[s->contact_of[i]];
        for (int k = 0; k < hold->normals; k++) {
            float lack = hold->speed[k] - ooze_f32x4_dot3(u, hold->direction[k]);
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
        OozeF32x4 push = -own * stage->wall_sum[i]; /* against the rise of density */
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

/* The impulses on the particles of a rigid body become its motion. */
static void apply_body_impulses(Stage *stage)
{
    OozeConformationStep *s = stage->step;
    ooze_step_bodies_apply_impulses(s);
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
        .effective_inverse_mass = s->bodies ? s->bodies->effective_inverse_mass : s->mobility,
        .multiplier = ooze_arena_alloc(arena, s->n, sizeof *stage.multiplier),
        .change = ooze_arena_alloc(arena, s->n, sizeof *stage.change),
    };
    stage.edges.weight = ooze_arena_alloc(arena, edges, sizeof(float));
    if (!stage.edges.weight || !stage.wall_sum || !stage.free || !stage.known || !stage.diagonal ||
        !stage.multiplier || !stage.change) {
        return ooze_fail_memory(error, "the divergence stage", edges * sizeof(float));
    }
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, prepare_range, &stage);
    ooze_timer_lap(s->context->timer, "prepare");
    for (int k = 0; k < s->settings.divergence_iterations; k++) {
        stage.momentum = ooze_projected_momentum(k, s->settings.divergence_iterations);
        ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, multiplier_range, &stage);
        ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, push_range, &stage);
        apply_body_impulses(&stage);
        ooze_timer_lap(s->context->timer, "divergence");
    }
    ooze_arena_rewind(arena, mark);
    return OOZE_OK;
}
