/* A step of the conformation method as its loops find it, on the neighbourhoods of loops_case.h:
   edges and corrections gathered, three materials, some particles held, the rest of its numbers
   random. */
#ifndef OOZE_TESTS_CONFORMATION_CASE_H
#define OOZE_TESTS_CONFORMATION_CASE_H

#include "methods/conformation/cpu/step.h"
#include "pair_reference.h"

enum { CASE_MATERIALS = 3 };

typedef struct Stepped {
    Case *c;
    OozeConformationStep step;
    OozeConformationOwn own;
    OozeConformationPlan plan;
    OozeEdges edges;
    OozeRheology rheology[CASE_MATERIALS];
    OozeContactSet contact_sets[2];
} Stepped;

static inline OozeF32x4 random_four(uint64_t seed, uint64_t i)
{
    return ooze_f32x4(between(seed, i, 0, -1, 1), between(seed, i, 1, -1, 1),
                      between(seed, i, 2, -1, 1), 0);
}

static inline OozeSym3 random_sym3(uint64_t seed, uint64_t i, double diagonal, double spread)
{
    float s[6];
    for (int k = 0; k < 6; k++) {
        double mid = k < 3 ? diagonal : 0.0;
        s[k] = between(seed, i, (uint64_t)k, mid - spread, mid + spread);
    }
    return ooze_sym3(s[0], s[1], s[2], s[3], s[4], s[5]);
}

/* n of them and four zeros. */
static inline OozeF32x4 *random_fours(Case *c, uint64_t seed)
{
    OozeF32x4 *all = case_array(c, c->n + OOZE_LIST_PAD, sizeof *all);
    for (uint64_t i = 0; i < c->n; i++) {
        all[i] = random_four(seed, i);
    }
    return all;
}

static inline OozeSym3 *random_sym3s(Case *c, uint64_t seed, double diagonal, double spread)
{
    OozeSym3 *all = case_array(c, c->n + OOZE_LIST_PAD, sizeof *all);
    for (uint64_t i = 0; i < c->n; i++) {
        all[i] = random_sym3(seed, i, diagonal, spread);
    }
    return all;
}

static inline float *random_floats(Case *c, uint64_t seed, double low, double high)
{
    float *all = case_array(c, c->n + OOZE_LIST_PAD, sizeof *all);
    for (uint64_t i = 0; i < c->n; i++) {
        all[i] = between(seed, i, 0, low, high);
    }
    return all;
}

/* One normal, and a corner of two normals with a tangent. */
static inline void set_holds(Stepped *s)
{
    s->contact_sets[0] =
        (OozeContactSet){.direction = {{0.6f, 0, 0.8f, 0}}, .speed = {0.1f}, .count = 1};
    s->contact_sets[0].normals = 1;
    s->contact_sets[0].friction = 0.3f;
    s->contact_sets[1] =
        (OozeContactSet){.direction = {{0, 1, 0, 0}, {0.8f, 0, -0.6f, 0}, {0.6f, 0, 0.8f, 0}},
                         .speed = {0.05f, -0.1f, 0.2f},
                         .count = 3,
                         .normals = 2,
                         .friction = 0.7f};
}

