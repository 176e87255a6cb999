/* How long a step may be, wave by wave on the rest lattice; and how fast sound should be. */
#include <math.h>

#include "base/vec3.h"
#include "methods/advice.h"
#include "methods/wcsph/workspace.h"
#include "physics/kernels.h"
#include "physics/lattice.h"
#include "physics/ucm.h"
#include "physics/wcsph.h"

double ooze_wcsph_viscosity(const OozeMaterial *material)
{
    double viscosity = material->values[OOZE_MATERIAL_VISCOSITY];
    return isnan(viscosity) ? 0.0 : viscosity;
}

/* What the sums make of a plane wave exp(i k x) on the rest lattice: both are k^2 for long waves. */
typedef struct Symbol {
    double gradient2; /* |g|^2 of the pressure's gradient */
    double laplacian; /* of the viscosity's */
} Symbol;

static Symbol symbol_of(double spacing, double h, const double k[3])
{
    int reach = (int)(h / spacing) + 1;
    double volume = 1.0 / ooze_lattice_sum(OOZE_KERNEL_CUBIC, spacing, h, 1);
    double scale = ooze_wcsph_scale(spacing, h);
    double g[3] = {0, 0, 0}, laplacian = 0.0;
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
                laplacian +=
                    scale * (double)ooze_viscosity_laplacian(r, (float)h) * (1.0 - cos(phase));
            }
        }
    }
    return (Symbol){g[0] * g[0] + g[1] * g[1] + g[2] * g[2], laplacian};
}

double ooze_wcsph_lattice_step(const OozeStepContext *c)
{
    enum { WAVES = 24 };
    static const double direction[3][3] = {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}};
    double sound = c->params[OOZE_WCSPH_SOUND_SPEED], longest = INFINITY;
    for (int d = 0; d < 3; d++) {
        for (int i = 1; i <= WAVES; i++) {
            double k[3];
            for (int axis = 0; axis < 3; axis++) {
                k[axis] = direction[d][axis] * OOZE_PI / c->spacing * i / WAVES;
            }
            Symbol symbol = symbol_of(c->spacing, c->support, k);
            double w = sound * sqrt(symbol.gradient2);
            for (int m = 0; m < c->material_count; m++) {
                const OozeMaterial *material = &c->materials[m];
                double nu =
                    ooze_wcsph_viscosity(material) / material->values[OOZE_MATERIAL_DENSITY];
                longest = fmin(longest, ooze_ucm_stable_step(w, nu * symbol.laplacian, 0.0));
            }
        }
    }
    return longest;
}

/* Of the limit of the lattice. At free surfaces, where few neighbours count for more, beside walls and where fluid is
   compressed the limit is lower: balls that fell to the ground failed at 0.85 of it and stood at 0.7. */
static const double SAFE_SHARE = 0.5;

/* Spacings that a particle falls from rest within a step. */
static const double LONGEST_FALL = 0.25;

double ooze_wcsph_stable_step(const OozeStepContext *c)
{
    double fall = sqrt(2.0 * LONGEST_FALL * c->spacing / vec3_length(c->gravity));
    return fmin(SAFE_SHARE * ooze_wcsph_lattice_step(c), fall);
}

/* Density follows pressure by (speed / sound)^2 over two: ten times the speed is a percent at most. */
static const double SLOWEST_SOUND = 10.0;

void ooze_wcsph_advise(const OozeStepContext *c, const OozeAdvice *advice)
{
    double sound = c->params[OOZE_WCSPH_SOUND_SPEED];
    double fall = sqrt(2.0 * vec3_length(c->gravity) * fmax(advice->extent, 0.0));
    if (isfinite(fall) && sound < SLOWEST_SOUND * fall) {
        ooze_advise(advice, -1, "sound_speed", "raise sound_speed, and shorten the step with it",
                    "fluid that falls as far as it reaches has %.3g m/s, and sound %.3g m/s: it "
                    "will be compressed by more than a percent",
                    fall, sound);
    }
}
