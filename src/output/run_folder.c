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
#include "output/frame_file.h"
#include "output/frame_header.h"
#include "output/xdmf.h"

static const char *const scene_name = "scene.yaml";
static const char *const original_scene_name = ".scene.yaml";
static const char *const checkpoint_name = "checkpoint.h5";
static const char *const index_name = "run.xdmf";

/* The length of a folder's path is checked when it is opened, so that paths of its files fit. */
enum { PATH_BYTES = 4096, NAME_BYTES = 64 };
typedef struct Path {
    char text[PATH_BYTES + NAME_BYTES];
} Path;

static Path file_path(const OozeRunFolder *run, const char *name)
{
    Path path;
    snprintf(path.text, sizeof path.text, "%s/%s", run->path, name);
    return path;
}

static Path frame_path(const OozeRunFolder *run, uint64_t index)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, OOZE_FRAME_PATH_FORMAT, (unsigned long long)index);
    return file_path(run, name);
}

char *ooze_run_file_path(const OozeRunFolder *run, const char *name)
{
    OozeText path = {0};
    ooze_text_append(&path, "%s/%s", run->path, name);
    if (path.failed) {
        ooze_text_clear(&path);
    }
    return path.data;
}

char *ooze_run_original_scene_path(const OozeRunFolder *run)
{
    Path path = file_path(run, original_scene_name);
    return ooze_copy_text(ooze_file_exists(path.text) ? path.text
                                                      : file_path(run, scene_name).text);
}

char *ooze_run_frame_path(const OozeRunFolder *run, uint64_t index)
{
    return ooze_copy_text(frame_path(run, index).text);
}

static OozeStatus out_of_memory(OozeError *error)
{
    return ooze_fail_memory(error, "a run folder", sizeof(OozeRunFolder));
}

void ooze_run_close(OozeRunFolder *run)
{
    if (run) {
        if (run->lock >= 0) {
            close(
                run->lock); /* releases the lock; the file stays, or two processes could hold it */
        }
        ooze_xdmf_destroy(run->index);
        ooze_free(run->frames);
        ooze_free(run->path);
        ooze_free(run);
    }
}

static OozeStatus create(const char *path, OozeRunFolder **run, OozeError *error)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    *run = NULL;
    if (length >= PATH_BYTES) {
        return ooze_fail_file(error, OOZE_ERROR_FILE, "open", path, ENAMETOOLONG);
    }
    *run = ooze_alloc_zero(1, sizeof **run);
    if (!*run) {
        return out_of_memory(error);
    }
    (*run)->lock = -1;
    (*run)->path = ooze_copy_text(path);
    (*run)->index = ooze_xdmf_create();
    if (!(*run)->path || !(*run)->index) {
        return out_of_memory(error);
    }
    (*run)->path[length] = '\0';
    return OOZE_OK;
}

