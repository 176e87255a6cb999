/* The innermost loops of the method cauchy, for several instruction sets. */
#include "methods/cauchy/cpu/operators.h"

#include <math.h>

#include "physics/mps.h"
#include "physics/strain_weight.h"
#include "solvers/pairs/stress_flux.h"

typedef OozeF32x4 F;

/* ---- edges ---------------------------------------------------------------------------------- */

static inline F delta_to(const OozeCauchyStep *s, F near_end, F x)
{
    return ooze_edge_delta(near_end, x, s->own->edges.box, s->own->edges.periodic);
}

/* Sums over the neighbours of a particle. */
typedef struct Sums {
    OozeRows moment;     /* sum x g^T; last lanes: sum g */
    OozeRows mps_moment; /* sum x h^T; last lanes: sum h */
    F no_slip;           /* sum g over no-slip walls */
    OozeRows no_slip_moment;
    float weight;  /* sum f over fluid */
    float fluid;   /* number density of fluid */
    float density; /* sum of the weights of densities */
    unsigned count, no_slip_count;
} Sums;

static inline void sum_fluid(const OozeCauchyStep *s, uint64_t i, Sums *sums)
{
    const OozeNeighbours *list = s->own->edges.list;
    const F x = ooze_near_end(&s->own->edges, i);
    const float h = s->k.support, inverse_h2 = 1.0f / (h * h), nearest = 1e-3f * h;
    uint64_t first = list->first[i], last = list->first[i + 1];
    sums->count = list->count[i];
    for (uint64_t e = first; e < last; e++) {
        F d = delta_to(s, x, s->own->edges.x[list->index[e]]);
        bool used = e - first < list->count[i];
        float r2 = ooze_f32x4_dot3(d, d), r = fmaxf(sqrtf(r2), nearest);
        float f = used ? s->k.strain_scale * fmaxf(1.0f - inverse_h2 * r2, 0.0f) : 0.0f;
        float w = used && r < h ? h / r - 1.0f : 0.0f;
        s->own->edges.weight[e] = f;
        s->own->mps.weight[e] = 0.5f * s->k.laplacian * w;
        if (used && s->wall[i].planes > 0 && s->wall[list->index[e]].planes > 0) {
            const OozeCauchyWall *other = &s->wall[list->index[e]];
            s->own->mps.weight[e] *=
                ooze_cauchy_pair_mirror(&s->k, &s->wall[i], other, d[0], d[1], d[2]);
        }
        sums->fluid += w;
        sums->density += used ? ooze_mps_density_weight(r2, h) : 0.0f;
        sums->mps_moment = ooze_rows_outer(d, d * s->own->mps.weight[e], sums->mps_moment);
        sums->weight += f;
        sums->moment = ooze_rows_outer(d, d * f, sums->moment);
    }
}

static inline void sum_walls(const OozeCauchyStep *s, uint64_t i, Sums *sums)
{
    const OozeNeighbours *walls = s->machine->context->fluid_boundary;
    const OozeBoundary *boundary = s->machine->context->boundary;
    const F x = ooze_near_end(&s->own->edges, i);
    const float h = s->k.support;
    for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
        uint32_t b = walls->index[e];
        F at = ooze_f32x4_load(&boundary->position[b].x);
        at[3] = 1;
        F d = ooze_edge_delta(x, at, s->own->edges.box, true);
        const OozeSolid *solid = &s->machine->context->solids[boundary->solid[b]];
        double friction = ooze_solid_fluid_friction(solid);
        float area = boundary->volume[b] * s->k.inverse_sample;
        float r2 = ooze_f32x4_dot3(d, d), t = fmaxf(1.0f - r2 / (h * h), 0.0f);
        F g = (s->k.wall_strain_scale * area * OOZE_STRAIN_WALL_POWER(t)) * d;
        s->own->wall_edge[e] = g;
        /* dynamic solids drag fluid by the friction of contacts alone, which they feel in turn */
        s->own->wall_no_slip[e] = isinf(friction) && !ooze_solid_is_dynamic(solid) ? 1 : 0;
        if (s->own->wall_no_slip[e]) {
            sums->no_slip += g;
            sums->no_slip_moment = ooze_rows_outer(d, g, sums->no_slip_moment);
            sums->no_slip_count++;
        }
    }
}

static OozeSym3 moment_of(OozeRows a)
{
    const F *m = a.row;
    return ooze_sym3(m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]);
}

