/* ooze run: simulates a scene and writes a run folder. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "cli/cluster.h"
#include "cli/command.h"
#include "cli/dry_run.h"
#include "cli/interrupt.h"
#include "cli/quantity.h"
#include "cli/report.h"
#include "cli/run_scene.h"
#include "cli/run_session.h"
#include "scene/advice.h"
#include "world/world.h"

#define CHECKPOINT_SECONDS 60.0

enum { SCENE_TEXT_MAX = 64 << 20, FRAMES_MAX = 100000000 };

/* Arguments of the command. */
typedef struct Plan {
    const char *scene_path; /* NULL: the copy in the folder */
    const char *folder;     /* NULL: dry run without one */
    const char **overrides;
    int override_count;
    bool resume, dry_run, quiet, profile, frames_given, from_frame_given;
    uint64_t threads, frames, from_frame;
    double checkpoint_every;
    OozeDevice device;
    const OozeMeshFormat *mesh; /* NULL: no meshes */
} Plan;

/* Objects of the run, freed together. */
typedef struct Job {
    Plan plan;
    OozeScene *scene;
    OozeWorld *world;
    OozeRunFolder *folder;
    OozeRunLog log;
    OozeRunSession session;
    OozeMeshing meshing;
    char *mesh_folder;
    OozeError refusal; /* of a dry run: the scene does not fit into memory */
    OozeCluster cluster;
} Job;

/* ---- command line ------------------------------------------------------------------------- */

static int read_plan(const OozeArguments *arguments, Plan *plan)
{
    const OozeCommand *command = arguments->command;
    plan->scene_path = arguments->operands[0];
    plan->folder = ooze_argument_text(arguments, "output");
    plan->resume = ooze_argument_given(arguments, "resume");
    plan->dry_run = ooze_argument_given(arguments, "dry-run");
    plan->quiet = ooze_argument_given(arguments, "quiet");
    plan->profile = ooze_argument_given(arguments, "profile");
    plan->frames_given = ooze_argument_given(arguments, "frames");
    plan->from_frame_given = ooze_argument_given(arguments, "from-frame");
    plan->checkpoint_every = CHECKPOINT_SECONDS;
    if (!ooze_argument_integer(arguments, "threads", 0, 1024, &plan->threads) ||
        !ooze_argument_integer(arguments, "frames", 0, FRAMES_MAX, &plan->frames) ||
        !ooze_argument_integer(arguments, "from-frame", 0, FRAMES_MAX, &plan->from_frame) ||
        !ooze_argument_real(arguments, "checkpoint-every", 0.0, 1e9, &plan->checkpoint_every) ||
        !ooze_argument_device(arguments, &plan->device) ||
        !ooze_argument_overrides(arguments, &plan->overrides, &plan->override_count)) {
        return OOZE_EXIT_USAGE;
    }
    if (ooze_argument_given(arguments, "mesh") || ooze_argument_given(arguments, "mesh-format")) {
        plan->mesh = ooze_meshing_format(arguments, "mesh-format");
        if (!plan->mesh) {
            return OOZE_EXIT_USAGE;
        }
    }
    if (plan->resume && plan->dry_run) {
        return ooze_usage_error(command, "options --resume and --dry-run exclude each other");
    }
    if (plan->from_frame_given && !plan->resume) {
        return ooze_usage_error(command, "option --from-frame needs --resume");
    }
    if (plan->resume && !plan->folder) {
        if (plan->override_count > 0) {
            return ooze_usage_error(command,
                                    "option --set needs the scene: ooze run SCENE -o DIR --resume");
        }
        plan->folder = plan->scene_path;
        plan->scene_path = NULL;
    }
    if (!plan->folder && !plan->dry_run) {
        return ooze_usage_error(command, "say where to write: ooze run %s -o DIR",
                                plan->scene_path);
    }
    return OOZE_EXIT_OK;
}

/* ---- scene and folder --------------------------------------------------------------------- */

