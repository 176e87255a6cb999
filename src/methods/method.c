/* The list of methods. */
#include "methods/method.h"

#include <math.h>
#include <string.h>

#include "methods/ballistic/method.h"
#include "methods/blend/method.h"
#include "methods/cauchy/method.h"
#include "methods/conformation/constraint/method.h"
#include "methods/conformation/method.h"
#include "methods/links/method.h"
#include "methods/springs/method.h"
#include "methods/stress/method.h"
#include "methods/wcsph/method.h"

const OozeMethod *const ooze_method_list[] = {
    &ooze_method_conformation, &ooze_method_constraint, &ooze_method_links,
    &ooze_method_blend,        &ooze_method_cauchy,     &ooze_method_springs,
    &ooze_method_stress,       &ooze_method_wcsph,      &ooze_method_ballistic,
};
const int ooze_method_list_count = (int)(sizeof ooze_method_list / sizeof ooze_method_list[0]);

const OozeMethod *ooze_method_find(const char *name)
{
    for (int i = 0; i < ooze_method_list_count; i++) {
        if (strcmp(ooze_method_list[i]->info.name, name) == 0) {
            return ooze_method_list[i];
        }
    }
    return NULL;
}

static bool lists(const char *const *keys, const char *key)
{
    for (; keys && *keys; keys++) {
        if (strcmp(*keys, key) == 0) {
            return true;
        }
    }
    return false;
}

bool ooze_method_uses(const OozeMethod *method, const char *key)
{
    int count;
    const OozeParamInfo *params = ooze_material_params(&count);
    if (ooze_material_is_heat(ooze_param_find(params, count, key))) {
        return true;
    }
    return lists(method->material_keys, key);
}

bool ooze_method_chooses(const OozeMethod *method, const char *key)
{
    return lists(method->chosen_keys, key);
}

const OozeGoneSetting *ooze_method_gone(const OozeMethod *method, const char *key,
                                        const char *choice)
{
    for (int i = 0; i < method->gone_count; i++) {
        const OozeGoneSetting *gone = &method->gone_settings[i];
        bool same =
            !choice || !gone->choice ? choice == gone->choice : strcmp(gone->choice, choice) == 0;
        if (same && strcmp(gone->key, key) == 0) {
            return gone;
        }
    }
    return NULL;
}

double ooze_method_param(const OozeMethod *method, const double *params, int param)
{
    return isnan(params[param]) ? method->info.params[param].initial : params[param];
}

double ooze_method_support_ratio(const OozeMethod *method, double given)
{
    double own = method->support_ratio > 0.0 ? method->support_ratio : 2.2;
    return isnan(given) ? own : given;
}

int ooze_method_count(void)
{
    return ooze_method_list_count;
}

const OozeMethodInfo *ooze_method_info(int index)
{
    return index >= 0 && index < ooze_method_list_count ? &ooze_method_list[index]->info : NULL;
}
