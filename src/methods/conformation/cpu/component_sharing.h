/* Components of fluid that several processes have particles of. */
#ifndef OOZE_METHODS_CONFORMATION_CPU_COMPONENT_SHARING_H
#define OOZE_METHODS_CONFORMATION_CPU_COMPONENT_SHARING_H

#include "methods/conformation/cpu/lodge.h"
#include "methods/conformation/lodge_formula.h"

struct OozeComponent {
    OozeComponentGain gain;
    float accepted_fraction;
};

/* Gain of a chunk of particles that belong to one component. */
struct OozeComponentChunk {
    OozeComponentGain gain;
    bool mixed; /* they belong to several */
};

/* Adds the gain of particle i: warm_start.c. */
void ooze_warm_start_add_gain(const OozeLodge *solve, uint64_t i, OozeComponentGain *gain);

/* In the step arena, which is to be checked afterwards. */
struct OozeComponentSharing *ooze_component_sharing_allocate(const OozeConformationStep *step);
/* Sets of particles that belong together wherever they are: `first` of each, a particle of this
   process, or UINT64_MAX. */
typedef struct OozeComponentSets {
    int count;
    const uint64_t *first;
    double *lowest; /* result: lowest index of the component of each, INFINITY: it has none */
} OozeComponentSets;
/* Gives particles of one component the same root, also where other processes' particles connect
   them; `sets` NULL: there are none. Components of sets are shared. */
void ooze_component_sharing_find(OozeLodge *solve, const OozeComponentSets *sets);
/* Of the component of a root: its lowest index in the order of all particles, and whether other
   processes have particles of it. */
uint64_t ooze_component_lowest(const OozeLodge *solve, uint32_t root);
bool ooze_component_is_shared(const OozeLodge *solve, uint32_t root);
/* Gains of all components, in the order of all processes' particles, from those of chunks. */
OozeStatus ooze_component_sharing_sum(OozeLodge *solve, OozeError *error);
/* Which fraction of the guess they accept; true: some do not accept all of it. */
bool ooze_component_sharing_decide(OozeLodge *solve);

#endif
