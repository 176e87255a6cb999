/* Lists the stages and corrections that act in a step, from the plan that the step itself uses. */
#include "methods/explain.h"

#include "methods/conformation/impact_formula.h"
#include "methods/conformation/step.h"
#include "solids/dynamic_formula.h"

/* Materials that a clause names. */
enum { NAMES_MAX = 4 };
/* A share from which on it counts as all. */
static const float ALL = 0.95f;

typedef struct Report {
    const OozeStepContext *context;
    const OozeConformationPlan *plan;
    const OozeConformationSettings *set; /* of the plan */
    const unsigned *kinds;
    OozeText *out;
} Report;

/* ---- properties of materials ----------------------------------------------------------------- */

/* A number of a row; 0: the row does not have that property. */
typedef float (*Property)(const OozeRheology *row);

static float is_elastic(const OozeRheology *row)
{
    return row->longest_relaxation > 0.0f ? 1.0f : 0.0f;
}

static float is_viscous(const OozeRheology *row)
{
    return row->longest_relaxation == 0.0f && row->viscosity > 0.0f ? 1.0f : 0.0f;
}

static float has_stress(const OozeRheology *row)
{
    return ooze_max(is_elastic(row), is_viscous(row));
}

static float is_inviscid(const OozeRheology *row)
{
    return 1.0f - has_stress(row);
}

static float yields(const OozeRheology *row)
{
    return isfinite(row->yield) ? 1.0f : 0.0f;
}

static float thins(const OozeRheology *row)
{
    return row->thinning.time > 0.0f ? 1.0f : 0.0f;
}

static float is_second_order(const OozeRheology *row)
{
    return row->second_order ? 1.0f : 0.0f;
}

static float damps(const OozeRheology *row)
{
    return row->hourglass > 0.0f ? 1.0f : 0.0f;
}

static float expected_push(const OozeRheology *row)
{
    return row->expected_push_share;
}

static float push_stress(const OozeRheology *row)
{
    return row->push_stress_share;
}

static float surface_tension(const OozeRheology *row)
{
    return row->surface_tension;
}

static float interface_tension(const OozeRheology *row)
{
    return row->interface_tension;
}

/* Largest number of the rows of a material that is a fluid; 0: it is none. */
static float most(const Report *r, int material, Property property)
{
    const OozeTemperatureRows *rows = r->plan->temperature_rows;
    bool varies = rows && rows[material].fluid >= 0;
    int first = varies ? rows[material].fluid : material;
    int count = varies ? OOZE_TEMPERATURE_ROWS : 1;
    float largest = 0.0f;
    if (!(r->kinds[material] & 1u << OOZE_BODY_FLUID)) {
        return 0.0f;
    }
    for (int k = 0; k < count; k++) {
        largest = ooze_max(largest, property(&r->plan->rheology[first + k]));
    }
    return largest;
}

static int count_fluids(const Report *r, Property property)
{
    int count = 0;
    for (int m = 0; m < r->context->material_count; m++) {
        count += most(r, m, property) > 0.0f;
    }
    return count;
}

/* ---- clauses --------------------------------------------------------------------------------- */

/* The fluids with a property after `before`, with its number where that is a share below 1; nothing
   where there is none. */
static void name_shares(const Report *r, const char *before, Property property, bool share)
{
    int count = count_fluids(r, property), named = 0;
    for (int m = 0; m < r->context->material_count && named < NAMES_MAX; m++) {
        float number = most(r, m, property);
        if (number > 0.0f) {
            ooze_text_append(r->out, "%s%s", named++ ? ", " : before,
                             r->context->materials[m].name);
        }
        if (number > 0.0f && share && number < ALL) {
            ooze_text_append(r->out, " (%.2g%%)", 100.0 * (double)number);
        }
    }
    if (count > named) {
        ooze_text_append(r->out, " and %d more", count - named);
    }
}

static void name_fluids(const Report *r, const char *before, Property property)
{
    name_shares(r, before, property, false);
}

/* The materials of bodies of a kind. */
static void name_bodies(const Report *r, const char *before, OozeBodyKind kind)
{
    int count = 0;
    for (int m = 0; m < r->context->material_count; m++) {
        if (r->kinds[m] & 1u << kind && count++ < NAMES_MAX) {
            ooze_text_append(r->out, "%s%s", count > 1 ? ", " : before,
                             r->context->materials[m].name);
        }
    }
    if (count > NAMES_MAX) {
        ooze_text_append(r->out, " and %d more", count - NAMES_MAX);
    }
}

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

/* ---- lines of lodge -------------------------------------------------------------------------- */

