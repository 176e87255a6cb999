/* Weights of the moving particle semi-implicit method (MPS; Koshizuka and Oka 1996) and the
   potential of its surface tension (Kondo et al. 2007). Valid C17 and CUDA. Lengths in m; `re` is
   the radius of influence, `d` the spacing of the rest lattice. */
#ifndef OOZE_PHYSICS_MPS_H
#define OOZE_PHYSICS_MPS_H

#include "physics/formula.h"

/* w(r) = re/r - 1, and 0 beyond re. Distances below a thousandth of re count as that. */
OOZE_FORMULA OOZE_REAL ooze_mps_weight(OOZE_REAL r, OOZE_REAL re)
{
    OOZE_REAL nearest = (OOZE_REAL)1e-3 * re;
    r = r > nearest ? r : nearest;
    return r < re ? re / r - 1 : 0;
}

/* Weight of densities, (1 - (r/re)^2)^3. The sum of w grows with disorder, because w rises
   steeply at small distances: fluid would expand by some per cent to keep it at n0. The sum of
   this weight hardly does. */
OOZE_FORMULA OOZE_REAL ooze_mps_density_weight(OOZE_REAL r2, OOZE_REAL re)
{
    OOZE_REAL t = 1 - r2 / (re * re);
    return t > 0 ? t * t * t : 0;
}

/* What the wall and dummy particles that fill the half space behind a flat wall add to the sums
   of a particle at the distance z, over the same at half a spacing: (1 - (z/re)^2)^6 with these
   two distances. On the rest lattice, whose first layer is half a spacing above the wall, the
   second layer sees 3 %, against 2 % (numbers) and 4 % (edges) of real particles. */
OOZE_FORMULA double ooze_mps_wall_share(double z, double d, double re)
{
    double t = 1.0 - z * z / (re * re), first = 1.0 - 0.25 * d * d / (re * re);
    t = z > 0.0 ? t / first : 1.0 / first;
    return z < re ? (t * t * t) * (t * t * t) : 0.0;
}

/* Factor of the weight of a pair whose particles see the shares a and b of the same wall. The
   fluid beyond a wall would be the mirror image of that before it, so that tangential gradients
   beside the wall are as strong as elsewhere; pairs in the layer at the wall take over the
   weight of their images. */
OOZE_FORMULA double ooze_mps_mirror(double mirror, double a, double b)
{
    a = a < 1.0 ? a : 1.0;
    b = b < 1.0 ? b : 1.0;
    return 1.0 + mirror * a * b;
}

/* Sums over the rest lattice. `c` = 2 * 3 / (lambda n0) is the factor of w in the Laplacian; an
   edge h = c w x / 2 makes sum h x^T the identity. */
typedef struct OozeMpsLattice {
    double number;        /* n0: sum of w */
    double density;       /* sum of ooze_mps_density_weight, that of the particle itself included */
    double laplacian;     /* c, 1/m2 */
    double flat_number;   /* over the half space below a particle: sum of w over n0, */
    double flat_density;  /* of the weight of densities over `density`, */
    double flat_edge;     /* of c w |z|, 1/m, */
    double normal;        /* of h z along the normal, */
    double mirror;        /* relative weight that pairs beside a flat wall gain: see
                           ooze_mps_mirror */
    double corner_number; /* part of flat_number beyond a second wall at a right angle, over it */
} OozeMpsLattice;

OOZE_FORMULA OozeMpsLattice ooze_mps_lattice(double d, double re)
{
    const int reach = (int)(re / d) + 1;
    double n0 = 0.0, moment = 0.0, number = 0.0, edge = 0.0, normal = 0.0, tangent = 0.0;
    double plane = 0.0;
    double corner_number = 0.0, density = 0.0, flat_density = 0.0;
    OozeMpsLattice lattice;
    for (int k = -reach; k <= reach; k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                double r2 = (double)(i * i + j * j + k * k) * d * d, r = sqrt(r2);
                double w = r > 0.0 && r < re ? re / r - 1.0 : 0.0;
                double smooth = r2 < re * re ? 1.0 - r2 / (re * re) : 0.0;
                smooth = smooth * smooth * smooth;
                n0 += w;
                density += smooth;
                flat_density += k < 0 ? smooth : 0.0;
                moment += w * r2;
                plane += k == 0 ? w * (double)(i * i) * d * d : 0.0;
                if (k < 0) {
                    number += w;
                    edge += w * (double)-k * d;
                    normal += w * (double)(k * k) * d * d;
                    tangent += w * (double)(i * i) * d * d;
                    corner_number += i < 0 ? w : 0.0;
                }
            }
        }
    }
    lattice.number = n0;
    lattice.density = density;
    lattice.flat_density = flat_density / density;
    lattice.laplacian = 6.0 / moment;
    lattice.flat_number = number / n0;
    lattice.flat_edge = lattice.laplacian * edge;
    lattice.normal = 0.5 * lattice.laplacian * normal;
    lattice.mirror = tangent / plane;
    lattice.corner_number = corner_number / number;
    return lattice;
}

