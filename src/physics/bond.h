/* A soft body of particles bonded by central springs whose stiffness gives the body a shear modulus
   G. Valid C17 and CUDA.

   Springs with energy a/2 (stretch)^2 between the particles of a lattice of spacing d have the
   elasticity C_abcd = 1/(2 d^3) sum a n_a n_b n_c n_d over the bonds of a particle. With a = K
   share,

     share = min(1, 9/16 (4 - (r/d)^2))

   that is, 1 for the nearest and the next neighbours, 9/16 for the diagonals of a cube, the cubic
   lattice is isotropic, and K = 4/3 G d^3. Central forces make the two Lame constants equal
   (Cauchy): Poisson's ratio 1/4, Young's modulus 5/2 G. */
#ifndef OOZE_PHYSICS_BOND_H
#define OOZE_PHYSICS_BOND_H

#include "physics/formula.h"

/* Bonds reach this far, in spacings. */
#define OOZE_BOND_REACH 2.0

/* Young's modulus over the shear modulus. */
#define OOZE_BOND_YOUNG 2.5

/* sum share n n^T over the bonds of a particle of the lattice is this times I. */
#define OOZE_BOND_MOMENT 7.5f

/* r is in spacings. */
OOZE_FORMULA OOZE_REAL ooze_bond_share(OOZE_REAL r)
{
    OOZE_REAL share = (OOZE_REAL)(9.0 / 16.0) * (4 - r * r);
    return share > 1 ? 1 : share > 0 ? share : 0;
}

/* Stiffness factor that replaces the bonds missing at an end of the bond: `along` is
   n sum(share n n^T) n of that end. Without it a face of the lattice would be 14% too soft along
   itself; with it the errors of the face and of the layer behind cancel to a per cent. */
OOZE_FORMULA OOZE_REAL ooze_bond_surface(OOZE_REAL along)
{
    return OOZE_SQRT((OOZE_REAL)OOZE_BOND_MOMENT / along);
}

/* Force over stretch and over a particle's mass at the reference density, 1/s2. `modulus` is G over
   that density (m2/s2), `length` the rest length of the bond (m). */
OOZE_FORMULA OOZE_REAL ooze_bond_stiffness(OOZE_REAL modulus, OOZE_REAL share, OOZE_REAL length)
{
    return (OOZE_REAL)(4.0 / 3.0) * modulus * share / (length * length);
}

/* Force at the end of a step in which the ends separate with `speed`, from the stretch before
   it. */
OOZE_FORMULA OOZE_REAL ooze_bond_pull(OOZE_REAL stiffness, OOZE_REAL dt, OOZE_REAL speed,
                                      OOZE_REAL stretch)
{
    return stiffness * (dt * speed + stretch);
}

#endif
