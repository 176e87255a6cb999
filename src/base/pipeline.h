/* A line of threads beside the calling one: jobs go through its stages in the order they were put in,
   each stage on a thread of its own and one job at a time.

   A job lives in a slot, which belongs to the caller from take to put, then to the stages one after the
   other, and is free again when the last is done with it. There are only so many slots: a caller who
   is faster than the stages waits in take, so nothing queues without bound.

   A stage that fails does no later job; what has passed it goes through the stages after it, and the
   stages before it finish what was put in. The first failure of all is what every call reports from
   then on, so that the caller stops.

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
/* Drains it first. NULL is nothing to destroy. */
void ooze_pipeline_destroy(OozePipeline *pipeline);

/* The slot to fill next; waits until it is free. Taken again without a put, it is the same one. */
OozeStatus ooze_pipeline_take(OozePipeline *pipeline, int *slot, OozeError *error);
/* Whether take would come back at once. */
bool ooze_pipeline_has_room(OozePipeline *pipeline);
/* Sends the slot last taken on its way. */
void ooze_pipeline_put(OozePipeline *pipeline);

/* The first failure so far, without waiting. */
OozeStatus ooze_pipeline_check(OozePipeline *pipeline, OozeError *error);
/* Waits until no stage has anything to do, and tells the first failure. */
OozeStatus ooze_pipeline_drain(OozePipeline *pipeline, OozeError *error);

/* Seconds: what the caller waited, what each stage worked. */
typedef struct OozePipelineTimes {
    double waited, worked[OOZE_PIPELINE_STAGES_MAX];
} OozePipelineTimes;
OozePipelineTimes ooze_pipeline_times(OozePipeline *pipeline);

#endif
