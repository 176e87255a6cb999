/* The table of presets. Numbers are what a rheometer says, not what looks right at one size; where
   no measurement is known the row says so.

   A yield stress stands as modulus times yield_strain, and what comes on top of it as
   solvent_viscosity: with thinning `power_law` at 1/s that is the consistency K of Herschel and
   Bulkley, stress = yield + K rate^n. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "materials/material.h"
#include "physics/thinning.h"

#define M OOZE_PRESET_MEASURED
#define T OOZE_PRESET_TYPICAL
#define A OOZE_PRESET_ARTISTIC

/* Herschel and Bulkley's consistency and exponent, both from `source`. */
/* clang-format off */
#define CONSISTENCY(k, n, origin, source)                                                          \
    {"solvent_viscosity", k, origin, source},                                                      \
    {"thinning", OOZE_THINNING_POWER_LAW, origin, source},                                         \
    {"thinning_rate", 1, origin, source},                                                          \
    {"thinning_exponent", n, origin, source}
/* clang-format on */

static const OozePresetNumber water[] = {
    {"density", 998.2, M, "IAPWS-95: Wagner and Pruss, J. Phys. Chem. Ref. Data 31, 387 (2002)"},
    {"viscosity", 0.001002, M, "IAPWS 2008: Huber et al., J. Phys. Chem. Ref. Data 38, 101 (2009)"},
    {"surface_tension", 0.0728, M,
     "Vargaftik, Volkov and Voljak, J. Phys. Chem. Ref. Data 12, 817 (1983)"},
};

static const OozePresetNumber oil[] = {
    {"density", 912, T, "olive oils: 910 to 916"},
    {"viscosity", 0.084, M, "olive oil in the CRC Handbook of Chemistry and Physics"},
    {"surface_tension", 0.033, T, "vegetable oils: 0.031 to 0.035"},
};

static const OozePresetNumber honey[] = {
    {"density", 1420, T, "honeys of 17 to 18 % water: 1410 to 1430"},
    {"viscosity", 10, T,
     "in the range of Yanniotis, Skaltsi and Karaburnioti, J. Food Eng. 72, 372 (2006): 0.4 to 23 "
     "Pa s, falling with the content of water"},
    {"surface_tension", 0.055, T, "honeys: 0.05 to 0.06"},
};

static const OozePresetNumber syrup[] = {
    {"density", 1379, M, "75 % sucrose: tables of the sugar industry (ICUMSA)"},
    {"viscosity", 2.3, M,
     "75 % sucrose: Swindells, Snyder, Hardy and Golden, NBS Circular 440, supplement (1958)"},
    {"surface_tension", 0.08, T, "a little above water's, as of all strong sugar solutions"},
};

static const OozePresetNumber cream[] = {
    {"density", 995, T, "creams of 35 to 48 % fat: 980 to 1005"},
    {"viscosity", 0.05, T,
     "from 0.01 (single cream) to a few 0.1 Pa s (double cream), thinning slightly"},
    {"surface_tension", 0.045, T, "milk and cream: 0.042 to 0.050"},
};

static const OozePresetNumber whipped_cream[] = {
    {"density", 450, T, "an overrun of 120 %: 2.2 times the volume of the cream"},
    {"modulus", 2000, T, "whipped dairy creams: 1 to 5 kPa"},
    {"yield_strain", 0.06, T, "a yield stress of 120 Pa; whipped dairy creams: some 50 to 200 Pa"},
    CONSISTENCY(15, 0.4, A, "so that it can be piped and does not run"),
};

static const OozePresetNumber yoghurt[] = {
    {"density", 1035, T, "full-fat yoghurts: 1030 to 1040"},
    {"modulus", 300, T, "stirred yoghurts: 100 to 500 Pa"},
    {"yield_strain", 0.05, T,
     "a yield stress of 15 Pa; that there is one: Dimonte et al., J. Rheol. 42, 727 (1998)"},
    CONSISTENCY(6, 0.4, T,
                "stirred yoghurts follow a power law over 5 to 700/s: O'Donnell and Butler, J. "
                "Food Eng. 51, 249 (2002); size by order of magnitude"),
};

#define KETCHUP                                                                                    \
    "tomato ketchup at 25 C, Higgs and Norrington, Process Biochem. 6(5), 52 (1971): yield 32 "    \
    "Pa, K 18.7 Pa s^n, n 0.27"
static const OozePresetNumber ketchup[] = {
    {"density", 1140, T, "ketchups of 30 % solids: 1110 to 1160"},
    {"modulus", 500, T, "ketchups: 200 to 1000 Pa"},
    {"yield_strain", 0.064, M, KETCHUP},
    CONSISTENCY(18.7, 0.27, M, KETCHUP),
};

