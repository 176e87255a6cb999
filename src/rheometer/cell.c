#include "rheometer/cell.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "rheology/theory.h"
#include "rheometer/slope.h"
#include "world/world.h"

/* Widths in spacings: of the cell along periodic axes, and of the free core in extension. */
enum { ACROSS = 8, FREE_CORE = 6 };

enum { FLUID, DRIVEN };

struct OozeCell {
    OozeCellKind kind;
    OozeWorld *world;
    OozeVec3 *start; /* initial positions, by id */
    uint64_t count;
    double spacing, time_step, density;
    double mass_ratio; /* mass of a driven particle over that of a free one */
    OozeVec3 size;     /* of the sample */
    double edge;       /* depth of the driven layers, m */
    double strain, rate, time;
    double cut_strain; /* at which the lattice of an extension was cut anew */
};

/* ---- the sample ------------------------------------------------------------------------------ */

/* Driven layers are so heavy that a step changes their velocity by a thousandth of the velocity
   difference across one spacing of fluid, and no heavier, so that single precision resolves the
   change. */
static double driven_mass_ratio(const OozeSample *s, double edge)
{
    OozeTheory theory = ooze_theory(s->material, s->spacing, s->time_step);
    double spread = ooze_theory_resistance(&theory, s->time_step) * s->time_step /
                    (s->material->values[OOZE_MATERIAL_DENSITY] * s->spacing * s->spacing);
    return fmin(fmax(1000.0 * spread * s->spacing / edge, 10.0), 1e6);
}

/* A compliance is relative to the density, which is another in driven layers: replaces it by the
   viscosity or modulus of the fluid. */
static void replace_compliance(OozeMaterialDef *def, const OozeSample *s)
{
    double *values = def->values;
    if (isnan(values[OOZE_MATERIAL_MODULUS]) && !isnan(values[OOZE_MATERIAL_COMPLIANCE])) {
        OozeTheory theory = ooze_theory(s->material, s->spacing, s->time_step);
        bool forgets = theory.viscosity > 0.0;
        values[forgets ? OOZE_MATERIAL_VISCOSITY : OOZE_MATERIAL_MODULUS] =
            forgets ? theory.viscosity : theory.modulus[0];
        values[OOZE_MATERIAL_COMPLIANCE] = NAN;
    }
}

static OozeStatus add_materials(OozeCell *c, const OozeSample *s, OozeError *error)
{
    OozeMaterialDef def = *s->material;
    def.values[OOZE_MATERIAL_SURFACE_TENSION] =
        0.0; /* the cell has free surfaces that a rheometer has not */
    def.values[OOZE_MATERIAL_DRAG] = 0.0;
    OozeStatus status = ooze_world_add_material(c->world, &def, NULL, error);
    def.name = "driven";
    OozeMaterialDef plain =
        def; /* set below, since values may exceed the limits of ooze_world_add_material */
    replace_compliance(&plain, s);
    status = status ? status : ooze_world_add_material(c->world, &def, NULL, error);
    for (int i = 0; i < OOZE_MATERIAL_PARAM_COUNT && !status; i++) {
        c->world->materials.items[DRIVEN].values[i] = plain.values[i];
    }
    if (!status) {
        c->world->materials.items[DRIVEN].values[OOZE_MATERIAL_DENSITY] *= c->mass_ratio;
    }
    return status;
}