/* The scene that is given, or that of the run in `own`. */
static int load_scene(Job *job, const char *own)
{
    OozeError error = {0};
    const Plan *plan = &job->plan;
    const char *path = plan->scene_path ? plan->scene_path : own;
    OozeStatus status =
        plan->scene_path
            ? ooze_scene_load(path, plan->overrides, plan->override_count, &job->scene, &error)
            : ooze_scene_load_run(path, plan->overrides, plan->override_count, &job->scene, &error);
    int errors = ooze_report_scene(job->scene, NULL);
    if (status == OOZE_ERROR_SCENE && errors > 0) {
        ooze_report_line("ooze: '%s' has %d error%s", path, errors, errors == 1 ? "" : "s");
        return OOZE_EXIT_FAILED;
    }
    return status ? ooze_report_error(&error) : OOZE_EXIT_OK;
}

/* Prints the warnings of `ooze check`, except for a resumed run; fails where it finds errors. */
static int print_warnings(Job *job)
{
    OozeError error = {0};
    if (job->folder || !ooze_cluster_leads(&job->cluster)) {
        return OOZE_EXIT_OK;
    }
    if (ooze_scene_check_physics(job->scene, job->world, &error)) {
        return ooze_report_error(&error);
    }
    int errors = ooze_report_scene(job->scene, NULL);
    if (errors > 0) {
        ooze_report_line("ooze: '%s' has %d error%s", job->plan.scene_path, errors,
                         errors == 1 ? "" : "s");
        return OOZE_EXIT_FAILED;
    }
    for (int i = 0; i < ooze_scene_diagnostic_count(job->scene); i++) {
        const OozeDiagnostic *d = ooze_scene_diagnostic(job->scene, i);
        ooze_run_log_line(&job->log, "warning: %s:%d:%d: %s", d->file, d->line, d->column,
                          d->message);
    }
    return OOZE_EXIT_OK;
}

static bool holds_run(const char *folder)
{
    OozeText path = {0};
    ooze_text_append(&path, "%s/scene.yaml", folder);
    bool exists = !path.failed && ooze_file_exists(path.data);
    ooze_text_clear(&path);
    return exists;
}

/* Loads the scene; that of a resumed run must be unchanged. */
static int open_scene(Job *job)
{
    OozeError error = {0};
    char *path = NULL, *original = NULL, *kept = NULL;
    size_t size;
    int code = OOZE_EXIT_OK;
    if (job->folder) {
        path = ooze_run_file_path(job->folder, "scene.yaml");
        original = ooze_run_original_scene_path(job->folder);
        OozeStatus status = path && original
                                ? ooze_file_read(original, SCENE_TEXT_MAX, &kept, &size, &error)
                                : ooze_fail_memory(&error, "a path", 0);
        code = status ? ooze_report_error(&error) : OOZE_EXIT_OK;
    }
    if (code == OOZE_EXIT_OK) {
        code = load_scene(job, path);
    }
    if (code == OOZE_EXIT_OK && kept) {
        code = ooze_run_check_scene(
            job->scene, &(OozeRunScene){original, kept, job->plan.folder, job->plan.scene_path});
    }
    ooze_free(kept);
    ooze_free(original);
    ooze_free(path);
    return code;
}

/* Checks the folder before the world is built. */
static OozeStatus open_old_folder(Job *job, OozeError *error)
{
    const Plan *plan = &job->plan;
    if (!plan->folder || plan->dry_run) {
        return OOZE_OK;
    }
    bool exists = holds_run(plan->folder);
    if (exists && !plan->resume) {
        return ooze_fail(error, OOZE_ERROR_WRITE,
                         "continue it with --resume, or choose another folder",
                         "'%s' holds a run already", plan->folder);
    }
    if (!exists && !plan->scene_path) {
        return ooze_fail(error, OOZE_ERROR_FILE, "give the folder that was named with -o",
                         "'%s' holds no run to resume", plan->folder);
    }
    if (!exists) {
        return OOZE_OK;
    }
    return ooze_run_open(plan->folder, ooze_cluster_leads(&job->cluster), &job->folder, error);
}

/* ---- the run ------------------------------------------------------------------------------ */

static void clear_progress(void *user)
{
    ooze_progress_clear(user);
}

/* Writes lines to the log, and to stderr where `shown`. */
static void print_lines(Job *job, OozeText *text, bool shown)
{
    if (text->data && !text->failed) {
        if (shown) {
            fprintf(stderr, "%s", text->data);
        }
        for (char *line = text->data, *next; line && *line; line = next) {
            next = strchr(line, '\n');
            ooze_run_log_line(&job->log, "%.*s", next ? (int)(next - line) : -1, line);
            next = next ? next + 1 : NULL;
        }
    }
    ooze_text_clear(text);
}

