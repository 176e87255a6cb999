/* Initial guess of the velocity solve of `lodge`: the velocity change by stresses, walls and
   contacts in the last step. Slow flow changes little from step to step, so few iterations remain.
   The guess is a search direction, and the step length along it is that of an iteration. Components
   of fluid that would not gain by it leave it out. The stiffest component dominates a residual, and
   a soft one would otherwise continue with the acceleration of the last step. */
#include "methods/conformation/cpu/component_sharing.h"
#include "methods/conformation/cpu/components.h"
#include "methods/conformation/cpu/lodge.h"
#include "methods/conformation/lodge_particle_formula.h"

/* ---- the guess ------------------------------------------------------------------------------ */

static void guess_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 p = ooze_lodge_last_change(solve->step, solve, i);
        p = ooze_lodge_project(solve->step, i, p);
        solve->p[i] = p;
        sum += (double)ooze_f32x4_dot3(p, p);
    }
    solve->own->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

/* ---- which components accept it ------------------------------------------------------------- */

/* Its velocity is prescribed, contacts constrain all directions, or it is near a no-slip wall. */
static bool is_anchored(const OozeConformationStep *s, uint64_t i)
{
    const OozeNeighbours *walls = s->context->fluid_boundary;
    bool anchored = s->mobility[i] == 0.0f ||
                    (s->contact_of[i] >= 0 && s->contact_sets[s->contact_of[i]].count == 3);
    for (uint32_t w = 0; !anchored && s->context->boundary->count && w < walls->count[i]; w++) {
        uint64_t e = walls->first[i] + w;
        bool dynamic = s->own->coupling &&
                       ooze_coupling_is_dynamic(s->own->coupling,
                                                s->context->boundary->solid[walls->index[e]]);
        anchored = s->own->wall_edge[e][3] > 0.0f && !dynamic;
    }
    return anchored;
}

void ooze_warm_start_add_gain(const OozeLodge *solve, uint64_t i, OozeComponentGain *gain)
{
    gain->residual += (double)ooze_f32x4_dot3(solve->p[i], solve->r[i]);
    gain->curvature += (double)ooze_f32x4_dot3(solve->p[i], solve->ap[i]);
    gain->anchors += is_anchored(solve->step, i) ? 1.0 : 0.0;
}

static void gain_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    struct OozeComponentChunk chunk = {0};
    for (uint64_t i = begin; i < end; i++) {
        solve->own->components.of_root[i] = (struct OozeComponent){0};
        ooze_warm_start_add_gain(solve, i, &chunk.gain);
        chunk.mixed =
            chunk.mixed || solve->own->components.root[i] != solve->own->components.root[begin];
    }
    solve->own->components.chunks[begin / OOZE_CONFORMATION_GRAIN] = chunk;
}

/* Decides at the roots; counts components that do not accept all of it. */
static void decide_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    double partly = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        struct OozeComponent *component = &solve->own->components.of_root[i];
        component->accepted_fraction = solve->own->components.root[i] == i
                                           ? ooze_warm_start_accepted_fraction(component->gain)
                                           : 0.0f;
        partly += component->gain.curvature > 0.0 && component->accepted_fraction < 1.0f;
    }
    solve->own->partial[begin / OOZE_CONFORMATION_GRAIN] = partly;
}

static void scale_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    for (uint64_t i = begin; i < end; i++) {
        solve->p[i] *=
            solve->own->components.of_root[solve->own->components.root[i]].accepted_fraction;
    }
}

/* What the guess of each component gains; `partly`: some accept less than all of it. */
static OozeStatus sum_gains(OozeLodge *solve, bool *partly, OozeError *error)
{
    OozeLodgeComponents *c = &solve->own->components;
    const uint64_t n = solve->step->n;
    ooze_parallel_for(solve->step->context->threads, n, OOZE_CONFORMATION_GRAIN, gain_range, solve);
    if (c->sharing) {
        OozeStatus status = ooze_component_sharing_sum(solve, error);
        *partly = !status && ooze_component_sharing_decide(solve);
        return status;
    }
    for (uint64_t begin = 0; begin < n; begin += OOZE_CONFORMATION_GRAIN) {
        const struct OozeComponentChunk *chunk = &c->chunks[begin / OOZE_CONFORMATION_GRAIN];
        uint64_t end = begin + OOZE_CONFORMATION_GRAIN < n ? begin + OOZE_CONFORMATION_GRAIN : n;
        for (uint64_t i = begin; i < end && chunk->mixed; i++) {
            ooze_warm_start_add_gain(solve, i, &c->of_root[c->root[i]].gain);
        }
        if (!chunk->mixed) {
            OozeComponentGain *gain = &c->of_root[c->root[begin]].gain;
            gain->residual += chunk->gain.residual;
            gain->curvature += chunk->gain.curvature;
            gain->anchors += chunk->gain.anchors;
        }
    }
    *partly = ooze_lodge_sum(solve, decide_range) > 0.0;
    return OOZE_OK;
}

