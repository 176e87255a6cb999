/* Removes compression from the velocities before particles move, after Bender and Koschier 2015:
   where fluid is at its rest density its density must not rise,

     rho' = sum V (u_i - u_j) . grad W <= 0,

   and below it not beyond rest within the step. Boundary samples are at their positions at the
   beginning of the step, with the velocity of their solid. The multipliers push along the lines
   between particles at the beginning of the step, equal and opposite, so that every iteration
   conserves linear and angular momentum. */
#include <math.h>

#include "base/fail.h"
#include "methods/conformation/bodies/step_bodies.h"
#include "methods/conformation/divergence_formula.h"
#include "physics/kernels.h"
#include "solvers/projected_jacobi.h"

typedef struct Stage {
    OozeConformationStep *step;
    OozeEdges edges;                     /* with the kernel of the density: minus V0 grad W */
    OozeF32x4 *wall_sum;                 /* per particle: sum of edges to boundary samples */
    OozeF32x4 *free;                     /* velocities without contacts */
    float *known;                        /* rate of density without fluid velocities, 1/s */
    float *diagonal;                     /* J M^-1 J^T */
    const float *effective_inverse_mass; /* see OozeDensityJob */
    OozeProjectedMultiplier *multiplier; /* per particle */
    float *change;                       /* of multipliers in the present sweep */
    float momentum;
} Stage;

static float slope_over(float r, float support)
{
    return ooze_kernel_gradient_scale(ooze_cubic_slope(r, support), r, support);
}

/* Sums over the boundary samples of particle i; adds them to the density. */
static OozeDivergenceWalls sum_walls(const OozeConformationStep *s, uint64_t i, float *density)
{
    const OozeBoundary *boundary = s->context->boundary;
    const OozeNeighbours *walls = s->context->fluid_boundary;
    OozeDivergenceWalls sums = {.rate = 0};
    bool ignores_boundary = s->bodies && s->bodies->ignores_boundary[i];
    for (uint32_t w = 0; boundary->count && !ignores_boundary && w < walls->count[i]; w++) {
        uint32_t b = walls->index[walls->first[i] + w];
        OozeFloat4 p = boundary->position[b], v = boundary->velocity[b];
        OozeF32x4 velocity = ooze_f32x4(v.x, v.y, v.z, 0);
        OozeF32x4 d = s->x0[i] - (ooze_f32x4(p.x, p.y, p.z, 0) - s->dt * velocity);
        d = ooze_f32x4_nearest(d, &s->context->periodic);
        float r = sqrtf(ooze_f32x4_dot3(d, d)), volume = s->wall_scale * boundary->volume[b];
        ooze_divergence_add_wall(&sums, volume * slope_over(r, s->support) * d, velocity);
        *density += volume * ooze_cubic_value(r, s->support);
    }
    return sums;
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
        OozeDivergenceSums sums = {.square = 0};
        float density = ooze_cubic_value(0, s->support);
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            uint32_t j = list->index[e];
            OozeF32x4 d = ooze_f32x4_nearest(s->x0[i] - s->x0[j], &s->context->periodic);
            float r = sqrtf(ooze_f32x4_dot3(d, d));
            float f = same_body(s, i, j) ? 0.0f : -s->volume * slope_over(r, s->support);
            density += ooze_cubic_value(r, s->support);
            stage->edges.weight[e] = f;
            ooze_divergence_add_pair(&sums, -f * d, stage->effective_inverse_mass[j]);
        }
        density *= s->volume;
        OozeDivergenceWalls walls = sum_walls(s, i, &density);
        float target = s->bodies ? s->bodies->density_target[i] : 1.0f;
        stage->known[i] = walls.rate - ooze_divergence_allowed(target, density, s->dt);
        stage->free[i] = s->u[i];
        stage->wall_sum[i] = walls.edges;
        stage->diagonal[i] = ooze_divergence_diagonal(&sums, walls.edges,
                                                      stage->effective_inverse_mass[i], s->support);
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
            rate +=
                ooze_divergence_rate(u, s->u[list->index[e]], ooze_edge_at(&stage->edges, i, e));
        }
        stage->change[i] =
            ooze_projected_step(&stage->multiplier[i], rate / stage->diagonal[i], stage->momentum);
    }
}

static void push_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    Stage *stage = data;
    OozeConformationStep *s = stage->step;
    const OozeNeighbours *list = s->context->fluid;
    for (uint64_t i = begin; i < end; i++) {
        float own = stage->change[i];
        OozeF32x4 push = -own * stage->wall_sum[i];
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            push = ooze_divergence_push(push, own + stage->change[list->index[e]],
                                        ooze_edge_at(&stage->edges, i, e));
        }
        push[3] = 0;
        if (s->mobility[i] > 0.0f) {
            stage->free[i] += s->mobility[i] * push;
            s->u[i] = stage->free[i];
            if (s->contact_of[i] >= 0) {
                s->u[i] = ooze_contact_normal_velocity(&s->contact_sets[s->contact_of[i]], s->u[i]);
            }
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
        .change = ooze_arena_alloc(arena, s->local, sizeof *stage.change),
    };
    stage.edges.weight = ooze_arena_alloc(arena, edges, sizeof(float));
    if (ooze_arena_failed(arena)) {
        return ooze_fail_memory(error, "the divergence stage", edges * sizeof(float));
    }
    OozeHalo *halo = s->context->halo;
    ooze_halo_refresh(halo, s->mobility, sizeof *s->mobility);
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, prepare_range, &stage);
    ooze_timer_lap(s->context->timer, "prepare");
    for (int k = 0; k < s->settings.divergence_iterations; k++) {
        stage.momentum = ooze_projected_momentum(k, s->settings.divergence_iterations);
        ooze_halo_refresh(halo, s->u, sizeof *s->u);
        ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, multiplier_range, &stage);
        ooze_halo_refresh(halo, stage.change, sizeof *stage.change);
        ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, push_range, &stage);
        apply_body_impulses(&stage);
        ooze_timer_lap(s->context->timer, "divergence");
    }
    ooze_arena_rewind(arena, mark);
    return OOZE_OK;
}
