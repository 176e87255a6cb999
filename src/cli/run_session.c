#include "cli/run_session.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cli/interrupt.h"
#include "cli/quantity.h"
#include "cli/report.h"
#include "output/run_frames.h"
#include "world/world.h"

/* Whether this process writes. */
static bool leads(const OozeRunSession *session)
{
    return ooze_rank(session->ranks) == 0;
}

/* ---- saving ------------------------------------------------------------------------------- */

/* A view of the current state with its frame number. `fetched`: its particles are being copied from
   a GPU. */
static OozeStatus view_frame(OozeRunSession *session, OozeFrame *frame, bool *fetched,
                             OozeError *error)
{
    OozeFetch *fetch = NULL;
    OozeStatus status = ooze_run_output_fetch(&session->output, &fetch, error);
    const OozeFrame *now = status ? NULL : ooze_world_fetch_frame(session->world, fetch);
    *fetched = now != NULL;
    if (!status && !now) {
        status = ooze_world_sync_to_host(session->world, error);
        now = status ? NULL : ooze_world_frame(session->world);
    }
    if (status) {
        return status;
    }
    if (!now) {
        return ooze_fail_memory(error, "the frame view", 0);
    }
    *frame = *now;
    frame->index = frame->step / session->info->steps_per_frame;
    return OOZE_OK;
}

static OozeStatus save(OozeRunSession *session, OozeRunItemKind kind, OozeError *error)
{
    OozeFrame frame;
    bool fetched = false;
    session->saved = ooze_clock();
    if (!leads(session)) {
        return ooze_world_sync_to_host(session->world, error);
    }
    OozeStatus status = view_frame(session, &frame, &fetched, error);
    return status ? status : ooze_run_output_put(&session->output, kind, &frame, fetched, error);
}

/* Measures the probes of this step and appends their rows. At a frame all probes are measured in
   one call, so that a probe with memory measures each step once. */
static OozeStatus measure(OozeRunSession *session, bool at_frame, OozeError *error)
{
    if (!at_frame && !session->has_step_probes) {
        return OOZE_OK;
    }
    if (session->ranks) { /* whatever the probes need: all processes take part */
        OozeStatus status = ooze_world_sync_to_host(session->world, error);
        if (status || !leads(session)) {
            return status;
        }
    }
    OozeStatus status = ooze_world_measure(session->world, !at_frame, error);
    if (session->fills) {
        return status; /* the tables hold the rows already */
    }
    /* without the particles, which may be on a GPU */
    const uint64_t step = session->world->step;
    const OozeFrame frame = {.index = step / session->info->steps_per_frame,
                             .step = step,
                             .time = session->world->time,
                             .particle_count = ooze_world_particle_count(session->world)};
    if (!status && at_frame) {
        status = ooze_probe_table_append(&session->frame_rows, session->world, &frame, error);
    }
    if (!status && session->has_step_probes) {
        status = ooze_probe_table_append(&session->step_rows, session->world, &frame, error);
    }
    if (!status && ooze_probe_table_is_long(&session->step_rows)) {
        status = ooze_run_output_put(&session->output, OOZE_RUN_ROWS, NULL, false, error);
    }
    return status;
}

/* ---- beginning ---------------------------------------------------------------------------- */

static OozeStatus open_rows(OozeRunSession *session, OozeProbeTable *table, const char *name,
                            bool every_step, bool resumed, OozeError *error)
{
    char *path = ooze_run_file_path(session->folder, name);
    if (!path) {
        return ooze_fail_memory(error, "a path", 0);
    }
    const OozeProbeTableDef def = {path, session->world, every_step};
    OozeStatus status;
    if (!resumed) {
        status = ooze_probe_table_create(table, &def, error);
    } else {
        uint64_t per_frame = session->info->steps_per_frame;
        uint64_t expected = every_step ? session->step : session->step / per_frame * per_frame;
        bool complete;
        status = ooze_probe_table_resume(table, &def, session->step, expected, &complete, error);
        if (!status && !complete) {
            ooze_report_warning("'%s' lacks rows before step %llu; they cannot be restored", path,
                                (unsigned long long)session->step);
            ooze_run_log_line(session->log, "warning: %s lacks rows before step %llu", name,
                              (unsigned long long)session->step);
        }
    }
    ooze_free(path);
    return status;
}

