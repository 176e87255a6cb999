#include "rheology/fit.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* Lower bound of the relative scatter: the accuracy of the best rheometers. */
#define SCATTER_MIN 2e-4
/* A model with more unknowns is preferred where it lowers AICc by more than this: odds of 20 to 1.
   */
#define AICC_GAIN_MIN 6.0
/* Largest half width of a confidence interval, a factor of a thousand; wider ones are infinite. */
#define HALF_WIDTH_MAX 6.9
/* Smallest ratio of two relaxation times: the curve of a mode is a decade wide. */
#define TIME_RATIO_MIN 2.5
/* Data points per mode. */
#define POINTS_A_MODE 3
enum { STARTS = 6, TIMES = 16, SWEEPS = 60, CANDIDATES_MAX = 8 };

/* The best starting points so far, best first. */
typedef struct Starts {
    double unknowns[STARTS][OOZE_UNKNOWNS_MAX];
    double sums[STARTS];
    int count;
} Starts;

typedef struct Search {
    const OozeRheoData *data;
    double low, high;        /* ends of x */
    double min, max;         /* of y */
    double times[TIMES + 1]; /* the grid: logarithms of relaxation times */
    /* products of the relative curves of single modes and of a solvent, and sums of these curves */
    double gram[TIMES + 1][TIMES + 1], sums[TIMES + 1];
    double *work; /* for least squares, and for curves before */
} Search;

static bool is_exponent(const OozeRheoModel *model, int unknown)
{
    return unknown == 1 && model->law != OOZE_RHEO_MAXWELL;
}

static void keep_start(Starts *starts, const double *unknowns, int unknown_count, double sum)
{
    int at = starts->count;
    if (!isfinite(sum) || (at == STARTS && sum >= starts->sums[STARTS - 1])) {
        return;
    }
    at = at == STARTS ? STARTS - 1 : starts->count++;
    for (; at > 0 && starts->sums[at - 1] > sum; at--) {
        starts->sums[at] = starts->sums[at - 1];
        memcpy(starts->unknowns[at], starts->unknowns[at - 1], sizeof starts->unknowns[at]);
    }
    starts->sums[at] = sum;
    memcpy(starts->unknowns[at], unknowns, (size_t)unknown_count * sizeof *unknowns);
}

/* With fixed times the model is linear in the moduli: tabulates its normal equations. */
static void tabulate_modes(Search *search)
{
    const OozeRheoData *data = search->data;
    size_t n = data->rows * (size_t)data->curves;
    double first = data->kind == OOZE_RHEO_OSCILLATION ? 1.0 / search->high : search->low;
    for (int k = 0; k <= TIMES; k++) {
        double share = (double)k / (TIMES - 1);
        double unknowns[2] = {0.0, log(first) + share * log(search->high / search->low)};
        OozeRheoModel model = {.law = OOZE_RHEO_MAXWELL, .modes = k < TIMES, .solvent = k == TIMES};
        OozeRheoTrial trial = {&model, data};
        double *curve = search->work + (size_t)k * n;
        ooze_rheo_values(&trial, unknowns, curve);
        search->times[k] = unknowns[1];
        search->sums[k] = 0.0;
        for (size_t i = 0; i < n; i++) {
            curve[i] /= data->y[i];
            search->sums[k] += curve[i];
        }
        for (int l = 0; l <= k; l++) {
            const double *other = search->work + (size_t)l * n;
            double sum = 0.0;
            for (size_t i = 0; i < n; i++) {
                sum += curve[i] * other[i];
            }
            search->gram[k][l] = search->gram[l][k] = sum;
        }
    }
}

/* Non-negative coefficients of the curves `pick`, by coordinate descent. */
static void find_coefficients(const Search *search, const int *pick, int count,
                              double *coefficients)
{
    for (int a = 0; a < count; a++) {
        coefficients[a] = 0.0;
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int a = 0; a < count; a++) {
            double rest = search->sums[pick[a]];
            for (int b = 0; b < count; b++) {
                rest -= b == a ? 0.0 : search->gram[pick[a]][pick[b]] * coefficients[b];
            }
            coefficients[a] = fmax(rest / search->gram[pick[a]][pick[a]], 0.0);
        }
    }
}

/* Mean of ln(value / measured): the common excess of all coefficients. */
static double mean_excess(const OozeLeastSquares *problem, const double *unknowns)
{
    double sum = 0.0;
    problem->values(problem->context, unknowns, problem->work);
    for (size_t i = 0; i < problem->count; i++) {
        sum += log(problem->work[i] / problem->measured[i]);
    }
    return sum / (double)problem->count;
}

