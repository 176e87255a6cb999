/* ooze rheo: fits a material to measured rheology. */
#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/rheo_measure.h"
#include "ooze/world.h"
#include "rheology/figure.h"

#define SINGLE_NAME "measured"

/* One parameter of the material. */
typedef struct Entry {
    char key[32];
    double value;
    const char *word; /* of a choice, instead of its number */
} Entry;
typedef struct Block {
    Entry entries[2 * OOZE_MODES_MAX + 4];
    int count;
} Block;

/* A flow curve determines the yield stress, not the yield strain, which is some hundredths to some
   tenths for pastes. In steady shear the stress is below the yield stress by half the square of the
   yield strain. */
#define YIELD_STRAIN 0.1

static const char *law_name(OozeRheoLaw law)
{
    return law == OOZE_RHEO_MAXWELL     ? "maxwell"
           : law == OOZE_RHEO_NEWTON    ? "newton"
           : law == OOZE_RHEO_POWER_LAW ? "power_law"
           : law == OOZE_RHEO_PASTE     ? "herschel_bulkley"
                                        : "carreau";
}

/* Name of an unknown, as the key in a scene, and its unit. */
static const char *unknown_name(const OozeRheoModel *model, int unknown, const char **unit)
{
    static const struct {
        const char *name, *unit;
    } modes[] = {{"modulus", "Pa"}, {"relaxation_time", "s"}, {"solvent_viscosity", "Pa s"}},
      flow[] = {{"viscosity", "Pa s"},
                {"thinning_exponent", ""},
                {"thinning_rate", "1/s"},
                {"thinning_floor", ""}},
      paste[] = {{"solvent_viscosity", "Pa s"}, {"thinning_exponent", ""}, {"yield_stress", "Pa"}};
    if (model->law == OOZE_RHEO_PASTE) {
        *unit = paste[unknown].unit;
        return paste[unknown].name;
    }
    if (model->law == OOZE_RHEO_MAXWELL) {
        int row = unknown == 2 * model->modes ? 2 : unknown % 2;
        *unit = modes[row].unit;
        return modes[row].name;
    }
    *unit = flow[unknown].unit;
    return flow[unknown].name;
}

static void add_entry(Block *block, const char *key, int mode, double value, const char *word)
{
    Entry *entry = &block->entries[block->count++];
    *entry = (Entry){.value = value, .word = word};
    snprintf(entry->key, sizeof entry->key, mode > 1 ? "%s_%d" : "%s", key, mode);
}

/* Material keys and values of a fit. */
static Block list_entries(const OozeRheoFit *fit)
{
    Block block = {.count = 0};
    OozeRheoLaw law = fit->model.law;
    for (int k = 0; k < fit->unknown_count; k++) {
        const char *unit, *name = unknown_name(&fit->model, k, &unit);
        double value = ooze_rheo_number(fit, k).value;
        if (law == OOZE_RHEO_PASTE && k == 2) {
            add_entry(&block, "yield_strain", 0, YIELD_STRAIN, NULL);
            add_entry(&block, "modulus", 0, value / YIELD_STRAIN, NULL);
        } else {
            add_entry(&block, name, k < 2 * fit->model.modes ? k / 2 + 1 : 0, value, NULL);
        }
    }
    if (law == OOZE_RHEO_POWER_LAW || law == OOZE_RHEO_PASTE) {
        add_entry(&block, "thinning_rate", 0, fit->model.reference, NULL);
        add_entry(&block, "thinning", 0, 1.0, "power_law");
    } else if (law == OOZE_RHEO_CARREAU) {
        add_entry(&block, "thinning", 0, 0.0, "carreau");
    }
    return block;
}

/* Checks that a scene accepts the values. */
static OozeStatus check_entries(const Block *block, OozeError *error)
{
    OozeMaterialDef def = ooze_material_def_default();
    def.name = "the fitted material";
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < block->count && !status; i++) {
        status = ooze_material_def_set(&def, block->entries[i].key, block->entries[i].value, error);
    }
    return status;
}

static void append_number(OozeText *out, const OozeRheoFit *fit, int unknown, int mode)
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

static void append_law(OozeText *out, const OozeRheoFit *fit)
{
    const OozeRheoModel *model = &fit->model;
    if (model->law == OOZE_RHEO_MAXWELL) {
        ooze_text_append(out, "%d Maxwell mode%s%s", model->modes, model->modes == 1 ? "" : "s",
                         model->solvent ? " and a solvent" : "");
    } else {
        ooze_text_append(out, "%s",
                         model->law == OOZE_RHEO_NEWTON      ? "Newton's law"
                         : model->law == OOZE_RHEO_POWER_LAW ? "a power law"
                         : model->law == OOZE_RHEO_PASTE     ? "Herschel and Bulkley's law"
                                                             : "Carreau's law");
    }
    ooze_text_append(out, ", %.3g %% from the data (rms)\n", 100.0 * fit->rms);
}

