/* A scene: its sources, tree, definitions and diagnostics. */
#ifndef OOZE_SCENE_SCENE_H
#define OOZE_SCENE_SCENE_H

#include "base/bounds.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "materials/material.h"
#include "ooze/render.h"
#include "ooze/surface.h"
#include "scene/keys.h"
#include "scene/node.h"

struct OozeMethod; /* methods/method.h */
struct OozeStepContext;

/* Both ends of a periodic axis. */
typedef struct OozeSceneRange {
    bool given;
    double min, max;
} OozeSceneRange;

/* Limits of a picture's sides in pixels and of its samples per pixel. */
enum { OOZE_PICTURE_SIDE_MAX = 65535, OOZE_PICTURE_SAMPLES_MAX = 1 << 20 };
#define OOZE_PICTURE_COORDINATE_MAX 1e6  /* m, of cameras and lights */
#define OOZE_LIGHT_SIZE_MIN         1e-4 /* m */
#define OOZE_LIGHT_STRENGTH_MAX     1e6

enum { OOZE_SCENE_PARAMS_MAX = 64 }; /* settings of one method */

typedef struct OozeSceneMethod {
    int index;    /* into ooze_method_info */
    double error; /* relative error of the flow that values chosen for `auto` may cause */
    double params[OOZE_SCENE_PARAMS_MAX];
} OozeSceneMethod;

/* Definitions of a scene refer to materials by name: ids exist in a world only. */
typedef struct OozeSceneFluid {
    OozeFluidDef def;
    const char *material;
} OozeSceneFluid;

typedef struct OozeSceneEmitter {
    OozeEmitterDef def;
    const char *material;
} OozeSceneEmitter;

typedef struct OozeSceneJoint {
    OozeJointDef def;
    const char *solid, *other; /* other NULL: the world */
} OozeSceneJoint;

typedef struct OozeSceneProbe {
    OozeProbeDef def;
    const char *material; /* NULL: all */
} OozeSceneProbe;

typedef struct OozeSceneNumbers {
    double values[OOZE_MATERIAL_PARAM_COUNT]; /* NAN: not given */
} OozeSceneNumbers;

/* A change as written, and the definition that ooze_scene_finish_changes derives from it. */
typedef struct OozeSceneChange {
    const char *set; /* path of a number: "materials.cream.compliance" */
    const char *to;  /* NULL: all numbers of a material change, and `set` is "materials.cream" */
    OozeSceneNumbers numbers;
    OozeChangeDef def; /* where all change, that of the first of them */
} OozeSceneChange;

/* Rounding of times in a scene file: of the duration in frames, and of the time step as a share of
   it. */
#define OOZE_FRAME_ROUNDING 1e-3
#define OOZE_STEP_ROUNDING  2e-6

/* The values of a scene: the offsets of the key table refer to it. */
typedef struct OozeSceneDef {
    int version;
    const char *title;
    OozeWorldDef world;
    OozeSceneMethod method;
    double duration, frame_rate;
    OozeSceneRange periodic[3];
    OozeMaterialDef *materials;
    int material_count;
    OozeSceneFluid *fluids;
    int fluid_count;
    OozeSolidDef *solids;
    int solid_count;
    OozeSceneJoint *joints;
    int joint_count;
    OozeSceneEmitter *emitters;
    int emitter_count;
    OozeSinkDef *sinks;
    int sink_count;
    OozeHeatSourceDef *heat_sources;
    int heat_source_count;
    OozeSceneProbe *probes;
    int probe_count;
    OozeSceneChange *changes;
    int change_count;
    OozePushDef *pushes;
    int push_count;
    OozeRenderDef render;
    OozeSurfaceSettings surface;
} OozeSceneDef;

typedef struct OozeSceneScales OozeSceneScales;   /* see scales.h */
typedef struct OozeSceneDerived OozeSceneDerived; /* see derive.h */

