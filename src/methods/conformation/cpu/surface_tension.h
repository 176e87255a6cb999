/* Memory of surface tension that outlives a step: neighbour lists of its own reach. */
#ifndef OOZE_METHODS_CONFORMATION_CPU_SURFACE_TENSION_H
#define OOZE_METHODS_CONFORMATION_CPU_SURFACE_TENSION_H

#include "particles/halo.h"
#include "particles/neighbours.h"

typedef struct OozeSurfaceMemory {
    OozeGrid *grid; /* NULL: no step has needed it yet */
    OozeNeighbours near;
    OozeSplit split; /* among processes, by the cells of this reach, and the ghosts */
    OozeHalo *halo;
} OozeSurfaceMemory;

void ooze_surface_memory_free(OozeSurfaceMemory *memory);
uint64_t ooze_surface_memory_bytes(const OozeSurfaceMemory *memory);

#endif
