/* Packed data for the gathers of large scenes, whose iterations are limited by memory bandwidth.

   Positions are multiples of 2^-21 of the bounding box of the fluid (a step). The components of a
   vector or flux share an exponent. A search direction is rounded before its first use, so that its
   rounding is no error. Fluxes of directions are rounded to 2^-20 of the largest component, equally
   for both ends of an edge; residuals are computed in full precision. */
#ifndef OOZE_METHODS_CONFORMATION_CUDA_PACKED_CUH
#define OOZE_METHODS_CONFORMATION_CUDA_PACKED_CUH

#include "methods/conformation/cuda/step.cuh"

namespace ooze
{

/* Captured by loop bodies. `directions` NULL: too few particles, or a periodic box. */
struct PackView {
    uint4 *directions; /* n + 1: position, search direction, and whether the hourglass term acts */
    float low[3];      /* m: corner of the box */
    float step, inverse;                    /* m of a step, and 1 over it */
    const struct HourglassRange *hourglass; /* device */
    float4 *sums;                           /* StepView.edge_sum for packed positions, or NULL */
    uint2 *places;                          /* n + 1: the packed positions alone, or NULL */
};

/* Packs the positions, in the box of the last sort. No arrays where packing is off. */
PackView pack_places(Step *step);
/* Stores the packed positions alone, for coarse fluxes. */
void pack_positions_alone(Step *step, PackView *pack);
/* Finds the range of the hourglass coefficients. */
void pack_hourglass(Step *step, const PackView *pack, const float *hourglass);
/* Sums of edges between packed positions. With them forces along an edge are opposite to rounding
   and a constant field has no gradient, which matters where no residual corrects the result. */
void pack_sums(Step *step, PackView *pack);
/* As sum_edges, between packed positions. */
void pack_sum_edges(Step *step, const PackView *pack, const float *a, float *to);

/* Smallest and largest hourglass coefficient other than 0. Where both are equal, as in most scenes,
   coefficients of neighbours need not be gathered. */
struct HourglassRange {
    float low, high;
    __device__ void operator+=(const HourglassRange &o)
    {
        low = o.low < low ? o.low : low;
        high = o.high > high ? o.high : high;
    }
};

/* Bits k to k + 31 of a 64-bit word. */
OOZE_DEVICE uint32_t bits_from(uint32_t low, uint32_t high, int k)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> k);
}

/* (2^23 + a) - offset for an integer a < 2^23: exact, and cheaper than a conversion. */
OOZE_DEVICE float integer_minus(uint32_t a, float offset)
{
    return bits_to_float(a | 0x4b000000u) - offset;
}

/* ---- positions ---- */

OOZE_DEVICE uint2 place_pack(const PackView &p, float4 x)
{
    const float last = 2097151.0f;
    uint64_t a = (uint64_t)fminf(fmaxf((x.x - p.low[0]) * p.inverse, 0.0f), last);
    uint64_t b = (uint64_t)fminf(fmaxf((x.y - p.low[1]) * p.inverse, 0.0f), last);
    uint64_t c = (uint64_t)fminf(fmaxf((x.z - p.low[2]) * p.inverse, 0.0f), last);
    uint64_t all = a | b << 21 | c << 42 | (x.w > 0.0f ? 1ull << 63 : 0);
    uint2 packed = {(uint32_t)all, (uint32_t)(all >> 32)};
    return packed;
}

/* In steps; last lane: see StepView.x0. */
OOZE_DEVICE float4 place_get(uint2 p)
{
    const float offset = 8388608.0f;
    return make_float4(integer_minus(p.x & 0x1fffffu, offset),
                       integer_minus(bits_from(p.x, p.y, 21) & 0x1fffffu, offset),
                       integer_minus(p.y >> 10 & 0x1fffffu, offset),
                       p.y >> 31 ? OOZE_DUMMY_FAR : 0.0f);
}

/* ---- numbers with a common exponent ---- */

