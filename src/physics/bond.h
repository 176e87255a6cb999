/* A soft body as particles bonded by springs along their lines, stiff so that the whole has a given
   shear modulus G. Valid C17 and CUDA.

   Of springs with energy a/2 (stretch)^2 between the particles of a lattice, one in each volume d^3,
   C_abcd = 1/(2 d^3) sum a n_a n_b n_c n_d over the bonds of a particle. With a = K share,

     share = min(1, 9/16 (4 - (r/d)^2))

   that is, 1 for the nearest and the next, 9/16 for the diagonals of a cube, the cubic lattice is
   isotropic, and K = 4/3 G d^3. Central forces make the two Lame numbers equal (Cauchy): Poisson's
   ratio 1/4, Young's modulus 5/2 G. */
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

/* How much stiffer the bond must be for those that its end lacks: `along` is n sum(share n n^T) n of that
   end. A face of the lattice alone would be 14% too soft along itself; with this, to the power -1/2, the
   face and the layer behind it make up for each other to a per cent. */
OOZE_FORMULA OOZE_REAL ooze_bond_surface(OOZE_REAL along)
{
    return OOZE_SQRT((OOZE_REAL)OOZE_BOND_MOMENT / along);
}

/* Force per stretch in metres, over a particle's mass at the reference density: 1/s2. `modulus` is G over
   that density (m2/s2), `length` the bond's at rest (m). */
OOZE_FORMULA OOZE_REAL ooze_bond_stiffness(OOZE_REAL modulus, OOZE_REAL share, OOZE_REAL length)
{
    return (OOZE_REAL)(4.0 / 3.0) * modulus * share / (length * length);
}

#endif
