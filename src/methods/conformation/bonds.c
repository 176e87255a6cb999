/* Soft bodies: distance constraints between particles that were near at rest, each as compliant as the
   modulus asks for (physics/bond.h). They are part of the implicit velocity solve: the constraint
   C = r - r0 + dt n.(u_j - u_i), with its multiplier -k C eliminated. Forces are equal and opposite along
   the line of the pair, so momentum and angular momentum stay. */
#include <math.h>

#include "base/fail.h"
#include "base/hash.h"
#include "methods/conformation/bodies.h"
#include "physics/bond.h"
#include "physics/tensor.h"

void ooze_bonds_destroy(OozeBonds *bonds)
{
    if (bonds) {
        ooze_free(bonds->first);
        ooze_free(bonds->other);
        ooze_free(bonds->length);
        ooze_free(bonds->share);
        ooze_free(bonds);
    }
}

/* ---- from rest positions, when particles have come or gone ------------------------------------ */

/* Soft particles that are present, packed, and who is near whom at rest. */
typedef struct Packed {
    uint64_t n;
    uint64_t made_of; /* hash of their slots and rest positions */
    uint32_t *slot;   /* of the packed particle k */
    OozeFloat4 *x;    /* at rest */
    OozeFloat4 *sorted;
    OozeGrid *grid;
    OozeNeighbours near;
} Packed;

static void free_packed(Packed *p)
{
    ooze_free(p->slot);
    ooze_free(p->x);
    ooze_free(p->sorted);
    ooze_grid_destroy(p->grid);
    ooze_neighbours_free(&p->near);
}

static bool is_soft(const OozeBodies *b, uint64_t slot)
{
    uint32_t i = b->index[slot];
    return i != OOZE_NO_PARTICLE && b->rigid_of[i] == 0;
}

static OozeStatus find_near(Packed *p, const OozeBodies *b, OozeError *error)
{
    const OozeStepContext *c = b->step->context;
    p->slot = ooze_alloc(p->n, sizeof *p->slot);
    p->x = ooze_alloc(p->n + 16, sizeof *p->x);
    p->sorted = ooze_alloc(p->n + 16, sizeof *p->sorted);
    p->grid = ooze_grid_create();
    if (!p->slot || !p->x || !p->sorted || !p->grid) {
        return ooze_fail_memory(error, "bonds", p->n * sizeof *p->x);
    }
    uint64_t k = 0;
    for (uint64_t slot = 0; slot < b->slots; slot++) {
        if (is_soft(b, slot)) {
            p->slot[k] = (uint32_t)slot;
            p->x[k++] = c->rest[b->index[slot]];
        }
    }
    const OozePeriodic open = {{0}, {0}, {0}}; /* rest positions were never wrapped */
    double reach = OOZE_BOND_REACH * c->spacing;
    OozeStatus status = ooze_grid_sort(p->grid, c->threads, p->x, p->n, reach, &open, error);
    if (status) {
        return status;
    }
    for (k = 0; k < p->n; k++) {
        p->sorted[k] = p->x[ooze_grid_order(p->grid)[k]];
    }
    return ooze_neighbours_build(&p->near, p->grid, c->threads, p->sorted, p->n, p->sorted, reach,
                                 true, error);
}

static OozeStatus make_room(OozeBonds *bonds, uint64_t slots, uint64_t count, OozeError *error)
{
    ooze_free(bonds->first);
    ooze_free(bonds->other);
    ooze_free(bonds->length);
    ooze_free(bonds->share);
    bonds->first = ooze_alloc(slots + 1, sizeof *bonds->first);
    bonds->other = ooze_alloc(count, sizeof *bonds->other);
    bonds->length = ooze_alloc(count, sizeof *bonds->length);
    bonds->share = ooze_alloc(count, sizeof *bonds->share);
    if (!bonds->first || !bonds->other || !bonds->length || !bonds->share) {
        return ooze_fail_memory(error, "bonds", count * 12);
    }
    return OOZE_OK;
}

static OozeFour between(const OozeBodies *b, uint64_t slot, uint64_t other)
{
    OozeFloat4 p = b->step->context->rest[b->index[slot]];
    OozeFloat4 q = b->step->context->rest[b->index[other]];
    return ooze_four(q.x - p.x, q.y - p.y, q.z - p.z, 0);
}

/* Lists per slot, each in the order of the lists of neighbours; returns how many bonds. */
static uint64_t list_bonds(OozeBonds *bonds, const OozeBodies *b, const Packed *p,
                           const uint32_t *rank)
{
    const OozeStepContext *c = b->step->context;
    const uint32_t *order = ooze_grid_order(p->grid);
    uint64_t count = 0;
    for (uint64_t slot = 0; slot < b->slots; slot++) {
        bonds->first[slot] = count;
        if (!is_soft(b, slot)) {
            continue;
        }
        uint64_t k = rank[slot];
        for (uint32_t e = 0; e < p->near.count[k]; e++) {
            uint32_t other = p->slot[order[p->near.index[p->near.first[k] + e]]];
            OozeFour d = between(b, slot, other);
            float length = sqrtf(ooze_four_dot3(d, d));
            float share = ooze_bond_share(length / (float)c->spacing);
            bool same = c->body[b->index[slot]] == c->body[b->index[other]];
            if (same && share > 0.0f && length > 0.0f) {
                bonds->other[count] = other;
                bonds->length[count] = length;
                bonds->share[count++] = share;
            }
        }
    }
    bonds->first[b->slots] = count;
    return count;
}