/* Biased exponent e with largest < 2^(e - 127); 0 where the numbers are too small. */
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

/* The value in units, rounded, plus 2^digits: digits + 1 bits. */
OOZE_DEVICE uint32_t digits_of(float value, float per, int digits)
{
    float largest = (float)((1 << digits) - 1);
    return (uint32_t)((int32_t)rintf(fminf(fmaxf(value * per, -largest), largest)) + (1 << digits));
}

/* ---- directions: the position, 3 numbers of 18 bits, and a bit for the hourglass term ---- */

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
    const float offset = 8388608.0f + 131072.0f;
    uint2 place = {p.x, p.y};
    Direction d = {place_get(place),
                   integer_minus(p.z & 0x3ffffu, offset),
                   integer_minus(bits_from(p.z, p.w, 18) & 0x3ffffu, offset),
                   integer_minus(p.w >> 4 & 0x3ffffu, offset),
                   unit_of(p.w >> 22 & 0xffu, 17),
                   (p.w >> 30 & 1u) != 0};
    return d;
}

/* The rounded direction. */
OOZE_DEVICE float4 direction_vector(uint4 p)
{
    Direction d = direction_get(p);
    return f32x4(d.unit * d.x, d.unit * d.y, d.unit * d.z);
}

/* ---- fluxes: the position and 9 numbers of 20 bits in 32 bytes ---- */

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
    const float offset = 8388608.0f + 524288.0f;
    const uint32_t mask = 0xfffffu;
    uint2 place = {a.x, a.y};
    Flux flux;
    flux.place = place_get(place);
    flux.row[0] = integer_minus(a.z & mask, offset);
    flux.row[1] = integer_minus(bits_from(a.z, a.w, 20) & mask, offset);
    flux.row[2] = integer_minus(a.w >> 8 & mask, offset);
    flux.row[3] = integer_minus(bits_from(a.w, b.x, 28) & mask, offset);
    flux.row[4] = integer_minus(bits_from(b.x, b.y, 16) & mask, offset);
    flux.row[5] = integer_minus(b.y >> 4 & mask, offset);
    flux.row[6] = integer_minus(bits_from(b.y, b.z, 24) & mask, offset);
    flux.row[7] = integer_minus(b.z >> 12 & mask, offset);
    flux.row[8] = integer_minus(b.w & mask, offset);
    flux.unit = unit_of(b.w >> 24, 19);
    return flux;
}

/* Packed fluxes, two uint4 a particle, end at the same address as unpacked ones, three float4 a
   particle: the padding of lists is the same for both. */
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

/* Rounds `row`, so that forces along an edge are equal and opposite. */
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

   Each pass of conjugate gradients begins with a residual in full precision, so that rounding
   affects the search directions of a pass alone. For motion that varies over a length L, the
   relative error of the force is about 2^-13 L/h over the square root of the number of
   neighbours. */

OOZE_DEVICE uint4 pack_9x13(const float value[9])
{
    float largest = 0.0f;
    for (int k = 0; k < 9; k++) {
        largest = fmaxf(largest, fabsf(value[k]));
    }
    uint32_t e = exponent_above(largest), v[9];
    for (int k = 0; k < 9; k++) {
        v[k] = digits_of(value[k], per_unit(e, 12), 12);
    }
    return make_uint4(v[0] | v[1] << 13 | v[2] << 26, v[2] >> 6 | v[3] << 7 | v[4] << 20,
                      v[4] >> 12 | v[5] << 1 | v[6] << 14 | v[7] << 27,
                      v[7] >> 5 | v[8] << 8 | e << 21);
}

