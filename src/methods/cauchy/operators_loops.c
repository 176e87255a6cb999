#include "methods/cauchy/operators.h"

#include <math.h>

#include "methods/cauchy/gather_formula.h"
#include "methods/cauchy/tension_formula.h"
#include "physics/mps.h"
#include "physics/strain_weight.h"
#include "solvers/pairs/stress_flux.h"

typedef OozeF32x4 F;

/* ---- edges ---------------------------------------------------------------------------------- */

static inline F delta_to(const OozeCauchyStep *s, F near_end, F x)
{
    return ooze_edge_delta(near_end, x, s->edges.box, s->edges.periodic);
}

/* Sums over the neighbours of a particle. */
typedef struct Sums {
    OozeRows moment;     /* sum x g^T; last lanes: sum g */
    OozeRows mps_moment; /* sum x h^T; last lanes: sum h */
    F clinging;          /* sum g over clinging walls */
    OozeRows clinging_moment;
    float weight;  /* sum f over fluid */
    float fluid;   /* number density of fluid */
    float density; /* sum of the weights of densities */
    unsigned count, clinging_count;
} Sums;

static inline void sum_fluid(const OozeCauchyStep *s, uint64_t i, Sums *sums)
{
    const OozeNeighbours *list = s->edges.list;
    const F x = ooze_near_end(&s->edges, i);
    const float h = s->k.support, inverse_h2 = 1.0f / (h * h), nearest = 1e-3f * h;
    uint64_t first = list->first[i], last = list->first[i + 1];
    sums->count = list->count[i];
    for (uint64_t e = first; e < last; e++) {
        F d = delta_to(s, x, s->edges.x[list->index[e]]);
        bool used = e - first < list->count[i];
        float r2 = ooze_f32x4_dot3(d, d), r = fmaxf(sqrtf(r2), nearest);
        float f = used ? s->k.strain_scale * fmaxf(1.0f - inverse_h2 * r2, 0.0f) : 0.0f;
        float w = used && r < h ? h / r - 1.0f : 0.0f;
        s->edges.weight[e] = f;
        s->mps.weight[e] = 0.5f * s->k.laplacian * w;
        if (used && s->wall[i].planes > 0 && s->wall[list->index[e]].planes > 0) {
            const OozeCauchyWall *other = &s->wall[list->index[e]];
            s->mps.weight[e] *=
                ooze_cauchy_pair_mirror(&s->k, &s->wall[i], other, d[0], d[1], d[2]);
        }
        sums->fluid += w;
        sums->density += used ? ooze_mps_density_weight(r2, h) : 0.0f;
        sums->mps_moment = ooze_rows_outer(d, d * s->mps.weight[e], sums->mps_moment);
        sums->weight += f;
        sums->moment = ooze_rows_outer(d, d * f, sums->moment);
    }
}

