/* The numbers that a page can change while the scene runs, from the table of keys. */
#ifndef OOZE_VIEW_PARAMETERS_H
#define OOZE_VIEW_PARAMETERS_H

#include "scene/scene.h"
#include "world/world.h"

typedef struct OozeViewParameter {
    char path[200];                      /* of a row of `changes`: "materials.honey.viscosity" */
    char group[OOZE_SCENE_NAME_MAX + 1]; /* name of the material, solid, ..., or "method" */
    OozeChangeTarget target;
    int index;
    OozeKey row;
} OozeViewParameter;

typedef struct OozeViewParameters {
    OozeViewParameter *items;
    int count, capacity;
} OozeViewParameters;

/* The scene must outlive the list. */
OozeStatus ooze_view_parameters_create(OozeViewParameters *list, const OozeScene *scene,
                                       const OozeWorld *world, OozeError *error);
void ooze_view_parameters_free(OozeViewParameters *list);

/* An array of objects: path, group, key, unit, low, high, kind, choices, help. */
void ooze_view_parameters_describe(const OozeViewParameters *list, OozeText *json);
/* An array of their present values. */
void ooze_view_parameters_values(const OozeViewParameters *list, const OozeWorld *world,
                                 OozeText *json);

#endif
