/* Dimensionless numbers of a flow, and the speeds, lengths and times in them. In double: they are
   evaluated once per scene. Valid C17 and CUDA.

   Speeds m/s, lengths m, `nu` the kinematic viscosity m2/s, `wave` the speed of shear waves m/s. */
#ifndef OOZE_PHYSICS_FLOW_NUMBERS_H
#define OOZE_PHYSICS_FLOW_NUMBERS_H

#include "physics/formula.h"

/* ---- ratios ---------------------------------------------------------------------------------- */

/* Inertia over viscosity. */
OOZE_FORMULA double ooze_reynolds(double speed, double length, double nu)
{
    return speed * length / nu;
}

/* Relaxation time times the shear rate: the elastic strain in steady flow. */
OOZE_FORMULA double ooze_weissenberg(double relaxation, double speed, double length)
{
    return relaxation * speed / length;
}

/* Relaxation time over the time of observation (Reiner 1964): solid above 1, liquid below. */
OOZE_FORMULA double ooze_deborah(double relaxation, double duration)
{
    return relaxation / duration;
}

/* Weight over surface tension. */
OOZE_FORMULA double ooze_bond_number(double density, double gravity, double length, double tension)
{
    return density * gravity * length * length / tension;
}

/* Viscosity over surface tension. */
OOZE_FORMULA double ooze_capillary_number(double density, double nu, double speed, double tension)
{
    return density * nu * speed / tension;
}

/* Viscosity over inertia and surface tension: a jet above 1 does not break into drops on its own.
   */
OOZE_FORMULA double ooze_ohnesorge(double density, double nu, double length, double tension)
{
    return nu * sqrt(density / (tension * length));
}

/* ---- speeds ---------------------------------------------------------------------------------- */

OOZE_FORMULA double ooze_wave_speed(double kinematic_modulus)
{
    return sqrt(kinematic_modulus);
}

/* Speed after a free fall from `height` with the initial speed `speed`. */
OOZE_FORMULA double ooze_fall_speed(double gravity, double height, double speed)
{
    return sqrt(speed * speed + 2.0 * gravity * height);
}

/* Speed of a jet after the fall height `fall`: free fall, or less where viscosity resists. A
   hanging thread is stretched at the rate g z/(3 nu), z from its end (Trouton); twice the integral
   over it. */
OOZE_FORMULA double ooze_jet_speed(double gravity, double fall, double speed, double nu)
{
    double free_fall = ooze_fall_speed(gravity, fall, speed);
    double drawn = nu > 0.0 ? speed + gravity * fall * fall / (3.0 * nu) : free_fall;
    return drawn < free_fall ? drawn : free_fall;
}

/* Speed at which a heap of that height collapses: the least of free fall, viscous creep and the
   first elastic swing under its weight. */
OOZE_FORMULA double ooze_slump_speed(double gravity, double height, double nu, double wave)
{
    double speed = ooze_fall_speed(gravity, height, 0.0);
    double creeping = nu > 0.0 ? gravity * height * height / nu : speed;
    double swinging = wave > 0.0 ? gravity * height / wave : speed;
    speed = creeping < speed ? creeping : speed;
    return swinging < speed ? swinging : speed;
}

/* ---- elastic bodies -------------------------------------------------------------------------- */

/* Angular frequency of the vertical oscillation of a block on a floor: a quarter of a wavelength,
   with Young's modulus 3 G. */
OOZE_FORMULA double ooze_bounce_frequency(double wave, double height)
{
    return 0.5 * OOZE_PI * sqrt(3.0) * wave / height;
}

/* Relative compression of a block at rest under its own weight: rho g H/(2 * 3 G). */
OOZE_FORMULA double ooze_sag_strain(double gravity, double height, double wave)
{
    return gravity * height / (6.0 * wave * wave);
}

/* Height of a column at the limit of its kinematic yield stress tau in shear: g H = sqrt(3) tau. */
OOZE_FORMULA double ooze_yield_height(double kinematic_yield, double gravity)
{
    return sqrt(3.0) * kinematic_yield / gravity;
}

/* ---- one step -------------------------------------------------------------------------------- */

/* Fourier number of momentum. */

OOZE_FORMULA double ooze_diffusion(double nu, double dt, double spacing)
{
    return nu * dt / (spacing * spacing);
}

/* Length over which a step spreads momentum, by diffusion and by shear waves: `resists` is the sum
   of the kinematic viscosity and of the resistance of each mode (ooze_mode_resistance), m2/s. */
OOZE_FORMULA double ooze_momentum_diffusion_length(double resists, double dt)
{
    return sqrt(resists * dt);
}

#endif