static void gather_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyStep *s = data;
    const F zero = {0};
    bool has_walls = s->machine->context->boundary->count > 0;
    for (uint64_t i = begin; i < end; i++) {
        Sums sums = {.moment = ooze_rows_zero(),
                     .mps_moment = ooze_rows_zero(),
                     .no_slip = zero,
                     .no_slip_moment = ooze_rows_zero()};
        sum_fluid(s, i, &sums);
        if (has_walls) {
            sum_walls(s, i, &sums);
        }
        const F *m = sums.moment.row;
        F sum = ooze_f32x4(m[0][3], m[1][3], m[2][3], sums.weight);
        s->fluid_edge_sum[i] = sum;
        s->edge_sum[i] = sum + sums.no_slip;
        const F *h = sums.mps_moment.row;
        s->mps_sum[i] = ooze_f32x4(h[0][3], h[1][3], h[2][3], 0);
        OozeSym3 all = ooze_sym3_add(moment_of(sums.moment), moment_of(sums.no_slip_moment));
        s->correction[i] = ooze_gradient_correction(all, sums.count + sums.no_slip_count);
        ooze_cauchy_set_densities(s, i, sums.fluid, sums.density, moment_of(sums.mps_moment),
                                  sums.count);
    }
}

/* ---- surface tension ------------------------------------------------------------------------ */

static inline F wall_cohesion(const OozeCauchyStep *s, uint64_t i)
{
    const OozeNeighbours *walls = s->machine->context->fluid_boundary;
    const OozeBoundary *boundary = s->machine->context->boundary;
    const OozeCauchyMaterial *own = ooze_cauchy_material_of(s, i);
    const F x = ooze_near_end(&s->own->edges, i);
    F force = {0};
    for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
        uint32_t b = walls->index[e];
        F d =
            ooze_edge_delta(x, ooze_f32x4_load(&boundary->position[b].x), s->own->edges.box, true);
        float r = fmaxf(sqrtf(ooze_f32x4_dot3(d, d)), 1e-3f * s->k.support);
        float area = boundary->volume[b] * s->k.inverse_sample;
        force += (own->adhesion * own->cohesion * area / r *
                  ooze_mps_wall_cohesion(r, s->k.spacing, s->k.support)) *
                 d;
    }
    return force;
}

static void cohesion_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeCauchyStep *s = data;
    const OozeNeighbours *list = s->own->edges.list;
    const float nearest = 1e-3f * s->k.support;
    for (uint64_t i = begin; i < end; i++) {
        const F x = ooze_near_end(&s->own->edges, i);
        float own = ooze_cauchy_material_of(s, i)->cohesion, balance = ooze_cauchy_balance_of(s, i);
        F force = {0};
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            uint32_t j = list->index[e];
            F d = delta_to(s, x, s->own->edges.x[j]);
            float r = fmaxf(sqrtf(ooze_f32x4_dot3(d, d)), nearest);
            float other = ooze_cauchy_material_of(s, j)->cohesion;
            float c = own == other ? own : sqrtf(own * other);
            force += (c / r * ooze_mps_cohesion(r, s->k.spacing, s->k.support)) * d;
            force -= ((balance + ooze_cauchy_balance_of(s, j)) * s->own->mps.weight[e]) * d;
        }
        if (s->machine->context->boundary->count > 0) {
            force += wall_cohesion(s, i);
        }
        force -= balance * ooze_cauchy_wall_edge(s, i);
        force[3] = 0;
        s->force[i] += force;
    }
}

/* ---- velocity solve ------------------------------------------------------------------------- */

static void edge_hourglass_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeCauchyVelocity *v = data;
    for (uint64_t i = begin; i < end; i++) {
        v->edge_hourglass[i] = ooze_edges_sum(&v->step->own->edges, v->hourglass, i);
    }
}

