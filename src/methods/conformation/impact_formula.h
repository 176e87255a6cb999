/* Impacts in long steps, per particle, for the processor and the GPU: see impact.c. */
#ifndef OOZE_METHODS_CONFORMATION_IMPACT_FORMULA_H
#define OOZE_METHODS_CONFORMATION_IMPACT_FORMULA_H

#include "methods/conformation/lodge_formula.h"
#include "methods/conformation/step_formula.h"
#include "physics/tensor.h"
#include "solvers/contact/contact_set_formula.h"

/* A step is long where some particle crosses more than this many spacings in it, or where an impact
   has left a density above this. */
#define OOZE_IMPACT_TRAVEL  0.5f
#define OOZE_IMPACT_DENSITY 1.01f
/* A particle that would close a gap of up to this many spacings to a solid is in contact from the
   first pass on, whatever lies between. */
#define OOZE_IMPACT_NEAR 0.5
/* Largest penetration of a solid, in spacings, that a pass may leave at the end of the step. */
#define OOZE_IMPACT_DEPTH 0.1
/* A neighbour screens a particle from a solid if it is nearer than this many spacings, and its
   direction is within 45 degrees of the solid's. */
#define OOZE_IMPACT_SCREEN 1.5f
/* Resistance to change of volume over that to shear. Each pass multiplies what is left of the
   compression by about 1/(1 + B), B = this G (dt/H)^2/rho for a body of height H that is elastic
   over the step; a solve takes iterations in proportion to its square root. */
#define OOZE_IMPACT_BULK 25.0f

/* ---- compression ---------------------------------------------------------------------------- */

/* Over all particles: square of the largest speed, and the largest density. */
typedef struct OozeImpactExtremes {
    float square, density;
} OozeImpactExtremes;

OOZE_FORMULA OozeImpactExtremes ooze_impact_widen(OozeImpactExtremes a, OozeImpactExtremes b)
{
    a.square = ooze_max(a.square, b.square);
    a.density = ooze_max(a.density, b.density);
    return a;
}

/* Density that must return to rest. 0: it need not, because it is an overlap that is being
   relieved, or belongs to a particle body. */
OOZE_FORMULA float ooze_impact_density(const OozeConformationStep *s, uint64_t i)
{
    return ooze_step_is_body(s, i) || s->relief_progress[i] < 1.0f ? 0.0f : s->density[i];
}

OOZE_FORMULA OozeImpactExtremes ooze_impact_extremes_of(const OozeConformationStep *s, uint64_t i)
{
    OozeImpactExtremes own = {0.0f, ooze_impact_density(s, i)};
    own.square = ooze_step_flies_freely(s, i) ? 0.0f : ooze_vector_dot(s->u[i], s->u[i]);
    return own;
}

OOZE_FORMULA bool ooze_impact_is_long(OozeImpactExtremes all, float spacing, float dt)
{
    float limit = OOZE_IMPACT_TRAVEL * spacing / dt;
    return all.square > limit * limit || all.density > OOZE_IMPACT_DENSITY;
}

/* bulk over shear stiffness. */
OOZE_FORMULA float ooze_impact_bulk(float bulk, bool long_step)
{
    return long_step ? ooze_max(bulk, OOZE_IMPACT_BULK) : bulk;
}

/* Least volume strain of a particle in the step, limited to what a step may remove. Above rest
   density the particle must expand. Below, it may be compressed by `expansion`. */
OOZE_FORMULA float ooze_impact_excess(float density, float expansion)
{
    return density > 1.0f ? ooze_min(1.0f - 1.0f / density, 0.1f) : -ooze_max(0.0f, expansion);
}

/* The pressure (m2/s2) of earlier passes, a multiplier of the constraint that the density at the
   end of the step is not above rest: dt div u >= excess. It never pulls. */
OOZE_FORMULA float ooze_impact_pressure(float pressure, float bulk, float divergence, float excess,
                                        float dt)
{
    return ooze_max(0.0f, pressure - bulk * (divergence - excess / dt));
}

/* Updates the pressure of earlier passes and adds it to the coefficients of a particle, with the
   term that returns its density to rest. density 0: without that term. */