#define TOOTHPASTE                                                                                 \
    "a yield-stress paste, thixotropic: Ardakani, Mitsoulis and Hatzikiriakos, J. Non-Newton. "    \
    "Fluid Mech. 166, 1262 (2011); size by order of magnitude"
static const OozePresetNumber toothpaste[] = {
    {"density", 1300, T, "pastes with silica: 1250 to 1350, with chalk to 1600"},
    {"modulus", 5000, T, "toothpastes: 1 to 20 kPa"},
    {"yield_strain", 0.05, T, "a yield stress of 250 Pa; toothpastes: 50 to 400 Pa"},
    CONSISTENCY(80, 0.4, T, TOOTHPASTE),
};

#define DOUGH                                                                                      \
    "wheat doughs relax as a power of time, Ng, McKinley and Padmanabhan, Appl. Rheol. 16, 265 "   \
    "(2006); here 3 kPa (t/s)^-0.25 in three modes, size by order of magnitude"
static const OozePresetNumber dough[] = {
    {"density", 1200, T, "doughs without yeast: 1150 to 1250"},
    {"modulus", 5000, T, DOUGH},
    {"relaxation_time", 0.05, T, DOUGH},
    {"modulus_2", 2500, T, DOUGH},
    {"relaxation_time_2", 1, T, DOUGH},
    {"modulus_3", 2200, T, DOUGH},
    {"relaxation_time_3", 20, T, DOUGH},
};

static const OozePresetNumber clay[] = {
    {"density", 1850, T, "plastic clay of a quarter water: 1800 to 1950"},
    {"modulus", 2e5, T, "soft throwing clay: 0.1 to 1 MPa"},
    {"yield_strain", 0.04, T, "a yield stress of 8 kPa; soft throwing clay: 5 to 30 kPa"},
    {"solvent_viscosity", 300, A, "stops its springing when it lands"},
};

#define SLIME                                                                                      \
    "solutions of polyvinyl alcohol and borate relax in a single time: Inoue and Osaki, Rheol. "   \
    "Acta 32, 550 (1993); "
static const OozePresetNumber slime[] = {
    {"density", 1020, T, "a few per cent of polymer in water"},
    {"modulus", 200, T, SLIME "size by order of magnitude"},
    {"relaxation_time", 0.4, T, SLIME "from 0.1 to some seconds with borax and warmth"},
    {"solvent_viscosity", 10, A, "keeps threads whole"},
};

static const OozePresetNumber jelly[] = {
    {"density", 1050, T, "a dessert of water, a tenth of sugar, and gelatine"},
    {"modulus", 1500, T,
     "gelatine desserts: 0.5 to 5 kPa; a standard pectin jelly 0.4 kPa (Nielsen, Marr and Hvidt, "
     "Carbohydr. Polym. 45, 395, 2001)"},
    {"solvent_viscosity", 1, A, "wobbles die down within a second or two"},
};

#define GUM                                                                                        \
    "chewed gum is a critical gel of high extensibility, Martinetti et al., J. Rheol. 58, 821 "    \
    "(2014); here 10 kPa (t/s)^-0.3 in three modes, size by order of magnitude"
static const OozePresetNumber chewing_gum[] = {
    {"density", 1150, T, "gum base and water: 1100 to 1200"},
    {"modulus", 20000, T, GUM},
    {"relaxation_time", 0.05, T, GUM},
    {"modulus_2", 9000, T, GUM},
    {"relaxation_time_2", 1, T, GUM},
    {"modulus_3", 6000, T, GUM},
    {"relaxation_time_3", 20, T, GUM},
};

#define CASSON                                                                                     \
    "milk chocolate, NETZSCH glossary, Casson analysis: yield 14.3 Pa, plastic viscosity 1.86 Pa " \
    "s; "
static const OozePresetNumber chocolate[] = {
    {"density", 1260, T, "molten milk chocolate: 1240 to 1290"},
    {"modulus", 730, M,
     "milk chocolate that has flowed: Bergemann et al., J. Rheol. 62, 1187 (2018): 44 kPa at rest, "
     "a sixtieth after flow"},
    {"yield_strain", 0.0196, M, CASSON "modulus times this is that yield stress"},
    CONSISTENCY(12, 0.66, M, CASSON "its curve within 10 % between 1 and 50/s"),
};

#define LAVA                                                                                       \
    "basalt of Makaopuhi lava lake at 1130 C, Shaw, Wright, Peck and Okamura, Am. J. Sci. 266, "   \
    "225 (1968)"
