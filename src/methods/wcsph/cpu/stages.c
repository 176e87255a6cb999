/* Stages of the wcsph method on the processor.

   Forces along an edge are equal and opposite to the last bit: both ends evaluate the same
   expression with opposite signs, so that linear momentum is conserved to the rounding of
   velocities. */
#include <math.h>

#include "base/vec3.h"
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

static void load(OozeWcsphStep *s)
{
    const OozeStepContext *c = s->machine->context;
    const OozeFloat4 *x = ooze_particles_positions(c->particles);
    const OozeFloat4 *u = ooze_particles_velocities(c->particles);
    const uint64_t local = s->machine->local;
    s->x = ooze_machine_alloc(s->machine, local, sizeof *s->x);
    s->u = ooze_machine_alloc(s->machine, local, sizeof *s->u);
    for (uint64_t i = 0; i < local && s->x && s->u; i++) {
        s->x[i] = ooze_f32x4(x[i].x, x[i].y, x[i].z, 0);
        s->u[i] = ooze_f32x4(u[i].x, u[i].y, u[i].z, 0);
    }
}

/* ---- density and pressure ------------------------------------------------------------------- */

static float density_of(const OozeWcsphStep *s, OozeBox box, uint64_t i)
{
    const OozeStepContext *c = s->machine->context;
    const OozeNeighbours *list = c->fluid, *walls = c->fluid_boundary;
    const uint32_t *index = list->index + list->first[i];
    float h = s->constants.support, sum = ooze_cubic_value(0.0f, h), wall_sum = 0.0f;
    for (uint32_t e = 0; e < list->count[i]; e++) {
        sum += ooze_cubic_value(edge_of(s, box, i, s->x[index[e]])[3], h);
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

static OozeF32x4 force_of_fluid(const OozeWcsphStep *s, OozeBox box, uint64_t i)
{
    const OozeNeighbours *list = s->machine->context->fluid;
    const uint32_t *index = list->index + list->first[i];
    OozeF32x4 force = {0}, u = s->u[i];
    OozeWcsphState own = s->state[i];
    for (uint32_t e = 0; e < list->count[i]; e++) {
        uint32_t j = index[e];
        OozeWcsphState other = s->state[j];
        OozeF32x4 edge = edge_of(s, box, i, s->x[j]);
        float r = edge[3];
        float along = ooze_wcsph_push(&s->constants, own.pressure_term, other.pressure_term, r);
        float drag = ooze_wcsph_drag(&s->constants, own, other, r);
        force += along * edge + drag * (s->u[j] - u);
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
        bool prescribed = c->prescribed && c->prescribed[i];
        OozeF32x4 force = prescribed ? ooze_f32x4(0, 0, 0, 0)
                                     : force_of_fluid(s, box, i) + force_of_walls(s, box, i);
        OozeF32x4 a = prescribed ? force : g + force / s->materials[s->material[i]].relative_mass;
        a[3] = 0;
        s->next_u[i] = s->u[i] + s->constants.dt * a;
    }
}

static void apply_forces(OozeWcsphStep *s)
{
    run(s, force_range);
}

/* ---- positions ------------------------------------------------------------------------------ */

/* With collisions: pressure alone does not keep fast or isolated particles out of solids. */
static void move_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    const OozeWcsphStep *s = data;
    const OozeStepContext *c = s->machine->context;
    for (uint64_t i = begin; i < end; i++) {
        OozeF32x4 x0 = s->x[i], u = s->next_u[i];
        s->next_x[i] = x0 + s->constants.dt * u;
        if (c->solid_count > 0) {
            OozeVec3 to = vec3(x0[0], x0[1], x0[2]), v = vec3(u[0], u[1], u[2]);
            if (ooze_contact_advance(c->solids, c->solid_count, &s->contact, &to, &v)) {
                s->next_x[i] = ooze_f32x4((float)to.x, (float)to.y, (float)to.z, 0);
                s->next_u[i] = ooze_f32x4((float)v.x, (float)v.y, (float)v.z, 0);
            }
        }
    }
}

static void move(OozeWcsphStep *s)
{
    run(s, move_range);
}

static void store(OozeWcsphStep *s)
{
    OozeFloat4 *x = ooze_particles_positions(s->machine->context->particles);
    OozeFloat4 *u = ooze_particles_velocities(s->machine->context->particles);
    for (uint64_t i = 0; i < s->machine->n; i++) {
        x[i] = (OozeFloat4){s->next_x[i][0], s->next_x[i][1], s->next_x[i][2], 0};
        u[i] = (OozeFloat4){s->next_u[i][0], s->next_u[i][1], s->next_u[i][2], 0};
    }
}

const OozeWcsphStages ooze_wcsph_stages = {load, find_densities, apply_forces, move, store};
