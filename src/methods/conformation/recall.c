/* Where the velocity solve of `lodge` begins: with what stresses, walls and contacts did to the velocities in
   the last step. Slow flow changes little from step to step, and what is left to find is soon found. The
   last step's change is no more than a direction: how far the solve goes along it is found as in every
   iteration, but not for pieces of fluid that it would not serve. The stiffest piece makes up most of a
   residual, and a soft one would else fly on with the force that it had felt before. */
#include <math.h>

#include "base/fail.h"
#include "methods/conformation/lodge.h"
#include "methods/conformation/lodge_formula.h"
#include "methods/conformation/pieces.h"

/* ---- directions ------------------------------------------------------------------------------------- */

static OozeFour push_of(const OozeConformationStep *s, uint64_t i)
{
    const float *push = s->push + 8 * i;
    return s->dt * ooze_four(push[0], push[1], push[2], 0);
}

static void push_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        OozeFour p = ooze_lodge_project(solve->step, i, push_of(solve->step, i));
        solve->p[i] = p;
        sum += (double)ooze_four_dot3(p, p);
    }
    solve->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

/* ---- which pieces take it ------------------------------------------------------------------------------ */

/* push . residual and push . A push of a piece, and how many of its particles are anchored. */
typedef struct OozeWorth {
    double along, own, anchors;
} OozeWorth;

/* With how much of the push it takes. */
struct OozePiece {
    OozeWorth worth;
    float takes;
};

/* The same of a chunk of particles that are all of one piece. */
struct OozePieceChunk {
    OozeWorth worth;
    bool mixed;
};

/* Led by a nozzle, held in all directions, or clinging to a wall. */
static bool is_anchored(const OozeConformationStep *s, uint64_t i)
{
    const OozeNeighbours *walls = s->context->fluid_boundary;
    bool anchored =
        s->mobility[i] == 0.0f || (s->hold_of[i] >= 0 && s->holds[s->hold_of[i]].count == 3);
    for (uint32_t w = 0; !anchored && s->context->boundary->count && w < walls->count[i]; w++) {
        uint64_t e = walls->first[i] + w;
        bool floats = s->coupled && ooze_coupled_is_dynamic(
                                        s->coupled, s->context->boundary->solid[walls->index[e]]);
        anchored = s->wall_edge[e][3] > 0.0f && !floats;
    }
    return anchored;
}

static void add_worth(const OozeLodge *solve, uint64_t i, OozeWorth *worth)
{
    worth->along += (double)ooze_four_dot3(solve->p[i], solve->r[i]);
    worth->own += (double)ooze_four_dot3(solve->p[i], solve->ap[i]);
    worth->anchors += is_anchored(solve->step, i) ? 1.0 : 0.0;
}

static void worth_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    struct OozePieceChunk chunk = {0};
    for (uint64_t i = begin; i < end; i++) {
        solve->pieces[i] = (struct OozePiece){0};
        add_worth(solve, i, &chunk.worth);
        chunk.mixed = chunk.mixed || solve->root[i] != solve->root[begin];
    }
    solve->chunks[begin / OOZE_CONFORMATION_GRAIN] = chunk;
}

static float takes(const struct OozePiece *piece)
{
    const OozeWorth *w = &piece->worth;
    return ooze_recall_takes(w->along, w->own, w->anchors);
}

/* Roots decide; counts those that do not take all. */
static void decide_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    double less = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        struct OozePiece *piece = &solve->pieces[i];
        piece->takes = solve->root[i] == i ? takes(piece) : 0.0f;
        less += piece->worth.own > 0.0 && piece->takes < 1.0f ? 1.0 : 0.0;
    }
    solve->partial[begin / OOZE_CONFORMATION_GRAIN] = less;
}

static void take_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    for (uint64_t i = begin; i < end; i++) {
        solve->p[i] *= solve->pieces[solve->root[i]].takes;
    }
}

/* True: some do not take all of it. */
static bool share_out(OozeLodge *solve)
{
    const OozeConformationStep *s = solve->step;
    OozeThreads *threads = s->context->threads;
    ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, worth_range, solve);
    for (uint64_t begin = 0; begin < s->n; begin += OOZE_CONFORMATION_GRAIN) {
        const struct OozePieceChunk *chunk = &solve->chunks[begin / OOZE_CONFORMATION_GRAIN];
        uint64_t end =
            begin + OOZE_CONFORMATION_GRAIN < s->n ? begin + OOZE_CONFORMATION_GRAIN : s->n;
        for (uint64_t i = begin; i < end && chunk->mixed; i++) {
            struct OozePiece *piece = &solve->pieces[solve->root[i]];
            add_worth(solve, i, &piece->worth);
        }
        if (!chunk->mixed) {
            OozeWorth *worth = &solve->pieces[solve->root[begin]].worth;
            worth->along += chunk->worth.along;
            worth->own += chunk->worth.own;
            worth->anchors += chunk->worth.anchors;
        }
    }
    bool less = ooze_lodge_run(solve, decide_range) > 0.0;
    if (less) {
        ooze_parallel_for(threads, s->n, OOZE_CONFORMATION_GRAIN, take_range, solve);
    }
    return less;
}