/* First gather: gradient, stress and flux of particles i to i + 3. */
static inline void set_fluxes(const OozeCauchyVelocity *v, uint64_t i, const OozeRows rows[4])
{
    const OozeCauchyStep *s = v->step;
    F weighted[3];
    OozeMat3F32x4 raw = ooze_mat3_f32x4_from_rows(rows, weighted);
    OozeMat3F32x4 correction = ooze_mat3_f32x4_from_sym3(&s->correction[i]);
    OozeMat3F32x4 stiffness = ooze_mat3_f32x4_from_sym3(&s->stiffness[i]);
    OozeMat3F32x4 l = ooze_mat3_f32x4_product(&raw, &correction);
    OozeMat3F32x4 twice = ooze_mat3_f32x4_twice_symmetric(&l);
    OozeMat3F32x4 product = ooze_mat3_f32x4_product(&twice, &stiffness);
    OozeMat3F32x4 stress = ooze_mat3_f32x4_twice_symmetric(&product);
    OozeMat3F32x4 s0 = ooze_mat3_f32x4_from_sym3(&s->explicit_stress[i]);
    for (int k = 0; k < 9; k++) {
        F *entry = &stress.m[k / 3][k % 3];
        *entry *= 0.5f;
        *entry += v->explicit_terms ? s0.m[k / 3][k % 3] : ooze_f32x4_splat(0.0f);
    }
    OozeStressFlux flux = {.stress = &stress,
                           .l = &l,
                           .correction = &correction,
                           .weighted = weighted,
                           .n = ooze_f32x4_load(v->hourglass + i),
                           .edge_n = ooze_f32x4_load(v->edge_hourglass + i)};
    ooze_stress_flux(&flux, v->input + i, s->edge_sum + i, (OozeRows *)v->flux + i, v->ap + i);
}

static void stress_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeCauchyVelocity *v = data;
    const OozeCauchyStep *s = v->step;
    for (uint64_t i = begin; i < end; i += 4) {
        OozeRows rows[4];
        for (uint64_t k = 0; k < 4; k++) {
            rows[k] = ooze_rows_zero();
            if (i + k < end) {
                rows[k] = ooze_rows_outer(v->input[i + k], -s->edge_sum[i + k], rows[k]);
                rows[k] = ooze_edges_outer(&s->own->edges, v->input, i + k, rows[k]);
                rows[k] = v->explicit_terms ? ooze_cauchy_wall_rows(s, i + k, rows[k]) : rows[k];
            }
        }
        set_fluxes(v, i, rows);
    }
}

/* Second gather: output = M input - dt force. Sums input . output. */
static void product_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeCauchyVelocity *v = data;
    const OozeCauchyStep *s = v->step;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        F force = v->ap[i] + ooze_edges_flux(&s->own->edges, (const OozeRows *)v->flux, i);
        float mass = ooze_cauchy_material_of(s, i)->relative_mass;
        F out = mass * v->input[i] - s->k.dt * force;
        out = s->mobility[i] > 0.0f ? out : ooze_f32x4_splat(0.0f);
        out[3] = 0;
        v->ap[i] = out;
        sum += (double)ooze_f32x4_dot3(out, v->input[i]);
    }
    s->own->partial[begin / OOZE_CAUCHY_GRAIN] = sum;
}

/* ---- pressure solve ------------------------------------------------------------------------- */

static inline OozeSym3 weighted(const OozeCauchyAcceleration *a, uint64_t i)
{
    return ooze_sym3_scale(a->step->pressure_correction[i], a->pressure[i]);
}

/* M^-1 D^T p = -(1/m) [sum_j (p_i B_i + p_j B_j) h + p_i B_i sum_w c w x], the transpose of the
   divergence: pairs of particles get opposite forces. */
static void accelerate_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeCauchyAcceleration *a = data;
    const OozeCauchyStep *s = a->step;
    const OozeNeighbours *list = s->own->edges.list;
    for (uint64_t i = begin; i < end; i++) {
        F force = ooze_cauchy_apply(weighted(a, i), s->mps_sum[i] + ooze_cauchy_wall_edge(s, i));
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            force +=
                ooze_cauchy_apply(weighted(a, list->index[e]), ooze_edge_at(&s->own->mps, i, e));
        }
        a->to[i] = -s->mobility[i] * force;
    }
}

/* (L p)_i = sum c w (k_i + k_j)/2 (p_i - p_j) + k_i air p_i, k = 1/m */
static inline float laplacian_of(const OozeCauchyPressure *p, uint64_t i)
{
    const OozeCauchyStep *s = p->step;
    const OozeNeighbours *list = s->own->edges.list;
    float own = p->p[i], k = s->mobility[i], sum = k * s->air[i] * own;
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
        uint32_t j = list->index[e];
        sum += (k + s->mobility[j]) * s->own->mps.weight[e] * (own - p->p[j]);
    }
    return sum;
}

