/* Packed data of large scenes, for gathers in iterations: loops over neighbours are limited by
   memory bandwidth.

   Positions are counted in 2^21 steps of the fluid's box. The numbers of a particle in a vector
   or flux share an exponent. A search direction is rounded before its first use, so its rounding
   is no error; fluxes are rounded to 2^-20 of the largest, the same for both ends of an edge,
   and only those of directions: residuals are computed in full precision. */
#ifndef OOZE_CUDA_CONFORMATION_PACKED_CUH
#define OOZE_CUDA_CONFORMATION_PACKED_CUH

#include "cuda/conformation/step.cuh"

namespace ooze
{

/* Captured by loop bodies. `directions` NULL: too few particles, or a periodic box. */
struct PackView {
    uint4
        /* n + 1: a place, a direction of the solve, and whether the hourglass term acts */
        *directions;
    float low[3], step, inverse;
    const struct HourglassRange *hourglass; /* device */
    float4 *sums;  /* of edges between these places, as StepView.edge_sum, or NULL */
    uint2 *places; /* n + 1, the same as in `directions`; or NULL */
};

/* Where the particles are, in steps of the box that they were sorted in. No arrays where nothing
   is packed. */
PackView pack_places(Step *step);
/* Positions by themselves, for coarse fluxes. */
void pack_apart(Step *step, PackView *pack);
/* Which coefficients of the hourglass term there are; after they were prepared. */
void pack_hourglass(Step *step, const PackView *pack, const float *hourglass);
/* With these sums edges push both ends alike to the last bit of a float, and a field that is the
   same everywhere has no gradient: for what is not corrected afterwards. */
void pack_sums(Step *step, PackView *pack);
/* As sum_edges, between packed places. */
void pack_sum_edges(Step *step, const PackView *pack, const float *a, float *to);

/* What coefficients of the hourglass term there are, besides 0. Mostly it is one alone, and need
   not be gathered. */
struct HourglassRange {
    float low, high;
    __device__ void operator+=(const HourglassRange &o)
    {
        low = o.low < low ? o.low : low;
        high = o.high > high ? o.high : high;
    }
};

/* 32 bits of a number of 64, from bit k on. */
OOZE_DEVICE uint32_t bits_from(uint32_t low, uint32_t high, int k)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> k);
}

/* 2^23 + a, less what is taken off: exact for whole numbers below 2^23, and no conversion. */
OOZE_DEVICE float whole(uint32_t a, float less)
{
    return bits_to_float(a | 0x4b000000u) - less;
}

/* ---- places ---- */

OOZE_DEVICE uint2 place_pack(const PackView &p, float4 x)
{
    const float most = 2097151.0f;
    uint64_t a = (uint64_t)fminf(fmaxf((x.x - p.low[0]) * p.inverse, 0.0f), most);
    uint64_t b = (uint64_t)fminf(fmaxf((x.y - p.low[1]) * p.inverse, 0.0f), most);
    uint64_t c = (uint64_t)fminf(fmaxf((x.z - p.low[2]) * p.inverse, 0.0f), most);
    uint64_t all = a | b << 21 | c << 42 | (x.w > 0.0f ? 1ull << 63 : 0);
    uint2 packed = {(uint32_t)all, (uint32_t)(all >> 32)};
    return packed;
}

/* In steps; the last lane as in StepView.x0. */
OOZE_DEVICE float4 place_get(uint2 p)
{
    const float none = 8388608.0f;
    return make_float4(whole(p.x & 0x1fffffu, none),
                       whole(bits_from(p.x, p.y, 21) & 0x1fffffu, none),
                       whole(p.y >> 10 & 0x1fffffu, none), p.y >> 31 ? OOZE_DUMMY_FAR : 0.0f);
}

/* ---- numbers with one exponent ---- */

/* The exponent that the largest of some numbers stays below, as a float has it; 0 where they are
   too small to tell. */
OOZE_DEVICE uint32_t exponent_above(float largest)
{
    uint32_t e = (float_to_bits(largest) >> 23) + 1;
    return e > 40 && e < 255 ? e : 0;
}

/* 2^(e - 127 - digits), and its inverse. */
OOZE_DEVICE float unit_of(uint32_t e, int digits)
{
    return e ? bits_to_float((e - (uint32_t)digits) << 23) : 0.0f;
}
OOZE_DEVICE float per_unit(uint32_t e, int digits)
{
    return e ? bits_to_float((254u + (uint32_t)digits - e) << 23) : 0.0f;
}