struct OozeScene {
    OozeArena *arena; /* for all but owned texts, `canonical` and `diagnostics` */
    bool of_run;      /* see ooze_scene_load_run */
    bool out_of_memory;
    bool too_many_nodes; /* reported once */
    int node_count;
    OozeSource *sources; /* newest first */
    int source_count;
    const OozeSource *main;
    OozeNode *root; /* with includes and overrides merged */
    OozeSceneDef def;
    OozeSceneInfo info;
    const OozeSceneScales *scales; /* NULL: not computed yet */
    OozeSceneDerived *derived;     /* of each material: derive.h; NULL: none has a preset */
    const char *chosen;            /* values chosen for `auto`, as text; NULL: none */
    OozeText canonical;
    uint64_t *filled; /* number of particles of each fluid in the last world built */
    bool counted;     /* that world has no particles of fluids: `filled` is counted */
    OozeDiagnostic *diagnostics;
    int diagnostic_count, diagnostic_capacity;
    int error_count; /* including errors beyond OOZE_SCENE_DIAGNOSTICS_MAX */
};

/* A scene without sources; NULL: out of memory. */
OozeScene *ooze_scene_create(void);
/* Fills `error` with the first error of the diagnostics, which have all of them. */
OozeStatus ooze_scene_fail(const OozeScene *scene, OozeError *error);

/* ---- memory of the scene ------------------------------------------------------------------- */

/* Zeroed memory from the arena; NULL: out of memory, and scene->out_of_memory is set. */
void *ooze_scene_alloc(OozeScene *scene, size_t count, size_t size);
const char *ooze_scene_copy(OozeScene *scene, const char *text, size_t length);
const char *ooze_scene_format(OozeScene *scene, const char *format, ...) OOZE_PRINTF(2, 3);

/* ---- reports --------------------------------------------------------------------------------- */

typedef struct OozePlace {
    const OozeSource *source;
    int line, column; /* from 1; 0: the source as a whole */
} OozePlace;
OozePlace ooze_node_place(const OozeNode *node);

/* `hint` may be NULL. */
void ooze_scene_report(OozeScene *scene, OozeSeverity severity, OozePlace place, const char *hint,
                       const char *format, ...) OOZE_PRINTF(5, 6);
/* An error at a node. */
void ooze_scene_error(OozeScene *scene, const OozeNode *at, const char *hint, const char *format,
                      ...) OOZE_PRINTF(4, 5);
/* Listed behind the errors found before, whatever its line: a missing key may be a misspelt one,
   which is named first. */
void ooze_scene_error_behind(OozeScene *scene, const OozeNode *at, const char *hint,
                             const char *format, ...) OOZE_PRINTF(4, 5);
/* The beginning of a text for a message, cut between characters and without control characters. */
enum { OOZE_CLIP_MAX = 64 };
const char *ooze_clip(const char *text, char shown[OOZE_CLIP_MAX]);
/* "did you mean 'x'?", or NULL. */
const char *ooze_scene_did_you_mean(OozeScene *scene, const char *word, const char *const *known,
                                    int count);

/* Reports a setting of the method (NULL: none) that is gone; false: it is not. It is an error; a
   warning in the scene of a run, and where the value that it is given has no effect. `value` NULL:
   it is the target of a change. */
bool ooze_scene_report_gone(OozeScene *scene, const struct OozeMethod *method, const char *key,
                            const OozeNode *at, const OozeNode *value);
/* The same for a key of a section, such as `render`; nothing is said in the scene of a run. */
bool ooze_scene_report_gone_key(OozeScene *scene, const char *section, const OozeNode *key);
/* The same for the value of a choice; stores the choice that is left in its place. */
bool ooze_scene_read_gone_choice(OozeScene *scene, const OozeKey *row, const OozeNode *node,
                                 void *item);

/* Bytes of the line break at `text` (one of YAML's: LF, CR, CRLF, NEL, LS, PS), or 0. */
size_t ooze_line_break(const char *text, size_t size);
/* Bytes of the UTF-8 byte order mark at the beginning, or 0. */
size_t ooze_byte_order_mark(const char *text, size_t size);

