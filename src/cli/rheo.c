/* ooze rheo: measured rheology to a material. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/facts.h"
#include "cli/report.h"
#include "ooze/world.h"
#include "rheology/figure.h"

#define SINGLE_NAME "measured"

/* One number of the material's table. */
typedef struct Entry {
    const char *key;
    double value;
    const char *word; /* of a choice, instead of its number */
} Entry;
enum { ENTRIES_MAX = 5 };

static const char *law_name(OozeRheoLaw law)
{
    return law == OOZE_RHEO_MAXWELL     ? "maxwell"
           : law == OOZE_RHEO_NEWTON    ? "newton"
           : law == OOZE_RHEO_POWER_LAW ? "power_law"
                                        : "carreau";
}

/* What each unknown is called and counted in; the same words as in a scene. */
static const char *unknown_name(const OozeRheoModel *model, int unknown, const char **unit)
{
    static const struct {
        const char *name, *unit;
    } modes[] = {{"modulus", "Pa"}, {"relaxation_time", "s"}, {"solvent_viscosity", "Pa s"}},
      flow[] = {{"viscosity", "Pa s"},
                {"thinning_exponent", ""},
                {"thinning_rate", "1/s"},
                {"thinning_floor", ""}};
    if (model->law == OOZE_RHEO_MAXWELL) {
        int row = unknown == 2 * model->modes ? 2 : unknown % 2;
        *unit = modes[row].unit;
        return modes[row].name;
    }
    *unit = flow[unknown].unit;
    return flow[unknown].name;
}

static int list_entries(const OozeRheoFit *fit, Entry *entries)
{
    int count = 0;
    for (int k = 0; k < fit->unknown_count; k++) {
        const char *unit;
        entries[count++] =
            (Entry){unknown_name(&fit->model, k, &unit), ooze_rheo_number(fit, k).value, NULL};
    }
    if (fit->model.law == OOZE_RHEO_POWER_LAW) {
        entries[count++] = (Entry){"thinning_rate", fit->model.reference, NULL};
        entries[count++] = (Entry){"thinning", 1.0, "power_law"};
    } else if (fit->model.law == OOZE_RHEO_CARREAU) {
        entries[count++] = (Entry){"thinning", 0.0, "carreau"};
    }
    return count;
}

/* A scene must take what is printed. */
static OozeStatus check_entries(const Entry *entries, int count, OozeError *error)
{
    OozeMaterialDef def = ooze_material_def_default();
    def.name = "the fitted material";
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < count && !status; i++) {
        status = ooze_material_def_set(&def, entries[i].key, entries[i].value, error);
    }
    return status;
}

static void say_number(OozeText *out, const OozeRheoFit *fit, int unknown, int mode)
{
    const char *unit, *name = unknown_name(&fit->model, unknown, &unit);
    OozeRheoNumber number = ooze_rheo_number(fit, unknown);
    char label[16] = "";
    if (mode > 0) {
        snprintf(label, sizeof label, "%d", mode);
    }
    ooze_text_append(out, "  %-4s  %-18s  %-10.4g  ", label, name, number.value);
    if (isfinite(fit->half_widths[unknown])) {
        char ends[64];
        snprintf(ends, sizeof ends, "%.4g to %.4g", number.low, number.high);
        ooze_text_append(out, "%-24s  %s\n", ends, unit);
    } else {
        ooze_text_append(out, "%-24s  %s\n", "not determined", unit);
    }
}

static void say_law(OozeText *out, const OozeRheoFit *fit)
{
    const OozeRheoModel *model = &fit->model;
    if (model->law == OOZE_RHEO_MAXWELL) {
        ooze_text_append(out, "%d Maxwell mode%s%s", model->modes, model->modes == 1 ? "" : "s",
                         model->solvent ? " and a solvent" : "");
    } else {
        ooze_text_append(out, "%s",
                         model->law == OOZE_RHEO_NEWTON      ? "Newton's law"
                         : model->law == OOZE_RHEO_POWER_LAW ? "a power law"
                                                             : "Carreau's law");
    }
    ooze_text_append(out, ", %.3g %% from the data (rms)\n", 100.0 * fit->rms);
}

