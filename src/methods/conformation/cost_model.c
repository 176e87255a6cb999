/* Iterations and steps that a flow needs, measured on columns, slumping heaps and bouncing blocks
   of 10 to 40 layers.

   Velocity. A step spreads momentum over sqrt(A dt), A = nu + G min(dt, tau) in kinematic units:
   the diffusion length, or the travel of a shear wave. An iteration of conjugate gradients carries
   it over two supports at most, and to get it right takes the square root of the condition number,
   which is that length in spacings.
   `lodge` ends at its tolerance. Preconditioned by masses it reaches a residual of 1e-4
   after 3 + 5.2 iterations per spacing of that length, or 6.2 for each layer of the fluid,
   whichever is less. With multigrid it does so after some 16 at any size. The grids cost as much as
   10 products of the operator, and each of their iterations as 1.7.
   Conjugate gradients of `consistent`: columns of 12 to 36 layers under their weight came within
   10% of the converged motion with 3.3 iterations a spacing of that length, or 1.6 for each layer.
   Its sweeps by Jacobi's method, and those of `paper`, spread momentum by diffusion: A dt/d^2 =
   0.78 per sweep.

   Density. Columns of 10 and 20 layers of water at steps of 1/480 to 1/60 s sank by 5% with twice
   layers dt sqrt(g/d) iterations, and by less with the square of their number. Viscosity up to 100
   Pa s did not help; stiffness that carries the weight did. Fluid at rest shows this loss of height
   for the whole run, so a fifth of the error is allowed for it.

   Step. The relative error of a fall is dt over its duration. A block that is released sinks too
   far, or in first order too little, by 0.9 of its frequency times dt at most. */
#include "methods/conformation/cost_model.h"

#include <math.h>

#include "base/vec3.h"
#include "methods/maxwell.h"
#include "physics/flow_numbers.h"

static const double PER_SPACING = 3.3, PER_LAYER = 1.6, PER_SWEEP = 0.78;
static const double MULTIGRID_ITERATIONS = 16.0, GRIDS = 10.0, PER_CYCLE = 1.7;
static const double GRID_BYTES = 800.0; /* a particle */
static const double PER_COLUMN = 2.0, PASSES = 2.0;
static const double PER_PERIOD = 0.9;
static const double COLUMN_SHARE = 0.2; /* of the error, for the loss of height at rest */
/* Bounds of the counts: with fewer iterations a stage does not converge at all. With fewer
   than five on positions, constraints of compliance 0 make a column at rest unstable. */
static const double VELOCITY_MIN = 5.0, VELOCITY_MAX = 10000.0, DENSITY_MIN = 3.0,
                    POSITION_MIN = 5.0, DENSITY_MAX = 200.0;

double ooze_cost_diffusion_length(const OozeStepContext *c, const OozeMaterial *material, double dt)
{
    OozeStepContext at = *c;
    at.dt = dt;
    double density = material->values[OOZE_MATERIAL_DENSITY];
    return ooze_momentum_diffusion_length(ooze_maxwell_resistance(&at, material, density, INFINITY),
                                          dt) /
           c->spacing;
}

/* Errors of conjugate gradients decay by a constant factor an iteration: iterations for `error`
   over those for `measured`. */
static double digits(double error, double measured)
{
    const double least = 1e-12;
    return log(2.0 / fmax(error, least)) / log(2.0 / measured);
}

/* For an error of the motion. */
static double sweep_iterations(const OozeConformationSettings *s, double spacings, double layers,
                               double error)
{
    bool jacobi = s->formulation == OOZE_FORMULATION_PAPER || s->solver == OOZE_CONSTRAINT_JACOBI;
    double count =
        jacobi ? spacings * spacings / PER_SWEEP : fmin(PER_SPACING * spacings, PER_LAYER * layers);
    return count * digits(error, OOZE_COST_MODEL_ERROR);
}

/* Multigrid is expected where it saves a third: layers are those of the largest extent, and shallow
   fluid on a floor needs fewer iterations with the diagonal preconditioner. */