static inline void sum_walls(const OozeCauchyStep *s, uint64_t i, Sums *sums)
{
    const OozeNeighbours *walls = s->context->fluid_boundary;
    const OozeBoundary *boundary = s->context->boundary;
    const F x = ooze_near_end(&s->edges, i);
    const float h = s->k.support;
    for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
        uint32_t b = walls->index[e];
        F at = ooze_f32x4_load(&boundary->position[b].x);
        at[3] = 1;
        F d = ooze_edge_delta(x, at, s->edges.box, true);
        const OozeSolid *solid = &s->context->solids[boundary->solid[b]];
        double friction = ooze_solid_fluid_friction(solid);
        float area = boundary->volume[b] * s->k.inverse_sample;
        float r2 = ooze_f32x4_dot3(d, d), t = fmaxf(1.0f - r2 / (h * h), 0.0f);
        F g = (s->k.wall_strain_scale * area * OOZE_STRAIN_WALL_POWER(t)) * d;
        s->wall_edge[e] = g;
        /* dynamic solids drag fluid by the friction of contacts alone, which they feel in turn */
        s->wall_clings[e] = isinf(friction) && !ooze_solid_is_dynamic(solid) ? 1 : 0;
        if (s->wall_clings[e]) {
            sums->clinging += g;
            sums->clinging_moment = ooze_rows_outer(d, g, sums->clinging_moment);
            sums->clinging_count++;
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
    const OozeCauchyStep *s = data;
    const F zero = {0};
    bool has_walls = s->context->boundary->count > 0;
    for (uint64_t i = begin; i < end; i++) {
        Sums sums = {.moment = ooze_rows_zero(),
                     .mps_moment = ooze_rows_zero(),
                     .clinging = zero,
                     .clinging_moment = ooze_rows_zero()};
        sum_fluid(s, i, &sums);
        if (has_walls) {
            sum_walls(s, i, &sums);
        }
        const F *m = sums.moment.row;
        F sum = ooze_f32x4(m[0][3], m[1][3], m[2][3], sums.weight);
        s->edge_sum[i] = sum;
        s->clinging_sum[i] = sum + sums.clinging;
        const F *h = sums.mps_moment.row;
        s->mps_sum[i] = ooze_f32x4(h[0][3], h[1][3], h[2][3], 0);
        OozeSym3 all = ooze_sym3_add(moment_of(sums.moment), moment_of(sums.clinging_moment));
        s->correction[i] = ooze_gradient_correction(all, sums.count + sums.clinging_count);
        all = ooze_sym3_add(moment_of(sums.mps_moment), s->wall[i].moment);
        s->pressure_correction[i] = ooze_cauchy_pressure_correction(&s->k, all, sums.count);
        float number = sums.fluid / s->k.number_density + s->wall[i].number;
        s->density[i] = s->k.inverse_density * (1.0f + sums.density) + s->wall[i].density;
        s->number[i] = number;
        F inward = s->mps_sum[i] + 0.5f * ooze_cauchy_wall_edge(s, i);
        s->air[i] = ooze_cauchy_air(&s->k, number, sqrtf(ooze_f32x4_dot3(inward, inward)));
        s->divergence_target[i] = ooze_cauchy_divergence_target(&s->k, s->density[i]);
    }
}

/* ---- surface tension ------------------------------------------------------------------------ */

static inline F wall_cohesion(const OozeCauchyStep *s, uint64_t i)
{
    const OozeNeighbours *walls = s->context->fluid_boundary;
    const OozeBoundary *boundary = s->context->boundary;
    const OozeCauchyMaterial *own = &s->materials[s->material[i]];
    const F x = ooze_near_end(&s->edges, i);
    F force = {0};
    for (uint64_t e = walls->first[i], last = e + walls->count[i]; e < last; e++) {
        uint32_t b = walls->index[e];
        F d = ooze_edge_delta(x, ooze_f32x4_load(&boundary->position[b].x), s->edges.box, true);
        float r = fmaxf(sqrtf(ooze_f32x4_dot3(d, d)), 1e-3f * s->k.support);
        float area = boundary->volume[b] * s->k.inverse_sample;
        force += (own->adhesion * own->cohesion * area / r *
                  ooze_mps_wall_cohesion(r, s->k.spacing, s->k.support)) *
                 d;
    }
    return force;
}

static inline float balance_of(const OozeCauchyStep *s, uint64_t i)
{
    return ooze_cauchy_balance(&s->materials[s->material[i]], s->number[i]);
}

static void tension_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeCauchyStep *s = data;
    const OozeNeighbours *list = s->edges.list;
    const float nearest = 1e-3f * s->k.support;
    for (uint64_t i = begin; i < end; i++) {
        const F x = ooze_near_end(&s->edges, i);
        float own = s->materials[s->material[i]].cohesion, balance = balance_of(s, i);
        F force = {0};
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            uint32_t j = list->index[e];
            F d = delta_to(s, x, s->edges.x[j]);
            float r = fmaxf(sqrtf(ooze_f32x4_dot3(d, d)), nearest);
            float other = s->materials[s->material[j]].cohesion;
            float c = own == other ? own : sqrtf(own * other);
            force += (c / r * ooze_mps_cohesion(r, s->k.spacing, s->k.support)) * d;
            force -= ((balance + balance_of(s, j)) * s->mps.weight[e]) * d;
        }
        if (s->context->boundary->count > 0) {
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
    OozeCauchyVelocity *v = data;
    for (uint64_t i = begin; i < end; i++) {
        v->edge_hourglass[i] = ooze_edges_sum(&v->step->edges, v->hourglass, i);
    }
}

/* First gather: gradient, stress and flux of particles i to i + 3. */
static inline void set_fluxes(OozeCauchyVelocity *v, uint64_t i, const OozeRows rows[4])
{
    OozeCauchyStep *s = v->step;
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
        *entry += v->with_explicit_terms ? s0.m[k / 3][k % 3] : ooze_f32x4_splat(0.0f);
    }
    OozeStressFlux flux = {.stress = &stress,
                           .l = &l,
                           .correction = &correction,
                           .weighted = weighted,
                           .n = ooze_f32x4_load(v->hourglass + i),
                           .edge_n = ooze_f32x4_load(v->edge_hourglass + i)};
    ooze_stress_flux(&flux, v->input + i, s->clinging_sum + i, v->flux + i, v->output + i);
}