/* ---- stages of reading ----------------------------------------------------------------------- */

/* Adds a source; NULL: out of memory. `text` must outlive the scene, unless it is `owned`. */
OozeSource *ooze_source_add(OozeScene *scene, const char *name, const char *text, size_t size,
                            char *owned, const OozeSource *includer);
/* Reads a file as a source; NULL: see `error`, or out of memory. */
OozeSource *ooze_source_open(OozeScene *scene, const char *path, const OozeSource *includer,
                             OozeError *error);
/* Parses a source and merges its includes. NULL: an error was reported. */
OozeNode *ooze_scene_assemble(OozeScene *scene, OozeSource *source, int depth);
/* Merges `over` into `under`, both maps of the same section: sections and maps of sections are
   merged, lists of sections appended, other values replaced. */
void ooze_node_merge(const OozeSection *section, OozeNode *under, OozeNode *over);
/* Applies one override `KEY.PATH=VALUE` to the tree. */
void ooze_scene_override(OozeScene *scene, const char *override);
/* Adds the numbers of presets to the materials that name them, except numbers that the material
   gives. Unknown presets are reported by ooze_scene_read. */
void ooze_scene_merge_presets(OozeScene *scene);
/* Replaces these numbers by those of the scene's method. */
void ooze_scene_derive(OozeScene *scene);
/* Warnings about presets that the method does not show entirely. */
void ooze_scene_check_presets(OozeScene *scene);
/* Writes a preset as the lines of a scene's material. */
void ooze_preset_write(OozeText *text, const OozePresetInfo *info, int indent);
/* Index of the material or solid of that name; -1: there is none, or name is NULL. */
int ooze_scene_find_material(const OozeSceneDef *def, const char *name);
int ooze_scene_find_solid(const OozeSceneDef *def, const char *name);
/* Reads the definitions from the tree, and checks them. */
void ooze_scene_read(OozeScene *scene);
/* Reads one section: sets `item` to its defaults, then to the values of the map. */
void ooze_section_read(OozeScene *scene, const OozeSection *section, const OozeNode *node,
                       void *item);
/* Reads one value: `node` is the value of the row's key. */
void ooze_value_read(OozeScene *scene, const OozeKey *row, const OozeNode *node, void *item);
/* Whether a scalar is a valid name; reports an error if not. */
bool ooze_name_check(OozeScene *scene, const OozeNode *node);
/* Item `index` of the list or map `key` of the scene; NULL: none. */
const OozeNode *ooze_scene_item_node(const OozeScene *scene, const char *key, int index);
/* Checks and completes definitions across keys: names, references, order, dependent values. */
void ooze_scene_finish(OozeScene *scene);
/* Chooses the time step and the settings that are `auto`. */
void ooze_scene_choose(OozeScene *scene);
/* Colours of the materials that have `color: palette`. */
void ooze_scene_color_materials(OozeScene *scene);
/* Resolves the paths of changes, and reads their values. */
void ooze_scene_finish_changes(OozeScene *scene);
/* Adds a change of the scene to a world. */
OozeStatus ooze_scene_add_change(const OozeSceneChange *change, OozeWorld *world, OozeError *error);
/* The i-th key of the target that can change while a world runs, without the axes of positions and
   of gravity; false past the last. */
bool ooze_scene_change_row(const OozeScene *scene, OozeChangeTarget target, int i, OozeKey *row);
/* Adds a warning at a node; NULL: for the whole scene. */
void ooze_scene_warn(OozeScene *scene, const OozeNode *at, const char *hint, const char *format,
                     ...) OOZE_PRINTF(4, 5);
/* Builds a world for the checks: fluids with many particles are counted and not placed. An error
   that the scene causes is added to its diagnostics, and *world is NULL. */
OozeStatus ooze_scene_build_for_check(OozeScene *scene, const OozeBuildOptions *options,
                                      OozeWorld **world, OozeError *error);
