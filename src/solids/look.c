/* The table of named looks. Colours are linear. */
#include "solids/look.h"

#include <math.h>
#include <string.h>

/* clang-format off */
static const OozeLookInfo looks[] = {
    /* name, kind, own colour, colour, depth, index, roughness, coat, cloudiness, translucency;
       what it looks like, texture, glow */
    {"auto", OOZE_LOOK_OPAQUE, false, {0, 0, 0}, 0.0, 1.5, 0.3, 1.0, 0.0, 0.0,
     "the look named like the material or solid; otherwise `glossy` for a material, `matte` for "
     "a solid", OOZE_TEXTURE_NONE, 0.0},
    {"honey", OOZE_LOOK_CLEAR, true, {0.87f, 0.60f, 0.065f}, 0.30, 1.49, 0.0, 1.0, 0.12, 0.0,
     "amber, a little cloudy", OOZE_TEXTURE_NONE, 0.0},
    {"syrup", OOZE_LOOK_CLEAR, true, {0.66f, 0.17f, 0.012f}, 0.30, 1.46, 0.0, 1.0, 0.0, 0.0,
     "dark amber, clear", OOZE_TEXTURE_NONE, 0.0},
    {"caramel", OOZE_LOOK_TRANSLUCENT, true, {0.62f, 0.25f, 0.05f}, 0.10, 1.46, 0.12, 1.0, 0.0,
     0.45, "golden brown, glossy, light comes through thin parts", OOZE_TEXTURE_NONE, 0.0},
    {"cream", OOZE_LOOK_TRANSLUCENT, true, {0.93f, 0.87f, 0.74f}, 0.10, 1.35, 0.35, 0.6, 0.0, 0.35,
     "soft off-white", OOZE_TEXTURE_NONE, 0.0},
    {"chocolate", OOZE_LOOK_OPAQUE, true, {0.085f, 0.030f, 0.012f}, 0.0, 1.55, 0.14, 1.0, 0.0, 0.0,
     "dark and glossy", OOZE_TEXTURE_NONE, 0.0},
    {"dough", OOZE_LOOK_OPAQUE, true, {0.72f, 0.55f, 0.33f}, 0.0, 1.4, 0.6, 0.25, 0.0, 0.0,
     "matte, pale", OOZE_TEXTURE_NONE, 0.0},
    {"clay", OOZE_LOOK_OPAQUE, true, {0.40f, 0.16f, 0.085f}, 0.0, 1.4, 0.7, 0.2, 0.0, 0.0,
     "matte terracotta", OOZE_TEXTURE_NONE, 0.0},
    {"lava", OOZE_LOOK_OPAQUE, true, {0.030f, 0.025f, 0.022f}, 0.0, 1.5, 0.5, 0.6, 0.0, 0.0,
     "black rock that glows where it is hot", OOZE_TEXTURE_NONE, 2.5},
    {"mud", OOZE_LOOK_OPAQUE, true, {0.13f, 0.085f, 0.05f}, 0.0, 1.33, 0.25, 0.9, 0.0, 0.0,
     "wet brown", OOZE_TEXTURE_NONE, 0.0},
    {"wax", OOZE_LOOK_TRANSLUCENT, false, {0.9f, 0.8f, 0.6f}, 0.12, 1.43, 0.3, 0.7, 0.0, 0.3,
     "light comes through thin parts", OOZE_TEXTURE_NONE, 0.0},
    {"water", OOZE_LOOK_CLEAR, true, {0.62f, 0.90f, 0.95f}, 1.0, 1.333, 0.0, 1.0, 0.0, 0.0,
     "clear, faintly blue", OOZE_TEXTURE_NONE, 0.0},
    {"oil", OOZE_LOOK_CLEAR, true, {0.85f, 0.72f, 0.10f}, 0.5, 1.47, 0.0, 1.0, 0.0, 0.0,
     "clear, yellow", OOZE_TEXTURE_NONE, 0.0},
    {"jelly", OOZE_LOOK_CLEAR, false, {0.8f, 0.05f, 0.04f}, 0.25, 1.36, 0.0, 1.0, 0.15, 0.0,
     "clear, in the material's colour", OOZE_TEXTURE_NONE, 0.0},
    {"slime", OOZE_LOOK_CLEAR, false, {0.25f, 0.75f, 0.08f}, 0.20, 1.36, 0.0, 1.0, 2.0, 0.0,
     "cloudy, in the material's colour", OOZE_TEXTURE_NONE, 0.0},
    {"glossy", OOZE_LOOK_OPAQUE, false, {0, 0, 0}, 0.0, 1.5, 0.18, 1.0, 0.0, 0.0,
     "a clear coat over the colour", OOZE_TEXTURE_NONE, 0.0},
    {"matte", OOZE_LOOK_OPAQUE, false, {0, 0, 0}, 0.0, 1.5, 1.0, 0.0, 0.0, 0.0,
     "the colour alone", OOZE_TEXTURE_NONE, 0.0},
    {"metal", OOZE_LOOK_METAL, false, {0.75f, 0.75f, 0.76f}, 0.0, 1.5, 0.2, 1.0, 0.0, 0.0,
     "brushed, in the solid's colour", OOZE_TEXTURE_NONE, 0.0},
    {"glass", OOZE_LOOK_CLEAR, true, {0.90f, 0.96f, 0.93f}, 1.0, 1.5, 0.0, 1.0, 0.0, 0.0,
     "clear", OOZE_TEXTURE_NONE, 0.0},
    {"wood", OOZE_LOOK_OPAQUE, true, {0.38f, 0.20f, 0.085f}, 0.0, 1.5, 0.45, 0.4, 0.0, 0.0,
     "warm brown planks", OOZE_TEXTURE_WOOD, 0.0},
    {"toast", OOZE_LOOK_OPAQUE, true, {0.50f, 0.26f, 0.08f}, 0.0, 1.4, 0.9, 0.0, 0.0, 0.0,
     "golden brown, dull", OOZE_TEXTURE_NONE, 0.0},
    {"ceramic", OOZE_LOOK_OPAQUE, true, {0.83f, 0.82f, 0.79f}, 0.0, 1.5, 0.08, 1.0, 0.0, 0.0,
     "white, glazed", OOZE_TEXTURE_NONE, 0.0},
    {"marble", OOZE_LOOK_OPAQUE, true, {0.80f, 0.79f, 0.77f}, 0.0, 1.5, 0.12, 1.0, 0.0, 0.0,
     "white with grey veins, polished", OOZE_TEXTURE_MARBLE, 0.0},
    {"plate", OOZE_LOOK_OPAQUE, true, {0.84f, 0.83f, 0.80f}, 0.0, 1.5, 0.06, 1.0, 0.0, 0.0,
     "glazed white, with blue rings near the rim", OOZE_TEXTURE_PLATE, 0.0},
    {"cloth", OOZE_LOOK_OPAQUE, false, {0, 0, 0}, 0.0, 1.4, 1.0, 0.0, 0.0, 0.0,
     "woven checks of white and the solid's colour", OOZE_TEXTURE_CLOTH, 0.0},
};
/* clang-format on */

const OozeLookInfo *ooze_looks(int *count)
{
    if (count) {
        *count = (int)(sizeof looks / sizeof looks[0]);
    }
    return looks;
}

OozeLookDef ooze_look_def_default(void)
{
    return (OozeLookDef){.color = {NAN, NAN, NAN},
                         .depth = NAN,
                         .refraction = NAN,
                         .roughness = NAN,
                         .coat = NAN,
                         .cloudiness = NAN,
                         .translucency = NAN,
                         .scale = NAN,
                         .glow = NAN,
                         .glow_temperature = NAN};
}

const OozeLookInfo *ooze_look_find_row(const OozeLookDef *def, const char *name,
                                       const char *fallback)
{
    const int count = (int)(sizeof looks / sizeof looks[0]);
    if (def->type > 0 && def->type < count) {
        return &looks[def->type];
    }
    const OozeLookInfo *found = &looks[0];
    for (int i = 1; i < count; i++) {
        if (strcmp(looks[i].name, name) == 0) {
            return &looks[i];
        }
        found = strcmp(looks[i].name, fallback) == 0 ? &looks[i] : found;
    }
    return found;
}
