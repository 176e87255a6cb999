/* Rewrites the text of a scene in an earlier format. Format 1 differs from format 2 in this:
   - the default of a solid's friction was 0.5;
   - the default of `time_integration` of conformation was first_order;
   - at first `spin`, `roll`, `phase` and the numbers of hinges were in radians, sin, cos and tan
     took radians, their inverses returned radians, and `deg` was pi/180. Later all were in degrees,
     as in format 2. The number did not change. */
#ifndef OOZE_SCENE_UPGRADE_H
#define OOZE_SCENE_UPGRADE_H

#include "base/fail.h"
#include "base/text.h"
#include "scene/node.h"

enum { OOZE_SCENE_FORMAT = 2 };

#define OOZE_SCENE_NEWER_HINT "install a newer version of Ooze, or write the scene for format 2"

/* Format that the value of the key `ooze` gives, with the locale "C"; NAN: it is no number. */
double ooze_scene_format_of(const OozeNode *node);

/* Of a text in format 1. */
typedef enum OozeAngles {
    OOZE_ANGLES_UNKNOWN, /* an error where it matters and no `deg` shows that they are radians */
    OOZE_ANGLES_DEGREES,
    OOZE_ANGLES_RADIANS
} OozeAngles;

typedef struct OozeOldScene {
    const char *name; /* for messages */
    const char *text;
    size_t size;
    OozeAngles angles;
} OozeOldScene;

typedef struct OozeUpgradeCounts {
    int format;    /* of the old text */
    int frictions; /* solids whose friction the new text states */
    int orders;    /* 1: the new text states the order in time of the method */
    int angles;    /* numbers converted from radians */
    int includes;  /* files that the text includes, which are upgraded on their own */
} OozeUpgradeCounts;

/* Appends the text in the present format: the old one with edits, comments and layout as they are.
   `counts` may be NULL. */
OozeStatus ooze_scene_upgrade(const OozeOldScene *old, OozeText *text, OozeUpgradeCounts *counts,
                              OozeError *error);

#endif
