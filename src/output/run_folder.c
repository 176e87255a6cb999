#include "output/run_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "output/frame_block.h"
#include "output/frame_file.h"
#include "output/xdmf.h"

static const char *const scene_name = "scene.yaml";
static const char *const checkpoint_name = "checkpoint.h5";
static const char *const index_name = "run.xdmf";

char *ooze_run_file_path(const OozeRunFolder *run, const char *name)
{
    OozeText path = {0};
    ooze_text_append(&path, "%s/%s", run->path, name);
    if (path.failed) {
        ooze_text_clear(&path);
    }
    return path.data;
}

char *ooze_run_frame_path(const OozeRunFolder *run, uint64_t index)
{
    char name[64];
    snprintf(name, sizeof name, OOZE_RUN_FRAME_FORMAT, (unsigned long long)index);
    return ooze_run_file_path(run, name);
}

static OozeStatus out_of_memory(OozeError *error)
{
    return ooze_fail_memory(error, "a run folder", sizeof(OozeRunFolder));
}

void ooze_run_close(OozeRunFolder *run)
{
    if (run) {
        if (run->lock >= 0) {
            close(run->lock); /* and with it goes the lock; the file stays, or two could hold it */
        }
        ooze_xdmf_destroy(run->index);
        ooze_free(run->frames);
        ooze_free(run->path);
        ooze_free(run);
    }
}

static OozeStatus make_run(const char *path, OozeRunFolder **run, OozeError *error)
{
    *run = ooze_alloc_zero(1, sizeof **run);
    if (!*run) {
        return out_of_memory(error);
    }
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    OozeText trimmed = {0};
    ooze_text_append_bytes(&trimmed, path, length);
    (*run)->lock = -1;
    (*run)->path = trimmed.data;
    (*run)->index = ooze_xdmf_create();
    if (trimmed.failed || !(*run)->index) {
        ooze_run_close(*run);
        *run = NULL;
        return out_of_memory(error);
    }
    return OOZE_OK;
}

static OozeStatus take_lock(OozeRunFolder *run, OozeError *error)
{
    char *path = ooze_run_file_path(run, ".lock");
    if (!path) {
        return out_of_memory(error);
    }
    OozeStatus status = OOZE_OK;
    run->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (run->lock < 0) {
        status = ooze_fail_file(error, OOZE_ERROR_WRITE, "write", path, errno);
    } else if (flock(run->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        status = ooze_fail(error, OOZE_ERROR_WRITE,
                           "wait until it ends, stop it, or choose another folder",
                           "another ooze is writing to '%s' right now", run->path);
    } /* a file system without locks is no reason not to run */
    ooze_free(path);
    return status;
}

/* ---- what is there ----------------------------------------------------------------------- */

/* The number in frame_NNNNNN.h5 followed by `end`; false for any other name. */
static bool frame_number(const char *name, const char *end, uint64_t *index)
{
    static const char prefix[] = "frame_";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 || !isdigit((unsigned char)name[6])) {
        return false;
    }
    errno = 0;
    char *after;
    *index = strtoull(name + sizeof prefix - 1, &after, 10);
    char again[64];
    snprintf(again, sizeof again, OOZE_RUN_FRAME_FORMAT, (unsigned long long)*index);
    size_t length = strlen(again) - strlen("frames/");
    return errno == 0 && strncmp(again + strlen("frames/"), name, length) == 0 &&
           strcmp(name + length, end) == 0;
}

static OozeStatus append_frame(OozeRunFolder *run, uint64_t index, OozeError *error)
{
    if (run->frame_count == run->frame_room) {
        uint64_t room = run->frame_room * 2 + 64;
        uint64_t *grown = ooze_grow(run->frames, run->frame_count, room, sizeof *grown);
        if (!grown) {
            return out_of_memory(error);
        }
        run->frames = grown;
        run->frame_room = room;
    }
    run->frames[run->frame_count++] = index;
    return OOZE_OK;
}