static void print_profile(Job *job)
{
    OozeText profile = {0}, solver = {0};
    ooze_run_profile(&job->session, &profile);
    ooze_cluster_report(&job->cluster, job->session.step - job->session.first_step, &profile);
    print_lines(job, &profile, job->plan.profile);
    ooze_run_solver_report(&job->session, &solver);
    print_lines(job, &solver, !job->plan.quiet);
}

/* Suggests the command that shows the result soonest. */
static void print_next(const Job *job)
{
    const char *folder = job->plan.folder, *mesh = job->plan.mesh ? NULL : folder;
    if (!job->plan.quiet) {
        ooze_report_line("ooze: next: ooze render %s --preview%s%s; without --preview: the surface "
                         "in full light",
                         folder, mesh ? ", or ooze mesh " : "", mesh ? mesh : "");
    }
}

static int finish(Job *job, OozeStatus status, const OozeError *error)
{
    OozeRunSession *session = &job->session;
    char seconds[OOZE_QUANTITY_SIZE];
    ooze_quantity_seconds(seconds, ooze_clock() - session->began);
    if (status == OOZE_ERROR_CANCELLED) {
        ooze_run_log_line(&job->log, "%s", error->message);
        char option[48] = "";
        if (session->fills) {
            snprintf(option, sizeof option, " --from-frame %llu",
                     (unsigned long long)session->from_frame);
        }
        ooze_report_line("ooze: %s; the state is saved. To continue: ooze run --resume %s%s",
                         error->message, job->plan.folder, option);
        return OOZE_EXIT_STOPPED;
    }
    if (status) {
        ooze_run_log_line(&job->log, "error: %s", error->message);
        return ooze_cluster_fail(&job->cluster, error);
    }
    ooze_run_log_line(&job->log, "finished: frame %llu, step %llu, %s",
                      (unsigned long long)session->last_frame, (unsigned long long)session->step,
                      seconds);
    if (!job->plan.quiet) {
        ooze_report_line("ooze: finished '%s': frames 0 to %llu, %llu steps in %s",
                         job->plan.folder, (unsigned long long)session->last_frame,
                         (unsigned long long)(session->step - session->first_step), seconds);
    }
    print_profile(job);
    return OOZE_EXIT_OK;
}

/* Meshing runs concurrently with the steps, with half the threads. */
static OozeStatus prepare_meshing(Job *job, OozeError *error)
{
    OozeWorldStats stats;
    ooze_world_stats(job->world, &stats);
    job->mesh_folder = ooze_run_file_path(job->folder, "surface");
    if (!job->mesh_folder) {
        return ooze_fail_memory(error, "a path", 0);
    }
    job->meshing = (OozeMeshing){
        .format = job->plan.mesh,
        .run = job->folder,
        .folder = job->mesh_folder,
        .threads = (stats.threads + 1) / 2,
        .quiet = job->plan.quiet,
    };
    ooze_frame_range_read(NULL, &job->meshing.range);
    ooze_meshing_read_scene(&job->meshing);
    job->meshing.settings.device = job->plan.device;
    return OOZE_OK;
}

/* Makes missing meshes, of earlier frames or after a kill, and the index: the result is that of
   `ooze mesh`. */
static int finish_meshing(Job *job)
{
    OozeText summary = {0};
    job->meshing.threads = (int)job->plan.threads;
    job->meshing.quiet |= job->meshing.made == job->folder->frame_count; /* all meshes exist */
    int code = ooze_meshing_all(&job->meshing);
    ooze_meshing_summary(&job->meshing, &summary);
    if (code == OOZE_EXIT_STOPPED) {
        ooze_report_line("ooze: interrupted; to make the other meshes: ooze run --resume %s --mesh",
                         job->plan.folder);
    } else if (!job->plan.quiet && summary.data && job->meshing.ended) {
        ooze_report_line("ooze: %s", summary.data);
    }
    ooze_text_clear(&summary);
    return code;
}