/* value in units, offset to be positive, in digits + 1 bits. */
OOZE_DEVICE uint32_t digits_of(float value, float per, int digits)
{
    float most = (float)((1 << digits) - 1);
    return (uint32_t)((int32_t)rintf(fminf(fmaxf(value * per, -most), most)) + (1 << digits));
}

/* ---- directions: 3 numbers of 18 bits, with the place, and a bit for the hourglass term ---- */

struct Direction {
    float4 place; /* in steps */
    float x, y, z, unit;
    bool damped;
};

OOZE_DEVICE uint4 direction_pack(uint2 place, float4 v, bool damped)
{
    uint32_t e = exponent_above(fmaxf(fabsf(v.x), fmaxf(fabsf(v.y), fabsf(v.z))));
    float per = per_unit(e, 17);
    uint64_t all = (uint64_t)digits_of(v.x, per, 17) | (uint64_t)digits_of(v.y, per, 17) << 18 |
                   (uint64_t)digits_of(v.z, per, 17) << 36 | (uint64_t)e << 54 |
                   (uint64_t)damped << 62;
    return make_uint4(place.x, place.y, (uint32_t)all, (uint32_t)(all >> 32));
}

OOZE_DEVICE Direction direction_get(uint4 p)
{
    const float none = 8388608.0f + 131072.0f;
    uint2 place = {p.x, p.y};
    Direction d = {place_get(place),
                   whole(p.z & 0x3ffffu, none),
                   whole(bits_from(p.z, p.w, 18) & 0x3ffffu, none),
                   whole(p.w >> 4 & 0x3ffffu, none),
                   unit_of(p.w >> 22 & 0xffu, 17),
                   (p.w >> 30 & 1u) != 0};
    return d;
}

/* The direction as it was rounded. */
OOZE_DEVICE float4 direction_vector(uint4 p)
{
    Direction d = direction_get(p);
    return f32x4(d.unit * d.x, d.unit * d.y, d.unit * d.z);
}

/* ---- fluxes: a place and 9 numbers of 20 bits in 32 bytes ---- */

struct Flux {
    float4 place; /* in steps */
    float row[9], unit;
};

OOZE_DEVICE void flux_pack(uint2 place, const float row[9], uint4 packed[2])
{
    float largest = 0.0f;
    for (int k = 0; k < 9; k++) {
        largest = fmaxf(largest, fabsf(row[k]));
    }
    uint32_t e = exponent_above(largest), v[9];
    for (int k = 0; k < 9; k++) {
        v[k] = digits_of(row[k], per_unit(e, 19), 19);
    }
    packed[0] =
        make_uint4(place.x, place.y, v[0] | v[1] << 20, v[1] >> 12 | v[2] << 8 | v[3] << 28);
    packed[1] = make_uint4(v[3] >> 4 | v[4] << 16, v[4] >> 16 | v[5] << 4 | v[6] << 24,
                           v[6] >> 8 | v[7] << 12, v[8] | e << 24);
}

OOZE_DEVICE Flux flux_get(uint4 a, uint4 b)
{
    const float none = 8388608.0f + 524288.0f;
    const uint32_t mask = 0xfffffu;
    uint2 place = {a.x, a.y};
    Flux flux;
    flux.place = place_get(place);
    flux.row[0] = whole(a.z & mask, none);
    flux.row[1] = whole(bits_from(a.z, a.w, 20) & mask, none);
    flux.row[2] = whole(a.w >> 8 & mask, none);
    flux.row[3] = whole(bits_from(a.w, b.x, 28) & mask, none);
    flux.row[4] = whole(bits_from(b.x, b.y, 16) & mask, none);
    flux.row[5] = whole(b.y >> 4 & mask, none);
    flux.row[6] = whole(bits_from(b.y, b.z, 24) & mask, none);
    flux.row[7] = whole(b.z >> 12 & mask, none);
    flux.row[8] = whole(b.w & mask, none);
    flux.unit = unit_of(b.w >> 24, 19);
    return flux;
}

/* Packed fluxes end where the others do, three float4 a particle: what fills up lists is the
   same for both, and written once. */
