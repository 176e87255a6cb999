/* Where the velocity solve of `lodge` begins: with what stresses, walls and contacts did to the velocities in
   the last step. Slow flow changes little from step to step, and what is left to find is soon found. The
   last step's change is no more than a direction: how far the solve goes along it is found as in every
   iteration, but not for pieces of fluid that it would not serve. The stiffest piece makes up most of a
   residual, and a soft one would else fly on with the force that it had felt before. */
#include <math.h>

#include "base/fail.h"
#include "base/vec3.h"
#include "methods/conformation/lodge.h"
#include "methods/conformation/pieces.h"
#include "physics/rigid_motion.h"

enum { SUMS = 9 };

/* How far a piece by itself would go along its push, from where on it takes all of it, and below which none. */
#define TAKES_ALL  0.75
#define TAKES_NONE 0.25

typedef struct Sums {
    double v[SUMS];
} Sums;

typedef struct Recall {
    OozeLodge *solve;
    Sums *partial; /* per chunk */
    double centre[3];
    double linear[3], angular[3]; /* velocity and spin to take out */
} Recall;

/* ---- motion that no inner force brings about -------------------------------------------------------- */

static double weight_of(const OozeConformationStep *s, uint64_t i)
{
    return (double)s->rheology[s->material[i]].weight;
}

/* Mass, mass times place, momentum; touching walls. */
static void momentum_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Recall *recall = data;
    const OozeConformationStep *s = recall->solve->step;
    bool walls = s->context->boundary->count > 0;
    Sums sums = {{0}};
    for (uint64_t i = begin; i < end; i++) {
        double mass = weight_of(s, i);
        sums.v[0] += mass;
        for (int k = 0; k < 3; k++) {
            sums.v[1 + k] += mass * (double)s->x0[i][k];
            sums.v[4 + k] += mass * (double)recall->solve->p[i][k];
        }
        sums.v[7] += walls ? s->context->fluid_boundary->count[i] : 0;
    }
    recall->partial[begin / OOZE_CONFORMATION_GRAIN] = sums;
}

static void arm_of(const Recall *recall, uint64_t i, double arm[3])
{
    for (int k = 0; k < 3; k++) {
        arm[k] = (double)recall->solve->step->x0[i][k] - recall->centre[k];
    }
}

/* Angular momentum and moments about the centre. */
static void spin_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Recall *recall = data;
    const OozeConformationStep *s = recall->solve->step;
    Sums sums = {{0}};
    for (uint64_t i = begin; i < end; i++) {
        double mass = weight_of(s, i), x[3], p[3];
        arm_of(recall, i, x);
        for (int k = 0; k < 3; k++) {
            p[k] = (double)recall->solve->p[i][k] - recall->linear[k];
        }
        ooze_rigid_add_moment(sums.v, mass, x);
        sums.v[6] += mass * (x[1] * p[2] - x[2] * p[1]);
        sums.v[7] += mass * (x[2] * p[0] - x[0] * p[2]);
        sums.v[8] += mass * (x[0] * p[1] - x[1] * p[0]);
    }
    recall->partial[begin / OOZE_CONFORMATION_GRAIN] = sums;
}

static void take_out_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Recall *recall = data;
    const double *v = recall->linear, *w = recall->angular;
    for (uint64_t i = begin; i < end; i++) {
        double x[3];
        arm_of(recall, i, x);
        recall->solve->p[i] -= ooze_four((float)(v[0] + w[1] * x[2] - w[2] * x[1]),
                                         (float)(v[1] + w[2] * x[0] - w[0] * x[2]),
                                         (float)(v[2] + w[0] * x[1] - w[1] * x[0]), 0);
    }
}

static Sums sum_up(Recall *recall, OozeRangeBody body)
{
    const OozeConformationStep *s = recall->solve->step;
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, body, recall);
    Sums sums = {{0}};
    for (uint64_t k = 0; k * OOZE_CONFORMATION_GRAIN < s->n; k++) {
        for (int c = 0; c < SUMS; c++) {
            sums.v[c] += recall->partial[k].v[c];
        }
    }
    return sums;
}

static bool touches_nothing(const OozeConformationStep *s)
{
    bool held = s->hold_count > 0;
    for (int k = 0; s->bodies && k < s->bodies->rigid_count; k++) {
        held = held || s->bodies->rigids[k].held_count > 0;
    }
    return !held;
}

/* Forces between particles have no sum and no torque, but the particles have moved since, and some may be new
   or gone. In free flight all momentum of the direction is therefore taken out; the search for the rest adds
   none. Elsewhere solids take part, and momenta are as exact as the solve. True: something was taken out. */