/* The lock is held by the process that writes. File systems without locks are accepted. */
static OozeStatus take_lock(OozeRunFolder *run, OozeError *error)
{
    Path path = file_path(run, ".lock");
    run->lock = open(path.text, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (run->lock < 0) {
        return ooze_fail_file(error, OOZE_ERROR_WRITE, "write", path.text, errno);
    }
    if (flock(run->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return ooze_fail(error, OOZE_ERROR_WRITE,
                         "wait until it ends, stop it, or choose another folder",
                         "another ooze is writing to '%s' right now", run->path);
    }
    return OOZE_OK;
}

/* ---- the list of frames ---------------------------------------------------------------------- */

/* The number in frame_NNNNNN.h5 followed by `suffix`; false for any other name. */
static bool frame_number(const char *name, const char *suffix, uint64_t *index)
{
    static const char prefix[] = "frame_";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 || !isdigit((unsigned char)name[6])) {
        return false;
    }
    errno = 0;
    *index = strtoull(name + sizeof prefix - 1, NULL, 10);
    char again[NAME_BYTES];
    snprintf(again, sizeof again, OOZE_FRAME_PATH_FORMAT, (unsigned long long)*index);
    size_t length = strlen(again) - strlen("frames/");
    return errno == 0 && strncmp(again + strlen("frames/"), name, length) == 0 &&
           strcmp(name + length, suffix) == 0;
}

static OozeStatus append_frame(OozeRunFolder *run, uint64_t index, OozeError *error)
{
    if (run->frame_count == run->frame_capacity) {
        uint64_t capacity = run->frame_capacity * 2 + 64;
        uint64_t *grown = ooze_grow(run->frames, run->frame_count, capacity, sizeof *grown);
        if (!grown) {
            return out_of_memory(error);
        }
        run->frames = grown;
        run->frame_capacity = capacity;
    }
    run->frames[run->frame_count++] = index;
    return OOZE_OK;
}

/* Keeps the list ascending; new frames mostly go to its end. */
static OozeStatus insert_frame(OozeRunFolder *run, uint64_t index, OozeError *error)
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

/* Lists the frames; with `clean`, removes the temporary files that a killed process left. */
static OozeStatus list_frames(OozeRunFolder *run, bool clean, OozeError *error)
{
    Path path = file_path(run, "frames");
    DIR *folder = opendir(path.text);
    OozeStatus status = OOZE_OK;
    run->frame_count = 0;
    if (!folder && errno != ENOENT) {
        status = ooze_fail_file(error, OOZE_ERROR_FILE, "open", path.text, errno);
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
    if (run->frame_count > 1) {
        qsort(run->frames, run->frame_count, sizeof *run->frames, compare_numbers);
    }
    return status;
}

/* Finds what the folder holds; with `clean`, removes temporary files. */
static OozeStatus scan(OozeRunFolder *run, bool clean, bool *has_scene, OozeError *error)
{
    static const char *const temporary[] = {"scene.yaml.part", ".scene.yaml.part",
                                            "checkpoint.h5.part", "run.xdmf.part"};
    *has_scene = ooze_file_exists(file_path(run, scene_name).text);
    run->has_checkpoint = ooze_file_exists(file_path(run, checkpoint_name).text);
    for (size_t i = 0; clean && i < sizeof temporary / sizeof temporary[0]; i++) {
        unlink(file_path(run, temporary[i]).text);
    }
    return list_frames(run, clean, error);
}

bool ooze_run_has_state(const OozeRunFolder *run)
{
    return run->frame_count > 0 || run->has_checkpoint;
}

/* ---- creating and opening -------------------------------------------------------------------- */

static OozeStatus fill_new(OozeRunFolder *run, const char *scene_text, OozeError *error)
{
    bool has_scene = false;
    OozeStatus status = ooze_make_folder(run->path, error);
    status = status ? status : take_lock(run, error);
    status = status ? status : scan(run, true, &has_scene, error);
    if (!status && (has_scene || ooze_run_has_state(run))) {
        return ooze_fail(error, OOZE_ERROR_WRITE,
                         "continue it with --resume, or choose another folder with -o",
                         "'%s' holds a run already (%llu frames)", run->path,
                         (unsigned long long)run->frame_count);
    }
    status = status ? status : ooze_make_folder(file_path(run, "frames").text, error);
    if (!status) {
        status = ooze_file_write_atomic(file_path(run, original_scene_name).text, scene_text,
                                        strlen(scene_text), error);
    }
    if (!status) { /* last: a folder with a scene counts as a run */
        status = ooze_file_write_atomic(file_path(run, scene_name).text, scene_text,
                                        strlen(scene_text), error);
    }
    return status;
}

static OozeStatus scan_existing(OozeRunFolder *run, bool writable, OozeError *error)
{
    bool has_scene = false;
    OozeStatus status = OOZE_OK;
    struct stat info;
    if (stat(run->path, &info) != 0) {
        return ooze_fail_file(error, OOZE_ERROR_FILE, "open", run->path, errno);
    }
    if (S_ISDIR(info.st_mode)) {
        status = scan(run, false, &has_scene, error);
    }
    if (!status && !has_scene) {
        return ooze_fail(error, OOZE_ERROR_FILE, "give the folder that `ooze run SCENE -o` made",
                         "'%s' is not a run folder: it has no %s", run->path, scene_name);
    }
    if (!status && writable) { /* a process that held the lock before may have added frames */
        status = take_lock(run, error);
        status = status ? status : scan(run, true, &has_scene, error);
    }
    return status;
}

static OozeStatus close_failed(OozeRunFolder **run, OozeStatus status)
{
    if (status) {
        ooze_run_close(*run);
        *run = NULL;
    }
    return status;
}

OozeStatus ooze_run_create(const char *path, const char *scene_text, OozeRunFolder **run,
                           OozeError *error)
{
    OozeStatus status = create(path, run, error);
    return close_failed(run, status ? status : fill_new(*run, scene_text, error));
}

OozeStatus ooze_run_open(const char *path, bool writable, OozeRunFolder **run, OozeError *error)
{
    OozeStatus status = create(path, run, error);
    return close_failed(run, status ? status : scan_existing(*run, writable, error));
}

/* ---- writing --------------------------------------------------------------------------------- */

OozeStatus ooze_run_write_frame(OozeRunFolder *run, const OozeFrame *frame, OozeError *error)
{
    OozeStatus status = ooze_frame_write(frame, frame_path(run, frame->index).text, error);
    status = status ? status : insert_frame(run, frame->index, error);
    status = status ? status : ooze_xdmf_add(run->index, frame, error);
    if (!status && ++run->unindexed > run->frame_count / 100) {
        status = ooze_run_write_xdmf(run, error);
    }
    return status;
}

OozeStatus ooze_run_write_checkpoint(OozeRunFolder *run, const OozeFrame *frame, OozeError *error)
{
    OozeStatus status = ooze_frame_write(frame, file_path(run, checkpoint_name).text, error);
    run->has_checkpoint = run->has_checkpoint || !status;
    return status;
}

static bool is_damage(OozeStatus status)
{
    return status == OOZE_ERROR_FORMAT || status == OOZE_ERROR_FILE;
}

OozeStatus ooze_run_write_xdmf(OozeRunFolder *run, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    for (uint64_t i = 0; i < run->frame_count && !status; i++) {
        uint64_t index = run->frames[i];
        if (!ooze_xdmf_has(run->index, index)) {
            status = ooze_xdmf_add_file(run->index, index, frame_path(run, index).text, error);
            status = is_damage(status) ? OOZE_OK : status;
        }
    }
    status = status ? status : ooze_xdmf_write(run->index, file_path(run, index_name).text, error);
    run->unindexed = status ? run->unindexed : 0;
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

OozeStatus ooze_run_open_frame(const OozeRunFolder *run, uint64_t index, OozeFrame **frame,
                               OozeError *error)
{
    return ooze_frame_open(frame_path(run, index).text, frame, error);
}

/* Opens a frame file; a damaged file is counted and leaves *frame NULL. */
static OozeStatus try_open(const Path *path, OozeFrame **frame, int *skipped, OozeError *error)
{
    OozeStatus status = ooze_frame_open(path->text, frame, error);
    *skipped += is_damage(status);
    return is_damage(status) ? OOZE_OK : status;
}

/* From the last frame to the first, and the checkpoint before the first frame with fewer steps. */
static OozeStatus find_latest(const OozeRunFolder *run, OozeFrame **frame, int *skipped,
                              OozeError *error)
{
    OozeStatus status = OOZE_OK;
    OozeFrameHeader header = {0};
    const Path checkpoint = file_path(run, checkpoint_name);
    bool untried = run->has_checkpoint;
    uint64_t checkpoint_step = 0;
    if (untried && !ooze_frame_header_load(checkpoint.text, &header, NULL)) {
        checkpoint_step = header.step;
    }
    for (uint64_t i = run->frame_count; i > 0 && !status && !*frame; i--) {
        const Path path = frame_path(run, run->frames[i - 1]);
        if (ooze_frame_header_load(path.text, &header, NULL)) {
            ++*skipped;
            continue;
        }
        if (untried && checkpoint_step > header.step) {
            untried = false;
            status = try_open(&checkpoint, frame, skipped, error);
        }
        if (!status && !*frame) {
            status = try_open(&path, frame, skipped, error);
        }
    }
    if (!status && !*frame && untried) {
        status = try_open(&checkpoint, frame, skipped, error);
    }
    return status;
}

OozeStatus ooze_run_latest(const OozeRunFolder *run, OozeFrame **frame, int *skipped,
                           OozeError *error)
{
    int damaged = 0;
    *frame = NULL;
    OozeStatus status = find_latest(run, frame, &damaged, error);
    if (skipped) {
        *skipped = damaged;
    }
    if (!status && !*frame) {
        return ooze_fail(error, OOZE_ERROR_FILE, "start the run anew in another folder",
                         "'%s' holds no frame that can be read (%d damaged)", run->path, damaged);
    }
    return status;
}