static inline __host__ __device__ uint4 *packed_flux(float4 *flux, uint32_t n)
{
    return reinterpret_cast<uint4 *>(flux + n);
}

OOZE_DEVICE uint2 place_of(const PackView &p, uint32_t i)
{
    uint4 own = p.directions[i];
    uint2 place = {own.x, own.y};
    return place;
}

/* Rows come back as they were rounded, so that edges push both ends alike. */
OOZE_DEVICE void flux_set_packed(const PackView &p, uint4 *flux, uint32_t i, float row[9])
{
    uint4 packed[2];
    flux_pack(place_of(p, i), row, packed);
    flux[2 * (uint64_t)i] = packed[0];
    flux[2 * (uint64_t)i + 1] = packed[1];
    Flux rounded = flux_get(packed[0], packed[1]);
    for (int k = 0; k < 9; k++) {
        row[k] = rounded.unit * rounded.row[k];
    }
}

/* ---- coarse fluxes: 9 numbers of 13 bits in 16 bytes, for iterations ----

   A search measures what it does by these fluxes, and the next begins with a residual in full:
   what is left of their rounding is what it does to one search. Of a motion that varies over L,
   they change the force by about 2^-13 L/h over the root of the number of neighbours. */

OOZE_DEVICE uint4 pack_9x13(const float nine[9])
{
    float largest = 0.0f;
    for (int k = 0; k < 9; k++) {
        largest = fmaxf(largest, fabsf(nine[k]));
    }
    uint32_t e = exponent_above(largest), v[9];
    for (int k = 0; k < 9; k++) {
        v[k] = digits_of(nine[k], per_unit(e, 12), 12);
    }
    return make_uint4(v[0] | v[1] << 13 | v[2] << 26, v[2] >> 6 | v[3] << 7 | v[4] << 20,
                      v[4] >> 12 | v[5] << 1 | v[6] << 14 | v[7] << 27,
                      v[7] >> 5 | v[8] << 8 | e << 21);
}

/* In the unit that it returns. */
OOZE_DEVICE float unpack_9x13(uint4 p, float nine[9])
{
    const float none = 8388608.0f + 4096.0f;
    const uint32_t mask = 0x1fffu;
    nine[0] = whole(p.x & mask, none);
    nine[1] = whole(p.x >> 13 & mask, none);
    nine[2] = whole(bits_from(p.x, p.y, 26) & mask, none);
    nine[3] = whole(p.y >> 7 & mask, none);
    nine[4] = whole(bits_from(p.y, p.z, 20) & mask, none);
    nine[5] = whole(p.z >> 1 & mask, none);
    nine[6] = whole(p.z >> 14 & mask, none);
    nine[7] = whole(bits_from(p.z, p.w, 27) & mask, none);
    nine[8] = whole(p.w >> 8 & mask, none);
    return unit_of(p.w >> 21 & 0xffu, 12);
}

/* They end where the others do, like packed_flux: one a particle. */
static inline __host__ __device__ uint4 *coarse_flux(float4 *flux, uint32_t n)
{
    return reinterpret_cast<uint4 *>(flux + 2 * (uint64_t)n);
}

/* Rows come back as they were rounded. */
OOZE_DEVICE void coarse_flux_set(uint4 *flux, uint32_t i, float row[9])
{
    uint4 packed = pack_9x13(row);
    flux[i] = packed;
    float unit = unpack_9x13(packed, row);
    for (int k = 0; k < 9; k++) {
        row[k] *= unit;
    }
}

/* ---- gathers ---- */

/* The weight of an edge over s.strain, by the square of its length in steps; `shrink` is that of a
   step over h. */
OOZE_DEVICE float packed_weight(float shrink, float r2)
{
    return fmaxf(1.0f - r2 * shrink, 0.0f);
}

/* The hourglass coefficient of a neighbour. */
OOZE_DEVICE float damping_of(HourglassRange range, const Direction &d, const float *hourglass,
                             uint32_t j)
{
    if (range.low == range.high) {
        return d.damped ? range.low : 0.0f;
    }
    return hourglass[j];
}

/* As raw_rows, of a direction, without walls; `sum` is that of the edges of i. With DAMPS, `damped`
   gets sum f n_j v_j. */