static void write_velocity(const Report *r)
{
    int passes = r->set->passes;
    ooze_text_append(r->out, "velocity solve: implicit, in %d pass%s", passes,
                     passes == 1 ? "" : "es");
    name_fluids(r, "; Lodge stress of ", is_elastic);
    name_fluids(r, "; viscous stress of ", is_viscous);
    name_fluids(r, "; no stress of ", is_inviscid);
    name_fluids(r, "; yield of ", yields);
    name_fluids(r, "; thinning of ", thins);
    name_fluids(r, "; second order for ", is_second_order);
    if (count_fluids(r, damps) > 0) {
        ooze_text_append(r->out, "; hourglass damping %g", r->set->hourglass);
    }
    ooze_text_append(r->out, "\n");
}

static void write_linear_solve(const Report *r)
{
    static const char *const preconditioner[] = {
        [OOZE_PRECONDITIONER_AUTO] = "preconditioner diagonal, or multigrid where expected faster",
        [OOZE_PRECONDITIONER_DIAGONAL] = "preconditioner diagonal",
        [OOZE_PRECONDITIONER_MULTIGRID] = "preconditioner multigrid",
    };
    if (r->set->pressure_grid) { /* which pressure_solve.c solves */
        return;
    }
    ooze_text_append(r->out,
                     "linear solve: at most %d iteration%s a pass, to a relative residual of "
                     "%.2g; %s\n",
                     r->set->velocity_iterations, plural(r->set->velocity_iterations),
                     r->set->tolerance, preconditioner[r->set->preconditioner]);
}

static void write_pressure(const Report *r)
{
    const OozeConformationSettings *set = r->set;
    int iterations = set->density_iterations;
    const char *grid = "on a grid of two spacings, solved with the velocities";
    ooze_text_append(r->out, "pressure: %s", set->pressure_grid ? grid : "");
    if (iterations > 0) {
        ooze_text_append(
            r->out, "%sdensity stage %s, at most %d iteration%s", set->pressure_grid ? "; " : "",
            set->pressure_grid ? "where the grid does not reach" : "after the velocities",
            iterations, plural(iterations));
    } else if (!set->pressure_grid) {
        ooze_text_append(r->out, "none, with density_iterations: 0");
    }
    if (iterations > 0 && set->density_mean_tolerance > 0.0f) {
        ooze_text_append(r->out, ", to a mean error of %.2g", (double)set->density_mean_tolerance);
    }
    if (r->plan->warm_density) {
        ooze_text_append(r->out, ", from the pressure of the last step");
    }
    if (r->plan->expects_pushes) {
        name_shares(r, "; the push of the last step is expected in ", expected_push, true);
    }
    ooze_text_append(r->out, "\n");
}

static void write_push_stress(const Report *r)
{
    if (r->plan->isotropic_pushes) {
        name_shares(r, "stress of pushes: removed in ", push_stress, true);
        ooze_text_append(r->out, r->plan->isotropic_shifts ? ", in positions too, and along walls\n"
                                                           : ", away from walls\n");
    }
}

static void write_void_closure(const Report *r)
{
    const OozeConformationSettings *set = r->set;
    if (set->void_closure > 0.0f && set->bulk > 0.0f && count_fluids(r, has_stress) > 0) {
        ooze_text_append(r->out, "void closure: %g", (double)set->void_closure);
        name_fluids(r, " in ", has_stress);
        ooze_text_append(r->out, ", inside the fluid (surface indicator below %g)\n",
                         (double)OOZE_VOID_CLOSURE_CUTOFF);
    }
}

/* ---- lines of every formulation -------------------------------------------------------------- */

static void write_surface_tension(const Report *r)
{
    if (r->plan->largest_surface_tension > 0.0f) {
        ooze_text_append(r->out, "surface tension: explicit, before the velocities");
        name_fluids(r, "; of ", surface_tension);
        name_fluids(r, "; against other liquids of ", interface_tension);
        ooze_text_append(r->out, "\n");
    }
}

/* Shifts that change no velocity. */
static void write_position_shifts(const Report *r, int iterations)
{
    double apart = (double)r->set->min_distance / r->context->spacing;
    bool drifts = apart > 0.0;
    if (drifts) {
        ooze_text_append(r->out, "position shifts: pairs nearer than %.2g spacings drift apart",
                         apart);
    }
    if (drifts && r->plan->regularises_threads) {
        name_fluids(r, "; thread regularisation in ", is_elastic);
    }
    if (iterations > 0) {
        ooze_text_append(r->out, "%s overlaps of the start are relieved",
                         drifts ? ";" : "position shifts:");
    }
    ooze_text_append(r->out, drifts || iterations > 0 ? "\n" : "");
}

