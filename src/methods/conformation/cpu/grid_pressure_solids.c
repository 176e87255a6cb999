#include "methods/conformation/cpu/grid_pressure_solids.h"

#include <string.h>

#include "base/fail.h"
#include "methods/conformation/cpu/lodge_multigrid.h"

static int count_of(const OozeConformationStep *s)
{
    return s && s->own->coupling ? s->own->coupling->count : 0;
}

OozeTwist *ooze_grid_solids_vector(const OozeConformationStep *s)
{
    return ooze_arena_alloc(s->context->arena, (uint64_t)count_of(s), sizeof(OozeTwist));
}

OozeStatus ooze_grid_solids_begin(const OozeConformationStep *s, OozePressureGridInput *input,
                                  OozeGridSolids *solids, OozeError *error)
{
    int count = count_of(s);
    if (count == 0) {
        return OOZE_OK;
    }
    OozeVec3 *centre = ooze_arena_alloc(s->context->arena, (uint64_t)count, sizeof *centre);
    solids->kick = ooze_grid_solids_vector(s);
    solids->applied = ooze_grid_solids_vector(s);
    solids->work = ooze_grid_solids_vector(s);
    if (ooze_arena_failed(s->context->arena)) {
        return ooze_fail_memory(error, "the pressure grid", (size_t)count * sizeof *centre);
    }
    ooze_grid_solids_set_last(s);
    for (int k = 0; k < count; k++) {
        OozeDynamicSolid *solid = &s->own->coupling->solids[k];
        centre[k] = solid->centre;
        solids->applied[k] = (OozeTwist){{0}};
        solids->kick[k] = solid->motion_star;
        ooze_twist_add(&solids->kick[k], -1.0, &solid->motion);
        solid->motion = solid->motion_star;
    }
    input->body = s->own->coupling->index_of;
    input->body_centre = centre;
    input->body_count = count;
    return OOZE_OK;
}

/* ---- the known pressure ---- */

void ooze_grid_solids_find_applied(OozeConformationStep *s)
{
    if (count_of(s) == 0) {
        return;
    }
    const OozeGridPressure *pressure = s->own->grid_pressure;
    OozeTwist *force = pressure->solids.work;
    ooze_pressure_bodies_force(&pressure->grid, pressure->solve.known, force);
    for (int k = 0; k < count_of(s); k++) {
        OozeTwist change = ooze_coupling_velocity_change(&s->own->coupling->solids[k], &force[k]);
        pressure->solids.applied[k] = (OozeTwist){{0}};
        ooze_twist_add(&pressure->solids.applied[k], -1.0, &change);
    }
}

void ooze_grid_solids_add_kick(OozeConformationStep *s, bool with_applied, float *rate)
{
    if (count_of(s) == 0) {
        return;
    }
    OozeGridSolids *solids = &s->own->grid_pressure->solids;
    for (int k = 0; k < count_of(s); k++) {
        solids->work[k] = solids->kick[k];
        ooze_twist_add(&solids->work[k], with_applied ? 1.0 : 0.0, &solids->applied[k]);
    }
    ooze_pressure_bodies_rate(&s->own->grid_pressure->grid, solids->work, rate);
}

void ooze_grid_solids_add_product(OozeConformationStep *s, const float *p, float *ap)
{
    if (count_of(s) == 0) {
        return;
    }
    OozeGridPressure *pressure = s->own->grid_pressure;
    OozeTwist *work = pressure->solids.work;
    ooze_pressure_bodies_force(&pressure->grid, p, work);
    for (int k = 0; k < count_of(s); k++) {
        work[k] = ooze_coupling_velocity_change(&s->own->coupling->solids[k], &work[k]);
    }
    ooze_pressure_bodies_rate(&pressure->grid, work, ap);
}

void ooze_grid_solids_apply(OozeConformationStep *s, double sign)
{
    for (int k = 0; k < count_of(s); k++) {
        ooze_twist_add(&s->own->coupling->solids[k].motion_star, sign,
                       &s->own->grid_pressure->solids.applied[k]);
    }
}

void ooze_grid_solids_join(OozeConformationStep *s)
{
    ooze_grid_solids_apply(s, 1.0);
    for (int k = 0; k < count_of(s); k++) {
        s->own->coupling->solids[k].motion = s->own->coupling->solids[k].motion_star;
    }
    if (count_of(s) > 0) {
        ooze_coupling_spread_motion(s->own->coupling);
    }
}

/* ---- vectors ---- */

double ooze_grid_solids_dot(const OozeConformationStep *s, const OozeTwist *a, const OozeTwist *b)
{
    double sum = 0.0;
    for (int k = 0; k < count_of(s); k++) {
        OozeTwist change = ooze_coupling_velocity_change(&s->own->coupling->solids[k], &a[k]);
        sum += ooze_twist_dot(&change, &b[k]);
    }
    return sum;
}

