/* Numbers of a step of the links method, and of its materials. */
#include "methods/links/constants.h"

#include <math.h>

void ooze_links_materials(const OozeStepContext *c, OozeLinksMaterial *materials)
{
    const double reference = c->materials[0].values[OOZE_MATERIAL_DENSITY];
    for (int m = 0; m < c->material_count; m++) {
        const double *own = c->materials[m].values;
        double per_step = own[OOZE_MATERIAL_EXTENSION], rate = own[OOZE_MATERIAL_STRETCH_RATE];
        materials[m] = (OozeLinksMaterial){
            .inverse_mass = (float)(reference / own[OOZE_MATERIAL_DENSITY]),
            .extension = (float)ooze_links_extension(c->dt, c->whole_step, per_step, rate),
            .elastic = own[OOZE_MATERIAL_LABEL] != 0.0,
            .melts = c->phase && !isnan(own[OOZE_MATERIAL_MELTING]),
            .per_step = per_step,
            .rate = rate,
        };
    }
}

double ooze_links_particle_mass(const OozeStepContext *c)
{
    return c->materials[0].values[OOZE_MATERIAL_DENSITY] * c->spacing * c->spacing * c->spacing;
}

static void update_rest(OozeLinksRest *rest, const OozeStepContext *c)
{
    double dx = c->spacing, h = c->support;
    int mixed = c->params[OOZE_LINKS_KERNELS] != 0.0;
    if (rest->spacing != dx || rest->support != h || rest->mixed != mixed) {
        rest->lattice = ooze_links_lattice(mixed, dx, h);
        rest->wall_fit = ooze_links_wall_fit(mixed, dx, h, rest->lattice.volume);
        rest->wall_ratio = ooze_links_wall_number(0, dx, h) / ooze_links_wall_number(mixed, dx, h);
        rest->mixed = mixed;
        rest->spacing = dx;
        rest->support = h;
    }
}

OozeLinksConstants ooze_links_constants(OozeLinksRest *rest, const OozeStepContext *c)
{
    update_rest(rest, c);
    const double *p = c->params;
    double h = c->support, q = p[OOZE_LINKS_PRESSURE_DISTANCE] * h;
    double relaxation = 1.0 / fmax(rest->lattice.overshoot, 1.0);
    int walls = (int)p[OOZE_LINKS_WALLS];
    OozeLinksConstants k = {
        .dt = (float)c->dt,
        .kernel = ooze_links_kernel(rest->mixed, h),
        .support = (float)h,
        .volume = (float)rest->lattice.volume,
        .wall_scale =
            (float)(rest->wall_ratio * (walls == OOZE_LINKS_WALLS_FITTED ? rest->wall_fit : 1.0)),
        .samples = walls != OOZE_LINKS_WALLS_DISTANCE && c->boundary->count > 0,
        .strength = (float)p[OOZE_LINKS_STRENGTH],
        .linked = (float)p[OOZE_LINKS_STRENGTH] > 0.0f,
        .slack = (float)p[OOZE_LINKS_SLACK],
        .reach2 = (float)(p[OOZE_LINKS_REACH] * h * p[OOZE_LINKS_REACH] * h),
        .relaxation = (float)relaxation,
        .pressure_scale = (float)(p[OOZE_LINKS_PRESSURE] * h * h * relaxation),
        .cohesion = (float)p[OOZE_LINKS_COHESION],
        .softness = (float)(p[OOZE_LINKS_SOFTNESS] * rest->lattice.stiffness),
        .xsph = (float)p[OOZE_LINKS_XSPH],
        .wall_xsph = (float)p[OOZE_LINKS_WALL_XSPH],
        .contact = (float)(p[OOZE_LINKS_CONTACT_DISTANCE] * c->spacing),
    };
    k.pressure_reference = 1.0f / ooze_links_value(&k.kernel, (float)q);
    return k;
}