static OozeStatus find_step_probes(OozeRunSession *session, OozeError *error)
{
    for (int i = 0; i < ooze_world_probe_count(session->world); i++) {
        OozeProbeReading reading;
        OozeStatus status = ooze_world_probe(session->world, (OozeProbeId){i}, &reading, error);
        if (status) {
            return status;
        }
        session->has_step_probes |= reading.every_step;
    }
    return OOZE_OK;
}

static OozeStatus open_tables(OozeRunSession *session, bool resumed, OozeError *error)
{
    OozeStatus status =
        open_rows(session, &session->frame_rows, "probes.csv", false, resumed, error);
    if (!status && session->has_step_probes) {
        status = open_rows(session, &session->step_rows, "probes_steps.csv", true, resumed, error);
    }
    return status;
}

/* Refuses a frame of a run with another number of steps a frame: earlier versions rounded it up
   where the time step of the scene is rounded. */
static OozeStatus check_steps(const OozeRunSession *session, const OozeFrame *frame,
                              OozeError *error)
{
    double frames = frame->time * session->info->frame_rate;
    double now = (double)session->info->steps_per_frame;
    double then = frames > 0.0 ? round((double)frame->step / frames) : now;
    return then == now
               ? OOZE_OK
               : ooze_fail(error, OOZE_ERROR_FORMAT,
                           "resume with the version of Ooze that wrote the run, or start a new run",
                           "the run has %.0f steps a frame, and this version of Ooze would "
                           "continue it with %.0f",
                           then, now);
}

static OozeStatus restore_state(OozeRunSession *session, const OozeFrame *frame, OozeError *error)
{
    OozeStatus status = check_steps(session, frame, error);
    session->step = frame->step;
    return status ? status : ooze_world_restore(session->world, frame, error);
}

/* Restores the latest state that can be read. */
static OozeStatus restore(OozeRunSession *session, bool *resumed, OozeError *error)
{
    if (!session->folder || !ooze_run_has_state(session->folder)) {
        return OOZE_OK;
    }
    OozeFrame *frame = NULL;
    int skipped = 0;
    OozeStatus status = ooze_run_latest(session->folder, &frame, &skipped, error);
    if (skipped > 0) {
        ooze_report_warning("passed over %d damaged file%s in '%s'", skipped,
                            skipped == 1 ? "" : "s", session->folder->path);
        ooze_run_log_line(session->log, "warning: passed over %d damaged files", skipped);
    }
    if (status) {
        return status;
    }
    status = restore_state(session, frame, error);
    *resumed = !status;
    ooze_frame_close(frame);
    return status;
}

static OozeStatus start_output(OozeRunSession *session, OozeError *error)
{
    session->output = (OozeRunOutput){
        .folder = session->folder,
        .log = session->log,
        .tables = {&session->frame_rows, session->has_step_probes ? &session->step_rows : NULL},
        .threads = session->world->threads,
        .meshing = session->meshing,
    };
    return ooze_run_output_start(&session->output, error);
}

/* ---- missing frames ------------------------------------------------------------------------- */

static OozeStatus restore_frame(OozeRunSession *session, uint64_t index, OozeError *error)
{
    OozeFrame *frame = NULL;
    OozeError problem = {0};
    OozeStatus status = ooze_run_open_frame(session->folder, index, &frame, &problem);
    if (status) {
        return ooze_fail(error, status, "`ooze info RUN` lists the frames that can be read",
                         "cannot continue from frame %llu: %s", (unsigned long long)index,
                         problem.message);
    }
    status = restore_state(session, frame, error);
    ooze_frame_close(frame);
    return status;
}

