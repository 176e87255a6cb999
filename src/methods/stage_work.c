#include "methods/stage_work.h"

/* ---- counts ------------------------------------------------------------------------------- */

/* Candidates stand in 27 cells of edge h, neighbours in the ball of radius h: 27 * 3/(4 pi) candidates for each,
   half of which are dropped for all points of a cell at once. The others take 3 differences, 3 squares, 2 sums
   and a comparison. Bytes: an index per neighbour; per particle positions three times (16), key and order (4 + 4),
   begin and count of two lists (12), and the store reordered: 42 of every method and 72 of conformation, read
   and written. */
static OozeWork neighbours(double fluid, double walls)
{
    double tests = 0.5 * 27.0 * 3.0 / (4.0 * 3.14159265358979) * (fluid + walls);
    OozeWork work = {.flops = 9.0 * tests,
                     .bytes = 4.0 * (fluid + walls) + 3 * 16 + 8 + 2 * 12 + 2 * (42 + 72)};
    return work;
}

/* Both gathers take a difference, its product with the weight and three fused products of four lanes an edge. Per
   particle its own edge and sums (24 + 12), between the gathers three products of matrices (45 each), the rest
   of the stress (27), flux and base (48), afterwards sums and update (46). Bytes: weight and index (4 each) in
   both gathers; in the first begins of lists (8), position, input and sum of edges (16 each), correction and
   stiffness (24 each), three floats, flux (48) and output written; in the second begins, position, flux, output
   read and written, input, material (2), hold (4). Search directions see walls at rest, which is not at all. */
static OozeWork velocity(double fluid)
{
    OozeWork work = {.flops = 2 * 32.0 * fluid + (36 + 135 + 27 + 48 + 46),
                     .bytes = 2 * 8.0 * fluid + (8 + 48 + 48 + 12 + 48 + 16) +
                              (8 + 16 + 48 + 32 + 16 + 2 + 4)};
    return work;
}

/* Multipliers, of four edges at once: differences 16, squared length 28, root 4, kernel and slope 60, direction 8,
   squares 8, gradient 32, along the line 12; corrections: differences 16, weights 8, sum 32. A sample of a wall
   takes about 40 and 8. What solids ask is not counted: it depends on their shapes. Bytes: index, line and push
   written, then index and push; of a sample its index and push (16), twice. Per particle in the multipliers
   position, multiplier with its record (16), begins (8 + 12), ease, limit, history (8 read, 8 written); in the
   corrections record, position and shift (16 read and 16 written each), mobility, turned, begins; in contact
   position and mobility. */
static OozeWork density(double fluid, double walls)
{
    OozeWork work = {.flops = (168 + 56) / 4.0 * fluid + 48.0 * walls + 40,
                     .bytes = (12 + 8) * fluid + 40.0 * walls + (32 + 20 + 8 + 16) +
                              (16 + 32 + 32 + 4 + 1 + 20) + 20};
    return work;
}

/* The corotated sweep: two gathers as of the velocities; per particle a polar decomposition of three iterations
   (about 430), two rotations of a tensor, flux and damping. Bytes: as of the velocities, with diagonal, multipliers
   (24 read, 24 written) and conformation in place of the stiffness, and the base of the second gather on its own;
   and shifts carried to the order of the edges and back (216). */
static OozeWork conformation_sweep(double fluid)
{
    OozeWork work = {.flops = 2 * 32.0 * fluid + 890,
                     .bytes = 2 * 8.0 * fluid + (8 + 48 + 24 + 24 + 48 + 24 + 10 + 48 + 16) +
                              (8 + 16 + 48 + 16 + 4 + 32) + 216};
    return work;
}

OozeWork ooze_work(OozeWorkKind kind, double fluid, double walls)
{
    OozeWork none = {0, 0}, sweep = conformation_sweep(fluid), both = density(fluid, walls);
    both.flops += sweep.flops;
    both.bytes += sweep.bytes;
    switch (kind) {
    case OOZE_WORK_NEIGHBOURS:
        return neighbours(fluid, walls);
    case OOZE_WORK_VELOCITY:
        return velocity(fluid);
    case OOZE_WORK_DENSITY:
        return density(fluid, walls);
    case OOZE_WORK_POSITION:
        return both;
    case OOZE_WORK_KIND_COUNT:
        break;
    }
    return none;
}

/* ---- which parts -------------------------------------------------------------------------- */

#define BIT(part) (1u << (part))

typedef struct Row {
    const char *name;
    unsigned parts, counted; /* bits */
} Row;

static const Row rows[OOZE_WORK_KIND_COUNT] = {
    [OOZE_WORK_NEIGHBOURS] = {"neighbours",
                              BIT(OOZE_PART_SORT) | BIT(OOZE_PART_WALLS) | BIT(OOZE_PART_REORDER) |
                                  BIT(OOZE_PART_LISTS) | BIT(OOZE_PART_WALL_LISTS),
                              BIT(OOZE_PART_LISTS)},
    [OOZE_WORK_VELOCITY] = {"velocity",
                            BIT(OOZE_PART_VELOCITY_OPERATOR) | BIT(OOZE_PART_VELOCITY_ITERATION),
                            BIT(OOZE_PART_VELOCITY_OPERATOR) | BIT(OOZE_PART_VELOCITY_ITERATION)},
    [OOZE_WORK_DENSITY] = {"density",
                           BIT(OOZE_PART_DENSITY_MULTIPLIERS) | BIT(OOZE_PART_DENSITY_CORRECTIONS) |
                               BIT(OOZE_PART_PUSH_OUT),
                           BIT(OOZE_PART_DENSITY_MULTIPLIERS)},
    [OOZE_WORK_POSITION] = {"position",
                            BIT(OOZE_PART_DENSITY_MULTIPLIERS) |
                                BIT(OOZE_PART_DENSITY_CORRECTIONS) | BIT(OOZE_PART_PUSH_OUT) |
                                BIT(OOZE_PART_CONFORMATION_SWEEP),
                            BIT(OOZE_PART_CONFORMATION_SWEEP)},
};

_Static_assert(OOZE_PART_COUNT <= 32, "a bit for every part");

const char *ooze_work_name(OozeWorkKind kind)
{
    return rows[kind].name;
}

bool ooze_work_has(OozeWorkKind kind, OozeStagePart part)
{
    return rows[kind].parts >> part & 1;
}

bool ooze_work_counts(OozeWorkKind kind, OozeStagePart part)
{
    return rows[kind].counted >> part & 1;
}
