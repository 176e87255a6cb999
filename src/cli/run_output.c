#include "cli/run_output.h"

#include "base/clock.h"

/* Rows come before the state: a resumed run needs all rows up to its state. */
static OozeStatus write_rows(const OozeRunOutput *output, const OozeRunItem *item, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (int t = 0; t < OOZE_RUN_OUTPUT_TABLES && !status; t++) {
        const OozeProbeTable *table = output->tables[t];
        if (table && table->fd >= 0) {
            status =
                ooze_probe_table_write(table, &item->rows[t], item->kind != OOZE_RUN_ROWS, error);
        }
    }
    return status;
}

static OozeStatus write_item(void *context, int slot, OozeError *error)
{
    OozeRunOutput *output = context;
    OozeRunItem *item = &output->items[slot];
    const OozeFrame *frame = &item->state.frame;
    bool checkpoint = item->kind == OOZE_RUN_CHECKPOINT;
    OozeStatus status = item->fetched ? item->fetch.wait(&item->fetch, error) : OOZE_OK;
    status = status ? status : write_rows(output, item, error);
    if (status || item->kind == OOZE_RUN_ROWS) {
        return status;
    }
    status = checkpoint ? ooze_run_write_checkpoint(output->folder, frame, error)
                        : ooze_run_write_frame(output->folder, frame, error);
    if (!status) {
        ooze_run_log_line(output->log, "%s %llu: step %llu, %.9g s, %llu particles",
                          checkpoint ? "checkpoint in frame" : "frame",
                          (unsigned long long)frame->index, (unsigned long long)frame->step,
                          frame->time, (unsigned long long)frame->particle_count);
    }
    return status;
}

/* The frame is on the disk already. Only a failed write ends the run; any other error leaves the
   mesh out. */
static OozeStatus mesh_item(void *context, int slot, OozeError *error)
{
    OozeRunOutput *output = context;
    const OozeRunItem *item = &output->items[slot];
    if (item->kind != OOZE_RUN_FRAME) {
        return OOZE_OK;
    }
    OozeError mesh_error = {0};
    OozeStatus status = ooze_meshing_frame(output->meshing, &item->state.frame, &mesh_error);
    if (status == OOZE_ERROR_WRITE) {
        *error = mesh_error;
        return status;
    }
    if (status) {
        ooze_run_log_line(output->log, "warning: frame %llu is not meshed: %s",
                          (unsigned long long)item->state.frame.index, mesh_error.message);
        if (!atomic_load(&output->mesh_failed)) {
            output->mesh_error = mesh_error;
            atomic_store(&output->mesh_failed, true);
        }
    }
    return OOZE_OK;
}

OozeStatus ooze_run_output_start(OozeRunOutput *output, OozeError *error)
{
    const OozePipelineWork stages[] = {write_item, mesh_item};
    return ooze_pipeline_create(OOZE_RUN_OUTPUT_COPIES, output->meshing ? 2 : 1, stages, output,
                                &output->pipeline, error);
}

OozeStatus ooze_run_output_fetch(OozeRunOutput *output, OozeFetch **fetch, OozeError *error)
{
    int slot;
    OozeStatus status = ooze_pipeline_acquire(output->pipeline, &slot, error);
    *fetch = status ? NULL : &output->items[slot].fetch;
    return status;
}

OozeStatus ooze_run_output_put(OozeRunOutput *output, OozeRunItemKind kind, const OozeFrame *frame,
                               bool fetched, OozeError *error)
{
    int slot;
    OozeStatus status = ooze_pipeline_acquire(output->pipeline, &slot, error);
    if (status) {
        return status;
    }
    double start = ooze_clock();
    OozeRunItem *item = &output->items[slot];
    item->kind = kind;
    if (fetched && !item->fetched) {
        ooze_frame_copy_free(&item->state); /* it may have held particles */
    }
    item->fetched = fetched;
    if (kind != OOZE_RUN_ROWS) {
        status = fetched ? ooze_frame_copy_state(&item->state, frame, error)
                         : ooze_frame_copy(&item->state, frame, output->threads, error);
    }
    for (int t = 0; t < OOZE_RUN_OUTPUT_TABLES && !status; t++) {
        if (output->tables[t]) {
            ooze_probe_table_submit_copy(output->tables[t], &item->rows[t]);
        }
    }
    output->copy_seconds += ooze_clock() - start;
    if (!status) {
        ooze_pipeline_submit(output->pipeline);
    }
    return status;
}

bool ooze_run_output_has_room(OozeRunOutput *output)
{
    return ooze_pipeline_has_room(output->pipeline);
}

OozeStatus ooze_run_output_check(OozeRunOutput *output, OozeError *error)
{
    return ooze_pipeline_check(output->pipeline, error);
}

OozeStatus ooze_run_output_drain(OozeRunOutput *output, OozeError *error)
{
    return output->pipeline ? ooze_pipeline_drain(output->pipeline, error) : OOZE_OK;
}

const OozeError *ooze_run_output_mesh_error(OozeRunOutput *output)
{
    if (output->mesh_error_reported || !atomic_load(&output->mesh_failed)) {
        return NULL;
    }
    output->mesh_error_reported = true;
    return &output->mesh_error;
}

void ooze_run_output_end(OozeRunOutput *output)
{
    ooze_pipeline_destroy(output->pipeline);
    output->pipeline = NULL;
    for (int i = 0; i < OOZE_RUN_OUTPUT_COPIES; i++) {
        OozeFetch *fetch = &output->items[i].fetch;
        ooze_frame_copy_free(&output->items[i].state);
        if (fetch->free) {
            fetch->free(fetch);
        }
        for (int t = 0; t < OOZE_RUN_OUTPUT_TABLES; t++) {
            ooze_text_clear(&output->items[i].rows[t]);
        }
    }
}

OozeRunOutputCost ooze_run_output_cost(const OozeRunOutput *output)
{
    OozeRunOutputCost cost = {.copied = output->copy_seconds};
    if (output->pipeline) {
        OozePipelineTimes times = ooze_pipeline_times(output->pipeline);
        cost.waited = times.waited;
        cost.written = times.worked[0];
        cost.meshed = times.worked[1];
    }
    for (int i = 0; i < OOZE_RUN_OUTPUT_COPIES; i++) {
        cost.copy_bytes +=
            ooze_frame_copy_bytes(&output->items[i].state) + output->items[i].fetch.capacity;
    }
    return cost;
}