static const OozePresetNumber lava[] = {
    {"density", 2600, T, "basalt melts with few bubbles: 2550 to 2700"},
    {"modulus", 10000, A, "melts are stiffer by far; no slower motion depends on it"},
    {"yield_strain", 0.01, M, LAVA ": yield 70 to 120 Pa"},
    {"solvent_viscosity", 700, M, LAVA ": 650 to 750 Pa s"},
    {"surface_tension", 0.35, M,
     "basalt melts: Walker and Mullins, Contrib. Mineral. Petrol. 76, 455 (1981)"},
};

#define MUCUS "in the wide range of Lai, Wang, Wirtz and Hanes, Adv. Drug Deliv. Rev. 61, 86 (2009)"
static const OozePresetNumber mucus[] = {
    {"density", 1010, T, "nineteen parts of twenty are water"},
    {"modulus", 20, T,
     MUCUS "; healthy bronchial mucus 2.5 Pa: Radiom et al., Soft Matter 17 (2021)"},
    {"relaxation_time", 2, T, MUCUS "; 1 to some 100 s in Radiom et al. (2021)"},
    {"solvent_viscosity", 0.5, A, "keeps threads whole"},
};

static const OozePresetNumber wax[] = {
    {"density", 775, T, "molten paraffins: 760 to 790"},
    {"viscosity", 0.005, T, "molten paraffins: 3 to 8 mPa s"},
    {"surface_tension", 0.027, T, "molten paraffins: 0.025 to 0.028"},
};

static const OozePresetNumber pdms[] = {
    {"density", 976, M, "data sheets of silicone oils of 60,000 mm2/s"},
    {"viscosity", 58.6, M, "by its name: 60,000 mm2/s times its density"},
    {"relaxation_time", 0.01, T, "it thins from about 100/s on"},
    {"surface_tension", 0.0215, M, "data sheets of silicone oils of 60,000 mm2/s"},
};

static const OozePresetNumber egg_white[] = {
    {"density", 1036, T, "fresh egg white: 1035 to 1040"},
    {"modulus", 4, A, "so that it draws threads and springs back a little"},
    {"relaxation_time", 0.2, A, "likewise: as slow as its threads part"},
    {"solvent_viscosity", 0.25, T,
     "order of magnitude at 10/s; it thins: Tung et al., J. Food Sci. 35 (1970)"},
    {"surface_tension", 0.05, T, "protein solutions: 0.045 to 0.055"},
};

#define NUMBERS(list) list, (int)(sizeof(list) / sizeof((list)[0]))

/* clang-format off */
static const OozePresetInfo presets[] = {
    {"water", "clean water", "Newtonian", 20, NUMBERS(water), {0.10f, 0.39f, 0.79f}, "water"},
    {"oil", "olive oil", "Newtonian", 20, NUMBERS(oil), {0.77f, 0.53f, 0.07f}, "oil"},
    {"honey", "liquid honey", "Newtonian", 25, NUMBERS(honey), {0.69f, 0.27f, 0.0012f}, "honey"},
    {"syrup", "sugar syrup, 75 % sucrose", "Newtonian", 20, NUMBERS(syrup), {0.25f, 0.044f, 0.006f},
     "syrup"},
    {"cream", "whipping cream, not whipped", "Newtonian; its slight thinning is left out", 5,
     NUMBERS(cream), {0.93f, 0.87f, 0.74f}, "cream"},
    {"whipped_cream", "whipped dairy cream",
     "Herschel-Bulkley with elasticity below the yield stress", 5, NUMBERS(whipped_cream),
     {0.88f, 0.86f, 0.80f}, "matte"},
    {"yoghurt", "stirred yoghurt",
     "Herschel-Bulkley with elasticity below the yield stress; thixotropy is left out", 5,
     NUMBERS(yoghurt), {0.86f, 0.85f, 0.79f}, "glossy"},
    {"ketchup", "tomato ketchup",
     "Herschel-Bulkley with elasticity below the yield stress; thixotropy is left out", 25,
     NUMBERS(ketchup), {0.45f, 0.018f, 0.006f}, "glossy"},
    {"toothpaste", "white toothpaste",
     "Herschel-Bulkley with elasticity below the yield stress; thixotropy is left out", 20,
     NUMBERS(toothpaste), {0.78f, 0.88f, 0.90f}, "glossy"},
    {"dough", "wheat dough without yeast",
     "three Maxwell modes; the real one relaxes over more decades, and breaks", 25, NUMBERS(dough),
     {0.72f, 0.55f, 0.33f}, "dough"},
    {"clay", "soft throwing clay", "elastic to its yield stress, then it flows", 20, NUMBERS(clay),
     {0.40f, 0.16f, 0.085f}, "clay"},
    {"slime", "toy slime of white glue and borax", "Maxwell fluid with a solvent", 20,
     NUMBERS(slime), {0.06f, 0.56f, 0.017f}, "slime"},
    {"jelly", "a dessert of gelatine",
     "elastic with damping; it does not tear. `body: soft` keeps its shape for ever", 10,
     NUMBERS(jelly), {0.66f, 0.007f, 0.045f}, "jelly"},
    {"chewing_gum", "chewed gum", "three Maxwell modes; the real one relaxes over more decades", 37,
     NUMBERS(chewing_gum), {0.95f, 0.45f, 0.58f}, "wax"},
    {"chocolate", "molten milk chocolate",
     "Herschel-Bulkley (for Casson's law) with elasticity below the yield stress", 40,
     NUMBERS(chocolate), {0.085f, 0.030f, 0.012f}, "chocolate"},
    {"lava", "basalt lava", "Bingham; it does not cool", 1130, NUMBERS(lava), {1.0f, 0.22f, 0.015f},
     "lava"},
    {"mucus", "thick mucus", "Maxwell fluid with a solvent; the real one thins and ages", 37,
     NUMBERS(mucus), {0.62f, 0.62f, 0.18f}, "slime"},
    {"wax", "molten candle wax (paraffin)", "Newtonian; it does not set", 70, NUMBERS(wax),
     {0.97f, 0.90f, 0.74f}, "wax"},
    {"pdms", "silicone oil of 60,000 mm2/s", "Maxwell fluid", 25, NUMBERS(pdms),
     {0.90f, 0.96f, 0.93f}, "glass"},
    {"egg_white", "raw egg white, thick part", "Maxwell fluid with a solvent; the real one thins",
     20, NUMBERS(egg_white), {0.93f, 0.91f, 0.72f}, "slime"},
};
/* clang-format on */