/* Steps from the present frame to frame `last` and writes the frames that `spans` lacks. */
static OozeStatus write_gaps(OozeRunSession *session, const OozeFrameSpans *spans, uint64_t last,
                             OozeError *error)
{
    uint64_t per_frame = session->info->steps_per_frame;
    OozeStatus status = OOZE_OK;
    while (!status && session->step < last * per_frame) {
        if (ooze_interrupted()) {
            return ooze_fail(error, OOZE_ERROR_CANCELLED, "", "interrupted by %s at step %llu",
                             ooze_interrupt_name(), (unsigned long long)session->step);
        }
        status = ooze_world_step(session->world, error);
        session->step += !status;
        bool at_frame = session->step % per_frame == 0;
        status = status ? status : measure(session, at_frame, error);
        if (!status && at_frame &&
            ooze_frame_spans_state(spans, session->step / per_frame) != OOZE_FRAME_PRESENT) {
            status = save(session, OOZE_RUN_FRAME, error);
        }
    }
    return status;
}

/* Frame 0 does not show how many steps a frame has; the latest one does, where it can be read. */
static OozeStatus check_latest(const OozeRunSession *session, OozeError *error)
{
    OozeFrame *latest = NULL;
    OozeStatus status = OOZE_OK;
    if (!ooze_run_latest(session->folder, &latest, NULL, NULL)) {
        status = check_steps(session, latest, error);
        ooze_frame_close(latest);
    }
    return status;
}

/* Makes the missing and damaged frames between `from_frame` and the last frame of the folder again.
   Other frames and the tables of probes stay as they are. */
static OozeStatus fill_gaps(OozeRunSession *session, OozeError *error)
{
    OozeFrameSpans spans;
    uint64_t last = 0;
    OozeStatus status = ooze_run_check_frames(session->folder, true, &spans, error);
    status = status ? status : check_latest(session, error);
    status = status ? status : restore_frame(session, session->from_frame, error);
    if (!status && ooze_frame_spans_last_gap(&spans, &last) && last > session->from_frame) {
        ooze_run_log_line(session->log, "making missing frames up to %llu, from frame %llu",
                          (unsigned long long)last, (unsigned long long)session->from_frame);
        status = start_output(session, error);
        status = status ? status : write_gaps(session, &spans, last, error);
        OozeStatus drained = ooze_run_output_drain(&session->output, status ? NULL : error);
        status = status ? status : drained;
        ooze_run_output_end(&session->output);
    }
    ooze_frame_spans_free(&spans);
    return status;
}

OozeStatus ooze_run_session_begin(OozeRunSession *session, bool resume, bool *resumed,
                                  OozeError *error)
{
    *resumed = false;
    session->frame_rows.fd = session->step_rows.fd = -1;
    session->began = session->saved = ooze_clock();
    OozeStatus status = find_step_probes(session, error);
    if (!status && session->fills) {
        status = fill_gaps(session, error);
        session->fills = status == OOZE_ERROR_CANCELLED;
    }
    status = status || !resume ? status : restore(session, resumed, error);
    status = session->ranks ? ooze_ranks_agree(session->ranks, status, error) : status;
    if (leads(session)) {
        status = status ? status : open_tables(session, *resumed, error);
        status = status ? status : start_output(session, error);
    }
    if (!status && !*resumed) {
        status = measure(session, true, error);
        status = status ? status : save(session, OOZE_RUN_FRAME, error);
    }
    session->first_step = session->step;
    return status;
}

/* ---- stepping ----------------------------------------------------------------------------- */

static void show(OozeRunSession *session, bool now)
{
    OozeWorldStats stats;
    ooze_world_stats(session->world, &stats);
    uint64_t per_frame = session->info->steps_per_frame;
    OozeProgressPoint point = {.unit = session->step / per_frame,
                               .step = session->step,
                               .last_step = session->last_frame * per_frame,
                               .particles = stats.particles,
                               .worst_density_error = stats.worst_density_error};
    ooze_progress_show(&session->progress, &point, now);
}

static void report_mesh_error(OozeRunSession *session)
{
    const OozeError *mesh_error = ooze_run_output_mesh_error(&session->output);
    if (mesh_error) {
        ooze_progress_clear(&session->progress);
        ooze_report_warning("a frame cannot be meshed: %s", mesh_error->message);
    }
}

/* Where output has no room, the checkpoint is written after a later step. */
static bool is_checkpoint_due(OozeRunSession *session)
{
    return leads(session) && session->checkpoint_every > 0.0 &&
           ooze_clock() - session->saved >= session->checkpoint_every &&
           ooze_run_output_has_room(&session->output);
}

