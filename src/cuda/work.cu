/* What the loops of large scenes ask of the machine, counted from their source as methods/stage_work.c does for the
   processor's: bytes are an index per edge, and of a particle what it reads and writes of its own, each once a
   pass. Gathered neighbours count as cached, though loading them is what binds. */
#include "cuda/limits.cuh"

namespace ooze
{

static OozeWork work(double flops, double bytes)
{
    OozeWork w = {flops, bytes};
    return w;
}

static OozeWork plus(OozeWork a, OozeWork b)
{
    return work(a.flops + b.flops, a.bytes + b.bytes);
}

/* Candidates stand in three by three rows of the support's width, cut to it along x in quarters: 9 * 2.25 of its
   cube, neighbours in a ball of 4 pi / 3. A test takes 3 differences, 3 squares, 2 sums and a comparison. Bytes: places
   for the key and in the search, key and index written and sorted in three turns, the store reordered (as for the
   processor 42 and 72), lists and counts written. */
static OozeWork neighbours(double fluid, double walls)
{
    double tests = 9.0 * 2.25 * 3.0 / (4.0 * 3.14159265358979) * (fluid + walls);
    return work(9.0 * tests,
                4.0 * (fluid + walls) + 2 * 16 + 8 + 3 * 2 * 8 + 2 * (42 + 72) + 2 * 2);
}

/* packed_stress_loop: of an edge six numbers unpacked, 3 differences, a square of 6, weight 4, 3 products, twelve sums,
   nine of them of products; packed_product_loop: twelve unpacked, 3 differences, 6, 3, three sums of three products and
   two factors. Per particle as on the processor. Bytes of the first: direction, input and sums of edges (16 each),
   correction and stiffness (24 each), bulk and two hourglass numbers, lean flux and output (16 each) written; of
   the second: flux and place (16 + 8), input, residual, output read and written, material, hold. */
static OozeWork velocity(double fluid)
{
    return work((43 + 50) * fluid + 292, 2 * 4.0 * fluid + (3 * 16 + 2 * 24 + 3 * 4 + 2 * 16) +
                                             (24 + 2 * 16 + 2 * 16 + 2 + 4));
}

/* multipliers: of an edge 6 to unpack a difference, its square 6, the root 1, kernel and slope 11, sums 10; corrections:
   6, 6, root and slope 6, the line at the beginning 12, sums 15. A sample of a wall takes about 40. Bytes of the first:
   count, place (8), order, density, the multiplier's history (8 read, 8 written) and change, limit, flags; of the
   second: place, start (16), order, flags, mobility, shift read and written, first and next place (16 + 8), room.
   What solids ask is not counted: it depends on their shapes. */
static OozeWork density(double fluid, double walls)
{
    return work((34 + 45) * fluid + 40.0 * walls + 40, 2 * 4.0 * fluid + 4.0 * walls +
                                                           (2 + 8 + 4 + 4 + 16 + 4 + 4 + 1) +
                                                           (8 + 16 + 4 + 1 + 4 + 32 + 24 + 4));
}

/* corotated_sweep: gathers as of the velocities, per particle as on the processor. Bytes: shifts to directions (16 + 16
   + 16 + 4); direction, sums and what stays (16 + 16 + 48), correction, conformation, diagonal (24 each), multipliers
   read and written (48), two hourglass numbers, material, flux and base written (32 + 16); flux, base, mobility,
   shift read and written; and the shift made known to the density's own order (16 + 16 + 4 + 8). */
static OozeWork corotated(double fluid)
{
    return work((43 + 50) * fluid + 890,
                2 * 4.0 * fluid + 52 + (80 + 72 + 48 + 8 + 2 + 48) + (48 + 4 + 32) + 44);
}

OozeWork device_work(OozeWorkKind kind, double fluid, double walls)
{
    switch (kind) {
    case OOZE_WORK_NEIGHBOURS:
        return neighbours(fluid, walls);
    case OOZE_WORK_VELOCITY:
        return velocity(fluid);
    case OOZE_WORK_DENSITY:
        return density(fluid, walls);
    case OOZE_WORK_POSITION:
        return plus(density(fluid, walls), corotated(fluid));
    case OOZE_WORK_KIND_COUNT:
        break;
    }
    return work(0.0, 0.0);
}

} // namespace ooze