static inline Stepped *stepped_create(const Setting *setting, bool held)
{
    Stepped *s = ooze_alloc_zero(1, sizeof *s);
    assert_non_null(s);
    Case *c = s->c = case_create(setting);
    OozeGather g = case_gather(c, case_strain_scale());
    run_all(c, ooze_gather_loops()->gather, &g);
    static const float weights[CASE_MATERIALS] = {1.0f, 0.7f, 2.5f};
    uint16_t *material = case_array(c, c->n, sizeof *material);
    int32_t *contact_of = case_array(c, c->n, sizeof *contact_of);
    float *mobility = case_array(c, c->n, sizeof *mobility);
    for (int k = 0; k < CASE_MATERIALS; k++) {
        s->rheology[k].relative_mass = s->rheology[k].preconditioner_mass = weights[k];
        s->rheology[k].hourglass = 0.02f * weights[k];
    }
    s->rheology[2].preconditioner_mass = INFINITY; /* as a rigid body's */
    for (uint64_t i = 0; i < c->n; i++) {
        material[i] = (uint16_t)(i % CASE_MATERIALS);
        mobility[i] = i % 11 == 5 ? 0.0f : 1.0f / weights[material[i]];
        contact_of[i] = held && i % 5 < 2 ? (int32_t)(i % 5) : -1;
    }
    set_holds(s);
    s->edges = g.edges;
    s->step = (OozeConformationStep){.context = &c->context,
                                     .plan = &s->plan,
                                     .n = c->n,
                                     .local = c->n,
                                     .dt = (float)TIME_STEP,
                                     .support = SUPPORT,
                                     .rheology = s->rheology,
                                     .material = material,
                                     .x0 = c->x,
                                     .u = random_fours(c, 21),
                                     .edge_sum = g.edge_sum,
                                     .correction = g.correction,
                                     .mobility = mobility,
                                     .contact_of = contact_of,
                                     .contact_sets = s->contact_sets,
                                     .own = &s->own};
    s->own = (OozeConformationOwn){
        .edges = &s->edges, .wall_edge = g.wall_edge, .contact_count = held ? 2 : 0};
    return s;
}

static inline void stepped_destroy(Stepped *s)
{
    case_destroy(s->c);
    ooze_free(s);
}

static inline void exact_vector(OozeF32x4 v, Near out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = exact((double)v[k]);
    }
}

/* f (x_ji, 1) of entry e, with the weight as it was gathered. */
static inline void edge_of(const Stepped *s, uint64_t i, uint64_t e, Near g[4])
{
    g[3] = exact((double)s->own.edges->weight[e]);
    delta_to(s->c, i, e, g);
    for (int k = 0; k < 3; k++) {
        g[k] = times(g[k], g[3]);
    }
}

/* The sum of a particle's edges, which the gather has rounded. */
static inline void edge_sum_of(const Stepped *s, uint64_t i, Near out[4])
{
    Sum sum[4] = {{0}};
    for (uint64_t e = s->c->fluid.first[i]; e < list_end(&s->c->fluid, i); e++) {
        Near g[4];
        edge_of(s, i, e, g);
        for (int k = 0; k < 4; k++) {
            add(&sum[k], g[k]);
        }
    }
    for (uint64_t w = 0; w < wall_count(s->c, i); w++) {
        for (int k = 0; k < 4; k++) {
            add(&sum[k], exact((double)s->own.wall_edge[s->c->walls.first[i] + w][k]));
        }
    }
    for (int k = 0; k < 4; k++) {
        out[k] = total(&sum[k]);
    }
}

/* sum (u_j - u_i) g^T and sum f (u_j - u_i), as the loops part it: u_i meets the sum of edges. */
static inline NearMat raw_gradient(const Stepped *s, const OozeF32x4 *u, uint64_t i, bool moving,
                                   Near weighted[3])
{
    Sum sum[3][4] = {{{0}}};
    Near g[4], v[3];
    edge_sum_of(s, i, g);
    exact_vector(u[i], v);
    for (int k = 0; k < 12; k++) {
        add(&sum[k / 4][k % 4], negative(times(v[k / 4], g[k % 4])));
    }
    for (uint64_t e = s->c->fluid.first[i]; e < list_end(&s->c->fluid, i); e++) {
        edge_of(s, i, e, g);
        exact_vector(u[s->c->fluid.index[e]], v);
        for (int k = 0; k < 12; k++) {
            add(&sum[k / 4][k % 4], times(v[k / 4], g[k % 4]));
        }
    }
    for (uint64_t w = 0; moving && w < wall_count(s->c, i); w++) {
        uint64_t e = s->c->walls.first[i] + w;
        const float *speed = &s->c->boundary.velocity[s->c->walls.index[e]].x;
        for (int k = 0; k < 12; k++) {
            add(&sum[k / 4][k % 4],
                times(exact((double)speed[k / 4]), exact((double)s->own.wall_edge[e][k % 4])));
        }
    }
    NearMat out;
    for (int k = 0; k < 12; k++) {
        *(k % 4 < 3 ? &out.m[k / 4][k % 4] : &weighted[k / 4]) = total(&sum[k / 4][k % 4]);
    }
    return out;
}

