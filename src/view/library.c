#include "view/library.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "scene/node.h"
#include "world/world.h"

#define EXTENSION ".yaml"

enum { SCENES_MAX = 500 };

static char *format_path(const char *folder, const char *name)
{
    OozeText text = {0};
    ooze_text_append(&text, "%s%s%s", folder, folder[0] && name[0] ? "/" : "", name);
    char *copy = text.failed ? NULL : ooze_copy_text(text.data);
    ooze_text_clear(&text);
    return copy;
}

/* Length of the path up to its last slash, or 0. */
static size_t folder_length(const char *path, size_t size)
{
    while (size > 0 && path[size - 1] != '/') {
        size--;
    }
    return size > 0 ? size - 1 : 0;
}

/* ---- one scene --------------------------------------------------------------------------- */

/* The text behind `key` at the beginning of a line, to the end of the line; NULL: no such line. */
static const char *find_line(const char *text, const char *key, size_t *length)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += line[0] == '\n';
        if (strncmp(line, key, strlen(key)) == 0) {
            const char *value = line + strlen(key);
            value += strspn(value, " ");
            *length = strcspn(value, "\r\n");
            return value;
        }
    }
    return NULL;
}

/* A copy of the title without quotes; of `name` where there is none. */
static char *read_title(const char *text, const char *name)
{
    size_t length = 0;
    const char *value = find_line(text, "title:", &length);
    if (!value || length == 0) {
        return ooze_copy_text(name);
    }
    while (length > 0 && value[length - 1] == ' ') {
        length--;
    }
    bool quoted =
        length >= 2 && (value[0] == '"' || value[0] == '\'') && value[length - 1] == value[0];
    char *title = ooze_copy_text(value + quoted);
    if (title) {
        title[quoted ? length - 2 : length] = '\0';
    }
    return title;
}

static void free_scene(OozeViewScene *scene)
{
    ooze_free(scene->folder);
    ooze_free(scene->name);
    ooze_free(scene->path);
    ooze_free(scene->title);
}

/* Adds the scene `file` of which `text` is the contents; false: there is no memory. */
static bool add_scene(OozeViewLibrary *library, const char *folder, const char *file,
                      const char *path, const char *text)
{
    OozeViewScene *added = OOZE_LIST_RESERVE(*library);
    if (!added) {
        return false;
    }
    *added = (OozeViewScene){.folder = ooze_copy_text(folder[0] ? folder : "."),
                             .name = ooze_copy_text(file),
                             .path = ooze_copy_text(path),
                             .small_of = -1};
    library->count++;
    if (!added->folder || !added->name || !added->path) {
        return false;
    }
    added->name[strlen(file) - strlen(EXTENSION)] = '\0';
    added->title = read_title(text, added->name);
    return added->title != NULL;
}

/* A file that only others include does not say the version of its format. */
static bool is_scene(const char *text)
{
    size_t length;
    return find_line(text, "ooze:", &length) != NULL;
}

static bool add_file(OozeViewLibrary *library, const char *root, const char *folder,
                     const char *file)
{
    char *within = format_path(root, folder), *path = within ? format_path(within, file) : NULL;
    char *text = NULL;
    size_t size;
    bool readable = path && !ooze_file_read(path, OOZE_SCENE_BYTES_MAX, &text, &size, NULL);
    bool good = path != NULL;
    if (readable && is_scene(text) && library->count < SCENES_MAX) {
        good = add_scene(library, folder, file, path, text);
    }
    ooze_free(within);
    ooze_free(path);
    ooze_free(text);
    return good;
}

/* NAME_small belongs to NAME of the same folder. */
static void find_small_variants(OozeViewLibrary *library)
{
    static const char ending[] = "_small";
    for (int i = 0; i < library->count; i++) {
        OozeViewScene *scene = &library->items[i];
        size_t length = strlen(scene->name), end = sizeof ending - 1;
        bool small = length > end && strcmp(scene->name + length - end, ending) == 0;
        for (int k = 0; small && k < library->count; k++) {
            const OozeViewScene *whole = &library->items[k];
            if (strcmp(whole->folder, scene->folder) == 0 && strlen(whole->name) == length - end &&
                strncmp(whole->name, scene->name, length - end) == 0) {
                scene->small_of = k;
            }
        }
    }
}

/* ---- folders ----------------------------------------------------------------------------- */

static bool add_folder(OozeViewLibrary *library, const char *root, const char *folder)
{
    char *path = format_path(root, folder);
    struct dirent **entries = NULL;
    int count = path ? scandir(path, &entries, NULL, alphasort) : -1;
    bool good = path != NULL;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        size_t length = strlen(name), end = strlen(EXTENSION);
        if (good && name[0] != '.' && length > end && strcmp(name + length - end, EXTENSION) == 0) {
            good = add_file(library, root, folder, name);
        }
        free(entries[i]);
    }
    free(entries);
    ooze_free(path);
    return good;
}

static bool add_folders(OozeViewLibrary *library, const char *root)
{
    struct dirent **entries = NULL;
    int count = scandir(root, &entries, NULL, alphasort);
    bool good = true;
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.' && entries[i]->d_type == DT_DIR) {
            good = good && add_folder(library, root, entries[i]->d_name);
        }
        free(entries[i]);
    }
    free(entries);
    return good;
}

OozeStatus ooze_view_library_create(OozeViewLibrary *library, const char *scene, OozeError *error)
{
    *library = (OozeViewLibrary){0};
    size_t length = folder_length(scene, strlen(scene));
    size_t root_length = folder_length(scene, length);
    char *folder = ooze_copy_text(length > 0 ? scene : ".");
    if (!folder) {
        return ooze_fail_memory(error, "a path", strlen(scene));
    }
    folder[length > 0 ? length : 1] = '\0';
    bool among_scenes = root_length >= 6 && strncmp(scene + root_length - 6, "scenes", 6) == 0 &&
                        (root_length == 6 || scene[root_length - 7] == '/');
    bool good;
    if (among_scenes) {
        folder[root_length] = '\0';
        good = add_folders(library, folder);
    } else {
        good = add_folder(library, folder, "");
    }
    ooze_free(folder);
    if (!good) {
        ooze_view_library_free(library);
        return ooze_fail_memory(error, "the list of scenes", 0);
    }
    find_small_variants(library);
    return OOZE_OK;
}

void ooze_view_library_free(OozeViewLibrary *library)
{
    for (int i = 0; i < library->count; i++) {
        free_scene(&library->items[i]);
    }
    ooze_free(library->items);
    *library = (OozeViewLibrary){0};
}

void ooze_view_library_describe(const OozeViewLibrary *library, OozeText *json)
{
    ooze_text_append(json, "[");
    for (int i = 0; i < library->count; i++) {
        const OozeViewScene *scene = &library->items[i];
        ooze_json_next(json);
        ooze_text_append(json, "{");
        ooze_json_put_text(json, "folder", scene->folder);
        ooze_json_put_text(json, "name", scene->name);
        ooze_json_put_text(json, "title", scene->title);
        ooze_json_put_number(json, "smallOf", scene->small_of);
        ooze_text_append(json, "}");
    }
    ooze_text_append(json, "]");
}