OOZE_FORMULA void ooze_impact_oppose_compression(const OozeLodgeState *s, float density,
                                                 float *pressure, OozeLodgeCoefficients *c)
{
    float excess = density > 0.0f ? ooze_impact_excess(density, s->expansion) : 0.0f;
    float divergence = s->l.m[0] + s->l.m[4] + s->l.m[8], now = 0.0f;
    if (s->later_pass) {
        now = ooze_impact_pressure(*pressure, c->bulk, divergence, excess, s->dt);
    }
    *pressure = now;
    c->explicit_stress =
        ooze_sym3_add_pressure(c->explicit_stress, -now - c->bulk * ooze_max(0.0f, excess) / s->dt);
}

/* Number of passes of the step after `pass`, if there are `passes` so far. A pass that finds
   nothing new is followed by one more, for the pressure. At least `least` are taken. */
OOZE_FORMULA int ooze_impact_passes(int pass, int passes, int least, bool found)
{
    bool changed = found || pass + 1 < least;
    return !changed && pass + 2 < passes ? pass + 2 : passes;
}

/* ---- contacts with solids ------------------------------------------------------------------- */

enum { OOZE_IMPACT_PATH_POINTS = 64 }; /* of a path, at most */

/* Whether a neighbour at x_ji screens a particle from the solid that it meets along -normal. */
OOZE_FORMULA bool ooze_impact_screens(const float *x_ji, OozeVec3 normal, float spacing)
{
    float along =
        -(x_ji[0] * (float)normal.x + x_ji[1] * (float)normal.y + x_ji[2] * (float)normal.z);
    float square = ooze_contact_dot(x_ji, x_ji);
    float reach = OOZE_IMPACT_SCREEN * spacing;
    return along > 0.0f && square < reach * reach && along * along > 0.5f * square;
}

/* Whether a pass can have missed a contact of a particle: it moves freely and touches no solid. */
OOZE_FORMULA bool ooze_impact_may_miss(const OozeConformationStep *s, uint64_t i)
{
    const OozeContactSet *set = ooze_step_contacts(s, i);
    return s->mobility[i] > 0.0f && !ooze_step_is_rigid(s, i) && !(set && set->normals > 0);
}

/* Whether the gap to a solid is so wide that other particles may have to stop this one. */
OOZE_FORMULA bool ooze_impact_is_far(const OozeContactScale *scale, const OozeContact *contact)
{
    return contact->distance - scale->distance > OOZE_IMPACT_NEAR * scale->spacing;
}

/* Path of a particle from x with velocity u until a solid stops it. Distances are 1-Lipschitz: a
   path that advances by them does not miss a surface. */
typedef struct OozeImpactPath {
    OozeVec3 x, u;
    double at, end; /* m along the path; of the step */
    double speed;   /* least velocity along the normal that keeps the contact distance */
} OozeImpactPath;

OOZE_FORMULA OozeImpactPath ooze_impact_path(const OozeContactScale *scale, OozeVec3 x, OozeVec3 u)
{
    OozeImpactPath path = {x, u, 0.0, vec3_length(u) * scale->dt, 0.0};
    return path;
}

OOZE_FORMULA OozeVec3 ooze_impact_point(const OozeContactScale *scale, const OozeImpactPath *path)
{
    return vec3_madd(path->x, path->end > 0.0 ? path->at / path->end * scale->dt : 0.0, path->u);
}

/* Advances from the present point, with the contact there. True: the solid stops the particle. */
OOZE_FORMULA bool ooze_impact_advance(const OozeContactScale *scale, const OozeContact *contact,
                                      OozeImpactPath *path)
{
    const double close = 0.01 * scale->spacing;
    double gap = contact->distance - scale->distance;
    OozeVec3 travelled = vec3_sub(ooze_impact_point(scale, path), path->x);
    path->speed = (vec3_dot(travelled, contact->normal) - gap) / scale->dt;
    path->at += fmax(gap, close);
    return gap < close && vec3_dot(path->u, contact->normal) < path->speed;
}

/* Distance from the solid at the end of the step below which a pass has missed a contact. */
OOZE_FORMULA double ooze_impact_least_distance(const OozeContactScale *scale)
{
    return scale->distance - OOZE_IMPACT_DEPTH * scale->spacing;
}

/* ---- pairs of particles: see impact_solve.h ------------------------------------------------- */

/* Searches in a pass, at most; room for pairs, for each particle at a surface. */
enum { OOZE_IMPACT_MOST_SEARCHES = 64, OOZE_IMPACT_PAIRS_EACH = 4 };

