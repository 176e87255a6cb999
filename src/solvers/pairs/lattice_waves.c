#include "solvers/pairs/lattice_waves.h"

#include <math.h>

#include "physics/kernels.h"
#include "physics/lattice.h"
#include "physics/wcsph.h"

static OozeLatticeWave wave_of(double spacing, double h, const double k[3])
{
    int reach = (int)(h / spacing) + 1;
    double volume = 1.0 / ooze_lattice_sum(spacing, h);
    double scale = ooze_wcsph_scale(spacing, h);
    double g[3] = {0, 0, 0};
    OozeLatticeWave wave = {0, 0, 0, 0};
    for (int a = -reach; a <= reach; a++) {
        for (int b = -reach; b <= reach; b++) {
            for (int e = -reach; e <= reach; e++) {
                double x[3] = {a * spacing, b * spacing, e * spacing};
                float r = (float)sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
                float slope = ooze_cubic_slope(r, (float)h);
                double f = -volume * (double)ooze_kernel_gradient_scale(slope, r, (float)h);
                double phase = k[0] * x[0] + k[1] * x[1] + k[2] * x[2], fall = 1.0 - cos(phase);
                for (int axis = 0; axis < 3; axis++) {
                    g[axis] += f * x[axis] * sin(phase);
                }
                wave.moment += f * x[0] * x[0];
                wave.spread += 2.0 * f * fall;
                wave.laplacian += scale * (double)ooze_viscosity_laplacian(r, (float)h) * fall;
            }
        }
    }
    wave.gradient2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    return wave;
}

double ooze_lattice_waves_step(const OozeStepContext *c,
                               double (*step)(const OozeStepContext *context, int material,
                                              const OozeLatticeWave *wave))
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
            OozeLatticeWave wave = wave_of(c->spacing, c->support, k);
            for (int m = 0; m < c->material_count; m++) {
                longest = fmin(longest, step(c, m, &wave));
            }
        }
    }
    return longest;
}
