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
static Cell cell_of(const OozePhotonGrid *grid, OozeF3 p)
{
    const float scale = 0.5f / grid->radius, most = 1e9f;
    return (Cell){floor_of(clampf(p.x * scale, -most, most)),
                  floor_of(clampf(p.y * scale, -most, most)),
                  floor_of(clampf(p.z * scale, -most, most))};
}

static uint32_t bucket_of(const OozePhotonGrid *grid, Cell cell)
{
    uint64_t key = (uint64_t)(uint32_t)cell.x << 32 | (uint32_t)cell.y;
    return (uint32_t)ooze_mix(ooze_mix(key) ^ (uint32_t)cell.z) & grid->mask;
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

static void extend(OozePhotonGrid *grid, OozeF3 p)
{
    float r = grid->radius;
    grid->low =
        f3(fminf(grid->low.x, p.x - r), fminf(grid->low.y, p.y - r), fminf(grid->low.z, p.z - r));
    grid->high = f3(fmaxf(grid->high.x, p.x + r), fmaxf(grid->high.y, p.y + r),
                    fmaxf(grid->high.z, p.z + r));
}

/* Counting sort by bucket; photons of a bucket keep their order. */
static OozeStatus make_grid(OozePhotonGrid *grid, const OozePhoton *photons, uint64_t count,
                            OozeError *error)
{
    const uint32_t buckets = bucket_count(count);
    grid->count = count;
    grid->low = f3_all(INFINITY);
    grid->high = f3_all(-INFINITY);
    if (count == 0) {
        return OOZE_OK;
    }
    grid->mask = buckets - 1;
    grid->starts = ooze_alloc_zero((size_t)buckets + 2, sizeof *grid->starts);
    grid->photons = ooze_alloc(count, sizeof *grid->photons);
    if (!grid->starts || !grid->photons) {
        return ooze_fail_memory(error, "photons", count * sizeof *grid->photons);
    }
    for (uint64_t i = 0; i < count; i++) {
        grid->starts[bucket_of(grid, cell_of(grid, photons[i].position)) + 2]++;
        extend(grid, photons[i].position);
    }
    for (uint64_t b = 2; b < (uint64_t)buckets + 2; b++) {
        grid->starts[b] += grid->starts[b - 1];
    }
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bucket = bucket_of(grid, cell_of(grid, photons[i].position));
        grid->photons[grid->starts[bucket + 1]++] = photons[i];
    }
    return OOZE_OK;
}

OozeStatus ooze_photon_map_create(OozePhotonMap *map, const OozePhotonJob *job, OozeError *error)
{
    *map = (OozePhotonMap){.sharp = {.count = 0}};
    OozePhoton *photons = NULL;
    OozePhotonTarget target;
    OozeStatus status = OOZE_OK;
    uint64_t sharp = 0, count = 0;
    if (ooze_photon_target(job->tracer, &target)) {
        map->sharp.radius = sqrtf(GATHERED * target.area / (OOZE_PI_F * (float)job->emitted));
        map->soft.radius = SOFT_RATIO * map->sharp.radius;
        status = ooze_photons_trace(job, &target, &photons, &sharp, &count, error);
    }
    status = status ? status : make_grid(&map->sharp, photons, sharp, error);
    status = status ? status
                    : make_grid(&map->soft, photons ? photons + sharp : NULL, count - sharp, error);
    ooze_free(photons);
    if (status) {
        ooze_photon_map_free(map);
    }
    return status;
}

void ooze_photon_map_free(OozePhotonMap *map)
{
    ooze_free(map->sharp.photons);
    ooze_free(map->sharp.starts);
    ooze_free(map->soft.photons);
    ooze_free(map->soft.starts);
    *map = (OozePhotonMap){.sharp = {.count = 0}};
}

typedef struct Gathering {
    OozeF3 point, normal;
    OozeF3 sum, direction; /* irradiance, and what it is from */
} Gathering;

/* A disc on the surface whose weight decreases to 0 at the edge (Epanechnikov's kernel). */
static void gather_photon(Gathering *gathering, const OozePhoton *photon, float r2, float weight)
{
    OozeF3 away = f3_sub(photon->position, gathering->point);
    float d2 = f3_dot(away, away), height = f3_dot(away, gathering->normal);
    if (d2 < r2 && height * height <= 0.1f * r2 &&
        f3_dot(photon->direction, gathering->normal) < 0.0f) {
        OozeF3 flux = f3_scale(photon->flux, weight * (1.0f - d2 / r2));
        gathering->sum = f3_add(gathering->sum, flux);
        gathering->direction =
            f3_madd(gathering->direction, -f3_luminance(flux), photon->direction);
    }
}

static bool is_within(const OozePhotonGrid *grid, OozeF3 p)
{
    return p.x > grid->low.x && p.x < grid->high.x && p.y > grid->low.y && p.y < grid->high.y &&
           p.z > grid->low.z && p.z < grid->high.z;
}

static void gather(Gathering *gathering, const OozePhotonGrid *grid, OozePhotonShare share)
{
    if (!is_within(grid, gathering->point)) {
        return;
    }
    const float r2 = grid->radius * grid->radius,
                weight = 2.0f * (float)share.stride / (OOZE_PI_F * r2);
    Cell first = cell_of(grid, f3_add(gathering->point, f3_all(-grid->radius)));
    uint32_t buckets[8];
    uint64_t next = share.first; /* in the photons of all 8 cells, one after another */
    for (int k = 0; k < 8; k++) {
        Cell cell = {first.x + (k & 1), first.y + (k >> 1 & 1), first.z + (k >> 2)};
        buckets[k] = bucket_of(grid, cell);
        bool again = false; /* one bucket may hold photons of several cells */
        for (int other = 0; other < k; other++) {
            again = again || buckets[other] == buckets[k];
        }
        if (again) {
            continue;
        }
        uint64_t i = grid->starts[buckets[k]] + next, end = grid->starts[buckets[k] + 1];
        for (; i < end; i += share.stride) {
            gather_photon(gathering, &grid->photons[i], r2, weight);
        }
        next = i - end;
    }
}

OozeF3 ooze_photon_map_irradiance(const OozePhotonMap *map, OozeF3 point, OozeF3 normal,
                                  OozePhotonShare share, OozeF3 *towards)
{
    const OozePhotonShare all = {1, 0};
    Gathering gathering = {.point = point, .normal = normal};
    gather(&gathering, &map->sharp, all);
    gather(&gathering, &map->soft, share);
    *towards = f3_unit(gathering.direction);
    return gathering.sum;
}
