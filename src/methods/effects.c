#include "methods/effects.h"

#include <stddef.h>
#include <string.h>

const OozeEffectInfo ooze_effects[OOZE_EFFECT_COUNT] = {
    {"viscosity", {"viscosity", "solvent_viscosity"}},
    {"elasticity", {"modulus", "compliance", "relaxation_time"}},
    {"further relaxation times",
     {"modulus_2", "relaxation_time_2", "modulus_3", "relaxation_time_3", "modulus_4",
      "relaxation_time_4"}},
    {"yield stress", {"yield_strain"}},
    {"thinning", {"thinning", "thinning_rate", "thinning_exponent", "thinning_floor"}},
    {"surface tension", {"surface_tension", "interface_tension", "contact_angle"}},
};

unsigned ooze_effect_of(const char *key)
{
    for (unsigned i = 0; i < OOZE_EFFECT_COUNT; i++) {
        for (int k = 0; ooze_effects[i].keys[k]; k++) {
            if (strcmp(ooze_effects[i].keys[k], key) == 0) {
                return 1u << i;
            }
        }
    }
    return 0;
}