static void stress_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyVelocity *v = data;
    const OozeCauchyStep *s = v->step;
    for (uint64_t i = begin; i < end; i += 4) {
        OozeRows rows[4];
        for (uint64_t k = 0; k < 4; k++) {
            rows[k] = ooze_rows_zero();
            if (i + k < end) {
                rows[k] = ooze_rows_outer(v->input[i + k], -s->clinging_sum[i + k], rows[k]);
                rows[k] = ooze_edges_outer(&s->edges, v->input, i + k, rows[k]);
                rows[k] =
                    v->with_explicit_terms ? ooze_cauchy_wall_rows(s, i + k, rows[k]) : rows[k];
            }
        }
        set_fluxes(v, i, rows);
    }
}

/* Second gather: output = M input - dt force. Sums input . output. */
static void product_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyVelocity *v = data;
    const OozeCauchyStep *s = v->step;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        F force = v->output[i] + ooze_edges_flux(&s->edges, v->flux, i);
        float mass = s->materials[s->material[i]].relative_mass;
        F out = mass * v->input[i] - s->k.dt * force;
        out = s->mobility[i] > 0.0f ? out : ooze_f32x4_splat(0.0f);
        out[3] = 0;
        v->output[i] = out;
        sum += (double)ooze_f32x4_dot3(out, v->input[i]);
    }
    v->partial[begin / OOZE_CAUCHY_GRAIN] = sum;
}

/* ---- pressure solve ------------------------------------------------------------------------- */

static void weigh_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    for (uint64_t i = begin; i < end; i++) {
        p->weighted[i] = ooze_sym3_scale(p->step->pressure_correction[i], p->input[i]);
    }
}

static inline F apply(OozeSym3 b, F v)
{
    return ooze_f32x4(b.xx * v[0] + b.xy * v[1] + b.xz * v[2],
                      b.xy * v[0] + b.yy * v[1] + b.yz * v[2],
                      b.xz * v[0] + b.yz * v[1] + b.zz * v[2], 0);
}

/* M^-1 D^T p = -(1/m) [sum_j (p_i B_i + p_j B_j) h + p_i B_i sum_w c w x], the transpose of the
   divergence: pairs of particles get opposite forces. */
static void accelerate_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    const OozeCauchyStep *s = p->step;
    const OozeNeighbours *list = s->edges.list;
    for (uint64_t i = begin; i < end; i++) {
        F force = apply(p->weighted[i], s->mps_sum[i] + ooze_cauchy_wall_edge(s, i));
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            force += apply(p->weighted[list->index[e]], ooze_edge_at(&s->mps, i, e));
        }
        p->acceleration[i] = -s->mobility[i] * force;
    }
}

