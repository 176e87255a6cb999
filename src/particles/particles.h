/* The particle store: structure of arrays described by the field table. */
#ifndef OOZE_PARTICLES_PARTICLES_H
#define OOZE_PARTICLES_PARTICLES_H

#include <stdint.h>

#include "base/memory.h"
#include "base/threads.h"
#include "particles/field.h"

/* Positions and velocities in memory: one aligned 16-byte load. w stays 0. */
typedef struct OozeFloat4 {
    float x, y, z, w;
} OozeFloat4;

typedef struct OozeParticles OozeParticles;

/* Neighbour indices have 32 bits; the largest values are reserved for the padding of lists. */
#define OOZE_PARTICLES_MAX 0xfffffff0ull

OozeStatus ooze_particles_create(OozeParticles **particles, OozeError *error);
void ooze_particles_destroy(OozeParticles *particles);

/* Adds a row (copied; strings must outlive the store) and gives its index; existing particles get
   the initial value. A name in use gives the existing row if both are equal, else
   OOZE_ERROR_ARGUMENT. */
OozeStatus ooze_particles_add_field(OozeParticles *particles, const OozeFieldInfo *info, int *field,
                                    OozeError *error);
/* Adds the fields of `model` that `copy` lacks, in the same order. */
OozeStatus ooze_particles_match_fields(const OozeParticles *model, OozeParticles *copy,
                                       OozeError *error);
int ooze_particles_field_count(const OozeParticles *particles);
const OozeFieldInfo *ooze_particles_field_info(const OozeParticles *particles, int field);
int ooze_particles_find_field(const OozeParticles *particles, const char *name); /* -1: none */

uint64_t ooze_particles_count(const OozeParticles *particles);
uint64_t ooze_particles_bytes(const OozeParticles *particles);
uint64_t ooze_particles_next_id(const OozeParticles *particles);
void ooze_particles_set_next_id(OozeParticles *particles, uint64_t next_id);

/* The array of a field. Arrays hold at least 16 elements beyond the count (padding for wide loads
   and for the dummy neighbour); pointers change when particles are added. */
void *ooze_particles_data(OozeParticles *particles, int field);
const void *ooze_particles_data_const(const OozeParticles *particles, int field);
/* Data of the field of a name; NULL: there is none, or no name. */
void *ooze_particles_find_data(OozeParticles *particles, const char *name);
OozeFloat4 *ooze_particles_positions(OozeParticles *particles);
OozeFloat4 *ooze_particles_velocities(OozeParticles *particles);
uint64_t *ooze_particles_ids(OozeParticles *particles);
uint16_t *ooze_particles_materials(OozeParticles *particles);

/* While blocks are kept, arrays that grow do not free their old memory; `keep` false frees it. */
void ooze_particles_keep_blocks(OozeParticles *particles, bool keep);

/* Appends n particles with initial values and fresh ascending ids; `*first` is the index of the
   first new one. */
OozeStatus ooze_particles_add(OozeParticles *particles, uint64_t n, uint64_t *first,
                              OozeError *error);

/* Removes every particle i with remove[i] != 0, keeping the order of the rest. */
OozeStatus ooze_particles_remove(OozeParticles *particles, OozeThreads *threads,
                                 const uint8_t *remove, uint64_t *removed, OozeError *error);

/* New element i = old element order[i], for every field; order is a permutation. The sorted
   copy is in the arena, which is rewound afterwards. */
OozeStatus ooze_particles_reorder(OozeParticles *particles, OozeThreads *threads,
                                  const uint32_t *order, OozeArena *arena, OozeError *error);

/* Room for n particles in all arrays, without changing their number. */
OozeStatus ooze_particles_reserve(OozeParticles *particles, uint64_t n, OozeError *error);
/* Sets the number of particles, for which there is room and whose elements are set already; or
   frees the arrays. The next id does not change. */
void ooze_particles_set_count(OozeParticles *particles, uint64_t n);
OozeStatus ooze_particles_release(OozeParticles *particles, OozeError *error);

/* Empties the store (ids start at 0 again) and sizes it to n particles, for restoring a snapshot.
   */
OozeStatus ooze_particles_resize(OozeParticles *particles, uint64_t n, OozeError *error);
/* Gives a field of all particles its initial value. */
void ooze_particles_reset_field(OozeParticles *particles, int field);

#endif