static void append_table(OozeText *out, const OozeRheoData *data, const OozeRheoFit *fit)
{
    const OozeRheoNames *names = ooze_rheo_names(data->kind);
    double low, high;
    ooze_rheo_range(data, &low, &high);
    ooze_text_append(out, "%s of %zu points, %s %.4g to %.4g %s\n", names->experiment, data->rows,
                     names->x, low, high, names->x_unit);
    append_law(out, fit);
    bool spectrum = fit->model.law == OOZE_RHEO_MAXWELL;
    ooze_text_append(out, "  %-4s  %-18s  %-10s  %-24s  %s\n", spectrum ? "mode" : "", "", "value",
                     "95 % confidence", "unit");
    for (int k = 0; k < fit->unknown_count; k++) {
        bool first = spectrum && k % 2 == 0 && k < 2 * fit->model.modes;
        append_number(out, fit, k, first ? k / 2 + 1 : 0);
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

/* "34 %", or "a factor of 2.8" where per cent would mislead; `by` is the logarithm of the
   deviation. */
static void append_deviation(OozeText *out, double by)
{
    double factor = exp(fabs(by));
    if (factor >= 2.0) {
        ooze_text_append(out, "a factor of %.3g", factor);
    } else {
        ooze_text_append(out, "%.3g %%", 100.0 * fabs(expm1(by)));
    }
}

/* Remarks: deviation of the single mode, and parameters that a flow curve does not determine. */
static void append_remarks(OozeText *out, const OozeRheoData *data, const OozeRheoResult *result)
{
    const OozeRheoFit *best = &result->best, *single = &result->single;
    if (best->model.law == OOZE_RHEO_PASTE) {
        OozeRheoNumber yield = ooze_rheo_number(best, 2);
        double k =
            ooze_rheo_number(best, 0).value * pow(best->model.reference, 1.0 - best->unknowns[1]);
        ooze_text_append(out,
                         "\nStress is %.4g Pa + %.4g rate^%.3g. A flow curve does not tell how far "
                         "the material yields before it yields:\na yield strain of %g is taken, "
                         "so that the modulus is %.4g Pa. Measure G' below the yield stress for "
                         "more.\n",
                         yield.value, k, best->unknowns[1], YIELD_STRAIN,
                         yield.value / YIELD_STRAIN);
    }
    if (best->model.modes < 2) {
        return;
    }
    const OozeRheoNames *names = ooze_rheo_names(data->kind);
    OozeRheoDeviation worst = ooze_rheo_worst(single, data);
    ooze_text_append(out,
                     "\nMethod conformation takes all modes. For others, the "
                     "best single one\n(modulus %.4g Pa, relaxation_time %.4g s",
                     ooze_rheo_number(single, 0).value, ooze_rheo_number(single, 1).value);
    if (single->model.solvent) {
        ooze_text_append(out, ", solvent_viscosity %.4g Pa s", ooze_rheo_number(single, 2).value);
    }
    ooze_text_append(out, ") is ");
    append_deviation(out, log1p(single->rms));
    ooze_text_append(out, " from the data (rms), most at %s = %.3g %s, where its %s is ", names->x,
                     worst.x, names->x_unit, names->y[worst.curve]);
    append_deviation(out, log1p(worst.share));
    ooze_text_append(out, " too %s.\n", worst.share < 0.0 ? "low" : "high");
}

static void append_material(OozeText *out, const Block *block)
{
    ooze_text_append(out, "\nmaterials:\n  " SINGLE_NAME ":\n");
    for (int i = 0; i < block->count; i++) {
        const Entry *entry = &block->entries[i];
        if (entry->word) {
            ooze_text_append(out, "    %s: %s\n", entry->key, entry->word);
        } else {
            ooze_text_append(out, "    %s: %.5g\n", entry->key, entry->value);
        }
    }
}

static void json_number(OozeText *out, const char *before, const OozeRheoFit *fit, int unknown)
{
    const char *unit;
    OozeRheoNumber number = ooze_rheo_number(fit, unknown);
    bool bounded = isfinite(fit->half_widths[unknown]);
    ooze_text_append(out, "%s\"%s\": ", before, unknown_name(&fit->model, unknown, &unit));
    ooze_json_member(out, "{", "value", number.value);
    ooze_json_member(out, ", ", "low", bounded ? number.low : NAN);
    ooze_json_member(out, ", ", "high", bounded ? number.high : NAN);
    ooze_text_append(out, "}");
}

static void json_fit(OozeText *out, const OozeRheoFit *fit)
{
    ooze_text_append(out, "{\"law\": \"%s\"", law_name(fit->model.law));
    ooze_json_member(out, ", ", "residual_percent", 100.0 * fit->rms);
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

static void append_json(OozeText *out, const OozeRheoData *data, const OozeRheoResult *result,
                        const Block *block)
{
    ooze_text_append(out, "{\n  \"experiment\": \"%s\",\n  \"points\": %zu,\n  \"fit\": ",
                     ooze_rheo_names(data->kind)->experiment, data->rows);
    json_fit(out, &result->best);
    ooze_text_append(out, ",\n  \"single\": ");
    json_fit(out, &result->single);
    ooze_text_append(out, ",\n  \"material\": {");
    for (int i = 0; i < block->count; i++) {
        const Entry *entry = &block->entries[i];
        if (entry->word) {
            ooze_text_append(out, ", \"%s\": \"%s\"", entry->key, entry->word);
        } else {
            ooze_json_member(out, i == 0 ? "" : ", ", entry->key, entry->value);
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
    Block block = {.count = 0};
    status = ooze_rheo_fit(&data, &result, error);
    bool viscous = !status && ooze_rheo_convert_to_flow(&data, &result.best);
    status = viscous ? ooze_rheo_fit(&data, &result, error) : status;
    if (!status) {
        block = list_entries(&result.best);
        status = check_entries(&block, error);
    }
    if (!status && folder) {
        status = ooze_rheo_draw(&data, &result, folder, error);
    }
    if (!status && json) {
        append_json(out, &data, &result, &block);
    } else if (!status) {
        ooze_text_append(out, "%s",
                         viscous ? "G' is below a tenth of G'' throughout and follows no mode: "
                                   "taken as a flow curve, viscosity G'' / omega.\n"
                                 : "");
        append_table(out, &data, &result.best);
        append_remarks(out, &data, &result);
        append_material(out, &block);
    }
    ooze_rheo_free(&data);
    return status ? status : out->failed ? ooze_fail_memory(error, "a report", 0) : OOZE_OK;
}

static int run(const OozeArguments *arguments)
{
    const char *path = ooze_argument_text(arguments, "fit");
    if (!path && arguments->operand_count > 0) {
        return ooze_rheo_measure(arguments);
    }
    if (!path || arguments->operand_count > 0) {
        return ooze_usage_error(arguments->command,
                                "say what to measure, such as: ooze rheo honey; or what was "
                                "measured: ooze rheo --fit data.csv");
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

static const OozeOperand operands[] = {
    {"SCENE|PRESET", "a scene file, or the name of a preset: see `ooze presets`", true}};

static const OozeOption options[] = {
    {"material", 0, "NAME", false, "which material of the scene; else the first"},
    {"set", 0, "KEY=VALUE", true, "change one value of the scene"},
    {"method", 0, "NAME", false, "measure with this method and its usual settings instead"},
    {"spacing", 0, "M", false, "instead of the scene's; for a preset 0.01"},
    {"time-step", 0, "S", false, "instead of the scene's; for a preset one that resolves it"},
    {"grid", 0, NULL, false,
     "three spacings, three time steps and two numbers of iterations, all with each other"},
    {"quick", 0, NULL, false, "at these settings alone: nothing finer, and no verdict"},
    {"temperature", 0, "C", false,
     "degC, for a material whose numbers depend on it; else that of the scene's air, or 20"},
    {"tolerance", 0, "SHARE", false, "that counts as converged; 0.05"},
    {"threads", 0, "N", false, "how many cells are measured at once; 0: one per core"},
    {"fit", 0, "FILE", false,
     "a table (.csv) headed `omega [rad/s],G' [Pa],G'' [Pa]`, `rate [1/s],viscosity [Pa s]` (or "
     "`stress [Pa]`) or `time [s],modulus [Pa]`"},
    {"output", 'o', "DIR", false,
     "plot measured values and theory into `DIR/rheometer.svg` and `DIR/relaxation.svg`, or data "
     "and "
     "fit into `DIR/fit.svg`, each also as `.png` and `.pdf`, on logarithmic axes"},
    {"json", 0, NULL, false, "the answer as one JSON object"},
};

const OozeCommand ooze_command_rheo = {
    .name = "rheo",
    .synopsis = "SCENE|PRESET [options] | --fit FILE [options]",
    .summary = "Measure a simulated material, or fit a material to measurements",
    .details =
        "With a scene or preset: measures a small sample of the material in the virtual "
        "rheometer, with the scene's method, spacing, time step and settings, in shear, "
        "oscillation, step strain, creep and extension. Prints viscosity, normal stress, G', "
        "G'', relaxation, creep and extensional viscosity beside theory, from the stress that "
        "the method reports and from momentum. Then repeats the measurement at half the "
        "spacing, half the time step and twice the iterations, and prints whether the settings "
        "are converged, or which one to change.\n\n"
        "With `--fit`: prints the spectrum (1 to 4 Maxwell modes and a solvent) or the law of "
        "the flow curve that fits the data best, with 95 % confidence intervals, and a block "
        "`materials:` for a scene. Several modes become `modulus`, `relaxation_time`, "
        "`modulus_2` and so on; a flow curve with a yield stress becomes a modulus, a yield "
        "strain and a viscosity that thins. See [rheology.md](rheology.md).",
    .operands = operands,
    .operand_count = OOZE_ROWS(operands),
    .options = options,
    .option_count = OOZE_ROWS(options),
    .run = run,
};