/* In units of the returned number. */
OOZE_DEVICE float unpack_9x13(uint4 p, float value[9])
{
    const float offset = 8388608.0f + 4096.0f;
    const uint32_t mask = 0x1fffu;
    value[0] = integer_minus(p.x & mask, offset);
    value[1] = integer_minus(p.x >> 13 & mask, offset);
    value[2] = integer_minus(bits_from(p.x, p.y, 26) & mask, offset);
    value[3] = integer_minus(p.y >> 7 & mask, offset);
    value[4] = integer_minus(bits_from(p.y, p.z, 20) & mask, offset);
    value[5] = integer_minus(p.z >> 1 & mask, offset);
    value[6] = integer_minus(p.z >> 14 & mask, offset);
    value[7] = integer_minus(bits_from(p.z, p.w, 27) & mask, offset);
    value[8] = integer_minus(p.w >> 8 & mask, offset);
    return unit_of(p.w >> 21 & 0xffu, 12);
}

/* One uint4 a particle; see packed_flux. */
static inline __host__ __device__ uint4 *coarse_flux(float4 *flux, uint32_t n)
{
    return reinterpret_cast<uint4 *>(flux + 2 * (uint64_t)n);
}

/* Rounds `row`. */
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

/* Weight of an edge, over s.strain. r2: its squared length in steps; step2: (step / h)^2. */
OOZE_DEVICE float packed_weight(float step2, float r2)
{
    return fmaxf(1.0f - r2 * step2, 0.0f);
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

/* As raw_rows, of the search direction, without walls; `sum`: edge sum of i. With DAMPS, `damped`
   is sum f n_j v_j. */
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
    const float step2 = p.step * p.step * s.inverse2;
    each_neighbour<1>(s.fluid, i, 0, [&](uint32_t j) {
        Direction other = direction_get(p.directions[j]);
        float n = DAMPS ? damping_of(range, other, hourglass, j) : 0.0f;
        float x = other.place.x - here.place.x, y = other.place.y - here.place.y;
        float z = other.place.z - here.place.z, r2 = x * x + y * y + z * z + other.place.w;
        float f = other.unit * packed_weight(step2, r2);
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

/* As edges_flux, of packed fluxes. */
OOZE_DEVICE float4 packed_edges_flux(const StepView &s, const PackView &p, const uint4 *flux,
                                     uint32_t i)
{
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    const float4 here = place_get(place_of(p, i));
    const float step2 = p.step * p.step * s.inverse2;
    each_neighbour<1>(s.fluid, i, 0, [&](uint32_t j) {
        Flux t = flux_get(flux[2 * (uint64_t)j], flux[2 * (uint64_t)j + 1]);
        float x = t.place.x - here.x, y = t.place.y - here.y, z = t.place.z - here.z;
        float r2 = x * x + y * y + z * z + t.place.w;
        float f = t.unit * packed_weight(step2, r2);
        fx += f * (t.row[0] * x + t.row[1] * y + t.row[2] * z);
        fy += f * (t.row[3] * x + t.row[4] * y + t.row[5] * z);
        fz += f * (t.row[6] * x + t.row[7] * y + t.row[8] * z);
    });
    float scale = s.strain * p.step;
    return f32x4(scale * fx, scale * fy, scale * fz);
}

/* As edges_flux, of coarse fluxes. */
OOZE_DEVICE float4 coarse_edges_flux(const StepView &s, const PackView &p, const uint4 *flux,
                                     uint32_t i)
{
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
    const float4 here = place_get(p.places[i]);
    const float step2 = p.step * p.step * s.inverse2;
    each_neighbour<1>(s.fluid, i, 0, [&](uint32_t j) {
        float4 there = place_get(p.places[j]);
        float row[9], unit = unpack_9x13(flux[j], row);
        float x = there.x - here.x, y = there.y - here.y, z = there.z - here.z;
        float r2 = x * x + y * y + z * z + there.w;
        float f = unit * packed_weight(step2, r2);
        fx += f * (row[0] * x + row[1] * y + row[2] * z);
        fy += f * (row[3] * x + row[4] * y + row[5] * z);
        fz += f * (row[6] * x + row[7] * y + row[8] * z);
    });
    float scale = s.strain * p.step;
    return f32x4(scale * fx, scale * fy, scale * fz);
}

} // namespace ooze

#endif
