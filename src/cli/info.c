/* ooze info: contents of a run, frame, mesh, height map or scene. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/facts.h"
#include "cli/report.h"
#include "mesh/read.h"
#include "ooze/ooze.h"
#include "output/run_frames.h"
#include "solids/heightfield.h"

#define VERIFY_BYTES ((uint64_t)4 << 30) /* frames of a run are read to verify them up to here */

static const char *material_name(const void *items, int i)
{
    return ((const OozeMaterialView *)items)[i].name;
}

static const char *solid_name(const void *items, int i)
{
    return ((const OozeSolidView *)items)[i].name;
}

static int print_hash(const OozeFrame *frame)
{
    printf("%016llx\n", (unsigned long long)ooze_frame_hash(frame));
    return OOZE_EXIT_OK;
}

static void add_hash(OozeFacts *facts, const OozeFrame *frame)
{
    char text[24];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)ooze_frame_hash(frame));
    ooze_facts_text(facts, "hash", text);
}

static void add_frame(OozeFacts *facts, const OozeFrame *frame)
{
    static const char *const axes[] = {"x", "y", "z"};
    ooze_facts_text(facts, "method", frame->method);
    ooze_facts_count(facts, "frame", frame->index);
    ooze_facts_count(facts, "step", frame->step);
    ooze_facts_real(facts, "time", frame->time, "s");
    ooze_facts_count(facts, "particles", frame->particle_count);
    ooze_facts_real(facts, "spacing", frame->spacing, "m");
    ooze_facts_real(facts, "support", frame->support, "m");
    ooze_facts_text(facts, "up", axes[frame->up]);
    ooze_facts_names(facts, "materials", frame->material_count, material_name, frame->materials);
    ooze_facts_names(facts, "solids", frame->solid_count, solid_name, frame->solids);
    add_hash(facts, frame);
    ooze_facts_fields(facts, frame);
    ooze_facts_state(facts, frame);
}

static int info_frame(const char *path, bool hash, bool json)
{
    OozeError error = {0};
    OozeFrame *frame = NULL;
    if (ooze_frame_open(path, &frame, &error)) {
        return ooze_report_error(&error);
    }
    int code;
    if (hash) {
        code = print_hash(frame);
    } else {
        OozeFacts facts;
        ooze_facts_begin(&facts, json);
        ooze_facts_text(&facts, "kind", "frame");
        add_frame(&facts, frame);
        code = ooze_facts_end(&facts);
    }
    ooze_frame_close(frame);
    return code;
}

/* ---- run folders -------------------------------------------------------------------------- */

static uint64_t disk_bytes(const OozeRunFolder *run)
{
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < run->frame_count; i++) {
        char *path = ooze_run_frame_path(run, run->frames[i]);
        struct stat info;
        bytes += path && stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
        ooze_free(path);
    }
    return bytes;
}

static void add_scene(OozeFacts *facts, const OozeRunFolder *run)
{
    char *path = ooze_run_file_path(run, "scene.yaml");
    OozeScene *scene = NULL;
    OozeError error;
    if (path && !ooze_scene_load_run(path, NULL, 0, &scene, &error)) {
        const OozeSceneInfo *info = ooze_scene_info(scene);
        ooze_facts_text(facts, "title", info->title ? info->title : "");
        ooze_facts_count(facts, "last_planned", info->frame_count);
        ooze_facts_flag(facts, "finished",
                        run->frame_count > 0 &&
                            run->frames[run->frame_count - 1] >= info->frame_count);
    }
    ooze_scene_free(scene);
    ooze_free(path);
}

/* Numbers of frames, written as for --frames: "7" or "2:5". */
typedef struct SpanNames {
    char (*names)[48];
    int count;
} SpanNames;

static const char *span_name(const void *items, int i)
{
    return ((const SpanNames *)items)->names[i];
}

static uint64_t add_spans(OozeFacts *facts, const char *key, const OozeFrameSpans *spans,
                          OozeFrameState state)
{
    uint64_t frames = 0;
    SpanNames list = {.names = ooze_alloc_zero(spans->count + 1, sizeof *list.names)};
    for (uint64_t i = 0; list.names && i < spans->count; i++) {
        const OozeFrameSpan *span = &spans->items[i];
        if (span->state != state) {
            continue;
        }
        char *name = list.names[list.count++];
        int used = snprintf(name, sizeof *list.names, "%llu", (unsigned long long)span->first);
        if (span->last > span->first) {
            snprintf(name + used, sizeof *list.names - (size_t)used, ":%llu",
                     (unsigned long long)span->last);
        }
        frames += span->last - span->first + 1;
    }
    ooze_facts_names(facts, key, list.count, span_name, &list);
    ooze_free(list.names);
    return frames;
}

