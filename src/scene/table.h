/* Shorthand for writing rows of the key table. */
#ifndef OOZE_SCENE_TABLE_H
#define OOZE_SCENE_TABLE_H

#include "scene/keys.h"

#define OOZE_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define OOZE_BIT(v)       (1u << (v))
#define OOZE_FREE         -OOZE_KEY_HUGE, OOZE_KEY_HUGE /* any finite number */
#define OOZE_POSITIVE     1e-9, OOZE_KEY_HUGE
#define OOZE_NOT_NEGATIVE 0.0, OOZE_KEY_HUGE
#define OOZE_NO_RANGE     0.0, 0.0

#endif