static OozeStatus create_world(OozeCell *c, const OozeSample *s, OozeError *error)
{
    OozeWorldDef def = ooze_world_def_default();
    def.method = s->method;
    def.spacing = s->spacing;
    def.support_ratio = s->support_ratio;
    def.time_step = s->time_step;
    def.max_travel = 0;
    def.gravity = vec3(0, 0, 0);
    def.threads = 1;
    def.device = OOZE_DEVICE_CPU;
    def.periodic[0] = def.periodic[2] = c->kind != OOZE_CELL_STRETCH;
    def.periodic_max = c->size;
    OozeStatus status = ooze_world_create(&def, &c->world, error);
    for (int i = 0; !status && s->params && i < c->world->method->info.param_count; i++) {
        const char *key = c->world->method->info.params[i].key;
        status = isnan(s->params[i]) ? OOZE_OK
                                     : ooze_world_set_param(c->world, key, s->params[i], error);
    }
    double tolerance = 0.0;
    if (!status && !ooze_world_get_param(c->world, "tolerance", &tolerance, NULL)) {
        /* the velocity change of heavy layers is below the usual residual */
        status = ooze_world_set_param(c->world, "tolerance", fmin(tolerance, 1e-6), error);
    }
    if (!status) {
        ooze_world_record_stress(c->world);
    }
    return status ? status : add_materials(c, s, error);
}

/* The lattice: `n` rows along each axis, of which `driven` at each end are driven; odd rows are
   shifted along x by `shift` steps. */
typedef struct Rows {
    int n[3], driven[3];
    OozeVec3 step;
    double shift;
} Rows;

static Rows find_shear_rows(const OozeSample *s, OozeCellKind kind)
{
    double d = s->spacing, r = s->diagonal ? sqrt(0.5) : 1.0;
    double across = fmax(ACROSS, 3.0 * s->support_ratio + 0.01);
    double gap = kind == OOZE_CELL_PLATES ? OOZE_PLATES_GAP : OOZE_CELL_GAP;
    int edge = (int)ceil((s->support_ratio + 0.5) / r);
    return (Rows){
        .n = {(int)ceil(across * r), (int)ceil(gap / r) + 2 * edge, (int)ceil(across)},
        .driven = {0, edge, 0},
        .step = vec3(d / r, d * r, d),
        .shift = s->diagonal ? 0.5 : 0.0,
    };
}

/* Largest Hencky strain of one lattice. Within half of it to either side the kernel's density of
   the lattice stays within 0.3 % of that at rest. At a strain of 0.5 to one side it is 9 % above:
   the density stage then pushes the free core, which no longer follows the skin. */
#define LATTICE_STRAIN 0.4

/* Extension removes neighbours along x: the lattice begins compressed along x by as much as it ends
   extended. */
static Rows find_stretch_rows(const OozeSample *s, double hencky_max)
{
    double most = fmin(hencky_max, LATTICE_STRAIN);
    double d = s->spacing, along = exp(-0.5 * most), across = exp(0.25 * most);
    Rows rows = {.step = vec3(d * along, d * across, d * across)};
    double min[3] = {along, 1.0 / across, 1.0 / across}; /* smallest spacing during the extension */
    for (int a = 0; a < 3; a++) {
        rows.driven[a] = (int)ceil((s->support_ratio + 0.5) / min[a]);
        rows.n[a] = (int)ceil(FREE_CORE / min[a]) + 2 * rows.driven[a];
    }
    return rows;
}

static bool is_outer(const Rows *rows, int i, int j, int k)
{
    const int at[3] = {i, j, k};
    for (int a = 0; a < 3; a++) {
        if (at[a] < rows->driven[a] || at[a] >= rows->n[a] - rows->driven[a]) {
            return true;
        }
    }
    return false;
}

static OozeStatus fill(OozeCell *c, const OozeSample *s, const Rows *rows, OozeError *error)
{
    OozeStatus status = OOZE_OK;
    uint64_t at = 0;
    for (int k = 0; k < rows->n[2]; k++) {
        for (int j = 0; j < rows->n[1]; j++) {
            for (int i = 0; i < rows->n[0] && !status; i++, at++) {
                bool driven = is_outer(rows, i, j, k);
                OozeVec3 place = vec3((i + 0.25 + rows->shift * (j % 2)) * rows->step.x,
                                      (j + 0.5) * rows->step.y, (k + 0.5) * rows->step.z);
                OozeVec3 shake = vec3(ooze_random01(7, at, 0) - 0.5, ooze_random01(7, at, 1) - 0.5,
                                      ooze_random01(7, at, 2) - 0.5);
                c->start[at] = vec3_madd(place, driven ? 0.0 : s->jitter * s->spacing, shake);
                OozeMaterialId material = {driven ? DRIVEN : FLUID};
                status =
                    ooze_world_add_particles(c->world, material, 1, &c->start[at], NULL, error);
            }
        }
    }
    return status;
}