void ooze_grid_solids_add(const OozeConformationStep *s, double factor, const OozeTwist *a,
                          OozeTwist *b)
{
    for (int k = 0; k < count_of(s); k++) {
        ooze_twist_add(&b[k], factor, &a[k]);
    }
}

void ooze_grid_solids_scale(const OozeConformationStep *s, double factor, OozeTwist *b)
{
    for (int k = 0; k < count_of(s); k++) {
        for (int c = 0; c < 6; c++) {
            b[k].v[c] *= factor;
        }
    }
}

void ooze_grid_solids_copy(const OozeConformationStep *s, const OozeTwist *from, OozeTwist *to)
{
    for (int k = 0; k < count_of(s); k++) {
        to[k] = from[k];
    }
}

void ooze_grid_solids_save(const OozeConformationStep *s, OozeTwist *to)
{
    for (int k = 0; k < count_of(s); k++) {
        to[k] = s->own->coupling->solids[k].motion;
    }
}

OozeTwist *ooze_grid_solids_saved(OozeConformationStep *s)
{
    OozeTwist *work = count_of(s) > 0 ? s->own->grid_pressure->solids.work : NULL;
    ooze_grid_solids_save(s, work);
    return work;
}

void ooze_grid_solids_set(const OozeConformationStep *s, const OozeTwist *from)
{
    for (int k = 0; k < count_of(s); k++) {
        s->own->coupling->solids[k].motion = from[k];
    }
}

void ooze_grid_solids_set_last(const OozeConformationStep *s)
{
    for (int k = 0; k < count_of(s); k++) {
        OozeDynamicSolid *solid = &s->own->coupling->solids[k];
        const OozePose *pose = &s->context->solids[solid->solid].previous;
        OozeVec3 v = ooze_pose_velocity_at(pose, solid->centre);
        solid->motion = (OozeTwist){{v.x, v.y, v.z, pose->spin.x, pose->spin.y, pose->spin.z}};
    }
}

/* ---- operator and preconditioner ---- */

void ooze_grid_solids_push(OozeConformationStep *s, const OozeTwist *v, const float *p)
{
    if (count_of(s) == 0) {
        return;
    }
    OozeTwist *work = s->own->grid_pressure->solids.work;
    ooze_pressure_bodies_force(&s->own->grid_pressure->grid, p, work);
    for (int k = 0; k < count_of(s); k++) {
        s->own->coupling->solids[k].residual = v[k];
        ooze_twist_add(&s->own->coupling->solids[k].residual, -1.0, &work[k]);
    }
}

void ooze_grid_solids_respond(OozeConformationStep *s, OozeTwist *z)
{
    for (int k = 0; k < count_of(s); k++) {
        const OozeDynamicSolid *solid = &s->own->coupling->solids[k];
        const OozeLodge *solve = s->own->grid_pressure->lodge;
        z[k] = solve->multigrid ? ooze_lodge_multigrid_solid_response(solve->multigrid, k)
                                : ooze_coupling_velocity_change(solid, &solid->residual);
    }
}

void ooze_grid_solids_direct(OozeConformationStep *s, const OozeTwist *z)
{
    for (int k = 0; k < count_of(s); k++) {
        s->own->coupling->solids[k].direction = z[k];
    }
}

void ooze_grid_solids_multiply(OozeConformationStep *s, const OozeTwist *z, const float *p,
                               OozeTwist *w, float *rate)
{
    if (count_of(s) == 0) {
        return;
    }
    OozePressureGrid *grid = &s->own->grid_pressure->grid;
    ooze_pressure_bodies_force(grid, p, w);
    for (int k = 0; k < count_of(s); k++) {
        ooze_twist_add(&w[k], 1.0, &s->own->coupling->solids[k].product);
    }
    ooze_pressure_bodies_rate(grid, z, rate);
}

void ooze_grid_solids_residual(OozeConformationStep *s, const float *q, OozeTwist *r, float *rate)
{
    if (count_of(s) == 0) {
        return;
    }
    OozePressureGrid *grid = &s->own->grid_pressure->grid;
    OozeTwist *work = s->own->grid_pressure->solids.work;
    ooze_pressure_bodies_force(grid, q, work);
    for (int k = 0; k < count_of(s); k++) {
        const OozeDynamicSolid *solid = &s->own->coupling->solids[k];
        r[k] = ooze_coupling_momentum(s->own->coupling, solid, &solid->motion_star);
        ooze_twist_add(&r[k], -1.0, &solid->product);
        ooze_twist_add(&r[k], -1.0, &work[k]);
    }
    ooze_grid_solids_save(s, work);
    ooze_pressure_bodies_rate(grid, work, rate);
}