/* (L p)_i = sum c w (k_i + k_j)/2 (p_i - p_j) + k_i air p_i, k = 1/m */
static inline float laplacian_of(const OozeCauchyPressure *p, uint64_t i)
{
    const OozeCauchyStep *s = p->step;
    const OozeNeighbours *list = s->edges.list;
    float own = p->input[i], k = s->mobility[i], sum = k * s->air[i] * own;
    for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
        uint32_t j = list->index[e];
        sum += (k + s->mobility[j]) * s->mps.weight[e] * (own - p->input[j]);
    }
    return sum;
}

static void multiply_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    double sum = 0.0;
    for (uint64_t i = begin; i < end; i++) {
        float out = 0.0f;
        if (!(p->surface && p->surface[i])) {
            out = laplacian_of(p, i);
        }
        p->output[i] = out;
        sum += (double)out * (double)p->input[i];
    }
    p->partial[begin / OOZE_CAUCHY_GRAIN] = sum;
}

static void diagonal_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    const OozeCauchyStep *s = p->step;
    const OozeNeighbours *list = s->edges.list;
    for (uint64_t i = begin; i < end; i++) {
        float k = s->mobility[i], sum = k * s->air[i];
        for (uint64_t e = list->first[i], last = e + list->count[i]; e < last; e++) {
            sum += (k + s->mobility[list->index[e]]) * s->mps.weight[e];
        }
        p->diagonal[i] = sum;
    }
}

/* b = (s - D u)/dt */
static void right_side_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    const OozeCauchyStep *s = p->step;
    for (uint64_t i = begin; i < end; i++) {
        float divergence = ooze_cauchy_divergence(s, s->u, i);
        bool free = p->diagonal[i] > 0.0f && !(p->surface && p->surface[i]);
        float b = (s->divergence_target[i] - divergence) / s->k.dt;
        p->divergence[i] = divergence;
        p->r[i] = free ? b : 0.0f;
        p->q[i] = 0.0f;
    }
}

/* Gradient of MPS: (3/n0) sum (q_j - q_min) x_ji w / r^2, q_min the least pressure around, so that
   neighbours repel each other and never attract. */
static void classic_gradient_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeCauchyPressure *p = data;
    const OozeCauchyStep *s = p->step;
    const OozeNeighbours *list = s->edges.list;
    const float scale = 6.0f / (s->k.number_density * s->k.laplacian);
    for (uint64_t i = begin; i < end; i++) {
        const F x = ooze_near_end(&s->edges, i);
        uint64_t first = list->first[i], last = first + list->count[i];
        float least = p->q[i];
        F sum = {0};
        for (uint64_t e = first; e < last; e++) {
            least = fminf(least, p->q[list->index[e]]);
        }
        for (uint64_t e = first; e < last; e++) {
            F d = delta_to(s, x, s->edges.x[list->index[e]]);
            float r2 = fmaxf(ooze_f32x4_dot3(d, d), 1e-6f * s->k.support * s->k.support);
            sum += (scale * s->mps.weight[e] * (p->q[list->index[e]] - least) / r2) * d;
        }
        sum += (p->q[i] - least) * ooze_cauchy_wall_edge(s, i);
        sum[3] = 0;
        p->acceleration[i] = -s->mobility[i] * sum;
    }
}

const OozeCauchyLoops OOZE_LOOPS(ooze_cauchy_loops) = {
    .gather = gather_range,
    .tension = tension_range,
    .edge_hourglass = edge_hourglass_range,
    .stress = stress_range,
    .product = product_range,
    .weigh = weigh_range,
    .accelerate = accelerate_range,
    .multiply = multiply_range,
    .diagonal = diagonal_range,
    .right_side = right_side_range,
    .classic_gradient = classic_gradient_range,
};
