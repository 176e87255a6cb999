/* Items of a world by id and by name. */
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "world/world.h"

OozeStatus ooze_world_check_id(int index, int count, const char *what, OozeError *error)
{
    if (index >= 0 && index < count) {
        return OOZE_OK;
    }
    return ooze_fail(error, OOZE_ERROR_ARGUMENT, "add it first, and use the id the world gave",
                     "there is no %s %d; the world has %d", what, index, count);
}

static const char *material_name(const OozeWorld *world, int i)
{
    return world->materials.items[i].name;
}

static const char *solid_name(const OozeWorld *world, int i)
{
    return world->solids.items[i].name;
}

static const char *emitter_name(const OozeWorld *world, int i)
{
    return world->emitters.items[i].name;
}

static const char *probe_name(const OozeWorld *world, int i)
{
    return world->probes.items[i].def.name;
}

static OozeStatus find(const OozeWorld *world, const char *what, int count,
                       const char *(*name_of)(const OozeWorld *, int), const char *name,
                       int32_t *index, OozeError *error)
{
    enum { NAMES_MAX = 256 }; /* suggestions consider this many names; the search is unlimited */
    const char *names[NAMES_MAX];
    OOZE_REQUIRE(name, error);
    for (int i = 0; i < count; i++) {
        const char *candidate = name_of(world, i);
        if (strcmp(candidate, name) == 0) {
            *index = i;
            return OOZE_OK;
        }
        names[i < NAMES_MAX ? i : NAMES_MAX - 1] = candidate;
    }
    const char *near = ooze_suggest(name, names, count < NAMES_MAX ? count : NAMES_MAX);
    OozeText hint = {0};
    if (near) {
        ooze_text_append(&hint, "did you mean '%s'?", near);
    }
    OozeStatus status = ooze_fail(error, OOZE_ERROR_ARGUMENT, hint.data,
                                  "the world has no %s named '%s'", what, name);
    ooze_text_clear(&hint);
    return status;
}

OozeStatus ooze_world_find_material(const OozeWorld *world, const char *name, OozeMaterialId *id,
                                    OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(id, error);
    return find(world, "material", world->materials.count, material_name, name, &id->index, error);
}

OozeStatus ooze_world_find_solid(const OozeWorld *world, const char *name, OozeSolidId *id,
                                 OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(id, error);
    return find(world, "solid", world->solids.count, solid_name, name, &id->index, error);
}

OozeStatus ooze_world_find_emitter(const OozeWorld *world, const char *name, OozeEmitterId *id,
                                   OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(id, error);
    return find(world, "emitter", world->emitters.count, emitter_name, name, &id->index, error);
}

OozeStatus ooze_world_find_probe(const OozeWorld *world, const char *name, OozeProbeId *id,
                                 OozeError *error)
{
    OOZE_REQUIRE(world, error);
    OOZE_REQUIRE(id, error);
    return find(world, "probe", world->probes.count, probe_name, name, &id->index, error);
}