/* Keeps the list ascending; new frames mostly go to its end. */
static OozeStatus remember_frame(OozeRunFolder *run, uint64_t index, OozeError *error)
{
    uint64_t at = run->frame_count;
    while (at > 0 && run->frames[at - 1] >= index) {
        at--;
    }
    if (at < run->frame_count && run->frames[at] == index) {
        return OOZE_OK;
    }
    OozeStatus status = append_frame(run, index, error);
    if (!status) {
        memmove(run->frames + at + 1, run->frames + at,
                (run->frame_count - 1 - at) * sizeof *run->frames);
        run->frames[at] = index;
    }
    return status;
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Lists the frames; with `clean`, removes what a kill left half written beside them. */
static OozeStatus list_frames(OozeRunFolder *run, bool clean, OozeError *error)
{
    char *path = ooze_run_file_path(run, "frames");
    if (!path) {
        return out_of_memory(error);
    }
    DIR *folder = opendir(path);
    OozeStatus status = OOZE_OK;
    if (!folder && errno != ENOENT) {
        status = ooze_fail_file(error, OOZE_ERROR_FILE, "open", path, errno);
    }
    for (struct dirent *entry; folder && !status && (entry = readdir(folder));) {
        uint64_t index;
        if (frame_number(entry->d_name, "", &index)) {
            status = append_frame(run, index, error);
        } else if (clean && frame_number(entry->d_name, ".part", &index)) {
            unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    if (folder) {
        closedir(folder);
    }
    ooze_free(path);
    if (run->frame_count > 1) {
        qsort(run->frames, run->frame_count, sizeof *run->frames, compare_numbers);
    }
    return status;
}

static OozeStatus look_around(OozeRunFolder *run, bool clean, bool *has_scene, OozeError *error)
{
    static const char *const left_over[] = {"scene.yaml.part", "checkpoint.h5.part",
                                            "run.xdmf.part"};
    OozeStatus status = list_frames(run, clean, error);
    char *scene = ooze_run_file_path(run, scene_name);
    char *checkpoint = ooze_run_file_path(run, checkpoint_name);
    if (!status && (!scene || !checkpoint)) {
        status = out_of_memory(error);
    }
    if (!status) {
        *has_scene = ooze_file_exists(scene);
        run->has_checkpoint = ooze_file_exists(checkpoint);
    }
    for (size_t i = 0; clean && !status && i < sizeof left_over / sizeof left_over[0]; i++) {
        char *path = ooze_run_file_path(run, left_over[i]);
        if (!path) {
            status = out_of_memory(error);
        } else {
            unlink(path);
        }
        ooze_free(path);
    }
    ooze_free(scene);
    ooze_free(checkpoint);
    return status;
}

/* ---- creating and opening ---------------------------------------------------------------- */

static OozeStatus fill_new(OozeRunFolder *run, const char *scene_text, OozeError *error)
{
    bool has_scene = false;
    OozeStatus status = ooze_make_folder(run->path, error);
    if (!status) {
        status = take_lock(run, error);
    }
    if (!status) {
        status = look_around(run, true, &has_scene, error);
    }
    if (!status && (has_scene || run->frame_count > 0 || run->has_checkpoint)) {
        return ooze_fail(error, OOZE_ERROR_WRITE,
                         "continue it with --resume, or choose another folder with -o",
                         "'%s' holds a run already (%llu frames)", run->path,
                         (unsigned long long)run->frame_count);
    }
    char *frames = ooze_run_file_path(run, "frames"), *scene = ooze_run_file_path(run, scene_name);
    if (!status && (!frames || !scene)) {
        status = out_of_memory(error);
    }
    if (!status) {
        status = ooze_make_folder(frames, error);
    }
    if (!status) { /* last: from here on it is a run */
        status = ooze_file_write_atomic(scene, scene_text, strlen(scene_text), error);
    }
    ooze_free(frames);
    ooze_free(scene);
    return status;
}

OozeStatus ooze_run_create(const char *path, const char *scene_text, OozeRunFolder **run,
                           OozeError *error)
{
    OozeStatus status = make_run(path, run, error);
    if (!status) {
        status = fill_new(*run, scene_text, error);
    }
    if (status) {
        ooze_run_close(*run);
        *run = NULL;
    }
    return status;
}

static OozeStatus look_into(OozeRunFolder *run, bool writable, OozeError *error)
{
    bool has_scene = false;
    OozeStatus status = OOZE_OK;
    struct stat info;
    if (stat(run->path, &info) != 0) {
        return ooze_fail_file(error, OOZE_ERROR_FILE, "open", run->path, errno);
    }
    if (S_ISDIR(info.st_mode)) {
        status = look_around(run, false, &has_scene, error);
    }
    if (!status && !has_scene) {
        return ooze_fail(error, OOZE_ERROR_FILE, "give the folder that `ooze run SCENE -o` made",
                         "'%s' is not a run folder: it has no %s", run->path, scene_name);
    }
    if (!status && writable) {
        status = take_lock(run, error);
        run->frame_count = 0; /* whoever held the lock before may have added some */
        if (!status) {
            status = look_around(run, true, &has_scene, error);
        }
    }
    return status;
}

OozeStatus ooze_run_open(const char *path, bool writable, OozeRunFolder **run, OozeError *error)
{
    OozeStatus status = make_run(path, run, error);
    if (!status) {
        status = look_into(*run, writable, error);
    }
    if (status) {
        ooze_run_close(*run);
        *run = NULL;
    }
    return status;
}

/* ---- writing ----------------------------------------------------------------------------- */

OozeStatus ooze_run_write_frame(OozeRunFolder *run, const OozeFrame *frame, OozeError *error)
{
    char *path = ooze_run_frame_path(run, frame->index);
    if (!path) {
        return out_of_memory(error);
    }
    OozeStatus status = ooze_frame_write(frame, path, error);
    ooze_free(path);
    if (!status) {
        status = remember_frame(run, frame->index, error);
    }
    if (!status) {
        status = ooze_xdmf_add(run->index, frame, error);
    }
    if (!status && ++run->unindexed > run->frame_count / 100) {
        status = ooze_run_write_xdmf(run, error);
    }
    return status;
}

OozeStatus ooze_run_write_checkpoint(OozeRunFolder *run, const OozeFrame *frame, OozeError *error)
{
    char *path = ooze_run_file_path(run, checkpoint_name);
    if (!path) {
        return out_of_memory(error);
    }
    OozeStatus status = ooze_frame_write(frame, path, error);
    run->has_checkpoint = run->has_checkpoint || !status;
    ooze_free(path);
    return status;
}

static bool is_damage(OozeStatus status)
{
    return status == OOZE_ERROR_FORMAT || status == OOZE_ERROR_FILE;
}

OozeStatus ooze_run_write_xdmf(OozeRunFolder *run, OozeError *error)
{
    for (uint64_t i = 0; i < run->frame_count; i++) {
        if (ooze_xdmf_has(run->index, run->frames[i])) {
            continue;
        }
        char *path = ooze_run_frame_path(run, run->frames[i]);
        OozeStatus status = path ? ooze_xdmf_add_file(run->index, run->frames[i], path, error)
                                 : out_of_memory(error);
        ooze_free(path);
        if (status && !is_damage(status)) {
            return status;
        }
    }
    char *path = ooze_run_file_path(run, index_name);
    if (!path) {
        return out_of_memory(error);
    }
    OozeStatus status = ooze_xdmf_write(run->index, path, error);
    ooze_free(path);
    if (!status) {
        run->unindexed = 0;
    }
    return status;
}

/* ---- reading ----------------------------------------------------------------------------- */

/* Steps of a file by its first block; false when even that is damaged. */
static bool steps_of(const char *path, uint64_t *step)
{
    OozeFrameBlock block;
    bool good = ooze_frame_block_open(path, &block, NULL) == OOZE_OK;
    *step = good ? block.step : 0;
    return good;
}

/* Opens one candidate and takes it off the list; damage counts as skipped. */
static OozeStatus try_candidate(char **path, OozeFrame **frame, int *skipped, OozeError *error)
{
    OozeStatus status = ooze_frame_open(*path, frame, error);
    ooze_free(*path);
    *path = NULL;
    if (is_damage(status)) {
        ++*skipped;
        return OOZE_OK;
    }
    return status;
}

static OozeStatus find_latest(const OozeRunFolder *run, char **checkpoint, OozeFrame **frame,
                              int *skipped, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    uint64_t checkpoint_step = 0, step;
    if (*checkpoint) {
        steps_of(*checkpoint, &checkpoint_step);
    }
    for (uint64_t i = run->frame_count; i > 0 && !status && !*frame; i--) {
        char *path = ooze_run_frame_path(run, run->frames[i - 1]);
        if (!path) {
            return out_of_memory(error);
        }
        if (!steps_of(path, &step)) {
            ++*skipped;
        } else {
            if (*checkpoint && checkpoint_step > step) {
                status = try_candidate(checkpoint, frame, skipped, error);
            }
            if (!status && !*frame) {
                status = try_candidate(&path, frame, skipped, error);
            }
        }
        ooze_free(path);
    }
    if (!status && !*frame && *checkpoint) {
        status = try_candidate(checkpoint, frame, skipped, error);
    }
    return status;
}

OozeStatus ooze_run_latest(const OozeRunFolder *run, OozeFrame **frame, int *skipped,
                           OozeError *error)
{
    int damaged = 0;
    *frame = NULL;
    char *checkpoint = run->has_checkpoint ? ooze_run_file_path(run, checkpoint_name) : NULL;
    OozeStatus status = run->has_checkpoint && !checkpoint
                            ? out_of_memory(error)
                            : find_latest(run, &checkpoint, frame, &damaged, error);
    ooze_free(checkpoint);
    if (skipped) {
        *skipped = damaged;
    }
    if (!status && !*frame) {
        return ooze_fail(error, OOZE_ERROR_FILE, "start the run anew in another folder",
                         "'%s' holds no frame that can be read (%d damaged)", run->path, damaged);
    }
    return status;
}