static void reset_field(OozeCell *c, const OozeFieldInfo *info)
{
    OozeParticles *particles = c->world->particles;
    int field = ooze_particles_find_field(particles, info->name);
    if (field >= 0 && info->type == OOZE_FIELD_FLOAT32) {
        float *data = ooze_particles_data(particles, field);
        for (uint64_t i = 0; i < c->count * (uint64_t)info->stride; i++) {
            data[i] = (float)info->initial;
        }
    }
}

/* Relaxes a jittered lattice at rest, then resets velocities and material state. */
static OozeStatus settle(OozeCell *c, OozeError *error)
{
    enum { STEPS = 30 };
    OozeCellReading reading;
    OozeStatus status = OOZE_OK;
    for (int i = 0; i < STEPS && !status; i++) {
        status = ooze_cell_step(c, 0.0, &reading, error);
    }
    const OozeMethod *method = c->world->method;
    for (int f = 0; f < method->field_count + method->optional_field_count; f++) {
        reset_field(c, f < method->field_count ? &method->fields[f]
                                               : &method->optional_fields[f - method->field_count]);
    }
    memset(ooze_particles_velocities(c->world->particles), 0, c->count * sizeof(OozeFloat4));
    c->time = c->strain = c->rate = 0.0;
    return status;
}

OozeStatus ooze_cell_create(const OozeSample *sample, OozeCellKind kind, double hencky_max,
                            OozeCell **out, OozeError *error)
{
    OozeCell *c = ooze_alloc_zero(1, sizeof *c);
    if (!c) {
        return ooze_fail_memory(error, "the rheometer's cell", sizeof *c);
    }
    *out = c;
    c->kind = kind;
    c->spacing = sample->spacing;
    c->time_step = sample->time_step;
    c->density = sample->material->values[OOZE_MATERIAL_DENSITY];
    Rows rows = kind == OOZE_CELL_STRETCH ? find_stretch_rows(sample, hencky_max)
                                          : find_shear_rows(sample, kind);
    c->edge = rows.driven[1] * rows.step.y;
    c->mass_ratio = driven_mass_ratio(sample, c->edge);
    c->size = vec3(rows.n[0] * rows.step.x, rows.n[1] * rows.step.y, rows.n[2] * rows.step.z);
    c->count = (uint64_t)rows.n[0] * (uint64_t)rows.n[1] * (uint64_t)rows.n[2];
    c->start = ooze_alloc(c->count, sizeof *c->start);
    OozeStatus status =
        c->start ? create_world(c, sample, error)
                 : ooze_fail_memory(error, "the rheometer's cell", c->count * sizeof *c->start);
    status = status ? status : fill(c, sample, &rows, error);
    status = status || sample->jitter == 0.0 ? status : settle(c, error);
    if (status) {
        ooze_cell_destroy(c);
        *out = NULL;
    }
    return status;
}

void ooze_cell_destroy(OozeCell *c)
{
    if (c) {
        ooze_world_destroy(c->world);
        ooze_free(c->start);
        ooze_free(c);
    }
}

/* ---- shear ----------------------------------------------------------------------------------- */

/* Velocity along x of a driven particle with the initial height y. The lower layers are nearly at
   rest, where single precision resolves their velocity change best. */
static double driven_speed(const OozeCell *c, double y, double rate)
{
    double low = 0.5 * c->edge;
    if (c->kind == OOZE_CELL_SHEAR) {
        return rate * (y - low);
    }
    return y < 0.5 * c->size.y ? 0.0 : rate * (c->size.y - 2.0 * c->edge);
}