template <bool DAMPS>
OOZE_DEVICE RawRows packed_gather(const StepView &s, const PackView &p, const float *hourglass,
                                  uint32_t i, float4 sum, float damped[3])
{
    float m[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0}, w[3] = {0, 0, 0}, h[3] = {0, 0, 0};
    const Direction here = direction_get(p.directions[i]);
    HourglassRange range = {0.0f, 0.0f};
    if (DAMPS) {
        range = *p.hourglass;
    }
    const float shrink = p.step * p.step * s.inverse2;
    each_neighbour<1>(s.fluid, i, 0, [&](uint32_t j) {
        Direction other = direction_get(p.directions[j]);
        float n = DAMPS ? damping_of(range, other, hourglass, j) : 0.0f;
        float x = other.place.x - here.place.x, y = other.place.y - here.place.y;
        float z = other.place.z - here.place.z, r2 = x * x + y * y + z * z + other.place.w;
        float f = other.unit * packed_weight(shrink, r2);
        float a = f * other.x, b = f * other.y, c = f * other.z;
        m[0] += a * x;
        m[1] += a * y;
        m[2] += a * z;
        m[3] += b * x;
        m[4] += b * y;
        m[5] += b * z;
        m[6] += c * x;
        m[7] += c * y;
        m[8] += c * z;
        w[0] += a;
        w[1] += b;
        w[2] += c;
        if (DAMPS) {
            h[0] += n * a;
            h[1] += n * b;
            h[2] += n * c;
        }
    });
    RawRows rows;
    const float scale = s.strain;
    float v[3] = {here.unit * here.x, here.unit * here.y, here.unit * here.z};
    float g[3] = {sum.x, sum.y, sum.z};
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++) {
            rows.gradient.m[3 * k + l] = scale * p.step * m[3 * k + l] - v[k] * g[l];
        }
        rows.weighted[k] = scale * w[k] - v[k] * sum.w;
        if (DAMPS) {
            damped[k] = scale * h[k];
        }
    }
    return rows;
}

OOZE_DEVICE RawRows packed_rows(const StepView &s, const PackView &p, const float *hourglass,
                                uint32_t i, float damped[3])
{
    return packed_gather<true>(s, p, hourglass, i, s.edge_sum[i], damped);
}

/* As edges_flux, of packed ones: two a particle. */
OOZE_DEVICE float4 packed_edges_flux(const StepView &s, const PackView &p, const uint4 *flux,
                                     uint32_t i)
{
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    const float4 here = place_get(place_of(p, i));
    const float shrink = p.step * p.step * s.inverse2;
    each_neighbour<1>(s.fluid, i, 0, [&](uint32_t j) {
        Flux t = flux_get(flux[2 * (uint64_t)j], flux[2 * (uint64_t)j + 1]);
        float x = t.place.x - here.x, y = t.place.y - here.y, z = t.place.z - here.z;
        float r2 = x * x + y * y + z * z + t.place.w;
        float f = t.unit * packed_weight(shrink, r2);
        fx += f * (t.row[0] * x + t.row[1] * y + t.row[2] * z);
        fy += f * (t.row[3] * x + t.row[4] * y + t.row[5] * z);
        fz += f * (t.row[6] * x + t.row[7] * y + t.row[8] * z);
    });
    float scale = s.strain * p.step;
    return f32x4(scale * fx, scale * fy, scale * fz);
}

/* As edges_flux, of coarse ones. */
OOZE_DEVICE float4 coarse_edges_flux(const StepView &s, const PackView &p, const uint4 *flux,
                                     uint32_t i)
{
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    const float4 here = place_get(p.places[i]);
    const float shrink = p.step * p.step * s.inverse2;
    each_neighbour<1>(s.fluid, i, 0, [&](uint32_t j) {
        float4 there = place_get(p.places[j]);
        float row[9], unit = unpack_9x13(flux[j], row);
        float x = there.x - here.x, y = there.y - here.y, z = there.z - here.z;
        float r2 = x * x + y * y + z * z + there.w;
        float f = unit * fmaxf(1.0f - r2 * shrink, 0.0f);
        fx += f * (row[0] * x + row[1] * y + row[2] * z);
        fy += f * (row[3] * x + row[4] * y + row[5] * z);
        fz += f * (row[6] * x + row[7] * y + row[8] * z);
    });
    float scale = s.strain * p.step;
    return f32x4(scale * fx, scale * fy, scale * fz);
}

} // namespace ooze

#endif
