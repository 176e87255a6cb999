#include "rheology/model.h"

#include <math.h>

#include "physics/spectrum.h"

/* Numerical derivatives need double precision. */
#define OOZE_REAL double
#define OOZE_SQRT sqrt
#include "physics/thinning.h"

/* The unknowns without logarithms. */
typedef struct Numbers {
    double modulus[OOZE_MODES_MAX], time[OOZE_MODES_MAX];
    double viscosity; /* of the solvent beside modes */
    double yield;     /* stress, Pa */
    OozeThinning thinning;
} Numbers;

int ooze_rheo_unknowns(const OozeRheoModel *model)
{
    switch (model->law) {
    case OOZE_RHEO_MAXWELL:
        return 2 * model->modes + model->solvent;
    case OOZE_RHEO_NEWTON:
        return 1;
    case OOZE_RHEO_POWER_LAW:
        return 2;
    case OOZE_RHEO_PASTE:
        return 3;
    default:
        return 3 + model->floor;
    }
}

static Numbers numbers_of(const OozeRheoModel *model, const double *unknowns)
{
    Numbers n = {0};
    n.thinning.law = OOZE_THINNING_CARREAU;
    switch (model->law) {
    case OOZE_RHEO_MAXWELL:
        for (int k = 0; k < model->modes; k++) {
            n.modulus[k] = exp(unknowns[2 * k]);
            n.time[k] = exp(unknowns[2 * k + 1]);
        }
        n.viscosity = model->solvent ? exp(unknowns[2 * model->modes]) : 0.0;
        break;
    case OOZE_RHEO_NEWTON:
        n.viscosity = exp(unknowns[0]);
        break;
    case OOZE_RHEO_PASTE:
        n.yield = exp(unknowns[2]); /* and those of a power law */
        /* fall through */
    case OOZE_RHEO_POWER_LAW:
        n.viscosity = exp(unknowns[0]);
        n.thinning.law = OOZE_THINNING_POWER_LAW;
        n.thinning.time = 1.0 / model->reference;
        n.thinning.exponent = unknowns[1];
        break;
    default:
        n.viscosity = exp(unknowns[0]);
        n.thinning.time = exp(-unknowns[2]);
        n.thinning.exponent = unknowns[1];
        n.thinning.floor = model->floor ? exp(unknowns[3]) : 0.0;
    }
    return n;
}

static double value_of(const OozeRheoModel *model, const Numbers *n, OozeRheoKind kind, int curve,
                       double x)
{
    if (kind == OOZE_RHEO_FLOW) {
        return n->viscosity * ooze_thinning(n->thinning, x) + n->yield / x;
    }
    double sum = kind == OOZE_RHEO_OSCILLATION && curve == 1 ? n->viscosity * x : 0.0;
    for (int k = 0; k < model->modes; k++) {
        double g = n->modulus[k], tau = n->time[k];
        sum += kind == OOZE_RHEO_RELAXATION ? ooze_mode_relaxation(g, tau, x)
               : curve == 0                 ? ooze_mode_storage(g, tau, x)
                                            : ooze_mode_loss(g, tau, x);
    }
    return sum;
}

double ooze_rheo_value(const OozeRheoModel *model, const double *unknowns, OozeRheoKind kind,
                       int curve, double x)
{
    Numbers n = numbers_of(model, unknowns);
    return value_of(model, &n, kind, curve, x);
}

void ooze_rheo_values(const void *trial, const double *unknowns, double *values)
{
    const OozeRheoTrial *t = trial;
    const OozeRheoData *data = t->data;
    Numbers n = numbers_of(t->model, unknowns);
    for (int curve = 0; curve < data->curves; curve++) {
        double *to = values + (size_t)curve * data->rows;
        for (size_t i = 0; i < data->rows; i++) {
            to[i] = value_of(t->model, &n, data->kind, curve, data->x[i]);
        }
    }
}