static OozeStatus begin(Job *job, bool *resumed, OozeError *error)
{
    bool leads = ooze_cluster_leads(&job->cluster);
    char *log_path = leads ? ooze_run_file_path(job->folder, "log.txt") : NULL;
    OozeStatus status = OOZE_OK;
    if (leads) {
        status = log_path ? ooze_run_log_open(&job->log, log_path, error)
                          : ooze_fail_memory(error, "a path", 0);
    }
    ooze_free(log_path);
    if (status) {
        return status;
    }
    if (job->plan.mesh && leads && (status = prepare_meshing(job, error))) {
        return status;
    }
    const OozeSceneInfo *info = ooze_scene_info(job->scene);
    OozeRunSession *session = &job->session;
    *session = (OozeRunSession){
        .info = info,
        .world = job->world,
        .folder = job->folder,
        .log = &job->log,
        .last_frame = job->plan.frames_given ? job->plan.frames : info->frame_count,
        .checkpoint_every = job->plan.checkpoint_every,
        .quiet = job->plan.quiet,
        .fills = job->plan.from_frame_given && job->folder->frame_count > 0,
        .from_frame = job->plan.from_frame,
        .meshing = job->plan.mesh && leads ? &job->meshing : NULL,
        .ranks = job->cluster.ranks,
    };
    job->log.before_warning = clear_progress;
    job->log.user = &session->progress;
    return ooze_run_session_begin(session, job->plan.resume, resumed, error);
}

/* Warns of frames that were deleted from the folder; false: there are some. */
static bool has_all_frames(const Job *job)
{
    OozeFrameRange all;
    ooze_frame_range_read(NULL, &all);
    uint64_t missing = ooze_frame_range_warn_missing(&all, job->folder);
    if (missing > 0) {
        ooze_report_line("ooze: %llu frame%s missing; %s", (unsigned long long)missing,
                         missing == 1 ? " is" : "s are", OOZE_HINT_FRAMES);
    }
    return missing == 0;
}

static int simulate(Job *job)
{
    OozeError error = {0};
    bool resumed = false;
    OozeStatus status = begin(job, &resumed, &error);
    OozeRunSession *session = &job->session;
    if (!status && resumed) {
        if (session->step >= session->last_frame * session->info->steps_per_frame) {
            status = ooze_run_session_finish(session, &error);
            if (status) {
                return ooze_report_error(&error);
            }
            if (!ooze_cluster_leads(&job->cluster)) {
                return OOZE_EXIT_OK;
            }
            if (has_all_frames(job)) {
                ooze_report_line("ooze: '%s' is finished: it has all frames up to %llu",
                                 job->plan.folder, (unsigned long long)session->last_frame);
            }
            return job->plan.mesh ? finish_meshing(job) : OOZE_EXIT_OK;
        }
        ooze_run_log_line(&job->log, "resumed at step %llu, %llu particles",
                          (unsigned long long)session->step,
                          (unsigned long long)ooze_world_particle_count(job->world));
        if (!job->plan.quiet) {
            ooze_report_line("ooze: resuming at step %llu", (unsigned long long)session->step);
        }
    }
    if (!status) {
        status = ooze_run_session_advance(session, &error);
    }
    int code = finish(job, status, &error);
    if (!ooze_cluster_leads(&job->cluster)) {
        return code;
    }
    if (code == OOZE_EXIT_OK && job->plan.mesh) {
        code = finish_meshing(job); /* warns of missing frames too */
    } else if (code == OOZE_EXIT_OK) {
        (void)has_all_frames(job);
    }
    if (code == OOZE_EXIT_OK) {
        print_next(job);
    }
    return code;
}

