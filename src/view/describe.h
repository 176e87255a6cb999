/* A scene as JSON, for the page: what it draws, and what it can change. */
#ifndef OOZE_VIEW_DESCRIBE_H
#define OOZE_VIEW_DESCRIBE_H

#include "scene/scene.h"
#include "world/world.h"

/* Appends the members of an object for title, units, materials, solids and nozzles. */
void ooze_view_describe_scene(const OozeScene *scene, OozeText *json);
/* An array of names of fields that can colour the particles of the frame; with a `world`, also of
   numbers that it computes and a frame does not hold. */
void ooze_view_describe_fields(const OozeFrame *frame, const OozeWorld *world, OozeText *json);
/* Whether `name` is one of them. */
bool ooze_view_offers_field(const OozeFrame *frame, const OozeWorld *world, const char *name);
/* An array of presets: name, summary and numbers by key. */
void ooze_view_describe_presets(OozeText *json);

#endif
