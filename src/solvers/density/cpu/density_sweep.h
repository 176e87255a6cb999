/* What loops of the density stage on the processor share. One sweep finds the multipliers, the next
   the corrections. Lists are padded to multiples of four with particle n, whose distance along the
   fourth axis makes its weight 0. */
#ifndef OOZE_SOLVERS_DENSITY_CPU_DENSITY_SWEEP_H
#define OOZE_SOLVERS_DENSITY_CPU_DENSITY_SWEEP_H

#include "base/isa.h"
#include "solvers/density/density.h"
#include "solvers/density/stages.h"
#include "solvers/vectors/cubic_f32x4.h"

/* Particles of a chunk of parallel work. */
enum { OOZE_DENSITY_GRAIN = 256 };

/* Contacts of rigid particle bodies with solids are solved elsewhere. */
static inline bool ooze_density_is_rigid(const OozeDensitySweep *s, uint64_t i)
{
    return s->rigid && s->rigid[i];
}

/* Bodies of parallel loops over an OozeDensitySweep, in chunks of OOZE_DENSITY_GRAIN. */
typedef struct OozeDensityLoops {
    /* Measures the lines between the particles at the start of the step, once for all
       iterations. */
    OozeRangeBody lines;
    /* Into the last lane of x0_lambda. */
    OozeRangeBody multipliers;
    OozeRangeBody corrections;
} OozeDensityLoops;
OOZE_LOOPS_DECLARE(OozeDensityLoops, ooze_density_loops);

/* ---- stages in files of their own: cpu/load.c ---- */

OozeStatus ooze_density_enter(OozeDensitySweep *sweep, OozeError *error);
OozeStatus ooze_density_sort(OozeDensitySweep *sweep, OozeError *error);
OozeStatus ooze_density_find_pairs(OozeDensitySweep *sweep, OozeError *error);
OozeStatus ooze_density_load(OozeDensitySweep *sweep, OozeError *error);

/* ---- particles that several processes divide for the time of the stage: cpu/ranks.c ---- */

enum { OOZE_DENSITY_COLUMNS_MAX = 13 };

/* The job of the divided particles, and what returns its results. */
typedef struct OozeDensityRanks {
    const OozeDensityJob *caller; /* the job of the caller */
    OozeDensityJob job;
    OozeStepContext context;
    OozeF32x4 *x, *shift; /* of the divided particles */
    OozeF32x4 *caller_shift;
    OozeColumn columns[OOZE_DENSITY_COLUMNS_MAX];
    int count;
    OozeStatus between; /* of the calls between sweeps */
    OozeError *error;
} OozeDensityRanks;

OozeStatus ooze_density_divide(OozeDensitySweep *sweep, OozeError *error);
/* Results return to the processes of the caller. */
OozeStatus ooze_density_return(OozeDensitySweep *sweep, OozeError *error);

/* Position of the padding of lists along the fourth axis: larger than any distance, and its square
   is finite. */
#define OOZE_DENSITY_FAR 1e18f

#endif