OozeSolveCost ooze_cost_of_solve(const OozeConformationSettings *s, double spacings, double layers,
                                 double error)
{
    const double saving = 1.5;
    if (s->formulation != OOZE_FORMULATION_LODGE) {
        double count = ceil(sweep_iterations(s, spacings, layers, error) - 1e-9);
        return (OozeSolveCost){false, count, count};
    }
    double longer = digits(s->tolerance, 1e-4), most = s->velocity_iterations;
    OozeSolveCost diagonal = {.iterations =
                                  ceil(longer * fmin(3.0 + 5.2 * spacings, 6.2 * layers))};
    OozeSolveCost grids = {true, ceil(longer * MULTIGRID_ITERATIONS), 0.0};
    diagonal.products = fmin(diagonal.iterations, most);
    grids.products = GRIDS + PER_CYCLE * fmin(grids.iterations, most);
    bool pays = spacings < OOZE_COST_FARTHEST && diagonal.products > saving * grids.products;
    return s->preconditioner == OOZE_PRECONDITIONER_MULTIGRID ||
                   (s->preconditioner == OOZE_PRECONDITIONER_AUTO && pays)
               ? grids
               : diagonal;
}

static double density_iterations(double layers, double dt, double gravity, double spacing,
                                 double error)
{
    double count = PER_COLUMN * layers * dt * sqrt(gravity / spacing);
    return ceil(count * sqrt(OOZE_COST_MODEL_ERROR / (COLUMN_SHARE * error)) - 1e-9);
}

static double longest_step_of_flow(const OozeFlow *flow, double gravity, double spacing,
                                   double error, const char **why)
{
    double height = flow->scale.height, longest = INFINITY;
    *why = "";
    if (flow->slumps && flow->speed > 0.0) {
        longest = error * 2.0 * height / flow->speed; /* of a fall: the time it takes */
        *why = "how soon it comes down";
    }
    double frequency = height > 0.0 ? ooze_bounce_frequency(flow->wave, height) : 0.0;
    if (frequency * flow->relaxation > 1.0 && !flow->stiffest) {
        /* amplitudes below a spacing may have an error of that fraction of a spacing */
        double swing = 2.0 * gravity / (frequency * frequency) +
                       (flow->slumps ? 0.0 : flow->speed) / frequency;
        double step = error / PER_PERIOD / frequency * fmax(1.0, spacing / swing);
        *why = step < longest ? "how fast it bounces" : *why;
        longest = fmin(longest, step);
    }
    return longest;
}

/* From `ooze bench blocks` on a Neoverse-V1, in the time of one velocity iteration (87 ns):
   neighbours, edges and the end of a step; the coefficients of a pass and its two residuals; a
   density iteration. A position iteration of the method constraint is one of density and one of
   conformation. */
double ooze_cost_of_step(const OozeConformationSettings *s, double products, double passes,
                         double density_iterations)
{
    const double step = 10.3, pass = 3.6, density = 1.25, position = 3.0;
    bool lodge = s->formulation == OOZE_FORMULATION_LODGE;
    return step + (lodge ? passes : 1.0) * (pass + products) +
           (lodge ? density : position) * density_iterations;
}

/* ---- choosing -------------------------------------------------------------------------------- */

typedef struct CostModel {
    const OozeChoiceQuestion *q;
    OozeConformationSettings settings;
    double gravity;
} CostModel;

static double layers_of(const OozeFlow *flow, double spacing)
{
    return fmax(flow->scale.extent, flow->scale.height) / spacing;
}

/* Spacings over which a step spreads the momentum of a material. */
static double diffusion_length(const CostModel *model, int material, double dt)
{
    const OozeStepContext *c = model->q->context;
    return model->q->flows[material].stiffest
               ? OOZE_STIFFEST_WAVE
               : ooze_cost_diffusion_length(c, &c->materials[material], dt);
}

/* Of the material that needs most, with at most `allowed` iterations. */
static OozeSolveCost velocity_at(const CostModel *model, double dt, double allowed)
{
    const OozeStepContext *c = model->q->context;
    OozeConformationSettings settings = model->settings;
    OozeSolveCost most = {.iterations = VELOCITY_MIN, .products = VELOCITY_MIN};
    settings.velocity_iterations = (int)allowed;
    for (int m = 0; m < c->material_count; m++) {
        const OozeFlow *flow = &model->q->flows[m];
        if (flow->scale.flows) {
            OozeSolveCost cost = ooze_cost_of_solve(&settings, diffusion_length(model, m, dt),
                                                    layers_of(flow, c->spacing), model->q->error);
            most = cost.products > most.products ? cost : most;
        }
    }
    return most;
}

