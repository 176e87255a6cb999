/* Stages of the wcsph method on the processor.

   Forces along an edge are equal and opposite to the last bit: both ends evaluate the same
   expression with opposite signs, so that linear momentum is conserved to the rounding of
   velocities. */
#include <math.h>

#include "methods/wcsph/particle_formula.h"
#include "methods/wcsph/stages.h"
#include "solvers/vectors/periodic_f32x4.h"

enum { GRAIN = 128 };

static void run(OozeWcsphStep *s, OozeRangeBody body)
{
    ooze_parallel_for(s->machine->context->threads, s->machine->n, GRAIN, body, s);
}

/* From particle i to a point: x_ji, and its length in the last lane. */
static OozeF32x4 edge_of(const OozeWcsphStep *s, OozeBox box, uint64_t i, OozeF32x4 to)
{
    OozeF32x4 d = ooze_f32x4_image(to - s->x[i], box);
    d[3] = sqrtf(ooze_f32x4_dot3(d, d));
    return d;
}

static OozeF32x4 sample_at(const OozeFloat4 *values, uint32_t k)
{
    return ooze_f32x4(values[k].x, values[k].y, values[k].z, 0);
}

/* ---- memory --------------------------------------------------------------------------------- */

static void allocate(OozeWcsphStep *s)
{
    const OozeNeighbours *list = s->machine->context->fluid;
    s->edge = ooze_machine_alloc(s->machine, list->first[s->machine->n], sizeof *s->edge);
}

/* ---- density and pressure ------------------------------------------------------------------- */

static float density_of(const OozeWcsphStep *s, OozeBox box, uint64_t i)
{
    const OozeStepContext *c = s->machine->context;
    const OozeNeighbours *list = c->fluid, *walls = c->fluid_boundary;
    const uint32_t *index = list->index + list->first[i];
    OozeF32x4 *edge = s->edge + list->first[i];
    float h = s->constants.support, sum = ooze_cubic_value(0.0f, h), wall_sum = 0.0f;
    for (uint32_t e = 0; e < list->count[i]; e++) {
        edge[e] = edge_of(s, box, i, s->x[index[e]]);
        sum += ooze_cubic_value(edge[e][3], h);
    }
    uint32_t wall_count = c->boundary->count ? walls->count[i] : 0;
    for (uint32_t w = 0; w < wall_count; w++) {
        uint32_t k = walls->index[walls->first[i] + w];
        float r = edge_of(s, box, i, sample_at(c->boundary->position, k))[3];
        wall_sum += c->boundary->volume[k] * ooze_cubic_value(r, h);
    }
    return s->constants.volume * sum + s->constants.wall_volume * wall_sum;
}

static void density_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeWcsphStep *s = data;
    const OozeBox box = ooze_box(&s->machine->context->periodic);
    for (uint64_t i = begin; i < end; i++) {
        s->density[i] = density_of(s, box, i);
        s->state[i] = ooze_wcsph_state(&s->constants, &s->materials[s->material[i]], s->density[i]);
    }
}

static void find_densities(OozeWcsphStep *s)
{
    run(s, density_range);
}

/* ---- forces --------------------------------------------------------------------------------- */

static OozeF32x4 force_of_fluid(const OozeWcsphStep *s, uint64_t i)
{
    const OozeNeighbours *list = s->machine->context->fluid;
    const uint32_t *index = list->index + list->first[i];
    const OozeF32x4 *edge = s->edge + list->first[i];
    OozeF32x4 force = {0}, u = s->u[i];
    OozeWcsphState own = s->state[i];
    for (uint32_t e = 0; e < list->count[i]; e++) {
        uint32_t j = index[e];
        OozeWcsphState other = s->state[j];
        float r = edge[e][3];
        float along = ooze_wcsph_push(&s->constants, own.pressure_term, other.pressure_term, r);
        float drag = ooze_wcsph_drag(&s->constants, own, other, r);
        force += along * edge[e] + drag * (s->u[j] - u);
    }
    return force;
}

/* Boundary samples have the pressure of the particle; those of no-slip solids exert viscous
   drag. */
static OozeF32x4 force_of_walls(const OozeWcsphStep *s, OozeBox box, uint64_t i)
{
    const OozeStepContext *c = s->machine->context;
    const OozeNeighbours *walls = c->fluid_boundary;
    const OozeBoundary *boundary = c->boundary;
    OozeF32x4 force = {0};
    OozeWcsphState own = s->state[i];
    uint32_t count = boundary->count ? walls->count[i] : 0;
    for (uint32_t w = 0; w < count; w++) {
        uint32_t k = walls->index[walls->first[i] + w];
        OozeF32x4 d = edge_of(s, box, i, sample_at(boundary->position, k));
        float r = d[3], volume = boundary->volume[k];
        bool no_slip = isinf(ooze_solid_fluid_friction(&c->solids[boundary->solid[k]]));
        float drag = no_slip ? ooze_wcsph_wall_drag(&s->constants, own, volume, r) : 0.0f;
        float along = ooze_wcsph_wall_push(&s->constants, own.pressure_term, volume, r);
        force += along * d + drag * (sample_at(boundary->velocity, k) - s->u[i]);
    }
    return force;
}

static void force_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeWcsphStep *s = data;
    const OozeStepContext *c = s->machine->context;
    const OozeBox box = ooze_box(&c->periodic);
    OozeF32x4 g = ooze_f32x4((float)c->gravity.x, (float)c->gravity.y, (float)c->gravity.z, 0);
    for (uint64_t i = begin; i < end; i++) {
        bool prescribed = s->prescribed && s->prescribed[i];
        OozeF32x4 force =
            prescribed ? ooze_f32x4(0, 0, 0, 0) : force_of_fluid(s, i) + force_of_walls(s, box, i);
        OozeF32x4 a = prescribed ? force : g + force / s->materials[s->material[i]].relative_mass;
        a[3] = 0;
        s->next_u[i] = s->u[i] + s->constants.dt * a;
    }
}

static void apply_forces(OozeWcsphStep *s)
{
    run(s, force_range);
}

const OozeWcsphStages ooze_wcsph_stages = {allocate, find_densities, apply_forces};