/* Distance in spacings at which surfaces meet. And the distance at the beginning of the step beyond
   which a pair does not count as neighbours: edges of that length resist little. */
#define OOZE_IMPACT_MEETING 1.1f
#define OOZE_IMPACT_APART   1.5f
/* Distance in spacings up to which the particles near a particle are searched for pairs: some
   hundred of a surface. Where surfaces travel farther, a pass has several windows. */
#define OOZE_IMPACT_WIDEST 8.0
/* Travel of surfaces, in spacings, between two searches for pairs. */
#define OOZE_IMPACT_STRIDE 0.75f
/* A particle is at a surface above this surface indicator, relative to that of a flat surface. */
#define OOZE_IMPACT_SURFACE 0.3f

OOZE_FORMULA bool ooze_impact_is_at_surface(float indicator, float flat_gradient, bool singular)
{
    return indicator > OOZE_IMPACT_SURFACE * flat_gradient || singular;
}

/* Number of searches with which no two particles of surfaces can pass each other unseen. `travel`:
   largest travel of one relative to another in the step. */
OOZE_FORMULA int ooze_impact_searches(float travel, float spacing)
{
    float count = ceilf(travel / (OOZE_IMPACT_STRIDE * spacing));
    bool may_meet = travel > (OOZE_IMPACT_APART - OOZE_IMPACT_MEETING) * spacing;
    return may_meet ? (int)fminf(count, (float)OOZE_IMPACT_MOST_SEARCHES) : 0;
}

/* Some searches at once. Pairs that meet at one of them are no farther apart than `reach` (m) at
   `middle`, a fraction of the step. */
typedef struct OozeImpactWindow {
    int first, last, searches; /* of all `searches`, from 1 on */
    float middle, dt, spacing;
    double reach;
} OozeImpactWindow;

/* The searches from `first` on for which the reach is at most `widest`, or one. */
OOZE_FORMULA OozeImpactWindow ooze_impact_window(int first, int searches, float travel, float dt,
                                                 double spacing, double widest)
{
    const double meeting = (double)OOZE_IMPACT_MEETING * spacing;
    /* farther between two points in the middle, for each search but the first */
    const double more = 0.5 * (double)travel / searches, room = widest - meeting;
    const double fit = room > 0.0 ? fmin(floor(room / more), (double)OOZE_IMPACT_MOST_SEARCHES) : 0;
    OozeImpactWindow w;
    w.first = first;
    w.last = first + (int)fit < searches ? first + (int)fit : searches;
    w.searches = searches;
    w.middle = 0.5f * (float)(w.first + w.last) / (float)searches;
    w.dt = dt;
    w.spacing = (float)spacing;
    w.reach = meeting + (w.last > w.first ? more * (w.last - w.first) : 0.0);
    return w;
}

/* Whether a pair was apart at the beginning of the step. */
OOZE_FORMULA bool ooze_impact_was_apart(const float *start, float spacing)
{
    float apart = OOZE_IMPACT_APART * spacing;
    return ooze_contact_dot(start, start) > apart * apart;
}

/* Time of a search from the middle of its window. */
OOZE_FORMULA float ooze_impact_search_time(const OozeImpactWindow *w, int search)
{
    return ((float)search / (float)w->searches - w->middle) * w->dt;
}

/* The first search of a window at which the ends of a pair are near each other and approach; 0:
   none. `middle` is the vector between them in the middle, `velocity` their relative velocity: on
   the line that they describe, they are near from a time before that of their least distance. */
OOZE_FORMULA int ooze_impact_first_search(const OozeImpactWindow *w, const float *middle,
                                          const float *velocity)
{
    const float reach = OOZE_IMPACT_MEETING * w->spacing;
    const float square = ooze_contact_dot(velocity, velocity),
                along = ooze_contact_dot(middle, velocity);
    const float least = ooze_contact_dot(middle, middle) - along * along / square;
    if (!(square > 0.0f) || !(least < reach * reach)) {
        return 0;
    }
    const float closest = -along / square;
    const float near = closest - sqrtf((reach * reach - ooze_max(0.0f, least)) / square);
    const float from = ceilf((near / w->dt + w->middle) * (float)w->searches);
    if (!(from <= (float)w->last)) {
        return 0;
    }
    const int search = from > (float)w->first ? (int)from : w->first;
    return ooze_impact_search_time(w, search) < closest ? search : 0;
}