static void say_table(OozeText *out, const OozeRheoData *data, const OozeRheoFit *fit)
{
    const OozeRheoNames *names = ooze_rheo_names(data->kind);
    double low, high;
    ooze_rheo_range(data, &low, &high);
    ooze_text_append(out, "%s of %zu points, %s %.4g to %.4g %s\n", names->experiment, data->rows,
                     names->x, low, high, names->x_unit);
    say_law(out, fit);
    bool spectrum = fit->model.law == OOZE_RHEO_MAXWELL;
    ooze_text_append(out, "  %-4s  %-18s  %-10s  %-24s  %s\n", spectrum ? "mode" : "", "", "value",
                     "95 % confidence", "unit");
    for (int k = 0; k < fit->unknown_count; k++) {
        bool first = spectrum && k % 2 == 0 && k < 2 * fit->model.modes;
        say_number(out, fit, k, first ? k / 2 + 1 : 0);
    }
    if (!fit->determined) {
        ooze_text_append(out,
                         "The data do not determine all of this; measure over a wider range of %s, "
                         "or something else beside it.\n",
                         names->x);
    }
    if (fit->rms > OOZE_RHEO_POOR) {
        ooze_text_append(out, "No law here follows these data: do not rely on what is below.\n");
    }
}

/* "34 %", or "a factor of 2.8" where per cent would mislead; `by` is the logarithm of the deviation. */
static void say_deviation(OozeText *out, double by)
{
    double factor = exp(fabs(by));
    if (factor >= 2.0) {
        ooze_text_append(out, "a factor of %.3g", factor);
    } else {
        ooze_text_append(out, "%.3g %%", 100.0 * fabs(expm1(by)));
    }
}

/* What one mode of several leaves out. */
static void say_miss(OozeText *out, const OozeRheoData *data, const OozeRheoResult *result)
{
    if (result->best.model.modes < 2) {
        return;
    }
    const OozeRheoNames *names = ooze_rheo_names(data->kind);
    OozeRheoMiss worst = ooze_rheo_worst(&result->single, data);
    ooze_text_append(out,
                     "\nA material holds one mode, the data show %d. The best single mode, below, "
                     "is ",
                     result->best.model.modes);
    say_deviation(out, log1p(result->single.rms));
    ooze_text_append(out, " from the data (rms), most at %s = %.3g %s, where its %s is ", names->x,
                     worst.x, names->x_unit, names->y[worst.curve]);
    say_deviation(out, log1p(worst.share));
    ooze_text_append(out, " too %s.\n", worst.share < 0.0 ? "low" : "high");
}

static void say_material(OozeText *out, const Entry *entries, int count)
{
    ooze_text_append(out, "\nmaterials:\n  " SINGLE_NAME ":\n");
    for (int i = 0; i < count; i++) {
        if (entries[i].word) {
            ooze_text_append(out, "    %s: %s\n", entries[i].key, entries[i].word);
        } else {
            ooze_text_append(out, "    %s: %.5g\n", entries[i].key, entries[i].value);
        }
    }
}

static void json_key(OozeText *out, const char *before, const char *key, double value)
{
    ooze_text_append(out, "%s\"%s\": ", before, key);
    ooze_json_number(out, value);
}

static void json_number(OozeText *out, const char *before, const OozeRheoFit *fit, int unknown)
{
    const char *unit;
    OozeRheoNumber number = ooze_rheo_number(fit, unknown);
    bool told = isfinite(fit->half_widths[unknown]);
    ooze_text_append(out, "%s\"%s\": ", before, unknown_name(&fit->model, unknown, &unit));
    json_key(out, "{", "value", number.value);
    json_key(out, ", ", "low", told ? number.low : NAN);
    json_key(out, ", ", "high", told ? number.high : NAN);
    ooze_text_append(out, "}");
}

static void json_fit(OozeText *out, const OozeRheoFit *fit)
{
    ooze_text_append(out, "{\"law\": \"%s\"", law_name(fit->model.law));
    json_key(out, ", ", "residual_percent", 100.0 * fit->rms);
    ooze_text_append(out, ", \"determined\": %s", fit->determined ? "true" : "false");
    int paired = 2 * fit->model.modes;
    for (int k = 0; k < paired; k += 2) {
        ooze_text_append(out, k == 0 ? ", \"modes\": [" : ", ");
        json_number(out, "{", fit, k);
        json_number(out, ", ", fit, k + 1);
        ooze_text_append(out, k + 2 == paired ? "}]" : "}");
    }
    for (int k = paired; k < fit->unknown_count; k++) {
        json_number(out, ", ", fit, k);
    }
    ooze_text_append(out, "}");
}