bool ooze_recall_push(OozeLodge *solve)
{
    OozeConformationStep *s = solve->step;
    if (!(ooze_lodge_run(solve, push_range) > 0.0)) {
        return false;
    }
    ooze_step_bodies_keep_motion(s, solve->p);
    ooze_couple_follow(solve);
    ooze_conformation_find_pieces(s, solve->scratch, solve->root);
    double pap = ooze_lodge_multiply(solve);
    bool less = share_out(solve);
    if (less) {
        ooze_couple_follow(solve);
    }
    solve->pap = less ? ooze_lodge_multiply(solve) : pap;
    return true;
}

typedef struct Released {
    OozeLodge *solve;
    const OozeFour *star;
} Released;

static void released_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Released *job = data;
    const OozeConformationStep *s = job->solve->step;
    double count = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        bool released = s->hold_of[i] >= 0 && s->holds[s->hold_of[i]].released;
        OozeFour way = job->star[i] + push_of(s, i) - s->u[i], none = {0};
        job->solve->p[i] = released ? ooze_lodge_project(s, i, way) : none;
        count += released ? 1.0 : 0.0;
    }
    job->solve->partial[begin / OOZE_CONFORMATION_GRAIN] = count;
}

bool ooze_recall_released(OozeLodge *solve, const OozeFour *star)
{
    const OozeConformationStep *s = solve->step;
    Released job = {.solve = solve, .star = star};
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, released_range, &job);
    double count = 0.0;
    for (uint64_t k = 0; k * OOZE_CONFORMATION_GRAIN < s->n; k++) {
        count += solve->partial[k];
    }
    ooze_couple_rest(solve);
    solve->pap = count > 0.0 ? ooze_lodge_multiply(solve) : 0.0;
    return count > 0.0;
}

/* ---- sums ------------------------------------------------------------------------------------------- */

static void along_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        sum += (double)ooze_four_dot3(solve->p[i], solve->r[i]);
    }
    solve->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

double ooze_recall_along(OozeLodge *solve)
{
    return ooze_lodge_run(solve, along_range) + ooze_couple_along(solve);
}

static void speed_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    const OozeConformationStep *s = solve->step;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        sum +=
            (double)s->rheology[s->material[i]].weight * (double)ooze_four_dot3(s->u[i], s->u[i]);
    }
    solve->partial[begin / OOZE_CONFORMATION_GRAIN] = sum;
}

double ooze_recall_speed(OozeLodge *solve)
{
    return ooze_lodge_run(solve, speed_range);
}

/* ---- memory ----------------------------------------------------------------------------------------- */

OozeStatus ooze_recall_allocate(OozeLodge *solve, OozeError *error)
{
    OozeConformationStep *s = solve->step;
    OozeArena *arena = s->context->arena;
    uint64_t chunks = s->n / OOZE_CONFORMATION_GRAIN + 1;
    solve->root = ooze_arena_alloc(arena, s->n, sizeof *solve->root);
    solve->scratch = ooze_arena_alloc(arena, s->n, sizeof *solve->scratch);
    solve->pieces = ooze_arena_alloc(arena, s->n, sizeof *solve->pieces);
    solve->chunks = ooze_arena_alloc(arena, chunks, sizeof *solve->chunks);
    if (!solve->root || !solve->scratch || !solve->pieces || !solve->chunks) {
        return ooze_fail_memory(error, "the velocity solve", s->n * 32);
    }
    return OOZE_OK;
}

typedef struct Note {
    OozeConformationStep *step;
    const OozeFour *star;
    float share;
} Note;

static void note_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Note *note = data;
    const OozeConformationStep *s = note->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeFour push = note->share * (s->u[i] - note->star[i]) / s->dt, none = {0};
        bool elastic = ooze_recall_is_elastic(&s->rheology[s->material[i]], s->dt);
        s->pushed[i] = elastic ? none : push;
    }
}

void ooze_recall_note(const OozeLodge *solve)
{
    OozeConformationStep *s = solve->step;
    bool found = solve->residual.asked && solve->residual.last <= solve->residual.stop;
    Note note = {.step = s, .star = solve->star, .share = found ? 1.0f : OOZE_RECALL_UNFOUND};
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, note_range, &note);
}

static void store_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeConformationStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        for (uint64_t k = 0; k < 3; k++) {
            s->push[8 * i + k] = s->pushed[i][k];
        }
    }
}

void ooze_recall_store(OozeConformationStep *s)
{
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, store_range, s);
}
