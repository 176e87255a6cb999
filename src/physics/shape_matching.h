/* Shape matching: the rigid motion that best maps a region of the reference shape onto its present
   positions, and the pull of particles towards it. Mueller, Heidelberger, Teschner and Gross 2005;
   Rivers and James 2007 for regions that overlap. In double; valid C17 and CUDA.

   With weights w_i = k_i / B_i of the particles in every region, k_i the stiffness of the pull on
   particle i and B_i the sum of its memberships, the pulls of a region add up to zero, and so do
   their moments, because the rotation makes a r^T symmetric. Takamatsu and Kanai 2011, eq 7, print
   the reference position of the region's particle where its centre belongs. */
#ifndef OOZE_PHYSICS_SHAPE_MATCHING_H
#define OOZE_PHYSICS_SHAPE_MATCHING_H

#include <stdbool.h>

#include "physics/rigid_fit.h"

/* Sums over particles, relative to a base position x0 and a base reference position q0, so that
   they do not lose digits far from the origin: w, w dx (3), w dq (3), w dx dq^T (9, row by row). */
enum { OOZE_MATCH_SUMS = 16 };

OOZE_FORMULA void ooze_match_terms(double w, const double dx[3], const double dq[3],
                                   double terms[OOZE_MATCH_SUMS])
{
    terms[0] = w;
    for (int a = 0; a < 3; a++) {
        double wx = w * dx[a];
        terms[1 + a] = wx;
        terms[4 + a] = w * dq[a];
        for (int b = 0; b < 3; b++) {
            terms[7 + 3 * a + b] = wx * dq[b];
        }
    }
}

/* A region: weight, centres in both shapes, and the sum of (x - x_mean)(q - q_mean)^T. */
typedef struct OozeMatchRegion {
    double weight, x[3], q[3], a[9];
} OozeMatchRegion;

OOZE_FORMULA OozeMatchRegion ooze_match_centre(const double sums[OOZE_MATCH_SUMS],
                                               const double x0[3], const double q0[3])
{
    OozeMatchRegion r;
    double inverse = sums[0] > 0.0 ? 1.0 / sums[0] : 0.0;
    r.weight = sums[0];
    for (int k = 0; k < 3; k++) {
        double mean = inverse * sums[1 + k];
        r.x[k] = x0[k] + mean;
        r.q[k] = q0[k] + inverse * sums[4 + k];
        for (int b = 0; b < 3; b++) {
            r.a[3 * k + b] = sums[7 + 3 * k + b] - mean * sums[4 + b];
        }
    }
    return r;
}

/* Adds the sums of other particles, about another base, to sums about x0 and q0. */
OOZE_FORMULA void ooze_match_add(double sums[OOZE_MATCH_SUMS], const double x0[3],
                                 const double q0[3], const double other[OOZE_MATCH_SUMS],
                                 const double other_x0[3], const double other_q0[3])
{
    double dx[3], dq[3];
    for (int k = 0; k < 3; k++) {
        dx[k] = other_x0[k] - x0[k];
        dq[k] = other_q0[k] - q0[k];
    }
    sums[0] += other[0];
    for (int a = 0; a < 3; a++) {
        double shifted = other[1 + a] + other[0] * dx[a];
        sums[1 + a] += shifted;
        sums[4 + a] += other[4 + a] + other[0] * dq[a];
        for (int b = 0; b < 3; b++) {
            sums[7 + 3 * a + b] += other[7 + 3 * a + b] + dx[a] * other[4 + b] + shifted * dq[b];
        }
    }
}

/* ---- rotations ------------------------------------------------------------------------------ */

OOZE_FORMULA void ooze_quaternion_matrix(const double q[4], double r[9])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    r[0] = 1.0 - 2.0 * (y * y + z * z);
    r[4] = 1.0 - 2.0 * (x * x + z * z);
    r[8] = 1.0 - 2.0 * (x * x + y * y);
    r[1] = 2.0 * (x * y - w * z);
    r[3] = 2.0 * (x * y + w * z);
    r[2] = 2.0 * (x * z + w * y);
    r[6] = 2.0 * (x * z - w * y);
    r[5] = 2.0 * (y * z - w * x);
    r[7] = 2.0 * (y * z + w * x);
}

/* Solves h x = b for a symmetric h (xx, yy, zz, xy, xz, yz) by Cholesky's method; false where a
   pivot is not above `least`. */
OOZE_FORMULA bool ooze_solve_spd3(const double h[6], double least, const double b[3], double x[3])
{
    double d0 = h[0];
    if (!(d0 > least)) {
        return false;
    }
    double l1 = h[3] / d0, l2 = h[4] / d0;
    double d1 = h[1] - l1 * h[3];
    if (!(d1 > least)) {
        return false;
    }
    double m = (h[5] - l2 * h[3]) / d1;
    double d2 = h[2] - l2 * h[4] - m * m * d1;
    if (!(d2 > least)) {
        return false;
    }
    double y1 = b[1] - l1 * b[0], y2 = b[2] - l2 * b[0] - m * y1;
    x[2] = y2 / d2;
    x[1] = y1 / d1 - m * x[2];
    x[0] = b[0] / d0 - l1 * x[1] - l2 * x[2];
    return true;
}

