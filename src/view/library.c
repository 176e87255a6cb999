#include "view/library.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/memory.h"

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

static bool grow(OozeViewLibrary *library)
{
    if (library->count < library->capacity) {
        return true;
    }
    size_t old = (size_t)library->capacity, capacity = 2 * old + 32;
    char ***lists[] = {&library->folders, &library->names, &library->paths};
    for (int i = 0; i < 3; i++) {
        char **grown = ooze_grow(*lists[i], old, capacity, sizeof *grown);
        if (!grown) {
            return false;
        }
        *lists[i] = grown;
    }
    library->capacity = (int)capacity;
    return true;
}

static bool add_scene(OozeViewLibrary *library, const char *root, const char *folder,
                      const char *file, size_t length)
{
    if (library->count >= SCENES_MAX || !grow(library)) {
        return library->count >= SCENES_MAX;
    }
    int i = library->count;
    char *within = format_path(root, folder);
    library->folders[i] = ooze_copy_text(folder[0] ? folder : ".");
    library->names[i] = ooze_copy_text(file);
    library->paths[i] = within ? format_path(within, file) : NULL;
    ooze_free(within);
    library->count++;
    if (!library->folders[i] || !library->names[i] || !library->paths[i]) {
        return false;
    }
    library->names[i][length] = '\0'; /* without its extension */
    return true;
}

static bool add_folder(OozeViewLibrary *library, const char *root, const char *folder)
{
    char *path = format_path(root, folder);
    struct dirent **entries = NULL;
    int count = path ? scandir(path, &entries, NULL, alphasort) : -1;
    bool good = path != NULL;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        size_t length = strlen(name);
        if (good && name[0] != '.' && length > 5 && strcmp(name + length - 5, ".yaml") == 0) {
            good = add_scene(library, root, folder, name, length - 5);
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
    return OOZE_OK;
}

void ooze_view_library_free(OozeViewLibrary *library)
{
    for (int i = 0; i < library->count; i++) {
        ooze_free(library->folders[i]);
        ooze_free(library->names[i]);
        ooze_free(library->paths[i]);
    }
    ooze_free(library->folders);
    ooze_free(library->names);
    ooze_free(library->paths);
    *library = (OozeViewLibrary){0};
}

void ooze_view_library_describe(const OozeViewLibrary *library, OozeText *json)
{
    ooze_text_append(json, "[");
    for (int i = 0; i < library->count; i++) {
        ooze_json_next(json);
        ooze_text_append(json, "{");
        ooze_json_put_text(json, "folder", library->folders[i]);
        ooze_json_put_text(json, "name", library->names[i]);
        ooze_text_append(json, "}");
    }
    ooze_text_append(json, "]");
}
