#include "view/derived.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "physics/kernels.h"
#include "physics/lattice.h"

/* The von Mises stress: the shear that a tensor carries, as one number. */
static double von_mises(const OozeSym3 *s)
{
    double xy = s->xx - s->yy, yz = s->yy - s->zz, zx = s->zz - s->xx;
    double shear = (double)s->xy * s->xy + (double)s->yz * s->yz + (double)s->xz * s->xz;
    return sqrt(0.5 * (xy * xy + yz * yz + zx * zx) + 3.0 * shear);
}

static void fill_stress(const OozeWorld *world, uint64_t n, float *values)
{
    for (uint64_t i = 0; i < n; i++) {
        values[i] = (float)von_mises(&world->stress[i]);
    }
}

/* Sums over the neighbours of the last step, at the present positions. */
static void fill_density(OozeWorld *world, uint64_t n, float *values)
{
    const OozeNeighbours *lists = &world->fluid;
    const OozeFloat4 *x = ooze_particles_positions(world->particles);
    const OozePeriodic *periodic = &world->periodic;
    float h = (float)world->support;
    double rest = ooze_lattice_sum(world->def.spacing, world->support);
    for (uint64_t i = 0; i < n; i++) {
        double sum = (double)ooze_cubic_value(0.0f, h);
        for (uint64_t k = lists->first[i]; k < lists->first[i] + lists->count[i]; k++) {
            OozeFloat4 y = x[lists->index[k]];
            float d[3] = {y.x - x[i].x, y.y - x[i].y, y.z - x[i].z}, r2 = 0.0f;
            for (int a = 0; a < 3; a++) {
                d[a] = ooze_periodic_delta(d[a], periodic->length[a], periodic->inverse[a]);
                r2 += d[a] * d[a];
            }
            sum += (double)ooze_cubic_value(sqrtf(r2), h);
        }
        values[i] = (float)(sum / rest);
    }
}

const float *ooze_derived_values(OozeDerived *derived, OozeWorld *world, const char *name)
{
    bool stress = strcmp(name, "stress") == 0, density = strcmp(name, "density") == 0;
    uint64_t n = ooze_particles_count(world->particles);
    /* the lists are those of the processor's last step, if no particle came or went since */
    bool known = (stress && world->stress && world->stress_capacity >= n) ||
                 (density && world->fluid.n == n && n > 0);
    if (!known) {
        return NULL;
    }
    if (n > derived->capacity) {
        ooze_derived_free(derived);
        derived->values = ooze_alloc(n + n / 4, sizeof *derived->values);
        derived->capacity = derived->values ? n + n / 4 : 0;
    }
    if (derived->values && stress) {
        fill_stress(world, n, derived->values);
    } else if (derived->values) {
        fill_density(world, n, derived->values);
    }
    return derived->values;
}

void ooze_derived_free(OozeDerived *derived)
{
    ooze_free(derived->values);
    *derived = (OozeDerived){0};
}