typedef struct OozeImpactPair {
    uint32_t i, j;
    float normal[3]; /* from j to i */
    float target;    /* least velocity of i less that of j along the normal, m/s */
    float stiffness; /* of the operator, over the reference mass */
    float force;     /* multiplier: impulse over the reference mass, m/s */
    bool active;
} OozeImpactPair;

/* Stiffness of a pair: that of the fluid against change of volume. `traces`: tr A at both ends,
   added. */
OOZE_FORMULA float ooze_impact_pair_stiffness(float traces, float spacing, float dt)
{
    return OOZE_IMPACT_BULK * (traces / 6.0f) * dt / (spacing * spacing);
}

/* Relative velocity of its ends along the normal. */
OOZE_FORMULA float ooze_impact_pair_rate(const OozeImpactPair *pair, OozeVector u_i, OozeVector u_j)
{
    const OozeVector velocity = ooze_vector_madd(u_i, -1.0f, u_j);
    return ooze_contact_dot(pair->normal, (const float *)&velocity);
}

/* Part of A u - b along the normal, at the relative velocity `rate`. */
OOZE_FORMULA float ooze_impact_pair_push(const OozeImpactPair *pair, float rate,
                                         bool explicit_terms)
{
    float push = pair->stiffness * rate;
    push -= explicit_terms ? pair->stiffness * pair->target + pair->force : 0.0f;
    return pair->active ? push : 0.0f;
}

/* Adds this part of an end to `sum`. `second`: the end is the second one. */
OOZE_FORMULA OozeVector ooze_impact_pair_pull(const OozeImpactPair *pair, bool second, float rate,
                                              bool explicit_terms, OozeVector sum)
{
    const float *n = pair->normal, push = ooze_impact_pair_push(pair, rate, explicit_terms);
    return ooze_vector_madd(sum, second ? -push : push, ooze_vector(n[0], n[1], n[2], 0.0f));
}

/* Diagonal block of the operator, the same at both ends. */
OOZE_FORMULA OozeSym3 ooze_impact_pair_block(const OozeImpactPair *pair)
{
    const float *n = pair->normal, k = pair->active ? pair->stiffness : 0.0f;
    return ooze_sym3(k * n[0] * n[0], k * n[1] * n[1], k * n[2] * n[2], k * n[0] * n[1],
                     k * n[0] * n[2], k * n[1] * n[2]);
}

/* The multiplier after a pass that has ended with `rate`. */
OOZE_FORMULA void ooze_impact_pair_update(OozeImpactPair *pair, float rate)
{
    float force = pair->force + pair->stiffness * (pair->target - rate);
    pair->active = force > 0.0f;
    pair->force = pair->active ? force : 0.0f;
}

/* Direction and target of a pair. `inward` are the directions from the surface into the fluid at
   both ends, `meeting` and `start` the vectors from j to i when it meets and at the beginning. The
   direction is that of both surfaces. Where they do not face each other, it is that of the pair. */
OOZE_FORMULA OozeImpactPair ooze_impact_pair(const float *inward_i, const float *inward_j,
                                             const float *meeting, const float *start,
                                             float spacing, float dt)
{
    OozeImpactPair pair;
    float n[3], size_i = sqrtf(ooze_contact_dot(inward_i, inward_i)),
                size_j = sqrtf(ooze_contact_dot(inward_j, inward_j));
    for (int c = 0; c < 3; c++) {
        n[c] = (size_i > 0.0f ? inward_i[c] / size_i : 0.0f) -
               (size_j > 0.0f ? inward_j[c] / size_j : 0.0f);
    }
    float size = sqrtf(ooze_contact_dot(n, n)), square = ooze_contact_dot(meeting, meeting);
    float length = sqrtf(square), along = ooze_contact_dot(n, meeting);
    bool facing = size > 0.5f && along > 0.3f * size * length;
    for (int c = 0; c < 3; c++) {
        pair.normal[c] = facing ? n[c] / size : length > 0.0f ? meeting[c] / length : 0.0f;
    }
    along = ooze_contact_dot(pair.normal, meeting);
    float across = square - along * along, whole = spacing * spacing;
    float distance = sqrtf(ooze_max(0.36f * whole, whole - across));
    pair.target = (distance - ooze_contact_dot(pair.normal, start)) / dt;
    pair.force = 0.0f;
    pair.active = true;
    pair.stiffness = 0.0f;
    pair.i = pair.j = 0;
    return pair;
}

#endif