static void write_contacts(const Report *r)
{
    const OozeStepContext *c = r->context;
    bool lodge = r->set->formulation == OOZE_FORMULATION_LODGE;
    int solids = 0;
    for (int k = 0; k < c->solid_count; k++) {
        solids += ooze_solid_collides(&c->solids[k]) && !ooze_solid_is_dynamic(&c->solids[k]);
    }
    if (solids > 0) {
        const char *released = !lodge                  ? ""
                               : r->set->passes > 1    ? "; released where they pull"
                               : r->set->impact_passes ? "; released where they pull, in long steps"
                                                       : "; never released, in one pass";
        bool late = r->set->formulation == OOZE_FORMULATION_PAPER || r->set->positions_only;
        ooze_text_append(r->out, "contacts: with %d solid%s, in the %s%s\n", solids, plural(solids),
                         late ? "positions" : "velocities", released);
    }
}

static void write_impacts(const Report *r)
{
    if (r->set->impact_passes > 0) {
        ooze_text_append(r->out,
                         "impact passes: up to %d more in steps with travel beyond %g spacings or "
                         "density beyond %g\n",
                         r->set->impact_passes, (double)OOZE_IMPACT_TRAVEL,
                         (double)OOZE_IMPACT_DENSITY);
    }
}

static void write_bodies(const Report *r)
{
    const OozeStepContext *c = r->context;
    int dynamic = 0;
    for (int k = 0; k < c->solid_count; k++) {
        dynamic += c->dynamic && ooze_solid_is_dynamic(&c->solids[k]);
    }
    if (c->body_count == 0 && dynamic == 0) {
        return;
    }
    ooze_text_append(r->out, "bodies: solved with the velocities");
    if (c->body_count > 0) {
        name_bodies(r, "; rigid of ", OOZE_BODY_RIGID);
        name_bodies(r, "; soft of ", OOZE_BODY_SOFT);
    }
    if (dynamic > 0) {
        ooze_text_append(r->out, "; %d dynamic solid%s", dynamic, plural(dynamic));
    }
    if (dynamic > 0 && r->plan->solid_push_share > 0.0f) {
        ooze_text_append(r->out, ", %.2g%% of the last push expected",
                         100.0 * (double)r->plan->solid_push_share);
    }
    ooze_text_append(r->out, "\n");
}

/* ---- lines of the method constraint ---------------------------------------------------------- */

static void write_constraints(const Report *r)
{
    static const char *const solver[] = {
        [OOZE_CONSTRAINT_JACOBI] = "Jacobi",
        [OOZE_CONSTRAINT_CHEBYSHEV] = "Chebyshev",
        [OOZE_CONSTRAINT_CONJUGATE_GRADIENTS] = "conjugate gradients",
    };
    const OozeConformationSettings *set = r->set;
    bool paper = set->formulation == OOZE_FORMULATION_PAPER;
    if (set->positions_only) {
        ooze_text_append(r->out, "velocity solve: none, with projection: positions_only\n");
    } else {
        ooze_text_append(r->out,
                         "velocity solve: conformation constraints by %s, at most %d "
                         "iteration%s",
                         paper ? solver[OOZE_CONSTRAINT_JACOBI] : solver[set->solver],
                         set->velocity_iterations, plural(set->velocity_iterations));
        if (!paper && set->warm_start > 0.0f) {
            ooze_text_append(r->out, ", from %g of the last multipliers", (double)set->warm_start);
        }
        ooze_text_append(r->out, "\n");
    }
    ooze_text_append(r->out, "positions: %d iteration%s of density%s\n", set->density_iterations,
                     plural(set->density_iterations),
                     set->velocity_only ? "" : ", each with one of conformation");
    if (set->corotation) {
        ooze_text_append(r->out, "corotation: rotations are no strain\n");
    }
    if (set->deviatoric_only) {
        ooze_text_append(r->out, "deviatoric only: volume is not constrained\n");
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static void write_lodge(const Report *r)
{
    write_velocity(r);
    write_linear_solve(r);
    write_pressure(r);
    write_push_stress(r);
    write_surface_tension(r);
    write_void_closure(r);
    write_position_shifts(r, r->set->density_iterations);
    write_contacts(r);
    write_impacts(r);
    write_bodies(r);
}

OozeStatus ooze_conformation_explain(const OozeStepContext *c, const OozeExplanation *explanation,
                                     OozeError *error)
{
    OozeConformationPlan plan;
    OozeStatus status = ooze_conformation_plan(c, &plan, error);
    Report r = {c, &plan, &plan.settings, explanation->kinds, explanation->lines};
    if (status) {
        return status;
    }
    if (plan.settings.formulation == OOZE_FORMULATION_LODGE) {
        write_lodge(&r);
        return OOZE_OK;
    }
    write_constraints(&r);
    write_surface_tension(&r);
    if (plan.settings.formulation == OOZE_FORMULATION_CONSISTENT) { /* paper has none */
        write_position_shifts(&r, plan.settings.density_iterations);
    }
    write_contacts(&r);
    return OOZE_OK;
}
