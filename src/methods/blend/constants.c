#include "methods/blend/constants.h"

#include <math.h>

#include "base/vec3.h"
#include "methods/blend/regions_formula.h"
#include "physics/heat.h"
#include "physics/kernels.h"
#include "physics/shape_matching.h"
#include "physics/wcsph.h"

/* Radius in spacings from which on regions of cells are cheaper than lists. */
static const double CELLS_FROM = 2.5;

/* Sums over the rest lattice: of W for densities, and of -r dW/dr / 3 for gradients. */
static void lattice_sums(double spacing, double h, bool published, double *value, double *gradient)
{
    const int reach = (int)(h / spacing) + 1;
    *value = *gradient = 0.0;
    for (int k = -reach; k <= reach; k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                float r = (float)(spacing * sqrt((double)(i * i + j * j + k * k)));
                float slope =
                    published ? ooze_poly6_slope(r, (float)h) : ooze_spiky_slope(r, (float)h);
                *value += (double)ooze_poly6_value(r, (float)h);
                *gradient -= (double)(r * slope) / 3.0;
            }
        }
    }
}

double ooze_blend_matching_radius(OozeRegionKind kind, double radius, double spacing)
{
    const double lattice_most = 20.0; /* spacings: larger balls have the moment of a full ball */
    if (kind == OOZE_REGIONS_OF_CELLS || radius > lattice_most * spacing) {
        return radius;
    }
    const int reach = (int)(radius / spacing) + 1;
    double count = 0.0, moment = 0.0;
    for (int k = -reach; k <= reach; k++) {
        for (int j = -reach; j <= reach; j++) {
            for (int i = -reach; i <= reach; i++) {
                double distance2 = spacing * spacing * (double)(i * i + j * j + k * k);
                bool inside = distance2 < ooze_blend_reach2(radius);
                count += inside;
                moment += inside ? (double)(i * i) : 0.0;
            }
        }
    }
    return spacing * sqrt(5.0 * moment / count);
}

static OozeRegionKind region_kind(const OozeStepContext *c)
{
    double choice = c->params[OOZE_BLEND_REGIONS];
    bool of_cells =
        choice == OOZE_BLEND_REGIONS_CELLS ||
        (choice == OOZE_BLEND_REGIONS_AUTO && c->params[OOZE_BLEND_REGION_RADIUS] >= CELLS_FROM);
    return of_cells ? OOZE_REGIONS_OF_CELLS : OOZE_REGIONS_OF_PARTICLES;
}

OozeBlendConstants ooze_blend_constants(const OozeStepContext *c)
{
    const double *p = c->params;
    double dx = c->spacing, h = c->support, value, gradient;
    bool published = p[OOZE_BLEND_KERNELS] != 0.0;
    lattice_sums(dx, h, published, &value, &gradient);
    double ratio = p[OOZE_BLEND_REGION_RADIUS];
    return (OozeBlendConstants){
        .dt = (float)c->dt,
        .support = (float)h,
        .sound = (float)p[OOZE_BLEND_SOUND_SPEED],
        .volume = (float)(1.0 / value),
        .gradient_scale = (float)(1.0 / gradient),
        .viscous = (float)ooze_wcsph_scale(dx, h),
        .radius2 = (float)ooze_blend_reach2(ratio * dx),
        .contact = (float)(p[OOZE_BLEND_CONTACT_DISTANCE] * dx),
        .blended_pressure = published || p[OOZE_BLEND_PRESSURE] != 0.0,
        .published = published,
        .kind = region_kind(c),
        .radius = ratio * dx,
    };
}

static double value_or(double value, double fallback)
{
    return isnan(value) ? fallback : value;
}

OozeBlendMaterial ooze_blend_material(const OozeStepContext *c, int material)
{
    const OozeMaterial *own = &c->materials[material];
    const double *v = own->values;
    double density = v[OOZE_MATERIAL_DENSITY];
    double reference = c->materials[0].values[OOZE_MATERIAL_DENSITY];
    double sigma = ooze_blend_matching_radius(
        region_kind(c), c->params[OOZE_BLEND_REGION_RADIUS] * c->spacing, c->spacing);
    double modulus = value_or(v[OOZE_MATERIAL_MODULUS], 0.0);
    return (OozeBlendMaterial){
        .relative_mass = (float)(density / reference),
        .viscosity = (float)(value_or(v[OOZE_MATERIAL_VISCOSITY], 0.0) / reference),
        .fluid_share = (float)v[OOZE_MATERIAL_FLUID_SHARE],
        .mass = density * c->spacing * c->spacing * c->spacing,
        .response_time =
            modulus > 0.0 ? ooze_match_response_time(density, sigma, modulus) : c->whole_step,
        .damping = ooze_match_damping_rate(density, sigma, value_or(v[OOZE_MATERIAL_SOLVENT], 0.0)),
        .melts = c->phase && !isnan(v[OOZE_MATERIAL_MELTING]),
        .has_table = c->temperature && own->table_count > 0,
    };
}

/* Steps from one check of the reference shape to the next, m_u. */
static uint64_t check_steps(const OozeStepContext *c)
{
    double steps = rint(c->params[OOZE_BLEND_UPDATE_INTERVAL] / c->whole_step);
    return steps < 1.0 ? 1 : steps > 1e15 ? (uint64_t)1e15 : (uint64_t)steps;
}

bool ooze_blend_checks_shapes(const OozeStepContext *c)
{
    bool first_substep = c->time == (double)c->step * c->whole_step;
    return first_substep && c->step % check_steps(c) == 0;
}

OozeVec3 ooze_blend_counted_gravity(const OozeStepContext *c)
{
    return c->params[OOZE_BLEND_UPDATE_GRAVITY] != 0.0 ? c->gravity : vec3(0, 0, 0);
}

float ooze_blend_smoothing(const OozeStepContext *c)
{
    double time = 0.1 * (double)check_steps(c) * c->whole_step;
    return (float)fmin(c->dt / time, 1.0);
}

/* Share of the spacing that sound may travel in a step; and of the time in which viscosity evens
   out the velocities of neighbours. */
static const double SOUND_TRAVEL = 0.4, VISCOUS_SHARE = 0.1;

double ooze_blend_stable_step(const OozeStepContext *c)
{
    double dx = c->spacing, dt = SOUND_TRAVEL * dx / c->params[OOZE_BLEND_SOUND_SPEED];
    for (int m = 0; m < c->material_count; m++) {
        const double *v = c->materials[m].values;
        double viscosity = value_or(v[OOZE_MATERIAL_VISCOSITY], 0.0);
        if (viscosity > 0.0) {
            dt = fmin(dt, VISCOUS_SHARE * v[OOZE_MATERIAL_DENSITY] * dx * dx / viscosity);
        }
    }
    return dt;
}