/* The flux of a particle: rows of F with n u in the fourth place, see stress_flux.h. */
typedef struct Flux {
    Near row[3][4];
    Near base[3];
} Flux;

typedef struct FluxInput {
    NearMat stress, l, b; /* B: the correction, L: the velocity gradient */
    Near weighted[3];     /* see raw_gradient */
    OozeF32x4 u;
    Near n, edge_n; /* hourglass stiffness, and sum f n_j over the edges */
} FluxInput;

/* F = stress B - n L; base = F times the sum of edges, and the part of the hourglass term without
   values of neighbours. */
static inline Flux flux_of(const Stepped *s, uint64_t i, const FluxInput *in)
{
    Flux out;
    NearMat f = near_product(&in->stress, &in->b);
    Near sum[4], v[3];
    edge_sum_of(s, i, sum);
    exact_vector(in->u, v);
    for (int k = 0; k < 3; k++) {
        Near rest = minus(times(in->n, in->weighted[k]), times(in->edge_n, v[k]));
        for (int a = 0; a < 3; a++) {
            out.row[k][a] = minus(f.m[k][a], times(in->n, in->l.m[k][a]));
            rest = plus(rest, times(out.row[k][a], sum[a]));
        }
        out.row[k][3] = times(in->n, v[k]);
        out.base[k] = rest;
    }
    return out;
}

/* The same of numbers as they stand in memory. */
static inline Flux flux_stored(const OozeRows *rows, OozeF32x4 base)
{
    Flux out;
    for (int k = 0; k < 12; k++) {
        out.row[k / 4][k % 4] = exact((double)rows->row[k / 4][k % 4]);
    }
    exact_vector(base, out.base);
    return out;
}

/* base + sum flux_j g */
static inline void gather_flux(const Stepped *s, const Flux *all, uint64_t i, Near out[3])
{
    Sum sum[3] = {{0}};
    for (uint64_t e = s->c->fluid.first[i]; e < list_end(&s->c->fluid, i); e++) {
        Near g[4];
        edge_of(s, i, e, g);
        const Flux *other = &all[s->c->fluid.index[e]];
        for (int k = 0; k < 12; k++) {
            add(&sum[k / 4], times(other->row[k / 4][k % 4], g[k % 4]));
        }
    }
    for (int k = 0; k < 3; k++) {
        out[k] = plus(all[i].base[k], total(&sum[k]));
    }
}

static inline void compare_flux(Comparison *job, uint64_t i, const Flux *want, const OozeRows *rows,
                                OozeF32x4 base)
{
    for (int k = 0; k < 12; k++) {
        compare(job, "flux", i, (double)rows->row[k / 4][k % 4], want->row[k / 4][k % 4]);
    }
    for (int k = 0; k < 3; k++) {
        compare(job, "force without neighbours", i, (double)base[k], want->base[k]);
    }
}

/* Particles that only fill up lists hand on nothing. */
static inline void assert_padding_silent(const Case *c, const OozeRows *flux)
{
    for (uint64_t i = c->n; i < c->n + OOZE_LIST_PAD - 1; i++) {
        for (int k = 0; k < 12; k++) {
            assert_true(flux[i].row[k / 4][k % 4] == 0.0f);
        }
    }
}

/* v minus its parts along the directions of a hold that are in `mask`. */
static inline void project_out(const OozeContactSet *hold, unsigned mask, Near v[3])
{
    for (int k = 0; k < hold->count; k++) {
        Near d[3];
        exact_vector(hold->direction[k], d);
        Near part = dot3(v, d);
        for (int a = 0; a < 3 && (mask >> k & 1); a++) {
            v[a] = minus(v[a], times(part, d[a]));
        }
    }
}

#endif