enum { PRESET_COUNT = sizeof presets / sizeof presets[0] };

int ooze_preset_count(void)
{
    return PRESET_COUNT;
}

const OozePresetInfo *ooze_preset_info(int index)
{
    return index >= 0 && index < PRESET_COUNT ? &presets[index] : NULL;
}

const char *ooze_preset_origin_name(OozePresetOrigin origin)
{
    static const char *const names[OOZE_PRESET_ORIGIN_COUNT] = {"measured", "typical", "artistic"};
    return (unsigned)origin < OOZE_PRESET_ORIGIN_COUNT ? names[origin] : NULL;
}

static OozeStatus fail_unknown(const char *name, OozeError *error)
{
    const char *names[PRESET_COUNT];
    for (int i = 0; i < PRESET_COUNT; i++) {
        names[i] = presets[i].name;
    }
    const char *near = ooze_suggest(name, names, PRESET_COUNT);
    OozeText hint = {0};
    if (near) {
        ooze_text_append(&hint, "did you mean '%s'?", near);
    } else {
        ooze_text_append(&hint, "`ooze presets` lists them");
    }
    OozeStatus status =
        ooze_fail(error, OOZE_ERROR_ARGUMENT, hint.data, "there is no preset '%s'", name);
    ooze_text_clear(&hint);
    return status;
}

static int look_of(const char *name)
{
    int count;
    const OozeLookInfo *looks = ooze_looks(&count);
    for (int i = 0; i < count; i++) {
        if (strcmp(looks[i].name, name) == 0) {
            return i;
        }
    }
    return 0; /* auto */
}

const OozePresetInfo *ooze_preset_find(const char *name)
{
    for (int i = 0; i < PRESET_COUNT; i++) {
        if (strcmp(presets[i].name, name) == 0) {
            return &presets[i];
        }
    }
    return NULL;
}

double ooze_preset_number(const OozePresetInfo *info, const char *key)
{
    for (int i = 0; i < info->number_count; i++) {
        if (strcmp(info->numbers[i].key, key) == 0) {
            return info->numbers[i].value;
        }
    }
    return NAN;
}

bool ooze_preset_modulus_yields(const OozePresetInfo *info, const char *stated)
{
    return strcmp(stated, "compliance") == 0 ||
           (strcmp(stated, "viscosity") == 0 &&
            !isnan(ooze_preset_number(info, "relaxation_time")));
}

OozeStatus ooze_material_preset(const char *name, OozeMaterialDef *def, OozeError *error)
{
    OOZE_REQUIRE(name, error);
    OOZE_REQUIRE(def, error);
    const OozePresetInfo *info = ooze_preset_find(name);
    if (!info) {
        return fail_unknown(name, error);
    }
    OozeMaterialDef made = ooze_material_def_default();
    made.name = info->name;
    memcpy(made.color, info->color, sizeof made.color);
    made.look.type = look_of(info->look);
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < info->number_count && !status; i++) {
        status = ooze_material_def_set(&made, info->numbers[i].key, info->numbers[i].value, error);
    }
    if (!status) {
        made.preset = info->name;
        made.stated = 0;
        *def = made;
    }
    return status;
}
