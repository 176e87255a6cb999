/* Acceptance tests of slow flow that ends, and of flow that remembers: a heap of paste comes to
   rest, and fluid that leaves a slit swells by its elasticity. */
#include "physics/fixtures.h"

enum { DENSITY_STAGE, VELOCITY_SOLVE }; /* of the setting `pressure` */

/* ---- T120: a heap of paste ------------------------------------------------------------------- */

/* A cylinder of paste, 10 cm high and wide, on a floor: modulus 2 kPa, yield stress 100 Pa, and
   5 Pa s beyond it. It slumps within half a second. */
static OozeWorld *make_heap(double d, double step, int pressure)
{
    const double radius = 0.05, height = 0.1;
    OozeWorld *world = make_world((Setup){.spacing = d, .time_step = step, .gravity = down()});
    OozeMaterialDef paste = ooze_material_def_default();
    OozeMaterialId id = {0};
    CHECK_OK(ooze_material_def_set(&paste, "density", 1000, &error));
    CHECK_OK(ooze_material_def_set(&paste, "modulus", 2000, &error));
    CHECK_OK(ooze_material_def_set(&paste, "yield_strain", 0.05, &error));
    CHECK_OK(ooze_material_def_set(&paste, "solvent_viscosity", 5, &error));
    CHECK_OK(ooze_world_add_material(world, &paste, &id, &error));
    set_param(world, "pressure", pressure);
    add_floor(world, 0.8);
    int side = 2 * (int)ceil(radius / d), layers = (int)round(height / d);
    for (int i = 0; i < side * side * layers; i++) {
        OozeVec3 x = vec3(d * (i % side + 0.5 - 0.5 * side), d * (i / side / side + 0.5),
                          d * (i / side % side + 0.5 - 0.5 * side));
        if (hypot(x.x, x.z) < radius) {
            CHECK_OK(ooze_world_add_particles(world, id, 1, &x, NULL, &error));
        }
    }
    return world;
}

static double mean_radius(OozeWorld *world)
{
    const OozeFrame *frame = ooze_world_frame(world);
    const OozeFieldView *x = ooze_frame_field(frame, "position");
    double sum = 0;
    for (uint64_t i = 0; i < frame->particle_count; i++) {
        sum += hypot(ooze_field_value(x, i, 0), ooze_field_value(x, i, 2));
    }
    return sum / (double)frame->particle_count;
}

/* Growth of the mean distance from the axis between two times, s. */
static double spreading(double d, double step, int pressure, double from, double to)
{
    OozeWorld *world = make_heap(d, step, pressure);
    advance(world, from);
    double before = mean_radius(world);
    advance(world, to - from);
    double growth = mean_radius(world) / before - 1;
    ooze_world_destroy(world);
    return growth;
}

/* Theory comes to rest as 1/time (Matson and Hogg 2007). With pressure in the velocity solve the
   heap does, with the density stage it creeps on: today's figures. */
static void conformation_T120_paste(void **state)
{
    (void)state;
    const double spacings[] = {0.01, 0.0125, 0.008}, steps[] = {1.0 / 240, 1.0 / 480};
    bool full = full_sweep();
    double from = full ? 5 : 4, to = full ? 10 : 6;
    for (int k = 0; k < (full ? 6 : 1); k++) {
        double d = spacings[k % 3], dt = steps[k / 3];
        printf("  spacing %g m, step %g s, from %g to %g s\n", d, dt, from, to);
        MEASURED("growth of the mean radius, pressure in the velocity solve",
                 spreading(d, dt, VELOCITY_SOLVE, from, to), -0.002, full ? 0.05 : 0.025);
        MEASURED("the same, density stage", spreading(d, dt, DENSITY_STAGE, from, to), -0.002,
                 full ? 0.12 : 0.06);
    }
}

/* ---- T121: die swell ------------------------------------------------------------------------- */

/* Of a slit, Tanner 1970 with the Newtonian value: recoverable shear S = tau times the rate at the
   wall. */
static double tanner(double s)
{
    return 0.19 + pow(1 + s * s / 3, 0.25);
}

typedef struct Slit {
    double relaxation; /* s; 0: Newtonian */
    double step;       /* s */
    int across;        /* spacings of the gap of 12 cm */
    int pressure;      /* of the setting */
} Slit;

enum { SLIT_DEPTH = 7 };
static const double gap = 0.12, slit_speed = 0.05, slit_viscosity = 100;

static OozeWorld *make_slit(const Slit *slit)
{
    double d = gap / slit->across, length = 2 * gap, tau = slit->relaxation, depth = SLIT_DEPTH * d;
    OozeWorld *world = make_world(
        (Setup){.spacing = d, .time_step = slit->step, .box = vec3(0, 0, SLIT_DEPTH * d)});
    OozeMaterialId id =
        add_matter(world, tau > 0 ? maxwell_matter(slit_viscosity / tau, tau)
                                  : newtonian_matter(slit_viscosity));
    set_param(world, "pressure", slit->pressure);
    for (int side = -1; side <= 1; side += 2) {
        OozeSolidDef wall = ooze_solid_def_default();
        wall.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
        wall.shape.size = vec3(length + 4 * d, 4 * d, depth + 8 * d);
        wall.shape.position =
            vec3(-0.5 * length - 2 * d, side * (0.5 * gap + 2 * d), 0.5 * depth);
        wall.friction = INFINITY;
        CHECK_OK(ooze_world_add_solid(world, &wall, NULL, &error));
    }
    OozeEmitterDef nozzle = ooze_emitter_def_default();
    nozzle.material = id;
    nozzle.outline = OOZE_OUTLINE_RECTANGLE;
    nozzle.size = vec3(gap, depth, 0);
    nozzle.position = vec3(-length, 0, 0.5 * depth);
    nozzle.direction = vec3(1, 0, 0);
    nozzle.speed = slit_speed;
    CHECK_OK(ooze_world_add_emitter(world, &nozzle, NULL, &error));
    OozeSinkDef end = ooze_sink_def_default();
    end.shape = ooze_shape_def_default(OOZE_SHAPE_BOX);
    end.shape.size = vec3(gap, 10 * gap, 10 * gap);
    end.shape.position = vec3(3.5 * gap, 0, 0);
    CHECK_OK(ooze_world_add_sink(world, &end, &error));
    return world;
}

/* Thickness by volume from one to two gaps behind the exit, over the gap. */
static double swell_of(const Slit *slit)
{
    OozeWorld *world = make_slit(slit);
    double d = gap / slit->across, sum = 0;
    advance(world, 12);
    for (int k = 0; k < 4; k++) { /* the nozzle emits in layers */
        advance(world, 0.25);
        const OozeFrame *frame = ooze_world_frame(world);
        const OozeFieldView *x = ooze_frame_field(frame, "position");
        for (uint64_t i = 0; i < frame->particle_count; i++) {
            double at = ooze_field_value(x, i, 0) / gap;
            sum += at > 1 && at < 2 ? 0.25 : 0;
        }
    }
    ooze_world_destroy(world);
    return sum * d * d / (SLIT_DEPTH * gap * gap);
}