/* What the process that writes has decided. */
static bool decide(OozeRunSession *session, bool own)
{
    uint8_t decision = own;
    if (session->ranks) {
        session->ranks->broadcast(session->ranks, &decision, sizeof decision);
    }
    return decision;
}

static OozeStatus take_step(OozeRunSession *session, OozeError *error)
{
    OozeStatus status = leads(session) ? ooze_run_output_check(&session->output, error) : OOZE_OK;
    status = status ? status : ooze_world_step(session->world, error);
    if (status) {
        return status;
    }
    session->step++;
    bool at_frame = session->step % session->info->steps_per_frame == 0;
    status = measure(session, at_frame, error);
    if (!status && at_frame) {
        status = save(session, OOZE_RUN_FRAME, error);
    } else if (!status && decide(session, is_checkpoint_due(session))) {
        status = save(session, OOZE_RUN_CHECKPOINT, error);
    }
    return status;
}

static OozeStatus stop(OozeRunSession *session, OozeError *error)
{
    ooze_run_log_line(session->log, "%s: writing a checkpoint", ooze_interrupt_name());
    OozeStatus status = save(session, OOZE_RUN_CHECKPOINT, error);
    if (leads(session)) {
        OozeStatus drained = ooze_run_output_drain(&session->output, status ? NULL : error);
        status = status ? status : drained;
        status = status ? status : ooze_run_write_xdmf(session->folder, error);
    }
    return status ? status
                  : ooze_fail(error, OOZE_ERROR_CANCELLED, "", "interrupted by %s at step %llu",
                              ooze_interrupt_name(), (unsigned long long)session->step);
}

OozeStatus ooze_run_session_finish(OozeRunSession *session, OozeError *error)
{
    if (!leads(session)) {
        return OOZE_OK;
    }
    OozeStatus status = ooze_run_output_drain(&session->output, error);
    status = status ? status : ooze_run_write_xdmf(session->folder, error);
    const OozeRunFolder *folder = session->folder;
    uint64_t framed = folder->frame_count == 0 ? 0
                                               : folder->frames[folder->frame_count - 1] *
                                                     session->info->steps_per_frame;
    char *path = ooze_run_file_path(session->folder, "checkpoint.h5");
    if (!status && path && framed >= session->step) {
        unlink(path);
        session->folder->has_checkpoint = false;
    }
    ooze_free(path);
    return status;
}

OozeStatus ooze_run_session_advance(OozeRunSession *session, OozeError *error)
{
    uint64_t per_frame = session->info->steps_per_frame;
    uint64_t last_step = session->last_frame * per_frame;
    ooze_progress_start(&session->progress, session->quiet, "frame", session->step / per_frame,
                        session->last_frame, session->step);
    OozeStatus status = OOZE_OK;
    bool first = true;
    while (!status && session->step < last_step) {
        if (decide(session, ooze_interrupted())) {
            ooze_progress_clear(&session->progress);
            return stop(session, error);
        }
        status = take_step(session, error);
        if (leads(session)) {
            report_mesh_error(session);
        }
        if (!status && first) { /* it samples the boundaries, and says nothing about the others */
            ooze_progress_skip(&session->progress, session->step);
        } else if (!status) {
            show(session, false);
        }
        first = false;
    }
    if (status) {
        ooze_progress_end(&session->progress);
        if (leads(session)) { /* finishes the frames that were put; reports the first error only */
            (void)ooze_run_output_drain(&session->output, NULL);
            (void)ooze_run_write_xdmf(session->folder, NULL);
        }
        return status;
    }
    show(session, true);
    ooze_progress_end(&session->progress);
    return ooze_run_session_finish(session, error);
}

void ooze_run_session_end(OozeRunSession *session)
{
    if (leads(session)) {
        ooze_run_output_end(&session->output);
    }
    ooze_probe_table_close(&session->frame_rows);
    ooze_probe_table_close(&session->step_rows);
}

/* ---- profile ------------------------------------------------------------------------------ */

/* A solve that ends at its cap makes the material softer, or its flow faster: reported once, with a
   remedy. */
