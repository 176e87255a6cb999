#include "base/pipeline.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/memory.h"

typedef struct Stage {
    OozePipeline *pipeline;
    OozePipelineWork work;
    pthread_t thread;
    uint64_t done; /* jobs that have passed it; job n is in slot n modulo the slots */
    bool failed;
} Stage;

struct OozePipeline {
    int slots, stage_count;
    int started; /* threads that exist */
    void *context;
    Stage stages[OOZE_PIPELINE_STAGES_MAX];
    pthread_mutex_t mutex; /* guards everything below, and `done` and `failed` of the stages */
    pthread_cond_t changed;
    uint64_t submitted;
    bool stop;
    OozeError first; /* status OOZE_OK: none yet */
    OozePipelineTimes times;
};

static OozeStatus report(const OozeError *from, OozeError *error)
{
    if (from->status && error) {
        *error = *from;
    }
    return from->status;
}

/* Jobs that have reached stage `s`. */
static uint64_t arrived(const OozePipeline *pipeline, int s)
{
    return s == 0 ? pipeline->submitted : pipeline->stages[s - 1].done;
}

static bool has_job(const OozePipeline *pipeline, int s)
{
    const Stage *stage = &pipeline->stages[s];
    return !stage->failed && stage->done < arrived(pipeline, s);
}

static bool is_idle(const OozePipeline *pipeline)
{
    for (int s = 0; s < pipeline->stage_count; s++) {
        if (has_job(pipeline, s)) {
            return false;
        }
    }
    return true;
}

static bool has_room(const OozePipeline *pipeline)
{
    uint64_t done = pipeline->stages[pipeline->stage_count - 1].done;
    return pipeline->submitted - done < (uint64_t)pipeline->slots;
}

/* One job; the lock is released while it runs. */
static void do_job(OozePipeline *pipeline, Stage *stage)
{
    int slot = (int)(stage->done % (uint64_t)pipeline->slots);
    OozeError error = {0};
    pthread_mutex_unlock(&pipeline->mutex);
    double start = ooze_clock();
    OozeStatus status = stage->work(pipeline->context, slot, &error);
    double seconds = ooze_clock() - start;
    pthread_mutex_lock(&pipeline->mutex);
    pipeline->times.worked[stage - pipeline->stages] += seconds;
    if (status) {
        stage->failed = true;
        error.status = status;
        pipeline->first = pipeline->first.status ? pipeline->first : error;
    } else {
        stage->done++;
    }
    pthread_cond_broadcast(&pipeline->changed);
}

static void *stage_main(void *argument)
{
    Stage *stage = argument;
    OozePipeline *pipeline = stage->pipeline;
    pthread_mutex_lock(&pipeline->mutex);
    for (;;) {
        if (has_job(pipeline, (int)(stage - pipeline->stages))) {
            do_job(pipeline, stage);
        } else if (pipeline->stop) { /* set only when every stage is idle */
            break;
        } else {
            pthread_cond_wait(&pipeline->changed, &pipeline->mutex);
        }
    }
    pthread_mutex_unlock(&pipeline->mutex);
    return NULL;
}

OozeStatus ooze_pipeline_create(int slots, int stages, const OozePipelineWork *work, void *context,
                                OozePipeline **out, OozeError *error)
{
    *out = NULL;
    if (slots < 1 || stages < 1 || stages > OOZE_PIPELINE_STAGES_MAX) {
        return ooze_fail(error, OOZE_ERROR_ARGUMENT, "give at least one of each",
                         "a pipeline of %d stages with %d slots is not possible", stages, slots);
    }
    OozePipeline *pipeline = ooze_alloc_zero(1, sizeof *pipeline);
    if (!pipeline) {
        return ooze_fail_memory(error, "a pipeline", sizeof *pipeline);
    }
    pipeline->slots = slots;
    pipeline->stage_count = stages;
    pipeline->context = context;
    pthread_mutex_init(&pipeline->mutex, NULL);
    pthread_cond_init(&pipeline->changed, NULL);
    for (int s = 0; s < stages; s++) {
        pipeline->stages[s].pipeline = pipeline;
        pipeline->stages[s].work = work[s];
    }
    for (int s = 0; s < stages; s++) {
        if (pthread_create(&pipeline->stages[s].thread, NULL, stage_main, &pipeline->stages[s])) {
            ooze_pipeline_destroy(pipeline);
            return ooze_fail(error, OOZE_ERROR_LIMIT, "raise the limit on processes and threads",
                             "the system refused to start a thread for the output");
        }
        pipeline->started++;
    }
    *out = pipeline;
    return OOZE_OK;
}

void ooze_pipeline_destroy(OozePipeline *pipeline)
{
    if (!pipeline) {
        return;
    }
    (void)ooze_pipeline_drain(pipeline, NULL);
    pthread_mutex_lock(&pipeline->mutex);
    pipeline->stop = true;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->mutex);
    for (int s = 0; s < pipeline->started; s++) {
        pthread_join(pipeline->stages[s].thread, NULL);
    }
    pthread_mutex_destroy(&pipeline->mutex);
    pthread_cond_destroy(&pipeline->changed);
    ooze_free(pipeline);
}

OozeStatus ooze_pipeline_acquire(OozePipeline *pipeline, int *slot, OozeError *error)
{
    pthread_mutex_lock(&pipeline->mutex);
    if (!has_room(pipeline) && !pipeline->first.status) {
        double start = ooze_clock();
        while (!has_room(pipeline) && !pipeline->first.status) {
            pthread_cond_wait(&pipeline->changed, &pipeline->mutex);
        }
        pipeline->times.waited += ooze_clock() - start;
    }
    *slot = (int)(pipeline->submitted % (uint64_t)pipeline->slots);
    OozeStatus status = report(&pipeline->first, error);
    pthread_mutex_unlock(&pipeline->mutex);
    return status;
}

bool ooze_pipeline_has_room(OozePipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->mutex);
    bool room = has_room(pipeline) || pipeline->first.status;
    pthread_mutex_unlock(&pipeline->mutex);
    return room;
}

void ooze_pipeline_submit(OozePipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->mutex);
    pipeline->submitted++;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->mutex);
}

OozeStatus ooze_pipeline_check(OozePipeline *pipeline, OozeError *error)
{
    pthread_mutex_lock(&pipeline->mutex);
    OozeStatus status = report(&pipeline->first, error);
    pthread_mutex_unlock(&pipeline->mutex);
    return status;
}

OozeStatus ooze_pipeline_drain(OozePipeline *pipeline, OozeError *error)
{
    pthread_mutex_lock(&pipeline->mutex);
    double start = ooze_clock();
    while (!is_idle(pipeline)) {
        pthread_cond_wait(&pipeline->changed, &pipeline->mutex);
    }
    pipeline->times.waited += ooze_clock() - start;
    OozeStatus status = report(&pipeline->first, error);
    pthread_mutex_unlock(&pipeline->mutex);
    return status;
}

OozePipelineTimes ooze_pipeline_times(OozePipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->mutex);
    OozePipelineTimes times = pipeline->times;
    pthread_mutex_unlock(&pipeline->mutex);
    return times;
}