static void multiply_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    const OozeCauchyStep *s = p->step;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        float out = ooze_cauchy_at_surface(s, i) ? 0.0f : laplacian_of(p, i);
        p->ap[i] = out;
        sum += (double)out * (double)p->p[i];
    }
    s->own->partial[begin / OOZE_CAUCHY_GRAIN] = sum;
}

/* The diagonal, and coefficients of the coarse grids: the energy of the pressure p is
   sum k |grad p|^2 + m p^2 with k = 1 / relative mass. */
static void diagonal_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    const OozeCauchyStep *s = p->step;
    const OozeNeighbours *list = s->own->edges.list;
    for (uint64_t i = begin; i < end; i++) {
        float k = s->mobility[i], sum = k * s->air[i];
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            sum += (k + s->mobility[list->index[e]]) * s->own->mps.weight[e];
        }
        p->diagonal[i] = sum;
        p->mass[i] = ooze_cauchy_at_surface(s, i) ? sum : k * s->air[i];
    }
}

/* sum over all entries of a b */
static inline float contract(OozeRows rows, OozeSym3 b)
{
    const F *m = rows.row;
    return m[0][0] * b.xx + m[1][1] * b.yy + m[2][2] * b.zz + (m[0][1] + m[1][0]) * b.xy +
           (m[0][2] + m[2][0]) * b.xz + (m[1][2] + m[2][1]) * b.yz;
}

/* Divergence of u: sum (u_j - u_i) . B h over fluid and walls. */
static inline float divergence_of(const OozeCauchyStep *s, const F *u, uint64_t i)
{
    const float *v = s->wall[i].flux.m;
    OozeRows rows = {{ooze_f32x4(v[0], v[1], v[2], 0), ooze_f32x4(v[3], v[4], v[5], 0),
                      ooze_f32x4(v[6], v[7], v[8], 0)}};
    rows = ooze_rows_outer(u[i], -(s->mps_sum[i] + ooze_cauchy_wall_edge(s, i)), rows);
    rows = ooze_edges_outer(&s->own->mps, u, i, rows);
    return contract(rows, s->pressure_correction[i]);
}

/* b, and sums of it, of the open particles and of the rows of the matrix. */
static void right_side_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    const OozeCauchyStep *s = p->step;
    double sum = 0.0, open = 0.0, rows = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        ooze_cauchy_set_right_side(s, p, i, divergence_of(s, s->u, i));
        sum += (double)p->r[i];
        open += ooze_cauchy_is_open(s, i) ? 1.0 : 0.0;
        rows += p->diagonal[i] > 0.0f ? 1.0 : 0.0;
    }
    ooze_cauchy_set_sums(s, begin, sum, open, rows);
}

/* Gradient of MPS: (3/n0) sum (q_j - q_min) x_ji w / r^2, q_min the least pressure around, so that
   neighbours repel each other and never attract. */
static void classic_gradient_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    const OozeCauchyStep *s = p->step;
    const OozeNeighbours *list = s->own->edges.list;
    const float scale = 6.0f / (s->k.number_density * s->k.laplacian);
    for (uint64_t i = begin; i < end; i++) {
        const F x = ooze_near_end(&s->own->edges, i);
        uint64_t first = list->first[i], last = first + list->count[i];
        float least = p->q[i];
        F sum = {0};
        for (uint64_t e = first; e < last; e++) {
            least = fminf(least, p->q[list->index[e]]);
        }
        for (uint64_t e = first; e < last; e++) {
            F d = delta_to(s, x, s->own->edges.x[list->index[e]]);
            float r2 = fmaxf(ooze_f32x4_dot3(d, d), 1e-6f * s->k.support * s->k.support);
            sum += (scale * s->own->mps.weight[e] * (p->q[list->index[e]] - least) / r2) * d;
        }
        sum += (p->q[i] - least) * ooze_cauchy_wall_edge(s, i);
        sum[3] = 0;
        p->acceleration[i] = -s->mobility[i] * sum;
    }
}

const OozeCauchyLoops OOZE_LOOPS(ooze_cauchy_loops) = {
    .gather = gather_range,
    .cohesion = cohesion_range,
    .edge_hourglass = edge_hourglass_range,
    .stress = stress_range,
    .product = product_range,
    .accelerate = accelerate_range,
    .multiply = multiply_range,
    .diagonal = diagonal_range,
    .right_side = right_side_range,
    .classic_gradient = classic_gradient_range,
};
