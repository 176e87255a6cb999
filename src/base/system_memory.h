/* Memory of the system that this process can still allocate. */
#ifndef OOZE_BASE_SYSTEM_MEMORY_H
#define OOZE_BASE_SYSTEM_MEMORY_H

/* Bytes: the least of the memory available without swapping, the rest of the limits of the
   process's control groups, and the rest of its address-space limit. INFINITY: unknown. */
double ooze_available_memory(void);

#endif
