/* Numbers of particles that a world does not keep: stress and density of the last step. */
#ifndef OOZE_VIEW_DERIVED_H
#define OOZE_VIEW_DERIVED_H

#include "world/world.h"

/* Memory that is used again; starts as zero. */
typedef struct OozeDerived {
    float *values;
    uint64_t capacity;
} OozeDerived;

/* "stress": the von Mises stress, Pa; "density": over the rest density. One number for each
   particle of the world, NAN where there is none; NULL: another name, or no step has been taken
   since the world was built. */
const float *ooze_derived_values(OozeDerived *derived, OozeWorld *world, const char *name);
void ooze_derived_free(OozeDerived *derived);

#endif
