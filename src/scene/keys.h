/* The key table: every key a scene may hold, once. It drives reading, "did you mean", merging,
   overrides, the canonical text, the JSON schema and the reference page. */
#ifndef OOZE_SCENE_KEYS_H
#define OOZE_SCENE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ooze/types.h"

typedef enum OozeKeyType {
    OOZE_KEY_REAL,     /* double */
    OOZE_KEY_INTEGER,  /* int, or see OozeKeyStore */
    OOZE_KEY_SWITCH,   /* bool */
    OOZE_KEY_CHOICE,   /* an enum: position within the choices */
    OOZE_KEY_TEXT,     /* const char * */
    OOZE_KEY_NAME,     /* const char *: text that can stand in a path and in a table heading */
    OOZE_KEY_MATERIAL, /* const char *: the name of a material */
    OOZE_KEY_FILE,     /* const char *: resolved path of a file that exists */
    OOZE_KEY_CHECKSUM, /* of the section's file; lands nowhere */
    OOZE_KEY_INCLUDE,  /* handled while files are read; lands nowhere */
    OOZE_KEY_PRESET,   /* one of the choices; handled before sections are read; lands nowhere */
    OOZE_KEY_VEC3,     /* OozeVec3 */
    OOZE_KEY_VEC2,     /* OozeVec3, x and y */
    OOZE_KEY_SCALE,    /* OozeVec3, or one number for all three */
    OOZE_KEY_COLOR,    /* float[3], linear */
    OOZE_KEY_ROTATION, /* OozeQuat */
    OOZE_KEY_RANGE,    /* OozeSceneRange */
    OOZE_KEY_SECTION,  /* keys of their own, landing relative to `offset` */
    OOZE_KEY_LIST,     /* sections without names of their own: pointer and count */
    OOZE_KEY_MAP,      /* sections by name: pointer and count */
    OOZE_KEY_TYPE_COUNT
} OozeKeyType;

/* What stands in memory where it is not the type's own. */
typedef enum OozeKeyStore { OOZE_STORE_OWN, OOZE_STORE_DOUBLE, OOZE_STORE_UINT64 } OozeKeyStore;

/* "Any finite number": infinity itself is allowed only where `max` is INFINITY. */
#define OOZE_KEY_HUGE 1e12

typedef struct OozeSection OozeSection;

typedef struct OozeKey {
    const char *key;
    OozeKeyType type;
    const char *unit; /* "m"; "": a pure number */
    double min, max;  /* both allowed; for vectors, of each component */
    size_t offset;    /* within the definition of its section */
    const char *help;
    uint32_t variants; /* bit v: valid for variant v of the section; 0: for all */
    uint32_t required; /* bit v: must be given for variant v; OOZE_REQUIRED: always */
    OozeKeyStore store;
    const char *choices;        /* "smooth|linear" */
    const char *(*choice)(int); /* or by index, NULL past the last */
    const OozeSection *section; /* of SECTION, LIST and MAP */
    size_t count_offset;        /* of LIST and MAP: an int */
    const char *otherwise;      /* the default in words, where the definition does not show it */
    bool automatic;             /* a double that may be `auto`: it is then NAN until it is chosen */
} OozeKey;

#define OOZE_REQUIRED UINT32_MAX

struct OozeSection {
    const char *name; /* "solid" */
    const char *plural;
    const char *help;
    const OozeKey *keys;
    int key_count;
    size_t size; /* of the definition */
    /* Fills a definition as if nothing were given; variant -1: unknown. */
    void (*defaults)(void *item, int variant);
    /* Whether a key belongs to a variant, where another table knows it; keys that belong to none
       are valid for all. May be NULL: then each row's `variants` says. */
    bool (*owns)(int variant, const char *key);
    const char *shorthand;   /* the key that a scalar in place of the map stands for, or NULL */
    const char *variant_key; /* the key whose choice decides which others are valid, or NULL */
    /* Numbers from another public table, landing as doubles at params_offset; may be NULL. */
    const OozeParamInfo *(*params)(int variant, int *count);
    size_t params_offset;
    /* Whether one of these numbers may be `auto`; may be NULL: none. */
    bool (*automatic)(int variant, const char *key);
};

extern const OozeSection ooze_scene_root, ooze_section_shape, ooze_section_motion,
    ooze_section_turn, ooze_section_look, ooze_section_render, ooze_section_surface,
    ooze_section_temperature_row, ooze_section_air, ooze_section_heat_source, ooze_section_joint;

/* What `rotation: {axis: ..., degrees: ...}` is read into. */
typedef struct OozeTurn {
    OozeVec3 axis;
    double degrees;
} OozeTurn;

/* Row number i of a section and variant (-1: any), numbers of other tables included. False past the
   last. */
bool ooze_section_key(const OozeSection *section, int variant, int i, OozeKey *row);
bool ooze_section_find(const OozeSection *section, int variant, const char *key, OozeKey *row);
bool ooze_key_applies(const OozeKey *row, int variant);
bool ooze_key_is_required(const OozeKey *row, int variant);
/* The row that decides the variant; false where there is none. */
bool ooze_section_variant_key(const OozeSection *section, OozeKey *row);
int ooze_section_variant_count(const OozeSection *section); /* 0: none */

/* Every section of the format, each once, the scene itself first. Returns how many. */
enum { OOZE_SECTIONS_MAX = 32 };
int ooze_scene_sections(const OozeSection *sections[OOZE_SECTIONS_MAX]);

enum { OOZE_CHOICE_MAX = 48 };
/* Choice number i into `name`; false past the last. */
bool ooze_key_choice(const OozeKey *row, int i, char name[OOZE_CHOICE_MAX]);
int ooze_key_find_choice(const OozeKey *row, const char *word); /* -1: none */

/* ---- values in definitions ------------------------------------------------------------------- */

void ooze_key_store(const OozeKey *row, void *item, double value); /* numbers, switches, choices */
double ooze_key_load(const OozeKey *row, const void *item);

enum { OOZE_NUMBER_MAX = 40 };
/* The shortest text that reads back as the same double; "inf" for infinity. */
const char *ooze_number_text(double value, char text[OOZE_NUMBER_MAX]);
const char *ooze_float_text(float value, char text[OOZE_NUMBER_MAX]);
/* "0 to 1", "at least 0", "any": the range of a row in words, without the unit. */
const char *ooze_key_range_text(const OozeKey *row, char text[3 * OOZE_NUMBER_MAX]);

#endif
