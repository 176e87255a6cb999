/* Weights of neighbours in a corrected velocity gradient. Valid C17 and CUDA.

   A corrected gradient is a weighted least-squares fit, so any positive weight f(r) serves; a
   kernel stands behind it with |W'| = f r. Under tension, a pair that has come nearer must not pull
   harder than its neighbours, or the fluid clumps and tears (Swegle, Hicks and Attaway 1995:
   unstable where W'' times tension is positive). The cubic spline's |W'| falls from a third of its
   support on, so at supports of about two spacings every pair is on the unstable side. f = 1 -
   (r/h)^2 has its largest |W'| at 0.58 h: nearest neighbours stay on the stable side until they are
   stretched by a quarter. */
#ifndef OOZE_PHYSICS_STRAIN_WEIGHT_H
#define OOZE_PHYSICS_STRAIN_WEIGHT_H

#include "physics/formula.h"

OOZE_FORMULA OOZE_REAL ooze_strain_weight(OOZE_REAL r, OOZE_REAL h)
{
    OOZE_REAL q = r / h;
    return q < 1 ? 1 - q * q : 0;
}

/* The factor that makes the sum over the rest lattice of spacing^3 f x x^T the identity. */
OOZE_FORMULA double ooze_strain_weight_scale(double spacing, double h)
{
    const int reach = (int)(h / spacing) + 1;
    double sum = 0.0;
    for (int k = -reach; k <= reach; k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                double r2 = (double)(i * i + j * j + k * k) * spacing * spacing;
                double f = r2 < h * h ? 1.0 - r2 / (h * h) : 0.0;
                sum += f * (double)(i * i) * spacing * spacing;
            }
        }
    }
    return 1.0 / (sum * spacing * spacing * spacing);
}

/* |sum f x| spacing^3 at a particle of the topmost layer of a half-filled lattice, f scaled as
   above: what a flat free surface looks like to a gradient sum. */
OOZE_FORMULA double ooze_strain_weight_surface(double spacing, double h)
{
    const int reach = (int)(h / spacing) + 1;
    double sum = 0.0;
    for (int k = 1; k <= reach; k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                double r2 = (double)(i * i + j * j + k * k) * spacing * spacing;
                sum += (r2 < h * h ? 1.0 - r2 / (h * h) : 0.0) * k * spacing;
            }
        }
    }
    return sum * spacing * spacing * spacing * ooze_strain_weight_scale(spacing, h);
}

/* Weight of a boundary sample of a no-slip wall. One layer of samples stands for all
   the fluid that is missing behind it, seen from both sides of an edge, so a particle of the
   first layer (half a spacing above) must see twice what its missing neighbours would be, and
   one of the second layer next to nothing: a wider weight leaves the layers with forces that
   only slip balances. The power of the strain weight makes the second layer see the 7% that it
   should at supports of about two spacings. */
#define OOZE_STRAIN_WALL_POWER(w) (((w) * (w) * (w)) * ((w) * (w) * (w)))
/* The factor that makes it so on a flat wall whose samples have the volume `sample`. */
OOZE_FORMULA double ooze_strain_wall_scale(double spacing, double h, double sample)
{
    const int reach = (int)(h / spacing) + 1;
    double missing = ooze_strain_weight_surface(spacing, h), seen = 0.0;
    for (int j = -reach; j <= reach; j++) {
        for (int i = -reach; i <= reach; i++) {
            double q2 = ((double)(i * i + j * j) + 0.25) * spacing * spacing / (h * h);
            double w = q2 < 1.0 ? 1.0 - q2 : 0.0;
            seen += OOZE_STRAIN_WALL_POWER(w) * 0.5 * spacing * sample;
        }
    }
    return 2.0 * missing / seen;
}

#endif