/* n sum(share n n^T) n of one end. */
static float along(const OozeSym3 *moment, OozeFour n)
{
    return moment->xx * n[0] * n[0] + moment->yy * n[1] * n[1] + moment->zz * n[2] * n[2] +
           2 * (moment->xy * n[0] * n[1] + moment->xz * n[0] * n[2] + moment->yz * n[1] * n[2]);
}

/* Makes up for the bonds that particles at a surface lack. */
static void stiffen_surface(OozeBonds *bonds, const OozeBodies *b, OozeSym3 *moment)
{
    for (uint64_t slot = 0; slot < b->slots; slot++) {
        moment[slot] = ooze_sym3_identity(0);
        for (uint64_t e = bonds->first[slot]; e < bonds->first[slot + 1]; e++) {
            OozeFour n = between(b, slot, bonds->other[e]) / bonds->length[e];
            float share = bonds->share[e];
            moment[slot] =
                ooze_sym3_add(moment[slot], ooze_sym3(share * n[0] * n[0], share * n[1] * n[1],
                                                      share * n[2] * n[2], share * n[0] * n[1],
                                                      share * n[0] * n[2], share * n[1] * n[2]));
        }
    }
    for (uint64_t slot = 0; slot < b->slots; slot++) {
        for (uint64_t e = bonds->first[slot]; e < bonds->first[slot + 1]; e++) {
            OozeFour n = between(b, slot, bonds->other[e]) / bonds->length[e];
            float here = ooze_bond_surface(along(&moment[slot], n));
            float there = ooze_bond_surface(along(&moment[bonds->other[e]], n));
            bonds->share[e] *= 0.5f * (here + there);
        }
    }
}

static OozeStatus rebuild(OozeBonds *bonds, const OozeBodies *b, Packed *p, OozeError *error)
{
    bonds->slots = 0; /* until it is whole */
    uint32_t *rank = ooze_alloc(b->slots, sizeof *rank);
    OozeSym3 *moment = ooze_alloc(b->slots, sizeof *moment);
    OozeStatus status = rank && moment
                            ? find_near(p, b, error)
                            : ooze_fail_memory(error, "bonds", b->slots * sizeof *moment);
    if (!status) {
        status = make_room(bonds, b->slots, p->near.pairs, error);
    }
    if (!status) {
        for (uint64_t k = 0; k < p->n; k++) {
            rank[p->slot[ooze_grid_order(p->grid)[k]]] = (uint32_t)k;
        }
        list_bonds(bonds, b, p, rank);
        stiffen_surface(bonds, b, moment);
        bonds->slots = b->slots;
        bonds->made_of = p->made_of;
    }
    ooze_free(rank);
    ooze_free(moment);
    return status;
}

/* ---- as they stand in this step --------------------------------------------------------------- */

static void pull_range(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    OozeBodies *b = data;
    const OozeConformationStep *s = b->step;
    for (uint64_t slot = begin; slot < end; slot++) {
        uint32_t i = b->index[slot];
        for (uint64_t e = b->bonds->first[slot]; e < b->bonds->first[slot + 1]; e++) {
            uint32_t j = b->index[b->bonds->other[e]];
            OozeFour d = ooze_four_nearest(s->x0[j] - s->x0[i], &s->context->periodic);
            float r = sqrtf(ooze_four_dot3(d, d)), rest = b->bonds->length[e];
            /* of two materials in one body there is none, so either end's will do */
            float modulus = s->rheology[s->material[i]].bond;
            OozeFour n = r > 0.0f ? d / r : ooze_four(0, 0, 0, 0);
            n[3] = r - rest;
            b->pull[e] = n;
            b->to[e] = j;
            b->stiffness[e] = ooze_bond_stiffness(modulus, b->bonds->share[e], rest);
        }
    }
}

OozeStatus ooze_bonds_begin(OozeBodies *b, OozeConformationMemory *own, OozeError *error)
{
    const OozeStepContext *c = b->step->context;
    Packed packed = {.n = 0};
    for (uint64_t slot = 0; slot < b->slots; slot++) {
        if (is_soft(b, slot)) {
            packed.n++;
            packed.made_of = ooze_mix(packed.made_of ^ slot);
            packed.made_of =
                ooze_hash_bytes(packed.made_of, &c->rest[b->index[slot]], sizeof(OozeFloat4));
        }
    }
    if (packed.n == 0) {
        return OOZE_OK;
    }
    if (!own->bonds && !(own->bonds = ooze_alloc_zero(1, sizeof *own->bonds))) {
        return ooze_fail_memory(error, "bonds", sizeof *own->bonds);
    }
    if (own->bonds->slots != b->slots || own->bonds->made_of != packed.made_of) {
        OozeStatus status = rebuild(own->bonds, b, &packed, error);
        free_packed(&packed);
        if (status) {
            return status;
        }
    }
    uint64_t count = own->bonds->first[b->slots];
    b->bonds = own->bonds;
    b->pull = ooze_arena_alloc(c->arena, count, sizeof *b->pull);
    b->stiffness = ooze_arena_alloc(c->arena, count, sizeof *b->stiffness);
    b->to = ooze_arena_alloc(c->arena, count, sizeof *b->to);
    if (!b->pull || !b->stiffness || !b->to) {
        return ooze_fail_memory(error, "bonds", count * sizeof *b->pull);
    }
    ooze_parallel_for(c->threads, b->slots, OOZE_CONFORMATION_GRAIN, pull_range, b);
    return OOZE_OK;
}