static int build_world(Job *job)
{
    OozeError error = {0};
    if (ooze_cluster_choose_device(&job->cluster, &job->plan.device, &error)) {
        return ooze_report_error(&error);
    }
    bool leads = ooze_cluster_leads(&job->cluster), dry = job->plan.dry_run;
    job->plan.threads = job->plan.threads ? job->plan.threads : (uint64_t)job->cluster.threads;
    OozeBuildOptions options = {.threads = (int)job->plan.threads,
                                .device = job->plan.device,
                                .log = ooze_run_log_callback,
                                .log_user = &job->log,
                                .to_be_restored = /* others than the leader place no particles */
                                !leads || (job->folder && ooze_run_has_state(job->folder))};
    job->log.shows_info = !job->plan.quiet; /* there is no progress to show yet */
    /* reports an unavailable device before anything is written */
    OozeStatus status =
        dry ? ooze_scene_build_counted(job->scene, &options, &job->world, &job->refusal, &error)
            : ooze_scene_build(job->scene, &options, &job->world, &error);
    job->log.shows_info = false;
    if (!status && !dry) {
        ooze_world_set_ranks(job->world, job->cluster.ranks);
    }
    if (status || ooze_world_choose_engine(job->world, &error)) {
        return ooze_report_error(&error);
    }
    OozeWorldStats stats;
    ooze_world_stats(job->world, &stats);
    ooze_run_log_line(&job->log, "ooze %s, scene '%s', %d threads", ooze_version().text,
                      job->plan.scene_path ? job->plan.scene_path : "of the run", stats.threads);
    const char *chosen = ooze_scene_chosen(job->scene);
    if (chosen) {
        ooze_run_log_line(&job->log, "chosen: %s", chosen);
        if (!job->plan.quiet) {
            ooze_report_line("ooze: chosen: %s", chosen);
        }
    }
    return OOZE_EXIT_OK;
}

/* A scene that does not fit into memory is estimated too, for larger hosts. */
static int dry_run(Job *job)
{
    const OozeSceneInfo *info = ooze_scene_info(job->scene);
    OozeBuildOptions options = {.threads = (int)job->plan.threads, .device = job->plan.device};
    const OozeDryRun plan = {
        .scene = job->scene,
        .world = job->world,
        .options = &options,
        .last_frame = job->plan.frames_given ? job->plan.frames : info->frame_count,
        .folder = job->plan.folder,
        .processes = ooze_rank_count(job->cluster.ranks),
    };
    int code = ooze_dry_run(&plan);
    return code == OOZE_EXIT_OK && job->refusal.status ? ooze_report_error(&job->refusal) : code;
}

static int prepare(Job *job)
{
    OozeError error = {0};
    if (open_old_folder(job, &error)) {
        return ooze_report_error(&error);
    }
    int code = open_scene(job);
    code = code ? code : build_world(job);
    code = code ? code : print_warnings(job);
    if (code || job->plan.dry_run) {
        return code || !ooze_cluster_leads(&job->cluster) ? code : dry_run(job);
    }
    ooze_interrupt_install();
    return OOZE_EXIT_OK;
}

/* Begins once all processes can. */
static int create_and_simulate(Job *job)
{
    OozeError error = {0};
    int code = OOZE_EXIT_OK;
    if (!job->folder && ooze_cluster_leads(&job->cluster) &&
        ooze_run_create(job->plan.folder, ooze_scene_canonical(job->scene), &job->folder, &error)) {
        code = ooze_report_error(&error);
    }
    code = ooze_cluster_agree(&job->cluster, code);
    return code ? code : simulate(job);
}

static int run(const OozeArguments *arguments)
{
    Job job = {0};
    ooze_run_log_start(&job.log);
    job.session.frame_rows.fd = job.session.step_rows.fd = -1;
    OozeError error = {0};
    int code = ooze_cluster_open(&job.cluster, &error) ? ooze_report_error(&error)
                                                       : read_plan(arguments, &job.plan);
    if (!code && job.plan.from_frame_given && ooze_rank_count(job.cluster.ranks) > 1) {
        code = ooze_usage_error(arguments->command, "option --from-frame needs one process");
    }
    code = ooze_cluster_agree(&job.cluster, code ? code : prepare(&job));
    code = code || job.plan.dry_run ? code : create_and_simulate(&job);
    ooze_run_session_end(&job.session);
    ooze_meshing_end(&job.meshing);
    ooze_free(job.mesh_folder);
    ooze_run_log_close(&job.log);
    ooze_run_close(job.folder);
    ooze_world_destroy(job.world);
    ooze_scene_free(job.scene);
    ooze_free(job.plan.overrides);
    ooze_cluster_close(&job.cluster, code);
    return code;
}

static const OozeOperand operands[] = {
    {"SCENE", "the scene file; with `--resume` and without `-o`, the run folder instead", false},
};