static void say_json(OozeText *out, const OozeRheoData *data, const OozeRheoResult *result,
                     const Entry *entries, int count)
{
    ooze_text_append(out, "{\n  \"experiment\": \"%s\",\n  \"points\": %zu,\n  \"fit\": ",
                     ooze_rheo_names(data->kind)->experiment, data->rows);
    json_fit(out, &result->best);
    ooze_text_append(out, ",\n  \"single\": ");
    json_fit(out, &result->single);
    ooze_text_append(out, ",\n  \"material\": {");
    for (int i = 0; i < count; i++) {
        if (entries[i].word) {
            ooze_text_append(out, ", \"%s\": \"%s\"", entries[i].key, entries[i].word);
        } else {
            json_key(out, i == 0 ? "" : ", ", entries[i].key, entries[i].value);
        }
    }
    ooze_text_append(out, "}\n}\n");
}

static OozeStatus fit_file(const char *path, const char *folder, bool json, OozeText *out,
                           OozeError *error)
{
    OozeRheoData data;
    OozeStatus status = ooze_rheo_read(path, &data, error);
    if (status) {
        return status;
    }
    OozeRheoResult result;
    Entry entries[ENTRIES_MAX];
    int count = 0;
    status = ooze_rheo_fit(&data, &result, error);
    bool viscous = !status && ooze_rheo_take_as_flow(&data, &result.best);
    status = viscous ? ooze_rheo_fit(&data, &result, error) : status;
    if (!status) {
        count = list_entries(&result.single, entries);
        status = check_entries(entries, count, error);
    }
    if (!status && folder) {
        status = ooze_rheo_draw(&data, &result, folder, error);
    }
    if (!status && json) {
        say_json(out, &data, &result, entries, count);
    } else if (!status) {
        ooze_text_append(out, "%s",
                         viscous ? "G' is below a tenth of G'' throughout and follows no mode: "
                                   "taken as a flow curve, viscosity G'' / omega.\n"
                                 : "");
        say_table(out, &data, &result.best);
        say_miss(out, &data, &result);
        say_material(out, entries, count);
    }
    ooze_rheo_free(&data);
    return status ? status : out->failed ? ooze_fail_memory(error, "a report", 0) : OOZE_OK;
}

static int run(const OozeArguments *arguments)
{
    const char *path = ooze_argument_text(arguments, "fit");
    if (!path) {
        return ooze_usage_error(arguments->command,
                                "say what was measured, such as: ooze rheo --fit data.csv");
    }
    OozeError error = {0};
    OozeText out = {0};
    OozeStatus status = fit_file(path, ooze_argument_text(arguments, "output"),
                                 ooze_argument_given(arguments, "json"), &out, &error);
    if (!status) {
        fputs(out.data, stdout);
    }
    ooze_text_clear(&out);
    return status ? ooze_report_error(&error) : OOZE_EXIT_OK;
}

static const OozeOption options[] = {
    {"fit", 0, "FILE", false,
     "a table (.csv) headed `omega [rad/s],G' [Pa],G'' [Pa]`, `rate [1/s],viscosity [Pa s]` or "
     "`time [s],modulus [Pa]`"},
    {"output", 'o', "DIR", false,
     "draw data and fit into `DIR/fit.svg` and `DIR/fit.png`, on logarithmic axes"},
    {"json", 0, NULL, false, "the fit as one JSON object"},
};

const OozeCommand ooze_command_rheo = {
    .name = "rheo",
    .synopsis = "--fit FILE [options]",
    .summary = "Make a material of what a rheometer measured",
    .details =
        "Prints the spectrum (1 to 4 Maxwell modes and a solvent) or the law of the flow curve "
        "that the data call for, with 95 % confidence, and a block `materials:` for a scene. "
        "Where the data show several modes, the block holds the best single one, and a sentence "
        "says what that misses. See [rheology.md](rheology.md).",
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