static double density_at(const CostModel *model, double dt)
{
    const OozeStepContext *c = model->q->context;
    bool lodge = model->settings.formulation == OOZE_FORMULATION_LODGE;
    double count = lodge ? DENSITY_MIN : POSITION_MIN;
    for (int m = 0; m < c->material_count; m++) {
        const OozeFlow *flow = &model->q->flows[m];
        bool carried = flow->stiffest || flow->sag < model->q->error;
        if (flow->scale.flows && !carried) {
            count = fmax(count, density_iterations(flow->scale.height / c->spacing, dt,
                                                   model->gravity, c->spacing, model->q->error));
        }
    }
    return fmin(count, DENSITY_MAX);
}

/* Fills in the counts that are not given, for one time step, and the cost of a simulated second.
   `lodge` ends at its tolerance, and keeps its cap. */
static OozeChoice fill(const CostModel *model, OozeChoice choice, double dt)
{
    bool lodge = model->settings.formulation == OOZE_FORMULATION_LODGE;
    const double cap = OOZE_VELOCITY_CAP;
    choice.time_step = dt;
    choice.density_key = lodge ? "density_iterations" : "position_iterations";
    if (isnan(choice.velocity_iterations)) {
        choice.velocity_iterations =
            lodge ? cap : fmin(velocity_at(model, dt, cap).iterations, VELOCITY_MAX);
    }
    choice.density_iterations =
        isnan(choice.density_iterations) ? density_at(model, dt) : choice.density_iterations;
    OozeSolveCost solve = velocity_at(model, dt, choice.velocity_iterations);
    double products = lodge ? solve.products : choice.velocity_iterations;
    choice.grid_bytes = solve.multigrid ? GRID_BYTES : 0.0;
    choice.cost =
        ooze_cost_of_step(&model->settings, products, choice.passes, choice.density_iterations) /
        dt;
    return choice;
}

/* The longest step that accuracy allows. */
static double longest_step(const CostModel *model, OozeChoice *choice)
{
    const OozeChoiceQuestion *q = model->q;
    double longest = ooze_choice_max_step(q->context->method, q, choice);
    for (int m = 0; m < q->context->material_count; m++) {
        const char *why;
        if (q->flows[m].scale.flows) {
            double step = longest_step_of_flow(&q->flows[m], model->gravity, q->context->spacing,
                                               q->error, &why);
            ooze_choice_bound(choice, &longest, step, m, why);
        }
    }
    return longest;
}

/* Whether a count, if given, is enough. */
static bool suffices(double given, double needed, double least)
{
    return isnan(given) || needed <= fmax(given, least);
}

void ooze_conformation_choose(const OozeChoiceQuestion *q, OozeChoice *choice)
{
    CostModel model = {.q = q,
                       .settings = ooze_conformation_settings(q->context),
                       .gravity = vec3_length(q->context->gravity)};
    bool lodge = model.settings.formulation == OOZE_FORMULATION_LODGE;
    choice->passes = lodge && isnan(choice->passes) ? PASSES : choice->passes;
    if (!isnan(choice->time_step)) {
        *choice = fill(&model, *choice, choice->time_step);
        return;
    }
    double least = q->frame / ooze_choice_divide(q->frame, longest_step(&model, choice));
    double iterations = choice->velocity_iterations, density = choice->density_iterations;
    OozeChoice best = {.cost = INFINITY};
    bool enough = false;
    /* Shorter steps cost more, except with solvers that need many times more iterations for long
       steps, and where the given iterations suffice for short steps only. */
    for (double steps = round(least); steps < 64.0 * least + 1.0; steps = ceil(1.05 * steps)) {
        double dt = q->frame / steps;
        double needed = velocity_at(&model, dt, model.settings.velocity_iterations).iterations;
        bool reaches = suffices(iterations, needed, VELOCITY_MIN) &&
                       suffices(density, density_at(&model, dt), DENSITY_MIN);
        OozeChoice at = fill(&model, *choice, dt);
        if ((reaches && !enough) || (reaches == enough && at.cost < best.cost)) {
            best = at;
            enough = reaches;
        }
    }
    *choice = best;
}
