/* How long a step may be: the discrete operators on the rest lattice, wave by wave. */
#include <math.h>

#include "methods/maxwell.h"
#include "methods/stress/workspace.h"
#include "physics/kernels.h"
#include "physics/lattice.h"
#include "physics/ucm.h"

/* Compliance 0 asks for the stiffest elasticity: the shear wave that the scheme carries safely, in
   spacings a step. */
#define STIFFEST_COURANT 0.5

OozeStressMaterial ooze_stress_material(const OozeStepContext *c, int index)
{
    const OozeMaterial *material = &c->materials[index];
    double reference = c->materials[0].values[OOZE_MATERIAL_DENSITY];
    OozeMaxwell m = ooze_maxwell(c, material, reference, STIFFEST_COURANT);
    return (OozeStressMaterial){
        .weight = material->values[OOZE_MATERIAL_DENSITY] / reference,
        .modulus = m.modulus,
        .rate = m.relaxation > 0.0 ? 1.0 / m.relaxation : 0.0,
        .viscosity = m.viscosity,
        .hourglass =
            c->params[OOZE_STRESS_HOURGLASS] * (m.viscosity + sqrt(m.modulus) * c->spacing),
    };
}

/* What the operators make of a plane wave exp(i k x) on the rest lattice. */
typedef struct Symbol {
    double gradient2; /* |g|^2 of the corrected gradient: k^2 for long waves */
    double spread;    /* 2 sum f (1 - cos kx) of the pairwise term: k^2 for long waves */
} Symbol;

static Symbol symbol_of(double spacing, double h, const double k[3])
{
    int reach = (int)(h / spacing) + 1;
    double volume = 1.0 / ooze_lattice_sum(OOZE_KERNEL_CUBIC, spacing, h, 1);
    double g[3] = {0, 0, 0}, moment = 0.0, spread = 0.0;
    for (int a = -reach; a <= reach; a++) {
        for (int b = -reach; b <= reach; b++) {
            for (int e = -reach; e <= reach; e++) {
                double x[3] = {a * spacing, b * spacing, e * spacing};
                float r = (float)sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
                float slope = ooze_cubic_slope(r, (float)h);
                double f = -volume * (double)ooze_kernel_gradient_scale(slope, r, (float)h);
                double phase = k[0] * x[0] + k[1] * x[1] + k[2] * x[2];
                for (int axis = 0; axis < 3; axis++) {
                    g[axis] += f * x[axis] * sin(phase);
                }
                moment += f * x[0] * x[0];
                spread += 2.0 * f * (1.0 - cos(phase));
            }
        }
    }
    double g2 = (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) / (moment * moment);
    return (Symbol){g2, spread};
}

double ooze_stress_stable_step(const OozeStepContext *c)
{
    enum { WAVES = 24 };
    static const double direction[3][3] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}};
    double longest = INFINITY;
    for (int d = 0; d < 3; d++) {
        for (int i = 1; i <= WAVES; i++) {
            double k[3];
            for (int axis = 0; axis < 3; axis++) {
                k[axis] = direction[d][axis] * OOZE_PI / c->spacing * i / WAVES;
            }
            Symbol symbol = symbol_of(c->spacing, c->support, k);
            double rest = fmax(symbol.spread - symbol.gradient2, 0.0);
            for (int m = 0; m < c->material_count; m++) {
                OozeStressMaterial o = ooze_stress_material(c, m);
                /* compression waves: sigma = 2 G e along the wave, twice that of shear */
                double w = sqrt(2.0 * o.modulus * symbol.gradient2 / o.weight);
                double damping =
                    (2.0 * o.viscosity * symbol.gradient2 + o.hourglass * rest) / o.weight;
                longest = fmin(longest, ooze_ucm_stable_step(w, damping, o.rate));
            }
        }
    }
    return longest;
}