/* Longest turn of one iteration, rad, and the turn after which Newton's quadratic convergence
   leaves nothing above rounding. */
#define OOZE_MATCH_TURN_MAX 1.0
#define OOZE_MATCH_TURN_END 1e-8

/* One iteration of ooze_match_rotation, from r = matrix of q; returns the square of its turn, or a
   negative number at a saddle. */
OOZE_FORMULA double ooze_match_turn(const double a[9], double size, double q[4])
{
    double r[9], b[9], turn[3];
    ooze_quaternion_matrix(q, r);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            b[3 * i + j] = r[i] * a[j] + r[3 + i] * a[3 + j] + r[6 + i] * a[6 + j];
        }
    }
    const double gradient[3] = {b[7] - b[5], b[2] - b[6], b[3] - b[1]};
    double slope2 =
        gradient[0] * gradient[0] + gradient[1] * gradient[1] + gradient[2] * gradient[2];
    double shift = 1e-9 * size;
    const double h[6] = {b[4] + b[8] + shift,  b[0] + b[8] + shift,  b[0] + b[4] + shift,
                         -0.5 * (b[1] + b[3]), -0.5 * (b[2] + b[6]), -0.5 * (b[5] + b[7])};
    if (!ooze_solve_spd3(h, 0.5 * shift, gradient, turn)) {
        if (slope2 < 1e-20 * size * size) {
            return -1.0;
        }
        double trace = b[0] + b[4] + b[8];
        double scale = 1.0 / ((trace < 0.0 ? -trace : trace) + 0.1 * size);
        for (int k = 0; k < 3; k++) {
            turn[k] = scale * gradient[k];
        }
    }
    double length2 = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2];
    double half = 0.5;
    if (length2 > OOZE_MATCH_TURN_MAX * OOZE_MATCH_TURN_MAX) {
        half *= OOZE_MATCH_TURN_MAX / sqrt(length2);
    }
    double x = half * turn[0], y = half * turn[1], z = half * turn[2];
    const double p[4] = {
        q[0] - q[1] * x - q[2] * y - q[3] * z, q[1] + q[0] * x + q[2] * z - q[3] * y,
        q[2] + q[0] * y + q[3] * x - q[1] * z, q[3] + q[0] * z + q[1] * y - q[2] * x};
    double norm = 1.0 / sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int k = 0; k < 4; k++) {
        q[k] = norm * p[k];
    }
    return length2;
}

/* Follows the rotation r (quaternion w, x, y, z) that maximises tr(r^T a), from that of the step
   before, by Newton's method on the rotation group; where the maximum is not near, by turns along
   the gradient. A region that is turned inside out keeps its local maximum and does not flip;
   directions that a does not determine keep their rotation. */
OOZE_FORMULA_CALL void ooze_match_rotation(const double a[9], double q[4])
{
    enum { TURNS_MAX = 40 };
    double size2 = 0.0;
    for (int k = 0; k < 9; k++) {
        size2 += a[k] * a[k];
    }
    double size = sqrt(size2);
    if (!(size > 1e-150) || !(size < 1e150)) {
        return;
    }
    for (int k = 0; k < TURNS_MAX; k++) {
        double turn2 = ooze_match_turn(a, size, q);
        if (turn2 < 0.0) { /* at a saddle: the global maximum */
            const double m[9] = {a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]};
            ooze_rigid_fit_quaternion(m, q);
            return;
        }
        if (turn2 < OOZE_MATCH_TURN_END * OOZE_MATCH_TURN_END) {
            return;
        }
    }
}

/* ---- rigid velocities, for damping ---------------------------------------------------------- */

/* Sums about x0: w, w dx (3), w v (3), w dx dx^T (xx, yy, zz, xy, xz, yz), w dx cross v (3). */
OOZE_FORMULA void ooze_match_velocity_terms(double w, const double dx[3], const double v[3],
                                            double terms[OOZE_MATCH_SUMS])
{
    terms[0] = w;
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        terms[1 + a] = w * dx[a];
        terms[4 + a] = w * v[a];
        terms[7 + a] = w * dx[a] * dx[a];
        terms[13 + a] = w * (dx[b] * v[c] - dx[c] * v[b]);
    }
    terms[10] = w * dx[0] * dx[1];
    terms[11] = w * dx[0] * dx[2];
    terms[12] = w * dx[1] * dx[2];
}

