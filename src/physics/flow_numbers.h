/* What decides how a fluid flows: ratios of its forces and times, and the speeds, lengths and times that
   they are made of. Doubles: a scene asks once, before it runs. Valid C17 and CUDA.

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

/* Relaxation time times the rate of shear: how far polymers are stretched while it flows. */
OOZE_FORMULA double ooze_weissenberg(double relaxation, double speed, double length)
{
    return relaxation * speed / length;
}

/* Relaxation time over the time one looks on (Reiner 1964): solid above 1, liquid below. */
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

/* Viscosity over inertia and surface tension: a jet above 1 does not break into drops by itself. */
OOZE_FORMULA double ooze_ohnesorge(double density, double nu, double length, double tension)
{
    return nu * sqrt(density / (tension * length));
}

/* ---- speeds ---------------------------------------------------------------------------------- */

OOZE_FORMULA double ooze_wave_speed(double kinematic_modulus)
{
    return sqrt(kinematic_modulus);
}

/* After falling from a height, with the speed at its beginning. */
OOZE_FORMULA double ooze_fall_speed(double gravity, double height, double speed)
{
    return sqrt(speed * speed + 2.0 * gravity * height);
}

/* Of a jet that has fallen so far: free fall, unless its viscosity holds the thread back. A thread of length L
   that hangs is drawn out at g z/(3 nu), z from its end (Trouton): twice the sum over its length. */
OOZE_FORMULA double ooze_jet_speed(double gravity, double fall, double speed, double nu)
{
    double free_fall = ooze_fall_speed(gravity, fall, speed);
    double drawn = nu > 0.0 ? speed + gravity * fall * fall / (3.0 * nu) : free_fall;
    return drawn < free_fall ? drawn : free_fall;
}

/* At which a heap of that height comes down: that of free fall, or where that is less, what its weight
   makes of viscosity, or of stiffness in the first swing. */
OOZE_FORMULA double ooze_slump_speed(double gravity, double height, double nu, double wave)
{
    double speed = ooze_fall_speed(gravity, height, 0.0);
    double creeping = nu > 0.0 ? gravity * height * height / nu : speed;
    double swinging = wave > 0.0 ? gravity * height / wave : speed;
    speed = creeping < speed ? creeping : speed;
    return swinging < speed ? swinging : speed;
}

/* ---- elastic bodies -------------------------------------------------------------------------- */

/* Circular frequency at which a block that stands on a floor goes up and down: a quarter of a wave, with
   Young's modulus 3 G. */
OOZE_FORMULA double ooze_bounce_frequency(double wave, double height)
{
    return 0.5 * OOZE_PI * sqrt(3.0) * wave / height;
}

/* Share of its height that a block gives way under its own weight, at rest: rho g H/(2 * 3 G). */
OOZE_FORMULA double ooze_sag(double gravity, double height, double wave)
{
    return gravity * height / (6.0 * wave * wave);
}

/* Height of a column that its yield stress (kinematic, of shear) just bears: rho g H = sqrt(3) of it. */
OOZE_FORMULA double ooze_yield_height(double kinematic_yield, double gravity)
{
    return sqrt(3.0) * kinematic_yield / gravity;
}

/* ---- what a step does ------------------------------------------------------------------------ */

OOZE_FORMULA double ooze_diffusion(double nu, double dt, double spacing)
{
    return nu * dt / (spacing * spacing);
}

/* The way over which a step spreads momentum, by diffusion and by shear waves while they last: `resists` is
   the viscosity and each modulus times the part of the step that it lasts, m2/s. */
OOZE_FORMULA double ooze_momentum_way(double resists, double dt)
{
    return sqrt(resists * dt);
}

/* Kinematic viscosity that comes of particles moving past each other at a speed: measured on the decay of
   Taylor-Green vortices of a fluid without any. */
#define OOZE_NUMERICAL_VISCOSITY 0.76

OOZE_FORMULA double ooze_numerical_viscosity(double speed, double spacing)
{
    return OOZE_NUMERICAL_VISCOSITY * speed * spacing;
}

#endif