/* Tries all combinations of times of the grid. */
static void start_modes(const Search *search, const OozeLeastSquares *problem,
                        const OozeRheoModel *model, Starts *starts)
{
    int m = model->modes, count = m + model->solvent, pick[OOZE_MODES_MAX + 1];
    for (int k = 0; k < m; k++) {
        pick[k] = k;
    }
    pick[m] = TIMES;
    for (bool more = true; more;) {
        double coefficients[OOZE_MODES_MAX + 1], unknowns[OOZE_UNKNOWNS_MAX];
        find_coefficients(search, pick, count, coefficients);
        for (int k = 0; k < count; k++) {
            /* 0 has no logarithm: a hundredth of the coefficient of the curve alone */
            double alone = search->sums[pick[k]] / search->gram[pick[k]][pick[k]];
            unknowns[2 * k] = log(fmax(coefficients[k], 0.01 * alone));
            if (k < m) {
                unknowns[2 * k + 1] = search->times[pick[k]];
            }
        }
        double excess = mean_excess(problem, unknowns);
        for (int k = 0; k < count; k++) {
            unknowns[2 * k] -= excess;
        }
        keep_start(starts, unknowns, problem->unknown_count, ooze_residual_sum(problem, unknowns));
        int k = m - 1;
        while (k >= 0 && pick[k] == TIMES - m + k) {
            k--;
        }
        more = k >= 0;
        if (more) {
            pick[k]++;
            for (int l = k + 1; l < m; l++) {
                pick[l] = pick[l - 1] + 1;
            }
        }
    }
}

/* Tries a grid of exponents, rates and floors; the model is linear in the viscosity. */
static void start_flow(const Search *search, const OozeLeastSquares *problem,
                       const OozeRheoModel *model, Starts *starts)
{
    static const double exponents[] = {0.1, 0.3, 0.5, 0.7, 0.9, 1.2, 1.6};
    enum { EXPONENTS = sizeof exponents / sizeof exponents[0], RATES = 12, FLOORS = 4 };
    int bends = model->law == OOZE_RHEO_CARREAU || model->law == OOZE_RHEO_PASTE ? RATES : 1;
    int floors = model->floor ? FLOORS : 1;
    int slopes = model->law == OOZE_RHEO_NEWTON ? 1 : EXPONENTS;
    for (int i = 0; i < bends * floors * slopes; i++) {
        double unknowns[OOZE_UNKNOWNS_MAX] = {0};
        unknowns[1] = exponents[i % slopes];
        unknowns[2] =
            log(search->low) + log(search->high / search->low) * (i / slopes % bends) / (RATES - 1);
        unknowns[3] = log(0.5) - log(10.0) * (i / slopes / bends);
        if (model->law == OOZE_RHEO_PASTE) { /* the viscous stress at some rate, for 1 Pa s */
            unknowns[2] = unknowns[2] + (unknowns[1] - 1.0) * (unknowns[2] - log(model->reference));
        }
        double excess = mean_excess(problem, unknowns);
        unknowns[0] -= excess;
        unknowns[2] -= model->law == OOZE_RHEO_PASTE ? excess : 0.0;
        keep_start(starts, unknowns, problem->unknown_count, ooze_residual_sum(problem, unknowns));
    }
}

/* Wide enough not to affect an unknown that the data determine. */
static void set_bounds(const Search *search, const OozeRheoModel *model, OozeLeastSquares *problem)
{
    enum { FAR = 12, NEAR = 5 }; /* factors of e */
    bool oscillates = search->data->kind == OOZE_RHEO_OSCILLATION;
    double low = log(search->low), high = log(search->high);
    for (int k = 0; k < problem->unknown_count; k++) {
        problem->low[k] = log(search->min) - FAR;
        problem->high[k] = log(search->max) + FAR;
        if (is_exponent(model, k)) {
            problem->low[k] = 0.0; /* those of the material's table */
            problem->high[k] = 2.0;
        } else if (model->law == OOZE_RHEO_PASTE && k == 2) { /* viscosity times rate */
            problem->low[k] += low;
            problem->high[k] += high;
        } else if (model->law == OOZE_RHEO_CARREAU && k >= 2) {
            problem->low[k] = k == 2 ? low - NEAR : -FAR;
            problem->high[k] = k == 2 ? high + NEAR : 0.0;
        } else if (k == 2 * model->modes) { /* viscosity of the solvent beside modes */
            problem->low[k] -= model->law == OOZE_RHEO_MAXWELL ? high : 0.0;
            problem->high[k] -= model->law == OOZE_RHEO_MAXWELL ? low : 0.0;
        } else if (k % 2) {
            problem->low[k] = (oscillates ? -high : low) - NEAR;
            problem->high[k] = (oscillates ? -low : high) + NEAR;
        }
    }
}