static OozeStatus guess_by_last_step(OozeLodge *solve, OozeError *error)
{
    OozeConformationStep *s = solve->step;
    OozeLodgeComponents *c = &solve->own->components;
    solve->guessed = ooze_lodge_sum(solve, guess_range) > 0.0;
    if (!solve->guessed) {
        return OOZE_OK;
    }
    ooze_step_bodies_project_velocities(s, solve->p);
    ooze_lodge_solids_follow(solve);
    ooze_conformation_find_components(s, false, c->parent, c->root);
    if (c->sharing) {
        ooze_component_sharing_find(solve, NULL);
    }
    solve->cg->pap = ooze_lodge_multiply(solve);
    bool partly = false;
    OozeStatus status = sum_gains(solve, &partly, error);
    if (partly) {
        ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, scale_range, solve);
        ooze_lodge_solids_follow(solve);
        solve->cg->pap = ooze_lodge_multiply(solve);
    }
    return status;
}

static void released_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    const OozeConformationStep *s = solve->step;
    double count = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        bool released = s->contact_of[i] >= 0 && s->contact_sets[s->contact_of[i]].released;
        OozeF32x4 delta = solve->u_star[i] + ooze_lodge_last_change(s, solve, i) - s->u[i],
                  none = {0};
        solve->p[i] = released ? ooze_lodge_project(s, i, delta) : none;
        count += released ? 1.0 : 0.0;
    }
    solve->own->partial[begin / OOZE_CONFORMATION_GRAIN] = count;
}

static void guess_of_released(OozeLodge *solve)
{
    solve->guessed = ooze_lodge_sum(solve, released_range) > 0.0;
    ooze_lodge_solids_zero(solve);
    solve->cg->pap = solve->guessed ? ooze_lodge_multiply(solve) : 0.0;
}

static void direction_dot_residual_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        sum += (double)ooze_f32x4_dot3(solve->p[i], solve->r[i]);
    }
    solve->own->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

OozeStatus ooze_warm_start(OozeLodge *solve, OozeError *error)
{
    OozeConjugateGradients *cg = solve->cg;
    OozeStatus status = OOZE_OK;
    if (cg->off) {
        return OOZE_OK;
    }
    if (solve->pass == 0) {
        status = guess_by_last_step(solve, error);
    } else {
        guess_of_released(solve);
    }
    if (solve->guessed && !status) {
        double along = ooze_lodge_sum(solve, direction_dot_residual_range);
        along += ooze_lodge_solids_dot(solve);
        ooze_lodge_advance(solve, ooze_cg_guess_length(along, cg->pap), &cg->rz);
    }
    ooze_lodge_next_direction(solve, 0.0);
    ooze_timer_add(solve->step->context->timer, "velocity_vectors");
    cg->off = !ooze_solve_residual_check(&cg->residual, cg->rz);
    return status;
}

/* ---- memory --------------------------------------------------------------------------------- */

void ooze_warm_start_allocate(OozeLodge *solve)
{
    const OozeConformationStep *s = solve->step;
    OozeArena *arena = s->context->arena;
    OozeLodgeComponents *c = &solve->own->components;
    c->root = ooze_arena_alloc(arena, s->local, sizeof *c->root);
    c->parent = ooze_arena_alloc(arena, s->local, sizeof *c->parent);
    c->of_root = ooze_arena_alloc(arena, s->local, sizeof *c->of_root);
    c->chunks = ooze_arena_alloc(arena, s->n / OOZE_CONFORMATION_GRAIN + 1, sizeof *c->chunks);
    c->sharing = s->context->halo ? ooze_component_sharing_allocate(s) : NULL;
}

static void record_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    const OozeConformationStep *s = solve->step;
    for (uint64_t i = begin; i < end; i++) {
        ooze_lodge_record_change(s, solve, i, &solve->cg->residual);
    }
}

void ooze_warm_start_record(OozeLodge *solve)
{
    ooze_parallel_for(solve->step->context->threads, solve->step->n, OOZE_CONFORMATION_GRAIN,
                      record_range, solve);
}

static void store_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeConformationStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        float share = s->expects_pushes ? ooze_lodge_solids_push_share(s, i) : 0.0f;
        ooze_lodge_store_guess(s, i, share);
    }
}

void ooze_warm_start_store(OozeConformationStep *s)
{
    if (s->own->grid_pressure) {
        return; /* it stores pressures instead */
    }
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, store_range, s);
}