/* Builds a world as ooze_scene_build does, but fluids with many particles are counted and not
   placed. Where memory does not suffice for them, `refusal` receives the error of ooze_scene_build,
   and the world is built all the same. */
OozeStatus ooze_scene_build_counted(OozeScene *scene, const OozeBuildOptions *options,
                                    OozeWorld **world, OozeError *refusal, OozeError *error);
/* Builds a world for a trial: each fluid is shrunk to about `share` of its particles, and solids
   with many boundary samples have none. */
OozeStatus ooze_scene_build_trial(const OozeScene *scene, const OozeBuildOptions *options,
                                  double share, OozeWorld **world, OozeError *error);
/* Scales a shape to `share` of its volume, except along directions in which it is thin; its lowest
   point keeps its height. */
OozeStatus ooze_scene_shrink(const OozeWorldDef *world, OozeShapeDef *shape, double share,
                             OozeError *error);
/* Bounds of all fluids in the world; an empty box where there are none. */
OozeStatus ooze_scene_fluid_bounds(const OozeScene *scene, OozeBounds *bounds, OozeError *error);
/* Warns about narrow nozzles, and about nozzles that emit into one another. */
void ooze_scene_check_nozzles(OozeScene *scene, const OozeWorld *world);
/* Errors that a run would report at its start or in its first step. */
void ooze_scene_check_first_step(OozeScene *scene, OozeWorld *world);
/* Warnings of the method about materials and settings. */
void ooze_scene_check_advice(OozeScene *scene, OozeWorld *world);
/* Whether a number of a material is asked for: it is given in the scene file itself, as presets
   have numbers for every method, and differs from its default. */
bool ooze_scene_asks_for(const OozeScene *scene, int material, const OozeNode *number);
/* Warnings about heat numbers without effect, and about expensive conduction. */
void ooze_scene_check_heat(OozeScene *scene, const OozeWorld *world);
/* Temperatures that a material with a temperature table can have, degC: those of fluids, emitters,
   solids, heat sources, and of the air where that exchanges heat. Where a source has a power
   instead of a temperature, that end is the table's. */
OozeSceneRange ooze_scene_table_range(const OozeSceneDef *def, int material);
/* Replaces the context's materials by those at temperature i of a list that covers the range of
   each of them, the lowest first, for methods that use temperature tables. False past the last. */
bool ooze_scene_materials_at(OozeScene *scene, const struct OozeMethod *method, int i,
                             struct OozeStepContext *context);
/* Warnings about particles inside solids or other fluids, or outside the periodic box. */
OozeStatus ooze_scene_check_particles(OozeScene *scene, OozeWorld *world, OozeError *error);
/* Warnings about dynamic solids. */
OozeStatus ooze_scene_check_joints(OozeScene *scene, const OozeWorld *world, OozeError *error);
OozeStatus ooze_scene_check_bodies(OozeScene *scene, const OozeWorld *world, OozeError *error);
/* Checksum of the file that an item names; false: it names none, or it cannot be read. */
enum { OOZE_CHECKSUM_MAX = 17 };
bool ooze_section_checksum(const OozeSection *section, const void *item,
                           char text[OOZE_CHECKSUM_MAX]);
/* Writes the definitions to scene->canonical. */
void ooze_scene_write_canonical(OozeScene *scene);
/* Writes one value of a definition as YAML; not for rotations, sections and lists. */
void ooze_value_write(OozeText *text, const OozeKey *row, const void *item);

/* Path of a file named in `source`, relative to its folder; NULL when out of memory. */
const char *ooze_source_resolve(OozeScene *scene, const OozeSource *source, const char *path);

/* Numbers are formatted and parsed in the "C" locale, between enter and leave. */
typedef struct OozeLocaleGuard {
    void *c, *saved;
} OozeLocaleGuard;
OozeLocaleGuard ooze_locale_enter(void);
void ooze_locale_leave(OozeLocaleGuard guard);

#endif
