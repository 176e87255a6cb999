/* Storage of photons in cells of a hash table, and the density estimate from them. */
#include "render/photon_map.h"

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "render/photons.h"

/* Photons within the radius of those from a sun, where light is neither focused nor spread. Light
   of larger sources has no fine caustics: its photons are spread wider, with less noise. */
#define GATHERED   60.0f
#define SOFT_RATIO 3.0f

typedef struct Cell {
    int x, y, z;
} Cell;

/* Cells are twice the radius wide: the photons around a point are in 8 of them. */
static Cell cell_of(const OozePhotonMap *map, OozeF3 p)
{
    const float scale = 0.5f / map->radius, most = 1e9f;
    return (Cell){floor_of(clampf(p.x * scale, -most, most)),
                  floor_of(clampf(p.y * scale, -most, most)),
                  floor_of(clampf(p.z * scale, -most, most))};
}

static uint32_t bucket_of(const OozePhotonMap *map, Cell cell)
{
    uint64_t key = (uint64_t)(uint32_t)cell.x << 32 | (uint32_t)cell.y;
    return (uint32_t)ooze_mix(ooze_mix(key) ^ (uint32_t)cell.z) & map->mask;
}

static uint32_t bucket_count(uint64_t photons)
{
    uint32_t buckets = 1;
    while (buckets < photons && buckets < 1u << 30) {
        buckets *= 2;
    }
    return buckets;
}

uint64_t ooze_photon_map_bytes(uint64_t emitted)
{
    /* As traced, with a flag each, and sorted. */
    return emitted * (2 * sizeof(OozePhoton) + sizeof(bool)) +
           ((uint64_t)bucket_count(emitted) + 2) * sizeof(uint32_t);
}

/* Counting sort by bucket; photons of a bucket keep their order. */
static OozeStatus sort_photons(OozePhotonMap *map, const OozePhoton *photons, OozeError *error)
{
    const uint32_t buckets = bucket_count(map->count);
    map->mask = buckets - 1;
    map->starts = ooze_alloc_zero((size_t)buckets + 2, sizeof *map->starts);
    map->photons = ooze_alloc(map->count, sizeof *map->photons);
    if (!map->starts || (!map->photons && map->count > 0)) {
        return ooze_fail_memory(error, "photons", map->count * sizeof *map->photons);
    }
    for (uint64_t i = 0; i < map->count; i++) {
        map->starts[bucket_of(map, cell_of(map, photons[i].position)) + 2]++;
    }
    for (uint64_t b = 2; b < (uint64_t)buckets + 2; b++) {
        map->starts[b] += map->starts[b - 1];
    }
    for (uint64_t i = 0; i < map->count; i++) {
        map->photons[map->starts[bucket_of(map, cell_of(map, photons[i].position)) + 1]++] =
            photons[i];
    }
    return OOZE_OK;
}

OozeStatus ooze_photon_map_create(OozePhotonMap *map, const OozePhotonJob *job, OozeError *error)
{
    *map = (OozePhotonMap){.radius = 1.0f};
    OozePhoton *photons = NULL;
    OozePhotonTarget target;
    OozeStatus status = OOZE_OK;
    if (ooze_photon_target(job->tracer, &target)) {
        target.sharp_radius = sqrtf(GATHERED * target.area / (OOZE_PI_F * (float)job->emitted));
        target.soft_radius = map->radius = SOFT_RATIO * target.sharp_radius;
        status = ooze_photons_trace(job, &target, &photons, &map->count, error);
    }
    status = status ? status : sort_photons(map, photons, error);
    ooze_free(photons);
    if (status) {
        ooze_photon_map_free(map);
    }
    return status;
}

void ooze_photon_map_free(OozePhotonMap *map)
{
    ooze_free(map->photons);
    ooze_free(map->starts);
    *map = (OozePhotonMap){.count = 0};
}

/* A disc on the surface whose weight decreases to 0 at the edge (Epanechnikov's kernel). */
OozeF3 ooze_photon_map_irradiance(const OozePhotonMap *map, OozeF3 point, OozeF3 normal,
                                  OozeF3 *towards)
{
    OozeF3 sum = f3_all(0.0f), direction = f3_all(0.0f), corner = f3_all(-map->radius);
    Cell first = cell_of(map, f3_add(point, corner));
    for (int k = 0; k < 8 && map->count > 0; k++) {
        Cell cell = {first.x + (k & 1), first.y + (k >> 1 & 1), first.z + (k >> 2)};
        uint32_t bucket = bucket_of(map, cell);
        for (uint32_t i = map->starts[bucket]; i < map->starts[bucket + 1]; i++) {
            const OozePhoton *photon = &map->photons[i];
            OozeF3 away = f3_sub(photon->position, point);
            float d2 = f3_dot(away, away), height = f3_dot(away, normal);
            float r2 = photon->radius * photon->radius;
            if (d2 >= r2 || f3_dot(photon->direction, normal) >= 0.0f ||
                height * height > 0.1f * r2) {
                continue;
            }
            Cell own = cell_of(map, photon->position); /* buckets hold photons of several cells */
            if (own.x == cell.x && own.y == cell.y && own.z == cell.z) {
                OozeF3 flux = f3_scale(photon->flux, 2.0f / (OOZE_PI_F * r2) * (1.0f - d2 / r2));
                sum = f3_add(sum, flux);
                direction = f3_madd(direction, -f3_luminance(flux), photon->direction);
            }
        }
    }
    *towards = f3_unit(direction);
    return sum;
}
