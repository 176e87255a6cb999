#include "cli/example_copy.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

enum { FILES_MAX = 64, FILE_BYTES_MAX = 1 << 28 };

typedef struct CopiedFile {
    char *source; /* path */
    char *target; /* path within the folder: "honey.yaml", "meshes/cup.obj" */
    OozeText contents;
} CopiedFile;

typedef struct Copy {
    CopiedFile files[FILES_MAX];
    int count;
    const char *folder;
    bool replaces;
    OozeError *error;
} Copy;

static bool is_scene(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".yaml") == 0;
}

static bool is_regular_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Appends the file unless it is there; returns its index, or -1 after an error. */
static int add_file(Copy *copy, const char *source)
{
    for (int i = 0; i < copy->count; i++) {
        if (strcmp(copy->files[i].source, source) == 0) {
            return i;
        }
    }
    if (copy->count == FILES_MAX) {
        ooze_fail(copy->error, OOZE_ERROR_FILE, NULL, "the scene has more than %d files",
                  FILES_MAX);
        return -1;
    }
    OozeText target = {0};
    ooze_text_append(&target, "%s%s", is_scene(source) ? "" : "meshes/", ooze_base_name(source));
    CopiedFile *file = &copy->files[copy->count];
    *file = (CopiedFile){.source = ooze_copy_text(source),
                         .target = target.failed ? NULL : ooze_copy_text(target.data)};
    ooze_text_clear(&target);
    copy->count++;
    if (!file->source || !file->target) {
        ooze_fail_memory(copy->error, "the names of files", 0);
        return -1;
    }
    return copy->count - 1;
}

/* One word of a scene: where it names a file, that file is copied, and its new path written. */
static OozeStatus copy_word(Copy *copy, int index, const char *word, size_t length)
{
    const char *source = copy->files[index].source;
    OozeText *out = &copy->files[index].contents;
    OozeText path = {0};
    ooze_text_append_bytes(&path, source, (size_t)(ooze_base_name(source) - source));
    ooze_text_append_bytes(&path, word, length);
    int named = -1;
    bool names_file = length > 0 && !path.failed && is_regular_file(path.data);
    if (names_file) {
        named = add_file(copy, path.data);
    }
    bool memory = path.failed;
    ooze_text_clear(&path);
    if (memory || (names_file && named < 0)) {
        return memory ? ooze_fail_memory(copy->error, "the scene", 0) : OOZE_ERROR_FILE;
    }
    if (named >= 0) {
        ooze_text_append(out, "%s", copy->files[named].target);
    } else {
        ooze_text_append_bytes(out, word, length);
    }
    return OOZE_OK;
}

/* Copies the text of a scene word by word; comments stay as they are. */
static OozeStatus copy_scene(Copy *copy, int index, const char *text)
{
    OozeStatus status = OOZE_OK;
    for (const char *at = text; *at && !status;) {
        OozeText *out = &copy->files[index].contents;
        size_t length = strcspn(at, " \t\n,[]{}\"'");
        if (*at == '#' && (at == text || strchr(" \t\n", at[-1]))) {
            length = strcspn(at, "\n");
            ooze_text_append_bytes(out, at, length);
        } else if (length > 0) {
            status = copy_word(copy, index, at, length);
        } else {
            length = 1;
            ooze_text_append_bytes(out, at, 1);
        }
        at += length;
    }
    return status;
}

static OozeStatus read_file(Copy *copy, int index)
{
    CopiedFile *file = &copy->files[index];
    char *data = NULL;
    size_t size = 0;
    OozeStatus status = ooze_file_read(file->source, FILE_BYTES_MAX, &data, &size, copy->error);
    if (!status && is_scene(file->source)) {
        status = copy_scene(copy, index, data);
    } else if (!status) {
        ooze_text_append_bytes(&file->contents, data, size);
    }
    ooze_free(data);
    if (!status && file->contents.failed) {
        status = ooze_fail_memory(copy->error, file->source, size);
    }
    return status;
}

static OozeStatus append_path(const Copy *copy, const char *target, OozeText *path)
{
    ooze_text_append(path, "%s/%s", copy->folder, target);
    return path->failed ? ooze_fail_memory(copy->error, "the path of a file", 0) : OOZE_OK;
}

/* An error where another file is in the place of this one, or two files have one place. */
static OozeStatus check_place(Copy *copy, int index)
{
    const CopiedFile *file = &copy->files[index];
    for (int i = 0; i < index; i++) {
        if (strcmp(copy->files[i].target, file->target) == 0) {
            return ooze_fail(copy->error, OOZE_ERROR_FILE, NULL, "'%s' and '%s' have one name",
                             copy->files[i].source, file->source);
        }
    }
    OozeText path = {0};
    OozeStatus status = append_path(copy, file->target, &path);
    if (!status && !copy->replaces && ooze_file_exists(path.data)) {
        char *data = NULL;
        size_t size = 0;
        status = ooze_file_read(path.data, FILE_BYTES_MAX, &data, &size, copy->error);
        if (!status && (size != file->contents.length ||
                        (size > 0 && memcmp(data, file->contents.data, size) != 0))) {
            status = ooze_fail(copy->error, OOZE_ERROR_FILE,
                               "choose another folder with -o DIR, or give --force",
                               "'%s' exists and is another file", path.data);
        }
        ooze_free(data);
    }
    ooze_text_clear(&path);
    return status;
}

static OozeStatus write_file(Copy *copy, const CopiedFile *file)
{
    OozeText path = {0};
    OozeStatus status = append_path(copy, file->target, &path);
    if (!status) {
        char *slash = strrchr(path.data, '/');
        *slash = '\0';
        status = ooze_make_folder(path.data, copy->error);
        *slash = '/';
    }
    if (!status) {
        status = ooze_file_write_atomic(path.data, file->contents.data ? file->contents.data : "",
                                        file->contents.length, copy->error);
    }
    if (!status) {
        printf("%s\n", strncmp(path.data, "./", 2) == 0 ? path.data + 2 : path.data);
    }
    ooze_text_clear(&path);
    return status;
}

OozeStatus ooze_example_copy(const char *path, const char *folder, bool replaces, OozeError *error)
{
    Copy *copy = ooze_alloc_zero(1, sizeof *copy);
    if (!copy) {
        return ooze_fail_memory(error, "the copy of a scene", sizeof *copy);
    }
    copy->folder = folder;
    copy->replaces = replaces;
    copy->error = error;
    OozeStatus status = add_file(copy, path) < 0 ? OOZE_ERROR_MEMORY : OOZE_OK;
    for (int i = 0; i < copy->count && !status; i++) { /* reading a scene adds the files it names */
        status = read_file(copy, i);
    }
    for (int i = 0; i < copy->count && !status; i++) {
        status = check_place(copy, i);
    }
    for (int i = 0; i < copy->count && !status; i++) {
        status = write_file(copy, &copy->files[i]);
    }
    for (int i = 0; i < copy->count; i++) {
        ooze_free(copy->files[i].source);
        ooze_free(copy->files[i].target);
        ooze_text_clear(&copy->files[i].contents);
    }
    ooze_free(copy);
    return status;
}