static const OozeOption options[] = {
    {"output", 'o', "DIR", false, "the run folder; created, and never overwritten"},
    {"resume", 0, NULL, false, "continue the run in the folder from its latest complete state"},
    {"from-frame", 0, "N", false,
     "with `--resume`: first make the frames after N again that are missing or damaged"},
    {"dry-run", 0, NULL, false,
     "estimate time, memory and disk of the run; writes no files, and counts the particles of "
     "large scenes without placing them"},
    {"threads", 0, "N", false, "worker threads; 0, the default, is one per core"},
    {"frames", 0, "N", false, "end with frame N instead of at the scene's duration"},
    {"mesh", 0, NULL, false, "mesh each frame as soon as it is written, as `ooze mesh` would"},
    {"mesh-format", 0, "NAME", false, "`ply` (the default), `obj` or `usda`; implies `--mesh`"},
    OOZE_OPTION_DEVICE,
    {"checkpoint-every", 0, "SECONDS", false,
     "wall-clock time between checkpoints within long frames; 60 by default, 0: none"},
    {"set", 0, "KEY=VALUE", true,
     "change one value of the scene, such as `materials.honey.viscosity=12`"},
    {"profile", 0, NULL, false, "print the time of each part of a step at the end"},
    {"quiet", 'q', NULL, false, "no progress; warnings and errors only"},
};

const OozeCommand ooze_command_run = {
    .name = "run",
    .synopsis = "SCENE -o DIR [options], or: ooze run --resume DIR [options]",
    .summary = "Simulate a scene into a folder of frames",
    .details =
        "The run folder holds `scene.yaml` (the scene with its includes and `--set` values) and "
        "its "
        "copy `.scene.yaml`, `frames/frame_000000.h5` and so on, `run.xdmf` (for ParaView: choose "
        "the `XDMF Reader`), `probes.csv`, "
        "`probes_steps.csv` where a probe has `every_step: true`, `log.txt`, and, while the run "
        "is not finished, a `checkpoint.h5`.\n\n"
        "A new run prints the warnings of `ooze check`. `log.txt` has the time of each part of a "
        "step; `--profile` prints it too.\n\n"
        "Frame 0 is the state before the first step. A frame is written to a temporary file, "
        "synced and renamed, so that `kill -9` or a power cut loses no finished frame. Writing "
        "goes on concurrently with the steps; they wait while two states are not written yet. A "
        "write that fails ends the run. Ctrl-C, SIGTERM and SIGHUP finish the current step and "
        "pending writes, write a checkpoint and exit with 130.\n\n"
        "With `--mesh` each frame is meshed as soon as it is written, concurrently with the "
        "steps, with the settings of the scene's `surface` section, into `surface/` of the run "
        "folder. The files are those of `ooze mesh`; meshes that an interrupted run lacks are "
        "made when it is resumed. The steps wait where meshing is slower; `--profile` shows how "
        "long. A frame that cannot be meshed does not end the run; the exit code is then 1.\n\n"
        "A resumed run ends with the same bits as an uninterrupted one, with any number of "
        "threads. The scene must be unchanged, also `scene.yaml` in the folder; otherwise the "
        "difference is shown and no file is changed. Only `--frames` may differ: a run can be "
        "ended early with it and continued "
        "later, also beyond the scene's duration. `ooze run SCENE -o DIR --resume` starts the "
        "run where the folder holds none yet, for job queues.\n\n"
        "A run that lacks frames before its last one warns of them; `ooze info` lists them. "
        "`--resume --from-frame N` simulates from frame N to the last of them and writes "
        "those that are missing or damaged, with the bits of the uninterrupted run; then the run "
        "continues from its latest state. Frames that can be read and the tables of probes stay "
        "as they are.\n\n"
        "A GPU takes the steps where it supports the scene's method and settings; `--device` "
        "chooses, see docs/gpu.md. Frames have the same format: a run may be resumed on another "
        "device, but not with the same bits.\n\n"
        "Under `mpirun` several processes share the steps, with the same bits: see "
        "docs/cluster.md.\n\n"
        "`probes.csv` has one row a frame: `frame`, `step`, `time [s]`, `particles`, then every "
        "column of every probe with its unit. `probes_steps.csv` has one row a step, step 0 "
        "included, with the probes that have `every_step: true`. Numbers have 17 significant "
        "digits; an undefined reading is `nan`. Rows are written before their frame.",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