static void swap(double *a, double *b)
{
    double old = *a;
    *a = *b;
    *b = old;
}

static void order_modes(OozeRheoFit *fit)
{
    for (int i = 1; i < fit->model.modes; i++) {
        for (int k = i; k > 0 && fit->unknowns[2 * k + 1] < fit->unknowns[2 * k - 1]; k--) {
            for (int part = 0; part < 2; part++) {
                swap(&fit->unknowns[2 * k + part], &fit->unknowns[2 * k - 2 + part]);
                swap(&fit->half_widths[2 * k + part], &fit->half_widths[2 * k - 2 + part]);
            }
        }
    }
}

static void fit_model(Search *search, const OozeRheoModel *model, OozeRheoFit *fit)
{
    const OozeRheoData *data = search->data;
    OozeRheoTrial trial = {model, data};
    OozeLeastSquares problem = {.values = ooze_rheo_values,
                                .context = &trial,
                                .measured = data->y,
                                .count = data->rows * (size_t)data->curves,
                                .unknown_count = ooze_rheo_unknowns(model),
                                .work = search->work};
    set_bounds(search, model, &problem);
    Starts starts = {.count = 0};
    if (model->law == OOZE_RHEO_MAXWELL) {
        start_modes(search, &problem, model, &starts);
    } else {
        start_flow(search, &problem, model, &starts);
    }
    *fit = (OozeRheoFit){.model = *model, .unknown_count = problem.unknown_count};
    double min = INFINITY;
    for (int i = 0; i < starts.count; i++) {
        double half_widths[OOZE_UNKNOWNS_MAX];
        double *unknowns = starts.unknowns[i];
        for (int k = 0; k < problem.unknown_count; k++) {
            unknowns[k] = fmin(fmax(unknowns[k], problem.low[k]), problem.high[k]);
        }
        double sum = ooze_least_squares(&problem, unknowns, half_widths);
        if (sum < min) {
            min = sum;
            memcpy(fit->unknowns, unknowns, sizeof fit->unknowns);
            memcpy(fit->half_widths, half_widths,
                   (size_t)problem.unknown_count * sizeof *half_widths);
        }
    }
    double n = (double)problem.count,
           k = problem.unknown_count + 1.0; /* the scatter counts as an unknown */
    fit->rms = exp(sqrt(min / n)) - 1.0;
    fit->information = n * log(min / n + SCATTER_MIN * SCATTER_MIN) + 2.0 * k +
                       (n > k + 1.0 ? 2.0 * k * (k + 1.0) / (n - k - 1.0) : INFINITY);
    fit->determined = isfinite(min);
    for (int i = 0; i < problem.unknown_count; i++) {
        double widest = is_exponent(model, i) ? 0.2 : log(2.0);
        if (fit->half_widths[i] > HALF_WIDTH_MAX) {
            fit->half_widths[i] = INFINITY;
        }
        fit->determined = fit->determined && fit->half_widths[i] < widest;
    }
    order_modes(fit);
    for (int i = 3; i < 2 * model->modes; i += 2) {
        bool apart = fit->unknowns[i] - fit->unknowns[i - 2] > log(TIME_RATIO_MIN);
        fit->determined = fit->determined && apart;
    }
}