static void place_driven(const OozeCell *c, OozeFloat4 *x, OozeFloat4 *v, OozeVec3 start,
                         double rate)
{
    double unit = driven_speed(c, start.y, 1.0);
    OozeFloat4 to = {(float)(start.x + c->strain * unit), (float)start.y, (float)start.z, 0};
    *x = ooze_point_wrap(to, &c->world->periodic);
    *v = (OozeFloat4){(float)(rate * unit), 0, 0, 0};
}

static void drive_shear(OozeCell *c, double rate)
{
    OozeParticles *particles = c->world->particles;
    OozeFloat4 *x = ooze_particles_positions(particles), *v = ooze_particles_velocities(particles);
    const uint64_t *id = ooze_particles_ids(particles);
    const uint16_t *material = ooze_particles_materials(particles);
    bool starts = c->time == 0.0;
    double change = c->kind == OOZE_CELL_SHEAR || starts ? rate - c->rate : 0.0;
    double low = c->kind == OOZE_CELL_SHEAR ? 0.5 * c->edge : c->edge;
    for (uint64_t i = 0; i < c->count; i++) {
        if (material[i] == DRIVEN) {
            place_driven(c, &x[i], &v[i], c->start[id[i]], rate);
        } else {
            v[i].x += (float)(change * ((double)x[i].y - low));
        }
    }
}

/* Whether y lies in the middle half of the gap. */
static bool is_middle(const OozeCell *c, double y)
{
    return fabs(y - 0.5 * c->size.y) < 0.25 * (c->size.y - 2.0 * c->edge);
}

static void read_shear(const OozeCell *c, double rate, OozeCellReading *reading)
{
    const OozeSym3 *stress = ooze_world_stress(c->world);
    OozeParticles *particles = c->world->particles;
    const OozeFloat4 *x = ooze_particles_positions(particles);
    const OozeFloat4 *v = ooze_particles_velocities(particles);
    const uint64_t *id = ooze_particles_ids(particles);
    const uint16_t *material = ooze_particles_materials(particles);
    double reported = 0, normal = 0, momentum_gain = 0;
    OozeSlope slope = {0};
    for (uint64_t i = 0; i < c->count; i++) {
        double y = c->start[id[i]].y;
        if (material[i] == FLUID && is_middle(c, (double)x[i].y)) {
            reported += (double)stress[i].xy;
            normal += (double)(stress[i].xx - stress[i].yy);
            ooze_slope_add(&slope, (double)x[i].y, (double)v[i].x);
        } else if (material[i] == DRIVEN && y < 0.5 * c->size.y) {
            momentum_gain += (double)v[i].x - (double)(float)driven_speed(c, y, rate);
        }
    }
    double mass = c->mass_ratio * c->density * pow(c->spacing, 3);
    reading->reported = reported / slope.count;
    reading->normal = normal / slope.count;
    reading->local_rate = ooze_slope(&slope);
    reading->momentum = mass * momentum_gain / (c->time_step * c->size.x * c->size.z);
}

/* ---- stretch --------------------------------------------------------------------------------- */

static OozeVec3 from_middle(const OozeCell *c, OozeVec3 x)
{
    return vec3_madd(x, -0.5, c->size);
}

/* A vector in a material that is extended by a Hencky strain. */
static OozeVec3 extended(OozeVec3 r, double strain)
{
    double across = exp(-0.5 * strain);
    return vec3(exp(strain) * r.x, across * r.y, across * r.z);
}

/* The affine image of an initial position at a Hencky strain since the last cut. */
static OozeVec3 stretched(const OozeCell *c, OozeVec3 start, double strain)
{
    return vec3_madd(extended(from_middle(c, start), strain), 0.5, c->size);
}

/* Cuts the lattice anew. The flow is homogeneous, so that all places of the sample are alike: free
   particles go back to where they were before the strain of this lattice, with the velocities of
   those places, and keep the state of their material. Driven ones are placed by every step. */