/* Adds sums about another base. */
OOZE_FORMULA void ooze_match_velocity_add(double sums[OOZE_MATCH_SUMS], const double x0[3],
                                          const double other[OOZE_MATCH_SUMS],
                                          const double other_x0[3])
{
    double d[3];
    for (int k = 0; k < 3; k++) {
        d[k] = other_x0[k] - x0[k];
    }
    sums[0] += other[0];
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        sums[1 + a] += other[1 + a] + other[0] * d[a];
        sums[4 + a] += other[4 + a];
        sums[7 + a] += other[7 + a] + d[a] * (2.0 * other[1 + a] + other[0] * d[a]);
        sums[13 + a] += other[13 + a] + d[b] * other[4 + c] - d[c] * other[4 + b];
    }
    sums[10] += other[10] + d[0] * other[2] + other[1] * d[1] + other[0] * d[0] * d[1];
    sums[11] += other[11] + d[0] * other[3] + other[1] * d[2] + other[0] * d[0] * d[2];
    sums[12] += other[12] + d[1] * other[3] + other[2] * d[2] + other[0] * d[1] * d[2];
}

/* The rigid velocity of a region: that of the centre `x`, and the spin. */
typedef struct OozeMatchVelocity {
    double x[3], v[3], spin[3];
} OozeMatchVelocity;

OOZE_FORMULA OozeMatchVelocity ooze_match_velocity(const double sums[OOZE_MATCH_SUMS],
                                                   const double x0[3])
{
    OozeMatchVelocity m;
    double inverse = sums[0] > 0.0 ? 1.0 / sums[0] : 0.0, mean[3], moment[3];
    for (int k = 0; k < 3; k++) {
        mean[k] = inverse * sums[1 + k];
        m.x[k] = x0[k] + mean[k];
        m.v[k] = inverse * sums[4 + k];
        m.spin[k] = 0.0;
    }
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        moment[a] = sums[13 + a] - (mean[b] * sums[4 + c] - mean[c] * sums[4 + b]);
    }
    double xx = sums[7] - mean[0] * sums[1], yy = sums[8] - mean[1] * sums[2],
           zz = sums[9] - mean[2] * sums[3];
    double shift = 1e-9 * (xx + yy + zz);
    const double inertia[6] = {yy + zz + shift,
                               xx + zz + shift,
                               xx + yy + shift,
                               -(sums[10] - mean[0] * sums[2]),
                               -(sums[11] - mean[0] * sums[3]),
                               -(sums[12] - mean[1] * sums[3])};
    (void)ooze_solve_spd3(inertia, 0.5 * shift, moment, m.spin);
    return m;
}

/* ---- quadratic B-splines -------------------------------------------------------------------- */

/* Weight of the cell below (k = 0), at (1) or above (2) that of a point, which is f cell edges
   (-1/2 to 1/2) from the middle of its cell. Their second moment is a quarter of the edge squared
   everywhere. */
OOZE_FORMULA double ooze_match_spline_weight(double f, int k)
{
    double side = k == 0 ? 0.5 - f : 0.5 + f;
    return k == 1 ? 0.75 - f * f : 0.5 * side * side;
}

/* All three. */
OOZE_FORMULA void ooze_match_spline(double f, double w[3])
{
    for (int k = 0; k < 3; k++) {
        w[k] = ooze_match_spline_weight(f, k);
    }
}

/* Edge of the cells whose splines have, along each axis, the second moment of a ball of radius
   sigma: sigma^2 / 5. */
OOZE_FORMULA double ooze_match_cell_edge(double sigma)
{
    return sigma * sqrt(4.0 / 5.0);
}

/* ---- material numbers ----------------------------------------------------------------------- */

/* Shear modulus, Pa, of a body whose particles are pulled towards their goals with acceleration
   (g - x) / tau^2, from plane waves that are long against sigma: (S(k)^2 - 1) of a transverse wave,
   S(k) = 1 - k^2 sigma^2 / 10 the mean of cos kz over a ball, plus k^2 sigma^2 / 10 by the rotation
   of the regions. Longitudinal waves have no rotation: the other Lame constant is 0. The same holds
   for the viscosity of a pull of velocities with rate 1 / tau. */
OOZE_FORMULA double ooze_match_modulus(double density, double sigma, double tau)
{
    return density * sigma * sigma / (10.0 * tau * tau);
}

/* tau of that modulus, s. */
OOZE_FORMULA double ooze_match_response_time(double density, double sigma, double modulus)
{
    return sigma * sqrt(density / (10.0 * modulus));
}

/* Rate of the pull of velocities, 1/s, that acts as this viscosity, Pa s. */
OOZE_FORMULA double ooze_match_damping_rate(double density, double sigma, double viscosity)
{
    return 10.0 * viscosity / (density * sigma * sigma);
}

/* Pull per displacement and mass, 1/s2: stiffer pulls than 1 / dt^2 would overshoot the goal. */
OOZE_FORMULA double ooze_match_pull(double tau, double dt)
{
    double t = tau > dt ? tau : dt;
    return 1.0 / (t * t);
}

/* Rate of the pull of velocities in a step, 1/s: faster ones would overshoot rigid motion. */
OOZE_FORMULA double ooze_match_drag(double rate, double dt)
{
    double most = 1.0 / dt;
    return rate < most ? rate : most;
}

#endif
