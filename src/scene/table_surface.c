/* Rows of the key table: the surface. */
#include "ooze/surface.h"
#include "scene/scene.h"
#include "scene/table.h"

static void surface_defaults(void *item, int variant)
{
    (void)variant;
    *(OozeSurfaceSettings *)item = ooze_surface_default();
}

static const char *method_name(int index)
{
    return ooze_surface_method_name((OozeSurfaceMethod)index);
}

static const OozeKey surface_keys[] = {
    {"method", OOZE_KEY_CHOICE, "", OOZE_NO_RANGE, offsetof(OozeSurfaceSettings, method),
     .help = "kernels stretched along the surface, round ones, or the cones of Clavet 2005",
     .choice = method_name},
    {"cell", OOZE_KEY_REAL, "spacings", 0.01, 16.0, offsetof(OozeSurfaceSettings, cell),
     .help = "edge of a grid cell: the smaller, the finer the triangles"},
    {"smoothing", OOZE_KEY_REAL, "", 0.0, 1.0, offsetof(OozeSurfaceSettings, smoothing),
     .help = "weight of the smoothing of kernel centres"},
    {"mesh_smoothing", OOZE_KEY_INTEGER, "", 0.0, 1000.0,
     offsetof(OozeSurfaceSettings, mesh_smoothing),
     .help = "passes of the filter that removes ripples of the particle spacing"},
    {"decimation", OOZE_KEY_REAL, "", 0.001, 1.0, offsetof(OozeSurfaceSettings, decimation),
     .help = "fraction of the triangles to keep"},
};

const OozeSection ooze_section_surface = {
    .name = "surface",
    .help = "Defaults of `ooze mesh` and `ooze render` for the fluid's surface; they do not change "
            "the simulation. See [surface.md](surface.md).",
    .keys = surface_keys,
    .key_count = OOZE_COUNT(surface_keys),
    .size = sizeof(OozeSurfaceSettings),
    .defaults = surface_defaults,
};

const OozeSurfaceSettings *ooze_scene_surface(const OozeScene *scene)
{
    return scene ? &scene->def.surface : NULL;
}