static void cut_anew(OozeCell *c)
{
    OozeParticles *particles = c->world->particles;
    OozeFloat4 *x = ooze_particles_positions(particles), *v = ooze_particles_velocities(particles);
    double back = c->cut_strain - c->strain;
    for (uint64_t i = 0; i < c->count; i++) {
        OozeVec3 at = vec3((double)x[i].x, (double)x[i].y, (double)x[i].z);
        OozeVec3 to = stretched(c, at, back);
        OozeVec3 u = extended(vec3((double)v[i].x, (double)v[i].y, (double)v[i].z), back);
        x[i] = (OozeFloat4){(float)to.x, (float)to.y, (float)to.z, 0};
        v[i] = (OozeFloat4){(float)u.x, (float)u.y, (float)u.z, 0};
    }
    c->cut_strain = c->strain;
}

/* Outer particles follow the affine motion; free ones get its change of velocity, (L L dt + dL) x.
   */
static void drive_stretch(OozeCell *c, double rate)
{
    OozeParticles *particles = c->world->particles;
    OozeFloat4 *x = ooze_particles_positions(particles), *v = ooze_particles_velocities(particles);
    const uint64_t *id = ooze_particles_ids(particles);
    const uint16_t *material = ooze_particles_materials(particles);
    double square = rate * rate * c->time_step, change = rate - c->rate;
    double along = change + square, across = -0.5 * change + 0.25 * square;
    if (c->strain - c->cut_strain + rate * c->time_step > 1.000001 * LATTICE_STRAIN) {
        cut_anew(c);
    }
    double strain = c->strain - c->cut_strain;
    for (uint64_t i = 0; i < c->count; i++) {
        OozeVec3 at = vec3((double)x[i].x, (double)x[i].y, (double)x[i].z);
        OozeVec3 r = from_middle(c, at);
        if (material[i] == DRIVEN) {
            at = stretched(c, c->start[id[i]], strain);
            OozeVec3 to = stretched(c, c->start[id[i]], strain + rate * c->time_step);
            OozeVec3 u = vec3_scale(vec3_sub(to, at), 1.0 / c->time_step);
            x[i] = (OozeFloat4){(float)at.x, (float)at.y, (float)at.z, 0};
            v[i] = (OozeFloat4){(float)u.x, (float)u.y, (float)u.z, 0};
        } else {
            v[i].x += (float)(along * r.x);
            v[i].y += (float)(across * r.y);
            v[i].z += (float)(across * r.z);
        }
    }
}

static void read_stretch(const OozeCell *c, OozeCellReading *reading)
{
    const OozeSym3 *stress = ooze_world_stress(c->world);
    OozeParticles *particles = c->world->particles;
    const OozeFloat4 *x = ooze_particles_positions(particles);
    const OozeFloat4 *v = ooze_particles_velocities(particles);
    const uint16_t *material = ooze_particles_materials(particles);
    double reported = 0.0;
    OozeSlope slope = {0};
    for (uint64_t i = 0; i < c->count; i++) {
        if (material[i] == FLUID) {
            reported += (double)(stress[i].xx - 0.5f * (stress[i].yy + stress[i].zz));
            ooze_slope_add(&slope, (double)x[i].x, (double)v[i].x);
        }
    }
    reading->reported = reading->normal = reported / slope.count;
    reading->local_rate = ooze_slope(&slope);
    reading->momentum = NAN;
}

/* ---- a step ---------------------------------------------------------------------------------- */

OozeStatus ooze_cell_step(OozeCell *c, double rate, OozeCellReading *reading, OozeError *error)
{
    OozeStatus status;
    *reading = (OozeCellReading){.rate = rate};
    bool stretches = c->kind == OOZE_CELL_STRETCH;
    if (stretches) {
        drive_stretch(c, rate);
    } else {
        drive_shear(c, rate);
    }
    status = ooze_world_step(c->world, error);
    if (status) {
        return status;
    }
    if (stretches) {
        read_stretch(c, reading);
    } else {
        read_shear(c, rate, reading);
    }
    c->rate = rate;
    c->strain += rate * c->time_step;
    c->time += c->time_step;
    reading->time = c->time;
    reading->strain = c->strain;
    return status;
}
