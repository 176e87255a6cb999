/* A pipeline of worker threads: jobs pass its stages in the order of submission. Each stage has its
   own thread and runs one job at a time.

   A job occupies a slot, which belongs to the caller from acquire to submit, then to one stage
   after the other, and is free again after the last stage. The number of slots is fixed: a caller
   that is faster than the stages waits in acquire, so that the queue stays bounded.

   A stage that fails runs no further jobs; jobs that have passed it still go through the stages
   after it, and the stages before it finish the submitted jobs. Every later call reports the first
   failure.

   All calls come from one thread. */
#ifndef OOZE_BASE_PIPELINE_H
#define OOZE_BASE_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "ooze/status.h"

enum { OOZE_PIPELINE_STAGES_MAX = 4 };

typedef struct OozePipeline OozePipeline;
typedef OozeStatus (*OozePipelineWork)(void *context, int slot, OozeError *error);

OozeStatus ooze_pipeline_create(int slots, int stages, const OozePipelineWork *work, void *context,
                                OozePipeline **pipeline, OozeError *error);
/* Drains it first. NULL is allowed. */
void ooze_pipeline_destroy(OozePipeline *pipeline);

/* The slot to fill next; waits until it is free. Without a submit in between, it is the same one.
   */
OozeStatus ooze_pipeline_acquire(OozePipeline *pipeline, int *slot, OozeError *error);
/* Whether acquire would return without waiting. */
bool ooze_pipeline_has_room(OozePipeline *pipeline);
/* Submits the slot acquired last to the first stage. */
void ooze_pipeline_submit(OozePipeline *pipeline);

/* The first failure so far, without waiting. */
OozeStatus ooze_pipeline_check(OozePipeline *pipeline, OozeError *error);
/* Waits until every stage is idle, and reports the first failure. */
OozeStatus ooze_pipeline_drain(OozePipeline *pipeline, OozeError *error);

/* Seconds that the caller waited and that each stage worked. */
typedef struct OozePipelineTimes {
    double waited, worked[OOZE_PIPELINE_STAGES_MAX];
} OozePipelineTimes;
OozePipelineTimes ooze_pipeline_times(OozePipeline *pipeline);

#endif