void ooze_run_solver_report(const OozeRunSession *session, OozeText *table)
{
    uint64_t steps = session->step - session->first_step;
    OozeWorldStats stats;
    ooze_world_stats(session->world, &stats);
    if (stats.unconverged_steps > 0) {
        ooze_text_append(table,
                         "  velocity solve: %llu of %llu steps ended at the cap of iterations with "
                         "the residual above\n  `tolerance`, at worst %.2g of its start; raise "
                         "velocity_iterations, shorten time_step, or accept it\n  with a larger "
                         "tolerance (a probe of kind `solver` shows it step by step)\n",
                         (unsigned long long)stats.unconverged_steps, (unsigned long long)steps,
                         stats.worst_residual);
    }
}

/* Output is written by other threads; the stepping thread copies the state, and waits where output
   is slower. */
static void append_output(OozeText *table, const OozeRunOutputCost *cost, double total)
{
    char bytes[OOZE_QUANTITY_SIZE];
    double percent = total > 0.0 ? 100.0 / total : 0.0;
    ooze_text_append(table,
                     "  output: copying %.3f s, waiting %.3f s\n"
                     "  beside the steps: writing %.3f s (%.1f%%)",
                     cost->copied, cost->waited, cost->written, percent * cost->written);
    if (cost->meshed > 0.0) {
        ooze_text_append(table, ", meshing %.3f s (%.1f%%)", cost->meshed, percent * cost->meshed);
    }
    ooze_text_append(table, "; the copies take %s\n",
                     ooze_quantity_bytes(bytes, (double)cost->copy_bytes));
    if (percent * cost->waited > 10.0) {
        ooze_text_append(table, "  %s could not keep up, and the steps waited for it\n",
                         cost->meshed > cost->written ? "meshing" : "writing");
    }
}

static void append_row(OozeText *table, const char *name, double seconds, uint64_t steps,
                       double total)
{
    ooze_text_append(table, "  %-24s %12.4f %8.1f\n", name, 1e3 * seconds / (double)steps,
                     total > 0.0 ? 100.0 * seconds / total : 0.0);
}

/* Time of the parts of a stage, and how often each is done in a step. */
static void append_parts(OozeText *table, const OozeWorldStats *stats, const char *stage,
                         uint64_t steps, double total)
{
    for (int k = 0; k < stats->part_count; k++) {
        const OozeStagePartTime *part = &stats->parts[k];
        if (part->seconds > 0.0 && strcmp(part->stage, stage) == 0) {
            ooze_text_append(table, "    %-22s %12.4f %8.1f %8.1f\n", part->name,
                             1e3 * part->seconds / (double)steps,
                             total > 0.0 ? 100.0 * part->seconds / total : 0.0,
                             (double)part->calls / (double)steps);
        }
    }
}

void ooze_run_profile(const OozeRunSession *session, OozeText *table)
{
    uint64_t steps = session->step - session->first_step;
    if (steps == 0) {
        return;
    }
    OozeWorldStats stats;
    ooze_world_stats(session->world, &stats);
    OozeRunOutputCost cost = ooze_run_output_cost(&session->output);
    double output = cost.copied + cost.waited, listed = output;
    for (int i = 0; i < stats.stage_count; i++) {
        listed += stats.stages[i].seconds;
    }
    double wall = ooze_clock() - session->began;
    double total = wall > listed ? wall : listed;
    ooze_text_append(table, "  %-24s %12s %8s %8s\n", "stage", "ms per step", "%", "times");
    for (int i = 0; i < stats.stage_count; i++) {
        append_row(table, stats.stages[i].name, stats.stages[i].seconds, steps, total);
        append_parts(table, &stats, stats.stages[i].name, steps, total);
    }
    append_row(table, "output", output, steps, total);
    append_row(table, "rest", total - listed, steps, total);
    append_row(table, "total", total, steps, total);
    if (strcmp(stats.device, "cuda") == 0) {
        ooze_text_append(
            table,
            "  device cuda works asynchronously: the time of a part is that of its launch and "
            "of waiting for the\n  parts before; `ooze bench` waits for each part\n");
    }
    append_output(table, &cost, total);
}
