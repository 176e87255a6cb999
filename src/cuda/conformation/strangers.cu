/* Strangers: particles that are crowded though no motion has pressed them together. See methods/conformation/strangers.c. */
#include "cuda/conformation/step.cuh"
#include "cuda/shape_distance.cuh"

namespace ooze
{

/* See strangers.c. */
static const float STRANGE_STEPS = 256.0f, STRANGE_DENSITY = 1e-3f;

/* What all particles know together. */
struct Extremes {
    float top, bottom; /* of g . x */
    float fastest;     /* squared */
    float intruded;    /* not 0: a solid lies too deep in some */
    __device__ void operator+=(const Extremes &o)
    {
        top = o.top > top ? o.top : top;
        bottom = o.bottom < bottom ? o.bottom : bottom;
        fastest = o.fastest > fastest ? o.fastest : fastest;
        intruded = o.intruded > intruded ? o.intruded : intruded;
    }
};

/* A solid in which fluid lies has been put there, and with it all whom it presses. */
static void meet_intruders(Step *step, const Extremes *all)
{
    Machine *m = step->m;
    StepView s = step->view;
    uint8_t *intrudes = scratch<uint8_t>(m, (uint64_t)s.solids.count);
    double support = step->context->support;
    clear(m, intrudes, (size_t)s.solids.count);
    for_each(
        m, s.n, OOZE_BODY(uint32_t i) {
            if (all->intruded != 0.0f && s.intruder[i] >= 0) {
                intrudes[s.intruder[i]] = 1;
            }
        });
    for_each(
        m, s.n, OOZE_BODY(uint32_t i) {
            for (int k = 0; k < s.solids.count && all->intruded != 0.0f; k++) {
                const SolidView &solid = s.solids.items[k];
                OozeVec3 normal;
                if (intrudes[k] && solid_near(solid, s.x0[i], s.support, false) &&
                    solid_distance(solid, widen(s.x0[i]), &normal) < support) {
                    s.calm[i] = 0.0f;
                }
            }
        });
}

/* The largest of surface tensions over densities, which presses at a spacing. */
static float largest_tension(const Step *step)
{
    float tension = 0.0f;
    for (int k = 0; k < step->context->material_count; k++) {
        const OozeRheology *m = &step->plan.rheology[k];
        tension = fmaxf(tension, m->tension / m->weight);
    }
    return tension;
}

/* How far errors of density may become velocity in this step: see ooze_conformation_set_limits. */
void set_limits(Step *step)
{
    Machine *m = step->m;
    StepView s = step->view;
    const OozeStepContext *c = step->context;
    float gx = (float)c->gravity.x, gy = (float)c->gravity.y, gz = (float)c->gravity.z;
    const float4 *velocity = store_velocities(&step->engine->store);
    Extremes none = {-INFINITY, INFINITY, 0.0f, 0.0f};
    Extremes *all = scratch<Extremes>(m, 1);
    Answer<Extremes> answer = {all};
    sum_each(
        m, s.n, none,
        OOZE_BODY(uint32_t i) {
            float4 x = s.x0[i], v = velocity[i];
            float depth = gx * x.x + gy * x.y + gz * x.z;
            bool intruded = s.intruder && s.intruder[i] >= 0;
            Extremes found = {depth, depth, dot(v, v), intruded ? 1.0f : 0.0f};
            return found;
        },
        answer);
    if (s.intruder) {
        meet_intruders(step, all);
    }
    float presses = 2.0f * largest_tension(step) / s.spacing;
    float iterations = fmaxf(1.0f, (float)step->plan.settings.density_iterations);
    float error = STRANGE_DENSITY;
    for_each(
        m, s.n, OOZE_BODY(uint32_t i) {
            float on_all = all->top - all->bottom + 0.5f * all->fastest + presses;
            float load = on_all + s.stress[i] * s.mobility[i];
            float borne = 2.0f * load * s.dt * s.dt / (iterations * s.spacing * s.spacing);
            bool strange = s.calm[i] < 1.0f && s.density[i] > 1.0f + borne + error;
            s.borne[i] = strange ? borne : INFINITY;
            s.limit[i] = strange ? s.density[i] - borne : 1.0f;
        });
}

/* Who settles crowds those around, and these are strangers too. */
void find_strangers(Step *step)
{
    Machine *m = step->m;
    StepView s = step->view;
    float far = 1e-3f * s.spacing, far2 = far * far, steps = STRANGE_STEPS;
    Most1 none = {0.0f}, *most = scratch<Most1>(m, 1);
    Answer<Most1> answer = {most};
    sum_each(
        m, s.n, none,
        OOZE_BODY(uint32_t i) {
            Most1 way = {dot(s.settled[i], s.settled[i])};
            return way;
        },
        answer);
    for_each(
        m, s.n, OOZE_BODY(uint32_t i) {
            bool strange = isfinite(s.borne[i]);
            float calm = strange ? fminf(1.0f, s.calm[i] + 1.0f / steps) : 1.0f;
            bool anew = s.mobility[i] == 0.0f;
            if (!anew && !strange && most->a > far2) {
                float around = dot(s.settled[i], s.settled[i]);
                each_true_neighbour(s.fluid, i, [&](uint32_t j) {
                    around = fmaxf(around, dot(s.settled[j], s.settled[j]));
                });
                anew = around > far2;
            }
            s.calm[i] = anew ? 0.0f : calm;
        });
}

} // namespace ooze