/* Lists the frames of each state; returns how many are missing or damaged. */
static uint64_t add_frames(OozeFacts *facts, const OozeRunFolder *run, uint64_t bytes, bool verify)
{
    OozeFrameSpans spans;
    bool contents = verify || bytes <= VERIFY_BYTES;
    (void)ooze_run_check_frames(run, contents, &spans, NULL); /* out of memory: a shorter list */
    add_spans(facts, "present", &spans, OOZE_FRAME_PRESENT);
    uint64_t lost = add_spans(facts, "missing", &spans, OOZE_FRAME_MISSING) +
                    add_spans(facts, "damaged", &spans, OOZE_FRAME_DAMAGED);
    ooze_facts_flag(facts, "verified", contents);
    ooze_frame_spans_free(&spans);
    return lost;
}

static OozeStatus open_last(const OozeRunFolder *run, OozeFrame **frame, OozeError *error)
{
    if (run->frame_count == 0) {
        return ooze_fail(error, OOZE_ERROR_FILE, "", "'%s' has no finished frame yet", run->path);
    }
    return ooze_run_open_frame(run, run->frames[run->frame_count - 1], frame, error);
}

static int info_run(const char *path, bool hash, bool json, bool verify)
{
    OozeError error = {0};
    OozeRunFolder *run = NULL;
    OozeFrame *frame = NULL;
    if (ooze_run_open(path, false, &run, &error)) {
        return ooze_report_error(&error);
    }
    OozeStatus status = open_last(run, &frame, &error);
    int code = OOZE_EXIT_OK;
    if (hash) {
        code = status ? ooze_report_error(&error) : print_hash(frame);
    } else {
        OozeFacts facts;
        ooze_facts_begin(&facts, json);
        ooze_facts_text(&facts, "kind", "run");
        ooze_facts_text(&facts, "path", run->path);
        add_scene(&facts, run);
        ooze_facts_count(&facts, "frames", run->frame_count);
        uint64_t bytes = disk_bytes(run);
        uint64_t lost = add_frames(&facts, run, bytes, verify);
        ooze_facts_flag(&facts, "checkpoint", run->has_checkpoint);
        ooze_facts_count(&facts, "frame_bytes", bytes);
        if (!status) {
            add_frame(&facts, frame);
        }
        code = ooze_facts_end(&facts);
        if (status && run->frame_count > 0) {
            code = ooze_report_error(&error);
        } else if (lost > 0 && code == OOZE_EXIT_OK) {
            code = ooze_report_damaged(lost);
        }
    }
    ooze_frame_close(frame);
    ooze_run_close(run);
    return code;
}

/* ---- meshes and scenes -------------------------------------------------------------------- */

static int info_mesh(const char *path, bool json)
{
    OozeError error = {0};
    OozeMesh *mesh = NULL;
    if (ooze_mesh_read(path, &mesh, &error)) {
        return ooze_report_error(&error);
    }
    OozeVec3 min = {NAN, NAN, NAN}, max = min;
    for (uint64_t i = 0; i < mesh->vertex_count; i++) {
        const OozeVec3 *v = &mesh->vertices[i];
        min = (OozeVec3){fmin(min.x, v->x), fmin(min.y, v->y), fmin(min.z, v->z)};
        max = (OozeVec3){fmax(max.x, v->x), fmax(max.y, v->y), fmax(max.z, v->z)};
    }
    OozeFacts facts;
    ooze_facts_begin(&facts, json);
    ooze_facts_text(&facts, "kind", "mesh");
    ooze_facts_count(&facts, "vertices", mesh->vertex_count);
    ooze_facts_count(&facts, "triangles", mesh->triangle_count);
    ooze_facts_flag(&facts, "watertight", mesh->watertight);
    ooze_facts_real(&facts, "area", ooze_mesh_area(mesh), "m2");
    /* Only a closed surface has a volume. */
    ooze_facts_real(&facts, "volume", mesh->watertight ? ooze_mesh_volume(mesh) : NAN, "m3");
    ooze_facts_vector(&facts, "min", min, "m");
    ooze_facts_vector(&facts, "max", max, "m");
    ooze_mesh_free(mesh);
    return ooze_facts_end(&facts);
}

static int info_height_map(const char *path, bool json)
{
    OozeError error = {0};
    OozeHeightMap map = {0};
    if (ooze_height_map_read(path, &map, &error)) {
        return ooze_report_error(&error);
    }
    float low = map.heights[0], high = low;
    for (uint64_t i = 1; i < (uint64_t)map.columns * map.rows; i++) {
        low = fminf(low, map.heights[i]);
        high = fmaxf(high, map.heights[i]);
    }
    const char *unit = map.in_grey ? "of height_scale" : "m";
    OozeFacts facts;
    ooze_facts_begin(&facts, json);
    ooze_facts_text(&facts, "kind", "height map");
    ooze_facts_count(&facts, "columns", map.columns);
    ooze_facts_count(&facts, "rows", map.rows);
    if (map.cell > 0.0) { /* a picture has no size in metres */
        ooze_facts_real(&facts, "cell", map.cell, "m");
    }
    ooze_facts_real(&facts, "low", (double)low, unit);
    ooze_facts_real(&facts, "high", (double)high, unit);
    ooze_free(map.heights);
    return ooze_facts_end(&facts);
}

