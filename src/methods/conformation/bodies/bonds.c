/* Soft bodies: distance constraints between particles that were near at rest, with the
   compliance of the modulus (physics/bond.h). They are part of the implicit velocity solve: the
   constraint C = r - r0 + dt n.(u_j - u_i), with its multiplier -k C eliminated. Forces are equal
   and opposite along the line of the pair, so momentum and angular momentum are conserved. This
   file finds the bonds. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "methods/conformation/bodies/bodies.h"
#include "physics/bond.h"
#include "physics/tensor.h"
#include "solvers/vectors/periodic_f32x4.h"

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

/* ---- from rest positions, when particles were added or removed ---- */

/* Soft particles that are present, packed, and their neighbours at rest. */
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
    return slot >= b->rigid_slots && b->index[slot] != OOZE_NO_PARTICLE;
}

static OozeStatus find_near(Packed *p, const OozeBodies *b, OozeError *error)
{
    const OozeStepContext *c = b->context;
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
            p->x[k++] = b->rest[slot];
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
    return ooze_neighbours_build(&p->near, p->grid, c->threads,
                                 &(OozeNeighbourQuery){p->sorted, p->n, p->sorted, reach, true},
                                 error);
}

static OozeStatus reserve(OozeBonds *bonds, uint64_t slots, uint64_t count, OozeError *error)
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

static OozeF32x4 between(const OozeBodies *b, uint64_t slot, uint64_t other)
{
    OozeFloat4 p = b->rest[slot], q = b->rest[other];
    return ooze_f32x4(q.x - p.x, q.y - p.y, q.z - p.z, 0);
}

/* Neighbours at rest, by slots. */
typedef struct Near {
    const Packed *packed;
    const uint32_t *rank; /* per slot: index in the sorted order */
} Near;

/* Lists the bonds of a slot, within the body of slots begin to end, in the order of the neighbour
   lists; returns the number of bonds so far. */
static uint64_t list_slot(OozeBonds *bonds, const OozeBodies *b, const Near *near, uint64_t slot,
                          uint64_t begin, uint64_t end)
{
    const Packed *p = near->packed;
    const uint32_t *order = ooze_grid_order(p->grid);
    uint64_t k = near->rank[slot], count = bonds->first[slot];
    for (uint32_t e = 0; e < p->near.count[k]; e++) {
        uint32_t other = p->slot[order[p->near.index[p->near.first[k] + e]]];
        OozeF32x4 d = between(b, slot, other);
        float length = sqrtf(ooze_f32x4_dot3(d, d));
        float share = ooze_bond_share(length / (float)b->context->spacing);
        bool same = other >= begin && other < end;
        if (same && share > 0.0f && length > 0.0f) {
            bonds->other[count] = other;
            bonds->length[count] = length;
            bonds->share[count++] = share;
        }
    }
    return count;
}

static void list_bonds(OozeBonds *bonds, const OozeBodies *b, const Near *near)
{
    const OozeStepContext *c = b->context;
    memset(bonds->first, 0, (b->rigid_slots + 1) * sizeof *bonds->first);
    for (int k = 0; k < c->body_count; k++) {
        uint64_t begin = b->first_slot[k], end = begin + c->bodies[k].count;
        for (uint64_t slot = begin; slot < end && b->rigid_of[k] == 0; slot++) {
            bool there = is_soft(b, slot);
            bonds->first[slot + 1] =
                there ? list_slot(bonds, b, near, slot, begin, end) : bonds->first[slot];
        }
    }
}

/* n sum(share n n^T) n of one end. */
static float along(const OozeSym3 *moment, OozeF32x4 n)
{
    return moment->xx * n[0] * n[0] + moment->yy * n[1] * n[1] + moment->zz * n[2] * n[2] +
           2 * (moment->xy * n[0] * n[1] + moment->xz * n[0] * n[2] + moment->yz * n[1] * n[2]);
}

/* Stiffens bonds at a surface, in place of the missing ones. */
static void stiffen_surface(OozeBonds *bonds, const OozeBodies *b, OozeSym3 *moment)
{
    for (uint64_t slot = 0; slot < b->slots; slot++) {
        moment[slot] = ooze_sym3_identity(0);
        for (uint64_t e = bonds->first[slot]; e < bonds->first[slot + 1]; e++) {
            OozeF32x4 n = between(b, slot, bonds->other[e]) / bonds->length[e];
            float share = bonds->share[e];
            moment[slot] =
                ooze_sym3_add(moment[slot], ooze_sym3(share * n[0] * n[0], share * n[1] * n[1],
                                                      share * n[2] * n[2], share * n[0] * n[1],
                                                      share * n[0] * n[2], share * n[1] * n[2]));
        }
    }
    for (uint64_t slot = 0; slot < b->slots; slot++) {
        for (uint64_t e = bonds->first[slot]; e < bonds->first[slot + 1]; e++) {
            OozeF32x4 n = between(b, slot, bonds->other[e]) / bonds->length[e];
            float here = ooze_bond_surface(along(&moment[slot], n));
            float there = ooze_bond_surface(along(&moment[bonds->other[e]], n));
            bonds->share[e] *= 0.5f * (here + there);
        }
    }
}

static OozeStatus rebuild(OozeBonds *bonds, const OozeBodies *b, Packed *p, OozeError *error)
{
    bonds->slots = 0; /* invalid until complete */
    uint32_t *rank = ooze_alloc(b->slots, sizeof *rank);
    OozeSym3 *moment = ooze_alloc(b->slots, sizeof *moment);
    OozeStatus status = rank && moment
                            ? find_near(p, b, error)
                            : ooze_fail_memory(error, "bonds", b->slots * sizeof *moment);
    if (!status) {
        status = reserve(bonds, b->slots, p->near.pairs, error);
    }
    if (!status) {
        for (uint64_t k = 0; k < p->n; k++) {
            rank[p->slot[ooze_grid_order(p->grid)[k]]] = (uint32_t)k;
        }
        Near near = {.packed = p, .rank = rank};
        list_bonds(bonds, b, &near);
        stiffen_surface(bonds, b, moment);
        bonds->slots = b->slots;
        bonds->made_of = p->made_of;
    }
    ooze_free(rank);
    ooze_free(moment);
    return status;
}

OozeStatus ooze_bonds_find(OozeBodies *b, OozeBonds **kept, OozeError *error)
{
    Packed packed = {.n = 0};
    for (uint64_t slot = b->rigid_slots; slot < b->slots; slot++) {
        if (is_soft(b, slot)) {
            packed.n++;
            packed.made_of = ooze_mix(packed.made_of ^ slot);
            packed.made_of = ooze_hash_bytes(packed.made_of, &b->rest[slot], sizeof(OozeFloat4));
        }
    }
    if (packed.n == 0) {
        return OOZE_OK;
    }
    if (!*kept && !(*kept = ooze_alloc_zero(1, sizeof **kept))) {
        return ooze_fail_memory(error, "bonds", sizeof **kept);
    }
    OozeBonds *bonds = *kept;
    OozeStatus status = OOZE_OK;
    if (bonds->slots != b->slots || bonds->made_of != packed.made_of) {
        status = rebuild(bonds, b, &packed, error);
        free_packed(&packed);
    }
    b->bonds = status ? NULL : bonds;
    return status;
}
