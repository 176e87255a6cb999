/* The pipeline: jobs pass every stage in order, their number is bounded, and failures stop the
   caller without losing finished jobs. */
#include "check.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pipeline.h"

enum { SLOTS = 2, JOBS = 200 };

typedef struct Line {
    int slots[SLOTS];  /* the job in each slot: plain, so that the thread sanitizer watches it */
    int seen[3][JOBS]; /* what each stage was given, in order */
    int count[3];      /* by the stage's own thread; read after a drain */
    int fail_stage, fail_at; /* the job that a stage refuses */
    int pause_stage;         /* the stage that takes its time */
    _Atomic int inside[3];   /* jobs in a stage at this moment */
    _Atomic int clashes, in_transit, most;
    _Atomic bool held; /* stage 0 waits while this is set */
} Line;

static OozeStatus pass(Line *line, int stage, int slot, int stages, OozeError *error)
{
    line->clashes += line->inside[stage]++ != 0;
    while (stage == 0 && line->held) {
        usleep(100);
    }
    int job = line->slots[slot];
    if (stage == line->pause_stage) {
        usleep(200);
    }
    line->inside[stage]--;
    if (stage == line->fail_stage && job == line->fail_at) {
        return ooze_fail(error, OOZE_ERROR_WRITE, "", "stage %d refused job %d", stage, job);
    }
    line->seen[stage][line->count[stage]++] = job;
    line->in_transit -= stage == stages - 1;
    return OOZE_OK;
}

static OozeStatus only(void *line, int slot, OozeError *error)
{
    return pass(line, 0, slot, 1, error);
}

static OozeStatus first(void *line, int slot, OozeError *error)
{
    return pass(line, 0, slot, 3, error);
}

static OozeStatus second(void *line, int slot, OozeError *error)
{
    return pass(line, 1, slot, 3, error);
}

static OozeStatus third(void *line, int slot, OozeError *error)
{
    return pass(line, 2, slot, 3, error);
}

static OozePipeline *make(Line *line, int stages)
{
    const OozePipelineWork one[] = {only}, three[] = {first, second, third};
    OozePipeline *pipeline;
    *line = (Line){.fail_stage = -1, .pause_stage = -1};
    CHECK_OK(
        ooze_pipeline_create(SLOTS, stages, stages == 1 ? one : three, line, &pipeline, &error));
    return pipeline;
}

/* Puts jobs in until one is refused; how many went in. */
static int feed(OozePipeline *pipeline, Line *line, int jobs, OozeError *error)
{
    for (int job = 0; job < jobs; job++) {
        int slot;
        if (ooze_pipeline_acquire(pipeline, &slot, error)) {
            return job;
        }
        line->slots[slot] = job;
        int now = ++line->in_transit;
        line->most = now > line->most ? now : line->most;
        ooze_pipeline_submit(pipeline);
    }
    return jobs;
}

static void check_seen(const Line *line, int stage, int count)
{
    assert_int_equal(line->count[stage], count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(line->seen[stage][i], i);
    }
}

static void jobs_pass_in_order(void **state)
{
    (void)state;
    static Line line;
    for (int pause = -1; pause < 3; pause++) {
        OozePipeline *pipeline = make(&line, 3);
        line.pause_stage = pause;
        assert_int_equal(feed(pipeline, &line, JOBS, NULL), JOBS);
        CHECK_OK(ooze_pipeline_drain(pipeline, &error));
        for (int stage = 0; stage < 3; stage++) {
            check_seen(&line, stage, JOBS);
        }
        assert_int_equal(line.clashes, 0);
        assert_in_range(line.most, 1, SLOTS);
        ooze_pipeline_destroy(pipeline);
    }
}

static void caller_waits_for_a_slow_stage(void **state)
{
    (void)state;
    static Line line;
    OozePipeline *pipeline = make(&line, 1);
    line.held = true;
    assert_int_equal(feed(pipeline, &line, SLOTS, NULL), SLOTS);
    assert_false(ooze_pipeline_has_room(pipeline));
    assert_true(ooze_pipeline_times(pipeline).waited == 0.0);
    line.held = false;
    int slot;
    CHECK_OK(
        ooze_pipeline_acquire(pipeline, &slot, &error)); /* comes back once the first is through */
    assert_int_equal(slot, 0);
    CHECK_OK(ooze_pipeline_acquire(pipeline, &slot, &error));
    assert_int_equal(slot, 0);
    CHECK_OK(ooze_pipeline_drain(pipeline, &error));
    assert_true(ooze_pipeline_has_room(pipeline));
    OozePipelineTimes times = ooze_pipeline_times(pipeline);
    assert_true(times.waited > 0.0);
    assert_true(times.worked[0] > 0.0);
    ooze_pipeline_destroy(pipeline);
}

static void failure_stops_the_caller(void **state)
{
    (void)state;
    static Line line;
    for (int stage = 0; stage < 3; stage++) {
        OozePipeline *pipeline = make(&line, 3);
        line.fail_stage = stage;
        line.fail_at = 7;
        OozeError why = {0};
        int put = feed(pipeline, &line, JOBS, &why);
        /* The failed job keeps its slot; as many as there are slots can be beside and behind it. */
        assert_in_range(put, 8, 7 + SLOTS);
        assert_non_null(strstr(why.message, "refused job 7"));
        CHECK_FAILS(ooze_pipeline_check(pipeline, &error), OOZE_ERROR_WRITE, "refused job 7");
        CHECK_FAILS(ooze_pipeline_drain(pipeline, &error), OOZE_ERROR_WRITE, "refused job 7");
        /* What came before goes all the way, what was put in passes the stages before. */
        for (int s = 0; s < 3; s++) {
            check_seen(&line, s, s < stage ? put : 7);
        }
        ooze_pipeline_destroy(pipeline);
    }
}

static void destroying_finishes_the_work(void **state)
{
    (void)state;
    static Line line;
    for (int round = 0; round < 20; round++) {
        OozePipeline *pipeline = make(&line, 3);
        line.pause_stage = round % 3;
        assert_int_equal(feed(pipeline, &line, SLOTS, NULL), SLOTS);
        ooze_pipeline_destroy(pipeline);
        check_seen(&line, 2, SLOTS);
    }
    ooze_pipeline_destroy(NULL);
}

static void impossible_pipelines_are_refused(void **state)
{
    (void)state;
    const OozePipelineWork work[] = {only};
    OozePipeline *pipeline;
    CHECK_FAILS(ooze_pipeline_create(0, 1, work, NULL, &pipeline, &error), OOZE_ERROR_ARGUMENT,
                "0 slots");
    CHECK_FAILS(ooze_pipeline_create(1, 9, work, NULL, &pipeline, &error), OOZE_ERROR_ARGUMENT,
                "9 stages");
    ooze_memory_fail_after(1);
    CHECK_FAILS(ooze_pipeline_create(1, 1, work, NULL, &pipeline, &error), OOZE_ERROR_MEMORY, "");
    ooze_memory_fail_after(0);
    assert_null(pipeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_pass_in_order),
        cmocka_unit_test(caller_waits_for_a_slow_stage),
        cmocka_unit_test(failure_stops_the_caller),
        cmocka_unit_test(destroying_finishes_the_work),
        cmocka_unit_test(impossible_pipelines_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