static int info_scene(const char *path, bool json)
{
    OozeError error = {0};
    OozeScene *scene = NULL;
    OozeStatus status = ooze_scene_load(path, NULL, 0, &scene, &error);
    int code;
    if (ooze_report_scene(scene, NULL) > 0) {
        code = OOZE_EXIT_FAILED;
    } else if (status) {
        code = ooze_report_error(&error);
    } else {
        const OozeSceneInfo *info = ooze_scene_info(scene);
        OozeFacts facts;
        ooze_facts_begin(&facts, json);
        ooze_facts_text(&facts, "kind", "scene");
        ooze_facts_text(&facts, "title", info->title ? info->title : "");
        ooze_facts_real(&facts, "duration", info->duration, "s");
        ooze_facts_real(&facts, "frame_rate", info->frame_rate, "1/s");
        ooze_facts_count(&facts, "last_frame", info->frame_count);
        ooze_facts_count(&facts, "steps", info->frame_count * info->steps_per_frame);
        ooze_facts_real(&facts, "time_step", info->time_step, "s");
        code = ooze_facts_end(&facts);
    }
    ooze_scene_free(scene);
    return code;
}

/* ---- telling them apart ------------------------------------------------------------------- */

typedef enum Kind { KIND_RUN, KIND_FRAME, KIND_MESH, KIND_HEIGHTS, KIND_SCENE, KIND_UNKNOWN } Kind;

static Kind kind_of(const char *path, const struct stat *info)
{
    static const struct {
        const char *suffix;
        Kind kind;
    } suffixes[] = {
        {".h5", KIND_FRAME},    {".obj", KIND_MESH},    {".ply", KIND_MESH},   {".stl", KIND_MESH},
        {".pgm", KIND_HEIGHTS}, {".asc", KIND_HEIGHTS}, {".yaml", KIND_SCENE}, {".yml", KIND_SCENE},
    };
    if (S_ISDIR(info->st_mode)) {
        return KIND_RUN;
    }
    const char *suffix = strrchr(path, '.');
    for (int i = 0; suffix && i < OOZE_ROWS(suffixes); i++) {
        if (strcasecmp(suffix, suffixes[i].suffix) == 0) {
            return suffixes[i].kind;
        }
    }
    return KIND_UNKNOWN;
}

static int run(const OozeArguments *arguments)
{
    const char *path = arguments->operands[0];
    bool hash = ooze_argument_given(arguments, "hash");
    bool json = ooze_argument_given(arguments, "json");
    if (hash && json) {
        return ooze_usage_error(arguments->command,
                                "options --hash and --json exclude each other; the JSON has it");
    }
    OozeError error = {0};
    struct stat info;
    if (stat(path, &info) != 0) {
        ooze_fail_file(&error, OOZE_ERROR_FILE, "open", path, errno);
        return ooze_report_error(&error);
    }
    Kind kind = kind_of(path, &info);
    if (hash && kind != KIND_RUN && kind != KIND_FRAME) {
        ooze_fail(&error, OOZE_ERROR_ARGUMENT, "", "only a run folder or a frame file has a hash");
        return ooze_report_error(&error);
    }
    switch (kind) {
    case KIND_RUN:
        return info_run(path, hash, json, ooze_argument_given(arguments, "verify"));
    case KIND_FRAME:
        return info_frame(path, hash, json);
    case KIND_MESH:
        return info_mesh(path, json);
    case KIND_HEIGHTS:
        return info_height_map(path, json);
    case KIND_SCENE:
        return info_scene(path, json);
    default:
        ooze_fail(&error, OOZE_ERROR_ARGUMENT,
                  "give a run folder, a frame (.h5), a mesh (.obj .ply .stl), a height map (.pgm "
                  ".asc) or a scene (.yaml)",
                  "the suffix of '%s' is unknown", path);
        return ooze_report_error(&error);
    }
}

static const OozeOperand operands[] = {
    {"PATH",
     "a run folder, a frame file (.h5), a mesh (.obj, .ply, .stl), a height map (.pgm, .asc) or a "
     "scene (.yaml)",
     false},
};

static const OozeOption options[] = {
    {"hash", 0, NULL, false, "only the hash of the state (of a run: of its last frame)"},
    {"json", 0, NULL, false, "the facts as one JSON object"},
    {"verify", 0, NULL, false,
     "read every frame of a run, also where they have more than 4 GiB, to find damaged ones"},
};

const OozeCommand ooze_command_info = {
    .name = "info",
    .synopsis = "PATH [--hash | --json] [--verify]",
    .summary = "Show the contents of a run, frame, mesh, height map or scene",
    .details =
        "For a frame the whole state is listed by name: fields of the particles with their "
        "ranges, settings, materials, solids, emitters and states of probes. The hash covers "
        "all of it: two runs with the same hash are bitwise equal.\n\n"
        "For a run the numbers of its frames are listed as ranges `A:B`: those present, those "
        "missing before the last one, and those damaged. Frames of up to 4 GiB in total are read "
        "and compared with their checksums (`verified`); of more only headers and lengths are "
        "checked, unless `--verify` is given. Where a frame is missing or damaged the exit code "
        "is 1.",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