static bool take_out_momentum(Recall *recall)
{
    OozeConformationStep *s = recall->solve->step;
    if (!touches_nothing(s)) {
        return false;
    }
    Sums sums = sum_up(recall, momentum_range);
    if (sums.v[7] > 0.0 || !(sums.v[0] > 0.0)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        recall->centre[k] = sums.v[1 + k] / sums.v[0];
        recall->linear[k] = sums.v[4 + k] / sums.v[0];
        recall->angular[k] = 0.0;
    }
    const float *length = s->context->periodic.length;
    if (length[0] == 0.0f && length[1] == 0.0f && length[2] == 0.0f) {
        double inverse[6], least = 1e-6 * sums.v[0] * s->context->spacing * s->context->spacing;
        Sums spin = sum_up(recall, spin_range);
        ooze_rigid_inverse_inertia(spin.v, least, inverse);
        ooze_rigid_apply(inverse, spin.v + 6, recall->angular);
    }
    ooze_parallel_for(s->context->threads, s->n, OOZE_CONFORMATION_GRAIN, take_out_range, recall);
    return true;
}

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

/* push . residual and push . A push of a piece; how much of the push it takes. */
struct OozePiece {
    double along, own;
    float takes;
};

/* The same of a chunk of particles that are all of one piece. */
struct OozePieceChunk {
    double along, own;
    bool mixed;
};

static void add_worth(const OozeLodge *solve, uint64_t i, double *along, double *own)
{
    *along += (double)ooze_four_dot3(solve->p[i], solve->r[i]);
    *own += (double)ooze_four_dot3(solve->p[i], solve->ap[i]);
}

static void worth_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    struct OozePieceChunk chunk = {0};
    for (uint64_t i = begin; i < end; i++) {
        solve->pieces[i] = (struct OozePiece){0};
        add_worth(solve, i, &chunk.along, &chunk.own);
        chunk.mixed = chunk.mixed || solve->root[i] != solve->root[begin];
    }
    solve->chunks[begin / OOZE_CONFORMATION_GRAIN] = chunk;
}

static float takes(const struct OozePiece *piece)
{
    double alpha = piece->own > 0.0 ? piece->along / piece->own : 0.0;
    return (float)fmin(1.0, fmax(0.0, (alpha - TAKES_NONE) / (TAKES_ALL - TAKES_NONE)));
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
        less += piece->own > 0.0 && piece->takes < 1.0f ? 1.0 : 0.0;
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
            add_worth(solve, i, &piece->along, &piece->own);
        }
        if (!chunk->mixed) {
            solve->pieces[solve->root[begin]].along += chunk->along;
            solve->pieces[solve->root[begin]].own += chunk->own;
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
    ooze_rigid_keep_motion(s, solve->p);
    ooze_conformation_find_pieces(s, solve->scratch, solve->root);
    double pap = ooze_lodge_multiply(solve);
    bool less = share_out(solve);
    Recall recall = {.solve = solve, .partial = solve->sums};
    bool changed = take_out_momentum(&recall) || less;
    solve->pap = changed ? ooze_lodge_multiply(solve) : pap;
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
    return ooze_lodge_run(solve, along_range);
}

static void speed_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeLodge *solve = data;
    const OozeConformationStep *s = solve->step;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        sum += weight_of(s, i) * (double)ooze_four_dot3(s->u[i], s->u[i]);
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
    solve->sums = ooze_arena_alloc(arena, chunks, sizeof(Sums));
    solve->root = ooze_arena_alloc(arena, s->n, sizeof *solve->root);
    solve->scratch = ooze_arena_alloc(arena, s->n, sizeof *solve->scratch);
    solve->pieces = ooze_arena_alloc(arena, s->n, sizeof *solve->pieces);
    solve->chunks = ooze_arena_alloc(arena, chunks, sizeof *solve->chunks);
    if (!solve->sums || !solve->root || !solve->scratch || !solve->pieces || !solve->chunks) {
        return ooze_fail_memory(error, "the velocity solve", s->n * 32);
    }
    return OOZE_OK;
}

/* Elastic forces swing: those of the last step are late, and where iterations are few that feeds the swing. */
static bool is_elastic(const OozeConformationStep *s, uint64_t i)
{
    const OozeRheology *m = &s->rheology[s->material[i]];
    return m->bond > 0.0f || (m->modulus > 0.0f && m->relaxation > s->dt);
}

typedef struct Note {
    OozeConformationStep *step;
    const OozeFour *star;
} Note;

static void note_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const Note *note = data;
    const OozeConformationStep *s = note->step;
    for (uint64_t i = begin; i < end; i++) {
        OozeFour push = (s->u[i] - note->star[i]) / s->dt, none = {0};
        s->pushed[i] = is_elastic(s, i) ? none : push;
    }
}

void ooze_recall_note(OozeConformationStep *s, const OozeFour *star)
{
    Note note = {.step = s, .star = star};
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