/* Lists models by ascending number of unknowns; the first is always fitted. */
static int list_models(const OozeRheoData *data, const Search *search, OozeRheoModel *models)
{
    int count = 0;
    if (data->kind != OOZE_RHEO_FLOW) {
        for (int modes = 1; modes <= OOZE_MODES_MAX; modes++) {
            models[count++] = (OozeRheoModel){.law = OOZE_RHEO_MAXWELL, .modes = modes};
            if (data->kind == OOZE_RHEO_OSCILLATION) {
                models[count++] =
                    (OozeRheoModel){.law = OOZE_RHEO_MAXWELL, .modes = modes, .solvent = true};
            }
        }
        return count;
    }
    size_t first = 0, last = 0;
    for (size_t i = 0; i < data->rows; i++) {
        first = data->x[i] < data->x[first] ? i : first;
        last = data->x[i] > data->x[last] ? i : last;
    }
    /* The viscosity of a power law is capped at a multiple of the reference viscosity: refers to
       its maximum. */
    double reference = data->y[first] >= data->y[last] ? search->low : search->high;
    models[count++] = (OozeRheoModel){.law = OOZE_RHEO_NEWTON};
    models[count++] = (OozeRheoModel){.law = OOZE_RHEO_POWER_LAW, .reference = reference};
    models[count++] = (OozeRheoModel){.law = OOZE_RHEO_CARREAU};
    /* With a yield stress: refers to the rate where the viscosity is determined best. */
    models[count++] =
        (OozeRheoModel){.law = OOZE_RHEO_PASTE, .reference = sqrt(search->low * search->high)};
    models[count++] = (OozeRheoModel){.law = OOZE_RHEO_CARREAU, .floor = true};
    return count;
}

OozeStatus ooze_rheo_fit(const OozeRheoData *data, OozeRheoResult *result, OozeError *error)
{
    size_t n = data->rows * (size_t)data->curves, room = TIMES + 1;
    Search search = {.data = data, .min = INFINITY};
    *result = (OozeRheoResult){0};
    search.work = ooze_alloc(n * room, sizeof *search.work);
    if (!search.work) {
        return ooze_fail_memory(error, "a fit", n * room * sizeof *search.work);
    }
    ooze_rheo_range(data, &search.low, &search.high);
    for (size_t i = 0; i < n; i++) {
        search.min = fmin(search.min, data->y[i]);
        search.max = fmax(search.max, data->y[i]);
    }
    OozeRheoModel models[CANDIDATES_MAX];
    int count = list_models(data, &search, models);
    if (data->kind != OOZE_RHEO_FLOW) {
        tabulate_modes(&search);
    }
    for (int i = 0; i < count; i++) {
        OozeRheoFit fit;
        bool few = n < (size_t)ooze_rheo_unknowns(&models[i]) + 2 ||
                   (models[i].modes > 1 && data->rows < (size_t)(POINTS_A_MODE * models[i].modes));
        if (i > 0 && few) {
            continue; /* no degree of freedom would remain */
        }
        fit_model(&search, &models[i], &fit);
        /* models with several modes must be determined; a solvent beside one mode need not */
        bool sound = fit.determined || (!result->best.determined && models[i].modes <= 1);
        if (i == 0 || (sound && fit.information < result->best.information - AICC_GAIN_MIN)) {
            result->best = fit;
        }
        if (models[i].modes <= 1) {
            result->single = result->best;
        }
    }
    ooze_free(search.work);
    return OOZE_OK;
}

bool ooze_rheo_convert_to_flow(OozeRheoData *data, const OozeRheoFit *fit)
{
    bool viscous =
        data->kind == OOZE_RHEO_OSCILLATION && !(fit->determined && fit->rms < OOZE_RHEO_POOR);
    for (size_t i = 0; i < data->rows && viscous; i++) {
        viscous = data->y[i] < 0.1 * data->y[data->rows + i];
    }
    if (viscous) {
        for (size_t i = 0; i < data->rows; i++) {
            data->y[i] = data->y[data->rows + i] / data->x[i];
        }
        data->kind = OOZE_RHEO_FLOW;
        data->curves = 1;
    }
    return viscous;
}

OozeRheoNumber ooze_rheo_number(const OozeRheoFit *fit, int unknown)
{
    double u = fit->unknowns[unknown], half = fit->half_widths[unknown];
    OozeRheoNumber number = {exp(u), exp(u - half), exp(u + half)};
    if (is_exponent(&fit->model, unknown)) {
        number = (OozeRheoNumber){u, u - half, u + half};
    }
    return number;
}

OozeRheoDeviation ooze_rheo_worst(const OozeRheoFit *fit, const OozeRheoData *data)
{
    OozeRheoDeviation worst = {0};
    for (int curve = 0; curve < data->curves; curve++) {
        for (size_t i = 0; i < data->rows; i++) {
            double value =
                ooze_rheo_value(&fit->model, fit->unknowns, data->kind, curve, data->x[i]);
            double share = value / data->y[(size_t)curve * data->rows + i] - 1.0;
            if (fabs(log1p(share)) > fabs(log1p(worst.share))) {
                worst = (OozeRheoDeviation){data->x[i], share, curve};
            }
        }
    }
    return worst;
}
