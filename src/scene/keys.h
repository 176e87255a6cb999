/* The key table lists every key of a scene once. Reading, suggestions, merging, overrides, the
   canonical text, the JSON schema and the reference page follow it. */
#ifndef OOZE_SCENE_KEYS_H
#define OOZE_SCENE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
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
    OOZE_KEY_CHECKSUM, /* of the section's file; not stored */
    OOZE_KEY_INCLUDE,  /* handled while files are read; not stored */
    OOZE_KEY_PRESET,   /* one of the choices; handled before sections are read; not stored */
    OOZE_KEY_VEC3,     /* OozeVec3 */
    OOZE_KEY_VEC2,     /* OozeVec3, x and y */
    OOZE_KEY_SCALE,    /* OozeVec3, or one number for all three */
    OOZE_KEY_COLOR,    /* float[3], linear; NAN where it is the one word of `choices` */
    OOZE_KEY_ROTATION, /* OozeQuat */
    OOZE_KEY_RANGE,    /* OozeSceneRange */
    OOZE_KEY_SECTION,  /* a section, stored at `offset` */
    OOZE_KEY_LIST,     /* a list of sections: pointer and count */
    OOZE_KEY_MAP,      /* sections by name: pointer and count */
    OOZE_KEY_TYPE_COUNT
} OozeKeyType;

/* C type in the definition: that of the key type, as listed above, or another. */
typedef enum OozeKeyStore { OOZE_STORE_BY_TYPE, OOZE_STORE_DOUBLE, OOZE_STORE_UINT64 } OozeKeyStore;

/* A bound that means "any finite number"; infinity is valid where `max` is INFINITY. */
#define OOZE_KEY_HUGE 1e12

typedef struct OozeSection OozeSection;

typedef struct OozeKey {
    const char *key;
    OozeKeyType type;
    const char *unit; /* "m"; "": a pure number */
    double min, max;  /* valid range, ends included; of each component of a vector */
    size_t offset;    /* within the definition of its section */
    const char *help;
    uint32_t variants; /* bit v: valid for variant v of the section; 0: for all */
    uint32_t required; /* bit v: must be given for variant v; OOZE_REQUIRED: always */
    OozeKeyStore store;
    const char *choices;        /* "smooth|linear" */
    const char *(*choice)(int); /* or by index, NULL past the last */
    const OozeSection *section; /* of SECTION, LIST and MAP */
    size_t count_offset;        /* of LIST and MAP: an int */
    const char *default_text;   /* for the reference page; NULL: the default function's value */
    bool automatic;             /* a double that may be `auto`: NAN until it is chosen */
    const struct OozeMethod *method; /* of a setting: knows the choices that are gone; or NULL */
} OozeKey;

#define OOZE_REQUIRED UINT32_MAX

struct OozeSection {
    const char *name; /* "solid" */
    const char *plural;
    const char *help;
    const OozeKey *keys;
    int key_count;
    size_t size; /* of the definition */
    /* Sets a definition to its defaults; variant -1: unknown. */
    void (*defaults)(void *item, int variant);
    /* Whether a key belongs to a variant; keys that belong to none are valid for all. NULL: each
       row's `variants` decides. */
    bool (*owns)(int variant, const char *key);
    const char *shorthand;   /* the key that a scalar in place of the map sets, or NULL */
    const char *variant_key; /* the key whose choice is the variant, or NULL */
    /* Additional keys from a table of parameters, stored as doubles at params_offset; or NULL. */
    const OozeParamInfo *(*params)(int variant, int *count);
    size_t params_offset;
    /* Whether one of these parameters may be `auto`; NULL: none. */
    bool (*automatic)(int variant, const char *key);
    /* The method whose settings they are; NULL: they are no settings. */
    const struct OozeMethod *(*method)(int variant);
};

extern const OozeSection ooze_scene_root, ooze_section_shape, ooze_section_motion,
    ooze_section_rotation, ooze_section_look, ooze_section_render, ooze_section_surface,
    ooze_section_temperature_row, ooze_section_air, ooze_section_heat_source, ooze_section_joint,
    ooze_section_change;

/* The definition of `rotation: {axis: ..., degrees: ...}`. */
typedef struct OozeAxisAngle {
    OozeVec3 axis;
    double degrees;
} OozeAxisAngle;

/* Row i of a section and variant (-1: any), parameters included. False past the last. */
bool ooze_section_key(const OozeSection *section, int variant, int i, OozeKey *row);
bool ooze_section_find(const OozeSection *section, int variant, const char *key, OozeKey *row);
bool ooze_key_applies(const OozeKey *row, int variant);
bool ooze_key_is_required(const OozeKey *row, int variant);
/* The row of variant_key; false: the section has none. */
bool ooze_section_variant_key(const OozeSection *section, OozeKey *row);
int ooze_section_variant_count(const OozeSection *section); /* 0: none */

/* Every section of the format once, the scene first. Returns their number. */
enum { OOZE_SECTIONS_MAX = 32 };
int ooze_scene_sections(const OozeSection *sections[OOZE_SECTIONS_MAX]);

enum { OOZE_CHOICE_MAX = 48 };
/* Copies choice i to `name`; false past the last. */
bool ooze_key_choice(const OozeKey *row, int i, char name[OOZE_CHOICE_MAX]);
int ooze_key_find_choice(const OozeKey *row, const char *word); /* -1: none */

/* ---- values in definitions ------------------------------------------------------------------- */

void ooze_key_store(const OozeKey *row, void *item, double value); /* numbers, switches, choices */
double ooze_key_load(const OozeKey *row, const void *item);

/* The range of a row as text, without the unit: "0 to 1", "at least 0", "any". */
const char *ooze_key_range_text(const OozeKey *row, char text[3 * OOZE_NUMBER_MAX]);
/* The same with both ends, also where these are the limits of all numbers: "0 to 1e12". */
const char *ooze_key_full_range_text(const OozeKey *row, char text[3 * OOZE_NUMBER_MAX]);

#endif
