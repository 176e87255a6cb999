/* A scene as JSON, for the page: what it draws, and what it can change. */
#ifndef OOZE_VIEW_DESCRIBE_H
#define OOZE_VIEW_DESCRIBE_H

#include "scene/scene.h"

/* Appends the members of an object for title, units, materials, solids and nozzles. */
void ooze_view_describe_scene(const OozeScene *scene, OozeText *json);
/* An array of names of fields that can colour the particles of the frame; `live`: also by numbers
   that a world computes and a frame does not hold. */
void ooze_view_describe_fields(const OozeFrame *frame, bool live, OozeText *json);
/* An array of presets: name, summary and numbers by key. */
void ooze_view_describe_presets(OozeText *json);

#endif
