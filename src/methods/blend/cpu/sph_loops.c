/* Densities and forces of the SPH half, four neighbours at a time. */
#include <math.h>

#include "methods/blend/cpu/loops.h"

typedef OozeF32x4 F;

static F splat(float a)
{
    return ooze_f32x4_splat(a);
}

static F load_state(const OozeBlendState *state)
{
    return ooze_f32x4_load(&state->pressure);
}

static void sum_density(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeBlendStep *s = data;
    const OozeNeighbours *list = s->machine->context->fluid;
    const float h = s->k.support, inverse_h2 = 1.0f / (h * h);
    const float scale = s->k.volume * ooze_poly6_value(0.0f, h);
    for (uint64_t i = begin; i < end; i++) {
        const uint32_t *index = list->index + list->first[i];
        F sum = splat(0.0f), at = s->x[i];
        for (uint32_t e = 0; e < list->count[i]; e += OOZE_LIST_PAD) {
            F d[4];
            ooze_f32x4_transpose(s->x[index[e]] - at, s->x[index[e + 1]] - at,
                                 s->x[index[e + 2]] - at, s->x[index[e + 3]] - at, d);
            F t = 1.0f - inverse_h2 * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            t = ooze_f32x4_max(t, splat(0.0f));
            sum += t * t * t;
        }
        float density = scale * (1.0f + ooze_f32x4_sum(sum)) + s->wall[i][3];
        const OozeBlendMaterial *m = &s->materials[s->material[i]];
        s->density[i] = density;
        s->state[i].pressure =
            ooze_blend_pressure(m->relative_mass, density, s->k.sound, s->k.published);
        s->state[i].inverse_density = 1.0f / density;
    }
}

/* Acceleration times relative mass by eqs 1 and 2, with symmetric pressure and relative velocities;
   see ooze_blend_push. */
static F forces_of(const OozeBlendStep *s, uint64_t i)
{
    const OozeNeighbours *list = s->machine->context->fluid;
    const uint32_t *index = list->index + list->first[i];
    const float h = s->k.support, inverse_h = 1.0f / h;
    const F at = s->x[i], u = s->u[i], own = load_state(&s->state[i]), shape = s->shape[i];
    const F push = splat(0.5f * s->k.gradient_scale * ooze_spiky_slope(0.0f, h));
    const F drag = splat(0.5f * s->k.viscous * ooze_viscosity_laplacian(0.0f, h));
    const F nearest = splat((float)OOZE_KERNEL_NEAREST * h);
    F sum[3] = {splat(0.0f), splat(0.0f), splat(0.0f)};
    for (uint32_t e = 0; e < list->count[i]; e += OOZE_LIST_PAD) {
        uint32_t a = index[e], b = index[e + 1], c = index[e + 2], g = index[e + 3];
        F d[4], v[4], state[4], q[4];
        ooze_f32x4_transpose(s->x[a] - at, s->x[b] - at, s->x[c] - at, s->x[g] - at, d);
        ooze_f32x4_transpose(s->u[a] - u, s->u[b] - u, s->u[c] - u, s->u[g] - u, v);
        ooze_f32x4_transpose(load_state(&s->state[a]), load_state(&s->state[b]),
                             load_state(&s->state[c]), load_state(&s->state[g]), state);
        F r = ooze_f32x4_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        F t = ooze_f32x4_max(1.0f - inverse_h * r, splat(0.0f));
        F share = splat(1.0f);
        if (s->compares_shapes) {
            ooze_f32x4_transpose(s->shape[a] - shape, s->shape[b] - shape, s->shape[c] - shape,
                                 s->shape[g] - shape, q);
            OozeF32x4Mask far =
                (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] >= s->k.radius2) | (q[3] != 0.0f);
            share = ooze_f32x4_select(far, share, 0.5f * (own[3] + state[3]));
        }
        F both = (own[1] * state[1]) * t;
        F w = ooze_f32x4_select(r <= nearest, splat(0.0f), push * (own[0] + state[0]) * t / r);
        F f = share * drag * (own[2] + state[2]);
        w = s->k.blended_pressure ? share * w : w;
        for (int k = 0; k < 3; k++) {
            sum[k] += both * (w * d[k] + f * v[k]);
        }
    }
    return ooze_f32x4(ooze_f32x4_sum(sum[0]), ooze_f32x4_sum(sum[1]), ooze_f32x4_sum(sum[2]), 0);
}

/* Eqs 1 to 3 as printed. */
static F printed_forces_of(const OozeBlendStep *s, uint64_t i)
{
    const OozeNeighbours *list = s->machine->context->fluid;
    const uint32_t *index = list->index + list->first[i];
    const OozeBlendState *own = &s->state[i];
    F sum = ooze_blend_printed_own_drag(&s->k, own) * s->u[i];
    for (uint32_t e = 0; e < list->count[i]; e++) {
        uint32_t j = index[e];
        F d = s->x[j] - s->x[i];
        OozeBlendPair pair =
            ooze_blend_printed_pair(&s->k, own, &s->state[j], sqrtf(ooze_f32x4_dot3(d, d)));
        sum += pair.push * d + pair.drag * s->u[j];
    }
    sum[3] = 0.0f;
    return sum;
}

static void sum_forces(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeBlendStep *s = data;
    for (uint64_t i = begin; i < end; i++) {
        const OozeBlendState *own = &s->state[i];
        F force = s->k.published ? printed_forces_of(s, i) : forces_of(s, i);
        F wall = ooze_blend_pressure_share(own->fluid_share, s->k.blended_pressure) *
                 own->pressure * own->inverse_density * s->wall[i];
        wall[3] = 0.0f;
        s->acceleration[i] = (force + wall) / s->materials[s->material[i]].relative_mass;
    }
}

const OozeBlendLoops OOZE_LOOPS(ooze_blend_loops) = {
    .sum_density = sum_density,
    .sum_forces = sum_forces,
};
