/* A scene while it is read and after: sources, tree, definitions, diagnostics. */
#ifndef OOZE_SCENE_SCENE_H
#define OOZE_SCENE_SCENE_H

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "ooze/render.h"
#include "ooze/surface.h"
#include "scene/keys.h"
#include "scene/node.h"

struct OozeStepContext; /* methods/method.h */

/* Both ends of a periodic axis. */
typedef struct OozeSceneRange {
    bool given;
    double min, max;
} OozeSceneRange;

/* Bounds of a picture in a scene; the command states the memory that a larger one would need. */
enum { OOZE_PICTURE_SIDE_MAX = 65535, OOZE_PICTURE_SAMPLES_MAX = 1 << 20 };

enum { OOZE_SCENE_PARAMS_MAX = 64 }; /* settings of one method */

typedef struct OozeSceneMethod {
    int index;    /* into ooze_method_info */
    double error; /* of the flow, for what is left to the program */
    double params[OOZE_SCENE_PARAMS_MAX];
} OozeSceneMethod;

/* Definitions name their material; ids exist only once a world does. */
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

/* A change as it is written, and what it means once the names are known. */
typedef struct OozeSceneChange {
    const char *set; /* path of a number: "materials.cream.compliance" */
    const char *to;
    OozeChangeDef def;
} OozeSceneChange;

/* Where the key table's rows land. */
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
    OozeRenderDef render;
    OozeSurfaceSettings surface;
} OozeSceneDef;

typedef struct OozeSceneScales OozeSceneScales; /* see scales.h */

struct OozeScene {
    OozeArena *arena; /* everything below that is not named `owned` or counted */
    bool out_of_memory;
    bool too_many_nodes; /* reported once */
    int node_count;
    OozeSource *sources; /* newest first */
    int source_count;
    const OozeSource *main;
    OozeNode *root; /* with includes and overrides applied */
    OozeSceneDef def;
    OozeSceneInfo info;
    const OozeSceneScales *scales; /* NULL: not computed yet */
    const char *chosen;            /* what was left to the program, in words; NULL: nothing was */
    OozeText canonical;
    uint64_t *filled; /* particles of each fluid, noted by the last build */
    OozeDiagnostic *diagnostics;
    int diagnostic_count, diagnostic_capacity;
    int error_count; /* including those beyond the bound on diagnostics */
};

/* ---- memory of the scene ------------------------------------------------------------------- */

/* From the arena, cleared; NULL sets out_of_memory. */
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
/* The beginning of a text for a message: whole characters, and none that would break the line. */
enum { OOZE_CLIP_MAX = 64 };
const char *ooze_clip(const char *text, char shown[OOZE_CLIP_MAX]);
/* "did you mean 'x'?", or NULL. */
const char *ooze_scene_did_you_mean(OozeScene *scene, const char *word, const char *const *known,
                                    int count);

/* Bytes of the line break at `text` (LF, CR, CRLF, NEL, LS, PS: what YAML counts), or 0. */
size_t ooze_line_break(const char *text, size_t size);

/* ---- stages of reading ----------------------------------------------------------------------- */

/* Adds a source; NULL when out of memory. `text` must outlive the scene, or be `owned`. */
OozeSource *ooze_source_add(OozeScene *scene, const char *name, const char *text, size_t size,
                            char *owned, const OozeSource *includer);
/* Reads a file as a source; NULL: see `error`, or out of memory. */
OozeSource *ooze_source_open(OozeScene *scene, const char *path, const OozeSource *includer,
                             OozeError *error);
/* Parses a source and folds its includes in. NULL after reporting. */
OozeNode *ooze_scene_assemble(OozeScene *scene, OozeSource *source, int depth);
/* Folds `over` into `under`, both maps of the same section: sections and maps of sections merge,
   lists of sections append, anything else is replaced. */
void ooze_node_merge(const OozeSection *section, OozeNode *under, OozeNode *over);
/* Puts one `KEY.PATH=VALUE` into the tree. */
void ooze_scene_override(OozeScene *scene, const char *override);
/* Puts the numbers of presets under those that their materials give; unknown ones are left to the
   reading. */
void ooze_scene_fold_presets(OozeScene *scene);
/* What a preset stands for, as the lines of a scene's material. */
void ooze_preset_write(OozeText *text, const OozePresetInfo *info, int indent);
/* Index of the material of that name; -1: there is none, or no name. */
int ooze_scene_find_material(const OozeSceneDef *def, const char *name);
int ooze_scene_find_solid(const OozeSceneDef *def, const char *name); /* the same */
/* The tree into the definitions, checking everything. */
void ooze_scene_read(OozeScene *scene);
/* One section: `item` is filled with defaults first, then with what the map gives. */
void ooze_section_read(OozeScene *scene, const OozeSection *section, const OozeNode *node,
                       void *item);
/* One value; `node` is what was written for the row's key. */
void ooze_value_read(OozeScene *scene, const OozeKey *row, const OozeNode *node, void *item);
/* Whether a scalar can be a name; reports when not. */
bool ooze_name_check(OozeScene *scene, const OozeNode *node);
/* Child number i of what stands under `key` at the top; NULL where there is none. */
const OozeNode *ooze_scene_item_node(const OozeScene *scene, const char *key, int index);
/* What no single row can tell: names, references, order, and the values that depend on others. */
void ooze_scene_finish(OozeScene *scene);
/* Chooses the time step and the settings that are left to the program. */
void ooze_scene_choose(OozeScene *scene);
/* Finds the numbers that changes name, and reads their values. */
void ooze_scene_finish_changes(OozeScene *scene);
/* Warns at a node, or at the scene as a whole where it is NULL. */
void ooze_scene_warn(OozeScene *scene, const OozeNode *at, const char *hint, const char *format,
                     ...) OOZE_PRINTF(4, 5);
/* What the method has to say about materials and settings. */
void ooze_scene_check_advice(OozeScene *scene, OozeWorld *world);
/* Numbers of heat that do nothing, or that take long. */
void ooze_scene_check_heat(OozeScene *scene, const OozeWorld *world);
/* Materials as stiff as their temperature tables make them: what advice is about. */
void ooze_scene_cool_materials(OozeScene *scene, const OozeWorld *world,
                               struct OozeStepContext *context);
/* Traps that need the particles: fluid in solids, fluids in each other, outside the box. */
OozeStatus ooze_scene_check_particles(OozeScene *scene, OozeWorld *world, OozeError *error);
/* Of those, what shows in dynamic solids. */
OozeStatus ooze_scene_check_bodies(OozeScene *scene, const OozeWorld *world, OozeError *error);
/* Checksum of the file that a section's item names; false where it names none or none can be
   read. */
enum { OOZE_CHECKSUM_MAX = 17 };
bool ooze_section_checksum(const OozeSection *section, const void *item,
                           char text[OOZE_CHECKSUM_MAX]);
/* The definitions as text. */
void ooze_scene_write_canonical(OozeScene *scene);
/* One value of a definition as YAML: anything but rotations, sections and lists. */
void ooze_value_write(OozeText *text, const OozeKey *row, const void *item);

/* Path of a file named in `source`, relative to its folder; NULL when out of memory. */
const char *ooze_source_resolve(OozeScene *scene, const OozeSource *source, const char *path);

/* Numbers are written with a point whatever the program's locale says: bracket all formatting. */
typedef struct OozeLocaleGuard {
    void *c, *saved;
} OozeLocaleGuard;
OozeLocaleGuard ooze_locale_enter(void);
void ooze_locale_leave(OozeLocaleGuard guard);

#endif
