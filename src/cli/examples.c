/* ooze examples: lists the scenes that are installed, and copies one with its files. */
#include <fts.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/example_copy.h"
#include "cli/report.h"
#include "cli/shared_path.h"

enum { EXAMPLES_MAX = 1024 };

/* Names of the scenes below a folder, without .yaml: "gallery/honey_toast". */
typedef struct Examples {
    OozeText folder;
    char *names[EXAMPLES_MAX];
    int count;
} Examples;

static int compare_names(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void free_examples(Examples *examples)
{
    for (int i = 0; i < examples->count; i++) {
        ooze_free(examples->names[i]);
    }
    ooze_text_clear(&examples->folder);
    ooze_free(examples);
}

/* In the order of their names, which is that of the listing. */
static OozeStatus find_examples(Examples *examples, OozeError *error)
{
    char *roots[] = {examples->folder.data, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, compare_names);
    OozeStatus status = tree ? OOZE_OK : ooze_fail_memory(error, "the list of scenes", 0);
    for (FTSENT *entry; tree && !status && (entry = fts_read(tree)) != NULL;) {
        size_t length = entry->fts_pathlen;
        if (entry->fts_info != FTS_F || length < 6 ||
            strcmp(entry->fts_path + length - 5, ".yaml") != 0 || examples->count == EXAMPLES_MAX) {
            continue;
        }
        entry->fts_path[length - 5] = '\0';
        char *name = ooze_copy_text(entry->fts_path + examples->folder.length + 1);
        entry->fts_path[length - 5] = '.';
        if (name) {
            examples->names[examples->count++] = name;
        } else {
            status = ooze_fail_memory(error, "the list of scenes", 0);
        }
    }
    if (tree) {
        fts_close(tree);
    }
    return status;
}

static Examples *open_examples(const OozeArguments *arguments, OozeError *error)
{
    Examples *examples = ooze_alloc_zero(1, sizeof *examples);
    if (!examples) {
        ooze_fail_memory(error, "the list of scenes", sizeof *examples);
        return NULL;
    }
    const char *folder = ooze_argument_text(arguments, "scenes");
    OozeStatus status = OOZE_OK;
    if (folder) {
        ooze_text_append(&examples->folder, "%s", folder);
        status = examples->folder.failed ? ooze_fail_memory(error, folder, 0) : OOZE_OK;
    } else if (!ooze_shared_path("scenes", "scenes", &examples->folder)) {
        status = ooze_fail(error, OOZE_ERROR_FILE, "say where they are with --scenes DIR",
                           "the scenes are neither installed with this command nor in the tree it "
                           "was built in");
    }
    status = status ? status : find_examples(examples, error);
    if (!status && examples->count == 0) {
        status = ooze_fail(error, OOZE_ERROR_FILE, "say where they are with --scenes DIR",
                           "there are no scenes in '%s'", examples->folder.data);
    }
    if (status) {
        free_examples(examples);
        return NULL;
    }
    return examples;
}

static bool append_path(const Examples *examples, const char *name, OozeText *path)
{
    ooze_text_clear(path);
    ooze_text_append(path, "%s/%s.yaml", examples->folder.data, name);
    return !path->failed;
}

/* Prints those whose names begin with `folder` and a slash; NULL: all. A file without a valid
   scene, as one that others include, is left out. Returns how many there are. */
static int list_examples(const Examples *examples, const char *folder)
{
    int count = 0;
    size_t length = folder ? strlen(folder) : 0;
    OozeText path = {0};
    for (int i = 0; i < examples->count; i++) {
        const char *name = examples->names[i];
        bool listed = !folder || (strncmp(name, folder, length) == 0 && name[length] == '/');
        if (!listed || !append_path(examples, name, &path)) {
            continue;
        }
        OozeScene *scene = NULL;
        OozeError error = {0};
        if (ooze_scene_load(path.data, NULL, 0, &scene, &error) == OOZE_OK) {
            printf("%-52s %s\n", name, ooze_scene_info(scene)->title);
            count++;
        }
        ooze_scene_free(scene);
    }
    ooze_text_clear(&path);
    return count;
}

/* The scene of this name, with or without its folder; NULL after a usage error. */
static const char *find_example(const OozeArguments *arguments, const Examples *examples,
                                const char *word)
{
    const char *found = NULL, *other = NULL;
    for (int i = 0; i < examples->count; i++) {
        const char *name = examples->names[i];
        if (strcmp(name, word) == 0) {
            return name;
        }
        if (strcmp(ooze_base_name(name), word) == 0) {
            other = found;
            found = name;
        }
    }
    if (other) {
        ooze_usage_error(arguments->command, "there are several scenes '%s', such as %s and %s",
                         word, other, found);
        return NULL;
    }
    if (!found) {
        const char *names[EXAMPLES_MAX];
        for (int i = 0; i < examples->count; i++) {
            const char *name = examples->names[i];
            names[i] = strchr(word, '/') ? name : ooze_base_name(name);
        }
        const OozeUnknownWord unknown = {"scene", word, names, examples->count,
                                         "'ooze examples' lists them"};
        ooze_unknown_word(arguments->command, &unknown);
    }
    return found;
}

static int copy_example(const OozeArguments *arguments, const Examples *examples, const char *word)
{
    const char *name = find_example(arguments, examples, word);
    if (!name) {
        return OOZE_EXIT_USAGE;
    }
    const char *folder = ooze_argument_text(arguments, "output");
    OozeText path = {0};
    OozeError error = {0};
    OozeStatus status = append_path(examples, name, &path)
                            ? ooze_example_copy(path.data, folder ? folder : ".",
                                                ooze_argument_given(arguments, "force"), &error)
                            : ooze_fail_memory(&error, "the path of a scene", 0);
    ooze_text_clear(&path);
    return status ? ooze_report_error(&error) : OOZE_EXIT_OK;
}

static int run(const OozeArguments *arguments)
{
    OozeError error = {0};
    Examples *examples = open_examples(arguments, &error);
    if (!examples) {
        return ooze_report_error(&error);
    }
    const char *word = arguments->operand_count > 0 ? arguments->operands[0] : NULL;
    int code = OOZE_EXIT_OK;
    if (ooze_argument_given(arguments, "names")) {
        for (int i = 0; i < examples->count; i++) {
            printf("%s\n", examples->names[i]);
        }
    } else if (list_examples(examples, word) == 0 && word) {
        code = copy_example(arguments, examples, word);
    }
    free_examples(examples);
    return code;
}

static const OozeOperand operands[] = {
    {"NAME",
     "the scene to copy, such as `honey_toast` or `gallery/honey_toast`; a folder, such as "
     "`gallery`: list its scenes; by default all are listed",
     true}};

static const OozeOption options[] = {
    {"output", 'o', "DIR", false, "where to copy; by default the current folder"},
    {"force", 0, NULL, false, "replace files that exist with other contents"},
    {"names", 0, NULL, false, "list the names of all scene files alone"},
    {"scenes", 0, "DIR", false, "the folder of the scenes, where it is not found"},
};

const OozeCommand ooze_command_examples = {
    .name = "examples",
    .synopsis = "[NAME] [-o DIR] [--force]",
    .summary = "List the scenes that are installed, or copy one",
    .details = "Scenes that the scene includes are copied beside it, meshes and height maps into "
               "the folder `meshes`; paths in the copies are changed accordingly. A file that is "
               "there already with the same contents is kept; where one has other contents, no "
               "file is written unless `--force` is given.",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