/* ---- surface tension ------------------------------------------------------------------------ */

/* Potential between two particles over its coefficient C: -(1/3) (r - 3/2 d + re/2) (r - re)^2,
   lowest at r = d. Eq 13 of Mukai et al. 2018 has the opposite sign, with which particles nearer
   than re repel each other. */
OOZE_FORMULA OOZE_REAL ooze_mps_potential(OOZE_REAL r, OOZE_REAL d, OOZE_REAL re)
{
    OOZE_REAL t = re - r;
    return r < re ? -(r - (OOZE_REAL)1.5 * d + (OOZE_REAL)0.5 * re) * t * t / 3 : 0;
}

/* Its slope: the force that pulls the two particles together, -(r - d) (r - re). */
OOZE_FORMULA OOZE_REAL ooze_mps_cohesion(OOZE_REAL r, OOZE_REAL d, OOZE_REAL re)
{
    return r < re ? (r - d) * (re - r) : 0;
}

/* The same of a sample of a wall, for the half space behind it: its potential is
   integral_r^re P(s) s ds / (r d), whose integral over a plane at the distance z is that of P over
   the half space beyond z. */
OOZE_FORMULA OOZE_REAL ooze_mps_wall_cohesion(OOZE_REAL r, OOZE_REAL d, OOZE_REAL re)
{
    OOZE_REAL nearest = (OOZE_REAL)0.1 * d;
    r = r > nearest ? r : nearest;
    OOZE_REAL t = re - r, b = (OOZE_REAL)1.5 * (re - d);
    if (!(r < re)) {
        return 0;
    }
    OOZE_REAL q = -t * t * t * (b * re / 3 - (b + re) * t / 4 + t * t / 5) / 3;
    return -(ooze_mps_potential(r, d, re) + q / (r * r)) / d;
}

/* Work that separates a lattice along a plane, per area d^2 and over C: twice the surface tension
   times d^2 (Kondo et al. 2007). */
OOZE_FORMULA double ooze_mps_cohesion_work(double d, double re)
{
    const int reach = (int)(re / d) + 1;
    double work = 0.0;
    for (int k = 1; k <= reach; k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                double r = d * sqrt((double)(i * i + j * j + k * k));
                double t = re - r;
                work += r < re ? k * (r - 1.5 * d + 0.5 * re) * t * t / 3.0 : 0.0;
            }
        }
    }
    return work;
}

/* Sum of r times ooze_mps_cohesion over the rest lattice, over 6: the pressure that balances the
   cohesion inside the fluid is C / d^3 times this. */
OOZE_FORMULA double ooze_mps_cohesion_virial(double d, double re)
{
    const int reach = (int)(re / d) + 1;
    double sum = 0.0;
    for (int k = -reach; k <= reach; k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                double r = d * sqrt((double)(i * i + j * j + k * k));
                sum += r < re ? r * (r - d) * (re - r) : 0.0;
            }
        }
    }
    return sum / 6.0;
}

/* C of a surface tension sigma, N/m: the force between two particles is C times
   ooze_mps_cohesion. */
OOZE_FORMULA double ooze_mps_cohesion_scale(double sigma, double d, double re)
{
    return 2.0 * sigma * d * d / ooze_mps_cohesion_work(d, re);
}

/* Potential between fluid and wall over that between fluid and fluid: Young's equation with the
   work of adhesion sigma (1 + cos theta). */
OOZE_FORMULA double ooze_mps_adhesion(double cosine)
{
    return 0.5 * (1.0 + cosine);
}

#endif
